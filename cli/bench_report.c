// The table and the JSON of a benchmark.
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "bench.h"

// 10^9 bytes a second, each byte read once and written once; bytes per ns is the same number.
static double rate(const hw_bench_case *what, const hw_bench_times *times) {
    return times->median > 0 ? 2 * (double)what->bytes / times->median : 0;
}

static double share(const hw_bench_row *row, const hw_bench_times *times) {
    return times->median > 0 ? row->copy.times.median / times->median : 0;
}

// ---- The table ------------------------------------------------------------------------------------------------------

void hw_bench_print_header(const hw_bench_report *report, FILE *out) {
    fprintf(out,
            "%s on %s, %s\nGB/s: 10^9 bytes read and written a second, median; share: of a copy of the same bytes\n\n",
            report->family, report->device->name, report->device_name);
    fprintf(out, "%-42s %8s   %-22s", "", "copy", "halfwarp");
    for (int p = 0; p < report->n_peers; p++)
        if (!report->peers[p].absent[0])
            fprintf(out, "   %-8.8s %-5.5s", report->peers[p].name, report->peers[p].version);
    fprintf(out, "\n%-42s %8s   %8s %6s %6s", "case", "GB/s", "GB/s", "share", "spread");
    for (int p = 0; p < report->n_peers; p++)
        if (!report->peers[p].absent[0]) fprintf(out, "   %7s %6s", "GB/s", "share");
    fputc('\n', out);
}

static void print_rate(const hw_bench_row *row, const hw_bench_result *result, FILE *out) {
    if (result->wrong) fprintf(out, "   %14s", "wrong");
    else if (!result->times.n) fprintf(out, "   %14s", "-");
    else fprintf(out, "   %7.4g %5.0f%%", rate(&row->what, &result->times), 100 * share(row, &result->times));
}

void hw_bench_print_row(const hw_bench_report *report, const hw_bench_row *row, FILE *out) {
    char name[128];
    snprintf(name, sizeof name, "%s (%s) %s%s", row->what.dtype, row->what.shape_text, row->what.axes_text,
             row->what.in_place ? " in place" : "");
    fprintf(out, "%-42s", name);
    if (row->halfwarp.problem[0]) {
        fprintf(out, " %s\n", row->halfwarp.problem);
        return;
    }
    fprintf(out, " %8.4g   %8.4g %5.0f%% %5.1f%%", rate(&row->what, &row->copy.times),
            rate(&row->what, &row->halfwarp.times), 100 * share(row, &row->halfwarp.times),
            row->halfwarp.times.spread_pct);
    for (int p = 0; p < row->n_peers; p++)
        if (!report->peers[p].absent[0]) print_rate(row, &row->peers[p], out);
    fputc('\n', out);
    fflush(out);
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Of a group, who's shares of the copy: worst, median, best. -1: Halfwarp.
static void print_shares(const hw_bench_report *report, const char *group, int peer, FILE *out) {
    double *shares = malloc(report->n_rows * sizeof *shares);
    size_t count = 0;
    for (size_t i = 0; shares && i < report->n_rows; i++) {
        const hw_bench_row *row = &report->rows[i];
        const hw_bench_result *result = peer < 0 ? &row->halfwarp : &row->peers[peer];
        if (strcmp(row->what.group, group) == 0 && result->times.n && (peer < 0 || peer < row->n_peers))
            shares[count++] = 100 * share(row, &result->times);
    }
    if (count) {
        qsort(shares, count, sizeof *shares, compare);
        fprintf(out, "%-10s %-10s %4zu cases: worst %3.0f%%, median %3.0f%%, best %3.0f%% of the copy\n", group,
                peer < 0 ? "halfwarp" : report->peers[peer].name, count, shares[0],
                count % 2 ? shares[count / 2] : (shares[count / 2 - 1] + shares[count / 2]) / 2, shares[count - 1]);
    }
    free(shares);
}

static bool is_first_of_group(const hw_bench_report *report, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (strcmp(report->rows[i].what.group, report->rows[index].what.group) == 0) return false;
    return true;
}

void hw_bench_print_summary(const hw_bench_report *report, FILE *out) {
    fputc('\n', out);
    for (size_t i = 0; i < report->n_rows; i++)
        for (int p = -1; p < report->n_peers && is_first_of_group(report, i); p++)
            print_shares(report, report->rows[i].what.group, p, out);
    for (int p = 0; p < report->n_peers; p++)
        if (report->peers[p].absent[0])
            fprintf(out, "not measured: %s: %s\n", report->peers[p].name, report->peers[p].absent);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static json_t *result_json(const hw_bench_row *row, const hw_bench_result *result) {
    const hw_bench_times *t = &result->times;
    if (!t->n) return json_pack("{s:s, s:s}", "who", result->who, "problem", result->problem);
    json_t *ms = json_pack("{s:f, s:f, s:f, s:f, s:i}", "median", t->median * 1e-6, "minimum", t->minimum * 1e-6,
                           "maximum", t->maximum * 1e-6, "spread_pct", t->spread_pct, "samples", t->n);
    return json_pack("{s:s, s:o, s:f, s:f}", "who", result->who, "ms", ms, "gbs", rate(&row->what, t), "share",
                     share(row, t));
}

static json_t *row_json(const hw_bench_row *row) {
    json_t *results = json_array();
    json_array_append_new(results, result_json(row, &row->copy));
    json_array_append_new(results, result_json(row, &row->halfwarp));
    for (int p = 0; p < row->n_peers; p++) json_array_append_new(results, result_json(row, &row->peers[p]));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:I, s:o}", "group", row->what.group, "dtype", row->what.dtype, "shape",
                     row->what.shape_text, "axes", row->what.axes_text, "in_place", row->what.in_place, "bytes",
                     (json_int_t)row->what.bytes, "results", results);
}

static json_t *peers_json(const hw_bench_report *report) {
    json_t *peers = json_array();
    for (int p = 0; p < report->n_peers; p++) {
        const hw_bench_peer *peer = &report->peers[p];
        json_array_append_new(peers, peer->absent[0]
                                         ? json_pack("{s:s, s:s}", "name", peer->name, "absent", peer->absent)
                                         : json_pack("{s:s, s:s}", "name", peer->name, "version", peer->version));
    }
    return peers;
}

json_t *hw_bench_json(const hw_bench_report *report) {
    hw_machine machine;
    json_t *rows = json_array();
    hw_machine_describe(&machine);
    for (size_t i = 0; i < report->n_rows; i++) json_array_append_new(rows, row_json(&report->rows[i]));
    return json_pack("{s:s, s:s, s:s, s:{s:s, s:i, s:s, s:s}, s:{s:s, s:s}, s:o, s:o}", "family", report->family,
                     "commit", report->commit, "compiler", __VERSION__, "machine", "cpu", machine.cpu, "processors",
                     machine.processors, "memory", machine.memory, "system", machine.system, "device", "id",
                     report->device_name, "name", report->device->name, "peers", peers_json(report), "cases", rows);
}
