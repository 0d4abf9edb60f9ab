// The merging pass against ptxas: 220 random kernels, compiled by nvcc 13.0 (tests/data/merging.ptx), and the loads and
// stores of each in the machine code, by kind and width (merging.csv). tools/record_merging.py makes both.
//
// Kernels of even numbers are those that the pass was written with; those of odd numbers were kept for judging it. The
// figures are asserted as they are, so that a change of the pass is seen; docs/accuracy.md states them. With
// HW_SHOW_MERGING=1 every kernel that differs is printed.
#include "lower_test.h"

enum { WIDTHS = 5, KINDS = 6, CELLS = KINDS * WIDTHS, MOST_KERNELS = 1000 };

typedef struct kernel_counts {
    char name[16];
    uint32_t cells[CELLS];         // lds8, lds16, ..., st128, as in the file
} kernel_counts;

static kernel_counts machine[MOST_KERNELS];
static uint32_t n_kernels;
static char header[1000];

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

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

static int kind_of(const hw_note *note) {
    bool is_store = note->kind == HW_NOTE_STORE;
    switch (note->space) {
    case HW_SPACE_SHARED: return is_store;
    case HW_SPACE_GLOBAL: return 2 + is_store;
    case HW_SPACE_GENERIC: return 4 + is_store;
    default: return -1;
    }
}

static void count_notes(const hw_program *p, uint32_t *cells) {
    memset(cells, 0, CELLS * sizeof *cells);
    for (uint32_t i = 0; i < p->n_notes; i++) {
        const hw_note *note = &p->notes[i];
        if ((note->kind != HW_NOTE_LOAD && note->kind != HW_NOTE_STORE) || !note->merged_bytes) continue;
        int kind = kind_of(note);
        if (kind >= 0) cells[kind * WIDTHS + __builtin_ctz(note->merged_bytes)]++;
    }
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

static agreement compare_kernels(uint32_t parity) {
    agreement a = {0};
    for (uint32_t i = 0; i < n_kernels; i++) {
        const kernel_counts *k = &machine[i];
        if ((uint32_t)atoi(k->name + 1) % 2 != parity) continue;
        uint32_t ours[CELLS];
        count_notes(program(k->name), ours);
        a.of_kernels++;
        bool is_equal = !memcmp(ours, k->cells, sizeof ours);
        a.kernels += is_equal;
        for (int cell = 0; cell < CELLS; cell++) {
            uint32_t low = ours[cell] < k->cells[cell] ? ours[cell] : k->cells[cell];
            uint32_t high = ours[cell] + k->cells[cell] - low;
            if (cell < 2 * WIDTHS) a.shared += low, a.of_shared += high;
            else a.global += low, a.of_global += high;
        }
        if (!is_equal && getenv("HW_SHOW_MERGING")) show(k, ours);
    }
    return a;
}

static void expect_agreement(uint32_t parity, agreement expected) {
    agreement a = compare_kernels(parity);
    if (memcmp(&a, &expected, sizeof a))
        fail_msg("kernels %u of %u, shared %u of %u, global %u of %u", a.kernels, a.of_kernels, a.shared, a.of_shared,
                 a.global, a.of_global);
}

static void test_kernels_it_was_written_with(void **state) {
    (void)state;
    expect_agreement(0, (agreement){0});
}

static void test_kernels_kept_for_judging(void **state) {
    (void)state;
    expect_agreement(1, (agreement){0});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_it_was_written_with),
        cmocka_unit_test(test_kernels_kept_for_judging),
    };
    return cmocka_run_group_tests(tests, read_counts, finish);
}
