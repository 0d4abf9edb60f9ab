// What gigabytes cost that a program allocates, sets and copies. Arguments: what is done, and the GiB. bench/costs.py
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void saxpy(float a, const float *x, float *y, size_t n) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// Half of the bytes are x and half y, filled by the host, copied there, and y back.
static bool copies(size_t bytes) {
    const size_t half = bytes / 2, n = half / sizeof(float);
    float *x = (float *)malloc(half), *y = (float *)malloc(half), *on_x, *on_y;
    for (size_t i = 0; i < n; i++) x[i] = (float)(i & 1023), y[i] = 1;
    cudaMalloc(&on_x, half);
    cudaMalloc(&on_y, half);
    cudaMemcpy(on_x, x, half, cudaMemcpyHostToDevice);
    cudaMemcpy(on_y, y, half, cudaMemcpyHostToDevice);
    saxpy<<<(unsigned)((n + 255) / 256), 256>>>(2, on_x, on_y, n);
    cudaMemcpy(y, on_y, half, cudaMemcpyDeviceToHost);
    return y[0] == 1 && y[n - 1] == 2 * x[n - 1] + 1;
}

static bool sets(size_t bytes) {
    char *there, last = 0;
    cudaMalloc(&there, bytes);
    cudaMemset(there, 7, bytes);
    cudaMemcpy(&last, there + bytes - 1, 1, cudaMemcpyDeviceToHost);
    return last == 7;
}

static bool zeros(size_t bytes) {
    char *there, last = 1;
    cudaMalloc(&there, bytes);
    cudaMemset(there, 0, bytes);
    cudaMemcpy(&last, there + bytes - 1, 1, cudaMemcpyDeviceToHost);
    return last == 0;
}

static bool pinned(size_t bytes) {
    char *here, *there;
    cudaMallocHost(&here, bytes);
    memset(here, 3, bytes);
    cudaMalloc(&there, bytes);
    cudaMemcpy(there, here, bytes, cudaMemcpyHostToDevice);
    here[bytes - 1] = 0;
    cudaMemcpy(here, there, bytes, cudaMemcpyDeviceToHost);
    return here[bytes - 1] == 3;
}

static bool managed(size_t bytes) {
    char *both;
    cudaMallocManaged(&both, bytes);
    memset(both, 3, bytes);
    cudaMemset(both, 4, bytes);
    return both[bytes - 1] == 4;
}

static bool again(size_t bytes) {
    bool is_right = true;
    for (int turn = 0; turn < 4; turn++) {
        char *there;
        cudaMalloc(&there, bytes);
        cudaMemset(there, turn + 1, bytes);
        is_right &= cudaFree(there) == cudaSuccess;
    }
    return is_right;
}

int main(int argc, char **argv) {
    static const struct { const char *name; bool (*does)(size_t bytes); } kinds[] = {
        {"copies", copies}, {"sets", sets},       {"zeros", zeros},
        {"pinned", pinned}, {"managed", managed}, {"again", again},
    };
    const size_t bytes = argc > 2 ? (size_t)(atof(argv[2]) * (1 << 30)) : 0;
    for (auto &kind : kinds)
        if (bytes && strcmp(argv[1], kind.name) == 0) return !kind.does(bytes);
    fprintf(stderr, "usage: large_memory KIND GIB\n");
    return 2;
}
