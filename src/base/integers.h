// What is done with counts everywhere.
#ifndef HW_BASE_INTEGERS_H
#define HW_BASE_INTEGERS_H

#include <stdint.h>

// How many parts of `by` hold n; never overflows.
static inline uint64_t hw_divide_up(uint64_t n, uint64_t by) { return n / by + (n % by != 0); }

// The least multiple of `unit` that is not below n; n itself where the unit is 0.
static inline uint64_t hw_align_up(uint64_t n, uint64_t unit) { return unit ? hw_divide_up(n, unit) * unit : n; }

// The distance from 0, of the least number too.
static inline uint64_t hw_magnitude(int64_t n) { return n < 0 ? -(uint64_t)n : (uint64_t)n; }

static inline uint64_t hw_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// How many bits are set. Not by the compiler's function, which is a call where the processor need not have an
// instruction for it.
static inline uint32_t hw_bits_set(uint32_t bits) {
    bits -= bits >> 1 & 0x55555555;
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
    return ((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static inline uint32_t hw_bits_set_of_64(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return (uint32_t)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

// The largest number that divides both; of a number and 0, the number.
static inline uint64_t hw_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
