// Opening a file of points: which format it is, and the array at the end.
#include "io/points.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/points_internal.h"

hw_status hw_points_append(hw_points_rows *rows, const double *coordinates, hw_diag *diag) {
    const size_t row_bytes = rows->dims * (rows->is_f64 ? sizeof(double) : sizeof(float));
    if (rows->count == rows->room) {
        const uint64_t room = rows->room ? 2 * rows->room : 256;
        void *bigger = hw_realloc_array(rows->memory, room, row_bytes);
        if (!bigger) return hw_diag_no_memory(diag);
        rows->memory = bigger;
        rows->room = room;
    }
    char *row = (char *)rows->memory + rows->count++ * row_bytes;
    if (rows->is_f64) memcpy(row, coordinates, row_bytes);
    for (uint32_t a = 0; a < rows->dims && !rows->is_f64; a++) {
        const float x = (float)coordinates[a];
        memcpy(row + a * sizeof x, &x, sizeof x);
    }
    return HW_OK;
}

static bool ends_in(const char *path, const char *ending) {
    const size_t length = strlen(path), ending_length = strlen(ending);
    return length > ending_length && strcasecmp(path + length - ending_length, ending) == 0;
}

bool hw_points_is_name(const char *path) {
    static const char *const endings[] = {".ply", ".xyz", ".csv", ".tsv", ".txt", ".pts", ".asc"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(path, endings[i])) return true;
    return false;
}

static bool begins_with(const hw_points_source *source, const char *bytes, size_t length) {
    return source->end - source->begin >= length && memcmp(source->bytes + source->begin, bytes, length) == 0;
}

// Looks at the first bytes, and passes over a byte order mark.
static hw_status find_format(hw_points_source *source, hw_points_format *format) {
    hw_status status = hw_points_want(source, 8);
    if (status) return status;
    if (begins_with(source, "\xef\xbb\xbf", 3)) source->begin += 3;
    if (begins_with(source, "\xff\xfe", 2) || begins_with(source, "\xfe\xff", 2))
        return hw_points_wrong(source, "is a text in UTF-16: only UTF-8 and ASCII are read");
    if (begins_with(source, "\x93NUMPY", 6)) return hw_points_wrong(source, "is an .npy file by its first bytes");
    if (*format != HW_POINTS_BY_NAME) return HW_OK;
    if (begins_with(source, "ply\n", 4) || begins_with(source, "ply\r", 4) || ends_in(source->name, ".ply"))
        *format = HW_POINTS_PLY;
    else *format = ends_in(source->name, ".csv") || ends_in(source->name, ".tsv") ? HW_POINTS_CSV : HW_POINTS_XYZ;
    return HW_OK;
}

static hw_status read_points_rows(hw_points_source *source, hw_points_format format, uint32_t bits,
                                  hw_points_rows *rows) {
    hw_status status = find_format(source, &format);
    if (status) return status;
    rows->is_f64 = bits != 32;
    if (format == HW_POINTS_PLY) return hw_points_read_ply(source, bits, rows);
    return format == HW_POINTS_CSV ? hw_points_read_csv(source, rows) : hw_points_read_xyz(source, rows);
}

static hw_status read_source(hw_points_source *source, hw_points_format format, uint32_t bits, hw_points *points) {
    hw_points_rows rows = {0};
    hw_status status = read_points_rows(source, format, bits, &rows);
    hw_free(source->buffer);
    if (status) {
        hw_free(rows.memory);
        return status;
    }
    // What was too much is given back; where that fails it is kept.
    const size_t row_bytes = rows.dims * (rows.is_f64 ? sizeof(double) : sizeof(float));
    void *fitting = rows.count < rows.room ? hw_realloc_array(rows.memory, rows.count, row_bytes) : NULL;
    points->memory = fitting ? fitting : rows.memory;
    points->shape[0] = (int64_t)rows.count;
    points->shape[1] = rows.dims;
    points->tensor = (DLTensor){.data = points->memory, .device = {kDLCPU, 0}, .ndim = 2, .shape = points->shape,
                                .dtype = {kDLFloat, rows.is_f64 ? 64 : 32, 1}};
    return HW_OK;
}

hw_status hw_points_parse(const void *bytes, size_t n_bytes, const char *name, hw_points_format format, uint32_t bits,
                          hw_points *points, hw_diag *diag) {
    hw_points_source source = {.file = -1, .name = name, .bytes = bytes, .end = n_bytes, .ended = true, .diag = diag};
    *points = (hw_points){0};
    return read_source(&source, format, bits, points);
}

hw_status hw_points_open(const char *path, hw_points_format format, uint32_t bits, hw_points *points, hw_diag *diag) {
    *points = (hw_points){0};
    const bool is_stdin = strcmp(path, "-") == 0;
    hw_points_source source = {.name = is_stdin ? "standard input" : path, .diag = diag};
    source.file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source.file < 0)
        return hw_diag_set_at(diag, HW_IO, source.name, 0, "cannot be read: %s", strerror(errno));
    hw_status status = read_source(&source, format, bits, points);
    if (!is_stdin) close(source.file);
    return status;
}

void hw_points_close(hw_points *points) {
    hw_free(points->memory);
    *points = (hw_points){0};
}
