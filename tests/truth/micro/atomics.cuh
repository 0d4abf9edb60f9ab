// Atomics: `same` lanes of a warp meet in one word.
enum { INT_ADD, FLOAT_ADD, DOUBLE_ADD, CAS, MIN_INT, LONG_ADD, EXCH, AND_OR, HALF2_ADD, OPS };
static const char *op_names[OPS] = {"int_add", "float_add", "double_add",      "cas", "int_min", "long_add",
                                    "exch",    "or",        "returned_int_add"};
template <int OP> __device__ void act(char *place, int lane, int *keep) {
    if (OP == INT_ADD) atomicAdd((int *)place, lane + 1);
    if (OP == FLOAT_ADD) atomicAdd((float *)place, 1.0f);
    if (OP == DOUBLE_ADD) atomicAdd((double *)place, 1.0);
    if (OP == CAS) *keep += atomicCAS((int *)place, lane, lane + 1);
    if (OP == MIN_INT) atomicMin((int *)place, lane);
    if (OP == LONG_ADD) atomicAdd((unsigned long long *)place, lane + 1ull);
    if (OP == EXCH) *keep += atomicExch((int *)place, lane);
    if (OP == AND_OR) atomicOr((int *)place, 1 << lane);
    if (OP == HALF2_ADD) *keep += atomicAdd((int *)place, lane);
}
template <int OP> __global__ void shared_atomics(int same, int width, int rounds, int *out) {
    extern __shared__ char words[];
    for (int i = threadIdx.x; i < 32 * 8 * (int)(blockDim.x / 32) / 4; i += blockDim.x) ((int *)words)[i] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, keep = 0;
    char *place = words + threadIdx.x / 32 * 256 + lane / same * width;
    for (int r = 0; r < rounds; r++) act<OP>(place, lane, &keep);
    __syncthreads();
    if (keep == -12345 || ((int *)words)[threadIdx.x % 64] == -12345) *out = keep;
}
template <int OP> __global__ void global_atomics(char *data, int same, int width, int rounds, int *out, int apart) {
    int lane = threadIdx.x % 32, keep = 0;
    size_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char *place = data + warp % 65536 * apart + lane / same * width;
    for (int r = 0; r < rounds; r++) act<OP>(place, lane, &keep);
    if (keep == -12345) *out = keep;
}
template <int OP> static void atomics_of(char *d, int *o, bool counted) {
    int width = OP == DOUBLE_ADD || OP == LONG_ADD ? 8 : 4;
    char label[100];
    for (int same : {1, 2, 4, 8, 16, 32}) {
        if (counted) {
            printf("L,shared %s %d\n", op_names[OP], same);
            shared_atomics<OP><<<1, 32, 256>>>(same, width, 1, o);
            printf("L,global %s %d\n", op_names[OP], same);
            global_atomics<OP><<<1, 32>>>(d, same, width, 1, o, 256);
            continue;
        }
        snprintf(label, sizeof label, "shared_%s_%d", op_names[OP], same);
        timed(
            label, 132.0 * 4 * 8 * 256, "warp_ops",
            [&] { shared_atomics<OP><<<132 * 4, 256, 2048>>>(same, width, 256, o); }, 3);
        snprintf(label, sizeof label, "global_%s_%d", op_names[OP], same);
        timed(
            label, 132.0 * 4 * 8 * 32, "warp_ops",
            [&] { global_atomics<OP><<<132 * 4, 256>>>(d, same, width, 32, o, 256); }, 3);
    }
    if (counted) return;
    snprintf(label, sizeof label, "global_one_word_%s", op_names[OP]);
    timed(
        label, 132.0 * 4 * 8 * 4, "warp_ops", [&] { global_atomics<OP><<<132 * 4, 256>>>(d, 32, width, 4, o, 0); }, 3);
}
__global__ void shared_random(const int *places, int rounds, int bins, int *out,
                              int op) {   // a histogram: bins words, places by a table
    extern __shared__ char words[];
    int *w = (int *)words;
    for (int i = threadIdx.x; i < bins; i += blockDim.x) w[i] = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        int b = places[r * 32 + threadIdx.x % 32] % bins;
        if (op == 0) atomicAdd(w + b, 1);
        else atomicAdd((float *)w + b, 1.0f);
    }
    __syncthreads();
    if (w[threadIdx.x % bins] == -12345) *out = 1;
}
// Lanes `stride` words apart, in all blocks the same: how atomics wait for each other on words, sectors and slices.
template <class T> __global__ void atomics_side_by_side(T *words, int stride, int rounds) {
    for (int r = 0; r < rounds; r++) atomicAdd(words + threadIdx.x * stride, (T)(threadIdx.x + 1));
}
template <class T> static void side_by_side(const char *type, T *words) {
    static const int threads_and_strides[][2] = {
        {1, 1},    {2, 1}, {8, 1}, {16, 1}, {32, 1},  {64, 1},  {128, 1}, {256, 1},
        {1024, 1}, {2, 8}, {8, 8}, {32, 8}, {32, 32}, {32, 64}, {256, 8}, {256, 32}};
    for (const int(&c)[2] : threads_and_strides) {
        char label[100];
        snprintf(label, sizeof label, "global_%s_add_%d_threads_stride_%d", type, c[0], c[1]);
        timed(
            label, 264.0 * 64, "block_ops", [&] { atomics_side_by_side<T><<<264, c[0]>>>(words, c[1], 64); }, 3);
    }
}
// Cycles of one warp in each block: a store, a fence behind it, an atomic with its result, all three.
enum { WAIT_STORE = 1, WAIT_FENCE = 2, WAIT_ATOMIC = 4 };
__global__ void waits(unsigned *word, int *words, long long *cycles, int what) {
    int x = 0;
    for (int r = 0; r < 8; r++) {
        __syncthreads();
        long long begin = clock64();
        if (what & WAIT_STORE) words[blockIdx.x * 32 + threadIdx.x] = r;
        if (what & WAIT_FENCE) __threadfence();
        if (what & WAIT_ATOMIC) x += atomicAdd(word, 3u + x);
        long long end = clock64() + (x == 12345);
        if (!threadIdx.x && !blockIdx.x) cycles[r] = end - begin;
    }
    if (x == 12345) *words = x;
}
static void waits_of_blocks(unsigned *word, int *words) {
    static const char *const names[] = {"nothing", "store", "fence", "store_fence",
                                        "atomic",  nullptr, nullptr, "store_fence_atomic"};
    long long *cycles, host[8];
    M(cudaMalloc(&cycles, sizeof host));
    for (int blocks : {1, 64, 264})
        for (int what : {0, 1, 2, 3, 4, 7}) {
            waits<<<blocks, 32>>>(word, words, cycles, what);
            M(cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDefault));
            std::sort(host, host + 8);
            printf("time,wait_%s,cycles,%lld,blocks,%d\n", names[what], host[4], blocks);
        }
}
static void atomics(bool counted) {
    char *d;
    int *o;
    M(cudaMalloc(&d, 65536 * 256 + 4096));
    M(cudaMemset(d, 0, 65536 * 256));
    M(cudaMalloc(&o, 4));
    atomics_of<INT_ADD>(d, o, counted);
    atomics_of<FLOAT_ADD>(d, o, counted);
    atomics_of<DOUBLE_ADD>(d, o, counted);
    atomics_of<CAS>(d, o, counted);
    atomics_of<MIN_INT>(d, o, counted);
    atomics_of<LONG_ADD>(d, o, counted);
    atomics_of<EXCH>(d, o, counted);
    atomics_of<AND_OR>(d, o, counted);
    atomics_of<HALF2_ADD>(d, o, counted);
    if (!counted) {
        side_by_side("int", (int *)d);
        side_by_side("float", (float *)d);
        waits_of_blocks((unsigned *)o, (int *)d);
    }
    int *places;
    std::vector<int> host(64 * 32);
    uint32_t x = 12345;
    for (int &p : host) {
        x = x * 1664525u + 1013904223u;
        p = x >> 8;
    }
    M(cudaMalloc(&places, host.size() * 4));
    M(cudaMemcpy(places, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
    for (int op = 0; op < 2; op++)
        for (int bins : {4, 16, 32, 64, 256, 1024}) {
            char label[100];
            snprintf(label, sizeof label, "shared_random_%s_%d_bins", op ? "float" : "int", bins);
            if (counted) {
                printf("L,%s\n", label);
                shared_random<<<1, 32, 4096>>>(places, 64, bins, o, op);
            } else
                timed(
                    label, 132.0 * 4 * 8 * 64, "warp_ops",
                    [&] { shared_random<<<132 * 4, 256, 4096>>>(places, 64, bins, o, op); }, 3);
        }
    M(cudaDeviceSynchronize());
}
