// Segments: instructions in a row that compiled code executes in the interpreter's stead.
//
// A segment lies inside a basic block, works on registers of its lanes, may load, and may store once. Its code gets
// host addresses that the interpreter has looked up, checked and counted as for the instructions alone, so that it has
// no part in faults, bounds or counters. Where an access is not as the code expects, the interpreter executes the
// segment's instructions one by one. Both give the same bits and the same counts.
#ifndef HW_EXEC_SEGMENT_H
#define HW_EXEC_SEGMENT_H

#include <stdatomic.h>

#include "base/status.h"
#include "lower/program.h"

// The host addresses of a group of accesses: of each warp the address of lane 0's element; and how far behind it lane
// 16's is. Those of the group's other accesses are constant distances away.
typedef struct hw_segment_at {
    char *const *at;
    int64_t apart;
} hw_segment_at;

// Executes a segment for n warps, HW_WARP_BYTES apart (exec/ops/lanes.h); at: by group. All lanes of the warps are on,
// or, of the second form of the code, those of their masks: it touches no memory of others.
typedef void (*hw_segment_code)(char *first_warp, uint32_t n_warps, const hw_segment_at *at);

// How an instruction's lanes lay when it was executed last.
typedef enum hw_seen_shape {
    HW_SEEN_NEVER,
    HW_SEEN_UNIT,        // side by side, in each half warp
    HW_SEEN_SAME,        // one address in each half warp
    HW_SEEN_OTHER,
} hw_seen_shape;

// Two of them in a byte (hw_program_set.seen): of accesses of all lanes, and of some; and a bit for addresses that have
// been found not to repeat (pattern.h, history).
#define HW_SEEN_ALL(byte) ((byte) & 7)
#define HW_SEEN_SOME(byte) ((byte) >> 4 & 7)
#define HW_SEEN_BOTH(all, some) ((uint8_t)((all) | (some) << 4))
enum { HW_SEEN_APART = 128 };

enum { HW_SEGMENT_ACCESSES = 48, HW_SEGMENT_GUARDS = 8 };

// What is added to an address: a register that is the same for all lanes of a block, or the product of two.
typedef struct hw_segment_term {
    hw_slot a, b;        // b: HW_NO_SLOT for a alone
} hw_segment_term;

enum { HW_SEGMENT_TERMS = 3 };

// An address as what the segment finds when it begins, so that it can be looked up before the segment computes it:
//     scale * extended(root + terms_32 + add_32) + terms_64 + add_64
// root: a register of 4 or 8 bytes a lane; scale is 1 and nothing is extended where it has 8, or is an address of 32
// bits itself. Sums of 32 bits wrap.
typedef struct hw_segment_address {
    hw_slot root;
    uint32_t root_version;   // 0: as it is at the begin; of code that makes its accesses itself: which value since then
    uint8_t root_bytes, n_terms_32, n_terms_64;
    bool is_extended, is_signed;
    int64_t scale, add_64;
    uint32_t add_32;
    hw_segment_term terms_32[HW_SEGMENT_TERMS], terms_64[HW_SEGMENT_TERMS];
} hw_segment_address;

// The lanes' distances are compared once for all accesses of one root: by the first of them, their leader. Accesses
// that are a distance apart that is known now are a group, whose code needs one address.
typedef struct hw_segment_access {
    uint16_t offset;     // of the instruction in the segment
    uint8_t shape;       // hw_seen_shape that the code is made for: UNIT or SAME
    uint8_t leader;      // number of an access, perhaps of this one
    uint8_t group;
    bool is_first;       // of its group
    bool is_fixed;       // the same for every block
    int64_t distance;    // in bytes, from the group's first
    hw_segment_address address;
} hw_segment_access;

// A guard inside: where its predicate's lanes are off, so many instructions count as not executed.
typedef struct hw_segment_guard {
    hw_slot predicate;
    bool is_negated;
    uint16_t count;
    uint32_t note;
} hw_segment_guard;

typedef struct hw_segment {
    uint32_t first, count;             // instructions of the program
    hw_segment_code all, some;         // all lanes on; some: NULL where accesses have not been seen to lie so
    bool has_some;                     // is to have code for some lanes
    uint32_t n_accesses, n_groups, n_guards;
    hw_segment_access accesses[HW_SEGMENT_ACCESSES];
    hw_segment_guard guards[HW_SEGMENT_GUARDS];
    // Set by hw_segment_attach: what executes the first instruction otherwise.
    hw_body body, convoy_body;
    // How often an access was not as expected, of all lanes and of some. Far too often: the segment is detached, or
    // does without its code for some.
    atomic_uint misses, misses_of_some;
} hw_segment;

// From now on the program's segment is executed by its code, also by launches that are running: one store changes a
// body, and either way of executing may be in use at a time. The segment must live as long as the program. Nothing
// happens where the program has no room for segments.
void hw_segment_attach(hw_program *program, hw_segment *segment);

// How the lanes of an access lay when it was last executed with new relative addresses, by all lanes, and by some, of
// those that were on. By hw_inst.pattern. While launches run the answer is of some moment, which is good enough to
// choose code by.
hw_seen_shape hw_segment_seen(const hw_program_set *set, uint32_t pattern);
hw_seen_shape hw_segment_seen_some(const hw_program_set *set, uint32_t pattern);

// Have its addresses been found not to repeat?
bool hw_segment_seen_apart(const hw_program_set *set, uint32_t pattern);

// The instruction-set level that programs are bound to, "avx512" for one; NULL: none runs here.
const char *hw_segment_level(void);

#endif
