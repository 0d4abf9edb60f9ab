// What the host program asks of the GPU: memory, copies, sets, and what orders work. Told by the memory of the GPU
// itself (allocations) and by the runtime (the rest), when the call has done its part and before it returns.
#ifndef HW_EVENT_HOST_H
#define HW_EVENT_HOST_H

#include "event/event.h"

typedef enum hw_host_action {
    HW_HOST_ALLOCATE, HW_HOST_FREE,                                   // .memory, stream where it is in its order
    HW_HOST_COPY,                                                     // .copy, work of the stream. Where the call
                                                                      // waits for it, a STREAM_SYNCHRONIZE follows
    HW_HOST_SET,                                                      // .set, likewise
    HW_HOST_STREAM_CREATE, HW_HOST_STREAM_DESTROY,                    // stream
    HW_HOST_STREAM_SYNCHRONIZE,                                       // waits for all before in stream
    HW_HOST_STREAM_WAIT,                                              // stream waits for event
    HW_HOST_EVENT_CREATE, HW_HOST_EVENT_DESTROY,                      // event
    HW_HOST_EVENT_RECORD,                                             // event is behind all before in stream
    HW_HOST_EVENT_SYNCHRONIZE,                                        // waits for event
    HW_HOST_DEVICE_SYNCHRONIZE,                                       // waits for all
    HW_HOST_ACTIONS
} hw_host_action;

// A block of bytes: rows of width, `pitch` bytes from one to the next, in slices.
typedef struct hw_host_side {
    uint64_t address;                    // as the program writes it
    uint64_t pitch, slice;               // bytes; without meaning where there is one row, one slice
} hw_host_side;

// As cudaMemcpyKind numbers them. ANY: what either side is, its address says.
typedef enum hw_host_copy_kind {
    HW_HOST_COPY_HOST_TO_HOST, HW_HOST_COPY_HOST_TO_DEVICE, HW_HOST_COPY_DEVICE_TO_HOST, HW_HOST_COPY_DEVICE_TO_DEVICE,
    HW_HOST_COPY_ANY
} hw_host_copy_kind;

struct hw_host_event {
    hw_host_action action;
    uint64_t stream, event;              // as the runtime names them (hw_launch_info.stream)
    const void *site;                    // who called: a code address of the host program, or NULL
    bool is_apart;                       // of STREAM_CREATE: the legacy default stream and it do not wait
    union {
        struct {
            uint64_t address, bytes;
            uint8_t kind;                // hw_alloc_kind (mem/mem.h)
            bool is_in_order;            // as work of the stream: cudaMallocAsync, cudaFreeAsync; false: at once
            const char *name;            // of a variable, or NULL
        } memory;
        struct {
            hw_host_side to, from;
            uint64_t width, height, depth;   // bytes, rows, slices
            hw_host_copy_kind kind;
        } copy;
        struct {
            hw_host_side to;
            uint64_t width, height, depth;
            uint8_t value;
        } set;
    };
};

#endif
