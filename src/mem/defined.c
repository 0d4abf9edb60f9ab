// A table of pages, as processors have them. Pages that are all defined, or all undefined, are two that all share.
#include "mem/defined.h"

#include <string.h>

#include "base/alloc.h"

enum { PAGE_BYTES = 1 << HW_DEFINED_PAGE_BITS, TABLE_PAGES = 1 << HW_DEFINED_TABLE_BITS, WORD = 4, UNDEFINED = 0xff };

static hw_defined_page all_defined, all_undefined = {.n_undefined = PAGE_BYTES};

hw_defined *hw_defined_create(void) { return hw_calloc(1, sizeof(hw_defined)); }

static bool is_shared(const hw_defined_page *page) { return page == &all_defined || page == &all_undefined; }

static void free_page(hw_defined_page *page) {
    if (!page || is_shared(page)) return;
    hw_free(page->origins);
    hw_free(page->shadow);
    hw_free(page);
}

void hw_defined_forget_all(hw_defined *defined) {
    for (uint32_t t = 0; t < 1u << HW_DEFINED_TOP_BITS; t++) {
        for (uint32_t i = 0; defined->tables[t] && i < TABLE_PAGES; i++) free_page(defined->tables[t]->pages[i]);
        hw_free_aligned(defined->tables[t]);
        defined->tables[t] = NULL;
    }
    defined->n_undefined = 0;
}

void hw_defined_destroy(hw_defined *defined) {
    if (defined) hw_defined_forget_all(defined);
    hw_free(defined);
}

// ---- pages ----------------------------------------------------------------------------------------------------------

static hw_defined_table **table_of(hw_defined *defined, uint64_t address) {
    const uint64_t number = address >> (HW_DEFINED_PAGE_BITS + HW_DEFINED_TABLE_BITS);
    return &defined->tables[number & ((1u << HW_DEFINED_TOP_BITS) - 1)];
}

static uint32_t number_of(uint64_t address) { return address >> HW_DEFINED_PAGE_BITS & (TABLE_PAGES - 1); }

// Where the page of an address stands; NULL: no memory there is followed.
static hw_defined_page **entry_of(hw_defined *defined, uint64_t address) {
    hw_defined_table *table = *table_of(defined, address);
    return table ? &table->pages[number_of(address)] : NULL;
}

static const hw_defined_page *page_at(const hw_defined *defined, uint64_t address) {
    const hw_defined_table *table = hw_defined_table_of(defined, address);
    return table ? table->pages[number_of(address)] : NULL;
}

static hw_defined_page **make_entry(hw_defined *defined, uint64_t address) {
    hw_defined_table **table = table_of(defined, address);
    if (!*table) *table = hw_alloc_lanes(sizeof **table);
    return entry_of(defined, address);
}

// After the page of an address has been changed: has it an undefined bit?
static void settle(hw_defined *defined, uint64_t address) {
    hw_defined_table *table = *table_of(defined, address);
    const uint32_t number = number_of(address);
    const hw_defined_page *page = table->pages[number];
    const uint64_t bit = (uint64_t)1 << number % 64;
    const bool has = page && page->n_undefined, had = table->has_undefined[number / 64] & bit;
    if (has == had) return;
    table->has_undefined[number / 64] ^= bit;
    if (has) defined->n_undefined++;
    else defined->n_undefined--;
}

// A page whose bytes can be written, in place of one that all share, or of none. NULL: no memory.
static hw_defined_page *own_page(hw_defined_page **entry) {
    hw_defined_page *old = *entry;
    if (old && !is_shared(old)) return old;
    hw_defined_page *page = hw_calloc(1, sizeof *page);
    uint8_t *shadow = page ? hw_malloc(PAGE_BYTES) : NULL;
    if (!shadow) {
        hw_free(page);
        return NULL;
    }
    memset(shadow, old == &all_undefined ? UNDEFINED : 0, PAGE_BYTES);
    *page = (hw_defined_page){.n_undefined = old ? old->n_undefined : 0, .shadow = shadow};
    *entry = page;
    return page;
}

// A page all of whose bytes are alike needs none of its own.
static void give_back(hw_defined_page **entry) {
    hw_defined_page *page = *entry;
    if (is_shared(page) || page->n_undefined) return;
    free_page(page);
    *entry = &all_defined;
}

static uint32_t count_undefined(const uint8_t *shadow, uint32_t bytes) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < bytes; i++) n += shadow[i] != 0;
    return n;
}

static hw_origin origin_in(const hw_defined_page *page, uint32_t offset) {
    return page->origins ? page->origins[offset / WORD] : 0;
}

// ---- pieces of pages ------------------------------------------------------------------------------------------------

// All bytes of one piece become alike.
static bool fill_piece(hw_defined_page **entry, uint32_t offset, uint32_t bytes, uint8_t value) {
    hw_defined_page *whole = value ? &all_undefined : &all_defined;
    if (*entry == whole) return true;
    if (bytes == PAGE_BYTES) {
        free_page(*entry);
        *entry = whole;
        return true;
    }
    hw_defined_page *page = own_page(entry);
    if (!page) return false;
    page->n_undefined -= count_undefined(page->shadow + offset, bytes);
    memset(page->shadow + offset, value, bytes);
    if (value) page->n_undefined += bytes;
    if (value && page->origins)
        memset(page->origins + offset / WORD, 0, ((offset + bytes - 1) / WORD - offset / WORD + 1) * sizeof(hw_origin));
    give_back(entry);
    return true;
}

static bool put_piece(hw_defined_page **entry, uint32_t offset, uint32_t bytes, const uint8_t *shadow,
                      hw_origin origin) {
    const uint32_t n = count_undefined(shadow, bytes);
    if (!n && *entry == &all_defined) return true;
    hw_defined_page *page = own_page(entry);
    if (!page) return false;
    page->n_undefined += n - count_undefined(page->shadow + offset, bytes);
    memcpy(page->shadow + offset, shadow, bytes);
    if (n && origin && !page->origins) page->origins = hw_calloc(PAGE_BYTES / WORD, sizeof *page->origins);
    for (uint32_t word = offset / WORD; n && page->origins && word <= (offset + bytes - 1) / WORD; word++)
        page->origins[word] = origin;
    give_back(entry);
    return true;
}

static uint64_t piece_bytes(uint64_t address, uint64_t end) {
    const uint64_t left = PAGE_BYTES - (address & (PAGE_BYTES - 1));
    return end - address < left ? end - address : left;
}

// For each piece of [address, end) that lies in one page: n bytes from address on.
#define EACH_PIECE(address, end)                                                                                       \
    for (uint64_t n = 0; (address) < (end) && (n = piece_bytes(address, end)) != 0; (address) += n)

static uint32_t offset_of(uint64_t address) { return (uint32_t)(address & (PAGE_BYTES - 1)); }

// ---- following ------------------------------------------------------------------------------------------------------

bool hw_defined_follow(hw_defined *defined, uint64_t address, uint64_t bytes, bool is_defined) {
    const uint64_t end = address + bytes;
    bool good = true;
    EACH_PIECE(address, end) {
        hw_defined_page **entry = make_entry(defined, address);
        if (entry && !*entry) *entry = &all_defined;
        good &= entry && fill_piece(entry, offset_of(address), (uint32_t)n, is_defined ? 0 : UNDEFINED);
        if (entry) settle(defined, address);
    }
    return good;
}

// A page may have others' memory as well, which stays followed.
void hw_defined_forget(hw_defined *defined, uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    EACH_PIECE(address, end) {
        hw_defined_page **entry = entry_of(defined, address);
        if (!entry || !*entry) continue;
        fill_piece(entry, offset_of(address), (uint32_t)n, 0);
        if (n == PAGE_BYTES) *entry = NULL;
        settle(defined, address);
    }
}

bool hw_defined_is_followed(const hw_defined *defined, uint64_t address) { return page_at(defined, address) != NULL; }

// ---- asking ---------------------------------------------------------------------------------------------------------

static bool is_piece_defined(const hw_defined_page *page, uint32_t offset, uint64_t bytes) {
    if (!page || !page->n_undefined) return true;
    return page->shadow && !count_undefined(page->shadow + offset, (uint32_t)bytes);
}

bool hw_defined_is(const hw_defined *defined, uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    bool is_defined = true;
    EACH_PIECE(address, end) is_defined &= is_piece_defined(page_at(defined, address), offset_of(address), n);
    return is_defined;
}

// The first undefined byte of a piece, by its offset in the page; PAGE_BYTES: there is none.
static uint32_t find_in_piece(const hw_defined_page *page, uint32_t offset, uint32_t bytes, bool counts) {
    const uint32_t end = offset + bytes;
    if (!page || !page->n_undefined || (counts && !page->origins)) return PAGE_BYTES;
    if (!page->shadow) return offset;
    while (offset < end && !(page->shadow[offset] && (!counts || origin_in(page, offset) & HW_ORIGIN_COUNTS))) offset++;
    return offset < end ? offset : PAGE_BYTES;
}

bool hw_defined_find(const hw_defined *defined, uint64_t address, uint64_t bytes, bool counts, uint64_t *found,
                     hw_origin *origin) {
    const uint64_t end = address + bytes;
    EACH_PIECE(address, end) {
        const hw_defined_page *page = page_at(defined, address);
        const uint32_t offset = find_in_piece(page, offset_of(address), (uint32_t)n, counts);
        if (offset == PAGE_BYTES) continue;
        *found = address - offset_of(address) + offset;
        *origin = origin_in(page, offset);
        return true;
    }
    return false;
}

static bool is_piece_untouched(const hw_defined_page *page, uint32_t offset, uint32_t bytes) {
    if (!page || !page->n_undefined) return false;
    return !page->shadow || count_undefined(page->shadow + offset, bytes) == bytes;
}

bool hw_defined_is_untouched(const hw_defined *defined, uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    bool is_untouched = bytes != 0;
    EACH_PIECE(address, end)
        is_untouched = is_untouched && is_piece_untouched(page_at(defined, address), offset_of(address), (uint32_t)n);
    return is_untouched;
}

// ---- reading and writing --------------------------------------------------------------------------------------------

static hw_origin get_piece(const hw_defined_page *page, uint32_t offset, uint32_t bytes, uint8_t *shadow) {
    if (page && page->shadow) memcpy(shadow, page->shadow + offset, bytes);
    else memset(shadow, page && page->n_undefined ? UNDEFINED : 0, bytes);
    const uint32_t first = find_in_piece(page, offset, bytes, false);
    return first == PAGE_BYTES ? 0 : origin_in(page, first);
}

hw_origin hw_defined_get(const hw_defined *defined, uint64_t address, uint32_t bytes, uint8_t *shadow) {
    const uint64_t end = address + bytes;
    hw_origin origin = 0;
    EACH_PIECE(address, end) {
        const hw_origin of_piece = get_piece(page_at(defined, address), offset_of(address), (uint32_t)n, shadow);
        if (!origin) origin = of_piece;
        shadow += n;
    }
    return origin;
}

// A piece that lies in one page.
static void fill(hw_defined *defined, uint64_t address, uint32_t bytes, uint8_t value) {
    hw_defined_page **entry = entry_of(defined, address);
    if (!entry || !*entry) return;
    if (!fill_piece(entry, offset_of(address), bytes, value)) defined->ran_out = true;
    settle(defined, address);
}

void hw_defined_put(hw_defined *defined, uint64_t address, uint32_t bytes, const uint8_t *shadow, hw_origin origin) {
    const uint64_t end = address + bytes;
    EACH_PIECE(address, end) {
        hw_defined_page **entry = entry_of(defined, address);
        shadow += n;
        if (!entry || !*entry) continue;
        if (!put_piece(entry, offset_of(address), (uint32_t)n, shadow - n, origin)) defined->ran_out = true;
        settle(defined, address);
    }
}

void hw_defined_set(hw_defined *defined, uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    EACH_PIECE(address, end) fill(defined, address, (uint32_t)n, 0);
}

static void copy_word(hw_defined *defined, uint64_t to, uint64_t from, uint32_t bytes) {
    uint8_t shadow[WORD];
    const hw_origin origin = hw_defined_get(defined, from, bytes, shadow);
    hw_defined_put(defined, to, bytes, shadow, origin);
}

// Words one by one, from the end that is not overwritten before it is read.
static void copy_words(hw_defined *defined, uint64_t to, uint64_t from, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes; done += WORD) {
        const uint32_t n = bytes - done < WORD ? (uint32_t)(bytes - done) : WORD;
        const uint64_t at = to <= from ? done : bytes - done - n;
        copy_word(defined, to + at, from + at, n);
    }
}

static void leave_undefined(hw_defined *defined, uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    EACH_PIECE(address, end) fill(defined, address, (uint32_t)n, UNDEFINED);
}

static void copy_piece(hw_defined *defined, uint64_t to, uint64_t from, uint64_t bytes) {
    const hw_defined_page *page = page_at(defined, from);
    if (is_piece_defined(page, offset_of(from), bytes)) hw_defined_set(defined, to, bytes);
    else if (page == &all_undefined) leave_undefined(defined, to, bytes);
    else copy_words(defined, to, from, bytes);
}

void hw_defined_copy(hw_defined *defined, uint64_t to, uint64_t from, uint64_t bytes) {
    const uint64_t end = from + bytes;
    if (to - from < bytes || from - to < bytes) {
        if (hw_defined_is(defined, from, bytes)) hw_defined_set(defined, to, bytes);
        else copy_words(defined, to, from, bytes);
        return;
    }
    EACH_PIECE(from, end) {
        copy_piece(defined, to, from, n);
        to += n;
    }
}
