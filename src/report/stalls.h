// The time of a kernel's estimate, spread over its source lines: where its warps stand, and what they wait for.
#ifndef HW_REPORT_STALLS_H
#define HW_REPORT_STALLS_H

#include "prof/prof.h"

typedef enum hw_stall_cause {
    HW_STALL_MEMORY,                     // global and local memory: waits for it, and its turn where it is busy
    HW_STALL_SHARED,                     // shared memory, and its banks
    HW_STALL_BARRIERS,
    HW_STALL_INSTRUCTIONS,               // results of instructions before, and a place in a pipe
    HW_STALL_CAUSES
} hw_stall_cause;

typedef struct hw_stall {
    double us[HW_STALL_CAUSES];          // of all launches of the kernel
} hw_stall;

// Of each line of a listing of all launches of a kernel (HW_LINES_OF_KERNEL). The sum over lines and causes is the
// estimate of the launches that completed, without what it takes to start them; 0 of other listings. What warps wait
// is spread by the loads, atomics, results and barriers of a line, which are taken for equal among themselves (no line
// waits longer for an atomic or a fence), and what the busiest resource takes beyond by what lines ask of it.
// To be freed with hw_free; NULL: out of memory.
hw_stall *hw_report_stalls(const hw_report *report, const hw_report_kernel *kernel);

double hw_stall_us(const hw_stall *stall);
// "memory", "shared", "barriers", "instructions": the largest part; NULL where there is none.
const char *hw_stall_cause_name(const hw_stall *stall);

#endif
