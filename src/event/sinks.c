#include "event/sinks.h"

#include <string.h>

#include "base/alloc.h"

// ---- the list ----

static const char *lacking_function(const hw_sink *sink) {
#define HW_EVENT(id, function, ...) if (sink->events & HW_WANTS(id) && !sink->function) return #function;
#include "event/event.def"
#undef HW_EVENT
    return sink->events & HW_WANTS(HOST) && !sink->host ? "host" : NULL;
}

static void join_events(hw_sinks *sinks) {
    sinks->events = 0;
    for (uint32_t i = 0; i < sinks->n; i++) sinks->events |= sinks->items[i]->events;
}

hw_status hw_sinks_add(hw_sinks *sinks, hw_sink *sink, hw_diag *diag) {
    const char *missing = lacking_function(sink);
    if (missing) return hw_diag_set(diag, HW_USAGE, "a sink wants events for which it has no function: %s", missing);
    for (uint32_t i = 0; i < sinks->n; i++)
        if (sinks->items[i] == sink) return hw_diag_set(diag, HW_USAGE, "a sink is attached for the second time");
    if (sinks->n == sinks->capacity) {
        uint32_t wanted = sinks->capacity ? 2 * sinks->capacity : 4;
        hw_sink **items = hw_realloc_array(sinks->items, wanted, sizeof *items);
        if (!items) return hw_diag_no_memory(diag);
        sinks->items = items;
        hw_sink **chosen = hw_realloc_array(sinks->chosen, 3 * (size_t)wanted, sizeof *chosen);
        if (!chosen) return hw_diag_no_memory(diag);
        sinks->chosen = chosen;
        sinks->capacity = wanted;
    }
    sinks->items[sinks->n++] = sink;
    join_events(sinks);
    return HW_OK;
}

void hw_sinks_remove(hw_sinks *sinks, const hw_sink *sink) {
    uint32_t at = 0;
    while (at < sinks->n && sinks->items[at] != sink) at++;
    if (at == sinks->n) return;
    memmove(&sinks->items[at], &sinks->items[at + 1], (--sinks->n - at) * sizeof *sinks->items);
    join_events(sinks);
}

void hw_sinks_free(hw_sinks *sinks) {
    hw_free(sinks->items);
    hw_free(sinks->chosen);
    *sinks = (hw_sinks){.items = NULL};
}

// ---- a launch ----

static void add_listener(hw_listeners *to, hw_sink **room, hw_sink *sink) {
    room[to->n++] = sink;
    to->events |= sink->events;
    to->sinks = room;
}

// room: for three times n sinks.
static void add_observer(hw_observers *to, hw_sink **room, uint32_t n, hw_sink *sink, const hw_launch_info *info) {
    if (sink->wants && !sink->wants(sink, info)) return;
    add_listener(&to->all, room, sink);
    if (sink->ordered) add_listener(&to->ordered, room + n, sink);
    else add_listener(&to->counting, room + 2 * (size_t)n, sink);
}

void hw_sinks_choose(const hw_sinks *sinks, const hw_launch_info *info, hw_observers *out) {
    hw_sink **room = sinks->chosen;
    *out = (hw_observers){.all = {.n = 0}};
    for (uint32_t i = 0; i < sinks->n; i++) add_observer(out, room, sinks->capacity, sinks->items[i], info);
}

bool hw_observers_choose_nested(const hw_observers *outer, const hw_launch_info *info, hw_observers *out) {
    const uint32_t n = outer->all.n;
    hw_sink **room = hw_calloc(3 * (size_t)n + 1, sizeof *room);
    *out = (hw_observers){.all = {.sinks = room}};
    for (uint32_t i = 0; room && i < n; i++)
        if (outer->all.sinks[i]->nests) add_observer(out, room, n, outer->all.sinks[i], info);
    return room;
}

void hw_observers_free_nested(hw_observers *nested) { hw_free((void *)nested->all.sinks); }

hw_status hw_observers_begin(const hw_observers *observers, const hw_launch_info *info, hw_diag *diag) {
    const hw_listeners *all = &observers->all;
    for (uint32_t i = 0; i < all->n; i++) {
        hw_status status = all->sinks[i]->launch_begin ? all->sinks[i]->launch_begin(all->sinks[i], info, diag) : HW_OK;
        if (!status) continue;
        while (i-- > 0)
            if (all->sinks[i]->launch_end) all->sinks[i]->launch_end(all->sinks[i], info, 0, status);
        return status;
    }
    return HW_OK;
}

void hw_observers_end(const hw_observers *observers, const hw_launch_info *info, uint64_t host_ns, hw_status status) {
    const hw_listeners *all = &observers->all;
    for (uint32_t i = 0; i < all->n; i++)
        if (all->sinks[i]->launch_end) all->sinks[i]->launch_end(all->sinks[i], info, host_ns, status);
}

bool hw_observers_keep(const hw_observers *observers, uint64_t number) {
    for (uint32_t i = 0; i < observers->all.n; i++) {
        hw_sink *sink = observers->all.sinks[i];
        if (!sink->keeps || !sink->repeats || !sink->keeps(sink, number)) return false;
    }
    return true;
}

void hw_observers_repeat(const hw_observers *observers, const hw_launch_info *info, uint64_t number, uint64_t host_ns) {
    for (uint32_t i = 0; i < observers->all.n; i++)
        observers->all.sinks[i]->repeats(observers->all.sinks[i], info, number, host_ns);
}

// ---- events ----

#define HW_EVENT(id, function, record, tell)                                          \
    void tell(const hw_listeners *to, uint32_t worker, const record *event) {         \
        for (uint32_t i = 0; i < to->n; i++) {                                        \
            hw_sink *sink = to->sinks[i];                                             \
            if (sink->events & HW_WANTS(id)) sink->function(sink, worker, event);     \
        }                                                                             \
    }
#include "event/event.def"
#undef HW_EVENT

static void tell_one_by_one(hw_sink *sink, uint32_t worker, hw_access access, uint32_t n, const uint64_t *bases) {
    for (uint32_t k = 0; k < n; k++, access.where.warp++, access.where.sequence++) {
        access.base = bases[k];
        sink->access(sink, worker, &access);
    }
}

void hw_tell_accesses(const hw_listeners *to, uint32_t worker, const hw_access *first, uint32_t n,
                      const uint64_t *bases) {
    for (uint32_t i = 0; i < to->n; i++) {
        hw_sink *sink = to->sinks[i];
        if (!(sink->events & HW_WANTS(ACCESS))) continue;
        if (sink->accesses) sink->accesses(sink, worker, first, n, bases);
        else tell_one_by_one(sink, worker, *first, n, bases);
    }
}

uint8_t hw_lone_deltas(const hw_lone_access *lone, int64_t delta[HW_WARP_LANES]) {
    const int64_t width = lone->width_bytes, first = lone->place[__builtin_ctz(lone->mask)];
    for (int i = 0; i < HW_WARP_LANES; i++)
        delta[i] = lone->mask >> i & 1 ? ((int64_t)lone->place[i] - first) * width : 0;
    return (uint8_t)(first * width % 128);
}

static void tell_lone(hw_sink *sink, uint32_t worker, const hw_lone_access *lone) {
    const bool is_atomic = lone->kind == HW_NOTE_ATOMIC || lone->kind == HW_NOTE_REDUCTION;
    hw_access_pattern pattern = {.index = HW_NO_PATTERN, .mask = lone->mask, .serial = lone->serial,
                                 .space = lone->space};
    hw_access access = {.note = lone->note, .kind = lone->kind, .space = lone->space,
                        .width_bytes = lone->width_bytes, .pattern = &pattern, .repeat = 1};
    if (!(sink->events & (is_atomic ? HW_WANTS(ATOMIC) : HW_WANTS(ACCESS)))) return;
    access.base = hw_lone_deltas(lone, pattern.delta);
    (is_atomic ? sink->atomic : sink->access)(sink, worker, &access);
}

bool hw_take_packs(const hw_listeners *to) {
    bool take = true;
    for (uint32_t i = 0; i < to->n; i++) {
        const hw_sink *sink = to->sinks[i];
        if (sink->events & (HW_WANTS(ACCESS) | HW_WANTS(ATOMIC))) take &= sink->lone && sink->takes_packs;
    }
    return take;
}

void hw_tell_lone(const hw_listeners *to, uint32_t worker, const hw_lone_access *list, uint32_t n) {
    for (uint32_t i = 0; i < to->n; i++) {
        hw_sink *sink = to->sinks[i];
        if (!(sink->events & (HW_WANTS(ACCESS) | HW_WANTS(ATOMIC)))) continue;
        if (sink->lone) sink->lone(sink, worker, list, n);
        else for (uint32_t k = 0; k < n; k++) tell_lone(sink, worker, &list[k]);
    }
}

void hw_tell_host(const hw_sinks *sinks, const hw_host_event *event) {
    for (uint32_t i = 0; i < sinks->n; i++)
        if (sinks->items[i]->events & HW_WANTS(HOST)) sinks->items[i]->host(sinks->items[i], event);
}
