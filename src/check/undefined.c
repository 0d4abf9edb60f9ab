#include "check/undefined.h"

#include "base/alloc.h"
#include "check/internal.h"
#include "mem/defined.h"
#include "mem/mem.h"

// ---- what launches tell ---------------------------------------------------------------------------------------------

static uint32_t warp_of(const hw_check *c, const hw_where *where) {
    const uint32_t *grid = c->works.items[c->work].grid, *at = where->block;
    return ((at[2] * grid[1] + at[1]) * grid[0] + at[0]) * c->blocks.n_warps + where->warp;
}

static void keep_origin(hw_check *c, const hw_undefined_told *told) {
    hw_check_origins *all = &c->origins;
    while (all->n < told->origin) {
        if (!hw_grow((void **)&all->items, all->n, &all->capacity, sizeof *all->items)) {
            c->ran_out = true;
            return;
        }
        all->items[all->n++] = (hw_check_origin){.note = HW_NO_NOTE};
    }
    all->items[told->origin - 1] =
        (hw_check_origin){.work = c->work, .warp = warp_of(c, &told->where), .note = told->note,
                          .lane = told->mask ? (uint8_t)__builtin_ctz(told->mask) : 0, .bytes = told->bytes,
                          .space = told->note == HW_NO_NOTE ? HW_SPACE_REG : told->space, .address = told->address};
}

static const hw_check_origin *origin_of(const hw_check *c, uint32_t number) {
    static const hw_check_origin unknown = {.note = HW_NO_NOTE, .space = HW_SPACE_REG};
    return number && number <= c->origins.n ? &c->origins.items[number - 1] : &unknown;
}

static hw_check_act act_of(hw_undefined_use use) {
    switch (use) {
    case HW_UNDEFINED_ADDRESS: return HW_CHECK_ADDRESSES;
    case HW_UNDEFINED_CHANGES: return HW_CHECK_CHANGES;
    case HW_UNDEFINED_PASSED: return HW_CHECK_PASSES;
    case HW_UNDEFINED_STORED: return HW_CHECK_WRITES;
    default: return HW_CHECK_DECIDES;
    }
}

static void add_use(hw_check *c, const hw_check_origin *from, const hw_check_entry *use, int lane) {
    const hw_check_entry read = {.work = from->work, .warp = from->warp, .note = from->note, .mask = 1u << from->lane,
                                 .act = HW_CHECK_READS, .width_bytes = from->bytes};
    const bool has_place = from->note != HW_NO_NOTE;
    c->ran_out |= c->sink.defined->ran_out;
    if (c->ran_out) return;    // what could not be noted down may have been written
    hw_check_add_undefined(c, has_place ? &read : NULL, use, lane, from->space, from->address);
}

void hw_check_tell_undefined(hw_sink *sink, uint32_t worker, const hw_undefined_told *told) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    if (told->use == HW_UNDEFINED_IS_BORN) {
        keep_origin(c, told);
        return;
    }
    const hw_check_entry use = {.work = c->work, .warp = warp_of(c, &told->where), .note = told->note,
                                .mask = told->mask, .act = (uint8_t)act_of(told->use), .is_many = true};
    add_use(c, origin_of(c, told->origin), &use, __builtin_ctz(told->mask | 1u << 31));
}

// ---- the host -------------------------------------------------------------------------------------------------------

void hw_check_undefined_allocated(hw_check *c, const hw_host_event *event) {
    const uint8_t kind = event->memory.kind;
    const bool is_fresh = kind == HW_ALLOC_DEVICE || kind == HW_ALLOC_HEAP;
    if (!is_fresh && kind != HW_ALLOC_GLOBAL) return;
    if (!hw_defined_follow(c->sink.defined, event->memory.address, event->memory.bytes, !is_fresh)) c->ran_out = true;
}

void hw_check_undefined_freed(hw_check *c, const hw_host_event *event) {
    hw_defined_forget(c->sink.defined, event->memory.address, event->memory.bytes);
}

static uint64_t row_of(const hw_host_side *side, uint64_t y, uint64_t z) {
    return side->address + z * side->slice + y * side->pitch;
}

void hw_check_undefined_set(hw_check *c, const hw_host_event *event) {
    for (uint64_t z = 0; z < event->set.depth; z++)
        for (uint64_t y = 0; y < event->set.height; y++)
            hw_defined_set(c->sink.defined, row_of(&event->set.to, y, z), event->set.width);
}

static const hw_check_allocation *allocation_of(const hw_check *c, uint64_t address) {
    const hw_check_host *host = &c->host;
    for (size_t i = 0; i < host->n_allocations; i++)
        if (address - host->allocations[i].address < host->allocations[i].bytes) return &host->allocations[i];
    return NULL;
}

// Does a row that goes to the host have a value that counts? Told once a copy. Else: is none of its bytes written?
static bool find_counting(hw_check *c, uint32_t work, uint64_t row, uint64_t bytes) {
    const hw_check_entry use = {.work = work, .act = HW_CHECK_COPIES, .is_host = true};
    uint64_t found;
    hw_origin origin;
    if (!hw_defined_find(c->sink.defined, row, bytes, true, &found, &origin)) return false;
    add_use(c, origin_of(c, origin & ~HW_ORIGIN_COUNTS), &use, 0);
    return true;
}

static void copy_to_host(hw_check *c, uint32_t work, const hw_host_event *e) {
    bool is_untouched = true;
    for (uint64_t z = 0; z < e->copy.depth; z++)
        for (uint64_t y = 0; y < e->copy.height; y++) {
            const uint64_t row = row_of(&e->copy.from, y, z);
            if (find_counting(c, work, row, e->copy.width)) return;
            is_untouched = is_untouched && hw_defined_is_untouched(c->sink.defined, row, e->copy.width);
        }
    const hw_check_allocation *of = is_untouched ? allocation_of(c, e->copy.from.address) : NULL;
    if (of) hw_check_add_untouched(c, of, &(hw_check_entry){.work = work, .act = HW_CHECK_COPIES, .is_host = true},
                                   e->copy.from.address);
}

void hw_check_undefined_copied(hw_check *c, uint32_t work, const hw_host_event *e) {
    hw_defined *defined = c->sink.defined;
    const bool from_device = hw_defined_is_followed(defined, e->copy.from.address);
    if (!hw_defined_is_followed(defined, e->copy.to.address)) {
        if (from_device) copy_to_host(c, work, e);
        return;
    }
    for (uint64_t z = 0; z < e->copy.depth; z++)
        for (uint64_t y = 0; y < e->copy.height; y++) {
            const uint64_t to = row_of(&e->copy.to, y, z);
            if (from_device) hw_defined_copy(defined, to, row_of(&e->copy.from, y, z), e->copy.width);
            else hw_defined_set(defined, to, e->copy.width);
        }
}
