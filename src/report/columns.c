// The values of columns.def: ratios that say where time goes, and what launches take. GPUs of each time show what
// mattered on them: coalesced half-warps and transactions by size where there was no cache (1.x), transactions of lines
// and sectors (2.x to 6.x), sectors (7.0 and newer).
#include "report/columns.h"

#include "report/internal.h"

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };

typedef const hw_column *column;
typedef const hw_subject *subject;

// ---- Values ---------------------------------------------------------------------------------------------------------

// How many each of the requests takes, and how many would do.
static hw_value make_ratio(uint64_t requests, double actual, double ideal) {
    if (!requests) return hw_value_nothing();
    return hw_value_judged(hw_value_pair(actual / (double)requests, ideal / (double)requests),
                           hw_judge_ratio(actual, ideal));
}

// Counter number i of the column.
static uint64_t counter(column c, subject s, int i) { return s->counts[c->of[s->is_store][i]]; }

// ---- What a row is about --------------------------------------------------------------------------------------------

// A reader that takes no counters of its column.
#define READER(reader, value)                                                                                         \
    static hw_value reader(column c, const void *of) {                                                                \
        subject s = of;                                                                                               \
        (void)c;                                                                                                      \
        return value;                                                                                                 \
    }

READER(read_ordinal, hw_value_integer(s->launch ? s->launch->ordinal : s->listing->first))
READER(read_mangled, hw_value_text(s->launch ? s->launch->mangled : s->listing->mangled))
READER(read_grid, hw_value_shape(s->launch ? s->launch->grid : s->listing->grid))
READER(read_block, hw_value_shape(s->launch ? s->launch->block : s->listing->block))
READER(read_file, hw_value_text(s->line->file))
READER(read_line_number, hw_value_integer(s->line->line))
READER(read_source_text, hw_value_text(s->source || !s->line->text
                                           ? hw_source_line(s->source, s->line->line, s->text, HW_GRID_CELL)
                                           : s->line->text))
READER(read_direction, hw_value_text(s->is_store ? "stores" : "loads"))
READER(read_launches, hw_value_integer(s->summary ? s->summary->launches : s->listing->launches))

static hw_value read_kernel(column c, const void *of) {
    subject s = of;
    (void)c;
    hw_value value = hw_value_text(s->launch ? s->launch->kernel : s->listing->kernel);
    if (s->launch && s->launch->is_reused) value.remark = "reused";
    if (!s->launch || !s->launch->status) return value;
    value.remark = "stopped";
    return hw_value_judged(value, HW_JUDGED_BAD);
}

// ---- A launch and what it takes -------------------------------------------------------------------------------------

// Of a value that ptxas may have said or not.
static hw_value perhaps_estimated(subject s, hw_value value) {
    value.is_estimate = s->launch->regs_estimated;
    return value;
}

static hw_value judged_occupancy(double pct) {
    return hw_value_judged(hw_value_real(pct), hw_judge_occupancy(pct));
}

READER(read_registers, perhaps_estimated(s, hw_value_integer(s->launch->regs)))
READER(read_regs_estimated, hw_value_flag(s->launch->regs_estimated))
READER(read_smem_static, hw_value_integer(s->launch->smem_static))
READER(read_smem_dynamic, hw_value_integer(s->launch ? s->launch->smem_dynamic : s->listing->smem_dynamic))
READER(read_shared_bytes, hw_value_integer((uint64_t)s->launch->smem_static + s->launch->smem_dynamic))
READER(read_limit_blocks, hw_value_integer(s->launch->occupancy.limit_blocks))
READER(read_limit_regs, hw_value_integer(s->launch->occupancy.limit_regs))
READER(read_limit_smem, hw_value_integer(s->launch->occupancy.limit_smem))
READER(read_limit_warps, hw_value_integer(s->launch->occupancy.limit_warps))
READER(read_occupancy, judged_occupancy(s->launch->occupancy.occupancy_pct))
READER(read_spills, hw_value_judged(perhaps_estimated(s, hw_value_integer(s->launch->spill_bytes)), HW_JUDGED_BAD))
READER(read_host_ms, hw_value_real(s->launch->host_ms))
READER(read_reused, hw_value_flag(s->launch->is_reused))
READER(read_reused_launches, hw_value_integer(s->summary->reused))
READER(read_completed, hw_value_flag(s->launch->status == HW_OK))
READER(read_completed_launches, hw_value_integer(s->summary->completed))
READER(read_ptx_by, hw_value_text(s->launch ? s->launch->ptx_by : s->ptx_by))

// ---- The estimate of time -------------------------------------------------------------------------------------------

// Has no launch of the row run to its end? Then nothing was estimated.
static bool has_no_estimate(subject s) { return s->summary ? !s->summary->completed : s->launch->status != HW_OK; }

static hw_value make_estimate(subject s, double number) {
    hw_value value = hw_value_real(number);
    value.is_absent = has_no_estimate(s);
    return value;
}

READER(read_est_us, make_estimate(s, s->launch->estimate.us))
READER(read_est_us_mean, make_estimate(s, s->summary->mean_us))
READER(read_est_us_min, make_estimate(s, s->summary->min_us))
READER(read_est_us_max, make_estimate(s, s->summary->max_us))
READER(read_share_of_time, hw_value_real(s->summary->share_pct))
READER(read_est_us_memory, make_estimate(s, s->launch->estimate.bound_us[HW_BOUND_MEMORY]))
READER(read_est_us_shared, make_estimate(s, s->launch->estimate.bound_us[HW_BOUND_SHARED]))
READER(read_est_us_issue, make_estimate(s, s->launch->estimate.bound_us[HW_BOUND_ISSUE]))
READER(read_est_us_latency, make_estimate(s, s->launch->estimate.bound_us[HW_BOUND_LATENCY]))
READER(read_est_us_launch, make_estimate(s, s->launch->estimate.bound_us[HW_BOUND_LAUNCH]))

READER(read_est_stall_us, hw_value_where(s->stall, hw_value_real(s->stall ? hw_stall_us(s->stall) : 0)))
READER(read_est_stall_for, hw_value_where(s->stall && hw_stall_cause_name(s->stall),
                                          hw_value_text(s->stall ? hw_stall_cause_name(s->stall) : "")))

// Where some launches stopped early, the rate and the bound are not those of the row's counters.
static hw_value of_whole_launches(subject s, hw_value value) {
    value.is_absent = s->launch->status != HW_OK;
    return value;
}

READER(read_est_gbs, of_whole_launches(s, hw_value_real(s->launch->estimate.gbs)))
READER(read_est_bound,
       of_whole_launches(s, hw_value_text(has_no_estimate(s) ? "" : hw_bound_name(s->launch->estimate.bound))))

// Over the time of launches that did not stop early.
static hw_value make_rate(subject s, double number) {
    const double us = s->launch->estimate.us;
    return of_whole_launches(s, hw_value_real(us > 0 ? number / (us * 1e3) : 0));
}

READER(read_est_load_gbs, make_rate(s, (double)s->launch->work.load_bytes))
READER(read_est_store_gbs, make_rate(s, (double)s->launch->work.store_bytes))

// As the hardware would count them, where that is known.
static uint64_t count_instructions(const hw_report_launch *l) {
    return l->has_machine_inst ? l->machine_inst : l->counts[HW_COUNT_INST];
}

READER(read_est_ginst, make_rate(s, (double)count_instructions(s->launch)))
READER(read_tex_sectors, hw_value_integer(s->launch->texel_sectors))
READER(read_tex_misses, hw_value_integer(s->launch->texel_misses))
READER(read_machine_inst, hw_value_where(s->launch->has_machine_inst, hw_value_integer(s->launch->machine_inst)))

// ---- The GPU's clock ------------------------------------------------------------------------------------------------

READER(read_stream, hw_value_where(s->launch->is_timed, hw_value_integer(s->launch->stream)))
READER(read_device, hw_value_integer(s->launch->device))
READER(read_start_us, hw_value_where(s->launch->is_timed, hw_value_real(s->launch->start_us)))
READER(read_call_us, hw_value_where(s->launch->is_timed, hw_value_real(s->launch->call_us)))

// ---- Counters -------------------------------------------------------------------------------------------------------

static hw_value read_count(column c, const void *of) {
    subject s = of;
    return hw_value_integer(counter(c, s, 0));
}

// Lanes, instructions.
static hw_value read_lanes(column c, const void *of) {
    subject s = of;
    uint64_t inst = counter(c, s, 1);
    return hw_value_real((double)counter(c, s, 0) / (double)(inst ? inst : 1));
}

// Requests, sectors, sectors side by side.
static hw_value read_sectors(column c, const void *of) {
    subject s = of;
    return make_ratio(counter(c, s, 0), (double)counter(c, s, 1), (double)counter(c, s, 2));
}

static hw_value read_traffic(column c, const void *of) {
    subject s = of;
    uint64_t moved = counter(c, s, 0), ideal = counter(c, s, 1);
    return hw_value_judged(hw_value_integer(moved * SECTOR_BYTES), hw_judge_ratio((double)moved, (double)ideal));
}

// Sectors of loads, of stores.
static hw_value read_local_arrays(column c, const void *of) {
    subject s = of;
    return hw_value_integer((counter(c, s, 0) + counter(c, s, 1)) * SECTOR_BYTES);
}

// A count, and what would do.
static hw_value read_over_ideal(column c, const void *of) {
    subject s = of;
    double actual = (double)counter(c, s, 0), ideal = (double)counter(c, s, 1);
    return hw_value_judged(hw_value_where(ideal > 0, hw_value_real(actual / ideal)), hw_judge_ratio(actual, ideal));
}

// Branches, those that parted.
static hw_value read_divergence(column c, const void *of) {
    subject s = of;
    uint64_t branches = counter(c, s, 0);
    if (!branches) return hw_value_nothing();
    double share = 100.0 * (double)counter(c, s, 1) / (double)branches;
    return hw_value_judged(hw_value_real(share),
                           share < 1 ? HW_JUDGED_GOOD : share >= 20 ? HW_JUDGED_BAD : HW_JUDGED_PLAIN);
}

// A count among `all`; 0 is worth saying.
static hw_value count_among(uint64_t bad, uint64_t all) {
    return hw_value_judged(hw_value_integer(bad), !bad ? HW_JUDGED_GOOD : (double)bad * 2 >= (double)all ? HW_JUDGED_BAD
                                                                                       : HW_JUDGED_PLAIN);
}

// Serialised accesses; loads and stores of shared memory, loads of constant memory.
static hw_value read_serialised(column c, const void *of) {
    subject s = of;
    uint64_t all = counter(c, s, 1) + counter(c, s, 2) + counter(c, s, 3), bad = counter(c, s, 0);
    return all || bad ? count_among(bad, all) : hw_value_nothing();
}

// ---- Transactions of GPUs before 7.0 --------------------------------------------------------------------------------

static double at_least(double number, double least) { return number < least ? least : number; }
static double at_most(double number, double most) { return number > most ? most : number; }

// What would do of what is moved, in bytes or in transactions: as much as lanes side by side would touch, but for all
// requests no less than their least.
static double fewest_transactions(double moved, double wanted, double requests_least) {
    return at_most(at_least(wanted, requests_least), moved);
}

static double bytes_of(uint64_t sectors) { return (double)sectors * SECTOR_BYTES; }

// Requests, transactions, their bytes, sectors side by side. Lines and sectors may be mixed (2.x).
static hw_value read_transactions(column c, const void *of) {
    subject s = of;
    double requests = (double)counter(c, s, 0), actual = (double)counter(c, s, 1), bytes = (double)counter(c, s, 2);
    double wanted = bytes > 0 ? bytes_of(counter(c, s, 3)) * actual / bytes : 0;
    return make_ratio(counter(c, s, 0), actual, fewest_transactions(actual, wanted, requests));
}

// Bytes that would do for loads or for stores; the same counters.
static double fewest_bytes(const uint64_t *n, const uint8_t of[4]) {
    double requests = (double)n[of[0]], actual = (double)n[of[1]], bytes = (double)n[of[2]];
    return actual > 0 ? fewest_transactions(bytes, bytes_of(n[of[3]]), requests * bytes / actual) : 0;
}

// Of both, the same counters: bytes that they move between the caches. What else goes there: all sectors less theirs.
static hw_value read_cache_traffic(column c, const void *of) {
    subject s = of;
    const uint64_t *n = s->counts;
    uint64_t others = n[HW_COUNT_L2_SECTORS] - n[HW_COUNT_GLD_SECTORS] - n[HW_COUNT_GST_SECTORS];
    uint64_t others_ideal =
        n[HW_COUNT_L2_SECTORS_IDEAL] - n[HW_COUNT_GLD_SECTORS_IDEAL] - n[HW_COUNT_GST_SECTORS_IDEAL];
    uint64_t bytes = n[c->of[0][2]] + n[c->of[1][2]] + others * SECTOR_BYTES;
    double ideal = fewest_bytes(n, c->of[0]) + fewest_bytes(n, c->of[1]) + bytes_of(others_ideal);
    return hw_value_judged(hw_value_integer(bytes), hw_judge_ratio((double)bytes, ideal));
}

// Coalesced and uncoalesced half-warps.
static hw_value read_uncoalesced(column c, const void *of) {
    subject s = of;
    return count_among(counter(c, s, 1), counter(c, s, 0) + counter(c, s, 1));
}

// Coalesced and uncoalesced half-warps, transactions, sectors side by side.
static hw_value read_of_half_warp(column c, const void *of) {
    subject s = of;
    uint64_t halves = counter(c, s, 0) + counter(c, s, 1);
    double actual = (double)counter(c, s, 2);
    return make_ratio(halves, actual,
                      fewest_transactions(actual, bytes_of(counter(c, s, 3)) / LINE_BYTES, (double)halves));
}

// Requests, transactions, sectors side by side. Half-warps take theirs one after the other.
static hw_value read_of_warp(column c, const void *of) {
    subject s = of;
    uint64_t requests = counter(c, s, 0);
    double actual = (double)counter(c, s, 1);
    return make_ratio(requests, actual,
                      fewest_transactions(actual, bytes_of(counter(c, s, 2)) / LINE_BYTES, 2 * (double)requests));
}

// Coalesced and uncoalesced half-warps, bytes, sectors side by side. A coalesced half-warp moves 64 bytes at least.
static hw_value read_moved_by_half_warps(column c, const void *of) {
    subject s = of;
    double moved = (double)counter(c, s, 2), halves = (double)counter(c, s, 0) + (double)counter(c, s, 1);
    double least = fewest_transactions(moved, bytes_of(counter(c, s, 3)), 64 * halves);
    return hw_value_judged(hw_value_integer(counter(c, s, 2)), hw_judge_ratio(moved, least));
}

// Requests, bytes, sectors side by side. Each half of a warp moves 32 bytes at least.
static hw_value read_moved_by_warps(column c, const void *of) {
    subject s = of;
    double moved = (double)counter(c, s, 1), requests = (double)counter(c, s, 0);
    double least = fewest_transactions(moved, bytes_of(counter(c, s, 2)), 64 * requests);
    return hw_value_judged(hw_value_integer(counter(c, s, 1)), hw_judge_ratio(moved, least));
}

static hw_value read_wanted_bytes(column c, const void *of) {
    subject s = of;
    return hw_value_integer(counter(c, s, 0) * SECTOR_BYTES);
}

// The share of the bandwidth; 0: there was no room to count it.
static hw_value partitions(double pct) {
    hw_value value = hw_value_judged(hw_value_real(pct), hw_judge_ratio(100, pct));
    value.is_absent = !(pct > 0);
    if (value.is_absent) value.remark = "not counted";
    return value;
}

READER(read_load_partitions, partitions(s->launch->gld_partition_pct))
READER(read_store_partitions, partitions(s->launch->gst_partition_pct))

// Of launches only.
static hw_value read_partitions_used(column c, const void *of) {
    subject s = of;
    if (!s->launch || s->summary) return hw_value_nothing();
    return s->is_store ? read_store_partitions(c, s) : read_load_partitions(c, s);
}

// ---- The table ------------------------------------------------------------------------------------------------------

// Counters that a reader takes; of loads and of stores.
#define NO_COUNTER {{0}}
#define OF1(a) {{HW_COUNT_##a}}
#define OF2(a, b) {{HW_COUNT_##a, HW_COUNT_##b}}
#define OF3(a, b, c) {{HW_COUNT_##a, HW_COUNT_##b, HW_COUNT_##c}}
#define OF4(a, b, c, d) {{HW_COUNT_##a, HW_COUNT_##b, HW_COUNT_##c, HW_COUNT_##d}}
#define BOTH1(a) {{HW_COUNT_GLD_##a}, {HW_COUNT_GST_##a}}
#define BOTH2(a, b) {{HW_COUNT_GLD_##a, HW_COUNT_GLD_##b}, {HW_COUNT_GST_##a, HW_COUNT_GST_##b}}
#define BOTH3(a, b, c)                                                                                                \
    {{HW_COUNT_GLD_##a, HW_COUNT_GLD_##b, HW_COUNT_GLD_##c}, {HW_COUNT_GST_##a, HW_COUNT_GST_##b, HW_COUNT_GST_##c}}
#define BOTH4(a, b, c, d)                                                                                             \
    {{HW_COUNT_GLD_##a, HW_COUNT_GLD_##b, HW_COUNT_GLD_##c, HW_COUNT_GLD_##d},                                        \
     {HW_COUNT_GST_##a, HW_COUNT_GST_##b, HW_COUNT_GST_##c, HW_COUNT_GST_##d}}

enum {
    RIGHT = 0, LEFT = HW_GRID_LEFT, KEY = HW_GRID_KEY, WRAPPED = HW_GRID_WRAPPED,
    NAME = HW_GRID_LEFT | HW_GRID_KEY | HW_GRID_SHORTENED | HW_LOOK_SIGNATURE,
    ZERO = HW_LOOK_ZERO, EXACT = HW_LOOK_EXACT, HEADED = HW_LOOK_HEADED,
};

const hw_column hw_columns[HW_COLUMNS] = {
#define HW_COUNTER(id, key, unit, since, until, meaning)                                                              \
    [HW_COLUMN_COUNT_##id] = {#key, {"", "", RIGHT}, since, until, HW_UNIT_##unit, read_count, OF1(id), meaning},
#include "prof/counters.def"
#undef HW_COUNTER
#define HW_COLUMN(id, key, top, bottom, looks, since, until, unit, read, counters, meaning)                           \
    [HW_COLUMN_##id] = {key, {top, bottom, looks}, since, until, HW_UNIT_##unit, read, counters, meaning},
#include "report/columns.def"
#undef HW_COLUMN
};

double hw_column_excess(column c, const uint64_t counts[HW_COUNTERS]) {
    enum { LANES = 32 };
    const double first = (double)counts[c->of[0][0]], second = (double)counts[c->of[0][1]];
    if (c->read == read_count) return first;
    if (c->read == read_over_ideal) return first > second ? first - second : 0;
    if (c->read == read_divergence) return second;
    if (c->read == read_local_arrays) return first + second;
    return c->read == read_lanes ? LANES * second - first : 0;
}

static bool has_field(const hw_report *report, const hw_field *field) {
    if ((field->how & HW_FIELD_PARTITIONS) && !hw_counts_partitions(report->gpu)) return false;
    return !(field->how & HW_FIELD_APART) || report->lines_of != HW_LINES_OF_KERNEL;
}

size_t hw_report_choose_fields(const hw_report *report, const hw_field *listed, size_t n_listed, hw_field *chosen) {
    size_t n = 0;
    for (size_t i = 0; i < n_listed; i++) {
        if (!(listed[i].how & HW_FIELD_COUNTERS)) {
            if (has_field(report, &listed[i])) chosen[n++] = listed[i];
            continue;
        }
        for (int c = 0; c < HW_COUNTERS; c++)
            if (hw_counter_is_column((hw_counter)c, report->gpu))
                chosen[n++] = (hw_field){.column = &hw_columns[HW_COLUMN_COUNT_INST + c]};
    }
    return n;
}
