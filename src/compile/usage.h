// What each decoded instruction does to the registers of a program, and which registers are still needed where.
// Internal to compile.
#ifndef HW_COMPILE_USAGE_H
#define HW_COMPILE_USAGE_H

#include "base/arena.h"
#include "lower/program.h"

enum { HW_USAGE_MOST = 16 };

enum { HW_USAGE_BYTES_UNKNOWN = 255 };

typedef struct hw_usage {
    hw_slot reads[HW_USAGE_MOST], writes[HW_USAGE_MOST];
    // How many bytes a lane has of each; 0: a predicate.
    uint8_t read_bytes[HW_USAGE_MOST], write_bytes[HW_USAGE_MOST];
    uint32_t n_reads, n_writes;
    bool is_known;       // false: it may read any register
} hw_usage;

void hw_usage_of(const hw_program *program, uint32_t index, hw_usage *usage);

static inline bool hw_body_is_access(hw_body_id id) { return id == HW_BODY_LD || id == HW_BODY_ST; }

// Does the register hold one value for all lanes of a block?
static inline bool hw_slot_is_uniform(hw_slot slot) {
    return (slot & 3) == HW_BASE_LAUNCH || (slot & 3) == HW_BASE_BLOCK;
}

// Where execution may go on after instruction `index`: at most `most` places are written, their number is returned.
uint32_t hw_usage_next(const hw_program *program, uint32_t index, uint32_t *next, uint32_t most);

// Which registers hold what some lane will still read, at the beginning of each basic block.
typedef struct hw_liveness hw_liveness;

// In the arena; NULL when memory ran out.
hw_liveness *hw_liveness_find(const hw_program *program, hw_arena *arena);
// Fills `is_live`, one byte for each 4 bytes of the frame, with what is live before instruction `index`.
void hw_liveness_before(const hw_liveness *live, uint32_t index, uint8_t *is_live);

#endif
