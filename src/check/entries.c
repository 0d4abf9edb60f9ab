#include "check/entries.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mix.h"

enum { RECENT = 1 << 10, MOST = 1 << 26, FIRST_SWEEP = 1 << 22 };

static bool are_equal(const hw_check_entry *a, const hw_check_entry *b) {
    return a->work == b->work && a->warp == b->warp && a->time == b->time && a->note == b->note &&
           a->mask == b->mask && a->act == b->act && a->width_bytes == b->width_bytes && a->scope == b->scope &&
           a->is_many == b->is_many && a->is_pending == b->is_pending && a->is_host == b->is_host;
}

static bool make_room(hw_check_entries *e) {
    if (e->n < e->capacity) return true;
    const uint32_t capacity = e->capacity ? 2 * e->capacity : 1 << 12;
    hw_check_entry *items = capacity > MOST ? NULL : hw_realloc_array(e->items, capacity, sizeof *items);
    if (!items) return false;
    e->items = items;
    uint32_t *freed = hw_realloc_array(e->freed, capacity, sizeof *freed);
    if (!freed) return false;
    e->freed = freed;
    e->capacity = capacity;
    return true;
}

hw_check_ref hw_check_entries_refer(hw_check_entries *e, const hw_check_entry *entry) {
    const uint64_t lanes = (uint64_t)entry->mask << 1 | entry->is_many;
    const uint64_t hash = hw_mix_word(hw_mix_word(lanes, entry->warp), entry->note);
    uint32_t *recent = &e->recent[hash >> 32 & (RECENT - 1)];
    if (*recent && are_equal(&e->items[*recent], entry)) return *recent << HW_CHECK_LANE_BITS;
    uint32_t number;
    if (e->n_freed) {
        number = e->freed[--e->n_freed];
    } else {
        if (!e->n) e->n = 1;
        if (!make_room(e)) return 0;
        number = e->n++;
    }
    e->items[number] = *entry;
    *recent = number;
    return number << HW_CHECK_LANE_BITS;
}

// The table doubles between two sweeps, so that sweeping costs a share of making.
bool hw_check_entries_are_many(const hw_check_entries *e) {
    return e->n == e->capacity && !e->n_freed && e->n >= FIRST_SWEEP;
}

void hw_check_entries_sweep(hw_check_entries *e) {
    memset(e->recent, 0, sizeof e->recent);
    e->n_freed = 0;
    for (uint32_t i = e->n; i-- > 1;) {
        if (!e->items[i].is_live) e->freed[e->n_freed++] = i;
        e->items[i].is_live = false;
    }
    if (e->n_freed < e->n / 4) e->n_freed = 0;    // hardly worth it: the table grows instead
}

void hw_check_entries_free(hw_check_entries *e) {
    hw_free(e->items);
    hw_free(e->freed);
    memset(e, 0, sizeof *e);
}
