// Forward progress: threads that wait for each other finish when they can, and are told of when they cannot.
#include "exec_run.h"

static uint32_t always_1(uint32_t t) { (void)t; return 1; }
static uint32_t total;
static uint32_t is_total(uint32_t t) { return t ? 0 : total; }

// ---- locks ----

// The lock is released behind the loop: the lane that has it must get past the others, which spin.
#define LOCK_AFTER_LOOP \
    "SPIN: atom.global.cas.b32 %r5, [%rd2], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra SPIN;\n" \
    "ld.volatile.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1], %r6; membar.gl;\n" \
    "atom.global.exch.b32 %r7, [%rd2], 0;\nret;\n"
static void test_lock(void **state) {
    (void)state;
    total = 3 * 64;
    run_always((run_args){.grid = 3, .block = 64, .ptx = KERNEL("", LOCK_AFTER_LOOP)}, 2, is_total, false);
    // The same as a loop with the work inside, by exch; and one with nanosleep.
    run_always((run_args){.grid = 3, .block = 64, .ptx = KERNEL("",
        "TRY: atom.global.exch.b32 %r5, [%rd2], 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra AGAIN;\n"
        "ld.volatile.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1], %r6; membar.gl;\n"
        "st.volatile.global.u32 [%rd2], 0; bra END;\nAGAIN: nanosleep.u32 100; bra TRY;\nEND: ret;\n")}, 2, is_total,
            false);
    // In shared memory.
    run_always((run_args){.grid = 1, .block = 192, .ptx = KERNEL(".shared .align 4 .u32 lock;\n",
        "mov.u32 %r8, lock; st.shared.u32 [%r8], 0; bar.sync 0;\n"
        "SPIN: atom.shared.cas.b32 %r5, [%r8], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra SPIN;\n"
        "ld.volatile.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1], %r6; membar.gl;\n"
        "atom.shared.exch.b32 %r7, [%r8], 0;\nret;\n")}, 2, is_total, false);
}

// A lane that waits, by plain loads even, for what another lane of its warp does behind the branch.
static void test_lanes_wait(void **state) {
    (void)state;
    total = 1;
    static const char *const loads[] = {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32",
        "ld.acquire.gpu.global.u32",
                                        "ld.global.u32"};
    for (int k = 0; k < 4; k++) {
        char text[2048];
        const char *before = KERNEL("", "setp.eq.u32 %p1, %r1, 31; @%p1 bra WRITE;\nWAIT: @@ %r5, [%rd2];"
            " setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT; bra END;\nWRITE: mov.u32 %r5, 1;"
            " st.volatile.global.u32 [%rd2], %r5;\nEND: setp.eq.u32 %p3, %r1, 0; @%p3 st.global.u32 [%rd3], %r5;"
            " ret;\n");
        const char *at = strstr(before, "@@ ");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - before), before, loads[k], at + 2);
        if (k < 3) run_always((run_args){.block = 32, .ptx = text}, 2, is_total, false);
        else run_ok((run_args){.block = 32, .ptx = text});    // takes longer: a plain load is no sign of waiting
    }
}

// ---- blocks ----

static uint32_t chain(uint32_t t) { return t + 1; }
static void test_look_back(void **state) {
    (void)state;
    // Block i waits for block i - 1's sum.
    run_always((run_args){.grid = 300, .block = 1, .ptx = KERNEL("",
        "mov.u32 %r5, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra GO; WAIT: ld.volatile.global.u32 %r6, [%rd3+-4];"
        " setp.eq.u32 %p2, %r6, 0; @%p2 bra WAIT; add.u32 %r5, %r6, 1;\nGO: st.volatile.global.u32 [%rd3], %r5;"
        " ret;\n")},
        300, chain, false);
    // Block i waits for block i + 1: all are resident.
    run_always((run_args){.grid = 100, .block = 1, .ptx = KERNEL("",
        "mov.u32 %r5, 1; mov.u32 %r7, %nctaid.x; sub.u32 %r7, %r7, 1; setp.eq.u32 %p1, %r2, %r7; @%p1 bra GO;\n"
        "WAIT: ld.acquire.gpu.global.u32 %r6, [%rd3+4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra WAIT; membar.gl;\n"
        "GO: st.release.gpu.global.u32 [%rd3], %r5; ret;\n")}, 100, always_1, false);
}

// How many whole turns the work takes that others wait for.
#ifdef HW_SANITIZED
#define TURNS 24
#else
#define TURNS 96
#endif
#define TEXT_OF(NUMBER) #NUMBER
#define TEXT(NUMBER) TEXT_OF(NUMBER)
// Turns of 65536 backward branches each, and a word that says that they are done.
#define WORK_AND_TELL \
    "WORK: mov.u32 %r6, 0; mul.lo.u32 %r7, 65536, " TEXT(TURNS) ";\n" \
    "MORE: add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, %r7; @%p3 bra MORE;\n" \
    "st.volatile.global.u32 [%rd2], 1;\nEND: ret;\n"

// A block that waits for one that works long looks once in a turn, after the turn in which it was found to wait.
static void test_waiting_looks_seldom(void **state) {
    (void)state;
    enum { TURN_POLLS = 129 };
    run_result *r = run_ok((run_args){.grid = 2, .block = 1, .threads = 1, .ptx = KERNEL("",
        "setp.eq.u32 %p1, %r2, 1; @%p1 bra WORK;\n"
        "WAIT: ld.volatile.global.u32 %r5, [%rd2]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT; bra END;\n"
        WORK_AND_TELL)});
    if (r->sums.loads > TURN_POLLS + TURNS) fail_msg("%u looks", (unsigned)r->sums.loads);
}

// A lane that works while the others of its warp wait for it has whole turns: what it does takes no longer for them.
static void test_working_lane(void **state) {
    (void)state;
    enum { TURN_POLLS = 128 };
    run_result *r = run_ok((run_args){.block = 32, .ptx = KERNEL("",
        "setp.eq.u32 %p1, %r1, 31; @%p1 bra WORK;\n"
        "WAIT: ld.volatile.global.u32 %r5, [%rd2]; setp.eq.u32 %p2, %r5, 0; @%p2 bra WAIT; bra END;\n"
        WORK_AND_TELL)});
    const unsigned most = (TURNS + 2) * (TURN_POLLS + 2);
    if (r->sums.loads > most) fail_msg("%u looks, not at most %u", (unsigned)r->sums.loads, most);
}

// Lanes that wait by ld.cg of vectors, which is no volatile access, do so in few looks as well: whatever the loop uses
// the vector's registers for, and whatever the lowest lane sees meanwhile (here a count of its own).
static void test_waiting_by_cg(void **state) {
    (void)state;
    static const char *const loops[] = {
        KERNEL("", "setp.eq.u32 %p1, %r1, 31; @%p1 bra WORK; mov.u32 %r8, 5;\n"
            "WAIT: ld.global.cg.v2.u32 {%r5, %r6}, [%rd2]; setp.eq.u32 %p2, %r5, 0; add.u32 %r8, %r8, 1;"
            " mov.u32 %r5, %r8; mov.u32 %r6, %r8; @%p2 bra WAIT; st.global.v2.u32 [%rd1+128], {%r5, %r6}; bra END;\n"
            WORK_AND_TELL),
        KERNEL("", "setp.eq.u32 %p1, %r1, 31; @%p1 bra WORK; setp.eq.u32 %p4, %r1, 0; mov.u32 %r8, 5;\n"
            "add.u64 %rd4, %rd1, 128; selp.u64 %rd4, %rd4, %rd2, %p4;\n"
            "WAIT: add.u32 %r8, %r8, 1; @%p4 st.global.cg.v2.u32 [%rd4], {%r8, %r8};\n"
            "ld.global.cg.v2.u32 {%r5, %r9}, [%rd4]; setp.eq.u32 %p2, %r5, 0;"
            " vote.sync.any.pred %p2, %p2, 0x7fffffff; @%p2 bra WAIT; bra END;\n"
            WORK_AND_TELL),
    };
    enum { TURN_POLLS = 128 };
    const unsigned most = (TURNS + 2) * (TURN_POLLS + 2);
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        run_result *r = run_ok((run_args){.block = 32, .ptx = loops[k]});
        if (r->sums.loads > most) fail_msg("loop %zu: %u looks, not at most %u", k, (unsigned)r->sums.loads, most);
    }
}

// Walking a table whose rows are alike is no waiting: the lanes that have left the loop stay together with the others.
#define WALK(LOAD) KERNEL("", \
    "setp.lt.u32 %p1, %r1, 16; selp.u32 %r5, 500, 1500, %p1; mov.u32 %r6, 0; mul.wide.u32 %rd4, %r1, 16;\n" \
    "add.u64 %rd4, %rd1, %rd4;\n" \
    "ROW: and.b32 %r7, %r6, 1023; mul.wide.u32 %rd5, %r7, 16; add.u64 %rd5, %rd4, %rd5;\n" \
    LOAD " {%r10, %r11, %r12, %r13}, [%rd5]; add.u32 %r14, %r14, %r10; add.u32 %r14, %r14, %r11;\n" \
    "add.u32 %r14, %r14, %r12; add.u32 %r14, %r14, %r13; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r5;\n" \
    "@%p2 bra ROW; mov.u32 %r6, 0;\n" \
    "MORE: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 100; @%p2 bra MORE;\n" \
    "add.u32 %r14, %r14, %r6; " STORE_RET("%r14"))
static void test_table_by_cg(void **state) {
    (void)state;
    const uint64_t plain = run_ok((run_args){.block = 32, .ptx = WALK("ld.global.v4.u32")})->sums.inst;
    const uint64_t by_cg = run_ok((run_args){.block = 32, .ptx = WALK("ld.global.cg.v4.u32")})->sums.inst;
    assert_int_equal(by_cg, plain);
}

// Every block counts itself in and polls until all have: three times.
static void test_grid_barrier(void **state) {
    (void)state;
    run_always((run_args){.grid = 40, .block = 64, .ptx = KERNEL("",
        "mov.u32 %r5, 0; mov.u32 %r6, %nctaid.x;\nROUND: bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
        "membar.gl; red.global.add.u32 [%rd2], 1; add.u32 %r7, %r5, 1; mul.lo.u32 %r7, %r7, %r6;\n"
        "POLL: ld.volatile.global.u32 %r8, [%rd2]; setp.lt.u32 %p2, %r8, %r7; @%p2 bra POLL;\nDONE: bar.sync 0;\n"
        "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3; @%p3 bra ROUND;\n"
        "ld.volatile.global.u32 %r8, [%rd2]; setp.eq.u32 %p4, %r8, 120; selp.u32 %r9, 1, 0, %p4;\n" STORE_RET("%r9"))},
        40 * 64, always_1, false);
}

// The block that counts itself in last adds up what all have left.
static uint32_t last_sum(uint32_t t) { return t < 50 ? t * 3 : t == 50 ? 49 * 50 / 2 * 3 : 0; }
static void test_last_block(void **state) {
    (void)state;
    run_always((run_args){.grid = 50, .block = 1, .ptx = KERNEL("",
        "mul.lo.u32 %r5, %r2, 3; st.global.u32 [%rd3], %r5; membar.gl; atom.global.inc.u32 %r6, [%rd2], 49;\n"
        "setp.ne.u32 %p1, %r6, 49; @%p1 ret;\nmov.u32 %r7, 0; mov.u32 %r8, 0; mov.u64 %rd4, %rd1;\n"
        "SUM: ld.volatile.global.u32 %r9, [%rd4]; add.u32 %r7, %r7, %r9; add.u64 %rd4, %rd4, 4; add.u32 %r8, %r8, 1;"
        " setp.lt.u32 %p2, %r8, 50; @%p2 bra SUM;\nst.global.u32 [%rd4], %r7; ret;\n")}, 52, last_sum, true);
}

// ---- the warp ----

// f(n), which lane 0 calls in one place and the others in another; they add 1 and 2 to what it gives.
#define TWO_CALLS(BODY) KERNEL( \
    ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<3>;\n" \
    "ld.param.u32 %r1, [n];\n" BODY "st.param.b32 [r], %r1;\nret;\n}\n", \
    "setp.eq.u32 %p1, %r1, 0; @%p1 bra FIRST;\n" \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r5, [b]; }\n" \
    "add.u32 %r5, %r5, 2; bra END;\n" \
    "FIRST: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r5, [b]; }\n" \
    "add.u32 %r5, %r5, 1;\nEND: " STORE_RET("%r5"))
static uint32_t added(uint32_t t) { return t ? 2 : 1; }
static uint32_t meet_ballot(uint32_t t) { return 0xcccccccc + added(t); }
static uint32_t meet_all(uint32_t t) { return 10 + added(t); }
static uint32_t meet_shuffled(uint32_t t) { return (t ^ 1) + (t < 31 ? (t + 1) * 100 : 0) + added(t); }
static uint32_t meet_matched(uint32_t t) { return (0x11111111u << (t & 3)) + added(t); }
static uint32_t meet_sum(uint32_t t) { return 31 * 16 + t + added(t); }
static uint32_t meet_deep(uint32_t t) { return t & 1 ? (t ^ 1) + 1000 * t : t ^ 1; }
static void test_meet_in_two_calls(void **state) {
    (void)state;
    run_always((run_args){.block = 32, .ptx = TWO_CALLS(
        "and.b32 %r1, %r1, 2; setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r1, %p1, 0xffffffff;\n")},
        32, meet_ballot, true);
    // Predicates, one of them in and out.
    run_always((run_args){.block = 32, .ptx = TWO_CALLS(
        "setp.lt.u32 %p1, %r1, 32; setp.eq.u32 %p2, %r1, 31; vote.sync.all.pred %p1, %p1, 0xffffffff;"
        " vote.sync.any.pred %p3, !%p2, 0xffffffff; vote.sync.all.pred %p2, %p2, 0xffffffff;\n"
        "selp.u32 %r1, 4, 0, %p1; selp.u32 %r2, 6, 0, %p3; selp.u32 %r3, 100, 0, %p2; add.u32 %r1, %r1, %r2;"
        " add.u32 %r1, %r1, %r3;\n")}, 32, meet_all, true);
    run_always((run_args){.block = 32, .ptx = TWO_CALLS(
        "mul.lo.u32 %r2, %r1, 100; mov.u32 %r3, 1; shfl.sync.bfly.b32 %r1, %r1, %r3, 31, 0xffffffff;\n"
        "shfl.sync.down.b32 %r2|%p1, %r2, %r3, 31, 0xffffffff; @%p1 add.u32 %r1, %r1, %r2;\n")},
        32, meet_shuffled, true);
    run_always((run_args){.block = 32, .ptx = TWO_CALLS(
        "and.b32 %r1, %r1, 3; match.any.sync.b32 %r1, %r1, 0xffffffff;\n")}, 32, meet_matched, true);
    run_always((run_args){.block = 32, .ptx = TWO_CALLS(
        "and.b32 %r1, %r1, 3; cvt.u64.u32 %rd1, %r1; shl.b64 %rd1, %rd1, 32; match.any.sync.b64 %r1, %rd1,"
        " 0xffffffff;\n")}, 32, meet_matched, true);
    run_always((run_args){.block = 32, .ptx = TWO_CALLS(
        "redux.sync.add.u32 %r2, %r1, 0xffffffff; bar.warp.sync 0xffffffff; add.u32 %r1, %r1, %r2;\n")},
        32, meet_sum, true);
    // Odd lanes come one call deeper, and keep a value where the others have their operand.
    run_always((run_args){.block = 32, .ptx = KERNEL(
        ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<8>;\n"
        "ld.param.u32 %r1, [n]; mov.u32 %r5, %tid.x; add.u32 %r5, %r5, %r1; setp.eq.u32 %p1, %r1, 0;"
        " @%p1 bra MEET;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], 0; call (b), f, (a); ld.param.b32 %r4, [b]; }\n"
        "sub.u32 %r5, %r5, %r1; mul.lo.u32 %r5, %r5, 1000; add.u32 %r5, %r5, %r4; bra END;\n"
        "MEET: shfl.sync.bfly.b32 %r5, %r5, 1, 31, 0xffffffff;\nEND: st.param.b32 [r], %r5;\nret;\n}\n",
        "and.b32 %r6, %r1, 1;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r6; call (b), f, (a); ld.param.b32 %r5, [b]; }\n"
        STORE_RET("%r5"))}, 32, meet_deep, true);
}

// ---- what cannot finish ----

static run_result *deadlock(const char *ptx, uint32_t block) {
    return run_fault((run_args){.block = block, .ptx = ptx, .threads = 2}, HW_DEADLOCK, HW_FAULT_DEADLOCK);
}

static void test_deadlocks(void **state) {
    (void)state;
    // Two named barriers, each waiting for the other's warp.
    run_result *r = deadlock(KERNEL("",
        "setp.lt.u32 %p1, %r1, 32; @%p1 bra LOW;\nbar.sync 1, 64;\nbar.sync 2, 64;\nret;\n"
        "LOW:\nbar.sync 2, 64;\nbar.sync 1, 64;\nret;\n"), 64);
    assert_says(r, "kernel k cannot finish in block (0,0,0) thread (");
    assert_says(r, "test.ptx:14: warp 1, lanes 0xffffffff wait at barrier 1, where 32 threads of 64 have come");
    assert_says(r, "test.ptx:18: warp 0, lanes 0xffffffff wait at barrier 2, where 32 threads of 64 have come");
    // 31 warps at one barrier, one at another: both places are told, once.
    r = deadlock(KERNEL("",
        "setp.lt.u32 %p1, %r1, 992; @%p1 bra LOW;\nbar.sync 1;\nret;\nLOW:\nbar.sync 0;\nret;\n"), 1024);
    assert_says(r, "test.ptx:14: warp 31, lanes 0xffffffff wait at barrier 1, where 32 threads of 1024 have come");
    assert_says(r, "test.ptx:17: 992 threads of 31 warps, the first is warp 0, wait at barrier 0, where 992 threads of"
        " 1024");
    // A count that never comes about, after others have exited.
    r = deadlock(KERNEL("", "setp.ge.u32 %p1, %r1, 32; @%p1 ret;\nbar.sync 0, 64;\nret;\n"), 64);
    assert_says(r, "(32 of the block have exited)");
    assert_says(r, "test.ptx:14: warp 0, lanes 0xffffffff wait at barrier 0, where 32 threads of 64");
    // Lanes that never come: they wait at the block's barrier.
    r = deadlock(KERNEL("",
        "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\nbar.warp.sync 0xffffffff;\nret;\nLOW:\nbarrier.sync 0;\nret;\n"), 32);
    assert_says(r, "test.ptx:14: warp 0, lanes 0xffff0000 wait for lanes 0x0000ffff of their warp");
    assert_says(r, "test.ptx:17: warp 0, lanes 0x0000ffff wait at barrier 0, where 16 threads of 32");
    // Two shuffles, one in each arm: they are two instructions.
    r = deadlock(KERNEL("",
        "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\nshfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffffff;\nret;\n"
        "LOW:\nshfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffffff;\nret;\n"), 32);
    assert_says(r, "test.ptx:14: warp 0, lanes 0xffff0000 wait for lanes 0x0000ffff");
    assert_says(r, "test.ptx:17: warp 0, lanes 0x0000ffff wait for lanes 0xffff0000");
    // Different members on the two sides.
    deadlock(KERNEL("",
        "setp.lt.u32 %p1, %r1, 16; mov.u32 %r5, 0x0001ffff; @%p1 bra GO; mov.u32 %r5, 0xffffffff;\nGO: bar.warp.sync"
        " %r5;\n"
        "ret;\n"), 32);
}

// Half a warp waits at the block's barrier, the other half exits: not a deadlock, and not on an H200 either.
static void test_no_deadlock(void **state) {
    (void)state;
    run_ok((run_args){.block = 64, .ptx = KERNEL("",
        "and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra WAIT; bra END;\nWAIT: barrier.sync 0;\nEND: ret;\n")});
    // While another warp polls for what comes behind the point of reconvergence.
    total = 1;
    run_always((run_args){.block = 64, .ptx = KERNEL("",
        "setp.ge.u32 %p1, %r1, 32; @%p1 bra POLL; setp.lt.u32 %p2, %r1, 16; @%p2 bra WAIT; bra JOIN;\n"
        "WAIT: barrier.sync 1, 64;\nJOIN: mov.u32 %r5, 1; st.volatile.global.u32 [%rd2], %r5;"
        " setp.eq.u32 %p3, %r1, 16; @%p3 st.global.u32 [%rd1], %r5; ret;\n"
        "POLL: ld.volatile.global.u32 %r6, [%rd2]; setp.eq.u32 %p4, %r6, 0; @%p4 bra POLL; barrier.arrive 1, 64;"
        " barrier.arrive 1, 64; ret;\n"), .max_instructions = 50000000}, 1, is_total, false);
}

// Before 7.0 lanes of a warp do not progress alone: the lock hangs, and only the limit ends it.
static void test_old_gpus_hang(void **state) {
    (void)state;
    run_fault((run_args){.block = 32, .gpu = "p100", .max_instructions = 200000, .ptx = KERNEL("", LOCK_AFTER_LOOP)},
              HW_DEADLOCK, HW_FAULT_DEADLOCK);
}

// ---- for ever ----

typedef struct notices {
    uint32_t *flag;
    unsigned n;
    char text[1280];
} notices;

// Does what the kernel waits for, so that the test ends.
static void keep_notice(void *context, const char *sentence) {
    notices *n = context;
    n->n++;
    snprintf(n->text, sizeof n->text, "%s", sentence);
    __atomic_store_n(n->flag, 1, __ATOMIC_RELAXED);
}

static notices run_noticed(const char *ptx, hw_alloc_kind of, uint32_t threads, uint32_t grid, uint32_t block) {
    hw_diag diag = {0};
    hw_sim *sim;
    hw_sim_module *module;
    hw_sim_function *function;
    hw_sim_refusal refusal;
    hw_fault fault;
    notices n = {0};
    uint64_t flag;
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = threads, .notice = keep_notice,
                                    .notice_context = &n};
    assert_int_equal(hw_sim_create(&options, &sim, &diag), HW_OK);
    assert_int_equal(hw_sim_load(sim, ptx, strlen(ptx), "test.ptx", &module, &diag), HW_OK);
    assert_int_equal(hw_sim_find_function(module, "k", &function, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(sim), 256, 256, of, NULL, NULL, &flag, &diag), HW_OK);
    n.flag = hw_mem_host(hw_sim_mem(sim), flag);
    memset(n.flag, 0, 256);
    void *params[] = {&flag, &flag};
    const hw_sim_launch_args args = {
        .function = function, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = params};
    assert_int_equal(hw_sim_launch(sim, &args, &refusal, &fault, &diag), HW_OK);
    hw_sim_destroy(sim);
    return n;
}

// Said once, with the lines of those who poll and those who wait for them; the launch goes on, and ends when it can.
static void test_for_ever(void **state) {
    (void)state;
    notices n = run_noticed(KERNEL(".file 1 \"spin.cu\"\n",
        "setp.gt.u32 %p1, %r1, 31; @%p1 bra WAIT;\n.loc 1 7 3\nSPIN: ld.volatile.global.u32 %r5, [%rd1];"
        " setp.eq.u32 %p2, %r5, 0; @%p2 bra SPIN;\n.loc 1 9 3\nWAIT: bar.sync 0;\nret;\n"), HW_ALLOC_DEVICE, 2, 2, 96);
    assert_int_equal(n.n, 1);
    unsigned seconds = 0;   // more than 3 where the machine is busy
    assert_int_equal(sscanf(n.text, "kernel k has changed nothing for %u seconds: ", &seconds), 1);
    assert_true(seconds >= 3);
    // Which blocks the one that tells has is chance.
    assert_non_null(strstr(n.text, " threads go round at spin.cu:7, "));
    assert_non_null(strstr(n.text, " threads wait at spin.cu:9;"));
    assert_non_null(strstr(n.text, "; if nobody else writes what they poll, this goes on for ever"));
}

// The host might write it behind the launch: on a GPU, not here.
static void test_hosts_turn(void **state) {
    (void)state;
    notices n = run_noticed(KERNEL("", "st.global.u32 [%rd3+4], %r1;\nSPIN: atom.global.or.b32 %r5, [%rd1], 0;"
        " setp.eq.u32 %p2, %r5, 0; @%p2 bra SPIN;\nret;\n"), HW_ALLOC_PINNED, 1, 1, 32);
    assert_int_equal(n.n, 1);
    assert_non_null(strstr(n.text, "; they poll memory that the host can write, and here a launch ends before"));
}

// Polls as well, and counts: nobody is told, however long it takes.
static void test_slow_is_not_for_ever(void **state) {
    (void)state;
#ifdef HW_SANITIZED
    skip();   // four seconds of waiting, in which nothing runs that the test before it does not run
#endif
    notices n = run_noticed(KERNEL("", "mov.u64 %rd4, %globaltimer; add.u64 %rd4, %rd4, 4200000000; mov.u32 %r6, 0;\n"
        "SPIN: ld.volatile.global.u32 %r5, [%rd1]; add.u32 %r6, %r6, 1; mov.u64 %rd5, %globaltimer;"
        " setp.lt.u64 %p2, %rd5, %rd4; @%p2 bra SPIN;\nst.global.u32 [%rd3+4], %r6; ret;\n"),
        HW_ALLOC_DEVICE, 1, 1, 32);
    assert_int_equal(n.n, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock),         cmocka_unit_test(test_lanes_wait),  cmocka_unit_test(test_look_back),
        cmocka_unit_test(test_waiting_looks_seldom), cmocka_unit_test(test_working_lane),
        cmocka_unit_test(test_waiting_by_cg), cmocka_unit_test(test_table_by_cg),
        cmocka_unit_test(test_grid_barrier), cmocka_unit_test(test_last_block),
        cmocka_unit_test(test_meet_in_two_calls),
        cmocka_unit_test(test_deadlocks),
        cmocka_unit_test(test_no_deadlock),  cmocka_unit_test(test_old_gpus_hang),
        cmocka_unit_test(test_for_ever), cmocka_unit_test(test_hosts_turn), cmocka_unit_test(test_slow_is_not_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
