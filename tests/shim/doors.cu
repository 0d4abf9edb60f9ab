// A program's kernels, and a second version of the CUDA runtime in the same process: memory of either, a reset by the
// other, and a fault that both see. The arguments name libraries; the one of the program's own version is passed over.
#include <cstdio>
#include <dlfcn.h>

#include <cuda_runtime.h>

__device__ int added = 1;

__global__ void add(int *p) {
    p[threadIdx.x] += added;
    if (p[threadIdx.x] == 6) printf("the kernel is there\n");
}
__global__ void stop() { asm("trap;"); }

#define OTHER(call) ((decltype(&call))dlsym(other, #call))
#define EXPECT(condition) \
    if (!(condition)) return printf("line %d: not so: %s\n", __LINE__, #condition), 1

static int use(void *other) {
    int *p, value[32] = {5}, five = 5;
    EXPECT(OTHER(cudaMemcpy)(value, value, 0, cudaMemcpyDefault) == cudaSuccess);
    cudaError_t (*allocate)(void **, size_t) = (cudaError_t(*)(void **, size_t))dlsym(other, "cudaMalloc");
    EXPECT(allocate((void **)&p, sizeof value) == cudaSuccess);
    EXPECT(OTHER(cudaMemcpy)(p, value, sizeof value, cudaMemcpyHostToDevice) == cudaSuccess);
    add<<<1, 32>>>(p);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(OTHER(cudaMemcpy)(value, p, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess && value[0] == 6);
    // Its kernels and variables come anew after another's reset.
    EXPECT(cudaMemcpyToSymbol(added, &five, sizeof five) == cudaSuccess);
    EXPECT(OTHER(cudaDeviceReset)() == cudaSuccess);
    EXPECT(cudaMemcpyFromSymbol(&five, added, sizeof five) == cudaSuccess && five == 1);
    EXPECT(cudaMalloc((void **)&p, sizeof value) == cudaSuccess && cudaMemset(p, 0, sizeof value) == cudaSuccess);
    add<<<1, 32>>>(p);
    EXPECT(OTHER(cudaMemcpy)(value, p, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess && value[0] == 1);
    return 0;
}

int main(int argc, char **argv) {
    int mine, theirs, failed = 0, used = 0;
    void *last = nullptr;
    cudaRuntimeGetVersion(&mine);
    for (int i = 1; i < argc && !failed; i++) {
        void *other = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!other) return printf("%s\n", dlerror()), 1;
        if (OTHER(cudaRuntimeGetVersion)(&theirs) != cudaSuccess || theirs == mine) continue;
        failed = use(other);
        last = other;
        used++;
    }
    if (failed || used < 2) return 1;
    void *other = last;
    stop<<<1, 1>>>();
    EXPECT(OTHER(cudaDeviceSynchronize)() == cudaErrorLaunchFailure);
    EXPECT(OTHER(cudaGetLastError)() == cudaErrorLaunchFailure);
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    printf("one GPU\n");
    return 0;
}
