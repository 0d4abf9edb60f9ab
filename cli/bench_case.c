// Reads the rows of bench/cases.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { MOST_BYTES = 1 << 30 };   // of an extent

// "f32", "c128": a letter and bits.
static bool read_dtype(hw_bench_case *out) {
    char *end;
    long bits = strtol(out->dtype + 1, &end, 10);
    out->elem_bytes = (uint32_t)bits / 8;
    return strchr("fiuc", out->dtype[0]) && isdigit((unsigned char)out->dtype[1]) && !*end && bits % 8 == 0 &&
           bits >= 8 && bits <= 128 && (bits & (bits - 1)) == 0;
}

// "8192,6000" into at most HW_BENCH_RANK numbers from 0 to `most`. How many; -1: wrong.
static int read_numbers(const char *text, long most, int64_t numbers[HW_BENCH_RANK]) {
    int count = 0;
    for (;;) {
        char *end;
        if (!isdigit((unsigned char)*text) || count == HW_BENCH_RANK) return -1;
        numbers[count] = strtol(text, &end, 10);
        if (numbers[count++] > most) return -1;
        if (!*end) return count;
        if (*end != ',') return -1;
        text = end + 1;
    }
}

int hw_bench_case_read(const char *line, hw_bench_case *out) {
    char more;
    int64_t axes[HW_BENCH_RANK];
    unsigned used = 0;
    *out = (hw_bench_case){0};
    line += strspn(line, " \t\r\n");
    if (!*line || *line == '#') return 0;
    if (sscanf(line, "%15s %7s %63s %31s %c", out->group, out->dtype, out->shape_text, out->axes_text, &more) != 4)
        return -1;
    out->in_place = strcmp(out->group, "inplace") == 0;
    out->rank = read_numbers(out->shape_text, MOST_BYTES, out->shape);
    if (out->rank < 1 || !read_dtype(out) || read_numbers(out->axes_text, out->rank - 1, axes) != out->rank) return -1;
    out->bytes = out->elem_bytes;
    for (int k = 0; k < out->rank; k++) {
        out->axes[k] = (int)axes[k];
        used |= 1u << axes[k];
        if (out->shape[k] == 0 || __builtin_mul_overflow(out->bytes, (size_t)out->shape[k], &out->bytes)) return -1;
    }
    return used == (1u << out->rank) - 1 ? 1 : -1;
}
