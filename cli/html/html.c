#define _GNU_SOURCE
#include "html/html.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice_report.h"
#include "base/alloc.h"
#include "check/findings.h"
#include "isa/rates.h"
#include "output/whole_file.h"
#include "report/summary.h"

// What the build has embedded: this folder's files, and D3 with its licence, "" where it was not installed
// (cmake/html.cmake).
extern const char hw_cli_html_css[], hw_cli_html_js[], hw_cli_html_d3[], hw_cli_html_d3_licence[];

bool hw_cli_html_is_there(void) { return *hw_cli_html_d3 != '\0'; }

// ---- The parts of the data; each is text to be freed, NULL where memory ran out -------------------------------------

// What a writer writes.
typedef bool part_writer(const void *context, FILE *out);

static char *make_part(part_writer *write, const void *context) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    bool good = memory && write(context, memory);
    if (memory && fclose(memory) != 0) good = false;
    if (good) return text;
    free(text);
    return NULL;
}

typedef struct profile_part {
    const hw_report *report;
    hw_report_look look;
} profile_part;

static bool write_profile(const void *context, FILE *out) {
    const profile_part *p = context;
    return !hw_report_write(p->report, HW_REPORT_JSON, &p->look, out, NULL);
}

// By kernel, with lines and advice, however many launches there are.
static char *make_profile(const hw_report *report) {
    hw_advice *advice = NULL;
    size_t n = 0;
    if (hw_advise(report, &advice, &n, NULL)) return NULL;
    char *json = hw_cli_advice_json(advice, n);
    const profile_part part = {report, {.rows = HW_REPORT_ROWS_SUMMARY, .json_advice = json}};
    char *text = json ? make_part(write_profile, &part) : NULL;
    free(json);
    hw_free(advice);
    return text;
}

static bool is_same_kernel(const hw_report_launch *a, const hw_report_launch *b) {
    return strcmp(a->mangled, b->mangled) == 0;
}

// Of each kernel the launch that takes longest: sums have no grid, and no limits of occupancy.
static char *make_heaviest(const hw_report *report) {
    hw_report_summary *kernels = NULL;
    size_t n = 0;
    if (hw_report_summarise(report, &kernels, &n, NULL)) return NULL;
    hw_report_launch *launches = hw_calloc(n + 1, sizeof *launches);
    for (size_t k = 0; launches && k < n; k++)
        for (size_t i = 0; i < report->n_launches; i++) {
            const hw_report_launch *launch = &report->launches[i];
            const bool is_longer = !launches[k].mangled || launch->estimate.us > launches[k].estimate.us;
            if (is_same_kernel(launch, &kernels[k].sum) && is_longer) launches[k] = *launch;
        }
    const hw_report few = {.gpu = report->gpu, .launches = launches, .n_launches = n};
    const profile_part part = {&few, {.rows = HW_REPORT_ROWS_LAUNCHES}};
    char *text = launches ? make_part(write_profile, &part) : NULL;
    hw_free(launches);
    hw_free(kernels);
    return text;
}

// The roofs of the roofline; 0 where the GPU's figures are not known.
static bool write_gpu(const void *context, FILE *out) {
    const hw_gpu *gpu = context;
    const double schedulers = (double)hw_rate_of(gpu->arch, HW_RATE_ISSUE) / 32, clock = gpu->clock_mhz / 1e3;
    fprintf(out, "{\"inst_per_ns\": %.6g, \"sectors_per_ns\": %.6g}", gpu->sms * schedulers * clock,
            hw_model_stream_gbs(gpu) / 32);
    return true;
}

// All of a file, to be freed; NULL where it is not there, or has more than a page should carry.
static char *read_source(const char *path) {
    enum { MOST = 400000 };
    FILE *in = fopen(path, "r");
    char *text = in ? malloc(MOST + 1) : NULL;
    const size_t bytes = text ? fread(text, 1, MOST + 1, in) : 0;
    if (in) fclose(in);
    if (bytes && bytes <= MOST) {
        text[bytes] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

// {"file": "its text"} of the files that lines are of, up to a megabyte; what is no UTF-8 is left out.
static bool write_sources(const void *context, FILE *out) {
    enum { MOST_BYTES = 1000000 };
    const hw_report *report = context;
    json_t *sources = json_object();
    size_t used = 0;
    for (size_t k = 0; k < report->n_kernels; k++)
        for (size_t i = 0; i < report->kernels[k].n_lines; i++) {
            const char *file = report->kernels[k].lines[i].file;
            char *text = *file && !json_object_get(sources, file) ? read_source(file) : NULL;
            json_t *value = text && used + strlen(text) <= MOST_BYTES ? json_string(text) : NULL;
            if (value && !json_object_set_new(sources, file, value)) used += strlen(text);
            free(text);
        }
    const bool is_written = sources && json_dumpf(sources, out, 0) == 0;
    json_decref(sources);
    return is_written;
}

static bool write_findings(const void *context, FILE *out) {
    const hw_cli_launch *launch = context;
    hw_cli_findings findings = {0};
    FILE *in = fopen(launch->findings_path, "r");
    bool good = in && !hw_cli_findings_read(in, launch->suppressions, &findings);
    if (in) fclose(in);
    good = good && hw_cli_findings_write_json(&findings, out);
    hw_cli_findings_free(&findings);
    return good;
}

// ---- The page -------------------------------------------------------------------------------------------------------

// JSON in a page: '<', which is in texts alone, could end the element that holds it.
static void write_json(const char *json, FILE *out) {
    for (; *json; json++) {
        if (*json == '<') fputs("\\u003c", out);
        else fputc(*json, out);
    }
}

static void write_text(const char *text, FILE *out) {
    for (; *text; text++) {
        if (*text == '<') fputs("&lt;", out);
        else if (*text == '&') fputs("&amp;", out);
        else fputc(*text, out);
    }
}

typedef struct part {
    const char *name;
    char *json;
} part;

static void write_head(const char *title, FILE *out) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", out);
    write_text(title, out);
    fprintf(out, " - Halfwarp</title>\n<style>\n%s</style>\n</head>\n<body>\n", hw_cli_html_css);
    fputs("<a class=\"skip\" href=\"#kernels\">to the kernels</a>\n<main>\n<h1 id=\"heading\">", out);
    write_text(title, out);
    fputs("</h1>\n<noscript>This report is drawn by JavaScript, which is switched off.</noscript>\n</main>\n"
          "<footer>Made by Halfwarp " HW_VERSION ". Times are estimates of the GPU's; plots by D3.</footer>\n", out);
}

static void write_page(const char *title, const part *parts, size_t n, FILE *out) {
    write_head(title, out);
    fputs("<script type=\"application/json\" id=\"data\">{", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s\"%s\": ", i ? ",\n" : "", parts[i].name);
        write_json(parts[i].json, out);
    }
    fputs("}</script>\n<script type=\"text/plain\">\n", out);
    write_text(hw_cli_html_d3_licence, out);
    fprintf(out, "</script>\n<script>\n%s</script>\n<script>\n%s</script>\n</body>\n</html>\n", hw_cli_html_d3,
            hw_cli_html_js);
}

static int deliver(const char *path, const char *title, const part *parts, size_t n) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory) write_page(title, parts, n, memory);
    const bool good = memory && fclose(memory) == 0;
    if (!good) hw_cli_complain("out of memory");
    const int status = good ? hw_cli_write_file(path, text, bytes) : HW_EXIT_USAGE;
    free(text);
    return status;
}

int hw_cli_html_report(const hw_cli_launch *launch, const hw_report *report) {
    enum { MOST = 5 };
    part parts[MOST];
    size_t n = 0;
    int status = 0;
    if (report) {
        parts[n++] = (part){"profile", make_profile(report)};
        parts[n++] = (part){"heaviest", make_heaviest(report)};
        parts[n++] = (part){"gpu", make_part(write_gpu, report->gpu)};
        parts[n++] = (part){"sources", make_part(write_sources, report)};
    }
    if (launch->findings_path) parts[n++] = (part){"findings", make_part(write_findings, launch)};
    for (size_t i = 0; i < n && !status; i++)
        if (!parts[i].json) status = HW_EXIT_USAGE;
    if (status) hw_cli_complain("out of memory");
    else status = deliver(launch->page, launch->program[0], parts, n);
    for (size_t i = 0; i < n; i++) free(parts[i].json);
    return status;
}
