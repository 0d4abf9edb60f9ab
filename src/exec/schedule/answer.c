// Answers of a worker to those who look at a launch from outside (exec/monitor.h): how far, why slowly, where.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "exec/schedule/place.h"

// ---- how far ----

// What its own counts say, of all that the worker has executed in this launch.
static void count_executed(const hw_worker *worker, uint64_t did[HW_DIDS]) {
    const hw_run *run = worker->run;
    if (!run->launch->is_nested) did[HW_DID_BLOCKS] = worker->n_ended;
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        const hw_program *program = run->set->programs[i];
        for (uint32_t k = 0; run->areas[i].is_reachable && k < program->n_blocks; k++) {
            const hw_block_count *count = &worker->counts[program->first_block + k];
            did[HW_DID_THREAD_INST] += count->lanes * program->blocks[k].count;
            did[HW_DID_LANES] += 32 * count->warps * program->blocks[k].count;
        }
    }
}

// ---- why it takes long ----

// How often the worker's warps have executed the instruction.
static uint64_t executions_of(const hw_worker *worker, uint32_t note) {
    const hw_run *run = worker->run;
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        const hw_program *program = run->set->programs[i];
        if (!run->areas[i].is_reachable || note - program->first_note >= program->n_notes) continue;
        for (uint32_t k = 0; k < program->n_blocks; k++)
            if (note - program->blocks[k].first_note < program->blocks[k].count)
                return worker->counts[program->first_block + k].warps;
    }
    return 0;
}

// Does half of the lanes or more have an address that a lane before them has?
static bool do_lanes_meet(const hw_pattern *p) {
    uint32_t meeting = 0;
    for (uint32_t left = p->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        bool is_met = false;
        for (uint32_t before = p->mask & ((1u << lane) - 1); before && !is_met; before &= before - 1)
            is_met = p->delta[__builtin_ctz(before)] == p->delta[lane];
        meeting += is_met;
    }
    return 2 * meeting >= (uint32_t)__builtin_popcount(p->mask);
}

// Of each instruction that has accessed memory, by the addresses that it is known for now.
static void count_accesses(const hw_worker *worker, uint64_t did[HW_DIDS]) {
    for (uint32_t i = 0; i < worker->n_used; i++) {
        const hw_pattern *p = &worker->patterns[worker->used_patterns[i]];
        if (!p->mask) continue;
        const hw_note_kind kind = (hw_note_kind)worker->run->set->notes[p->inst->note].kind;
        const uint64_t times = executions_of(worker, p->inst->note);
        const bool is_atomic = kind == HW_NOTE_ATOMIC || kind == HW_NOTE_REDUCTION;
        did[is_atomic ? HW_DID_ATOMICS : HW_DID_ACCESSES] += times;
        if (is_atomic && do_lanes_meet(p)) did[HW_DID_MEETING_ATOMICS] += times;
        const bool lie_apart = p->shape == HW_SHAPE_GENERAL || p->shape >= HW_SHAPE_FOURS;
        const bool is_scattered = p->mask == 0xffffffffu && lie_apart;
        if (!is_atomic && is_scattered) did[HW_DID_SCATTERED_ACCESSES] += times;
    }
}

static void count_polling(const hw_worker *worker, uint64_t did[HW_DIDS]) {
    for (uint32_t b = 0; b < worker->n_blocks; b++) {
        const hw_block *block = worker->blocks[b];
        for (uint32_t i = 0; block->is_running && i < block->n_warps; i++) {
            did[HW_DID_WARPS] += block->warps[i].live != 0;
            did[HW_DID_POLLING_WARPS] += block->warps[i].live && block->warps[i].turn.state == HW_TURN_IDLE;
        }
    }
}

// ---- where ----

static void write_place(const hw_block *block, const hw_place *place, FILE *out) {
    const hw_barrier *barrier = &block->barriers[place->barrier];
    fprintf(out, "%" PRIu32 " thread%s of %" PRIu32 " warp%s ", place->threads, place->threads == 1 ? "" : "s",
            place->warps, place->warps == 1 ? "" : "s");
    if (place->state == HW_PLACE_RECONVERGES) fputs("behind a branch, waiting for the lanes that parted there", out);
    else fprintf(out, "at %s:%" PRIu32, place->file, place->line);
    if (place->state == HW_PLACE_AT_SYNC) fputs(", waiting for lanes of their warp", out);
    if (place->state == HW_PLACE_AT_BARRIER)
        fprintf(out, ", waiting at barrier %u (%u of %u threads have come)", place->barrier, barrier->arrived,
                barrier->expected ? barrier->expected : block->live_threads);
}

// To be freed; NULL: out of memory.
static char *describe_block(const hw_block *block) {
    enum { MOST = 48 };
    hw_place places[MOST];
    char *text = NULL;
    size_t bytes;
    uint32_t n = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    hw_places_add(block, places, MOST, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (i) fputs("; ", out);
        write_place(block, &places[i], out);
    }
    if (!n) fputs("has just ended", out);    // within one turn: where it was before is not known any more
    fclose(out);
    return text;
}

// Neighbours that are at the same places share a line.
static void write_blocks(const hw_worker *worker, FILE *out) {
    char *last = NULL;
    for (uint32_t b = 0; b < worker->n_blocks; b++) {
        const hw_block *block = worker->blocks[b];
        char *text = block->is_running ? describe_block(block) : NULL;
        if (!text) continue;
        const bool is_like_last = last && strcmp(last, text) == 0;
        if (!is_like_last && last) fprintf(out, ": %s", last);
        fprintf(out, "%s (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", is_like_last ? "" : "\n  block", block->index[0],
                block->index[1], block->index[2]);
        free(last);
        last = text;
    }
    if (last) fprintf(out, ": %s", last);
    free(last);
}

static void tell_where(const hw_worker *worker) {
    const hw_run *run = worker->run;
    const hw_launch *launch = run->launch;
    const uint64_t begun = atomic_load(&run->next_block);
    char name[256], *text = NULL;
    size_t bytes;
    FILE *out = launch->notice ? open_memstream(&text, &bytes) : NULL;
    if (!out) return;
    hw_demangle(launch->info ? launch->info->kernel : run->entry->name, name, sizeof name);
    fprintf(out, "kernel %s, launch %" PRIu64 ", thread %" PRIu32 " of %" PRIu32 "; %" PRIu64 " of %" PRIu64
            " blocks have begun", name, launch->grid_id, worker->index + 1, run->n_workers,
            begun < run->n_blocks ? begun : run->n_blocks, run->n_blocks);
    write_blocks(worker, out);
    if (fclose(out) == 0) launch->notice(launch->notice_context, text);
    free(text);
}

// ---- all of it ----

void hw_answer_begin(hw_worker *worker) {
    hw_monitor *monitor = worker->run->monitor;
    worker->n_ended = 0;
    memset(worker->told, 0, sizeof worker->told);
    worker->answered = atomic_load(&monitor->asked);
    // Whoever stops launches may have asked before this one began.
    if (atomic_load(&monitor->stop)) worker->answered--;
    worker->told_where = atomic_load(&monitor->where);
}

bool hw_answer(hw_state *s) {
    hw_worker *worker = s->worker;
    hw_monitor *monitor = worker->run->monitor;
    uint64_t did[HW_DIDS] = {0};
    worker->answered = atomic_load(&monitor->asked);
    if (atomic_load(&monitor->stop)) {
        hw_fault_outside(s);
        return false;
    }
    count_executed(worker, did);
    if (atomic_load(&monitor->why)) {
        count_accesses(worker, did);
        count_polling(worker, did);
    }
    for (int i = 0; i < HW_DIDS; i++)
        atomic_fetch_add_explicit(&monitor->did[i], did[i] - worker->told[i], memory_order_relaxed);
    memcpy(worker->told, did, sizeof did);
    const unsigned where = atomic_load(&monitor->where);
    if (where != worker->told_where) tell_where(worker);
    worker->told_where = where;
    return true;
}
