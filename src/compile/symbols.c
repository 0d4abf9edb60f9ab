// Sums and scaled indices, as compilers make addresses of them: base + 4 * (block * size + thread) and what is added to
// it from one iteration to the next. Everything else is unknown.
#include "compile/symbols.h"

#include <string.h>

#include "compile/usage.h"

// How a body that sums and products are made of is followed.
typedef enum step {
    STEP_NONE, STEP_ADD, STEP_MAD, STEP_COPY, STEP_WIDE, STEP_EXTEND, STEP_SHIFT
} step;

static bool is_only(const hw_mods *mods, int mod) {
    hw_mods only = {{0}};
    if (mod >= 0) hw_add_mod(&only, (hw_mod)mod);
    return !memcmp(mods, &only, sizeof only);
}

// Sums and products of 32 or 64 bits, and what widens a factor: the opcode, its types and no other modifier say it.
static step step_of(const hw_body_spelling *spelled) {
    enum { PLAIN = -1 };
    const unsigned from = hw_type_bits(spelled->last), to = hw_type_bits(spelled->first);
    const hw_mods *mods = &spelled->mods;
    const bool is_integer = hw_type_kind_of(spelled->last) != HW_KIND_F && hw_type_elements(spelled->last) == 1;
    if (!is_integer || (from != 32 && from != 64)) return STEP_NONE;
    switch (spelled->op) {
    case HW_OP_ADD: return is_only(mods, PLAIN) ? STEP_ADD : STEP_NONE;
    case HW_OP_MAD:
        if (is_only(mods, HW_M_WIDE)) return STEP_WIDE;
        return from == 32 && is_only(mods, HW_M_LO) ? STEP_MAD : STEP_NONE;
    case HW_OP_MUL: return is_only(mods, HW_M_WIDE) ? STEP_WIDE : STEP_NONE;
    case HW_OP_MOV: return is_only(mods, PLAIN) ? STEP_COPY : STEP_NONE;
    case HW_OP_CVT: return from == 32 && to == 64 && is_only(mods, PLAIN) ? STEP_EXTEND : STEP_NONE;
    case HW_OP_SHL: return from == 64 ? STEP_SHIFT : STEP_NONE;
    default: return STEP_NONE;
    }
}

// ---- operands ----

static const hw_symbol *find_symbol(const hw_symbols *s, hw_slot slot) {
    for (uint32_t k = s->n; k-- > 0;)
        if (s->symbols[k].slot == slot) return &s->symbols[k];
    return NULL;
}

// A register that holds one value for all lanes of a block, and is not written.
static bool is_uniform(const hw_symbols *s, hw_slot slot) {
    return slot != HW_NO_SLOT && !find_symbol(s, slot) && hw_slot_is_uniform(slot);
}

static bool is_constant(const hw_program *program, hw_slot slot, uint64_t *bits) {
    for (uint32_t k = 0; k < program->n_immediates; k++)
        if (program->immediates[k].slot == slot) return *bits = program->immediates[k].bits, true;
    return false;
}

// A register of so many bytes a lane.
static bool value_of(const hw_symbols *s, hw_slot slot, uint8_t bytes, hw_segment_address *value) {
    const hw_symbol *symbol = find_symbol(s, slot);
    if (symbol) {
        *value = symbol->value;
        if (!value->root_bytes) value->root_bytes = bytes;    // a root that nobody has looked at
        return symbol->is_known && (bytes == 8) == (value->root_bytes == 8 || value->is_extended);
    }
    *value = (hw_segment_address){.root = slot, .root_bytes = bytes, .scale = 1};
    return slot != HW_NO_SLOT;
}

static bool add_term_32(const hw_symbols *s, hw_segment_address *value, hw_slot a, hw_slot b) {
    uint64_t constant;
    if (!is_uniform(s, a) || (b != HW_NO_SLOT && !is_uniform(s, b))) return false;
    if (b == HW_NO_SLOT && is_constant(s->program, a, &constant)) {
        value->add_32 += (uint32_t)constant;
        return true;
    }
    if (value->n_terms_32 == HW_SEGMENT_TERMS) return false;
    value->terms_32[value->n_terms_32++] = (hw_segment_term){a, b};
    return true;
}

static bool add_term_64(const hw_symbols *s, hw_segment_address *value, hw_slot a) {
    uint64_t constant;
    if (!is_uniform(s, a)) return false;
    if (is_constant(s->program, a, &constant)) {
        value->add_64 = (int64_t)((uint64_t)value->add_64 + constant);
        return true;
    }
    if (value->n_terms_64 == HW_SEGMENT_TERMS) return false;
    value->terms_64[value->n_terms_64++] = (hw_segment_term){a, HW_NO_SLOT};
    return true;
}

// ---- instructions ----

static bool sum_32(const hw_symbols *s, const hw_inst *in, hw_segment_address *value) {
    if (is_uniform(s, in->b)) return value_of(s, in->a, 4, value) && add_term_32(s, value, in->b, HW_NO_SLOT);
    return value_of(s, in->b, 4, value) && add_term_32(s, value, in->a, HW_NO_SLOT);
}

static bool sum_64(const hw_symbols *s, const hw_inst *in, hw_segment_address *value) {
    if (is_uniform(s, in->b)) return value_of(s, in->a, 8, value) && add_term_64(s, value, in->b);
    return value_of(s, in->b, 8, value) && add_term_64(s, value, in->a);
}

static bool extend(const hw_symbols *s, hw_slot slot, bool is_signed, int64_t scale, hw_segment_address *value) {
    enum { LARGEST = 1 << 20 };
    if (scale <= 0 || scale > LARGEST || is_uniform(s, slot) || !value_of(s, slot, 4, value)) return false;
    value->is_extended = true;
    value->is_signed = is_signed;
    value->scale = scale;
    return true;
}

static bool widen(const hw_symbols *s, const hw_inst *in, bool is_signed, hw_segment_address *value) {
    uint64_t scale;
    if (!is_constant(s->program, in->b, &scale) || !extend(s, in->a, is_signed, (int64_t)scale, value)) return false;
    return in->c == HW_NO_SLOT || add_term_64(s, value, in->c);
}

static bool shift(const hw_symbols *s, const hw_inst *in, hw_segment_address *value) {
    uint64_t by;
    if (!is_constant(s->program, in->b, &by) || by > 16 || !value_of(s, in->a, 8, value)) return false;
    value->scale <<= by;
    return value->is_extended && !value->n_terms_64 && !value->add_64;
}

static bool follow(const hw_symbols *s, uint32_t index, hw_segment_address *value) {
    const hw_inst *in = &s->program->insts[index];
    const hw_body_spelling *spelled = hw_body_spelling_of(s->program->bodies[index]);
    const bool is_signed = hw_type_kind_of(spelled->last) == HW_KIND_S;
    const uint8_t bytes = (uint8_t)(hw_type_bits(spelled->last) / 8);
    switch (step_of(spelled)) {
    case STEP_ADD: return bytes == 8 ? sum_64(s, in, value) : sum_32(s, in, value);
    case STEP_MAD: return value_of(s, in->c, 4, value) && add_term_32(s, value, in->a, in->b);
    case STEP_COPY: return value_of(s, in->a, bytes, value);
    case STEP_WIDE: return widen(s, in, is_signed, value);
    case STEP_EXTEND: return extend(s, in->a, is_signed, 1, value);
    case STEP_SHIFT: return shift(s, in, value);
    case STEP_NONE: break;
    }
    return false;
}

bool hw_symbols_note(hw_symbols *s, uint32_t index, bool is_guarded) {
    hw_usage u;
    hw_segment_address value = {0};
    hw_usage_of(s->program, index, &u);
    bool is_known = !is_guarded && u.n_writes == 1 && follow(s, index, &value);
    for (uint32_t k = 0; k < u.n_writes; k++) {
        if (!is_known && s->follows_all)
            value = (hw_segment_address){.root = u.writes[k], .scale = 1, .root_version = ++s->n_versions};
        hw_symbol *symbol = (hw_symbol *)(uintptr_t)find_symbol(s, u.writes[k]);
        if (!symbol && s->n == HW_SYMBOLS_MOST) return false;
        if (!symbol) symbol = &s->symbols[s->n++];
        *symbol = (hw_symbol){.slot = u.writes[k], .is_known = is_known || s->follows_all, .value = value};
    }
    return true;
}

bool hw_symbols_has_root(const hw_symbols *s, const hw_segment_address *address) {
    const hw_symbol *symbol = find_symbol(s, address->root);
    if (!symbol) return address->root_version == 0;
    return address->root_version && symbol->value.root == address->root &&
           symbol->value.root_version == address->root_version && !symbol->value.is_extended &&
           !symbol->value.n_terms_32 && !symbol->value.n_terms_64 && !symbol->value.add_32 && !symbol->value.add_64;
}

bool hw_symbols_address(const hw_symbols *s, const hw_inst *in, hw_segment_address *address) {
    bool is_narrow = in->flags & HW_INST_ADDRESS_32;
    if (!value_of(s, in->a, is_narrow ? 4 : 8, address)) return false;
    if (is_narrow) address->add_32 += (uint32_t)in->imm;
    else address->add_64 = (int64_t)((uint64_t)address->add_64 + (uint64_t)in->imm);
    return true;
}
