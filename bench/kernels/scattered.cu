// Kernels whose lanes access memory apart from each other, or part at branches, each checked: scattered NAME [SIZE
// [LAUNCHES]]. bench/compare.py compares two builds of Halfwarp by them, as by kinds.cu.
#include "common.h"
#include <algorithm>
#include <cmath>
#include <cstring>

// What a kernel gets; each uses what it needs. n: what SIZE says, mostly threads.
struct problem {
    int n;
    const unsigned *random, *rows, *columns;   // rows: n + 1 offsets into columns, as of a sparse matrix or a graph
    const float *in;
    float *out;
    unsigned *words;
    int table;                                 // elements of in, a power of two
};

// ---- kernels --------------------------------------------------------------------------------------------------------

__device__ int thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void histogram_shared(problem p) {
    __shared__ unsigned bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = thread_index(); i < p.n * PER_THREAD; i += p.n) atomicAdd(&bins[p.random[i] % BINS], 1u);
    __syncthreads();
    atomicAdd(&p.words[threadIdx.x], bins[threadIdx.x]);
}

__global__ void histogram_global(problem p) {
    for (int i = thread_index(); i < p.n * PER_THREAD; i += p.n) atomicAdd(&p.words[p.random[i] % BINS], 1u);
}

__global__ void gather_words(problem p) {
    int i = thread_index();
    if (i < p.n) p.out[i] = p.in[p.random[i] & (p.table - 1)];
}

__global__ void gather_bytes(problem p) {
    int i = thread_index();
    if (i < p.n) p.words[i] = ((const unsigned char *)p.in)[p.random[i] & (p.table - 1)];
}

__global__ void gather_vectors(problem p) {
    int i = thread_index();
    float4 v = ((const float4 *)p.in)[p.random[i] & (p.table / 4 - 1)];
    if (i < p.n) p.out[i] = v.x + v.y + v.z + v.w;
}

// Each place is written once: an odd factor permutes the numbers below a power of two.
__global__ void scatter(problem p) {
    int i = thread_index();
    if (i < p.n) p.out[(unsigned)i * 2654435761u & (p.n - 1)] = p.in[i];
}

__global__ void sparse_rows(problem p) {
    int row = thread_index();
    if (row >= p.n) return;
    float sum = 0;
    for (unsigned k = p.rows[row]; k < p.rows[row + 1]; k++) sum += p.in[k & (p.table - 1)] * p.in[p.columns[k]];
    p.out[row] = sum;
}

// One step of a breadth-first search: every fourth node is at the front.
__global__ void breadth_first(problem p) {
    int node = thread_index();
    if (node >= p.n || p.random[node] % 4) return;
    for (unsigned k = p.rows[node]; k < p.rows[node + 1]; k++) {
        unsigned next = p.columns[k];
        if (p.random[next] % 4) p.words[next] = 1;   // halfwarp-check: allow race: all write the same
    }
}

__global__ void local_array(problem p) {
    float values[LOCAL];
    unsigned state = thread_index();
    for (int k = 0; k < LOCAL; k++) values[k] = (float)k;
    for (int k = 0; k < STEPS; k++) {
        state = state * 1664525u + 1013904223u;
        values[state >> 27] += (float)k;
    }
    float sum = 0;
    for (int k = 0; k < LOCAL; k++) sum += values[k] * (float)k;
    if (thread_index() < p.n) p.out[thread_index()] = sum;
}

__global__ void bitonic(problem p) {
    __shared__ unsigned words[SORTED];
    for (int i = threadIdx.x; i < SORTED; i += BLOCK) words[i] = p.random[blockIdx.x * SORTED + i];
    for (int size = 2; size <= SORTED; size *= 2) {
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            int low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
            unsigned a = words[low], b = words[high];
            if ((a > b) == !(low & size)) {
                words[low] = b;
                words[high] = a;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SORTED; i += BLOCK) p.words[blockIdx.x * SORTED + i] = words[i];
}

// A thread goes through a column of PLANES planes, n to a side.
__global__ void stencil_columns(problem p) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = p.n * p.n;
    if (x < 1 || y < 1 || x >= p.n - 1 || y >= p.n - 1) return;
    const float *at = p.in + y * p.n + x;
    float below = at[0], here = at[plane];
    for (int z = 1; z < PLANES - 1; z++) {
        float above = at[(z + 1) * plane];
        const float *c = at + z * plane;
        p.out[z * plane + y * p.n + x] = 0.5f * here + 0.1f * (c[-1] + c[1] + c[-p.n] + c[p.n] + below + above);
        below = here;
        here = above;
    }
}

// Three lanes of each warp count the steps of Collatz's sequence, and part in the inner loop.
__global__ void few_lanes(problem p) {
    int i = thread_index();
    if (i >= p.n || i % 11 || threadIdx.x % 32 == 31) return;
    unsigned long long value = i + 1;
    unsigned steps = 0;
    while (value != 1) {
        if (value & 1) {
            value = 3 * value + 1;
            steps++;
        }
        for (; value % 2 == 0; steps++) value /= 2;
    }
    p.words[i] = steps;
}

// ---- what comes out -------------------------------------------------------------------------------------------------

// The arrays of a problem on the host. Rows have 0 to 31 columns.
struct arrays {
    std::vector<unsigned> random, rows, columns;
    std::vector<float> in;
};

static std::vector<unsigned> random_words(size_t count) {
    std::vector<unsigned> words(count);
    fill_random(words.data(), count);
    return words;
}

static unsigned collatz(unsigned long long value) {
    unsigned steps = 0;
    for (; value != 1; steps++) value = value & 1 ? 3 * value + 1 : value / 2;
    return steps;
}

static float stencil_at(const std::vector<float> &in, int n, size_t at) {
    size_t plane = (size_t)n * n;
    return 0.5f * in[at] + 0.1f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - plane] + in[at + plane]);
}

static float local_sum(unsigned state) {
    float values[LOCAL], sum = 0;
    for (int k = 0; k < LOCAL; k++) values[k] = (float)k;
    for (int k = 0; k < STEPS; k++) {
        state = state * 1664525u + 1013904223u;
        values[state >> 27] += (float)k;
    }
    for (int k = 0; k < LOCAL; k++) sum += values[k] * (float)k;
    return sum;
}

// All floats of the result that the plainest loops give.
static float expect_float(const char *name, const arrays &a, const problem &p, int at) {
    unsigned mask = (unsigned)p.table - 1;
    float sum = 0;
    if (!strcmp(name, "gather_words")) return a.in[a.random[at] & mask];
    if (!strcmp(name, "gather_vectors")) for (int e = 0; e < 4; e++) sum += a.in[4 * (a.random[at] & mask / 4) + e];
    if (!strcmp(name, "sparse_rows"))
        for (unsigned k = a.rows[at]; k < a.rows[at + 1]; k++) sum += a.in[k & mask] * a.in[a.columns[k]];
    if (!strcmp(name, "local_array")) return local_sum((unsigned)at);
    return sum;
}

static int wrong(const char *name, int at) { return fprintf(stderr, "%s: element %d is wrong\n", name, at), 1; }

static int verify_floats(const char *name, const arrays &a, const problem &p, const std::vector<float> &out) {
    if (!strcmp(name, "scatter")) {
        for (int i = 0; i < p.n; i++)
            if (out[(unsigned)i * 2654435761u & (unsigned)(p.n - 1)] != a.in[i]) return wrong(name, i);
        return 0;
    }
    if (!strcmp(name, "stencil_columns")) {
        for (int z = 1; z < PLANES - 1; z++)
            for (int at = p.n + 1; at < p.n * (p.n - 1) - 1; at++) {
                size_t place = (size_t)z * p.n * p.n + at;
                bool is_inside = at % p.n && at % p.n != p.n - 1;
                if (is_inside && !(fabsf(out[place] - stencil_at(a.in, p.n, place)) < 1e-4f)) return wrong(name, at);
            }
        return 0;
    }
    for (int at = 0; at < p.n; at++) {
        float want = expect_float(name, a, p, at);
        if (!(fabsf(out[at] - want) <= 1e-4f * (1 + fabsf(want)))) return wrong(name, at);
    }
    return 0;
}

static void expect_words(const char *name, const arrays &a, const problem &p, int launches,
                         std::vector<unsigned> &want) {
    if (!strncmp(name, "histogram", 9))
        for (int i = 0; i < p.n * PER_THREAD; i++) want[a.random[i] % BINS] += launches;
    if (!strcmp(name, "gather_bytes"))
        for (int i = 0; i < p.n; i++) want[i] = ((const unsigned char *)a.in.data())[a.random[i] & (p.table - 1)];
    if (!strcmp(name, "breadth_first"))
        for (int node = 0; node < p.n; node++)
            for (unsigned k = a.rows[node]; a.random[node] % 4 == 0 && k < a.rows[node + 1]; k++)
                if (a.random[a.columns[k]] % 4) want[a.columns[k]] = 1;
    if (!strcmp(name, "bitonic"))
        for (int block = 0; block < p.n / SORTED; block++) {
            std::copy_n(a.random.begin() + block * SORTED, SORTED, want.begin() + block * SORTED);
            std::sort(want.begin() + block * SORTED, want.begin() + (block + 1) * SORTED);
        }
    if (!strcmp(name, "few_lanes"))
        for (int i = 0; i < p.n; i += 11)
            if (i % 32 != 31) want[i] = collatz(i + 1);
}

// ---- the list -------------------------------------------------------------------------------------------------------

enum { OUT_FLOATS, OUT_WORDS };

// table: elements of in that kernels read at random; 0: as many as there are results.
static const struct {
    const char *name;
    void (*kernel)(problem);
    int size, table, out;
} kinds[] = {
    {"histogram_shared", histogram_shared, 1 << 16, 0, OUT_WORDS},
    {"histogram_global", histogram_global, 1 << 16, 0, OUT_WORDS},
    {"gather_words", gather_words, 1 << 22, 1 << 24, OUT_FLOATS},
    {"gather_bytes", gather_bytes, 1 << 20, 1 << 20, OUT_WORDS},
    {"gather_vectors", gather_vectors, 1 << 20, 1 << 22, OUT_FLOATS},
    {"scatter", scatter, 1 << 20, 0, OUT_FLOATS},
    {"sparse_rows", sparse_rows, 1 << 16, 1 << 16, OUT_FLOATS},
    {"breadth_first", breadth_first, 1 << 18, 0, OUT_WORDS},
    {"local_array", local_array, 1 << 15, 0, OUT_FLOATS},
    {"bitonic", bitonic, 1 << 18, 0, OUT_WORDS},
    {"stencil_columns", stencil_columns, 256, 0, OUT_FLOATS},
    {"few_lanes", few_lanes, 1 << 18, 0, OUT_WORDS},
};

template <typename T> static T *copied(const std::vector<T> &values) {
    T *device;
    check(cudaMalloc(&device, values.size() * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return device;
}

template <typename T> static std::vector<T> copied_back(const T *device, size_t count) {
    std::vector<T> values(count);
    check(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
}

static int run_kind(const char *name, void (*kernel)(problem), problem p, bool is_float, int launches) {
    bool is_square = !strcmp(name, "stencil_columns"), is_sorting = !strcmp(name, "bitonic");
    bool has_rows = !strcmp(name, "sparse_rows") || !strcmp(name, "breadth_first");
    size_t random_count = strncmp(name, "histogram", 9) ? p.n : (size_t)p.n * PER_THREAD;
    size_t count = is_square ? (size_t)p.n * p.n * PLANES : p.n;
    if (!p.table) p.table = (int)count;
    arrays a = {.random = random_words(std::max<size_t>(random_count, BINS)), .rows = {}, .columns = {},
                .in = numbers(std::max<size_t>(p.table, count))};
    a.rows.resize(has_rows ? p.n + 1 : 1);
    a.columns.resize(has_rows ? 31 * (size_t)p.n : 1);
    if (has_rows) fill_rows(a.rows.data(), a.columns.data(), a.random.data(), p.n);
    std::vector<unsigned> words(std::max<size_t>(count, BINS));
    p.random = copied(a.random), p.rows = copied(a.rows), p.columns = copied(a.columns), p.in = copied(a.in);
    p.out = copied(std::vector<float>(count)), p.words = copied(words);
    dim3 block = is_square ? dim3(32, 8) : dim3(BLOCK);
    dim3 grid = is_square ? dim3((p.n + 31) / 32, (p.n + 7) / 8) : dim3((p.n + BLOCK - 1) / BLOCK);
    if (is_sorting) grid.x = p.n / SORTED;
    time_launches(launches, [&] { kernel<<<grid, block>>>(p); });
    if (is_float) {
        std::vector<float> out = copied_back(p.out, count);
        print_floats(out.data(), count);
        return verify_floats(name, a, p, out);
    }
    expect_words(name, a, p, launches, words);
    std::vector<unsigned> got = copied_back(p.words, words.size());
    print_words(got.data(), got.size());
    for (size_t i = 0; i < words.size(); i++)
        if (got[i] != words[i]) return wrong(name, (int)i);
    return 0;
}

int main(int argc, char **argv) {
    for (const auto &kind : kinds) {
        if (argc < 2 || strcmp(argv[1], kind.name)) continue;
        problem p = {};
        p.n = argument(argc, argv, 2, kind.size);
        p.table = kind.table;
        return run_kind(kind.name, kind.kernel, p, kind.out == OUT_FLOATS, argument(argc, argv, 3, 7));
    }
    fprintf(stderr, "usage: %s NAME [SIZE [LAUNCHES]]; the names are\n", argv[0]);
    for (const auto &kind : kinds) fprintf(stderr, "  %s\n", kind.name);
    return 2;
}
