// The report for people: good numbers green and bad ones red. The columns are in columns.def and tables.c.
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "report/cells.h"
#include "report/columns.h"
#include "report/internal.h"
#include "report/work.h"

static bool covers_gpu(int since, int until, const hw_gpu *gpu) {
    return gpu->arch->cc >= since && gpu->arch->cc <= until;
}

// A table as one GPU shows it, of launches or of the lines of one file.
typedef struct view {
    const hw_column *columns[HW_GRID_COLUMNS];
    hw_grid_column headings[HW_GRID_COLUMNS];
    int n_columns;
    bool is_by_direction, is_of_gpus;    // several GPUs: rows say which
    const hw_report_launch *launches;    // one of these three, the others NULL
    const hw_report_summary *summaries;
    const hw_report_line *lines;
    hw_source *source;
} view;

static void choose_columns(view *v, hw_table_part part, const hw_gpu *gpu) {
    for (int i = 0; i < part.n_columns; i++) {
        const hw_column *column = &hw_columns[part.columns[i]];
        if (!covers_gpu(column->since, column->until, gpu)) continue;
        if (column == &hw_columns[HW_COLUMN_DEVICE] && !v->is_of_gpus) continue;
        v->columns[v->n_columns] = column;
        v->headings[v->n_columns++] = column->heading;
    }
}

static void fill_row(const void *context, size_t row, hw_grid_cell *cells) {
    const view *v = context;
    size_t item = v->is_by_direction ? row / 2 : row;
    char text[HW_GRID_CELL];
    hw_subject s = {.source = v->source, .is_store = v->is_by_direction && row % 2, .text = text};
    if (v->launches) s.launch = &v->launches[item];
    else if (v->summaries) s.launch = &v->summaries[item].sum, s.summary = &v->summaries[item];
    else s.line = &v->lines[item];
    s.counts = s.launch ? s.launch->counts : s.line->counts;
    // Nothing was stored, or loaded: no row.
    if (v->is_by_direction && !s.counts[s.is_store ? HW_COUNT_GST_REQUESTS : HW_COUNT_GLD_REQUESTS]) return;
    hw_cells_write(v->columns, v->n_columns, &s, cells);
}

static void write_table(hw_table_id id, const hw_gpu *gpu, view v, size_t n_items, const hw_report_look *look,
                        FILE *out) {
    const hw_table *table = &hw_tables[id];
    if (!covers_gpu(table->since, table->until, gpu)) return;
    v.is_by_direction = table->is_by_direction;
    for (size_t i = 0; i < sizeof table->parts / sizeof table->parts[0]; i++) choose_columns(&v, table->parts[i], gpu);
    hw_grid_write(&(hw_grid){.title = table->title, .columns = v.headings, .n_columns = v.n_columns,
                             .width = look->width, .n_rows = table->is_by_direction ? 2 * n_items : n_items,
                             .row = fill_row, .context = &v},
                  look->colour, out);
}

// ---- launches ----

static void write_explanation(const char *name, const char *text, const hw_report_look *look, FILE *out) {
    enum { NAME = 20, INDENT = 2 + NAME + 2 };
    fprintf(out, "  %-*s  ", NAME, name);
    hw_grid_write_wrapped(text, look->width, INDENT, INDENT, out);
}

static void write_legend(const hw_report *report, const hw_report_look *look, FILE *out) {
    fputc('\n', out);
    for (int i = 0; i < hw_table_n_legends; i++) {
        const hw_table_legend *l = &hw_table_legends[i];
        const hw_column *first = &hw_columns[l->columns[0]], *second = &hw_columns[l->columns[1]];
        if (!covers_gpu(first->since, first->until, report->gpu) || !l->applies(report)) continue;
        char text[HW_GRID_CELL];
        snprintf(text, sizeof text, "%s%s%s", l->text ? l->text : first->meaning, l->columns[1] ? "; " : "",
                 l->columns[1] ? second->meaning : "");
        write_explanation(l->name, text, look, out);
    }
}

static void write_reused(const hw_report *report, const hw_report_look *look, FILE *out) {
    char text[128];
    size_t n = 0;
    for (size_t i = 0; i < report->n_launches; i++) n += report->launches[i].is_reused;
    snprintf(text, sizeof text, "%zu of %zu launches were not executed: they would have done what earlier ones did", n,
             report->n_launches);
    if (n) write_explanation("reused", text, look, out);
}

// The compilers, each once, in the order of their launches.
static void write_compilers(const hw_report *report, FILE *out) {
    int n = 0;
    for (size_t i = 0; i < report->n_launches; i++) {
        const char *by = report->launches[i].ptx_by;
        bool is_known = !by || !*by || (i && by == report->launches[i - 1].ptx_by);
        for (size_t k = 0; k < i && !is_known; k++) is_known = !strcmp(report->launches[k].ptx_by, by);
        if (!is_known) fprintf(out, n++ ? ", %s" : "  PTX by %s", by);
    }
    if (n) fputc('\n', out);
}

// "90 of 100 launches": where some were not counted.
static void write_counted(const hw_report *report, FILE *out) {
    size_t n = report->n_launches;
    if (report->n_uncounted)
        fprintf(out, "%zu of the program's %" PRIu64 " launches %s counted\n\n", n, n + report->n_uncounted,
                n == 1 ? "was" : "were");
}

static bool is_of_gpus(const hw_report *report) {
    for (size_t i = 0; i < report->n_launches; i++)
        if (report->launches[i].device) return true;
    return false;
}

static void write_rows(const hw_report *report, const hw_report_look *look, FILE *out) {
    const view launches = {.launches = report->launches, .is_of_gpus = is_of_gpus(report)};
    write_table(HW_TABLE_LAUNCHES, report->gpu, launches, report->n_launches, look, out);
    write_table(HW_TABLE_MEMORY, report->gpu, launches, report->n_launches, look, out);
}

static hw_status write_summary(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    hw_report_summary *rows;
    size_t n;
    hw_status status = hw_report_summarise(report, true, &rows, &n, diag);
    if (status) return status;
    const view kernels = {.summaries = rows, .is_of_gpus = is_of_gpus(report)};
    write_table(HW_TABLE_SUMMARY, report->gpu, kernels, n, look, out);
    write_table(HW_TABLE_SUMMARY_MEMORY, report->gpu, kernels, n, look, out);
    hw_free(rows);
    return HW_OK;
}

static hw_status write_launches(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    enum { MANY = 40 };   // rows that a reader still looks through
    const hw_gpu *gpu = report->gpu;
    const bool is_automatic = look->rows == HW_REPORT_ROWS_AS_FIT && report->n_launches > MANY;
    const bool is_summary = look->rows == HW_REPORT_ROWS_SUMMARY || is_automatic;
    hw_status status = HW_OK;
    fprintf(out, "%s (%s), compute capability %d.%d, simulated\n\n", gpu->name, gpu->id, gpu->arch->cc / 10,
            gpu->arch->cc % 10);
    write_counted(report, out);
    if (is_summary) status = write_summary(report, look, out, diag);
    else write_rows(report, look, out);
    if (!status && (look->copies || look->rows == HW_REPORT_ROWS_SUMMARY))
        status = hw_report_write_work_table(report, look, out, diag);
    if (is_automatic)
        fprintf(out, "\n%zu launches, summed up by kernel; --launches shows a row for each of them\n",
                report->n_launches);
    write_legend(report, look, out);
    write_reused(report, look, out);
    write_compilers(report, out);
    return status;
}

// ---- source lines ----

static void write_file(const hw_gpu *gpu, const hw_report_line *lines, size_t n_lines, const hw_report_look *look,
                       FILE *out) {
    const char *name = lines->file;
    view file = {.lines = lines, .source = *name ? hw_source_open(name) : NULL};
    fprintf(out, "%s\n", *name ? name : "(instructions without a line)");
    write_table(HW_TABLE_LINES, gpu, file, n_lines, look, out);
    write_table(HW_TABLE_LINE_MEMORY, gpu, file, n_lines, look, out);
    hw_source_close(file.source);
}

// Writes what ptxas says of a kernel as a whole, which no line of it shows.
static void write_spills(const hw_report *report, const hw_report_kernel *kernel, FILE *out) {
    for (size_t i = 0; i < report->n_launches; i++) {
        const hw_report_launch *l = &report->launches[i];
        if (strcmp(l->mangled, kernel->mangled) != 0) continue;
        if (l->spill_bytes)
            fprintf(out, "; spills of %s%u B per thread are on no line", l->regs_estimated ? "~" : "", l->spill_bytes);
        return;
    }
}

// Which launches the lines are of: "kernel(int*), 3 launches", "kernel(int*), launch 7: grid 32x8, block 256".
static void write_subject(const hw_report *report, const hw_report_kernel *kernel, FILE *out) {
    const hw_report_lines of = report->lines_of;
    char grid[HW_REPORT_NUMBER * 2], block[HW_REPORT_NUMBER * 2];
    fprintf(out, "\n%s, ", kernel->kernel);
    if (of == HW_LINES_OF_LAUNCH) fprintf(out, "launch %" PRIu64, kernel->first);
    else fprintf(out, "%" PRIu64 " launch%s", kernel->launches, kernel->launches == 1 ? "" : "es");
    if (of != HW_LINES_OF_KERNEL) {
        fprintf(out, ": grid %s, block %s", hw_report_shape(kernel->grid, grid, sizeof grid),
                hw_report_shape(kernel->block, block, sizeof block));
        if (kernel->smem_dynamic) fprintf(out, ", %u bytes of dynamic shared memory", kernel->smem_dynamic);
        if (of == HW_LINES_OF_GROUP) fprintf(out, ", the first is %" PRIu64, kernel->first);
    }
    write_spills(report, kernel, out);
    fputc('\n', out);
}

static void write_kernel(const hw_report *report, const hw_report_kernel *kernel, const hw_report_look *look,
                         FILE *out) {
    write_subject(report, kernel, out);
    for (size_t first = 0, end; first < kernel->n_lines; first = end) {
        for (end = first + 1; end < kernel->n_lines; end++)
            if (strcmp(kernel->lines[end].file, kernel->lines[first].file)) break;
        write_file(report->gpu, &kernel->lines[first], end - first, look, out);
    }
}

hw_status hw_report_write_table(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag) {
    if (!report->n_launches) {
        if (look->copies && report->n_spans) return hw_report_write_work_table(report, look, out, diag);
        fputs(report->n_uncounted ? "none of the program's launches was counted\n" : "no kernel was launched\n", out);
        return HW_OK;
    }
    hw_status status = write_launches(report, look, out, diag);
    for (size_t i = 0; report->has_lines && i < report->n_kernels; i++)
        if (report->kernels[i].n_lines) write_kernel(report, &report->kernels[i], look, out);
    return status;
}
