// A launch from beginning to end: what is invariant is computed, the workers run, the counts are handed over.
#include "exec/schedule/cycles.h"
#include "exec/exec.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/integers.h"
#include "base/pool.h"
#include "exec/warp/reserved.h"
#include "exec/schedule/pace.h"
#include "exec/schedule/seeded.h"
#include "exec/undefined/undefined.h"

struct hw_exec {
    hw_pool *pool;
    hw_worker *workers;
    uint32_t n_workers;
    hw_paces paces;
    pthread_mutex_t own_print_lock, *print_lock;
};

static uint32_t count_processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 256 ? 256 : (uint32_t)n;
}

hw_status hw_exec_create(uint32_t threads, hw_exec **out, hw_diag *diag) {
    hw_exec *exec = hw_calloc(1, sizeof *exec);
    if (!exec) return hw_diag_no_memory(diag);
    exec->n_workers = threads ? threads : count_processors();
    exec->workers = hw_alloc_lanes(exec->n_workers * sizeof *exec->workers);
    exec->pool = hw_pool_create(exec->n_workers);
    pthread_mutex_init(&exec->own_print_lock, NULL);
    exec->print_lock = &exec->own_print_lock;
    if (!exec->workers || !exec->pool) {
        hw_exec_destroy(exec);
        return hw_diag_no_memory(diag);
    }
    for (uint32_t i = 0; i < exec->n_workers; i++) hw_watch_end(&exec->workers[i]);
    *out = exec;
    return HW_OK;
}

hw_status hw_exec_create_nested(const hw_exec *outer, hw_exec **out, hw_diag *diag) {
    const hw_status status = hw_exec_create(outer->n_workers, out, diag);
    if (!status) (*out)->print_lock = outer->print_lock;
    return status;
}

static void forget_set(hw_worker *worker) {
    hw_free_aligned(worker->patterns);
    hw_free_aligned(worker->used_patterns);
    hw_free_aligned(worker->counts);
    hw_free_aligned(worker->guarded_off);
    worker->patterns = NULL;
    worker->used_patterns = NULL;
    worker->counts = NULL;
    worker->guarded_off = NULL;
    worker->n_patterns = worker->n_counts = worker->n_notes = worker->n_used = 0;
}

void hw_exec_destroy(hw_exec *exec) {
    if (!exec) return;
    hw_pool_destroy(exec->pool);
    for (uint32_t i = 0; exec->workers && i < exec->n_workers; i++) {
        forget_set(&exec->workers[i]);
        hw_free(exec->workers[i].names);
        hw_free(exec->workers[i].made_sums);
    }
    hw_free_aligned(exec->workers);
    pthread_mutex_destroy(&exec->own_print_lock);
    hw_free(exec);
}

uint32_t hw_exec_workers(const hw_exec *exec) { return exec->n_workers; }

// ---- before ----

// Marks a program as reachable; `found` lists those whose calls are still to be looked at.
static void mark_reachable(hw_run *run, const hw_program *program, const hw_program **found, uint32_t *n) {
    hw_areas *areas = &run->areas[program->index];
    if (!areas->is_reachable) found[(*n)++] = program;
    areas->is_reachable = true;
}

// Marks what the entry can call: with one indirect call, every function. found: room for all programs.
static void mark_callable(hw_run *run, const hw_program **found) {
    uint32_t n = 0;
    bool any = false;
    mark_reachable(run, run->entry, found, &n);
    while (n) {
        const hw_program *program = found[--n];
        for (uint32_t i = 0; i < program->n_calls; i++) {
            const hw_call_site *site = &program->calls[i];
            if (site->callee) mark_reachable(run, site->callee, found, &n);
            if (site->callee || site->builtin || any) continue;
            any = true;
            for (uint32_t k = 0; k < run->set->n_programs; k++) {
                const hw_program *other = run->set->programs[k];
                if (other && hw_ptx_has_address(other->function)) mark_reachable(run, other, found, &n);
            }
        }
    }
}

// Room for the invariant values of every reachable program.
static hw_status lay_out(hw_run *run, hw_diag *diag) {
    size_t launch_bytes = 64;
    enum { CALL_BYTES = 32, MOST_LOCAL_BYTES = 1 << 20 };
    uint64_t local = run->launch->stack_bytes;    // variables included; room for calls comes on top
    if (local < run->entry->local_bytes) local = run->entry->local_bytes;
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        if (!run->areas[i].is_reachable) continue;
        const hw_program *p = run->set->programs[i];
        run->areas[i].block_offset = run->block_area_bytes;
        run->areas[i].warp_offset = run->warp_area_bytes;
        run->block_area_bytes += hw_align_up(p->block_bytes, 64);
        run->warp_area_bytes += hw_align_up(p->warp_bytes, 64);
        launch_bytes += hw_align_up(p->launch_bytes, 64);
        local += CALL_BYTES + (p->takes_param_address ? p->formal_param_bytes + 16 : 0);
    }
    bool has_local = false;
    for (uint32_t i = 0; i < run->set->n_programs; i++)
        if (run->areas[i].is_reachable)
            has_local |= run->set->programs[i]->local_bytes || run->set->programs[i]->n_calls ||
                         run->set->programs[i]->uses_alloca;
    if (local > MOST_LOCAL_BYTES)
        return hw_diag_set(diag, HW_NO_MEMORY, "a thread of %s needs %llu bytes of local memory, and may have %d",
                           run->entry->name, (unsigned long long)local, MOST_LOCAL_BYTES);
    run->local_bytes = has_local ? (uint32_t)hw_align_up(local, 16) : 0;
    run->launch_memory = hw_alloc_lanes(launch_bytes);
    if (!run->launch_memory) return hw_diag_no_memory(diag);
    char *memory = run->launch_memory;
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        if (!run->areas[i].is_reachable) continue;
        const hw_program *p = run->set->programs[i];
        run->areas[i].launch = memory;
        if (p->launch_bytes) memcpy(memory, p->launch_image, p->launch_bytes);
        memory += hw_align_up(p->launch_bytes, 64);
        if (p->n_block > 1) run->block_lists[run->n_block_lists++] = p;
    }
    return HW_OK;
}

// worker: none has begun, and sinks are to hear of what the lists do as of the first one's.
static void run_launch_lists(hw_run *run, hw_worker *worker) {
    hw_state *s = hw_alloc_lanes(sizeof *s);
    if (!s) {
        hw_run_stop(run, HW_NO_MEMORY);
        return;
    }
    hw_block block = {.warps = s};
    s->run = run;
    s->worker = worker;
    s->events = run->events;
    s->block = &block;
    hw_set_mask(&s->warp, 0xffffffffu);
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        if (!run->areas[i].is_reachable) continue;
        hw_set_base(&s->warp, HW_BASE_LAUNCH, run->areas[i].launch);
        s->warp.slots = run->set->programs[i]->slots;
        for (const hw_inst *in = run->set->programs[i]->launch_insts; in;) in = in->body(&s->warp, in);
    }
    hw_free_aligned(s);
}

// Of a block; the part that is reserved from 9.0 on comes on top.
static uint32_t shared_bytes(const hw_run *run) {
    uint32_t dynamic = run->launch->dynamic_shared_bytes;
    return dynamic ? hw_program_dynamic_shared(run->entry) + dynamic : run->entry->shared_bytes;
}

// Does what the entry can call ask where reserved shared memory is? Whoever asks does so once per launch.
static bool uses_reserved_shared(const hw_run *run) {
    for (uint32_t i = 0; i < run->set->n_programs; i++) {
        const hw_program *program = run->set->programs[i];
        if (!run->areas[i].is_reachable) continue;
        for (uint32_t k = 0; k < program->n_launch; k++) {
            hw_sreg sreg = (hw_sreg)program->launch_insts[k].sreg;
            bool is_reserved = sreg >= HW_SREG_RESERVED_SMEM_BEGIN && sreg <= HW_SREG_RESERVED_SMEM_1;
            if (is_reserved && program->launch_bodies[k] == HW_BODY_SREG) return true;
        }
    }
    return false;
}

// A kernel that takes the address of a parameter finds it in device memory.
static hw_status place_params(hw_run *run, hw_diag *diag) {
    const hw_launch *launch = run->launch;
    uint32_t bytes = run->entry->function->param_bytes;
    run->params = hw_calloc(bytes + 16, 1);
    if (!run->params) return hw_diag_no_memory(diag);
    if (bytes) memcpy(run->params, launch->params, bytes);
    if (!run->entry->takes_param_address) return HW_OK;
    hw_status status = hw_mem_alloc(launch->mem, bytes, 256, HW_ALLOC_GLOBAL, NULL, "kernel parameters",
                                    &run->param_address, diag);
    if (status == HW_OK) memcpy(hw_mem_host(launch->mem, run->param_address), launch->params, bytes);
    return status;
}

// Sinks that look at each access may look at memory as well.
static bool prepare_sums(hw_worker *worker, const hw_run *run) {
    worker->sums = NULL;
    if (!run->keeps_sums || worker->ordered || run->defined) return true;
    if (!worker->made_sums) worker->made_sums = hw_calloc(1, sizeof *worker->made_sums);
    worker->sums = worker->made_sums;
    if (worker->sums) worker->sums->n_added = worker->sums->n_displaced = 0;
    return worker->sums != NULL;
}

static bool prepare_worker(hw_worker *worker, hw_run *run, uint32_t index) {
    // Of what is lowered later these are more; half of it again, so that not every kernel needs other tables.
    uint32_t n_patterns = run->n_patterns, n_blocks = run->n_counts;
    if (worker->n_patterns < n_patterns || worker->n_counts < n_blocks || worker->n_notes < run->n_notes) {
        forget_set(worker);
        n_patterns += n_patterns / 2;
        n_blocks += n_blocks / 2;
        worker->patterns = hw_alloc_lanes((n_patterns + 1) * sizeof *worker->patterns);
        // In cache lines of their own: two workers that count in one line take it from each other at every branch.
        worker->used_patterns = hw_alloc_lanes((n_patterns + 1) * sizeof *worker->used_patterns);
        worker->counts = hw_alloc_lanes((n_blocks + 1) * sizeof *worker->counts);
        worker->guarded_off = hw_alloc_lanes((run->n_notes + 1) * sizeof *worker->guarded_off);
        if (!worker->patterns || !worker->used_patterns || !worker->counts || !worker->guarded_off) {
            forget_set(worker);
            return false;
        }
        worker->n_patterns = n_patterns;
        worker->n_counts = n_blocks;
        worker->n_notes = run->n_notes;
    }
    worker->run = run;
    worker->index = index;
    hw_answer_begin(worker);
    if (!hw_names_prepare(worker)) return false;
    worker->ordered = run->observers->ordered.events & (HW_WANTS(ACCESS) | HW_WANTS(ATOMIC));
    worker->is_counted = run->observers->counting.events & (HW_WANTS(ACCESS) | HW_WANTS(ATOMIC));
    if (!prepare_sums(worker, run)) return false;
    worker->sequence = worker->n_copies = 0;
    worker->issued = (hw_issued){0};
    const uint64_t share = hw_divide_up(run->launch->gpu.resident_blocks, run->n_workers), of = run->cluster_blocks;
    worker->max_blocks = (uint32_t)(share < of ? of : share > 65536 ? 65536 : share / of * of);
    worker->n_blocks = 0;
    worker->taken = worker->taken_end = 0;
    memset(worker->touched, 0, sizeof worker->touched);
    worker->told_outside = false;
    worker->texture.handle = 0;            // sinks hear of what is looked up, in each launch
    worker->idle_turns = 0;
    hw_seeded_begin(worker);
    worker->blocks = hw_calloc(worker->max_blocks, sizeof *worker->blocks);
    if (!worker->blocks) return false;
    hw_watch_begin(worker);
    return true;
}

// Each taking from the grid costs a round trip between processors. The last ones to finish should not have much left to
// do alone; and blocks that may wait for earlier ones are best begun in order.
static uint64_t blocks_at_once(const hw_run *run) {
    enum { MOST = 8, ROUNDS = 64 };
    if (run->may_wait) return 1;
    uint64_t share = run->n_blocks / run->cluster_blocks / ((uint64_t)run->n_workers * ROUNDS);
    return share < 1 ? 1 : share > MOST ? MOST : share;
}

// Bytes that are defined, where a sink has them and wants to hear of the others. All that can run is watched then.
static hw_status find_defined(hw_run *run, hw_diag *diag) {
    const hw_listeners *all = &run->observers->all;
    struct hw_defined *defined = NULL;
    for (uint32_t i = 0; all->events & HW_WANTS(UNDEFINED) && i < all->n && !defined; i++)
        defined = all->sinks[i]->defined;
    for (uint32_t i = 0; i < run->set->n_programs; i++)
        if (run->areas[i].is_reachable && !run->set->programs[i]->watched) defined = NULL;
    if (!defined || run->n_workers > 1) return HW_OK;
    run->defined = defined;
    run->origins = hw_calloc((size_t)run->set->n_notes + 1, sizeof *run->origins);
    return run->origins ? HW_OK : hw_diag_no_memory(diag);
}

// ---- after ----

static void report_counts(hw_worker *worker, const hw_program *program) {
    const hw_run *run = worker->run;
    const hw_listeners *all = &run->observers->all;
    for (uint32_t i = 0; i < program->n_blocks; i++) {
        hw_block_count *count = &worker->counts[program->first_block + i];
        const hw_basic_block *block = &program->blocks[i];
        if (count->warps && block->count) {
            const hw_executed executed = {block->first_note, block->count, count->warps, count->lanes};
            const hw_branched branch = {block->first_note + block->count - 1, count->warps, count->divergent};
            if (all->events & HW_WANTS(EXECUTED)) hw_tell_executed(all, worker->index, &executed);
            if (all->events & HW_WANTS(BRANCH) && run->set->notes[branch.note].kind == HW_NOTE_BRANCH)
                hw_tell_branch(all, worker->index, &branch);
        }
        *count = (hw_block_count){0};
    }
    for (uint32_t i = 0; i < program->n_notes; i++) {
        uint64_t *lanes = &worker->guarded_off[program->first_note + i];
        const hw_guarded_off off = {program->first_note + i, *lanes};
        if (*lanes && all->events & HW_WANTS(GUARDED_OFF)) hw_tell_guarded_off(all, worker->index, &off);
        *lanes = 0;
    }
}

// On the worker's own thread, where it has run: its processor's caches hold what it has kept, and one thread that tells
// it for all of them is slow.
static void finish_worker(hw_worker *worker) {
    const hw_run *run = worker->run;
    hw_access_tell_lone(worker);
    for (uint32_t i = 0; i < worker->n_used; i++) {
        hw_pattern *p = &worker->patterns[worker->used_patterns[i]];
        hw_access_flush(worker, p);
        p->mask = 0;
        p->limit = p->known_limit = p->told_limit = p->room = 0;
        p->apart = p->lone = 0;
    }
    worker->n_used = 0;
    if (worker->issued.all && run->events & HW_WANTS(ISSUED))
        hw_tell_issued(&run->observers->all, worker->index, &worker->issued);
    for (uint32_t i = 0; i < run->set->n_programs; i++)
        if (run->areas[i].is_reachable) report_counts(worker, run->set->programs[i]);
    for (uint32_t i = 0; i < worker->n_blocks; i++) {
        hw_block_destroy(worker->blocks[i]);
        hw_free_aligned(worker->blocks[i]);
    }
    hw_free(worker->blocks);
    worker->blocks = NULL;
    worker->n_blocks = 0;
}

// ---- the launch ----

// Blocks that wait for each other need room, of which each worker has a share: so all of these are to be there.
static uint32_t find_workers(const hw_exec *exec, const hw_run *run) {
    const uint64_t n = run->n_blocks / run->cluster_blocks;
    const uint32_t wanted = run->cycles ? 1 : n < exec->n_workers ? (uint32_t)n : exec->n_workers;
    return run->may_wait ? hw_pool_start(exec->pool, wanted) : wanted;
}

void hw_run_stop(hw_run *run, hw_status status) {
    if (!atomic_exchange(&run->stopped, true)) run->status = status;
}

// The first worker is ready when the launch begins; the others make themselves ready, if they come. Where there is no
// memory for one, others take its blocks.
static void run_worker(void *context, uint32_t index) {
    hw_run *run = context;
    hw_worker *worker = &run->workers[index];
    if (index && !prepare_worker(worker, run, index)) {
        if (run->may_wait) hw_run_stop(run, HW_NO_MEMORY);
        return;
    }
    const uint64_t begin = hw_now_ns();
    hw_worker_main(worker);
    if (worker->sums) hw_sums_flush(worker->sums);
    hw_watch_end(worker);
    const bool has_worked = worker->n_blocks;
    finish_worker(worker);
    if (has_worked) atomic_fetch_add_explicit(&run->busy_ns, hw_now_ns() - begin, memory_order_relaxed);
}

void hw_run_join_others(hw_run *run) {
    if (hw_now_ns() < run->join_ns) return;
    if (atomic_load(&run->next_block) >= run->n_blocks / run->cluster_blocks) return;
    hw_pool_join(run->pool, run->n_begun, run->n_workers);
    run->n_begun = run->n_workers;
}

static hw_status run_blocks(hw_exec *exec, hw_run *run, hw_diag *diag) {
    if (!prepare_worker(&exec->workers[0], run, 0)) return hw_diag_no_memory(diag);
    hw_status status = hw_observers_begin(run->observers, &run->info, diag);
    if (status != HW_OK) {
        hw_watch_end(&exec->workers[0]);
        finish_worker(&exec->workers[0]);
        return status;
    }
    uint64_t begin = hw_now_ns();
    run_launch_lists(run, exec->workers);
    run->n_begun = run->n_workers;
    if (!run->may_wait) run->n_begun = hw_pace_workers(&exec->paces, run->entry, run->n_blocks, run->n_workers);
    run->join_ns = begin + HW_PACE_LATE_NS;
    hw_pool_run(exec->pool, run->n_begun, run_worker, run);
    hw_pace_note(&exec->paces, run->entry, run->n_blocks, atomic_load(&run->busy_ns));
    status = run->status;
    hw_observers_end(run->observers, &run->info, hw_now_ns() - begin, status);
    if (status == HW_NO_MEMORY) hw_diag_no_memory(diag);
    else if (status != HW_OK) hw_diag_set(diag, status, "%s", run->fault->text);
    return status;
}

// What the launch and its set say.
static hw_run run_of(hw_exec *exec, const hw_launch *launch, hw_fault *fault) {
    static const hw_observers nobody;
    static hw_monitor unseen;
    hw_run run = {.launch = launch, .entry = launch->entry, .set = launch->set, .fault = fault,
                  .pool = exec->pool, .workers = exec->workers};
    run.print_lock = exec->print_lock;
    run.monitor = launch->monitor ? launch->monitor : &unseen;
    run.observers = launch->observers ? launch->observers : &nobody;
    run.events = run.observers->all.events;
    if (launch->info) run.info = *launch->info;
    run.threads_per_block = launch->block[0] * launch->block[1] * launch->block[2];
    run.n_warps = (uint32_t)hw_divide_up(run.threads_per_block, HW_WARP_LANES);
    run.n_blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    for (int i = 0; i < 3; i++) run.cluster[i] = launch->cluster[i] ? launch->cluster[i] : 1;
    run.cluster_blocks = run.cluster[0] * run.cluster[1] * run.cluster[2];
    run.shared_bytes = run.kernels_shared_bytes = shared_bytes(&run);
    run.poison = hw_mem_poison(launch->mem);
    run.apart = hw_mem_get_apart(launch->mem);
    run.n_patterns = run.set->n_patterns;
    run.n_counts = run.set->n_blocks;
    run.n_notes = run.set->n_notes;
    return run;
}

hw_status hw_exec_launch(hw_exec *exec, const hw_launch *launch, hw_fault *fault, hw_diag *diag) {
    hw_run run = run_of(exec, launch, fault);
    memset(fault, 0, sizeof *fault);
    if (!run.n_blocks || !run.n_warps) return hw_diag_set(diag, HW_USAGE, "a launch of no threads");
    if (run.n_warps > HW_MOST_WARPS)
        return hw_diag_set(diag, HW_USAGE, "blocks of %u threads; no GPU has more than %u", run.threads_per_block,
                           HW_MOST_WARPS * HW_WARP_LANES);
    run.areas = hw_calloc(launch->set->n_programs + 1, sizeof *run.areas);
    run.block_lists = hw_calloc(launch->set->n_programs + 1, sizeof *run.block_lists);
    hw_status status = run.areas && run.block_lists ? HW_OK : hw_diag_no_memory(diag);
    if (status == HW_OK) {
        mark_callable(&run, run.block_lists);    // which is filled afterwards
        if (uses_reserved_shared(&run))
            run.shared_bytes = (uint32_t)hw_align_up(run.shared_bytes, 16) + HW_RESERVED_SHARED_BYTES;
        if (!hw_cycles_begin(&run)) status = hw_diag_no_memory(diag);
        for (uint32_t i = 0; i < run.set->n_programs; i++)
            run.may_wait |= run.areas[i].is_reachable && run.set->programs[i]->may_wait;
        run.n_workers = find_workers(exec, &run);
        run.blocks_at_once = blocks_at_once(&run);
        if (!status) status = find_defined(&run, diag);
    }
    if (status == HW_OK) {
        status = lay_out(&run, diag);
    }
    if (status == HW_OK) status = place_params(&run, diag);
    if (status == HW_OK) status = hw_homes_find(&run, diag);
    if (status == HW_OK) status = run_blocks(exec, &run, diag);
    hw_homes_forget(&run);
    hw_free(run.origins);
    hw_undefined_states_free(run.states);
    hw_cycles_end(&run);
    if (run.param_address) hw_mem_free(launch->mem, run.param_address, NULL);
    hw_free(run.areas);
    hw_free(run.block_lists);
    hw_free(run.params);
    hw_free_aligned(run.launch_memory);
    return status;
}
