#include "prof/footprint.h"

#include <string.h>

#include "base/integers.h"

enum { PIECE_BYTES = 128 };   // the largest that memory moves

uint64_t hw_footprint_join(uint64_t stride, const hw_prof_pattern *pattern) {
    for (uint32_t left = pattern->of->mask; left && stride != 1; left &= left - 1) {
        int64_t delta = pattern->of->delta[__builtin_ctz(left)];
        stride = hw_common_divisor(delta < 0 ? 0 - (uint64_t)delta : (uint64_t)delta, stride);
    }
    return stride;
}

// After how many bytes lanes of a short stride find themselves at the same place of a piece again. Of a long one only
// the place in a piece is known.
static uint32_t period_of(uint64_t stride) {
    if (!stride || stride > PIECE_BYTES) return PIECE_BYTES;
    uint64_t period = stride / hw_common_divisor(stride, PIECE_BYTES) * PIECE_BYTES;
    return period <= HW_FOOTPRINT_BYTES ? (uint32_t)period : PIECE_BYTES;
}

hw_footprint_group *hw_footprint_find(hw_footprint *footprint, bool is_store, uint64_t stride) {
    for (uint32_t i = 0; i < footprint->n_groups; i++) {
        hw_footprint_group *group = &footprint->groups[i];
        if (group->is_store == is_store && group->stride == stride) return group;
    }
    if (footprint->n_groups == HW_FOOTPRINT_GROUPS) return NULL;
    hw_footprint_group *group = &footprint->groups[footprint->n_groups++];
    group->stride = stride;
    group->is_store = is_store;
    group->is_whole = false;
    group->period = period_of(stride);
    memset(group->touched, 0, sizeof group->touched);
    return group;
}

// At most 32 bytes, in one or two words; what is past the period is at its begin.
static void touch_bytes(hw_footprint_group *group, uint32_t first, uint32_t count) {
    const uint64_t ones = ((uint64_t)1 << count) - 1;
    const uint32_t word = first / 64, shift = first % 64;
    group->touched[word] |= ones << shift;
    if (shift + count > 64) group->touched[(word + 1) % (group->period / 64)] |= ones >> (64 - shift);
}

// Warps follow each other by 32 strides, which moves the place of their first lane in 128 bytes but not in the period.
static uint32_t place_of_phase(const hw_footprint_group *group, uint32_t phase) {
    if (group->period == PIECE_BYTES) return phase % PIECE_BYTES;
    return phase % (uint32_t)(HW_WARP_LANES * hw_common_divisor(group->stride, 4));
}

void hw_footprint_touch(hw_footprint_group *group, const hw_prof_pattern *pattern, uint32_t phase, uint32_t width,
                        bool is_dense) {
    if (group->is_whole) return;
    group->is_whole = is_dense;
    const int64_t period = group->period, place = place_of_phase(group, phase);
    for (uint32_t left = is_dense ? 0 : pattern->of->mask; left; left &= left - 1) {
        int64_t at = (place + pattern->of->delta[__builtin_ctz(left)]) % period;
        touch_bytes(group, (uint32_t)(at < 0 ? at + period : at), width);
    }
}

static uint32_t count_touched(const hw_footprint_group *group, uint32_t first, uint32_t bytes) {
    uint32_t touched = 0;
    for (uint32_t at = first; at < first + bytes; at += 32)
        touched += (uint32_t)__builtin_popcount((uint32_t)(group->touched[at / 64] >> at % 64));
    return touched;
}

double hw_footprint_spread(const hw_footprint_group *group, uint32_t piece_bytes) {
    if (hw_footprint_is_whole(group)) return 1;
    uint32_t touched = count_touched(group, 0, group->period), pieces = 0;
    for (uint32_t at = 0; at < group->period; at += piece_bytes) pieces += count_touched(group, at, piece_bytes) != 0;
    return touched ? (double)pieces * piece_bytes / touched : 1;
}

bool hw_footprint_is_whole(const hw_footprint_group *group) {
    return group->is_whole || count_touched(group, 0, group->period) == group->period;
}
