// Executes a kernel: blocks on host threads, warps instruction by instruction, events to those who observe.
#ifndef HW_EXEC_EXEC_H
#define HW_EXEC_EXEC_H

#include "base/status.h"
#include "event/sinks.h"
#include "exec/fault.h"
#include "exec/monitor.h"
#include "lower/program.h"
#include "mem/mem.h"

// Worker threads and their memory, kept between launches. threads 0: one per processor.
typedef struct hw_exec hw_exec;
hw_status hw_exec_create(uint32_t threads, hw_exec **out, hw_diag *diag);
// Likewise for launches that kernels of `outer` wait for: as many threads, which wait as long as there is nothing to do
// and keep what memory they have taken, and kernels of both print, and take memory, one at a time. It goes before
// `outer`.
hw_status hw_exec_create_nested(const hw_exec *outer, hw_exec **out, hw_diag *diag);
void hw_exec_destroy(hw_exec *exec);

// Gives every instruction of n lowered programs of the set its body for this processor, where it has none yet.
// HW_UNSUPPORTED names the first that gets none, with its PTX line and source line. One call of a set at a time; what
// is bound already may run meanwhile.
hw_status hw_exec_bind(hw_program_set *set, hw_program *const *programs, uint32_t n, hw_diag *diag);

// Makes what all bound programs of the set need to tell of undefined values; before the first launch that is to. One
// call of a set at a time, and none of hw_exec_bind meanwhile.
hw_status hw_exec_watch(hw_program_set *set, hw_diag *diag);

// What the simulated GPU is, as far as execution can see it.
typedef struct hw_exec_gpu {
    uint32_t compute_capability;    // 90 for 9.0: 70 and newer let lanes of a warp progress independently
    uint32_t sms;
    uint32_t resident_blocks;       // how many blocks of this launch the whole GPU holds at one time
    uint32_t clock_khz;
    const hw_cycles *cycles;        // of the set's notes, sums over those before each: what the launch's clocks go by;
                                    // NULL: %clock counts instructions
    double block_start_cycles;      // until a block begins behind another
    double block_turn_cycles;       // from one block's begin to the next one's, on another multiprocessor
    uint64_t begin_ns;              // %globaltimer when the launch begins, where there are cycles
    uint32_t max_shared_bytes;      // per block, for %total_smem_size and the like
} hw_exec_gpu;

typedef struct hw_launch {
    const hw_program_set *set;
    const hw_program *entry;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];            // blocks of a cluster, of which the grid is a whole number; 0 as 1
    uint32_t dynamic_shared_bytes;
    const void *params;             // entry->function->param_bytes bytes, laid out as PTX lays them out
    uint32_t stack_bytes;           // local memory per thread, calls included
    uint64_t heap_bytes;            // device-side malloc
    uint64_t grid_id;
    uint64_t grid_barrier;          // cooperative: device memory {uint32_t size, barrier}, whose address is what
                                    // %envreg1 (high) and %envreg2 (low) say; 0: none
    uint64_t seed;                  // order of warps; 0: by index
    hw_exec_gpu gpu;
    hw_mem *mem;                    // with hw_mem_set_poison, fresh shared and local memory holds that byte as well
    const hw_observers *observers;  // or NULL
    const hw_launch_info *info;     // for them and for messages
    // Output of device-side printf, one call per printf, serialised. May be NULL.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    // Text from a worker thread; the launch goes on. A sentence, once per launch, when the kernel has changed nothing
    // for some seconds: it polls memory that nobody writes, or has an empty loop. Lines about where blocks are, when
    // the monitor is asked. May be NULL.
    void (*notice)(void *context, const char *sentence);
    void *notice_context;
    bool keeps_others_out;          // launches of other GPUs wait until it has ended: one that goes on changing nothing
                                    // behind the notice waits for theirs, and ends with HW_DEADLOCK, also where a
                                    // thread of the host would have written what it polls
    hw_monitor *monitor;            // whose questions workers answer; the caller begins and ends it. May be NULL
    bool is_nested;                 // a kernel waits for it, whose blocks the monitor counts
    struct hw_children *children;   // where launches of the kernel's own go (child.h). NULL: they are refused
    atomic_bool *lenient;           // reads behind modules' variables that a GPU lets pass do so; the first sets it and
                                    // is told (notice). NULL: they are faults
    uint64_t max_instructions;      // stop with HW_DEADLOCK when about so many have been executed; 0: no limit
} hw_launch;

// Runs the launch to its end. HW_OK; or HW_FAULT, HW_DEADLOCK with *fault filled (memory keeps what was written until
// then); or HW_NO_MEMORY. The caller has checked the launch against the GPU's limits.
hw_status hw_exec_launch(hw_exec *exec, const hw_launch *launch, hw_fault *fault, hw_diag *diag);

// How many worker threads there are: records name workers below this.
uint32_t hw_exec_workers(const hw_exec *exec);

#endif
