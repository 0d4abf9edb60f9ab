// What the host program has made and not given back yet, in tables by address and by handle.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/internal.h"
#include "mem/mem.h"

// ---- tables ---------------------------------------------------------------------------------------------------------

// Items begin with the number that they are sorted by: the place of the first that is not below key.
static size_t place_of(const void *items, size_t n, size_t item_bytes, uint64_t key) {
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        uint64_t there;
        memcpy(&there, (const char *)items + middle * item_bytes, sizeof there);
        if (there < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static size_t place_of_allocation(const hw_check_host *h, uint64_t address) {
    return place_of(h->allocations, h->n_allocations, sizeof *h->allocations, address);
}

static hw_check_allocation *find_allocation(const hw_check_host *h, uint64_t address) {
    const size_t place = place_of_allocation(h, address);
    return place < h->n_allocations && h->allocations[place].address == address ? &h->allocations[place] : NULL;
}

void hw_check_host_allocate(hw_check *c, const hw_host_event *event) {
    hw_check_host *h = &c->host;
    const uint8_t kind = event->memory.kind;
    if (kind == HW_ALLOC_GLOBAL || kind == HW_ALLOC_HEAP) return;
    if (!hw_grow((void **)&h->allocations, h->n_allocations, &h->allocations_capacity, sizeof *h->allocations)) {
        c->ran_out = true;
        return;
    }
    hw_check_allocation *at = &h->allocations[place_of_allocation(h, event->memory.address)];
    memmove(at + 1, at, (size_t)(h->allocations + h->n_allocations++ - at) * sizeof *at);
    *at = (hw_check_allocation){.address = event->memory.address, .bytes = event->memory.bytes, .number = ++h->n_made,
                                .site = event->site, .kind = kind, .is_in_order = event->memory.is_in_order};
}

bool hw_check_host_release(hw_check *c, uint64_t address, hw_check_allocation *out) {
    hw_check_host *h = &c->host;
    hw_check_allocation *found = find_allocation(h, address);
    if (!found) return false;
    *out = *found;
    memmove(found, found + 1, (size_t)(h->allocations + --h->n_allocations - found) * sizeof *found);
    return true;
}

// ---- handles --------------------------------------------------------------------------------------------------------

static uint64_t key_of(const hw_host_object *object) { return object->handle * 4 + object->kind; }

static size_t place_of_object(const hw_check_host *h, uint64_t key) {
    return place_of(h->objects, h->n_objects, sizeof *h->objects, key);
}

static hw_check_handle *find_object(const hw_check_host *h, const hw_host_object *object) {
    const uint64_t key = key_of(object);
    const size_t place = place_of_object(h, key);
    return place < h->n_objects && h->objects[place].key == key ? &h->objects[place] : NULL;
}

static hw_check_handle *make_object(hw_check *c, const hw_host_object *object) {
    hw_check_host *h = &c->host;
    hw_check_handle *at = find_object(h, object);
    if (at) return at;
    if (!hw_grow((void **)&h->objects, h->n_objects, &h->objects_capacity, sizeof *h->objects)) {
        c->ran_out = true;
        return NULL;
    }
    at = &h->objects[place_of_object(h, key_of(object))];
    memmove(at + 1, at, (size_t)(h->objects + h->n_objects++ - at) * sizeof *at);
    return at;
}

void hw_check_host_create(hw_check *c, const hw_host_object *object, const void *site) {
    hw_check_handle *made = make_object(c, object);
    hw_check_allocation *memory = object->kind == HW_HOST_ARRAY ? find_allocation(&c->host, object->address) : NULL;
    if (memory) memory->is_array = true;
    if (made)
        *made = (hw_check_handle){.key = key_of(object), .number = ++c->host.n_made, .kind = object->kind,
                                  .made_at = site, .is_alive = true};
}

void hw_check_host_destroy(hw_check *c, const hw_host_object *object, const void *site) {
    hw_check_handle *found = find_object(&c->host, object);
    if (!found) return;
    found->is_alive = false;
    found->destroyed_at = site;
}

const void *hw_check_host_destroyed_at(const hw_check *c, const hw_host_object *object) {
    const hw_check_handle *found = find_object(&c->host, object);
    return found ? found->destroyed_at : NULL;
}

// ---- leaks ----------------------------------------------------------------------------------------------------------

typedef struct left_over {
    uint64_t number, address, bytes;
    hw_check_leak leak;
    const void *site;
} left_over;

static hw_check_leak leak_of_memory(const hw_check_allocation *a) {
    if (a->is_array) return HW_CHECK_LEAK_ARRAY;
    switch (a->kind) {
    case HW_ALLOC_MANAGED: return HW_CHECK_LEAK_MANAGED;
    case HW_ALLOC_PINNED: return HW_CHECK_LEAK_PINNED;
    case HW_ALLOC_REGISTERED: return HW_CHECK_LEAK_REGISTERED;
    default: return HW_CHECK_LEAK_DEVICE;
    }
}

static hw_check_leak leak_of_object(hw_host_object_kind kind) {
    return kind == HW_HOST_STREAM ? HW_CHECK_LEAK_STREAM
           : kind == HW_HOST_EVENT ? HW_CHECK_LEAK_EVENT : HW_CHECK_LEAK_TEXTURE;
}

static int by_number(const void *one, const void *other) {
    const uint64_t a = ((const left_over *)one)->number, b = ((const left_over *)other)->number;
    return (a > b) - (a < b);
}

static void add_leak(hw_check *c, const left_over *l) {
    const hw_check_finding f = {.kind = HW_CHECK_LEAK, .address = l->address, .bytes = l->bytes, .n_sides = 1,
                                .sides = {{.act = l->bytes ? HW_CHECK_ALLOCATES : HW_CHECK_CREATES, .site = l->site,
                                           .file = ""}},
                                .subject = {.leak = l->leak}};
    hw_check_add(c, &f, (const uint64_t[2]){(uint64_t)(uintptr_t)l->site, l->leak});
}

// In the order in which they were made. An array is told as its memory.
void hw_check_host_leaks(hw_check *c) {
    const hw_check_host *h = &c->host;
    left_over *all = hw_calloc(h->n_allocations + h->n_objects + 1, sizeof *all);
    size_t n = 0;
    if (!all) c->ran_out = true;
    for (size_t i = 0; all && i < h->n_allocations; i++) {
        const hw_check_allocation *a = &h->allocations[i];
        all[n++] = (left_over){a->number, a->address, a->bytes, leak_of_memory(a), a->site};
    }
    for (size_t i = 0; all && i < h->n_objects; i++) {
        const hw_check_handle *o = &h->objects[i];
        if (o->is_alive && o->kind != HW_HOST_ARRAY)
            all[n++] = (left_over){o->number, 0, 0, leak_of_object(o->kind), o->made_at};
    }
    if (n) qsort(all, n, sizeof *all, by_number);
    for (size_t i = 0; i < n; i++) add_leak(c, &all[i]);
    hw_free(all);
}
