// Decoded instructions as statements of C, in which each body is the expression of its row (forms.h).
#include <string.h>

#include "compile/draft.h"

// ---- values ----

// The call of a form's function with an instruction's operands.
static const char *call_form(hw_draft *w, char *out, size_t size, const hw_inst *in, hw_body_id id) {
    const hw_form *form = hw_form_of(id);
    const hw_slot operands[] = {in->a, in->b, in->c, in->fourth};
    const bool is_and = hw_body_spelling_of(id)->op == HW_OP_AND;
    int length = snprintf(out, size, "%s(", form->function);
    w->is_named[id] = 1;
    for (unsigned k = 0; k < 4 && form->sources[k]; k++) {
        char operand[128];
        if (is_and) hw_draft_read_mask(w, operand, operands[k], form->sources[k]);
        else hw_draft_read(w, operand, operands[k], form->sources[k], form->ignores_payloads);
        length += snprintf(out + length, size - (size_t)length, "%s%s", k ? ", " : "", operand);
    }
    snprintf(out + length, size - (size_t)length, ")");
    return out;
}

static void write_value(hw_draft *w, const hw_inst *in, hw_body_id id) {
    const hw_form *form = hw_form_of(id);
    char value[768];
    call_form(w, value, sizeof value, in, id);
    hw_draft_assign(w, in->d, form->result, value, form->is_canonical);
}

static void write_test(hw_draft *w, const hw_inst *in, hw_body_id id) {
    static const char *const combines[] = {"", " & ", " | ", " ^ "};     // by hw_combination
    char value[768], p[128] = "", text[1024];
    call_form(w, value, sizeof value, in, id);
    bool is_single = !hw_form_of(id)->sources[1];
    const uint32_t combination = is_single ? HW_COMBINE_NONE : in->combination;
    if (combination) hw_draft_read_predicate(w, p, in->p, in->flags & HW_INST_NEGATE_P);
    uint32_t number = w->n_numbers++;
    fprintf(w->parts[HW_DRAFT_LANE], "                const int v%u = %s;\n", number, value);
    snprintf(text, sizeof text, "v%u%s%s", number, combines[combination], p);
    hw_draft_assign(w, in->d, "int", text, false);
    if (is_single || in->e == HW_NO_SLOT) return;
    snprintf(text, sizeof text, "(v%u ^ 1)%s%s", number, combines[combination], p);
    hw_draft_assign(w, in->e, "int", text, false);
}

static void write_predicate(hw_draft *w, const hw_inst *in, hw_body_id id) {
    const hw_form *form = hw_form_of(id);
    char a[128], b[128] = "", text[512];
    w->is_named[id] = 1;
    hw_draft_read_predicate(w, a, in->a, in->flags & HW_INST_NEGATE_P);
    if (form->sources[1]) hw_draft_read_predicate(w, b, in->b, in->flags & HW_INST_NEGATE_B);
    snprintf(text, sizeof text, form->sources[1] ? "%s(%s, %s)" : "%s(%s)", form->function, a, b);
    hw_draft_assign(w, in->d, "int", text, false);
}

static void write_select(hw_draft *w, const hw_inst *in, const hw_form *form) {
    char p[128], a[128], b[128], text[512];
    hw_draft_read_predicate(w, p, in->p, in->flags & HW_INST_NEGATE_P);
    hw_draft_read(w, a, in->a, form->result, false);
    hw_draft_read(w, b, in->b, form->result, false);
    snprintf(text, sizeof text, "%s ? %s : %s", p, a, b);
    hw_draft_assign(w, in->d, form->result, text, false);
}

// The sum of the products that the table holds; compilers have an instruction for it.
static void write_lop3(hw_draft *w, const hw_inst *in) {
    char a[128], b[128], c[128], text[1536] = "0u";
    hw_draft_read(w, a, in->a, "u32", false);
    hw_draft_read(w, b, in->b, "u32", false);
    hw_draft_read(w, c, in->c, "u32", false);
    for (unsigned k = 0; k < 8; k++) {
        size_t length = strlen(text);
        if (in->imm >> k & 1)
            snprintf(text + length, sizeof text - length, " | (%s%s & %s%s & %s%s)", k & 4 ? "" : "~", a,
                     k & 2 ? "" : "~", b, k & 1 ? "" : "~", c);
    }
    hw_draft_assign(w, in->d, "u32", text, false);
}

static void write_pack(hw_draft *w, const hw_inst *in, const hw_form *form) {
    char text[2048] = "";
    for (uint32_t k = 0; k < in->vector; k++) {
        char part[128];
        size_t length = strlen(text);
        hw_draft_read(w, part, w->program->slots[in->list + k], form->sources[0], false);
        snprintf(text + length, sizeof text - length, "%s(%s)(%s)%s << %u", k ? " | " : "", form->result,
                 hw_draft_bits_type(form->part_bits / 8u), part, form->part_bits * k);
    }
    hw_draft_assign(w, in->d, form->result, text, false);
}

static void write_unpack(hw_draft *w, const hw_inst *in, const hw_form *form) {
    char whole[128], text[256];
    hw_draft_read(w, whole, in->a, form->result, false);
    uint32_t number = w->n_numbers++;     // the source may be among the destinations
    fprintf(w->parts[HW_DRAFT_LANE], "                const %s v%u = %s;\n", form->result, number, whole);
    for (uint32_t k = 0; k < in->vector; k++) {
        snprintf(text, sizeof text, "(%s)(v%u >> %u)", hw_draft_bits_type(form->part_bits / 8u), number,
                 form->part_bits * k);
        hw_draft_assign(w, w->program->slots[in->list + k], form->sources[0], text, false);
    }
}

// ---- accesses ----

const char *hw_draft_memory_type(const hw_inst *in) {
    static const char *const s[] = {"s8", "s16", "s32", "s64"};
    unsigned log = (unsigned)__builtin_ctz(in->width);
    return in->flags & HW_INST_SIGNED ? s[log] : hw_draft_bits_type(in->width);
}

static hw_slot element_slot(const hw_draft *w, const hw_inst *in, uint32_t k, hw_slot single) {
    return in->vector > 1 ? w->program->slots[in->list + k] : single;
}

// The address of the group's first access in the half of the warp.
static void locate_group(hw_draft *w, const hw_segment_access *access) {
    if (access->is_first)
        fprintf(w->parts[HW_DRAFT_HALF], "            char *const g%u = m[%u].at[k] + h * m[%u].apart;\n",
                access->group, access->group, access->group);
}

static void write_load(hw_draft *w, const hw_inst *in) {
    uint32_t number = w->access++;
    const hw_segment_access *access = &w->segment->accesses[number];
    const char *type = hw_draft_memory_type(in), *reg = hw_draft_bits_type(in->reg_bytes);
    bool is_same = access->shape == HW_SEEN_SAME;
    char text[256];
    locate_group(w, access);
    fprintf(w->parts[HW_DRAFT_HALF], "            const %s *m%u = (const %s *)(g%u + %lld);\n", type, number, type,
            access->group, (long long)access->distance);
    for (uint32_t k = 0; k < in->vector; k++) {
        hw_slot slot = element_slot(w, in, k, in->d);
        if (slot == HW_NO_SLOT) continue;
        if (is_same) {
            fprintf(w->parts[HW_DRAFT_HALF], "            const %s m%u_%u = (%s)m%u[%u];\n", reg, number, k, reg,
                    number, k);
            snprintf(text, sizeof text, "m%u_%u", number, k);
        } else {
            snprintf(text, sizeof text, "(%s)LOADED(m%u[i * %u + %u])", reg, number, in->vector, k);
        }
        hw_draft_assign(w, slot, reg, text, false);
    }
}

static bool may_meet(uint8_t a, uint8_t b) {
    return a == b || a == HW_SPACE_GENERIC || b == HW_SPACE_GENERIC;
}

// Do loads of the segment read where it stores? Then all lanes load before one stores.
static bool reads_what_it_writes(const hw_draft *w, const hw_inst *store) {
    for (uint32_t k = 0; k < w->segment->n_accesses; k++) {
        const hw_inst *in = &w->program->insts[w->segment->first + w->segment->accesses[k].offset];
        if (in != store && may_meet(in->space, store->space)) return true;
    }
    return false;
}

static void write_store(hw_draft *w, const hw_inst *in) {
    uint32_t number = w->access++;
    const hw_segment_access *access = &w->segment->accesses[number];
    const char *type = hw_draft_bits_type(in->width), *reg = hw_draft_bits_type(in->reg_bytes);
    bool is_late = reads_what_it_writes(w, in);
    if (is_late)
        fprintf(w->parts[HW_DRAFT_WARP], "        ALIGNED %s late[2][16 * %u];\n", type, in->vector);
    locate_group(w, access);
    fprintf(w->parts[HW_DRAFT_HALF],
            is_late ? "            %s *m%u = late[h];\n" : "            %s *m%u = (%s *)(g%u + %lld);\n", type, number,
            type, access->group, (long long)access->distance);
    for (uint32_t k = 0; k < in->vector; k++) {
        char value[128];
        hw_draft_read(w, value, element_slot(w, in, k, in->b), reg, false);
        fprintf(w->parts[HW_DRAFT_LANE], is_late ? "                m%u[i * %u + %u] = (%s)%s;\n"
                                           : "                STORE(m%u[i * %u + %u], (%s)%s);\n",
                number, in->vector, k, type, value);
    }
    if (is_late)
        fprintf(w->parts[HW_DRAFT_WARP_END],
                "        for (u32 h = 0; h < 2; h++)\n"
                "            STORE_LATE(m[%u].at[k] + h * m[%u].apart + %lld, late[h], %u);\n",
                access->group, access->group, (long long)access->distance, in->vector);
}

// ---- all of them ----

static void write_instruction(hw_draft *w, uint32_t index) {
    const hw_inst *in = &w->program->insts[index];
    hw_body_id id = w->program->bodies[index];
    const hw_form *form = hw_form_of(id);
    switch (id) {
    case HW_BODY_LD: case HW_BODY_ST:
        if (w->is_lanewise) hw_draft_lanewise_access(w, index);
        else if (w->is_piece) hw_draft_access(w, index);
        else if (id == HW_BODY_LD) write_load(w, in);
        else write_store(w, in);
        return;
    case HW_BODY_NOP: return;
    case HW_BODY_GUARD:
        w->guard = hw_draft_read_predicate(w, w->guard_text, in->p, in->flags & HW_INST_NEGATE_P);
        return;
    case HW_BODY_UNGUARD: w->guard = NULL; return;
    default: break;
    }
    switch ((hw_form_kind)form->kind) {
    case HW_FORM_VALUE: write_value(w, in, id); break;
    case HW_FORM_TEST: write_test(w, in, id); break;
    case HW_FORM_PREDICATE: write_predicate(w, in, id); break;
    case HW_FORM_SELECT: write_select(w, in, form); break;
    case HW_FORM_LOP3: write_lop3(w, in); break;
    case HW_FORM_PACK: write_pack(w, in, form); break;
    case HW_FORM_UNPACK: write_unpack(w, in, form); break;
    case HW_FORM_NONE: w->failed = true; break;
    }
}

// An access that is made behind the stage finds its address in a register, or writes one, where it goes the slow way.
static bool is_pending(const hw_draft *w, hw_slot slot) {
    for (uint32_t k = 0; k < w->n_pending; k++)
        if (w->pending[k] == slot) return true;
    return false;
}

// Does the instruction need what the stage's accesses have loaded, or change what they need?
static bool waits_for_accesses(const hw_draft *w, const hw_usage *u) {
    bool waits = w->n_pending + HW_USAGE_MOST > HW_DRAFT_PENDING;
    for (uint32_t k = 0; k < u->n_reads; k++) {
        const hw_draft_variable *v = hw_draft_find(w, u->reads[k]);
        waits |= v && v->stage > w->stage;
    }
    for (uint32_t k = 0; k < u->n_writes; k++) waits |= is_pending(w, u->writes[k]);
    return waits;
}

void hw_draft_instruction(hw_draft *w, uint32_t index) {
    hw_usage u;
    hw_usage_of(w->program, index, &u);
    if (w->is_piece && waits_for_accesses(w, &u)) hw_draft_next_stage(w);
    if (w->failed) return;
    write_instruction(w, index);
    if (w->is_piece && !hw_symbols_note(w->symbols, index, false)) w->failed = true;
}
