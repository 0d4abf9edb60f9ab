// What a check finds, as plain data: two accesses without an order between them, barriers that do not fit together.
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
    HW_CHECK_READS, HW_CHECK_WRITES, HW_CHECK_CHANGES /* an atomic */,
    HW_CHECK_COPIES /* asynchronously, into shared */, HW_CHECK_FREES, HW_CHECK_ARRIVES /* at a barrier */,
    HW_CHECK_ALLOCATES,
    // what an undefined value is used for
    HW_CHECK_ADDRESSES, HW_CHECK_DECIDES /* which way threads go */, HW_CHECK_PASSES /* to printf and the like */
} hw_check_act;

// The order that is missing between two accesses: of the threads that would have to be put in order.
typedef enum hw_check_missing {
    HW_CHECK_MISSING_NONE,
    HW_CHECK_MISSING_WARP,           // lanes of one warp: __syncwarp()
    HW_CHECK_MISSING_BLOCK,          // warps of one block: __syncthreads()
    HW_CHECK_MISSING_GRID,           // blocks of one launch
    HW_CHECK_MISSING_STREAMS,        // work in two streams
    HW_CHECK_MISSING_WAIT,           // for an asynchronous copy
} hw_check_missing;

// One of the two: a thread of a kernel, or a call of the host program. Texts are the finding's owner's.
typedef struct hw_check_side {
    hw_check_act act;
    uint32_t bytes;                  // that each thread accesses; of the host's calls 0
    const char *kernel;              // mangled; NULL: a call of the host program
    uint64_t launch, stream;         // number of the launch on its GPU; both as in hw_launch_info
    const char *file;                // source, or "" where the line is not known
    uint32_t line, ptx_line;
    uint32_t block[3], thread[3];
    bool is_many;                    // thread is the first of several of its warp that access the same bytes
    const void *site;                // of the host's call: a code address, or NULL
} hw_check_side;

typedef struct hw_check_finding {
    uint32_t number;                 // from 0 on, in the order in which they were found
    hw_check_kind kind;
    hw_check_missing missing;
    uint8_t space;                   // hw_space
    uint64_t address;                // the first byte that was found; SHARED: offset in the block's shared memory
    uint64_t bytes;                  // LEAK: of all that was allocated there
    uint32_t n_sides;
    hw_check_side sides[2];          // in the order in which they were executed
    uint64_t count;                  // of accesses of these two places that lacked the order
} hw_check_finding;

// "race", "barrier": as reports and options name a kind.
const char *hw_check_kind_name(hw_check_kind kind);
// What the kind is about, in one sentence.
const char *hw_check_kind_rule(hw_check_kind kind);
// HW_CHECK_KINDS: there is none of that name.
hw_check_kind hw_check_find_kind(const char *name);

#endif
