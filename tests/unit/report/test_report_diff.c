// Profiles read again from what was written, and what has changed between two.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/diff.h"
#include "report_test.h"

static hw_status read_text(const char *text, hw_arena *arena, hw_profile *out, hw_diag *diag) {
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    const hw_status status = hw_profile_read(in, "p.json", arena, out, diag);
    fclose(in);
    return status;
}

static hw_profile read_again(const hw_report *report, hw_report_rows rows, hw_arena *arena) {
    hw_profile profile;
    hw_diag diag = {0};
    char *text = text_with(report, HW_REPORT_JSON, (hw_report_look){.rows = rows});
    if (read_text(text, arena, &profile, &diag)) fail_msg("%s", diag.text);
    free(text);
    return profile;
}

// What the writer makes of what was read is the same text, of each kind of GPU, by launches and summed up.
static void profiles_are_read_as_written(void **state) {
    (void)state;
    static const char *const gpus[] = {"h200", "m2090", "gtx280"};
    for (int i = 0; i < 6; i++) {
        hw_arena *arena = hw_arena_create();
        hw_report report = i < 3 ? old_sample(gpus[i]) : sample(true);
        if (i == 5) transposes[1].status = HW_FAULT;
        kernels[0].lines = lines;
        char *written = text_of(&report, HW_REPORT_JSON, false);
        hw_profile again = read_again(&report, HW_REPORT_ROWS_LAUNCHES, arena);
        assert_ptr_equal(again.report.gpu, report.gpu);
        char *twice = text_of(&again.report, HW_REPORT_JSON, false);
        assert_string_equal(twice, written);
        const hw_profile summed = read_again(&report, HW_REPORT_ROWS_SUMMARY, arena);
        assert_int_equal(summed.n_kernels, again.n_kernels);
        assert_memory_equal(summed.kernels[0].sum.counts, again.kernels[0].sum.counts,
                            sizeof again.kernels[0].sum.counts);
        assert_int_equal(summed.kernels[0].sum.status, again.kernels[0].sum.status);
        free(written);
        free(twice);
        hw_arena_destroy(arena);
    }
}

static void others_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "is no JSON"},
        {"[]", "is no profile"},
        {"{\"launches\": []}", "is no profile"},
        {"{\"gpu\": {\"id\": \"none\"}, \"launches\": []}", "is no GPU"},
        {"{\"gpu\": {\"id\": \"h200\"}, \"launches\": 3}", "is no list"},
        {"{\"gpu\": {\"id\": \"h200\"}, \"launches\": [7]}", "list of objects"},
        {"{\"gpu\": {\"id\": \"h200\"}, \"launches\": [{\"regs\": -1}]}", "\"regs\" is no number"},
        {"{\"gpu\": {\"id\": \"h200\"}, \"launches\": [{\"kernel\": 1}]}", "\"kernel\" is no text"},
        {"{\"gpu\": {\"id\": \"h200\"}, \"launches\": [{\"grid\": [1, 2]}]}", "\"grid\" is no shape"},
        {"{\"gpu\": {\"id\": \"h200\"}, \"launches\": [], \"kernels\": [{\"lines\": {}}]}", "\"lines\" is no list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_arena *arena = hw_arena_create();
        hw_profile profile;
        hw_diag diag = {0};
        assert_int_equal(read_text(cases[i].text, arena, &profile, &diag), HW_MALFORMED);
        if (!strstr(diag.text, cases[i].says)) fail_msg("%s: %s", cases[i].text, diag.text);
        hw_arena_destroy(arena);
    }
}

// A GPU of a user's own is like one of its compute capability.
static void unknown_gpus_are_taken(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_profile profile;
    hw_diag diag = {0};
    assert_int_equal(read_text("{\"gpu\": {\"id\": \"mine\", \"name\": \"Mine\", \"compute_capability\": \"8.6\"},"
                               "\"launches\": []}", arena, &profile, &diag), HW_OK);
    assert_string_equal(profile.report.gpu->name, "Mine");
    assert_int_equal(profile.report.gpu->arch->cc, 86);
    hw_arena_destroy(arena);
}

static const hw_diff_row *find_row(const hw_diff *diff, const char *kernel, const char *what, uint32_t old_line) {
    for (size_t i = 0; i < diff->n_rows; i++) {
        const hw_diff_row *row = &diff->rows[i];
        const char *name = row->column ? row->column->key : "";
        const uint32_t line = row->old_line ? row->old_line->line : 0;
        if (!strcmp(row->kernel, kernel) && !strcmp(name, what) && line == old_line) return row;
    }
    return NULL;
}

static hw_diff compare(const hw_profile *a, const hw_profile *b, hw_arena *arena) {
    hw_diff diff;
    hw_diag diag = {0};
    const hw_diff_options options = {.least_pct = 1, .lines = true};
    assert_int_equal(hw_diff_make(a, b, &options, arena, &diff, &diag), HW_OK);
    return diff;
}

static hw_profile profile_of(hw_report_launch *launch, hw_report_kernel *listing, hw_report_summary *row) {
    *row = (hw_report_summary){.sum = *launch, .launches = 1, .completed = 1};
    return (hw_profile){.report = {.gpu = hw_gpu_find("h200"), .launches = launch, .n_launches = 1, .has_lines = true,
                                   .kernels = listing, .n_kernels = 1},
                        .kernels = row, .n_kernels = 1};
}

static void kernels_are_compared(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_report_launch before = launch(0, "void f<1>(int*)"), after = launch(0, "void f<1>(int*, int)");
    hw_report_kernel none = {.kernel = "", .mangled = ""};
    hw_report_summary rows[2];
    before.mangled = "_Z1";
    after.mangled = "_Z2";
    after.counts[HW_COUNT_SMEM_WAVEFRONTS] = 2 * before.counts[HW_COUNT_SMEM_WAVEFRONTS];
    after.counts[HW_COUNT_INST] += 5;             // less than a percent
    after.estimate.us = 6.25;
    after.regs = 20;
    hw_profile old = profile_of(&before, &none, &rows[0]), new = profile_of(&after, &none, &rows[1]);
    hw_diff diff = compare(&old, &new, arena);
    const hw_diff_row *time = find_row(&diff, after.kernel, "est_us", 0);
    const hw_diff_row *passes = find_row(&diff, after.kernel, "bank_passes", 0);
    const hw_diff_row *regs = find_row(&diff, after.kernel, "regs", 0);
    assert_true(time && time->verdict == HW_DIFF_BETTER && time->change_pct == -50);
    assert_true(passes && passes->verdict == HW_DIFF_WORSE && fabs(passes->change_pct - 100) < 1e-9);
    assert_true(regs && regs->verdict == HW_DIFF_CHANGED);
    assert_null(find_row(&diff, after.kernel, "inst", 0));
    assert_int_equal(diff.n_slower, 0);
    diff = compare(&new, &old, arena);
    assert_int_equal(diff.n_slower, 1);
    // Another name: one is new and one is gone.
    rows[0].sum.kernel = "g(int*)";
    diff = compare(&old, &new, arena);
    assert_int_equal(diff.n_rows, 2);
    assert_string_equal(hw_diff_word(&diff.rows[0]), "new");
    assert_string_equal(hw_diff_word(&diff.rows[1]), "gone");
    assert_string_equal(diff.rows[1].kernel, "g(int*)");
    hw_arena_destroy(arena);
}

// A line that has moved is itself; what one side alone has is new or gone; folders do not matter.
static void lines_are_matched_by_text(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_report_line old_lines[3] = {{.file = "/a/x.cu", .line = 5, .text = "a = 1;"},
                                   {.file = "/a/x.cu", .line = 6, .text = "b = 2;"},
                                   {.file = "/a/x.cu", .line = 7, .text = "c = 3;"}};
    hw_report_line new_lines[3] = {{.file = "x.cu", .line = 5, .text = "a = 1;"},
                                   {.file = "x.cu", .line = 9, .text = "c = 3;"},
                                   {.file = "x.cu", .line = 10, .text = "d = 4;"}};
    for (int i = 0; i < 3; i++) old_lines[i].counts[HW_COUNT_INST] = new_lines[i].counts[HW_COUNT_INST] = 100;
    new_lines[1].counts[HW_COUNT_INST] = 150;
    hw_report_launch one = launch(0, "f()");
    hw_report_kernel old_listing = {.kernel = "f()", .mangled = "_Z", .lines = old_lines, .n_lines = 3};
    hw_report_kernel new_listing = {.kernel = "f()", .mangled = "_Z", .lines = new_lines, .n_lines = 3};
    hw_report_summary rows[2];
    hw_profile old = profile_of(&one, &old_listing, &rows[0]), new = profile_of(&one, &new_listing, &rows[1]);
    hw_diff diff = compare(&old, &new, arena);
    const hw_diff_row *moved = find_row(&diff, "f()", "inst", 7), *gone = find_row(&diff, "f()", "inst", 6);
    assert_true(moved && moved->new_line->line == 9 && moved->change_pct == 50);
    assert_true(gone && !gone->new_line);
    const hw_diff_row *added = find_row(&diff, "f()", "inst", 0);
    assert_true(added && added->new_line->line == 10);
    assert_int_equal(diff.n_rows, 3);
    // A line in the place of another is that one, changed.
    new_lines[0].text = "a = 10;";
    new_lines[0].counts[HW_COUNT_INST] = 300;
    diff = compare(&old, &new, arena);
    const hw_diff_row *changed = find_row(&diff, "f()", "inst", 5);
    assert_true(changed && changed->new_line == &new_lines[0] && changed->change_pct == 200);
    new_lines[0].counts[HW_COUNT_INST] = 100;
    // Without texts by number.
    for (int i = 0; i < 3; i++) old_lines[i].text = "";
    diff = compare(&old, &new, arena);
    assert_null(find_row(&diff, "f()", "inst", 5));
    const hw_diff_row *numbered = find_row(&diff, "f()", "inst", 7);
    assert_true(numbered && !numbered->new_line);
    hw_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_are_read_as_written), cmocka_unit_test(others_are_refused),
        cmocka_unit_test(unknown_gpus_are_taken),       cmocka_unit_test(kernels_are_compared),
        cmocka_unit_test(lines_are_matched_by_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
