// Which instruction-set levels of these counts this processor has.
#include "model/distinct.h"

#include <stddef.h>

const hw_distinct_level *hw_distinct_level_at(unsigned index) {
    if (index == 0) return &hw_distinct_base;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (index == 1 && __builtin_cpu_supports("avx2")) return &hw_distinct_avx2;
    if (index == 2 && hw_distinct_level_at(1) && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return &hw_distinct_avx512;
#endif
    return NULL;
}

_Atomic(const hw_distinct_level *) hw_distinct_best;

const hw_distinct_level *hw_distinct_find_best(void) {
    const hw_distinct_level *found = NULL;
    for (unsigned index = 0; hw_distinct_level_at(index); index++) found = hw_distinct_level_at(index);
    atomic_store_explicit(&hw_distinct_best, found, memory_order_relaxed);
    return found;
}
