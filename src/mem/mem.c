// One GPU's memory: its limit, what is allocated of it, what its kernels may touch. Where its allocations lie is the
// space's, which it may share with other GPUs (space.h).
#define _GNU_SOURCE
#include "mem/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "mem/space.h"
#include "mem/texture.h"

#define GIVEN_BACK_BYTES ((uint64_t)64 << 10)    // freed allocations of so much keep no pages where they are kept apart

struct hw_mem {
    hw_space *space;
    hw_space_map map;                     // the space's
    uint32_t number;                      // of the GPU
    uint64_t limit_bytes;
    int poison;                           // -1: none
    atomic_uint reaches;                  // a bit for each GPU whose memory its kernels may touch, its own included
    hw_textures *textures;
    _Atomic uint64_t used_bytes, heap_bytes;
    _Atomic(hw_mem_told) told;            // NULL: nobody
    void *told_context;
};

// ---- the object ----

hw_status hw_mem_create_beside(uint64_t limit_bytes, const hw_mem_place *place, hw_mem **out, hw_diag *diag) {
    hw_mem *mem = hw_calloc(1, sizeof *mem);
    *out = NULL;
    if (!mem) return hw_diag_no_memory(diag);
    mem->limit_bytes = limit_bytes;
    mem->number = place->number;
    mem->poison = -1;
    atomic_store(&mem->reaches, 1u << place->number);
    mem->textures = hw_textures_create();
    mem->space = place->beside ? place->beside->space : hw_space_create(limit_bytes * place->gpus);
    if (!mem->space || !mem->textures) {
        hw_mem_destroy(mem);
        return hw_diag_set(diag, HW_NO_MEMORY, "this machine gives no address space for the simulated GPU's memory");
    }
    mem->map = mem->space->map;
    pthread_mutex_lock(&mem->space->lock);
    mem->space->gpus[mem->number] = mem;
    pthread_mutex_unlock(&mem->space->lock);
    *out = mem;
    return HW_OK;
}

hw_status hw_mem_create(uint64_t limit_bytes, hw_mem **out, hw_diag *diag) {
    return hw_mem_create_beside(limit_bytes, &(hw_mem_place){.gpus = 1}, out, diag);
}

static void free_all_of(hw_mem *mem);

// True: it was the last one of its space.
static bool leave_space(hw_mem *mem) {
    hw_space *s = mem->space;
    bool is_last = true;
    pthread_mutex_lock(&s->lock);
    if (s->gpus[mem->number] == mem) s->gpus[mem->number] = NULL;
    for (uint32_t i = 0; i < HW_MEM_GPUS; i++) {
        if (!s->gpus[i]) continue;
        is_last = false;
        atomic_fetch_and(&s->gpus[i]->reaches, ~(1u << mem->number));
    }
    if (!is_last) free_all_of(mem);
    pthread_mutex_unlock(&s->lock);
    return is_last;
}

void hw_mem_destroy(hw_mem *mem) {
    if (!mem) return;
    if (mem->space) {
        hw_mem_watch(mem, NULL, NULL);
        if (leave_space(mem)) hw_space_destroy(mem->space);
    }
    hw_textures_destroy(mem->textures);
    hw_free(mem);
}

void hw_mem_set_reach(hw_mem *mem, uint32_t gpu, bool reaches) {
    if (reaches) atomic_fetch_or(&mem->reaches, 1u << gpu);
    else atomic_fetch_and(&mem->reaches, ~(1u << gpu));
    atomic_fetch_add(&mem->space->epoch, 1);   // what was looked up may hold no longer
}

bool hw_mem_reaches(const hw_mem *mem, uint32_t gpu) { return atomic_load(&mem->reaches) >> gpu & 1; }
uint32_t hw_mem_number(const hw_mem *mem) { return mem->number; }

// ---- who is told ----

void hw_mem_watch(hw_mem *mem, hw_mem_told told, void *context) {
    hw_space *s = mem->space;
    pthread_mutex_lock(&s->watch_lock);
    const bool was_told = atomic_load(&mem->told);
    if (told && !was_told) atomic_fetch_add(&s->n_told, 1);
    if (!told && was_told) atomic_fetch_sub(&s->n_told, 1);
    mem->told_context = context;
    atomic_store(&mem->told, told);
    pthread_mutex_unlock(&s->watch_lock);
}

// Around a change: while somebody is told, changes wait for each other, so that they are told in their order.
static bool begin_watched(hw_space *s) {
    if (!atomic_load_explicit(&s->n_told, memory_order_relaxed)) return false;
    pthread_mutex_lock(&s->watch_lock);
    return true;
}

// changed: NULL when nothing has. Told is who watches the GPU whose memory it is.
static void end_watched(hw_space *s, bool is_watched, const hw_allocation *changed, const hw_mem_caller *caller) {
    if (!is_watched) return;
    hw_mem *owner = changed ? s->gpus[changed->gpu] : NULL;
    hw_mem_told told = owner ? atomic_load(&owner->told) : NULL;
    if (told) told(owner->told_context, changed, caller);
    pthread_mutex_unlock(&s->watch_lock);
}

// ---- allocating and freeing ----

// What a block of device-side malloc counts against the heap: its bytes and a header.
static uint64_t heap_charge(uint64_t bytes) { return bytes + 16; }

static uint64_t next_change(hw_space *s) { return atomic_fetch_add(&s->changes, 1) + 1; }

// With the lock held. 0: there is no room.
static uint32_t take_room(hw_mem *mem, uint64_t bytes, uint64_t align, hw_alloc_kind kind) {
    const uint64_t charged = kind == HW_ALLOC_PINNED ? 0 : hw_align_up(bytes ? bytes : 1, HW_SPACE_UNIT);
    const uint64_t used = atomic_load_explicit(&mem->used_bytes, memory_order_relaxed);
    if (charged > mem->limit_bytes || used > mem->limit_bytes - charged) return 0;
    const uint32_t number = hw_space_take(mem->space, bytes, align, kind);
    if (!number) return 0;
    mem->map.records[number].charged_bytes = charged;
    atomic_fetch_add(&mem->used_bytes, charged);
    if (kind == HW_ALLOC_HEAP) atomic_fetch_add(&mem->heap_bytes, heap_charge(bytes));
    return number;
}

static hw_status allocate_memory(hw_mem *mem, const hw_mem_caller *caller, uint64_t bytes, uint64_t align,
                                 hw_alloc_kind kind, const char *name, uint64_t *address, hw_diag *diag) {
    hw_space *s = mem->space;
    *address = 0;
    if (align & (align - 1)) return hw_diag_set(diag, HW_USAGE, "alignment %llu is no power of two",
                                                (unsigned long long)align);
    if (align < HW_SPACE_UNIT) align = HW_SPACE_UNIT;
    if (bytes > s->map.apart.bytes || align > s->map.apart.bytes)
        return hw_diag_set(diag, HW_NO_MEMORY, "%llu bytes are more than the simulated GPU has",
                           (unsigned long long)bytes);
    hw_allocation made = {.bytes = bytes, .kind = kind, .site = caller->site, .name = name,
                          .gpu = (uint8_t)mem->number};
    bool is_watched = begin_watched(s);
    pthread_mutex_lock(&s->lock);
    const uint32_t number = take_room(mem, bytes, align, kind);
    if (number) {
        const hw_extent *extent = &s->extents.items[number];
        made.address = extent->start;
        atomic_store(&s->map.records[number].contents, next_change(s));
        hw_space_write(&s->map.records[number], &made, HW_RECORD_USED);
        hw_space_map_allocation(s, &made, extent->span_bytes, number);
        atomic_fetch_add(&s->epoch, 1);
    }
    pthread_mutex_unlock(&s->lock);
    *address = made.address;
    end_watched(s, is_watched, number ? &made : NULL, caller);
    if (number) {
        bool is_filled = mem->poison >= 0 && kind != HW_ALLOC_GLOBAL;
        if (is_filled) memset(hw_mem_host(mem, *address), mem->poison, bytes);
        return HW_OK;
    }
    return hw_diag_set(diag, HW_NO_MEMORY, "the simulated GPU has no room for %llu bytes: %llu of %llu are in use",
                       (unsigned long long)bytes, (unsigned long long)atomic_load(&mem->used_bytes),
                       (unsigned long long)mem->limit_bytes);
}

hw_status hw_mem_alloc(hw_mem *mem, uint64_t bytes, uint64_t align, hw_alloc_kind kind, const void *site,
                       const char *name, uint64_t *address, hw_diag *diag) {
    return allocate_memory(mem, &(hw_mem_caller){.site = site}, bytes, align, kind, name, address, diag);
}

hw_status hw_mem_alloc_for(hw_mem *mem, const hw_mem_caller *caller, uint64_t bytes, uint64_t align,
                           hw_alloc_kind kind, uint64_t *address, hw_diag *diag) {
    return allocate_memory(mem, caller, bytes, align, kind, NULL, address, diag);
}

static hw_status add_range(hw_mem *mem, hw_allocation a, hw_diag *diag) {
    const uint64_t address = a.address, bytes = a.bytes;
    if (!address || !bytes || bytes > UINT64_MAX - address)
        return hw_diag_set(diag, HW_USAGE, "an empty or impossible range of memory");
    hw_space *s = mem->space;
    a.gpu = (uint8_t)mem->number;
    bool is_watched = begin_watched(s);
    pthread_mutex_lock(&s->lock);
    bool overlaps = address < s->map.start + s->map.span_bytes && s->map.start < address + bytes;
    hw_status status = overlaps ? HW_USAGE : hw_registered_add(s->registered, &a);
    if (status == HW_OK) atomic_fetch_add(&s->epoch, 1);
    pthread_mutex_unlock(&s->lock);
    end_watched(s, is_watched, status ? NULL : &a, &(hw_mem_caller){.site = a.site});
    if (status == HW_NO_MEMORY) return hw_diag_set(diag, status, "too many registered ranges");
    return status ? hw_diag_set(diag, status, "a part of this memory is device memory or registered already") : HW_OK;
}

hw_status hw_mem_register(hw_mem *mem, uint64_t address, uint64_t bytes, const void *site, hw_diag *diag) {
    const hw_allocation made = {.address = address, .bytes = bytes, .kind = HW_ALLOC_REGISTERED, .site = site};
    return add_range(mem, made, diag);
}

hw_status hw_mem_adopt(hw_mem *mem, uint64_t address, uint64_t bytes, bool is_read_only, const void *site,
                       hw_diag *diag) {
    const hw_allocation made = {.address = address, .bytes = bytes, .kind = HW_ALLOC_MAPPED, .site = site,
                                .is_read_only = is_read_only};
    return add_range(mem, made, diag);
}

bool hw_mem_charge(hw_mem *mem, uint64_t bytes) {
    pthread_mutex_lock(&mem->space->lock);
    const uint64_t used = atomic_load(&mem->used_bytes);
    const bool has_room = bytes <= mem->limit_bytes && used <= mem->limit_bytes - bytes;
    if (has_room) atomic_fetch_add(&mem->used_bytes, bytes);
    pthread_mutex_unlock(&mem->space->lock);
    return has_room;
}

void hw_mem_uncharge(hw_mem *mem, uint64_t bytes) { atomic_fetch_sub(&mem->used_bytes, bytes); }

// Large blocks own their pages, so these can go back to the system at once; reads of the block are refused anyway. Of
// others the whole pages can, which is worth it where many of them wait.
static void give_pages_back(const hw_mem *mem, const hw_allocation *a) {
    enum { PAGE = 4096 };
    if (hw_space_is_large(a->bytes)) {
        madvise(hw_mem_host(mem, a->address), hw_align_up(a->bytes, HW_SPACE_CHUNK_BYTES), MADV_DONTNEED);
    } else if (mem->space->keeps_apart && a->bytes >= GIVEN_BACK_BYTES) {
        const uint64_t begin = hw_align_up(a->address, PAGE), end = (a->address + a->bytes) / PAGE * PAGE;
        madvise(hw_mem_host(mem, begin), end - begin, MADV_DONTNEED);
    }
}

// With the lock held: the live allocation of that number, whoever's it is.
static void free_record(const hw_mem *mem, uint32_t number, hw_allocation *a, const void *freed_at) {
    hw_space *s = mem->space;
    hw_mem *owner = s->gpus[a->gpu];
    a->freed_at = freed_at;
    hw_space_write(&s->map.records[number], a, HW_RECORD_USED | HW_RECORD_FREED);
    if (owner) atomic_fetch_sub(&owner->used_bytes, s->map.records[number].charged_bytes);
    if (owner && a->kind == HW_ALLOC_HEAP) atomic_fetch_sub(&owner->heap_bytes, heap_charge(a->bytes));
    give_pages_back(mem, a);
    hw_space_quarantine(s, number);
}

// With the lock held: what is left of a GPU that goes while others stay. Names of its variables go with it.
static void free_all_of(hw_mem *mem) {
    hw_space *s = mem->space;
    hw_allocation a;
    for (uint32_t number = 1; number < s->extents.n_items; number++) {
        if (!hw_space_read(&s->map.records[number], &a) || a.gpu != mem->number) continue;
        a.name = NULL;
        if (a.is_freed) hw_space_write(&s->map.records[number], &a, HW_RECORD_USED | HW_RECORD_FREED);
        else free_record(mem, number, &a, NULL);
    }
    hw_registered_remove_of(s->registered, (uint8_t)mem->number);
    atomic_fetch_add(&s->epoch, 1);
}

hw_status hw_mem_free(hw_mem *mem, uint64_t address, hw_diag *diag) {
    return hw_mem_free_for(mem, &(hw_mem_caller){.site = NULL}, address, diag);
}

hw_status hw_mem_free_for(hw_mem *mem, const hw_mem_caller *caller, uint64_t address, hw_diag *diag) {
    hw_space *s = mem->space;
    hw_status status = HW_USAGE;
    const char *why = "the address is not the start of an allocation";
    bool is_watched = begin_watched(s);
    pthread_mutex_lock(&s->lock);
    uint32_t number = hw_space_number_at(&s->map, address);
    hw_allocation a = {.address = address};
    if (!number) {
        bool is_there = hw_registered_find(s->registered, address, 0, &a) && a.address == address;
        if (is_there && hw_registered_remove(s->registered, address)) status = HW_OK;
        a.freed_at = caller->site;
    } else if (hw_space_read(&s->map.records[number], &a) && a.address == address) {
        if (a.is_freed) {
            why = "the allocation has been freed already";
        } else {
            free_record(mem, number, &a, caller->site);
            status = HW_OK;
        }
    }
    if (status == HW_OK) atomic_fetch_add(&s->epoch, 1);
    pthread_mutex_unlock(&s->lock);
    a.is_freed = true;
    end_watched(s, is_watched, status ? NULL : &a, caller);
    return status ? hw_diag_set(diag, status, "%s", why) : HW_OK;
}

static bool holds_bytes(const hw_allocation *a, uint64_t address, uint64_t bytes) {
    return address >= a->address && address - a->address <= a->bytes && bytes <= a->bytes - (address - a->address);
}

// Memory that is the host's is every GPU's as well, and so is what was mapped: who maps it says for whom.
static bool is_in_reach(const hw_mem *mem, const hw_allocation *a) {
    const bool is_all = a->kind == HW_ALLOC_PINNED || a->kind == HW_ALLOC_MANAGED || a->kind == HW_ALLOC_REGISTERED ||
                        a->kind == HW_ALLOC_MAPPED;
    return a->gpu == mem->number || is_all || hw_mem_reaches(mem, a->gpu) || a->open_to >> mem->number & 1;
}

bool hw_mem_find_any(const hw_mem *mem, uint64_t address, uint64_t bytes, hw_allocation *out) {
    if (address - mem->map.start >= mem->map.span_bytes)
        return hw_registered_find(mem->space->registered, address, bytes, out);
    uint32_t number = hw_space_number_at(&mem->map, address);
    return number && hw_space_read(&mem->map.records[number], out) && !out->is_freed &&
           holds_bytes(out, address, bytes);
}

bool hw_mem_find(const hw_mem *mem, uint64_t address, uint64_t bytes, hw_allocation *out) {
    return hw_mem_find_any(mem, address, bytes, out) && is_in_reach(mem, out);
}

bool hw_mem_is_out_of_reach(const hw_mem *mem, uint64_t address) {
    hw_allocation a;
    return hw_mem_find_any(mem, address, 1, &a) && !is_in_reach(mem, &a);
}

bool hw_mem_find_freed(const hw_mem *mem, uint64_t address, hw_allocation *out) {
    const uint32_t number = hw_space_number_at(&mem->map, address);
    return number && hw_space_read(&mem->map.records[number], out) && out->is_freed && holds_bytes(out, address, 1);
}

bool hw_mem_owns(const hw_mem *mem, uint64_t address) { return address - mem->map.start < mem->map.span_bytes; }

void *hw_mem_host(const hw_mem *mem, uint64_t address) { return hw_mem_apart_host(&mem->map.apart, address); }
const hw_mem_apart *hw_mem_get_apart(const hw_mem *mem) { return &mem->map.apart; }

void hw_mem_set_poison(hw_mem *mem, int byte) { mem->poison = byte; }
void hw_mem_keep_apart(hw_mem *mem) { mem->space->keeps_apart = true; }
int hw_mem_poison(const hw_mem *mem) { return mem->poison; }

static uint64_t distance_to(const hw_allocation *a, uint64_t address) {
    uint64_t last = a->address + (a->bytes ? a->bytes - 1 : 0);
    return address < a->address ? a->address - address : address > last ? address - last : 0;
}

bool hw_mem_nearest(const hw_mem *mem, uint64_t address, hw_allocation *out) {
    hw_space *s = mem->space;
    pthread_mutex_lock(&s->lock);
    bool found = hw_registered_nearest(s->registered, address, out);
    for (uint32_t i = 1; i < s->extents.n_items; i++) {
        hw_allocation a;
        if (!hw_space_read(&s->map.records[i], &a)) continue;
        uint64_t d = distance_to(&a, address), best = found ? distance_to(out, address) : UINT64_MAX;
        if (!found || d < best || (d == best && out->is_freed && !a.is_freed)) *out = a;
        found = true;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

// ---- contents ----

#define SHARED UINT64_MAX   // a record's contents: nobody can know them

uint64_t hw_mem_contents(const hw_mem *mem, uint64_t address) {
    hw_allocation a;
    const hw_mem_apart *apart = &mem->map.apart;
    uint32_t number = address - apart->begin < apart->bytes ? hw_space_number_at(&mem->map, address) : 0;
    const hw_record *r = &mem->map.records[number];
    if (!number || !hw_space_read(r, &a) || a.is_freed || a.address != address) return 0;
    uint64_t own = atomic_load(&r->contents), all = atomic_load(&mem->space->all_changed);
    if (own == SHARED) return 0;
    return own > all ? own : all;
}

uint64_t hw_mem_changes(const hw_mem *mem) { return atomic_load(&mem->space->changes); }

uint64_t hw_mem_set_changed(hw_mem *mem, uint64_t address) {
    uint32_t number = hw_space_number_at(&mem->map, address);
    uint64_t change = number ? next_change(mem->space) : 0;
    hw_record *r = &mem->map.records[number];
    if (number && atomic_load(&r->contents) != SHARED) atomic_store(&r->contents, change);
    return change;
}

void hw_mem_set_shared(hw_mem *mem, uint64_t address) {
    const uint32_t number = hw_space_number_at(&mem->map, address);
    if (number) atomic_store(&mem->map.records[number].contents, SHARED);
}

void hw_mem_set_all_changed(hw_mem *mem) { atomic_store(&mem->space->all_changed, next_change(mem->space)); }

hw_textures *hw_mem_textures(const hw_mem *mem) { return mem->textures; }

uint64_t hw_mem_epoch(const hw_mem *mem) { return atomic_load_explicit(&mem->space->epoch, memory_order_acquire); }

void hw_mem_set_flags(hw_mem *mem, uint64_t address, uint32_t flags) {
    hw_space *s = mem->space;
    pthread_mutex_lock(&s->lock);
    hw_allocation a;
    uint32_t number = hw_space_number_at(&s->map, address);
    hw_record *r = &s->map.records[number];
    if (number && hw_space_read(r, &a) && !a.is_freed && holds_bytes(&a, address, 0)) {
        a.flags = flags;
        hw_space_write(r, &a, HW_RECORD_USED);
    } else if (!number) {
        hw_registered_set_flags(s->registered, address, flags);
    }
    pthread_mutex_unlock(&s->lock);
}

// With the lock held.
static void open_record(hw_space *s, uint32_t number, hw_allocation *a, uint16_t gpus) {
    a->open_to = gpus;
    hw_space_write(&s->map.records[number], a, HW_RECORD_USED);
    atomic_fetch_add(&s->epoch, 1);   // what was looked up may hold no longer
}

void hw_mem_open(hw_mem *mem, uint64_t address, uint16_t gpus) {
    hw_space *s = mem->space;
    hw_allocation a;
    pthread_mutex_lock(&s->lock);
    const uint32_t number = hw_space_number_at(&s->map, address);
    if (number && hw_space_read(&s->map.records[number], &a) && !a.is_freed && a.gpu == mem->number)
        open_record(s, number, &a, gpus);
    pthread_mutex_unlock(&s->lock);
}

void hw_mem_open_all(hw_mem *mem, uint32_t flags, uint16_t gpus) {
    hw_space *s = mem->space;
    hw_allocation a;
    pthread_mutex_lock(&s->lock);
    for (uint32_t number = 1; number < s->extents.n_items; number++) {
        const bool is_live = hw_space_read(&s->map.records[number], &a) && !a.is_freed;
        if (is_live && a.gpu == mem->number && a.kind == HW_ALLOC_DEVICE && a.flags == flags)
            open_record(s, number, &a, gpus);
    }
    pthread_mutex_unlock(&s->lock);
}

uint64_t hw_mem_find_managed(const hw_mem *mem, const char *name) {
    hw_space *s = mem->space;
    hw_allocation a;
    uint64_t found = 0;
    pthread_mutex_lock(&s->lock);
    for (uint32_t number = 1; number < s->extents.n_items && !found; number++)
        if (hw_space_read(&s->map.records[number], &a) && !a.is_freed && a.kind == HW_ALLOC_MANAGED && a.name &&
            strcmp(a.name, name) == 0)
            found = a.address;
    pthread_mutex_unlock(&s->lock);
    return found;
}

void hw_mem_usage(const hw_mem *mem, uint64_t *limit, uint64_t *used) {
    *limit = mem->limit_bytes;
    *used = atomic_load_explicit(&mem->used_bytes, memory_order_relaxed);
}

uint64_t hw_mem_heap_used(const hw_mem *mem) { return atomic_load_explicit(&mem->heap_bytes, memory_order_relaxed); }
