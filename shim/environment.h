// What the halfwarp command tells a program's process, and what it hears back. docs/design.md has the table.
#ifndef HW_SHIM_ENVIRONMENT_H
#define HW_SHIM_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#define HW_ENV_GPU "HALFWARP_GPU"           // a name of `halfwarp gpus`, or a file; absent: h200
#define HW_ENV_GPUS "HALFWARP_GPUS"         // how many of it there are; absent: one
#define HW_ENV_THREADS "HALFWARP_THREADS"   // host threads; absent: one per processor
#define HW_ENV_SEED "HALFWARP_SEED"         // order of warps; absent: by index
#define HW_ENV_POISON "HALFWARP_POISON"     // 0 to 255 or 0x00 to 0xff: what unset memory holds; absent: zero
#define HW_ENV_REUSE "HALFWARP_REUSE"       // 0: execute launches also where they would do what an earlier one did
#define HW_ENV_LENIENT "HALFWARP_LENIENT"   // 1: reads behind variables that a GPU lets pass do so
#define HW_ENV_STATUS "HALFWARP_STATUS"     // file for one line, a number of the enum below and why
#define HW_ENV_JOURNAL "HALFWARP_JOURNAL"   // file for what is counted; absent: nothing is
#define HW_ENV_CHECK "HALFWARP_CHECK"       // file for what is found to be wrong; absent: nothing is looked for
#define HW_ENV_LEAKS "HALFWARP_LEAKS"       // 1: also memory that is allocated at the end
#define HW_ENV_TIME "HALFWARP_TIME"         // host: events and streams show this machine's time, not the GPU's
#define HW_ENV_TRACE "HALFWARP_TRACE"       // 1: keep what the host does as well, for a trace
#define HW_ENV_LINES "HALFWARP_LINES"       // 1: counters per source line
#define HW_ENV_CODE "HALFWARP_CODE"         // 1: keep the PTX of what is loaded, for a page
#define HW_ENV_NO_L1 "HALFWARP_NO_L1"       // 1: count loads of 2.x as after ptxas -dlcm=cg
#define HW_ENV_COMPILE "HALFWARP_COMPILE"   // 0: the interpreter executes everything; 2: wait for it
#define HW_ENV_PTXAS "HALFWARP_PTXAS"       // 1: take registers from ptxas where there is one
#define HW_ENV_MAX_REGS "HALFWARP_MAXRREGCOUNT"   // registers per thread that kernels are limited to, as by nvcc
#define HW_ENV_PTX_BY "HALFWARP_PTX_BY"     // compiler and version, where the program's PTX does not say
#define HW_ENV_KERNEL "HALFWARP_KERNEL"     // count only kernels whose names this expression matches
#define HW_ENV_SKIP "HALFWARP_SKIP"         // of those launches, the first so many are not counted
#define HW_ENV_COUNT "HALFWARP_COUNT"       // and behind them no more than so many are; absent: all

#define HW_ENV_MONITOR "HALFWARP_MONITOR"   // file in which the halfwarp command sees how launches get on
#define HW_ENV_ARITHMETIC "HALFWARP_CHECK_ARITHMETIC"   // with HALFWARP_CHECK: 1 floats, 2 integers, 3 both
#define HW_ENV_ONLY_KERNEL "HALFWARP_ONLY_KERNEL"   // execute only kernels whose names this expression matches
#define HW_ENV_ONLY_LAUNCH "HALFWARP_ONLY_LAUNCH"   // K/N: execute only the K-th, (K+N)-th, ... launch
#define HW_ENV_MAX_LAUNCHES "HALFWARP_MAX_LAUNCHES" // the process ends when so many have been executed

// How a process that met something ends, and the number in the status file. CRASHED is SIGSEGV's, which ends it itself.
enum {
    HW_EXIT_SETUP = 2, HW_EXIT_UNSUPPORTED = 4, HW_EXIT_FAULTED = 5, HW_EXIT_CRASHED = 139,
    HW_EXIT_OUT_OF_TIME = 124,                      // in no status file: the halfwarp command knows
};

typedef struct hw_environment {
    const char *gpu, *status_path, *journal_path, *monitor_path, *check_path;   // NULL: absent
    const char *kernel, *only_kernel;               // NULL: all
    const char *ptx_by;                             // NULL: not told
    const char *path;                               // folders with programs, PATH; "" when absent
    char cache_dir[4096];                           // as the halfwarp command chooses it
    const char *visible;                            // CUDA_VISIBLE_DEVICES, which is the program's; NULL: absent
    uint32_t gpus, threads, max_regs;               // 0: not told
    uint64_t seed, skip, count;                     // count UINT64_MAX: all
    uint8_t watched;                                // HW_SIM_WATCH_* (device/sim.h)
    uint64_t max_launches;                          // 0: no limit
    uint32_t only_launch, of_launches;              // 0: all
    int poison;                                     // -1: absent
    bool gpu_time, traces, leaks, lines, keeps_code, no_l1, ask_ptxas, reuses, lenient, compiles, awaits_compiler;
} hw_environment;

// Reads the variables; a number that is none counts as absent.
void hw_environment_read(hw_environment *environment);

#endif
