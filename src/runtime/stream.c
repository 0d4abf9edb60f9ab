// Streams: their settings, whether they are alive, and whether they have anything left to do.
#include "runtime/stream.h"

#include "runtime/capture.h"
#include "runtime/internal.h"
#include "runtime/tell.h"

struct hw_rt_stream {
    hw_rt_stream_info info;
};

static bool is_created(const hw_rt_stream *stream) {
    return stream && stream != HW_RT_STREAM_LEGACY && stream != HW_RT_STREAM_PER_THREAD;
}

// Handles are even, so that no odd number is one.
static uint64_t name_of_this_thread(void) {
    static atomic_uint_fast64_t threads;
    static _Thread_local uint64_t number;
    if (!number) number = atomic_fetch_add(&threads, 1) + 1;
    return 2 * number + 1;
}

uint64_t hw_rt_stream_name(const hw_rt_stream *stream) {
    if (stream == HW_RT_STREAM_PER_THREAD) return name_of_this_thread();
    return stream == HW_RT_STREAM_LEGACY ? 0 : (uint64_t)(uintptr_t)stream;
}

bool hw_rt_stream_is_apart(const hw_rt_stream *stream) {
    return is_created(stream) && stream->info.flags & HW_RT_STREAM_NON_BLOCKING;
}

int hw_rt_stream_priority(const hw_rt_stream *stream) { return is_created(stream) ? stream->info.priority : 0; }

bool hw_rt_is_stream(hw_runtime *runtime, const hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    if (!is_created(stream) || hw_rt_handles_have(&runtime->handles, HW_RT_STREAM, stream)) return true;
    hw_rt_tell_no_object(runtime, HW_HOST_NO_OBJECT, HW_HOST_STREAM, stream);
    return false;
}

hw_rt_status hw_rt_stream_create(hw_runtime *runtime, unsigned flags, int priority, hw_rt_stream **out) {
    HW_RT_ENTER(runtime);
    if (!out || (flags & ~(unsigned)HW_RT_STREAM_NON_BLOCKING)) return HW_RT_INVALID_VALUE;
    hw_rt_stream *made = hw_rt_handles_make(&runtime->handles, HW_RT_STREAM, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    if (priority > HW_RT_LEAST_PRIORITY) priority = HW_RT_LEAST_PRIORITY;
    if (priority < HW_RT_GREATEST_PRIORITY) priority = HW_RT_GREATEST_PRIORITY;
    made->info = (hw_rt_stream_info){.flags = flags, .priority = priority,
                                     .id = atomic_fetch_add(&runtime->next_stream, 1)};
    *out = made;
    hw_rt_tell_order(runtime, HW_HOST_STREAM_CREATE, made, NULL);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_stream_destroy(hw_runtime *runtime, hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    if (!is_created(stream) || !hw_rt_handles_remove(&runtime->handles, HW_RT_STREAM, stream)) {
        hw_rt_tell_no_object(runtime, HW_HOST_NO_OBJECT_TO_DESTROY, HW_HOST_STREAM, stream);
        return HW_RT_INVALID_HANDLE;
    }
    hw_rt_tell_order(runtime, HW_HOST_STREAM_DESTROY, stream, NULL);
    hw_rt_handles_bury(&runtime->handles, stream);
    return HW_RT_SUCCESS;
}

static hw_rt_status check_stream(hw_runtime *runtime, hw_rt_stream *stream) {
    HW_RT_ENTER(runtime);
    return hw_rt_is_stream(runtime, stream) ? HW_RT_SUCCESS : HW_RT_INVALID_HANDLE;
}

hw_rt_status hw_rt_stream_query(hw_runtime *runtime, hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    hw_rt_status status = check_stream(runtime, stream);
    if (status || hw_rt_capture_refuses(runtime, stream, &status) || hw_rt_capture_forbids(runtime, &status))
        return status;
    if (runtime->timeline && !hw_timeline_is_stream_done(runtime->timeline, hw_rt_stream_name(stream)))
        return HW_RT_NOT_READY;
    return hw_rt_stream_synchronize(runtime, stream);
}

hw_rt_status hw_rt_stream_synchronize(hw_runtime *runtime, hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    hw_rt_status status = check_stream(runtime, stream);
    if (status || hw_rt_capture_refuses(runtime, stream, &status) || hw_rt_capture_forbids(runtime, &status))
        return status;
    hw_rt_tell_order(runtime, HW_HOST_STREAM_SYNCHRONIZE, stream, NULL);
    return status;
}

hw_rt_status hw_rt_stream_calls(hw_runtime *runtime, hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    hw_rt_status status = check_stream(runtime, stream);
    if (status || hw_rt_capture_refuses(runtime, stream, &status)) return status;
    hw_rt_tell_order(runtime, HW_HOST_CALLBACK, stream, NULL);
    return status;
}

hw_rt_status hw_rt_synchronize(hw_runtime *runtime) {
    HW_RT_ENTER(runtime);
    hw_rt_status status;
    if (hw_rt_capture_refuses_all(runtime, &status)) return status;
    hw_rt_tell_order(runtime, HW_HOST_DEVICE_SYNCHRONIZE, NULL, NULL);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_stream_id(hw_runtime *runtime, hw_rt_stream *stream, uint64_t *id) {
    hw_rt_stream_info info;
    hw_rt_status status = hw_rt_stream_get_info(runtime, stream, &info);
    // As an H200's driver. The default stream, which no capture can have, would break those of others.
    if (!status && hw_rt_stream_name(stream)) hw_rt_capture_refuses(hw_rt_of_stream(runtime, stream), stream, &status);
    if (status) return status;
    *id = info.id;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_stream_get_info(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_stream_info *out) {
    runtime = hw_rt_of_stream(runtime, stream);
    hw_rt_status status = check_stream(runtime, stream);
    if (status) return status;
    *out = is_created(stream) ? stream->info : (hw_rt_stream_info){.id = 1 + (stream == HW_RT_STREAM_PER_THREAD)};
    out->gpu = runtime->number;
    return HW_RT_SUCCESS;
}
