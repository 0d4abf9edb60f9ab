# Executables as nvcc makes them when nobody tells it otherwise: with the static runtime, which asks for the driver.
# Run, profiled and checked; places in their source; machine code alone is told.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v nvcc >/dev/null || exit 77

cat >"$work/sum.cu" <<'PROGRAM'
#include <cstdio>
__device__ int offset = 5;
__global__ void add(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += i + offset;
}
__global__ void stray(int *p) { p[1000] = 1; }
// What is left of it is what the runtime's own variables begin with.
__attribute__((noinline)) static void soil() {
    volatile char dirt[8192];
    for (int i = 0; i < 8192; i++) dirt[i] = 7;
}
int main(int argc, char **) {
    int *p, h[100], bad = 0, ten = 10;
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    add<<<4, 32>>>(p, 100);
    cudaMemcpyToSymbol(offset, &ten, sizeof ten);
    add<<<4, 32>>>(p, 100);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 100; i++) bad += h[i] != 2 * i + 15;
    add<<<1, 2048>>>(p, 1);                        // refused here
    printf("%d bad, %s\n", bad, cudaGetErrorName(cudaGetLastError()));
    void *pinned, *managed;
    cudaPointerAttributes is;
    cudaMallocHost(&pinned, 4);
    cudaMallocManaged(&managed, 4);
    for (void *what : {(void *)p, pinned, managed}) {
        soil();
        printf("is %d\n", cudaPointerGetAttributes(&is, what) ? -1 : is.type);
    }
    cudaFreeHost(pinned);
    cudaFree(managed);
    if (argc > 1) stray<<<1, 1>>>(p);              // launched here
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return bad;
}
PROGRAM
nvcc -g -lineinfo -o "$work/sum" "$work/sum.cu" || exit 1
line() { grep -n "$1" "$work/sum.cu" | cut -d: -f1; }
expect 0 "$halfwarp" run "$work/sum"
says out '0 bad, cudaErrorInvalid'
[ "$(grep '^is ' "$work/out" | tr -d '\n')" = "is 2is 1is 3" ] || fail "what addresses are: $(cat "$work/out")"
says out 'cudaSuccess'
says err "sum.cu:$(line 'refused here'): launch refused: block dimension x is 2048"
expect 5 "$halfwarp" run "$work/sum" wild
says out 'cudaErrorIllegalAddress'
says err 'sum.cu:7: kernel stray(int*) accessed memory'
expect 0 "$halfwarp" profile --launches --format csv -o "$work/rows" "$work/sum"
[ "$(grep -c 'add(int' "$work/rows")" = 2 ] || fail "launches: $(cat "$work/rows")"
expect 1 "$halfwarp" check "$work/sum" wild
says out 'sum.cu:7'
expect 1 "$halfwarp" check --leaks "$work/sum"
says out 'leak: 400 bytes of device memory are still allocated'
says out "sum.cu:$(line 'cudaMalloc')"

# Device code of several files, linked: a kernel calls what another file has and a library of device code, and its
# variable is the other file's; each has one of its own by the same name.
cat >"$work/shared.h" <<'PROGRAM'
extern __device__ int counter;
__device__ int weigh(int x);
__device__ int square(int x);
void look();
PROGRAM
cat >"$work/one.cu" <<'PROGRAM'
#include <cstdio>
#include "shared.h"
static __device__ int own = 3;
__global__ void sum(int *p) {
    p[threadIdx.x] = weigh(square(threadIdx.x)) + own;
    atomicAdd(&counter, 1);
}
int main() {
    int *p, h[32];
    cudaMalloc(&p, sizeof h);
    sum<<<1, 32>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[5]);
    look();
}
PROGRAM
cat >"$work/two.cu" <<'PROGRAM'
#include <cstdio>
#include "shared.h"
static __device__ int own = 1000;
__device__ int counter = 10;
__device__ int weigh(int x) { return 2 * x + own; }
void look() {
    int n;
    cudaMemcpyFromSymbol(&n, counter, sizeof n);
    printf("%d\n", n);
}
PROGRAM
echo '__device__ int square(int x) { return x * x; }' >"$work/square.cu"
(cd "$work" && nvcc -dc square.cu one.cu two.cu && nvcc -lib -o libsquare.a square.o &&
    nvcc -o linked one.o two.o libsquare.a) || exit 1
expect 0 "$halfwarp" run "$work/linked"
says out '1053
42'
nvcc -gencode arch=compute_90,code=sm_90 -o "$work/machine" "$work/sum.cu" || exit 1
expect 4 "$halfwarp" run "$work/machine"
says err 'machine code only'
says err '-gencode arch=compute_75,code=compute_75'
finish
