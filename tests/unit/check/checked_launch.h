// A check that hears hand-made launches, told as exec would tell them. Each instruction has a line of its own in k.cu.
#ifndef HW_TESTS_CHECKED_LAUNCH_H
#define HW_TESTS_CHECKED_LAUNCH_H

#include <string.h>

#include "check/check.h"
#include "event/host.h"
#include "mem/mem.h"

enum { CHECKED_LINES = 512, CHECKED_PATTERNS = 8, ALL_LANES = -1 };

typedef struct checked {
    hw_check *check;
    hw_sink *sink;
    hw_note notes[CHECKED_LINES];
    const char *files[1];
    hw_launch_info info;
    uint64_t serial;
    hw_access_pattern patterns[CHECKED_PATTERNS];
    const hw_homes *homes;           // of launches to come; NULL: not known
    uint64_t parent;                 // likewise; 0: the host program launches them
    uint32_t child;                  // and which of the parent's children
    bool is_nested;                  // and in the midst of it
    hw_note of[CHECKED_PATTERNS];    // exec's patterns are each of one instruction; here, of such
} checked;

static inline hw_status checked_create(checked *c) {
    const hw_check_options options = {.compute_capability = 90};
    hw_diag diag = {0};
    *c = (checked){.files = {"k.cu"}};
    for (uint32_t i = 0; i < CHECKED_LINES; i++) c->notes[i] = (hw_note){.line = i};
    hw_status status = hw_check_create(&options, &c->check, &diag);
    if (!status) c->sink = hw_check_sink(c->check);
    return status;
}

static inline hw_where checked_where(uint32_t block, uint32_t warp) {
    return (hw_where){.block = {block, 0, 0}, .warp = warp};
}

static inline void checked_block(checked *c, uint32_t block, bool has_ended) {
    const hw_block_step step = {.where = checked_where(block, 0), .has_ended = has_ended};
    c->sink->block(c->sink, 0, &step);
}

// A launch all of whose blocks begin at once.
static inline hw_status checked_begin(checked *c, uint64_t stream, uint32_t blocks, uint32_t threads) {
    hw_diag diag = {0};
    const uint64_t number = c->info.number + 1;
    c->info = (hw_launch_info){.kernel = "k", .grid = {blocks, 1, 1}, .block = {threads, 1, 1},
                               .smem_static_bytes = 4096, .notes = c->notes, .n_notes = CHECKED_LINES,
                               .files = c->files, .n_files = 1, .n_workers = 1, .number = number, .stream = stream,
                               .n_patterns = CHECKED_PATTERNS, .homes = c->homes, .parent = c->parent,
                               .child = c->child, .is_nested = c->is_nested};
    hw_status status = c->sink->launch_begin(c->sink, &c->info, &diag);
    for (uint32_t i = 0; i < blocks && !status; i++) checked_block(c, i, false);
    return status;
}

static inline void checked_end(checked *c) { c->sink->launch_end(c->sink, &c->info, 0, HW_OK); }

// The same pattern as before where it is the same, as exec does; others take the places in turn.
static inline const hw_access_pattern *checked_pattern(checked *c, const hw_note *note, uint32_t mask,
                                                       const int64_t *delta) {
    static const int64_t none[HW_WARP_LANES];
    const size_t bytes = sizeof none;
    if (!delta) delta = none;
    for (int i = 0; i < CHECKED_PATTERNS; i++) {
        const hw_access_pattern *p = &c->patterns[i];
        const hw_note *of = &c->of[i];
        const bool is_such = p->serial && of->space == note->space && of->width_bytes == note->width_bytes &&
                             of->kind == note->kind && of->order == note->order && of->scope == note->scope &&
                             of->line == note->line;
        if (is_such && p->mask == mask && !memcmp(p->delta, delta, bytes)) return p;
    }
    const uint32_t index = (uint32_t)(c->serial % CHECKED_PATTERNS);
    c->patterns[index] = (hw_access_pattern){.index = index, .mask = mask, .serial = ++c->serial,
                                              .space = note->space};
    c->of[index] = *note;
    memcpy(c->patterns[index].delta, delta, bytes);
    for (int i = 0; i < HW_WARP_LANES; i++) {
        if (delta[i] < c->patterns[index].low) c->patterns[index].low = delta[i];
        if (delta[i] > c->patterns[index].high) c->patterns[index].high = delta[i];
    }
    return &c->patterns[index];
}

// delta: of 32 lanes, to the lowest one of mask; NULL: all access the same bytes.
static inline hw_access checked_record(checked *c, hw_where where, uint32_t line, const hw_note *as, uint32_t mask,
                                       uint64_t base, const int64_t *delta) {
    hw_note *note = &c->notes[line];
    *note = *as;
    note->line = line;
    return (hw_access){.note = line, .kind = as->kind, .space = as->space, .width_bytes = as->width_bytes,
                       .pattern = checked_pattern(c, note, mask, delta), .base = base, .repeat = 1, .where = where};
}

static inline void checked_access(checked *c, hw_where where, uint32_t line, const hw_note *as, uint32_t mask,
                                  uint64_t base, const int64_t *delta) {
    const hw_access access = checked_record(c, where, line, as, mask, base, delta);
    if (as->kind == HW_NOTE_ATOMIC) c->sink->atomic(c->sink, 0, &access);
    else c->sink->access(c->sink, 0, &access);
}

// By n warps of a block, the first in `where`, told at once.
static inline void checked_accesses(checked *c, hw_where where, uint32_t line, const hw_note *as, uint32_t mask,
                                    uint32_t n, const uint64_t *bases, const int64_t *delta) {
    const hw_access first = checked_record(c, where, line, as, mask, bases[0], delta);
    c->sink->accesses(c->sink, 0, &first, n, bases);
}

// One lane's access of a word of global memory.
static inline void checked_word(checked *c, uint32_t block, uint32_t warp, int lane, uint32_t line, uint8_t kind,
                                uint64_t address) {
    const hw_note note = {.kind = kind, .space = HW_SPACE_GLOBAL, .width_bytes = 4,
                          .scope = kind == HW_NOTE_ATOMIC ? HW_SCOPE_GPU : HW_SCOPE_NONE,
                          .order = kind == HW_NOTE_ATOMIC ? HW_ORDER_RELAXED : HW_ORDER_WEAK};
    checked_access(c, checked_where(block, warp), line, &note, 1u << lane, address, NULL);
}

static inline void checked_meet(checked *c, uint32_t block, uint32_t warp, uint32_t mask) {
    const hw_warp_sync sync = {.where = checked_where(block, warp), .members = mask, .mask = mask};
    c->sink->warp_sync(c->sink, 0, &sync);
}

static inline void checked_fence(checked *c, uint32_t block, uint32_t warp, uint32_t mask, uint8_t scope) {
    const hw_fence fence = {.where = checked_where(block, warp), .mask = mask, .order = HW_ORDER_SC, .scope = scope};
    c->sink->fence(c->sink, 0, &fence);
}

// A lane launches a kernel, does something with an event, or lets a stream wait for it.
static inline void checked_child(checked *c, uint32_t block, uint32_t warp, int lane, hw_child_step step) {
    step.where = checked_where(block, warp);
    step.lane = (uint8_t)lane;
    c->sink->child(c->sink, 0, &step);
}

// The lanes of a warp arrive at a barrier; expected: threads, or 0 for all of the block.
static inline void checked_arrive(checked *c, uint32_t block, uint32_t warp, uint32_t line, hw_barrier_action action,
                                  uint8_t barrier, uint32_t mask, uint32_t expected) {
    const hw_barrier_step step = {.where = checked_where(block, warp), .note = line, .action = action,
                                  .barrier = barrier, .mask = mask, .expected = expected};
    c->sink->barrier(c->sink, 0, &step);
}
static inline void checked_complete(checked *c, uint32_t block, uint8_t barrier) {
    const hw_barrier_step step = {.where = checked_where(block, 0), .note = HW_NO_NOTE,
                                  .action = HW_BARRIER_COMPLETE, .barrier = barrier};
    c->sink->barrier(c->sink, 0, &step);
}

static inline void checked_host(checked *c, hw_host_event event) { c->sink->host(c->sink, &event); }

// The finding between these lines, in either order; NULL: there is none.
static inline const hw_check_finding *checked_between(const checked *c, uint32_t line, uint32_t other) {
    const hw_check_finding *f;
    for (size_t i = 0; (f = hw_check_finding_at(c->check, i)); i++) {
        const uint32_t a = f->sides[0].line, b = f->sides[1].line;
        if (f->n_sides == 2 && ((a == line && b == other) || (a == other && b == line))) return f;
    }
    return NULL;
}

static inline size_t checked_count(const checked *c) {
    size_t n = 0;
    while (hw_check_finding_at(c->check, n)) n++;
    return n;
}

#endif
