// Barriers of the block, and the instructions that gather the lanes of a warp.
#include "exec_run.h"

// Each thread writes its number into shared memory; behind the barrier it reads another's.
static uint32_t reversed(uint32_t t) { return 149 - t % 150; }
static void test_bar_sync(void **state) {
    (void)state;
    run_always((run_args){.grid = 4, .block = 150, .ptx = KERNEL(".shared .align 4 .b8 tile[600];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r6, %r1, 4, %r5; st.shared.u32 [%r6], %r1;\nbar.sync 0;\n"
        "sub.u32 %r7, 149, %r1; mad.lo.u32 %r6, %r7, 4, %r5; ld.shared.u32 %r8, [%r6];\n" STORE_RET("%r8"))}, 600,
            reversed,
        true);
}

// A loop with a barrier; each warp leaves the loop and exits after as many rounds as its number.
static uint32_t rounds(uint32_t t) { return t % 128 / 32 + 1; }
static uint32_t odd(uint32_t t) { return t % 100 & 1; }
static void test_exited_warps(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 128, .ptx = KERNEL("",
        "shr.u32 %r5, %r1, 5; mov.u32 %r6, 0;\nLOOP: bar.sync 0; add.u32 %r6, %r6, 1; setp.le.u32 %p1, %r6, %r5;\n"
        "@%p1 bra LOOP;\n" STORE_RET("%r6"))}, 256, rounds, true);
    // Half of each warp exits while the rest waits.
    run_always((run_args){.grid = 2, .block = 100, .ptx = KERNEL("",
        "mov.u32 %r6, 5; and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra WAIT; mov.u32 %r6, 0; ret;\n"
        "WAIT: bar.sync 0;\nbarrier.sync 0;\n and.b32 %r6, %r1, 1;\n" STORE_RET("%r6"))}, 200, odd,
        true);
}

static uint32_t always_0(uint32_t t) { (void)t; return 0; }
static uint32_t always_5(uint32_t t) { (void)t; return 5; }

// Warp 0 produces, warp 1 consumes, through two named barriers with counts; warp 2 has nothing to do with it.
static uint32_t consumed(uint32_t t) { return t < 32 ? 0 : t < 64 ? (0 + 1 + 2 + 3) * 1 + 4 * (t - 32) : 99; }
static void test_producer_consumer(void **state) {
    (void)state;
    run_always((run_args){.block = 96, .ptx = KERNEL(".shared .align 4 .b8 slot[128];\n",
        "shr.u32 %r5, %r1, 5; and.b32 %r6, %r1, 31; mov.u32 %r7, slot; mad.lo.u32 %r8, %r6, 4, %r7; mov.u32 %r9, 0;\n"
        "setp.eq.u32 %p1, %r5, 0; @%p1 bra PRODUCE; setp.eq.u32 %p1, %r5, 1; @%p1 bra CONSUME; mov.u32 %r10, 99; bra"
        " END;\n"
        "PRODUCE: add.u32 %r11, %r6, %r9; st.shared.u32 [%r8], %r11; bar.arrive 1, 64;\nbar.sync 2, 64;\n"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 4; @%p2 bra PRODUCE; mov.u32 %r10, 0; bra END;\n"
        "CONSUME: mov.u32 %r10, 0;\nMORE: bar.sync 1, 64; ld.shared.u32 %r11, [%r8]; add.u32 %r10, %r10, %r11;\n"
        "bar.arrive 2, 64;\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 4; @%p2 bra MORE;\n"
        "END:\n" STORE_RET("%r10"))}, 96, consumed, true);
    // Two groups with a named barrier each, the number in a register that differs between warps.
    run_always((run_args){.block = 128, .ptx = KERNEL("",
        "shr.u32 %r5, %r1, 6; add.u32 %r6, %r5, 3;\nbar.sync %r6, 64;\nbarrier.sync %r6, 64;\nmov.u32 %r7, 5;\n"
        STORE_RET("%r7"))}, 128, always_5, true);
}

static uint32_t reduced(uint32_t t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 70; i++) n += i % 3 == 0;
    (void)t;
    return n | 0 << 8 | 1 << 9;
}
static void test_bar_red(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 70, .ptx = KERNEL("",
        "rem.u32 %r5, %r1, 3; setp.eq.u32 %p1, %r5, 0;\nbar.red.popc.u32 %r6, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n"
        "bar.red.or.pred %p3, 0, %p1;\nselp.u32 %r7, 256, 0, %p2; selp.u32 %r8, 512, 0, %p3; or.b32 %r6, %r6, %r7;"
        " or.b32 %r6, %r6, %r8;\n" STORE_RET("%r6"))}, 140, reduced, true);
    // Complemented, all true, and with a count.
    run_always((run_args){.block = 64, .ptx = KERNEL("",
        "setp.ge.u32 %p1, %r1, 64;\nbar.red.and.pred %p2, 1, 64, !%p1;\nbarrier.red.popc.u32 %r6, 2, 64, !%p1;\n"
        "selp.u32 %r7, 5, 0, %p2; setp.ne.u32 %p3, %r6, 64; @%p3 trap;\n" STORE_RET("%r7"))}, 64, always_5, true);
}

// Lanes of one warp come to the same barrier from two branches, one of which does not end before it.
static void test_divergent_barrier(void **state) {
    (void)state;
    run_always((run_args){.block = 64, .ptx = KERNEL("",
        "mov.u32 %r6, 5; setp.lt.u32 %p1, %r1, 40; @%p1 bra LOW; barrier.sync 0; bra END;\nLOW: barrier.sync 0;\nEND:\n"
        STORE_RET("%r6"))}, 64, always_5, true);
    run_always((run_args){.block = 64, .ptx = KERNEL("",
        "mov.u32 %r6, 5; setp.lt.u32 %p1, %r1, 40; @%p1 bra LOW; barrier.sync 0, 64; bra END;\n"
        "LOW: barrier.sync 0, 64;\nEND:\n" STORE_RET("%r6"))}, 64, always_5, true);
    // 48 threads: the last warp is half there and comes in two parts.
    run_always((run_args){.block = 48, .ptx = KERNEL("",
        "mov.u32 %r6, 5; and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra ODD; barrier.sync 0, 64; bra END;\n"
        "ODD: barrier.sync 0, 64;\nEND:\n" STORE_RET("%r6"))}, 48, always_5, true);
}

// ---- the warp ----

// bar.warp.sync in both arms of a branch: what one half writes in front of it, the other reads behind it.
static uint32_t exchanged(uint32_t t) { return 1000 + (t ^ 16); }
static void test_warp_sync(void **state) {
    (void)state;
    run_always((run_args){.grid = 1, .block = 32, .ptx = KERNEL(".shared .align 4 .b8 tile[128];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r6, %r1, 4, %r5; xor.b32 %r7, %r6, 64; add.u32 %r8, %r1, 1000;\n"
        "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\n"
        "st.volatile.shared.u32 [%r6], %r8; bar.warp.sync 0xffffffff; ld.volatile.shared.u32 %r9, [%r7]; bra END;\n"
        "LOW: bar.warp.sync 0x0000ffff; st.volatile.shared.u32 [%r6], %r8; bar.warp.sync 0xffffffff;"
        " ld.volatile.shared.u32 %r9, [%r7];\nEND:\n" STORE_RET("%r9"))}, 32, exchanged, true);
}

// Lanes come to one shfl from different paths: the loop's lanes later than the others.
static uint32_t rotated(uint32_t t) { return ((t & 31) + 1) % 32 * 3; }
static void test_shfl_gathers(void **state) {
    (void)state;
    run_always((run_args){.block = 64, .ptx = KERNEL("",
        "and.b32 %r5, %r1, 31; mov.u32 %r6, 0; mov.u32 %r7, 0; add.u32 %r10, %r5, 1; and.b32 %r10, %r10, 31;\n"
        "setp.gt.u32 %p1, %r5, 20; @%p1 bra QUICK;\nSLOW: add.u32 %r6, %r6, 3; add.u32 %r7, %r7, 1;"
        " setp.lt.u32 %p2, %r7, %r5; @%p2 bra SLOW; setp.eq.u32 %p3, %r5, 0; @%p3 mov.u32 %r6, 0; bra MEET;\n"
        "QUICK: mul.lo.u32 %r6, %r5, 3;\nMEET: shfl.sync.idx.b32 %r8, %r6, %r10, 31, 0xffffffff;\n"
        STORE_RET("%r8"))}, 64, rotated, true);
}

// Two tiles of 16 vote at once, each with its own members; then four of 8 that come one after the other.
static uint32_t tiles(uint32_t t) { return (t & 16 ? 0xaaaa0000u : 0x0000aaaau) + (1u << (t & 7) & 0xaa ? 1 : 0); }
static void test_tiles(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 32, .ptx = KERNEL("",
        "and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0; and.b32 %r6, %r1, 16; mov.u32 %r7, 0xffff; shl.b32 %r7, %r7,"
        " %r6;\n"
        "vote.sync.ballot.b32 %r8, %p1, %r7;\n"
        "and.b32 %r9, %r1, 24; mov.u32 %r10, 0xff; shl.b32 %r10, %r10, %r9; and.b32 %r11, %r1, 7; setp.gt.u32 %p2,"
        " %r11, 3;\n"
        "@%p2 bra HIGH; mov.u32 %r12, 0;\nHIGH: vote.sync.any.pred %p3, %p1, %r10; vote.sync.all.pred %p4, %p1, %r10;"
        " @!%p3 trap; @%p4 trap;\n@%p2 bra LATE; bar.warp.sync %r10; bra END;\nLATE: bar.warp.sync %r10;\nEND:"
        " add.u32 %r8, %r8, %r5;\n" STORE_RET("%r8"))}, 64, tiles, true);
}

// Members that have exited are not waited for.
static uint32_t first_half(uint32_t t) { return t < 16 ? 0xffff : 0; }
static void test_exited_lanes(void **state) {
    (void)state;
    run_always((run_args){.block = 32, .ptx = KERNEL("",
        "setp.ge.u32 %p1, %r1, 16; setp.lt.u32 %p2, %r1, 40; @%p1 ret;\nvote.sync.ballot.b32 %r5, %p2, 0xffffffff;\n"
        STORE_RET("%r5"))}, 32, first_half, true);
    // The others exit only after these have begun to wait.
    run_always((run_args){.block = 32, .ptx = KERNEL("",
        "setp.lt.u32 %p1, %r1, 16; setp.lt.u32 %p2, %r1, 40; @%p1 bra WAIT; mov.u32 %r6, 0;\nLOOP: add.u32 %r6, %r6, 1;"
        " setp.lt.u32 %p3, %r6, %r1; @%p3 bra LOOP; ret;\nWAIT: vote.sync.ballot.b32 %r5, %p2, 0xffffffff;\n"
        STORE_RET("%r5"))}, 32, first_half, true);
    run_always((run_args){.block = 5, .ptx = KERNEL("",
        "setp.lt.u32 %p2, %r1, 40; vote.sync.ballot.b32 %r5, %p2, 0xffffffff; sub.u32 %r5, %r5, 31;\n"
            STORE_RET("%r5"))}, 5,
        always_0, true);
}

// A cluster is one block: its barrier is one of the block beside the numbered ones, and its shared memory the block's.
static void test_cluster_of_one(void **state) {
    (void)state;
    run_result *r = run_ok((run_args){.grid = 2, .block = 100, .threads = 2, .ptx = KERNEL("",
        ".shared .align 4 .b8 sm[400];\nmov.u32 %r5, sm; shl.b32 %r6, %r1, 2; add.u32 %r5, %r5, %r6;"
        " st.shared.u32 [%r5], %r4;\n"
        "setp.lt.u32 %p1, %r1, 40; @%p1 bra EARLY; bar.sync 1, 64;\nEARLY: barrier.cluster.arrive.release.aligned;"
        " barrier.cluster.wait.acquire.aligned;\n"
        "mov.u32 %r7, sm; mapa.shared::cluster.u32 %r7, %r7, 0; sub.u32 %r8, 396, %r6; add.u32 %r8, %r7, %r8;"
        " ld.shared::cluster.u32 %r9, [%r8]; cvt.u64.u32 %rd4, %r8; cvta.shared.u64 %rd4, %rd4; mapa.u64 %rd5, %rd4, 0;"
        " ld.u32 %r10, [%rd5]; getctarank.u64 %r11, %rd5; add.u32 %r9, %r9, %r10; add.u32 %r9, %r9, %r11;\n"
        STORE_RET("%r9"))});
    for (uint32_t t = 0; t < 200; t++) assert_int_equal(r->out[t], 2 * (t / 100 * 100 + 99 - t % 100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar_sync), cmocka_unit_test(test_exited_warps),
        cmocka_unit_test(test_producer_consumer), cmocka_unit_test(test_bar_red),
        cmocka_unit_test(test_divergent_barrier), cmocka_unit_test(test_warp_sync),
        cmocka_unit_test(test_shfl_gathers), cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_exited_lanes),  cmocka_unit_test(test_cluster_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
