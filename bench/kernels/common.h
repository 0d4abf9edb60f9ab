// What the programs of this folder share: arguments, checks of the runtime's calls, numbers that are not random.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "plain.h"
#include "sizes.h"

inline void check(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

// Argument `index`, a positive number, or what is usual.
inline int argument(int argc, char **argv, int index, int usual) {
    int value = argc > index ? atoi(argv[index]) : usual;
    if (value > 0) return value;
    fprintf(stderr, "usage: %s [SIZE [LAUNCHES]]\n", argv[0]);
    exit(2);
}

inline std::vector<float> numbers(size_t count) {
    std::vector<float> values(count);
    fill_numbers(values.data(), count);
    return values;
}

// Memory on the device that holds a copy of the values.
inline float *on_device(const std::vector<float> &values) {
    float *device;
    check(cudaMalloc(&device, values.size() * sizeof(float)), "cudaMalloc");
    check(cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    return device;
}

// launch() again and again; prints how long each took, from its call to its end.
template <class LAUNCH> void time_launches(int launches, LAUNCH launch) {
    for (int i = 0; i < launches; i++) {
        moment begun = moment_now();
        launch();
        check(cudaDeviceSynchronize(), "kernel");
        print_launch(begun);
    }
}

// Copies the kernels' result back.
inline std::vector<float> result(const float *device, size_t count) {
    std::vector<float> values(count);
    check(cudaMemcpy(values.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
}

// 0 when out is the transpose of the n x n matrix in, else 1 after naming the first wrong element.
inline int verify_transpose(const std::vector<float> &out, const std::vector<float> &in, int n) {
    for (int row = 0; row < n; row++) {
        for (int col = 0; col < n; col++) {
            if (out[(size_t)col * n + row] == in[(size_t)row * n + col]) continue;
            fprintf(stderr, "wrong at row %d, column %d\n", col, row);
            return 1;
        }
    }
    return 0;
}
