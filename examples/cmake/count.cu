#include "bins.h"
#include "histogram.h"

// A block counts in shared memory, and adds what it has to the whole.
__global__ void count_kernel(const float *values, int count, int *bins) {
    __shared__ int mine[BINS];
    if (threadIdx.x < BINS) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[bin_of(values[i])], 1);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void count_bins(const float *values, int count, int *bins) { count_kernel<<<8, 256>>>(values, count, bins); }
