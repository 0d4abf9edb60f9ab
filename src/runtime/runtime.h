// The core behind all doors: simulated GPUs, each with the state that CUDA's interfaces keep for it.
//
// A machine has one GPU or several of the same kind, and an hw_runtime is one of them: what is said here of
// a runtime is said of each GPU. They share their addresses, and the host's time.
//
// A door (shim/cudart, in time others) translates the arguments of its interface, calls here, and translates the
// status. Everything hangs on an hw_runtime. It is there from the start; its context, which is the GPU's memory and
// modules, comes with the first call that needs one and goes with hw_rt_reset. Handles (streams, events, arrays, pools,
// modules, functions) are pointers that every call looks up before it follows them, so that a stray one is an
// HW_RT_INVALID_HANDLE; what one door made is good in the others. Each belongs to its runtime and is freed with it. A
// call by a stream or an event of another GPU of the machine is that GPU's, as with CUDA, unless it says otherwise.
//
// A kernel has finished when the call that launches it returns, and so has a copy: streams and events are bookkeeping,
// and what a GPU would not have done yet by its own time.
// A kernel's fault leaves the launch successful and becomes sticky: every later call that needs the context returns it.
//
// Threads: any, for all calls but hw_rt_destroy. Nothing here prints, exits or reads the environment.
#ifndef HW_RUNTIME_RUNTIME_H
#define HW_RUNTIME_RUNTIME_H

#include "device/sim.h"
#include "event/host.h"
#include "runtime/status.h"
#include "timeline/timeline.h"

typedef struct hw_runtime hw_runtime;

typedef struct hw_rt_options {
    hw_sim_options device;              // its gpu outlives the runtime; place, memory and common are the runtime's own,
                                        // and are not read
    uint32_t gpus;                      // of the machine, HW_MEM_GPUS at most; 0: one
    uint8_t places[HW_MEM_GPUS];        // where each is on the bus
    bool hides_gpus;                    // the program is to find none: calls end in HW_RT_NO_DEVICE
    void *context;                      // of the calls below, each of which may be NULL
    // A context has come: sinks are attached to sim. Other than HW_OK, there is none after all.
    hw_status (*opened)(void *context, hw_sim *sim, hw_diag *diag);
    void (*closing)(void *context, hw_sim *sim);           // and is about to go
    void (*failed)(void *context, const hw_diag *diag);    // none could be made: told once
    // A kernel that the program launches or asks about cannot be executed: why, told before that call fails.
    void (*refused)(void *context, const hw_diag *diag, hw_rt_status status);
    void (*faulted)(void *context, const hw_fault *fault); // of a launch, on its thread, before the launch returns
    // Who is calling, for observers (event/host.h); asked only when there is one. NULL: nobody is named.
    const void *(*site)(void *context);
    // Events and streams show the GPU's own time, whose options (timeline/timeline.h) these two are; else this
    // machine's.
    bool has_gpu_time;
    bool (*launched)(void *context, hw_timeline_launch *out);
    void (*done)(void *context, const hw_span *span);
    // How registers are asked of ptxas (toolchain/toolchain.h); ptxas_path NULL: they are estimated. Copied.
    const char *ptxas_path;             // folders as in PATH
    const char *cache_dir;
} hw_rt_options;

// The first GPU of a machine, without a context yet. HW_USAGE without a GPU or with too many, HW_NO_MEMORY.
hw_status hw_rt_create(const hw_rt_options *options, hw_runtime **out, hw_diag *diag);
// The machine, of which it may be any GPU, and all that belongs to it. NULL is allowed.
void hw_rt_destroy(hw_runtime *runtime);

// The GPUs of a runtime's machine: how many, which of them it is, where that is on the bus, and one by its number, NULL
// where there is none.
uint32_t hw_rt_gpus(const hw_runtime *runtime);   // 0: they are hidden
uint32_t hw_rt_number(const hw_runtime *runtime);
uint32_t hw_rt_place(const hw_runtime *runtime);
hw_runtime *hw_rt_gpu_at(const hw_runtime *runtime, int number);

// The machine that all doors of this process share, and never destroy: the GPU that is the thread's current one. The
// first call makes it: describe fills the zeroed options, while other threads wait. After a fork the child's copy of a
// GPU, if it had a context, gives HW_RT_NOT_INITIALIZED, since the threads of the GPU have stayed with the parent. NULL
// when out of memory.
hw_runtime *hw_rt_process(void (*describe)(hw_rt_options *options));

// The same where a door has made it; else NULL.
hw_runtime *hw_rt_process_made(void);

// Makes that GPU the thread's current one; each thread begins with the first. Its number must be one.
void hw_rt_process_select(uint32_t number);
uint32_t hw_rt_process_selected(void);

// options.context of the door that made it.
void *hw_rt_context(const hw_runtime *runtime);
const hw_gpu *hw_rt_gpu(const hw_runtime *runtime);

// Makes sure that there is a context, whatever its kernels have done. HW_RT_NOT_INITIALIZED.
hw_rt_status hw_rt_open(hw_runtime *runtime);
// The context's simulated device, which sinks are attached to; NULL: there is none now.
hw_sim *hw_rt_simulation(const hw_runtime *runtime);
// What every call that needs a context begins with, by itself: the sticky status, or hw_rt_open's. Costs one load when
// all is well.
hw_rt_status hw_rt_enter(hw_runtime *runtime);
// The GPU's clock; NULL: times are this machine's.
hw_timeline *hw_rt_timeline(const hw_runtime *runtime);
// A number that changes with each context; 0: none now. Modules and functions of another one are gone.
uint64_t hw_rt_epoch(const hw_runtime *runtime);
bool hw_rt_had_context(const hw_runtime *runtime);   // now, or before a reset

// Frees the memory and modules, and forgets a sticky status. Streams, events, pools and settings stay; arrays stay
// without their memory. Nothing happens in a forked process, whose parent has the context.
void hw_rt_reset(hw_runtime *runtime);

// For doors, whose errors are numbers of their own: tells observers that a call of this thread ends with an error
// (HW_HOST_ERROR), or that it asks for its last one (HW_HOST_ASK). name: "cudaErrorInvalidValue", of the door's, which
// is never unloaded. Costs a test where nobody wants to know.
void hw_rt_tell_error(hw_runtime *runtime, hw_host_action action, const char *name, bool is_launch);

// HW_RT_SUCCESS, or why calls fail from now on until hw_rt_reset.
hw_rt_status hw_rt_sticky(const hw_runtime *runtime);

#endif
