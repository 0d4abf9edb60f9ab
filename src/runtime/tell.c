// What the program asks of the GPU, as events of the seam.
#include "runtime/tell.h"

#include <string.h>

static const void *site_of(const hw_runtime *runtime) {
    if (!hw_sim_tells_sites(hw_rt_sim(runtime))) return NULL;
    return runtime->options.site ? runtime->options.site(runtime->options.context) : NULL;
}

static bool is_on_device(const hw_runtime *runtime, const hw_rt_region *r) {
    hw_allocation found;
    return hw_mem_find_any(hw_sim_mem(hw_rt_sim((hw_runtime *)runtime)), hw_rt_address(r->start), 1, &found) &&
           found.kind == HW_ALLOC_DEVICE;
}

// As the program says, or, where it leaves that to the runtime, as the addresses do: copies within the device are not
// waited for.
static bool is_within_device(const hw_runtime *runtime, const hw_rt_region *to, const hw_rt_region *from,
                             unsigned direction) {
    if (direction != HW_HOST_COPY_ANY) return direction == HW_HOST_COPY_DEVICE_TO_DEVICE;
    return is_on_device(runtime, to) && is_on_device(runtime, from);
}

static hw_host_memory memory_of(hw_alloc_kind kind) {
    switch (kind) {
    case HW_ALLOC_PINNED: return HW_HOST_MEMORY_PINNED;
    case HW_ALLOC_REGISTERED: return HW_HOST_MEMORY_REGISTERED;
    case HW_ALLOC_MANAGED: return HW_HOST_MEMORY_MANAGED;
    default: return HW_HOST_MEMORY_DEVICE;
    }
}

static hw_host_side side_of_region(const hw_runtime *runtime, const hw_rt_region *r) {
    hw_host_side side = {.address = hw_rt_address(r->start), .pitch = r->pitch, .slice = r->slice,
                         .memory = HW_HOST_MEMORY_OWN};
    hw_allocation found;
    if (!hw_mem_find_any(hw_rt_mem(runtime), side.address, 1, &found)) return side;
    side.memory = memory_of(found.kind);
    side.gpu = found.gpu;
    return side;
}

void hw_rt_tell_copy(hw_runtime *runtime, const hw_rt_region *to, const hw_rt_region *from, hw_rt_shape shape,
                     unsigned direction, hw_rt_order order) {
    if (!hw_sim_tells_host(hw_rt_sim(runtime))) return;
    hw_host_event event = {.action = HW_HOST_COPY, .stream = hw_rt_stream_name(order.stream), .site = site_of(runtime)};
    event.copy.to = side_of_region(runtime, to);
    event.copy.from = side_of_region(runtime, from);
    event.copy.width = shape.width;
    event.copy.height = shape.height;
    event.copy.depth = shape.depth;
    event.copy.kind = (hw_host_copy_kind)direction;
    hw_sim_tell_host(hw_rt_sim(runtime), &event);
    if (!order.is_asynchronous && !is_within_device(runtime, to, from, direction))
        hw_rt_tell_order(runtime, HW_HOST_STREAM_SYNCHRONIZE, order.stream, NULL);
}

void hw_rt_tell_set(hw_runtime *runtime, const hw_rt_region *to, int value, hw_rt_shape shape, hw_rt_order order) {
    if (!hw_sim_tells_host(hw_rt_sim(runtime))) return;
    hw_host_event event = {.action = HW_HOST_SET, .stream = hw_rt_stream_name(order.stream), .site = site_of(runtime)};
    event.set.to = side_of_region(runtime, to);
    event.set.width = shape.width;
    event.set.height = shape.height;
    event.set.depth = shape.depth;
    event.set.value = (uint8_t)value;
    hw_sim_tell_host(hw_rt_sim(runtime), &event);
}

void hw_rt_tell_order(hw_runtime *runtime, hw_host_action action, const hw_rt_stream *stream,
                      const hw_rt_event *event) {
    if (!hw_sim_tells_host(hw_rt_sim(runtime))) return;
    const hw_host_event told = {.action = action, .stream = hw_rt_stream_name(stream), .event = hw_rt_address(event),
                                .site = site_of(runtime), .is_apart = hw_rt_stream_is_apart(stream),
                                .priority = hw_rt_stream_priority(stream)};
    hw_sim_tell_host(hw_rt_sim(runtime), &told);
}

void hw_rt_tell_object(hw_runtime *runtime, hw_host_action action, const hw_host_object *object) {
    if (!hw_sim_tells_host(hw_rt_sim(runtime))) return;
    const hw_host_event told = {.action = action, .site = site_of(runtime), .object = *object};
    hw_sim_tell_host(hw_rt_sim(runtime), &told);
}

// ---- in vain ----

// site NULL: who calls now.
static void tell_refusal(hw_runtime *runtime, const hw_host_refused *refused, const void *site) {
    const hw_host_event told = {.action = HW_HOST_REFUSE, .site = site ? site : site_of(runtime), .refused = *refused};
    hw_sim_tell_host(hw_rt_sim(runtime), &told);
}

void hw_rt_tell_no_object(hw_runtime *runtime, hw_host_reason reason, hw_host_object_kind kind, const void *handle) {
    if (!hw_rt_is_heard(runtime)) return;
    const hw_host_refused refused = {.reason = reason, .object = {.kind = kind, .handle = hw_rt_address(handle)}};
    tell_refusal(runtime, &refused, NULL);
}

// The allocation that holds the address, or did. Of others the nearest says little, unless the address lies behind it.
static bool find_allocation(const hw_runtime *runtime, uint64_t address, hw_allocation *out) {
    const hw_mem *mem = hw_rt_mem(runtime);
    if (hw_mem_find_any(mem, address, 1, out)) return true;
    return hw_mem_owns(mem, address) && hw_mem_nearest(mem, address, out) && out->address <= address;
}

static bool is_in(const hw_allocation *a, uint64_t address) {
    return address >= a->address && address - a->address < (a->bytes ? a->bytes : 1);
}

static void set_allocation(hw_host_refused *refused, const hw_allocation *a) {
    refused->allocation.address = a->address;
    refused->allocation.bytes = a->bytes;
    refused->allocation.kind = (uint8_t)a->kind;
    refused->allocation.name = a->name;
    refused->allocation.made_at = a->site;
    refused->allocation.freed_at = a->is_freed ? a->freed_at : NULL;
}

void hw_rt_tell_bad_free(hw_runtime *runtime, uint64_t address, const void *site) {
    if (!hw_rt_is_heard(runtime)) return;
    hw_host_refused refused = {.reason = HW_HOST_NEVER_ALLOCATED, .action = HW_HOST_FREE, .address = address};
    hw_allocation a;
    if (find_allocation(runtime, address, &a) && is_in(&a, address)) {
        set_allocation(&refused, &a);
        refused.reason = a.is_freed ? HW_HOST_FREED_BEFORE
                         : a.address != address ? HW_HOST_FREED_INSIDE : HW_HOST_FREED_BY_OTHER;
    }
    tell_refusal(runtime, &refused, site);
}

void hw_rt_tell_bad_bytes(hw_runtime *runtime, hw_host_action action, hw_host_reason reason, uint64_t address,
                          uint64_t bytes) {
    if (!hw_rt_is_heard(runtime)) return;
    hw_host_refused refused = {.reason = reason, .action = action, .address = address, .bytes = bytes};
    hw_allocation a;
    if (find_allocation(runtime, address, &a)) set_allocation(&refused, &a);
    tell_refusal(runtime, &refused, NULL);
}

void hw_rt_tell_bad_side(hw_runtime *runtime, hw_host_action action, const hw_rt_region *side, uint64_t bytes,
                         bool must_be_device) {
    if (!hw_rt_is_heard(runtime)) return;
    const uint64_t address = hw_rt_address(side->start);
    hw_host_reason reason = HW_HOST_IN_NOTHING;
    hw_allocation a;
    if (find_allocation(runtime, address, &a))
        reason = a.is_freed && is_in(&a, address) ? HW_HOST_IN_FREED : HW_HOST_BEYOND_END;
    else if (must_be_device && hw_rt_can_read(side->start))
        reason = HW_HOST_WRONG_DIRECTION;
    hw_rt_tell_bad_bytes(runtime, action, reason, address, bytes);
}

void hw_rt_tell_refused_launch(hw_runtime *runtime, const char *kernel, const hw_diag *diag) {
    if (!hw_rt_is_heard(runtime)) return;
    const hw_host_refused refused = {.reason = HW_HOST_NO_LAUNCH, .kernel = kernel, .why = diag ? diag->text : NULL};
    tell_refusal(runtime, &refused, NULL);
}

void hw_rt_tell_no_texture(hw_runtime *runtime, const hw_fault *fault) {
    if (!hw_rt_is_heard(runtime)) return;
    hw_host_refused refused = {.reason = HW_HOST_NO_TEXTURE, .kernel = fault->kernel, .file = fault->file,
                               .line = fault->line,
                               .object = {.kind = HW_HOST_TEXTURE, .handle = fault->texture}};
    hw_allocation a;
    memcpy(refused.block, fault->block, sizeof refused.block);
    memcpy(refused.thread, fault->thread, sizeof refused.thread);
    if (fault->address != fault->texture && find_allocation(runtime, fault->address, &a)) set_allocation(&refused, &a);
    tell_refusal(runtime, &refused, NULL);
}

void hw_rt_tell_error(hw_runtime *runtime, hw_host_action action, const char *name, bool is_launch) {
    if (!hw_rt_is_heard(runtime)) return;
    hw_host_event told = {.action = action, .site = site_of(runtime)};
    told.error.name = name;
    told.error.is_launch = is_launch;
    hw_sim_tell_host(hw_rt_sim(runtime), &told);
}
