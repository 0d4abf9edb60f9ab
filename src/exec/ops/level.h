// The instruction-set levels that the bodies of lanes are compiled for, and the best one that this processor runs.
// Private to exec.
#ifndef HW_EXEC_LEVEL_H
#define HW_EXEC_LEVEL_H

#include "base/processor.h"
#include "exec/warp/warp.h"
#include "isa/bodies.h"

typedef struct hw_level {
    const char *name;                         // "base", "avx2", "avx512"
    hw_simd_level needs;
    const hw_body_forms *const *tables;       // hw_ops_GROUP_LEVEL, by group minus HW_BODIES_OF_LANES
    hw_body_forms (*select)(const hw_inst *in, bool is_store);
    void (*set_mask)(hw_warp *w, uint32_t mask);                              // hw_set_mask
    hw_space (*lanes_at)(hw_state *s, const hw_inst *in, uint64_t at[32]);    // hw_lanes_at
    bool (*all_clean)(const hw_state *s, const hw_inst *in, uint32_t bytes, uint32_t n);    // hw_undefined_all_clean
    const hw_body_forms *segment;             // the body of an instruction at which a segment begins
} hw_level;

// The best of the levels that were built. NULL: none of them runs here, which a build for one machine alone
// (-DHW_LEVELS=native) meets on another.
const hw_level *hw_level_best(void);

// The levels that were built, ascending; NULL past the end. For tests, which try all that run here.
const hw_level *hw_level_at(size_t index);

static inline bool hw_level_runs_here(const hw_level *level) { return level->needs <= hw_processor_level(); }

// What programs are bound to: the best, unless a test chose another before it bound the first. NULL as of the best.
const hw_level *hw_level_used(void);
void hw_level_choose(const hw_level *level);

// The forms of a body whose group is one of lanes. Constant time.
static inline const hw_body_forms *hw_level_forms(const hw_level *level, hw_body_id id) {
    hw_body_group group = (hw_body_group)hw_body_info_of(id)->group;
    return &level->tables[group - HW_BODIES_OF_LANES][id - hw_body_first(group)];
}

// The names of the levels that were built, for messages: "avx2, avx512".
extern const char hw_level_names[];

#endif
