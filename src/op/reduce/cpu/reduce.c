// The reduction on this machine's processors: threads take tiles of outputs, or parts of their terms, until there are
// none left. Where terms are cut into parts, these are joined in their order at the end.
#include "op/reduce/cpu/reduce.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "op/common/tasks.h"
#include "op/reduce/cpu/reduce_terms.h"
#include "op/reduce/cpu/reduce_ways.h"
#include "op/tune/cpu.h"

typedef struct reduce_job {
    const hw_cpu_reduce_plan *plan;
    const hw_fold_level *level;
    char *room;
    size_t room_pitch;
    hw_cpu_part *parts;       // NULL: each tile is finished at once
    hw_exact_sum *sums;       // alike
} reduce_job;

// A thread's scratch memory: the way's, then what is known of a tile.
static size_t bytes_of_tile(const hw_cpu_reduce_plan *plan) {
    return plan->width * (plan->is_exact ? sizeof(hw_exact_sum) : sizeof(hw_cpu_part));
}

static void finish_output(const hw_cpu_reduce_plan *plan, uint64_t output, const hw_cpu_part *part) {
    hw_cpu_part_finish(plan, part, (char *)plan->form->out + hw_cpu_output_out(plan->form, output));
}

static void finish_tile(const hw_cpu_reduce_plan *plan, hw_cpu_tile tile, const hw_cpu_part *parts) {
    const hw_reduction_form *f = plan->form;
    const int64_t step = f->n_kept ? f->kept_out_stride[f->n_kept - 1] * f->out_bytes : 0;
    for (uint32_t i = 0; i < tile.n;) {
        const uint32_t end = i + hw_cpu_outputs_in_row(f, tile.first + i, tile.n - i);
        char *out = (char *)f->out + hw_cpu_output_out(f, tile.first + i);
        for (; i < end; i++, out += step) hw_cpu_part_finish(plan, &parts[i], out);
    }
}

static void finish_exact(const hw_cpu_reduce_plan *plan, uint64_t output, hw_exact_sum *sum) {
    const hw_reduction_form *f = plan->form;
    const uint64_t bits = hw_exact_result(sum, f->reduction == HW_REDUCE_MEAN ? f->terms : 1);
    memcpy((char *)f->out + hw_cpu_output_out(f, output), &bits, f->out_bytes);
}

static void reduce_task(const reduce_job *j, uint64_t index, char *room) {
    const hw_cpu_reduce_plan *plan = j->plan;
    const hw_reduction_form *f = plan->form;
    const hw_cpu_tile tile = hw_cpu_reduce_tile(plan, index / plan->parts);
    const uint64_t part = index % plan->parts, first = part * plan->part_terms;
    const uint64_t n = part == plan->parts - 1 ? f->terms - first : plan->part_terms;
    const size_t slot = part * f->outputs + tile.first;
    char *known = room + hw_cpu_reduce_room(plan);
    if (plan->is_exact) {
        hw_exact_sum *sums = j->sums ? j->sums + slot : (hw_exact_sum *)known;
        hw_cpu_reduce_exact(plan, j->level, tile, first, n, room, sums);
        for (uint32_t i = 0; !j->sums && i < tile.n; i++) finish_exact(plan, tile.first + i, &sums[i]);
        return;
    }
    hw_cpu_part *parts = j->parts ? j->parts + slot : (hw_cpu_part *)known;
    if (plan->way == HW_CPU_REDUCE_RUNS) hw_cpu_reduce_runs(plan, j->level, tile, first, n, room, parts);
    else hw_cpu_reduce_columns(plan, j->level, tile, first, n, room, parts);
    if (j->parts || plan->writes_rows) return;
    finish_tile(plan, tile, parts);
}

static void reduce_tasks(void *context, uint64_t first, uint64_t end, uint32_t worker) {
    const reduce_job *j = context;
    for (uint64_t i = first; i < end; i++) reduce_task(j, i, j->room + worker * j->room_pitch);
}

static void join_parts(const reduce_job *j) {
    const hw_cpu_reduce_plan *plan = j->plan;
    const uint64_t outputs = plan->form->outputs;
    for (uint64_t o = 0; o < outputs; o++) {
        if (plan->is_exact) {
            for (uint64_t p = 1; p < plan->parts; p++) hw_exact_merge(&j->sums[o], &j->sums[p * outputs + o]);
            finish_exact(plan, o, &j->sums[o]);
            continue;
        }
        hw_cpu_pairs pairs;
        pairs.n = 0;
        for (uint64_t p = 0; p < plan->parts; p++) hw_cpu_pairs_add(plan, &pairs, &j->parts[p * outputs + o]);
        const hw_cpu_part all = hw_cpu_pairs_end(plan, &pairs);
        finish_output(plan, o, &all);
    }
}

static hw_status reduce_terms(const hw_reduction_form *form, hw_pool *pool, uint32_t n_threads, hw_diag *diag) {
    hw_cpu_reduce_plan plan;
    hw_cpu_reduce_plan_make(form, &plan);
    n_threads = hw_cpu_reduce_threads(&plan, n_threads);
    const size_t room = hw_cpu_reduce_room(&plan) + bytes_of_tile(&plan);
    reduce_job j = {.plan = &plan, .level = hw_fold_level_best(), .room_pitch = hw_cpu_room_pitch(room)};
    hw_status status = HW_OK;
    j.room = hw_alloc_lanes(j.room_pitch * n_threads);
    if (!j.room) return hw_diag_no_memory(diag);
    if (plan.parts > 1) {
        const size_t known = form->outputs * plan.parts;
        if (plan.is_exact) j.sums = hw_alloc_lanes(known * sizeof *j.sums);
        else j.parts = hw_alloc_lanes(known * sizeof *j.parts);
        if (!j.sums && !j.parts) {
            status = hw_diag_no_memory(diag);
            goto done;
        }
    }
    hw_cpu_shares_run(pool, n_threads, plan.tiles * plan.parts, HW_CPU_REDUCE_SHARES, reduce_tasks, &j);
    if (plan.parts > 1) join_parts(&j);
done:
    hw_free_aligned(j.parts);
    hw_free_aligned(j.sums);
    hw_free_aligned(j.room);
    return status;
}

hw_status hw_cpu_reduce(const hw_reduction_form *form, hw_pool *pool, uint32_t n_threads, hw_diag *diag) {
    if (!form->outputs) return HW_OK;
    if (form->terms) return reduce_terms(form, pool, n_threads, diag);
    for (uint64_t o = 0; o < form->outputs; o++)
        hw_cpu_reduce_nothing(form, (char *)form->out + hw_cpu_output_out(form, o));
    return HW_OK;
}

const char *hw_cpu_reduce_explain(const hw_reduction_form *form, char *text, size_t text_bytes) {
    if (!form->outputs || !form->terms) {
        snprintf(text, text_bytes, "%s\n", form->outputs ? "the value of no terms is written" : "nothing to do");
        return text;
    }
    hw_cpu_reduce_plan plan;
    hw_cpu_reduce_plan_make(form, &plan);
    char rows[80] = "";
    if (plan.rows_at_once > 1) snprintf(rows, sizeof rows, ", %u rows as one", plan.rows_at_once);
    snprintf(text, text_bytes,
             "%s, %s%s (%s)%s\n"
             "%llu tile%s of up to %u output%s, %llu part%s of up to %llu term%s\n"
             "reads %.3f MB once\n",
             plan.way == HW_CPU_REDUCE_RUNS ? "output by output, along its terms" : "neighbouring outputs at once",
             plan.contiguous ? "where they lie" : "gathered in blocks", rows, hw_fold_level_best()->name,
             plan.is_exact ? ", exact" : "", (unsigned long long)plan.tiles, hw_text_plural(plan.tiles), plan.width,
             hw_text_plural(plan.width), (unsigned long long)plan.parts, hw_text_plural(plan.parts),
             (unsigned long long)plan.part_terms, hw_text_plural(plan.part_terms),
             1e-6 * (double)form->outputs * (double)form->terms * form->in_bytes);
    return text;
}
