// Which instruction-set levels of these loops this processor has.
#include "check/lanes.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/processor.h"

const hw_check_level *hw_check_level_at(unsigned index) {
    if (index == 0) return &hw_check_base;
#ifdef __x86_64__
    if (index == 1 && hw_processor_level() >= HW_SIMD_AVX2) return &hw_check_avx2;
    if (index == 2 && hw_processor_level() >= HW_SIMD_AVX512) return &hw_check_avx512;
#endif
    return NULL;
}

const hw_check_level *hw_check_level_best(void) {
    static _Atomic(const hw_check_level *) best;
    const hw_check_level *found = atomic_load_explicit(&best, memory_order_relaxed);
    if (found) return found;
    for (unsigned index = 0; hw_check_level_at(index); index++) found = hw_check_level_at(index);
    atomic_store_explicit(&best, found, memory_order_relaxed);
    return found;
}
