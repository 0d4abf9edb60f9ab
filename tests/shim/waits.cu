// As driver_waits.c, by nvcc (-DCUDA_FORCE_CDP1_IF_SUPPORTED, before 9.0), whose cudadevrt is linked: a sum by halves,
// each of which a kernel adds up; sets and copies of memory in kernels; a launch made again, between which a child has
// changed what it reads; and errors.
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

__global__ void put(int *p, int value) { p[threadIdx.x] = value; }

__global__ void put_by_child(int *p, int value) {
    put<<<1, 32>>>(p, value);
    cudaDeviceSynchronize();
}

__global__ void take(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void fail(int *p) {
    put<<<1, 2000>>>(p, 1);
    p[0] = cudaPeekAtLastError();
    p[1] = cudaGetLastError();
    p[2] = cudaGetLastError();
    int value;
    p[3] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0);
    p[4] = cudaGetLastError();
}

// The kernel that takes is the same launch each time, and finds what a child has written since.
static void put_and_take(int *p, int *h) {
    for (int value = 0; value < 4; value++) {
        put_by_child<<<1, 1>>>(p, value / 2);
        for (int i = 0; i < 2; i++) take<<<1, 32>>>(p, h);
        int found;
        cudaMemcpy(&found, h, sizeof found, cudaMemcpyDeviceToHost);
        printf("%d ", found);
    }
    printf("taken\n");
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
    int *to;
    cudaMalloc(&to, 32 * sizeof *to);
    put_and_take(p, to);
    fail<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 5; i++) printf("%d ", h[i]);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
