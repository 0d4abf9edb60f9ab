#include "bins.h"

#include "histogram.h"

__device__ int bin_of(float value) { return min(max(static_cast<int>(value * BINS), 0), BINS - 1); }
