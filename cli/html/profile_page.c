#define _GNU_SOURCE
#include "html/profile_page.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice_report.h"
#include "base/alloc.h"
#include "check/findings.h"
#include "html/code_part.h"
#include "html/html.h"
#include "isa/rates.h"
#include "model/partition.h"
#include "occupancy/occupancy_curves.h"
#include "report/summary.h"
#include "trace/trace.h"

// ---- The profile ----------------------------------------------------------------------------------------------------

// By kernel, with lines and advice, however many launches there are.
static bool write_profile(const void *context, FILE *out) {
    const hw_report *report = context;
    hw_advice *advice = NULL;
    size_t n = 0;
    if (hw_advise(report, &advice, &n, NULL)) return false;
    char *json = hw_cli_advice_json(advice, n);
    const hw_report_look look = {.rows = HW_REPORT_ROWS_SUMMARY, .json_advice = json};
    const bool is_written = json && !hw_report_write(report, HW_REPORT_JSON, &look, out, NULL);
    free(json);
    hw_free(advice);
    return is_written;
}

static bool is_same_kernel(const hw_report_launch *a, const hw_report_launch *b) {
    return strcmp(a->mangled, b->mangled) == 0;
}

// Of each kernel the launch that takes longest, to be freed: sums have no grid, and no limits of occupancy. False: out
// of memory.
static bool find_heaviest(const hw_report *report, hw_report *few) {
    hw_report_summary *kernels = NULL;
    size_t n = 0;
    if (hw_report_summarise(report, false, &kernels, &n, NULL)) return false;
    hw_report_launch *launches = hw_calloc(n + 1, sizeof *launches);
    for (size_t k = 0; launches && k < n; k++)
        for (size_t i = 0; i < report->n_launches; i++) {
            const hw_report_launch *launch = &report->launches[i];
            const bool is_longer = !launches[k].mangled || launch->estimate.us > launches[k].estimate.us;
            if (is_same_kernel(launch, &kernels[k].sum) && is_longer) launches[k] = *launch;
        }
    hw_free(kernels);
    *few = (hw_report){.gpu = report->gpu, .launches = launches, .n_launches = n};
    return launches != NULL;
}

static bool write_heaviest(const void *context, FILE *out) {
    return !hw_report_write(context, HW_REPORT_JSON, &(hw_report_look){.rows = HW_REPORT_ROWS_LAUNCHES}, out, NULL);
}

// {"kernel's mangled name": its curves} of those launches.
static bool write_curves(const void *context, FILE *out) {
    const hw_report *few = context;
    const hw_occupancy_list list = {.gpu = few->gpu};
    json_t *all = json_object();
    bool good = all != NULL;
    for (size_t i = 0; good && i < few->n_launches; i++) {
        const hw_report_launch *l = &few->launches[i];
        const hw_occupancy_row row = {.block = l->block[0] * l->block[1] * l->block[2], .regs = l->regs,
                                      .smem_static = l->smem_static, .smem_dynamic = l->smem_dynamic};
        good = json_object_set_new(all, l->mangled, hw_occupancy_curves_json(&list, &row)) == 0;
    }
    good = good && json_dumpf(all, out, JSON_COMPACT) == 0;
    json_decref(all);
    return good;
}

// The roofs of the roofline, 0 where the GPU's figures are not known; what an access of a warp is drawn on.
static bool write_gpu(const void *context, FILE *out) {
    const hw_gpu *gpu = context;
    const double schedulers = (double)hw_rate_of(gpu->arch, HW_RATE_ISSUE) / 32, clock = gpu->clock_mhz / 1e3;
    fprintf(out, "{\"inst_per_ns\": %.6g, \"sectors_per_ns\": %.6g, \"banks\": %u, \"bank_bytes\": %u, "
            "\"partitions\": %u}", gpu->sms * schedulers * clock, hw_model_stream_gbs(gpu) / 32,
            gpu->arch->smem_banks, gpu->arch->smem_bank_bytes, hw_partition_count(gpu));
    return true;
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

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

// Of each lane the address, of those that are off null.
static json_t *addresses_of(const hw_report_access *access) {
    json_t *list = json_array();
    for (int lane = 0; list && lane < HW_WARP_LANES; lane++)
        json_array_append_new(list, access->mask >> lane & 1
                                        ? json_integer((json_int_t)access->base + access->delta[lane]) : json_null());
    return list;
}

static const char *access_kind(const hw_report_access *access) {
    switch (access->kind) {
    case HW_NOTE_STORE: return "store";
    case HW_NOTE_ATOMIC:
    case HW_NOTE_REDUCTION: return "atomic";
    default: return "load";
    }
}

static bool add_accesses(json_t *all, const hw_report_kernel *kernel, const hw_report_line *line) {
    static const char *const spaces[HW_SHOWN_SPACES] = {"global", "shared"};
    bool good = true;
    for (int s = 0; s < HW_SHOWN_SPACES; s++) {
        const hw_report_access *a = line->shown[s];
        if (!a) continue;
        good = good && !json_array_append_new(all, json_pack(
            "{s:s, s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:o}", "mangled", kernel->mangled, "file", line->file, "line",
            (int)line->line, "space", spaces[s], "kind", access_kind(a), "width", (int)a->width_bytes, "cost",
            (int)a->cost, "ideal", (int)(a->cost < a->packed ? a->cost : a->packed), "addresses", addresses_of(a)));
    }
    return good;
}

// The accesses to look at of all lines.
static bool write_accesses(const void *context, FILE *out) {
    const hw_report *report = context;
    json_t *all = json_array();
    bool good = all != NULL;
    for (size_t k = 0; k < report->n_kernels; k++)
        for (size_t i = 0; good && i < report->kernels[k].n_lines; i++)
            good = add_accesses(all, &report->kernels[k], &report->kernels[k].lines[i]);
    good = good && json_dumpf(all, out, JSON_COMPACT) == 0;
    json_decref(all);
    return good;
}

// Of each block that is told apart the partitions it goes to; of each partition the bytes of all blocks at a time.
static json_t *blocks_to_partitions(const hw_report_blocks *b, int is_store) {
    json_t *touched = json_array(), *bytes = json_array();
    for (uint32_t i = 0; i < b->n; i++) json_array_append_new(touched, json_integer(b->touched[is_store][i]));
    for (uint32_t i = 0; i < b->partitions; i++)
        json_array_append_new(bytes, json_integer((json_int_t)b->bytes[is_store][i]));
    return json_pack("{s:o, s:o}", "touched", touched, "bytes", bytes);
}

// {"kernel's mangled name": its first launch's blocks}, of GPUs whose addresses decide the partition.
static bool write_blocks(const void *context, FILE *out) {
    const hw_report *report = context;
    json_t *all = json_object();
    bool good = all != NULL;
    for (size_t i = 0; good && i < report->n_launches; i++) {
        const hw_report_launch *l = &report->launches[i];
        if (!l->blocks || json_object_get(all, l->mangled)) continue;
        good = json_object_set_new(all, l->mangled, json_pack("{s:I, s:o, s:o}", "at_once",
                                                              (json_int_t)l->blocks->at_once, "loads",
                                                              blocks_to_partitions(l->blocks, 0), "stores",
                                                              blocks_to_partitions(l->blocks, 1))) == 0;
    }
    good = good && json_dumpf(all, out, JSON_COMPACT) == 0;
    json_decref(all);
    return good;
}

// ---- The clock, and what a check has found --------------------------------------------------------------------------

// The first of what was done, as a trace: a page has no room for all of a long program.
static bool write_trace(const void *context, FILE *out) {
    enum { MOST = 2000 };
    hw_report report = *(const hw_report *)context;
    if (report.n_spans > MOST) report.n_spans = MOST;
    return !hw_trace_write(&report, out, NULL);
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

static void add_profile(hw_cli_html_page *page, const hw_cli_launch *launch, const hw_report *report,
                        const hw_report *heaviest) {
    const hw_cli_code_part code = {.launch = launch, .report = report};
    hw_cli_html_add(page, "profile", write_profile, report);
    hw_cli_html_add(page, "heaviest", write_heaviest, heaviest);
    hw_cli_html_add(page, "curves", write_curves, heaviest);
    hw_cli_html_add(page, "gpu", write_gpu, report->gpu);
    hw_cli_html_add(page, "sources", write_sources, report);
    hw_cli_html_add(page, "accesses", write_accesses, report);
    hw_cli_html_add(page, "blocks", write_blocks, report);
    hw_cli_html_add(page, "code", hw_cli_code_write, &code);
    if (report->n_spans) hw_cli_html_add(page, "trace", write_trace, report);
}

int hw_cli_profile_page(const hw_cli_launch *launch, const hw_report *report) {
    hw_cli_html_page page = {0};
    hw_report heaviest = {0};
    if (report && !find_heaviest(report, &heaviest)) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    if (report) add_profile(&page, launch, report, &heaviest);
    if (launch->findings_path) hw_cli_html_add(&page, "findings", write_findings, launch);
    hw_free((void *)heaviest.launches);
    return hw_cli_html_deliver(&page, launch->page, launch->program[0]);
}
