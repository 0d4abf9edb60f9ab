// hw_program_print: a program as text, for tests.
//
//     12  add.s32  F128 = F0 L64(4)             F, L, B, W: frame, launch, block, warp area and byte offset;
//     13  bra.p  p=!F512 -> 20 reconverge 24 #9  a launch slot that holds a constant shows it; #: instructions counted
#include <inttypes.h>

#include "base/text.h"
#include "lower/lowering.h"

// Slots are taken in rising order, so immediates are sorted.
static const hw_immediate *find_immediate(const hw_program *p, hw_slot slot) {
    uint32_t low = 0, high = p->n_immediates;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->immediates[middle].slot < slot) low = middle + 1;
        else high = middle;
    }
    if (low < p->n_immediates && p->immediates[low].slot == slot) return &p->immediates[low];
    // Predicates are packed into older room: they are out of order.
    for (uint32_t k = 0; k < p->n_immediates; k++)
        if (p->immediates[k].lane == HW_LANE_PRED && p->immediates[k].slot == slot) return &p->immediates[k];
    return NULL;
}

static void put_slot(hw_text *t, const hw_program *p, hw_slot slot) {
    if (slot == HW_NO_SLOT) {
        hw_text_put(t, "_");
        return;
    }
    hw_text_put(t, "%c%u", "FLBW"[slot & 3], slot & ~3u);
    const hw_immediate *immediate = (slot & 3) == HW_BASE_LAUNCH ? find_immediate(p, slot) : NULL;
    if (immediate) hw_text_put(t, immediate->bits < 4096 ? "(%" PRIu64 ")" : "(0x%" PRIx64 ")", immediate->bits);
}

// What is written, what is read, the predicate, and a vector's slots.
static void put_slots(hw_text *t, const hw_program *p, const hw_inst *in, uint16_t uses) {
    bool has_fourth = uses & HW_USES_FOURTH;
    hw_slot second = has_fourth ? HW_NO_SLOT : in->e, fourth = has_fourth ? in->fourth : HW_NO_SLOT;
    if (in->d != HW_NO_SLOT || second != HW_NO_SLOT) {
        hw_text_put(t, "  ");
        put_slot(t, p, in->d);
        if (second != HW_NO_SLOT) hw_text_put(t, "|"), put_slot(t, p, second);
        hw_text_put(t, " =");
    }
    const hw_slot sources[] = {in->a, in->b, in->c, fourth};
    for (int k = 0; k < 4; k++)
        if (sources[k] != HW_NO_SLOT) hw_text_put(t, " "), put_slot(t, p, sources[k]);
    if (in->p != HW_NO_SLOT) hw_text_put(t, " p=%s", in->flags & HW_INST_NEGATE_P ? "!" : ""), put_slot(t, p, in->p);
    if (!(uses & HW_USES_LIST) || in->vector <= 1) return;
    hw_text_put(t, " {");
    for (unsigned e = 0; e < in->vector; e++) hw_text_put(t, e ? " " : ""), put_slot(t, p, p->slots[in->list + e]);
    hw_text_put(t, "}");
}

static void put_access(hw_text *t, const hw_inst *in) {
    hw_text_put(t, " [%+" PRId64 "] %s.%u", in->imm, hw_space_name((hw_space)in->space), in->width);
    if (in->reg_bytes && in->reg_bytes != in->width)
        hw_text_put(t, "->%s%u", in->flags & HW_INST_SIGNED ? "s" : "u", in->reg_bytes);
    if (in->flags & HW_INST_ADDRESS_32) hw_text_put(t, " a32");
    if (in->flags & HW_INST_VOLATILE) hw_text_put(t, " volatile");
    else if (in->flags & HW_INST_WHOLE) hw_text_put(t, " whole");
}

static void put_call(hw_text *t, const hw_call_site *site) {
    hw_text_put(t, " %s", site->callee ? site->callee->name : site->builtin ? site->builtin : "?");
    for (uint32_t k = 0; k < site->n_args; k++) hw_text_put(t, "%s%u", k ? ", " : " (", site->arg_offsets[k]);
    hw_text_put(t, site->n_args ? ")" : " ()");
    for (uint32_t k = 0; k < site->n_rets; k++) hw_text_put(t, " -> %u", site->ret_offsets[k]);
}

static void put_inst(hw_text *t, const hw_program *p, const hw_inst *in, hw_body_id body) {
    const hw_body_info *info = hw_body_info_of(body);
    hw_text_put(t, "%s", info->name);
    put_slots(t, p, in, info->uses);
    if (info->uses & HW_USES_ACCESS) put_access(t, in);
    if (info->uses & HW_USES_NUMBER) hw_text_put(t, " imm %" PRId64, in->imm);
    if (info->uses & HW_USES_SREG) hw_text_put(t, " %s", hw_sreg_name((hw_sreg)in->sreg));
    else if (in->choices) hw_text_put(t, " choice %u", in->choices);
    if (info->uses & HW_USES_TARGET) hw_text_put(t, " -> %u", in->target);
    if (info->uses & HW_USES_TARGETS)
        for (int64_t k = 0; k < in->imm; k++)
            hw_text_put(t, "%s %u", k ? "" : " ->", p->targets[in->targets + (uint32_t)k]);
    if (in->reconverge != HW_NO_RECONVERGENCE) hw_text_put(t, " reconverge %u", in->reconverge);
    if (info->uses & HW_USES_CALLEE) put_call(t, &p->calls[in->call]);
    if (info->uses & HW_USES_COUNT) hw_text_put(t, " #%u", in->count);
    hw_text_put(t, "\n");
}

static void put_list(hw_text *t, const hw_program *p, const char *title, const hw_inst *insts, const hw_body_id *bodies,
                     uint32_t n) {
    if (n <= 1) return;
    hw_text_put(t, "%s:\n", title);
    for (uint32_t i = 0; i + 1 < n; i++) {
        hw_text_put(t, "      ");
        put_inst(t, p, &insts[i], bodies[i]);
    }
}

char *hw_program_print(const hw_program *program) {
    hw_text t = hw_text_growing();
    hw_text_put(&t, "%s: frame %u launch %u block %u warp %u param %u/%u local %u shared %u regs %u%s\n", program->name,
             program->frame_bytes, program->launch_bytes, program->block_bytes, program->warp_bytes,
             program->formal_param_bytes, program->param_bytes, program->local_bytes, program->shared_bytes,
             program->regs_estimate, program->may_recurse ? " recursive" : "");
    put_list(&t, program, "launch", program->launch_insts, program->launch_bodies, program->n_launch);
    put_list(&t, program, "block", program->block_insts, program->block_bodies, program->n_block);
    put_list(&t, program, "warp", program->warp_insts, program->warp_bodies, program->n_warp);
    hw_text_put(&t, "body:\n");
    for (uint32_t i = 0; i < program->n_insts; i++) {
        hw_text_put(&t, "%4u  ", i);
        put_inst(&t, program, &program->insts[i], program->bodies[i]);
    }
    return hw_text_finish(&t);
}
