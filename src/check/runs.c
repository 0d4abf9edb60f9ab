#include "check/runs.h"


enum { LANES = HW_WARP_LANES, SLOTS = 64 };

static uint32_t hash_of(int64_t delta, int bits) {
    return (uint32_t)((uint64_t)delta * 0x9e3779b97f4a7c15u >> (64 - bits));
}

// False: no two lanes have one address. Without a branch that a processor would have to guess.
static bool may_meet(uint32_t mask, const int64_t *delta) {
    uint64_t seen[64] = {0}, met = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t hash = hash_of(delta[__builtin_ctz(left)], 12);
        met |= seen[hash / 64] >> hash % 64;
        seen[hash / 64] |= 1ull << hash % 64;
    }
    return met & 1;
}

// Has each lane an address of its own?
static bool are_apart(uint32_t mask, const int64_t *delta) {
    uint8_t slots[SLOTS] = {0};      // lane + 1, by a hash of its address
    if (!may_meet(mask, delta)) return true;
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        uint32_t at = hash_of(delta[lane], 6);
        for (; slots[at]; at = (at + 1) % SLOTS)
            if (delta[slots[at] - 1] == delta[lane]) return false;
        slots[at] = (uint8_t)(lane + 1);
    }
    return true;
}

// Does the lane go on where the run's last one ended, or have the same bytes as its first?
static bool extend_run(hw_check_run *run, uint32_t lanes, int64_t delta, uint32_t width) {
    if (delta == run->delta && run->elems == 1) {
        run->is_many = true;
        return true;
    }
    if (run->elems != lanes || delta != run->delta + (int64_t)(run->elems * width)) return false;
    run->elems++;
    return true;
}

// Lanes that have the very bytes of an earlier run join it.
static bool join_run(hw_check_runs *runs, const hw_check_run *run) {
    for (uint32_t i = 0; i < runs->n; i++) {
        hw_check_run *other = &runs->items[i];
        if (other->delta != run->delta || other->elems != run->elems) continue;
        other->is_many = true;
        other->mask |= run->mask;
        return true;
    }
    return false;
}

static bool have_overlap(const hw_check_runs *runs, uint32_t width) {
    for (uint32_t i = 0; i < runs->n; i++)
        for (uint32_t k = 0; k < i; k++) {
            const hw_check_run *a = &runs->items[i], *b = &runs->items[k];
            if (a->delta < b->delta + (int64_t)(b->elems * width) && b->delta < a->delta + (int64_t)(a->elems * width))
                return true;
        }
    return false;
}

static void find_runs(uint32_t mask, const int64_t *delta, uint32_t width, bool is_apart, hw_check_runs *runs) {
    runs->serial = 0;
    runs->mask = mask;
    runs->n = 0;
    for (uint32_t left = mask; left;) {
        const int first = __builtin_ctz(left);
        hw_check_run run = {.delta = delta[first], .mask = 1u << first, .first_lane = (uint8_t)first, .elems = 1};
        uint32_t lanes = 1;
        left &= left - 1;
        while (first + lanes < LANES && left >> (first + lanes) & 1 &&
               extend_run(&run, lanes, delta[first + lanes], width)) {
            left &= left - 1;
            run.mask |= 1u << (first + lanes++);
        }
        if (is_apart || !join_run(runs, &run)) runs->items[runs->n++] = run;
    }
    runs->may_overlap = !is_apart && have_overlap(runs, width);
    runs->are_cells = is_apart && (width == 4 || width == 1) && runs->n == (uint32_t)__builtin_popcount(mask);
}

void hw_check_find_runs(uint32_t mask, const int64_t *delta, uint32_t width, hw_check_runs *runs) {
    find_runs(mask, delta, width, are_apart(mask, delta), runs);
}

void hw_check_find_cells(uint32_t mask, const int64_t *delta, uint32_t width, hw_check_runs *runs) {
    const bool is_apart = are_apart(mask, delta);
    if (!is_apart || (width != 4 && width != 1)) {
        find_runs(mask, delta, width, is_apart, runs);
        return;
    }
    runs->serial = 0;
    runs->mask = mask;
    runs->n = 0;
    runs->may_overlap = false;
    runs->are_cells = true;
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        runs->items[runs->n++] = (hw_check_run){.delta = delta[lane], .mask = 1u << lane, .first_lane = (uint8_t)lane,
                                                .elems = 1};
    }
}
