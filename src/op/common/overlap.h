// Whether strided arrays share memory: exact, as long as the search stays short.
#ifndef HW_OP_OVERLAP_H
#define HW_OP_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

enum { HW_OVERLAP_TERMS = 2 * 32 + 1 };

// One unknown of 0 <= x <= most, times a factor of at least 1. The products of all terms of a problem, added up, stay
// below 2^63.
typedef struct hw_overlap_term {
    int64_t factor, most;
} hw_overlap_term;

typedef enum hw_overlap { HW_OVERLAP_NO, HW_OVERLAP_YES, HW_OVERLAP_UNKNOWN } hw_overlap;

// Is there a choice of x with sum(factor * x) = target? At most HW_OVERLAP_TERMS terms, in any order. Unknown when the
// search takes more than some ten thousand steps, which layouts of ordinary arrays never do. Terms are reordered.
hw_overlap hw_overlap_solve(hw_overlap_term *terms, uint32_t n_terms, int64_t target);

// Do two different elements of an array of rank axes share memory? Extents of at least 1.
hw_overlap hw_overlap_self(uint32_t rank, const uint64_t *n, const int64_t *stride);

#endif
