// The laboratory of access patterns: rungs that move the same elements and differ in how a warp's lanes lie. The rungs
// solve no common problem: what each should leave in `out` is a function that its row names.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "op/common/family.h"

enum { IN, OUT, CLOCKS, ELEMENTS = 0, STEP = 1, WORD_BYTES = 4, BLOCK = 256, TIMED_ELEMENTS = 512, MOST_STEP = 1024 };

// ---- The problem ----------------------------------------------------------------------------------------------------

// Elements of each array: what the offsets and what the strides reach, so that all rungs share the arrays.
static uint64_t array_words(const hw_problem *problem) {
    const uint64_t step = problem->size[STEP];
    return problem->size[ELEMENTS] * (step ? step : 1) + step;
}

static hw_status describe_access(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t n = problem->size[ELEMENTS];
    if (n > (uint64_t)1 << 36) return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " is more than 2^36 elements", n);
    if (problem->size[STEP] > MOST_STEP)
        return hw_diag_set(diag, HW_USAGE, "an offset or stride is up to %d, and not %" PRIu64, MOST_STEP,
                           problem->size[STEP]);
    const uint64_t bytes = array_words(problem) * WORD_BYTES;
    *work = (hw_work){.arrays = {[IN] = {.name = "in", .bytes = bytes},
                                 [OUT] = {.name = "out", .bytes = bytes, .is_output = true},
                                 [CLOCKS] = {.name = "clocks", .bytes = hw_divide_up(n, TIMED_ELEMENTS) * 8,
                                             .is_output = true}},
                      .n_arrays = 3, .bytes_moved = 2.0 * WORD_BYTES * (double)n};
    return HW_OK;
}

// All bytes of a word differ from its neighbours', and no two words of a block are alike.
static uint32_t input_word(uint64_t index) { return (uint32_t)(index * 2654435761u + 12345); }

static void fill_access(const hw_problem *problem, void *const *arrays) {
    uint32_t *in = arrays[IN];
    for (uint64_t i = 0; i < array_words(problem); i++) in[i] = input_word(i);
}

static void reference_access(const hw_problem *problem, void *const *arrays) {
    memset(arrays[OUT], HW_FAMILY_UNWRITTEN, array_words(problem) * WORD_BYTES);
    memset(arrays[CLOCKS], 0, hw_divide_up(problem->size[ELEMENTS], TIMED_ELEMENTS) * 8);
}

// ---- What each rung leaves in element `at` of out; false: nothing ----

typedef bool expectation(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value);

// The word of the thread `other` in the block that has element `at`: 0 behind the end.
static uint32_t thread_word(const hw_problem *problem, const uint32_t *in, uint64_t at, uint64_t other) {
    const uint64_t index = at / BLOCK * BLOCK + other % BLOCK;
    return index < problem->size[ELEMENTS] ? in[index] : 0;
}

static bool expect_copy(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = in[at];
    return at < problem->size[ELEMENTS];
}

static bool expect_offset(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = in[at];
    return at >= problem->size[STEP] && at - problem->size[STEP] < problem->size[ELEMENTS];
}

static bool expect_stride(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    const uint64_t step = problem->size[STEP];
    *value = in[at];
    if (!step) return at == 0 && problem->size[ELEMENTS];
    return at % step == 0 && at / step < problem->size[ELEMENTS];
}

static bool expect_permuted(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = in[(at ^ 1) < problem->size[ELEMENTS] ? at ^ 1 : at];
    return at < problem->size[ELEMENTS];
}

static bool expect_idle(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    return expect_copy(problem, in, at, value) && at % 16 != 5;
}

static bool expect_bank_stride(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = thread_word(problem, in, at, at % BLOCK * problem->size[STEP]);
    return at < problem->size[ELEMENTS];
}

static bool expect_char(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = thread_word(problem, in, at, at % BLOCK / 4) >> 8 * (at % 4) & 0xff;
    return at < problem->size[ELEMENTS];
}

static bool expect_char_4(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = in[at] & 0xff;
    return at < problem->size[ELEMENTS];
}

static bool expect_short(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = thread_word(problem, in, at, at % BLOCK / 2) >> 16 * (at % 2) & 0xffff;
    return at < problem->size[ELEMENTS];
}

// Records of v, 3 v, 5 v, 7 v, added up with the factors 1, 2, 4, 8 by the neighbour.
static bool expect_record(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t factor,
                          uint32_t *value) {
    *value = factor * thread_word(problem, in, at, at ^ 1);
    return at < problem->size[ELEMENTS];
}

static bool expect_pairs(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    return expect_record(problem, in, at, 1 + 6, value);
}

static bool expect_three(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    return expect_record(problem, in, at, 1 + 6 + 20, value);
}

static bool expect_vector(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    return expect_record(problem, in, at, 1 + 6 + 20 + 56, value);
}

static bool expect_mixed(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    const uint32_t word = thread_word(problem, in, at, at ^ 1);
    *value = word + 2 * (3 * word & 0xff);
    return at < problem->size[ELEMENTS];
}

static bool expect_broadcast(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = thread_word(problem, in, at, 0);
    return at < problem->size[ELEMENTS];
}

static bool expect_broadcast_4(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = thread_word(problem, in, at, at % 4);
    return at < problem->size[ELEMENTS];
}

static bool expect_broadcast_bank(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = thread_word(problem, in, at, at % 4 * 32);
    return at < problem->size[ELEMENTS];
}

static uint32_t entry_of(uint64_t k) { return (uint32_t)(k % 64) * 16777619u + 7; }   // of the constant table

static bool expect_constant(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = in[at] + entry_of(at / BLOCK);
    return at < problem->size[ELEMENTS];
}

static bool expect_constant_lanes(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = in[at] + entry_of(at % BLOCK);
    return at < problem->size[ELEMENTS];
}

static bool expect_branch_lanes(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = at % 2 ? 3 * in[at] + 1 : in[at] + 7;
    return at < problem->size[ELEMENTS];
}

static bool expect_branch_warps(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    *value = at / 32 % 2 ? 3 * in[at] + 1 : in[at] + 7;
    return at < problem->size[ELEMENTS];
}

static bool expect_least(const hw_problem *problem, const uint32_t *in, uint64_t at, uint32_t *value) {
    const uint64_t n = problem->size[ELEMENTS], first = at * TIMED_ELEMENTS;
    *value = UINT32_MAX;
    for (uint64_t i = first; i < n && i < first + TIMED_ELEMENTS; i++)
        if (in[i] < *value) *value = in[i];
    return first < n;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static hw_status plan_access(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag);

#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, variant, elements, copies, expects, sweeps, \
                from, rung_idea)                                                                                  \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,       \
     .block = {BLOCK, 1}, .tile = {elements, 1}, .is_copy = copies, .swept = sweeps, .swept_from = from,          \
     .plan = plan_access, .idea = rung_idea},
static const hw_rung rungs[] = {
#include "kernels/access/ladder.def"
};
#undef HW_RUNG

// What a rung's row says beside the hw_rung, in the same order.
static const struct pattern {
    int number;
    const char *define;
    expectation *expects;
} patterns[] = {
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, variant, elements, copies, expects, ...) \
    {rung_number, variant, expects},
#include "kernels/access/ladder.def"
#undef HW_RUNG
};

static const struct pattern *pattern_of(const hw_rung *rung) {
    size_t i = 0;
    while (patterns[i].number != rung->number) i++;
    return &patterns[i];
}

// ---- Plans ----------------------------------------------------------------------------------------------------------

static hw_status plan_access(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const uint64_t n = problem->size[ELEMENTS], blocks = hw_divide_up(n, rung->tile[0]);
    const int32_t step = (int32_t)problem->size[STEP];
    const char *define = pattern_of(rung)->define;
    (void)device;
    if (asked[0] && (asked[0] != BLOCK || asked[1] > 1))
        return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %d", rung->name, BLOCK);
    if (blocks > INT32_MAX) return hw_diag_set(diag, HW_USAGE, "%s takes fewer than 2^31 blocks", rung->name);
    *plan = (hw_plan){.n_launches = 1};
    hw_plan_launch *launch = &plan->launches[0];
    *launch = (hw_plan_launch){.file = rung->file, .function = rung->kernel, .grid = {(uint32_t)blocks, 1, 1},
                               .block = {BLOCK, 1, 1}, .n_params = 4,
                               .params = {{.array = OUT}, {.array = IN},
                                          {.array = -1, .offset = hw_plan_value(plan, &n, sizeof n)},
                                          {.array = -1, .offset = hw_plan_value(plan, &step, sizeof step)}}};
    if (rung->tile[0] == TIMED_ELEMENTS && !define)
        launch->params[launch->n_params++] = (hw_plan_param){.array = CLOCKS};
    if (define) launch->defines[launch->n_defines++] = hw_plan_text(plan, "%s", define);
    return HW_OK;
}

// ---- Comparison -----------------------------------------------------------------------------------------------------

static void note_wrong_word(uint64_t index, uint32_t is, bool is_written, uint32_t expected, hw_verdict *verdict) {
    verdict->right = false;
    if (verdict->n_wrong++) return;
    verdict->worst_index = index;
    verdict->worst_error = is > expected ? is - expected : expected - is;
    if (is_written)
        snprintf(verdict->text, sizeof verdict->text, "element %" PRIu64 " is %u, not %u", index, is, expected);
    else snprintf(verdict->text, sizeof verdict->text, "element %" PRIu64 " was written, and is not the rung's", index);
}

// Each block of the timed rung writes the clocks that it took, above 0 and below 2^40; no other rung writes any. The
// verdict tells the least and the most.
static void compare_clocks(const hw_problem *problem, const hw_rung *rung, const uint64_t *clocks,
                           hw_verdict *verdict) {
    const uint64_t most = (uint64_t)1 << 40, blocks = hw_divide_up(problem->size[ELEMENTS], TIMED_ELEMENTS);
    uint64_t least = UINT64_MAX, longest = 0;
    if (pattern_of(rung)->expects != expect_least || !blocks) return;
    for (uint64_t i = 0; i < blocks; i++) {
        if (clocks[i] < least) least = clocks[i];
        if (clocks[i] > longest) longest = clocks[i];
        if (clocks[i] && clocks[i] < most) continue;
        *verdict = (hw_verdict){.n_wrong = 1, .worst_index = i};
        snprintf(verdict->text, sizeof verdict->text, "block %" PRIu64 " took %" PRIu64 " clocks", i, clocks[i]);
        return;
    }
    snprintf(verdict->text, sizeof verdict->text, "%" PRIu64 " blocks took %" PRIu64 " to %" PRIu64 " clocks each",
             blocks, least, longest);
}

static void compare_access(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                           const void *got, hw_verdict *verdict) {
    expectation *expects = pattern_of(rung)->expects;
    const uint32_t *in = arrays[IN], *is = got;
    uint32_t unwritten, expected;
    *verdict = (hw_verdict){.right = true};
    if (array == CLOCKS) compare_clocks(problem, rung, got, verdict);
    if (array != OUT) return;
    memset(&unwritten, HW_FAMILY_UNWRITTEN, sizeof unwritten);
    for (uint64_t i = 0; i < array_words(problem); i++) {
        const bool is_written = expects(problem, in, i, &expected);
        if (!is_written) expected = unwritten;
        if (is[i] != expected) note_wrong_word(i, is[i], is_written, expected, verdict);
    }
}

// ---- The family -----------------------------------------------------------------------------------------------------

const hw_family hw_family_access = {
    .name = "access",
    .does = "what an access costs, by how the lanes lie",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .size_names = {"elements", "step"},
    .default_size = {(uint64_t)1 << 25, 2},
    .default_sim_size = {(uint64_t)1 << 16, 2},
    .dtypes = "u32",
    .describe = describe_access,
    .fill = fill_access,
    .reference = reference_access,
    .swept_size = STEP,
    .sweep_last = 32,
    .sweep_size = (uint64_t)1 << 23,
    .sweep_sim_size = (uint64_t)3 << 13,      // as many bytes in each of six or eight partitions
    .shows_accesses = true,
    .compare = compare_access,
};
