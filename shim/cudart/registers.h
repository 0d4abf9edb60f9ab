// Registers per thread as ptxas gives them.
#ifndef HW_SHIM_REGISTERS_H
#define HW_SHIM_REGISTERS_H

#include "shim/cudart/registry.h"

// Asks ptxas, if the environment says so and there is one, about all kernels of a loaded image; once. Takes as long as
// ptxas does unless its answer is in the cache.
void hw_registers_ask(hw_image *image);

#endif
