// The table of texture objects: an array that grows, with holes where textures were removed.
#include "mem/texture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

enum {
    MAX_TEXTURES = 1 << 20,                // the CUDA programming guide's limit of bindless textures
    BEFORE_HOLES = 1024                    // so many handles are given before one is for the second time
};

typedef struct entry {
    hw_texture texture;
    bool is_used;
} entry;

struct hw_textures {
    pthread_mutex_t lock;
    entry *entries;                        // handle - 1
    size_t count, capacity;
    size_t next;                           // where a hole is looked for
    _Atomic uint64_t version;
    _Atomic uint64_t removed;
};

hw_textures *hw_textures_create(void) {
    hw_textures *textures = hw_calloc(1, sizeof *textures);
    if (textures) pthread_mutex_init(&textures->lock, NULL);
    return textures;
}

void hw_textures_destroy(hw_textures *textures) {
    if (!textures) return;
    pthread_mutex_destroy(&textures->lock);
    hw_free(textures->entries);
    hw_free(textures);
}

static entry *take_texture_entry(hw_textures *textures) {
    for (size_t i = 0; textures->count >= BEFORE_HOLES && i < textures->count; i++) {
        entry *hole = &textures->entries[textures->next++ % textures->count];
        if (!hole->is_used) return hole;
    }
    if (textures->count == textures->capacity) {
        size_t capacity = textures->capacity ? 2 * textures->capacity : 16;
        entry *larger =
            capacity > MAX_TEXTURES ? NULL : hw_realloc_array(textures->entries, capacity, sizeof *larger);
        if (!larger) return NULL;
        textures->entries = larger;
        textures->capacity = capacity;
    }
    return &textures->entries[textures->count++];
}

hw_status hw_textures_add(hw_textures *textures, const hw_texture *texture, uint64_t *handle, hw_diag *diag) {
    pthread_mutex_lock(&textures->lock);
    entry *free_entry = take_texture_entry(textures);
    if (free_entry) {
        *free_entry = (entry){.texture = *texture, .is_used = true};
        *handle = (uint64_t)(free_entry - textures->entries) + 1;
        textures->version++;
    }
    pthread_mutex_unlock(&textures->lock);
    return free_entry ? HW_OK : hw_diag_no_memory(diag);
}

static entry *used_entry(hw_textures *textures, uint64_t handle) {
    if (handle < 1 || handle > textures->count || !textures->entries[handle - 1].is_used) return NULL;
    return &textures->entries[handle - 1];
}

bool hw_textures_find(hw_textures *textures, uint64_t handle, hw_texture *out) {
    pthread_mutex_lock(&textures->lock);
    const entry *found = used_entry(textures, handle);
    if (found) *out = found->texture;
    pthread_mutex_unlock(&textures->lock);
    return found != NULL;
}

bool hw_textures_remove(hw_textures *textures, uint64_t handle) {
    pthread_mutex_lock(&textures->lock);
    entry *found = used_entry(textures, handle);
    if (found) {
        found->is_used = false;
        textures->version++;
        atomic_fetch_add(&textures->removed, 1);
    }
    pthread_mutex_unlock(&textures->lock);
    return found != NULL;
}

uint64_t hw_textures_version(const hw_textures *textures) {
    return atomic_load_explicit(&textures->version, memory_order_acquire);
}

uint64_t hw_textures_removed(const hw_textures *textures) { return atomic_load(&textures->removed); }

uint64_t hw_texture_place(const hw_texture *t, uint64_t offset) {
    enum { BLOCK_BYTES = 64, BLOCK_ROWS = 8 };
    if (!t->is_array || t->size[1] == 1 || !t->pitch_bytes) return offset;
    uint64_t in_slice = offset, slice = 0;
    if (t->size[2] > 1) slice = offset / t->slice_bytes, in_slice = offset % t->slice_bytes;
    // Mostly 32 bits are enough, which take a fourth of the time to divide.
    const uint64_t y = (in_slice | t->pitch_bytes) >> 32 ? in_slice / t->pitch_bytes
                                                         : (uint32_t)in_slice / (uint32_t)t->pitch_bytes;
    const uint64_t x = in_slice - y * t->pitch_bytes;
    const uint64_t blocks = (t->pitch_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    const uint64_t block_row = slice * ((t->size[1] + BLOCK_ROWS - 1) / BLOCK_ROWS) + y / BLOCK_ROWS;
    const uint64_t within = x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
    return (block_row * blocks + x / BLOCK_BYTES) * BLOCK_BYTES * BLOCK_ROWS + within;
}
