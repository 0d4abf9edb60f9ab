// hw_matmul of integers, which is exact, on the processors, on a simulated GPU and on a GPU where there is one: types,
// sizes around tiles, layouts, batches, alpha and beta; and the processor's inner loops at every level.
// HW_TEST_DEVICE=cuda:0 runs it on that alone.
#include "matmul_check.h"

#include "op/matmul/cpu/integers.h"

static const char *const types[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"};
enum { N_TYPES = sizeof types / sizeof types[0] };

static void test_types(void **state) {
    (void)state;
    for (int t = 0; t < N_TYPES; t++) {
        matmul_example e = {.type = types[t], .m = 67, .n = 71, .k = 301, .gap = 3, .offset = 1, .alpha = 1};
        run_everywhere(&e);
        e.by_columns[0] = e.by_columns[2] = true;
        e.alpha = -3, e.beta = 2;
        run_everywhere(&e);
    }
}

// Sums of 32 bits of small elements.
static void test_wider_results(void **state) {
    static const char *const pairs[][2] = {{"i8", "i32"}, {"u8", "u32"}, {"i16", "i32"}, {"u16", "u32"}};
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int layout = 0; layout < 4; layout++) {
            const matmul_example e = {.type = pairs[t][0], .out_type = pairs[t][1], .m = 35, .n = 130, .k = 77,
                                      .by_columns = {layout & 1, layout >> 1}, .alpha = 1, .beta = layout == 3};
            run_everywhere(&e);
        }
}

// Nothing, one, primes, and around the tiles of kernels (64; of bytes 128) and of the processor (6 x 32, blocks of
// 192 x 256 and 256 steps).
static void test_sizes(void **state) {
    static const int64_t sizes[][3] = {{0, 5, 5},    {5, 0, 5},    {5, 5, 0},      {1, 1, 1},      {1, 64, 64},
                                       {63, 64, 65}, {64, 65, 63}, {65, 63, 64},   {7, 31, 15},    {6, 32, 16},
                                       {13, 33, 17}, {127, 129, 33}, {128, 128, 32}, {129, 127, 31}};
    static const int64_t large[][3] = {{191, 257, 255}, {193, 255, 257}, {385, 70, 513}, {5, 600, 1000}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int t = 0; t < N_TYPES; t += 2) {
            const matmul_example e = {.type = types[t], .m = sizes[i][0], .n = sizes[i][1], .k = sizes[i][2],
                                      .alpha = 1, .beta = 1};
            run_everywhere(&e);
        }
    for (size_t i = 0; i < 4 * sizeof large / sizeof large[0]; i++) {
        const int64_t *s = large[i / 4];
        const matmul_example e = {.type = types[2 * (i % 4)], .m = s[0], .n = s[1], .k = s[2],
                                  .by_columns = {i & 1, i & 1}, .alpha = 1};
        for (int d = 0; d < n_devices; d++)
            if (!is_sim(devices[d])) matmul_run(devices[d], &e);
    }
}

static void test_batches(void **state) {
    static const matmul_example all[] = {
        {.type = "i8", .m = 9, .n = 10, .k = 11, .alpha = 1, .n_batch = 1, .batch = {5}},
        {.type = "i32", .m = 9, .n = 10, .k = 11, .alpha = 1, .n_batch = 2, .batch = {3, 4}, .shared = {1, 2}},
        {.type = "i64", .m = 9, .n = 10, .k = 11, .alpha = 2, .beta = 1, .n_batch = 3, .batch = {2, 3, 2},
         .missing = {2, 0}},
        {.type = "u16", .m = 70, .n = 3, .k = 40, .alpha = 1, .n_batch = 6, .batch = {2, 2, 2, 2, 2, 2},
         .shared = {21, 42}, .by_columns = {true, false, true}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) run_everywhere(&all[i]);
}

// Any shapes and layouts.
static void test_random(void **state) {
    (void)state;
    for (int i = 0; i < 120; i++) {
        matmul_example e = {.type = types[below(N_TYPES)], .m = below(90), .n = below(90), .k = below(90),
                            .by_columns = {below(2), below(2), below(2)}, .gap = (int)below(3), .offset = (int)below(4),
                            .alpha = (double)below(5) - 2, .beta = (double)below(3) - 1, .n_batch = (int)below(3),
                            .batch = {1 + below(3), 1 + below(3)}, .shared = {below(4), below(4)}};
        for (int d = 0; d < n_devices; d++)
            if (!is_sim(devices[d]) || i % 8 == 0) matmul_run(devices[d], &e);
    }
}

// GPUs without dp4a: compute capability 6.0 and before.
static void test_old_gpus(void **state) {
    static const char *const names[] = {"sim:k40", "sim:v100"};
    (void)state;
    for (int i = 0; i < 2 && !getenv("HW_TEST_DEVICE"); i++) {
        hw_device *old = open_device(names[i]);
        for (int t = 0; t < N_TYPES; t += 6) {
            const matmul_example e = {.type = types[t], .m = 70, .n = 33, .k = 50, .alpha = 1, .beta = 1};
            matmul_run(old, &e);
        }
        hw_device_close(old);
    }
}

// Every level of instructions against a loop.
static void test_levels(void **state) {
    enum { DEPTH = 37 };
    (void)state;
    for (unsigned l = 0; hw_integer_level_at(l); l++)
        for (int way = 0; way < HW_INTEGER_WAYS; way++) {
            const hw_integer_level *level = hw_integer_level_at(l);
            static _Alignas(64) uint64_t a[HW_INTEGER_ROWS * DEPTH], b[64 * DEPTH], sums[HW_INTEGER_ROWS * 64];
            uint64_t wanted[HW_INTEGER_ROWS * 64];
            const uint32_t cols = level->cols[way];
            const bool is_wide = way == HW_INTEGER_WIDE;
            for (size_t i = 0; i < sizeof a / sizeof *a; i++) a[i] = random_bits();
            for (size_t i = 0; i < sizeof b / sizeof *b; i++) b[i] = random_bits();
            for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) sums[i] = random_bits();
            for (uint32_t i = 0; i < HW_INTEGER_ROWS * cols; i++) {
                const uint32_t *x = (const uint32_t *)a + i / cols, *y = (const uint32_t *)b + i % cols;
                uint64_t sum = is_wide ? sums[i] : ((const uint32_t *)sums)[i];
                for (uint32_t p = 0; p < DEPTH; p++) {
                    const uint32_t u = x[p * HW_INTEGER_ROWS], v = y[p * cols];
                    if (is_wide) sum += a[i / cols + p * HW_INTEGER_ROWS] * b[i % cols + p * cols];
                    else if (way == HW_INTEGER_NARROW) sum += (uint64_t)u * v;
                    else sum += (uint64_t)((int64_t)(int16_t)u * (int16_t)v +
                                           (int64_t)(int16_t)(u >> 16) * (int16_t)(v >> 16));
                }
                wanted[i] = sum;
            }
            level->tile[way](a, b, DEPTH, sums);
            for (uint32_t i = 0; i < HW_INTEGER_ROWS * cols; i++)
                if (is_wide ? sums[i] != wanted[i] : ((const uint32_t *)sums)[i] != (uint32_t)wanted[i])
                    fail_msg("%s, way %d: sum %u is wrong", level->name, way, i);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),  cmocka_unit_test(test_wider_results), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_batches), cmocka_unit_test(test_random),       cmocka_unit_test(test_old_gpus),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
