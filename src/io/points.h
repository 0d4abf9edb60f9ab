// Files of points: .ply, .xyz and .csv (and texts like them) become an array of n rows of d coordinates.
//
//   .ply   ascii, binary_little_endian and binary_big_endian 1.0: x, y and, if there is one, z of the element "vertex",
//          of whatever type; other properties and elements are passed over. What follows the vertices is not read.
//   .xyz   numbers between blanks, commas or semicolons, a point a line: the first three. A word before them (a
//          chemical element) is passed over. First may come a line of names, or a line with the number of points, with
//          or without a line of comment after it. A file without any of these lines is malformed, not one of no points.
//   .csv   fields between semicolons, tabs or commas, whichever the first line has, in this order; else between blanks.
//          A first line of names is passed over. Coordinates are the columns named x, y, z where there are x and y,
//          else all columns that are numbers in the first row.
//
// In texts, lines that are empty or begin with #, % or // are passed over, lines end in LF, CR LF or, throughout, CR,
// and a UTF-8 byte order mark may be first. Numbers have decimal points in every locale and are rounded once; inf and
// nan are numbers.
#ifndef HW_IO_POINTS_H
#define HW_IO_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "halfwarp.h"

enum { HW_POINTS_MAX_DIMS = 1024 };

typedef enum hw_points_format {
    HW_POINTS_BY_NAME,        // a file that begins with "ply" is one; .csv and .tsv; all other names as .xyz
    HW_POINTS_PLY,
    HW_POINTS_XYZ,
    HW_POINTS_CSV,
} hw_points_format;

// Points into itself: not to be copied.
typedef struct hw_points {
    DLTensor tensor;          // (n, d), contiguous, kDLCPU, f32 or f64
    int64_t shape[2];
    void *memory;
} hw_points;

// Reads a file to its end, or to the end of its vertices. "-": standard input. bits: 32 or 64 for f32 or f64; 0: what
// keeps every coordinate (f32 for a .ply with coordinates of float or of 16 bits at most, else f64). Memory grows with
// what has been read, whatever the file promises. HW_IO, HW_NO_MEMORY; HW_MALFORMED, with the line: what is wrong with
// it; HW_UNSUPPORTED: a .ply of another version or type, more than HW_POINTS_MAX_DIMS columns. Zero-initialised on
// failure. Free with hw_points_close.
hw_status hw_points_open(const char *path, hw_points_format format, uint32_t bits, hw_points *points, hw_diag *diag);

// Reads points from n_bytes in memory as hw_points_open does from a file. name: for messages.
hw_status hw_points_parse(const void *bytes, size_t n_bytes, const char *name, hw_points_format format, uint32_t bits,
                          hw_points *points, hw_diag *diag);
void hw_points_close(hw_points *points);

// Whether a name ends like one of a file of points: .ply, .xyz, .csv, .tsv, .txt, .pts or .asc, in any case.
bool hw_points_is_name(const char *path);

#endif
