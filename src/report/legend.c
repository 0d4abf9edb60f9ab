// What the columns of tables say, below them: each legend where its column has anything to show.
#include "report/columns.h"

static bool any_count(const hw_report *report, hw_counter one, hw_counter other) {
    for (size_t i = 0; i < report->n_launches; i++)
        if (report->launches[i].counts[one] || report->launches[i].counts[other]) return true;
    return false;
}

static bool has_global(const hw_report *report) {
    return any_count(report, HW_COUNT_GLD_REQUESTS, HW_COUNT_GST_REQUESTS);
}

static bool has_shared(const hw_report *report) {
    return any_count(report, HW_COUNT_SMEM_WAVEFRONTS, HW_COUNT_SMEM_WAVEFRONTS_IDEAL);
}

static bool has_local(const hw_report *report) {
    return any_count(report, HW_COUNT_LLD_SECTORS, HW_COUNT_LST_SECTORS);
}

static bool has_branches(const hw_report *report) {
    return any_count(report, HW_COUNT_BRANCHES, HW_COUNT_BRANCHES_DIVERGENT);
}

static bool has_serialised(const hw_report *report) {
    return any_count(report, HW_COUNT_WARP_SERIALIZE, HW_COUNT_CONST_REQUESTS) || has_shared(report);
}

static bool has_spills(const hw_report *report) {
    for (size_t i = 0; i < report->n_launches; i++)
        if (report->launches[i].spill_bytes) return true;
    return false;
}

static bool has_estimates(const hw_report *report) {
    for (size_t i = 0; i < report->n_launches; i++)
        if (report->launches[i].regs_estimated) return true;
    return false;
}

static bool has_time(const hw_report *report) {
    for (size_t i = 0; i < report->n_launches; i++)
        if (!report->launches[i].status) return true;
    return false;
}

const hw_table_legend hw_table_legends[] = {
    {70, 999, has_global, "sectors/load, /store",
     "32-byte sectors that a warp's access touches / would touch if its lanes lay side by side"},
    {30, 69, has_global, "trans./load, /store",
     "32-byte transactions that a warp's access takes / would take if its lanes lay side by side"},
    {20, 29, has_global, "trans./load",
     "128-byte lines that a warp's load takes (past L1: sectors of 32) / the fewest that would do"},
    {20, 29, has_global, "trans./store",
     "32-byte transactions that a warp's store takes / would take if its lanes lay side by side"},
    {10, 11, has_global, "coalesced",
     "half-warps whose lanes take the words of a segment in order; others take a transaction a lane"},
    {10, 11, has_global, "transactions", "that a half-warp takes / the fewest that would do"},
    {12, 13, has_global, "transactions", "that a warp takes, half by half / the fewest that would do"},
    {10, 13, has_global, "bytes moved, wanted",
     "what transactions move; what lanes ask for, each access's rounded up to 32"},
    {10, 13, has_global, "partitions used",
     "share of the bandwidth in use: partitions that running blocks ask less of stand idle"},
    {10, 999, has_shared, "bank passes", "passes through the shared-memory banks for each one without bank conflicts"},
    {10, 13, has_serialised, "warps serialised",
     "their accesses to shared or constant memory that took more passes than without conflicts"},
    {10, 999, has_local, "local arrays",
     "bytes to and from arrays in local memory: indexed at run time, or too large for registers"},
    {10, 999, has_spills, "spills",
     "bytes per thread that ptxas stores and loads for want of registers; their traffic is not counted"},
    {10, 999, has_branches, "divergence", "branches whose lanes parted"},
    {10, 999, has_time, "est. us, GB/s, bound",
     "estimate of the GPU's time, useful bytes over it, and what holds the launch up"},
    {10, 999, has_estimates, "~", "estimated: ptxas was not there to say"},
};
const int hw_table_n_legends = sizeof hw_table_legends / sizeof hw_table_legends[0];
