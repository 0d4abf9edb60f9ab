// A ladder as a picture: rates where there are times, else estimated times, and beside them what the counters say.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "ladders/ladder_report.h"
#include "picture/plot.h"

enum { TIME, SECTORS, PASSES };          // the panels of a simulated GPU; a measured one's is a rate
enum { LABEL = 64, NOTE = 96 };

typedef struct texts {
    char label[LABEL], note[NOTE];
} texts;

static double ratio_or_none(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : -1; }

// "1.88x on read_rows, latency"
static void write_note(const hw_ladder *ladder, const hw_ladder_row *row, char note[NOTE]) {
    const double step = hw_cli_ladder_is_timed(ladder) ? row->step : row->estimate_step;
    const char *bound = hw_cli_ladder_bound(ladder, row);
    size_t used = 0;
    note[0] = 0;
    if (step > 0) used = (size_t)snprintf(note, NOTE, "%.2fx on %s", step, row->base->name);
    if (bound[0] && used < NOTE) snprintf(note + used, NOTE - used, "%s%s", used ? ", " : "", bound);
}

static void fill_bar(const hw_ladder *ladder, const hw_ladder_row *row, double divisor, bool with_block,
                     hw_plot_bar *bar, texts *text) {
    const uint64_t *n = row->counts;
    if (with_block) snprintf(text->label, LABEL, "%s %ux%u", row->rung->name, row->block[0], row->block[1]);
    else snprintf(text->label, LABEL, "%s", row->rung->name);
    write_note(ladder, row, text->note);
    for (char *at = text->label; *at; at++) *at = *at == '_' ? ' ' : *at;
    for (char *at = text->note; *at; at++) *at = *at == '_' ? ' ' : *at;
    *bar = (hw_plot_bar){.label = text->label, .is_faint = row->rung->is_copy,
                         .value = {{-1, -1}, {-1, -1}, {-1, -1}}, .note = {[TIME] = text->note}};
    if (!hw_cli_ladder_is_right(row)) {
        bar->note[TIME] = hw_cli_ladder_result(row);
        return;
    }
    if (hw_cli_ladder_is_timed(ladder)) {
        double rate = hw_cli_ladder_rate(ladder, row) / divisor;
        bar->value[TIME][0] = rate > 0 ? rate : -1;
        return;
    }
    bar->value[TIME][0] = row->estimate_us > 0 ? row->estimate_us : -1;
    bar->value[SECTORS][0] = ratio_or_none(n[HW_COUNT_GLD_SECTORS], n[HW_COUNT_GLD_SECTORS_IDEAL]);
    bar->value[SECTORS][1] = ratio_or_none(n[HW_COUNT_GST_SECTORS], n[HW_COUNT_GST_SECTORS_IDEAL]);
    bar->value[PASSES][0] = ratio_or_none(n[HW_COUNT_SMEM_WAVEFRONTS], n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
}

static bool has_panel(const hw_plot_bar *bars, size_t n_bars, int panel) {
    for (size_t i = 0; i < n_bars; i++)
        if (bars[i].value[panel][0] >= 0) return true;
    return false;
}

// The lowest number decides how many digits the panel of times or rates shows.
static int decimals_of(const hw_plot_bar *bars, size_t n_bars) {
    double most = 0;
    for (size_t i = 0; i < n_bars; i++)
        if (bars[i].value[TIME][0] > most) most = bars[i].value[TIME][0];
    return most < 10 ? 2 : most < 1000 ? 1 : 0;
}

static bool is_one_of_several(const hw_ladder *ladder, size_t row) {
    const hw_rung *rung = ladder->rows[row].rung;
    return (row && ladder->rows[row - 1].rung == rung) ||
           (row + 1 < ladder->n_rows && ladder->rows[row + 1].rung == rung);
}

// What no rung can be faster than: of a measured one the fastest copy's rate, of a simulated GPU one launch.
static void set_limit(const hw_ladder *ladder, const hw_plot_bar *bars, hw_plot_panel *panel) {
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        if (!hw_cli_ladder_is_timed(ladder)) {
            const double launch = row->n_launches ? row->bound_us[HW_BOUND_LAUNCH] / row->n_launches : 0;
            if (launch > panel->limit) panel->limit = launch;
        } else if (row->rung->is_copy && bars[i].value[TIME][0] > panel->limit) panel->limit = bars[i].value[TIME][0];
    }
    panel->limit_name = hw_cli_ladder_is_timed(ladder) ? "the copy" : "a launch";
}

int hw_cli_ladder_draw(const hw_ladder *ladder, const hw_family *family, const char *path) {
    const bool is_timed = hw_cli_ladder_is_timed(ladder), counts_bytes = ladder->work.operations <= 0;
    const hw_cli_ladder_unit unit = hw_cli_ladder_unit_of(ladder);
    char axis[96], title[256], subtitle[256], size[96], type[32];
    texts *text = calloc(ladder->n_rows + 1, sizeof *text);
    hw_plot_bar *bars = calloc(ladder->n_rows + 1, sizeof *bars);
    hw_plot_panel panels[HW_PLOT_PANELS] = {
        [TIME] = {.title = is_timed ? axis : "estimated time, us", .weight = 1.7},
        [SECTORS] = {.title = "32-byte sectors for each one needed", .decimals = 1, .series = {"loads", "stores"},
                     .least = 2, .weight = 1},
        [PASSES] = {.title = "bank passes for each one needed", .decimals = 1, .least = 2, .weight = 1}};
    int status = HW_EXIT_USAGE;
    snprintf(axis, sizeof axis, "%s%s", unit.name, counts_bytes ? ", read and written" : "");
    if (!text || !bars) {
        hw_cli_complain("out of memory");
        goto done;
    }
    for (size_t i = 0; i < ladder->n_rows; i++)
        fill_bar(ladder, &ladder->rows[i], unit.divisor, is_one_of_several(ladder, i), &bars[i], &text[i]);
    set_limit(ladder, bars, &panels[TIME]);
    panels[TIME].decimals = decimals_of(bars, ladder->n_rows);
    snprintf(title, sizeof title, "%s, %s %s: %s", family->name,
             hw_dtype_name(ladder->problem.dtype, type, sizeof type),
             hw_cli_ladder_size(family, &ladder->problem, size, sizeof size), family->does);
    snprintf(subtitle, sizeof subtitle, "%s%s", ladder->device->name,
             is_timed ? "" : "; at the bars: times as fast as what a rung builds on, and what holds it up");
    const hw_plot plot = {.title = title, .subtitle = subtitle, .panels = panels, .bars = bars,
                          .n_bars = ladder->n_rows,
                          .n_panels = is_timed ? 1 : has_panel(bars, ladder->n_rows, PASSES) ? 3 : 2};
    status = hw_cli_plot_write(&plot, path);
done:
    free(text);
    free(bars);
    return status;
}
