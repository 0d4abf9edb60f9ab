// What the clock of a simulated GPU says of one thing that was done: from when to when, and where. Plain data, so that
// whoever writes it down need not know the clock.
#ifndef HW_EVENT_SPAN_H
#define HW_EVENT_SPAN_H

#include <stdint.h>

#include "event/host.h"

typedef enum hw_span_kind {
    HW_SPAN_KERNEL, HW_SPAN_COPY, HW_SPAN_SET,   // work of a stream
    HW_SPAN_CALL,                                // of the host: from its begin until the program goes on
    HW_SPAN_RANGE,                               // that the program has named (NVTX)
    HW_SPAN_OWN,                                 // no moment: busy_us of the program's own work, on this machine
    HW_SPANS
} hw_span_kind;

enum {
    HW_SPAN_NO_LAUNCH = 0xffffffff,
    HW_SPAN_COMPUTES = -1,           // the engine that runs kernels
};
#define HW_SPAN_LAUNCHES HW_HOST_ACTIONS   // the action of calls that launch a kernel

typedef struct hw_span {
    hw_span_kind kind;
    uint32_t gpu;                    // hw_launch_info.gpu
    int32_t engine;                  // of copies: of that GPU, 0 and 1; HW_SPAN_COMPUTES
    uint64_t stream;                 // hw_launch_info.stream
    uint32_t stream_number;          // 0: the legacy default stream; from 1 on, as streams come to be known
    uint32_t launch;                 // of kernels: the launch, as the process counts them from 0; HW_SPAN_NO_LAUNCH
    double asked_us, begin_us, end_us;   // when the host asked for it; its time
    double call_us;                  // of work: what the host's call took, waiting included where it waits by itself
    double busy_us;                  // of kernels: the share of the GPU's room that they took, summed over time; of
                                     // OWN: the processor's time
    uint32_t thread;                 // of calls and ranges: which of the host's, from 1 on as they come to be known
    uint64_t bytes;                  // of copies and sets
    hw_host_memory to, from;         // of copies; of sets `to`
    hw_host_action action;           // of calls, and of copies and sets
    uint32_t depth;                  // of ranges: those that it lies in
    uint8_t overlaps;                // of ranges, 1: others of its thread, maybe, and not only within each other
    const char *name;                // of calls and ranges; else NULL. Good until the receiver returns
} hw_span;

#endif
