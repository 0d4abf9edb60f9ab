// The instruction-set levels that the bodies of lanes are compiled for, and the best one that this processor runs.
// Private to exec.
#ifndef HW_EXEC_LEVEL_H
#define HW_EXEC_LEVEL_H

#include "exec/warp/warp.h"

// Every table of bodies that exists once per level: hw_ops_NAME_LEVEL. Columns: TABLE(name, level)
#define HW_LEVEL_TABLES(TABLE, level)                                                                                  \
    TABLE(int, level) TABLE(wide, level) TABLE(bits, level) TABLE(logic, level) TABLE(compare, level)                  \
    TABLE(convert, level) TABLE(convert_float, level) TABLE(round, level) TABLE(shuffle, level) TABLE(move, level)     \
    TABLE(f32, level) TABLE(f64, level) TABLE(half, level) TABLE(approx, level) TABLE(rounded, level)                  \
    TABLE(fcompare, level) TABLE(video, level) TABLE(matrix, level) TABLE(mma, level)

// The place of each in hw_level.tables.
#define HW_LEVEL_TABLE_PLACE(name, level) HW_LEVEL_TABLE_##name,
enum { HW_LEVEL_TABLES(HW_LEVEL_TABLE_PLACE, ) HW_LEVEL_TABLE_COUNT };

typedef struct hw_level {
    const char *name;                         // "base", "avx2", "avx512"
    bool (*runs_here)(void);
    const hw_body_row *const *tables;         // of bodies, HW_LEVEL_TABLE_COUNT and NULL
    hw_body_forms (*select)(const hw_inst *in, bool is_store);
    void (*leave)(void);                      // a worker has run its last body
} hw_level;

// The best of the levels that were built. NULL: none of them runs here, which a build for one machine alone
// (-DHW_LEVELS=native) meets on another.
const hw_level *hw_level_best(void);

// The levels that were built, ascending; NULL past the end. For tests, which try all that run here.
const hw_level *hw_level_at(size_t index);

// The names of the levels that were built, for messages: "avx2, avx512".
extern const char hw_level_names[];

#endif
