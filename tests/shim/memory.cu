// Copies, sets, symbols, managed and mapped memory, streams, callbacks: the program checks its own results.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int failures;
#define GOOD(call)                                                                                  \
    do {                                                                                            \
        cudaError_t e = (call);                                                                     \
        if (e) printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(e)), failures++; \
    } while (0)
#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), failures++; \
    } while (0)

__constant__ int table[16];
__device__ int counter = 5;
__managed__ int shared_by_both[4] = {1, 2, 3, 4};

__global__ void add(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += value;
}
__global__ void look_up(int *p) { p[threadIdx.x] = table[threadIdx.x] + counter; }
__global__ void bump() {
    shared_by_both[threadIdx.x] *= 10;
    if (threadIdx.x == 0) counter = 77;
}

static void rows() {
    enum { WIDTH = 37, HEIGHT = 11 };
    unsigned char in[HEIGHT][WIDTH], out[HEIGHT][64];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) in[y][x] = (unsigned char)(y * 31 + x);
    memset(out, 0xee, sizeof out);
    void *p;
    size_t pitch;
    GOOD(cudaMallocPitch(&p, &pitch, WIDTH, HEIGHT));
    GOOD(cudaMemset2D(p, pitch, 0x11, pitch, HEIGHT));
    GOOD(cudaMemcpy2D(p, pitch, in, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2D(out, 64, p, pitch, WIDTH + 1, HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++) {
        EXPECT(memcmp(in[y], out[y], WIDTH) == 0);
        EXPECT(out[y][WIDTH] == 0x11 && out[y][WIDTH + 1] == 0xee);
    }
    GOOD(cudaFree(p));
}

static void boxes() {
    enum { W = 5, H = 4, D = 3 };
    int in[D][H][W], out[D][H][W];
    for (int i = 0; i < W * H * D; i++) ((int *)in)[i] = i;
    memset(out, 0xff, sizeof out);
    cudaExtent extent = make_cudaExtent(W * sizeof(int), H, D);
    cudaPitchedPtr p;
    GOOD(cudaMalloc3D(&p, extent));
    GOOD(cudaMemset3D(p, 0, extent));
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(in, W * sizeof(int), W, H);
    copy.dstPtr = p;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    // Back, but one row and one slice less, from (0, 1, 1).
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = p;
    copy.srcPos = make_cudaPos(0, 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(out, W * sizeof(int), W, H);
    copy.extent = make_cudaExtent(W * sizeof(int), H - 1, D - 1);
    copy.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3D(&copy));
    for (int z = 0; z < D - 1; z++)
        for (int y = 0; y < H - 1; y++) EXPECT(memcmp(out[z][y], in[z + 1][y + 1], sizeof out[z][y]) == 0);
    EXPECT(out[0][H - 1][0] == -1 && out[D - 1][0][0] == -1);
    copy.extent.depth = D + 1;
    EXPECT(cudaMemcpy3D(&copy) != cudaSuccess);
    cudaGetLastError();
    GOOD(cudaFree(p.ptr));
}

static void arrays() {
    float in[6][8], out[6][8];
    for (int i = 0; i < 48; i++) ((float *)in)[i] = (float)i, ((float *)out)[i] = 0;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    GOOD(cudaMallocArray(&array, &desc, 8, 6));
    GOOD(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], 6, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DFromArray(out, sizeof out[0], array, 8, 1, 24, 5, cudaMemcpyDeviceToHost));
    EXPECT(out[0][0] == in[1][2] && out[4][5] == in[5][7] && out[0][6] == 0);
    EXPECT(cudaMemcpy2DToArray(array, 4, 0, in, sizeof in[0], sizeof in[0], 6, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidValue);
    cudaGetLastError();
    cudaExtent extent;
    GOOD(cudaArrayGetInfo(&desc, &extent, 0, array));
    EXPECT(desc.x == 32 && extent.width == 8 && extent.height == 6 && extent.depth == 0);
    GOOD(cudaFreeArray(array));
}

static void symbols() {
    int values[16], *p, back[16];
    for (int i = 0; i < 16; i++) values[i] = i * i;
    GOOD(cudaMalloc(&p, sizeof values));
    GOOD(cudaMemcpyToSymbol(table, values, sizeof values));
    GOOD(cudaMemcpyToSymbol(table, values + 8, 4, 4));
    look_up<<<1, 16>>>(p);
    GOOD(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 5 && back[1] == 64 + 5 && back[15] == 225 + 5);
    void *address;
    size_t bytes;
    GOOD(cudaGetSymbolAddress(&address, counter));
    GOOD(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == 64);
    add<<<1, 1>>>((int *)address, 1, 10);
    int now = 0;
    GOOD(cudaMemcpyFromSymbol(&now, counter, sizeof now));
    EXPECT(now == 15);
    GOOD(cudaFree(p));
}

static void host_memory() {
    enum { N = 1000 };
    EXPECT(shared_by_both[2] == 3);
    bump<<<1, 4>>>();
    GOOD(cudaDeviceSynchronize());
    EXPECT(shared_by_both[0] == 10 && shared_by_both[3] == 40);
    shared_by_both[1] = 7;
    bump<<<1, 4>>>();
    GOOD(cudaDeviceSynchronize());
    EXPECT(shared_by_both[1] == 70);

    int *managed, *mapped, *device_view;
    GOOD(cudaMallocManaged(&managed, N * sizeof(int)));
    GOOD(cudaHostAlloc(&mapped, N * sizeof(int), cudaHostAllocMapped));
    GOOD(cudaHostGetDevicePointer(&device_view, mapped, 0));
    std::vector<int> own(N, 3);
    GOOD(cudaHostRegister(own.data(), N * sizeof(int), cudaHostRegisterMapped));
    for (int i = 0; i < N; i++) managed[i] = mapped[i] = i;
    add<<<4, 256>>>(managed, N, 1);
    add<<<4, 256>>>(device_view, N, 2);
    add<<<4, 256>>>(own.data(), N, 4);
    GOOD(cudaDeviceSynchronize());
    EXPECT(managed[N - 1] == N && mapped[N - 1] == N + 1 && own[N - 1] == 7);
    GOOD(cudaHostUnregister(own.data()));
    GOOD(cudaFreeHost(mapped));
    GOOD(cudaFree(managed));
}

static int called;
static void CUDART_CB on_host(void *data) { called += *(int *)data; }
static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *data) {
    called += status ? 1000 : *(int *)data;
}

static void streams() {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    int *p, one = 1, ten = 10, back = 0;
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaEventCreate(&start));
    GOOD(cudaEventCreate(&stop));
    GOOD(cudaMallocAsync(&p, sizeof(int), stream));
    GOOD(cudaEventRecord(start, stream));
    GOOD(cudaMemsetAsync(p, 0, sizeof(int), stream));
    add<<<1, 32, 0, stream>>>(p, 1, 42);
    GOOD(cudaLaunchHostFunc(stream, on_host, &one));
    GOOD(cudaStreamAddCallback(stream, on_stream, &ten, 0));
    GOOD(cudaMemcpyAsync(&back, p, sizeof back, cudaMemcpyDeviceToHost, stream));
    GOOD(cudaEventRecord(stop, stream));
    GOOD(cudaStreamWaitEvent(stream, stop, 0));
    GOOD(cudaStreamSynchronize(stream));
    float ms = -1;
    GOOD(cudaEventElapsedTime(&ms, start, stop));
    EXPECT(ms > 0 && ms < 60000);
    EXPECT(back == 42 && called == 11);
    GOOD(cudaFreeAsync(p, stream));
    GOOD(cudaStreamDestroy(stream));
    EXPECT(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle ||
           cudaGetLastError() == cudaErrorContextIsDestroyed);
    cudaGetLastError();
    GOOD(cudaEventDestroy(start));
    GOOD(cudaEventDestroy(stop));
}

// After a reset the memory has gone, and variables are as the program was compiled.
static void reset() {
    int *p, now = 0;
    size_t before, after, total;
    GOOD(cudaMalloc(&p, 1 << 20));
    GOOD(cudaMemGetInfo(&before, &total));
    GOOD(cudaDeviceReset());
    GOOD(cudaMemGetInfo(&after, &total));
    EXPECT(after > before);
    GOOD(cudaMemcpyFromSymbol(&now, counter, sizeof now));
    EXPECT(now == 5);
    GOOD(cudaMalloc(&p, 64));
    GOOD(cudaMemset(p, 0, 64));
    add<<<1, 16>>>(p, 16, 9);
    GOOD(cudaMemcpy(&now, p + 15, sizeof now, cudaMemcpyDeviceToHost));
    EXPECT(now == 9);
}

// One access that finds pinned, managed, registered and device memory by turns, and lanes of one access in all of them.
__global__ void sum_by_turns(const int *const *rows, int n, int *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4 * n; k++) sum[i] += rows[k & 3][i];
    atomicAdd((int *)&rows[i & 3][i], 1000);
}

static void mixed() {
    enum { N = 192 };
    int *rows[4], **device_rows, *sum, back[N], row[N];
    std::vector<int> own(N);
    GOOD(cudaMalloc(&rows[0], N * sizeof(int)));
    GOOD(cudaMallocHost(&rows[1], N * sizeof(int)));
    GOOD(cudaMallocManaged(&rows[2], N * sizeof(int)));
    GOOD(cudaHostRegister(rows[3] = own.data(), N * sizeof(int), cudaHostRegisterMapped));
    for (int i = 0; i < N; i++) row[i] = i, rows[1][i] = 10 * i, rows[2][i] = 100 * i, rows[3][i] = 5;
    GOOD(cudaMemcpy(rows[0], row, sizeof row, cudaMemcpyHostToDevice));
    GOOD(cudaMalloc(&device_rows, sizeof rows));
    GOOD(cudaMemcpy(device_rows, rows, sizeof rows, cudaMemcpyHostToDevice));
    GOOD(cudaMalloc(&sum, sizeof back));
    GOOD(cudaMemset(sum, 0, sizeof back));
    sum_by_turns<<<2, N / 2>>>(device_rows, 3, sum);
    GOOD(cudaMemcpy(back, sum, sizeof back, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpy(row, rows[0], sizeof row, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        EXPECT(back[i] == 3 * (111 * i + 5));
        EXPECT(row[i] == i + 1000 * (i % 4 == 0) && rows[1][i] == 10 * i + 1000 * (i % 4 == 1));
        EXPECT(rows[2][i] == 100 * i + 1000 * (i % 4 == 2) && rows[3][i] == 5 + 1000 * (i % 4 == 3));
    }
    // Copies between all of them.
    GOOD(cudaMemcpy(rows[0], rows[1], sizeof row, cudaMemcpyDefault));
    GOOD(cudaMemcpy(rows[2], rows[0], sizeof row, cudaMemcpyDefault));
    EXPECT(memcmp(rows[2], rows[1], sizeof row) == 0);
    GOOD(cudaHostUnregister(rows[3]));
    GOOD(cudaFree(rows[2]));
    GOOD(cudaFreeHost(rows[1]));
    GOOD(cudaFree(rows[0]));
    GOOD(cudaFree(device_rows));
    GOOD(cudaFree(sum));
}

int main() {
    rows();
    boxes();
    arrays();
    symbols();
    host_memory();
    mixed();
    streams();
    reset();
    printf("%d failures\n", failures);
    return failures != 0;
}
