// Counting, finding and moving bits, and dot products of bytes. Rows in isa/bodies/bits.def.
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_bits.h"

// The n-th set bit of mask, counted from bit base upwards (n > 0, the first is 1) or downwards (n < 0); n = 0: base
// itself if set. 0xffffffff when there is none; 0 for the n that has no magnitude, as on an H200.
static u32 nth_set_bit(u32 mask, u32 base, s32 n) {
    if (n == INT32_MIN) return 0;
    if (base > 31) return 0xffffffffu;
    if (n == 0) return mask >> base & 1 ? base : 0xffffffffu;
    u32 left = n > 0 ? (u32)n : 0 - (u32)n;
    for (u32 position = base; position < 32; position += n > 0 ? 1 : -1u)
        if (mask >> position & 1 && --left == 0) return position;
    return 0xffffffffu;
}
static const hw_inst *fns_b32(hw_warp *w, const hw_inst *in) {
    u32 *d = hw_at(w, in->d);
    const u32 *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    const s32 *c = hw_at(w, in->c);
    HW_EACH_ACTIVE_LANE(d[i] = nth_set_bit(A, B, C));
    return in + 1;
}

#include "isa/bodies/bits.def"

#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_bits)[] = {
#include "isa/bodies/bits.def"
};
