// Operands against the rules of their instruction; numbers become the bits of the type they are used as.
// PTX ISA sections 9.2 to 9.4: operand size exceeds instruction-type size.
#include <string.h>

#include "isa/matrix.h"
#include "ptx/parser.h"

typedef struct check {
    parser *p;
    const mnemonic *m;
    hw_ptx_inst *inst;
    unsigned operand;      // counted from 0
    bool is_relaxed;       // registers may be wider than the type
} check;

static const char *operand_text(const check *c, const hw_ptx_operand *o) {
    switch (o->kind) {
    case HW_OPERAND_REG: return c->p->regs[o->reg].name;
    case HW_OPERAND_IMM: return "a number";
    case HW_OPERAND_SREG: return hw_sreg_name(o->sreg);
    case HW_OPERAND_SYMBOL: return o->symbol ? o->symbol->name : o->function ? o->function->name : "a function";
    case HW_OPERAND_ADDRESS: return "an address";
    case HW_OPERAND_VECTOR: return "a vector";
    case HW_OPERAND_SINK: return "'_'";
    default: return "it";
    }
}

// "add.f32: operand 2 (%r1) <what>"
static bool wrong(const check *c, const hw_ptx_operand *o, const char *what) {
    return hw_ptx_fail(c->p, HW_MALFORMED, c->inst->line, "%s: operand %u (%s) %s", c->m->text, c->operand + 1,
                       operand_text(c, o), what);
}

static bool reg_fits(hw_type reg, hw_type type, bool is_relaxed) {
    unsigned reg_bits = hw_type_bits(reg), bits = hw_type_bits(type);
    hw_type_kind reg_kind = hw_type_kind_of(reg), kind = hw_type_kind_of(type);
    if (reg_kind == HW_KIND_P || kind == HW_KIND_P) return reg_kind == kind;
    if (reg_bits < bits || (reg_bits > bits && !is_relaxed)) return false;
    switch (kind) {
    case HW_KIND_B: return true;
    case HW_KIND_U: case HW_KIND_S: return reg_kind != HW_KIND_F;
    default: return reg_kind == HW_KIND_B || reg == type;
    }
}

static bool check_reg(const check *c, const hw_ptx_operand *o, hw_type type) {
    if (o->kind != HW_OPERAND_REG) return wrong(c, o, "must be a register");
    hw_type reg = c->p->regs[o->reg].type;
    if (reg_fits(reg, type, c->is_relaxed)) return true;
    return hw_ptx_fail(c->p, HW_MALFORMED, c->inst->line, "%s: operand %u (%s, a .%s register) does not fit .%s",
                       c->m->text, c->operand + 1, c->p->regs[o->reg].name, hw_type_name(reg), hw_type_name(type));
}

static bool check_number(const check *c, hw_ptx_operand *o, hw_type type) {
    constant v = {.kind = (token_kind)o->offset, .bits = o->imm};
    o->offset = 0;
    if (hw_ptx_constant_bits(&v, type, &o->imm)) return true;
    return hw_ptx_fail(c->p, HW_MALFORMED, c->inst->line, "%s: operand %u is no number of type .%s", c->m->text,
                       c->operand + 1, hw_type_name(type));
}

static bool check_source(const check *c, hw_ptx_operand *o, hw_type type) {
    return o->kind == HW_OPERAND_IMM ? check_number(c, o, type) : check_reg(c, o, type);
}

static hw_type widened(hw_type type) {
    switch (type) {
    case HW_T_S16: return HW_T_S32;
    case HW_T_U16: return HW_T_U32;
    case HW_T_S32: return HW_T_S64;
    default: return HW_T_U64;
    }
}

// A register, or as many as the vector has; each may be '_' where it is written, a number where it is read.
static bool check_vector(const check *c, hw_ptx_operand *o, bool is_written) {
    hw_type type = c->inst->types[0];
    // { %r1 } for %r1, as Triton writes it and ptxas takes it.
    if (c->inst->vector == 1 && o->kind == HW_OPERAND_VECTOR && o->n_elements == 1) *o = o->elements[0];
    if (c->inst->vector == 1) return is_written ? check_reg(c, o, type) : check_source(c, o, type);
    if (o->kind != HW_OPERAND_VECTOR || o->n_elements != c->inst->vector) {
        return hw_ptx_fail(c->p, HW_MALFORMED, c->inst->line, "%s: operand %u must be a vector of %u", c->m->text,
                           c->operand + 1, c->inst->vector);
    }
    if (c->inst->vector * hw_type_bits(type) > 256) return wrong(c, o, "is wider than 32 bytes");
    for (unsigned i = 0; i < o->n_elements; i++) {
        hw_ptx_operand *e = &o->elements[i];
        if (e->kind == HW_OPERAND_SINK) {
            if (!is_written) return wrong(c, o, "has an element that is not there");
        } else if (!(is_written ? check_reg(c, e, type) : check_source(c, e, type))) {
            return false;
        }
    }
    return true;
}

static bool check_address(const check *c, const hw_ptx_operand *o) {
    hw_ptx_inst *inst = c->inst;
    if (o->kind != HW_OPERAND_ADDRESS) return wrong(c, o, "must be an address in brackets");
    if (o->symbol) {
        hw_space space = o->symbol->space;
        // Without a space the address is generic; a variable's own space is the same place said more precisely.
        if (inst->space == HW_SPACE_GENERIC) {
            inst->space = space;
            if (space == HW_SPACE_CONST && inst->op != HW_OP_LD) return wrong(c, o, "is in constant memory");
        }
        if (inst->space != space) {
            return hw_ptx_fail(c->p, HW_MALFORMED, inst->line, "%s: %s is in .%s", c->m->text, o->symbol->name,
                               hw_space_name(space));
        }
    }
    if (o->reg < 0) return true;
    hw_type type = c->p->regs[o->reg].type;
    bool may_be_short = inst->space != HW_SPACE_GENERIC && inst->space != HW_SPACE_GLOBAL;
    bool fits = reg_fits(type, HW_T_U64, false) || (may_be_short && reg_fits(type, HW_T_U32, false));
    return fits || wrong(c, o, "has a register that cannot hold an address");
}

// The global side of a copy, whose instruction's space is that of the other side.
static bool check_global_address(const check *c, const hw_ptx_operand *o) {
    hw_space space = c->inst->space;
    c->inst->space = HW_SPACE_GLOBAL;
    bool fits = check_address(c, o);
    c->inst->space = space;
    return fits;
}

// cvta, mapa: the address of a variable of the instruction's space, or a register.
static bool check_variable(const check *c, hw_ptx_operand *o, hw_type type) {
    if (o->kind != HW_OPERAND_SYMBOL) return check_source(c, o, type);
    if (!o->symbol) return wrong(c, o, "is a function");
    if (c->inst->space == HW_SPACE_GENERIC || o->symbol->space == c->inst->space) return true;
    return hw_ptx_fail(c->p, HW_MALFORMED, c->inst->line, "%s: %s is in .%s", c->m->text, o->symbol->name,
                       hw_space_name(o->symbol->space));
}

static bool check_predicate(const check *c, hw_ptx_operand *o) {
    if (o->kind == HW_OPERAND_IMM) {
        if (!check_number(c, o, HW_T_PRED)) return false;
        o->imm ^= o->negated;
        o->negated = false;
        return true;
    }
    return check_reg(c, o, HW_T_PRED);
}

static bool check_size_or_predicate(const check *c, hw_ptx_operand *o) {
    bool is_predicate = o->kind == HW_OPERAND_REG && c->p->regs[o->reg].type == HW_T_PRED;
    if (is_predicate || o->negated) return check_predicate(c, o);
    return check_source(c, o, HW_T_U32);
}

// {a, b} that is one value of the instruction's type.
static bool check_parts(const check *c, hw_ptx_operand *o, bool is_written) {
    static const hw_type parts[] = {HW_T_B8, HW_T_B16, HW_T_B32, HW_T_B64};
    unsigned bits = hw_type_bits(c->inst->types[0]);
    hw_type part = HW_T_NONE;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (hw_type_bits(parts[i]) * o->n_elements == bits) part = parts[i];
    bool can_be_split = hw_type_kind_of(c->inst->types[0]) == HW_KIND_B && (o->n_elements == 2 || o->n_elements == 4);
    if (part == HW_T_NONE || !can_be_split) return wrong(c, o, "has not the size of the type");
    for (unsigned i = 0; i < o->n_elements; i++) {
        hw_ptx_operand *e = &o->elements[i];
        bool is_sink = e->kind == HW_OPERAND_SINK;
        if (is_sink && !is_written) return wrong(c, o, "has an element that is not there");
        if (!is_sink && !(is_written ? check_reg(c, e, part) : check_source(c, e, part))) return false;
    }
    return true;
}

// Old PTX reads 16 bits of %tid and its like, with mov or cvt, and 32 of %gridid.
static bool has_low_part(hw_sreg sreg, unsigned bits) {
    return (bits == 16 && sreg >= HW_SREG_TID_X && sreg <= HW_SREG_NCTAID_W) || (bits == 32 && sreg == HW_SREG_GRIDID);
}

static bool check_cvt_source(const check *c, hw_ptx_operand *o) {
    hw_type type = c->inst->types[1];
    if (o->kind != HW_OPERAND_SREG || hw_type_kind_of(type) == HW_KIND_F) return check_source(c, o, type);
    unsigned bits = hw_type_bits(type);
    return bits == hw_type_bits(hw_sreg_type(o->sreg)) || has_low_part(o->sreg, bits) ||
           wrong(c, o, "is of another width than the type");
}

static bool check_mov_sreg(const check *c, const hw_ptx_operand *o) {
    hw_type type = c->inst->types[0], sreg = hw_sreg_type(o->sreg);
    if (hw_type_kind_of(type) == HW_KIND_F) return wrong(c, o, "is no floating-point number");
    if (hw_type_bits(type) == hw_type_bits(sreg) || has_low_part(o->sreg, hw_type_bits(type))) return true;
    if (hw_type_bits(type) > hw_type_bits(sreg)) return wrong(c, o, "is narrower than the type");
    return hw_ptx_refuse(c->p, c->inst->line, "instruction %s of a part of %%%s is", c->m->text, hw_sreg_name(o->sreg));
}

static bool check_mov_source(const check *c, hw_ptx_operand *o) {
    hw_type type = c->inst->types[0];
    unsigned bits = hw_type_bits(type);
    bool has_vector = c->inst->operands[0].kind == HW_OPERAND_VECTOR;
    if (has_vector && o->kind != HW_OPERAND_REG && o->kind != HW_OPERAND_IMM) return wrong(c, o, "must be a register");
    switch (o->kind) {
    case HW_OPERAND_VECTOR: return check_parts(c, o, false);
    case HW_OPERAND_SREG: return check_mov_sreg(c, o);
    case HW_OPERAND_SYMBOL: {
        bool is_short = o->symbol && o->symbol->space != HW_SPACE_GLOBAL && bits == 32;
        bool fits = hw_type_kind_of(type) != HW_KIND_F && (bits == 64 || is_short);
        return fits || wrong(c, o, "does not fit the type");
    }
    default: return check_source(c, o, type);
    }
}

// Parts of video operands: one of a scalar; of pairs and quads a mask (destination), or one for each place.
static bool parts_fit(const check *c, const hw_ptx_operand *o) {
    hw_op op = c->m->op;
    unsigned places = op >= HW_OP_VADD4 ? 4 : op >= HW_OP_VADD2 ? 2 : 1, n = 0;
    bool is_scalar = places == 1, is_mask = c->operand == 0, are_halves = o->parts & HW_PTX_PARTS_ARE_HALVES;
    int limit = is_scalar ? (are_halves ? 2 : 4) : (int)(is_mask ? places : 2 * places);
    for (; n < 4 && hw_ptx_part(o->parts, n) >= 0; n++) {
        if (hw_ptx_part(o->parts, n) >= limit) return false;
        if (is_mask && n && hw_ptx_part(o->parts, n) <= hw_ptx_part(o->parts, n - 1)) return false;
    }
    if (!is_scalar && are_halves != (places == 2)) return false;
    return is_scalar ? n == 1 : is_mask ? n <= places : n == places;
}

static bool check_extras(const check *c, const operand_rule *rule, const hw_ptx_operand *o) {
    bool may_be_negated = rule->letter == 'q' || rule->letter == 'z' || rule->may_negate;
    if (o->negated && !may_be_negated) return wrong(c, o, "cannot be negated");
    if (o->parts && !(rule->may_have_parts && parts_fit(c, o))) return wrong(c, o, "names parts that it does not have");
    if (o->is_pair && !rule->may_pair) return wrong(c, o, "cannot be a pair");
    if (o->kind != HW_OPERAND_SINK) return true;
    if (!rule->may_sink || (rule->may_pair && !o->is_pair)) return wrong(c, o, "must be a register");
    return true;
}

// The handle of a texture or surface, and a number of the layer where there are layers, and the coordinates: 1, 2 or 4,
// of which not all are used.
static bool check_texture(const check *c, hw_ptx_operand *o) {
    const hw_mods *mods = &c->inst->mods;
    bool is_layer_first = hw_has_mod(mods, HW_M_TEX_A1D) || hw_has_mod(mods, HW_M_TEX_A2D) ||
                          hw_has_mod(mods, HW_M_TEX_ACUBE), is_surface = c->inst->op != HW_OP_TEX;
    unsigned needed = hw_has_mod(mods, HW_M_TEX_1D) ? 1
                    : hw_has_mod(mods, HW_M_TEX_2D) || hw_has_mod(mods, HW_M_TEX_A1D) ? 2 : 4;
    if (o->kind != HW_OPERAND_ADDRESS || !o->n_elements) return wrong(c, o, "must be a texture and coordinates");
    if (o->symbol) return hw_ptx_refuse(c->p, c->inst->line, "%s of a texture with a name is", c->m->text);
    if (o->reg < 0 || o->offset || !reg_fits(c->p->regs[o->reg].type, HW_T_U64, false))
        return wrong(c, o, "has no register with a texture's handle");
    if (o->n_elements != needed) return wrong(c, o, "has another number of coordinates than the texture");
    for (unsigned i = 0; i < needed; i++) {
        hw_type type = is_surface ? HW_T_B32 : is_layer_first && i == 0 ? HW_T_U32 : c->inst->types[1];
        if (!check_source(c, &o->elements[i], type)) return false;
    }
    return true;
}

// The registers of a matrix, or of a part of one, in braces; a single one may go without.
static bool check_fragment(const check *c, hw_ptx_operand *o) {
    const hw_ptx_inst *inst = c->inst;
    const hw_mods *mods = &inst->mods;
    hw_matrix_shape shape = {0};
    hw_type type = HW_T_B32;
    uint32_t n = hw_has_mod(mods, HW_M_X1) ? 1 : hw_has_mod(mods, HW_M_X2) ? 2 : 4;
    if (hw_matrix_shape_of(mods, &shape)) {
        char role = hw_matrix_operand(inst->op, mods, inst->types, inst->n_types, c->operand, &type);
        hw_fragment fragment = hw_matrix_fragment(role, type, &shape, inst->op != HW_OP_MMA);
        n = hw_fragment_registers(&fragment);
    }
    if (type != HW_T_F32 && type != HW_T_F64) type = HW_T_B32;
    if (n == 1 && o->kind == HW_OPERAND_REG) return check_reg(c, o, type);
    if (o->kind != HW_OPERAND_VECTOR || o->n_elements != n)
        return hw_ptx_fail(c->p, HW_MALFORMED, inst->line, "%s: operand %u must be a vector of %u", c->m->text,
                           c->operand + 1, n);
    for (unsigned i = 0; i < n; i++)
        if (!check_reg(c, &o->elements[i], type)) return false;
    return true;
}

static bool check_operand(const check *c, const operand_rule *rule, hw_ptx_operand *o) {
    const hw_type *types = c->inst->types;
    if (!check_extras(c, rule, o)) return false;
    if (o->kind == HW_OPERAND_SINK) return true;
    switch (rule->letter) {
    case 'd': return check_reg(c, o, types[0]);
    case 'D': return check_reg(c, o, HW_T_B32);
    case 'W': return check_reg(c, o, widened(types[0]));
    case 'w': return check_source(c, o, widened(types[0]));
    case 'a': return check_source(c, o, types[0]);
    case 'A': return c->m->op == HW_OP_CVT ? check_cvt_source(c, o) : check_source(c, o, types[1]);
    case 'c': return check_source(c, o, types[2]);
    case 'I': case 'M': return check_source(c, o, HW_T_U32);
    case 'n': return check_source(c, o, HW_T_F32);
    case 'i': return o->kind == HW_OPERAND_IMM ? check_number(c, o, HW_T_U64) : wrong(c, o, "must be a number");
    case 'p': return check_reg(c, o, HW_T_PRED);
    case 'q': return check_predicate(c, o);
    case 'v': return check_vector(c, o, c->operand == 0 && c->m->op != HW_OP_ST && c->m->op != HW_OP_RED);
    case 'm': return check_address(c, o);
    case 'g': return check_global_address(c, o);
    case 'z': return check_size_or_predicate(c, o);
    case 'x': return check_texture(c, o);
    case 'f': return check_fragment(c, o);
    case 'h': return check_reg(c, o, HW_T_B64);
    case 'y': return check_variable(c, o, types[0]);
    case 'k': return check_source(c, o, c->inst->n_types ? types[0] : HW_T_U64);
    case 'O': return o->kind == HW_OPERAND_VECTOR ? check_parts(c, o, true) : check_reg(c, o, types[0]);
    case 'o': return check_mov_source(c, o);
    default: return wrong(c, o, "has no rule");
    }
}

static bool wrong_count(const check *c) {
    return hw_ptx_fail(c->p, HW_MALFORMED, c->inst->line, "%s cannot have %u operand%s", c->m->text,
                       c->inst->n_operands, c->inst->n_operands == 1 ? "" : "s");
}

bool hw_ptx_check_inst(parser *p, const mnemonic *m, hw_ptx_inst *inst) {
    if (m->op == HW_OP_BRA) return true;
    check c = {.p = p, .m = m, .inst = inst};
    c.is_relaxed = m->op == HW_OP_LD || m->op == HW_OP_LDU || m->op == HW_OP_ST || m->op == HW_OP_CVT ||
                   m->op == HW_OP_SULD || m->op == HW_OP_SUST;
    bool has_policy = hw_has_mod(&m->mods, HW_M_L2_CACHE_HINT);
    unsigned needed = 0, given = inst->n_operands + (m->op == HW_OP_BRX);   // brx's table is no operand any more
    for (unsigned i = 0; i < m->n_rules; i++)
        needed += !m->rules[i].optional || (m->rules[i].letter == 'h' && has_policy);
    if (given < needed) return wrong_count(&c);
    unsigned spare = given - needed;
    for (unsigned i = 0; i < m->n_rules; i++) {
        const operand_rule *rule = &m->rules[i];
        if (rule->letter == 't') continue;
        if (rule->optional && rule->letter == 'h' && !has_policy) continue;
        if (rule->optional && rule->letter != 'h') {
            if (!spare) continue;
            spare--;
        }
        if (!check_operand(&c, rule, &inst->operands[c.operand])) return false;
        c.operand++;
    }
    if (spare || c.operand != inst->n_operands) return wrong_count(&c);
    if (m->op == HW_OP_LOP3) inst->operands[4].imm &= 0xff;
    return true;
}
