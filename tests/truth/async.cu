// Ground truth: asynchronous copies of 4 to 16 bytes per lane, from many places in global to many in shared memory.
//
// Each launch is one warp and prints its number and what it copies: lane t copies `bytes` bytes from unit from[t] of
// global to unit to[t] of shared memory, past the first-level cache (cg) or through it (ca); lanes whose from is
// negative stay idle.
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "async.cu: %s\n", cudaGetErrorString(error));
    exit(1);
}

enum { LANES = 32, UNITS = 1024, SHARED = UNITS * 16 };

template <int BYTES, bool BYPASS>
__global__ void copy_map(unsigned *out, const char *in, const int *from, const int *to) {
    extern __shared__ __align__(128) char shared[];
    const volatile int *sources = from, *targets = to;   // loaded by all lanes, whatever compilers find
    const int source = sources[threadIdx.x], target = targets[threadIdx.x];
    const unsigned at = (unsigned)__cvta_generic_to_shared(shared + target * BYTES);
    if (source >= 0) {
        if (BYPASS)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + source * BYTES));
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(in + source * BYTES), "n"(BYTES));
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    out[threadIdx.x] = *(const unsigned *)(shared + threadIdx.x * 4);
}

struct lanes {
    int from[LANES], to[LANES];
};

static char *memory, *places;
static unsigned *out;
static int number;

template <int BYTES, bool BYPASS> static void launch(const char *what, const lanes &map) {
    check(cudaMemcpy(places, &map, sizeof map, cudaMemcpyHostToDevice));
    printf("%d,%s%d %s\n", number++, BYPASS ? "cg" : "ca", BYTES, what);
    copy_map<BYTES, BYPASS><<<1, LANES, SHARED>>>(out, memory, (int *)places, (int *)places + LANES);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
}

static void launch_all(const char *what, const lanes &map) {
    launch<16, true>(what, map);
    launch<16, false>(what, map);
    launch<8, false>(what, map);
    launch<4, false>(what, map);
}

// Rows of `width` units, pitch by pitch in both memories.
static void rows(int width, int from_pitch, int to_pitch) {
    lanes map;
    char what[64];
    for (int t = 0; t < LANES; t++) {
        map.from[t] = t / width * from_pitch + t % width;
        map.to[t] = t / width * to_pitch + t % width;
    }
    snprintf(what, sizeof what, "rows of %d at %d to %d", width, from_pitch, to_pitch);
    launch_all(what, map);
}

// A unit's place in its row of `width` in shared memory is its own XOR the row's number.
static void swizzled(int width, int from_pitch) {
    lanes map;
    char what[64];
    for (int t = 0; t < LANES; t++) {
        map.from[t] = t / width * from_pitch + t % width;
        map.to[t] = t / width * width + (t % width ^ t / width % width);
    }
    snprintf(what, sizeof what, "swizzled rows of %d at %d", width, from_pitch);
    launch_all(what, map);
}

static unsigned next_random() {
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

// Distinct places in shared memory; of the lanes `share` eighths copy.
static void random_places(int from_units, int to_units, int share) {
    lanes map;
    char what[64];
    bool taken[UNITS] = {false};
    for (int t = 0; t < LANES; t++) {
        map.from[t] = (int)(next_random() % from_units);
        do map.to[t] = (int)(next_random() % to_units);
        while (taken[map.to[t]]);
        taken[map.to[t]] = true;
        if ((int)(next_random() % 8) >= share) map.from[t] = -1;
    }
    snprintf(what, sizeof what, "random %d of %d to %d by %d/8", number, from_units, to_units, share);
    launch_all(what, map);
}

int main() {
    check(cudaMalloc(&memory, UNITS * 64));
    check(cudaMemset(memory, 0, UNITS * 64));
    check(cudaMalloc(&places, sizeof(lanes)));
    check(cudaMalloc(&out, LANES * sizeof *out));
    for (int width = 1; width <= 32; width *= 2)
        for (int from_pitch = width; from_pitch <= width + 8; from_pitch += from_pitch == width ? 1 : 7)
            for (int more = 0; more <= 4; more++) rows(width, from_pitch, width + more);
    for (int width = 2; width <= 16; width *= 2) swizzled(width, width), swizzled(width, width + 8);
    for (int i = 0; i < 6; i++) {
        random_places(32, 32, 8);
        random_places(64, 64, 8);
        random_places(512, 512, 8);
        random_places(16, 256, 8);
        random_places(64, 64, 4);
        random_places(512, 64, 2);
    }
    return 0;
}
