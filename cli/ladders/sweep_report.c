// Several GPUs over one of a family's sizes, as text.
#include "ladders/sweep_report.h"

#include <string.h>

#include "origin.h"
#include "output/json_output.h"
#include "report/fields.h"
#include "report/sheet.h"

const char *hw_cli_sweep_name(const hw_sweep_curve *curve, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, curve->gpu ? "%s" : "%s, measured", curve->gpu ? curve->gpu->name : curve->device->name);
    return text;
}

static const char *id_of(const hw_sweep_curve *curve) { return curve->gpu ? curve->gpu->id : "measured"; }

static const char *step_name(const hw_sweep *sweep) { return sweep->family->size_names[sweep->family->swept_size]; }

// ---- Table ----------------------------------------------------------------------------------------------------------

_Static_assert(1 + 2 * (int)HW_SWEEP_DEVICES <= (int)HW_GRID_COLUMNS, "columns of two rungs fit a grid");

static const hw_sweep_point *point_at(const hw_sweep_curve *curve, uint64_t step) {
    for (size_t i = 0; i < curve->n_points; i++)
        if (curve->points[i].step == step) return &curve->points[i];
    return NULL;
}

// A row is a step, a column the curve whose number it has.
static hw_value read_index(const hw_column *column, const void *subject) {
    (void)column;
    return hw_value_integer(((const hw_row *)subject)->index);
}

static hw_value read_curve(const hw_column *column, const void *subject) {
    const hw_row *row = subject;
    const hw_sweep *sweep = row->of;
    const hw_sweep_point *point = point_at(&sweep->curves[column->of[0][0]], row->index);
    return hw_value_where(point, hw_value_real(point ? point->gbs : 0));
}

static void write_rates(const hw_sweep *sweep, bool colour, int width, FILE *out) {
    const hw_column steps = {.heading = {"", step_name(sweep), HW_GRID_KEY | HW_LOOK_ZERO}, .read = read_index};
    const hw_column *columns[HW_GRID_COLUMNS] = {&steps};
    hw_column curves[HW_GRID_COLUMNS];
    int n = 1;
    for (size_t i = 0; i < sweep->n_curves && n < HW_GRID_COLUMNS; i++, n++) {
        curves[n] = (hw_column){.heading = {sweep->curves[i].rung->swept, id_of(&sweep->curves[i]), HW_LOOK_COARSE},
                                .unit = HW_UNIT_GBS, .read = read_curve, .of = {{(uint8_t)i}}};
        columns[n] = &curves[n];
    }
    hw_sheet_write(&(hw_sheet){.columns = columns, .n_columns = n, .width = width,
                               .n_rows = sweep->family->sweep_last + 1, .of = sweep},
                   colour, out);
}

static void write_table(const hw_sweep *sweep, bool colour, int width, FILE *out) {
    bool has_estimates = false;
    for (size_t i = 0; i < sweep->n_curves; i++) has_estimates |= sweep->curves[i].gpu != NULL;
    fprintf(out, "%s: GB/s, read and written, by ", sweep->family->name);
    for (size_t i = 0; i < sweep->n_curves; i += sweep->n_devices)
        fprintf(out, "%s%s", i ? " and " : "", sweep->curves[i].rung->swept);
    fputs("\n\n", out);
    write_rates(sweep, colour, width, out);
    fputc('\n', out);
    if (has_estimates)
        hw_grid_write_wrapped("Estimates of simulated GPUs: useful bytes over the time that memory takes for what it "
                              "moves", width, 0, 0, out);
}

// ---- Data -----------------------------------------------------------------------------------------------------------

// What data are of: a point of a curve.
typedef struct subject {
    const hw_sweep *sweep;
    const hw_sweep_curve *curve;
    const hw_sweep_point *point;     // NULL: of the curve as a whole
    char name[160];
} subject;

static subject subject_of(const hw_sweep *sweep, const hw_sweep_curve *curve) {
    subject s = {.sweep = sweep, .curve = curve};
    hw_cli_sweep_name(curve, s.name, sizeof s.name);
    return s;
}

// A reader that takes nothing of its column.
#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *of) {                                                 \
        const subject *s = of;                                                                                        \
        (void)column;                                                                                                 \
        return value;                                                                                                 \
    }

READER(read_family, hw_value_text(s->sweep->family->name))
READER(read_rung, hw_value_text(s->curve->rung->name))
READER(read_gpu, hw_value_text(id_of(s->curve)))
READER(read_device, hw_value_text(s->name))
READER(read_step, hw_value_integer(s->point->step))
READER(read_gbs, hw_value_real(s->point->gbs))
READER(read_moved, hw_value_where(s->curve->gpu, hw_value_real(s->point->moved)))

static const hw_column family_column = {.key = "family", .read = read_family};
static const hw_column rung_column = {.key = "rung", .read = read_rung};
static const hw_column gpu_column = {.key = "gpu", .read = read_gpu};
static const hw_column device_column = {.key = "device", .read = read_device};
static const hw_column gbs_column = {.key = "gbs", .unit = HW_UNIT_GBS, .read = read_gbs};
static const hw_column moved_column = {.key = "moved_per_useful_byte", .unit = HW_UNIT_TIMES, .read = read_moved};
static hw_column step_column(const hw_sweep *sweep) { return (hw_column){.key = step_name(sweep), .read = read_step}; }

static void write_csv(const hw_sweep *sweep, FILE *out) {
    enum { N_FIELDS = 7 };
    const hw_column step = step_column(sweep);
    const hw_field fields[N_FIELDS] = {
        {&family_column, 0, 0}, {&rung_column, 0, 0}, {&gpu_column, 0, 0}, {&device_column, 0, HW_FIELD_QUOTED},
        {&step, 0, 0}, {&gbs_column, 2, HW_FIELD_PADDED}, {&moved_column, 4, HW_FIELD_PADDED}};
    hw_csv_write_keys(fields, N_FIELDS, out);
    for (size_t i = 0; i < sweep->n_curves; i++) {
        subject s = subject_of(sweep, &sweep->curves[i]);
        for (size_t k = 0; k < s.curve->n_points; k++) {
            s.point = &s.curve->points[k];
            hw_csv_write_row(fields, N_FIELDS, &s, out);
        }
    }
}

// NULL: out of memory.
static json_t *curve_object(const hw_sweep *sweep, const hw_sweep_curve *curve) {
    enum { N_OF_CURVE = 3, N_OF_POINT = 3 };
    static const hw_field of_curve[N_OF_CURVE] = {{&rung_column, 0, 0}, {&gpu_column, 0, 0}, {&device_column, 0, 0}};
    const hw_column step = step_column(sweep);
    const hw_field of_point[N_OF_POINT] = {{&step, 0, 0}, {&gbs_column, 0, HW_FIELD_WHOLE},
                                           {&moved_column, 0, HW_FIELD_WHOLE | HW_FIELD_LEFT_OUT}};
    subject s = subject_of(sweep, curve);
    json_t *object = json_object(), *points = json_array();
    int failed = hw_json_put_row(object, of_curve, N_OF_CURVE, &s);
    for (size_t k = 0; k < curve->n_points && !failed; k++) {
        json_t *point = json_object();
        s.point = &curve->points[k];
        failed = hw_json_put_row(point, of_point, N_OF_POINT, &s) | json_array_append_new(points, point);
    }
    failed |= json_object_set_new(object, "points", points);
    if (!failed) return object;
    json_decref(object);
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
