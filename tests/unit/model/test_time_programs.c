// The estimate of time, and instructions of machine code, against an H200: launches of programs of public suites
// (tests/truth/h200_programs.csv and h200_more_programs.csv have their times, what the hardware counted, and what the
// profiler counts of them). Those that are called unseen judged first, and those that are called fresh
// (h200_fresh_programs.csv) judge now: the model was not changed with them. The figures are
// asserted as they are, so that a change of the model is seen; docs/accuracy.md states them. With HW_SHOW_TIMES=1 every
// launch is printed.
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/time.h"

enum { MOST_LAUNCHES = 2000, LINE_BYTES = 1000 };

// Of the launches of one set of programs: how many times too long or too short, sorted.
typedef struct set {
    const char *name;
    double off[MOST_LAUNCHES];
    size_t n;
} set;

// Instructions of machine code beside the hardware's, of launches that do the same in each run.
static struct { int launches, equal, near; } counted;

enum { SETS = 5 };
static set sets[SETS] = {{.name = "chosen"}, {.name = "judged"}, {.name = "seen"}, {.name = "unseen"},
                         {.name = "fresh"}};

static set *find_set(const char *name) {
    int i = 0;
    while (i < SETS && strcmp(name, sets[i].name)) i++;
    assert_int_not_equal(i, SETS);
    return &sets[i];
}

static uint64_t next_number(char **rest) { return strtoull(strsep(rest, ","), NULL, 10); }

// The columns of the file, in its order.
static hw_time_work read_work(char **rest) {
    hw_time_work w = {.blocks = next_number(rest)};
    w.warps = next_number(rest);
    w.blocks_per_sm = (uint32_t)next_number(rest);
    uint64_t *const fields[] = {&w.load_bytes, &w.store_bytes, &w.fill_bytes, &w.useful_bytes, &w.reachable_bytes,
                                &w.load_lines, &w.load_sectors, &w.store_sectors, &w.const_passes, &w.wavefronts,
                                &w.trips, &w.shared_trips, &w.barriers};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) *fields[i] = next_number(rest);
    for (int i = 0; i <= HW_RATE_ISSUE; i++) w.inst[i] = next_number(rest);
    return w;
}

// These programs' numbers begin with the time of day, so that no two runs do the same.
static bool differs_from_run_to_run(const char *program) {
    return strstr(program, "particlefilter") || !strcmp(program, "parboil-pns");
}

// Behind the work: what the hardware counted, instructions last; the same by the profiler; instructions of machine
// code; bytes over the link; atomics; the longest warps, loads of constants, waits for atomics and fences, branches,
// products of matrices, 0 where they were not counted.
static void read_counts(char **rest, const char *program, hw_time_work *work) {
    enum { COUNTERS = 8 };
    const char *hardware = "";
    for (int i = 0; i < COUNTERS; i++) hardware = strsep(rest, ",");
    for (int i = 0; i < COUNTERS; i++) strsep(rest, ",");
    const double wanted = strtod(hardware, NULL), ours = (double)next_number(rest);
    work->link_load_bytes = next_number(rest);
    work->link_store_bytes = next_number(rest);
    work->atomic_passes = next_number(rest);
    work->atomic_float_passes = next_number(rest);
    work->atomic_sectors = next_number(rest);
    work->issued = next_number(rest);
    work->longest = next_number(rest);
    work->const_loads = next_number(rest);
    work->atomic_trips = next_number(rest);
    work->fences = next_number(rest);
    work->bare_fences = next_number(rest);
    work->branches = next_number(rest);
    work->inst[HW_RATE_TENSOR] = next_number(rest);
    if (!*hardware || differs_from_run_to_run(program)) return;
    counted.launches++;
    counted.equal += ours == wanted;
    counted.near += fabs(ours / wanted - 1) <= 0.03;
}

static void read_launch(char *line) {
    char *rest = line;
    const char *program = strsep(&rest, ","), *name = strsep(&rest, ","), *size = strsep(&rest, ",");
    const char *launch = strsep(&rest, ",");
    const double us = strtod(strsep(&rest, ","), NULL);
    hw_time_work work = read_work(&rest);
    read_counts(&rest, program, &work);
    set *to = find_set(name);
    assert_true(us > 0 && to->n < MOST_LAUNCHES);
    const double estimate = hw_model_time(hw_gpu_find("h200"), &work).us;
    to->off[to->n++] = fabs(log(estimate / us));
    if (getenv("HW_SHOW_TIMES")) printf("%s %s %s: %.2f us, %.2f estimated\n", program, size, launch, us, estimate);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void read_file(const char *path) {
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) read_launch(line);
    fclose(file);
}

static int read_files(void **state) {
    (void)state;
    read_file(HW_SOURCE_DIR "/tests/truth/h200_programs.csv");
    read_file(HW_SOURCE_DIR "/tests/truth/h200_more_programs.csv");
    read_file(HW_SOURCE_DIR "/tests/truth/h200_fresh_programs.csv");
    for (int i = 0; i < SETS; i++) qsort(sets[i].off, sets[i].n, sizeof(double), by_size);
    return 0;
}

static int within_pct(const set *h, double factor) {
    size_t n = 0;
    while (n < h->n && h->off[n] <= log(factor)) n++;
    return (int)lround(100 * (double)n / (double)h->n);
}

static void assert_set(const set *h, size_t launches, int median_pct, int within_10, int within_25, int within_100) {
    assert_int_equal(h->n, launches);
    assert_int_equal(lround(100 * (exp(h->off[h->n / 2]) - 1)), median_pct);
    assert_int_equal(within_pct(h, 1.1), within_10);
    assert_int_equal(within_pct(h, 1.25), within_25);
    assert_int_equal(within_pct(h, 2), within_100);
}

static void programs_of_even_place(void **state) {
    (void)state;
    assert_set(&sets[0], 306, 9, 53, 85, 97);
}

static void programs_of_odd_place(void **state) {
    (void)state;
    assert_set(&sets[1], 262, 13, 44, 74, 91);
}

static void more_programs_that_were_seen(void **state) {
    (void)state;
    assert_set(&sets[2], 90, 12, 48, 80, 91);
}

static void programs_that_judge(void **state) {
    (void)state;
    assert_set(&sets[3], 60, 17, 20, 77, 95);
}

static void fresh_programs_that_judge(void **state) {
    (void)state;
    assert_set(&sets[4], 338, 15, 35, 66, 87);
}

static void instructions_of_machine_code(void **state) {
    (void)state;
    assert_int_equal(counted.launches, 936);
    assert_int_equal(counted.equal, 584);
    assert_int_equal(counted.near, 819);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_even_place),       cmocka_unit_test(programs_of_odd_place),
        cmocka_unit_test(more_programs_that_were_seen), cmocka_unit_test(programs_that_judge),
        cmocka_unit_test(instructions_of_machine_code), cmocka_unit_test(fresh_programs_that_judge),
    };
    return cmocka_run_group_tests(tests, read_files, NULL);
}
