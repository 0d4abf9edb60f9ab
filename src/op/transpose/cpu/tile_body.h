// The register tiles of one instruction-set level. The file that includes this has defined
//
//   lane, vec              vectors of 16 bytes and of VEC bytes, which is seen as lanes of 16
//   LO_1 .. LO_8(a, b)     in each lane, the elements of a's and b's lower halves in turn: a0 b0 a1 b1 ...
//   HI_1 .. HI_8(a, b)     the same of the upper halves
//   LANE(v, l)             lane l
//   STREAM(to, v)          writes v to an aligned address past the cache
//   NARROWER(i)            the function of shorter vectors for elements of 2^i bytes, or NULL
//
// An S x S square, S = 16 / elem, is transposed in log2 S rounds: rows i and i + S/2 are interleaved into rows 2i and
// 2i + 1. A vector of several lanes does several squares side by side: S rows of VEC bytes each are read, so that with
// the longest vectors a row is a whole cache line, and every line is touched once.
//
// The ends of rows and columns are done by squares that lie over their neighbours; what is smaller than one square is
// done element by element.

#include <string.h>

#include "op/transpose/cpu/tile.h"

#define UNROLL _Pragma("GCC unroll 16")
#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const char *from) {
    vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void store_lane(char *to, lane v) { memcpy(to, &v, sizeof v); }

// One round for S rows.
#define ROUND(LO, HI, v, S)                                                                                            \
    do {                                                                                                               \
        vec next_[S];                                                                                                  \
        UNROLL for (int i = 0; i < (S) / 2; i++) {                                                                     \
            next_[2 * i] = LO(v[i], v[i + (S) / 2]);                                                                   \
            next_[2 * i + 1] = HI(v[i], v[i + (S) / 2]);                                                               \
        }                                                                                                              \
        UNROLL for (int i = 0; i < (S); i++) v[i] = next_[i];                                                          \
    } while (0)

INLINE void read_rows(vec *v, int s, const char *from, ptrdiff_t pitch) {
    UNROLL for (int i = 0; i < s; i++) v[i] = load(from + i * pitch);
}

INLINE void write_columns(const vec *v, int s, char *to, ptrdiff_t pitch) {
    UNROLL for (int i = 0; i < s; i++) store_lane(to + i * pitch, LANE(v[i], 0));
#if VEC >= 32
    UNROLL for (int i = 0; i < s; i++) store_lane(to + (s + i) * pitch, LANE(v[i], 1));
#endif
#if VEC >= 64
    UNROLL for (int i = 0; i < s; i++) store_lane(to + (2 * s + i) * pitch, LANE(v[i], 2));
    UNROLL for (int i = 0; i < s; i++) store_lane(to + (3 * s + i) * pitch, LANE(v[i], 3));
#endif
}

// Squares side by side: 16 / elem rows of VEC bytes.
typedef void squares(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch);

INLINE void squares_1(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch) {
    vec v[16];
    read_rows(v, 16, from, from_pitch);
    ROUND(LO_1, HI_1, v, 16);
    ROUND(LO_1, HI_1, v, 16);
    ROUND(LO_1, HI_1, v, 16);
    ROUND(LO_1, HI_1, v, 16);
    write_columns(v, 16, to, to_pitch);
}

INLINE void squares_2(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch) {
    vec v[8];
    read_rows(v, 8, from, from_pitch);
    ROUND(LO_2, HI_2, v, 8);
    ROUND(LO_2, HI_2, v, 8);
    ROUND(LO_2, HI_2, v, 8);
    write_columns(v, 8, to, to_pitch);
}

INLINE void squares_4(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch) {
    vec v[4];
    read_rows(v, 4, from, from_pitch);
    ROUND(LO_4, HI_4, v, 4);
    ROUND(LO_4, HI_4, v, 4);
    write_columns(v, 4, to, to_pitch);
}

INLINE void squares_8(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch) {
    vec v[2];
    read_rows(v, 2, from, from_pitch);
    ROUND(LO_8, HI_8, v, 2);
    write_columns(v, 2, to, to_pitch);
}

INLINE void squares_16(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch) {
    (void)from_pitch;
    vec v = load(from);
    write_columns(&v, 1, to, to_pitch);
}

INLINE void by_columns(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows, size_t cols,
                       size_t elem) {
    for (size_t c = 0; c < cols; c++, from += elem, to += to_pitch)
        for (size_t r = 0; r < rows; r++) memcpy(to + r * elem, from + (ptrdiff_t)r * from_pitch, elem);
}

INLINE void by_rows(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows, size_t cols,
                    size_t elem) {
    for (size_t r = 0; r < rows; r++, from += from_pitch, to += elem)
        for (size_t c = 0; c < cols; c++) memcpy(to + (ptrdiff_t)c * to_pitch, from + c * elem, elem);
}

// The shorter side is the inner loop, and a constant where it is very short.
INLINE void singly(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows, size_t cols,
                   size_t elem) {
    if (rows < cols) {
        switch (rows) {
            case 2: by_columns(from, from_pitch, to, to_pitch, 2, cols, elem); break;
            case 3: by_columns(from, from_pitch, to, to_pitch, 3, cols, elem); break;
            case 4: by_columns(from, from_pitch, to, to_pitch, 4, cols, elem); break;
            default: by_columns(from, from_pitch, to, to_pitch, rows, cols, elem); break;
        }
    } else {
        switch (cols) {
            case 2: by_rows(from, from_pitch, to, to_pitch, rows, 2, elem); break;
            case 3: by_rows(from, from_pitch, to, to_pitch, rows, 3, elem); break;
            case 4: by_rows(from, from_pitch, to, to_pitch, rows, 4, elem); break;
            default: by_rows(from, from_pitch, to, to_pitch, rows, cols, elem); break;
        }
    }
}

// Transposes all rows and columns in steps of a square; the last step overlaps the one before.
INLINE void tile(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows, size_t cols,
                 size_t elem, squares *wide, hw_tile_transpose *narrower) {
    const size_t side = 16 / elem, width = VEC / elem;
    if (narrower && cols < width) {
        narrower(from, from_pitch, to, to_pitch, rows, cols);
        return;
    }
    if (rows < side || cols < width) {
        singly(from, from_pitch, to, to_pitch, rows, cols, elem);
        return;
    }
    for (size_t r = 0;; r += side) {
        if (r > rows - side) r = rows - side;
        const char *row = from + (ptrdiff_t)r * from_pitch;
        char *column = to + r * elem;
        for (size_t c = 0;; c += width) {
            if (c > cols - width) c = cols - width;
            wide(row + c * elem, from_pitch, column + (ptrdiff_t)c * to_pitch, to_pitch);
            if (c + width == cols) break;
        }
        if (r + side == rows) break;
    }
}

static void transpose_1(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows,
                        size_t cols) {
    tile(from, from_pitch, to, to_pitch, rows, cols, 1, squares_1, NARROWER(0));
}

static void transpose_2(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows,
                        size_t cols) {
    tile(from, from_pitch, to, to_pitch, rows, cols, 2, squares_2, NARROWER(1));
}

static void transpose_4(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows,
                        size_t cols) {
    tile(from, from_pitch, to, to_pitch, rows, cols, 4, squares_4, NARROWER(2));
}

static void transpose_8(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows,
                        size_t cols) {
    tile(from, from_pitch, to, to_pitch, rows, cols, 8, squares_8, NARROWER(3));
}

static void transpose_16(const char *from, ptrdiff_t from_pitch, char *to, ptrdiff_t to_pitch, size_t rows,
                         size_t cols) {
    tile(from, from_pitch, to, to_pitch, rows, cols, 16, squares_16, NARROWER(4));
}

static void stream(char *to, const char *from, size_t bytes) {
    size_t head = -(uintptr_t)to % 64;
    if (head > bytes) head = bytes;
    memcpy(to, from, head);
    for (to += head, from += head, bytes -= head; bytes >= 64; to += 64, from += 64, bytes -= 64)
        UNROLL for (int i = 0; i < 64; i += VEC) STREAM(to + i, load(from + i));
    memcpy(to, from, bytes);
}
