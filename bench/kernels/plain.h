// What programs of this folder share with those that do the same without CUDA (bench/peers/kinds): the data they work
// on, the clock, and what they print, by which bench/kinds.py compares them. C and C++.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

// ---- data: the same in every run ------------------------------------------------------------------------------------

// From 0 to below 1.
static inline void fill_numbers(float *values, size_t count) {
    unsigned state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / 16777216.0f;
    }
}

static inline void fill_random(unsigned *words, size_t count) {
    unsigned state = 7;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        words[i] = state * 2654435769u >> 1;
    }
}

// rows: n + 1 offsets into columns, which has room for 31 n, as of a sparse matrix or a graph. A row has 0 to 31
// columns.
static inline void fill_rows(unsigned *rows, unsigned *columns, const unsigned *random, int n) {
    size_t count = 0;
    rows[0] = 0;
    for (int i = 0; i < n; i++) {
        for (unsigned k = random[i] % 32; k; k--, count++)
            columns[count] = (unsigned)(count * 2654435769ull >> 7) % (unsigned)n;
        rows[i + 1] = (unsigned)count;
    }
}

// Whole and half numbers from -4 to 3.5, exact in half precision, of a number from 0 to below 1.
static inline float half_of(float number) { return (floorf(number * 16) - 8) * 0.5f; }

// ---- what is printed: a line for each launch, and one for the result ------------------------------------------------

// When a launch began, by the clock and by what this process has had of the processors.
typedef struct {
    double ms, processor_ms;
} moment;

static inline double clock_ms(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
static inline moment moment_now(void) {
    moment now = {clock_ms(CLOCK_MONOTONIC), clock_ms(CLOCK_PROCESS_CPUTIME_ID)};
    return now;
}

static inline void print_launch(moment begun) {
    moment now = moment_now();
    printf("launch %.5f %.5f\n", now.ms - begun.ms, now.processor_ms - begun.processor_ms);
}

// Sums with weights, so that elements at wrong places are seen, and of magnitudes, which says what rounding may cost.
static inline void print_floats(const float *values, size_t count) {
    double sum = 0, magnitude = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i] * (double)(1 + i % 61);
        magnitude += fabs(values[i] * (double)(1 + i % 61));
    }
    printf("floats %.17g %.17g\n", sum, magnitude);
}

static inline void print_words(const unsigned *values, size_t count) {
    unsigned long long sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i] * (1 + i % 61);
    printf("words %llu\n", sum);
}
