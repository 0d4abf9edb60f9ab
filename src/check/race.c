// Accesses, compared with those before them that nothing puts in order with them.
#include <string.h>

#include "base/alloc.h"
#include "check/internal.h"
#include "isa/order.h"

enum { LANES = HW_WARP_LANES, LINE = HW_CHECK_LINE_BYTES };

// What is being done, and by whom; block NULL: by the host.
typedef struct present {
    hw_check *check;
    hw_check_block *block;
    uint32_t warp;
    hw_check_entry entry;
    hw_check_ref ref;                // of the entry's lane 0
    uint32_t first_warp;             // of the block, as entries number them
    uint8_t space;
    // Cells side by side mostly have the same entries, so that what was found of one is remembered for the next.
    uint32_t fine[4];                // entries that are no race with the present one, whatever the lanes, by their
                                     // number modulo 4; 0: none
    uint32_t uneven;                 // one with which it depends on the lanes
    uint32_t last, kept;             // readers of which is_to_keep was asked last,
    bool keeps;                      // and what it said
} present;

// ---- two accesses ---------------------------------------------------------------------------------------------------

static bool is_write(uint8_t act) { return act != HW_CHECK_READS; }

// Atomics and other strong accesses of threads that their scopes include may meet: the hardware puts them in order.
static bool are_both_strong(const hw_check_entry *a, const hw_check_entry *b, bool is_near) {
    const uint8_t least = is_near ? HW_SCOPE_CTA : HW_SCOPE_CLUSTER;
    return a->scope >= least && b->scope >= least;
}

static bool may_be_one_lane(const hw_check_entry *a, const hw_check_entry *b, uint32_t cell_bytes) {
    return a->width_bytes == b->width_bytes || (a->width_bytes >= cell_bytes && b->width_bytes >= cell_bytes);
}

// A cell that several lanes have accessed, side by side, has the first one's reference.
static uint32_t lanes_of_cell(const hw_check_entry *e, int first, uint32_t cell_bytes) {
    const uint32_t n = cell_bytes / e->width_bytes;
    return (n >= LANES ? 0xffffffffu : n > 1 ? (1u << n) - 1 : 1u) << first & e->mask;
}

// Lanes of a warp know different things, and are known by others so, where they have met one by one, or told or read
// messages.
static bool depends_on_lanes(const present *now) {
    return now->check->blocks.logs.n || now->block->warps[now->warp].met_lanes;
}

// Was the access made by a thread of the block that the present one is made in?
static inline bool is_of_block(const present *now, const hw_check_entry *e) {
    return now->block && e->work == now->entry.work && e->warp - now->first_warp < now->check->blocks.n_warps;
}

// The usual answer: all threads of the block have been at a barrier since.
static inline bool is_behind_barrier(const present *now, const hw_check_entry *e) {
    return is_of_block(now, e) && e->time < now->block->barrier_time && !e->is_pending;
}

static bool is_ordered(const present *now, const hw_check_entry *e, int of, int lane, uint32_t cell_bytes) {
    hw_check *c = now->check;
    if (is_behind_barrier(now, e)) return true;
    if (e->work != now->entry.work) return hw_check_is_before(c->streams, e->work);
    if (e->is_host || !now->block || e->is_pending) return false;
    if (e->warp != now->entry.warp && hw_check_blocks_order_warps(&c->blocks, now->block, now->warp, e)) return true;
    // Each lane that takes part has to come after it, and after all lanes that it may have been.
    hw_check_entry all = *e;
    if (!e->is_many && !may_be_one_lane(e, &now->entry, cell_bytes)) {
        all.mask = lanes_of_cell(e, of, cell_bytes);
        all.is_many = true;
    }
    const uint32_t lanes = now->entry.is_many      ? now->entry.mask
                           : depends_on_lanes(now) ? lanes_of_cell(&now->entry, lane, cell_bytes)
                                                   : 1u << lane;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int by = __builtin_ctz(left), its = all.is_many || now->entry.is_many ? of : of + by - lane;
        if (!hw_check_blocks_order(&c->blocks, now->block, now->warp, by, &all, its)) return false;
    }
    return true;
}

// Is the access that ref refers to a race with the present one?
static bool is_race(const present *now, hw_check_ref ref, int lane, uint32_t cell_bytes) {
    if (!ref) return false;
    const hw_check_entry *e = hw_check_entry_of(&now->check->entries, ref);
    if (!is_write(e->act) && !is_write(now->entry.act)) return false;
    if (are_both_strong(e, &now->entry, is_of_block(now, e))) return false;
    return !is_ordered(now, e, (int)hw_check_lane_of(ref), lane, cell_bytes);
}

// Is what was found of one lane of the entry, and one of the present access, so of the others?
static bool holds_for_lanes(const present *now, const hw_check_entry *e) {
    if (e->work != now->entry.work || !now->block || is_behind_barrier(now, e)) return true;
    if (e->warp == now->entry.warp) return e->time < now->block->warps[now->warp].met;
    if (!is_write(e->act) && !is_write(now->entry.act)) return true;
    return hw_check_blocks_order_warps(&now->check->blocks, now->block, now->warp, e);
}

static inline bool is_race_or_fine(present *now, hw_check_ref ref, int lane, uint32_t cell_bytes) {
    const uint32_t entry = ref >> HW_CHECK_LANE_BITS;
    if (!ref || entry == now->fine[entry % 4]) return false;
    if (is_race(now, ref, lane, cell_bytes)) return true;
    if (entry == now->uneven) return false;
    if (holds_for_lanes(now, hw_check_entry_of(&now->check->entries, ref))) now->fine[entry % 4] = entry;
    else now->uneven = entry;
    return false;
}

static inline hw_check_ref find_race(present *now, const hw_check_cell *cell, int lane, uint32_t cell_bytes) {
    if (is_race_or_fine(now, cell->write, lane, cell_bytes)) return cell->write;
    for (int i = 0; i < 2 && is_write(now->entry.act); i++)
        if (is_race_or_fine(now, cell->reads[i], lane, cell_bytes)) return cell->reads[i];
    return 0;
}

// ---- what stays -----------------------------------------------------------------------------------------------------

// Lanes of one instruction that read the same bytes are all their readers.
static hw_check_ref refer_to_many(present *now) {
    hw_check_entry many = now->entry;
    many.is_many = true;
    return hw_check_entries_refer(&now->check->entries, &many);
}

// Does whatever comes after the present access, come after this one of its block as well?
static bool is_behind(const present *now, hw_check_ref old, hw_check_ref ref) {
    const hw_check_entry *e = hw_check_entry_of(&now->check->entries, old);
    if (!is_of_block(now, e)) return false;
    if (e->time < now->block->barrier_time) return true;
    if (e->warp != now->entry.warp) return false;
    return e->time < now->block->warps[now->warp].met ||
           (!e->is_many && hw_check_lane_of(old) == hw_check_lane_of(ref));
}

// Is the reader before the last one to be kept, and not the last one, beside the present one? It is when it is of
// another block than both, or of another lane of the warp.
static bool is_to_keep(const present *now, hw_check_ref last, hw_check_ref kept, hw_check_ref ref) {
    const hw_check_entry *e = hw_check_entry_of(&now->check->entries, last);
    const hw_check_entry *other = hw_check_entry_of(&now->check->entries, kept);
    const bool is_ours = !e->is_host && e->work == now->entry.work;
    if (is_ours && e->warp == now->entry.warp)
        return kept && (other->is_host || other->work != now->entry.work || !is_behind(now, kept, ref));
    if (!is_ours || now->entry.is_host || !is_of_block(now, e)) return false;
    return kept && !other->is_host && other->work == now->entry.work && !is_of_block(now, other);
}

static inline void record_read(present *now, hw_check_cell *cell, hw_check_ref ref) {
    const hw_check_ref last = cell->reads[0], kept = cell->reads[1];
    if (last == ref) return;
    if (last >> HW_CHECK_LANE_BITS == ref >> HW_CHECK_LANE_BITS) {
        cell->reads[0] = refer_to_many(now);
        return;
    }
    cell->reads[0] = ref;
    if (!last) return;
    if (last >> HW_CHECK_LANE_BITS != now->last || kept >> HW_CHECK_LANE_BITS != now->kept) {
        now->last = last >> HW_CHECK_LANE_BITS;
        now->kept = kept >> HW_CHECK_LANE_BITS;
        now->keeps = is_to_keep(now, last, kept, ref);
    }
    if (!now->keeps) cell->reads[1] = last;
}

// A strong write is no race with other strong ones, so that the weak access before it stays, for those to be compared
// with.
static void record_strong_write(const present *now, hw_check_cell *cell, hw_check_ref ref) {
    const hw_check_entry *e = hw_check_entry_of(&now->check->entries, cell->write);
    if (cell->write && e->scope == HW_SCOPE_NONE && e->work == now->entry.work) {
        cell->reads[1] = cell->reads[0];
        cell->reads[0] = cell->write;
    }
    cell->write = ref;
}

static inline void record(present *now, hw_check_cell *cell, hw_check_ref ref) {
    if (!is_write(now->entry.act)) record_read(now, cell, ref);
    else if (now->entry.scope != HW_SCOPE_NONE) record_strong_write(now, cell, ref);
    else *cell = (hw_check_cell){.write = ref};
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

static hw_check_line *line_of(const present *now, uint64_t address) {
    if (now->space != HW_SPACE_SHARED) return hw_check_shadow_line(&now->check->shadow, address);
    const uint64_t number = address / LINE;
    return number < now->check->blocks.n_lines ? &now->block->shared[number] : NULL;
}

// What to do with the cells of an access: compare, note down, or both.
enum { COMPARE = 1, RECORD = 2 };

// [begin, end), all in one line. The first lane has `begin`; others follow each width_bytes, unless all have all.
static void go_through_line(present *now, uint64_t begin, uint64_t end, uint32_t unit_bytes, int first_lane,
                            unsigned what) {
    hw_check_line *line = line_of(now, begin);
    if (!line) return;
    const uint32_t from = (uint32_t)(begin % LINE), to = from + (uint32_t)(end - begin);
    const hw_check_piece piece = hw_check_line_piece(line, &now->check->entries, from, to, unit_bytes);
    const bool has_lanes = !now->entry.is_many && !now->entry.is_host;
    const int width_bits = has_lanes ? __builtin_ctz(now->entry.width_bytes) : 31;    // widths are powers of two
    for (uint32_t i = 0; i < piece.n; i++) {
        const uint32_t behind = i * piece.cell_bytes;
        const int lane = first_lane + (int)(behind >> width_bits);
        hw_check_cell *cell = &piece.cells[i];
        const hw_check_ref race = what & COMPARE ? find_race(now, cell, lane, piece.cell_bytes) : 0;
        if (race) hw_check_add_race(now->check, race, &now->entry, lane, now->space, begin + behind);
        if (what & RECORD) record(now, cell, now->ref + (has_lanes ? (uint32_t)lane : 0));
    }
}

// The bytes from begin on, of lanes side by side or of all of them, line by line.
static void go_through(present *now, uint64_t begin, uint64_t bytes, int first_lane, unsigned what) {
    const uint64_t end = begin + bytes;
    const uint32_t width = now->entry.is_many || now->entry.is_host ? 0 : now->entry.width_bytes;
    for (uint64_t at = begin, next; at < end; at = next) {
        next = (at / LINE + 1) * LINE;
        if (next > end) next = end;
        const bool is_whole = next - at == LINE && (!width || width >= HW_CHECK_WORD_BYTES);
        const bool has_words = !(at % HW_CHECK_WORD_BYTES) && !(next % HW_CHECK_WORD_BYTES);
        const int lane = first_lane + (width && at != begin ? (int)((at - begin) / width) : 0);
        go_through_line(now, at, next, is_whole ? LINE : has_words ? HW_CHECK_WORD_BYTES : 1, lane, what);
    }
}

// ---- lanes ----------------------------------------------------------------------------------------------------------

// Does the lane go on where the run's last one ended, or have the same bytes as its first?
static bool extend_run(hw_check_run *run, uint32_t lanes, int64_t delta, uint32_t width) {
    if (delta == run->delta && run->elems == 1) {
        run->is_many = true;
        return true;
    }
    if (run->elems != lanes || delta != run->delta + (int64_t)(run->elems * width)) return false;
    run->elems++;
    return true;
}

// Lanes that have the very bytes of an earlier run join it.
static bool join_run(hw_check_runs *runs, const hw_check_run *run) {
    for (uint32_t i = 0; i < runs->n; i++) {
        hw_check_run *other = &runs->items[i];
        if (other->delta != run->delta || other->elems != run->elems) continue;
        other->is_many = true;
        other->mask |= run->mask;
        return true;
    }
    return false;
}

static void find_runs(const hw_access_pattern *p, uint32_t width, hw_check_runs *runs) {
    runs->serial = p->serial;
    runs->n = 0;
    for (uint32_t left = p->mask; left;) {
        const int first = __builtin_ctz(left);
        hw_check_run run = {.delta = p->delta[first], .mask = 1u << first, .first_lane = (uint8_t)first, .elems = 1};
        uint32_t lanes = 1;
        left &= left - 1;
        while (first + lanes < LANES && left >> (first + lanes) & 1 &&
               extend_run(&run, lanes, p->delta[first + lanes], width)) {
            left &= left - 1;
            run.mask |= 1u << (first + lanes++);
        }
        if (!join_run(runs, &run)) runs->items[runs->n++] = run;
    }
}

// The runs of a pattern are found once.
static const hw_check_runs *runs_of(hw_check *c, const hw_access_pattern *p, uint32_t width, hw_check_runs *own) {
    hw_check_runs *runs = own;
    if (p->index < c->n_runs) {
        if (!c->runs[p->index]) c->runs[p->index] = hw_calloc(1, sizeof *own);
        if (c->runs[p->index]) runs = c->runs[p->index];
        if (runs != own && runs->serial == p->serial) return runs;
    }
    find_runs(p, width, runs);
    return runs;
}

// What the lanes need is fetched for all of them before it is used for one.
static void prefetch_lines(const present *now, const hw_check_runs *runs, uint64_t base) {
    for (uint32_t i = 0; i < runs->n; i++)
        __builtin_prefetch(line_of(now, base + (uint64_t)runs->items[i].delta));
    for (uint32_t i = 0; i < runs->n; i++) {
        const uint64_t address = base + (uint64_t)runs->items[i].delta;
        const hw_check_line *line = line_of(now, address);
        if (line && line->cell_bytes) __builtin_prefetch(&line->cells[address % LINE / line->cell_bytes]);
    }
}

// What is done by all lanes of a run, and by each for itself, has entries of its own.
static void access_runs(present *each, const hw_check_runs *runs, uint64_t base, unsigned what) {
    present many = *each;
    many.entry.is_many = true;
    many.ref = 0;
    for (uint32_t i = 0; i < runs->n; i++) {
        const hw_check_run *run = &runs->items[i];
        present *now = run->is_many ? &many : each;
        if (run->is_many && many.entry.mask != run->mask) {
            many.entry.mask = run->mask;
            many.ref = many.uneven = 0;
            memset(many.fine, 0, sizeof many.fine);
        }
        if (!now->ref) now->ref = hw_check_entries_refer(&now->check->entries, &now->entry);
        if (now->ref)
            go_through(now, base + (uint64_t)run->delta, (uint64_t)run->elems * now->entry.width_bytes,
                       run->first_lane, what);
    }
}

// Lanes of one instruction are not compared with each other: which of them writes last is not said, but that one does.
static void access_memory(present *now, const hw_access_pattern *p, uint64_t base) {
    hw_check_runs own;
    const hw_check_runs *runs = runs_of(now->check, p, now->entry.width_bytes, &own);
    const bool in_two_steps = runs->n > 1 && is_write(now->entry.act);
    now->last = now->kept = UINT32_MAX;
    if (runs->n > 4 && now->space != HW_SPACE_SHARED) prefetch_lines(now, runs, base);
    access_runs(now, runs, base, in_two_steps ? COMPARE : COMPARE | RECORD);
    if (in_two_steps) access_runs(now, runs, base, RECORD);
}

// ---- accesses of kernels --------------------------------------------------------------------------------------------

static bool can_check(hw_check *c) {
    if (hw_check_entries_are_many(&c->entries)) {
        hw_check_shadow_mark(&c->shadow, &c->entries);
        hw_check_blocks_mark(&c->blocks, &c->entries);
        hw_check_entries_sweep(&c->entries);
    }
    return !c->ran_out && !c->blocks.ran_out;
}

static bool begin_present(hw_check *c, present *now, const hw_where *where, uint32_t note, uint8_t space) {
    if ((space != HW_SPACE_GLOBAL && space != HW_SPACE_SHARED) || !can_check(c)) return false;
    *now = (present){.check = c, .block = hw_check_block_of(&c->blocks, where), .warp = where->warp, .space = space};
    if (!now->block) return false;
    now->first_warp = now->block->number * c->blocks.n_warps;
    now->entry = (hw_check_entry){.work = c->work, .warp = now->first_warp + where->warp,
                                  .time = now->block->time, .note = note};
    return true;
}

static hw_check_act act_of(uint8_t kind, uint8_t space) {
    switch (kind) {
    case HW_NOTE_STORE: return HW_CHECK_WRITES;
    case HW_NOTE_ATOMIC: case HW_NOTE_REDUCTION: return HW_CHECK_CHANGES;
    case HW_NOTE_COPY: case HW_NOTE_COPY_BYPASS: return space == HW_SPACE_SHARED ? HW_CHECK_COPIES : HW_CHECK_READS;
    default: return HW_CHECK_READS;
    }
}

// NONE: the access is weak.
static uint8_t strong_scope(const hw_note *note, hw_check_act act) {
    if (act == HW_CHECK_CHANGES) return note->scope > HW_SCOPE_WARP ? note->scope : HW_SCOPE_GPU;
    if (note->order == HW_ORDER_VOLATILE || note->order == HW_ORDER_MMIO) return HW_SCOPE_SYS;
    return note->order >= HW_ORDER_RELAXED ? note->scope : HW_SCOPE_NONE;
}

// Strong accesses are how threads leave word for each other.
static void exchange_messages(const present *now, const hw_note *note, const hw_access_pattern *p, uint64_t base) {
    hw_check_blocks *b = &now->check->blocks;
    const bool is_plain = note->order != HW_ORDER_ACQUIRE && note->order < HW_ORDER_RELEASE;
    if (is_plain && !b->logs.n && !now->block->warps[now->warp].lanes) return;
    for (uint32_t left = p->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t word = (base + (uint64_t)p->delta[lane]) & ~7ull;
        const uint64_t key = now->space == HW_SPACE_SHARED ? hw_check_key_of_shared(now->block->serial, word)
                                                           : hw_check_key_of_global(word);
        hw_check_blocks_exchange(b, now->block, now->warp, lane, key, now->entry.act, note->order, now->entry.scope);
    }
}

void hw_check_tell_access(hw_sink *sink, uint32_t worker, const hw_access *a) {
    hw_check *c = (hw_check *)sink;
    present now;
    (void)worker;
    if (!a->pattern->mask || a->note >= c->n_notes || !begin_present(c, &now, &a->where, a->note, a->space)) return;
    const hw_note *note = &c->notes[a->note];
    const hw_check_act act = act_of(a->kind, a->space);
    now.entry.act = (uint8_t)act;
    now.entry.mask = a->pattern->mask;
    now.entry.width_bytes = a->width_bytes;
    now.entry.scope = strong_scope(note, act);
    now.entry.is_pending = act == HW_CHECK_COPIES;
    now.entry.is_many = a->kind == HW_NOTE_LOAD_MATRIX;    // what a lane points at others get
    access_memory(&now, a->pattern, a->base);
    if (now.entry.scope != HW_SCOPE_NONE) exchange_messages(&now, note, a->pattern, a->base);
}

void hw_check_tell_lanes(hw_sink *sink, uint32_t worker, const hw_lane_access *a) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    for (uint32_t i = 0; i < a->n; i++) {
        const hw_lane_bytes *lane = &a->list[i];
        present now;
        if (!begin_present(c, &now, &a->where, a->note, lane->space)) continue;
        now.entry.act = a->is_write ? HW_CHECK_WRITES : HW_CHECK_READS;
        now.entry.mask = 1u << lane->lane;
        now.entry.width_bytes = lane->bytes < 16 ? (uint8_t)lane->bytes : 16;
        now.entry.is_many = true;
        now.ref = hw_check_entries_refer(&c->entries, &now.entry);
        if (now.ref) go_through(&now, lane->address, lane->bytes, lane->lane, COMPARE | RECORD);
    }
}

// What a copy has written is there now, for those who have waited: an ordinary write, made then.
void hw_check_tell_landed(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed) {
    hw_check *c = (hw_check *)sink;
    present now;
    (void)worker;
    if (!begin_present(c, &now, &landed->where, landed->note, HW_SPACE_SHARED)) return;
    now.entry.act = HW_CHECK_COPIES;
    now.entry.mask = landed->mask;
    now.entry.width_bytes = landed->width_bytes;
    now.ref = hw_check_entries_refer(&c->entries, &now.entry);
    for (uint32_t left = now.ref ? landed->mask : 0; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        go_through(&now, landed->to[i], landed->width_bytes, i, RECORD);
    }
}

// ---- of the host ----------------------------------------------------------------------------------------------------

void hw_check_host_access(hw_check *c, uint32_t work, hw_check_act act, uint64_t address, uint64_t bytes) {
    present now = {.check = c, .space = HW_SPACE_GLOBAL,
                   .entry = {.work = work, .act = (uint8_t)act, .is_many = true, .is_host = true, .width_bytes = 1}};
    if (!can_check(c)) return;
    now.ref = hw_check_entries_refer(&c->entries, &now.entry);
    if (now.ref) go_through(&now, address, bytes, 0, COMPARE | RECORD);
}
