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

// What differs, and by how much at most.
static const struct {
    const char *family, *rung;
    hw_counter counter;
    double within;
} known[] = {
    // A lane that the H200 does not bring together with its warp again before its next load.
    {"reduce", "one_launch", HW_COUNT_GLD_REQUESTS, 1e-4},
    {"reduce", "one_launch", HW_COUNT_GLD_SECTORS, 1e-4},
    {"nearest", "brute", HW_COUNT_GLD_REQUESTS, 6e-3},
    {"nearest", "brute", HW_COUNT_GLD_SECTORS, 2e-4},
    {"nearest", "brute", HW_COUNT_LDS_WAVEFRONTS, 3e-3},
    // Blocks wait for each other: how often they look depends on time, and a busy machine may take long. 2 to 5% and
    // 0.4% on an idle one.
    {"nearest", "search", HW_COUNT_GLD_REQUESTS, 0.5},
    {"nearest", "search", HW_COUNT_GLD_SECTORS, 0.05},
};

static double allowed(const char *family, const char *rung, hw_counter counter) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(known[i].family, family) && !strcmp(known[i].rung, rung) && known[i].counter == counter)
            return known[i].within;
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
        double off = (double)row->counts[c] - (double)sum;
        if (off < 0) off = -off;
        if (off > allowed(family, rung, (hw_counter)c) * (double)sum)
            fail_msg("%s %s, %s: %s is %llu, on an H200 %llu", family, size, rung, name,
                     (unsigned long long)row->counts[c], (unsigned long long)sum);
    }
}

// NULL: nobody has taken the rung to an H200.
static const recorded *first_launch(const char *family, const char *size, const char *rung) {
    for (size_t i = 0; i < n_lines; i++)
        if (is_rung(&lines[i], family, size, rung)) return &lines[i];
    return NULL;
}

// Of the first launch.
static void expect_occupancy(const char *family, const char *size, const recorded *first, const hw_ladder_row *row) {
    if (row->regs_estimated) return;   // the compiler's, which differ from version to version
    double recorded_pct = strtod(cell(first, "occupancy_pct"), NULL);
    double off = row->occupancy.occupancy_pct - recorded_pct;
    if (off > 0.01 || off < -0.01)
        fail_msg("%s %s, %s: occupancy is %g%%, on an H200 %g%%", family, size, row->rung->name,
                 row->occupancy.occupancy_pct, recorded_pct);
}

// n_rungs: as many of them as are recorded.
static void expect_as_on_gpu(const char *family, const char *size, size_t n_rungs) {
    hw_device *h200 = open_device("sim:h200");
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
    (void)state;
    for (size_t i = 0; i < sizeof ragged_runs / sizeof ragged_runs[0]; i++)
        expect_as_on_gpu(ragged_runs[i].family, ragged_runs[i].size, ragged_runs[i].n_rungs);
}

static void whole(void **state) {
    (void)state;
#ifdef HW_SANITIZED
    skip();   // nothing runs that does not run in the other
#endif
    for (size_t i = 0; i < sizeof whole_runs / sizeof whole_runs[0]; i++)
        expect_as_on_gpu(whole_runs[i].family, whole_runs[i].size, whole_runs[i].n_rungs);
}

int main(void) {
    const struct CMUnitTest tests[] = {RECORDED_TEST(ragged), RECORDED_TEST(whole)};
    return cmocka_run_group_tests(tests, read_record, NULL);
}
