// For programs of C that call an interface of CUDA and know the answers: what is not so is printed and counted.
#ifndef HW_TEST_SHIM_EXPECT_H
#define HW_TEST_SHIM_EXPECT_H

#include <stdio.h>

static int failures;

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition); \
            failures++;                                            \
        }                                                          \
    } while (0)
#define IS(call, expected)                                                              \
    do {                                                                                \
        const int ended = (int)(call);                                                  \
        if (ended != (int)(expected)) {                                                 \
            printf("line %d: %d and not %s: %s\n", __LINE__, ended, #expected, #call);  \
            failures++;                                                                 \
        }                                                                               \
    } while (0)
#define GOOD(call) IS(call, 0)

#endif
