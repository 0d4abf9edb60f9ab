// The calls that compiled programs make before main, and for each <<<>>>.
#include <string.h>

#include "shim/cudart/registry.h"
#include "shim/process.h"

__attribute__((constructor)) static void announce(void) { hw_shim_process_get()->has_cudart = true; }

HW_EXPORT void **__cudaRegisterFatBinary(void *wrapper) { return (void **)hw_registry_add_image(wrapper); }

HW_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
    hw_image *image = (hw_image *)handle;
    // Host code reads such variables without a call that could load them.
    if (image && hw_registry_has_managed(image) && !hw_rt_open(hw_shim_runtime())) hw_registry_load_all();
}

HW_EXPORT void __cudaUnregisterFatBinary(void **handle) {
    if (handle) hw_registry_drop_image((hw_image *)handle);
}

HW_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                                      uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size) {
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    if (handle && name) hw_registry_add_function((hw_image *)handle, host, name);
}

HW_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                                 int is_constant, int is_global) {
    (void)device, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    if (handle && name) hw_registry_add_variable((hw_image *)handle, host, NULL, name);
}

HW_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern,
                                        size_t bytes, int is_constant, int is_global) {
    (void)device, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    if (handle && name) hw_registry_add_variable((hw_image *)handle, host, host, name);
}

HW_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
    (void)handle, (void)name, (void)host, (void)bytes;
}

// Before the host code of a program compiled by nvcc first touches a managed variable.
HW_EXPORT char __cudaInitModule(void **handle) {
    (void)handle;
    return !hw_rt_open(hw_shim_runtime()) && !hw_registry_load_all();
}

HW_EXPORT void __halfwarpRegisterManagedRange(void *begin, void *end) {
    hw_registry_add_managed_range(hw_address(begin), hw_address(end));
}

// The <<<>>> of a thread, until the stub that it calls takes it. Arguments with launches of their own nest.
typedef struct configuration {
    dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    void *return_address;         // of the function with the <<<>>>; the kernel's stubs may be inlined into it or not
} configuration;

enum { MAX_NESTED = 32 };
static _Thread_local configuration pushed_configurations[MAX_NESTED];
static _Thread_local int n_pushed;
static _Thread_local void *launch_address;

HW_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream) {
    if (n_pushed == MAX_NESTED) return 1;
    pushed_configurations[n_pushed++] = (configuration){grid, block, shared_bytes, stream, __builtin_return_address(0)};
    return 0;
}

HW_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream) {
    if (n_pushed == 0) return hw_cudart_return(HW_RT_NOT_CONFIGURED);
    const configuration *top = &pushed_configurations[--n_pushed];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    memcpy(stream, &top->stream, sizeof top->stream);
    launch_address = top->return_address;
    return cudaSuccess;
}

void *hw_cudart_take_launch_address(void) {
    void *address = launch_address;
    launch_address = NULL;
    return address;
}
