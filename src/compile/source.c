// The text of a segment: for each warp, for each half of its lanes, one loop over 16 lanes that a C compiler turns into
// vector code, with each register a variable.
//
//     void segment_N(char *w, u32 n, const at *m) {
//         ... what is the same for all lanes of all warps
//         for (u32 k = 0; k < n; k++, w += WARP_BYTES) {
//             ... predicates of the warp
//             for (u32 h = 0; h < 2; h++) {
//                 ... addresses; values that are the same in the half
//                 LANES { ... loads, values; PUT(...) of registers that are needed afterwards }
//             }
//             ... predicates that are needed afterwards; the store
//         }
//     }
//
// A register that is written twice has two variables. A float whose NaN need not be canonical yet is `raw`: arithmetic
// that gives the same for any NaN takes it as it is, everything else takes canon(x).
#include "compile/source.h"

#include <stdlib.h>
#include <string.h>

#include "compile/forms.h"
#include "compile/usage.h"
#include "exec/ops/lanes.h"

typedef struct variable {
    hw_slot slot;
    uint32_t number;         // vN
    const char *type;
    bool is_raw, is_dirty;   // dirty: the slot has another value
} variable;

enum { MOST_VARIABLES = 1024, PARTS = 6 };

typedef enum part { PART_LAUNCH, PART_WARP, PART_HALF, PART_LANE, PART_HALF_END, PART_WARP_END } part;

typedef struct writer {
    const hw_program *program;
    const hw_segment *segment;
    FILE *parts[PARTS];
    char *texts[PARTS];
    size_t lengths[PARTS];
    variable variables[MOST_VARIABLES];
    uint32_t n_variables, n_numbers, access;
    const char *guard;       // what instructions under a guard depend on, or NULL
    char guard_text[128];
    bool failed;
    // Functions of values that the text names: by body.
    uint8_t *is_named;
    uint8_t *is_live;        // behind the segment
} writer;

// ---- types ----

static const char *plain_type(const char *type) {
    return !strcmp(type, "float") ? "f32" : !strcmp(type, "double") ? "f64" : type;
}

static unsigned type_bytes(const char *type) {
    if (!strcmp(type, "int")) return 0;    // a predicate
    return (unsigned)atoi(plain_type(type) + 1) / 8;
}

static const char *bits_type(unsigned bytes) {
    return bytes == 8 ? "u64" : bytes == 4 ? "u32" : bytes == 2 ? "u16" : "u8";
}

static bool is_float(const char *type) { return plain_type(type)[0] == 'f'; }

// x, of a type, as another of the same width.
static const char *as_type(char out[128], const char *x, const char *from, const char *to) {
    from = plain_type(from), to = plain_type(to);
    if (!strcmp(from, to)) snprintf(out, 128, "%s", x);
    else if (is_float(from) || is_float(to)) snprintf(out, 128, "AS(%s, %s)", to, x);
    else snprintf(out, 128, "(%s)%s", to, x);
    return out;
}

// ---- registers ----

static variable *find_variable(writer *w, hw_slot slot) {
    for (uint32_t k = w->n_variables; k-- > 0;)
        if (w->variables[k].slot == slot) return &w->variables[k];
    return NULL;
}

static variable *add_variable(writer *w, hw_slot slot, const char *type) {
    variable *v = find_variable(w, slot);
    if (!v && w->n_variables == MOST_VARIABLES) {
        w->failed = true;
        v = &w->variables[0];
    }
    if (!v) v = &w->variables[w->n_variables++];
    *v = (variable){.slot = slot, .number = w->n_numbers++, .type = plain_type(type)};
    return v;
}

// A constant that is known now, and is no address, which another process would have elsewhere.
static const hw_immediate *find_immediate(const hw_program *program, hw_slot slot) {
    for (uint32_t k = 0; k < program->n_immediates; k++)
        if (program->immediates[k].slot == slot) return program->immediates[k].bits >> 32 ? NULL
                                                                                         : &program->immediates[k];
    return NULL;
}

static bool is_uniform(hw_slot slot) { return (slot & 3) == HW_BASE_LAUNCH || (slot & 3) == HW_BASE_BLOCK; }

// The variable that holds a register's value, read where it was not yet.
static variable *read_variable(writer *w, hw_slot slot, const char *type) {
    variable *v = find_variable(w, slot);
    if (v) return v;
    const char *bits = bits_type(type_bytes(type));
    v = add_variable(w, slot, bits);
    const hw_immediate *known = (slot & 3) == HW_BASE_LAUNCH ? find_immediate(w->program, slot) : NULL;
    if (known)
        fprintf(w->parts[PART_LAUNCH], "    const %s v%u = %lluu;\n", bits, v->number, (unsigned long long)known->bits);
    else if (is_uniform(slot))
        fprintf(w->parts[PART_LAUNCH], "    const %s v%u = *(const %s *)REGISTER(%u, %u);\n", bits, v->number, bits,
                slot & 3, slot);
    else
        fprintf(w->parts[PART_LANE], "                const %s v%u = ((const %s *)REGISTER(%u, %u))[LANE];\n", bits,
                v->number, bits, slot & 3, slot);
    return v;
}

// A register's value as an expression of a type. takes_raw: any NaN will do.
static const char *read_as(writer *w, char out[128], hw_slot slot, const char *type, bool takes_raw) {
    const variable *v = read_variable(w, slot, type);
    char name[64];
    snprintf(name, sizeof name, v->is_raw && !takes_raw ? "canon(v%u)" : "v%u", v->number);
    return as_type(out, name, v->type, type);
}

// A predicate as 0 or 1.
static const char *read_predicate(writer *w, char out[128], hw_slot slot, bool is_negated) {
    variable *v = find_variable(w, slot);
    if (!v) {
        v = add_variable(w, slot, "int");
        fprintf(w->parts[is_uniform(slot) ? PART_LAUNCH : PART_WARP],
                "        const u32 w%u = *(const u32 *)REGISTER(%u, %u);\n", v->number, slot & 3, slot);
        fprintf(w->parts[PART_HALF], "            const u32 h%u = w%u >> 16 * h;\n", v->number, v->number);
        fprintf(w->parts[PART_LANE], "                const int v%u = h%u >> i & 1;\n", v->number, v->number);
    }
    snprintf(out, 128, is_negated ? "(v%u ^ 1)" : "v%u", v->number);
    return out;
}

// Writes `slot = value` of a type. Under a guard that is off the old value stays.
static void assign(writer *w, hw_slot slot, const char *type, const char *value, bool is_raw) {
    if (slot == HW_NO_SLOT) return;
    char old[128] = "";
    bool is_predicate = !strcmp(type, "int");
    if (w->guard && is_predicate) read_predicate(w, old, slot, false);
    else if (w->guard) read_as(w, old, slot, type, false);
    variable *v = add_variable(w, slot, type);
    v->is_dirty = true;
    v->is_raw = is_raw && !w->guard;
    if (w->guard && is_raw)
        fprintf(w->parts[PART_LANE], "                const %s v%u = %s ? canon(%s) : %s;\n", v->type, v->number,
                w->guard, value, old);
    else if (w->guard)
        fprintf(w->parts[PART_LANE], "                const %s v%u = %s ? (%s)(%s) : %s;\n", v->type, v->number,
                w->guard, v->type, value, old);
    else
        fprintf(w->parts[PART_LANE], "                const %s v%u = %s;\n", v->type, v->number, value);
}

// ---- instructions ----

// The call of a form's function with an instruction's operands.
static const char *call_form(writer *w, char *out, size_t size, const hw_inst *in, hw_body_id id, bool is_raw) {
    const hw_form *form = hw_form_of(id);
    const hw_slot operands[] = {in->a, in->b, in->c, in->fourth};
    int length = snprintf(out, size, "%s%s(", form->function, is_raw ? "_raw" : "");
    w->is_named[id] = 1;
    for (unsigned k = 0; k < 4 && form->sources[k]; k++) {
        char operand[128];
        read_as(w, operand, operands[k], form->sources[k], form->ignores_payloads);
        length += snprintf(out + length, size - (size_t)length, "%s%s", k ? ", " : "", operand);
    }
    snprintf(out + length, size - (size_t)length, ")");
    return out;
}

static void write_value(writer *w, const hw_inst *in, hw_body_id id) {
    const hw_form *form = hw_form_of(id);
    char value[768];
    call_form(w, value, sizeof value, in, id, form->is_canonical);
    assign(w, in->d, form->result, value, form->is_canonical);
}

// sub: 0 alone, 1 and, 2 or, 3 xor with p.
static void write_test(writer *w, const hw_inst *in, hw_body_id id) {
    static const char *const combines[] = {"", " & ", " | ", " ^ "};
    char value[768], p[128] = "", text[1024];
    call_form(w, value, sizeof value, in, id, false);
    bool is_single = !hw_form_of(id)->sources[1];
    uint32_t sub = is_single ? 0 : in->sub & 3;
    if (sub) read_predicate(w, p, in->p, in->flags & HW_INST_NEGATE_P);
    uint32_t number = w->n_numbers++;
    fprintf(w->parts[PART_LANE], "                const int v%u = %s;\n", number, value);
    snprintf(text, sizeof text, "v%u%s%s", number, combines[sub], p);
    assign(w, in->d, "int", text, false);
    if (is_single || in->e == HW_NO_SLOT) return;
    snprintf(text, sizeof text, "(v%u ^ 1)%s%s", number, combines[sub], p);
    assign(w, in->e, "int", text, false);
}

static void write_predicate(writer *w, const hw_inst *in, const hw_form *form) {
    char a[128], b[128] = "", text[512];
    read_predicate(w, a, in->a, in->flags & HW_INST_NEGATE_P);
    bool is_binary = strchr(form->value, 'B');
    if (is_binary) read_predicate(w, b, in->b, in->flags & HW_INST_NEGATE_B);
    if (is_binary) snprintf(text, sizeof text, "%s %c %s", a, form->value[2], b);
    else snprintf(text, sizeof text, "%s%s", a, form->value + 1);
    assign(w, in->d, "int", text, false);
}

static void write_select(writer *w, const hw_inst *in, const hw_form *form) {
    char p[128], a[128], b[128], text[512];
    read_predicate(w, p, in->p, in->flags & HW_INST_NEGATE_P);
    read_as(w, a, in->a, form->result, false);
    read_as(w, b, in->b, form->result, false);
    snprintf(text, sizeof text, "%s ? %s : %s", p, a, b);
    assign(w, in->d, form->result, text, false);
}

// The sum of the products that the table holds; compilers have an instruction for it.
static void write_lop3(writer *w, const hw_inst *in) {
    char a[128], b[128], c[128], text[1536] = "0u";
    read_as(w, a, in->a, "u32", false);
    read_as(w, b, in->b, "u32", false);
    read_as(w, c, in->c, "u32", false);
    for (unsigned k = 0; k < 8; k++) {
        size_t length = strlen(text);
        if (in->imm >> k & 1)
            snprintf(text + length, sizeof text - length, " | (%s%s & %s%s & %s%s)", k & 4 ? "" : "~", a,
                     k & 2 ? "" : "~", b, k & 1 ? "" : "~", c);
    }
    assign(w, in->d, "u32", text, false);
}

static void write_permute(writer *w, const hw_inst *in) {
    static const char *const modes[8] = {"prmt.default.b32", "prmt.f4e.b32", "prmt.b4e.b32",  "prmt.rc8.b32",
                                         "prmt.ecl.b32",     "prmt.ecr.b32", "prmt.rc16.b32", "prmt.default.b32"};
    write_value(w, in, hw_body_find(modes[in->sub & 7]));
}

static void write_pack(writer *w, const hw_inst *in, const hw_form *form) {
    char text[2048] = "";
    for (uint32_t k = 0; k < in->vector; k++) {
        char part[128];
        size_t length = strlen(text);
        read_as(w, part, w->program->slots[in->list + k], form->sources[0], false);
        snprintf(text + length, sizeof text - length, "%s(%s)(%s)%s << %u", k ? " | " : "", form->result,
                 bits_type(form->part_bits / 8u), part, form->part_bits * k);
    }
    assign(w, in->d, form->result, text, false);
}

static void write_unpack(writer *w, const hw_inst *in, const hw_form *form) {
    char whole[128], text[256];
    read_as(w, whole, in->a, form->result, false);
    uint32_t number = w->n_numbers++;     // the source may be among the destinations
    fprintf(w->parts[PART_LANE], "                const %s v%u = %s;\n", form->result, number, whole);
    for (uint32_t k = 0; k < in->vector; k++) {
        snprintf(text, sizeof text, "(%s)(v%u >> %u)", bits_type(form->part_bits / 8u), number, form->part_bits * k);
        assign(w, w->program->slots[in->list + k], form->sources[0], text, false);
    }
}

// ---- accesses ----

static const char *memory_type(const hw_inst *in) {
    static const char *const s[] = {"s8", "s16", "s32", "s64"};
    unsigned log = (unsigned)__builtin_ctz(in->width);
    return in->flags & HW_INST_SIGNED ? s[log] : bits_type(in->width);
}

static hw_slot element_slot(const writer *w, const hw_inst *in, uint32_t k, hw_slot single) {
    return in->vector > 1 ? w->program->slots[in->list + k] : single;
}

// The address of the group's first access in the half of the warp.
static void locate_group(writer *w, const hw_segment_access *access) {
    if (access->is_first)
        fprintf(w->parts[PART_HALF], "            char *const g%u = m[%u].at[k] + h * m[%u].apart;\n", access->group,
                access->group, access->group);
}

static void write_load(writer *w, const hw_inst *in) {
    uint32_t number = w->access++;
    const hw_segment_access *access = &w->segment->accesses[number];
    const char *type = memory_type(in), *reg = bits_type(in->reg_bytes);
    bool is_same = access->shape == HW_SEEN_SAME;
    char text[256];
    locate_group(w, access);
    fprintf(w->parts[PART_HALF], "            const %s *m%u = (const %s *)(g%u + %lld);\n", type, number, type,
            access->group, (long long)access->distance);
    for (uint32_t k = 0; k < in->vector; k++) {
        hw_slot slot = element_slot(w, in, k, in->d);
        if (slot == HW_NO_SLOT) continue;
        if (is_same) {
            fprintf(w->parts[PART_HALF], "            const %s m%u_%u = (%s)m%u[%u];\n", reg, number, k, reg, number, k);
            snprintf(text, sizeof text, "m%u_%u", number, k);
        } else {
            snprintf(text, sizeof text, "(%s)m%u[i * %u + %u]", reg, number, in->vector, k);
        }
        assign(w, slot, reg, text, false);
    }
}

static bool may_meet(uint8_t a, uint8_t b) {
    return a == b || a == HW_SPACE_GENERIC || b == HW_SPACE_GENERIC;
}

// Do loads of the segment read where it stores? Then all lanes load before one stores.
static bool reads_what_it_writes(const writer *w, const hw_inst *store) {
    for (uint32_t k = 0; k < w->segment->n_accesses; k++) {
        const hw_inst *in = &w->program->insts[w->segment->first + w->segment->accesses[k].offset];
        if (in != store && may_meet(in->space, store->space)) return true;
    }
    return false;
}

static void write_store(writer *w, const hw_inst *in) {
    uint32_t number = w->access++;
    const hw_segment_access *access = &w->segment->accesses[number];
    const char *type = bits_type(in->width), *reg = bits_type(in->reg_bytes);
    bool is_late = reads_what_it_writes(w, in);
    if (is_late)
        fprintf(w->parts[PART_WARP], "        ALIGNED %s late[2][16 * %u];\n", type, in->vector);
    locate_group(w, access);
    fprintf(w->parts[PART_HALF], is_late ? "            %s *m%u = late[h];\n" : "            %s *m%u = (%s *)(g%u + %lld);\n",
            type, number, type, access->group, (long long)access->distance);
    for (uint32_t k = 0; k < in->vector; k++) {
        char value[128];
        read_as(w, value, element_slot(w, in, k, in->b), reg, false);
        fprintf(w->parts[PART_LANE], "                m%u[i * %u + %u] = (%s)%s;\n", number, in->vector, k, type, value);
    }
    if (is_late)
        fprintf(w->parts[PART_WARP_END],
                "        for (u32 h = 0; h < 2; h++)\n"
                "            __builtin_memcpy(m[%u].at[k] + h * m[%u].apart + %lld, late[h], sizeof late[h]);\n",
                access->group, access->group, (long long)access->distance);
}

// ---- the function ----

static void write_instruction(writer *w, uint32_t index) {
    const hw_inst *in = &w->program->insts[index];
    hw_body_id id = w->program->bodies[index];
    const hw_form *form = hw_form_of(id);
    switch (id) {
    case HW_BODY_LD: write_load(w, in); return;
    case HW_BODY_ST: write_store(w, in); return;
    case HW_BODY_NOP: return;
    case HW_BODY_GUARD:
        w->guard = read_predicate(w, w->guard_text, in->p, in->flags & HW_INST_NEGATE_P);
        return;
    case HW_BODY_UNGUARD: w->guard = NULL; return;
    default: break;
    }
    switch ((hw_form_kind)form->kind) {
    case HW_FORM_VALUE: write_value(w, in, id); break;
    case HW_FORM_TEST: write_test(w, in, id); break;
    case HW_FORM_PREDICATE: write_predicate(w, in, form); break;
    case HW_FORM_SELECT: write_select(w, in, form); break;
    case HW_FORM_LOP3: write_lop3(w, in); break;
    case HW_FORM_PERMUTE: write_permute(w, in); break;
    case HW_FORM_PACK: write_pack(w, in, form); break;
    case HW_FORM_UNPACK: write_unpack(w, in, form); break;
    case HW_FORM_NONE: w->failed = true; break;
    }
}

static bool is_needed(const writer *w, hw_slot slot) {
    for (uint32_t g = 0; g < w->segment->n_guards; g++)
        if (w->segment->guards[g].predicate == slot) return true;
    return w->is_live[slot / 4];
}

static void put_registers(writer *w) {
    for (uint32_t k = 0; k < w->n_variables; k++) {
        const variable *v = &w->variables[k];
        if (!v->is_dirty || !is_needed(w, v->slot)) continue;
        if (!strcmp(v->type, "int")) {
            fprintf(w->parts[PART_WARP], "        u32 n%u = 0;\n", v->number);
            fprintf(w->parts[PART_HALF], "            ALIGNED int t%u[16];\n", v->number);
            fprintf(w->parts[PART_LANE], "                t%u[i] = -v%u;\n", v->number, v->number);
            fprintf(w->parts[PART_HALF_END], "            n%u |= packed(t%u) << 16 * h;\n", v->number, v->number);
            fprintf(w->parts[PART_WARP_END], "        PUT_PREDICATE(*(u32 *)REGISTER(%u, %u), n%u);\n",
                    v->slot & 3, v->slot, v->number);
        } else {
            fprintf(w->parts[PART_LANE], v->is_raw ? "                PUT(((%s *)REGISTER(%u, %u))[LANE], canon(v%u));\n"
                                                   : "                PUT(((%s *)REGISTER(%u, %u))[LANE], v%u);\n",
                    v->type, v->slot & 3, v->slot, v->number);
        }
    }
}

static void write_function(FILE *to, const writer *w, const char *suffix) {
    fprintf(to, "void segment_%u%s(char *w, u32 n, const at *m) {\n"
            "    char *const b1 = BASE(1), *const b2 = BASE(2);\n%s", w->segment->first, suffix, w->texts[PART_LAUNCH]);
    fprintf(to, "    for (u32 k = 0; k < n; k++, w += WARP_BYTES) {\n"
            "        char *const b0 = BASE(0), *const b3 = BASE(3);\n%s", w->texts[PART_WARP]);
    fprintf(to, "        for (u32 h = 0; h < 2; h++) {\n%s", w->texts[PART_HALF]);
    fprintf(to, "            LANES {\n%s            }\n%s        }\n%s    }\n}\n\n", w->texts[PART_LANE],
            w->texts[PART_HALF_END], w->texts[PART_WARP_END]);
}

static bool open_parts(writer *w) {
    for (unsigned k = 0; k < PARTS; k++)
        if (!(w->parts[k] = open_memstream(&w->texts[k], &w->lengths[k]))) return false;
    return true;
}

static bool close_parts(writer *w) {
    bool is_whole = true;
    for (unsigned k = 0; k < PARTS; k++)
        if (w->parts[k] && fclose(w->parts[k]) != 0) is_whole = false;
    return is_whole;
}

static bool translate(writer *w, const hw_segment *segment) {
    w->segment = segment;
    w->n_variables = w->n_numbers = w->access = 0;
    w->guard = NULL;
    if (!open_parts(w)) return false;
    for (uint32_t i = 0; i < segment->count; i++) write_instruction(w, segment->first + i);
    put_registers(w);
    return close_parts(w);
}

static void free_texts(writer *w) {
    for (unsigned k = 0; k < PARTS; k++) {
        free(w->texts[k]);
        w->texts[k] = NULL;
        w->parts[k] = NULL;
    }
}

// What the text of segments needs beside the functions of values. PUT: into a register, of lanes that are on.
static const char prologue[] =
    "typedef struct at {\n    char *const *at;\n    long long apart;\n} at;\n"
    "#define ALIGNED _Alignas(64)\n"
    "#define LANE (16 * h + i)\n"
    "#define REGISTER(base, slot) (b##base + (slot))\n"
    "#define BASE(k) (((char *const *)w)[k])\n"
    "#define MASK (*(const u32 *)(w + MASK_OFFSET))\n"
    "#define ON ((const int *)(w + LANES_OFFSET))\n"
    "#define AS(to, x) ({ __typeof__(x) x_ = (x); to y_; __builtin_memcpy(&y_, &x_, sizeof y_); y_; })\n"
    "#ifdef __clang__\n"
    "#define LANES _Pragma(\"clang loop vectorize(assume_safety) unroll(disable)\") for (int i = 0; i < 16; i++)\n"
    "#else\n"
    "#define LANES _Pragma(\"GCC ivdep\") _Pragma(\"GCC unroll 1\") for (int i = 0; i < 16; i++)\n"
    "#endif\n"
    "// One bit for each of 16 lanes of 0 or -1.\n"
    "static inline u32 packed(const int *lanes) {\n"
    "#if defined(__AVX512DQ__)\n"
    "    typedef int v16 __attribute__((vector_size(64)));\n"
    "    return (u16)__builtin_ia32_cvtd2mask512(*(const v16 *)lanes);\n"
    "#elif defined(__AVX2__)\n"
    "    typedef float v8 __attribute__((vector_size(32)));\n"
    "    return (u32)__builtin_ia32_movmskps256(*(const v8 *)lanes) |\n"
    "           (u32)__builtin_ia32_movmskps256(*(const v8 *)(lanes + 8)) << 8;\n"
    "#elif defined(__SSE2__)\n"
    "    typedef float v4 __attribute__((vector_size(16)));\n"
    "    u32 bits = 0;\n"
    "    for (int k = 0; k < 4; k++) bits |= (u32)__builtin_ia32_movmskps(*(const v4 *)(lanes + 4 * k)) << 4 * k;\n"
    "    return bits;\n"
    "#else\n"
    "    u32 bits = 0;\n"
    "    for (int i = 0; i < 16; i++) bits |= (u32)(lanes[i] & 1) << i;\n"
    "    return bits;\n"
    "#endif\n"
    "}\n"
    "static inline u32 inserted_u32(u32 A, u32 B, u32 C, u32 E) {\n"
    "    u32 field = (C & 255) > 31 ? 0 : ones(E & 255) << (C & 31);\n"
    "    return (B & ~field) | (A << (C & 31) & field);\n"
    "}\n"
    "static inline u64 inserted_u64(u64 A, u64 B, u32 C, u32 E) {\n"
    "    u64 field = C > 63 ? 0 : ones_64(E) << (C & 63);\n"
    "    return (B & ~field) | (A << (C & 63) & field);\n"
    "}\n";

static void define_function(FILE *to, const hw_form *form, bool is_raw) {
    static const char letters[] = "ABCE";
    // Without canon( and the parenthesis that closes it.
    int skipped = is_raw ? 6 : 0, length = (int)strlen(form->value) - skipped - is_raw;
    fprintf(to, "static inline %s %s%s(", form->result, form->function, is_raw ? "_raw" : "");
    for (unsigned k = 0; k < 4 && form->sources[k]; k++)
        fprintf(to, "%s%s %c", k ? ", " : "", form->sources[k], letters[k]);
    fprintf(to, ") { return %.*s; }\n", length, form->value + skipped);
}

static void define_functions(FILE *to, const uint8_t *is_named, uint32_t n_bodies, hw_arena *scratch) {
    const hw_form **done = hw_arena_take(scratch, n_bodies * sizeof *done);
    uint32_t n_done = 0;
    for (uint32_t id = 0; done && id < n_bodies; id++) {
        const hw_form *form = hw_form_of((hw_body_id)id);
        bool is_new = is_named[id];
        for (uint32_t k = 0; k < n_done && is_new; k++) is_new = done[k] != form;
        if (!is_new) continue;
        done[n_done++] = form;
        define_function(to, form, form->is_canonical);
    }
}

bool hw_compile_write(FILE *to, const hw_program *program, const hw_segment *segments, uint32_t count,
                      hw_arena *scratch) {
    uint32_t n_bodies = hw_body_count();
    writer *w = hw_arena_take(scratch, sizeof *w);
    hw_liveness *live = hw_liveness_find(program, scratch);
    char *text = NULL;
    size_t length = 0;
    FILE *functions = open_memstream(&text, &length);
    bool is_whole = w && live && functions;
    if (is_whole) {
        *w = (writer){.program = program, .is_named = hw_arena_take(scratch, n_bodies),
                      .is_live = hw_arena_take(scratch, program->frame_bytes / 4 + 64)};
        is_whole = w->is_named && w->is_live;
    }
    for (uint32_t k = 0; is_whole && k < count; k++) {
        hw_liveness_before(live, segments[k].first + segments[k].count, w->is_live);
        is_whole = translate(w, &segments[k]) && !w->failed;
        if (is_whole) {
            fputs("#define PUT(to, x) (to) = (x)\n#define PUT_PREDICATE(to, x) (to) = (x)\n", functions);
            write_function(functions, w, "");
            fputs("#undef PUT\n#undef PUT_PREDICATE\n", functions);
        }
        if (is_whole && !segments[k].n_accesses) {
            fputs("#define PUT(to, x) (to) = ON[LANE] ? (x) : (to)\n"
                  "#define PUT_PREDICATE(to, x) (to) = ((to) & ~MASK) | ((x) & MASK)\n", functions);
            write_function(functions, w, "_some");
            fputs("#undef PUT\n#undef PUT_PREDICATE\n", functions);
        }
        if (w) free_texts(w);
    }
    if (functions && fclose(functions) != 0) is_whole = false;
    if (is_whole) {
        fputs(hw_compile_values, to);
        fprintf(to, "#define WARP_BYTES %d\n#define MASK_OFFSET %zu\n#define LANES_OFFSET %zu\n", HW_WARP_BYTES,
                offsetof(struct hw_warp, mask), offsetof(struct hw_warp, lanes));
        fputs(prologue, to);
        define_functions(to, w->is_named, n_bodies, scratch);
        fputs(text, to);
    }
    free(text);
    return is_whole && !ferror(to);
}
