// The report for people: ratios that say where time goes, good ones green and bad ones red.
#include <inttypes.h>
#include <string.h>

#include "report/grid.h"
#include "report/internal.h"
#include "report/source.h"

// ---- cells ----

static void plain(hw_grid_cell *cell, const char *text) { snprintf(cell->text, sizeof cell->text, "%s", text); }

static void nothing(hw_grid_cell *cell) {
    plain(cell, "-");
    cell->colour = HW_GRID_FAINT;
}

static void count(hw_grid_cell *cell, uint64_t value) {
    if (!value) nothing(cell);
    else snprintf(cell->text, sizeof cell->text, "%" PRIu64, value);
}

// How much more than the ideal: to 5% good, from twice on bad.
static hw_grid_colour judge(uint64_t actual, uint64_t ideal) {
    double ratio = ideal ? (double)actual / (double)ideal : 1;
    return ratio <= 1.05 ? HW_GRID_GOOD : ratio >= 2 ? HW_GRID_BAD : HW_GRID_PLAIN;
}

// "32.0 / 4.0": sectors per request, and what they would be side by side.
static void sectors(hw_grid_cell *cell, uint64_t requests, uint64_t actual, uint64_t ideal) {
    char a[HW_REPORT_NUMBER], b[HW_REPORT_NUMBER];
    if (!requests) {
        nothing(cell);
        return;
    }
    hw_report_fixed((double)actual / (double)requests, 1, a, sizeof a);
    hw_report_fixed((double)ideal / (double)requests, 1, b, sizeof b);
    snprintf(cell->text, sizeof cell->text, "%s / %s", a, b);
    cell->colour = judge(actual, ideal);
}

// "16.0x": passes through the banks for each that it would take without conflicts.
static void conflicts(hw_grid_cell *cell, uint64_t wavefronts, uint64_t ideal) {
    char number[HW_REPORT_NUMBER];
    if (!ideal) {
        nothing(cell);
        return;
    }
    hw_report_fixed((double)wavefronts / (double)ideal, 1, number, sizeof number);
    snprintf(cell->text, sizeof cell->text, "%sx", number);
    cell->colour = judge(wavefronts, ideal);
}

static void percent(hw_grid_cell *cell, double value, hw_grid_colour colour) {
    char number[HW_REPORT_NUMBER];
    hw_report_fixed(value, value > 0 && value < 9.95 ? 1 : 0, number, sizeof number);
    snprintf(cell->text, sizeof cell->text, "%s%%", number);
    cell->colour = colour;
}

static void divergence(hw_grid_cell *cell, uint64_t branches, uint64_t divergent) {
    double share = branches ? 100.0 * (double)divergent / (double)branches : 0;
    if (!branches) nothing(cell);
    else percent(cell, share, share < 1 ? HW_GRID_GOOD : share >= 20 ? HW_GRID_BAD : HW_GRID_PLAIN);
}

static void occupancy(hw_grid_cell *cell, double pct) {
    percent(cell, pct, pct >= 50 ? HW_GRID_GOOD : pct < 25 ? HW_GRID_BAD : HW_GRID_PLAIN);
}

// ---- launches ----

enum { L_ORDINAL, L_KERNEL, L_GRID, L_BLOCK, L_REGS, L_SMEM, L_OCCUPANCY, L_LOADS, L_STORES, L_TRAFFIC, L_CONFLICTS,
       L_LOCAL, L_DIVERGED, L_US, L_GBS, L_BOUND, L_COLUMNS };
_Static_assert((int)L_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

static const hw_grid_column launch_columns[L_COLUMNS] = {
    [L_ORDINAL] = {"", "#", false},
    [L_KERNEL] = {"", "kernel", true},
    [L_GRID] = {"", "grid", false},
    [L_BLOCK] = {"", "block", false},
    [L_REGS] = {"", "regs", false},
    [L_SMEM] = {"shared", "bytes", false},
    [L_OCCUPANCY] = {"occu-", "pancy", false},
    [L_LOADS] = {"sectors/", "load", false},
    [L_STORES] = {"sectors/", "store", false},
    [L_TRAFFIC] = {"L2", "traffic", false},
    [L_CONFLICTS] = {"bank", "passes", false},
    [L_LOCAL] = {"spill", "traffic", false},
    [L_DIVERGED] = {"diver-", "gence", false},
    [L_US] = {"est.", "us", false},
    [L_GBS] = {"est.", "GB/s", false},
    [L_BOUND] = {"est.", "bound", false},
};

static void traffic(hw_grid_cell *cell, uint64_t actual, hw_grid_colour colour) {
    if (!actual) {
        nothing(cell);
        return;
    }
    hw_report_bytes(actual * 32, cell->text, sizeof cell->text);
    cell->colour = colour;
}

static void kernel_cell(hw_grid_cell *cell, const hw_report_launch *l) {
    enum { WIDTH = 30 };
    char name[1024], shown[HW_GRID_CELL];
    hw_report_short_name(l->kernel, name, sizeof name);
    hw_report_shorten(name, WIDTH, false, shown, sizeof shown);
    snprintf(cell->text, sizeof cell->text, "%.80s%s", shown, l->status ? " (stopped)" : "");
    cell->colour = l->status ? HW_GRID_BAD : HW_GRID_PLAIN;
}

static void estimate(hw_grid_cell *cells, const hw_report_launch *l) {
    const hw_estimate *e = &l->estimate;
    if (l->status) {
        nothing(&cells[L_US]);
        nothing(&cells[L_GBS]);
        nothing(&cells[L_BOUND]);
        return;
    }
    hw_report_fixed(e->us, e->us < 99.95 ? 1 : 0, cells[L_US].text, HW_GRID_CELL);
    hw_report_fixed(e->gbs, e->gbs < 9.995 ? 2 : 0, cells[L_GBS].text, HW_GRID_CELL);
    plain(&cells[L_BOUND], hw_bound_name(e->bound));
}

static void launch_row(const void *context, size_t row, hw_grid_cell *cells) {
    const hw_report_launch *l = &((const hw_report *)context)->launches[row];
    const uint64_t *n = l->counts;
    snprintf(cells[L_ORDINAL].text, HW_GRID_CELL, "%" PRIu64, l->ordinal);
    kernel_cell(&cells[L_KERNEL], l);
    hw_report_shape(l->grid, cells[L_GRID].text, HW_GRID_CELL);
    hw_report_shape(l->block, cells[L_BLOCK].text, HW_GRID_CELL);
    snprintf(cells[L_REGS].text, HW_GRID_CELL, "%s%u", l->regs_estimated ? "~" : "", l->regs);
    count(&cells[L_SMEM], (uint64_t)l->smem_static + l->smem_dynamic);
    occupancy(&cells[L_OCCUPANCY], l->occupancy.occupancy_pct);
    sectors(&cells[L_LOADS], n[HW_COUNT_GLD_REQUESTS], n[HW_COUNT_GLD_SECTORS], n[HW_COUNT_GLD_SECTORS_IDEAL]);
    sectors(&cells[L_STORES], n[HW_COUNT_GST_REQUESTS], n[HW_COUNT_GST_SECTORS], n[HW_COUNT_GST_SECTORS_IDEAL]);
    traffic(&cells[L_TRAFFIC], n[HW_COUNT_L2_SECTORS],
            judge(n[HW_COUNT_L2_SECTORS], n[HW_COUNT_L2_SECTORS_IDEAL]));
    conflicts(&cells[L_CONFLICTS], n[HW_COUNT_SMEM_WAVEFRONTS], n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
    traffic(&cells[L_LOCAL], n[HW_COUNT_LLD_SECTORS] + n[HW_COUNT_LST_SECTORS], HW_GRID_PLAIN);
    divergence(&cells[L_DIVERGED], n[HW_COUNT_BRANCHES], n[HW_COUNT_BRANCHES_DIVERGENT]);
    estimate(cells, l);
}

static const char legend[] =
    "\n"
    "  sectors/load, /store  32-byte sectors that a warp's access touches / would touch if its lanes lay side by side\n"
    "  bank passes           passes through the shared-memory banks for each one without bank conflicts\n"
    "  divergence            branches whose lanes parted\n"
    "  est. us, GB/s, bound  estimate of the GPU's time, useful bytes over it, and what holds the launch up\n";

static void write_launches(const hw_report *report, bool colour, FILE *out) {
    const hw_gpu *gpu = report->gpu;
    bool estimated = false;
    for (size_t i = 0; i < report->n_launches; i++) estimated |= report->launches[i].regs_estimated;
    fprintf(out, "%s (%s), compute capability %d.%d, simulated\n\n", gpu->name, gpu->id, gpu->arch->cc / 10,
            gpu->arch->cc % 10);
    hw_grid_write(&(hw_grid){.columns = launch_columns, .n_columns = L_COLUMNS, .n_rows = report->n_launches,
                             .row = launch_row, .context = report}, colour, out);
    fputs(legend, out);
    if (estimated) fputs("  ~                     estimated: ptxas was not there to say\n", out);
}

// ---- source lines ----

enum { S_LINE, S_SOURCE, S_INST, S_LANES, S_LOADS, S_LOAD_SECTORS, S_STORES, S_STORE_SECTORS, S_PASSES, S_CONFLICTS,
       S_BRANCHES, S_DIVERGED, S_COLUMNS };
_Static_assert((int)S_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

static const hw_grid_column line_columns[S_COLUMNS] = {
    [S_LINE] = {"", "line", false},
    [S_SOURCE] = {"", "", true},
    [S_INST] = {"warp", "inst", false},
    [S_LANES] = {"lanes/", "inst", false},
    [S_LOADS] = {"", "loads", false},
    [S_LOAD_SECTORS] = {"sectors/", "load", false},
    [S_STORES] = {"", "stores", false},
    [S_STORE_SECTORS] = {"sectors/", "store", false},
    [S_PASSES] = {"shared", "passes", false},
    [S_CONFLICTS] = {"bank", "passes", false},
    [S_BRANCHES] = {"", "branches", false},
    [S_DIVERGED] = {"diver-", "gence", false},
};

// The rows of one file.
typedef struct file_lines {
    const hw_report_line *lines;
    size_t n_lines;
    hw_source *source;   // NULL when it cannot be read
} file_lines;

static void line_row(const void *context, size_t row, hw_grid_cell *cells) {
    enum { SOURCE_WIDTH = 36 };
    const file_lines *file = context;
    const hw_report_line *line = &file->lines[row];
    const uint64_t *n = line->counts;
    char text[512];
    count(&cells[S_LINE], line->line);
    hw_source_line(file->source, line->line, text, sizeof text);
    hw_report_shorten(text, SOURCE_WIDTH, false, cells[S_SOURCE].text, HW_GRID_CELL);
    count(&cells[S_INST], n[HW_COUNT_INST]);
    hw_report_fixed((double)n[HW_COUNT_THREAD_INST] / (double)(n[HW_COUNT_INST] ? n[HW_COUNT_INST] : 1), 1,
                    cells[S_LANES].text, HW_GRID_CELL);
    count(&cells[S_LOADS], n[HW_COUNT_GLD_REQUESTS]);
    sectors(&cells[S_LOAD_SECTORS], n[HW_COUNT_GLD_REQUESTS], n[HW_COUNT_GLD_SECTORS], n[HW_COUNT_GLD_SECTORS_IDEAL]);
    count(&cells[S_STORES], n[HW_COUNT_GST_REQUESTS]);
    sectors(&cells[S_STORE_SECTORS], n[HW_COUNT_GST_REQUESTS], n[HW_COUNT_GST_SECTORS], n[HW_COUNT_GST_SECTORS_IDEAL]);
    count(&cells[S_PASSES], n[HW_COUNT_SMEM_WAVEFRONTS]);
    conflicts(&cells[S_CONFLICTS], n[HW_COUNT_SMEM_WAVEFRONTS], n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
    count(&cells[S_BRANCHES], n[HW_COUNT_BRANCHES]);
    divergence(&cells[S_DIVERGED], n[HW_COUNT_BRANCHES], n[HW_COUNT_BRANCHES_DIVERGENT]);
}

static void write_file(const hw_report_line *lines, size_t n_lines, bool colour, FILE *out) {
    const char *name = lines->file;
    file_lines file = {.lines = lines, .n_lines = n_lines, .source = *name ? hw_source_open(name) : NULL};
    fprintf(out, "%s\n", *name ? name : "(instructions without a line)");
    hw_grid_write(&(hw_grid){.columns = line_columns, .n_columns = S_COLUMNS, .n_rows = n_lines, .row = line_row,
                             .context = &file}, colour, out);
    hw_source_close(file.source);
}

static void write_kernel(const hw_report_kernel *kernel, bool colour, FILE *out) {
    fprintf(out, "\n%s, %" PRIu64 " launch%s\n", kernel->kernel, kernel->launches, kernel->launches == 1 ? "" : "es");
    for (size_t first = 0, end; first < kernel->n_lines; first = end) {
        for (end = first + 1; end < kernel->n_lines; end++)
            if (strcmp(kernel->lines[end].file, kernel->lines[first].file)) break;
        write_file(&kernel->lines[first], end - first, colour, out);
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
        if (report->kernels[i].n_lines) write_kernel(&report->kernels[i], colour, out);
    return HW_OK;
}
