// A sorted array under one version number: odd while it changes, so that readers search without a lock and search
// again when it has changed under them. Registrations are few and rare, unlike look-ups.
#include "mem/registered.h"

#include <stdatomic.h>

#include "base/alloc.h"

enum { MAX_RANGES = 4096 };

typedef struct range {
    _Atomic uint64_t address, bytes, what;   // flags, kind << 32, gpu << 40, is_read_only << 48
    _Atomic(const void *) site;
} range;

struct hw_registered {
    _Atomic uint64_t version;
    _Atomic uint32_t count;
    range ranges[MAX_RANGES];
};

hw_registered *hw_registered_create(void) { return hw_calloc(1, sizeof(hw_registered)); }
void hw_registered_destroy(hw_registered *registered) { hw_free(registered); }

static uint64_t word_of(const hw_allocation *a) {
    return a->flags | (uint64_t)a->kind << 32 | (uint64_t)a->gpu << 40 | (uint64_t)a->is_read_only << 48;
}
static uint64_t load_word(const _Atomic uint64_t *word) { return atomic_load_explicit(word, memory_order_acquire); }

static void copy_range(const range *from, hw_allocation *out) {
    const uint64_t word = load_word(&from->what);
    *out = (hw_allocation){.address = load_word(&from->address),
                           .bytes = load_word(&from->bytes),
                           .kind = (hw_alloc_kind)(word >> 32 & 0xff),
                           .gpu = (uint8_t)(word >> 40),
                           .is_read_only = word >> 48 & 1,
                           .site = atomic_load_explicit(&from->site, memory_order_acquire),
                           .flags = (uint32_t)word};
}

static void store_range(range *to, const hw_allocation *from) {
    atomic_store_explicit(&to->address, from->address, memory_order_release);
    atomic_store_explicit(&to->bytes, from->bytes, memory_order_release);
    atomic_store_explicit(&to->what, word_of(from), memory_order_release);
    atomic_store_explicit(&to->site, from->site, memory_order_release);
}

// How many ranges begin at or below address.
static uint32_t count_up_to(const hw_registered *r, uint64_t address) {
    uint32_t low = 0, high = atomic_load_explicit(&r->count, memory_order_acquire);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (load_word(&r->ranges[middle].address) <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void begin_change(hw_registered *r) { atomic_fetch_add(&r->version, 1); }
static void end_change(hw_registered *r) { atomic_fetch_add(&r->version, 1); }

hw_status hw_registered_add(hw_registered *r, const hw_allocation *wanted) {
    uint32_t count = atomic_load(&r->count), at = count_up_to(r, wanted->address);
    if (at > 0 && wanted->address - load_word(&r->ranges[at - 1].address) < load_word(&r->ranges[at - 1].bytes))
        return HW_USAGE;
    if (at < count && load_word(&r->ranges[at].address) - wanted->address < wanted->bytes) return HW_USAGE;
    if (count == MAX_RANGES) return HW_NO_MEMORY;
    begin_change(r);
    for (uint32_t i = count; i > at; i--) {
        hw_allocation moved;
        copy_range(&r->ranges[i - 1], &moved);
        store_range(&r->ranges[i], &moved);
    }
    store_range(&r->ranges[at], wanted);
    atomic_store(&r->count, count + 1);
    end_change(r);
    return HW_OK;
}

bool hw_registered_remove(hw_registered *r, uint64_t address) {
    uint32_t count = atomic_load(&r->count), at = count_up_to(r, address);
    if (!at || load_word(&r->ranges[at - 1].address) != address) return false;
    begin_change(r);
    for (uint32_t i = at; i < count; i++) {
        hw_allocation moved;
        copy_range(&r->ranges[i], &moved);
        store_range(&r->ranges[i - 1], &moved);
    }
    atomic_store(&r->count, count - 1);
    end_change(r);
    return true;
}

void hw_registered_remove_of(hw_registered *r, uint8_t gpu) {
    for (uint32_t i = atomic_load(&r->count); i-- > 0;) {
        hw_allocation a;
        copy_range(&r->ranges[i], &a);
        if (a.gpu == gpu) hw_registered_remove(r, a.address);
    }
}

void hw_registered_set_flags(hw_registered *r, uint64_t address, uint32_t flags) {
    uint32_t at = count_up_to(r, address);
    if (!at || address - load_word(&r->ranges[at - 1].address) >= load_word(&r->ranges[at - 1].bytes)) return;
    hw_allocation changed;
    copy_range(&r->ranges[at - 1], &changed);
    changed.flags = flags;
    begin_change(r);
    store_range(&r->ranges[at - 1], &changed);
    end_change(r);
}

bool hw_registered_find(const hw_registered *r, uint64_t address, uint64_t bytes, hw_allocation *out) {
    if (!atomic_load_explicit(&r->count, memory_order_acquire)) return false;
    bool found;
    uint64_t before, after;
    do {
        before = load_word(&r->version);
        uint32_t at = count_up_to(r, address);
        found = at > 0;
        if (found) copy_range(&r->ranges[at - 1], out);
        after = load_word(&r->version);
    } while (before != after || before & 1);
    return found && address - out->address < out->bytes && bytes <= out->bytes - (address - out->address);
}

// Called under the writers' lock.
bool hw_registered_nearest(const hw_registered *r, uint64_t address, hw_allocation *out) {
    uint32_t count = atomic_load(&r->count), at = count_up_to(r, address);
    if (!count) return false;
    copy_range(&r->ranges[at ? at - 1 : 0], out);
    if (!at || at == count) return true;
    hw_allocation next;
    copy_range(&r->ranges[at], &next);
    uint64_t past = address - out->address < out->bytes ? 0 : address - (out->address + out->bytes - 1);
    if (next.address - address < past) *out = next;
    return true;
}
