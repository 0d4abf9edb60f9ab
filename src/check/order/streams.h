// The order of what the host program asks of the GPU: launches, copies and sets of streams, and what makes one wait for
// the other. CUDA programming guide, "Asynchronous Concurrent Execution".
//
// Work of one stream is in order. Work of two is where an event or the host stands between them: the host waits for a
// stream, an event or the device, and what it asks for afterwards comes after that. The legacy default stream waits for
// all streams before it, and they for it, but for those that were made not to block. Times are vector clocks: of each
// stream of which something is known, how much of its work has been done.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_STREAMS_H
#define HW_CHECK_STREAMS_H

#include "event/event.h"
#include "event/host.h"

typedef struct hw_check_streams hw_check_streams;

// The stream of a launch within a kernel.
typedef struct hw_check_child {
    hw_child_order order;
    uint64_t stream;                 // as it is named
    uint64_t owner;                  // the block or the thread that means its own by that name; 0: all mean the same
} hw_check_child;

// NULL: no memory. From then on work may be missing, which is taken to be in order.
hw_check_streams *hw_check_streams_create(void);
void hw_check_streams_destroy(hw_check_streams *streams);
size_t hw_check_streams_bytes(const hw_check_streams *streams);     // the memory that it has

// Has an order been lost for want of memory? Then races are not to be told any more.
bool hw_check_streams_ran_out(const hw_check_streams *streams);

// More work in a stream: its number, from 1 on. It is what hw_check_is_before asks about until the next.
uint32_t hw_check_streams_begin(hw_check_streams *streams, uint64_t stream);
// What orders work. Other events are ignored.
void hw_check_streams_tell(hw_check_streams *streams, const hw_host_event *event);

// Launches that kernels make (CUDA programming guide, "Dynamic Parallelism"): between open, when the work that began
// last has launched others, and close. Another may be opened within. Its stream goes on behind all of them.
// open: false, and nothing is opened, where there is no memory.
bool hw_check_streams_open(hw_check_streams *streams);
void hw_check_streams_close(hw_check_streams *streams);
// An open one goes on, whose number that is: hw_check_is_before asks about it again.
void hw_check_streams_go_on(hw_check_streams *streams, uint32_t work);
// The number of the work that began last.
uint32_t hw_check_streams_newest(const hw_check_streams *streams);
// Work that the innermost open one has launched: after what that one came after, of that one itself and of its other
// launches after none but those of this stream of its, and what that waits for. HW_CHILD_TAIL: after all of it. 0: no
// memory.
uint32_t hw_check_streams_begin_child(hw_check_streams *streams, const hw_check_child *child);
// The innermost open one has recorded an event in a stream of its, behind what has begun there; or that stream waits
// for what the event stands for. False: no memory.
bool hw_check_streams_tell_child(hw_check_streams *streams, const hw_check_child *stream, uint64_t event, bool waits);

// Has this work been done before the last that began does anything?
bool hw_check_is_before(const hw_check_streams *streams, uint32_t work);
// All work that there was when it began?
bool hw_check_is_all_before(const hw_check_streams *streams);
// And before the host goes on?
bool hw_check_is_waited_for(const hw_check_streams *streams, uint32_t work);
// All work that there is?
bool hw_check_is_all_waited_for(const hw_check_streams *streams);

#endif
