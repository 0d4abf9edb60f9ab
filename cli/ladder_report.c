// A ladder as text.
#include "ladder_report.h"

#include <inttypes.h>
#include <jansson.h>
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

static bool is_right(const hw_ladder_row *row) { return !row->status && row->verdict.right; }

static const char *result_of(const hw_ladder_row *row) {
    if (row->status) return row->status == HW_USAGE ? "refused" : "failed";
    return row->verdict.right ? "right" : "wrong";
}

// ---- Table ----------------------------------------------------------------------------------------------------------

enum { C_NUMBER, C_RUNG, C_IDEA, C_BLOCK, C_RESULT, C_TIME, C_RATE, C_SHARE, C_STEP, C_LOADS, C_STORES, C_TRAFFIC,
       C_PASSES, C_OCCUPANCY, C_COLUMNS };
_Static_assert((int)C_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

static const hw_grid_column columns[C_COLUMNS] = {
    [C_NUMBER] = {"", "#", false},
    [C_RUNG] = {"", "rung", true},
    [C_IDEA] = {"", "idea", true},
    [C_BLOCK] = {"", "block", false},
    [C_RESULT] = {"", "result", true},
    [C_TIME] = {"", "us", false},
    [C_RATE] = {"", "GB/s", false},
    [C_SHARE] = {"of", "copy", false},
    [C_STEP] = {"", "step", false},
    [C_LOADS] = {"sectors/", "load", false},
    [C_STORES] = {"sectors/", "store", false},
    [C_TRAFFIC] = {"L2", "traffic", false},
    [C_PASSES] = {"bank", "passes", false},
    [C_OCCUPANCY] = {"occu-", "pancy", false},
};

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

static void write_counters(const hw_ladder_row *row, bool is_timed, hw_grid_cell *cells) {
    const uint64_t *n = row->counts;
    if (!row->has_counts) {
        for (int c = C_LOADS; c <= C_OCCUPANCY; c++) nothing(&cells[c]);
        return;
    }
    sectors(&cells[C_LOADS], n[HW_COUNT_GLD_REQUESTS], n[HW_COUNT_GLD_SECTORS], n[HW_COUNT_GLD_SECTORS_IDEAL]);
    sectors(&cells[C_STORES], n[HW_COUNT_GST_REQUESTS], n[HW_COUNT_GST_SECTORS], n[HW_COUNT_GST_SECTORS_IDEAL]);
    passes(&cells[C_PASSES], n[HW_COUNT_SMEM_WAVEFRONTS], n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
    if (!row->occupancy.warps) nothing(&cells[C_OCCUPANCY]);
    else PRINT(cells[C_OCCUPANCY], "%s%.0f%%", row->regs_estimated ? "~" : "", row->occupancy.occupancy_pct);
    if (row->occupancy.warps && row->occupancy.occupancy_pct >= 50) cells[C_OCCUPANCY].colour = HW_GRID_GOOD;
    // Beside times it would make the table too wide, and says what the sectors do.
    if (is_timed || !n[HW_COUNT_L2_SECTORS]) {
        nothing(&cells[C_TRAFFIC]);
        return;
    }
    double bytes = (double)n[HW_COUNT_L2_SECTORS] * 32;
    PRINT(cells[C_TRAFFIC], bytes < 1e5 ? "%.1f kB" : "%.1f MB", bytes / (bytes < 1e5 ? 1e3 : 1e6));
    cells[C_TRAFFIC].colour = judge(n[HW_COUNT_L2_SECTORS], n[HW_COUNT_L2_SECTORS_IDEAL]);
}

static void write_times(const hw_ladder_row *row, hw_grid_cell *cells) {
    PRINT(cells[C_TIME], row->ns_median < 99950 ? "%.2f" : row->ns_median < 999500 ? "%.1f" : "%.0f",
          row->ns_median / 1e3);
    if (row->gbs > 0) PRINT(cells[C_RATE], row->gbs < 99.95 ? "%.1f" : "%.0f", row->gbs);
    else nothing(&cells[C_RATE]);
    if (row->share > 0) PRINT(cells[C_SHARE], "%.0f%%", 100 * row->share);
    else nothing(&cells[C_SHARE]);
    if (row->step > 0) PRINT(cells[C_STEP], "%.2fx", row->step);
    else nothing(&cells[C_STEP]);
    cells[C_SHARE].colour = row->share >= 0.85 ? HW_GRID_GOOD : row->share > 0 && row->share < 0.5 ? HW_GRID_BAD : 0;
    cells[C_STEP].colour = row->step >= 1.05 ? HW_GRID_GOOD : row->step > 0 && row->step < 0.95 ? HW_GRID_BAD : 0;
}

static void table_row(const void *context, size_t index, hw_grid_cell *cells) {
    const hw_ladder *ladder = context;
    const hw_ladder_row *row = &ladder->rows[index];
    bool is_timed = hw_cli_ladder_is_timed(ladder);
    PRINT(cells[C_NUMBER], "%d", row->rung->number);
    PRINT(cells[C_RUNG], "%s", row->rung->name);
    PRINT(cells[C_IDEA], "%s", row->rung->idea ? row->rung->idea : "");
    if (!row->block[0]) nothing(&cells[C_BLOCK]);
    else PRINT(cells[C_BLOCK], "%s%ux%u", row->is_best_block ? "*" : "", row->block[0], row->block[1]);
    PRINT(cells[C_RESULT], "%s", result_of(row));
    cells[C_RESULT].colour = is_right(row) ? HW_GRID_GOOD : HW_GRID_BAD;
    if (is_timed && row->runs) write_times(row, cells);
    else for (int c = C_TIME; c <= C_STEP; c++) nothing(&cells[c]);
    write_counters(row, is_timed, cells);
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
    bool is_timed = hw_cli_ladder_is_timed(ladder), has_best = false, has_estimates = false;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        has_best |= ladder->rows[i].is_best_block;
        has_estimates |= ladder->rows[i].regs_estimated;
    }
    fputs("\n", out);
    if (is_timed)
        fputs("  of copy               share of the fastest copy's bandwidth in this run\n"
              "  step                  times as fast as the rung before\n", out);
    if (ladder->counted_on)
        fputs("  sectors/load, /store  32-byte sectors that a warp's access touches / would touch if its lanes lay side "
              "by side\n"
              "  bank passes           passes through the shared-memory banks for each one without bank conflicts\n",
              out);
    if (has_estimates) fputs("  ~                     of estimated registers: ptxas was not there to say\n", out);
    if (!has_best) return;
    fprintf(out, "  *                     the rung's best block, of the shapes tried: %s\n",
            is_timed ? "the least time" : "the fewest sectors and passes");
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
        if (is_right(row)) continue;
        fprintf(out, "%s  %s", is_first ? "\n" : "", row->rung->name);
        if (row->block[0]) fprintf(out, ", block %ux%u", row->block[0], row->block[1]);
        fprintf(out, ": %s", text);
        if (!row->status && row->verdict.n_wrong) fprintf(out, "; %" PRIu64 " are wrong", row->verdict.n_wrong);
        fputc('\n', out);
        is_first = false;
    }
}

static void write_table(const hw_ladder *ladder, const hw_family *family, bool colour, FILE *out) {
    write_heading(ladder, family, out);
    hw_grid_write(&(hw_grid){.columns = columns, .n_columns = C_COLUMNS, .n_rows = ladder->n_rows, .row = table_row,
                             .context = ladder}, colour, out);
    write_legend(ladder, out);
    write_notes(ladder, out);
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_quoted(const char *text, FILE *out) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_csv_row(const hw_ladder *ladder, const hw_family *family, const hw_ladder_row *row, FILE *out) {
    char type[32], size[96], counted[96] = "";
    if (ladder->counted_on) hw_cli_ladder_size(family, &ladder->counted, counted, sizeof counted);
    fprintf(out, "%s,", family->name);
    write_quoted(ladder->device->name, out);
    fprintf(out, ",%s,%s,%s,%s", hw_dtype_name(ladder->problem.dtype, type, sizeof type),
            hw_cli_ladder_size(family, &ladder->problem, size, sizeof size),
            ladder->counted_on ? ladder->counted_on->id : "", counted);
    fprintf(out, ",%d,%s,%ux%u,%d,%s,%" PRIu64 ",", row->rung->number, row->rung->name, row->block[0], row->block[1],
            row->is_best_block, result_of(row), row->verdict.n_wrong);
    write_quoted(row->status ? row->text : row->verdict.text, out);
    if (hw_cli_ladder_is_timed(ladder) && row->runs)
        fprintf(out, ",%u,%.1f,%.1f,%.1f,%.3f,%.4f,%.4f", row->runs, row->ns_median, row->ns_min, row->ns_max, row->gbs,
                row->share, row->step);
    else fputs(",,,,,,,", out);
    if (row->has_counts) fprintf(out, ",%.2f", row->occupancy.occupancy_pct);
    else fputc(',', out);
    for (int c = 0; c < HW_COUNTERS; c++) {
        fputc(',', out);
        if (row->has_counts) fprintf(out, "%" PRIu64, row->counts[c]);
    }
    fputc('\n', out);
}

static void write_csv(const hw_ladder *ladder, const hw_family *family, FILE *out) {
    fputs("family,device,dtype,size,counted_on,counted_size,number,rung,block,best_block,result,n_wrong,message,runs,"
          "ns_median,ns_min,ns_max,gbs,share,step,occupancy_pct", out);
    for (int c = 0; c < HW_COUNTERS; c++) fprintf(out, ",%s", hw_counter_rows[c].name);
    fputc('\n', out);
    for (size_t i = 0; i < ladder->n_rows; i++) write_csv_row(ladder, family, &ladder->rows[i], out);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

// Each returns 0, or -1 when out of memory, and takes its value in both cases.
static int put(json_t *object, const char *key, json_t *value) { return json_object_set_new(object, key, value); }

static json_t *sizes_of(const hw_family *family, const hw_problem *problem) {
    json_t *sizes = json_object();
    for (int i = 0; i < HW_PROBLEM_SIZES && family->size_names[i]; i++)
        if (put(sizes, family->size_names[i], json_integer((json_int_t)problem->size[i]))) {
            json_decref(sizes);
            return NULL;
        }
    return sizes;
}

static int put_times(json_t *object, const hw_ladder_row *row) {
    return put(object, "runs", json_integer(row->runs)) | put(object, "ns_median", json_real(row->ns_median)) |
           put(object, "ns_min", json_real(row->ns_min)) | put(object, "ns_max", json_real(row->ns_max)) |
           put(object, "gbs", json_real(row->gbs)) | put(object, "share", json_real(row->share)) |
           put(object, "step", json_real(row->step));
}

static int put_counts(json_t *object, const hw_ladder_row *row) {
    json_t *counts = json_object();
    int failed = 0;
    for (int c = 0; c < HW_COUNTERS; c++)
        failed |= put(counts, hw_counter_rows[c].name, json_integer((json_int_t)row->counts[c]));
    failed |= put(object, "occupancy_pct", json_real(row->occupancy.occupancy_pct));
    return put(object, "counters", counts) | failed;
}

static json_t *row_object(const hw_ladder *ladder, const hw_ladder_row *row) {
    const char *message = row->status ? row->text : row->verdict.text;
    json_t *object = json_object(), *text = json_string(message);
    int failed = put(object, "number", json_integer(row->rung->number));
    failed |= put(object, "rung", json_string(row->rung->name));
    if (row->rung->idea) failed |= put(object, "idea", json_string(row->rung->idea));
    if (row->block[0]) failed |= put(object, "block", json_pack("[i, i]", (int)row->block[0], (int)row->block[1]));
    if (row->is_best_block) failed |= put(object, "best_block", json_true());
    failed |= put(object, "result", json_string(result_of(row)));
    failed |= put(object, "n_wrong", json_integer((json_int_t)row->verdict.n_wrong));
    // A compiler's words need not be UTF-8.
    failed |= put(object, "message", text ? text : json_string("(not UTF-8)"));
    if (hw_cli_ladder_is_timed(ladder) && row->runs) failed |= put_times(object, row);
    if (row->has_counts) failed |= put_counts(object, row);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static bool write_json(const hw_ladder *ladder, const hw_family *family, FILE *out) {
    char type[32];
    json_t *object = json_object(), *rows = json_array();
    int failed = put(object, "family", json_string(family->name));
    failed |= put(object, "device", json_string(ladder->device->name));
    failed |= put(object, "dtype", json_string(hw_dtype_name(ladder->problem.dtype, type, sizeof type)));
    failed |= put(object, "size", sizes_of(family, &ladder->problem));
    failed |= put(object, "bytes_moved", json_real(ladder->work.bytes_moved));
    if (ladder->counted_on) {
        failed |= put(object, "counted_on", json_string(ladder->counted_on->id));
        failed |= put(object, "counted_size", sizes_of(family, &ladder->counted));
    }
    for (size_t i = 0; i < ladder->n_rows; i++)
        failed |= json_array_append_new(rows, row_object(ladder, &ladder->rows[i]));
    failed |= put(object, "rungs", rows);
    if (!failed) failed = json_dumpf(object, out, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
    json_decref(object);
    fputc('\n', out);
    return !failed;
}

bool hw_cli_ladder_write(const hw_ladder *ladder, const hw_family *family, hw_report_format format, bool colour,
                         FILE *out) {
    switch (format) {
    case HW_REPORT_CSV: write_csv(ladder, family, out); return true;
    case HW_REPORT_JSON: return write_json(ladder, family, out);
    default: write_table(ladder, family, colour, out); return true;
    }
}
