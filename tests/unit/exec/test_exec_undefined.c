// Which bits of results are undefined: kernels are launched again and again with other values in the undefined bits of
// what they load. A bit of the result that changes has to be undefined; for instructions that are known bit by bit
// (exact), a bit that is undefined has to change.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/sim.h"
#include "mem/defined.h"

#ifdef HW_SANITIZED
enum { PROGRAMS = 20, FILLINGS = 24, STEPS = 12 };
#else
enum { PROGRAMS = 200, FILLINGS = 48, STEPS = 12 };
#endif
// Of instructions each of whose undefined bits has to be seen to change: one may stay with odds of 3 to 4 in a filling.
enum { EXACT_FILLINGS = 96 };
enum { THREADS = 64, INPUTS = 9, REGISTERS = 9, RESULTS = 3, IN_BYTES = INPUTS * THREADS * 8,
       OUT_BYTES = RESULTS * THREADS * 8, TEXT = 1 << 14 };

// r d h p: the result, of 32, 64, 16 bits, or a predicate; R D H P: sources; K: a small constant.
typedef struct instruction {
    const char *text;
    bool is_exact;
} instruction;

static const instruction table[] = {
    {"mov.b32 r, R", true}, {"mov.b64 d, D", true}, {"mov.b16 h, H", true}, {"not.b32 r, R", true},
    {"and.b32 r, R, R", true}, {"or.b32 r, R, R", true}, {"xor.b32 r, R, R", true}, {"and.b64 d, D, D", true},
    {"or.b64 d, D, D", true}, {"and.b16 h, H, H", true}, {"and.b32 r, R, 255", true}, {"or.b32 r, R, 65280", true},
    {"lop3.b32 r, R, R, R, 0xe8", true}, {"lop3.b32 r, R, R, R, 0x1b", true}, {"lop3.b32 r, R, R, R, 0x40", true},
    {"shl.b32 r, R, K", true}, {"shr.u32 r, R, K", true}, {"shr.s32 r, R, K", true}, {"shl.b64 d, D, K", true},
    {"shr.s64 d, D, K", true}, {"shr.u64 d, D, K", true}, {"shr.s16 h, H, K", true}, {"shr.s32 r, R, 40", true},
    {"shf.l.wrap.b32 r, R, R, K", true}, {"shf.r.clamp.b32 r, R, R, K", true}, {"shl.b32 r, R, R", false},
    {"prmt.b32 r, R, R, 0x1076", true}, {"prmt.b32 r, R, R, 0x9f31", true}, {"prmt.b32 r, R, R, R", false},
    {"bfe.u32 r, R, K, K", true}, {"bfe.s32 r, R, K, 8", false}, {"bfe.u64 d, D, K, K", true},
    {"bfi.b32 r, R, R, K, K", true}, {"bfi.b64 d, D, D, K, K", true}, {"brev.b32 r, R", true},
    {"cvt.u32.u16 r, H", true}, {"cvt.s32.s16 r, H", true}, {"cvt.u16.u32 h, R", true}, {"cvt.u64.u32 d, R", true},
    {"cvt.s64.s32 d, R", true}, {"cvt.u32.u64 r, D", true}, {"cvt.u32.u8 r, R", true}, {"cvt.s32.s8 r, R", true},
    {"cvt.s16.s8 h, R", true}, {"cvt.sat.u8.u32 h, R", false}, {"cvt.rn.f32.u32 r, R", false},
    {"mov.b64 d, {R, R}", true}, {"mov.b64 {r, r}, D", true}, {"mov.b32 r, {H, H}", true},
    {"mov.b32 {h, h}, R", true}, {"selp.b32 r, R, R, P", false}, {"selp.b64 d, D, D, P", false},
    {"add.u32 r, R, R", false}, {"sub.u32 r, R, R", false}, {"sub.u32 r, R, 1", false}, {"add.u64 d, D, D", false},
    {"neg.s32 r, R", false}, {"mul.lo.u32 r, R, R", false}, {"mul.lo.u32 r, R, 0", true},
    {"mad.lo.u32 r, R, R, R", false}, {"mul.wide.u32 d, R, R", false}, {"mul.wide.s32 d, R, R", false},
    {"mad.wide.u32 d, R, R, D", false}, {"mul.hi.u32 r, R, R", false}, {"min.s32 r, R, R", false},
    {"max.u64 d, D, D", false}, {"popc.b32 r, R", false}, {"clz.b64 r, D", false}, {"abs.s32 r, R", false},
    {"div.u32 r, R, 7", false}, {"dp4a.u32.u32 r, R, R, R", false}, {"sad.u32 r, R, R, R", false},
    {"add.f32 r, R, R", false}, {"fma.rn.f32 r, R, R, R", false}, {"add.f64 d, D, D", false},
    {"add.f16x2 r, R, R", false}, {"sqrt.rn.f32 r, R", false}, {"vadd.u32.u32.u32 r, R, R", false},
    {"cvt.pack.sat.u16.s32 r, R, R", false}, {"cvt.pack.sat.s8.s32.b32 r, R, R, R", false},
    {"setp.eq.u32 p, R, R", false}, {"setp.ne.u32 p, R, 0", false}, {"setp.lt.u32 p, R, R", false},
    {"setp.ge.s32 p, R, R", false}, {"setp.lt.s32 p, R, 0", false}, {"setp.gt.s64 p, D, D", false},
    {"setp.le.u64 p, D, D", false}, {"setp.lt.f32 p, R, R", false}, {"setp.eq.and.u32 p, R, R, P", false},
    {"setp.lt.or.u32 p|p, R, R, P", false}, {"and.pred p, P, P", false}, {"or.pred p, P, P", false},
    {"xor.pred p, P, P", false}, {"not.pred p, P", false}, {"set.lt.u32.u32 r, R, R", false},
    {"slct.b32.s32 r, R, R, R", false}, {"shfl.sync.bfly.b32 r, R, 5, 31, -1", true},
    {"shfl.sync.down.b32 r, R, 3, 0x181f, -1", true}, {"shfl.sync.idx.b32 r|p, R, R, 31, -1", false},
    {"vote.sync.ballot.b32 r, P, -1", false}, {"vote.sync.any.pred p, P, -1", false},
    {"vote.sync.all.pred p, P, -1", false}, {"vote.sync.uni.pred p, P, -1", false},
    {"redux.sync.or.b32 r, R, -1", false}, {"add.cc.u32 r, R, R; addc.u32 r, R, R", false},
    {"sub.cc.u64 d, D, D; subc.u64 d, D, D", false}, {"ex2.approx.f32 r, R", false},
};
enum { INSTRUCTIONS = sizeof table / sizeof *table };

static uint64_t state;
static uint32_t next(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}
static uint64_t next_word(void) {
    return (uint64_t)next(1 << 30) << 40 ^ (uint64_t)next(1 << 30) << 20 ^ next(1 << 30);
}

// ---- programs -------------------------------------------------------------------------------------------------------

// A text of PTX with registers in place of letters; `alone`: the sources in order, and the last one of each as result.
static bool is_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_'; }

static int spell(char *out, const char *text, bool alone) {
    static const char letters[] = "rdhpRDHPK";
    int n = 0, sources = 0, results = 0;
    for (char before = ' '; *text; before = *text++) {
        const char *at = strchr(letters, *text);
        if (!at || is_of_word(before) || is_of_word(text[1])) {
            out[n++] = *text;
            continue;
        }
        const bool is_source = *text < 'a';
        const uint32_t number = alone       ? (uint32_t)(is_source ? ++sources : REGISTERS - results++)
                                : is_source ? 1 + next(REGISTERS) : 4 + next(REGISTERS - 3);
        if (*text == 'K') n += sprintf(out + n, "%u", next(14));
        else n += sprintf(out + n, "%%%c%u", letters[(at - letters) % 4], number);
    }
    return n + sprintf(out + n, ";\n");
}

static int begin_text(char *out) {
    int n = sprintf(out, ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
                         "out)\n{\n.reg .pred %%p<10>; .reg .b16 %%h<10>; .reg .b32 %%r<12>; .reg .b64 %%d<10>, %%a<6>;"
                         "\nld.param.u64 %%a1, [in]; ld.param.u64 %%a2, [out]; mov.u32 %%r11, %%tid.x;\n"
                         "mul.wide.u32 %%a3, %%r11, 8; add.u64 %%a1, %%a1, %%a3; add.u64 %%a2, %%a2, %%a3;\n");
    for (int k = 1; k <= 3; k++)
        n += sprintf(out + n, "ld.global.u32 %%r%d, [%%a1+%d]; ld.global.u64 %%d%d, [%%a1+%d]; ld.global.u16 %%h%d, "
                              "[%%a1+%d];\n", k, (3 * k - 3) * THREADS * 8, k, (3 * k - 2) * THREADS * 8, k,
                     (3 * k - 1) * THREADS * 8);
    for (int k = 4; k <= REGISTERS; k++)
        n += sprintf(out + n, "mov.u32 %%r%d, %d; mov.u64 %%d%d, %d; mov.u16 %%h%d, %d;\n", k, 3 * k, k, 5 * k, k,
                     7 * k);
    // Predicates, undefined here and there as well.
    for (int k = 1; k <= REGISTERS; k++)
        n += sprintf(out + n, "and.b32 %%r10, %%r%d, %d; setp.ne.u32 %%p%d, %%r10, 0;\n", k % 3 + 1, 1 << k, k);
    return n;
}

// Predicates and registers that no result has go into the result of 32 bits when there is a program of many.
static void end_text(char *out, bool alone) {
    int n = sprintf(out, "selp.u32 %%r10, 1, 0, %%p9;\n");
    if (alone) n += sprintf(out + n, "st.global.u32 [%%a2+4], %%r10;\n");
    for (int k = 4; !alone && k < REGISTERS; k++)
        n += sprintf(out + n, "xor.b32 %%r9, %%r9, %%r%d; xor.b64 %%d9, %%d9, %%d%d; xor.b16 %%h9, %%h9, %%h%d;\n", k,
                     k, k);
    sprintf(out + n,
            "st.global.u32 [%%a2], %%r9; st.global.u64 [%%a2+%d], %%d9; st.global.u16 [%%a2+%d], %%h9;\nret;\n}\n",
            THREADS * 8, 2 * THREADS * 8);
}

// ---- launches -------------------------------------------------------------------------------------------------------

typedef struct fixture {
    hw_sim *sim;
    hw_sink sink;
    uint64_t in, out;
    uint8_t values[IN_BYTES], undefined[IN_BYTES];
    unsigned told;
} fixture;

static void hear(hw_sink *sink, uint32_t worker, const hw_undefined_told *told) {
    fixture *f = (fixture *)((char *)sink - offsetof(fixture, sink));
    (void)worker;
    f->told += told->use != HW_UNDEFINED_IS_BORN;
}

static void begin(fixture *f) {
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1};
    f->sink = (hw_sink){.events = HW_WANTS(UNDEFINED), .undefined = hear, .defined = hw_defined_create()};
    assert_int_equal(hw_sim_create(&options, &f->sim, NULL), HW_OK);
    assert_int_equal(hw_sim_add_sink(f->sim, &f->sink, NULL), HW_OK);
    hw_mem *mem = hw_sim_mem(f->sim);
    assert_int_equal(hw_mem_alloc(mem, IN_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &f->in, NULL), HW_OK);
    assert_int_equal(hw_mem_alloc(mem, OUT_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &f->out, NULL), HW_OK);
    hw_defined_follow(f->sink.defined, f->in, IN_BYTES, true);
    hw_defined_follow(f->sink.defined, f->out, OUT_BYTES, true);
}

static void end(fixture *f) {
    hw_sim_destroy(f->sim);
    hw_defined_destroy(f->sink.defined);
}

// Inputs of which some bits are undefined: none, all, some bytes, a few bits.
static void choose_inputs(fixture *f) {
    for (int i = 0; i < IN_BYTES; i += 8) {
        const uint64_t value = next_word() & (next(3) ? ~(uint64_t)0 : 0xff);
        const uint64_t bits = next_word() & next_word() & next_word();
        uint64_t undefined = 0;
        switch (next(5)) {
        case 0: undefined = ~(uint64_t)0; break;
        case 1: undefined = (uint64_t)0xff << 8 * next(8); break;
        case 2: undefined = bits; break;
        case 3: undefined = (uint64_t)1 << next(64); break;
        default: break;
        }
        memcpy(f->values + i, &value, 8);
        memcpy(f->undefined + i, &undefined, 8);
    }
    hw_defined_put(f->sink.defined, f->in, IN_BYTES, f->undefined, 1);
}

static void launch(fixture *f, hw_sim_function *function, uint8_t out[OUT_BYTES]) {
    void *params[] = {&f->in, &f->out};
    const hw_sim_launch_args args = {.function = function, .grid = {1, 1, 1}, .block = {THREADS, 1, 1},
                                     .params = params};
    hw_sim_refusal refusal;
    hw_fault fault;
    hw_diag diag = {0};
    uint8_t *in = hw_mem_host(hw_sim_mem(f->sim), f->in);
    for (int i = 0; i < IN_BYTES; i++) in[i] = f->values[i] ^ (uint8_t)(next(256) & f->undefined[i]);
    hw_mem_set_changed(hw_sim_mem(f->sim), f->in);
    memset(hw_mem_host(hw_sim_mem(f->sim), f->out), 0, OUT_BYTES);
    hw_defined_set(f->sink.defined, f->out, OUT_BYTES);
    assert_int_equal(hw_sim_launch(f->sim, &args, &refusal, &fault, &diag), HW_OK);
    memcpy(out, hw_mem_host(hw_sim_mem(f->sim), f->out), OUT_BYTES);
}

static void compare(fixture *f, const char *text, bool is_exact) {
    uint8_t first[OUT_BYTES], out[OUT_BYTES], changed[OUT_BYTES] = {0}, undefined[OUT_BYTES];
    hw_sim_module *module;
    hw_sim_function *function;
    hw_diag diag = {0};
    if (hw_sim_load(f->sim, text, strlen(text), "k.ptx", &module, &diag))
        fail_msg("%s\n%s", diag.text, strstr(text, "%p9"));
    assert_int_equal(hw_sim_find_function(module, "k", &function, &diag), HW_OK);
    launch(f, function, first);
    for (int round = 1; round < (is_exact ? EXACT_FILLINGS : FILLINGS); round++) {
        launch(f, function, out);
        for (int i = 0; i < OUT_BYTES; i++) changed[i] |= out[i] ^ first[i];
    }
    hw_defined_get(f->sink.defined, f->out, OUT_BYTES, undefined);
    for (int i = 0; i < OUT_BYTES; i++) {
        if (changed[i] & ~undefined[i])
            fail_msg("byte %d: bits %02x change and count as defined (undefined %02x)\n%s", i, changed[i], undefined[i],
                     strstr(text, "%p9"));
        if (is_exact && undefined[i] & ~changed[i])
            fail_msg("byte %d: bits %02x count as undefined and only %02x change\n%s", i, undefined[i], changed[i],
                     strstr(text, "%p9"));
    }
    hw_sim_unload(f->sim, module);
}

static void test_each(void **unused) {
    static fixture f;
    static char text[TEXT];
    (void)unused;
    begin(&f);
    for (int k = 0; k < INSTRUCTIONS; k++) {
        int n = begin_text(text);
        n += spell(text + n, table[k].text, true);
        end_text(text + n, true);
        choose_inputs(&f);
        // The predicates that a program begins with are no part of the results of those that are exact.
        compare(&f, text, table[k].is_exact && !strchr(table[k].text, 'P'));
    }
    end(&f);
}

static void test_programs(void **unused) {
    static fixture f;
    static char text[TEXT];
    (void)unused;
    begin(&f);
    for (int round = 0; round < PROGRAMS; round++) {
        int n = begin_text(text);
        for (int k = 0; k < STEPS; k++) n += spell(text + n, table[next(INSTRUCTIONS)].text, false);
        end_text(text + n, false);
        choose_inputs(&f);
        compare(&f, text, false);
    }
    assert_int_equal(f.told, 0);
    end(&f);
}

// ---- programs of their own ------------------------------------------------------------------------------------------

static hw_sim_function *load(fixture *f, const char *text) {
    hw_sim_module *module;
    hw_sim_function *function;
    hw_diag diag = {0};
    if (hw_sim_load(f->sim, text, strlen(text), "k.ptx", &module, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(hw_sim_find_function(module, "k", &function, NULL), HW_OK);
    return function;
}

// Two blocks.
static void run(fixture *f, hw_sim_function *function, uint32_t threads) {
    void *params[] = {&f->in, &f->out};
    const hw_sim_launch_args args = {.function = function, .grid = {2, 1, 1}, .block = {threads, 1, 1},
                                     .params = params};
    hw_sim_refusal refusal;
    hw_fault fault;
    assert_int_equal(hw_sim_launch(f->sim, &args, &refusal, &fault, NULL), HW_OK);
}

// What the first warps of a block have written, and read, says nothing of others that do the same elsewhere.
static void test_other_warps(void **unused) {
    static fixture f;
    (void)unused;
    begin(&f);
    hw_sim_function *function = load(
        &f, ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .pred %p<3>; .reg .b32 %r<6>; .shared .align 4 .b8 s[2048];\n"
            "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;\n"
            "setp.ge.u32 %p1, %r1, 256;\n@%p1 bra READ;\nst.shared.u32 [%r4], %r1;\n"
            "READ: bar.sync 0;\nld.shared.u32 %r5, [%r4]; setp.gt.u32 %p2, %r5, 3;\n"
            "@%p2 bra END;\nst.shared.u32 [%r4], 7;\nEND: ret;\n}\n");
    run(&f, function, 256);
    assert_int_equal(f.told, 0);
    run(&f, function, 512);
    assert_int_equal(f.told, 2 * 8);    // warps
    end(&f);
}

// A register that a branch alone gives a constant, which is so without the branch where nobody asks.
static void test_constant_of_a_branch(void **unused) {
    static fixture f;
    (void)unused;
    begin(&f);
    hw_sim_function *function = load(
        &f, ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<2>;\n"
            "ld.param.u64 %d1, [out]; mov.u32 %r1, %ntid.x; setp.le.u32 %p1, %r1, 32;\n@%p1 bra USE;\n"
            "mov.u32 %r2, 7; mov.b32 %r3, %r2;\nUSE: setp.gt.u32 %p2, %r3, 2;\n@%p2 bra END;\n"
            "st.global.u32 [%d1], %r1;\nEND: ret;\n}\n");
    run(&f, function, 64);
    assert_int_equal(f.told, 0);
    run(&f, function, 32);
    assert_int_equal(f.told, 2);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each), cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_other_warps), cmocka_unit_test(test_constant_of_a_branch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
