// The GPUs that can be simulated, as data: arch/*.def holds what a compute capability fixes, gpus.def a row per GPU.
#ifndef HW_ISA_GPU_H
#define HW_ISA_GPU_H

#include <stddef.h>
#include <stdint.h>

// What a compute capability fixes. Every number's source stands beside it in its .def file.
typedef struct hw_arch {
    int cc;                          // 90 for 9.0
    uint32_t warps_per_sm, threads_per_sm, blocks_per_sm, max_threads_per_block;
    uint32_t regs_per_sm, regs_per_block, reg_unit, warp_granularity, max_regs_per_thread;
    int reg_unit_is_per_block;       // 1.x allocates registers per block
    uint32_t smem_per_sm_bytes, smem_per_block_bytes, smem_optin_bytes, smem_unit_bytes, smem_reserved_bytes;
    uint32_t smem_banks, smem_bank_bytes;
    uint32_t max_grid[3], max_block[3];
    // Shared memory that a multiprocessor can be set to have, ascending, KiB; ends with 0 or the array. Only listed
    // where the driver's way of choosing is known (model/occupancy.h).
    uint16_t carveouts_kib[12];
    uint32_t min_regs_per_thread;    // what a kernel is given though the compiler says fewer; 0: not known
} hw_arch;

// One GPU. 0 where a figure is not known.
typedef struct hw_gpu {
    const char *id;                  // as on the command line: "h200"
    const char *name;                // as cudaGetDeviceProperties gives it
    const hw_arch *arch;
    uint32_t sms;
    uint32_t clock_mhz;
    double memory_gbs;               // bandwidth, 10^9 bytes per second
    uint32_t memory_bus_bits, memory_partitions;
    uint32_t l2_kib;
    uint64_t memory_bytes;
    double fp32_gflops, fp64_gflops, pcie_gbs;
    const char *source;
} hw_gpu;

// By id, case-insensitive; NULL when there is none. hw_gpu_at: in the order of gpus.def, NULL past the end.
const hw_gpu *hw_gpu_find(const char *id);
const hw_gpu *hw_gpu_at(size_t index);

// What a compute capability fixes, by number (90 for 9.0); NULL when it is not known. hw_arch_at: ascending, NULL past
// the end.
const hw_arch *hw_arch_find(int cc);
const hw_arch *hw_arch_at(size_t index);

#endif
