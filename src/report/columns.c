// The report for people, column by column: ratios that say where time goes. GPUs of each time show what mattered on
// them: coalesced half-warps and transactions by size where there was no cache (1.x), transactions of lines and sectors
// (2.x to 6.x), sectors (7.0 and newer).
#include "report/columns.h"

#include <inttypes.h>

#include "report/cells.h"
#include "report/internal.h"

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };

typedef const hw_table_column *column;
typedef const hw_table_subject *subject;

// Counter number i of the column.
static uint64_t value(column c, subject s, int i) { return s->counts[c->of[s->is_store][i]]; }

// ---- What a row is about --------------------------------------------------------------------------------------------

static void ordinal(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    snprintf(cell->text, sizeof cell->text, "%" PRIu64, s->launch->ordinal);
}

static void kernel(column c, subject s, hw_grid_cell *cell) {
    enum { MOST = 400 };
    char name[4096], shown[HW_GRID_CELL - sizeof " (stopped)"];
    (void)c;
    hw_report_short_name(s->launch->kernel, name, sizeof name);
    hw_grid_shorten(name, MOST, shown, sizeof shown);
    snprintf(cell->text, sizeof cell->text, "%s%s", shown, s->launch->status ? " (stopped)" : "");
    cell->colour = s->launch->status ? HW_GRID_BAD : HW_GRID_PLAIN;
}

static void line_number(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_cell_count(cell, s->line->line);
}

static void source_text(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_source_line(s->source, s->line->line, cell->text, HW_GRID_CELL);
}

static void direction(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_cell_text(cell, s->is_store ? "stores" : "loads");
}

// ---- Launches -------------------------------------------------------------------------------------------------------

static void grid(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_report_shape(s->launch->grid, cell->text, sizeof cell->text);
}

static void block(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_report_shape(s->launch->block, cell->text, sizeof cell->text);
}

static void registers(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    snprintf(cell->text, sizeof cell->text, "%s%u", s->launch->regs_estimated ? "~" : "", s->launch->regs);
}

static void shared_bytes(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_cell_count(cell, (uint64_t)s->launch->smem_static + s->launch->smem_dynamic);
}

static void occupancy(column c, subject s, hw_grid_cell *cell) {
    double pct = s->launch->occupancy.occupancy_pct;
    (void)c;
    hw_cell_percent(cell, pct, pct >= 50 ? HW_GRID_GOOD : pct < 25 ? HW_GRID_BAD : HW_GRID_PLAIN);
}

static void spills(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    uint32_t bytes = s->launch->spill_bytes;
    hw_cell_nothing(cell);
    if (!bytes) return;
    snprintf(cell->text, sizeof cell->text, "%s%u B", s->launch->regs_estimated ? "~" : "", bytes);
    cell->colour = HW_GRID_BAD;
}

static void write_us(double us, hw_grid_cell *cell) {
    hw_report_fixed(us, us < 99.95 ? 1 : 0, cell->text, sizeof cell->text);
}

static void estimated_us(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    if (s->launch->status) hw_cell_nothing(cell);
    else write_us(s->launch->estimate.us, cell);
}

static void estimated_gbs(column c, subject s, hw_grid_cell *cell) {
    double gbs = s->launch->estimate.gbs;
    (void)c;
    if (s->launch->status) hw_cell_nothing(cell);
    else hw_report_fixed(gbs, gbs < 9.995 ? 2 : 0, cell->text, sizeof cell->text);
}

static void estimated_bound(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    if (s->launch->status) hw_cell_nothing(cell);
    else hw_cell_text(cell, hw_bound_name(s->launch->estimate.bound));
}

// ---- All launches of a kernel ---------------------------------------------------------------------------------------

static void launches(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_cell_count(cell, s->summary->launches);
}

static void share_of_time(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    hw_cell_percent(cell, s->summary->share_pct, HW_GRID_PLAIN);
}

// Of launches that ran to their end: there may be none.
static void us_of(subject s, double us, hw_grid_cell *cell) {
    if (s->summary->completed) write_us(us, cell);
    else hw_cell_nothing(cell);
}

static void total_us(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    us_of(s, s->launch->estimate.us, cell);
}

static void mean_us(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    us_of(s, s->summary->mean_us, cell);
}

static void least_us(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    us_of(s, s->summary->min_us, cell);
}

static void most_us(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    us_of(s, s->summary->max_us, cell);
}

// ---- Counters -------------------------------------------------------------------------------------------------------

static void count(column c, subject s, hw_grid_cell *cell) { hw_cell_count(cell, value(c, s, 0)); }

// Lanes, instructions.
static void lanes(column c, subject s, hw_grid_cell *cell) {
    uint64_t inst = value(c, s, 1);
    hw_report_fixed((double)value(c, s, 0) / (double)(inst ? inst : 1), 1, cell->text, sizeof cell->text);
}

// Requests, sectors, sectors side by side.
static void sectors(column c, subject s, hw_grid_cell *cell) {
    hw_cell_each(cell, value(c, s, 0), (double)value(c, s, 1), (double)value(c, s, 2));
}

static void traffic(column c, subject s, hw_grid_cell *cell) {
    uint64_t moved = value(c, s, 0), ideal = value(c, s, 1);
    hw_cell_bytes(cell, moved * SECTOR_BYTES, hw_cell_judge((double)moved, (double)ideal));
}

// Sectors of loads, of stores.
static void local_arrays(column c, subject s, hw_grid_cell *cell) {
    hw_cell_bytes(cell, (value(c, s, 0) + value(c, s, 1)) * SECTOR_BYTES, HW_GRID_PLAIN);
}

// Passes, and without conflicts.
static void passes(column c, subject s, hw_grid_cell *cell) { hw_cell_times(cell, value(c, s, 0), value(c, s, 1)); }

// Branches, those that parted.
static void divergence(column c, subject s, hw_grid_cell *cell) {
    uint64_t branches = value(c, s, 0);
    double share = branches ? 100.0 * (double)value(c, s, 1) / (double)branches : 0;
    if (!branches) hw_cell_nothing(cell);
    else hw_cell_percent(cell, share, share < 1 ? HW_GRID_GOOD : share >= 20 ? HW_GRID_BAD : HW_GRID_PLAIN);
}

// Of so many; 0 is worth saying.
static void count_among(hw_grid_cell *cell, uint64_t bad, uint64_t all) {
    snprintf(cell->text, sizeof cell->text, "%" PRIu64, bad);
    cell->colour = !bad ? HW_GRID_GOOD : (double)bad * 2 >= (double)all ? HW_GRID_BAD : HW_GRID_PLAIN;
}

// Serialised accesses; loads and stores of shared memory, loads of constant memory.
static void serialised(column c, subject s, hw_grid_cell *cell) {
    uint64_t all = value(c, s, 1) + value(c, s, 2) + value(c, s, 3), bad = value(c, s, 0);
    if (all || bad) count_among(cell, bad, all);
    else hw_cell_nothing(cell);
}

// ---- Transactions of GPUs before 7.0 --------------------------------------------------------------------------------

static double at_least(double number, double least) { return number < least ? least : number; }
static double at_most(double number, double most) { return number > most ? most : number; }

// What would do of what is moved, in bytes or in transactions: as much as lanes side by side would touch, but for all
// requests no less than their least.
static double fewest(double moved, double wanted, double requests_least) {
    return at_most(at_least(wanted, requests_least), moved);
}

static double bytes_of(uint64_t sectors) { return (double)sectors * SECTOR_BYTES; }

// Requests, transactions, their bytes, sectors side by side. Lines and sectors may be mixed (2.x).
static void transactions(column c, subject s, hw_grid_cell *cell) {
    double requests = (double)value(c, s, 0), actual = (double)value(c, s, 1), bytes = (double)value(c, s, 2);
    double wanted = bytes > 0 ? bytes_of(value(c, s, 3)) * actual / bytes : 0;
    hw_cell_each(cell, value(c, s, 0), actual, fewest(actual, wanted, requests));
}

// Bytes that would do for loads or for stores; the same counters.
static double fewest_bytes(const uint64_t *n, const uint8_t of[4]) {
    double requests = (double)n[of[0]], actual = (double)n[of[1]], bytes = (double)n[of[2]];
    return actual > 0 ? fewest(bytes, bytes_of(n[of[3]]), requests * bytes / actual) : 0;
}

// Of both, the same counters: bytes that they move between the caches. What else goes there: all sectors less theirs.
static void cache_traffic(column c, subject s, hw_grid_cell *cell) {
    const uint64_t *n = s->counts;
    uint64_t others = n[HW_COUNT_L2_SECTORS] - n[HW_COUNT_GLD_SECTORS] - n[HW_COUNT_GST_SECTORS];
    uint64_t others_ideal =
        n[HW_COUNT_L2_SECTORS_IDEAL] - n[HW_COUNT_GLD_SECTORS_IDEAL] - n[HW_COUNT_GST_SECTORS_IDEAL];
    uint64_t bytes = n[c->of[0][2]] + n[c->of[1][2]] + others * SECTOR_BYTES;
    double ideal = fewest_bytes(n, c->of[0]) + fewest_bytes(n, c->of[1]) + bytes_of(others_ideal);
    hw_cell_bytes(cell, bytes, hw_cell_judge((double)bytes, ideal));
}

// Coalesced and uncoalesced half-warps.
static void uncoalesced(column c, subject s, hw_grid_cell *cell) {
    count_among(cell, value(c, s, 1), value(c, s, 0) + value(c, s, 1));
}

// Coalesced and uncoalesced half-warps, transactions, sectors side by side.
static void of_half_warp(column c, subject s, hw_grid_cell *cell) {
    uint64_t halves = value(c, s, 0) + value(c, s, 1);
    double actual = (double)value(c, s, 2);
    hw_cell_each(cell, halves, actual, fewest(actual, bytes_of(value(c, s, 3)) / LINE_BYTES, (double)halves));
}

// Requests, transactions, sectors side by side. Half-warps take theirs one after the other.
static void of_warp(column c, subject s, hw_grid_cell *cell) {
    uint64_t requests = value(c, s, 0);
    double actual = (double)value(c, s, 1);
    hw_cell_each(cell, requests, actual, fewest(actual, bytes_of(value(c, s, 2)) / LINE_BYTES, 2 * (double)requests));
}

// Coalesced and uncoalesced half-warps, bytes, sectors side by side. A coalesced half-warp moves 64 bytes at least.
static void moved_by_half_warps(column c, subject s, hw_grid_cell *cell) {
    double moved = (double)value(c, s, 2), halves = (double)value(c, s, 0) + (double)value(c, s, 1);
    hw_cell_bytes(cell, value(c, s, 2), hw_cell_judge(moved, fewest(moved, bytes_of(value(c, s, 3)), 64 * halves)));
}

// Requests, bytes, sectors side by side. Each half of a warp moves 32 bytes at least.
static void moved_by_warps(column c, subject s, hw_grid_cell *cell) {
    double moved = (double)value(c, s, 1), requests = (double)value(c, s, 0);
    hw_cell_bytes(cell, value(c, s, 1), hw_cell_judge(moved, fewest(moved, bytes_of(value(c, s, 2)), 64 * requests)));
}

static void wanted_bytes(column c, subject s, hw_grid_cell *cell) {
    hw_cell_bytes(cell, value(c, s, 0) * SECTOR_BYTES, HW_GRID_PLAIN);
}

// Of launches only. 0: there was no room to count it.
static void partitions(column c, subject s, hw_grid_cell *cell) {
    (void)c;
    if (!s->launch || s->summary) return;
    double pct = s->is_store ? s->launch->gst_partition_pct : s->launch->gld_partition_pct;
    if (pct > 0) hw_cell_percent(cell, pct, hw_cell_judge(100, pct));
    else hw_cell_text(cell, "not counted");
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

// Counters of loads and stores.
#define BOTH(a) {{HW_COUNT_GLD_##a}, {HW_COUNT_GST_##a}}
#define BOTH2(a, b) {{HW_COUNT_GLD_##a, HW_COUNT_GLD_##b}, {HW_COUNT_GST_##a, HW_COUNT_GST_##b}}
#define BOTH3(a, b, c)                                                                                                \
    {{HW_COUNT_GLD_##a, HW_COUNT_GLD_##b, HW_COUNT_GLD_##c}, {HW_COUNT_GST_##a, HW_COUNT_GST_##b, HW_COUNT_GST_##c}}
#define BOTH4(a, b, c, d)                                                                                             \
    {{HW_COUNT_GLD_##a, HW_COUNT_GLD_##b, HW_COUNT_GLD_##c, HW_COUNT_GLD_##d},                                        \
     {HW_COUNT_GST_##a, HW_COUNT_GST_##b, HW_COUNT_GST_##c, HW_COUNT_GST_##d}}

enum { RIGHT = 0, LEFT = HW_GRID_LEFT, KEY = HW_GRID_KEY, NAME = LEFT | KEY | HW_GRID_SHORTENED };

static const hw_table_column launch_names[] = {
    {{"", "#", KEY}, 10, 999, ordinal, {{0}}},
    {{"", "kernel", NAME}, 10, 999, kernel, {{0}}},
};

static const hw_table_column summary_names[] = {
    {{"", "kernel", NAME}, 10, 999, kernel, {{0}}},
};

static const hw_table_column line_names[] = {
    {{"", "line", KEY}, 10, 999, line_number, {{0}}},
    {{"", "", LEFT | HW_GRID_WRAPPED}, 10, 999, source_text, {{0}}},
};

static const hw_table_column launch_shape[] = {
    {{"", "grid", RIGHT}, 10, 999, grid, {{0}}},
    {{"", "block", RIGHT}, 10, 999, block, {{0}}},
};

static const hw_table_column summary_times[] = {
    {{"", "launches", RIGHT}, 10, 999, launches, {{0}}},
    {{"share of", "est. time", RIGHT}, 10, 999, share_of_time, {{0}}},
    {{"est. us", "total", RIGHT}, 10, 999, total_us, {{0}}},
    {{"", "mean", RIGHT}, 10, 999, mean_us, {{0}}},
    {{"", "min", RIGHT}, 10, 999, least_us, {{0}}},
    {{"", "max", RIGHT}, 10, 999, most_us, {{0}}},
};

static const hw_table_column launch_columns[] = {
    {{"", "regs", RIGHT}, 10, 999, registers, {{0}}},
    {{"shared", "bytes", RIGHT}, 10, 999, shared_bytes, {{0}}},
    {{"occu-", "pancy", RIGHT}, 10, 999, occupancy, {{0}}},
    {{"trans./", "load", RIGHT}, 20, 69, transactions,
     {{HW_COUNT_GLD_REQUESTS, HW_COUNT_GLD_TRANSACTIONS, HW_COUNT_GLD_BYTES, HW_COUNT_GLD_SECTORS_IDEAL}}},
    {{"trans./", "store", RIGHT}, 20, 69, transactions,
     {{HW_COUNT_GST_REQUESTS, HW_COUNT_GST_TRANSACTIONS, HW_COUNT_GST_BYTES, HW_COUNT_GST_SECTORS_IDEAL}}},
    {{"L2", "traffic", RIGHT}, 20, 69, cache_traffic, BOTH4(REQUESTS, TRANSACTIONS, BYTES, SECTORS_IDEAL)},
    {{"sectors/", "load", RIGHT}, 70, 999, sectors,
     {{HW_COUNT_GLD_REQUESTS, HW_COUNT_GLD_SECTORS, HW_COUNT_GLD_SECTORS_IDEAL}}},
    {{"sectors/", "store", RIGHT}, 70, 999, sectors,
     {{HW_COUNT_GST_REQUESTS, HW_COUNT_GST_SECTORS, HW_COUNT_GST_SECTORS_IDEAL}}},
    {{"L2", "traffic", RIGHT}, 70, 999, traffic, {{HW_COUNT_L2_SECTORS, HW_COUNT_L2_SECTORS_IDEAL}}},
    {{"bank", "passes", RIGHT}, 10, 999, passes, {{HW_COUNT_SMEM_WAVEFRONTS, HW_COUNT_SMEM_WAVEFRONTS_IDEAL}}},
    {{"warps", "serialised", RIGHT}, 10, 13, serialised,
     {{HW_COUNT_WARP_SERIALIZE, HW_COUNT_LDS_INST, HW_COUNT_STS_INST, HW_COUNT_CONST_REQUESTS}}},
    {{"local", "arrays", RIGHT}, 10, 999, local_arrays, {{HW_COUNT_LLD_SECTORS, HW_COUNT_LST_SECTORS}}},
    {{"", "spills", RIGHT}, 10, 999, spills, {{0}}},
    {{"diver-", "gence", RIGHT}, 10, 999, divergence, {{HW_COUNT_BRANCHES, HW_COUNT_BRANCHES_DIVERGENT}}},
};

static const hw_table_column launch_time[] = {
    {{"est.", "us", RIGHT}, 10, 999, estimated_us, {{0}}},
};

static const hw_table_column launch_rates[] = {
    {{"est.", "GB/s", RIGHT}, 10, 999, estimated_gbs, {{0}}},
    {{"est.", "bound", RIGHT}, 10, 999, estimated_bound, {{0}}},
};

static const hw_table_column line_columns[] = {
    {{"warp", "inst", RIGHT}, 10, 999, count, {{HW_COUNT_INST}}},
    {{"lanes/", "inst", RIGHT}, 10, 999, lanes, {{HW_COUNT_THREAD_INST, HW_COUNT_INST}}},
    {{"", "loads", RIGHT}, 20, 999, count, {{HW_COUNT_GLD_REQUESTS}}},
    {{"trans./", "load", RIGHT}, 20, 69, transactions,
     {{HW_COUNT_GLD_REQUESTS, HW_COUNT_GLD_TRANSACTIONS, HW_COUNT_GLD_BYTES, HW_COUNT_GLD_SECTORS_IDEAL}}},
    {{"sectors/", "load", RIGHT}, 70, 999, sectors,
     {{HW_COUNT_GLD_REQUESTS, HW_COUNT_GLD_SECTORS, HW_COUNT_GLD_SECTORS_IDEAL}}},
    {{"", "stores", RIGHT}, 20, 999, count, {{HW_COUNT_GST_REQUESTS}}},
    {{"trans./", "store", RIGHT}, 20, 69, transactions,
     {{HW_COUNT_GST_REQUESTS, HW_COUNT_GST_TRANSACTIONS, HW_COUNT_GST_BYTES, HW_COUNT_GST_SECTORS_IDEAL}}},
    {{"sectors/", "store", RIGHT}, 70, 999, sectors,
     {{HW_COUNT_GST_REQUESTS, HW_COUNT_GST_SECTORS, HW_COUNT_GST_SECTORS_IDEAL}}},
    {{"shared", "passes", RIGHT}, 10, 999, count, {{HW_COUNT_SMEM_WAVEFRONTS}}},
    {{"bank", "passes", RIGHT}, 10, 999, passes, {{HW_COUNT_SMEM_WAVEFRONTS, HW_COUNT_SMEM_WAVEFRONTS_IDEAL}}},
    {{"warps", "serialised", RIGHT}, 10, 13, serialised,
     {{HW_COUNT_WARP_SERIALIZE, HW_COUNT_LDS_INST, HW_COUNT_STS_INST, HW_COUNT_CONST_REQUESTS}}},
    {{"local", "arrays", RIGHT}, 10, 999, local_arrays, {{HW_COUNT_LLD_SECTORS, HW_COUNT_LST_SECTORS}}},
    {{"", "branches", RIGHT}, 10, 999, count, {{HW_COUNT_BRANCHES}}},
    {{"diver-", "gence", RIGHT}, 10, 999, divergence, {{HW_COUNT_BRANCHES, HW_COUNT_BRANCHES_DIVERGENT}}},
};

// Global memory without a cache, a row for the loads and one for the stores.
static const hw_table_column memory_columns[] = {
    {{"", "access", LEFT | KEY}, 10, 13, direction, {{0}}},
    {{"half-warps", "coalesced", RIGHT}, 10, 11, count, BOTH(COALESCED)},
    {{"half-warps", "uncoalesced", RIGHT}, 10, 11, uncoalesced, BOTH2(COALESCED, UNCOALESCED)},
    {{"transactions/", "half-warp", RIGHT}, 10, 11, of_half_warp,
     BOTH4(COALESCED, UNCOALESCED, TRANSACTIONS, SECTORS_IDEAL)},
    {{"", "warps", RIGHT}, 12, 13, count, BOTH(REQUESTS)},
    {{"trans. of", "32 B", RIGHT}, 12, 13, count, BOTH(32B)},
    {{"trans. of", "64 B", RIGHT}, 12, 13, count, BOTH(64B)},
    {{"trans. of", "128 B", RIGHT}, 12, 13, count, BOTH(128B)},
    {{"transactions/", "warp", RIGHT}, 12, 13, of_warp, BOTH3(REQUESTS, TRANSACTIONS, SECTORS_IDEAL)},
    {{"bytes", "moved", RIGHT}, 10, 11, moved_by_half_warps, BOTH4(COALESCED, UNCOALESCED, BYTES, SECTORS_IDEAL)},
    {{"bytes", "moved", RIGHT}, 12, 13, moved_by_warps, BOTH3(REQUESTS, BYTES, SECTORS_IDEAL)},
    {{"bytes", "wanted", RIGHT}, 10, 13, wanted_bytes, BOTH(SECTORS_IDEAL)},
    {{"partitions", "used", RIGHT}, 10, 13, partitions, {{0}}},
};

// Columns that stand side by side.
#define PART(array) {array, (int)(sizeof(array) / sizeof(array)[0])}
#define N_COLUMNS(array) (sizeof(array) / sizeof(array)[0])
_Static_assert(N_COLUMNS(launch_names) + N_COLUMNS(launch_shape) + N_COLUMNS(launch_columns) + N_COLUMNS(launch_time) +
                       N_COLUMNS(launch_rates) <= HW_GRID_COLUMNS, "fit a grid");
_Static_assert(N_COLUMNS(summary_names) + N_COLUMNS(summary_times) + N_COLUMNS(launch_columns) +
                       N_COLUMNS(launch_rates) <= HW_GRID_COLUMNS, "fit a grid");
_Static_assert(N_COLUMNS(line_names) + N_COLUMNS(line_columns) <= HW_GRID_COLUMNS, "fit a grid");
_Static_assert(N_COLUMNS(launch_names) + N_COLUMNS(memory_columns) <= HW_GRID_COLUMNS, "fit a grid");

const hw_table hw_tables[HW_TABLES] = {
    [HW_TABLE_LAUNCHES] = {10, 999, false, NULL,
                           {PART(launch_names), PART(launch_shape), PART(launch_columns), PART(launch_time),
                            PART(launch_rates)}},
    [HW_TABLE_MEMORY] = {10, 13, true, "global memory", {PART(launch_names), PART(memory_columns)}},
    [HW_TABLE_SUMMARY] = {10, 999, false, NULL,
                          {PART(summary_names), PART(summary_times), PART(launch_columns), PART(launch_rates)}},
    [HW_TABLE_SUMMARY_MEMORY] = {10, 13, true, "global memory", {PART(summary_names), PART(memory_columns)}},
    [HW_TABLE_LINES] = {10, 999, false, NULL, {PART(line_names), PART(line_columns)}},
    [HW_TABLE_LINE_MEMORY] = {10, 13, true, "global memory", {PART(line_names), PART(memory_columns)}},
};
