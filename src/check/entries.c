#include "check/entries.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mix.h"

enum { RECENT = 1 << 10, MOST = 1 << (32 - HW_CHECK_REF_BITS), MOST_LISTS = 1 << 18 };

static bool are_equal(const hw_check_entry *a, const hw_check_entry *b) {
    return a->work == b->work && a->warp == b->warp && a->time == b->time && a->note == b->note &&
           a->mask == b->mask && a->act == b->act && a->width_bytes == b->width_bytes && a->scope == b->scope &&
           a->is_many == b->is_many && a->is_pending == b->is_pending && a->is_host == b->is_host &&
           a->is_list == b->is_list;
}

// moved has room for one number more: of what will be next.
static bool make_room(hw_check_entries *e) {
    if (e->n < e->capacity) return true;
    const uint32_t capacity = e->capacity ? 2 * e->capacity : 1 << 12;
    hw_check_entry *items = capacity > MOST ? NULL : hw_realloc_array(e->items, capacity, sizeof *items);
    if (!items) return false;
    e->items = items;
    uint32_t *moved = hw_realloc_array(e->moved, capacity + 1, sizeof *moved);
    if (!moved) return false;
    e->moved = moved;
    e->capacity = capacity;
    return true;
}

hw_check_ref hw_check_entries_refer(hw_check_entries *e, const hw_check_entry *entry) {
    const uint64_t lanes = (uint64_t)entry->mask << 1 | entry->is_many;
    const uint64_t when = (uint64_t)entry->work << 32 | entry->time, where = (uint64_t)entry->warp << 32 | entry->note;
    const uint64_t hash = hw_mix_word(hw_mix_word(lanes, where), when);
    const uint32_t place = hash >> 32 & (RECENT - 1), number = e->recent[place].number;
    if (number && e->recent[place].hash == (uint32_t)hash && are_equal(&e->items[number], entry))
        return number << HW_CHECK_REF_BITS;
    if (!e->n) e->n = 1;
    if (!e->most_lists) e->most_lists = MOST_LISTS;
    if (!make_room(e)) {
        e->ran_out = true;
        return 0;
    }
    e->items[e->n] = *entry;
    e->n_lists += entry->is_list;
    e->recent[place].number = e->n;
    e->recent[place].hash = (uint32_t)hash;
    return e->n++ << HW_CHECK_REF_BITS;
}

// What lists refer to is older than they are.
static void mark_lists(hw_check_entries *e) {
    for (uint32_t i = e->n; i-- > 1;) {
        if (!e->items[i].is_live || !e->items[i].is_list) continue;
        hw_check_entries_mark(e, e->items[i].work);
        hw_check_entries_mark(e, e->items[i].warp);
    }
}

// An entry at its new place.
static hw_check_entry moved_entry(const hw_check_entries *e, const hw_check_entry *from) {
    hw_check_entry entry = *from;
    if (!entry.is_list) return entry;
    entry.work = hw_check_entries_moved(e, entry.work);
    entry.warp = hw_check_entries_moved(e, entry.warp);
    return entry;
}

bool hw_check_entries_sweep(hw_check_entries *e) {
    uint32_t to = 1, live = 0, lists = 0;
    mark_lists(e);
    for (uint32_t i = 1; i < e->n; i++) {
        live += e->items[i].is_live;
        lists += e->items[i].is_live && e->items[i].is_list;
    }
    const bool is_worth_it = live <= e->n - e->n / 4;
    for (uint32_t i = 1; i < e->n; i++) {
        e->moved[i] = to;
        if (is_worth_it && e->items[i].is_live) e->items[to++] = moved_entry(e, &e->items[i]);
    }
    if (is_worth_it) {
        e->moved[0] = 0;
        e->moved[e->n] = to;
        e->n = to;
        e->n_lists = lists;
        memset(e->recent, 0, sizeof e->recent);
    }
    e->lists_swept = e->n_lists;
    for (uint32_t i = 1; i < e->n; i++) e->items[i].is_live = false;
    return is_worth_it;
}

void hw_check_entries_free(hw_check_entries *e) {
    hw_free(e->items);
    hw_free(e->moved);
    memset(e, 0, sizeof *e);
}
