// Which way a permutation goes within its own memory.
#include <stdio.h>

#include "base/text.h"
#include "op/transpose/cpu/in_place.h"
#include "op/tune/cpu.h"

static bool stays_as_it_is(const hw_permutation *p) {
    for (uint32_t k = 0; k < p->rank; k++)
        if (p->in_stride[k] != p->out_stride[k]) return false;
    return true;
}

// The arrays fill the same memory without gaps, so that the slowest axis cuts it into blocks if it is the same in both.
static void find_blocks(hw_in_place *plan) {
    const hw_permutation *p = &plan->p;
    plan->block = *p;
    plan->n_blocks = 1;
    if (p->in_stride[0] == p->out_stride[0]) {
        plan->n_blocks = p->n[0];
        plan->block.elems /= p->n[0];
        plan->block.rank--;
        for (uint32_t k = 0; k + 1 < p->rank; k++) {
            plan->block.n[k] = p->n[k + 1];
            plan->block.in_stride[k] = p->in_stride[k + 1];
            plan->block.out_stride[k] = p->out_stride[k + 1];
        }
    }
    plan->block_bytes = plan->block.elems * p->elem_bytes;
}

static bool is_matrix(const hw_permutation *p) {
    return p->rank == 2 && p->out_stride[0] == (int64_t)p->n[1] && p->out_stride[1] == 1 && p->in_stride[0] == 1 &&
           p->in_stride[1] == (int64_t)p->n[0];
}

static bool cuts_into_panels(uint64_t n, uint64_t run) { return n % run == 0 && n / run >= HW_CPU_LEAST_PANELS; }

static bool find_panels(hw_in_place *plan) {
    if (!is_matrix(&plan->block)) return false;
    plan->rows = plan->block.n[1];
    plan->cols = plan->block.n[0];
    const uint32_t e = plan->p.elem_bytes;
    for (plan->run = HW_CPU_MOST_RUN_BYTES / e; plan->run * e >= HW_CPU_LEAST_RUN_BYTES; plan->run--) {
        plan->by_rows = cuts_into_panels(plan->rows, plan->run);
        if (plan->by_rows || cuts_into_panels(plan->cols, plan->run)) return true;
    }
    return false;
}

void hw_in_place_make(const hw_permutation *p, hw_in_place *plan) {
    *plan = (hw_in_place){.p = *p, .way = HW_IN_PLACE_NOTHING};
    hw_permutation_widen(&plan->p, 16);
    if (stays_as_it_is(&plan->p)) return;
    if (hw_permutation_swaps(&plan->p, plan->axis)) {
        plan->way = HW_IN_PLACE_SWAP;
        return;
    }
    find_blocks(plan);
    plan->way = HW_IN_PLACE_SCRATCH;
    if (plan->n_blocks > 1 && plan->block_bytes <= HW_CPU_SMALL_BLOCK_BYTES) plan->way = HW_IN_PLACE_SMALL;
    else if (find_panels(plan)) plan->way = HW_IN_PLACE_PANELS;
}

const char *hw_cpu_in_place_explain(const hw_permutation *p, char *text, size_t text_bytes) {
    char shape[1600], how[256] = "nothing to do";
    hw_in_place plan;
    hw_in_place_make(p, &plan);
    double mb = 1e-6 * (double)plan.p.elems * plan.p.elem_bytes, block_mb = 1e-6 * (double)plan.block_bytes;
    hw_permutation_format(&plan.p, shape, sizeof shape);
    switch (plan.way) {
        case HW_IN_PLACE_NOTHING: break;
        case HW_IN_PLACE_SWAP:
            snprintf(how, sizeof how, "tiles change places in pairs, without scratch memory\nmoves %.3f MB", 2 * mb);
            break;
        case HW_IN_PLACE_PANELS:
            snprintf(how, sizeof how,
                     "panels of %llu %s%s through %.3f MB of scratch memory; runs of %llu element%s by cycles\n"
                     "moves %.3f MB, everything twice", (unsigned long long)plan.run, plan.by_rows ? "row" : "column",
                     hw_text_plural(plan.run),
                     block_mb * (double)plan.run / (double)(plan.by_rows ? plan.rows : plan.cols),
                     (unsigned long long)plan.run, hw_text_plural(plan.run), 4 * mb);
            break;
        case HW_IN_PLACE_SMALL:
            snprintf(how, sizeof how, "%llu block%s, each through %.3f MB of scratch memory of its thread\n"
                     "moves %.3f MB", (unsigned long long)plan.n_blocks, hw_text_plural(plan.n_blocks), block_mb,
                     2 * mb);
            break;
        case HW_IN_PLACE_SCRATCH:
            snprintf(how, sizeof how, "through %.3f MB of scratch memory\nmoves %.3f MB, everything twice", block_mb,
                     4 * mb);
            break;
    }
    if (text_bytes) snprintf(text, text_bytes, "%s of %u byte%s, in place\n%s\n", shape, plan.p.elem_bytes,
                             hw_text_plural(plan.p.elem_bytes), how);
    return text;
}
