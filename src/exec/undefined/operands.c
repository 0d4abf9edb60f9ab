// What is to be known of a body is read from its name, opcode, words and types (lower/program.h, "Body names"), and
// from the opcode's row in ops.def.
#include "exec/undefined/operands.h"

#include <string.h>

// ---- types ----------------------------------------------------------------------------------------------------------

typedef struct type {
    uint8_t bytes;                // of a lane; 0: a predicate
    uint8_t bits;
    bool is_float, is_signed, is_pair;
} type;

static const struct {
    const char *name;
    type type;
} others[] = {
    {"pred", {0, 1, false, false, false}},       {"f16x2", {4, 32, true, true, true}},
    {"bf16x2", {4, 32, true, true, true}},       {"f32x2", {8, 64, true, true, true}},
    {"s16x2", {4, 32, false, true, true}},       {"u16x2", {4, 32, false, false, true}},
    {"bf16", {2, 16, true, true, false}},        {"tf32", {4, 32, true, true, false}},
    {"e4m3x2", {2, 16, true, true, false}},      {"e5m2x2", {2, 16, true, true, false}},
    {"u8x4", {4, 32, false, false, false}},
};

// "u16", "f64", "f16x2"; false: the word is no type.
static bool read_type(const char *word, size_t length, type *out) {
    unsigned bits = 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (strlen(others[k].name) != length || strncmp(word, others[k].name, length) != 0) continue;
        *out = others[k].type;
        return true;
    }
    if (length < 2 || !strchr("busf", word[0])) return false;
    for (size_t k = 1; k < length; k++) {
        if (word[k] < '0' || word[k] > '9') return false;
        bits = 10 * bits + (unsigned)(word[k] - '0');
    }
    if (bits < 8 || bits > 128 || bits & (bits - 1)) return false;
    *out = (type){.bytes = (uint8_t)(bits == 8 ? 2 : bits / 8), .bits = (uint8_t)bits, .is_float = word[0] == 'f',
                  .is_signed = word[0] == 's' || word[0] == 'f'};
    return true;
}

// The first and the last type of a name, both alike where there is one; how many it has.
static unsigned read_types(const char *name, type *first, type *last) {
    unsigned n = 0;
    *first = *last = (type){.bytes = 4, .bits = 32};
    for (const char *word = name; word; word = strchr(word, '.')) {
        if (*word == '.') word++;
        if (!read_type(word, strcspn(word, "."), last)) continue;
        if (!n++) *first = *last;
    }
    return n;
}

static bool has_word(const char *name, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.'))
        if (strncmp(at + 1, word, length) == 0 && (at[length + 1] == '.' || !at[length + 1])) return true;
    return false;
}

// ---- rules ----------------------------------------------------------------------------------------------------------

// Of one letter of SHAPE, as the head of ops.def has them.
static uint8_t width_of(char letter, type first, type last) {
    switch (letter) {
    case 'p': return 0;
    case 'D': case 'I': return 4;
    case 'W': case 'w': return (uint8_t)(2 * last.bytes);
    case 'k': return 8;
    case 'A': return last.bytes;
    default: return first.bytes;
    }
}

// Destinations come first in PTX and in SHAPE; predicates read and numbers are no operands of these.
static void describe_widths(const char *shape, type first, type last, hw_undefined_facts *f) {
    uint8_t *const widths[] = {&f->d, &f->a, &f->b, &f->c, &f->x};
    size_t n = 0;
    for (; *shape; shape++)
        if (*shape != 'q' && *shape != 'i') *widths[n++] = width_of(*shape, first, last);
    f->has_fourth = n == sizeof widths / sizeof *widths;
}

// What a narrow result leaves of its source decides how it is extended, else what the source is.
static void describe_resize(type to, type from, hw_undefined_facts *f) {
    f->from_bits = from.bits;
    f->to_bits = to.bits < from.bits ? to.bits : from.bits;
    f->is_signed = to.bits < from.bits ? to.is_signed : from.is_signed;
    if (to.is_float || from.is_float) f->rule = HW_RULE_ANY;
}

static uint8_t order_of(const char *name) {
    static const struct {
        const char *word;
        uint8_t order;
    } words[] = {{"eq", HW_COMPARES_EQ}, {"ne", HW_COMPARES_NE}, {"lt", HW_COMPARES_LT}, {"le", HW_COMPARES_LE},
                 {"gt", HW_COMPARES_GT}, {"ge", HW_COMPARES_GE}, {"lo", HW_COMPARES_LT}, {"ls", HW_COMPARES_LE},
                 {"hi", HW_COMPARES_GT}, {"hs", HW_COMPARES_GE}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (has_word(name, words[k].word)) return words[k].order;
    return HW_COMPARES_EQ;
}

static bool is_of_integers(uint8_t rule) {
    return rule == HW_RULE_SUM || rule == HW_RULE_DIFFERENCE || rule == HW_RULE_PRODUCT ||
           rule == HW_RULE_COMPARE;
}

// Words of names that change the rule: of any instruction (NONE), or of those that have this one.
static uint8_t rule_with_words(const char *name, uint8_t rule) {
    static const struct {
        const char *word;
        uint8_t of, rule;
    } words[] = {
        {"cc", HW_RULE_NONE, HW_RULE_CARRY},          {"hi", HW_RULE_PRODUCT, HW_RULE_ANY},
        {"sat", HW_RULE_NONE, HW_RULE_ANY},           {"and", HW_RULE_LOP3, HW_RULE_ANY},
        {"or", HW_RULE_LOP3, HW_RULE_ANY},            {"pack", HW_RULE_MOVE, HW_RULE_PACK},
        {"unpack", HW_RULE_MOVE, HW_RULE_UNPACK},     {"ballot", HW_RULE_VOTE, HW_RULE_BALLOT},
        {"pred", HW_RULE_MOVE, HW_RULE_PREDICATE_MOVE}, {"pred", HW_RULE_NOT, HW_RULE_PREDICATE_MOVE},
        {"pred", HW_RULE_AND, HW_RULE_PREDICATE_AND}, {"pred", HW_RULE_OR, HW_RULE_PREDICATE_OR},
        {"pred", HW_RULE_XOR, HW_RULE_PREDICATE_XOR},
        // prmt's modes
        {"f4e", HW_RULE_PERMUTE, HW_RULE_ANY},        {"b4e", HW_RULE_PERMUTE, HW_RULE_ANY},
        {"rc8", HW_RULE_PERMUTE, HW_RULE_ANY},        {"ecl", HW_RULE_PERMUTE, HW_RULE_ANY},
        {"ecr", HW_RULE_PERMUTE, HW_RULE_ANY},        {"rc16", HW_RULE_PERMUTE, HW_RULE_ANY},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if ((words[k].of == HW_RULE_NONE || words[k].of == rule) && has_word(name, words[k].word)) return words[k].rule;
    return rule;
}

// Bodies that are a step of several opcodes.
static const struct {
    const char *name;
    uint8_t rule;
    const char *shape;
} steps[] = {{"trunc.", HW_RULE_RESIZE, "Aa"}, {"ext.", HW_RULE_RESIZE, "Aa"}, {"wmma.address", HW_RULE_ANY, "WWI"}};

// The rule, from the opcode and what else the name says, and the shape.
static uint8_t find_rule(const char *name, unsigned n_types, const char **shape) {
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        if (strncmp(name, steps[k].name, strlen(steps[k].name)) != 0) continue;
        *shape = steps[k].shape;
        return steps[k].rule;
    }
    const hw_traits *t = hw_op_traits(hw_body_op(name));
    const bool is_other = t->other_shape && (n_types == 2 || has_word(name, "wide"));
    *shape = is_other ? t->other_shape : t->shape ? t->shape : "daaa";
    return rule_with_words(name, t->undefined ? t->undefined : HW_RULE_ANY);
}

static void describe_by_name(const char *name, hw_undefined_facts *f) {
    const char *shape;
    type first, last;
    const unsigned n_types = read_types(name, &first, &last);
    f->rule = find_rule(name, n_types, &shape);
    f->is_signed = last.is_signed;
    f->order = order_of(name);
    f->is_left = has_word(name, "l");
    f->clamps = has_word(name, "clamp");
    f->votes_any = has_word(name, "any");
    f->votes_all = has_word(name, "all");
    f->reads_carry = hw_op_traits(hw_body_op(name))->reads_carry;
    describe_widths(shape, first, last, f);
    if (f->rule == HW_RULE_VOTE) f->d = 0;
    if (f->rule == HW_RULE_RESIZE) {
        const bool is_step = shape[0] == 'A';
        describe_resize(is_step ? last : first, is_step ? first : last, f);
    }
    if (is_of_integers(f->rule) && (last.is_float || last.is_pair)) f->rule = HW_RULE_ANY;
    f->part_bytes = last.is_pair && first.is_pair && f->d == last.bytes ? (uint8_t)(last.bytes / 2) : 0;
}

static uint8_t rule_of_group(hw_body_group group, const char *name) {
    switch (group) {
    case HW_BODIES_atomic: return HW_RULE_ATOMIC;
    case HW_BODIES_mbarrier: return HW_RULE_MBARRIER;
    case HW_BODIES_mma: return HW_RULE_MMA;
    case HW_BODIES_texture: return HW_RULE_TEXTURE;
    case HW_BODIES_matrix:
        if (strncmp(name, "ldmatrix", 8) == 0) return HW_RULE_LOAD_MATRIX;
        return strncmp(name, "stmatrix", 8) == 0 ? HW_RULE_STORE_MATRIX : HW_RULE_NONE;
    default: return HW_RULE_NONE;
    }
}

static uint8_t result_bytes(const char *name) {
    type first, last;
    read_types(name, &first, &last);
    return first.bytes;
}

void hw_undefined_describe(const hw_inst *in, hw_body_id id, hw_undefined_facts *f) {
    static const uint8_t named[HW_BODY_NAMED_COUNT] = {
        [HW_BODY_LD] = HW_RULE_LOAD, [HW_BODY_ST] = HW_RULE_STORE,
        [HW_BODY_LD_PARAM] = HW_RULE_LOAD_PARAM, [HW_BODY_ST_PARAM] = HW_RULE_STORE_PARAM,
        [HW_BODY_COPY_READ] = HW_RULE_COPY_READ, [HW_BODY_COPY_WRITE] = HW_RULE_COPY_WRITE,
        [HW_BODY_BRA_P] = HW_RULE_BRANCH, [HW_BODY_GUARD] = HW_RULE_BRANCH,
        [HW_BODY_BRX] = HW_RULE_BRANCH, [HW_BODY_CALL] = HW_RULE_CALL,
        [HW_BODY_CALL_INDIRECT] = HW_RULE_CALL, [HW_BODY_SREG] = HW_RULE_DEFINE,
        [HW_BODY_LOCAL_ADDRESS] = HW_RULE_DEFINE, [HW_BODY_PARAM_ADDRESS] = HW_RULE_DEFINE,
        [HW_BODY_STACKSAVE] = HW_RULE_DEFINE, [HW_BODY_ALLOCA] = HW_RULE_ALLOCA,
        [HW_BODY_BAR_RED_POPC] = HW_RULE_DEFINE, [HW_BODY_BAR_RED_POPC_U32] = HW_RULE_DEFINE,
    };
    const hw_body_info *info = hw_body_info_of(id);
    memset(f, 0, sizeof *f);
    if (id < HW_BODY_NAMED_COUNT) {
        f->rule = named[id];
        f->d = in->width == 8 || info->uses & HW_USES_SREG ? 8 : 4;
        if (id == HW_BODY_SREG) f->d = (uint8_t)(hw_type_bits(hw_sreg_type((hw_sreg)in->sub)) / 8);
        if (id == HW_BODY_BAR_RED_POPC || id == HW_BODY_BAR_RED_POPC_U32) f->d = 4;
        f->a = 4;
        if (strncmp(info->name, "bar.red.", 8) == 0 && f->rule == HW_RULE_NONE) {
            f->rule = HW_RULE_DEFINE;
            f->d = 0;
        }
        return;
    }
    f->rule = rule_of_group((hw_body_group)info->group, info->name);
    f->d = f->a = 8;
    if (f->rule == HW_RULE_NONE) describe_by_name(info->name, f);
    f->is_across = has_word(info->name, "trans");
    if (f->rule == HW_RULE_MMA) f->d = result_bytes(info->name);
    if (strncmp(info->name, "match.", 6) == 0) f->a = in->width;
    if (strcmp(info->name, "mbarrier.test_wait") == 0) f->d = 0;
    if (strcmp(info->name, "mbarrier.pending_count") == 0) f->d = 4;
}
