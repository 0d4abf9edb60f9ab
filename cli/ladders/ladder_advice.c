#include "ladders/ladder_advice.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/sheet.h"

void hw_cli_ladder_advise(void *context, const hw_ladder_row *row, const hw_report *report) {
    hw_ladder_advice *advice = context;
    hw_advice *list = NULL;
    size_t n = 0;
    double us = 0;
    if (hw_advise(report, &list, &n, NULL)) return;
    for (size_t i = 0; i < report->n_launches; i++) us += report->launches[i].estimate.us;
    for (size_t i = 0; i < n && advice->n < HW_LADDER_MOST_ADVICE; i++) {
        hw_ladder_advice_row *to = &advice->rows[advice->n++];
        *to = (hw_ladder_advice_row){.rung = row->rung, .block = {row->block[0], row->block[1]}, .id = list[i].id,
                                     .before_us = us, .after_us = us - (list[i].before_us - list[i].after_us)};
        memcpy(to->finding, list[i].finding, sizeof to->finding);
    }
    hw_free(list);
}

json_t *hw_cli_ladder_advice_json(const hw_ladder_advice *advice) {
    json_t *all = json_array();
    for (size_t i = 0; i < advice->n; i++) {
        const hw_ladder_advice_row *row = &advice->rows[i];
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f}", "rung", row->rung->name, "rule",
                                             hw_advice_name(row->id), "finding", row->finding, "remedy",
                                             hw_advice_remedy(row->id), "est_us_before", row->before_us,
                                             "est_us_after", row->after_us));
    }
    return all;
}

// ---- The table ------------------------------------------------------------------------------------------------------

typedef struct view {
    const hw_ladder_advice *advice;
    const hw_ladder *ladder;
} view;

// "tile 121.1, swizzle 76.0": the rungs that build on this one, with their estimates.
static const char *next_rungs(const view *v, const hw_rung *rung, char *out, size_t bytes) {
    const hw_rung *last = NULL;
    out[0] = '\0';
    for (size_t i = 0; i < v->ladder->n_rows; i++) {
        const hw_ladder_row *row = &v->ladder->rows[i];
        if (row->status || row->base != rung || row->rung == last) continue;
        hw_text_append(out, bytes, "%s%s %.1f", *out ? ", " : "", row->rung->name, row->estimate_us);
        last = row->rung;
    }
    return out;
}

#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const view *v = ((const hw_row *)subject)->of;                                                                \
        const hw_ladder_advice_row *row = &v->advice->rows[((const hw_row *)subject)->index];                         \
        char *room = ((const hw_row *)subject)->room;                                                                 \
        (void)column, (void)room;                                                                                     \
        return value;                                                                                                 \
    }
READER(read_rung, hw_value_text(row->rung->name))
READER(read_before, hw_value_real(row->before_us))
READER(read_advice, hw_value_text(hw_advice_name(row->id)))
READER(read_after, hw_value_real(row->after_us))
READER(read_next, hw_value_text(next_rungs(v, row->rung, room, HW_GRID_CELL)))

#define COLUMN(top, bottom, looks, unit, read) {"", {top, bottom, looks}, 0, 0, HW_UNIT_##unit, read, {{0}}, ""}
static const hw_column advice_columns[] = {
    COLUMN("", "rung", HW_GRID_LEFT | HW_GRID_KEY, NONE, read_rung),
    COLUMN("est.", "us", 0, US, read_before),
    COLUMN("", "advice", HW_GRID_LEFT, NONE, read_advice),
    COLUMN("would", "be us", 0, US, read_after),
    COLUMN("rungs that build on it,", "est. us", HW_GRID_LEFT | HW_GRID_WRAPPED, NONE, read_next)};
enum { N_COLUMNS = sizeof advice_columns / sizeof advice_columns[0] };
static const hw_column *const all_columns[N_COLUMNS] = {&advice_columns[0], &advice_columns[1], &advice_columns[2],
                                                        &advice_columns[3], &advice_columns[4]};

void hw_cli_ladder_write_advice(const hw_ladder_advice *advice, const hw_ladder *ladder, int width, bool colour,
                                FILE *out) {
    const view v = {advice, ladder};
    fputs("\nAdvice, each by itself, and what came of it:\n\n", out);
    hw_sheet_write(&(hw_sheet){.columns = all_columns, .n_columns = N_COLUMNS, .width = width,
                               .n_rows = advice->n, .of = &v},
                   colour, out);
}
