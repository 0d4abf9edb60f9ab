// Loops that lanes go through one after the other (compile/lanewise.c), against the interpreter. The compiler's text is
// made to count here how often lanes went so, and how often one of them ended that.
#include <sys/stat.h>
#include <unistd.h>

#include "compiled_run.h"

// By what an attempt gave: lanes went so, it could not be tried, a lane ended it.
enum { MADE, NOT_TRIED, ENDED };
__attribute__((visibility("default"))) extern unsigned lanewise_seen[3];
unsigned lanewise_seen[3];

// A compiler that has the text count.
static char folder[] = "/tmp/halfwarp-test.XXXXXX", path[64];
static int make_compiler(void **state) {
    (void)state;
    static const char script[] = "#!/bin/sh\n"
                                 "for word; do case $word in *.c) text=$word;; esac; done\n"
                                 "sed -i 's/^static inline void note_attempt.*/extern unsigned lanewise_seen[3];\\n&\\n"
                                 "    lanewise_seen[lanes < 0 ? -lanes : 0]++;/' \"$text\" && exec cc \"$@\" -O1\n";
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/cc", folder);
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    fputs(script, file);
    compilers = folder;
    return fclose(file) || chmod(path, 0755);
}

static int forget_compiler(void **state) {
    (void)state;
    free(text);
    return unlink(path) || rmdir(folder);
}

static bool has_lanewise(void) { return hw_segment_level() && !strcmp(hw_segment_level(), "avx2"); }

// Ends the test where there is no compiler.
static void compile(bench *b) {
    uint32_t n = 0;
    if (!b->sim->compile || system("cc --version > /dev/null 2>&1")) skip();
    if (hw_compile_now(b->sim->compile, b->module->set, NULL, &n, &b->diag) != HW_OK) fail_msg("%s", b->diag.text);
    memset(lanewise_seen, 0, sizeof lanewise_seen);
}

// A text in which $0, $1, ... stand for others.
static void put_text(const char *form, const char *const *others) {
    length = 0;
    put(HEAD);
    for (const char *s = form; *s; s++) {
        if (*s == '$') put("%s", others[*++s - '0']);
        else put("%c", *s);
    }
}

// Launched before and after it is compiled, with the same outcome.
static void check_both(uint32_t shape) {
    static outcome before, after;
    bench b;
    begin(&b);
    launch(&b, 0, shape, &before);
    compile(&b);
    launch(&b, 0, shape, &after);
    check(0, shape, &before, &after);
    hw_sim_destroy(b.sim);
}

// Rows of different lengths, which lanes go through one after the other: sums, of floats too, some of them NaNs; a
// store under a branch, in memory of its own, or in that which others' loads read; addresses by an index and whole; of
// all lanes, or of few that are packed; and one lane that is in other memory than the others.
static const char rows[] =
    ".visible .entry k0(.param .u64 out, .param .u64 in, .param .u64 bins)\n{\n"
    ".reg .pred %p, %q; .reg .b32 %r<5>, %t, %i, %one, %sum; .reg .f32 %f<3>; .reg .b64 %in, %out, %bins, %at, %row;\n"
    "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u64 %bins, [bins]; mov.u32 %t, %tid.x;\n"
    "mov.u32 %i, %ctaid.x; mov.u32 %r0, %ntid.x; mad.lo.s32 %i, %i, %r0, %t; mul.wide.u32 %at, %i, 4;\n"
    "add.s64 %out, %out, %at; mad.lo.s32 %r1, %i, 977, 5; and.b32 %r1, %r1, 4095; mul.wide.u32 %at, %r1, 4;\n"
    "add.s64 %row, %in, %at; mad.lo.s32 %r2, %i, 7, 3; and.b32 %r2, %r2, 31; mov.u32 %one, 1; mov.u32 %r4, 0;\n"
    "mov.f32 %f0, 0f00000000; mov.u32 %sum, 0; $0\n"
    "LOOP: ld.global.u32 %r3, [%row]; and.b32 %r3, %r3, 2047; mul.wide.u32 %at, %r3, 4; add.s64 %at, %at, %in;\n"
    "ld.global.f32 %f1, [%at]; fma.rn.f32 %f0, %f1, %f0, %f1; mov.b32 %r0, %f1; mad.lo.s32 %sum, %sum, 31, %r0;\n"
    "and.b32 %r0, %r3, 1; setp.eq.s32 %q, %r0, 0; @%q bra OVER; mad.lo.s32 %r0, %r3, 5, %r4; and.b32 %r0, %r0, $2;\n"
    "mul.wide.u32 %at, %r0, 4; add.s64 %at, %at, $1; st.global.u32 [%at], %one;\n"
    "OVER: add.s64 %row, %row, 4; add.s32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r2; @%p bra LOOP;\n"
    "mov.b32 %r0, %f0; xor.b32 %r0, %r0, %sum; st.global.u32 [%out], %r0; END: ret;\n}\n";
static const struct {
    const char *others[3];     // a choice of lanes; where is stored to, among how many words
    uint32_t shape;
    bool goes;                 // lanes do go one after the other
} walks[] = {
    {{"", "%bins", "63"}, 0, true},
    {{"", "%in", "4095"}, 0, false},
    {{"setp.eq.u32 %q, %i, 70; @%q mov.b64 %row, %bins;", "%in", "4095"}, 3, false},
    {{"and.b32 %r0, %t, 3; setp.ne.u32 %p, %r0, 1; @%p bra END;", "%bins", "63"}, 3, true},
    {{"and.b32 %r0, %t, 3; setp.ne.u32 %p, %r0, 1; @%p bra END;", "%in", "4095"}, 3, false},
};

static void test_rows(void **state) {
    (void)state;
    for (unsigned k = 0; k < sizeof walks / sizeof *walks; k++) {
        put_text(rows, walks[k].others);
        make_inputs();
        check_both(walks[k].shape);
        if (has_lanewise() && (lanewise_seen[MADE] > 0) != walks[k].goes)
            fail_msg("walk %u: %u, %u, %u", k, lanewise_seen[MADE], lanewise_seen[NOT_TRIED], lanewise_seen[ENDED]);
    }
}

// From some step on one lane loads what all of the warp store to, words that none has stored to before. Lanes' indices
// change by what they load, so that they do not lie as before.
static const char turned[] =
    ".visible .entry k0(.param .u64 out, .param .u64 in, .param .u64 bins)\n{\n"
    ".reg .pred %p; .reg .b32 %r<5>, %t, %one, %sum, %cut; .reg .b64 %in, %out, %bins, %at;\n"
    "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u64 %bins, [bins]; mov.u32 %t, %tid.x;\n"
    "mul.wide.u32 %at, %t, 4; add.s64 %out, %out, %at; mul.lo.s32 %r1, %t, 2; mov.u32 %one, 1; mov.u32 %r4, 0;\n"
    "mov.u32 %sum, 0; setp.eq.u32 %p, %t, $0; selp.b32 %cut, 89, 1000, %p; and.b32 %r2, %t, 7;\n"
    "add.s32 %r2, %r2, 110;\n"
    "LOOP: setp.eq.u32 %p, %r4, %cut; selp.b64 %in, %bins, %in, %p; mul.wide.u32 %at, %r1, 4; add.s64 %at, %at, %in;\n"
    "ld.global.u32 %r3, [%at]; ld.global.u32 %r0, [%at+4]; mad.lo.s32 %sum, %sum, 31, %r3; xor.b32 %sum, %sum, %r0;\n"
    "mad.lo.s32 %r1, %r1, 5, %sum; and.b32 %r1, %r1, 62; shr.u32 %r3, %r4, 1; and.b32 %r0, %r1, 2;\n"
    "add.s32 %r3, %r3, %r0; mul.wide.u32 %at, %r3, 4; add.s64 %at, %at, %bins;\n"
    "st.global.u32 [%at], %one; add.s32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r2; @%p bra LOOP;\n"
    "st.global.u32 [%out], %sum; ret;\n}\n";

static void test_a_lane_turns_to_what_is_stored(void **state) {
    (void)state;
    static const char *const lanes[] = {"0", "9", "31"};
    for (unsigned k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        put_text(turned, &lanes[k]);
        make_inputs();
        check_both(1);
        if (has_lanewise() && (!lanewise_seen[MADE] || !lanewise_seen[ENDED]))
            fail_msg("lane %s: %u, %u, %u", lanes[k], lanewise_seen[MADE], lanewise_seen[NOT_TRIED],
                     lanewise_seen[ENDED]);
    }
}

// Elements of several widths by one index; one lane's may be where they must not. Each lane has 256 words of its own to
// find indices in, and goes through them in an order of its own.
enum { LANE_WORDS = 256, BAD_LANE = 13, BAD_STEP = 200 };
static const char reaching[] =
    ".visible .entry k0(.param .u64 out, .param .u64 in, .param .u64 bins)\n{\n"
    ".reg .pred %p, %q; .reg .b16 %h; .reg .b32 %r<5>, %t, %sum, %c; .reg .b64 %in, %out, %bins, %at, %row, %d;\n"
    "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u64 %bins, [bins]; mov.u32 %t, %tid.x;\n"
    "mul.wide.u32 %at, %t, 4; add.s64 %out, %out, %at; mul.wide.u32 %at, %t, 1024; add.s64 %row, %in, %at;\n"
    "mad.lo.s32 %c, %t, 2, 1; mov.u32 %r1, 0; mov.u32 %r4, 0; mov.u32 %sum, 0; and.b32 %r2, %t, 7;\n"
    "add.s32 %r2, %r2, 240;\n"
    "LOOP: mad.lo.s32 %r1, %r1, 5, %c; and.b32 %r1, %r1, 255; mul.wide.u32 %at, %r1, 4; add.s64 %at, %at, %row;\n"
    "ld.global.u32 %r3, [%at]; mul.wide.u32 %at, %r3, 2; add.s64 %at, %at, %bins;\n$0\n"
    "add.s32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r2; @%p bra LOOP;\nst.global.u32 [%out], %sum; ret;\n}\n";
static const char *const widths[] = {
    "ld.global.u8 %r0, [%at]; add.s32 %sum, %sum, %r0; ld.global.u32 %r0, [%at]; xor.b32 %sum, %sum, %r0;",
    "ld.global.s8 %r0, [%at+1]; add.s32 %sum, %sum, %r0; ld.global.u16 %h, [%at]; cvt.u32.u16 %r0, %h;\n"
    "add.s32 %sum, %sum, %r0; ld.global.s16 %r0, [%at+2]; xor.b32 %sum, %sum, %r0;",
    "ld.global.u64 %d, [%at]; cvt.u32.u64 %r0, %d; add.s32 %sum, %sum, %r0; ld.global.f32 %r0, [%at+4];\n"
    "xor.b32 %sum, %sum, %r0; ld.global.u8 %r0, [%at+7]; add.s32 %sum, %sum, %r0;",
};
enum { WIDTHS = sizeof widths / sizeof *widths };

// Indices are in units of 2 bytes, multiples of some. bad: that of one step of one lane, or 0.
static void put_indices(uint32_t steps, uint32_t bad) {
    random_state = 5;
    for (uint32_t k = 0; k < IN_WORDS; k++) inputs[k] = steps * pick((2 * BINS - 2) / steps);
    uint32_t at = 0;
    for (uint32_t k = 0; k < BAD_STEP; k++) at = (at * 5 + 2 * BAD_LANE + 1) % LANE_WORDS;
    if (bad) inputs[BAD_LANE * LANE_WORDS + at] = bad;
}

static void test_widths(void **state) {
    (void)state;
    for (unsigned k = 0; k < WIDTHS; k++) {
        put_text(reaching, &widths[k]);
        put_indices(4, 0);
        check_both(1);
        if (has_lanewise() && !lanewise_seen[MADE]) fail_msg("widths %u", k);
    }
}

// A module with more instructions, for which the worker forgets where the last one's accesses lay.
static void launch_larger(bench *b) {
    static char larger[16384];
    static outcome ignored;
    hw_sim_module *const module = b->module;
    size_t n = (size_t)snprintf(larger, sizeof larger, HEAD ".visible .entry k0(.param .u64 out)\n{\n"
                                ".reg .b32 %%r; .reg .b64 %%out;\nld.param.u64 %%out, [out];\n");
    for (int k = 0; k < 200; k++)
        n += (size_t)snprintf(larger + n, sizeof larger - n, "ld.global.u32 %%r, [%%out+%d];\n", 4 * k);
    n += (size_t)snprintf(larger + n, sizeof larger - n, "ret;\n}\n");
    assert_int_equal(hw_sim_load(b->sim, larger, n, "larger.ptx", &b->module, &b->diag), HW_OK);
    launch(b, 0, 1, &ignored);
    b->module = module;
}

// By a simulated GPU of its own, which does nothing behind a fault: a launch, and another with one index. steps: those
// that the first launch's indices are multiples of.
static hw_status launch_bad(bool is_compiled, uint32_t steps, uint32_t bad, outcome *o) {
    bench b;
    put_indices(steps, 0);
    begin(&b);
    launch(&b, 0, 1, o);
    if (is_compiled) compile(&b);
    launch_larger(&b);
    put_indices(4, bad);
    const hw_status status = try_launch(&b, 0, 1, o);
    o->fault.address -= b.bins;
    hw_sim_destroy(b.sim);
    return status;
}

// A load that has not been made since the launch began, at the same addresses as another.
static void test_a_load_behind_a_branch(void **state) {
    (void)state;
    static outcome before, after;
    static const char *const load =
        "ld.global.u32 %r0, [%at]; add.s32 %sum, %sum, %r0; and.b32 %r0, %r3, 2;\n"
        "setp.eq.u32 %q, %r0, 0; @%q bra OVER; "
        "mul.wide.u32 %at, %r3, 2; add.s64 %at, %at, %bins; ld.global.u32 %r0, [%at]; xor.b32 %sum, %sum, %r0;\nOVER:";
    put_text(reaching, &load);
    assert_int_equal(launch_bad(false, 2, 2, &before), HW_OK);
    assert_int_equal(launch_bad(true, 2, 2, &after), HW_OK);
    check(0, 1, &before, &after);
    if (has_lanewise() && (!lanewise_seen[MADE] || lanewise_seen[ENDED]))
        fail_msg("%u, %u, %u", lanewise_seen[MADE], lanewise_seen[NOT_TRIED], lanewise_seen[ENDED]);
}

// The last bytes that are no element, far away, and between two elements.
static const struct {
    unsigned widths;
    uint32_t bad, width_bytes;
} bad_steps[] = {{0, 2 * BINS, 4}, {0, 1 << 24, 1}, {0, 3, 4}, {2, 2 * BINS, 8}};

static void test_faults_in_the_middle(void **state) {
    (void)state;
    static outcome before, after;
    for (unsigned k = 0; k < sizeof bad_steps / sizeof *bad_steps; k++) {
        put_text(reaching, &widths[bad_steps[k].widths]);
        assert_int_equal(launch_bad(false, 4, bad_steps[k].bad, &before), HW_FAULT);
        if (launch_bad(true, 4, bad_steps[k].bad, &after) != HW_FAULT) fail_msg("fault %u has not been found", k);
        if (has_lanewise() && (!lanewise_seen[MADE] || !lanewise_seen[ENDED])) fail_msg("fault %u", k);
        const hw_fault *x = &before.fault, *y = &after.fault;
        assert_int_equal(y->thread[0], BAD_LANE);
        assert_int_equal(y->width_bytes, bad_steps[k].width_bytes);
        assert_int_equal(x->thread[0], y->thread[0]);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->address, y->address);
        assert_memory_equal(&before.sums, &after.sums, sizeof before.sums);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_a_lane_turns_to_what_is_stored),
        cmocka_unit_test(test_widths), cmocka_unit_test(test_a_load_behind_a_branch),
        cmocka_unit_test(test_faults_in_the_middle),
    };
    return cmocka_run_group_tests(tests, make_compiler, forget_compiler);
}
