// How long the program's threads work by themselves, between their calls: by the processor's time on this machine, as
// the GPU's clock knows nothing of it. Measured where the host's calls are kept as well (HALFWARP_TRACE).
#ifndef HW_RUNTIME_OWN_WORK_H
#define HW_RUNTIME_OWN_WORK_H

#include <stdbool.h>

// From now on. What the thread has done before is not the program's own work.
void hw_rt_watch_own_work(void);

// A thread of the program's comes into a call, and leaves it; calls may make others.
bool hw_rt_enter_call(void);
void hw_rt_leave_call(const bool *entered);

// Until the end of the block that it stands in the thread is in a call.
#define HW_IN_CALL() \
    __attribute__((cleanup(hw_rt_leave_call), unused)) const bool hw_is_in_call = hw_rt_enter_call()

// Microseconds that have been measured since the last time. The thread that asks counts as one that works.
double hw_rt_take_own_work(void);

#endif
