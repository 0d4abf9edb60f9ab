// What the bodies of lanes compute, as text of C: the rows of isa/bodies/ a third time, after names (isa/bodies.c) and
// functions (exec/ops). A compiled kernel is made of these expressions and nothing else, so that it gives the
// bits that the interpreter gives. Internal to compile.
#ifndef HW_COMPILE_FORMS_H
#define HW_COMPILE_FORMS_H

#include "isa/bodies.h"

typedef enum hw_form_kind {
    HW_FORM_NONE,        // not to be compiled: the interpreter executes it
    HW_FORM_VALUE,       // d = value(a, b, c, fourth)
    HW_FORM_TEST,        // predicates d and e: whether value(a, b) holds, and whether it does not; combined with p
    HW_FORM_PREDICATE,   // predicate d = value(a, b), of predicates of one lane, 0 or 1
    HW_FORM_SELECT,      // d = p ? a : b
    HW_FORM_LOP3,        // d = the function of a, b and c whose truth table is imm
    HW_FORM_PACK,        // d = the registers of the list side by side, each so many bits
    HW_FORM_UNPACK,      // the registers of the list = parts of a
} hw_form_kind;

typedef struct hw_form {
    const char *name;          // the body's
    const char *function;      // of the generated text
    const char *value;         // an expression in A, B, C and E
    const char *result;        // its type: u16, f32, ...
    const char *sources[4];    // types of a, b, c and fourth; NULL: not used
    uint8_t kind;              // hw_form_kind
    uint8_t part_bits;         // PACK, UNPACK
    bool ignores_payloads;     // of floats: any NaN as a source gives the same result as any other
    bool is_canonical;         // the result is canon(value): of a NaN the canonical one
} hw_form;

// A body's form; the one of kind NONE for bodies that are not compiled. Constant time.
const hw_form *hw_form_of(hw_body_id id);

// The text of the functions that values name, with the types: C, to be put before them.
extern const char hw_compile_values[];

#endif
