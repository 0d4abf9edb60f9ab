// Registers as variables of the text: read once, a new variable for each value, NaNs made canonical where it matters.
#include <stdlib.h>
#include <string.h>

#include "compile/draft.h"

// ---- types ----

static const char *hw_draft_plain_type(const char *type) {
    return !strcmp(type, "float") ? "f32" : !strcmp(type, "double") ? "f64" : type;
}

static unsigned hw_draft_type_bytes(const char *type) {
    if (!strcmp(type, "int")) return 0;    // a predicate
    return (unsigned)atoi(hw_draft_plain_type(type) + 1) / 8;
}

const char *hw_draft_bits_type(unsigned bytes) {
    return bytes == 8 ? "u64" : bytes == 4 ? "u32" : bytes == 2 ? "u16" : "u8";
}

static bool is_float(const char *type) { return hw_draft_plain_type(type)[0] == 'f'; }

// x, of a type, as another of the same width.
static const char *as_type(char out[128], const char *x, const char *from, const char *to) {
    from = hw_draft_plain_type(from), to = hw_draft_plain_type(to);
    if (!strcmp(from, to)) snprintf(out, 128, "%s", x);
    else if (is_float(from) || is_float(to)) snprintf(out, 128, "AS(%s, %s)", to, x);
    else snprintf(out, 128, "(%s)%s", to, x);
    return out;
}

// ---- registers ----

static hw_draft_variable *find_variable(hw_draft *w, hw_slot slot) {
    for (uint32_t k = w->n_variables; k-- > 0;)
        if (w->variables[k].slot == slot) return &w->variables[k];
    return NULL;
}

static hw_draft_variable *add_variable(hw_draft *w, hw_slot slot, const char *type) {
    hw_draft_variable *v = find_variable(w, slot);
    if (!v && w->n_variables == HW_DRAFT_VARIABLES) {
        w->failed = true;
        v = &w->variables[0];
    }
    if (!v) v = &w->variables[w->n_variables++];
    *v = (hw_draft_variable){.slot = slot, .number = w->n_numbers++, .type = hw_draft_plain_type(type),
                             .stage = w->stage};
    v->made = v->number;
    v->made_in = w->stage;
    return v;
}

const hw_draft_variable *hw_draft_find(const hw_draft *w, hw_slot slot) { return find_variable((hw_draft *)w, slot); }

// A constant that is known now, and is no address, which another process would have elsewhere.
static const hw_immediate *find_immediate(const hw_program *program, hw_slot slot) {
    for (uint32_t k = 0; k < program->n_immediates; k++)
        if (program->immediates[k].slot == slot) return program->immediates[k].bits >> 32 ? NULL
                                                                                         : &program->immediates[k];
    return NULL;
}

static FILE *lanes_of(hw_draft *w, uint32_t stage) { return w->stages[stage][HW_DRAFT_LANE - HW_DRAFT_HALF].to; }

// The array that has the value of a variable that a stage has computed.
static uint32_t keep(hw_draft *w, hw_draft_variable *v) {
    if (v->kept) return v->kept - 1;
    v->kept = ++w->n_numbers;
    fprintf(w->parts[HW_DRAFT_WARP], "        ALIGNED %s x%u[32];\n", v->type, v->kept - 1);
    fprintf(lanes_of(w, v->made_in), "                x%u[LANE] = v%u;\n", v->kept - 1, v->made);
    return v->kept - 1;
}

// What has been computed in an earlier stage, or loaded behind it, gets a name in this one.
static hw_draft_variable *bring(hw_draft *w, hw_draft_variable *v) {
    const bool is_named = v->stage == w->stage && !(v->is_loaded && v->number == v->made);
    if (v->is_everywhere || is_named) return v;
    const uint32_t kept = keep(w, v), number = w->n_numbers++;
    fprintf(w->parts[HW_DRAFT_LANE], "                const %s v%u = x%u[LANE];\n", v->type, number, kept);
    v->number = number;
    v->stage = w->stage;
    return v;
}

// The variable that holds a register's value, read where it was not yet.
static hw_draft_variable *read_variable(hw_draft *w, hw_slot slot, const char *type) {
    hw_draft_variable *v = find_variable(w, slot);
    if (v) return bring(w, v);
    const char *bits = hw_draft_bits_type(hw_draft_type_bytes(type));
    v = add_variable(w, slot, bits);
    v->is_everywhere = hw_slot_is_uniform(slot);
    const hw_immediate *known = (slot & 3) == HW_BASE_LAUNCH ? find_immediate(w->program, slot) : NULL;
    if (known)
        fprintf(w->parts[HW_DRAFT_LAUNCH], "    const %s v%u = %lluu;\n", bits, v->number,
                (unsigned long long)known->bits);
    else if (hw_slot_is_uniform(slot))
        fprintf(w->parts[HW_DRAFT_LAUNCH], "    const %s v%u = *(const %s *)REGISTER(%u, %u);\n", bits, v->number, bits,
                slot & 3, slot);
    else if (w->is_lanewise)
        fprintf(w->parts[HW_DRAFT_LANE], "                const %s v%u = s%u;\n", bits, v->number, slot);
    else
        fprintf(w->parts[HW_DRAFT_LANE], "                const %s v%u = ((const %s *)REGISTER(%u, %u))[LANE];\n", bits,
                v->number, bits, slot & 3, slot);
    return v;
}

const char *hw_draft_read(hw_draft *w, char out[128], hw_slot slot, const char *type, bool takes_raw) {
    const hw_draft_variable *v = read_variable(w, slot, type);
    char name[64];
    snprintf(name, sizeof name, v->is_raw && !takes_raw ? "canon(v%u)" : "v%u", v->number);
    return as_type(out, name, v->type, type);
}

// `x & 1` that is compared is a conversion to bool to gcc, of which it makes no vectors.
const char *hw_draft_read_mask(hw_draft *w, char out[128], hw_slot slot, const char *type) {
    const hw_immediate *known = (slot & 3) == HW_BASE_LAUNCH ? find_immediate(w->program, slot) : NULL;
    if (!known || known->bits != 1) return hw_draft_read(w, out, slot, type, false);
    if (!w->bit_number) {
        w->bit_number = ++w->n_numbers;
        fprintf(w->parts[HW_DRAFT_LAUNCH], "    const u64 o%u = hidden(1);\n", w->bit_number - 1);
    }
    snprintf(out, 128, "(%s)o%u", type, w->bit_number - 1);
    return out;
}

const char *hw_draft_read_predicate(hw_draft *w, char out[128], hw_slot slot, bool is_negated) {
    hw_draft_variable *v = find_variable(w, slot);
    if (v) v = bring(w, v);
    if (!v && w->is_lanewise) {
        v = add_variable(w, slot, "int");
        if (hw_slot_is_uniform(slot))
            fprintf(w->parts[HW_DRAFT_LANE], "                const int v%u = PREDICATE(%u, %u) >> lane & 1;\n",
                    v->number, slot & 3, slot);
        else fprintf(w->parts[HW_DRAFT_LANE], "                const int v%u = s%u;\n", v->number, slot);
    }
    if (!v) {
        v = add_variable(w, slot, "int");
        fprintf(w->parts[hw_slot_is_uniform(slot) ? HW_DRAFT_LAUNCH : HW_DRAFT_WARP],
                "        const u32 w%u = *(const u32 *)REGISTER(%u, %u);\n", v->number, slot & 3, slot);
        fprintf(w->parts[HW_DRAFT_HALF], "            const u32 h%u = w%u >> 16 * h;\n", v->number, v->number);
        fprintf(w->parts[HW_DRAFT_LANE], "                const int v%u = h%u >> i & 1;\n", v->number, v->number);
    }
    snprintf(out, 128, is_negated ? "(v%u ^ 1)" : "v%u", v->number);
    return out;
}

uint32_t hw_draft_keep(hw_draft *w, hw_slot slot, const char *type) {
    char value[128];
    hw_draft_variable *v = find_variable(w, slot);
    if (v && !v->is_everywhere && !v->is_raw && !strcmp(v->type, type)) return keep(w, v);
    const uint32_t number = w->n_numbers++;
    hw_draft_read(w, value, slot, type, false);
    fprintf(w->parts[HW_DRAFT_WARP], "        ALIGNED %s x%u[32];\n", type, number);
    fprintf(w->parts[HW_DRAFT_LANE], "                x%u[LANE] = %s;\n", number, value);
    return number;
}

void hw_draft_assign_loaded(hw_draft *w, hw_slot slot, const char *type, uint32_t number) {
    hw_draft_variable *v = add_variable(w, slot, type);
    v->is_dirty = v->is_loaded = true;
    v->stage = v->made_in = w->stage + 1;    // whoever reads it ends this one
    v->kept = number + 1;
}

void hw_draft_assign(hw_draft *w, hw_slot slot, const char *type, const char *value, bool is_raw) {
    if (slot == HW_NO_SLOT) return;
    char old[128] = "";
    bool is_predicate = !strcmp(type, "int");
    if (w->guard && is_predicate) hw_draft_read_predicate(w, old, slot, false);
    else if (w->guard) hw_draft_read(w, old, slot, type, false);
    hw_draft_variable *v = add_variable(w, slot, type);
    v->is_dirty = true;
    v->is_raw = is_raw && !w->guard;
    if (w->guard && is_raw)
        fprintf(w->parts[HW_DRAFT_LANE], "                const %s v%u = %s ? canon(%s) : %s;\n", v->type, v->number,
                w->guard, value, old);
    else if (w->guard)
        fprintf(w->parts[HW_DRAFT_LANE], "                const %s v%u = %s ? (%s)(%s) : %s;\n", v->type, v->number,
                w->guard, v->type, value, old);
    else
        fprintf(w->parts[HW_DRAFT_LANE], "                const %s v%u = %s;\n", v->type, v->number, value);
}
