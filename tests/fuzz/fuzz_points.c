// Files of points from anywhere, as each of the formats: nothing is read outside, memory stays in proportion, and what
// is accepted is an array of n rows of at least one coordinate.
#include <stdint.h>

#include "io/points.h"

static void parse(const uint8_t *data, size_t size, hw_points_format format, uint32_t bits) {
    hw_points points;
    hw_diag diag = {0};
    const hw_status status = hw_points_parse(data, size, "input", format, bits, &points, &diag);
    if (status) {
        if (!diag.text[0] || points.memory || points.tensor.ndim) __builtin_trap();
        return;
    }
    if (points.shape[0] < 0 || points.shape[1] < 1 || points.shape[1] > HW_POINTS_MAX_DIMS) __builtin_trap();
    if ((uint64_t)points.shape[0] > size) __builtin_trap();   // every row took a byte at least
    const uint32_t bytes = points.tensor.dtype.bits / 8;
    volatile uint8_t last = 0;
    const uint64_t all = (uint64_t)points.shape[0] * (uint64_t)points.shape[1] * bytes;
    if (all) last = ((const uint8_t *)points.memory)[all - 1];
    (void)last;
    hw_points_close(&points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    parse(data, size, HW_POINTS_BY_NAME, 0);
    parse(data, size, HW_POINTS_PLY, 64);
    parse(data, size, HW_POINTS_XYZ, 32);
    parse(data, size, HW_POINTS_CSV, 0);
    return 0;
}
