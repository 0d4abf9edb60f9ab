// halfwarp bench: an operation against its peers, on this machine, in the same run.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "operations/bench.h"
#include "device/device.h"
#include "html/html.h"
#include "options.h"
#include "output/text_output.h"
#include "output/whole_file.h"

static const char bench_help[] =
    "usage: halfwarp bench [FAMILY] [OPTIONS]\n"
    "\n"
    "Measures an operation, what limits it, such as a copy of the same bytes, and the\n"
    "same operation by other libraries where they are there: NumPy, SciPy, PyTorch,\n"
    "cuBLAS, CUB. FAMILY is transpose (as it is unless given), matmul, reduce or\n"
    "nearest. Every result is verified before it is timed; exit status 1 when\n"
    "Halfwarp fails or is wrong.\n"
    "\n"
    "  --device D            cpu or cuda:N; unless given, cuda:0 where there is one,\n"
    "                        else cpu\n"
    "  --only TEXT           the cases that have TEXT in their line, such as ttc57 or\n"
    "                        'u8 8192'\n"
    "  --cases FILE          other cases than Halfwarp's own: lines as in\n"
    "                        share/halfwarp/bench/cases\n"
    "  --seconds S           how long each is measured; 0.3 unless given\n"
    "  --no-peers            only Halfwarp and the limit\n"
    "  --python P            the Python whose packages are peers; python3 unless\n"
    "                        given\n"
    "  --format F            table, or json: that instead of the table\n"
    "  -o FILE               JSON into FILE, kept up to date while the table grows\n"
    "  --report FILE         write a page with it, FILE.html, for a browser\n";

typedef struct bench_options {
    const char *device, *only, *cases, *python, *output, *page;
    double seconds;
    bool no_peers, json;
} bench_options;

extern const hw_bench_family hw_bench_transpose, hw_bench_matmul, hw_bench_reduce, hw_bench_nearest;
static const hw_bench_family *const bench_families[] = {&hw_bench_transpose, &hw_bench_matmul, &hw_bench_reduce,
                                                        &hw_bench_nearest};
enum { N_FAMILIES = sizeof bench_families / sizeof bench_families[0] };

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_device(void *options, const char *value) {
    ((bench_options *)options)->device = value;
    return true;
}

static bool set_only(void *options, const char *value) {
    ((bench_options *)options)->only = value;
    return true;
}

static bool set_cases(void *options, const char *value) {
    ((bench_options *)options)->cases = value;
    return true;
}

static bool set_python(void *options, const char *value) {
    ((bench_options *)options)->python = value;
    return true;
}

static bool set_output(void *options, const char *value) {
    ((bench_options *)options)->output = value;
    return true;
}

static bool set_page(void *options, const char *value) {
    ((bench_options *)options)->page = value;
    return hw_cli_html_check(value);
}

static bool set_no_peers(void *options, const char *value) {
    (void)value;
    ((bench_options *)options)->no_peers = true;
    return true;
}

static bool set_seconds(void *options, const char *value) {
    char *end;
    double seconds = strtod(value, &end);
    ((bench_options *)options)->seconds = seconds;
    if (end != value && !*end && seconds > 0 && seconds <= 3600) return true;
    hw_cli_complain("--seconds takes a number above 0, and got '%s'", value);
    return false;
}

static bool set_format(void *options, const char *value) {
    ((bench_options *)options)->json = strcmp(value, "json") == 0;
    if (!strcmp(value, "table") || !strcmp(value, "json")) return true;
    hw_cli_complain("--format is table or json, and not '%s'", value);
    return false;
}

static const hw_cli_option bench_option_rows[] = {
    {"--device", true, set_device},   {"--only", true, set_only},           {"--cases", true, set_cases},
    {"--seconds", true, set_seconds}, {"--no-peers", false, set_no_peers}, {"--python", true, set_python},
    {"--format", true, set_format},   {"-o", true, set_output},         {"--report", true, set_page},
};
static const hw_cli_syntax bench_syntax = {"bench", bench_option_rows,
                                           sizeof bench_option_rows / sizeof bench_option_rows[0], 1};

static const hw_bench_family *find_family(const char *name) {
    char list[256] = "";
    for (int i = 0; i < N_FAMILIES; i++) {
        if (strcmp(bench_families[i]->name, name) == 0) return bench_families[i];
        hw_text_append(list, sizeof list, "%s%s", i ? ", " : "", bench_families[i]->name);
    }
    hw_cli_complain("there is no family '%s' to measure; there is %s", name, list);
    return NULL;
}

// ---- Cases ----------------------------------------------------------------------------------------------------------

// 1: a case; 0: a comment or nothing; -1: wrong.
static int read_case(const hw_bench_family *family, char *line, hw_bench_case *what) {
    char *rest = NULL;
    *what = (hw_bench_case){0};
    for (char *word = strtok_r(line, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (!what->n_words && *word == '#') return 0;
        if (what->n_words == HW_BENCH_WORDS || strlen(word) >= sizeof what->words[0]) return -1;
        strcpy(what->words[what->n_words++], word);
    }
    if (!what->n_words) return 0;
    if (strlen(what->words[0]) >= sizeof what->group) return -1;
    strcpy(what->group, what->words[0]);
    return family->read(what) ? 1 : -1;
}

static int read_cases(const char *path, const char *only, hw_bench_report *report) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, capacity = 0;
    int status = 0;
    if (!file) {
        hw_cli_complain("cannot read %s: %s", path, strerror(errno));
        return HW_EXIT_USAGE;
    }
    for (int number = 1; !status && getline(&line, &room, file) > 0; number++) {
        hw_bench_case what;
        bool is_wanted = !only || strstr(line, only);
        int kind = read_case(report->family, line, &what);
        if (kind < 0) {
            hw_cli_complain("%s:%d: not %s", path, number, report->family->form);
            status = HW_EXIT_USAGE;
        }
        if (kind <= 0 || !is_wanted) continue;
        if (!hw_grow((void **)&report->rows, report->n_rows, &capacity, sizeof *report->rows)) {
            hw_cli_complain("out of memory");
            status = HW_EXIT_USAGE;
        } else {
            report->rows[report->n_rows++] = (hw_bench_row){.what = what};
        }
    }
    free(line);
    fclose(file);
    if (!status && !report->n_rows) {
        hw_cli_complain("no case of %s has '%s' in its line", path, only ? only : "");
        status = HW_EXIT_USAGE;
    }
    return status;
}

// ---- The run --------------------------------------------------------------------------------------------------------

// Into the file that -o names, or printed.
static int write_json(const hw_bench_report *report, const char *path) {
    json_t *json = hw_bench_json(report);
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
    int status = HW_EXIT_USAGE;
    if (!text) hw_cli_complain("out of memory");
    else if (path) status = hw_cli_write_file(path, text, strlen(text));
    else status = puts(text) == EOF ? HW_EXIT_USAGE : 0;
    free(text);
    json_decref(json);
    return status;
}

static bool write_part(const void *report, FILE *out) {
    json_t *json = hw_bench_json(report);
    const bool is_written = json && json_dumpf(json, out, JSON_REAL_PRECISION(6)) == 0;
    json_decref(json);
    return is_written;
}

static int write_page(const hw_bench_report *report, const char *path) {
    hw_cli_html_page page = {0};
    char title[64];
    snprintf(title, sizeof title, "Benchmark of %s", report->family->name);
    hw_cli_html_add(&page, "bench", write_part, report);
    return hw_cli_html_deliver(&page, path, title);
}

static bool is_for_gpus(const hw_bench_case *what) { return strncmp(what->group, "gpu", 3) == 0; }

static void measure_row(const bench_options *options, hw_device *device, hw_bench_peer *peers,
                        const hw_bench_report *report, hw_bench_row *row) {
    snprintf(row->halfwarp.who, sizeof row->halfwarp.who, "halfwarp");
    report->family->measure(device, options->seconds, row);
    for (row->n_peers = 0; row->n_peers < report->n_peers; row->n_peers++)
        hw_bench_peer_ask(&peers[row->n_peers], report->family->question(&row->what), options->seconds,
                          &row->peers[row->n_peers]);
}

// Rows that are not measured yet are not reported.
static int measure_all(const bench_options *options, hw_device *device, hw_bench_peer *peers, hw_bench_report *report) {
    size_t n_rows = report->n_rows;
    bool table = !options->json, failed = false, is_cpu = report->device->kind == HW_DEVICE_CPU;
    report->n_rows = 0;
    // A file that cannot be written is found before the work.
    int status = options->output ? write_json(report, options->output) : 0;
    if (table && !status) hw_bench_print_header(report, stdout);
    for (size_t i = 0; i < n_rows && !status; i++) {
        if (is_cpu && is_for_gpus(&report->rows[i].what)) {
            report->n_skipped++;
            continue;
        }
        hw_bench_row *row = &report->rows[report->n_rows++];
        *row = report->rows[i];
        measure_row(options, device, peers, report, row);
        hw_device_kernels_by(device, report->ptx_by, sizeof report->ptx_by);
        failed = failed || row->halfwarp.problem[0];
        if (table) hw_bench_print_row(report, stdout);
        if (options->output) status = write_json(report, options->output);
    }
    if (table && !status) hw_bench_print_summary(report, stdout);
    if (!table && !options->output) status = write_json(report, NULL);
    if (!status && options->page) status = write_page(report, options->page);
    return status ? status : failed;
}

static int run_on_device(const bench_options *options, const char *folder, hw_device *device, hw_bench_report *report) {
    hw_bench_peer peers[HW_BENCH_PEERS];
    char name[32], peer_folder[4200];
    report->device = hw_device_get_properties(device);
    if (report->device->kind == HW_DEVICE_SIM) {
        hw_cli_complain("bench measures time, which a simulated GPU has none of; `halfwarp ladder` counts on it");
        return HW_EXIT_USAGE;
    }
    bool is_cuda = report->device->kind == HW_DEVICE_CUDA;
    snprintf(name, sizeof name, is_cuda ? "cuda:%d" : "cpu", report->device->dl.device_id);
    report->device_name = name;
    snprintf(peer_folder, sizeof peer_folder, "%s/peers", folder);
    if (!options->no_peers)
        report->n_peers = hw_bench_peers_start(peer_folder, report->family->name, options->python, name, peers,
                                               HW_BENCH_PEERS);
    report->peers = peers;
    int status = measure_all(options, device, peers, report);
    for (int p = 0; p < report->n_peers; p++) hw_bench_peer_stop(&peers[p]);
    return status;
}

static int bench_main(int argc, char **argv) {
    bench_options options = {.seconds = 0.3, .python = "python3"};
    const char *word = bench_families[0]->name;
    char folder[4096], own_cases[4200];
    int n_words;
    int status = hw_cli_parse(&bench_syntax, &options, argc, argv, &word, &n_words);
    const hw_bench_family *family = status ? NULL : find_family(word);
    if (!family || !hw_cli_find_bench(folder)) return HW_EXIT_USAGE;
    hw_bench_report report = {.family = family, .width = hw_cli_table_width(NULL)};
    hw_device *device;
    snprintf(own_cases, sizeof own_cases, "%s/cases/%s.txt", folder, family->name);
    status = read_cases(options.cases ? options.cases : own_cases, options.only, &report);
    if (!status) status = hw_cli_open_device(options.device, 0, &device);
    if (!status) {
        status = run_on_device(&options, folder, device, &report);
        hw_device_close(device);
    }
    hw_free(report.rows);
    return status;
}

const hw_command hw_cmd_bench = {"bench", "measure an operation against other libraries", bench_help, bench_main};
