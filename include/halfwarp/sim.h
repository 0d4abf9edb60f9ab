// Halfwarp's simulator: a model of a GPU in this process, which runs kernels given as PTX and counts what the GPU's
// profiler would, for each launch and each source line.
//
//     hw_simulator *sim;
//     hw_simulator_module *module;
//     hw_simulator_kernel *kernel;
//     hw_diag diag = {0};
//     if (hw_simulator_open("h200", NULL, &sim, &diag)) return complain(diag.text);
//     hw_simulator_load(sim, ptx, strlen(ptx), "saxpy.ptx", &module, &diag);
//     hw_simulator_find_kernel(module, "saxpy", &kernel, &diag);
//     hw_simulator_alloc(sim, bytes, &x, &diag);                    // x is a uint64_t, an address on the GPU
//     hw_simulator_launch(kernel, &shape, (void *[]){&n, &x}, NULL, &diag);
//     hw_simulator_get_launch(sim, 0, &launch, &counters, &diag);   // counters.gld_sectors, launch.est_us, ...
//     hw_simulator_close(sim);
//
// Any number of simulators may be open in a process; they share nothing. Functions that can fail return hw_status, with
// one sentence in *diag, as those of halfwarp.h do (halfwarp/status.h). Nothing is printed, and no environment variable
// is read.
//
// Threads       calls on one simulator may come from several threads; launches of one run one after the other, each on
//               as many host threads as the options say. What options.print and options.notice are given to do must not
//               call back.
// Determinism   with one value of `seed` the same calls give the same counters and, of kernels without races, the same
//               bytes, however many host threads there are.
// Structs       begin with struct_bytes, which the caller sets to sizeof the struct, and grow at their end alone: a
//               program that was compiled against an older header gets the members that it knows, and one against a
//               newer header finds those that the library does not know set to 0. struct_bytes that is too small to
//               hold itself is HW_USAGE.
// Enums         a number once given is never given to anything else. New ones come: callers take any.
// Texts         that members of structs point to live as long as their comment says, and are never NULL.
// Versions      functions may change from 0.x to 0.x+1, and not within 0.x; docs/stability.md has the rules.
#ifndef HALFWARP_SIM_H
#define HALFWARP_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halfwarp/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- A simulated GPU ------------------------------------------------------------------------------------------------

typedef struct hw_simulator hw_simulator;

// Members that are 0 mean what the comment says. Options that the library does not know are refused when they are not 0
// (HW_UNSUPPORTED).
typedef struct hw_simulator_options {
    size_t struct_bytes;
    uint32_t threads;            // of this machine; 0: one per processor
    uint32_t max_registers;      // per thread, of kernels without launch bounds, as nvcc's -maxrregcount; 0: any number
    uint64_t seed;               // of the order in which warps run; 0: by index
    uint64_t max_instructions;   // of a launch, which counts as one that never ends then (HW_DEADLOCK); 0: any number
    bool poisons;                // memory that nobody has set holds the byte `poison`, and not 0
    uint8_t poison;
    bool no_counters;            // launches run faster, and have no rows
    bool lines;                  // counts source lines as well
    const char *compiler;        // who made PTX that does not say it, for reports; NULL: not known
    // What a kernel's printf writes, piece by piece and not ended by NUL. NULL: it is lost.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    // One sentence about a launch that seems to go round for ever, which goes on. NULL: nobody wants to know.
    void (*notice)(void *context, const char *sentence);
    void *notice_context;
} hw_simulator_options;

// Opens a model of a GPU, by its name as `halfwarp gpus` lists them ("h200", "GeForce RTX 3090"), or by the path of a
// JSON file with one, which has a slash in it or ends in .json (halfwarp-gpus(1)). options NULL: all 0. HW_USAGE: there
// is no such GPU; HW_IO, HW_MALFORMED: of the file; HW_UNSUPPORTED: options; HW_NO_MEMORY. Cost: reserves address space
// for the GPU's memory; pages cost memory when they are touched.
HW_API hw_status hw_simulator_open(const char *gpu, const hw_simulator_options *options, hw_simulator **out,
                                   hw_diag *diag);
// With its modules, its memory and its rows; no launch may be running. NULL is allowed.
HW_API void hw_simulator_close(hw_simulator *sim);

// 0: not known.
typedef struct hw_simulator_gpu {
    size_t struct_bytes;
    const char *id, *name;       // "h200", "NVIDIA H200"; as long as the simulator
    uint32_t compute_capability; // 90 for 9.0
    uint32_t multiprocessors;
    uint32_t clock_mhz, l2_kib;
    uint64_t memory_bytes;
    double memory_gbs;           // datasheet bandwidth, 10^9 bytes per second
    uint32_t max_threads_per_block, threads_per_multiprocessor, warps_per_multiprocessor, blocks_per_multiprocessor;
    uint32_t registers_per_multiprocessor, max_registers_per_thread, min_registers_per_thread;
    uint32_t shared_bytes_per_multiprocessor, max_shared_bytes_per_block;
    uint32_t banks, bank_bytes;  // of shared memory
} hw_simulator_gpu;

// Fills *gpu. HW_USAGE: struct_bytes.
HW_API hw_status hw_simulator_get_gpu(const hw_simulator *sim, hw_simulator_gpu *gpu, hw_diag *diag);

// ---- Modules and kernels --------------------------------------------------------------------------------------------

typedef struct hw_simulator_module hw_simulator_module;
typedef struct hw_simulator_kernel hw_simulator_kernel;

// Loads device code: PTX text, or a fat binary as nvcc and clang pack it, of which the PTX is taken that the GPU would
// be given: the newest that is not newer than it, or the oldest. Variables get their places and values. The image is
// read during the call alone; text needs no NUL. name is for messages. HW_MALFORMED, HW_UNSUPPORTED: with the line of
// the PTX; HW_NOT_FOUND: a fat binary of machine code alone; HW_NO_MEMORY. Cost: linear in the text.
HW_API hw_status hw_simulator_load(hw_simulator *sim, const void *image, size_t bytes, const char *name,
                                   hw_simulator_module **out, hw_diag *diag);
// Its kernels and variables are gone; none of its launches may be running. NULL is allowed.
HW_API void hw_simulator_unload(hw_simulator_module *module);

// A kernel by its name in the PTX, which is mangled if it was written in C++; it lives as long as its module.
// HW_NOT_FOUND.
HW_API hw_status hw_simulator_find_kernel(hw_simulator_module *module, const char *name, hw_simulator_kernel **out,
                                          hw_diag *diag);
// Kernels in the order of the text, from 0; NULL past the end.
HW_API hw_simulator_kernel *hw_simulator_kernel_at(hw_simulator_module *module, uint32_t index);

typedef struct hw_simulator_kernel_info {
    size_t struct_bytes;
    const char *name;                    // in the PTX; as long as the module
    uint32_t registers;                  // per thread: as set, or an estimate
    uint32_t spill_bytes;                // per thread, of registers that are put away and fetched: stores and loads
    bool is_estimated;                   // both are estimates
    bool uses_dynamic_shared;            // it has shared memory whose size each launch gives
    uint32_t static_shared_bytes;        // per block, as the GPU's machine code would have it
    uint32_t constant_bytes;             // of the module's variables
    uint32_t local_bytes;                // per thread
    uint32_t max_threads_per_block;      // by registers and launch bounds
    uint32_t max_dynamic_shared_bytes;   // that a launch may have
    uint32_t parameters;                 // how many
    const char *compiler;                // that made the PTX, with its version; as long as the module
} hw_simulator_kernel_info;

// Fills *info. HW_USAGE: struct_bytes.
HW_API hw_status hw_simulator_get_kernel(const hw_simulator_kernel *kernel, hw_simulator_kernel_info *info,
                                         hw_diag *diag);
// Where a parameter lies among the arguments, and its size. HW_NOT_FOUND: it has fewer.
HW_API hw_status hw_simulator_get_parameter(const hw_simulator_kernel *kernel, uint32_t index, uint32_t *offset,
                                            uint32_t *bytes, hw_diag *diag);
// What ptxas says of the kernel, in place of the estimates; registers 0: the estimates again.
HW_API void hw_simulator_set_registers(hw_simulator_kernel *kernel, uint32_t registers, uint32_t spill_bytes);

// A variable in global or constant memory by its name in the PTX. HW_NOT_FOUND.
HW_API hw_status hw_simulator_find_variable(hw_simulator_module *module, const char *name, uint64_t *address,
                                            uint64_t *bytes, hw_diag *diag);

// ---- Memory ---------------------------------------------------------------------------------------------------------

// Memory of the GPU, at a multiple of 256 bytes; 0 bytes have an address too. It holds 0 on first use, or the poison,
// but what was freed may come back as it was. The address is for kernels and for the functions below: this process must
// not follow it. HW_NO_MEMORY: the GPU's or this machine's.
HW_API hw_status hw_simulator_alloc(hw_simulator *sim, uint64_t bytes, uint64_t *address, hw_diag *diag);
// HW_USAGE: no memory was given at that address, or it is freed already. 0 is allowed.
HW_API hw_status hw_simulator_free(hw_simulator *sim, uint64_t address, hw_diag *diag);

// Copies to the GPU, from it, or sets every byte. HW_USAGE: a part of the range is in no allocation or variable, and
// nothing was done. 0 bytes may be anywhere.
HW_API hw_status hw_simulator_copy_to(hw_simulator *sim, uint64_t to, const void *from, uint64_t bytes, hw_diag *diag);
HW_API hw_status hw_simulator_copy_from(hw_simulator *sim, void *to, uint64_t from, uint64_t bytes, hw_diag *diag);
HW_API hw_status hw_simulator_set(hw_simulator *sim, uint64_t to, int byte, uint64_t bytes, hw_diag *diag);

// ---- Launches -------------------------------------------------------------------------------------------------------

typedef struct hw_simulator_shape {
    size_t struct_bytes;
    uint32_t grid[3], block[3];          // 1 at least
    uint32_t dynamic_shared_bytes;       // up to what a block of the GPU can have; no opt-in is needed
    bool is_cooperative;                 // barriers over the whole grid work; more blocks than are resident are refused
} hw_simulator_shape;

// Why a kernel stopped.
typedef enum hw_simulator_fault_kind {
    HW_SIMULATOR_FAULT_NONE = 0,
    HW_SIMULATOR_FAULT_ADDRESS = 1,        // outside every allocation, freed, or null
    HW_SIMULATOR_FAULT_MISALIGNED = 2,
    HW_SIMULATOR_FAULT_STACK = 3,          // local memory or call depth exhausted
    HW_SIMULATOR_FAULT_TRAP = 4,           // trap or brkpt
    HW_SIMULATOR_FAULT_ASSERT = 5,         // a device-side assert failed
    HW_SIMULATOR_FAULT_INVALID_CALL = 6,   // a call through a pointer that is no function
    HW_SIMULATOR_FAULT_LANES_MISSING = 7,  // at an instruction of all lanes of the warp
    HW_SIMULATOR_FAULT_DEADLOCK = 8,       // nobody can go on
    HW_SIMULATOR_FAULT_NO_MEMORY = 9,      // on this machine
} hw_simulator_fault_kind;

typedef struct hw_simulator_fault {
    size_t struct_bytes;
    int32_t kind;                        // hw_simulator_fault_kind
    uint32_t line;                       // of file; 0: not known
    char kernel[256], file[256];         // mangled name; the source file, or the module's name where there is no line
                                         // information, and line is the PTX's; both cut to their room
    uint32_t block[3], thread[3];
    bool is_write;
    uint32_t width_bytes;                // of an access; 0: it was none
    uint64_t address;                    // in its space
    char text[1024];                     // one sentence with all of this; of a deadlock a line for each group in wait
} hw_simulator_fault;

// Runs the kernel to its end. params: a pointer to each parameter's value, in order, as cuLaunchKernel takes them; NULL
// where there are none. fault may be NULL; its kind is NONE unless the kernel stopped early. HW_USAGE: the GPU would
// refuse the launch (the sentence says why), and nothing was done; HW_FAULT, HW_DEADLOCK: the kernel stopped, memory
// keeps what was written until then, and the simulator goes on; HW_NO_MEMORY. Cost: docs/performance.md has figures;
// counting takes five times as long on 1.x and 3.x, whose every access is looked at by itself.
HW_API hw_status hw_simulator_launch(hw_simulator_kernel *kernel, const hw_simulator_shape *shape, void *const *params,
                                     hw_simulator_fault *fault, hw_diag *diag);

// Blocks of so many threads that a multiprocessor holds at a time; 0: it cannot run.
HW_API uint32_t hw_simulator_blocks_per_multiprocessor(const hw_simulator_kernel *kernel, uint32_t block_threads,
                                                       uint32_t dynamic_shared_bytes);

// ---- Counters -------------------------------------------------------------------------------------------------------

// What a launch or a source line is counted for, over all multiprocessors; halfwarp-columns(7) and
// hw_simulator_counter_definition say what each is. Those from gld_coalesced to sm_cta_launched are what GPUs before
// 7.0 counted, and 0 for GPUs that did not.
typedef struct hw_simulator_counters {
    size_t struct_bytes;
    uint64_t inst, thread_inst;
    uint64_t gld_requests, gst_requests, gld_sectors, gst_sectors, l2_sectors, l2_sectors_ideal;
    uint64_t lds_inst, sts_inst, lds_wavefronts, sts_wavefronts, smem_wavefronts, smem_wavefronts_ideal;
    uint64_t lld_requests, lld_sectors, lst_requests, lst_sectors;
    uint64_t branches, branches_divergent, barriers, atomics;
    uint64_t gld_coalesced, gld_uncoalesced, gst_coalesced, gst_uncoalesced, gld_request, gst_request;
    uint64_t gld_32b, gld_64b, gld_128b, gst_32b, gst_64b, gst_128b;
    uint64_t gld_transactions, gst_transactions, gld_bytes, gst_bytes;
    uint64_t local_load, local_store, const_requests, const_passes, warp_serialize, branch, divergent_branch;
    uint64_t instructions, cta_launched, sm_cta_launched;
    uint64_t gld_sectors_ideal, gst_sectors_ideal;
    uint64_t memory_waits, shared_waits;
} hw_simulator_counters;

// Counters by number, from 0: their names, as halfwarp profile has them, and one line of what each is; NULL past the
// end. Numbers are of this library alone: keep names.
HW_API const char *hw_simulator_counter_name(int counter);
HW_API const char *hw_simulator_counter_definition(int counter);
// The number of a name ("gld_sectors"); -1: there is no such counter.
HW_API int hw_simulator_counter(const char *name);
// The counter of that number; 0 where there is none, or the caller's struct has no room for it.
HW_API uint64_t hw_simulator_counter_value(const hw_simulator_counters *counters, int counter);

// What holds a launch up, by the estimate.
typedef enum hw_simulator_bound {
    HW_SIMULATOR_BOUND_NONE = 0,         // nothing was estimated: it stopped early
    HW_SIMULATOR_BOUND_MEMORY = 1,       // DRAM, or the caches on the way to it
    HW_SIMULATOR_BOUND_SHARED = 2,       // the banks of shared memory
    HW_SIMULATOR_BOUND_ISSUE = 3,        // the pipes of instructions
    HW_SIMULATOR_BOUND_LATENCY = 4,      // warps wait, and nothing is busy
    HW_SIMULATOR_BOUND_LAUNCH = 5,       // starting it takes longer than its work
} hw_simulator_bound;

// A launch, beside its counters. Its texts live until the rows are cleared or the simulator is closed.
typedef struct hw_simulator_launch_row {
    size_t struct_bytes;
    const char *kernel, *mangled;        // demangled, with parameters; as the PTX has it
    uint32_t grid[3], block[3];
    uint32_t registers, spill_bytes;     // per thread, as the launch took them
    bool is_estimated;                   // both are estimates
    uint32_t static_shared_bytes, dynamic_shared_bytes;   // per block
    uint32_t limit_blocks, limit_registers, limit_shared, limit_warps;   // blocks by each limit alone
    double occupancy_percent;            // warps that a multiprocessor holds of the warps possible
    int32_t status;                      // hw_status; other than HW_OK: it stopped early, and counters say how far
    int32_t est_bound;                   // hw_simulator_bound
    double est_us, est_gbs;              // microseconds on the GPU, estimated; useful bytes over them, 10^9 per second
    // What est_us is made of: each resource alone, and starting the launch. All are 0 of a launch that stopped early.
    double est_us_memory, est_us_shared, est_us_issue, est_us_latency, est_us_launch;
    double load_partition_percent, store_partition_percent;   // of 1.x; 0: not counted
    double host_ms;                      // that the simulation took here
    const char *compiler;                // that made the PTX, with its version
} hw_simulator_launch_row;

// How many launches have rows: all that began, of a simulator that counts. Rows are numbered in their order, from 0.
HW_API uint64_t hw_simulator_count_launches(hw_simulator *sim);
// Fills what is not NULL, each up to its struct_bytes. HW_NOT_FOUND: there are fewer rows; HW_USAGE: struct_bytes.
HW_API hw_status hw_simulator_get_launch(hw_simulator *sim, uint64_t row, hw_simulator_launch_row *launch,
                                         hw_simulator_counters *counters, hw_diag *diag);

// A source line of a kernel, beside what all of the kernel's launches counted on it. Accesses that a GPU would do as
// one count where the first of them stands. Its texts live as those of launches.
typedef struct hw_simulator_line_row {
    size_t struct_bytes;
    const char *kernel, *mangled;
    const char *file;                    // "" where the PTX has no line information
    uint32_t line;                       // 0: not known
    uint64_t launches;                   // of the kernel
} hw_simulator_line_row;

// Rows of lines that were executed, kernel by kernel in the order of their first launches, by file and line; none
// unless the options asked for lines.
HW_API uint64_t hw_simulator_count_lines(hw_simulator *sim);
// As hw_simulator_get_launch. Cost: a step for each kernel.
HW_API hw_status hw_simulator_get_line(hw_simulator *sim, uint64_t row, hw_simulator_line_row *line,
                                       hw_simulator_counters *counters, hw_diag *diag);

// Forgets all rows, and counts from 0 again. HW_NO_MEMORY: they are all still there.
HW_API hw_status hw_simulator_clear_rows(hw_simulator *sim, hw_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
