// This machine's clock, for durations.
#ifndef HW_BASE_CLOCK_H
#define HW_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

// Nanoseconds since some moment; never goes back.
static inline uint64_t hw_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
