// Records lie in sets of a few, found by a hash of their keys; of a set the one that was not used for longest goes. To
// find none is to look at one cache line, for a launch may take no more than microseconds.
#include "device/reuse.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mix.h"
#include "mem/texture.h"

// 1024 records, of some 300 bytes each; the largest arguments and lists make it 6 MB.
enum { SETS = 256, WAYS = 4, UNKNOWN = HW_REUSE_TOUCHED + 1 };

typedef struct touched {
    uint64_t address;
    uint64_t contents;             // as the launch has left them
    uint8_t ways;                  // HW_TOUCHED_*
} touched;

// Allocations, each once.
typedef struct touched_list {
    uint32_t n;                    // UNKNOWN: more than there is room for
    touched items[HW_REUSE_TOUCHED];
} touched_list;

typedef struct record {
    uint64_t number;               // of the executed launch
    touched *list;                 // and behind it the key; the room stays when the record goes
    size_t capacity_bytes, key_bytes;
    uint32_t n_touched;
    bool uses_handles;
    uint64_t textures_removed;
} record;

typedef struct record_set {
    _Alignas(64) uint64_t hashes[WAYS];    // 0: there is none
    uint64_t last_used[WAYS];
} record_set;

typedef struct worker {
    _Alignas(64) touched_list touched;
    bool is_outside;
} worker;

struct hw_reuse {
    hw_sink sink;                  // first: the sink is the object
    hw_mem *mem;
    record_set sets[SETS];
    record records[SETS][WAYS];
    uint64_t uses;
    const void *key;               // of the expected launch
    size_t key_bytes;
    uint64_t hash;
    uint32_t set;                  // where its record is, if it has one
    // The running launch.
    worker *workers;
    uint32_t n_workers;
    uint64_t changes, textures_removed;    // when it began
};

// ---- records ----

static const void *key_of_record(const record *r) { return r->list + r->n_touched; }

// The place of the expected launch's record in its set; WAYS: it has none.
static int find_way(const hw_reuse *reuse) {
    const record_set *set = &reuse->sets[reuse->set];
    const record *records = reuse->records[reuse->set];
    int i = 0;
    while (i < WAYS && !(set->hashes[i] == reuse->hash && records[i].key_bytes == reuse->key_bytes &&
                         !memcmp(key_of_record(&records[i]), reuse->key, reuse->key_bytes)))
        i++;
    return i;
}

static int oldest_way(const record_set *set) {
    int oldest = 0;
    for (int i = 1; i < WAYS; i++)
        if (set->last_used[i] < set->last_used[oldest]) oldest = i;
    return oldest;
}

static bool make_room(record *r, size_t bytes) {
    if (bytes <= r->capacity_bytes) return true;
    void *bigger = hw_malloc(bytes);
    if (!bigger) return false;
    hw_free(r->list);
    r->list = bigger;
    r->capacity_bytes = bytes;
    return true;
}

static void add_record(hw_reuse *reuse, uint64_t number, const touched_list *all, bool uses_handles) {
    record_set *set = &reuse->sets[reuse->set];
    int way = find_way(reuse);
    if (way == WAYS) way = oldest_way(set);
    record *r = &reuse->records[reuse->set][way];
    set->hashes[way] = set->last_used[way] = 0;
    if (!make_room(r, all->n * sizeof *r->list + reuse->key_bytes)) return;
    memcpy(r->list, all->items, all->n * sizeof *r->list);
    memcpy(r->list + all->n, reuse->key, reuse->key_bytes);
    r->number = number;
    r->key_bytes = reuse->key_bytes;
    r->n_touched = all->n;
    r->uses_handles = uses_handles;
    r->textures_removed = reuse->textures_removed;
    set->hashes[way] = reuse->hash;
    set->last_used[way] = ++reuse->uses;
}

uint64_t hw_reuse_find(hw_reuse *reuse, const void *key, size_t key_bytes) {
    reuse->key = key;
    reuse->key_bytes = key_bytes;
    reuse->hash = hw_mix_bytes(0, key, key_bytes) | 1;    // 0 stands for none
    reuse->set = (uint32_t)(reuse->hash >> 32) % SETS;
    int way = find_way(reuse);
    if (way == WAYS) return 0;
    const record *r = &reuse->records[reuse->set][way];
    for (uint32_t i = 0; i < r->n_touched; i++)
        if (hw_mem_contents(reuse->mem, r->list[i].address) != r->list[i].contents) return 0;
    if (r->uses_handles && r->textures_removed != hw_textures_removed(hw_mem_textures(reuse->mem))) return 0;
    reuse->sets[reuse->set].last_used[way] = ++reuse->uses;
    return r->number;
}

// ---- a launch that is executed ----

static void add_touched(touched_list *list, uint64_t address, uint8_t ways) {
    uint32_t i = 0;
    if (list->n == UNKNOWN) return;
    while (i < list->n && list->items[i].address != address) i++;
    if (i == HW_REUSE_TOUCHED) {
        list->n = UNKNOWN;
        return;
    }
    if (i == list->n) list->items[list->n++] = (touched){.address = address};
    list->items[i].ways |= ways;
}

static void touch(hw_sink *sink, uint32_t number, const hw_touched *event) {
    add_touched(&((hw_reuse *)sink)->workers[number].touched, event->address, event->ways);
}

static void go_outside(hw_sink *sink, uint32_t number, const hw_outside *event) {
    (void)event;
    ((hw_reuse *)sink)->workers[number].is_outside = true;
}

static hw_status launch_begin(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    hw_reuse *reuse = (hw_reuse *)sink;
    if (info->n_workers > reuse->n_workers) {
        worker *bigger = hw_alloc_lanes(info->n_workers * sizeof *bigger);
        if (!bigger) return hw_diag_no_memory(diag);
        hw_free_aligned(reuse->workers);
        reuse->workers = bigger;
        reuse->n_workers = info->n_workers;
    }
    for (uint32_t i = 0; i < reuse->n_workers; i++) {
        reuse->workers[i].touched.n = 0;
        reuse->workers[i].is_outside = false;
    }
    reuse->changes = hw_mem_changes(reuse->mem);
    reuse->textures_removed = hw_textures_removed(hw_mem_textures(reuse->mem));
    return HW_OK;
}

// What all workers have touched. False: one of them went outside of memory.
static bool join_workers(const hw_reuse *reuse, touched_list *all) {
    bool is_inside = true;
    all->n = 0;
    for (uint32_t k = 0; k < reuse->n_workers; k++) {
        const worker *w = &reuse->workers[k];
        is_inside &= !w->is_outside;
        for (uint32_t i = 0; i < w->touched.n && w->touched.n != UNKNOWN; i++)
            add_touched(all, w->touched.items[i].address, w->touched.items[i].ways);
        if (w->touched.n == UNKNOWN) all->n = UNKNOWN;
    }
    return is_inside;
}

// Gives what the launch has written new numbers. False where it would not find again what it has found: it has changed
// what it reads, or the host has, or could have.
static bool number_contents(hw_reuse *reuse, touched_list *all) {
    bool is_same_again = true;
    for (uint32_t i = 0; i < all->n; i++) {
        touched *t = &all->items[i];
        bool is_written = t->ways & HW_TOUCHED_WRITTEN;
        uint64_t before = hw_mem_contents(reuse->mem, t->address);
        is_same_again &= before && before <= reuse->changes && !(is_written && t->ways & ~HW_TOUCHED_WRITTEN);
        t->contents = is_written ? hw_mem_set_changed(reuse->mem, t->address) : before;
    }
    return is_same_again;
}

static void launch_end(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status) {
    hw_reuse *reuse = (hw_reuse *)sink;
    touched_list all;
    (void)host_ns;
    bool is_inside = join_workers(reuse, &all);
    if (all.n == UNKNOWN) {
        hw_mem_set_all_changed(reuse->mem);
        return;
    }
    bool is_same_again = number_contents(reuse, &all), uses_handles = false;
    for (uint32_t i = 0; i < all.n; i++)
        uses_handles |= (all.items[i].ways & (HW_TOUCHED_TEXTURE | HW_TOUCHED_SURFACE)) != 0;
    if (uses_handles && reuse->textures_removed != hw_textures_removed(hw_mem_textures(reuse->mem))) return;
    if (is_same_again && is_inside && !status && !info->is_cooperative)
        add_record(reuse, info->number, &all, uses_handles);
}

// ---- the object ----

static bool keep(hw_sink *sink, uint64_t number) {
    (void)sink, (void)number;
    return true;
}

static void repeat(hw_sink *sink, const hw_launch_info *info, uint64_t number, uint64_t host_ns) {
    (void)sink, (void)info, (void)number, (void)host_ns;
}

hw_status hw_reuse_create(hw_mem *mem, hw_reuse **out, hw_diag *diag) {
    hw_reuse *reuse = hw_alloc_lanes(sizeof *reuse);
    *out = reuse;
    if (!reuse) return hw_diag_no_memory(diag);
    reuse->mem = mem;
    reuse->sink = (hw_sink){.events = HW_WANTS(TOUCHED) | HW_WANTS(OUTSIDE), .launch_begin = launch_begin,
                            .launch_end = launch_end, .keeps = keep, .repeats = repeat, .touched = touch,
                            .outside = go_outside};
    return HW_OK;
}

void hw_reuse_destroy(hw_reuse *reuse) {
    if (!reuse) return;
    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < WAYS; k++) hw_free(reuse->records[i][k].list);
    hw_free_aligned(reuse->workers);
    hw_free_aligned(reuse);
}

hw_sink *hw_reuse_sink(hw_reuse *reuse) { return &reuse->sink; }
