// What a warp waits for beside results: a loop's turn by what is done in it and by how many warps there are, branches
// that are not taken, loads that find the first-level cache, and sums that are kept in memory, stored in each turn.
static void tell_turn(const char *name, const char *what, int n, const long long *cycles, double turns) {
    long long host;
    M(cudaMemcpy(&host, cycles, sizeof host, cudaMemcpyDefault));
    printf("time,%s,cycles,%.2f,%s,%d\n", name, host / turns, what, n);
}
// N products, each with the one before.
template <int N> __global__ void loop_of(int *out, long long *cycles, int first, int turns) {
    int x = first;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int k = 0; k < N; k++) x = x * first + 7;
    }
    if (x == -12345) *out = x;
    const long long end = clock64();
    if (!threadIdx.x && !blockIdx.x) *cycles = end - begin;
    *out = x;
}
template <int N> __global__ void loop_independent(int *out, long long *cycles, int first, int turns) {
    int x[N];
    for (int k = 0; k < N; k++) x[k] = first + k;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = x[k] * first + 7;
    }
    int s = 0;
    for (int k = 0; k < N; k++) s += x[k];
    if (s == -12345) *out = s;
    const long long end = clock64();
    if (!threadIdx.x && !blockIdx.x) *cycles = end - begin;
    *out = s;
}
__global__ void ifs_uniform(int *out, long long *cycles, int first, int turns) {
    int x = first;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            x = x * first + 7;
            if (x == -12345 - k) {
                out[k] = x;
                out[k + 8] = x * x;
                __threadfence();
                out[k + 16] = x;
            }
        }
    }
    const long long end = clock64();
    if (!threadIdx.x && !blockIdx.x) *cycles = end - begin;
    *out = x;
}
template <class K> static void turns_of(const char *name, K kernel, int *out, long long *cycles, double each) {
    for (int warps : {1, 4, 8, 16, 32}) {
        for (int r = 0; r < 2; r++) kernel<<<1, warps * 32>>>(out, cycles, 3, 256);
        tell_turn(name, "warps", warps, cycles, 256 * each);
    }
}
// As PolyBench has it: what is stored may be what is loaded next.
__global__ void kept_plain(float *c, float *a, int turns, long long *cycles, int stride) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; i++) c[t] += a[i * stride];
    const long long end = clock64();
    if (!t) *cycles = end - begin;
}
// The same, and the sum is loaded in each turn as well.
__global__ void kept_sum(float *c, float *a, int turns, long long *cycles, int stride) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; i++) {
        volatile float *p = c + t;
        *p = *p + a[i * stride];
    }
    const long long end = clock64();
    if (!t) *cycles = end - begin;
}
__global__ void load_chain(const int *next, int *out, long long *cycles, int turns, int spread) {
    int x = threadIdx.x * spread;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; i++) x = next[x];
    const long long end = clock64();
    if (!threadIdx.x && !blockIdx.x) *cycles = end - begin;
    *out = x;
}
template <class K> static void kept(const char *name, K kernel, float *c, float *a, long long *cycles) {
    char label[100];
    for (int blocks : {1, 132, 1056})
        for (int threads : {32, 256}) {
            snprintf(label, sizeof label, "kept_%s_%dx%d", name, blocks, threads);
            timed(label, 512, "turns", [&] { kernel<<<blocks, threads>>>(c, a, 512, cycles, 1); });
            tell_turn(label, "threads", threads, cycles, 512);
        }
}
static void turns() {
    int *out;
    float *c, *a;
    long long *cycles;
    char label[100];
    M(cudaMalloc(&out, 400));
    M(cudaMalloc(&cycles, sizeof *cycles));
    M(cudaMalloc(&c, 4 << 20));
    M(cudaMalloc(&a, 4 << 20));
    M(cudaMemset(c, 0, 4 << 20));
    M(cudaMemset(a, 0, 4 << 20));
    turns_of("loop_dependent_1", loop_of<1>, out, cycles, 1);
    turns_of("loop_dependent_2", loop_of<2>, out, cycles, 1);
    turns_of("loop_dependent_4", loop_of<4>, out, cycles, 1);
    turns_of("loop_dependent_8", loop_of<8>, out, cycles, 1);
    turns_of("loop_dependent_16", loop_of<16>, out, cycles, 1);
    turns_of("loop_independent_2", loop_independent<2>, out, cycles, 1);
    turns_of("loop_independent_8", loop_independent<8>, out, cycles, 1);
    turns_of("eight_ifs", ifs_uniform, out, cycles, 8);   // for one of them
    kept("sum_plain", kept_plain, c, a, cycles);
    kept("sum_volatile", kept_sum, c, a, cycles);
    for (int blocks : {1, 132})
        for (int threads : {32, 256, 1024})
            for (int apart : {0, 1, 8, 32}) {
                for (int r = 0; r < 2; r++) load_chain<<<blocks, threads>>>((int *)a, out, cycles, 256, apart);
                snprintf(label, sizeof label, "load_chain_%dx%d_apart_%d", blocks, threads, apart);
                tell_turn(label, "threads", threads, cycles, 256);
            }
}
