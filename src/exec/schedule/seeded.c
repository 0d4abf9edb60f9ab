#include "exec/schedule/seeded.h"

#include <string.h>

#include "base/mix.h"

// Blocks that change places, and how many a worker holds where none of them waits.
enum { MOST_NEIGHBOURS = 16, MOST_AT_ONCE = 8 };
// A block is left after one round of so many; a turn goes on for up to 2^MOST_STEP_BITS basic blocks.
enum { ROUNDS = 4, MOST_STEP_BITS = 9 };

static uint64_t draw(hw_worker *worker) {
    worker->random += 0x9e3779b97f4a7c15u;
    uint64_t x = worker->random;    // splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint32_t hw_seeded_below(hw_worker *worker, uint32_t bound) { return (uint32_t)((draw(worker) >> 32) * bound >> 32); }

void hw_seeded_begin(hw_worker *worker) {
    const hw_launch *launch = worker->run->launch;
    const uint64_t mixed = hw_mix_word(hw_mix_word(launch->seed, launch->grid_id), worker->index);
    worker->random = launch->seed ? mixed | 1 : 0;
}

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The least number from `wish` on, below n or 1, with which one comes to each of n places in turn.
static uint32_t stride_near(uint32_t wish, uint32_t n) {
    while (wish < n && common_divisor(wish, n) != 1) wish++;
    return wish < n ? wish : 1;
}

uint64_t hw_seeded_block(const hw_run *run, uint64_t linear) {
    const hw_launch *launch = run->launch;
    const uint32_t resident = launch->gpu.resident_blocks;
    const uint32_t room = resident < MOST_NEIGHBOURS ? resident : MOST_NEIGHBOURS;
    if (room < 2) return linear;
    const uint64_t first = linear - linear % room, left = run->n_blocks / run->cluster_blocks - first;
    const uint32_t n = left < room ? (uint32_t)left : room;
    const uint64_t mixed = hw_mix_word(hw_mix_word(launch->seed, launch->grid_id), first);
    const uint32_t stride = stride_near(1 + (uint32_t)(mixed >> 32) % n, n);
    return first + ((uint32_t)mixed % n + (linear - first) * stride) % n;
}

hw_seeded_round hw_seeded_round_of(hw_worker *worker, uint32_t n) {
    const uint32_t first = hw_seeded_below(worker, n);
    return (hw_seeded_round){.first = first, .stride = stride_near(1 + hw_seeded_below(worker, n), n), .n = n};
}

// Short ones as often as long ones.
uint32_t hw_seeded_steps(hw_worker *worker) {
    return 1 + hw_seeded_below(worker, 1u << hw_seeded_below(worker, MOST_STEP_BITS + 1));
}

void hw_seeded_put_back(hw_state *s) {
    // Before compute capability 7.0 a warp's lanes part and meet in one order.
    if (!s->n_paths || s->run->launch->gpu.compute_capability < 70 || hw_seeded_below(s->worker, 2)) {
        s->is_ready = true;
        return;
    }
    hw_flow_suspend(s, s->pc, HW_PATH_READY);
    const hw_path path = s->paths[s->n_paths - 1];
    memmove(&s->paths[1], &s->paths[0], (s->n_paths - 1) * sizeof path);
    s->paths[0] = path;
}

bool hw_seeded_leaves_block(hw_worker *worker) { return hw_is_seeded(worker) && !hw_seeded_below(worker, ROUNDS); }

bool hw_seeded_takes_block(hw_worker *worker, uint32_t n_running) {
    return n_running < MOST_AT_ONCE && hw_seeded_below(worker, 2);
}
