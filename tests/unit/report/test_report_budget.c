// Conditions on launches, budgets in files, and what is told of those that are broken.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/budget.h"
#include "report_test.h"

static hw_condition *parse(const char *text) {
    hw_condition *condition;
    hw_diag diag = {0};
    if (hw_condition_parse(text, &condition, &diag)) fail_msg("%s: %s", text, diag.text);
    return condition;
}

// Of the sample's second launch: tile<32, 0>, bank_passes 16.5, 4 sectors per request, 16 registers.
static void conditions_hold(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        {"bank_passes > 16.4", true}, {"bank_passes>16.5", false}, {"bank_passes >= 1.65e1", true},
        {"gst_sectors_ratio == 1", true}, {"gst_sectors / gst_requests <= 4", true}, {"regs != 16", false},
        {"kernel =~ /tile/", true}, {"kernel !~ /tile<32, 0>/", false}, {"kernel =~ /^naive/", false},
        {"kernel == 'x' or est_bound == \"shared\"", true}, {"est_bound != 'shared'", false},
        {"not regs == 16", false}, {"not (regs == 16 and bank_passes < 2)", true}, {"! (regs > 16)", true},
        {"regs == 16 and bank_passes < 2 or kernel =~ /tile/", true},
        {"regs == 15 && bank_passes < 2 || kernel =~ /none/", false},
        {"regs == 17 and regs == 16 or regs == 16", true}, {"regs == 16 or regs == 17 and regs == 17", true},
        {"(regs + 2) * 2 == 36", true}, {"(regs + 2) * (1 - 3) == -36", true}, {"regs - 2 - 3 == 11", true},
        {"2 + regs * 2 == 34", true}, {"-regs < -15.5", true}, {"((regs) == 16)", true}, {".5 < regs", true},
        {"ptx_by =~ /nvcc 1[0-9]/", true}, {"regs / 0 > 0", false}, {"lanes_per_inst == 32", true},
        // What was not counted is in no relation to anything.
        {"gld_partition_pct < 50", false}, {"gld_partition_pct >= 50", false},
        {"kernel =~ /a\\/b|tile/", true},
    };
    sample(false);
    const hw_subject subject = {.launch = &transposes[1], .counts = transposes[1].counts};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_condition *condition = parse(cases[i].text);
        if (hw_condition_holds(condition, &subject) != cases[i].holds) fail_msg("%s", cases[i].text);
        assert_string_equal(hw_condition_text(condition), cases[i].text);
        hw_condition_free(condition);
    }
}

static void nonsense_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "ends where a number or a column"},
        {"bank_passes", "ends where a comparison"},
        {"foo > 1", "'foo' where a number, or a column"},
        {"launches > 1", "'launches' where"},
        {"file == 'x'", "'file' where"},
        {"regs > 1 regs", "'regs' where 'and', 'or' or the end"},
        {"regs > 1 and", "ends where"},
        {"((regs > 1)", "ends where a closing bracket"},
        {"(regs + 1 > 1", "closing bracket"},
        {"kernel > 1", "text for a number"},
        {"kernel + 1 > 1", "text for a number"},
        {"kernel == 1", "text for a number"},
        {"regs =~ /1/", "no text"},
        {"kernel =~ 'x'", "regular expression between slashes"},
        {"kernel =~ /x", "slash behind it"},
        {"kernel =~ /(/", "no extended regular expression"},
        {"kernel == 'x", "quote behind it"},
        {"regs > 1.2.3", "'1.2.3'"},
        {"regs > 1e999", "'1e999'"},
        {"regs > @", "'@'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_condition *condition;
        hw_diag diag = {0};
        assert_int_equal(hw_condition_parse(cases[i].text, &condition, &diag), HW_MALFORMED);
        assert_null(condition);
        if (!strstr(diag.text, cases[i].says)) fail_msg("%s: %s", cases[i].text, diag.text);
    }
    char deep[1024] = "";
    hw_condition *condition;
    hw_diag diag = {0};
    memset(deep, '(', 500);
    assert_int_equal(hw_condition_parse(deep, &condition, &diag), HW_MALFORMED);
}

static void files_are_read(void **state) {
    (void)state;
    static const char text[] = "# all\nfail-if = \"regs > 20 # no comment\"\n";
    static const char good[] = "fail-if='regs > 20' # of all\r\n\n[tiles.and-more]\nfail-if = [\n"
                               "  'kernel =~ /\\/x/', # one\n\"kernel == \\\"a\\\"\"\n,\n]\n[none]\n";
    hw_budgets budgets = {0};
    hw_diag diag = {0};
    assert_int_equal(hw_budgets_parse(&budgets, text, strlen(text), "b.toml", &diag), HW_MALFORMED);
    assert_int_equal(diag.line, 2);
    diag = (hw_diag){0};
    if (hw_budgets_parse(&budgets, good, strlen(good), "b.toml", &diag)) fail_msg("%s", diag.text);
    assert_int_equal(budgets.n, 3);
    assert_string_equal(budgets.items[0].name, "");
    assert_string_equal(budgets.items[1].name, "tiles.and-more");
    assert_string_equal(hw_condition_text(budgets.items[1].condition), "kernel =~ /\\/x/");
    assert_string_equal(hw_condition_text(budgets.items[2].condition), "kernel == \"a\"");
    assert_int_equal(budgets.items[2].line, 6);
    hw_budgets_free(&budgets);
    static const char *const bad[] = {"x = 1", "fail-if", "fail-if = 3", "fail-if = 'regs > 1", "fail-if = ['regs > 1'",
                                      "fail-if = ['regs > 1' 'regs > 2']", "[[budget]]", "[a", "fail-if = \"\\n\"",
                                      "fail-if = 'regs > 1' x", "fail-if = 'foo > 1'", "[a] b"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        diag = (hw_diag){0};
        if (hw_budgets_parse(&budgets, bad[i], strlen(bad[i]), "b.toml", &diag) != HW_MALFORMED) fail_msg("%s", bad[i]);
        assert_int_equal(diag.line, 1);
        assert_string_equal(diag.file, "b.toml");
        hw_budgets_free(&budgets);
    }
}

static void verdicts_name_launch_and_line(void **state) {
    (void)state;
    hw_report report = sample(true);
    hw_budgets budgets = {0};
    hw_budget_verdict *verdicts;
    size_t n;
    char sentence[512];
    hw_diag diag = {0};
    transposes[1].mangled = transposes[2].mangled = "_Ztile";
    lines[1].line = 9;
    assert_int_equal(hw_budgets_add(&budgets, "gst_sectors_ratio > 2", &diag), HW_OK);
    assert_int_equal(hw_budgets_add(&budgets, "not bank_passes < 1", &diag), HW_OK);
    assert_int_equal(hw_budgets_check(&budgets, &report, &verdicts, &n, &diag), HW_OK);
    assert_int_equal(n, 4);                       // two budgets, two kernels
    assert_true(verdicts[0].n_broken == 1 && verdicts[0].n_launches == 1 && verdicts[1].n_broken == 0);
    assert_true(verdicts[1].n_launches == 2 && verdicts[3].n_broken == 2 && verdicts[3].launch->ordinal == 1);
    assert_ptr_equal(verdicts[0].line, &lines[0]);
    assert_string_equal(hw_budget_sentence(&verdicts[0], sentence, sizeof sentence),
                        "launch 0 of naive broke the budget 'gst_sectors_ratio > 2': gst_sectors_ratio is 8 and the "
                        "limit 2; transpose.cu:7 has 100% of it");
    assert_string_equal(hw_budget_sentence(&verdicts[3], sentence, sizeof sentence),
                        "launch 1 of tile<32, 0>, and 1 more, broke the budget 'not bank_passes < 1': bank_passes is "
                        "16.5 and the limit 1");
    hw_free(verdicts);
    hw_budgets_free(&budgets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_hold), cmocka_unit_test(nonsense_is_refused), cmocka_unit_test(files_are_read),
        cmocka_unit_test(verdicts_name_launch_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
