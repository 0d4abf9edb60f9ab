// Any number of sinks at a time. A GPU keeps a list of them; each launch asks them, and execution is handed those that
// take part, with the types of events that any of them wants.
#ifndef HW_EVENT_SINKS_H
#define HW_EVENT_SINKS_H

#include "event/event.h"

// The list. Zero at first. Calls are one at a time, and not while a launch runs.
typedef struct hw_sinks {
    hw_sink **items;
    uint32_t n, capacity;
    hw_sink **chosen;                // room for three lists of the sinks that take part in the running launch
    uint32_t events;                 // that any of them wants
} hw_sinks;

// The sink stays the caller's, and where it is until it is removed. HW_USAGE: it is there already, or lacks the
// function of an event that it wants. HW_NO_MEMORY.
hw_status hw_sinks_add(hw_sinks *sinks, hw_sink *sink, hw_diag *diag);
// Nothing happens when it is not there.
void hw_sinks_remove(hw_sinks *sinks, const hw_sink *sink);
void hw_sinks_free(hw_sinks *sinks);

// Sinks that hear of events in one way, and what any of them wants. The bits are to be tested before one of the
// functions below is called: what is in no bit is not to be made a record of.
typedef struct hw_listeners {
    uint32_t events;
    uint32_t n;
    hw_sink *const *sinks;
} hw_listeners;

// The sinks of one launch. Accesses are told to `ordered` one by one and to `counting` added up, other events to all.
typedef struct hw_observers {
    hw_listeners all, ordered, counting;
} hw_observers;

// Asks each whether it wants the launch. *out is good until the list changes or is asked again.
void hw_sinks_choose(const hw_sinks *sinks, const hw_launch_info *info, hw_observers *out);
// Those of a launch that one waits for whose observers are these: who nests. False: no memory. To be freed.
bool hw_observers_choose_nested(const hw_observers *outer, const hw_launch_info *info, hw_observers *out);
void hw_observers_free_nested(hw_observers *nested);
// launch_begin of all. When one refuses, those before it see the launch end with that status, and it is returned.
hw_status hw_observers_begin(const hw_observers *observers, const hw_launch_info *info, hw_diag *diag);
void hw_observers_end(const hw_observers *observers, const hw_launch_info *info, uint64_t host_ns, hw_status status);

// Can all do without the execution of a launch that is launch `number` once more? Then they are told so by the other.
bool hw_observers_keep(const hw_observers *observers, uint64_t number);
void hw_observers_repeat(const hw_observers *observers, const hw_launch_info *info, uint64_t number, uint64_t host_ns);

// Each calls the function of that event of all listeners that want it.
#define HW_EVENT(id, function, record, tell) \
    void tell(const hw_listeners *to, uint32_t worker, const record *event);
#include "event/event.def"
#undef HW_EVENT
// The accesses of n warps (hw_sink.accesses), to listeners that are ordered.
void hw_tell_accesses(const hw_listeners *to, uint32_t worker, const hw_access *first, uint32_t n,
                      const uint64_t *bases);
// Its relative addresses, as hw_access_pattern has them. Returns the address in the lowest active lane, modulo 128.
uint8_t hw_lone_deltas(const hw_lone_access *lone, int64_t delta[HW_WARP_LANES]);
// Do all that accesses are told to take those of several warps in one?
bool hw_take_packs(const hw_listeners *to);
// Accesses that are not to be remembered (hw_sink.lone), to listeners that add up.
void hw_tell_lone(const hw_listeners *to, uint32_t worker, const hw_lone_access *list, uint32_t n);
void hw_tell_host(const hw_sinks *sinks, const hw_host_event *event);

#endif
