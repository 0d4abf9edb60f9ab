// The rows of isa/bodies/ as text. Those of halves, of directed roundings and of groups of lanes are left to the
// interpreter, and so is what is done lane by lane: it would keep a loop over lanes from becoming vector code.
#include "compile/forms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define FORM(name_, function_, kind_, td, text, ...)                                                                   \
    {.name = name_, .function = #function_, .value = text, .result = #td, .sources = {__VA_ARGS__},                    \
     .kind = HW_FORM_##kind_},
#define UNARY(name, function, td, ta, ...) FORM(name, function, VALUE, td, #__VA_ARGS__, #ta)
#define BINARY_OF(name, function, td, ta, tb, ...) FORM(name, function, VALUE, td, #__VA_ARGS__, #ta, #tb)
#define TERNARY_OF(name, function, td, ta, tb, tc, ...) FORM(name, function, VALUE, td, #__VA_ARGS__, #ta, #tb, #tc)
#define QUATERNARY_OF(name, function, td, ta, tb, tc, te, ...)                                                         \
    FORM(name, function, VALUE, td, #__VA_ARGS__, #ta, #tb, #tc, #te)
#define BINARY(name, function, td, ta, ...) BINARY_OF(name, function, td, ta, ta, __VA_ARGS__)
#define TERNARY(name, function, td, ta, ...) TERNARY_OF(name, function, td, ta, ta, ta, __VA_ARGS__)
#define FLOAT(name_, function_, text, ...)                                                                             \
    {.name = name_, .function = #function_, .value = text, .result = "f32", .sources = {__VA_ARGS__},                  \
     .kind = HW_FORM_VALUE, .is_canonical = true},
#define FLOAT_1(name, function, ...) FLOAT(name, function, #__VA_ARGS__, "f32")
#define FLOAT_2(name, function, ...) FLOAT(name, function, #__VA_ARGS__, "f32", "f32")
#define FLOAT_3(name, function, ...) FLOAT(name, function, #__VA_ARGS__, "f32", "f32", "f32")
#define WIDE(name, function, td, ta, vectors, ...) BINARY(name, function, td, ta, __VA_ARGS__)
#define WIDE_SUM(name, function, td, ta, vectors, ...) TERNARY_OF(name, function, td, ta, ta, td, __VA_ARGS__)
#define SETP(name, function, type, operator, OPERATOR)                                                                 \
    FORM(name, function, TEST, int, "A " #operator " B", #type, #type)
#define COMPARE(name, function, compare, type, ...) FORM(name, function, TEST, int, #__VA_ARGS__, #type, #type)
#define TESTP(name, function, type, ...) FORM(name, function, TEST, int, #__VA_ARGS__, #type)
#define PREDICATE_1(name, function, ...) FORM(name, function, PREDICATE, int, #__VA_ARGS__, "int")
#define PREDICATE_2(name, function, ...) FORM(name, function, PREDICATE, int, #__VA_ARGS__, "int", "int")
#define CHOICE(name, function, type) FORM(name, function, SELECT, type, NULL, #type, #type)
#define TRUTH_TABLE(name, function) FORM(name, function, LOP3, u32, NULL, "u32", "u32", "u32")
#define PARTS(name_, kind_, whole, part, bits)                                                                         \
    {.name = name_, .result = #whole, .sources = {#part}, .kind = HW_FORM_##kind_, .part_bits = bits},
#define PACK(name, function, whole, part, n, bits, type) PARTS(name, PACK, whole, part, bits)
#define PACK_2(name, function, whole, part, bits) PARTS(name, PACK, whole, part, bits)
#define UNPACK(name, function, whole, part, n, bits, type) PARTS(name, UNPACK, whole, part, bits)
// What has no value of its own has that of the row of its function.
#define ROW(name_, function_, ...) {.name = name_, .function = #function_},
#define BOTH ROW
#define FASTER(name_, function_, plain) {.name = name_, .function = #plain},
#define SKIP(...)
#define EACH SKIP
#define PAIR_2 SKIP
#define PAIR_3 SKIP
#define HALF SKIP
#define HALF_PAIRS SKIP
#define BRAIN SKIP
#define BRAIN_PAIRS SKIP
#define SET SKIP
#define COMPARE_16 SKIP
#define COMPARE_2 SKIP

static hw_form rows[] = {
#include "isa/bodies/int.def"
#include "isa/bodies/wide.def"
#include "isa/bodies/bits.def"
#include "isa/bodies/logic.def"
#include "isa/bodies/compare.def"
#include "isa/bodies/convert.def"
#include "isa/bodies/convert_float.def"
#include "isa/bodies/move.def"
#include "isa/bodies/f32.def"
#include "isa/bodies/f64.def"
#include "isa/bodies/approx.def"
#include "isa/bodies/setp.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const hw_form **by_body;
static pthread_once_t indexed = PTHREAD_ONCE_INIT;

// A NaN that comes in comes out as a NaN, or loses, whatever its payload: true of all that the rows of floats do, but
// for the sign that they take from a NaN, and for moves.
static bool ignores_payloads(const hw_form *form, const hw_body_spelling *spelled) {
    bool of_floats = form->value && form->sources[0];
    for (unsigned k = 0; k < 4 && form->sources[k]; k++)
        of_floats &= !strcmp(form->sources[k], "f32") || !strcmp(form->sources[k], "float");
    return of_floats && spelled->op != HW_OP_COPYSIGN && spelled->op != HW_OP_MOV &&
           !hw_has_mod(&spelled->mods, HW_M_XORSIGN);
}

static const hw_form *find_function(const char *function) {
    for (unsigned k = 0; k < ROWS; k++)
        if (rows[k].value && !strcmp(rows[k].function, function)) return &rows[k];
    return NULL;
}

static void index_forms(void) {
    by_body = calloc(hw_body_count(), sizeof *by_body);
    if (!by_body) return;
    for (unsigned k = 0; k < ROWS; k++) {
        const hw_body_id id = hw_body_find(rows[k].name);
        if (rows[k].result) rows[k].ignores_payloads = ignores_payloads(&rows[k], hw_body_spelling_of(id));
        if (id != HW_BODY_NONE) by_body[id] = rows[k].result ? &rows[k] : find_function(rows[k].function);
    }
}

const hw_form *hw_form_of(hw_body_id id) {
    static const hw_form none;
    pthread_once(&indexed, index_forms);
    return by_body && id < hw_body_count() && by_body[id] ? by_body[id] : &none;
}
