// cuBLAS's functions again and again, as a program in C calls them: a peer that called them from Python would be
// measured with what Python takes for a call. bench/peers/cuda_driver.py compiles it; function is cuBLAS's own. Each
// returns the first status that is not 0. Arguments are declared here, since cuBLAS's headers need not be there.

typedef int gemm_ex(void *handle, int turns_a, int turns_b, int m, int n, int k, const void *alpha, const void *a,
                    int a_type, int lda, const void *b, int b_type, int ldb, const void *beta, void *c, int c_type,
                    int ldc, int compute_type, int algorithm);

int gemm_again(int runs, gemm_ex *function, void *handle, int turns_a, int turns_b, int m, int n, int k,
               const void *alpha, const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
               const void *beta, void *c, int c_type, int ldc, int compute_type, int algorithm) {
    int status = 0;
    for (int i = 0; i < runs && !status; i++)
        status = function(handle, turns_a, turns_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type,
                          ldc, compute_type, algorithm);
    return status;
}

typedef int gemm_strided_batched_ex(void *handle, int turns_a, int turns_b, int m, int n, int k, const void *alpha,
                                    const void *a, int a_type, int lda, long long a_stride, const void *b, int b_type,
                                    int ldb, long long b_stride, const void *beta, void *c, int c_type, int ldc,
                                    long long c_stride, int batch, int compute_type, int algorithm);

int gemm_batched_again(int runs, gemm_strided_batched_ex *function, void *handle, int turns_a, int turns_b, int m,
                       int n, int k, const void *alpha, const void *a, int a_type, int lda, long long a_stride,
                       const void *b, int b_type, int ldb, long long b_stride, const void *beta, void *c, int c_type,
                       int ldc, long long c_stride, int batch, int compute_type, int algorithm) {
    int status = 0;
    for (int i = 0; i < runs && !status; i++)
        status = function(handle, turns_a, turns_b, m, n, k, alpha, a, a_type, lda, a_stride, b, b_type, ldb, b_stride,
                          beta, c, c_type, ldc, c_stride, batch, compute_type, algorithm);
    return status;
}

typedef int geam(void *handle, int turns_a, int turns_b, int m, int n, const void *alpha, const void *a, int lda,
                 const void *beta, const void *b, int ldb, void *c, int ldc);

int geam_again(int runs, geam *function, void *handle, int turns_a, int turns_b, int m, int n, const void *alpha,
               const void *a, int lda, const void *beta, const void *b, int ldb, void *c, int ldc) {
    int status = 0;
    for (int i = 0; i < runs && !status; i++)
        status = function(handle, turns_a, turns_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
    return status;
}
