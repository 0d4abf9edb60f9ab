// Reads the words of bench/cases.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "op/common/family.h"

int hw_bench_read_numbers(const char *text, int64_t most, int64_t numbers[HW_BENCH_RANK]) {
    int count = 0;
    for (;;) {
        char *end;
        if (!isdigit((unsigned char)*text) || count == HW_BENCH_RANK) return -1;
        numbers[count] = strtoll(text, &end, 10);
        if (numbers[count++] > most) return -1;
        if (!*end) return count;
        if (*end != ',') return -1;
        text = end + 1;
    }
}

bool hw_bench_read_dtype(const char *text, DLDataType *dtype) {
    return hw_dtype_find(text, dtype) && dtype->bits % 8 == 0;
}

bool hw_bench_size(const int64_t *shape, int n, size_t bytes_each, size_t *bytes) {
    *bytes = bytes_each;
    for (int k = 0; k < n; k++)
        if (__builtin_mul_overflow(*bytes, (size_t)shape[k], bytes)) return false;
    return *bytes <= SIZE_MAX / 4;
}
