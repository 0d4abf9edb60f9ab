// What single things cost on a GPU. Lines "name,key,value,..." to stdout; a line "L,label" precedes each labelled pair
// of launches.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <unistd.h>
#include <vector>

static bool quiet_labels = false;
static void must(cudaError_t e, int line) {
    if (e != cudaSuccess) {
        printf("error,%d,%s\n", line, cudaGetErrorString(e));
        fflush(stdout);
        exit(1);
    }
}
#define M(x) must((x), __LINE__)
static double now_us() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}
static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

#include "micro/calls.cuh"
#include "micro/copies.cuh"
#include "micro/mapped_and_caches.cuh"
#include "micro/atomics.cuh"
#include "micro/textures.cuh"
#include "micro/constants.cuh"
#include "micro/rates.cuh"
#include "micro/grids.cuh"
#include "micro/chains.cuh"
#include "micro/together.cuh"
#include "micro/turns.cuh"
#include "micro/spread.cuh"

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "all";
    auto is = [&](const char *s) { return !strcmp(what, s); };
    setvbuf(stdout, NULL, _IOLBF, 0);
    void *p;
    M(cudaMalloc(&p, 4));
    if (strcmp(what, "counted"))
        if (argc < 3) spin<<<132, 32>>>(400000000);
    M(cudaDeviceSynchronize());   // clocks are up
    if (is("hold")) {
        sleep(560);
        return 0;
    }   // keeps the GPU awake
    if (is("calls")) calls();
    if (is("copies")) copies();
    if (is("mapped")) zero_copy();
    if (is("caches")) caches();
    if (is("atomics")) atomics(false);
    if (is("textures")) textures(false);
    if (is("constants")) constant(false);
    if (is("rates")) rates(false);
    if (is("grids")) grids();
    if (is("chains")) chains();
    if (is("together")) together();
    if (is("turns")) turns();
    if (is("spread")) spread();
    if (is("counted")) {
        atomics(true);
        textures(true);
        constant(true);
        rates(true);
    }
    return 0;
}
