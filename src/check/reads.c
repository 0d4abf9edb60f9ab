#include "check/reads.h"

#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "check/bounds.h"
#include "check/internal.h"
#include "isa/order.h"

enum { CHUNK = HW_CHECK_READS_CHUNK, ROW = HW_CHECK_READS_ROW, HALF = HW_CHECK_READS_HALF, WORD_BITS = 2 };
enum { LANES = HW_WARP_LANES, MOST_LISTED = 2 + LANES };    // words of one instruction

// ---- what a launch only reads ---------------------------------------------------------------------------------------

// One allocation alone; NULL: there are others or a part of one, or none is known.
static const hw_home *only_home(const hw_check *c, uint32_t set) {
    const hw_home_set *homes = &c->homes->sets[set];
    const hw_home *home = homes->n == 1 ? &c->homes->items[homes->first] : NULL;
    return home && home->space == HW_SPACE_GLOBAL && !home->part ? home : NULL;
}

// Of a part all that it is in: an access may leave it.
static bool overlap(const hw_home *a, const hw_home *b) {
    const uint64_t a_begin = a->part ? a->whole_begin : a->begin, b_begin = b->part ? b->whole_begin : b->begin;
    const uint64_t a_bytes = a->part ? a->whole_bytes : a->bytes, b_bytes = b->part ? b->whole_bytes : b->bytes;
    return a->space == b->space && a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}

static bool is_in_set(const hw_check *c, const hw_home *home, const hw_home_set *set) {
    bool is_in = set->n == 0;
    for (uint32_t k = 0; k < set->n; k++) is_in |= overlap(home, &c->homes->items[set->first + k]);
    return is_in;
}

// May an instruction of the launch write to this home? Where it is not known what one writes, it may.
static bool is_written(const hw_check *c, const hw_home *home) {
    bool is_written = false;
    for (uint32_t k = 0; k < c->homes->n_sets && !is_written; k++)
        is_written = c->homes->sets[k].is_written && is_in_set(c, home, &c->homes->sets[k]);
    return is_written;
}

// Are bytes of it read one by one, or two by two?
static bool has_narrow_reads(const hw_check *c, const hw_home *home) {
    bool has = false;
    for (uint32_t k = 0; k < c->homes->n_sets && !has; k++) {
        const uint8_t bytes = c->homes->sets[k].least_read_bytes;
        has = bytes && bytes < HW_CHECK_WORD_BYTES && c->homes->sets[k].n && is_in_set(c, home, &c->homes->sets[k]);
    }
    return has;
}

// ---- allocations ----------------------------------------------------------------------------------------------------

static bool make_stretches(hw_check_stretches *s, uint64_t n_halves) {
    s->refs = hw_alloc_lanes(n_halves * sizeof *s->refs);
    s->cells = hw_alloc_lanes(n_halves * sizeof *s->cells);
    return s->refs && s->cells;
}

static void free_stretches(hw_check_stretches *s) {
    hw_free_aligned(s->refs);
    hw_free_aligned(s->cells);
}

static void free_reads(hw_check_reads *r) {
    if (!r) return;
    hw_free_aligned(r->first);
    free_stretches(&r->long_ones);
    free_stretches(&r->others);
    hw_free_aligned(r->seen);
    hw_free_aligned(r->listed);
    hw_free(r->state);
    hw_free(r);
}

// Cells are words of memory.
static uint64_t first_word(const hw_home *home) { return home->begin / HW_CHECK_WORD_BYTES * HW_CHECK_WORD_BYTES; }

static hw_check_reads *make_reads(const hw_home *home, uint32_t cell_bits) {
    const uint64_t begin = first_word(home), bytes = home->begin + home->bytes - begin;
    const uint64_t n = hw_divide_up(bytes, (uint64_t)1 << cell_bits);
    // Room for each word of the memory once: of single bytes that is a quarter, so that lists are no larger than it.
    const uint64_t n_words = bytes / HW_CHECK_WORD_BYTES * MOST_LISTED / LANES + MOST_LISTED;
    hw_check_reads *r = n && n < 1u << 31 ? hw_calloc(1, sizeof *r) : NULL;
    if (!r) return NULL;
    *r = (hw_check_reads){.begin = begin, .bytes = bytes, .n_cells = (uint32_t)n, .cell_bits = cell_bits,
                          .n_unseen = (uint32_t)n, .first = hw_alloc_lanes(n * sizeof *r->first),
                          .seen = hw_alloc_lanes((n / CHUNK + 1) * (CHUNK / ROW) * sizeof *r->seen),
                          .listed = hw_alloc_lanes(n_words * sizeof *r->listed), .listed_capacity = (uint32_t)n_words,
                          .state = hw_calloc(n / CHUNK + 1, 1)};
    const bool have = make_stretches(&r->long_ones, n / HALF + 2) && make_stretches(&r->others, n / HALF + 2);
    if (have && r->first && r->seen && r->listed && r->state) return r;
    free_reads(r);
    return NULL;
}

// NULL: no memory, or its cells are too large; or lines know of its bytes one by one, which costs less for readers too
// than cells of bytes beside them.
static hw_check_reads *reads_of_home(hw_check *c, const hw_home *home) {
    hw_check_all_reads *all = &c->reads;
    const uint32_t cell_bits = has_narrow_reads(c, home) ? 0 : WORD_BITS;
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i]->begin == first_word(home))
            return all->items[i]->cell_bits <= cell_bits ? all->items[i] : NULL;
    if (!cell_bits && hw_check_shadow_has_bytes(&c->shadow, home->begin, home->bytes)) return NULL;
    if (!hw_grow((void **)&all->items, all->n, &all->capacity, sizeof *all->items)) return NULL;
    hw_check_reads *made = make_reads(home, cell_bits);
    if (made) all->items[all->n++] = made;
    return made;
}

// Nobody will ask for readers that all that comes is in order with.
static void forget_dead(hw_check *c) {
    for (size_t i = 0; i < c->reads.n; i++)
        if (c->reads.items[i]->newest_listed < c->shadow.cells.dead) c->reads.items[i]->n_listed = 0;
}

void hw_check_reads_begin(hw_check *c) {
    hw_check_all_reads *all = &c->reads;
    forget_dead(c);
    if (!c->homes || c->may_launch || c->floor != hw_check_entries_next(&c->entries)) return;
    all->of_set = hw_calloc(c->homes->n_sets, sizeof(hw_check_reads *));
    for (uint32_t set = 1; all->of_set && set < c->homes->n_sets; set++) {
        const hw_home *home = only_home(c, set);
        if (home && !is_written(c, home)) all->of_set[set] = reads_of_home(c, home);
    }
}

// The next launch has read nothing yet.
static void forget_seen(hw_check_reads *r) {
    r->was_full = false;
    if (r->n_unseen == r->n_cells) return;
    for (uint32_t chunk = 0; chunk * CHUNK < r->n_cells; chunk++) {
        if (!(r->state[chunk] & HW_CHECK_READS_IS_SEEN)) continue;
        memset(&r->seen[chunk * (CHUNK / ROW)], 0, CHUNK / ROW * sizeof *r->seen);
        r->state[chunk] &= (uint8_t)~HW_CHECK_READS_IS_SEEN;
    }
    r->n_unseen = r->n_cells;
}

void hw_check_reads_end(hw_check *c) {
    for (size_t i = 0; i < c->reads.n; i++) forget_seen(c->reads.items[i]);
    hw_free(c->reads.of_set);
    c->reads.of_set = NULL;
}

void hw_check_reads_stray(hw_check *c) {
    hw_check_reads_end(c);
    c->reads.may_meet = true;
}

void hw_check_reads_forget(hw_check *c, uint64_t address, uint64_t bytes) {
    hw_check_all_reads *all = &c->reads;
    for (size_t i = 0; i < all->n;) {
        hw_check_reads *r = all->items[i];
        if (r->begin >= address + bytes || address >= r->begin + r->bytes) {
            i++;
            continue;
        }
        for (uint32_t set = 0; all->of_set && set < c->homes->n_sets; set++)
            if (all->of_set[set] == r) all->of_set[set] = NULL;
        free_reads(r);
        all->items[i] = all->items[--all->n];
    }
}

// ---- reading --------------------------------------------------------------------------------------------------------

hw_check_reads *hw_check_reads_of(const hw_check *c, const hw_access *a) {
    const hw_note *note = &c->notes[a->note];
    const uint32_t access = c->reads.of_set ? note->access - c->homes->first_access : 0;
    if (!c->reads.of_set || access >= c->homes->n_accesses) return NULL;
    hw_check_reads *reads = c->reads.of_set[c->homes->set_of[access]];
    const bool is_read = reads && hw_check_act_of(a->kind, a->space) == HW_CHECK_READS;
    return is_read && hw_check_strong_scope(note, HW_CHECK_READS) == HW_SCOPE_NONE ? reads : NULL;
}

// An access that is being noted down.
typedef struct reading {
    hw_check *check;
    hw_check_reads *of;
    hw_check_block *block;
    const hw_access *access;         // of the first warp
    hw_check_ref ref;                // of its lane 0; 0: it has not been asked for
    bool is_alone;                   // there is no other warp
} reading;

// What nobody has read in this launch is this one's. False: no memory.
static bool find_ref(reading *r) {
    const hw_access *a = r->access;
    hw_check *c = r->check;
    hw_check_present now;
    if (r->ref) return true;
    hw_check_begin_present(c, &now, r->block, a->where.warp, a->space, a->note, a->kind, a->width_bytes,
                           a->pattern->mask);
    const uint32_t further = r->is_alone ? hw_check_further_of(a->where.warp) : 0;
    now.entry.warp -= further;
    r->ref = hw_check_entries_refer(&c->entries, &now.entry);
    if (r->ref) r->ref += further << HW_CHECK_LANE_BITS;
    if (r->ref > c->reads.newest) c->reads.newest = r->ref | ((1u << HW_CHECK_REF_BITS) - 1);
    return r->ref;
}

static void see(hw_check_reads *of, uint32_t cell) {
    of->n_unseen -= ~of->seen[cell / ROW] >> cell % ROW & 1;    // two lanes may mean one
    of->seen[cell / ROW] |= 1u << cell % ROW;
    of->state[cell / CHUNK] |= HW_CHECK_READS_IS_SEEN;
}

// The next instruction's, of those that are listed.
static uint32_t *next_listed(uint32_t *listed) { return listed + 2 + hw_bits_set(listed[1]); }

// From now on the launch asks what it has read. floor: below it are earlier ones' references.
static void see_listed(hw_check_reads *of, hw_check_ref floor) {
    for (uint32_t *at = of->listed, *end = at + of->n_listed, *next; at < end; at = next) {
        next = next_listed(at);
        for (uint32_t *cell = at + 2; *at >= floor && cell < next; cell++) see(of, *cell);
    }
    of->was_full = true;
}

static void list_cells(reading *r, hw_check_ref ref, uint32_t lanes, const uint32_t cells[LANES]) {
    hw_check_reads *of = r->of;
    if (of->listed_capacity - of->n_listed < MOST_LISTED) {
        if (!of->was_full) see_listed(of, r->check->floor);
        hw_check_reads_settle(of);
    }
    uint32_t *to = of->listed + of->n_listed;
    *to++ = ref;
    *to++ = lanes;
    if (lanes == 0xffffffffu) {
        memcpy(to, cells, LANES * sizeof *to);
        to += LANES;
    } else {
        for (uint32_t left = lanes; left; left &= left - 1) *to++ = cells[__builtin_ctz(left)];
    }
    of->n_listed = (uint32_t)(to - of->listed);
    of->newest_listed = ref | ((1u << HW_CHECK_REF_BITS) - 1);
}

static bool read_lanes(reading *r, uint64_t offset, uint32_t behind) {
    const hw_check_level *level = r->check->level;
    const hw_access_pattern *p = r->access->pattern;
    const uint32_t bits = r->of->cell_bits;
    uint32_t cells[LANES];
    for (uint32_t byte = 0; byte < r->access->width_bytes; byte += 1u << bits) {
        const bool asks = r->of->was_full;
        level->find_cells(p->delta, offset + byte, bits, cells);
        const uint32_t lanes = asks ? level->unseen(r->of->seen, cells, p->mask) : p->mask;
        if (lanes && !find_ref(r)) return false;
        if (lanes) list_cells(r, r->ref + (behind << HW_CHECK_LANE_BITS), lanes, cells);
        for (uint32_t left = asks ? lanes : 0; left; left &= left - 1) see(r->of, cells[__builtin_ctz(left)]);
    }
    return true;
}

// Neighbouring lanes that read n cells, up to a row, from `begin` on, of which each has 1 << width_bits. ref: of the
// first of them.
typedef struct stretch {
    uint64_t begin;
    uint32_t n, width_bits;
    hw_check_ref ref;
} stretch;

static inline hw_check_ref ref_at(const stretch *s, uint64_t cell) {
    return s->ref + (hw_check_ref)((cell - s->begin) >> s->width_bits);
}

// Some cells of a half. Mostly they are side by side, a lane each.
static void put_alone(reading *r, const stretch *s, uint64_t half, uint32_t cells) {
    const uint64_t from = half * HALF + (uint32_t)__builtin_ctz(cells);
    const uint32_t above = cells >> __builtin_ctz(cells), beside = (uint32_t)__builtin_ctz(~above);
    r->of->state[from / CHUNK] |= HW_CHECK_READS_HAS_ANY;
    if (!s->width_bits && !(above >> beside)) {
        r->check->level->put_row(r->of->first + from, beside, ref_at(s, from));
        return;
    }
    for (; cells; cells &= cells - 1) {
        const uint64_t cell = half * HALF + (uint32_t)__builtin_ctz(cells);
        r->of->first[cell] = ref_at(s, cell);
    }
}

// All cells of a half that these lanes read. False: there is no stretch whose place they could take, since some of its
// cells have no other reader.
static inline bool put_stretch(hw_check_reads *of, const stretch *s, uint64_t half, uint32_t cells) {
    hw_check_stretches *to = &of->long_ones;
    const uint32_t kept = to->cells[half];
    if (kept & ~cells) {
        const bool are_older = of->others.refs[half] < to->refs[half];
        to = &of->others;
        if (to->cells[half] & ~(are_older ? kept : 0) & ~cells) return false;
    }
    to->refs[half] = ref_at(s, half * HALF < s->begin ? s->begin : half * HALF);
    to->cells[half] = (uint16_t)cells;
    return true;
}

// cells: bits of the row that the stretch begins in and of the next one; new: those that the launch has not read.
static __attribute__((noinline)) void put_refs(reading *r, const stretch *s, uint64_t cells, uint64_t new) {
    enum { ALL = (1 << HALF) - 1 };
    hw_check_reads *of = r->of;
    of->state[s->begin / CHUNK] |= HW_CHECK_READS_IS_SEEN;
    of->state[(s->begin + s->n - 1) / CHUNK] |= HW_CHECK_READS_IS_SEEN;
    of->n_unseen -= hw_bits_set_of_64(new);
    for (uint64_t half = s->begin / ROW * (ROW / HALF); new; half++, cells >>= HALF, new >>= HALF)
        if (new & ALL && !put_stretch(of, s, half, cells & ALL)) put_alone(r, s, half, new & ALL);
}

// Lanes side by side, or of several with the same bytes the first, of n warps: up to a row of cells, `further` behind
// the run's first one. There is a row behind the last one.
static bool read_row(reading *r, uint32_t n, const uint64_t *bases, const hw_check_run *run, uint32_t further) {
    const uint32_t bits = r->of->cell_bits, width_bits = (uint32_t)__builtin_ctz(r->access->width_bytes) - bits;
    const uint32_t left = (run->elems << width_bits) - further, n_cells = left < ROW ? left : ROW;
    const uint64_t to_run = (uint64_t)run->delta - r->of->begin, ones = ((uint64_t)1 << n_cells) - 1;
    uint32_t *const all_seen = r->of->seen;
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t begin = ((bases[k] + to_run) >> bits) + further, cells = ones << begin % ROW;
        uint64_t seen;
        memcpy(&seen, &all_seen[begin / ROW], sizeof seen);
        if (!(cells & ~seen)) continue;
        if (!find_ref(r)) return false;
        const stretch s = {begin, n_cells, width_bits, r->ref + (k << HW_CHECK_LANE_BITS) + run->first_lane +
                                                           (further >> width_bits)};
        put_refs(r, &s, cells, cells & ~seen);
        seen |= cells;
        memcpy(&all_seen[begin / ROW], &seen, sizeof seen);
    }
    return true;
}

static bool read_warps(reading *r, uint32_t n, const uint64_t *bases, const hw_check_runs *runs) {
    enum { MOST_RUNS = 4 };
    const uint32_t width = r->access->width_bytes;
    bool good = true;
    if (!runs || runs->n > MOST_RUNS) {
        for (uint32_t k = 0; k < n && good; k++) good = read_lanes(r, bases[k] - r->of->begin, k);
        return good;
    }
    for (uint32_t i = 0; i < runs->n; i++)
        for (uint32_t at = 0; at < (runs->items[i].elems * width) >> r->of->cell_bits && good; at += ROW)
            good = read_row(r, n, bases, &runs->items[i], at);
    return good;
}

// Nobody is elsewhere than bounds have said, but who is misaligned or has left its allocation.
static bool is_inside(const reading *r, uint32_t n, const uint64_t *bases) {
    const hw_access_pattern *p = r->access->pattern;
    int64_t low = p->low, high = p->high;
    if (p->index == HW_NO_PATTERN) r->check->level->span(p->delta, &low, &high);
    const uint64_t bytes = (uint64_t)(high - low) + r->access->width_bytes;
    bool is_inside = r->access->width_bytes >= 1u << r->of->cell_bits;
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t offset = bases[k] + (uint64_t)low - r->of->begin;
        is_inside = is_inside && offset <= r->of->bytes && bytes <= r->of->bytes - offset;
    }
    return is_inside;
}

// What warps of a convoy need is fetched for all of them before it is used for one: rows of a matrix lie apart.
static inline void prefetch_row(const reading *r, uint64_t base) {
    const uint64_t row = ((base - r->of->begin) >> r->of->cell_bits) / ROW;
    __builtin_prefetch(&r->of->seen[row], 1);
    __builtin_prefetch(&r->of->long_ones.refs[row * 2], 1);
}

bool hw_check_reads_add(hw_check *c, hw_check_reads *reads, hw_check_block *block, const hw_access *first, uint32_t n,
                        const uint64_t *bases, const hw_check_runs *runs) {
    reading r = {.check = c, .of = reads, .block = block, .access = first, .is_alone = n == 1};
    bool good = is_inside(&r, n, bases);
    if (good && !reads->n_unseen) return true;
    for (uint32_t k = 1; k < n && good; k++) prefetch_row(&r, bases[k]);
    return good && read_warps(&r, n, bases, runs);
}

// A cell's newer reader may be there already, as one of neighbours, who are not listed.
void hw_check_reads_settle(hw_check_reads *r) {
    for (const uint32_t *at = r->listed, *end = at + r->n_listed; at < end;) {
        const hw_check_ref ref = *at++;
        for (uint32_t left = *at++; left; left &= left - 1) {
            const hw_check_ref own = ref + (uint32_t)__builtin_ctz(left);
            const uint32_t cell = *at++;
            if (r->first[cell] < own) r->first[cell] = own;
            r->state[cell / CHUNK] |= HW_CHECK_READS_HAS_ANY;
        }
    }
    r->n_listed = 0;
}

// Who has read the cell as one of a stretch; 0: nobody.
static hw_check_ref reader_among(const hw_check *c, const hw_check_reads *r, const hw_check_stretches *s,
                                 uint64_t cell) {
    const hw_check_ref ref = s->refs[cell / HALF];
    const uint32_t cells = s->cells[cell / HALF];
    if (!(cells >> cell % HALF & 1)) return 0;
    const uint32_t lane_cells = c->entries.items[ref >> HW_CHECK_REF_BITS].width_bytes >> r->cell_bits;
    return ref + ((uint32_t)(cell % HALF) - (uint32_t)__builtin_ctz(cells)) / lane_cells;
}

hw_check_ref hw_check_reads_first(const hw_check *c, const hw_check_reads *r, uint64_t cell) {
    const hw_check_ref one = reader_among(c, r, &r->long_ones, cell), other = reader_among(c, r, &r->others, cell);
    const hw_check_ref newest = one > other ? one : other;
    return newest > r->first[cell] ? newest : r->first[cell];
}

void hw_check_reads_clear(hw_check *c, hw_check_reads *r, uint64_t cell) {
    const uint64_t half = cell / HALF;
    const uint32_t cells = r->long_ones.cells[half] | r->others.cells[half];
    for (uint32_t left = cells; left; left &= left - 1) {
        const uint64_t at = half * HALF + (uint32_t)__builtin_ctz(left);
        r->first[at] = hw_check_reads_first(c, r, at);
    }
    r->state[cell / CHUNK] |= HW_CHECK_READS_HAS_ANY;
    r->long_ones.cells[half] = r->others.cells[half] = 0;
    r->long_ones.refs[half] = r->others.refs[half] = 0;
    r->first[cell] = 0;
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

typedef struct cells {
    hw_check_ref *first;
    uint32_t n;
} cells;

// The cells of a chunk; none where nobody has read any.
static cells cells_of(const hw_check_reads *r, uint32_t chunk) {
    const uint32_t begin = chunk * CHUNK, left = r->n_cells - begin;
    return (cells){r->first + begin, !(r->state[chunk] & HW_CHECK_READS_HAS_ANY) ? 0 : left < CHUNK ? left : CHUNK};
}

static void mark_stretches(hw_check *c, const hw_check_reads *r, const hw_check_stretches *s) {
    for (uint32_t half = 0; half <= r->n_cells / HALF; half++)
        if (s->refs[half]) hw_check_entries_mark(&c->entries, s->refs[half]);
}

static void move_stretches(const hw_check *c, const hw_check_reads *r, hw_check_stretches *s) {
    for (uint32_t half = 0; half <= r->n_cells / HALF; half++)
        s->refs[half] = hw_check_entries_moved(&c->entries, s->refs[half]);
}

void hw_check_reads_mark(hw_check *c) {
    for (size_t i = 0; i < c->reads.n; i++) {
        const hw_check_reads *r = c->reads.items[i];
        mark_stretches(c, r, &r->long_ones);
        mark_stretches(c, r, &r->others);
        for (uint32_t chunk = 0; chunk * CHUNK < r->n_cells; chunk++) {
            const cells of = cells_of(r, chunk);
            for (uint32_t k = 0; k < of.n; k++)
                if (of.first[k]) hw_check_entries_mark(&c->entries, of.first[k]);
        }
        for (uint32_t *at = r->listed; at < r->listed + r->n_listed; at = next_listed(at))
            hw_check_entries_mark(&c->entries, *at);
    }
}

void hw_check_reads_move(hw_check *c) {
    for (size_t i = 0; i < c->reads.n; i++) {
        hw_check_reads *r = c->reads.items[i];
        move_stretches(c, r, &r->long_ones);
        move_stretches(c, r, &r->others);
        for (uint32_t chunk = 0; chunk * CHUNK < r->n_cells; chunk++) {
            const cells of = cells_of(r, chunk);
            for (uint32_t k = 0; k < of.n; k++) of.first[k] = hw_check_entries_moved(&c->entries, of.first[k]);
        }
        for (uint32_t *at = r->listed; at < r->listed + r->n_listed; at = next_listed(at))
            *at = hw_check_entries_moved(&c->entries, *at);
        if (r->n_listed) r->newest_listed = hw_check_entries_moved(&c->entries, r->newest_listed);
    }
    c->reads.newest = hw_check_entries_moved(&c->entries, c->reads.newest);
}

void hw_check_reads_free(hw_check *c) {
    hw_check_reads_end(c);
    for (size_t i = 0; i < c->reads.n; i++) free_reads(c->reads.items[i]);
    hw_free(c->reads.items);
    c->reads = (hw_check_all_reads){.items = NULL};
}
