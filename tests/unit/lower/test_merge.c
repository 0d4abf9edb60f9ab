// The merging pass case by case: what ptxas 13.0 makes one access and what it does not, as tests/data/merge_cases.txt
// has recorded it. Each test takes the cases whose names begin alike; where the pass is unlike ptxas, it is said here.
#include "merge_test.h"

enum { MOST_CASES = 400, NAME_BYTES = 64, COUNTS_BYTES = 256 };

typedef struct merge_case {
    char name[NAME_BYTES];
    char counts[COUNTS_BYTES];     // "lds64 1 stg32 2"
} merge_case;

static merge_case cases[MOST_CASES];
static uint32_t n_cases;

// Where the pass is unlike ptxas: what it counts.
static const struct {
    const char *name, *counts, *why;
} unlike[] = {
    {"loads_of_two_used_apart", "lds128 1 stg32 2", "an instruction has one width: it is not cut into two"},
    {"loads_by_base_redefined", "lds32 2 stg32 2", "the old and the new value of a register are two bases"},
    {"loads_around_wmma_store", "lds32 2 stg32 2", "stores of matrices are no stores here"},
    {"stores_around_wmma_store", "sts32 2", "the same"},
};

// ---- the file ----

typedef struct text {
    char *bytes;
    size_t length, room;
} text;

static void append(text *t, const char *line) {
    size_t n = strlen(line);
    if (t->length + n + 2 > t->room) {
        t->room = 2 * (t->length + n + 2);
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->length, line, n);
    strcpy(t->bytes + t->length + n, "\n");
    t->length += n + 1;
}

static void begin_case(text *ptx, const char *line, const text *prologue) {
    char head[NAME_BYTES + 100];
    assert_true(n_cases < MOST_CASES);
    merge_case *c = &cases[n_cases++];
    assert_int_equal(sscanf(line, "== %63s", c->name), 1);
    snprintf(head, sizeof head, ".visible .entry %s(.param .u64 out, .param .u64 in) {", c->name);
    append(ptx, head);
    append(ptx, prologue->bytes);
}

static int read_cases(void **state) {
    (void)state;
    char *file = read_file(HW_SOURCE_DIR "/tests/data/merge_cases.txt"), *rest = file, *line;
    text ptx = {0}, prologue = {0}, *part = NULL;
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (!*line || *line == '#') continue;
        if (!strcmp(line, "module")) part = &ptx;
        else if (!strcmp(line, "prologue")) part = &prologue;
        else if (!strncmp(line, "==", 2)) begin_case(part = &ptx, line, &prologue);
        else if (strncmp(line, "ptxas", 5)) append(part, line);
        else {
            int at = 0;
            sscanf(line, "ptxas %*s %n", &at);
            snprintf(cases[n_cases - 1].counts, COUNTS_BYTES, "%s", at ? line + at : "");
            append(part, "ret;\n}");
        }
    }
    lower(ptx.bytes);
    free(ptx.bytes);
    free(prologue.bytes);
    free(file);
    return 0;
}

static int finish(void **state) {
    (void)state;
    done();
    return 0;
}

// ---- comparing ----

static void write_counts(const uint32_t *cells, char out[COUNTS_BYTES]) {
    static const char *const kinds[KINDS] = {"lds", "sts", "ldg", "stg", "ld", "st"};
    size_t length = 0;
    *out = '\0';
    for (int cell = 0; cell < CELLS; cell++)
        if (cells[cell])
            length += (size_t)snprintf(out + length, COUNTS_BYTES - length, "%s%s%d %u", length ? " " : "",
                                       kinds[cell / WIDTHS], 8 << cell % WIDTHS, cells[cell]);
}

static bool check_case(const merge_case *c) {
    char ours[COUNTS_BYTES];
    uint32_t cells[CELLS];
    const char *expected = c->counts;
    for (size_t k = 0; k < sizeof unlike / sizeof *unlike; k++) {
        if (strcmp(unlike[k].name, c->name)) continue;
        expected = unlike[k].counts;
        assert_string_not_equal(expected, c->counts);
    }
    count_notes(program(c->name), cells, false);
    write_counts(cells, ours);
    if (strcmp(ours, expected)) print_error("%s: %s, not %s\n", c->name, ours, expected);
    return !strcmp(ours, expected);
}

static void check_cases(const char *prefix, uint32_t least) {
    uint32_t found = 0, wrong = 0;
    for (uint32_t i = 0; i < n_cases; i++) {
        if (strncmp(cases[i].name, prefix, strlen(prefix))) continue;
        found++;
        wrong += !check_case(&cases[i]);
    }
    assert_int_equal(wrong, 0);
    assert_true(found >= least);
}

static void test_loads_of_a_piece(void **state) {
    (void)state;
    check_cases("loads_of_", 34);
}

static void test_loads_through_one_base(void **state) {
    (void)state;
    check_cases("loads_by_", 3);
    check_cases("loads_repeated", 1);
    check_cases("loads_overlapping", 1);
    check_cases("loads_volatile", 1);
}

static void test_stores_of_a_run(void **state) {
    (void)state;
    check_cases("stores_of_", 20);
    check_cases("stores_repeated", 1);
    check_cases("stores_volatile", 1);
    check_cases("stores_to_", 1);
}

static void test_what_stands_between(void **state) {
    (void)state;
    check_cases("loads_around_", 38);
    check_cases("stores_around_", 38);
    check_cases("global_loads_around_", 10);
    check_cases("global_stores_around_", 10);
    check_cases("constant_loads_around_", 10);
}

static void test_global_memory(void **state) {
    (void)state;
    check_cases("global_loads_", 15);
    check_cases("global_stores_by_", 2);
}

static void test_alignment(void **state) {
    (void)state;
    check_cases("aligned_", 28);
}

static void test_blocks(void **state) {
    (void)state;
    check_cases("blocks_", 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_of_a_piece),
        cmocka_unit_test(test_loads_through_one_base),
        cmocka_unit_test(test_stores_of_a_run),
        cmocka_unit_test(test_what_stands_between),
        cmocka_unit_test(test_global_memory),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, read_cases, finish);
}
