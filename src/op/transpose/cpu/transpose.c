// The permutation on this machine's processors: threads take boxes until there are none left.
#include "op/transpose/cpu/transpose.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "base/text.h"
#include "op/common/tasks.h"
#include "op/transpose/cpu/box.h"
#include "op/transpose/cpu/in_place.h"
#include "op/tune/cpu.h"

typedef struct box_job {
    const hw_cpu_plan *plan;
    const hw_tile_level *level;
    char *room;
} box_job;

static void move_boxes(void *context, uint64_t first, uint64_t end, uint32_t worker) {
    const box_job *j = context;
    char *buffer = j->room ? j->room + worker * hw_cpu_room_pitch(j->plan->buffer_bytes) : NULL;
    for (uint64_t i = first; i < end; i++) hw_cpu_box_move(j->plan, j->level, i, i + 1 < end, buffer);
    if (j->plan->streams) hw_tile_fence();
}

uint32_t hw_cpu_plan_threads(const hw_cpu_plan *plan, uint32_t n_threads) {
    uint64_t most = plan->p.elems * plan->p.elem_bytes / HW_CPU_TRANSPOSE_THREAD_BYTES + 1;
    if (most > plan->n_boxes) most = plan->n_boxes;
    if (!most) return 1;
    return n_threads < most ? n_threads : (uint32_t)most;
}

size_t hw_cpu_plan_room(const hw_cpu_plan *plan, uint32_t n_threads) {
    return plan->buffered ? hw_cpu_room_pitch(plan->buffer_bytes) * hw_cpu_plan_threads(plan, n_threads) : 0;
}

void hw_cpu_plan_run(const hw_cpu_plan *plan, const hw_tile_level *level, hw_pool *pool, uint32_t n_threads,
                     char *room) {
    n_threads = hw_cpu_plan_threads(plan, n_threads);
    box_job j = {.plan = plan, .level = level, .room = room};
    hw_cpu_shares_run(pool, n_threads, plan->n_boxes, HW_CPU_BOX_SHARES, move_boxes, &j);
}

hw_status hw_cpu_transpose(const hw_permutation *p, hw_pool *pool, uint32_t n_threads, hw_diag *diag) {
    hw_cpu_plan plan;
    hw_cpu_plan_make(p, HW_CPU_CACHE_BYTES, &plan);
    size_t bytes = hw_cpu_plan_room(&plan, n_threads);
    char *room = bytes ? hw_alloc_lanes(bytes) : NULL;
    if (bytes && !room) return hw_diag_no_memory(diag);
    hw_cpu_plan_run(&plan, hw_tile_level_best(), pool, n_threads, room);
    hw_free_aligned(room);
    return HW_OK;
}

static const char *way_name(const hw_cpu_plan *plan) {
    switch (plan->way) {
        case HW_CPU_RUNS: return "contiguous runs copied";
        case HW_CPU_TRANSPOSE: return "transposed in vector registers";
        default: return "element by element";
    }
}

static const char *box_shape(const hw_cpu_plan *plan, char *text, size_t bytes) {
    hw_text shape = hw_text_in(text, bytes);
    for (uint32_t k = 0; k < plan->p.rank; k++)
        hw_text_put(&shape, "%s%llu", k ? ", " : "", (unsigned long long)plan->box[k]);
    return text;
}

const char *hw_cpu_transpose_explain(const hw_permutation *p, char *text, size_t text_bytes) {
    char shape[1600], box[800];
    hw_cpu_plan plan;
    if (text_bytes) text[0] = 0;
    if (p->in_place) return hw_cpu_in_place_explain(p, text, text_bytes);
    hw_cpu_plan_make(p, HW_CPU_CACHE_BYTES, &plan);
    hw_permutation_format(&plan.p, shape, sizeof shape);
    if (!plan.p.rank) {
        snprintf(text, text_bytes, "%s: %s\n", shape, plan.p.elems ? "one element is copied" : "nothing to do");
        return text;
    }
    snprintf(text, text_bytes,
             "%s of %u byte%s\n"
             "boxes of (%s), %llu of them: %s (%s)\n"
             "%s%s\n"
             "moves %.3f MB, each byte read once and written once\n",
             shape, plan.p.elem_bytes, hw_text_plural(plan.p.elem_bytes), box_shape(&plan, box, sizeof box),
             (unsigned long long)plan.n_boxes, way_name(&plan), hw_tile_level_best()->name,
             plan.buffered ? "put together in a buffer" : "written where they belong",
             plan.streams ? ", written past the cache by whole lines" : "",
             2e-6 * (double)plan.p.elems * plan.p.elem_bytes);
    return text;
}
