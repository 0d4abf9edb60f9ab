// A profile that was written as JSON, read again: for comparisons and whatever else looks at a run that is over.
#ifndef HW_REPORT_PROFILE_FILE_H
#define HW_REPORT_PROFILE_FILE_H

#include <stdio.h>

#include "base/arena.h"
#include "report/summary.h"

typedef struct hw_profile {
    hw_report report;                // without launches where the file has kernels alone (--summary)
    const hw_report_summary *kernels;    // of its launches, or as the file has them; the most time first
    size_t n_kernels;
} hw_profile;

// Everything is in the arena. Columns that an older release did not write are 0. Mangled names that are not in the file
// are the kernels' names; the work that estimates were made of is not there; whatever stopped a launch is HW_FAULT. A
// GPU that is not known by its id has its compute capability alone. name: what messages call the file. HW_MALFORMED
// where it is no profile, HW_NO_MEMORY.
hw_status hw_profile_read(FILE *in, const char *name, hw_arena *arena, hw_profile *out, hw_diag *diag);

#endif
