#define _GNU_SOURCE
#include "mem/space.h"

#include <sys/mman.h>

#include "base/alloc.h"
#include "base/integers.h"

#define CHUNK_BYTES HW_SPACE_CHUNK_BYTES
#define UNIT HW_SPACE_UNIT
#define MAX_GUARD_BYTES ((uint64_t)64 << 10)
#define LEAST_APART_BYTES ((uint64_t)4 << 10)    // hw_mem_keep_apart
#define MOST_APART_BYTES ((uint64_t)1 << 30)

enum { MAX_QUARANTINED = 1 << 15, MAX_QUARANTINED_APART = 1 << 18 };

// ---- address space ----

// Address space that costs memory only where it is touched. NULL when there is none.
static void *reserve_address_space(uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static uint64_t chunks_bytes(uint64_t span) { return span / CHUNK_BYTES * sizeof(uint32_t); }
static uint64_t units_bytes(uint64_t span) { return span / UNIT * sizeof(uint32_t); }

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

static void release_ranges(hw_space_map *map) {
    uint64_t backing = map->start + map->apart.shift;
    if (backing) munmap((void *)(uintptr_t)backing, map->span_bytes / 2);
    if (map->start) munmap((void *)(uintptr_t)map->start, map->span_bytes);
    if (map->chunks) munmap(map->chunks, chunks_bytes(map->span_bytes));
    if (map->units) munmap(map->units, units_bytes(map->span_bytes));
    *map = (hw_space_map){.records = map->records};
}

// False when the process has too little address space; release_ranges then gives back what was reserved.
static bool reserve_ranges(hw_space_map *map, uint64_t range_bytes) {
    map->span_bytes = 2 * range_bytes;
    map->start = reserve_chunks(map->span_bytes);
    uint64_t backing = reserve_chunks(range_bytes);
    map->apart = (hw_mem_apart){.begin = map->start, .bytes = range_bytes, .shift = backing - map->start};
    map->chunks = reserve_address_space(chunks_bytes(map->span_bytes));
    map->units = reserve_address_space(units_bytes(map->span_bytes));
    return map->start && backing && map->chunks && map->units &&
           mprotect((void *)(uintptr_t)map->start, range_bytes, PROT_NONE) == 0;
}

// Reserves four times the memory, so that guards, rounding to chunks and the quarantine never use up the addresses
// before the program has used up its memory; less where the address space of this process is limited.
static bool reserve_what_there_is(hw_space_map *map, uint64_t bytes) {
    uint64_t largest = (uint64_t)1 << 45, wanted = bytes < largest / 4 ? bytes * 4 : largest;
    for (uint64_t range = hw_align_up(wanted, CHUNK_BYTES) + 64 * CHUNK_BYTES; range >= 64 * CHUNK_BYTES;
         range = range / 2 / CHUNK_BYTES * CHUNK_BYTES) {
        if (reserve_ranges(map, range)) return true;
        release_ranges(map);
    }
    return false;
}

hw_space *hw_space_create(uint64_t bytes) {
    hw_space *s = hw_calloc(1, sizeof *s);
    if (!s) return NULL;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->watch_lock, NULL);
    s->registered = hw_registered_create();
    s->map.records = reserve_address_space(HW_EXTENT_MAX * sizeof *s->map.records);
    s->extent_items = reserve_address_space(HW_EXTENT_MAX * sizeof *s->extent_items);
    if (!s->registered || !s->map.records || !s->extent_items || !reserve_what_there_is(&s->map, bytes)) {
        hw_space_destroy(s);
        return NULL;
    }
    const uint64_t range_bytes = s->map.apart.bytes;
    hw_extents_init(&s->extents, s->extent_items);
    // What lies a little before the first allocation, as free() looks at it, is nobody else's either.
    hw_extents_add(&s->extents, HW_SPACE_KERNELS_ONLY, s->map.start + CHUNK_BYTES, range_bytes - CHUNK_BYTES);
    hw_extents_add(&s->extents, HW_SPACE_HOST_TOO, s->map.start + range_bytes, range_bytes);
    return s;
}

void hw_space_destroy(hw_space *s) {
    release_ranges(&s->map);
    if (s->map.records) munmap(s->map.records, HW_EXTENT_MAX * sizeof *s->map.records);
    if (s->extent_items) munmap(s->extent_items, HW_EXTENT_MAX * sizeof *s->extent_items);
    hw_registered_destroy(s->registered);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->watch_lock);
    hw_free(s);
}

// ---- records ----

// Every store is a release, so that none is seen before the version has become odd.
void hw_space_write(hw_record *r, const hw_allocation *a, uint32_t state) {
    uint64_t version = atomic_load_explicit(&r->version, memory_order_relaxed);
    atomic_store_explicit(&r->version, version + 1, memory_order_relaxed);
    atomic_store_explicit(&r->address, a->address, memory_order_release);
    atomic_store_explicit(&r->bytes, a->bytes, memory_order_release);
    const uint64_t gpus = (uint64_t)a->gpu << 10 | (uint64_t)a->open_to << 16;
    atomic_store_explicit(&r->what, (uint64_t)a->kind | state | gpus | (uint64_t)a->flags << 32, memory_order_release);
    atomic_store_explicit(&r->site, a->site, memory_order_release);
    atomic_store_explicit(&r->freed_at, a->freed_at, memory_order_release);
    atomic_store_explicit(&r->name, a->name, memory_order_release);
    atomic_store_explicit(&r->version, version + 2, memory_order_release);
}

bool hw_space_read(const hw_record *r, hw_allocation *out) {
    uint64_t before, after, word;
    do {
        before = atomic_load_explicit(&r->version, memory_order_acquire);
        out->address = atomic_load_explicit(&r->address, memory_order_acquire);
        out->bytes = atomic_load_explicit(&r->bytes, memory_order_acquire);
        word = atomic_load_explicit(&r->what, memory_order_acquire);
        out->site = atomic_load_explicit(&r->site, memory_order_acquire);
        out->freed_at = atomic_load_explicit(&r->freed_at, memory_order_acquire);
        out->name = atomic_load_explicit(&r->name, memory_order_acquire);
        after = atomic_load_explicit(&r->version, memory_order_relaxed);
    } while (before != after || before & 1);
    out->kind = (hw_alloc_kind)(word & 0xff);
    out->is_freed = word & HW_RECORD_FREED;
    out->is_read_only = false;
    out->gpu = word >> 10 & 0xf;
    out->open_to = (uint16_t)(word >> 16);
    out->flags = (uint32_t)(word >> 32);
    return word & HW_RECORD_USED;
}

static void fill_map(_Atomic uint32_t *map, uint64_t first, uint64_t count, uint32_t value) {
    for (uint64_t i = 0; i < count; i++) atomic_store_explicit(&map[first + i], value, memory_order_release);
}

void hw_space_map_allocation(hw_space *s, const hw_allocation *a, uint64_t span, uint32_t number) {
    uint64_t offset = a->address - s->map.start;
    if (hw_space_is_large(a->bytes)) {
        fill_map(s->map.chunks, offset / CHUNK_BYTES, span / CHUNK_BYTES, number);
        return;
    }
    uint64_t first_chunk = offset / CHUNK_BYTES, last_chunk = (offset + span - 1) / CHUNK_BYTES;
    uint64_t units = a->bytes ? hw_divide_up(a->bytes, UNIT) : 1;
    fill_map(s->map.units, offset / UNIT, units, number);
    if (number) fill_map(s->map.chunks, first_chunk, last_chunk - first_chunk + 1, HW_SPACE_IN_SMALL_MAP);
}

// ---- extents ----

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
    return hw_space_is_large(bytes) ? hw_align_up(span, CHUNK_BYTES) : span;
}

static void leave_quarantine(hw_space *s) {
    uint32_t number = s->quarantine_first;
    hw_record *r = &s->map.records[number];
    hw_allocation a;
    hw_space_read(r, &a);
    uint64_t span = s->extents.items[number].span_bytes;
    s->quarantine_first = r->next_quarantined;
    s->n_quarantined--;
    s->quarantined_bytes -= span;
    hw_space_map_allocation(s, &a, span, 0);
    hw_space_write(r, &(hw_allocation){0}, 0);
    hw_extents_release(&s->extents, number);
}

static bool is_quarantine_full(const hw_space *s) {
    const uint64_t range_bytes = s->map.apart.bytes, most_bytes = s->keeps_apart ? range_bytes / 2 : range_bytes / 4;
    const uint32_t most = s->keeps_apart ? MAX_QUARANTINED_APART : MAX_QUARANTINED;
    return s->n_quarantined > most || (s->n_quarantined > 1 && s->quarantined_bytes > most_bytes);
}

void hw_space_quarantine(hw_space *s, uint32_t number) {
    s->map.records[number].next_quarantined = 0;
    if (s->n_quarantined++) s->map.records[s->quarantine_last].next_quarantined = number;
    else s->quarantine_first = number;
    s->quarantine_last = number;
    s->quarantined_bytes += s->extents.items[number].span_bytes;
    while (is_quarantine_full(s)) leave_quarantine(s);
}

static uint32_t take_or_wait(hw_space *s, uint8_t range, uint64_t span, uint64_t align) {
    uint32_t number = hw_extents_take(&s->extents, range, span, align);
    while (!number && s->n_quarantined) {
        leave_quarantine(s);
        number = hw_extents_take(&s->extents, range, span, align);
    }
    return number;
}

uint32_t hw_space_take(hw_space *s, uint64_t bytes, uint64_t align, hw_alloc_kind kind) {
    const bool is_hosts = kind == HW_ALLOC_PINNED || kind == HW_ALLOC_MANAGED;
    const uint8_t range = is_hosts ? HW_SPACE_HOST_TOO : HW_SPACE_KERNELS_ONLY;
    const uint64_t span = span_of_allocation(bytes, s->keeps_apart && kind != HW_ALLOC_HEAP);
    if (hw_space_is_large(bytes) && align < CHUNK_BYTES) align = CHUNK_BYTES;
    uint32_t number = take_or_wait(s, range, span, align);
    if (number || !s->keeps_apart) return number;
    return hw_extents_take(&s->extents, range, span_of_allocation(bytes, false), align);
}
