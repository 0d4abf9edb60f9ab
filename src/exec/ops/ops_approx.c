// The approximate instructions: the rows are in isa/bodies/approx.def, the functions in approx.h.
#include "exec/ops/approx.h"
#include "exec/ops/half_lanes.h"
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_f32.h"

#define OF_HALVES(function, n, from, to, value)                                    \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                \
        float a[n], r[n];                                                          \
        uint16_t rounded[n];                                                       \
        from(a, hw_at(w, in->a), n);                                               \
        HW_LANE_LOOP for (int i = 0; i < n; i++) r[i] = (value);                   \
        to(rounded, r, n);                                                         \
        hw_store_halves(w, hw_at(w, in->d), rounded, n);                           \
        HW_NEXT(w, in);                                                            \
    }
#define HALF(name, function, value) OF_HALVES(function, 32, hw_from_halves, hw_to_halves, value)
#define HALF_PAIRS(name, function, value) OF_HALVES(function, 64, hw_from_halves, hw_to_halves, value)
#define BRAIN(name, function, value) OF_HALVES(function, 32, hw_from_bfloats, hw_to_bfloats, value)
#define BRAIN_PAIRS(name, function, value) OF_HALVES(function, 64, hw_from_bfloats, hw_to_bfloats, value)
#include "isa/bodies/approx.def"
#undef HALF
#undef HALF_PAIRS
#undef BRAIN
#undef BRAIN_PAIRS

#include "exec/ops/row_table.h"
#define HALF(name, function, value) {function, NULL},
#define HALF_PAIRS(name, function, value) {function, NULL},
#define BRAIN(name, function, value) {function, NULL},
#define BRAIN_PAIRS(name, function, value) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_approx)[] = {
#include "isa/bodies/approx.def"
};
