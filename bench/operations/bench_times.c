// Times, and what is said of them.
#include <stdlib.h>

#include "bench.h"

void hw_bench_times_add(hw_bench_times *times, double ns) {
    if (times->n < HW_BENCH_SAMPLES) times->ns[times->n++] = ns;
}

static int ascending_times(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The value below which a share of the sorted samples lies, interpolated.
static double quantile_of_times(const hw_bench_times *times, double share) {
    double at = share * (times->n - 1);
    int below = (int)at;
    double above = times->ns[below + 1 < times->n ? below + 1 : below];
    return times->ns[below] + (at - below) * (above - times->ns[below]);
}

void hw_bench_times_finish(hw_bench_times *times) {
    if (!times->n) return;
    qsort(times->ns, (size_t)times->n, sizeof times->ns[0], ascending_times);
    times->median = quantile_of_times(times, 0.5);
    times->minimum = times->ns[0];
    times->maximum = times->ns[times->n - 1];
    times->spread_pct =
        times->median > 0 ? 100 * (quantile_of_times(times, 0.75) - quantile_of_times(times, 0.25)) / times->median : 0;
}
