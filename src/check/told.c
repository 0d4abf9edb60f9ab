// What sinks hear of memory: accesses of kernels, and of calls of the host.
#include "base/alloc.h"
#include "base/integers.h"
#include "check/aside.h"
#include "check/bounds.h"
#include "check/internal.h"
#include "isa/order.h"

// ---- who does what --------------------------------------------------------------------------------------------------

hw_check_act hw_check_act_of(uint8_t kind, uint8_t space) {
    switch (kind) {
    case HW_NOTE_STORE: return HW_CHECK_WRITES;
    case HW_NOTE_ATOMIC: case HW_NOTE_REDUCTION: return HW_CHECK_CHANGES;
    case HW_NOTE_COPY: case HW_NOTE_COPY_BYPASS: return space == HW_SPACE_SHARED ? HW_CHECK_COPIES : HW_CHECK_READS;
    default: return HW_CHECK_READS;
    }
}

uint8_t hw_check_strong_scope(const hw_note *note, hw_check_act act) {
    if (act == HW_CHECK_CHANGES) return note->scope > HW_SCOPE_WARP ? note->scope : HW_SCOPE_GPU;
    if (note->order == HW_ORDER_VOLATILE || note->order == HW_ORDER_MMIO) return HW_SCOPE_SYS;
    return note->order >= HW_ORDER_RELAXED ? note->scope : HW_SCOPE_NONE;
}

static void sweep_entries(hw_check *c) {
    hw_check_shadow_mark(&c->shadow, &c->entries);
    hw_check_reads_mark(c);
    hw_check_blocks_mark(&c->blocks, &c->entries);
    hw_check_asides_mark(c);
    if (!hw_check_entries_sweep(&c->entries)) return;
    c->shadow.cells.dead = hw_check_entries_moved(&c->entries, c->shadow.cells.dead);
    hw_check_shadow_move(&c->shadow, &c->entries);
    hw_check_reads_move(c);
    hw_check_blocks_move(&c->blocks, &c->entries);
    hw_check_asides_move(c);
    if (c->floor > 1) c->floor = hw_check_entries_moved(&c->entries, c->floor);
}

static inline bool can_check(hw_check *c) {
    if (hw_check_entries_are_many(&c->entries)) sweep_entries(c);
    return !c->ran_out && !c->blocks.ran_out && !hw_check_streams_ran_out(c->streams);
}

static void begin_plain(hw_check *c, hw_check_present *now, hw_check_block *block, uint32_t warp, uint8_t space,
                        uint32_t note) {
    *now = (hw_check_present){.check = c, .block = block, .home = block, .warp = warp, .space = space,
                              .first_warp = block->number * c->blocks.n_warps,
                              .floor = space == HW_SPACE_SHARED ? block->floor : c->floor,
                              .last = UINT32_MAX, .kept = UINT32_MAX};
    now->entry = (hw_check_entry){.work = c->work, .warp = now->first_warp + warp, .time = block->time, .note = note};
}

void hw_check_begin_present(hw_check *c, hw_check_present *now, hw_check_block *block, uint32_t warp, uint8_t space,
                            uint32_t note, uint8_t kind, uint8_t width_bytes, uint32_t mask) {
    const hw_check_act act = hw_check_act_of(kind, space);
    begin_plain(c, now, block, warp, space, note);
    now->entry.act = (uint8_t)act;
    now->entry.mask = mask;
    now->entry.width_bytes = width_bytes;
    now->entry.scope = hw_check_strong_scope(&c->notes[note], act);
    now->entry.is_pending = act == HW_CHECK_COPIES;
    now->entry.is_many = kind == HW_NOTE_LOAD_MATRIX;    // what a lane points at others get
}

// ---- accesses of kernels --------------------------------------------------------------------------------------------

// What is kept of the pattern. NULL: it has no name, or has not been met.
static inline hw_check_runs *known_runs_of(const hw_check *c, const hw_access_pattern *p) {
    hw_check_runs *kept = p->index < c->n_runs ? c->runs[p->index] : NULL;
    return kept && kept->serial == p->serial ? kept : NULL;
}

// The runs of a pattern are found once, and kept by its index. NULL: there is no memory.
static hw_check_runs *keep_runs_of(hw_check *c, const hw_access *a) {
    const hw_access_pattern *p = a->pattern;
    hw_check_runs **kept = &c->runs[p->index];
    if (!*kept) *kept = hw_calloc(1, sizeof **kept);
    if (!*kept) return NULL;
    if (hw_check_intervals_have(&c->intervals, *kept)) hw_check_intervals_look(c);
    hw_check_find_runs(p->mask, p->delta, a->width_bytes, *kept);
    for (int i = 0; i < HW_WARP_LANES; i++) (*kept)->delta[i] = (int32_t)p->delta[i];
    (*kept)->kinds = hw_check_interval_kind(&c->notes[a->note], a->kind);
    (*kept)->kind = a->kind;
    (*kept)->width_bytes = a->width_bytes;
    (*kept)->note = a->note;
    (*kept)->serial = p->serial;
    (*kept)->logged = 0;
    (*kept)->is_new = true;
    hw_check_bounds_room(c, a, *kept);
    return *kept;
}

// Strong accesses are how threads leave word for each other. Do they now?
static bool has_messages(const hw_check *c, const hw_check_block *block, uint32_t warp, const hw_note *note) {
    const bool is_plain = note->order != HW_ORDER_ACQUIRE && note->order < HW_ORDER_RELEASE;
    return !is_plain || c->blocks.logs.n || block->warps[warp].lanes;
}

// Of one lane, with each word of 4 bytes that it accesses: flags mostly lie side by side.
static void exchange_at(const hw_check_present *now, uint32_t warp, const hw_note *note, int lane, uint64_t at) {
    const uint64_t first = at / HW_CHECK_WORD_BYTES * HW_CHECK_WORD_BYTES;
    for (uint64_t word = first; word < at + now->entry.width_bytes; word += HW_CHECK_WORD_BYTES) {
        const uint64_t key = now->space == HW_SPACE_SHARED ? hw_check_key_of_shared(now->home->serial, word)
                                                           : hw_check_key_of_global(word);
        hw_check_blocks_exchange(&now->check->blocks, now->block, warp, lane, key, now->entry.act, note->order,
                                 now->entry.scope);
    }
}

static void exchange_messages(const hw_check_present *now, uint32_t warp, const hw_note *note,
                              const hw_access_pattern *p, uint64_t base) {
    for (uint32_t left = p->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        exchange_at(now, warp, note, lane, base + (uint64_t)p->delta[lane]);
    }
}

// An access to shared memory waits for the next barrier, unless it orders threads.
static bool can_wait(hw_check *c, hw_check_block *block, const hw_access *first, uint32_t n, uint8_t kind) {
    bool waits = true;
    if (kind & (HW_CHECK_STRONG_READ | HW_CHECK_STRONG_WRITE))
        for (uint32_t k = 0; k < n; k++)
            waits &= !has_messages(c, block, first->where.warp + k, &c->notes[first->note]);
    if (waits) return true;
    hw_check_interval_look(c, block);
    block->interval.is_known = true;
    return false;
}

static void look_at_accesses(hw_check *c, hw_check_block *block, const hw_access *first, uint32_t n,
                             const uint64_t *bases, const hw_check_runs *runs) {
    const hw_note *note = &c->notes[first->note];
    hw_check_present now;
    hw_check_begin_present(c, &now, block, first->where.warp, first->space, first->note, first->kind,
                           first->width_bytes, first->pattern->mask);
    now.is_alone = n == 1;
    if (now.entry.scope == HW_SCOPE_NONE &&
        (hw_check_write_rows(&now, runs, bases, n) || hw_check_write_columns(&now, runs, bases, n))) return;
    for (uint32_t k = 0; k < n; k++) {
        hw_check_access_runs(&now, runs, bases[k], k);
        if (now.entry.scope != HW_SCOPE_NONE && has_messages(c, block, first->where.warp + k, note))
            exchange_messages(&now, first->where.warp + k, note, first->pattern, bases[k]);
    }
}

// By threads of a cluster to shared memory, each lane's its own block's or another one's.
static void hear_in_cluster(hw_check *c, hw_check_block *block, uint32_t warp, const hw_access *a, uint64_t base) {
    const hw_access_pattern *p = a->pattern;
    const hw_note *note = &c->notes[a->note];
    hw_check_present now;
    hw_check_begin_present(c, &now, block, warp, a->space, a->note, a->kind, a->width_bytes, p->mask);
    const bool tells = now.entry.scope != HW_SCOPE_NONE && has_messages(c, block, warp, note);
    static const unsigned passes[] = {HW_CHECK_COMPARE, HW_CHECK_RECORD};    // lanes are not compared with each other
    for (size_t k = 0; k < sizeof passes / sizeof *passes; k++) {
        for (uint32_t left = p->mask; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            uint64_t offset = base + (uint64_t)p->delta[lane];
            now.home = hw_check_blocks_home(&c->blocks, block, &offset);
            if (!now.home) continue;
            now.floor = now.home->floor;
            hw_check_go_through(&now, offset, a->width_bytes, lane, passes[k]);
            if (tells && passes[k] == HW_CHECK_RECORD) exchange_at(&now, warp, note, lane, offset);
        }
    }
}

// Accesses to shared or device memory, whose bounds have been looked at. runs: of a pattern that is known; or NULL.
static void hear_accesses(hw_check *c, const hw_access *first, const hw_check_bases *all, hw_check_runs *runs) {
    const hw_access_pattern *p = first->pattern;
    const uint64_t *bases = all->at;
    const uint32_t n = all->n;
    hw_check_block *block = can_check(c) ? hw_check_block_of(&c->blocks, &first->where) : NULL;
    hw_check_runs own;
    if (!block) return;
    if (first->space == HW_SPACE_SHARED && c->blocks.cluster_blocks > 1) {
        for (uint32_t k = 0; k < n; k++) hear_in_cluster(c, block, first->where.warp + k, first, bases[k]);
        return;
    }
    if (runs) runs->is_new = false;
    else if (p->index < c->n_runs) runs = keep_runs_of(c, first);
    if (first->space == HW_SPACE_SHARED) {
        const uint8_t kind = runs ? runs->kinds : hw_check_interval_kind(&c->notes[first->note], first->kind);
        if (kind == HW_CHECK_ASYNC_WRITE) hw_check_lane_copies_begin(c, block, first, all, runs);
        // What is met once soon has another one's place: logs have it as if it had no name.
        if (can_wait(c, block, first, n, kind) &&
            hw_check_interval_add(c, block, first, all, kind, runs && runs->is_new ? NULL : runs))
            return;
    } else {
        hw_check_reads *reads = hw_check_reads_of(c, first);
        if (reads && hw_check_reads_add(c, reads, block, first, n, bases, runs)) return;
    }
    if (!runs) hw_check_find_cells(p->mask, p->delta, first->width_bytes, &own);
    look_at_accesses(c, block, first, n, bases, runs ? runs : &own);
}

void hw_check_hear(hw_check *c, const hw_access *first, uint32_t n, const uint64_t *bases) {
    hw_check_runs *runs = known_runs_of(c, first->pattern);
    const hw_check_bases all = hw_check_bases_of(n, bases);
    if (!runs || !hw_check_bounds_have_room(runs, &all)) hw_check_bounds_accesses(c, first, n, bases);
    if (first->space != HW_SPACE_GLOBAL && first->space != HW_SPACE_SHARED) return;
    if (first->pattern->mask && first->note < c->n_notes) hear_accesses(c, first, &all, runs);
}

// The block of something that cannot wait; NULL: it is not to be looked at.
static hw_check_block *block_now(hw_check *c, const hw_where *where, uint8_t space) {
    if ((space != HW_SPACE_GLOBAL && space != HW_SPACE_SHARED) || !can_check(c)) return NULL;
    hw_check_block *block = hw_check_block_of(&c->blocks, where);
    if (!block || space == HW_SPACE_GLOBAL) return block;
    hw_check_interval_look(c, block);
    block->interval.is_known = true;
    return block;
}

void hw_check_tell_lanes(hw_sink *sink, uint32_t worker, const hw_lane_access *a) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    if (a->is_write) hw_check_reads_stray(c);
    for (uint32_t i = 0; i < a->n; i++) {
        const hw_lane_bytes *lane = &a->list[i];
        hw_check_block *block = block_now(c, &a->where, lane->space);
        if (!block) continue;
        hw_check_present now;
        begin_plain(c, &now, block, a->where.warp, lane->space, a->note);
        now.entry.act = a->is_write ? HW_CHECK_WRITES : HW_CHECK_READS;
        now.entry.mask = 1u << lane->lane;
        now.entry.width_bytes = lane->bytes < 16 ? (uint8_t)lane->bytes : 16;
        now.entry.is_many = true;
        hw_check_go_through(&now, lane->address, lane->bytes, lane->lane, HW_CHECK_COMPARE | HW_CHECK_RECORD);
    }
}

void hw_check_record_copy(hw_check *c, hw_check_block *block, const hw_check_lane_copy *copy, bool is_pending) {
    hw_check_present now;
    begin_plain(c, &now, block, copy->warp, HW_SPACE_SHARED, copy->note);
    now.entry.act = HW_CHECK_COPIES;
    now.entry.mask = copy->mask;
    now.entry.width_bytes = copy->width_bytes;
    now.entry.is_pending = is_pending;
    for (uint32_t left = copy->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        hw_check_go_through(&now, copy->base + (uint32_t)copy->delta[i], copy->width_bytes, i, HW_CHECK_RECORD);
    }
}

void hw_check_tell_landed(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed) {
    hw_check *c = (hw_check *)sink;
    hw_check_block *block = can_check(c) ? hw_check_block_of(&c->blocks, &landed->where) : NULL;
    (void)worker;
    if (!block || !landed->is_waited_for) return;    // it stays under way
    hw_check_lane_copy copy = {.note = landed->note, .mask = landed->mask, .warp = (uint8_t)landed->where.warp,
                               .kind = HW_NOTE_COPY, .width_bytes = landed->width_bytes};
    for (int i = 0; i < HW_WARP_LANES; i++) copy.delta[i] = copy.mask >> i & 1 ? (int32_t)landed->to[i] : 0;
    if (c->blocks.cluster_blocks == 1) hw_check_lane_copies_land(block, &copy);
    if (c->blocks.cluster_blocks == 1 && hw_check_interval_land(c, block, &copy)) return;
    hw_check_interval_look(c, block);
    block->interval.is_known = true;
    hw_check_record_copy(c, block, &copy, false);
}

// ---- copies of rows -------------------------------------------------------------------------------------------------

// One side of the copy, as something that the lane which has begun it does now.
static bool begin_row(hw_check *c, hw_check_present *now, const hw_bulk_step *step, hw_check_act act, uint64_t *at) {
    const uint8_t space = act == HW_CHECK_READS ? step->from_space : step->to_space;
    hw_check_block *block = block_now(c, &step->where, space);
    *at = act == HW_CHECK_READS ? step->from : step->to;
    if (!block) return false;
    begin_plain(c, now, block, step->where.warp, space, step->note);
    if (space == HW_SPACE_SHARED) now->home = hw_check_blocks_home(&c->blocks, block, at);
    if (!now->home) return false;
    if (space == HW_SPACE_SHARED) now->floor = now->home->floor;
    now->is_of_row = true;
    now->entry.act = (uint8_t)act;
    now->entry.mask = 1u << step->lane;
    now->entry.width_bytes = 16;
    now->entry.is_many = true;
    return true;
}

static void begin_copy_of_row(hw_check *c, const hw_bulk_step *step) {
    hw_check_present now;
    uint64_t at;
    hw_check_block *block = hw_check_block_of(&c->blocks, &step->where);
    if (!block || !can_check(c)) return;
    hw_check_rows *rows = &block->rows;
    if (begin_row(c, &now, step, HW_CHECK_READS, &at))
        hw_check_go_through(&now, at, step->bytes, step->lane, HW_CHECK_COMPARE);
    if (begin_row(c, &now, step, HW_CHECK_COPIES, &at)) {
        now.entry.is_pending = true;
        hw_check_go_through(&now, at, step->bytes, step->lane, HW_CHECK_COMPARE | HW_CHECK_RECORD);
    }
    if (!hw_grow((void **)&rows->items, rows->n, &rows->capacity, sizeof *rows->items)) {
        c->blocks.ran_out = true;
        return;
    }
    rows->items[rows->n].number = step->number;
    rows->items[rows->n++].since = hw_check_entries_next(&c->entries);
}

// References that are not below are of what was done while the copy was under way; UINT32_MAX: none.
static hw_check_ref since_when(hw_check *c, const hw_bulk_step *step) {
    hw_check_block *block = hw_check_block_of(&c->blocks, &step->where);
    for (size_t i = 0; block && i < block->rows.n; i++) {
        if (block->rows.items[i].number != step->number) continue;
        const hw_check_ref since = block->rows.items[i].since;
        block->rows.items[i] = block->rows.items[--block->rows.n];
        return since;
    }
    return UINT32_MAX;
}

// Whatever was written to the source since the copy began, may have been copied.
static void end_reading_row(hw_check *c, const hw_bulk_step *step) {
    hw_check_present now;
    uint64_t at;
    const hw_check_ref since = since_when(c, step);
    if (!begin_row(c, &now, step, HW_CHECK_READS, &at)) return;
    const hw_check_ref floor = now.floor;
    now.comes_before = true;
    now.floor = since > floor ? since : floor;
    hw_check_go_through(&now, at, step->bytes, step->lane, HW_CHECK_COMPARE);
    begin_row(c, &now, step, HW_CHECK_READS, &at);
    hw_check_go_through(&now, at, step->bytes, step->lane, HW_CHECK_RECORD);
}

void hw_check_tell_row(hw_sink *sink, uint32_t worker, const hw_bulk_step *step) {
    hw_check *c = (hw_check *)sink;
    hw_check_present now;
    uint64_t at;
    (void)worker;
    hw_check_reads_stray(c);
    if (step->action == HW_BULK_BEGINS) begin_copy_of_row(c, step);
    if (step->action == HW_BULK_HAS_READ) end_reading_row(c, step);
    if (step->action != HW_BULK_HAS_WRITTEN || !begin_row(c, &now, step, HW_CHECK_COPIES, &at)) return;
    hw_check_go_through(&now, at, step->bytes, step->lane, HW_CHECK_RECORD);
    if (step->has_barrier)
        hw_check_blocks_row_lands(&c->blocks, now.block, step->where.warp, step->lane, step->barrier);
}

// ---- of the host ----------------------------------------------------------------------------------------------------

void hw_check_host_access(hw_check *c, uint32_t work, hw_check_act act, uint64_t address, uint64_t bytes) {
    if (!can_check(c)) return;
    hw_check_present now = {.check = c, .space = HW_SPACE_GLOBAL, .floor = c->floor,
                            .last = UINT32_MAX, .kept = UINT32_MAX,
                            .entry = {.work = work, .act = (uint8_t)act, .is_many = true, .is_host = true,
                                      .width_bytes = 1}};
    hw_check_go_through(&now, address, bytes, 0, HW_CHECK_COMPARE | HW_CHECK_RECORD);
}
