// What the readers of files of points share: bytes and lines as they come, numbers, and the array that grows.
#ifndef HW_IO_POINTS_INTERNAL_H
#define HW_IO_POINTS_INTERNAL_H

#include "io/points.h"

// A file, or bytes in memory (file -1).
typedef struct hw_points_source {
    int file;
    const char *name;
    const char *bytes;        // what has come and is not read yet: bytes[begin .. end)
    size_t begin, end;
    char *buffer;             // of a file
    size_t room;
    bool ended;               // nothing comes after it
    char line_end;            // '\n' or '\r'; 0: not known yet
    int line;                 // the last one read, from 1
    hw_diag *diag;
} hw_points_source;

// A piece of a line.
typedef struct hw_span {
    const char *begin, *end;
} hw_span;

// Reads until the buffer has at least `bytes` bytes from `begin` on, or the file ends; end - begin says how many there
// are.
hw_status hw_points_want(hw_points_source *source, size_t bytes);
// The next line, without its end, valid until the next call; *there: whether there is one. HW_MALFORMED: longer than
// 1 MiB, or with a zero byte.
hw_status hw_points_line(hw_points_source *source, hw_span *line, bool *there);
// hw_points_line, but passes over lines that are empty or a comment.
hw_status hw_points_text_line(hw_points_source *source, hw_span *line, bool *there);
// Passes over bytes; *passed: how many there were.
hw_status hw_points_pass(hw_points_source *source, uint64_t bytes, uint64_t *passed);
// HW_MALFORMED with the place: the file, and the line where there is one.
hw_status hw_points_wrong(const hw_points_source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A decimal number, or inf or nan, that fills all of text: correctly rounded to f32 (as_f32; *value is a float's) or
// f64. False: it is none.
bool hw_points_number(hw_span text, bool as_f32, double *value);

// Up to the next of `separators` or the end; *rest begins behind the separator, or is {NULL, NULL} when there is none.
hw_span hw_span_until(hw_span text, const char *separators, hw_span *rest);
hw_span hw_span_trim(hw_span text);
bool hw_span_is(hw_span text, const char *word);      // in any case
// The first word and what comes after it; separators in a row count once. Empty: no more words.
hw_span hw_span_word(hw_span *text, const char *separators);

// The array being read.
typedef struct hw_points_rows {
    uint32_t dims;
    bool is_f64;
    uint64_t count, room;
    void *memory;
} hw_points_rows;

hw_status hw_points_append(hw_points_rows *rows, const double *coordinates, hw_diag *diag);

hw_status hw_points_read_ply(hw_points_source *source, uint32_t bits, hw_points_rows *rows);
hw_status hw_points_read_xyz(hw_points_source *source, hw_points_rows *rows);
hw_status hw_points_read_csv(hw_points_source *source, hw_points_rows *rows);

#endif
