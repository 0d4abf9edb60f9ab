// Contexts: the device's primary one, those that a program makes, and which is a thread's current one.
//
// There is one GPU, and all contexts share its memory and its modules: what a program gives up with a context goes with
// the last of them (the primary one counts while it is retained, or while the shared runtime is in the process).
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
    bool is_alive;                     // those that were destroyed stay, so that their handles are nobody's
};

static struct CUctx_st primary = {.version = VERSION, .id = 1, .is_alive = true};
static struct CUctx_st *made_contexts;
static unsigned n_alive, n_retained;   // of those that were made; of the primary one
static unsigned long long last_id = 1;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local CUcontext pushed[MOST_PUSHED];
static _Thread_local unsigned n_pushed;

CUcontext hw_cuda_primary(void) { return &primary; }

bool hw_cuda_is_context(CUcontext context) {
    if (context == &primary) return true;
    pthread_mutex_lock(&contexts_lock);
    const struct CUctx_st *found = made_contexts;
    while (found && found != context) found = found->next;
    const bool is_alive = found && found->is_alive;
    pthread_mutex_unlock(&contexts_lock);
    return is_alive;
}

static bool is_used_by_runtime(void) {
    return hw_shim_process_get()->has_cudart && hw_rt_had_context(hw_shim_runtime());
}

// The shared runtime makes the primary context current, as a thread that has pushed none finds it.
CUcontext hw_cuda_current(void) {
    if (n_pushed) return pushed[n_pushed - 1];
    return is_used_by_runtime() ? &primary : NULL;
}

hw_rt_status hw_cuda_enter(void) {
    CUcontext current = n_pushed ? pushed[n_pushed - 1] : NULL;
    if (!current) {
        if (!hw_cuda_is_initialized()) return HW_RT_NOT_INITIALIZED;
        if (!(current = hw_cuda_current())) return HW_RT_INVALID_CONTEXT;
    }
    if (!current->is_alive) return HW_RT_CONTEXT_DESTROYED;
    return hw_rt_enter(hw_shim_runtime());
}

static hw_rt_status push_context(CUcontext context) {
    if (n_pushed == MOST_PUSHED) return HW_RT_NO_MEMORY;
    pushed[n_pushed++] = context;
    return HW_RT_SUCCESS;
}

// ---- contexts that programs make ----

static CUresult create_context(CUcontext *context, unsigned flags, CUdevice device, unsigned version) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!context || flags & ~(unsigned)CU_CTX_FLAGS_MASK) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_status status = hw_rt_check_device(device);
    if (!status) status = hw_rt_open(hw_shim_runtime());
    if (status) return hw_cuda_return(status);
    struct CUctx_st *made = hw_calloc(1, sizeof *made);
    if (!made) return hw_cuda_return(HW_RT_NO_MEMORY);
    pthread_mutex_lock(&contexts_lock);
    *made = (struct CUctx_st){made_contexts, flags, version, ++last_id, true};
    made_contexts = made;
    n_alive++;
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
static bool is_unused(void) { return n_alive == 0 && n_retained == 0 && !is_used_by_runtime(); }

HW_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!context || context == &primary || !hw_cuda_is_context(context)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    hw_cuda_storage_clear(context);
    pthread_mutex_lock(&contexts_lock);
    context->is_alive = false;
    n_alive--;
    const bool resets = is_unused();
    pthread_mutex_unlock(&contexts_lock);
    if (n_pushed && pushed[n_pushed - 1] == context) n_pushed--;
    if (resets) hw_rt_reset(hw_shim_runtime());
    return CUDA_SUCCESS;
}
HW_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

// ---- the thread's current one ----

HW_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    return hw_cuda_return(hw_cuda_is_context(context) ? push_context(context) : HW_RT_INVALID_CONTEXT);
}
HW_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);

HW_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (!n_pushed) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    n_pushed--;
    if (context) *context = pushed[n_pushed];
    return CUDA_SUCCESS;
}
HW_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

// Takes the place of the one at the top; NULL: takes that away.
HW_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
    if (!hw_cuda_is_initialized()) return hw_cuda_return(HW_RT_NOT_INITIALIZED);
    if (context && !hw_cuda_is_context(context)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    if (n_pushed) n_pushed--;
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
    if (!context_of(context)) return hw_cuda_return(HW_RT_INVALID_CONTEXT);
    if (!device) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *device = 0;
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
    return hw_cuda_is_initialized() ? hw_rt_check_device(device) : HW_RT_NOT_INITIALIZED;
}

HW_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    hw_rt_status status = check_device(device);
    if (!status && !context) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_open(hw_shim_runtime());
    if (status) return hw_cuda_return(status);
    pthread_mutex_lock(&contexts_lock);
    n_retained++;
    pthread_mutex_unlock(&contexts_lock);
    *context = &primary;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    const hw_rt_status status = check_device(device);
    if (status) return hw_cuda_return(status);
    pthread_mutex_lock(&contexts_lock);
    const bool was_retained = n_retained > 0;
    if (was_retained) n_retained--;
    const bool is_last = was_retained && n_retained == 0, resets = is_last && is_unused();
    pthread_mutex_unlock(&contexts_lock);
    if (is_last) hw_cuda_storage_clear(&primary);
    if (resets) {
        hw_findings_abandoned();   // the static runtime lets go of it when the program ends
        hw_rt_reset(hw_shim_runtime());
    }
    return hw_cuda_return(was_retained ? HW_RT_SUCCESS : HW_RT_INVALID_CONTEXT);
}
HW_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

// Whoever has retained it goes on with an empty one.
HW_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    const hw_rt_status status = check_device(device);
    if (status) return hw_cuda_return(status);
    hw_cuda_storage_clear(&primary);
    hw_rt_reset(hw_shim_runtime());
    return CUDA_SUCCESS;
}
HW_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

HW_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    hw_rt_status status = check_device(device);
    if (!status && flags & ~(unsigned)CU_CTX_FLAGS_MASK) status = HW_RT_INVALID_VALUE;
    if (!status) primary.flags = flags;
    return hw_cuda_return(status);
}
HW_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

HW_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    const hw_rt_status status = check_device(device);
    if (status) return hw_cuda_return(status);
    pthread_mutex_lock(&contexts_lock);
    if (flags) *flags = primary.flags;
    if (active) *active = n_retained > 0 || is_used_by_runtime();
    pthread_mutex_unlock(&contexts_lock);
    return CUDA_SUCCESS;
}
