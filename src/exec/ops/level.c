// Which levels this build has: CMake defines HW_HAS_LEVEL_X for each of them (cmake/core.cmake, HW_LEVELS).
#include "exec/ops/level.h"

#define DECLARE_TABLE(group, level) extern const hw_body_forms hw_ops_##group##_##level[];
#define NAME_TABLE(group, level) hw_ops_##group##_##level,

// What the bodies' files define for a level.
#define DECLARE_LEVEL(level)                                                                                           \
    HW_BODY_GROUPS_OF_LANES(DECLARE_TABLE, level)                                                                      \
    hw_body_forms hw_memory_select_##level(const hw_inst *in, bool is_store);                                          \
    void hw_set_mask_##level(hw_warp *w, uint32_t mask);                                                               \
    hw_space hw_lanes_at_##level(hw_state *s, const hw_inst *in, uint64_t at[32]);                                     \
    bool hw_undefined_all_clean_##level(const hw_state *s, const hw_inst *in, uint32_t bytes, uint32_t n);             \
    extern const hw_body_forms hw_segment_bodies_##level;                                                              \
    static const hw_body_forms *const level##_tables[] = {HW_BODY_GROUPS_OF_LANES(NAME_TABLE, level)};
#define LEVEL_ROW(level, needs)                                                                                        \
    {#level, needs, level##_tables, hw_memory_select_##level, hw_set_mask_##level, hw_lanes_at_##level,                \
     hw_undefined_all_clean_##level, &hw_segment_bodies_##level}

#ifdef HW_HAS_LEVEL_base
DECLARE_LEVEL(base)
#endif
#ifdef HW_HAS_LEVEL_avx2
DECLARE_LEVEL(avx2)
#endif
#ifdef HW_HAS_LEVEL_avx512
DECLARE_LEVEL(avx512)
#endif

// Ascending: the last that runs here is the best.
static const hw_level levels[] = {
#ifdef HW_HAS_LEVEL_base
    LEVEL_ROW(base, HW_SIMD_BASE),
#endif
#ifdef HW_HAS_LEVEL_avx2
    LEVEL_ROW(avx2, HW_SIMD_AVX2),
#endif
#ifdef HW_HAS_LEVEL_avx512
    LEVEL_ROW(avx512, HW_SIMD_AVX512),
#endif
};

const char hw_level_names[] = HW_LEVEL_LIST;

const hw_level *hw_level_at(size_t index) {
    return index < sizeof levels / sizeof levels[0] ? &levels[index] : NULL;
}

const hw_level *hw_level_best(void) {
    const hw_level *best = NULL, *level;
    for (size_t i = 0; (level = hw_level_at(i)); i++)
        if (hw_level_runs_here(level)) best = level;
    return best;
}

static const hw_level *chosen;

void hw_level_choose(const hw_level *level) { chosen = level; }

const hw_level *hw_level_used(void) { return chosen ? chosen : hw_level_best(); }
