// Rows, kernels and inputs of the opcode tests.
#include "cases.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int opcode_type_bits(const char *type) {
    static const struct { const char *name; int bits; } types[] = {
        {"b8", 8},     {"u8", 8},      {"s8", 8},      {"b16", 16},    {"u16", 16},   {"s16", 16}, {"f16", 16},
        {"bf16", 16},  {"b32", 32},    {"u32", 32},    {"s32", 32},    {"f32", 32},   {"f16x2", 32}, {"bf16x2", 32},
        {"shift", 32}, {"b64", 64},    {"u64", 64},    {"s64", 64},    {"f64", 64},   {"pred", 1},  {"tf32", 32},
        {"u16x2", 32}, {"s16x2", 32},  {"e4m3x2", 16}, {"e5m2x2", 16},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, type)) return types[i].bits;
    return 0;
}

// ---- reading ----

static char *trim(char *s) {
    while (isspace((unsigned char)*s)) s++;
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1])) s[--n] = 0;
    return s;
}

static bool parse_tolerance(char *text, opcode_case *c) {
    char kind[8];
    double value;
    int length;
    for (; *trim(text); text += length) {
        if (sscanf(text, "%7s %lf%n", kind, &value, &length) != 2) return false;
        if (!strcmp(kind, "ulp")) c->ulp = value;
        else if (!strcmp(kind, "abs")) c->absolute = value;
        else if (!strcmp(kind, "rel")) c->relative = value;
        else return false;
    }
    return true;
}

static bool parse_row(char *row, opcode_case *c, const char **error) {
    memset(c, 0, sizeof *c);
    char *text = strchr(row, '|');
    if (text) *text++ = 0;
    char *tolerance = strchr(row, '~');
    if (tolerance) *tolerance++ = 0;
    char *colon = strchr(row, ':');
    while (colon && colon[1] == ':') colon = strchr(colon + 2, ':');
    char *arrow = colon ? strstr(colon, "->") : NULL;
    *error = "a row reads 'name : types -> type'";
    if (!arrow) return false;
    *colon = *arrow = 0;
    snprintf(c->name, sizeof c->name, "%s", trim(row));
    snprintf(c->out, sizeof c->out, "%s", trim(arrow + 2));
    for (char *t = strtok(colon + 1, " \t"); t; t = strtok(NULL, " \t")) {
        if (c->n_in == CASE_INPUTS) return false;
        snprintf(c->in[c->n_in++], sizeof c->in[0], "%s", t);
    }
    *error = "unknown type";
    if (!opcode_type_bits(c->out)) return false;
    for (int k = 0; k < c->n_in; k++)
        if (!opcode_type_bits(c->in[k])) return false;
    *error = "a tolerance reads '~ulp N', '~abs X' or '~rel X'";
    if (tolerance && !parse_tolerance(tolerance, c)) return false;
    if (text) {
        snprintf(c->text, sizeof c->text, "%s", trim(text));
    } else {
        static const char *const operands[] = {"%d;", "%d, %a;", "%d, %a, %b;", "%d, %a, %b, %c;",
                                               "%d, %a, %b, %c, %e;"};
        snprintf(c->text, sizeof c->text, "%s %s", c->name, operands[c->n_in]);
    }
    *error = NULL;
    return true;
}

bool opcode_case_read(FILE *file, int *line, opcode_case *c, const char **error) {
    static char text[CASE_THREADS * 20 + 1024];
    *error = NULL;
    do {
        if (!fgets(text, sizeof text, file)) return false;
        ++*line;
        char *comment = strchr(text, '#');
        if (comment) *comment = 0;
    } while (!*trim(text));
    if (!parse_row(trim(text), c, error)) return false;
    c->line = *line;
    long here = ftell(file);
    if (fgets(text, sizeof text, file) && text[0] == '=') {
        ++*line;
        c->has_expected = true;
        char *at = text + 1;
        for (int t = 0; t < CASE_THREADS; t++) c->expected[t] = strtoull(at, &at, 16);
    } else {
        fseek(file, here, SEEK_SET);
    }
    return true;
}

// ---- inputs ----

static const uint64_t f32_edges[] = {
    0, 0x80000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x3f000000, 0xbf000000, 1, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc00001,
    0x40490fdb, 0xc0490fdb, 0x4b800000, 0x4b800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000,
    0x5f800000, 0x3dcccccd, 0x477fe000, 0x477ff000, 0x33800000, 0x40200000, 0xc0200000, 0x42fe0000, 0x437f8000,
    0x1e3ce508, 0x60ad78ec, 0x00400000, 0x7e800000, 0xbe99999a};
static const uint64_t f64_edges[] = {
    0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff8000000000000, 0x3fe0000000000000,
    0xbfe0000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
    0xfff8000000000001, 0x400921fb54442d18, 0x4340000000000000, 0x41dfffffffc00000, 0xc1e0000000000000,
    0x41f0000000000000, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x3fb999999999999a,
    0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x3810000000000000,
    0x40effc0000000000, 0x40effe0000000000, 0x4004000000000000, 0xc004000000000000, 0x3e60000000000000,
    0x4060000000000000};
static const uint64_t f16_edges[] = {
    0, 0x8000, 0x3c00, 0xbc00, 0x3e00, 0x3800, 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
    0x7c01, 0xfe01, 0x4248, 0x6400, 0x5640, 0x2e66, 0x4100, 0xc100, 0x7800, 0x1400};
static const uint64_t bf16_edges[] = {
    0, 0x8000, 0x3f80, 0xbf80, 0x3fc0, 0x3f00, 0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0,
    0x7f81, 0xffc1, 0x4049, 0x4b80, 0x42fe, 0x3dcd, 0x4020, 0xc020, 0x7e80, 0x0100};
static const uint64_t int_edges[] = {
    0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x7fffffff, 0x80000000,
    0x80000001, 0xffffffff, 0xfffffffe, 0x55555555, 0xaaaaaaaa, 0x12345678, 0xffff0000, 0x7fffffffffffffff,
    0x8000000000000000, 0x8000000000000001, 0xffffffffffffffff, 0xfffffffffffffffe, 0xffffffff80000000,
    0x123456789abcdef0, 0x5555555555555555};

static uint64_t random_bits(uint64_t n) {
    n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    n = (n ^ n >> 27) * 0x94d049bb133111ebu;
    return n ^ n >> 31;
}

static uint64_t pick(const uint64_t *set, size_t n, int t, int k) {
    static const int step[] = {1, 7, 11, 5};
    return set[((size_t)t * (size_t)step[k] + (size_t)(k ? t / (int)n + 3 * k : 0)) % n];
}
#define PICK(set) pick(set, sizeof set / sizeof *set, t, k)

uint64_t opcode_case_input(const opcode_case *c, int t, int k) {
    const char *type = c->in[k];
    int bits = opcode_type_bits(type);
    uint64_t value, mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    uint64_t noise = random_bits((uint64_t)t * 4 + (uint64_t)k);
    bool edges = t < 100;
    if (!strcmp(type, "pred")) return (uint64_t)(t >> k) & 1;
    if (!strcmp(type, "shift")) return edges ? (uint64_t)(t * 3 + k) % 68 : noise & 0xffffffff;
    const uint64_t f32_exponent = 0x3f000000 + (noise >> 40 & 7) * 0x800000;
    if (!strcmp(type, "f32")) value = edges ? PICK(f32_edges) : (noise & 0x807fffff) | f32_exponent;
    else if (!strcmp(type, "f64")) value = edges ? PICK(f64_edges) : (noise & 0x800fffffffffffff) | 0x3ff0000000000000;
    else if (!strcmp(type, "f16")) value = edges ? PICK(f16_edges) : noise;
    else if (!strcmp(type, "bf16")) value = edges ? PICK(bf16_edges) : noise;
    else if (!strcmp(type, "f16x2")) value = edges ? PICK(f16_edges) | (noise & 0xffff) << 16 : noise;
    else if (!strcmp(type, "bf16x2")) value = edges ? PICK(bf16_edges) | (noise & 0xffff) << 16 : noise;
    else value = edges ? PICK(int_edges) : noise;
    return value & mask;
}

// ---- the kernel ----

typedef struct register_class {
    const char *declare, *memory;    // types of the register and of its load or store
} register_class;

static register_class class_of(const char *type) {
    if (!strcmp(type, "f32") || !strcmp(type, "f64")) return (register_class){type, type};
    switch (opcode_type_bits(type)) {
    case 8: return (register_class){"b16", type[0] == 's' ? "s8" : "u8"};
    case 16: return (register_class){"b16", "u16"};
    case 32: return (register_class){"b32", "u32"};
    case 64: return (register_class){"b64", "u64"};
    default: return (register_class){"pred", "u32"};
    }
}

char *opcode_case_ptx(const opcode_case *c) {
    static const char *const names[] = {"a", "b", "c", "e"};
    char *text = malloc(8192);
    size_t size = 8192, n = 0;
    if (!text) return NULL;
#define PUT(...) n += (size_t)snprintf(text + n, n < size ? size - n : 0, __VA_ARGS__)
    PUT(".version 8.4\n.target sm_90\n.address_size 64\n");
    PUT(".visible .entry test(.param .u64 in, .param .u64 out)\n{\n");
    PUT("  .reg .b64 %%in, %%out, %%off, %%u<4>;\n  .reg .b32 %%thread, %%cell, %%t<4>;\n");
    PUT("  .reg .b16 %%h<4>;\n  .reg .pred %%p<4>;\n");
    for (int k = 0; k < c->n_in; k++) PUT("  .reg .%s %%%s;\n", class_of(c->in[k]).declare, names[k]);
    PUT("  .reg .%s %%d;\n", class_of(c->out).declare);
    PUT("  ld.param.u64 %%in, [in];\n  ld.param.u64 %%out, [out];\n  mov.u32 %%thread, %%tid.x;\n");
    PUT("  mul.wide.u32 %%off, %%thread, 32;\n  add.u64 %%in, %%in, %%off;\n");
    PUT("  mul.wide.u32 %%off, %%thread, 8;\n  add.u64 %%out, %%out, %%off;\n");
    for (int k = 0; k < c->n_in; k++) {
        if (!strcmp(c->in[k], "pred"))
            PUT("  ld.global.u32 %%cell, [%%in+%d];\n  setp.ne.u32 %%%s, %%cell, 0;\n", 8 * k, names[k]);
        else
            PUT("  ld.global.%s %%%s, [%%in+%d];\n", class_of(c->in[k]).memory, names[k], 8 * k);
    }
    PUT("  %s\n", c->text);
    if (!strcmp(c->out, "pred")) PUT("  selp.u32 %%cell, 1, 0, %%d;\n  st.global.u32 [%%out], %%cell;\n");
    else PUT("  st.global.%s [%%out], %%d;\n", class_of(c->out).memory);
    PUT("  ret;\n}\n");
#undef PUT
    return text;
}

// ---- comparing ----

static double to_double(const char *type, uint64_t bits) {
    if (!strcmp(type, "f64")) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    if (!strcmp(type, "f32") || !strcmp(type, "tf32")) {
        float f;
        uint32_t b = (uint32_t)bits;
        memcpy(&f, &b, 4);
        return f;
    }
    if (!strcmp(type, "bf16")) return to_double("f32", bits << 16);
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024, sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return bits & 1023 ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14));
}

static double unit_in_last_place(const char *type, double value) {
    int digits = !strcmp(type, "f64") ? 53 : !strcmp(type, "f32") ? 24 : !strcmp(type, "bf16") ? 8 : 11;
    int lowest = !strcmp(type, "f64") ? -1074 : !strcmp(type, "f32") ? -149 : !strcmp(type, "bf16") ? -133 : -24;
    int exponent;
    frexp(value, &exponent);
    return ldexp(1, exponent - digits < lowest ? lowest : exponent - digits);
}

static bool agree(const opcode_case *c, const char *type, uint64_t want, uint64_t got) {
    if (want == got) return true;
    if (!(c->ulp > 0 || c->absolute > 0 || c->relative > 0)) return false;
    double w = to_double(type, want), g = to_double(type, got);
    if (isnan(w) && isnan(g)) return true;
    double error = fabs(g - w);
    return (c->ulp > 0 && error <= c->ulp * unit_in_last_place(type, w)) || (c->absolute > 0 && error <= c->absolute) ||
           (c->relative > 0 && error <= c->relative * fabs(w));
}

bool opcode_case_agrees(const opcode_case *c, int t, uint64_t got) {
    uint64_t want = c->expected[t];
    if (!strcmp(c->out, "f16x2") || !strcmp(c->out, "bf16x2")) {
        const char *half = c->out[0] == 'b' ? "bf16" : "f16";
        return agree(c, half, want & 0xffff, got & 0xffff) && agree(c, half, want >> 16 & 0xffff, got >> 16 & 0xffff);
    }
    return agree(c, c->out, want, got);
}
