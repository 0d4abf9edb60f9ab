// What is done with counts everywhere.
#ifndef HW_BASE_INTEGERS_H
#define HW_BASE_INTEGERS_H

#include <stdint.h>

// How many parts of `by` hold n; never overflows.
static inline uint64_t hw_divide_up(uint64_t n, uint64_t by) { return n / by + (n % by != 0); }

static inline uint64_t hw_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

#endif
