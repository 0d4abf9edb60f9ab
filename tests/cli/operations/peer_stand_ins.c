// What bench/peers asks of the CUDA driver and of cuBLAS, done on the processor, so that tests/cli/operations/peers.sh
// can run these peers without a GPU. Built once as libcuda.so.1 and, with CUBLAS defined, as libcublas.so.13. Matrices
// are column-major and of floats, which are not turned.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CUBLAS
int cuInit(unsigned flags) { return (int)flags; }
int cuDeviceGet(int *device, int number) { return *device = 0 * number; }
int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = malloc(1);
    return device;
}
int cuCtxSetCurrent(void *context) { return !context; }
int cuCtxSynchronize(void) { return 0; }
int cuMemAlloc_v2(void **memory, size_t bytes) { return !(*memory = malloc(bytes)); }
int cuMemFree_v2(void *memory) {
    free(memory);
    return 0;
}
static int copy(void *to, const void *from, size_t bytes) {
    memmove(to, from, bytes);
    return 0;
}
int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes) { return copy(to, from, bytes); }
int cuMemcpyDtoD_v2(void *to, const void *from, size_t bytes) { return copy(to, from, bytes); }
int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes) { return copy(to, from, bytes); }

int cuEventCreate(void **event, unsigned flags) { return (int)flags + !(*event = calloc(1, sizeof(struct timespec))); }
int cuEventRecord(void *event, void *stream) { return clock_gettime(CLOCK_MONOTONIC, event) + (stream != NULL); }
int cuEventSynchronize(void *event) { return !event; }
int cuEventElapsedTime(float *ms, const struct timespec *begin, const struct timespec *end) {
    *ms = (float)(end->tv_sec - begin->tv_sec) * 1e3f + (float)(end->tv_nsec - begin->tv_nsec) * 1e-6f;
    return 0;
}
int cuEventDestroy_v2(void *event) { return cuMemFree_v2(event); }
#else
int cublasCreate_v2(void **handle) { return !(*handle = malloc(1)); }
int cublasGetVersion_v2(void *handle, int *version) {
    *version = 130000;
    return !handle;
}

int cublasGemmEx(void *handle, int turns_a, int turns_b, int m, int n, int k, const float *alpha, const float *a,
                 int a_type, int lda, const float *b, int b_type, int ldb, const float *beta, float *c, int c_type,
                 int ldc, int compute_type, int algorithm) {
    if (!handle || turns_a || turns_b || a_type || b_type || c_type || compute_type != 68 || algorithm != -1) return 7;
    for (int col = 0; col < n; col++)
        for (int row = 0; row < m; row++) {
            double sum = 0;
            for (int i = 0; i < k; i++) sum += (double)a[row + i * lda] * b[i + col * ldb];
            c[row + col * ldc] = (float)(*alpha * sum) + (*beta ? *beta * c[row + col * ldc] : 0);
        }
    return 0;
}

int cublasGemmStridedBatchedEx(void *handle, int turns_a, int turns_b, int m, int n, int k, const float *alpha,
                               const float *a, int a_type, int lda, long long a_stride, const float *b, int b_type,
                               int ldb, long long b_stride, const float *beta, float *c, int c_type, int ldc,
                               long long c_stride, int batch, int compute_type, int algorithm) {
    int status = 0;
    for (int i = 0; i < batch && !status; i++)
        status = cublasGemmEx(handle, turns_a, turns_b, m, n, k, alpha, a + i * a_stride, a_type, lda, b + i * b_stride,
                              b_type, ldb, beta, c + i * c_stride, c_type, ldc, compute_type, algorithm);
    return status;
}

int cublasSgeam(void *handle, int turns_a, int turns_b, int m, int n, const float *alpha, const float *a, int lda,
                const float *beta, const float *b, int ldb, float *c, int ldc) {
    if (!handle || !turns_a || turns_b || *alpha != 1 || *beta != 0 || b != c || ldb != ldc) return 7;
    for (int col = 0; col < n; col++)
        for (int row = 0; row < m; row++) c[row + col * ldc] = a[col + row * lda];
    return 0;
}
int cublasDgeam(void) { return 7; }
int cublasCgeam(void) { return 7; }
int cublasZgeam(void) { return 7; }
#endif
