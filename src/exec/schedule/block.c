// Blocks on a worker thread: their memory, whose turn it is, and when to look after another block.
//
// A worker normally holds one block and runs its warps in turns until all have exited. When every warp only waits for
// something outside the block (it polls memory, or runs very long), the block is set aside and others are started or
// resumed, up to as many as the modelled GPU would hold: whatever a resident block waits for, it gets.
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "exec/schedule/cycles.h"
#include "exec/schedule/longest.h"
#include "exec/schedule/seeded.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/last_error.h"

// Runs a list of lifted instructions with all lanes on.
static void run_list(hw_state *s, const hw_program *program, const hw_inst *list) {
    s->frame = NULL;    // its bases are not set while this runs
    const hw_areas *areas = &s->run->areas[program->index];
    hw_set_base(&s->warp, HW_BASE_FRAME, NULL);
    hw_set_base(&s->warp, HW_BASE_LAUNCH, areas->launch);
    hw_set_base(&s->warp, HW_BASE_BLOCK, s->block->block_area + areas->block_offset);
    hw_set_base(&s->warp, HW_BASE_WARP, s->warp_area + areas->warp_offset);
    s->warp.slots = program->slots;
    hw_set_mask(&s->warp, 0xffffffffu);
    for (const hw_inst *in = list; in;) in = in->body(&s->warp, in);
}

static bool create_warp(hw_block *block, uint32_t index, char **memory, hw_worker *worker) {
    hw_run *run = worker->run;
    hw_state *s = &block->warps[index];
    const hw_program *entry = run->entry;
    s->block = block;
    s->worker = worker;
    s->run = run;
    s->events = run->events;
    s->index = index;
    s->thread_of_lane0 = index * 32;
    s->patterns = worker->patterns;
    s->shared = block->shared;
    s->warp_area = *memory;
    *memory += run->warp_area_bytes;
    s->entry_frame.program = entry;
    s->entry_frame.registers = *memory;
    *memory += hw_align_up(entry->frame_bytes, 64);
    s->entry_frame.param_stride = (uint32_t)hw_align_up(entry->param_bytes, 16);
    s->entry_frame.params = *memory;
    *memory += hw_align_up((size_t)s->entry_frame.param_stride * 32, 64);
    if (run->local_bytes) {
        s->local = hw_alloc_lanes((size_t)run->local_bytes * 32 + 128);
        if (!s->local) return false;
    }
    for (uint32_t i = 0; i < run->set->n_programs; i++)
        if (run->areas[i].is_reachable) run_list(s, run->set->programs[i], run->set->programs[i]->warp_insts);
    return true;
}

hw_status hw_block_create(hw_worker *worker, hw_block *block) {
    hw_run *run = worker->run;
    const hw_program *entry = run->entry;
    size_t per_warp = run->warp_area_bytes + hw_align_up(entry->frame_bytes, 64) +
                      hw_align_up(hw_align_up(entry->param_bytes, 16) * 32, 64);
    // Warps a multiple of 4 KiB apart would fight for the same sets of the first-level cache.
    if (per_warp % 4096 == 0) per_warp += 192;
    memset(block, 0, sizeof *block);
    block->n_warps = run->n_warps;
    block->busy_barriers = ~0u;    // to be reset when the first block starts
    block->warps = hw_alloc_lanes(run->n_warps * sizeof *block->warps);
    block->block_area = hw_alloc_lanes(run->block_area_bytes + per_warp * run->n_warps);
    block->shared = hw_alloc_lanes(run->shared_bytes + 64);
    if (!block->warps || !block->block_area || !block->shared) return HW_NO_MEMORY;
    char *memory = block->block_area + run->block_area_bytes;
    for (uint32_t i = 0; i < run->n_warps; i++) {
        char *begin = memory;
        if (!create_warp(block, i, &memory, worker)) return HW_NO_MEMORY;
        memory = begin + per_warp;
    }
    if (run->defined && !hw_undefined_create(block)) return HW_NO_MEMORY;
    return HW_OK;
}

void hw_block_destroy(hw_block *block) {
    hw_undefined_destroy(block);
    hw_bulk_free(block);
    hw_last_error_free(block);
    for (uint32_t i = 0; block->warps && i < block->n_warps; i++) {
        hw_flow_free(&block->warps[i]);
        hw_copies_free(&block->warps[i]);
        hw_free_aligned(block->warps[i].local);
    }
    hw_free_aligned(block->warps);
    hw_free_aligned(block->block_area);
    hw_free_aligned(block->shared);
}

// Divisions of 64 bits are slow enough on some processors to be seen in a launch of many small blocks.
static void find_index(const uint32_t *grid, uint64_t linear, uint32_t index[3]) {
    if (linear <= UINT32_MAX) {
        uint32_t row = (uint32_t)linear / grid[0];
        index[0] = (uint32_t)linear - row * grid[0];
        index[2] = row / grid[1];
        index[1] = row - index[2] * grid[1];
    } else {
        index[0] = (uint32_t)(linear % grid[0]);
        index[1] = (uint32_t)(linear / grid[0] % grid[1]);
        index[2] = (uint32_t)(linear / grid[0] / grid[1]);
    }
}

// Memory that nobody has set holds what is easy to see. What the system reserves of shared memory is its own to set.
static void poison_shared(hw_block *block, const hw_run *run) {
    memset(block->shared, run->poison, run->kernels_shared_bytes);
    for (uint32_t i = 0; i < block->n_warps && run->local_bytes; i++)
        memset(block->warps[i].local, run->poison, (size_t)run->local_bytes * 32);
}

static void tell_block(hw_block *block, bool has_ended) {
    hw_state *s = &block->warps[0];
    if (!HW_IS_TOLD(s, BLOCK)) return;
    const hw_block_step step = {.where = hw_where_of(s), .has_ended = has_ended};
    hw_tell_block(&s->run->observers->all, s->worker->index, &step);
}

static void start_block(hw_worker *worker, hw_block *block, uint64_t linear) {
    hw_run *run = worker->run;
    block->linear = linear;
    find_index(run->launch->grid, linear, block->index);
    block->issued = block->counted = 0;
    block->is_running = true;
    block->is_stuck = false;
    block->live_threads = run->threads_per_block;
    if (block->busy_barriers)
        for (int i = 0; i <= HW_CLUSTER_BARRIER; i++) block->barriers[i] = (hw_barrier){.all = ~0u};
    block->busy_barriers = 0;
    memset(block->shared, 0, run->shared_bytes);
    if (run->poison >= 0) poison_shared(block, run);
    hw_longest_block_begins(block);
    if (run->cycles) hw_cycles_block_begins(block);
    hw_bulk_forget(block);
    hw_last_error_forget(block);
    tell_block(block, false);
    for (uint32_t i = 0; i < run->n_block_lists; i++)
        run_list(&block->warps[0], run->block_lists[i], run->block_lists[i]->block_insts);
    for (uint32_t i = 0; i < block->n_warps; i++) {
        uint32_t threads = run->threads_per_block - i * 32;
        hw_flow_start(&block->warps[i], run->entry, threads >= 32 ? 0xffffffffu : (1u << threads) - 1);
    }
    if (run->defined) hw_undefined_begin(block);
}

static void run_warp(hw_state *s) {
    s->stop = HW_STOP_NONE;
    if (!hw_flow_pick(s)) {
        s->stop = HW_STOP_BLOCKED;
        return;
    }
    hw_turn_begin(s);
    for (const hw_inst *in = s->pc; in;) in = in->body(&s->warp, in);
    if (s->stop != HW_STOP_YIELD) {
        s->turn.is_interrupted = false;
        return;
    }
    if (s->turn.is_interrupted) {
        hw_seeded_put_back(s);
        return;
    }
    hw_turn_end(s);
    if (!hw_turn_waits(&s->turn) || s->run->launch->gpu.compute_capability < 70) {
        s->is_ready = true;
        return;
    }
    // The path may wait for other lanes of its warp: these go first now, also lanes that wait for reconvergence.
    hw_flow_suspend(s, s->pc, HW_PATH_READY);
    hw_path spinning = s->paths[s->n_paths - 1];
    hw_flow_release_waiting(s);
    uint32_t at = 0;
    while (s->paths[at].state != spinning.state || s->paths[at].mask != spinning.mask) at++;
    memmove(&s->paths[1], &s->paths[0], at * sizeof spinning);
    s->paths[0] = spinning;
}

static void run_timed_warp(hw_state *s) {
    hw_worker *worker = s->worker;
    hw_state *timed = worker->timed;
    const uint32_t n_timed = worker->n_timed;
    hw_cycles_turn_to(worker, s, 1);
    run_warp(s);
    hw_cycles_turn_to(worker, timed, n_timed);
}

// A warp of a convoy runs alone in between.
void hw_block_run_warp(hw_state *s) {
    const hw_longest_turn before = hw_longest_turn_to(s->block, (hw_longest_turn){s->index, 1});
    if (s->run->cycles) run_timed_warp(s);
    else run_warp(s);
    hw_longest_turn_to(s->block, before);
}

typedef enum turn_result {
    TURN_FINISHED,
    TURN_YIELDED,                 // all that can run waits for other blocks
    TURN_INTERRUPTED,             // others first
    TURN_STOPPED
} turn_result;

// Has the launch executed more than it may? Stops it then.
static bool is_over_limit(hw_state *s) {
    hw_run *run = s->run;
    hw_block *block = s->block;
    if (!run->launch->max_instructions) return false;
    uint64_t fresh = block->issued - block->counted;
    block->counted = block->issued;
    if (atomic_fetch_add_explicit(&run->issued, fresh, memory_order_relaxed) + fresh <= run->launch->max_instructions)
        return false;
    hw_fault_limit(s);
    return true;
}

// Every warp that can run gets a turn. Returns whether any could; *waits: all that ran wait for something outside.
static bool run_round(hw_block *block, bool *waits) {
    const hw_run *run = block->warps[0].run;
    uint32_t n = block->n_warps;
    hw_worker *worker = block->warps[0].worker;
    const bool is_seeded = hw_is_seeded(worker);
    const hw_seeded_round order = is_seeded ? hw_seeded_round_of(worker, n) : (hw_seeded_round){.n = n};
    uint32_t with_convoys = is_seeded ? n : 0;    // warps before this one have had their turn in a convoy
    bool ran = false;
    *waits = true;
    for (uint32_t k = 0; k < n; k++) {
        hw_state *s = &block->warps[is_seeded ? hw_seeded_warp(&order, k) : k];
        if (!s->live || !hw_flow_has_ready(s)) continue;
        ran = true;
        uint32_t went = k >= with_convoys ? hw_convoy_run(block, k, hw_turn_fuel(run->launch->max_instructions)) : 0;
        if (went) with_convoys = k + went;
        if (went && s->stop != HW_STOP_LEFT) k += went - 1;
        else hw_block_run_warp(s);
        if (s->stop == HW_STOP_FAULT || is_over_limit(s)) return true;
        if (__builtin_expect(hw_is_asked(s->worker), 0) && !hw_answer(s)) return true;
        if (s->stop != HW_STOP_YIELD || !hw_turn_waits(&s->turn)) *waits = false;
        block->turn.is_idle &= *waits && s->turn.state == HW_TURN_IDLE;
    }
    return ran;
}

// Lanes that wait for reconvergence go on alone in warps where nobody else can run.
static bool release_blocked(hw_block *block) {
    bool released = false;
    for (uint32_t i = 0; i < block->n_warps; i++) {
        hw_state *s = &block->warps[i];
        if (s->live && !hw_flow_has_ready(s)) released |= hw_flow_release_waiting(s);
    }
    return released;
}

static turn_result run_block(hw_block *block) {
    hw_run *run = block->warps[0].run;
    hw_access_refresh(block->warps[0].worker);
    block->turn.is_idle = true;
    for (;;) {
        bool waits;
        block->turn.has_progressed = false;
        bool ran = run_round(block, &waits);
        hw_run_may_join(block->warps[0].worker);
        if (atomic_load_explicit(&run->stopped, memory_order_relaxed)) return TURN_STOPPED;
        if (!block->live_threads) return TURN_FINISHED;
        if (ran && hw_seeded_leaves_block(block->warps[0].worker)) return TURN_INTERRUPTED;
        if (block->turn.has_progressed && ran) continue;
        if ((!ran || waits) && release_blocked(block)) continue;
        if (!ran && run->cluster_blocks > 1 && hw_cluster_waits(block)) return TURN_YIELDED;
        if (!ran) {
            hw_fault_deadlock(block);
            return TURN_STOPPED;
        }
        if (waits) return TURN_YIELDED;
    }
}

// The next cluster of the grid for this worker, which mostly is a block.
static bool next_index(hw_worker *worker, uint64_t *number) {
    hw_run *run = worker->run;
    const uint64_t n = run->n_blocks / run->cluster_blocks;
    if (worker->taken == worker->taken_end) {
        worker->taken = atomic_fetch_add(&run->next_block, run->blocks_at_once);
        worker->taken_end = worker->taken + run->blocks_at_once;
        if (worker->taken_end > n) worker->taken_end = n;
        if (worker->taken >= n) worker->taken = worker->taken_end;
    }
    if (worker->taken == worker->taken_end) return false;
    *number = hw_is_seeded(worker) ? hw_seeded_block(run, worker->taken) : worker->taken;
    worker->taken++;
    return true;
}

static bool make_slot(hw_worker *worker) {
    hw_block *slot = hw_alloc_lanes(sizeof *slot);
    if (slot && hw_block_create(worker, slot) == HW_OK) {
        worker->blocks[worker->n_blocks++] = slot;
        return true;
    }
    if (slot) hw_block_destroy(slot);
    hw_free_aligned(slot);
    return false;
}

// Slots for a cluster that are side by side, made where there are none: the first's place, or n_blocks where memory is
// short or the GPU has no room for more.
static uint32_t find_slots(hw_worker *worker) {
    const uint32_t n = worker->run->cluster_blocks;
    for (uint32_t first = 0; first + n <= worker->n_blocks; first += n) {
        bool is_free = true;
        for (uint32_t i = 0; i < n; i++) is_free &= !worker->blocks[first + i]->is_running;
        if (is_free) return first;
    }
    const uint32_t first = worker->n_blocks;
    if (first + n > worker->max_blocks) return first;
    for (uint32_t i = 0; i < n; i++) {
        if (make_slot(worker)) continue;
        while (worker->n_blocks > first) {
            hw_block_destroy(worker->blocks[--worker->n_blocks]);
            hw_free_aligned(worker->blocks[worker->n_blocks]);
        }
        if (!first) {
            hw_run_stop(worker->run, HW_NO_MEMORY);
        }
        worker->max_blocks = first;
        break;
    }
    return first;
}

// The next block of the grid, with all of its cluster, into free slots; false when the grid has none left or memory is
// short.
static bool take_block(hw_worker *worker, hw_block **out) {
    hw_run *run = worker->run;
    uint64_t number;
    if (worker->taken == worker->taken_end && atomic_load(&run->next_block) >= run->n_blocks / run->cluster_blocks)
        return false;
    const uint32_t first = find_slots(worker);
    if (first == worker->n_blocks || !next_index(worker, &number)) return false;
    for (uint32_t rank = 0; rank < run->cluster_blocks; rank++) {
        hw_block *block = worker->blocks[first + rank];
        block->rank = rank;
        block->peers = &worker->blocks[first];
        block->live_threads = run->threads_per_block;    // before one of them asks for the others'
    }
    for (uint32_t rank = 0; rank < run->cluster_blocks; rank++)
        start_block(worker, worker->blocks[first + rank],
                    run->cluster_blocks == 1 ? number : hw_cluster_member(run, number, rank));
    *out = worker->blocks[first];
    return true;
}

static hw_block *next_running(hw_worker *worker, const hw_block *after) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < worker->n_blocks; i++)
        if (worker->blocks[i] == after) from = i + 1;
    for (uint32_t k = 0; k < worker->n_blocks; k++) {
        hw_block *block = worker->blocks[(from + k) % worker->n_blocks];
        if (block->is_running) return block;
    }
    return NULL;
}

// Another block than the one that was interrupted, as a rule.
static hw_block *next_by_seed(hw_worker *worker) {
    hw_block *other = NULL;
    uint32_t n_running = 0;
    for (uint32_t i = 0; i < worker->n_blocks; i++) n_running += worker->blocks[i]->is_running;
    if (hw_seeded_takes_block(worker, n_running) && take_block(worker, &other)) return other;
    return next_running(worker, worker->blocks[hw_seeded_below(worker, worker->n_blocks)]);
}

void hw_worker_main(hw_worker *worker) {
    hw_run *run = worker->run;
    hw_block *block = NULL;
    while (!atomic_load_explicit(&run->stopped, memory_order_relaxed)) {
        if (!block) block = next_running(worker, NULL);
        if (!block && !take_block(worker, &block)) return;
        turn_result result = run_block(block);
        if (result == TURN_STOPPED) return;
        if (result == TURN_FINISHED) {
            hw_longest_block_ends(block);
            if (run->cycles) hw_cycles_block_ends(block);
            hw_bulk_finish(block);
            tell_block(block, true);
            worker->n_ended++;
            block->is_running = false;
            block = NULL;
            continue;
        }
        if (result == TURN_INTERRUPTED) {
            block = next_by_seed(worker);
            continue;
        }
        hw_watch_waiting(worker);
        hw_turn_rest(worker, block);
        // The block waits for other blocks: start one more, or resume the next resident one.
        hw_block *other = NULL;
        if (!take_block(worker, &other)) other = next_running(worker, block);
        block = other;
    }
}
