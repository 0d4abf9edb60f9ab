// Matrix instructions in kernels: ldmatrix and stmatrix against plain loads, mma of a warp that has parted and met
// again, guards, convoys, faults, what is refused.
#include "exec_run.h"

#define TILE ".shared .align 16 .b8 tile[4096];\n"
// tile[i] = i as halves, 512 of them in each warp's part; %r5 the warp's part, %r6 the lane, %r7 its row of 16 bytes.
#define FILL \
    "mov.u32 %r6, %laneid; shr.u32 %r8, %r1, 5; mov.u32 %r5, tile; mad.lo.u32 %r5, %r8, 512, %r5;\n" \
    "mad.lo.u32 %r7, %r6, 16, %r5; shl.b32 %r9, %r6, 3; mov.u32 %r10, 0;\n" \
    "FILL: shl.b32 %r11, %r10, 1; add.u32 %r11, %r11, %r7; add.u32 %r12, %r9, %r10; cvt.u16.u32 %h1, %r12;\n" \
    "st.shared.u16 [%r11], %h1; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 8; @%p1 bra FILL; bar.sync 0;\n"

static uint32_t pair(uint32_t low, uint32_t high) { return low | high << 16; }

static uint32_t loaded(uint32_t t, int matrix, bool transposed) {
    uint32_t lane = t % 32, row = lane / 4, col = 2 * (lane % 4), first = 64 * (uint32_t)matrix;
    return transposed ? pair(first + 8 * col + row, first + 8 * (col + 1) + row)
                      : pair(first + 8 * row + col, first + 8 * row + col + 1);
}

static const char *put(const char *frame, const char *body) {
    static char ptx[8192];
    const char *at = strstr(frame, "@@");
    snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)(at - frame), frame, body, at + 2);
    return ptx;
}

static void test_ldmatrix(void **state) {
    (void)state;
    static const struct {
        const char *instruction;
        int n;
        bool transposed;
    } rows[] = {
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r7]", 1, false},
        {"ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 %r20, [%r7]", 1, false},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r7]", 2, false},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r7]", 4, false},
        {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r20}, [%r7]", 1, true},
        {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, [%r7]", 2, true},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r20, %r21, %r22, %r23}, [%r7]", 4, true},
        {"cvta.shared.u64 %rd5, %rd4; ldmatrix.sync.aligned.m8n8.x4.b16 {%r20, %r21, %r22, %r23}, [%rd5]", 4, false},
        {"setp.eq.u32 %p2, %r6, %r6; @%p2 ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r7]", 2, false},
        // The destination is the address.
        {"mov.u32 %r20, %r7; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r20]", 1, false},
        // Lanes that part meet before the instruction.
        {"and.b32 %r13, %r6, 1; setp.eq.u32 %p2, %r13, 0; @%p2 bra MEET; add.u32 %r7, %r7, 0;\nMEET: "
         "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r7]", 2, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            run_result *r = run_ok((run_args){.block = 256, .seed = seed, .ptx = put(KERNEL(TILE, FILL
                "cvt.u64.u32 %rd4, %r7; mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n@@;\n"
                "mul.wide.u32 %rd6, %r4, 12; add.u64 %rd3, %rd3, %rd6;\n"
                "st.global.v4.u32 [%rd3], {%r20, %r21, %r22, %r23}; ret;\n"), rows[i].instruction)});
            for (uint32_t t = 0; t < 256; t++)
                for (int m = 0; m < 4; m++) {
                    uint32_t want = m < rows[i].n ? loaded(t, m, rows[i].transposed) : 0;
                    if (r->out[4 * t + m] != want)
                        fail_msg("%s: register %d of thread %u is %x, not %x", rows[i].instruction, m, t,
                                 r->out[4 * t + m], want);
                }
        }
}

// What ldmatrix has loaded, stmatrix brings back to the same place; turned over when one of them transposes.
static void test_stmatrix(void **state) {
    (void)state;
    static const char *const stores[] = {
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r7]; bar.sync 0;\n"
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r7], {%r21, %r20, %r23, %r22}",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r20, %r21, %r22, %r23}, [%r7]; bar.sync 0;\n"
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r7], {%r21, %r20}; add.u32 %r14, %r7, 256;\n"
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r14], {%r23};\n"
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r14+128], %r22",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r7]; bar.sync 0;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r20; movmatrix.sync.aligned.m8n8.trans.b16 %r21, %r21;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r22, %r22; movmatrix.sync.aligned.m8n8.trans.b16 %r24, %r23;\n"
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r7], {%r21, %r20, %r24, %r22}",
    };
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        run_result *r = run_ok((run_args){.block = 128, .ptx = put(KERNEL(TILE, FILL "@@;\nbar.sync 0;\n"
            "mad.lo.u32 %r15, %r6, 4, %r5; ld.shared.u32 %r16, [%r15]; ld.shared.u32 %r17, [%r15+128];\n"
            "ld.shared.u32 %r18, [%r15+256]; ld.shared.u32 %r19, [%r15+384];\n"
            "mul.wide.u32 %rd6, %r4, 12; add.u64 %rd3, %rd3, %rd6;\n"
            "st.global.v4.u32 [%rd3], {%r16, %r17, %r18, %r19}; ret;\n"), stores[i])});
        for (uint32_t t = 0; t < 128; t++)
            for (uint32_t m = 0; m < 4; m++) {
                uint32_t first = 64 * (m ^ 1) + 2 * (t % 32);
                if (r->out[4 * t + m] != pair(first, first + 1))
                    fail_msg("%s: word %u of thread %u is %x", stores[i], m, t, r->out[4 * t + m]);
            }
    }
}

// A tile of ones times a tile of ones, added up in a loop, in several warps at once and one by one.
static uint32_t sixteen_times(uint32_t t) { (void)t; return 0x43000000; }
static void test_mma(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 160, .ptx = KERNEL("",
        "mov.u32 %r5, 0x3c003c00; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
        "mov.u32 %r6, 0;\nLOOP: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4},\n"
        "  {%r5, %r5, %r5, %r5}, {%r5, %r5}, {%f1, %f2, %f3, %f4};\n"
        "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 8; @%p1 bra LOOP;\n"
        "sub.f32 %f5, %f2, %f3; add.f32 %f5, %f5, %f4; mov.b32 %r7, %f5;\n" STORE_RET("%r7"))},
        320, sixteen_times, true);
}

static void test_faults(void **state) {
    (void)state;
    static const struct {
        const char *body;
        hw_fault_kind kind;
    } rows[] = {
        {"add.u32 %r7, %r7, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r7]", HW_FAULT_MISALIGNED},
        {"add.u32 %r7, %r7, 1048576; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r7]", HW_FAULT_ADDRESS},
        {"setp.ge.u32 %p2, %r6, 16; @%p2 mov.u32 %r7, 0x100000; "
         "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r7]", HW_FAULT_ADDRESS},
        {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r7+2], {%r20}", HW_FAULT_MISALIGNED},
        {"ldmatrix.sync.aligned.m8n8.x1.b16 {%r20}, [%rd1]", HW_FAULT_ADDRESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run_fault((run_args){.block = 64, .ptx = put(KERNEL(TILE, FILL "@@;\nret;\n"), rows[i].body)}, HW_FAULT,
                  rows[i].kind);
    // Only the lanes that are asked for need an address.
    run_ok((run_args){.block = 64, .ptx = KERNEL(TILE, FILL "setp.ge.u32 %p2, %r6, 16; @%p2 mov.u32 %r7, 0x100001;\n"
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r7]; ret;\n")});
    // A block that is no whole warp.
    run_ok((run_args){.block = 20, .ptx = KERNEL(TILE, FILL
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r7]; ret;\n")});
    // Half of the warp never comes: it waits at another instruction.
    run_fault((run_args){.block = 32, .ptx = KERNEL("", "mov.u32 %r6, %laneid; setp.lt.u32 %p1, %r6, 16;"
        " @%p1 bra OTHER;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r6; bar.sync 0; ret;\nOTHER: bar.sync 1, 64; ret;\n")},
        HW_DEADLOCK, HW_FAULT_DEADLOCK);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20}, [%r7]", "ldmatrix.sync.aligned.m8n8.shared.b16 {%r20}, [%r7]",
        "ldmatrix.sync.aligned.x1.shared.b16 {%r20}, [%r7]", "ldmatrix.aligned.m8n8.x1.shared.b16 {%r20}, [%r7]",
        "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r20}, [%rd1]",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {7}, [%r7]",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {_}, [%r7]", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%rd2}, [%r7]",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b8 {%r20}, [%r7]",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r7]",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5,%r5}, {%r5,%r5}, {%f1,%f2,%f3,%f4}",
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5,%r5,%r5,%r5}, {%r5,%r5},"
        " {%f1,%f2,%f3,%f4}",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%f1,%f2,%f3,%f4}, {%r5,%r5,%r5,%r5}, {%r5,%r5}, {%r5,%r5}",
        "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5}, {%r5}, {%f1,%f2,%f3,%f4}",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.f32 {%f1,%f2,%f3,%f4}, {%r5,%r5,%r5,%r5}, {%r5,%r5},"
        " {%f1,%f2,%f3,%f4}",
        "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {%r1,%r2,%r3,%r4}, {%r5,%r5}, {%r5}, {%r1,%r2,%r3,%r4}",
        "mma.sync.aligned.m16n8k16.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5,%r5}, {%r5},"
        " {%f1,%f2,%f3,%f4}",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %f1, %r5, %r5, %f1", "mma.sync.aligned",
        "movmatrix.sync.aligned.m8n8.b16 %r20, %r21", "movmatrix.sync.aligned.m8n8.trans.b16 %rd1, %r21",
    };
    static run_result r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run_kernel(&(run_args){.block = 32, .ptx = put(KERNEL(TILE, FILL "@@;\nret;\n"), bad[i])}, &r);
        if (r.status != HW_MALFORMED && r.status != HW_UNSUPPORTED) fail_msg("%s: status %d", bad[i], r.status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ldmatrix), cmocka_unit_test(test_stmatrix), cmocka_unit_test(test_mma),
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
