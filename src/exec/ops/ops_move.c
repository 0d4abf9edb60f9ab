// Moves, packing and unpacking, conversions between register widths, isspacep. Rows in isa/bodies/move.def.
#include "exec/ops/row_bodies.h"

static const void *listed(const hw_warp *w, const hw_inst *in, u32 k) { return hw_at(w, w->slots[in->list + k]); }

// The sources' registers are narrower than d, so none of them is d.
#define PACK(name, function, td, part, n, bits, type)                       \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        td *d = hw_at(w, in->d);                                            \
        const part *from[n];                                                \
        for (u32 k = 0; k < n; k++) from[k] = listed(w, in, k);             \
        for (u32 k = 0; k < n; k++)                                         \
            HW_LANES(d, (td)((k ? d[i] : 0) | (td)(type)from[k][i] << bits * k)); \
        return in + 1;                                                      \
    }
#define PACK_2(name, function, td, part, bits)                              \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        td *d = hw_at(w, in->d);                                            \
        const part *a = listed(w, in, 0), *b = listed(w, in, 1);            \
        HW_LANES(d, A | (td)B << bits);                                     \
        HW_NEXT(w, in);                                                     \
    }
#define UNPACK(name, function, ta, part, n, bits, type)                     \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        const ta *a = hw_at(w, in->a);                                      \
        for (u32 k = 0; k < n; k++) {                                       \
            hw_slot slot = w->slots[in->list + k];                          \
            if (slot == HW_NO_SLOT) continue;                               \
            part *d = hw_at(w, slot);                                       \
            HW_LANES(d, (type)(A >> bits * k));                             \
        }                                                                   \
        return in + 1;                                                      \
    }

#include "isa/bodies/move.def"

// 128-bit registers, as arrays of their parts.
static const hw_inst *mov_b128(hw_warp *w, const hw_inst *in) {
    u64 *d = hw_at(w, in->d);
    const u64 *a = hw_at(w, in->a);
    HW_EACH_ACTIVE_LANE(d[2 * i] = a[2 * i]; d[2 * i + 1] = a[2 * i + 1]);
    return in + 1;
}
#define PACK_128(function, type, n)                                         \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        type *d = hw_at(w, in->d);                                          \
        for (u32 k = 0; k < n; k++) {                                       \
            const type *a = listed(w, in, k);                               \
            HW_EACH_ACTIVE_LANE(d[(u32)i * n + k] = A);                     \
        }                                                                   \
        return in + 1;                                                      \
    }
PACK_128(mov_pack_2x64, u64, 2)
PACK_128(mov_pack_4x32, u32, 4)
#define UNPACK_128(function, type, n)                                       \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        const type *a = hw_at(w, in->a);                                    \
        for (u32 k = 0; k < n; k++) {                                       \
            hw_slot slot = w->slots[in->list + k];                          \
            if (slot == HW_NO_SLOT) continue;                               \
            type *d = hw_at(w, slot);                                       \
            HW_EACH_ACTIVE_LANE(d[i] = a[(u32)i * n + k]);                  \
        }                                                                   \
        return in + 1;                                                      \
    }
UNPACK_128(mov_unpack_2x64, u64, 2)
UNPACK_128(mov_unpack_4x32, u32, 4)

// Which generic addresses are in in->asked_space. What is in neither window is global; constant and
// parameter memory are parts of that here, and no address is told to be in them.
static const hw_inst *isspacep(hw_warp *w, const hw_inst *in) {
    const u64 *a = hw_at(w, in->a);
    s32 in_shared[32], in_local[32];
    HW_LANE_LOOP for (int i = 0; i < 32; i++) {
        in_shared[i] = -(s32)(A - HW_SHARED_WINDOW < HW_WINDOW_BYTES);
        in_local[i] = -(s32)(A - HW_LOCAL_WINDOW < HW_WINDOW_BYTES);
    }
    u32 shared = hw_pack_lanes(in_shared), local = hw_pack_lanes(in_local);
    u32 holds = 0;
    switch (in->asked_space) {
    case HW_SPACE_SHARED: holds = shared; break;
    case HW_SPACE_LOCAL: holds = local; break;
    case HW_SPACE_GLOBAL: holds = ~(shared | local); break;
    default: break;
    }
    hw_set_pred(w, in->d, holds);
    HW_NEXT(w, in);
}

#undef PACK
#undef PACK_2
#undef UNPACK
#define PACK(name, function, ...) {function, NULL},
#define PACK_2(name, function, ...) {function, NULL},
#define UNPACK(name, function, ...) {function, NULL},
#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_move)[] = {
#include "isa/bodies/move.def"
};
