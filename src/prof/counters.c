// The names and definitions of the counters, from counters.def.
#include "prof/prof.h"

const hw_counter_row hw_counter_rows[HW_COUNTERS] = {
#define HW_COUNTER(id, name_, is_column_, definition_)                                                               \
    [HW_COUNT_##id] = {.name = name_, .is_column = is_column_, .definition = definition_},
#include "prof/counters.def"
#undef HW_COUNTER
};
