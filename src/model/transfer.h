// How long copies between the host and a GPU take, and what overlapping them with kernels saves.
#ifndef HW_MODEL_TRANSFER_H
#define HW_MODEL_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/gpu.h"

// Where the host's bytes lie.
typedef enum hw_host_kind {
    HW_HOST_PAGEABLE,      // ordinary memory: the driver copies it through pinned memory of its own
    HW_HOST_PINNED,        // pages that stay where they are
    HW_HOST_COMBINED,      // pinned, written past the processor's caches
    HW_HOST_MAPPED,        // pinned, read or written by a kernel itself ("zero-copy")
    HW_HOST_KINDS
} hw_host_kind;
const char *hw_host_kind_name(hw_host_kind kind);   // "pageable"; "" past the last

// Microseconds of one transfer, estimated: a latency, and bytes over what the link gives. The assumptions stand in
// transfer.c. 0: the link of the GPU is not known. Pure; grows with bytes.
double hw_model_transfer_us(const hw_gpu *gpu, hw_host_kind kind, uint64_t bytes);

// Microseconds of n chunks, each copied and then worked on, in streams of their own: the longer of copying and
// execution hides the shorter except for one chunk, so execution + transfer / n where execution >= transfer. n 0 counts
// as 1. Source: CUDA C Best Practices Guide, asynchronous transfers; seed 004, 4.4.1.2.
double hw_model_overlap_us(double execution_us, double transfer_us, uint32_t n);

// Microseconds of n chunks by a schedule: one engine copies pinned memory to the device and one runs kernels, each a
// chunk at a time and in order; a chunk is worked on once it has arrived. Each copy pays the latency of
// hw_model_transfer_us, so that ever more chunks cost more in the end; work takes its share of execution_us. Before
// compute capability 1.1 nothing overlaps. Chunks are of whole 16 bytes, as equal as can be. n 0 counts as 1.
double hw_model_chunks_us(const hw_gpu *gpu, double execution_us, uint64_t bytes, uint32_t n);

#endif
