// Seed 004, 4.4.3.1: reads of shared memory and their bank conflicts on GPUs of 1.x, each listing a kernel of one warp.
// lds_wavefronts are a warp's passes: two, one for each half, where nothing conflicts.
//
//     halfwarp profile --gpu gtx280 --format csv examples/seeds/banks.cu
#include <cstdio>

enum { WARP = 32, BaseIndex = 0 };

// Written by the same lanes in an order without conflicts, so that only the reads count.
template <class T>
__device__ void fill(T *shared, int count) {
    for (int i = threadIdx.x; i < count * (int)(sizeof(T) / sizeof(int)); i += WARP) ((int *)shared)[i] = i;
    __syncthreads();
}

template <int s>
__global__ void words(float *out) {
    __shared__ float shared[WARP * s];
    const int tid = threadIdx.x;
    fill(shared, WARP * s);
    float data = shared[BaseIndex + s * tid];
    out[tid] = data;
}

template <int s>
__global__ void chars(float *out) {
    __shared__ int words[WARP * s / 4];
    const volatile char *shared = (const volatile char *)words;
    const int tid = threadIdx.x;
    fill(words, WARP * s / 4);
    char data = shared[BaseIndex + s * tid];
    out[tid] = data;
}

__global__ void doubles(double *out) {
    __shared__ double shared[WARP];
    const int tid = threadIdx.x;
    fill(shared, WARP);
    double data = shared[BaseIndex + tid];
    out[tid] = data;
}

__global__ void doubles_in_halves(double *out) {
    __shared__ int shared_lo[WARP];
    __shared__ int shared_hi[WARP];
    const int tid = threadIdx.x;
    fill(shared_lo, WARP);
    fill(shared_hi, WARP);
    double dataOut = __hiloint2double(shared_hi[BaseIndex + tid], shared_lo[BaseIndex + tid]);
    out[tid] = dataOut;
}

struct three_floats { float x, y, z; };
struct two_floats { float x, y; };
struct float_and_char { float f; char c; };

template <class type>
__global__ void structs(type *out) {
    __shared__ type shared[WARP];
    const int tid = threadIdx.x;
    fill(shared, WARP);
    type data = shared[BaseIndex + tid];
    out[tid] = data;
}

int main() {
    void *out;
    cudaMalloc(&out, 4096);
    words<1><<<1, WARP>>>((float *)out);
    words<2><<<1, WARP>>>((float *)out);
    words<3><<<1, WARP>>>((float *)out);
    words<16><<<1, WARP>>>((float *)out);
    chars<1><<<1, WARP>>>((float *)out);
    chars<4><<<1, WARP>>>((float *)out);
    doubles<<<1, WARP>>>((double *)out);
    doubles_in_halves<<<1, WARP>>>((double *)out);
    structs<<<1, WARP>>>((three_floats *)out);
    structs<<<1, WARP>>>((two_floats *)out);
    structs<<<1, WARP>>>((float_and_char *)out);
    return cudaDeviceSynchronize();
}
