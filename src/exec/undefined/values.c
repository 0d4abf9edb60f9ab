#include "exec/undefined/values.h"

typedef hw_undefined_lane lane;

static uint64_t ones(unsigned bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }
static uint64_t all_of(unsigned bytes) { return bytes ? ones(8 * bytes) : 1; }

// The lowest undefined bit and all above it: as far as a carry may go.
static uint64_t and_above(uint64_t undefined) { return undefined | (0 - undefined); }

// The low bits as a number of 64, with its highest one repeated where it is signed.
static uint64_t extend(uint64_t value, unsigned bits, bool is_signed) {
    value &= ones(bits);
    return is_signed && bits < 64 && value >> (bits - 1) & 1 ? value | ~ones(bits) : value;
}

static uint64_t any_of(const hw_undefined_facts *f, const lane *l) {
    const uint64_t sources = l->undefined_a | l->undefined_b | l->undefined_c | l->undefined_x | l->undefined_p;
    const unsigned bits = 8u * f->part_bytes;
    uint64_t all = 0;
    if (!bits) return sources ? all_of(f->d) : 0;
    for (unsigned at = 0; at < 8u * f->d; at += bits)
        if (sources >> at & ones(bits)) all |= ones(bits) << at;
    return all;
}

// Bits that both choices have alike are what they are.
static uint64_t select_of(const lane *l) {
    if (l->undefined_p) return l->undefined_a | l->undefined_b | (l->a ^ l->b);
    return l->p ? l->undefined_a : l->undefined_b;
}

static uint64_t and_of(const lane *l) {
    return (l->undefined_a & l->undefined_b) | (l->undefined_a & l->b) | (l->undefined_b & l->a);
}

static uint64_t or_of(const lane *l) {
    return (l->undefined_a & l->undefined_b) | (l->undefined_a & ~l->b) | (l->undefined_b & ~l->a);
}

static uint64_t shift_of(const hw_undefined_facts *f, const lane *l) {
    const unsigned bits = 8u * f->d;
    if (l->undefined_b) return all_of(f->d);
    if (f->rule == HW_RULE_SHIFT_LEFT) return l->b >= bits ? 0 : l->undefined_a << l->b;
    if (l->b < bits) return extend(l->undefined_a, bits, f->is_signed) >> l->b |
                            (f->is_signed && l->undefined_a >> (bits - 1) ? ~ones(bits - (unsigned)l->b) : 0);
    return f->is_signed && l->undefined_a >> (bits - 1) ? ~(uint64_t)0 : 0;
}

// shf: 32 bits out of the 64 of {b, a}.
static uint64_t funnel_of(const hw_undefined_facts *f, const lane *l) {
    const uint64_t both = l->undefined_b << 32 | l->undefined_a;
    const unsigned by = f->clamps ? (l->c < 32 ? (unsigned)l->c : 32) : (unsigned)l->c & 31;
    if (l->undefined_c) return all_of(4);
    return f->is_left ? both << by >> 32 : both >> by;
}

// Can the bit be 0, can it be 1?
static uint64_t lop3_of(const hw_inst *in, const lane *l) {
    uint64_t can[2] = {0, 0};
    for (unsigned row = 0; row < 8; row++) {
        const uint64_t a = (row & 4 ? l->a : ~l->a) | l->undefined_a;
        const uint64_t b = (row & 2 ? l->b : ~l->b) | l->undefined_b;
        const uint64_t c = (row & 1 ? l->c : ~l->c) | l->undefined_c;
        can[in->imm >> row & 1] |= a & b & c;
    }
    return can[0] & can[1];
}

static uint64_t permute_of(const lane *l) {
    const uint64_t both = l->undefined_b << 32 | l->undefined_a;
    uint64_t result = 0;
    if (l->undefined_c) return all_of(4);
    for (unsigned k = 0; k < 4; k++) {
        const unsigned selector = l->c >> 4 * k & 15, byte = both >> 8 * (selector & 7) & 255;
        const unsigned sign = byte & 0x80 ? 255 : 0;
        result |= (uint64_t)(selector & 8 ? sign : byte) << 8 * k;
    }
    return result;
}

static uint64_t extract_of(const hw_undefined_facts *f, const lane *l) {
    const unsigned bits = 8u * f->d;
    const uint64_t at = f->d == 4 ? l->b & 255 : l->b, n = f->d == 4 ? l->c & 255 : l->c;
    if (l->undefined_b || l->undefined_c) return all_of(f->d);
    if (!n) return 0;
    if (at + n > bits || at >= bits) return f->is_signed && l->undefined_a ? all_of(f->d)
                                            : at >= bits ? 0 : l->undefined_a >> at;
    return extend(l->undefined_a >> at, (unsigned)n, f->is_signed);
}

// bfi: the low bits of a, c and the fourth say where and how many, instead of those of b.
static uint64_t insert_of(const hw_undefined_facts *f, const lane *l) {
    const unsigned bits = 8u * f->d;
    const uint64_t at = l->c & 255, n = l->x & 255;
    if (l->undefined_c || l->undefined_x) return all_of(f->d);
    if (at >= bits || !n) return l->undefined_b;
    const uint64_t field = ones(n > 64 ? 64 : (unsigned)n) << at;
    return (l->undefined_a << at & field) | (l->undefined_b & ~field);
}

static uint64_t reverse_of(const hw_undefined_facts *f, const lane *l) {
    uint64_t result = 0;
    for (unsigned k = 0; k < 8u * f->d; k++) result = result << 1 | (l->undefined_a >> k & 1);
    return result;
}

// A product with a defined zero is zero. c: what is added.
static uint64_t product_of(const lane *l) {
    const bool is_zero = (!l->a && !l->undefined_a) || (!l->b && !l->undefined_b);
    return and_above((is_zero ? 0 : l->undefined_a | l->undefined_b) | l->undefined_c);
}

// ---- comparisons ----------------------------------------------------------------------------------------------------

// Signed numbers are compared as unsigned ones with the other highest bit; where that is undefined it is in both.
typedef struct range {
    uint64_t least, most;
} range;

static range range_of(uint64_t value, uint64_t undefined, const hw_undefined_facts *f) {
    const uint64_t sign = f->is_signed ? (uint64_t)1 << (8 * f->a - 1) : 0;
    value ^= sign;
    return (range){value & ~undefined, value | undefined};
}

// Does the order hold for all values, or for none?
static bool is_decided(const hw_undefined_facts *f, const lane *l) {
    const range a = range_of(l->a, l->undefined_a, f), b = range_of(l->b, l->undefined_b, f);
    switch ((hw_undefined_order)f->order) {
    case HW_COMPARES_LT: case HW_COMPARES_GE: return a.most < b.least || a.least >= b.most;
    case HW_COMPARES_GT: case HW_COMPARES_LE: return b.most < a.least || b.least >= a.most;
    default: return ((l->a ^ l->b) & ~(l->undefined_a | l->undefined_b)) != 0;
    }
}

static uint64_t compare_of(const hw_undefined_facts *f, const lane *l) {
    return (l->undefined_a | l->undefined_b) && !is_decided(f, l);
}

// ---- all ------------------------------------------------------------------------------------------------------------

static bool has_same_sources(const hw_inst *in) { return in->a == in->b; }

static uint64_t value_of(const hw_inst *in, const hw_undefined_facts *f, const lane *l) {
    switch ((hw_undefined_rule)f->rule) {
    case HW_RULE_MOVE: case HW_RULE_NOT: return l->undefined_a;
    case HW_RULE_RESIZE:
        return extend(extend(l->undefined_a, f->from_bits, f->is_signed), f->to_bits, f->is_signed);
    case HW_RULE_SELECT: return select_of(l);
    case HW_RULE_AND: return and_of(l);
    case HW_RULE_OR: return or_of(l);
    case HW_RULE_XOR: return has_same_sources(in) ? 0 : l->undefined_a | l->undefined_b;
    case HW_RULE_SHIFT_LEFT: case HW_RULE_SHIFT_RIGHT: return shift_of(f, l);
    case HW_RULE_FUNNEL: return funnel_of(f, l);
    case HW_RULE_LOP3: return lop3_of(in, l);
    case HW_RULE_PERMUTE: return permute_of(l);
    case HW_RULE_EXTRACT: return extract_of(f, l);
    case HW_RULE_INSERT: return insert_of(f, l);
    case HW_RULE_REVERSE: return reverse_of(f, l);
    case HW_RULE_SUM: return and_above(l->undefined_a | l->undefined_b);
    case HW_RULE_DIFFERENCE: return has_same_sources(in) ? 0 : and_above(l->undefined_a | l->undefined_b);
    case HW_RULE_PRODUCT: return product_of(l);
    case HW_RULE_COMPARE: return has_same_sources(in) ? 0 : compare_of(f, l);
    default: return any_of(f, l);
    }
}

uint64_t hw_undefined_value(const hw_inst *in, const hw_undefined_facts *f, const lane *l) {
    return value_of(in, f, l) & all_of(f->d);
}
