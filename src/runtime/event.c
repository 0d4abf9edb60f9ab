// Events: when they were recorded, by this machine's clock, or when the GPU came to them, by its own.
#include <math.h>

#include "base/clock.h"
#include "runtime/capture.h"
#include "runtime/internal.h"
#include "runtime/stream.h"
#include "runtime/tell.h"

struct hw_rt_event {
    unsigned flags;
    // One thread may record it while another has a stream wait for it.
    atomic_bool is_recorded;
    _Atomic uint64_t ns;
    hw_rt_capture_point point;
};

static bool is_event(hw_runtime *runtime, const hw_rt_event *event) {
    if (hw_rt_handles_have(&runtime->handles, HW_RT_EVENT, event)) return true;
    hw_rt_tell_no_object(runtime, HW_HOST_NO_OBJECT, HW_HOST_EVENT, event);
    return false;
}

hw_rt_status hw_rt_event_create(hw_runtime *runtime, unsigned flags, hw_rt_event **out) {
    HW_RT_ENTER(runtime);
    const unsigned known = HW_RT_EVENT_BLOCKING | HW_RT_EVENT_NO_TIMING | HW_RT_EVENT_INTERPROCESS;
    bool is_shared_with_times = (flags & HW_RT_EVENT_INTERPROCESS) && !(flags & HW_RT_EVENT_NO_TIMING);
    if (!out || (flags & ~known) || is_shared_with_times) return HW_RT_INVALID_VALUE;
    hw_rt_event *made = hw_rt_handles_make(&runtime->handles, HW_RT_EVENT, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    made->flags = flags;
    *out = made;
    hw_rt_tell_order(runtime, HW_HOST_EVENT_CREATE, NULL, made);
    return HW_RT_SUCCESS;
}

unsigned hw_rt_event_flags(const hw_rt_event *event) { return event->flags; }

hw_rt_status hw_rt_event_destroy(hw_runtime *runtime, hw_rt_event *event) {
    runtime = hw_rt_of_event(runtime, event);
    HW_RT_ENTER(runtime);
    if (!hw_rt_handles_remove(&runtime->handles, HW_RT_EVENT, event)) {
        hw_rt_tell_no_object(runtime, HW_HOST_NO_OBJECT_TO_DESTROY, HW_HOST_EVENT, event);
        return HW_RT_INVALID_HANDLE;
    }
    hw_rt_tell_order(runtime, HW_HOST_EVENT_DESTROY, NULL, event);
    hw_rt_capture_point_clear(&event->point);
    hw_rt_handles_bury(&runtime->handles, event);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_event_record(hw_runtime *runtime, hw_rt_event *event, hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    hw_rt_status status;
    if (!is_event(runtime, event) || !hw_rt_is_stream(runtime, stream)) return HW_RT_INVALID_HANDLE;
    if (hw_rt_capture_record(runtime, stream, &event->point, &status)) return status;
    event->is_recorded = true;
    event->ns = hw_now_ns();
    if (runtime->timeline && !(event->flags & HW_RT_EVENT_NO_TIMING)) hw_timeline_ask(runtime->timeline);
    hw_rt_tell_order(runtime, HW_HOST_EVENT_RECORD, stream, event);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_event_query(hw_runtime *runtime, hw_rt_event *event) {
    runtime = hw_rt_of_event(runtime, event);
    HW_RT_ENTER(runtime);
    if (!is_event(runtime, event)) return HW_RT_INVALID_HANDLE;
    hw_rt_status status;
    if (hw_rt_capture_asks(runtime, &event->point, &status)) return status;
    if (runtime->timeline && !hw_timeline_is_event_done(runtime->timeline, hw_rt_address(event)))
        return HW_RT_NOT_READY;
    return hw_rt_event_synchronize(runtime, event);
}

hw_rt_status hw_rt_event_synchronize(hw_runtime *runtime, hw_rt_event *event) {
    runtime = hw_rt_of_event(runtime, event);
    HW_RT_ENTER(runtime);
    if (!is_event(runtime, event)) return HW_RT_INVALID_HANDLE;
    hw_rt_status status;
    if (hw_rt_capture_asks(runtime, &event->point, &status)) return status;
    hw_rt_tell_order(runtime, HW_HOST_EVENT_SYNCHRONIZE, NULL, event);
    return HW_RT_SUCCESS;
}

// The stream's GPU goes on when the event's has come so far: that work is done already, and its time is known.
static hw_rt_status wait_for_other(hw_runtime *runtime, hw_rt_stream *stream, hw_runtime *other, hw_rt_event *event) {
    double us;
    HW_RT_ENTER(other);
    if (runtime->timeline && hw_timeline_expect_event(other->timeline, hw_rt_address(event), &us))
        hw_timeline_hold(runtime->timeline, hw_rt_stream_name(stream), us);
    hw_rt_tell_order(runtime, HW_HOST_STREAM_WAIT, stream, event);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_stream_wait(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_event *event) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    hw_rt_status status;
    hw_runtime *other = hw_rt_of_event(runtime, event);
    if (!hw_rt_is_stream(runtime, stream) || !is_event(other, event)) return HW_RT_INVALID_HANDLE;
    if (hw_rt_capture_wait(runtime, stream, &event->point, event->is_recorded, &status)) return status;
    if (other != runtime) return wait_for_other(runtime, stream, other, event);
    hw_rt_tell_order(runtime, HW_HOST_STREAM_WAIT, stream, event);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_event_elapsed(hw_runtime *runtime, const hw_rt_event *start, const hw_rt_event *end, int64_t *ns) {
    runtime = hw_rt_of_event(runtime, start);
    HW_RT_ENTER(runtime);
    if (is_event(runtime, start) && is_event(runtime, end) && (start->point.capture || end->point.capture))
        return HW_RT_CAPTURED_EVENT;
    if (!is_event(runtime, start) || !is_event(runtime, end) || !start->is_recorded || !end->is_recorded ||
        ((start->flags | end->flags) & HW_RT_EVENT_NO_TIMING))
        return HW_RT_INVALID_HANDLE;
    double from_us, to_us;
    *ns = (int64_t)(end->ns - start->ns);
    if (!runtime->timeline) return HW_RT_SUCCESS;
    if (!hw_timeline_event_us(runtime->timeline, hw_rt_address(start), &from_us) ||
        !hw_timeline_event_us(runtime->timeline, hw_rt_address(end), &to_us))
        return HW_RT_NOT_READY;
    *ns = llround((to_us - from_us) * 1e3);
    return HW_RT_SUCCESS;
}
