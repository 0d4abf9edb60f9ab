// Canonical names of bodies, each kept once per set (lower/program.h, "Body names").
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lower/lowering.h"

enum { MAX_NAME = 96 };

// ---- one copy of each ----

static uint32_t hash_of(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (uint8_t)*name) * 16777619u;
    return h;
}

static bool grow_table(hw_arena *arena, hw_name_table *table) {
    uint32_t capacity = table->capacity ? table->capacity * 2 : 256;
    const char **slots = hw_arena_take(arena, capacity * sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (!table->slots[i]) continue;
        uint32_t k = hash_of(table->slots[i]) & (capacity - 1);
        while (slots[k]) k = (k + 1) & (capacity - 1);
        slots[k] = table->slots[i];
    }
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

const char *hw_names_intern(hw_lowering *lo, const char *name) {
    hw_name_table *table = lo->names;
    if (2 * table->n >= table->capacity && !grow_table(lo->arena, table)) return NULL;
    uint32_t k = hash_of(name) & (table->capacity - 1);
    for (; table->slots[k]; k = (k + 1) & (table->capacity - 1))
        if (!strcmp(table->slots[k], name)) return table->slots[k];
    const char *copy = hw_arena_string(lo->arena, name, strlen(name));
    if (!copy) return NULL;
    table->slots[k] = copy;
    table->n++;
    return copy;
}

const char *hw_names_printf(hw_lowering *lo, const char *format, ...) {
    char name[MAX_NAME];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return hw_names_intern(lo, name);
}

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
static hw_mod comparison(hw_mod mod) {
    switch (mod) {
    case HW_M_LO: return HW_M_LT;
    case HW_M_LS: return HW_M_LE;
    case HW_M_HI: return HW_M_GT;
    case HW_M_HS: return HW_M_GE;
    default: return mod;
    }
}

// Of integers, .ftz says nothing.
static bool flushes(const hw_ptx_inst *inst) {
    if (inst->op != HW_OP_CVT && inst->op != HW_OP_SLCT) return true;
    return hw_type_kind_of(inst->types[1]) == HW_KIND_F;
}

static bool is_named(const hw_ptx_inst *inst, hw_mod mod) {
    hw_op op = inst->op;
    switch (mod) {
    case HW_M_RN:
        return op != HW_OP_ADD && op != HW_OP_SUB && op != HW_OP_MUL && op != HW_OP_MAD && op != HW_OP_FMA;
    case HW_M_AND: case HW_M_OR: case HW_M_XOR: return op != HW_OP_SETP && op != HW_OP_SET;
    case HW_M_F4E: case HW_M_B4E: case HW_M_RC8: case HW_M_ECL: case HW_M_ECR: case HW_M_RC16: return false;
    case HW_M_FTZ: return flushes(inst);
    case HW_M_NOFTZ: return false;
    default: return mod <= HW_M_POPC;      // what follows in mods.def are spaces, caching, order, control
    }
}

static void append(char *name, const char *word) {
    size_t length = strlen(name);
    snprintf(name + length, MAX_NAME - length, ".%s", word);
}

const char *hw_names_of(hw_lowering *lo, const hw_ptx_inst *inst) {
    char name[MAX_NAME];
    bool compares = inst->op == HW_OP_SETP || inst->op == HW_OP_SET;
    snprintf(name, sizeof name, "%s", hw_op_info(inst->op)->name);
    // The one word that program.h's order puts before its neighbours in mods.def.
    if (inst->op == HW_OP_SHF) append(name, hw_has_mod(&inst->mods, HW_M_L) ? "l" : "r");
    for (unsigned word = 0; word < 3; word++) {
        for (uint64_t left = inst->mods.bits[word]; left; left &= left - 1) {
            hw_mod mod = (hw_mod)(64 * word + (unsigned)__builtin_ctzll(left));
            if (!is_named(inst, mod)) continue;
            if (inst->op == HW_OP_SHF && (mod == HW_M_L || mod == HW_M_R)) continue;
            append(name, hw_mod_name(compares ? comparison(mod) : mod));
        }
    }
    for (int t = 0; t < inst->n_types; t++) append(name, hw_type_name(hw_names_type(inst, t)));
    return hw_names_intern(lo, name);
}
