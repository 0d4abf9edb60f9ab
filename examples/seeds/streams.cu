// Seed 004, 4.4.1.1 and 4.4.1.2: pinned memory, and streams whose copies and kernels overlap. Mended: the book has
// cudaStreamCrate for cudaStreamCreate, a stream as launches' third argument, which is the shared memory's, and as
// cudaMemcpy's fifth, which it has not (cudaMemcpyAsync has).
//
//     halfwarp run --gpu gtx280 examples/seeds/streams.cu
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cutil_inline.h>

enum { N = 1 << 22, THREADS = 256, MOST_STREAMS = 16, STEPS = 40 };

__global__ void kernel(float *a_d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a_d[i];
    for (int step = 0; step < STEPS; step++) x = x * 0.5f + 1;
    a_d[i] = x;
}

static float *a_h, *a_d;

// Milliseconds by the GPU's events of what `work` does.
template <class WORK>
static float time_of(WORK work) {
    cudaEvent_t start, stop;
    float time;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, 0);
    work();
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&time, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return time;
}

// The book's second way: each stream its part of the copy and of the kernel.
static void in_streams(int nStreams) {
    cudaStream_t stream[MOST_STREAMS];
    for (int i = 0; i < nStreams; i++) cudaStreamCreate(&stream[i]);
    const size_t size = N * sizeof(float) / nStreams;
    for (int i = 0; i < nStreams; i++) {
        const int offset = i * N / nStreams;
        cudaMemcpyAsync(a_d + offset, a_h + offset, size, cudaMemcpyHostToDevice, stream[i]);
    }
    for (int i = 0; i < nStreams; i++) {
        const int offset = i * N / nStreams;
        kernel<<<N / (THREADS * nStreams), THREADS, 0, stream[i]>>>(a_d + offset);
    }
    for (int i = 0; i < nStreams; i++) cudaStreamDestroy(stream[i]);
}

static bool is_right(void) {
    bool right = true;
    float *result = (float *)malloc(N * sizeof(float)), x = 1;
    for (int step = 0; step < STEPS; step++) x = x * 0.5f + 1;
    cudaMemcpy(result, a_d, N * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) right &= result[i] == x;
    free(result);
    return right;
}

int main() {
    float *pageable = (float *)malloc(N * sizeof(float));
    cutilSafeCall(cudaHostAlloc((void **)&a_h, N * sizeof(float), 0));
    cutilSafeCall(cudaMalloc((void **)&a_d, N * sizeof(float)));
    for (int i = 0; i < N; i++) a_h[i] = 1;
    memcpy(pageable, a_h, N * sizeof(float));

    const float slow = time_of([&] { cudaMemcpy(a_d, pageable, N * sizeof(float), cudaMemcpyHostToDevice); });
    const float copy = time_of([] { cudaMemcpyAsync(a_d, a_h, N * sizeof(float), cudaMemcpyHostToDevice, 0); });
    const float execution = time_of([] { kernel<<<N / THREADS, THREADS>>>(a_d); });
    printf("copy %.3f ms (pageable %.3f), kernel %.3f ms\n", copy, slow, execution);
    for (int n = 1; n <= MOST_STREAMS; n *= 2) {
        const float time = time_of([n] { in_streams(n); });
        const float longer = copy > execution ? copy : execution, shorter = copy > execution ? execution : copy;
        printf("%2d streams: %.3f ms, by the book %.3f, %s\n", n, time, longer + shorter / n,
               is_right() ? "right" : "wrong");
    }
    return cudaDeviceSynchronize();
}
