// Additions to device memory that nobody looks at (exec/sums.h): memory has their sums when the kernel has ended, of
// more words than a worker keeps, and of few; and a kernel that could see that they are late does not find them so.
#include "exec_run.h"
#include "exec/sums.h"

enum { GRID = 4, BLOCK = 128, THREADS = GRID * BLOCK, STEPS = 64 };

// Each thread adds its number to STEPS words of out, whose numbers are %r6 modulo the words.
#define ADDS(WORDS, ADDITION) \
    "mov.u32 %r5, 0;\nLOOP: mad.lo.u32 %r6, %r5, 1000003, %r4; and.b32 %r6, %r6, " #WORDS " - 1;\n" \
    "mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd1, %rd4;\n" ADDITION \
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 64; @%p1 bra LOOP;\nret;\n"

static void test_sums_of_words(void **state) {
    (void)state;
    static const struct {
        const char *ptx;
        uint32_t words;
    } kernels[] = {
        {KERNEL("", ADDS(1, "red.global.add.u32 [%rd4], %r4;\n")), 1},
        {KERNEL("", ADDS(256, "red.global.add.u32 [%rd4], %r4;\n")), 256},
        {KERNEL("", ADDS(16384, "red.global.add.s32 [%rd4], %r4;\n")), 16384},
        {KERNEL("", ADDS(256, "red.add.u32 [%rd4], %r4;\n")), 256},
        {KERNEL("", ADDS(256, "atom.global.add.u32 %r7, [%rd4], %r4;\n")), 256},
        {KERNEL("", ADDS(256, "setp.ge.u32 %p2, %r4, 0; @%p2 red.global.add.u32 [%rd4], %r4;\n")), 256},
    };
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const run_result *r = run_ok((run_args){.ptx = kernels[k].ptx, .grid = GRID, .block = BLOCK, .threads = 2});
        assert_int_equal(r->keeps_sums, HW_SUMS_POSSIBLE);   // %r7 is never read
        static uint32_t expected[OUT_WORDS];
        memset(expected, 0, sizeof expected);
        for (uint32_t t = 0; t < THREADS; t++)
            for (uint32_t s = 0; s < STEPS; s++) expected[(s * 1000003 + t) & (kernels[k].words - 1)] += t;
        assert_memory_equal(r->out, expected, sizeof expected);
    }
}

// The block adds to out's words, and then looks at its neighbours' in some way: %rd5 is the address, %r8 what is seen.
#define LOOKS(DECLARATIONS, ADDITION, LOOK) KERNEL(DECLARATIONS, \
    ADDITION "bar.sync 0;\nxor.b32 %r6, %r4, 1; mul.wide.u32 %rd5, %r6, 4; mul.wide.u32 %rd6, %r4, 4;\n" LOOK \
    "add.u64 %rd6, %rd6, %rd2; st.global.u32 [%rd6], %r8;\nret;\n")
#define ADDS_5 "red.global.add.u32 [%rd3], 5;\n"

static void test_what_looks_sees_sums(void **state) {
    (void)state;
    static const char *const kernels[] = {
        LOOKS("", ADDS_5, "add.u64 %rd5, %rd5, %rd1; ld.global.u32 %r8, [%rd5];\n"),
        LOOKS("", ADDS_5, "add.u64 %rd5, %rd5, %rd1; ld.u32 %r8, [%rd5];\n"),
        // By an address that comes out of memory.
        LOOKS(".global .u64 g;\n", "st.global.u64 [g], %rd1;\nbar.sync 0;\n" ADDS_5,
              "ld.global.u64 %rd7, [g]; add.u64 %rd5, %rd5, %rd7; ld.global.u32 %r8, [%rd5];\n"),
        // By atomics, of which one is more than a sum.
        LOOKS("", ADDS_5, "add.u64 %rd5, %rd5, %rd1; atom.global.add.u32 %r8, [%rd5], 0;\n"),
        LOOKS("", ADDS_5, "add.u64 %rd5, %rd5, %rd1; atom.global.max.u32 %r8, [%rd5], 1;\n"),
        // A variable of the module, by two names.
        LOOKS(".global .align 4 .b8 v[512];\n",
              "mov.u64 %rd8, v; mul.wide.u32 %rd9, %r4, 4; add.u64 %rd8, %rd8, %rd9; red.global.add.u32 [%rd8], 5;\n",
              "mov.u64 %rd7, v; cvta.global.u64 %rd7, %rd7; add.u64 %rd5, %rd5, %rd7; ld.u32 %r8, [%rd5];\n"),
    };
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const run_result *r = run_ok((run_args){.ptx = kernels[k], .grid = 1, .block = BLOCK});
        if (strstr(kernels[k], "atom.")) assert_int_equal(r->keeps_sums, HW_SUMS_IMPOSSIBLE);
        for (int t = 0; t < BLOCK; t++) {
            uint32_t seen;
            memcpy(&seen, r->in + 4 * t, sizeof seen);
            if (seen != 5) fail_msg("kernel %zu: thread %d saw %u", k, t, seen);
        }
    }
}

// What a kernel reads by another argument may be the same memory: it traps where it does not see the sums.
static void test_arguments_that_are_one(void **state) {
    (void)state;
    static const char ptx[] = KERNEL("", ADDS_5 "bar.sync 0;\nxor.b32 %r6, %r4, 1; mul.wide.u32 %rd5, %r6, 4;\n"
                                         "add.u64 %rd5, %rd5, %rd2; ld.global.u32 %r8, [%rd5];\n"
                                         "setp.ne.u32 %p1, %r8, 5; @%p1 trap;\nret;\n");
    static run_result r, one;
    // The first allocation of a new device mostly has the address that the last one's had: not where a thread of that
    // device has gone a little later.
    for (int tries = 0; tries < 100 && (!tries || one.out_address != r.out_address); tries++) {
        run_kernel(&(run_args){.ptx = ptx, .block = BLOCK}, &r);
        assert_int_not_equal(r.status, HW_OK);
        run_kernel(&(run_args){.ptx = ptx, .block = BLOCK, .in_address = r.out_address}, &one);
    }
    assert_true(one.out_address == r.out_address);
    assert_int_equal(one.status, HW_OK);
    for (int t = 0; t < BLOCK; t++) assert_int_equal(one.out[t], 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_of_words), cmocka_unit_test(test_what_looks_sees_sums),
        cmocka_unit_test(test_arguments_that_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
