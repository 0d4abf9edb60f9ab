// Allocations of a device: their limit, their table, and copies that keep within them.
#include <string.h>

#include "base/alloc.h"
#include "device/device_internal.h"

// Under the lock: the index of the first block that ends behind address.
static size_t find_place(const hw_device *device, uintptr_t address) {
    size_t low = 0, high = device->n_blocks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const hw_device_block *block = &device->blocks[middle];
        if (block->address + block->bytes <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Takes bytes off the limit, and makes room in the table: what remains to be done cannot fail.
static hw_status reserve(hw_device *device, size_t bytes, bool is_host, hw_diag *diag) {
    hw_status status = HW_OK;
    uint64_t limit = device->memory_limit_bytes;
    pthread_mutex_lock(&device->lock);
    if (!is_host && limit && (device->used_bytes > limit || bytes > limit - device->used_bytes)) {
        status = hw_diag_set(diag, HW_NO_MEMORY, "%s: %zu bytes cannot be had: %llu of the %llu that were set as the "
                             "limit are in use", device->name, bytes, (unsigned long long)device->used_bytes,
                             (unsigned long long)limit);
    } else if (!is_host) {
        device->used_bytes += bytes;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void unreserve(hw_device *device, size_t bytes, bool is_host) {
    pthread_mutex_lock(&device->lock);
    if (!is_host) device->used_bytes -= bytes;
    pthread_mutex_unlock(&device->lock);
}

static bool enter_block(hw_device *device, const hw_device_block *block) {
    pthread_mutex_lock(&device->lock);
    bool has_room = hw_grow((void **)&device->blocks, device->n_blocks, &device->blocks_capacity, sizeof *block);
    if (has_room) {
        size_t at = find_place(device, block->address);
        memmove(&device->blocks[at + 1], &device->blocks[at], (device->n_blocks - at) * sizeof *block);
        device->blocks[at] = *block;
        device->n_blocks++;
    }
    pthread_mutex_unlock(&device->lock);
    return has_room;
}

static hw_status alloc_block(hw_device *device, hw_stream *stream, hw_device_block block, void **out, hw_diag *diag) {
    const hw_device_table *table = device->table;
    const size_t bytes = block.bytes;
    const bool is_host = block.is_host;
    hw_status status = reserve(device, bytes, is_host, diag);
    if (status != HW_OK) return status;
    if (stream && table->stream_alloc) status = table->stream_alloc(stream, &block, diag);
    else status = table->alloc(device, &block, diag);
    if (status == HW_OK && !enter_block(device, &block)) {
        table->free(device, &block);
        status = hw_diag_no_memory(diag);
    }
    if (status == HW_OK) *out = (void *)block.address;
    else unreserve(device, bytes, is_host);
    return status;
}

hw_status hw_device_memory_alloc(hw_device *device, hw_stream *stream, size_t bytes, bool is_host, void **out,
                                 hw_diag *diag) {
    return alloc_block(device, stream, (hw_device_block){.bytes = bytes, .is_host = is_host}, out, diag);
}

hw_status hw_device_memory_alloc_combined(hw_device *device, size_t bytes, void **out, hw_diag *diag) {
    const hw_device_block block = {.bytes = bytes, .is_host = true, .is_combined = true};
    return alloc_block(device, NULL, block, out, diag);
}

// Takes the block that begins at the address out of the table. False when there is none, or it is of the other kind.
static bool leave_block(hw_device *device, const void *memory, bool is_host, hw_device_block *block) {
    pthread_mutex_lock(&device->lock);
    size_t at = find_place(device, (uintptr_t)memory);
    bool is_there = at < device->n_blocks && device->blocks[at].address == (uintptr_t)memory &&
                    device->blocks[at].is_host == is_host;
    if (is_there) {
        *block = device->blocks[at];
        device->n_blocks--;
        memmove(&device->blocks[at], &device->blocks[at + 1], (device->n_blocks - at) * sizeof *block);
        if (!is_host) device->used_bytes -= block->bytes;
    }
    pthread_mutex_unlock(&device->lock);
    return is_there;
}

// An address that is none of ours is left alone.
void hw_device_memory_free(hw_device *device, void *memory, bool is_host) {
    hw_device_block block;
    device->table->wait(device);
    if (leave_block(device, memory, is_host, &block)) device->table->free(device, &block);
}

void hw_stream_free(hw_stream *stream, void *memory) {
    hw_device_block block;
    if (!stream || !memory || !leave_block(stream->device, memory, false, &block)) return;
    if (block.is_ordered) {
        stream->device->table->stream_free(stream, &block);
        return;
    }
    stream->device->table->wait(stream->device);
    stream->device->table->free(stream->device, &block);
}

void hw_device_memory_free_all(hw_device *device) {
    for (size_t i = 0; i < device->n_blocks; i++) device->table->free(device, &device->blocks[i]);
    device->n_blocks = 0;
    hw_free(device->blocks);
    device->blocks = NULL;
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

// A range that begins in an allocation of the device ends in it. Other addresses are this machine's, or the user's own.
static hw_status check_range(hw_device *device, const void *start, size_t bytes, const char *what, hw_diag *diag) {
    uintptr_t address = (uintptr_t)start;
    if (!address) return hw_diag_set(diag, HW_USAGE, "the %s of %zu bytes is NULL", what, bytes);
    pthread_mutex_lock(&device->lock);
    size_t at = find_place(device, address);
    hw_device_block block = at < device->n_blocks ? device->blocks[at] : (hw_device_block){0};
    pthread_mutex_unlock(&device->lock);
    if (!block.bytes || address < block.address || bytes <= block.bytes - (address - block.address)) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "%s: the %s goes %zu bytes past the end of its allocation of %zu bytes",
                       device->name, what, bytes - (block.bytes - (size_t)(address - block.address)), block.bytes);
}

// Bytes from the first to the last of a copy; false when no address space has as many.
static bool extent(size_t pitch, size_t row_bytes, size_t rows, size_t *bytes) {
    return !__builtin_mul_overflow(pitch, rows - 1, bytes) && !__builtin_add_overflow(*bytes, row_bytes, bytes) &&
           *bytes <= PTRDIFF_MAX;
}

static hw_status copy_rows(hw_stream *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                           size_t row_bytes, size_t rows, hw_diag *diag) {
    hw_copy_args args = {to, from, to_pitch, from_pitch, row_bytes, rows};
    size_t to_bytes, from_bytes;
    if (!stream) return hw_diag_set(diag, HW_USAGE, "the stream of a copy is NULL");
    if (!row_bytes || !rows) return HW_OK;
    if (rows > 1 && (to_pitch < row_bytes || from_pitch < row_bytes))
        return hw_diag_set(diag, HW_USAGE, "a copy of rows of %zu bytes has a pitch of %zu, so that rows overlap",
                           row_bytes, to_pitch < row_bytes ? to_pitch : from_pitch);
    if (!extent(to_pitch, row_bytes, rows, &to_bytes) || !extent(from_pitch, row_bytes, rows, &from_bytes))
        return hw_diag_set(diag, HW_USAGE, "a copy of %zu rows is larger than memory can be", rows);
    hw_status status = check_range(stream->device, to, to_bytes, "destination", diag);
    if (status == HW_OK) status = check_range(stream->device, from, from_bytes, "source", diag);
    if (status != HW_OK) return status;
    if (rows > 1 && to_pitch == row_bytes && from_pitch == row_bytes) {
        args.row_bytes *= rows;
        args.rows = 1;
    }
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    if (args.rows == 1 && (a < b ? b - a : a - b) < args.row_bytes)
        return hw_diag_set(diag, HW_USAGE, "the source and the destination of a copy of %zu bytes overlap",
                           args.row_bytes);
    return stream->device->table->copy(stream, &args, diag);
}

hw_status hw_copy_2d(hw_stream *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                     size_t row_bytes, size_t rows, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, copy_rows(stream, to, to_pitch, from, from_pitch, row_bytes, rows,
                                              hw_diag_begin(&own)));
}

hw_status hw_copy(hw_stream *stream, void *to, const void *from, size_t bytes, hw_diag *diag) {
    return hw_copy_2d(stream, to, bytes, from, bytes, bytes, 1, diag);   // which tells diag
}

static hw_status fill_memory(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag) {
    if (!stream) return hw_diag_set(diag, HW_USAGE, "the stream of a fill is NULL");
    if (!bytes) return HW_OK;
    hw_status status = check_range(stream->device, to, bytes, "destination", diag);
    return status == HW_OK ? stream->device->table->fill(stream, to, byte, bytes, diag) : status;
}

hw_status hw_fill(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, fill_memory(stream, to, byte, bytes, hw_diag_begin(&own)));
}
