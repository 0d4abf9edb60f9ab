#include "report/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/text.h"

// ---- What is compared -----------------------------------------------------------------------------------------------

typedef enum wish { ANY, LESS, MORE } wish;   // which way is better

typedef struct compared {
    hw_column_id column;
    wish wish;
} compared;

#define C(id) HW_COLUMN_##id
static const compared of_kernels[] = {
    {C(EST_US), LESS}, {C(EST_BOUND), ANY}, {C(LAUNCHES), ANY}, {C(REGS), ANY}, {C(SPILL_BYTES), LESS},
    {C(SMEM_STATIC), ANY}, {C(SMEM_DYNAMIC), ANY}, {C(OCCUPANCY_PCT), MORE}, {C(COUNT_INST), LESS},
    {C(LANES_PER_INST), MORE}, {C(COUNT_GLD_REQUESTS), LESS}, {C(GLD_SECTORS_RATIO), LESS},
    {C(COUNT_GST_REQUESTS), LESS}, {C(GST_SECTORS_RATIO), LESS}, {C(COUNT_L2_SECTORS), LESS},
    {C(COUNT_SMEM_WAVEFRONTS), LESS}, {C(BANK_PASSES_RATIO), LESS}, {C(LOCAL_BYTES), LESS}, {C(DIVERGENCE_PCT), LESS},
    {C(COUNT_BARRIERS), ANY}, {C(COUNT_ATOMICS), LESS}};
static const compared of_lines[] = {
    {C(COUNT_INST), LESS}, {C(LANES_PER_INST), MORE}, {C(COUNT_GLD_SECTORS), LESS}, {C(COUNT_GST_SECTORS), LESS},
    {C(COUNT_SMEM_WAVEFRONTS), LESS}, {C(LOCAL_BYTES), LESS}, {C(COUNT_BRANCHES_DIVERGENT), LESS}};
#undef C
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

typedef struct differ {
    const hw_diff_options *options;
    hw_arena *arena;
    hw_diff *out;
    hw_diff_row *rows;           // grows; copied to the arena at the end
    size_t n_rows, capacity;
    bool ran_out;
} differ;

static void add_row(differ *d, hw_diff_row row) {
    if (!hw_grow((void **)&d->rows, d->n_rows, &d->capacity, sizeof *d->rows)) {
        d->ran_out = true;
        return;
    }
    d->rows[d->n_rows++] = row;
}

static double number_of(const hw_value *value) {
    const bool is_real = value->kind == HW_VALUE_REAL || value->kind == HW_VALUE_PAIR;
    return value->is_absent ? 0 : is_real ? value->real : (double)value->integer;
}

// Sets what has changed; false: too little.
static bool compare_values(hw_diff_row *row, wish wish, double least_pct) {
    if (row->before.kind == HW_VALUE_TEXT && row->after.kind == HW_VALUE_TEXT)
        return !row->before.is_absent && !row->after.is_absent && strcmp(row->before.text, row->after.text) != 0;
    const double before = number_of(&row->before), after = number_of(&row->after);
    if (before == after) return false;
    row->change_pct = before > 0 ? 100 * (after - before) / before : HUGE_VAL;
    if (fabs(row->change_pct) < least_pct) return false;
    if (wish != ANY) row->verdict = (after < before) == (wish == LESS) ? HW_DIFF_BETTER : HW_DIFF_WORSE;
    return true;
}

// Subjects without their counts: that side has no such line.
static void compare_columns(differ *d, hw_diff_row row, const compared *list, size_t n, const hw_subject *before,
                            const hw_subject *after) {
    for (size_t i = 0; i < n; i++) {
        row.column = &hw_columns[list[i].column];
        row.before = before->counts ? hw_column_value(row.column, before) : hw_value_nothing();
        row.after = after->counts ? hw_column_value(row.column, after) : hw_value_nothing();
        row.verdict = HW_DIFF_CHANGED;
        const bool has_sides = before->counts && after->counts;
        if (!has_sides && list[i].column == HW_COLUMN_LANES_PER_INST) continue;   // a mean of nothing
        if (!compare_values(&row, list[i].wish, d->options->least_pct)) continue;
        if (!row.old_line && !row.new_line) {
            d->out->n_worse += row.verdict == HW_DIFF_WORSE;
            d->out->n_better += row.verdict == HW_DIFF_BETTER;
            d->out->n_slower += row.verdict == HW_DIFF_WORSE && list[i].column == HW_COLUMN_EST_US;
        }
        add_row(d, row);
    }
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

typedef struct run {
    const hw_report_line *lines;
    size_t n;
} run;

// The lines of one file, which lie beside each other.
static run run_at(const hw_report_kernel *kernel, size_t first) {
    run r = {.lines = &kernel->lines[first], .n = 1};
    while (first + r.n < kernel->n_lines && !strcmp(kernel->lines[first + r.n].file, r.lines->file)) r.n++;
    return r;
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// That file's lines in another listing: under the same path, else under the same name in another folder, which it may
// have been built in. None where it has none.
static run find_run(const hw_report_kernel *kernel, const char *file) {
    run found = {0};
    for (size_t first = 0; first < kernel->n_lines;) {
        const run r = run_at(kernel, first);
        if (strcmp(r.lines->file, file) == 0) return r;
        if (!found.n && strcmp(base_of(r.lines->file), base_of(file)) == 0) found = r;
        first += r.n;
    }
    return found;
}

static bool have_texts(const hw_report_line *a, const hw_report_line *b) {
    return a->text && *a->text && b->text && *b->text;
}

static bool is_same_line(const hw_report_line *a, const hw_report_line *b) {
    return have_texts(a, b) ? strcmp(a->text, b->text) == 0 : a->line == b->line;
}

// Of more pairs of lines the table below would be large; such files are compared by number.
enum { MOST_PAIRS = 1 << 24 };
static bool is_small(run a, run b) {
    return a.n < MOST_PAIRS && b.n < MOST_PAIRS && (a.n + 1) * (b.n + 1) <= MOST_PAIRS;
}

static void compare_lines(differ *d, hw_diff_row row, const hw_report_line *before, const hw_report_line *after) {
    const hw_subject old_subject = {.line = before, .counts = before ? before->counts : NULL};
    const hw_subject new_subject = {.line = after, .counts = after ? after->counts : NULL};
    row.old_line = before;
    row.new_line = after;
    compare_columns(d, row, of_lines, N_OF(of_lines), &old_subject, &new_subject);
}

// lengths[i][j]: of the longest common subsequence of the lines behind i and j. NULL: out of memory.
static uint32_t *common_lengths(run a, run b) {
    const size_t width = b.n + 1;
    uint32_t *lengths = hw_calloc(a.n + 1, width * sizeof *lengths);
    for (size_t i = a.n; lengths && i-- > 0;)
        for (size_t j = b.n; j-- > 0;) {
            const uint32_t down = lengths[(i + 1) * width + j], right = lengths[i * width + j + 1];
            lengths[i * width + j] = is_same_line(&a.lines[i], &b.lines[j]) ? lengths[(i + 1) * width + j + 1] + 1
                                     : down > right                         ? down
                                                                            : right;
        }
    return lengths;
}

static void compare_by_number(differ *d, hw_diff_row row, run a, run b) {
    for (size_t i = 0, j = 0; i < a.n || j < b.n;) {
        const uint32_t old = i < a.n ? a.lines[i].line : UINT32_MAX, now = j < b.n ? b.lines[j].line : UINT32_MAX;
        compare_lines(d, row, old <= now && i < a.n ? &a.lines[i] : NULL, now <= old && j < b.n ? &b.lines[j] : NULL);
        i += old <= now && i < a.n;
        j += now <= old && j < b.n;
    }
}

// Lines between two that are the same in both: they have been changed, and are compared in their order; what is left
// over is gone, or new.
static void compare_changed(differ *d, hw_diff_row row, run a, run b) {
    const bool are_changed = a.n && b.n && have_texts(a.lines, b.lines);
    const size_t n_changed = !are_changed ? 0 : a.n < b.n ? a.n : b.n;
    for (size_t i = 0; i < n_changed; i++) compare_lines(d, row, &a.lines[i], &b.lines[i]);
    for (size_t i = n_changed; i < a.n; i++) compare_lines(d, row, &a.lines[i], NULL);
    for (size_t i = n_changed; i < b.n; i++) compare_lines(d, row, NULL, &b.lines[i]);
}

static void compare_by_text(differ *d, hw_diff_row row, run a, run b) {
    uint32_t *lengths = common_lengths(a, b);
    const size_t width = b.n + 1;
    size_t i = 0, j = 0;
    if (!lengths) d->ran_out = true;
    while (lengths && (i < a.n || j < b.n)) {
        const size_t old_begin = i, new_begin = j;
        while ((i < a.n || j < b.n) && !(i < a.n && j < b.n && is_same_line(&a.lines[i], &b.lines[j]))) {
            const bool is_gone = j == b.n || (i < a.n && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]);
            i += is_gone;
            j += !is_gone;
        }
        compare_changed(d, row, (run){a.lines + old_begin, i - old_begin}, (run){b.lines + new_begin, j - new_begin});
        if (i < a.n && j < b.n) compare_lines(d, row, &a.lines[i++], &b.lines[j++]);
    }
    hw_free(lengths);
}

static void compare_runs(differ *d, hw_diff_row row, run a, run b) {
    if (is_small(a, b)) compare_by_text(d, row, a, b);
    else compare_by_number(d, row, a, b);
}

static const hw_report_kernel *find_listing(const hw_profile *profile, const hw_report_summary *row) {
    const hw_report *report = &profile->report;
    for (size_t i = 0; report->lines_of == HW_LINES_OF_KERNEL && i < report->n_kernels; i++) {
        const hw_report_kernel *kernel = &report->kernels[i];
        if (!strcmp(kernel->mangled, row->sum.mangled) || !strcmp(kernel->kernel, row->sum.kernel)) return kernel;
    }
    return NULL;
}

static void compare_listings(differ *d, hw_diff_row row, const hw_report_kernel *a, const hw_report_kernel *b) {
    for (size_t first = 0; first < b->n_lines;) {
        const run r = run_at(b, first);
        compare_runs(d, row, find_run(a, r.lines->file), r);
        first += r.n;
    }
    for (size_t first = 0; first < a->n_lines;) {
        const run r = run_at(a, first);
        if (!find_run(b, r.lines->file).n) compare_runs(d, row, r, (run){0});
        first += r.n;
    }
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

static bool has_kernel(const hw_profile *profile, const char *mangled) {
    for (size_t i = 0; i < profile->n_kernels; i++)
        if (!strcmp(profile->kernels[i].sum.mangled, mangled)) return true;
    return false;
}

static bool has_same_name(const char *a, const char *b) {
    char first[HW_GRID_CELL], second[HW_GRID_CELL];
    return strcmp(hw_report_short_name(a, first, sizeof first), hw_report_short_name(b, second, sizeof second)) == 0;
}

// The only kernel of profile with that name that the other profile has not; NULL where there is none, or several.
static const hw_report_summary *find_left_over(const hw_profile *profile, const hw_profile *other, const char *name) {
    const hw_report_summary *found = NULL;
    for (size_t i = 0; i < profile->n_kernels; i++) {
        const hw_report_launch *sum = &profile->kernels[i].sum;
        if (has_kernel(other, sum->mangled) || !has_same_name(sum->kernel, name)) continue;
        if (found) return NULL;
        found = &profile->kernels[i];
    }
    return found;
}

// That kernel of `profile` in `other`; NULL: it is not there.
static const hw_report_summary *find_partner(const hw_profile *profile, const hw_profile *other,
                                             const hw_report_summary *row) {
    for (size_t i = 0; i < other->n_kernels; i++)
        if (!strcmp(other->kernels[i].sum.mangled, row->sum.mangled)) return &other->kernels[i];
    if (find_left_over(profile, other, row->sum.kernel) != row) return NULL;
    return find_left_over(other, profile, row->sum.kernel);
}

static hw_diff_row row_of(const hw_report_summary *kernel) {
    return (hw_diff_row){.kernel = kernel->sum.kernel, .mangled = kernel->sum.mangled};
}

static void compare_kernels(differ *d, const hw_report_summary *before, const hw_report_summary *after) {
    const hw_diff_row row = row_of(after);
    const hw_subject old_subject = {.launch = &before->sum, .summary = before, .counts = before->sum.counts};
    const hw_subject new_subject = {.launch = &after->sum, .summary = after, .counts = after->sum.counts};
    compare_columns(d, row, of_kernels, N_OF(of_kernels), &old_subject, &new_subject);
    const hw_report_kernel *old_listing = find_listing(d->out->before, before);
    const hw_report_kernel *new_listing = find_listing(d->out->after, after);
    if (d->options->lines && old_listing && new_listing) compare_listings(d, row, old_listing, new_listing);
}

static void compare_profiles(differ *d, const hw_profile *before, const hw_profile *after) {
    for (size_t i = 0; i < after->n_kernels; i++) {
        const hw_report_summary *kernel = &after->kernels[i], *old = find_partner(after, before, kernel);
        hw_diff_row row = row_of(kernel);
        row.is_new = true;
        if (old) compare_kernels(d, old, kernel);
        else add_row(d, row);
    }
    for (size_t i = 0; i < before->n_kernels; i++)
        if (!find_partner(before, after, &before->kernels[i])) add_row(d, row_of(&before->kernels[i]));
}

static double time_of(const hw_profile *profile) {
    double us = 0;
    for (size_t i = 0; i < profile->n_kernels; i++) us += profile->kernels[i].sum.estimate.us;
    return us;
}

hw_status hw_diff_make(const hw_profile *before, const hw_profile *after, const hw_diff_options *options,
                       hw_arena *arena, hw_diff *out, hw_diag *diag) {
    *out = (hw_diff){.before = before, .after = after, .before_us = time_of(before), .after_us = time_of(after)};
    differ d = {.options = options, .arena = arena, .out = out};
    compare_profiles(&d, before, after);
    hw_diff_row *rows = d.ran_out ? NULL : hw_arena_take(arena, (d.n_rows + 1) * sizeof *rows);
    if (rows && d.n_rows) memcpy(rows, d.rows, d.n_rows * sizeof *rows);
    out->rows = rows;
    out->n_rows = rows ? d.n_rows : 0;
    hw_free(d.rows);
    return rows ? HW_OK : hw_diag_no_memory(diag);
}

const char *hw_diff_word(const hw_diff_row *row) {
    if (!row->column) return row->is_new ? "new" : "gone";
    return row->verdict == HW_DIFF_WORSE ? "worse" : row->verdict == HW_DIFF_BETTER ? "better" : "";
}
