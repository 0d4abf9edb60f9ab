// What a program sees of the GPU's time: kernels and copies in one stream and in four, between events.
#include <cstdio>
#include <cstdlib>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else   // on machines without it nothing is named
static int nvtxRangePushA(const char *) { return -1; }
static int nvtxRangePop() { return -1; }
static unsigned long long nvtxRangeStartA(const char *) { return 0; }
static void nvtxRangeEnd(unsigned long long) {}
static void nvtxMarkA(const char *) {}
#endif

static const int STREAMS = 4, PART = 1 << 20;

__global__ void add_one(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

static void must(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

static float microseconds(cudaEvent_t start, cudaEvent_t stop) {
    float ms;
    must(cudaEventSynchronize(stop));
    must(cudaEventElapsedTime(&ms, start, stop));
    return ms * 1e3f;
}

int main() {
    float *device, *host;
    cudaEvent_t start, stop;
    cudaStream_t streams[STREAMS];
    must(cudaMalloc(&device, STREAMS * PART * sizeof *device));
    must(cudaMallocHost(&host, STREAMS * PART * sizeof *host));
    must(cudaMemset(device, 0, STREAMS * PART * sizeof *device));
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&stop));
    for (cudaStream_t &stream : streams) must(cudaStreamCreate(&stream));

    must(cudaEventRecord(start));
    add_one<<<STREAMS * PART / 256, 256>>>(device);
    must(cudaEventRecord(stop));
    printf("ready %d\n", cudaEventQuery(stop) == cudaSuccess);
    printf("kernel %.3f\n", microseconds(start, stop));
    printf("ready %d\n", cudaEventQuery(stop) == cudaSuccess);

    for (int n = 1; n <= STREAMS; n += STREAMS - 1) {
        const auto both = nvtxRangeStartA("begins outside");
        nvtxRangePushA(n == 1 ? "in one stream" : "in four streams");
        must(cudaEventRecord(start));
        for (int i = 0; i < STREAMS; i++) {
            cudaStream_t stream = streams[i % n];
            float *there = device + i * PART, *here = host + i * PART;
            const size_t bytes = PART * sizeof *host;
            must(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, stream));
            add_one<<<PART / 256, 256, 0, stream>>>(there);
            must(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, stream));
        }
        must(cudaEventRecord(stop));
        const float us = microseconds(start, stop);
        nvtxRangeEnd(both);              // while the other goes on
        nvtxMarkA("between");
        const int outer = nvtxRangePop();
        if (n > 1) fprintf(stderr, "ranges %d\n", outer);
        printf("streams%d %.3f\n", n, us);
    }
    must(cudaGetLastError());
    return 0;
}
