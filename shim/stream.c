// Streams. All work is done by the time a call returns, so a stream is no more than its settings.
#include <stdatomic.h>

#include "base/alloc.h"
#include "shim.h"
#include "tell.h"

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };   // as an H200 has them

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
};

bool hw_stream_is_valid(cudaStream_t stream) {
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
           hw_handle_is(HW_HANDLE_STREAM, stream);
}

static bool is_created(cudaStream_t stream) {
    return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

HW_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
    static atomic_ullong next_id = 16;
    HW_ENTER();
    if (!stream || (flags & ~(unsigned)cudaStreamNonBlocking)) return hw_shim_return(cudaErrorInvalidValue);
    struct CUstream_st *made = hw_malloc(sizeof *made);
    if (!made || !hw_handle_add(HW_HANDLE_STREAM, made)) {
        hw_free(made);
        return hw_shim_return(cudaErrorMemoryAllocation);
    }
    if (priority > LEAST_PRIORITY) priority = LEAST_PRIORITY;
    if (priority < GREATEST_PRIORITY) priority = GREATEST_PRIORITY;
    *made = (struct CUstream_st){flags, priority, atomic_fetch_add(&next_id, 1)};
    *stream = made;
    hw_shim_tell_order(HW_HOST_STREAM_CREATE, made, NULL);
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

HW_EXPORT cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

HW_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    HW_ENTER();
    if (!is_created(stream) || !hw_handle_remove(HW_HANDLE_STREAM, stream))
        return hw_shim_return(cudaErrorInvalidResourceHandle);
    hw_shim_tell_order(HW_HOST_STREAM_DESTROY, stream, NULL);
    hw_free(stream);
    return cudaSuccess;
}

// Success when the stream is one: what the calls that would wait come down to.
static cudaError_t touch(cudaStream_t stream) {
    HW_ENTER();
    return hw_shim_return(hw_stream_is_valid(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

HW_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    cudaError_t error = touch(stream);
    if (!error) hw_shim_tell_order(HW_HOST_STREAM_SYNCHRONIZE, stream, NULL);
    return error;
}
HW_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

HW_EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream) { return touch(stream); }
HW_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);

HW_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!hw_handle_is(HW_HANDLE_EVENT, event)) return hw_shim_return(cudaErrorInvalidResourceHandle);
    if (flags & ~(unsigned)cudaEventWaitExternal) return hw_shim_return(cudaErrorInvalidValue);
    hw_shim_tell_order(HW_HOST_STREAM_WAIT, stream, event);
    return hw_shim_return(cudaSuccess);
}
HW_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

HW_EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!priority) return hw_shim_return(cudaErrorInvalidValue);
    *priority = is_created(stream) ? stream->priority : 0;
    return cudaSuccess;
}
HW_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

HW_EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!flags) return hw_shim_return(cudaErrorInvalidValue);
    *flags = is_created(stream) ? stream->flags : 0;
    return cudaSuccess;
}
HW_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

HW_EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!id) return hw_shim_return(cudaErrorInvalidValue);
    *id = is_created(stream) ? stream->id : 1 + (stream == cudaStreamPerThread);
    return cudaSuccess;
}
HW_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);

HW_EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!device) return hw_shim_return(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
HW_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

HW_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    HW_ENTER();
    if (least) *least = LEAST_PRIORITY;
    if (greatest) *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                            unsigned int flags) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!callback || flags) return hw_shim_return(cudaErrorInvalidValue);
    callback(stream, cudaSuccess, userData);
    return cudaSuccess;
}
HW_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

HW_EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!function) return hw_shim_return(cudaErrorInvalidValue);
    function(userData);
    return cudaSuccess;
}
HW_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

HW_EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags) {
    cudaError_t error = touch(stream);
    if (error) return error;
    (void)bytes;
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    return hw_shim_return(known && hw_is_device_range(pointer, 1) ? cudaSuccess : cudaErrorInvalidValue);
}
HW_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

HW_EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!status) return hw_shim_return(cudaErrorInvalidValue);
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
HW_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

// Settings of a stream that change no result.
HW_EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                             const cudaLaunchAttributeValue *value) {
    (void)attr;
    cudaError_t error = touch(stream);
    return error ? error : hw_shim_return(value ? cudaSuccess : cudaErrorInvalidValue);
}
HW_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

HW_EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                             cudaLaunchAttributeValue *value) {
    cudaError_t error = touch(stream);
    if (error) return error;
    if (!value) return hw_shim_return(cudaErrorInvalidValue);
    *value = (cudaLaunchAttributeValue){.pad = {0}};
    if (attr == cudaLaunchAttributePriority) value->priority = is_created(stream) ? stream->priority : 0;
    if (attr == cudaLaunchAttributeSynchronizationPolicy) value->syncPolicy = cudaSyncPolicyAuto;
    return cudaSuccess;
}
HW_ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

HW_EXPORT cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    cudaError_t error = touch(to);
    return error ? error : touch(from);
}
HW_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

HW_EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void) {
    HW_ENTER();
    return cudaSuccess;
}
