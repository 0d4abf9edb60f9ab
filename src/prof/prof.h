// The profiler: a sink that turns the records of each launch into counters, by the models of a GPU.
#ifndef HW_PROF_PROF_H
#define HW_PROF_PROF_H

#include <stdbool.h>

#include "event/span.h"
#include "isa/gpu.h"
#include "isa/isa.h"
#include "model/occupancy.h"
#include "model/partition.h"
#include "model/time.h"

typedef enum hw_counter {
#define HW_COUNTER(id, ...) HW_COUNT_##id,
#include "prof/counters.def"
#undef HW_COUNTER
    HW_COUNTERS
} hw_counter;

// One row of counters.def.
typedef struct hw_counter_row {
    const char *name;
    int since, until;                // compute capabilities that show it
    const char *definition;
} hw_counter_row;
extern const hw_counter_row hw_counter_rows[HW_COUNTERS];

// Is it a column of a report about that GPU?
bool hw_counter_is_column(hw_counter counter, const hw_gpu *gpu);

// Are gld_partition_pct and gst_partition_pct columns of it?
bool hw_counts_partitions(const hw_gpu *gpu);

// To which of the memory's partitions the blocks go that run first, all at a time, of a GPU whose addresses decide
// (model/partition.h).
enum { HW_SHOWN_BLOCKS = 32 };
typedef struct hw_report_blocks {
    uint64_t at_once;                // so many
    uint32_t partitions, n;          // n: how many blocks are told apart, the grid's first
    uint32_t touched[2][HW_SHOWN_BLOCKS];   // by loads, by stores: a bit for each partition
    uint64_t bytes[2][HW_PARTITIONS];       // of all that run at a time
} hw_report_blocks;

// One kernel launch.
typedef struct hw_report_launch {
    uint64_t ordinal;                // 0 for the first launch; launches that are not counted have ordinals too
    const char *kernel;              // demangled, with parameter types
    const char *mangled;
    uint32_t grid[3], block[3];
    uint32_t regs;                   // per thread, as the launch takes them (some GPUs have a least number)
    bool regs_estimated;             // regs and spill_bytes are neither ptxas's nor of machine code
    uint32_t spill_bytes;            // per thread, of registers that are put away and fetched: stores and loads
    const char *ptx_by;              // compiler and version that made the PTX; "": it does not say
    uint32_t smem_static, smem_dynamic;   // bytes per block
    hw_occupancy occupancy;          // limit_smem: of the memory that the driver would set aside (model/occupancy.h)
    uint64_t counts[HW_COUNTERS];
    bool has_machine_inst;           // ptxas was asked:
    uint64_t machine_inst;           // warp instructions of machine code, as work counts them too
    // Share of the bandwidth that global loads, stores use, as far as partitions decide (model/partition.h): of the
    // blocks that run at a time, the mean load over the largest. 100 where nothing is asked for; 0: not counted, or the
    // GPU has no such thing.
    double gld_partition_pct, gst_partition_pct;
    const hw_report_blocks *blocks;  // where lines are wanted, of a kernel's first launch; NULL: as above
    uint64_t flops[HW_FLOPS];        // operations on floating-point numbers (isa/rates.h)
    uint64_t texel_sectors, texel_misses;   // of warps' fetches, and those of them that the multiprocessor's cache has
                                            // not (model/caches.h), by a sample of the blocks
    hw_time_work work;                    // what the launch asked of the GPU, and
    hw_estimate estimate;            // how long that would take there; all 0 of a launch that stopped early
    double host_ms;                  // wall-clock time of the simulation
    uint32_t device;                 // hw_launch_info.gpu
    bool is_timed;                   // the GPU's clock has told (hw_report_span) when it ran:
    uint32_t stream;                 // hw_span.stream_number
    double start_us, call_us;        // of the GPU's time; what the host's call took
    bool is_reused;                  // nothing was executed: it would have done again what an earlier launch did
    hw_status status;                // other than HW_OK: the launch stopped early, and the counters say how far it got
} hw_report_launch;

// One access of a warp, as its lanes lay.
typedef struct hw_report_access {
    uint64_t base;                   // address in the lowest active lane, modulo 256
    int64_t delta[HW_WARP_LANES];    // differences to it; 0 in inactive lanes
    uint32_t mask;                   // active lanes
    uint16_t cost, packed;           // sectors, or passes through the banks; of as many lanes side by side
    uint8_t kind, width_bytes;       // hw_note_kind; per lane, what was merged with it included
} hw_report_access;

// Does it cost more beyond what it would with its lanes side by side?
static inline bool hw_access_is_worse(const hw_report_access *a, const hw_report_access *than) {
    return a->cost - a->packed > than->cost - than->packed;
}

// The spaces that a line has an access of to look at: global memory and shared memory.
enum { HW_SHOWN_GLOBAL, HW_SHOWN_SHARED, HW_SHOWN_SPACES };

// One source line as one kernel's launches executed it. Requests and sectors of merged accesses count where they begin.
typedef struct hw_report_line {
    const char *file;                // "" where the program has no line information
    uint32_t line;                   // 0: unknown
    uint64_t counts[HW_COUNTERS];
    const char *text;                // the line itself, of a report that was read from a file; else NULL
    // By space the access that costs most beyond what it would with its lanes side by side; NULL: there is none.
    const hw_report_access *shown[HW_SHOWN_SPACES];
} hw_report_line;

// Launches whose lines are counted together.
typedef enum hw_report_lines { HW_LINES_OF_KERNEL, HW_LINES_OF_GROUP, HW_LINES_OF_LAUNCH } hw_report_lines;

// All lines that one kernel's launches executed, by file and line: of all launches, of those of one configuration
// (grid, block, shared memory), or of a single one.
typedef struct hw_report_kernel {
    const char *kernel, *mangled;
    uint64_t launches;
    uint64_t first;                  // ordinal of the first launch; its configuration is
    uint32_t grid[3], block[3], smem_dynamic;
    const hw_report_line *lines;
    size_t n_lines;
} hw_report_kernel;

// What the GPU's clock says of one thing that was done.
typedef struct hw_report_span {
    hw_span span;
    uint32_t process;                // of the program's, from 0 on in the order of their begins
    size_t launch;                   // of kernels: index into hw_report.launches; HW_NO_ROW: it was not counted
} hw_report_span;
#define HW_NO_ROW SIZE_MAX

// What was profiled so far: plain data, owned by the hw_prof.
typedef struct hw_report {
    const hw_gpu *gpu;
    const hw_report_launch *launches;    // in launch order
    size_t n_launches;
    uint64_t n_uncounted;                // launches that were not wanted, and are in no row
    bool has_lines;                      // kernels were recorded
    hw_report_lines lines_of;            // what each of the kernels stands for
    const hw_report_kernel *kernels;     // in the order of their first launch
    size_t n_kernels;
    const hw_report_span *spans;         // of a journal: in the order of their ends, process by process
    size_t n_spans;
    const char *const *codes;            // of a journal: PTX of what was loaded, as far as it was kept
    size_t n_codes;
} hw_report;

typedef struct hw_prof hw_prof;

typedef struct hw_prof_options {
    bool lines;                      // counters per source line as well
    bool no_l1;                      // 2.x: global loads go past the first-level cache, as after ptxas -dlcm=cg
    bool forgets;                    // nobody reads rows but the last: of the others some thousand are there, to be
                                     // repeated. Not with lines
    // Called after each launch, on the launching thread, with the report up to it. May be NULL.
    void (*finished)(void *context, const hw_report *report);
    // Is a launch of this kernel (its mangled name) to be counted? Called before each launch, on the launching thread;
    // a launch that is not counted has an ordinal and no row. NULL: all are counted.
    bool (*wants)(void *context, const char *mangled);
    void *context;
} hw_prof_options;

// gpu must outlive the object; options may be NULL. HW_NO_MEMORY.
hw_status hw_prof_create(const hw_gpu *gpu, const hw_prof_options *options, hw_prof **out, hw_diag *diag);
void hw_prof_destroy(hw_prof *prof);

// To be attached to a device. Ordered for 1.x and 3.x, whose partitions and rows of banks depend on whole addresses.
// launch_begin fails with HW_NO_MEMORY only; records never fail. Cost of an access record: about 20 ns when its pattern
// is one of the last four of its instruction.
hw_sink *hw_prof_sink(hw_prof *prof);

// Valid until the next launch begins or the object is destroyed. Not while a launch runs.
const hw_report *hw_prof_report(hw_prof *prof);

#endif
