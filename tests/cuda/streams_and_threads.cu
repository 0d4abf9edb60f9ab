// Managed memory, streams, events, callbacks, exceptions; and four host threads that launch at the same time.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

static std::atomic<int> failures{0};
#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("line %d: %s\n", __LINE__, #condition);                   \
            failures++;                                                      \
        }                                                                    \
    } while (0)

__global__ void increment(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i]++;
}
__managed__ int total;
__global__ void count() { atomicAdd(&total, 1); }
__global__ void add(int *p, int k) {
    for (int i = 0; i < 50; i++) atomicAdd(p + threadIdx.x, k);
}

struct note {
    int sum;
    const int *data;
};
static void CUDART_CB host_function(void *user) { ((note *)user)->sum += ((note *)user)->data[0]; }
static void CUDART_CB callback(cudaStream_t, cudaError_t error, void *user) { ((note *)user)->sum += 100 + (int)error; }

static void streams() {
    enum { N = 1000, ROUNDS = 30 };
    int *p;
    CHECK(cudaMallocManaged(&p, N * sizeof(int)) == cudaSuccess);
    for (int i = 0; i < N; i++) p[i] = i;
    cudaStream_t s[3];
    cudaEvent_t begin, timeless;
    for (auto &stream : s) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaEventCreate(&begin) == cudaSuccess);
    CHECK(cudaEventCreateWithFlags(&timeless, cudaEventDisableTiming) == cudaSuccess);
    CHECK(cudaEventRecord(begin, s[0]) == cudaSuccess);
    for (int k = 0; k < ROUNDS; k++) {
        increment<<<4, 256, 0, s[k % 3]>>>(p, N);
        CHECK(cudaEventRecord(timeless, s[k % 3]) == cudaSuccess);
        CHECK(cudaStreamWaitEvent(s[(k + 1) % 3], timeless, 0) == cudaSuccess);
    }
    note n = {0, p};
    CHECK(cudaLaunchHostFunc(s[0], host_function, &n) == cudaSuccess);
    CHECK(cudaStreamAddCallback(s[1], callback, &n, 0) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(p[0] == ROUNDS && p[N - 1] == N - 1 + ROUNDS && n.sum == ROUNDS + 100);
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, timeless) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    for (auto &stream : s) CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    total = 5;
    count<<<2, 50>>>();
    CHECK(cudaDeviceSynchronize() == cudaSuccess && total == 105);
}

static void exceptions() {
    const char *what = "";
    try {
        void *p;
        if (cudaMalloc(&p, (size_t)1 << 50) != cudaSuccess)
            throw std::runtime_error(cudaGetErrorString(cudaGetLastError()));
    } catch (const std::exception &e) {
        what = "caught";
    }
    CHECK(what[0] == 'c' && cudaGetLastError() == cudaSuccess);
}

static void thread_main(int k) {
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s) == cudaSuccess);
    for (int round = 0; round < 20; round++) {
        int *p;
        std::vector<int> h(256, -1);
        CHECK(cudaMallocAsync((void **)&p, 1024, s) == cudaSuccess);
        CHECK(cudaMemsetAsync(p, 0, 1024, s) == cudaSuccess);
        add<<<3, 256, 0, s>>>(p, k);
        CHECK(cudaMemcpyAsync(h.data(), p, 1024, cudaMemcpyDeviceToHost, s) == cudaSuccess);
        CHECK(cudaStreamSynchronize(s) == cudaSuccess);
        for (int x : h) CHECK(x == 150 * k);
        CHECK(cudaFreeAsync(p, s) == cudaSuccess);
        if (k % 2) CHECK(cudaMalloc(&p, (size_t)1 << 50) == cudaErrorMemoryAllocation);
        // Each thread has its own last error.
        CHECK(cudaGetLastError() == (k % 2 ? cudaErrorMemoryAllocation : cudaSuccess));
    }
    CHECK(cudaStreamDestroy(s) == cudaSuccess);
}

int main() {
    streams();
    exceptions();
    std::vector<std::thread> threads;
    for (int k = 1; k <= 4; k++) threads.emplace_back(thread_main, k);
    for (auto &thread : threads) thread.join();
    if (!failures) printf("ok\n");
    return failures != 0;
}
