#include "check/shadow.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mix.h"

enum { LINE = HW_CHECK_LINE_BYTES, WORD = HW_CHECK_WORD_BYTES, PAGE_BYTES = 1 << 16, PAGE_LINES = PAGE_BYTES / LINE };

struct hw_check_page {
    hw_check_page *next;
    uint64_t number;
    hw_check_line lines[PAGE_LINES];
};

// ---- a line ----

// The reference of the byte `offset` behind where ref is for, in a cell that lanes access side by side.
static hw_check_ref shift_ref(const hw_check_entries *entries, hw_check_ref ref, uint32_t offset) {
    const hw_check_entry *e = hw_check_entry_of(entries, ref);
    return !ref || e->is_many || e->is_host ? ref : ref + offset / e->width_bytes;
}

static hw_check_cell shift_cell(const hw_check_entries *entries, const hw_check_cell *cell, uint32_t offset) {
    return (hw_check_cell){shift_ref(entries, cell->write, offset),
                           {shift_ref(entries, cell->reads[0], offset), shift_ref(entries, cell->reads[1], offset)}};
}

// Gives the line cells of so many bytes, in place of larger ones.
static bool split_line(hw_check_line *line, const hw_check_entries *entries, uint32_t cell_bytes) {
    hw_check_cell *cells = hw_calloc(LINE / cell_bytes, sizeof *cells);
    if (!cells) return false;
    for (uint32_t at = 0; at < LINE; at += cell_bytes) {
        const uint32_t old = line->cell_bytes;
        const hw_check_cell *from = old ? &line->cells[at / old] : &line->whole;
        cells[at / cell_bytes] = shift_cell(entries, from, old ? at % old : at);
    }
    hw_free(line->cells);
    line->cells = cells;
    line->cell_bytes = (uint8_t)cell_bytes;
    line->whole = (hw_check_cell){0};
    return true;
}

hw_check_piece hw_check_line_piece(hw_check_line *line, const hw_check_entries *entries, uint32_t from, uint32_t to,
                                   uint32_t unit_bytes) {
    const bool is_whole = from == 0 && to == LINE && unit_bytes == LINE;
    if (!line->cell_bytes && is_whole) return (hw_check_piece){&line->whole, 1, LINE};
    const bool has_words = !(from % WORD) && !(to % WORD) && unit_bytes >= WORD;
    const uint32_t wanted = has_words ? WORD : 1;
    if (!line->cell_bytes || line->cell_bytes > wanted)
        if (!split_line(line, entries, wanted)) return (hw_check_piece){0};
    const uint32_t bytes = line->cell_bytes;
    const int bits = bytes == WORD ? 2 : 0;
    return (hw_check_piece){&line->cells[from >> bits], (to - from) >> bits, bytes};
}

void hw_check_line_forget(hw_check_line *line) {
    hw_free(line->cells);
    *line = (hw_check_line){0};
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
    hw_check_page *page = make_buckets(s) ? hw_calloc(1, sizeof *page) : NULL;
    if (!page) return NULL;
    hw_check_page **bucket = bucket_of(s, number);
    page->number = number;
    page->next = *bucket;
    *bucket = page;
    s->n_pages++;
    return page;
}

hw_check_line *hw_check_shadow_line(hw_check_shadow *s, uint64_t address) {
    const uint64_t number = address / PAGE_BYTES;
    hw_check_page **recent = &s->recent[number % (sizeof s->recent / sizeof *s->recent)];
    if (!*recent || (*recent)->number != number) {
        hw_check_page *page = find_page(s, number);
        if (!page) page = make_page(s, number);
        if (!page) return NULL;
        *recent = page;
    }
    return &(*recent)->lines[address % PAGE_BYTES / LINE];
}

void hw_check_shadow_forget(hw_check_shadow *s, uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    while (address < end) {
        const uint64_t page_end = (address / PAGE_BYTES + 1) * PAGE_BYTES, until = end < page_end ? end : page_end;
        hw_check_page *page = find_page(s, address / PAGE_BYTES);
        for (uint64_t at = address; page && at < until; at += LINE)
            hw_check_line_forget(&page->lines[at % PAGE_BYTES / LINE]);
        address = page_end;
    }
}

static void mark_cell(const hw_check_cell *cell, hw_check_entries *entries) {
    hw_check_entries_mark(entries, cell->write);
    hw_check_entries_mark(entries, cell->reads[0]);
    hw_check_entries_mark(entries, cell->reads[1]);
}

void hw_check_lines_mark(const hw_check_line *lines, uint32_t n, hw_check_entries *entries) {
    for (uint32_t i = 0; i < n; i++) {
        const hw_check_line *line = &lines[i];
        mark_cell(&line->whole, entries);
        for (uint32_t k = 0; line->cell_bytes && k < (uint32_t)LINE / line->cell_bytes; k++)
            mark_cell(&line->cells[k], entries);
    }
}

void hw_check_shadow_mark(const hw_check_shadow *s, hw_check_entries *entries) {
    for (uint32_t i = 0; i < s->n_buckets; i++)
        for (const hw_check_page *page = s->buckets[i]; page; page = page->next)
            hw_check_lines_mark(page->lines, PAGE_LINES, entries);
}

void hw_check_shadow_free(hw_check_shadow *s) {
    for (uint32_t i = 0; i < s->n_buckets; i++) {
        for (hw_check_page *page = s->buckets[i], *next; page; page = next) {
            next = page->next;
            for (int k = 0; k < PAGE_LINES; k++) hw_free(page->lines[k].cells);
            hw_free(page);
        }
    }
    hw_free(s->buckets);
    memset(s, 0, sizeof *s);
}
