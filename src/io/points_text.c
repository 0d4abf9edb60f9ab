// .xyz and .csv files: points in lines of text.
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "io/points_internal.h"

#define XYZ_SEPARATORS " \t\r\f\v,;"

static int shown_length(hw_span text) { return (int)(text.end - text.begin < 40 ? text.end - text.begin : 40); }

// ---- .xyz -----------------------------------------------------------------------------------------------------------

// How many of the first three numbers of a line there are, after a word that is none. The line of numbers may go on.
// wrong: the word in their place, if there is one.
static int xyz_point(hw_span line, bool as_f32, double x[3], hw_span *wrong) {
    hw_span word = hw_span_word(&line, XYZ_SEPARATORS);
    *wrong = (hw_span){NULL, NULL};
    if (!hw_points_number(word, as_f32, &x[0])) word = hw_span_word(&line, XYZ_SEPARATORS);
    for (int a = 0; a < 3; a++, word = hw_span_word(&line, XYZ_SEPARATORS)) {
        if (word.begin == word.end) return a;
        if (!hw_points_number(word, as_f32, &x[a])) {
            *wrong = word;
            return a;
        }
    }
    return 3;
}

// A line that is a whole number and nothing else.
static bool xyz_count(hw_span line, uint64_t *count) {
    *count = 0;
    for (const char *at = line.begin; at < line.end; at++)
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(*count, 10, count) ||
            __builtin_add_overflow(*count, *at - '0', count))
            return false;
    return true;
}

// The line after the number of points is a comment, or the first point: which of both, their number tells at the end.
typedef struct xyz_start {
    bool has_count, is_second_a_point;
    uint64_t count;
} xyz_start;

static hw_status xyz_line(const hw_points_source *source, hw_span line, hw_points_rows *rows) {
    double x[3];
    hw_span wrong;
    const int numbers = xyz_point(line, !rows->is_f64, x, &wrong);
    if (numbers == 3) return hw_points_append(rows, x, source->diag);
    if (wrong.begin) return hw_points_wrong(source, "\"%.*s\" is no number", shown_length(wrong), wrong.begin);
    return hw_points_wrong(source, "%d number%s, and a point has 3", numbers, numbers == 1 ? "" : "s");
}

static hw_status xyz_begin(hw_points_source *source, hw_points_rows *rows, xyz_start *start) {
    hw_span line, wrong;
    bool there;
    double x[3];
    hw_status status = hw_points_text_line(source, &line, &there);
    if (!status && !there) return hw_points_wrong(source, "there is no point, and no line that says so");
    if (status) return status;
    start->has_count = xyz_count(hw_span_trim(line), &start->count);
    if (!start->has_count) {
        // A line without numbers in front is one of names.
        const bool is_names = xyz_point(line, false, x, &wrong) == 0 && wrong.begin;
        return is_names ? HW_OK : xyz_line(source, line, rows);
    }
    status = hw_points_line(source, &line, &there);
    if (status || !there) return status;
    start->is_second_a_point = xyz_point(line, !rows->is_f64, x, &wrong) == 3;
    return start->is_second_a_point ? hw_points_append(rows, x, source->diag) : HW_OK;
}

static void drop_first(hw_points_rows *rows) {
    const size_t row_bytes = rows->dims * (rows->is_f64 ? sizeof(double) : sizeof(float));
    rows->count--;
    memmove(rows->memory, (char *)rows->memory + row_bytes, rows->count * row_bytes);
}

hw_status hw_points_read_xyz(hw_points_source *source, hw_points_rows *rows) {
    xyz_start start = {0};
    rows->dims = 3;
    hw_status status = xyz_begin(source, rows, &start);
    while (!status) {
        hw_span line;
        bool there;
        status = hw_points_text_line(source, &line, &there);
        if (status) return status;
        if (!there) break;
        status = xyz_line(source, line, rows);
    }
    if (status || !start.has_count) return status;
    if (start.is_second_a_point && rows->count == start.count + 1) drop_first(rows);
    if (rows->count == start.count) return HW_OK;
    return hw_points_wrong(source, "%" PRIu64 " point%s, and the first line says %" PRIu64, rows->count,
                           rows->count == 1 ? "" : "s", start.count);
}

// ---- .csv -----------------------------------------------------------------------------------------------------------

typedef struct csv {
    const char *separators;          // each of these characters ends a field
    bool by_words;                   // blanks: several in a row are one
    uint32_t n_fields;               // of the first row
    uint32_t n_named;                // fields of the line of names
    int32_t *axis;                   // of each field; -1: passed over
    size_t axis_room;
} csv;

static void choose_separator(csv *c, hw_span line) {
    static const char *const separators[] = {";", "\t", ","};
    const size_t length = (size_t)(line.end - line.begin);
    c->separators = " \t";
    c->by_words = true;
    for (int i = 2; i >= 0; i--)
        if (length && memchr(line.begin, separators[i][0], length)) c->separators = separators[i], c->by_words = false;
}

// The next field, without blanks and without quotation marks around it. *rest NULL: it was the last.
static hw_span next_csv_field(const csv *c, hw_span text, hw_span *rest) {
    hw_span field;
    if (c->by_words) {
        field = hw_span_word(&text, c->separators);
        text = hw_span_trim(text);
        *rest = text.begin < text.end ? text : (hw_span){NULL, NULL};
        if (field.end - field.begin >= 2 && *field.begin == '"' && field.end[-1] == '"') field.begin++, field.end--;
        return field;
    }
    const hw_span trimmed = hw_span_trim(text);
    const size_t length = (size_t)(trimmed.end - trimmed.begin);
    const char *closing = length > 1 && *trimmed.begin == '"' ? memchr(trimmed.begin + 1, '"', length - 1) : NULL;
    if (!closing) return hw_span_trim(hw_span_until(text, c->separators, rest));
    // Two marks in a row are one within the text; such a field is no number.
    while (closing + 1 < trimmed.end && closing[1] == '"') {
        const char *next = memchr(closing + 2, '"', (size_t)(trimmed.end - closing - 2));
        if (!next) break;
        closing = next;
    }
    hw_span_until((hw_span){closing, text.end}, c->separators, rest);
    return hw_span_trim((hw_span){trimmed.begin + 1, closing});
}

static bool has_number(const csv *c, hw_span line) {
    double x;
    for (hw_span rest; line.begin; line = rest)
        if (hw_points_number(next_csv_field(c, line, &rest), false, &x)) return true;
    return false;
}

// Notes which fields are named x, y and z; n_fields and axis are set. *all: both x and y are there.
static hw_status name_fields(const hw_points_source *source, csv *c, hw_span line, bool *all) {
    bool has[3] = {false, false, false};
    c->n_fields = 0;
    for (hw_span rest; line.begin; line = rest) {
        const hw_span field = next_csv_field(c, line, &rest);
        if (!hw_grow((void **)&c->axis, c->n_fields, &c->axis_room, sizeof *c->axis))
            return hw_diag_no_memory(source->diag);
        c->axis[c->n_fields] = -1;
        for (int a = 0; a < 3; a++)
            if (hw_span_is(field, (const char *const[]){"x", "y", "z"}[a]) && !has[a])
                c->axis[c->n_fields] = a, has[a] = true;
        c->n_fields++;
    }
    *all = has[0] && has[1];
    c->n_named = *all ? (has[2] ? 3 : 2) : 0;
    return HW_OK;
}

// The columns that are numbers in the first row.
static hw_status find_columns(const hw_points_source *source, csv *c, hw_span line, uint32_t *dims) {
    double x;
    c->n_fields = 0;
    *dims = 0;
    for (hw_span rest; line.begin; line = rest) {
        const hw_span field = next_csv_field(c, line, &rest);
        if (!hw_grow((void **)&c->axis, c->n_fields, &c->axis_room, sizeof *c->axis))
            return hw_diag_no_memory(source->diag);
        c->axis[c->n_fields++] = hw_points_number(field, false, &x) ? (int32_t)(*dims)++ : -1;
    }
    if (*dims == 0) return hw_points_wrong(source, "the first row has no numbers");
    if (*dims > HW_POINTS_MAX_DIMS)
        return hw_diag_set_at(source->diag, HW_UNSUPPORTED, source->name, source->line,
                              "%u columns of numbers, and a point can have %d", *dims, HW_POINTS_MAX_DIMS);
    return HW_OK;
}

static hw_status csv_row(const hw_points_source *source, const csv *c, hw_span line, hw_points_rows *rows) {
    double x[HW_POINTS_MAX_DIMS];
    uint32_t n = 0;
    for (hw_span rest; line.begin; line = rest, n++) {
        const hw_span field = next_csv_field(c, line, &rest);
        if (n >= c->n_fields || c->axis[n] < 0) continue;
        if (hw_points_number(field, !rows->is_f64, &x[c->axis[n]])) continue;
        if (field.begin == field.end) return hw_points_wrong(source, "field %u is empty", n + 1);
        return hw_points_wrong(source, "field %u, \"%.*s\", is no number", n + 1, shown_length(field), field.begin);
    }
    if (n != c->n_fields)
        return hw_points_wrong(source, "%u field%s, and the first line has %u", n, n == 1 ? "" : "s", c->n_fields);
    return hw_points_append(rows, x, source->diag);
}

// Up to the first row of numbers, which stays in *line.
static hw_status csv_begin(hw_points_source *source, csv *c, hw_span *line, bool *there, hw_points_rows *rows) {
    bool is_named = false;
    hw_status status = hw_points_text_line(source, line, there);
    if (status) return status;
    if (!*there) return hw_points_wrong(source, "there is no row of numbers");
    choose_separator(c, *line);
    if (!has_number(c, *line)) {
        status = name_fields(source, c, *line, &is_named);
        if (!status) status = hw_points_text_line(source, line, there);
    }
    if (status) return status;
    rows->dims = c->n_named;
    if (is_named) return HW_OK;
    return *there ? find_columns(source, c, *line, &rows->dims) : hw_points_wrong(source, "there is no row of numbers");
}

hw_status hw_points_read_csv(hw_points_source *source, hw_points_rows *rows) {
    csv c = {0};
    hw_span line;
    bool there;
    hw_status status = csv_begin(source, &c, &line, &there, rows);
    while (!status && there) {
        status = csv_row(source, &c, line, rows);
        if (!status) status = hw_points_text_line(source, &line, &there);
    }
    hw_free(c.axis);
    return status;
}
