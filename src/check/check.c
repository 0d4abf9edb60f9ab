// The sink: what it hears, and what becomes of it.
#include "check/check.h"

#include <string.h>

#include "base/alloc.h"
#include "check/internal.h"
#include "mem/defined.h"
#include "mem/mem.h"

// ---- launches -------------------------------------------------------------------------------------------------------

static void forget_launch(hw_check *c) {
    c->ran_out |= c->blocks.ran_out;
    hw_check_blocks_end(&c->blocks);
    for (uint32_t i = 0; i < c->n_runs; i++) hw_free(c->runs[i]);
    hw_free(c->runs);
    c->runs = NULL;
    c->n_runs = c->n_notes = 0;
    c->notes = NULL;
}

static hw_status prepare_launch(hw_check *c, const hw_launch_info *info, hw_diag *diag) {
    forget_launch(c);
    if (info->n_workers > 1) return hw_diag_set(diag, HW_USAGE, "launches are checked by one host thread at a time");
    c->work = hw_check_streams_begin(c->streams, info->stream);
    c->runs = hw_calloc((size_t)info->n_patterns + 1, sizeof *c->runs);
    c->n_runs = c->runs ? info->n_patterns : 0;
    c->notes = info->notes;
    c->n_notes = info->n_notes;
    if (!c->work || !c->runs || !hw_check_works_add_launch(&c->works, c->work, info) ||
        !hw_check_blocks_begin(&c->blocks, info, c->options.compute_capability))
        return hw_diag_no_memory(diag);
    return HW_OK;
}

static hw_status begin_launch(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    hw_check *c = (hw_check *)sink;
    pthread_mutex_lock(&c->lock);
    const hw_status status = prepare_launch(c, info, diag);
    c->is_running = !status;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static void hear_host(hw_check *c, const hw_host_event *event);

static void end_launch(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status) {
    hw_check *c = (hw_check *)sink;
    (void)info, (void)host_ns, (void)status;
    pthread_mutex_lock(&c->lock);
    forget_launch(c);
    c->is_running = false;
    for (size_t i = 0; i < c->n_unheard; i++) hear_host(c, &c->unheard[i]);
    c->n_unheard = 0;
    pthread_mutex_unlock(&c->lock);
}

// ---- order ----------------------------------------------------------------------------------------------------------

static void tell_block(hw_sink *sink, uint32_t worker, const hw_block_step *step) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    if (step->has_ended) hw_check_block_end(&c->blocks, &step->where);
    else hw_check_block_begin(&c->blocks, &step->where);
}

static hw_check_entry entry_at_barrier(const hw_check *c, const hw_check_block *block, uint32_t warp, uint32_t mask,
                                       uint32_t note) {
    return (hw_check_entry){.work = c->work, .warp = block->number * c->blocks.n_warps + warp, .note = note,
                            .mask = mask, .act = HW_CHECK_ARRIVES, .is_many = true};
}

static void tell_barrier(hw_sink *sink, uint32_t worker, const hw_barrier_step *step) {
    hw_check *c = (hw_check *)sink;
    uint32_t first = 0;
    (void)worker;
    if (hw_check_blocks_barrier(&c->blocks, step, c->notes, &first)) return;
    const hw_check_block *block = hw_check_block_of(&c->blocks, &step->where);
    const hw_check_arrivals *a = &block->arrivals[step->barrier];
    const hw_check_entry one = entry_at_barrier(c, block, a->warp, a->mask, first);
    const hw_check_entry other = entry_at_barrier(c, block, step->where.warp, step->mask, step->note);
    hw_check_add_barrier(c, &one, &other);
}

static void tell_meeting(hw_sink *sink, uint32_t worker, const hw_warp_sync *sync) {
    (void)worker;
    hw_check_blocks_meet(&((hw_check *)sink)->blocks, sync);
}

static void tell_fence(hw_sink *sink, uint32_t worker, const hw_fence *fence) {
    (void)worker;
    hw_check_blocks_fence(&((hw_check *)sink)->blocks, fence);
}

static void tell_mbarrier(hw_sink *sink, uint32_t worker, const hw_mbarrier_step *step) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    hw_check_blocks_mbarrier(&c->blocks, step, step->note < c->n_notes ? c->notes[step->note].scope : 0);
}

// ---- the host -------------------------------------------------------------------------------------------------------

static void add_allocation(hw_check *c, const hw_host_event *event) {
    hw_check_shadow_forget(&c->shadow, event->memory.address, event->memory.bytes);
    hw_check_undefined_allocated(c, event);
    const uint8_t kind = event->memory.kind;
    if (kind != HW_ALLOC_DEVICE && kind != HW_ALLOC_MANAGED && kind != HW_ALLOC_PINNED) return;
    if (!hw_grow((void **)&c->allocations, c->n_allocations, &c->allocations_capacity, sizeof *c->allocations)) return;
    c->allocations[c->n_allocations++] =
        (hw_check_allocation){event->memory.address, event->memory.bytes, event->site};
}

static void remove_allocation(hw_check *c, uint64_t address) {
    size_t i = 0;
    while (i < c->n_allocations && c->allocations[i].address != address) i++;
    if (i == c->n_allocations) return;
    memmove(&c->allocations[i], &c->allocations[i + 1], (--c->n_allocations - i) * sizeof *c->allocations);
}

static uint32_t begin_call(hw_check *c, const hw_host_event *event) {
    const uint32_t work = hw_check_streams_begin(c->streams, event->stream);
    if (!work || !hw_check_works_add_call(&c->works, work, event->stream, event->site)) c->ran_out = true;
    return work;
}

// All rows of one side of a copy or a set.
static void access_rows(hw_check *c, uint32_t work, hw_check_act act, const hw_host_side *side, uint64_t width,
                        uint64_t height, uint64_t depth) {
    for (uint64_t z = 0; z < depth; z++)
        for (uint64_t y = 0; y < height; y++)
            hw_check_host_access(c, work, act, side->address + z * side->slice + y * side->pitch, width);
}

static void tell_copy(hw_check *c, const hw_host_event *e) {
    const uint32_t work = begin_call(c, e);
    const hw_host_copy_kind kind = e->copy.kind;
    if (kind != HW_HOST_COPY_HOST_TO_DEVICE && kind != HW_HOST_COPY_HOST_TO_HOST)
        access_rows(c, work, HW_CHECK_READS, &e->copy.from, e->copy.width, e->copy.height, e->copy.depth);
    if (kind != HW_HOST_COPY_DEVICE_TO_HOST && kind != HW_HOST_COPY_HOST_TO_HOST)
        access_rows(c, work, HW_CHECK_WRITES, &e->copy.to, e->copy.width, e->copy.height, e->copy.depth);
    hw_check_undefined_copied(c, work, e);
}

static void tell_free(hw_check *c, const hw_host_event *e) {
    hw_check_streams_tell(c->streams, e);
    if (e->memory.is_in_order) {
        const uint32_t work = begin_call(c, e);
        hw_check_host_access(c, work, HW_CHECK_FREES, e->memory.address, e->memory.bytes);
    }
    remove_allocation(c, e->memory.address);
    hw_check_undefined_freed(c, e);
    hw_check_shadow_forget(&c->shadow, e->memory.address, e->memory.bytes);
}

static void hear_host(hw_check *c, const hw_host_event *event) {
    switch (event->action) {
    case HW_HOST_ALLOCATE: add_allocation(c, event); break;
    case HW_HOST_FREE: tell_free(c, event); break;
    case HW_HOST_COPY: tell_copy(c, event); break;
    case HW_HOST_SET:
        access_rows(c, begin_call(c, event), HW_CHECK_WRITES, &event->set.to, event->set.width, event->set.height,
                    event->set.depth);
        hw_check_undefined_set(c, event);
        break;
    default: hw_check_streams_tell(c->streams, event);
    }
}

// malloc and free of a kernel, told by its own thread.
static bool is_of_kernel(const hw_host_event *event) {
    return (event->action == HW_HOST_ALLOCATE || event->action == HW_HOST_FREE) && event->memory.kind == HW_ALLOC_HEAP;
}

static void hear_kernel(hw_check *c, const hw_host_event *event) {
    hw_check_shadow_forget(&c->shadow, event->memory.address, event->memory.bytes);
    if (event->action == HW_HOST_ALLOCATE) hw_check_undefined_allocated(c, event);
    else hw_check_undefined_freed(c, event);
}

static void tell_host(hw_sink *sink, const hw_host_event *event) {
    hw_check *c = (hw_check *)sink;
    pthread_mutex_lock(&c->lock);
    if (is_of_kernel(event)) hear_kernel(c, event);
    else if (!c->is_running) hear_host(c, event);
    else if (hw_grow((void **)&c->unheard, c->n_unheard, &c->unheard_capacity, sizeof *c->unheard))
        c->unheard[c->n_unheard++] = *event;
    else c->ran_out = true;
    pthread_mutex_unlock(&c->lock);
}

// ---- the object -----------------------------------------------------------------------------------------------------

static void make_lock(pthread_mutex_t *lock) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

hw_status hw_check_create(const hw_check_options *options, hw_check **out, hw_diag *diag) {
    hw_check *c = hw_calloc(1, sizeof *c);
    *out = c;
    if (!c) return hw_diag_no_memory(diag);
    make_lock(&c->lock);
    c->options = *options;
    c->streams = hw_check_streams_create();
    c->works.arena = hw_arena_create();
    c->sink = (hw_sink){
        .events = HW_WANTS(ACCESS) | HW_WANTS(ATOMIC) | HW_WANTS(LANE_ACCESS) | HW_WANTS(COPY_LANDED) |
                  HW_WANTS(FENCE) | HW_WANTS(BARRIER) | HW_WANTS(WARP_SYNC) | HW_WANTS(MBARRIER) | HW_WANTS(BLOCK) |
                  HW_WANTS(UNDEFINED) | HW_WANTS(HOST),
        .ordered = true,
        .defined = hw_defined_create(),
        .launch_begin = begin_launch, .launch_end = end_launch,
        .access = hw_check_tell_access, .atomic = hw_check_tell_access, .lane_access = hw_check_tell_lanes,
        .copy_landed = hw_check_tell_landed, .fence = tell_fence, .barrier = tell_barrier, .warp_sync = tell_meeting,
        .mbarrier = tell_mbarrier, .block = tell_block, .undefined = hw_check_tell_undefined,
        .host = tell_host};
    if (c->streams && c->works.arena && c->sink.defined) return HW_OK;
    hw_check_destroy(c);
    *out = NULL;
    return hw_diag_no_memory(diag);
}

void hw_check_destroy(hw_check *c) {
    if (!c) return;
    forget_launch(c);
    hw_check_entries_free(&c->entries);
    hw_check_shadow_free(&c->shadow);
    hw_check_streams_destroy(c->streams);
    hw_arena_destroy(c->works.arena);
    hw_free(c->works.items);
    for (size_t i = 0; i < c->n_found; i++) hw_free(c->found[i]);
    hw_free(c->found);
    hw_free(c->allocations);
    hw_free(c->unheard);
    hw_free(c->origins.items);
    hw_defined_destroy(c->sink.defined);
    pthread_mutex_destroy(&c->lock);
    hw_free(c);
}

hw_sink *hw_check_sink(hw_check *c) { return &c->sink; }

void hw_check_forget_memory(hw_check *c) {
    pthread_mutex_lock(&c->lock);
    hw_check_shadow_free(&c->shadow);
    hw_defined_forget_all(c->sink.defined);
    c->n_allocations = 0;
    pthread_mutex_unlock(&c->lock);
}

bool hw_check_ran_out(const hw_check *c) { return c->ran_out; }

void hw_check_find_leaks(hw_check *c) {
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->n_allocations; i++) hw_check_add_leak(c, &c->allocations[i]);
    pthread_mutex_unlock(&c->lock);
}

const hw_check_finding *hw_check_finding_at(hw_check *c, size_t index) {
    pthread_mutex_lock(&c->lock);
    const hw_check_finding *finding = index < c->n_found ? &c->found[index]->finding : NULL;
    pthread_mutex_unlock(&c->lock);
    return finding;
}
