// The family of instructions: chains of one each, whose results a multiprocessor has so many of in a clock. What is
// compared are the chains' ends, which are computed again for the 32 lanes that differ.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "op/common/family.h"
#include "op/instructions/steps.h"

enum { OUT, THREADS = 0, ROUNDS = 1, BLOCK = 256, LANES = 32, MOST_ROUNDS = 1 << 20 };
enum { CHAINS = 8, UNROLLED = 16 };      // as kernels/instructions/10_chains.cu has them
enum { SEED };                           // facts

// ---- The problem ----------------------------------------------------------------------------------------------------

static hw_status describe_instructions(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t n = problem->size[THREADS], rounds = problem->size[ROUNDS];
    if (n > (uint64_t)1 << 30) return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " is more than 2^30 threads", n);
    if (rounds > MOST_ROUNDS)
        return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " is more than %d rounds", rounds, MOST_ROUNDS);
    *work = (hw_work){.arrays = {[OUT] = {.name = "out", .bytes = n * sizeof(double), .is_output = true}},
                      .n_arrays = 1, .bytes_moved = (double)(n * sizeof(double)), .operation = "result",
                      .operations = (double)CHAINS * UNROLLED * (double)rounds * (double)n};
    return HW_OK;
}

static void fill_instructions(const hw_problem *problem, void *const *arrays) { (void)problem, (void)arrays; }

static void reference_instructions(const hw_problem *problem, void *const *arrays) {
    memset(arrays[OUT], HW_FAMILY_UNWRITTEN, problem->size[THREADS] * sizeof(double));
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static hw_status plan_chains(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag);

#define HW_RUNG(rung_number, rung_name, type, step, first, apart, a, b, tolerance, seed, since, rung_idea)        \
    {.number = rung_number, .name = rung_name, .file = "instructions/10_chains.cu",                               \
     .kernel = "instruction_chains", .block = {BLOCK, 1}, .plan = plan_chains, .idea = rung_idea},
static const hw_rung rungs[] = {
#include "kernels/instructions/ladder.def"
};
#undef HW_RUNG

typedef enum value_type { F32, F64, U32 } value_type;

#define APART 0x1p-10

// What a rung's row says beside the hw_rung, in the same order; one of the steps is there, by its type.
typedef struct chain {
    int number, since;
    value_type type;
    const char *name;
    double first, apart, a, b, tolerance, seed;
    float (*f32)(float x, float y, float a, float b);
    double (*f64)(double x, double y, double a, double b);
    uint32_t (*u32)(uint32_t x, uint32_t y, uint32_t a, uint32_t b);
} chain;

#define F32_STEP(step) .f32 = step
#define F64_STEP(step) .f64 = step
#define U32_STEP(step) .u32 = step
#define HW_RUNG(rung_number, rung_name, value, step, x, apart_by, a_is, b_is, error, by_seed, since_cc, ...)        \
    {.number = rung_number, .since = since_cc, .type = value, .name = #step, .first = x, .apart = apart_by, .a = a_is, \
     .b = b_is, .tolerance = error, .seed = by_seed, value##_STEP(step)},
static const chain chains[] = {
#include "kernels/instructions/ladder.def"
};
#undef HW_RUNG

static const chain *chain_of(const hw_rung *rung) {
    size_t i = 0;
    while (chains[i].number != rung->number) i++;
    return &chains[i];
}

// ---- Plans ----------------------------------------------------------------------------------------------------------

static hw_plan_param value_param(hw_plan *plan, value_type type, double number) {
    const float f = (float)number;
    const uint32_t u = type == U32 ? (uint32_t)number : 0;
    const void *value = type == F32 ? (const void *)&f : type == F64 ? (const void *)&number : &u;
    return (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, value, type == F64 ? sizeof number : sizeof f)};
}

static hw_status plan_chains(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    static const char *const types[] = {[F32] = "float", [F64] = "double", [U32] = "unsigned"};
    const chain *c = chain_of(rung);
    const int64_t n = (int64_t)problem->size[THREADS];
    const int32_t rounds = (int32_t)problem->size[ROUNDS];
    if (asked[0] && (asked[0] != BLOCK || asked[1] > 1))
        return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %d", rung->name, BLOCK);
    if (device->cc < c->since)
        return hw_diag_set(diag, HW_USAGE, "%s is an instruction from compute capability %d.%d on, and %s has %d.%d",
                           rung->name, c->since / 10, c->since % 10, device->name, device->cc / 10, device->cc % 10);
    *plan = (hw_plan){.n_launches = 1};
    hw_plan_launch *launch = &plan->launches[0];
    *launch = (hw_plan_launch){.file = rung->file, .function = rung->kernel,
                               .grid = {(uint32_t)hw_divide_up((uint64_t)n, BLOCK), 1, 1}, .block = {BLOCK, 1, 1}};
    launch->params[launch->n_params++] = (hw_plan_param){.array = OUT};
    launch->params[launch->n_params++] = (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, &n, sizeof n)};
    const double values[] = {c->first, c->apart, c->a, c->b};
    for (int i = 0; i < 4; i++) launch->params[launch->n_params++] = value_param(plan, c->type, values[i]);
    launch->params[launch->n_params++] =
        (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, &rounds, sizeof rounds)};
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "STEP_NAME=%s", c->name);
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "VALUE=%s", types[c->type]);
    return HW_OK;
}

// ---- Comparison -----------------------------------------------------------------------------------------------------

// The end of a lane's chains, as its thread writes it.
#define DEFINE_END(end, type, step)                                                                                   \
    static type end(const chain *c, uint64_t rounds, uint32_t lane) {                                                 \
        type x[CHAINS], first = (type)c->first, apart = (type)c->apart, a = (type)c->a, b = (type)c->b;               \
        for (uint32_t k = 0; k < CHAINS; k++) x[k] = first + (type)(8 * lane + k) * apart;                            \
        for (uint64_t i = 0; i < rounds * UNROLLED; i++)                                                              \
            for (int k = 0; k < CHAINS; k++) x[k] = c->step(x[k], x[(k + 1) % CHAINS], a, b);                         \
        type last = x[0];                                                                                             \
        for (int k = 1; k < CHAINS; k++) last = last + x[k];                                                          \
        return last;                                                                                                  \
    }
DEFINE_END(end_f32, float, f32)
DEFINE_END(end_f64, double, f64)
DEFINE_END(end_u32, uint32_t, u32)

static double end_of(const chain *c, uint64_t rounds, uint32_t lane) {
    return c->type == F32 ? end_f32(c, rounds, lane) : c->type == F64 ? end_f64(c, rounds, lane)
                                                                      : end_u32(c, rounds, lane);
}

static double value_at(const void *array, value_type type, uint64_t index) {
    return type == F32 ? ((const float *)array)[index] : type == F64 ? ((const double *)array)[index]
                                                                     : ((const uint32_t *)array)[index];
}

static void compare_instructions(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                                 const void *got, hw_verdict *verdict) {
    const chain *c = chain_of(rung);
    double expected[LANES];
    (void)arrays, (void)array;
    *verdict = (hw_verdict){.right = true};
    for (uint32_t lane = 0; lane < LANES; lane++) expected[lane] = end_of(c, problem->size[ROUNDS], lane);
    for (uint64_t i = 0; i < problem->size[THREADS]; i++) {
        const double is = value_at(got, c->type, i), right = expected[i % LANES];
        const double error = fabs(is - right);
        if (is == right || error <= c->tolerance * fabs(right)) continue;
        if (verdict->right)
            snprintf(verdict->text, sizeof verdict->text, "thread %" PRIu64 " has %.9g, not %.9g", i, is, right);
        if (verdict->right) verdict->worst_error = error, verdict->worst_index = i;
        verdict->right = false;
        verdict->n_wrong++;
    }
}

// ---- The family -----------------------------------------------------------------------------------------------------

static void tell_seed(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                      const hw_plan *plan, uint32_t resident_blocks, double numbers[HW_FAMILY_FACTS]) {
    const chain *c = chain_of(rung);
    (void)problem, (void)plan, (void)resident_blocks;
    if (device->cc < 20 && c->seed > 0) numbers[SEED] = c->seed;
}

const hw_family hw_family_instructions = {
    .name = "instructions",
    .does = "results of one instruction in a clock",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .size_names = {"threads", "rounds"},
    .default_size = {(uint64_t)1 << 20, 512},
    // Blocks for 15, 16 or 30 multiprocessors, or 132, so many that none is idle for long.
    .default_sim_size = {480 * BLOCK, 4},
    .large_sim_size = {1056 * BLOCK, 4},
    .dtypes = "f32",
    .describe = describe_instructions,
    .fill = fill_instructions,
    .reference = reference_instructions,
    .fact_names = {[SEED] = "seed 004"},
    .facts = tell_seed,
    .counts_clocks = true,
    .compare = compare_instructions,
};
