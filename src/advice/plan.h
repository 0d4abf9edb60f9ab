// Planning, before anything is changed: what the whole program's time is made of, and what each kernel could reach.
#ifndef HW_ADVICE_PLAN_H
#define HW_ADVICE_PLAN_H

#include "advice/advice.h"

// ---- The whole program ----------------------------------------------------------------------------------------------

typedef enum hw_plan_part {
    HW_PLAN_KERNELS,             // while at least one runs
    HW_PLAN_COPIES,              // and sets, while no kernel runs beside them
    HW_PLAN_CALLS,               // the rest of the GPU's clock: the host allocates, launches, waits
    HW_PLAN_OWN,                 // the program's own work between calls, measured on this machine
    HW_PLAN_PARTS
} hw_plan_part;
const char *hw_plan_part_name(hw_plan_part part);    // "kernels", "copies", "calls", "own work"

// Microseconds. Times of the program's processes are added up.
typedef struct hw_plan_program {
    double part_us[HW_PLAN_PARTS], total_us;
    // What crosses the link to the host: all copies, those that kernels hide too.
    uint64_t to_device_bytes, from_device_bytes;
    double link_us;              // as the copies are
    double pinned_us;            // if the host's memory were pinned
    double streamed_us;          // kernels and pinned copies together, in chunks by `streams` streams
    uint32_t streams;
    double operations;           // of kernels, by lanes: on floating-point numbers, or where there are none all
} hw_plan_program;

// What all would take if a part took no time, as a multiple of the speed: Amdahl's bound. Infinite where it is all.
double hw_plan_bound(const hw_plan_program *program, hw_plan_part part);

// ---- Kernels --------------------------------------------------------------------------------------------------------

// What a kernel would take without. A row of plan_changes.def.
typedef enum hw_plan_change {
#define HW_PLAN_CHANGE(id, ...) HW_PLAN_WITHOUT_##id,
#include "advice/plan_changes.def"
#undef HW_PLAN_CHANGE
    HW_PLAN_CHANGES
} hw_plan_change;
const char *hw_plan_change_name(hw_plan_change change);   // "bank-conflicts"

// Rules for grids and blocks. A row of plan_rules.def.
typedef enum hw_plan_rule {
#define HW_PLAN_RULE(id, ...) HW_PLAN_RULE_##id,
#include "advice/plan_rules.def"
#undef HW_PLAN_RULE
    HW_PLAN_RULES
} hw_plan_rule;
const char *hw_plan_rule_name(hw_plan_rule rule);         // "whole-warps"
const char *hw_plan_rule_sentence(hw_plan_rule rule);     // what it asks for, without a full stop

typedef struct hw_plan_verdict {
    bool applies, is_kept;
    char finding[160];               // what the launch has: "40 threads a block, of whose 64 lanes 24 do nothing"
} hw_plan_verdict;

// All launches of a kernel together that did not stop early.
typedef struct hw_plan_kernel {
    const hw_report_launch *launch;  // the one that takes longest, of which the verdicts are
    uint64_t n_launches;
    double us, share_pct;            // of the whole program's time
    double bound_us[HW_BOUNDS];
    hw_bound bound, next;            // what bounds it, and what would after that
    // The roofline, by the numbers that the kernel computes most with.
    hw_flop flop;
    double operations, bytes;        // on floating-point numbers; that memory moves
    double gflops, gbs;              // reached
    double peak_gflops, peak_gbs;    // of the GPU: its pipes, a stream; 0: not known
    double inst_per_ns, peak_inst_per_ns;   // warp instructions, for kernels that compute with integers
    double without_us[HW_PLAN_CHANGES];
    hw_plan_verdict verdicts[HW_PLAN_RULES];
} hw_plan_kernel;

// Operations a byte.
double hw_plan_intensity(const hw_plan_kernel *kernel);
// The most GFLOP/s that its roofs allow at this intensity: the lower of the pipes' peak and of what memory brings. 0:
// not known, or it computes with no floating-point numbers.
double hw_plan_roof(const hw_plan_kernel *kernel);

typedef struct hw_plan {
    const hw_gpu *gpu;
    hw_plan_program program;
    hw_plan_kernel *kernels;         // the most time first
    size_t n_kernels;
} hw_plan;

// report: of a journal, with the host's calls (hw_span). own_us: the program's own work; below 0: as it was measured.
// To be freed with hw_plan_free. HW_NO_MEMORY. Deterministic but for what was measured. n log n in what was done.
hw_status hw_plan_make(const hw_report *report, double own_us, hw_plan *out, hw_diag *diag);
void hw_plan_free(hw_plan *plan);

#endif
