// The table and the JSON of a benchmark.
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "origin.h"
#include "report/grid.h"

static double rate_of(const hw_bench_case *what, const hw_bench_times *times) {
    return times->median > 0 ? what->amount / times->median / what->unit_per_ns : 0;
}

static bool has_limit(const hw_bench_row *row) { return row->limit.who[0] != '\0'; }

// The share of the limit's rate in bytes; where the operation counts the bytes that the limit moves, that is the ratio
// of their times.
static double share_of_limit(const hw_bench_row *row, const hw_bench_times *times) {
    double limit = row->limit.times.median > 0 ? row->limit_amount / row->limit.times.median : 0;
    return limit > 0 && times->median > 0 ? row->what.amount / times->median / limit : 0;
}

// ---- The table ------------------------------------------------------------------------------------------------------

// Where the peers do not fit beside Halfwarp, each has a line of its own below it.
enum { CASE_WIDTH = 35, LIMIT_WIDTH = 9, OWN_WIDTH = 36, PEER_WIDTH = 19 };

static int count_present(const hw_bench_report *report) {
    int n = 0;
    for (int p = 0; p < report->n_peers; p++) n += !report->peers[p].absent[0];
    return n;
}

static bool peers_are_below(const hw_bench_report *report) {
    const int n = count_present(report);
    return n && CASE_WIDTH + LIMIT_WIDTH + OWN_WIDTH + n * PEER_WIDTH > report->width;
}

void hw_bench_print_header(const hw_bench_report *report, FILE *out) {
    char text[HW_GRID_CELL];
    snprintf(text, sizeof text, "%s on %s, %s", report->family->name, report->device->name, report->device_name);
    hw_grid_write_wrapped(text, report->width, 0, 0, out);
    hw_grid_write_wrapped(report->family->legend, report->width, 0, 0, out);
}

// Prints the head of columns for rows in the same unit, with or without a limit.
static void print_columns(const hw_bench_report *report, const hw_bench_row *row, FILE *out) {
    const char *unit = row->what.unit;
    const char *than = has_limit(row) ? "share" : "times";
    const bool is_below = peers_are_below(report);
    fprintf(out, "\n%-*s", CASE_WIDTH, "");
    if (has_limit(row)) fprintf(out, " %8s", row->limit.who);
    if (is_below) fputs("   halfwarp, its peers below it", out);
    else fprintf(out, "   %-*s", count_present(report) ? OWN_WIDTH - 3 : 0, "halfwarp");
    for (int p = 0; p < report->n_peers && !is_below; p++)
        if (!report->peers[p].absent[0])
            fprintf(out, "   %-8.8s %-7.7s", report->peers[p].name, report->peers[p].version);
    fprintf(out, "\n%-*s", CASE_WIDTH, "case");
    if (has_limit(row)) fprintf(out, " %8s", "GB/s");
    fprintf(out, "   %9s %9s %6s %6s", "ms", unit, has_limit(row) ? "share" : is_below ? than : "", "spread");
    for (int p = 0; p < report->n_peers && !is_below; p++)
        if (!report->peers[p].absent[0]) fprintf(out, "   %9s %6s", unit, than);
    fputc('\n', out);
}

// "50%" of the limit, or "1.25x": how many times as fast Halfwarp is.
static void print_against(const hw_bench_row *row, const hw_bench_result *result, FILE *out) {
    if (has_limit(row)) fprintf(out, " %5.0f%%", 100 * share_of_limit(row, &result->times));
    else fprintf(out, " %5.3gx", result->times.median / row->halfwarp.times.median);
}

static void print_spread(const hw_bench_times *times, FILE *out) {
    fprintf(out, " %5.*f%%", times->spread_pct < 999.95 ? 1 : 0, times->spread_pct);
}

static void print_peer(const hw_bench_row *row, const hw_bench_result *result, FILE *out) {
    if (result->wrong) fprintf(out, "   %16s", "wrong");
    else if (!result->times.n) fprintf(out, "   %16s", "-");
    else {
        fprintf(out, "   %9.4g", rate_of(&row->what, &result->times));
        print_against(row, result, out);
    }
}

// "  numpy 2.1.0", its time, rate and share in the columns of Halfwarp's own.
static void print_peer_below(const hw_bench_peer *peer, const hw_bench_row *row, const hw_bench_result *result,
                             FILE *out) {
    int used = fprintf(out, "  %.20s %.14s", peer->name, peer->version);
    int before = CASE_WIDTH + (has_limit(row) ? LIMIT_WIDTH : 0) - used;
    fprintf(out, "%*s", before, "");
    if (result->wrong || !result->times.n) fprintf(out, "   %9s", result->wrong ? "wrong" : "-");
    else {
        fprintf(out, "   %9.4g %9.4g", result->times.median * 1e-6, rate_of(&row->what, &result->times));
        print_against(row, result, out);
        print_spread(&result->times, out);
    }
    fputc('\n', out);
}

static void print_peers(const hw_bench_report *report, const hw_bench_row *row, FILE *out) {
    const bool is_below = peers_are_below(report);
    if (is_below) fputc('\n', out);
    for (int p = 0; p < row->n_peers; p++) {
        if (report->peers[p].absent[0]) continue;
        if (is_below) print_peer_below(&report->peers[p], row, &row->peers[p], out);
        else print_peer(row, &row->peers[p], out);
    }
    if (!is_below) fputc('\n', out);
}

static bool is_alike(const hw_bench_row *a, const hw_bench_row *b) {
    return strcmp(a->what.unit, b->what.unit) == 0 && has_limit(a) == has_limit(b);
}

// A case whose name is longer than its column stands on a line of its own.
static void print_case(const char *name, FILE *out) {
    if (strlen(name) <= CASE_WIDTH) fprintf(out, "%-*s", CASE_WIDTH, name);
    else fprintf(out, "%s\n%*s", name, CASE_WIDTH, "");
}

void hw_bench_print_row(const hw_bench_report *report, FILE *out) {
    const hw_bench_row *row = &report->rows[report->n_rows - 1];
    const hw_bench_times *times = &row->halfwarp.times;
    if (report->n_rows == 1 || !is_alike(row, row - 1)) print_columns(report, row, out);
    print_case(row->what.name, out);
    if (row->halfwarp.problem[0]) {
        fputc(' ', out);
        hw_grid_write_wrapped(row->halfwarp.problem, report->width, CASE_WIDTH + 1, 4, out);
        fflush(out);
        return;
    }
    if (has_limit(row)) fprintf(out, " %8.4g", row->limit_amount / row->limit.times.median);
    fprintf(out, "   %9.4g %9.4g", times->median * 1e-6, rate_of(&row->what, times));
    if (has_limit(row)) fprintf(out, " %5.0f%%", 100 * share_of_limit(row, times));
    else fprintf(out, "%7s", "");
    print_spread(times, out);
    print_peers(report, row, out);
    fflush(out);
}

static int ascending_numbers(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static const hw_bench_result *result_of(const hw_bench_row *row, int peer) {
    return peer < 0 ? &row->halfwarp : peer < row->n_peers ? &row->peers[peer] : NULL;
}

// What is told of a group: a number of each result, NaN-free; false where there is none.
typedef bool number_of(const hw_bench_row *row, const hw_bench_result *result, double *number);

static bool share_of(const hw_bench_row *row, const hw_bench_result *result, double *number) {
    *number = 100 * share_of_limit(row, &result->times);
    return result->times.n && row->limit.times.n;
}

static bool error_of(const hw_bench_row *row, const hw_bench_result *result, double *number) {
    (void)row;
    *number = result->error;
    return result->has_error;
}

// Worst (or, of errors, least), median, best. peer -1: Halfwarp.
static void print_group(const hw_bench_report *report, const char *group, int peer, number_of *number,
                        const char *format, FILE *out) {
    double *numbers = malloc(report->n_rows * sizeof *numbers);
    size_t count = 0;
    for (size_t i = 0; numbers && i < report->n_rows; i++) {
        const hw_bench_row *row = &report->rows[i];
        const hw_bench_result *result = result_of(row, peer);
        if (strcmp(row->what.group, group) == 0 && result && number(row, result, &numbers[count])) count++;
    }
    if (count) {
        char text[HW_GRID_CELL];
        qsort(numbers, count, sizeof *numbers, ascending_numbers);
        snprintf(text, sizeof text, format, group, peer < 0 ? "halfwarp" : report->peers[peer].name, count, numbers[0],
                 count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2,
                 numbers[count - 1]);
        hw_grid_write_wrapped(text, report->width, 0, 22, out);
    }
    free(numbers);
}

static bool is_first_of_group(const hw_bench_report *report, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (strcmp(report->rows[i].what.group, report->rows[index].what.group) == 0) return false;
    return true;
}

// Beside Halfwarp, which is called in a loop in C.
static void print_called_from_python(const hw_bench_report *report, int peer, FILE *out) {
    size_t count = 0;
    for (size_t i = 0; i < report->n_rows; i++) {
        const hw_bench_result *result = result_of(&report->rows[i], peer);
        count += result && result->times.n && strcmp(result->called, "Python") == 0;
    }
    if (count)
        fprintf(out, "called from Python, which takes some microseconds: %s in %zu cases\n", report->peers[peer].name,
                count);
}

static void print_absent(const hw_bench_report *report, const hw_bench_peer *peer, FILE *out) {
    char text[HW_GRID_CELL];
    snprintf(text, sizeof text, "not measured: %s: %s", peer->name, peer->absent);
    hw_grid_write_wrapped(text, report->width, 0, 2, out);
}

void hw_bench_print_summary(const hw_bench_report *report, FILE *out) {
    fputc('\n', out);
    for (size_t i = 0; i < report->n_rows; i++)
        for (int p = -1; p < report->n_peers && is_first_of_group(report, i); p++) {
            const char *group = report->rows[i].what.group, *limit = report->rows[i].limit.who;
            char shares[128];
            snprintf(shares, sizeof shares,
                     "%%-10s %%-10s %%4zu cases: worst %%3.0f%%%%, median %%3.0f%%%%, best %%3.0f%%%% of the %s",
                     limit);
            print_group(report, group, p, share_of, shares, out);
            print_group(report, group, p, error_of,
                        "%-10s %-10s %4zu cases: relative error from %.2g, median %.2g, to %.2g", out);
        }
    for (int p = 0; p < report->n_peers; p++) {
        print_called_from_python(report, p, out);
        if (report->peers[p].absent[0])
            print_absent(report, &report->peers[p], out);
    }
    if (report->ptx_by[0]) fprintf(out, "PTX by %s\n", report->ptx_by);
    if (report->n_skipped) fprintf(out, "not measured: %zu cases for GPUs alone\n", report->n_skipped);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static json_t *result_json(const hw_bench_row *row, const hw_bench_result *result, double amount, bool is_limit) {
    const hw_bench_times *t = &result->times;
    if (!t->n) return json_pack("{s:s, s:s}", "who", result->who, "problem", result->problem);
    json_t *ms = json_pack("{s:f, s:f, s:f, s:f, s:i}", "median", t->median * 1e-6, "minimum", t->minimum * 1e-6,
                           "maximum", t->maximum * 1e-6, "spread_pct", t->spread_pct, "samples", t->n);
    double per_ns = is_limit ? 1 : row->what.unit_per_ns;
    json_t *object = json_pack("{s:s, s:o, s:f}", "who", result->who, "ms", ms,
                               is_limit ? "gbs" : row->what.rate_key, amount / t->median / per_ns);
    if (result->called[0]) json_object_set_new(object, "called", json_string(result->called));
    if (has_limit(row)) json_object_set_new(object, "share", json_real(is_limit ? 1 : share_of_limit(row, t)));
    if (result->has_error) json_object_set_new(object, "error", json_real(result->error));
    return object;
}

static json_t *row_json(const hw_bench_family *family, const hw_bench_row *row) {
    json_t *results = json_array(), *object = family->record(&row->what);
    if (row->limit.who[0]) json_array_append_new(results, result_json(row, &row->limit, row->limit_amount, true));
    json_array_append_new(results, result_json(row, &row->halfwarp, row->what.amount, false));
    for (int p = 0; p < row->n_peers; p++)
        json_array_append_new(results, result_json(row, &row->peers[p], row->what.amount, false));
    json_object_set_new(object, "results", results);
    return object;
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
    json_t *rows = json_array(), *object = json_pack("{s:s}", "family", report->family->name);
    hw_cli_put_origin(object);
    for (size_t i = 0; i < report->n_rows; i++)
        json_array_append_new(rows, row_json(report->family, &report->rows[i]));
    json_object_set_new(object, "device",
                        json_pack("{s:s, s:s}", "id", report->device_name, "name", report->device->name));
    json_object_set_new(object, "ptx_by", report->ptx_by[0] ? json_string(report->ptx_by) : json_null());
    json_object_set_new(object, "peers", peers_json(report));
    json_object_set_new(object, "cases", rows);
    return object;
}
