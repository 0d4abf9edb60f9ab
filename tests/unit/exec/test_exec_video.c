// Video instructions, as text through the parser, against plain C written from PTX ISA 9.7.18: hundreds of
// random ones, with every selector, mask, sign and second operation.
#include "exec_run.h"

enum { THREADS = 64, PER_KERNEL = 128 };

typedef struct video {
    const char *op;        // add sub avrg absdiff min max shl shr set mad
    int n;                 // parts: 1, 2, 4
    bool d_signed, a_signed, b_signed, sat, wrap, plus_one, negate_a, negate_c;
    const char *second;    // "", "add", "min", "max"
    const char *cmp;       // of set
    int scale;             // of mad: 0, 7, 15
    char a_part[8], b_part[8], d_part[8];    // "h10", "b3", ...; "" none
    char text[256];
} video;

static uint32_t next_random(uint32_t bound) {
    static uint64_t state = 12345;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % bound;
}

// ---- the reference ----

static int64_t widen(uint64_t x, int bits, bool is_signed) {
    int64_t range = (int64_t)1 << bits, value = (int64_t)(x % (uint64_t)range);
    return is_signed && value >= range / 2 ? value - range : value;
}

static __int128 clamp(__int128 x, int bits, bool is_signed) {
    __int128 most = ((__int128)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return x > most ? most : x < least ? least : x;
}

static bool compares(const char *cmp, int64_t a, int64_t b) {
    if (!strcmp(cmp, "eq")) return a == b;
    if (!strcmp(cmp, "ne")) return a != b;
    if (!strcmp(cmp, "lt")) return a < b;
    if (!strcmp(cmp, "le")) return a <= b;
    if (!strcmp(cmp, "gt")) return a > b;
    return a >= b;
}

static __int128 operate(const video *v, int64_t a, int64_t b) {
    if (!strcmp(v->op, "add")) return a + b;
    if (!strcmp(v->op, "sub")) return a - b;
    if (!strcmp(v->op, "avrg")) return a + b >= 0 ? (a + b + 1) / 2 : -((-(a + b) + 1) / 2);
    if (!strcmp(v->op, "absdiff")) return llabs(a - b);
    if (!strcmp(v->op, "min")) return a < b ? a : b;
    if (!strcmp(v->op, "max")) return a > b ? a : b;
    if (!strcmp(v->op, "set")) return compares(v->cmp, a, b);
    int shift = v->wrap ? (int)(b % 32) : b > 32 ? 32 : (int)b;
    __int128 power = (__int128)1 << shift;
    if (!strcmp(v->op, "shl")) return a * power;
    return a >= 0 ? a / power : -((-(__int128)a + power - 1) / power);
}

static int64_t one_part(const char *part, uint32_t x, bool is_signed) {
    if (!part[0]) return widen(x, 32, is_signed);
    int bits = part[0] == 'h' ? 16 : 8;
    return widen(x >> bits * (part[1] - '0'), bits, is_signed);
}

static uint32_t scalar(const video *v, uint32_t a, uint32_t b, uint32_t c) {
    bool shifts = !strncmp(v->op, "sh", 2), sets = !strcmp(v->op, "set"), d_signed = v->d_signed && !sets;
    __int128 t = operate(v, one_part(v->a_part, a, v->a_signed), one_part(v->b_part, b, v->b_signed && !shifts));
    int bits = v->d_part[0] == 'h' ? 16 : v->d_part[0] ? 8 : 32;
    __int128 other = widen(c, 32, d_signed);
    if (v->sat) t = clamp(t, bits, d_signed);
    if (!strcmp(v->second, "add")) t += other;
    if (!strcmp(v->second, "min") && other < t) t = other;
    if (!strcmp(v->second, "max") && other > t) t = other;
    if (!v->d_part[0]) return (uint32_t)t;
    uint8_t bytes[4], from[4];
    uint32_t value = (uint32_t)t;
    memcpy(bytes, &c, 4);
    memcpy(from, &value, 4);
    memcpy(bytes + bits / 8 * (v->d_part[1] - '0'), from, (size_t)bits / 8);
    memcpy(&value, bytes, 4);
    return value;
}

static uint32_t mad(const video *v, uint32_t a, uint32_t b, uint32_t c) {
    bool is_signed = v->a_signed || v->b_signed || v->negate_a;
    __int128 t = (__int128)one_part(v->a_part, a, v->a_signed) * one_part(v->b_part, b, v->b_signed);
    if (v->negate_a) t = -t;
    t += v->negate_c ? -widen(c, 32, is_signed) : widen(c, 32, is_signed);
    t += v->plus_one;
    __int128 divisor = (__int128)1 << v->scale, quotient = t / divisor;
    if (quotient * divisor > t) quotient--;
    return (uint32_t)(v->sat ? clamp(quotient, 32, is_signed || v->negate_c) : quotient);
}

static uint32_t simd(const video *v, uint32_t a, uint32_t b, uint32_t c) {
    int bits = 32 / v->n;
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = !strcmp(v->second, "add") ? c : 0;
    for (int k = 0; k < v->n; k++) {
        int from_a = v->a_part[0] ? v->a_part[v->n - k] - '0' : k;
        int from_b = v->b_part[0] ? v->b_part[v->n - k] - '0' : k + v->n;
        int64_t t = (int64_t)operate(v, widen(both >> bits * from_a, bits, v->a_signed),
                                     widen(both >> bits * from_b, bits, v->b_signed));
        bool is_on = !v->d_part[0] || strchr(v->d_part, '0' + k);
        if (v->sat) t = (int64_t)clamp(t, bits, v->d_signed);
        if (!strcmp(v->second, "add")) r += is_on ? (uint32_t)t : 0;
        else r |= (uint32_t)widen((uint64_t)(is_on ? t : (int64_t)(c >> bits * k)), bits, false) << bits * k;
    }
    return r;
}

// ---- instructions ----

static const char *type(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

static void choose_parts(video *v) {
    static const char *const scalars[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
    static const char *const masks_2[] = {"", "h0", "h1", "h10"};
    static const char *const masks_4[] = {"", "b0", "b1", "b10", "b2", "b20", "b21", "b210", "b3", "b30", "b31", "b310",
                                          "b32", "b320", "b321", "b3210"};
    char *sources[] = {v->a_part, v->b_part};
    for (int k = 0; k < 2; k++) {
        if (v->n == 1) strcpy(sources[k], scalars[next_random(7)]);
        else if (next_random(3) == 0) sources[k][0] = 0;
        else if (v->n == 2) sprintf(sources[k], "h%u%u", next_random(4), next_random(4));
        else sprintf(sources[k], "b%u%u%u%u", next_random(8), next_random(8), next_random(8), next_random(8));
    }
    if (v->n == 1) strcpy(v->d_part, v->second[0] ? "" : scalars[next_random(7)]);
    else strcpy(v->d_part, v->n == 2 ? masks_2[next_random(4)] : masks_4[next_random(16)]);
}

static void choose(video *v) {
    static const char *const of_one[] = {"add", "sub", "absdiff", "min", "max", "shl", "shr", "set", "mad"};
    static const char *const of_many[] = {"add", "sub", "avrg", "absdiff", "min", "max", "set"};
    static const char *const seconds[] = {"", "add", "min", "max"};
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    *v = (video){.n = 1 << next_random(3), .d_signed = next_random(2), .a_signed = next_random(2),
                 .b_signed = next_random(2), .second = "", .cmp = ""};
    v->op = v->n == 1 ? of_one[next_random(9)] : of_many[next_random(7)];
    bool sets = !strcmp(v->op, "set"), shifts = !strncmp(v->op, "sh", 2), mads = !strcmp(v->op, "mad");
    v->second = mads ? "" : v->n == 1 ? seconds[next_random(4)] : seconds[next_random(2)];
    v->sat = !sets && next_random(2) && (v->n == 1 || !v->second[0]);
    v->wrap = next_random(2);
    if (shifts) v->b_signed = false;
    if (sets) v->cmp = comparisons[next_random(6)];
    choose_parts(v);
    char name[80], number[12] = "", operands[80], parts[3][10] = {"", "", ""};
    if (v->n > 1) sprintf(number, "%d", v->n);
    if (mads) {
        v->d_part[0] = 0;
        v->scale = (int[]){0, 7, 15}[next_random(3)];
        v->plus_one = next_random(3) == 0;
        v->negate_a = !v->plus_one && next_random(3) == 0;
        v->negate_c = !v->plus_one && !v->negate_a && next_random(3) == 0;
    }
    snprintf(name, sizeof name, "v%s%s%s%s%s%s%s%s%s%s%s%s%s", v->op, number, sets ? "" : type(v->d_signed),
             type(v->a_signed), type(v->b_signed), sets ? "." : "", v->cmp, v->plus_one ? ".po" : "",
             v->sat ? ".sat" : "", shifts ? (v->wrap ? ".wrap" : ".clamp") : "", v->second[0] ? "." : "", v->second,
             v->scale == 7 ? ".shr7" : v->scale ? ".shr15" : "");
    const char *const part[] = {v->d_part, v->a_part, v->b_part};
    for (int k = 0; k < 3; k++)
        if (part[k][0]) snprintf(parts[k], sizeof parts[k], ".%s", part[k]);
    snprintf(operands, sizeof operands, "%%r10%s, %s%%r5%s, %%r6%s", parts[0], v->negate_a ? "-" : "", parts[1],
             parts[2]);
    bool has_c = v->n > 1 || mads || v->second[0] || v->d_part[0];
    snprintf(v->text, sizeof v->text, "%s %s%s;", name, operands, !has_c ? "" : v->negate_c ? ", -%r7" : ", %r7");
}

static uint32_t expected(const video *v, const uint32_t *x) {
    if (!strcmp(v->op, "mad")) return mad(v, x[0], x[1], x[2]);
    return v->n == 1 ? scalar(v, x[0], x[1], x[2]) : simd(v, x[0], x[1], x[2]);
}

static void fill(uint32_t (*in)[3]) {
    static const uint32_t edges[] = {0, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x80000000, 0x7fffffff, 0x80007fff,
                                     0x00ff00ff, 1, 31, 32, 33};
    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < 3; k++)
            in[t][k] = next_random(3) ? next_random(1u << 31) * 2 + next_random(2) : edges[next_random(12)];
}

static void run_some(video *all) {
    static const char load[] = "mul.wide.u32 %rd4, %r1, 12; add.u64 %rd4, %rd2, %rd4; ld.global.u32 %r5, [%rd4];"
                               " ld.global.u32 %r6, [%rd4+4]; ld.global.u32 %r7, [%rd4+8];\n";
    static char ptx[65536];
    uint32_t in[THREADS][3];
    size_t length = 0;
    char body[PER_KERNEL * 240] = "";
    for (int k = 0; k < PER_KERNEL; k++)
        length += (size_t)snprintf(body + length, sizeof body - length, "%s st.global.u32 [%%rd3+%d], %%r10;\n",
                                   all[k].text, 4 * THREADS * k);
    static const char frame[] = KERNEL("", "@@");
    const char *at = strstr(frame, "@@");
    snprintf(ptx, sizeof ptx, "%.*s%s%s ret;%s", (int)(at - frame), frame, load, body, at + 2);
    fill(in);
    run_result *r = run_ok((run_args){.block = THREADS, .ptx = ptx, .in = in, .in_bytes = sizeof in});
    for (int k = 0; k < PER_KERNEL; k++)
        for (int t = 0; t < THREADS; t++) {
            uint32_t want = expected(&all[k], in[t]), got = r->out[k * THREADS + t];
            if (got != want)
                fail_msg("%s of %08x %08x %08x: %08x, not %08x", all[k].text, in[t][0], in[t][1], in[t][2], got, want);
        }
}

static void test_random_instructions(void **state) {
    (void)state;
    static video all[PER_KERNEL];
    for (int turn = 0; turn < 16; turn++) {
        for (int k = 0; k < PER_KERNEL; k++) choose(&all[k]);
        run_some(all);
    }
}

// What nvcc prints for __vabsdiffu4, __vsadu4 and __vsadu2, which have bodies of their own.
static void test_printed_by_nvcc(void **state) {
    (void)state;
    static video all[PER_KERNEL];
    static const video forms[] = {
        {.op = "absdiff", .n = 4, .second = "", .text = "vabsdiff4.u32.u32.u32 %r10, %r5, %r6, %r7;"},
        {.op = "absdiff", .n = 4, .second = "add", .text = "vabsdiff4.u32.u32.u32.add %r10, %r5, %r6, %r7;"},
        {.op = "absdiff", .n = 2, .second = "add", .text = "vabsdiff2.u32.u32.u32.add %r10, %r5, %r6, %r7;"}};
    for (int k = 0; k < PER_KERNEL; k++) all[k] = forms[k % 3];
    run_some(all);
}

// Lanes that are off keep what they had.
static void test_guarded(void **state) {
    (void)state;
    run_result *r = run_ok((run_args){.block = 32, .ptx = KERNEL("",
        "mov.u32 %r10, 77; setp.lt.u32 %p1, %r1, 8; @%p1 vsub4.u32.u32.u32 %r10.b20, %r1, 1, 0x50505050; "
        STORE_RET("%r10"))});
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(r->out[t], t < 8 ? 0x50005000 + ((t - 1) & 0xff) : 77);
}

static void test_what_is_malformed(void **state) {
    (void)state;
    static const char *const texts[] = {
        "vadd4.u32.u32.u32 %r10, %r5, %r6;", "vadd4.u32.u32.u32.sat.add %r10, %r5, %r6, %r7;",
        "vadd4.u32.u32.u32 %r10.h10, %r5, %r6, %r7;", "vadd4.u32.u32.u32 %r10.b0123, %r5, %r6, %r7;",
        "vadd4.u32.u32.u32 %r10, %r5.b321, %r6, %r7;", "vadd4.u32.u32.u32 %r10, %r5, %r6.b8000, %r7;",
        "vadd4.u32.u32.u32 %r10, %r5, %r6, %r7.b3210;", "vadd2.u32.u32.u32 %r10, %r5.h40, %r6, %r7;",
        "vadd2.u32.u32.u32 %r10.h2, %r5, %r6, %r7;", "vadd.u32.u32.u32 %r10, %r5.b4, %r6;",
        "vadd.u32.u32.u32 %r10, %r5.h2, %r6;", "vadd.u32.u32.u32 %r10, %r5.b10, %r6;", "vadd.u32.u32 %r10, %r5, %r6;",
        "vadd.u32.u32.u32 %r10, -%r5, %r6;", "vset4.u32.u32 %r10, %r5, %r6, %r7;", "vadd.u32.u32.u32 %r10, %r5., %r6;",
        "vadd.u32.u32.u32 %r10, %r5.b, %r6;", "vadd.u32.u32.u32 %r10, .b0, %r6;", "add.u32 %r10, %r5.b0, %r6;",
        "vshl.u32.u32.u32 %r10, %r5, %r6;", "vmad.u32.u32.u32.shr7.shr15 %r10, %r5, %r6, %r7;",
        "vadd4.u32.u32.u32 _, %r5, %r6, %r7;", "vadd.u32.u32.u32 %r10, %f1, %r6;",
        "vadd.u32.u32.u32 %r10.b33333, %r5, %r6;"};
    static run_result r;
    char ptx[2048];
    static const char frame[] = KERNEL("", "@@");
    const char *at = strstr(frame, "@@");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(ptx, sizeof ptx, "%.*s%s ret;%s", (int)(at - frame), frame, texts[i], at + 2);
        run_kernel(&(run_args){.block = 32, .ptx = ptx}, &r);
        if (r.status != HW_MALFORMED && r.status != HW_UNSUPPORTED) fail_msg("%s: %d", texts[i], r.status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_instructions), cmocka_unit_test(test_printed_by_nvcc),
        cmocka_unit_test(test_guarded), cmocka_unit_test(test_what_is_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
