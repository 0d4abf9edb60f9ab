// Which bytes of device memory hold a value that somebody has given them, and where what is undefined comes from.
//
// A byte has eight bits of shadow, 1 for a bit that is undefined. Memory is followed from hw_defined_follow to
// hw_defined_forget; all other memory counts as defined, whatever is put there: the host writes it unseen. Memory that
// is all defined or all undefined costs a pointer for each 16 KiB, other memory as many bytes as it has, and as many
// again where what is undefined has been put there by somebody.
//
// One thread at a time.
#ifndef HW_MEM_DEFINED_H
#define HW_MEM_DEFINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hw_defined hw_defined;

// Where an undefined value comes from: the owner of the numbers knows. 0: memory that nobody has written. The bit says
// that it is more than bytes that were moved: something was computed from it, or it is a whole variable (event.h).
typedef uint32_t hw_origin;
#define HW_ORIGIN_COUNTS 0x80000000u

hw_defined *hw_defined_create(void);     // NULL: no memory
void hw_defined_destroy(hw_defined *defined);     // NULL is allowed

// False: no memory; the bytes are taken to be defined then.
bool hw_defined_follow(hw_defined *defined, uint64_t address, uint64_t bytes, bool is_defined);
void hw_defined_forget(hw_defined *defined, uint64_t address, uint64_t bytes);

void hw_defined_forget_all(hw_defined *defined);

bool hw_defined_is_followed(const hw_defined *defined, uint64_t address);
// Is each bit of these bytes defined?
bool hw_defined_is(const hw_defined *defined, uint64_t address, uint64_t bytes);
// The first byte of them with an undefined bit, and its origin; false: there is none. counts: with an origin that has
// HW_ORIGIN_COUNTS.
bool hw_defined_find(const hw_defined *defined, uint64_t address, uint64_t bytes, bool counts, uint64_t *found,
                     hw_origin *origin);
// Is no byte of them wholly defined?
bool hw_defined_is_untouched(const hw_defined *defined, uint64_t address, uint64_t bytes);

// The shadow of these bytes; returns the origin of one that is undefined.
hw_origin hw_defined_get(const hw_defined *defined, uint64_t address, uint32_t bytes, uint8_t *shadow);
void hw_defined_put(hw_defined *defined, uint64_t address, uint32_t bytes, const uint8_t *shadow, hw_origin origin);
// They have been written.
void hw_defined_set(hw_defined *defined, uint64_t address, uint64_t bytes);
// As memmove.
void hw_defined_copy(hw_defined *defined, uint64_t to, uint64_t from, uint64_t bytes);

// ---- for callers with many addresses ----

enum { HW_DEFINED_PAGE_BITS = 14, HW_DEFINED_TABLE_BITS = 18, HW_DEFINED_TOP_BITS = 16 };
typedef struct hw_defined_page hw_defined_page;
struct hw_defined_page {
    uint32_t n_undefined;            // bytes with an undefined bit
    hw_origin *origins;              // of each 4 bytes, where there are any
    uint8_t *shadow;                 // NULL: no bytes are to be written here
};
// 4 GiB of addresses.
typedef struct hw_defined_table {
    hw_defined_page *pages[1 << HW_DEFINED_TABLE_BITS];
    uint64_t has_undefined[(1 << HW_DEFINED_TABLE_BITS) / 64];    // a bit for each page that has an undefined bit
} hw_defined_table;
struct hw_defined {
    uint32_t n_origins;              // given so far, by whoever gives them
    uint32_t n_undefined;            // pages that have an undefined bit
    bool ran_out;                    // of memory: bytes that have been written since may count as undefined still, and
                                     // undefined ones as defined
    hw_defined_table *tables[1 << HW_DEFINED_TOP_BITS];
};

static inline const hw_defined_table *hw_defined_table_of(const hw_defined *defined, uint64_t address) {
    const uint64_t number = address >> (HW_DEFINED_PAGE_BITS + HW_DEFINED_TABLE_BITS);
    return defined->tables[number & ((1 << HW_DEFINED_TOP_BITS) - 1)];
}

// NULL: all of it is defined. address: below 2^48, as all are.
static inline const hw_defined_page *hw_defined_page_of(const hw_defined *defined, uint64_t address) {
    const hw_defined_table *table = hw_defined_table_of(defined, address);
    const hw_defined_page *page =
        table ? table->pages[address >> HW_DEFINED_PAGE_BITS & ((1 << HW_DEFINED_TABLE_BITS) - 1)] : NULL;
    return page && page->n_undefined ? page : NULL;
}

// Is each page from the first byte's to the last one's defined as a whole? false: perhaps not; of more than
// HW_DEFINED_FAR_BYTES nobody looks. Cost: a word for each MiB.
#define HW_DEFINED_FAR_BYTES ((uint64_t)1 << 28)
static inline bool hw_defined_are_pages(const hw_defined *defined, uint64_t first, uint64_t last) {
    const uint64_t begin = first >> HW_DEFINED_PAGE_BITS, end = last >> HW_DEFINED_PAGE_BITS;
    const hw_defined_table *table = hw_defined_table_of(defined, first);
    const uint32_t from = begin & ((1 << HW_DEFINED_TABLE_BITS) - 1), to = end & ((1 << HW_DEFINED_TABLE_BITS) - 1);
    if (last - first > HW_DEFINED_FAR_BYTES || hw_defined_table_of(defined, last) != table) return false;
    if (!table) return true;
    const uint64_t of_first = ~(uint64_t)0 << from % 64, of_last = ~(uint64_t)0 >> (63 - to % 64);
    if (from / 64 == to / 64) return !(table->has_undefined[from / 64] & of_first & of_last);
    uint64_t any = (table->has_undefined[from / 64] & of_first) | (table->has_undefined[to / 64] & of_last);
    for (uint32_t word = from / 64 + 1; word < to / 64; word++) any |= table->has_undefined[word];
    return !any;
}

#endif
