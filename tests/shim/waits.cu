// As driver_waits.c, by nvcc (-DCUDA_FORCE_CDP1_IF_SUPPORTED, before 9.0), whose cudadevrt is linked: a sum by halves,
// each of which a kernel adds up; sets and copies of memory in kernels; a launch made again, between which a child has
// changed what it reads; errors; barriers around waits; and three levels from four threads of the host.
#include <cstdio>
#include <thread>
#include <vector>

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
    p[5] = cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 5);
    p[6] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, put, 32, (size_t)1 << 32);
    p[7] = value;
    size_t limit;
    p[8] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
    p[9] = (int)limit;
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

// The block's other threads wait at a barrier for those that wait for kernels.
__global__ void add(int *p) {
    __shared__ int turned[64];
    turned[threadIdx.x] = threadIdx.x;
    __syncthreads();
    atomicAdd(p, turned[63 - threadIdx.x]);
}

__global__ void add_by_children(int *p) {
    if (threadIdx.x % 64 == 0) {
        add<<<2, 64>>>(p + blockIdx.x);
        cudaDeviceSynchronize();
    }
    __syncthreads();
    p[64 + blockIdx.x * 256 + threadIdx.x] = p[blockIdx.x];
}

static void wait_at_barriers() {
    std::vector<int> h(64 + 64 * 256);
    int *p, same = 0;
    cudaMalloc(&p, h.size() * sizeof *p);
    cudaMemset(p, 0, h.size() * sizeof *p);
    add_by_children<<<64, 256>>>(p);
    cudaMemcpy(h.data(), p, h.size() * sizeof *p, cudaMemcpyDeviceToHost);
    for (int value : h) same += value == 4 * 2 * 2016;
    printf("%d sums\n", same);
}

__global__ void count(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

// The second is waited for by the kernel that waits for this one.
__global__ void count_twice(int *p) {
    count<<<4, 64>>>(p);
    cudaDeviceSynchronize();
    count<<<4, 64>>>(p);
}

__global__ void count_and_treble(int *p) {
    p += blockIdx.x * 256;
    if (threadIdx.x == 0) {
        count_twice<<<1, 1>>>(p);
        cudaDeviceSynchronize();
    }
    __syncthreads();
    p[threadIdx.x] *= 3;
}

static void count_in_stream(int *sixes) {
    cudaStream_t stream;
    std::vector<int> h(16 * 256);
    int *p;
    cudaStreamCreate(&stream);
    cudaMalloc(&p, h.size() * sizeof *p);
    for (int i = 0; i < 3; i++) {
        cudaMemsetAsync(p, 0, h.size() * sizeof *p, stream);
        count_and_treble<<<16, 256, 0, stream>>>(p);
    }
    cudaMemcpyAsync(h.data(), p, h.size() * sizeof *p, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int value : h) *sixes += value == 6;
}

static void count_in_threads() {
    std::vector<std::thread> threads;
    int sixes[4] = {0};
    for (int i = 0; i < 4; i++) threads.emplace_back(count_in_stream, &sixes[i]);
    for (auto &thread : threads) thread.join();
    printf("%d %d %d %d sixes\n", sixes[0], sixes[1], sixes[2], sixes[3]);
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
    for (int i = 0; i < 10; i++) printf("%d ", h[i]);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    wait_at_barriers();
    count_in_threads();
    return 0;
}
