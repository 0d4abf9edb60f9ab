// What the program asks of the GPU, as events of the seam.
#include "runtime/tell.h"

static uint64_t address_of(const void *p) { return (uint64_t)(uintptr_t)p; }

static const void *site_of(const hw_runtime *runtime) {
    return runtime->options.site ? runtime->options.site(runtime->options.context) : NULL;
}

static bool is_on_device(const hw_runtime *runtime, const hw_rt_region *r) {
    hw_allocation found;
    return hw_mem_find(hw_sim_mem(hw_rt_sim((hw_runtime *)runtime)), address_of(r->start), 1, &found) &&
           found.kind == HW_ALLOC_DEVICE;
}

// As the program says, or, where it leaves that to the runtime, as the addresses do: copies within the device are not
// waited for.
static bool is_within_device(const hw_runtime *runtime, const hw_rt_region *to, const hw_rt_region *from,
                             unsigned direction) {
    if (direction != HW_HOST_COPY_ANY) return direction == HW_HOST_COPY_DEVICE_TO_DEVICE;
    return is_on_device(runtime, to) && is_on_device(runtime, from);
}

static hw_host_side side_of_region(const hw_rt_region *r) {
    return (hw_host_side){.address = address_of(r->start), .pitch = r->pitch, .slice = r->slice};
}

void hw_rt_tell_copy(hw_runtime *runtime, const hw_rt_region *to, const hw_rt_region *from, hw_rt_shape shape,
                     unsigned direction, hw_rt_order order) {
    if (!hw_sim_tells_host(hw_rt_sim(runtime))) return;
    hw_host_event event = {.action = HW_HOST_COPY, .stream = hw_rt_stream_name(order.stream), .site = site_of(runtime)};
    event.copy.to = side_of_region(to);
    event.copy.from = side_of_region(from);
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
    event.set.to = side_of_region(to);
    event.set.width = shape.width;
    event.set.height = shape.height;
    event.set.depth = shape.depth;
    event.set.value = (uint8_t)value;
    hw_sim_tell_host(hw_rt_sim(runtime), &event);
}

void hw_rt_tell_order(hw_runtime *runtime, hw_host_action action, const hw_rt_stream *stream,
                      const hw_rt_event *event) {
    if (!hw_sim_tells_host(hw_rt_sim(runtime))) return;
    const hw_host_event told = {.action = action, .stream = hw_rt_stream_name(stream), .event = address_of(event),
                                .site = site_of(runtime), .is_apart = hw_rt_stream_is_apart(stream)};
    hw_sim_tell_host(hw_rt_sim(runtime), &told);
}
