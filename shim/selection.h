// Which launches are counted: what --kernel, --skip and --count of halfwarp profile ask for.
#ifndef HW_SHIM_SELECTION_H
#define HW_SHIM_SELECTION_H

#include <stdbool.h>

#include "shim/environment.h"

// Is the next launch, of that kernel (its mangled name), to be counted? Asked once for each launch, in their order;
// launches come one after the other. The process's own count of matching launches decides what is skipped.
bool hw_selection_takes(const hw_environment *environment, const char *mangled);

// Is this launch, of `index` before it, to be executed at all (--only)? Of the first that is not, a sentence says so.
bool hw_selection_executes(const hw_environment *environment, const char *mangled, uint64_t index);

#endif
