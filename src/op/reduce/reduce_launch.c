// What 92_rows.cu and 94_columns.cu are given.
#include <assert.h>
#include <string.h>

#include "base/integers.h"
#include "op/common/family.h"
#include "op/reduce/reduce_plan.h"

// A structure of a kernel, member by member: 8-byte ones first, so that nothing lies between them.
typedef struct param_block {
    char bytes[4096];
    size_t used;
} param_block;

static void put_param(param_block *block, const void *value, size_t bytes) {
    memcpy(block->bytes + block->used, value, bytes);
    block->used += bytes;
}

static void put_u64(param_block *block, uint64_t value) { put_param(block, &value, sizeof value); }
static void put_param_u32(param_block *block, uint32_t value) { put_param(block, &value, sizeof value); }

// axis of kernels/reduce/axes.cuh. The kernel's array has one member where there is no axis.
static void put_axes(param_block *block, const hw_reduce_axis *axes, uint32_t n) {
    static const hw_reduce_axis none = {1, 0, 0};
    for (uint32_t k = 0; k < (n ? n : 1); k++) {
        const hw_reduce_axis *axis = n ? &axes[k] : &none;
        uint32_t multiplier = 0, shift = 0;
        // Larger ones are divided by in 64 bits.
        if (axis->n <= INT32_MAX) hw_plan_divisor((uint32_t)axis->n, &multiplier, &shift);
        put_u64(block, axis->n);
        put_param_u32(block, multiplier);
        put_param_u32(block, shift);
        put_u64(block, (uint64_t)axis->step);
        put_u64(block, (uint64_t)axis->other_step);
    }
}

static void put_rows(param_block *block, const hw_reduction_form *form, const hw_reduce_plan *reduce) {
    put_u64(block, form->outputs);
    put_u64(block, form->terms);
    put_u64(block, reduce->runs);
    put_u64(block, reduce->along.n);
    put_u64(block, (uint64_t)reduce->along.step);
    put_u64(block, (uint64_t)reduce->along.other_step);
    put_param_u32(block, reduce->run_parts);
    put_param_u32(block, reduce->word_parts);
    put_axes(block, reduce->kept, reduce->n_kept);
    put_axes(block, reduce->outer, reduce->n_outer);
}

static void put_columns(param_block *block, const hw_reduction_form *form, const hw_reduce_plan *reduce) {
    put_u64(block, form->terms);
    put_u64(block, reduce->along.n);
    put_u64(block, (uint64_t)reduce->along.step);
    put_u64(block, (uint64_t)reduce->along.other_step);
    const uint64_t per_tile = (uint64_t)reduce->lanes * reduce->vector;
    put_param_u32(block, (uint32_t)hw_divide_up(reduce->along.n, per_tile));
    put_param_u32(block, reduce->run_parts);
    put_axes(block, reduce->kept, reduce->n_kept);
    put_axes(block, reduce->outer, reduce->n_outer);
}

static void define_text(hw_plan *plan, hw_plan_launch *launch, const char *name, const char *value) {
    assert(launch->n_defines < HW_PLAN_DEFINES);
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "%s=%s", name, value);
}

static void define_all(const hw_reduction_form *form, const hw_reduce_plan *reduce, hw_plan *plan,
                       hw_plan_launch *launch) {
    const bool is_rows = reduce->way == HW_REDUCE_ROWS;
    char name[48];
    define_text(plan, launch, "IN", hw_dtype_name(form->in_type, name, sizeof name));
    define_text(plan, launch, "OUT", hw_dtype_name(form->out_type, name, sizeof name));
    define_text(plan, launch, "FOLD", reduce->fold);
    hw_plan_define(plan, launch, "THREADS", reduce->threads);
    hw_plan_define(plan, launch, "VECTOR", reduce->vector);
    hw_plan_define(plan, launch, "UNROLL", reduce->unroll);
    hw_plan_define(plan, launch, "PARTS", reduce->scratch_bytes != 0);
    hw_plan_define(plan, launch, "KEPT_AXES", reduce->n_kept);
    hw_plan_define(plan, launch, is_rows ? "OUTER_AXES" : "REDUCED_AXES", reduce->n_outer);
    if (is_rows) {
        hw_plan_define(plan, launch, "GROUP", reduce->group);
        hw_plan_define(plan, launch, "INNER", reduce->inner);
        hw_plan_define(plan, launch, "ALIGNED", reduce->aligned);
    } else {
        hw_plan_define(plan, launch, "LANES", reduce->lanes);
    }
    if (hw_reduction_ddof(form)) hw_plan_define(plan, launch, "DDOF", hw_reduction_ddof(form));
    if (reduce->stays) hw_plan_define(plan, launch, "READ_ONCE", 0);
    if (!reduce->ordered) hw_plan_define(plan, launch, "ORDERED", 0);
    if (reduce->index64) hw_plan_define(plan, launch, "INDEX_BITS", 64);
}

void hw_reduce_plan_launch(const hw_reduction_form *form, const hw_reduce_plan *reduce, int in, int out, int scratch,
                           uint32_t zeros, hw_plan *plan) {
    const bool is_rows = reduce->way == HW_REDUCE_ROWS;
    param_block shape = {.used = 0};
    memset(plan, 0, sizeof *plan);
    plan->n_launches = 1;
    hw_plan_launch *launch = &plan->launches[0];
    launch->file = is_rows ? "reduce/92_rows.cu" : "reduce/94_columns.cu";
    launch->function = is_rows ? "reduce_rows" : "reduce_columns";
    launch->grid[0] = (uint32_t)reduce->blocks;
    launch->block[0] = reduce->threads;
    launch->grid[1] = launch->grid[2] = launch->block[1] = launch->block[2] = 1;
    define_all(form, reduce, plan, launch);
    if (is_rows) put_rows(&shape, form, reduce);
    else put_columns(&shape, form, reduce);
    launch->params[0] = (hw_plan_param){.array = out};
    launch->params[1] = (hw_plan_param){.array = in};
    launch->params[2] = (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, shape.bytes, shape.used)};
    launch->params[3] = (hw_plan_param){.array = scratch};
    launch->params[4] = (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, &zeros, sizeof zeros)};
    launch->n_params = 5;
}
