#pragma once

// Which bin a value of [0, 1) lies in; defined in bins.cu.
__device__ int bin_of(float value);
