// The executor's own picture of a launch: workers, resident blocks, warps, paths of diverged lanes.
// Private to exec.
#ifndef HW_EXEC_WARP_H
#define HW_EXEC_WARP_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "exec/exec.h"
#include "exec/memory/pattern.h"
#include "exec/ops/lanes.h"
#include "exec/schedule/turn.h"
#include "exec/sums.h"
#include "mem/texture.h"

typedef struct hw_state hw_state;
typedef struct hw_block hw_block;
typedef struct hw_worker hw_worker;
typedef struct hw_run hw_run;
typedef struct hw_copies hw_copies;
typedef struct hw_undefined hw_undefined;         // undefined/undefined.h: of launches that tell of undefined values
typedef struct hw_shadow hw_shadow;
struct hw_shadow_memory;
struct hw_undefined_states;

// One call's registers. Lanes that are in different calls have different frames.
typedef struct hw_frame {
    struct hw_frame *parent;
    const hw_program *program;
    const hw_inst *return_to;     // in the parent's program
    const hw_call_site *site;     // what called; NULL in the entry
    uint32_t live;                // lanes that have not returned or exited
    uint32_t local_offset;        // of this call's .local variables in the thread's local memory
    uint32_t local_top;           // where the next call's begin (alloca moves it)
    uint32_t param_stride;        // bytes from one lane's parameter memory to the next
    char *registers, *params;
    hw_shadow *shadow;            // their undefined bits; NULL: nobody asks
    struct hw_frame *next_free, *next_made;
    size_t bytes;                 // of registers and params, for reuse
} hw_frame;

// Lanes that parted at a branch and will go on together at instruction `reconverge`.
typedef struct hw_split {
    struct hw_split *outer;
    const hw_inst *reconverge;
    hw_frame *frame;              // `reconverge` is meant in this call only
    uint32_t expected;            // lanes still on their way
    uint32_t waiting;             // lanes that have arrived
    bool is_meeting;              // the warp stops there, as others of its convoy do
    struct hw_split *next_made;
} hw_split;

typedef enum hw_path_state {
    HW_PATH_READY,
    HW_PATH_AT_BARRIER,           // of the block
    HW_PATH_AT_SYNC,              // of lanes of the warp: shfl, vote, bar.warp.sync, ...
} hw_path_state;

// Lanes that run together. The path that runs has its mask and place in the warp itself.
typedef struct hw_path {
    uint32_t mask;
    uint8_t state;
    uint8_t barrier;
    uint32_t members;             // AT_SYNC: lanes that must come
    const hw_inst *pc;            // next instruction; AT_SYNC: the one that waits
    hw_frame *frame;
    hw_split *split;              // NULL: none
} hw_path;

typedef enum hw_stop {
    HW_STOP_NONE,
    HW_STOP_BLOCKED,              // no path of the warp can go on by itself
    HW_STOP_YIELD,                // has run long enough for now
    HW_STOP_DONE,                 // all lanes have exited
    HW_STOP_FAULT,
    HW_STOP_LEFT,                 // left the convoy: its warps go on one by one
    HW_STOP_MET,                  // has come to where its convoy meets again; ready to go on there
} hw_stop;

struct hw_state {
    hw_warp warp;                 // first: bodies get a pointer to it
    hw_block *block;
    hw_worker *worker;
    hw_run *run;
    uint32_t index;               // of the warp in its block
    uint32_t live;                // lanes that have not exited
    hw_frame *frame;              // of the running path
    hw_split *split;              // of the running path
    const hw_inst *reconverge;    // split->reconverge, or NULL
    const hw_inst *insts;         // of the running program
    hw_pattern *patterns;         // the worker's
    char *shared;                 // the block's
    uint32_t outer_mask;          // inside a guard: the lanes outside it
    const hw_inst *pc;            // where to go on, when stopped
    hw_stop stop;
    hw_turn turn;
    hw_cycles cycles;             // of launches that read a clock: since the block's last barrier
    bool is_ready;                // stopped, and can go on at pc with all as it is
    uint32_t events;              // of the run, where every body has them at hand
    hw_path paths[32];            // those that do not run
    uint32_t n_paths;
    uint32_t finite[2];           // lanes whose operands watch.operands found to be so; the second: of the upper halves
    uint32_t thread_of_lane0;     // linear index in the block
    hw_frame entry_frame;
    hw_frame *free_frames, *made_frames;    // free: frames that no call uses; made: all
    hw_split *free_splits, *made_splits;
    char *local;                  // 32 lanes' local memory, words interleaved
    char *warp_area;              // of all programs
    hw_copies *copies;            // that have begun; NULL: there have never been any
    hw_undefined *undefined;      // what of registers and memory is undefined; NULL: nobody asks
};

typedef struct hw_barrier {
    uint32_t arrived;             // threads
    uint32_t expected;            // 0: all that live
    uint32_t sum, all, any;       // of bar.red
} hw_barrier;

enum { HW_MOST_WARPS = 32 };      // of a block

// Warps of a block whose turn it is, which go together. n 0: none.
typedef struct hw_longest_turn { uint32_t first, n; } hw_longest_turn;

// What warps of a block have issued (schedule/longest.h).
typedef struct hw_longest {
    uint64_t settled;             // of the block's: has been given to warps
    hw_longest_turn turn;         // whose it is since then
    uint64_t passed;              // until the last barrier, by the longest warp before each
    uint64_t even;                // since then, by each warp
    bool is_uneven;               // some have more:
    uint64_t own[HW_MOST_WARPS];
} hw_longest;

// One resident block.
struct hw_block {
    uint32_t index[3];
    uint64_t linear;
    uint32_t live_threads, n_warps;
    uint64_t issued;              // PTX instructions so far: the block's clock
    hw_cycles passed;             // of launches that read a clock: until its last barrier (schedule/cycles.h)
    double begin_cycles, sharers; // when it began; blocks on its multiprocessor
    uint64_t counted;             // how many of them are in the launch's sum
    hw_longest longest;
    hw_barrier barriers[HW_BARRIERS + 1];
    uint32_t busy_barriers;       // at which somebody has arrived, one bit each
    char *shared;                 // shared_bytes, with room behind it that no program reaches
    char *block_area;
    struct hw_shadow_memory *shadow;     // of shared memory; NULL: nobody asks
    hw_state *warps;
    uint16_t *last_errors;        // of its threads (warp/last_error.h); NULL: there have never been any
    struct hw_bulk_copies *bulk;  // cp.async.bulk: begun, and not ended; NULL: there have never been any
    bool is_running;              // holds a block that has not finished
    bool is_stuck;                // of a cluster: none of its warps can go on before others of the cluster do
    uint32_t rank;                // in its cluster
    hw_block **peers;             // the blocks of its cluster, by rank; of a block that stands alone, itself
    hw_block_turn turn;
};

typedef struct hw_block_count {
    uint64_t warps, lanes, divergent;
} hw_block_count;

// Whether what a worker holds changes at all (watch.c).
typedef struct hw_watch {
    uint64_t state, quiet_since_ns;
    atomic_uint_fast64_t checked_ns, wait_ns;   // the last time, and how long until the next
    atomic_uint quiet_checks;     // in a row that found no change
    atomic_bool has_left;         // there are no more blocks for this worker
} hw_watch;

// A texture that was looked up, its address the host's; it holds in its launch, while nothing is allocated, freed,
// or changed among textures.
typedef struct hw_texture_found {
    uint64_t handle;              // 0: none
    uint64_t epoch, version;      // of memory, of textures
    hw_texture texture;
} hw_texture_found;

// Accesses that sinks which add up have not heard of yet.
enum { HW_LONE_KEPT = 16 };
typedef struct hw_lone_list {
    uint32_t n;
    hw_lone_access list[HW_LONE_KEPT];
} hw_lone_list;

enum { HW_TOUCHES_KEPT = 8, HW_NOWHERE_BYTES = 64 /* no lane accesses more at once */ };

struct hw_worker {
    _Alignas(64) hw_run *run;     // workers write their own cache lines
    uint32_t index;
    hw_pattern *patterns;         // by hw_inst.pattern
    uint32_t *used_patterns;      // numbers of the patterns used in this launch
    uint32_t n_used, n_patterns;
    hw_block_count *counts;       // by basic block
    uint32_t n_counts;
    uint64_t *guarded_off;        // by note
    uint32_t n_notes;
    uint64_t epoch;               // of mem, when the patterns' limits were found
    hw_texture_found texture;     // the last
    hw_touched touched[HW_TOUCHES_KEPT];   // what sinks have heard of allocations
    _Alignas(64) char nowhere[HW_WARP_LANES][HW_NOWHERE_BYTES];   // where lanes access that stray
    hw_lone_list lone;
    bool told_outside;            // sinks have heard of something that is outside of memory
    uint64_t serial;              // the last of a pattern's name
    hw_pattern_names *names;      // by hw_note.access
    uint32_t names_capacity;
    uint64_t launches;            // so far
    uint64_t sequence;            // events of this launch that were told at once
    uint64_t n_copies;            // asynchronous ones of this launch
    bool ordered;                 // there is a sink that wants each access at once
    bool is_counted;              // there is one that adds accesses up
    hw_sums *sums;                // that this launch keeps; NULL: none
    hw_sums *made_sums;           // the same table, for launches to come
    hw_block **blocks;            // resident slots; the first is the one in normal use
    uint32_t n_blocks, max_blocks;
    hw_watch watch;
    unsigned answered, told_where;   // of run->monitor: asked, where
    uint64_t n_ended;             // blocks
    hw_issued issued;             // by them
    hw_cycles settled;            // of launches that read a clock: what the counts were when warps were given theirs
    hw_state *timed;              // whose turn it is since then, n_timed warps together
    uint32_t n_timed;
    uint64_t told[HW_DIDS];       // of this launch
    uint64_t taken, taken_end;    // blocks of the grid that are this worker's and have not begun
    uint32_t idle_turns;          // of blocks, in a row
    uint64_t random;              // of a launch with a seed; 0: it has none (schedule/seeded.h)
};

// Where one program's invariant values lie.
typedef struct hw_areas {
    char *launch;
    uint32_t block_offset, warp_offset;
    bool is_reachable;
} hw_areas;

// One launch.
struct hw_run {
    const hw_launch *launch;
    hw_monitor *monitor;          // never NULL
    const hw_observers *observers;   // never NULL
    hw_launch_info info;          // for them
    uint32_t events;              // that any of them wants
    const hw_program *entry;
    const hw_program_set *set;
    hw_areas *areas;              // by program
    const hw_program **block_lists;   // reachable programs with something to compute for each block
    uint32_t n_block_lists;
    char *launch_memory;
    uint32_t block_area_bytes, warp_area_bytes;
    uint32_t shared_bytes, threads_per_block, n_warps;
    uint32_t kernels_shared_bytes; // without the bytes that the system reserves
    const hw_mem_apart *apart;    // of the launch's memory
    int poison;                   // of the launch's memory: -1, or what fresh memory holds
    uint32_t local_bytes;         // per thread
    uint64_t n_blocks;
    uint32_t cluster[3];          // blocks of a cluster along each axis, at least 1
    uint32_t cluster_blocks;      // in all
    uint8_t *params;              // copy of the parameters
    uint64_t param_address;       // the same in device memory, when the kernel takes its address
    const hw_cycles *cycles;      // hw_exec_gpu.cycles; NULL: nothing reads a clock
    double *places;               // when the last block ended in each
    uint32_t n_places;            // for blocks that are resident at one time
    uint64_t blocks_at_once;      // that a worker takes from the grid
    _Alignas(64) atomic_uint_fast64_t next_block;    // alone in its cache line: all workers write it
    _Alignas(64) atomic_uint_fast64_t issued;  // PTX instructions of all blocks, where there is a limit
    atomic_bool stopped;          // a fault: everybody leaves
    atomic_bool has_noticed;
    pthread_mutex_t *print_lock;
    hw_fault *fault;
    hw_status status;
    hw_pool *pool;
    hw_worker *workers;
    uint32_t n_workers;           // that there may be
    uint32_t n_begun;             // of them, from the first one on; that one alone reads and changes it
    uint32_t n_patterns, n_counts, n_notes;   // of the set, when the launch began
    bool may_wait;                // blocks may wait for others
    uint64_t join_ns;             // when the others come, if blocks are left
    atomic_uint_fast64_t busy_ns; // of all workers
    hw_homes homes;               // where a sink wants to hear of accesses that stray, or sums may be kept
    hw_arena *homes_arena;
    bool keeps_sums;
    struct hw_defined *defined;   // bytes of device memory that are; NULL: nobody asks for undefined values
    struct hw_undefined_states *states;
    uint32_t *origins;            // by note, and behind them of registers: numbers of undefined values; 0: none yet
};

_Static_assert(sizeof(hw_state) == HW_WARP_BYTES, "convoys find the next warp by this");
static inline hw_state *hw_state_of(hw_warp *w) { return (hw_state *)w; }

// flow.c
void hw_flow_start(hw_state *s, const hw_program *entry, uint32_t lanes);
bool hw_flow_pick(hw_state *s);                 // makes a ready path the running one; false: there is none
bool hw_flow_has_ready(const hw_state *s);
bool hw_flow_release_waiting(hw_state *s);      // lets lanes that wait for reconvergence go on alone
// The warp, all lanes on and in no split, is to stop with HW_STOP_MET when all lanes have come to that instruction.
// False: out of memory.
bool hw_flow_expect(hw_state *s, const hw_inst *meeting);
void hw_flow_suspend(hw_state *s, const hw_inst *pc, hw_path_state state);
void hw_flow_use_frame(hw_state *s, hw_frame *frame);
const hw_inst *hw_flow_insts(const hw_state *s, const hw_program *program);    // that the launch executes
void hw_flow_free(hw_state *s);
bool hw_flow_enter(hw_state *s, const hw_inst *return_to);
const hw_inst *hw_flow_spend(hw_state *s, const hw_inst *next);   // next, or NULL when the warp's turn is over
bool hw_flow_is_exit(const hw_inst *in);         // do lanes that execute it in an entry exit?
void hw_flow_merge(hw_state *s);                // makes ready paths at the same place one path
// The running path has stopped inside of branches and loops that it has entered, from the outside in: its turn is over
// at `at`. False: out of memory, a fault.
struct hw_region_open;
bool hw_flow_stop_inside(hw_state *s, const struct hw_region_open *open, uint32_t n, const hw_inst *at);
void hw_flow_account(hw_state *s, const hw_inst *in);
const hw_inst *hw_flow_go(hw_state *s, const hw_inst *in, const hw_inst *next);
const hw_inst *hw_flow_next_path(hw_state *s);
const hw_inst *hw_flow_exit(hw_state *s, const hw_inst *in);
extern const hw_body_forms hw_flow_bodies[];

// call.c
extern const hw_body_forms hw_call_bodies[];
bool hw_call_is_ret(const hw_inst *in);
uint32_t hw_call_local_params(const hw_frame *frame);   // where the call's parameters lie in local memory, if they do

// barrier.c
void hw_barrier_threads_left(hw_block *block);  // threads have exited: barriers may be complete
void hw_barrier_passed(hw_block *block, uint32_t number);    // all have come: tells sinks
void hw_barrier_tell_whole(hw_state *s, uint32_t n_warps, const hw_inst *in, uint32_t number);   // they arrive
// n_warps warps, s the first, come to `in`, bar.sync of the whole block, with all lanes; each of them stops there.
void hw_barrier_arrive_whole(hw_state *s, uint32_t n_warps, const hw_inst *in, uint32_t number);
void hw_sync_lanes_left(hw_state *s);           // lanes have exited: what others wait for may be complete
void hw_sync_tell(hw_state *s, const hw_inst *in, uint32_t members, uint32_t mask);    // to sinks that want it
const hw_inst *hw_sync_then(hw_warp *w, const hw_inst *in);   // gathers the member lanes, then runs in->then
extern const hw_body_forms hw_barrier_bodies[];

// frames.c
// Runs in->then of `in`, at which all paths of `together` wait, for all of them; they are in several calls.
void hw_frames_meet(hw_state *s, const hw_inst *in, uint32_t together);

// exec.c: everybody leaves, unless somebody has said so before.
void hw_run_stop(hw_run *run, hw_status status);
// By the first worker: those that have not begun do, if it is late and blocks are left.
void hw_run_join_others(hw_run *run);
static inline void hw_run_may_join(const hw_worker *worker) {
    if (!worker->index && worker->run->n_begun < worker->run->n_workers) hw_run_join_others(worker->run);
}

// watch.c
void hw_watch_begin(hw_worker *worker);
void hw_watch_end(hw_worker *worker);
void hw_watch_waiting(hw_worker *worker);       // the worker's block can only wait for others
// A number for where lanes are and what their registers hold.
uint64_t hw_watch_path(const hw_frame *frame, const hw_inst *pc, uint32_t mask);

// answer.c
void hw_answer_begin(hw_worker *worker);
static inline bool hw_is_asked(const hw_worker *worker) {
    return atomic_load_explicit(&worker->run->monitor->asked, memory_order_relaxed) != worker->answered;
}
bool hw_answer(hw_state *s);                    // the warp has ended its turn; false: the launch is to stop, and does

// special.c: to sinks that want it; of what is outside of memory a worker tells the first only.
void hw_fence_tell(hw_state *s, const hw_inst *in);
void hw_outside_tell(hw_state *s, uint32_t note, hw_outside_kind kind);
extern const hw_body_forms hw_special_bodies[];

// atomic.c
extern const hw_body_forms hw_atomic_bodies[];
// Does the instruction add integers of 32 bits to memory and do no more?
bool hw_atomic_is_sum(const hw_program *program, uint32_t index);

// A value of width bytes in memory as a register of reg_bytes (at least width), zero- or sign-extended.
static inline void hw_extend(void *to, uint32_t reg_bytes, const void *from, uint32_t width, bool is_signed) {
    uint64_t value = 0;
    if (width > 8) {    // b128: never widened
        __builtin_memcpy(to, from, 16);
        return;
    }
    __builtin_memcpy(&value, from, width);
    if (is_signed && width < 8) {
        uint32_t shift = 64 - 8 * width;
        value = (uint64_t)((int64_t)(value << shift) >> shift);
    }
    __builtin_memcpy(to, &value, reg_bytes);
}

// From a lane's word in local memory to a byte of its access, which is aligned.
static inline uint64_t hw_local_offset(uint64_t byte) { return (byte >> 2) * 128 + (byte & 3); }

// access.c
// Remembers the relative addresses of an access; what was remembered before is reported first. addresses: of the active
// lanes, bytes wide each.
void hw_access_learn(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t *addresses);
// Looks up the memory that a known pattern at base lies in, and reports the access to a sink that wants order. False
// when it is not one live, aligned piece of global or shared memory: the general way finds out why.
bool hw_access_check(hw_state *s, const hw_inst *in, hw_pattern *p, uint64_t base);
// Finds the memory that the addresses of all lanes lie in, for hw_lanes_at: lanes that are off have the address of one
// that is on. False when it is not one live piece, or an address is not aligned: the general way finds out why.
bool hw_access_find_room(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t addresses[32]);
// Counts the access for whose addresses there is room, and tells it to sinks that want order. is_known: it has the
// pattern p; else that is learned now.
void hw_access_count_in_room(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t addresses[32],
                             bool is_known);
// Counts and tells the access of a convoy that has been located: of each warp one that begins at p->at.
void hw_access_tell_convoy(hw_warp *w, hw_pattern *p);
// Tells an access that is not to be remembered to sinks that want order. pattern: has all but its name.
void hw_access_tell_once(hw_state *s, const hw_inst *in, hw_access_pattern *pattern, uint64_t base);
// Tells sinks that add up what has been added for them.
void hw_access_tell_lone(hw_worker *worker);
// Room for an access that is not to be remembered, for those sinks: the caller fills all but kind and serial.
static inline hw_lone_access *hw_access_add_lone(hw_worker *worker) {
    if (worker->lone.n == HW_LONE_KEPT) hw_access_tell_lone(worker);
    return &worker->lone.list[worker->lone.n++];
}
// The repeats of fixed addresses become hits, and are to be looked at again.
void hw_access_settle(hw_pattern *p);
// Reports what has been counted for a pattern, and returns how many accesses; fixed addresses are settled.
uint64_t hw_access_flush(hw_worker *worker, hw_pattern *p);
// A load or store in any space, any mixture of spaces, any width; reports faults.
const hw_inst *hw_access_general(hw_state *s, const hw_inst *in, bool is_write);
// Host addresses of `bytes` bytes for each active lane, counted as one access. Local memory is refused (false, after a
// fault), since its bytes do not lie together. Lanes that stray (hw_stray) get zeros that nobody reads again.
bool hw_access_pointers(hw_state *s, const hw_inst *in, bool is_write, void *pointers[32]);
static inline bool hw_access_is_nowhere(const hw_state *s, const void *pointer) {
    return (uintptr_t)pointer - (uintptr_t)s->worker->nowhere < sizeof s->worker->nowhere;
}
// Tells of one lane's access that cannot be made, and for whose result zeros stand (hw_stray); false: nobody wants to
// hear of that, and the launch has been stopped.
bool hw_access_stray(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane, hw_space space, uint64_t offset,
                     uint32_t bytes, bool is_write);
// Tells sinks what lanes have accessed otherwise than by an address of the instruction. Where HW_IS_TOLD says that
// LANE_ACCESS is wanted.
void hw_access_tell_lanes(hw_state *s, const hw_inst *in, bool is_write, const hw_lane_bytes *list, uint32_t n);
// Bytes at a generic address, for the lane's builtin functions, told to sinks that want it; false after a fault.
bool hw_access_read(hw_state *s, const hw_inst *in, int lane, uint64_t address, void *to, uint32_t bytes);
bool hw_access_write(hw_state *s, const hw_inst *in, int lane, uint64_t address, const void *from, uint32_t bytes);
// Where a lane's row of memory is, aligned to the instruction's width; NULL: it strays. False after a fault.
bool hw_access_find_row(hw_state *s, const hw_inst *in, int lane, hw_space space, uint64_t offset, uint32_t bytes,
                        bool is_write, char **at);
// The same of a string, cut to fit size bytes, which end with 0.
bool hw_access_read_string(hw_state *s, const hw_inst *in, int lane, uint64_t address, char *to, size_t size);

// Tells sinks that want it that an allocation is touched in these ways, unless they have been told lately.
void hw_access_tell_touched(hw_state *s, const hw_allocation *found, uint8_t ways);

// Forgets limits that allocations made since may have made wrong.
void hw_access_refresh(hw_worker *worker);
// Forgets all limits, so that the next accesses are looked up; and whether one since then was of memory that the host
// reads and writes without a call.
void hw_access_forget(hw_worker *worker);
bool hw_access_met_hosts_memory(const hw_worker *worker);

// Does a sink want events of this type? id: as in event.def.
#define HW_IS_TOLD(s, id) __builtin_expect((s)->events & HW_WANTS(id), 0)
// The place of the warp, and a number for the event that is about to be told.
hw_where hw_where_of(const hw_state *s);

// name.c
uint32_t hw_names_wanted(const hw_run *run);    // how many instructions have patterns that some sink may hear of
bool hw_names_prepare(hw_worker *worker);       // before a launch; false: out of memory
// What sinks know these relative addresses as. Where a sink wants accesses or copies only.
const hw_access_pattern *hw_name_addresses(hw_worker *worker, uint32_t note, uint8_t space, uint32_t mask,
                                           const int64_t delta[32]);
// The same, but NULL for what would take the place of another.
const hw_access_pattern *hw_name_of_few(hw_worker *worker, uint32_t note, uint8_t space, uint32_t mask,
                                        const int64_t delta[32]);
const hw_access_pattern *hw_pattern_name(hw_worker *worker, hw_pattern *p);
// Has the instruction used as many patterns in this launch as are told apart?
bool hw_names_are_full(const hw_worker *worker, uint32_t note);

// homes.c
// Where the launch's accesses have to stay, when a sink wants to hear of those that stray, or sums may be kept, and
// whether they are. HW_NO_MEMORY.
hw_status hw_homes_find(hw_run *run, hw_diag *diag);
void hw_homes_forget(hw_run *run);

// fault.c
const hw_inst *hw_fault_stop(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane);
// Of an instruction that wants a surface, or else a texture, by a handle that stands for none; is_known: it stands for
// an object of the other kind.
void hw_fault_object(hw_state *s, const hw_inst *in, int lane, uint64_t handle, bool wants_surface, bool is_known);
// Of a read through a texture object, or a surface's, that has no memory any more.
void hw_fault_texture(hw_state *s, const hw_inst *in, int lane, uint64_t handle, const hw_texture *texture);
// Of an access to a surface at a byte, a row and a slice that it does not have.
const hw_inst *hw_fault_surface(hw_state *s, const hw_inst *in, int lane, const int64_t at[3],
                                const hw_texture *surface);
const hw_inst *hw_fault_access(hw_state *s, const hw_inst *in, hw_fault_kind kind, int lane, hw_space space,
                               uint64_t address, uint32_t bytes, bool is_write);
void hw_fault_deadlock(hw_block *block);
void hw_fault_place(const hw_run *run, const hw_inst *in, const char **file, uint32_t *line);
void hw_fault_limit(hw_state *s);               // the launch has executed all the instructions that it may
void hw_fault_outside(hw_state *s);             // somebody else ends it
void hw_fault_waits_for_gpu(hw_state *s);       // it waits for a launch that waits for its end
// A launch that it waits for has ended like that.
void hw_fault_of_child(hw_state *s, hw_status status, const hw_fault *fault);

// async.c
extern const hw_body_forms hw_async_bodies[];
void hw_copies_forget(hw_state *s);             // a new block begins
void hw_copies_free(hw_state *s);
void hw_copies_land(hw_state *s, const hw_inst *in);    // ends the active lanes' copies that `in` waits for

// bulk.c
extern const hw_body_forms hw_bulk_bodies[];
void hw_bulk_forget(hw_block *block);           // a new block begins
void hw_bulk_finish(hw_block *block);           // ends what nobody has waited for, before the block does
void hw_bulk_free(hw_block *block);
void hw_bulk_land(hw_state *s, const char *at); // ends the copies that the mbarrier, at a host address, waits for

// mbarrier.c
void hw_mbarrier_complete(char *at, uint32_t bytes);
extern const hw_body_forms hw_mbarrier_bodies[];

// convoy.c
// The form of an instruction that has been bound, whose body is `id`. form: of its table, or NULL.
hw_body hw_convoy_body(const hw_inst *in, hw_body_id id, hw_body form);
// Makes an entry's convoy_insts. bodies: of each instruction. False: out of memory.
bool hw_convoy_bind(hw_program *program, const hw_body *bodies, hw_arena *arena);
// Runs the warps from `first` on that can go together. Returns the number of warps that ran, 0 when no other warp can
// go with `first`; the first warp's `stop` says how the convoy ended; LEFT: each warp is to go on alone now.
uint32_t hw_convoy_run(hw_block *block, uint32_t first, int32_t fuel);
// A convoy's body: each warp goes on alone, with this instruction.
const hw_inst *hw_convoy_leave(hw_warp *w, const hw_inst *in);

// bind.c
void hw_set_mask(hw_warp *w, uint32_t mask);    // sets the active lanes
// Where each active lane's access lies on the host, counted as one access, and told. HW_SPACE_GENERIC, and nothing is
// counted, when the lanes lie in several pieces of memory or one must not be there: the general way is left to do it
// all. The space says how a lane's bytes lie: of LOCAL word by word, 128 bytes apart (hw_local_offset). Lanes that are
// off get an address that may be read.
hw_space hw_lanes_at(hw_state *s, const hw_inst *in, uint64_t at[32]);

// cluster.c
// The block that has the byte, and where in its shared memory; NULL: there is no such block, or it has ended.
const hw_block *hw_cluster_home(const hw_block *block, uint64_t offset, uint64_t *own);
// The same as an offset in `block`'s window: of memory of `home`, which is a block of the cluster.
uint64_t hw_cluster_offset(const hw_block *block, const char *at);
// Have all threads of the cluster's blocks come to its barrier?
bool hw_cluster_is_complete(const hw_block *block);
// Nothing of the block can go on: is there another one of its cluster that it may wait for?
bool hw_cluster_waits(hw_block *block);
// The member with that rank of cluster number k: its linear index in the grid.
uint64_t hw_cluster_member(const hw_run *run, uint64_t k, uint32_t rank);

// block.c
// Runs one turn of a warp: until it has exited, waits, or has used up its fuel.
void hw_block_run_warp(hw_state *s);
hw_status hw_block_create(hw_worker *worker, hw_block *block);
void hw_block_destroy(hw_block *block);
void hw_worker_main(hw_worker *worker);

#endif
