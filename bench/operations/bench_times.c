// Medians and quartiles.
#include "operations/bench_times.h"

#include <stdlib.h>

void hw_bench_times_add(hw_bench_times *times, double time) {
    if (times->n < HW_BENCH_SAMPLES) times->each[times->n++] = time;
}

static int ascending_times(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The value below which a share of the sorted samples lies, interpolated.
static double quantile_of_times(const hw_bench_times *times, double share) {
    double at = share * (times->n - 1);
    int below = (int)at;
    double above = times->each[below + 1 < times->n ? below + 1 : below];
    return times->each[below] + (at - below) * (above - times->each[below]);
}

void hw_bench_times_finish(hw_bench_times *times) {
    if (!times->n) return;
    qsort(times->each, (size_t)times->n, sizeof times->each[0], ascending_times);
    times->median = quantile_of_times(times, 0.5);
    times->minimum = times->each[0];
    times->maximum = times->each[times->n - 1];
    times->spread_pct =
        times->median > 0 ? 100 * (quantile_of_times(times, 0.75) - quantile_of_times(times, 0.25)) / times->median : 0;
}
