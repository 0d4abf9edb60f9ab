// A hundred kernels of one template, of which a single one is launched once: what a program waits for before its first
// launch. bench/costs.py
#include <cstdio>
#include <utility>

constexpr int KERNELS = 100, THREADS = 64;

template <int N> __global__ void mix(float *out, const float *in, int n) {
    __shared__ float tile[THREADS + N];
    const int i = threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; j++) {
        sum += in[(i + j * N) % n] * (N + 0.5f);
        if (sum > N) sum -= __sinf(sum) * N;
        tile[i + j % N] = sum;
        __syncthreads();
        sum += tile[i * N % THREADS] + __shfl_xor_sync(0xffffffffu, sum, N & 31);
    }
    atomicAdd(out + i, sum + N);
}

using kernel = void (*)(float *, const float *, int);

template <int... I> kernel choose(int wanted, std::integer_sequence<int, I...>) {
    static const kernel all[] = {mix<I + 1>...};
    return all[wanted];
}

int main() {
    float *data, first;
    cudaMalloc(&data, THREADS * sizeof(float));
    cudaMemset(data, 0, THREADS * sizeof(float));
    choose(KERNELS - 1, std::make_integer_sequence<int, KERNELS>{})<<<1, THREADS>>>(data, data, 0);
    cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost);
    return first != KERNELS;
}
