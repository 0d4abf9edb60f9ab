// A ladder as a table.
#include "ladders/ladder_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/grid.h"

bool hw_cli_ladder_is_timed(const hw_ladder *ladder) { return ladder->device->kind != HW_DEVICE_SIM; }

const char *hw_cli_ladder_size(const hw_family *family, const hw_problem *problem, char *text, size_t text_bytes) {
    hw_text size = hw_text_in(text, text_bytes);
    for (int i = 0; i < HW_PROBLEM_SIZES && family->size_names[i]; i++)
        hw_text_put(&size, "%s%" PRIu64, i ? "x" : "", problem->size[i]);
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
    return row->estimate_us > 0 ? hw_bound_name(hw_model_bound(row->bound_us, row->estimate_us)) : "";
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

// ---- Table ----------------------------------------------------------------------------------------------------------

// Times and counters are two tables; what is too wide for a line is cut further (report/grid.h).
enum { C_NUMBER, C_RUNG, C_IDEA, C_BLOCK, C_RESULT, C_TIME, C_RATE, C_SHARE, C_STEP, C_BOUND, C_COLUMNS };
enum { N_NUMBER, N_RUNG, N_BLOCK, N_LOADS, N_STORES, N_TRAFFIC, N_PARTITIONS, N_PASSES, N_OCCUPANCY, N_COLUMNS };
_Static_assert((int)C_COLUMNS <= (int)HW_GRID_COLUMNS && (int)N_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

static const hw_grid_column columns[C_COLUMNS] = {
    [C_NUMBER] = {"", "#", HW_GRID_KEY},
    [C_RUNG] = {"", "rung", HW_GRID_LEFT | HW_GRID_KEY},
    [C_IDEA] = {"", "idea", HW_GRID_LEFT | HW_GRID_WRAPPED},
    [C_BLOCK] = {"", "block", 0},
    [C_RESULT] = {"", "result", HW_GRID_LEFT},
    [C_TIME] = {"", "us", 0},
    [C_RATE] = {"", "GB/s", 0},
    [C_SHARE] = {"of", "copy", 0},
    [C_STEP] = {"", "step", HW_GRID_LEFT},
    [C_BOUND] = {"", "bound", HW_GRID_LEFT},
};

static const hw_grid_column counter_columns[N_COLUMNS] = {
    [N_NUMBER] = {"", "#", HW_GRID_KEY},
    [N_RUNG] = {"", "rung", HW_GRID_LEFT | HW_GRID_KEY},
    [N_BLOCK] = {"", "block", 0},
    [N_LOADS] = {"sectors/", "load", 0},
    [N_STORES] = {"sectors/", "store", 0},
    [N_TRAFFIC] = {"L2", "traffic", 0},
    [N_PARTITIONS] = {"partitions", "load / store", 0},
    [N_PASSES] = {"bank", "passes", 0},
    [N_OCCUPANCY] = {"occu-", "pancy", 0},
};

// What the rows of both tables are made of.
typedef struct table {
    const hw_ladder *ladder;
    const hw_family *family;
    hw_cli_ladder_unit unit;
    int width;
} table;

#define PRINT(cell, ...) snprintf((cell).text, HW_GRID_CELL, __VA_ARGS__)

static void nothing(hw_grid_cell *cell) {
    PRINT(*cell, "-");
    cell->colour = HW_GRID_FAINT;
}

// How much more than the ideal: to 5% good, from twice on bad.
static hw_grid_colour judge(uint64_t actual, uint64_t ideal) {
    double ratio = ideal ? (double)actual / (double)ideal : 1;
    return ratio <= 1.05 ? HW_GRID_GOOD : ratio >= 2 ? HW_GRID_BAD : HW_GRID_PLAIN;
}

static void sectors(hw_grid_cell *cell, uint64_t requests, uint64_t actual, uint64_t ideal) {
    if (!requests) {
        nothing(cell);
        return;
    }
    PRINT(*cell, "%.1f / %.1f", (double)actual / (double)requests, (double)ideal / (double)requests);
    cell->colour = judge(actual, ideal);
}

static void passes(hw_grid_cell *cell, uint64_t actual, uint64_t ideal) {
    if (!ideal) {
        nothing(cell);
        return;
    }
    PRINT(*cell, "%.1fx", (double)actual / (double)ideal);
    cell->colour = judge(actual, ideal);
}

// Of 1.x: the loads' and the stores'. The worse one is what counts.
static void partitions(const hw_ladder_row *row, hw_grid_cell *cell) {
    const double loads = row->partition_pct[0], stores = row->partition_pct[1];
    const double least = loads < stores ? loads : stores;
    if (!(least > 0)) {
        nothing(cell);
        return;
    }
    PRINT(*cell, "%.0f%% / %.0f%%", loads, stores);
    cell->colour = least >= 90 ? HW_GRID_GOOD : least < 50 ? HW_GRID_BAD : HW_GRID_PLAIN;
}

static void write_block(const hw_ladder_row *row, hw_grid_cell *cell) {
    if (!row->block[0]) nothing(cell);
    else PRINT(*cell, "%s%ux%u", row->is_best_block ? "*" : "", row->block[0], row->block[1]);
}

// Before 2.0 there is no second-level cache.
static void counter_row(const void *context, size_t index, hw_grid_cell *cells) {
    const table *t = context;
    const hw_ladder_row *row = &t->ladder->rows[index];
    const uint64_t *n = row->counts;
    if (!row->has_counts) return;
    PRINT(cells[N_NUMBER], "%d", row->rung->number);
    PRINT(cells[N_RUNG], "%s", row->rung->name);
    write_block(row, &cells[N_BLOCK]);
    sectors(&cells[N_LOADS], n[HW_COUNT_GLD_REQUESTS], n[HW_COUNT_GLD_SECTORS], n[HW_COUNT_GLD_SECTORS_IDEAL]);
    sectors(&cells[N_STORES], n[HW_COUNT_GST_REQUESTS], n[HW_COUNT_GST_SECTORS], n[HW_COUNT_GST_SECTORS_IDEAL]);
    passes(&cells[N_PASSES], n[HW_COUNT_SMEM_WAVEFRONTS], n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
    if (!row->occupancy.warps) nothing(&cells[N_OCCUPANCY]);
    else PRINT(cells[N_OCCUPANCY], "%s%.0f%%", row->regs_estimated ? "~" : "", row->occupancy.occupancy_pct);
    if (row->occupancy.warps && row->occupancy.occupancy_pct >= 50) cells[N_OCCUPANCY].colour = HW_GRID_GOOD;
    partitions(row, &cells[N_PARTITIONS]);
    nothing(&cells[N_TRAFFIC]);
    if (t->ladder->counted_on->arch->cc < 20 || !n[HW_COUNT_L2_SECTORS]) return;
    double bytes = (double)n[HW_COUNT_L2_SECTORS] * 32;
    PRINT(cells[N_TRAFFIC], bytes < 1e5 ? "%.1f kB" : "%.1f MB", bytes / (bytes < 1e5 ? 1e3 : 1e6));
    cells[N_TRAFFIC].colour = judge(n[HW_COUNT_L2_SECTORS], n[HW_COUNT_L2_SECTORS_IDEAL]);
}

static void write_time(hw_grid_cell *cell, double us) {
    PRINT(*cell, us < 99.95 ? "%.2f" : us < 999.5 ? "%.1f" : "%.0f", us);
}

static void write_step(hw_grid_cell *cell, const hw_ladder_row *row, double step) {
    if (step > 0) PRINT(*cell, "%5.2fx on %s", step, row->base->name);
    else nothing(cell);
    cell->colour = step >= 1.05 ? HW_GRID_GOOD : step > 0 && step < 0.95 ? HW_GRID_BAD : 0;
}

// Of a measured rung it is only known whether its launches are what takes time.
static void write_bound(const table *t, const hw_ladder_row *row, hw_grid_cell *cell) {
    const char *bound = hw_cli_ladder_bound(t->ladder, row);
    if (bound[0]) PRINT(*cell, "%s", bound);
    else nothing(cell);
    if (row->is_at_floor) cell->colour = HW_GRID_BAD;
}

static void write_times(const table *t, const hw_ladder_row *row, hw_grid_cell *cells) {
    write_time(&cells[C_TIME], row->ns_median / 1e3);
    double rate = hw_cli_ladder_rate(t->ladder, row) / t->unit.divisor;
    if (rate > 0) PRINT(cells[C_RATE], rate < 9.995 ? "%.2f" : rate < 99.95 ? "%.1f" : "%.0f", rate);
    else nothing(&cells[C_RATE]);
    if (row->share > 0) PRINT(cells[C_SHARE], "%.0f%%", 100 * row->share);
    else nothing(&cells[C_SHARE]);
    cells[C_SHARE].colour = row->share >= 0.85 ? HW_GRID_GOOD : row->share > 0 && row->share < 0.5 ? HW_GRID_BAD : 0;
    write_step(&cells[C_STEP], row, row->step);
}

// On a simulated GPU, what profile estimates. Of a rung that did not run: nothing.
static void write_estimate(const hw_ladder_row *row, hw_grid_cell *cells) {
    nothing(&cells[C_RATE]);
    nothing(&cells[C_SHARE]);
    write_step(&cells[C_STEP], row, row->estimate_step);
    if (row->estimate_us > 0) write_time(&cells[C_TIME], row->estimate_us);
    else nothing(&cells[C_TIME]);
}

static void table_row(const void *context, size_t index, hw_grid_cell *cells) {
    const table *t = context;
    const hw_ladder_row *row = &t->ladder->rows[index];
    bool is_timed = hw_cli_ladder_is_timed(t->ladder);
    PRINT(cells[C_NUMBER], "%d", row->rung->number);
    PRINT(cells[C_RUNG], "%s", row->rung->name);
    PRINT(cells[C_IDEA], "%s", row->rung->idea ? row->rung->idea : "");
    write_block(row, &cells[C_BLOCK]);
    PRINT(cells[C_RESULT], "%s", hw_cli_ladder_result(row));
    cells[C_RESULT].colour = hw_cli_ladder_is_right(row) ? HW_GRID_GOOD : HW_GRID_BAD;
    if (!is_timed) write_estimate(row, cells);
    else if (row->runs) write_times(t, row, cells);
    else for (int c = C_TIME; c <= C_STEP; c++) nothing(&cells[c]);
    write_bound(t, row, &cells[C_BOUND]);
}

static void write_heading(const table *t, FILE *out) {
    const hw_ladder *ladder = t->ladder;
    char type[32], size[96], counted[96], line[HW_GRID_CELL];
    hw_cli_ladder_size(t->family, &ladder->problem, size, sizeof size);
    hw_cli_ladder_size(t->family, &ladder->counted, counted, sizeof counted);
    snprintf(line, sizeof line, "%s, %s %s: %s", t->family->name,
             hw_dtype_name(ladder->problem.dtype, type, sizeof type), size, t->family->does);
    hw_grid_write_wrapped(line, t->width, 0, 0, out);
    snprintf(line, sizeof line, "%s", ladder->device->name);
    if (ladder->counted_on && hw_cli_ladder_is_timed(ladder))
        snprintf(line, sizeof line, "%s; counters by simulation of %s, %s", ladder->device->name,
                 ladder->counted_on->id, counted);
    hw_grid_write_wrapped(line, t->width, 0, 0, out);
    fputc('\n', out);
}

// ---- What one access costs ------------------------------------------------------------------------------------------

enum { A_NUMBER, A_RUNG, A_LOAD_PARTS, A_LOAD_BYTES, A_STORE_PARTS, A_STORE_BYTES, A_SHARED_LOAD, A_SHARED_STORE,
       A_CONSTANT, A_PARTED, A_COLUMNS };

static const hw_grid_column access_columns[A_COLUMNS] = {
    [A_NUMBER] = {"", "#", HW_GRID_KEY},
    [A_RUNG] = {"", "rung", HW_GRID_LEFT | HW_GRID_KEY},
    [A_LOAD_PARTS] = {"transactions/", "load", 0},
    [A_LOAD_BYTES] = {"bytes/", "load", 0},
    [A_STORE_PARTS] = {"transactions/", "store", 0},
    [A_STORE_BYTES] = {"bytes/", "store", 0},
    [A_SHARED_LOAD] = {"passes/", "shared load", 0},
    [A_SHARED_STORE] = {"passes/", "shared store", 0},
    [A_CONSTANT] = {"passes/", "constant load", 0},
    [A_PARTED] = {"branches", "that part", 0},
};

// The mean of what `count` of them take together.
static void each(hw_grid_cell *cell, uint64_t sum, uint64_t count) {
    double mean = count ? (double)sum / (double)count : 0;
    if (!count) nothing(cell);
    else if (mean == floor(mean)) PRINT(*cell, "%.0f", mean);
    else PRINT(*cell, "%.1f", mean);
}

static void access_row(const void *context, size_t index, hw_grid_cell *cells) {
    const table *t = context;
    const hw_ladder_row *row = &t->ladder->rows[index];
    const uint64_t *n = row->counts;
    const uint64_t loads = n[HW_COUNT_GLD_REQUESTS], stores = n[HW_COUNT_GST_REQUESTS];
    PRINT(cells[A_NUMBER], "%d", row->rung->number);
    PRINT(cells[A_RUNG], "%s", row->rung->name);
    for (int c = A_LOAD_PARTS; c < A_COLUMNS; c++) nothing(&cells[c]);
    if (!row->has_counts) return;
    // From 7.0 on a transaction is a sector, which the first table has.
    if (t->ladder->counted_on->arch->cc < 70) {
        const uint64_t load_parts = n[HW_COUNT_GLD_32B] + n[HW_COUNT_GLD_64B] + n[HW_COUNT_GLD_128B];
        const uint64_t store_parts = n[HW_COUNT_GST_32B] + n[HW_COUNT_GST_64B] + n[HW_COUNT_GST_128B];
        each(&cells[A_LOAD_PARTS], load_parts, loads);
        each(&cells[A_LOAD_BYTES], n[HW_COUNT_GLD_BYTES], loads);
        each(&cells[A_STORE_PARTS], store_parts, stores);
        each(&cells[A_STORE_BYTES], n[HW_COUNT_GST_BYTES], stores);
    }
    each(&cells[A_SHARED_LOAD], n[HW_COUNT_LDS_WAVEFRONTS], n[HW_COUNT_LDS_INST]);
    each(&cells[A_SHARED_STORE], n[HW_COUNT_STS_WAVEFRONTS], n[HW_COUNT_STS_INST]);
    each(&cells[A_CONSTANT], n[HW_COUNT_CONST_PASSES], n[HW_COUNT_CONST_REQUESTS]);
    if (n[HW_COUNT_BRANCHES_DIVERGENT])
        PRINT(cells[A_PARTED], "%.0f%%", 100.0 * (double)n[HW_COUNT_BRANCHES_DIVERGENT] / (double)n[HW_COUNT_BRANCHES]);
}

// GPUs before 7.0 are told apart by what their transactions move, which sectors do not say.
static void write_accesses(const table *t, bool colour, FILE *out) {
    const hw_gpu *gpu = t->ladder->counted_on;
    if (!gpu || !(gpu->arch->cc < 70 || t->family->shows_accesses)) return;
    fputs("\nOf each access of a warp:\n\n", out);
    hw_grid_write(&(hw_grid){.columns = access_columns, .n_columns = A_COLUMNS, .width = t->width,
                             .n_rows = t->ladder->n_rows, .row = access_row, .context = t}, colour, out);
}

// ---- What the family says of its rungs ------------------------------------------------------------------------------

enum { F_NUMBER, F_RUNG, F_FACTS, F_COLUMNS = F_FACTS + HW_FAMILY_FACTS + 1 /* the error */ };
_Static_assert((int)F_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

// Whole numbers whole, others with four digits.
static void print_fact(double number, hw_grid_cell *cell) {
    if (isnan(number)) nothing(cell);
    else if (number == floor(number) && fabs(number) < 1e9) PRINT(*cell, "%.0f", number);
    else PRINT(*cell, "%.4g", number);
}

static void fact_row(const void *context, size_t index, hw_grid_cell *cells) {
    const table *t = context;
    const hw_ladder_row *row = &t->ladder->rows[index];
    PRINT(cells[F_NUMBER], "%d", row->rung->number);
    PRINT(cells[F_RUNG], "%s", row->rung->name);
    int column = F_FACTS;
    for (int i = 0; i < HW_FAMILY_FACTS && t->family->fact_names[i]; i++) print_fact(row->facts[i], &cells[column++]);
    if (!row->status && row->verdict.has_error) PRINT(cells[column], "%.1e", row->verdict.error);
    else nothing(&cells[column]);
}

static bool has_facts(const hw_ladder *ladder) {
    for (size_t i = 0; i < ladder->n_rows; i++) {
        if (!ladder->rows[i].status && ladder->rows[i].verdict.has_error) return true;
        for (int f = 0; f < HW_FAMILY_FACTS; f++)
            if (!isnan(ladder->rows[i].facts[f])) return true;
    }
    return false;
}

// A table of its own below the first, which is wide enough. A name of two words or more stands on two lines.
static void write_facts(const table *t, bool colour, FILE *out) {
    hw_grid_column columns[F_COLUMNS] = {[F_NUMBER] = {"", "#", HW_GRID_KEY},
                                         [F_RUNG] = {"", "rung", HW_GRID_LEFT | HW_GRID_KEY}};
    char tops[HW_FAMILY_FACTS][48];
    int count = F_FACTS;
    if (!has_facts(t->ladder)) return;
    for (int i = 0; i < HW_FAMILY_FACTS && t->family->fact_names[i]; i++) {
        const char *name = t->family->fact_names[i], *space = strrchr(name, ' ');
        snprintf(tops[i], sizeof tops[i], "%.*s", space ? (int)(space - name) : 0, name);
        columns[count++] = (hw_grid_column){tops[i], space ? space + 1 : name, 0};
    }
    columns[count++] = (hw_grid_column){"relative", "error", 0};
    fputc('\n', out);
    hw_grid_write(&(hw_grid){.columns = columns, .n_columns = count, .width = t->width,
                             .n_rows = t->ladder->n_rows, .row = fact_row, .context = t}, colour, out);
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static void write_table(const hw_ladder *ladder, const hw_family *family, bool colour, int width, FILE *out) {
    const table t = {.ladder = ladder, .family = family, .unit = hw_cli_ladder_unit_of(ladder), .width = width};
    hw_grid_column shown[C_COLUMNS];
    memcpy(shown, columns, sizeof shown);
    shown[C_RATE].bottom = t.unit.name;
    if (!hw_cli_ladder_is_timed(ladder)) shown[C_TIME].top = shown[C_STEP].top = shown[C_BOUND].top = "est.";
    write_heading(&t, out);
    hw_grid_write(&(hw_grid){.columns = shown, .n_columns = C_COLUMNS, .width = width, .n_rows = ladder->n_rows,
                             .row = table_row, .context = &t}, colour, out);
    if (ladder->counted_on) {
        fputs("\nCounted:\n\n", out);
        hw_grid_write(&(hw_grid){.columns = counter_columns, .n_columns = N_COLUMNS, .width = width,
                                 .n_rows = ladder->n_rows, .row = counter_row, .context = &t}, colour, out);
    }
    write_accesses(&t, colour, out);
    write_facts(&t, colour, out);
    hw_cli_ladder_write_legend(ladder, width, out);
}

bool hw_cli_ladder_write(const hw_ladder *ladder, const hw_family *family, hw_report_format format, bool colour,
                         int width, FILE *out) {
    switch (format) {
    case HW_REPORT_CSV: hw_cli_ladder_write_csv(ladder, family, out); return true;
    case HW_REPORT_JSON: return hw_cli_ladder_write_json(ladder, family, out);
    default: write_table(ladder, family, colour, width, out); return true;
    }
}
