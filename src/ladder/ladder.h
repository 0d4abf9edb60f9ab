// Runs the rungs of a family: each one compared with the reference first, then timed, and on a simulated GPU counted.
#ifndef HW_LADDER_LADDER_H
#define HW_LADDER_LADDER_H

#include "op/common/family.h"
#include "prof/prof.h"

typedef struct hw_ladder_row hw_ladder_row;

typedef struct hw_ladder_options {
    const hw_family *family;
    hw_problem problem;
    uint32_t block[2];        // 0: each rung's own
    bool all_blocks;          // each rung that takes any block: a row for each shape that it takes, the best marked
    double seconds;           // for timing each rung; at least three runs. A sim runs each once
    const char *rung;         // only this one ("30" or "tile"), and the copies; NULL: all
    // For progress, may be NULL: called before each rung, and with rung NULL before the reference is made.
    void (*progress)(void *context, size_t index, size_t count, const char *rung);
    void *progress_context;
    // Called with each row that was counted and the report of its launches, valid during the call; may be NULL.
    void (*counted)(void *context, const hw_ladder_row *row, const hw_report *report);
    void *counted_context;
} hw_ladder_options;

struct hw_ladder_row {
    const hw_rung *rung;
    uint32_t block[2];                    // as it ran
    hw_status status;                     // other than HW_OK: the rung did not run, and text says why
    char text[256];
    hw_verdict verdict;
    double ns_median, ns_min, ns_max;     // one run; sim: host time of the simulation
    uint32_t runs;
    double gbs;                           // hw_work.bytes_moved over the median, 10^9 bytes/s; 0 on sim
    double gops;                          // hw_work.operations over the median, 10^9 a second; 0 on sim and where the
                                          // family counts none
    double share;                         // of the fastest copy rung of the same run; 0: not known
    const hw_rung *base;                  // the rung over which the step is taken: the one that this rung builds on;
                                          // where that one has no time, the one that it builds on itself, and so on;
                                          // NULL: none
    double step;                          // times as fast as base, in its best block
    bool is_best_block;                   // all_blocks: of the rung's rows, the fastest; on sim, by estimate_us, or
                                          // where there is none with the fewest sectors and passes through the banks
    uint32_t n_launches;                  // of its plan
    bool has_counts;
    uint64_t counts[HW_COUNTERS];         // sums over the rung's launches, at the size hw_ladder.counted
    double estimate_us;                   // of the rung's launches on the GPU that counted (model/time.h); 0: none
    double estimate_step;                 // by estimates, times as fast as base; of simulated devices
    double copies_us;                     // of families with transfers, whose estimate is the GPU's clock: the plan's
                                          // copies, one after the other
    bool reaches_host;                    // kernels read or write the host's memory, so that memory is the link
    double bound_us[HW_BOUNDS];           // what the estimate is made of (model/time.h), added up over the launches
    bool is_at_floor;                     // launching takes at least half of the time, which then says little of the
                                          // rung
    uint64_t texel_sectors, texel_misses; // of texture fetches, estimated (prof.h); sums over the launches; 0: none
    double memory_gbs;                    // of the first launch, what the simulated GPU's memory allows (model/time.h)
    double partition_pct[2];              // 1.x alone: the share of the bandwidth that the loads and the stores of the
                                          // first launch use, as far as partitions decide (prof.h); 0: not counted
    hw_occupancy occupancy;               // of the first launch
    uint32_t regs, smem_bytes;            // that it rests on, per thread; per block, static and dynamic
    bool regs_estimated;                  // no ptxas was there to say
    uint32_t resident_blocks;             // of the first launch, that a multiprocessor of the device holds; 0: unknown
    double facts[HW_FAMILY_FACTS];        // what the family says of the rung (hw_family.facts); NaN: nothing
};

typedef struct hw_ladder {
    const hw_device_properties *device;
    const hw_gpu *counted_on;             // NULL: nothing was counted
    char ptx_by[64];                      // compiler and version that made the kernels; "": there were none
    char counted_ptx_by[64];              // the same of those that were counted beside a GPU
    double launch_ns;                     // measured on a GPU: of a kernel that does nothing; 0: not known
    hw_problem problem, counted;          // counted: its largest sizes halved until it can be simulated
    hw_work work;
    hw_ladder_row *rows;
    size_t n_rows;
} hw_ladder;

// counter: a sim on which counters are taken; NULL: none (or the device itself, when it is a sim).
// A rung that fails has its row, and a result that is wrong is not timed. HW_USAGE: a rung or size that the family does
// not have; HW_NO_MEMORY: the problem does not fit; else HW_OK, whatever the rows say. Free with hw_ladder_free,
// whether it succeeded or not. out->device is valid as long as the device.
hw_status hw_ladder_run(hw_device *device, hw_device *counter, const hw_ladder_options *options, hw_ladder *out,
                        hw_diag *diag);
void hw_ladder_free(hw_ladder *ladder);

#endif
