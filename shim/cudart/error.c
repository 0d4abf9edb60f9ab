// Errors: the thread's last one, and their words.
//
// As measured on an H200 (CUDA 13.0): after a kernel's fault every call that needs the context makes its error the
// thread's last one; cudaGetLastError clears that, and the next such call sets it again. Configuration errors are
// returned by the launch and forgotten once read.
#include <string.h>

#include "shim/cudart/cudart.h"
#include "shim/cudart/version.h"

static _Thread_local cudaError_t last_error;

typedef struct error_row {
    const char *name;
    int number;
    const char *words;
} error_row;

static const error_row error_rows[] = {
#define HW_ERROR(name, number, words) {#name, number, words},
#include "shim/cudart/error.def"
#undef HW_ERROR
};

static const error_row *find_error(cudaError_t error) {
    for (size_t i = 0; i < sizeof error_rows / sizeof *error_rows; i++)
        if (error_rows[i].number == (int)error) return &error_rows[i];
    return NULL;
}

// What a fault has left is no error of the calls that return it, and what is not simulated none of the program's.
static bool is_calls_own(hw_rt_status status) {
    return status != HW_RT_NOT_SUPPORTED && status != hw_rt_sticky(hw_shim_runtime());
}

static cudaError_t keep_status(hw_rt_status status, bool is_launch) {
    // Of a program that sees no GPU any number is wrong.
    if (status == HW_RT_INVALID_DEVICE && !hw_rt_gpus(hw_shim_runtime())) status = HW_RT_NO_DEVICE;
    if (status == HW_RT_NO_DEVICE) hw_shim_tell_hidden();
    const hw_rt_status_row *row = &hw_rt_status_rows[status];
    cudaError_t error = (cudaError_t)(hw_version >= 13 ? row->cudart_13_number : row->cudart_11_number);
    if (status == HW_RT_SUCCESS || status == HW_RT_NOT_READY) return error;
    last_error = error;
    const char *name = hw_version >= 13 ? row->cudart_13 : row->cudart_11;
    if (is_calls_own(status)) hw_rt_tell_error(hw_shim_runtime(), HW_HOST_ERROR, name, is_launch);
    return error;
}

cudaError_t hw_cudart_return(hw_rt_status status) { return keep_status(status, false); }
cudaError_t hw_cudart_return_launch(hw_rt_status status) { return keep_status(status, true); }

static void tell_asked(void) {
    if (last_error) hw_rt_tell_error(hw_shim_runtime(), HW_HOST_ASK, cudaGetErrorName(last_error), false);
}

hw_rt_status hw_cudart_enter(void) {
    hw_rt_status status = hw_rt_enter(hw_shim_runtime());
    return status ? status : hw_registry_load_all();
}

cudaError_t hw_cudart_unsupported(const char *call) { return hw_cudart_return(hw_shim_unsupported(call)); }

HW_EXPORT cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    tell_asked();
    last_error = cudaSuccess;
    return error;
}

HW_EXPORT cudaError_t cudaPeekAtLastError(void) {
    tell_asked();
    return last_error;
}

HW_EXPORT const char *cudaGetErrorName(cudaError_t error) {
    const error_row *row = find_error(error);
    return row ? row->name : "unrecognized error code";
}

HW_EXPORT const char *cudaGetErrorString(cudaError_t error) {
    const error_row *row = find_error(error);
    return row ? row->words : "unrecognized error code";
}
