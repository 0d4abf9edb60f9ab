// The pictures of NVIDIA's occupancy calculator.
#include <string.h>

#include "picture/chart.h"
#include "cli.h"
#include "occupancy/occupancy.h"
#include "occupancy/occupancy_curves.h"
#include "picture/picture.h"

enum { WIDTH = 1260, HEAD = 92, NAME = 30, CURVE = 240, FOOT = 66, LEFT = 60, RIGHT = 62, GAP = 46,
       MOST_STEPS = 512 };

static const char mark_colour[] = "#d9760a", mark_text[] = "#9a4f00";

// A stair: from each value to the next one the warps of the next, as what is handed out is rounded up. Two points for
// each step; returns how many.
static size_t take_stair(const hw_occupancy_list *list, const hw_occupancy_row *row, int index,
                         const hw_occupancy_curve *c, const hw_chart_axis *x, const hw_chart_axis *y,
                         hw_svg_point *points) {
    uint32_t before = UINT32_MAX;
    size_t n = 0;
    for (uint64_t at = 0; at < c->last; at += c->step) {
        const uint64_t next = at + c->step < c->last ? at + c->step : c->last;
        const uint32_t warps = hw_occupancy_warps_at(list, row, index, (uint32_t)next);
        const double height = hw_chart_at(y, warps);
        if (warps != before && n + 3 < 2 * MOST_STEPS) {
            const double left = hw_chart_at(x, (double)at / c->unit);
            if (n) points[n] = (hw_svg_point){left, points[n - 1].y};
            n += n > 0;
            points[n++] = (hw_svg_point){left, height};
        }
        before = warps;
    }
    if (n) points[n] = (hw_svg_point){x->to, points[n - 1].y};
    return n ? n + 1 : 0;
}

static void draw_stair(FILE *out, const hw_occupancy_list *list, const hw_occupancy_row *row, int index,
                       const hw_occupancy_curve *c, const hw_chart_axis *x, const hw_chart_axis *y) {
    hw_svg_point points[2 * MOST_STEPS + 2];
    size_t n = take_stair(list, row, index, c, x, y, points);
    hw_svg_group(out, c->axis);
    points[n] = (hw_svg_point){x->to, y->from};
    points[n + 1] = (hw_svg_point){x->from, y->from};
    hw_svg_area(out, points, n + 2, "#dbe6f3");
    hw_svg_curve(out, points, n, hw_chart_colours[0], 2, NULL);
    hw_svg_group_end(out);
}

// A line down from the headroom, where no curve is in the way of the number.
static void draw_mark(FILE *out, const hw_occupancy_row *row, const hw_occupancy_curve *c, const hw_chart_axis *x,
                      const hw_chart_axis *y) {
    const double at = hw_chart_at(x, c->here / c->unit);
    const bool on_left = c->here / c->unit > 0.62 * x->high;
    char text[64];
    snprintf(text, sizeof text, c->unit > 1 ? "%u bytes: %u warps" : "%u: %u warps", c->here, row->held.warps);
    hw_svg_line(out, (hw_svg_point){at, y->from}, (hw_svg_point){at, y->to}, mark_colour, 1.2, "2 3");
    hw_svg_text(out, at + (on_left ? -6 : 6), y->to + 13, on_left ? HW_SVG_END : HW_SVG_START, 11, mark_text, text);
    hw_svg_mark(out, 0, (hw_svg_point){at, hw_chart_at(y, row->held.warps)}, 5, mark_colour, text);
}

// The least power of two that makes at most nine marks.
static void choose_ticks(const hw_occupancy_curve *c, hw_chart_axis *x) {
    double tic = 1;
    while (c->last / c->unit / tic > 8.5) tic *= 2;
    for (double at = 0; at <= x->high; at += tic) x->ticks[x->n_ticks++] = at;
}

static void draw_stair_chart(FILE *out, const hw_occupancy_list *list, const hw_occupancy_row *row, int index,
                             const hw_occupancy_curve *c, double top) {
    static const char *const shares[] = {"0%", "25%", "50%", "75%", "100%"};
    const uint32_t most = list->gpu->arch->warps_per_sm;
    const double room = WIDTH - LEFT - RIGHT - GAP * (HW_OCCUPANCY_CURVES - 1), each = room / HW_OCCUPANCY_CURVES;
    hw_chart_axis x = {.high = c->last / c->unit, .from = LEFT + index * (each + GAP), .title = c->axis};
    hw_chart_axis y = {.high = most * 1.14, .from = top + CURVE, .to = top, .title = "warps per multiprocessor"};
    x.to = x.from + each;
    choose_ticks(c, &x);
    for (y.n_ticks = 0; y.n_ticks <= 4; y.n_ticks++) y.ticks[y.n_ticks] = most * y.n_ticks / 4.0;
    hw_chart_frame(out, &x, &y, index == 0);
    for (int i = 0; i <= 4 && index == HW_OCCUPANCY_CURVES - 1; i++)
        hw_svg_text(out, x.to + 7, hw_chart_at(&y, y.ticks[i]) + 4, HW_SVG_START, 11, "#444444", shares[i]);
    draw_stair(out, list, row, index, c, &x, &y);
    if (c->here <= c->last && (index != 1 || row->regs)) draw_mark(out, row, c, &x, &y);
}

// "256 threads, 40 registers, 20000 bytes: 48 of 64 warps (75%), limited by regs"
static void describe_row(const hw_occupancy_list *list, const hw_occupancy_row *row, char *text, size_t text_bytes) {
    char why[160], name[HW_OCCUPANCY_NAME];
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
                  row->held.occupancy_pct, row->limiter);
}

static void draw_occupancy(const void *context, FILE *out) {
    const hw_occupancy_list *list = context;
    char title[192], text[512] = "";
    const int name = list->program ? NAME : 0, row_height = name + CURVE + FOOT;
    if (!list->program) describe_row(list, &list->rows[0], text, sizeof text);
    snprintf(title, sizeof title, "Occupancy of %s (%s)", list->gpu->name, list->gpu->id);
    hw_svg_begin(out, WIDTH, HEAD + (double)list->n_rows * row_height, title, list->program ? list->program : text);
    for (size_t i = 0; i < list->n_rows; i++) {
        const double top = HEAD + (double)i * row_height + name;
        hw_occupancy_curve curves[HW_OCCUPANCY_CURVES];
        hw_occupancy_describe_curves(list, &list->rows[i], curves);
        describe_row(list, &list->rows[i], text, sizeof text);
        hw_svg_group(out, text);
        if (list->program) hw_svg_text(out, LEFT - 40, top - 32, HW_SVG_START, 12, "#222222", text);
        for (int c = 0; c < HW_OCCUPANCY_CURVES; c++) draw_stair_chart(out, list, &list->rows[i], c, &curves[c], top);
        hw_svg_group_end(out);
    }
    hw_svg_end(out);
}

int hw_occupancy_draw(const hw_occupancy_list *list, const char *path) {
    if (list->n_rows <= HW_OCCUPANCY_MOST_PLOTTED) return hw_cli_picture_write(draw_occupancy, list, path);
    hw_cli_complain("--plot draws up to %d kernels, and %s has %zu", HW_OCCUPANCY_MOST_PLOTTED, list->program,
                    list->n_rows);
    return HW_EXIT_USAGE;
}
