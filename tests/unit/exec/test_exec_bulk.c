// cp.async.bulk: rows are there when somebody has waited for them, at an mbarrier or by groups, and not before. What
// the kernels give, an H200 gives where they wait; where they do not, it may.
#include "exec_run.h"

static uint32_t source[IN_BYTES / 4];

#define SHARED ".shared .align 16 .b8 tile[4096]; .shared .align 8 .b64 bar;\n"
// Thread 0 is the one with %p1. %r5: the thread's word of the tile, which holds 77.
#define BEGIN "setp.eq.u32 %p1, %r1, 0; mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 4, %r5; st.shared.u32 [%r5], 77;\n" \
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nfence.proxy.async;\nbar.sync 0;\n" \
    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;\n"
#define IN(TO, FROM, BYTES) "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+" TO "]," \
    " [%rd2+" FROM "], " BYTES ", [bar];\n"
#define ASK "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;\n"
#define READ "ld.shared.u32 %r7, [%r5];\n"

static const run_result *copied(const char *ptx, uint32_t block, uint64_t seed) {
    return run_ok((run_args){.grid = 2, .block = block, .seed = seed, .ptx = ptx, .in = source, .in_bytes = IN_BYTES});
}

// In two halves, the second by a register's number of bytes; with a policy, and to shared::cta.
static void test_in(void **state) {
    (void)state;
    const char *ptx = KERNEL(SHARED, BEGIN "mov.u32 %r8, 256; mov.u64 %rd9, 0;\n" IN("0", "64", "256")
        "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [tile+256], [%rd2+320], %r8,"
        " [bar], %rd9;\n" ASK READ STORE_RET("%r7"));
    for (uint64_t seed = 0; seed < 3; seed++) {
        const run_result *r = copied(ptx, 160, seed);
        for (uint32_t t = 0; t < 320; t++) assert_int_equal(r->out[t], t % 160 < 128 ? 1016 + t % 160 : 77);
    }
}

static void test_not_asked(void **state) {
    (void)state;
    static const char *const kernels[] = {
        KERNEL(SHARED, BEGIN IN("0", "0", "512") READ STORE_RET("%r7")),
        KERNEL(SHARED, BEGIN IN("0", "0", "512") "bar.sync 0; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
               READ STORE_RET("%r7")),
    };
    for (int k = 0; k < 2; k++) {
        const run_result *r = copied(kernels[k], 128, 0);
        for (uint32_t t = 0; t < 256; t++) assert_int_equal(r->out[t], 77);
    }
}

// Two rows of two groups go out of one source, which is written again in between.
#define OUT(TO) "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+" TO "], [tile], 256;\n" \
    "@%p1 cp.async.bulk.commit_group;\n"
#define FILL(NUMBER) "bar.sync 0; st.shared.u32 [%r5], " NUMBER "; fence.proxy.async.shared::cta; bar.sync 0;\n"
static void test_out(void **state) {
    (void)state;
    static const struct {
        const char *ptx;
        uint32_t first, second;
    } rows[] = {
        {KERNEL(SHARED, BEGIN FILL("1") OUT("0") "cp.async.bulk.wait_group.read 0;\n" FILL("2") OUT("256")
                "ret;"), 1, 2},
        {KERNEL(SHARED, BEGIN FILL("1") OUT("0") "cp.async.bulk.wait_group 0;\n" FILL("2") OUT("256")
                "cp.async.bulk.wait_group 0;\n" FILL("3") "ret;"), 1, 2},
        // Nobody waits, or for too few: what is there at the end goes out.
        {KERNEL(SHARED, BEGIN FILL("1") OUT("0") FILL("2") OUT("256") FILL("3") "ret;"), 3, 3},
        {KERNEL(SHARED, BEGIN FILL("1") OUT("0") "cp.async.bulk.wait_group.read 1;\n" FILL("2") OUT("256")
                "cp.async.bulk.wait_group.read 1;\n" FILL("3") "ret;"), 2, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const run_result *r = run_ok((run_args){.block = 64, .ptx = rows[i].ptx});
        for (uint32_t t = 0; t < 64; t++) {
            assert_int_equal(r->out[t], rows[i].first);
            assert_int_equal(r->out[64 + t], rows[i].second);
        }
    }
}

static void test_nothing_to_do(void **state) {
    (void)state;
    run_ok((run_args){.block = 32, .ptx = KERNEL(SHARED,
        "cp.async.bulk.prefetch.L2.global [%rd2], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
        "cp.async.bulk.wait_group 7; ret;\n")});
}

static void test_faults(void **state) {
    (void)state;
    static const struct {
        const char *ptx;
        hw_fault_kind fault;
    } rows[] = {
        {KERNEL(SHARED, BEGIN IN("8", "0", "512") "ret;\n"), HW_FAULT_MISALIGNED},
        {KERNEL(SHARED, BEGIN IN("0", "4", "512") "ret;\n"), HW_FAULT_MISALIGNED},
        {KERNEL(SHARED, BEGIN IN("0", "0", "500") "ret;\n"), HW_FAULT_MISALIGNED},
        {KERNEL(SHARED, BEGIN IN("0", "1048576", "512") "ret;\n"), HW_FAULT_ADDRESS},
        {KERNEL(SHARED, BEGIN IN("3840", "0", "512") "ret;\n"), HW_FAULT_ADDRESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run_fault((run_args){.block = 32, .ptx = rows[i].ptx}, HW_FAULT, rows[i].fault);
}

int main(void) {
    for (uint32_t i = 0; i < IN_BYTES / 4; i++) source[i] = 1000 + i;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in),  cmocka_unit_test(test_not_asked), cmocka_unit_test(test_out),
        cmocka_unit_test(test_nothing_to_do), cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
