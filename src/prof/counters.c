// The names and definitions of the counters, from counters.def.
#include "prof/prof.h"

#include "model/partition.h"

const hw_counter_row hw_counter_rows[HW_COUNTERS] = {
#define HW_COUNTER(id, name_, unit, since_, until_, definition_)                                                     \
    [HW_COUNT_##id] = {.name = #name_, .since = since_, .until = until_, .definition = definition_},
#include "prof/counters.def"
#undef HW_COUNTER
};

bool hw_counter_is_column(hw_counter counter, const hw_gpu *gpu) {
    const hw_counter_row *row = &hw_counter_rows[counter];
    return gpu->arch->cc >= row->since && gpu->arch->cc <= row->until;
}

bool hw_counts_partitions(const hw_gpu *gpu) { return hw_partition_count(gpu) != 0; }
