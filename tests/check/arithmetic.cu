// Arithmetic that check looks at on request, --nan and --integers. A case is a kernel template: with Right it has no
// hazard, without it has the one of its row in tests/cli/check_arithmetic.sh, in the line that ends with its name.
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
    RUN(quotient, int);
    RUN(rest, unsigned);
    RUN(quotient_64, long long);
    RUN(shift_left, unsigned);
    RUN(shift_right, int);
    cudaMemset(memory, 0xff, ELEMS * sizeof(float));
    passes<<<1, ELEMS>>>((float *)memory + ELEMS, (float *)memory);
    puts(cudaDeviceSynchronize() ? "failed" : "done");
    cudaFree(memory);
}
