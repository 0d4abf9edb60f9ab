#include "check/race.h"

#include <string.h>

#include "base/alloc.h"
#include "check/internal.h"
#include "check/planes.h"
#include "isa/order.h"

enum { LANES = HW_WARP_LANES, LINE = HW_CHECK_LINE_BYTES, WORD = HW_CHECK_WORD_BYTES };

// A shift that makes all bytes those of one lane.
enum { NO_LANES = 31 };

typedef hw_check_present present;

static hw_check_cells *cells_for(const present *now) {
    return now->space == HW_SPACE_SHARED ? &now->check->blocks.cells : &now->check->shadow.cells;
}

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

// PTX ISA, "Proxies": ordinary writes are seen by copies of rows behind a fence.proxy.async, by whichever thread.
static bool lacks_proxy_fence(const present *now, const hw_check_entry *e) {
    return now->is_of_row && is_of_block(now, e) && e->time >= now->block->proxied && !e->is_host &&
           (e->act == HW_CHECK_WRITES || e->act == HW_CHECK_CHANGES);
}

// Is the access that ref refers to a race with the present one?
static bool is_race(const present *now, hw_check_ref ref, int lane, uint32_t cell_bytes) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, ref), *e = &author;
    uint8_t *of_row = &now->check->blocks.of_row;
    *of_row = HW_CHECK_MISSING_NONE;
    if (!is_write(e->act) && !is_write(now->entry.act)) return false;
    if (are_both_strong(e, &now->entry, is_of_block(now, e))) return false;
    if (now->comes_before) *of_row = HW_CHECK_MISSING_ROW;
    else if (is_ordered(now, e, (int)hw_check_lane_of(ref), lane, cell_bytes))
        *of_row = lacks_proxy_fence(now, e) ? HW_CHECK_MISSING_PROXY : HW_CHECK_MISSING_NONE;
    else return true;
    return *of_row != HW_CHECK_MISSING_NONE;
}

// Is what was found of one lane of the entry, and one of the present access, so of the others?
static bool holds_for_lanes(const present *now, const hw_check_entry *e) {
    if (e->work != now->entry.work || !now->block || is_behind_barrier(now, e)) return true;
    if (e->warp == now->entry.warp) return e->time < now->block->warps[now->warp].met;
    if (!is_write(e->act) && !is_write(now->entry.act)) return true;
    return hw_check_blocks_order_warps(&now->check->blocks, now->block, now->warp, e);
}

// Has each lane done it for itself, as it does now?
static bool is_of_same_lanes(const present *now, const hw_check_entry *e) {
    return e->work == now->entry.work && e->warp == now->entry.warp && !e->is_host && !e->is_pending && !e->is_many &&
           !now->entry.is_many && e->width_bytes == now->entry.width_bytes;
}

// Or in order by a warp's step alone: blocks.by_step.
static inline bool is_race_or_fine(present *now, hw_check_ref ref, int lane, uint32_t cell_bytes) {
    const uint32_t entry = hw_check_warp_of(ref);
    if (ref < now->floor || entry == now->fine[entry % 4]) return false;
    if (entry == now->uneven && now->is_own && hw_check_lane_of(ref) == (uint32_t)lane) return false;
    bool *by_step = &now->check->blocks.by_step;
    *by_step = false;
    if (is_race(now, ref, lane, cell_bytes)) {
        *by_step = false;    // of some of its lanes
        return true;
    }
    if (*by_step) return true;
    if (entry == now->uneven) return false;
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, ref);
    if (holds_for_lanes(now, &author)) {
        now->fine[entry % 4] = entry;
    } else {
        now->uneven = entry;
        now->is_own = is_of_same_lanes(now, &author);
    }
    return false;
}

// ---- comparing ------------------------------------------------------------------------------------------------------

// Does the plane have a reference in [from, to) that is not below the floor?
static bool has_newer(const hw_check_line *line, hw_check_plane plane, uint32_t from, uint32_t to, hw_check_ref floor) {
    const uint32_t cell_bytes = line->cell_bytes[plane];
    if (!cell_bytes) return line->planes[plane].whole >= floor;
    const int bits = hw_check_bits_of(cell_bytes);
    const uint32_t n = ((to - 1) >> bits) - (from >> bits) + 1;
    hw_check_ref newest = 0, room[LINE];
    const hw_check_ref *cells = hw_check_lend(line, plane, from >> bits, n, room);
    for (uint32_t i = 0; i < n; i++) newest = cells[i] > newest ? cells[i] : newest;
    return newest >= floor;
}

// The width of what has one reference in every plane, for an access to [from, to).
static uint32_t common_cell_bytes(const hw_check_line *line, uint32_t from, uint32_t to, bool is_whole) {
    uint32_t cell_bytes = (from | to) % WORD ? 1 : is_whole ? LINE : WORD;
    for (int p = 0; p < HW_CHECK_PLANES; p++)
        if (line->cell_bytes[p] && line->cell_bytes[p] < cell_bytes) cell_bytes = line->cell_bytes[p];
    return cell_bytes;
}

// Of the cells in [from, to), where the first lane has `from`, others follow each 1 << width_bits bytes.
static void compare_cells(present *now, const hw_check_line *line, uint64_t begin, uint32_t from, uint32_t to,
                          bool is_whole, int first_lane, int width_bits) {
    const hw_check_entries *entries = &now->check->entries;
    const uint32_t cell_bytes = common_cell_bytes(line, from, to, is_whole);
    const int n_planes = is_write(now->entry.act) ? HW_CHECK_PLANES : 1;
    for (uint32_t at = from; at < to; at += cell_bytes) {
        const int lane = first_lane + (int)((at - from) >> width_bits);
        for (int p = 0; p < n_planes; p++) {
            const hw_check_ref ref = hw_check_line_ref(line, entries, (hw_check_plane)p, at);
            if (!is_race_or_fine(now, ref, lane, cell_bytes)) continue;
            hw_check_add_race(now->check, ref, &now->entry, lane, now->space, begin + (at - from));
            break;
        }
    }
}

static inline void compare(present *now, const hw_check_line *line, uint64_t begin, uint32_t from, uint32_t to,
                           bool is_whole, int first_lane, int width_bits) {
    const hw_check_ref floor = now->floor;
    bool is_newer = line->newest_write >= floor && has_newer(line, HW_CHECK_WRITE, from, to, floor);
    if (is_write(now->entry.act) && line->newest_read >= floor)
        is_newer = is_newer || has_newer(line, HW_CHECK_READ, from, to, floor) ||
                   has_newer(line, HW_CHECK_READ_BEFORE, from, to, floor);
    if (is_newer) compare_cells(now, line, begin, from, to, is_whole, first_lane, width_bits);
}

// ---- what stays: readers --------------------------------------------------------------------------------------------

// The reference of the present access: made when something has to be noted down. 0: no memory.
static inline hw_check_ref ref_of(present *now) {
    if (now->ref) return now->ref;
    const uint32_t further = now->is_alone ? hw_check_further_of(now->warp) : now->behind;
    hw_check_entry first = now->entry;
    first.warp -= further;
    const hw_check_ref ref = hw_check_entries_refer(&now->check->entries, &first);
    now->ref = ref ? ref + (further << HW_CHECK_LANE_BITS) : 0;
    return now->ref;
}

// Lanes of one instruction that read the same bytes are all their readers.
static hw_check_ref refer_to_many(const present *now) {
    hw_check_entry many = now->entry;
    many.is_many = true;
    return hw_check_entries_refer(&now->check->entries, &many);
}

// Does whatever comes after the present access, come after this one of its block as well?
static bool is_behind(const present *now, hw_check_ref old, hw_check_ref ref) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, old), *e = &author;
    if (!is_of_block(now, e)) return false;
    if (e->time < now->block->barrier_time) return true;
    if (e->warp != now->entry.warp) return false;
    return e->time < now->block->warps[now->warp].met ||
           (!e->is_many && hw_check_lane_of(old) == hw_check_lane_of(ref));
}

// Is the reader before the last one to be kept, and not the last one, beside the present one? It is when it is of
// another block than both, or of another lane of the warp.
static bool is_to_keep(const present *now, hw_check_ref last, hw_check_ref kept, hw_check_ref ref) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, last), *e = &author;
    const hw_check_entry before = hw_check_entry_of(&now->check->entries, kept), *other = &before;
    const bool is_ours = !e->is_host && e->work == now->entry.work;
    if (is_ours && e->warp == now->entry.warp)
        return kept && (other->is_host || other->work != now->entry.work || !is_behind(now, kept, ref));
    if (!is_ours || now->entry.is_host || !is_of_block(now, e)) return false;
    return kept && !other->is_host && other->work == now->entry.work && !is_of_block(now, other);
}

// Is it of another block of this launch?
static bool is_of_other_block(const present *now, hw_check_ref ref) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, ref), *e = &author;
    return now->block && ref >= now->floor && !e->is_host && e->work == now->entry.work && !is_of_block(now, e);
}

// No reference is above this one.
static inline hw_check_ref newest_now(const present *now) { return hw_check_entries_next(&now->check->entries) - 1; }

// What the two planes of readers of a cell become.
typedef struct readers {
    hw_check_ref last, before;
} readers;

static inline readers readers_with(present *now, readers old, hw_check_ref ref) {
    if (old.last == ref) return old;
    if (hw_check_warp_of(old.last) == hw_check_warp_of(ref))
        return (readers){refer_to_many(now), old.before};
    if (old.last < now->floor) return (readers){ref, old.before};
    const uint32_t last = hw_check_warp_of(old.last), kept = hw_check_warp_of(old.before);
    if (last != now->last || kept != now->kept) {
        now->last = last;
        now->kept = kept;
        now->keeps = is_to_keep(now, old.last, old.before, ref);
        now->settles = is_of_other_block(now, now->keeps ? old.before : old.last);
    }
    return (readers){ref, now->keeps ? old.before : old.last};
}

// Are the two that readers_with has kept of two blocks? As far as it has asked.
static inline bool are_two_blocks(const present *now, readers old, readers new, hw_check_ref ref) {
    return old.last >= now->floor && old.last != ref && new.last == ref && now->settles;
}

static inline uint32_t words_of(uint32_t from, uint32_t to) {
    const uint32_t first = from / WORD, n = (to - 1) / WORD - first + 1;
    return (n == 32 ? 0xffffffffu : (1u << n) - 1) << first;
}

static void settle(const present *now, hw_check_line *line, uint32_t words) {
    if (line->settled_since != now->floor) line->settled = 0;
    line->settled_since = now->floor;
    line->settled |= words;
}

// Words that two blocks have read need no third reader, as long as blocks leave each other no messages.
static inline bool is_settled(const present *now, const hw_check_line *line, uint32_t from, uint32_t to) {
    return line->settled_since == now->floor && !(words_of(from, to) & ~line->settled) && !now->check->blocks.logs.n;
}

static void record_read_whole(present *now, hw_check_line *line, hw_check_ref ref) {
    const readers old = {line->planes[HW_CHECK_READ].whole, line->planes[HW_CHECK_READ_BEFORE].whole};
    const readers new = readers_with(now, old, ref);
    line->planes[HW_CHECK_READ].whole = new.last;
    line->planes[HW_CHECK_READ_BEFORE].whole = new.before;
    if (are_two_blocks(now, old, new, ref)) settle(now, line, 0xffffffffu);
}

// One cell's, which has been read since the floor. True: it has readers of two blocks now.
static bool record_again(present *now, hw_check_ref *last, hw_check_ref *before, hw_check_ref ref) {
    const readers old = {*last, *before}, new = readers_with(now, old, ref);
    *last = new.last;
    *before = new.before;
    return are_two_blocks(now, old, new, ref);
}

// Cells of which some have been read since the floor. Neighbours mostly have the same readers, about whom the answer is
// known.
static void record_cells_again(present *now, hw_check_line *line, uint32_t from, uint32_t to, hw_check_ref ref,
                               int width_bits) {
    const uint32_t cell_bytes = line->cell_bytes[HW_CHECK_READ];
    const int bits = hw_check_bits_of(cell_bytes);
    const uint32_t first = from >> bits, n = (to - from) >> bits;
    hw_check_ref rooms[2][LINE];
    if (!hw_check_line_split(line, cells_for(now), &now->check->entries, HW_CHECK_READ_BEFORE, cell_bytes)) return;
    hw_check_ref *last = hw_check_lend(line, HW_CHECK_READ, first, n, rooms[0]);
    hw_check_ref *before = hw_check_lend(line, HW_CHECK_READ_BEFORE, first, n, rooms[1]);
    uint32_t two_blocks = 0;
    for (uint32_t i = 0; i < n; i++) {
        const hw_check_ref own = ref + ((i << bits) >> width_bits);
        if (last[i] < now->floor) {
            last[i] = own;
        } else if (hw_check_warp_of(last[i]) == now->last && hw_check_warp_of(before[i]) == now->kept &&
                   now->last != hw_check_warp_of(ref)) {
            if (!now->keeps) before[i] = last[i];
            last[i] = own;
            two_blocks |= (uint32_t)now->settles << (i & 31);
        } else {
            two_blocks |= (uint32_t)record_again(now, &last[i], &before[i], own) << (i & 31);
        }
    }
    hw_check_put_back(line, cells_for(now), HW_CHECK_READ, first, n, last);
    hw_check_put_back(line, cells_for(now), HW_CHECK_READ_BEFORE, first, n, before);
    if (two_blocks && cell_bytes == WORD) settle(now, line, two_blocks << from / WORD);
}

static void record_read_cells(present *now, hw_check_line *line, uint32_t from, uint32_t to, hw_check_ref ref,
                              int width_bits) {
    const uint32_t cell_bytes = (from | to) % WORD || line->cell_bytes[HW_CHECK_READ_BEFORE] == 1 ? 1 : WORD;
    if (!hw_check_line_split(line, cells_for(now), &now->check->entries, HW_CHECK_READ, cell_bytes)) return;
    if (line->newest_read >= now->floor && has_newer(line, HW_CHECK_READ, from, to, now->floor))
        record_cells_again(now, line, from, to, ref, width_bits);
    else hw_check_put_refs(line, cells_for(now), HW_CHECK_READ, from, to, ref, width_bits);
}

static inline void record_read(present *now, hw_check_line *line, uint32_t from, uint32_t to, bool is_whole,
                               hw_check_ref ref, int width_bits) {
    if (is_whole && !line->cell_bytes[HW_CHECK_READ] && !line->cell_bytes[HW_CHECK_READ_BEFORE])
        record_read_whole(now, line, ref);
    else record_read_cells(now, line, from, to, ref, width_bits);
    line->newest_read = newest_now(now);
}

// ---- what stays: writers --------------------------------------------------------------------------------------------

static void forget_readers(present *now, hw_check_line *line, uint32_t from, uint32_t to) {
    for (hw_check_plane p = HW_CHECK_READ; p <= HW_CHECK_READ_BEFORE; p++)
        if (line->cell_bytes[p] || line->planes[p].whole >= now->floor)
            hw_check_line_clear(line, cells_for(now), &now->check->entries, p, from, to);
}

static void forget_all_readers(present *now, hw_check_line *line) {
    hw_check_line_join(line, cells_for(now), HW_CHECK_READ, 0);
    hw_check_line_join(line, cells_for(now), HW_CHECK_READ_BEFORE, 0);
    line->newest_read = 0;
}

// A strong write is no race with other strong ones, so that the weak access before it stays, for those to be compared
// with.
static bool is_to_stay(const present *now, hw_check_ref old) {
    const hw_check_entry *e = &now->check->entries.items[old >> HW_CHECK_REF_BITS];
    return old >= now->floor && e->scope == HW_SCOPE_NONE && e->work == now->entry.work;
}

static void keep_weak_writers(present *now, hw_check_line *line, uint32_t from, uint32_t to, bool is_whole) {
    const hw_check_entries *entries = &now->check->entries;
    const uint32_t cell_bytes = common_cell_bytes(line, from, to, is_whole);
    for (int p = 0; p < HW_CHECK_PLANES && cell_bytes < LINE; p++)
        if (!hw_check_line_split(line, cells_for(now), entries, (hw_check_plane)p, cell_bytes)) return;
    for (uint32_t at = from; at < to; at += cell_bytes) {
        const hw_check_ref old = hw_check_line_ref(line, entries, HW_CHECK_WRITE, at);
        if (!is_to_stay(now, old)) continue;
        const hw_check_ref read = hw_check_line_ref(line, entries, HW_CHECK_READ, at);
        hw_check_put_ref(line, cells_for(now), HW_CHECK_READ_BEFORE, at, read);
        hw_check_put_ref(line, cells_for(now), HW_CHECK_READ, at, old);
        line->newest_read = newest_now(now);
    }
}

static void record_write(present *now, hw_check_line *line, uint32_t from, uint32_t to, bool is_whole,
                         hw_check_ref ref, int width_bits) {
    const bool is_strong = now->entry.scope != HW_SCOPE_NONE;
    if (is_strong && line->newest_write >= now->floor) keep_weak_writers(now, line, from, to, is_whole);
    if (!is_strong && line->newest_read >= now->floor) {
        if (is_whole) forget_all_readers(now, line);
        else forget_readers(now, line, from, to);
    }
    line->settled_since = 0;
    line->newest_write = newest_now(now);
    if (is_whole) {
        hw_check_line_join(line, cells_for(now), HW_CHECK_WRITE, ref);
        return;
    }
    if (hw_check_line_split(line, cells_for(now), &now->check->entries, HW_CHECK_WRITE, (from | to) % WORD ? 1 : WORD))
        hw_check_put_refs(line, cells_for(now), HW_CHECK_WRITE, from, to, ref, width_bits);
}

// ---- what launches only read ----------------------------------------------------------------------------------------

// Cells in [begin, end) of an allocation, whose first readers are compared with the present access, and forgotten where
// it is weak.
static void compare_readers(present *now, hw_check_reads *r, uint64_t begin, uint64_t end, int first_lane,
                            int width_bits, unsigned what) {
    const bool forgets = what & HW_CHECK_RECORD && now->entry.scope == HW_SCOPE_NONE;
    const uint32_t cell_bytes = 1u << r->cell_bits;
    hw_check_reads_settle(r);
    for (uint64_t at = begin / cell_bytes * cell_bytes; at < end; at += cell_bytes) {
        const uint64_t cell = (at - r->begin) >> r->cell_bits;
        const hw_check_ref ref = hw_check_reads_first(now->check, r, cell);
        const uint64_t byte = at < begin ? begin : at;
        const int lane = first_lane + (int)((byte - begin) >> width_bits);
        if (what & HW_CHECK_COMPARE && ref && is_race_or_fine(now, ref, lane, cell_bytes))
            hw_check_add_race(now->check, ref, &now->entry, lane, now->space, byte);
        if (forgets && ref) hw_check_reads_clear(now->check, r, cell);
    }
}

static void compare_with_reads(present *now, uint64_t begin, uint64_t end, int first_lane, int width_bits,
                               unsigned what) {
    const hw_check_all_reads *all = &now->check->reads;
    for (size_t i = 0; i < all->n; i++) {
        hw_check_reads *r = all->items[i];
        const uint64_t from = begin > r->begin ? begin : r->begin;
        const uint64_t to = end < r->begin + r->bytes ? end : r->begin + r->bytes;
        if (from < to)
            compare_readers(now, r, from, to, first_lane + (int)((from - begin) >> width_bits), width_bits, what);
    }
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

static inline hw_check_line *line_of(const present *now, uint64_t address) {
    if (now->space != HW_SPACE_SHARED) return hw_check_shadow_line(&now->check->shadow, address);
    const uint64_t number = address / LINE;
    return number < now->check->blocks.n_lines ? &now->home->shared[number] : NULL;
}

// [begin, end), all in one line. The first lane has `begin`; others follow each 1 << width_bits bytes.
static inline void go_through_line(present *now, uint64_t begin, uint64_t end, bool is_whole, int first_lane,
                                   int width_bits, unsigned what) {
    hw_check_line *line = line_of(now, begin);
    if (!line) return;
    const uint32_t from = (uint32_t)(begin % LINE), to = from + (uint32_t)(end - begin);
    const bool writes = is_write(now->entry.act);
    if (!writes && is_settled(now, line, from, to)) return;
    if (what & HW_CHECK_COMPARE) compare(now, line, begin, from, to, is_whole, first_lane, width_bits);
    hw_check_ref ref = what & HW_CHECK_RECORD ? ref_of(now) : 0;
    if (!ref) return;
    if (width_bits != NO_LANES) ref += (uint32_t)first_lane;
    if (writes) record_write(now, line, from, to, is_whole, ref, width_bits);
    else record_read(now, line, from, to, is_whole, ref, width_bits);
}

static int width_bits_of(const present *now) {
    const bool has_lanes = !now->entry.is_many && !now->entry.is_host;
    return has_lanes ? __builtin_ctz(now->entry.width_bytes) : NO_LANES;    // widths are powers of two
}

void hw_check_go_through(present *now, uint64_t begin, uint64_t bytes, int first_lane, unsigned what) {
    const uint64_t end = begin + bytes;
    const int width_bits = width_bits_of(now);
    if (now->check->reads.may_meet && now->space != HW_SPACE_SHARED && is_write(now->entry.act))
        compare_with_reads(now, begin, end, first_lane, width_bits, what);
    for (uint64_t at = begin, next; at < end; at = next) {
        next = (at / LINE + 1) * LINE;
        if (next > end) next = end;
        const bool is_whole = next - at == LINE && 1u << width_bits >= WORD;
        go_through_line(now, at, next, is_whole, first_lane + (int)((at - begin) >> width_bits), width_bits, what);
    }
}

// ---- lanes ----------------------------------------------------------------------------------------------------------

// What was remembered is of other lanes, or another warp.
static void forget_answers(present *now) {
    memset(now->fine, 0, sizeof now->fine);
    now->uneven = 0;
    now->last = now->kept = UINT32_MAX;
}

static void become_warp(present *now, uint32_t behind) {
    const uint32_t further = behind - now->behind;
    if (!further) return;
    now->warp += further;
    now->entry.warp += further;
    now->behind = behind;
    if (now->ref) now->ref += further << HW_CHECK_LANE_BITS;
    forget_answers(now);
}

// What is done by all lanes of a run, and by each for itself, has entries of its own.
static inline void become(present *now, bool is_many, uint32_t mask) {
    if (now->entry.is_many == is_many && now->entry.mask == mask) return;
    now->entry.is_many = is_many;
    now->entry.mask = mask;
    now->ref = 0;
    forget_answers(now);
}

static void go_through_runs(present *now, const hw_check_runs *runs, uint64_t base, unsigned what) {
    const bool are_all_many = now->entry.is_many;
    const uint32_t width = now->entry.width_bytes;
    for (uint32_t i = 0; i < runs->n; i++) {
        const hw_check_run *run = &runs->items[i];
        const bool is_many = run->is_many;
        become(now, are_all_many || is_many, is_many ? run->mask : runs->mask);
        hw_check_go_through(now, base + (uint64_t)run->delta, (uint64_t)run->elems * width, run->first_lane, what);
    }
    become(now, are_all_many, runs->mask);
}

// ---- lanes apart ----------------------------------------------------------------------------------------------------

// The lines of a piece of memory that was found last.
typedef struct place {
    uint64_t begin, bytes;
    hw_check_line *lines;
} place;

// NULL: there are none.
static inline hw_check_line *find_line(const present *now, place *at, uint64_t address) {
    if (address - at->begin >= at->bytes) {
        const bool is_shared = now->space == HW_SPACE_SHARED;
        at->bytes = is_shared ? (uint64_t)LINE * now->check->blocks.n_lines : HW_CHECK_PAGE_BYTES;
        at->begin = is_shared ? 0 : address / HW_CHECK_PAGE_BYTES * HW_CHECK_PAGE_BYTES;
        at->lines = is_shared ? now->home->shared : hw_check_shadow_line(&now->check->shadow, at->begin);
        if (!at->lines || address - at->begin >= at->bytes) {
            at->bytes = 0;
            return NULL;
        }
    }
    return &at->lines[(address - at->begin) / LINE];
}

// Who has a cell becomes another one, unless that was since the floor.
static inline bool put_newer(const present *now, hw_check_line *line, hw_check_plane plane, uint32_t at, uint32_t bytes,
                             hw_check_ref ref) {
    hw_check_ref *word = &line->planes[plane].cells[at / WORD];
    if ((bytes == WORD ? *word : hw_check_line_byte(line, plane, at)) >= now->floor) return false;
    if (bytes == WORD) *word = ref;
    else hw_check_line_put_byte(line, cells_for(now), plane, at, ref);
    return true;
}

// A word or a byte that one lane alone reads or writes, where what it meets is simple: a plane of such cells, and
// nobody else since the floor. False: nothing has been done.
static inline bool read_cell(const present *now, hw_check_line *line, uint32_t at, uint32_t bytes, hw_check_ref ref,
                             hw_check_ref newest) {
    if (is_settled(now, line, at, at + bytes)) return true;
    if (line->cell_bytes[HW_CHECK_READ] != bytes) return false;
    if (line->newest_write >= now->floor && has_newer(line, HW_CHECK_WRITE, at, at + bytes, now->floor)) return false;
    if (!put_newer(now, line, HW_CHECK_READ, at, bytes, ref)) return false;
    line->newest_read = newest;
    return true;
}

static inline bool write_cell(const present *now, hw_check_line *line, uint32_t at, uint32_t bytes, hw_check_ref ref,
                              hw_check_ref newest) {
    if (line->cell_bytes[HW_CHECK_WRITE] != bytes || line->newest_read >= now->floor) return false;
    if (!put_newer(now, line, HW_CHECK_WRITE, at, bytes, ref)) return false;
    line->newest_write = newest;
    line->settled_since = 0;
    return true;
}

// The lines of all runs. What they need is fetched for all of them before it is used for one; to look for the cells of
// rows that are whole lines, which need none, would be to wait.
static void find_lines(const present *now, const hw_check_runs *runs, uint64_t base, hw_check_line **lines) {
    place at = {0};
    for (uint32_t i = 0; i < runs->n; i++) {
        lines[i] = find_line(now, &at, base + (uint64_t)runs->items[i].delta);
        if (lines[i]) hw_check_line_prefetch(lines[i]);
    }
    if (now->space == HW_SPACE_SHARED) return;
    const hw_check_plane plane = is_write(now->entry.act) ? HW_CHECK_WRITE : HW_CHECK_READ;
    for (uint32_t i = 0; i < runs->n; i++) {
        const uint64_t at = (base + (uint64_t)runs->items[i].delta) % LINE;
        if (!at && runs->items[i].elems * now->entry.width_bytes >= LINE) continue;
        const uint32_t cell_bytes = lines[i] ? lines[i]->cell_bytes[plane] : 0;
        if (cell_bytes == WORD) __builtin_prefetch(&lines[i]->planes[plane].cells[at / WORD]);
        else if (cell_bytes) __builtin_prefetch(&lines[i]->planes[plane].packed->above[HW_CHECK_PACKED_BITS * at / 8]);
    }
}

// Each run is a word, or a byte, of one lane.
static inline void go_through_cells(present *now, const hw_check_runs *runs, uint64_t base, uint32_t bytes) {
    const hw_check_ref ref = ref_of(now), newest = newest_now(now);
    const bool writes = is_write(now->entry.act);
    const unsigned what = HW_CHECK_COMPARE | HW_CHECK_RECORD;
    hw_check_line *lines[LANES];
    find_lines(now, runs, base, lines);
    for (uint32_t i = 0; i < runs->n && ref; i++) {
        const hw_check_run *run = &runs->items[i];
        const uint64_t address = base + (uint64_t)run->delta;
        const hw_check_ref own = ref + run->first_lane;
        if (!lines[i]) continue;
        if (writes ? !write_cell(now, lines[i], address % LINE, bytes, own, newest)
                   : !read_cell(now, lines[i], address % LINE, bytes, own, newest))
            go_through_line(now, address, address + bytes, false, run->first_lane, hw_check_bits_of(bytes), what);
    }
}

// Words of a line that the same lane of n warps writes, side by side; NULL: it is not that simple.
static inline hw_check_ref *column_of(const present *now, hw_check_line *line, uint32_t at, uint32_t n) {
    if (!line || at + n * WORD > LINE || line->newest_read >= now->floor) return NULL;
    hw_check_line_split(line, cells_for(now), &now->check->entries, HW_CHECK_WRITE, WORD);
    if (line->cell_bytes[HW_CHECK_WRITE] != WORD) return NULL;
    return line->planes[HW_CHECK_WRITE].cells + at / WORD;
}

bool hw_check_write_columns(present *now, const hw_check_runs *runs, const uint64_t *bases, uint32_t n) {
    hw_check_line *lines[LANES];
    hw_check_ref *columns[LANES], refs[LANES];
    const bool are_words = runs->are_cells && now->entry.width_bytes == WORD && bases[0] % WORD == 0;
    uint64_t differ = 0;
    for (uint32_t k = 1; k < n; k++) differ |= (bases[k] - bases[0]) ^ k * WORD;
    if (n == 1 || differ || !are_words || now->entry.is_many || !is_write(now->entry.act)) return false;
    if (now->check->reads.may_meet) return false;
    find_lines(now, runs, bases[0], lines);
    for (uint32_t i = 0; i < runs->n; i++) {
        columns[i] = column_of(now, lines[i], (bases[0] + (uint64_t)runs->items[i].delta) % LINE, n);
        if (!columns[i]) return false;
    }
    if (!now->check->level->are_older(columns, runs->n, n, now->floor)) return false;
    const hw_check_ref ref = ref_of(now), newest = newest_now(now);
    for (uint32_t i = 0; i < runs->n; i++) {
        refs[i] = ref + runs->items[i].first_lane;
        lines[i]->newest_write = newest;
        lines[i]->settled_since = 0;
    }
    if (ref) now->check->level->put_columns(columns, runs->n, n, refs);
    return true;
}

// ---- lanes side by side ---------------------------------------------------------------------------------------------

// Words of a line that nobody has touched since the floor. False: it is not that simple.
static inline bool write_row(const present *now, hw_check_line *line, uint32_t from, uint32_t to, hw_check_ref ref,
                             hw_check_ref newest) {
    if (!line || to > LINE || line->newest_read >= now->floor) return false;
    if (line->newest_write >= now->floor && has_newer(line, HW_CHECK_WRITE, from, to, now->floor)) return false;
    if (to - from == LINE) {
        hw_check_line_join(line, cells_for(now), HW_CHECK_WRITE, ref);
    } else {
        hw_check_line_split(line, cells_for(now), &now->check->entries, HW_CHECK_WRITE, WORD);
        if (line->cell_bytes[HW_CHECK_WRITE] != WORD) return false;
        now->check->level->put_row(line->planes[HW_CHECK_WRITE].cells + from / WORD, (to - from) / WORD, ref);
    }
    line->newest_write = newest;
    line->settled_since = 0;
    return true;
}

bool hw_check_write_rows(present *now, const hw_check_runs *runs, const uint64_t *bases, uint32_t n) {
    bool are_rows = now->entry.width_bytes == WORD && is_write(now->entry.act) && !now->entry.is_many &&
                    !runs->may_overlap && runs->n <= 4 && !now->check->reads.may_meet;
    for (uint32_t i = 0; i < runs->n; i++) are_rows &= !runs->items[i].is_many;
    for (uint32_t k = 0; k < n; k++) are_rows &= bases[k] % WORD == 0;
    if (!are_rows) return false;
    const hw_check_ref ref = ref_of(now), newest = newest_now(now);
    hw_check_line *lines[LANES];
    // Rows of a matrix lie apart.
    for (uint32_t k = 0; n > 1 && bases[1] - bases[0] > 4 * LINE && k < n; k++) find_lines(now, runs, bases[k], lines);
    for (uint32_t k = 0; k < n && ref; k++)
        for (uint32_t i = 0; i < runs->n; i++) {
            const hw_check_run *run = &runs->items[i];
            const uint64_t address = bases[k] + (uint64_t)run->delta;
            const uint32_t from = address % LINE, to = from + run->elems * WORD;
            if (write_row(now, line_of(now, address), from, to, ref + (k << HW_CHECK_LANE_BITS) + run->first_lane,
                          newest)) continue;
            become_warp(now, k);
            hw_check_go_through(now, address, to - from, run->first_lane, HW_CHECK_COMPARE | HW_CHECK_RECORD);
        }
    return true;
}

// Is all that the lanes read settled, so that nothing is to be done?
static bool are_settled(const present *now, const hw_check_runs *runs, uint64_t base) {
    if (now->space == HW_SPACE_SHARED || is_write(now->entry.act) || now->check->blocks.logs.n) return false;
    for (uint32_t i = 0; i < runs->n; i++) {
        const hw_check_run *run = &runs->items[i];
        const uint64_t begin = base + (uint64_t)run->delta, bytes = (uint64_t)run->elems * now->entry.width_bytes;
        const uint32_t from = begin % LINE;
        const hw_check_line *line = hw_check_shadow_line(&now->check->shadow, begin);
        if (from + bytes > LINE || !line || !is_settled(now, line, from, from + (uint32_t)bytes)) return false;
    }
    return true;
}

void hw_check_access_runs(present *now, const hw_check_runs *runs, uint64_t base, uint32_t behind) {
    if (runs->n <= 4 && are_settled(now, runs, base)) return;
    become_warp(now, behind);
    const bool in_two_steps = runs->may_overlap && is_write(now->entry.act);
    const bool are_cells = runs->are_cells && base % now->entry.width_bytes == 0;
    if (are_cells && !now->entry.is_many && !now->check->reads.may_meet) {
        if (now->entry.width_bytes == WORD) go_through_cells(now, runs, base, WORD);
        else go_through_cells(now, runs, base, 1);
        return;
    }
    hw_check_line *fetched[LANES];
    if (runs->n > 4 && !runs->serial && now->space != HW_SPACE_SHARED) find_lines(now, runs, base, fetched);
    go_through_runs(now, runs, base, in_two_steps ? HW_CHECK_COMPARE : HW_CHECK_COMPARE | HW_CHECK_RECORD);
    if (in_two_steps) go_through_runs(now, runs, base, HW_CHECK_RECORD);
}
