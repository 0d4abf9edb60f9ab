// Which instruction-set levels of the reductions' inner loops this processor has.
#include "op/reduce/cpu/fold.h"

#include "base/processor.h"

const hw_fold_level *hw_fold_level_at(unsigned index) {
    if (index == 0) return &hw_fold_base;
#ifdef __x86_64__
    if (index == 1 && __builtin_cpu_supports("avx2") && hw_processor_has_f16c()) return &hw_fold_avx2;
    if (index == 2 && hw_fold_level_at(1) && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &hw_fold_avx512;
#endif
    return NULL;
}

const hw_fold_level *hw_fold_level_best(void) {
    unsigned index = 0;
    while (hw_fold_level_at(index + 1)) index++;
    return hw_fold_level_at(index);
}
