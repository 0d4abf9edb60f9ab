// What the runtime gets from the driver, as NVIDIA's does: its entries by name, and libraries of device code. The
// driver of Halfwarp lies beside this library, and is loaded when it is first asked for.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/library.h"
#include "shim/cudart/cudart.h"
#include "shim/cudart/version.h"

typedef int driver_find(const char *symbol, void **address, int version, uint64_t flags, int *result);

static driver_find *find;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_driver(void) {
    Dl_info here;
    char path[4096];
    if (!dladdr((void *)&once, &here) || !here.dli_fname) return;
    const char *end = strrchr(here.dli_fname, '/');
    const int folder = end ? (int)(end - here.dli_fname) : 0;
    if (snprintf(path, sizeof path, "%.*s%sdriver/libcuda.so.1", folder, here.dli_fname, end ? "/" : "") >=
        (int)sizeof path)
        return;
    void *driver = dlopen(path, RTLD_NOW | RTLD_LOCAL), *entry = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
    int (*init)(unsigned) = NULL;
    void *init_entry = driver ? dlsym(driver, "cuInit") : NULL;
    memcpy(&init, &init_entry, sizeof init);
    if (!entry || !init || init(0)) return;
    memcpy(&find, &entry, sizeof find);
}

static hw_rt_status status_of(int result) {
    for (int i = 0; i < HW_RT_STATUSES; i++)
        if (hw_rt_status_rows[i].driver_number == result) return (hw_rt_status)i;
    return HW_RT_UNKNOWN;
}

// The driver's entry, as CUDA of that version has it; NULL: there is none.
static void *driver_entry(const char *symbol, int version) {
    void *address = NULL;
    pthread_once(&once, load_driver);
    return find && !find(symbol, &address, version, 0, NULL) ? address : NULL;
}

// Calls an entry with what it takes.
#define CALL(entry, parameters, ...)                                                                   \
    do {                                                                                               \
        int(*hw_call) parameters = NULL;                                                               \
        void *hw_found = driver_entry(#entry, 13000);                                                  \
        memcpy(&hw_call, &hw_found, sizeof hw_call);                                                   \
        return hw_cudart_return(hw_call ? status_of(hw_call(__VA_ARGS__)) : HW_RT_NOT_SUPPORTED);      \
    } while (0)

// ---- entries ----

// What is not there is told by *found, and is no error where the program asks for that.
HW_EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                       unsigned long long flags,
                                                       enum cudaDriverEntryPointQueryResult *found) {
    HW_ENTER();
    enum { NOT_FOUND = 500 };
    int result = 0;
    pthread_once(&once, load_driver);
    if (!symbol || !function) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (!find) return hw_cudart_return(HW_RT_NOT_SUPPORTED);
    const int answer = find(symbol, function, (int)version, flags, &result);
    if (found) *found = (enum cudaDriverEntryPointQueryResult)result;
    return answer == NOT_FOUND && found ? cudaSuccess : hw_cudart_return(status_of(answer));
}

HW_EXPORT cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                              enum cudaDriverEntryPointQueryResult *found) {
    int version = 0;
    const cudaError_t error = cudaRuntimeGetVersion(&version);
    return error ? error : cudaGetDriverEntryPointByVersion(symbol, function, (unsigned)version, flags, found);
}

// Programs with a default stream of each thread want its entries.
enum { PER_THREAD = 2 };

HW_EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function, unsigned version,
                                                            unsigned long long flags,
                                                            enum cudaDriverEntryPointQueryResult *found) {
    return cudaGetDriverEntryPointByVersion(symbol, function, version, flags ? flags : PER_THREAD, found);
}

HW_EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, unsigned long long flags,
                                                   enum cudaDriverEntryPointQueryResult *found) {
    return cudaGetDriverEntryPoint(symbol, function, flags ? flags : PER_THREAD, found);
}

// ---- libraries ----

HW_EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *options,
                                          void **values, unsigned count, enum cudaLibraryOption *library_options,
                                          void **library_values, unsigned library_count) {
    HW_ENTER();
    CALL(cuLibraryLoadData, (cudaLibrary_t *, const void *, void *, void **, unsigned, void *, void **, unsigned),
         library, code, options, values, count, library_options, library_values, library_count);
}

HW_EXPORT cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *options,
                                              void **values, unsigned count, enum cudaLibraryOption *library_options,
                                              void **library_values, unsigned library_count) {
    HW_ENTER();
    CALL(cuLibraryLoadFromFile, (cudaLibrary_t *, const char *, void *, void **, unsigned, void *, void **, unsigned),
         library, path, options, values, count, library_options, library_values, library_count);
}

HW_EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    HW_ENTER();
    CALL(cuLibraryUnload, (cudaLibrary_t), library);
}

HW_EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    HW_ENTER();
    CALL(cuLibraryGetKernel, (cudaKernel_t *, cudaLibrary_t, const char *), kernel, library, name);
}

HW_EXPORT cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
    HW_ENTER();
    CALL(cuLibraryGetKernelCount, (unsigned *, cudaLibrary_t), count, library);
}

HW_EXPORT cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count, cudaLibrary_t library) {
    HW_ENTER();
    CALL(cuLibraryEnumerateKernels, (cudaKernel_t *, unsigned, cudaLibrary_t), kernels, count, library);
}

HW_EXPORT cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
    HW_ENTER();
    CALL(cuLibraryGetGlobal, (void **, size_t *, cudaLibrary_t, const char *), address, bytes, library, name);
}

HW_EXPORT cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
    HW_ENTER();
    CALL(cuLibraryGetManaged, (void **, size_t *, cudaLibrary_t, const char *), address, bytes, library, name);
}

HW_EXPORT cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value,
                                                      int device) {
    const hw_rt_status status = hw_rt_check_device(hw_shim_runtime(), device);
    return status ? hw_cudart_return(status) : cudaFuncSetAttribute((const void *)kernel, attr, value);
}
