#define _GNU_SOURCE
#include "run/budgets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "output/sarif.h"
#include "output/whole_file.h"
#include "report/text.h"

enum { SENTENCE = 2048 };

bool hw_cli_budgets_read(const char *path, hw_budgets *budgets) {
    hw_diag diag = {0};
    char message[sizeof diag + 32], *text = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "r");
    const ssize_t bytes = in ? getdelim(&text, &room, '\0', in) : -1;
    const bool is_read = in && (bytes >= 0 || feof(in));
    if (!is_read) hw_cli_complain("cannot read %s: %s", path, strerror(errno));
    const size_t length = bytes > 0 ? (size_t)bytes : 0;
    const hw_status status = is_read ? hw_budgets_parse(budgets, text, length, path, &diag) : HW_IO;
    if (is_read && status) hw_cli_complain("%s", hw_diag_format(&diag, message, sizeof message));
    if (in) fclose(in);
    free(text);
    return !status;
}

// ---- JUnit XML, as Jenkins, GitLab and others read it ---------------------------------------------------------------

// Between tags or in an attribute; XML has no other control characters.
static void write_xml(const char *text, FILE *out) {
    static const struct {
        char c;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    for (; *text; text++) {
        const char *entity = NULL;
        for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
            if (*text == entities[i].c) entity = entities[i].entity;
        if (entity) fputs(entity, out);
        else fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static void write_attribute(const char *name, const char *value, FILE *out) {
    fprintf(out, " %s=\"", name);
    write_xml(value, out);
    fputc('"', out);
}

static void write_case(const hw_budget_verdict *v, FILE *out) {
    char name[HW_GRID_CELL], sentence[SENTENCE];
    fputs("    <testcase", out);
    write_attribute("classname", hw_report_short_name(v->launch->kernel, name, sizeof name), out);
    write_attribute("name", hw_condition_text(v->budget->condition), out);
    if (v->line && v->n_broken) {
        write_attribute("file", v->line->file, out);
        fprintf(out, " line=\"%u\"", v->line->line);
    }
    if (!v->n_broken) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n      <failure", out);
    write_attribute("message", hw_budget_sentence(v, sentence, sizeof sentence), out);
    fputs("/>\n    </testcase>\n", out);
}

static bool write_junit(const hw_budget_verdict *verdicts, size_t n, const char *program, FILE *out) {
    size_t broken = 0;
    for (size_t i = 0; i < n; i++) broken += verdicts[i].n_broken > 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    write_attribute("name", program, out);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\">\n", n, broken);
    for (size_t i = 0; i < n; i++) write_case(&verdicts[i], out);
    fputs("  </testsuite>\n</testsuites>\n", out);
    return true;
}

// ---- SARIF ----------------------------------------------------------------------------------------------------------

// A budget's rule is called as its table, else as its condition.
static const char *rule_of(const hw_budget *budget) {
    return *budget->name ? budget->name : hw_condition_text(budget->condition);
}

static bool add_result(json_t *results, const hw_budget_verdict *v) {
    char sentence[SENTENCE];
    const bool has_line = v->line && *v->line->file;
    hw_budget_sentence(v, sentence, sizeof sentence);
    json_t *places = json_array(), *location = hw_cli_sarif_location(v->launch->kernel, has_line ? v->line->file : NULL,
                                                                     has_line ? v->line->line : 0);
    const bool good = json_array_append_new(places, location) == 0;
    return hw_cli_sarif_add_result(results, rule_of(v->budget), "error", sentence, places, json_array(), json_array(),
                                   (json_int_t)v->n_broken) && good;
}

static bool write_sarif(const hw_budget_verdict *verdicts, size_t n, const char *program, FILE *out) {
    json_t *rules = json_array(), *results = json_array();
    bool good = true;
    (void)program;
    for (size_t i = 0; i < n; i++) {
        const bool is_first = !i || strcmp(rule_of(verdicts[i].budget), rule_of(verdicts[i - 1].budget)) != 0;
        if (is_first)
            good = hw_cli_sarif_add_rule(rules, rule_of(verdicts[i].budget),
                                         hw_condition_text(verdicts[i].budget->condition)) && good;
        if (verdicts[i].n_broken) good = add_result(results, &verdicts[i]) && good;
    }
    return hw_cli_sarif_write("halfwarp profile", rules, results, good, out);
}

// ---- The whole ------------------------------------------------------------------------------------------------------

typedef bool writer(const hw_budget_verdict *verdicts, size_t n, const char *program, FILE *out);

// 0, or HW_EXIT_USAGE after a complaint. path NULL: nothing is asked for.
static int deliver(const char *path, writer *write, const hw_budget_verdict *verdicts, size_t n, const char *program) {
    char *text = NULL;
    size_t bytes = 0;
    if (!path) return 0;
    FILE *memory = open_memstream(&text, &bytes);
    bool good = memory && write(verdicts, n, program, memory);
    if (memory && fclose(memory) != 0) good = false;
    if (!good) hw_cli_complain("out of memory");
    const int status = good ? hw_cli_write_file(path, text, bytes) : HW_EXIT_USAGE;
    free(text);
    return status;
}

int hw_cli_budgets_report(const hw_cli_launch *launch, const hw_report *report) {
    hw_budget_verdict *verdicts = NULL;
    hw_diag diag = {0};
    char sentence[SENTENCE];
    size_t n = 0, broken = 0;
    if (hw_budgets_check(&launch->budgets, report, &verdicts, &n, &diag)) {
        hw_cli_complain("%s", diag.text);
        return HW_EXIT_USAGE;
    }
    fflush(stdout);
    for (size_t i = 0; i < n; i++) {
        if (!verdicts[i].n_broken) continue;
        broken++;
        hw_cli_complain("%s", hw_budget_sentence(&verdicts[i], sentence, sizeof sentence));
    }
    int status = deliver(launch->junit, write_junit, verdicts, n, launch->program[0]);
    if (!status) status = deliver(launch->sarif, write_sarif, verdicts, n, launch->program[0]);
    hw_free(verdicts);
    return status ? status : broken ? HW_EXIT_FOUND : 0;
}
