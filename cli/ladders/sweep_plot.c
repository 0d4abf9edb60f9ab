// Several GPUs over one of a family's sizes, as a picture: a panel for each rung, a curve for each GPU.
#include <math.h>
#include <string.h>

#include "picture/chart.h"
#include "cli.h"
#include "picture/picture.h"
#include "ladders/sweep_report.h"

enum { WIDTH = 1280, HEAD = 116, PANEL = 400, FOOT = 62, LEFT = 66, RIGHT = 12, GAP = 44, KEY = 76, KEY_SIZE = 11 };
_Static_assert((int)HW_SWEEP_DEVICES <= (int)HW_CHART_COLOURS && (int)HW_SWEEP_DEVICES <= (int)HW_SVG_MARKS &&
               (int)HW_SWEEP_DEVICES <= (int)HW_CHART_CURVES, "each GPU has a colour, a mark and a label");

static double fastest_point(const hw_sweep_curve *curve) {
    double most = 0;
    for (size_t i = 0; i < curve->n_points; i++) most = fmax(most, curve->points[i].gbs);
    return most;
}

static double slowest_point(const hw_sweep_curve *curve) {
    double least = INFINITY;
    for (size_t i = 0; i < curve->n_points; i++)
        if (curve->points[i].gbs > 0) least = fmin(least, curve->points[i].gbs);
    return least;
}

// One scale for all panels: of tenfold GPUs and curves only a logarithm shows both.
static hw_chart_axis scale_of(const hw_sweep *sweep) {
    double most = 1, least = INFINITY, least_peak = INFINITY;
    hw_chart_axis axis = {.from = HEAD + PANEL, .to = HEAD, .title = "GB/s, read and written"};
    for (size_t i = 0; i < sweep->n_curves; i++) {
        most = fmax(most, fastest_point(&sweep->curves[i]));
        least = fmin(least, slowest_point(&sweep->curves[i]));
        least_peak = fmin(least_peak, fastest_point(&sweep->curves[i]));
    }
    axis.is_log = most / least_peak > 5 && isfinite(least);
    axis.low = axis.is_log ? least / 1.5 : 0;
    axis.high = axis.is_log ? most * 1.5 : most * 1.1;
    hw_chart_choose_ticks(&axis, axis.is_log ? 10 : 7);
    return axis;
}

// The GPUs' names in one line, each behind its mark.
static void draw_gpus_key(FILE *out, const hw_sweep *sweep) {
    double x = 22;
    for (size_t d = 0; d < sweep->n_devices; d++) {
        char name[160];
        hw_cli_sweep_name(&sweep->curves[d], name, sizeof name);
        hw_svg_mark(out, (int)d, (hw_svg_point){x, KEY - 4}, 4.5, hw_chart_colours[d], NULL);
        hw_svg_text(out, x + 10, KEY, HW_SVG_START, KEY_SIZE, hw_chart_colours[d], name);
        x += 34 + hw_svg_text_width(name, KEY_SIZE);
    }
}

typedef struct drawn {
    char titles[HW_SWEEP_DEVICES][160];
    double x[HW_SWEEP_DEVICES][HW_SWEEP_POINTS], y[HW_SWEEP_DEVICES][HW_SWEEP_POINTS];
    hw_chart_curve curves[HW_SWEEP_DEVICES];
} drawn;

static void take_sweep_curves(const hw_sweep *sweep, size_t rung, drawn *d) {
    for (size_t i = 0; i < sweep->n_devices; i++) {
        const hw_sweep_curve *curve = &sweep->curves[rung * sweep->n_devices + i];
        hw_cli_sweep_name(curve, d->titles[i], sizeof d->titles[i]);
        for (size_t k = 0; k < curve->n_points; k++) {
            d->x[i][k] = (double)curve->points[k].step;
            d->y[i][k] = curve->points[k].gbs > 0 ? curve->points[k].gbs : NAN;
        }
        d->curves[i] = (hw_chart_curve){.label = curve->gpu ? curve->gpu->id : "measured", .title = d->titles[i],
                                        .colour = hw_chart_colours[i], .mark = (int)i, .x = d->x[i], .y = d->y[i],
                                        .n = (int)curve->n_points};
    }
}

static void draw_rung_panel(FILE *out, const hw_sweep *sweep, size_t rung, const hw_chart_axis *y, drawn *d) {
    take_sweep_curves(sweep, rung, d);
    const double labels = hw_chart_label_width(d->curves, (int)sweep->n_devices);
    const double room = WIDTH - LEFT - RIGHT - GAP * (double)(sweep->n_rungs - 1);
    const double each = room / (double)sweep->n_rungs, left = LEFT + (double)rung * (each + GAP);
    hw_chart_axis x = {.low = -0.5, .high = (double)sweep->family->sweep_last + 0.5, .from = left,
                       .to = left + each - labels, .title = sweep->curves[rung * sweep->n_devices].rung->swept};
    hw_chart_choose_ticks(&x, 9);
    hw_chart_frame(out, &x, y, true);
    hw_chart_draw(out, &x, y, d->curves, (int)sweep->n_devices, "GB/s");
}

static void draw_sweep(const void *context, FILE *out) {
    const hw_sweep *sweep = context;
    static const char estimates[] = "useful bytes over the time that the memory takes for all that it moves";
    const hw_chart_axis y = scale_of(sweep);
    char title[128];
    bool has_estimates = false;
    drawn d;
    for (size_t i = 0; i < sweep->n_curves; i++) has_estimates |= sweep->curves[i].gpu != NULL;
    snprintf(title, sizeof title, "%s: %s", sweep->family->name, sweep->family->does);
    hw_svg_begin(out, WIDTH, HEAD + PANEL + FOOT, title, has_estimates ? estimates : "");
    draw_gpus_key(out, sweep);
    for (size_t r = 0; r < sweep->n_rungs; r++) draw_rung_panel(out, sweep, r, &y, &d);
    hw_svg_end(out);
}

int hw_cli_sweep_draw(const hw_sweep *sweep, const char *path) { return hw_cli_picture_write(draw_sweep, sweep, path); }
