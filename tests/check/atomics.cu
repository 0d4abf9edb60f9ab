// Functions of CUDA's headers and of the compiler's own, which some levels call and do not inline: what they do has the
// line that calls them, on either side of a race, and of an access that goes astray. Each kernel has a race between its
// two lines that end with its name; without `racy` both are atomics, and none.
#include <cstdio>

template <bool Racy>
__global__ void added(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);                             // added
    if (Racy) __syncwarp();
    else __syncthreads();
    if (threadIdx.x == 5) *out = sum;              // added
}

template <bool Racy>
__global__ void largest(int *out) {
    if (!Racy || blockIdx.x == 0) atomicMax(out + 1, 5);    // largest
    else out[1] = 4;                                // largest
}

template <bool Racy>
__global__ void compared(int *out) {
    if (!Racy || blockIdx.x == 1) atomicCAS(out + 2, 0, 1); // compared
    else if (out[2] == 7) out[3] = 1;               // compared
}

template <bool Racy>
__global__ void exchanged(int *out) {
    if (!Racy || threadIdx.x >= 32) atomicExch(out + 4, 1); // exchanged
    else out[4] = 2;                                // exchanged
}

template <bool Racy>
__global__ void floats(int *out) {
    float *sum = (float *)(out + 5);
    if (!Racy || blockIdx.x == 1) atomicAdd(sum, 1.0f);     // floats
    else *sum = 2;                                  // floats
}

template <bool Racy>
__global__ void wide(int *out) {
    unsigned long long *sum = (unsigned long long *)(out + 6);
    if (!Racy || blockIdx.x == 1) atomicAdd(sum, 1ull);     // wide
    else *sum = 2;                                  // wide
}

// Calls of a function of the program's own stay its own lines.
__device__ __noinline__ void count(int *at) {
    atomicAdd(at, 1);                               // counted
}
template <bool Racy>
__global__ void counted(int *out) {
    if (!Racy || blockIdx.x == 1) count(out + 8);
    else out[8] = 3;                                // counted
}

template <bool Racy>
__global__ void atomic_astray(int *out) {
    atomicOr(out + (Racy ? 12 : 9), 1);             // atomic_astray
}

template <bool Racy>
static void run(int *out) {
    added<Racy><<<1, 64>>>(out);
    largest<Racy><<<2, 1>>>(out);
    compared<Racy><<<2, 1>>>(out);
    exchanged<Racy><<<1, 64>>>(out);
    floats<Racy><<<2, 1>>>(out);
    wide<Racy><<<2, 1>>>(out);
    counted<Racy><<<2, 1>>>(out);
    atomic_astray<Racy><<<1, 1>>>(out);
}

int main(int argc, char **) {
    int *out;
    cudaMalloc(&out, 12 * sizeof(int));
    cudaMemset(out, 0, 12 * sizeof(int));
    if (argc > 1) run<true>(out);
    else run<false>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
