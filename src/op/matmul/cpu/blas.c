// Loading OpenBLAS.
#define _GNU_SOURCE
#include "op/matmul/cpu/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// The second is what the development package and other systems have.
static const char *const libraries[] = {"libopenblas.so.0", "libopenblas.so"};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER, use_lock = PTHREAD_MUTEX_INITIALIZER;
static hw_blas blas;
static bool is_open;

static bool find_blas_functions(void *library) {
    blas.sgemm = (__typeof__(blas.sgemm))dlsym(library, "cblas_sgemm");
    blas.dgemm = (__typeof__(blas.dgemm))dlsym(library, "cblas_dgemm");
    blas.set_threads = (__typeof__(blas.set_threads))dlsym(library, "openblas_set_num_threads");
    return blas.sgemm && blas.dgemm && blas.set_threads;
}

// Called under the lock. A library that lacks the functions is left loaded: it may have started threads of its own.
static bool load_blas(void) {
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library && find_blas_functions(library)) return true;
    }
    return false;
}

hw_status hw_blas_open(const hw_blas **out, hw_diag *diag) {
    pthread_mutex_lock(&open_lock);
    if (!is_open) is_open = load_blas();
    bool is_there = is_open;
    pthread_mutex_unlock(&open_lock);
    *out = &blas;
    if (is_there) return HW_OK;
    return hw_diag_set(diag, HW_NOT_FOUND, "matrix products on the processors are OpenBLAS's, and this machine has no "
                       "libopenblas.so.0; Debian's package of it is libopenblas0");
}

void hw_blas_lock(void) { pthread_mutex_lock(&use_lock); }
void hw_blas_unlock(void) { pthread_mutex_unlock(&use_lock); }
