// What is to be known of a body: from what its name spells (isa/bodies.h), and from the opcode's row in ops.def.
#include "exec/undefined/operands.h"

#include <string.h>

// ---- widths ---------------------------------------------------------------------------------------------------------

// Of a lane, which has 16 bits at least; 0: a predicate.
static uint8_t bytes_of(hw_type type) {
    if (type == HW_T_NONE) return 4;
    const unsigned bits = hw_type_kind_of(type) == HW_KIND_P ? 0 : hw_type_bits(type);
    return (uint8_t)(bits == 8 ? 2 : bits / 8);
}

static bool is_float(hw_type type) { return hw_type_kind_of(type) == HW_KIND_F; }
static bool is_signed(hw_type type) { return is_float(type) || hw_type_kind_of(type) == HW_KIND_S; }

// Of one letter of SHAPE, as the head of ops.def has them.
static uint8_t width_of(char letter, const hw_body_spelling *spelled) {
    switch (letter) {
    case 'p': return 0;
    case 'D': case 'I': return 4;
    case 'W': case 'w': return (uint8_t)(2 * bytes_of(spelled->last));
    case 'k': return 8;
    case 'A': return bytes_of(spelled->last);
    default: return bytes_of(spelled->first);
    }
}

// Destinations come first in PTX and in SHAPE; predicates read and numbers are no operands of these.
static void describe_widths(const char *shape, const hw_body_spelling *spelled, hw_undefined_facts *f) {
    uint8_t *const widths[] = {&f->d, &f->a, &f->b, &f->c, &f->x};
    size_t n = 0;
    for (; *shape; shape++)
        if (*shape != 'q' && *shape != 'i') *widths[n++] = width_of(*shape, spelled);
    f->has_fourth = n == sizeof widths / sizeof *widths;
}

// What a narrow result leaves of its source decides how it is extended, else what the source is.
static void describe_resize(hw_type to, hw_type from, hw_undefined_facts *f) {
    const bool is_narrow = hw_type_bits(to) < hw_type_bits(from);
    f->from_bits = (uint8_t)hw_type_bits(from);
    f->to_bits = (uint8_t)hw_type_bits(is_narrow ? to : from);
    f->is_signed = is_signed(is_narrow ? to : from);
    if (is_float(to) || is_float(from)) f->rule = HW_RULE_ANY;
}

// ---- rules ----------------------------------------------------------------------------------------------------------

static uint8_t order_of(const hw_mods *mods) {
    static const struct {
        uint8_t mod, order;
    } words[] = {{HW_M_EQ, HW_COMPARES_EQ}, {HW_M_NE, HW_COMPARES_NE}, {HW_M_LT, HW_COMPARES_LT},
                 {HW_M_LE, HW_COMPARES_LE}, {HW_M_GT, HW_COMPARES_GT}, {HW_M_GE, HW_COMPARES_GE},
                 {HW_M_LO, HW_COMPARES_LT}, {HW_M_LS, HW_COMPARES_LE}, {HW_M_HI, HW_COMPARES_GT},
                 {HW_M_HS, HW_COMPARES_GE}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (hw_has_mod(mods, (hw_mod)words[k].mod)) return words[k].order;
    return HW_COMPARES_EQ;
}

static bool is_of_integers(uint8_t rule) {
    return rule == HW_RULE_SUM || rule == HW_RULE_DIFFERENCE || rule == HW_RULE_PRODUCT ||
           rule == HW_RULE_COMPARE;
}

// Modifiers that change the rule: of any instruction (NONE), or of those that have this one.
static uint8_t rule_with_modifiers(const hw_mods *mods, uint8_t rule) {
    static const struct {
        uint8_t mod, of, rule;
    } words[] = {
        {HW_M_CC, HW_RULE_NONE, HW_RULE_CARRY},   {HW_M_SAT, HW_RULE_NONE, HW_RULE_ANY},
        {HW_M_HI, HW_RULE_PRODUCT, HW_RULE_ANY},  {HW_M_BALLOT, HW_RULE_VOTE, HW_RULE_BALLOT},
        {HW_M_AND, HW_RULE_LOP3, HW_RULE_ANY},    {HW_M_OR, HW_RULE_LOP3, HW_RULE_ANY},
        {HW_M_F4E, HW_RULE_PERMUTE, HW_RULE_ANY}, {HW_M_B4E, HW_RULE_PERMUTE, HW_RULE_ANY},
        {HW_M_RC8, HW_RULE_PERMUTE, HW_RULE_ANY}, {HW_M_ECL, HW_RULE_PERMUTE, HW_RULE_ANY},
        {HW_M_ECR, HW_RULE_PERMUTE, HW_RULE_ANY}, {HW_M_RC16, HW_RULE_PERMUTE, HW_RULE_ANY},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if ((words[k].of == HW_RULE_NONE || words[k].of == rule) && hw_has_mod(mods, (hw_mod)words[k].mod))
            return words[k].rule;
    return rule;
}

static uint8_t rule_of_predicates(uint8_t rule) {
    switch (rule) {
    case HW_RULE_MOVE: case HW_RULE_NOT: return HW_RULE_PREDICATE_MOVE;
    case HW_RULE_AND: return HW_RULE_PREDICATE_AND;
    case HW_RULE_OR: return HW_RULE_PREDICATE_OR;
    case HW_RULE_XOR: return HW_RULE_PREDICATE_XOR;
    default: return rule;
    }
}

// The rule, and how wide the operands are. Bodies that are a step of several opcodes change the width of a register,
// from the first type to the last (trunc, ext), or make an address (wmma.address).
static uint8_t find_rule(const hw_body_spelling *spelled, const char **shape) {
    if (spelled->op == HW_OP_NONE) {
        *shape = spelled->n_types ? "Aa" : "WWI";
        return spelled->n_types ? HW_RULE_RESIZE : HW_RULE_ANY;
    }
    const hw_traits *t = hw_op_traits(spelled->op);
    const bool is_other = t->other_shape && (spelled->n_types == 2 || hw_has_mod(&spelled->mods, HW_M_WIDE));
    *shape = is_other ? t->other_shape : t->shape ? t->shape : "daaa";
    if (spelled->last == HW_T_PRED) return rule_of_predicates(t->undefined);
    return rule_with_modifiers(&spelled->mods, t->undefined ? t->undefined : HW_RULE_ANY);
}

static void describe_lanes(const hw_inst *in, hw_body_id id, hw_undefined_facts *f) {
    const hw_body_spelling *spelled = hw_body_spelling_of(id);
    const hw_mods *mods = &spelled->mods;
    const hw_type first = spelled->first, last = spelled->last;
    const char *shape;
    f->rule = find_rule(spelled, &shape);
    f->is_signed = is_signed(last);
    f->order = order_of(mods);
    f->is_left = hw_has_mod(mods, HW_M_L);
    f->clamps = hw_has_mod(mods, HW_M_CLAMP);
    f->votes_any = hw_has_mod(mods, HW_M_ANY);
    f->votes_all = hw_has_mod(mods, HW_M_ALL);
    f->reads_carry = hw_op_traits(spelled->op)->reads_carry;
    describe_widths(shape, spelled, f);
    if (spelled->op == HW_OP_MATCH) f->a = in->lane_bytes;
    if (f->rule == HW_RULE_VOTE) f->d = 0;
    if (f->rule == HW_RULE_MOVE && hw_body_info_of(id)->uses & HW_USES_LIST)
        f->rule = in->d != HW_NO_SLOT ? HW_RULE_PACK : HW_RULE_UNPACK;
    if (f->rule == HW_RULE_RESIZE) {
        const bool is_step = spelled->op == HW_OP_NONE;
        describe_resize(is_step ? last : first, is_step ? first : last, f);
    }
    if (is_of_integers(f->rule) && (is_float(last) || hw_type_elements(last) > 1)) f->rule = HW_RULE_ANY;
    const bool is_of_pairs = hw_type_elements(last) == 2 && hw_type_elements(first) == 2;
    f->part_bytes = is_of_pairs && f->d == bytes_of(last) ? (uint8_t)(bytes_of(last) / 2) : 0;
}

// Of instructions of memory and the like whose bodies have names of their own. False: of those of lanes.
static bool describe_group(hw_body_id id, hw_undefined_facts *f) {
    const hw_body_spelling *spelled = hw_body_spelling_of(id);
    const hw_op op = spelled->op;
    f->d = f->a = 8;
    f->is_across = hw_has_mod(&spelled->mods, HW_M_TRANS);
    switch ((hw_body_group)hw_body_info_of(id)->group) {
    case HW_BODIES_atomic: f->rule = HW_RULE_ATOMIC; return true;
    case HW_BODIES_texture: f->rule = HW_RULE_TEXTURE; return true;
    case HW_BODIES_mbarrier:
        f->rule = HW_RULE_MBARRIER;
        if (op == HW_OP_MBARRIER_TEST_WAIT) f->d = 0;
        if (op == HW_OP_MBARRIER_PENDING_COUNT) f->d = 4;
        return true;
    case HW_BODIES_mma:
        f->rule = HW_RULE_MMA;
        f->d = bytes_of(spelled->first);
        return true;
    case HW_BODIES_matrix:
        f->rule = op == HW_OP_LDMATRIX ? HW_RULE_LOAD_MATRIX : HW_RULE_STORE_MATRIX;
        return op == HW_OP_LDMATRIX || op == HW_OP_STMATRIX;
    default: return false;
    }
}

static void describe_named(const hw_inst *in, hw_body_id id, hw_undefined_facts *f) {
    static const struct {
        uint8_t rule;
        bool is_predicate;
    } named[HW_BODY_NAMED_COUNT] = {
        [HW_BODY_LD] = {HW_RULE_LOAD, false},              [HW_BODY_ST] = {HW_RULE_STORE, false},
        [HW_BODY_LD_PARAM] = {HW_RULE_LOAD_PARAM, false},  [HW_BODY_ST_PARAM] = {HW_RULE_STORE_PARAM, false},
        [HW_BODY_COPY_READ] = {HW_RULE_COPY_READ, false},  [HW_BODY_COPY_WRITE] = {HW_RULE_COPY_WRITE, false},
        [HW_BODY_BULK_FROM] = {HW_RULE_BULK, false},       [HW_BODY_BULK_AT] = {HW_RULE_BULK, false},
        [HW_BODY_BULK_TO] = {HW_RULE_BULK, false},
        [HW_BODY_BRA_P] = {HW_RULE_BRANCH, false},         [HW_BODY_GUARD] = {HW_RULE_BRANCH, false},
        [HW_BODY_BRX] = {HW_RULE_BRANCH, false},           [HW_BODY_CALL] = {HW_RULE_CALL, false},
        [HW_BODY_CALL_INDIRECT] = {HW_RULE_CALL, false},   [HW_BODY_SREG] = {HW_RULE_DEFINE, false},
        [HW_BODY_LOCAL_ADDRESS] = {HW_RULE_DEFINE, false}, [HW_BODY_PARAM_ADDRESS] = {HW_RULE_DEFINE, false},
        [HW_BODY_SURFACE_ADDRESS] = {HW_RULE_SURFACE, false},
        [HW_BODY_STACKSAVE] = {HW_RULE_DEFINE, false},     [HW_BODY_ALLOCA] = {HW_RULE_ALLOCA, false},
        [HW_BODY_BAR_RED_POPC] = {HW_RULE_DEFINE, false},  [HW_BODY_BAR_RED_POPC_U32] = {HW_RULE_DEFINE, false},
        [HW_BODY_BAR_RED_AND] = {HW_RULE_DEFINE, true},    [HW_BODY_BAR_RED_AND_PRED] = {HW_RULE_DEFINE, true},
        [HW_BODY_BAR_RED_OR] = {HW_RULE_DEFINE, true},     [HW_BODY_BAR_RED_OR_PRED] = {HW_RULE_DEFINE, true},
    };
    f->rule = named[id].rule;
    f->a = 4;
    f->d = named[id].is_predicate ? 0 : in->lane_bytes == 8 ? 8 : 4;
    if (id == HW_BODY_SREG) f->d = (uint8_t)(hw_type_bits(hw_sreg_type((hw_sreg)in->sreg)) / 8);
}

void hw_undefined_describe(const hw_inst *in, hw_body_id id, hw_undefined_facts *f) {
    memset(f, 0, sizeof *f);
    if (id < HW_BODY_NAMED_COUNT) describe_named(in, id, f);
    else if (!describe_group(id, f)) describe_lanes(in, id, f);
}
