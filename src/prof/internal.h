// What the profiler's files share; nobody else includes it.
#ifndef HW_PROF_INTERNAL_H
#define HW_PROF_INTERNAL_H

#include <stdatomic.h>

#include "base/arena.h"
#include "model/caches.h"
#include "model/coalesce.h"
#include "prof/prof.h"

// The spaces that are counted.
typedef enum hw_prof_space {
    HW_PROF_GLOBAL, HW_PROF_SHARED, HW_PROF_LOCAL, HW_PROF_CONST, HW_PROF_SPACES
} hw_prof_space;

// What the profilers of GPUs before 7.0 counted besides, each in its generation.
typedef enum hw_prof_generation {
    HW_PROF_COALESCED, HW_PROF_UNCOALESCED, HW_PROF_32B, HW_PROF_64B, HW_PROF_128B, HW_PROF_SERIALIZED,
    HW_PROF_LONE,                        // transactions of 32 bytes with none beside them
    HW_PROF_GENERATION_COUNTS
} hw_prof_generation;

enum { HW_PROF_PHASES = 256, HW_PROF_NO_ACCESSES = 0xffffffff };

// Relative addresses that an instruction has used, and what they cost at each base modulo 256.
typedef struct hw_prof_pattern {
    uint64_t serial;                     // of exec's pattern; 0: none
    const hw_access_pattern *of;         // exec's
    uint16_t packed;                     // sectors or wavefronts of as many lanes side by side
    uint16_t asked;                      // bytes, those that lanes share once
    uint8_t space;                       // hw_prof_space
    uint8_t worst;                       // the base that costs most of those that are counted
    uint16_t cost[HW_PROF_PHASES];       // sectors or wavefronts plus one; 0: not counted yet
} hw_prof_pattern;

// The last copies past the first-level cache of an instruction. What a copy fetches depends on the lanes' addresses
// relative to the lowest lane's, and on the latter modulo 128.
typedef struct hw_prof_copies {
    uint64_t from_serial, to_serial;     // of exec's patterns; 0: none yet
    uint8_t from_phase, to_phase;
    hw_fetched cost;
} hw_prof_copies;

// One memory instruction on one worker, in the launch that `epoch` numbers. By space: executions, those with active
// lanes, sectors or wavefronts, and the ideal of those.
typedef struct hw_prof_accesses {
    uint64_t epoch;
    uint64_t inst[HW_PROF_SPACES], requests[HW_PROF_SPACES], cost[HW_PROF_SPACES], ideal[HW_PROF_SPACES];
    uint64_t asked;                      // bytes of global memory
    uint64_t fetched, l2_fetched;        // sectors, by copies past the first-level cache
    uint64_t generation[HW_PROF_GENERATION_COUNTS];
    uint8_t kind, width;
    uint8_t meeting;                     // of the note
    bool is_combined;                    // of the note, on GPUs for which ptxas does it
    bool is_merged, skips_l1;
    bool is_listed;                      // its places are counted as they are, many accesses at a time
    uint8_t n_patterns;                  // that have been met
    hw_prof_copies copies;
    hw_report_access lone;               // where lines are wanted: the worst of those without a pattern; mask 0: none
    uint8_t lone_space;                  // hw_prof_space
    hw_prof_pattern patterns[HW_PATTERN_WAYS_COUNTED];   // by exec's index modulo their number
} hw_prof_accesses;

// One instruction on one worker. warps and lanes are differences to the instruction before: a range of instructions
// is counted at its two ends.
typedef struct hw_prof_note {
    uint64_t warps, lanes;
    uint64_t guarded_off, branches, divergent;
} hw_prof_note;

// Allocations that a launch touches, as far as they are few.
enum { HW_PROF_EXTENTS = 64 };
typedef struct hw_prof_extents {
    uint32_t n;                          // HW_PROF_EXTENTS + 1: more than there is room for
    hw_touched list[HW_PROF_EXTENTS];
} hw_prof_extents;

// Texels of the blocks that execution tells of, as one worker has met them (texels.c).
enum { HW_PROF_TEXEL_BITS = 32768 };
typedef struct hw_prof_texels {
    uint64_t fetches, sectors;           // of lanes; of each warp's fetch, each once
    uint32_t n_blocks, capacity;
    uint64_t *blocks;                    // their linear indices
    uint64_t *seen;                      // HW_PROF_TEXEL_BITS for each
} hw_prof_texels;

typedef struct hw_prof_worker {
    _Alignas(64) uint64_t epoch;         // hw_prof.epoch of the last launch of which it has told something
    hw_prof_note *notes;                 // one more than the launch has
    hw_prof_accesses *accesses;
    size_t notes_capacity, accesses_capacity;
    hw_prof_extents touched;
    hw_prof_texels texels;
    hw_issued issued;
} hw_prof_worker;

// Bytes that the blocks of each wave, those that run at a time, ask of each partition.
typedef struct hw_prof_partitions {
    uint32_t count;                      // of partitions; 0: nothing is counted
    uint64_t blocks_at_once, waves;
    _Atomic uint64_t *bytes[2];          // loads, stores; [wave * partitions + partition]
    size_t capacity[2];
    uint32_t grid[2];                    // x, y
    _Atomic uint32_t touched[2][HW_SHOWN_BLOCKS];   // as hw_report_blocks has it
} hw_prof_partitions;

// Loads or stores with equal distances between lanes, and the bytes of a period of addresses that they touch
// (footprint.h).
enum { HW_FOOTPRINT_BYTES = 8192, HW_FOOTPRINT_GROUPS = 8 };
typedef struct hw_footprint_group {
    uint64_t stride;
    uint32_t period;                     // a multiple of 128
    bool is_store, is_whole;
    uint64_t touched[HW_FOOTPRINT_BYTES / 64];
} hw_footprint_group;
typedef struct hw_footprint {
    uint32_t n_groups;
    hw_footprint_group groups[HW_FOOTPRINT_GROUPS];
} hw_footprint;

// One memory instruction on all workers, as the estimate of time sees it (work.c).
typedef struct hw_prof_place {
    uint64_t requests[HW_PROF_SPACES], cost[HW_PROF_SPACES], asked, generation[HW_PROF_GENERATION_COUNTS];
    uint64_t stride;                     // common to its patterns
    const hw_footprint_group *group;     // NULL: the accesses are of too many kinds to tell
    uint32_t lines;                      // 128-byte lines of one access
    uint8_t kind;
    bool skips_l1, is_irregular;
} hw_prof_place;

// What a row needs to be repeated: with which number its launch came, and what it added to its kernel's lines.
typedef struct hw_prof_kept {
    uint64_t number;
    hw_report_line *lines;               // where lines are wanted; NULL: no longer there
    size_t n_lines;
} hw_prof_kept;

struct hw_prof {
    hw_sink sink;                        // first: the sink is the object
    const hw_gpu *gpu;
    bool is_old;                         // before 7.0: counts what its time counted
    hw_prof_partitions partitions;
    bool wants_lines, no_l1, forgets;
    void (*finished)(void *context, const hw_report *report);
    bool (*wants)(void *context, const char *mangled);
    uint64_t n_uncounted;
    void *context;
    hw_arena *arena;                     // names
    hw_report_launch *launches;
    size_t n_launches, launches_capacity;
    hw_prof_kept *kept;                  // by row
    size_t kept_capacity, first_kept;    // rows before that are of an earlier context
    size_t first_with_lines, kept_lines; // rows before that keep none; how many all others keep
    hw_report_kernel *kernels;           // lines are the profiler's own: it may write to them
    size_t n_kernels, kernels_capacity;
    const char **files;                  // each once
    size_t n_files, files_capacity;
    hw_report report;

    // The running launch.
    bool is_running;
    uint64_t epoch;
    uint32_t bank_bytes;                 // of shared memory, as the launch wants them
    hw_prof_worker *workers;
    uint32_t n_workers, workers_capacity;
    const hw_note *notes;
    uint32_t n_notes;
    uint32_t *accesses_of;               // by note: index into a worker's accesses
    uint32_t *line_of;                   // by note: index into the kernel's lines
    size_t accesses_of_capacity, line_of_capacity;
    uint32_t n_accesses;
    hw_prof_place *places;               // by index of the instruction's accesses
    size_t places_capacity;
    hw_footprint footprint;
    size_t kernel;                       // index into kernels
};

// prof.c: a worker that tells its first record of a launch
hw_prof_worker *hw_prof_begin_worker(hw_prof *prof, hw_prof_worker *worker);

// Where what a worker tells is counted; NULL: there is no such worker, or no launch.
static inline hw_prof_worker *hw_prof_worker_of(hw_prof *prof, uint32_t worker) {
    if (worker >= prof->n_workers) return NULL;
    hw_prof_worker *w = &prof->workers[worker];
    return w->epoch == prof->epoch ? w : hw_prof_begin_worker(prof, w);
}

// access.c
void hw_prof_access(hw_sink *sink, uint32_t worker, const hw_access *access);
void hw_prof_lone(hw_sink *sink, uint32_t worker, const hw_lone_access *list, uint32_t n);   // not of old GPUs
void hw_prof_copy(hw_sink *sink, uint32_t worker, const hw_copy_begun *copy);

// repeat.c
// A copy of the kernel's lines before a launch is added to them, for hw_prof_keep. NULL where none are wanted.
hw_report_line *hw_prof_copy_lines(const hw_prof *prof, const hw_report_kernel *kernel);
// Keeps what the launch of that number, the row that is being made, has added to those lines, which are the profiler's
// from now on. Where there is no memory for it, the launch cannot be repeated.
void hw_prof_keep(hw_prof *prof, uint64_t number, const hw_report_kernel *kernel, hw_report_line *before);
void hw_prof_forget_kept(hw_prof *prof);
// hw_sink.keeps, hw_sink.repeats
bool hw_prof_keeps(hw_sink *sink, uint64_t number);
void hw_prof_repeat(hw_sink *sink, const hw_launch_info *info, uint64_t number, uint64_t host_ns);

// generation.c: what the profilers of GPUs before 7.0 counted of an access that takes so many passes, and of the launch
// as a whole. Partitions are not counted where the launch has too many waves to keep.
void hw_prof_count_generation(hw_prof *prof, hw_prof_accesses *accesses, const hw_access *access, hw_prof_space space,
                              uint32_t passes);
void hw_prof_begin_partitions(hw_prof *prof, const hw_launch_info *info, uint32_t blocks_per_multiprocessor);
double hw_prof_partition_pct(const hw_prof *prof, bool stores);
// NULL: nothing is counted, or out of memory.
const hw_report_blocks *hw_prof_show_blocks(const hw_prof *prof, const hw_report_launch *launch);
void hw_prof_finish_generation(const hw_prof *prof, const hw_launch_info *info,
                               uint64_t *counts);   // info NULL: of a line

// extents.c: notes allocations on the worker threads; the bytes for the launch of those that are touched in one of
// these ways, 0 when there were too many to note; and those of the host's memory that are touched in that way.
void hw_prof_touched(hw_sink *sink, uint32_t worker, const hw_touched *touched);
uint64_t hw_prof_touched_bytes(const hw_prof *prof, uint8_t ways);
uint64_t hw_prof_hosts_bytes(const hw_prof *prof, uint8_t way);

// texels.c: sectors of texels that the launch's lanes fetch so many times, by the sample that there is, out of textures
// of so many bytes; false: none. What does not follow from fetches is 0.
void hw_prof_texel_fetch(hw_sink *sink, uint32_t worker, const hw_texel_fetch *fetch);
bool hw_prof_texel_reads(const hw_prof *prof, uint64_t fetches, uint64_t texture_bytes, hw_texel_reads *out);

// shown.c: keeps the access if it is the worst of those without a pattern; and the worst access of an instruction, for
// its line to show.
void hw_prof_see_lone(hw_prof_accesses *accesses, const hw_lone_access *access, hw_prof_space space, uint32_t cost,
                      uint32_t packed);
void hw_prof_show(hw_prof *prof, hw_report_line *line, const hw_prof_accesses *accesses);

// machine.c: adds up what the launch has executed of machine code, by pipe. False where that is not known.
bool hw_prof_count_machine(const hw_prof *prof, const hw_launch_info *info, double inst[HW_RATES]);

// work.c: fills launch's estimate: what it asks of the GPU, and how long that would take. launch has its shape and
// counters.
void hw_prof_finish_work(hw_prof *prof, const hw_launch_info *info, hw_report_launch *launch);

// lines.c: rows for all source lines that the launch's instructions come from, and line_of.
hw_status hw_prof_prepare_lines(hw_prof *prof, const hw_launch_info *info, hw_diag *diag);
// Drops the rows of lines that were not executed.
void hw_prof_drop_unused_lines(hw_report_kernel *kernel);
// Adds counts to the kernel's rows, which have all of these lines.
void hw_prof_add_lines(hw_report_kernel *kernel, const hw_report_line *lines, size_t n_lines);

// prof.c: room for one more row. False: out of memory.
bool hw_prof_make_row(hw_prof *prof);

#endif
