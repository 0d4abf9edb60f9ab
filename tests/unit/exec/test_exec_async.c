// cp.async: data lands when its group is waited for and not before; sizes, guards, groups of diverged lanes, faults.
#include "exec_run.h"

// %r5: this thread's place in the tile of 16 bytes each; %rd5 its source; what stands there is the thread's number.
#define TILE ".shared .align 16 .b8 tile[8192];\n"
#define PLACES "mov.u32 %r5, tile; shl.b32 %r6, %r1, 4; add.u32 %r5, %r5, %r6; cvt.u64.u32 %rd4, %r6;" \
    " add.u64 %rd5, %rd2, %rd4;\n"

static uint8_t source[IN_BYTES];

static void fill_source(void) {
    for (uint32_t i = 0; i < IN_BYTES / 4; i++) {
        uint32_t word = 0x10000u + i;
        memcpy(source + 4 * i, &word, 4);
    }
}

// frame with @@ replaced, and @W by a word's offset.
static const char *put(const char *frame, const char *body, uint32_t word) {
    static char ptx[8192];
    const char *at = strstr(frame, "@@"), *offset = strstr(at, "@W");
    int length = offset ? (int)(offset - at - 2) : (int)strlen(at + 2);
    snprintf(ptx, sizeof ptx, "%.*s%s%.*s", (int)(at - frame), frame, body, length, at + 2);
    if (offset) snprintf(ptx + strlen(ptx), sizeof ptx - strlen(ptx), "%u%s", 4 * word, offset + 2);
    return ptx;
}

static run_result *copied(const char *ptx, uint32_t block) {
    return run_ok((run_args){.block = block, .ptx = ptx, .in = source, .in_bytes = IN_BYTES, .threads = 1});
}

// Word `word` of the thread's 16 bytes, after `body`.
#define READ_WORD(OFFSET) "ld.shared.u32 %r7, [%r5+" OFFSET "];\n" STORE_RET("%r7")

static void test_sizes(void **state) {
    (void)state;
    static const struct {
        const char *instruction;
        uint32_t words[4];       // less 0x10000 + 4 * thread; ~0: zero
    } rows[] = {
        {"cp.async.ca.shared.global [%r5], [%rd5], 4", {0, ~0u, ~0u, ~0u}},
        {"cp.async.ca.shared.global [%r5+8], [%rd5+4], 4", {~0u, ~0u, 1, ~0u}},
        {"cp.async.ca.shared::cta.global [%r5], [%rd5+8], 8", {2, 3, ~0u, ~0u}},
        {"cp.async.cg.shared.global.L2::128B [%r5], [%rd5], 16", {0, 1, 2, 3}},
        {"cp.async.ca.shared.global.L2::cache_hint [%r5], [%rd5], 16, %rd9", {0, 1, 2, 3}},
        {"cp.async.ca.shared.global.L2::cache_hint.L2::256B [%r5], [%rd5], 16, 8, %rd9", {0, 1, ~0u, ~0u}},
        {"cp.async.cg.shared.global [%r5], [%rd5], 16, 16", {0, 1, 2, 3}},
        {"cp.async.cg.shared.global [%r5], [%rd5], 16, 4", {0, ~0u, ~0u, ~0u}},
        {"cp.async.cg.shared.global [%r5], [%rd5], 16, 0", {~0u, ~0u, ~0u, ~0u}},
        {"cp.async.cg.shared.global [%r5], [%rd5], 16, %r9", {0, 1, 2, ~0u}},
        {"cp.async.cg.shared.global [%r5], [%rd5], 16, %p1", {~0u, ~0u, ~0u, ~0u}},
        {"cp.async.cg.shared.global [%r5], [%rd5], 16, !%p1", {0, 1, 2, 3}},
        {"@!%p1 cp.async.cg.shared.global [%r5], [%rd5], 16", {~0u, ~0u, ~0u, ~0u}},
        {"@%p1 cp.async.cg.shared.global [%r5], [%rd5], 16", {0, 1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t word = 0; word < 4; word++) {
            const char *ptx = put(KERNEL(TILE, PLACES "mov.u32 %r9, 12; setp.ge.u32 %p1, %r9, 12; mov.u64 %rd9, 0;\n"
                "@@;\ncp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.u32 %r7, [%r5+@W];\n" STORE_RET("%r7")),
                rows[i].instruction, word);
            const run_result *r = copied(ptx, 100);
            for (uint32_t t = 0; t < 100; t++) {
                uint32_t want = rows[i].words[word] == ~0u ? 0 : 0x10000 + 4 * t + rows[i].words[word];
                if (r->out[t] != want)
                    fail_msg("%s: word %u of thread %u is %x, not %x", rows[i].instruction, word, t, r->out[t], want);
            }
        }
}

// What was there stays until the wait, also behind a commit, a barrier and a wait for older groups.
static void test_missing_waits(void **state) {
    (void)state;
    static const struct {
        const char *between;
        bool lands;
    } rows[] = {
        {"", false}, {"cp.async.commit_group;", false}, {"cp.async.commit_group; bar.sync 0;", false},
        {"cp.async.commit_group; cp.async.wait_group 1;", false}, {"cp.async.wait_group 0;", false},
        {"cp.async.commit_group; cp.async.wait_group 0;", true}, {"cp.async.wait_all;", true},
        {"cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;", true},
        {"cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 2;", false},
        {"cp.async.commit_group; cp.async.wait_group 2147483647;", false},
        {"cp.async.commit_group; cp.async.wait_all;", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *ptx = put(KERNEL(TILE, PLACES "st.shared.u32 [%r5], 77;\n"
            "cp.async.ca.shared.global [%r5], [%rd5], 4;\n@@\n" READ_WORD("0")), rows[i].between, 0);
        const run_result *r = copied(ptx, 64);
        for (uint32_t t = 0; t < 64; t++)
            if (r->out[t] != (rows[i].lands ? 0x10000 + 4 * t : 77))
                fail_msg("'%s': thread %u sees %x", rows[i].between, t, r->out[t]);
    }
}

// A ring of three stages, two in flight: each round reads what was asked for two rounds before. Several warps, all
// orders of them.
static uint32_t staged(uint32_t t) {
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 12; round++) sum = sum * 3 + 0x10000 + (t % 160 ^ 31) + 72 * round;
    return sum;
}
static void test_stages(void **state) {
    (void)state;
    const char *ptx = KERNEL(".shared .align 16 .b8 tile[1920];\n",
        "mov.u32 %r5, tile; shl.b32 %r6, %r1, 2; add.u32 %r5, %r5, %r6; cvt.u64.u32 %rd4, %r6;"
        " add.u64 %rd5, %rd2, %rd4;\n"
        "xor.b32 %r7, %r1, 31; mov.u32 %r8, tile; mad.lo.u32 %r8, %r7, 4, %r8; mov.u32 %r9, 0; mov.u32 %r10, 0;\n"
        "mov.u32 %r11, 0; mov.u32 %r12, 0;\n"      // stage written, stage read, in bytes
        "cp.async.ca.shared.global [%r5], [%rd5], 4;\ncp.async.commit_group;\n"
        "cp.async.ca.shared.global [%r5+640], [%rd5+288], 4;\ncp.async.commit_group;\nmov.u32 %r11, 1280;\n"
        "add.u64 %rd5, %rd5, 576;\n"
        "LOOP: setp.ge.u32 %p2, %r9, 10; add.u32 %r13, %r5, %r11;\n"
        "@!%p2 cp.async.ca.shared.global [%r13], [%rd5], 4;\ncp.async.commit_group;\n"
        "cp.async.wait_group 2;\nbar.sync 0;\nadd.u32 %r14, %r8, %r12; ld.shared.u32 %r15, [%r14];\n"
        "mad.lo.u32 %r10, %r10, 3, %r15;\nbar.sync 0;\n"
        "add.u64 %rd5, %rd5, 288; add.u32 %r11, %r11, 640; setp.eq.u32 %p3, %r11, 1920; @%p3 mov.u32 %r11, 0;\n"
        "add.u32 %r12, %r12, 640; setp.eq.u32 %p3, %r12, 1920; @%p3 mov.u32 %r12, 0;\n"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 12; @%p1 bra LOOP;\n" STORE_RET("%r10"));
    // The last round reads word 159 + 72 * 11 of `in`, which has 1024.
    for (uint64_t seed = 0; seed < 3; seed++)
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            const run_result *r = run_ok((run_args){.grid = 3, .block = 160, .ptx = ptx, .threads = threads,
                                                    .seed = seed, .in = source, .in_bytes = IN_BYTES});
            for (uint32_t t = 0; t < 480; t++)
                if (r->out[t] != staged(t))
                    fail_msg("seed %u: out[%u] is %x, not %x", (unsigned)seed, t, r->out[t], staged(t));
        }
}

// Lanes that have parted commit and wait for themselves: odd ones commit twice, so that their copy is one group older.
static void test_parted_lanes(void **state) {
    (void)state;
    const run_result *r = copied(KERNEL(TILE, PLACES "st.shared.u32 [%r5], 77; and.b32 %r8, %r1, 1;"
        " setp.eq.u32 %p1, %r8, 1;\n"
        "cp.async.ca.shared.global [%r5], [%rd5], 4;\ncp.async.commit_group;\n@%p1 cp.async.commit_group;\n"
        "cp.async.wait_group 1;\nld.shared.u32 %r7, [%r5];\n"
        "cp.async.ca.shared.global [%r5], [%rd5+4], 4;\ncp.async.commit_group;\n@%p1 cp.async.wait_group 0;\n"
        "ld.shared.u32 %r9, [%r5];\nshl.b32 %r9, %r9, 4; add.u32 %r7, %r7, %r9;\n" STORE_RET("%r7")), 96);
    for (uint32_t t = 0; t < 96; t++) {
        uint32_t first = t & 1 ? 0x10000 + 4 * t : 77, second = t & 1 ? 0x10000 + 4 * t + 1 : 77;
        assert_int_equal(r->out[t], first + 16 * second);
    }
}

// More copies than are kept: the oldest land early, which they may, and the last value wins.
static void test_many(void **state) {
    (void)state;
    const run_result *r = copied(KERNEL(TILE, PLACES "mov.u32 %r9, 0;\n"
        "LOOP: and.b32 %r10, %r9, 1; mul.wide.u32 %rd6, %r10, 4; add.u64 %rd6, %rd5, %rd6;\n"
        "cp.async.ca.shared.global [%r5], [%rd6], 4;\ncp.async.commit_group;\n"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2000; @%p1 bra LOOP;\ncp.async.wait_all;\n" READ_WORD("0")), 64);
    for (uint32_t t = 0; t < 64; t++) assert_int_equal(r->out[t], 0x10001 + 4 * t);
}

// Copies that nobody has waited for do not come out in the next block.
static void test_left_behind(void **state) {
    (void)state;
    const run_result *r = run_ok((run_args){.grid = 9, .block = 64, .threads = 1, .in = source, .in_bytes = IN_BYTES,
        .ptx = KERNEL(TILE, PLACES "and.b32 %r8, %r2, 1; setp.eq.u32 %p1, %r8, 0;\n"
        "@%p1 cp.async.ca.shared.global [%r5], [%rd5], 4;\n@!%p1 cp.async.wait_all;\n" READ_WORD("0"))});
    for (uint32_t t = 0; t < 9 * 64; t++) assert_int_equal(r->out[t], 0);
}

static void test_faults(void **state) {
    (void)state;
    static const struct {
        const char *instruction;
        hw_fault_kind kind;
        const char *words;
    } rows[] = {
        {"cp.async.ca.shared.global [%r5+2], [%rd5], 4", HW_FAULT_MISALIGNED, "write of"},
        {"cp.async.ca.shared.global [%r5], [%rd5+2], 4", HW_FAULT_MISALIGNED, "read of"},
        {"cp.async.ca.shared.global [%r5], [%rd5+4], 8", HW_FAULT_MISALIGNED, "read of"},
        {"cp.async.cg.shared.global [%r5+8], [%rd5], 16", HW_FAULT_MISALIGNED, "write of"},
        {"cp.async.cg.shared.global [%r5], [%rd5+8], 16, 4", HW_FAULT_MISALIGNED, "read of"},
        {"cp.async.cg.shared.global [%r5+1048576], [%rd5], 16", HW_FAULT_ADDRESS, "write of"},
        {"cp.async.cg.shared.global [%r5], [%rd5+1073741824], 16", HW_FAULT_ADDRESS, "read of"},
        {"cp.async.cg.shared.global [%r5], [%rd5+1073741824], 16, 1", HW_FAULT_ADDRESS, "read of"},
        {"cp.async.cg.shared.global [%r5], [16], 16", HW_FAULT_ADDRESS, "read of"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *ptx = put(KERNEL(TILE, PLACES "@@;\nret;\n"), rows[i].instruction, 0);
        const run_result *r = run_fault((run_args){.block = 64, .ptx = ptx}, HW_FAULT, rows[i].kind);
        assert_says(r, rows[i].words);
    }
    // Nothing is read: the address may be anything. The last whole and part of a word of an allocation may be read.
    run_ok((run_args){.block = 64, .ptx = KERNEL(TILE, PLACES
        "cp.async.cg.shared.global [%r5], [%rd5+1073741824], 16, 0; setp.eq.u32 %p1, %r1, %r1;\n"
        "cp.async.cg.shared.global [%r5], [%rd5+1073741824], 16, %p1; cp.async.wait_all;\nret;\n")});
}

// The nth allocation fails: out of memory, or a copy that lands early.
static void test_no_memory(void **state) {
    (void)state;
    static run_result r;
    const char *ptx = KERNEL(TILE, PLACES "mov.u32 %r9, 0;\nLOOP: cp.async.ca.shared.global [%r5], [%rd5], 4;\n"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 40; @%p1 bra LOOP;\ncp.async.wait_all;\n" READ_WORD("0"));
    bool was_short = false, was_ok = false;
    for (long n = 0; n < 4000 && !was_ok; n++) {
        hw_alloc_fail_after(n);
        run_kernel(&(run_args){.block = 32, .ptx = ptx, .in = source, .in_bytes = IN_BYTES, .threads = 1}, &r);
        hw_alloc_fail_after(-1);
        was_short |= r.status == HW_NO_MEMORY;
        was_ok = r.status == HW_OK;
        assert_true(was_ok || r.status == HW_NO_MEMORY);
    }
    assert_true(was_short && was_ok);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(r.out[t], 0x10000 + 4 * t);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "cp.async.cg.shared.global [%r5], [%rd5], 8", "cp.async.ca.shared.global [%r5], [%rd5], 12",
        "cp.async.ca.shared.global [%r5], [%rd5], 0", "cp.async.ca.shared.global [%r5], [%rd5], 256",
        "cp.async.ca.shared.global [%r5], [%rd5], %r9", "cp.async.ca.shared.global [%r5], [%rd5]",
        "cp.async.ca.shared.global [%rd5], 4", "cp.async.shared.global [%r5], [%rd5], 4",
        "cp.async.ca.global.shared.cg [%r5], [%rd5], 4", "cp.async.ca.global [%r5], [%rd5], 4",
        "cp.async.ca.shared.global [%r5], [%r5], 4", "cp.async.ca.shared.global [%r5], [tile], 4",
        "cp.async.ca.shared.global [%r5], [%rd5], 4, %f1", "cp.async.commit_group 1", "cp.async.wait_group",
        "cp.async.wait_group %r9", "cp.async.wait_group -1", "cp.async.wait_all 0", "cp.async.wait_group 4294967296",
        "cp.async.ca.shared.global.u32 [%r5], [%rd5], 4", "cp.async",
    };
    static run_result r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *ptx = put(KERNEL(TILE, PLACES "@@;\nret;\n"), bad[i], 0);
        run_kernel(&(run_args){.block = 32, .ptx = ptx}, &r);
        if (r.status != HW_MALFORMED && r.status != HW_UNSUPPORTED) fail_msg("%s: status %d", bad[i], r.status);
    }
}

int main(void) {
    fill_source();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_missing_waits), cmocka_unit_test(test_stages),
        cmocka_unit_test(test_parted_lanes), cmocka_unit_test(test_many),          cmocka_unit_test(test_left_behind),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
