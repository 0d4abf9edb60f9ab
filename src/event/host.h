// What the host program asks of the GPU: memory, copies, sets, what orders work, and what it asks for in vain. Told by
// the memory of the GPU itself (allocations), by the doors (errors) and by the runtime (the rest), when the call has
// done its part and before it returns.
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
    HW_HOST_CALLBACK,                                                 // stream has come to a function of the program's,
                                                                      // which is called next
    HW_HOST_GRAPH_BEGIN, HW_HOST_GRAPH_END,                           // stream has come to a graph; what is told in
                                                                      // between, by this thread, is the GPU's doing
    HW_HOST_OBJECT_CREATE, HW_HOST_OBJECT_DESTROY,                    // .object: those without an action of their own
    HW_HOST_REFUSE,                                                   // .refused; the call, or launch, does nothing
    HW_HOST_ERROR,                                                    // .error: a call ends with one, the thread's last
    HW_HOST_ASK,                                                      // .error: the thread's last one is asked for
    HW_HOST_ACTIONS
} hw_host_action;

// Whose bytes a copy goes from or to.
typedef enum hw_host_memory {
    HW_HOST_MEMORY_UNKNOWN,
    HW_HOST_MEMORY_OWN,                  // the program's own: malloc, static, on a stack
    HW_HOST_MEMORY_PINNED,               // page-locked: the GPU reaches it, copies do not wait
    HW_HOST_MEMORY_REGISTERED,           // likewise, the program's own
    HW_HOST_MEMORY_MANAGED,
    HW_HOST_MEMORY_DEVICE,               // no host code can touch it
    HW_HOST_MEMORIES
} hw_host_memory;

// A block of bytes: rows of width, `pitch` bytes from one to the next, in slices.
typedef struct hw_host_side {
    uint64_t address;                    // as the program writes it
    uint64_t pitch, slice;               // bytes; without meaning where there is one row, one slice
    hw_host_memory memory;
    uint8_t gpu;                         // which GPU's it is, by number; 0 of the program's own
} hw_host_side;

// As cudaMemcpyKind numbers them. ANY: what either side is, its address says.
typedef enum hw_host_copy_kind {
    HW_HOST_COPY_HOST_TO_HOST, HW_HOST_COPY_HOST_TO_DEVICE, HW_HOST_COPY_DEVICE_TO_HOST, HW_HOST_COPY_DEVICE_TO_DEVICE,
    HW_HOST_COPY_ANY
} hw_host_copy_kind;

typedef enum hw_host_object_kind { HW_HOST_STREAM, HW_HOST_EVENT, HW_HOST_ARRAY, HW_HOST_TEXTURE } hw_host_object_kind;

// What a handle stands for.
typedef struct hw_host_object {
    hw_host_object_kind kind;
    uint64_t handle;
    uint64_t address;                    // of OBJECT_CREATE, ARRAY: its memory, which has been told as an allocation
} hw_host_object;

// Why the GPU does not do what the program asks for.
typedef enum hw_host_reason {
    HW_HOST_NEVER_ALLOCATED,             // a free of memory that is in no allocation
    HW_HOST_FREED_BEFORE,                // a free of what has been freed
    HW_HOST_FREED_INSIDE,                // a free of an address behind the begin of an allocation
    HW_HOST_FREED_BY_OTHER,              // a free by the call for another kind of memory
    HW_HOST_WRONG_DIRECTION,             // a copy whose kind is not what its addresses are
    HW_HOST_BEYOND_END,                  // a copy or set that leaves an allocation
    HW_HOST_IN_FREED,                    // a copy or set in freed memory
    HW_HOST_IN_NOTHING,                  // a copy or set where there is no memory
    HW_HOST_NO_OBJECT,                   // a call with a handle that stands for nothing, or nothing any more
    HW_HOST_NO_OBJECT_TO_DESTROY,        // a call that is to destroy such a one
    HW_HOST_NO_TEXTURE,                  // a kernel reads through a texture object that is gone, or its memory is
    HW_HOST_NO_LAUNCH,                   // a launch with a grid, block or shared memory that the GPU has not
} hw_host_reason;

typedef struct hw_host_refused {
    hw_host_reason reason;
    hw_host_action action;               // FREE, COPY or SET
    uint64_t address, bytes;             // of memory: what the call names
    hw_host_object object;               // of objects
    const char *kernel, *why;            // of launches: mangled; a sentence. Good until the call returns
    const char *file;                    // of NO_TEXTURE, where and who; "" and 0: not known. Likewise
    uint32_t line, block[3], thread[3];
    // Of memory: the allocation that is meant, or was. bytes 0: none is known.
    struct {
        uint64_t address, bytes;
        uint8_t kind;                    // hw_alloc_kind (mem/mem.h)
        const char *name;                // of a variable, or NULL
        const void *made_at, *freed_at;  // as hw_host_event.site
    } allocation;
} hw_host_refused;

struct hw_host_event {
    hw_host_action action;
    uint64_t stream, event;              // as the runtime names them (hw_launch_info.stream)
    const void *site;                    // who called: a code address of the host program; or NULL, also where no
                                         // sink that hears of the host looks at it
    bool is_apart;                       // of STREAM_CREATE: the legacy default stream and it do not wait
    int priority;                        // of STREAM_CREATE: the smaller, the sooner its work is done
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
        hw_host_object object;
        hw_host_refused refused;
        struct {
            const char *name;            // "cudaErrorInvalidValue"; lives as long as the process
            bool is_launch;              // of ERROR: by <<<>>>, whose error nobody is given
        } error;
    };
};

#endif
