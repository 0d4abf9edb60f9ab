// What a check finds, as plain data: a kind, and one or two places in the source, with what each of them does.
#ifndef HW_CHECK_FINDING_H
#define HW_CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hw_check_kind {
#define KIND(id, name, rule) HW_CHECK_##id,
#include "check/kinds.def"
#undef KIND
    HW_CHECK_KINDS
} hw_check_kind;

// What one side of a finding does.
typedef enum hw_check_act {
#define ACT(id, word) HW_CHECK_##id,
#include "check/acts.def"
#undef ACT
} hw_check_act;

// The order that is missing between two accesses: of the threads that would have to be put in order. Of a deadlock: who
// waits, lanes of a warp or threads of a block.
typedef enum hw_check_missing {
    HW_CHECK_MISSING_NONE,
    HW_CHECK_MISSING_WARP,           // lanes of one warp: __syncwarp()
    HW_CHECK_MISSING_BLOCK,          // warps of one block: __syncthreads()
    HW_CHECK_MISSING_GRID,           // blocks of one launch
    HW_CHECK_MISSING_STREAMS,        // work in two streams
    HW_CHECK_MISSING_WAIT,           // for an asynchronous copy
    HW_CHECK_MISSING_ROW,            // the same, for a copy of a row
    HW_CHECK_MISSING_PROXY,          // a fence for copies of rows, which go another way to memory
    HW_CHECK_MISSING_HOST,           // the host program has not waited for work of the GPU
    HW_CHECK_MISSING_LAUNCH,         // a kernel and one that it, or one that it has launched, has launched
    HW_CHECK_MISSING_CHILD,          // the same two, where the launched one came first: nobody has waited for it
    HW_CHECK_MISSING_SIBLINGS,       // other launches within one kernel, or that have come of it
} hw_check_missing;

typedef enum hw_check_leak {
#define LEAK(id, what, remedy) HW_CHECK_LEAK_##id,
#include "check/leaks.def"
#undef LEAK
    HW_CHECK_LEAKS
} hw_check_leak;

// What a call of the host program was about.
typedef struct hw_check_subject {
    uint8_t reason;                  // hw_host_reason (event/host.h); of ARITHMETIC hw_arithmetic_kind
    uint8_t object;                  // hw_host_object_kind; of HANDLE, and of FREE where the reason is about objects
    hw_check_leak leak;              // of LEAK
    const char *kernel;              // LAUNCH: mangled
    const char *why;                 // LAUNCH: a sentence; ERROR: the error's name; else NULL
    uint64_t begin, bytes;           // of the allocation; bytes 0: none is known
    uint8_t memory;                  // what it is of, hw_alloc_kind
    const void *made_at;             // as hw_check_side.site
    const char *variable;            // mangled, or NULL
} hw_check_subject;

// Where the function of a source line was inlined.
typedef struct hw_check_inlining {
    const char *file, *function;     // function: in which the place stands, mangled; NULL: not known
    uint32_t line;
    const struct hw_check_inlining *outer;    // where that function was; NULL: it stands for itself
} hw_check_inlining;

// One of the two: a thread of a kernel, or a call of the host program. Texts are the finding's owner's.
typedef struct hw_check_side {
    hw_check_act act;
    uint32_t bytes;                  // that each thread accesses; of the host's calls 0
    const char *kernel;              // mangled; NULL: a call of the host program
    uint64_t launch, stream;         // number of the launch on its GPU; both as in hw_launch_info
    const char *file;                // source, or "" where the line is not known
    uint32_t line, ptx_line;
    const hw_check_inlining *inlined;    // NULL: the line's function is not, as far as is known
    uint32_t block[3], thread[3];
    bool is_many;                    // thread is the first of several of its warp that access the same bytes
    const void *site;                // of the host's call: a code address, or NULL
} hw_check_side;

// What an access should have stayed in, or lies in.
typedef struct hw_check_object {
    bool is_known;
    bool is_out_of_reach;            // another GPU's memory, which this one has not been let reach: no peer access
    bool is_nearest;                 // nobody knows where the pointer came from: the object that lies nearest
    uint64_t address, bytes;         // SHARED: offset in the block's shared memory
    const char *name;                // of a variable, mangled; NULL: an allocation, or all of shared memory
    const char *part;                // of it, as in the source: "b", "pairs[].first"; NULL: it is no part
    const void *site;                // of the host's call that allocated it: a code address, or NULL
} hw_check_object;

typedef struct hw_check_finding {
    uint32_t number;                 // from 0 on, in the order in which they were found
    hw_check_kind kind;
    hw_check_missing missing;        // of several the widest: those of threads are in order
    uint32_t lacks;                  // RACE: all that these two places were found to lack, 1 << missing each
    uint8_t space;                   // hw_space
    uint64_t address;                // the first byte that was found, BOUNDS: that is outside of the object; SHARED:
                                     // offset in the block's shared memory
    uint64_t bytes;                  // LEAK: of all that was allocated there
    hw_check_object object;          // of BOUNDS, FREED and MISALIGNED
    hw_check_object there;           // of BOUNDS: what the access is in instead, where that is known
    uint32_t n_sides;
    hw_check_side sides[2];          // in the order in which they were executed; FREED: first who freed it
    uint64_t count;                  // of accesses of these two places that lacked the order; of one place, by threads
    hw_check_subject subject;        // FREE, COPY, HANDLE, LAUNCH, ERROR, LEAK
} hw_check_finding;

// "race", "barrier": as reports and options name a kind.
const char *hw_check_kind_name(hw_check_kind kind);
// Something to know, and no hazard of the program on this GPU: such findings leave the exit status as it is.
static inline bool hw_check_is_note(hw_check_kind kind) { return kind == HW_CHECK_STEP; }
// What the kind is about, in one sentence.
const char *hw_check_kind_rule(hw_check_kind kind);
// HW_CHECK_KINDS: there is none of that name.
hw_check_kind hw_check_find_kind(const char *name);
// "race, barrier, leak", cut where out ends. Returns out.
const char *hw_check_kind_names(char *out, size_t bytes);

#endif
