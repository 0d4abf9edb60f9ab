// All launches of a kernel as one row: sums, means by time, and extremes.
#ifndef HW_REPORT_SUMMARY_H
#define HW_REPORT_SUMMARY_H

#include "prof/prof.h"

typedef struct hw_report_summary {
    // The launches as one: counters, work.load_bytes, work.store_bytes, estimate.us and estimate.bound_us are sums;
    // estimate.gbs is useful bytes over all of that time, and estimate.bound what holds up the most of it;
    // occupancy_pct is a mean by estimated time (of launches without one, by launch); regs, spill_bytes and smem_* are
    // the largest; regs_estimated and status tell of any of them. ordinal and device are the first one's. Grid, block,
    // the limits of occupancy and partitions mean nothing.
    hw_report_launch sum;
    uint64_t launches, completed;    // completed: those that did not stop early; estimates are of these
    uint64_t reused;                 // those that were not executed
    double share_pct;                // of the estimated time of all launches
    double mean_us, min_us, max_us;  // estimated; 0 when none completed
} hw_report_summary;

// A row for each kernel (by its mangled name), and by_gpu for each GPU that it ran on, the most time first, then in
// launch order. To be freed with hw_free. HW_NO_MEMORY. Deterministic. n log n in launches.
hw_status hw_report_summarise(const hw_report *report, bool by_gpu, hw_report_summary **rows, size_t *n_rows,
                              hw_diag *diag);

#endif
