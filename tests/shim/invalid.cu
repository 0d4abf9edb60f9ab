// Calls that a program gets wrong about memory, and what each returns: a line a call, in an order that never faults.
// Left out are calls by which a GPU's driver crashes, or writes where it must not: a copy from behind the last
// allocation with cudaMemcpyDefault, sizes and pitches of 2^64 - 1. cli.invalid_calls compares with what an
// H200 answered:
//     nvcc -o invalid invalid.cu && ./invalid > invalid.h200.txt
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// The call, what it returns, and the thread's last error, which the next call must not find again.
#define CALL(call)                                                                                        \
    do {                                                                                                  \
        cudaError_t returned = (call), last = cudaGetLastError(), again = cudaGetLastError();             \
        printf("%-88s %s, last %s, then %s\n", #call, cudaGetErrorName(returned), cudaGetErrorName(last), \
               cudaGetErrorName(again));                                                                  \
    } while (0)

enum { BYTES = 4096, WIDTH = 100, PITCH = 512, ROWS = 8 };

__device__ int variable[16];
__constant__ int constants[16];
__global__ void set(int *p) { p[threadIdx.x] = 7; }

static char host[4 * BYTES];
static char *p, *q;    // behind q nothing is allocated: behind p there may be q
static const size_t huge = (size_t)-1, half = (size_t)1 << 62;

static void ends() {
    CALL(cudaMemcpy(p, host, BYTES, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(p, host, BYTES + 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(host, p, BYTES + 1, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(p, q, BYTES + 1, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(p + BYTES - 4, host, 8, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(host, p + BYTES - 4, 8, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(p + BYTES - 4, q, 8, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(q + BYTES, host, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyAsync(p, host, BYTES + 1, cudaMemcpyHostToDevice, 0));
    CALL(cudaMemcpyAsync(host, p, BYTES + 1, cudaMemcpyDefault, 0));
    CALL(cudaMemset(p, 0, BYTES + 1));
    CALL(cudaMemset(p + 1, 0, BYTES));
    CALL(cudaMemset(q + BYTES, 0, 1));
    CALL(cudaMemset(p, 0, 0));
    CALL(cudaMemset(q + BYTES, 0, 0));
    CALL(cudaMemsetAsync(p, 0, BYTES + 1, 0));
    CALL(cudaMemset(p, 0x1234, BYTES));
}

static void rows() {
    CALL(cudaMemcpy2D(p, PITCH, host, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(p, PITCH, host, WIDTH, WIDTH, ROWS + 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(host, WIDTH, p, PITCH, WIDTH, ROWS + 1, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy2D(p, WIDTH - 1, host, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(p, PITCH, host, WIDTH - 1, WIDTH, ROWS, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(p, WIDTH - 1, host, WIDTH, WIDTH, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(p, half, host, WIDTH, WIDTH, 2, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(p, PITCH, host, WIDTH, WIDTH, ROWS, (cudaMemcpyKind)9));
    CALL(cudaMemcpy2D(p, PITCH, host, WIDTH, WIDTH, 0, (cudaMemcpyKind)9));
    CALL(cudaMemcpy2D(0, PITCH, host, WIDTH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    CALL(cudaMemset2D(p, PITCH, 0, WIDTH, ROWS));
    CALL(cudaMemset2D(p, PITCH, 0, WIDTH, ROWS + 1));
    CALL(cudaMemset2D(p, WIDTH - 1, 0, WIDTH, ROWS));
    CALL(cudaMemset2D(p, WIDTH - 1, 0, WIDTH, 1));
    CALL(cudaMemset2D(p, PITCH, 0, WIDTH, 0));
    CALL(cudaMemset2D(host, WIDTH, 0, WIDTH, 2));
    CALL(cudaMemset3D(make_cudaPitchedPtr(p, PITCH, WIDTH, 2), 0, make_cudaExtent(WIDTH, 2, ROWS / 2)));
    CALL(cudaMemset3D(make_cudaPitchedPtr(p, PITCH, WIDTH, 2), 0, make_cudaExtent(WIDTH, 2, ROWS / 2 + 1)));
}

static void symbols() {
    int words[32] = {0};
    void *address;
    size_t bytes;
    CALL(cudaMemcpyToSymbol(variable, words, 64));
    CALL(cudaMemcpyToSymbol(variable, words, 65));
    CALL(cudaMemcpyToSymbol(variable, words, 8, 60));
    CALL(cudaMemcpyToSymbol(variable, words, 0, 65));
    CALL(cudaMemcpyToSymbol(variable, words, 4, huge));
    CALL(cudaMemcpyToSymbol(variable, words, 4, 0, cudaMemcpyHostToHost));
    CALL(cudaMemcpyFromSymbol(words, variable, 65));
    CALL(cudaMemcpyFromSymbol(words, constants, 8, 60));
    CALL(cudaMemcpyFromSymbol(words, variable, 4, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyFromSymbol(words, words[0], 4));
    CALL(cudaGetSymbolAddress(&address, words[0]));
    CALL(cudaGetSymbolSize(&bytes, words[0]));
    CALL(cudaGetSymbolAddress(&address, variable));
    CALL(cudaFree(address));
    CALL(cudaMemset(address, 0, 64));
    CALL(cudaMemset(address, 0, 65));
}

static void frees() {
    char *device, *pinned, *managed, *own = (char *)malloc(BYTES);
    CALL(cudaMalloc(&device, BYTES));
    CALL(cudaMallocHost(&pinned, BYTES));
    CALL(cudaMallocManaged(&managed, BYTES));
    CALL(cudaFree(device + 1));
    CALL(cudaFree(device + BYTES));
    CALL(cudaFreeHost(device));
    CALL(cudaFree(device));
    CALL(cudaFree(device));
    CALL(cudaFreeAsync(device, 0));
    CALL(cudaMemcpy(device, host, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemset(device, 0, 4));
    CALL(cudaFree(pinned));
    CALL(cudaFreeHost(pinned + 8));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFreeHost(managed));
    CALL(cudaFree(managed + 8));
    CALL(cudaFree(managed));
    CALL(cudaFree(managed));
    CALL(cudaFree(own));
    CALL(cudaFreeHost(own));
    CALL(cudaFreeAsync(own, 0));
    CALL(cudaFreeAsync(0, 0));
    CALL(cudaMallocAsync(&device, BYTES, 0));
    CALL(cudaFreeAsync(device + 8, 0));
    CALL(cudaFreeAsync(device, 0));
    CALL(cudaFreeAsync(device, 0));
    CALL(cudaFreeArray(0));
    free(own);
}

static void registrations() {
    char *own = (char *)aligned_alloc(4096, 4 * BYTES), *there;
    unsigned flags;
    CALL(cudaHostRegister(own, 2 * BYTES, 0));
    CALL(cudaHostRegister(own, 2 * BYTES, 0));
    CALL(cudaHostRegister(own + BYTES, 2 * BYTES, 0));
    CALL(cudaHostRegister(0, BYTES, 0));
    CALL(cudaHostRegister(own + 2 * BYTES, 0, 0));
    CALL(cudaHostRegister(own + 2 * BYTES, BYTES, 0x80));
    CALL(cudaHostUnregister(own + BYTES));
    CALL(cudaHostUnregister(own + 2 * BYTES));
    CALL(cudaFreeHost(own));
    CALL(cudaHostGetDevicePointer((void **)&there, own, 0));
    CALL(cudaHostGetDevicePointer((void **)&there, own, 1));
    CALL(cudaHostGetDevicePointer((void **)&there, host, 0));
    CALL(cudaHostGetFlags(&flags, host));
    CALL(cudaHostUnregister(own));
    CALL(cudaHostUnregister(own));
    CALL(cudaHostUnregister(0));
    free(own);
}

static void allocations() {
    char *device = 0;
    size_t pitch;
    CALL(cudaMalloc(&device, huge));
    CALL(cudaMalloc(&device, half));
    CALL(cudaMallocManaged(&device, BYTES, 0));
    CALL(cudaMallocManaged(&device, BYTES, 3));
    CALL(cudaHostAlloc((void **)&device, BYTES, 0x80));
    CALL(cudaHostAlloc((void **)0, BYTES, 0));
    CALL(cudaMallocPitch((void **)&device, &pitch, huge, 2));
    CALL(cudaMallocPitch((void **)&device, (size_t *)0, WIDTH, 2));
    CALL(cudaMallocAsync(&device, half, 0));
}

static void arrays() {
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    CALL(cudaMallocArray(&array, &desc, 16, 4));
    CALL(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 5, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(array, 4, 0, host, 64, 64, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(array, 0, 1, host, 64, 64, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(array, 0, 0, host, 63, 64, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DFromArray(host, 64, array, 0, 0, 68, 4, cudaMemcpyDeviceToHost));
    CALL(cudaMallocArray(&array, (cudaChannelFormatDesc *)0, 16, 4));
    CALL(cudaMallocArray((cudaArray_t *)0, &desc, 16, 4));
}

int main() {
    setvbuf(stdout, NULL, _IOLBF, 0);   // a call that crashes takes no lines with it
    int words[16];
    CALL(cudaMalloc(&p, BYTES));
    CALL(cudaMalloc(&q, BYTES));
    ends();
    rows();
    symbols();
    frees();
    registrations();
    allocations();
    arrays();
    // None of it stays: a kernel runs as if nothing had been.
    set<<<1, 16>>>((int *)p);
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(words, p, sizeof words, cudaMemcpyDeviceToHost));
    printf("%d %d\n", words[0], words[15]);
    return words[15] != 7;
}
