// What the files of the public simulator share; nobody else includes it.
#ifndef HW_SIM_INTERNAL_H
#define HW_SIM_INTERNAL_H

#include <pthread.h>

#include "device/sim.h"
#include "halfwarp/sim.h"
#include "prof/prof.h"

struct hw_simulator {
    const hw_gpu *gpu;
    hw_sim *sim;
    hw_prof *prof;               // NULL: nothing is counted
    bool wants_lines;
    char *compiler;              // the options' own, copied; may be NULL
    pthread_mutex_t lock;        // of modules, and of launches against the reading of rows
    hw_simulator_module *modules;
};

struct hw_simulator_kernel {
    hw_simulator_module *module;
    hw_sim_function *function;
};

struct hw_simulator_module {
    hw_simulator *sim;
    hw_simulator_module *next;
    hw_sim_module *loaded;
    hw_simulator_kernel *kernels;
    uint32_t n_kernels;
};

// structs.c: the caller's structs, whose first member says how large they are. known_bytes: the struct as this library
// has it; name is for messages.

// Copies the library's struct to the caller's, as far as that reaches; what the library does not know becomes 0.
// HW_USAGE: struct_bytes.
hw_status hw_struct_give(void *to, const void *from, size_t known_bytes, const char *name, hw_diag *diag);
// Copies the caller's struct to the library's; members that the caller does not know are 0. HW_USAGE: struct_bytes;
// HW_UNSUPPORTED: members that the library does not know are not 0.
hw_status hw_struct_take(void *to, const void *from, size_t known_bytes, const char *name, hw_diag *diag);
// HW_USAGE unless struct_bytes holds itself.
hw_status hw_struct_check(const void *given, const char *name, hw_diag *diag);

// rows.c: gives the simulated GPU a profiler without rows, in place of the one that it has. HW_NO_MEMORY: that one
// stays.
hw_status hw_simulator_begin_rows(hw_simulator *sim, hw_diag *diag);

// modules.c
void hw_simulator_free_modules(hw_simulator *sim);

#endif
