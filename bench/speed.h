// The parts of the speed benchmark.
#ifndef HW_BENCH_SPEED_H
#define HW_BENCH_SPEED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Times of one thing done again and again, milliseconds.
typedef struct samples {
    double ms[256];
    int n;
} samples;

typedef struct summary {
    double median, minimum, maximum;
    double spread_pct;   // between the quartiles, of the median
} summary;

void add_sample(samples *s, double ms);
summary summarise(samples *s);   // sorts them
json_t *summary_json(const summary *s);

// native.c: the same jobs as plain C loops on one thread, n x n. Each returns false when its result is wrong.
typedef bool (*native_job)(int n, int repetitions, samples *times);
bool native_transpose(int n, int repetitions, samples *times);
bool native_transpose_tile(int n, int repetitions, samples *times);
bool native_matmul(int n, int repetitions, samples *times);

// profile.c: runs `halfwarp profile` on a program of SIZE and LAUNCHES and adds host_ms of each launch.
// thread_inst: of one launch. False after a message on stderr.
typedef struct profile_run {
    const char *halfwarp, *gpu, *program, *csv_path;
    int size, launches;
} profile_run;
bool run_profile(const profile_run *run, samples *times, double *thread_inst);

// machine.c
json_t *machine_json(void);

#endif
