// cp.async.bulk: copies of rows of memory that go on while the warp does other things. PTX ISA 9.7.9.25.4.
//
// A row is copied when somebody waits for it, at its mbarrier or for its group, and not before: a program that forgets
// to wait sees what was there, and one that changes the source too early copies what it has put there. What nobody has
// waited for in a group ends with the block, as on a GPU; what no mbarrier has been asked for is forgotten.
#include <string.h>

#include "base/alloc.h"
#include "exec/memory/locate.h"
#include "exec/undefined/undefined.h"

typedef struct row_copy {
    hw_bulk_step step;               // as sinks hear of it
    uint32_t warp, group;            // which of its lane's groups; of those that have no mbarrier
    const char *from;
    char *to, *barrier;              // to: NULL: the copy strays, its mbarrier learns of its bytes alone; barrier:
                                     // NULL: it is of a group
    bool has_been_made;              // its group was waited for so far as to read
} row_copy;

// Of the instruction that a lane is in, and of its groups.
typedef struct lane_rows {
    const hw_inst *in;
    uint64_t from, barrier;
    const char *source;              // NULL: it strays
    char *barrier_at;
    uint32_t bytes, open_group;
    uint8_t space;
} lane_rows;

// Of a block: what its warps have begun in groups, and what mbarriers in its memory are to be told of.
struct hw_bulk_copies {
    row_copy *items;
    size_t n, capacity;
    lane_rows lanes[];               // of all warps
};

void hw_bulk_forget(hw_block *block) {
    if (!block->bulk) return;
    block->bulk->n = 0;
    memset(block->bulk->lanes, 0, 32 * block->n_warps * sizeof *block->bulk->lanes);
}

void hw_bulk_free(hw_block *block) {
    if (block->bulk) hw_free(block->bulk->items);
    hw_free(block->bulk);
    block->bulk = NULL;
}

static bool has_room(hw_block *block) {
    if (!block->bulk)
        block->bulk = hw_calloc(1, sizeof *block->bulk + 32 * block->n_warps * sizeof *block->bulk->lanes);
    return block->bulk != NULL;
}

static lane_rows *lane_of(const hw_state *s, int lane) { return &s->block->bulk->lanes[32 * s->index + (size_t)lane]; }

// ---- beginning ----

static uint64_t address_of(const hw_warp *w, const hw_inst *in, int lane) {
    return in->a == HW_NO_SLOT ? (uint64_t)in->imm : hw_address_of(w, in, lane);
}

static const hw_inst *bulk_from(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (!has_room(s->block)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, __builtin_ctz(w->mask));
    const uint32_t *bytes = hw_at(w, in->b);
    for (uint32_t left = w->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        lane_rows *lane = lane_of(s, i);
        char *at;
        lane->in = in;
        lane->space = in->space;
        lane->bytes = bytes[i];
        lane->from = address_of(w, in, i);
        lane->barrier_at = NULL;
        if (!hw_access_find_row(s, in, i, (hw_space)in->space, lane->from, lane->bytes, false, &at)) return NULL;
        lane->source = at;
    }
    return in + 1;
}

static const hw_inst *bulk_at(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    for (uint32_t left = w->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        lane_rows *lane = lane_of(s, i);
        lane->barrier = address_of(w, in, i);
        if (!hw_access_find_row(s, in, i, HW_SPACE_SHARED, lane->barrier, in->width, true, &lane->barrier_at))
            return NULL;
        if (!lane->barrier_at) lane->source = NULL;
    }
    return in + 1;
}

static void tell(const hw_run *run, uint32_t worker, row_copy *c, hw_bulk_action action) {
    c->step.action = action;
    hw_tell_bulk(&run->observers->all, worker, &c->step);
}

// The block in whose list the copy waits: where its mbarrier is.
static hw_block *keeper_of(const hw_state *s, const lane_rows *lane) {
    uint64_t own;
    const hw_block *home = lane->barrier_at ? hw_cluster_home(s->block, lane->barrier, &own) : s->block;
    for (uint32_t rank = 0; rank < s->run->cluster_blocks; rank++)
        if (s->block->peers[rank] == home) return s->block->peers[rank];
    return s->block;
}

static bool begin_copy(hw_state *s, const hw_inst *in, int i, char *to) {
    const lane_rows *lane = lane_of(s, i);
    hw_block *keeper = keeper_of(s, lane);
    if (!has_room(keeper)) return false;
    struct hw_bulk_copies *all = keeper->bulk;
    if (!hw_grow((void **)&all->items, all->n, &all->capacity, sizeof *all->items)) return false;
    row_copy *c = &all->items[all->n++];
    *c = (row_copy){.step = {.where = hw_where_of(s), .note = in->note, .lane = (uint8_t)i, .from_space = lane->space,
                             .to_space = in->space, .from = lane->from, .to = address_of(&s->warp, in, i),
                             .bytes = lane->bytes, .number = ++s->worker->n_copies, .has_barrier = lane->barrier_at,
                             .barrier = lane->barrier},
                    .warp = s->index, .group = lane->open_group, .from = lane->source, .to = to,
                    .barrier = lane->barrier_at};
    if (!to) return true;
    // Before the row is there: who reads there earlier has a race.
    if (s->undefined)
        hw_undefined_copy_row(s, lane->in, i, (hw_undefined_place){lane->space, lane->from},
                              (hw_undefined_place){in->space, c->step.to}, lane->bytes);
    if (HW_IS_TOLD(s, BULK)) tell(s->run, s->worker->index, c, HW_BULK_BEGINS);
    return true;
}

static const hw_inst *bulk_to(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    for (uint32_t left = w->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const lane_rows *lane = lane_of(s, i);
        char *at;
        if (!hw_access_find_row(s, in, i, (hw_space)in->space, address_of(w, in, i), lane->bytes, true, &at))
            return NULL;
        const bool strays = !at || !lane->source;      // which has been told
        if (strays && !lane->barrier_at) continue;
        if (!begin_copy(s, in, i, strays ? NULL : at)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, i);
    }
    return in + 1;
}

// ---- ending ----

// True: nothing is left to do of it.
static bool end_copy(const hw_state *s, row_copy *c, bool is_read_only) {
    const bool is_told = HW_IS_TOLD(s, BULK) && c->to;
    if (!c->has_been_made && c->to) {
        memmove(c->to, c->from, c->step.bytes);
        if (is_told) tell(s->run, s->worker->index, c, HW_BULK_HAS_READ);
    }
    c->has_been_made = true;
    if (is_read_only) return false;
    if (is_told) tell(s->run, s->worker->index, c, HW_BULK_HAS_WRITTEN);
    if (c->barrier) hw_mbarrier_complete(c->barrier, c->step.bytes);
    return true;
}

void hw_bulk_land(hw_state *s, const char *at) {
    for (uint32_t rank = 0; rank < s->run->cluster_blocks; rank++) {
        struct hw_bulk_copies *all = s->block->peers[rank]->bulk;
        size_t kept = 0;
        for (size_t k = 0; all && k < all->n; k++)
            if (all->items[k].barrier != at || !end_copy(s, &all->items[k], false)) all->items[kept++] = all->items[k];
        if (!all || kept == all->n) continue;
        all->n = kept;
        s->block->turn.has_progressed = true;
    }
}

void hw_bulk_finish(hw_block *block) {
    if (!block->bulk) return;
    for (size_t k = 0; k < block->bulk->n; k++)
        if (!block->bulk->items[k].barrier) end_copy(&block->warps[0], &block->bulk->items[k], false);
    block->bulk->n = 0;
}

// ---- groups ----

static const hw_inst *bulk_commit(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (!has_room(s->block)) return hw_fault_stop(s, in, HW_FAULT_NO_MEMORY, __builtin_ctz(w->mask));
    for (uint32_t left = w->mask; left; left &= left - 1) lane_of(s, __builtin_ctz(left))->open_group++;
    return in + 1;
}

// Of the active lanes, all groups but the newest `spared` committed ones and the open one.
static const hw_inst *wait_for(hw_warp *w, const hw_inst *in, bool is_read_only) {
    const hw_state *s = hw_state_of(w);
    struct hw_bulk_copies *all = s->block->bulk;
    size_t kept = 0;
    if (!all) return in + 1;
    for (size_t k = 0; k < all->n; k++) {
        row_copy *c = &all->items[k];
        const bool is_own = !c->barrier && c->warp == s->index && w->mask >> c->step.lane & 1;
        const bool is_due = is_own && (int64_t)(lane_of(s, c->step.lane)->open_group - c->group) > in->imm;
        if (!is_due || !end_copy(s, c, is_read_only)) all->items[kept++] = *c;
    }
    all->n = kept;
    return in + 1;
}

static const hw_inst *bulk_wait(hw_warp *w, const hw_inst *in) { return wait_for(w, in, false); }
static const hw_inst *bulk_wait_read(hw_warp *w, const hw_inst *in) { return wait_for(w, in, true); }

#define NAMED(id, name, function, ...) {function, NULL},
const hw_body_forms hw_bulk_bodies[] = {
#include "isa/bodies/bulk.def"
};
