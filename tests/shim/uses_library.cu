// A program with a library that cannot work here: the first argument says what it does with it; prints what it got.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#ifdef LINKED
extern "C" int gpu_library_create(void);
#endif

__global__ void set(int *p) { *p = 7; }

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    int *p, seven = 0, failed = 0;
    cudaMalloc(&p, sizeof *p);
#ifdef LINKED
    int (*create)(void) = gpu_library_create;    // a library that nobody names is not linked to
#else
    void *library = !strcmp(how, "driver") ? dlopen("libcuda.so.1", RTLD_NOW) : dlopen("libgpu.so", RTLD_NOW);
    int (*create)(void) = library ? (int (*)(void))dlsym(library, "gpu_library_create") : NULL;
#endif
    if (!strcmp(how, "call")) failed = create();
#ifndef LINKED
    if (!strcmp(how, "driver")) failed = library ? ((int (*)(unsigned))dlsym(library, "cuInit"))(0) != 0 : 1;
#endif
    set<<<1, 1>>>(p);
    cudaMemcpy(&seven, p, sizeof seven, cudaMemcpyDeviceToHost);
    printf("%d, failed %d\n", seven, failed);
    return create || !strcmp(how, "driver") ? 0 : 1;
}
