// What the calls of the runtime ask about captures (graph.h). Internal to runtime/.
#ifndef HW_RUNTIME_CAPTURE_H
#define HW_RUNTIME_CAPTURE_H

#include "runtime/graph.h"
#include "runtime/internal.h"

// Work that a stream is given. True: the stream is captured, the work is a node of its graph now (*out, if it is not
// NULL), or spoils the capture: *status. Costs a load where nothing is captured.
bool hw_rt_capture_work_slowly(hw_runtime *runtime, hw_rt_stream *stream, const hw_rt_work *work, hw_rt_node **out,
                               hw_rt_status *status);
static inline bool hw_rt_capture_work(hw_runtime *runtime, hw_rt_stream *stream, const hw_rt_work *work,
                                      hw_rt_node **out, hw_rt_status *status) {
    return atomic_load_explicit(&runtime->machine->n_captures, memory_order_relaxed) &&
           hw_rt_capture_work_slowly(runtime, stream, work, out, status);
}

// A call that a stream's capture cannot hold: waiting for the stream, asking it. *status where it is captured.
bool hw_rt_capture_refuses_slowly(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_status *status);
static inline bool hw_rt_capture_refuses(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_status *status) {
    return atomic_load_explicit(&runtime->machine->n_captures, memory_order_relaxed) &&
           hw_rt_capture_refuses_slowly(runtime, stream, status);
}

// A call that is no work of a stream and might depend on captured work: allocations, what waits for the device. *status
// where a capture's mode forbids it to this thread.
bool hw_rt_capture_forbids_slowly(hw_runtime *runtime, hw_rt_status *status);
static inline bool hw_rt_capture_forbids(hw_runtime *runtime, hw_rt_status *status) {
    return atomic_load_explicit(&runtime->machine->n_captures, memory_order_relaxed) &&
           hw_rt_capture_forbids_slowly(runtime, status);
}

// What waits for all streams, captured ones among them: spoils every capture.
bool hw_rt_capture_refuses_all_slowly(hw_runtime *runtime, hw_rt_status *status);
static inline bool hw_rt_capture_refuses_all(hw_runtime *runtime, hw_rt_status *status) {
    return atomic_load_explicit(&runtime->machine->n_captures, memory_order_relaxed) &&
           hw_rt_capture_refuses_all_slowly(runtime, status);
}

// What an event stands for that was last recorded in a captured stream.
typedef struct hw_rt_capture_point {
    uint64_t capture;                      // 0: none
    hw_rt_node **last;
    size_t n_last;
} hw_rt_capture_point;
void hw_rt_capture_point_clear(hw_rt_capture_point *point);

// The event is recorded in the stream: true where that is captured, which sets the point; else the point is cleared.
bool hw_rt_capture_record(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_capture_point *point, hw_rt_status *status);
// The stream waits for an event: true where either is captured, or the event's capture has ended.
bool hw_rt_capture_wait(hw_runtime *runtime, hw_rt_stream *stream, const hw_rt_capture_point *point, bool is_recorded,
                        hw_rt_status *status);
// The program asks whether an event has happened: true where it was recorded in a capture, which that spoils, or where
// a capture's mode forbids to ask.
bool hw_rt_capture_asks(hw_runtime *runtime, const hw_rt_capture_point *point, hw_rt_status *status);

#endif
