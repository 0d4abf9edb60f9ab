#include "check/race.h"

#include <string.h>

#include "base/alloc.h"
#include "check/internal.h"
#include "check/pairs.h"
#include "check/readers.h"
#include "isa/order.h"

enum { LANES = HW_WARP_LANES, LINE = HW_CHECK_LINE_BYTES, WORD = HW_CHECK_WORD_BYTES };

// A shift that makes all bytes those of one lane.
enum { NO_LANES = 31 };

typedef hw_check_present present;

// ---- comparing ------------------------------------------------------------------------------------------------------

// The width of what has one reference in every plane, for an access to [from, to).
static uint32_t common_cell_bytes(const hw_check_line *line, uint32_t from, uint32_t to, bool is_whole) {
    uint32_t cell_bytes = (from | to) % WORD ? 1 : is_whole ? LINE : WORD;
    for (int p = 0; p < HW_CHECK_PLANES; p++)
        if (line->cell_bytes[p] && line->cell_bytes[p] < cell_bytes) cell_bytes = line->cell_bytes[p];
    return cell_bytes;
}

// One of these, a reference or a list, with which the present access is a race; 0: none.
static hw_check_ref find_race(present *now, hw_check_ref left, int lane, uint32_t cell_bytes) {
    while (left) {
        const hw_check_ref ref = hw_check_next_reader(&now->check->entries, &left);
        if (hw_check_is_race_or_fine(now, ref, lane, cell_bytes)) return ref;
    }
    return 0;
}

// PTX ISA, "Causality Order": a strong write comes before what follows a strong read that has seen it. Such a read has
// a reference above it (be_newest); it may be of another thread that the present one comes after.
static bool is_seen(const present *now, const hw_check_line *line, uint32_t at, hw_check_ref write, int lane,
                    uint32_t cell_bytes) {
    const hw_check_entries *entries = &now->check->entries;
    if (entries->items[write >> HW_CHECK_REF_BITS].scope == HW_SCOPE_NONE) return false;
    for (int p = HW_CHECK_READ; p < HW_CHECK_PLANES; p++)
        for (hw_check_ref left = hw_check_line_ref(line, entries, (hw_check_plane)p, at); left;) {
            const hw_check_ref ref = hw_check_next_reader(entries, &left);
            const hw_check_entry e = hw_check_entry_of(entries, ref);
            if (ref > write && e.scope != HW_SCOPE_NONE &&
                hw_check_is_ordered(now, &e, (int)hw_check_lane_of(ref), lane, cell_bytes)) return true;
        }
    return false;
}

// Of the cells in [from, to), where the first lane has `from`, others follow each 1 << width_bits bytes.
static void compare_cells(present *now, const hw_check_line *line, uint64_t begin, uint32_t from, uint32_t to,
                          bool is_whole, int first_lane, int width_bits) {
    const hw_check_entries *entries = &now->check->entries;
    // A child comes after some lanes of a warp of its parent, and not after others; likewise those who wait for it.
    const bool is_one = is_whole && !now->check->children.n_parents;
    const uint32_t cell_bytes = common_cell_bytes(line, from, to, is_one);
    const int n_planes = hw_check_is_write(now->entry.act) ? HW_CHECK_PLANES : 1;
    for (uint32_t at = from; at < to; at += cell_bytes) {
        const int lane = first_lane + (int)((at - from) >> width_bits);
        for (int p = 0; p < n_planes; p++) {
            const hw_check_ref ref = find_race(now, hw_check_line_ref(line, entries, (hw_check_plane)p, at), lane,
                                               cell_bytes);
            if (!ref || (p == HW_CHECK_WRITE && is_seen(now, line, at, ref, lane, cell_bytes))) continue;
            hw_check_add_race(now->check, ref, &now->entry, lane, now->space, begin + (at - from));
            break;
        }
    }
}

static inline void compare(present *now, const hw_check_line *line, uint64_t begin, uint32_t from, uint32_t to,
                           bool is_whole, int first_lane, int width_bits) {
    const hw_check_ref floor = now->floor;
    bool is_newer = line->newest_write >= floor && hw_check_has_newer(line, HW_CHECK_WRITE, from, to, floor);
    if (hw_check_is_write(now->entry.act) && line->newest_read >= floor)
        is_newer = is_newer || hw_check_has_newer(line, HW_CHECK_READ, from, to, floor) ||
                   hw_check_has_newer(line, HW_CHECK_READ_BEFORE, from, to, floor);
    if (is_newer) compare_cells(now, line, begin, from, to, is_whole, first_lane, width_bits);
}

// ---- what stays ----------------------------------------------------------------------------------------------------

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

// A strong read sees what was written until now, and nobody has seen what is written strongly now: its entry is to be
// later than those.
static hw_check_ref be_newest(present *now, const hw_check_line *line, hw_check_ref ref) {
    const hw_check_ref newest = hw_check_is_write(now->entry.act) ? line->newest_read : line->newest_write;
    if (now->entry.scope == HW_SCOPE_NONE || !now->block || newest < ref) return ref;
    now->entry.time = ++now->block->time;
    now->ref = 0;
    return ref_of(now);
}

static void forget_readers(present *now, hw_check_line *line, uint32_t from, uint32_t to) {
    for (hw_check_plane p = HW_CHECK_READ; p <= HW_CHECK_READ_BEFORE; p++)
        if (line->cell_bytes[p] || line->planes[p].whole >= now->floor)
            hw_check_line_clear(line, hw_check_cells_for(now), &now->check->entries, p, from, to);
}

static void forget_all_readers(present *now, hw_check_line *line) {
    hw_check_line_join(line, hw_check_cells_for(now), HW_CHECK_READ, 0);
    hw_check_line_join(line, hw_check_cells_for(now), HW_CHECK_READ_BEFORE, 0);
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
        if (!hw_check_line_split(line, hw_check_cells_for(now), entries, (hw_check_plane)p, cell_bytes)) return;
    for (uint32_t at = from; at < to; at += cell_bytes) {
        const hw_check_ref old = hw_check_line_ref(line, entries, HW_CHECK_WRITE, at);
        if (!is_to_stay(now, old)) continue;
        hw_check_push_reader(now, line, at, old);
        line->newest_read = hw_check_newest_now(now);
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
    line->newest_write = hw_check_newest_now(now);
    if (is_whole) {
        hw_check_line_join(line, hw_check_cells_for(now), HW_CHECK_WRITE, ref);
        return;
    }
    const uint32_t cell_bytes = (from | to) % WORD ? 1 : WORD;
    if (hw_check_line_split(line, hw_check_cells_for(now), &now->check->entries, HW_CHECK_WRITE, cell_bytes))
        hw_check_put_refs(line, hw_check_cells_for(now), HW_CHECK_WRITE, from, to, ref, width_bits);
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
        if (what & HW_CHECK_COMPARE && ref && hw_check_is_race_or_fine(now, ref, lane, cell_bytes))
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
    const bool writes = hw_check_is_write(now->entry.act);
    if (!writes && now->entry.scope == HW_SCOPE_NONE && hw_check_is_settled(now, line, from, to)) return;
    if (what & HW_CHECK_COMPARE) compare(now, line, begin, from, to, is_whole, first_lane, width_bits);
    hw_check_ref ref = what & HW_CHECK_RECORD ? ref_of(now) : 0;
    if (ref) ref = be_newest(now, line, ref);
    if (!ref) return;
    if (width_bits != NO_LANES) ref += (uint32_t)first_lane;
    if (writes) record_write(now, line, from, to, is_whole, ref, width_bits);
    else hw_check_record_read(now, line, from, to, is_whole, ref, width_bits);
}

static int width_bits_of(const present *now) {
    const bool has_lanes = !now->entry.is_many && !now->entry.is_host;
    return has_lanes ? __builtin_ctz(now->entry.width_bytes) : NO_LANES;    // widths are powers of two
}

void hw_check_go_through(present *now, uint64_t begin, uint64_t bytes, int first_lane, unsigned what) {
    const uint64_t end = begin + bytes;
    const int width_bits = width_bits_of(now);
    if (now->check->reads.may_meet && now->space != HW_SPACE_SHARED && hw_check_is_write(now->entry.act))
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
    else hw_check_line_put_byte(line, hw_check_cells_for(now), plane, at, ref);
    return true;
}

// A word or a byte that one lane alone reads or writes, where what it meets is simple: a plane of such cells, and
// nobody else since the floor. False: nothing has been done.
static inline bool read_cell(const present *now, hw_check_line *line, uint32_t at, uint32_t bytes, hw_check_ref ref,
                             hw_check_ref newest) {
    if (hw_check_is_settled(now, line, at, at + bytes)) return true;
    if (line->cell_bytes[HW_CHECK_READ] != bytes) return false;
    if (line->newest_write >= now->floor && hw_check_has_newer(line, HW_CHECK_WRITE, at, at + bytes, now->floor))
        return false;
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
    const hw_check_plane plane = hw_check_is_write(now->entry.act) ? HW_CHECK_WRITE : HW_CHECK_READ;
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
    const hw_check_ref ref = ref_of(now), newest = hw_check_newest_now(now);
    const bool writes = hw_check_is_write(now->entry.act);
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
    hw_check_line_split(line, hw_check_cells_for(now), &now->check->entries, HW_CHECK_WRITE, WORD);
    if (line->cell_bytes[HW_CHECK_WRITE] != WORD) return NULL;
    return line->planes[HW_CHECK_WRITE].cells + at / WORD;
}

bool hw_check_write_columns(present *now, const hw_check_runs *runs, const uint64_t *bases, uint32_t n) {
    hw_check_line *lines[LANES];
    hw_check_ref *columns[LANES], refs[LANES];
    const bool are_words = runs->are_cells && now->entry.width_bytes == WORD && bases[0] % WORD == 0;
    uint64_t differ = 0;
    for (uint32_t k = 1; k < n; k++) differ |= (bases[k] - bases[0]) ^ k * WORD;
    if (n == 1 || differ || !are_words || now->entry.is_many || !hw_check_is_write(now->entry.act)) return false;
    if (now->check->reads.may_meet) return false;
    find_lines(now, runs, bases[0], lines);
    for (uint32_t i = 0; i < runs->n; i++) {
        columns[i] = column_of(now, lines[i], (bases[0] + (uint64_t)runs->items[i].delta) % LINE, n);
        if (!columns[i]) return false;
    }
    if (!now->check->level->are_older(columns, runs->n, n, now->floor)) return false;
    const hw_check_ref ref = ref_of(now), newest = hw_check_newest_now(now);
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
    if (line->newest_write >= now->floor && hw_check_has_newer(line, HW_CHECK_WRITE, from, to, now->floor))
        return false;
    if (to - from == LINE) {
        hw_check_line_join(line, hw_check_cells_for(now), HW_CHECK_WRITE, ref);
    } else {
        hw_check_line_split(line, hw_check_cells_for(now), &now->check->entries, HW_CHECK_WRITE, WORD);
        if (line->cell_bytes[HW_CHECK_WRITE] != WORD) return false;
        now->check->level->put_row(line->planes[HW_CHECK_WRITE].cells + from / WORD, (to - from) / WORD, ref);
    }
    line->newest_write = newest;
    line->settled_since = 0;
    return true;
}

bool hw_check_write_rows(present *now, const hw_check_runs *runs, const uint64_t *bases, uint32_t n) {
    bool are_rows = now->entry.width_bytes == WORD && hw_check_is_write(now->entry.act) && !now->entry.is_many &&
                    !runs->may_overlap && runs->n <= 4 && !now->check->reads.may_meet;
    for (uint32_t i = 0; i < runs->n; i++) are_rows &= !runs->items[i].is_many;
    for (uint32_t k = 0; k < n; k++) are_rows &= bases[k] % WORD == 0;
    if (!are_rows) return false;
    const hw_check_ref ref = ref_of(now), newest = hw_check_newest_now(now);
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
    if (now->space == HW_SPACE_SHARED || hw_check_is_write(now->entry.act) || now->entry.scope != HW_SCOPE_NONE ||
        now->check->blocks.logs.n) return false;
    for (uint32_t i = 0; i < runs->n; i++) {
        const hw_check_run *run = &runs->items[i];
        const uint64_t begin = base + (uint64_t)run->delta, bytes = (uint64_t)run->elems * now->entry.width_bytes;
        const uint32_t from = begin % LINE;
        const hw_check_line *line = hw_check_shadow_line(&now->check->shadow, begin);
        if (from + bytes > LINE || !line || !hw_check_is_settled(now, line, from, from + (uint32_t)bytes)) return false;
    }
    return true;
}

void hw_check_access_runs(present *now, const hw_check_runs *runs, uint64_t base, uint32_t behind) {
    if (runs->n <= 4 && are_settled(now, runs, base)) return;
    become_warp(now, behind);
    const bool in_two_steps = runs->may_overlap && hw_check_is_write(now->entry.act);
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
