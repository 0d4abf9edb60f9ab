// The ladder of matrix products: every rung right at every kind of size, its counters as its file predicts, its numbers
// as the seed has them; wrong results are seen, however large the matrices.
#include <math.h>
#include "ladder_test.h"
#include "recorded_kernels.h"

// rung NULL: all of them.
static void run_matmul(hw_device *device, const char *rung, const uint64_t size[3], const char *dtype,
                       hw_ladder *ladder) {
    hw_ladder_options options = {.family = hw_family_find("matmul"), .problem = {.size = {size[0], size[1], size[2]}},
                                 .rung = rung, .seconds = 0.001};
    assert_true(hw_dtype_find(dtype, &options.problem.dtype));
    run_ladder(device, &options, ladder);
}

static void expect_right(hw_device *device, const uint64_t size[3], const char *dtype) {
    hw_ladder ladder;
    if (is_left_out()) return;
    run_matmul(device, NULL, size, dtype, &ladder);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        if (row->status == HW_USAGE && row->rung->limit) continue;
        if (row->status || !row->verdict.right)
            fail_msg("%s, %s %dx%dx%d: %s%s", row->rung->name, dtype, (int)size[0], (int)size[1], (int)size[2],
                     row->text, row->verdict.text);
    }
    hw_ladder_free(&ladder);
}

// Nothing, one, primes, around the tiles of 16, 32, 64 and 128.
static const uint64_t sizes[][3] = {{0, 5, 5}, {5, 5, 0},     {1, 1, 1},    {17, 31, 13},  {32, 32, 32},
                                    {33, 65, 15}, {64, 16, 48}, {127, 129, 9}, {131, 67, 37}, {128, 160, 64}};

static const char *const integers[] = {"i8", "u8", "i32", "i64"};
enum { N_INTEGERS = sizeof integers / sizeof integers[0] };

static void test_sizes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) expect_right(h200, sizes[i], "f32");
    for (size_t i = 2; i < 6; i++) expect_right(h200, sizes[i], "f64");
    expect_right(h200, sizes[5], "f16");
    expect_right(h200, sizes[5], "bf16");
    for (size_t t = 0; t < N_INTEGERS; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i += t % 2 ? 4 : 1)
            expect_right(h200, sizes[i], integers[t]);
    // Elements whose sums lie halfway between two halves, one of which the reference takes and a rung the other.
    if (!is_sanitized()) expect_right(h200, (uint64_t[]){512, 512, 512}, "f16");
}

// What compensated sums gain, and what tf32 costs: naive rounds the k products of an element one after the other, which
// loses about sqrt(k) / 2 of a float's half last digit.
static void test_errors(void **state) {
    hw_ladder ladder;
    (void)state;
    run_matmul(h200, NULL, (uint64_t[]){32, 32, is_sanitized() ? 1024 : 4096}, "f32", &ladder);
    const double naive = row_of(&ladder, "naive")->verdict.error, kahan = row_of(&ladder, "kahan")->verdict.error;
    const double tensor = row_of(&ladder, "tensor")->verdict.error;
    for (size_t i = 0; i < ladder.n_rows; i++)   // rungs for integers refuse
        assert_true(ladder.rows[i].verdict.has_error || ladder.rows[i].status == HW_USAGE);
    if (!(kahan > 0 && kahan < 1.2e-7 && naive > 5 * kahan && naive < 1e-5 && tensor > 1e-5 && tensor < 1e-3))
        fail_msg("relative errors: naive %g, kahan %g, tensor %g", naive, kahan, tensor);
    hw_ladder_free(&ladder);
    run_matmul(h200, "naive", (uint64_t[]){5, 5, 0}, "f32", &ladder);   // zeros have none
    assert_false(row_of(&ladder, "naive")->verdict.has_error);
    hw_ladder_free(&ladder);
}

static void test_processor(void **state) {
    static const char *const types[] = {"f32", "f64", "f16", "bf16", "i8", "u8", "i16", "i32", "i64"};
    hw_device *cpu = open_device("cpu");
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) expect_right(cpu, sizes[i], types[t]);
    hw_device_close(cpu);
}

// More than the reference makes all of; and every size again.
static void test_gpu(void **state) {
    static const uint64_t large[][3] = {{1300, 1500, 1700}, {1408, 1536, 1792}};
    hw_device *cuda = find_device("cuda:0");
    (void)state;
    if (!cuda) skip();
    for (size_t i = 0; i < 2; i++) expect_right(cuda, large[i], "f32");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        expect_right(cuda, sizes[i], "f32");
        expect_right(cuda, sizes[i], "f64");
        expect_right(cuda, sizes[i], "bf16");
        expect_right(cuda, sizes[i], "i8");
        expect_right(cuda, sizes[i], "i64");
    }
    hw_device_close(cuda);
}

// ---- what the files predict -----------------------------------------------------------------------------------------

// Seed 004: C of 80x128 in a grid of 8x5 blocks, k = 64. Naive, A is read 128 times and B 80 times, a sector for 16
// lanes of a row of A and 2 for B's; with tiles of 16 A is read 8 times and B 5 times, in sectors that are used whole.
static void test_counters(void **state) {
    enum { M = 80, N = 128, K = 64, WARPS = M * N / 32, SECTOR = 32, WORD = 4 };
    const uint64_t size[3] = {M, N, K};
    hw_ladder ladder;
    (void)state;
    run_matmul(h200, NULL, size, "f32", &ladder);
    const hw_ladder_row *naive = row_of(&ladder, "naive"), *tile = row_of(&ladder, "tile16");
    const hw_ladder_row *strip = row_of(&ladder, "strip");
    expect_count(naive, HW_COUNT_GLD_REQUESTS, WARPS * K * 2);
    expect_count(naive, HW_COUNT_GLD_SECTORS, WARPS * K * (2 + 2));
    expect_count(naive, HW_COUNT_GST_SECTORS, M * N * WORD / SECTOR);
    expect_count(tile, HW_COUNT_GLD_REQUESTS, 2 * WARPS * K / 16);
    expect_count(tile, HW_COUNT_GLD_SECTORS, (M * K * 8 + K * N * 5) * WORD / SECTOR);
    expect_count(tile, HW_COUNT_SMEM_WAVEFRONTS, tile->counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
    expect_count(strip, HW_COUNT_GLD_SECTORS, (M * K * 2 + K * N * 5) * WORD / SECTOR);
    // The seed's half-warps store without conflicts; of a warp two lanes meet in a bank, 4 times a phase.
    expect_count(strip, HW_COUNT_SMEM_WAVEFRONTS,
                 strip->counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] + M / 16 * (N / 64) * (K / 16) * 2 * 4);
    hw_ladder_free(&ladder);
}

// The files predict these for other sizes: loads in proportion to m n k, stores to m n. Passes through the banks as if
// there were no conflicts, but where the file says so.
typedef struct prediction {
    const char *rung, *gpu, *dtype;
    uint64_t size[3], loads, load_sectors, stores, store_sectors, shared_loads, shared_passes, conflicts;
} prediction;

enum { NOT_SAID = 0 };
static const prediction predictions[] = {
    // 131072 loads of 16 sectors for 1024x1024x1024; four words of 16 bytes for each of 32 warps and 64 steps.
    {"register_tile", "sim:h200", "f32", {256, 256, 64}, 512, 512 * 16, 512, 512 * 16, 32 * 64 * 4, 32 * 64 * 12, 0},
    // Of A every second row of 80 bytes begins amid the 32 that are fetched for: 20 sectors.
    {"async", "sim:h200", "f32", {256, 256, 64}, 512, 256 * 16 + 256 * 20, 512, 512 * 16, 32 * 64 * 4, 32 * 64 * 12, 0},
    // 262144 copies of 4 sectors and 131072 of 16 for 1024x1024x1024; fragments of one step more are read.
    {"best", "sim:h200", "f32", {1024, 1024, 32}, 8192 + 4096, 8192 * 4 + 4096 * 16, 8192, 8192 * 16, 512 * 33 * 4,
     512 * 33 * 8, 0},
    // 262144 copies of 16 sectors for 1024x1024x1024.
    {"tensor", "sim:h200", "f32", {256, 256, 256}, 4096, 4096 * 16, 1024, 1024 * 8, NOT_SAID, NOT_SAID, 0},
    // Halves: A and B are read once for each of four tiles, 512 bytes a copy; pairs of sums go to 8 rows at a time.
    {"tensor", "sim:h200", "f16", {256, 256, 256}, 2048, 2048 * 16, 1024, 1024 * 8, NOT_SAID, NOT_SAID, 0},
    // 131072 loads and 8192 stores of 2 sectors for 512x512x512; half of the shared stores are A's, in two parts.
    {"best", "sim:v100", "f16", {128, 128, 64}, 1024, 1024 * 2, 512, 512 * 2, 32 * 64 * 8, 32 * 64 * 8, 512},
};

static void test_predictions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof predictions / sizeof predictions[0]; i++) {
        const prediction *p = &predictions[i];
        hw_device *device = open_device(p->gpu);
        hw_ladder ladder;
        run_matmul(device, p->rung, p->size, p->dtype, &ladder);
        const hw_ladder_row *row = row_of(&ladder, p->rung);
        expect_count(row, HW_COUNT_GLD_REQUESTS, p->loads);
        expect_count(row, HW_COUNT_GLD_SECTORS, p->load_sectors);
        expect_count(row, HW_COUNT_GST_REQUESTS, p->stores);
        expect_count(row, HW_COUNT_GST_SECTORS, p->store_sectors);
        if (p->shared_loads != NOT_SAID) expect_count(row, HW_COUNT_LDS_INST, p->shared_loads);
        if (p->shared_passes != NOT_SAID) expect_count(row, HW_COUNT_LDS_WAVEFRONTS, p->shared_passes);
        expect_count(row, HW_COUNT_SMEM_WAVEFRONTS, row->counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] + p->conflicts);
        if (!strcmp(p->rung, "async")) assert_true(row->facts[3] == 55296);
        hw_ladder_free(&ladder);
        hw_device_close(device);
    }
}

// Seed 001: tiles of 16 load 512 elements a phase for 8192 operations, tiles of 32 2048 for 65536, in 2 and 8 KB.
static void case_06_tiles_of_a_product(void **state) {
    const uint64_t size[3] = {64, 64, 64};
    const hw_family *family = hw_family_find("matmul");
    hw_ladder ladder;
    (void)state;
    run_matmul(h200, NULL, size, "f32", &ladder);
    const double *tile16 = row_of(&ladder, "tile16")->facts, *tile32 = row_of(&ladder, "tile32")->facts;
    static const double wanted[2][4] = {{512, 8192, 4, 2048}, {2048, 65536, 8, 8192}};
    static const char *const names[] = {"loads per tile", "flop per tile", "flop per byte", "shared bytes"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(family->fact_names[i], names[i]);
        assert_true(tile16[i] == wanted[0][i] && tile32[i] == wanted[1][i]);
    }
    assert_true(fabs(tile16[5] - 19.2) < 1e-9 && fabs(tile32[5] - 38.4) < 1e-9);
    hw_ladder_free(&ladder);
}

// Of doubles half as many operations a byte, and half the peak.
static void test_tiles_of_doubles(void **state) {
    const uint64_t size[3] = {64, 64, 64};
    hw_ladder ladder;
    (void)state;
    run_matmul(h200, NULL, size, "f64", &ladder);
    assert_true(fabs(row_of(&ladder, "tile16")->facts[5] - 9.6) < 1e-9);
    assert_true(fabs(row_of(&ladder, "register_tile")->facts[5] - 34) < 1e-9);
    assert_true(isnan(row_of(&ladder, "tensor")->facts[5]));
    hw_ladder_free(&ladder);
}

// ---- comparing ------------------------------------------------------------------------------------------------------

typedef struct mistake {
    uint64_t index;
    float by;
} mistake;

// Results that are right, by OpenBLAS, and then wrong in one element.
static void expect_seen(const uint64_t size[3], const mistake *mistakes, size_t n_mistakes) {
    const hw_family *family = hw_family_find("matmul");
    const hw_problem problem = {.size = {size[0], size[1], size[2]}, .dtype = {kDLFloat, 32, 1}};
    hw_work work;
    hw_verdict verdict;
    void *arrays[HW_PROBLEM_ARRAYS] = {NULL}, *result[HW_PROBLEM_ARRAYS];
    assert_int_equal(family->describe(&problem, &work, NULL), HW_OK);
    for (int i = 0; i < 3; i++) arrays[i] = calloc(1, work.arrays[i].bytes);
    family->fill(&problem, arrays);
    family->reference(&problem, arrays);
    float *got = malloc(work.arrays[2].bytes);
    memcpy(result, arrays, sizeof result);
    result[2] = got;
    assert_string_equal(family->cpu_rungs[1].name, "blas");
    assert_int_equal(family->cpu_rungs[1].native(&problem, result, NULL, 1, NULL), HW_OK);
    for (size_t i = 0; i <= n_mistakes; i++) {
        float before = 0;
        if (i) {
            before = got[mistakes[i - 1].index];
            got[mistakes[i - 1].index] = before + mistakes[i - 1].by;
        }
        family->compare(&problem, &family->rungs[0], arrays, 2, got, &verdict);
        if (verdict.right != !i || verdict.n_wrong != !!i) fail_msg("mistake %zu: %s", i, verdict.text);
        if (i) got[mistakes[i - 1].index] = before;
    }
    for (int i = 0; i < 3; i++) free(arrays[i]);
    free(got);
}

static void test_wrong_is_seen(void **state) {
    static const uint64_t small[3] = {40, 50, 60}, large[3] = {1300, 1300, 1300};
    static const mistake in_small[] = {{49, 1e-3f}, {1999, NAN}};
    // The last line, between lines, and what is no number there.
    static const mistake in_large[] = {{1300 * 1299 + 1, 0.02f}, {1300 * 31 + 33, 1}, {1300 * 31 + 33, NAN}};
    (void)state;
    expect_seen(small, in_small, 2);
    expect_seen(large, in_large, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_processor), cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_errors), RECORDED_TEST(test_counters), RECORDED_TEST(test_predictions),
        RECORDED_TEST(case_06_tiles_of_a_product),
        cmocka_unit_test(test_tiles_of_doubles),
        cmocka_unit_test(test_wrong_is_seen),
    };
    return cmocka_run_group_tests(tests, open_h200, close_h200);
}
