// JSON, one object per launch and line of text, so that any number of launches takes little memory.
#include <jansson.h>
#include <string.h>

#include "base/alloc.h"
#include "report/internal.h"

// Names may come from files that are not UTF-8, which JSON has to be.
static json_t *text(const char *value) {
    json_t *string = json_string(value);
    if (string) return string;
    size_t length = strlen(value);
    char *plain = hw_malloc(length + 1);
    for (size_t i = 0; plain && i <= length; i++) plain[i] = (signed char)value[i] < 0 ? '?' : value[i];
    string = plain ? json_string(plain) : NULL;
    hw_free(plain);
    return string;
}

static json_t *shape(const uint32_t n[3]) {
    return json_pack("[I, I, I]", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2]);
}

static json_t *rounded(double value, double unit) {
    return json_real((double)(long long)(value / unit + 0.5) * unit);
}

// Of partitions: null where it was not counted.
static json_t *share(double pct) { return pct > 0 ? rounded(pct, 0.01) : json_null(); }

// Each returns 0, or -1 when out of memory, and takes its value in both cases.
static int put(json_t *object, const char *key, json_t *value) { return json_object_set_new(object, key, value); }
static int put_integer(json_t *object, const char *key, uint64_t value) {
    return put(object, key, json_integer((json_int_t)value));
}

static int put_counters(json_t *object, const hw_gpu *gpu, const uint64_t *counts) {
    int failed = 0;
    for (int i = 0; i < HW_COUNTERS; i++)
        if (hw_counter_is_column(i, gpu)) failed |= put_integer(object, hw_counter_rows[i].name, counts[i]);
    return failed;
}

static json_t *launch_object(const hw_gpu *gpu, const hw_report_launch *l) {
    const hw_occupancy *o = &l->occupancy;
    json_t *object = json_object();
    int failed = put_integer(object, "ordinal", l->ordinal);
    failed |= put(object, "kernel", text(l->kernel));
    failed |= put(object, "mangled", text(l->mangled));
    failed |= put(object, "grid", shape(l->grid));
    failed |= put(object, "block", shape(l->block));
    failed |= put_integer(object, "regs", l->regs);
    failed |= put(object, "regs_estimated", json_boolean(l->regs_estimated));
    failed |= put_integer(object, "spill_bytes", l->spill_bytes);
    failed |= put_integer(object, "smem_static", l->smem_static);
    failed |= put_integer(object, "smem_dynamic", l->smem_dynamic);
    failed |= put_integer(object, "limit_blocks", o->limit_blocks);
    failed |= put_integer(object, "limit_regs", o->limit_regs);
    failed |= put_integer(object, "limit_smem", o->limit_smem);
    failed |= put_integer(object, "limit_warps", o->limit_warps);
    failed |= put(object, "occupancy_pct", rounded(o->occupancy_pct, 0.01));
    failed |= put_counters(object, gpu, l->counts);
    if (hw_counts_partitions(gpu)) {
        failed |= put(object, "gld_partition_pct", share(l->gld_partition_pct));
        failed |= put(object, "gst_partition_pct", share(l->gst_partition_pct));
    }
    failed |= put(object, "host_ms", rounded(l->host_ms, 0.0001));
    failed |= put(object, "completed", json_boolean(l->status == HW_OK));
    failed |= put(object, "est_us", rounded(l->estimate.us, 0.001));
    failed |= put(object, "est_gbs", rounded(l->estimate.gbs, 0.001));
    failed |= put(object, "est_bound", json_string(l->status ? "" : hw_bound_name(l->estimate.bound)));
    failed |= put(object, "ptx_by", text(l->ptx_by ? l->ptx_by : ""));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static json_t *summary_object(const hw_gpu *gpu, const hw_report_summary *row) {
    const hw_report_launch *sum = &row->sum;
    json_t *object = json_object();
    int failed = put(object, "kernel", text(sum->kernel));
    failed |= put(object, "mangled", text(sum->mangled));
    failed |= put_integer(object, "launches", row->launches);
    failed |= put_integer(object, "completed", row->completed);
    failed |= put(object, "share_pct", rounded(row->share_pct, 0.001));
    failed |= put(object, "est_us", rounded(sum->estimate.us, 0.001));
    failed |= put(object, "est_us_mean", rounded(row->mean_us, 0.001));
    failed |= put(object, "est_us_min", rounded(row->min_us, 0.001));
    failed |= put(object, "est_us_max", rounded(row->max_us, 0.001));
    failed |= put(object, "est_gbs", rounded(sum->estimate.gbs, 0.001));
    failed |= put(object, "est_bound", json_string(row->completed ? hw_bound_name(sum->estimate.bound) : ""));
    failed |= put_integer(object, "regs", sum->regs);
    failed |= put(object, "regs_estimated", json_boolean(sum->regs_estimated));
    failed |= put_integer(object, "spill_bytes", sum->spill_bytes);
    failed |= put_integer(object, "smem_static", sum->smem_static);
    failed |= put_integer(object, "smem_dynamic", sum->smem_dynamic);
    failed |= put(object, "occupancy_pct", rounded(sum->occupancy.occupancy_pct, 0.001));
    failed |= put_counters(object, gpu, sum->counts);
    failed |= put(object, "host_ms", rounded(sum->host_ms, 0.0001));
    failed |= put(object, "ptx_by", text(sum->ptx_by ? sum->ptx_by : ""));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static json_t *line_object(const hw_gpu *gpu, const hw_report_line *line) {
    json_t *object = json_object();
    int failed = put(object, "file", text(line->file)) | put_integer(object, "line", line->line) |
                 put_counters(object, gpu, line->counts);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

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

// What a listing of lines is of, without them.
static json_t *kernel_object(const hw_report *report, const hw_report_kernel *kernel) {
    json_t *object = json_object();
    int failed = put(object, "kernel", text(kernel->kernel));
    if (report->lines_of != HW_LINES_OF_KERNEL) {
        failed |= put_integer(object, "ordinal", kernel->first);
        failed |= put(object, "grid", shape(kernel->grid)) | put(object, "block", shape(kernel->block));
        failed |= put_integer(object, "smem_dynamic", kernel->smem_dynamic);
    }
    failed |= put_integer(object, "launches", kernel->launches);
    failed |= put(object, "ptx_by", text(hw_report_ptx_by(report, kernel)));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static hw_status write_kernel(const hw_report *report, const hw_report_kernel *kernel, bool is_first, FILE *out,
                              hw_diag *diag) {
    const hw_gpu *gpu = report->gpu;
    json_t *head = kernel_object(report, kernel);
    hw_status status = head ? HW_OK : hw_diag_no_memory(diag);
    if (status) return status;
    fputs(is_first ? "\n   {" : ",\n   {", out);
    json_dumpf(head, out, JSON_EMBED);
    fputs(", \"lines\": [", out);
    for (size_t i = 0; i < kernel->n_lines && !status; i++)
        status = write_element(out, line_object(gpu, &kernel->lines[i]), i == 0, diag);
    fputs("]}", out);
    json_decref(head);
    return status;
}

static hw_status write_summary(const hw_report *report, FILE *out, hw_diag *diag) {
    hw_report_summary *rows;
    size_t n;
    hw_status status = hw_report_summarise(report, &rows, &n, diag);
    if (status) return status;
    fputs(",\n \"summary\": [", out);
    for (size_t i = 0; i < n && !status; i++)
        status = write_element(out, summary_object(report->gpu, &rows[i]), i == 0, diag);
    hw_free(rows);
    return status;
}

static hw_status write_launches(const hw_report *report, FILE *out, hw_diag *diag) {
    hw_status status = HW_OK;
    fputs(",\n \"launches\": [", out);
    for (size_t i = 0; i < report->n_launches && !status; i++)
        status = write_element(out, launch_object(report->gpu, &report->launches[i]), i == 0, diag);
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
    if (report->has_lines) {
        fputs(",\n \"kernels\": [", out);
        for (size_t i = 0; i < report->n_kernels && !status; i++)
            status = write_kernel(report, &report->kernels[i], i == 0, out, diag);
        fputs("]", out);
    }
    fputs("}\n", out);
    return status;
}
