// Times of one thing that is done again and again, and what is said of them.
#ifndef HW_BENCH_TIMES_H
#define HW_BENCH_TIMES_H

enum { HW_BENCH_SAMPLES = 256 };

typedef struct hw_bench_times {
    double each[HW_BENCH_SAMPLES];           // in the unit of whoever adds them
    int n;
    double median, minimum, maximum;         // 0 until they are finished
    double spread_pct;                       // between the quartiles, of the median
} hw_bench_times;

// One more than HW_BENCH_SAMPLES is dropped.
void hw_bench_times_add(hw_bench_times *times, double time);
void hw_bench_times_finish(hw_bench_times *times);   // sorts

#endif
