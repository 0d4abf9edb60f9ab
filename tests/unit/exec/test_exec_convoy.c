// Convoys: warps that execute together must do what they do alone. run_always compares both: with a seed other than 0
// every warp goes alone.
#include "exec_run.h"

// Three rounds: each thread writes its number and the round into shared memory, and reads the one of another warp. More
// warps than a convoy has, and a last one that is not whole.
static uint32_t exchanged(uint32_t t) {
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 3; round++) sum = sum * 5 + (399 - t % 400) + round;
    return sum;
}
static void test_exchange(void **state) {
    (void)state;
    run_always((run_args){.grid = 5, .block = 400, .ptx = KERNEL(".shared .align 4 .b8 tile[1600];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r6, %r1, 4, %r5; sub.u32 %r7, 399, %r1; mad.lo.u32 %r8, %r7, 4, %r5;\n"
        "mov.u32 %r9, 0; mov.u32 %r10, 0;\n"
        "LOOP: add.u32 %r11, %r1, %r9; st.shared.u32 [%r6], %r11;\nbar.sync 0;\nld.shared.u32 %r12, [%r8];\n"
        "mad.lo.u32 %r10, %r10, 5, %r12;\nbar.sync 1;\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra LOOP;\n"
        STORE_RET("%r10"))}, 2000, exchanged, true);
}

// Warps go round as often as their number says, and lanes of one of them part; all meet at a barrier, twice.
static uint32_t parted(uint32_t t) {
    uint32_t i = t % 256;
    return 2 * (i / 32 * 3 + (i == 100 ? 7 : 0));
}
static void test_parting(void **state) {
    (void)state;
    run_always((run_args){.grid = 7, .block = 256, .ptx = KERNEL("",
        "mov.u32 %r10, 0; mov.u32 %r9, 0;\nAGAIN: shr.u32 %r5, %r1, 5; mov.u32 %r6, 0;\n"
        "ROUND: setp.ge.u32 %p1, %r6, %r5; @%p1 bra OUT; add.u32 %r10, %r10, 3; add.u32 %r6, %r6, 1; bra ROUND;\n"
        "OUT: setp.ne.u32 %p2, %r1, 100; @%p2 bra MEET; add.u32 %r10, %r10, 7;\nMEET: bar.sync 0;\n"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 2; @%p3 bra AGAIN;\n" STORE_RET("%r10"))}, 1792, parted, true);
}

// Three rounds in which lanes part and meet: in some warps, in none, and in all; warps that go different ways, each
// with a barrier on it; and in the first round lanes that leave on their way.
static uint32_t met(uint32_t t) {
    uint32_t i = t % 320, sum = 0;
    for (uint32_t round = 0; round < 3; round++) {
        bool is_one = i % 32 > 10 * round + 3 && i / 32 != 4;
        if (is_one && round == 0 && i % 41 == 5) return 0;
        sum += is_one ? 1 : 100;
        for (uint32_t k = 0; k < i % 7 + i / 32; k++) sum += round;
        sum += i < 96 ? 1000 : 2000;
        sum *= 3;
    }
    return sum;
}
static void test_meeting(void **state) {
    (void)state;
    run_always((run_args){.grid = 3, .block = 320, .ptx = KERNEL("",
        "mov.u32 %r5, 0; mov.u32 %r6, 0; and.b32 %r7, %r1, 31; shr.u32 %r8, %r1, 5; rem.u32 %r9, %r1, 7;\n"
        "add.u32 %r9, %r9, %r8; rem.u32 %r10, %r1, 41; setp.lt.u32 %p4, %r1, 96; setp.eq.u32 %p5, %r10, 5;\n"
        "ROUND: mad.lo.u32 %r11, %r6, 10, 3; setp.gt.u32 %p1, %r7, %r11; setp.ne.and.u32 %p1, %r8, 4, %p1;\n"
        "@%p1 bra ONE; add.u32 %r5, %r5, 100; bra MET;\n"
        "ONE: setp.eq.and.u32 %p6, %r6, 0, %p5; @%p6 bra LEAVE; add.u32 %r5, %r5, 1;\nMET: mov.u32 %r12, 0;\n"
        "setp.eq.u32 %p2, %r9, 0; @%p2 bra DONE;\n"
        "MORE: add.u32 %r5, %r5, %r6; add.u32 %r12, %r12, 1; setp.lt.u32 %p2, %r12, %r9; @%p2 bra MORE;\n"
        "DONE: @%p4 bra FEW; bar.sync 0; add.u32 %r5, %r5, 2000; bra BOTH;\n"
        "FEW: bar.sync 0; add.u32 %r5, %r5, 1000;\n"
        "BOTH: mul.lo.u32 %r5, %r5, 3;\n"
        "add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 3; @%p3 bra ROUND;\n" STORE_RET("%r5") "LEAVE: ret;\n")}, 960, met,
        true);
}

// Guards that are on for all, for nobody, for some warps, and for some lanes.
static uint32_t guarded(uint32_t t) {
    uint32_t i = t % 192;
    return (t / 192 == 1 ? 1 : 2) + (i >= 64 ? 4 : 0) + (i & 1 ? 8 : 0);
}
static void test_guards(void **state) {
    (void)state;
    run_always((run_args){.grid = 4, .block = 192, .ptx = KERNEL("",
        "setp.eq.u32 %p1, %r2, 1; mov.u32 %r5, 0;\n@%p1 add.u32 %r5, %r5, 1;\n@!%p1 add.u32 %r5, %r5, 2;\n"
        "setp.ge.u32 %p2, %r1, 64;\n@%p2 add.u32 %r5, %r5, 4;\nbar.sync 0;\n"
        "and.b32 %r6, %r1, 1; setp.ne.u32 %p3, %r6, 0;\n@%p3 add.u32 %r5, %r5, 8;\n" STORE_RET("%r5"))}, 768, guarded,
        true);
}

// Elements of every width whose lanes lie eight apart in shared memory, the warps beside each other.
#define APART(TYPE, BYTES, REG, WIDEN, NARROW) KERNEL(".shared .align 8 .b8 tile[2048];\n",                   \
    "mad.lo.u32 %r5, %r4, 7, 3; and.b32 %r9, %r5, 255;\n" WIDEN                                              \
    "and.b32 %r6, %r1, 31; shr.u32 %r7, %r1, 5; mad.lo.u32 %r8, %r6, 8, %r7;\n"                              \
    "mov.u32 %r10, tile; mad.lo.u32 %r11, %r8, " BYTES ", %r10;\nst.shared." TYPE " [%r11], " REG ";\n"      \
    "bar.sync 0;\nld.shared." TYPE " " REG ", [%r11];\n" NARROW "and.b32 %r9, %r9, 255;\n" STORE_RET("%r9"))
static uint32_t turned(uint32_t t) { return (t * 7 + 3) & 0xff; }
static void test_lanes_apart(void **state) {
    (void)state;
    static const char *const kernels[] = {
        APART("u8", "1", "%r9", "", ""), APART("s8", "1", "%r9", "", ""), APART("u16", "2", "%r9", "", ""),
        APART("u32", "4", "%r9", "", ""),
        APART("u64", "8", "%rd9", "cvt.u64.u32 %rd9, %r9;\n", "cvt.u32.u64 %r9, %rd9;\n")};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        run_always((run_args){.grid = 3, .block = 256, .ptx = kernels[k]}, 768, turned, true);
}

// Rows of out by columns: %rd3 is not used, a warp's stores are 32 words apart, its neighbours' beside them.
static uint32_t transposed(uint32_t t) { return t % 8 * 32 + t / 8 % 32 + t / 256 * 1000; }
static void test_transpose(void **state) {
    (void)state;
    run_always((run_args){.grid = 9, .block = 256, .ptx = KERNEL("",
        "and.b32 %r5, %r1, 31; shr.u32 %r6, %r1, 5; mad.lo.u32 %r7, %r5, 8, %r6; mad.lo.u32 %r7, %r2, 256, %r7;\n"
        "mul.wide.u32 %rd4, %r7, 4; add.u64 %rd4, %rd1, %rd4; mad.lo.u32 %r8, %r2, 1000, %r1;\n"
        "st.global.u32 [%rd4], %r8;\nret;\n")}, 2304, transposed, true);
}

// The same of loads: each warp has a column of a tile in shared memory.
static uint32_t column(uint32_t t) { return (t % 32 * 8 + t % 256 / 32) * 5 + t / 256; }
static void test_columns(void **state) {
    (void)state;
    run_always((run_args){.grid = 9, .block = 256, .ptx = KERNEL(".shared .align 4 .b8 tile[1024];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r6, %r1, 4, %r5; mad.lo.u32 %r7, %r1, 5, %r2; st.shared.u32 [%r6], %r7;\n"
        "bar.sync 0;\nand.b32 %r8, %r1, 31; shr.u32 %r9, %r1, 5; mad.lo.u32 %r8, %r8, 8, %r9;\n"
        "mad.lo.u32 %r8, %r8, 4, %r5; ld.shared.u32 %r10, [%r8];\n" STORE_RET("%r10"))}, 2304, column, true);
}

// What has no form for convoys goes warp by warp: shuffles, divisions, reductions in memory, and atomics whose result
// nobody reads.
static uint32_t one_by_one(uint32_t t) { return (t ^ 1) / 3 + 512; }
static void test_one_by_one(void **state) {
    (void)state;
    run_always((run_args){.grid = 5, .block = 256, .ptx = KERNEL(".shared .align 4 .b8 total[4];\n",
        "shfl.sync.bfly.b32 %r5, %r4, 1, 31, 0xffffffff;\ncvt.u64.u32 %rd5, %r5; div.u64 %rd6, %rd5, 3;\n"
        "cvt.u32.u64 %r6, %rd6; red.shared.add.u32 [total], 1;\natom.shared.add.u32 %r8, [total], 1;\n"
        "bar.sync 0;\nld.shared.u32 %r7, [total];\n"
        "add.u32 %r6, %r6, %r7;\n" STORE_RET("%r6"))}, 1280, one_by_one, true);
}

// The warps of a block poll shared memory until the last one has written there.
static uint32_t always_5(uint32_t t) { (void)t; return 5; }
// Shuffles by a constant, by the warp's number, and within segments of 8 lanes, with whether there was such a lane.
static uint32_t shuffled(uint32_t t) {
    const uint32_t lane = t % 32, warp = t % 256 / 32;
    const uint32_t down = lane + 3 <= 31 ? t + 3 + 1000 : t, up = lane >= warp ? t - warp + 5000 : t;
    const uint32_t within = (lane & 7) + 2 <= 7 ? t + 2 + 70000 : t;
    return down * 3 + up * 5 + within * 7;
}
static void test_shuffles(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 256, .ptx = KERNEL("",
        "shr.u32 %r7, %r1, 5;\nshfl.sync.down.b32 %r5|%p1, %r4, 3, 31, 0xffffffff;\n"
        "shfl.sync.up.b32 %r6|%p2, %r4, %r7, 0, 0xffffffff;\nshfl.sync.down.b32 %r8|%p3, %r4, 2, 6175, 0xffffffff;\n"
        "@%p1 add.u32 %r5, %r5, 1000; @%p2 add.u32 %r6, %r6, 5000; @%p3 add.u32 %r8, %r8, 70000;\n"
        "mul.lo.u32 %r9, %r5, 3; mad.lo.u32 %r9, %r6, 5, %r9; mad.lo.u32 %r9, %r8, 7, %r9;\n" STORE_RET("%r9"))},
        512, shuffled, true);
}

// By constants: lanes of an eight come from one eight, from two, and, where only some are in range, from three; into
// the register that they come from.
static uint32_t routed(uint32_t t) {
    const uint32_t lane = t % 32, first = t - lane, last = (t ^ 6) % 32;
    uint32_t sums[32];
    for (uint32_t i = 0; i < 32; i++)
        sums[i] = (first + (i ^ 17)) * 3 + (first + 21) * 5 + (first + (i + 12 <= 26 ? i + 12 : i)) * 7 +
                  (first + (i >= 9 ? i - 9 : i)) * 11;
    return sums[last];
}
static void test_routes(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 256, .ptx = KERNEL("",
        "shfl.sync.bfly.b32 %r5, %r4, 17, 31, 0xffffffff;\nshfl.sync.idx.b32 %r6, %r4, 21, 31, 0xffffffff;\n"
        "shfl.sync.down.b32 %r7, %r4, 12, 26, 0xffffffff;\nshfl.sync.up.b32 %r8, %r4, 9, 0, 0xffffffff;\n"
        "mul.lo.u32 %r9, %r5, 3; mad.lo.u32 %r9, %r6, 5, %r9; mad.lo.u32 %r9, %r7, 7, %r9;\n"
        "mad.lo.u32 %r9, %r8, 11, %r9;\nshfl.sync.bfly.b32 %r9, %r9, 6, 31, 0xffffffff;\n" STORE_RET("%r9"))},
        512, routed, true);
}

static void test_polling(void **state) {
    (void)state;
    run_always((run_args){.grid = 3, .block = 256, .ptx = KERNEL(".shared .align 4 .b8 flag[4];\n",
        "setp.lt.u32 %p1, %r1, 224; @%p1 bra WAIT; mov.u32 %r5, 5; st.volatile.shared.u32 [flag], %r5; bra END;\n"
        "WAIT: ld.volatile.shared.u32 %r5, [flag]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT;\nEND:\n" STORE_RET("%r5"))},
        768, always_5, false);
}

// One thread in the middle of a convoy is wrong.
static void test_fault(void **state) {
    (void)state;
    const run_result *r = run_fault((run_args){.block = 256, .ptx = KERNEL("",
        "setp.ne.u32 %p1, %r1, 170; selp.b64 %rd5, 0, 0x100000000, %p1; add.u64 %rd3, %rd3, %rd5;\n"
        STORE_RET("%r1"))}, HW_FAULT, HW_FAULT_ADDRESS);
    assert_says(r, "thread (170,0,0)");
    assert_int_equal(r->out[159], 159);     // the warps before it have written
    assert_int_equal(r->out[192], 0);
    r = run_fault((run_args){.block = 256, .ptx = KERNEL(".shared .align 4 .b8 tile[1024];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r6, %r1, 4, %r5; setp.ne.u32 %p1, %r1, 70; selp.b32 %r7, 0, 2, %p1;\n"
        "add.u32 %r6, %r6, %r7;\nst.shared.u32 [%r6], %r1;\n" STORE_RET("%r1"))}, HW_FAULT, HW_FAULT_MISALIGNED);
    assert_says(r, "thread (70,0,0)");
    r = run_fault((run_args){.block = 256, .ptx = KERNEL("",     // on a way that few go
        "rem.u32 %r5, %r1, 50; setp.ne.u32 %p1, %r5, 20; @%p1 bra REST; setp.gt.u32 %p2, %r1, 100;\n"
        "selp.b64 %rd3, 2, %rd3, %p2;\nREST:\n" STORE_RET("%r1"))}, HW_FAULT, HW_FAULT_MISALIGNED);
    assert_says(r, "thread (120,0,0)");
    r = run_fault((run_args){.block = 256, .ptx = KERNEL("",
        "rem.u32 %r5, %r1, 50; setp.ne.u32 %p1, %r5, 20; @%p1 bra REST; st.global.u32 [%rd3+2], %r1;\nREST:\n"
        STORE_RET("%r1"))}, HW_FAULT, HW_FAULT_MISALIGNED);
    assert_says(r, "thread (20,0,0)");
}

// A loop that never ends is stopped by the limit, as a warp alone is.
static void test_limit(void **state) {
    (void)state;
    static run_result r;
    run_kernel(&(run_args){.block = 256, .max_instructions = 100000, .ptx = KERNEL("", "LOOP: bra LOOP;\n")}, &r);
    assert_int_equal(r.status, HW_DEADLOCK);
    run_kernel(&(run_args){.block = 256, .max_instructions = 100000, .ptx = KERNEL("",
        "and.b32 %r5, %r1, 3; setp.eq.u32 %p1, %r5, 0; @%p1 bra REST;\nLOOP: bra LOOP;\nREST: ret;\n")}, &r);
    assert_int_equal(r.status, HW_DEADLOCK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange),   cmocka_unit_test(test_parting), cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_lanes_apart), cmocka_unit_test(test_transpose), cmocka_unit_test(test_columns),
        cmocka_unit_test(test_polling),
        cmocka_unit_test(test_one_by_one), cmocka_unit_test(test_shuffles), cmocka_unit_test(test_routes),
        cmocka_unit_test(test_fault), cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
