#include "advice/rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/integers.h"

enum { SECTOR_BYTES = 32, SECTORS_PER_LINE = 4, LANES = 32 };

// ---- What rules share -----------------------------------------------------------------------------------------------

static double count(const hw_rule_case *c, hw_counter counter) { return (double)c->launch->counts[counter]; }

static bool __attribute__((format(printf, 2, 3))) found(const hw_rule_case *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->finding, c->finding_bytes, format, args);
    va_end(args);
    return true;
}

static double least(double a, double b) { return a < b ? a : b; }
static void lower_to(uint64_t *value, double most) {
    if ((double)*value > most) *value = (uint64_t)most;
}
static void scale(uint64_t *value, double factor) { *value = (uint64_t)((double)*value * factor); }

static void take_away(uint64_t *value, double amount) {
    *value = (double)*value > amount ? *value - (uint64_t)amount : 0;
}

static void scale_instructions(hw_time_work *work, double factor) {
    for (int i = 0; i < HW_RATES; i++) scale(&work->inst[i], factor);
}

static double warps_per_block(const hw_time_work *work) {
    return work->blocks ? (double)work->warps / (double)work->blocks : 1;
}

// Sectors of whole lines that so many requests of that many sectors in all touch when lanes lie side by side.
static double whole_lines(double sectors, double requests) {
    return requests > 0 ? requests * SECTORS_PER_LINE * ceil(sectors / requests / SECTORS_PER_LINE) : 0;
}

static bool is_in_order(const hw_rule_case *c) {
    return count(c, HW_COUNT_GLD_SECTORS) <= 1.25 * count(c, HW_COUNT_GLD_SECTORS_IDEAL);
}

static bool uses_shared(const hw_rule_case *c) { return c->launch->counts[HW_COUNT_SMEM_WAVEFRONTS] > 0; }

// ---- Global memory --------------------------------------------------------------------------------------------------

static bool change_loads(const hw_rule_case *c) {
    const double requests = count(c, HW_COUNT_GLD_REQUESTS), sectors = count(c, HW_COUNT_GLD_SECTORS);
    const double ideal = count(c, HW_COUNT_GLD_SECTORS_IDEAL);
    if (is_in_order(c) || !(ideal > 0)) return false;
    lower_to(&c->work->load_bytes, ideal * SECTOR_BYTES);
    lower_to(&c->work->load_sectors, ideal);
    lower_to(&c->work->load_lines, whole_lines(ideal, requests) / SECTORS_PER_LINE);
    return found(c, "loads touch %.1f sectors where %.1f would do", sectors / requests, ideal / requests);
}

static bool change_stores(const hw_rule_case *c) {
    const double requests = count(c, HW_COUNT_GST_REQUESTS), sectors = count(c, HW_COUNT_GST_SECTORS);
    const double ideal = count(c, HW_COUNT_GST_SECTORS_IDEAL);
    const bool sends_lines = c->gpu->arch->cc >= 70;
    if (sectors <= 1.25 * ideal || !(ideal > 0)) return false;
    const double atomics = count(c, HW_COUNT_L2_SECTORS) - sectors - count(c, HW_COUNT_GLD_SECTORS);
    lower_to(&c->work->store_bytes, (ideal + (atomics > 0 ? atomics : 0)) * SECTOR_BYTES);
    lower_to(&c->work->store_sectors, (sends_lines ? whole_lines(ideal, requests) : ideal) +
                                          (atomics > 0 ? atomics * (sends_lines ? SECTORS_PER_LINE : 1) : 0));
    c->work->fill_bytes = 0;
    return found(c, "stores touch %.1f sectors where %.1f would do", sectors / requests, ideal / requests);
}

static bool change_partitions(const hw_rule_case *c) {
    const double loads = c->launch->gld_partition_pct, stores = c->launch->gst_partition_pct;
    const double used = loads > 0 && stores > 0 ? least(loads, stores) : loads > 0 ? loads : stores;
    if (!(used > 0) || used > 90) return false;
    c->work->load_share = c->work->store_share = 0;
    return found(c, "the blocks that run at a time use %.0f%% of the bandwidth of the memory's partitions", used);
}

static double times_reached(const hw_rule_case *c, double sectors) {
    return c->work->reachable_bytes && sectors > 0 ? sectors * SECTOR_BYTES / (double)c->work->reachable_bytes : 0;
}

// How often each byte that the launch can reach is loaded. Where many stores stand beside the loads, threads keep sums
// in memory, and load them to store them again: these are their own.
static double times_loaded(const hw_rule_case *c) {
    enum { MANY = 8 };
    const double loads = count(c, HW_COUNT_GLD_SECTORS_IDEAL), stores = count(c, HW_COUNT_GST_SECTORS_IDEAL);
    return times_reached(c, MANY * stores < loads ? loads : loads - stores);
}

// A tile of 16 x 16 loads each element for 16 threads once; what was loaded comes from shared memory instead.
static bool change_reuse(const hw_rule_case *c) {
    enum { TILE = 16, FEW = 8 };
    hw_time_work *w = c->work;
    const double requests = count(c, HW_COUNT_GLD_REQUESTS);
    if (uses_shared(c) || times_loaded(c) < FEW || requests < FEW * (double)w->warps) return false;
    w->shared_trips += w->trips;
    w->wavefronts += (uint64_t)requests;
    w->barriers += 2 * w->trips / TILE;
    scale(&w->trips, 1.0 / TILE);
    scale(&w->load_sectors, 1.0 / TILE);
    scale(&w->load_lines, 1.0 / TILE);
    return found(c, "each byte is loaded %.0f times, by different threads", times_loaded(c));
}

static bool change_tiles(const hw_rule_case *c) {
    enum { FEW = 8 };
    hw_time_work *w = c->work;
    if (!uses_shared(c) || times_loaded(c) < FEW) return false;
    scale(&w->trips, 0.5);
    scale(&w->load_sectors, 0.5);
    scale(&w->load_lines, 0.5);
    scale(&w->barriers, 0.5);
    return found(c, "each byte is loaded %.0f times, by different blocks", times_loaded(c));
}

// Words that lanes share make the mean smaller than any of them.
static int word_of(double mean_bytes) {
    int bytes = 1;
    while (bytes < mean_bytes && bytes < 16) bytes *= 2;
    return bytes;
}

// Four elements where one was: as many bytes by a quarter of the threads, and of the loads by as many bytes each.
static bool change_work(const hw_rule_case *c) {
    enum { MORE = 4, FEW = 16 };
    hw_time_work *w = c->work;
    const double requests = count(c, HW_COUNT_GLD_REQUESTS), each = w->warps ? requests / (double)w->warps : 0;
    const double bytes = requests > 0 ? count(c, HW_COUNT_GLD_SECTORS_IDEAL) * SECTOR_BYTES / requests : 0;
    const double resident = (double)w->blocks_per_sm * (c->gpu->sms ? c->gpu->sms : 1);
    const bool hardly_loads = requests < 0.01 * count(c, HW_COUNT_INST);
    if (hardly_loads || !(each > 0) || each > FEW || bytes > 256 || !is_in_order(c)) return false;
    if ((double)w->blocks < 2 * resident) return false;
    w->blocks = hw_divide_up(w->blocks, MORE);
    w->warps = hw_divide_up(w->warps, MORE);
    scale(&w->trips, 1.0 / MORE);
    scale(&w->barriers, 1.0 / MORE);
    scale(&w->shared_trips, 1.0 / MORE);
    take_away(&w->inst[HW_RATE_ISSUE], (requests + count(c, HW_COUNT_GST_REQUESTS)) * (MORE - 1) / MORE);
    return found(c, "a thread loads no more than %.1f words of %d bytes, and waits for them", each,
                 word_of(bytes / LANES));
}

// Words of 16 bytes where they were of 4 or less: as many bytes by a quarter of the loads.
static bool change_words(const hw_rule_case *c) {
    enum { WORD = 16 };
    hw_time_work *w = c->work;
    const double requests = count(c, HW_COUNT_GLD_REQUESTS), each = w->warps ? requests / (double)w->warps : 0;
    const double bytes = requests > 0 ? count(c, HW_COUNT_GLD_SECTORS_IDEAL) * SECTOR_BYTES / requests / LANES : 0;
    // Of fewer bytes, lanes share some; what a stencil loads several times are neighbours, whose words overlap.
    const bool overlaps = !uses_shared(c) && times_reached(c, count(c, HW_COUNT_GLD_SECTORS_IDEAL)) > 1.5;
    // What stands behind a barrier each time is of another tile or step: no neighbours of a lane's word. And where a
    // part of the GPU is idle, a quarter of the threads would leave more of it so.
    const bool is_stepwise = 8 * (double)w->barriers >= requests, is_full = w->blocks >= c->gpu->sms;
    if (is_stepwise || !is_full || each < 4 || bytes < 3.5 || bytes > 4 || !is_in_order(c) || overlaps) return false;
    const double fewer = bytes / WORD;
    scale(&w->trips, fewer);
    take_away(&w->inst[HW_RATE_ISSUE], requests * (1 - fewer));
    take_away(&w->inst[HW_RATE_MEMORY], requests * (1 - fewer));
    return found(c, "a lane loads %.0f bytes at a time, %.0f times", bytes, each);
}

static bool change_overlap(const hw_rule_case *c) {
    hw_time_work *w = c->work;
    const double stores = count(c, HW_COUNT_STS_INST), loads = count(c, HW_COUNT_GLD_REQUESTS);
    // What is loaded goes into shared memory, a store for each load, or for two of them where words are joined; and the
    // block waits for a few of them at a time.
    const double least = 4 * (double)w->warps;
    if (loads < least || (double)w->trips < least) return false;
    if (stores < loads / 2 || 8 * (double)w->barriers < loads) return false;
    w->trips = w->trips > w->warps ? w->warps : w->trips;
    return found(c, "each warp waits for memory %.0f times before it uses what it has brought into shared memory",
                 (double)c->launch->work.trips / (double)w->warps);
}

// ---- Shared memory --------------------------------------------------------------------------------------------------

static bool change_banks(const hw_rule_case *c) {
    const double passes = count(c, HW_COUNT_SMEM_WAVEFRONTS), ideal = count(c, HW_COUNT_SMEM_WAVEFRONTS_IDEAL);
    if (passes <= 1.1 * ideal || !(ideal > 0)) return false;
    lower_to(&c->work->wavefronts, ideal);
    return found(c, "shared memory takes %.1f passes through its banks where 1 would do", passes / ideal);
}

// Words from shared memory for each that is computed with: 2 in a plain product of tiles. What is stored for each of
// them, as in a sum or a histogram, no register spares.
static bool change_registers(const hw_rule_case *c) {
    enum { MORE = 4 };
    hw_time_work *w = c->work;
    const double loads = count(c, HW_COUNT_LDS_INST), all = count(c, HW_COUNT_INST);
    const double stores = count(c, HW_COUNT_STS_INST);
    if (loads < 0.15 * all || loads < 16 * (double)w->warps || loads < 4 * stores) return false;
    scale(&w->wavefronts, 1.0 / MORE);
    scale(&w->shared_trips, 1.0 / MORE);
    take_away(&w->inst[HW_RATE_ISSUE], loads * (MORE - 1) / MORE);
    take_away(&w->inst[HW_RATE_MEMORY], loads * (MORE - 1) / MORE);
    return found(c, "%.0f%% of the instructions are loads from shared memory", 100 * loads / all);
}

// ---- Instructions ---------------------------------------------------------------------------------------------------

static bool change_divergence(const hw_rule_case *c) {
    const double lanes = count(c, HW_COUNT_THREAD_INST) / (LANES * (count(c, HW_COUNT_INST) + 1));
    const double branches = count(c, HW_COUNT_BRANCHES), parted = count(c, HW_COUNT_BRANCHES_DIVERGENT);
    if (parted < 0.05 * branches || !(parted > 0) || lanes > 0.9) return false;
    scale_instructions(c->work, lanes);
    scale(&c->work->shared_trips, lanes);
    return found(c, "lanes part at %.0f%% of the branches, and %.1f of 32 lanes do something", 100 * parted / branches,
                 LANES * lanes);
}

static bool change_barriers(const hw_rule_case *c) {
    enum { MANY = 4, FEWER = 4 };
    hw_time_work *w = c->work;
    const double each = w->warps ? (double)w->barriers / (double)w->warps : 0;
    if (each < MANY || !uses_shared(c)) return false;
    scale(&w->barriers, 1.0 / FEWER);
    scale(&w->shared_trips, 1.0 / FEWER);
    return found(c, "each warp waits at %.0f barriers", each);
}

// A test, a jump and a counter for each turn. A loop that lanes leave one by one has no count to unroll it by.
static bool change_loops(const hw_rule_case *c) {
    enum { OF_A_TURN = 3 };
    const double branches = count(c, HW_COUNT_BRANCHES), all = count(c, HW_COUNT_INST);
    const bool has_count = count(c, HW_COUNT_BRANCHES_DIVERGENT) < 0.05 * branches;
    if (!has_count || branches < 0.05 * all || branches < 4 * (double)c->work->warps) return false;
    take_away(&c->work->inst[HW_RATE_ISSUE], OF_A_TURN * branches);
    take_away(&c->work->inst[HW_RATE_COMPARE], branches);
    take_away(&c->work->inst[HW_RATE_IADD], branches);
    return found(c, "%.0f%% of the instructions are branches", 100 * branches / all);
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

static bool change_blocks(const hw_rule_case *c) {
    enum { LARGE = 16 };
    hw_time_work *w = c->work;
    const uint32_t most = c->gpu->arch->blocks_per_sm;
    // One block alone works together for a reason.
    if (w->blocks < 2 || warps_per_block(w) < LARGE || !w->barriers || 2 * w->blocks_per_sm > most) return false;
    w->blocks *= 2;
    w->blocks_per_sm *= 2;
    return found(c, "blocks of %.0f warps wait for each other", warps_per_block(&c->launch->work));
}

static bool change_occupancy(const hw_rule_case *c) {
    const hw_occupancy *o = &c->launch->occupancy;
    const unsigned limiters = hw_model_occupancy_limiters(o);
    const double each = warps_per_block(c->work);
    if (o->occupancy_pct > 75 || (limiters & HW_LIMITED_BY_WARPS) || !(each > 0)) return false;
    const uint32_t most = (uint32_t)(c->gpu->arch->warps_per_sm / each);
    if (most <= c->work->blocks_per_sm) return false;
    c->work->blocks_per_sm = most;
    return found(c, "a multiprocessor holds %.0f%% of the warps possible, limited by %s", o->occupancy_pct,
                 limiters & HW_LIMITED_BY_REGS   ? "registers"
                 : limiters & HW_LIMITED_BY_SMEM ? "shared memory"
                                                 : "the number of blocks");
}

// As if the same work were spread evenly, over four times as many blocks at most. What mostly starts has too little
// work to be spread; and only of threads that go through many words, each for itself, is it known that others could
// take a part of them: a problem may have no more blocks than it has.
static bool change_grid(const hw_rule_case *c) {
    enum { MORE = 4, MANY = 16, FEW = 16 };
    const double loads = count(c, HW_COUNT_GLD_REQUESTS);
    const bool is_alone = 2 * (double)c->work->barriers <= loads && times_loaded(c) < FEW;
    const bool has_parts = loads >= MANY * (double)c->work->warps && is_alone;
    const uint64_t sms = c->gpu->sms, blocks = c->work->blocks;
    const bool is_tiny = c->launch->estimate.bound == HW_BOUND_LAUNCH;
    if (!has_parts || !sms || !blocks || blocks > 4 * sms || is_tiny) return false;
    const uint64_t even = sms * hw_divide_up(blocks, sms);
    if ((double)blocks > 0.9 * (double)even) return false;
    const double more = least((double)even / (double)blocks, MORE);
    scale(&c->work->blocks, more);
    scale(&c->work->warps, more);
    return found(c, "%" PRIu64 " blocks keep %.0f%% of %" PRIu64 " multiprocessors busy", blocks,
                 100 * (double)blocks / (double)even, sms);
}

// ---- Others ---------------------------------------------------------------------------------------------------------

static bool change_local(const hw_rule_case *c) {
    hw_time_work *w = c->work;
    const double loads = count(c, HW_COUNT_LLD_REQUESTS), stores = count(c, HW_COUNT_LST_REQUESTS);
    const double bytes = (count(c, HW_COUNT_LLD_SECTORS) + count(c, HW_COUNT_LST_SECTORS)) * SECTOR_BYTES;
    if (!(loads + stores > 0)) return false;
    take_away(&w->trips, loads);
    take_away(&w->inst[HW_RATE_ISSUE], loads + stores);
    take_away(&w->inst[HW_RATE_MEMORY], loads + stores);
    if (c->gpu->arch->cc < 20) {     // there local memory is global memory
        take_away(&w->load_bytes, count(c, HW_COUNT_LLD_SECTORS) * SECTOR_BYTES);
        take_away(&w->store_bytes, count(c, HW_COUNT_LST_SECTORS) * SECTOR_BYTES);
    }
    return found(c, "%.0f loads and stores of a warp go to local memory, %.1f MB in all",
                 (loads + stores) / (double)w->warps, bytes / 1e6);
}

static bool change_atomics(const hw_rule_case *c) {
    hw_time_work *w = c->work;
    const double atomics = count(c, HW_COUNT_ATOMICS), each = warps_per_block(w);
    const double plain = count(c, HW_COUNT_GLD_SECTORS) + count(c, HW_COUNT_GST_SECTORS);
    const double sectors = count(c, HW_COUNT_L2_SECTORS) - plain;
    if (!(sectors > 0) || atomics < (double)w->warps) return false;
    const double saved = 1 - 1 / (each > 2 ? each : 2);
    take_away(&w->trips, atomics * saved);
    take_away(&w->store_sectors, sectors * (c->gpu->arch->cc >= 70 ? SECTORS_PER_LINE : 1) * saved);
    return found(c, "%.0f atomics to global memory for each warp", atomics / (double)w->warps);
}

// Of launches that follow each other with no other between, all but one. Two or three may be steps of one problem, and
// those that do what others did are repeated to be timed.
static bool change_launches(const hw_rule_case *c) {
    enum { MANY = 4 };
    if (c->n_in_row < MANY || c->launch->estimate.bound != HW_BOUND_LAUNCH) return false;
    *c->work = (hw_time_work){.blocks = 1, .warps = 1};
    return found(c, "it is launched %" PRIu64 " times, %" PRIu64 " of them in a row, and starting takes longer than "
                 "the work", c->n_launches, c->n_in_row);
}

const hw_rule hw_rules[HW_ADVICE_RULES] = {
#define HW_ADVICE(id, name, change, line, remedy) [HW_ADVICE_##id] = {name, change, HW_COLUMN_##line, remedy},
#include "advice/rules.def"
#undef HW_ADVICE
};
