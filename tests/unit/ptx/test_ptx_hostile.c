// Text that wants to break the parser: cut off anywhere, nested deeply, huge, out of memory; and printing it again.
#include <time.h>

#include "ptx_text.h"

// One of everything.
static const char everything[] =
    HEAD ".file 1 \"a.cu\"\n.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
         ".func (.param .b32 r) fn (.param .b32 a)\n{\nret;\n}\n"
         ".func (.param .b32 r) other (.param .b32 a);\n.alias other, fn;\n"
         ".global .align 8 .u64 t[3] = {fn, generic(c)+4, 7};\n.const .align 4 .f32 c[4] = {0f3F800000, 2.5};\n"
         ".global .b8 p[3] = {1, 0xFF00(t), 2}; .global .u32 open[] = {1, 2, 3}; .global .v2 .f32 v = {1.0, 2.0};\n"
         ".extern .shared .align 16 .b8 dyn[];\n"
         ".visible .entry k (.param .u64 pp, .param .align 8 .b8 s[24]) .maxntid 64, 1, 1 .minnctapersm 2\n{\n"
         ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<5>; .reg .f64 %fd<4>; .reg .b16 %h<3>;\n"
         ".local .align 8 .b8 depot[16]; .shared .align 4 .f32 tile[32][33];\n.loc 1 12 3\n"
         "ld.param.u64 %rd1, [pp]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mov.u64 %rd3, fn; "
         "mov.u64 %rd4, late;\n"
         "@!%p1 bra $A;\nld.global.v4.f32 {%f1, _, %f2, %f3}, [%rd2+-16]; st.shared.f32 [tile+8], 1.5; mov.f32 %f1, "
         "-0f7fc00001;\n"
         "setp.lt.and.f32 %p1|%p2, %f1, 2.5, !%p3; mov.b64 {%r2, %r3}, %fd1; mov.b64 %rd5, {%r1, 5}; "
         "cvt.rn.f64.s32 %fd1, -3;\n"
         "shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, -1; lop3.or.b32 _|%p2, %r1, %r2, %r3, 0x3c, %p1; atom.add.u32 _, "
         "[%rd2], 1;\n"
         "{ .reg .b32 %r<2>; .param .b32 q; .param .b64 a; .param .b64 b; call.uni (q), vprintf, (a, b); "
         "mov.u32 %r1, 3;\n"
         "call (%r1), fn, (5); P: .callprototype (.param .b32 _) _ (.param .b32 _); call (q), %rd3, (%r1), P; }\n"
         "T: .branchtargets $A, $B; brx.idx %r1, T;\n$A: bar.red.popc.u32 %r1, 1, 64, !%p1; slct.f32.s32 %f1, 1.0, "
         "2.0, -1;\n"
         "set.eq.u32.f32 %r1, %f1, 1.0; fma.rn.f16 %h1, %h2, %h1, %h2; ld.u32 %r1, [64]; mul.wide.s32 %rd1, %r1, -4;\n"
         "$B: ret;\n}\n.func late { exit; }\n";

static void test_round_trip(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(everything);
    char *first = hw_ptx_print(m);
    assert_non_null(first);
    hw_ptx_module *again = parse_ok(first);
    char *second = hw_ptx_print(again);
    assert_string_equal(first, second);
    const hw_ptx_function *a = hw_ptx_find_function(m, "k"), *b = hw_ptx_find_function(again, "k");
    assert_int_equal(a->n_insts, b->n_insts);
    assert_int_equal(a->n_regs, b->n_regs);
    assert_int_equal(a->n_variables, b->n_variables);
    for (uint32_t i = 0; i < a->n_insts; i++) {
        const hw_ptx_inst *x = &a->insts[i], *y = &b->insts[i];
        assert_string_equal(x->text, y->text);
        assert_int_equal(x->loc_line, y->loc_line);
        assert_int_equal(x->guard, y->guard);
        assert_int_equal(x->space, y->space);
        for (unsigned k = 0; k < x->n_operands; k++) {
            assert_int_equal(x->operands[k].kind, y->operands[k].kind);
            assert_int_equal(x->operands[k].reg, y->operands[k].reg);
            assert_true(x->operands[k].imm == y->operands[k].imm && x->operands[k].offset == y->operands[k].offset);
            assert_int_equal(x->operands[k].label, y->operands[k].label);
        }
    }
    for (uint32_t i = 0; i < m->n_globals; i++) {
        const hw_ptx_symbol *x = m->globals[i], *y = again->globals[i];
        assert_true(x->size_bytes == y->size_bytes && x->align == y->align && x->n_relocs == y->n_relocs);
        if (x->init) assert_memory_equal(x->init, y->init, x->size_bytes);
    }
    hw_free(first);
    hw_free(second);
    hw_ptx_free(again);
    hw_ptx_free(m);
}

// Every prefix, and every text with one byte replaced, parses or fails; a failure says where.
static void test_broken_anywhere(void **state) {
    (void)state;
    size_t length = strlen(everything);
    char *text = malloc(length);
    assert_non_null(text);
    for (size_t i = 0; i < 2 * length; i++) {
        hw_ptx_module *m = NULL;
        hw_diag diag = {0};
        memcpy(text, everything, length);
        size_t cut = i < length ? i : length;
        if (i >= length) text[i - length] = "\0{};%.,:[9"[i % 10];
        char *exact = malloc(cut ? cut : 1);   // so that the sanitizer sees a read past the end
        assert_non_null(exact);
        memcpy(exact, text, cut);
        hw_status status = hw_ptx_parse(exact, cut, "test.ptx", &m, &diag);
        if (status != HW_OK && (m || diag.line < 1 || !diag.text[0])) fail_msg("byte %zu: '%s'", i, diag.text);
        if (status == HW_OK) hw_ptx_free(m);
        free(exact);
    }
    free(text);
}

static void test_out_of_memory_anywhere(void **state) {
    (void)state;
    hw_status status = HW_NO_MEMORY;
    for (long n = 0; status != HW_OK; n++) {
        hw_ptx_module *m = NULL;
        hw_diag diag = {0};
        hw_alloc_fail_after(n);
        status = hw_ptx_parse(everything, strlen(everything), "test.ptx", &m, &diag);
        if (status == HW_OK) {
            char *printed = hw_ptx_print(m);
            hw_alloc_fail_after(-1);
            if (!printed) status = HW_NO_MEMORY;
            hw_free(printed);
            hw_ptx_free(m);
        } else {
            hw_alloc_fail_after(-1);
            assert_int_equal(status, HW_NO_MEMORY);
            assert_null(m);
            assert_true(diag.text[0] != 0);
        }
        assert_true(n < 10000);
    }
}

// The prefix once, then `repeat` n times, then the suffix; must end with the status, quickly.
static void try_repeated(const char *prefix, const char *repeat, size_t n, const char *suffix, hw_status wanted) {
    size_t head = strlen(prefix), each = strlen(repeat), length = head + n * each + strlen(suffix);
    char *text = malloc(length + 1);
    assert_non_null(text);
    memcpy(text, prefix, head);
    for (size_t i = 0; i < n; i++) memcpy(text + head + i * each, repeat, each);
    strcpy(text + head + n * each, suffix);
    hw_ptx_module *m = NULL;
    hw_diag diag = {0};
    clock_t start = clock();
    hw_status status = hw_ptx_parse(text, length, "test.ptx", &m, &diag);
    if (status != wanted) fail_msg("%s...: status %d, %s", repeat, status, diag.text);
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC);   // seconds mean that something is quadratic
    if (status == HW_OK) hw_ptx_free(m);
    free(text);
}

static void test_deep_and_huge(void **state) {
    (void)state;
    static const char kernel[] = HEAD ".entry k { .reg .b32 %r<9>; .reg .pred %p<9>;\n";
    try_repeated(kernel, "{", 100000, "", HW_MALFORMED);
    try_repeated(kernel, "{", 60, "", HW_MALFORMED);
    try_repeated(kernel, "mov.u32 %r1, ", 1, "((((((1))))));}", HW_OK);
    try_repeated(HEAD ".global .u32 x = ", "(", 1000000, "1;", HW_MALFORMED);
    try_repeated(HEAD ".global .u32 x = ", "-", 1000000, "1;", HW_MALFORMED);
    try_repeated(HEAD ".global .u32 x = ", "(.s64)", 1000000, "1;", HW_MALFORMED);
    try_repeated(HEAD ".global .u32 x = ", "(.s64)(", 1000000, "1;", HW_MALFORMED);
    try_repeated(HEAD ".global .u32 x = ", "1?1:", 1000000, "1;", HW_MALFORMED);
    try_repeated(HEAD ".global .u32 x = ", "1+", 200000, "1;", HW_OK);
    try_repeated(HEAD ".global .u32 x", "[1]", 100000, ";", HW_MALFORMED);
    try_repeated(HEAD ".global .u32 x[4] = ", "{", 100000, "1", HW_MALFORMED);
    try_repeated(HEAD ".global .u32 x[4] = {", "1,", 100000, "1};", HW_MALFORMED);
    try_repeated(HEAD ".global .b8 x[", "9", 1, "000000000000000000];", HW_MALFORMED);
    try_repeated(HEAD ".global .b8 x[4000000000]", "[4000000000]", 5, ";", HW_MALFORMED);
    try_repeated(HEAD ".global .b8 x[1000000000]", " ", 1, "= {1};", HW_UNSUPPORTED);
    try_repeated(HEAD ".global .b8 x[][1000000000]", " ", 1, "= {{1}, {2}};", HW_UNSUPPORTED);
    try_repeated(HEAD, ".global .b8 x[60000000] = {1};", 1, ".global .b8 y[60000000] = {1};", HW_UNSUPPORTED);
    try_repeated(HEAD ".file 4000000000 \"x\"", " ", 1, "", HW_MALFORMED);
    try_repeated(kernel, "bra L;", 100000, "L: }", HW_OK);
    try_repeated(kernel, "{ bra L; } ", 100000, "L: }", HW_OK);
    try_repeated(kernel, "{ .reg .b32 a; mov.u32 a, %r1; L: @%p1 bra L; } ", 50000, "}", HW_OK);
    try_repeated(kernel, "mov.u32 %r1, %r2;", 100000, "}", HW_OK);
    try_repeated(kernel, "mov.u64 %rd1, ", 1, "x;", HW_MALFORMED);
    try_repeated(kernel, "a", 1000000, ";", HW_MALFORMED);
    try_repeated(kernel, "add", 1, "", HW_MALFORMED);
    try_repeated(HEAD, "/*", 1, "", HW_OK);
    try_repeated("", "", 0, "", HW_MALFORMED);
    try_repeated(HEAD ".func f (", ".param .b8 a[1000000]", 1, ", .param .b8 b[1000000]);", HW_MALFORMED);
    try_repeated(HEAD ".entry k { .reg .b32 %r<9>; { ", ".reg .b32 %r<9>; } { ", 20000, "} }", HW_OK);
}

static void test_other_failures(void **state) {
    (void)state;
    static const struct {
        const char *text;
        hw_status status;
        int line;
        const char *message;
    } cases[] = {
        {".target sm_75", HW_MALFORMED, 1, "'.version'"},
        {"\n\n.version x", HW_MALFORMED, 3, "a version"},
        {HEAD ".address_size 32", HW_UNSUPPORTED, 4, "32-bit addresses are not supported"},
        {HEAD "\n.global .texref t;", HW_UNSUPPORTED, 5, ".texref"},
        {HEAD ".tex .u32 t;", HW_UNSUPPORTED, 4, ".tex"},
        {HEAD ".global .samplerref t;", HW_UNSUPPORTED, 4, ".samplerref"},
        {HEAD ".entry k (.param .surfref t) { ret; }", HW_UNSUPPORTED, 4, ".surfref"},
        {HEAD ".func f (.reg .b32 x) { ret; }", HW_UNSUPPORTED, 4, "in registers"},
        {HEAD ".entry k { .reg .v4 .f32 x; }", HW_UNSUPPORTED, 4, "vector registers"},
        {HEAD ".entry k { ret;", HW_MALFORMED, 4, "no closing brace"},
        {HEAD ".entry k { ret; } .entry k { ret; }", HW_MALFORMED, 4, "declared twice"},
        {HEAD ".global .u32 x; .global .u32 x;", HW_MALFORMED, 4, "declared twice"},
        {HEAD ".global .u32 k; .entry k { ret; }", HW_MALFORMED, 4, "declared twice"},
        {HEAD ".extern .global .u32 x; .const .u32 x = 1;", HW_MALFORMED, 4, "two state spaces"},
        {HEAD ".func f; .func f (.param .b32 a);", HW_MALFORMED, 4, "other parameters"},
        {HEAD ".global .u64 x = y;", HW_MALFORMED, 4, "y, whose address is in x, is not declared"},
        {HEAD ".global .b8 x = x;", HW_MALFORMED, 4, "does not fit"},
        {HEAD ".global .b8 x = 0xFF1(x);", HW_MALFORMED, 4, "one byte"},
        {HEAD ".global .pred x;", HW_MALFORMED, 4, "registers only"},
        {HEAD ".alias a, b;", HW_MALFORMED, 4, "a is not declared"},
        {HEAD ".func a; .func b; .alias a, b;", HW_MALFORMED, 4, "no function with a body"},
        {HEAD ".section .debug_info {", HW_MALFORMED, 4, "no closing brace"},
        {HEAD ".nonsense", HW_MALFORMED, 4, "a directive is expected"},
        {HEAD "nonsense", HW_MALFORMED, 4, "a directive is expected"},
        {HEAD ".entry k .foo 3 { ret; }", HW_MALFORMED, 4, ".foo"},
        {HEAD ".entry k (.param .b32 a, .param .b32 a) { ret; }", HW_MALFORMED, 4, "declared twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hw_diag diag;
        hw_status status = parse_status(cases[i].text, &diag);
        if (status != cases[i].status || diag.line != cases[i].line || !strstr(diag.text, cases[i].message))
            fail_msg("%s: status %d, line %d: %s", cases[i].text, status, diag.line, diag.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_broken_anywhere),
        cmocka_unit_test(test_out_of_memory_anywhere), cmocka_unit_test(test_deep_and_huge),
        cmocka_unit_test(test_other_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
