// Kernels of CUB for several types, 39 in 1.8 MB of PTX (nvcc 13.0), one of which computes a sum: what a program waits
// for that uses a library before its first launch. bench/costs.py
#include <cstdio>
#include <cub/cub.cuh>

// Never called, but the compiler does not know it.
template <class Key, class Value> void sort(int n) {
    size_t bytes = 0;
    Key *keys = nullptr;
    Value *values = nullptr;
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys, values, values, n);
    cub::DeviceRadixSort::SortKeysDescending(nullptr, bytes, keys, keys, n);
}

template <class T> void scan_and_select(int n) {
    size_t bytes = 0;
    T *items = nullptr;
    int *count = nullptr;
    char *flags = nullptr;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, items, items, n);
    cub::DeviceSelect::Unique(nullptr, bytes, items, items, count, n);
    cub::DeviceSelect::Flagged(nullptr, bytes, items, flags, items, count, n);
    cub::DeviceReduce::ReduceByKey(nullptr, bytes, items, items, items, items, count, cuda::std::plus<>{}, n);
}

int main(int argc, char **) {
    constexpr int N = 1000;
    if (argc > 1) {
        sort<unsigned, unsigned>(argc);
        sort<float, double>(argc);
        scan_and_select<int>(argc);
        scan_and_select<float>(argc);
        scan_and_select<double>(argc);
    }
    int *items = nullptr, host[N], sum = 0;
    for (int i = 0; i < N; i++) host[i] = i;
    void *scratch = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, items, items, N);
    cudaMalloc(&items, (N + 1) * sizeof(int));
    cudaMalloc(&scratch, bytes);
    cudaMemcpy(items, host, sizeof host, cudaMemcpyHostToDevice);
    cub::DeviceReduce::Sum(scratch, bytes, items, items + N, N);
    cudaMemcpy(&sum, items + N, sizeof sum, cudaMemcpyDeviceToHost);
    return sum != N * (N - 1) / 2;
}
