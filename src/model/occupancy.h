// How many blocks of a launch one multiprocessor holds, and why not more.
#ifndef HW_MODEL_OCCUPANCY_H
#define HW_MODEL_OCCUPANCY_H

#include "isa/gpu.h"

// Blocks per multiprocessor as each resource alone would allow, and together.
typedef struct hw_occupancy {
    uint32_t blocks, warps;      // held at one time
    uint32_t limit_warps, limit_blocks, limit_regs, limit_smem;
    double occupancy_pct;        // warps held / warps possible
} hw_occupancy;

// What a kernel that takes no shared memory or no registers is limited to by them.
#define HW_OCCUPANCY_UNLIMITED 0xffffffffu

// The occupancy calculator. regs: per thread; smem_bytes: static plus dynamic, per block, with
// hw_model_launch_smem_bytes where there are any. A launch that cannot run at
// all (too many threads, registers or bytes) holds 0 blocks. Pure, constant time.
// Source: cuda_occupancy.h of the CUDA 13.0 toolkit for 2.0 and newer, the occupancy calculator's spreadsheet for 1.x.
hw_occupancy hw_model_occupancy(const hw_arch *arch, uint32_t block_threads, uint32_t regs, uint32_t smem_bytes);

// Shared memory that a launch takes beside what its kernel declares, bytes per block. Before 2.0 its configuration, 16
// bytes, and its arguments lie there, and cubins and ptxas count them as static; from 2.0 on constant memory has them.
// Source: seed 004, 4.4.3.2; CUDA C Best Practices Guide 4.2, "Shared Memory Use by Kernel Arguments"; ptxas 2.2, which
// refuses 16384 bytes of a kernel without arguments ("0x4000 bytes + 0x10 bytes system, 0x4000 max") and says "28+16
// bytes smem" of one that declares none and has arguments of 28.
uint32_t hw_model_launch_smem_bytes(const hw_arch *arch, uint32_t argument_bytes);

// What keeps a launch from having one block more. Several limits may stand at the same number of blocks.
enum { HW_LIMITED_BY_WARPS = 1, HW_LIMITED_BY_BLOCKS = 2, HW_LIMITED_BY_REGS = 4, HW_LIMITED_BY_SMEM = 8 };
unsigned hw_model_occupancy_limiters(const hw_occupancy *occupancy);

// The block size, in whole warps up to most_threads (0: as many as a block can have), with which a multiprocessor holds
// the most warps, the largest of equal ones: what cudaOccupancyMaxPotentialBlockSize proposes. 0 when no block of any
// size can run.
uint32_t hw_model_occupancy_best_block(const hw_arch *arch, uint32_t regs, uint32_t smem_bytes, uint32_t most_threads);

// Shared memory in bytes that the driver gives the multiprocessor for such a launch (the rest stays L1 cache), where
// its way of choosing is known; else all that there is.
// Source: 828 launches on an H200 (driver 580), all reproduced (tests/data); NVIDIA documents no rule.
uint32_t hw_model_carveout_bytes(const hw_arch *arch, uint32_t block_threads, uint32_t regs, uint32_t smem_bytes);

// Blocks that fit into that much shared memory: what profilers show as the limit by shared memory. The blocks held are
// those of hw_model_occupancy all the same.
uint32_t hw_model_carveout_blocks(const hw_arch *arch, uint32_t block_threads, uint32_t regs, uint32_t smem_bytes);

#endif
