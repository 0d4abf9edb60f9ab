// The choice between every pair and the search, and what the kernels are given: a pure function, looked at from
// outside.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "op/nearest/nearest_plan.h"

static const hw_device_properties h200 = {.kind = HW_DEVICE_CUDA, .cc = 90, .multiprocessors = 132,
                                          .shared_bytes = 227 << 10};

static hw_neighbours problem_of(uint64_t n, uint64_t q, uint32_t dims, uint32_t k, hw_nearest_method method) {
    const hw_point_rows points = {NULL, n, dims, 1}, queries = {NULL, q ? q : n, dims, 1};
    return (hw_neighbours){.dims = dims, .k = k, .self = !q, .radius_squared = INFINITY, .method = method,
                           .points = points, .queries = queries};
}

static hw_nearest_plan plan_of(uint64_t n, uint64_t q, uint32_t dims, uint32_t k, hw_nearest_method method) {
    const hw_neighbours p = problem_of(n, q, dims, k, method);
    hw_nearest_plan plan;
    hw_nearest_plan_make(&p, &h200, &plan);
    return plan;
}

static void chooses_by_size(void **state) {
    (void)state;
    assert_int_equal(plan_of(1000, 0, 3, 1, HW_NEAREST_AUTO).method, HW_NEAREST_BRUTE);
    assert_int_equal(plan_of(1000000, 0, 3, 1, HW_NEAREST_AUTO).method, HW_NEAREST_SEARCH);
    assert_int_equal(plan_of(1000000, 1, 3, 1, HW_NEAREST_AUTO).method, HW_NEAREST_BRUTE);
    assert_int_equal(plan_of(5000, 0, 16, 1, HW_NEAREST_AUTO).method, HW_NEAREST_BRUTE);
    assert_int_equal(plan_of(100000, 0, 16, 1, HW_NEAREST_AUTO).method, HW_NEAREST_SEARCH);
}

static void does_what_is_asked(void **state) {
    (void)state;
    assert_int_equal(plan_of(1000000, 0, 3, 1, HW_NEAREST_BRUTE).method, HW_NEAREST_BRUTE);
    assert_int_equal(plan_of(10, 0, 16, 1, HW_NEAREST_SEARCH).method, HW_NEAREST_SEARCH);
    assert_int_equal(plan_of(0, 10, 3, 1, HW_NEAREST_SEARCH).method, HW_NEAREST_BRUTE);   // there is nothing to sort
    const hw_device_properties old = {.kind = HW_DEVICE_SIM, .cc = 52, .multiprocessors = 24, .shared_bytes = 48 << 10};
    const hw_neighbours p = problem_of(1000000, 0, 3, 1, HW_NEAREST_SEARCH);
    hw_nearest_plan plan;
    hw_nearest_plan_make(&p, &old, &plan);   // no cooperative launches
    assert_int_equal(plan.method, HW_NEAREST_BRUTE);
}

// A block of a GPU before 2.0 has 16 KiB of shared memory, and the launch takes some of it.
static void tiles_fit_shared_memory(void **state) {
    const hw_device_properties gtx280 = {.kind = HW_DEVICE_SIM, .cc = 13, .multiprocessors = 30,
                                         .shared_bytes = 16 << 10};
    (void)state;
    for (uint32_t dims = 1; dims <= 16; dims++)
        for (int i = 0; i < 8; i++) {
            hw_neighbours p = problem_of(i & 1 ? 300 : 1000000, 0, dims, i & 2 ? 8 : 1, HW_NEAREST_BRUTE);
            hw_nearest_plan plan, wide;
            p.is_f64 = i & 4;
            hw_nearest_plan_make(&p, &gtx280, &plan);
            hw_nearest_plan_make(&p, &h200, &wide);
            assert_true(plan.tile % 32 == 0 && plan.tile <= wide.tile);
            assert_true(plan.tile * ((dims * (p.is_f64 ? 8 : 4) + 15) / 16 * 16) <= (16 << 10) - 16 - 128);
            assert_true(wide.tile >= 128);
        }
}

// All points are in exactly one part, and parts end where tiles do.
static void parts_cover_the_points(void **state) {
    static const uint64_t n[] = {1, 511, 512, 513, 2048, 4097, 100000, 2147483647};
    static const uint64_t q[] = {1, 2, 127, 129, 5000, 100000};
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++)
        for (size_t j = 0; j < sizeof q / sizeof q[0]; j++)
            for (uint32_t k = 1; k <= 128; k += 127) {
                const hw_nearest_plan plan = plan_of(n[i], q[j], 3, k, HW_NEAREST_BRUTE);
                assert_true(plan.parts >= 1 && plan.parts <= 65535);
                assert_true((uint64_t)plan.parts * plan.part_points >= n[i]);
                assert_true((uint64_t)(plan.parts - 1) * plan.part_points < n[i]);
                assert_true(plan.parts == 1 || plan.part_points % plan.tile == 0);
                assert_true((uint64_t)plan.parts * plan.part_points < UINT32_MAX);   // the kernels count with 32 bits
                assert_true(plan.scratch_bytes >= HW_NEAREST_FINDINGS_BYTES +
                            (plan.parts > 1 ? plan.parts * q[j] * k * 8 : 0));
            }
}

typedef struct piece {
    uint64_t at, bytes;
} piece;

static void expect_apart(const piece *pieces, int n, uint64_t end) {
    for (int i = 0; i < n; i++) {
        if (!pieces[i].bytes) continue;
        assert_int_equal(pieces[i].at % 256, 0);
        assert_true(pieces[i].at >= HW_NEAREST_FINDINGS_BYTES && pieces[i].at + pieces[i].bytes <= end);
        for (int j = 0; j < i; j++)
            if (pieces[j].bytes)
                assert_true(pieces[i].at + pieces[i].bytes <= pieces[j].at ||
                            pieces[j].at + pieces[j].bytes <= pieces[i].at);
    }
}

// Levels shrink by 32 up to one node; nothing in the scratch memory overlaps but what may.
static void index_is_laid_out(void **state) {
    static const uint64_t n[] = {1, 2, 31, 32, 33, 1023, 1024, 1025, 32769, 1000000, 33554433, 2147483647};
    static const uint32_t dims[] = {1, 2, 3, 7, 16};
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++)
        for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++)
            for (uint64_t q = 0; q <= 5000; q += 5000) {
                const hw_nearest_plan plan = plan_of(n[i], q, dims[d], 4, HW_NEAREST_SEARCH);
                const hw_nearest_index *at = &plan.index;
                const uint64_t rows = q > n[i] ? q : n[i];
                uint64_t boxes = 0, below = n[i];
                assert_true(plan.n_levels >= 1 && plan.n_levels <= HW_NEAREST_LEVELS);
                for (uint32_t l = 0; l < plan.n_levels; l++) {
                    assert_int_equal(at->level_first[l], boxes);
                    assert_int_equal(at->level_count[l], (below + 31) / 32);
                    below = at->level_count[l];
                    boxes += below;
                }
                assert_true(below <= 32);
                assert_true(at->first_bits >= dims[d] && at->first_bits <= 64);
                assert_true(plan.build_blocks >= 1 && plan.build_blocks <= 264);
                uint64_t pitch = dims[d] * 4 <= 8 ? dims[d] * 4 : (dims[d] * 4 + 15) / 16 * 16;
                const piece pieces[] = {
                    {at->bounds, 8 * 2 * 16}, {at->counts, 2 * 256 * 4 * (uint64_t)(plan.build_blocks + 1)},
                    {at->order, 4 * n[i]}, {at->query_order, plan.sorts_queries ? 4 * q : 0},
                    {at->boxes, 2 * boxes * pitch}, {at->box_index, 4 * boxes}, {at->values[0], 4 * rows},
                    {at->values[1], 4 * rows}, {at->keys[0], 8 * rows}, {at->keys[1], 8 * rows}};
                expect_apart(pieces, sizeof pieces / sizeof pieces[0], plan.scratch_bytes);
                // The points lie over the keys and over nothing else.
                assert_int_equal(at->points, at->keys[0]);
                assert_true(at->points + n[i] * pitch <= plan.scratch_bytes);
                // Of runs there are fewer than leaves, and their bounds lie where the boxes will.
                assert_true(n[i] / 33 <= at->level_count[0]);
                assert_int_equal(at->slots, at->order);
            }
}

static void launches(void **state) {
    hw_plan plan;
    (void)state;
    hw_neighbours p = problem_of(100000, 0, 3, 1, HW_NEAREST_BRUTE);
    hw_nearest_plan made = plan_of(100000, 0, 3, 1, HW_NEAREST_BRUTE);
    hw_nearest_plan_launch(&p, &made, &plan);
    assert_int_equal(plan.n_launches, 3);
    assert_string_equal(plan.launches[1].function, "nearest_brute");
    assert_int_equal(plan.launches[1].grid[1], made.parts);
    p = problem_of(100000, 5, 3, 7, HW_NEAREST_SEARCH);
    made = plan_of(100000, 5, 3, 7, HW_NEAREST_SEARCH);
    hw_nearest_plan_launch(&p, &made, &plan);
    assert_int_equal(plan.n_launches, 2);
    assert_true(plan.launches[0].cooperative);
    assert_false(made.sorts_queries);
    assert_true(plan_of(100000, 5000, 3, 7, HW_NEAREST_SEARCH).sorts_queries);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_by_size),        cmocka_unit_test(does_what_is_asked),
        cmocka_unit_test(tiles_fit_shared_memory),
        cmocka_unit_test(parts_cover_the_points), cmocka_unit_test(index_is_laid_out),
        cmocka_unit_test(launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
