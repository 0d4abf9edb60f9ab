#include "check/shadow.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "base/mix.h"

enum {
    LINE = HW_CHECK_LINE_BYTES, WORD = HW_CHECK_WORD_BYTES, PLANES = HW_CHECK_PLANES,
    PAGE_BYTES = HW_CHECK_PAGE_BYTES, PAGE_LINES = HW_CHECK_PAGE_LINES
};
enum { FIRST_CHUNK = 1 << 16, LARGEST_CHUNK = 1 << 22, HUGE_PAGE = 1 << 21 };

// ---- cells ----

// Spare blocks, and chunks, begin with the next one's address.
static void *next_of(const void *block) {
    void *next;
    memcpy(&next, block, sizeof next);
    return next;
}

static const size_t cells_bytes[HW_CHECK_CELL_KINDS] = {
    [HW_CHECK_WORDS] = LINE / WORD * sizeof(hw_check_ref),
    [HW_CHECK_PACKED_BYTES] = sizeof(hw_check_packed),
    [HW_CHECK_WIDE_BYTES] = LINE * sizeof(hw_check_ref),
};

// As much as there is already, so that small programs take little; large ones want large pages, since they go from
// line to line as their kernels do.
static bool add_chunk(hw_check_cells *c, size_t wanted) {
    size_t bytes = c->bytes < FIRST_CHUNK ? FIRST_CHUNK : c->bytes < LARGEST_CHUNK ? c->bytes : LARGEST_CHUNK;
    if (bytes < wanted + LINE) bytes = wanted + LINE;
    char *chunk = hw_alloc_lanes(bytes);
    if (!chunk) return false;
    const uintptr_t begin = hw_align_up((uintptr_t)chunk, HUGE_PAGE);
    const uintptr_t end = ((uintptr_t)chunk + bytes) & -(uintptr_t)HUGE_PAGE;
    if (end > begin) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    memcpy(chunk, &c->chunks, sizeof c->chunks);
    c->chunks = chunk;
    c->next = chunk + LINE;
    c->end = chunk + bytes;
    c->bytes += bytes;
    return true;
}

// Zeros.
static void *take_bytes(hw_check_cells *c, size_t bytes) {
    if ((size_t)(c->end - c->next) < bytes && !add_chunk(c, bytes)) return NULL;
    char *taken = c->next;
    c->next += bytes;
    return taken;
}

// What was in them stays.
static void *take_cells(hw_check_cells *c, int kind) {
    void *block = c->spare[kind];
    if (!block) return take_bytes(c, cells_bytes[kind]);
    c->spare[kind] = next_of(block);
    return block;
}

static void give_cells(hw_check_cells *c, void *cells, int kind) {
    memcpy(cells, &c->spare[kind], sizeof c->spare[kind]);
    c->spare[kind] = cells;
}

void hw_check_cells_free(hw_check_cells *c) {
    for (void *chunk = c->chunks, *next; chunk; chunk = next) {
        next = next_of(chunk);
        hw_free_aligned(chunk);
    }
    *c = (hw_check_cells){0};
}

// ---- cells of bytes ----

// The least base that lies so far below what it is made for, since older references may come.
enum { ROOM_BELOW = 1 << 22, REACH = 1 << HW_CHECK_PACKED_BITS };

static hw_check_ref base_below(hw_check_ref ref) { return ref > ROOM_BELOW ? ref - ROOM_BELOW : 0; }

// A base from which all references can be told; NO_BASE where there are none, or none is near enough to all. Those that
// no comparison needs any more are left out.
static hw_check_ref find_base(hw_check_ref refs[LINE], hw_check_ref dead, bool *is_found) {
    hw_check_ref least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < LINE; i++) {
        if (refs[i] < dead) refs[i] = 0;
        least = refs[i] && refs[i] < least ? refs[i] : least;
        most = refs[i] > most ? refs[i] : most;
    }
    *is_found = !most || most - least < REACH - 1;
    if (!most || !*is_found) return HW_CHECK_NO_BASE;
    return most - base_below(least) < REACH ? base_below(least) : least - 1;
}

static int kind_of(const hw_check_line *line, hw_check_plane plane) {
    if (line->cell_bytes[plane] == WORD) return HW_CHECK_WORDS;
    return line->is_wide[plane] ? HW_CHECK_WIDE_BYTES : HW_CHECK_PACKED_BYTES;
}

static void give_plane(hw_check_line *line, hw_check_cells *c, hw_check_plane plane) {
    c->n_of_bytes -= line->cell_bytes[plane] == 1;
    if (line->cell_bytes[plane]) give_cells(c, line->planes[plane].cells, kind_of(line, plane));
}

// The plane has bytes with these references, in place of what it had. False: no memory, and nothing has been done.
static bool make_bytes(hw_check_line *line, hw_check_cells *c, hw_check_plane plane, hw_check_ref refs[LINE]) {
    bool is_packed;
    const hw_check_ref base = find_base(refs, c->dead, &is_packed);
    void *made = take_cells(c, is_packed ? HW_CHECK_PACKED_BYTES : HW_CHECK_WIDE_BYTES);
    if (!made) return false;
    give_plane(line, c, plane);
    c->n_of_bytes++;
    line->planes[plane].cells = made;
    line->cell_bytes[plane] = 1;
    line->is_wide[plane] = !is_packed;
    if (is_packed) line->planes[plane].packed->base = base;
    else memcpy(made, refs, LINE * sizeof *refs);
    for (uint32_t at = 0; is_packed && at < LINE; at++) hw_check_line_put_byte(line, c, plane, at, refs[at]);
    return true;
}

static void bytes_of(const hw_check_line *line, const hw_check_entries *entries, hw_check_plane plane,
                     hw_check_ref refs[LINE]) {
    for (uint32_t at = 0; at < LINE; at++) refs[at] = hw_check_line_ref(line, entries, plane, at);
}

void hw_check_line_put_far(hw_check_line *line, hw_check_cells *c, hw_check_plane plane, uint32_t at,
                           hw_check_ref ref) {
    hw_check_ref refs[LINE];
    if (line->planes[plane].packed->base == HW_CHECK_NO_BASE) {
        line->planes[plane].packed->base = base_below(ref);
        hw_check_line_put_byte(line, c, plane, at, ref);
    } else {
        bytes_of(line, NULL, plane, refs);
        refs[at] = ref;
        if (!make_bytes(line, c, plane, refs)) hw_check_line_put_byte(line, c, plane, at, 0);
    }
}

// ---- a line ----

static bool make_words(hw_check_line *line, hw_check_cells *c, const hw_check_entries *entries, hw_check_plane plane) {
    hw_check_ref *cells = take_cells(c, HW_CHECK_WORDS);
    if (!cells) return false;
    if (!line->planes[plane].whole) memset(cells, 0, cells_bytes[HW_CHECK_WORDS]);
    else for (uint32_t at = 0; at < LINE; at += WORD) cells[at / WORD] = hw_check_line_ref(line, entries, plane, at);
    line->planes[plane].cells = cells;
    line->cell_bytes[plane] = WORD;
    return true;
}

bool hw_check_line_split(hw_check_line *line, hw_check_cells *c, const hw_check_entries *entries,
                         hw_check_plane plane, uint32_t cell_bytes) {
    hw_check_ref refs[LINE];
    const uint32_t old = line->cell_bytes[plane];
    if (old && old <= cell_bytes) return true;
    if (cell_bytes == WORD) return make_words(line, c, entries, plane);
    bytes_of(line, entries, plane, refs);
    return make_bytes(line, c, plane, refs);
}

void hw_check_line_join(hw_check_line *line, hw_check_cells *c, hw_check_plane plane, hw_check_ref ref) {
    give_plane(line, c, plane);
    line->planes[plane].cells = NULL;
    line->planes[plane].whole = ref;
    line->cell_bytes[plane] = 0;
    line->is_wide[plane] = false;
}

static bool are_none(const hw_check_line *line, hw_check_plane plane) {
    hw_check_ref any = 0;
    for (uint32_t at = 0; at < LINE && !any; at++) any = hw_check_line_byte(line, plane, at);
    return !any;
}

// Bytes that each thread reads and writes, one after the other, leave no readers, but would leave their cells.
void hw_check_line_clear(hw_check_line *line, hw_check_cells *c, const hw_check_entries *entries, hw_check_plane plane,
                         uint32_t from, uint32_t to) {
    if (!hw_check_line_split(line, c, entries, plane, (from | to) % WORD ? 1 : WORD)) return;
    hw_check_ref *cells = line->planes[plane].cells;
    if (line->cell_bytes[plane] == WORD) {
        memset(&cells[from / WORD], 0, (to - from) / WORD * sizeof *cells);
        return;
    }
    for (uint32_t at = from; at < to; at++) hw_check_line_put_byte(line, c, plane, at, 0);
    if (are_none(line, plane)) hw_check_line_join(line, c, plane, 0);
}

void hw_check_line_forget(hw_check_line *line, hw_check_cells *c) {
    for (int p = 0; p < PLANES; p++) hw_check_line_join(line, c, (hw_check_plane)p, 0);
    *line = (hw_check_line){0};
}

// ---- sweeping ----

// All references of a plane: where they are, or of bytes in `room`.
static uint32_t refs_of(hw_check_line *line, hw_check_plane plane, hw_check_ref room[LINE], hw_check_ref **refs) {
    const uint32_t cell_bytes = line->cell_bytes[plane];
    *refs = cell_bytes == 1 ? room : cell_bytes ? line->planes[plane].cells : &line->planes[plane].whole;
    for (uint32_t at = 0; cell_bytes == 1 && at < LINE; at++) room[at] = hw_check_line_byte(line, plane, at);
    return cell_bytes ? LINE / cell_bytes : 1;
}

void hw_check_lines_mark(const hw_check_line *lines, uint32_t n, hw_check_entries *entries, hw_check_ref below) {
    for (uint32_t i = 0; i < n; i++) {
        for (int p = 0; p < PLANES && (lines[i].newest_write | lines[i].newest_read); p++) {
            hw_check_ref *refs, room[LINE];
            const uint32_t n_refs = refs_of((hw_check_line *)(uintptr_t)&lines[i], (hw_check_plane)p, room, &refs);
            for (uint32_t k = 0; k < n_refs; k++)
                if (refs[k] >= below) hw_check_entries_mark(entries, refs[k]);
        }
    }
}

// Bytes are put back by themselves: what they are above the plane's base has changed, so that it may be another one.
static hw_check_ref move_plane(hw_check_line *line, hw_check_cells *c, hw_check_plane plane,
                               const hw_check_entries *entries, hw_check_ref below) {
    hw_check_ref *refs, room[LINE], newest = 0;
    const uint32_t n = refs_of(line, plane, room, &refs);
    for (uint32_t k = 0; k < n; k++) {
        refs[k] = refs[k] < below ? 0 : hw_check_entries_moved(entries, refs[k]);
        newest = refs[k] > newest ? refs[k] : newest;
    }
    if (refs == room && !make_bytes(line, c, plane, refs)) hw_check_line_join(line, c, plane, 0);
    return newest ? newest | ((1u << HW_CHECK_REF_BITS) - 1) : 0;
}

void hw_check_lines_move(hw_check_line *lines, uint32_t n, hw_check_cells *c, const hw_check_entries *entries,
                         hw_check_ref below) {
    for (uint32_t i = 0; i < n; i++) {
        hw_check_line *line = &lines[i];
        if (!line->newest_write && !line->newest_read) continue;    // nobody has touched it
        line->newest_write = move_plane(line, c, HW_CHECK_WRITE, entries, below);
        const hw_check_ref read = move_plane(line, c, HW_CHECK_READ, entries, below);
        const hw_check_ref before = move_plane(line, c, HW_CHECK_READ_BEFORE, entries, below);
        line->newest_read = read > before ? read : before;
        line->settled_since = 0;
    }
}

// ---- device memory ----

static hw_check_page **bucket_of(const hw_check_shadow *s, uint64_t number) {
    return &s->buckets[hw_mix_word(0, number) >> 20 & (s->n_buckets - 1)];
}

static bool make_buckets(hw_check_shadow *s) {
    if (s->n_pages < s->n_buckets) return true;
    hw_check_shadow bigger = {.n_buckets = s->n_buckets ? 4 * s->n_buckets : 256};
    bigger.buckets = hw_calloc(bigger.n_buckets, sizeof *bigger.buckets);
    if (!bigger.buckets) return s->n_buckets != 0;
    for (uint32_t i = 0; i < s->n_buckets; i++) {
        for (hw_check_page *page = s->buckets[i], *next; page; page = next) {
            hw_check_page **bucket = bucket_of(&bigger, page->number);
            next = page->next;
            page->next = *bucket;
            *bucket = page;
        }
    }
    hw_free(s->buckets);
    s->buckets = bigger.buckets;
    s->n_buckets = bigger.n_buckets;
    return true;
}

static hw_check_page *find_page(const hw_check_shadow *s, uint64_t number) {
    hw_check_page *page = s->n_buckets ? *bucket_of(s, number) : NULL;
    while (page && page->number != number) page = page->next;
    return page;
}

static hw_check_page *make_page(hw_check_shadow *s, uint64_t number) {
    hw_check_page *page = make_buckets(s) ? take_bytes(&s->cells, sizeof *page) : NULL;
    if (!page) return NULL;
    hw_check_page **bucket = bucket_of(s, number);
    page->number = number;
    page->next = *bucket;
    *bucket = page;
    s->n_pages++;
    return page;
}

hw_check_line *hw_check_shadow_find(hw_check_shadow *s, uint64_t address) {
    const uint64_t number = address / PAGE_BYTES;
    const uint32_t place = number % (sizeof s->recent / sizeof *s->recent);
    hw_check_page *page = find_page(s, number);
    if (!page) page = make_page(s, number);
    if (!page) return NULL;
    s->recent[place].number = number + 1;
    s->recent[place].page = page;
    return &page->lines[address % PAGE_BYTES / LINE];
}

static bool have_bytes(const hw_check_line *line) {
    bool have = false;
    for (int p = 0; p < PLANES; p++) have |= line->cell_bytes[p] == 1;
    return have;
}

bool hw_check_shadow_has_bytes(const hw_check_shadow *s, uint64_t address, uint64_t bytes) {
    bool has = false;
    for (uint64_t at = address, next; s->cells.n_of_bytes && at < address + bytes && !has; at = next) {
        const hw_check_page *page = find_page(s, at / PAGE_BYTES);
        next = page ? (at / LINE + 1) * LINE : (at / PAGE_BYTES + 1) * PAGE_BYTES;
        has = page && have_bytes(&page->lines[at % PAGE_BYTES / LINE]);
    }
    return has;
}

void hw_check_shadow_forget(hw_check_shadow *s, uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    while (address < end) {
        const uint64_t page_end = (address / PAGE_BYTES + 1) * PAGE_BYTES, until = end < page_end ? end : page_end;
        hw_check_page *page = find_page(s, address / PAGE_BYTES);
        for (uint64_t at = address; page && at < until; at += LINE)
            hw_check_line_forget(&page->lines[at % PAGE_BYTES / LINE], &s->cells);
        address = page_end;
    }
}

void hw_check_shadow_mark(const hw_check_shadow *s, hw_check_entries *entries) {
    for (uint32_t i = 0; i < s->n_buckets; i++)
        for (const hw_check_page *page = s->buckets[i]; page; page = page->next)
            hw_check_lines_mark(page->lines, PAGE_LINES, entries, 0);
}

void hw_check_shadow_move(hw_check_shadow *s, const hw_check_entries *entries) {
    for (uint32_t i = 0; i < s->n_buckets; i++)
        for (hw_check_page *page = s->buckets[i]; page; page = page->next)
            hw_check_lines_move(page->lines, PAGE_LINES, &s->cells, entries, 0);
}

void hw_check_shadow_free(hw_check_shadow *s) {
    hw_free(s->buckets);
    hw_check_cells_free(&s->cells);
    memset(s, 0, sizeof *s);
}
