// Faults: every kind, with the sentence that says who did what where; and what lies around an allocation stays as it
// was.
#include "exec_run.h"

static run_result *fault(const char *ptx, hw_fault_kind kind) {
    return run_fault((run_args){.block = 64, .ptx = ptx}, HW_FAULT, kind);
}

// One access of one thread of many, the address computed in %rd4 from out (%rd1) and in (%rd2).
#define ONE_THREAD(ADDRESS, ACCESS) KERNEL(".shared .align 16 .b8 tile[256];\n", \
    ".local .align 16 .b8 own[32];\nmov.u32 %r7, 1; mov.u64 %rd7, 1; mov.f32 %f1, 0f3f800000;\n" ADDRESS "\n" \
    "setp.ne.u32 %p1, %r1, 37; @%p1 ret;\n" ACCESS "\nret;\n")

static void test_sentence(void **state) {
    (void)state;
    run_args a = {.grid = 3, .grid_yz = {2, 2}, .block = 8, .block_yz = {4, 2}, .ptx = KERNEL("",
        "mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z;\n"
        "setp.eq.u32 %p1, %r1, 5; setp.eq.and.u32 %p1, %r5, 3, %p1; setp.eq.and.u32 %p1, %r6, 1, %p1;"
        " setp.eq.and.u32 %p1, %r2, 2, %p1; setp.eq.and.u32 %p1, %r7, 1, %p1; setp.eq.and.u32 %p1, %r8, 1, %p1;\n"
        "@!%p1 ret;\nst.global.v2.u32 [%rd2+4096], {%r5, %r6};\nret;\n")};
    run_result *r = run_fault(a, HW_FAULT, HW_FAULT_ADDRESS);
    char want[512];
    snprintf(want, sizeof want,
             "test.ptx:16: kernel k accessed memory it does not own in block (2,1,1) thread (5,3,1): write of 8 bytes"
             " at 0x%llx; "
             "0 bytes past the end of the nearest allocation of 4096 bytes at 0x%llx",
             (unsigned long long)r->in_address + 4096, (unsigned long long)r->in_address);
    assert_string_equal(r->fault.text, want);
    assert_string_equal(r->diag.text, want);
    assert_true(r->fault.is_write && r->fault.width_bytes == 8 && r->fault.space == HW_SPACE_GLOBAL);
    assert_true(r->fault.has_allocation && r->fault.allocation.bytes == 4096);
    assert_int_equal(r->fault.line, 16);
    // The source line, where the PTX has one.
    r = fault(HEAD ".file 1 \"prog.cu\"\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .u64 %rd<3>;"
              " .reg .u32 %r<3>;\nld.param.u64 %rd1, [out];\n.loc 1 42 7\nld.global.u32 %r1, [%rd1+-4]; ret;\n}\n",
              HW_FAULT_ADDRESS);
    assert_says(r, "prog.cu:42: kernel k accessed memory it does not own in block (0,0,0) thread (0,0,0): read of 4"
        " bytes");
    assert_says(r, "4 bytes before the nearest allocation of 65536 bytes");
}

typedef struct fault_row {
    const char *ptx;
    hw_fault_kind kind;
    const char *says;
} fault_row;

static void check_rows(const fault_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        run_result *r = fault(rows[i].ptx, rows[i].kind);
        assert_says(r, rows[i].says);
        assert_says(r, "in block (0,0,0) thread (37,0,0)");
    }
}

static void test_global(void **state) {
    (void)state;
    static const fault_row rows[] = {
        {ONE_THREAD("add.u64 %rd4, %rd2, 4093;", "ld.global.u8 %r5, [%rd4+3];"), HW_FAULT_ADDRESS, "read of 1 byte "},
        {ONE_THREAD("add.u64 %rd4, %rd2, 4096;", "st.global.u8 [%rd4], %r7;"), HW_FAULT_ADDRESS, "write of 1 byte "},
        {ONE_THREAD("sub.u64 %rd4, %rd2, 8;", "st.global.u64 [%rd4], %rd7;"), HW_FAULT_ADDRESS, "write of 8 bytes"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 4080;", "ld.v4.u32 {%r5, %r6, %r8, %r9}, [%rd4+16];"), HW_FAULT_ADDRESS,
         "read of 16 bytes"},
        {ONE_THREAD("mov.u64 %rd4, 0;", "ld.global.u32 %r5, [%rd4];"), HW_FAULT_ADDRESS, "(a null pointer)"},
        {ONE_THREAD("mov.u64 %rd4, 0;", "ld.u32 %r5, [%rd4+16];"), HW_FAULT_ADDRESS, "(a null pointer)"},
        {ONE_THREAD("mov.u64 %rd4, -4;", "ld.global.u32 %r5, [%rd4];"), HW_FAULT_ADDRESS, "0xfffffffffffffffc"},
        {ONE_THREAD("mov.u64 %rd4, -16;", "st.global.v4.u32 [%rd4], {%r7, %r7, %r7, %r7};"), HW_FAULT_ADDRESS,
         "0xfffffffffffffff0"},
        {ONE_THREAD("mov.u64 %rd4, -8;", "ld.global.u32 %r5, [%rd4+8];"), HW_FAULT_ADDRESS, "at 0x0"},
        {ONE_THREAD("mov.u64 %rd4, 0x8000000000000000;", "st.u64 [%rd4], %rd7;"), HW_FAULT_ADDRESS,
            "0x8000000000000000"},
        {ONE_THREAD("mov.u64 %rd4, 0x7ffffffffff0;", "ld.u64 %rd5, [%rd4];"), HW_FAULT_ADDRESS, "0x7ffffffffff0"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 1;", "ld.global.u16 %h1, [%rd4];"), HW_FAULT_MISALIGNED, "no multiple of 2"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 2;", "ld.global.u32 %r5, [%rd4];"), HW_FAULT_MISALIGNED, "no multiple of 4"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 4;", "st.global.f64 [%rd4], %fd1;"), HW_FAULT_MISALIGNED, "no multiple of 8"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 8;", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];"), HW_FAULT_MISALIGNED,
         "no multiple of 16"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 2;", "st.global.v2.u16 [%rd4], {%h1, %h2};"), HW_FAULT_MISALIGNED,
         "no multiple of 4"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 2;", "atom.global.add.u32 %r5, [%rd4], 1;"), HW_FAULT_MISALIGNED,
            "no multiple of 4"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 4096;", "atom.global.add.u32 %r5, [%rd4], 1;"), HW_FAULT_ADDRESS,
            "write of 4 bytes"},
        {ONE_THREAD("add.u64 %rd4, %rd2, 4096;", "red.global.max.u64 [%rd4], 1;"), HW_FAULT_ADDRESS,
            "write of 8 bytes"},
        {ONE_THREAD("mov.u64 %rd4, 0;", "atom.cas.b64 %rd5, [%rd4], 1, 1;"), HW_FAULT_ADDRESS, "(a null pointer)"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_other_spaces(void **state) {
    (void)state;
    static const fault_row rows[] = {
        {ONE_THREAD("", "ld.shared.u32 %r5, [tile+256];"), HW_FAULT_ADDRESS,
            "read of 4 bytes at 0x100 in shared memory of 256"},
        {ONE_THREAD("mov.u32 %r6, tile;", "st.shared.u32 [%r6+-4], %r7;"), HW_FAULT_ADDRESS, "at 0xfffffffc in shared"},
        {ONE_THREAD("mov.u32 %r6, 0xfffffff8;", "st.shared.u64 [%r6], %rd7;"), HW_FAULT_ADDRESS,
            "at 0xfffffff8 in shared"},
        {ONE_THREAD("mov.u64 %rd4, 0xfffffffffffffff8;", "st.shared.u64 [%rd4], %rd7;"), HW_FAULT_ADDRESS,
            "in shared memory"},
        {ONE_THREAD("mov.u32 %r6, tile;", "ld.shared.u64 %rd5, [%r6+4];"), HW_FAULT_MISALIGNED, "no multiple of 8"},
        {ONE_THREAD("mov.u32 %r6, tile;", "atom.shared.add.u32 %r5, [%r6+256], 1;"), HW_FAULT_ADDRESS,
            "write of 4 bytes at 0x100"},
        {ONE_THREAD("mov.u64 %rd4, own;", "st.local.u32 [%rd4+1000000], %r7;"), HW_FAULT_ADDRESS,
            "at 0xf4240 in local memory"},
        {ONE_THREAD("mov.u64 %rd4, own;", "ld.local.u32 %r5, [%rd4+-4];"), HW_FAULT_ADDRESS, "in local memory"},
        {ONE_THREAD("mov.u64 %rd4, own;", "ld.local.u32 %r5, [%rd4+2];"), HW_FAULT_MISALIGNED, "in local memory"},
        // Through generic addresses.
        {ONE_THREAD("mov.u64 %rd4, tile; cvta.shared.u64 %rd4, %rd4;", "st.u32 [%rd4+256], %r7;"), HW_FAULT_ADDRESS,
         "write of 4 bytes at 0x100 in shared memory of 256"},
        {ONE_THREAD("mov.u64 %rd4, tile; cvta.shared.u64 %rd4, %rd4;", "st.u32 [%rd4+-4], %r7;"), HW_FAULT_ADDRESS,
            "write of 4"},
        {ONE_THREAD("mov.u64 %rd4, own; cvta.local.u64 %rd4, %rd4;", "ld.u32 %r5, [%rd4+1000000];"), HW_FAULT_ADDRESS,
         "at 0xf4240 in local memory"},
        {ONE_THREAD("mov.u64 %rd4, own; cvta.local.u64 %rd4, %rd4;", "ld.u32 %r5, [%rd4+-4];"), HW_FAULT_ADDRESS,
            "read of 4"},
        // Atomics are for global and shared memory.
        {ONE_THREAD("mov.u64 %rd4, own; cvta.local.u64 %rd4, %rd4;", "atom.add.u32 %r5, [%rd4], 1;"), HW_FAULT_ADDRESS,
         "in local memory"},
        // The windows' own ends.
        {ONE_THREAD("mov.u64 %rd4, 0x00010000fffffffc;", "ld.u32 %r5, [%rd4];"), HW_FAULT_ADDRESS, "in shared memory"},
        {ONE_THREAD("mov.u64 %rd4, 0x00010000fffffff8;", "ld.v4.u32 {%r5,%r6,%r8,%r9}, [%rd4+8];"), HW_FAULT_ADDRESS,
            "read of 16"},
        {ONE_THREAD("mov.u64 %rd4, 0x0001000100000000;", "ld.u32 %r5, [%rd4];"), HW_FAULT_ADDRESS, "read of 4"},
        {ONE_THREAD("mov.u64 %rd4, 0x0000fffffffffffc;", "ld.u32 %r5, [%rd4];"), HW_FAULT_ADDRESS, "read of 4"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

// Lanes as far apart as addresses go, and shared addresses that wrap: told apart from harmless ones.
static void test_wide_warps(void **state) {
    (void)state;
    fault(KERNEL("", "and.b32 %r5, %r1, 1; cvt.u64.u32 %rd4, %r5; shl.b64 %rd4, %rd4, 63; add.u64 %rd4, %rd4, %rd2;\n"
                     "ld.global.u32 %r6, [%rd4]; ret;\n"), HW_FAULT_ADDRESS);
    fault(KERNEL("", "and.b32 %r5, %r1, 1; cvt.u64.u32 %rd4, %r5; mul.lo.u64 %rd4, %rd4, 0x7ffffffffffffffc;"
                     " add.u64 %rd4, %rd4, %rd2;\nst.global.u32 [%rd4], %r6; ret;\n"), HW_FAULT_ADDRESS);
    // The first round's relative addresses again, from a base at which the last lanes wrap.
    fault(KERNEL(".shared .align 4 .b8 tile[128];\n",
                 "mov.u32 %r6, tile; mov.u32 %r8, 0;\nLOOP: shl.b32 %r5, %r1, 2; and.b32 %r5, %r5, 127; add.u32 %r5,"
                 " %r5, %r6;\n"
                 "st.shared.u32 [%r5], %r1; sub.u32 %r6, %r6, 64; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 3;"
                 " @%p1 bra LOOP; ret;\n"), HW_FAULT_ADDRESS);
    // 32-bit addresses wrap: base 0xffffffc0 and offset 64 + 4 lane is inside.
    run_ok((run_args){.block = 32, .ptx = KERNEL(".shared .align 4 .b8 tile[128];\n",
        "mov.u32 %r9, tile; mad.lo.u32 %r5, %r1, 4, %r9; add.u32 %r5, %r5, 0xffffffc0; st.shared.u32 [%r5+64], %r1;"
        " ld.shared.u32 %r6, [%r5+64];\n"
        "setp.ne.u32 %p1, %r6, %r1; @%p1 trap; ret;\n")});
}

static void test_freed_and_between(void **state) {
    (void)state;
    run_result *r = fault(KERNEL(".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64"
        " p);\n",
        "mov.u64 %rd4, 40; setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd4;"
        " call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }\nst.u32 [%rd5], %r1;\n"
        "{ .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); }\nst.u32 [%rd5+8], %r1; ret;\n"),
            HW_FAULT_ADDRESS);
    assert_says(r, "8 bytes into freed allocation of 40 bytes");
    r = fault(KERNEL(".global .align 4 .b8 small[12];\n.global .align 4 .b8 other[12];\n",
                     "mov.u64 %rd4, small; st.global.u32 [%rd4+12], %r1; ret;\n"), HW_FAULT_ADDRESS);
    assert_says(r, "0 bytes past the end of the nearest small of 12 bytes");
    // An access that begins inside and ends outside.
    fault(KERNEL(".global .align 8 .b8 small[12];\n", "mov.u64 %rd4, small; ld.global.u64 %rd5, [%rd4+8]; ret;\n"),
          HW_FAULT_ADDRESS);
    // The same relative addresses as an access before it, now over the end: the lanes' last words lie outside.
    fault(KERNEL(".global .align 4 .b8 row[200];\n",
                 "mov.u64 %rd4, row; mul.wide.u32 %rd5, %r1, 4; setp.ge.u32 %p1, %r1, 32; @%p1 ret; add.u64 %rd4,"
                 " %rd4, %rd5;"
                 " mov.u32 %r5, 0;\nLOOP: st.global.u32 [%rd4], %r5; add.u64 %rd4, %rd4, 24; add.u32 %r5, %r5, 1;"
                 " setp.lt.u32 %p2, %r5, 6; @%p2 bra LOOP; ret;\n"), HW_FAULT_ADDRESS);
}

// All bytes around `small` that belong to somebody are as they were, and what was written before the fault is there.
static void test_nothing_else_is_touched(void **state) {
    (void)state;
    run_args a = {.block = 64, .ptx = KERNEL("",
        "mul.wide.u32 %rd4, %r1, 64; add.u64 %rd4, %rd4, %rd2; mov.u32 %r5, 0xdddddddd; st.global.u32 [%rd4], %r5;"
        " st.global.u32 [%rd4+4096], %r5; ret;\n")};
    static run_result r;
    run_kernel(&a, &r);
    assert_int_equal(r.status, HW_FAULT);
    for (int i = 0; i < OUT_WORDS; i++) assert_int_equal(r.out[i], 0);
    for (int i = 0; i < 32 * 64; i++) assert_int_equal(r.in[i], i % 64 < 4 ? 0xdd : 0);
}

static void test_stops(void **state) {
    (void)state;
    run_result *r = fault(ONE_THREAD("", "trap;"), HW_FAULT_TRAP);
    assert_says(r, "kernel k hit a trap in block (0,0,0) thread (37,0,0)");
    r = fault(ONE_THREAD("", "brkpt;"), HW_FAULT_TRAP);
    r = fault(KERNEL(".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param"
        " .b64 c);\n"
                     ".global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};\n.global .align 1 .b8 file[5] = {97,"
                     " 46, 99, 117, 0};\n",
                     "setp.ne.u32 %p1, %r1, 37; @%p1 ret; mov.u64 %rd4, message; mov.u64 %rd5, file; mov.u64 %rd6, 1;"
                     " mov.u32 %r5, 12;\n{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;"
                     " st.param.b64 [a], %rd4; st.param.b64 [b], %rd5; st.param.b32 [c], %r5; st.param.b64 [d], %rd5;"
                     " st.param.b64 [e], %rd6; call.uni __assertfail, (a, b, c, d, e); }\nret;\n"), HW_FAULT_ASSERT);
    assert_string_equal(r->fault.text, "a.cu:12: a.cu: block: [0,0,0], thread: [37,0,0] Assertion `x > 0` failed.");
    // Message outside of memory.
    fault(KERNEL(".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64"
        " c);\n",
                 "mov.u64 %rd4, 64; mov.u32 %r5, 12;\n{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;"
                 " .param .b64 e;"
                 " st.param.b64 [a], %rd4; st.param.b64 [b], %rd4; st.param.b32 [c], %r5; st.param.b64 [d], %rd4;"
                 " st.param.b64 [e], %rd4; call.uni __assertfail, (a, b, c, d, e); }\nret;\n"), HW_FAULT_ADDRESS);
}

#define FOREVER \
    ".func down(.param .b32 n)\n{ .reg .b32 %r<3>; .local .align 4 .b8 own[64]; ld.param.u32 %r1, [n];" \
    " add.u32 %r1, %r1, 1;" \
    " st.local.u32 [own], %r1; { .param .b32 a; st.param.b32 [a], %r1; call down, (a); } ret; }\n"
static void test_stack(void **state) {
    (void)state;
    static const char ptx[] = KERNEL(FOREVER,
        "setp.ne.u32 %p1, %r1, 37; @%p1 ret; { .param .b32 a; st.param.b32 [a], %r1; call down, (a); } ret;\n");
    run_result *r = fault(ptx, HW_FAULT_STACK);
    assert_says(r, "kernel k ran out of stack in block (0,0,0) thread (37,0,0)");
    run_fault((run_args){.block = 64, .ptx = ptx, .stack_bytes = 300000}, HW_FAULT, HW_FAULT_STACK);
    // alloca: enough, too much, absurd, and given back.
    static const char *const sizes[] = {"100000", "0xfffffffffffffff0", "0x8000000000000000"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        const char *whole = ONE_THREAD("mov.u64 %rd5, @@;", "alloca.u64 %rd6, %rd5; st.local.u8 [%rd6], %r7;");
        const char *at = strstr(whole, "@@");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, sizes[i], at + 2);
        fault(text, HW_FAULT_STACK);
    }
    run_ok((run_args){.block = 64, .ptx = KERNEL("",
        "mov.u32 %r5, 0;\nLOOP: stacksave.u64 %rd5; mov.u64 %rd6, 256; alloca.u64 %rd7, %rd6, 32; st.local.u32"
        " [%rd7+252], %r5;"
        " stackrestore.u64 %rd5; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 100; @%p1 bra LOOP; ret;\n")});
    fault(KERNEL("", "mov.u64 %rd5, 0x7fffffffffff; stackrestore.u64 %rd5; ret;\n"), HW_FAULT_STACK);
}

// Parameter memory is checked when a kernel that reaches the access is prepared, or when the address is known.
static void test_parameters(void **state) {
    (void)state;
    static const char *const refused[] = {
        KERNEL("", "ld.param.u32 %r5, [in+8]; ret;\n"), KERNEL("", "ld.param.u64 %rd5, [out+-8]; ret;\n"),
        KERNEL("", "ld.param.v4.u32 {%r5, %r6, %r7, %r8}, [out+4]; ret;\n"),
        KERNEL("", "ld.param.u32 %r5, [out+1000000000000]; ret;\n"), KERNEL("", "st.param.u32 [out], %r1; ret;\n"),
        KERNEL(".func f(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n+400]; ret; }\n",
               "{ .param .b32 a; st.param.b32 [a], %r1; call.uni f, (a); } ret;\n"),
        KERNEL("", "{ .param .b32 a; st.param.b32 [a+4000], %r1; } ret;\n"),
    };
    static run_result r;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        run_kernel(&(run_args){.block = 32, .ptx = refused[i]}, &r);
        if (r.status != HW_UNSUPPORTED && r.status != HW_MALFORMED) fail_msg("status %d: %s", r.status, refused[i]);
        assert_true(r.diag.text[0] && r.diag.line > 0);
    }
    run_ok((run_args){.block = 32, .ptx = KERNEL(
        ".func f(.param .b32 n)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [n+400]; ret; }\n", "ret;\n")});
    run_result *f = fault(KERNEL("", "mov.u64 %rd4, out; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd4, %rd4, %rd5;"
                                     " ld.param.u32 %r5, [%rd4]; ret;\n"), HW_FAULT_ADDRESS);
    assert_says(f, "thread (4,0,0)");
    assert_says(f, "kernel parameters of 16 bytes");
}

// In shared and local memory, the variable that was meant.
static void test_variables(void **state) {
    (void)state;
    static const char *const shared = ".shared .align 4 .b8 _ZZ1kvE4tile[64];\n.shared .align 4 .b8 row[16];\n"
                                      ".extern .shared .align 16 .b8 more[];\n";
    static const struct { const char *body; uint32_t dynamic; const char *says; } rows[] = {
        // tile lies at 0 and row behind it.
        {"mov.u32 %r5, row; st.shared.u32 [%r5+24], %r1; mov.u32 %r6, _ZZ1kvE4tile; st.shared.u32 [%r6], %r1;", 0,
         " in shared memory of 80 bytes; 8 bytes past the end of row of 16 bytes"},
        {"mov.u32 %r5, row; mov.u32 %r6, _ZZ1kvE4tile; st.shared.u32 [%r6+-8], %r5;", 0,
         "; 8 bytes before k()::tile of 64 bytes"},
        {"mov.u32 %r5, row; mov.u32 %r6, _ZZ1kvE4tile; st.shared.u32 [%r6+6], %r5;", 0,
         "; 6 bytes into k()::tile of 64 bytes"},
        {"mov.u32 %r5, row; mov.u32 %r6, more; st.shared.u32 [%r6+36], %r5; mov.u32 %r6, _ZZ1kvE4tile;", 32,
         "; 4 bytes past the end of the dynamic shared memory of 32 bytes"},
        {"mov.u32 %r5, row; st.shared.u32 [%r5+33554432], %r5; mov.u32 %r6, _ZZ1kvE4tile;", 0,
         " in shared memory of 80 bytes"},
        {"mov.u32 %r6, more; st.shared.u32 [%r6+20], %r6;", 16,
         " in shared memory of 16 bytes; 4 bytes past the end of the dynamic shared memory of 16 bytes"},
    };
    static run_result r;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char ptx[4096];
        const char *whole = KERNEL("##", "@@ ret;\n"), *at = strstr(whole, "##"), *body = strstr(at, "@@");
        snprintf(ptx, sizeof ptx, "%.*s%s%.*s%s%s", (int)(at - whole), whole, shared, (int)(body - at - 2), at + 2,
                 rows[i].body, body + 2);
        run_kernel(&(run_args){.block = 32, .ptx = ptx, .shared = rows[i].dynamic}, &r);
        if (r.status != HW_FAULT) fail_msg("status %d: %s", r.status, ptx);
        assert_says(&r, rows[i].says);
        if (i == 4) assert_null(strstr(r.fault.text, "; "));
    }
    run_result *f = fault(KERNEL("", ".local .align 4 .b8 __local_depot0[40]; mov.u64 %rd4, __local_depot0;"
                                     " st.local.u32 [%rd4+2052], %r1; ret;\n"), HW_FAULT_ADDRESS);
    assert_says(f, "; 2012 bytes past the end of the local variables of k of 40 bytes");
    f = fault(KERNEL(".global .align 4 .b8 _ZN3geo5tableE[12];\n",
                     "mov.u64 %rd4, _ZN3geo5tableE; st.global.u32 [%rd4+12], %r1; ret;\n"), HW_FAULT_ADDRESS);
    assert_says(f, "0 bytes past the end of the nearest geo::table of 12 bytes");
}

// A function that nobody defines is refused when a kernel that calls it is prepared, by the names and the line that the
// user wrote.
static void test_undefined_function(void **state) {
    (void)state;
    static run_result r;
    static const char ptx[] = HEAD ".file 1 \"undefined.cu\"\n.extern .func _Z5twicei(.param .b32 n);\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{ .reg .b32 %r<3>; .loc 1 7 1\n mov.u32 %r1, 3;\n"
        ".loc 1 8 1\n { .param .b32 a; st.param.b32 [a], %r1;\n.loc 1 9 5\n call.uni _Z5twicei, (a); } ret; }\n";
    run_kernel(&(run_args){.block = 32, .ptx = ptx}, &r);
    assert_int_equal(r.status, HW_UNSUPPORTED);
    assert_string_equal(r.diag.text,
                        "k calls twice(int), which the program does not define and Halfwarp does not provide");
    assert_string_equal(r.diag.file, "undefined.cu");
    assert_int_equal(r.diag.line, 9);
}

static void test_refused_launches(void **state) {
    (void)state;
    static run_result r;
    static const char ptx[] = KERNEL("", "ret;\n");
    run_kernel(&(run_args){.block = 1025, .ptx = ptx}, &r);
    assert_true(r.status == HW_USAGE && r.refusal == HW_REFUSED_CONFIGURATION);
    run_kernel(&(run_args){.block = 32, .shared = 1 << 20, .ptx = ptx}, &r);
    assert_true(r.status == HW_USAGE && r.refusal == HW_REFUSED_SHARED);
    run_ok((run_args){.block = 1024, .grid = 3, .ptx = ptx});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentence),     cmocka_unit_test(test_global),
        cmocka_unit_test(test_other_spaces), cmocka_unit_test(test_wide_warps),
        cmocka_unit_test(test_freed_and_between), cmocka_unit_test(test_nothing_else_is_touched),
        cmocka_unit_test(test_stops),        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_parameters),   cmocka_unit_test(test_undefined_function),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_refused_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
