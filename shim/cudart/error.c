// Errors: the thread's last one, the sticky one, and their words.
//
// As measured on an H200 (CUDA 13.0): a kernel that faults leaves the launch itself successful; from then on every call
// that needs the context returns the fault's error and makes it the thread's last error; cudaGetLastError clears that,
// and the next such call sets it again. Configuration errors are returned by the launch and forgotten once read.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "shim/environment.h"
#include "shim/shim.h"

static _Thread_local cudaError_t last_error;
static atomic_int sticky_error;

typedef struct error_row {
    const char *name;
    int number;
    const char *words;
} error_row;

static const error_row rows[] = {
#define HW_ERROR(name, number, words) {#name, number, words},
#include "shim/cudart/error.def"
#undef HW_ERROR
};

static const error_row *find(cudaError_t error) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == (int)error) return &rows[i];
    return NULL;
}

cudaError_t hw_shim_return(cudaError_t error) {
    if (error && error != cudaErrorNotReady) last_error = error;
    return error;
}

cudaError_t hw_shim_sticky(void) { return (cudaError_t)atomic_load(&sticky_error); }
void hw_shim_set_sticky(cudaError_t error) { atomic_store(&sticky_error, (int)error); }

cudaError_t hw_shim_error_of(hw_status status) {
    switch (status) {
    case HW_OK: return cudaSuccess;
    case HW_NO_MEMORY: return cudaErrorMemoryAllocation;
    case HW_USAGE: return cudaErrorInvalidValue;
    case HW_NOT_FOUND: return cudaErrorSymbolNotFound;
    case HW_MALFORMED: return cudaErrorInvalidPtx;
    case HW_UNSUPPORTED: return cudaErrorNotSupported;
    default: return cudaErrorUnknown;
    }
}

// Each call names itself once, whichever thread makes it first.
cudaError_t hw_shim_unsupported(const char *call) {
    enum { MAX_NAMED = 512 };
    static const char *named[MAX_NAMED];
    static unsigned n_named;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    bool is_new = n_named < MAX_NAMED;
    for (unsigned i = 0; i < n_named; i++)
        if (strcmp(named[i], call) == 0) is_new = false;
    if (is_new) named[n_named++] = call;
    pthread_mutex_unlock(&lock);
    if (is_new) {
        char place[512], message[640];
        bool known = hw_shim_describe_site(hw_shim_site(), place, sizeof place);
        snprintf(message, sizeof message, "%s%s%s is not supported", known ? place : "", known ? ": " : "", call);
        fprintf(stderr, "halfwarp: %s\n", message);
        hw_shim_note(HW_EXIT_UNSUPPORTED, message);
    }
    return hw_shim_return(cudaErrorNotSupported);
}

HW_EXPORT cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

HW_EXPORT cudaError_t cudaPeekAtLastError(void) { return last_error; }

HW_EXPORT const char *cudaGetErrorName(cudaError_t error) {
    const error_row *row = find(error);
    return row ? row->name : "unrecognized error code";
}

HW_EXPORT const char *cudaGetErrorString(cudaError_t error) {
    const error_row *row = find(error);
    return row ? row->words : "unrecognized error code";
}
