// The parts of the speed benchmark.
#ifndef HW_BENCH_SPEED_H
#define HW_BENCH_SPEED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "operations/bench_times.h"

// Times are in milliseconds.
json_t *summary_json(const hw_bench_times *times);

// native.c: the same jobs as plain C loops on one thread, n x n. Each returns false when its result is wrong.
typedef bool (*native_job)(int n, int repetitions, hw_bench_times *times);
bool native_transpose(int n, int repetitions, hw_bench_times *times);
bool native_transpose_tile(int n, int repetitions, hw_bench_times *times);
bool native_matmul(int n, int repetitions, hw_bench_times *times);

// profile.c: runs `halfwarp profile` on a program of SIZE and LAUNCHES and adds host_ms of each launch.
// thread_inst: of one launch. False after a message on stderr.
typedef struct profile_run {
    const char *halfwarp, *gpu, *program, *csv_path;
    int size, launches;
} profile_run;
bool run_profile(const profile_run *run, hw_bench_times *times, double *thread_inst);

// machine.c
json_t *machine_json(void);

#endif
