#include "model/constant.h"

enum { ALL_LANES = 32 };

static uint32_t count_distinct(uint32_t mask, const int64_t *delta) {
    uint32_t count = 0;
    for (uint32_t waiting = mask; waiting; count++) {
        int64_t address = delta[__builtin_ctz(waiting)];
        for (uint32_t left = waiting; left; left &= left - 1)
            if (delta[__builtin_ctz(left)] == address) waiting &= ~(left & -left);
    }
    return count;
}

uint32_t hw_constant_passes(const hw_arch *arch, uint32_t mask, const int64_t delta[32]) {
    if (arch->cc >= 20) return count_distinct(mask, delta);
    return count_distinct(mask & 0xffff, delta) + count_distinct(mask & 0xffff0000, delta);
}
