// Events.
#include "shim/cudart/event.h"

#include "runtime/graph.h"
#include "shim/cudart/cudart.h"

_Static_assert(cudaEventBlockingSync == HW_RT_EVENT_BLOCKING && cudaEventDisableTiming == HW_RT_EVENT_NO_TIMING &&
               cudaEventInterprocess == HW_RT_EVENT_INTERPROCESS, "the runtime numbers flags as CUDA does");

HW_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_event_create(hw_shim_runtime(), flags, (hw_rt_event **)event));
}

HW_EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

HW_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_event_destroy(hw_shim_runtime(), hw_event_of(event)));
}

HW_EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_event_record(hw_shim_runtime(), hw_event_of(event), hw_stream_of(stream)));
}

HW_EXPORT cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecord(event, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    HW_ENTER();
    hw_rt_status status;
    if (flags & ~(unsigned)cudaEventRecordExternal) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (flags && hw_rt_capture_event(hw_shim_runtime(), hw_stream_of(stream), hw_event_of(event), HW_RT_NODE_RECORD,
                                     &status))
        return hw_cudart_return(status);
    return cudaEventRecord(event, stream);
}

HW_EXPORT cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    return cudaEventRecordWithFlags(event, hw_of_thread(stream), flags);
}

HW_EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_event_query(hw_shim_runtime(), hw_event_of(event)));
}

HW_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_event_synchronize(hw_shim_runtime(), hw_event_of(event)));
}

cudaError_t hw_event_elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    HW_ENTER();
    int64_t ns;
    if (!milliseconds) return hw_cudart_return(HW_RT_INVALID_VALUE);
    hw_rt_status status = hw_rt_event_elapsed(hw_shim_runtime(), hw_event_of(start), hw_event_of(end), &ns);
    if (!status) *milliseconds = (float)((double)ns * 1e-6);
    return hw_cudart_return(status);
}
