#include "model/machine.h"

#include <math.h>

// The turns of a loop over the blocks that do them, one entry at a time: code that does several turns at once comes
// first, as often as it can, and what is left is done turn by turn.
typedef struct turns {
    const hw_machine_function *function;
    uint32_t range;
    double entries, each;        // times that the loop is entered; turns of each
    double *times;
} turns;

static bool is_among(const turns *t, uint32_t i, uint32_t copies) {
    const hw_machine_block *b = &t->function->blocks[i];
    return b->share == HW_MACHINE_AMONG && b->range == t->range && b->copies == copies;
}

// The most copies below a limit, and how many blocks have as many; 0: there are none.
static uint32_t next_copies(const turns *t, uint32_t below, uint32_t *blocks) {
    uint32_t most = 0;
    *blocks = 0;
    for (uint32_t i = 0; i < t->function->n_blocks; i++) {
        const hw_machine_block *b = &t->function->blocks[i];
        if (b->share != HW_MACHINE_AMONG || b->range != t->range || b->copies >= below) continue;
        if (b->copies > most) most = b->copies, *blocks = 0;
        *blocks += b->copies == most;
    }
    return most;
}

static void share_out(turns *t) {
    enum { MORE_THAN_ANY = 0x10000 };
    uint32_t blocks, next_blocks, copies = next_copies(t, MORE_THAN_ANY, &blocks);
    const bool is_single = !next_copies(t, copies, &next_blocks);
    for (double left = t->each; copies; copies = next_copies(t, copies, &blocks)) {
        const double rounds = copies > 1 && !is_single ? floor(left / copies) : left / copies;
        for (uint32_t i = 0; i < t->function->n_blocks; i++)
            if (is_among(t, i, copies)) t->times[i] = t->entries * rounds / blocks;
        left -= rounds * copies;
    }
}

static double warps_of(const uint64_t *warps, uint32_t range) {
    return range == HW_MACHINE_NO_RANGE ? 0 : (double)warps[range];
}

// A loop is entered from the block before it, as far as that is executed at all.
static double entries_of(const hw_machine_block *b, const uint64_t *warps) {
    const double all = warps_of(warps, b->range), before = warps_of(warps, b->entry);
    return before > 0 && before < all ? before : all;
}

static void find_times(const hw_machine_function *f, const uint64_t *warps, const uint64_t *divergent, double *times) {
    for (uint32_t i = 0; i < f->n_blocks; i++) times[i] = -1;
    for (uint32_t i = 0; i < f->n_blocks; i++) {
        const hw_machine_block *b = &f->blocks[i];
        const double all = warps_of(warps, b->range), entries = entries_of(b, warps);
        if (times[i] >= 0) continue;
        times[i] = 0;
        if (b->share == HW_MACHINE_ALONE) times[i] = all / b->copies;
        if (b->share == HW_MACHINE_ENTRY) times[i] = entries;
        if (b->share != HW_MACHINE_AMONG || !(all > 0)) continue;
        turns t = {f, b->range, entries, all / entries, times};
        share_out(&t);
    }
    for (uint32_t i = f->n_blocks; i-- > 1;)
        if (f->blocks[i - 1].share == HW_MACHINE_AS_NEXT) times[i - 1] = times[i];
    for (uint32_t i = 0; i < f->n_blocks; i++)
        if (f->blocks[i].share != HW_MACHINE_NEVER) times[i] += warps_of(divergent, f->blocks[i].parted);
}

void hw_model_machine(const hw_machine_function *f, const uint64_t *warps, const uint64_t *divergent, double *times,
                      double inst[HW_RATES]) {
    find_times(f, warps, divergent, times);
    for (uint32_t i = 0; i < f->n_blocks; i++)
        for (int rate = 0; rate < HW_RATES; rate++) inst[rate] += times[i] * f->blocks[i].inst[rate];
}
