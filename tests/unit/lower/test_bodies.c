// Every form of arithmetic that the parser accepts has a body, but for those that are refused when a program is loaded:
// they are counted, so that a form that is added without one is told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lower/lowering.h"

enum { MOST_WORDS = 16, MOST_TEXT = 512 };

// The words of one form's column, cut at separators; empty where nothing stands there.
typedef struct words {
    char text[MOST_TEXT];
    char *word[MOST_WORDS];
    unsigned n;
} words;

// Form number `form` of a column, or the only one.
static void take_form(const char *column, unsigned form, char *out) {
    bool has_forms = strchr(column, '/') != NULL;
    for (; has_forms && form; form--) column = strchr(column, '/') + 1;
    size_t length = strcspn(column, "/");
    assert_true(length < MOST_TEXT);
    memcpy(out, column, length);
    out[length] = 0;
}

static void cut(words *w, const char *separators) {
    w->n = 0;
    for (char *rest = w->text, *word; (word = strtok_r(rest, separators, &rest)); w->word[w->n++] = word)
        assert_true(w->n < MOST_WORDS);
}

// What has no body, by opcode: how many combinations of types and modifiers.
static const struct {
    hw_op op;
    unsigned n;
} refused[] = {
    {HW_OP_ADD, 20}, {HW_OP_SUB, 20}, {HW_OP_FMA, 16},    // f32 of f16 or bf16 sources
    {HW_OP_SETP, 168}, {HW_OP_SET, 168},                  // .ftz where it says nothing: of f64, bf16, bf16x2
    {HW_OP_CVT, 75},                                      // .ftz, .sat, .relu with f16 and bf16; those without rounding
    {HW_OP_CVT_PACK, 2},                                  // 16-bit parts with a third operand
};

static unsigned refused_forms(hw_op op) {
    for (unsigned k = 0; k < sizeof refused / sizeof *refused; k++)
        if (refused[k].op == op) return refused[k].n;
    return 0;
}

typedef struct tally {
    hw_lowering lo;
    unsigned n, missing;
    char last[256];          // the last that has no body
} tally;

static void check_body(tally *t, const hw_ptx_inst *inst) {
    t->n++;
    if (hw_names_of(&t->lo, inst) != HW_BODY_NONE) return;
    t->missing++;
    int length = snprintf(t->last, sizeof t->last, "%s", hw_op_info(inst->op)->name);
    for (unsigned m = 0; m < HW_M_COUNT; m++)
        if (hw_has_mod(&inst->mods, (hw_mod)m))
            length += snprintf(t->last + length, sizeof t->last - (size_t)length, ".%s", hw_mod_name((hw_mod)m));
    for (int k = 0; k < inst->n_types; k++)
        length += snprintf(t->last + length, sizeof t->last - (size_t)length, ".%s", hw_type_name(inst->types[k]));
}

// One of each group of modifiers a|b|c, or none where it has no '!'.
static void each_modifier(tally *t, hw_ptx_inst *inst, const words *groups, unsigned k) {
    if (k == groups->n) {
        check_body(t, inst);
        return;
    }
    words choices;
    snprintf(choices.text, MOST_TEXT, "%s", groups->word[k]);
    bool is_needed = strchr(choices.text, '!') != NULL;
    cut(&choices, "|!");
    hw_mods before = inst->mods;
    for (unsigned c = 0; c < choices.n; c++) {
        hw_add_mod(&inst->mods, hw_mod_find(choices.word[c], strlen(choices.word[c])));
        each_modifier(t, inst, groups, k + 1);
        inst->mods = before;
    }
    if (!is_needed) each_modifier(t, inst, groups, k + 1);
}

static void each_type(tally *t, hw_ptx_inst *inst, const words *positions, unsigned k, const words *groups) {
    if (k == positions->n) {
        inst->n_types = (uint8_t)k;
        each_modifier(t, inst, groups, 0);
        return;
    }
    words types;
    snprintf(types.text, MOST_TEXT, "%s", positions->word[k]);
    cut(&types, " ");
    for (unsigned c = 0; c < types.n; c++) {
        inst->types[k] = hw_type_find(types.word[c], strlen(types.word[c]));
        each_type(t, inst, positions, k + 1, groups);
    }
}

static unsigned count_forms(const char *column) {
    unsigned n = 1;
    for (; *column; column++) n += *column == '/';
    return n;
}

static void check_form(tally *t, hw_op op, unsigned form) {
    const hw_op_row *row = hw_op_info(op);
    words positions, groups;
    hw_ptx_inst inst = {.op = op};
    take_form(row->types, form, positions.text);
    take_form(row->mods, form, groups.text);
    cut(&positions, ";");
    cut(&groups, " ");
    each_type(t, &inst, &positions, 0, &groups);
}

static void every_form_has_a_body(void **state) {
    (void)state;
    hw_spelled spelled[HW_SPELLED];
    unsigned n = 0;
    memset(spelled, 0, sizeof spelled);
    for (unsigned op = HW_OP_NONE + 1; op < HW_OP_COUNT; op++) {
        const hw_op_row *row = hw_op_info((hw_op)op);
        if (hw_op_traits((hw_op)op)->emitter != HW_EMIT_ARITHMETIC) continue;
        tally t = {.lo = {.spelled = spelled}};
        unsigned forms = count_forms(row->mods);
        if (count_forms(row->types) > forms) forms = count_forms(row->types);
        if (count_forms(row->operands) > forms) forms = count_forms(row->operands);
        for (unsigned form = 0; form < forms; form++) check_form(&t, (hw_op)op, form);
        if (t.missing != refused_forms((hw_op)op))
            fail_msg("%s: %u forms have no body, not %u; the last is %s", row->name, t.missing,
                     refused_forms((hw_op)op), t.last);
        n += t.n;
    }
    assert_true(n > 5000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form_has_a_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
