// How long a launch would take: the time that each part of the GPU needs for what the launch asks of it, and which part
// holds the launch up. Meant for kernels that memory bounds: of how instructions wait for each other the model knows
// sums alone.
#ifndef HW_MODEL_TIME_H
#define HW_MODEL_TIME_H

#include "isa/gpu.h"
#include "isa/rates.h"

// What a launch asks for: sums over all of its warps. Everything may be 0.
typedef struct hw_time_work {
    uint64_t blocks, warps;          // of the launch
    uint32_t blocks_per_sm;          // that one multiprocessor holds at a time (0: counts as 1)
    uint64_t inst[HW_RATES];         // warp instructions by pipe; [HW_RATE_ISSUE]: all of them
    // Memory. Bytes as DRAM moves them, each once: a sector that lanes of several accesses fill together counts once,
    // and one that stays partly untouched counts whole.
    uint64_t load_bytes, store_bytes;
    uint64_t fill_bytes;             // of store_bytes: in sectors that stay partly unwritten, and are read before
    uint64_t useful_bytes;           // that warps asked for, each request's once; what est_gbs counts
    uint64_t reachable_bytes;        // in the allocations that it touches: the most that is moved; 0: not known
    uint64_t link_load_bytes, link_store_bytes;   // of all of these in the host's memory, at most
    double load_share, store_share;  // of the bandwidth that partitions leave, 0 to 1; 0: whole
    // Caches.
    uint64_t load_lines;             // 128-byte lines that loads look up in the first-level cache
    uint64_t load_sectors;           // that come from the second-level cache, each as often as it comes
    uint64_t store_sectors;          // that stores and atomics send there; from 7.0 on whole lines
    uint64_t const_loads;            // of constant memory at addresses that are not the same in the whole launch
    uint64_t const_passes;           // over constant memory, beyond the first of each warp (1.x: half-warp)
    // Atomics on global memory: one of each sector of a request for each of its lanes that mean the same word; those on
    // floating-point numbers among them; and the sectors that they can mean, all of the allocations that they are in
    // (0: not known).
    uint64_t atomic_passes, atomic_float_passes, atomic_sectors;
    uint64_t wavefronts;             // passes through the banks of shared memory; 1.x: steps of half-warps
    // What warps wait for, one after the other, added up over warps.
    uint64_t trips;                  // to memory, of texels too
    uint64_t atomic_trips;           // of these for an atomic's result
    uint64_t fences, bare_fences;    // until others would see what was stored just before, and earlier or not at all
    uint64_t shared_trips;           // to shared memory
    uint64_t barriers;
    uint64_t branches;               // that end a basic block, taken or not
    // How evenly that is spread over the warps of blocks, in PTX instructions: what all have issued, and each block's
    // longest warp, added up (hw_issued). 0: evenly.
    uint64_t issued, longest;
} hw_time_work;

typedef enum hw_bound {
    HW_BOUND_MEMORY,                 // DRAM, or the caches on the way to it
    HW_BOUND_SHARED,                 // the banks of shared memory
    HW_BOUND_ISSUE,                  // the pipes of instructions
    HW_BOUND_LATENCY,                // too few bytes in flight: warps wait, or blocks to begin, and nothing is busy
    HW_BOUND_LAUNCH,                 // starting the launch takes longer than its work, which is too small to say more
    HW_BOUNDS
} hw_bound;

typedef struct hw_estimate {
    double us;                       // of the launch as a profiler times it: starting it included, the gap before not
    double gbs;                      // useful bytes over that time, 10^9 bytes per second
    hw_bound bound;                  // hw_model_bound
    double bound_us[HW_BOUNDS];      // each alone, without overhead; that of the launch is the overhead
} hw_estimate;

// Pure. Never negative, infinite or not a number; grows with each count, but for load_sectors and load_bytes, which say
// together how many sectors are hits, and come sooner, and how many another load brings; atomic_sectors, over which
// atomics are spread; and issued. A GPU whose bandwidth or clock is not known (0) has no memory bound, or none at all.
hw_estimate hw_model_time(const hw_gpu *gpu, const hw_time_work *work);

// What issue and waits are made of, for clocks inside of kernels (clock.h): cycles to DRAM and to shared memory, until
// a result can be used as far as nothing else hides it, for a barrier, to begin a block or a warp, and from one block's
// begin to the next one's (0: not known).
typedef struct hw_waits { double memory, shared, result, barrier, block_start, warp_start, block_turn; } hw_waits;
hw_waits hw_model_waits(const hw_gpu *gpu);
// Warps that a multiprocessor has to hold so that one of them can always issue while the others wait for the results of
// instructions before: 6 on 1.x, 22 on 2.0 (programming guides), 16 on 7.0 and later.
double hw_model_hiding_warps(const hw_gpu *gpu);
// Lanes per clock; 0: there is no such pipe. f64 is f32 where there is none.
uint32_t hw_model_lanes(const hw_arch *arch, hw_rate rate);

// The bound of a launch, or of launches in a row, from their bound_us and us or the sums of these. HW_BOUND_LAUNCH
// where overhead is more than half of the time, else the largest of the others.
hw_bound hw_model_bound(const double bound_us[HW_BOUNDS], double us);

// The useful bandwidth, 10^9 bytes per second, of accesses like the launch's in an array far larger than all caches, if
// they waited for memory alone. 0 when it is not known.
double hw_model_memory_gbs(const hw_gpu *gpu, const hw_time_work *work);

// The bandwidth, 10^9 bytes per second, read and written, that a stream such as a copy of a large array reaches. 0 when
// it is not known.
double hw_model_stream_gbs(const hw_gpu *gpu);

// Microseconds from the end of a launch to the begin of the next one in its stream.
double hw_model_gap_us(const hw_gpu *gpu);

// "memory", "shared", "issue", "latency", "launch".
const char *hw_bound_name(hw_bound bound);

#endif
