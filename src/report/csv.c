// Comma-separated values (RFC 4180, lines ended by a line feed).
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "report/internal.h"

static void write_text(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_counter_names(const hw_gpu *gpu, FILE *out) {
    for (int i = 0; i < HW_COUNTERS; i++)
        if (hw_counter_is_column(i, gpu)) fprintf(out, ",%s", hw_counter_rows[i].name);
}

static void write_counters(const hw_gpu *gpu, FILE *out, const uint64_t *counts) {
    for (int i = 0; i < HW_COUNTERS; i++)
        if (hw_counter_is_column(i, gpu)) fprintf(out, ",%" PRIu64, counts[i]);
}

// Empty where it was not counted.
static void write_partitions(double pct, FILE *out) {
    char number[HW_REPORT_NUMBER];
    fprintf(out, ",%s", pct > 0 ? hw_report_trimmed(pct, 2, number, sizeof number) : "");
}

static void write_shape(const uint32_t shape[3], FILE *out) {
    fprintf(out, ",(%u %u %u)", shape[0], shape[1], shape[2]);
}

static void write_launch(const hw_gpu *gpu, FILE *out, const hw_report_launch *l) {
    char number[HW_REPORT_NUMBER];
    const hw_occupancy *o = &l->occupancy;
    fprintf(out, "%" PRIu64 ",", l->ordinal);
    write_text(out, l->kernel);
    write_shape(l->grid, out);
    write_shape(l->block, out);
    fprintf(out, ",%u,%u,%u", l->regs, l->smem_static, l->smem_dynamic);
    fprintf(out, ",%u,%u,%u,%u", o->limit_blocks, o->limit_regs, o->limit_smem, o->limit_warps);
    fprintf(out, ",%s", hw_report_trimmed(o->occupancy_pct, 2, number, sizeof number));
    write_counters(gpu, out, l->counts);
    if (hw_counts_partitions(gpu)) {
        write_partitions(l->gld_partition_pct, out);
        write_partitions(l->gst_partition_pct, out);
    }
    fprintf(out, ",%s,%d", hw_report_fixed(l->host_ms, 4, number, sizeof number), l->regs_estimated);
    fprintf(out, ",%s", hw_report_trimmed(l->estimate.us, 3, number, sizeof number));
    fprintf(out, ",%s,%s", hw_report_trimmed(l->estimate.gbs, 3, number, sizeof number),
            l->status ? "" : hw_bound_name(l->estimate.bound));
    fprintf(out, ",%u,", l->spill_bytes);
    write_text(out, l->ptx_by ? l->ptx_by : "");
    fputc('\n', out);
}

static void write_launches(const hw_report *report, FILE *out) {
    fputs("ordinal,kernel,grid,block,regs,smem_static,smem_dynamic,limit_blocks,limit_regs,limit_smem,limit_warps,"
          "occupancy_pct", out);
    write_counter_names(report->gpu, out);
    if (hw_counts_partitions(report->gpu)) fputs(",gld_partition_pct,gst_partition_pct", out);
    fputs(",host_ms,regs_estimated,est_us,est_gbs,est_bound,spill_bytes,ptx_by\n", out);
    for (size_t i = 0; i < report->n_launches; i++) write_launch(report->gpu, out, &report->launches[i]);
}

static void write_number(double value, FILE *out) {
    char number[HW_REPORT_NUMBER];
    fprintf(out, ",%s", hw_report_trimmed(value, 3, number, sizeof number));
}

static void write_summary_row(const hw_gpu *gpu, FILE *out, const hw_report_summary *row) {
    const hw_report_launch *sum = &row->sum;
    write_text(out, sum->kernel);
    fprintf(out, ",%" PRIu64 ",%" PRIu64, row->launches, row->completed);
    const double numbers[] = {row->share_pct, sum->estimate.us, row->mean_us, row->min_us, row->max_us,
                              sum->estimate.gbs};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) write_number(numbers[i], out);
    fprintf(out, ",%s,%u,%d,%u", row->completed ? hw_bound_name(sum->estimate.bound) : "", sum->regs,
            sum->regs_estimated, sum->spill_bytes);
    fprintf(out, ",%u,%u", sum->smem_static, sum->smem_dynamic);
    write_number(sum->occupancy.occupancy_pct, out);
    write_counters(gpu, out, sum->counts);
    write_number(sum->host_ms, out);
    fputc(',', out);
    write_text(out, sum->ptx_by ? sum->ptx_by : "");
    fputc('\n', out);
}

static hw_status write_summary(const hw_report *report, FILE *out, hw_diag *diag) {
    hw_report_summary *rows;
    size_t n;
    hw_status status = hw_report_summarise(report, &rows, &n, diag);
    if (status) return status;
    fputs("kernel,launches,completed,share_pct,est_us,est_us_mean,est_us_min,est_us_max,est_gbs,est_bound,regs,"
          "regs_estimated,spill_bytes,smem_static,smem_dynamic,occupancy_pct", out);
    write_counter_names(report->gpu, out);
    fputs(",host_ms,ptx_by\n", out);
    for (size_t i = 0; i < n; i++) write_summary_row(report->gpu, out, &rows[i]);
    hw_free(rows);
    return HW_OK;
}

// What stands before the counters of a line.
static void write_line_names(const hw_report *report, const hw_report_kernel *k, const hw_report_line *line,
                             FILE *out) {
    write_text(out, k->kernel);
    if (report->lines_of != HW_LINES_OF_KERNEL) {
        fprintf(out, ",%" PRIu64, k->first);
        write_shape(k->grid, out);
        write_shape(k->block, out);
        fprintf(out, ",%u", k->smem_dynamic);
    }
    fprintf(out, ",%" PRIu64 ",", k->launches);
    write_text(out, line->file);
    fprintf(out, ",%u", line->line);
}

static void write_lines(const hw_report *report, FILE *out) {
    const bool is_apart = report->lines_of != HW_LINES_OF_KERNEL;
    fprintf(out, "kernel%s,launches,file,line", is_apart ? ",ordinal,grid,block,smem_dynamic" : "");
    write_counter_names(report->gpu, out);
    fputs(",ptx_by\n", out);
    for (size_t i = 0; i < report->n_kernels; i++) {
        const hw_report_kernel *k = &report->kernels[i];
        const char *by = hw_report_ptx_by(report, k);
        for (size_t j = 0; j < k->n_lines; j++) {
            write_line_names(report, k, &k->lines[j], out);
            write_counters(report->gpu, out, k->lines[j].counts);
            fputc(',', out);
            write_text(out, by);
            fputc('\n', out);
        }
    }
}

hw_status hw_report_write_csv(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    if (report->has_lines) write_lines(report, out);
    else if (look->rows == HW_REPORT_ROWS_SUMMARY) return write_summary(report, out, diag);
    else write_launches(report, out);
    return HW_OK;
}
