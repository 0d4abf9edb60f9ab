// Finds instructions whose result is the same for a whole launch, a block, or a thread's place in its block, and takes
// them out of the body.
//
// One pass in reverse post-order is enough: of a value with a single definition, that definition comes before all uses
// that it reaches on every way. A use met earlier (undefined on the first way round a loop) stays in the body. So does
// a value to whose use some way comes without it: that nothing has given it is to be found out (exec/undefined/).
#include "lower/dominators.h"
#include "lower/lowering.h"

// What lies in these areas is read from memory for each warp or block: beyond what a cache holds, computing is faster.
enum { MAX_WARP_BYTES = 32 << 10, MAX_BLOCK_BYTES = 64 << 10, MAX_LAUNCH_BYTES = 4 << 20 };

static const uint8_t sreg_level[HW_SREG_COUNT] = {
#define L HW_LEVEL_LAUNCH
#define B HW_LEVEL_BLOCK
#define T HW_LEVEL_THREAD
#define V HW_LEVEL_VARYING
#define HW_SREG(id, name, type, invariance) [HW_SREG_##id] = invariance,
#include "isa/sregs.def"
#undef HW_SREG
#undef L
#undef B
#undef T
#undef V
};

// ---- definitions ----

typedef struct place {
    hw_lowering *lo;
    uint32_t block;
} place;

static void count_use(void *context, int32_t reg, bool is_def) {
    const place *at = context;
    hw_reg_info *info = &at->lo->regs[reg];
    if (!is_def) {
        info->is_read = true;
        info->may_be_unset |= !info->n_defs || !hw_dominates(at->lo->dominators, info->def_block, at->block);
    } else {
        if (!info->n_defs) info->def_block = at->block;
        if (info->n_defs < 2) info->n_defs++;
    }
}

static void describe_registers(hw_lowering *lo) {
    const hw_ptx_function *f = lo->f;
    for (uint32_t r = 0; r < f->n_regs; r++)
        lo->regs[r] = (hw_reg_info){.slot = HW_NO_SLOT, .lane = (uint8_t)hw_lane_of(f->regs[r].type),
                                    .level = HW_LEVEL_VARYING};
    for (uint32_t k = 0; k < lo->cfg.n_reachable; k++) {
        place at = {lo, lo->cfg.rpo[k]};
        const hw_cfg_block *block = &lo->cfg.blocks[at.block];
        for (uint32_t i = block->first; i < block->end; i++) hw_defs_visit(&f->insts[i], count_use, &at);
    }
    for (uint32_t r = 0; r < f->n_regs; r++)
        if (!lo->regs[r].n_defs) lo->regs[r].level = HW_LEVEL_LAUNCH;
}

// ---- levels ----

static bool is_arithmetic(const hw_ptx_inst *inst) {
    const hw_traits *traits = hw_op_traits(inst->op);
    switch ((hw_emitter)traits->emitter) {
    case HW_EMIT_MOV: case HW_EMIT_CVTA: case HW_EMIT_ISSPACEP: return true;
    case HW_EMIT_ARITHMETIC: return !traits->reads_carry && !hw_has_mod(&inst->mods, HW_M_CC);
    default: return false;
    }
}

// A load of a kernel's parameter from a known place.
static bool is_parameter_load(const hw_lowering *lo, const hw_ptx_inst *inst) {
    bool reads = hw_op_traits(inst->op)->reads & HW_IN_ITS_SPACE;
    if (!reads || inst->space != HW_SPACE_PARAM || !lo->f->is_entry) return false;
    const hw_ptx_operand *from = &inst->operands[1];
    return from->kind == HW_OPERAND_ADDRESS && from->reg < 0 && from->symbol &&
           !hw_operand_param_is_own(lo, from->symbol);
}

static uint8_t symbol_level(const hw_lowering *lo, const hw_ptx_operand *operand) {
    uint64_t value;
    switch (hw_operand_symbol(lo, operand, &value)) {
    case HW_ADDRESS_LOCAL: return HW_LEVEL_VARYING;
    case HW_ADDRESS_PARAM:
        return hw_operand_param_is_own(lo, operand->symbol) ? HW_LEVEL_VARYING : HW_LEVEL_LAUNCH;
    default: return HW_LEVEL_LAUNCH;
    }
}

static uint8_t operand_level(const hw_lowering *lo, const hw_ptx_operand *operand) {
    switch (operand->kind) {
    case HW_OPERAND_SREG: return sreg_level[operand->sreg];
    case HW_OPERAND_SYMBOL: case HW_OPERAND_ADDRESS: return symbol_level(lo, operand);
    default: return HW_LEVEL_LAUNCH;       // registers are looked at one by one
    }
}

typedef struct level_check {
    const hw_lowering *lo;
    uint8_t level;
    bool has_result;
} level_check;

static void check_register(void *context, int32_t reg, bool is_def) {
    level_check *check = context;
    const hw_reg_info *info = &check->lo->regs[reg];
    if (!is_def) {
        check->level |= info->level;
    } else {
        check->has_result = true;
        if (info->n_defs != 1 || info->may_be_unset || info->lane == HW_LANE_NONE) check->level = HW_LEVEL_VARYING;
    }
}

static uint8_t level_of(const hw_lowering *lo, const hw_ptx_inst *inst) {
    level_check check = {.lo = lo, .level = HW_LEVEL_LAUNCH};
    if (hw_watch_wants(lo, inst)) return HW_LEVEL_VARYING;
    if (inst->guard >= 0 || (!is_arithmetic(inst) && !is_parameter_load(lo, inst))) return HW_LEVEL_VARYING;
    hw_defs_visit(inst, check_register, &check);
    for (unsigned k = 1; k < inst->n_operands; k++) check.level |= operand_level(lo, &inst->operands[k]);
    if (inst->op == HW_OP_GETCTARANK) check.level |= HW_LEVEL_BLOCK;    // of an address without a rank, the own
    return check.has_result ? check.level : HW_LEVEL_VARYING;
}

// ---- lifting ----

static bool has_room(const hw_program *program, uint8_t level) {
    switch (level) {
    case HW_LEVEL_LAUNCH: return program->launch_bytes < MAX_LAUNCH_BYTES;
    case HW_LEVEL_BLOCK: return program->block_bytes < MAX_BLOCK_BYTES;
    default: return program->warp_bytes < MAX_WARP_BYTES;
    }
}

typedef struct placement {
    hw_lowering *lo;
    uint8_t level;
    hw_status status;
} placement;

static void place_result(void *context, int32_t reg, bool is_def) {
    placement *p = context;
    hw_reg_info *info = &p->lo->regs[reg];
    if (!is_def || p->status != HW_OK) return;
    info->level = p->level;
    p->status = hw_slots_take(p->lo, (hw_base)(p->level + 1), (hw_lane)info->lane, &info->slot);
}

static hw_status lift_one(hw_lowering *lo, uint32_t i) {
    const hw_ptx_inst *inst = &lo->f->insts[i];
    uint8_t level = level_of(lo, inst);
    lo->inst = inst;
    lo->index = i;
    if (level == HW_LEVEL_VARYING) return HW_OK;
    lo->list = &lo->lists[level];
    lo->base = (hw_base)(level + 1);
    const hw_ptx_operand *same = hw_emit_alias(lo, inst);
    if (same) {
        hw_reg_info *to = &lo->regs[inst->operands[0].reg];
        to->level = level;
        lo->lifted[i] = 1;
        return hw_operand_source(lo, same, (hw_lane)to->lane, &to->slot);
    }
    if (!has_room(lo->program, level)) return HW_OK;
    placement p = {.lo = lo, .level = level, .status = HW_OK};
    hw_defs_visit(inst, place_result, &p);
    lo->lifted[i] = 1;
    return p.status == HW_OK ? hw_emit_ptx(lo, inst) : p.status;
}

hw_status hw_lift(hw_lowering *lo) {
    describe_registers(lo);
    for (uint32_t k = 0; k < lo->cfg.n_reachable; k++) {
        const hw_cfg_block *block = &lo->cfg.blocks[lo->cfg.rpo[k]];
        for (uint32_t i = block->first; i < block->end; i++) {
            hw_status status = lift_one(lo, i);
            if (status != HW_OK) return status;
        }
    }
    return HW_OK;
}
