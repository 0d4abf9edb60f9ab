// Several GPUs over one of a family's sizes, as text.
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "output/json_output.h"
#include "origin.h"
#include "report/grid.h"
#include "ladders/sweep_report.h"

const char *hw_cli_sweep_name(const hw_sweep_curve *curve, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, curve->gpu ? "%s" : "%s, measured", curve->gpu ? curve->gpu->name : curve->device->name);
    return text;
}

static const char *id_of(const hw_sweep_curve *curve) { return curve->gpu ? curve->gpu->id : "measured"; }

// ---- Table ----------------------------------------------------------------------------------------------------------

_Static_assert(1 + 2 * (int)HW_SWEEP_DEVICES <= (int)HW_GRID_COLUMNS, "columns of two rungs fit a grid");

typedef struct table {
    const hw_sweep *sweep;
    size_t n_columns;   // curves that are shown
} table;

static const hw_sweep_point *point_at(const hw_sweep_curve *curve, uint64_t step) {
    for (size_t i = 0; i < curve->n_points; i++)
        if (curve->points[i].step == step) return &curve->points[i];
    return NULL;
}

static void table_row(const void *context, size_t step, hw_grid_cell *cells) {
    const table *t = context;
    snprintf(cells[0].text, HW_GRID_CELL, "%zu", step);
    for (size_t i = 0; i < t->n_columns; i++) {
        const hw_sweep_point *point = point_at(&t->sweep->curves[i], step);
        hw_grid_cell *cell = &cells[i + 1];
        snprintf(cell->text, HW_GRID_CELL, !point ? "-" : point->gbs < 99.95 ? "%.1f" : "%.0f", point ? point->gbs : 0);
        cell->colour = point ? HW_GRID_PLAIN : HW_GRID_FAINT;
    }
}

static void write_table(const hw_sweep *sweep, bool colour, int width, FILE *out) {
    table t = {sweep, sweep->n_curves < HW_GRID_COLUMNS - 1 ? sweep->n_curves : HW_GRID_COLUMNS - 1};
    hw_grid_column columns[HW_GRID_COLUMNS] = {{"", sweep->family->size_names[sweep->family->swept_size],
                                                  HW_GRID_KEY}};
    bool has_estimates = false;
    for (size_t i = 0; i < t.n_columns; i++) {
        columns[i + 1] = (hw_grid_column){sweep->curves[i].rung->swept, id_of(&sweep->curves[i]), false};
        has_estimates |= sweep->curves[i].gpu != NULL;
    }
    fprintf(out, "%s: GB/s, read and written, by ", sweep->family->name);
    for (size_t i = 0; i < sweep->n_curves; i += sweep->n_devices)
        fprintf(out, "%s%s", i ? " and " : "", sweep->curves[i].rung->swept);
    fputs("\n\n", out);
    hw_grid_write(&(hw_grid){.columns = columns, .n_columns = (int)t.n_columns + 1, .width = width,
                             .n_rows = sweep->family->sweep_last + 1, .row = table_row, .context = &t}, colour, out);
    fputc('\n', out);
    if (has_estimates)
        hw_grid_write_wrapped("Estimates of simulated GPUs: useful bytes over the time that memory takes for what it "
                              "moves", width, 0, 0, out);
}

// ---- Data -----------------------------------------------------------------------------------------------------------

static void write_csv(const hw_sweep *sweep, FILE *out) {
    fprintf(out, "family,rung,gpu,device,%s,gbs,moved_per_useful_byte\n",
            sweep->family->size_names[sweep->family->swept_size]);
    for (size_t i = 0; i < sweep->n_curves; i++) {
        const hw_sweep_curve *curve = &sweep->curves[i];
        char name[160];
        hw_cli_sweep_name(curve, name, sizeof name);
        for (size_t k = 0; k < curve->n_points; k++) {
            const hw_sweep_point *point = &curve->points[k];
            fprintf(out, "%s,%s,%s,\"%s\",%" PRIu64 ",%.2f,", sweep->family->name, curve->rung->name, id_of(curve),
                    name, point->step, point->gbs);
            if (curve->gpu) fprintf(out, "%.4f", point->moved);
            fputc('\n', out);
        }
    }
}

// NULL: out of memory.
static json_t *curve_object(const hw_sweep *sweep, const hw_sweep_curve *curve) {
    const char *step = sweep->family->size_names[sweep->family->swept_size];
    char name[160];
    json_t *points = json_array();
    int failed = 0;
    for (size_t k = 0; k < curve->n_points; k++) {
        const hw_sweep_point *point = &curve->points[k];
        json_t *object = json_pack("{s:I, s:f}", step, (json_int_t)point->step, "gbs", point->gbs);
        if (object && curve->gpu)
            failed |= json_object_set_new(object, "moved_per_useful_byte", json_real(point->moved));
        failed |= json_array_append_new(points, object);
    }
    if (!failed)
        return json_pack("{s:s, s:s, s:s, s:o}", "rung", curve->rung->name, "gpu", id_of(curve), "device",
                         hw_cli_sweep_name(curve, name, sizeof name), "points", points);
    json_decref(points);
    return NULL;
}

static bool write_json(const hw_sweep *sweep, FILE *out) {
    json_t *curves = json_array(), *object = json_object();
    int failed = 0;
    for (size_t i = 0; i < sweep->n_curves; i++)
        failed |= json_array_append_new(curves, curve_object(sweep, &sweep->curves[i]));
    failed |= json_object_set_new(object, "family", json_string(sweep->family->name));
    failed |= hw_cli_put_origin(object);
    failed |= json_object_set_new(object, "curves", curves);
    return hw_cli_finish_json(object, !failed, 6, out);
}

bool hw_cli_sweep_write(const hw_sweep *sweep, hw_report_format format, bool colour, int width, FILE *out) {
    switch (format) {
    case HW_REPORT_CSV: write_csv(sweep, out); return true;
    case HW_REPORT_JSON: return write_json(sweep, out);
    default: write_table(sweep, colour, width, out); return true;
    }
}
