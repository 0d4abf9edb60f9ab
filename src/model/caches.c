#include "model/caches.h"

typedef struct caches_row { int cc; uint32_t texture_kib; } caches_row;

static const caches_row rows[] = {
#define HW_CACHES_ROW(...) {__VA_ARGS__},
#include "model/caches.def"
#undef HW_CACHES_ROW
};

enum { SECTOR_BYTES = 32, L1_BYTES = 192 * 1024,   // time.c says what of a first-level cache is global memory's
       PARTITION_L2_BYTES = 32 * 1024 };   // of 1.x, for textures alone: assumed, 256 KB of a GTX 280

static const caches_row *row_of(const hw_arch *arch) {
    size_t i = sizeof rows / sizeof rows[0] - 1;
    while (i && rows[i].cc > arch->cc) i--;
    return &rows[i];
}

static double least(double a, double b) { return a < b ? a : b; }

// What of reads that come back at random a cache misses, where they are spread over so many bytes.
static double missed_share(double bytes, double cache) { return bytes > cache ? 1 - cache / bytes : 0; }

static double texture_cache(const hw_arch *arch) {
    const uint32_t kib = row_of(arch)->texture_kib;
    return kib ? kib * 1024.0 : least(L1_BYTES, arch->smem_per_sm_bytes);
}

double hw_texels_missed(const hw_gpu *gpu, const hw_texel_reads *r) {
    const double cache = texture_cache(gpu->arch), sectors = r->texture_bytes / SECTOR_BYTES;
    const double of_blocks = r->blocks > 0 ? r->by_blocks / r->blocks * SECTOR_BYTES : 0;
    const double together = least(of_blocks * r->blocks_per_sm, r->texture_bytes);
    const double missed = r->by_blocks + (r->by_warps - r->by_blocks) * missed_share(together, cache);
    return r->texture_bytes <= cache ? least(missed, sectors * r->sms) : missed;
}

double hw_texels_loaded_bytes(const hw_gpu *gpu, const hw_texel_reads *r, double missed) {
    const double all = missed * SECTOR_BYTES, once = least(all, r->texture_bytes);
    if (gpu->arch->cc >= 20) return all;
    return once + (all - once) * missed_share(r->texture_bytes, (double)gpu->memory_partitions * PARTITION_L2_BYTES);
}
