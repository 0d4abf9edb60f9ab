// What GPUs before 7.0 counted: coalesced half-warps, transactions by size, serialised warps; and how evenly blocks
// that run at a time spread over the memory's partitions.
#include <string.h>

#include "base/alloc.h"
#include "model/partition.h"
#include "model/transactions.h"
#include "prof/internal.h"

// ---- Accesses -------------------------------------------------------------------------------------------------------

static void count_transactions(const hw_prof *prof, hw_prof_memo *memo, const hw_access *a, uint64_t base) {
    const hw_transactions t = hw_transactions_count(prof->gpu->arch, (hw_note_kind)memo->kind, !memo->skips_l1,
                                                    a->pattern->mask, base, a->pattern->delta, memo->width);
    memo->era[HW_PROF_COALESCED] += t.coalesced * a->repeat;
    memo->era[HW_PROF_UNCOALESCED] += t.uncoalesced * a->repeat;
    memo->era[HW_PROF_32B] += t.of_32 * a->repeat;
    memo->era[HW_PROF_64B] += t.of_64 * a->repeat;
    memo->era[HW_PROF_128B] += t.of_128 * a->repeat;
    memo->era[HW_PROF_LONE] += t.lone_32 * a->repeat;
}

static void count_partitions(hw_prof *prof, const hw_prof_memo *memo, const hw_access *a, uint64_t base) {
    hw_prof_camp *camp = &prof->camp;
    hw_transaction list[HW_TRANSACTIONS];
    const uint32_t *at = a->where.block;
    const uint64_t row = at[1] + (uint64_t)camp->grid[1] * at[2], block = at[0] + camp->grid[0] * row;
    _Atomic uint64_t *wave = camp->bytes[memo->kind == HW_NOTE_STORE] + block / camp->blocks_at_once * camp->partitions;
    const uint32_t n = hw_transactions_list(prof->gpu->arch, a->pattern->mask, base, a->pattern->delta, memo->width,
                                            list);
    for (uint32_t i = 0; i < n; i++)
        atomic_fetch_add_explicit(&wave[hw_partition_of(camp->partitions, list[i].address)], list[i].bytes * a->repeat,
                                  memory_order_relaxed);
}

// Passes that half-warps without conflicts take, 4 bytes a lane in each.
static uint32_t least_passes(const hw_prof_memo *memo, uint32_t mask, hw_prof_space space) {
    uint32_t halves = !!(mask & 0xffff) + !!(mask >> 16);
    return space == HW_PROF_SHARED && memo->width > 4 ? halves * ((memo->width + 3u) / 4) : halves;
}

void hw_prof_count_era(hw_prof *prof, hw_prof_memo *memo, const hw_access *a, hw_prof_space space, uint32_t passes) {
    if (space == HW_PROF_SHARED || space == HW_PROF_CONST) {
        if (passes > least_passes(memo, a->pattern->mask, space)) memo->era[HW_PROF_SERIALIZED] += a->repeat;
        return;
    }
    if (space != HW_PROF_GLOBAL) return;
    const uint64_t base = memo->is_merged ? a->base & ~(uint64_t)(memo->width - 1) : a->base;
    count_transactions(prof, memo, a, base);
    if (prof->camp.partitions) count_partitions(prof, memo, a, base);
}

// ---- Partitions -----------------------------------------------------------------------------------------------------

static bool make_waves(hw_prof_camp *camp) {
    enum { MOST = 1 << 24 };
    const uint64_t count = camp->waves * camp->partitions;
    if (count > MOST) return false;
    for (int i = 0; i < 2; i++) {
        if (count > camp->capacity[i]) {
            hw_free((void *)camp->bytes[i]);
            camp->bytes[i] = hw_calloc(count, sizeof *camp->bytes[i]);
            camp->capacity[i] = camp->bytes[i] ? count : 0;
            if (!camp->bytes[i]) return false;
        }
        memset((void *)camp->bytes[i], 0, count * sizeof *camp->bytes[i]);
    }
    return true;
}

void hw_prof_begin_camp(hw_prof *prof, const hw_launch_info *info, uint32_t blocks_per_multiprocessor) {
    hw_prof_camp *camp = &prof->camp;
    const uint64_t blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    camp->partitions = hw_partition_count(prof->gpu);
    camp->blocks_at_once = (uint64_t)(blocks_per_multiprocessor ? blocks_per_multiprocessor : 1) * prof->gpu->sms;
    camp->waves = (blocks + camp->blocks_at_once - 1) / camp->blocks_at_once;
    memcpy(camp->grid, info->grid, sizeof camp->grid);
    if (camp->partitions && !make_waves(camp)) camp->partitions = 0;
}

// Waves take as long as their busiest partition.
double hw_prof_camp_pct(const hw_prof *prof, bool stores) {
    const hw_prof_camp *camp = &prof->camp;
    double total = 0, time = 0;
    if (!camp->partitions) return 0;
    for (uint64_t wave = 0; wave < camp->waves; wave++) {
        uint64_t load[HW_PARTITIONS], bytes = 0;
        for (uint32_t i = 0; i < camp->partitions; i++)
            bytes += load[i] = camp->bytes[stores][wave * camp->partitions + i];
        total += (double)bytes;
        time += (double)bytes / hw_partition_balance(load, camp->partitions);
    }
    return time > 0 ? 100 * total / time : 100;
}

// ---- Counters by other names ----------------------------------------------------------------------------------------

void hw_prof_finish_era(const hw_prof *prof, const hw_launch_info *info, uint64_t *counts) {
    static const uint8_t names[][2] = {
        {HW_COUNT_GLD_REQUEST, HW_COUNT_GLD_REQUESTS}, {HW_COUNT_GST_REQUEST, HW_COUNT_GST_REQUESTS},
        {HW_COUNT_LOCAL_LOAD, HW_COUNT_LLD_REQUESTS}, {HW_COUNT_LOCAL_STORE, HW_COUNT_LST_REQUESTS},
        {HW_COUNT_BRANCH, HW_COUNT_BRANCHES}, {HW_COUNT_DIVERGENT_BRANCH, HW_COUNT_BRANCHES_DIVERGENT},
        {HW_COUNT_INSTRUCTIONS, HW_COUNT_INST}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) counts[names[i][0]] = counts[names[i][1]];
    counts[HW_COUNT_GLD_TRANSACTIONS] = counts[HW_COUNT_GLD_32B] + counts[HW_COUNT_GLD_64B] + counts[HW_COUNT_GLD_128B];
    counts[HW_COUNT_GST_TRANSACTIONS] = counts[HW_COUNT_GST_32B] + counts[HW_COUNT_GST_64B] + counts[HW_COUNT_GST_128B];
    counts[HW_COUNT_GLD_BYTES] =
        32 * counts[HW_COUNT_GLD_32B] + 64 * counts[HW_COUNT_GLD_64B] + 128 * counts[HW_COUNT_GLD_128B];
    counts[HW_COUNT_GST_BYTES] =
        32 * counts[HW_COUNT_GST_32B] + 64 * counts[HW_COUNT_GST_64B] + 128 * counts[HW_COUNT_GST_128B];
    if (!info) return;
    counts[HW_COUNT_CTA_LAUNCHED] = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    counts[HW_COUNT_SM_CTA_LAUNCHED] = (counts[HW_COUNT_CTA_LAUNCHED] + prof->gpu->sms - 1) / prof->gpu->sms;
}
