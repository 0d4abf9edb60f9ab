// Barriers in shared memory: phases, counts of bytes, threads that drop out, copies that arrive, waiting for ever.
#include "exec_run.h"

#define BARRIER ".shared .align 8 .b64 bar; .shared .align 16 .b8 tile[8192];\n"
#define INIT(COUNT) \
    "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [bar], " COUNT ";\nbar.sync 0;\n" \
    "mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 4, %r5;\n"

// Rounds of: write, arrive, wait, read what another warp has written, arrive, wait.
static uint32_t turned_round(uint32_t t) {
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 5; round++) sum = sum * 3 + (199 - t % 200) + round;
    return sum;
}
static void test_rounds(void **state) {
    (void)state;
    static const char *const waits[] = {
        // By the state of the phase, by parity, and without a state.
        "mbarrier.arrive.shared.b64 %rd5, [bar];\nW#: mbarrier.test_wait.shared.b64 %p2, [bar], %rd5; @!%p2 bra W#;\n",
        "mbarrier.arrive.release.cta.shared::cta.b64 %rd5, [bar];\n"
        "W#: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r12, 1000; @!%p2 bra W#; xor.b32 %r12, %r12, 1;\n",
        "mbarrier.arrive.shared.b64 _, [bar], 1;\n"
        "W#: mbarrier.try_wait.parity.acquire.cta.shared.b64 %p2, [bar], %r12; @!%p2 bra W#; xor.b32 %r12, %r12, 1;\n",
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        // The wait stands in the loop twice, with a label of its own each time.
        char ptx[8192];
        const char *frame = KERNEL(BARRIER, INIT("200")
            "sub.u32 %r6, 199, %r1; mov.u32 %r7, tile; mad.lo.u32 %r7, %r6, 4, %r7; mov.u32 %r8, 0; mov.u32 %r9, 0;"
            " mov.u32 %r12, 0;\nLOOP: add.u32 %r10, %r1, %r8; st.shared.u32 [%r5], %r10;\n&"
            "ld.shared.u32 %r11, [%r7]; mad.lo.u32 %r9, %r9, 3, %r11;\n&"
            "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 5; @%p3 bra LOOP;\n" STORE_RET("%r9"));
        size_t n = 0;
        char label = '0';
        for (const char *from = frame; *from; from++) {
            if (*from != '&') {
                ptx[n++] = *from;
                continue;
            }
            label++;
            for (const char *wait = waits[i]; *wait; wait++) ptx[n++] = *wait == '#' ? label : *wait;
        }
        ptx[n] = 0;
        run_always((run_args){.grid = 3, .block = 200, .ptx = ptx}, 600, turned_round, false);
    }
}

// One thread's barrier, step by step: bit 0 and on, whether the phase that began it has ended after each step.
static void test_counts(void **state) {
    (void)state;
#define STEP(INSTRUCTION) INSTRUCTION ";\nmbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n" \
    "selp.u32 %r8, 1, 0, %p2; shl.b32 %r9, %r9, 1; or.b32 %r9, %r9, %r8;\n"
    const run_result *r = run_ok((run_args){.block = 1, .ptx = KERNEL(BARRIER, INIT("3") "mov.u32 %r9, 0;\n"
        STEP("mbarrier.arrive.shared.b64 %rd5, [bar], 2")
        STEP("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 64")
        STEP("mbarrier.arrive.shared.b64 _, [bar]") STEP("mbarrier.complete_tx.shared::cta.b64 [bar], 16")
        STEP("mbarrier.complete_tx.shared::cta.b64 [bar], 48")
        // The next phase: one of three drops out, so that two are left for the one after that.
        STEP("mbarrier.arrive_drop.shared.b64 _, [bar]") STEP("mbarrier.arrive.shared.b64 _, [bar]")
        STEP("mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8") STEP("mbarrier.complete_tx.shared::cta.b64 [bar], 8")
        STEP("mbarrier.arrive.shared.b64 _, [bar]") STEP("mbarrier.arrive.shared.b64 %rd6, [bar]")
        "mbarrier.pending_count.b64 %r10, %rd6; shl.b32 %r10, %r10, 16; or.b32 %r9, %r9, %r10;\n"
        "mbarrier.inval.shared.b64 [bar];\n"
        STORE_RET("%r9"))});
    assert_int_equal(r->out[0], 1 << 16 | 0x079);    // 0000 1 111 0 0 1
}

// Copies arrive for their threads, whether that was counted on or not.
static void test_copies(void **state) {
    (void)state;
    static uint32_t source[256];
    for (uint32_t i = 0; i < 256; i++) source[i] = 1000 + i;
    static const char *const kernels[] = {
        KERNEL(BARRIER, INIT("96") "mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd2, %rd5;\n"
            "cp.async.ca.shared.global [%r5], [%rd5], 4; cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"
            "xor.b32 %r6, %r1, 31; mov.u32 %r7, tile; mad.lo.u32 %r7, %r6, 4, %r7; ld.shared.u32 %r8, [%r7];\n"
            STORE_RET("%r8")),
        KERNEL(BARRIER, INIT("96") "mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd2, %rd5;\n"
            "cp.async.ca.shared.global [%r5], [%rd5], 4; cp.async.mbarrier.arrive.b64 [bar];\n"
            "mbarrier.arrive.shared.b64 _, [bar];\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"
            "xor.b32 %r6, %r1, 31; mov.u32 %r7, tile; mad.lo.u32 %r7, %r6, 4, %r7; ld.shared.u32 %r8, [%r7];\n"
            STORE_RET("%r8")),
    };
    for (int k = 0; k < 2; k++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            const run_result *r = run_ok((run_args){.block = 96, .seed = seed, .ptx = kernels[k], .in = source,
                                                    .in_bytes = sizeof source});
            for (uint32_t t = 0; t < 96; t++) assert_int_equal(r->out[t], 1000 + (t ^ 31));
        }
}

static void test_faults(void **state) {
    (void)state;
    run_fault((run_args){.block = 32, .ptx = KERNEL(BARRIER, "mbarrier.init.shared.b64 [bar+4], 1; ret;\n")}, HW_FAULT,
              HW_FAULT_MISALIGNED);
    run_fault((run_args){.block = 32, .ptx = KERNEL(BARRIER, "mbarrier.arrive.shared.b64 _, [bar+1048576]; ret;\n")},
              HW_FAULT, HW_FAULT_ADDRESS);
    // Nobody comes: it waits for ever, as on a GPU.
    static run_result r;
    run_kernel(&(run_args){.block = 64, .max_instructions = 200000, .ptx = KERNEL(BARRIER, INIT("65")
        "mbarrier.arrive.shared.b64 %rd5, [bar];\nW: mbarrier.try_wait.shared.b64 %p2, [bar], %rd5;"
        " @!%p2 bra W;\nret;\n")},
        &r);
    assert_int_equal(r.status, HW_DEADLOCK);
    static const char *const bad[] = {
        "mbarrier.init.global.b64 [%rd1], 1", "mbarrier.init.shared.b32 [bar], 1", "mbarrier.arrive.shared.b64 [bar]",
        "mbarrier.test_wait.shared.b64 %r1, [bar], %rd1", "mbarrier.test_wait.shared.b64 %p1, [bar], %r1",
        "mbarrier.try_wait.parity.shared.b64 %p1, [bar], %rd1", "mbarrier.frob.shared.b64 [bar]", "mbarrier",
        "cp.async.mbarrier.shared.b64 [bar]", "cp.async.bulk.shared.global [bar], [%rd1], 16, [bar]",
        "cp.async.bulk.wait_group", "mbarrier.pending_count.b64 %rd1, %rd2",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char ptx[4096];
        const char *frame = KERNEL(BARRIER, "@@;\nret;\n"), *at = strstr(frame, "@@");
        snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)(at - frame), frame, bad[i], at + 2);
        run_kernel(&(run_args){.block = 32, .ptx = ptx}, &r);
        if (r.status != HW_MALFORMED && r.status != HW_UNSUPPORTED) fail_msg("%s: status %d", bad[i], r.status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds), cmocka_unit_test(test_counts), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
