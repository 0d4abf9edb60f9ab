// The instruction-set levels that the bodies of lanes are compiled for, and the best one that this processor runs.
// Private to exec.
#ifndef HW_EXEC_LEVEL_H
#define HW_EXEC_LEVEL_H

#include "exec/warp.h"

typedef struct hw_level {
    const char *name;                         // "base", "avx2", "avx512"
    bool (*runs_here)(void);
    const hw_body_row *const *tables;         // of bodies; ends with NULL
    hw_body_forms (*select)(const hw_inst *in, bool is_store);
    void (*leave)(void);                      // a worker has run its last body
} hw_level;

// The best of the levels that were built. NULL: none of them runs here, which a build for one machine alone
// (-DHW_LEVELS=native) meets on another.
const hw_level *hw_level_best(void);

// The names of the levels that were built, for messages: "avx2, avx512".
extern const char hw_level_names[];

#endif
