// Decoded instructions in which lanes of a warp or warps of a block meet: shuffles, votes, barriers.
#include "lower/lowering.h"

static const char *word_of(const hw_mods *mods, const hw_mod *words, unsigned n) {
    for (unsigned k = 0; k < n; k++)
        if (hw_has_mod(mods, words[k])) return hw_mod_name(words[k]);
    return "none";
}

// The destination, which may be missing, and its second half, a predicate.
static hw_status find_destinations(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, hw_inst *t,
                                   hw_destination *first) {
    hw_destination second;
    hw_status status = hw_operand_destination(lo, hw_operand_reg_of(operand), lane, false, first);
    t->d = first->slot;
    if (status != HW_OK || !operand->is_pair || operand->reg2 < 0) return status;
    status = hw_operand_destination(lo, operand->reg2, HW_LANE_PRED, false, &second);
    t->e = second.slot;
    return status == HW_OK ? hw_operand_finish(lo, &second) : status;
}

// Operand k, or all lanes when there is none (the forms of before PTX 6.0).
static hw_status find_members(hw_lowering *lo, const hw_ptx_inst *inst, unsigned k, hw_slot *out) {
    if (k < inst->n_operands) return hw_operand_source(lo, &inst->operands[k], HW_LANE_32, out);
    return hw_slots_immediate(lo, 0xffffffffu, HW_LANE_32, out);
}

hw_status hw_emit_shfl(hw_lowering *lo, const hw_ptx_inst *inst) {
    static const hw_mod modes[] = {HW_M_UP, HW_M_DOWN, HW_M_BFLY, HW_M_IDX};
    hw_inst t = hw_emit_blank();
    hw_destination d;
    hw_status status = find_destinations(lo, &inst->operands[0], HW_LANE_32, &t, &d);
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[1], HW_LANE_32, &t.a);
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[2], HW_LANE_32, &t.b);
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[3], HW_LANE_32, &t.c);
    if (status == HW_OK) status = find_members(lo, inst, 4, &t.p);
    if (status != HW_OK) return status;
    status = hw_emit_inst(lo, hw_names_printf("shfl.%s", word_of(&inst->mods, modes, 4)), &t);
    return status == HW_OK ? hw_operand_finish(lo, &d) : status;
}

hw_status hw_emit_vote(hw_lowering *lo, const hw_ptx_inst *inst) {
    static const hw_mod modes[] = {HW_M_ALL, HW_M_ANY, HW_M_UNI, HW_M_BALLOT};
    hw_lane lane = hw_has_mod(&inst->mods, HW_M_BALLOT) ? HW_LANE_32 : HW_LANE_PRED;
    hw_inst t = hw_emit_blank();
    hw_destination d;
    hw_status status = find_destinations(lo, &inst->operands[0], lane, &t, &d);
    if (status == HW_OK) status = hw_operand_predicate(lo, &inst->operands[1], &t);
    if (status == HW_OK) status = find_members(lo, inst, 2, &t.c);
    if (status != HW_OK) return status;
    status = hw_emit_inst(lo, hw_names_printf("vote.%s", word_of(&inst->mods, modes, 4)), &t);
    return status == HW_OK ? hw_operand_finish(lo, &d) : status;
}

hw_status hw_emit_match(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_lane lane = hw_lane_of(inst->types[0]);
    hw_inst t = hw_emit_blank();
    hw_destination d;
    t.lane_bytes = (uint8_t)hw_lane_bytes(lane);
    hw_status status = find_destinations(lo, &inst->operands[0], HW_LANE_32, &t, &d);
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[1], lane, &t.a);
    if (status == HW_OK) status = find_members(lo, inst, 2, &t.c);
    if (status != HW_OK) return status;
    bool any = hw_has_mod(&inst->mods, HW_M_ANY);
    status = hw_emit_inst(lo, hw_body_find(any ? "match.any" : "match.all"), &t);
    return status == HW_OK ? hw_operand_finish(lo, &d) : status;
}

hw_status hw_emit_redux(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_destination d;
    hw_status status = find_destinations(lo, &inst->operands[0], HW_LANE_32, &t, &d);
    if (status == HW_OK) status = hw_operand_source(lo, &inst->operands[1], HW_LANE_32, &t.a);
    if (status == HW_OK) status = find_members(lo, inst, 2, &t.c);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_names_of(lo, inst), &t);
    return status == HW_OK ? hw_operand_finish(lo, &d) : status;
}

hw_status hw_emit_elect(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_destination d;
    hw_status status = find_destinations(lo, &inst->operands[0], HW_LANE_32, &t, &d);
    if (status == HW_OK) status = find_members(lo, inst, 1, &t.c);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_body_find("elect"), &t);
    return status == HW_OK ? hw_operand_finish(lo, &d) : status;
}

hw_status hw_emit_activemask(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_destination d;
    hw_status status = find_destinations(lo, &inst->operands[0], HW_LANE_32, &t, &d);
    if (status == HW_OK) status = hw_emit_inst(lo, hw_body_find("activemask"), &t);
    return status == HW_OK ? hw_operand_finish(lo, &d) : status;
}

hw_status hw_emit_nanosleep(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_inst t = hw_emit_blank();
    hw_status status = hw_operand_source(lo, &inst->operands[0], HW_LANE_32, &t.a);
    return status == HW_OK ? hw_emit_inst(lo, HW_BODY_NANOSLEEP, &t) : status;
}

// bar.sync a{, b}; bar.arrive a, b; bar.red.op d, a{, b}, p; bar.warp.sync members.
hw_status hw_emit_barrier(hw_lowering *lo, const hw_ptx_inst *inst) {
    static const hw_mod operations[] = {HW_M_POPC, HW_M_AND, HW_M_OR};
    bool reduces = hw_has_mod(&inst->mods, HW_M_RED);
    hw_inst t = hw_emit_blank();
    hw_destination d = {.reg = HW_NO_REG};
    hw_status status = HW_OK;
    unsigned k = reduces, end = inst->n_operands - (reduces && inst->n_operands);
    // A cluster is one block here: who waits is with all others of the block, and who has arrived will wait.
    if (hw_has_mod(&inst->mods, HW_M_CLUSTER))
        return hw_emit_inst(lo, hw_has_mod(&inst->mods, HW_M_WAIT) ? HW_BODY_BAR_CLUSTER : HW_BODY_FENCE, &t);
    if (reduces) {
        bool counts = hw_has_mod(&inst->mods, HW_M_POPC);
        t.combination = counts ? HW_COMBINE_NONE : hw_has_mod(&inst->mods, HW_M_AND) ? HW_COMBINE_AND : HW_COMBINE_OR;
        status = find_destinations(lo, &inst->operands[0], counts ? HW_LANE_32 : HW_LANE_PRED, &t, &d);
        if (status == HW_OK) status = hw_operand_predicate(lo, &inst->operands[end], &t);
    }
    if (status == HW_OK && k < end) status = hw_operand_source(lo, &inst->operands[k++], HW_LANE_32, &t.a);
    else if (status == HW_OK) status = hw_slots_immediate(lo, 0, HW_LANE_32, &t.a);
    if (status == HW_OK && k < end) status = hw_operand_source(lo, &inst->operands[k++], HW_LANE_32, &t.b);
    if (status != HW_OK) return status;
    hw_body_id body = hw_has_mod(&inst->mods, HW_M_WARP) ? HW_BODY_BAR_WARP_SYNC :
                      hw_has_mod(&inst->mods, HW_M_ARRIVE) ? HW_BODY_BAR_ARRIVE : HW_BODY_BAR_SYNC;
    if (reduces) body = hw_names_printf("bar.red.%s", word_of(&inst->mods, operations, 3));
    status = hw_emit_inst(lo, body, &t);
    return status == HW_OK ? hw_operand_finish(lo, &d) : status;
}
