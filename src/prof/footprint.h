// Which bytes a launch touches, told from the patterns of its accesses: memory moves whole pieces, and what neighbours
// use of a piece is not moved again. Addresses themselves are not kept, so this is a guess where a stride is long.
#ifndef HW_PROF_FOOTPRINT_H
#define HW_PROF_FOOTPRINT_H

#include "prof/internal.h"

// Largest common divisor of the distances between active lanes, in bytes, and of another such stride (0: none yet).
uint64_t hw_footprint_join(uint64_t stride, const hw_prof_pattern *pattern);

// The accesses of that stride, loads or stores: the fields of a structure share one. It starts empty. NULL: there are
// too many strides.
hw_footprint_group *hw_footprint_find(hw_footprint *footprint, bool is_store, uint64_t stride);

// The lanes of a pattern touch width bytes each. is_dense: they lie side by side.
void hw_footprint_touch(hw_footprint_group *group, const hw_prof_pattern *pattern, uint32_t phase, uint32_t width,
                        bool is_dense);

// Bytes of all pieces (32, 64 or 128) that are touched, for each byte that is: 1 when nothing is left out.
double hw_footprint_spread(const hw_footprint_group *group, uint32_t piece_bytes);
bool hw_footprint_is_whole(const hw_footprint_group *group);

#endif
