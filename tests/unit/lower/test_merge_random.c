// The merging pass against ptxas: 220 random kernels, compiled by nvcc 13.0 (tests/data/merging.ptx), and the loads and
// stores of each in the machine code, by kind and width (merging.csv). tools/record_merging.py makes both.
//
// Kernels of even numbers are those that the pass was written with; those of odd numbers were kept for judging it. The
// figures are asserted as they are, so that a change of the pass is seen; docs/accuracy.md states them. With
// HW_SHOW_MERGING=1 every kernel that differs is printed.
#include "merge_test.h"

enum { MOST_KERNELS = 1000 };

typedef struct kernel_counts {
    char name[16];
    uint32_t cells[CELLS];         // lds8, lds16, ..., st128, as in the file
} kernel_counts;

static kernel_counts machine[MOST_KERNELS];
static uint32_t n_kernels;
static char header[1000];

static int read_counts(void **state) {
    (void)state;
    char *text = read_file(HW_SOURCE_DIR "/tests/data/merging.csv"), *rest = text, *line;
    for (int number = 0; (line = strsep(&rest, "\n")) && *line; number++) {
        if (number == 1) snprintf(header, sizeof header, "%s", line);
        if (number < 2) continue;
        assert_true(n_kernels < MOST_KERNELS);
        kernel_counts *k = &machine[n_kernels++];
        snprintf(k->name, sizeof k->name, "%s", strsep(&line, ","));
        for (int cell = 0; cell < CELLS; cell++) k->cells[cell] = (uint32_t)atoi(strsep(&line, ","));
    }
    free(text);
    text = read_file(HW_SOURCE_DIR "/tests/data/merging.ptx");
    lower(text);
    free(text);
    return 0;
}

static int finish(void **state) {
    (void)state;
    done();
    return 0;
}

typedef struct agreement {
    uint32_t kernels, of_kernels;            // equal in all cells
    uint32_t shared, of_shared;              // instructions: found on both sides, of those on either
    uint32_t global, of_global;              // generic ones included
} agreement;

static void show(const kernel_counts *k, const uint32_t *ours) {
    char names[sizeof header], *rest = names;
    snprintf(names, sizeof names, "%s", header);
    strsep(&rest, ",");
    printf("%s:", k->name);
    for (int cell = 0; cell < CELLS; cell++) {
        const char *name = strsep(&rest, ",");
        if (ours[cell] != k->cells[cell]) printf(" %s %u, ptxas %u;", name, ours[cell], k->cells[cell]);
    }
    printf("\n");
}

static agreement compare_kernels(uint32_t parity, bool as_written) {
    agreement a = {0};
    for (uint32_t i = 0; i < n_kernels; i++) {
        const kernel_counts *k = &machine[i];
        if ((uint32_t)atoi(k->name + 1) % 2 != parity) continue;
        uint32_t ours[CELLS];
        count_notes(program(k->name), ours, as_written);
        a.of_kernels++;
        bool is_equal = !memcmp(ours, k->cells, sizeof ours);
        a.kernels += is_equal;
        for (int cell = 0; cell < CELLS; cell++) {
            uint32_t low = ours[cell] < k->cells[cell] ? ours[cell] : k->cells[cell];
            uint32_t high = ours[cell] + k->cells[cell] - low;
            if (cell < 2 * WIDTHS) a.shared += low, a.of_shared += high;
            else a.global += low, a.of_global += high;
        }
        if (!is_equal && !as_written && getenv("HW_SHOW_MERGING")) show(k, ours);
    }
    return a;
}

static void expect_agreement(uint32_t parity, bool as_written, agreement expected) {
    agreement a = compare_kernels(parity, as_written);
    if (memcmp(&a, &expected, sizeof a))
        fail_msg("kernels %u of %u, shared %u of %u, global %u of %u", a.kernels, a.of_kernels, a.shared, a.of_shared,
                 a.global, a.of_global);
}

static void test_kernels_it_was_written_with(void **state) {
    (void)state;
    expect_agreement(0, false, (agreement){109, 110, 1246, 1248, 736, 736});
}

static void test_kernels_kept_for_judging(void **state) {
    (void)state;
    expect_agreement(1, false, (agreement){109, 110, 940, 942, 726, 726});
}

// How far the PTX is from the machine code before anything is merged: what the pass has to do.
static void test_kernels_as_they_are_written(void **state) {
    (void)state;
    expect_agreement(0, true, (agreement){61, 110, 1052, 1706, 736, 738});
    expect_agreement(1, true, (agreement){60, 110, 727, 1437, 726, 726});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_it_was_written_with),
        cmocka_unit_test(test_kernels_kept_for_judging),
        cmocka_unit_test(test_kernels_as_they_are_written),
    };
    return cmocka_run_group_tests(tests, read_counts, finish);
}
