// As driver_waits.c, by nvcc (-DCUDA_FORCE_CDP1_IF_SUPPORTED, before 9.0), whose cudadevrt is linked: a sum by halves,
// each of which a kernel adds up, and sets and copies of memory in kernels.
#include <cstdio>

__global__ void sum(const int *from, int n, int *to) {
    if (n == 1) {
        *to = *from;
        return;
    }
    int *halves;
    cudaMalloc(&halves, 2 * sizeof *halves);
    sum<<<1, 1>>>(from, n / 2, halves);
    sum<<<1, 1>>>(from + n / 2, n - n / 2, halves + 1);
    const cudaError_t error = cudaDeviceSynchronize();
    *to = error ? -1000 : halves[0] + halves[1];
    cudaFree(halves);
}

__global__ void copy(int *p) {
    if (threadIdx.x == 0) {
        cudaMemsetAsync(p, 0, 16, 0);    // cudadevrt 13.0 takes any other value for 0
        cudaMemcpyAsync(p + 4, p + 20, 16, cudaMemcpyDeviceToDevice, 0);
        cudaDeviceSynchronize();
    }
    __syncthreads();
    p[8 + threadIdx.x] = p[threadIdx.x];
}

int main() {
    int *p, h[32];
    for (int i = 0; i < 32; i++) h[i] = i;
    cudaMalloc(&p, 33 * sizeof *p);
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 6);
    sum<<<1, 1>>>(p, 32, p + 32);
    cudaMemcpy(h, p + 32, sizeof *h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    copy<<<1, 8>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 8; i < 16; i++) printf("%d ", h[i]);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
