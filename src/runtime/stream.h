// Streams and events. All work is done by the time a call returns, so that they are their settings and times: those of
// this machine, or of the GPU's own clock, by which work may yet have to be done.
#ifndef HW_RUNTIME_STREAM_H
#define HW_RUNTIME_STREAM_H

#include "runtime/runtime.h"

// CUDA's CUstream and cudaStream_t are pointers to these, or NULL or one of the two special ones.
typedef struct hw_rt_stream hw_rt_stream;
#define HW_RT_STREAM_LEGACY ((hw_rt_stream *)1)
#define HW_RT_STREAM_PER_THREAD ((hw_rt_stream *)2)

enum { HW_RT_STREAM_NON_BLOCKING = 1 };                                      // flags, as CUDA's
enum { HW_RT_LEAST_PRIORITY = 0, HW_RT_GREATEST_PRIORITY = -5 };             // as an H200 has them

typedef struct hw_rt_stream_info {
    unsigned flags;
    int priority;
    unsigned long long id;             // 1 and 2 are the default ones', no two of a runtime are equal
    uint32_t gpu;                      // whose it is
} hw_rt_stream_info;

// A priority out of range is brought into it. HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_stream_create(hw_runtime *runtime, unsigned flags, int priority, hw_rt_stream **out);
// HW_RT_INVALID_HANDLE, also of those that nobody has created.
hw_rt_status hw_rt_stream_destroy(hw_runtime *runtime, hw_rt_stream *stream);

// What observers know a stream by (hw_launch_info.stream); of PER_THREAD, of the calling thread's own.
uint64_t hw_rt_stream_name(const hw_rt_stream *stream);
// Made by the program so that it and the legacy default stream do not wait for each other.
bool hw_rt_stream_is_apart(const hw_rt_stream *stream);
int hw_rt_stream_priority(const hw_rt_stream *stream);

// Of any GPU of the machine. Observers hear of one that is none (HW_HOST_REFUSE).
bool hw_rt_is_stream(hw_runtime *runtime, const hw_rt_stream *stream);
// Whether all work of the stream is done: HW_RT_NOT_READY where the GPU's clock has not come so far. Whoever is told
// that it is done has waited for it. HW_RT_INVALID_HANDLE.
hw_rt_status hw_rt_stream_query(hw_runtime *runtime, hw_rt_stream *stream);
// Until it is done; of all streams.
hw_rt_status hw_rt_stream_synchronize(hw_runtime *runtime, hw_rt_stream *stream);
hw_rt_status hw_rt_synchronize(hw_runtime *runtime);
// For doors: a function of the program's that is work of the stream is about to be called. As hw_rt_stream_query.
hw_rt_status hw_rt_stream_calls(hw_runtime *runtime, hw_rt_stream *stream);
hw_rt_status hw_rt_stream_get_info(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_stream_info *out);
hw_rt_status hw_rt_stream_id(hw_runtime *runtime, hw_rt_stream *stream, uint64_t *id);   // not while it is captured

// ---- events ----

typedef struct hw_rt_event hw_rt_event;

// flags, as CUDA's.
enum { HW_RT_EVENT_BLOCKING = 1, HW_RT_EVENT_NO_TIMING = 2, HW_RT_EVENT_INTERPROCESS = 4 };

// HW_RT_INVALID_VALUE, also for an event between processes that has times; HW_RT_NO_MEMORY.
hw_rt_status hw_rt_event_create(hw_runtime *runtime, unsigned flags, hw_rt_event **out);
unsigned hw_rt_event_flags(const hw_rt_event *event);
hw_rt_status hw_rt_event_destroy(hw_runtime *runtime, hw_rt_event *event);   // HW_RT_INVALID_HANDLE

// HW_RT_INVALID_HANDLE, of either, and where they are of two GPUs.
hw_rt_status hw_rt_event_record(hw_runtime *runtime, hw_rt_event *event, hw_rt_stream *stream);
// Whether what was recorded is done; as hw_rt_stream_query.
hw_rt_status hw_rt_event_query(hw_runtime *runtime, hw_rt_event *event);
// Until it is done. HW_RT_INVALID_HANDLE.
hw_rt_status hw_rt_event_synchronize(hw_runtime *runtime, hw_rt_event *event);
// Later work of the stream comes behind the event. HW_RT_INVALID_HANDLE, of either.
hw_rt_status hw_rt_stream_wait(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_event *event);
// Between two that were recorded: what the GPU would take, or, without a clock of its own, what the simulation took on
// this machine; negative where end is the earlier. HW_RT_NOT_READY where the GPU's clock has not come to one of them;
// HW_RT_INVALID_HANDLE, also where there are no times.
hw_rt_status hw_rt_event_elapsed(hw_runtime *runtime, const hw_rt_event *start, const hw_rt_event *end, int64_t *ns);

#endif
