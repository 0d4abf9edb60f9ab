// What the files of the CUDA runtime look-alike share.
//
// One file per family of calls; api.def lists them all. An exported function has the CUDA name and nothing else is
// exported. Every call that on a GPU needs a context begins with HW_ENTER: it creates the simulated GPU, loads the
// modules registered so far and hands out a sticky error. Every call that can fail ends in hw_shim_return, which keeps
// the thread's last error. Kernels run in the calling thread until they have finished, so that streams order nothing;
// what a kernel's fault leaves behind is found by the next call, as on a GPU.
#ifndef HW_SHIM_SHIM_H
#define HW_SHIM_SHIM_H

#include "cuda_runtime_api.h"
#include "device/sim.h"
#include "unsupported.h"

// A second name of a function of the same file: the variants for programs compiled for per-thread default streams.
#define HW_ALIAS(second, first) extern __typeof__(first) second __attribute__((alias(#first), visibility("default")))

#define HW_ENTER()                                   \
    do {                                             \
        cudaError_t hw_sticky = hw_shim_enter();     \
        if (hw_sticky) return hw_sticky;             \
    } while (0)

// state.c
cudaError_t hw_shim_enter(void);
hw_sim *hw_shim_sim(void);             // NULL when this machine cannot hold it
const hw_gpu *hw_shim_gpu(void);       // needs no context
// device.c: how wide a function of that cudaSharedMemConfig finds the banks of shared memory, 4 or 8 bytes.
uint32_t hw_shim_bank_bytes(int function_config);
void hw_shim_forget(void);             // cudaDeviceReset: all memory but the modules' is freed
void hw_shim_refuse(const hw_diag *diag, hw_status status) __attribute__((noreturn));   // ends the process
void hw_shim_note(int exit_code, const char *message);   // one line for the halfwarp command; the first one counts

// error.c
cudaError_t hw_shim_return(cudaError_t error);      // remembers a failure as the thread's last error
cudaError_t hw_shim_sticky(void);
void hw_shim_set_sticky(cudaError_t error);
cudaError_t hw_shim_error_of(hw_status status);     // of calls into the simulator

// fault.c
void hw_shim_report_fault(const hw_fault *fault);

// touch.c: a crash of the program's own code in this device memory is explained from now on; NULL: in none.
void hw_touch_watch(const hw_mem *mem);

// library.c: names libraries that cannot work here, loaded since the last time. Costs little when there are none new:
// at the start, when memory is allocated, and at the end.
void hw_library_look(void);
// The file name of the shared library that an address lies in; NULL where that is the program itself, or nothing.
const char *hw_library_of(const void *address);

// site.c: who called. Sites live as long as the process.
const void *hw_shim_site(void);
const void *hw_shim_site_of(void *return_address);   // of one call
const void *hw_shim_site_of_fault(void *instruction);   // in a handler of the signal that it has caused
// "file.cu:12" or "name+0x12" into out; false when nothing is known.
bool hw_shim_describe_site(const void *site, char *out, size_t out_bytes);

// register.c: where the <<<>>> stands whose launch this thread is about to make; NULL when there is none. Once.
void *hw_shim_take_launch_address(void);

// registry.c: fat binaries and what host addresses stand for.
typedef struct hw_registered_function {
    const void *host;
    const char *name;                  // mangled; as the program registered it
    struct hw_image *image;
    hw_sim_function *function;         // NULL until its module is loaded
    int carveout, cache_config;
    int shared_config;                 // cudaSharedMemConfig; default: the device's
} hw_registered_function;
typedef struct hw_registered_variable {
    const void *host;
    void **managed;                    // where the program keeps a managed variable's address, or NULL
    const char *name;
    struct hw_image *image;
    uint64_t address, bytes;           // 0 until its module is loaded
} hw_registered_variable;
cudaError_t hw_registry_load_all(void);
hw_registered_function *hw_registry_function(const void *host);   // NULL: none. Also takes what cudaGetKernel gave.
hw_registered_variable *hw_registry_variable(const void *host);

// handles.c: which streams, events, arrays and pools are alive, so that a stray handle is an error and no crash.
typedef enum hw_handle_kind { HW_HANDLE_STREAM = 1, HW_HANDLE_EVENT, HW_HANDLE_ARRAY, HW_HANDLE_POOL } hw_handle_kind;
bool hw_handle_add(hw_handle_kind kind, void *handle);   // false: out of memory
bool hw_handle_is(hw_handle_kind kind, const void *handle);
bool hw_handle_remove(hw_handle_kind kind, const void *handle);

// stream.c: NULL, the two special ones, or one that is alive.
bool hw_stream_is_valid(cudaStream_t stream);

// copy.c. The place of one side of a copy.
typedef struct hw_region {
    char *start;
    size_t pitch, slice;               // bytes from row to row, from slice to slice
} hw_region;
// rows of width bytes; refuses what no GPU could copy. `kind` as the caller gave it.
cudaError_t hw_copy_rows(hw_region to, hw_region from, size_t width, size_t height, size_t depth,
                         enum cudaMemcpyKind kind, cudaStream_t stream);
// Whether [p, p + bytes) lies in one allocation that the device reaches.
bool hw_is_device_range(const void *p, size_t bytes);

// array.c: where an array's texels are, for reading through a texture; NULL when it is no array or one that cannot be.
const struct cudaChannelFormatDesc *hw_array_place(cudaArray_const_t array, hw_texture *out);

// attribute.c
bool hw_attribute_get(int attribute, int *value);
void hw_properties_11(void *out);
void hw_properties_12(void *out);
void hw_properties_13(struct cudaDeviceProp *out);

// function.c: the part that every version has, up to preferredShmemCarveout.
cudaError_t hw_function_attributes(struct cudaFuncAttributes *out, size_t out_bytes, const void *host);

static inline uint64_t hw_address(const void *p) { return (uint64_t)(uintptr_t)p; }

#endif
