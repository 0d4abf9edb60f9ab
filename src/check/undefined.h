// Values that nobody has given: what the host writes, copies and frees, and what execution tells of the rest.
//
// Which bytes are defined is kept as launches go (hw_sink.defined). A finding is a use that matters: an address, a
// branch, an atomic, the argument of a function that prints, or a copy to the host. Bytes that are moved are none, for
// structs have padding and arrays slack; so a copy to the host is one where it has a value that was computed from
// something undefined, or is a whole variable that was (HW_ORIGIN_COUNTS), or where nobody has written any of it.
//
// Internal to check/.
#ifndef HW_CHECK_UNDEFINED_H
#define HW_CHECK_UNDEFINED_H

#include "check/finding.h"
#include "event/host.h"

struct hw_check;

// Where an undefined value comes from.
typedef struct hw_check_origin {
    uint32_t work, warp, note;       // as of an entry; note HW_NO_NOTE: a register
    uint8_t lane, bytes, space;
    uint64_t address;
} hw_check_origin;

typedef struct hw_check_origins {
    hw_check_origin *items;          // by number less 1
    size_t n, capacity;
} hw_check_origins;

void hw_check_tell_undefined(hw_sink *sink, uint32_t worker, const hw_undefined_told *told);

// The host, in the order in which memory sees it. work: of the call.
void hw_check_undefined_allocated(struct hw_check *check, const hw_host_event *event);
void hw_check_undefined_freed(struct hw_check *check, const hw_host_event *event);
void hw_check_undefined_set(struct hw_check *check, const hw_host_event *event);
void hw_check_undefined_copied(struct hw_check *check, uint32_t work, const hw_host_event *event);

#endif
