#include "timeline/cost.h"

#include <math.h>

#include "model/transfer.h"
#include "timeline/launch.h"

// ---- the GPU ----

static uint32_t most_grids(int cc) {
    static const struct { int cc; uint32_t grids; } rows[] = {
#define HW_GRIDS(...) {__VA_ARGS__},
#include "timeline/grids.def"
#undef HW_GRIDS
    };
    uint32_t grids = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && rows[i].cc <= cc; i++) grids = rows[i].grids;
    return grids;
}

// Several queues of work came with Hyper-Q: "NVIDIA Kepler GK110" white paper, whose chip is 3.5.
// What copies both ways cost each other, and a stream that goes on by another engine, was measured on an H200 alone
// (tests/cuda/streams_timed.cu under CUPTI): 82 us for 77.7; 2 to 5 us, of which this is the middle.
hw_schedule_gpu hw_cost_gpu(const hw_gpu *gpu, uint32_t copy_engines) {
    return (hw_schedule_gpu){.copy_engines = copy_engines, .most_kernels = most_grids(gpu->arch->cc),
                             .is_one_queue = gpu->arch->cc < 35, .both_ways = 77.7 / 82, .switch_us = 3.5};
}

uint32_t hw_timeline_copy_engines(const hw_gpu *gpu) {
    static const struct { int cc; uint32_t of_games, others; } rows[] = {
#define HW_COPY_ENGINES(...) {__VA_ARGS__},
#include "timeline/copy_engines.def"
#undef HW_COPY_ENGINES
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].cc == gpu->arch->cc) return hw_gpu_is_for_games(gpu) ? rows[i].of_games : rows[i].others;
    return 1;
}

// ---- launches ----

static double share_of(double part, double whole) { return part < whole && whole > 0 ? part / whole : 1; }

hw_timeline_launch hw_timeline_launch_of(const hw_gpu *gpu, const hw_time_work *work, const hw_estimate *estimate) {
    const double launch_us = estimate->bound_us[HW_BOUND_LAUNCH];
    const uint64_t per_sm = work->blocks_per_sm ? work->blocks_per_sm : 1;
    return (hw_timeline_launch){.us = estimate->us, .start_us = launch_us,
                                .memory_share = share_of(estimate->bound_us[HW_BOUND_MEMORY], estimate->us - launch_us),
                                .blocks = work->blocks, .blocks_at_once = per_sm * gpu->sms};
}

static double start_us(const hw_gpu *gpu) {
    return hw_model_time(gpu, &(hw_time_work){.blocks = 0}).us + hw_model_gap_us(gpu);
}

// Blocks come in waves of as many as the GPU holds. The last wave leaves room for others, and so do all blocks of a
// launch that has one wave.
hw_task hw_cost_launch(const hw_gpu *gpu, const hw_timeline_launch *launch) {
    const double begins_us = launch ? launch->start_us + hw_model_gap_us(gpu) : start_us(gpu);
    hw_task task = {.kind = HW_TASK_KERNEL, .start_us = begins_us, .tail_share = 1};
    const double work_us = launch ? launch->us - launch->start_us : 0;
    if (!(work_us > 0)) return task;
    const double at_once = launch->blocks_at_once ? (double)launch->blocks_at_once : 1;
    const double waves = (double)launch->blocks / at_once, whole = floor(waves), last = waves - whole;
    task.memory_share = launch->memory_share;
    task.full_us = waves > 0 ? work_us * whole / ceil(waves) : work_us;
    task.tail_us = work_us - task.full_us;
    task.tail_share = last > 0 ? last : 1;
    return task;
}

// ---- copies and sets ----

static bool is_device(hw_host_memory memory) {
    return memory == HW_HOST_MEMORY_DEVICE || memory == HW_HOST_MEMORY_MANAGED;
}

hw_direction hw_cost_direction(const hw_host_event *copy) {
    const bool to = is_device(copy->copy.to.memory), from = is_device(copy->copy.from.memory);
    if (to) return from ? HW_WITHIN_DEVICE : HW_TO_DEVICE;
    return from ? HW_FROM_DEVICE : HW_WITHIN_HOST;
}

uint64_t hw_cost_bytes(const hw_host_event *event) {
    if (event->action == HW_HOST_SET) return event->set.width * event->set.height * event->set.depth;
    return event->copy.width * event->copy.height * event->copy.depth;
}

static hw_host_kind host_kind(const hw_host_event *copy) {
    const bool is_to_device = hw_cost_direction(copy) == HW_TO_DEVICE;
    const hw_host_memory memory = is_to_device ? copy->copy.from.memory : copy->copy.to.memory;
    return memory == HW_HOST_MEMORY_OWN || memory == HW_HOST_MEMORY_UNKNOWN ? HW_HOST_PAGEABLE : HW_HOST_PINNED;
}

bool hw_cost_call_waits(const hw_host_event *copy) {
    const hw_direction direction = hw_cost_direction(copy);
    if (direction == HW_WITHIN_HOST || direction == HW_WITHIN_DEVICE) return false;
    return host_kind(copy) == HW_HOST_PAGEABLE;
}

// By what computes, like a kernel that fills the GPU: so many bytes are read and written.
static hw_task stream_task(const hw_gpu *gpu, uint64_t bytes) {
    const double gbs = hw_model_stream_gbs(gpu);
    return (hw_task){.kind = HW_TASK_KERNEL, .start_us = start_us(gpu), .memory_share = 1, .tail_share = 1,
                     .full_us = gbs > 0 ? (double)bytes / (gbs * 1e3) : 0};
}

hw_task hw_cost_copy(const hw_gpu *gpu, const hw_host_event *copy) {
    const hw_direction direction = hw_cost_direction(copy);
    const uint64_t bytes = hw_cost_bytes(copy);
    // From GPU to GPU bytes go over the link that the host's memory has, as page-locked ones do: what other links a
    // board has (NVLink) is not known of it.
    const hw_host_side *to = &copy->copy.to, *from = &copy->copy.from;
    const bool are_devices = to->memory == HW_HOST_MEMORY_DEVICE && from->memory == HW_HOST_MEMORY_DEVICE;
    const bool is_between = are_devices && to->gpu != from->gpu;
    if (direction == HW_WITHIN_DEVICE && !is_between) return stream_task(gpu, 2 * bytes);
    const double us = hw_model_transfer_us(gpu, is_between ? HW_HOST_PINNED : host_kind(copy), bytes);
    // Without a link to a memory of its own, the GPU copies within the one that it shares.
    if (!(us > 0)) return stream_task(gpu, 2 * bytes);
    return (hw_task){.kind = direction == HW_TO_DEVICE ? HW_TASK_COPY_IN : HW_TASK_COPY_OUT, .start_us = us};
}

double hw_cost_host_copy_us(uint64_t bytes) {
    const double gbs = 10;           // one processor's, as the driver's own copies (model/transfer.c)
    return (double)bytes / (gbs * 1e3);
}

hw_task hw_cost_set(const hw_gpu *gpu, const hw_host_event *set) { return stream_task(gpu, hw_cost_bytes(set)); }

// ---- the host ----

static const struct { double us; const char *name; } calls[HW_HOST_ACTIONS] = {
#define HW_CALL(id, us, name) [HW_HOST_##id] = {us, name},
#include "timeline/calls.def"
#undef HW_CALL
};

double hw_cost_call_us(hw_host_action action) { return (unsigned)action < HW_HOST_ACTIONS ? calls[action].us : 0; }

const char *hw_call_name(hw_host_action action) {
    if (action == HW_SPAN_LAUNCHES) return "launch";
    return (unsigned)action < HW_HOST_ACTIONS && calls[action].name ? calls[action].name : "";
}
