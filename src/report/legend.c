// Explains the columns of tables below them, each where its column has anything to show.
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

#define C(id) HW_COLUMN_##id
const hw_table_legend hw_table_legends[] = {
    {has_global, "sectors/load, /store", {C(SECTORS_LOAD)}, NULL},
    {has_global, "trans./load, /store", {C(TRANS_LOAD)}, NULL},
    {has_global, "trans./load", {C(TRANS_LOAD_LINES)}, NULL},
    {has_global, "trans./store", {C(TRANS_STORE_LINES)}, NULL},
    {has_global, "coalesced", {C(HALVES_COALESCED)}, NULL},
    {has_global, "transactions", {C(TRANS_HALF_WARP)}, NULL},
    {has_global, "transactions", {C(TRANS_WARP)}, NULL},
    {has_global, "bytes moved, wanted", {C(MOVED_BY_HALVES), C(BYTES_WANTED)}, NULL},
    {has_global, "bytes moved, wanted", {C(MOVED_BY_WARPS), C(BYTES_WANTED)}, NULL},
    {has_global, "partitions used", {C(PARTITIONS_USED)}, NULL},
    {has_shared, "bank passes", {C(BANK_PASSES)}, NULL},
    {has_serialised, "warps serialised", {C(WARPS_SERIALISED)}, NULL},
    {has_local, "local arrays", {C(LOCAL_ARRAYS)}, NULL},
    {has_spills, "spills", {C(SPILL_BYTES)}, NULL},
    {has_branches, "divergence", {C(DIVERGENCE)}, NULL},
    {has_time, "est. us, GB/s, bound", {C(EST_US)},
     "estimate of the GPU's time, useful bytes over it, and what holds the launch up"},
    {has_estimates, "~", {C(REGS)}, "estimated: ptxas was not there to say"},
};
const int hw_table_n_legends = sizeof hw_table_legends / sizeof hw_table_legends[0];
