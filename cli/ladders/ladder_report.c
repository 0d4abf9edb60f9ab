// A ladder as a table.
#include "ladders/ladder_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ladders/ladder_columns.h"

bool hw_cli_ladder_is_timed(const hw_ladder *ladder) { return ladder->device->kind != HW_DEVICE_SIM; }

const char *hw_cli_ladder_size(const hw_family *family, const hw_problem *problem, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < HW_PROBLEM_SIZES && family->size_names[i] && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%" PRIu64, i ? "x" : "", problem->size[i]);
    return text;
}

bool hw_cli_ladder_is_right(const hw_ladder_row *row) { return !row->status && row->verdict.right; }

const char *hw_cli_ladder_result(const hw_ladder_row *row) {
    if (row->status) return row->status == HW_USAGE ? "refused" : "failed";
    return row->verdict.right ? "right" : "wrong";
}

double hw_cli_ladder_rate(const hw_ladder *ladder, const hw_ladder_row *row) {
    return ladder->work.operations > 0 ? row->gops : row->gbs;
}

const char *hw_cli_ladder_bound(const hw_ladder *ladder, const hw_ladder_row *row) {
    if (hw_cli_ladder_is_timed(ladder)) return row->is_at_floor ? hw_bound_name(HW_BOUND_LAUNCH) : "";
    if (row->estimate_us <= 0) return "";
    const hw_bound bound = hw_model_bound(row->bound_us, row->estimate_us);
    const bool is_link = row->copies_us > row->estimate_us / 2 || (row->reaches_host && bound == HW_BOUND_MEMORY);
    return is_link ? "link" : hw_bound_name(bound);
}

hw_cli_ladder_unit hw_cli_ladder_unit_of(const hw_ladder *ladder) {
    double fastest = 0;
    if (ladder->work.operations <= 0) return (hw_cli_ladder_unit){.name = "GB/s", .divisor = 1};
    for (size_t i = 0; i < ladder->n_rows; i++)
        if (ladder->rows[i].gops > fastest) fastest = ladder->rows[i].gops;
    hw_cli_ladder_unit unit = {.divisor = fastest >= 1000 ? 1000 : 1};
    bool is_flop = strcmp(ladder->work.operation, "flop") == 0;
    snprintf(unit.name, sizeof unit.name, "%c%s%s/s", fastest >= 1000 ? 'T' : 'G',
             is_flop ? "FLOP" : ladder->work.operation, is_flop ? "" : "s");
    return unit;
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

// Times and counters are two tables; what is too wide for a line is cut further (report/grid.h).
#define C(id) &hw_cli_ladder_columns[HW_LADDER_##id]
static const hw_column *const count_columns[] = {C(NUMBER), C(RUNG), C(BLOCK), C(SECTORS_LOAD), C(SECTORS_STORE),
                                                 C(L2_TRAFFIC), C(TEXELS_TOUCHED), C(TEXELS_MISSED), C(PARTITIONS),
                                                 C(BANK_PASSES), C(OCCUPANCY)};
static const hw_column *const access_columns[] = {
    C(NUMBER), C(RUNG), C(LOAD_PARTS), C(LOAD_BYTES), C(STORE_PARTS), C(STORE_BYTES), C(SHARED_LOAD), C(SHARED_STORE),
    C(CONSTANT_LOAD), C(PARTED)};

typedef struct table {
    const hw_cli_ladder_view *view;
    bool colour;
    int width;
    FILE *out;
} table;

static void write_columns(const table *t, const hw_column *const *columns, size_t n_columns,
                          bool (*has_row)(const void *of, size_t row)) {
    hw_sheet_write(&(hw_sheet){.columns = columns, .n_columns = (int)n_columns, .width = t->width, .of = t->view,
                               .n_rows = t->view->ladder->n_rows, .has_row = has_row},
                   t->colour, t->out);
}
#define WRITE_COLUMNS(t, columns, has_row) write_columns(t, columns, sizeof(columns) / sizeof(columns)[0], has_row)

// What was measured, or on a simulated GPU what profile estimates.
static void write_times(const table *t) {
    const bool is_timed = hw_cli_ladder_is_timed(t->view->ladder);
    hw_column rate = *C(RATE);
    rate.heading.bottom = t->view->unit.name;
    const hw_column *const measured[] = {C(NUMBER), C(RUNG), C(IDEA), C(BLOCK), C(RESULT),
                                         C(TIME), &rate, C(SHARE), C(STEP), C(BOUND)};
    const hw_column *const estimated[] = {C(NUMBER), C(RUNG), C(IDEA), C(BLOCK), C(RESULT),
                                          C(EST_TIME), C(EST_STEP), C(EST_BOUND)};
    if (is_timed) WRITE_COLUMNS(t, measured, NULL);
    else WRITE_COLUMNS(t, estimated, NULL);
}

static bool has_counts(const void *of, size_t row) {
    return ((const hw_cli_ladder_view *)of)->ladder->rows[row].has_counts;
}

static void write_counters(const table *t) {
    if (!t->view->ladder->counted_on) return;
    fputs("\nCounted:\n\n", t->out);
    WRITE_COLUMNS(t, count_columns, has_counts);
}

// GPUs before 7.0 are told apart by what their transactions move, which sectors do not say.
static void write_accesses(const table *t) {
    const hw_gpu *gpu = t->view->ladder->counted_on;
    if (!gpu || !(gpu->arch->cc < 70 || t->view->family->shows_accesses)) return;
    fputs("\nOf each access of a warp:\n\n", t->out);
    WRITE_COLUMNS(t, access_columns, NULL);
}

static bool has_facts(const hw_ladder *ladder, const hw_family *family) {
    if (family->counts_clocks) return true;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        if (!ladder->rows[i].status && ladder->rows[i].verdict.has_error) return true;
        for (int f = 0; f < HW_FAMILY_FACTS; f++)
            if (!isnan(ladder->rows[i].facts[f])) return true;
    }
    return false;
}

// A table of its own below the first, which is wide enough.
static void write_facts(const table *t) {
    const hw_column *columns[4 + HW_FAMILY_FACTS + 1] = {C(NUMBER), C(RUNG), C(PER_CLOCK), C(EST_PER_CLOCK)};
    hw_column facts[HW_FAMILY_FACTS];
    hw_cli_fact_names names;
    size_t n = 4;
    if (!has_facts(t->view->ladder, t->view->family)) return;
    for (int f = 0, n_facts = hw_cli_ladder_facts(t->view->family, &names, facts); f < n_facts; f++)
        columns[n++] = &facts[f];
    columns[n++] = C(ERROR);
    fputc('\n', t->out);
    write_columns(t, columns, n, NULL);
}

static void write_heading(const table *t) {
    const hw_cli_ladder_view *view = t->view;
    const hw_ladder *ladder = view->ladder;
    char line[HW_GRID_CELL];
    snprintf(line, sizeof line, "%s, %s %s: %s", view->family->name, view->dtype, view->size, view->family->does);
    hw_grid_write_wrapped(line, t->width, 0, 0, t->out);
    snprintf(line, sizeof line, "%s", ladder->device->name);
    if (ladder->counted_on && hw_cli_ladder_is_timed(ladder))
        snprintf(line, sizeof line, "%s; counters by simulation of %s, %s", ladder->device->name,
                 ladder->counted_on->id, view->counted_size);
    hw_grid_write_wrapped(line, t->width, 0, 0, t->out);
    fputc('\n', t->out);
}

static void write_tables(const hw_cli_ladder_view *view, bool colour, int width, FILE *out) {
    const table t = {view, colour, width, out};
    write_heading(&t);
    write_times(&t);
    write_counters(&t);
    write_accesses(&t);
    write_facts(&t);
    hw_cli_ladder_write_legend(view->ladder, width, out);
}

bool hw_cli_ladder_write(const hw_ladder *ladder, const hw_family *family, const hw_ladder_advice *advice,
                         hw_report_format format, bool colour, int width, FILE *out) {
    const hw_cli_ladder_view view = hw_cli_ladder_look(ladder, family);
    switch (format) {
    case HW_REPORT_CSV: hw_cli_ladder_write_csv(&view, out); return true;
    case HW_REPORT_JSON: return hw_cli_ladder_write_json(&view, advice, out);
    default: write_tables(&view, colour, width, out); break;
    }
    if (advice) hw_cli_ladder_write_advice(advice, ladder, width, colour, out);
    return true;
}
