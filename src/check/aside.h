// Launches that wait for one that they have launched, or that has come of it (CUDA 11's cudaDeviceSynchronize in device
// code): put aside as they are, until that one has ended. Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_ASIDE_H
#define HW_CHECK_ASIDE_H

#include "check/internal.h"

// The running launch waits: there is none from now on. False: no memory, and it goes on.
bool hw_check_put_aside(hw_check *check);
// The innermost that waits is the running one again; there must be none.
void hw_check_take_back(hw_check *check);

// For hw_check_entries_sweep, before and after.
void hw_check_asides_mark(hw_check *check);
void hw_check_asides_move(hw_check *check);

#endif
