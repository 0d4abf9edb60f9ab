// Where addresses come from: what is found of each access, in the order of the text.
#include "lower/root.h"
#include "lower_test.h"

#define MODULE HEAD ".global .align 4 .b8 g[64]; .const .align 4 .b8 c[64]; .shared .align 8 .b8 s[64];" \
                    " .shared .align 8 .b8 t[64]; .extern .shared .align 8 .b8 d[];\n"
#define REGISTERS ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %a<20>; .reg .f64 %f<9>;\n"
#define ENTRY "(.param .u64 p, .param .u64 q, .param .u64 n, .param .align 8 .b8 z[24]) {\n" \
              ".local .align 8 .b8 l[64];\n" REGISTERS \
              "ld.param.u64 %a1, [p]; ld.param.u64 %a2, [q]; ld.param.u64 %a3, [n]; mov.u32 %r1, %tid.x;\n" \
              "cvta.to.global.u64 %a4, %a1; cvta.to.global.u64 %a5, %a2; mul.wide.u32 %a6, %r1, 4;\n"
// Registers: %a1 %a4 p, %a2 %a5 q, %a3 n, %r1 the thread, %a6 four times that.
#define KERNEL_OF(BODY) MODULE ".visible .entry k" ENTRY BODY "\nret; }\n"

// "p|q", "s", "?" of each access of a program, with spaces between.
static void describe(const hw_roots *roots, const hw_program *p, char *out, size_t size) {
    static const char *const params[] = {"p", "q", "n", "z0", "z8", "z16"};
    *out = 0;
    for (uint32_t i = 0; i < p->n_notes; i++) {
        const hw_note *note = &p->notes[i];
        if (note->kind == HW_NOTE_PLAIN || note->kind == HW_NOTE_BRANCH || note->kind == HW_NOTE_BARRIER) continue;
        assert_true(note->access - roots->first_access < roots->n_accesses);
        const uint32_t number = roots->set_of[note->access - roots->first_access];
        assert_true(number < roots->n_sets);
        if (*out) strncat(out, " ", size - strlen(out) - 1);
        if (!number) strncat(out, "?", size - strlen(out) - 1);
        for (uint32_t k = 0; k < roots->sets[number].n; k++) {
            const hw_root *root = &roots->items[roots->members[roots->sets[number].first + k]];
            assert_true(root->symbol || root->offset / 8 < 6);
            if (k) strncat(out, "|", size - strlen(out) - 1);
            strncat(out, root->symbol ? root->symbol->name : params[root->offset / 8], size - strlen(out) - 1);
        }
    }
}

static void expect_roots_of(const char *text, const char *name, const char *expected) {
    char found[256];
    lower(text);
    hw_roots *roots = hw_roots_find(set, program("k"));
    assert_non_null(roots);
    describe(roots, program(name), found, sizeof found);
    if (strcmp(found, expected)) fail_msg("found '%s', not '%s', of\n%s", found, expected, text);
    hw_roots_free(roots);
    done();
}

// The text around with the first \f replaced by one, the second by other.
static const char *put_together(char *to, size_t size, const char *around, const char *one, const char *other) {
    const char *parts[] = {one, other};
    size_t n = 0, part = 0;
    for (; *around; around++) {
        const size_t bytes = *around == '\f' ? strlen(parts[part]) : 1;
        assert_true(n + bytes < size);
        memcpy(to + n, *around == '\f' ? parts[part++] : around, bytes);
        n += bytes;
    }
    to[n] = 0;
    return to;
}

typedef struct root_row {
    const char *body, *expected;
} root_row;

static void check_rows(const root_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char text[4096];
        put_together(text, sizeof text, KERNEL_OF("\f"), rows[i].body, NULL);
        expect_roots_of(text, "k", rows[i].expected);
    }
}

static void test_arithmetic(void **state) {
    (void)state;
    static const root_row rows[] = {
        {"ld.global.u32 %r2, [%a4];", "p"},
        {"ld.u32 %r2, [%a1+8]; st.u32 [%a2+-4], %r2;", "p q"},
        {"add.s64 %a7, %a4, %a6; ld.global.u32 %r2, [%a7];", "p"},
        {"add.s64 %a7, %a6, %a4; st.global.u32 [%a7+16], %r2;", "p"},
        {"sub.s64 %a7, %a4, %a6; st.global.u32 [%a7], %r2;", "p"},
        {"mad.wide.u32 %a7, %r1, 4, %a5; ld.global.u32 %r2, [%a7];", "q"},
        {"mad.lo.s64 %a7, %a3, 8, %a5; ld.global.u32 %r2, [%a7];", "q"},
        {"shl.b64 %a7, %a3, 2; add.s64 %a7, %a4, %a7; ld.global.u32 %r2, [%a7];", "p"},
        // n may be an address, as far as anybody knows before the launch.
        {"add.s64 %a7, %a4, %a3; ld.global.u32 %r2, [%a7];", "p|n"},
        {"add.s64 %a7, %a4, 15; and.b64 %a7, %a7, -16; ld.global.u32 %r2, [%a7];", "p"},
        {"setp.eq.u32 %p1, %r1, 3; selp.b64 %a7, %a4, %a5, %p1; ld.global.u32 %r2, [%a7];", "p|q"},
        {"min.u64 %a7, %a4, %a5; ld.global.u32 %r2, [%a7];", "p|q"},
        // An address of q by its distance from p, as compilers reduce strength.
        {"sub.s64 %a7, %a5, %a4; add.s64 %a8, %a4, %a6; add.s64 %a9, %a8, %a7; ld.global.u32 %r2, [%a9];", "p|q"},
        {"mov.b64 {%r2, %r3}, %a4; mov.b64 %a7, {%r2, %r3}; ld.global.u32 %r2, [%a7];", "p"},
        {"ld.global.u32 %r2, [%a6];", "?"},
        {"ld.global.u32 %r2, [64];", "?"},
        {"atom.global.add.u32 %r2, [%a4], 1; red.global.add.u32 [%a5], 1;", "p q"},
        {"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%a4];", "p"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_flow(void **state) {
    (void)state;
    static const root_row rows[] = {
        {"mov.u64 %a7, %a4; mov.u32 %r2, 0;\nL: ld.global.u32 %r3, [%a7]; add.s64 %a7, %a7, 4; add.u32 %r2, %r2, 1;"
         " setp.lt.u32 %p1, %r2, 9; @%p1 bra L;", "p"},
        {"mov.u64 %a7, %a4; setp.eq.u32 %p1, %r1, 3; @%p1 mov.u64 %a7, %a5; ld.global.u32 %r2, [%a7];", "p|q"},
        {"mov.u64 %a7, %a4; mov.u64 %a8, %a5; mov.u32 %r2, 0;\nL: st.global.u32 [%a7], %r3; mov.u64 %a9, %a7;"
         " mov.u64 %a7, %a8; mov.u64 %a8, %a9; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;", "p|q"},
        {"shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; mad.wide.u32 %a7, %r2, 4, %a4; ld.global.u32 %r2, [%a7];", "p"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_variables(void **state) {
    (void)state;
    static const root_row rows[] = {
        {"ld.shared.u32 %r2, [s]; ld.shared.u32 %r2, [t+4]; ld.global.u32 %r2, [g]; ld.const.u32 %r2, [c];",
         "s t g c"},
        {"mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r4, [%r3+64];", "s"},
        {"mov.u64 %a7, t; cvta.shared.u64 %a8, %a7; add.s64 %a8, %a8, %a6; st.u32 [%a8], %r1;", "t"},
        {"mov.u32 %r2, s; cvt.u64.u32 %a7, %r2; cvta.shared.u64 %a7, %a7; ld.u32 %r3, [%a7];", "s"},
        {"mov.u32 %r2, d; mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r4, [%r3];", "d"},
        {"mov.u64 %a7, g; add.s64 %a7, %a7, %a6; st.global.u32 [%a7], %r1;", "g"},
        {"mov.u32 %r2, s; cp.async.ca.shared.global [%r2], [%a4], 4;", "p|s"},
        {"mov.u32 %r2, s; mapa.shared::cluster.u32 %r3, %r2, 1; ld.shared::cluster.u32 %r4, [%r3];", "?"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_memory(void **state) {
    (void)state;
    static const root_row rows[] = {
        // A pointer out of memory, and an index.
        {"ld.global.u64 %a7, [%a4]; ld.global.u32 %r2, [%a7];", "p ?"},
        {"ld.global.u32 %r2, [%a4]; mad.wide.u32 %a7, %r2, 4, %a5; ld.global.u32 %r3, [%a7];", "p q"},
        {"ld.global.u64 %a7, [%a4]; shl.b64 %a8, %a7, 2; add.s64 %a9, %a5, %a8; ld.global.u32 %r3, [%a9];", "p q"},
        {"ld.global.u64 %a7, [%a4]; add.s64 %a8, %a5, %a7; ld.global.u32 %r3, [%a8];", "p ?"},
        {"ld.global.f64 %f1, [%a4]; mov.b64 %a7, %f1; add.s64 %a7, %a5, %a7; ld.global.u32 %r3, [%a7];", "p q"},
        {"atom.global.exch.b64 %a7, [%a4], 0; ld.global.u32 %r3, [%a7];", "p ?"},
        // Parts of a structure among the parameters.
        {"ld.param.u64 %a7, [z+8]; st.global.u32 [%a7], %r1;", "z8"},
        {"ld.param.v2.u64 {%a7, %a8}, [z]; st.global.u32 [%a8], %r1; st.global.u32 [%a7], %r1;", "z8 z0"},
        {"mov.b64 %a7, z; add.s64 %a7, %a7, %a6; ld.param.u64 %a8, [%a7]; st.global.u32 [%a8], %r1;", "?"},
        {"ld.param.u32 %r2, [z+16]; mad.wide.u32 %a7, %r2, 4, %a4; st.global.u32 [%a7], %r1;", "p"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

// Pointers that are put into local variables and fetched from there, as unoptimised code does.
#define FRAME "mov.u64 %a10, l; cvta.local.u64 %a11, %a10;\n"
static void test_local(void **state) {
    (void)state;
    static const root_row rows[] = {
        {FRAME "st.u64 [%a11+8], %a1; ld.u64 %a7, [%a11+8]; ld.u32 %r2, [%a7];", "l l p"},
        {FRAME "add.u64 %a12, %a11, 8; st.u64 [%a12], %a1; ld.local.u64 %a7, [%a10+8]; ld.u32 %r2, [%a7];", "l l p"},
        {FRAME "ld.u64 %a7, [%a11+8]; ld.u32 %r2, [%a7]; st.u64 [%a11+8], %a1;", "l p l"},
        {FRAME "st.u64 [%a11+8], %a1; st.u64 [%a11+8], %a2; ld.u64 %a7, [%a11+8]; ld.u32 %r2, [%a7];", "l l l p|q"},
        {FRAME "st.v2.u64 [%a11], {%a1, %a2}; ld.u64 %a7, [%a11+8]; ld.u32 %r2, [%a7];", "l l q"},
        {FRAME "st.u64 [%a11+8], %a1; ld.u64 %a7, [%a11+16]; ld.u32 %r2, [%a7];", "l l ?"},
        {FRAME "st.u64 [%a11+8], %a1; st.u32 [%a11+12], %r1; ld.u64 %a7, [%a11+8]; ld.u32 %r2, [%a7];", "l l l ?"},
        {FRAME "st.u64 [%a11+8], %a1; st.u32 [%a11+16], %r1; ld.u64 %a7, [%a11+8]; ld.u32 %r2, [%a7];", "l l l p"},
        {FRAME "ld.u64 %a7, [%a11+16]; add.s64 %a8, %a1, %a7; ld.u32 %r2, [%a8];", "l ?"},
        // An array of pointers, and bytes that may be those of one.
        {FRAME "st.u64 [%a11+8], %a1; add.s64 %a12, %a11, %a6; st.u64 [%a12], %a2; ld.u64 %a7, [%a11+8];"
         " ld.u32 %r2, [%a7];", "l l l p|q"},
        {FRAME "st.u64 [%a11+8], %a1; add.s64 %a12, %a11, %a6; ld.u64 %a7, [%a12]; ld.u32 %r2, [%a7];", "l l ?"},
        {FRAME "st.u64 [%a11+8], %a1; add.s64 %a12, %a11, %a6; st.u8 [%a12], %h1; ld.u64 %a7, [%a11+8];"
         " ld.u32 %r2, [%a7];", "l l l ?"},
        {FRAME "st.u64 [%a11+8], %a1; add.s64 %a12, %a11, %a6; st.u32 [%a12], %r1; ld.u64 %a7, [%a11+8];"
         " ld.u32 %r2, [%a7];", "l l l p"},
        // The variable's address is somewhere else now.
        {FRAME "st.u64 [%a11+8], %a1; st.global.u64 [%a5], %a11; ld.u64 %a7, [%a11+8]; ld.u32 %r2, [%a7];", "l q l ?"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

#define FUNCTION(NAME, BODY) ".func (.param .b64 back) " NAME "(.param .b64 x, .param .b64 y) {\n" REGISTERS \
                             "ld.param.b64 %a1, [x]; ld.param.b64 %a2, [y];\n" BODY "\nret; }\n"
#define CALL(NAME, X, Y, TO) "{ .param .b64 x0; .param .b64 y0; .param .b64 b0; st.param.b64 [x0], " X \
                             "; st.param.b64 [y0], " Y "; call.uni (b0), " NAME ", (x0, y0); ld.param.b64 " TO \
                             ", [b0]; }\n"
static void test_functions(void **state) {
    (void)state;
    static const char callee[] = "ld.u32 %r2, [%a1]; ld.u32 %r2, [%a2]; st.param.b64 [back], %a1;";
    char text[8192];
    static const struct {
        const char *calls, *of_callee, *of_entry;
    } rows[] = {
        {CALL("f", "%a1", "%a2", "%a7") "st.u32 [%a7], %r1;", "p q", "p"},
        {CALL("f", "%a1", "%a1", "%a7") CALL("f", "%a2", "%a1", "%a8") "st.u32 [%a8], %r1;", "p|q p", "p|q"},
        {CALL("f", "%a1", "%a3", "%a7"), "p n", ""},
        {FRAME "st.u64 [%a11], %a2;" CALL("f", "%a11", "%a1", "%a7") "ld.u64 %a8, [%a11]; ld.u32 %r2, [%a8];", "l p",
         "l l q"},
        {"ld.global.u64 %a9, [%a4];" CALL("f", "%a9", "%a2", "%a7"), "? q", "p"},
        {"mov.u64 %a12, f; { .param .b64 x0; .param .b64 y0; .param .b64 b0; st.param.b64 [x0], %a1;"
         " st.param.b64 [y0], %a2; call (b0), %a12, (x0, y0), proto; ld.param.b64 %a7, [b0]; } ld.u32 %r2, [%a7];",
         "? ?", "?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_together(text, sizeof text, MODULE FUNCTION("f", "\f") ".visible .entry k" ENTRY
                     "proto: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b64 _);\n\f\nret; }\n"
                     ".visible .entry other" ENTRY CALL("f", "%a5", "%a5", "%a7") "ret; }\n", callee, rows[i].calls);
        expect_roots_of(text, "f", rows[i].of_callee);
        expect_roots_of(text, "k", rows[i].of_entry);
    }
}

// More than are told apart.
static void test_many(void **state) {
    (void)state;
    expect_roots_of(KERNEL_OF(
        "ld.param.u64 %a7, [z]; ld.param.u64 %a8, [z+8]; ld.param.u64 %a9, [z+16]; mov.u64 %a10, g;\n"
        "min.u64 %a11, %a4, %a5; min.u64 %a11, %a11, %a3; min.u64 %a11, %a11, %a7; min.u64 %a11, %a11, %a8;\n"
        "min.u64 %a12, %a11, %a9; ld.u32 %r2, [%a12]; min.u64 %a12, %a12, %a10; ld.u32 %r2, [%a12];"), "k", "? ?");
    expect_roots_of(KERNEL_OF(
        "ld.param.u64 %a7, [z]; ld.param.u64 %a8, [z+8];\n"
        "min.u64 %a11, %a4, %a5; min.u64 %a11, %a11, %a3; min.u64 %a11, %a11, %a7; min.u64 %a11, %a11, %a8;\n"
        "ld.u32 %r2, [%a11];"), "k", "p|q|n|z0|z8");
}

// What is done with the memory that each root means.
static void test_ways(void **state) {
    (void)state;
    static const struct {
        const char *root;
        uint8_t least_read_bytes;
        bool is_written;
    } rows[] = {{"?", 8, true}, {"p", 1, false}, {"q", 0, true}, {"g", 4, true}, {"s", 0, false}};
    lower(KERNEL_OF("ld.global.u64 %a7, [%a4]; ld.u8 %h1, [%a1+9]; st.global.u32 [%a5], %r1; red.global.add.u32 [g], 1;"
                    " ld.global.u32 %r2, [g]; st.shared.u32 [s], %r1; ld.shared.u8 %h1, [s];"
                    " ld.global.u64 %a8, [%a7]; st.global.u8 [%a7], %h1;"));
    hw_roots *roots = hw_roots_find(set, program("k"));
    assert_non_null(roots);
    assert_int_equal(roots->n_sets, sizeof rows / sizeof *rows);
    for (uint32_t k = 0; k < roots->n_sets; k++) {
        const hw_root *root = k ? &roots->items[roots->members[roots->sets[k].first]] : NULL;
        const char *name = !root ? "?" : root->symbol ? root->symbol->name : root->offset ? "q" : "p";
        uint32_t row = 0;
        while (strcmp(rows[row].root, name) != 0) row++;
        assert_int_equal(roots->sets[k].least_read_bytes, rows[row].least_read_bytes);
        assert_int_equal(roots->sets[k].is_written, rows[row].is_written);
    }
    hw_roots_free(roots);
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_flow), cmocka_unit_test(test_variables),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_local), cmocka_unit_test(test_functions),
        cmocka_unit_test(test_many), cmocka_unit_test(test_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
