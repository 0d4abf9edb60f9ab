// The family of sums: the problem that the rungs of kernels/reduce solve, and what each kernel is given.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "op/reduce/cpu/reduce.h"
#include "op/common/family.h"
#include "op/reduce/reduce_plan.h"

// The copying rung alone writes COPY. The first passes leave sums in FIRST, the next in SECOND, and so on in turn.
enum { IN, OUT, COPY, FIRST, SECOND, ELEMENTS = 0 };
enum { LEAST_BLOCK = 512, ZEROS = HW_SCRATCH_ZEROS, PARTS_BYTES = 64 << 10 };

static uint64_t larger_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static DLDataType out_type(const hw_problem *problem) { return hw_reduce_dtype(HW_REDUCE_SUM, problem->dtype); }

// The type of partial sums: f32 for types of 16 bits, else the result's.
static DLDataType sum_type(const hw_problem *problem) {
    DLDataType type = out_type(problem);
    return type.bits == 16 ? (DLDataType){kDLFloat, 32, 1} : type;
}

// ---- The problem ----------------------------------------------------------------------------------------------------

static hw_status describe_reduce(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t n = problem->size[ELEMENTS], bytes = n * (problem->dtype.bits / 8);
    if (n > (uint64_t)1 << 39) return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " is more than 2^39 elements", n);
    if (problem->dtype.code == kDLComplex)
        return hw_diag_set(diag, HW_UNSUPPORTED, "sums are of integers and floating-point numbers");
    const uint64_t first = hw_divide_up(n, LEAST_BLOCK) * 8, second = hw_divide_up(n, LEAST_BLOCK * LEAST_BLOCK) * 8;
    *work = (hw_work){.arrays = {[IN] = {.name = "in", .bytes = bytes},
                                 [OUT] = {.name = "out", .bytes = out_type(problem).bits / 8, .is_output = true},
                                 [COPY] = {.name = "copy", .bytes = bytes / 2, .is_output = true},
                                 [FIRST] = {.name = "first", .bytes = larger_of(first, ZEROS + PARTS_BYTES),
                                            .is_scratch = true},
                                 [SECOND] = {.name = "second", .bytes = larger_of(second, 8), .is_scratch = true}},
                      .n_arrays = 5, .bytes_moved = (double)bytes};
    return HW_OK;
}

// The elements are small integers, around 0 where the type has negative ones: every partial sum is a small integer,
// which no type of sums rounds, whatever the order. A lost or a doubled element shows.
static void fill_reduce(const hw_problem *problem, void *const *arrays) {
    const int64_t shift = problem->dtype.code == kDLUInt ? 0 : 8;
    for (uint64_t i = 0; i < problem->size[ELEMENTS]; i++) {
        const int64_t value = (int64_t)(7 * i % 17) - shift + (i % 65536 == 5);
        hw_dtype_set(problem->dtype, arrays[IN], i, (double)value);
    }
}

static void reference_reduce(const hw_problem *problem, void *const *arrays) {
    const DLDataType type = out_type(problem);
    double sum = 0;
    uint64_t whole = 0;
    for (uint64_t i = 0; i < problem->size[ELEMENTS]; i++) {
        const double value = hw_dtype_get(problem->dtype, arrays[IN], i);
        sum += value;
        whole += (uint64_t)(int64_t)value;
    }
    if (type.code == kDLInt || type.code == kDLUInt) memcpy(arrays[OUT], &whole, sizeof whole);
    else hw_dtype_set(type, arrays[OUT], 0, sum);
}

static void compare_copy(const hw_problem *problem, void *const *arrays, const void *got, hw_verdict *verdict) {
    const uint64_t bytes = problem->size[ELEMENTS] * (problem->dtype.bits / 8) / 2;
    const char *expected = arrays[IN], *is = got;
    for (uint64_t i = 0; bytes && memcmp(expected, is, bytes) && i < bytes; i++) {
        if (expected[i] == is[i]) continue;
        *verdict = (hw_verdict){.n_wrong = 1, .worst_index = i, .worst_error = 1};
        snprintf(verdict->text, sizeof verdict->text, "byte %" PRIu64 " is not the array's", i);
        return;
    }
}

// Only the final sum is rounded, to the result's type, in the rung as in the reference: so all of its bits are
// compared.
static void compare_reduce(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                           const void *got, hw_verdict *verdict) {
    const DLDataType type = out_type(problem);
    *verdict = (hw_verdict){.right = true};
    if (rung->is_copy && array == COPY) compare_copy(problem, arrays, got, verdict);
    if (rung->is_copy || array != OUT) return;
    const double expected = hw_dtype_get(type, arrays[OUT], 0), is = hw_dtype_get(type, got, 0);
    if (is == expected) return;
    *verdict = (hw_verdict){.n_wrong = 1, .worst_error = fabs(is - expected)};
    snprintf(verdict->text, sizeof verdict->text, "the sum is %.17g, not %.17g", is, expected);
}

// ---- Plans ----------------------------------------------------------------------------------------------------------

static hw_status check_block(const hw_rung *rung, const uint32_t asked[2], hw_diag *diag) {
    if (!asked[0] || (rung->block[0] && asked[0] == rung->block[0] && asked[1] <= 1)) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "%s has blocks of its own", rung->name);
}

static void define_type(hw_plan *plan, hw_plan_launch *launch, const char *name, DLDataType type) {
    char text[48];
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "%s=%s", name, hw_dtype_name(type, text, sizeof text));
}

static hw_plan_launch *add_launch(const hw_rung *rung, uint64_t blocks, uint32_t threads, int out, int in, uint64_t n,
                                  hw_plan *plan) {
    hw_plan_launch *launch = &plan->launches[plan->n_launches++];
    *launch = (hw_plan_launch){.file = rung->file, .function = rung->kernel, .grid = {(uint32_t)blocks, 1, 1},
                               .block = {threads, 1, 1}, .n_params = 3,
                               .params = {{.array = out}, {.array = in},
                                          {.array = -1, .offset = hw_plan_value(plan, &n, sizeof n)}}};
    hw_plan_define(plan, launch, "THREADS", threads);
    return launch;
}

static void define_types(hw_plan *plan, hw_plan_launch *launch, DLDataType in, DLDataType sum, DLDataType out) {
    define_type(plan, launch, "IN", in);
    define_type(plan, launch, "SUM", sum);
    define_type(plan, launch, "OUT", out);
}

static hw_status plan_copy(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const uint64_t bytes = problem->size[ELEMENTS] * (problem->dtype.bits / 8) / 2;
    (void)device;
    *plan = (hw_plan){0};
    hw_status status = check_block(rung, asked, diag);
    if (status != HW_OK) return status;
    uint64_t blocks = hw_divide_up(bytes / 16, (uint64_t)rung->block[0] * 4);
    if (bytes && !blocks) blocks = 1;
    add_launch(rung, blocks, rung->block[0], COPY, IN, bytes, plan);
    return HW_OK;
}

// Blocks of the rungs that walk over the array: as many as the device holds at a time, or fewer.
static uint64_t walking_blocks(const hw_rung *rung, const hw_device_properties *device, uint64_t n) {
    const uint64_t resident = (uint64_t)device->multiprocessors * (device->threads_per_multiprocessor / rung->block[0]);
    const uint64_t useful = hw_divide_up(n, 2 * rung->block[0]), most = larger_of(resident, 1);
    return larger_of(useful < most ? useful : most, 1);
}

// Plans passes: each leaves a sum for each of its blocks, and the next adds these sums, until one is left. Rungs whose
// threads walk through the array end with a pass of one block.
static hw_status plan_passes(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const DLDataType sum = sum_type(problem);
    uint64_t left = problem->size[ELEMENTS];
    int from = IN;
    *plan = (hw_plan){0};
    hw_status status = check_block(rung, asked, diag);
    if (status != HW_OK) return status;
    do {
        uint64_t blocks =
            larger_of(rung->tile[0] ? hw_divide_up(left, rung->tile[0]) : walking_blocks(rung, device, left), 1);
        if (!rung->tile[0] && from != IN) blocks = 1;
        if (blocks > INT32_MAX) return hw_diag_set(diag, HW_USAGE, "%s takes fewer than 2^31 blocks", rung->name);
        const int to = blocks == 1 ? OUT : from == FIRST ? SECOND : FIRST;
        hw_plan_launch *launch = add_launch(rung, blocks, rung->block[0], to, from, left, plan);
        define_types(plan, launch, from == IN ? problem->dtype : sum, sum, to == OUT ? out_type(problem) : sum);
        left = blocks;
        from = to;
    } while (from != OUT);
    return HW_OK;
}

static hw_status plan_one_launch(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                                 const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const uint64_t n = problem->size[ELEMENTS], blocks = walking_blocks(rung, device, n);
    *plan = (hw_plan){0};
    hw_status status = check_block(rung, asked, diag);
    if (status == HW_OK && 16 + 8 * blocks > ZEROS + PARTS_BYTES)
        status = hw_diag_set(diag, HW_USAGE, "%s has scratch memory for 16382 blocks", rung->name);
    if (status != HW_OK) return status;
    hw_plan_launch *launch = add_launch(rung, blocks, rung->block[0], OUT, IN, n, plan);
    define_types(plan, launch, problem->dtype, sum_type(problem), out_type(problem));
    launch->params[launch->n_params++] = (hw_plan_param){.array = FIRST};
    return HW_OK;
}

static hw_reduction_form form_of(const hw_problem *problem) {
    const uint64_t n = problem->size[ELEMENTS];
    const DLDataType out = out_type(problem);
    return (hw_reduction_form){.reduction = HW_REDUCE_SUM, .in_type = problem->dtype, .out_type = out,
                               .in_bytes = problem->dtype.bits / 8, .out_bytes = out.bits / 8, .outputs = 1, .terms = n,
                               .n_reduced = n > 1, .reduced = {n}, .reduced_stride = {1}};
}

// What hw_reduce does with an array of the problem's size, aligned as devices allocate memory.
static hw_status plan_best(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const hw_reduction_form form = form_of(problem);
    const hw_reduce_goals goals = hw_reduce_goals_for(&form, device);
    hw_reduce_plan reduce;
    hw_status status = check_block(rung, asked, diag);
    if (status != HW_OK) return status;
    hw_reduce_plan_make(&form, &goals, &reduce);
    if (reduce.scratch_bytes > PARTS_BYTES)
        return hw_diag_set(diag, HW_USAGE, "%s has scratch memory for %d bytes of parts", rung->name, PARTS_BYTES);
    hw_reduce_plan_launch(&form, &reduce, IN, OUT, FIRST, ZEROS, plan);
    return HW_OK;
}

// ---- The processor's ------------------------------------------------------------------------------------------------

static hw_status reduce_in_loop(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                hw_diag *diag) {
    (void)pool, (void)n_threads, (void)diag;
    reference_reduce(problem, arrays);
    return HW_OK;
}

static hw_status run_best(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                          hw_diag *diag) {
    hw_reduction_form form = form_of(problem);
    form.in = arrays[IN];
    form.out = arrays[OUT];
    return hw_cpu_reduce(&form, pool, n_threads, diag);
}

static const hw_rung cpu_rungs[] = {
    {.number = 10, .name = "loop", .native = reduce_in_loop, .idea = "the plainest loop"},
    {.number = 90, .name = "best", .builds_on = "loop", .native = run_best, .idea = "vectors, all threads; hw_reduce"},
};

// ---- The family -----------------------------------------------------------------------------------------------------

#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, threads, per_block, copies, planner, rung_idea) \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,           \
     .block = {threads, !!threads}, .tile = {per_block, 1}, .is_copy = copies, .plan = planner, .idea = rung_idea},
static const hw_rung rungs[] = {
#include "kernels/reduce/ladder.def"
};
#undef HW_RUNG

const hw_family hw_family_reduce = {
    .name = "reduce",
    .does = "the sum of an array",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .cpu_rungs = cpu_rungs,
    .n_cpu_rungs = sizeof cpu_rungs / sizeof cpu_rungs[0],
    .size_names = {"elements"},
    .default_size = {(uint64_t)1 << 28},
    .default_sim_size = {(uint64_t)1 << 24},
    .default_cpu_size = {(uint64_t)1 << 26},
    .dtypes = "f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64",
    .describe = describe_reduce,
    .fill = fill_reduce,
    .reference = reference_reduce,
    .compare = compare_reduce,
};
