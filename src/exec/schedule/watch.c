// Kernels that go round in circles: a launch in which nothing has changed for some seconds is told of, once.
//
// Lanes that poll memory look like lanes that work, and may be waiting for the host or for a clock. So what is
// compared, about once a second, is the state of all that a worker holds: where its lanes are, registers, local and
// shared memory. A worker comes here only when a block can do no more than wait, so kernels that get on pay nothing.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/demangle.h"
#include "base/mix.h"
#include "base/text.h"
#include "exec/schedule/place.h"

#define CHECK_NS 1000000000ull
// A check may take a 20th of the time.
enum { QUIET_CHECKS = 3, QUIET_CHECKS_TO_END = 6, COST_SHARE = 20 };

static uint64_t mix_path(uint64_t hash, const hw_frame *frame, const hw_inst *pc, uint32_t mask) {
    hash = hw_mix_word(hw_mix_word(hash, (uintptr_t)pc), mask);
    return frame ? hw_mix_bytes(hash, frame->registers, frame->program->frame_bytes) : hash;
}

uint64_t hw_watch_path(const hw_frame *frame, const hw_inst *pc, uint32_t mask) { return mix_path(1, frame, pc, mask); }

static uint64_t state_of(const hw_worker *worker) {
    uint64_t hash = 1;
    for (uint32_t b = 0; b < worker->n_blocks; b++) {
        const hw_block *block = worker->blocks[b];
        if (!block->is_running) continue;
        hash = hw_mix_bytes(hw_mix_word(hash, block->linear), block->shared, worker->run->shared_bytes);
        for (uint32_t i = 0; i < block->n_warps; i++) {
            const hw_state *s = &block->warps[i];
            if (!s->live) continue;
            hash = hw_mix_word(hash, (uint64_t)i << 32 | s->live);
            if (s->is_ready) hash = mix_path(hash, s->frame, s->pc, s->warp.mask);
            for (uint32_t k = 0; k < s->n_paths; k++)
                hash = mix_path(hash, s->paths[k].frame, s->paths[k].pc, s->paths[k].mask);
            if (s->local) hash = hw_mix_bytes(hash, s->local, (size_t)worker->run->local_bytes * 32);
        }
    }
    return hash;
}

static void tell_going_round(const hw_worker *worker, uint64_t quiet_ns) {
    const hw_launch *launch = worker->run->launch;
    enum { MOST = 6 };
    hw_place stuck[MOST];
    char name[256], places[768], sentence[1280];
    hw_text list = hw_text_in(places, sizeof places);
    uint32_t n = 0;
    for (uint32_t b = 0; b < worker->n_blocks; b++) hw_places_add(worker->blocks[b], stuck, MOST, &n);
    const bool is_hosts_turn = hw_access_met_hosts_memory(worker);
    hw_places_tell_stuck(worker, stuck, n, (hw_stuck){.is_hosts_turn = is_hosts_turn});
    for (uint32_t i = 0; i < n; i++) {
        if (stuck[i].state == HW_PLACE_RECONVERGES) continue;
        hw_text_put(&list, "%s%" PRIu32 " thread%s %s at %s:%" PRIu32, list.used ? ", " : "", stuck[i].threads,
                    hw_text_plural(stuck[i].threads), stuck[i].state == HW_PLACE_RUNS ? "go round" : "wait",
                    stuck[i].file, stuck[i].line);
    }
    hw_demangle(launch->info ? launch->info->kernel : worker->run->entry->name, name, sizeof name);
    snprintf(sentence, sizeof sentence,
             "kernel %s has changed nothing for %" PRIu64 " seconds: %s; %s (Ctrl-C stops the program)", name,
             quiet_ns / 1000000000u, places,
             is_hosts_turn ? "they poll memory that the host can write, and here a launch ends before the thread that "
                             "made it goes on: what it writes behind the launch does not come"
                           : "if nobody else writes what they poll, this goes on for ever");
    launch->notice(launch->notice_context, sentence);
}

// Have all other workers that hold blocks found nothing changed either, and lately?
static bool are_others_quiet(const hw_worker *worker, uint64_t now) {
    const hw_worker *workers = worker - worker->index;
    for (uint32_t i = 0; i < worker->run->n_workers; i++) {
        const hw_worker *other = &workers[i];
        if (other == worker || atomic_load(&other->watch.has_left)) continue;
        if (atomic_load(&other->watch.quiet_checks) < QUIET_CHECKS) return false;
        if (now - atomic_load(&other->watch.checked_ns) > 3 * atomic_load(&other->watch.wait_ns)) return false;
    }
    return true;
}

static void end_waiting(hw_worker *worker) {
    for (uint32_t b = 0; b < worker->n_blocks; b++)
        for (uint32_t i = 0; worker->blocks[b]->is_running && i < worker->blocks[b]->n_warps; i++)
            if (worker->blocks[b]->warps[i].live) return hw_fault_waits_for_gpu(&worker->blocks[b]->warps[i]);
}

// Others may look already: that it is here is said last.
void hw_watch_begin(hw_worker *worker) {
    hw_watch *watch = &worker->watch;
    watch->state = watch->quiet_since_ns = 0;
    atomic_store(&watch->quiet_checks, 0);
    atomic_store(&watch->wait_ns, CHECK_NS);
    atomic_store(&watch->checked_ns, worker->run->launch->notice ? hw_now_ns() : 0);
    atomic_store(&watch->has_left, false);
}

void hw_watch_end(hw_worker *worker) { atomic_store(&worker->watch.has_left, true); }

void hw_watch_waiting(hw_worker *worker) {
    hw_watch *watch = &worker->watch;
    hw_run *run = worker->run;
    if (!run->launch->notice) return;
    uint64_t now = hw_now_ns();
    if (now - atomic_load_explicit(&watch->checked_ns, memory_order_relaxed) <
        atomic_load_explicit(&watch->wait_ns, memory_order_relaxed))
        return;
    uint64_t state = state_of(worker);
    bool is_same = state == watch->state && watch->quiet_since_ns;
    if (!is_same) watch->quiet_since_ns = now;
    watch->state = state;
    atomic_store(&watch->quiet_checks, is_same ? atomic_load(&watch->quiet_checks) + 1 : 0);
    if (atomic_load(&watch->quiet_checks) == QUIET_CHECKS - 1) hw_access_forget(worker);    // to see what is polled
    uint64_t cost = hw_now_ns() - now;
    atomic_store(&watch->wait_ns, cost * COST_SHARE > CHECK_NS ? cost * COST_SHARE : CHECK_NS);
    atomic_store(&watch->checked_ns, now);
    if (atomic_load(&watch->quiet_checks) < QUIET_CHECKS || !are_others_quiet(worker, now)) return;
    if (!atomic_exchange(&run->has_noticed, true)) tell_going_round(worker, now - watch->quiet_since_ns);
    // Also where it polls memory of the host: that is where flags lie by which GPUs meet.
    if (run->launch->keeps_others_out && atomic_load(&watch->quiet_checks) >= QUIET_CHECKS_TO_END) end_waiting(worker);
}
