#include "model/clock.h"

#include "model/time.h"

// Which loads are on their way, and need not be waited for by those behind them.
typedef struct under_way {
    bool memory, shared;
} under_way;

static bool is_load(hw_note_kind kind) {
    return kind == HW_NOTE_LOAD || kind == HW_NOTE_COPY || kind == HW_NOTE_COPY_BYPASS || kind == HW_NOTE_LOAD_MATRIX;
}

static double wait_for_load(const hw_waits *waits, bool is_shared, under_way *loads) {
    bool *is_under_way = is_shared ? &loads->shared : &loads->memory;
    if (*is_under_way) return 0;
    *is_under_way = true;
    return is_shared ? waits->shared : waits->memory;
}

static double wait_for_memory(const hw_waits *waits, const hw_note *note, under_way *loads) {
    const bool is_shared = note->space == HW_SPACE_SHARED;
    const hw_note_kind kind = (hw_note_kind)note->kind;
    const bool is_cached = note->space == HW_SPACE_CONST || note->space == HW_SPACE_PARAM;
    if (kind == HW_NOTE_ATOMIC) return is_shared ? waits->shared : waits->memory;
    if (kind == HW_NOTE_STORE) *(is_shared ? &loads->shared : &loads->memory) = false;
    return is_load(kind) && !is_cached ? wait_for_load(waits, is_shared, loads) : 0;
}

static double issue_cycles(const hw_arch *arch, hw_issue_cost cost) {
    const uint32_t all = hw_model_lanes(arch, HW_RATE_ISSUE), own = hw_model_lanes(arch, (hw_rate)cost.rate);
    const uint32_t lanes = own && (!all || own < all) ? own : all;
    return lanes ? (double)cost.count * HW_WARP_LANES / lanes : 0;
}

void hw_model_clock_sums(const hw_gpu *gpu, const hw_note *notes, uint32_t n, hw_cycles *sums) {
    const hw_waits waits = hw_model_waits(gpu);
    under_way loads = {false, false};
    sums[0] = (hw_cycles){0, 0};
    for (uint32_t i = 0; i < n; i++) {
        const hw_issue_cost cost = hw_issue_cost_of_note(&notes[i]);
        const hw_note_kind kind = (hw_note_kind)notes[i].kind;
        double wait = cost.count * waits.result + wait_for_memory(&waits, &notes[i], &loads);
        if (kind == HW_NOTE_BARRIER) wait += waits.barrier;
        if (kind == HW_NOTE_BARRIER || kind == HW_NOTE_BRANCH) loads = (under_way){false, false};
        sums[i + 1] = (hw_cycles){sums[i].issue + issue_cycles(gpu->arch, cost), sums[i].wait + wait};
    }
}

double hw_model_block_start_cycles(const hw_gpu *gpu, double warps) {
    const hw_waits waits = hw_model_waits(gpu);
    return waits.block_start + waits.warp_start * warps;
}

// 1.x: of the G80's 3096, 3232 and 3364 clocks from the begin of the first of 1, 8 and 16 blocks to the end of the last
// (seed 004, 4.2.1), each on a multiprocessor of its own.
double hw_model_block_turn_cycles(const hw_gpu *gpu) {
    static const double OLD_TURN = 18;
    return gpu->arch->cc < 20 ? OLD_TURN : hw_model_waits(gpu).block_turn;
}
