// Memory: atomics of every operation and type, local, parameter, constant and shared memory, special registers.
#include "exec_run.h"

// ---- atomics ----

// All of a grid's threads on one cell, from several host threads: the sum is right whatever the order.
typedef struct atomic_row {
    const char *instruction;      // on [%rd2], operand %r5 / %rd5 / %f5 / %fd5 / %h5: made from the thread's number
    uint32_t bytes;
    uint64_t before, after;
} atomic_row;

enum { ATOMIC_THREADS = 4 * 96 };

static const atomic_row atomics[] = {
    {"atom.global.add.u32 %r6, [%rd2], %r5", 4, 5, 5 + 383 * 384 / 2},
    {"red.global.add.s32 [%rd2], %r5", 4, 0, 383 * 384 / 2},
    {"red.add.u64 [%rd2], %rd5", 8, 1ull << 40, (1ull << 40) + 383 * 384 / 2},
    {"atom.add.relaxed.gpu.s32 %r6, [%rd2], -1", 4, 10, (uint32_t)(10 - 384)},
    {"atom.global.min.u32 %r6, [%rd2], %r5", 4, 77, 0}, {"red.global.min.s32 [%rd2], %r7", 4, 5, (uint32_t)-383},
    {"atom.global.max.u32 %r6, [%rd2], %r5", 4, 77, 383}, {"red.global.max.s32 [%rd2], %r7", 4, (uint32_t)-5, 0},
    {"red.global.min.u64 [%rd2], %rd5", 8, 77, 0}, {"red.global.max.u64 [%rd2], %rd5", 8, 77, 383},
    {"red.global.min.s64 [%rd2], %rd7", 8, 5, (uint64_t)-383}, {"red.global.max.s64 [%rd2], %rd7", 8, (uint64_t)-1000,
        0},
    {"atom.global.and.b32 %r6, [%rd2], 0xf0f0", 4, 0xffff, 0xf0f0}, {"red.global.or.b32 [%rd2], %r5", 4, 0x8000,
        0x81ff},
    {"red.global.xor.b32 [%rd2], %r5", 4, 0, 0}, {"atom.global.and.b64 %rd6, [%rd2], 0xff00000000", 8, ~0ull,
        0xff00000000},
    {"red.global.or.b64 [%rd2], %rd5", 8, 1ull << 50, (1ull << 50) + 511}, {"red.global.xor.b64 [%rd2], %rd5", 8, 9, 9},
    {"atom.global.inc.u32 %r6, [%rd2], 99", 4, 0, 384 % 100}, {"red.global.inc.u32 [%rd2], 99", 4, 100, 383 % 100},
    {"atom.global.dec.u32 %r6, [%rd2], 99", 4, 0, (100 - 384 % 100) % 100}, {"red.global.dec.u32 [%rd2], 9", 4, 50, 6},
    {"atom.global.exch.b32 %r6, [%rd2], 7", 4, 1, 7}, {"atom.global.exch.b64 %rd6, [%rd2], 7", 8, 1, 7},
    {"atom.global.cas.b32 %r6, [%rd2], 3, 4", 4, 3, 4}, {"atom.global.cas.b64 %rd6, [%rd2], 3, 4", 8, 3, 4},
    {"atom.global.cas.b16 %h6, [%rd2], %h1, %h2", 2, 3, 4},
    {"atom.global.add.f32 %f6, [%rd2], 0f3f000000", 4, 0x3f800000, 0x43410000},          // 1 + 384 / 2
    {"red.global.add.f64 [%rd2], 0d3fe0000000000000", 8, 0, 0x4068000000000000},         // 192
    {"red.global.add.noftz.f16 [%rd2], %h3", 2, 0, 0x5e00},                              // 384 * 1
    {"red.global.add.noftz.f16x2 [%rd2], %r8", 4, 0, 0x5e005e00}, {"red.global.add.noftz.bf16 [%rd2], %h4", 2, 0,
        0x4380},
    // 8 bits of precision: 256 + 1 is 256.
    {"atom.global.add.noftz.bf16x2 %r6, [%rd2], %r9", 4, 0, 0x43804380},
};

static void test_atomics(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        const atomic_row *row = &atomics[i];
        char text[2048];
        static const char before[] = KERNEL("",
            "mov.u32 %r5, %r4; cvt.u64.u32 %rd5, %r4; neg.s32 %r7, %r4; cvt.s64.s32 %rd7, %r7; mov.u16 %h1, 3; mov.u16"
            " %h2, 4;\n"
            "mov.b16 %h3, 0x3c00; mov.b16 %h4, 0x3f80; mov.b32 %r8, {%h3, %h3}; mov.b32 %r9, {%h4, %h4};\n@@; ret;\n");
        const char *at = strstr(before, "@@");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - before), before, row->instruction, at + 2);
        for (uint32_t threads = 1; threads <= 5; threads += 2) {
            run_result *r = run_ok((run_args){.grid = 4, .block = 96, .threads = threads, .ptx = text,
                .in = &row->before,
                                              .in_bytes = row->bytes});
            uint64_t got = 0, around = 0;
            memcpy(&got, r->in, row->bytes);
            memcpy(&around, r->in + row->bytes, 8);
            uint64_t want = row->after;
            if (got != want || around)
                fail_msg("%s: %llx, not %llx", row->instruction, (unsigned long long)got, (unsigned long long)want);
            assert_int_equal(r->sums.atomics, 12);
        }
    }
}

// Each lane sees the value before its own turn: tickets, all different, and shared memory too.
static uint32_t ticket_sum(uint32_t t) { return t == 0 ? 255 * 256 / 2 : t == 1 ? 256 : 0; }
static void test_tickets(void **state) {
    (void)state;
    run_always((run_args){.grid = 1, .block = 256, .ptx = KERNEL(".shared .align 8 .u64 counter;\n",
        "mov.u64 %rd4, counter; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u64 [%rd4], 0; bar.sync 0;\n"
        "atom.shared.add.u64 %rd5, [%rd4], 1; cvta.shared.u64 %rd6, %rd4; cvt.u32.u64 %r5, %rd5; red.global.add.u32"
        " [%rd1], %r5;\n"
        "bar.sync 0; @%p1 atom.max.u64 %rd7, [%rd6], 0; @%p1 cvt.u32.u64 %r6, %rd7; @%p1 st.global.u32 [%rd1+4], %r6;"
        " ret;\n")},
        3, ticket_sum, true);
}

// Vectors, each element by itself; what atom returns is an earlier value of every element.
static void test_vector_atomics(void **state) {
    (void)state;
    static const struct {
        const char *instruction;
        uint32_t before[4], after[4];
    } rows[] = {
        {"red.global.add.v2.f32 [%rd2], {%f1, %f2}", {0x3f800000, 0}, {0x43410000, 0x43c00000}},         // 1 + 192, 384
        {"red.add.relaxed.gpu.global.v4.f32 [%rd2], {%f1, %f2, %f1, 0f3f800000}", {0, 0, 0x3f800000, 0},
            {0x43400000, 0x43c00000, 0x43410000, 0x43c00000}},
        {"atom.global.v2.f32.add {%f3, %f4}, [%rd2], {%f1, %f2}", {0, 0}, {0x43400000, 0x43c00000}},
        {"atom.global.v4.f32.add {%f3, _, %f4, %f5}, [%rd2], {%f1, %f2, %f2, %f1}", {0},
            {0x43400000, 0x43c00000, 0x43c00000, 0x43400000}},
        {"atom.global.v2.f32.add _, [%rd2], {%f1, %f2}", {0, 0}, {0x43400000, 0x43c00000}},
        {"red.global.v2.f16.add.noftz [%rd2], {%h3, %h5}", {0x00003c00}, {0x5a005e04}},    // 385, 192
        {"red.global.v8.bf16.add.noftz [%rd2], {%h4, %h4, %h4, %h4, %h4, %h4, %h4, %h4}", {0},
            {0x43804380, 0x43804380, 0x43804380, 0x43804380}},
        {"red.global.v4.f16x2.add.noftz [%rd2], {%r8, %r8, %r8, %r8}", {0},
            {0x5e005e00, 0x5e005e00, 0x5e005e00, 0x5e005e00}},
        {"red.global.v2.bf16x2.add.noftz [%rd2], {%r9, %r9}", {0}, {0x43804380, 0x43804380}},
        {"red.global.v2.f16x2.max.noftz [%rd2], {%r8, %r8}", {0x7e00bc00, 0x40008000},
            {0x3c003c00, 0x40003c00}},
        {"red.global.v2.f16x2.min.noftz [%rd2], {%r8, %r8}", {0x7e00bc00, 0x40008000}, {0x3c00bc00, 0x3c008000}},
        {"red.global.v2.bf16.min.noftz [%rd2], {%h4, %h4}", {0x7fc0bf80}, {0x3f80bf80}},
        {"red.global.v2.bf16.max.noftz [%rd2], {%h4, %h4}", {0x7fc0bf80}, {0x3f803f80}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        static const char frame[] = KERNEL("", "mov.f32 %f1, 0f3f000000; mov.f32 %f2, 0f3f800000; mov.b16 %h3, 0x3c00;"
            " mov.b16 %h4, 0x3f80; mov.b16 %h5, 0x3800; mov.b32 %r8, {%h3, %h3}; mov.b32 %r9, {%h4, %h4};\n@@; ret;\n");
        const char *at = strstr(frame, "@@");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - frame), frame, rows[i].instruction, at + 2);
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            run_result *r = run_ok((run_args){.grid = 4, .block = 96, .threads = threads, .ptx = text,
                                              .in = rows[i].before, .in_bytes = 16});
            if (memcmp(r->in, rows[i].after, 16))
                fail_msg("%s: %08x %08x %08x %08x", rows[i].instruction, ((uint32_t *)r->in)[0], ((uint32_t *)r->in)[1],
                         ((uint32_t *)r->in)[2], ((uint32_t *)r->in)[3]);
        }
    }
    // Lanes in turn: each sees what the lanes before it have added.
    run_result *r = run_ok((run_args){.block = 64, .ptx = KERNEL("", "mov.f32 %f1, 0f3f800000;"
        " mov.f32 %f2, 0f40000000; atom.global.v2.f32.add {%f1, %f2}, [%rd2], {%f1, %f2};"
        " sub.f32 %f3, %f2, %f1; setp.neu.f32 %p1, %f3, %f1;"
        " @%p1 trap; cvt.rzi.u32.f32 %r5, %f1; " STORE_RET("%r5"))});
    uint64_t seen = 0;
    for (int t = 0; t < 64; t++) seen |= 1ull << r->out[t];
    assert_true(seen == ~0ull);
    static run_result fault;
    run_kernel(&(run_args){.block = 32, .ptx = KERNEL("", "add.u64 %rd4, %rd2, 8; red.global.v4.f32.add [%rd4],"
        " {%f1, %f2, %f3, %f4}; ret;\n")}, &fault);
    assert_int_equal(fault.fault.kind, HW_FAULT_MISALIGNED);
}

// ---- vectors that others wait for ----

// Four warps write the same number into all words of each lane's vector, again and again, and warps of four others read
// them meanwhile until they see the last: none sees parts of two vectors of 16 bytes, and each lane says 1. STORE: of
// %r10 or %rd10. LOAD: to %r10 and %r14, or to %rd10 and %rd14. APART: 1 for odd lanes that have theirs in another
// allocation.
#define WHOLE(APART, STORE, LOAD) KERNEL("", \
    "and.b32 %r5, %r2, 3; mul.wide.u32 %rd5, %r5, 1024; mul.wide.u32 %rd4, %r1, 32; add.u64 %rd4, %rd4, %rd5;\n" \
    "and.b32 %r7, %r1, " APART "; setp.ne.u32 %p3, %r7, 0; add.u64 %rd6, %rd1, 16384;\n" \
    "selp.u64 %rd6, %rd2, %rd6, %p3; add.u64 %rd4, %rd4, %rd6;\n" \
    "mov.u32 %r10, 0; mov.u32 %r12, 0; mov.u32 %r14, 0; mov.u64 %rd10, 0; mov.u64 %rd14, 0;\n" \
    "setp.gt.u32 %p1, %r2, 3; @%p1 bra READER;\n" \
    "WAIT: ld.relaxed.gpu.global.u32 %r11, [%rd1+4096]; setp.eq.u32 %p2, %r11, 0; @%p2 bra WAIT;\n" \
    "WRITE: add.u32 %r10, %r10, 1; cvt.u64.u32 %rd10, %r10; " STORE ";\n" \
    "setp.lt.u32 %p2, %r10, 30000; @%p2 bra WRITE; ret;\n" \
    "READER: st.relaxed.gpu.global.u32 [%rd1+4096], 1;\n" \
    "READ: " LOAD "; setp.ne.u32 %p2, %r10, %r14; @%p2 add.u32 %r12, %r12, 1;\n" \
    "setp.ne.u64 %p2, %rd10, %rd14; @%p2 add.u32 %r12, %r12, 1; cvt.u32.u64 %r15, %rd10; max.u32 %r15, %r15, %r10;\n" \
    "setp.lt.u32 %p2, %r15, 30000; @%p2 bra READ; add.u32 %r12, %r12, 1; st.global.u32 [%rd3], %r12; ret;\n")

static const char *const whole_vectors[] = {
    WHOLE("0", "st.relaxed.gpu.global.v4.u32 [%rd4], {%r10, %r10, %r10, %r10}",
          "ld.relaxed.gpu.global.v4.u32 {%r10, %r11, %r13, %r14}, [%rd4]"),
    WHOLE("1", "st.relaxed.gpu.v4.u32 [%rd4], {%r10, %r10, %r10, %r10}",
          "ld.relaxed.gpu.v4.u32 {%r10, %r11, %r13, %r14}, [%rd4]"),
    WHOLE("0", "st.global.cg.v4.u32 [%rd4], {%r10, %r10, %r10, %r10}",
          "ld.global.cg.v4.u32 {%r10, %r11, %r13, %r14}, [%rd4]"),
    WHOLE("0", "st.volatile.global.v4.u64 [%rd4], {%rd10, %rd10, %rd10, %rd10}",
          "ld.volatile.global.v4.u64 {%rd10, %rd14, %rd11, %rd12}, [%rd4]"),
};

// Two workers have blocks of both kinds.
static void test_whole_vectors(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof whole_vectors / sizeof *whole_vectors; k++) {
        run_result *r = run_ok((run_args){.grid = 8, .block = 32, .threads = 2, .ptx = whole_vectors[k]});
        for (uint32_t t = 128; t < 256; t++) assert_int_equal(r->out[t], 1);
    }
}

// ---- 128 bits ----

// From parts, through memory of each space and a register, and apart again.
static void test_128_bits(void **state) {
    (void)state;
    run_result *r = run_ok((run_args){.grid = 2, .block = 96, .threads = 2, .ptx = KERNEL("",
        ".reg .b128 %q<6>; .shared .align 16 .b8 sm[2048]; .local .align 16 .b8 lm[32];\n"
        "cvt.u64.u32 %rd4, %r4; not.b64 %rd5, %rd4; mov.b128 %q1, {%rd4, %rd5}; mov.b128 %q2, %q1;\n"
        "setp.lt.u32 %p1, %r1, 50; mov.u64 %rd6, 5; @%p1 mov.b128 %q2, {%rd6, %rd4};\n"
        "mov.u64 %rd7, sm; mul.wide.u32 %rd8, %r1, 16; add.u64 %rd7, %rd7, %rd8; st.shared.b128 [%rd7], %q2;\n"
        "ld.shared.b128 %q3, [%rd7]; mov.u64 %rd9, lm; st.local.b128 [%rd9+16], %q3; cvta.local.u64 %rd9, %rd9;"
        " ld.b128 %q4, [%rd9+16];\n"
        "shl.b32 %r5, %r4, 4; cvt.u64.u32 %rd10, %r5; add.u64 %rd10, %rd10, %rd1; st.global.relaxed.sys.b128"
        " [%rd10], %q4; ld.volatile.global.b128 %q5, [%rd10]; mov.b128 {%rd11, %rd12}, %q5; st.global.v2.u64"
        " [%rd10], {%rd12, %rd11}; ret;\n")});
    for (uint32_t t = 0; t < 192; t++) {
        uint64_t low, high;
        memcpy(&high, r->out + 4 * t, 8);
        memcpy(&low, r->out + 4 * t + 2, 8);
        bool is_first = t % 96 < 50;
        assert_true(low == (is_first ? 5 : t));
        assert_true(high == (is_first ? t : ~(uint64_t)t));
    }
}

// A counter of 128 bits by compare and swap, another by exchange: no value is lost.
static void test_128_bit_atomics(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        run_result *r = run_ok((run_args){.grid = 3, .block = 64, .threads = threads, .ptx = KERNEL("",
            ".reg .b128 %q<6>;\nld.global.b128 %q1, [%rd2];\n"
            "AGAIN: mov.b128 {%rd4, %rd5}, %q1; add.u64 %rd6, %rd4, 1; sub.u64 %rd7, %rd5, 1;"
            " mov.b128 %q2, {%rd6, %rd7};\n"
            "atom.global.cas.b128 %q3, [%rd2], %q1, %q2; mov.b128 {%rd8, %rd9}, %q3; setp.ne.u64 %p1, %rd8, %rd4;"
            " setp.ne.or.u64 %p1, %rd9, %rd5, %p1; mov.b128 %q1, %q3; @%p1 bra AGAIN;\n"
            "add.u32 %r5, %r4, 1; cvt.u64.u32 %rd10, %r5; mov.b128 %q4, {%rd10, %rd10}; atom.exch.b128 %q5,"
            " [%rd2+16], %q4; mov.b128 {%rd11, %rd12}, %q5; red.global.add.u64 [%rd2+32], %rd11;"
            " red.global.add.u64 [%rd2+40], %rd12; ret;\n")});
        uint64_t in[6];
        memcpy(in, r->in, sizeof in);
        assert_true(in[0] == 192 && in[1] == (uint64_t)-192);
        assert_true(in[2] == in[3] && in[4] == in[5] && in[2] + in[4] == 192 * 193 / 2);
    }
}

// ---- local memory ----

// An array with an index that differs between lanes, of every width, and as bytes.
static uint32_t local_sum(uint32_t t) {
    uint32_t sum = 0, n = t % 64;
    for (uint32_t i = 0; i < 8; i++) sum += (n * 8 + i) ^ (i << 16);
    return sum + ((n * 8 + n % 8) & 0xff) * 3;
}
static void test_local(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 64, .ptx = KERNEL("",
        ".local .align 16 .b8 a[64];\nmov.u64 %rd4, a; cvta.local.u64 %rd5, %rd4; mov.u32 %r5, 0;\n"
        "FILL: add.u32 %r6, %r5, %r1; and.b32 %r6, %r6, 7; mad.lo.u32 %r7, %r1, 8, %r6; shl.b32 %r8, %r6, 16; xor.b32"
        " %r7, %r7, %r8;"
        " mul.wide.u32 %rd6, %r6, 4; add.u64 %rd7, %rd4, %rd6; st.local.u32 [%rd7], %r7; add.u32 %r5, %r5, 1;"
        " setp.lt.u32 %p1, %r5, 8; @%p1 bra FILL;\n"
        "ld.local.v4.u32 {%r10, %r11, %r12, %r13}, [%rd4]; ld.v2.u64 {%rd8, %rd9}, [%rd5+16];\n"
        "add.u32 %r10, %r10, %r11; add.u32 %r12, %r12, %r13; add.u32 %r10, %r10, %r12; mov.b64 {%r14, %r15}, %rd8;"
        " add.u32 %r10, %r10, %r14; add.u32 %r10, %r10, %r15; mov.b64 {%r14, %r15}, %rd9; add.u32 %r10, %r10, %r14;"
        " add.u32 %r10, %r10, %r15;\n"
        "and.b32 %r6, %r1, 7; mul.wide.u32 %rd6, %r6, 4; add.u64 %rd7, %rd5, %rd6; ld.u8 %r16, [%rd7];"
        " mad.lo.u32 %r10, %r16, 3, %r10;\n" STORE_RET("%r10"))}, 128, local_sum, true);
}

static uint32_t local_widths(uint32_t t) { return (t & 0x7f) + 0x11 + 0x2222 + 0x44444444 + 0x88888888u; }
// One load that finds its word in shared, local, shared and device memory by turns, all lanes at one address.
static uint32_t by_turns(uint32_t t) { (void)t; return 4 * 1000 + 2 * (100 + 7); }
static void test_memory_by_turns(void **state) {
    (void)state;
    const uint32_t seven = 7;
    run_always((run_args){.grid = 3, .block = 96, .in = &seven, .in_bytes = 4, .ptx = KERNEL("",
        ".shared .align 4 .b8 s[4];\n.local .align 4 .b8 a[4];\n"
        "mov.u64 %rd4, s; cvta.shared.u64 %rd5, %rd4; mov.u64 %rd6, a; cvta.local.u64 %rd7, %rd6;\n"
        "mov.u32 %r5, 1000; st.shared.u32 [s], %r5; mov.u32 %r5, 100; st.local.u32 [a], %r5; bar.sync 0;\n"
        "mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
        "AGAIN: rem.u32 %r8, %r6, 4; setp.eq.u32 %p2, %r8, 1; rem.u32 %r8, %r6, 2; setp.eq.u32 %p1, %r8, 0;\n"
        "selp.b64 %rd8, %rd7, %rd2, %p2; selp.b64 %rd8, %rd5, %rd8, %p1;\n"
        "ld.u32 %r9, [%rd8]; add.u32 %r7, %r7, %r9;\n"
        "add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 8; @%p3 bra AGAIN;\n" STORE_RET("%r7"))}, 288, by_turns, true);
}

static void test_local_widths(void **state) {
    (void)state;
    run_always((run_args){.block = 64, .ptx = KERNEL("",
        ".local .align 8 .b8 a[32];\nmov.u64 %rd4, a; add.u32 %r6, %r1, 0x11; st.local.u8 [%rd4+1], %r6; mov.u16 %h1,"
        " 0x2222;"
        " st.local.u16 [%rd4+6], %h1; mov.u32 %r5, 0x44444444; st.local.u32 [%rd4+12], %r5; mov.u64 %rd5, 0x88888888;"
        " st.local.u64 [%rd4+24], %rd5;\nld.local.u8 %r7, [%rd4+1]; ld.local.s16 %r8, [%rd4+6]; ld.local.u32 %r9,"
        " [%rd4+12];"
        " ld.local.u64 %rd6, [%rd4+24]; cvt.u32.u64 %r10, %rd6; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9;"
        " add.u32 %r7, %r7, %r10;\n" STORE_RET("%r7"))}, 64, local_widths, true);
}

// A callee changes its caller's variable through a pointer; both have variables of their own.
static uint32_t through_pointer(uint32_t t) { return t % 64 * 2 + 1000; }
static void test_pointer_to_local(void **state) {
    (void)state;
    run_always((run_args){.block = 64, .ptx = KERNEL(
        ".func change(.param .b64 p)\n{ .reg .b64 %rd<4>; .reg .b32 %r<4>; .local .align 4 .b8 own[32]; ld.param.u64"
        " %rd1, [p];"
        " mov.u32 %r2, 5; st.local.u32 [own], %r2; st.local.u32 [own+28], %r2; ld.u32 %r1, [%rd1+4]; add.u32 %r1, %r1,"
        " 1000;"
        " st.u32 [%rd1+4], %r1; ret; }\n",
        ".local .align 4 .b8 mine[8];\nshl.b32 %r5, %r1, 1; st.local.u32 [mine+4], %r5; mov.u64 %rd4, mine;"
        " cvta.local.u64 %rd4, %rd4; { .param .b64 a; st.param.b64 [a], %rd4; call.uni change, (a); }\nld.local.u32"
        " %r6, [mine+4];\n"
        STORE_RET("%r6"))}, 64, through_pointer, true);
}

// ---- parameters ----

static uint32_t struct_param(uint32_t t) { return t % 32 * 3 + 7 + t % 4 * 10; }
static void test_struct_by_value(void **state) {
    (void)state;
    // A function that takes a struct of 16 bytes, and indexes it: its parameter has an address, in local memory.
    run_always((run_args){.block = 32, .ptx = KERNEL(
        ".func (.param .b32 r) pick(.param .align 8 .b8 s[24], .param .b32 i)\n{ .reg .b64 %rd<5>; .reg .b32 %r<6>;"
        " ld.param.u32 %r1, [i]; mov.b64 %rd1, s; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; ld.local.u32"
        " %r2, [%rd3];"
        " ld.param.u64 %rd4, [s+16]; cvt.u32.u64 %r3, %rd4; add.u32 %r2, %r2, %r3; cvta.local.u64 %rd1, %rd1;"
        " st.u32 [%rd1+16], %r2; ld.param.u32 %r4, [s+16]; st.param.b32 [r], %r4; ret; }\n",
        "and.b32 %r5, %r1, 3; mul.lo.u32 %r6, %r1, 3; cvt.u64.u32 %rd4, %r6; mov.u32 %r10, 7; mov.u32 %r11, 17;"
        " mov.u32 %r12, 27;"
        " mov.u32 %r13, 37;\n{ .param .align 8 .b8 s[24]; .param .b32 i; .param .b32 r; st.param.v4.b32 [s], {%r10,"
        " %r11, %r12, %r13};"
        " st.param.b64 [s+16], %rd4; st.param.b32 [i], %r5; call.uni (r), pick, (s, i); ld.param.b32 %r7, [r]; }\n"
        STORE_RET("%r7"))}, 32, struct_param, true);
    // The same in recursion: each call has its own.
    run_ok((run_args){.block = 32, .ptx = KERNEL(
        ".func (.param .b32 r) sum(.param .align 4 .b8 s[8])\n{ .reg .pred %p<2>; .reg .b64 %rd<5>; .reg .b32 %r<6>;"
        " mov.b64 %rd1, s;"
        " ld.local.u32 %r1, [%rd1]; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra END; sub.u32 %r3, %r1, 1;\n"
        "{ .param .align 4 .b8 a[8]; .param .b32 b; st.param.b32 [a], %r3; st.param.b32 [a+4], %r3; call (b), sum, (a);"
        " ld.param.b32 %r2, [b]; }\nld.local.u32 %r4, [%rd1]; add.u32 %r2, %r2, %r4;\nEND: st.param.b32 [r], %r2; ret;"
        " }\n",
        "and.b32 %r5, %r1, 15;\n{ .param .align 4 .b8 a[8]; .param .b32 b; st.param.b32 [a], %r5; call (b), sum, (a);"
        " ld.param.b32 %r6, [b]; }\nadd.u32 %r7, %r5, 1; mul.lo.u32 %r7, %r7, %r5; shr.u32 %r7, %r7, 1; setp.ne.u32"
        " %p1, %r6, %r7;"
        " @%p1 trap; ret;\n")});
}

// A kernel's parameter at a computed place, and by its address.
static uint32_t param_bytes(uint32_t t) { return t % 2 ? 0x5678 + t : 0x1234 + t; }
static void test_kernel_parameters(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 64, .in_address = 0x0000567800001234, .ptx = KERNEL("",
        "and.b32 %r5, %r1, 1; mul.wide.u32 %rd4, %r5, 4; mov.u64 %rd5, in; add.u64 %rd4, %rd4, %rd5; ld.param.u32 %r6,"
        " [%rd4];\n"
        "cvta.param.u64 %rd6, %rd5; mul.wide.u32 %rd7, %r5, 4; add.u64 %rd6, %rd6, %rd7; ld.u32 %r7, [%rd6];"
        " setp.ne.u32 %p1, %r6, %r7; @%p1 trap;\nadd.u32 %r6, %r6, %r4;\n" STORE_RET("%r6"))}, 128, param_bytes, true);
}

// ---- constant and shared memory ----

static uint32_t constants(uint32_t t) { return t % 4 * 11 + 3; }
static void test_constants(void **state) {
    (void)state;
    run_always((run_args){.grid = 2, .block = 64, .ptx = KERNEL(
        ".const .align 4 .u32 table[4] = {0, 11, 22, 33};\n.const .align 8 .u64 to_it = generic(table);\n.const .u32"
        " three = 3;\n",
        "and.b32 %r5, %r1, 3; mul.wide.u32 %rd4, %r5, 4; mov.u64 %rd5, table; add.u64 %rd5, %rd5, %rd4; ld.const.u32"
        " %r6, [%rd5];\n"
        "ld.const.u64 %rd6, [to_it]; add.u64 %rd6, %rd6, %rd4; ld.u32 %r7, [%rd6]; setp.ne.u32 %p1, %r6, %r7; @%p1"
        " trap;\n"
        "ld.const.u32 %r8, [three]; add.u32 %r6, %r6, %r8;\n" STORE_RET("%r6"))}, 128, constants, true);
}

static uint32_t dynamic_end(uint32_t t) { return t; }
static void test_dynamic_shared(void **state) {
    (void)state;
    // Behind 5 static bytes, at the alignment asked for, all of it there and nothing more.
    static const uint32_t alignments[] = {4, 8, 16, 128};
    for (int i = 0; i < 4; i++)
        for (int over = 0; over < 2; over++) {
            char text[2048];
            snprintf(text, sizeof text, "%s.extern .shared .align %u .b8 dyn[];\n%s%u;\n setp.ne.u64 %%p1, %%rd6, 0;"
                " @%%p1 trap;\n"
                     "mul.wide.u32 %%rd7, %%r1, 4; add.u64 %%rd7, %%rd7, %%rd4; st.shared.u32 [%%rd7+%d], %%r4;"
                     " ld.shared.u32 %%r6, [%%rd7+%d];\n%s}\n", HEAD, alignments[i],
                     ".shared .align 1 .b8 few[5];\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .pred"
                     " %p<4>;"
                     " .reg .b32 %r<16>; .reg .b64 %rd<16>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32"
                     " %r4, %r1;"
                     " mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd3, %rd1; mov.u32 %r5, few; st.shared.u8 [%r5+4],"
                     " %r1;"
                     " mov.u64 %rd4, dyn; rem.u64 %rd6, %rd4, ", alignments[i], 4 * over, 4 * over, STORE_RET("%r6"));
            run_args a = {.block = 64, .shared = 256, .ptx = text};
            if (over) run_fault(a, HW_FAULT, HW_FAULT_ADDRESS);
            else run_always(a, 64, dynamic_end, true);
        }
}

// ---- special registers ----

static void test_special_registers(void **state) {
    (void)state;
    // Each thread checks that its place makes its number, and writes what others must agree on.
    static const char ptx[] = KERNEL("",
        "mov.u32 %r10, %tid.y; mov.u32 %r11, %tid.z; mov.u32 %r12, %ntid.y; mov.u32 %r13, %ntid.z; mov.u32 %r14,"
        " %ctaid.y;"
        " mov.u32 %r15, %ctaid.z; mov.u32 %r16, %nctaid.x; mov.u32 %r17, %nctaid.y; mov.u32 %r18, %nctaid.z;\n"
        "mad.lo.u32 %r20, %r11, %r12, %r10; mad.lo.u32 %r20, %r20, %r3, %r1;\n"
        "mov.u32 %r21, %laneid; and.b32 %r23, %r20, 31; setp.ne.u32 %p1, %r21, %r23;"
        " @%p1 trap;\n"
        "mov.u32 %r24, %lanemask_eq; mov.u32 %r25, 1; shl.b32 %r25, %r25, %r21; setp.ne.u32 %p1, %r24, %r25; @%p1"
        " trap;\n"
        "mov.u32 %r24, %lanemask_lt; sub.u32 %r26, %r25, 1; setp.ne.u32 %p1, %r24, %r26; @%p1 trap;\n"
        "mov.u32 %r24, %lanemask_le; or.b32 %r26, %r26, %r25; setp.ne.u32 %p1, %r24, %r26; @%p1 trap;\n"
        "mov.u32 %r24, %lanemask_gt; not.b32 %r26, %r26; setp.ne.u32 %p1, %r24, %r26; @%p1 trap;\n"
        "mov.u32 %r24, %lanemask_ge; or.b32 %r26, %r26, %r25; setp.ne.u32 %p1, %r24, %r26; @%p1 trap;\n"
        "mov.u32 %r24, %smid; mov.u32 %r25, %nsmid; setp.ge.u32 %p1, %r24, %r25; @%p1 trap;\n"
        "mad.lo.u32 %r27, %r15, %r17, %r14; mad.lo.u32 %r27, %r27, %r16, %r2; mul.lo.u32 %r28, %r3, %r12; mul.lo.u32"
        " %r28, %r28, %r13;\n"
        "mad.lo.u32 %r29, %r27, %r28, %r20; mul.wide.u32 %rd4, %r29, 4; add.u64 %rd4, %rd1, %rd4; mul.lo.u32 %r30,"
        " %r28, %r18;\n"
        "add.u32 %r30, %r29, %r30; st.global.u32 [%rd4], %r30; ret;\n");
    static const uint32_t shapes[][6] = {{7, 1, 1, 33, 1, 1}, {3, 2, 1, 8, 5, 1}, {2, 3, 4, 5, 3, 7}, {1, 1, 5, 1, 1,
        64},
                                         {1, 9, 1, 1, 40, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint32_t *s = shapes[i];
        for (uint32_t threads = 1; threads < 4; threads += 2) {
            run_result *r = run_ok((run_args){.grid = s[0], .grid_yz = {s[1], s[2]}, .block = s[3], .block_yz = {s[4],
                s[5]},
                                              .threads = threads, .ptx = ptx});
            uint32_t block = s[3] * s[4] * s[5], n = s[0] * s[1] * s[2] * block;
            for (uint32_t t = 0; t < n; t++) assert_int_equal(r->out[t], t + block * s[2]);
        }
    }
}

// As PTX of before 2.0 reads them: 16 bits, and a fourth element, which is 0.
static void test_old_registers(void **state) {
    (void)state;
    run_result *r = run_ok((run_args){.grid = 2, .block = 96, .ptx = KERNEL("",
        "mov.u16 %h1, %tid.x; cvt.u32.u16 %r5, %h1; cvt.u32.u16 %r6, %ntid.x; mov.u32 %r7, %tid.w;"
        " mov.u32 %r8, %ntid.w;\n"
        "mov.u32 %r9, %ctaid.w; mov.u32 %r10, %nctaid.w; or.b32 %r7, %r7, %r8; or.b32 %r9, %r9, %r10; or.b32 %r7,"
        " %r7, %r9; mov.u32 %r11, %gridid; cvt.s64.s16 %rd4, %ctaid.x; cvt.u32.u64 %r12, %rd4;\n"
        "mad.lo.u32 %r13, %r12, %r6, %r5; add.u32 %r13, %r13, %r7; mov.u64 %rd5, %gridid; cvt.u32.u64 %r14, %rd5;"
        " setp.ne.u32 %p1, %r14, %r11; @%p1 trap;\n" STORE_RET("%r13"))});
    for (uint32_t t = 0; t < 192; t++) assert_int_equal(r->out[t], t);
}

static void test_clocks(void **state) {
    (void)state;
    run_ok((run_args){.grid = 4, .block = 96, .threads = 2, .ptx = KERNEL("",
        "mov.u32 %r5, 0;\nLOOP: mov.u64 %rd4, %clock64; mov.u64 %rd5, %globaltimer; mov.u32 %r6, %clock;\n"
        "mov.u64 %rd6, %clock64; mov.u64 %rd7, %globaltimer; setp.le.u64 %p1, %rd6, %rd4; @%p1 trap; setp.lt.u64 %p1,"
        " %rd7, %rd5;"
        " @%p1 trap; mov.u32 %r7, %clock; setp.le.u32 %p1, %r7, %r6; @%p1 trap;\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p1,"
        " %r5, 20;"
        " @%p1 bra LOOP;\n"
        // Waits for time to pass.
        "mov.u64 %rd4, %clock64;\nWAIT: mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; setp.lt.u64 %p1, %rd5, 5000;"
        " @%p1 bra WAIT; ret;\n")});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomics),       cmocka_unit_test(test_tickets),
        cmocka_unit_test(test_vector_atomics), cmocka_unit_test(test_whole_vectors), cmocka_unit_test(test_128_bits),
        cmocka_unit_test(test_128_bit_atomics), cmocka_unit_test(test_local),
        cmocka_unit_test(test_local_widths),  cmocka_unit_test(test_pointer_to_local),
        cmocka_unit_test(test_struct_by_value), cmocka_unit_test(test_kernel_parameters),
        cmocka_unit_test(test_constants),     cmocka_unit_test(test_dynamic_shared),
        cmocka_unit_test(test_special_registers), cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_old_registers), cmocka_unit_test(test_memory_by_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
