// Types of variables out of DWARF in PTX: those that there are, and any that is cut off or goes round in a circle.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "lower/part.h"
#include "ptx/layouts.h"
#include "ptx/module.h"

// s.b[n] = n, of the variable s at byte 8.
#define BEGIN ".version 8.0\n.target sm_70, debug\n.address_size 64\n"
#define HEAD                                                                                                           \
    BEGIN ".visible .entry k(.param .u32 n) {\n"                                                                       \
    ".local .align 8 .b8 shared_s[88];\n.reg .u64 %rd<8>;\n.reg .u32 %n;\nld.param.u32 %n, [n];\n"                     \
    "mov.u64 %rd1, shared_s;\nadd.s64 %rd2, %rd1, 8;\nadd.s64 %rd3, %rd2, 16;\n"                                       \
    "mul.wide.s32 %rd4, %n, 4;\nadd.s64 %rd5, %rd3, %rd4;\nst.local.u32 [%rd5], %n;\nret;\n}\n"

// Entries: 1 unit; 2 variable: name, type, location; 3 struct: size; 4 member: name, type, place; 5 array: type;
// 6 subrange: count; 7 base: size; 8 function: name; 9 variable in a register; 10 variable in a list of places.
#define ABBREV                                                                                                         \
    ".section .debug_abbrev {\n"                                                                                       \
    ".b8 1, 17, 1, 0, 0\n.b8 2, 52, 0, 3, 8, 73, 19, 2, 10, 0, 0\n.b8 3, 19, 1, 11, 11, 0, 0\n"                        \
    ".b8 4, 13, 0, 3, 8, 73, 19, 56, 10, 0, 0\n.b8 5, 1, 1, 73, 19, 0, 0\n.b8 6, 33, 0, 55, 11, 0, 0\n"                \
    ".b8 7, 36, 0, 11, 11, 0, 0\n.b8 8, 46, 1, 3, 8, 0, 0\n.b8 9, 52, 0, 2, 10, 0, 0\n.b8 10, 52, 0, 2, 6, 0, 0\n"     \
    ".b8 0\n}\n"
#define UNIT(LENGTH) ".section .debug_info {\n.b32 " LENGTH "\n.b8 2, 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n"
// The variable is at byte 12; the struct at 31, the array at 54, the number at 62, the function at 64.
#define VARIABLE ".b8 2, 115, 0\n.b32 31\n.b8 11, 3\n.b64 shared_s\n.b8 35, 8\n"
#define STRUCT ".b8 3, 80\n.b8 4, 97, 0\n.b32 62\n.b8 2, 35, 0\n.b8 4, 98, 0\n.b32 54\n.b8 2, 35, 16\n.b8 0\n"
#define ARRAY ".b8 5\n.b32 62\n.b8 6, 16\n.b8 0\n"
#define NUMBER ".b8 7, 4\n"
#define FUNCTION ".b8 8, 107, 0\n.b8 9, 7, 144, 182, 226, 144, 147, 215, 4\n.b8 10\n.b32 .debug_loc+16\n.b8 0\n"
#define LIST ".section .debug_loc {\n.b64 0\n.b64 0\n.b64 $L_a\n.b64 $L_b\n.b8 5, 0, 144, 178, 228, 149\n.b8 1\n" \
             ".b64 0\n.b64 0\n}\n"

static hw_ptx_module *parse(const char *text) {
    hw_ptx_module *module;
    hw_diag diag = {.line = 0};
    if (hw_ptx_parse(text, strlen(text), "test", &module, &diag) != HW_OK) fail_msg("%s", diag.text);
    return module;
}

#define WHOLE HEAD ABBREV UNIT("79") VARIABLE STRUCT ARRAY NUMBER FUNCTION ".b8 0\n}\n" LIST

enum { MAX_REGS = 16, MAX_TEXT = 4096 };

// The part that the store of HEAD has to stay in.
static bool find_part(const hw_ptx_module *module, hw_arena *arena, hw_part *out) {
    const hw_ptx_function *f = module->functions[0];
    uint32_t defs[MAX_REGS], store = 0;
    assert_in_range(f->n_regs, 1, MAX_REGS);
    memset(defs, 0xff, sizeof defs);
    for (uint32_t i = 0; i < f->n_insts; i++) {
        if (f->insts[i].op == HW_OP_ST) store = i;
        else if (f->insts[i].n_operands) defs[f->insts[i].operands[0].reg] = i;
    }
    assert_int_not_equal(store, 0);
    return module->layouts && hw_part_find(module->layouts, arena, f, defs, &f->insts[store], out);
}

static bool has_part(const char *text, hw_part *out) {
    hw_arena *arena = hw_arena_create();
    hw_ptx_module *module = parse(text);
    const bool is_found = find_part(module, arena, out);
    out->name = NULL;
    hw_ptx_free(module);
    hw_arena_destroy(arena);
    return is_found;
}

// text, with what stands there once replaced.
static const char *with(char *room, const char *text, const char *what, const char *by) {
    const char *at = strstr(text, what);
    assert_non_null(at);
    assert_null(strstr(at + 1, what));
    snprintf(room, MAX_TEXT, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
    return room;
}

static void part_of_member(void **state) {
    (void)state;
    hw_part part;
    assert_true(has_part(WHOLE, &part));
    assert_int_equal(part.offset, 24);
    assert_int_equal(part.bytes, 64);
}

// A list with what its addresses count from is read on; of one with another place (bregx) nothing is known.
static void places_in_lists(void **state) {
    (void)state;
    char text[MAX_TEXT];
    hw_part part;
    with(text, WHOLE, ".b64 $L_a\n", ".b64 -1\n.b64 7\n.b64 $L_a\n");
    hw_ptx_module *module = parse(text);
    assert_true(hw_layouts_is_variable(module->layouts, "k", "%r2"));
    hw_ptx_free(module);
    assert_true(has_part(text, &part));
    assert_false(has_part(with(text, WHOLE, "5, 0, 144, 178", "5, 0, 146, 178"), &part));
    assert_false(has_part(with(text, WHOLE, ".debug_loc+16", ".debug_loc+9999"), &part));
    assert_false(has_part(with(text, WHOLE, "9, 7, 144, 182", "9, 7, 146, 182"), &part));
}

// A list that is named more often than there are places in the section may be any.
static void one_list_for_many(void **state) {
    (void)state;
    char text[MAX_TEXT], longer[MAX_TEXT];
    hw_part part;
    with(text, WHOLE, ".b8 10\n.b32 .debug_loc+16\n", ".b8 10\n.b32 .debug_loc+16\n.b8 10\n.b32 .debug_loc+16\n");
    assert_true(has_part(with(longer, text, ".b32 79\n", ".b32 84\n"), &part));
    with(text, WHOLE, ".b8 10\n.b32 .debug_loc+16\n", ".b8 10\n.b32 .debug_loc+16\n.b8 10\n.b32 .debug_loc+16\n"
         ".b8 10\n.b32 .debug_loc+16\n.b8 10\n.b32 .debug_loc+16\n.b8 10\n.b32 .debug_loc+16\n");
    assert_false(has_part(with(longer, text, ".b32 79\n", ".b32 99\n"), &part));
}

// The first unit's table is the second's without its first one, or the same.
static void two_units(void **state) {
    (void)state;
    static const char *const units[] = {".b32 10\n.b8 2, 0\n.b32 .debug_abbrev+5\n.b8 8\n.b8 7, 4, 0\n",
                                        ".b32 10\n.b8 2, 0\n.b32 .debug_abbrev\n.b8 8\n.b8 7, 4, 0\n"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char section[256], text[MAX_TEXT];
        hw_part part;
        snprintf(section, sizeof section, ".section .debug_info {\n%s", units[i]);
        assert_true(has_part(with(text, WHOLE, ".section .debug_info {\n", section), &part));
    }
}

// p->b[i] of a kernel's parameter at byte 12: restrict at 27, a pointer at 32, the struct at 37, its array at 55.
#define POINTER                                                                                                        \
    BEGIN ".visible .entry k(.param .u64 p) {\n.reg .u64 %rd<8>;\nld.param.u64 %rd1, [p];\n"                          \
    "add.s64 %rd2, %rd1, 0;\nadd.s64 %rd3, %rd2, 16;\nshl.b64 %rd4, %rd1, 2;\nadd.s64 %rd5, %rd3, %rd4;\n"            \
    "st.u32 [%rd5], 1;\nret;\n}\n"                                                                                     \
    ".section .debug_abbrev {\n.b8 1, 17, 1, 0, 0\n.b8 2, 5, 0, 73, 19, 2, 10, 0, 0\n.b8 3, 19, 1, 11, 7, 0, 0\n"      \
    ".b8 4, 15, 0, 73, 19, 0, 0\n.b8 5, 46, 0, 3, 8, 0, 0\n.b8 6, 13, 0, 73, 19, 56, 10, 0, 0\n"                       \
    ".b8 7, 1, 1, 73, 19, 0, 0\n.b8 8, 33, 0, 55, 11, 0, 0\n.b8 9, 36, 0, 11, 11, 0, 0\n.b8 10, 55, 0, 73, 19, 0, 0\n" \
    ".b8 0\n}\n"                                                                                                       \
    UNIT("74") ".b8 2\n.b32 27\n.b8 9, 3\n.b64 p\n.b8 10\n.b32 32\n.b8 4\n.b32 37\n.b8 3\n.b64 96\n"                  \
    ".b8 6\n.b32 55\n.b8 2, 35, 16\n.b8 0\n.b8 7\n.b32 63\n.b8 8, 16\n.b8 0\n.b8 9, 4\n.b8 5, 107, 0\n"             \
    ".b8 0\n.b8 0\n.b8 0\n.b8 0\n.b8 0\n.b8 0\n.b8 0\n.b8 0\n.b8 0\n.b8 0\n}\n"

static void pointers(void **state) {
    (void)state;
    char text[MAX_TEXT];
    hw_part part;
    assert_true(has_part(POINTER, &part));
    assert_int_equal(part.offset, 16);
    assert_int_equal(part.bytes, 64);
    assert_int_equal(part.stride, 96);
    assert_true(has_part(with(text, POINTER, ".b8 4, 15, 0, 73", ".b8 4, 16, 0, 73"), &part));
}

// Upper bounds instead of counts: 15, and -1 of an array without elements, with and without a sign.
static void upper_bounds(void **state) {
    (void)state;
    static const struct {
        const char *abbreviation, *value;
        uint64_t bytes;              // 0: no array
    } cases[] = {
        {".b8 8, 33, 0, 47, 11, 0, 0", ".b8 8, 15\n", 64}, {".b8 8, 33, 0, 47, 11, 0, 0", ".b8 8, 255\n", 0},
        {".b8 8, 33, 0, 47, 13, 0, 0", ".b8 8, 15\n", 64}, {".b8 8, 33, 0, 47, 13, 0, 0", ".b8 8, 127\n", 0},
        {".b8 8, 33, 0, 47, 15, 0, 0", ".b8 8, 127\n", 512},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char large[MAX_TEXT], text[MAX_TEXT], other[MAX_TEXT];
        hw_part part;
        with(large, POINTER, ".b64 96", ".b64 8192");
        with(text, large, ".b8 8, 33, 0, 55, 11, 0, 0", cases[i].abbreviation);
        with(other, text, ".b8 8, 16\n", cases[i].value);
        const uint64_t bytes = has_part(other, &part) ? part.bytes : 0;
        if (bytes != cases[i].bytes) fail_msg("%s: %s", cases[i].abbreviation, cases[i].value);
    }
}

// A struct of all memory, and an offset that is the least number.
static void huge_struct(void **state) {
    (void)state;
    char text[MAX_TEXT], huge[MAX_TEXT], least[MAX_TEXT];
    hw_part part;
    with(text, POINTER, ".b8 10, 55, 0", ".b8 10, 38, 0");
    assert_true(has_part(text, &part));
    with(huge, text, ".b64 96", ".b64 -1");
    assert_false(has_part(with(least, huge, "%rd1, 0;", "%rd1, -9223372036854775808;"), &part));
}

// Each number of the sections, with some of its bits turned.
static void turned_bits(void **state) {
    (void)state;
    static const uint64_t masks[] = {1, 16, 128, 255};
    static const char text[] = WHOLE;
    for (const char *at = strstr(text, ".section"); *at; at++) {
        if (strchr("0123456789", *at) == NULL || strchr(" +", at[-1]) == NULL) continue;
        char *end;
        const uint64_t value = strtoull(at, &end, 10);
        for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
            char turned[MAX_TEXT];
            hw_part part;
            snprintf(turned, sizeof turned, "%.*s%llu%s", (int)(at - text), text,
                     (unsigned long long)(value ^ masks[i]), end);
            if (has_part(turned, &part)) assert_true(part.offset >= 8 && part.offset < 88);
        }
        at = end - 1;
    }
}

static void members_and_arrays(void **state) {
    (void)state;
    hw_ptx_module *module = parse(WHOLE);
    const hw_layouts *l = module->layouts;
    assert_non_null(l);
    const hw_layout_variable *s = hw_layouts_find(l, "shared_s", 8);
    assert_non_null(s);
    assert_string_equal(s->name, "s");
    assert_null(hw_layouts_find(l, "shared_s", 0));
    const hw_layout *type = &l->items[s->layout];
    assert_int_equal(type->kind, HW_LAYOUT_STRUCT);
    assert_int_equal(type->bytes, 80);
    assert_int_equal(type->n_members, 2);
    const hw_layout_member *b = &l->members[type->first_member + 1];
    assert_string_equal(b->name, "b");
    assert_int_equal(b->offset, 16);
    assert_int_equal(l->items[b->layout].kind, HW_LAYOUT_ARRAY);
    assert_int_equal(l->items[b->layout].bytes, 64);
    assert_int_equal(l->items[l->items[b->layout].of].bytes, 4);
    hw_ptx_free(module);
}

static void registers_of_variables(void **state) {
    (void)state;
    hw_ptx_module *module = parse(WHOLE);
    const hw_layouts *l = module->layouts;
    assert_true(hw_layouts_know(l, "k"));
    assert_false(hw_layouts_know(l, "f"));
    assert_true(hw_layouts_is_variable(l, "k", "%rd16"));
    assert_true(hw_layouts_is_variable(l, "k", "%r2"));    // in the list alone
    assert_false(hw_layouts_is_variable(l, "k", "%rd17"));
    assert_false(hw_layouts_is_variable(l, "f", "%rd16"));
    hw_ptx_free(module);
}

// A list that begins elsewhere, a type in itself, an entry of no abbreviation, a length beyond the end.
static void nonsense(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD ABBREV UNIT("79") ".b8 2, 115, 0\n.b32 12\n.b8 0\n.b8 5\n.b32 20\n.b8 6, 255\n.b8 0\n}\n",
        HEAD ABBREV UNIT("30") ".b8 3, 80\n.b8 4, 97, 0\n.b32 12\n.b8 2, 35, 0\n.b8 0\n}\n",
        HEAD ABBREV UNIT("4000000000") VARIABLE "}\n",
        HEAD ABBREV UNIT("20") ".b8 99, 1, 2, 3\n}\n",
        HEAD ABBREV UNIT("20") ".b8 10\n.b32 .debug_loc+99999\n}\n" LIST,
        HEAD ABBREV ".section .debug_info {\n}\n",
        HEAD ".section .debug_abbrev {\n.b8 1\n}\n" UNIT("79") VARIABLE "}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hw_ptx_module *module = parse(texts[i]);
        if (module->layouts && module->layouts->n_variables) fail_msg("%s", texts[i]);
        hw_ptx_free(module);
    }
}

// The same, with each length of the unit. Of a function that has not come to its end nothing is known.
static void cut_off(void **state) {
    (void)state;
    for (unsigned length = 0; length < 100; length++) {
        char text[MAX_TEXT], number[32];
        snprintf(number, sizeof number, ".b32 %u\n", length);
        with(text, WHOLE, ".b32 79\n", number);
        hw_part part;
        assert_int_equal(has_part(text, &part), length == 78 || length == 79);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_arrays), cmocka_unit_test(registers_of_variables),
        cmocka_unit_test(part_of_member), cmocka_unit_test(upper_bounds), cmocka_unit_test(places_in_lists),
        cmocka_unit_test(one_list_for_many), cmocka_unit_test(two_units), cmocka_unit_test(pointers),
        cmocka_unit_test(huge_struct), cmocka_unit_test(turned_bits), cmocka_unit_test(nonsense),
        cmocka_unit_test(cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
