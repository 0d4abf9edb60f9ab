// A hash set of live handles: open addressing, removed entries leave a mark.
#include <pthread.h>

#include "base/alloc.h"
#include "shim/shim.h"

typedef struct entry {
    const void *handle;        // NULL: never used
    uint8_t kind;              // 0: removed
} entry;

static entry *entries;
static size_t capacity, n_used;    // n_used counts removed ones too
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t first_place(const void *handle) {
    return (size_t)((hw_address(handle) >> 4) * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
}

static entry *find(hw_handle_kind kind, const void *handle) {
    if (!capacity || !handle) return NULL;
    for (size_t i = first_place(handle); entries[i].handle; i = (i + 1) & (capacity - 1))
        if (entries[i].handle == handle && entries[i].kind == kind) return &entries[i];
    return NULL;
}

static void put(const void *handle, uint8_t kind) {
    size_t i = first_place(handle);
    while (entries[i].handle) i = (i + 1) & (capacity - 1);
    entries[i] = (entry){handle, kind};
    n_used++;
}

// Keeps at least half of the places free; what was removed is dropped on the way.
static bool make_room(void) {
    if (n_used * 2 < capacity) return true;
    size_t n_live = 0, old_capacity = capacity;
    for (size_t i = 0; i < capacity; i++) n_live += entries[i].kind != 0;
    size_t wanted = 64;
    while (wanted < n_live * 4) wanted *= 2;
    entry *old = entries, *bigger = hw_calloc(wanted, sizeof *bigger);
    if (!bigger) return false;
    entries = bigger;
    capacity = wanted;
    n_used = 0;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].kind) put(old[i].handle, old[i].kind);
    hw_free(old);
    return true;
}

bool hw_handle_add(hw_handle_kind kind, void *handle) {
    pthread_mutex_lock(&lock);
    bool good = make_room();
    if (good) put(handle, (uint8_t)kind);
    pthread_mutex_unlock(&lock);
    return good;
}

bool hw_handle_is(hw_handle_kind kind, const void *handle) {
    pthread_mutex_lock(&lock);
    bool found = find(kind, handle) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

bool hw_handle_remove(hw_handle_kind kind, const void *handle) {
    pthread_mutex_lock(&lock);
    entry *found = find(kind, handle);
    if (found) found->kind = 0;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}
