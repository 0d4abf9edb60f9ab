// Logic, shifts, byte permutation, and logic on predicates. Rows in isa/bodies/logic.def.
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_bits.h"

static u32 predicate_a(const hw_warp *w, const hw_inst *in) {
    return hw_pred(w, in->a) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
}
static u32 predicate_b(const hw_warp *w, const hw_inst *in) {
    return hw_pred(w, in->b) ^ (in->flags & HW_INST_NEGATE_B ? ~0u : 0);
}
#define TRUE ~0u
#define PREDICATE_1(name, function, value)                                  \
    static inline void function##_lanes(hw_warp *w, const hw_inst *in) {    \
        const int i = 0;                                                    \
        const u32 a[] = {predicate_a(w, in)};                               \
        hw_set_pred(w, in->d, value);                                       \
    }                                                                       \
    HW_BOTH_FORMS(function)
#define PREDICATE_2(name, function, value)                                  \
    static inline void function##_lanes(hw_warp *w, const hw_inst *in) {    \
        const int i = 0;                                                    \
        const u32 a[] = {predicate_a(w, in)}, b[] = {predicate_b(w, in)};   \
        hw_set_pred(w, in->d, value);                                       \
    }                                                                       \
    HW_BOTH_FORMS(function)
#define TRUTH_TABLE(name, function)

#include "isa/bodies/logic.def"

// A selector that is a constant of the kernel, the usual case, is taken apart once for all lanes.
static const hw_inst *permute_by_constant(hw_warp *w, const hw_inst *in, u32 selector) {
    u32 *d = hw_at(w, in->d);
    const u32 *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    const u32 *from0 = selector & 0x4 ? b : a, *from1 = selector & 0x40 ? b : a;
    const u32 *from2 = selector & 0x400 ? b : a, *from3 = selector & 0x4000 ? b : a;
    u32 shift0 = (selector & 3) * 8, shift1 = (selector >> 4 & 3) * 8;
    u32 shift2 = (selector >> 8 & 3) * 8, shift3 = (selector >> 12 & 3) * 8;
    HW_LANES(d, (from0[i] >> shift0 & 0xff) | (from1[i] >> shift1 & 0xff) << 8 | (from2[i] >> shift2 & 0xff) << 16 |
                    from3[i] >> shift3 << 24);
    return in + 1;
}

static const hw_inst *prmt_b32(hw_warp *w, const hw_inst *in) {
    if ((in->c & 3) == HW_BASE_LAUNCH) {
        u32 selector = *(const u32 *)hw_at(w, in->c);
        if (!(selector & 0x8888)) return permute_by_constant(w, in, selector);
    }
    return prmt_any_b32(w, in);
}

// Any function of three bits, by its truth table: multiplexers over c, then b, then a.
static void lop3_lanes(hw_warp *w, const hw_inst *in, u32 *d) {
    const u32 *a = hw_at(w, in->a), *b = hw_at(w, in->b), *c = hw_at(w, in->c);
    u32 table = (u32)in->imm;
    u32 when[8], change[4];
    for (u32 k = 0; k < 8; k++) when[k] = 0 - (table >> k & 1);
    for (u32 k = 0; k < 4; k++) change[k] = when[2 * k] ^ when[2 * k + 1];
    u32 w0 = when[0], w2 = when[2], w4 = when[4], w6 = when[6];
    u32 c0 = change[0], c1 = change[1], c2 = change[2], c3 = change[3];
#define BY_C(low, change) ((low) ^ (C & (change)))
#define BY_B(low, high) ((low) ^ (B & ((low) ^ (high))))
#define BY_A(low, high) ((low) ^ (A & ((low) ^ (high))))
    HW_LANES(d, BY_A(BY_B(BY_C(w0, c0), BY_C(w2, c1)), BY_B(BY_C(w4, c2), BY_C(w6, c3))));
}

static const hw_inst *lop3_b32(hw_warp *w, const hw_inst *in) {
    u32 *d = hw_at(w, in->d);
    const u32 *a = hw_at(w, in->a), *b = hw_at(w, in->b), *c = hw_at(w, in->c);
    switch ((u32)in->imm & 0xff) {
    // The functions that compilers and hash algorithms ask for.
    case 0x08: HW_LANES(d, ~A & B & C); break;
    case 0x1e: HW_LANES(d, A ^ (B | C)); break;
    case 0x20: HW_LANES(d, A & ~B & C); break;
    case 0x40: HW_LANES(d, A & B & ~C); break;
    case 0x6a: HW_LANES(d, (A & B) ^ C); break;
    case 0x78: HW_LANES(d, A ^ (B & C)); break;
    case 0x80: HW_LANES(d, A & B & C); break;
    case 0x96: HW_LANES(d, A ^ B ^ C); break;
    case 0xa8: HW_LANES(d, (A | B) & C); break;
    case 0xac: HW_LANES(d, B ^ (A & (B ^ C))); break;
    case 0xb8: HW_LANES(d, A ^ (B & (A ^ C))); break;
    case 0xc0: HW_LANES(d, A & B); break;
    case 0xca: HW_LANES(d, C ^ (A & (B ^ C))); break;
    case 0xd8: HW_LANES(d, A ^ (C & (A ^ B))); break;
    case 0xe0: HW_LANES(d, A & (B | C)); break;
    case 0xe2: HW_LANES(d, C ^ (B & (A ^ C))); break;
    case 0xe4: HW_LANES(d, B ^ (C & (A ^ B))); break;
    case 0xe8: HW_LANES(d, (A & B) | (C & (A | B))); break;
    case 0xea: HW_LANES(d, (A & B) | C); break;
    case 0xf8: HW_LANES(d, A | (B & C)); break;
    case 0xfe: HW_LANES(d, A | B | C); break;
    default: lop3_lanes(w, in, d);
    }
    return in + 1;
}

// With a predicate: (result != 0) combined with p goes to e; the result itself may be dropped.
static u32 lop3_not_zero(hw_warp *w, const hw_inst *in) {
    _Alignas(64) u32 results[32];
    _Alignas(64) s32 set[32];
    u32 *d = in->d == HW_NO_SLOT ? NULL : hw_at(w, in->d);
    lop3_lanes(w, in, results);
    HW_LANE_LOOP for (int i = 0; i < 32; i++) set[i] = -(s32)(results[i] != 0);
    if (d) HW_LANES(d, results[i]);
    return hw_pack_lanes(set);
}
static u32 source_predicate(const hw_warp *w, const hw_inst *in) {
    return hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
}
static const hw_inst *lop3_or_b32(hw_warp *w, const hw_inst *in) {
    u32 q = source_predicate(w, in);
    hw_set_pred(w, in->e, lop3_not_zero(w, in) | q);
    return in + 1;
}
static const hw_inst *lop3_and_b32(hw_warp *w, const hw_inst *in) {
    u32 q = source_predicate(w, in);
    hw_set_pred(w, in->e, lop3_not_zero(w, in) & q);
    return in + 1;
}

#undef PREDICATE_1
#undef PREDICATE_2
#undef TRUTH_TABLE
#define PREDICATE_1(name, function, ...) {function, function##_convoy},
#define PREDICATE_2(name, function, ...) {function, function##_convoy},
#define TRUTH_TABLE(name, function) {function, NULL},
#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_logic)[] = {
#include "isa/bodies/logic.def"
};
