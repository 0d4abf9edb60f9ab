// Types of variables out of DWARF in PTX: those that there are, and any that is cut off or goes round in a circle.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/layouts.h"
#include "ptx/module.h"

#define HEAD ".version 8.0\n.target sm_70, debug\n.address_size 64\n.visible .entry k() { ret; }\n"

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

static void members_and_arrays(void **state) {
    (void)state;
    hw_ptx_module *module = parse(HEAD ABBREV UNIT("79") VARIABLE STRUCT ARRAY NUMBER FUNCTION ".b8 0\n}\n" LIST);
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
    hw_ptx_module *module = parse(HEAD ABBREV UNIT("79") VARIABLE STRUCT ARRAY NUMBER FUNCTION ".b8 0\n}\n" LIST);
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
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) hw_ptx_free(parse(texts[i]));
}

// The same, with each length of the unit.
static void cut_off(void **state) {
    (void)state;
    for (unsigned length = 0; length < 100; length++) {
        char text[4096];
        snprintf(text, sizeof text, HEAD ABBREV UNIT("%u") VARIABLE STRUCT ARRAY NUMBER FUNCTION ".b8 0\n}\n" LIST,
                 length);
        hw_ptx_free(parse(text));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_and_arrays), cmocka_unit_test(registers_of_variables),
                                       cmocka_unit_test(nonsense), cmocka_unit_test(cut_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
