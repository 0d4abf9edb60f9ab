// Asynchronous copies from and to memory that the host program can write: until it has waited for one, it may neither
// free its memory nor write there. What it frees is told. What it writes is not; but bytes that are others than they
// were when the call returned, and that no work of the GPU can have written, it has.
//
// Copies of pageable memory have been done, or staged, when the call returns (CUDA Runtime API, "API synchronization
// behavior"), so that only page-locked memory is looked at. The bytes of registered memory are not compared: it may be
// gone without a call.
#include "base/alloc.h"
#include "base/mix.h"
#include "check/internal.h"
#include "mem/mem.h"

enum { MOST_COPIES = 4096 };    // that are remembered; a program that never waits would have ever more

static uint64_t hash_of(const hw_check_copy *copy) {
    uint64_t hash = 0;
    for (uint64_t z = 0; z < copy->depth; z++)
        for (uint64_t y = 0; y < copy->height; y++) {
            const uint64_t row = copy->side.address + z * copy->side.slice + y * copy->side.pitch;
            hash = hw_mix_bytes(hash, (const void *)(uintptr_t)row, copy->width);
        }
    return hash;
}

static uint64_t end_of(const hw_check_copy *copy) {
    return copy->side.address + (copy->depth - 1) * copy->side.slice + (copy->height - 1) * copy->side.pitch +
           copy->width;
}

static bool is_touched(const hw_check_copy *copy, uint64_t address, uint64_t bytes) {
    return copy->side.address < address + bytes && address < end_of(copy);
}

static void count_comparable(hw_check_host *h) {
    size_t n = 0;
    for (size_t i = 0; i < h->n_copies; i++) n += h->copies[i].is_known;
    atomic_store_explicit(&h->n_comparable, n, memory_order_relaxed);
}

static void add_copy(hw_check *c, const hw_host_event *event, const hw_host_side *side, uint32_t work, bool is_late) {
    hw_check_host *h = &c->host;
    const bool is_pinned = side->memory == HW_HOST_MEMORY_PINNED;
    if (!is_pinned && side->memory != HW_HOST_MEMORY_REGISTERED) return;
    if (h->n_copies == MOST_COPIES ||
        !hw_grow((void **)&h->copies, h->n_copies, &h->copies_capacity, sizeof *h->copies)) return;
    hw_check_copy *copy = &h->copies[h->n_copies++];
    *copy = (hw_check_copy){.side = *side, .width = event->copy.width, .height = event->copy.height,
                            .depth = event->copy.depth, .stream = event->stream, .work = work,
                            .is_read = side == &event->copy.from, .is_known = is_pinned && !is_late,
                            .site = event->site};
    if (copy->is_known) copy->hash = hash_of(copy);
}

void hw_check_host_overwritten(hw_check *c, uint64_t address, uint64_t bytes) {
    for (size_t i = 0; i < c->host.n_copies; i++)
        if (is_touched(&c->host.copies[i], address, bytes)) c->host.copies[i].is_known = false;
    count_comparable(&c->host);
}

void hw_check_host_unknown(hw_check *c) {
    for (size_t i = 0; i < c->host.n_copies; i++) c->host.copies[i].is_known = false;
    count_comparable(&c->host);
}

void hw_check_host_copies(hw_check *c, const hw_host_event *event, uint32_t work, bool is_late) {
    const hw_check_copy written = {.side = event->copy.to, .width = event->copy.width, .height = event->copy.height,
                                   .depth = event->copy.depth};
    if (c->host.n_copies) hw_check_host_overwritten(c, written.side.address, end_of(&written) - written.side.address);
    add_copy(c, event, &event->copy.from, work, is_late);
    add_copy(c, event, &event->copy.to, work, is_late);
    count_comparable(&c->host);
}

static void add_race(hw_check *c, const hw_check_copy *copy, hw_check_act act, const void *site) {
    if (hw_check_ran_out(c)) return;    // of an order, perhaps
    const hw_check_finding f = {
        .kind = HW_CHECK_RACE, .missing = HW_CHECK_MISSING_HOST, .space = HW_SPACE_GLOBAL,
        .address = copy->side.address, .n_sides = 2,
        .sides = {{.act = copy->is_read ? HW_CHECK_READS : HW_CHECK_WRITES, .site = copy->site, .stream = copy->stream,
                   .file = ""},
                  {.act = act, .site = site, .file = ""}},
        .subject = {.begin = copy->side.address}};
    const uint64_t places[2] = {(uint64_t)(uintptr_t)copy->site << 1 | copy->is_read,
                                (uint64_t)(uintptr_t)site << 5 | (uint64_t)act};
    hw_check_add(c, &f, places);
}

void hw_check_host_waited(hw_check *c, const hw_host_event *event) {
    hw_check_host *h = &c->host;
    size_t kept = 0;
    for (size_t i = 0; i < h->n_copies; i++) {
        const hw_check_copy *copy = &h->copies[i];
        if (!hw_check_is_waited_for(c->streams, copy->work)) h->copies[kept++] = *copy;
        else if (copy->is_known && hash_of(copy) != copy->hash) add_race(c, copy, HW_CHECK_WAITS, event->site);
    }
    h->n_copies = kept;
    count_comparable(h);
}

void hw_check_host_freed(hw_check *c, const hw_host_event *event) {
    hw_check_host *h = &c->host;
    size_t kept = 0;
    for (size_t i = 0; i < h->n_copies; i++) {
        const hw_check_copy *copy = &h->copies[i];
        if (!is_touched(copy, event->memory.address, event->memory.bytes)) h->copies[kept++] = *copy;
        else if (!hw_check_is_waited_for(c->streams, copy->work)) add_race(c, copy, HW_CHECK_FREES, event->site);
    }
    h->n_copies = kept;
    count_comparable(h);
}
