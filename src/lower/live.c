// Live ranges of the registers that stay in the body, and the slots they share.
//
// A slot belongs to each lane alone, and a lane follows one way through the code: two registers may share a slot when
// no way needs both at a time, whatever the other lanes of the warp do.
//
// Positions: PTX instruction i reads at 2i and writes at 2i + 1. A register's range is all from its first to its last
// live position in text order, so ranges that do not touch are never live together.
#include <string.h>

#include "base/integers.h"
#include "lower/lowering.h"

enum { MAX_STEPS = 16 << 20 };     // beyond this much work, registers simply keep a slot of their own
#define NOWHERE 0xffffffffu

typedef struct event {
    uint32_t pos, block;
    bool is_def, kills;            // kills: the old value is gone afterwards, in every lane that is there
} event;

typedef struct range {
    uint32_t start, end;           // NOWHERE: never used
    uint32_t next_start, next_end; // lists by position; register number
} range;

typedef struct live {
    hw_lowering *lo;
    uint32_t *first, *next;        // events of register r: events[first[r] .. first[r + 1])
    event *events;                 // NULL while they are counted
    range *ranges;
    bool *unset;                   // by register: may it be read before it is written?
    uint32_t n_unset;
    int32_t *pressure;             // by position: change of the number of live 32-bit registers
    // By block, for the register at work. The first three hold its number + 1 where they apply.
    uint32_t *killed_in, *out_of, *touched_in, *piece_start, *piece_end;
    uint32_t *stack, *touched;
    uint64_t steps;
    bool has_calls;
    // The instruction whose events are collected
    uint32_t pos, block;
    bool is_guarded, keeps_sources;
} live;

// ---- events ----

static bool is_counted(const live *l, int32_t reg) {
    const hw_reg_info *info = &l->lo->regs[reg];
    return info->level != HW_LEVEL_LAUNCH && info->lane != HW_LANE_NONE;
}

static void add_event(live *l, int32_t reg, uint32_t pos, bool is_def, bool kills) {
    if (!is_counted(l, reg)) return;
    if (!l->events) l->first[reg + 1]++;
    else l->events[l->next[reg]++] = (event){.pos = pos, .block = l->block, .is_def = is_def, .kills = kills};
}

static void note_register(void *context, int32_t reg, bool is_def) {
    live *l = context;
    if (!is_def) {
        add_event(l, reg, l->pos + l->keeps_sources, false, false);
        return;
    }
    if (l->is_guarded) add_event(l, reg, l->pos, false, false);
    add_event(l, reg, l->pos + 1, true, !l->is_guarded);
}

// May the result lie where a source was? Not where several values are written, or other lanes are read.
static bool may_overwrite(const hw_ptx_inst *inst) {
    switch ((hw_emitter)hw_op_traits(inst->op)->emitter) {
    case HW_EMIT_CVTA: return true;
    case HW_EMIT_MOV:
        return inst->operands[0].kind != HW_OPERAND_VECTOR && inst->operands[1].kind != HW_OPERAND_VECTOR;
    default: return hw_emit_shape(inst) && !inst->operands[0].is_pair;
    }
}

static void collect_registers(live *l) {
    const hw_cfg *cfg = &l->lo->cfg;
    const hw_ptx_inst *insts = l->lo->f->insts;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        const hw_cfg_block *block = &cfg->blocks[b];
        if (block->order == HW_NO_BLOCK) continue;
        l->block = b;
        for (uint32_t i = block->first; i < block->end; i++) {
            l->pos = 2 * i;
            l->has_calls |= hw_op_traits(insts[i].op)->flow == HW_FLOW_CALL;
            l->is_guarded = insts[i].guard >= 0 && !block->is_skipped;
            l->keeps_sources = !may_overwrite(&insts[i]);
            hw_defs_visit(&insts[i], note_register, l);
        }
        if (block->skips) add_event(l, insts[block->end].guard, 2 * block->end, false, false);
    }
}

static hw_status collect_events(live *l) {
    hw_arena *scratch = l->lo->scratch;
    size_t n = (size_t)l->lo->f->n_regs + 1;
    l->first = hw_arena_take(scratch, n * sizeof *l->first);
    l->next = hw_arena_take(scratch, n * sizeof *l->next);
    if (!l->first || !l->next) return hw_diag_no_memory(l->lo->diag);
    collect_registers(l);
    for (size_t r = 1; r < n; r++) l->first[r] += l->first[r - 1];
    memcpy(l->next, l->first, n * sizeof *l->next);
    l->events = hw_arena_take(scratch, ((size_t)l->first[n - 1] + 1) * sizeof *l->events);
    if (!l->events) return hw_diag_no_memory(l->lo->diag);
    collect_registers(l);
    return HW_OK;
}

// ---- ranges ----

static uint32_t block_start(const hw_cfg_block *block) { return 2 * block->first; }

static uint32_t block_end(const hw_cfg_block *block) {
    if (block->skips) return 2 * block->end;
    return block->end > block->first ? 2 * block->end - 1 : 2 * block->first;
}

static void widen_range(range *r, uint32_t start, uint32_t end) {
    if (r->start == NOWHERE || start < r->start) r->start = start;
    if (r->end == NOWHERE || end > r->end) r->end = end;
}

static uint32_t weight_of(const hw_lowering *lo, uint32_t reg) {
    const hw_reg_info *info = &lo->regs[reg];
    if (lo->is_narrow && lo->is_operand[reg]) return 0;
    if (lo->is_narrow && lo->is_narrow[reg]) return 1;
    return info->lane == HW_LANE_128 ? 4 : info->lane == HW_LANE_64 ? 2 : info->lane == HW_LANE_PRED ? 0 : 1;
}

// Backwards from block b, where the register is live on entry: its predecessors have it live at their ends.
static uint32_t push_predecessors(live *l, uint32_t b, uint32_t depth, uint32_t mark) {
    const hw_cfg *cfg = &l->lo->cfg;
    const hw_cfg_block *block = &cfg->blocks[b];
    l->steps += block->n_preds;
    for (uint32_t e = 0; e < block->n_preds; e++) {
        uint32_t p = cfg->pred_edges[block->pred + e];
        if (l->out_of[p] == mark) continue;
        l->out_of[p] = mark;
        l->stack[depth++] = p;
    }
    return depth;
}

static void note_block(live *l, uint32_t b, uint32_t mark, uint32_t *n, uint32_t start, uint32_t end) {
    l->touched_in[b] = mark;
    l->touched[(*n)++] = b;
    l->piece_start[b] = start;
    l->piece_end[b] = end;
}

static void find_range(live *l, uint32_t reg) {
    const hw_cfg *cfg = &l->lo->cfg;
    range *range = &l->ranges[reg];
    uint32_t mark = reg + 1, n_touched = 0, depth = 0;
    for (uint32_t k = l->first[reg]; k < l->first[reg + 1];) {
        uint32_t b = l->events[k].block, start = l->events[k].pos, end = start;
        bool is_exposed = !l->events[k].is_def;
        for (; k < l->first[reg + 1] && l->events[k].block == b; k++) {
            end = l->events[k].pos;
            if (l->events[k].kills) l->killed_in[b] = mark;
        }
        note_block(l, b, mark, &n_touched, is_exposed ? block_start(&cfg->blocks[b]) : start, end);
        if (is_exposed) depth = push_predecessors(l, b, depth, mark);
    }
    while (depth) {
        uint32_t b = l->stack[--depth];
        if (l->touched_in[b] == mark) {
            // Live through a block that uses it first: its predecessors are on their way already.
            l->piece_end[b] = block_end(&cfg->blocks[b]);
            continue;
        }
        note_block(l, b, mark, &n_touched, block_start(&cfg->blocks[b]), block_end(&cfg->blocks[b]));
        depth = push_predecessors(l, b, depth, mark);
    }
    uint32_t registers = weight_of(l->lo, reg);
    for (uint32_t k = 0; k < n_touched; k++) {
        uint32_t b = l->touched[k];
        widen_range(range, l->piece_start[b], l->piece_end[b]);
        l->pressure[l->piece_start[b]] += (int32_t)registers;
        l->pressure[l->piece_end[b] + 1] -= (int32_t)registers;
    }
}

// Some way from the entry comes to a use without a definition before.
static bool is_unset(const live *l, uint32_t reg) {
    const hw_cfg_block *entry = &l->lo->cfg.blocks[0];
    return l->touched_in[0] == reg + 1 && l->piece_start[0] == block_start(entry) && l->lo->regs[reg].n_defs &&
           l->lo->regs[reg].level == HW_LEVEL_VARYING;
}

// Their slots are known in the end.
static hw_status list_unset(live *l) {
    hw_program *program = l->lo->program;
    program->unset = hw_arena_take(l->lo->arena, (l->n_unset + 1) * sizeof *program->unset);
    if (!program->unset) return hw_diag_no_memory(l->lo->diag);
    for (uint32_t r = 0; r < l->lo->f->n_regs; r++)
        if (l->unset[r])
            program->unset[program->n_unset++] =
                (hw_unset_register){l->lo->regs[r].slot, (uint8_t)hw_lane_bytes((hw_lane)l->lo->regs[r].lane)};
    return HW_OK;
}

static hw_status find_ranges(live *l) {
    hw_arena *scratch = l->lo->scratch;
    size_t n_regs = (size_t)l->lo->f->n_regs + 1, n_blocks = l->lo->cfg.n_blocks;
    size_t n_pos = 2 * (size_t)l->lo->f->n_insts + 3;
    l->ranges = hw_arena_take(scratch, n_regs * sizeof *l->ranges);
    l->pressure = hw_arena_take(scratch, n_pos * sizeof *l->pressure);
    l->unset = hw_arena_take(scratch, n_regs);
    uint32_t **per_block[] = {&l->killed_in, &l->out_of, &l->touched_in, &l->stack, &l->touched, &l->piece_start,
                              &l->piece_end};
    for (unsigned k = 0; k < sizeof per_block / sizeof *per_block; k++) {
        *per_block[k] = hw_arena_take(scratch, n_blocks * sizeof(uint32_t));
        if (!*per_block[k]) return hw_diag_no_memory(l->lo->diag);
    }
    if (!l->ranges || !l->pressure || !l->unset) return hw_diag_no_memory(l->lo->diag);
    for (uint32_t r = 0; r < l->lo->f->n_regs; r++) {
        l->ranges[r].start = l->ranges[r].end = NOWHERE;
        if (l->first[r] == l->first[r + 1]) continue;
        if (l->steps < MAX_STEPS) {
            find_range(l, r);
            l->unset[r] = is_unset(l, r);
            l->n_unset += l->unset[r];
        } else widen_range(&l->ranges[r], 0, 2 * l->lo->f->n_insts + 1);
    }
    return HW_OK;
}

// ---- slots ----

// Lists the registers whose ranges begin and end at each position: the first of each, the others by next_start and
// next_end.
static void order_ranges(live *l, uint32_t n_pos, uint32_t *starting, uint32_t *ending) {
    memset(starting, 0xff, (size_t)n_pos * 4);
    memset(ending, 0xff, (size_t)n_pos * 4);
    for (uint32_t r = l->lo->f->n_regs; r-- > 0;) {
        range *range = &l->ranges[r];
        if (range->start == NOWHERE || l->lo->regs[r].level != HW_LEVEL_VARYING) continue;
        range->next_start = starting[range->start];
        starting[range->start] = r;
        range->next_end = ending[range->end];
        ending[range->end] = r;
    }
}

// Walks the positions once: ranges that begin take a free slot of their width, ranges that have ended give theirs back.
// count: how many slots of each width that takes.
static hw_status deal_slots(live *l, uint32_t count[HW_LANE_COUNT]) {
    hw_lowering *lo = l->lo;
    uint32_t n_pos = 2 * lo->f->n_insts + 2, n_free[HW_LANE_COUNT] = {0};
    uint32_t *starting = hw_arena_take(lo->scratch, (size_t)n_pos * 4);
    uint32_t *ending = hw_arena_take(lo->scratch, (size_t)n_pos * 4);
    uint32_t *free_slots[HW_LANE_COUNT];
    if (!starting || !ending) return hw_diag_no_memory(lo->diag);
    for (unsigned lane = 0; lane < HW_LANE_COUNT; lane++) {
        free_slots[lane] = hw_arena_take(lo->scratch, ((size_t)lo->f->n_regs + 1) * 4);
        if (!free_slots[lane]) return hw_diag_no_memory(lo->diag);
    }
    order_ranges(l, n_pos, starting, ending);
    for (uint32_t pos = 0; pos < n_pos; pos++) {
        for (uint32_t r = starting[pos]; r != NOWHERE; r = l->ranges[r].next_start) {
            hw_reg_info *info = &lo->regs[r];
            info->slot = n_free[info->lane] ? free_slots[info->lane][--n_free[info->lane]] : count[info->lane]++;
        }
        for (uint32_t r = ending[pos]; r != NOWHERE; r = l->ranges[r].next_end) {
            hw_reg_info *info = &lo->regs[r];
            free_slots[info->lane][n_free[info->lane]++] = info->slot;
        }
    }
    return HW_OK;
}

// The slots of each width side by side, the widest first.
static hw_status share_slots(live *l) {
    hw_lowering *lo = l->lo;
    uint32_t count[HW_LANE_COUNT] = {0};
    hw_status status = deal_slots(l, count);
    if (status != HW_OK) return status;
    uint64_t base[HW_LANE_COUNT], top = 0;
    for (int lane = HW_LANE_128; lane >= HW_LANE_PRED; lane--) {
        base[lane] = top;
        top += hw_align_up((uint64_t)count[lane] * hw_lane_slot_bytes((hw_lane)lane), 64);
    }
    lo->inst = NULL;
    if (top > 1u << 30) return hw_lower_refuse(lo, HW_UNSUPPORTED, "too many registers are live at a time");
    for (uint32_t r = 0; r < lo->f->n_regs; r++) {
        hw_reg_info *info = &lo->regs[r];
        if (l->ranges[r].start == NOWHERE || info->level != HW_LEVEL_VARYING) continue;
        info->slot = (hw_slot)(base[info->lane] + (uint64_t)info->slot * hw_lane_slot_bytes((hw_lane)info->lane));
    }
    lo->program->frame_bytes = (uint32_t)top;
    return HW_OK;
}

// The same of 1.x, whose compilers kept to the order of the text: what is alive there, and of what today's compilers
// have moved ahead of its use, beyond 16 values, two fifths. Fitted to two kernels whose numbers are known: matrixMul
// of NVIDIA's SDK, 14 for 14 alive, and Volkov's sgemmNN, 30 for 52.
static uint32_t estimate_old(int64_t most) {
    enum { IN_ORDER = 16, LEAST = 2, MOST = 124 };
    if (most > IN_ORDER) most = IN_ORDER + (most - IN_ORDER) * 2 / 5;
    return most < LEAST ? LEAST : most > MOST ? MOST : (uint32_t)most;
}

// Registers per thread as ptxas would give them, from the most 32-bit values live at a time. ptxas keeps more values in
// flight than the text order does; the factor and the 4 were fitted to what ptxas 13.0 gives the 62 kernels of
// tests/truth/ladder.cu for sm_90. docs/accuracy.md judges them by other kernels. The calling convention keeps at least
// 24 from a function that calls.
static uint32_t estimate_registers(const live *l) {
    int64_t now = 0, most = 0;
    for (size_t pos = 0; pos < 2 * (size_t)l->lo->f->n_insts + 3; pos++) {
        now += l->pressure[pos];
        if (now > most) most = now;
    }
    if (l->lo->is_narrow) return estimate_old(most);
    most += most / 4 + 4;
    most += most % 2;
    if (l->has_calls && most < 24) most = 24;
    return most < 8 ? 8 : most > 254 ? 255 : (uint32_t)most;
}

hw_status hw_live_assign(hw_lowering *lo) {
    live l = {.lo = lo};
    hw_status status = collect_events(&l);
    if (status == HW_OK) status = find_ranges(&l);
    if (status == HW_OK) status = share_slots(&l);
    if (status == HW_OK) status = list_unset(&l);
    if (status == HW_OK) lo->program->regs_estimate = estimate_registers(&l);
    return status;
}
