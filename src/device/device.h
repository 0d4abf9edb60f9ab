// Inside of a device: what kernels and operations need beyond the public interface (halfwarp.h), and what a kind of
// device implements. The three kinds are device_cpu.c, device_cuda.c and device_sim.c.
#ifndef HW_DEVICE_DEVICE_H
#define HW_DEVICE_DEVICE_H

#include "base/pool.h"
#include "base/status.h"
#include "halfwarp.h"

// ---- Kernels (cuda and sim) -----------------------------------------------------------------------------------------

typedef struct hw_kernel hw_kernel;   // compiled and loaded; owned by its device

// Which kernel, specialised how. Strings are the caller's, alive for the call.
typedef struct hw_kernel_request {
    const char *file;                 // below kernels/: "transpose/30_tile.cu"
    const char *function;             // declared extern "C"
    const char *const *defines;       // "TILE_ROWS=32"
    size_t n_defines;
} hw_kernel_request;

// Finds the kernel among those that the device has, which costs a hash of the request, or in the cache on disk, or
// compiles it. HW_COMPILE with the compiler's words; HW_NOT_FOUND: no compiler; HW_USAGE on a cpu device.
hw_status hw_device_kernel(hw_device *device, const hw_kernel_request *request, hw_kernel **out, hw_diag *diag);

typedef struct hw_kernel_info {
    uint32_t regs, static_shared_bytes, local_bytes, max_threads_per_block;
} hw_kernel_info;
void hw_kernel_get_info(const hw_kernel *kernel, hw_kernel_info *info);

// Compiler and version that made the device's kernels, those from the cache as well (device_code.h): what
// reports name. "" where none was needed so far. Any thread.
void hw_device_kernels_by(hw_device *device, char *out, size_t out_bytes);

// Blocks of this many threads that one multiprocessor holds at a time; 0 when it holds none.
uint32_t hw_kernel_blocks_per_multiprocessor(hw_kernel *kernel, uint32_t block_threads, uint32_t dynamic_shared_bytes);

typedef struct hw_kernel_launch {
    hw_kernel *kernel;
    uint32_t grid[3], block[3];       // a zero in grid: nothing is launched, successfully
    uint32_t dynamic_shared_bytes;    // above 48 KiB is asked for as the GPU wants it
    void *const *params;              // one pointer per parameter
    bool cooperative;
} hw_kernel_launch;

// Asynchronous on cuda. HW_USAGE: a shape that the device does not take; HW_FAULT from sim.
hw_status hw_stream_launch(hw_stream *stream, const hw_kernel_launch *launch, hw_diag *diag);

// ---- Images that kernels read through textures (cuda and sim) -------------------------------------------------------

typedef struct hw_image hw_image;

// Words of 32 bits, rows of cols, row after row as they are given.
typedef struct hw_image_request {
    uint32_t cols, rows;
    bool is_in_blocks;                // a CUDA array, for tex2D, where the nearest word stands for those outside; else
                                      // plain memory, for tex1Dfetch, where 0 does
} hw_image_request;

// An image that holds these words, which are read before the call returns. Where there are none: no texture.
// HW_NO_MEMORY; HW_USAGE: a cpu device, or larger than the GPU's textures are. To be destroyed before the device.
hw_status hw_image_create(hw_device *device, const hw_image_request *request, const void *words, hw_image **out,
                          hw_diag *diag);
void hw_image_destroy(hw_image *image);              // after the work that reads it; NULL is allowed
uint64_t hw_image_texture(const hw_image *image);    // the texture object, as kernels take it

// ---- Memory in the order of a stream --------------------------------------------------------------------------------

// Memory of the stream's device for work that is queued after this call; free queues its end behind the work so far and
// waits for nothing. As hw_device_alloc otherwise.
hw_status hw_stream_alloc(hw_stream *stream, size_t bytes, void **out, hw_diag *diag);
void hw_stream_free(hw_stream *stream, void *memory);

// Memory that stays with the stream, at least this much: what work queued on it leaves there, the next work finds. Its
// first HW_SCRATCH_ZEROS bytes are zeros, for counters, and whoever uses them leaves zeros; the rest is anything. Costs
// nothing when there is enough already; a call that asks for more lets go of what was there. Valid until the next call,
// and on streams, which one thread at a time uses, no two operations can clash. HW_NO_MEMORY.
enum { HW_SCRATCH_ZEROS = 64 << 10 };
hw_status hw_stream_scratch(hw_stream *stream, size_t bytes, void **out, hw_diag *diag);
// After work that failed in between: the zeros are made anew by the next call.
void hw_stream_scratch_drop(hw_stream *stream);

// ---- Progress -------------------------------------------------------------------------------------------------------

// Who wants to know how far the stream's long operations have come: told the share that is done, up to 1, after each
// piece of a call that works in pieces, on the thread of that call. NULL: nobody.
typedef void hw_stream_watcher(void *user, double share);
void hw_stream_watch(hw_stream *stream, hw_stream_watcher *watcher, void *user);
void hw_stream_report(hw_stream *stream, double share);

// ---- What a kind of device offers to those who know it --------------------------------------------------------------

// What an operation worked out for this device, by a key of its making (a plan and its kernels, which live as long as
// the device): true when value_bytes were remembered for the same key and not displaced since. Compares bytes, copies.
bool hw_device_recall(hw_device *device, const void *key, size_t key_bytes, void *value, size_t value_bytes);
void hw_device_remember(hw_device *device, const void *key, size_t key_bytes, const void *value, size_t value_bytes);

// The threads of a cpu device (of any device: those for work on this machine). Owned by the device.
hw_pool *hw_device_pool(hw_device *device, uint32_t *n_threads);

// The simulated GPU, to attach an observer to (hw_sim_add_sink); NULL for other kinds.
struct hw_sim *hw_device_sim(hw_device *device);

// Do the device's kernels reach this machine's memory at that address (pinned memory, on a GPU)?
bool hw_device_reaches(hw_device *device, const void *memory);

// As hw_host_alloc, and freed as that: write-combined on a real GPU, for the processor to write and not to read.
hw_status hw_host_alloc_combined(hw_device *device, size_t bytes, void **out, hw_diag *diag);

// Bytes that can be allocated now, as far as is known.
hw_status hw_device_free_bytes(hw_device *device, uint64_t *bytes, hw_diag *diag);

#endif
