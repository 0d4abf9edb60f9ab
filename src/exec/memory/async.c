// cp.async: copies from global to shared memory that go on while the warp does other things.
//
// Global memory is read when the instruction is executed, shared memory written when the warp waits for the copy's
// group, and not before: a program that forgets to wait, or waits for too few groups, sees what shared memory held, as
// it would on a GPU that has not finished. Copies nobody waits for end with the block. PTX ISA 9.7.9.25.3.
#include <string.h>

#include "base/alloc.h"
#include "exec/memory/locate.h"

enum { FIRST_CAPACITY = 8, MOST_COPIES = 512, MOST_TOLD = 1 << 16, LANE_BYTES = 16 };

// One instruction's copies of one group. Lanes whose bytes have been written are taken out of the mask.
typedef struct copy {
    uint32_t mask, group;
    uint32_t width;
    uint32_t note;
    uint64_t number;                              // of the instruction's copies, for sinks
    uint32_t to[32];                              // in shared memory
    _Alignas(16) uint8_t bytes[32][LANE_BYTES];
} copy;

struct hw_copies {
    uint32_t open_group[32];                      // of each lane: the number of groups that it has committed
    size_t first, n, capacity;                    // items[first .. n - 1] are on their way, the oldest first
    copy *items;
    _Alignas(16) uint8_t staged[32][LANE_BYTES];  // what cp.async.read has read, for the cp.async.write behind it
    // Where it has read, for sinks that want copies.
    hw_copy_begun begun;
    hw_access_pattern source;                     // a copy: what the other side is called may take its place
    hw_access_pattern parts;                      // of lanes that have read in parts
    uint32_t read_bytes[32];
};

void hw_copies_forget(hw_state *s) {
    s->copies->first = s->copies->n = 0;
    memset(s->copies->open_group, 0, sizeof s->copies->open_group);
}

void hw_copies_free(hw_state *s) {
    if (s->copies) hw_free(s->copies->items);
    hw_free_aligned(s->copies);
    s->copies = NULL;
}

static hw_copies *copies_of(hw_state *s) {
    if (!s->copies) s->copies = hw_alloc_lanes(sizeof *s->copies);
    return s->copies;
}

// ---- reading ----

// How many bytes each lane reads: all that are copied, unless the instruction says otherwise.
static uint32_t read_sizes(const hw_warp *w, const hw_inst *in, uint32_t sizes[32]) {
    const uint32_t *given = in->b == HW_NO_SLOT ? NULL : hw_at(w, in->b);
    uint32_t ignored = in->p == HW_NO_SLOT ? 0 : hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
    uint32_t whole = 0;
    for (int i = 0; i < 32; i++) {
        sizes[i] = given && given[i] < in->width ? given[i] : in->width;
        if (ignored >> i & 1) sizes[i] = 0;
        whole |= (uint32_t)(sizes[i] == in->width) << i;
    }
    return whole & w->mask;
}

// The active lanes read: the instruction's pattern has their addresses. It may be another by the time of the write.
static void keep_source(hw_state *s, const hw_inst *in) {
    hw_warp *w = &s->warp;
    hw_copy_begun *begun = &s->copies->begun;
    if (!HW_IS_TOLD(s, COPY)) return;
    begun->reading = w->mask;
    begun->from = in->a == HW_NO_SLOT ? (uint64_t)in->imm : hw_address_of(w, in, __builtin_ctz(w->mask));
    s->copies->source = *hw_pattern_name(s->worker, &s->patterns[in->pattern]);
    begun->from_pattern = &s->copies->source;
    begun->read_bytes = NULL;
}

// The lanes in mask have read in parts: no pattern has all of them.
static void keep_parts(hw_state *s, const hw_inst *in, uint32_t mask) {
    hw_copy_begun *begun = &s->copies->begun;
    hw_access_pattern *parts = &s->copies->parts;
    const uint64_t *address = in->a == HW_NO_SLOT ? NULL : hw_at(&s->warp, in->a);
    uint64_t first = address ? address[__builtin_ctz(mask)] : 0;
    if (!HW_IS_TOLD(s, COPY)) return;
    *parts = (hw_access_pattern){.index = HW_NO_PATTERN, .mask = mask, .serial = ++s->worker->serial,
                                 .space = HW_SPACE_GLOBAL};
    for (uint32_t left = address ? mask : 0; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        parts->delta[i] = (int64_t)(address[i] - first);
    }
    begun->reading = mask;
    begun->from = first + (uint64_t)in->imm;
    begun->from_pattern = parts;
}

static void keep_sizes(hw_state *s, const uint32_t sizes[32]) {
    memcpy(s->copies->read_bytes, sizes, sizeof s->copies->read_bytes);
    s->copies->begun.read_bytes = s->copies->read_bytes;
}

static void tell_begun(hw_state *s, const hw_inst *in, void *const at[32]) {
    hw_copy_begun *begun = &s->copies->begun;
    begun->where = hw_where_of(s);
    begun->note = in->note;
    begun->mask = s->warp.mask;
    begun->width_bytes = in->width;
    begun->number = s->worker->n_copies;
    begun->to = (uint64_t)((char *)at[__builtin_ctz(s->warp.mask)] - s->shared);
    begun->to_pattern = hw_pattern_name(s->worker, &s->patterns[in->pattern]);
    hw_tell_copy(&s->run->observers->all, s->worker->index, begun);
}

static void tell_group(hw_state *s, const hw_inst *in, hw_copy_action action, int64_t spared) {
    const hw_copy_group group = {.where = hw_where_of(s), .note = in->note, .mask = s->warp.mask, .action = action,
                                 .spared = spared};
    hw_tell_copy_group(&s->run->observers->all, s->worker->index, &group);
}

static void tell_landed(hw_state *s, const copy *c, uint32_t mask, bool is_waited_for) {
    const hw_copy_landed landed = {.where = hw_where_of(s), .note = c->note, .mask = mask, .number = c->number,
                                   .width_bytes = (uint8_t)c->width, .is_waited_for = is_waited_for, .to = c->to};
    hw_tell_copy_landed(&s->run->observers->all, s->worker->index, &landed);
}

static void stage_copy(hw_state *s, const hw_inst *in, void *const at[32]) {
    uint8_t(*staged)[LANE_BYTES] = s->copies->staged;
    hw_warp *w = &s->warp;
    if (in->width == 16) HW_EACH_ACTIVE_LANE(memcpy(staged[i], at[i], 16));
    else if (in->width == 8) HW_EACH_ACTIVE_LANE(memcpy(staged[i], at[i], 8));
    else HW_EACH_ACTIVE_LANE(memcpy(staged[i], at[i], 4));
}

// Reads the lanes' parts of words from the whole words where these can be read; that counts as one access.
static bool read_near(hw_state *s, const hw_inst *in, const uint32_t sizes[32]) {
    hw_warp *w = &s->warp;
    const char *m = in->a == HW_NO_SLOT ? NULL : hw_locate(s, in);
    if (!m) return false;
    keep_source(s, in);
    const int64_t *delta = s->patterns[in->pattern].delta;
    HW_EACH_ACTIVE_LANE(memcpy(s->copies->staged[i], m + delta[i], sizes[i]));
    return true;
}

// Lanes that read some of their bytes, at the end of an allocation: nothing behind them is touched.
static bool read_parts(hw_state *s, const hw_inst *in, const uint32_t sizes[32]) {
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        uint64_t address = (uint64_t)in->imm;
        if (in->a != HW_NO_SLOT) address += ((const uint64_t *)hw_at(&s->warp, in->a))[i];
        if (address & (in->width - 1u)) {
            if (!hw_access_stray(s, in, HW_FAULT_MISALIGNED, i, HW_SPACE_GLOBAL, address, in->width, false))
                return false;
            continue;
        }
        if (!hw_access_read(s, in, i, address, s->copies->staged[i], sizes[i])) return false;
    }
    return true;
}

static bool read_sized(hw_state *s, const hw_inst *in) {
    hw_warp *w = &s->warp;
    uint32_t all = w->mask, sizes[32], parts = 0, whole = read_sizes(w, in, sizes);
    void *at[32];
    memset(s->copies->staged, 0, sizeof s->copies->staged);
    HW_EACH_ACTIVE_LANE(parts |= (uint32_t)(sizes[i] != 0) << i);
    s->copies->begun.reading = 0;
    s->copies->begun.from_pattern = NULL;
    if (!parts) return true;
    hw_set_mask(w, parts);
    bool done = read_near(s, in, sizes);
    if (!done) {
        keep_parts(s, in, parts);
        parts &= ~whole;
        if (parts) hw_set_mask(w, parts);
        done = !parts || read_parts(s, in, sizes);
        if (done && whole) {
            hw_set_mask(w, whole);
            done = hw_locate_lanes(s, in, false, at);
            if (done) stage_copy(s, in, at);
        }
    }
    hw_set_mask(w, all);
    if (HW_IS_TOLD(s, COPY)) keep_sizes(s, sizes);
    return done;
}

static const hw_inst *copy_read(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    void *at[32];
    if (!copies_of(s)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, __builtin_ctz(w->mask));
    if (in->b != HW_NO_SLOT || in->p != HW_NO_SLOT) return read_sized(s, in) ? in + 1 : NULL;
    if (!hw_locate_lanes(s, in, false, at)) return NULL;
    keep_source(s, in);
    stage_copy(s, in, at);
    return in + 1;
}

// ---- writing ----

static void land_copy(hw_state *s, copy *c, uint32_t mask, bool is_waited_for) {
    char *shared = s->shared;
    if (HW_IS_TOLD(s, COPY_LANDED) && c->mask & mask) tell_landed(s, c, c->mask & mask, is_waited_for);
    for (uint32_t left = c->mask & mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (c->width == 16) memcpy(shared + c->to[i], c->bytes[i], 16);
        else if (c->width == 8) memcpy(shared + c->to[i], c->bytes[i], 8);
        else memcpy(shared + c->to[i], c->bytes[i], 4);
    }
    c->mask &= ~mask;
}

// Makes room for one more copy. Where there is none, the older copies end now, as copies may at any time.
static copy *make_room_for_copy(hw_state *s) {
    hw_copies *all = s->copies;
    if (all->n == all->capacity && all->first) {
        memmove(all->items, all->items + all->first, (all->n - all->first) * sizeof *all->items);
        all->n -= all->first;
        all->first = 0;
    }
    // Who hears of them has to know who waits. More words than these a block's shared memory has not.
    const size_t most = HW_IS_TOLD(s, COPY_LANDED) ? MOST_TOLD : MOST_COPIES;
    if (all->n == all->capacity && all->capacity < most) {
        size_t wanted = all->capacity ? 2 * all->capacity : FIRST_CAPACITY;
        copy *bigger = hw_realloc_array(all->items, wanted, sizeof *bigger);
        if (bigger) {
            all->items = bigger;
            all->capacity = wanted;
        }
    }
    if (!all->capacity) return NULL;
    if (all->n == all->capacity) {
        size_t ended = (all->n + 1) / 2;
        for (size_t k = 0; k < ended; k++) land_copy(s, &all->items[k], ~0u, false);
        memmove(all->items, all->items + ended, (all->n -= ended) * sizeof *all->items);
    }
    return &all->items[all->n++];
}

// Lanes of w->mask that have committed as many groups as the first of them, and how many.
static uint32_t like_first(const hw_copies *all, uint32_t mask, uint32_t *group) {
    uint32_t same = 0;
    *group = all->open_group[__builtin_ctz(mask)];
    for (int i = 0; i < 32; i++) same |= (uint32_t)(all->open_group[i] == *group) << i;
    return same & mask;
}

// Begins the active lanes' copies to where they are to land. False: no memory.
static bool begin_copies(hw_state *s, const hw_inst *in, void *const at[32]) {
    s->worker->n_copies++;
    if (HW_IS_TOLD(s, COPY)) tell_begun(s, in, at);
    for (uint32_t left = s->warp.mask; left;) {
        copy *c = make_room_for_copy(s);
        if (!c) return false;
        c->mask = like_first(s->copies, left, &c->group);
        c->width = in->width;
        c->note = in->note;
        c->number = s->worker->n_copies;
        left &= ~c->mask;
        for (uint32_t lanes = c->mask; lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes);
            c->to[i] = (uint32_t)((char *)at[i] - s->shared);
        }
        memcpy(c->bytes, s->copies->staged, sizeof c->bytes);
    }
    return true;
}

// Lanes whose place in shared memory is not there copy nothing.
static const hw_inst *copy_write(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    const uint32_t all = w->mask;
    uint32_t lanes = 0;
    void *at[32];
    bool done = true;
    if (!hw_locate_lanes(s, in, true, at)) return NULL;
    HW_EACH_ACTIVE_LANE(lanes |= (uint32_t)!hw_access_is_nowhere(s, at[i]) << i);
    if (lanes == all) {
        done = begin_copies(s, in, at);
    } else if (lanes) {
        hw_set_mask(w, lanes);
        done = begin_copies(s, in, at);
        hw_set_mask(w, all);
    }
    return done ? in + 1 : hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, __builtin_ctz(all));
}

// ---- groups ----

static const hw_inst *copy_commit(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (!copies_of(s)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, __builtin_ctz(w->mask));
    HW_EACH_ACTIVE_LANE(s->copies->open_group[i]++);
    if (HW_IS_TOLD(s, COPY_GROUP)) tell_group(s, in, HW_COPY_COMMIT, 0);
    return in + 1;
}

// Ends the copies of the active lanes, of all groups but the newest `spared` committed ones and the open one.
static void wait_for(hw_state *s, int64_t spared) {
    hw_copies *all = s->copies;
    for (size_t k = all->first; k < all->n; k++) {
        copy *c = &all->items[k];
        uint32_t due = 0;
        for (uint32_t left = c->mask & s->warp.mask; left; left &= left - 1) {
            int i = __builtin_ctz(left);
            bool is_due = spared < 0 || (int64_t)(all->open_group[i] - c->group) > spared;
            due |= (uint32_t)is_due << i;
        }
        if (due) land_copy(s, c, due, true);
    }
    while (all->first < all->n && !all->items[all->first].mask) all->first++;
    if (all->first == all->n) all->first = all->n = 0;
}

void hw_copies_land(hw_state *s, const hw_inst *in) {
    if (HW_IS_TOLD(s, COPY_GROUP)) tell_group(s, in, HW_COPY_ARRIVE, -1);
    if (s->copies) wait_for(s, -1);
}

static const hw_inst *copy_wait(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (HW_IS_TOLD(s, COPY_GROUP)) tell_group(s, in, HW_COPY_WAIT, in->imm);
    if (s->copies) wait_for(s, in->imm);
    return in + 1;
}

#define NAMED(id, name, function, ...) {function, NULL},
const hw_body_forms hw_async_bodies[] = {
#include "isa/bodies/async.def"
};
