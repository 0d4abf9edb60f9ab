// The transfers as a picture: GB/s against bytes.
#include "bandwidth/bandwidth.h"
#include "picture/chart.h"
#include "picture/picture.h"

enum { WIDTH = 960, HEIGHT = 540, TOP = 100, LEFT = 66, FOOT = 60, RIGHT = 12, KINDS = 2 * HW_HOST_KINDS };
_Static_assert((int)KINDS <= (int)HW_CHART_CURVES, "each curve has a label");

typedef struct drawn {
    char labels[KINDS][64];
    double x[HW_BANDWIDTH_SIZES], y[KINDS][HW_BANDWIDTH_SIZES];
    hw_chart_curve curves[KINDS];
} drawn;

// The way to the device is a whole line, the way from it a dashed one.
static void take_bandwidth_curves(const hw_bandwidth *b, drawn *d) {
    static const char *const colours[HW_HOST_KINDS] = {"#777777", "#2f6db3", "#2f8a60", "#d9760a"};
    for (int i = 0; i < b->n_sizes; i++) d->x[i] = (double)b->bytes[i];
    for (int c = 0; c < KINDS; c++) {
        const int kind = c / 2, direction = 1 - c % 2;
        for (int i = 0; i < b->n_sizes; i++) d->y[c][i] = hw_bandwidth_gbs(d->x[i], b->us[kind][direction][i]);
        snprintf(d->labels[c], sizeof d->labels[c], "%s, %s", hw_host_kind_name((hw_host_kind)kind),
                 direction ? "to" : "from");
        d->curves[c] = (hw_chart_curve){.label = d->labels[c], .title = d->labels[c], .colour = colours[kind],
                                        .dash = direction ? NULL : "7 5", .mark = kind, .x = d->x, .y = d->y[c],
                                        .n = b->n_sizes};
    }
}

static void choose_axes(const hw_bandwidth *b, const drawn *d, hw_chart_axis *x, hw_chart_axis *y) {
    static const struct {
        double bytes;
        const char *name;
    } sizes[] = {{1 << 12, "4 KiB"}, {1 << 16, "64 KiB"}, {1 << 20, "1 MiB"}, {1 << 24, "16 MiB"},
                 {1 << 28, "256 MiB"}, {1 << 30, "1 GiB"}};
    double most = 0;
    for (int c = 0; c < KINDS; c++)
        for (int i = 0; i < b->n_sizes; i++) most = d->y[c][i] > most ? d->y[c][i] : most;
    *y = (hw_chart_axis){.high = most > 0 ? most * 1.08 : 1, .from = HEIGHT - FOOT, .to = TOP, .title = "GB/s"};
    hw_chart_choose_ticks(y, 7);
    *x = (hw_chart_axis){.low = d->x[0] / 1.1, .high = d->x[b->n_sizes - 1] * 1.1, .is_log = true, .from = LEFT,
                         .to = WIDTH - RIGHT - hw_chart_label_width(d->curves, KINDS), .title = "bytes"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].bytes < x->low || sizes[i].bytes > x->high) continue;
        x->tick_names[x->n_ticks] = sizes[i].name;
        x->ticks[x->n_ticks++] = sizes[i].bytes;
    }
}

static void draw_bandwidth(const void *context, FILE *out) {
    const hw_bandwidth *b = context;
    char title[160];
    drawn d;
    hw_chart_axis x, y;
    take_bandwidth_curves(b, &d);
    choose_axes(b, &d, &x, &y);
    snprintf(title, sizeof title, "Copies between the host and %s", b->name);
    hw_svg_begin(out, WIDTH, HEIGHT, title,
                 b->is_model ? "a model, nothing was measured; dashed: from the device" : "dashed: from the device");
    hw_chart_frame(out, &x, &y, true);
    hw_chart_draw(out, &x, &y, d.curves, KINDS, "GB/s");
    hw_svg_end(out);
}

int hw_bandwidth_draw(const hw_bandwidth *bandwidth, const char *path) {
    return hw_cli_picture_write(draw_bandwidth, bandwidth, path);
}
