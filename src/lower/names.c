// Canonical names of instructions (lower/program.h, "Body names"), by which their bodies are found.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lower/lowering.h"

enum { MAX_NAME = 96 };

// ---- types ----

static hw_type as_signed(hw_type type) {
    switch (type) {
    case HW_T_U16: return HW_T_S16;
    case HW_T_U32: return HW_T_S32;
    case HW_T_U64: return HW_T_S64;
    case HW_T_U16X2: return HW_T_S16X2;
    default: return type;
    }
}

static hw_type as_bits(hw_type type) {
    switch (hw_type_bits(type)) {
    case 16: return HW_T_B16;
    case 32: return HW_T_B32;
    case 64: return HW_T_B64;
    default: return type;
    }
}

static hw_type as_unsigned(hw_type type) {
    switch (type) {
    case HW_T_B16: return HW_T_U16;
    case HW_T_B32: return HW_T_U32;
    case HW_T_B64: return HW_T_U64;
    default: return type;
    }
}

hw_type hw_names_type(const hw_ptx_inst *inst, int position) {
    hw_type type = inst->types[position];
    if (position > 0) return type;
    switch ((hw_spelling)hw_op_traits(inst->op)->spelling) {
    case HW_SPELL_SIGNED: {
        bool depends = hw_has_mod(&inst->mods, HW_M_HI) || hw_has_mod(&inst->mods, HW_M_WIDE);
        return depends ? type : as_signed(type);
    }
    case HW_SPELL_BITS: return as_bits(type);
    case HW_SPELL_UNSIGNED: return as_unsigned(type);
    default: return type;
    }
}

// ---- modifiers ----

// Unsigned comparisons have two spellings.
static hw_mod comparison_of(hw_mod mod) {
    switch (mod) {
    case HW_M_LO: return HW_M_LT;
    case HW_M_LS: return HW_M_LE;
    case HW_M_HI: return HW_M_GT;
    case HW_M_HS: return HW_M_GE;
    default: return mod;
    }
}

static bool is_named(const hw_traits *traits, const hw_ptx_inst *inst, hw_mod mod) {
    switch (mod) {
    case HW_M_RN: return !traits->rounds_to_nearest;
    case HW_M_AND: case HW_M_OR: case HW_M_XOR: return !traits->compares;
    case HW_M_FTZ: return !traits->has_ftz_of_source || hw_type_kind_of(inst->types[1]) == HW_KIND_F;
    case HW_M_NOFTZ: return false;
    default: return mod <= HW_M_POPC;      // what follows in mods.def are spaces, caching, order, control
    }
}

static void append_word(char *name, const char *word) {
    size_t length = strlen(name);
    snprintf(name + length, MAX_NAME - length, ".%s", word);
}

static hw_body_id spell_name(const hw_ptx_inst *inst) {
    char name[MAX_NAME];
    const hw_traits *traits = hw_op_traits(inst->op);
    snprintf(name, sizeof name, "%s", hw_op_info(inst->op)->name);
    for (unsigned word = 0; word < 3; word++) {
        for (uint64_t left = inst->mods.bits[word]; left; left &= left - 1) {
            hw_mod mod = (hw_mod)(64 * word + (unsigned)__builtin_ctzll(left));
            if (!is_named(traits, inst, mod)) continue;
            append_word(name, hw_mod_name(traits->compares ? comparison_of(mod) : mod));
        }
    }
    for (int t = 0; t < inst->n_types; t++) append_word(name, hw_type_name(hw_names_type(inst, t)));
    return hw_body_find(name);
}

hw_body_id hw_names_of(hw_lowering *lo, const hw_ptx_inst *inst) {
    hw_spelled key = {.op = (uint8_t)inst->op, .n_types = inst->n_types};
    uint64_t hash = inst->op;
    for (int k = 0; k < 3; k++) hash = (hash ^ (key.mods[k] = inst->mods.bits[k])) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < inst->n_types; k++) hash = (hash ^ (key.types[k] = (uint8_t)inst->types[k])) * 0x100000001b3u;
    hw_spelled *known = &lo->spelled[(hash ^ hash >> 32) % HW_SPELLED];
    key.body = known->body;
    if (memcmp(known, &key, sizeof key) == 0) return known->body;
    key.body = spell_name(inst);
    *known = key;
    return key.body;
}

hw_body_id hw_names_printf(const char *format, ...) {
    char name[MAX_NAME];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return hw_body_find(name);
}
