// Between state.c and registry.c.
#ifndef HW_SHIM_STATE_H
#define HW_SHIM_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "shim/environment.h"

const hw_environment *hw_shim_environment(void);

// hw_sim_options.place: where a managed variable of a program compiled by clang lies.
uint64_t hw_registry_place(void *context, const char *name, uint64_t bytes);

// The simulator and its modules are about to go.
void hw_registry_forget(void);

#endif
