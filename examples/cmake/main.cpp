// Host code alone, by the C++ compiler: fills an array, has it counted on the GPU, and compares.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "histogram.h"

static bool check(cudaError_t error) {
    if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error == cudaSuccess;
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 10000;
    if (count <= 0) {
        std::fprintf(stderr, "usage: histogram COUNT\n");
        return 2;
    }
    std::vector<float> values(count);
    std::vector<int> expected(BINS), bins(BINS);
    for (int i = 0; i < count; i++) {
        values[i] = (i * 7919 % 1000) / 1000.0f;
        expected[static_cast<int>(values[i] * BINS)]++;
    }
    float *device_values = nullptr;
    int *device_bins = nullptr;
    if (!check(cudaMalloc(&device_values, count * sizeof(float))) || !check(cudaMalloc(&device_bins, BINS * sizeof(int))))
        return 1;
    cudaMemcpy(device_values, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(device_bins, 0, BINS * sizeof(int));
    count_bins(device_values, count, device_bins);
    if (!check(cudaMemcpy(bins.data(), device_bins, BINS * sizeof(int), cudaMemcpyDeviceToHost))) return 1;
    cudaFree(device_values);
    cudaFree(device_bins);
    if (bins != expected) {
        std::fprintf(stderr, "the bins are wrong\n");
        return 1;
    }
    std::printf("%d values in %d bins, all right\n", count, BINS);
    return 0;
}
