// A ladder as a picture: rates where there are times, else what the counters say.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "ladder_report.h"
#include "plot.h"

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : -1; }

static void fill_bar(const hw_ladder *ladder, const hw_ladder_row *row, double divisor, bool with_block,
                     hw_plot_bar *bar, char *label, size_t label_bytes) {
    const uint64_t *n = row->counts;
    if (with_block) snprintf(label, label_bytes, "%s %ux%u", row->rung->name, row->block[0], row->block[1]);
    else snprintf(label, label_bytes, "%s", row->rung->name);
    for (char *at = label; *at; at++) *at = *at == '_' ? ' ' : *at;
    *bar = (hw_plot_bar){.label = label, .is_faint = row->rung->is_copy, .value = {{-1, -1}, {-1, -1}}};
    if (!hw_cli_ladder_is_right(row)) return;
    if (hw_cli_ladder_is_timed(ladder)) {
        double rate = hw_cli_ladder_rate(ladder, row) / divisor;
        bar->value[0][0] = rate > 0 ? rate : -1;
        return;
    }
    bar->value[0][0] = ratio(n[HW_COUNT_GLD_SECTORS], n[HW_COUNT_GLD_SECTORS_IDEAL]);
    bar->value[0][1] = ratio(n[HW_COUNT_GST_SECTORS], n[HW_COUNT_GST_SECTORS_IDEAL]);
    bar->value[1][0] = ratio(n[HW_COUNT_SMEM_WAVEFRONTS], n[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
}

int hw_cli_ladder_draw(const hw_ladder *ladder, const hw_family *family, const char *path) {
    enum { LABEL = 64 };
    bool is_timed = hw_cli_ladder_is_timed(ladder), counts_bytes = ladder->work.operations <= 0;
    hw_cli_ladder_unit unit = hw_cli_ladder_unit_of(ladder);
    char axis[64], title[128], size[96], type[32], (*labels)[LABEL] = calloc(ladder->n_rows + 1, sizeof *labels);
    hw_plot_bar *bars = calloc(ladder->n_rows + 1, sizeof *bars);
    hw_plot_panel panels[HW_PLOT_PANELS] = {
        {.title = is_timed ? axis : "32-byte sectors touched for each one needed",
         .decimals = 1, .series = {is_timed ? NULL : "loads", is_timed ? NULL : "stores"}},
        {.title = "passes through shared memory's banks for each one needed", .decimals = 1},
    };
    double fastest = 0;
    snprintf(axis, sizeof axis, "%s%s", unit.name, counts_bytes ? ", read and written" : "");
    int status = HW_EXIT_USAGE;
    if (!labels || !bars) {
        hw_cli_complain("out of memory");
        goto done;
    }
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        bool with_block = (i && ladder->rows[i - 1].rung == row->rung) ||
                          (i + 1 < ladder->n_rows && ladder->rows[i + 1].rung == row->rung);
        fill_bar(ladder, row, unit.divisor, with_block, &bars[i], labels[i], LABEL);
        double rate = bars[i].value[0][0];
        if (is_timed && row->rung->is_copy && rate > panels[0].limit) panels[0].limit = rate;
        if (rate > fastest) fastest = rate;
    }
    if (is_timed) panels[0].decimals = fastest < 10 ? 2 : fastest < 100 ? 1 : 0;
    snprintf(title, sizeof title, "%s, %s %s", family->name, hw_dtype_name(ladder->problem.dtype, type, sizeof type),
             hw_cli_ladder_size(family, &ladder->problem, size, sizeof size));
    hw_plot plot = {.title = title, .subtitle = ladder->device->name, .panels = panels, .n_panels = is_timed ? 1 : 2,
                    .bars = bars, .n_bars = ladder->n_rows};
    status = hw_cli_plot_write(&plot, path);
done:
    free(labels);
    free(bars);
    return status;
}
