// Arithmetic that check looks at on request, --nan and --integers. A case is a kernel template: with Right it has no
// hazard, without it has the one of its row in tests/cli/check, in the line that ends with its name.
#include <cstdio>
#include <cstring>

enum { ELEMS = 64 };

// ---- floats ---------------------------------------------------------------------------------------------------------

template <bool Right> __global__ void over_zero(float *out, const float *in) {
    const float below = in[threadIdx.x];
    if (Right && below == 0) return;
    out[threadIdx.x] = 1.0f / below;                        // over_zero
}
template <bool Right> __global__ void zero_over_zero(float *out, const float *in) {
    const float x = in[threadIdx.x];
    if (Right && x == 0) return;
    out[threadIdx.x] = x / x;                               // zero_over_zero
}
template <bool Right> __global__ void root(float *out, const float *in) {
    out[threadIdx.x] = sqrtf(Right ? in[threadIdx.x] : in[threadIdx.x] - 1);    // root
}
template <bool Right> __global__ void overflow(double *out, const double *in) {
    double x = in[threadIdx.x];
    for (int i = 0; i < (Right ? 5 : 12); i++) x *= x;      // overflow
    out[threadIdx.x] = x;
}
// The sum is the register that it is added to.
template <bool Right> __global__ void sum(float *out, const float *in) {
    float s = 0;
    for (int i = 0; i < ELEMS; i++) s += in[i] * (Right ? 1 : 3e38f);    // sum
    out[threadIdx.x] = s;
}
// Halves, which have room for 65504; pairs of them, of which one goes wrong; and bfloat16.
__device__ unsigned short half_of(float x) {
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));    // half_conversion
    return h;
}
template <bool Right> __global__ void half_conversion(float *out, const float *in) {
    out[threadIdx.x] = half_of(in[threadIdx.x] * (Right ? 1 : 2000));
}
template <bool Right> __global__ void half_product(float *out, const float *in) {
    unsigned short x = half_of(in[threadIdx.x]), y = half_of(Right ? 2 : 60000);
    asm("mul.f16 %0, %0, %1;" : "+h"(x) : "h"(y));       // half_product
    out[threadIdx.x] = x;
}
template <bool Right> __global__ void half_pair(float *out, const float *in) {
    unsigned x = half_of(in[threadIdx.x]) * 0x10001u, y = half_of(2) | (unsigned)half_of(Right ? 2 : 60000) << 16;
    asm("fma.rn.f16x2 %0, %0, %1, %0;" : "+r"(x) : "r"(y));    // half_pair
    out[threadIdx.x] = (float)x;
}
template <bool Right> __global__ void bfloat(float *out, const float *in) {
    unsigned short x, largest = 0x7f7f, minus_one = 0xbf80;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(x) : "f"(in[threadIdx.x]));
    asm("fma.rn.bf16 %0, %0, %1, %2;" : "+h"(x) : "h"(Right ? minus_one : largest), "h"(minus_one));    // bfloat
    out[threadIdx.x] = x;
}
template <bool Right> __global__ void narrower(double *out, const double *in) {
    const double x = in[threadIdx.x] * (Right ? 1e30 : 1e38);
    out[threadIdx.x] = (float)x;    // narrower
}
// What comes in is not born here.
__global__ void passes(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x] * 2 + 1; }

// ---- integers -------------------------------------------------------------------------------------------------------

template <bool Right> __global__ void quotient(int *out, const int *in) {
    out[threadIdx.x] = 100 / (Right ? in[threadIdx.x] + 1 : in[threadIdx.x]);    // quotient
}
template <bool Right> __global__ void rest(unsigned *out, const unsigned *in) {
    out[threadIdx.x] = 100u % (Right ? in[threadIdx.x] + 1 : in[threadIdx.x]);   // rest
}
template <bool Right> __global__ void quotient_64(long long *out, const long long *in) {
    if (!Right || in[threadIdx.x]) out[threadIdx.x] = 100 / in[threadIdx.x];     // quotient_64
}
template <bool Right> __global__ void shift_left(unsigned *out, const unsigned *in) {
    out[threadIdx.x] = 1u << (Right ? in[threadIdx.x] & 31 : in[threadIdx.x]);   // shift_left
}
template <bool Right> __global__ void shift_right(int *out, const int *in) {
    out[threadIdx.x] = -5 >> (Right ? in[threadIdx.x] & 31 : in[threadIdx.x]);   // shift_right
}
// Four times the factor is 4 and 2 to the 32, so that what is accessed is there.
template <bool Right> __global__ void index_product(int *out, const int *in) {
    if (threadIdx.x % 4 == 0) out[in[threadIdx.x] * (Right ? 1 : 0x40000001)] = 1;    // index_product
}
template <bool Right> __global__ void index_sum(int *out, const int *in) {
    const int far = in[2] * (Right ? 0 : 0x3fffffff);
    out[in[threadIdx.x] + far + far + (Right ? 0 : 4)] = 1;    // index_sum
}
// What wraps and is no index, or is unsigned, is as C says.
__global__ void wraps(int *out, const int *in) {
    const unsigned hash = in[threadIdx.x] * 2654435761u + 12345u;
    out[hash % ELEMS] = in[hash >> 26] * 0x7fffffff;
}

template <typename T> static T *numbers(void *memory) {
    T values[2 * ELEMS];
    for (int i = 0; i < 2 * ELEMS; i++) values[i] = (T)i;
    cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice);
    return (T *)memory;
}

#define RUN(name, T)                                                                                                   \
    do {                                                                                                               \
        T *in = numbers<T>(memory);                                                                                    \
        if (is_right) name<true><<<1, ELEMS>>>(in + ELEMS, in);                                                        \
        else name<false><<<1, ELEMS>>>(in + ELEMS, in);                                                                \
    } while (0)

int main(int argc, char **argv) {
    const bool is_right = argc > 1 && strcmp(argv[1], "clean") == 0;
    void *memory;
    cudaMalloc(&memory, 2 * ELEMS * sizeof(double));
    RUN(over_zero, float);
    RUN(zero_over_zero, float);
    RUN(root, float);
    RUN(overflow, double);
    RUN(sum, float);
    RUN(half_conversion, float);
    RUN(half_product, float);
    RUN(half_pair, float);
    RUN(bfloat, float);
    RUN(narrower, double);
    RUN(quotient, int);
    RUN(rest, unsigned);
    RUN(quotient_64, long long);
    RUN(shift_left, unsigned);
    RUN(shift_right, int);
    RUN(index_product, int);
    RUN(index_sum, int);
    wraps<<<1, ELEMS>>>((int *)memory + ELEMS, numbers<int>(memory));
    cudaMemset(memory, 0xff, ELEMS * sizeof(float));
    passes<<<1, ELEMS>>>((float *)memory + ELEMS, (float *)memory);
    puts(cudaDeviceSynchronize() ? "failed" : "done");
    cudaFree(memory);
}
