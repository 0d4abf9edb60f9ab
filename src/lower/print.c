// hw_program_print: a program as text, for tests.
//
//     12  add.s32  F128 = F0 L64(4)             F, L, B, W: frame, launch, block, warp area and byte offset;
//     13  bra.p  p=!F512 -> 20 reconverge 24 #9  a launch slot that holds a constant shows it; #: instructions counted
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "lower/lowering.h"

typedef struct text {
    char *bytes;
    size_t length, capacity;
    bool failed;
} text;

static void put_text(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_text(text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0 && t->length + (size_t)length + 1 > t->capacity && !t->failed) {
        size_t capacity = (t->length + (size_t)length + 1) * 2;
        char *bigger = hw_realloc_array(t->bytes, capacity, 1);
        if (bigger) {
            t->bytes = bigger;
            t->capacity = capacity;
        }
        t->failed = !bigger;
    }
    if (length >= 0 && !t->failed) {
        vsnprintf(t->bytes + t->length, (size_t)length + 1, format, again);
        t->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

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

static void put_slot(text *t, const hw_program *p, hw_slot slot) {
    if (slot == HW_NO_SLOT) {
        put_text(t, "_");
        return;
    }
    put_text(t, "%c%u", "FLBW"[slot & 3], slot & ~3u);
    const hw_immediate *immediate = (slot & 3) == HW_BASE_LAUNCH ? find_immediate(p, slot) : NULL;
    if (immediate) put_text(t, immediate->bits < 4096 ? "(%" PRIu64 ")" : "(0x%" PRIx64 ")", immediate->bits);
}

// What is written, what is read, the predicate, and a vector's slots.
static void put_slots(text *t, const hw_program *p, const hw_inst *in, uint16_t uses) {
    bool has_fourth = uses & HW_USES_FOURTH;
    hw_slot second = has_fourth ? HW_NO_SLOT : in->e, fourth = has_fourth ? in->fourth : HW_NO_SLOT;
    if (in->d != HW_NO_SLOT || second != HW_NO_SLOT) {
        put_text(t, "  ");
        put_slot(t, p, in->d);
        if (second != HW_NO_SLOT) put_text(t, "|"), put_slot(t, p, second);
        put_text(t, " =");
    }
    const hw_slot sources[] = {in->a, in->b, in->c, fourth};
    for (int k = 0; k < 4; k++)
        if (sources[k] != HW_NO_SLOT) put_text(t, " "), put_slot(t, p, sources[k]);
    if (in->p != HW_NO_SLOT) put_text(t, " p=%s", in->flags & HW_INST_NEGATE_P ? "!" : ""), put_slot(t, p, in->p);
    if (!(uses & HW_USES_LIST) || in->vector <= 1) return;
    put_text(t, " {");
    for (unsigned e = 0; e < in->vector; e++) put_text(t, e ? " " : ""), put_slot(t, p, p->slots[in->list + e]);
    put_text(t, "}");
}

static void put_access(text *t, const hw_inst *in) {
    put_text(t, " [%+" PRId64 "] %s.%u", in->imm, hw_space_name((hw_space)in->space), in->width);
    if (in->reg_bytes && in->reg_bytes != in->width)
        put_text(t, "->%s%u", in->flags & HW_INST_SIGNED ? "s" : "u", in->reg_bytes);
    if (in->flags & HW_INST_ADDRESS_32) put_text(t, " a32");
    if (in->flags & HW_INST_VOLATILE) put_text(t, " volatile");
}

static void put_call(text *t, const hw_call_site *site) {
    put_text(t, " %s", site->callee ? site->callee->name : site->builtin ? site->builtin : "?");
    for (uint32_t k = 0; k < site->n_args; k++) put_text(t, "%s%u", k ? ", " : " (", site->arg_offsets[k]);
    put_text(t, site->n_args ? ")" : " ()");
    for (uint32_t k = 0; k < site->n_rets; k++) put_text(t, " -> %u", site->ret_offsets[k]);
}

static void put_inst(text *t, const hw_program *p, const hw_inst *in, hw_body_id body) {
    const hw_body_info *info = hw_body_info_of(body);
    put_text(t, "%s", info->name);
    put_slots(t, p, in, info->uses);
    if (info->uses & HW_USES_ACCESS) put_access(t, in);
    if (info->uses & HW_USES_NUMBER) put_text(t, " imm %" PRId64, in->imm);
    if (info->uses & HW_USES_SREG) put_text(t, " %s", hw_sreg_name((hw_sreg)in->sub));
    else if (in->sub) put_text(t, " sub %u", in->sub);
    if (info->uses & HW_USES_TARGET) put_text(t, " -> %u", in->target);
    if (info->uses & HW_USES_TARGETS)
        for (int64_t k = 0; k < in->imm; k++)
            put_text(t, "%s %u", k ? "" : " ->", p->targets[in->targets + (uint32_t)k]);
    if (in->reconverge != HW_NO_RECONVERGENCE) put_text(t, " reconverge %u", in->reconverge);
    if (info->uses & HW_USES_CALLEE) put_call(t, &p->calls[in->call]);
    if (info->uses & HW_USES_COUNT) put_text(t, " #%u", in->count);
    put_text(t, "\n");
}

static void put_list(text *t, const hw_program *p, const char *title, const hw_inst *insts, const hw_body_id *bodies,
                     uint32_t n) {
    if (n <= 1) return;
    put_text(t, "%s:\n", title);
    for (uint32_t i = 0; i + 1 < n; i++) {
        put_text(t, "      ");
        put_inst(t, p, &insts[i], bodies[i]);
    }
}

char *hw_program_print(const hw_program *program) {
    text t = {0};
    put_text(&t, "%s: frame %u launch %u block %u warp %u param %u/%u local %u shared %u regs %u%s\n", program->name,
             program->frame_bytes, program->launch_bytes, program->block_bytes, program->warp_bytes,
             program->formal_param_bytes, program->param_bytes, program->local_bytes, program->shared_bytes,
             program->regs_estimate, program->may_recurse ? " recursive" : "");
    put_list(&t, program, "launch", program->launch_insts, program->launch_bodies, program->n_launch);
    put_list(&t, program, "block", program->block_insts, program->block_bodies, program->n_block);
    put_list(&t, program, "warp", program->warp_insts, program->warp_bodies, program->n_warp);
    put_text(&t, "body:\n");
    for (uint32_t i = 0; i < program->n_insts; i++) {
        put_text(&t, "%4u  ", i);
        put_inst(&t, program, &program->insts[i], program->bodies[i]);
    }
    if (!t.failed) return t.bytes;
    hw_free(t.bytes);
    return NULL;
}
