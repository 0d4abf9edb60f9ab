// The GPUs that can be simulated, as data: arch/*.def holds what a compute capability fixes, chips.def a row per chip,
// gpus.def a row per GPU. GPUs of users' own come from files: io/gpu_file.h.
#ifndef HW_ISA_GPU_H
#define HW_ISA_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a compute capability fixes. Every number's source stands beside it in its .def file.
typedef struct hw_arch {
    int cc;                          // 90 for 9.0
    const char *generation;          // "Hopper"
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
    bool has_f64_tensor_cores;
} hw_arch;

// What is built, of which products have all or a part.
typedef struct hw_chip {
    const char *name;                // "GA102"
    int cc;
    uint32_t sms;                    // the most of any product
    uint32_t memory_bus_bits;        // the widest
    bool is_integrated;              // into a system on a chip, whose memory is the processor's too
} hw_chip;

// One GPU. 0 where a figure is not known; gpus.def says what each is. A GPU of a file has the same form: all that
// hw_gpu points to lives as long as itself.
typedef struct hw_gpu {
    const char *id;                  // as on the command line: "h200"
    const char *name;                // as cudaGetDeviceProperties gives it
    const char *chip;                // "GH100"; of a file's it may be none that hw_chip_find knows, or ""
    const hw_arch *arch;
    uint32_t sms;
    uint32_t base_clock_mhz, clock_mhz, memory_clock_mhz;
    double memory_gbs;               // bandwidth, 10^9 bytes per second
    uint32_t memory_bus_bits, memory_partitions;
    uint32_t l2_kib;
    uint64_t memory_bytes;
    double fp32_gflops, fp64_gflops, pcie_gbs;
    const char *source;
    const char *based_on;            // the id of the row that a file's GPU began as; NULL: none
} hw_gpu;

// By id, or by its name or id spelled otherwise: letters of either case, without blanks, hyphens and brackets, and
// without the "NVIDIA", "GeForce", "Tesla" or "Jetson" in front ("GeForce RTX 3090", "rtx-3090"). Ids come first, then
// rows of gpus.def in their order. NULL when there is none. Cost: a pass over the table.
const hw_gpu *hw_gpu_find(const char *name);

// Do the words, of which blanks are between, all occur in the id, the name, the chip or the generation? Spelling as
// above. No words occur in every GPU.
bool hw_gpu_has_words(const hw_gpu *gpu, const char *words);

// Is that the name by which a driver calls the GPU? Older drivers put no "NVIDIA" in front, newer ones do.
bool hw_gpu_is_called(const hw_gpu *gpu, const char *name);

// In the order of gpus.def, NULL past the end.
const hw_gpu *hw_gpu_at(size_t index);

// By name; NULL when there is none. hw_chip_at: in the order of chips.def, NULL past the end.
const hw_chip *hw_chip_find(const char *name);
const hw_chip *hw_chip_at(size_t index);

// Part of a system on a chip? Of a chip that chips.def does not have: no.
bool hw_gpu_is_integrated(const hw_gpu *gpu);

// By its product's name: for games, and not for workstations or data centres.
bool hw_gpu_is_for_games(const hw_gpu *gpu);

// What a compute capability fixes, by number (90 for 9.0); NULL when it is not known. hw_arch_at: ascending, NULL past
// the end.
const hw_arch *hw_arch_find(int cc);
const hw_arch *hw_arch_named(const char *text);   // "9.0"
const hw_arch *hw_arch_at(size_t index);

#endif
