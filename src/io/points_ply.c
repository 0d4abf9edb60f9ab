// .ply files: the header's elements and properties, and the coordinates of the element "vertex".
// Source: Greg Turk, The PLY Polygon File Format, 1994.
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "io/points_internal.h"

#define BLANKS " \t\r\f\v"

typedef enum ply_type { PLY_NONE, PLY_I8, PLY_U8, PLY_I16, PLY_U16, PLY_I32, PLY_U32, PLY_F32, PLY_F64 } ply_type;

static const struct {
    const char *name;
    ply_type type;
} type_names[] = {
    {"char", PLY_I8},   {"uchar", PLY_U8},   {"short", PLY_I16},   {"ushort", PLY_U16},   {"int", PLY_I32},
    {"uint", PLY_U32},  {"float", PLY_F32},  {"double", PLY_F64},  {"int8", PLY_I8},      {"uint8", PLY_U8},
    {"int16", PLY_I16}, {"uint16", PLY_U16}, {"int32", PLY_I32},   {"uint32", PLY_U32},   {"float32", PLY_F32},
    {"float64", PLY_F64},
};

static const uint8_t type_bytes[] = {[PLY_I8] = 1,  [PLY_U8] = 1,  [PLY_I16] = 2, [PLY_U16] = 2,
                                     [PLY_I32] = 4, [PLY_U32] = 4, [PLY_F32] = 4, [PLY_F64] = 8};

typedef enum ply_format { PLY_ASCII, PLY_LITTLE, PLY_BIG } ply_format;

typedef struct property {
    ply_type type;            // of a list: of its items
    ply_type count_type;      // PLY_NONE: no list
    int axis;                 // of the point; -1: passed over
} property;

// What the header says, as far as the vertices.
typedef struct ply {
    ply_format format;
    bool has_format, in_vertex, is_past;   // where in the header; is_past: an element behind the vertices
    uint64_t n_vertices;
    struct element {
        uint64_t count;
        size_t first;         // of its properties
    } *elements;              // up to the vertices, which are the last
    size_t n_elements, elements_room;
    property *properties;     // of all of them
    size_t n_properties, properties_room;
    bool has_axis[3];
} ply;

static ply_type find_type(hw_span word) {
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (hw_span_is(word, type_names[i].name)) return type_names[i].type;
    return PLY_NONE;
}

static int shown_length(hw_span text) { return (int)(text.end - text.begin < 40 ? text.end - text.begin : 40); }

// ---- The header -----------------------------------------------------------------------------------------------------

static hw_status read_format(const hw_points_source *source, ply *p, hw_span rest) {
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const hw_span format = hw_span_word(&rest, BLANKS), version = hw_span_word(&rest, BLANKS);
    for (int i = 0; i < 3; i++)
        if (hw_span_is(format, names[i])) p->format = (ply_format)i, p->has_format = true;
    if (!p->has_format)
        return hw_points_wrong(source, "\"%.*s\" is no format of .ply files", shown_length(format), format.begin);
    if (!hw_span_is(version, "1.0"))
        return hw_diag_set_at(source->diag, HW_UNSUPPORTED, source->name, source->line,
                              "version %.*s of .ply files: only 1.0 is read", shown_length(version), version.begin);
    return HW_OK;
}

static bool read_count(hw_span word, uint64_t *count) {
    *count = 0;
    if (word.begin == word.end) return false;
    for (; word.begin < word.end; word.begin++) {
        if (*word.begin < '0' || *word.begin > '9') return false;
        if (__builtin_mul_overflow(*count, 10, count) || __builtin_add_overflow(*count, *word.begin - '0', count))
            return false;
    }
    return true;
}

static hw_status read_element(const hw_points_source *source, ply *p, hw_span rest) {
    const hw_span name = hw_span_word(&rest, BLANKS), number = hw_span_word(&rest, BLANKS);
    uint64_t count;
    if (!read_count(number, &count))
        return hw_points_wrong(source, "\"%.*s\" is no number of elements", shown_length(number), number.begin);
    if (p->in_vertex || p->is_past) {
        p->in_vertex = false;
        p->is_past = true;
        return HW_OK;
    }
    if (!hw_grow((void **)&p->elements, p->n_elements, &p->elements_room, sizeof *p->elements))
        return hw_diag_no_memory(source->diag);
    p->elements[p->n_elements++] = (struct element){count, p->n_properties};
    p->in_vertex = hw_span_is(name, "vertex");
    if (p->in_vertex) p->n_vertices = count;
    return HW_OK;
}

static hw_status read_property(const hw_points_source *source, ply *p, hw_span rest) {
    hw_span type = hw_span_word(&rest, BLANKS);
    property made = {.axis = -1};
    if (p->is_past) return HW_OK;
    if (!p->n_elements) return hw_points_wrong(source, "a property stands before the first element");
    if (hw_span_is(type, "list")) {
        type = hw_span_word(&rest, BLANKS);
        made.count_type = find_type(type);
        if (made.count_type == PLY_NONE || made.count_type >= PLY_F32)
            return hw_points_wrong(source, "the length of a list cannot be a \"%.*s\"", shown_length(type), type.begin);
        type = hw_span_word(&rest, BLANKS);
    }
    made.type = find_type(type);
    if (made.type == PLY_NONE)
        return hw_diag_set_at(source->diag, HW_UNSUPPORTED, source->name, source->line,
                              "\"%.*s\" is no type of .ply files", shown_length(type), type.begin);
    const hw_span name = hw_span_word(&rest, BLANKS);
    if (name.begin == name.end) return hw_points_wrong(source, "a property has no name");
    for (int a = 0; a < 3 && p->in_vertex; a++) {
        if (name.end - name.begin != 1 || *name.begin != "xyz"[a]) continue;
        if (made.count_type) return hw_points_wrong(source, "%c is a list, and not a number", "xyz"[a]);
        if (p->has_axis[a]) return hw_points_wrong(source, "a vertex has %c twice", "xyz"[a]);
        p->has_axis[a] = true;
        made.axis = a;
    }
    if (!hw_grow((void **)&p->properties, p->n_properties, &p->properties_room, sizeof made))
        return hw_diag_no_memory(source->diag);
    p->properties[p->n_properties++] = made;
    return HW_OK;
}

static hw_status check_header(const hw_points_source *source, const ply *p) {
    if (!p->has_format) return hw_points_wrong(source, "the header has no line \"format\"");
    if (!p->in_vertex && !p->is_past) return hw_points_wrong(source, "the header has no element \"vertex\"");
    if (!p->has_axis[0] || !p->has_axis[1])
        return hw_points_wrong(source, "a vertex has no %c", p->has_axis[0] ? 'y' : 'x');
    return HW_OK;
}

static hw_status read_ply_header(hw_points_source *source, ply *p) {
    hw_span line;
    bool there;
    hw_status status = hw_points_line(source, &line, &there);
    if (!status && (!there || !hw_span_is(hw_span_trim(line), "ply")))
        status = hw_points_wrong(source, "is no .ply file: its first line is not \"ply\"");
    while (!status) {
        status = hw_points_line(source, &line, &there);
        if (status) return status;
        if (!there) return hw_points_wrong(source, "cut short: the header has no line \"end_header\"");
        hw_span word = hw_span_word(&line, BLANKS);
        if (hw_span_is(word, "end_header")) return check_header(source, p);
        if (hw_span_is(word, "format")) status = read_format(source, p, line);
        else if (hw_span_is(word, "element")) status = read_element(source, p, line);
        else if (hw_span_is(word, "property")) status = read_property(source, p, line);
        else if (!hw_span_is(word, "comment") && !hw_span_is(word, "obj_info") && word.begin != word.end)
            status = hw_points_wrong(source, "\"%.*s\" begins no line of a header", shown_length(word), word.begin);
    }
    return status;
}

// ---- ASCII ----------------------------------------------------------------------------------------------------------

static hw_status ascii_line(hw_points_source *source, hw_span *line, uint64_t element, uint64_t count) {
    bool there;
    do {
        hw_status status = hw_points_line(source, line, &there);
        if (status) return status;
        if (!there)
            return hw_points_wrong(source, "cut short: %" PRIu64 " line%s of an element that the header gives %" PRIu64,
                                   element, element == 1 ? "" : "s", count);
        *line = hw_span_trim(*line);
    } while (line->begin == line->end);
    return HW_OK;
}

static hw_status ascii_list(const hw_points_source *source, hw_span *line, hw_span word) {
    uint64_t count;
    if (!read_count(word, &count))
        return hw_points_wrong(source, "\"%.*s\" is no length of a list", shown_length(word), word.begin);
    for (uint64_t i = 0; i < count; i++) {
        const hw_span item = hw_span_word(line, BLANKS);
        if (item.begin == item.end) return hw_points_wrong(source, "the line ends within a list");
    }
    return HW_OK;
}

static hw_status ascii_vertex(const hw_points_source *source, const ply *p, size_t first, hw_span line, bool is_f64,
                              double *x) {
    for (size_t i = first; i < p->n_properties; i++) {
        const property *q = &p->properties[i];
        const hw_span word = hw_span_word(&line, BLANKS);
        if (word.begin == word.end)
            return hw_points_wrong(source, "%zu value%s of a vertex that has %zu", i - first, i - first == 1 ? "" : "s",
                                   p->n_properties - first);
        if (q->count_type) {
            hw_status status = ascii_list(source, &line, word);
            if (status) return status;
        } else if (q->axis >= 0 && !hw_points_number(word, !is_f64, &x[q->axis])) {
            return hw_points_wrong(source, "\"%.*s\" is no number", shown_length(word), word.begin);
        }
    }
    return line.begin == hw_span_trim(line).end
               ? HW_OK
               : hw_points_wrong(source, "more values than the %zu of a vertex", p->n_properties - first);
}

static hw_status read_ascii(hw_points_source *source, const ply *p, hw_points_rows *rows) {
    hw_status status = HW_OK;
    for (size_t e = 0; e < p->n_elements && !status; e++) {
        const size_t first = p->elements[e].first;
        const bool is_vertex = e + 1 == p->n_elements;
        const bool has_none = !is_vertex && p->elements[e + 1].first == first;
        for (uint64_t i = 0; i < p->elements[e].count && !status && !has_none; i++) {
            hw_span line;
            double x[3];
            status = ascii_line(source, &line, i, p->elements[e].count);
            if (!status && is_vertex) status = ascii_vertex(source, p, first, line, rows->is_f64, x);
            if (!status && is_vertex) status = hw_points_append(rows, x, source->diag);
        }
    }
    return status;
}

// ---- Binary ---------------------------------------------------------------------------------------------------------

static uint64_t bits_of_value(const char *from, size_t bytes, bool is_big) {
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++) bits |= (uint64_t)(uint8_t)from[i] << 8 * (is_big ? bytes - 1 - i : i);
    return bits;
}

static double ply_value(const char *from, ply_type type, bool is_big) {
    const uint64_t bits = bits_of_value(from, type_bytes[type], is_big);
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
        case PLY_I8: return (int8_t)bits;
        case PLY_I16: return (int16_t)bits;
        case PLY_I32: return (int32_t)bits;
        case PLY_F32: memcpy(&single, &low, sizeof single); return single;
        case PLY_F64: memcpy(&value, &bits, sizeof value); return value;
        default: return (double)bits;
    }
}

static hw_status cut_short(hw_points_source *source, uint64_t element, uint64_t count) {
    source->line = 0;
    return hw_points_wrong(source, "cut short within number %" PRIu64 " of an element that the header gives %" PRIu64,
                           element, count);
}

// Reads one element. *there: whether the file had all of it.
static hw_status binary_item(hw_points_source *source, const ply *p, size_t first, size_t end, double *x, bool *there) {
    const bool is_big = p->format == PLY_BIG;
    *there = false;
    for (size_t i = first; i < end; i++) {
        const property *q = &p->properties[i];
        const size_t bytes = type_bytes[q->count_type ? q->count_type : q->type];
        hw_status status = hw_points_want(source, bytes);
        if (status) return status;
        if (source->end - source->begin < bytes) return HW_OK;
        const char *from = source->bytes + source->begin;
        source->begin += bytes;
        if (q->axis >= 0) x[q->axis] = ply_value(from, q->type, is_big);
        if (!q->count_type) continue;
        const double count = ply_value(from, q->count_type, is_big);
        if (count < 0) return source->line = 0, hw_points_wrong(source, "a list has a length of %.0f", count);
        const uint64_t list_bytes = (uint64_t)count * type_bytes[q->type];
        uint64_t passed;
        status = hw_points_pass(source, list_bytes, &passed);
        if (status || passed < list_bytes) return status;
    }
    *there = true;
    return HW_OK;
}

// Bytes of each, or 0: they have lists.
static size_t fixed_bytes(const ply *p, size_t first, size_t end) {
    size_t bytes = 0;
    for (size_t i = first; i < end; i++) {
        if (p->properties[i].count_type) return 0;
        bytes += type_bytes[p->properties[i].type];
    }
    return bytes;
}

static hw_status pass_element(hw_points_source *source, const ply *p, size_t e) {
    const size_t first = p->elements[e].first, end = p->elements[e + 1].first;
    const uint64_t count = p->elements[e].count, bytes = fixed_bytes(p, first, end);
    hw_status status = HW_OK;
    if (first == end) return HW_OK;
    if (bytes) {
        uint64_t all, passed;
        if (__builtin_mul_overflow(count, bytes, &all)) all = UINT64_MAX;
        status = hw_points_pass(source, all, &passed);
        return status || passed == all ? status : cut_short(source, passed / bytes, count);
    }
    for (uint64_t i = 0; i < count && !status; i++) {
        bool there;
        status = binary_item(source, p, first, end, NULL, &there);
        if (!status && !there) return cut_short(source, i, count);
    }
    return status;
}

static hw_status read_binary(hw_points_source *source, const ply *p, hw_points_rows *rows) {
    hw_status status = HW_OK;
    for (size_t e = 0; e + 1 < p->n_elements && !status; e++) status = pass_element(source, p, e);
    const size_t first = p->n_elements ? p->elements[p->n_elements - 1].first : 0;
    for (uint64_t i = 0; i < p->n_vertices && !status; i++) {
        double x[3];
        bool there;
        status = binary_item(source, p, first, p->n_properties, x, &there);
        if (!status && !there) return cut_short(source, i, p->n_vertices);
        if (!status) status = hw_points_append(rows, x, source->diag);
    }
    return status;
}

// ---- Both -----------------------------------------------------------------------------------------------------------

static bool fits_f32(const ply *p) {
    for (size_t i = 0; i < p->n_properties; i++) {
        const property *q = &p->properties[i];
        if (q->axis >= 0 && (q->type == PLY_I32 || q->type == PLY_U32 || q->type == PLY_F64)) return false;
    }
    return true;
}

hw_status hw_points_read_ply(hw_points_source *source, uint32_t bits, hw_points_rows *rows) {
    ply p = {0};
    hw_status status = read_ply_header(source, &p);
    if (!status) {
        rows->is_f64 = bits ? bits != 32 : !fits_f32(&p);
        rows->dims = p.has_axis[2] ? 3 : 2;
        status = p.format == PLY_ASCII ? read_ascii(source, &p, rows) : read_binary(source, &p, rows);
    }
    hw_free(p.elements);
    hw_free(p.properties);
    return status;
}
