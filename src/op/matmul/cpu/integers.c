// The instruction-set levels of the products of integers.
#include "op/matmul/cpu/integers.h"

static const hw_integer_level *const levels[HW_SIMD_LEVELS] = {
    [HW_SIMD_BASE] = &hw_integer_base,
#ifdef __x86_64__
    [HW_SIMD_AVX2] = &hw_integer_avx2,
    [HW_SIMD_AVX512] = &hw_integer_avx512,
#endif
};

const hw_integer_level *hw_integer_level_at(hw_simd_level level) {
    return level <= hw_processor_level() ? levels[level] : NULL;
}

const hw_integer_level *hw_integer_level_best(void) { return levels[hw_processor_level()]; }
