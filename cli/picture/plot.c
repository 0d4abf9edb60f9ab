// Bar charts: a scale for each panel, a bar and its number for each value.
#include "picture/plot.h"

#include <math.h>
#include <string.h>

#include "picture/chart.h"
#include "picture/picture.h"

enum { ROW = 28, HEAD = 100, FOOT = 60, LEFT = 24, RIGHT = 20, GAP = 34, NUMBER_SIZE = 11, NAME_SIZE = 12 };

// Of the two series of a panel, and of a panel's only one; faint ones behind.
static const char *const series_colours[HW_PLOT_SERIES + 1][2] = {
    {"#2f6db3", "#b4c7df"}, {"#d9760a", "#f2d2a6"}, {"#2f8a60", "#b5d6c6"}};

static int n_series(const hw_plot_panel *panel) { return panel->series[1] ? 2 : 1; }

static double largest_value(const hw_plot *plot, int panel) {
    double most = fmax(plot->panels[panel].limit, plot->panels[panel].least);
    for (size_t i = 0; i < plot->n_bars; i++)
        for (int s = 0; s < n_series(&plot->panels[panel]); s++) most = fmax(most, plot->bars[i].value[panel][s]);
    return most > 0 ? most : 1;
}

// The number at a bar, and the row's note behind the last one.
static const char *number_of(const hw_plot *plot, size_t bar, int panel, int series, char *text, size_t text_bytes) {
    const hw_plot_panel *p = &plot->panels[panel];
    const char *note = series == n_series(p) - 1 ? plot->bars[bar].note[panel] : NULL;
    snprintf(text, text_bytes, "%.*f%s%s", p->decimals, plot->bars[bar].value[panel][series],
             note && *note ? " \xc2\xb7 " : "", note ? note : "");
    return text;
}

// Room for the numbers: so much that each, where its bar ends, still is within the panel.
static hw_chart_axis axis_of(const hw_plot *plot, int panel, double left, double right) {
    hw_chart_axis axis = {.high = largest_value(plot, panel), .from = left, .to = right};
    char text[128];
    for (size_t i = 0; i < plot->n_bars; i++)
        for (int s = 0; s < n_series(&plot->panels[panel]); s++) {
            const double share = plot->bars[i].value[panel][s] / axis.high;
            if (!(share > 0)) continue;
            const double width = hw_svg_text_width(number_of(plot, i, panel, s, text, sizeof text), NUMBER_SIZE) + 6;
            axis.to = fmin(axis.to, left + (right - left - width) / share);
        }
    axis.to = fmax(axis.to, left + (right - left) / 4);
    hw_chart_choose_ticks(&axis, axis.to - left > 300 ? 6 : 4);
    return axis;
}

static void draw_bar(FILE *out, const hw_plot *plot, size_t bar, int panel, int series, const hw_chart_axis *axis) {
    const hw_plot_panel *p = &plot->panels[panel];
    const hw_plot_bar *b = &plot->bars[bar];
    const double value = b->value[panel][series], height = n_series(p) == 1 ? 18 : 10;
    const double top = HEAD + ROW * (double)bar + (ROW - n_series(p) * height) / 2 + series * height;
    char number[128], title[320];
    if (!(value >= 0)) {
        if (series == 0 && b->note[panel] && b->value[panel][1] < 0)
            hw_svg_text(out, axis->from + 5, HEAD + ROW * ((double)bar + 0.5) + 4, HW_SVG_START, NUMBER_SIZE, "#777777",
                        b->note[panel]);
        return;
    }
    number_of(plot, bar, panel, series, number, sizeof number);
    snprintf(title, sizeof title, "%s: %s%s%s (%s)", b->label, p->series[series] ? p->series[series] : "",
             p->series[series] ? " " : "", number, p->title);
    const double end = hw_chart_at(axis, value);
    hw_svg_bar(out, (hw_svg_point){axis->from, top}, fmax(end - axis->from, 1), height - 1,
               series_colours[n_series(p) == 1 ? HW_PLOT_SERIES : series][b->is_faint], title);
    hw_svg_text(out, end + 5, top + height / 2 + 3.5, HW_SVG_START, n_series(p) == 1 ? NUMBER_SIZE : NUMBER_SIZE - 1,
                "#333333", number);
}

static void draw_key(FILE *out, const hw_plot_panel *panel, double x) {
    for (int s = 0; s < n_series(panel) && panel->series[s]; s++) {
        hw_svg_bar(out, (hw_svg_point){x, HEAD - 34}, 10, 10, series_colours[s][0], NULL);
        hw_svg_text(out, x + 15, HEAD - 25, HW_SVG_START, 11, "#333333", panel->series[s]);
        x += 30 + hw_svg_text_width(panel->series[s], 11);
    }
}

static void draw_limit(FILE *out, const hw_plot_panel *panel, const hw_chart_axis *axis, double bottom) {
    const double at = hw_chart_at(axis, panel->limit);
    if (!(panel->limit > 0)) return;
    hw_svg_line(out, (hw_svg_point){at, HEAD - 6}, (hw_svg_point){at, bottom}, "#666666", 1, "4 3");
    if (panel->limit_name) hw_svg_text(out, at, HEAD - 10, HW_SVG_MIDDLE, 10, "#555555", panel->limit_name);
}

static void draw_panel(FILE *out, const hw_plot *plot, int panel, double left, double right) {
    const double bottom = HEAD + ROW * (double)plot->n_bars;
    const hw_plot_panel *p = &plot->panels[panel];
    const hw_chart_axis axis = axis_of(plot, panel, left, right);
    hw_svg_group(out, p->title);
    for (int i = 0; i < axis.n_ticks; i++) {
        const double at = hw_chart_at(&axis, axis.ticks[i]);
        char number[32];
        snprintf(number, sizeof number, "%.10g", axis.ticks[i]);
        hw_svg_line(out, (hw_svg_point){at, HEAD}, (hw_svg_point){at, bottom}, "#e4e4e4", 1, NULL);
        hw_svg_text(out, at, bottom + 16, HW_SVG_MIDDLE, NUMBER_SIZE, "#444444", number);
    }
    hw_svg_line(out, (hw_svg_point){left, HEAD}, (hw_svg_point){left, bottom}, "#888888", 1, NULL);
    draw_limit(out, p, &axis, bottom);
    for (size_t i = 0; i < plot->n_bars; i++)
        for (int s = 0; s < n_series(p); s++) draw_bar(out, plot, i, panel, s, &axis);
    draw_key(out, p, left);
    hw_svg_text(out, left, bottom + 38, HW_SVG_START, NAME_SIZE, "#222222", p->title);
    hw_svg_group_end(out);
}

static void draw_plot(const void *context, FILE *out) {
    const hw_plot *plot = context;
    const double width = plot->n_panels == 1 ? 920 : 1280;
    double names = 0, weights = 0;
    for (size_t i = 0; i < plot->n_bars; i++) names = fmax(names, hw_svg_text_width(plot->bars[i].label, NAME_SIZE));
    for (int i = 0; i < plot->n_panels; i++) weights += plot->panels[i].weight;
    double left = LEFT + names;
    const double room = width - left - RIGHT - GAP * (plot->n_panels - 1);
    hw_svg_begin(out, width, HEAD + FOOT + ROW * (double)plot->n_bars, plot->title, plot->subtitle);
    for (size_t i = 0; i < plot->n_bars; i++)
        hw_svg_text(out, left - 8, HEAD + ROW * ((double)i + 0.5) + 4, HW_SVG_END, NAME_SIZE,
                    plot->bars[i].is_faint ? "#777777" : "#222222", plot->bars[i].label);
    for (int i = 0; i < plot->n_panels; i++) {
        const double each = room * plot->panels[i].weight / weights;
        draw_panel(out, plot, i, left, left + each);
        left += each + GAP;
    }
    hw_svg_end(out);
}

int hw_cli_plot_write(const hw_plot *plot, const char *path) { return hw_cli_picture_write(draw_plot, plot, path); }
