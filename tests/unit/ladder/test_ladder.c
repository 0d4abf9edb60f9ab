// Ladders: every rung of the transposes right at every kind of size and element, its counters as its file predicts, and
// the runner's own duties: wrong results and guard bytes are seen, blocks are tried, what is not possible is named.
#include <math.h>
#include "base/alloc.h"
#include "ladder_test.h"
#include "op/common/padding.h"
#include "op/transpose/transpose_launch.h"

static hw_ladder_options transpose(uint64_t rows, uint64_t cols, const char *dtype) {
    hw_ladder_options options = {.family = hw_family_find("transpose"), .problem = {.size = {rows, cols}}};
    assert_non_null(options.family);
    assert_true(hw_dtype_find(dtype, &options.problem.dtype));
    return options;
}

// The rung of that name, alone, as a family of its own.
static hw_family family_of(const char *name, hw_rung *rung) {
    hw_family family = *hw_family_find("transpose");
    for (size_t i = 0; i < family.n_rungs; i++)
        if (!strcmp(family.rungs[i].name, name)) *rung = family.rungs[i];
    family.rungs = rung;
    family.n_rungs = 1;
    return family;
}

// ---- every rung, every size -----------------------------------------------------------------------------------------

static void expect_right_on(hw_device *device, uint64_t rows, uint64_t cols, const char *dtype) {
    hw_ladder_options options = transpose(rows, cols, dtype);
    hw_ladder ladder;
    if (is_left_out()) return;
    run_ladder(device, &options, &ladder);
    assert_int_equal(ladder.n_rows, device == h200 ? options.family->n_rungs : options.family->n_cpu_rungs);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        if (row->status || !row->verdict.right)
            fail_msg("%s, %s %dx%d: %s%s", row->rung->name, dtype, (int)rows, (int)cols, row->text, row->verdict.text);
    }
    hw_ladder_free(&ladder);
}

static void expect_right(uint64_t rows, uint64_t cols, const char *dtype) { expect_right_on(h200, rows, cols, dtype); }

// Nothing, one, primes, and around the tiles of 32, 16 and 64.
static void sizes(void **state) {
    static const uint64_t all[][2] = {{0, 0},   {0, 7},   {7, 0},   {1, 1},   {1, 131}, {131, 1}, {31, 31},
                                      {32, 32}, {33, 33}, {15, 17}, {16, 63}, {64, 65}, {97, 53}, {53, 97}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) expect_right(all[i][0], all[i][1], "f32");
}

static void element_sizes(void **state) {
    static const uint64_t all[][2] = {{0, 3}, {1, 1}, {31, 33}, {32, 64}, {97, 53}};
    static const char *const dtypes[] = {"u8", "f16", "f64", "c128"};
    (void)state;
    for (size_t t = 0; t < sizeof dtypes / sizeof dtypes[0]; t++)
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) expect_right(all[i][0], all[i][1], dtypes[t]);
}

// The processor's rungs: their blocks are 32 elements, their strips 512 by 256 bytes.
static void processor_sizes(void **state) {
    static const uint64_t all[][2] = {{0, 0},   {0, 3},   {1, 1},    {1, 131},  {131, 1},  {31, 33},
                                      {32, 32}, {97, 53}, {127, 65}, {128, 64}, {129, 63}, {513, 257}};
    static const char *const dtypes[] = {"u8", "f16", "f32", "f64", "c128"};
    hw_device *cpu = open_device("cpu");
    (void)state;
    for (size_t t = 0; t < sizeof dtypes / sizeof dtypes[0]; t++)
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) expect_right_on(cpu, all[i][0], all[i][1], dtypes[t]);
    hw_device_close(cpu);
}

// Every family that the build found, by its first type; a size that a rung's row excludes is refused.
static void all_families(void **state) {
    static const uint64_t sides[] = {0, 1, 33, 130};
    const hw_family *family;
    (void)state;
    for (size_t f = 0; (family = hw_family_at(f)); f++)
        for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
            hw_ladder_options options = {.family = family};
            hw_ladder ladder;
            char dtype[16] = "";
            if (is_sanitized() && k != f % 4) continue;
            sscanf(family->dtypes, "%15s", dtype);
            assert_true(hw_dtype_find(dtype, &options.problem.dtype));
            // Coordinates and neighbours, which are few, stay as they are.
            for (int i = 0; i < HW_PROBLEM_SIZES && family->size_names[i]; i++)
                options.problem.size[i] = family->default_sim_size[i] > 16 ? sides[k] : family->default_sim_size[i];
            run_ladder(h200, &options, &ladder);
            assert_int_equal(ladder.n_rows, family->n_rungs);
            for (size_t i = 0; i < ladder.n_rows; i++) {
                const hw_ladder_row *row = &ladder.rows[i];
                if (row->status == HW_USAGE && row->rung->limit) continue;
                if (row->status || !row->verdict.right)
                    fail_msg("%s, %s, side %d: %s%s", family->name, row->rung->name, (int)sides[k], row->text,
                             row->verdict.text);
            }
            hw_ladder_free(&ladder);
        }
}

// More rows of tiles than a grid has rows: they go on in z.
static void tall(void **state) {
    hw_ladder_options options = transpose(65536 * 4 + 7, 1, "u8");
    hw_ladder ladder;
    (void)state;
    options.rung = "any_block";
    options.block[0] = 4;
    options.block[1] = 4;
    run_ladder(h200, &options, &ladder);
    const hw_ladder_row *row = &ladder.rows[ladder.n_rows - 1];
    assert_string_equal(row->rung->name, "any_block");
    if (row->status || !row->verdict.right) fail_msg("%s%s", row->text, row->verdict.text);
    hw_ladder_free(&ladder);
}

// The plan of the rung of that name, with the indices of 2^31 elements and more.
static hw_status plan_wide(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    const hw_family *family = hw_family_find("transpose");
    hw_status status = HW_USAGE;
    for (size_t i = 0; i < family->n_rungs; i++)
        if (family->rungs[i].number == rung->number)
            status = family->rungs[i].plan(&family->rungs[i], problem, device, block, plan, diag);
    hw_plan_launch *launch = &plan->launches[0];
    assert_int_equal(launch->n_params, 4);
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "INDEX_BITS=64");
    for (int i = 0; i < 2; i++) launch->params[2 + i].offset = hw_plan_value(plan, &problem->size[i], 8);
    return status;
}

static void wide_indices(void **state) {
    enum { MOST = 64 };
    hw_ladder_options options = transpose(97, 130, "f16");
    hw_family family = *options.family;
    hw_rung wide[MOST];
    hw_ladder ladder;
    size_t n = 0;
    (void)state;
    assert_true(family.n_rungs <= MOST);
    for (size_t i = 0; i < family.n_rungs; i++) {
        if (!strcmp(family.rungs[i].name, "best")) continue;   // its plan has tests of its own
        wide[n] = family.rungs[i];
        wide[n++].plan = plan_wide;
    }
    family.rungs = wide;
    family.n_rungs = n;
    options.family = &family;
    run_ladder(h200, &options, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++)
        if (ladder.rows[i].status || !ladder.rows[i].verdict.right)
            fail_msg("%s: %s%s", ladder.rows[i].rung->name, ladder.rows[i].text, ladder.rows[i].verdict.text);
    hw_ladder_free(&ladder);
}

// When they are taken: where an index in the last tile, or of the thread behind it, may pass 2^31.
static void index_bits(void **state) {
    static const struct { uint64_t rows, cols; bool is_wide; } all[] = {
        {32768, 65535 - 31, false}, {32768, 65536, true}, {(uint64_t)1 << 31, 1, true}, {1, (uint64_t)1 << 31, true},
        {1 << 25, 32, false},       {1, (1 << 26) - 32, false}, {(1 << 26) + 1, 1, true}};
    hw_rung more_rows;
    const hw_rung *rung = &more_rows;   // tiles of 32x32
    (void)state;
    family_of("more_rows", &more_rows);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        hw_problem problem = {.size = {all[i].rows, all[i].cols}, .dtype = {kDLUInt, 8, 1}};
        hw_plan plan;
        bool is_wide = false;
        assert_int_equal(rung->plan(rung, &problem, hw_device_get_properties(h200), (uint32_t[2]){0}, &plan, NULL), 0);
        for (uint32_t d = 0; d < plan.launches[0].n_defines; d++)
            is_wide |= !strcmp(plan.bytes + plan.launches[0].defines[d], "INDEX_BITS=64");
        if (is_wide != all[i].is_wide) fail_msg("case %zu: wide %d", i, is_wide);
    }
}

// ---- what the files predict -----------------------------------------------------------------------------------------

typedef struct prediction {
    const char *rung;
    uint64_t loads, load_sectors, stores, store_sectors, shared_stores, store_passes, shared_loads, load_passes;
    double occupancy_pct;
} prediction;

// f32 1024x1024 on an H200, as the first comment of each file says.
static const prediction predictions[] = {
    {"copy",        8192,  131072,  8192,  131072,  0,     0,     0,     0,       100},
    {"copy_shared", 32768, 131072,  32768, 131072,  32768, 32768, 32768, 32768,   100},
    {"read_rows",   32768, 131072,  32768, 1048576, 0,     0,     0,     0,       100},
    {"read_cols",   32768, 1048576, 32768, 131072,  0,     0,     0,     0,       100},
    {"tile",        32768, 131072,  32768, 131072,  32768, 32768, 32768, 1048576, 100},
    {"any_block",   32768, 131072,  32768, 131072,  32768, 32768, 32768, 524288,  100},
    {"pad",         32768, 131072,  32768, 131072,  32768, 32768, 32768, 32768,   100},
    {"swizzle",     32768, 131072,  32768, 131072,  32768, 32768, 32768, 32768,   100},
    {"two_tiles",   32768, 131072,  32768, 131072,  32768, 32768, 32768, 32768,   100},
    {"more_rows",   32768, 131072,  32768, 131072,  32768, 32768, 32768, 32768,   100},
    {"diagonal",    32768, 131072,  32768, 131072,  32768, 32768, 32768, 32768,   100},
    {"best",        8192,  131072,  8192,  131072,  32768, 65536, 32768, 65536,   100},
};
enum { N_PREDICTIONS = sizeof predictions / sizeof predictions[0] };

static void expect_prediction(const prediction *p, const hw_ladder_row *row) {
    assert_true(row->has_counts);
    expect_count(row, HW_COUNT_GLD_REQUESTS, p->loads);
    expect_count(row, HW_COUNT_GLD_SECTORS, p->load_sectors);
    expect_count(row, HW_COUNT_GST_REQUESTS, p->stores);
    expect_count(row, HW_COUNT_GST_SECTORS, p->store_sectors);
    expect_count(row, HW_COUNT_STS_INST, p->shared_stores);
    expect_count(row, HW_COUNT_STS_WAVEFRONTS, p->store_passes);
    expect_count(row, HW_COUNT_LDS_INST, p->shared_loads);
    expect_count(row, HW_COUNT_LDS_WAVEFRONTS, p->load_passes);
    if (!row->regs_estimated && row->occupancy.occupancy_pct != p->occupancy_pct)
        fail_msg("%s: occupancy is %g%%, not %g%%", p->rung, row->occupancy.occupancy_pct, p->occupancy_pct);
}

static void counters(void **state) {
    hw_ladder_options options = transpose(1024, 1024, "f32");
    hw_ladder ladder;
    size_t found = 0;
    (void)state;
    if (is_sanitized()) skip();   // large arrays, of which only numbers are asked
    run_ladder(h200, &options, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++)
        for (size_t k = 0; k < N_PREDICTIONS; k++) {
            if (strcmp(predictions[k].rung, ladder.rows[i].rung->name)) continue;
            expect_prediction(&predictions[k], &ladder.rows[i]);
            found++;
        }
    assert_int_equal(found, N_PREDICTIONS);
    hw_ladder_free(&ladder);
}

// ---- and the other two kernels of hw_transpose ----

static void count_alone(uint64_t rows, uint64_t cols, hw_family *family, hw_ladder *ladder) {
    hw_ladder_options options = transpose(rows, cols, "f32");
    options.family = family;
    run_ladder(h200, &options, ladder);
    assert_int_equal(ladder->n_rows, 1);
}

// Of its shared loads compilers leave out different ones in the last tiles.
static void ragged_counters(void **state) {
    hw_rung rung;
    hw_family family = family_of("best", &rung);
    hw_ladder ladder;
    (void)state;
    if (is_sanitized()) skip();
    count_alone(1009, 1013, &family, &ladder);
    const hw_ladder_row *row = &ladder.rows[0];
    expect_count(row, HW_COUNT_GLD_REQUESTS, 12690);
    expect_count(row, HW_COUNT_GLD_SECTORS, 165736);
    expect_count(row, HW_COUNT_GST_REQUESTS, 10681);
    expect_count(row, HW_COUNT_GST_SECTORS, 130929);
    expect_count(row, HW_COUNT_STS_INST, 41344);
    expect_count(row, HW_COUNT_STS_WAVEFRONTS, 82688);
    hw_ladder_free(&ladder);
}

// Swaps within out, whatever it holds.
static hw_status plan_swap(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    const int64_t n = (int64_t)problem->size[0];
    const hw_permutation p = {.rank = 2, .elem_bytes = 4, .elems = (uint64_t)(n * n), .n = {(uint64_t)n, (uint64_t)n},
                              .in_stride = {1, n}, .out_stride = {n, 1}, .in_place = true};
    hw_swap_plan swap;
    (void)rung, (void)block, (void)diag;
    assert_true(hw_swap_plan_make(&p, device, &swap));
    *plan = (hw_plan){0};
    hw_swap_plan_launch(&p, &swap, 1, plan);
    return HW_OK;
}

static void swap_counters(void **state) {
    static const prediction p = {"swap", 32768, 524288, 32768, 524288, 131072, 524288, 131072, 262144, 50};
    hw_rung rung;
    hw_family family = family_of("best", &rung);
    hw_ladder ladder;
    (void)state;
    if (is_sanitized()) skip();
    rung.plan = plan_swap;
    count_alone(2048, 2048, &family, &ladder);
    expect_prediction(&p, &ladder.rows[0]);
    hw_ladder_free(&ladder);
}

// With 16 KiB of shared memory and accesses of half warps, lanes of 4 bytes read whole segments.
static void best_of_16k(void **state) {
    static const char *const dtypes[] = {"f32", "u8", "c128"};
    hw_device *gtx280 = open_device("sim:gtx280");
    hw_ladder ladder;
    (void)state;
    for (int i = 0; i < 3; i++) {
        hw_ladder_options options = transpose(256, 256, dtypes[i]);
        options.rung = "best";
        run_ladder(gtx280, &options, &ladder);
        const hw_ladder_row *row = &ladder.rows[ladder.n_rows - 1];
        if (row->status || !row->verdict.right) fail_msg("%s: %s%s", dtypes[i], row->text, row->verdict.text);
        const uint64_t lane_bytes = i == 2 ? 16 : 4, elem_bytes = i == 0 ? 4 : i == 1 ? 1 : 16;
        expect_count(row, HW_COUNT_GLD_REQUESTS, 256 * 256 * elem_bytes / lane_bytes / 32);
        expect_count(row, HW_COUNT_GST_REQUESTS, 256 * 256 * elem_bytes / lane_bytes / 32);
        hw_ladder_free(&ladder);
    }
    hw_device_close(gtx280);
}

// ---- what a family says of its rungs ----

static void tell_blocks(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                        const hw_plan *plan, uint32_t resident_blocks, double numbers[HW_FAMILY_FACTS]) {
    (void)rung, (void)problem, (void)device;
    numbers[0] = resident_blocks;
    numbers[2] = plan->launches[0].block[0];
}

static void facts(void **state) {
    hw_rung rung;
    hw_family family = family_of("pad", &rung);
    hw_ladder ladder;
    (void)state;
    family.fact_names[0] = "resident blocks";
    family.facts = tell_blocks;
    count_alone(64, 64, &family, &ladder);
    const hw_ladder_row *row = &ladder.rows[0];
    assert_int_equal(row->resident_blocks, row->occupancy.blocks);
    assert_true(row->resident_blocks > 0 && row->facts[0] == row->resident_blocks);
    assert_true(isnan(row->facts[1]));
    assert_true(row->facts[2] == 32);
    hw_ladder_free(&ladder);
}

// With the padding that is computed for a size of element, no access takes more passes than its bytes need; the swizzle
// needs no computing.
static void no_conflicts(void **state) {
    static const char *const rungs[] = {"pad", "swizzle", "two_tiles", "more_rows", "diagonal"};
    static const char *const dtypes[] = {"u8", "f16", "f32", "f64", "c128"};
    (void)state;
    for (size_t t = 0; t < sizeof dtypes / sizeof dtypes[0]; t++) {
        hw_ladder_options options = transpose(128, 128, dtypes[t]);
        hw_ladder ladder;
        size_t found = 0;
        run_ladder(h200, &options, &ladder);
        for (size_t i = 0; i < ladder.n_rows; i++)
            for (size_t k = 0; k < sizeof rungs / sizeof rungs[0]; k++) {
                if (strcmp(rungs[k], ladder.rows[i].rung->name)) continue;
                const uint64_t *n = ladder.rows[i].counts;
                if (n[HW_COUNT_SMEM_WAVEFRONTS] != n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL])
                    fail_msg("%s of %s: %llu passes where %llu would do", rungs[k], dtypes[t],
                             (unsigned long long)n[HW_COUNT_SMEM_WAVEFRONTS],
                             (unsigned long long)n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
                found++;
            }
        assert_int_equal(found, sizeof rungs / sizeof rungs[0]);
        hw_ladder_free(&ladder);
    }
}

// ---- padding --------------------------------------------------------------------------------------------------------

typedef struct degree {
    uint32_t block_cols, block_rows, elem_bytes;
    int cc;
    uint32_t mode_bytes;
    double passes[3];      // of a warp's load on average, for padding 0, 1, 2
    uint32_t best;
} degree;

static void padding(void **state) {
    // Seed 000's block of 32x16 (its claim that a Fermi needs one column is wrong: two), seed 004's of 16x16 on 16
    // banks (loads of a half-warp), and an H200's.
    static const degree all[] = {
        {32, 16, 4, 90, 4, {16, 2, 1}, 2},    // Fermi, and Maxwell to Hopper
        {32, 16, 4, 35, 4, {8, 2, 1}, 2},     // Kepler, 4-byte mode
        {32, 16, 4, 35, 8, {8, 2, 1}, 2},     // Kepler, 8-byte mode
        {32, 32, 4, 90, 4, {32, 1, 2}, 1},
        {32, 32, 4, 35, 4, {16, 1, 2}, 1},
        {32, 32, 4, 35, 8, {16, 1.5, 1}, 2},
        {16, 16, 4, 13, 4, {32, 2, 4}, 1},    // 16x17: two half-warps of one pass each
        {16, 16, 4, 90, 4, {8, 2, 1}, 2},
        {32, 32, 8, 90, 4, {32, 2, 4}, 1},    // two half-warps
        {32, 32, 16, 90, 4, {32, 4, 8}, 1},   // four quarters
        {32, 32, 1, 90, 4, {8, 1.75, 2}, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const degree *d = &all[i];
        hw_padded_tile tile = {d->block_cols, d->block_rows, d->block_cols, d->block_rows, d->elem_bytes,
                               hw_arch_find(d->cc), d->mode_bytes};
        uint32_t warps = d->block_cols * d->block_rows / 32;
        for (uint32_t pad = 0; pad < 3; pad++)
            if ((double)hw_padding_count(&tile, pad).loads != warps * d->passes[pad])
                fail_msg("case %zu, padding %u: %g passes a load", i, pad,
                         (double)hw_padding_count(&tile, pad).loads / warps);
        if (hw_padding_choose(&tile) != d->best) fail_msg("case %zu: padding %u", i, hw_padding_choose(&tile));
    }
}

// ---- the runner -----------------------------------------------------------------------------------------------------

// On the processor: what is asked for, and a byte before and behind it.
static int stray;

static hw_status native_transpose(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                  hw_diag *diag) {
    (void)diag;
    assert_true(pool && n_threads);
    hw_family_find("transpose")->reference(problem, arrays);
    if (stray) ((char *)arrays[1])[stray > 0 ? (long)(problem->size[0] * problem->size[1] * 4 + 8) : -1L] = 0;
    return HW_OK;
}

// A plan for a matrix that is one row larger than it is.
static hw_status plan_too_much(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                               const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    hw_problem larger = *problem;
    hw_rung original;
    larger.size[0]++;
    family_of(rung->name, &original);
    return original.plan(rung, &larger, device, block, plan, diag);
}

static void wrong_is_seen(void **state) {
    hw_ladder_options options = transpose(40, 50, "f32");
    hw_ladder ladder;
    hw_rung rung;
    hw_family family = family_of("copy", &rung);
    (void)state;
    // A copy that claims to be a transpose.
    rung.is_copy = false;
    options.family = &family;
    run_ladder(h200, &options, &ladder);
    assert_false(ladder.rows[0].verdict.right);
    assert_int_equal(ladder.rows[0].verdict.n_wrong, 1998);   // all but the first and last
    assert_non_null(strstr(ladder.rows[0].verdict.text, "element ("));
    hw_ladder_free(&ladder);

    family = family_of("read_rows", &rung);
    rung.plan = plan_too_much;
    run_ladder(h200, &options, &ladder);
    assert_int_equal(ladder.rows[0].status, HW_FAULT);
    assert_non_null(strstr(ladder.rows[0].text, "transpose_read_rows"));
    hw_ladder_free(&ladder);
    expect_right(40, 50, "f32");   // nothing stays behind
}

static void processor(void **state) {
    static const char *const texts[] = {"wrote outside: 1 bytes before out", "", "wrote outside: 8 bytes behind out"};
    hw_device *cpu = open_device("cpu");
    hw_ladder_options options = transpose(40, 50, "f32");
    hw_rung native[2] = {{.number = 1, .name = "reference", .native = native_transpose},
                         {.number = 2, .name = "again", .builds_on = "reference", .native = native_transpose}};
    hw_family family = *options.family;
    (void)state;
    family.cpu_rungs = native;
    family.n_cpu_rungs = 2;
    options.family = &family;
    for (stray = -1; stray <= 1; stray++) {
        hw_ladder ladder;
        run_ladder(cpu, &options, &ladder);
        assert_int_equal(ladder.n_rows, 2);
        const hw_ladder_row *row = &ladder.rows[1];
        assert_string_equal(row->verdict.text, texts[stray + 1]);
        assert_int_equal(row->verdict.right, stray == 0);
        assert_int_equal(row->has_counts, false);
        if (stray == 0) {
            assert_true(row->runs >= 3 && row->gbs > 0 && row->step > 0);
            assert_true(row->ns_min <= row->ns_median && row->ns_median <= row->ns_max);
        } else assert_int_equal(row->runs, 0);   // what is wrong is not timed
        hw_ladder_free(&ladder);
    }
    hw_device_close(cpu);
}

static void blocks(void **state) {
    hw_ladder_options options = transpose(128, 128, "f32");
    hw_ladder ladder;
    size_t best = 0, pads = 0;
    (void)state;
    options.all_blocks = true;
    options.rung = "40";
    run_ladder(h200, &options, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        if (row->status || !row->verdict.right)
            fail_msg("%s, block %ux%u: %s%s", row->rung->name, row->block[0], row->block[1], row->text,
                     row->verdict.text);
        if (strcmp(row->rung->name, "pad")) continue;
        pads++;
        best += row->is_best_block;
    }
    assert_int_equal(best, 1);
    assert_int_equal(pads, 11);
    hw_ladder_free(&ladder);

    // Squares only; on a GPU of 512 threads to a block no larger ones.
    hw_device *gtx280 = open_device("sim:gtx280");
    options.rung = "swizzle";
    run_ladder(gtx280, &options, &ladder);
    assert_int_equal(ladder.n_rows, 2 + 2);
    const hw_ladder_row *small = &ladder.rows[2], *row = &ladder.rows[3];
    assert_true(row->block[0] == 16 && row->block[1] == 16 && row->verdict.right && small->verdict.right);
    assert_true(small->is_best_block != row->is_best_block);
    assert_true((row->is_best_block ? row : small)->estimate_us <= (row->is_best_block ? small : row)->estimate_us);
    hw_ladder_free(&ladder);
    hw_device_close(gtx280);
}

// A block that one rung cannot have fails its row and no other.
static void refusals(void **state) {
    hw_ladder_options options = transpose(64, 64, "c128");
    hw_ladder ladder;
    hw_diag diag = {0};
    (void)state;
    options.block[0] = options.block[1] = 32;
    options.rung = "more_rows";
    run_ladder(h200, &options, &ladder);
    const hw_ladder_row *row = &ladder.rows[ladder.n_rows - 1];
    assert_int_equal(row->status, HW_USAGE);
    assert_non_null(strstr(row->text, "32x32"));
    assert_int_equal(ladder.rows[0].status, HW_OK);
    hw_ladder_free(&ladder);

    options.block[0] = 6;
    options.block[1] = 8;
    run_ladder(h200, &options, &ladder);
    row = &ladder.rows[ladder.n_rows - 1];
    assert_int_equal(row->status, HW_USAGE);
    assert_non_null(strstr(row->text, "multiple of 4"));
    hw_ladder_free(&ladder);

    options.rung = "no_such";
    assert_int_equal(hw_ladder_run(h200, NULL, &options, &ladder, &diag), HW_USAGE);
    assert_non_null(strstr(diag.text, "swizzle"));
    hw_ladder_free(&ladder);
    memset(&diag, 0, sizeof diag);
    options = transpose((uint64_t)1 << 30, (uint64_t)1 << 30, "u8");
    assert_int_equal(hw_ladder_run(h200, NULL, &options, &ladder, &diag), HW_USAGE);
    hw_ladder_free(&ladder);
}

// The padding suits their banks: 16 on compute capability 1.3, 32 since.
static void other_gpus(void **state) {
    static const char *const gpus[] = {"sim:gtx280", "sim:k40", "sim:v100", "sim:rtx4090"};
    (void)state;
    for (size_t g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        hw_device *device = open_device(gpus[g]);
        hw_ladder_options options = transpose(64, 96, "f32");
        hw_ladder ladder;
        options.rung = "pad";
        run_ladder(device, &options, &ladder);
        for (size_t i = 0; i < ladder.n_rows; i++) {
            const hw_ladder_row *row = &ladder.rows[i];
            const uint64_t *n = row->counts;
            if (row->status || !row->verdict.right)
                fail_msg("%s, %s: %s%s", gpus[g], row->rung->name, row->text, row->verdict.text);
            assert_int_equal(n[HW_COUNT_SMEM_WAVEFRONTS], n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
        }
        hw_ladder_free(&ladder);
        hw_device_close(device);
    }
}

// Counters beside a device that has none of its own, at a size that can be simulated: here another GPU's.
static void counter(void **state) {
    hw_device *v100 = open_device("sim:v100");
    hw_ladder_options options = transpose(1100, 1000, "f64");
    hw_ladder ladder;
    hw_diag diag = {0};
    (void)state;
    options.rung = "pad";
    if (hw_ladder_run(v100, h200, &options, &ladder, &diag)) fail_msg("%s", diag.text);
    assert_string_equal(ladder.counted_on->id, "h200");
    assert_int_equal(ladder.counted.size[0], 550);
    assert_int_equal(ladder.counted.size[1], 1000);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        if (row->status || !row->verdict.right) fail_msg("%s: %s%s", row->rung->name, row->text, row->verdict.text);
        assert_int_equal(row->counts[HW_COUNT_GLD_SECTORS], 550 * 1000 * 8 / 32);
        assert_true(row->runs >= 3 && row->ns_median > 0);   // the device's own
    }
    hw_ladder_free(&ladder);
    hw_device_close(v100);
}

static void progress(void *context, size_t index, size_t count, const char *rung) {
    (void)rung;
    assert_true(index < count);
    ++*(size_t *)context;
}

static void no_memory(void **state) {
    // Two threads: each of a machine's many would have allocations of its own.
    hw_device *device = open_device_with("sim:h200", 0, 2);
    hw_ladder_options options = transpose(33, 20, "f32");
    size_t calls = 0;
    long fails = 0;
    (void)state;
    options.rung = "pad";
    options.progress = progress;
    options.progress_context = &calls;
    for (bool good = false; !good; fails++) {
        hw_ladder ladder;
        hw_diag diag = {0};
        hw_alloc_fail_after(fails);
        hw_status status = hw_ladder_run(device, NULL, &options, &ladder, &diag);
        hw_alloc_fail_after(-1);
        if (status) assert_int_equal(status, HW_NO_MEMORY);
        good = !status;
        for (size_t i = 0; i < ladder.n_rows; i++) {
            if (ladder.rows[i].status) assert_int_equal(ladder.rows[i].status, HW_NO_MEMORY);
            good = good && !ladder.rows[i].status && ladder.rows[i].verdict.right;
        }
        hw_ladder_free(&ladder);
        assert_true(fails < 2000);
    }
    assert_true(fails > 5);
    assert_true(calls > 3);
    hw_device_close(device);
}

// ---- types ----------------------------------------------------------------------------------------------------------

static void dtypes(void **state) {
    static const char *const names[] = {"f16", "bf16", "f32", "f64", "c64", "c128", "u8",
                                        "u16", "u32",  "u64", "i8",  "i16", "i32",  "i64"};
    static const double values[] = {0, 1, 2, 96, 127};
    (void)state;
    for (size_t t = 0; t < sizeof names / sizeof names[0]; t++) {
        DLDataType dtype;
        char name[16], array[64];
        assert_true(hw_dtype_find(names[t], &dtype));
        assert_string_equal(hw_dtype_name(dtype, name, sizeof name), names[t]);
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            hw_dtype_set(dtype, array, 2, values[v]);
            if (hw_dtype_get(dtype, array, 2) != values[v]) fail_msg("%s cannot hold %g", names[t], values[v]);
        }
    }
    DLDataType half, unknown = {.code = 0, .bits = 0};
    uint16_t bits;
    assert_false(hw_dtype_find("f8", &unknown));
    assert_true(hw_dtype_find("f16", &half));
    // IEEE 754: the largest, what rounds to infinity, the least normal and subnormal numbers, a tie to even.
    static const struct { double value; uint16_t bits; } halves[] = {
        {65504, 0x7bff}, {65519, 0x7bff}, {65520, 0x7c00}, {-2, 0xc000},     {0x1p-14, 0x0400},
        {0x1p-24, 1},    {0x1p-25, 0},    {0x3p-25, 2},    {2049, 0x6800},   {2051, 0x6802}};
    for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
        hw_dtype_set(half, &bits, 0, halves[i].value);
        if (bits != halves[i].bits) fail_msg("half of %a is %04x, not %04x", halves[i].value, bits, halves[i].bits);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dtypes), cmocka_unit_test(padding), cmocka_unit_test(sizes), cmocka_unit_test(all_families),
        cmocka_unit_test(tall), cmocka_unit_test(wide_indices), cmocka_unit_test(index_bits),
        cmocka_unit_test(counters), cmocka_unit_test(ragged_counters), cmocka_unit_test(swap_counters),
        cmocka_unit_test(best_of_16k),
        cmocka_unit_test(facts),
        cmocka_unit_test(no_conflicts), cmocka_unit_test(blocks),
        cmocka_unit_test(refusals), cmocka_unit_test(wrong_is_seen), cmocka_unit_test(processor),
        cmocka_unit_test(processor_sizes), cmocka_unit_test(no_memory), cmocka_unit_test(other_gpus),
        cmocka_unit_test(counter), cmocka_unit_test(element_sizes),
    };
    return cmocka_run_group_tests(tests, open_h200, close_h200);
}
