// What device code calls: printf, malloc, free; and memory of this machine that runs out anywhere on the way.
#include "exec_run.h"

#define CALLS \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"

// ---- printf ----

typedef struct argument {
    char kind;                 // i 32 bits, l 64 bits, d double, s string in memory, 0 end
    uint64_t bits;
    const char *text;
} argument;

typedef struct print_row {
    const char *format;
    argument arguments[7];
    const char *output;
    int returns;               // vprintf's result: arguments used
} print_row;

// The format at in, strings behind it, the arguments in the thread's local memory as nvcc lays them out.
static void print_one(const print_row *row) {
    char body[4096], memory[2048] = {0};
    size_t n = 0, used = 1024, at = 0;
    snprintf(memory, 1024, "%s", row->format);
    n += (size_t)snprintf(body + n, sizeof body - n, "%s", ".local .align 8 .b8 args[64];\nmov.u64 %rd4, args;\n");
    for (const argument *a = row->arguments; a->kind; a++) {
        size_t size = a->kind == 'i' ? 4 : 8;
        uint64_t bits = a->bits;
        at = (at + size - 1) / size * size;
        if (a->kind == 's') {
            bits = used;
            used += (size_t)snprintf(memory + used, sizeof memory - used, "%s", a->text) + 1;
        }
        n += (size_t)snprintf(body + n, sizeof body - n, "mov.u%zu %%r%s, 0x%llx;%s st.local.u%zu [%%rd4+%zu],"
            " %%r%s;\n", size * 8,
                              size == 4 ? "5" : "d5", (unsigned long long)bits,
                              a->kind == 's' ? " add.u64 %rd5, %rd5, %rd2;" : "", size * 8, at, size == 4 ? "5" : "d5");
        at += size;
    }
    snprintf(body + n, sizeof body - n, "%s", "cvta.local.u64 %rd6, %rd4;\n{ .param .b64 f; .param .b64 a; .param .b32"
        " r;"
             " st.param.b64 [f], %rd2; st.param.b64 [a], %rd6; call.uni (r), vprintf, (f, a); ld.param.b32 %r6, [r];"
             " }\n"
             "st.global.u32 [%rd3], %r6; ret;\n");
    char text[8192];
    const char *before = KERNEL(CALLS, "@@");
    const char *place = strstr(before, "@@");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - before), before, body, place + 2);
    run_result *r = run_ok((run_args){.block = 1, .ptx = text, .in = memory, .in_bytes = sizeof memory});
    if (strcmp(r->printed, row->output)) fail_msg("'%s' prints '%s', not '%s'", row->format, r->printed, row->output);
    if ((int)r->out[0] != row->returns) fail_msg("'%s' returns %d", row->format, (int)r->out[0]);
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static void test_printf(void **state) {
    (void)state;
    const uint32_t minus = (uint32_t)-42;
    const print_row rows[] = {
        {"plain\n", {{0}}, "plain\n", 0},
        {"%d|%i|%5d|%-5d|%05d", {{'i', minus, 0}, {'i', 7, 0}, {'i', 42, 0}, {'i', 42, 0}, {'i', minus, 0}},
         "-42|7|   42|42   |-0042", 5},
        {"%u %x %X %o %#x", {{'i', minus, 0}, {'i', 255, 0}, {'i', 255, 0}, {'i', 8, 0}, {'i', 255, 0}},
         "4294967254 ff FF 10 0xff", 5},
        {"%+d % d %.3d %6.3d", {{'i', 5, 0}, {'i', 5, 0}, {'i', 5, 0}, {'i', 5, 0}}, "+5  5 005    005", 4},
        {"%ld %lld %llu %lx %zu", {{'l', (uint64_t)-1, 0}, {'l', 1ull << 40, 0}, {'l', ~0ull, 0}, {'l', ~0ull, 0},
            {'l', 9, 0}},
         "-1 1099511627776 18446744073709551615 ffffffffffffffff 9", 5},
        {"%hd %hhd %hu %hhu", {{'i', 65537, 0}, {'i', 511, 0}, {'i', 65537, 0}, {'i', 511, 0}}, "1 -1 1 255", 4},
        {"%f %.2f %8.3f %-8.1f|", {{'d', bits_of(1.5), 0}, {'d', bits_of(2.345678), 0}, {'d', bits_of(-3.14159), 0},
         {'d', bits_of(2.5), 0}}, "1.500000 2.35   -3.142 2.5     |", 4},
        {"%e %E %g %G %a", {{'d', bits_of(1234.5), 0}, {'d', bits_of(0.001), 0}, {'d', bits_of(1e-10), 0}, {'d',
            bits_of(100000000.0), 0},
         {'d', bits_of(1.0), 0}}, "1.234500e+03 1.000000E-03 1e-10 1E+08 0x1p+0", 5},
        {"%f %F %f", {{'d', 0x7ff0000000000000, 0}, {'d', 0x7ff0000000000000, 0}, {'d', 0x7ff8000000000000, 0}},
            "inf INF nan", 3},
        {"%c%c|%3c|%-3c|", {{'i', 'a', 0}, {'i', 'b', 0}, {'i', 'c', 0}, {'i', 'd', 0}}, "ab|  c|d  |", 4},
        {"%s-%5s-%-5s-%.2s", {{'s', 0, "one"}, {'s', 0, "two"}, {'s', 0, "six"}, {'s', 0, "seven"}},
            "one-  two-six  -se", 4},
        {"%p", {{'l', 0x1234, 0}}, "0x1234", 1},
        {"%*d %-*d| %.*f", {{'i', 5, 0}, {'i', 1, 0}, {'i', 3, 0}, {'i', 2, 0}, {'i', 1, 0}, {'d', bits_of(2.25), 0}},
         "    1 2  | 2.2", 6},
        {"%*d|", {{'i', 0x80000000u, 0}, {'i', 1, 0}}, NULL, 2},
        {"100%% %% %d%%", {{'i', 3, 0}}, "100% % 3%", 1},
        {"%q %", {{0}}, "%q %", 0}, {"%s", {{'l', 0, 0}}, "(null)", 1},
        {"%d %s %f %c", {{'i', 1, 0}, {'s', 0, "x"}, {'d', bits_of(0.5), 0}, {'i', 'y', 0}}, "1 x 0.500000 y", 4},
    };
    char wide[4200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        print_row row = rows[i];
        if (!row.output) {      // the width is cut, and means to the left
            memset(wide, ' ', sizeof wide);
            wide[0] = '1';
            wide[4095] = 0;
            row.output = wide;
        }
        print_one(&row);
    }
}

// ---- malloc and free ----

static uint32_t heap_ok(uint32_t t) { return t * 3; }
static void test_heap(void **state) {
    (void)state;
    run_always((run_args){.grid = 8, .block = 64, .ptx = KERNEL(CALLS,
        "mov.u64 %rd4, 24; mov.u32 %r9, 0;\nLOOP: { .param .b64 a; .param .b64 b; st.param.b64 [a], %rd4; call.uni"
        " (b), malloc, (a);"
        " ld.param.b64 %rd5, [b]; }\nsetp.eq.u64 %p1, %rd5, 0; @%p1 trap; and.b64 %rd6, %rd5, 15; setp.ne.u64 %p1,"
        " %rd6, 0; @%p1 trap;\n"
        "mul.lo.u32 %r5, %r4, 3; st.u32 [%rd5], %r5; st.u64 [%rd5+16], %rd5; ld.u32 %r6, [%rd5]; setp.ne.u32 %p1, %r6,"
        " %r5; @%p1 trap;\n"
        "{ .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); }\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 5;"
        " @%p2 bra LOOP;\n"
        STORE_RET("%r6"))}, 512, heap_ok, true);
}

// cuda::std::aligned_alloc: at a multiple of the alignment; NULL where that is no power of two.
static void test_aligned_heap(void **state) {
    (void)state;
    run_result *r = run_ok((run_args){.block = 12, .ptx = KERNEL(
        ".extern .func (.param .b64 r) __cuda_syscall_aligned_malloc(.param .b64 n, .param .b64 m);\n",
        "mov.u64 %rd4, 24; mov.u64 %rd5, 1; shl.b64 %rd5, %rd5, %r1; setp.eq.u32 %p1, %r1, 11; @%p1 mov.u64 %rd5, 48;\n"
        "{ .param .b64 a; .param .b64 b; .param .b64 c; st.param.b64 [a], %rd4; st.param.b64 [c], %rd5;"
        " call.uni (b), __cuda_syscall_aligned_malloc, (a, c); ld.param.b64 %rd6, [b]; }\n"
        "setp.eq.u64 %p2, %rd6, 0; @!%p2 st.u64 [%rd6+16], %rd6; rem.u64 %rd7, %rd6, %rd5; cvt.u32.u64 %r5, %rd7;"
        " @%p2 mov.u32 %r5, 7777;\n" STORE_RET("%r5"))});
    for (uint32_t t = 0; t < 12; t++) assert_int_equal(r->out[t], t == 11 ? 7777 : 0);
}

static void test_heap_exhausted(void **state) {
    (void)state;
    // 100 threads want 1 KiB each of a heap of 16: some get it, the others get NULL.
    for (uint32_t threads = 1; threads < 6; threads += 2) {
        run_result *r = run_ok((run_args){.grid = 10, .block = 10, .threads = threads, .heap_bytes = 16384,
            .ptx = KERNEL(CALLS,
            "mov.u64 %rd4, 1008;\n{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd4; call.uni (b), malloc, (a);"
            " ld.param.b64 %rd5, [b]; }\nsetp.ne.u64 %p1, %rd5, 0; selp.u32 %r6, 1, 0, %p1; @%p1 st.u32 [%rd5+1004],"
            " %r6;\n"
            STORE_RET("%r6"))});
        uint32_t n = 0;
        for (int i = 0; i < 100; i++) n += r->out[i];
        assert_int_equal(n, 16);
    }
    static const char *const sizes[] = {"0", "-1", "0x7fffffffffffffff", "100000000"};
    for (int i = 0; i < 4; i++) {
        char text[4096];
        const char *whole = KERNEL(CALLS, "mov.u64 %rd4, @@;\n{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd4;"
            " call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }\nsetp.ne.u64 %p1, %rd5, 0; @%p1 trap; ret;\n");
        const char *at = strstr(whole, "@@");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, sizes[i], at + 2);
        run_ok((run_args){.block = 32, .ptx = text});
    }
}

static void test_bad_free(void **state) {
    (void)state;
#define FREE "{ .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); }\n"
#define MALLOC "mov.u64 %rd4, 64; setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n" \
    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd4;" \
    " call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }\n"
    static const char *const bodies[] = {
        KERNEL(CALLS, MALLOC FREE FREE "ret;\n"), KERNEL(CALLS, MALLOC "add.u64 %rd5, %rd5, 8;\n" FREE "ret;\n"),
        KERNEL(CALLS, "mov.u64 %rd5, %rd2;\n" FREE "ret;\n"), KERNEL(CALLS, "mov.u64 %rd5, 12345;\n" FREE "ret;\n"),
    };
    for (int i = 0; i < 4; i++) {
        run_result *r = run_fault((run_args){.block = 32, .ptx = bodies[i]}, HW_FAULT, HW_FAULT_ADDRESS);
        assert_says(r, "thread (0,0,0)");
    }
    run_ok((run_args){.block = 32, .ptx = KERNEL(CALLS, "mov.u64 %rd5, 0;\n" FREE "ret;\n")});
}

// ---- this machine's memory ----

static const char WALK[] = KERNEL(CALLS
    ".global .align 4 .b8 message[4] = {37, 100, 10, 0};\n.shared .align 4 .b8 tile[64];\n"
    ".func (.param .b32 r) twice(.param .b32 n)\n{ .reg .b32 %r<3>; .local .align 4 .b8 own[8]; ld.param.u32 %r1, [n];"
    " st.local.u32 [own], %r1; add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n",
    "setp.lt.u32 %p1, %r1, 7; mov.u32 %r5, tile; @%p1 bra LOW; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
    " call.uni (b), twice, (a); ld.param.b32 %r6, [b]; }\nbra END;\nLOW: mov.u64 %rd6, twice;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; P: .callprototype (.param .b32 _) _ (.param .b32 _);"
    " call (b), %rd6, (a), P; ld.param.b32 %r6, [b]; }\nEND: st.shared.u32 [%r5], %r6; bar.sync 0;\n"
    "mov.u64 %rd7, in; ld.param.u64 %rd8, [%rd7]; setp.ne.u64 %p2, %rd8, %rd2; @%p2 trap;\n" STORE_RET("%r6"));

static uint32_t doubled(uint32_t t) { return t % 40 * 2; }
static void test_no_memory(void **state) {
    (void)state;
    static run_result r;
    run_always((run_args){.grid = 4, .block = 40, .ptx = WALK}, 160, doubled, true);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        long n = 0;
        for (;; n++) {
            hw_alloc_fail_after(n);
            run_kernel(&(run_args){.grid = 4, .block = 40, .threads = threads, .ptx = WALK}, &r);
            hw_alloc_fail_after(-1);
            if (r.status == HW_OK) break;
            if (r.status != HW_NO_MEMORY) fail_msg("allocation %ld: status %d: %s", n, r.status, r.diag.text);
            assert_true(r.diag.text[0]);
            assert_true(n < 2000);
        }
        assert_true(n > 30);
        for (uint32_t t = 0; t < 160; t++) assert_int_equal(r.out[t], doubled(t));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printf),   cmocka_unit_test(test_heap),      cmocka_unit_test(test_aligned_heap),
        cmocka_unit_test(test_heap_exhausted),
        cmocka_unit_test(test_bad_free), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
