// The instruction-set levels of the register tiles.
#include "op/transpose/cpu/tile.h"

static const hw_tile_level *const levels[HW_SIMD_LEVELS] = {
    [HW_SIMD_BASE] = &hw_tile_base,
#ifdef __x86_64__
    [HW_SIMD_AVX2] = &hw_tile_avx2,
    [HW_SIMD_AVX512] = &hw_tile_avx512,
#endif
};

const hw_tile_level *hw_tile_level_at(hw_simd_level level) {
    return level <= hw_processor_level() ? levels[level] : NULL;
}

const hw_tile_level *hw_tile_level_best(void) { return levels[hw_processor_level()]; }

void hw_tile_fence(void) {
#ifdef __x86_64__
    __builtin_ia32_sfence();
#endif
}
