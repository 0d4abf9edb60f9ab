// Comma-separated values (RFC 4180, lines ended by a line feed).
#include <string.h>

#include "base/alloc.h"
#include "report/fields.h"
#include "report/internal.h"

#define F(id, ...) {HW_COLUMN_##id, __VA_ARGS__}
enum { PADDED = HW_FIELD_PADDED, ALWAYS = HW_FIELD_ALWAYS, PARTITIONS = HW_FIELD_PARTITIONS, APART = HW_FIELD_APART };

static const hw_field launch_fields[] = {
    F(ORDINAL, 0, 0), F(KERNEL, 0, 0), F(GRID, 0, 0), F(BLOCK, 0, 0), F(REGS, 0, 0), F(SMEM_STATIC, 0, 0),
    F(SMEM_DYNAMIC, 0, 0), F(LIMIT_BLOCKS, 0, 0), F(LIMIT_REGS, 0, 0), F(LIMIT_SMEM, 0, 0), F(LIMIT_WARPS, 0, 0),
    F(OCCUPANCY_PCT, 2, 0), HW_FIELD_ALL_COUNTERS, F(GLD_PARTITION_PCT, 2, PARTITIONS),
    F(GST_PARTITION_PCT, 2, PARTITIONS), F(HOST_MS, 4, PADDED), F(REGS_ESTIMATED, 0, 0), F(EST_US, 3, ALWAYS),
    F(EST_GBS, 3, ALWAYS), F(EST_BOUND, 0, ALWAYS), F(SPILL_BYTES, 0, 0), F(PTX_BY, 0, 0), F(EST_US_MEMORY, 3, ALWAYS),
    F(EST_US_SHARED, 3, ALWAYS), F(EST_US_ISSUE, 3, ALWAYS), F(EST_US_LATENCY, 3, ALWAYS), F(EST_US_LAUNCH, 3, ALWAYS),
    F(REUSED, 0, 0)};

static const hw_field summary_fields[] = {
    F(KERNEL, 0, 0), F(LAUNCHES, 0, 0), F(COMPLETED_LAUNCHES, 0, 0), F(SHARE_PCT, 3, 0), F(EST_US, 3, ALWAYS),
    F(EST_US_MEAN, 3, ALWAYS), F(EST_US_MIN, 3, ALWAYS), F(EST_US_MAX, 3, ALWAYS), F(EST_GBS, 3, ALWAYS),
    F(EST_BOUND, 0, ALWAYS), F(REGS, 0, 0), F(REGS_ESTIMATED, 0, 0), F(SPILL_BYTES, 0, 0), F(SMEM_STATIC, 0, 0),
    F(SMEM_DYNAMIC, 0, 0), F(OCCUPANCY_PCT, 3, 0), HW_FIELD_ALL_COUNTERS, F(HOST_MS, 3, 0), F(PTX_BY, 0, 0),
    F(EST_US_MEMORY, 3, ALWAYS), F(EST_US_SHARED, 3, ALWAYS), F(EST_US_ISSUE, 3, ALWAYS), F(EST_US_LATENCY, 3, ALWAYS),
    F(EST_US_LAUNCH, 3, ALWAYS), F(REUSED_LAUNCHES, 0, 0)};

static const hw_field line_fields[] = {
    F(KERNEL, 0, 0), F(ORDINAL, 0, APART), F(GRID, 0, APART), F(BLOCK, 0, APART), F(SMEM_DYNAMIC, 0, APART),
    F(LAUNCHES, 0, 0), F(FILE, 0, 0), F(LINE, 0, 0), HW_FIELD_ALL_COUNTERS, F(PTX_BY, 0, 0)};

// The fields of a kind of row, of a report.
typedef struct rows {
    const hw_report *report;
    const hw_field *fields;
    size_t n_fields;
} rows;
#define ROWS(report, array) {report, array, sizeof(array) / sizeof(array)[0]}

// Where a row goes, and whether anything stands in it.
typedef struct line {
    FILE *out;
    bool has_begun;
} line;

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

// What most cells are, at half of what printf takes.
static void write_integer(FILE *out, uint64_t value) {
    char digits[HW_REPORT_NUMBER], *const end = digits + sizeof digits, *at = end;
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    fwrite(at, 1, (size_t)(end - at), out);
}

static void write_number(FILE *out, const hw_field *field, double number) {
    char digits[HW_REPORT_NUMBER];
    if (field->how & HW_FIELD_PADDED) hw_report_fixed(number, field->decimals, digits, sizeof digits);
    else hw_report_trimmed(number, field->decimals, digits, sizeof digits);
    fputs(digits, out);
}

static void write_separator(line *l) {
    if (l->has_begun) fputc(',', l->out);
    l->has_begun = true;
}

static int put_key(void *context, const hw_column *column, const hw_field *field, const hw_value *value) {
    line *l = context;
    (void)field;
    (void)value;
    write_separator(l);
    fputs(column->key, l->out);
    return 0;
}

static int put_value(void *context, const hw_column *column, const hw_field *field, const hw_value *value) {
    line *l = context;
    (void)column;
    write_separator(l);
    if (value->is_absent && !(field->how & HW_FIELD_ALWAYS)) return 0;
    switch (value->kind) {
    case HW_VALUE_INTEGER:
    case HW_VALUE_FLAG: write_integer(l->out, value->integer); break;
    case HW_VALUE_REAL:
    case HW_VALUE_RATIO: write_number(l->out, field, value->real); break;
    case HW_VALUE_TEXT: write_text(l->out, value->text); break;
    case HW_VALUE_SHAPE:
        fprintf(l->out, "(%u %u %u)", value->shape[0], value->shape[1], value->shape[2]);
        break;
    }
    return 0;
}

// subject NULL: the line of keys.
static void write_row(const rows *r, const hw_subject *subject, FILE *out) {
    line l = {.out = out};
    hw_fields_each(r->fields, r->n_fields, r->report, subject, subject ? put_value : put_key, &l);
    fputc('\n', out);
}

static void write_launches(const hw_report *report, FILE *out) {
    const rows r = ROWS(report, launch_fields);
    write_row(&r, NULL, out);
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *launch = &report->launches[i];
        write_row(&r, &(hw_subject){.launch = launch, .counts = launch->counts}, out);
    }
}

static hw_status write_summary(const hw_report *report, FILE *out, hw_diag *diag) {
    const rows r = ROWS(report, summary_fields);
    hw_report_summary *kernels;
    size_t n;
    hw_status status = hw_report_summarise(report, &kernels, &n, diag);
    if (status) return status;
    write_row(&r, NULL, out);
    for (size_t i = 0; i < n; i++)
        write_row(&r, &(hw_subject){.launch = &kernels[i].sum, .summary = &kernels[i],
                                    .counts = kernels[i].sum.counts}, out);
    hw_free(kernels);
    return HW_OK;
}

static void write_lines(const hw_report *report, FILE *out) {
    const rows r = ROWS(report, line_fields);
    write_row(&r, NULL, out);
    for (size_t i = 0; i < report->n_kernels; i++) {
        const hw_report_kernel *kernel = &report->kernels[i];
        hw_subject subject = {.listing = kernel, .ptx_by = hw_report_ptx_by(report, kernel)};
        for (size_t j = 0; j < kernel->n_lines; j++) {
            subject.line = &kernel->lines[j];
            subject.counts = kernel->lines[j].counts;
            write_row(&r, &subject, out);
        }
    }
}

hw_status hw_report_write_csv(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    if (report->has_lines) write_lines(report, out);
    else if (look->rows == HW_REPORT_ROWS_SUMMARY) return write_summary(report, out, diag);
    else write_launches(report, out);
    return HW_OK;
}
