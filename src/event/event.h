// The seam between execution and everything that observes it.
//
// exec tells what a launch does as events, each a record of its own type; the runtime tells what the host program asks
// of the GPU. A sink says which types it wants and turns them into counters, reports or complaints. exec knows no
// model, a sink knows no semantics, and neither knows how many sinks there are (event/sinks.h). What no sink of a
// launch wants is not told, and costs at most a test of a word that is at hand.
//
// Accesses are told in two ways. A sink that is not `ordered` gets equal ones once with a repetition count, at any time
// before launch_end, and sees the same sums. A sink that is `ordered` gets each before it is made, with its place.
#ifndef HW_EVENT_EVENT_H
#define HW_EVENT_EVENT_H

#include "base/status.h"
#include "isa/isa.h"
#include "isa/machine.h"
#include "isa/order.h"

typedef enum hw_event_type {
#define HW_EVENT(id, ...) HW_EVENT_##id,
#include "event/event.def"
#undef HW_EVENT
    HW_EVENT_HOST,                   // event/host.h
    HW_EVENTS
} hw_event_type;
#define HW_WANTS(id) (1u << HW_EVENT_##id)    // bit of hw_sink.events
_Static_assert(HW_EVENTS <= 32, "hw_sink.events has a bit for each type");

// ---- a launch -------------------------------------------------------------------------------------------------------

// What is fixed for one launch. All pointers live until launch_end returns.
typedef struct hw_launch_info {
    const char *kernel;              // mangled name
    uint32_t grid[3], block[3];
    uint32_t cluster[3];             // blocks of a cluster along each axis; 0 or 1: blocks stand alone
    uint32_t regs;                   // per thread
    bool regs_estimated;             // regs and spill_bytes are estimates
    uint32_t spill_bytes;            // per thread, of registers that are put away and fetched: stores and loads
    const char *producer;            // compiler and version that made the PTX, "nvcc 13.0.88"; NULL or "": not known
    uint32_t smem_static_bytes, smem_dynamic_bytes, local_bytes;
    uint32_t bank_bytes;             // width of shared memory's banks that the program asks for: 4 or 8; 0: as 4
    const hw_note *notes;            // of all programs the launch can reach, concatenated; records index into it
    uint32_t n_notes;
    const char *const *files;        // source files that notes name
    uint32_t n_files;
    const hw_inlining *inlinings;    // that notes name
    uint32_t n_inlinings;            // with item 0, which is not used; or 0
    uint32_t n_workers;              // records come from some of workers 0 .. n_workers-1, at once: each on a thread
                                     // of its own, or on the launching one where the system gives no more
    uint64_t number;                 // of the launch, from 1 on: of all GPUs of the process
    uint32_t gpu;                    // which of these, as cudaSetDevice counts them
    uint64_t stream;                 // as the caller of the launch names it; 0: the legacy default stream. The runtime
                                     // names a thread's own default stream by an odd number that no other thread has,
                                     // others by their handle
    bool is_cooperative;
    bool may_launch;                 // it can reach instructions that launch kernels; or it is a child, and its module
                                     // has such
    uint64_t parent;                 // number of the launch whose kernel has made this one; 0: the host program has
    uint32_t child;                  // then which of its children: hw_child_step.number
    bool is_nested;                  // a kernel waits for it: told in the midst of that launch, to sinks that nest
    uint32_t n_patterns;             // indexes of patterns are below this
    const hw_machine_module *machine;   // machine code of the module, of which notes have the lines; NULL: unknown
    const struct hw_mem *mem;        // the memory that it runs in
    const struct hw_homes *homes;    // where accesses have to stay; NULL unless a sink wants STRAY
} hw_launch_info;

// Where and when: all events of a block come from one worker, in the order of `sequence`.
typedef struct hw_where {
    uint32_t block[3], warp;         // warp: of its block
    uint64_t sequence;               // counts this worker's events of the launch; 0 in records that are added up
} hw_where;

enum { HW_NO_NOTE = 0xffffffff };    // no instruction

typedef struct hw_block_step {
    hw_where where;                  // warp 0
    bool has_ended;                  // else it begins: its shared memory is fresh. A launch that fails ends no blocks
} hw_block_step;

// ---- memory ---------------------------------------------------------------------------------------------------------

// The relative addresses of an access: all that counts depend on but the base. exec owns it. It stays as it is until
// its index is given to others, which have another serial, and at the longest until launch_end returns. So a sink may
// keep what it finds out about a pattern in an array by index, and asks no more than whether the serial is the same.
typedef struct hw_access_pattern {
    uint32_t index;                  // of this worker; HW_PATTERN_WAYS that begin at a multiple of it are of one
                                     // instruction; HW_NO_PATTERN: met once, not to be remembered (copies in
                                     // parts; accesses of instructions whose addresses do not repeat)
    uint32_t mask;                   // active lanes; 0: the guard was false in all
    uint64_t serial;                 // of this worker: never used twice, not 0; of several warps the first one's
    uint8_t space;
    int64_t low, high;               // the least and the greatest delta; not of patterns met once
    int64_t delta[HW_WARP_LANES];    // differences to the address of the lowest active lane; 0 in inactive lanes
} hw_access_pattern;
enum { HW_PATTERN_WAYS = 8, HW_NO_PATTERN = 0xffffffff };
// Where accesses are added up, the first so many of an instruction's indexes are used alone: to find out what an access
// costs takes less than to tell many patterns apart.
enum { HW_PATTERN_WAYS_COUNTED = 4 };

// An offset in the window of shared memory is one of the block's own memory, or of that of a block of its cluster, as
// mapa gives it: (rank + 1) << HW_RANK_BITS | offset.
enum { HW_RANK_BITS = 24 };
static inline bool hw_has_rank(uint64_t offset) { return offset >> HW_RANK_BITS; }

// One warp instruction's access to memory, `repeat` times. Of an asynchronous copy (HW_NOTE_COPY*) a record for each
// side, both when it begins; when its bytes are there is told by hw_copy_landed.
typedef struct hw_access {
    uint32_t note;                   // which instruction: its order, scope and atomic operation are the note's
    uint8_t kind;                    // of the note: HW_NOTE_LOAD, _STORE, _ATOMIC, _REDUCTION, _COPY, _COPY_BYPASS,
                                     // _LOAD_MATRIX
    uint8_t space;                   // resolved: GLOBAL, SHARED, LOCAL, CONST; never GENERIC
    uint8_t width_bytes;             // per lane, element times vector, as written in PTX
    const hw_access_pattern *pattern;
    uint64_t base;                   // address in the lowest active lane; SHARED and LOCAL: offset in their window.
                                     // Added up: modulo 128
    uint64_t repeat;                 // 1 for ordered sinks
    hw_where where;                  // for ordered sinks; lanes whose spaces differ have a record for each space
} hw_access;

// An access whose relative addresses are not to be remembered (HW_NO_PATTERN), as sinks that add up may get it.
enum { HW_PACK_SHIFT = 28 };
typedef struct hw_lone_access {
    uint32_t note, mask;             // mask: not 0
    uint8_t kind, space;             // as of hw_access
    uint8_t width_bytes;             // likewise; a power of two, and addresses are multiples of it
    uint8_t lanes;                   // how many are on
    // 0; or a bit for the last lane of each of several warps of a block, whose lanes lie side by side
    // (hw_sink.takes_packs): of global memory, and places have the warp's number among these from HW_PACK_SHIFT on.
    uint32_t ends;
    uint64_t serial;                 // of this worker: never used twice, not 0; of several warps the first one's
    // Of lanes that are on: the address, less a multiple of 128 that is the same for all, over width_bytes. Below 2^31.
    _Alignas(64) uint32_t place[HW_WARP_LANES];
} hw_lone_access;

// A piece of memory that accesses have to stay in: the allocation that a parameter points into, a variable, or a part
// of one of these.
typedef struct hw_home {
    uint64_t begin, bytes;           // SHARED and LOCAL: offset in their window
    uint64_t stride;                 // of parts that lie there once in each so many bytes, the first; 0: there is one
    uint64_t whole_begin, whole_bytes;    // of parts: what they are in
    const char *part;                // its name; NULL: it is no part
    uint8_t space;                   // GLOBAL, constants too; SHARED, LOCAL
    const char *name;                // of a variable, mangled; or NULL
    const void *site;                // of the host's call that allocated it: a code address, or NULL
} hw_home;

// Each access of a set has to stay in one of its homes. n 0: it is not known where its address comes from.
typedef struct hw_home_set {
    uint32_t first, n;               // in hw_homes.items
    bool is_written;                 // an access of the set may write to device memory
    uint8_t least_read_bytes;        // of a lane, by an access that may read it; 0: none does
} hw_home_set;

typedef struct hw_homes {
    uint32_t first_access, n_accesses;
    const uint32_t *set_of;          // by hw_note.access, from first_access on: number of the set
    uint32_t n_sets;
    const hw_home_set *sets;         // n of set 0 is 0. All accesses are in a set, but those of functions that no
                                     // module defines
    const hw_home *items;
} hw_homes;

// Bytes that one lane reads or writes.
typedef struct hw_lane_bytes {
    uint64_t address;                // SHARED and LOCAL: offset in their window
    uint32_t bytes;
    uint8_t lane;
    uint8_t space;                   // resolved: GLOBAL, SHARED, LOCAL
} hw_lane_bytes;

// Accesses that no instruction makes by an address of its own, so that they have no pattern and are not added up. A
// texture fetch: the texels that it reads, of the border none. A call of a function that no module defines (vprintf,
// __assertfail, math with pointers): what it reads and writes, lane after lane, a string at once. Parameters are
// operands, no accesses. malloc and free are told as HOST.
typedef struct hw_lane_access {
    hw_where where;
    uint32_t note;                   // of the fetch, or the call
    bool is_write;
    uint32_t n;
    const hw_lane_bytes *list;
} hw_lane_access;

// Where a GPU has the texels of one fetch: it lays arrays out in blocks, not in rows. Each texture's places are a range
// of its own, so that they are the same in every run. Told of the fetches of about HW_TEXEL_BLOCKS blocks of a launch,
// spread over its grid, the same in every run; of all where there are no more.
enum { HW_TEXEL_BLOCKS = 8, HW_TEXEL_CORNERS = 8 };   // of a cube; the most that a lane reads
typedef struct hw_texel_fetch {
    hw_where where;
    uint32_t note;
    uint64_t block;                  // linear, in the grid
    uint32_t mask;                   // lanes that fetch
    const uint32_t *lanes;           // by corner: those that read a texel there; the border is none
    const uint64_t (*place)[HW_WARP_LANES];   // by corner and lane
} hw_texel_fetch;

// Lanes whose access cannot be made: their memory is not there, or the address is misaligned. Where no sink wants to
// hear of it, that is a fault, and the launch ends. Else such lanes read zeros and write nothing, all others go on, and
// nobody hears of these lanes' access otherwise. What is no access of a note (barriers in shared memory, parameters)
// remains a fault.
typedef struct hw_stray {
    hw_where where;
    uint32_t note;
    bool is_write;
    uint32_t bytes;                  // of one lane
    uint32_t mask;                   // these lanes
    uint32_t misaligned;             // those of them whose address is no multiple of what is accessed
    uint8_t space[HW_WARP_LANES];    // of lanes of mask: resolved
    uint64_t address[HW_WARP_LANES]; // likewise; SHARED and LOCAL: offset in their window
} hw_stray;

// How an allocation is touched, bits. What is read as a constant or through a texture is not read as global memory;
// what atomics touch, or instructions through a surface, is read or written as well.
enum { HW_TOUCHED_READ = 1, HW_TOUCHED_WRITTEN = 2, HW_TOUCHED_CONSTANT = 4, HW_TOUCHED_TEXTURE = 8,
       HW_TOUCHED_ATOMIC = 16, HW_TOUCHED_SURFACE = 32 };

typedef struct hw_touched {
    uint64_t address, bytes;         // device memory that is accessed lies in this allocation: of each at least once
    uint8_t ways;                    // it is accessed so; of each way at least once
    bool is_hosts;                   // the host's memory, pinned or registered: a GPU has it behind its link
} hw_touched;

// ---- asynchronous copies --------------------------------------------------------------------------------------------

// One warp's copies from global into shared memory have begun: what is read has been read.
typedef struct hw_copy_begun {
    hw_where where;
    uint32_t note;
    uint32_t mask;                   // lanes that copy
    uint32_t reading;                // those of them that read anything; the others write zeros
    uint8_t width_bytes;             // that each lane writes
    const uint32_t *read_bytes;      // of 32 lanes, the rest is zeros; NULL: all of it
    uint64_t number;                 // of this worker's copies in the launch
    uint64_t from;                   // in the lowest lane of from_pattern->mask: an address in global memory
    uint64_t to;                     // in the lowest lane of to_pattern->mask: an offset in the window of shared memory
    const hw_access_pattern *from_pattern, *to_pattern;    // from_pattern NULL: nobody reads
} hw_copy_begun;

typedef enum hw_copy_action { HW_COPY_COMMIT, HW_COPY_WAIT, HW_COPY_ARRIVE } hw_copy_action;

// Lanes commit what they have begun as a group; wait for all but their `spared` newest groups; or let an mbarrier know
// when all that they have begun is there (whose own event follows).
typedef struct hw_copy_group {
    hw_where where;
    uint32_t note;
    uint32_t mask;
    hw_copy_action action;
    int64_t spared;                  // WAIT: -1: none, what is not committed neither
} hw_copy_group;

// Bytes of a copy are in shared memory now. It is the wait that orders them before what follows: they may land earlier.
typedef struct hw_copy_landed {
    hw_where where;
    uint32_t note;                   // of the copy
    uint32_t mask;                   // these lanes
    uint64_t number;                 // hw_copy_begun.number
    uint8_t width_bytes;
    bool is_waited_for;              // by these lanes or at an mbarrier; false: there was no room to keep it back
    const uint32_t *to;              // offsets of 32 lanes in the window of shared memory
} hw_copy_landed;

typedef enum hw_bulk_action {
    HW_BULK_BEGINS,
    HW_BULK_HAS_READ,                // what it reads may be written again
    HW_BULK_HAS_WRITTEN              // and its bytes are there
} hw_bulk_action;

// A copy of a row of memory by one lane, cp.async.bulk. Actions but the first are told when somebody has waited for
// them: it is the wait that puts them in order before what follows.
typedef struct hw_bulk_step {
    hw_where where;                  // of the warp that has begun it, whatever the action
    uint32_t note;
    uint8_t lane;
    hw_bulk_action action;
    uint8_t from_space, to_space;    // GLOBAL, SHARED
    uint64_t from, to;               // addresses in global memory; offsets as that warp's block sees them
    uint32_t bytes;
    uint64_t number;                 // of this launch's, of one worker
    bool has_barrier;                // it is waited for at the mbarrier at this offset; else by groups
    uint64_t barrier;
} hw_bulk_step;

// ---- order ----------------------------------------------------------------------------------------------------------

typedef struct hw_fence {
    hw_where where;
    uint32_t note;
    uint32_t mask;
    uint8_t order, scope, proxy;     // hw_order, hw_scope, hw_proxy
} hw_fence;

typedef enum hw_barrier_action {
    HW_BARRIER_ARRIVE,               // and go on
    HW_BARRIER_SYNC,                 // and wait
    HW_BARRIER_REDUCE,               // and wait, bar.red
    HW_BARRIER_WAIT,                 // of barrier.cluster: lanes that have arrived before wait now
    HW_BARRIER_COMPLETE              // those who wait go on
} hw_barrier_action;
enum { HW_BARRIERS = 16, HW_CLUSTER_BARRIER = HW_BARRIERS };    // those that programs number, and barrier.cluster

// Lanes of a warp arrive at a barrier of the block, or it is complete. Who has arrived is told before that. Warps that
// go together (all lanes of each) are told at once.
typedef struct hw_barrier_step {
    hw_where where;                  // COMPLETE: warp 0
    uint32_t note;                   // HW_NO_NOTE: COMPLETE
    hw_barrier_action action;
    uint8_t barrier;                 // 0 .. 15, HW_CLUSTER_BARRIER
    uint32_t mask;                   // lanes that arrive, or wait; COMPLETE: 0
    uint32_t left_out;               // lanes of the warp that parted from these, at a branch behind which they go on
    uint32_t more_warps;             // behind where.warp, which do the same
    uint32_t expected;               // threads as the program says; 0: all of the block that have not exited
} hw_barrier_step;

// Lanes of a warp have met and execute bar.warp.sync, a shuffle, vote, match, redux or elect that names its members.
// Lanes that have exited, and those that others let go on alone, are not waited for.
typedef struct hw_warp_sync {
    hw_where where;
    uint32_t note;
    uint32_t members;                // lanes that are to meet
    uint32_t mask;                   // those that did
} hw_warp_sync;

typedef enum hw_mbarrier_action {
    HW_MBARRIER_INIT, HW_MBARRIER_INVALIDATE, HW_MBARRIER_EXPECT, HW_MBARRIER_COMPLETE, HW_MBARRIER_ARRIVE,
    HW_MBARRIER_ARRIVE_DROP, HW_MBARRIER_ARRIVE_COPIES, HW_MBARRIER_TEST
} hw_mbarrier_action;

// Lanes do something to barriers in shared memory, one after the other.
typedef struct hw_mbarrier_step {
    hw_where where;
    uint32_t note;                   // has order and scope
    uint32_t mask;
    hw_mbarrier_action action;
    uint64_t at[HW_WARP_LANES];      // of active lanes: offset in the window of shared memory
    uint32_t operand[HW_WARP_LANES]; // of active lanes: threads of INIT and ARRIVE; bytes of EXPECT, COMPLETE, and an
                                     // ARRIVE that expects them; TEST: parity of the phase that is asked for
    uint32_t ended;                  // lanes whose action ended a phase; TEST: those who may go on
} hw_mbarrier_step;

typedef enum hw_child_order {
    HW_CHILD_IN_STREAM,              // behind what has been launched into the same stream
    HW_CHILD_ALONE,                  // behind no other (cudaStreamFireAndForget)
    HW_CHILD_TAIL                    // behind the launch itself and all other children of it (cudaStreamTailLaunch)
} hw_child_order;

// Streams that all kernels have; others may be used by all threads of the launch.
enum { HW_CHILD_BLOCKS_STREAM = 0, HW_CHILD_THREADS_STREAM = 2 };    // each has its own (cudaStreamPerThread)

typedef enum hw_child_action {
    HW_CHILD_LAUNCHES, HW_CHILD_RECORDS, HW_CHILD_WAITS, HW_CHILD_SYNCHRONIZES
} hw_child_action;

// A lane launches a kernel: a launch of its own, which is told when this one has ended, or when it is waited for. Or
// the lane records an event in a stream, or lets the stream wait for one. Or it has waited itself for all that its
// block has launched but tails (cudaDeviceSynchronize, of CUDA 11), which is told behind these launches.
typedef struct hw_child_step {
    hw_where where;
    uint32_t note;
    uint8_t lane;
    hw_child_action action;
    hw_child_order order;
    uint64_t stream;                 // IN_STREAM: as the kernel names it
    uint32_t number;                 // LAUNCHES: of the launch's children
    uint64_t event;                  // RECORDS, WAITS: as the kernel names it
    bool is_behind_later_block;      // LAUNCHES: in its stream; WAITS: which has recorded the event. Then all children
                                     // of the launch are told in the order of their numbers
} hw_child_step;

typedef enum hw_stuck_why {
    HW_STUCK_AT_BARRIER,             // of the block or its cluster
    HW_STUCK_AT_SYNC,                // waits for lanes of its warp that it has named
    HW_STUCK_GOES_ROUND,             // runs, and changes nothing
} hw_stuck_why;

// Threads of a block that stand at one place for one reason.
typedef struct hw_stuck_group {
    hw_where where;                  // of the first of their warps; sequence 0
    uint32_t note;
    uint32_t mask;                   // of that warp
    uint32_t threads;                // in all
    hw_stuck_why why;
} hw_stuck_group;

// All threads of a block wait for each other, which ends the launch. Or all that run have changed nothing for some
// seconds, which is told once, from a worker's own blocks, and may end.
typedef struct hw_stuck {
    bool is_for_ever;                // the former
    bool is_hosts_turn;              // they poll memory that the host writes without a call: it may do so behind the
                                     // launch, which here ends first
    uint32_t n;
    const hw_stuck_group *groups;
} hw_stuck;

// ---- what has been executed -----------------------------------------------------------------------------------------

// Straight-line instructions [first_note, first_note + count) executed by warps, `lanes` lanes in all.
typedef struct hw_executed {
    uint32_t first_note, count;
    uint64_t warps, lanes;
} hw_executed;

// A conditional branch executed by `warps` warps, of which `divergent` saw their lanes part.
typedef struct hw_branched {
    uint32_t note;
    uint64_t warps, divergent;
} hw_branched;

// Guarded instructions whose guard was false: lanes to take off `executed`.
typedef struct hw_guarded_off {
    uint32_t note;
    uint64_t lanes;
} hw_guarded_off;

// PTX instructions of warps, by the blocks that a worker has ended.
typedef struct hw_issued {
    uint64_t all;
    uint64_t longest;                // of each block's longest warp; where barriers part a block, of each part's
} hw_issued;

typedef enum hw_arithmetic_kind {
    HW_ARITHMETIC_NAN, HW_ARITHMETIC_INFINITY,         // a result is one, and no operand is either
    HW_ARITHMETIC_DIVISION,                            // an integer is divided by zero
    HW_ARITHMETIC_SHIFT,                               // an integer is shifted by more bits than it has
    HW_ARITHMETIC_OVERFLOW,                            // a signed word that goes into an address has no room for a sum
} hw_arithmetic_kind;

// Told only of programs that have been lowered so as to look (lower/program.h, HW_WATCH_*).
typedef struct hw_arithmetic {
    hw_where where;
    uint32_t note;
    uint32_t mask;                   // these lanes
    hw_arithmetic_kind kind;
} hw_arithmetic;

typedef enum hw_outside_kind {
    HW_OUTSIDE_CLOCK,                // %clock, %globaltimer or one of their kind was read
    HW_OUTSIDE_NUMBER,               // %gridid, which is another in each launch
    HW_OUTSIDE_CALL,                 // printf, malloc, free, a failed assert
    HW_OUTSIDE_WAIT,                 // a warp polled until others, or nobody, let it go on
} hw_outside_kind;

// A launch with the same arguments that finds the same memory may do something else: told at least once by a worker
// that has met such a thing.
typedef struct hw_outside {
    uint32_t note;                   // HW_NO_NOTE: WAIT
    hw_outside_kind kind;
} hw_outside;

// ---- undefined values -----------------------------------------------------------------------------------------------

// What an undefined value decides.
typedef enum hw_undefined_use {
    HW_UNDEFINED_IS_BORN,            // none of these: a load has read bytes that nobody wrote
    HW_UNDEFINED_ADDRESS,            // of an access, or a coordinate of a texture
    HW_UNDEFINED_DECIDES,            // a branch, a guard, which function is called
    HW_UNDEFINED_CHANGES,            // an atomic: what is there, or the operand
    HW_UNDEFINED_PASSED,             // what printf prints, malloc's size
    HW_UNDEFINED_STORED,             // into memory that the host reads without a call
} hw_undefined_use;

// Some bits of a value have been given by nobody. What is only moved is not told; where it comes from is told once for
// each instruction of a launch.
typedef struct hw_undefined_told {
    hw_where where;
    uint32_t note;                   // of the load or the use; HW_NO_NOTE: IS_BORN, registers that nobody wrote
    uint32_t mask;                   // lanes
    hw_undefined_use use;
    uint32_t origin;                 // a number; IS_BORN: this one's, from 1 on, which no other launch has
    uint8_t space;                   // IS_BORN: of the bytes, resolved; CHANGES: the same
    uint8_t bytes;                   // IS_BORN: that each lane reads
    uint64_t address;                // of the first byte found: SHARED, LOCAL: offset in its window
} hw_undefined_told;

typedef struct hw_host_event hw_host_event;
typedef struct hw_sink hw_sink;
struct hw_defined;
struct hw_sink {
    uint32_t events;     // HW_WANTS bits. Fixed while the sink is attached; the functions of these types are there
    bool ordered;        // wants each access as it happens, with its place; costs speed
    bool ignores_sites;  // of HOST: does not look at hw_host_event.site, which takes microseconds to find
    bool nests;          // hears launches that a kernel waits for, whole, while its own launch goes on
    // Asked on the launching thread before each launch: false, and the launch runs as if the sink were not there. May
    // be NULL: all are wanted.
    bool (*wants)(hw_sink *sink, const hw_launch_info *info);
    // Called on the launching thread, before the first and after the last record of a launch. launch_begin may refuse:
    // the launch then fails with that status, and sinks that have begun already see it end so. Both may be NULL.
    hw_status (*launch_begin)(hw_sink *sink, const hw_launch_info *info, hw_diag *diag);
    void (*launch_end)(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status);
    // A launch that is known to do again what an earlier one did need not be executed: its sinks hear instead, on the
    // launching thread and with nothing before or after it, that it is launch `number` once more. `keeps` is asked
    // beforehand: does the sink have what it needs of that launch, and room for one more? A sink without both functions
    // has every launch executed that it does not decline.
    bool (*keeps)(hw_sink *sink, uint64_t number);
    void (*repeats)(hw_sink *sink, const hw_launch_info *info, uint64_t number, uint64_t host_ns);
    // Called on worker threads, a worker's own. A sink keeps one state per worker and adds them up in launch_end.
    // Records and what they point to are gone when the function returns, but for patterns.
#define HW_EVENT(id, function, record, ...) void (*function)(hw_sink *sink, uint32_t worker, const record *event);
#include "event/event.def"
#undef HW_EVENT
    // ACCESS of an ordered sink, by n warps of a block one after the other: first->where.warp and those behind it, with
    // the same pattern, and bases[k] in place of first->base. May be NULL: `access` is called for each.
    void (*accesses)(hw_sink *sink, uint32_t worker, const hw_access *first, uint32_t n, const uint64_t *bases);
    // ACCESS and ATOMIC of a sink that adds up and wants both: accesses whose addresses are not to be remembered,
    // several in one call. May be NULL: `access` or `atomic` is called for each.
    void (*lone)(hw_sink *sink, uint32_t worker, const hw_lone_access *list, uint32_t n);
    bool takes_packs;                // `lone` takes those of several warps in one: it needs no lane's own number
    // HOST. Called on the thread of the host program, one call at a time, perhaps while a launch runs.
    void (*host)(hw_sink *sink, const hw_host_event *event);
    // UNDEFINED: which bytes of device memory are defined (mem/defined.h). The sink keeps it as the host writes, and
    // launches that it takes part in as they do. Where two sinks want that, the first one's is used.
    struct hw_defined *defined;
};

#endif
