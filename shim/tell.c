#include "tell.h"

static hw_host_side side(const hw_region *r) {
    return (hw_host_side){.address = hw_address(r->start), .pitch = r->pitch, .slice = r->slice};
}

void hw_shim_tell_copy(const hw_region *to, const hw_region *from, size_t width, size_t height, size_t depth,
                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (!hw_sim_tells_host(hw_shim_sim())) return;
    hw_host_event event = {.action = HW_HOST_COPY, .stream = hw_address(stream), .site = hw_shim_site()};
    event.copy.to = side(to);
    event.copy.from = side(from);
    event.copy.width = width;
    event.copy.height = height;
    event.copy.depth = depth;
    event.copy.kind = (hw_host_copy_kind)kind;
    hw_sim_tell_host(hw_shim_sim(), &event);
}

void hw_shim_tell_set(const hw_region *to, int value, size_t width, size_t height, size_t depth, cudaStream_t stream) {
    if (!hw_sim_tells_host(hw_shim_sim())) return;
    hw_host_event event = {.action = HW_HOST_SET, .stream = hw_address(stream), .site = hw_shim_site()};
    event.set.to = side(to);
    event.set.width = width;
    event.set.height = height;
    event.set.depth = depth;
    event.set.value = (uint8_t)value;
    hw_sim_tell_host(hw_shim_sim(), &event);
}

void hw_shim_tell_order(hw_host_action action, const void *stream, const void *event) {
    if (!hw_sim_tells_host(hw_shim_sim())) return;
    const hw_host_event told = {.action = action, .stream = hw_address(stream), .event = hw_address(event),
                                .site = hw_shim_site()};
    hw_sim_tell_host(hw_shim_sim(), &told);
}

cudaError_t hw_shim_waited(cudaError_t error, enum cudaMemcpyKind kind) {
    if (!error && kind != cudaMemcpyDeviceToDevice) hw_shim_tell_order(HW_HOST_STREAM_SYNCHRONIZE, NULL, NULL);
    return error;
}
