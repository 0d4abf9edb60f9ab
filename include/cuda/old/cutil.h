// The host's half of cutil, which programs of CUDA 1 to 4 took from the examples' SDK: command lines, clocks,
// comparisons, and the macros around calls. What reads and writes files and images is not here.
//
// Functions return CUTTrue or CUTFalse, as there. A macro that fails says where on stderr, and ends the program with 1.
#ifndef HALFWARP_CUTIL_H
#define HALFWARP_CUTIL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_removed.h"

typedef enum { CUTFalse = 0, CUTTrue = 1 } CUTBoolean;

// ---- Command lines: -name, --name, -name=value ----

// Behind the '=' of the last argument of this name; "" if it has none, NULL if there is no such argument.
static inline const char *halfwarp_cut_value(int argc, const char **argv, const char *name) {
    const size_t length = strlen(name);
    const char *value = NULL;
    for (int i = 1; i < argc; i++) {
        const char *at = argv[i];
        if (*at != '-') continue;
        while (*at == '-') at++;
        if (strncmp(at, name, length) != 0 || (at[length] && at[length] != '=')) continue;
        value = at[length] ? at + length + 1 : "";
    }
    return value;
}

static inline CUTBoolean cutCheckCmdLineFlag(const int argc, const char **argv, const char *name) {
    return halfwarp_cut_value(argc, argv, name) ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutGetCmdLineArgumenti(const int argc, const char **argv, const char *name, int *value) {
    const char *text = halfwarp_cut_value(argc, argv, name);
    if (!text || !*text) return CUTFalse;
    *value = atoi(text);
    return CUTTrue;
}

static inline CUTBoolean cutGetCmdLineArgumentf(const int argc, const char **argv, const char *name, float *value) {
    const char *text = halfwarp_cut_value(argc, argv, name);
    if (!text || !*text) return CUTFalse;
    *value = (float)atof(text);
    return CUTTrue;
}

// *value is freed with cutFree.
static inline CUTBoolean cutGetCmdLineArgumentstr(const int argc, const char **argv, const char *name, char **value) {
    const char *text = halfwarp_cut_value(argc, argv, name);
    if (!text || !*text) return CUTFalse;
    *value = (char *)malloc(strlen(text) + 1);
    if (!*value) return CUTFalse;
    strcpy(*value, text);
    return CUTTrue;
}

static inline void cutFree(void *memory) { free(memory); }

// ---- The host's clock, milliseconds ----

enum { HALFWARP_CUT_TIMERS = 256 };

typedef struct {
    double since, total;
    unsigned int stops;
    int is_used, is_running;
} halfwarp_cut_timer;

// Weak: all files of a program have the same, as they had in cutil's library.
__attribute__((weak)) halfwarp_cut_timer halfwarp_cut_timers[HALFWARP_CUT_TIMERS];

static inline double halfwarp_cut_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// NULL: there is none of this number.
static inline halfwarp_cut_timer *halfwarp_cut_timer_of(unsigned int number) {
    return number < HALFWARP_CUT_TIMERS && halfwarp_cut_timers[number].is_used ? &halfwarp_cut_timers[number] : NULL;
}

static inline CUTBoolean cutCreateTimer(unsigned int *number) {
    for (unsigned int i = 0; i < HALFWARP_CUT_TIMERS; i++) {
        if (halfwarp_cut_timers[i].is_used) continue;
        memset(&halfwarp_cut_timers[i], 0, sizeof halfwarp_cut_timers[i]);
        halfwarp_cut_timers[i].is_used = 1;
        *number = i;
        return CUTTrue;
    }
    return CUTFalse;
}

static inline CUTBoolean cutDeleteTimer(unsigned int number) {
    halfwarp_cut_timer *timer = halfwarp_cut_timer_of(number);
    if (timer) timer->is_used = 0;
    return timer ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutStartTimer(unsigned int number) {
    halfwarp_cut_timer *timer = halfwarp_cut_timer_of(number);
    if (!timer) return CUTFalse;
    timer->since = halfwarp_cut_now();
    timer->is_running = 1;
    return CUTTrue;
}

static inline CUTBoolean cutStopTimer(unsigned int number) {
    halfwarp_cut_timer *timer = halfwarp_cut_timer_of(number);
    if (!timer) return CUTFalse;
    if (timer->is_running) timer->total += halfwarp_cut_now() - timer->since;
    timer->stops += timer->is_running ? 1 : 0;
    timer->is_running = 0;
    return CUTTrue;
}

static inline CUTBoolean cutResetTimer(unsigned int number) {
    halfwarp_cut_timer *timer = halfwarp_cut_timer_of(number);
    if (!timer) return CUTFalse;
    timer->total = 0;
    timer->stops = 0;
    timer->since = halfwarp_cut_now();
    return CUTTrue;
}

static inline float cutGetTimerValue(unsigned int number) {
    const halfwarp_cut_timer *timer = halfwarp_cut_timer_of(number);
    if (!timer) return -1;
    return (float)(timer->total + (timer->is_running ? halfwarp_cut_now() - timer->since : 0));
}

static inline float cutGetAverageTimerValue(unsigned int number) {
    const halfwarp_cut_timer *timer = halfwarp_cut_timer_of(number);
    if (!timer) return -1;
    return (float)(timer->stops ? timer->total / timer->stops : 0);
}

// ---- Comparisons with a reference ----

static inline CUTBoolean cutComparefe(const float *reference, const float *data, const unsigned int length,
                                      const float epsilon) {
    for (unsigned int i = 0; i < length; i++)
        if (!(fabsf(reference[i] - data[i]) <= epsilon)) return CUTFalse;
    return CUTTrue;
}

static inline CUTBoolean cutComparef(const float *reference, const float *data, const unsigned int length) {
    return cutComparefe(reference, data, length, 0);
}

static inline CUTBoolean cutComparei(const int *reference, const int *data, const unsigned int length) {
    for (unsigned int i = 0; i < length; i++)
        if (reference[i] != data[i]) return CUTFalse;
    return CUTTrue;
}

// Is the error's length less than epsilon times the reference's?
static inline CUTBoolean cutCompareL2fe(const float *reference, const float *data, const unsigned int length,
                                        const float epsilon) {
    double error = 0, whole = 0;
    for (unsigned int i = 0; i < length; i++) {
        error += ((double)reference[i] - data[i]) * ((double)reference[i] - data[i]);
        whole += (double)reference[i] * reference[i];
    }
    return whole > 0 && sqrt(error / whole) < epsilon ? CUTTrue : CUTFalse;
}

// ---- Around calls ----

static inline void halfwarp_cut_check(cudaError_t error, const char *what, const char *file, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

static inline void halfwarp_cut_require(int holds, const char *what, const char *file, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: %s is not true\n", file, line, what);
    exit(EXIT_FAILURE);
}

#define CUDA_SAFE_CALL_NO_SYNC(call) halfwarp_cut_check((call), #call, __FILE__, __LINE__)
#define CUDA_SAFE_CALL(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define CUT_SAFE_CALL(call) halfwarp_cut_require(CUTTrue == (call), #call, __FILE__, __LINE__)
#define CUT_CONDITION(holds) halfwarp_cut_require(!!(holds), #holds, __FILE__, __LINE__)
#define CUT_CHECK_ERROR(message)                                                  \
    do {                                                                          \
        halfwarp_cut_check(cudaGetLastError(), message, __FILE__, __LINE__);      \
        halfwarp_cut_check(cudaDeviceSynchronize(), message, __FILE__, __LINE__); \
    } while (0)
// There it counted conflicts in emulation; `profile` counts all.
#define CUT_BANK_CHECKER(array, index) (array)[index]

// -device=N, or the first.
static inline void halfwarp_cut_choose(int argc, char **argv) {
    int device = 0;
    cutGetCmdLineArgumenti(argc, (const char **)argv, "device", &device);
    CUDA_SAFE_CALL(cudaSetDevice(device));
}

#define CUT_DEVICE_INIT(argc, argv) halfwarp_cut_choose(argc, argv)
#define CUT_EXIT(argc, argv) exit(EXIT_SUCCESS)         // there it waited for a key, unless told -noprompt

#endif
