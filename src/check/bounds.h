// Accesses outside of the memory that they should stay in, of freed memory, and misaligned ones.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_BOUNDS_H
#define HW_CHECK_BOUNDS_H

#include "event/event.h"

// Accesses of the running launch that cannot be made.
void hw_check_tell_stray(hw_sink *sink, uint32_t worker, const hw_stray *stray);

#endif
