#include "report/budget.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "report/text.h"

// ---- The list -------------------------------------------------------------------------------------------------------

static char *copy_text(const char *text, size_t length) {
    char *copy = hw_malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static void free_budget(hw_budget *budget) {
    hw_free(budget->name);
    hw_free(budget->file);
    hw_condition_free(budget->condition);
}

static hw_status add_budget(hw_budgets *budgets, const char *condition, const char *name, const char *file, int line,
                            hw_diag *diag) {
    hw_budget one = {.name = copy_text(name, strlen(name)), .file = copy_text(file, strlen(file)), .line = line};
    hw_status status = one.name && one.file ? hw_condition_parse(condition, &one.condition, diag)
                                            : hw_diag_no_memory(diag);
    if (!status && !hw_grow((void **)&budgets->items, budgets->n, &budgets->capacity, sizeof *budgets->items))
        status = hw_diag_no_memory(diag);
    if (status) free_budget(&one);
    else budgets->items[budgets->n++] = one;
    return status;
}

hw_status hw_budgets_add(hw_budgets *budgets, const char *condition, hw_diag *diag) {
    return add_budget(budgets, condition, "", "", 0, diag);
}

void hw_budgets_free(hw_budgets *budgets) {
    for (size_t i = 0; i < budgets->n; i++) free_budget(&budgets->items[i]);
    hw_free(budgets->items);
    *budgets = (hw_budgets){.items = NULL};
}

// ---- TOML, as far as budgets need it --------------------------------------------------------------------------------

typedef struct reader {
    const char *at, *end, *file;
    int line;
    char table[128];                 // that the lines are in
    hw_budgets *budgets;
    hw_diag *diag;
} reader;

static hw_status refuse(const reader *r, const char *why) {
    return hw_diag_set_at(r->diag, HW_MALFORMED, r->file, r->line, "%s", why);
}

static char peek(const reader *r) { return r->at < r->end ? *r->at : '\0'; }

static void skip_blanks(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) r->at++;
}

// Blanks, comments and, of arrays and between entries, ends of lines.
static void skip_lines(reader *r) {
    for (skip_blanks(r); r->at < r->end && (*r->at == '#' || *r->at == '\n'); skip_blanks(r)) {
        if (*r->at == '#') while (r->at < r->end && *r->at != '\n') r->at++;
        else r->line++, r->at++;
    }
}

static bool is_key_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_-.", c));
}

static hw_status read_table(reader *r) {
    const char *begin = ++r->at;
    while (is_key_letter(peek(r))) r->at++;
    const size_t length = (size_t)(r->at - begin);
    if (!length || length >= sizeof r->table || peek(r) != ']')
        return refuse(r, "a table is a name in brackets: [tiles]; tables in arrays ([[...]]) are none of budgets");
    memcpy(r->table, begin, length);
    r->table[length] = '\0';
    r->at++;
    return HW_OK;
}

// In '...' as it stands, in "..." with \" and \\; into a new text.
static hw_status read_string(reader *r, char **out) {
    const char quote = peek(r);
    if (quote != '\'' && quote != '"') return refuse(r, "fail-if is a text in quotes, or an array of them");
    const char *begin = ++r->at;
    char *text = copy_text(begin, (size_t)(r->end - begin)), *to = text;
    if (!text) return hw_diag_no_memory(r->diag);
    for (; r->at < r->end && *r->at != quote && *r->at != '\n' && *r->at; r->at++) {
        if (quote == '"' && *r->at == '\\' && r->at + 1 < r->end) {
            if (*++r->at != '"' && *r->at != '\\') {
                hw_free(text);
                return refuse(r, "of escapes, \\\" and \\\\ are known; text in '...' needs none");
            }
        }
        *to++ = *r->at;
    }
    *to = '\0';
    *out = text;
    if (peek(r) == quote) {
        r->at++;
        return HW_OK;
    }
    hw_free(text);
    return refuse(r, "a text has no quote at its end; it ends in its line");
}

static hw_status read_condition(reader *r) {
    char *text = NULL;
    hw_diag why = {0};
    hw_status status = read_string(r, &text);
    if (status) return status;
    status = add_budget(r->budgets, text, r->table, r->file, r->line, &why);
    hw_free(text);
    return status == HW_MALFORMED ? refuse(r, why.text) : status ? hw_diag_no_memory(r->diag) : HW_OK;
}

static hw_status read_conditions(reader *r) {
    if (peek(r) != '[') return read_condition(r);
    r->at++;
    for (skip_lines(r); peek(r) != ']'; skip_lines(r)) {
        hw_status status = read_condition(r);
        if (status) return status;
        skip_lines(r);
        if (peek(r) == ',') r->at++;
        else if (peek(r) != ']') return refuse(r, "an array of texts has commas between them and ends with a bracket");
    }
    r->at++;
    return HW_OK;
}

static hw_status read_entry(reader *r) {
    static const char key[] = "fail-if";
    const char *begin = r->at;
    if (*r->at == '[') return read_table(r);
    while (is_key_letter(peek(r))) r->at++;
    if ((size_t)(r->at - begin) != strlen(key) || strncmp(begin, key, strlen(key)) != 0)
        return refuse(r, "budgets have one key: fail-if = \"CONDITION\", or [\"CONDITION\", ...]");
    skip_blanks(r);
    if (peek(r) != '=') return refuse(r, "an '=' stands behind fail-if");
    r->at++;
    skip_blanks(r);
    return read_conditions(r);
}

hw_status hw_budgets_parse(hw_budgets *budgets, const char *text, size_t bytes, const char *name, hw_diag *diag) {
    reader r = {.at = text, .end = text + bytes, .file = name, .line = 1, .budgets = budgets, .diag = diag};
    hw_status status = HW_OK;
    for (skip_lines(&r); !status && r.at < r.end; skip_lines(&r)) {
        const int line = r.line;
        status = read_entry(&r);
        skip_blanks(&r);
        if (!status && r.line >= line && r.at < r.end && *r.at != '\n' && *r.at != '#')
            status = refuse(&r, "something stands behind the end of an entry");
    }
    return status;
}

// ---- Verdicts -------------------------------------------------------------------------------------------------------

static const hw_report_kernel *find_listing(const hw_report *report, const char *mangled) {
    for (size_t i = 0; report->lines_of == HW_LINES_OF_KERNEL && i < report->n_kernels; i++)
        if (!strcmp(report->kernels[i].mangled, mangled)) return &report->kernels[i];
    return NULL;
}

// The line with most of the first column that lines have a part of.
static void find_line(hw_budget_verdict *verdict, const hw_report *report) {
    enum { MOST = 8 };
    const hw_column *columns[MOST];
    const hw_subject subject = {.launch = verdict->launch, .counts = verdict->launch->counts};
    const hw_report_kernel *listing = find_listing(report, verdict->launch->mangled);
    const size_t n = hw_condition_columns(verdict->budget->condition, &subject, columns, MOST);
    for (size_t c = 0; c < n && listing && !verdict->line; c++) {
        double all = 0, most = 0;
        for (size_t i = 0; i < listing->n_lines; i++) {
            const double part = hw_column_excess(columns[c], listing->lines[i].counts);
            all += part;
            if (part <= most || !listing->lines[i].line) continue;
            most = part;
            verdict->line = &listing->lines[i];
        }
        verdict->line_pct = all > 0 ? 100 * most / all : 0;
    }
}

static bool is_known(const hw_budget_verdict *verdicts, size_t n, const hw_report_launch *launch, size_t *at) {
    for (*at = 0; *at < n; ++*at)
        if (!strcmp(verdicts[*at].launch->mangled, launch->mangled)) return true;
    return false;
}

// The verdicts of one budget. Returns how many.
static size_t check_budget(const hw_budget *budget, const hw_report *report, hw_budget_verdict *verdicts) {
    size_t n = 0, at = 0;
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *launch = &report->launches[i];
        const bool is_same = n && verdicts[at].launch->mangled == launch->mangled;   // as a rule it is the last one's
        if (!is_same && !is_known(verdicts, n, launch, &at))
            verdicts[n++] = (hw_budget_verdict){.budget = budget, .launch = launch};
        hw_budget_verdict *v = &verdicts[at];
        v->n_launches++;
        if (!hw_condition_holds(budget->condition, &(hw_subject){.launch = launch, .counts = launch->counts})) continue;
        if (!v->n_broken++) v->launch = launch;
    }
    for (size_t i = 0; i < n; i++)
        if (verdicts[i].n_broken) find_line(&verdicts[i], report);
    return n;
}

static size_t count_kernels(const hw_report *report) {
    size_t n = 0;
    for (size_t i = 0; i < report->n_launches; i++) {
        bool is_first = !i || report->launches[i].mangled != report->launches[i - 1].mangled;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = strcmp(report->launches[i].mangled, report->launches[k].mangled) != 0;
        n += is_first;
    }
    return n;
}

hw_status hw_budgets_check(const hw_budgets *budgets, const hw_report *report, hw_budget_verdict **verdicts, size_t *n,
                           hw_diag *diag) {
    *n = 0;
    *verdicts = hw_calloc(count_kernels(report) * budgets->n + 1, sizeof **verdicts);
    if (!*verdicts) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < budgets->n; i++) *n += check_budget(&budgets->items[i], report, *verdicts + *n);
    return HW_OK;
}

const char *hw_budget_sentence(const hw_budget_verdict *v, char *out, size_t bytes) {
    char name[HW_GRID_CELL], why[256], others[64] = "", place[HW_GRID_CELL] = "";
    const hw_subject subject = {.launch = v->launch, .counts = v->launch->counts};
    hw_condition_explain(v->budget->condition, &subject, why, sizeof why);
    if (v->n_broken > 1) snprintf(others, sizeof others, ", and %" PRIu64 " more,", v->n_broken - 1);
    if (v->line)
        snprintf(place, sizeof place, "; %.300s:%u has %.0f%% of it", v->line->file, v->line->line, v->line_pct);
    snprintf(out, bytes, "launch %" PRIu64 " of %s%s broke the budget '%s'%s%s%s%s%s", v->launch->ordinal,
             hw_report_short_name(v->launch->kernel, name, sizeof name), others,
             hw_condition_text(v->budget->condition), *v->budget->name ? " of " : "", v->budget->name,
             *why ? ": " : "", why, place);
    return out;
}
