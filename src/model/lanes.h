// One access of a warp, as the models' functions take it.
#ifndef HW_MODEL_LANES_H
#define HW_MODEL_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/integers.h"

typedef struct hw_lanes {
    uint32_t mask;           // lanes that access
    uint64_t base;
    const int64_t *delta;    // 32; of lanes that are not in mask without meaning
    uint32_t width;          // bytes of a lane
    // In place of base and delta, or NULL: 32, the lanes' addresses less a multiple of 128, over width. Below 2^31;
    // width is a power of two.
    const uint32_t *place;
} hw_lanes;

// How many lanes are on: mostly all.
static inline uint32_t hw_lanes_on(uint32_t mask) {
    return mask == 0xffffffff ? 32 : hw_bits_set(mask);
}

static inline uint64_t hw_lane_address(const hw_lanes *l, int lane) {
    return l->place ? (uint64_t)l->place[lane] * l->width : l->base + (uint64_t)l->delta[lane];
}

#endif
