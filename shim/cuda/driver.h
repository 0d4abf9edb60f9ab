// What the files of the CUDA driver look-alike share.
//
// One file per family of calls; entries.def lists them all. An exported function has the name that the library has for
// it, so that cuX_v2 is what programs call as cuX, and nothing else is exported. Every call that on a GPU needs a
// current context begins with HW_ENTER; every call that can fail ends in hw_cuda_return, which gives the runtime's
// status the driver's number.
#ifndef HW_SHIM_CUDA_DRIVER_H
#define HW_SHIM_CUDA_DRIVER_H

#define __CUDA_API_VERSION_INTERNAL   // names as they are
#include "cuda.h"
#include "runtime/array.h"
#include "runtime/device.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/own_work.h"
#include "shim/shim.h"

#define HW_ENTER()                                            \
    HW_IN_CALL();                                             \
    do {                                                      \
        hw_rt_status hw_entered = hw_cuda_enter();            \
        if (hw_entered) return hw_cuda_return(hw_entered);    \
    } while (0)

// result.c
CUresult hw_cuda_return(hw_rt_status status);

// unsupported.c: CUDA_ERROR_NOT_SUPPORTED; the call's name goes to stderr the first time, and to the halfwarp command.
CUresult hw_cuda_unsupported(const char *call);

// init.c: has the program called cuInit, or a runtime in the same process made the GPU?
bool hw_cuda_is_initialized(void);

// context.c: HW_RT_NOT_INITIALIZED, HW_RT_INVALID_CONTEXT, or what a fault has left.
hw_rt_status hw_cuda_enter(void);
CUcontext hw_cuda_current(void);                 // NULL: none
bool hw_cuda_is_context(CUcontext context);      // alive
CUcontext hw_cuda_primary(CUdevice device);      // of a device that there is, also while nobody has retained it
CUdevice hw_cuda_device_of(CUcontext context);   // of one that is alive
hw_runtime *hw_cuda_gpu(CUdevice device);        // NULL: there is no such device

// storage.c: values that the static runtime keeps with a context, by their keys (export.c).
typedef void (*hw_cuda_forget)(CUcontext context, void *key, void *value);
hw_rt_status hw_cuda_storage_put(CUcontext context, void *key, void *value, hw_cuda_forget forget);
hw_rt_status hw_cuda_storage_get(CUcontext context, void *key, void **value);   // HW_RT_INVALID_HANDLE
hw_rt_status hw_cuda_storage_remove(CUcontext context, void *key);
// The context's values go: each one's `forget` is called. Not with a lock of this door held.
void hw_cuda_storage_clear(CUcontext context);

// image.c: PTX out of device code that a program holds in memory, or has in a file. code->ptx is freed with hw_free.
// Why there is none is told on stderr, and is in diag.
hw_rt_status hw_cuda_read_image(const void *image, hw_rt_code *code, hw_diag *diag);
hw_rt_status hw_cuda_read_file(const char *path, hw_rt_code *code, hw_diag *diag);
// A text that failed to load: told in the same way.
void hw_cuda_tell_bad_image(const void *image, hw_rt_status status, const hw_diag *diag);

// jit.c: what a program wants to be told of a compilation, of its options.
typedef struct hw_cuda_jit {
    char *info, *error;                          // its buffers, or NULL
    size_t info_bytes, error_bytes;
    void **info_size, **error_size, **wall_ms;   // where their values are written back, or NULL
    uint64_t began_ns;
} hw_cuda_jit;
void hw_cuda_jit_begin(hw_cuda_jit *jit, unsigned count, const CUjit_option *options, void **values);
void hw_cuda_jit_end(const hw_cuda_jit *jit, const hw_diag *diag);   // diag->text "": nothing is wrong

// library.c: a function that a program names by its function or its kernel; NULL: it is neither, or a kernel that
// cannot be loaded, with the status that says why.
hw_rt_function *hw_cuda_function(CUfunction function, hw_rt_status *status);

// function.c: of a function that is one.
CUresult hw_cuda_get_attribute(int *value, CUfunction_attribute attribute, hw_rt_function *function);
CUresult hw_cuda_set_attribute(CUfunction_attribute attribute, int value, hw_rt_function *function);

// array.c: false where there is no such format or number of channels.
bool hw_cuda_channels(CUarray_format format, unsigned count, hw_rt_channels *out);

// Handles are the runtime's objects.
static inline hw_rt_stream *hw_stream_of(CUstream stream) { return (hw_rt_stream *)stream; }
static inline hw_rt_event *hw_event_of(CUevent event) { return (hw_rt_event *)event; }
static inline hw_rt_array *hw_array_of(CUarray array) { return (hw_rt_array *)array; }
static inline hw_rt_pool *hw_pool_of(CUmemoryPool pool) { return (hw_rt_pool *)pool; }
static inline hw_rt_module *hw_module_of(CUmodule module) { return (hw_rt_module *)module; }

// Of allocations, copies and sets: those that wait until they are done, and those that are put into a stream.
static inline hw_rt_order hw_in_turn(void) { return (hw_rt_order){0}; }
static inline hw_rt_order hw_in_stream(CUstream stream) { return (hw_rt_order){hw_stream_of(stream), true}; }

// Programs compiled for a default stream of each thread (--default-stream per-thread) call variants of the same
// functions: cuX_ptsz, whose stream 0 is the thread's, and cuX_ptds, which waits and names no stream. A variant behind
// which nobody can tell streams apart is an alias.
static inline CUstream hw_of_thread(CUstream stream) { return stream ? stream : CU_STREAM_PER_THREAD; }
static inline hw_rt_order hw_in_turn_of_thread(void) { return (hw_rt_order){.stream = HW_RT_STREAM_PER_THREAD}; }

#endif
