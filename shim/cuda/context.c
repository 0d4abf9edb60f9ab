// Contexts: each device's primary one, those that a program makes, and which is a thread's current one.
//
// All contexts of a GPU share its memory and its modules: what a program gives up with a context goes with the last of
// them (the primary one counts while it is retained, or while the shared runtime is in the process). The GPU of a
// thread's current context is the one that all calls of the thread are for (hw_rt_process_select).
#include <pthread.h>

#include "base/alloc.h"
#include "shim/cuda/driver.h"
#include "shim/findings.h"
#include "shim/process.h"

enum { MOST_PUSHED = 64, VERSION_V1 = 3010, VERSION = 3020 };   // what cuCtxGetApiVersion gives

struct CUctx_st {
    struct CUctx_st *next;
    unsigned flags, version;
    unsigned long long id;
    uint32_t device;
    unsigned n_attached;               // uses beyond the first (cuCtxAttach)
    bool is_alive;                     // those that were destroyed stay, so that their handles are nobody's
};

static struct CUctx_st primaries[HW_MEM_GPUS];
static pthread_once_t primaries_once = PTHREAD_ONCE_INIT;
static struct CUctx_st *made_contexts;
static struct {
    unsigned n_alive, n_retained;      // of those that were made; of the primary one
} uses[HW_MEM_GPUS];
static unsigned long long last_id = HW_MEM_GPUS;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

// A thread's stack, and which GPU was selected before each came upon it.
static _Thread_local struct {
    CUcontext context;
    uint32_t before;
} pushed[MOST_PUSHED];
static _Thread_local unsigned n_pushed;

static void make_primaries(void) {
    for (uint32_t i = 0; i < HW_MEM_GPUS; i++)
        primaries[i] = (struct CUctx_st){.version = VERSION, .id = i + 1, .device = i, .is_alive = true};
}

CUcontext hw_cuda_primary(CUdevice device) {
    pthread_once(&primaries_once, make_primaries);
    return &primaries[device];
}

static bool is_primary(CUcontext context) { return context >= primaries && context < primaries + HW_MEM_GPUS; }

bool hw_cuda_is_context(CUcontext context) {
    if (is_primary(context)) return true;
    pthread_mutex_lock(&contexts_lock);
    const struct CUctx_st *found = made_contexts;
    while (found && found != context) found = found->next;
    const bool is_alive = found && found->is_alive;
    pthread_mutex_unlock(&contexts_lock);
    return is_alive;
}

CUdevice hw_cuda_device_of(CUcontext context) { return (CUdevice)context->device; }

hw_runtime *hw_cuda_gpu(CUdevice device) { return hw_rt_gpu_at(hw_shim_runtime(), device); }

static bool is_used_by_runtime(uint32_t device) {
    return hw_shim_process_get()->has_cudart && hw_rt_had_context(hw_cuda_gpu((CUdevice)device));
}

// The shared runtime makes a primary context current, as a thread that has pushed none finds it: also in place of the
// top of the stack, where its cudaSetDevice has selected another GPU since.
CUcontext hw_cuda_current(void) {
    const uint32_t selected = hw_rt_process_selected();
    if (!n_pushed) return is_used_by_runtime(selected) ? hw_cuda_primary((CUdevice)selected) : NULL;
    CUcontext *top = &pushed[n_pushed - 1].context;
    if ((*top)->device != selected) *top = hw_cuda_primary((CUdevice)selected);
    return *top;
}

hw_rt_status hw_cuda_enter(void) {
    CUcontext current = n_pushed ? hw_cuda_current() : NULL;
    if (!current) {
        if (!hw_cuda_is_initialized()) return HW_RT_NOT_INITIALIZED;
        if (!(current = hw_cuda_current())) return HW_RT_INVALID_CONTEXT;
    }
    if (!current->is_alive) return HW_RT_CONTEXT_DESTROYED;
    return hw_rt_enter(hw_shim_runtime());
}

static hw_rt_status push_context(CUcontext context) {
    if (n_pushed == MOST_PUSHED) return HW_RT_NO_MEMORY;
    pushed[n_pushed].before = hw_rt_process_selected();
    pushed[n_pushed++].context = context;
    hw_rt_process_select(context->device);
    return HW_RT_SUCCESS;
}

static void pop_context(void) { hw_rt_process_select(pushed[--n_pushed].before); }

// ---- contexts that programs make ----

static CUresult create_context(CUcontext *context, unsigned flags, CUdevice device, unsigned version) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!context || flags & ~(unsigned)CU_CTX_FLAGS_MASK) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_status status = hw_rt_check_device(hw_shim_runtime(), device);
    if (!status) status = hw_rt_open(hw_cuda_gpu(device));
    if (status) return hw_cuda_return(status);
    struct CUctx_st *made = hw_calloc(1, sizeof *made);
    if (!made) return hw_cuda_return(HW_RT_NO_MEMORY);
    pthread_mutex_lock(&contexts_lock);
    *made = (struct CUctx_st){.next = made_contexts, .flags = flags, .version = version, .id = ++last_id,
                              .device = (uint32_t)device, .is_alive = true};
    made_contexts = made;
    uses[device].n_alive++;
    pthread_mutex_unlock(&contexts_lock);
    *context = made;
    return hw_cuda_return(push_context(made));
}

HW_EXPORT CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
    return create_context(context, flags, device, VERSION_V1);
}

HW_EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    return create_context(context, flags, device, VERSION);
}

HW_EXPORT CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned flags,
                                  CUdevice device) {
    if (affinity && count) return hw_cuda_unsupported("cuCtxCreate_v3 with execution affinity");
    return create_context(context, flags, device, VERSION);
}

HW_EXPORT CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device) {
    if (params && (params->numExecAffinityParams || params->cigParams))
        return hw_cuda_unsupported("cuCtxCreate_v4 with execution affinity or graphics");
    return create_context(context, flags, device, VERSION);
}

// With the lock held: nobody is left for whom memory and modules are kept.
static bool is_unused(uint32_t device) {
    return uses[device].n_alive == 0 && uses[device].n_retained == 0 && !is_used_by_runtime(device);
}

HW_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!context || is_primary(context) || !hw_cuda_is_context(context)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    hw_cuda_storage_clear(context);
    pthread_mutex_lock(&contexts_lock);
    context->is_alive = false;
    uses[context->device].n_alive--;
    const bool resets = is_unused(context->device);
    pthread_mutex_unlock(&contexts_lock);
    if (n_pushed && pushed[n_pushed - 1].context == context) pop_context();
    if (resets) hw_rt_reset(hw_cuda_gpu((CUdevice)context->device));
    return CUDA_SUCCESS;
}
HW_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

HW_EXPORT CUresult cuCtxAttach(CUcontext *context, unsigned flags) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!context || flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const CUcontext current = hw_cuda_current();
    if (!current || is_primary(current)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    pthread_mutex_lock(&contexts_lock);
    current->n_attached++;
    pthread_mutex_unlock(&contexts_lock);
    *context = current;
    return CUDA_SUCCESS;
}

// Of the thread's current context alone.
HW_EXPORT CUresult cuCtxDetach(CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!context || context != hw_cuda_current() || is_primary(context)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    pthread_mutex_lock(&contexts_lock);
    const bool is_last = !context->n_attached;
    context->n_attached -= !is_last;
    pthread_mutex_unlock(&contexts_lock);
    return is_last ? cuCtxDestroy_v2(context) : CUDA_SUCCESS;
}

// ---- the thread's current one ----

HW_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    return hw_cuda_return(hw_cuda_is_context(context) ? push_context(context) : HW_RT_INVALID_CONTEXT);
}
HW_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);

HW_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!n_pushed) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    const CUcontext top = hw_cuda_current();
    pop_context();
    if (context) *context = top;
    return CUDA_SUCCESS;
}
HW_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

// Takes the place of the one at the top; NULL: takes that away.
HW_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (context && !hw_cuda_is_context(context)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    if (n_pushed) pop_context();
    return hw_cuda_return(context ? push_context(context) : HW_RT_SUCCESS);
}

HW_EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!context) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *context = hw_cuda_current();
    return CUDA_SUCCESS;
}

// ---- what one is ----

// NULL stands for the current one; a handle of none that is alive gives NULL.
static CUcontext context_of(CUcontext context) {
    if (!context) context = hw_cuda_current();
    return context && hw_cuda_is_context(context) ? context : NULL;
}

HW_EXPORT CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    const struct CUctx_st *found = context_of(context);
    if (!found) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    if (!device) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *device = (CUdevice)found->device;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuCtxGetDevice(CUdevice *device) { return cuCtxGetDevice_v2(device, NULL); }

HW_EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
    HW_ENTER();
    if (!flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *flags = hw_cuda_current()->flags;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuCtxSetFlags(unsigned flags) {
    HW_ENTER();
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_cuda_current()->flags = flags;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
    CUcontext found = context_of(context);
    if (!found) return hw_cuda_return(HW_RT_CONTEXT_DESTROYED);
    if (!id) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *id = found->id;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
    CUcontext found = context_of(context);
    if (!found) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    if (!version) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *version = found->version;
    return CUDA_SUCCESS;
}

// ---- the primary one ----

static hw_rt_status check_device(CUdevice device) {
    return hw_cuda_is_initialized() ? hw_rt_check_device(hw_shim_runtime(), device) : HW_RT_NOT_INITIALIZED;
}

HW_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    hw_rt_status status = check_device(device);
    if (!status && !context) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_open(hw_cuda_gpu(device));
    if (status) return hw_cuda_return(status);
    pthread_mutex_lock(&contexts_lock);
    uses[device].n_retained++;
    pthread_mutex_unlock(&contexts_lock);
    *context = hw_cuda_primary(device);
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    const hw_rt_status status = check_device(device);
    if (status) return hw_cuda_return(status);
    pthread_mutex_lock(&contexts_lock);
    const bool was_retained = uses[device].n_retained > 0;
    if (was_retained) uses[device].n_retained--;
    const bool is_last = was_retained && uses[device].n_retained == 0;
    const bool resets = is_last && is_unused((uint32_t)device);
    pthread_mutex_unlock(&contexts_lock);
    if (is_last) hw_cuda_storage_clear(hw_cuda_primary(device));
    if (resets) {
        hw_findings_abandoned();   // the static runtime lets go of it when the program ends
        hw_rt_reset(hw_cuda_gpu(device));
    }
    return hw_cuda_return(was_retained ? HW_RT_SUCCESS : HW_RT_INVALID_CONTEXT);
}
HW_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

// Whoever has retained it goes on with an empty one.
HW_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    const hw_rt_status status = check_device(device);
    if (status) return hw_cuda_return(status);
    hw_cuda_storage_clear(hw_cuda_primary(device));
    hw_rt_reset(hw_cuda_gpu(device));
    return CUDA_SUCCESS;
}
HW_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

HW_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    hw_rt_status status = check_device(device);
    if (!status && flags & ~(unsigned)CU_CTX_FLAGS_MASK) status = HW_RT_INVALID_VALUE;
    if (!status) hw_cuda_primary(device)->flags = flags;
    return hw_cuda_return(status);
}
HW_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

HW_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    const hw_rt_status status = check_device(device);
    if (status) return hw_cuda_return(status);
    pthread_mutex_lock(&contexts_lock);
    if (flags) *flags = hw_cuda_primary(device)->flags;
    if (active) *active = uses[device].n_retained > 0 || is_used_by_runtime((uint32_t)device);
    pthread_mutex_unlock(&contexts_lock);
    return CUDA_SUCCESS;
}
