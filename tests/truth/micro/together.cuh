// What a GPU's blocks do together: atomics by operation on one word and on words from anywhere, barriers of the whole
// grid, arrays of local memory, tensor cores.
#include <cooperative_groups.h>
enum {
    AT_INC, AT_DEC, AT_AND, AT_XOR, AT_MAX, AT_SAME, AT_CAS64, AT_ADD64, AT_XOR64, AT_ADD32, AT_CAS32, AT_FLOAT, ATS
};
static const char *const at_names[ATS] = {"inc", "dec", "and", "xor", "max", "same_add", "cas64", "add64", "xor64",
                                          "add32", "cas32", "float_add"};
template <int OP> __device__ void at(char *place, unsigned long long by, int *keep) {
    if (OP == AT_INC) atomicInc((unsigned *)place, 1000);
    if (OP == AT_DEC) atomicDec((unsigned *)place, 1000);
    if (OP == AT_AND) atomicAnd((unsigned *)place, (unsigned)by);
    if (OP == AT_XOR) atomicXor((unsigned *)place, (unsigned)by);
    if (OP == AT_MAX) atomicMax((unsigned *)place, (unsigned)by);
    if (OP == AT_ADD32 || OP == AT_SAME) atomicAdd((unsigned *)place, (unsigned)by);
    if (OP == AT_FLOAT) atomicAdd((float *)place, (float)by);
    if (OP == AT_ADD64) atomicAdd((unsigned long long *)place, by);
    if (OP == AT_XOR64) atomicXor((unsigned long long *)place, by);
    if (OP == AT_CAS32) *keep += atomicCAS((unsigned *)place, (unsigned)by, (unsigned)by + 1);
    if (OP == AT_CAS64) *keep += (int)atomicCAS((unsigned long long *)place, by, by + 1);
}
template <int OP> __global__ void at_one_word(char *data, int rounds, int *out, int apart) {
    int keep = 0;
    for (int r = 0; r < rounds; r++) at<OP>(OP == AT_SAME ? data : data + threadIdx.x * apart, threadIdx.x, &keep);
    if (keep == -12345) *out = keep;
}
template <int OP> __global__ void at_random(char *data, int rounds, int *out, unsigned long long words) {
    unsigned long long x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761ull + 88172645463325252ull;
    int keep = 0;
    for (int r = 0; r < rounds; r++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        at<OP>(data + (x & (words - 1)) * 8, x, &keep);
    }
    if (keep == -12345) *out = keep;
}
template <int OP> static void at_of(char *data, int *out) {
    char label[100];
    if (OP <= AT_CAS64) {
        snprintf(label, sizeof label, "global_one_word_%s", at_names[OP]);
        timed(label, 132.0 * 4 * 8 * 4, "warp_ops", [&] { at_one_word<OP><<<132 * 4, 256>>>(data, 4, out, 0); }, 3);
    }
    if (OP >= AT_CAS64)
        for (int mb : {1, 8, 64, 512}) {
            snprintf(label, sizeof label, "global_random_%s_%d_MB", at_names[OP], mb);
            timed(label, 132.0 * 64 * 32 * 16, "lane_ops",
                  [&] { at_random<OP><<<132 * 64, 32>>>(data, 16, out, mb * 131072ull); }, 3);
        }
}
__global__ void grid_barriers(int n) {
    for (int i = 0; i < n; i++) cooperative_groups::this_grid().sync();
}
__global__ void chain_of_block(const int *next, int *out, int n, int first) {   // one thread adds what others stored
    int x = 0;
    if (!blockIdx.x && !threadIdx.x)
        for (int i = 0; i < n; i++) *(volatile int *)out += next[(i + first) % 256];
    if (x == -1) *out = x;
}
static void grid_barriers_of(int blocks, int threads) {
    char label[100];
    for (int n : {0, 1, 2, 8, 32}) {
        void *arguments[] = {&n};
        snprintf(label, sizeof label, "grid_barriers_%d_blocks_%d_x_%d", n, blocks, threads);
        timed(label, n, "barriers", [&] {
            M(cudaLaunchCooperativeKernel((void *)grid_barriers, dim3(blocks), dim3(threads), arguments, 0, 0));
        });
    }
}
template <int WORDS> __global__ void __launch_bounds__(1024) local_words(float *o, int rounds, int n) {
    float v[WORDS];
    for (int i = 0; i < WORDS; i++) v[i] = i + n;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 32; i++) v[(i * n + r) % WORDS] += v[(i + r * n) % WORDS];
    float s = 0;
    for (int i = 0; i < WORDS; i++) s += v[i];
    if (s == -1) *o = s;
}
template <int WORDS> static void local_of(float *o) {
    char label[100];
    for (int warps : {4, 16, 64}) {
        snprintf(label, sizeof label, "local_%d_words_%d_warps", WORDS, warps);
        const int blocks = warps == 64 ? 264 : 132, threads = 32 * (warps == 64 ? 32 : warps);
        timed(label, 132.0 * warps * 64 * 32, "rounds", [&] { local_words<WORDS><<<blocks, threads>>>(o, 64, 3); }, 3);
    }
}
template <class IN, class OUT, int M_, int N_, int K_> __global__ void tensor_of(float *o, int rounds) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, M_, N_, K_, IN, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, M_, N_, K_, IN, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, M_, N_, K_, OUT> c[4];
    for (int i = 0; i < a.num_elements; i++) a.x[i] = decltype(a.x[0] + a.x[0])(1);
    for (int i = 0; i < b.num_elements; i++) b.x[i] = decltype(b.x[0] + b.x[0])(1);
    for (auto &x : c)
        for (int i = 0; i < x.num_elements; i++) x.x[i] = OUT(0);
    for (int r = 0; r < rounds * 8; r++)
        for (auto &x : c) wmma::mma_sync(x, a, b, x);
    if ((float)c[0].x[0] + (float)c[1].x[0] + (float)c[2].x[0] + (float)c[3].x[0] == -1) *o = 1;
}
template <class IN, class OUT, int M_, int N_, int K_> static void tensors_of(const char *name, float *o) {
    char label[100];
    snprintf(label, sizeof label, "full_wmma_%s", name);
    timed(label, 132.0 * 64 * 64 * 32, "warp_ops", [&] { tensor_of<IN, OUT, M_, N_, K_><<<264, 1024>>>(o, 64); }, 3);
    snprintf(label, sizeof label, "four_warps_wmma_%s", name);
    timed(label, 132.0 * 4 * 64 * 32, "warp_ops", [&] { tensor_of<IN, OUT, M_, N_, K_><<<132, 128>>>(o, 64); }, 3);
}
static void together() {
    char *data;
    int *out;
    M(cudaMalloc(&data, 512 << 20));
    M(cudaMemset(data, 0, 512 << 20));
    M(cudaMalloc(&out, 4096));
    at_of<AT_INC>(data, out), at_of<AT_DEC>(data, out), at_of<AT_AND>(data, out), at_of<AT_XOR>(data, out);
    at_of<AT_MAX>(data, out), at_of<AT_SAME>(data, out), at_of<AT_CAS64>(data, out), at_of<AT_ADD64>(data, out);
    at_of<AT_XOR64>(data, out), at_of<AT_ADD32>(data, out), at_of<AT_CAS32>(data, out), at_of<AT_FLOAT>(data, out);
    grid_barriers_of(1, 32), grid_barriers_of(132, 32), grid_barriers_of(132, 1024), grid_barriers_of(264, 1024);
    grid_barriers_of(1056, 256);
    for (int n : {0, 64, 256, 1024})
        timed("one_thread_adds", n, "words", [&] { chain_of_block<<<264, 1024>>>((int *)data, out, n, 0); });
    local_of<16>((float *)out), local_of<64>((float *)out), local_of<256>((float *)out), local_of<1024>((float *)out);
    tensors_of<__half, float, 16, 16, 16>("f16_f32", (float *)out);
    tensors_of<__half, __half, 16, 16, 16>("f16_f16", (float *)out);
    tensors_of<__nv_bfloat16, float, 16, 16, 16>("bf16_f32", (float *)out);
    tensors_of<signed char, int, 16, 16, 16>("s8_s32", (float *)out);
    tensors_of<nvcuda::wmma::precision::tf32, float, 16, 16, 8>("tf32_f32", (float *)out);
    tensors_of<double, double, 8, 8, 4>("f64_f64", (float *)out);
    M(cudaDeviceSynchronize());
}
