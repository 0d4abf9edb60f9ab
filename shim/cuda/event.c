// Events.
#include "runtime/graph.h"
#include "shim/cuda/driver.h"

_Static_assert((int)CU_EVENT_BLOCKING_SYNC == HW_RT_EVENT_BLOCKING &&
               (int)CU_EVENT_DISABLE_TIMING == HW_RT_EVENT_NO_TIMING &&
               (int)CU_EVENT_INTERPROCESS == HW_RT_EVENT_INTERPROCESS, "the runtime numbers flags as CUDA does");

HW_EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_event_create(hw_shim_runtime(), flags, (hw_rt_event **)event));
}

HW_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_event_destroy(hw_shim_runtime(), hw_event_of(event)));
}
HW_ALIAS(cuEventDestroy, cuEventDestroy_v2);

HW_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_event_record(hw_shim_runtime(), hw_event_of(event), hw_stream_of(stream)));
}

HW_EXPORT CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
    return cuEventRecord(event, hw_of_thread(stream));
}

HW_EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    HW_ENTER();
    hw_rt_status status;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (flags && hw_rt_capture_event(hw_shim_runtime(), hw_stream_of(stream), hw_event_of(event), HW_RT_NODE_RECORD,
                                     &status))
        return hw_cuda_return(status);
    return cuEventRecord(event, stream);
}

HW_EXPORT CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
    return cuEventRecordWithFlags(event, hw_of_thread(stream), flags);
}

HW_EXPORT CUresult cuEventSynchronize(CUevent event) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_event_synchronize(hw_shim_runtime(), hw_event_of(event)));
}

HW_EXPORT CUresult cuEventQuery(CUevent event) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_event_query(hw_shim_runtime(), hw_event_of(event)));
}

HW_EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
    HW_ENTER();
    int64_t ns;
    if (!milliseconds) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_event_elapsed(hw_shim_runtime(), hw_event_of(start), hw_event_of(end), &ns);
    if (!status) *milliseconds = (float)((double)ns * 1e-6);
    return hw_cuda_return(status);
}
HW_ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);
