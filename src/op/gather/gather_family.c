// The family of gathers: each element of out is a word of the image, from anywhere, or of the image turned. What a rung
// should leave is a function that its row names.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "op/common/family.h"

// The image three times: as memory, as a texture of plain memory, and as one that lies in blocks.
enum { IN, ROW, BLOCKS, OUT, ROWS = 0, COLS = 1, WORD_BYTES = 4, BLOCK_SIDE = 16 };

// Texels that every GPU's textures can have: of plain memory (2^27), and along the axes of an array (CUDA C++
// Programming Guide, "Technical Specifications": 32768 rows of 65536 before compute capability 2.0).
enum { MOST_WORDS = 1 << 27, MOST_ROWS = 32768, MOST_COLS = 65536 };

static uint64_t words_of(const hw_problem *problem) { return problem->size[ROWS] * problem->size[COLS]; }

static hw_status describe_gather(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t rows = problem->size[ROWS], cols = problem->size[COLS];
    if (rows > MOST_ROWS || cols > MOST_COLS || rows * cols > MOST_WORDS)
        return hw_diag_set(diag, HW_USAGE, "an image has up to %d rows of %d, and 2^27 words, which %" PRIu64 "x%"
                           PRIu64 " is not", MOST_ROWS, MOST_COLS, rows, cols);
    const uint64_t bytes = rows * cols * WORD_BYTES;
    const uint32_t image_cols = cols ? (uint32_t)cols : 1;
    *work = (hw_work){.arrays = {[IN] = {.name = "in", .bytes = bytes},
                                 [ROW] = {.name = "texture", .bytes = bytes, .image_cols = image_cols},
                                 [BLOCKS] = {.name = "image", .bytes = bytes, .image_cols = image_cols,
                                             .is_in_blocks = true},
                                 [OUT] = {.name = "out", .bytes = bytes, .is_output = true}},
                      .n_arrays = 4, .bytes_moved = 2.0 * (double)bytes};
    return HW_OK;
}

static void fill_gather(const hw_problem *problem, void *const *arrays) {
    for (int array = IN; array <= BLOCKS; array++) {
        uint32_t *words = arrays[array];
        for (uint64_t i = 0; i < words_of(problem); i++) words[i] = (uint32_t)(i * 2654435761u + 12345);
    }
}

static void reference_gather(const hw_problem *problem, void *const *arrays) {
    memset(arrays[OUT], HW_FAMILY_UNWRITTEN, words_of(problem) * WORD_BYTES);   // each rung's is its own
}

// ---- Which word of the image is element (row, col) of a rung; as kernels/gather/places.cuh has it -------------------

typedef uint64_t place_of(int64_t row, int64_t col, int64_t rows, int64_t cols);

static uint64_t own_place(int64_t row, int64_t col, int64_t rows, int64_t cols) {
    (void)rows;
    return (uint64_t)(row * cols + col);
}

static uint64_t random_place(int64_t row, int64_t col, int64_t rows, int64_t cols) {
    uint32_t h = (uint32_t)(row * cols + col) * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return (uint64_t)(h ^ h >> 16) * (uint64_t)(rows * cols) >> 32;
}

static int64_t floor_fifth(int64_t x) { return (x - (x % 5 + 5) % 5) / 5; }

static int64_t clamp(int64_t x, int64_t n) { return x < 0 ? 0 : x < n ? x : n - 1; }

static uint64_t turned_place(int64_t row, int64_t col, int64_t rows, int64_t cols) {
    const int64_t x = col - cols / 2, y = row - rows / 2;
    const int64_t from_col = cols / 2 + floor_fifth(4 * x - 3 * y), from_row = rows / 2 + floor_fifth(3 * x + 4 * y);
    return (uint64_t)(clamp(from_row, rows) * cols + clamp(from_col, cols));
}

// ---- Rungs ----------------------------------------------------------------------------------------------------------

static hw_status plan_gather(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag);

#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, input, copies, place, rung_idea)            \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,       \
     .block = {BLOCK_SIDE, BLOCK_SIDE}, .tile = {BLOCK_SIDE, BLOCK_SIDE}, .is_copy = copies, .plan = plan_gather, \
     .idea = rung_idea},
static const hw_rung rungs[] = {
#include "kernels/gather/ladder.def"
};
#undef HW_RUNG

// What a rung's row says beside the hw_rung, in the same order.
static const struct gather {
    int32_t input;
    place_of *place;
} gathers[] = {
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, input, copies, place, rung_idea) {input, place},
#include "kernels/gather/ladder.def"
#undef HW_RUNG
};

static const struct gather *gather_of(const hw_rung *rung) {
    size_t i = 0;
    while (rungs[i].number != rung->number) i++;
    return &gathers[i];
}

static hw_status plan_gather(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const int32_t rows = (int32_t)problem->size[ROWS], cols = (int32_t)problem->size[COLS];
    (void)device;
    if (asked[0] && (asked[0] != BLOCK_SIDE || asked[1] != BLOCK_SIDE))
        return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %dx%d", rung->name, BLOCK_SIDE, BLOCK_SIDE);
    *plan = (hw_plan){.n_launches = 1};
    hw_plan_launch *launch = &plan->launches[0];
    *launch = (hw_plan_launch){.file = rung->file, .function = rung->kernel,
                               .grid = {(uint32_t)hw_divide_up((uint64_t)cols, BLOCK_SIDE),
                                        (uint32_t)hw_divide_up((uint64_t)rows, BLOCK_SIDE), 1},
                               .block = {BLOCK_SIDE, BLOCK_SIDE, 1}, .n_params = 4,
                               .params = {{.array = OUT}, {.array = gather_of(rung)->input},
                                          {.array = -1, .offset = hw_plan_value(plan, &rows, sizeof rows)},
                                          {.array = -1, .offset = hw_plan_value(plan, &cols, sizeof cols)}}};
    return HW_OK;
}

static void compare_gather(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                           const void *got, hw_verdict *verdict) {
    const int64_t rows = (int64_t)problem->size[ROWS], cols = (int64_t)problem->size[COLS];
    const uint32_t *in = arrays[IN], *is = got;
    place_of *place = gather_of(rung)->place;
    (void)array;
    *verdict = (hw_verdict){.right = true};
    for (int64_t row = 0; row < rows; row++)
        for (int64_t col = 0; col < cols; col++) {
            const uint32_t word = is[row * cols + col], expected = in[place(row, col, rows, cols)];
            if (word == expected) continue;
            verdict->right = false;
            if (verdict->n_wrong++) continue;
            verdict->worst_index = (uint64_t)(row * cols + col);
            verdict->worst_error = word > expected ? word - expected : expected - word;
            snprintf(verdict->text, sizeof verdict->text, "element (%" PRId64 ", %" PRId64 ") is %u, not %u", row, col,
                     word, expected);
        }
}

const hw_family hw_family_gather = {
    .name = "gather",
    .does = "words of an image from anywhere or near by, through memory and textures",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .size_names = {"rows", "cols"},
    .default_size = {8192, 8192},
    .default_sim_size = {512, 512},
    .large_sim_size = {2048, 2048},
    .dtypes = "u32",
    .describe = describe_gather,
    .fill = fill_gather,
    .reference = reference_gather,
    .compare = compare_gather,
};
