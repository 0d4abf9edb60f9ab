// Occupancy: how many blocks are resident, and which size of block keeps most threads resident.
#include "shim/cuda/driver.h"

HW_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                                        size_t shared_bytes, unsigned flags) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (found && (!blocks || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_resident_blocks(hw_shim_runtime(), found, threads, shared_bytes, blocks);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                               size_t shared_bytes) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}

HW_EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, CUfunction function, int blocks,
                                                           int threads) {
    HW_ENTER();
    hw_rt_status status;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (found && (!shared_bytes || threads <= 0)) status = HW_RT_INVALID_VALUE;
    if (!status) status = hw_rt_available_shared(hw_shim_runtime(), found, blocks, shared_bytes);
    return hw_cuda_return(status);
}

// The largest block, in whole warps, with which most threads of a multiprocessor are resident.
static hw_rt_status find_block(hw_rt_function *function, CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit,
                               int *best, int *resident) {
    enum { WARP = 32 };
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_function_info info;
    hw_rt_status status = hw_rt_function_get_info(runtime, function, &info);
    int most = (int)info.sim.max_threads_per_block, most_threads = 0;
    *best = *resident = 0;
    if (status) return status;
    if (limit > 0 && limit < most) most = limit;
    for (int threads = (most + WARP - 1) / WARP * WARP; !status && threads > 0; threads -= WARP) {
        const int block = threads < most ? threads : most;
        int blocks;
        const size_t bytes = shared_of ? shared_of(block) : shared_bytes;
        status = hw_rt_resident_blocks(runtime, function, block, bytes, &blocks);
        if (status || blocks * block <= most_threads) continue;
        most_threads = blocks * block;
        *best = block;
        *resident = blocks;
    }
    return status;
}

HW_EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                             CUoccupancyB2DSize shared_of, size_t shared_bytes,
                                                             int limit, unsigned flags) {
    HW_ENTER();
    hw_rt_status status;
    int best, resident;
    hw_rt_function *found = hw_cuda_function(function, &status);
    if (found && (!grid || !block || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
        status = HW_RT_INVALID_VALUE;
    if (!status) status = find_block(found, shared_of, shared_bytes, limit, &best, &resident);
    if (status) return hw_cuda_return(status);
    *block = best;
    *grid = resident * (int)hw_rt_gpu(hw_shim_runtime())->sms;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                                    CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared_bytes, limit, 0);
}

// Blocks that fit, in clusters: that a cluster's blocks are on one group of multiprocessors is not modelled.
HW_EXPORT CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
    if (!clusters || !config) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const int threads = (int)(config->blockDimX * config->blockDimY * config->blockDimZ);
    const CUresult result =
        cuOccupancyMaxActiveBlocksPerMultiprocessor(clusters, function, threads, config->sharedMemBytes);
    if (result) return result;
    *clusters *= (int)hw_rt_gpu(hw_shim_runtime())->sms;
    for (unsigned i = 0; config->attrs && i < config->numAttrs; i++) {
        const CUlaunchAttributeValue *value = &config->attrs[i].value;
        const unsigned blocks = value->clusterDim.x * value->clusterDim.y * value->clusterDim.z;
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && blocks) *clusters /= (int)blocks;
    }
    return CUDA_SUCCESS;
}
