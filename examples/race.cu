// A sum that is nearly right: two mistakes that a GPU seldom shows, and `halfwarp check examples/race.cu` names.
#include <cstdio>

constexpr int BLOCK = 256;

__global__ void sum_blocks(float *sums, const float *in, int count) {
    __shared__ float part[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    part[threadIdx.x] = i < count ? in[i] : 0;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        // The first mistake: no barrier here, so that a warp may add what another has not stored yet.
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    // The second: blocks add to one number without an atomic operation.
    if (threadIdx.x == 0) *sums += part[0];
}

int main() {
    constexpr int COUNT = 10000;
    float *in, *sum, result;
    cudaMallocManaged(&in, COUNT * sizeof *in);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    for (int i = 0; i < COUNT; i++) in[i] = 1;
    sum_blocks<<<(COUNT + BLOCK - 1) / BLOCK, BLOCK>>>(sum, in, COUNT);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    printf("the sum of %d ones is %g\n", COUNT, result);
    cudaFree(in);
    cudaFree(sum);
}
