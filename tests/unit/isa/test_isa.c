// The instruction tables: every name finds its number, every word of ops.def means something, hints share a number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "isa/isa.h"

static void test_names_find_their_numbers(void **state) {
    (void)state;
    for (unsigned i = HW_OP_NONE + 1; i < HW_OP_COUNT; i++) {
        const char *name = hw_op_info((hw_op)i)->name;
        assert_int_equal(hw_op_find(name, strlen(name)), i);
    }
    for (unsigned i = HW_T_NONE + 1; i < HW_T_COUNT; i++) {
        const char *name = hw_type_name((hw_type)i);
        assert_int_equal(hw_type_find(name, strlen(name)), i);
        assert_true(hw_type_bits((hw_type)i) > 0);
    }
    for (unsigned i = 0; i < HW_M_COUNT; i++)
        assert_int_equal(hw_mod_find(hw_mod_name((hw_mod)i), strlen(hw_mod_name((hw_mod)i))), i);
    for (unsigned i = HW_SREG_NONE + 1; i < HW_SREG_COUNT; i++) {
        const char *name = hw_sreg_name((hw_sreg)i);
        assert_int_equal(hw_sreg_find(name, strlen(name)), i);
        assert_int_not_equal(hw_sreg_type((hw_sreg)i), HW_T_NONE);
    }
}

static void test_other_names_find_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"", "ad", "addd", "ADD", "wgmma", "b3", "u128", "%tid.x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(hw_op_find(names[i], strlen(names[i])), HW_OP_NONE);
        assert_int_equal(hw_type_find(names[i], strlen(names[i])), HW_T_NONE);
        assert_int_equal(hw_mod_find(names[i], strlen(names[i])), HW_M_COUNT);
        assert_int_equal(hw_sreg_find(names[i], strlen(names[i])), HW_SREG_NONE);
    }
    assert_int_equal(hw_op_find("addc", 3), HW_OP_ADD);   // the length counts, not the NUL
    assert_string_equal(hw_op_info((hw_op)-1)->name, "?");
    assert_string_equal(hw_type_name((hw_type)999), "?");
    assert_string_equal(hw_mod_name(HW_M_COUNT), "?");
    assert_string_equal(hw_space_name((hw_space)99), "?");
}

static void test_cache_hints_are_one_modifier(void **state) {
    (void)state;
    assert_int_equal(hw_mod_find("L1::no_allocate", 15), HW_M_L1_EVICT);
    assert_int_equal(hw_mod_find("L1::evict_last", 14), HW_M_L1_EVICT);
    assert_int_equal(hw_mod_find("L2::128B", 8), HW_M_L2_HINT);
    assert_int_equal(hw_mod_find("L2::evict_first", 15), HW_M_L2_HINT);
    assert_int_equal(hw_mod_find("L2::cache_hint", 14), HW_M_L2_CACHE_HINT);
}

static unsigned count_forms(const char *column) {
    unsigned n = 1;
    for (; *column; column++) n += *column == '/';
    return n;
}

// Splits text at any of separators and calls check with each word that is not empty.
static void each_word(const char *text, const char *separators, void (*check)(const char *, size_t)) {
    while (*text) {
        size_t length = strcspn(text, separators);
        if (length) check(text, length);
        text += length + (text[length] != 0);
    }
}

static void check_type(const char *word, size_t length) { assert_int_not_equal(hw_type_find(word, length), HW_T_NONE); }

static void check_mod(const char *word, size_t length) { assert_int_not_equal(hw_mod_find(word, length), HW_M_COUNT); }

static void check_operand(const char *word, size_t length) {
    if (length == 4 && memcmp(word, "call", 4) == 0) return;
    assert_non_null(memchr("dDWaAwcIipqMvmgzfxhykoOlt", word[0], 25));
    for (size_t i = 1; i < length; i++) assert_non_null(memchr("?_|.-", word[i], 5));
}

static void test_rows_are_well_formed(void **state) {
    (void)state;
    for (unsigned i = HW_OP_NONE + 1; i < HW_OP_COUNT; i++) {
        const hw_op_row *row = hw_op_info((hw_op)i);
        unsigned forms = 1;
        const char *const columns[] = {row->operands, row->types, row->mods};
        for (int c = 0; c < 3; c++)
            if (count_forms(columns[c]) > forms) forms = count_forms(columns[c]);
        for (int c = 0; c < 3; c++)
            if (count_forms(columns[c]) != 1 && count_forms(columns[c]) != forms)
                fail_msg("%s: forms differ", row->name);
        each_word(row->types, " ;/", check_type);
        each_word(row->mods, " |!/", check_mod);
        each_word(row->operands, " /", check_operand);
        assert_true(strlen(row->section) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_find_their_numbers),
        cmocka_unit_test(test_other_names_find_nothing),
        cmocka_unit_test(test_cache_hints_are_one_modifier),
        cmocka_unit_test(test_rows_are_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
