// Loading NVIDIA's driver.
#define _GNU_SOURCE
#include "device/cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static hw_cuda_driver driver;
static bool is_open;

// The name of the function that is missing; NULL when all are there.
static const char *find_functions(void *library) {
    driver.has_pools = true;
#define HW_CUDA(name, exported, parameters) \
    if (!(driver.name = (CUresult (*) parameters)dlsym(library, #exported))) return #exported;
#define HW_CUDA_IF_THERE(name, exported, parameters) \
    if (!(driver.name = (CUresult (*) parameters)dlsym(library, #exported))) driver.has_pools = false;
#include "device/cuda_driver.def"
#undef HW_CUDA
#undef HW_CUDA_IF_THERE
    return NULL;
}

// Under the lock. Failing, the library is left loaded: it may have threads of its own by then.
static bool load(char *reason, size_t reason_bytes) {
    static void *library;
    char words[256];
    // The second is where the Windows Subsystem for Linux has it.
    if (!library) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("/usr/lib/wsl/lib/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(reason, reason_bytes, "this machine has no NVIDIA driver (libcuda.so.1)");
        return false;
    }
    const char *missing = find_functions(library);
    if (missing) {
        snprintf(reason, reason_bytes, "the NVIDIA driver is too old, it has no %s", missing);
        return false;
    }
    CUresult result = driver.cuInit(0);
    if (!result) result = driver.cuDriverGetVersion(&driver.version);
    if (!result) result = driver.cuDeviceGetCount(&driver.n_devices);
    if (result == CUDA_ERROR_NO_DEVICE || (!result && !driver.n_devices)) {
        snprintf(reason, reason_bytes, "the NVIDIA driver finds no GPU");
        return false;
    }
    if (result)
        snprintf(reason, reason_bytes, "the NVIDIA driver does not start: %s",
                 hw_cuda_driver_words(&driver, result, words, sizeof words));
    return !result;
}

const hw_cuda_driver *hw_cuda_driver_open(char *reason, size_t reason_bytes) {
    pthread_mutex_lock(&open_lock);
    if (!is_open) is_open = load(reason, reason_bytes);
    bool is_there = is_open;
    pthread_mutex_unlock(&open_lock);
    return is_there ? &driver : NULL;
}

const char *hw_cuda_driver_words(const hw_cuda_driver *d, CUresult result, char *text, size_t text_bytes) {
    const char *name = NULL, *words = NULL;
    if (d->cuGetErrorName(result, &name) || !name) name = "not a known error";
    if (d->cuGetErrorString(result, &words) || !words) words = "error";
    snprintf(text, text_bytes, "%s (%s, %d)", words, name, result);
    return text;
}
