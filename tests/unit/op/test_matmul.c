// hw_matmul on the processors, on a simulated GPU and on a GPU where there is one: types, layouts, batches, alpha and
// beta, precisions, and what is refused. HW_TEST_DEVICE=cuda:0 runs it on that alone.
#include "matmul_check.h"

#include "base/alloc.h"
#include "op/matmul/matmul.h"

static bool is_cpu(const hw_device *device) { return hw_device_get_properties(device)->kind == HW_DEVICE_CPU; }

// Where a kernel more does not cost a second: each layout and alignment has its own, and a simulation's are compiled
// for it.
static void run_fast(const matmul_example *e) {
    for (int i = 0; i < n_devices; i++)
        if (!is_sim(devices[i])) matmul_run(devices[i], e);
}

// ---- Results --------------------------------------------------------------------------------------------------------

// Nothing, one, primes, and around the tiles.
static void test_sizes(void **state) {
    static const int64_t sizes[][3] = {{0, 5, 5},   {5, 0, 5},    {5, 7, 0},    {3, 3, 3},   {31, 33, 31}, {64, 64, 64},
                                       {65, 63, 17}, {129, 65, 33}, {1, 1, 1}, {1, 67, 13}, {67, 1, 13}, {130, 34, 66}};
    enum { EVERYWHERE = 7 };
    static const char *const types[] = {"f32", "f64", "f16", "bf16"};
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const int64_t *s = sizes[i];
            const matmul_example e = {.type = types[t], .m = s[0], .n = s[1], .k = s[2], .alpha = 1};
            if (i < EVERYWHERE && (strcmp(types[t], "f16") || s[0] == 65)) run_everywhere(&e);
            else run_fast(&e);
        }
}

// Every order of the three arrays, lines with and without gaps, from aligned and odd addresses.
static void test_layouts(void **state) {
    static const int gaps[][2] = {{0, 0}, {3, 0}, {4, 1}};
    static const char *const types[] = {"f32", "f64", "bf16"};
    (void)state;
    for (int t = 0; t < 3; t++)
        for (int order = 0; order < 8; order++)
            for (int g = 0; g < 3; g++) {
                const matmul_example e = {
                    .type = types[t], .m = 48, .n = 40, .k = 24, .gap = gaps[g][0], .offset = gaps[g][1], .alpha = -1.5,
                    .beta = 0.5, .by_columns = {order & 1, order >> 1 & 1, order >> 2 & 1}};
                // An order and its opposite have one kernel: that of the transposes.
                if (g == (order < 4 ? order : 7 - order) % 2 && (t != 1 || order == 0)) run_everywhere(&e);
                else run_fast(&e);
            }
}

static void test_scales(void **state) {
    static const double scales[][2] = {{1, 0}, {0, 0}, {0, 2}, {2.5, 1}, {-1, -0.5}, {1e-3, 1}};
    static const char *const types[] = {"f32", "bf16"};
    (void)state;
    for (int t = 0; t < 2; t++)
        for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++)
            for (int64_t k = 0; k <= 19; k += 19)
                run_everywhere(&(matmul_example){.type = types[t], .m = 33, .n = 35, .k = k, .alpha = scales[s][0],
                                                 .beta = scales[s][1]});
}

static void test_wider_results(void **state) {
    (void)state;
    for (int order = 0; order < 8; order++) {
        matmul_example e = {.type = order & 1 ? "f16" : "bf16", .out_type = "f32", .m = 37, .n = 50, .k = 70,
                            .alpha = 1, .beta = 1, .by_columns = {order & 1, order >> 1 & 1, order >> 2 & 1}};
        if (order < 2) run_everywhere(&e);
        else run_fast(&e);
    }
}

static void test_precisions(void **state) {
    static const int64_t sizes[][3] = {{1, 1, 1}, {33, 65, 31}, {64, 128, 64}};
    (void)state;
    for (int precision = HW_PRECISION_FP32; precision <= HW_PRECISION_BF16; precision++)
        for (int order = 0; order < 4; order++)
            for (int i = 0; i < 3; i++) {
                const matmul_example e = {.type = "f32", .m = sizes[i][0], .n = sizes[i][1], .k = sizes[i][2],
                                          .alpha = 1, .precision = (hw_precision)precision,
                                          .by_columns = {order & 1, order >> 1 & 1}};
                if (i == 1 && (order == 0 || order == 3)) run_everywhere(&e);
                else run_fast(&e);
            }
}

static void test_batches(void **state) {
    static const matmul_example all[] = {
        {.type = "f32", .m = 9, .n = 11, .k = 7, .alpha = 1, .n_batch = 1, .batch = {5}},
        {.type = "f32", .m = 9, .n = 11, .k = 7, .alpha = 1, .n_batch = 1, .batch = {0}},
        {.type = "f32", .m = 9, .n = 11, .k = 7, .alpha = 1, .n_batch = 1, .batch = {5}, .shared = {0, 1}},
        {.type = "f32", .m = 9, .n = 11, .k = 7, .alpha = 1, .n_batch = 1, .batch = {5}, .shared = {1, 0}, .gap = 2},
        {.type = "f64", .m = 9, .n = 11, .k = 7, .alpha = 1, .beta = 1, .n_batch = 2, .batch = {2, 3},
         .shared = {1, 2}},
        {.type = "f16", .m = 9, .n = 16, .k = 8, .alpha = 1, .n_batch = 3, .batch = {2, 3, 2}, .shared = {2, 5}},
        {.type = "f32", .m = 6, .n = 5, .k = 4, .alpha = 1, .n_batch = 3, .batch = {2, 3, 4}, .missing = {1, 2},
         .gap = 1},
        {.type = "f32", .m = 3, .n = 4, .k = 5, .alpha = 1, .n_batch = 6, .batch = {2, 3, 2, 2, 3, 2},
         .shared = {21, 42}},
        {.type = "bf16", .m = 8, .n = 8, .k = 8, .alpha = 1, .n_batch = 5, .batch = {2, 2, 2, 2, 2}, .shared = {10, 21},
         .by_columns = {false, true, true}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) run_everywhere(&all[i]);
}

// What the merging of batch axes makes of a call.
static void test_merging(void **state) {
    static const matmul_example stacked = {.type = "f32", .m = 8, .n = 4, .k = 6, .alpha = 1, .n_batch = 2,
                                           .batch = {3, 5}, .shared = {0, 3}};
    static const matmul_example apart = {.type = "f32", .m = 8, .n = 4, .k = 6, .alpha = 1, .n_batch = 2,
                                         .batch = {3, 5}};
    const matmul_example *both[] = {&stacked, &apart};
    (void)state;
    for (int i = 0; i < 2; i++) {
        matmul_array x[3];
        hw_matmul_job job;
        for (int which = 0; which < 3; which++) {
            matmul_lay_out(both[i], which, &x[which]);
            x[which].tensor.data = (void *)(uintptr_t)(0x100000 * (which + 1));
        }
        assert_int_equal(hw_matmul_make(1, &x[0].tensor, &x[1].tensor, 0, &x[2].tensor, HW_PRECISION_OF_TYPE, true,
                                        &job, NULL), HW_OK);
        assert_int_equal(job.product.m, i ? 8 : 8 * 15);
        assert_int_equal(job.product.n_batch_axes, i ? 1 : 0);
        assert_int_equal(job.n_outer, 0);
        if (i) assert_int_equal(job.product.batch[0], 15);
        assert_int_equal(job.product.a.align_bytes, 8);
        assert_int_equal(job.product.c.align_bytes, 16);
        for (int which = 0; which < 3; which++) free(x[which].host);
    }
}

// Large enough for several tiles in every direction, and parts of k.
static void test_larger(void **state) {
    static const matmul_example all[] = {
        {.type = "f32", .m = 260, .n = 200, .k = 96, .alpha = 1},
        {.type = "f32", .m = 20, .n = 24, .k = 2000, .alpha = 1, .beta = 1},
        {.type = "bf16", .m = 45, .n = 43, .k = 21, .gap = 3, .alpha = 1},   // lines that end within a copy
        {.type = "f32", .m = 30, .n = 29, .k = 21, .gap = 3, .alpha = 1, .precision = HW_PRECISION_TF32},
        {.type = "f64", .m = 514, .n = 528, .k = 16, .alpha = 1},
        {.type = "bf16", .m = 150, .n = 264, .k = 72, .alpha = 1},
        {.type = "f32", .m = 150, .n = 260, .k = 72, .alpha = 1, .precision = HW_PRECISION_TF32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) run_everywhere(&all[i]);
}

// The same bits every time.
static void test_repeats(void **state) {
    static const char *const types[] = {"f32", "bf16"};
    (void)state;
    for (int d = 0; d < n_devices; d++)
        for (int t = 0; t < 2; t++) {
            matmul_array x[3];
            matmul_example e = {.type = types[t], .m = 70, .n = 66, .k = 300, .alpha = 1};
            matmul_open(devices[d], &e, x);
            char *got[2] = {malloc(x[2].bytes), malloc(x[2].bytes)};
            for (int i = 0; i < 2; i++) {
                hw_stream *stream = hw_device_stream(devices[d]);
                assert_int_equal(hw_matmul(stream, 1, &x[0].tensor, &x[1].tensor, 0, &x[2].tensor, e.precision, NULL),
                                 HW_OK);
                assert_int_equal(hw_copy(stream, got[i], x[2].memory, x[2].bytes, NULL), 0);
                assert_int_equal(hw_stream_synchronize(stream, NULL), 0);
            }
            assert_memory_equal(got[0], got[1], x[2].bytes);
            free(got[0]);
            free(got[1]);
            matmul_close(devices[d], x);
        }
}

// A GPU before tensor cores has f16 and bf16, and no tf32.
static void test_old_gpu(void **state) {
    hw_device *old = open_device("sim:v100");
    hw_diag diag = {0};
    matmul_array x[3];
    (void)state;
    assert_non_null(old);
    matmul_run(old, &(matmul_example){.type = "f16", .m = 33, .n = 65, .k = 40, .alpha = 1, .beta = 1});
    matmul_run(old, &(matmul_example){.type = "bf16", .m = 70, .n = 30, .k = 40, .alpha = 1, .by_columns = {true, true},
                                      .n_batch = 1, .batch = {3}, .shared = {1, 0}});
    matmul_run(old, &(matmul_example){.type = "f32", .m = 33, .n = 65, .k = 40, .alpha = 1});
    matmul_example e = {.type = "f32", .m = 8, .n = 8, .k = 8, .alpha = 1, .precision = HW_PRECISION_TF32};
    matmul_open(old, &e, x);
    assert_int_equal(hw_matmul(hw_device_stream(old), 1, &x[0].tensor, &x[1].tensor, 0, &x[2].tensor, e.precision,
                               &diag), HW_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "tensor cores"));
    matmul_close(old, x);
    hw_device_close(old);
}

// ---- Refusals -------------------------------------------------------------------------------------------------------

typedef struct refusal {
    hw_status status;
    const char *words;
    void (*spoil)(matmul_array x[3]);
    hw_precision precision;
} refusal;

static void no_rank(matmul_array x[3]) { x[1].tensor.ndim = 1; }
static void other_k(matmul_array x[3]) { x[1].shape[0]--; }
static void other_rows(matmul_array x[3]) { x[2].shape[0]--; }
static void negative(matmul_array x[3]) { x[0].shape[0] = -1; }
static void other_type(matmul_array x[3]) { x[1].tensor.dtype.bits = 64; }
static void integers(matmul_array x[3]) { x[0].tensor.dtype.code = kDLInt; }
static void truths(matmul_array x[3]) { x[0].tensor.dtype = (DLDataType){6, 8, 1}; }
static void narrow_result(matmul_array x[3]) { x[2].tensor.dtype.bits = 16; }
static void no_data(matmul_array x[3]) { x[0].tensor.data = NULL; }
// Two rows of every second element: within the array's own memory, or where the other two lie would decide.
static void scattered(matmul_array x[3]) {
    x[0].shape[0] = x[2].shape[0] = 2;
    x[0].strides[0] = 16, x[0].strides[1] = 2;
}
static void backwards(matmul_array x[3]) { x[1].strides[0] = -8, x[1].tensor.byte_offset += 8 * 7 * 4; }
static void overlap(matmul_array x[3]) { x[2].tensor.data = x[0].tensor.data; }
static void folded(matmul_array x[3]) { x[2].strides[0] = 4; }
static void elsewhere(matmul_array x[3]) { x[1].tensor.device = (DLDevice){kDLROCM, 3}; }
static void unaligned(matmul_array x[3]) { x[1].tensor.byte_offset += 1; }
static void too_long(matmul_array x[3]) { x[0].shape[0] = x[2].shape[0] = (int64_t)1 << 31; }
static void as_it_was(matmul_array x[3]) { (void)x; }

static const refusal refusals[] = {
    {HW_USAGE, "rank 1", no_rank, 0},
    {HW_USAGE, "A has 8 columns and B 7 rows", other_k, 0},
    {HW_USAGE, "C is 7 x 8, and A B is 8 x 8", other_rows, 0},
    {HW_USAGE, "extent -1", negative, 0},
    {HW_UNSUPPORTED, "different types", other_type, 0},
    {HW_UNSUPPORTED, "different types", integers, 0},
    {HW_UNSUPPORTED, "f32, f64, f16 and bf16, i8 to i64", truths, 0},
    {HW_UNSUPPORTED, "C has not the type", narrow_result, 0},
    {HW_USAGE, "data of A", no_data, 0},
    {HW_UNSUPPORTED, "contiguous", scattered, 0},
    {HW_UNSUPPORTED, "backwards", backwards, 0},
    {HW_USAGE, "C and A share", overlap, 0},
    {HW_USAGE, "two of its elements share", folded, 0},
    {HW_USAGE, "DLPack type 10, number 3", elsewhere, 0},
    {HW_USAGE, "no multiple of its elements", unaligned, 0},
    {HW_UNSUPPORTED, "2^31", too_long, 0},
    {HW_USAGE, "fp64", as_it_was, HW_PRECISION_FP64},
    {HW_USAGE, "no precision", as_it_was, (hw_precision)17},
};

static void test_refusals(void **state) {
    const matmul_example e = {.type = "f32", .m = 8, .n = 8, .k = 8, .alpha = 1, .beta = 1};
    (void)state;
    for (int d = 0; d < n_devices; d++)
        for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
            const refusal *r = &refusals[i];
            matmul_array x[3];
            hw_diag diag = {0};
            matmul_open(devices[d], &e, x);
            r->spoil(x);
            hw_status status = hw_matmul(hw_device_stream(devices[d]), 1, &x[0].tensor, &x[1].tensor, 1, &x[2].tensor,
                                         r->precision, &diag);
            if (status != r->status || !strstr(diag.text, r->words))
                fail_msg("refusal %zu (%s): status %d, %s", i, r->words, status, diag.text);
            matmul_close(devices[d], x);
        }
}

// Of one and of many of everything: "1 batch".
static void test_grammar(void **state) {
    static const int64_t sizes[][4] = {{1, 1, 1, 1}, {17, 31, 13, 1}, {64, 64, 1, 3}, {100, 1, 5, 1},
                                       {256, 256, 256, 1}, {1000, 1000, 1000, 1}, {8192, 8192, 64, 1}};
    static const hw_precision precisions[] = {HW_PRECISION_OF_TYPE, HW_PRECISION_TF32};
    (void)state;
    for (int d = 0; d < n_devices; d++)
        for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
            const int64_t *s = sizes[i / 2];
            int64_t shapes[3][3] = {{s[3], s[0], s[2]}, {s[3], s[2], s[1]}, {s[3], s[0], s[1]}};
            DLTensor x[3];
            char text[4096];
            for (int k = 0; k < 3; k++)
                x[k] = (DLTensor){.device = hw_device_get_properties(devices[d])->dl, .ndim = 3,
                                  .dtype = {kDLFloat, 32, 1}, .shape = shapes[k]};
            assert_int_equal(hw_matmul_explain(devices[d], &x[0], &x[1], &x[2], precisions[i % 2], text, sizeof text,
                                               NULL), HW_OK);
            assert_non_null(strstr(text, s[3] == 1 ? ", 1 batch, " : ", 3 batches, "));
            expect_grammar(text);
        }
}

// What integers are refused for.
static void test_refused_integers(void **state) {
    static const struct {
        hw_status status;
        const char *words, *type, *out_type;
        double alpha, beta;
        hw_precision precision;
    } all[] = {
        {HW_UNSUPPORTED, "nor i32", "i8", "i16", 1, 0, 0},     {HW_UNSUPPORTED, "nor u32", "u16", "i32", 1, 0, 0},
        {HW_UNSUPPORTED, "type of A and B", "i32", "i64", 1, 0, 0}, {HW_UNSUPPORTED, "f32", "f16", "i32", 1, 0, 0},
        {HW_USAGE, "alpha is 0.5", "i32", NULL, 0.5, 0, 0},    {HW_USAGE, "beta is nan", "i64", NULL, 1, NAN, 0},
        {HW_USAGE, "alpha is 1e+300", "u8", NULL, 1e300, 0, 0},
        {HW_USAGE, "matrices of i8 have no products in fp32", "i8", NULL, 1, 0, HW_PRECISION_FP32},
    };
    (void)state;
    for (int d = 0; d < n_devices; d++)
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            const matmul_example e = {.type = all[i].type, .out_type = all[i].out_type, .m = 8, .n = 8, .k = 8};
            matmul_array x[3];
            hw_diag diag = {0};
            matmul_open(devices[d], &e, x);
            hw_status status = hw_matmul(hw_device_stream(devices[d]), all[i].alpha, &x[0].tensor, &x[1].tensor,
                                         all[i].beta, &x[2].tensor, all[i].precision, &diag);
            if (status != all[i].status || !strstr(diag.text, all[i].words))
                fail_msg("refusal %zu (%s): status %d, %s", i, all[i].words, status, diag.text);
            matmul_close(devices[d], x);
        }
}

static void test_nulls(void **state) {
    const matmul_example e = {.type = "f32", .m = 8, .n = 8, .k = 8, .alpha = 1};
    matmul_array x[3];
    char text[2048], tiny[8];
    (void)state;
    matmul_open(devices[0], &e, x);
    hw_stream *stream = hw_device_stream(devices[0]);
    DLTensor *a = &x[0].tensor, *b = &x[1].tensor, *c = &x[2].tensor;
    assert_int_equal(hw_matmul(NULL, 1, a, b, 0, c, 0, NULL), HW_USAGE);
    assert_int_equal(hw_matmul(stream, 1, NULL, b, 0, c, 0, NULL), HW_USAGE);
    assert_int_equal(hw_matmul(stream, 1, a, NULL, 0, c, 0, NULL), HW_USAGE);
    assert_int_equal(hw_matmul(stream, 1, a, b, 0, NULL, 0, NULL), HW_USAGE);
    assert_int_equal(hw_matmul_explain(NULL, a, b, c, 0, text, sizeof text, NULL), HW_USAGE);
    assert_int_equal(hw_matmul_explain(devices[0], a, b, c, 0, NULL, 0, NULL), HW_USAGE);
    assert_int_equal(hw_matmul_explain(devices[0], a, b, c, 0, tiny, sizeof tiny, NULL), HW_OK);
    assert_int_equal(strlen(tiny), 7);
    for (int d = 0; d < n_devices; d++) {
        DLTensor plain[3] = {*a, *b, *c};
        for (int i = 0; i < 3; i++) plain[i].data = NULL, plain[i].device = hw_device_get_properties(devices[d])->dl;
        assert_int_equal(hw_matmul_explain(devices[d], &plain[0], &plain[1], &plain[2], 0, text, sizeof text, NULL),
                         HW_OK);
        assert_non_null(strstr(text, is_cpu(devices[d]) ? "sgemm" : "kernel"));
    }
    matmul_close(devices[0], x);
}

// Every allocation fails once: no leak, no crash, and a status that says so; what C holds is as it was or right.
static void test_no_memory(void **state) {
    (void)state;
    for (int d = 0; d < n_devices; d++) {
        const matmul_example e = {.type = "bf16", .m = 40, .n = 33, .k = 50, .alpha = 1};
        matmul_array x[3];
        hw_status status = HW_NO_MEMORY;
        matmul_open(devices[d], &e, x);
        for (long allowed = 0; allowed < 200 && status; allowed++) {
            hw_diag diag = {0};
            hw_alloc_fail_after(allowed);
            status = hw_matmul(hw_device_stream(devices[d]), 1, &x[0].tensor, &x[1].tensor, 0, &x[2].tensor, 0, &diag);
            hw_alloc_fail_after(-1);
            if (status && (status != HW_NO_MEMORY || !diag.text[0])) fail_msg("status %d: %s", status, diag.text);
            if (is_sim(devices[d]) && allowed > 40) break;
        }
        matmul_close(devices[d], x);
        matmul_run(devices[d], &e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_layouts),    cmocka_unit_test(test_scales),
        cmocka_unit_test(test_wider_results), cmocka_unit_test(test_precisions), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_merging),   cmocka_unit_test(test_larger),     cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_old_gpu),   cmocka_unit_test(test_refusals),   cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_nulls), cmocka_unit_test(test_refused_integers),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
