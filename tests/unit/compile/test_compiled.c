// Compiled kernels against the interpreter, the reference: random kernels, many of them in one module, are launched in
// several shapes before and after they are compiled; memory and all sums must be the same, to the bit and to the count.
#include <sys/stat.h>
#include <unistd.h>

#include "compiled_run.h"

#ifdef HW_SANITIZED   // its kernels run in code that is not optimised
enum { SEEDS = 1 };
#else
enum { SEEDS = 3 };
#endif
enum { KERNELS = 5, R = 8, D = 4, F = 6, G = 3, P = 4 };
enum { ROW_WORDS = R + 2 * D + F + 2 * G + 1 };
_Static_assert((int)ROW_WORDS <= MOST_ROW_WORDS, "rows have room");

// ---- random kernels ----

static void put_guard(void) {
    if (pick(6) == 0) put("@%s%%p%u ", pick(2) ? "!" : "", pick(P));
}

typedef struct op {
    const char *name;
    char shape[6];     // of each operand: r d f g p register; i a number; c a shift; 1 one
} op;

static const op ops[] = {
    {"add.s32", "rrr"}, {"add.s32", "rri"}, {"sub.s32", "rrr"}, {"mul.lo.s32", "rrr"}, {"mul.hi.s32", "rrr"},
    {"mul.hi.u32", "rrr"}, {"mad.lo.s32", "rrrr"}, {"mul.wide.s32", "drr"}, {"mul.wide.u32", "dri"},
    {"mad.wide.s32", "drid"}, {"div.s32", "rrr"}, {"rem.u32", "rri"}, {"min.s32", "rrr"}, {"max.u32", "rrr"},
    {"abs.s32", "rr"}, {"neg.s32", "rr"}, {"and.b32", "rrr"}, {"or.b32", "rrr"}, {"xor.b32", "rri"}, {"not.b32", "rr"},
    {"shl.b32", "rrc"}, {"shr.u32", "rrc"}, {"shr.s32", "rrr"}, {"popc.b32", "rr"}, {"clz.b32", "rr"},
    {"brev.b32", "rr"}, {"bfe.u32", "rrcc"}, {"bfi.b32", "rrrcc"}, {"prmt.b32", "rrri"}, {"shf.l.wrap.b32", "rrrc"},
    {"dp4a.u32.u32", "rrrr"}, {"sad.u32", "rrrr"}, {"add.s64", "ddd"}, {"sub.s64", "ddd"}, {"mul.lo.s64", "ddd"},
    {"xor.b64", "ddd"}, {"shl.b64", "ddc"}, {"cvt.u32.u64", "rd"}, {"cvt.s64.s32", "dr"}, {"cvt.u64.u32", "dr"},
    {"cvt.rn.f32.s32", "fr"}, {"cvt.rzi.s32.f32", "rf"}, {"cvt.f64.f32", "gf"}, {"cvt.rn.f32.f64", "fg"},
    {"cvt.u32.u16", "rh"}, {"mov.b32", "fr"}, {"mov.b32", "rf"}, {"mov.b64", "gd"}, {"mov.b64", "dg"},
    {"add.f32", "fff"}, {"sub.f32", "fff"}, {"mul.f32", "fff"}, {"fma.rn.f32", "ffff"}, {"add.ftz.f32", "fff"},
    {"fma.rn.ftz.f32", "ffff"}, {"mul.sat.f32", "fff"}, {"min.f32", "fff"}, {"max.f32", "fff"}, {"neg.f32", "ff"},
    {"abs.f32", "ff"}, {"copysign.f32", "fff"}, {"div.rn.f32", "fff"}, {"rcp.rn.f32", "ff"}, {"sqrt.rn.f32", "ff"},
    {"rsqrt.approx.f32", "ff"}, {"ex2.approx.f32", "ff"}, {"lg2.approx.f32", "ff"}, {"sin.approx.f32", "ff"},
    {"add.f64", "ggg"}, {"mul.f64", "ggg"}, {"fma.rn.f64", "gggg"}, {"div.rn.f64", "ggg"}, {"min.f64", "ggg"},
    {"neg.f64", "gg"}, {"setp.lt.s32", "prr"}, {"setp.ge.u32", "pri"}, {"setp.eq.s64", "pdd"}, {"setp.lt.f32", "pff"},
    {"setp.neu.f32", "pff"}, {"setp.gtu.f64", "pgg"}, {"selp.b32", "rrrp"}, {"selp.f32", "fffp"}, {"selp.b64", "dddp"},
    {"and.pred", "ppp"}, {"or.pred", "ppp"}, {"xor.pred", "ppp"}, {"not.pred", "pp"}, {"setp.lt.and.s32", "prrp"},
    {"lop3.b32", "rrrrt"}, {"lop3.b32", "rrrrt"}, {"and.b32", "rr1"}, {"and.b64", "dd1"}, {"and.b32", "r1r"},
    {"setp.eq.s32", "pr1"}, {"setp.ne.s64", "pd1"},
};

static void put_operand(char shape) {
    switch (shape) {
    case 'r': put("%%r%u", pick(R)); break;
    case 'd': put("%%d%u", pick(D)); break;
    case 'f': put("%%f%u", pick(F)); break;
    case 'g': put("%%g%u", pick(G)); break;
    case 'p': put("%%p%u", pick(P)); break;
    case 'h': put("%%h0"); break;
    case 'c': put("%u", pick(40)); break;
    case 't': put("%u", pick(256)); break;
    case '1': put("1"); break;
    default: put("%d", (int)pick(2000) - 1000 + (pick(8) ? 0 : 1 << 30));
    }
}

static void put_op(void) {
    const op *o = &ops[pick(sizeof ops / sizeof *ops)];
    put_guard();
    put("%s ", o->name);
    for (const char *s = o->shape; *s; s++) {
        if (s > o->shape) put(", ");
        put_operand(*s);
    }
    put(";\n");
}

// Where lanes mean words that have nothing to do with each other, by indices and by addresses: of 4 and 8 bytes, with a
// sign and without, in global memory, in the warp's own shared memory, in the thread's own local memory. Lanes that
// store to one word of it do so in their order.
static const char *const scattered[] = {
    "and.b32 %%r0, %%r%u, 255; mul.wide.u32 %%at, %%r0, 4; add.s64 %%at, %%at, %%in;\nld.global.u32 %%r1, [%%at];\n",
    "and.b32 %%r0, %%r%u, 255; sub.s32 %%r0, %%r0, 100; mul.wide.s32 %%at, %%r0, 4; add.s64 %%at, %%at, %%in;\n"
    "ld.global.f32 %%f1, [%%at+400];\n",
    "and.b32 %%r0, %%r%u, 127; mul.wide.u32 %%at, %%r0, 8; add.s64 %%at, %%at, %%in; ld.global.u64 %%d1, [%%at+16];\n"
    "ld.global.u32 %%r0, [%%at+4];\n",
    "and.b32 %%r0, %%r%u, 255; mul.wide.u32 %%at, %%r0, 2; add.s64 %%at, %%at, %%in; ld.global.s16 %%r1, [%%at+2];\n"
    "ld.global.u8 %%r2, [%%at+1]; ld.global.u8 %%h0, [%%at+3]; ld.global.s8 %%d1, [%%at];\n",
    "and.b32 %%r0, %%r%u, 7; mad.lo.s32 %%r0, %%i, 4*ROW, %%r0; cvt.u64.u32 %%at, %%r0; add.s64 %%at, %%at, %%out;\n"
    "st.global.u8 [%%at], %%r1; st.global.u8 [%%at+8], %%h0; ld.global.s8 %%r1, [%%at];\n",
    "and.b32 %%r0, %%r%u, 63; mul.wide.u32 %%at, %%r0, 64; add.s64 %%at, %%at, %%in; ld.global.s32 %%d3, [%%at+4];\n",
    "and.b32 %%r0, %%r%u, 508; cvt.u64.u32 %%at, %%r0; add.s64 %%at, %%at, %%in; ld.global.u32 %%r1, [%%at+8];\n",
    "and.b32 %%r0, %%r%u, 1016; cvt.u64.u32 %%at, %%r0; sub.s64 %%at, %%in, %%at; ld.u64 %%d2, [%%at+1016];\n",
    "and.b32 %%r0, %%r%u, 124; add.s32 %%r0, %%r0, %%sw; ld.shared.u32 %%r1, [%%r0]; add.s32 %%r1, %%r1, 1;\n"
    "st.shared.u32 [%%r0], %%r1;\n",
    "and.b32 %%r1, %%r%u, 30; shl.b32 %%r1, %%r1, 2; add.s32 %%r1, %%r1, %%sw; ld.shared.u32 %%r2, [%%r1+4];\n"
    "st.shared.u32 [%%r1], %%r2; ld.shared.f32 %%f0, [%%r1+4];\n",
    "and.b32 %%r0, %%r%u, 15; mul.wide.u32 %%at, %%r0, 4; add.s64 %%at, %%at, %%stack; ld.local.u32 %%r1, [%%at];\n"
    "add.s32 %%r1, %%r1, %%i; st.local.u32 [%%at], %%r1;\n",
    "and.b32 %%r0, %%r%u, 56; cvt.u64.u32 %%at, %%r0; add.s64 %%at, %%at, %%stack; st.local.f32 [%%at+4], %%f2;\n"
    "ld.local.u32 %%r2, [%%at];\n",
    "and.b32 %%r0, %%r%u, 7; mad.lo.s32 %%r0, %%i, ROW, %%r0; mul.wide.u32 %%at, %%r0, 4; add.s64 %%at, %%at, %%out;\n"
    "ld.global.u32 %%r1, [%%at]; add.s32 %%r1, %%r1, 3; st.global.u32 [%%at], %%r1;\n",
    "and.b32 %%r0, %%r%u, 6; mad.lo.s32 %%r0, %%i, ROW, %%r0; mul.wide.s32 %%at, %%r0, 4; add.s64 %%at, %%at, %%out;\n"
    "st.global.f32 [%%at+4], %%f3;\n",
};

// Side by side, the same for all, by columns of which each warp has one, by a sum that is computed on the way, and by
// what lanes hold. Each warp has shared memory of its own, since the order of warps is nobody's business.
static void put_load(void) {
    static const char *const widths[] = {"u8", "s8", "u16", "s16", "u32"};
    uint32_t at = pick(64);
    switch (pick(8)) {
    case 0: put("ld.global.u32 %%r%u, [%%in+%u];\n", pick(R), 4 * at); break;
    case 1: put("ld.global.f32 %%f%u, [%%mine+%u];\n", pick(F), 4 * at); break;
    case 2:
        put("add.s64 %%at, %%mine, %u; ld.global.%s %%r%u, [%%at+%u];\n", 8 * at, widths[pick(5)], pick(R), 4 * at);
        break;
    case 3: put("mul.wide.u32 %%at, %%i, 8; add.s64 %%at, %%at, %%in; ld.global.u64 %%d%u, [%%at];\n", pick(D)); break;
    case 4: put("ld.shared.u32 %%r%u, [%%s+%u];\n", pick(R), 4 * (at & 7)); break;
    case 5: {
        uint32_t r = pick(R);
        put("ld.global.v2.u32 {%%r%u, %%r%u}, [%%pair+%u];\n", r, (r + 1) % R, 8 * at);
        break;
    }
    case 6: put("ld.global.u32 %%r%u, [%%column+%u];\n", pick(R), 4 * at); break;
    default: put(scattered[0], pick(R));
    }
}

static void put_scattered(void) {
    for (const char *s = scattered[pick(sizeof scattered / sizeof *scattered)]; *s;) {
        if (!strncmp(s, "4*ROW", 5)) put("%d", 4 * ROW_WORDS), s += 5;
        else if (!strncmp(s, "ROW", 3)) put("%d", ROW_WORDS), s += 3;
        else if (!strncmp(s, "%u", 2) || !strncmp(s, "%%", 2)) s[1] == 'u' ? put("%u", pick(R)) : put("%%"), s += 2;
        else put("%c", *s++);
    }
}

static void put_store(void) {
    const uint32_t what = pick(7);
    if (what == 0) put("and.b32 %%r0, %%r%u, 28; cvt.u64.u32 %%at, %%r0; add.s64 %%at, %%at, %%own;\n"
                       "st.global.u32 [%%at], %%r%u;\n", pick(R), pick(R));
    else if (what == 6) put("and.b32 %%r0, %%r%u, %d; cvt.u64.u32 %%at, %%r0; add.s64 %%at, %%at, %%bins;\n"
                            "red.global.add.u32 [%%at], %%r%u;\n", pick(R), 4 * BINS - 4, pick(R));
    else if (what < 3) put("st.shared.u32 [%%s+%u], %%r%u;\n", 4 * pick(8), pick(R));
    else put("st.global.u32 [%%own+%u], %%r%u;\n", 4 * pick(8), pick(R));
}

static void put_statements(uint32_t n) {
    for (; n; n--) {
        uint32_t what = pick(20);
        if (what < 3) put_load();
        else if (what == 3) put_store();
        else if (what < 6) put_scattered();
        else put_op();
    }
}

// Gathers and scatters by what lanes hold, in whose loops lanes leave one by one.
enum { DEPTH = 3 };
static void put_piece(unsigned depth);
static void put_body(unsigned depth, uint32_t most) {
    put_statements(1 + pick(most));
    if (depth + 1 < DEPTH && pick(3) == 0) put_piece(depth + 1);
    if (pick(2)) put_statements(1 + pick(most));
}

static void put_branch(unsigned depth, unsigned label) {
    const bool has_else = pick(3);
    put("@%s%%p%u bra %s%u;\n", pick(2) ? "!" : "", pick(P), has_else ? "ELSE" : "END", label);
    put_body(depth, 8);
    if (has_else) {
        put("bra END%u;\nELSE%u:\n", label, label);
        put_body(depth, 8);
    }
    put("END%u:\n", label);
}

static void put_loop(unsigned depth, unsigned label) {
    const bool is_while = pick(2);
    put("mov.u32 %%k%u, %s;\nand.b32 %%b%u, %%r%u, 7;\n", depth, pick(2) ? "0" : "%lane3", depth, pick(R));
    if (pick(2)) put("mov.u32 %%b%u, 5;\n", depth);
    put("LOOP%u:\n", label);
    if (is_while) put("setp.ge.s32 %%q, %%k%u, %%b%u;\n@%%q bra DONE%u;\n", depth, depth, label);
    put_body(depth, 10);
    put("add.s32 %%k%u, %%k%u, 1;\n", depth, depth);
    if (is_while) put("bra LOOP%u;\nDONE%u:\n", label, label);
    else put("setp.lt.s32 %%q, %%k%u, %%b%u;\n@%%q bra LOOP%u;\n", depth, depth, label);
}

// A loop that one lane of each 8 or 16 goes through, computing and gathering; the others jump behind it, or exit.
static void put_few_lanes(const char *behind) {
    static unsigned labels;
    const unsigned label = labels++;
    put("and.b32 %%r0, %%t, %d; setp.ne.s32 %%q, %%r0, %u;\n", pick(2) ? 7 : 15, pick(8));
    put("@%%q bra %s%u;\n", behind, label);
    const unsigned loaded = 1 + pick(R - 1);      // by some of them, the others keep what they have computed
    put("add.s32 %%r%u, %%r%u, 77;\n@%%p%u bra NEAR%u;\n", loaded, loaded, pick(P), label);
    put("ld.global.u32 %%r%u, [%%mine+64];\nNEAR%u:\n", loaded, label);
    put("and.b32 %%b0, %%r%u, 31; mov.u32 %%k0, 0;\nFEW%u:\n", 1 + pick(R - 1), label);
    for (uint32_t n = 2 + pick(8); n; n--) put_op();
    if (pick(2)) put("@%%p%u bra OVER%u;\n", pick(P), label);
    else put("bra OVER%u;\n", label);
    for (uint32_t n = pick(4); n; n--) put_op();
    put("OVER%u:\n", label);
    if (pick(2)) put(scattered[0], pick(R));
    put("add.s32 %%k0, %%k0, 1; setp.lt.s32 %%q, %%k0, %%b0;\n@%%q bra FEW%u;\n", label);
    put("st.global.u32 [%%own+%u], %%r%u;\n%s%u:\n", 4 * pick(8), 1 + pick(R - 1), behind, label);
}

// A piece of a kernel: straight on, a branch that some lanes take, or a loop that all or some make.
static void put_piece(unsigned depth) {
    static unsigned labels;
    const unsigned label = labels++;
    switch (pick(depth ? 4 : 7)) {
    case 0: put_branch(depth, label); break;
    case 1: case 2: put_loop(depth, label); break;
    case 4: put("bar.sync 0;\n"); put_statements(1 + pick(6)); break;
    case 6: put_few_lanes("BEHIND"); break;
    default: put_statements(3 + pick(20));
    }
}

static void put_kernel(unsigned number) {
    put(".visible .entry k%u(.param .u64 out, .param .u64 in, .param .u64 bins)\n{\n", number);
    put(".reg .pred %%p<%d>, %%q; .reg .b16 %%h<2>; .reg .b32 %%r<%d>, %%i, %%s, %%sw, %%t, %%n, %%c, %%lane3;\n"
        ".reg .b32 %%k<%d>, %%b<%d>;\n"
        ".reg .b64 %%d<%d>, %%in, %%out, %%mine, %%own, %%pair, %%stack, %%at, %%column, %%bins;\n"
        ".reg .f32 %%f<%d>; .reg .f64 %%g<%d>;\n"
        ".local .align 8 .b8 stack[64];\n.shared .align 8 .b8 tile[%d];\n", P, R, DEPTH, DEPTH, D, F, G,
        4 * 256 + 8 * 32);
    put("ld.param.u64 %%out, [out]; ld.param.u64 %%in, [in];\n"
        "mov.u32 %%t, %%tid.x; mov.u32 %%c, %%ctaid.x; mov.u32 %%n, %%ntid.x; mad.lo.s32 %%i, %%c, %%n, %%t;\n"
        "mul.wide.s32 %%mine, %%i, 4; add.s64 %%mine, %%mine, %%in; mul.wide.s32 %%pair, %%i, 8;\n"
        "add.s64 %%pair, %%pair, %%in; mul.wide.u32 %%own, %%i, %d; add.s64 %%own, %%own, %%out;\n"
        "mov.u32 %%s, tile; mad.lo.s32 %%s, %%t, 4, %%s; shr.u32 %%r0, %%t, 5; mad.lo.s32 %%s, %%r0, 32, %%s;\n"
        "mov.u32 %%sw, tile; mad.lo.s32 %%sw, %%r0, 160, %%sw; mov.u64 %%stack, stack;\n"
        "and.b32 %%lane3, %%t, 3; st.shared.u32 [%%s], %%i;\n"
        "cvt.u16.u32 %%h0, %%i; ld.param.u64 %%bins, [bins]; and.b32 %%r1, %%t, 31; mad.lo.s32 %%r1, %%r1, 8, %%r0;\n"
        "mul.wide.s32 %%column, %%r1, 4; add.s64 %%column, %%column, %%in;\n", 4 * ROW_WORDS);
    if (pick(2)) put("setp.lt.u32 %%q, %%t, %d; @%%q ret;\n", pick(2) ? 3 : 17);    // the first lanes leave
    for (int r = 0; r < R; r++) put("ld.global.u32 %%r%d, [%%mine+%d];\n", r, 512 * r);
    for (int k = 0; k < 16; k++) put("st.local.u32 [%%stack+%d], %%r%d;\n", 4 * k, k % R);
    for (int d = 0; d < D; d++) put("mul.wide.s32 %%d%d, %%r%d, %%r%d;\n", d, d, d + 1);
    for (int f = 0; f < F; f++) put("%s %%f%d, %%r%d;\n", pick(2) ? "mov.b32" : "cvt.rn.f32.s32", f, f);
    for (int g = 0; g < G; g++) put("cvt.f64.f32 %%g%d, %%f%d;\n", g, g);
    for (int p = 0; p < P; p++) put("setp.lt.s32 %%p%d, %%r%d, %%r%d;\n", p, p, p + 1);
    for (uint32_t n = 1 + pick(6); n; n--) put_piece(0);
    for (int r = 0; r < R; r++) put("st.global.u32 [%%own+%d], %%r%d;\n", 4 * r, r);
    for (int f = 0; f < F; f++) put("st.global.f32 [%%own+%d], %%f%d;\n", 4 * (R + f), f);
    for (int d = 0; d < D; d++)
        put("cvt.u32.u64 %%r0, %%d%d; shr.u64 %%at, %%d%d, 32; cvt.u32.u64 %%r1, %%at;\n"
            "st.global.u32 [%%own+%d], %%r0; st.global.u32 [%%own+%d], %%r1;\n", d, d, 4 * (R + F + 2 * d),
            4 * (R + F + 2 * d + 1));
    for (int g = 0; g < G; g++)
        put("mov.b64 {%%r0, %%r1}, %%g%d; st.global.u32 [%%own+%d], %%r0; st.global.u32 [%%own+%d], %%r1;\n", g,
            4 * (R + F + 2 * D + 2 * g), 4 * (R + F + 2 * D + 2 * g + 1));
    if (pick(2)) put_few_lanes("EXIT");
    put("ret;\n}\n");
}

// ---- before and after ----

static unsigned packed_of(const hw_program *program) {
    unsigned n = 0;
    for (uint32_t i = 0; i < program->n_insts; i++) n += program->regions[i] && program->regions[i]->inside;
    return n;
}

static unsigned n_packed;      // regions whose lanes are packed, of all kernels
static void put_kernels(uint64_t seed) {
    random_state = seed * 7919 + 3;
    length = 0;
    put(HEAD);
    for (unsigned k = 0; k < KERNELS; k++) put_kernel(k);
    make_inputs();
}

static void check_seed(uint64_t seed) {
    static outcome before[KERNELS][SHAPES], after;
    bench b;
    put_kernels(seed);
    begin(&b);
    for (unsigned k = 0; k < KERNELS; k++)
        for (unsigned s = 0; s < SHAPES; s++) launch(&b, k, s, &before[k][s]);
    if (!b.sim->compile) skip();    // no C compiler here
    uint32_t segments = 0;
    if (hw_compile_now(b.sim->compile, b.module->set, NULL, &segments, &b.diag) != HW_OK) fail_msg("%s", b.diag.text);
    assert_true(segments > 2 * KERNELS);
    for (unsigned k = 0; k < KERNELS; k++) n_packed += packed_of(b.module->set->programs[k]);
    for (unsigned k = 0; k < KERNELS; k++)
        for (unsigned s = 0; s < SHAPES; s++) {
            launch(&b, k, s, &after);
            check(k, s, &before[k][s], &after);
        }
    hw_sim_destroy(b.sim);
}

// HALFWARP_TEST_SEEDS="FIRST COUNT" tries others, and more of them.
static void test_random_kernels(void **state) {
    (void)state;
    unsigned first = 1, count = SEEDS;
    const char *asked = getenv("HALFWARP_TEST_SEEDS");
    if (asked) sscanf(asked, "%u %u", &first, &count);
    for (unsigned seed = first; seed < first + count; seed++) check_seed(seed);
    if (!asked) assert_true(n_packed > 0);
}

// The text of random kernels is C for processors that this machine is none of, too: a compiler that says so, and makes
// nothing. What is written for gathers is no text of the lowest level.
#ifdef __x86_64__
static void test_text_of_every_level(void **state) {
    (void)state;
    static const char script[] = "#!/bin/sh\n"
                                 "for word; do case $word in *.c) text=$word;; esac; done\n"
                                 "level() { cc -std=gnu11 -w -Werror=implicit-function-declaration -O0 -S -o /dev/null "
                                 "\"$@\" \"$text\" || exit; }\n"
                                 "level -mavx2 -mfma -mbmi -mbmi2 -mf16c\n"
                                 "level -mavx2 -mfma -mbmi -mbmi2 -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl\n"
                                 "echo it is C\nexit 1\n";
    static outcome ignored;
    char folder[] = "/tmp/halfwarp-test.XXXXXX", path[64];
    if (system("cc --version > /dev/null 2>&1")) skip();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cc", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(script, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
    compilers = folder;
    bench b;
    put_kernels(1);
    begin(&b);
    assert_non_null(b.sim->compile);
    for (unsigned k = 0; k < KERNELS; k++)
        for (unsigned s = 0; s < SHAPES; s++) launch(&b, k, s, &ignored);
    uint32_t segments = 0;
    assert_int_equal(hw_compile_now(b.sim->compile, b.module->set, NULL, &segments, &b.diag), HW_UNSUPPORTED);
    if (!strstr(b.diag.text, "it is C")) fail_msg("%s", b.diag.text);
    hw_sim_destroy(b.sim);
    compilers = NULL;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}
#endif

// More iterations than a turn has, in a loop under a branch, from which lanes leave one by one and in which they part:
// the warp stops inside, and goes on. Of the second shape's warps and those behind it few lanes stay, and are packed.
static const char long_loop[] =
    ".visible .entry k0(.param .u64 out, .param .u64 in, .param .u64 bins)\n{\n"
    ".reg .pred %p, %q; .reg .b32 %r<5>, %t, %i; .reg .b64 %in, %out, %at;\n"
    "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n"
    "mov.u32 %r0, %ntid.x; mad.lo.s32 %i, %i, %r0, %t; mul.wide.u32 %at, %i, 4; add.s64 %out, %out, %at;\n"
    "mov.u32 %r0, 0; mov.u32 %r1, %t; CHOICE\n"
    "LOOP: mul.lo.s32 %r2, %r1, 977; and.b32 %r2, %r2, 4095; mul.wide.u32 %at, %r2, 4;\n"
    "add.s64 %at, %at, %in; ld.global.u32 %r3, [%at]; and.b32 %r4, %r3, 1; setp.eq.s32 %q, %r4, 0;\n"
    "@%q bra EVEN; add.s32 %r0, %r0, %r3;\n"
    "EVEN: xor.b32 %r0, %r0, %r1; add.s32 %r1, %r1, 3; setp.lt.u32 %p, %r1, 200000; @%p bra LOOP;\n"
    "END\n}\n";
// What CHOICE and END are.
static const struct {
    const char *choice, *end;
    uint32_t shape;
    bool is_packed;
} turns[] = {
    {"setp.gt.u32 %p, %t, 20; @%p bra OTHERS;",
     "bra END; OTHERS: mov.u32 %r0, 7; END: st.global.u32 [%out], %r0; ret;", 1, false},
    {"and.b32 %r2, %t, 3; setp.ne.u32 %p, %r2, 1; @%p bra END;", "st.global.u32 [%out], %r0; END: ret;", 0, true},
    {"and.b32 %r2, %t, 35; setp.ne.u32 %p, %r2, 33; @%p bra END;", "st.global.u32 [%out], %r0; END: ret;", 3, true},
    {"and.b32 %r2, %t, 3; setp.ne.u32 %p, %r2, 1; @%p bra END;", "END: st.global.u32 [%out], %r0; ret;", 3, true},
};

static void put_turns(unsigned number) {
    length = 0;
    put(HEAD);
    for (const char *s = long_loop; *s;) {
        const bool is_end = !strncmp(s, "END\n", 4);
        if (!strncmp(s, "CHOICE", 6)) put("%s", turns[number].choice), s += 6;
        else if (is_end) put("%s", turns[number].end), s += 3;
        else put("%c", *s++);
    }
}

static void check_turns(unsigned number) {
    static outcome before, after;
    bench b;
    put_turns(number);
    make_inputs();
    begin(&b);
    if (!b.sim->compile) skip();
    launch(&b, 0, turns[number].shape, &before);
    uint32_t n = 0;
    if (hw_compile_now(b.sim->compile, b.module->set, NULL, &n, &b.diag) != HW_OK) fail_msg("%s", b.diag.text);
    assert_true(n > 0);
    const bool makes_accesses = strcmp(hw_segment_level(), "base") != 0;    // whose loops have bodies make them
    assert_true((packed_of(b.module->set->programs[0]) > 0) == (turns[number].is_packed && makes_accesses));
    launch(&b, 0, turns[number].shape, &after);
    check(0, turns[number].shape, &before, &after);
    hw_sim_destroy(b.sim);
}

// Lanes that have left a loop keep addresses that lie nowhere, of device and of shared memory, by an index and whole.
// Text that loads for all lanes must not load there.
static const char left_nowhere[] =
    ".visible .entry k0(.param .u64 out, .param .u64 in, .param .u64 bins)\n{\n"
    ".shared .align 4 .b8 tile[4096];\n"
    ".reg .pred %p; .reg .b32 %r<5>, %t, %i; .reg .b64 %in, %out, %at;\n"
    "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n"
    "mov.u32 %r0, %ntid.x; mad.lo.s32 %i, %i, %r0, %t; mul.wide.u32 %at, %i, 4; add.s64 %out, %out, %at;\n"
    "mov.u32 %r0, 0; mov.u32 %r4, 0; mad.lo.s32 %r1, %i, 977, 5; and.b32 %r1, %r1, 1023; and.b32 %t, %t, 31;\n"
    "LOOP: mul.wide.u32 %at, %r1, 4; add.s64 %at, %at, %in; ld.global.u32 %r3, [%at]; add.s32 %r0, %r0, %r3;\n"
    "mov.u32 %r2, tile; mad.lo.s32 %r2, %r1, 4, %r2; ld.shared.u32 %i, [%r2]; add.s32 %r0, %r0, %i;\n"
    "mul.wide.u32 %at, %r1, 12; add.s64 %at, %at, %in; ld.global.u32 %r3, [%at]; xor.b32 %r0, %r0, %r3;\n"
    "mad.lo.s32 %r1, %r1, 977, %r3; and.b32 %r1, %r1, 1023; add.s32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %t;\n"
    "selp.b32 %r1, %r1, 0x60000000, %p; @%p bra LOOP;\nst.global.u32 [%out], %r0; ret;\n}\n";
static void test_lanes_off_lie_nowhere(void **state) {
    (void)state;
    static outcome before, after;
    bench b;
    length = 0;
    put(HEAD "%s", left_nowhere);
    make_inputs();
    begin(&b);
    if (!b.sim->compile) skip();
    launch(&b, 0, 1, &before);
    uint32_t n = 0;
    if (hw_compile_now(b.sim->compile, b.module->set, NULL, &n, &b.diag) != HW_OK) fail_msg("%s", b.diag.text);
    for (int round = 0; round < 2; round++) {
        launch(&b, 0, 1, &after);
        check(0, 1, &before, &after);
    }
    hw_sim_destroy(b.sim);
}

static void test_turns_end_inside(void **state) {
    (void)state;
    for (unsigned k = 0; k < sizeof turns / sizeof *turns; k++) check_turns(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_kernels), cmocka_unit_test(test_turns_end_inside),
        cmocka_unit_test(test_lanes_off_lie_nowhere),
#ifdef __x86_64__
        cmocka_unit_test(test_text_of_every_level),
#endif
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(text);
    return failed;
}
