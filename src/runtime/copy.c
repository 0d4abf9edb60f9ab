// Copies and sets, one row to three dimensions. Streams do not matter: both are done when the call returns. Device
// memory on either side must lie within one allocation, or be mapped without gaps; the host's own addresses are looked
// at before they are used, so that a stray one is an error and no crash.
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mem/bulk.h"
#include "runtime/capture.h"
#include "runtime/graph.h"
#include "runtime/internal.h"
#include "runtime/memory.h"
#include "runtime/tell.h"

bool hw_rt_can_read(const char *p) {
    char byte;
    struct iovec to = {&byte, 1}, from = {(void *)p, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
}

static bool is_empty(hw_rt_shape shape) { return !shape.width || !shape.height || !shape.depth; }

// Bytes from the first to the last that a region covers; false when that is more than there can be.
static bool span_of(const hw_rt_region *r, hw_rt_shape shape, size_t *span) {
    size_t rows, slices;
    return !__builtin_mul_overflow(r->pitch, shape.height - 1, &rows) &&
           !__builtin_mul_overflow(r->slice, shape.depth - 1, &slices) &&
           !__builtin_add_overflow(rows, slices, span) && !__builtin_add_overflow(*span, shape.width, span);
}

// Within one allocation, or in memory that was mapped piece by piece. writes: where that is allowed.
static bool is_device(const hw_mem *mem, const hw_rt_region *r, size_t span, bool writes) {
    hw_allocation found;
    uint64_t address = hw_rt_address(r->start);
    while (hw_mem_find_any(mem, address, 1, &found)) {
        const uint64_t left = found.address + found.bytes - address;
        if (writes && found.is_read_only) return false;
        if (span <= left) return true;
        if (found.kind != HW_ALLOC_MAPPED) return false;
        address += left;
        span -= left;
    }
    return false;
}

static bool is_reachable(const hw_mem *mem, const hw_rt_region *r, size_t span, bool must_be_device, bool writes) {
    hw_allocation found;
    if (is_device(mem, r, span, writes)) return true;
    if (writes && hw_mem_find_any(mem, hw_rt_address(r->start), 1, &found) && found.is_read_only) return false;
    const char *last = r->start + (span - 1);
    bool is_stray = hw_mem_owns(mem, hw_rt_address(r->start)) || hw_mem_owns(mem, hw_rt_address(last));
    if (must_be_device || is_stray || last < r->start) return false;
    return hw_rt_can_read(r->start) && hw_rt_can_read(last);
}

// Observers hear of one that is not.
static bool is_usable(hw_runtime *runtime, const hw_rt_region *r, hw_rt_shape shape, bool must_be_device,
                      bool writes) {
    size_t span = 0;
    if (hw_rt_graph_withholds(runtime, hw_rt_address(r->start))) return false;
    if (r->start && span_of(r, shape, &span) && is_reachable(hw_rt_mem(runtime), r, span, must_be_device, writes))
        return true;
    hw_rt_tell_bad_side(runtime, HW_HOST_COPY, r, span, must_be_device);
    return false;
}

// Where the bytes of a region are on this machine.
static char *bytes_of(const hw_mem *mem, const hw_rt_region *r) { return hw_mem_host(mem, hw_rt_address(r->start)); }

// What the host can write by itself is not compared: nobody asks whether it has changed.
static bool is_the_hosts(const hw_mem *mem, const hw_rt_region *r) { return bytes_of(mem, r) == r->start; }

static void copy_rows(hw_sim *sim, const hw_rt_region *to, const hw_rt_region *from, hw_rt_shape shape) {
    hw_mem *mem = hw_sim_mem(sim);
    char *target = bytes_of(mem, to);
    const char *source = bytes_of(mem, from);
    bool has_changed = is_the_hosts(mem, to);
    for (size_t z = 0; z < shape.depth; z++) {
        for (size_t y = 0; y < shape.height; y++) {
            char *row = target + z * to->slice + y * to->pitch;
            const char *new_row = source + z * from->slice + y * from->pitch;
            has_changed |= hw_bulk_copy(hw_sim_bulk(sim), row, new_row, shape.width, !has_changed);
        }
    }
    if (has_changed) hw_mem_set_changed(mem, hw_rt_address(to->start));
}

// Whether a capture takes the work. A call that waits until it is done has no place in one.
static bool is_captured(hw_runtime *runtime, const hw_rt_work *work, hw_rt_order order, hw_rt_status *status) {
    return order.is_asynchronous ? hw_rt_capture_work(runtime, order.stream, work, NULL, status)
                                 : hw_rt_capture_refuses(runtime, order.stream, status);
}

hw_rt_status hw_rt_copy(hw_runtime *runtime, hw_rt_region to, hw_rt_region from, hw_rt_shape shape, unsigned direction,
                        hw_rt_order order) {
    runtime = hw_rt_of_stream(runtime, order.stream);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_stream(runtime, order.stream)) return HW_RT_INVALID_HANDLE;
    if (direction > HW_HOST_COPY_ANY) return HW_RT_INVALID_DIRECTION;
    if (is_empty(shape)) return HW_RT_SUCCESS;
    hw_rt_status status;
    const hw_rt_work work = {.kind = HW_RT_NODE_COPY, .copy = {to, from, shape, direction}};
    if (is_captured(runtime, &work, order, &status)) return status;
    bool to_device = direction == HW_HOST_COPY_HOST_TO_DEVICE || direction == HW_HOST_COPY_DEVICE_TO_DEVICE;
    bool from_device = direction == HW_HOST_COPY_DEVICE_TO_HOST || direction == HW_HOST_COPY_DEVICE_TO_DEVICE;
    if (!is_usable(runtime, &to, shape, to_device, true) || !is_usable(runtime, &from, shape, from_device, false))
        return HW_RT_INVALID_VALUE;
    if (shape.width == to.pitch && shape.width == from.pitch) {   // rows without gaps are one row
        shape.width *= shape.height;
        shape.height = 1;
    }
    copy_rows(hw_rt_sim(runtime), &to, &from, shape);
    hw_rt_tell_copy(runtime, &to, &from, shape, direction, order);
    return HW_RT_SUCCESS;
}

// One row: false where its bytes were there already. What is no byte over and over is not compared.
static bool set_row(hw_sim *sim, char *row, uint32_t word, size_t word_bytes, size_t bytes, bool compares) {
    const uint32_t byte = word & 0xff, bits = (uint32_t)(word_bytes * 8);
    if (word == (byte * 0x01010101u & (bits == 32 ? UINT32_MAX : (1u << bits) - 1)))
        return hw_bulk_set(hw_sim_bulk(sim), row, (int)byte, bytes, compares);
    for (size_t i = 0; i < bytes; i += word_bytes) memcpy(row + i, &word, word_bytes);
    return true;
}

static void set_rows(hw_sim *sim, const hw_rt_region *to, uint32_t word, size_t word_bytes, hw_rt_shape shape) {
    hw_mem *mem = hw_sim_mem(sim);
    char *target = bytes_of(mem, to);
    bool has_changed = is_the_hosts(mem, to);
    for (size_t z = 0; z < shape.depth; z++)
        for (size_t y = 0; y < shape.height; y++)
            has_changed |= set_row(sim, target + z * to->slice + y * to->pitch, word, word_bytes, shape.width,
                                   !has_changed);
    if (has_changed) hw_mem_set_changed(mem, hw_rt_address(to->start));
}

static bool is_aligned(const hw_rt_region *to, size_t word_bytes, hw_rt_shape shape) {
    const size_t pitch = shape.height > 1 ? to->pitch : 0;
    return ((hw_rt_address(to->start) | pitch | shape.width) & (word_bytes - 1)) == 0;
}

hw_rt_status hw_rt_set_words(hw_runtime *runtime, hw_rt_region to, uint32_t word, size_t word_bytes, hw_rt_shape shape,
                             hw_rt_order order) {
    runtime = hw_rt_of_stream(runtime, order.stream);
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_stream(runtime, order.stream)) return HW_RT_INVALID_HANDLE;
    if (is_empty(shape)) return HW_RT_SUCCESS;
    hw_rt_status status;
    const hw_rt_work work = {.kind = HW_RT_NODE_SET, .set = {to, word, word_bytes, shape}};
    if (is_captured(runtime, &work, order, &status)) return status;
    hw_mem *mem = hw_rt_mem(runtime);
    size_t span = 0;
    if ((shape.height > 1 && shape.width > to.pitch) || !is_aligned(&to, word_bytes, shape)) return HW_RT_INVALID_VALUE;
    if (hw_rt_graph_withholds(runtime, hw_rt_address(to.start))) return HW_RT_INVALID_VALUE;
    if (!span_of(&to, shape, &span) || !is_device(mem, &to, span, true)) {
        hw_rt_tell_bad_side(runtime, HW_HOST_SET, &to, span, true);
        return HW_RT_INVALID_VALUE;
    }
    set_rows(hw_rt_sim(runtime), &to, word, word_bytes, shape);
    hw_rt_tell_set(runtime, &to, (int)(word & 0xff), shape, order);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_set(hw_runtime *runtime, hw_rt_region to, int value, hw_rt_shape shape, hw_rt_order order) {
    return hw_rt_set_words(runtime, to, (uint8_t)value, 1, shape, order);
}
