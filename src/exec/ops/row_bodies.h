// Turns the rows of a file of isa/bodies/ into bodies; row_table.h turns the same rows into the table. A row is
//   UNARY(name, function, td, ta, value)             d[i] = value, an expression in A (a[i], of type ta) and i
//   BINARY(name, function, td, ta, value)            also in B; a and b are of the same type
//   TERNARY(name, function, td, ta, value)           also in C
//   BINARY_OF(name, function, td, ta, tb, value)     where the sources' types differ
//   TERNARY_OF(name, function, td, ta, tb, tc, value)
//   QUATERNARY_OF(name, function, td, ta, tb, tc, te, value)   also in E, of the operand fourth
//   FLOAT_1, FLOAT_2, FLOAT_3(name, function, value) of f32; a NaN becomes the canonical one
//   EACH(name, function, td, ta, value)              UNARY lane by lane: for rare ones, less code
//   ROW(name, function)                              another name of a body, or one that is written by hand
//   FASTER(name, function, plain)                    written by hand; computes what the body plain of a row does
//   BOTH(name, function)                             written by hand, with a form for convoys: function_convoy
//   MEMBERS_IN_C, MEMBERS_IN_P(name, function, bytes)   written by hand; exec gathers lanes first (shuffle.def); of
//                                                    MEMBERS_IN_P with a form for convoys, which looks for itself
// td, ta: the types below. 8-bit values are in 16-bit lanes of which only the low byte counts.
#ifndef HW_EXEC_ROW_BODIES_H
#define HW_EXEC_ROW_BODIES_H

#include "exec/ops/lanes.h"
#include "exec/ops/value_types.h"

#define A a[i]
#define B b[i]
#define C c[i]
#define E e[i]

// The form with lanes off is a function of its own: function_some.
#define BODY(function, operands, value)                                     \
    static HW_APART const hw_inst *function##_some(hw_warp *w, const hw_inst *in) { \
        operands HW_SOME_LANES(d, value);                                   \
        HW_NEXT(w, in);                                                     \
    }                                                                       \
    static inline void function##_lanes(hw_warp *w, const hw_inst *in) {    \
        operands HW_ALL_LANES(d, value);                                    \
    }                                                                       \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        if (!HW_ALL_ON(w)) return function##_some(w, in);                   \
        function##_lanes(w, in);                                            \
        HW_NEXT(w, in);                                                     \
    }                                                                       \
    HW_CONVOY_FORM(function)
#define UNARY(name, function, td, ta, value)                                \
    BODY(function, td *d = hw_at(w, in->d); const ta *a = hw_at(w, in->a);, value)
#define EACH(name, function, td, ta, value)                                 \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        td *d = hw_at(w, in->d);                                            \
        const ta *a = hw_at(w, in->a);                                      \
        HW_EACH_ACTIVE_LANE(d[i] = value);                                  \
        HW_NEXT(w, in);                                                     \
    }
#define BINARY_OF(name, function, td, ta, tb, value)                        \
    BODY(function, td *d = hw_at(w, in->d); const ta *a = hw_at(w, in->a); const tb *b = hw_at(w, in->b);, value)
#define TERNARY_OF(name, function, td, ta, tb, tc, value)                   \
    BODY(function, td *d = hw_at(w, in->d); const ta *a = hw_at(w, in->a); const tb *b = hw_at(w, in->b); \
         const tc *c = hw_at(w, in->c);, value)
#define QUATERNARY_OF(name, function, td, ta, tb, tc, te, value)            \
    BODY(function, td *d = hw_at(w, in->d); const ta *a = hw_at(w, in->a); const tb *b = hw_at(w, in->b); \
         const tc *c = hw_at(w, in->c); const te *e = hw_at(w, in->fourth);, value)
#define BINARY(name, function, td, ta, value) BINARY_OF(name, function, td, ta, ta, value)
#define TERNARY(name, function, td, ta, value) TERNARY_OF(name, function, td, ta, ta, ta, value)
#define FLOAT_1(name, function, value) UNARY(name, function, f32, f32, canon(value))
#define FLOAT_2(name, function, value) BINARY(name, function, f32, f32, canon(value))
#define FLOAT_3(name, function, value) TERNARY(name, function, f32, f32, canon(value))
#define FASTER(name, function, plain)
#define ROW(name, function, ...)
#define BOTH(name, function)
#define MEMBERS_IN_C(name, function, bytes)
#define MEMBERS_IN_P(name, function, bytes)

#endif
