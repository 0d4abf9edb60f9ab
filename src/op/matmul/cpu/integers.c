// Which instruction-set levels of the products of integers this processor has.
#include "op/matmul/cpu/integers.h"

const hw_integer_level *hw_integer_level_at(unsigned index) {
    if (index == 0) return &hw_integer_base;
#ifdef __x86_64__
    if (index == 1 && __builtin_cpu_supports("avx2")) return &hw_integer_avx2;
    if (index == 2 && hw_integer_level_at(1) && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &hw_integer_avx512;
#endif
    return NULL;
}

const hw_integer_level *hw_integer_level_best(void) {
    unsigned index = 0;
    while (hw_integer_level_at(index + 1)) index++;
    return hw_integer_level_at(index);
}
