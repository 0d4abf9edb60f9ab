// The ladder of nearest neighbours: every rung right at every kind of size, and its counters as its file predicts.
#include <math.h>

#include "ladder_test.h"
#include "recorded_kernels.h"
#include "op/nearest/nearest_plan.h"

static hw_device *cpu;

static int setup(void **state) {
    cpu = open_device("cpu");
    return open_h200(state);
}

static int teardown(void **state) {
    hw_device_close(cpu);
    return close_h200(state);
}

// ---- Results --------------------------------------------------------------------------------------------------------

static void expect_rungs(hw_device *device, uint64_t n, uint64_t dims, uint64_t k, const char *dtype) {
    hw_ladder_options options = {.family = hw_family_find("nearest"), .problem = {.size = {n, dims, k}}};
    hw_ladder ladder;
    assert_true(hw_dtype_find(dtype, &options.problem.dtype));
    run_ladder(device, &options, &ladder);
    assert_int_equal(ladder.n_rows, device == cpu ? options.family->n_cpu_rungs : options.family->n_rungs);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const hw_ladder_row *row = &ladder.rows[i];
        if (row->status == HW_USAGE && row->rung->limit && k != 1) continue;
        if (row->status || !row->verdict.right)
            fail_msg("%s, %s %dx%d, k %d: %s%s", row->rung->name, dtype, (int)n, (int)dims, (int)k, row->text,
                     row->verdict.text);
    }
    hw_ladder_free(&ladder);
}

static void rungs(void **state) {
    static const uint64_t n[] = {0, 1, 2, 127, 128, 129, 513, 1025};
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) expect_rungs(h200, n[i], 3, 1, "f32");
    expect_rungs(h200, 331, 7, 1, "f64");
    expect_rungs(h200, 331, 2, 5, "f32");
    expect_rungs(cpu, 331, 3, 1, "f32");
    expect_rungs(cpu, 331, 3, 8, "f64");
}

// What the ladder cannot do is refused before anything is allocated.
static void sizes_are_checked(void **state) {
    static const uint64_t wrong[][3] = {{10, 0, 1}, {10, 17, 1}, {10, 3, 0}, {10, 3, 129}, {(uint64_t)1 << 31, 3, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        hw_ladder_options options = {.family = hw_family_find("nearest")};
        hw_ladder ladder;
        hw_diag diag = {0};
        memcpy(options.problem.size, wrong[i], sizeof wrong[i]);
        assert_true(hw_dtype_find("f32", &options.problem.dtype));
        assert_int_equal(hw_ladder_run(h200, NULL, &options, &ladder, &diag), HW_USAGE);
        hw_ladder_free(&ladder);
    }
}

// ---- What the files predict -----------------------------------------------------------------------------------------

// Of instructions, which compilers choose.
static void expect_about(const char *what, double got, double least, double most) {
    if (!(got >= least && got <= most)) fail_msg("%s: %g, not %g to %g", what, got, least, most);
}

// Of the warps of so many points: each has its own point to load (3 requests of 12 sectors) and its result to store.
static void first_rungs(void **state) {
    enum { N = 512, WARPS = N / 32, BLOCKS = N / 128 };
    static const struct {
        const char *rung;
        struct {
            hw_counter counter;
            uint64_t count;
        } of[5];
    } rows[] = {
        {"global", {{HW_COUNT_GLD_REQUESTS, 3 * WARPS * (N + 1)}, {HW_COUNT_GLD_SECTORS, 3 * WARPS * (N + 12)},
                    {HW_COUNT_GST_SECTORS, N * 12 / 32}, {HW_COUNT_LDS_INST, 0}, {HW_COUNT_BARRIERS, 0}}},
        // Four points' twelve words are three loads of 16 bytes.
        {"blocks", {{HW_COUNT_GLD_REQUESTS, 3 * WARPS * (BLOCKS + 1)},
                    {HW_COUNT_GLD_SECTORS, 36 * WARPS * (BLOCKS + 1)}, {HW_COUNT_LDS_INST, WARPS * N * 3 / 4},
                    {HW_COUNT_STS_INST, 3 * BLOCKS * WARPS}, {HW_COUNT_STS_WAVEFRONTS, 3 * BLOCKS * WARPS}}},
        {"padded", {{HW_COUNT_GLD_SECTORS, 36 * WARPS * (BLOCKS + 1)}, {HW_COUNT_LDS_INST, WARPS * N},
                    {HW_COUNT_STS_INST, BLOCKS * WARPS}, {HW_COUNT_STS_WAVEFRONTS, 4 * BLOCKS * WARPS},
                    {HW_COUNT_GST_SECTORS, N * 12 / 32}}},
        {"queries", {{HW_COUNT_GLD_SECTORS, 36 * WARPS * (BLOCKS / 2 + 1)}, {HW_COUNT_LDS_INST, WARPS * N / 2},
                     {HW_COUNT_STS_WAVEFRONTS, 4 * BLOCKS * WARPS / 2}, {HW_COUNT_GST_SECTORS, N * 12 / 32},
                     {HW_COUNT_BARRIERS, 2 * BLOCKS * WARPS / 2}}},
    };
    const hw_ladder_options options = {.family = hw_family_find("nearest"),
                                       .problem = {.size = {N, 3, 1}, .dtype = {kDLFloat, 32, 1}}};
    hw_ladder ladder;
    (void)state;
    run_ladder(h200, &options, &ladder);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        assert_string_equal(ladder.rows[r].rung->name, rows[r].rung);
        for (size_t c = 0; c < sizeof rows[r].of / sizeof rows[r].of[0]; c++)
            expect_count(&ladder.rows[r], rows[r].of[c].counter, rows[r].of[c].count);
    }
    hw_ladder_free(&ladder);
}

// ---- and the kernels of hw_nearest, as it launches them for many points ----

// Which of them are launched, and how: as 80_brute.cu and 82_select.cu are for 100,000 points, of which none is left
// out as a query's own; or the first launches of the search.
typedef struct launched {
    hw_nearest_method method;
    double radius;
    uint32_t n_launches;   // of the search
} launched;
static launched asked;

static hw_status plan_asked(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    static const int here[HW_NEAREST_ARRAYS] = {   // the arrays of the family
        [HW_NEAREST_POINTS] = 0, [HW_NEAREST_QUERIES] = 0, [HW_NEAREST_INDICES] = 1, [HW_NEAREST_DISTANCES] = 2,
        [HW_NEAREST_SCRATCH] = 3};
    const hw_point_rows rows = {NULL, problem->size[0], (int64_t)problem->size[1], 1};
    const hw_neighbours p = {.dims = (uint32_t)problem->size[1], .k = (uint32_t)problem->size[2],
                             .self = asked.method == HW_NEAREST_SEARCH, .radius_squared = asked.radius,
                             .method = asked.method, .points = rows, .queries = rows};
    hw_nearest_plan nearest;
    (void)rung, (void)block, (void)diag;
    hw_nearest_plan_make(&p, device, &nearest);
    if (asked.method == HW_NEAREST_BRUTE) {
        nearest.queries = nearest.selects ? 4 : 8;
        nearest.tile = 512;
        nearest.parts = 1;
        nearest.part_points = (uint32_t)p.points.count;
    }
    hw_nearest_plan_launch(&p, &nearest, plan);
    if (asked.method == HW_NEAREST_BRUTE) plan->launches[0] = plan->launches[plan->n_launches - 1];   // not the check
    plan->n_launches = asked.method == HW_NEAREST_BRUTE ? 1 : asked.n_launches;
    for (uint32_t l = 0; l < plan->n_launches; l++)
        for (uint32_t i = 0; i < plan->launches[l].n_params; i++) {
            hw_plan_param *param = &plan->launches[l].params[i];
            if (param->array >= 0) param->array = here[param->array];
        }
    return HW_OK;
}

// The counters of n points in space, f32. Results are other than the ladder's where a query finds itself.
static void count(launched what, uint64_t n, uint64_t k, uint64_t counts[HW_COUNTERS]) {
    hw_family family = *hw_family_find("nearest");
    const hw_rung rung = {.name = "asked", .plan = plan_asked};
    hw_ladder ladder;
    family.rungs = &rung;
    family.n_rungs = 1;
    asked = what;
    const hw_ladder_options options = {.family = &family, .problem = {.size = {n, 3, k}, .dtype = {kDLFloat, 32, 1}}};
    run_ladder(h200, &options, &ladder);
    if (ladder.rows[0].status || !ladder.rows[0].has_counts) fail_msg("%s", ladder.rows[0].text);
    memcpy(counts, ladder.rows[0].counts, sizeof ladder.rows[0].counts);
    hw_ladder_free(&ladder);
}

// What a block takes for one tile, from two sizes: n points are n / per_block blocks, of as many tiles as n has.
static double per_tile(const uint64_t small[HW_COUNTERS], const uint64_t large[HW_COUNTERS], uint64_t n,
                       double blocks) {
    const double one = (double)small[HW_COUNT_INST] / blocks, other = (double)large[HW_COUNT_INST] / (2 * blocks);
    return (other - one) / ((double)n / 512);
}

static void every_pair(void **state) {
    enum { N = 1024, PAIRS = N * N / 32 };   // of a warp
    const launched brute = {.method = HW_NEAREST_BRUTE, .radius = INFINITY};
    uint64_t small[HW_COUNTERS], large[HW_COUNTERS];
    (void)state;
    count(brute, N, 1, small);
    count(brute, 2 * N, 1, large);
    expect_counter("80_brute.cu", small, HW_COUNT_LDS_INST, PAIRS / 8);
    expect_counter("80_brute.cu", large, HW_COUNT_LDS_INST, 4 * PAIRS / 8);
    expect_about("instructions of 80_brute.cu for a pair", per_tile(small, large, N, N / 1024.0) / (512 * 8 * 4), 7,
                 7.6);
}

static void every_pair_of_many_neighbours(void **state) {
    enum { N = 512, K = 30, PAIRS = N * N / 32 };
    const launched none = {.method = HW_NEAREST_BRUTE, .radius = 1e-30}, all = {HW_NEAREST_BRUTE, INFINITY, 0};
    uint64_t small[HW_COUNTERS], large[HW_COUNTERS], found[HW_COUNTERS];
    (void)state;
    count(none, N, K, small);
    count(none, 2 * N, K, large);
    count(all, N, K, found);
    expect_counter("82_select.cu", small, HW_COUNT_LDS_INST, PAIRS / 4);
    expect_counter("82_select.cu", found, HW_COUNT_LDS_INST, PAIRS / 4);
    expect_about("instructions of 82_select.cu for 32 pairs", per_tile(small, large, N, N / 32.0) / (512 / 32 * 32), 14,
                 16);
    // The first K points are put in their place, and of the others the i-th with the probability K / i.
    const double insertions = N * K * (1 + log((double)N / K));
    expect_about("instructions of 82_select.cu for an insertion",
                 (double)(found[HW_COUNT_INST] - small[HW_COUNT_INST]) / insertions, 32, 44);
}

// Barriers of the GPU are two of each block; a tile has four more, a pass of the sort three, the beginning two.
static void index_and_search(void **state) {
    static const struct {
        uint64_t n, blocks, passes, levels;
    } sizes[] = {{1024, 1, 3, 1}, {4096, 1, 3, 2}, {8192, 2, 4, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        enum { WARPS = 512 / 32 };
        const uint64_t n = sizes[i].n, all = 4 + 3 * sizes[i].passes + sizes[i].levels - 1;   // barriers of the GPU
        uint64_t index[HW_COUNTERS], both[HW_COUNTERS];
        count((launched){HW_NEAREST_SEARCH, INFINITY, 1}, n, 1, index);
        expect_counter("90_index.cu", index, HW_COUNT_BARRIERS,
                     (2 * all + 2 + (3 + 4) * sizes[i].passes) * WARPS * sizes[i].blocks);
        if (n != 4096) continue;
        count((launched){HW_NEAREST_SEARCH, INFINITY, 2}, n, 1, both);
        expect_about("instructions of 92_search.cu for a query",
                     (double)(both[HW_COUNT_INST] - index[HW_COUNT_INST]) / (double)n, 360, 430);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rungs),
        cmocka_unit_test(sizes_are_checked),
        RECORDED_TEST(first_rungs),
        RECORDED_TEST(every_pair),
        RECORDED_TEST(every_pair_of_many_neighbours),
        RECORDED_TEST(index_and_search),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
