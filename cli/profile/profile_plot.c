#include "profile/profile_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli.h"
#include "picture/chart.h"
#include "picture/picture.h"
#include "report/text.h"
#include "report/work.h"

enum {
    WIDTH = 1280, LEFT = 66, RIGHT = 22, ROW = 22, NAMES = 300, HEIGHTS = 220, TITLE = 40, FOOT = 62, LANE = 30,
    SIZE = 12,
    MOST_KINDS = 12,             // of the summary; the others are one bar
    MOST_DRAWN = 2000,           // pieces of work
    NAME = 96
};
static const char other_colour[] = "#8a8a8a";

// A kernel, or a kind of copies and sets.
typedef struct kind {
    char name[NAME];
    double us;
    uint64_t calls;
} kind;

// One piece of work, in the order of begins.
typedef struct piece {
    const hw_report_span *span;
    size_t kind;                 // index
} piece;

typedef struct drawing {
    const hw_report *report;
    piece *pieces;
    kind *kinds;                 // the most time first
    size_t n, n_kinds, n_lanes;
    double all_us, begin_us, end_us;
} drawing;

// ---- What there is --------------------------------------------------------------------------------------------------

static double us_of(const piece *p) { return p->span->span.end_us - p->span->span.begin_us; }

static const char *name_of(const hw_report *report, const hw_report_span *s, char *room, size_t bytes) {
    if (s->span.kind != HW_SPAN_KERNEL)
        snprintf(room, bytes, "%s%s%s", hw_report_work_name(&s->span), *hw_report_work_memory(&s->span) ? ", " : "",
                 hw_report_work_memory(&s->span));
    else if (s->launch == HW_NO_ROW) snprintf(room, bytes, "(launches that were not counted)");
    else hw_report_short_name(report->launches[s->launch].kernel, room, bytes);
    return room;
}

static int by_begin(const void *left, const void *right) {
    const hw_report_span *a = ((const piece *)left)->span, *b = ((const piece *)right)->span;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->span.begin_us != b->span.begin_us) return a->span.begin_us < b->span.begin_us ? -1 : 1;
    return (a > b) - (a < b);
}

static int by_time(const void *left, const void *right) {
    const kind *a = left, *b = right;
    if (a->us != b->us) return a->us < b->us ? 1 : -1;
    return strcmp(a->name, b->name);
}

static size_t find_kind(const drawing *d, const char *name) {
    size_t k = 0;
    while (k < d->n_kinds && strcmp(d->kinds[k].name, name) != 0) k++;
    return k;
}

static void add_piece(drawing *d, const hw_report_span *s) {
    char name[NAME];
    const piece p = {.span = s};
    const size_t k = find_kind(d, name_of(d->report, s, name, sizeof name));
    if (k == d->n_kinds) memcpy(d->kinds[d->n_kinds++].name, name, sizeof name);
    d->kinds[k].us += us_of(&p);
    d->kinds[k].calls++;
    d->all_us += us_of(&p);
    d->begin_us = d->n ? fmin(d->begin_us, s->span.begin_us) : s->span.begin_us;
    d->end_us = fmax(d->end_us, s->span.end_us);
    if (s->span.stream_number + 1 > d->n_lanes) d->n_lanes = s->span.stream_number + 1;
    d->pieces[d->n++] = p;
}

// False: out of memory.
static bool collect(drawing *d) {
    char name[NAME];
    d->pieces = hw_calloc(d->report->n_spans + 1, sizeof *d->pieces);
    d->kinds = hw_calloc(d->report->n_spans + 1, sizeof *d->kinds);
    if (!d->pieces || !d->kinds) return false;
    for (size_t i = 0; i < d->report->n_spans; i++)
        if (d->report->spans[i].span.kind < HW_SPAN_CALL) add_piece(d, &d->report->spans[i]);
    qsort(d->pieces, d->n, sizeof *d->pieces, by_begin);
    qsort(d->kinds, d->n_kinds, sizeof *d->kinds, by_time);
    for (size_t i = 0; i < d->n; i++)
        d->pieces[i].kind = find_kind(d, name_of(d->report, d->pieces[i].span, name, sizeof name));
    return true;
}

// ---- Drawing --------------------------------------------------------------------------------------------------------

static const char *colour_of(size_t k) { return k < HW_CHART_COLOURS ? hw_chart_colours[k] : other_colour; }
static size_t n_drawn(const drawing *d) { return d->n < MOST_DRAWN ? d->n : MOST_DRAWN; }
static size_t n_rows(const drawing *d) { return d->n_kinds < MOST_KINDS ? d->n_kinds : MOST_KINDS; }
static double lane_height(const drawing *d) { return LANE * (double)d->n_lanes; }

static void draw_title(FILE *out, double top, const char *text) {
    hw_svg_text(out, LEFT, top + TITLE - 18, HW_SVG_START, 14, "#222222", text);
}

static void draw_share(FILE *out, const drawing *d, double y, const char *name, double us, uint64_t calls,
                       const char *colour) {
    char number[96], title[256], shown[64];
    const double share = d->all_us > 0 ? us / d->all_us : 0, room = WIDTH - RIGHT - NAMES - 190;
    snprintf(number, sizeof number, "%.1f%% \xc2\xb7 %.1f us, %llu call%s", 100 * share, us, (unsigned long long)calls,
             calls == 1 ? "" : "s");
    snprintf(title, sizeof title, "%s: %s", name, number);
    hw_report_shorten(name, 40, false, shown, sizeof shown);
    hw_svg_text(out, NAMES - 8, y + 15, HW_SVG_END, SIZE, "#222222", shown);
    hw_svg_bar(out, (hw_svg_point){NAMES, y + 3}, fmax(share * room, 1), ROW - 6, colour, title);
    hw_svg_text(out, NAMES + share * room + 6, y + 15, HW_SVG_START, 11, "#333333", number);
}

static double draw_summary(FILE *out, const drawing *d, double top) {
    const size_t rows = n_rows(d);
    double y = top + TITLE, us = 0;
    uint64_t calls = 0;
    hw_svg_group(out, "summary");
    draw_title(out, top, "Summary: share of the GPU's time");
    for (size_t k = 0; k < rows; k++, y += ROW)
        draw_share(out, d, y, d->kinds[k].name, d->kinds[k].us, d->kinds[k].calls, colour_of(k));
    for (size_t k = rows; k < d->n_kinds; k++) us += d->kinds[k].us, calls += d->kinds[k].calls;
    if (calls) draw_share(out, d, y, "all others", us, calls, other_colour), y += ROW;
    hw_svg_group_end(out);
    return y;
}

static void draw_piece(FILE *out, const drawing *d, size_t i, hw_svg_point corner, double width, double height) {
    const piece *p = &d->pieces[i];
    char title[256];
    snprintf(title, sizeof title, "%zu: %s, %.2f us from %.2f on, stream %u", i, d->kinds[p->kind].name, us_of(p),
             p->span->span.begin_us, p->span->span.stream_number);
    hw_svg_bar(out, corner, width, height, colour_of(p->kind), title);
}

static double draw_heights(FILE *out, const drawing *d, double top) {
    const size_t n = n_drawn(d);
    hw_chart_axis x = {.low = 0, .high = (double)n, .from = LEFT, .to = WIDTH - RIGHT,
                       .title = "in the order of begins"};
    hw_chart_axis y = {.low = 0, .from = top + TITLE + 14 + HEIGHTS, .to = top + TITLE + 14, .title = "us"};
    for (size_t i = 0; i < n; i++) y.high = fmax(y.high, us_of(&d->pieces[i]));
    if (!(y.high > 0)) y.high = 1;
    hw_chart_choose_ticks(&x, 10);
    hw_chart_choose_ticks(&y, 5);
    hw_svg_group(out, "heights");
    draw_title(out, top, "Heights: how long each took");
    hw_chart_frame(out, &x, &y, true);
    const double each = (x.to - x.from) / (double)n;
    for (size_t i = 0; i < n; i++) {
        const hw_svg_point corner = {x.from + each * (double)i, hw_chart_at(&y, us_of(&d->pieces[i]))};
        draw_piece(out, d, i, corner, fmax(0.8 * each, 0.5), fmax(y.from - corner.y, 1));
    }
    hw_svg_group_end(out);
    return y.from + FOOT;
}

static void draw_lane_name(FILE *out, double y, size_t lane) {
    char name[32];
    snprintf(name, sizeof name, lane ? "stream %zu" : "default", lane);
    hw_svg_text(out, LEFT - 6, y + LANE / 2.0 + 4, HW_SVG_END, 11, "#444444", name);
}

static void draw_widths(FILE *out, const drawing *d, double top) {
    const double first = top + TITLE, last = first + lane_height(d);
    hw_chart_axis x = {.low = d->begin_us, .high = fmax(d->end_us, d->begin_us + 1e-3), .from = LEFT,
                       .to = WIDTH - RIGHT, .title = "us, by the GPU's clock"};
    const hw_chart_axis y = {.low = 0, .high = 1, .from = last, .to = first};
    hw_chart_choose_ticks(&x, 10);
    hw_svg_group(out, "widths");
    draw_title(out, top, "Widths: when each ran");
    hw_chart_frame(out, &x, &y, false);
    for (size_t lane = 0; lane < d->n_lanes; lane++) draw_lane_name(out, first + LANE * (double)lane, lane);
    for (size_t i = 0; i < n_drawn(d); i++) {
        const hw_span *s = &d->pieces[i].span->span;
        const double at = hw_chart_at(&x, s->begin_us), end = hw_chart_at(&x, s->end_us);
        draw_piece(out, d, i, (hw_svg_point){at, first + LANE * (double)s->stream_number + 5}, fmax(end - at, 0.5),
                   LANE - 10);
    }
    hw_svg_group_end(out);
}

static void draw_all(const void *context, FILE *out) {
    const drawing *d = context;
    const double rows = (double)n_rows(d) + (d->n_kinds > n_rows(d));
    const double summary = TITLE + ROW * rows, heights = TITLE + 14 + HEIGHTS + FOOT, gap = 16;
    char title[256], subtitle[160];
    snprintf(title, sizeof title, "%s: kernels, copies and sets", d->report->gpu->name);
    if (d->n > MOST_DRAWN)
        snprintf(subtitle, sizeof subtitle, "estimates; the lower two show the first %d of %zu", MOST_DRAWN, d->n);
    else snprintf(subtitle, sizeof subtitle, "estimates, %.1f us of work", d->all_us);
    hw_svg_begin(out, WIDTH, HW_SVG_HEAD + summary + gap + heights + TITLE + lane_height(d) + FOOT, title, subtitle);
    const double below = draw_summary(out, d, HW_SVG_HEAD) + gap;
    draw_widths(out, d, draw_heights(out, d, below));
    hw_svg_end(out);
}

int hw_cli_profile_draw(const hw_report *report, const char *path) {
    drawing d = {.report = report};
    int status = HW_EXIT_USAGE;
    if (!collect(&d)) hw_cli_complain("out of memory");
    else if (!d.n) hw_cli_complain("nothing to draw in %s: no kernel, copy or set was timed by the GPU's clock", path);
    else status = hw_cli_picture_write(draw_all, &d, path);
    hw_free(d.pieces);
    hw_free(d.kinds);
    return status;
}
