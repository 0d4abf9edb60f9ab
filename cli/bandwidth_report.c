// The transfers as a table, CSV, JSON and a picture.
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "bandwidth.h"
#include "picture/chart.h"
#include "output/json_output.h"
#include "picture/picture.h"
#include "report/grid.h"

static const char *const directions[2] = {"from device", "to device"}, *const short_directions[2] = {"from", "to"};

static double gbs(double bytes, double us) { return us > 0 ? bytes / us / 1e3 : 0; }

// "4 KiB", "256 MiB", and bytes where neither goes in.
static const char *size_text(unsigned long long bytes, char text[32]) {
    if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) snprintf(text, 32, "%llu MiB", bytes >> 20);
    else if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) snprintf(text, 32, "%llu KiB", bytes >> 10);
    else snprintf(text, 32, "%llu B", bytes);
    return text;
}

// ---- Table ----------------------------------------------------------------------------------------------------------

enum { T_BYTES, T_RATES, T_COLUMNS = T_RATES + 2 * HW_HOST_KINDS };
enum { O_STREAMS, O_EXECUTION, O_TRANSFER, O_TOGETHER, O_FORMULA, O_COLUMNS };
_Static_assert((int)T_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

static const hw_grid_column overlap_columns[O_COLUMNS] = {
    [O_STREAMS] = {"", "streams", 0},
    [O_EXECUTION] = {"", "execution us", 0},
    [O_TRANSFER] = {"", "transfer us", 0},
    [O_TOGETHER] = {"", "together us", 0},
    [O_FORMULA] = {"", "formula us", 0},
};

// To the device first.
static int kind_of(int column) { return (column - T_RATES) % HW_HOST_KINDS; }
static int direction_of(int column) { return column < T_RATES + HW_HOST_KINDS; }

static void rate_row(const void *context, size_t row, hw_grid_cell *cells) {
    const hw_bandwidth *b = context;
    char text[32];
    snprintf(cells[T_BYTES].text, HW_GRID_CELL, "%s", size_text(b->bytes[row], text));
    for (int c = T_RATES; c < T_COLUMNS; c++)
        snprintf(cells[c].text, HW_GRID_CELL, "%.2f",
                 gbs((double)b->bytes[row], b->us[kind_of(c)][direction_of(c)][row]));
}

static void overlap_row(const void *context, size_t row, hw_grid_cell *cells) {
    const hw_overlap *o = &((const hw_bandwidth *)context)->overlap[row];
    const double us[] = {o->execution_us, o->transfer_us, o->us, o->formula_us};
    snprintf(cells[O_STREAMS].text, HW_GRID_CELL, "%" PRIu32, o->streams);
    for (int c = O_EXECUTION; c < O_COLUMNS; c++)
        snprintf(cells[c].text, HW_GRID_CELL, "%.1f", us[c - O_EXECUTION]);
}

static void write_rates(const hw_bandwidth *b, bool colour, FILE *out) {
    hw_grid_column columns[T_COLUMNS] = {[T_BYTES] = {"", "bytes", HW_GRID_KEY}};
    for (int c = T_RATES; c < T_COLUMNS; c++)
        columns[c] = (hw_grid_column){directions[direction_of(c)], hw_host_kind_name((hw_host_kind)kind_of(c)), 0};
    hw_grid_write(&(hw_grid){.columns = columns, .n_columns = T_COLUMNS, .width = b->width,
                             .n_rows = (size_t)b->n_sizes, .row = rate_row, .context = b},
                  colour, out);
}

static void write_table(const hw_bandwidth *b, bool colour, FILE *out) {
    static const char *const legend[][2] = {
        {"combined", "write-combined pinned memory"},
        {"mapped", "read and written by a kernel, without a copy"},
        {"formula", "execution + transfer / streams, where execution takes longer"},
        {"together", "chunk by chunk, each copy with its latency; on 1.0 nothing overlaps"},
    };
    char text[32], line[256];
    snprintf(line, sizeof line, "%s (%s): host memory, GB/s (10^9 bytes per second)%s", b->name, b->device,
             b->is_model ? "; a model, nothing was measured" : "");
    hw_grid_write_wrapped(line, b->width, 0, 0, out);
    fputc('\n', out);
    write_rates(b, colour, out);
    fprintf(out, "\n%s copied to the device and worked on, in chunks in as many streams\n\n",
            size_text(b->overlap_bytes, text));
    hw_grid_write(&(hw_grid){.columns = overlap_columns, .n_columns = O_COLUMNS, .width = b->width,
                             .n_rows = HW_BANDWIDTH_OVERLAPS, .row = overlap_row, .context = b},
                  colour, out);
    fputc('\n', out);
    // What the last one says is of the model alone.
    for (size_t i = 0; i < sizeof legend / sizeof legend[0] - !b->is_model; i++)
        fprintf(out, "  %-8s  %s\n", legend[i][0], legend[i][1]);
}

// ---- CSV and JSON ---------------------------------------------------------------------------------------------------

// One table: of a transfer streams, execution_us, transfer_us and formula_us are empty.
static void write_csv(const hw_bandwidth *b, FILE *out) {
    fputs("device,model,memory,direction,bytes,us,gbs,streams,execution_us,transfer_us,formula_us\n", out);
    for (int k = 0; k < HW_HOST_KINDS; k++)
        for (int d = 1; d >= 0; d--)
            for (int i = 0; i < b->n_sizes; i++)
                fprintf(out, "%s,%d,%s,%s,%llu,%.3f,%.3f,,,,\n", b->device, b->is_model,
                        hw_host_kind_name((hw_host_kind)k), short_directions[d], b->bytes[i], b->us[k][d][i],
                        gbs((double)b->bytes[i], b->us[k][d][i]));
    for (int i = 0; i < HW_BANDWIDTH_OVERLAPS; i++) {
        const hw_overlap *o = &b->overlap[i];
        fprintf(out, "%s,%d,overlap,to,%llu,%.3f,%.3f,%" PRIu32 ",%.3f,%.3f,%.3f\n", b->device, b->is_model,
                b->overlap_bytes, o->us, gbs((double)b->overlap_bytes, o->us), o->streams, o->execution_us,
                o->transfer_us, o->formula_us);
    }
}

// With three decimals at most, as in CSV.
static json_t *rounded(double value) { return json_real(round(value * 1000) / 1000); }

// Each returns 0, or -1 when out of memory, and takes its value in both cases.
static int put(json_t *object, const char *key, json_t *value) { return json_object_set_new(object, key, value); }

static json_t *json_transfer(const hw_bandwidth *b, int kind, int direction, int size) {
    json_t *object = json_object();
    double us = b->us[kind][direction][size];
    int failed = put(object, "memory", json_string(hw_host_kind_name((hw_host_kind)kind)));
    failed |= put(object, "direction", json_string(short_directions[direction]));
    failed |= put(object, "bytes", json_integer((json_int_t)b->bytes[size]));
    failed |= put(object, "us", rounded(us)) | put(object, "gbs", rounded(gbs((double)b->bytes[size], us)));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static json_t *json_overlap(const hw_bandwidth *b, const hw_overlap *o) {
    json_t *object = json_object();
    int failed = put(object, "bytes", json_integer((json_int_t)b->overlap_bytes));
    failed |= put(object, "streams", json_integer(o->streams)) | put(object, "us", rounded(o->us));
    failed |= put(object, "execution_us", rounded(o->execution_us));
    failed |= put(object, "transfer_us", rounded(o->transfer_us));
    failed |= put(object, "formula_us", rounded(o->formula_us));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static bool write_json(const hw_bandwidth *b, FILE *out) {
    enum { DIGITS = 15 };   // a double's, so that no decimal is made up
    json_t *object = json_object(), *transfers = json_array(), *overlap = json_array();
    int failed = put(object, "device", json_string(b->device)) | put(object, "model", json_boolean(b->is_model));
    for (int k = 0; k < HW_HOST_KINDS; k++)
        for (int d = 1; d >= 0; d--)
            for (int i = 0; i < b->n_sizes; i++) failed |= json_array_append_new(transfers, json_transfer(b, k, d, i));
    for (int i = 0; i < HW_BANDWIDTH_OVERLAPS; i++)
        failed |= json_array_append_new(overlap, json_overlap(b, &b->overlap[i]));
    failed |= put(object, "transfers", transfers) | put(object, "overlap", overlap);
    return hw_cli_finish_json(object, !failed, DIGITS, out);
}

bool hw_bandwidth_write(const void *bandwidth, hw_report_format format, bool colour, FILE *out) {
    if (format == HW_REPORT_JSON) return write_json(bandwidth, out);
    if (format == HW_REPORT_CSV) write_csv(bandwidth, out);
    else write_table(bandwidth, colour, out);
    return true;
}

// ---- Picture --------------------------------------------------------------------------------------------------------

enum { WIDTH = 960, HEIGHT = 540, TOP = 100, LEFT = 66, FOOT = 60, RIGHT = 12, KINDS = 2 * HW_HOST_KINDS };
_Static_assert((int)KINDS <= (int)HW_CHART_CURVES, "each curve has a label");

typedef struct drawn {
    char labels[KINDS][64];
    double x[HW_BANDWIDTH_SIZES], y[KINDS][HW_BANDWIDTH_SIZES];
    hw_chart_curve curves[KINDS];
} drawn;

// The way to the device is a whole line, the way from it a dashed one.
static void take_bandwidth_curves(const hw_bandwidth *b, drawn *d) {
    static const char *const colours[HW_HOST_KINDS] = {"#777777", "#2f6db3", "#2f8a60", "#d9760a"};
    for (int i = 0; i < b->n_sizes; i++) d->x[i] = (double)b->bytes[i];
    for (int c = 0; c < KINDS; c++) {
        const int kind = c / 2, direction = 1 - c % 2;
        for (int i = 0; i < b->n_sizes; i++) d->y[c][i] = gbs(d->x[i], b->us[kind][direction][i]);
        snprintf(d->labels[c], sizeof d->labels[c], "%s, %s", hw_host_kind_name((hw_host_kind)kind),
                 direction ? "to" : "from");
        d->curves[c] = (hw_chart_curve){.label = d->labels[c], .title = d->labels[c], .colour = colours[kind],
                                        .dash = direction ? NULL : "7 5", .mark = kind, .x = d->x, .y = d->y[c],
                                        .n = b->n_sizes};
    }
}

static void choose_axes(const hw_bandwidth *b, const drawn *d, hw_chart_axis *x, hw_chart_axis *y) {
    static const struct {
        double bytes;
        const char *name;
    } sizes[] = {{1 << 12, "4 KiB"}, {1 << 16, "64 KiB"}, {1 << 20, "1 MiB"}, {1 << 24, "16 MiB"},
                 {1 << 28, "256 MiB"}, {1 << 30, "1 GiB"}};
    double most = 0;
    for (int c = 0; c < KINDS; c++)
        for (int i = 0; i < b->n_sizes; i++) most = d->y[c][i] > most ? d->y[c][i] : most;
    *y = (hw_chart_axis){.high = most > 0 ? most * 1.08 : 1, .from = HEIGHT - FOOT, .to = TOP, .title = "GB/s"};
    hw_chart_choose_ticks(y, 7);
    *x = (hw_chart_axis){.low = d->x[0] / 1.1, .high = d->x[b->n_sizes - 1] * 1.1, .is_log = true, .from = LEFT,
                         .to = WIDTH - RIGHT - hw_chart_label_width(d->curves, KINDS), .title = "bytes"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].bytes < x->low || sizes[i].bytes > x->high) continue;
        x->tick_names[x->n_ticks] = sizes[i].name;
        x->ticks[x->n_ticks++] = sizes[i].bytes;
    }
}

static void draw_bandwidth(const void *context, FILE *out) {
    const hw_bandwidth *b = context;
    char title[160];
    drawn d;
    hw_chart_axis x, y;
    take_bandwidth_curves(b, &d);
    choose_axes(b, &d, &x, &y);
    snprintf(title, sizeof title, "Copies between the host and %s", b->name);
    hw_svg_begin(out, WIDTH, HEIGHT, title,
                 b->is_model ? "a model, nothing was measured; dashed: from the device" : "dashed: from the device");
    hw_chart_frame(out, &x, &y, true);
    hw_chart_draw(out, &x, &y, d.curves, KINDS, "GB/s");
    hw_svg_end(out);
}

int hw_bandwidth_draw(const hw_bandwidth *bandwidth, const char *path) {
    return hw_cli_picture_write(draw_bandwidth, bandwidth, path);
}
