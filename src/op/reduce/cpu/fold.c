// The instruction-set levels of the reductions' inner loops.
#include "op/reduce/cpu/fold.h"

static const hw_fold_level *const levels[HW_SIMD_LEVELS] = {
    [HW_SIMD_BASE] = &hw_fold_base,
#ifdef __x86_64__
    [HW_SIMD_AVX2] = &hw_fold_avx2,
    [HW_SIMD_AVX512] = &hw_fold_avx512,
#endif
};

const hw_fold_level *hw_fold_level_at(hw_simd_level level) {
    return level <= hw_processor_level() ? levels[level] : NULL;
}

const hw_fold_level *hw_fold_level_best(void) { return levels[hw_processor_level()]; }
