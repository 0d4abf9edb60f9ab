// What the halfwarp command tells a program's process, and what it hears back. docs/design.md has the table.
#ifndef HW_SHIM_ENVIRONMENT_H
#define HW_SHIM_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#define HW_ENV_GPU "HALFWARP_GPU"           // a name of `halfwarp gpus`, or a file; absent: h200
#define HW_ENV_THREADS "HALFWARP_THREADS"   // host threads; absent: one per processor
#define HW_ENV_SEED "HALFWARP_SEED"         // order of warps; absent: by index
#define HW_ENV_STATUS "HALFWARP_STATUS"     // file for one line "4 message" or "5 message"
#define HW_ENV_JOURNAL "HALFWARP_JOURNAL"   // file for what is counted; absent: nothing is
#define HW_ENV_LINES "HALFWARP_LINES"       // 1: counters per source line
#define HW_ENV_NO_L1 "HALFWARP_NO_L1"       // 1: count loads of 2.x as after ptxas -dlcm=cg
#define HW_ENV_PTXAS "HALFWARP_PTXAS"       // 1: take registers from ptxas where there is one

// How a process that met something ends, and the number in the status file.
enum { HW_EXIT_SETUP = 2, HW_EXIT_UNSUPPORTED = 4, HW_EXIT_FAULTED = 5 };

typedef struct hw_environment {
    const char *gpu, *status_path, *journal_path;   // NULL: absent
    uint32_t threads;
    uint64_t seed;
    bool lines, no_l1, ask_ptxas;
} hw_environment;

// Reads the variables; a number that is none counts as absent.
void hw_environment_read(hw_environment *environment);

#endif
