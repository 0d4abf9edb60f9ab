// The bounds of a launch, one function each, and the time that they make together.
#include "model/time.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/transactions.h"
#include "model/transfer.h"

typedef struct time_row {
    const char *id;
    double dram_pct, l2_clock_bytes, latency, l2_latency, shared_latency, arith_latency, launch_us, gap_us;
} time_row;

static const time_row rows[] = {
#define HW_TIME_ROW(...) {__VA_ARGS__},
#include "model/time.def"
#undef HW_TIME_ROW
};

enum {
    SECTOR_BYTES = 32, SECTORS_PER_LINE = 4,
    // Cycles from the end of a block until the next block in its place has begun: for the block, and for each of its
    // warps, which begin one after the other. Copies by blocks of 256, 512 and 1024 threads on an H200
    // (truth/h200_times.csv). Those that a launch begins with are in launch_us.
    BLOCK_START_CYCLES = 340, WARP_START_CYCLES = 20,
    // For a block's warps to come, and BARRIER_WARP_CYCLES for each of them to go on, one after the other: an H200's
    // barriers (truth/h200_micro.csv). Before 7.0 80 in all, whatever the block.
    BARRIER_CYCLES = 16, OLD_BARRIER_CYCLES = 80, USUAL_WARPS = 8,
    L1_CYCLES = 40,              // to the first-level cache: an H200, a chain of loads in 16 KB (truth/h200_micro.csv)
    // An atomic's result beyond a load's from the second-level cache, a fence behind a store, and one without: one warp
    // of an H200, and of 64 and 264 blocks, without what reading the clock takes (truth/h200_micro.csv, wait_*). Before
    // 7.0 nothing was measured.
    ATOMIC_CYCLES = 230, FENCE_CYCLES = 555, BARE_FENCE_CYCLES = 420,
    // A branch, for the warp that comes to it: an H200 takes 17 cycles for a product, a comparison and a branch on it,
    // one after the other, of which the first two have a share of 7.5 here (truth/h200_micro.csv, eight_ifs).
    BRANCH_CYCLES = 10,
    // Where another load of the launch brings the sector: it may be on its way yet, which takes up to l2_latency.
    // Chosen with programs of others (docs/accuracy.md).
    SHARED_SECTOR_CYCLES = 120,
    // Of it for global memory, where little is shared memory's: an H200 has 256. Elsewhere at most as much as the
    // shared memory, which is a part of it.
    L1_KIB = 192,
    // Atomics of one slice of the second-level cache follow each other, of floats those on one sector more slowly:
    // 16896 times 32 lanes on one word of an H200, in picoseconds. Memory is dealt to the slices in pieces of about so
    // many bytes, as atomics on 128 bytes to 8 KB have it; and where warps have words of their own, each in all of its
    // lanes, 54 passes are made at a time: one for each 95 bytes of that cache's clock (truth/h200_micro.csv). Of GPUs
    // but the H200 nothing was measured.
    PASS_PS = 743, FLOAT_PASS_PS = 1767, SLICE_PIECE_BYTES = 512, SLICE_CLOCK_BYTES = 95,
};

// Cycles of the whole GPU in which it gives one block to a multiprocessor, whatever the block: grids of empty blocks of
// 32 to 512 threads take an H200 0.60 ns a block (truth/h200_micro.csv). Others from 7.0 on are taken to need as many
// cycles; before, it is not known but for clocks of 1.x (clock.c), and times at hand are explained without.
static const double BLOCK_TURN_CYCLES = 1.19;

static const double BARRIER_WARP_CYCLES = 2.2;

// Instructions of a warp that compilers put beside each other.
static double independent(const hw_gpu *gpu) { return gpu->arch->cc >= 70 ? 1.6 : 2; }

static double barrier_cycles(const hw_gpu *gpu, double warps) {
    return gpu->arch->cc < 70 ? OLD_BARRIER_CYCLES : BARRIER_CYCLES + BARRIER_WARP_CYCLES * warps;
}

enum { N_ROWS = sizeof rows / sizeof rows[0] };

// The GPUs of the rows, found once: launches are many, and so are GPUs.
static const hw_gpu *row_gpus[N_ROWS];
static void find_gpus(void) {
    for (size_t i = 0; i < N_ROWS; i++) row_gpus[i] = hw_gpu_find(rows[i].id);
}

static bool is_named(const time_row *row, const char *id) { return id && !strcmp(row->id, id); }

// The row of a GPU; for a GPU without a row that of the GPU on which its file is based, or of the one with the nearest
// compute capability.
static const time_row *row_of(const hw_gpu *gpu, const hw_gpu **row_gpu) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t nearest = 0;
    int least = INT_MAX;
    for (size_t i = 0; i < N_ROWS && !gpu->based_on; i++) {
        if (!is_named(&rows[i], gpu->id)) continue;
        *row_gpu = gpu;
        return &rows[i];
    }
    pthread_once(&once, find_gpus);
    for (size_t i = 0; i < N_ROWS && least; i++)
        if (is_named(&rows[i], gpu->id)) nearest = i, least = 0;
    for (size_t i = 0; i < N_ROWS && least; i++)
        if (is_named(&rows[i], gpu->based_on)) nearest = i, least = 0;
    for (size_t i = 0; i < N_ROWS && least; i++) {
        int distance = abs(row_gpus[i]->arch->cc - gpu->arch->cc) + 1;
        if (distance < least) nearest = i, least = distance;
    }
    *row_gpu = row_gpus[nearest];
    return &rows[nearest];
}

// The second-level cache's slices belong to the memory's controllers: a relative with half of the bus has half of them.
static time_row constants_of(const hw_gpu *gpu) {
    const hw_gpu *relative;
    time_row row = *row_of(gpu, &relative);
    if (gpu->memory_bus_bits && relative->memory_bus_bits)
        row.l2_clock_bytes *= (double)gpu->memory_bus_bits / relative->memory_bus_bits;
    return row;
}

static double least(double a, double b) { return a < b ? a : b; }
static double largest(double a, double b) { return a > b ? a : b; }
static double share_or_all(double value) { return value > 0 && value < 1 ? value : 1; }

// Multiprocessors that are busy on average, until the one with the most blocks is done.
static double busy_sms(const hw_gpu *gpu, const hw_time_work *work) {
    if (!gpu->sms || !work->blocks) return 1;
    double each = ceil((double)work->blocks / gpu->sms);
    return (double)work->blocks / each;
}

static double clock_us(const hw_gpu *gpu, double cycles) { return gpu->clock_mhz ? cycles / gpu->clock_mhz : 0; }

// The bytes that the launch touches, each once: loads of bytes that were loaded before hit a cache, and the launch
// touches no more than its allocations have.
static double touched_bytes(const hw_time_work *work, double bytes) {
    return work->reachable_bytes ? least(bytes, (double)work->reachable_bytes) : bytes;
}

// The share of the touched bytes that the second-level cache still holds from the launch before: a repeated launch goes
// through the cache in circles, and lines are displaced at random.
static double cached_share(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    double bytes = touched_bytes(work, (double)work->load_bytes + (double)work->store_bytes), l2 = gpu->l2_kib * 1024.0;
    return row->l2_clock_bytes > 0 && bytes < l2 ? 1 - bytes / l2 : 0;
}

// The bytes which, evenly spread over partitions, would take as long as the loads and stores do: partition camping of
// loads holds up stores as well, and the other way round.
static double moved_bytes(const hw_time_work *work, double loads, double stores) {
    return (loads + stores) / least(share_or_all(work->load_share), share_or_all(work->store_share));
}

// Bytes over bandwidth.
static double dram_us(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    double bandwidth = hw_model_stream_gbs(gpu) * 1e3;   // bytes per us
    double loads = (double)work->load_bytes, stores = (double)work->store_bytes + (double)work->fill_bytes;
    if (row->l2_clock_bytes > 0) {
        loads = touched_bytes(work, loads);
        stores = touched_bytes(work, stores);
    }
    return bandwidth > 0 ? moved_bytes(work, loads, stores) * (1 - cached_share(gpu, row, work)) / bandwidth : 0;
}

// Does the first-level cache hold global memory? Of 2.x, and of 7.0 and newer (programming guides).
static bool caches_loads(const hw_arch *arch) { return arch->cc >= 70 || hw_loads_lines(arch); }

static double looked_up_bytes(const hw_time_work *work) { return (double)work->load_sectors * SECTOR_BYTES; }

// Of these what several requests do not share.
static double different_bytes(const hw_time_work *work) {
    return least(looked_up_bytes(work), (double)work->load_bytes);
}

// What loads fetch through the first-level caches: sectors that lanes of several requests share once, and of memory
// that fits into a cache each multiprocessor its own copy.
static double fetched_bytes(const hw_gpu *gpu, const hw_time_work *work) {
    const double all = looked_up_bytes(work), once = different_bytes(work);
    const double reachable = (double)work->reachable_bytes, copies = least((double)work->blocks, (double)gpu->sms);
    if (!caches_loads(gpu->arch)) return all;
    const double cache = least(L1_KIB * 1024.0, (double)gpu->arch->smem_per_sm_bytes);
    return reachable > 0 && reachable < cache ? least(once, reachable * copies) : once;
}

// Of the second-level cache's bytes a clock what loads reach from 7.0 on: 8.1 TB/s where 4 to 48 MB are read four times
// on an H200 (truth/h200_micro.csv). Stores of whole lines reach all of it (truth/h200_times.csv, transposeNaiveRow).
static const double L2_LOAD_SHARE = 0.8;

static double l2_us(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    double loads = fetched_bytes(gpu, work), bytes;
    if (caches_loads(gpu->arch)) loads = touched_bytes(work, loads);
    if (gpu->arch->cc >= 70) loads /= L2_LOAD_SHARE;
    bytes = loads + (double)work->store_sectors * SECTOR_BYTES;
    return row->l2_clock_bytes > 0 ? clock_us(gpu, bytes / row->l2_clock_bytes) : 0;
}

// One line is looked up per clock and multiprocessor, from 7.0 on for stores as well, which send whole lines.
static double l1_us(const hw_gpu *gpu, const hw_time_work *work) {
    const uint64_t stores = gpu->arch->cc >= 70 ? work->store_sectors / SECTORS_PER_LINE : 0;
    return clock_us(gpu, (double)(work->load_lines + stores) / busy_sms(gpu, work));
}

// Slices of the second-level cache that have the memory which atomics are in. Without that cache (1.x) every sector is
// taken for itself.
static double slices_of(const time_row *row, double sectors) {
    const double pieces = 1 + (sectors - 1) * SECTOR_BYTES / SLICE_PIECE_BYTES;
    return row->l2_clock_bytes > 0 ? least(pieces, largest(1, row->l2_clock_bytes / SLICE_CLOCK_BYTES)) : sectors;
}

// Where atomics mean as few sectors, or slices, as the memory has that they are in.
static double atomics_us(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    enum { MEASURED_MHZ = 1980 };
    if (!work->atomic_sectors || !gpu->clock_mhz) return 0;
    const double all = (double)work->atomic_passes, floats = (double)work->atomic_float_passes;
    const double sectors = (double)work->atomic_sectors, of_slices = all * PASS_PS / slices_of(row, sectors);
    const double of_sectors = ((all - floats) * PASS_PS + floats * FLOAT_PASS_PS) / sectors;
    return largest(of_slices, of_sectors) / 1e6 * MEASURED_MHZ / gpu->clock_mhz;
}

// Memory of the host's lies behind the link, which goes both ways at once, but requests of reads go where writes do: an
// H200 that scales 64 M words in place takes 1.21 times as long as one that reads them (kernels/transfer).
static double link_us(const hw_gpu *gpu, const hw_time_work *work) {
    static const double OTHER_WAY = 0.21;
    const double in = (double)work->link_load_bytes, out = (double)work->link_store_bytes;
    const double bytes = largest(in, out) + OTHER_WAY * least(in, out);
    return bytes > 0 ? hw_model_transfer_us(gpu, HW_HOST_MAPPED, bytes < 0x1p63 ? (uint64_t)bytes : UINT64_MAX) : 0;
}

// A pass per clock and multiprocessor; a step of 1.x takes two.
static double shared_us(const hw_gpu *gpu, const hw_time_work *work) {
    double cycles = gpu->arch->cc < 20 ? 2 : 1;
    return clock_us(gpu, cycles * (double)work->wavefronts / busy_sms(gpu, work));
}

// 1.0 and 1.1 have no f64: what is written so is computed as f32.
uint32_t hw_model_lanes(const hw_arch *arch, hw_rate rate) {
    uint32_t lanes = hw_rate_of(arch, rate);
    return lanes || rate != HW_RATE_F64 ? lanes : hw_rate_of(arch, HW_RATE_F32);
}

// Kinds of instructions that go through one pipe from 7.0 on: integers, what compares them and what moves their bits;
// floats, and products of integers (NVIDIA's developer forum of GV100 and GH100, threads 108729 and 302018); special
// functions and conversions (Nsight Compute's guide, from memory). A list ends with HW_RATES.
enum { PIPES = 3, MOST_KINDS = 6 };
static const hw_rate kinds_of[PIPES][MOST_KINDS] = {
    {HW_RATE_IADD, HW_RATE_SHIFT, HW_RATE_COMPARE, HW_RATE_LOGIC, HW_RATES},
    {HW_RATE_F32, HW_RATE_IMUL, HW_RATES},
    {HW_RATE_SFU, HW_RATE_SFU2, HW_RATE_POPC, HW_RATE_CVT64, HW_RATE_CVT, HW_RATES},
};

// The pipe is as wide as the widest of the kinds that there are.
static double shared_pipe_cycles(const hw_gpu *gpu, const hw_time_work *work, const hw_rate *kinds) {
    double inst = 0;
    uint32_t most = 0;
    for (; *kinds < HW_RATES; kinds++) {
        const uint32_t lanes = work->inst[*kinds] ? hw_model_lanes(gpu->arch, *kinds) : 0;
        if (lanes) inst += (double)work->inst[*kinds];
        if (lanes > most) most = lanes;
    }
    return most ? inst * HW_WARP_LANES / most : 0;
}

// Of constant memory, where addresses are not the same in the whole launch: from 7.0 on what an H200 takes of a
// multiprocessor for one, and for each word of a warp where they are many (truth/h200_micro.csv, constant_*). Before, a
// further pass is an instruction of its own; a half-warp's takes two clocks.
static double constant_cycles(const hw_gpu *gpu, const hw_time_work *work) {
    static const double EACH_LOAD = 5.6, EACH_WORD = 2;
    if (gpu->arch->cc < 70) return (gpu->arch->cc < 20 ? 2 : 1) * (double)work->const_passes;
    return largest(EACH_LOAD * (double)work->const_loads,
                   EACH_WORD * ((double)work->const_loads + (double)work->const_passes));
}

// The busiest pipe.
static double issue_us(const hw_gpu *gpu, const hw_time_work *work) {
    double cycles = constant_cycles(gpu, work);
    for (int i = 0; i < HW_RATES; i++) {
        uint32_t lanes = work->inst[i] ? hw_model_lanes(gpu->arch, (hw_rate)i) : 0;
        if (lanes) cycles = largest(cycles, (double)work->inst[i] * HW_WARP_LANES / lanes);
    }
    for (int i = 0; i < PIPES && gpu->arch->cc >= 70; i++)
        cycles = largest(cycles, shared_pipe_cycles(gpu, work, kinds_of[i]));
    return clock_us(gpu, cycles / busy_sms(gpu, work));
}

// What a trip past the first-level cache takes, where the launch before has left data in the second or has not.
static double beyond_cycles(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    const double cached = cached_share(gpu, row, work);
    return cached * row->l2_latency + (1 - cached) * row->latency;
}

// What a trip to memory takes on average: from 7.0 on to the first-level cache where that has it or another load brings
// it, to the second where the launch before has left it there.
static double trip_cycles(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    const double beyond = beyond_cycles(gpu, row, work), all = looked_up_bytes(work), once = different_bytes(work);
    if (gpu->arch->cc < 70 || !(all > 0)) return beyond;
    const double fetched = fetched_bytes(gpu, work);
    return ((once - fetched) * L1_CYCLES + (all - once) * least(SHARED_SECTOR_CYCLES, beyond) + fetched * beyond) / all;
}

// Blocks of 7.0 and newer that begin when another one has ended: what it takes to begin the others is in launch_us.
static double late_share(const hw_gpu *gpu, double blocks, double places) {
    return gpu->arch->cc < 70 ? 1 : blocks > places ? 1 - places / blocks : 0;
}

// Passes over banks and constant memory that a warp waits for. Before 7.0 the warps of a block are taken to make them
// together, so that each waits for the last one's.
static double passes_waited_for(const hw_gpu *gpu, const hw_time_work *work, double per_block) {
    return (double)(work->wavefronts + work->const_passes) * (gpu->arch->cc < 70 ? per_block : 1);
}

// Blocks that the whole GPU holds at a time.
static double places_of(const hw_gpu *gpu, const hw_time_work *work) {
    return (work->blocks_per_sm ? work->blocks_per_sm : 1) * (double)(gpu->sms ? gpu->sms : 1);
}

// How many times as much the longest warp of a block does as its warps do on average: the block holds all of their
// places until that one is done. Before 7.0 no time at hand tells, and warps are taken for equal.
static double longest_share(const hw_gpu *gpu, const hw_time_work *work, double per_block) {
    if (gpu->arch->cc < 70 || !work->issued) return 1;
    return largest(1, (double)work->longest * per_block / (double)work->issued);
}

// Branches; before 7.0 nothing was measured.
static double branch_cycles(const hw_gpu *gpu, const hw_time_work *work) {
    return gpu->arch->cc < 70 ? 0 : (double)work->branches * BRANCH_CYCLES;
}

// What atomics' results take beyond a trip, and fences. Atomics are made in the second-level cache.
static double ordered_cycles(const hw_gpu *gpu, const time_row *row, const hw_time_work *work, double trip) {
    if (gpu->arch->cc < 70) return 0;
    return (double)work->atomic_trips * (beyond_cycles(gpu, row, work) + ATOMIC_CYCLES - trip) +
           (double)work->fences * FENCE_CYCLES + (double)work->bare_fences * BARE_FENCE_CYCLES;
}

// What warps wait for the results of instructions, if each needed the one before. On an H200 a double takes 8 cycles, a
// special function 16 to 17 and a shuffle 24 (truth/h200_micro.csv, chain_*, less what reading the clock takes), for
// which shared memory's 23 stand. Conversions were measured as pairs, there and back in 23, most of which is the one to
// integers, since one_warp_i2f is as quick as one_warp_ffma; and one_warp_popc lies between that and one_warp_ex2. Both
// are taken for special functions, whose pipe they share. Products of matrices take 33 to 38 (tensor_*). Others from
// 7.0 on are taken for the same, products of matrices too, though how many a multiprocessor makes in a clock is known
// for 9.0 only (elsewhere HW_RATE_TENSOR has no rate, and holds nothing up).
static double result_cycles(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    static const struct { hw_rate rate; double cycles; } slow[] = {
        {HW_RATE_F64, 8}, {HW_RATE_SFU, 17}, {HW_RATE_SFU2, 17}, {HW_RATE_POPC, 17}, {HW_RATE_CVT64, 17},
        {HW_RATE_CVT, 17}, {HW_RATE_TENSOR, 35}};
    double cycles = (double)work->inst[HW_RATE_ISSUE] * row->arith_latency;
    if (gpu->arch->cc < 70) return cycles;
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        cycles += (double)work->inst[slow[i].rate] * (slow[i].cycles - row->arith_latency);
    return cycles + (double)work->inst[HW_RATE_SHFL] * (row->shared_latency - row->arith_latency);
}

// Little's law by warps: a warp holds its place for as long as it waits, and a multiprocessor has a number of places.
static double latency_us(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    const double blocks = (double)work->blocks, per_block = blocks > 0 ? (double)work->warps / blocks : 0;
    const double places = places_of(gpu, work);
    const double warps = least(blocks, places) * per_block;
    const double trip = trip_cycles(gpu, row, work), trips = (double)work->trips;
    const double first = least(trips, (double)work->warps);    // trips that each warp is taken to make
    const double own =
        (trips - first) * trip + (double)work->shared_trips * row->shared_latency +
        passes_waited_for(gpu, work, per_block) +
        result_cycles(gpu, row, work) / independent(gpu) + branch_cycles(gpu, work) +
        ordered_cycles(gpu, row, work, trip);
    const double cycles =
        first * trip + own * longest_share(gpu, work, per_block) +
        (double)work->barriers * barrier_cycles(gpu, per_block) +
        (double)work->warps * late_share(gpu, blocks, places) * (BLOCK_START_CYCLES + WARP_START_CYCLES * per_block);
    return warps > 0 ? clock_us(gpu, cycles / warps) : 0;
}

// A load from DRAM, and an instruction of the usual pipe: what atomics, fences and slower pipes take more is left out.
hw_waits hw_model_waits(const hw_gpu *gpu) {
    const time_row row = constants_of(gpu);
    return (hw_waits){row.latency, row.shared_latency, row.arith_latency / independent(gpu),
                      barrier_cycles(gpu, USUAL_WARPS), BLOCK_START_CYCLES, WARP_START_CYCLES,
                      gpu->arch->cc < 70 ? 0 : BLOCK_TURN_CYCLES};
}

// Schedulers issue one warp each a clock; what rates count beyond four of them is dual issue.
double hw_model_hiding_warps(const hw_gpu *gpu) {
    enum { SCHEDULERS = 4 };
    const double each_clock = (double)hw_rate_of(gpu->arch, HW_RATE_ISSUE) / HW_WARP_LANES;
    return constants_of(gpu).arith_latency * least(each_clock, SCHEDULERS);
}

hw_bound hw_model_bound(const double bound_us[HW_BOUNDS], double us) {
    hw_bound bound = HW_BOUND_LATENCY;
    if (bound_us[HW_BOUND_LAUNCH] > us / 2) return HW_BOUND_LAUNCH;
    for (int i = 0; i < HW_BOUND_LATENCY; i++)
        if (bound_us[i] > bound_us[bound]) bound = (hw_bound)i;
    return bound;
}

static double memory_us(const hw_gpu *gpu, const time_row *row, const hw_time_work *work) {
    const double caches = largest(l2_us(gpu, row, work), l1_us(gpu, work));
    return largest(largest(largest(dram_us(gpu, row, work), link_us(gpu, work)), caches), atomics_us(gpu, row, work));
}

// Times that hide each other in part. Where two are nearly equal, neither is reached: requests queue while others still
// wait.
static double together(const double *us, int n, double exponent) {
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++) most = largest(most, us[i]);
    if (!(most > 0)) return 0;
    for (int i = 0; i < n; i++) sum += pow(us[i] / most, exponent);
    return most * pow(sum, 1 / exponent);
}

// From 7.0 on a block uses one part after the other, so that parts of the GPU wait for each other as well as warps do.
// By how much was chosen with launches of programs of others on an H200 (docs/accuracy.md), before 7.0 with the times
// that there are of older GPUs.
static double work_us(const hw_gpu *gpu, const time_row *row, const hw_time_work *work, double latency) {
    const bool is_old = gpu->arch->cc < 70;
    const double shared = shared_us(gpu, work), issue = issue_us(gpu, work);
    const double l2 = l2_us(gpu, row, work), l1 = l1_us(gpu, work), dram = dram_us(gpu, row, work);
    const double link = link_us(gpu, work), atomics = atomics_us(gpu, row, work);
    const double parts[] = {dram, link, l2, l1, atomics, shared, issue};
    const double busiest = largest(memory_us(gpu, row, work), largest(shared, issue));
    const double busy = is_old ? busiest : together(parts, sizeof parts / sizeof *parts, 3);
    return together((const double[]){busy, latency}, 2, is_old ? 2 : 1.6);
}

// Until the last block has had its turn and is done: blocks begin one after the other, beside the work of those before.
static double turns_us(const hw_gpu *gpu, const hw_time_work *work, double latency) {
    if (gpu->arch->cc < 70) return 0;
    const double blocks = (double)work->blocks, rounds = largest(1, blocks / places_of(gpu, work));
    return blocks > 1 ? clock_us(gpu, (blocks - 1) * BLOCK_TURN_CYCLES) + latency / rounds : latency;
}

hw_estimate hw_model_time(const hw_gpu *gpu, const hw_time_work *work) {
    const time_row constants = constants_of(gpu), *row = &constants;
    hw_estimate e = {0};
    e.bound_us[HW_BOUND_MEMORY] = memory_us(gpu, row, work);
    e.bound_us[HW_BOUND_SHARED] = shared_us(gpu, work);
    e.bound_us[HW_BOUND_ISSUE] = issue_us(gpu, work);
    e.bound_us[HW_BOUND_LAUNCH] = row->launch_us;
    const double latency = latency_us(gpu, row, work), turns = turns_us(gpu, work, latency);
    e.bound_us[HW_BOUND_LATENCY] = largest(latency, turns);
    e.us = row->launch_us + largest(work_us(gpu, row, work, latency), turns);
    e.bound = hw_model_bound(e.bound_us, e.us);
    e.gbs = (double)work->useful_bytes / (e.us * 1e3);
    return e;
}

double hw_model_memory_gbs(const hw_gpu *gpu, const hw_time_work *work) {
    double bytes = moved_bytes(work, (double)work->load_bytes, (double)work->store_bytes + (double)work->fill_bytes);
    return bytes > 0 ? hw_model_stream_gbs(gpu) * (double)work->useful_bytes / bytes : 0;
}

double hw_model_gap_us(const hw_gpu *gpu) { return constants_of(gpu).gap_us; }

double hw_model_stream_gbs(const hw_gpu *gpu) { return gpu->memory_gbs * constants_of(gpu).dram_pct / 100; }

const char *hw_bound_name(hw_bound bound) {
    static const char *const names[HW_BOUNDS] = {"memory", "shared", "issue", "latency", "launch"};
    return (unsigned)bound < HW_BOUNDS ? names[bound] : "";
}
