// Which instruction-set levels of the register tiles this processor has.
#include "op/transpose/cpu/tile.h"

const hw_tile_level *hw_tile_level_at(unsigned index) {
    if (index == 0) return &hw_tile_base;
#ifdef __x86_64__
    if (index == 1 && __builtin_cpu_supports("avx2")) return &hw_tile_avx2;
    if (index == 2 && __builtin_cpu_supports("avx512bw")) return &hw_tile_avx512;
#endif
    return NULL;
}

const hw_tile_level *hw_tile_level_best(void) {
    unsigned index = 0;
    while (hw_tile_level_at(index + 1)) index++;
    return hw_tile_level_at(index);
}

void hw_tile_fence(void) {
#ifdef __x86_64__
    __builtin_ia32_sfence();
#endif
}
