// What the occupancy calculator says of a launch: what is held, what limits it, and which block sizes do better.
#include "occupancy/occupancy.h"

#include <string.h>

#include "report/text.h"

hw_occupancy hw_occupancy_ask(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t block) {
    const hw_arch *arch = list->gpu->arch;
    hw_occupancy o = hw_model_occupancy(arch, block, row->regs, row->smem_static + row->smem_dynamic);
    if (row->most_threads && block > row->most_threads) o = (hw_occupancy){.limit_blocks = arch->blocks_per_sm};
    // What is not used does not limit: profile's reports say it the same way.
    if (o.limit_regs == HW_OCCUPANCY_UNLIMITED) o.limit_regs = o.limit_blocks;
    if (o.limit_smem == HW_OCCUPANCY_UNLIMITED) o.limit_smem = o.limit_blocks;
    return o;
}

// The axis along which a block of that shape is too long; -1: none.
static int long_axis(const hw_arch *arch, const hw_occupancy_row *row) {
    for (int axis = 0; axis < 3; axis++)
        if (row->shape[axis] > arch->max_block[axis]) return axis;
    return -1;
}

// Registers or memory that are not used, and so are no limiter though they stand at the number of blocks.
static unsigned limiters_of(const hw_occupancy_row *row) {
    unsigned limiters = hw_model_occupancy_limiters(&row->held);
    if (!row->regs) limiters &= ~(unsigned)HW_LIMITED_BY_REGS;
    if (!row->smem_static && !row->smem_dynamic) limiters &= ~(unsigned)HW_LIMITED_BY_SMEM;
    return limiters;
}

static void name_limiters(hw_occupancy_row *row) {
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {{HW_LIMITED_BY_WARPS, "warps"}, {HW_LIMITED_BY_BLOCKS, "blocks"}, {HW_LIMITED_BY_REGS, "regs"},
                 {HW_LIMITED_BY_SMEM, "smem"}};
    row->limiter[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t used = strlen(row->limiter);
        if (!(row->limiters & names[i].bit)) continue;
        snprintf(row->limiter + used, sizeof row->limiter - used, "%s%s", used ? "+" : "", names[i].name);
    }
}

void hw_occupancy_hold(const hw_occupancy_list *list, hw_occupancy_row *row) {
    const hw_arch *arch = list->gpu->arch;
    row->held = hw_occupancy_ask(list, row, row->block);
    if (long_axis(arch, row) >= 0) row->held = (hw_occupancy){.limit_blocks = arch->blocks_per_sm};
    row->limiters = limiters_of(row);
    name_limiters(row);
}

const char *hw_occupancy_name(const hw_occupancy_row *row, char text[HW_OCCUPANCY_NAME]) {
    enum { WIDTH = 40 };
    char name[2048];
    return hw_report_shorten(hw_report_short_name(row->kernel, name, sizeof name), WIDTH, false, text,
                             HW_OCCUPANCY_NAME);
}

bool hw_occupancy_lacks_smem(const hw_occupancy_list *list, const hw_occupancy_row *row) {
    return row->wants_smem && !list->has_smem;
}

bool hw_occupancy_refusal(const hw_occupancy_list *list, const hw_occupancy_row *row, char *text, size_t text_bytes) {
    const hw_arch *arch = list->gpu->arch;
    uint32_t most = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
    int axis = long_axis(arch, row);
    if (row->held.blocks) return false;
    if (row->block > arch->max_threads_per_block)
        snprintf(text, text_bytes, "%u threads are more than the %u that a block can have", row->block,
                 arch->max_threads_per_block);
    else if (row->most_threads && row->block > row->most_threads)
        snprintf(text, text_bytes, "%u threads are more than the %u that it was compiled for", row->block,
                 row->most_threads);
    else if (axis >= 0)
        snprintf(text, text_bytes, "block dimension %c is %u, not 1 to %u", "xyz"[axis], row->shape[axis],
                 arch->max_block[axis]);
    else if (row->regs > arch->max_regs_per_thread)
        snprintf(text, text_bytes, "%u registers are more than the %u that a thread can have", row->regs,
                 arch->max_regs_per_thread);
    else if (row->smem_static + row->smem_dynamic > most)
        snprintf(text, text_bytes, "%u bytes of shared memory are more than the %u that a block can have%s",
                 row->smem_static + row->smem_dynamic, most,
                 row->kernel && hw_model_launch_smem_bytes(arch, 0) ? "; its arguments are among them" : "");
    else
        snprintf(text, text_bytes, "%u threads of %u registers need more than the %u registers that a block can have",
                 row->block, row->regs, arch->regs_per_block);
    return true;
}

uint32_t hw_occupancy_next_block(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t warps,
                                 uint32_t after) {
    for (uint32_t block = after / 32 * 32 + 32; block <= list->gpu->arch->max_threads_per_block; block += 32)
        if (hw_occupancy_ask(list, row, block).warps == warps) return block;
    return 0;
}

uint32_t hw_occupancy_next_better(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t below) {
    uint32_t best = 0;
    for (uint32_t block = 32; block <= list->gpu->arch->max_threads_per_block; block += 32) {
        uint32_t warps = hw_occupancy_ask(list, row, block).warps;
        if (warps < below && warps > row->held.warps && warps > best) best = warps;
    }
    return best;
}
