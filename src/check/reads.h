// Memory that a launch only reads.
//
// Where all that a launch writes is known to lie in other allocations (hw_homes), no access of the launch can be a race
// with its own reads of one. What comes later is then in the same order with all its readers, so that one reader of
// each byte is enough: the first. These stand in an array of the allocation, and lines of shadow memory know nothing of
// them; whoever reads the same again finds that out from a bit for each word (a byte, where bytes are read). It is so
// for launches that all earlier work comes before. Others, and strong reads, go through lines.
//
// What lanes read apart is listed in the order in which it is read, and nobody asks whether it has been read before: in
// the array, and among the bits, each word would be in another page. It goes there when somebody asks for a reader, or
// the list is full; what the launch reads after that is asked about. Mostly the host waits for the launch first, and
// nobody will want to know.
//
// A store that leaves its own allocation, or is made by a function that no module defines, may come nevertheless. It is
// compared with the first readers, and reads behind it go through lines.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_READS_H
#define HW_CHECK_READS_H

#include "check/entries.h"
#include "check/runs.h"
#include "event/event.h"

typedef struct hw_check hw_check;
typedef struct hw_check_block hw_check_block;

// Of each half row: cells side by side that neighbouring lanes have read by one instruction, bits; and the reference of
// the first of them.
typedef struct hw_check_stretches {
    hw_check_ref *refs;
    uint16_t *cells;
} hw_check_stretches;

// Of one allocation.
typedef struct hw_check_reads {
    uint64_t begin, bytes;
    hw_check_ref *first;             // of each cell: a reader in the newest launch that read it alone; 0: nobody
    hw_check_stretches long_ones, others;    // of two stretches of a half row, and `first`, the newest reader counts
    uint32_t *seen;                  // of each row, a bit a cell: the running launch has read it
    uint8_t *state;                  // of each HW_CHECK_READS_CHUNK cells: HAS_ANY, IS_SEEN
    uint32_t n_cells, cell_bits;     // cells are of 1 or 4 bytes
    uint32_t n_unseen;               // cells that the running launch has not read
    // Of lanes apart, not in `first` yet: a reference to lane 0, the lanes, and the cell of each.
    uint32_t *listed;
    uint32_t n_listed, listed_capacity;    // words
    bool was_full;                   // in the running launch
    hw_check_ref newest_listed;      // none of them is above it
} hw_check_reads;
enum { HW_CHECK_READS_CHUNK = 1024, HW_CHECK_READS_ROW = 32, HW_CHECK_READS_HALF = 16 };
enum { HW_CHECK_READS_HAS_ANY = 1, HW_CHECK_READS_IS_SEEN = 2 };    // first: some are not 0; seen: likewise

typedef struct hw_check_all_reads {
    hw_check_reads **items;
    size_t n, capacity;
    hw_check_ref newest;             // no reader is above it
    bool may_meet;                   // what is done now may be in no order with some of them
    // The running launch.
    hw_check_reads **of_set;         // by number of a set of homes: what is only read; or NULL
} hw_check_all_reads;

// A launch whose homes, notes and floor are known begins; and ends.
void hw_check_reads_begin(hw_check *check);
void hw_check_reads_end(hw_check *check);
// What the running launch only reads by this instruction; NULL: this is not known.
hw_check_reads *hw_check_reads_of(const hw_check *check, const hw_access *access);
// Notes down that n warps of the block read it, whose bases are these. runs: of the pattern, or NULL. false: it has to
// go through lines.
bool hw_check_reads_add(hw_check *check, hw_check_reads *reads, hw_check_block *block, const hw_access *first,
                        uint32_t n, const uint64_t *bases, const hw_check_runs *runs);
// The launch writes where it was not known to.
void hw_check_reads_stray(hw_check *check);
// What is listed goes to the array, for hw_check_reads_first.
void hw_check_reads_settle(hw_check_reads *reads);
// Of a cell; 0: nobody.
hw_check_ref hw_check_reads_first(const hw_check *check, const hw_check_reads *reads, uint64_t cell);
// Nobody has read the cell.
void hw_check_reads_clear(hw_check *check, hw_check_reads *reads, uint64_t cell);
// Nothing is known of these bytes any more.
void hw_check_reads_forget(hw_check *check, uint64_t address, uint64_t bytes);

// For hw_check_entries_sweep, before and after.
void hw_check_reads_mark(hw_check *check);
void hw_check_reads_move(hw_check *check);
void hw_check_reads_free(hw_check *check);

#endif
