// Device memory: one reserved span, a two-level map from address to allocation, a quarantine for what was freed.
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
#define _GNU_SOURCE
#include "base/integers.h"
#include "mem/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "mem/extent.h"
#include "mem/registered.h"
#include "mem/texture.h"

#define CHUNK_BYTES ((uint64_t)2 << 20)
#define LARGE_BYTES ((uint64_t)1 << 20)
#define UNIT ((uint64_t)HW_EXTENT_UNIT_BYTES)
#define MAX_GUARD_BYTES ((uint64_t)64 << 10)
#define LEAST_APART_BYTES ((uint64_t)4 << 10)    // hw_mem_keep_apart
#define MOST_APART_BYTES ((uint64_t)1 << 30)
#define GIVEN_BACK_BYTES ((uint64_t)64 << 10)    // freed allocations of so much keep no pages then
#define IN_SMALL_MAP 0xffffffffu          // first-level entry of a chunk of small allocations

enum { MAX_QUARANTINED = 1 << 15, MAX_QUARANTINED_APART = 1 << 18 };

// A record of an allocation. Readers copy it while a writer may change it: so its members are atomic.
typedef struct record {
    _Atomic uint64_t version;             // odd while it is being written
    _Atomic uint64_t address, bytes;
    _Atomic uint64_t kind_and_flags;      // kind, is_used << 8, is_freed << 9, flags << 32
    _Atomic(const void *) site, freed_at;
    _Atomic(const char *) name;
    _Atomic uint64_t contents;            // hw_mem_contents, unless all have changed since
    uint64_t charged_bytes;               // counted against the limit
    uint32_t next_quarantined;
} record;

enum { RECORD_USED = 1 << 8, RECORD_FREED = 1 << 9 };

// The ranges, by their numbers in the extents.
enum { KERNELS_ONLY = 0, HOST_TOO = 1 };

struct hw_mem {
    uint64_t limit_bytes, start, range_bytes, span_bytes;   // span: of both ranges, from start on
    hw_mem_apart apart;                   // the first range
    int poison;                           // -1: none
    bool keeps_apart;                     // hw_mem_keep_apart
    _Atomic uint32_t *chunk_map, *small_map;
    record *records;                      // by extent number
    hw_extent *extent_items;
    hw_registered *registered;
    hw_textures *textures;
    _Atomic uint64_t epoch, used_bytes, heap_bytes;
    _Atomic uint64_t changes, all_changed;   // numbers of contents: the last one, and that of all that are older

    pthread_mutex_t watch_lock;           // the next two; held from a change until it has been told
    _Atomic(hw_mem_told) told;            // NULL: nobody
    void *told_context;

    pthread_mutex_t lock;                 // everything below, and every write to the maps and records
    hw_extents extents;
    uint32_t quarantine_first, quarantine_last, n_quarantined;
    uint64_t quarantined_bytes;
};

// Address space that costs memory only where it is touched. NULL when there is none.
static void *reserve_address_space(uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static uint64_t chunk_map_bytes(uint64_t span) { return span / CHUNK_BYTES * sizeof(uint32_t); }
static uint64_t small_map_bytes(uint64_t span) { return span / UNIT * sizeof(uint32_t); }

// Reserves address space that begins at a multiple of the chunk, with huge pages: one chunk more is reserved, and the
// ends are given back. 0: there is no space.
static uint64_t reserve_chunks(uint64_t bytes) {
    char *raw = reserve_address_space(bytes + CHUNK_BYTES);
    if (!raw) return 0;
    uint64_t at = (uint64_t)(uintptr_t)raw, start = hw_align_up(at, CHUNK_BYTES);
    if (start > at) munmap(raw, start - at);
    if (start < at + CHUNK_BYTES) munmap((void *)(uintptr_t)(start + bytes), at + CHUNK_BYTES - start);
    madvise((void *)(uintptr_t)start, bytes, MADV_HUGEPAGE);
    madvise((void *)(uintptr_t)start, bytes, MADV_DONTDUMP);
    return start;
}

static void release_ranges(hw_mem *mem) {
    uint64_t backing = mem->start + mem->apart.shift;
    if (backing) munmap((void *)(uintptr_t)backing, mem->range_bytes);
    if (mem->start) munmap((void *)(uintptr_t)mem->start, mem->span_bytes);
    if (mem->chunk_map) munmap(mem->chunk_map, chunk_map_bytes(mem->span_bytes));
    if (mem->small_map) munmap(mem->small_map, small_map_bytes(mem->span_bytes));
    mem->start = mem->span_bytes = 0;
    mem->apart = (hw_mem_apart){0};
    mem->chunk_map = mem->small_map = NULL;
}

// False when the process has too little address space; release_ranges then gives back what was reserved.
static bool reserve_ranges(hw_mem *mem, uint64_t range_bytes) {
    mem->range_bytes = range_bytes;
    mem->span_bytes = 2 * range_bytes;
    mem->start = reserve_chunks(mem->span_bytes);
    uint64_t backing = reserve_chunks(range_bytes);
    mem->apart = (hw_mem_apart){.begin = mem->start, .bytes = range_bytes, .shift = backing - mem->start};
    mem->chunk_map = reserve_address_space(chunk_map_bytes(mem->span_bytes));
    mem->small_map = reserve_address_space(small_map_bytes(mem->span_bytes));
    return mem->start && backing && mem->chunk_map && mem->small_map &&
           mprotect((void *)(uintptr_t)mem->start, range_bytes, PROT_NONE) == 0;
}

// Reserves four times the limit, so that guards, rounding to chunks and the quarantine never use up the addresses
// before the program has used up its memory; less where the address space of this process is limited.
static bool reserve_what_there_is(hw_mem *mem) {
    uint64_t largest = (uint64_t)1 << 45, wanted = mem->limit_bytes < largest / 4 ? mem->limit_bytes * 4 : largest;
    for (uint64_t range = hw_align_up(wanted, CHUNK_BYTES) + 64 * CHUNK_BYTES; range >= 64 * CHUNK_BYTES;
         range = range / 2 / CHUNK_BYTES * CHUNK_BYTES) {
        if (reserve_ranges(mem, range)) return true;
        release_ranges(mem);
    }
    return false;
}

hw_status hw_mem_create(uint64_t limit_bytes, hw_mem **out, hw_diag *diag) {
    hw_mem *mem = hw_calloc(1, sizeof *mem);
    *out = NULL;
    if (!mem) return hw_diag_no_memory(diag);
    mem->limit_bytes = limit_bytes;
    mem->poison = -1;
    pthread_mutex_init(&mem->lock, NULL);
    pthread_mutex_init(&mem->watch_lock, NULL);
    mem->registered = hw_registered_create();
    mem->textures = hw_textures_create();
    mem->records = reserve_address_space(HW_EXTENT_MAX * sizeof(record));
    mem->extent_items = reserve_address_space(HW_EXTENT_MAX * sizeof(hw_extent));
    if (!mem->registered || !mem->textures || !mem->records || !mem->extent_items || !reserve_what_there_is(mem)) {
        hw_mem_destroy(mem);
        return hw_diag_set(diag, HW_NO_MEMORY, "this machine gives no address space for the simulated GPU's memory");
    }
    hw_extents_init(&mem->extents, mem->extent_items);
    // What lies a little before the first allocation, as free() looks at it, is nobody else's either.
    hw_extents_add(&mem->extents, KERNELS_ONLY, mem->start + CHUNK_BYTES, mem->range_bytes - CHUNK_BYTES);
    hw_extents_add(&mem->extents, HOST_TOO, mem->start + mem->range_bytes, mem->range_bytes);
    *out = mem;
    return HW_OK;
}

void hw_mem_destroy(hw_mem *mem) {
    if (!mem) return;
    release_ranges(mem);
    if (mem->records) munmap(mem->records, HW_EXTENT_MAX * sizeof(record));
    if (mem->extent_items) munmap(mem->extent_items, HW_EXTENT_MAX * sizeof(hw_extent));
    hw_registered_destroy(mem->registered);
    hw_textures_destroy(mem->textures);
    pthread_mutex_destroy(&mem->lock);
    pthread_mutex_destroy(&mem->watch_lock);
    hw_free(mem);
}

// Writers, under the lock. Every store is a release, so that none is seen before the version has become odd.
static void write_record(record *r, const hw_allocation *a, uint32_t state) {
    uint64_t version = atomic_load_explicit(&r->version, memory_order_relaxed);
    atomic_store_explicit(&r->version, version + 1, memory_order_relaxed);
    atomic_store_explicit(&r->address, a->address, memory_order_release);
    atomic_store_explicit(&r->bytes, a->bytes, memory_order_release);
    atomic_store_explicit(&r->kind_and_flags, (uint64_t)a->kind | state | (uint64_t)a->flags << 32,
                          memory_order_release);
    atomic_store_explicit(&r->site, a->site, memory_order_release);
    atomic_store_explicit(&r->freed_at, a->freed_at, memory_order_release);
    atomic_store_explicit(&r->name, a->name, memory_order_release);
    atomic_store_explicit(&r->version, version + 2, memory_order_release);
}

// A whole copy of a record; false when it is not in use.
static bool read_record(const record *r, hw_allocation *out) {
    uint64_t before, after, word;
    do {
        before = atomic_load_explicit(&r->version, memory_order_acquire);
        out->address = atomic_load_explicit(&r->address, memory_order_acquire);
        out->bytes = atomic_load_explicit(&r->bytes, memory_order_acquire);
        word = atomic_load_explicit(&r->kind_and_flags, memory_order_acquire);
        out->site = atomic_load_explicit(&r->site, memory_order_acquire);
        out->freed_at = atomic_load_explicit(&r->freed_at, memory_order_acquire);
        out->name = atomic_load_explicit(&r->name, memory_order_acquire);
        after = atomic_load_explicit(&r->version, memory_order_relaxed);
    } while (before != after || before & 1);
    out->kind = (hw_alloc_kind)(word & 0xff);
    out->is_freed = word & RECORD_FREED;
    out->flags = (uint32_t)(word >> 32);
    return word & RECORD_USED;
}

static uint32_t number_at(const hw_mem *mem, uint64_t address) {
    uint64_t offset = address - mem->start;
    if (offset >= mem->span_bytes) return 0;
    uint32_t number = atomic_load_explicit(&mem->chunk_map[offset / CHUNK_BYTES], memory_order_acquire);
    if (number != IN_SMALL_MAP) return number;
    return atomic_load_explicit(&mem->small_map[offset / UNIT], memory_order_acquire);
}

static void fill_map(_Atomic uint32_t *map, uint64_t first, uint64_t count, uint32_t value) {
    for (uint64_t i = 0; i < count; i++) atomic_store_explicit(&map[first + i], value, memory_order_release);
}

static bool is_large(uint64_t bytes) { return bytes >= LARGE_BYTES; }

static void map_allocation(hw_mem *mem, const hw_allocation *a, uint64_t span, uint32_t number) {
    uint64_t offset = a->address - mem->start;
    if (is_large(a->bytes)) {
        fill_map(mem->chunk_map, offset / CHUNK_BYTES, span / CHUNK_BYTES, number);
        return;
    }
    uint64_t first_chunk = offset / CHUNK_BYTES, last_chunk = (offset + span - 1) / CHUNK_BYTES;
    uint64_t units = a->bytes ? hw_divide_up(a->bytes, UNIT) : 1;
    fill_map(mem->small_map, offset / UNIT, units, number);
    if (number) fill_map(mem->chunk_map, first_chunk, last_chunk - first_chunk + 1, IN_SMALL_MAP);
}

// Bytes between two allocations, never touched, so that a step past the end, or a row past the last, meets no other
// allocation.
static uint64_t guard_bytes(uint64_t bytes) {
    uint64_t guard = bytes / 16 / UNIT * UNIT;
    return guard < UNIT ? UNIT : guard > MAX_GUARD_BYTES ? MAX_GUARD_BYTES : guard;
}

static uint64_t apart_bytes(uint64_t bytes) {
    uint64_t guard = hw_align_up(bytes, UNIT);
    return guard < LEAST_APART_BYTES ? LEAST_APART_BYTES : guard > MOST_APART_BYTES ? MOST_APART_BYTES : guard;
}

static uint64_t span_of_allocation(uint64_t bytes, bool is_apart) {
    uint64_t span = hw_align_up(bytes ? bytes : 1, UNIT) + (is_apart ? apart_bytes(bytes) : guard_bytes(bytes));
    return is_large(bytes) ? hw_align_up(span, CHUNK_BYTES) : span;
}

static void leave_quarantine(hw_mem *mem) {
    uint32_t number = mem->quarantine_first;
    record *r = &mem->records[number];
    hw_allocation a;
    read_record(r, &a);
    uint64_t span = mem->extents.items[number].span_bytes;
    mem->quarantine_first = r->next_quarantined;
    mem->n_quarantined--;
    mem->quarantined_bytes -= span;
    map_allocation(mem, &a, span, 0);
    write_record(r, &(hw_allocation){0}, 0);
    hw_extents_release(&mem->extents, number);
}

static bool is_quarantine_full(const hw_mem *mem) {
    const uint64_t most_bytes = mem->keeps_apart ? mem->range_bytes / 2 : mem->range_bytes / 4;
    const uint32_t most = mem->keeps_apart ? MAX_QUARANTINED_APART : MAX_QUARANTINED;
    return mem->n_quarantined > most || (mem->n_quarantined > 1 && mem->quarantined_bytes > most_bytes);
}

static void enter_quarantine(hw_mem *mem, uint32_t number) {
    mem->records[number].next_quarantined = 0;
    if (mem->n_quarantined++) mem->records[mem->quarantine_last].next_quarantined = number;
    else mem->quarantine_first = number;
    mem->quarantine_last = number;
    mem->quarantined_bytes += mem->extents.items[number].span_bytes;
    while (is_quarantine_full(mem)) leave_quarantine(mem);
}

static uint32_t take_extent_or_wait(hw_mem *mem, uint8_t range, uint64_t span, uint64_t align) {
    uint32_t number = hw_extents_take(&mem->extents, range, span, align);
    while (!number && mem->n_quarantined) {
        leave_quarantine(mem);
        number = hw_extents_take(&mem->extents, range, span, align);
    }
    return number;
}

// ---- who is told ----

void hw_mem_watch(hw_mem *mem, hw_mem_told told, void *context) {
    pthread_mutex_lock(&mem->watch_lock);
    mem->told_context = context;
    atomic_store(&mem->told, told);
    pthread_mutex_unlock(&mem->watch_lock);
}

// Around a change: while somebody is told, changes wait for each other, so that they are told in their order.
static bool begin_watched(hw_mem *mem) {
    if (!atomic_load_explicit(&mem->told, memory_order_relaxed)) return false;
    pthread_mutex_lock(&mem->watch_lock);
    return true;
}

// changed: NULL when nothing has.
static void end_watched(hw_mem *mem, bool is_watched, const hw_allocation *changed, const hw_mem_caller *caller) {
    if (!is_watched) return;
    hw_mem_told told = atomic_load(&mem->told);
    if (told && changed) told(mem->told_context, changed, caller);
    pthread_mutex_unlock(&mem->watch_lock);
}

// ---- allocating and freeing ----

// What a block of device-side malloc counts against the heap: its bytes and a header.
static uint64_t heap_charge(uint64_t bytes) { return bytes + 16; }

static uint64_t next_change(hw_mem *mem) { return atomic_fetch_add(&mem->changes, 1) + 1; }

static hw_status allocate_memory(hw_mem *mem, const hw_mem_caller *caller, uint64_t bytes, uint64_t align,
                                 hw_alloc_kind kind, const char *name, uint64_t *address, hw_diag *diag) {
    *address = 0;
    if (align & (align - 1)) return hw_diag_set(diag, HW_USAGE, "alignment %llu is no power of two",
                                                (unsigned long long)align);
    if (align < UNIT) align = UNIT;
    if (bytes > mem->range_bytes || align > mem->range_bytes)
        return hw_diag_set(diag, HW_NO_MEMORY, "%llu bytes are more than the simulated GPU has",
                           (unsigned long long)bytes);
    uint8_t range = kind == HW_ALLOC_PINNED || kind == HW_ALLOC_MANAGED ? HOST_TOO : KERNELS_ONLY;
    uint64_t charged = kind == HW_ALLOC_PINNED ? 0 : hw_align_up(bytes ? bytes : 1, UNIT),
             span = span_of_allocation(bytes, mem->keeps_apart && kind != HW_ALLOC_HEAP);
    if (is_large(bytes) && align < CHUNK_BYTES) align = CHUNK_BYTES;
    bool is_watched = begin_watched(mem);
    pthread_mutex_lock(&mem->lock);
    uint64_t used = atomic_load_explicit(&mem->used_bytes, memory_order_relaxed);
    uint32_t number = 0;
    if (charged <= mem->limit_bytes && used <= mem->limit_bytes - charged) {
        number = take_extent_or_wait(mem, range, span, align);
        if (!number && mem->keeps_apart)
            number = hw_extents_take(&mem->extents, range, span_of_allocation(bytes, false), align);
    }
    if (number) {
        const hw_extent *extent = &mem->extents.items[number];
        hw_allocation a = {.address = extent->start, .bytes = bytes, .kind = kind, .site = caller->site, .name = name};
        mem->records[number].charged_bytes = charged;
        atomic_store(&mem->records[number].contents, next_change(mem));
        write_record(&mem->records[number], &a, RECORD_USED);
        map_allocation(mem, &a, extent->span_bytes, number);
        atomic_fetch_add(&mem->used_bytes, charged);
        if (kind == HW_ALLOC_HEAP) atomic_fetch_add(&mem->heap_bytes, heap_charge(bytes));
        atomic_fetch_add(&mem->epoch, 1);
        *address = a.address;
    }
    pthread_mutex_unlock(&mem->lock);
    const hw_allocation made = {.address = *address, .bytes = bytes, .kind = kind, .site = caller->site, .name = name};
    end_watched(mem, is_watched, number ? &made : NULL, caller);
    if (number) {
        bool is_filled = mem->poison >= 0 && kind != HW_ALLOC_GLOBAL;
        if (is_filled) memset(hw_mem_host(mem, *address), mem->poison, bytes);
        return HW_OK;
    }
    return hw_diag_set(diag, HW_NO_MEMORY, "the simulated GPU has no room for %llu bytes: %llu of %llu are in use",
                       (unsigned long long)bytes, (unsigned long long)used, (unsigned long long)mem->limit_bytes);
}

hw_status hw_mem_alloc(hw_mem *mem, uint64_t bytes, uint64_t align, hw_alloc_kind kind, const void *site,
                       const char *name, uint64_t *address, hw_diag *diag) {
    return allocate_memory(mem, &(hw_mem_caller){.site = site}, bytes, align, kind, name, address, diag);
}

hw_status hw_mem_alloc_for(hw_mem *mem, const hw_mem_caller *caller, uint64_t bytes, uint64_t align,
                           hw_alloc_kind kind, uint64_t *address, hw_diag *diag) {
    return allocate_memory(mem, caller, bytes, align, kind, NULL, address, diag);
}

static hw_status add_range(hw_mem *mem, hw_alloc_kind kind, uint64_t address, uint64_t bytes, const void *site,
                           hw_diag *diag) {
    if (!address || !bytes || bytes > UINT64_MAX - address)
        return hw_diag_set(diag, HW_USAGE, "an empty or impossible range of memory");
    const hw_allocation a = {.address = address, .bytes = bytes, .kind = kind, .site = site};
    bool is_watched = begin_watched(mem);
    pthread_mutex_lock(&mem->lock);
    bool overlaps = address < mem->start + mem->span_bytes && mem->start < address + bytes;
    hw_status status = overlaps ? HW_USAGE : hw_registered_add(mem->registered, &a);
    if (status == HW_OK) atomic_fetch_add(&mem->epoch, 1);
    pthread_mutex_unlock(&mem->lock);
    end_watched(mem, is_watched, status ? NULL : &a, &(hw_mem_caller){.site = site});
    if (status == HW_NO_MEMORY) return hw_diag_set(diag, status, "too many registered ranges");
    return status ? hw_diag_set(diag, status, "a part of this memory is device memory or registered already") : HW_OK;
}

hw_status hw_mem_register(hw_mem *mem, uint64_t address, uint64_t bytes, const void *site, hw_diag *diag) {
    return add_range(mem, HW_ALLOC_REGISTERED, address, bytes, site, diag);
}

hw_status hw_mem_adopt(hw_mem *mem, uint64_t address, uint64_t bytes, const void *site, hw_diag *diag) {
    return add_range(mem, HW_ALLOC_MAPPED, address, bytes, site, diag);
}

bool hw_mem_charge(hw_mem *mem, uint64_t bytes) {
    pthread_mutex_lock(&mem->lock);
    const uint64_t used = atomic_load(&mem->used_bytes);
    const bool has_room = bytes <= mem->limit_bytes && used <= mem->limit_bytes - bytes;
    if (has_room) atomic_fetch_add(&mem->used_bytes, bytes);
    pthread_mutex_unlock(&mem->lock);
    return has_room;
}

void hw_mem_uncharge(hw_mem *mem, uint64_t bytes) { atomic_fetch_sub(&mem->used_bytes, bytes); }

// Large blocks own their pages, so these can go back to the system at once; reads of the block are refused anyway. Of
// others the whole pages can, which is worth it where many of them wait.
static void give_pages_back(const hw_mem *mem, const hw_allocation *a) {
    enum { PAGE = 4096 };
    if (is_large(a->bytes)) {
        madvise(hw_mem_host(mem, a->address), hw_align_up(a->bytes, CHUNK_BYTES), MADV_DONTNEED);
    } else if (mem->keeps_apart && a->bytes >= GIVEN_BACK_BYTES) {
        const uint64_t begin = hw_align_up(a->address, PAGE), end = (a->address + a->bytes) / PAGE * PAGE;
        madvise(hw_mem_host(mem, begin), end - begin, MADV_DONTNEED);
    }
}

hw_status hw_mem_free(hw_mem *mem, uint64_t address, hw_diag *diag) {
    return hw_mem_free_for(mem, &(hw_mem_caller){.site = NULL}, address, diag);
}

hw_status hw_mem_free_for(hw_mem *mem, const hw_mem_caller *caller, uint64_t address, hw_diag *diag) {
    hw_status status = HW_USAGE;
    const char *why = "the address is not the start of an allocation";
    bool is_watched = begin_watched(mem);
    pthread_mutex_lock(&mem->lock);
    uint32_t number = number_at(mem, address);
    hw_allocation a = {.address = address};
    if (!number) {
        bool is_there = hw_registered_find(mem->registered, address, 0, &a) && a.address == address;
        if (is_there && hw_registered_remove(mem->registered, address)) status = HW_OK;
        a.freed_at = caller->site;
    } else if (read_record(&mem->records[number], &a) && a.address == address) {
        if (a.is_freed) {
            why = "the allocation has been freed already";
        } else {
            a.freed_at = caller->site;
            write_record(&mem->records[number], &a, RECORD_USED | RECORD_FREED);
            atomic_fetch_sub(&mem->used_bytes, mem->records[number].charged_bytes);
            if (a.kind == HW_ALLOC_HEAP) atomic_fetch_sub(&mem->heap_bytes, heap_charge(a.bytes));
            give_pages_back(mem, &a);
            enter_quarantine(mem, number);
            status = HW_OK;
        }
    }
    if (status == HW_OK) atomic_fetch_add(&mem->epoch, 1);
    pthread_mutex_unlock(&mem->lock);
    a.is_freed = true;
    end_watched(mem, is_watched, status ? NULL : &a, caller);
    return status ? hw_diag_set(diag, status, "%s", why) : HW_OK;
}

static bool holds_bytes(const hw_allocation *a, uint64_t address, uint64_t bytes) {
    return address >= a->address && address - a->address <= a->bytes && bytes <= a->bytes - (address - a->address);
}

bool hw_mem_find(const hw_mem *mem, uint64_t address, uint64_t bytes, hw_allocation *out) {
    if (address - mem->start >= mem->span_bytes) return hw_registered_find(mem->registered, address, bytes, out);
    uint32_t number = number_at(mem, address);
    return number && read_record(&mem->records[number], out) && !out->is_freed && holds_bytes(out, address, bytes);
}

bool hw_mem_find_freed(const hw_mem *mem, uint64_t address, hw_allocation *out) {
    const uint32_t number = number_at(mem, address);
    return number && read_record(&mem->records[number], out) && out->is_freed && holds_bytes(out, address, 1);
}

bool hw_mem_owns(const hw_mem *mem, uint64_t address) { return address - mem->start < mem->span_bytes; }

void *hw_mem_host(const hw_mem *mem, uint64_t address) { return hw_mem_apart_host(&mem->apart, address); }
const hw_mem_apart *hw_mem_get_apart(const hw_mem *mem) { return &mem->apart; }

void hw_mem_set_poison(hw_mem *mem, int byte) { mem->poison = byte; }
void hw_mem_keep_apart(hw_mem *mem) { mem->keeps_apart = true; }
int hw_mem_poison(const hw_mem *mem) { return mem->poison; }

static uint64_t distance_to(const hw_allocation *a, uint64_t address) {
    uint64_t last = a->address + (a->bytes ? a->bytes - 1 : 0);
    return address < a->address ? a->address - address : address > last ? address - last : 0;
}

bool hw_mem_nearest(const hw_mem *mem, uint64_t address, hw_allocation *out) {
    pthread_mutex_t *lock = (pthread_mutex_t *)&mem->lock;
    pthread_mutex_lock(lock);
    bool found = hw_registered_nearest(mem->registered, address, out);
    for (uint32_t i = 1; i < mem->extents.n_items; i++) {
        hw_allocation a;
        if (!read_record(&mem->records[i], &a)) continue;
        uint64_t d = distance_to(&a, address), best = found ? distance_to(out, address) : UINT64_MAX;
        if (!found || d < best || (d == best && out->is_freed && !a.is_freed)) *out = a;
        found = true;
    }
    pthread_mutex_unlock(lock);
    return found;
}

// ---- contents ----

#define SHARED UINT64_MAX   // a record's contents: nobody can know them

uint64_t hw_mem_contents(const hw_mem *mem, uint64_t address) {
    hw_allocation a;
    uint32_t number = address - mem->apart.begin < mem->apart.bytes ? number_at(mem, address) : 0;
    if (!number || !read_record(&mem->records[number], &a) || a.is_freed || a.address != address) return 0;
    uint64_t own = atomic_load(&mem->records[number].contents), all = atomic_load(&mem->all_changed);
    if (own == SHARED) return 0;
    return own > all ? own : all;
}

uint64_t hw_mem_changes(const hw_mem *mem) { return atomic_load(&mem->changes); }

uint64_t hw_mem_set_changed(hw_mem *mem, uint64_t address) {
    uint32_t number = number_at(mem, address);
    uint64_t change = number ? next_change(mem) : 0;
    if (number && atomic_load(&mem->records[number].contents) != SHARED)
        atomic_store(&mem->records[number].contents, change);
    return change;
}

void hw_mem_set_shared(hw_mem *mem, uint64_t address) {
    const uint32_t number = number_at(mem, address);
    if (number) atomic_store(&mem->records[number].contents, SHARED);
}

void hw_mem_set_all_changed(hw_mem *mem) { atomic_store(&mem->all_changed, next_change(mem)); }

hw_textures *hw_mem_textures(const hw_mem *mem) { return mem->textures; }

uint64_t hw_mem_epoch(const hw_mem *mem) { return atomic_load_explicit(&mem->epoch, memory_order_acquire); }

void hw_mem_set_flags(hw_mem *mem, uint64_t address, uint32_t flags) {
    pthread_mutex_lock(&mem->lock);
    hw_allocation a;
    uint32_t number = number_at(mem, address);
    if (number && read_record(&mem->records[number], &a) && !a.is_freed && holds_bytes(&a, address, 0)) {
        a.flags = flags;
        write_record(&mem->records[number], &a, RECORD_USED);
    } else if (!number) {
        hw_registered_set_flags(mem->registered, address, flags);
    }
    pthread_mutex_unlock(&mem->lock);
}

void hw_mem_usage(const hw_mem *mem, uint64_t *limit, uint64_t *used) {
    *limit = mem->limit_bytes;
    *used = atomic_load_explicit(&mem->used_bytes, memory_order_relaxed);
}

uint64_t hw_mem_heap_used(const hw_mem *mem) { return atomic_load_explicit(&mem->heap_bytes, memory_order_relaxed); }
