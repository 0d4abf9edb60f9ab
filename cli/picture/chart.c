// Scales, grids and curves.
#include "picture/chart.h"

#include <math.h>
#include <stdlib.h>

enum { LABEL_SIZE = 11, LABEL_HEIGHT = 14, LEADER = 16, LABEL_GAP = 4 };

const char *const hw_chart_colours[HW_CHART_COLOURS] = {"#2f6db3", "#d9760a", "#2f8a60", "#b3412f",
                                                        "#7a5aa6", "#1f8fa3", "#85742f"};
static const char grid_colour[] = "#e4e4e4", axis_colour[] = "#888888", number_colour[] = "#444444";

double hw_chart_at(const hw_chart_axis *axis, double value) {
    double low = axis->low, high = axis->high;
    if (axis->is_log) {
        low = log(low);
        high = log(high);
        value = log(value);
    }
    return axis->from + (value - low) / (high - low) * (axis->to - axis->from);
}

// ---- Marks along an axis --------------------------------------------------------------------------------------------

// 1, 2 or 5 times a power of ten, or 1 alone; the next one above `above`.
static double next_round(double above, bool by_tens) {
    static const double steps[] = {1, 2, 5, 10};
    const double power = pow(10, floor(log10(above) + 1e-9));
    for (int i = 0; i < 4; i++)
        if ((!by_tens || i == 0 || i == 3) && steps[i] * power > above * (1 + 1e-9)) return steps[i] * power;
    return 10 * power;
}

static void add_tick(hw_chart_axis *axis, double value) {
    if (axis->n_ticks == HW_CHART_TICKS) return;
    axis->tick_names[axis->n_ticks] = NULL;
    axis->ticks[axis->n_ticks++] = value;
}

void hw_chart_choose_ticks(hw_chart_axis *axis, int wanted) {
    axis->n_ticks = 0;
    if (wanted > HW_CHART_TICKS) wanted = HW_CHART_TICKS;
    if (axis->is_log) {
        const bool by_tens = 3 * log10(axis->high / axis->low) > wanted + 1;
        for (double at = next_round(axis->low / (1 + 1e-6), by_tens); at <= axis->high; at = next_round(at, by_tens))
            add_tick(axis, at);
        return;
    }
    const double step = next_round((axis->high - axis->low) / wanted / (1 + 1e-6), false);
    for (double at = ceil(axis->low / step - 1e-9); at * step <= axis->high * (1 + 1e-9); at++)
        add_tick(axis, at * step + 0.0);   // no -0
}

static void write_tick(FILE *out, const hw_chart_axis *axis, int tick, double x, double y, hw_svg_anchor anchor) {
    char number[32];
    snprintf(number, sizeof number, "%.10g", axis->ticks[tick]);
    hw_svg_text(out, x, y, anchor, 11, number_colour, axis->tick_names[tick] ? axis->tick_names[tick] : number);
}

void hw_chart_frame(FILE *out, const hw_chart_axis *x, const hw_chart_axis *y, bool names_y) {
    for (int i = 0; i < y->n_ticks; i++) {
        const double at = hw_chart_at(y, y->ticks[i]);
        hw_svg_line(out, (hw_svg_point){x->from, at}, (hw_svg_point){x->to, at}, grid_colour, 1, NULL);
        if (names_y) write_tick(out, y, i, x->from - 7, at + 4, HW_SVG_END);
    }
    for (int i = 0; i < x->n_ticks; i++) {
        const double at = hw_chart_at(x, x->ticks[i]);
        hw_svg_line(out, (hw_svg_point){at, y->from}, (hw_svg_point){at, y->to}, grid_colour, 1, NULL);
        write_tick(out, x, i, at, y->from + 17, HW_SVG_MIDDLE);
    }
    const hw_svg_point corner[] = {{x->from, y->to}, {x->from, y->from}, {x->to, y->from}};
    hw_svg_curve(out, corner, 3, axis_colour, 1, NULL);
    if (x->title) hw_svg_text(out, (x->from + x->to) / 2, y->from + 38, HW_SVG_MIDDLE, 12, "#222222", x->title);
    if (y->title && names_y) hw_svg_text(out, x->from - 40, y->to - 12, HW_SVG_START, 12, "#222222", y->title);
}

// ---- Curves ---------------------------------------------------------------------------------------------------------

static bool is_drawn(const hw_chart_axis *y, const hw_chart_curve *curve, int i) { return curve->y[i] >= y->low; }

static hw_svg_point point_of(const hw_chart_axis *x, const hw_chart_axis *y, const hw_chart_curve *curve, int i) {
    return (hw_svg_point){hw_chart_at(x, curve->x[i]), hw_chart_at(y, curve->y[i])};
}

// Do two curves lie on each other for more than half of the way? Their points stand at the same places.
static bool hides_label(const hw_chart_axis *y, const hw_chart_curve *a, const hw_chart_curve *b) {
    const int n = a->n < b->n ? a->n : b->n;
    int same = 0;
    for (int i = 0; i < n; i++)
        same += is_drawn(y, a, i) && is_drawn(y, b, i) && a->x[i] == b->x[i] &&
                fabs(hw_chart_at(y, a->y[i]) - hw_chart_at(y, b->y[i])) < 2;
    return 2 * same > n;
}

static void draw_curve(FILE *out, const hw_chart_axis *x, const hw_chart_axis *y, const hw_chart_curve *curves,
                       int index, const char *unit) {
    const hw_chart_curve *curve = &curves[index];
    hw_svg_point *points = malloc((size_t)(curve->n ? curve->n : 1) * sizeof *points);
    const char *dash = curve->dash;
    char title[256];
    size_t count = 0;
    for (int i = 0; i < index && !dash; i++) dash = hides_label(y, &curves[i], curve) ? "9 7" : NULL;
    for (int i = 0; points && i < curve->n; i++)
        if (is_drawn(y, curve, i)) points[count++] = point_of(x, y, curve, i);
    hw_svg_group(out, curve->title);
    if (count > 1) hw_svg_curve(out, points, count, curve->colour, 2, dash);
    for (int i = 0; curve->mark >= 0 && i < curve->n; i++) {
        if (!is_drawn(y, curve, i)) continue;
        snprintf(title, sizeof title, "%s, %s %g: %.4g %s", curve->title, x->title ? x->title : "at", curve->x[i],
                 curve->y[i], unit);
        hw_svg_mark(out, curve->mark, point_of(x, y, curve, i), 3.6, curve->colour, title);
    }
    hw_svg_group_end(out);
    free(points);
}

// ---- Labels ---------------------------------------------------------------------------------------------------------

typedef struct label {
    const hw_chart_curve *curve;
    double end, at;            // pixels: of the curve's end, and of the label
} label;

static int by_end(const void *a, const void *b) {
    const double x = ((const label *)a)->end, y = ((const label *)b)->end;
    return (x > y) - (x < y);
}

// Moves what is too near apart, as little as it takes: runs of labels that touch lie around the middle of their ends.
static void spread_labels(label *labels, int count, double top, double bottom) {
    int first[HW_CHART_CURVES], n_runs = 0;
    double start[HW_CHART_CURVES];
    for (int i = 0; i < count; i++) {
        first[n_runs] = i;
        start[n_runs++] = labels[i].end;
        for (;;) {
            const int r = n_runs - 1, end = i + 1;
            if (r == 0 || start[r] >= start[r - 1] + LABEL_HEIGHT * (first[r] - first[r - 1])) break;
            double middle = 0;
            for (int k = first[r - 1]; k < end; k++) middle += labels[k].end - LABEL_HEIGHT * (k - first[r - 1]);
            start[r - 1] = middle / (end - first[r - 1]);
            n_runs--;
        }
    }
    for (int r = 0; r < n_runs; r++)
        for (int k = first[r]; k < (r + 1 < n_runs ? first[r + 1] : count); k++)
            labels[k].at = start[r] + LABEL_HEIGHT * (k - first[r]);
    // All of them within the panel.
    for (int k = count - 1; k >= 0; k--) {
        const double most = k == count - 1 ? bottom : labels[k + 1].at - LABEL_HEIGHT;
        if (labels[k].at > most) labels[k].at = most;
    }
    for (int k = 0; k < count; k++) {
        const double least = k ? labels[k - 1].at + LABEL_HEIGHT : top;
        if (labels[k].at < least) labels[k].at = least;
    }
}

double hw_chart_label_width(const hw_chart_curve *curves, int count) {
    double widest = 0;
    for (int i = 0; i < count; i++) widest = fmax(widest, hw_svg_text_width(curves[i].label, LABEL_SIZE));
    return widest + LEADER + 2 * LABEL_GAP;
}

static void draw_labels(FILE *out, const hw_chart_axis *x, const hw_chart_axis *y, const hw_chart_curve *curves,
                        int count) {
    label labels[HW_CHART_CURVES];
    int n = 0;
    for (int c = 0; c < count && n < HW_CHART_CURVES; c++) {
        int last = curves[c].n - 1;
        while (last >= 0 && !is_drawn(y, &curves[c], last)) last--;
        if (last >= 0) labels[n++] = (label){.curve = &curves[c], .end = point_of(x, y, &curves[c], last).y};
    }
    qsort(labels, (size_t)n, sizeof *labels, by_end);
    spread_labels(labels, n, y->to, y->from);
    for (int i = 0; i < n; i++) {
        const char *colour = labels[i].curve->colour;
        hw_svg_line(out, (hw_svg_point){x->to, labels[i].end}, (hw_svg_point){x->to + LEADER, labels[i].at}, colour,
                    0.8, NULL);
        hw_svg_text(out, x->to + LEADER + LABEL_GAP, labels[i].at + 4, HW_SVG_START, LABEL_SIZE, colour,
                    labels[i].curve->label);
    }
}

void hw_chart_draw(FILE *out, const hw_chart_axis *x, const hw_chart_axis *y, const hw_chart_curve *curves, int count,
                   const char *unit) {
    for (int i = 0; i < count; i++) draw_curve(out, x, y, curves, i, unit);
    draw_labels(out, x, y, curves, count);
}
