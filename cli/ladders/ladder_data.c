// A ladder for programs: CSV and JSON.
#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "output/json_output.h"
#include "ladders/ladder_report.h"
#include "origin.h"
#include "output/text_output.h"
#include "report/columns.h"

// A fact's name as programs like it: "operations per byte" is operations_per_byte.
enum { KEY = 64 };
static const char *key_of(const char *name, char key[KEY]) {
    size_t used = 0;
    for (; *name && used + 1 < KEY; name++) key[used++] = isalnum((unsigned char)*name) ? *name : '_';
    key[used] = 0;
    return key;
}

// The columns are the same for all GPUs, and those of counters that only others have are empty. What no GPU's profile
// has for a column, the ideals of the ladder's table, is counted on all of them.
static bool is_counted(const hw_ladder *ladder, const hw_ladder_row *row, int counter) {
    if (!row->has_counts || !ladder->counted_on) return false;
    return !hw_counter_rows[counter].until || hw_counter_is_column((hw_counter)counter, ladder->counted_on);
}

// What an estimate consists of has the keys of profile's columns.
static const uint8_t bound_columns[HW_BOUNDS] = {
    [HW_BOUND_MEMORY] = HW_COLUMN_EST_US_MEMORY,   [HW_BOUND_SHARED] = HW_COLUMN_EST_US_SHARED,
    [HW_BOUND_ISSUE] = HW_COLUMN_EST_US_ISSUE,     [HW_BOUND_LATENCY] = HW_COLUMN_EST_US_LATENCY,
    [HW_BOUND_LAUNCH] = HW_COLUMN_EST_US_LAUNCH,
};
static const char *bound_key(int bound) { return hw_columns[bound_columns[bound]].key; }

// ---- CSV ------------------------------------------------------------------------------------------------------------

// A number that is not 0, which stands for none.
static void write_csv_number(const char *format, double number, FILE *out) {
    fputc(',', out);
    if (number > 0) fprintf(out, format, number);
}

static void write_csv_times(const hw_ladder *ladder, const hw_ladder_row *row, FILE *out) {
    if (!hw_cli_ladder_is_timed(ladder) || !row->runs) {
        fputs(",,,,,,,,", out);
        return;
    }
    fprintf(out, ",%u,%.1f,%.1f,%.1f", row->runs, row->ns_median, row->ns_min, row->ns_max);
    write_csv_number("%.3f", row->gbs, out);
    write_csv_number("%.3f", row->gops, out);
    write_csv_number("%.4f", row->share, out);
    write_csv_number("%.4f", row->step, out);
}

// "" for a rung that is a start.
static const char *builds_on(const hw_rung *rung) {
    return rung->builds_on && strcmp(rung->builds_on, "-") != 0 ? rung->builds_on : "";
}

static void write_csv_row(const hw_ladder *ladder, const hw_family *family, const hw_ladder_row *row, FILE *out) {
    char type[32], size[96], counted[96] = "";
    if (ladder->counted_on) hw_cli_ladder_size(family, &ladder->counted, counted, sizeof counted);
    fprintf(out, "%s,", family->name);
    hw_cli_write_quoted(ladder->device->name, out);
    fprintf(out, ",%s,%s,%s,%s", hw_dtype_name(ladder->problem.dtype, type, sizeof type),
            hw_cli_ladder_size(family, &ladder->problem, size, sizeof size),
            ladder->counted_on ? ladder->counted_on->id : "", counted);
    fprintf(out, ",%d,%s,", row->rung->number, row->rung->name);
    if (row->block[0]) fprintf(out, "%ux%u", row->block[0], row->block[1]);
    fprintf(out, ",%d,%s,%" PRIu64 ",", row->is_best_block, hw_cli_ladder_result(row), row->verdict.n_wrong);
    hw_cli_write_quoted(row->status ? row->text : row->verdict.text, out);
    write_csv_times(ladder, row, out);
    if (row->resident_blocks) fprintf(out, ",%u", row->resident_blocks);
    else fputc(',', out);
    write_csv_number("%.2f", row->has_counts ? row->occupancy.occupancy_pct : 0, out);
    write_csv_number("%.3f", row->estimate_us, out);
    write_csv_number("%.4f", row->estimate_step, out);
    fprintf(out, ",%s,%d,%s,%s", hw_cli_ladder_bound(ladder, row), row->is_at_floor, builds_on(row->rung),
            row->base ? row->base->name : "");
    fprintf(out, ",%s,%s,", ladder->ptx_by, ladder->counted_ptx_by);
    if (!row->status && row->verdict.has_error) fprintf(out, "%.3e", row->verdict.error);
    for (int i = 0; i < 2; i++) write_csv_number("%.2f", row->partition_pct[i], out);
    for (int c = 0; c < HW_COUNTERS; c++) {
        fputc(',', out);
        if (is_counted(ladder, row, c)) fprintf(out, "%" PRIu64, row->counts[c]);
    }
    for (int f = 0; f < HW_FAMILY_FACTS && family->fact_names[f]; f++) {
        fputc(',', out);
        if (!isnan(row->facts[f])) fprintf(out, "%.10g", row->facts[f]);
    }
    for (int b = 0; b < HW_BOUNDS; b++) {
        fputc(',', out);
        if (row->estimate_us > 0) fprintf(out, "%.3f", row->bound_us[b]);
    }
    fputc('\n', out);
}

void hw_cli_ladder_write_csv(const hw_ladder *ladder, const hw_family *family, FILE *out) {
    fputs("family,device,dtype,size,counted_on,counted_size,number,rung,block,best_block,result,n_wrong,message,runs,"
          "ns_median,ns_min,ns_max,gbs,gops,share,step,blocks_per_multiprocessor,occupancy_pct,est_us,"
          "est_step,bound,at_launch_floor,builds_on,step_over,ptx_by,counted_ptx_by,error,gld_partition_pct,"
          "gst_partition_pct", out);
    for (int c = 0; c < HW_COUNTERS; c++) fprintf(out, ",%s", hw_counter_rows[c].name);
    for (int f = 0; f < HW_FAMILY_FACTS && family->fact_names[f]; f++) {
        char key[KEY];
        fprintf(out, ",%s", key_of(family->fact_names[f], key));
    }
    for (int b = 0; b < HW_BOUNDS; b++) fprintf(out, ",%s", bound_key(b));
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

// A number that is not 0, which stands for none.
static json_t *number(double value) { return value > 0 ? json_real(value) : json_null(); }

static int put_times(json_t *object, const hw_ladder_row *row) {
    return put(object, "runs", json_integer(row->runs)) | put(object, "ns_median", json_real(row->ns_median)) |
           put(object, "ns_min", json_real(row->ns_min)) | put(object, "ns_max", json_real(row->ns_max)) |
           put(object, "gbs", number(row->gbs)) | put(object, "gops", number(row->gops)) |
           put(object, "share", number(row->share)) | put(object, "step", number(row->step));
}

static int put_counts(json_t *object, const hw_ladder *ladder, const hw_ladder_row *row) {
    json_t *counts = json_object();
    int failed = 0;
    for (int c = 0; c < HW_COUNTERS; c++)
        failed |= put(counts, hw_counter_rows[c].name,
                      is_counted(ladder, row, c) ? json_integer((json_int_t)row->counts[c]) : json_null());
    failed |= put(object, "occupancy_pct", number(row->occupancy.occupancy_pct));
    failed |= put(object, "est_us", number(row->estimate_us));
    failed |= put(object, "gld_partition_pct", number(row->partition_pct[0]));
    failed |= put(object, "gst_partition_pct", number(row->partition_pct[1]));
    failed |= put(object, "est_step", number(row->estimate_step));
    failed |= put(object, "counters", counts);
    for (int b = 0; b < HW_BOUNDS; b++)
        failed |= put(object, bound_key(b), row->estimate_us > 0 ? json_real(row->bound_us[b]) : json_null());
    return failed;
}

// What the family says of the rung; null where it says nothing.
static int put_facts(json_t *object, const hw_family *family, const hw_ladder_row *row) {
    json_t *facts = json_object();
    int failed = 0;
    for (int f = 0; f < HW_FAMILY_FACTS && family->fact_names[f]; f++) {
        char key[KEY];
        failed |= put(facts, key_of(family->fact_names[f], key),
                      isfinite(row->facts[f]) ? json_real(row->facts[f]) : json_null());
    }
    return put(object, "facts", facts) | failed;
}

static json_t *row_object(const hw_ladder *ladder, const hw_family *family, const hw_ladder_row *row) {
    const char *message = row->status ? row->text : row->verdict.text;
    json_t *object = json_object(), *text = json_string(message);
    int failed = put(object, "number", json_integer(row->rung->number));
    failed |= put(object, "rung", json_string(row->rung->name));
    if (row->rung->idea) failed |= put(object, "idea", json_string(row->rung->idea));
    failed |= put(object, "builds_on", builds_on(row->rung)[0] ? json_string(builds_on(row->rung)) : json_null());
    failed |= put(object, "step_over", row->base ? json_string(row->base->name) : json_null());
    failed |= put(object, "block", row->block[0] ? json_pack("[i, i]", (int)row->block[0], (int)row->block[1])
                                                 : json_null());
    if (row->is_best_block) failed |= put(object, "best_block", json_true());
    failed |= put(object, "result", json_string(hw_cli_ladder_result(row)));
    failed |= put(object, "n_wrong", json_integer((json_int_t)row->verdict.n_wrong));
    // A compiler's words need not be UTF-8.
    failed |= put(object, "message", text ? text : json_string("(not UTF-8)"));
    if (hw_cli_ladder_is_timed(ladder) && row->runs) failed |= put_times(object, row);
    if (hw_cli_ladder_bound(ladder, row)[0])
        failed |= put(object, "bound", json_string(hw_cli_ladder_bound(ladder, row)));
    failed |= put(object, "at_launch_floor", json_boolean(row->is_at_floor));
    if (!row->status && row->verdict.has_error) failed |= put(object, "error", json_real(row->verdict.error));
    if (row->resident_blocks) failed |= put(object, "blocks_per_multiprocessor", json_integer(row->resident_blocks));
    if (family->facts) failed |= put_facts(object, family, row);
    if (row->has_counts) failed |= put_counts(object, ladder, row);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

bool hw_cli_ladder_write_json(const hw_ladder *ladder, const hw_family *family, FILE *out) {
    char type[32];
    json_t *object = json_object(), *rows = json_array();
    int failed = put(object, "family", json_string(family->name));
    failed |= hw_cli_put_origin(object);
    failed |= put(object, "device", json_string(ladder->device->name));
    failed |= put(object, "ptx_by", ladder->ptx_by[0] ? json_string(ladder->ptx_by) : json_null());
    if (ladder->counted_ptx_by[0]) failed |= put(object, "counted_ptx_by", json_string(ladder->counted_ptx_by));
    failed |= put(object, "dtype", json_string(hw_dtype_name(ladder->problem.dtype, type, sizeof type)));
    failed |= put(object, "size", sizes_of(family, &ladder->problem));
    failed |= put(object, "bytes_moved", json_real(ladder->work.bytes_moved));
    if (ladder->work.operations > 0) {
        failed |= put(object, "operations", json_real(ladder->work.operations));
        failed |= put(object, "operation", json_string(ladder->work.operation));
    }
    if (ladder->launch_ns > 0) failed |= put(object, "launch_ns", json_real(ladder->launch_ns));
    if (ladder->counted_on) {
        failed |= put(object, "counted_on", json_string(ladder->counted_on->id));
        failed |= put(object, "counted_size", sizes_of(family, &ladder->counted));
    }
    for (size_t i = 0; i < ladder->n_rows; i++)
        failed |= json_array_append_new(rows, row_object(ladder, family, &ladder->rows[i]));
    failed |= put(object, "rungs", rows);
    return hw_cli_finish_json(object, !failed, 10, out);
}
