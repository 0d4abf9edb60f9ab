#include "exec/schedule/cycles.h"

#include <math.h>

#include "base/alloc.h"
#include "base/integers.h"

// ---- the launch ----

static bool reads_clock(const hw_run *run) {
    for (uint32_t i = 0; i < run->set->n_programs; i++)
        if (run->areas[i].is_reachable && run->set->programs[i]->reads_clock) return true;
    return false;
}

bool hw_cycles_begin(hw_run *run) {
    const hw_exec_gpu *gpu = &run->launch->gpu;
    if (!gpu->cycles || !reads_clock(run)) return true;
    run->n_places = gpu->resident_blocks < run->n_blocks ? gpu->resident_blocks : (uint32_t)run->n_blocks;
    run->places = hw_calloc(run->n_places, sizeof *run->places);
    if (!run->places) return false;
    // Who begins beside another block has more of the multiprocessor when that one ends, which makes up for its turn.
    for (uint32_t i = 0; i < run->n_places; i++) run->places[i] = i % gpu->sms * gpu->block_turn_cycles;
    run->cycles = gpu->cycles;
    return true;
}

void hw_cycles_end(hw_run *run) { hw_free(run->places); }

// ---- sums ----

static hw_cycles difference(hw_cycles a, hw_cycles b) { return (hw_cycles){a.issue - b.issue, a.wait - b.wait}; }

// Of all that the worker has executed.
static hw_cycles executed_by(const hw_worker *worker) {
    const hw_run *run = worker->run;
    hw_cycles sum = {0, 0};
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        const hw_program *program = run->areas[i].is_reachable ? run->set->programs[i] : NULL;
        for (uint32_t b = 0; program && b < program->n_blocks; b++) {
            const hw_basic_block *block = &program->blocks[b];
            const double warps = (double)worker->counts[program->first_block + b].warps;
            if (!warps || !block->count) continue;
            const hw_cycles *first = &run->cycles[block->first_note];
            const hw_cycles each = difference(first[block->count], first[0]);
            sum.issue += warps * each.issue;
            sum.wait += warps * each.wait;
        }
    }
    return sum;
}

// What was executed since the last time goes to the warps whose turn it was.
static void settle(hw_worker *worker) {
    const hw_cycles now = executed_by(worker), fresh = difference(now, worker->settled);
    for (uint32_t k = 0; k < worker->n_timed; k++) {
        worker->timed[k].cycles.issue += fresh.issue / worker->n_timed;
        worker->timed[k].cycles.wait += fresh.wait / worker->n_timed;
    }
    worker->settled = now;
}

void hw_cycles_turn_to(hw_worker *worker, hw_state *first, uint32_t n) {
    settle(worker);
    worker->timed = first;
    worker->n_timed = first ? n : 0;
}

static void fold_warps(hw_block *block) {
    double longest = 0;
    settle(block->warps[0].worker);
    for (uint32_t i = 0; i < block->n_warps; i++) {
        hw_cycles *own = &block->warps[i].cycles;
        block->passed.issue += own->issue;
        if (own->wait > longest) longest = own->wait;
        *own = (hw_cycles){0, 0};
    }
    block->passed.wait += longest;
}

void hw_cycles_barrier(hw_block *block) { fold_warps(block); }

// ---- blocks ----

// Blocks of the same wave on the same multiprocessor; blocks go to multiprocessors in turn.
static double sharers(const hw_run *run, uint64_t linear) {
    const uint64_t sms = run->launch->gpu.sms ? run->launch->gpu.sms : 1, first = linear - linear % run->n_places;
    const uint64_t in_wave = run->n_blocks - first < run->n_places ? run->n_blocks - first : run->n_places;
    const uint64_t sm = (linear - first) % sms;
    return (double)hw_divide_up(in_wave - sm, sms);
}

static double taken_by(const hw_block *block, hw_cycles more) {
    return hypot(block->sharers * (block->passed.issue + more.issue), block->passed.wait + more.wait);
}

void hw_cycles_block_begins(hw_block *block) {
    hw_run *run = block->warps[0].run;
    hw_cycles_turn_to(block->warps[0].worker, NULL, 0);
    block->passed = (hw_cycles){0, 0};
    block->sharers = sharers(run, block->linear);
    block->begin_cycles = run->places[block->linear % run->n_places] + run->launch->gpu.block_start_cycles;
    for (uint32_t i = 0; i < block->n_warps; i++) block->warps[i].cycles = (hw_cycles){0, 0};
}

void hw_cycles_block_ends(hw_block *block) {
    hw_run *run = block->warps[0].run;
    fold_warps(block);
    hw_cycles_turn_to(block->warps[0].worker, NULL, 0);
    run->places[block->linear % run->n_places] = block->begin_cycles + taken_by(block, (hw_cycles){0, 0});
}

// ---- a warp ----

// Of the basic block that the note lies in, up to it, which no count has yet.
static hw_cycles begun_block(const hw_run *run, uint32_t note) {
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        const hw_program *program = run->set->programs[i];
        if (!program || note < program->first_note || note - program->first_note >= program->n_notes) continue;
        uint32_t low = 0, high = program->n_blocks;
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (program->blocks[middle].first_note <= note) low = middle;
            else high = middle;
        }
        if (high) return difference(run->cycles[note], run->cycles[program->blocks[low].first_note]);
    }
    return (hw_cycles){0, 0};
}

double hw_cycles_now(hw_state *s, uint32_t note) {
    const hw_block *block = s->block;
    settle(s->worker);
    const hw_cycles begun = begun_block(s->run, note);
    // The other warps of the block issue as much as this one, since the barrier.
    return block->begin_cycles + taken_by(block, (hw_cycles){block->n_warps * (s->cycles.issue + begun.issue),
                                                             s->cycles.wait + begun.wait});
}
