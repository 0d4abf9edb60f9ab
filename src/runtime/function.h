// What module.c, function.c and launch.c know of modules and functions. Internal to runtime/.
#ifndef HW_RUNTIME_FUNCTION_H
#define HW_RUNTIME_FUNCTION_H

#include "runtime/internal.h"
#include "runtime/module.h"

struct hw_rt_function {
    hw_sim_function *sim;
    hw_rt_module *module;
    int carveout, cache_preference, bank_preference;
};

struct hw_rt_module {
    hw_rt_module *next;
    hw_sim_module *sim;
    const char *ptx;
    size_t ptx_bytes;
    const void *container;             // as hw_rt_text
    size_t container_bytes;
    char *own_ptx;                     // NULL: the caller's
    bool regs_are_asked;
    hw_rt_function *functions;         // by the address of their hw_sim_function
    size_t n_functions;
};

// function.c: makes it ready to be launched. When it cannot be, options.refused is told.
hw_rt_status hw_rt_function_prepare(hw_runtime *runtime, const hw_rt_function *function);

#endif
