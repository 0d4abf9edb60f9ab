// What GPUs before 7.0 counted: coalesced half-warps, transactions by size, serialised warps; and how evenly blocks
// that run at a time spread over the memory's partitions.
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "model/partition.h"
#include "model/transactions.h"
#include "prof/internal.h"

// ---- Accesses -------------------------------------------------------------------------------------------------------

static void count_transactions(const hw_prof *prof, hw_prof_accesses *accesses, const hw_access *a, uint64_t base) {
    const hw_transactions t = hw_transactions_count(prof->gpu->arch, (hw_note_kind)accesses->kind, !accesses->skips_l1,
                                                    a->pattern->mask, base, a->pattern->delta, accesses->width);
    accesses->generation[HW_PROF_COALESCED] += t.coalesced * a->repeat;
    accesses->generation[HW_PROF_UNCOALESCED] += t.uncoalesced * a->repeat;
    accesses->generation[HW_PROF_32B] += t.of_32 * a->repeat;
    accesses->generation[HW_PROF_64B] += t.of_64 * a->repeat;
    accesses->generation[HW_PROF_128B] += t.of_128 * a->repeat;
    accesses->generation[HW_PROF_LONE] += t.lone_32 * a->repeat;
}

static void count_partitions(hw_prof *prof, const hw_prof_accesses *accesses, const hw_access *a, uint64_t base) {
    hw_prof_partitions *partitions = &prof->partitions;
    hw_transaction list[HW_TRANSACTIONS];
    const uint32_t *at = a->where.block;
    const uint64_t row = at[1] + (uint64_t)partitions->grid[1] * at[2], block = at[0] + partitions->grid[0] * row;
    const bool is_store = accesses->kind == HW_NOTE_STORE;
    _Atomic uint64_t *wave = partitions->bytes[is_store] + block / partitions->blocks_at_once * partitions->count;
    const uint32_t n = hw_transactions_list(prof->gpu->arch, a->pattern->mask, base, a->pattern->delta, accesses->width,
                                            list);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t partition = hw_partition_of(partitions->count, list[i].address);
        atomic_fetch_add_explicit(&wave[partition], list[i].bytes * a->repeat, memory_order_relaxed);
        if (block < HW_SHOWN_BLOCKS)
            atomic_fetch_or_explicit(&partitions->touched[is_store][block], 1u << partition, memory_order_relaxed);
    }
}

// Passes that half-warps without conflicts take, 4 bytes a lane in each.
static uint32_t least_passes(const hw_prof_accesses *accesses, uint32_t mask, hw_prof_space space) {
    uint32_t halves = !!(mask & 0xffff) + !!(mask >> 16);
    return space == HW_PROF_SHARED && accesses->width > 4 ? halves * ((accesses->width + 3u) / 4) : halves;
}

void hw_prof_count_generation(hw_prof *prof, hw_prof_accesses *accesses, const hw_access *a, hw_prof_space space,
                              uint32_t passes) {
    if (space == HW_PROF_SHARED || space == HW_PROF_CONST) {
        if (passes > least_passes(accesses, a->pattern->mask, space))
            accesses->generation[HW_PROF_SERIALIZED] += a->repeat;
        return;
    }
    if (space != HW_PROF_GLOBAL) return;
    const uint64_t base = accesses->is_merged ? a->base & ~(uint64_t)(accesses->width - 1) : a->base;
    count_transactions(prof, accesses, a, base);
    if (prof->partitions.count) count_partitions(prof, accesses, a, base);
}

// ---- Partitions -----------------------------------------------------------------------------------------------------

static bool make_waves(hw_prof_partitions *partitions) {
    enum { MOST = 1 << 24 };
    const uint64_t count = partitions->waves * partitions->count;
    if (count > MOST) return false;
    for (int i = 0; i < 2; i++) {
        if (count > partitions->capacity[i]) {
            hw_free((void *)partitions->bytes[i]);
            partitions->bytes[i] = hw_calloc(count, sizeof *partitions->bytes[i]);
            partitions->capacity[i] = partitions->bytes[i] ? count : 0;
            if (!partitions->bytes[i]) return false;
        }
        memset((void *)partitions->bytes[i], 0, count * sizeof *partitions->bytes[i]);
    }
    return true;
}

void hw_prof_begin_partitions(hw_prof *prof, const hw_launch_info *info, uint32_t blocks_per_multiprocessor) {
    hw_prof_partitions *partitions = &prof->partitions;
    const uint64_t blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    partitions->count = hw_partition_count(prof->gpu);
    partitions->blocks_at_once = (uint64_t)(blocks_per_multiprocessor ? blocks_per_multiprocessor : 1) * prof->gpu->sms;
    partitions->waves = hw_divide_up(blocks, partitions->blocks_at_once);
    memcpy(partitions->grid, info->grid, sizeof partitions->grid);
    memset((void *)partitions->touched, 0, sizeof partitions->touched);
    if (partitions->count && !make_waves(partitions)) partitions->count = 0;
}

// Waves take as long as their busiest partition.
double hw_prof_partition_pct(const hw_prof *prof, bool stores) {
    const hw_prof_partitions *partitions = &prof->partitions;
    double total = 0, time = 0;
    if (!partitions->count) return 0;
    for (uint64_t wave = 0; wave < partitions->waves; wave++) {
        uint64_t load[HW_PARTITIONS], bytes = 0;
        for (uint32_t i = 0; i < partitions->count; i++)
            bytes += load[i] = partitions->bytes[stores][wave * partitions->count + i];
        total += (double)bytes;
        time += (double)bytes / hw_partition_balance(load, partitions->count);
    }
    return time > 0 ? 100 * total / time : 100;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

const hw_report_blocks *hw_prof_show_blocks(const hw_prof *prof, const hw_report_launch *launch) {
    const hw_prof_partitions *partitions = &prof->partitions;
    hw_report_blocks *blocks = partitions->count ? hw_arena_take(prof->arena, sizeof *blocks) : NULL;
    if (!blocks) return NULL;
    const uint64_t all = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    *blocks = (hw_report_blocks){.at_once = least(partitions->blocks_at_once, all), .partitions = partitions->count};
    blocks->n = (uint32_t)least(blocks->at_once, HW_SHOWN_BLOCKS);
    for (int is_store = 0; is_store < 2; is_store++) {
        for (uint32_t i = 0; i < blocks->n; i++) blocks->touched[is_store][i] = partitions->touched[is_store][i];
        for (uint32_t i = 0; i < partitions->count; i++) blocks->bytes[is_store][i] = partitions->bytes[is_store][i];
    }
    return blocks;
}

// ---- Counters by other names ----------------------------------------------------------------------------------------

void hw_prof_finish_generation(const hw_prof *prof, const hw_launch_info *info, uint64_t *counts) {
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
    counts[HW_COUNT_SM_CTA_LAUNCHED] = hw_divide_up(counts[HW_COUNT_CTA_LAUNCHED], prof->gpu->sms);
}
