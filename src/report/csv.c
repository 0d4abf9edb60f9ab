// A profile as comma-separated values (RFC 4180, lines ended by a line feed).
#include "base/alloc.h"
#include "report/internal.h"
#include "report/work.h"

#define F(id, ...) {&hw_columns[HW_COLUMN_##id], __VA_ARGS__}
enum { PADDED = HW_FIELD_PADDED, ALWAYS = HW_FIELD_ALWAYS, PARTITIONS = HW_FIELD_PARTITIONS, APART = HW_FIELD_APART };

static const hw_field launch_fields[] = {
    F(ORDINAL, 0, 0), F(KERNEL, 0, 0), F(GRID, 0, 0), F(BLOCK, 0, 0), F(REGS, 0, 0), F(SMEM_STATIC, 0, 0),
    F(SMEM_DYNAMIC, 0, 0), F(LIMIT_BLOCKS, 0, 0), F(LIMIT_REGS, 0, 0), F(LIMIT_SMEM, 0, 0), F(LIMIT_WARPS, 0, 0),
    F(OCCUPANCY_PCT, 2, 0), HW_FIELD_ALL_COUNTERS, F(GLD_PARTITION_PCT, 2, PARTITIONS),
    F(GST_PARTITION_PCT, 2, PARTITIONS), F(HOST_MS, 4, PADDED), F(REGS_ESTIMATED, 0, 0), F(EST_US, 3, ALWAYS),
    F(EST_GBS, 3, ALWAYS), F(EST_BOUND, 0, ALWAYS), F(SPILL_BYTES, 0, 0), F(PTX_BY, 0, 0), F(EST_US_MEMORY, 3, ALWAYS),
    F(EST_US_SHARED, 3, ALWAYS), F(EST_US_ISSUE, 3, ALWAYS), F(EST_US_LATENCY, 3, ALWAYS), F(EST_US_LAUNCH, 3, ALWAYS),
    F(REUSED, 0, 0), F(STREAM, 0, 0), F(START_US, 3, 0), F(CALL_US, 3, 0), F(MACHINE_INST, 0, 0),
    F(DEVICE, 0, 0), F(TEX_SECTORS, 0, 0), F(TEX_MISSES, 0, 0)};

static const hw_field summary_fields[] = {
    F(KERNEL, 0, 0), F(LAUNCHES, 0, 0), F(COMPLETED_LAUNCHES, 0, 0), F(SHARE_PCT, 3, 0), F(EST_US, 3, ALWAYS),
    F(EST_US_MEAN, 3, ALWAYS), F(EST_US_MIN, 3, ALWAYS), F(EST_US_MAX, 3, ALWAYS), F(EST_GBS, 3, ALWAYS),
    F(EST_BOUND, 0, ALWAYS), F(REGS, 0, 0), F(REGS_ESTIMATED, 0, 0), F(SPILL_BYTES, 0, 0), F(SMEM_STATIC, 0, 0),
    F(SMEM_DYNAMIC, 0, 0), F(OCCUPANCY_PCT, 3, 0), HW_FIELD_ALL_COUNTERS, F(HOST_MS, 3, 0), F(PTX_BY, 0, 0),
    F(EST_US_MEMORY, 3, ALWAYS), F(EST_US_SHARED, 3, ALWAYS), F(EST_US_ISSUE, 3, ALWAYS), F(EST_US_LATENCY, 3, ALWAYS),
    F(EST_US_LAUNCH, 3, ALWAYS), F(REUSED_LAUNCHES, 0, 0), F(EST_LOAD_GBS, 3, 0), F(EST_STORE_GBS, 3, 0),
    F(EST_GINST, 3, 0), F(MACHINE_INST, 0, 0), F(TEX_SECTORS, 0, 0), F(TEX_MISSES, 0, 0)};

static const hw_field line_fields[] = {
    F(KERNEL, 0, 0), F(ORDINAL, 0, APART), F(GRID, 0, APART), F(BLOCK, 0, APART), F(SMEM_DYNAMIC, 0, APART),
    F(LAUNCHES, 0, 0), F(FILE, 0, 0), F(LINE, 0, 0), HW_FIELD_ALL_COUNTERS, F(PTX_BY, 0, 0)};

// Where rows go, and the fields that the report has of them.
typedef struct rows {
    hw_field fields[HW_REPORT_FIELDS];
    size_t n_fields;
    FILE *out;
} rows;

// Begins with the line of keys.
static rows begin_rows(const hw_report *report, const hw_field *listed, size_t n_listed, FILE *out) {
    rows r = {.out = out};
    r.n_fields = hw_report_choose_fields(report, listed, n_listed, r.fields);
    hw_csv_write_keys(r.fields, r.n_fields, out);
    return r;
}
#define BEGIN_ROWS(report, listed, out) begin_rows(report, listed, sizeof(listed) / sizeof(listed)[0], out)

static void write_row(const rows *r, const hw_subject *subject) {
    hw_csv_write_row(r->fields, r->n_fields, subject, r->out);
}

static void write_launches(const hw_report *report, FILE *out) {
    const rows r = BEGIN_ROWS(report, launch_fields, out);
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *launch = &report->launches[i];
        write_row(&r, &(hw_subject){.launch = launch, .counts = launch->counts});
    }
}

static hw_status write_summary(const hw_report *report, FILE *out, hw_diag *diag) {
    hw_report_summary *kernels;
    size_t n;
    hw_status status = hw_report_summarise(report, false, &kernels, &n, diag);
    if (status) return status;
    const rows r = BEGIN_ROWS(report, summary_fields, out);
    for (size_t i = 0; i < n; i++)
        write_row(&r, &(hw_subject){.launch = &kernels[i].sum, .summary = &kernels[i],
                                    .counts = kernels[i].sum.counts});
    hw_free(kernels);
    return HW_OK;
}

static void write_lines(const hw_report *report, FILE *out) {
    const rows r = BEGIN_ROWS(report, line_fields, out);
    for (size_t i = 0; i < report->n_kernels; i++) {
        const hw_report_kernel *kernel = &report->kernels[i];
        hw_subject subject = {.listing = kernel, .ptx_by = hw_report_ptx_by(report, kernel)};
        for (size_t j = 0; j < kernel->n_lines; j++) {
            subject.line = &kernel->lines[j];
            subject.counts = kernel->lines[j].counts;
            write_row(&r, &subject);
        }
    }
}

hw_status hw_report_write_csv(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    if (look->copies) return hw_report_write_work_csv(report, look, out, diag);
    if (report->has_lines) write_lines(report, out);
    else if (look->rows == HW_REPORT_ROWS_SUMMARY) return write_summary(report, out, diag);
    else write_launches(report, out);
    return HW_OK;
}
