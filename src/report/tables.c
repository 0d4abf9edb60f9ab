// The columns of each table, in order. Columns that a GPU's compute capability does not show are left out.
#include "report/columns.h"

#define C(id) HW_COLUMN_##id

static const uint8_t launch_names[] = {C(ORDINAL), C(DEVICE), C(KERNEL)};
static const uint8_t summary_names[] = {C(DEVICE), C(KERNEL)};
static const uint8_t line_names[] = {C(LINE), C(SOURCE)};
static const uint8_t launch_shape[] = {C(GRID), C(BLOCK)};
static const uint8_t summary_times[] = {C(LAUNCHES), C(SHARE_PCT), C(EST_US_TOTAL), C(EST_US_MEAN), C(EST_US_MIN),
                                        C(EST_US_MAX)};
static const uint8_t launch_columns[] = {
    C(REGS), C(SHARED_BYTES), C(OCCUPANCY_PCT), C(TRANS_LOAD_LINES), C(TRANS_LOAD), C(TRANS_STORE_LINES),
    C(TRANS_STORE), C(CACHE_TRAFFIC), C(SECTORS_LOAD), C(SECTORS_STORE), C(L2_TRAFFIC), C(BANK_PASSES),
    C(WARPS_SERIALISED), C(LOCAL_ARRAYS), C(SPILL_BYTES), C(DIVERGENCE)};
static const uint8_t launch_time[] = {C(EST_US)};
static const uint8_t launch_rates[] = {C(EST_GBS), C(EST_BOUND)};
static const uint8_t summary_rates[] = {C(EST_GBS), C(EST_LOAD_GBS), C(EST_STORE_GBS), C(EST_GINST), C(EST_BOUND)};
static const uint8_t line_columns[] = {
    C(LINE_INST), C(LINE_LANES), C(LINE_LOADS), C(TRANS_LOAD_LINES), C(TRANS_LOAD), C(SECTORS_LOAD), C(LINE_STORES),
    C(TRANS_STORE_LINES), C(TRANS_STORE), C(SECTORS_STORE), C(LINE_PASSES), C(BANK_PASSES), C(WARPS_SERIALISED),
    C(LOCAL_ARRAYS), C(LINE_BRANCHES), C(DIVERGENCE)};
static const uint8_t memory_columns[] = {
    C(DIRECTION), C(HALVES_COALESCED), C(HALVES_UNCOALESCED), C(TRANS_HALF_WARP), C(WARPS), C(TRANS_32B), C(TRANS_64B),
    C(TRANS_128B), C(TRANS_WARP), C(MOVED_BY_HALVES), C(MOVED_BY_WARPS), C(BYTES_WANTED), C(PARTITIONS_USED)};

#define PART(array) {array, (int)(sizeof(array) / sizeof(array)[0])}
#define N_COLUMNS(array) (sizeof(array) / sizeof(array)[0])
_Static_assert(HW_COLUMNS < 256, "a column's number is a byte");
_Static_assert(N_COLUMNS(launch_names) + N_COLUMNS(launch_shape) + N_COLUMNS(launch_columns) + N_COLUMNS(launch_time) +
                       N_COLUMNS(launch_rates) <= HW_GRID_COLUMNS, "fit a grid");
_Static_assert(N_COLUMNS(summary_names) + N_COLUMNS(summary_times) + N_COLUMNS(launch_columns) - 5 +
                       N_COLUMNS(summary_rates) <= HW_GRID_COLUMNS, "fit a grid: at most 11 of 16 are of one GPU");
_Static_assert(N_COLUMNS(line_names) + N_COLUMNS(line_columns) <= HW_GRID_COLUMNS, "fit a grid");
_Static_assert(N_COLUMNS(launch_names) + N_COLUMNS(memory_columns) <= HW_GRID_COLUMNS, "fit a grid");

const hw_table hw_tables[HW_TABLES] = {
    [HW_TABLE_LAUNCHES] = {10, 999, false, NULL,
                           {PART(launch_names), PART(launch_shape), PART(launch_columns), PART(launch_time),
                            PART(launch_rates)}},
    [HW_TABLE_MEMORY] = {10, 13, true, "global memory", {PART(launch_names), PART(memory_columns)}},
    [HW_TABLE_SUMMARY] = {10, 999, false, NULL,
                          {PART(summary_names), PART(summary_times), PART(launch_columns), PART(summary_rates)}},
    [HW_TABLE_SUMMARY_MEMORY] = {10, 13, true, "global memory", {PART(summary_names), PART(memory_columns)}},
    [HW_TABLE_LINES] = {10, 999, false, NULL, {PART(line_names), PART(line_columns)}},
    [HW_TABLE_LINE_MEMORY] = {10, 13, true, "global memory", {PART(line_names), PART(memory_columns)}},
};
