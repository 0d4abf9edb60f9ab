// Results: the runtime's status as the driver's number, and the words for it.
#include "shim/cuda/driver.h"

static const struct { const char *name; int number; const char *words; } result_rows[] = {
#define HW_RESULT(name, number, words) {#name, number, words},
#include "shim/cuda/result.def"
#undef HW_RESULT
};

CUresult hw_cuda_return(hw_rt_status status) {
    if (status == HW_RT_NO_DEVICE) hw_shim_tell_hidden();
    return (CUresult)hw_rt_status_rows[status].driver_number;
}

// The row of a result, or -1.
static int find_result(CUresult result) {
    for (size_t i = 0; i < sizeof result_rows / sizeof *result_rows; i++)
        if (result_rows[i].number == (int)result) return (int)i;
    return -1;
}

HW_EXPORT CUresult cuGetErrorName(CUresult error, const char **text) {
    const int row = find_result(error);
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = row < 0 ? NULL : result_rows[row].name;
    return row < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGetErrorString(CUresult error, const char **text) {
    const int row = find_result(error);
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = row < 0 ? NULL : result_rows[row].words;
    return row < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
