// Free extents in bins by size, all extents in a list by address: taking and releasing cost the same however many
// there are.
#include "mem/extent.h"

#include <stddef.h>

enum { TRIES_PER_BIN = 32 };

static unsigned bin_of(uint64_t span_bytes) {
    unsigned bin = 63 - (unsigned)__builtin_clzll(span_bytes / HW_EXTENT_UNIT_BYTES);
    return bin < HW_EXTENT_BINS ? bin : HW_EXTENT_BINS - 1;
}

static uint32_t new_number(hw_extents *x) {
    uint32_t number = x->unused;
    if (number) x->unused = x->items[number].next;
    else if (x->n_items < HW_EXTENT_MAX) number = x->n_items++;
    return number;
}

static void drop_number(hw_extents *x, uint32_t number) {
    x->items[number] = (hw_extent){.next = x->unused};
    x->unused = number;
}

static void put_in_bin(hw_extents *x, uint32_t number) {
    hw_extent *extent = &x->items[number];
    uint32_t *bin = &x->bins[extent->range][bin_of(extent->span_bytes)];
    extent->is_free = true;
    extent->prev = 0;
    extent->next = *bin;
    if (*bin) x->items[*bin].prev = number;
    *bin = number;
}

static void take_from_bin(hw_extents *x, uint32_t number) {
    hw_extent *extent = &x->items[number];
    if (extent->prev) x->items[extent->prev].next = extent->next;
    else x->bins[extent->range][bin_of(extent->span_bytes)] = extent->next;
    if (extent->next) x->items[extent->next].prev = extent->prev;
    extent->is_free = false;
    extent->prev = extent->next = 0;
}

void hw_extents_init(hw_extents *x, hw_extent *items) { *x = (hw_extents){.items = items, .n_items = 1}; }

void hw_extents_add(hw_extents *x, uint8_t range, uint64_t start, uint64_t span_bytes) {
    uint32_t number = new_number(x);
    x->items[number].start = start;
    x->items[number].span_bytes = span_bytes;
    x->items[number].range = range;
    put_in_bin(x, number);
}

// Where an aligned span would begin in this extent; 0 when it does not fit.
static uint64_t fit_in_extent(const hw_extent *extent, uint64_t span_bytes, uint64_t align) {
    uint64_t lead = (align - extent->start % align) % align;
    return lead <= extent->span_bytes && span_bytes <= extent->span_bytes - lead ? extent->start + lead : 0;
}

static uint32_t search_bins(const hw_extents *x, uint8_t range, uint64_t span_bytes, uint64_t align, uint32_t tries) {
    for (unsigned bin = bin_of(span_bytes); bin < HW_EXTENT_BINS; bin++) {
        uint32_t left = tries;
        for (uint32_t i = x->bins[range][bin]; i && left--; i = x->items[i].next)
            if (fit_in_extent(&x->items[i], span_bytes, align)) return i;
    }
    return 0;
}

// Cuts [start + keep_bytes, end) off into a new extent, not yet in a bin. 0 when numbers have run out.
static uint32_t split_extent(hw_extents *x, uint32_t number, uint64_t keep_bytes) {
    uint32_t rest = new_number(x);
    if (!rest) return 0;
    hw_extent *left = &x->items[number], *right = &x->items[rest];
    *right = (hw_extent){.start = left->start + keep_bytes, .span_bytes = left->span_bytes - keep_bytes,
                         .before = number, .after = left->after, .range = left->range};
    if (left->after) x->items[left->after].before = rest;
    left->after = rest;
    left->span_bytes = keep_bytes;
    return rest;
}

uint32_t hw_extents_take(hw_extents *x, uint8_t range, uint64_t span_bytes, uint64_t align) {
    uint32_t number = search_bins(x, range, span_bytes, align, TRIES_PER_BIN);
    if (!number) number = search_bins(x, range, span_bytes, align, UINT32_MAX);
    if (!number) return 0;
    uint64_t start = fit_in_extent(&x->items[number], span_bytes, align);
    take_from_bin(x, number);
    if (start > x->items[number].start) {
        uint32_t aligned = split_extent(x, number, start - x->items[number].start);
        put_in_bin(x, number);
        if (!aligned) return 0;
        number = aligned;
    }
    if (x->items[number].span_bytes > span_bytes) {
        uint32_t rest = split_extent(x, number, span_bytes);
        if (rest) put_in_bin(x, rest);   // else the caller gets a longer one, which does no harm
    }
    return number;
}

// Joins the extent after `number` to it; both are out of their bins.
static void absorb_next(hw_extents *x, uint32_t number) {
    hw_extent *extent = &x->items[number];
    uint32_t gone = extent->after;
    extent->span_bytes += x->items[gone].span_bytes;
    extent->after = x->items[gone].after;
    if (extent->after) x->items[extent->after].before = number;
    drop_number(x, gone);
}

void hw_extents_release(hw_extents *x, uint32_t number) {
    uint32_t after = x->items[number].after, before = x->items[number].before;
    if (after && x->items[after].is_free) {
        take_from_bin(x, after);
        absorb_next(x, number);
    }
    if (before && x->items[before].is_free) {
        take_from_bin(x, before);
        absorb_next(x, before);
        number = before;
    }
    put_in_bin(x, number);
}
