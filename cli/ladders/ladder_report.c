// A ladder as a table.
#include "ladders/ladder_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/grid.h"

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

// Times and counters are two tables, so that each fits a terminal.
enum { C_NUMBER, C_RUNG, C_IDEA, C_BLOCK, C_RESULT, C_TIME, C_RATE, C_SHARE, C_STEP, C_BOUND, C_COLUMNS };
enum { N_NUMBER, N_RUNG, N_BLOCK, N_LOADS, N_STORES, N_TRAFFIC, N_PARTITIONS, N_PASSES, N_OCCUPANCY, N_COLUMNS };
_Static_assert((int)C_COLUMNS <= (int)HW_GRID_COLUMNS && (int)N_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

static const hw_grid_column columns[C_COLUMNS] = {
    [C_NUMBER] = {"", "#", false},
    [C_RUNG] = {"", "rung", true},
    [C_IDEA] = {"", "idea", true},
    [C_BLOCK] = {"", "block", false},
    [C_RESULT] = {"", "result", true},
    [C_TIME] = {"", "us", false},
    [C_RATE] = {"", "GB/s", false},
    [C_SHARE] = {"of", "copy", false},
    [C_STEP] = {"", "step", true},
    [C_BOUND] = {"", "bound", true},
};

static const hw_grid_column counter_columns[N_COLUMNS] = {
    [N_NUMBER] = {"", "#", false},
    [N_RUNG] = {"", "rung", true},
    [N_BLOCK] = {"", "block", false},
    [N_LOADS] = {"sectors/", "load", false},
    [N_STORES] = {"sectors/", "store", false},
    [N_TRAFFIC] = {"L2", "traffic", false},
    [N_PARTITIONS] = {"partitions", "load / store", false},
    [N_PASSES] = {"bank", "passes", false},
    [N_OCCUPANCY] = {"occu-", "pancy", false},
};

// What the rows of both tables are made of.
typedef struct table {
    const hw_ladder *ladder;
    const hw_family *family;
    hw_cli_ladder_unit unit;
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

static void write_heading(const hw_ladder *ladder, const hw_family *family, FILE *out) {
    char type[32], size[96], counted[96];
    hw_cli_ladder_size(family, &ladder->problem, size, sizeof size);
    hw_cli_ladder_size(family, &ladder->counted, counted, sizeof counted);
    fprintf(out, "%s, %s %s: %s\n%s", family->name, hw_dtype_name(ladder->problem.dtype, type, sizeof type), size,
            family->does, ladder->device->name);
    if (ladder->counted_on && hw_cli_ladder_is_timed(ladder))
        fprintf(out, "; counters by simulation of %s, %s", ladder->counted_on->id, counted);
    fputs("\n\n", out);
}

static void write_legend(const hw_ladder *ladder, FILE *out) {
    bool is_timed = hw_cli_ladder_is_timed(ladder), has_best = false, has_estimates = false, has_shares = false;
    bool has_passes = false, has_floor = false, has_steps = false, has_errors = false;
    bool has_partitions = false;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        has_shares |= ladder->rows[i].share > 0;
        has_passes |= ladder->rows[i].counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] > 0;
        has_best |= ladder->rows[i].is_best_block;
        has_floor |= ladder->rows[i].is_at_floor;
        has_steps |= ladder->rows[i].base != NULL;
        has_partitions |= ladder->rows[i].partition_pct[0] > 0 || ladder->rows[i].partition_pct[1] > 0;
        has_errors |= !ladder->rows[i].status && ladder->rows[i].verdict.has_error;
        has_estimates |= ladder->rows[i].regs_estimated;
    }
    fputs("\n", out);
    if (is_timed && has_shares)
        fputs("  of copy               share of the fastest copy's bandwidth in this run\n", out);
    if (!is_timed) fputs("  est. us               estimate of the GPU's time (docs/accuracy.md)\n", out);
    if (has_steps) fputs("  step                  times as fast as the rung that it builds on, which is named\n", out);
    if (has_floor)
        fputs("  bound: launch         launching takes half of the time or more: too small a size to tell such rungs "
              "apart\n", out);
    if (has_floor && ladder->launch_ns > 0)
        fprintf(out, "                        (a kernel that does nothing: %.2f us)\n", ladder->launch_ns / 1e3);
    if (ladder->counted_on)
        fputs("  sectors/load, /store  32-byte sectors that a warp's access touches / would touch if its lanes lay "
              "side by side\n", out);
    if (has_passes)
        fputs("  bank passes           passes through the banks of shared memory for each without conflicts\n", out);
    if (ladder->counted_on && ladder->counted_on->arch->cc < 70)
        fputs("  transactions, bytes   into which a load or store is split, and that these move, wanted or not\n", out);
    if (has_partitions)
        fputs("  partitions            of the memory that blocks which run at a time use: others stand idle\n", out);
    if (has_estimates) fputs("  ~                     of estimated registers: ptxas was not there to say\n", out);
    if (has_errors)
        fputs("  relative error        of all elements: root of the squares of their differences over that of their "
              "own\n", out);
    if (ladder->ptx_by[0]) fprintf(out, "  PTX by %s", ladder->ptx_by);
    if (ladder->counted_ptx_by[0]) fprintf(out, "; what was counted, by %s", ladder->counted_ptx_by);
    if (ladder->ptx_by[0]) fputc('\n', out);
    if (!has_best) return;
    fprintf(out, "  *                     the rung's best block, of the shapes tried: %s\n",
            is_timed ? "the least time" : "the least estimated time");
    fputs("\nbest blocks:", out);
    const char *comma = " ";
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        if (!row->is_best_block) continue;
        fprintf(out, "%s%s %ux%u", comma, row->rung->name, row->block[0], row->block[1]);
        comma = ", ";
    }
    fputc('\n', out);
}

// What a word in the table cannot say.
static void write_notes(const hw_ladder *ladder, FILE *out) {
    bool is_first = true;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        const char *text = row->status ? row->text : row->verdict.text;
        if (hw_cli_ladder_is_right(row) && !text[0]) continue;
        fprintf(out, "%s  %s", is_first ? "\n" : "", row->rung->name);
        if (row->block[0]) fprintf(out, ", block %ux%u", row->block[0], row->block[1]);
        fprintf(out, ": %s", text);
        if (!row->status && row->verdict.n_wrong) fprintf(out, "; %" PRIu64 " are wrong", row->verdict.n_wrong);
        fputc('\n', out);
        is_first = false;
    }
}

// ---- What one access costs ------------------------------------------------------------------------------------------

enum { A_NUMBER, A_RUNG, A_LOAD_PARTS, A_LOAD_BYTES, A_STORE_PARTS, A_STORE_BYTES, A_SHARED_LOAD, A_SHARED_STORE,
       A_CONSTANT, A_PARTED, A_COLUMNS };

static const hw_grid_column access_columns[A_COLUMNS] = {
    [A_NUMBER] = {"", "#", false},
    [A_RUNG] = {"", "rung", true},
    [A_LOAD_PARTS] = {"transactions/", "load", false},
    [A_LOAD_BYTES] = {"bytes/", "load", false},
    [A_STORE_PARTS] = {"transactions/", "store", false},
    [A_STORE_BYTES] = {"bytes/", "store", false},
    [A_SHARED_LOAD] = {"passes/", "shared load", false},
    [A_SHARED_STORE] = {"passes/", "shared store", false},
    [A_CONSTANT] = {"passes/", "constant load", false},
    [A_PARTED] = {"branches", "that part", false},
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
    hw_grid_write(&(hw_grid){.columns = access_columns, .n_columns = A_COLUMNS, .n_rows = t->ladder->n_rows,
                             .row = access_row, .context = t}, colour, out);
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
    hw_grid_column columns[F_COLUMNS] = {[F_NUMBER] = {"", "#", false}, [F_RUNG] = {"", "rung", true}};
    char tops[HW_FAMILY_FACTS][48];
    int count = F_FACTS;
    if (!has_facts(t->ladder)) return;
    for (int i = 0; i < HW_FAMILY_FACTS && t->family->fact_names[i]; i++) {
        const char *name = t->family->fact_names[i], *space = strrchr(name, ' ');
        snprintf(tops[i], sizeof tops[i], "%.*s", space ? (int)(space - name) : 0, name);
        columns[count++] = (hw_grid_column){tops[i], space ? space + 1 : name, false};
    }
    columns[count++] = (hw_grid_column){"relative", "error", false};
    fputc('\n', out);
    hw_grid_write(&(hw_grid){.columns = columns, .n_columns = count, .n_rows = t->ladder->n_rows, .row = fact_row,
                             .context = t}, colour, out);
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static void write_table(const hw_ladder *ladder, const hw_family *family, bool colour, FILE *out) {
    table t = {.ladder = ladder, .family = family, .unit = hw_cli_ladder_unit_of(ladder)};
    hw_grid_column shown[C_COLUMNS];
    memcpy(shown, columns, sizeof shown);
    shown[C_RATE].bottom = t.unit.name;
    if (!hw_cli_ladder_is_timed(ladder)) shown[C_TIME].top = shown[C_STEP].top = shown[C_BOUND].top = "est.";
    write_heading(ladder, family, out);
    hw_grid_write(&(hw_grid){.columns = shown, .n_columns = C_COLUMNS, .n_rows = ladder->n_rows, .row = table_row,
                             .context = &t}, colour, out);
    if (ladder->counted_on) {
        fputs("\nCounted:\n\n", out);
        hw_grid_write(&(hw_grid){.columns = counter_columns, .n_columns = N_COLUMNS, .n_rows = ladder->n_rows,
                                 .row = counter_row, .context = &t}, colour, out);
    }
    write_accesses(&t, colour, out);
    write_facts(&t, colour, out);
    write_legend(ladder, out);
    write_notes(ladder, out);
}

bool hw_cli_ladder_write(const hw_ladder *ladder, const hw_family *family, hw_report_format format, bool colour,
                         FILE *out) {
    switch (format) {
    case HW_REPORT_CSV: hw_cli_ladder_write_csv(ladder, family, out); return true;
    case HW_REPORT_JSON: return hw_cli_ladder_write_json(ladder, family, out);
    default: write_table(ladder, family, colour, out); return true;
    }
}
