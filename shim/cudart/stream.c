// Streams. All work is done by the time a call returns, so a stream is no more than its settings, and how far the GPU's
// own clock has come.
#include "runtime/graph.h"
#include "shim/cudart/cudart.h"

_Static_assert((int)cudaStreamNonBlocking == HW_RT_STREAM_NON_BLOCKING, "the runtime numbers flags as CUDA does");

HW_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_stream_create(hw_shim_runtime(), flags, priority, (hw_rt_stream **)stream));
}

HW_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

HW_EXPORT cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

HW_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_stream_destroy(hw_shim_runtime(), hw_stream_of(stream)));
}

// Success when the stream is one.
static cudaError_t check_stream(cudaStream_t stream) {
    HW_ENTER();
    hw_rt_stream_info info;
    return hw_cudart_return(hw_rt_stream_get_info(hw_shim_runtime(), hw_stream_of(stream), &info));
}

// The same for the calls that ask about it.
static cudaError_t ask_stream(cudaStream_t stream, const void *answer, hw_rt_stream_info *info) {
    HW_ENTER();
    hw_rt_status status = hw_rt_stream_get_info(hw_shim_runtime(), hw_stream_of(stream), info);
    return hw_cudart_return(!status && !answer ? HW_RT_INVALID_VALUE : status);
}

HW_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_stream_synchronize(hw_shim_runtime(), hw_stream_of(stream)));
}

HW_EXPORT cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
    return cudaStreamSynchronize(hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_stream_query(hw_shim_runtime(), hw_stream_of(stream)));
}
HW_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);

HW_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    HW_ENTER();
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_status status = HW_RT_SUCCESS;
    if (flags & ~(unsigned)cudaEventWaitExternal) status = HW_RT_INVALID_VALUE;
    if (!status && flags &&
        hw_rt_capture_event(runtime, hw_stream_of(stream), hw_event_of(event), HW_RT_NODE_WAIT, &status))
        return hw_cudart_return(status);
    if (!status) status = hw_rt_stream_wait(runtime, hw_stream_of(stream), hw_event_of(event));
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    return cudaStreamWaitEvent(hw_of_thread(stream), event, flags);
}

HW_EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    hw_rt_stream_info info;
    cudaError_t error = ask_stream(stream, priority, &info);
    if (!error) *priority = info.priority;
    return error;
}
HW_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

HW_EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
    hw_rt_stream_info info;
    cudaError_t error = ask_stream(stream, flags, &info);
    if (!error) *flags = info.flags;
    return error;
}
HW_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

HW_EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    HW_ENTER();
    uint64_t found = 0;
    const hw_rt_status status = id ? hw_rt_stream_id(hw_shim_runtime(), hw_stream_of(stream), &found)
                                   : HW_RT_INVALID_VALUE;
    if (!status) *id = found;
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long *id) {
    return cudaStreamGetId(hw_of_thread(stream), id);
}

HW_EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    hw_rt_stream_info info;
    cudaError_t error = ask_stream(stream, device, &info);
    if (!error) *device = (int)info.gpu;
    return error;
}
HW_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

HW_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    HW_ENTER();
    if (least) *least = HW_RT_LEAST_PRIORITY;
    if (greatest) *greatest = HW_RT_GREATEST_PRIORITY;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                            unsigned int flags) {
    cudaError_t error = check_stream(stream);
    if (error) return error;
    if (!callback || flags) return hw_cudart_return(HW_RT_INVALID_VALUE);
    const hw_rt_status status = hw_rt_stream_calls(hw_shim_runtime(), hw_stream_of(stream));
    if (status) return hw_cudart_return(status);
    callback(stream, cudaSuccess, userData);
    return cudaSuccess;
}

// The callback is told the stream.
HW_EXPORT cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                                 unsigned int flags) {
    return cudaStreamAddCallback(hw_of_thread(stream), callback, userData, flags);
}

HW_EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData) {
    HW_ENTER();
    if (!function) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_call_host(hw_shim_runtime(), hw_stream_of(stream), function, userData));
}

HW_EXPORT cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *userData) {
    return cudaLaunchHostFunc(hw_of_thread(stream), function, userData);
}

HW_EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags) {
    cudaError_t error = check_stream(stream);
    if (error) return error;
    (void)bytes;
    hw_allocation found;
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    known = known && hw_rt_find(hw_shim_runtime(), hw_address(pointer), 1, &found);
    return hw_cudart_return(known ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}
HW_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

// Settings of a stream that change no result.
HW_EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                             const cudaLaunchAttributeValue *value) {
    (void)attr;
    cudaError_t error = check_stream(stream);
    return error ? error : hw_cudart_return(value ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE);
}
HW_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

HW_EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                             cudaLaunchAttributeValue *value) {
    hw_rt_stream_info info;
    cudaError_t error = ask_stream(stream, value, &info);
    if (error) return error;
    *value = (cudaLaunchAttributeValue){.pad = {0}};
    if (attr == cudaLaunchAttributePriority) value->priority = info.priority;
    if (attr == cudaLaunchAttributeSynchronizationPolicy) value->syncPolicy = cudaSyncPolicyAuto;
    return cudaSuccess;
}
HW_ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

HW_EXPORT cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    cudaError_t error = check_stream(to);
    return error ? error : check_stream(from);
}
HW_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

HW_EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void) {
    HW_ENTER();
    return cudaSuccess;
}
