// Several GPUs over one of a family's sizes, as a picture: a panel for each rung, a curve for each GPU.
#include <math.h>
#include <string.h>

#include "cli.h"
#include "plot.h"
#include "sweep.h"

enum { WIDTH = 1120, HEAD_PIXELS = 96, PANEL_PIXELS = 380, FOOT_PIXELS = 58, LEFT_PIXELS = 84, RIGHT_PIXELS = 24,
       GAP_PIXELS = 52, KEY_PIXELS = 76, CHARACTER_PIXELS = 8 };

static const char *const colours[HW_SWEEP_DEVICES] = {"#2f6db3", "#e08a1e", "#3f8f6b", "#b3412f",
                                                      "#7a5aa6", "#2a9fb0", "#8a7a3a"};
static const int points[HW_SWEEP_DEVICES] = {7, 5, 9, 11, 13, 6, 4};

static double fastest(const hw_sweep_curve *curve) {
    double most = 0;
    for (size_t i = 0; i < curve->n_points; i++) most = fmax(most, curve->points[i].gbs);
    return most;
}

static double slowest(const hw_sweep_curve *curve) {
    double least = INFINITY;
    for (size_t i = 0; i < curve->n_points; i++)
        if (curve->points[i].gbs > 0) least = fmin(least, curve->points[i].gbs);
    return least;
}

// One scale for all panels: of tenfold GPUs and curves only a logarithm shows both.
static void write_scale(const hw_sweep *sweep, FILE *out) {
    double most = 1, least = INFINITY, least_peak = INFINITY;
    for (size_t i = 0; i < sweep->n_curves; i++) {
        most = fmax(most, fastest(&sweep->curves[i]));
        least = fmin(least, slowest(&sweep->curves[i]));
        least_peak = fmin(least_peak, fastest(&sweep->curves[i]));
    }
    if (most / least_peak > 5 && isfinite(least))
        fprintf(out, "set logscale y\nset yrange [%.9g:%.9g]\n", least / 1.5, most * 1.5);
    else fprintf(out, "set yrange [0:%.9g]\n", most * 1.1);
}

// The GPUs' names in one line, each behind its mark.
static void write_key(const hw_sweep *sweep, int height, FILE *out) {
    double x = 24;
    for (size_t d = 0; d < sweep->n_devices; d++) {
        char name[160];
        hw_cli_sweep_name(&sweep->curves[d], name, sizeof name);
        fprintf(out, "set label %zu ", 10 + d);
        hw_cli_plot_text(name, out);
        fprintf(out, " at screen %.5f, screen %.5f left point pt %d ps 1 lc rgb '%s' offset character 1,0 "
                     "tc rgb '%s'\n", x / WIDTH, 1 - (double)KEY_PIXELS / height, points[d], colours[d], colours[d]);
        x += 36 + CHARACTER_PIXELS * (double)strlen(name);
    }
}

static void write_curves(const hw_sweep *sweep, size_t first, FILE *out) {
    for (size_t d = 0; d < sweep->n_devices; d++) {
        const hw_sweep_curve *curve = &sweep->curves[first + d];
        fprintf(out, "$curve_%zu << EOD\n", d);
        for (size_t i = 0; i < curve->n_points; i++)
            fprintf(out, "%g %.9g\n", (double)curve->points[i].step, curve->points[i].gbs);
        fputs("EOD\n", out);
    }
    for (size_t d = 0; d < sweep->n_devices; d++)
        fprintf(out, "%s $curve_%zu using 1:2 with linespoints lw 2 pt %d ps 0.8 lc rgb '%s' notitle",
                d ? ", \\\n    " : "plot", d, points[d], colours[d]);
    fputc('\n', out);
}

static void write_panel(const hw_sweep *sweep, size_t rung, FILE *out) {
    const int height = HEAD_PIXELS + PANEL_PIXELS + FOOT_PIXELS;
    const double room = WIDTH - LEFT_PIXELS - RIGHT_PIXELS - GAP_PIXELS * (double)(sweep->n_rungs - 1);
    const double each = room / (double)sweep->n_rungs, left = LEFT_PIXELS + (double)rung * (each + GAP_PIXELS);
    const size_t first = rung * sweep->n_devices;
    fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\n"
                 "set bmargin at screen %.5f\n", left / WIDTH, (left + each) / WIDTH, 1 - (double)HEAD_PIXELS / height,
            (double)FOOT_PIXELS / height);
    fprintf(out, "set xrange [-0.5:%g]\nset xtics 4\nset xlabel ", (double)sweep->family->sweep_last + 0.5);
    hw_cli_plot_text(sweep->curves[first].rung->swept, out);
    fputs(rung ? "\nunset ylabel\n" : "\nset ylabel 'GB/s, read and written' offset 1,0 tc rgb '#222222'\n", out);
    write_curves(sweep, first, out);
    fputs("unset label\n", out);
}

static void write_script(const void *context, const char *path, FILE *out) {
    const hw_sweep *sweep = context;
    static const char estimates[] = "useful bytes over the time that the memory takes for all that it moves";
    const int height = HEAD_PIXELS + PANEL_PIXELS + FOOT_PIXELS;
    char title[128];
    bool has_estimates = false;
    for (size_t i = 0; i < sweep->n_curves; i++) has_estimates |= sweep->curves[i].gpu != NULL;
    snprintf(title, sizeof title, "%s: %s", sweep->family->name, sweep->family->does);
    hw_cli_plot_begin(path, WIDTH, height, title, has_estimates ? estimates : "", out);
    fputs("set grid xtics ytics lc rgb '#e4e4e4' lt 1\nset border 3 lc rgb '#888888'\n"
          "set ytics nomirror out scale 0.5 tc rgb '#444444'\nunset key\n", out);
    write_key(sweep, height, out);
    write_scale(sweep, out);
    for (size_t r = 0; r < sweep->n_rungs; r++) write_panel(sweep, r, out);
    fputs("unset multiplot\n", out);
}

int hw_cli_sweep_draw(const hw_sweep *sweep, const char *path) { return hw_cli_plot_run(write_script, sweep, path); }
