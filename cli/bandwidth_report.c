// The transfers as a table, CSV, JSON and a picture.
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "bandwidth.h"
#include "json_output.h"
#include "plot.h"

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

static void write_table(const hw_bandwidth *b, FILE *out) {
    char text[32];
    fprintf(out, "%s (%s): host memory, GB/s (10^9 bytes per second)%s\n\n", b->name, b->device,
            b->is_model ? "; a model, nothing was measured" : "");
    fprintf(out, "%10s", "");
    for (int d = 1; d >= 0; d--) fprintf(out, "  %40s", directions[d]);
    fprintf(out, "\n%10s", "bytes");
    for (int d = 1; d >= 0; d--) {
        fputs("  ", out);
        for (int k = 0; k < HW_HOST_KINDS; k++) fprintf(out, "%10s", hw_host_kind_name((hw_host_kind)k));
    }
    for (int i = 0; i < b->n_sizes; i++) {
        fprintf(out, "\n%10s", size_text(b->bytes[i], text));
        for (int d = 1; d >= 0; d--) {
            fputs("  ", out);
            for (int k = 0; k < HW_HOST_KINDS; k++) fprintf(out, "%10.2f", gbs((double)b->bytes[i], b->us[k][d][i]));
        }
    }
    fprintf(out, "\n\n%s copied to the device and worked on, in chunks in as many streams\n\n",
            size_text(b->overlap_bytes, text));
    fprintf(out, "%10s%14s%14s%14s%14s\n", "streams", "execution us", "transfer us", "together us", "formula us");
    for (int i = 0; i < HW_BANDWIDTH_OVERLAPS; i++) {
        const hw_overlap *o = &b->overlap[i];
        fprintf(out, "%10" PRIu32 "%14.1f%14.1f%14.1f%14.1f\n", o->streams, o->execution_us, o->transfer_us, o->us,
                o->formula_us);
    }
    fputs("\n  combined  write-combined pinned memory      mapped  read and written by a kernel, without a copy\n"
          "  formula   execution + transfer / streams, where execution takes longer\n", out);
    if (b->is_model)
        fputs("  together  chunk by chunk, each copy with its latency; on 1.0 nothing overlaps\n", out);
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
    (void)colour;
    if (format == HW_REPORT_JSON) return write_json(bandwidth, out);
    if (format == HW_REPORT_CSV) write_csv(bandwidth, out);
    else write_table(bandwidth, out);
    return true;
}

// ---- Picture --------------------------------------------------------------------------------------------------------

static void write_script(const void *context, const char *path, FILE *out) {
    static const char *const colours[HW_HOST_KINDS] = {"#999999", "#2f6db3", "#3f8f6b", "#e08a1e"};
    const hw_bandwidth *b = context;
    char title[160];
    snprintf(title, sizeof title, "Copies between the host and %s", b->name);
    hw_cli_plot_begin(path, 900, 520, title,
                      b->is_model ? "a model, nothing was measured; dashed: from the device"
                                  : "dashed: from the device", out);
    for (int k = 0; k < HW_HOST_KINDS; k++)
        for (int d = 0; d < 2; d++) {
            fprintf(out, "$data_%d_%d << EOD\n", k, d);
            for (int i = 0; i < b->n_sizes; i++)
                fprintf(out, "%llu %.6g\n", b->bytes[i], gbs((double)b->bytes[i], b->us[k][d][i]));
            fputs("EOD\n", out);
        }
    fputs("set lmargin at screen 0.09\nset rmargin at screen 0.96\n"
          "set tmargin at screen 0.84\nset bmargin at screen 0.12\n"
          "set logscale x 2\nset xtics ('4 KiB' 4096, '64 KiB' 65536, '1 MiB' 1048576, '16 MiB' 16777216, "
          "'256 MiB' 268435456, '1 GiB' 1073741824)\nset yrange [0:*]\nset ylabel 'GB/s'\nset key top left\n"
          "set grid xtics ytics lc rgb '#e4e4e4' lt 1\n", out);
    if (b->n_sizes > 1) fprintf(out, "set xrange [%llu:%llu]\n", b->bytes[0], b->bytes[b->n_sizes - 1]);
    fputs("plot ", out);
    for (int k = 0; k < HW_HOST_KINDS; k++) {
        fprintf(out, "%s$data_%d_1 using 1:2 with lines lw 2 lc rgb '%s' title '%s', ", k ? ", " : "", k, colours[k],
                hw_host_kind_name((hw_host_kind)k));
        fprintf(out, "$data_%d_0 using 1:2 with lines lw 2 dt 2 lc rgb '%s' notitle", k, colours[k]);
    }
    fputs("\nunset multiplot\n", out);
}

int hw_bandwidth_draw(const hw_bandwidth *bandwidth, const char *path) {
    return hw_cli_plot_run(write_script, bandwidth, path);
}
