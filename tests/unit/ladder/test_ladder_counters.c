// What an H200 counts: of every rung of four families requests, sectors, shared instructions, wavefronts and occupancy
// are those that NVIDIA's profiler has recorded, but for a few whose reason is known.
#include <inttypes.h>
#include "ladder_test.h"
#include "recorded_kernels.h"

enum { MOST_LAUNCHES = 128, CELLS = 24, CELL_BYTES = 64 };

// A line of the record, by columns.
typedef struct recorded {
    char cells[CELLS][CELL_BYTES];
} recorded;

static recorded heading, lines[MOST_LAUNCHES];
static size_t n_columns, n_lines;
static size_t n_sums, n_equal, n_zero;   // of all runs together: docs/accuracy.md has them

static size_t cut(char *line, recorded *out) {
    size_t n = 0;
    char *rest = NULL;
    for (char *cell = strtok_r(line, ",\n", &rest); cell; cell = strtok_r(NULL, ",\n", &rest)) {
        assert_true(n < CELLS && strlen(cell) < CELL_BYTES);
        strcpy(out->cells[n++], cell);
    }
    return n;
}

static int read_record(void **state) {
    char line[512];
    FILE *file = fopen(HW_SOURCE_DIR "/tests/data/h200_ladder_counters.csv", "r");
    (void)state;
    if (!file) return -1;
    while (fgets(line, sizeof line, file)) {
        if (*line == '#') continue;
        if (!n_columns) {
            n_columns = cut(line, &heading);
            continue;
        }
        assert_true(n_lines < MOST_LAUNCHES);
        assert_int_equal(cut(line, &lines[n_lines++]), n_columns);
    }
    fclose(file);
    return 0;
}

static const char *cell(const recorded *r, const char *column) {
    for (size_t c = 0; c < n_columns; c++)
        if (!strcmp(heading.cells[c], column)) return r->cells[c];
    fail_msg("the record has no column %s", column);
    return NULL;
}

static bool is_rung(const recorded *r, const char *family, const char *size, const char *rung) {
    return !strcmp(cell(r, "family"), family) && !strcmp(cell(r, "size"), size) && !strcmp(cell(r, "rung"), rung);
}

// What differs, ours less the hardware's; all other sums are equal. Every number here is the same in every run, since
// the runs in which blocks wait for each other have one host thread.
static const struct {
    const char *family, *size, *rung;
    hw_counter counter;
    int64_t off;
} known[] = {
    // A lane that the H200 does not bring together with its warp again before its next load.
    {"reduce", "1048576", "one_launch", HW_COUNT_GLD_REQUESTS, -1},
    {"reduce", "1048576", "one_launch", HW_COUNT_GLD_SECTORS, -1},
    // Lanes that leave a search one by one.
    {"nearest", "10000x3x1", "brute", HW_COUNT_GLD_REQUESTS, 1527},
    {"nearest", "10000x3x1", "brute", HW_COUNT_GLD_SECTORS, 378},
    {"nearest", "4099x3x8", "brute", HW_COUNT_LDS_WAVEFRONTS, 1032},
    // Blocks wait for each other, and each look at what they wait for is a request of one sector: how many there are
    // depends on time, on the GPU too. The rest of the loads differs by 4.
    {"nearest", "4099x3x8", "search", HW_COUNT_GLD_REQUESTS, 3352},
    {"nearest", "4099x3x8", "search", HW_COUNT_GLD_SECTORS, 3352 + 4},
    {"nearest", "10000x3x1", "search", HW_COUNT_GLD_REQUESTS, 8408},
    {"nearest", "10000x3x1", "search", HW_COUNT_GLD_SECTORS, 8408 - 4},
};

static int64_t known_difference(const char *family, const char *size, const char *rung, hw_counter counter) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(known[i].family, family) && !strcmp(known[i].size, size) && !strcmp(known[i].rung, rung) &&
            known[i].counter == counter)
            return known[i].off;
    return 0;
}

// The sum over a run's launches.
static void expect_counters(const char *family, const char *size, const hw_ladder_row *row) {
    const char *rung = row->rung->name;
    for (int c = 0; c < HW_COUNTERS; c++) {
        const char *name = hw_counter_rows[c].name;
        uint64_t sum = 0;
        bool is_there = false;
        for (size_t k = 0; k < n_columns; k++) is_there |= !strcmp(heading.cells[k], name);
        if (!is_there) continue;
        for (size_t i = 0; i < n_lines; i++)
            if (is_rung(&lines[i], family, size, rung)) sum += strtoull(cell(&lines[i], name), NULL, 10);
        const int64_t off = (int64_t)(row->counts[c] - sum);
        const int64_t wanted = known_difference(family, size, rung, (hw_counter)c);
        if (off != wanted)
            fail_msg("%s %s, %s: %s is %llu, on an H200 %llu, and %lld from it and not %lld", family, size, rung, name,
                     (unsigned long long)row->counts[c], (unsigned long long)sum, (long long)off, (long long)wanted);
        n_equal += off == 0;
        n_zero += sum == 0;
        n_sums++;
    }
}

// NULL: nobody has taken the rung to an H200.
static const recorded *first_launch(const char *family, const char *size, const char *rung) {
    for (size_t i = 0; i < n_lines; i++)
        if (is_rung(&lines[i], family, size, rung)) return &lines[i];
    return NULL;
}

static void expect_percent(const char *family, const char *size, const char *rung, double wanted, double got) {
    if (got - wanted > 0.01 || wanted - got > 0.01)
        fail_msg("%s %s, %s: occupancy is %g%%, on an H200 %g%%", family, size, rung, got, wanted);
}

// Of the first launch, by the registers that the H200's own compiler gave it; and what the ladder says where ptxas was
// there to ask. Estimated registers are not compared.
static void expect_occupancy(const char *family, const char *size, const recorded *first, const hw_ladder_row *row) {
    const double wanted = strtod(cell(first, "occupancy_pct"), NULL);
    const uint32_t regs = (uint32_t)strtoul(cell(first, "regs"), NULL, 10);
    unsigned x, y, z;
    assert_int_equal(sscanf(cell(first, "block"), "%ux%ux%u", &x, &y, &z), 3);
    const hw_occupancy held = hw_model_occupancy(hw_gpu_find("h200")->arch, x * y * z, regs, row->smem_bytes);
    expect_percent(family, size, row->rung->name, wanted, held.occupancy_pct);
    if (!row->regs_estimated) expect_percent(family, size, row->rung->name, wanted, row->occupancy.occupancy_pct);
}

// n_rungs: as many of them as are recorded. Blocks of nearest wait for each other: with one host thread they look at
// what they wait for as often in every run.
static void expect_as_on_gpu(const char *family, const char *size, size_t n_rungs) {
    hw_device *h200 = open_device_with("sim:h200", 0, strcmp(family, "nearest") ? 0 : 1);
    hw_ladder_options options = {.family = hw_family_find(family)};
    hw_ladder ladder;
    hw_diag diag = {0};
    size_t found = 0;
    assert_non_null(options.family);
    assert_true(hw_dtype_find("f32", &options.problem.dtype));
    uint64_t *n = options.problem.size;
    assert_true(sscanf(size, "%" SCNu64 "x%" SCNu64 "x%" SCNu64, &n[0], &n[1], &n[2]) > 0);
    if (hw_ladder_run(h200, NULL, &options, &ladder, &diag)) fail_msg("%s", diag.text);
    for (size_t i = 0; i < ladder.n_rows; i++) {
        const recorded *first = first_launch(family, size, ladder.rows[i].rung->name);
        if (!first) continue;
        expect_occupancy(family, size, first, &ladder.rows[i]);
        expect_counters(family, size, &ladder.rows[i]);
        found++;
    }
    assert_int_equal(found, n_rungs);
    hw_ladder_free(&ladder);
    hw_device_close(h200);
}

typedef struct run {
    const char *family, *size;
    size_t n_rungs;
} run;

// Sizes that are no multiples of a tile.
static const run ragged_runs[] = {{"matmul", "130x139x70", 8}, {"reduce", "100003", 11}, {"nearest", "4099x3x8", 2}};
static const run whole_runs[] = {{"transpose", "1024x1024", 12}, {"matmul", "512x512x512", 10},
                                 {"reduce", "1048576", 11}, {"nearest", "10000x3x1", 6}};

static void ragged(void **state) {
    // The last takes as long as all others, and unit.nearest has its kernels.
    const size_t n_runs = sizeof ragged_runs / sizeof ragged_runs[0] - is_sanitized();
    (void)state;
    for (size_t i = 0; i < n_runs; i++)
        expect_as_on_gpu(ragged_runs[i].family, ragged_runs[i].size, ragged_runs[i].n_rungs);
}

static void whole(void **state) {
    (void)state;
    if (is_sanitized()) skip();   // nothing runs that does not run in the other
    for (size_t i = 0; i < sizeof whole_runs / sizeof whole_runs[0]; i++)
        expect_as_on_gpu(whole_runs[i].family, whole_runs[i].size, whole_runs[i].n_rungs);
    assert_int_equal(n_sums, 480);
    assert_int_equal(n_equal, 471);
    assert_int_equal(n_zero, 42);
}

int main(void) {
    const struct CMUnitTest tests[] = {RECORDED_TEST(ragged), RECORDED_TEST(whole)};
    return cmocka_run_group_tests(tests, read_record, NULL);
}
