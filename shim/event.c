// Events. Recording notes the time on this machine's clock; what lies between two events is the time that the
// simulation took, not what a GPU would take.
#define _GNU_SOURCE
#include "event.h"

#include <time.h>

#include "base/alloc.h"
#include "shim.h"
#include "tell.h"

struct CUevent_st {
    unsigned flags;
    bool is_recorded;
    uint64_t ns;
};

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

HW_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    HW_ENTER();
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    bool alone = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    if (!event || (flags & ~known) || alone) return hw_shim_return(cudaErrorInvalidValue);
    struct CUevent_st *made = hw_calloc(1, sizeof *made);
    if (!made || !hw_handle_add(HW_HANDLE_EVENT, made)) {
        hw_free(made);
        return hw_shim_return(cudaErrorMemoryAllocation);
    }
    made->flags = flags;
    *event = made;
    hw_shim_tell_order(HW_HOST_EVENT_CREATE, NULL, made);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

HW_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
    HW_ENTER();
    if (!hw_handle_remove(HW_HANDLE_EVENT, event)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    hw_shim_tell_order(HW_HOST_EVENT_DESTROY, NULL, event);
    hw_free(event);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    HW_ENTER();
    if (!hw_handle_is(HW_HANDLE_EVENT, event) || !hw_stream_is_valid(stream))
        return hw_shim_return(cudaErrorInvalidResourceHandle);
    event->is_recorded = true;
    event->ns = now_ns();
    hw_shim_tell_order(HW_HOST_EVENT_RECORD, stream, event);
    return cudaSuccess;
}
HW_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);

HW_EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    if (flags & ~(unsigned)cudaEventRecordExternal) return hw_shim_return(cudaErrorInvalidValue);
    return cudaEventRecord(event, stream);
}
HW_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

HW_EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) {
    HW_ENTER();
    return hw_shim_return(hw_handle_is(HW_HANDLE_EVENT, event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

HW_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    cudaError_t error = cudaEventQuery(event);
    if (!error) hw_shim_tell_order(HW_HOST_EVENT_SYNCHRONIZE, NULL, event);
    return error;
}

cudaError_t hw_event_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    HW_ENTER();
    if (!milliseconds) return hw_shim_return(cudaErrorInvalidValue);
    if (!hw_handle_is(HW_HANDLE_EVENT, start) || !hw_handle_is(HW_HANDLE_EVENT, end) || !start->is_recorded ||
        !end->is_recorded || ((start->flags | end->flags) & cudaEventDisableTiming))
        return hw_shim_return(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(int64_t)(end->ns - start->ns) * 1e-6);
    return cudaSuccess;
}
