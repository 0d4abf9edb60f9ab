// A sink as docs/how-to-add-a-sink.md writes it: how many lanes of an atomic meet in one word, by source line.
#ifndef CONTENTION_H
#define CONTENTION_H

#include "event/event.h"

// Warp instructions at one source line, and how often they would be repeated if one lane at a time could have a word.
typedef struct contention_line {
    uint32_t line;
    uint64_t atomics, passes;
} contention_line;

typedef struct contention contention;

contention *contention_create(void);                    // NULL when out of memory
void contention_destroy(contention *contention);        // when it is no longer attached
hw_sink *contention_sink(contention *contention);
// Of the last launch: lines with atomics, n of them, in the order of the PTX. Until the next launch begins.
const contention_line *contention_lines(const contention *contention, uint32_t *n);

#endif
