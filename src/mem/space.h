// The addresses that the GPUs of a process share (unified virtual addressing): no two of them give out the same one.
// Internal to mem/.
//
// The span is two ranges of equal size. The first has the addresses of what only kernels may touch: no access, and the
// bytes lie in its backing, a constant distance away. (One file mapped twice would do the same, but shared memory has
// no huge pages on many systems.) The second is for memory that is the host's as well, and lies where its addresses
// say.
//
// Why a map and not a sorted table: kernels look addresses up while others allocate (device-side malloc, tens of
// thousands of blocks), so an insertion must not cost a copy of the table, and a reader must not wait. The first
// level has an entry per 2 MiB chunk. Allocations of 1 MiB and more own whole chunks, which gives them huge pages
// (strided access is bound by address translation otherwise) and keeps their map short; a chunk of small ones
// refers to the second level, an entry per 512 bytes. An entry is the number of a record. Records never move; each
// has a version that is odd while it changes, so that a reader copies it without a lock and knows whether it is whole.
#ifndef HW_MEM_SPACE_H
#define HW_MEM_SPACE_H

#include <pthread.h>
#include <stdatomic.h>

#include "mem/extent.h"
#include "mem/mem.h"
#include "mem/registered.h"

#define HW_SPACE_CHUNK_BYTES ((uint64_t)2 << 20)
#define HW_SPACE_LARGE_BYTES ((uint64_t)1 << 20)
#define HW_SPACE_UNIT ((uint64_t)HW_EXTENT_UNIT_BYTES)
#define HW_SPACE_IN_SMALL_MAP 0xffffffffu         // first-level entry of a chunk of small allocations

// The ranges, by their numbers in the extents.
enum { HW_SPACE_KERNELS_ONLY = 0, HW_SPACE_HOST_TOO = 1 };

// A record of an allocation. Readers copy it while a writer may change it: so its members are atomic.
typedef struct hw_record {
    _Atomic uint64_t version;             // odd while it is being written
    _Atomic uint64_t address, bytes;
    _Atomic uint64_t what;                // kind, HW_RECORD_*, gpu << 10, open_to << 16, flags << 32
    _Atomic(const void *) site, freed_at;
    _Atomic(const char *) name;
    _Atomic uint64_t contents;            // hw_mem_contents, unless all have changed since
    uint64_t charged_bytes;               // counted against the limit
    uint32_t next_quarantined;
} hw_record;

enum { HW_RECORD_USED = 1 << 8, HW_RECORD_FREED = 1 << 9 };
_Static_assert(HW_MEM_GPUS == 16, "a GPU's number has four bits, a set of them sixteen");

// What never changes, and kernels look at: each GPU's memory has a copy of its own.
typedef struct hw_space_map {
    uint64_t start, span_bytes;           // of both ranges
    hw_mem_apart apart;                   // the first range
    _Atomic uint32_t *chunks, *units;     // the two levels
    hw_record *records;                   // by extent number
} hw_space_map;

typedef struct hw_space {
    hw_space_map map;
    hw_extent *extent_items;
    hw_registered *registered;
    bool keeps_apart;                     // hw_mem_keep_apart
    _Atomic uint64_t epoch;
    _Atomic uint64_t changes, all_changed;   // numbers of contents: the last one, and that of all that are older

    pthread_mutex_t watch_lock;           // who is told, of all GPUs; held from a change until it has been told
    atomic_uint n_told;                   // GPUs of whose memory somebody is told

    pthread_mutex_t lock;                 // everything below, and every write to the maps and records
    hw_extents extents;
    uint32_t quarantine_first, quarantine_last, n_quarantined;
    uint64_t quarantined_bytes;
    hw_mem *gpus[HW_MEM_GPUS];            // by number; NULL: it has no memory here
} hw_space;

// Addresses for so many bytes of memory, several times as much; less where the process may not have it. NULL: there are
// none.
hw_space *hw_space_create(uint64_t bytes);
void hw_space_destroy(hw_space *space);

// Writers, under the lock.
void hw_space_write(hw_record *r, const hw_allocation *a, uint32_t state);
void hw_space_map_allocation(hw_space *space, const hw_allocation *a, uint64_t span, uint32_t number);

// An allocation's extent at a multiple of align, found free or taken from those that were freed; 0: there is no room.
uint32_t hw_space_take(hw_space *space, uint64_t bytes, uint64_t align, hw_alloc_kind kind);
// A freed one's addresses are not given out again before those of many others.
void hw_space_quarantine(hw_space *space, uint32_t number);

// A whole copy of a record; false when it is not in use.
bool hw_space_read(const hw_record *r, hw_allocation *out);

static inline bool hw_space_is_large(uint64_t bytes) { return bytes >= HW_SPACE_LARGE_BYTES; }

// The record of the allocation that holds address, or did; 0: none.
static inline uint32_t hw_space_number_at(const hw_space_map *map, uint64_t address) {
    const uint64_t offset = address - map->start;
    if (offset >= map->span_bytes) return 0;
    const uint32_t number = atomic_load_explicit(&map->chunks[offset / HW_SPACE_CHUNK_BYTES], memory_order_acquire);
    if (number != HW_SPACE_IN_SMALL_MAP) return number;
    return atomic_load_explicit(&map->units[offset / HW_SPACE_UNIT], memory_order_acquire);
}

#endif
