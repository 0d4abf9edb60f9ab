// The pictures of NVIDIA's occupancy calculator: warps held against block size, registers and shared memory.
#include <string.h>

#include "cli.h"
#include "occupancy.h"
#include "plot.h"

enum { WIDTH = 1260, HEAD_PIXELS = 84, NAME_PIXELS = 30, CURVE_PIXELS = 240, FOOT_PIXELS = 62, LEFT_PIXELS = 66,
       RIGHT_PIXELS = 64, GAP_PIXELS = 46, N_CURVES = 3 };

typedef struct curve {
    const char *axis;
    uint32_t last, step;         // the axis ends at last; warps change at multiples of step at most
    double unit;                 // of the axis, in what last and step count
    uint32_t here;               // where the launch lies
} curve;

static void describe_curves(const hw_occupancy_list *list, const hw_occupancy_row *row, curve curves[N_CURVES]) {
    const hw_arch *arch = list->gpu->arch;
    curves[0] = (curve){"threads per block", arch->max_threads_per_block, 32, 1, row->block};
    curves[1] = (curve){"registers per thread", arch->max_regs_per_thread, 1, 1, row->regs};
    curves[2] = (curve){"shared memory per block, KiB",
                        arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes,
                        arch->smem_unit_bytes, 1024, row->smem_static + row->smem_dynamic};
}

static uint32_t warps_at(const hw_occupancy_list *list, const hw_occupancy_row *row, int index, uint32_t value) {
    hw_occupancy_row other = *row;
    if (index == 1) other.regs = value;
    if (index == 2) {
        other.smem_static = 0;
        other.smem_dynamic = value;
    }
    return hw_occupancy_ask(list, &other, index == 0 ? value : row->block).warps;
}

// A stair: from each value to the next one the warps of the next, as what is handed out is rounded up.
static void write_data(const hw_occupancy_list *list, const hw_occupancy_row *row, int index, const curve *c,
                       FILE *out) {
    uint32_t warps = 0, before = UINT32_MAX;
    fputs("$stair << EOD\n", out);
    for (uint64_t at = 0; at < c->last; at += c->step) {
        uint64_t next = at + c->step < c->last ? at + c->step : c->last;
        warps = warps_at(list, row, index, (uint32_t)next);
        if (warps != before) fprintf(out, "%.9g %u\n", (double)at / c->unit, warps);
        before = warps;
    }
    fprintf(out, "%.9g %u\nEOD\n", c->last / c->unit, warps);
}

// The least power of two that makes at most nine marks.
static double tic_of(const curve *c) {
    double tic = 1;
    while (c->last / c->unit / tic > 8.5) tic *= 2;
    return tic;
}

// A line down from the headroom, where no curve is in the way of the number.
static void write_label(const hw_occupancy_row *row, const curve *c, FILE *out) {
    double x = c->here / c->unit, end = c->last / c->unit;
    bool on_left = x > 0.62 * end;
    char text[64];
    snprintf(text, sizeof text, c->unit > 1 ? "%u bytes: %u warps" : "%u: %u warps", c->here, row->held.warps);
    fprintf(out, "set arrow 1 from %.9g, graph 0 to %.9g, graph 1 nohead dt 3 lw 1.2 lc rgb '#c9700a' front\n", x, x);
    fputs("set label 3 ", out);
    hw_cli_plot_text(text, out);
    fprintf(out, " at %.9g, graph 0.945 %s offset character %s,0 tc rgb '#a85c00' front\n", x,
            on_left ? "right" : "left", on_left ? "-0.5" : "0.5");
}

static void write_curve(const hw_occupancy_list *list, const hw_occupancy_row *row, int index, const curve *c,
                        double top, double bottom, FILE *out) {
    uint32_t most = list->gpu->arch->warps_per_sm;
    double room = WIDTH - LEFT_PIXELS - RIGHT_PIXELS - GAP_PIXELS * (N_CURVES - 1), each = room / N_CURVES;
    double left = LEFT_PIXELS + index * (each + GAP_PIXELS);
    bool is_marked = c->here <= c->last && (index != 1 || row->regs);
    write_data(list, row, index, c, out);
    fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\n"
                 "set bmargin at screen %.5f\n", left / WIDTH, (left + each) / WIDTH, top, bottom);
    fprintf(out, "set xrange [0:%.9g]\nset xtics %g\nset yrange [0:%g]\nset xlabel ", c->last / c->unit, tic_of(c),
            most * 1.14);
    hw_cli_plot_text(c->axis, out);
    fputs("\nset ytics scale 0 tc rgb '#444444' (", out);
    for (uint32_t i = 0; i <= 4; i++)
        fprintf(out, index ? "%s'' %g" : "%s%g", i ? ", " : "", most * i / 4.0);
    fputs(")\n", out);
    if (index == 0) fputs("set ylabel 'warps per multiprocessor' offset 1,0 tc rgb '#222222'\n", out);
    else fputs("unset ylabel\n", out);
    if (index == N_CURVES - 1) {
        fputs("set y2tics scale 0 tc rgb '#444444' (", out);
        for (uint32_t i = 0; i <= 4; i++) fprintf(out, "%s'%u%%%%' %g", i ? ", " : "", 25 * i, most * i / 4.0);
        fprintf(out, ")\nset y2range [0:%g]\n", most * 1.14);
    } else fputs("unset y2tics\n", out);
    fputs("unset arrow\nunset label 3\n", out);
    if (is_marked) {
        write_label(row, c, out);
        fprintf(out, "$here << EOD\n%.9g %u\nEOD\n", c->here / c->unit, row->held.warps);
    }
    fputs("plot $stair using 1:2 with fillsteps fc rgb '#dbe6f3' notitle, "
          "$stair using 1:2 with steps lw 2 lc rgb '#2f6db3' notitle", out);
    if (is_marked)
        fputs(", $here using 1:2 with points pt 7 ps 1.5 lc rgb '#ffffff' notitle"
              ", $here using 1:2 with points pt 7 ps 1.1 lc rgb '#e08a1e' notitle", out);
    fputs("\nunset label 1\nunset label 2\nunset label 4\n", out);
}

// "256 threads, 40 registers, 20000 bytes: 48 of 64 warps (75%), limited by regs"
static void describe_row(const hw_occupancy_list *list, const hw_occupancy_row *row, char *text, size_t text_bytes) {
    char limiter[64], why[160], name[HW_OCCUPANCY_NAME];
    size_t used = (size_t)snprintf(text, text_bytes, "%s%s%u threads", row->kernel ? hw_occupancy_name(row, name) : "",
                                   row->kernel ? ": " : "", row->block);
    if (row->regs && used < text_bytes)
        used += (size_t)snprintf(text + used, text_bytes - used, ", %s%u registers",
                                 row->regs_estimated ? "about " : "", row->regs);
    if (used >= text_bytes) return;
    used += (size_t)snprintf(text + used, text_bytes - used, ", %u bytes of shared memory",
                             row->smem_static + row->smem_dynamic);
    if (used >= text_bytes) return;
    if (hw_occupancy_refusal(list, row, why, sizeof why))
        snprintf(text + used, text_bytes - used, ": refused, as %s", why);
    else snprintf(text + used, text_bytes - used, ": %u block%s, %u of %u warps, %.3g%%, limited by %s",
                  row->held.blocks, row->held.blocks == 1 ? "" : "s", row->held.warps, list->gpu->arch->warps_per_sm,
                  row->held.occupancy_pct, hw_occupancy_limiter(row, limiter, sizeof limiter));
}

static void write_script(const void *context, const char *path, FILE *out) {
    const hw_occupancy_list *list = context;
    char title[192], text[512] = "";
    int name = list->program ? NAME_PIXELS : 0, row_height = name + CURVE_PIXELS + FOOT_PIXELS;
    int height = HEAD_PIXELS - name / 2 + (int)list->n_rows * row_height;
    if (!list->program) describe_row(list, &list->rows[0], text, sizeof text);
    snprintf(title, sizeof title, "Occupancy of %s (%s)", list->gpu->name, list->gpu->id);
    hw_cli_plot_begin(path, WIDTH, height, title, list->program ? list->program : text, out);
    fputs("unset key\nset grid xtics ytics lc rgb '#e4e4e4' lt 1\n", out);
    for (size_t i = 0; i < list->n_rows; i++) {
        curve curves[N_CURVES];
        double top = HEAD_PIXELS - name / 2 + (double)i * row_height + name;
        describe_curves(list, &list->rows[i], curves);
        if (list->program) {
            describe_row(list, &list->rows[i], text, sizeof text);
            fputs("set label 4 ", out);
            hw_cli_plot_text(text, out);
            fprintf(out, " at screen %.5f, screen %.5f left tc rgb '#222222'\n", (double)LEFT_PIXELS / WIDTH,
                    1 - (top - 12) / height);
        }
        for (int c = 0; c < N_CURVES; c++)
            write_curve(list, &list->rows[i], c, &curves[c], 1 - top / height, 1 - (top + CURVE_PIXELS) / height, out);
    }
    fputs("unset multiplot\n", out);
}

int hw_occupancy_draw(const hw_occupancy_list *list, const char *path) {
    if (list->n_rows <= HW_OCCUPANCY_MOST_PLOTTED) return hw_cli_plot_run(write_script, list, path);
    hw_cli_complain("--plot draws up to %d kernels, and %s has %zu", HW_OCCUPANCY_MOST_PLOTTED, list->program,
                    list->n_rows);
    return HW_EXIT_USAGE;
}
