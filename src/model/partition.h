// Memory partitions of the GPUs before Fermi: 256 bytes lie in one partition, the next 256 in the next. When the blocks
// that run at a time use few partitions, the others idle (partition camping).
#ifndef HW_MODEL_PARTITION_H
#define HW_MODEL_PARTITION_H

#include "isa/gpu.h"

enum { HW_PARTITION_BYTES = 256, HW_PARTITIONS = 32 /* the most that are counted */ };

// The number of partitions of a GPU whose addresses decide the partition. 0: addresses are hashed (2.0 and newer, which
// have no partition camping), or the number is not known. Source: NVIDIA, Optimizing Matrix Transpose in CUDA, 2009: 6
// on the 8 and 9 series, 8 on the 10 series. That is one for each 64 bits of the bus, which gives the number on GPUs
// with narrower buses; the programming guide of Fermi for what came after.
static inline uint32_t hw_partition_count(const hw_gpu *gpu) { return gpu->arch->cc < 20 ? gpu->memory_partitions : 0; }

static inline uint32_t hw_partition_of(uint32_t count, uint64_t address) {
    return (uint32_t)(address / HW_PARTITION_BYTES % count);
}

// The share of the bandwidth that is used when blocks that run at a time move load[i] bytes in partition i: the mean
// load over the largest, 1 / count when all bytes lie in one partition. 1 when there are no bytes.
double hw_partition_balance(const uint64_t *load, uint32_t count);

#endif
