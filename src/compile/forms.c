// The rows of isa/bodies/ as text. Those of halves, of directed roundings and of groups of lanes are left to the
// interpreter, and so is what is done lane by lane: it would keep a loop over lanes from becoming vector code.
#include "compile/forms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define UNARY(name_, function_, td, ta, ...)                                                                           \
    {.name = name_, .function = #function_, .value = #__VA_ARGS__, .result = #td, .sources = {#ta},                    \
     .kind = HW_FORM_VALUE},
#define BINARY_OF(name_, function_, td, ta, tb, ...)                                                                   \
    {.name = name_, .function = #function_, .value = #__VA_ARGS__, .result = #td, .sources = {#ta, #tb},               \
     .kind = HW_FORM_VALUE},
#define TERNARY_OF(name_, function_, td, ta, tb, tc, ...)                                                              \
    {.name = name_, .function = #function_, .value = #__VA_ARGS__, .result = #td, .sources = {#ta, #tb, #tc},          \
     .kind = HW_FORM_VALUE},
#define BINARY(name_, function_, td, ta, ...) BINARY_OF(name_, function_, td, ta, ta, __VA_ARGS__)
#define TERNARY(name_, function_, td, ta, ...) TERNARY_OF(name_, function_, td, ta, ta, ta, __VA_ARGS__)
// Another name of a row, or a body written by hand: what has no value yet is looked up by its function.
#define ROW(name_, function_, ...) {.name = name_, .function = #function_},
#define BOTH(name_, function_, ...) {.name = name_, .function = #function_},
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
#define SETP(name_, function_, type, operator, OPERATOR)                                                               \
    {.name = name_, .function = #function_, .value = "A " #operator " B", .result = "int", .sources = {#type, #type},  \
     .kind = HW_FORM_TEST},
#define COMPARE(name_, function_, compare, type, ...)                                                                  \
    {.name = name_, .function = #function_, .value = #__VA_ARGS__, .result = "int", .sources = {#type, #type},         \
     .kind = HW_FORM_TEST},
#define TESTP(name_, function_, type, ...)                                                                             \
    {.name = name_, .function = #function_, .value = #__VA_ARGS__, .result = "int", .sources = {#type},                \
     .kind = HW_FORM_TEST},

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

#define VALUE(name_, function_, td, ta, tb, tc, te, ...)                                                               \
    {.name = name_, .function = #function_, .value = #__VA_ARGS__, .result = #td, .sources = {#ta, #tb, #tc, #te},     \
     .kind = HW_FORM_VALUE},
#define OTHER(name_, kind_, td, ta, tb, value_)                                                                        \
    {.name = name_, .value = value_, .result = td, .sources = {ta, tb}, .kind = HW_FORM_##kind_},
#define PART(name_, kind_, whole, part, bits)                                                                          \
    {.name = name_, .result = whole, .sources = {part}, .kind = HW_FORM_##kind_, .part_bits = bits},
static hw_form others[] = {
#include "compile/forms.def"
};
enum { OTHERS = sizeof others / sizeof *others };

static const hw_form **by_body;
static pthread_once_t indexed = PTHREAD_ONCE_INIT;

// A NaN that comes in comes out as a NaN, or loses, whatever its payload: true of all that the rows of floats do, but
// for the sign that they take from a NaN.
static void judge_nans(hw_form *form) {
    bool of_floats = form->value && form->sources[0];
    for (unsigned k = 0; k < 4 && form->sources[k]; k++)
        of_floats &= !strcmp(form->sources[k], "f32") || !strcmp(form->sources[k], "float");
    if (!of_floats) return;
    bool keeps_bits = strstr(form->value, "sign") || !strcmp(form->value, "A");
    form->ignores_payloads = !keeps_bits;
    form->is_canonical = !strncmp(form->value, "canon(", 6) && !strcmp(form->result, "f32");
}

static void add(const hw_form *form) {
    hw_body_id id = hw_body_find(form->name);
    if (id != HW_BODY_NONE) by_body[id] = form;
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
        if (rows[k].value) judge_nans(&rows[k]);
        const hw_form *form = rows[k].value ? &rows[k] : find_function(rows[k].function);
        hw_body_id id = form ? hw_body_find(rows[k].name) : HW_BODY_NONE;
        if (id != HW_BODY_NONE) by_body[id] = form;
    }
    for (unsigned k = 0; k < OTHERS; k++) {
        for (unsigned s = 0; s < 4; s++)
            if (others[k].sources[s] && !strcmp(others[k].sources[s], "NULL")) others[k].sources[s] = NULL;
        add(&others[k]);
    }
}

const hw_form *hw_form_of(hw_body_id id) {
    static const hw_form none;
    pthread_once(&indexed, index_forms);
    return by_body && id < hw_body_count() && by_body[id] ? by_body[id] : &none;
}
