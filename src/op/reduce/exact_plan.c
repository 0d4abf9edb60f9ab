// How exact sums are shared out on a GPU, and their launch.
#include "op/reduce/exact_plan.h"

#include <string.h>

#include "base/integers.h"
#include "op/tune/tune.h"

enum {
    WARP = 32,
    GROUP_BYTES = 128,            // of shared memory for each thread: 16 f64
    STATIC_BYTES = 1024,          // limbs and the like, at most
    MOST_THREADS = 1024,
    WORD_BYTES = 16,
};

#define MOST_TERMS_PER_BLOCK ((uint64_t)1 << 30)   // what the limbs of a block take

static uint32_t threads_that_fit(const hw_device_properties *device) {
    uint32_t threads = MOST_THREADS;
    while (threads > WARP && threads * GROUP_BYTES + STATIC_BYTES > device->shared_bytes) threads /= 2;
    return threads;
}

static void share_out_blocks(const hw_reduction_form *form, const hw_device_properties *device,
                             const hw_tune_exact *tune, hw_exact_plan *plan) {
    const uint64_t per_thread = (uint64_t)tune->words * WORD_BYTES / form->in_bytes;
    plan->threads = threads_that_fit(device);
    while (plan->threads > tune->threads && plan->threads * per_thread > form->terms) plan->threads /= 2;
    const uint64_t tile = plan->threads * per_thread,
                   resident = (device->shared_bytes_per_multiprocessor > device->shared_bytes
                                   ? device->shared_bytes_per_multiprocessor : device->shared_bytes) /
                              (plan->threads * GROUP_BYTES + STATIC_BYTES),
                   all = device->multiprocessors * (resident ? resident : 1);
    uint64_t parts = form->outputs < all ? all / form->outputs : 1;
    if (parts > hw_divide_up(form->terms, 2 * tile)) parts = hw_divide_up(form->terms, 2 * tile);
    const uint64_t fewest = hw_divide_up(form->terms, MOST_TERMS_PER_BLOCK);
    if (parts < fewest) parts = fewest;
    plan->terms_per_block = hw_divide_up(hw_divide_up(form->terms, parts), tile) * tile;
    plan->blocks_per_output = (uint32_t)hw_divide_up(form->terms, plan->terms_per_block);
    plan->way = plan->blocks_per_output > 1 ? HW_EXACT_BLOCKS : HW_EXACT_BLOCK;
    plan->blocks = form->outputs * plan->blocks_per_output;
    // Limbs and flags.
    if (plan->way == HW_EXACT_BLOCKS) plan->scratch_bytes = plan->blocks * (form->in_bytes == 8 ? 70 : 13) * 8;
}

void hw_exact_plan_make(const hw_reduction_form *form, const hw_device_properties *device, hw_exact_plan *plan) {
    const hw_tune_exact *tune = &hw_tune_for(device)->exact;
    const bool many = form->outputs >= tune->many_outputs, few_terms = form->terms < tune->few_terms;
    *plan = (hw_exact_plan){
        .words = tune->words,
        .contiguous = form->n_reduced == 0 || (form->n_reduced == 1 && form->reduced_stride[0] == 1)};
    const bool one_by_one = plan->contiguous ? form->terms < tune->thread_terms || (few_terms && many)
                                             : few_terms || many;
    if (!one_by_one) {
        share_out_blocks(form, device, tune, plan);
        return;
    }
    plan->way = HW_EXACT_THREADS;
    plan->threads = (uint32_t)hw_least(tune->threads, threads_that_fit(device));
    plan->blocks_per_output = 1;
    plan->terms_per_block = form->terms;
    plan->blocks = hw_divide_up(form->outputs, plan->threads);
}

// exact_shape of the kernel: numbers of 64 bits, then the axes.
static uint32_t put_shape(const hw_reduction_form *form, const hw_exact_plan *exact, hw_plan *plan) {
    uint64_t words[4 + 3 * 2 * HW_MAX_RANK] = {form->terms, exact->terms_per_block, exact->blocks_per_output,
                                               form->outputs};
    uint32_t n = 4;
    for (uint32_t a = 0; a < form->n_kept; a++) {
        words[n++] = form->kept[a];
        words[n++] = (uint64_t)form->kept_in_stride[a];
        words[n++] = (uint64_t)form->kept_out_stride[a];
    }
    if (!form->n_kept) n += 3;
    for (uint32_t a = 0; a < form->n_reduced; a++) {
        words[n++] = form->reduced[a];
        words[n++] = (uint64_t)form->reduced_stride[a];
        words[n++] = 0;
    }
    if (!form->n_reduced) n += 3;
    return hw_plan_value(plan, words, n * sizeof words[0]);
}

void hw_exact_plan_launch(const hw_reduction_form *form, const hw_exact_plan *exact, hw_plan *plan) {
    memset(plan, 0, sizeof *plan);
    plan->n_launches = 1;
    hw_plan_launch *launch = &plan->launches[0];
    const bool threads = exact->way == HW_EXACT_THREADS;
    *launch = (hw_plan_launch){.file = "reduce/95_exact.cu",
                               .function = threads ? "exact_thread_sum" : "exact_block_sum",
                               .grid = {(uint32_t)exact->blocks, 1, 1}, .block = {exact->threads, 1, 1},
                               .dynamic_shared_bytes = exact->threads * GROUP_BYTES};
    hw_plan_define(plan, launch, "ELEMENT_BYTES", form->in_bytes);
    hw_plan_define(plan, launch, "THREADS", exact->threads);
    hw_plan_define(plan, launch, "WORDS", exact->words);
    hw_plan_define(plan, launch, "KEPT", form->n_kept);
    hw_plan_define(plan, launch, "REDUCED", form->n_reduced);
    hw_plan_define(plan, launch, "CONTIGUOUS", exact->contiguous);
    hw_plan_define(plan, launch, "PARTS", exact->way == HW_EXACT_BLOCKS);
    hw_plan_define(plan, launch, "DIVIDES", form->reduction == HW_REDUCE_MEAN);
    launch->params[launch->n_params++] = (hw_plan_param){.array = HW_EXACT_IN};
    launch->params[launch->n_params++] = (hw_plan_param){.array = HW_EXACT_OUT};
    if (!threads) {
        launch->params[launch->n_params++] = (hw_plan_param){.array = HW_EXACT_COUNTERS};
        launch->params[launch->n_params++] = (hw_plan_param){.array = HW_EXACT_RECORDS};
    }
    launch->params[launch->n_params++] = (hw_plan_param){.array = -1, .offset = put_shape(form, exact, plan)};
}
