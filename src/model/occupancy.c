// Blocks per multiprocessor: the occupancy calculator, and how much shared memory the driver sets aside.
#include "base/integers.h"
#include "model/occupancy.h"

static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t warps_of(uint32_t block_threads) { return block_threads / 32 + (block_threads % 32 != 0); }

// 1.x hands out registers block by block, for pairs of warps.
static uint32_t regs_limit_per_block(const hw_arch *arch, uint32_t warps, uint32_t regs) {
    uint64_t taken = hw_align_up(hw_align_up(warps, arch->warp_granularity) * regs * 32, arch->reg_unit);
    return (uint32_t)(arch->regs_per_sm / taken);
}

// From 2.0 on registers are allocated warp by warp, each sub-partition from its own part of the file.
static uint32_t regs_limit_per_warp(const hw_arch *arch, uint32_t warps, uint32_t regs) {
    uint64_t per_warp = hw_align_up((uint64_t)regs * 32, arch->reg_unit);
    if (hw_align_up(warps, arch->warp_granularity) * per_warp > arch->regs_per_block) return 0;
    uint32_t held = (uint32_t)(arch->regs_per_sm / per_warp);
    // A 6.0 kernel must also fit a multiprocessor of four sub-partitions (cuda_occupancy.h).
    if (arch->cc == 60 && held / 4 * 4 < warps) return 0;
    return held / arch->warp_granularity * arch->warp_granularity / warps;
}

static uint32_t regs_limit(const hw_arch *arch, uint32_t warps, uint32_t regs) {
    if (!regs) return HW_OCCUPANCY_UNLIMITED;
    if (regs > arch->max_regs_per_thread) return 0;
    if (regs < arch->min_regs_per_thread) regs = arch->min_regs_per_thread;
    return arch->reg_unit_is_per_block ? regs_limit_per_block(arch, warps, regs)
                                       : regs_limit_per_warp(arch, warps, regs);
}

// Shared memory that a block takes, bytes.
static uint64_t smem_taken(const hw_arch *arch, uint32_t smem_bytes) {
    return hw_align_up((uint64_t)smem_bytes + arch->smem_reserved_bytes, arch->smem_unit_bytes);
}

static uint32_t smem_limit(const hw_arch *arch, uint32_t smem_bytes) {
    uint32_t most = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
    if (smem_bytes > most) return 0;
    uint64_t taken = smem_taken(arch, smem_bytes);
    return taken ? (uint32_t)(arch->smem_per_sm_bytes / taken) : HW_OCCUPANCY_UNLIMITED;
}

uint32_t hw_model_launch_smem_bytes(const hw_arch *arch, uint32_t argument_bytes) {
    enum { CONFIGURATION_BYTES = 16 };
    return arch->cc < 20 ? CONFIGURATION_BYTES + argument_bytes : 0;
}

hw_occupancy hw_model_occupancy(const hw_arch *arch, uint32_t block_threads, uint32_t regs, uint32_t smem_bytes) {
    hw_occupancy o = {.limit_blocks = arch->blocks_per_sm};
    if (!block_threads || block_threads > arch->max_threads_per_block) return o;
    uint32_t warps = warps_of(block_threads);
    o.limit_warps = arch->warps_per_sm / warps;
    o.limit_regs = regs_limit(arch, warps, regs);
    o.limit_smem = smem_limit(arch, smem_bytes);
    o.blocks = min_u32(min_u32(o.limit_warps, o.limit_blocks), min_u32(o.limit_regs, o.limit_smem));
    o.warps = o.blocks * warps;
    o.occupancy_pct = 100.0 * o.warps / arch->warps_per_sm;
    return o;
}

unsigned hw_model_occupancy_limiters(const hw_occupancy *o) {
    if (!o->limit_warps) return HW_LIMITED_BY_WARPS;   // too many threads: nothing else was asked
    return (o->limit_warps == o->blocks ? HW_LIMITED_BY_WARPS : 0) |
           (o->limit_blocks == o->blocks ? HW_LIMITED_BY_BLOCKS : 0) |
           (o->limit_regs == o->blocks ? HW_LIMITED_BY_REGS : 0) |
           (o->limit_smem == o->blocks ? HW_LIMITED_BY_SMEM : 0);
}

uint32_t hw_model_occupancy_best_block(const hw_arch *arch, uint32_t regs, uint32_t smem_bytes, uint32_t most_threads) {
    uint32_t best = 0, most_warps = 0;
    if (!most_threads || most_threads > arch->max_threads_per_block) most_threads = arch->max_threads_per_block;
    for (uint32_t threads = 32; threads <= most_threads; threads += 32) {
        uint32_t warps = hw_model_occupancy(arch, threads, regs, smem_bytes).warps;
        if (!warps || warps < most_warps) continue;
        most_warps = warps;
        best = threads;
    }
    return best;
}

// ---- the driver's choice of shared memory (9.0; see the header) ----

// The smallest setting, KiB, that holds `blocks` blocks; the largest there is when none does.
static uint32_t setting_for(const hw_arch *arch, uint64_t taken, uint32_t blocks) {
    uint32_t kib = 0;
    for (size_t i = 0; i < sizeof arch->carveouts_kib / sizeof *arch->carveouts_kib && arch->carveouts_kib[i]; i++) {
        kib = arch->carveouts_kib[i];
        if (kib * 1024 / taken >= blocks) break;
    }
    return kib;
}

// Blocks that the driver makes room for when `held` can run: about twice as many, so that the next kernel may start.
static uint32_t blocks_aimed_at(const hw_arch *arch, uint32_t block_threads, uint32_t held, uint32_t limit_warps,
                                uint32_t smem_bytes) {
    if (held == 1) return 1;
    if (!smem_bytes) return min_u32(arch->blocks_per_sm, 4 * limit_warps);
    if (block_threads >= arch->max_threads_per_block) return held;
    uint32_t most = block_threads > 32 ? arch->blocks_per_sm - 2 : arch->blocks_per_sm;
    uint32_t twice = min_u32(2 * held, most);
    return twice > held ? twice : held;
}

uint32_t hw_model_carveout_bytes(const hw_arch *arch, uint32_t block_threads, uint32_t regs, uint32_t smem_bytes) {
    enum { LARGEST_FOR_LATER_KIB = 132 };   // more is set aside only for blocks that can run now
    hw_occupancy o = hw_model_occupancy(arch, block_threads, regs, smem_bytes);
    if (!arch->carveouts_kib[0] || !o.blocks) return arch->smem_per_sm_bytes;
    uint64_t taken = smem_taken(arch, smem_bytes);
    uint32_t kib = setting_for(arch, taken, blocks_aimed_at(arch, block_threads, o.blocks, o.limit_warps, smem_bytes));
    if (kib > LARGEST_FOR_LATER_KIB) {
        kib = setting_for(arch, taken, o.blocks);
        if (kib < LARGEST_FOR_LATER_KIB) kib = LARGEST_FOR_LATER_KIB;
    }
    return kib * 1024;
}

uint32_t hw_model_carveout_blocks(const hw_arch *arch, uint32_t block_threads, uint32_t regs, uint32_t smem_bytes) {
    uint32_t limit = hw_model_occupancy(arch, block_threads, regs, smem_bytes).limit_smem;
    if (!limit || limit == HW_OCCUPANCY_UNLIMITED) return limit;
    uint64_t taken = smem_taken(arch, smem_bytes);
    return (uint32_t)(hw_model_carveout_bytes(arch, block_threads, regs, smem_bytes) / taken);
}
