// What the files of the simulated device share. Internal to device/.
#ifndef HW_DEVICE_SIM_INTERNAL_H
#define HW_DEVICE_SIM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "compile/compile.h"
#include "device/reuse.h"
#include "device/sim.h"
#include "exec/child.h"
#include "exec/exec.h"

enum { HW_SIM_DEFAULT_SHARED_BYTES = 48 << 10 };   // shared memory that needs no opt-in, where a block may have as much

// The executor of nested launches, those that kernels wait for, at one depth: one at a time. It stays until the
// simulation goes, so that a program that has waited 23 deep has 24 times its threads, and takes up no time of theirs.
typedef struct hw_sim_nested {
    pthread_mutex_t lock;
    hw_exec *exec;               // NULL: there has been none
} hw_sim_nested;

struct hw_sim {
    hw_sim_options options;
    hw_exec *exec;
    hw_compile *compile;         // NULL: the interpreter executes everything
    hw_mem *mem;
    hw_sim_nested nested[HW_CHILD_DEPTHS];
    _Atomic uint32_t sync_depth; // of kernels that can wait for others; any of the host's threads sets it
    atomic_bool has_told_unseen; // that such are not counted
    atomic_bool has_told_refused;   // that a kernel's launch is
    hw_bulk *bulk;               // of as many threads as execute
    hw_sinks sinks;
    hw_sim_common own, *common;
    atomic_bool tells_host, tells_sites;   // one of them wants to; and to know who called
    hw_arena *names;             // of variables: messages about freed ones may need them after their module has gone
    uint32_t stack_bytes;
    uint64_t heap_bytes;
    atomic_bool has_been_lenient;   // options.lenient: a read has passed, and has been told
    uint64_t grid_barrier;       // device memory of cooperative launches; 0: there has been none
    hw_monitor *monitor;         // of launches; may be NULL
    hw_reuse *reuse;             // NULL: every launch is executed
    hw_sim_module *modules;
    uint64_t n_loaded;           // modules so far
    uint32_t told_lacks;         // by hw_lack: what has been told; under load_lock
    pthread_mutex_t load_lock;
};

struct hw_sim_function {
    hw_sim_module *module;
    const hw_ptx_function *ptx;
    const hw_program *program;
    uint32_t regs, spill_bytes;  // as they were set; regs 0: the estimate holds
    uint32_t most_regs;          // that the estimate may have, by launch bounds and limits
    uint32_t max_dynamic_shared_bytes;
    atomic_bool is_prepared;     // lowered and bound, with all that it can call
};

struct hw_sim_module {
    hw_sim *sim;
    hw_sim_module *next;
    uint64_t number;             // no other of the simulation ever has it
    hw_ptx_module *ptx;
    hw_program_set *set;
    uint64_t *globals;           // addresses by index in ptx->globals; 0: none
    char producer[64];
    uint32_t const_bytes;
    hw_cycles *cycles;           // of the first n_cycles notes of the set, for clocks of kernels
    uint32_t n_cycles;
    hw_machine_module machine;   // in machine_arena; nothing where ptxas has not been asked, or has not said
    hw_arena *machine_arena;
    hw_sim_function *functions;  // entries only
    uint32_t n_functions;
    bool may_launch;             // it declares what kernels launch others by
};

// A launch, for those that its kernel makes.
typedef struct hw_sim_parent {
    hw_sim *sim;
    const hw_sim_launch_args *args;
    const hw_observers *observers;
    uint64_t number;
} hw_sim_parent;

// Who launches: a child of launch `parent`, or with 0 the host program.
typedef struct hw_sim_origin {
    uint64_t parent;
    uint32_t child;
} hw_sim_origin;

// sim_launch.c: is the launch possible, and its kernel to be executed? HW_USAGE: *refusal says why not.
hw_status hw_sim_check_launch(hw_sim *sim, const hw_sim_launch_args *args, hw_sim_refusal *refusal, hw_diag *diag);
// hw_sim_launch of a kernel's own.
hw_status hw_sim_launch_from(hw_sim *sim, const hw_sim_launch_args *args, hw_sim_origin from, hw_sim_refusal *refusal,
                             hw_fault *fault, hw_diag *diag);

// sim_children.c: what its kernel can ask, as long as the parent is there; and what it has launched, when it has ended.
hw_child_host hw_sim_child_host(hw_sim_parent *parent);
// May the kernel, which has been prepared, or what it calls launch others?
bool hw_sim_may_launch(const hw_sim_function *function);
hw_status hw_sim_launch_children(const hw_sim_parent *parent, hw_children *children, hw_fault *fault, hw_diag *diag);
// Of a kernel that waits for it, with all that it launches itself. outer: whose observers hear of it.
hw_status hw_sim_launch_nested(const hw_sim_parent *outer, const hw_sim_launch_args *args, uint32_t child,
                               uint32_t depth, hw_fault *fault, hw_diag *diag);
hw_status hw_sim_lock_nested(hw_sim *sim, uint32_t depth, hw_exec **out, hw_diag *diag);
void hw_sim_unlock_nested(hw_sim *sim, uint32_t depth);
void hw_sim_init_nested(hw_sim *sim);
void hw_sim_destroy_nested(hw_sim *sim);     // before sim->exec

// Registers per thread, 1 at least, and never more than the architecture has: an estimate may be.
uint32_t hw_sim_regs(const hw_sim_function *function);

// The most registers that ptxas would give the kernel, by its launch bounds, .maxnreg and the options' limit.
uint32_t hw_sim_most_regs(const hw_sim_function *function);

// Bytes per thread that its registers are put away and fetched again: as ptxas said, or at least what the estimate has
// beyond the limits, each register once there and back.
uint32_t hw_sim_spill_bytes(const hw_sim_function *function);

// Static shared memory as the kernel's cubin would state it: what it declares, and before 2.0 what a launch lays there.
uint32_t hw_sim_static_shared(const hw_sim_function *function);

#endif
