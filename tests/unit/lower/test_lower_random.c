// Lowering against PTX itself: random functions with any control flow are run by two small interpreters, one over the
// parsed instructions and one over the decoded ones, for one lane. What they store, and how many PTX instructions they
// count, must agree. Joins are checked against a definition of post-dominance by search.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "lower/program.h"

enum { SEEDS = 1500, MAX_STORES = 300, MAX_STEPS = 6000, R = 10, D = 4, P = 5, U = 14, Q = 4, T = 64 };

// ---- random functions ----

static uint64_t random_state;
static uint32_t pick(uint32_t n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

static char text[1 << 16];
static size_t length;
static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
    va_list args;
    va_start(args, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, args);
    va_end(args);
}

static uint32_t known;            // %u0 .. %u<known - 1> have been defined

// Registers %t are for short use: sources are mostly among those that the text has written last. A jump may come in
// between, so that one is read that has not been written: the interpreter of parsed instructions keeps track of that.
static uint32_t recent[8], n_recent;

static const char *name_for(void) {
    static char names[8][32];
    static unsigned next;
    return names[next++ % 8];
}

static const char *target(void) {
    char *name = (char *)name_for();
    if (pick(3) == 0) {
        snprintf(name, 32, "%%r%u", pick(R));
    } else {
        recent[n_recent++ % 8] = pick(T);
        snprintf(name, 32, "%%t%u", recent[(n_recent - 1) % 8]);
    }
    return name;
}

static const char *reg_source(void) {
    char *name = (char *)name_for();
    if (n_recent && pick(2)) snprintf(name, 32, "%%t%u", recent[pick(n_recent < 8 ? n_recent : 8)]);
    else snprintf(name, 32, "%%r%u", pick(R));
    return name;
}

// A 32-bit source: a register, an invariant one, or a number.
static const char *source(void) {
    char *name = (char *)name_for();
    switch (pick(5)) {
    case 0: snprintf(name, 32, "%d", (int)pick(9) - 4); break;
    case 1: snprintf(name, 32, "%%u%u", pick(known)); break;
    default: return reg_source();
    }
    return name;
}

static void put_prologue(void) {
    put(".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u32 a, .param .u32 b, .param .u64 out) {\n"
        ".reg .b32 %%r<%d>; .reg .b64 %%d<%d>; .reg .pred %%p<%d>; .reg .b32 %%u<%d>; .reg .pred %%q<%d>;\n"
        ".reg .b64 %%o; .reg .b32 %%t<%d>;\n",
        R, D, P, U, Q, T);
    n_recent = 0;
    put("ld.param.u64 %%o, [out];\nld.param.u32 %%u0, [a];\nld.param.u32 %%u1, [b];\n");
    put("mov.u32 %%u2, %%tid.x;\nmov.u32 %%u3, %%ctaid.x;\n");
    for (known = 4; known < U; known++) {
        static const char *const ops[] = {"add.u32", "sub.s32", "mul.lo.u32", "xor.b32"};
        if (pick(5) == 0) put("mov.b32 %%u%u, %%u%u;\n", known, pick(known));
        else put("%s %%u%u, %%u%u, %%u%u;\n", ops[pick(4)], known, pick(known), pick(known));
    }
    for (int q = 0; q < Q; q++) put("setp.lt.s32 %%q%d, %%u%u, %d;\n", q, pick(U), (int)pick(9) - 4);
    for (int r = 0; r < R; r++) put("mov.u32 %%r%d, %s;\n", r, pick(2) ? "%u2" : "3");
    for (int d = 0; d < D; d++) put("mov.u64 %%d%d, %d;\n", d, d);
    for (int p = 0; p < P; p++) put("setp.eq.s32 %%p%d, %%u%u, %%r%d;\n", p, pick(U), p);
}

static void put_guard(void) {
    if (pick(4) == 0) put("@%s%%%c%u ", pick(2) ? "!" : "", pick(3) ? 'p' : 'q', pick(4));
}

static void put_statement(void) {
    put_guard();
    switch (pick(14)) {
    case 0: put("add.s32 %s, %s, %s;\n", target(), source(), source()); break;
    case 1: put("mul.lo.s32 %s, %s, %s;\n", target(), source(), source()); break;
    case 2: put("xor.b32 %s, %s, %s;\n", target(), reg_source(), source()); break;
    case 3: put("mov.u32 %s, %s;\n", target(), source()); break;
    case 4: put("selp.b32 %s, %s, %s, %%p%u;\n", target(), source(), source(), pick(P)); break;
    case 5: put("setp.lt.s32 %%p%u, %s, %s;\n", pick(P), source(), source()); break;
    case 6: {
        uint32_t p = pick(P), q = (p + 1 + pick(P - 1)) % P;
        put("setp.lt.xor.s32 %%p%u|%%p%u, %s, %s, %s%%p%u;\n", p, q, source(), source(), pick(2) ? "!" : "", pick(P));
        break;
    }
    case 7: put("cvt.u64.u32 %%d%u, %s;\n", pick(D), reg_source()); break;
    case 8: put("add.u64 %%d%u, %%d%u, %%d%u;\n", pick(D), pick(D), pick(D)); break;
    case 9: put("cvt.u32.u64 %s, %%d%u;\n", target(), pick(D)); break;
    case 10: {
        uint32_t r = pick(R), s = (r + 1 + pick(R - 1)) % R;
        put("mov.b64 {%%r%u, %%r%u}, %%d%u;\n", r, s, pick(D));
        break;
    }
    case 11: put("mov.b64 %%d%u, {%s, %s};\n", pick(D), source(), reg_source()); break;
    default: put("st.global.u32 [%%o], %s;\n", reg_source()); break;
    }
}

static void put_terminator(uint32_t n_blocks, bool may_leave) {
    switch (pick(may_leave ? 8 : 6)) {
    case 0: put("bra B%u;\n", pick(n_blocks)); break;
    case 1: case 2: case 3: put("@%s%%p%u bra B%u;\n", pick(2) ? "!" : "", pick(P), pick(n_blocks)); break;
    case 4: {
        uint32_t r = pick(R);
        static unsigned tables;
        put("and.b32 %%r%u, %%r%u, 3;\nT%u: .branchtargets B%u, B%u, B%u, B%u;\n", r, r, tables, pick(n_blocks),
            pick(n_blocks), pick(n_blocks), pick(n_blocks));
        put_guard();
        put("brx.idx %%r%u, T%u;\n", r, tables++);
        break;
    }
    case 6: put("@%s%%p%u exit;\n", pick(2) ? "!" : "", pick(P)); break;
    case 7: put(pick(3) ? "@%%p%u ret;\n" : "@%%p%u bra END;\n", pick(P)); break;
    default: break;
    }
}

static void generate(uint64_t seed, bool may_leave) {
    random_state = seed * 977 + 5;
    length = 0;
    put_prologue();
    uint32_t n = 1 + pick(9);
    for (uint32_t b = 0; b < n; b++) {
        put("B%u:\n", b);
        for (uint32_t k = pick(7); k; k--) put_statement();
        put_terminator(n, may_leave);
    }
    if (!may_leave) put("st.global.u32 [%%o], %%r0;\n");
    put("END: ret;\n}\n");
}

// ---- what both interpreters leave ----

typedef struct outcome {
    uint32_t stores[MAX_STORES];
    uint8_t any[MAX_STORES];       // this one depends on a register that was never written
    uint32_t n_stores, n_insts;
    bool left;                     // came to its end; else out of steps or stores
} outcome;

static const uint32_t param_words[4] = {5, 0xfffffffe, 0x1000, 0};
static uint32_t special(hw_sreg sreg) { return sreg == HW_SREG_TID_X ? 3 : 2; }

static bool compare(const char *word, int32_t a, int32_t b) { return strstr(word, ".lt.") ? a < b : a == b; }

// ---- over parsed instructions ----

// Values, and whether they depend on a register that was never written.
typedef struct values {
    uint64_t *bits;
    uint8_t *any;
} values;

static uint64_t value_of(const hw_ptx_operand *o, const values *regs, bool *any) {
    if (o->kind == HW_OPERAND_REG) {
        *any |= regs->any[o->reg];
        return regs->bits[o->reg] ^ o->negated;
    }
    if (o->kind == HW_OPERAND_SREG) return special(o->sreg);
    if (o->kind == HW_OPERAND_VECTOR)
        return (uint32_t)value_of(&o->elements[0], regs, any) | value_of(&o->elements[1], regs, any) << 32;
    return o->imm;
}

static void set_value(const values *regs, int32_t reg, uint64_t bits, bool any) {
    regs->bits[reg] = bits;
    regs->any[reg] = any;
}

// One step; false: where it goes on depends on nothing that is known.
static bool step_parsed(const hw_ptx_function *f, const values *regs, outcome *out, uint32_t *i) {
    const hw_ptx_inst *in = &f->insts[(*i)++];
    const hw_ptx_operand *o = in->operands;
    bool any = false;
    out->n_insts++;
    if (in->guard >= 0 && regs->any[in->guard]) return false;
    if (in->guard >= 0 && !(regs->bits[in->guard] ^ in->guard_negated)) return true;
    uint64_t a = in->n_operands > 1 ? value_of(&o[1], regs, &any) : 0, d = 0;
    uint64_t b = in->n_operands > 2 ? value_of(&o[2], regs, &any) : 0;
    uint64_t c = in->n_operands > 3 ? value_of(&o[3], regs, &any) : 0;
    switch (in->op) {
    case HW_OP_BRA: *i = o[0].label; return true;
    case HW_OP_BRX:
        *i = in->targets[regs->bits[o[0].reg] & 3];
        return !regs->any[o[0].reg];
    case HW_OP_RET: case HW_OP_EXIT: *i = UINT32_MAX; return true;
    case HW_OP_ST:
        out->any[out->n_stores] = any;
        out->stores[out->n_stores++] = (uint32_t)a;
        return true;
    case HW_OP_SETP: {
        bool holds = compare(in->text, (int32_t)a, (int32_t)b);
        set_value(regs, o[0].reg, holds ^ c, any);
        if (o[0].is_pair) set_value(regs, o[0].reg2, !holds ^ c, any);
        return true;
    }
    case HW_OP_LD: memcpy(&d, (const char *)param_words + o[1].symbol->offset, hw_type_bits(in->types[0]) / 8); break;
    case HW_OP_ADD: d = a + b; break;
    case HW_OP_SUB: d = a - b; break;
    case HW_OP_MUL: d = a * b; break;
    case HW_OP_XOR: d = a ^ b; break;
    case HW_OP_AND: d = a & b; break;
    case HW_OP_SELP: d = c ? a : b; break;
    case HW_OP_MOV: case HW_OP_CVT: d = a; break;
    default: fail_msg("no %s in the interpreter", in->text);
    }
    if (o[0].kind == HW_OPERAND_VECTOR) {
        set_value(regs, o[0].elements[0].reg, (uint32_t)d, any);
        set_value(regs, o[0].elements[1].reg, d >> 32, any);
    } else {
        set_value(regs, o[0].reg, hw_type_bits(f->regs[o[0].reg].type) == 64 ? d : (uint32_t)d, any);
    }
    return true;
}

static void run_parsed(const hw_ptx_function *f, outcome *out) {
    values regs = {calloc(f->n_regs + 1, sizeof *regs.bits), malloc(f->n_regs + 1)};
    uint32_t i = 0;
    bool goes_on = true;
    memset(regs.any, 1, f->n_regs + 1);
    for (int steps = 0; steps < MAX_STEPS && out->n_stores < MAX_STORES && goes_on; steps++) {
        out->left = i >= f->n_insts;
        if (out->left) break;
        goes_on = step_parsed(f, &regs, out, &i);
    }
    free(regs.bits);
    free(regs.any);
}

// ---- over decoded instructions ----

typedef struct machine {
    const hw_program *p;
    uint8_t *base[4];
    uint32_t n_insts;              // counted
} machine;

static uint32_t *word(const machine *m, hw_slot slot) { return (uint32_t *)(m->base[slot & 3] + (slot & ~3u)); }
static uint64_t wide(const machine *m, hw_slot slot) {
    uint64_t value;
    memcpy(&value, word(m, slot), 8);
    return value;
}
static void set_wide(const machine *m, hw_slot slot, uint64_t value) { memcpy(word(m, slot), &value, 8); }
static bool pred(const machine *m, hw_slot slot) { return *word(m, slot) & 1; }

static void execute(const machine *m, const hw_inst *in, const char *name) {
    const hw_slot *list = m->p->slots ? m->p->slots + in->list : NULL;
    bool p = in->p != HW_NO_SLOT && pred(m, in->p) != !!(in->flags & HW_INST_NEGATE_P);
    uint32_t *d = word(m, in->d == HW_NO_SLOT ? 0 : in->d);
    uint32_t a = in->a == HW_NO_SLOT ? 0 : *word(m, in->a), b = in->b == HW_NO_SLOT ? 0 : *word(m, in->b);
    if (!strcmp(name, "add.s32")) *d = a + b;
    else if (!strcmp(name, "sub.s32")) *d = a - b;
    else if (!strcmp(name, "mul.lo.s32")) *d = a * b;
    else if (!strcmp(name, "xor.b32")) *d = a ^ b;
    else if (!strcmp(name, "and.b32")) *d = a & b;
    else if (!strcmp(name, "mov.b32")) *d = a;
    else if (!strcmp(name, "selp.b32")) *d = p ? a : b;
    else if (!strcmp(name, "mov.b64")) set_wide(m, in->d, wide(m, in->a));
    else if (!strcmp(name, "add.s64")) set_wide(m, in->d, wide(m, in->a) + wide(m, in->b));
    else if (!strcmp(name, "cvt.u64.u32")) set_wide(m, in->d, a);
    else if (!strcmp(name, "cvt.u32.u64")) *d = a;
    else if (!strcmp(name, "sreg")) *d = special((hw_sreg)in->sreg);
    else if (!strcmp(name, "ld.param")) memcpy(d, (const char *)param_words + in->imm, in->width);
    else if (!strcmp(name, "mov.unpack.2x32")) {
        uint64_t value = wide(m, in->a);       // the first is written before the second is taken from a
        *word(m, list[0]) = (uint32_t)value;
        *word(m, list[1]) = wide(m, in->a) >> 32;
    } else if (!strcmp(name, "mov.pack.2x32")) {
        d[0] = *word(m, list[0]);
        d[1] = *word(m, list[1]);
    } else if (!strncmp(name, "setp.", 5)) {
        bool c = compare(name, (int32_t)a, (int32_t)b), q = in->combination && p;
        *d = c ^ q;
        if (in->e != HW_NO_SLOT)
            *word(m, in->e) = !compare(name, (int32_t)*word(m, in->a), (int32_t)*word(m, in->b)) ^ q;
    } else {
        fail_msg("no %s in the interpreter", name);
    }
}

static void execute_list(const machine *m, const hw_inst *insts, const hw_body_id *bodies) {
    for (uint32_t i = 0; bodies[i] != HW_BODY_END; i++) execute(m, &insts[i], hw_body_name(bodies[i]));
}

static void run_decoded(const hw_program *p, outcome *out) {
    machine m = {.p = p};
    const uint32_t bytes[4] = {p->frame_bytes, p->launch_bytes, p->block_bytes, p->warp_bytes};
    for (int b = 0; b < 4; b++) {
        m.base[b] = malloc(bytes[b] + 256);
        memset(m.base[b], b ? 0 : 0xa5, bytes[b] + 256);
    }
    memcpy(m.base[HW_BASE_LAUNCH], p->launch_image, p->launch_bytes);
    execute_list(&m, p->launch_insts, p->launch_bodies);
    execute_list(&m, p->block_insts, p->block_bodies);
    execute_list(&m, p->warp_insts, p->warp_bodies);
    uint32_t i = 0;
    for (int steps = 0; steps < 4 * MAX_STEPS && out->n_stores < MAX_STORES && !out->left; steps++) {
        assert_true(i < p->n_insts);
        const hw_inst *in = &p->insts[i];
        const char *name = hw_body_name(p->bodies[i++]);
        bool holds = in->p != HW_NO_SLOT && pred(&m, in->p) != !!(in->flags & HW_INST_NEGATE_P);
        if (!strcmp(name, "st")) {
            assert_int_equal(wide(&m, in->a), 0x1000);
            out->stores[out->n_stores++] = *word(&m, in->b);
        } else if (!strcmp(name, "guard")) {
            if (!holds) i = in->target;
        } else if (!strcmp(name, "unguard")) {
        } else if (!strcmp(name, "bra") || !strcmp(name, "bra.p") || !strcmp(name, "fall") || !strcmp(name, "brx") ||
                   !strcmp(name, "ret") || !strcmp(name, "exit")) {
            out->n_insts += in->count;
            assert_int_equal(p->blocks[in->basic_block - p->first_block].count, in->count);
            if (!strcmp(name, "bra") || (!strcmp(name, "bra.p") && holds)) i = in->target;
            if (!strcmp(name, "brx")) i = p->targets[in->targets + (*word(&m, in->a) & 3)];
            out->left = !strcmp(name, "ret") || !strcmp(name, "exit");
        } else {
            execute(&m, in, name);
        }
    }
    for (int b = 0; b < 4; b++) free(m.base[b]);
}

// ---- joins ----

static uint32_t next_of(const hw_program *p, uint32_t i, uint32_t *next) {
    const hw_inst *in = &p->insts[i];
    const char *name = hw_body_name(p->bodies[i]);
    uint32_t n = 0;
    if (!strcmp(name, "ret") || !strcmp(name, "exit")) return 0;
    if (!strcmp(name, "brx")) {
        for (int64_t k = 0; k < in->imm; k++) next[n++] = p->targets[in->targets + (uint32_t)k];
        return n;
    }
    if (!strcmp(name, "bra") || !strcmp(name, "bra.p")) next[n++] = in->target;
    if (strcmp(name, "bra")) next[n++] = i + 1;
    return n;
}

// Marks what can be reached from one instruction without entering another. Is the function's end among it?
static bool can_end(const hw_program *p, uint32_t from, uint32_t avoiding, uint8_t *seen) {
    uint32_t *stack = malloc((p->n_insts + 8) * sizeof *stack), next[8], depth = 0;
    bool ends = false;
    memset(seen, 0, p->n_insts);
    if (from != avoiding) stack[depth++] = from, seen[from] = 1;
    while (depth) {
        uint32_t i = stack[--depth], n = next_of(p, i, next);
        ends |= n == 0;
        for (uint32_t k = 0; k < n; k++)
            if (next[k] != avoiding && !seen[next[k]]) seen[next[k]] = 1, stack[depth++] = next[k];
    }
    free(stack);
    return ends;
}

// Can a lane get from here into a loop without an end? Then any join will do.
static bool may_be_endless(const hw_program *p, uint32_t from, uint8_t *seen, uint8_t *more) {
    bool endless = !can_end(p, from, UINT32_MAX, seen);
    for (uint32_t i = 0; i < p->n_insts && !endless; i++) endless = seen[i] && !can_end(p, i, UINT32_MAX, more);
    return endless;
}

// The join is the first instruction of a block that all ways to the end go through, and no other such lies before it.
static uint32_t check_joins(const hw_program *p) {
    uint8_t *seen = malloc(2 * p->n_insts + 2), *more = seen + p->n_insts + 1;
    uint32_t checked = 0;
    for (uint32_t i = 0; i < p->n_insts; i++) {
        const hw_inst *in = &p->insts[i];
        if (strcmp(hw_body_name(p->bodies[i]), "bra.p") && strcmp(hw_body_name(p->bodies[i]), "brx")) continue;
        if (may_be_endless(p, i, seen, more)) continue;
        assert_int_not_equal(in->reconverge, HW_NO_RECONVERGENCE);    // there is one way out of these functions
        checked++;
        uint32_t next[8], n = next_of(p, i, next);
        for (uint32_t k = 0; k < n; k++) assert_false(can_end(p, next[k], in->reconverge, seen));
        for (uint32_t c = 1; c < p->n_insts; c++) {
            if (c == in->reconverge || c == i) continue;
            bool is_on_all = true;
            for (uint32_t k = 0; k < n && is_on_all; k++) is_on_all = !can_end(p, next[k], c, seen);
            // Another that all go through comes later: it is on all ways from the join.
            if (is_on_all) assert_false(can_end(p, in->reconverge, c, seen));
        }
    }
    free(seen);
    return checked;
}

// ---- the tests ----

static hw_program_set *lower_text(hw_ptx_module **module) {
    hw_diag diag = {0};
    hw_program_set *set = NULL;
    if (hw_ptx_parse(text, length, "random.ptx", module, &diag) != HW_OK)
        fail_msg("%d: %s\n%s", diag.line, diag.text, text);
    if (hw_lower_module(*module, &set, &diag) != HW_OK) fail_msg("%d: %s\n%s", diag.line, diag.text, text);
    return set;
}

static void fail_with_listing(uint64_t seed, const hw_program *p, const outcome *a, const outcome *b) {
    char *listing = hw_program_print(p);
    fail_msg("seed %llu: stores %u and %u, instructions %u and %u, left %d and %d\n%s\n%s", (unsigned long long)seed,
             a->n_stores, b->n_stores, a->n_insts, b->n_insts, a->left, b->left, text, listing);
}

static void test_results(void **state) {
    (void)state;
    uint32_t n_left = 0, n_known = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        hw_ptx_module *module;
        outcome a = {0}, b = {0};
        generate(seed, seed % 3 != 0);
        hw_program_set *set = lower_text(&module);
        const hw_program *p = set->programs[0];
        run_parsed(p->function, &a);
        run_decoded(p, &b);
        bool agree = a.left ? b.left && a.n_insts == b.n_insts && a.n_stores == b.n_stores : a.n_stores <= b.n_stores;
        for (uint32_t k = 0; k < a.n_stores && agree; k++) agree = a.any[k] || a.stores[k] == b.stores[k];
        if (!agree) fail_with_listing(seed, p, &a, &b);
        n_left += a.left;
        for (uint32_t k = 0; k < a.n_stores; k++) n_known += !a.any[k];
        hw_program_set_free(set);
        hw_ptx_free(module);
    }
    assert_true(n_left > SEEDS / 4);
    assert_true(n_known > 10 * SEEDS);
}

static void test_joins(void **state) {
    (void)state;
    uint32_t checked = 0;
    for (uint64_t seed = 0; seed < SEEDS / 3; seed++) {
        hw_ptx_module *module;
        generate(seed, false);
        hw_program_set *set = lower_text(&module);
        checked += check_joins(set->programs[0]);
        hw_program_set_free(set);
        hw_ptx_free(module);
    }
    assert_true(checked > SEEDS / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_results), cmocka_unit_test(test_joins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
