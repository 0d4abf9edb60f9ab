// The sink: what it hears, and what becomes of it.
#include "check/check.h"

#include <string.h>

#include "base/alloc.h"
#include "check/aside.h"
#include "check/bounds.h"
#include "check/internal.h"
#include "mem/defined.h"
#include "mem/mem.h"

// ---- launches -------------------------------------------------------------------------------------------------------

static void forget_launch(hw_check *c) {
    if (c->blocks.ran_out || c->entries.ran_out || (c->sink.defined && c->sink.defined->ran_out)) c->ran_out = true;
    hw_check_blocks_end(&c->blocks);
    hw_check_reads_end(c);
    hw_check_intervals_free(&c->intervals);
    for (uint32_t i = 0; i < c->n_runs; i++) hw_free(c->runs[i]);
    hw_free(c->runs);
    c->runs = NULL;
    c->n_runs = c->n_notes = 0;
    c->notes = NULL;
    c->memory = NULL;
    c->homes = NULL;
}

static void find_floor(hw_check *c) {
    c->floor = hw_check_is_all_before(c->streams) ? hw_check_entries_next(&c->entries) : 1;
    c->reads.may_meet = c->reads.newest >= c->floor;
}

// More work in a stream.
static uint32_t begin_work(hw_check *c, uint64_t stream) {
    if (hw_check_is_all_waited_for(c->streams)) c->shadow.cells.dead = hw_check_entries_next(&c->entries);
    const uint32_t work = hw_check_streams_begin(c->streams, stream);
    find_floor(c);
    return work;
}

// A launch: of the host's, or of a kernel that has ended. Where nothing is known of that one, it is work of its stream.
// 0: no memory.
static uint32_t begin_launch_work(hw_check *c, const hw_launch_info *info) {
    uint32_t work = 0;
    if (info->parent) work = hw_check_children_begin(&c->children, c->streams, info->parent, info->child);
    if (!work && info->is_nested) return 0;
    if (!work) {
        if (info->parent && c->children.n_parents) c->ran_out = true;
        hw_check_children_close(&c->children, c->streams, 0);
        return begin_work(c, info->stream);
    }
    find_floor(c);
    return work;
}

static hw_status prepare_launch(hw_check *c, const hw_launch_info *info, hw_diag *diag) {
    forget_launch(c);
    if (info->n_workers > 1) return hw_diag_set(diag, HW_USAGE, "launches are checked by one host thread at a time");
    if (!info->is_nested) hw_check_host_launches(c, hw_check_host_this_thread());
    c->work = begin_launch_work(c, info);
    c->may_launch = info->may_launch;
    const uint32_t root = c->children.n_above ? c->children.parents[0].work : c->work;
    c->runs = hw_calloc((size_t)info->n_patterns + 1, sizeof *c->runs);
    c->n_runs = c->runs ? info->n_patterns : 0;
    c->launch = info->number;
    c->notes = info->notes;
    c->n_notes = info->n_notes;
    c->memory = info->mem;
    c->homes = info->homes;
    c->shared_bytes = info->smem_static_bytes + info->smem_dynamic_bytes;
    if (!c->work || !c->runs || !hw_check_works_add_launch(&c->works, c->work, root, info) ||
        !hw_check_blocks_begin(&c->blocks, info, c->options.compute_capability))
        return hw_diag_no_memory(diag);
    hw_check_reads_begin(c);
    return HW_OK;
}

// What has waited for a launch that has ended.
static void go_on(hw_check *c) {
    forget_launch(c);
    hw_check_take_back(c);
}

static hw_status begin_launch(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    hw_check *c = (hw_check *)sink;
    pthread_mutex_lock(&c->lock);
    hw_status status = info->is_nested && !hw_check_put_aside(c) ? hw_diag_no_memory(diag) : HW_OK;
    if (!status) {
        status = prepare_launch(c, info, diag);
        if (status && info->is_nested) go_on(c);
    }
    c->is_running = info->is_nested || !status;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static void hear_host(hw_check *c, const hw_host_event *event, uint64_t thread, bool is_late);

static void end_launch(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status) {
    hw_check *c = (hw_check *)sink;
    (void)host_ns, (void)status;
    pthread_mutex_lock(&c->lock);
    hw_check_intervals_look(c);
    if (!hw_check_children_end(&c->children, &c->blocks, c->streams, info->number, c->work)) c->ran_out = true;
    forget_launch(c);
    c->is_running = info->is_nested;
    if (info->is_nested) go_on(c);
    const size_t n = info->is_nested ? 0 : c->n_unheard;
    for (size_t i = 0; i < n; i++) hear_host(c, &c->unheard[i].event, c->unheard[i].thread, true);
    if (n) c->n_unheard = 0;
    pthread_mutex_unlock(&c->lock);
}

static void tell_access(hw_sink *sink, uint32_t worker, const hw_access *access) {
    (void)worker;
    hw_check_hear((hw_check *)sink, access, 1, &access->base);
}

static void tell_accesses(hw_sink *sink, uint32_t worker, const hw_access *first, uint32_t n, const uint64_t *bases) {
    (void)worker;
    hw_check_hear((hw_check *)sink, first, n, bases);
}

// ---- order ----------------------------------------------------------------------------------------------------------

static void tell_block(hw_sink *sink, uint32_t worker, const hw_block_step *step) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    if (!step->has_ended) {
        hw_check_block_begin(&c->blocks, &step->where, hw_check_entries_next(&c->entries));
        return;
    }
    hw_check_block *block = hw_check_block_of(&c->blocks, &step->where);
    if (block) block->copies.n = 0;
    if (block) hw_check_interval_end(c, block);
    if (block) hw_check_bounds_block_ends(c, block);
    hw_check_block_end(&c->blocks, &step->where);
}

// What has waited is looked at before threads of the block are put in order.
static void stop_waiting(hw_check *c, const hw_where *where) {
    hw_check_block *block = hw_check_block_of(&c->blocks, where);
    if (block) hw_check_interval_look(c, block);
}

static hw_check_entry entry_of_waiting(const hw_check *c, const hw_check_block *block, uint32_t warp, uint32_t mask,
                                       uint32_t note, hw_check_act act) {
    return (hw_check_entry){.work = c->work, .warp = block->number * c->blocks.n_warps + warp, .note = note,
                            .mask = mask, .act = (uint8_t)act, .is_many = true};
}

// Who has exited is not waited for; but these came to where the branch ends, and not to the barrier in it.
static void look_for_left_out(hw_check *c, const hw_check_block *block, uint32_t barrier) {
    const hw_check_arrivals *a = &block->arrivals[barrier];
    const uint32_t lanes = hw_check_blocks_left_out(block, barrier);
    if (!lanes) return;
    const uint32_t warp = a->alone.warp, note = a->alone.note;
    const hw_check_entry one = entry_of_waiting(c, block, warp, a->alone.mask, note, HW_CHECK_ARRIVES);
    const hw_check_entry other = entry_of_waiting(c, block, warp, lanes, note, HW_CHECK_GOES_PAST);
    hw_check_add_barrier(c, &one, &other);
}

static void tell_barrier(hw_sink *sink, uint32_t worker, const hw_barrier_step *step) {
    hw_check *c = (hw_check *)sink;
    hw_check_block *block = hw_check_block_of(&c->blocks, &step->where);
    uint32_t first = 0;
    (void)worker;
    if (!block) return;
    const bool is_for_all = hw_check_blocks_is_for_all(block, step);
    if (step->action == HW_BARRIER_COMPLETE) look_for_left_out(c, block, step->barrier);
    if (is_for_all) hw_check_interval_end(c, block);
    else if (step->action != HW_BARRIER_SYNC && step->action != HW_BARRIER_REDUCE) hw_check_interval_look(c, block);
    const bool is_good = hw_check_blocks_barrier(&c->blocks, step, c->notes, &first);
    // Others of the cluster come after it only where they have met it.
    const bool is_alone = c->blocks.cluster_blocks == 1;
    if (is_for_all && !block->has_late && is_alone) block->floor = hw_check_entries_next(&c->entries);
    if (is_good) return;
    const hw_check_arrivals *a = &block->arrivals[step->barrier];
    const hw_check_entry one = entry_of_waiting(c, block, a->warp, a->mask, first, HW_CHECK_ARRIVES);
    for (uint32_t k = 0; k <= step->more_warps; k++) {
        const hw_check_entry other = entry_of_waiting(c, block, step->where.warp + k, step->mask, step->note,
                                                      HW_CHECK_ARRIVES);
        hw_check_add_barrier(c, &one, &other);
    }
}

static void tell_meeting(hw_sink *sink, uint32_t worker, const hw_warp_sync *sync) {
    hw_check *c = (hw_check *)sink;
    const uint32_t strangers = sync->mask & ~sync->members;
    (void)worker;
    stop_waiting(c, &sync->where);
    hw_check_blocks_meet(&c->blocks, sync);
    const hw_check_block *block = strangers ? hw_check_block_of(&c->blocks, &sync->where) : NULL;
    if (!block) return;
    const hw_check_entry one = entry_of_waiting(c, block, sync->where.warp, strangers, sync->note, HW_CHECK_MEETS);
    hw_check_add_stranger(c, &one);
}

// The two sides are the first two places at which threads stand. Who waits for the host waits for nothing that the
// program lacks: the notice of the launch says what is the matter.
static void tell_stuck(hw_sink *sink, uint32_t worker, const hw_stuck *stuck) {
    hw_check *c = (hw_check *)sink;
    hw_check_entry waiting[2];
    uint32_t n = 0;
    bool is_of_warp = false;
    (void)worker;
    if (stuck->is_hosts_turn) return;
    for (uint32_t i = 0; i < stuck->n && n < 2; i++) {
        const hw_stuck_group *g = &stuck->groups[i];
        const hw_check_block *block = hw_check_block_of(&c->blocks, &g->where);
        if (!block) continue;
        is_of_warp |= g->why == HW_STUCK_AT_SYNC;
        waiting[n++] = entry_of_waiting(c, block, g->where.warp, g->mask, g->note,
                                        g->why == HW_STUCK_GOES_ROUND ? HW_CHECK_GOES_ROUND : HW_CHECK_ARRIVES);
    }
    if (n) hw_check_add_stuck(c, stuck->is_for_ever ? HW_CHECK_DEADLOCK : HW_CHECK_LIVELOCK, waiting, n,
                              is_of_warp ? HW_CHECK_MISSING_WARP : HW_CHECK_MISSING_BLOCK);
}

static void tell_fence(hw_sink *sink, uint32_t worker, const hw_fence *fence) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    stop_waiting(c, &fence->where);
    hw_check_blocks_fence(&c->blocks, fence);
}

static void tell_child(hw_sink *sink, uint32_t worker, const hw_child_step *step) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    stop_waiting(c, &step->where);
    if (!hw_check_children_add(&c->children, &c->blocks, c->work, step)) c->blocks.ran_out = true;
}

static void tell_mbarrier(hw_sink *sink, uint32_t worker, const hw_mbarrier_step *step) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    stop_waiting(c, &step->where);
    hw_check_blocks_mbarrier(&c->blocks, step, step->note < c->n_notes ? c->notes[step->note].scope : 0);
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

static void tell_arithmetic(hw_sink *sink, uint32_t worker, const hw_arithmetic *arithmetic) {
    hw_check *c = (hw_check *)sink;
    const hw_check_block *block = hw_check_block_of(&c->blocks, &arithmetic->where);
    (void)worker;
    if (!block) return;
    const hw_check_entry entry = {.work = c->work, .warp = block->number * c->blocks.n_warps + arithmetic->where.warp,
                                  .note = arithmetic->note, .mask = arithmetic->mask, .act = HW_CHECK_COMPUTES,
                                  .is_many = true};
    hw_check_add_arithmetic(c, &entry, (uint8_t)arithmetic->kind);
}

// ---- the host -------------------------------------------------------------------------------------------------------

// Who has accessed memory that is another's now.
static void forget_bytes(hw_check *c, uint64_t address, uint64_t bytes) {
    hw_check_shadow_forget(&c->shadow, address, bytes);
    hw_check_reads_forget(c, address, bytes);
}

static void add_allocation(hw_check *c, const hw_host_event *event) {
    forget_bytes(c, event->memory.address, event->memory.bytes);
    hw_check_host_allocate(c, event);
    hw_check_undefined_allocated(c, event);
}

static uint32_t begin_call(hw_check *c, const hw_host_event *event) {
    const uint32_t work = begin_work(c, event->stream);
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

static void tell_copy(hw_check *c, const hw_host_event *e, bool is_late) {
    const uint32_t work = begin_call(c, e);
    const hw_host_copy_kind kind = e->copy.kind;
    if (kind != HW_HOST_COPY_HOST_TO_DEVICE && kind != HW_HOST_COPY_HOST_TO_HOST)
        access_rows(c, work, HW_CHECK_READS, &e->copy.from, e->copy.width, e->copy.height, e->copy.depth);
    if (kind != HW_HOST_COPY_DEVICE_TO_HOST && kind != HW_HOST_COPY_HOST_TO_HOST)
        access_rows(c, work, HW_CHECK_WRITES, &e->copy.to, e->copy.width, e->copy.height, e->copy.depth);
    hw_check_host_copies(c, e, work, is_late);
    hw_check_host_direction(c, e);
    hw_check_undefined_copied(c, work, e);
}

static void tell_set(hw_check *c, const hw_host_event *e) {
    const hw_host_side *to = &e->set.to;
    access_rows(c, begin_call(c, e), HW_CHECK_WRITES, to, e->set.width, e->set.height, e->set.depth);
    hw_check_host_overwritten(c, to->address, (e->set.depth - 1) * to->slice + e->set.height * to->pitch);
    hw_check_undefined_set(c, e);
}

// cudaFree waits for the device. CUDA programming guide, "Stream Ordered Memory Allocator": not where the memory is of
// cudaMallocAsync, whose accesses are taken to have been waited for. That memory is to be freed is work of its stream,
// or comes after what the host knows.
static void tell_free(hw_check *c, const hw_host_event *e) {
    hw_check_allocation of = {.is_in_order = false};
    hw_host_event as = *e;
    hw_check_host_release(c, e->memory.address, &of);
    hw_check_host_freed(c, e);
    if (!e->memory.is_in_order && of.is_in_order) {
        as = (hw_host_event){.action = HW_HOST_STREAM_CREATE, .stream = HW_CHECK_HOST_STREAM,
                             .is_apart = true, .site = e->site};
        hw_check_streams_tell(c->streams, &as);
    } else {
        hw_check_streams_tell(c->streams, e);
    }
    if (e->memory.is_in_order || of.is_in_order) {
        const uint32_t work = begin_call(c, &as);
        hw_check_host_access(c, work, HW_CHECK_FREES, e->memory.address, e->memory.bytes);
    } else {
        hw_check_host_waited(c, e);
    }
    hw_check_undefined_freed(c, e);
    forget_bytes(c, e->memory.address, e->memory.bytes);
}

// What a handle stands for that has an action of its own.
static hw_host_object stream_of(const hw_host_event *e) { return (hw_host_object){HW_HOST_STREAM, e->stream, 0}; }
static hw_host_object event_of(const hw_host_event *e) { return (hw_host_object){HW_HOST_EVENT, e->event, 0}; }

static void hear_object(hw_check *c, const hw_host_event *e) {
    const hw_host_object stream = stream_of(e), event = event_of(e);
    switch (e->action) {
    case HW_HOST_STREAM_CREATE: hw_check_host_create(c, &stream, e->site); break;
    case HW_HOST_STREAM_DESTROY: hw_check_host_destroy(c, &stream, e->site); break;
    case HW_HOST_EVENT_CREATE: hw_check_host_create(c, &event, e->site); break;
    case HW_HOST_EVENT_DESTROY: hw_check_host_destroy(c, &event, e->site); break;
    case HW_HOST_OBJECT_CREATE: hw_check_host_create(c, &e->object, e->site); break;
    case HW_HOST_OBJECT_DESTROY: hw_check_host_destroy(c, &e->object, e->site); break;
    default: break;
    }
}

static void hear_order(hw_check *c, const hw_host_event *e) {
    hear_object(c, e);
    if (e->action == HW_HOST_CALLBACK) hw_check_host_unknown(c);
    else hw_check_streams_tell(c->streams, e);
    if (e->action == HW_HOST_STREAM_SYNCHRONIZE || e->action == HW_HOST_EVENT_SYNCHRONIZE ||
        e->action == HW_HOST_DEVICE_SYNCHRONIZE)
        hw_check_host_waited(c, e);
}

static void hear_host(hw_check *c, const hw_host_event *event, uint64_t thread, bool is_late) {
    if (event->action == HW_HOST_ALLOCATE || event->action == HW_HOST_COPY || event->action == HW_HOST_SET)
        hw_check_host_works(c, thread);
    switch (event->action) {
    case HW_HOST_ALLOCATE: add_allocation(c, event); break;
    case HW_HOST_FREE: tell_free(c, event); break;
    case HW_HOST_COPY: tell_copy(c, event, is_late); break;
    case HW_HOST_SET: tell_set(c, event); break;
    case HW_HOST_REFUSE: hw_check_host_refused(c, event, thread); break;
    case HW_HOST_ERROR: hw_check_host_failed(c, event, thread); break;
    case HW_HOST_ASK: hw_check_host_asks(c, event, thread); break;
    default: hear_order(c, event);
    }
}

// To be heard when the launch has ended. What the program does until then it may do rightly.
static void keep_unheard(hw_check *c, const hw_host_event *event) {
    hw_check_host_unknown(c);
    if (!hw_grow((void **)&c->unheard, c->n_unheard, &c->unheard_capacity, sizeof *c->unheard)) {
        c->ran_out = true;
        return;
    }
    hw_check_unheard *kept = &c->unheard[c->n_unheard++];
    *kept = (hw_check_unheard){*event, hw_check_host_this_thread()};
    if (event->action == HW_HOST_REFUSE) kept->event.refused.why = NULL;    // which does not live as long
}

// malloc and free of a kernel, told by its own thread.
static bool is_of_kernel(const hw_host_event *event) {
    return (event->action == HW_HOST_ALLOCATE || event->action == HW_HOST_FREE) && event->memory.kind == HW_ALLOC_HEAP;
}

static void hear_kernel(hw_check *c, const hw_host_event *event) {
    forget_bytes(c, event->memory.address, event->memory.bytes);
    if (event->action == HW_HOST_ALLOCATE) hw_check_undefined_allocated(c, event);
    else hw_check_undefined_freed(c, event);
}

static void tell_host(hw_sink *sink, const hw_host_event *event) {
    hw_check *c = (hw_check *)sink;
    pthread_mutex_lock(&c->lock);
    if (is_of_kernel(event)) hear_kernel(c, event);
    else if (!c->is_running) hear_host(c, event, hw_check_host_this_thread(), false);
    else keep_unheard(c, event);
    pthread_mutex_unlock(&c->lock);
}

static void tell_touched(hw_sink *sink, uint32_t worker, const hw_touched *touched) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    if (!(touched->ways & HW_TOUCHED_WRITTEN) ||
        !atomic_load_explicit(&c->host.n_comparable, memory_order_relaxed)) return;
    pthread_mutex_lock(&c->lock);
    hw_check_host_overwritten(c, touched->address, touched->bytes);
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
    c->level = hw_check_level_best();
    c->streams = hw_check_streams_create();
    c->works.arena = hw_arena_create();
    c->sink = (hw_sink){
        .events = HW_WANTS(ACCESS) | HW_WANTS(ATOMIC) | HW_WANTS(LANE_ACCESS) | HW_WANTS(COPY_LANDED) | HW_WANTS(BULK) |
                  HW_WANTS(FENCE) | HW_WANTS(BARRIER) | HW_WANTS(WARP_SYNC) | HW_WANTS(MBARRIER) |
                  HW_WANTS(CHILD) | HW_WANTS(STUCK) | HW_WANTS(STRAY) | HW_WANTS(BLOCK) |
                  HW_WANTS(UNDEFINED) | HW_WANTS(TOUCHED) | HW_WANTS(ARITHMETIC) | HW_WANTS(HOST),
        .ordered = true,
        .nests = true,
        .defined = hw_defined_create(),
        .launch_begin = begin_launch, .launch_end = end_launch,
        .access = tell_access, .accesses = tell_accesses, .atomic = tell_access, .lane_access = hw_check_tell_lanes,
        .copy_landed = hw_check_tell_landed, .bulk = hw_check_tell_row, .fence = tell_fence,
        .barrier = tell_barrier, .warp_sync = tell_meeting, .mbarrier = tell_mbarrier, .child = tell_child,
        .stuck = tell_stuck, .stray = hw_check_tell_stray, .block = tell_block,
        .undefined = hw_check_tell_undefined, .touched = tell_touched,
        .arithmetic = tell_arithmetic, .host = tell_host};
    if (c->streams && c->works.arena && c->sink.defined) return HW_OK;
    hw_check_destroy(c);
    *out = NULL;
    return hw_diag_no_memory(diag);
}

void hw_check_destroy(hw_check *c) {
    if (!c) return;
    while (c->aside) go_on(c);
    forget_launch(c);
    hw_check_entries_free(&c->entries);
    hw_check_shadow_free(&c->shadow);
    hw_check_reads_free(c);
    hw_check_children_free(&c->children, c->streams);
    hw_free(c->missed);
    hw_check_streams_destroy(c->streams);
    hw_arena_destroy(c->works.arena);
    hw_free(c->works.items);
    for (size_t i = 0; i < c->n_found; i++) hw_free(c->found[i]);
    hw_free(c->found);
    hw_check_host_free(&c->host);
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
    hw_check_reads_free(c);
    hw_check_host_forget(&c->host);
    hw_defined_forget_all(c->sink.defined);
    pthread_mutex_unlock(&c->lock);
}

void hw_check_leaks(hw_check *c) {
    pthread_mutex_lock(&c->lock);
    hw_check_host_leaks(c);
    pthread_mutex_unlock(&c->lock);
}

bool hw_check_ran_out(const hw_check *c) { return c->ran_out || hw_check_streams_ran_out(c->streams); }

bool hw_check_has_left_out(const hw_check *c) { return c->entries.has_left_out; }

void hw_check_end(hw_check *c, bool with_leaks) {
    pthread_mutex_lock(&c->lock);
    hw_check_host_ends(c);
    if (with_leaks) hw_check_host_leaks(c);
    pthread_mutex_unlock(&c->lock);
}

bool hw_check_count_at(hw_check *c, size_t index, uint64_t *count, uint64_t *bytes) {
    pthread_mutex_lock(&c->lock);
    const bool is_there = index < c->n_found;
    *count = is_there ? c->found[index]->finding.count : 0;
    *bytes = is_there ? c->found[index]->finding.bytes : 0;
    pthread_mutex_unlock(&c->lock);
    return is_there;
}

const hw_check_finding *hw_check_finding_at(hw_check *c, size_t index) {
    pthread_mutex_lock(&c->lock);
    const hw_check_finding *finding = index < c->n_found ? &c->found[index]->finding : NULL;
    pthread_mutex_unlock(&c->lock);
    return finding;
}
