// Clusters: blocks that are resident together, reach each other's shared memory and meet at a barrier. One worker holds
// all blocks of a cluster, each in a slot of its own, side by side. PTX ISA, "Cooperative Thread Arrays and Clusters".
#include "exec/warp/warp.h"

const hw_block *hw_cluster_home(const hw_block *block, uint64_t offset, uint64_t *own) {
    const uint64_t rank = (offset >> HW_RANK_BITS) - 1;
    *own = offset & ((1ull << HW_RANK_BITS) - 1);
    if (!hw_has_rank(offset)) return block;
    const bool is_there = rank < block->warps[0].run->cluster_blocks && block->peers[rank]->is_running;
    return is_there ? block->peers[rank] : NULL;
}

uint64_t hw_cluster_offset(const hw_block *block, const char *at) {
    const hw_run *run = block->warps[0].run;
    for (uint32_t rank = 0; rank < run->cluster_blocks; rank++) {
        const uint64_t own = (uint64_t)(at - block->peers[rank]->shared);
        if (own < run->shared_bytes) return rank == block->rank ? own : (rank + 1ull) << HW_RANK_BITS | own;
    }
    return (uint64_t)(at - block->shared);
}

bool hw_cluster_is_complete(const hw_block *block) {
    uint32_t arrived = 0, live = 0;
    for (uint32_t i = 0; i < block->warps[0].run->cluster_blocks; i++) {
        arrived += block->peers[i]->barriers[HW_CLUSTER_BARRIER].arrived;
        live += block->peers[i]->live_threads;
    }
    return arrived && arrived >= live;
}

bool hw_cluster_waits(hw_block *block) {
    block->is_stuck = true;
    for (uint32_t i = 0; i < block->warps[0].run->cluster_blocks; i++)
        if (block->peers[i]->is_running && !block->peers[i]->is_stuck) return true;
    return false;
}

uint64_t hw_cluster_member(const hw_run *run, uint64_t k, uint32_t rank) {
    const uint32_t *grid = run->launch->grid, *of = run->cluster;
    const uint64_t columns = grid[0] / of[0], rows = grid[1] / of[1];
    const uint64_t x = k % columns * of[0] + rank % of[0];
    const uint64_t y = k / columns % rows * of[1] + rank / of[0] % of[1];
    const uint64_t z = k / columns / rows * of[2] + rank / of[0] / of[1];
    return (z * grid[1] + y) * grid[0] + x;
}
