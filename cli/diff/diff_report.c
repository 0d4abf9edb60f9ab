#include "diff/diff_report.h"

#include <math.h>
#include <string.h>

#include "output/json_output.h"
#include "report/cells.h"
#include "report/fields.h"
#include "report/sheet.h"
#include "report/text.h"

const char *const hw_diff_format_names[HW_DIFF_FORMATS] = {
    [HW_DIFF_TABLE] = "table", [HW_DIFF_MARKDOWN] = "markdown", [HW_DIFF_JSON] = "json"};

// ---- Columns --------------------------------------------------------------------------------------------------------

// "transpose.cu:31", of a line that has moved "transpose.cu:31 > 33"; "(new)" or "(gone)" where one side alone has it.
static const char *place_of(const hw_diff_row *row, char *out, size_t bytes) {
    const hw_report_line *a = row->old_line, *there = row->new_line ? row->new_line : a;
    if (!there) return "";
    const char *slash = strrchr(there->file, '/'), *file = slash ? slash + 1 : there->file;
    if (!there->line) snprintf(out, bytes, "(no line)");
    else if (!row->new_line) snprintf(out, bytes, "%s:%u (gone)", file, there->line);
    else if (!a) snprintf(out, bytes, "%s:%u (new)", file, there->line);
    else if (a->line == there->line) snprintf(out, bytes, "%s:%u", file, a->line);
    else snprintf(out, bytes, "%s:%u > %u", file, a->line, there->line);
    return out;
}

static const char *value_text(const hw_diff_row *row, const hw_value *value, char *out, size_t bytes) {
    hw_grid_cell cell;
    if (!row->column) return "";
    hw_cell_write(row->column, value, &cell);
    snprintf(out, bytes, "%s", cell.text);
    return out;
}

static const char *change_text(const hw_diff_row *row, char *out, size_t bytes) {
    enum { FEW = 10, TENFOLD = 900 };
    const double change = row->change_pct, size = fabs(change);
    if (!row->column) return hw_diff_word(row);
    if (row->before.kind == HW_VALUE_TEXT) return "";
    if (isinf(change)) return "from 0";
    if (change >= TENFOLD) snprintf(out, bytes, "%.1fx", 1 + change / 100);
    else snprintf(out, bytes, "%+.*f%%", size < FEW ? 1 : 0, change);
    return out;
}

#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const hw_diff *diff = ((const hw_row *)subject)->of;                                                          \
        const hw_diff_row *row = &diff->rows[((const hw_row *)subject)->index];                                       \
        char *room = ((const hw_row *)subject)->room;                                                                 \
        (void)column, (void)room;                                                                                     \
        return value;                                                                                                 \
    }

static hw_value judged_change(const hw_diff_row *row, char *room) {
    const hw_judgement judgement = row->verdict == HW_DIFF_WORSE    ? HW_JUDGED_BAD
                                   : row->verdict == HW_DIFF_BETTER ? HW_JUDGED_GOOD
                                                                    : HW_JUDGED_PLAIN;
    return hw_value_judged(hw_value_text(change_text(row, room, HW_GRID_CELL)), judgement);
}

READER(read_place, hw_value_text(place_of(row, room, HW_GRID_CELL)))
READER(read_what, hw_value_text(row->column ? row->column->key : "kernel"))
READER(read_before, hw_value_text(value_text(row, &row->before, room, HW_GRID_CELL)))
READER(read_after, hw_value_text(value_text(row, &row->after, room, HW_GRID_CELL)))
READER(read_change, judged_change(row, room))

#define COLUMN(heading, looks, read) {"", {"", heading, looks}, 0, 0, HW_UNIT_NONE, read, {{0}}, ""}
static const hw_column diff_columns[] = {
    COLUMN("line", HW_GRID_LEFT | HW_GRID_KEY, read_place),
    COLUMN("what", HW_GRID_LEFT, read_what),
    COLUMN("old", 0, read_before),
    COLUMN("new", 0, read_after),
    COLUMN("change", 0, read_change)};
enum { N_COLUMNS = sizeof diff_columns / sizeof diff_columns[0] };

static const hw_column *const all_columns[N_COLUMNS] = {&diff_columns[0], &diff_columns[1], &diff_columns[2],
                                                        &diff_columns[3], &diff_columns[4]};

// ---- Tables ---------------------------------------------------------------------------------------------------------

static const char *total_text(const hw_diff *diff, char *out, size_t bytes) {
    char before[HW_REPORT_NUMBER], after[HW_REPORT_NUMBER];
    const double a = diff->before_us, b = diff->after_us;
    hw_report_fixed(a, 1, before, sizeof before);
    hw_report_fixed(b, 1, after, sizeof after);
    if (a > 0) snprintf(out, bytes, "%s us to %s us (%+.1f%%)", before, after, 100 * (b - a) / a);
    else snprintf(out, bytes, "%s us to %s us", before, after);
    return out;
}

static const char *gpus_text(const hw_diff *diff, char *out, size_t bytes) {
    const char *a = diff->before->report.gpu->name, *b = diff->after->report.gpu->name;
    if (strcmp(a, b) == 0) snprintf(out, bytes, "%s", b);
    else snprintf(out, bytes, "%s, before that %s", b, a);
    return out;
}

// A kernel's name stands above its rows.
static const char *section_of(const void *of, size_t index) {
    const hw_diff_row *rows = ((const hw_diff *)of)->rows;
    return index && strcmp(rows[index].mangled, rows[index - 1].mangled) == 0 ? NULL : rows[index].kernel;
}

static void write_table(const hw_diff *diff, const hw_diff_look *look, FILE *out) {
    char total[128], gpus[256];
    fprintf(out, "%s, simulated; old is %s, new is %s\nestimated time of all launches: %s\n",
            gpus_text(diff, gpus, sizeof gpus), look->old_name, look->new_name, total_text(diff, total, sizeof total));
    if (!diff->n_rows) {
        fprintf(out, "\nnothing has changed by %g%% or more\n", look->least_pct);
        return;
    }
    fputc('\n', out);
    hw_sheet_write(&(hw_sheet){.columns = all_columns, .n_columns = N_COLUMNS, .width = look->width,
                               .n_rows = diff->n_rows, .section = section_of, .of = diff},
                   look->colour, out);
    fprintf(out, "\nof kernels %zu numbers are worse, %zu better; `halfwarp help columns` explains them\n",
            diff->n_worse, diff->n_better);
}

// ---- Markdown -------------------------------------------------------------------------------------------------------

// A cell of GitHub's and GitLab's tables, as code where it is a name.
static void write_cell(const char *text, bool is_code, FILE *out) {
    fputs(is_code && *text ? " `" : " ", out);
    for (; *text; text++) {
        if (*text == '|') fputs("\\|", out);
        else if (*text == '`') fputc('\'', out);
        else fputc(*text, out);
    }
    fputs(is_code ? "` |" : " |", out);
}

static void write_markdown_row(const hw_diff_row *row, FILE *out) {
    char name[HW_GRID_CELL], room[HW_GRID_CELL];
    fputc('|', out);
    write_cell(hw_report_short_name(row->kernel, name, sizeof name), true, out);
    write_cell(place_of(row, room, sizeof room), false, out);
    write_cell(row->column ? row->column->key : "", false, out);
    write_cell(value_text(row, &row->before, room, sizeof room), false, out);
    write_cell(value_text(row, &row->after, room, sizeof room), false, out);
    write_cell(change_text(row, room, sizeof room), false, out);
    write_cell(row->column ? hw_diff_word(row) : "", false, out);
    fputc('\n', out);
}

// Kernels' own values, or those of their lines.
static void write_markdown_table(const hw_diff *diff, bool of_lines, FILE *out) {
    fputs("| kernel | line | what | old | new | change | |\n|---|---|---|--:|--:|--:|---|\n", out);
    for (size_t i = 0; i < diff->n_rows; i++) {
        const hw_diff_row *row = &diff->rows[i];
        if ((row->old_line || row->new_line) == of_lines) write_markdown_row(row, out);
    }
}

static void write_markdown(const hw_diff *diff, const hw_diff_look *look, FILE *out) {
    char total[128], gpus[256];
    size_t n_lines = 0;
    for (size_t i = 0; i < diff->n_rows; i++) n_lines += diff->rows[i].old_line || diff->rows[i].new_line;
    fprintf(out, "**Estimated time of all launches: %s**, on %s, simulated by Halfwarp.\n\n",
            total_text(diff, total, sizeof total), gpus_text(diff, gpus, sizeof gpus));
    if (!diff->n_rows) fprintf(out, "Nothing has changed by %g%% or more.\n", look->least_pct);
    if (diff->n_rows > n_lines) write_markdown_table(diff, false, out);
    if (!n_lines) return;
    fprintf(out, "\n<details><summary>%zu changes by line</summary>\n\n", n_lines);
    write_markdown_table(diff, true, out);
    fputs("\n</details>\n", out);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static json_t *number_or_text(const hw_value *value) {
    switch (value->is_absent ? HW_VALUE_FLAG : value->kind) {
    case HW_VALUE_INTEGER: return json_integer((json_int_t)value->integer);
    case HW_VALUE_REAL:
    case HW_VALUE_PAIR: return json_real(value->real);
    case HW_VALUE_TEXT: return hw_json_text(value->text);
    default: return json_null();
    }
}

static int put(json_t *object, const char *key, json_t *value) { return json_object_set_new(object, key, value); }

static int put_line(json_t *object, const char *key, const hw_report_line *line) {
    return put(object, key, line ? json_integer(line->line) : json_null());
}

static json_t *row_object(const hw_diff_row *row) {
    const hw_report_line *line = row->new_line ? row->new_line : row->old_line;
    json_t *object = json_object();
    int failed = put(object, "kernel", hw_json_text(row->kernel)) | put(object, "mangled", hw_json_text(row->mangled));
    if (line) {
        failed |= put(object, "file", hw_json_text(line->file));
        failed |= put_line(object, "old_line", row->old_line) | put_line(object, "new_line", row->new_line);
    }
    if (row->column) {
        failed |= put(object, "what", json_string(row->column->key));
        failed |= put(object, "old", number_or_text(&row->before)) | put(object, "new", number_or_text(&row->after));
        failed |= put(object, "change_pct", isfinite(row->change_pct) && row->before.kind != HW_VALUE_TEXT
                                                ? json_real(row->change_pct) : json_null());
    }
    failed |= put(object, "verdict", json_string(*hw_diff_word(row) ? hw_diff_word(row) : "changed"));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static bool write_json(const hw_diff *diff, const hw_diff_look *look, FILE *out) {
    enum { DIGITS = 10 };
    json_t *root = json_object(), *changes = json_array();
    int failed = put(root, "old", json_pack("{s:s, s:s, s:f}", "file", look->old_name, "gpu",
                                            diff->before->report.gpu->id, "est_us", diff->before_us));
    failed |= put(root, "new", json_pack("{s:s, s:s, s:f}", "file", look->new_name, "gpu", diff->after->report.gpu->id,
                                         "est_us", diff->after_us));
    failed |= put(root, "worse", json_integer((json_int_t)diff->n_worse));
    failed |= put(root, "better", json_integer((json_int_t)diff->n_better));
    for (size_t i = 0; i < diff->n_rows; i++) failed |= json_array_append_new(changes, row_object(&diff->rows[i]));
    failed |= put(root, "changes", changes);
    return hw_cli_finish_json(root, !failed, DIGITS, out);
}

bool hw_diff_write(const hw_diff *diff, hw_diff_format format, const hw_diff_look *look, FILE *out) {
    if (format == HW_DIFF_JSON) return write_json(diff, look, out);
    if (format == HW_DIFF_MARKDOWN) write_markdown(diff, look, out);
    else write_table(diff, look, out);
    return true;
}
