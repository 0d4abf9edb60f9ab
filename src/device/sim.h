// A simulated GPU: memory, modules, launches. What shim/ and the library's own operations build on.
//
// One object is one device. Calls may come from any thread; launches are serialised. A launch has finished when
// hw_sim_launch returns: streams and events are the caller's bookkeeping.
#ifndef HW_DEVICE_SIM_H
#define HW_DEVICE_SIM_H

#include <pthread.h>

#include "base/arena.h"
#include "base/status.h"
#include "event/host.h"
#include "exec/fault.h"
#include "exec/monitor.h"
#include "isa/gpu.h"
#include "isa/machine.h"
#include "mem/bulk.h"
#include "mem/mem.h"
#include "mem/texture.h"

typedef struct hw_sim hw_sim;
typedef struct hw_sim_module hw_sim_module;
typedef struct hw_sim_function hw_sim_function;

// hw_sim_options.watched: results that are NaN or infinite and whose operands are not; divisions of integers by zero,
// and shifts by more bits than there are.
enum { HW_SIM_WATCH_FLOATS = 1, HW_SIM_WATCH_INTEGERS = 2 };

// What the GPUs of one machine have in common, since sinks may hear of all of them: their launches come one after the
// other, and have numbers that no other has.
typedef struct hw_sim_common {
    pthread_mutex_t launch_lock;   // of the launch that runs, and of launches
    pthread_mutex_t sinks_lock;    // of the lists of sinks; held while they hear of the host
    uint64_t launches;             // so far
} hw_sim_common;
void hw_sim_common_init(hw_sim_common *common);
void hw_sim_common_destroy(hw_sim_common *common);

typedef struct hw_sim_options {
    const hw_gpu *gpu;
    hw_mem_place memory;           // which GPU of a machine it is; {0}: the only one
    hw_sim_common *common;         // the machine's, which outlives it; NULL: its own
    uint32_t threads;              // host threads; 0: one per processor
    uint64_t seed;                 // order of warps; 0: by index
    uint8_t watched;               // arithmetic that sinks hear of (HW_EVENT_ARITHMETIC): HW_SIM_WATCH_*
    void (*print)(void *context, const char *text, size_t length);   // device printf
    void *print_context;
    void (*notice)(void *context, const char *text);       // of a launch that goes round for ever, or is asked (exec.h)
    void *notice_context;
    // Asked before each launch that is possible: false, and the launch has its number, and nothing is executed. NULL:
    // all are. Neither this nor the next is called of launches that a kernel waits for, which are a part of its own.
    bool (*executes)(void *context, const char *kernel);
    // After each that was executed to its end, or need not be (reuses), when its sinks have heard of it. May be NULL.
    void (*executed)(void *context);
    void *launch_context;          // of both
    // Where a variable of a module that is being loaded is to lie: in the program's own memory, at an address that
    // stays valid as long as the module; 0: in device memory. May be NULL.
    uint64_t (*place)(void *context, const char *name, uint64_t bytes);
    void *place_context;
    bool has_gpu_clock;            // kernels' clocks show estimated cycles of the GPU; else instructions
    // When a launch in that stream begins by the GPU's clock, asked where its kernel reads one; NULL: 0.
    double (*begin_us)(void *context, uint64_t stream);
    void *begin_context;
    bool (*attribute)(const hw_gpu *gpu, int attribute, int *value);   // cudaDeviceAttr; NULL: kernels cannot ask
    bool (*limit)(void *context, unsigned limit, size_t *value);       // cudaLimit, likewise
    void *limit_context;
    bool poisons;                  // unset memory holds the byte `poison`: device, shared and local memory
    uint8_t poison;
    const char *producer;          // who made PTX that does not say it, in reports; may be NULL
    uint32_t max_regs;             // per thread, of kernels without launch bounds that are estimated; 0: no limit
    bool reuses;                   // launches that would do again what an earlier one did are not executed (reuse.h);
                                   // with a seed all are
    bool lenient;                  // reads behind modules' variables that a GPU lets pass do so; the first is told
    uint64_t max_instructions;     // of one launch, after which it counts as one that never ends; 0: no limit. One that
                                   // a kernel waits for has it for itself
    // Kernels that take long are compiled, by the C compiler that these directories have, separated by colons; NULL:
    // none is. What it makes is kept in a folder; NULL or "": nowhere. Both are copied.
    const char *compiler_path, *code_cache;
    bool awaits_compiler;          // compiled before the second launch of each kernel, which waits
} hw_sim_options;

// Registers that ptxas gives a kernel at least, whatever -maxrregcount says; 1 of older GPUs, of which it is not known.
uint32_t hw_sim_least_limit(const hw_arch *arch);

hw_status hw_sim_create(const hw_sim_options *options, hw_sim **out, hw_diag *diag);
void hw_sim_destroy(hw_sim *sim);
const hw_gpu *hw_sim_gpu(const hw_sim *sim);
hw_mem *hw_sim_mem(hw_sim *sim);
hw_bulk *hw_sim_bulk(hw_sim *sim);   // for copies to and from the memory

// Attaches an observer of later launches and calls, beside those that are there; the sink stays the caller's, where it
// is, until it is removed or the simulation destroyed. Both wait for a launch that runs, so no function of a sink may
// call them. HW_USAGE: it is there already, or lacks the function of an event that it wants. HW_NO_MEMORY.
hw_status hw_sim_add_sink(hw_sim *sim, hw_sink *sink, hw_diag *diag);
void hw_sim_remove_sink(hw_sim *sim, hw_sink *sink);

// Tells sinks what the host program has asked for. Allocations, registered memory and frees are told by the simulation:
// these come from whoever made them, kernels included, and a sink that hears of them may neither allocate nor free.
void hw_sim_tell_host(hw_sim *sim, const hw_host_event *event);
// Whether anybody wants to hear of it; and of who called.
bool hw_sim_tells_host(hw_sim *sim);
bool hw_sim_tells_sites(hw_sim *sim);

// Shows later launches to those who look at the monitor, which outlives the simulation. NULL: no longer.
void hw_sim_set_monitor(hw_sim *sim, hw_monitor *monitor);

// Limits of cudaDeviceSetLimit, bytes.
void hw_sim_set_stack_bytes(hw_sim *sim, uint32_t bytes);
uint32_t hw_sim_stack_bytes(const hw_sim *sim);
void hw_sim_set_heap_bytes(hw_sim *sim, uint64_t bytes);
uint64_t hw_sim_heap_bytes(const hw_sim *sim);
// Launches as deep as this, the host's being 0, cannot wait for others any more (CUDA 11's device runtime). Any number:
// from HW_CHILD_DEPTHS on (exec/child.h) all that can be launched can wait.
void hw_sim_set_sync_depth(hw_sim *sim, uint32_t depth);
uint32_t hw_sim_sync_depth(const hw_sim *sim);

// Parses PTX text, allocates and fills its global and constant variables. `name` is for messages. HW_MALFORMED,
// HW_UNSUPPORTED (names the instruction, file and line), HW_NO_MEMORY. What a kernel can call is lowered and bound when
// the kernel is first launched or asked about, or by hw_sim_prepare.
hw_status hw_sim_load(hw_sim *sim, const char *ptx, size_t length, const char *name, hw_sim_module **out,
                      hw_diag *diag);
void hw_sim_unload(hw_sim *sim, hw_sim_module *module);

// Makes a kernel ready to be launched, or all of a module; nothing happens where it is. HW_UNSUPPORTED names an
// instruction that lowering has no body for, or a function that nobody provides, with file and line; HW_NO_MEMORY.
// Threads: any, also while kernels run.
hw_status hw_sim_prepare(const hw_sim_function *function, hw_diag *diag);
hw_status hw_sim_prepare_all(hw_sim_module *module, hw_diag *diag);

// A kernel by its mangled name. HW_NOT_FOUND.
hw_status hw_sim_find_function(hw_sim_module *module, const char *name, hw_sim_function **out, hw_diag *diag);
// Entries by index, for listings; NULL past the end.
hw_sim_function *hw_sim_function_at(hw_sim_module *module, uint32_t index);
// A module-scope .global or .const variable. HW_NOT_FOUND.
hw_status hw_sim_find_global(hw_sim_module *module, const char *name, uint64_t *address, uint64_t *bytes,
                             hw_diag *diag);

typedef struct hw_sim_function_info {
    const char *name;                  // mangled
    uint32_t regs;
    bool regs_estimated;               // regs and spill_bytes are estimates
    uint32_t spill_bytes;              // per thread, stores and loads of registers that are put away
    bool has_dynamic_shared;           // it uses extern shared memory, whose size each launch gives
    uint32_t static_shared_bytes, const_bytes, local_bytes;
    uint32_t max_threads_per_block;    // by registers and .maxntid
    uint32_t max_dynamic_shared_bytes; // as set; what needs no opt-in less the static part at first
    uint32_t n_params;
    int ptx_version, binary_version;   // 90 for 9.0
    const char *producer;              // compiler and version that made the PTX (toolchain/binary/producer.h)
} hw_sim_function_info;

// Of a kernel that cannot be prepared the estimate of registers is 1.
void hw_sim_get_function_info(const hw_sim_function *function, hw_sim_function_info *info);
// Offset and size in bytes of parameter index.
void hw_sim_get_param(const hw_sim_function *function, uint32_t index, uint32_t *offset, uint32_t *bytes);
// What ptxas says, when it was asked (toolchain); replaces the estimates. A kernel whose registers were set spills
// nothing unless that was set too.
void hw_sim_set_regs(hw_sim_function *function, uint32_t regs);
void hw_sim_set_spills(hw_sim_function *function, uint32_t bytes);
// The module's machine code, of which launches that begin from now on tell (hw_launch_info.machine). The arena is the
// module's from now on. Not while launches of the module run.
void hw_sim_set_machine(hw_sim_module *module, const hw_machine_module *machine, hw_arena *arena);
hw_status hw_sim_set_max_dynamic_shared(hw_sim *sim, hw_sim_function *function, uint32_t bytes, hw_diag *diag);

typedef struct hw_sim_launch_args {
    hw_sim_function *function;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    void *const *params;               // one pointer per parameter, as cudaLaunchKernel takes them
    bool cooperative;                  // refuse more blocks than are resident at one time
    uint32_t bank_bytes;               // as hw_launch_info
    uint64_t stream;                   // for observers: as the caller names it
    uint32_t cluster[3];               // blocks of a cluster; 0: as the kernel says, one where it says nothing
} hw_sim_launch_args;

// Why a launch was refused before it began.
typedef enum hw_sim_refusal {
    HW_REFUSED_NOT, HW_REFUSED_CONFIGURATION /* zero or too large a dimension */,
    HW_REFUSED_RESOURCES /* registers */, HW_REFUSED_SHARED /* more shared memory than allowed */,
    HW_REFUSED_COOPERATIVE /* more blocks than are resident */,
    HW_REFUSED_CLUSTER /* no such cluster, or the grid is no whole number of them */,
    HW_REFUSED_BOUNDS /* more threads than .maxntid or .reqntid say */,
} hw_sim_refusal;

// Runs to the end. HW_USAGE with *refusal set when the configuration is not possible; HW_FAULT or HW_DEADLOCK with
// *fault filled.
hw_status hw_sim_launch(hw_sim *sim, const hw_sim_launch_args *args, hw_sim_refusal *refusal, hw_fault *fault,
                        hw_diag *diag);

// Blocks of this shape that one multiprocessor holds, and the limits behind it.
uint32_t hw_sim_blocks_per_sm(const hw_sim *sim, const hw_sim_function *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes);

#endif
