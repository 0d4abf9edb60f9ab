// Control flow: lanes that part compute what each alone would, and go on together where they can.
#include "exec_run.h"

// Line numbers of PTX texts do not matter here; each test says in C what each thread must find.

static uint32_t nested(uint32_t t) {
    uint32_t x = t % 64 & 1 ? (t % 64 & 2 ? 10 : 20) : (t % 64 < 7 ? 30 : 40);
    return x + (t % 64 > 50 ? 1 : 0) + 100;
}
static void test_nested(void **state) {
    (void)state;
    run_always((run_args){.grid = 3, .block = 64, .ptx = KERNEL("",
        "and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0;\n"
        "@%p1 bra ODD;\n"
        "setp.lt.u32 %p2, %r1, 7; @%p2 bra LOW; mov.u32 %r6, 40; bra EVEN_END; LOW: mov.u32 %r6, 30; EVEN_END: bra"
        " JOIN;\n"
        "ODD: and.b32 %r7, %r1, 2; setp.ne.u32 %p3, %r7, 0; @!%p3 bra TWENTY; mov.u32 %r6, 10; bra JOIN;\n"
        "TWENTY: mov.u32 %r6, 20;\n"
        "JOIN: setp.gt.u32 %p4, %r1, 50; @%p4 add.u32 %r6, %r6, 1;\n"
        "add.u32 %r6, %r6, 100;\n" STORE_RET("%r6"))}, 192, nested, true);
}

static uint32_t trip_count(uint32_t t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t % 96; i++) {
        if (i % 3 == 1) continue;
        if (i > 50) break;
        n += i;
    }
    return n;
}
static void test_loop(void **state) {
    (void)state;
    run_always((run_args){.grid = 4, .block = 96, .ptx = KERNEL("",
        "mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
        "HEAD: setp.ge.u32 %p1, %r6, %r1; @%p1 bra END;\n"
        "rem.u32 %r7, %r6, 3; setp.eq.u32 %p2, %r7, 1; @%p2 bra NEXT;\n"
        "setp.gt.u32 %p3, %r6, 50; @%p3 bra END;\n"
        "add.u32 %r5, %r5, %r6;\n"
        "NEXT: add.u32 %r6, %r6, 1; bra HEAD;\nEND:\n" STORE_RET("%r5"))}, 384, trip_count, true);
}

static uint32_t early(uint32_t t) { return t % 3 == 0 ? 0 : t % 3 == 1 ? 5 : 7; }
static void test_early_return(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 100, .ptx = KERNEL("",
        "rem.u32 %r5, %r4, 3; setp.eq.u32 %p1, %r5, 0; @%p1 ret;\n"
        "setp.eq.u32 %p2, %r5, 1; mov.u32 %r6, 7; @!%p2 bra END; mov.u32 %r6, 5; st.global.u32 [%rd3], %r6; exit;\n"
        "END:\n" STORE_RET("%r6"))}, 200, early, true);
}

static uint32_t table(uint32_t t) {
    static const uint32_t results[] = {11, 22, 33, 11, 44};
    return results[t % 5] + 1;
}
static void test_brx(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 64, .ptx = KERNEL("",
        "rem.u32 %r5, %r4, 5;\nTABLE: .branchtargets A, B, C, A, D;\nbrx.idx %r5, TABLE;\n"
        "A: mov.u32 %r6, 11; bra END;\nB: mov.u32 %r6, 22; bra END;\nC: mov.u32 %r6, 33; bra END;\nD: mov.u32 %r6,"
        " 44;\n"
        "END: add.u32 %r6, %r6, 1;\n" STORE_RET("%r6"))}, 128, table, true);
    // The point of reconvergence itself is a target, and the loop goes back through the table.
    run_fault((run_args){.block = 32, .ptx = KERNEL("",
        "add.u32 %r5, %r1, 0;\nTABLE: .branchtargets A, B;\nbrx.idx %r5, TABLE;\nA: ret;\nB: ret;\n")}, HW_FAULT,
        HW_FAULT_INVALID_CALL);
}

// A loop with two entries: lanes with odd numbers jump into its middle.
static uint32_t irreducible(uint32_t t) {
    uint32_t n = 0, i = t % 32;
    bool middle = t & 1;
    for (;;) {
        if (!middle) n += 100;
        middle = false;
        n += 1;
        if (i == 0) return n;
        i--;
    }
}
static void test_irreducible(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 64, .ptx = KERNEL("",
        "mov.u32 %r5, 0; and.b32 %r6, %r1, 31; and.b32 %r7, %r1, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra MIDDLE;\n"
        "TOP: add.u32 %r5, %r5, 100;\nMIDDLE: add.u32 %r5, %r5, 1;\n"
        "setp.eq.u32 %p2, %r6, 0; @%p2 bra END; sub.u32 %r6, %r6, 1; bra TOP;\nEND:\n" STORE_RET("%r5"))}, 128,
        irreducible, true);
}

#define FACTORIAL \
    ".func (.param .b32 r) fact(.param .b32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<8>;\n" \
    "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; mov.u32 %r2, 1; @%p1 bra DONE;\n" \
    "sub.u32 %r3, %r1, 1;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), fact, (a);" \
    " ld.param.b32 %r4, [b]; }\nmul.lo.u32 %r2, %r4, %r1;\nDONE: st.param.b32 [r], %r2;\nret;\n}\n"
#define FIBONACCI \
    ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<8>;\n" \
    "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; @%p1 bra SMALL;\n" \
    "sub.u32 %r3, %r1, 1;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), fib, (a);" \
    " ld.param.b32 %r4, [b]; }\nsub.u32 %r3, %r1, 2;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;" \
    " call.uni (b), fib, (a); ld.param.b32 %r5, [b]; }\nadd.u32 %r1, %r4, %r5;\n" \
    "SMALL: st.param.b32 [r], %r1;\nret;\n}\n"

static uint32_t factorial(uint32_t t) {
    uint32_t f = 1;
    for (uint32_t i = 2; i <= t % 13; i++) f *= i;
    return f;
}
static uint32_t fibonacci(uint32_t t) {
    uint32_t a = 0, b = 1;
    for (uint32_t i = 0; i < t % 17; i++) {
        uint32_t c = a + b;
        a = b;
        b = c;
    }
    return a;
}
#define CALL(NAME) "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r5; call.uni (b), " NAME \
    ", (a); ld.param.b32 %r6, [b]; }\n"
static void test_recursion(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 64, .ptx = KERNEL(FACTORIAL,
        "rem.u32 %r5, %r4, 13;\n" CALL("fact") STORE_RET("%r6"))}, 128, factorial, true);
    run_always((run_args){.block = 48, .ptx = KERNEL(FIBONACCI,
        "rem.u32 %r5, %r4, 17;\n" CALL("fib") STORE_RET("%r6"))}, 48, fibonacci, true);
}

// Lanes that return or exit from inside a call, at different depths.
static uint32_t mixed_call(uint32_t t) { return t % 4 == 0 ? 0 : t % 4 == 1 ? 9 : factorial(t % 8) + 1; }
static void test_divergent_call(void **state) {
    (void)state;
    run_always((run_args){.block = 64, .ptx = KERNEL(FACTORIAL
        ".func leave(.param .b64 where, .param .b32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
        "ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [where]; setp.eq.u32 %p1, %r1, 0; @%p1 exit;\n"
        "setp.ne.u32 %p2, %r1, 1; @%p2 ret; mov.u32 %r2, 9; st.global.u32 [%rd1], %r2; exit;\n}\n",
        "and.b32 %r7, %r1, 3;\n{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd3; st.param.b32 [b], %r7;"
        " call leave, (a, b); }\nand.b32 %r5, %r1, 7; setp.lt.u32 %p1, %r1, 1000; @%p1 bra GO; bra END;\nGO:\n"
            CALL("fact")
        "add.u32 %r6, %r6, 1;\n" STORE_RET("%r6") "END: ret;")}, 64, mixed_call, true);
}

#define ADDERS \
    ".func (.param .b32 r) add1(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, 1;" \
    " st.param.b32 [r], %r1; ret; }\n" \
    ".func (.param .b32 r) times3(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; mul.lo.u32 %r1, %r1, 3;" \
    " st.param.b32 [r], %r1; ret; }\n" \
    ".func (.param .b32 r) same(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n];" \
    " st.param.b32 [r], %r1; ret; }\n" \
    ".global .align 8 .u64 functions[3] = {add1, times3, same};\n"
static uint32_t indirect(uint32_t t) { return t % 3 == 0 ? t + 1 : t % 3 == 1 ? t * 3 : t; }
static void test_indirect(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 96, .ptx = KERNEL(ADDERS,
        "rem.u32 %r5, %r4, 3; mul.wide.u32 %rd4, %r5, 8; mov.u64 %rd5, functions; add.u64 %rd4, %rd4, %rd5;"
        " ld.global.u64 %rd6, [%rd4];\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4;\n"
        "PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd6, (a), PROTO;\n"
        "ld.param.b32 %r6, [b]; }\n" STORE_RET("%r6"))}, 192, indirect, true);
    static const char *const handles[] = {"mov.u64 %rd6, 0;", "mov.u64 %rd6, 12345;", "mov.u64 %rd6, k;",
                                          "mov.u64 %rd6, add1; add.u64 %rd6, %rd6, 8;",
                                          "mov.u64 %rd6, same; add.u64 %rd6, %rd6, 1600;"};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s", KERNEL(ADDERS, "@@\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4;\n"
            "PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd6, (a), PROTO;\n}\nret;\n"));
        char *at = strstr(text, "@@"), rest[2048];
        snprintf(rest, sizeof rest, "%s", at + 2);
        snprintf(at, sizeof text - (size_t)(at - text), "%s%s", handles[i], rest);
        run_result *r = run_fault((run_args){.block = 32, .ptx = text}, HW_FAULT, HW_FAULT_INVALID_CALL);
        assert_says(r, "called something that is no function");
    }
    // A callee that takes and gives more than the prototype says: no byte beyond either side's is touched.
    run_ok((run_args){.block = 32, .ptx = KERNEL(
        ".func (.param .align 16 .b8 r[4096]) wide(.param .align 16 .b8 n[4096])\n{ .reg .b32 %r<3>;"
        " ld.param.u32 %r1, [n+4000]; st.param.b32 [r+4000], %r1; ret; }\n",
        "mov.u64 %rd6, wide;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4;\n"
        "PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd6, (a), PROTO;\n}\nret;\n")});
}

// After a divergent if, a loop and a call, one load per warp: 2 warps, so 2 requests for each of the loads behind them.
static void test_reconvergence(void **state) {
    (void)state;
    run_result *r = run_ok((run_args){.block = 64, .ptx = KERNEL(FACTORIAL,
        "and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0; mov.u32 %r6, 0; @%p1 bra ELSE; add.u32 %r6, %r6, 1; bra JOIN;\n"
        "ELSE: add.u32 %r6, %r6, 2;\nJOIN: ld.global.u32 %r7, [%rd2];\n"
        "mov.u32 %r8, 0;\nLOOP: add.u32 %r8, %r8, 1; setp.le.u32 %p2, %r8, %r1; @%p2 bra LOOP;\n"
        "ld.global.u32 %r7, [%rd2];\nrem.u32 %r5, %r1, 13;\n" CALL("fact") "ld.global.u32 %r7, [%rd2];\n"
        STORE_RET("%r6"))});
    assert_int_equal(r->sums.loads, 6);
    assert_int_equal(r->sums.stores, 2);
    assert_true(r->sums.divergent > 2 && r->sums.divergent < r->sums.branches);
    // A loop with atomics inside and lane-dependent trip counts is no waiting: lanes still leave it together.
    r = run_ok((run_args){.block = 32, .ptx = KERNEL("",
        "mul.lo.u32 %r5, %r1, 400;\nLOOP: setp.eq.u32 %p1, %r5, 0; @%p1 bra END; sub.u32 %r5, %r5, 1;\n"
        "atom.global.add.u32 %r6, [%rd2], 1; bra LOOP;\nEND: ld.global.u32 %r7, [%rd2];\n" STORE_RET("%r7"))});
    assert_int_equal(r->sums.loads, 1);
    assert_int_equal(r->out[31], 400 * 31 * 32 / 2);
}

// The head of a loop is the place where its arms meet, and both arms go back there.
static uint32_t arms(uint32_t t) { return 1000 + (t & 1) * 1000; }
static void test_join_at_loop_head(void **state) {
    (void)state;
    static const char ptx[] = KERNEL("",
        "mov.u32 %r5, 0; mov.u32 %r6, 0; and.b32 %r7, %r1, 1; setp.ne.u32 %p1, %r7, 0;\n"
        "HEAD: add.u32 %r6, %r6, 1; setp.gt.u32 %p2, %r6, 1000; @%p2 bra END; @%p1 bra ODD;\n"
        "add.u32 %r5, %r5, 1; bra HEAD;\nODD: add.u32 %r5, %r5, 2; bra HEAD;\nEND:\n" STORE_RET("%r5"));
    run_always((run_args){.block = 64, .ptx = ptx}, 64, arms, true);
    // The same without an end.
    static const char endless[] = KERNEL("",
        "and.b32 %r7, %r1, 1; setp.ne.u32 %p1, %r7, 0;\nHEAD: @%p1 bra ODD; bra HEAD;\nODD: bra HEAD;\n");
    run_result *r = run_fault((run_args){.block = 64, .ptx = endless, .max_instructions = 100000}, HW_DEADLOCK,
                              HW_FAULT_DEADLOCK);
    assert_says(r, "the limit");
    run_fault((run_args){.block = 64, .max_instructions = 100000, .ptx = KERNEL("",
        "and.b32 %r7, %r1, 1;\nT: .branchtargets A, B;\nA: brx.idx %r7, T;\nB: brx.idx %r7, T;\n")}, HW_DEADLOCK,
        HW_FAULT_DEADLOCK);
    run_fault((run_args){.block = 64, .max_instructions = 100000, .ptx = KERNEL(FIBONACCI,
        "mov.u32 %r5, 40;\n" CALL("fib") STORE_RET("%r6"))}, HW_DEADLOCK, HW_FAULT_DEADLOCK);
}

// A guard in front of each kind of instruction: lanes whose guard is off keep everything as it was.
static uint32_t guards(uint32_t t) { return t % 2 ? 7777 : t % 64; }
static void test_guards(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 64, .ptx = KERNEL(FACTORIAL ".shared .align 8 .b8 tile[512];\n",
        "and.b32 %r20, %r1, 1; setp.ne.u32 %p1, %r20, 0;\n.local .align 8 .b8 own[16];\n"
        "mov.u32 %r21, tile; mad.lo.u32 %r21, %r1, 4, %r21; mov.u64 %rd20, own; mov.u32 %r6, %r1; mov.u32 %r30, 7777;\n"
        "st.local.u32 [%rd20], %r1; st.shared.u32 [%r21], %r1; st.global.u32 [%rd3], %r1;\n"
        "@%p1 mov.u32 %r6, 5;\n@%p1 mul.wide.u32 %rd21, %r6, 3;\n@%p1 st.local.u32 [%rd20], %r30;\n"
        "@%p1 ld.local.u32 %r6, [%rd20];\n@%p1 st.shared.u32 [%r21], %r6;\n@!%p1 mov.u32 %r30, 1;\n"
        "@%p1 atom.shared.exch.b32 %r7, [%r21], %r6;\n@%p1 setp.eq.u32 %p2, %r7, 7777;\n@!%p1 setp.eq.u32 %p2, 1, 1;\n"
        "@!%p2 trap;\nmov.u32 %r9, 0xffffffff;\n@%p1 shfl.sync.bfly.b32 %r10, %r6, 2, 31, 0xaaaaaaaa;\n"
        "@%p1 vote.sync.ballot.b32 %r9, %p1, 0xaaaaaaaa;\n@%p1 setp.ne.u32 %p3, %r9, 0xaaaaaaaa;\n@!%p1 setp.ne.u32"
        " %p3, 0, 0;\n"
        "@%p3 trap;\n@%p1 bar.warp.sync 0xaaaaaaaa;\n@%p1 membar.gl;\nmov.u32 %r5, 3;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r5; @%p1 call (b), fact, (a); ld.param.b32 %r11, [b]; }\n"
        "@%p1 setp.ne.u32 %p4, %r11, 6;\n@!%p1 setp.ne.u32 %p4, 1, 1;\n@%p4 trap;\n"
        "@%p1 red.global.add.u32 [%rd3], 0;\n@%p1 st.global.u32 [%rd3], %r6;\n@%p1 ret;\n"
        "ld.shared.u32 %r6, [%r21]; ld.local.u32 %r7, [%rd20]; setp.ne.u32 %p5, %r6, %r7; @%p5 trap;\n"
        STORE_RET("%r7"))}, 128, guards, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),       cmocka_unit_test(test_loop),
        cmocka_unit_test(test_early_return), cmocka_unit_test(test_brx),
        cmocka_unit_test(test_irreducible),  cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_divergent_call), cmocka_unit_test(test_indirect),
        cmocka_unit_test(test_reconvergence), cmocka_unit_test(test_join_at_loop_head),
        cmocka_unit_test(test_guards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
