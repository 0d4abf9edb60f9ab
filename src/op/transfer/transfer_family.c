// The family of transfers: out = 3 in + 1, both in the host's memory, by ways there and back that differ.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "op/common/family.h"

// The host's arrays, by kind of memory, and the device's.
enum { IN_PAGEABLE, IN_PINNED, IN_COMBINED, OUT_PAGEABLE, OUT_PINNED, IN, OUT, ARRAYS };
enum { WORDS = 0, WORD_BYTES = 4, BLOCK = 256 };

static hw_status describe_transfer(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t n = problem->size[WORDS], bytes = n * WORD_BYTES;
    if (n > (uint64_t)1 << 31) return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " is more than 2^31 elements", n);
    *work = (hw_work){
        .arrays = {[IN_PAGEABLE] = {.name = "pageable in", .bytes = bytes, .place = HW_IN_PAGEABLE},
                   [IN_PINNED] = {.name = "pinned in", .bytes = bytes, .place = HW_IN_PINNED},
                   [IN_COMBINED] = {.name = "combined in", .bytes = bytes, .place = HW_IN_COMBINED},
                   [OUT_PAGEABLE] = {.name = "pageable out", .bytes = bytes, .place = HW_IN_PAGEABLE,
                                     .is_output = true},
                   [OUT_PINNED] = {.name = "pinned out", .bytes = bytes, .place = HW_IN_PINNED, .is_output = true},
                   [IN] = {.name = "in", .bytes = bytes, .is_scratch = true},
                   [OUT] = {.name = "out", .bytes = bytes, .is_scratch = true}},
        .n_arrays = ARRAYS, .bytes_moved = 2.0 * (double)bytes};
    return HW_OK;
}

static void fill_transfer(const hw_problem *problem, void *const *arrays) {
    for (int array = IN_PAGEABLE; array <= IN_COMBINED; array++) {
        uint32_t *words = arrays[array];
        for (uint64_t i = 0; i < problem->size[WORDS]; i++) words[i] = (uint32_t)(i * 2654435761u + 12345);
    }
}

static void reference_transfer(const hw_problem *problem, void *const *arrays) {
    const uint32_t *in = arrays[IN_PAGEABLE];
    for (int array = OUT_PAGEABLE; array <= OUT_PINNED; array++) {
        uint32_t *out = arrays[array];
        for (uint64_t i = 0; i < problem->size[WORDS]; i++) out[i] = 3 * in[i] + 1;
    }
}

// ---- Rungs ----------------------------------------------------------------------------------------------------------

static hw_status plan_transfer(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                               const uint32_t asked[2], hw_plan *plan, hw_diag *diag);

#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, in, out, chunks, rung_idea)                  \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,        \
     .block = {BLOCK, 1}, .plan = plan_transfer, .idea = rung_idea,                                                \
     .limit = (chunks) ? NULL : "compute capability 1.1 or newer"},
static const hw_rung rungs[] = {
#include "kernels/transfer/ladder.def"
};
#undef HW_RUNG

// What a rung's row says beside the hw_rung, in the same order.
static const struct way { uint32_t in, out, chunks; } ways[] = {
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, in, out, chunks, rung_idea) {in, out, chunks},
#include "kernels/transfer/ladder.def"
#undef HW_RUNG
};

static const struct way *way_of(const hw_rung *rung) {
    size_t i = 0;
    while (rungs[i].number != rung->number) i++;
    return &ways[i];
}

static void add_launch(const hw_rung *rung, uint32_t out, uint32_t in, uint64_t first, uint64_t n, hw_plan *plan) {
    enum { MOST_BLOCKS = 65535 };   // which every GPU takes, and with which the kernel's index stays below 2^32
    const uint64_t blocks = hw_divide_up(n, BLOCK);
    const uint32_t stream = plan->n_launches, from = (uint32_t)first, words = (uint32_t)n;
    plan->launches[plan->n_launches++] =
        (hw_plan_launch){.file = rung->file, .function = rung->kernel, .stream = stream,
                         .grid = {(uint32_t)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), 1, 1},
                         .block = {BLOCK, 1, 1}, .n_params = 4,
                         .params = {{.array = (int)out}, {.array = (int)in},
                                    {.array = -1, .offset = hw_plan_value(plan, &from, sizeof from)},
                                    {.array = -1, .offset = hw_plan_value(plan, &words, sizeof words)}}};
}

// All copies to the device are asked for first, then the kernels, then the copies back: GPUs with one queue (before
// compute capability 3.5) overlap nothing in any other order.
static hw_status plan_transfer(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                               const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const uint64_t n = problem->size[WORDS];
    const struct way *way = way_of(rung);
    enum { WHOLE = 64 };   // words that chunks begin at: 256 bytes
    if (asked[0] && (asked[0] != BLOCK || asked[1] > 1))
        return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %d", rung->name, BLOCK);
    if (!way->chunks && device->cc < 11)
        return hw_diag_set(diag, HW_USAGE, "%s: kernels of compute capability 1.0 do not reach the host's memory",
                           rung->name);
    *plan = (hw_plan){.n_streams = way->chunks};
    if (!way->chunks) add_launch(rung, way->out, way->in, 0, n, plan);
    for (uint32_t c = 0; c < way->chunks; c++) {
        const uint64_t first = n * c / way->chunks / WHOLE * WHOLE;
        const uint64_t end = c + 1 == way->chunks ? n : n * (c + 1) / way->chunks / WHOLE * WHOLE;
        add_launch(rung, OUT, IN, first, end - first, plan);
        plan->copies[c] = (hw_plan_copy){IN, way->in, first * WORD_BYTES, (end - first) * WORD_BYTES, 0, c};
        plan->copies[way->chunks + c] =
            (hw_plan_copy){way->out, OUT, first * WORD_BYTES, (end - first) * WORD_BYTES, way->chunks, c};
    }
    plan->n_copies = 2 * way->chunks;
    return HW_OK;
}

static void compare_transfer(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                             const void *got, hw_verdict *verdict) {
    const bool is_its_own = array == way_of(rung)->out;
    const uint32_t *expected = arrays[array], *is = got;
    uint32_t unwritten;
    memset(&unwritten, HW_FAMILY_UNWRITTEN, sizeof unwritten);
    *verdict = (hw_verdict){.right = true};
    for (uint64_t i = 0; i < problem->size[WORDS]; i++) {
        const uint32_t word = is_its_own ? expected[i] : unwritten;
        if (is[i] == word) continue;
        verdict->right = false;
        if (verdict->n_wrong++) continue;
        verdict->worst_index = i;
        verdict->worst_error = is[i] > word ? is[i] - word : word - is[i];
        snprintf(verdict->text, sizeof verdict->text, "element %" PRIu64 " is %u, not %u", i, is[i], word);
    }
}

const hw_family hw_family_transfer = {
    .name = "transfer",
    .does = "an array of the host's, worked on by the GPU",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .size_names = {"elements"},
    .default_size = {(uint64_t)1 << 26},
    .default_sim_size = {(uint64_t)1 << 22},
    .dtypes = "u32",
    .describe = describe_transfer,
    .fill = fill_transfer,
    .reference = reference_transfer,
    .has_transfers = true,
    .compare = compare_transfer,
};
