// A profile as JSON, one object per launch and line of text, so that any number of launches takes little memory.
#include <jansson.h>
#include <string.h>

#include "base/alloc.h"
#include "report/internal.h"
#include "report/work.h"

#define F(id, ...) {&hw_columns[HW_COLUMN_##id], __VA_ARGS__}
enum { ALWAYS = HW_FIELD_ALWAYS, PARTITIONS = HW_FIELD_PARTITIONS, APART = HW_FIELD_APART };

static const hw_field launch_fields[] = {
    F(ORDINAL, 0, 0), F(KERNEL, 0, 0), F(MANGLED, 0, 0), F(GRID, 0, 0), F(BLOCK, 0, 0), F(REGS, 0, 0),
    F(REGS_ESTIMATED, 0, 0), F(SPILL_BYTES, 0, 0), F(SMEM_STATIC, 0, 0), F(SMEM_DYNAMIC, 0, 0), F(LIMIT_BLOCKS, 0, 0),
    F(LIMIT_REGS, 0, 0), F(LIMIT_SMEM, 0, 0), F(LIMIT_WARPS, 0, 0), F(OCCUPANCY_PCT, 2, 0), HW_FIELD_ALL_COUNTERS,
    F(GLD_PARTITION_PCT, 2, PARTITIONS), F(GST_PARTITION_PCT, 2, PARTITIONS), F(HOST_MS, 4, 0), F(COMPLETED, 0, 0),
    F(EST_US, 3, ALWAYS), F(EST_GBS, 3, ALWAYS), F(EST_BOUND, 0, ALWAYS), F(PTX_BY, 0, 0), F(EST_US_MEMORY, 3, ALWAYS),
    F(EST_US_SHARED, 3, ALWAYS), F(EST_US_ISSUE, 3, ALWAYS), F(EST_US_LATENCY, 3, ALWAYS), F(EST_US_LAUNCH, 3, ALWAYS),
    F(REUSED, 0, 0), F(STREAM, 0, 0), F(START_US, 3, 0), F(CALL_US, 3, 0), F(COUNT_GLD_SECTORS_IDEAL, 0, 0),
    F(COUNT_GST_SECTORS_IDEAL, 0, 0), F(MACHINE_INST, 0, 0), F(DEVICE, 0, 0),
    F(TEX_SECTORS, 0, 0), F(TEX_MISSES, 0, 0)};

static const hw_field summary_fields[] = {
    F(KERNEL, 0, 0), F(MANGLED, 0, 0), F(LAUNCHES, 0, 0), F(COMPLETED_LAUNCHES, 0, 0), F(SHARE_PCT, 3, 0),
    F(EST_US, 3, ALWAYS), F(EST_US_MEAN, 3, ALWAYS), F(EST_US_MIN, 3, ALWAYS), F(EST_US_MAX, 3, ALWAYS),
    F(EST_GBS, 3, ALWAYS), F(EST_BOUND, 0, ALWAYS), F(REGS, 0, 0), F(REGS_ESTIMATED, 0, 0), F(SPILL_BYTES, 0, 0),
    F(SMEM_STATIC, 0, 0), F(SMEM_DYNAMIC, 0, 0), F(OCCUPANCY_PCT, 3, 0), HW_FIELD_ALL_COUNTERS, F(HOST_MS, 4, 0),
    F(PTX_BY, 0, 0), F(EST_US_MEMORY, 3, ALWAYS), F(EST_US_SHARED, 3, ALWAYS), F(EST_US_ISSUE, 3, ALWAYS),
    F(EST_US_LATENCY, 3, ALWAYS), F(EST_US_LAUNCH, 3, ALWAYS), F(REUSED_LAUNCHES, 0, 0),
    F(EST_LOAD_GBS, 3, 0), F(EST_STORE_GBS, 3, 0), F(EST_GINST, 3, 0), F(COUNT_GLD_SECTORS_IDEAL, 0, 0),
    F(COUNT_GST_SECTORS_IDEAL, 0, 0), F(MACHINE_INST, 0, 0), F(TEX_SECTORS, 0, 0), F(TEX_MISSES, 0, 0)};

static const hw_field listing_fields[] = {
    F(KERNEL, 0, 0), F(ORDINAL, 0, APART), F(GRID, 0, APART), F(BLOCK, 0, APART), F(SMEM_DYNAMIC, 0, APART),
    F(LAUNCHES, 0, 0), F(PTX_BY, 0, 0), F(MANGLED, 0, 0)};

static const hw_field line_fields[] = {
    F(FILE, 0, 0), F(LINE, 0, 0), HW_FIELD_ALL_COUNTERS, F(COUNT_GLD_SECTORS_IDEAL, 0, 0),
    F(COUNT_GST_SECTORS_IDEAL, 0, 0), F(COUNT_MEMORY_WAITS, 0, 0), F(COUNT_SHARED_WAITS, 0, 0), F(EST_STALL_US, 3, 0),
    F(EST_STALL_FOR, 0, HW_FIELD_LEFT_OUT), F(SOURCE, 0, 0)};

// NULL: out of memory.
static json_t *object_of(const hw_field *listed, size_t n_listed, const hw_report *report, const hw_subject *subject) {
    hw_field fields[HW_REPORT_FIELDS];
    const size_t n_fields = hw_report_choose_fields(report, listed, n_listed, fields);
    json_t *object = json_object();
    if (!object || !hw_json_put_row(object, fields, n_fields, subject)) return object;
    json_decref(object);
    return NULL;
}
#define OBJECT_OF(fields, report, subject) object_of(fields, sizeof(fields) / sizeof(fields)[0], report, subject)

static json_t *gpu_object(const hw_gpu *gpu) {
    char capability[16];
    snprintf(capability, sizeof capability, "%d.%d", gpu->arch->cc / 10, gpu->arch->cc % 10);
    return json_pack("{s:s, s:s, s:s, s:i}", "id", gpu->id, "name", gpu->name, "compute_capability", capability,
                     "multiprocessors", (int)gpu->sms);
}

// An element of an array: takes the object, which may be NULL when there was no memory for it.
static hw_status write_element(FILE *out, json_t *object, bool is_first, hw_diag *diag) {
    if (!object) return hw_diag_no_memory(diag);
    fputs(is_first ? "\n    " : ",\n    ", out);
    int failed = json_dumpf(object, out, JSON_REAL_PRECISION(10));
    json_decref(object);
    return failed && !ferror(out) ? hw_diag_no_memory(diag) : HW_OK;
}

// A kernel's lines, with their texts where their file can be read.
static hw_status write_lines(const hw_report *report, const hw_report_kernel *kernel, hw_subject *subject, FILE *out,
                             hw_diag *diag) {
    char text[HW_GRID_CELL];
    const char *file = NULL;
    hw_stall *stalls = hw_report_stalls(report, kernel);
    hw_status status = stalls ? HW_OK : hw_diag_no_memory(diag);
    subject->text = text;
    for (size_t i = 0; i < kernel->n_lines && !status; i++) {
        const hw_report_line *line = &kernel->lines[i];
        if (!file || strcmp(file, line->file) != 0) {
            hw_source_close(subject->source);
            file = line->file;
            subject->source = *file ? hw_source_open(file) : NULL;
        }
        subject->line = line;
        subject->counts = line->counts;
        subject->stall = report->lines_of == HW_LINES_OF_KERNEL ? &stalls[i] : NULL;
        status = write_element(out, OBJECT_OF(line_fields, report, subject), i == 0, diag);
    }
    hw_source_close(subject->source);
    hw_free(stalls);
    return status;
}

static hw_status write_kernel(const hw_report *report, const hw_report_kernel *kernel, bool is_first, FILE *out,
                              hw_diag *diag) {
    hw_subject subject = {.listing = kernel, .ptx_by = hw_report_ptx_by(report, kernel)};
    json_t *head = OBJECT_OF(listing_fields, report, &subject);
    hw_status status = head ? HW_OK : hw_diag_no_memory(diag);
    if (status) return status;
    fputs(is_first ? "\n   {" : ",\n   {", out);
    json_dumpf(head, out, JSON_EMBED);
    fputs(", \"lines\": [", out);
    status = write_lines(report, kernel, &subject, out, diag);
    fputs("]}", out);
    json_decref(head);
    return status;
}

static hw_status write_summary(const hw_report *report, FILE *out, hw_diag *diag) {
    hw_report_summary *rows;
    size_t n;
    hw_status status = hw_report_summarise(report, false, &rows, &n, diag);
    if (status) return status;
    fputs(",\n \"summary\": [", out);
    for (size_t i = 0; i < n && !status; i++) {
        const hw_subject subject = {.launch = &rows[i].sum, .summary = &rows[i], .counts = rows[i].sum.counts};
        status = write_element(out, OBJECT_OF(summary_fields, report, &subject), i == 0, diag);
    }
    hw_free(rows);
    return status;
}

static hw_status write_launches(const hw_report *report, FILE *out, hw_diag *diag) {
    hw_status status = HW_OK;
    fputs(",\n \"launches\": [", out);
    for (size_t i = 0; i < report->n_launches && !status; i++) {
        const hw_subject subject = {.launch = &report->launches[i], .counts = report->launches[i].counts};
        status = write_element(out, OBJECT_OF(launch_fields, report, &subject), i == 0, diag);
    }
    return status;
}

hw_status hw_report_write_json(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    json_t *gpu = gpu_object(report->gpu);
    hw_status status = gpu ? HW_OK : hw_diag_no_memory(diag);
    if (status) return status;
    fputs("{\"gpu\": ", out);
    json_dumpf(gpu, out, 0);
    json_decref(gpu);
    fprintf(out, ",\n \"uncounted\": %llu", (unsigned long long)report->n_uncounted);
    if (look->rows == HW_REPORT_ROWS_SUMMARY) status = write_summary(report, out, diag);
    else status = write_launches(report, out, diag);
    fputs("]", out);
    if (!status && (look->copies || look->rows == HW_REPORT_ROWS_SUMMARY))
        status = hw_report_write_work_json(report, look, out, diag);
    if (report->has_lines) {
        fputs(",\n \"kernels\": [", out);
        for (size_t i = 0; i < report->n_kernels && !status; i++)
            status = write_kernel(report, &report->kernels[i], i == 0, out, diag);
        fputs("]", out);
    }
    if (look->json_advice) fprintf(out, ",\n \"advice\": %s", look->json_advice);
    fputs("}\n", out);
    return status;
}
