// What the tests of operations share: a device to run them on, numbers at random, and a look at what explanations say.
// Each test that uses numbers at random begins with a seed of its own.
#ifndef HW_TEST_OP_TEST_H
#define HW_TEST_OP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halfwarp.h"

// ---- Devices --------------------------------------------------------------------------------------------------------

// The device with kernels that most tests run on: a simulated one, but for HW_TEST_DEVICE.
static inline const char *usual_device(void) {
    const char *name = getenv("HW_TEST_DEVICE");
    return name ? name : "sim:h200";
}

// Kernels are compiled once for all tests. memory_limit and threads as in hw_device_options.
static inline hw_device *open_device_with(const char *name, uint64_t memory_limit, uint32_t threads) {
    const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH"),
                                       .memory_limit_bytes = memory_limit, .threads = threads};
    hw_device *opened = NULL;
    hw_diag diag = {0};
    if (hw_device_open(name, &options, &opened, &diag)) fail_msg("%s: %s", name, diag.text);
    return opened;
}

static inline hw_device *open_device(const char *name) { return open_device_with(name, 0, 0); }

// NULL when there is none, as on machines without a GPU.
static inline hw_device *find_device(const char *name) {
    const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
    hw_device *found = NULL;
    return hw_device_open(name, &options, &found, NULL) ? NULL : found;
}

// ---- Numbers at random ----------------------------------------------------------------------------------------------

static uint64_t seed = 0x853c49e6748fea9bu;   // not 0

// Marsaglia's xorshift, multiplied (Vigna 2016).
static inline uint64_t random_bits(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1du;
}

static inline uint32_t below(uint32_t n) { return (uint32_t)((random_bits() >> 32) % n); }

// 0 to n - 1 in any order.
static inline void shuffle(int *list, int n) {
    for (int k = 0; k < n; k++) list[k] = k;
    for (int k = n - 1; k > 0; k--) {
        const int other = (int)below((uint32_t)k + 1), kept = list[k];
        list[k] = list[other];
        list[other] = kept;
    }
}

// ---- Cases that sanitizers do without -------------------------------------------------------------------------------

static inline bool is_sanitized(void) {
#ifdef HW_SANITIZED
    return true;
#else
    return false;
#endif
}

// Kernels are simulated by code that is not optimised there, and what sanitizers find is found by a part of the cases:
// true for all calls but every tenth. A case that runs leaves the seed as it was, like one that is left out: so the
// cases that follow are those of the plain build, which has compiled their kernels.
static inline bool is_left_out(void) {
    static unsigned calls;
    return is_sanitized() && calls++ % 10 != 0;
}

// ---- Explanations ---------------------------------------------------------------------------------------------------

// "1 blocks", and the like; but "1 x 1 tiles".
static inline bool has_one_of_many(const char *text) {
    for (const char *at = text; (at = strstr(at, "1 ")); at++) {
        const bool is_one = at == text || !strchr("0123456789.", at[-1]);
        const bool is_by = at >= text + 3 && strncmp(at - 3, " x ", 3) == 0;
        const char *end = at + 2;
        while (*end >= 'a' && *end <= 'z') end++;
        if (is_one && !is_by && end > at + 3 && end[-1] == 's') return true;
    }
    return false;
}

static inline void expect_grammar(const char *text) {
    if (has_one_of_many(text)) fail_msg("one of many: %s", text);
}

#endif
