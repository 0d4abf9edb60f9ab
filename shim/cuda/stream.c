// Streams. All work is done by the time a call returns, so a stream is no more than its settings, and how far the GPU's
// own clock has come.
#include <string.h>

#include "runtime/graph.h"
#include "shim/cuda/driver.h"

_Static_assert((int)CU_STREAM_NON_BLOCKING == HW_RT_STREAM_NON_BLOCKING, "the runtime numbers flags as CUDA does");

HW_EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_stream_create(hw_shim_runtime(), flags, priority, (hw_rt_stream **)stream));
}

HW_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

HW_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_stream_destroy(hw_shim_runtime(), hw_stream_of(stream)));
}
HW_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);

// CUDA_SUCCESS when the stream is one.
static CUresult check_stream(CUstream stream) {
    HW_ENTER();
    hw_rt_stream_info info;
    return hw_cuda_return(hw_rt_stream_get_info(hw_shim_runtime(), hw_stream_of(stream), &info));
}

// The same for the calls that ask about it.
static CUresult ask_stream(CUstream stream, const void *answer, hw_rt_stream_info *info) {
    HW_ENTER();
    const hw_rt_status status = hw_rt_stream_get_info(hw_shim_runtime(), hw_stream_of(stream), info);
    return hw_cuda_return(!status && !answer ? HW_RT_INVALID_VALUE : status);
}

HW_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_stream_synchronize(hw_shim_runtime(), hw_stream_of(stream)));
}

HW_EXPORT CUresult cuStreamSynchronize_ptsz(CUstream stream) { return cuStreamSynchronize(hw_of_thread(stream)); }

HW_EXPORT CUresult cuStreamQuery(CUstream stream) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_stream_query(hw_shim_runtime(), hw_stream_of(stream)));
}

HW_EXPORT CUresult cuStreamQuery_ptsz(CUstream stream) { return cuStreamQuery(hw_of_thread(stream)); }

HW_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    HW_ENTER();
    if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) return hw_cuda_return(HW_RT_INVALID_VALUE);
    hw_rt_status status;
    if (flags && hw_rt_capture_event(hw_shim_runtime(), hw_stream_of(stream), hw_event_of(event), HW_RT_NODE_WAIT,
                                     &status))
        return hw_cuda_return(status);
    return hw_cuda_return(hw_rt_stream_wait(hw_shim_runtime(), hw_stream_of(stream), hw_event_of(event)));
}

HW_EXPORT CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
    return cuStreamWaitEvent(hw_of_thread(stream), event, flags);
}

HW_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority) {
    hw_rt_stream_info info;
    const CUresult result = ask_stream(stream, priority, &info);
    if (!result) *priority = info.priority;
    return result;
}
HW_ALIAS(cuStreamGetPriority_ptsz, cuStreamGetPriority);

HW_EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    hw_rt_stream_info info;
    const CUresult result = ask_stream(stream, flags, &info);
    if (!result) *flags = info.flags;
    return result;
}
HW_ALIAS(cuStreamGetFlags_ptsz, cuStreamGetFlags);

HW_EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
    HW_ENTER();
    uint64_t found = 0;
    const hw_rt_status status = id ? hw_rt_stream_id(hw_shim_runtime(), hw_stream_of(stream), &found)
                                   : HW_RT_INVALID_VALUE;
    if (!status) *id = found;
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *id) {
    return cuStreamGetId(hw_of_thread(stream), id);
}

HW_EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
    hw_rt_stream_info info;
    const CUresult result = ask_stream(stream, device, &info);
    if (!result) *device = (CUdevice)info.gpu;
    return result;
}
HW_ALIAS(cuStreamGetDevice_ptsz, cuStreamGetDevice);

HW_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    hw_rt_stream_info info;
    const CUresult result = ask_stream(stream, context, &info);
    const CUcontext current = hw_cuda_current();
    const bool is_current = current && hw_cuda_device_of(current) == (CUdevice)info.gpu;
    if (!result) *context = is_current ? current : hw_cuda_primary((CUdevice)info.gpu);
    return result;
}
HW_ALIAS(cuStreamGetCtx_ptsz, cuStreamGetCtx);

HW_EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user, unsigned flags) {
    const CUresult result = check_stream(stream);
    if (result || !callback || flags) return result ? result : CUDA_ERROR_INVALID_VALUE;
    const hw_rt_status status = hw_rt_stream_calls(hw_shim_runtime(), hw_stream_of(stream));
    if (status) return hw_cuda_return(status);
    callback(stream, CUDA_SUCCESS, user);
    return CUDA_SUCCESS;
}

// The callback is told the stream.
HW_EXPORT CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void *user, unsigned flags) {
    return cuStreamAddCallback(hw_of_thread(stream), callback, user, flags);
}

HW_EXPORT CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags) {
    (void)bytes;
    hw_allocation found;
    const CUresult result = check_stream(stream);
    if (result) return result;
    bool is_known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE;
    is_known = is_known && hw_rt_find(hw_shim_runtime(), address, 1, &found);
    return is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
HW_ALIAS(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync);

// ---- settings that change no result ----

HW_EXPORT CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value) {
    (void)attribute;
    const CUresult result = check_stream(stream);
    return result || value ? result : CUDA_ERROR_INVALID_VALUE;
}
HW_ALIAS(cuStreamSetAttribute_ptsz, cuStreamSetAttribute);

HW_EXPORT CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value) {
    hw_rt_stream_info info;
    const CUresult result = ask_stream(stream, value, &info);
    if (result) return result;
    memset(value, 0, sizeof *value);
    if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = info.priority;
    if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) value->syncPolicy = 1;   // CU_SYNC_POLICY_AUTO
    return CUDA_SUCCESS;
}
HW_ALIAS(cuStreamGetAttribute_ptsz, cuStreamGetAttribute);

HW_EXPORT CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    const CUresult result = check_stream(to);
    return result ? result : check_stream(from);
}
HW_ALIAS(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes);

// ---- words that a stream writes ----

static CUresult write_word(CUstream stream, CUdeviceptr address, const void *value, size_t bytes) {
    HW_ENTER();
    const hw_rt_region to = {.start = (char *)(uintptr_t)address, .pitch = bytes};
    const hw_rt_region from = {.start = (char *)value, .pitch = bytes};
    if (address % bytes) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_copy(hw_shim_runtime(), to, from, (hw_rt_shape){bytes, 1, 1},
                                     HW_HOST_COPY_HOST_TO_DEVICE, hw_in_stream(stream)));
}

HW_EXPORT CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    (void)flags;
    return write_word(stream, address, &value, sizeof value);
}

HW_EXPORT CUresult cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                                unsigned flags) {
    return cuStreamWriteValue32_v2(hw_of_thread(stream), address, value, flags);
}

HW_EXPORT CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    (void)flags;
    return write_word(stream, address, &value, sizeof value);
}

HW_EXPORT CUresult cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                                unsigned flags) {
    return cuStreamWriteValue64_v2(hw_of_thread(stream), address, value, flags);
}
