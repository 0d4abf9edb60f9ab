// The laboratory of access patterns: every rung right at every kind of size on strict, relaxed and new GPUs, its
// counters as its file predicts; results that are wrong are seen, whether an element is, or one too many or too few is
// written; and what sweeps refuse.
#include "ladder/sweep.h"
#include "ladder_test.h"
#include "model/time.h"
#include "op_test.h"

static void run_access(hw_device *device, const hw_family *family, uint64_t elements, uint64_t step,
                       hw_ladder *ladder) {
    const hw_ladder_options options = {.family = family, .problem = {{elements, step}, {kDLUInt, 32, 1}}};
    run_ladder(device, &options, ladder);
}

// ---- Every size -----------------------------------------------------------------------------------------------------

static void expect_right(hw_device *device, uint64_t elements, uint64_t step) {
    hw_ladder ladder;
    run_access(device, hw_family_find("access"), elements, step, &ladder);
    assert_int_equal(ladder.n_rows, 28);
    for (size_t i = 0; i < ladder.n_rows; i++)
        if (ladder.rows[i].status || !ladder.rows[i].verdict.right)
            fail_msg("%s, %d elements, step %d: %s%s", ladder.rows[i].rung->name, (int)elements, (int)step,
                     ladder.rows[i].text, ladder.rows[i].verdict.text);
    hw_ladder_free(&ladder);
}

// Nothing, one, primes, around blocks of 256 and 512 elements; steps past the 1024 words in shared memory.
static void sizes(void **state) {
    static const uint64_t all[][2] = {{0, 0}, {0, 7}, {1, 0}, {1, 1}, {3, 1024}, {31, 2}, {33, 5}, {255, 33}, {256, 32},
                                      {257, 31}, {511, 3}, {512, 16}, {513, 17}, {1021, 257}, {1024, 0}, {4099, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) expect_right(h200, all[i][0], all[i][1]);
}

static void older_gpus(void **state) {
    static const char *const gpus[] = {"sim:8800gtx", "sim:c1060", "sim:k40", "sim:p100"};
    (void)state;
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        hw_device *device = open_device(gpus[i]);
        expect_right(device, 1021, 3);
        hw_device_close(device);
    }
}

// On a GPU, where there is one.
static void real_gpu(void **state) {
    const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
    hw_device *device = NULL;
    (void)state;
    if (hw_device_open("cuda:0", &options, &device, NULL)) skip();
    expect_right(device, 1021, 3);
    expect_right(device, 1 << 20, 17);
    hw_device_close(device);
}

// ---- What the files predict -----------------------------------------------------------------------------------------

typedef struct prediction {
    const char *rung;
    uint64_t loads, load_sectors, store_sectors, shared_stores, store_passes, shared_loads, load_passes;
} prediction;

// An H200, 65536 elements, step 2.
static const prediction predictions[] = {
    {"copy", 2048, 8192, 8192, 0, 0, 0, 0},
    {"offset", 2048, 10240, 10240, 0, 0, 0, 0},
    {"stride", 2048, 16384, 16384, 0, 0, 0, 0},
    {"permuted", 2048, 8192, 8192, 0, 0, 0, 0},
    {"idle", 2048, 8192, 8192, 0, 0, 0, 0},
    {"words_1", 8192, 8192, 8192, 0, 0, 0, 0},
    {"words_2", 4096, 8192, 8192, 0, 0, 0, 0},
    {"words_4", 2048, 8192, 8192, 0, 0, 0, 0},
    {"words_8", 1024, 8192, 8192, 0, 0, 0, 0},
    {"words_16", 512, 8192, 8192, 0, 0, 0, 0},
    {"bank_stride", 2048, 8192, 8192, 8192, 8192, 2048, 4096},
    {"bank_char", 2048, 8192, 8192, 2048, 2048, 2048, 2048},
    {"bank_char_4", 2048, 8192, 8192, 2048, 2048, 2048, 2048},
    {"bank_short", 2048, 8192, 8192, 2048, 2048, 2048, 2048},
    {"bank_double", 2048, 8192, 8192, 2048, 4096, 2048, 4096},
    {"bank_halves", 2048, 8192, 8192, 4096, 4096, 4096, 4096},
    {"bank_three", 2048, 8192, 8192, 6144, 6144, 6144, 6144},
    {"bank_two", 2048, 8192, 8192, 2048, 4096, 2048, 4096},
    {"bank_mixed", 2048, 8192, 8192, 4096, 8192, 4096, 8192},
    {"bank_vector", 2048, 8192, 8192, 2048, 8192, 2048, 8192},
    {"broadcast", 2048, 8192, 8192, 2048, 2048, 2048, 2048},
    {"broadcast_4", 2048, 8192, 8192, 2048, 2048, 2048, 2048},
    {"broadcast_bank", 2048, 8192, 8192, 2048, 2048, 2048, 8192},
    {"constant", 2048, 8192, 8192, 0, 0, 0, 0},
    {"constant_lanes", 2048, 8192, 8192, 0, 0, 0, 0},
    {"branch_lanes", 2048, 8192, 8192, 0, 0, 0, 0},
    {"branch_warps", 2048, 8192, 8192, 0, 0, 0, 0},
};

static void expect_prediction(const prediction *p, const hw_ladder_row *row) {
    expect_count(row, HW_COUNT_GLD_REQUESTS, p->loads);
    expect_count(row, HW_COUNT_GLD_SECTORS, p->load_sectors);
    expect_count(row, HW_COUNT_GST_SECTORS, p->store_sectors);
    expect_count(row, HW_COUNT_STS_INST, p->shared_stores);
    expect_count(row, HW_COUNT_STS_WAVEFRONTS, p->store_passes);
    expect_count(row, HW_COUNT_LDS_INST, p->shared_loads);
    expect_count(row, HW_COUNT_LDS_WAVEFRONTS, p->load_passes);
}

static void counters(void **state) {
    enum { N = sizeof predictions / sizeof predictions[0], WARPS = 2048 };
    hw_ladder ladder;
    (void)state;
    run_access(h200, hw_family_find("access"), 65536, 2, &ladder);
    assert_int_equal(ladder.n_rows, N + 1);
    for (size_t i = 0; i < N; i++) {
        assert_string_equal(ladder.rows[i].rung->name, predictions[i].rung);
        expect_prediction(&predictions[i], &ladder.rows[i]);
    }
    expect_count(&ladder.rows[N - 4], HW_COUNT_CONST_PASSES, WARPS);
    expect_count(&ladder.rows[N - 3], HW_COUNT_CONST_PASSES, 32 * WARPS);
    expect_count(&ladder.rows[N - 2], HW_COUNT_BRANCHES_DIVERGENT, WARPS);
    expect_count(&ladder.rows[N - 2], HW_COUNT_BRANCHES, 3 * WARPS);
    expect_count(&ladder.rows[N - 1], HW_COUNT_BRANCHES_DIVERGENT, 0);
    expect_count(&ladder.rows[N], HW_COUNT_GLD_SECTORS, 8192);
    expect_count(&ladder.rows[N], HW_COUNT_SMEM_WAVEFRONTS, ladder.rows[N].counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
    hw_ladder_free(&ladder);
}

// ---- What is wrong is seen ------------------------------------------------------------------------------------------

static const hw_rung *rung_of(const char *name) {
    const hw_family *family = hw_family_find("access");
    for (size_t i = 0; i < family->n_rungs; i++)
        if (!strcmp(family->rungs[i].name, name)) return &family->rungs[i];
    fail_msg("no rung %s", name);
    return NULL;
}

// The kernel of one rung in the place of another.
static void expect_wrong(const char *name, const char *kernel, uint64_t elements, uint64_t n_wrong, const char *text) {
    hw_family family = *hw_family_find("access");
    hw_rung rung = *rung_of(name);
    hw_ladder ladder;
    rung.file = rung_of(kernel)->file;
    rung.kernel = rung_of(kernel)->kernel;
    family.rungs = &rung;
    family.n_rungs = 1;
    run_access(h200, &family, elements, 3, &ladder);
    assert_int_equal(ladder.n_rows, 1);
    const hw_ladder_row *row = &ladder.rows[0];
    if (row->status || row->verdict.right || row->verdict.n_wrong != n_wrong || !strstr(row->verdict.text, text))
        fail_msg("%s by %s: %d %s, %d are wrong", name, kernel, row->status, row->verdict.text,
                 (int)row->verdict.n_wrong);
    hw_ladder_free(&ladder);
}

static void wrong_is_seen(void **state) {
    (void)state;
    expect_wrong("permuted", "copy", 1000, 1000, "element 0 is ");
    expect_wrong("copy", "idle", 1600, 100, "element 5 is 2779096485, not ");   // not written: 0xa5a5a5a5
    expect_wrong("idle", "copy", 1600, 100, "element 5 was written");
    expect_wrong("offset", "copy", 1600, 6, "element 0 was written");
    expect_wrong("stride", "copy", 3, 4, "element 1 was written");
}

// ---- Sweeps ---------------------------------------------------------------------------------------------------------

static void refuse(hw_device *const *devices, size_t count, const char *family, const char *text) {
    const hw_sweep_options options = {.family = hw_family_find(family)};
    hw_sweep *sweep = malloc(sizeof *sweep);
    hw_diag diag = {0};
    assert_int_equal(hw_sweep_run(devices, count, &options, sweep, &diag), HW_USAGE);
    if (!strstr(diag.text, text)) fail_msg("'%s', and not '%s'", diag.text, text);
    free(sweep);
}

static void sweeps_refuse(void **state) {
    hw_device *cpu = open_device("cpu"), *many[HW_SWEEP_DEVICES + 1];
    (void)state;
    for (size_t i = 0; i <= HW_SWEEP_DEVICES; i++) many[i] = h200;
    refuse(&cpu, 1, "access", "no processor");
    refuse(many, HW_SWEEP_DEVICES + 1, "access", "and not 8");
    refuse(many, 0, "access", "and not 0");
    refuse(many, 1, "transpose", "no size");
    hw_device_close(cpu);
}

// Every GPU copies a part of its bandwidth, and most of it.
static void copies(void **state) {
    const hw_gpu *gpu;
    (void)state;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) {
        const double share = hw_model_stream_gbs(gpu) / gpu->memory_gbs;
        assert_true(share > 0.7 && share < 0.95);
    }
    const double fx5600 = hw_model_stream_gbs(hw_gpu_find("fx5600"));
    assert_true(fx5600 > 59.5 && fx5600 < 60.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),         cmocka_unit_test(older_gpus),    cmocka_unit_test(real_gpu),
        cmocka_unit_test(counters),      cmocka_unit_test(wrong_is_seen), cmocka_unit_test(sweeps_refuse),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, open_h200, close_h200);
}
