// Lowering of control flow: where lanes join again, loops, early exits, guards, tables; hand-checked small functions.
#include "lower_test.h"

static void test_diamond(void **state) {
    (void)state;
    lower(KERNEL("mov.u32 %r1, %tid.x; setp.eq.s32 %p1, %r1, 0; @%p1 bra A;\n"
                 "mov.u32 %r2, 1; bra J;\n A: mov.u32 %r2, 2;\n"
                 "J: ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r2; ret;"));
    const hw_program *p = program("k");
    const hw_inst *branch = inst_of(p, "bra.p");
    assert_int_equal(branch->reconverge, find(p, "st", 0));
    assert_string_equal(hw_body_name(p->bodies[branch->target]), "mov.b32");
    assert_string_equal(hw_body_name(p->bodies[branch->target + 1]), "fall");
    assert_int_equal(inst_of(p, "bra")->target, branch->reconverge);
    assert_int_equal(inst_of(p, "bra")->reconverge, HW_NO_RECONVERGENCE);
    assert_int_equal(counted(p), 9);
    done();
}

static void test_nested_loops(void **state) {
    (void)state;
    lower(KERNEL("mov.u32 %r1, 0;\n"
                 "O: mov.u32 %r2, 0;\n"
                 "I: add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 9; @%p1 bra I;\n"
                 "add.s32 %r1, %r1, 1; setp.lt.s32 %p2, %r1, 5; @%p2 bra O;\n"
                 "ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r2; ret;"));
    const hw_program *p = program("k");
    uint32_t inner = find(p, "bra.p", 0), outer = find(p, "bra.p", 1);
    assert_int_equal(p->insts[inner].reconverge, inner + 1);
    assert_int_equal(p->insts[outer].reconverge, outer + 1);
    assert_true(p->insts[outer].target < p->insts[inner].target && p->insts[inner].target < inner);
    done();
}

// A loop whose only way out is to a bare ret: the lanes that leave it return together.
static void test_loop_to_return(void **state) {
    (void)state;
    lower(KERNEL("mov.u32 %r1, 0;\nL: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9; @%p1 bra L;\nret;"));
    const hw_program *p = program("k");
    assert_int_equal(inst_of(p, "bra.p")->reconverge, find(p, "ret", 0));
    done();
}

// Two ways into a cycle.
static void test_irreducible(void **state) {
    (void)state;
    lower(KERNEL("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.eq.s32 %p1, %r1, 0; @%p1 bra B;\n"
                 "A: add.s32 %r2, %r2, 1; setp.gt.s32 %p2, %r2, 9; @%p2 bra X;\n"
                 "B: add.s32 %r2, %r2, 2; setp.gt.s32 %p3, %r2, 8; @%p3 bra X;\n bra A;\n"
                 "X: ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r2; ret;"));
    const hw_program *p = program("k");
    uint32_t x = find(p, "st", 0);
    for (uint32_t k = 1; k < 3; k++) assert_int_equal(p->insts[find(p, "bra.p", k)].target, x);
    for (uint32_t k = 0; k < 3; k++) assert_int_equal(p->insts[find(p, "bra.p", k)].reconverge, x);
    done();
}

// Blocks that cannot reach an exit hang nothing, and their branches still meet.
static void test_endless_loops(void **state) {
    (void)state;
    lower(KERNEL("mov.u32 %r1, 0; setp.eq.s32 %p3, %r1, %r1;\n"
                 "L: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9; @%p1 bra M; add.s32 %r1, %r1, 2;\n"
                 "M: add.s32 %r1, %r1, 3; bra L;"));
    const hw_program *p = program("k");
    assert_int_equal(inst_of(p, "bra.p")->reconverge, inst_of(p, "bra.p")->target);
    done();
    lower(KERNEL("L: bra L;"));
    assert_int_equal(program("k")->n_insts, 1);
    done();
    lower(KERNEL("mov.u32 %r1, %tid.x; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret; L: bra L;"));
    assert_int_equal(program("k")->n_blocks, 3);
    done();
}

// Lanes that leave early do not keep the others from meeting.
static void test_early_exits(void **state) {
    (void)state;
    lower(KERNEL("mov.u32 %r1, %tid.x; ld.param.u64 %d1, [out];\n"
                 "setp.eq.s32 %p1, %r1, 0; setp.eq.s32 %p2, %r1, 1; setp.eq.s32 %p3, %r1, 2; setp.eq.s32 %p4, %r1, 3;\n"
                 "@%p1 bra ELSE;\n"
                 "@%p2 exit;\n"
                 "@!%p3 ret;\n"
                 "@%p4 bra END;\n"
                 "st.global.u32 [%d1], %r1; bra J;\n"
                 "ELSE: st.global.u32 [%d1+4], %r1;\n"
                 "J: st.global.u32 [%d1+8], %r1;\n"
                 "END: ret;"));
    const hw_program *p = program("k");
    uint32_t j = find(p, "st", 2);
    const hw_inst *outer = &p->insts[find(p, "bra.p", 0)];
    assert_int_equal(outer->reconverge, j);
    // @%p2 exit: a branch around it, taken when %p2 does not hold, that is none to the profiler.
    uint32_t around = find(p, "bra.p", 1);
    assert_true(p->insts[around].flags & HW_INST_NEGATE_P);
    assert_int_equal(p->insts[around].target, around + 2);
    assert_int_equal(p->insts[around].reconverge, around + 2);
    assert_string_equal(hw_body_name(p->bodies[around + 1]), "exit");
    assert_int_equal(p->insts[around + 1].count, 0);
    assert_int_equal(p->notes[p->insts[around].note].kind, HW_NOTE_PLAIN);
    assert_false(p->insts[find(p, "bra.p", 2)].flags & HW_INST_NEGATE_P);
    assert_string_equal(hw_body_name(p->bodies[find(p, "bra.p", 2) + 1]), "ret");
    assert_int_equal(counted(p), 15);
    done();
}

// Neither alone in its block nor behind another instruction.
#define TRAPPING(TRAP) \
    KERNEL("mov.u32 %r1, %tid.x; ld.param.u64 %d1, [out]; setp.eq.s32 %p1, %r1, 0; setp.eq.s32 %p2, %r1, 7;\n" \
           "@%p1 bra E; @%p2 bra OK; " TRAP " OK: st.global.u32 [%d1], %r1; bra J;\n" \
           "E: st.global.u32 [%d1+4], %r1; J: st.global.u32 [%d1+8], %r1; ret;")

static void test_trap_is_no_way_out(void **state) {
    (void)state;
    static const char *const kernels[] = {TRAPPING("trap;"), TRAPPING("mov.u32 %r2, %clock; trap;"),
                                          TRAPPING("mov.u32 %r2, %clock; brkpt;")};
    for (int k = 0; k < 3; k++) {
        lower(kernels[k]);
        const hw_program *p = program("k");
        assert_int_equal(p->insts[find(p, "bra.p", 0)].reconverge, find(p, "st", 2));
        assert_int_equal(p->insts[find(p, "bra.p", 1)].reconverge, find(p, "st", 0));
        done();
    }
}

static void test_guards(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.eq.s32 %p1, %r1, 0; setp.eq.s32 %p2, %r1, 1;\n"
                 "@%p1 st.global.u32 [%d1], %r1; @%p1 st.global.u32 [%d1+4], %r1;\n"   // one pair
                 "@!%p1 st.global.u32 [%d1+8], %r1;\n"                                 // another
                 "@%p2 setp.eq.s32 %p2, %r1, 5; @%p2 st.global.u32 [%d1+12], %r1;\n"   // the guard changes
                 "@%p2 prefetch.global.L1 [%d1];\n"
                 "@%p1 bar.sync 0;\n"                                                  // lanes wait in it
                 "ret;"));
    expect_listing("k", "launch:\n"
                        "      ld.param  L0 = [+0] param.8\n"
                        "warp:\n"
                        "      sreg  W0 = tid.x\n"
                        "      setp.eq.s32  W128 = W0 L256(0)\n"
                        "body:\n"
                        "   0  setp.eq.s32  F0 = W0 L384(1)\n"
                        "   1  guard p=W128 -> 5 #2\n"
                        "   2  st L0 W0 [+0] global.4\n"
                        "   3  st L0 W0 [+4] global.4\n"
                        "   4  unguard\n"
                        "   5  guard p=!W128 -> 8 #1\n"
                        "   6  st L0 W0 [+8] global.4\n"
                        "   7  unguard\n"
                        "   8  guard p=F0 -> 11 #1\n"
                        "   9  setp.eq.s32  F0 = W0 L512(5)\n"
                        "  10  unguard\n"
                        "  11  guard p=F0 -> 15 #2\n"
                        "  12  st L0 W0 [+12] global.4\n"
                        "  13  nop\n"
                        "  14  unguard\n"
                        "  15  bra.p p=!W128 -> 18 reconverge 16 #11\n"
                        "  16  bar.sync L256(0)\n"
                        "  17  fall #0\n"
                        "  18  ret #1\n");
    done();
}

static void test_branch_table(void **state) {
    (void)state;
    lower(KERNEL("mov.u32 %r1, %tid.x; ld.param.u64 %d1, [out];\n"
                 "ts: .branchtargets A, B, A, END;\n"
                 "brx.idx %r1, ts;\n"
                 "A: st.global.u32 [%d1], %r1; bra J;\n"
                 "B: st.global.u32 [%d1+4], %r1;\n"
                 "J: st.global.u32 [%d1+8], %r1;\n"
                 "END: ret;"));
    const hw_program *p = program("k");
    const hw_inst *brx = inst_of(p, "brx");
    const uint32_t *targets = p->targets + brx->targets;
    assert_int_equal(brx->imm, 4);
    assert_int_equal(targets[0], find(p, "st", 0));
    assert_int_equal(targets[1], find(p, "st", 1));
    assert_int_equal(targets[2], targets[0]);
    assert_int_equal(targets[3], find(p, "ret", 0));
    assert_int_equal(brx->reconverge, find(p, "ret", 0));
    assert_int_equal(p->notes[brx->note].kind, HW_NOTE_BRANCH);
    done();
}

// Unreachable code, falling off the end, labels at the end, no code at all.
static void test_edges_of_functions(void **state) {
    (void)state;
    lower(KERNEL(""));
    assert_int_equal(program("k")->n_insts, 1);
    assert_string_equal(hw_body_name(program("k")->bodies[0]), "ret");
    assert_int_equal(program("k")->insts[0].note, 0);
    done();
    lower(KERNEL("mov.u32 %r1, %tid.x; setp.eq.s32 %p1, %r1, 0; @%p1 bra END; bra END;\n"
                 "st.global.u32 [%d1], %r1; END:"));
    const hw_program *p = program("k");
    assert_int_equal(p->n_insts, 3);
    assert_string_equal(hw_body_name(p->bodies[2]), "ret");
    assert_int_equal(p->insts[0].target, 2);
    assert_int_equal(p->n_notes, 5);
    done();
    // Endless unreachable code behind a return.
    lower(KERNEL("ret; L: add.s32 %r1, %r1, 1; bra L;"));
    assert_int_equal(program("k")->n_insts, 1);
    done();
}

static void test_long_blocks(void **state) {
    (void)state;
    enum { N = 150000 };
    static const char line[] = "add.f32 %f1, %f1, %f2;\n";
    char *text = malloc(1024 + N * sizeof line);
    strcpy(text, HEAD ".visible .entry k(.param .u64 out) {\n" REGS
                 "mov.f32 %f1, 0f00000000;\nld.param.f32 %f2, [out];\n");
    size_t length = strlen(text);
    for (int i = 0; i < N; i++, length += sizeof line - 1) memcpy(text + length, line, sizeof line);
    strcpy(text + length, "ret;\n}\n");
    lower(text);
    const hw_program *p = program("k");
    assert_int_equal(counted(p), N + 3);
    assert_true(p->n_blocks >= 3);
    for (uint32_t b = 0; b < p->n_blocks; b++) assert_true(p->blocks[b].count < 65536);
    done();
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_loop_to_return),
        cmocka_unit_test(test_irreducible),
        cmocka_unit_test(test_endless_loops),
        cmocka_unit_test(test_early_exits),
        cmocka_unit_test(test_trap_is_no_way_out),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_branch_table),
        cmocka_unit_test(test_edges_of_functions),
        cmocka_unit_test(test_long_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
