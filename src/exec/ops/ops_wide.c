// Integer arithmetic that needs more than a vector of its own width: division, 64-bit products, carry chains.
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_int.h"

// One division per active lane; the processor has no vectors of these.
#define EACH_LANE(function, type, value)                                    \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        type *d = hw_at(w, in->d);                                          \
        const type *a = hw_at(w, in->a), *b = hw_at(w, in->b);              \
        HW_EACH_ACTIVE_LANE(d[i] = value);                                  \
        return in + 1;                                                      \
    }
EACH_LANE(div_s64, s64, quotient_s64(A, B))
EACH_LANE(div_u64, u64, quotient_u64(A, B))
EACH_LANE(rem_s64, s64, remainder_s64(A, B))
EACH_LANE(rem_u64, u64, remainder_u64(A, B))

// d = x + y + carry in; x is an expression in A and B. Results and carries of all lanes first: d may be a source.
#define SUM(function, type, x, y, carry_in, carry_out)                      \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        type *d = hw_at(w, in->d);                                          \
        const type *a = hw_at(w, in->a), *b = hw_at(w, in->b);              \
        const type *c = hw_at(w, in->c);                                    \
        (void)c;                                                            \
        type results[32];                                                   \
        s32 carries[32];                                                    \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {                                      \
            type first = (x), sum = first + (y), in_i = (carry_in);         \
            results[i] = sum + in_i;                                        \
            carries[i] = -(s32)((sum < first) | (results[i] < in_i));       \
        }                                                                   \
        HW_LANES(d, results[i]);                                            \
        if (carry_out) set_carry(w, hw_pack_lanes(carries));                \
        return in + 1;                                                      \
    }

// d = a - (b + carry in); CC.CF is the borrow.
#define DIFFERENCE(function, type, carry_in, carry_out)                     \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        type *d = hw_at(w, in->d);                                          \
        const type *a = hw_at(w, in->a), *b = hw_at(w, in->b);              \
        type results[32];                                                   \
        s32 borrows[32];                                                    \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {                                      \
            type difference = A - B, in_i = (carry_in);                     \
            results[i] = difference - in_i;                                 \
            borrows[i] = -(s32)((A < B) | (difference < in_i));             \
        }                                                                   \
        HW_LANES(d, results[i]);                                            \
        if (carry_out) set_carry(w, hw_pack_lanes(borrows));                \
        return in + 1;                                                      \
    }

static inline void set_carry(hw_warp *w, u32 carry) { w->carry = (w->carry & ~w->mask) | (carry & w->mask); }

#define NO_CARRY 0
#define CARRY (w->carry >> i & 1u)

SUM(add_cc_s32, u32, A, B, NO_CARRY, 1)
SUM(add_cc_s64, u64, A, B, NO_CARRY, 1)
SUM(addc_s32, u32, A, B, CARRY, 0)
SUM(addc_s64, u64, A, B, CARRY, 0)
SUM(addc_cc_s32, u32, A, B, CARRY, 1)
SUM(addc_cc_s64, u64, A, B, CARRY, 1)
DIFFERENCE(sub_cc_s32, u32, NO_CARRY, 1)
DIFFERENCE(sub_cc_s64, u64, NO_CARRY, 1)
DIFFERENCE(subc_s32, u32, CARRY, 0)
DIFFERENCE(subc_s64, u64, CARRY, 0)
DIFFERENCE(subc_cc_s32, u32, CARRY, 1)
DIFFERENCE(subc_cc_s64, u64, CARRY, 1)
SUM(mad_cc_lo_s32, u32, A * B, C, NO_CARRY, 1)
SUM(mad_cc_lo_s64, u64, A * B, C, NO_CARRY, 1)
SUM(mad_cc_hi_s32, u32, high_signed_32(A, B), C, NO_CARRY, 1)
SUM(mad_cc_hi_u32, u32, high_unsigned_32(A, B), C, NO_CARRY, 1)
SUM(mad_cc_hi_s64, u64, high_signed(A, B), C, NO_CARRY, 1)
SUM(mad_cc_hi_u64, u64, high_unsigned(A, B), C, NO_CARRY, 1)
SUM(madc_lo_s32, u32, A * B, C, CARRY, 0)
SUM(madc_lo_s64, u64, A * B, C, CARRY, 0)
SUM(madc_hi_s32, u32, high_signed_32(A, B), C, CARRY, 0)
SUM(madc_hi_u32, u32, high_unsigned_32(A, B), C, CARRY, 0)
SUM(madc_hi_s64, u64, high_signed(A, B), C, CARRY, 0)
SUM(madc_hi_u64, u64, high_unsigned(A, B), C, CARRY, 0)
SUM(madc_cc_lo_s32, u32, A * B, C, CARRY, 1)
SUM(madc_cc_lo_s64, u64, A * B, C, CARRY, 1)
SUM(madc_cc_hi_s32, u32, high_signed_32(A, B), C, CARRY, 1)
SUM(madc_cc_hi_u32, u32, high_unsigned_32(A, B), C, CARRY, 1)
SUM(madc_cc_hi_s64, u64, high_signed(A, B), C, CARRY, 1)
SUM(madc_cc_hi_u64, u64, high_unsigned(A, B), C, CARRY, 1)

#include "isa/bodies/wide.def"

#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_wide)[] = {
#include "isa/bodies/wide.def"
};
