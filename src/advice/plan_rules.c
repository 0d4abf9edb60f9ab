#include "advice/plan_rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/integers.h"

enum { LANES = 32, LEAST_THREADS = 64, MOST_THREADS = 256, ROW = 16, LEAST_BLOCKS = 2, ROUNDS = 2, GOOD_SHARE = 90 };

static uint64_t block_threads(const hw_report_launch *launch) {
    return (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
}

static hw_plan_verdict __attribute__((format(printf, 2, 3))) verdict(bool is_kept, const char *format, ...) {
    hw_plan_verdict v = {.applies = true, .is_kept = is_kept};
    va_list args;
    va_start(args, format);
    vsnprintf(v.finding, sizeof v.finding, format, args);
    va_end(args);
    return v;
}

static hw_plan_verdict judge_whole_warps(const hw_gpu *gpu, const hw_report_launch *launch) {
    (void)gpu;
    const uint64_t threads = block_threads(launch), lanes = hw_align_up(threads, LANES);
    return verdict(threads == lanes, "%" PRIu64 " threads a block leave %" PRIu64 " of %" PRIu64 " lanes idle", threads,
                   lanes - threads, lanes);
}

static hw_plan_verdict judge_block_size(const hw_gpu *gpu, const hw_report_launch *launch) {
    (void)gpu;
    const uint64_t threads = block_threads(launch);
    return verdict(threads >= LEAST_THREADS && threads <= MOST_THREADS, "%" PRIu64 " threads a block", threads);
}

static hw_plan_verdict judge_block_width(const hw_gpu *gpu, const hw_report_launch *launch) {
    (void)gpu;
    return verdict(launch->block[0] % ROW == 0, "blockDim.x is %" PRIu32, launch->block[0]);
}

static hw_plan_verdict judge_active_warps(const hw_gpu *gpu, const hw_report_launch *launch) {
    const double needed = hw_model_hiding_warps(gpu);
    return verdict(launch->occupancy.warps >= needed,
                   "%" PRIu32 " warps at a time, where a result takes as long as %.0f need to issue",
                   launch->occupancy.warps, needed);
}

static hw_plan_verdict judge_active_blocks(const hw_gpu *gpu, const hw_report_launch *launch) {
    (void)gpu;
    const uint32_t blocks = launch->occupancy.blocks;
    return verdict(blocks >= LEAST_BLOCKS, "%" PRIu32 " block%s at a time", blocks, blocks == 1 ? "" : "s");
}

static hw_plan_verdict judge_grid(const hw_gpu *gpu, const hw_report_launch *launch) {
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint64_t held = (uint64_t)launch->occupancy.blocks * gpu->sms;
    return verdict(blocks >= ROUNDS * held, "%" PRIu64 " block%s for %" PRIu64 " places", blocks,
                   blocks == 1 ? "" : "s", held);
}

static hw_plan_verdict judge_partitions(const hw_gpu *gpu, const hw_report_launch *launch) {
    const double loads = launch->gld_partition_pct, stores = launch->gst_partition_pct;
    const double least = loads > 0 && (loads < stores || !(stores > 0)) ? loads : stores;
    if (!hw_counts_partitions(gpu) || !(least > 0)) return (hw_plan_verdict){.applies = false};
    return verdict(least >= GOOD_SHARE, "%.0f%% of their bandwidth is used", least);
}

typedef struct rule {
    const char *name;
    hw_plan_verdict (*judge)(const hw_gpu *gpu, const hw_report_launch *launch);
    const char *sentence;
} rule;

static const rule rules[HW_PLAN_RULES] = {
#define HW_PLAN_RULE(id, name, judge, sentence) [HW_PLAN_RULE_##id] = {name, judge, sentence},
#include "advice/plan_rules.def"
#undef HW_PLAN_RULE
};

const char *hw_plan_rule_name(hw_plan_rule id) { return rules[id].name; }
const char *hw_plan_rule_sentence(hw_plan_rule id) { return rules[id].sentence; }

void hw_plan_judge(const hw_gpu *gpu, const hw_report_launch *launch, hw_plan_verdict verdicts[HW_PLAN_RULES]) {
    for (int i = 0; i < HW_PLAN_RULES; i++) verdicts[i] = rules[i].judge(gpu, launch);
}
