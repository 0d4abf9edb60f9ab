// Caches that texels come through: what of a launch's reads they miss. Pure functions.
#ifndef HW_MODEL_CACHES_H
#define HW_MODEL_CACHES_H

#include "isa/gpu.h"

// Fetches of a launch, or of some of its blocks: sectors of 32 bytes, each once for each fetch of a warp that reads it,
// and each once for each block.
typedef struct hw_texel_reads {
    double by_warps, by_blocks;
    double blocks;                   // that fetch
    double blocks_per_sm;            // that are on a multiprocessor at a time
    double sms;                      // that have any
    double texture_bytes;            // of the textures, as far as they are read
} hw_texel_reads;

// Sectors that a multiprocessor's cache does not have. What threads of a block share it keeps, as far as the blocks
// that run at a time fit in together; what other blocks have read is gone, but where the whole textures fit in. An
// H200's misses are by_blocks within 1%, where every 32nd word is read 5% (truth/h200_micro.csv).
double hw_texels_missed(const hw_gpu *gpu, const hw_texel_reads *reads);

// Bytes of them for memory to move, as hw_time_work.load_bytes has them. Of 1.x, whose memory has a cache for textures
// alone: the textures once, and of what comes back what that has not, displaced at random. From 2.0 on all, as of
// loads: what the second-level cache has is the model of time's to say.
double hw_texels_loaded_bytes(const hw_gpu *gpu, const hw_texel_reads *reads, double missed);

#endif
