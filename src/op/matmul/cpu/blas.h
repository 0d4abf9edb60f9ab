// OpenBLAS, loaded when it is first needed; nothing of it is there at build time.
#ifndef HW_OP_CPU_BLAS_H
#define HW_OP_CPU_BLAS_H

#include <stdint.h>

#include "base/status.h"

// CBLAS's enumerations.
enum { HW_BLAS_ROW_MAJOR = 101, HW_BLAS_AS_IS = 111, HW_BLAS_TRANSPOSED = 112 };

// Source: cblas.h of OpenBLAS 0.3, of builds with 32-bit integers.
typedef struct hw_blas {
    void (*sgemm)(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha, const float *a,
                  int lda, const float *b, int ldb, float beta, float *c, int ldc);
    void (*dgemm)(int order, int a_transposed, int b_transposed, int m, int n, int k, double alpha, const double *a,
                  int lda, const double *b, int ldb, double beta, double *c, int ldc);
    void (*set_threads)(int n);
} hw_blas;

// HW_NOT_FOUND, with the package's name. The library stays loaded. Its threads serve the whole process: hold
// hw_blas_lock while one of its functions runs.
hw_status hw_blas_open(const hw_blas **out, hw_diag *diag);
void hw_blas_lock(void);
void hw_blas_unlock(void);

#endif
