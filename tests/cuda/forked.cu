// A child that is forked before anything was begun uses the GPU; one that is forked later gets an error and no hang.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

__global__ void seven(int *p) { atomicAdd(p, 7); }

static int use() {
    int *p, h = 0;
    if (cudaMalloc(&p, sizeof *p) != cudaSuccess) return (int)cudaGetLastError();
    cudaMemset(p, 0, sizeof *p);
    seven<<<8, 32>>>(p);
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
    return h == 8 * 32 * 7 ? 0 : -1;
}

static int use_in_child() {
    int status;
    pid_t child = fork();
    if (child == 0) {
        alarm(200);   // on a busy machine as well
        _exit(use());
    }
    waitpid(child, &status, 0);
    return status;
}

int main() {
    int first = use_in_child(), own = use(), second = use_in_child(), again = use();
    bool good = first == 0 && own == 0 && second == (int)cudaErrorInitializationError << 8 && again == 0;
    printf("%s: %x %d %x %d\n", good ? "ok" : "wrong", first, own, second, again);
    return !good;
}
