// What a rung's copies and kernels take by a simulated GPU's clock.
#ifndef HW_LADDER_CLOCK_H
#define HW_LADDER_CLOCK_H

#include "device/sim.h"
#include "prof/prof.h"

typedef struct hw_ladder_clock hw_ladder_clock;

// prof counts the launches, and has been attached to sim before. HW_NO_MEMORY.
hw_status hw_ladder_clock_create(hw_sim *sim, hw_prof *prof, hw_ladder_clock **out, hw_diag *diag);
void hw_ladder_clock_destroy(hw_ladder_clock *clock);   // NULL is allowed

// Between them: what is timed, until all of it is done.
void hw_ladder_clock_start(hw_ladder_clock *clock);
void hw_ladder_clock_stop(hw_ladder_clock *clock);
// Microseconds, and those of the copies alone, one after the other.
void hw_ladder_clock_read(const hw_ladder_clock *clock, double *us, double *copies_us);

#endif
