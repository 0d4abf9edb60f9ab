// The report for people: good numbers green and bad ones red. What its columns are is in columns.c.
#include <inttypes.h>
#include <string.h>

#include "report/columns.h"
#include "report/internal.h"

static bool covers(int since, int until, const hw_gpu *gpu) { return gpu->arch->cc >= since && gpu->arch->cc <= until; }

// A table as one GPU shows it, of launches or of the lines of one file.
typedef struct view {
    const hw_table_column *columns[HW_GRID_COLUMNS];
    hw_grid_column headings[HW_GRID_COLUMNS];
    int n_columns;
    bool is_by_direction;
    const hw_report_launch *launches;    // NULL: lines
    const hw_report_line *lines;
    hw_source *source;
} view;

static void choose_columns(view *v, hw_table_part part, const hw_gpu *gpu) {
    for (int i = 0; i < part.n_columns; i++) {
        const hw_table_column *column = &part.columns[i];
        if (!covers(column->since, column->until, gpu)) continue;
        v->columns[v->n_columns] = column;
        v->headings[v->n_columns++] = column->heading;
    }
}

static void fill_row(const void *context, size_t row, hw_grid_cell *cells) {
    const view *v = context;
    size_t item = v->is_by_direction ? row / 2 : row;
    hw_table_subject s = {.source = v->source, .is_store = v->is_by_direction && row % 2};
    if (v->launches) s.launch = &v->launches[item];
    else s.line = &v->lines[item];
    s.counts = s.launch ? s.launch->counts : s.line->counts;
    // Nothing was stored, or loaded: no row.
    if (v->is_by_direction && !s.counts[s.is_store ? HW_COUNT_GST_REQUESTS : HW_COUNT_GLD_REQUESTS]) return;
    for (int c = 0; c < v->n_columns; c++) v->columns[c]->fill(v->columns[c], &s, &cells[c]);
}

static void write_table(hw_table_id id, const hw_gpu *gpu, view v, size_t n_items, bool colour, FILE *out) {
    const hw_table *table = &hw_tables[id];
    if (!covers(table->since, table->until, gpu)) return;
    v.is_by_direction = table->is_by_direction;
    for (int i = 0; i < 2; i++) choose_columns(&v, table->parts[i], gpu);
    hw_grid_write(&(hw_grid){.title = table->title, .columns = v.headings, .n_columns = v.n_columns,
                             .n_rows = table->is_by_direction ? 2 * n_items : n_items, .row = fill_row, .context = &v},
                  colour, out);
}

// ---- launches ----

static void write_legend(const hw_report *report, FILE *out) {
    bool estimated = false;
    fputc('\n', out);
    for (int i = 0; i < hw_table_n_legends; i++) {
        const hw_table_legend *l = &hw_table_legends[i];
        if (covers(l->since, l->until, report->gpu)) fprintf(out, "  %-20s  %s\n", l->name, l->text);
    }
    for (size_t i = 0; i < report->n_launches; i++) estimated |= report->launches[i].regs_estimated;
    if (estimated) fputs("  ~                     estimated: ptxas was not there to say\n", out);
}

static void write_launches(const hw_report *report, bool colour, FILE *out) {
    const hw_gpu *gpu = report->gpu;
    const view launches = {.launches = report->launches};
    fprintf(out, "%s (%s), compute capability %d.%d, simulated\n\n", gpu->name, gpu->id, gpu->arch->cc / 10,
            gpu->arch->cc % 10);
    write_table(HW_TABLE_LAUNCHES, gpu, launches, report->n_launches, colour, out);
    write_table(HW_TABLE_MEMORY, gpu, launches, report->n_launches, colour, out);
    write_legend(report, out);
}

// ---- source lines ----

static void write_file(const hw_gpu *gpu, const hw_report_line *lines, size_t n_lines, bool colour, FILE *out) {
    const char *name = lines->file;
    view file = {.lines = lines, .source = *name ? hw_source_open(name) : NULL};
    fprintf(out, "%s\n", *name ? name : "(instructions without a line)");
    write_table(HW_TABLE_LINES, gpu, file, n_lines, colour, out);
    write_table(HW_TABLE_LINE_MEMORY, gpu, file, n_lines, colour, out);
    hw_source_close(file.source);
}

static void write_kernel(const hw_gpu *gpu, const hw_report_kernel *kernel, bool colour, FILE *out) {
    fprintf(out, "\n%s, %" PRIu64 " launch%s\n", kernel->kernel, kernel->launches, kernel->launches == 1 ? "" : "es");
    for (size_t first = 0, end; first < kernel->n_lines; first = end) {
        for (end = first + 1; end < kernel->n_lines; end++)
            if (strcmp(kernel->lines[end].file, kernel->lines[first].file)) break;
        write_file(gpu, &kernel->lines[first], end - first, colour, out);
    }
}

hw_status hw_report_write_table(const hw_report *report, bool colour, FILE *out, hw_diag *diag) {
    (void)diag;
    if (!report->n_launches) {
        fputs("no kernel was launched\n", out);
        return HW_OK;
    }
    write_launches(report, colour, out);
    for (size_t i = 0; report->has_lines && i < report->n_kernels; i++)
        if (report->kernels[i].n_lines) write_kernel(report->gpu, &report->kernels[i], colour, out);
    return HW_OK;
}
