// What the files of the CUDA runtime look-alike share.
//
// One file per family of calls; api.def lists them all. An exported function has the CUDA name and nothing else is
// exported. Every call that on a GPU needs a context begins with HW_ENTER: it makes the simulated GPU, loads the
// modules registered so far and hands out a sticky error. Every call that can fail ends in hw_cudart_return, which
// translates the runtime's status and keeps a failure as the thread's last error.
#ifndef HW_SHIM_CUDART_CUDART_H
#define HW_SHIM_CUDART_CUDART_H

#include "cuda_runtime_api.h"
#include "runtime/array.h"
#include "runtime/device.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/own_work.h"
#include "shim/cudart/unsupported.h"
#include "shim/shim.h"

#define HW_ENTER()                                               \
    HW_IN_CALL();                                                \
    do {                                                         \
        hw_rt_status hw_entered = hw_cudart_enter();             \
        if (hw_entered) return hw_cudart_return(hw_entered);     \
    } while (0)

// error.c
cudaError_t hw_cudart_return(hw_rt_status status);
cudaError_t hw_cudart_return_launch(hw_rt_status status);   // of <<<>>>, which gives it to nobody
hw_rt_status hw_cudart_enter(void);

// register.c: where the <<<>>> stands whose launch this thread is about to make; NULL when there is none. Once.
void *hw_cudart_take_launch_address(void);

// registry.c: fat binaries and what host addresses stand for.
typedef struct hw_registered_function {
    const void *host;
    const char *name;                  // mangled; as the program registered it
    struct hw_image *image;
    hw_rt_function *functions[HW_MEM_GPUS];   // by GPU; NULL until its module is loaded there
} hw_registered_function;
typedef struct hw_registered_variable {
    const void *host;
    void **managed;                    // where the program keeps a managed variable's address, or NULL
    const char *name;
    struct hw_image *image;
    uint64_t addresses[HW_MEM_GPUS];   // by GPU; 0 until its module is loaded there
    uint64_t bytes;
} hw_registered_variable;
hw_rt_status hw_registry_load_all(void);
hw_registered_function *hw_registry_function(const void *host);   // NULL: none. Also takes what cudaGetKernel gave.
hw_registered_variable *hw_registry_variable(const void *host);
// The number of the thread's current GPU.
static inline uint32_t hw_registry_gpu(void) { return hw_rt_number(hw_shim_runtime()); }

// properties.c
void hw_properties_11(const hw_runtime *of, void *out);
void hw_properties_12(const hw_runtime *of, void *out);
void hw_properties_13(const hw_runtime *of, struct cudaDeviceProp *out);

// function.c: the loaded function of a host address; else NULL, with the status that says why not.
hw_rt_function *hw_cudart_function(const void *host, hw_rt_status *status);
// The part of the struct that every version has, up to preferredShmemCarveout.
cudaError_t hw_function_attributes(struct cudaFuncAttributes *out, size_t out_bytes, const void *host);

// Handles are the runtime's objects.
static inline hw_rt_stream *hw_stream_of(cudaStream_t stream) { return (hw_rt_stream *)stream; }
static inline hw_rt_event *hw_event_of(cudaEvent_t event) { return (hw_rt_event *)event; }
static inline hw_rt_array *hw_array_of(cudaArray_const_t array) { return (hw_rt_array *)array; }
static inline hw_rt_pool *hw_pool_of(cudaMemPool_t pool) { return (hw_rt_pool *)pool; }

// Of allocations, copies and sets: those that wait until they are done, and those that are put into a stream.
static inline hw_rt_order hw_in_turn(void) { return (hw_rt_order){0}; }
static inline hw_rt_order hw_in_stream(cudaStream_t stream) { return (hw_rt_order){hw_stream_of(stream), true}; }

// Programs compiled for a default stream of each thread (--default-stream per-thread) call variants of the same
// functions: cudaX_ptsz, whose stream 0 is the thread's, and cudaX_ptds, which waits and names no stream. A variant
// behind which nobody can tell streams apart is an alias.
static inline cudaStream_t hw_of_thread(cudaStream_t stream) { return stream ? stream : cudaStreamPerThread; }
static inline hw_rt_order hw_in_turn_of_thread(void) { return (hw_rt_order){.stream = HW_RT_STREAM_PER_THREAD}; }

static inline hw_rt_channels hw_channels_of(const struct cudaChannelFormatDesc *desc) {
    return (hw_rt_channels){.bits = {desc->x, desc->y, desc->z, desc->w}, .kind = (int)desc->f};
}

#endif
