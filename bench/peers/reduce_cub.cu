// CUB's reductions of a whole array, one type and operation a library: reduce_cub.py compiles it. OP: SUM, MIN, MAX or
// ARGMIN; ELEMENT and RESULT: types; SUMS: what a sum is taken in.
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define SUM 0
#define MIN 1
#define MAX 2
#define ARGMIN 3

struct plus {
    __device__ SUMS operator()(SUMS a, SUMS b) const { return a + b; }
};

extern "C" int version(void) { return CUB_VERSION; }

// temp NULL: *temp_bytes becomes what it takes. Returns CUDA's status, as all here.
extern "C" int reduce(void *temp, size_t *temp_bytes, const ELEMENT *in, void *out, long long n) {
#if OP == SUM
    return cub::DeviceReduce::Reduce(temp, *temp_bytes, in, (RESULT *)out, n, plus(), (SUMS)0);
#elif OP == MIN
    return cub::DeviceReduce::Min(temp, *temp_bytes, in, (RESULT *)out, n);
#elif OP == MAX
    return cub::DeviceReduce::Max(temp, *temp_bytes, in, (RESULT *)out, n);
#else
    return cub::DeviceReduce::ArgMin(temp, *temp_bytes, in, (cub::KeyValuePair<int, ELEMENT> *)out, (int)n);
#endif
}

// As many times as `runs` says, as a program in C++ calls it.
extern "C" int reduce_again(int runs, void *temp, size_t *temp_bytes, const ELEMENT *in, void *out, long long n) {
    int status = 0;
    for (int i = 0; i < runs && !status; i++) status = reduce(temp, temp_bytes, in, out, n);
    return status;
}
