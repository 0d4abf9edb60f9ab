// The body of a function: its basic blocks with their guards, branches and calls.
#include <string.h>

#include "lower/lowering.h"

static bool add_fixup(hw_lowering *lo, uint32_t target, uint32_t reconverge) {
    if (!hw_lower_grow(lo->scratch, (void **)&lo->fixups, lo->n_fixups, &lo->fixups_capacity, sizeof *lo->fixups))
        return false;
    lo->fixups[lo->n_fixups++] = (hw_fixup){.inst = lo->body.n, .target = target, .reconverge = reconverge};
    return true;
}

// Ends a basic block of `count` PTX instructions, the first of which is PTX instruction `first`.
static hw_status end_block(hw_lowering *lo, hw_body_id body, hw_inst *t, uint32_t first, uint32_t count) {
    hw_program *program = lo->program;
    if (!hw_lower_grow(lo->arena, (void **)&program->blocks, program->n_blocks, &lo->blocks_capacity,
                       sizeof *program->blocks))
        return hw_diag_no_memory(lo->diag);
    program->blocks[program->n_blocks++] = (hw_basic_block){.first_note = program->first_note + first, .count = count};
    t->basic_block = lo->set->n_blocks++;
    t->count = (uint16_t)count;
    return hw_emit_inst(lo, body, t);
}

static void at_instruction(hw_lowering *lo, uint32_t i) {
    lo->index = i;
    lo->inst = &lo->f->insts[i];
}

// ---- calls ----

// Arguments and results that are registers or numbers go through parameter memory behind the .param variables'.
static hw_status spill_operand(hw_lowering *lo, const hw_ptx_operand *operand, const hw_ptx_symbol *formal,
                               bool is_result, uint32_t offset) {
    hw_lane lane = formal ? hw_lane_of(formal->type) : HW_LANE_32;
    hw_inst t = hw_emit_blank();
    hw_status status = HW_OK;
    if (operand->kind == HW_OPERAND_REG && operand->reg >= 0) lane = (hw_lane)lo->regs[operand->reg].lane;
    if (lane >= HW_LANE_128 || lane == HW_LANE_PRED)
        return hw_lower_refuse(lo, HW_UNSUPPORTED, "an argument that is neither a number nor a .param variable");
    t.is_own_param = true;
    t.space = HW_SPACE_PARAM;
    t.width = formal ? (uint8_t)(hw_type_bits(formal->type) / 8) : (uint8_t)hw_lane_bytes(lane);
    t.reg_bytes = (uint8_t)hw_lane_bytes(lane);
    if (t.width > t.reg_bytes) t.width = t.reg_bytes;
    t.imm = offset;
    if (!is_result) {
        status = hw_operand_source(lo, operand, lane, &t.b);
        return status == HW_OK ? hw_emit_inst(lo, HW_BODY_ST_PARAM, &t) : status;
    }
    if (operand->kind != HW_OPERAND_REG || operand->reg < 0) return HW_OK;
    if (formal && hw_type_kind_of(formal->type) == HW_KIND_S) t.flags = HW_INST_SIGNED;
    t.d = lo->regs[operand->reg].slot;
    return hw_emit_inst(lo, HW_BODY_LD_PARAM, &t);
}

static hw_status param_offsets(hw_lowering *lo, const hw_ptx_operand *operands, uint32_t n, uint32_t *top,
                               uint32_t **out) {
    *out = hw_arena_take(lo->arena, ((size_t)n + 1) * sizeof **out);
    if (!*out) return hw_diag_no_memory(lo->diag);
    for (uint32_t k = 0; k < n; k++) {
        if (operands[k].symbol) {
            (*out)[k] = (uint32_t)operands[k].symbol->offset;
        } else {
            (*out)[k] = *top;
            *top += 16;
        }
    }
    if (*top > lo->program->param_bytes) lo->program->param_bytes = *top;
    return HW_OK;
}

static const hw_ptx_symbol *formal_at(hw_ptx_symbol *const *formals, uint32_t n, uint32_t k) {
    return k < n ? formals[k] : NULL;
}

static hw_status emit_call(hw_lowering *lo, const hw_ptx_inst *inst, uint32_t first, uint32_t count) {
    const hw_ptx_call *call = inst->call;
    hw_program *program = lo->program;
    hw_inst t = hw_emit_blank();
    uint32_t top = lo->spill_base;
    bool has_results = false;
    if (!hw_lower_grow(lo->arena, (void **)&program->calls, program->n_calls, &lo->calls_capacity,
                       sizeof *program->calls))
        return hw_diag_no_memory(lo->diag);
    t.call = program->n_calls++;
    hw_call_site *site = &program->calls[t.call];
    const hw_ptx_function *signature = call->callee ? call->callee : call->prototype;
    *site = (hw_call_site){.target = HW_NO_SLOT, .n_args = call->n_args, .n_rets = call->n_rets,
                           .signature = signature};
    if (call->callee) site->callee = lo->set->programs[call->callee->index];
    if (call->callee && !site->callee) site->builtin = call->callee->name;
    hw_status status = param_offsets(lo, call->args, call->n_args, &top, &site->arg_offsets);
    if (status == HW_OK) status = param_offsets(lo, call->rets, call->n_rets, &top, &site->ret_offsets);
    for (uint32_t k = 0; k < call->n_args && status == HW_OK; k++)
        if (!call->args[k].symbol)
            status = spill_operand(lo, &call->args[k],
                                   signature ? formal_at(signature->params, signature->n_params, k) : NULL, false,
                                   site->arg_offsets[k]);
    if (status == HW_OK && !call->callee) {
        if (call->target_reg < 0) return hw_lower_refuse(lo, HW_MALFORMED, "a call of nothing");
        status = hw_operand_reg(lo, call->target_reg, HW_LANE_64, &site->target);
        t.a = site->target;
    }
    if (status == HW_OK) status = end_block(lo, call->callee ? HW_BODY_CALL : HW_BODY_CALL_INDIRECT, &t, first, count);
    for (uint32_t k = 0; k < call->n_rets && status == HW_OK; k++) {
        if (call->rets[k].symbol) continue;
        has_results = true;
        status = spill_operand(lo, &call->rets[k], signature ? formal_at(signature->rets, signature->n_rets, k) : NULL,
                               true, site->ret_offsets[k]);
    }
    if (status != HW_OK || !has_results) return status;
    hw_inst end = hw_emit_blank();
    return end_block(lo, HW_BODY_FALL, &end, lo->index, 0);
}

// ---- ends of blocks ----

static hw_status branch_table(hw_lowering *lo, const hw_ptx_inst *inst, uint32_t reconverge, uint32_t first,
                              uint32_t count) {
    hw_program *program = lo->program;
    hw_inst t = hw_emit_blank();
    t.targets = lo->n_targets;
    t.imm = inst->n_targets;
    hw_status status = hw_operand_source(lo, &inst->operands[0], HW_LANE_32, &t.a);
    if (status != HW_OK) return status;
    for (uint32_t k = 0; k < inst->n_targets; k++) {
        uint32_t label = inst->targets[k] < lo->f->n_insts ? inst->targets[k] : lo->f->n_insts;
        if (!hw_lower_grow(lo->arena, (void **)&program->targets, lo->n_targets, &lo->targets_capacity,
                           sizeof *program->targets))
            return hw_diag_no_memory(lo->diag);
        program->targets[lo->n_targets++] = lo->cfg.block_at[label];      // a block until all have been emitted
    }
    if (!add_fixup(lo, HW_NO_BLOCK, reconverge)) return hw_diag_no_memory(lo->diag);
    return end_block(lo, HW_BODY_BRX, &t, first, count);
}

static hw_status emit_conditional(hw_lowering *lo, int32_t guard, bool negated, uint32_t target,
                                  const hw_cfg_block *block, uint32_t count) {
    hw_inst t = hw_emit_blank();
    if (negated) t.flags |= HW_INST_NEGATE_P;
    hw_status status = hw_operand_reg(lo, guard, HW_LANE_PRED, &t.p);
    if (status == HW_OK && !add_fixup(lo, target, block->reconverge)) status = hw_diag_no_memory(lo->diag);
    return status == HW_OK ? end_block(lo, HW_BODY_BRA_P, &t, block->first, count) : status;
}

// What the block ends with. Its last PTX instruction, if that is a branch or the like, is still to be emitted.
static hw_status emit_terminator(hw_lowering *lo, const hw_cfg_block *block) {
    const hw_ptx_function *f = lo->f;
    hw_inst t = hw_emit_blank();
    uint32_t b = (uint32_t)(block - lo->cfg.blocks), count = block->is_skipped ? 0 : block->end - block->first;
    memset(lo->n_scratch, 0, sizeof lo->n_scratch);
    if (block->skips) {
        const hw_ptx_inst *inst = &f->insts[block->end];
        at_instruction(lo, block->end);
        return emit_conditional(lo, inst->guard, !inst->guard_negated, b + 2, block, count + 1);
    }
    if (block->first == block->end) return end_block(lo, HW_BODY_RET, &t, block->first ? block->first - 1 : 0, 0);
    const hw_ptx_inst *inst = &f->insts[block->end - 1];
    at_instruction(lo, block->end - 1);
    switch ((hw_flow)hw_op_traits(inst->op)->flow) {
    case HW_FLOW_LABEL: {
        uint32_t target = lo->cfg.edges[block->succ];
        if (inst->guard >= 0)
            return emit_conditional(lo, inst->guard, inst->guard_negated, target, block, count);
        if (!add_fixup(lo, target, HW_NO_BLOCK)) return hw_diag_no_memory(lo->diag);
        return end_block(lo, HW_BODY_BRA, &t, block->first, count);
    }
    case HW_FLOW_TABLE: return branch_table(lo, inst, block->reconverge, block->first, count);
    case HW_FLOW_CALL: return emit_call(lo, inst, block->first, count);
    case HW_FLOW_LEAVE: case HW_FLOW_STOP:
        return end_block(lo, hw_body_find(hw_op_info(inst->op)->name), &t, block->first, count);
    default: return end_block(lo, HW_BODY_FALL, &t, block->first, count);
    }
}

// ---- guards ----

typedef struct write_check {
    int32_t reg;
    bool is_written;
} write_check;

static void check_write(void *context, int32_t reg, bool is_def) {
    write_check *check = context;
    if (is_def && reg == check->reg) check->is_written = true;
}

// How many instructions from i on have the same guard, whose value is the same for all.
static uint32_t same_guard(const hw_lowering *lo, uint32_t i, uint32_t end) {
    const hw_ptx_inst *insts = lo->f->insts;
    write_check check = {.reg = insts[i].guard};
    uint32_t n = 0;
    for (; i + n < end && !check.is_written; n++) {
        if (insts[i + n].guard != insts[i].guard || insts[i + n].guard_negated != insts[i].guard_negated) break;
        hw_defs_visit(&insts[i + n], check_write, &check);
    }
    return n;
}

static hw_status emit_guarded(hw_lowering *lo, uint32_t i, uint32_t n) {
    hw_inst t = hw_emit_blank();
    uint32_t guard = lo->body.n;
    at_instruction(lo, i);
    if (lo->inst->guard_negated) t.flags |= HW_INST_NEGATE_P;
    t.count = (uint16_t)n;
    hw_status status = hw_operand_reg(lo, lo->inst->guard, HW_LANE_PRED, &t.p);
    if (status == HW_OK) status = hw_emit_inst(lo, HW_BODY_GUARD, &t);
    for (uint32_t k = 0; k < n && status == HW_OK; k++) {
        at_instruction(lo, i + k);
        status = hw_emit_ptx(lo, lo->inst);
    }
    t = hw_emit_blank();
    if (status == HW_OK) status = hw_emit_inst(lo, HW_BODY_UNGUARD, &t);
    if (status == HW_OK) lo->body.insts[guard].target = lo->body.n;
    return status;
}

// ---- all blocks ----

static hw_status emit_block(hw_lowering *lo, const hw_cfg_block *block) {
    const hw_ptx_function *f = lo->f;
    uint32_t end = block->end;
    hw_status status = HW_OK;
    if (end > block->first && !block->skips && hw_op_traits(f->insts[end - 1].op)->flow != HW_FLOW_ON) end--;
    for (uint32_t i = block->first; i < end && status == HW_OK;) {
        uint32_t n = 1;
        if (lo->lifted[i]) {
        } else if (f->insts[i].guard < 0 || block->is_skipped) {
            at_instruction(lo, i);
            status = hw_emit_ptx(lo, lo->inst);
        } else {
            n = same_guard(lo, i, end);
            status = emit_guarded(lo, i, n);
        }
        i += n;
    }
    return status == HW_OK ? emit_terminator(lo, block) : status;
}

hw_status hw_emit_body(hw_lowering *lo) {
    hw_cfg *cfg = &lo->cfg;
    uint32_t *start = hw_arena_take(lo->scratch, cfg->n_blocks * sizeof *start);
    if (!start) return hw_diag_no_memory(lo->diag);
    lo->list = &lo->body;
    lo->base = HW_BASE_FRAME;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        start[b] = lo->body.n;
        if (cfg->blocks[b].order == HW_NO_BLOCK) continue;
        hw_status status = emit_block(lo, &cfg->blocks[b]);
        if (status != HW_OK) return status;
    }
    for (uint32_t k = 0; k < lo->n_fixups; k++) {
        const hw_fixup *fixup = &lo->fixups[k];
        hw_inst *inst = &lo->body.insts[fixup->inst];
        if (fixup->target != HW_NO_BLOCK) inst->target = start[fixup->target];
        if (fixup->reconverge != HW_NO_BLOCK) inst->reconverge = start[fixup->reconverge];
    }
    for (uint32_t k = 0; k < lo->n_targets; k++) lo->program->targets[k] = start[lo->program->targets[k]];
    return HW_OK;
}
