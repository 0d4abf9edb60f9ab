// How a reduction is planned: which kernel, how many lanes and blocks; merged axes; and the counters of the ladder's
// rungs.
#include "ladder_test.h"
#include "op/reduce/cpu/reduce_plan.h"
#include "op/reduce/reduce_plan.h"

// ---- Merged axes ----------------------------------------------------------------------------------------------------

typedef struct merged {
    hw_reduction reduction;
    int rank;
    int64_t shape[5], stride[5];
    uint32_t axes;
    const char *words;   // of hw_reduction_format
} merged;

static hw_status make(const merged *m, bool strided, hw_reduction_form *form) {
    const DLTensor in = {.ndim = m->rank, .dtype = {kDLFloat, 32, 1}, .shape = (int64_t *)m->shape,
                         .strides = strided ? (int64_t *)m->stride : NULL};
    int axes[5], n = 0;
    for (int k = 0; k < m->rank; k++)
        if (m->axes >> k & 1) axes[n++] = k;
    return hw_reduction_make(m->reduction, &in, axes, n, 0, NULL, false, form, NULL);
}

static void test_merged(void **state) {
    static const merged all[] = {
        {HW_REDUCE_SUM, 3, {4, 5, 6}, {30, 6, 1}, 7, "one output, over (120) strides (1)"},
        {HW_REDUCE_SUM, 3, {4, 5, 6}, {30, 6, 1}, 6, "(4) strides (30), over (30) strides (1)"},
        {HW_REDUCE_SUM, 3, {4, 5, 6}, {30, 6, 1}, 1, "(30) strides (1), over (4) strides (30)"},
        {HW_REDUCE_SUM, 3, {4, 5, 6}, {30, 6, 1}, 2, "(4, 6) strides (30, 1), over (5) strides (6)"},
        {HW_REDUCE_SUM, 3, {4, 1, 6}, {6, 99, 1}, 2, "(24) strides (1), over () strides ()"},
        // Axes in any order are one for sums, and stay as they are for places.
        {HW_REDUCE_SUM, 2, {4, 5}, {1, 4}, 3, "one output, over (20) strides (1)"},
        {HW_REDUCE_ARGMIN, 2, {4, 5}, {1, 4}, 3, "one output, over (4, 5) strides (1, 4)"},
        {HW_REDUCE_SUM, 2, {4, 5}, {-5, -1}, 3, "one output, over (20) strides (1)"},
        {HW_REDUCE_ARGMAX, 2, {4, 5}, {-5, -1}, 3, "one output, over (20) strides (-1)"},
        {HW_REDUCE_SUM, 2, {4, 5}, {0, 1}, 1, "(5) strides (1), over (4) strides (0)"},
        {HW_REDUCE_SUM, 2, {0, 5}, {5, 1}, 1, "(5) strides (1), of no elements"},
        {HW_REDUCE_SUM, 2, {0, 5}, {5, 1}, 2, "no outputs"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        hw_reduction_form form;
        char text[256];
        assert_int_equal(make(&all[i], true, &form), HW_OK);
        assert_string_equal(hw_reduction_format(&form, text, sizeof text), all[i].words);
    }
}

// ---- Axes of extent 0 -----------------------------------------------------------------------------------------------

// Which extremes NumPy 2.4 refuses (ValueError): those along an axis of extent 0, whether there are results or not.
static void test_no_elements(void **state) {
    static const struct {
        int rank;
        int64_t shape[3];
        uint32_t axes;
        bool refused;
    } all[] = {
        {1, {0}, 1, true},        {2, {0, 0}, 1, true},     {2, {0, 0}, 2, true},     {2, {0, 0}, 3, true},
        {2, {0, 3}, 1, true},     {2, {0, 3}, 2, false},    {2, {3, 0}, 1, false},    {2, {3, 0}, 2, true},
        {3, {2, 0, 3}, 1, false}, {3, {2, 0, 3}, 2, true},  {3, {2, 0, 3}, 3, true},  {3, {2, 0, 3}, 4, false},
        {3, {2, 0, 3}, 5, false}, {3, {0, 0, 3}, 4, false}, {3, {0, 0, 3}, 5, true},  {3, {0, 2, 0}, 1, true},
        {3, {0, 2, 0}, 2, false}, {3, {0, 2, 0}, 3, true},  {3, {2, 3, 0}, 3, false}, {3, {2, 3, 0}, 4, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int r = 0; r < HW_REDUCTIONS; r++) {
            const hw_reduction reduction = (hw_reduction)r;
            const bool chooses = reduction == HW_REDUCE_MIN || reduction == HW_REDUCE_MAX ||
                                 hw_reduction_is_arg(reduction);
            const merged m = {reduction, all[i].rank, {all[i].shape[0], all[i].shape[1], all[i].shape[2]}, {0},
                              all[i].axes, NULL};
            hw_reduction_form form;
            const hw_status status = make(&m, false, &form), wanted = chooses && all[i].refused ? HW_USAGE : HW_OK;
            if (status != wanted)
                fail_msg("shape %d, %s: status %d, not %d", (int)i, hw_reduction_names[r], (int)status, (int)wanted);
        }
}

// ---- In words -------------------------------------------------------------------------------------------------------

static void test_names(void **state) {
    (void)state;
    char text[40];
    hw_reduction reduction;
    for (int r = 0; r < HW_REDUCTIONS; r++) {
        assert_true(hw_reduction_find(hw_reduction_name((hw_reduction)r, text, sizeof text), &reduction));
        assert_int_equal(reduction, r);
    }
    assert_false(hw_reduction_find("reduction 8", &reduction));
    assert_string_equal(hw_reduction_name((hw_reduction)HW_REDUCTIONS, text, sizeof text), "reduction 13");
}

// Explanations on the processor and on a GPU, of arrays of one and of many of everything.
static void test_explanations(void **state) {
    static const int64_t extents[] = {1, 2, 64, 4096, 70001};
    enum { N = sizeof extents / sizeof extents[0] };
    static const char *const names[] = {"cpu", "sim:h200"};
    (void)state;
    for (int d = 0; d < 2; d++) {
        hw_device *device = NULL;
        const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
        assert_int_equal(hw_device_open(names[d], &options, &device, NULL), HW_OK);
        for (int i = 0; i < N * N * N * 8; i++) {
            const uint32_t kind = (uint32_t)i % 8;
            int64_t shape[3] = {extents[i / 8 % N], extents[i / 8 / N % N], extents[i / 8 / N / N]};
            int axes[3], n = 0;
            char text[2000];
            if (shape[0] * shape[1] * shape[2] > (int64_t)1 << 40) continue;
            for (int k = 0; k < 3; k++)
                if ((kind % 4 + 1) >> k & 1) axes[n++] = k;
            const DLTensor in = {.device = hw_device_get_properties(device)->dl, .ndim = 3,
                                 .dtype = {kDLFloat, 32, 1}, .shape = shape};
            hw_diag diag = {0};
            if (hw_reduce_explain(device, HW_REDUCE_SUM, &in, axes, n, kind / 4 ? HW_REDUCE_EXACT : 0, text,
                                  sizeof text, &diag))
                fail_msg("%s", diag.text);
            expect_grammar(text);
        }
        hw_device_close(device);
    }
}

// ---- Plans on an H200 -----------------------------------------------------------------------------------------------

static const hw_device_properties h200_properties = {
    .kind = HW_DEVICE_CUDA, .cc = 90, .multiprocessors = 132, .threads_per_multiprocessor = 2048,
    .shared_bytes = 227 << 10, .l2_bytes = 60 << 20};

typedef struct planned {
    int rank;
    int64_t shape[3];
    uint32_t axes;
    hw_reduce_way way;
    uint32_t threads, lanes;   // for each output; columns: words side by side
    uint64_t blocks;
    uint32_t parts;
    bool aligned;
    uint32_t unroll;
    bool stays;
} planned;

static void test_plans(void **state) {
    static const planned all[] = {
        {1, {1 << 28}, 1, HW_REDUCE_ROWS, 512, 512, 264, 264, true, 8, false},
        {1, {1 << 24}, 1, HW_REDUCE_ROWS, 512, 512, 264, 264, true, 4, false},
        {1, {1 << 20}, 1, HW_REDUCE_ROWS, 512, 512, 256, 256, true, 4, true},
        {1, {105 << 17}, 1, HW_REDUCE_ROWS, 512, 512, 264, 264, true, 4, true},     // 7/8 of L2
        {1, {(105 << 17) + 1}, 1, HW_REDUCE_ROWS, 512, 512, 264, 264, false, 4, false},
        {1, {65536}, 1, HW_REDUCE_ROWS, 512, 512, 16, 16, true, 4, true},
        {1, {65532}, 1, HW_REDUCE_ROWS, 128, 128, 1, 1, true, 2, true},
        {1, {65535}, 1, HW_REDUCE_ROWS, 512, 512, 15, 15, false, 4, true},
        {1, {100}, 1, HW_REDUCE_ROWS, 128, 8, 1, 1, true, 2, true},
        {2, {16384, 16384}, 2, HW_REDUCE_ROWS, 128, 128, 16384, 1, true, 2, false},
        {2, {65536, 64}, 2, HW_REDUCE_ROWS, 128, 4, 2048, 1, true, 2, true},
        {2, {1 << 20, 8}, 2, HW_REDUCE_ROWS, 128, 1, 8192, 1, true, 2, true},
        {2, {8, 1 << 20}, 2, HW_REDUCE_ROWS, 512, 512, 264, 33, true, 4, true},
        {2, {16384, 16384}, 1, HW_REDUCE_COLUMNS, 256, 16, 256, 1, false, 8, false},
        {2, {1 << 20, 8}, 1, HW_REDUCE_COLUMNS, 256, 2, 264, 264, false, 8, true},
        {2, {8, 1 << 20}, 1, HW_REDUCE_COLUMNS, 128, 128, 2048, 1, false, 2, true},
        {3, {50, 30, 2}, 5, HW_REDUCE_COLUMNS, 256, 16, 2, 1, false, 8, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const planned *p = &all[i];
        const merged m = {HW_REDUCE_SUM, p->rank, {p->shape[0], p->shape[1], p->shape[2]}, {0}, p->axes, NULL};
        hw_reduction_form form;
        hw_reduce_plan plan;
        assert_int_equal(make(&m, false, &form), HW_OK);
        const hw_reduce_goals goals = hw_reduce_goals_for(&form, &h200_properties);
        hw_reduce_plan_make(&form, &goals, &plan);
        const uint32_t lanes = plan.way == HW_REDUCE_ROWS ? plan.group : plan.lanes;
        const uint32_t parts = plan.run_parts * plan.word_parts;
        if (plan.way != p->way || plan.threads != p->threads || lanes != p->lanes || plan.blocks != p->blocks ||
            parts != p->parts || plan.aligned != p->aligned || plan.unroll != p->unroll ||
            plan.stays != p->stays)
            fail_msg("plan %d: way %d, %u threads, %u lanes, %llu blocks, %u parts, aligned %d, %u in flight, stays %d",
                     (int)i, (int)plan.way, plan.threads, lanes, (unsigned long long)plan.blocks, parts, plan.aligned,
                     plan.unroll, plan.stays);
    }
}

// Any form: blocks cover all outputs, counters suffice, scratch memory and shared memory keep within their limits.
static void test_limits(void **state) {
    static const int64_t extents[] = {1, 2, 3, 7, 64, 129, 4096, 70001, 1 << 20};
    enum { N = sizeof extents / sizeof extents[0] };
    (void)state;
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            for (int c = 0; c < 4; c++)
                for (uint32_t axes = 1; axes < 8; axes++)
                    for (int r = 0; r <= HW_REDUCE_NORM; r++) {
                        const merged m = {(hw_reduction)r, 3, {extents[a], extents[b], extents[c]}, {0}, axes, NULL};
                        hw_reduction_form form;
                        hw_reduce_plan plan;
                        if (make(&m, false, &form) != HW_OK) continue;
                        const hw_reduce_goals goals = hw_reduce_goals_for(&form, &h200_properties);
                        hw_reduce_plan_make(&form, &goals, &plan);
                        const uint32_t parts = plan.run_parts * plan.word_parts;
                        assert_true(plan.scratch_bytes <= HW_REDUCE_SCRATCH_BYTES);
                        assert_true((parts > 1) == (plan.scratch_bytes > 0));
                        if (parts > 1) assert_true(plan.tiles * 4 <= HW_SCRATCH_ZEROS);
                        assert_true(plan.blocks == plan.tiles * parts);
                        if (plan.way == HW_REDUCE_ROWS) {
                            assert_true(plan.tiles * (plan.threads / plan.group) >= form.outputs);
                            assert_true(plan.group % plan.inner == 0 && plan.threads % plan.group == 0);
                        } else {
                            assert_true(plan.threads % plan.lanes == 0);
                            assert_true(plan.threads * plan.vector * plan.state_bytes <= 48 << 10);
                        }
                    }
}

// A block of a GPU before 2.0 has 16 KiB of shared memory, of which the launch takes 16 bytes and the parameters.
static void test_states_fit_shared_memory(void **state) {
    static const hw_device_properties gtx280 = {.kind = HW_DEVICE_SIM, .cc = 13, .multiprocessors = 30,
                                                .threads_per_multiprocessor = 1024, .shared_bytes = 16 << 10};
    static const DLDataType types[] = {{kDLInt, 8, 1}, {kDLFloat, 16, 1}, {kDLUInt, 32, 1}, {kDLFloat, 64, 1}};
    uint32_t narrower = 0;
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int r = 0; r <= HW_REDUCE_NORM; r++)
            for (int rank = 2; rank <= 4; rank++) {
                int64_t shape[] = {300, 400, 64, 16};
                const DLTensor in = {.ndim = rank, .dtype = types[t], .shape = shape};
                hw_reduction_form form;
                hw_reduce_plan old, wide;
                assert_int_equal(hw_reduction_make((hw_reduction)r, &in, (const int[]){0}, 1, 0, NULL, false, &form,
                                                   NULL), HW_OK);
                const hw_reduce_goals old_goals = hw_reduce_goals_for(&form, &gtx280);
                const hw_reduce_goals goals = hw_reduce_goals_for(&form, &h200_properties);
                hw_reduce_plan_make(&form, &old_goals, &old);
                hw_reduce_plan_make(&form, &goals, &wide);
                assert_int_equal(old.way, HW_REDUCE_COLUMNS);
                assert_true(old.threads * old.vector * old.state_bytes <= (16 << 10) - 16 - 132);
                assert_true(wide.threads * wide.vector * wide.state_bytes <= 32 << 10);
                narrower += old.vector < wide.vector;
            }
    assert_true(narrower > 0);
}

// ---- Plans on the processor -----------------------------------------------------------------------------------------

// Terms are taken from where they lie in short runs and narrow rows as well; one thread does what is done sooner than
// others wake.
static void test_cpu_plans(void **state) {
    static const struct {
        int rank;
        int64_t shape[3];
        uint32_t axes;
        hw_cpu_reduce_way way;
        bool contiguous, whole_runs;
        uint64_t tiles;
        uint32_t threads;   // of 8
    } all[] = {
        {1, {65536}, 1, HW_CPU_REDUCE_RUNS, true, false, 1, 1},
        {1, {1 << 18}, 1, HW_CPU_REDUCE_RUNS, true, false, 1, 2},
        {1, {1 << 24}, 1, HW_CPU_REDUCE_RUNS, true, false, 1, 8},
        {2, {20000, 50}, 2, HW_CPU_REDUCE_RUNS, true, true, 625, 8},
        {2, {1000, 50}, 2, HW_CPU_REDUCE_RUNS, true, true, 1000, 1},
        {2, {8, 4096}, 2, HW_CPU_REDUCE_RUNS, true, true, 8, 1},
        {2, {8, 4097}, 2, HW_CPU_REDUCE_RUNS, true, false, 8, 1},
        {3, {50, 7, 40}, 5, HW_CPU_REDUCE_RUNS, false, false, 7, 1},
        {3, {300, 300, 30}, 2, HW_CPU_REDUCE_COLUMNS, true, false, 300, 8},
        {3, {3000, 30, 30}, 2, HW_CPU_REDUCE_COLUMNS, true, false, 3000, 8},
        {3, {300, 300, 8}, 2, HW_CPU_REDUCE_COLUMNS, false, false, 5, 8},
        {2, {300, 3000}, 1, HW_CPU_REDUCE_COLUMNS, true, false, 2, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const merged m = {HW_REDUCE_SUM, all[i].rank, {all[i].shape[0], all[i].shape[1], all[i].shape[2]}, {0},
                          all[i].axes, NULL};
        hw_reduction_form form;
        hw_cpu_reduce_plan plan;
        assert_int_equal(make(&m, false, &form), HW_OK);
        hw_cpu_reduce_plan_make(&form, &plan);
        const uint32_t threads = hw_cpu_reduce_threads(&plan, 8);
        if (plan.way != all[i].way || plan.contiguous != all[i].contiguous || plan.whole_runs != all[i].whole_runs ||
            plan.tiles != all[i].tiles || threads != all[i].threads)
            fail_msg("plan %d: way %d, contiguous %d, whole runs %d, %llu tiles, %llu parts, %u threads", (int)i,
                     (int)plan.way, plan.contiguous, plan.whole_runs, (unsigned long long)plan.tiles,
                     (unsigned long long)plan.parts, threads);
    }
}

// ---- Counters of the rungs -----------------------------------------------------------------------------------------

typedef struct prediction {
    const char *rung;
    uint64_t elements;
    uint64_t loads, load_passes, stores, store_passes;   // of shared memory
} prediction;

// One block of 512 threads on an H200, 32 lanes on 32 banks. Warps that add in steps s = 1 to 256:
//   modulo      16, 16, 16, 16, 16, 8, 4, 2, 1: 95, of two loads and a store each, none of which conflict
//   conflicts   8, 4, 2, 1, 1, 1, 1, 1, 1: 20, whose accesses meet 2, 4, 8, 16, 16, 8, 4, 2, 1 deep: 95 passes
//   sequential  the same 20, without conflicts
//   last_warp   8, 4, 2; then 2 loads, and 5 stores and loads
// Before the steps 16 warps store; after them one loads the result, but that of last_warp is in a register.
static const prediction predictions[] = {
    {"modulo", 512, 191, 191, 111, 111},
    {"conflicts", 512, 41, 191, 36, 111},
    {"sequential", 512, 41, 41, 36, 36},
    {"first_add", 1024, 41, 41, 36, 36},
    {"last_warp", 1024, 35, 35, 35, 35},
};

// What the rungs' files say besides. Warps are 16 to a block, and barriers are counted for each. An array of 2^20 has
// 2^15 loads of 4 bytes a lane; the second launch of the walking rungs adds 528 sums in 17 loads.
enum { LARGE = 1 << 20, LOADS = LARGE / 32, WARPS = 16, BLOCKS = 132 * 4, FINISH_LOADS = BLOCKS / 32 + 1 };
static const struct {
    const char *rung;
    uint64_t elements;
    hw_counter counter;
    uint64_t expected;
} counted[] = {
    {"copy", LARGE, HW_COUNT_GLD_REQUESTS, 4096},
    {"copy", LARGE, HW_COUNT_GLD_SECTORS, 4096 * 16},
    {"copy", LARGE, HW_COUNT_GST_REQUESTS, 4096},
    {"copy", LARGE, HW_COUNT_GST_SECTORS, 4096 * 16},
    {"first_add", 1024, HW_COUNT_BARRIERS, 10 * WARPS},
    {"last_warp", 1024, HW_COUNT_BARRIERS, 4 * WARPS},
    {"unrolled", LARGE, HW_COUNT_GLD_REQUESTS, 32800},
    {"unrolled", LARGE, HW_COUNT_GST_REQUESTS, 1025},
    {"many", LARGE, HW_COUNT_GLD_REQUESTS, LOADS + FINISH_LOADS},
    {"many", LARGE, HW_COUNT_GST_REQUESTS, BLOCKS + 1},
    {"many", LARGE, HW_COUNT_LDS_INST, 35 * (BLOCKS + 1)},
    {"many", LARGE, HW_COUNT_STS_INST, 35 * (BLOCKS + 1)},
    {"shuffles", LARGE, HW_COUNT_LDS_INST, BLOCKS + 1},
    {"shuffles", LARGE, HW_COUNT_STS_INST, 16 * (BLOCKS + 1)},
    {"shuffles", LARGE, HW_COUNT_BARRIERS, 2 * WARPS * (BLOCKS + 1)},
    {"one_launch", LARGE, HW_COUNT_ATOMICS, BLOCKS},
    {"one_launch", LARGE, HW_COUNT_GLD_REQUESTS, LOADS + FINISH_LOADS},
    // Of each block three, of the last one its second sum's as well: a second launch would have 2 for all its warps.
    {"one_launch", LARGE, HW_COUNT_BARRIERS, (3 * BLOCKS + 2) * WARPS},
};

// One rung's row, for hw_ladder_free.
static const hw_ladder_row *run_rung(hw_device *device, const char *rung, uint64_t elements, hw_ladder *ladder) {
    hw_ladder_options options = {.family = hw_family_find("reduce"), .problem = {.size = {elements}}, .rung = rung};
    hw_diag diag = {0};
    assert_true(hw_dtype_find("f32", &options.problem.dtype));
    if (hw_ladder_run(device, NULL, &options, ladder, &diag)) fail_msg("%s", diag.text);
    const hw_ladder_row *row = &ladder->rows[ladder->n_rows - 1];
    if (row->status || !row->verdict.right) fail_msg("%s: %s%s", rung, row->text, row->verdict.text);
    assert_string_equal(row->rung->name, rung);
    return row;
}

static void test_shared_memory(void **state) {
    hw_device *device = open_device("sim:h200");
    (void)state;
    for (size_t i = 0; i < sizeof predictions / sizeof predictions[0]; i++) {
        const prediction *p = &predictions[i];
        hw_ladder ladder;
        const hw_ladder_row *row = run_rung(device, p->rung, p->elements, &ladder);
        expect_count(row, HW_COUNT_LDS_INST, p->loads);
        expect_count(row, HW_COUNT_LDS_WAVEFRONTS, p->load_passes);
        expect_count(row, HW_COUNT_STS_INST, p->stores);
        expect_count(row, HW_COUNT_STS_WAVEFRONTS, p->store_passes);
        hw_ladder_free(&ladder);
    }
    hw_device_close(device);
}

static void test_counters(void **state) {
    hw_device *device = open_device("sim:h200");
    hw_ladder ladder;
    const hw_ladder_row *row = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        const bool same = i && !strcmp(counted[i].rung, counted[i - 1].rung);
        if (row && !same) hw_ladder_free(&ladder);
        if (!same) row = run_rung(device, counted[i].rung, counted[i].elements, &ladder);
        expect_count(row, counted[i].counter, counted[i].expected);
    }
    hw_ladder_free(&ladder);
    hw_device_close(device);
}

// Every rung at the sizes where something changes, of types whose sums are of other types.
static void test_rungs(void **state) {
    static const uint64_t sizes[] = {0, 1, 511, 512, 513, 1023, 1024, 1025, 262145, 300007};
    static const char *const dtypes[] = {"f32", "i8", "f16"};
    hw_device *device = open_device("sim:h200");
    (void)state;
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            hw_ladder_options options = {.family = hw_family_find("reduce"), .problem = {.size = {sizes[i]}}};
            hw_ladder ladder;
            hw_diag diag = {0};
            if (t && i % 3 != 2) continue;
            assert_true(hw_dtype_find(dtypes[t], &options.problem.dtype));
            if (hw_ladder_run(device, NULL, &options, &ladder, &diag)) fail_msg("%s", diag.text);
            assert_int_equal(ladder.n_rows, options.family->n_rungs);
            for (size_t k = 0; k < ladder.n_rows; k++) {
                const hw_ladder_row *row = &ladder.rows[k];
                if (row->status || !row->verdict.right)
                    fail_msg("%s of %llu %s: %s%s", row->rung->name, (unsigned long long)sizes[i], dtypes[t], row->text,
                             row->verdict.text);
            }
            hw_ladder_free(&ladder);
        }
    hw_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merged),       cmocka_unit_test(test_no_elements), cmocka_unit_test(test_names),
        cmocka_unit_test(test_explanations), cmocka_unit_test(test_plans),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_states_fit_shared_memory),
        cmocka_unit_test(test_cpu_plans),
        cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_counters),   cmocka_unit_test(test_rungs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
