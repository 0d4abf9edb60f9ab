// Memory pools, three-dimensional copies, and more than 48 KiB of dynamic shared memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "../shim/expect.h"

__global__ void fill(char *p) { p[threadIdx.x] = 3; }

static void pools() {
    cudaMemPool_t standard, own;
    unsigned long long threshold = ~0ull, read = 0;
    CHECK(cudaDeviceGetDefaultMemPool(&standard, 0) == cudaSuccess);
    CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
    CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &read) == cudaSuccess);
    CHECK(read == threshold);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&own, &properties) == cudaSuccess);
    char *p, h[64];
    CHECK(cudaMallocFromPoolAsync((void **)&p, 1 << 20, own, 0) == cudaSuccess);
    fill<<<1, 64>>>(p);
    CHECK(cudaMemcpy(h, p, 64, cudaMemcpyDeviceToHost) == cudaSuccess && h[0] == 3 && h[63] == 3);
    CHECK(cudaFreeAsync(p, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaMemPoolTrimTo(own, 0) == cudaSuccess);
    CHECK(cudaMemPoolDestroy(own) == cudaSuccess);
}

__global__ void twice(cudaPitchedPtr p, cudaExtent e) {
    for (size_t z = threadIdx.z; z < e.depth; z += blockDim.z)
        for (size_t y = threadIdx.y; y < e.height; y += blockDim.y)
            for (size_t x = threadIdx.x; x < e.width / sizeof(float); x += blockDim.x)
                ((float *)((char *)p.ptr + (z * p.ysize + y) * p.pitch))[x] *= 2;
}

static void copies() {
    enum { W = 37, H = 11, D = 5 };
    const cudaExtent extent = make_cudaExtent(W * sizeof(float), H, D);
    cudaPitchedPtr device;
    std::vector<float> from(W * H * D), to(W * H * D);
    for (size_t i = 0; i < from.size(); i++) from[i] = (float)i;
    CHECK(cudaMalloc3D(&device, extent) == cudaSuccess);
    cudaMemcpy3DParms up = {}, down = {};
    up.srcPtr = make_cudaPitchedPtr(from.data(), W * sizeof(float), W, H);
    up.dstPtr = down.srcPtr = device;
    up.extent = down.extent = extent;
    up.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&up) == cudaSuccess);
    twice<<<1, dim3(8, 4, 2)>>>(device, extent);
    down.dstPtr = make_cudaPitchedPtr(to.data(), W * sizeof(float), W, H);
    down.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&down, 0) == cudaSuccess && cudaStreamSynchronize(0) == cudaSuccess);
    size_t wrong = 0;
    for (size_t i = 0; i < from.size(); i++) wrong += to[i] != 2 * from[i];
    CHECK(wrong == 0);
}

__global__ void last_of(float *out, int n) {
    extern __shared__ float buffer[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) buffer[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = buffer[n - 1];
}

static void much_shared() {
    enum { BYTES = 60 << 10, N = BYTES / sizeof(float) };
    float *out, h = 0;
    CHECK(cudaMalloc(&out, sizeof *out) == cudaSuccess);
    last_of<<<1, 128, BYTES>>>(out, N);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaFuncSetAttribute(last_of, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES) == cudaSuccess);
    last_of<<<1, 128, BYTES>>>(out, N);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess && h == N - 1);
    CHECK(cudaFuncSetAttribute(last_of, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) == cudaErrorInvalidValue);
}

int main() {
    pools();
    copies();
    much_shared();
    if (!failures) printf("ok\n");
    return failures != 0;
}
