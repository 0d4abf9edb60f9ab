// Comma-separated values (RFC 4180, lines ended by a line feed).
#include <inttypes.h>
#include <string.h>

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

static void write_launch(const hw_gpu *gpu, FILE *out, const hw_report_launch *l) {
    char number[HW_REPORT_NUMBER];
    const hw_occupancy *o = &l->occupancy;
    fprintf(out, "%" PRIu64 ",", l->ordinal);
    write_text(out, l->kernel);
    fprintf(out, ",(%u %u %u),(%u %u %u)", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
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
    fprintf(out, ",%s,%s\n", hw_report_trimmed(l->estimate.gbs, 3, number, sizeof number),
            l->status ? "" : hw_bound_name(l->estimate.bound));
}

static void write_launches(const hw_report *report, FILE *out) {
    fputs("ordinal,kernel,grid,block,regs,smem_static,smem_dynamic,limit_blocks,limit_regs,limit_smem,limit_warps,"
          "occupancy_pct", out);
    write_counter_names(report->gpu, out);
    if (hw_counts_partitions(report->gpu)) fputs(",gld_partition_pct,gst_partition_pct", out);
    fputs(",host_ms,regs_estimated,est_us,est_gbs,est_bound\n", out);
    for (size_t i = 0; i < report->n_launches; i++) write_launch(report->gpu, out, &report->launches[i]);
}

static void write_lines(const hw_report *report, FILE *out) {
    fputs("kernel,launches,file,line", out);
    write_counter_names(report->gpu, out);
    fputc('\n', out);
    for (size_t i = 0; i < report->n_kernels; i++) {
        const hw_report_kernel *k = &report->kernels[i];
        for (size_t j = 0; j < k->n_lines; j++) {
            write_text(out, k->kernel);
            fprintf(out, ",%" PRIu64 ",", k->launches);
            write_text(out, k->lines[j].file);
            fprintf(out, ",%u", k->lines[j].line);
            write_counters(report->gpu, out, k->lines[j].counts);
            fputc('\n', out);
        }
    }
}

hw_status hw_report_write_csv(const hw_report *report, bool colour, FILE *out, hw_diag *diag) {
    (void)colour;
    (void)diag;
    if (report->has_lines) write_lines(report, out);
    else write_launches(report, out);
    return HW_OK;
}
