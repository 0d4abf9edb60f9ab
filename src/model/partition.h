// Memory partitions of the GPUs before Fermi: 256 bytes lie in one, the next 256 in the next. When the blocks that run
// at a time ask a few of them for everything, the others idle ("partition camping").
#ifndef HW_MODEL_PARTITION_H
#define HW_MODEL_PARTITION_H

#include "isa/gpu.h"

enum { HW_PARTITION_BYTES = 256, HW_PARTITIONS = 32 /* the most that are counted */ };

// Partitions of a GPU whose addresses tell them; 0: addresses are hashed (2.0 and newer: camping is not an issue), or
// the number is not known. Source: NVIDIA, Optimizing Matrix Transpose in CUDA, 2009: 6 on the 8 and 9 series, 8 on
// the 10 series, which is 64 bits of the bus for each, and so are those of narrower buses; programming guide of Fermi
// for what came after.
static inline uint32_t hw_partition_count(const hw_gpu *gpu) { return gpu->arch->cc < 20 ? gpu->memory_partitions : 0; }

static inline uint32_t hw_partition_of(uint32_t count, uint64_t address) {
    return (uint32_t)(address / HW_PARTITION_BYTES % count);
}

// Bytes asked of each partition by blocks that run at a time -> share of the bandwidth that is used: mean over largest
// load, 1 / count when all bytes lie in one. 1 when there are none.
double hw_partition_balance(const uint64_t *load, uint32_t count);

#endif
