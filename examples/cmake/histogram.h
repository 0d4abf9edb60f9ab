// Counts how often each of 16 bins is met by `count` numbers.
#pragma once

enum { BINS = 16 };

void count_bins(const float *values, int count, int *bins);
