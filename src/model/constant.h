// Constant memory: a warp's read takes a pass for each different address.
#ifndef HW_MODEL_CONSTANT_H
#define HW_MODEL_CONSTANT_H

#include "isa/gpu.h"

// Passes of one read by the lanes in mask at base + delta[lane]; one pass reads one word for all lanes that read that
// word. 1.x reads by half-warps. 0 for mask 0. Pure. Source: programming guide 4.2, F.3.2.3 and 5.3.2.4 (hits in the
// cache).
uint32_t hw_constant_passes(const hw_arch *arch, uint32_t mask, const int64_t delta[32]);

#endif
