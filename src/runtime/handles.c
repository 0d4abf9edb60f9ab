// A hash set of live handles: open addressing, removed entries leave a mark.
#include "runtime/handles.h"

#include <stdint.h>

#include "base/alloc.h"

typedef struct hw_rt_handle {
    void *handle;              // NULL: never used
    uint8_t kind;              // 0: removed
} entry;

void hw_rt_handles_init(hw_rt_handles *handles) {
    *handles = (hw_rt_handles){0};
    pthread_mutex_init(&handles->lock, NULL);
}

void hw_rt_handles_clear(hw_rt_handles *handles, void (*free_one)(void *context, hw_rt_handle_kind, void *handle),
                         void *context) {
    for (size_t i = 0; free_one && i < handles->capacity; i++)
        if (handles->entries[i].kind) free_one(context, handles->entries[i].kind, handles->entries[i].handle);
    hw_free(handles->entries);
    for (size_t i = 0; i < HW_RT_HANDLES_BURIED; i++) hw_free(handles->buried[i]);
    pthread_mutex_destroy(&handles->lock);
    *handles = (hw_rt_handles){0};
}

static size_t first_place(const hw_rt_handles *handles, const void *handle) {
    return (size_t)(((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 20) & (handles->capacity - 1);
}

static entry *find_handle(const hw_rt_handles *handles, hw_rt_handle_kind kind, const void *handle) {
    entry *entries = handles->entries;
    if (!handles->capacity || !handle) return NULL;
    for (size_t i = first_place(handles, handle); entries[i].handle; i = (i + 1) & (handles->capacity - 1))
        if (entries[i].handle == handle && entries[i].kind == kind) return &entries[i];
    return NULL;
}

static void put_handle(hw_rt_handles *handles, void *handle, uint8_t kind) {
    size_t i = first_place(handles, handle);
    while (handles->entries[i].handle) i = (i + 1) & (handles->capacity - 1);
    handles->entries[i] = (entry){handle, kind};
    handles->n_used++;
}

// Keeps at least half of the places free; what was removed is dropped on the way.
static bool make_room(hw_rt_handles *handles) {
    if (handles->n_used * 2 < handles->capacity) return true;
    size_t n_live = 0, old_capacity = handles->capacity;
    for (size_t i = 0; i < old_capacity; i++) n_live += handles->entries[i].kind != 0;
    size_t wanted = 64;
    while (wanted < n_live * 4) wanted *= 2;
    entry *old = handles->entries, *bigger = hw_calloc(wanted, sizeof *bigger);
    if (!bigger) return false;
    handles->entries = bigger;
    handles->capacity = wanted;
    handles->n_used = 0;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].kind) put_handle(handles, old[i].handle, old[i].kind);
    hw_free(old);
    return true;
}

bool hw_rt_handles_add(hw_rt_handles *handles, hw_rt_handle_kind kind, void *handle) {
    pthread_mutex_lock(&handles->lock);
    bool good = make_room(handles);
    if (good) put_handle(handles, handle, (uint8_t)kind);
    pthread_mutex_unlock(&handles->lock);
    return good;
}

void *hw_rt_handles_make(hw_rt_handles *handles, hw_rt_handle_kind kind, size_t bytes) {
    void *made = hw_calloc(1, bytes);
    if (made && hw_rt_handles_add(handles, kind, made)) return made;
    hw_free(made);
    return NULL;
}

void hw_rt_handles_bury(hw_rt_handles *handles, void *handle) {
    pthread_mutex_lock(&handles->lock);
    void **place = &handles->buried[handles->n_buried++ % HW_RT_HANDLES_BURIED];
    hw_free(*place);
    *place = handle;
    pthread_mutex_unlock(&handles->lock);
}

bool hw_rt_handles_have(hw_rt_handles *handles, hw_rt_handle_kind kind, const void *handle) {
    pthread_mutex_lock(&handles->lock);
    bool found = find_handle(handles, kind, handle) != NULL;
    pthread_mutex_unlock(&handles->lock);
    return found;
}

bool hw_rt_handles_remove(hw_rt_handles *handles, hw_rt_handle_kind kind, const void *handle) {
    pthread_mutex_lock(&handles->lock);
    entry *found = find_handle(handles, kind, handle);
    if (found) found->kind = 0;
    pthread_mutex_unlock(&handles->lock);
    return found != NULL;
}
