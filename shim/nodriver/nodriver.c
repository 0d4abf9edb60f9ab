// The CUDA driver library of a machine without a GPU, for programs that halfwarp runs.
//
// Libraries that have a CUDA runtime of their own inside (cuBLAS, cuFFT, cuSPARSE, ...) never call ours: they look for
// the driver, find none, and return an error that the program may not look at. This is what they find instead. Every
// entry answers that there is no device, as the driver does, and says first who asked (shim/library.c), so that
// halfwarp can tell the user. It is loaded by name only, never linked to.
#define _GNU_SOURCE
#include <dlfcn.h>

enum { NO_DEVICE = 100, INVALID_VALUE = 1 };   // CUresult

#define EXPORT __attribute__((visibility("default")))

static int refuse_call(const char *name, const void *caller) {
    void (*tell)(const char *, const void *) =
        (void (*)(const char *, const void *))dlsym(RTLD_DEFAULT, "__halfwarpDriverWanted");
    if (tell) tell(name, caller);
    return NO_DEVICE;
}

// Arguments are not looked at, so one signature serves all.
#define HW_DRIVER(name)        \
    EXPORT int name(void);     \
    EXPORT int name(void) { return refuse_call(#name, __builtin_return_address(0)); }
#include "entries.def"

// Those who were refused want words for it.
static int words_for_result(int result, const char *answer, const char **out) {
    if (!out || result != NO_DEVICE) return INVALID_VALUE;
    *out = answer;
    return 0;
}

EXPORT int cuGetErrorName(int result, const char **out);
EXPORT int cuGetErrorName(int result, const char **out) {
    return words_for_result(result, "CUDA_ERROR_NO_DEVICE", out);
}

EXPORT int cuGetErrorString(int result, const char **out);
EXPORT int cuGetErrorString(int result, const char **out) {
    return words_for_result(result, "no CUDA-capable device is detected", out);
}
