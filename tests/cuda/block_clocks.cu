// The program with which CUDA's first toolkits showed clock(): a reduction by each block, and the cycles from the begin
// of the first block to the end of the last, for 1 to 64 blocks. And what a kernel sees of %globaltimer.
#include <cstdio>
#include <cstdlib>

static const int THREADS = 256, MOST_BLOCKS = 64;

__global__ void timed_reduction(const float *input, float *output, clock_t *timer) {
    extern __shared__ float shared[];
    const int tid = threadIdx.x, bid = blockIdx.x;
    if (tid == 0) timer[bid] = clock();
    shared[tid] = input[tid];
    shared[tid + blockDim.x] = input[tid + blockDim.x];
    for (int d = blockDim.x; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d) {
            const float mine = shared[tid], other = shared[tid + d];
            if (other < mine) shared[tid] = other;
        }
    }
    if (tid == 0) output[bid] = shared[0];
    __syncthreads();
    if (tid == 0) timer[bid + gridDim.x] = clock();
}

__global__ void tell_time(unsigned long long *ns) {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    *ns = now;
}

// Straight-line code takes time as well.
__global__ void count_cycles(long long *cycles, float x) {
    const long long start = clock64();
    x = x * x + 1;
    x = x * x + 1;
    *cycles = clock64() - start + (x < 0);
}

static void must(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

int main() {
    float *input, *output;
    clock_t *timer, times[2 * MOST_BLOCKS];
    must(cudaMalloc(&input, 2 * THREADS * sizeof *input));
    must(cudaMemset(input, 0, 2 * THREADS * sizeof *input));
    must(cudaMalloc(&output, MOST_BLOCKS * sizeof *output));
    must(cudaMalloc(&timer, sizeof times));
    for (int n : {1, 8, 16, 32, 64}) {
        timed_reduction<<<n, THREADS, 2 * THREADS * sizeof(float)>>>(input, output, timer);
        must(cudaMemcpy(times, timer, 2 * n * sizeof *times, cudaMemcpyDeviceToHost));
        clock_t first = times[0], last = times[n];
        for (int i = 1; i < n; i++) {
            first = times[i] < first ? times[i] : first;
            last = times[n + i] > last ? times[n + i] : last;
        }
        printf("blocks%d %ld\n", n, (long)(last - first));
    }
    unsigned long long *told = (unsigned long long *)timer, when[2];
    tell_time<<<1, 1>>>(told);
    tell_time<<<1, 1>>>(told + 1);
    must(cudaMemcpy(when, told, sizeof when, cudaMemcpyDeviceToHost));
    printf("between %llu\n", when[1] - when[0]);
    long long cycles;
    count_cycles<<<1, 1>>>((long long *)timer, 2);
    must(cudaMemcpy(&cycles, timer, sizeof cycles, cudaMemcpyDeviceToHost));
    printf("cycles %lld\n", cycles);
    return 0;
}
