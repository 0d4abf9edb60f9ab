// Operands as written: registers, numbers, addresses, vectors, pairs. PTX ISA section 6.
#include <string.h>

#include "ptx/parser.h"

// Until the checker has given a number the bits of its type, `offset` holds the token_kind it was written as.
static bool parse_number(parser *p, hw_ptx_operand *out) {
    constant v;
    if (!hw_ptx_parse_constant(p, &v)) return false;
    out->kind = HW_OPERAND_IMM;
    out->imm = v.bits;
    out->offset = v.kind;
    return true;
}

static bool is_sink(const token *t) { return t->kind == TOKEN_NAME && t->length == 1 && t->text[0] == '_'; }

// A register, or '_'; behind it perhaps |register or |_.
static bool parse_pair(parser *p, hw_ptx_operand *out) {
    binding *b;
    if (!hw_ptx_at(p, '|')) return true;
    if (!hw_ptx_next(p)) return false;
    token name = p->tok;
    out->is_pair = true;
    if (name.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a predicate");
    if (!is_sink(&name)) {
        if (!hw_ptx_look_up(p, name.name, &b)) return false;
        if (!b || b->kind != BIND_REG || p->regs[b->reg].type != HW_T_PRED) {
            return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s is no predicate", name.name->text);
        }
        out->reg2 = b->reg;
    }
    return hw_ptx_next(p);
}

// mov may take the address of a function that is declared further down.
static bool use_late(parser *p, const token *name) {
    if (!hw_ptx_room(p, &p->late_uses, p->n_late_uses, &p->cap_late_uses, sizeof *p->late_uses)) return false;
    uint32_t inst = (uint32_t)p->n_insts - 1;
    p->late_uses[p->n_late_uses++] = (late_use){.name = name->name, .line = name->line, .function = p->function,
                                                .inst = inst, .operand = p->insts[inst].n_operands - 1u};
    return true;
}

static bool parse_symbol(parser *p, const token *name, const binding *b, hw_ptx_operand *out) {
    out->kind = HW_OPERAND_SYMBOL;
    out->symbol = b->symbol;
    out->function = b->function;
    if (!hw_ptx_at(p, '+') && !hw_ptx_at(p, '-')) return true;
    if (b->function) return hw_ptx_fail(p, HW_MALFORMED, name->line, "%s is a function", name->name->text);
    return hw_ptx_parse_int(p, &out->offset);
}

static bool names_parts(const mnemonic *m) { return m->op >= HW_OP_VADD && m->op <= HW_OP_VSET4; }

// The lexer took "%r1.h10" for one name: cuts ".h10" off it. false with *out untouched when it is none.
static bool cut_parts(token *name, uint32_t *out) {
    uint32_t length = name->length, parts = 0, n = 0;
    while (length && name->text[length - 1] >= '0' && name->text[length - 1] <= '7' && n < 4)
        parts |= (uint32_t)(name->text[--length] - '0' + 1) << 4 * n++;
    if (!n || length < 3 || name->text[length - 2] != '.') return false;
    if (name->text[length - 1] == 'h') parts |= HW_PTX_PARTS_ARE_HALVES;
    else if (name->text[length - 1] != 'b') return false;
    name->length = length - 2;
    *out = parts;
    return true;
}

static bool parse_name(parser *p, const mnemonic *m, hw_ptx_operand *out) {
    token name = p->tok;
    binding *b;
    if (names_parts(m) && cut_parts(&name, &out->parts)) {
        name.name = hw_ptx_intern(p, name.text, name.length);
        if (!name.name) return false;
    }
    if (is_sink(&name)) {
        out->kind = HW_OPERAND_SINK;
        return hw_ptx_next(p) && parse_pair(p, out);
    }
    if (!hw_ptx_look_up(p, name.name, &b)) return false;
    if (!b && hw_ptx_at_name(p, "WARP_SZ")) return parse_number(p, out);
    if (!hw_ptx_next(p)) return false;
    if (b && b->kind == BIND_REG) {
        out->kind = HW_OPERAND_REG;
        out->reg = b->reg;
        return parse_pair(p, out);
    }
    if (b) return parse_symbol(p, &name, b, out);
    if (name.text[0] == '%') {
        out->sreg = hw_sreg_find(name.text + 1, name.length - 1);
        out->kind = HW_OPERAND_SREG;
        if (out->sreg != HW_SREG_NONE) return true;
    }
    if (m->op == HW_OP_MOV && name.text[0] != '%') {
        out->kind = HW_OPERAND_SYMBOL;
        return use_late(p, &name);
    }
    return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s is not declared", name.name->text);
}

// What may stand in a vector.
static bool parse_element(parser *p, const mnemonic *m, hw_ptx_operand *out) {
    *out = (hw_ptx_operand){.reg = -1, .reg2 = -1};
    int line = p->tok.line;
    if (!(p->tok.kind == TOKEN_NAME ? parse_name(p, m, out) : parse_number(p, out))) return false;
    bool is_simple = out->kind == HW_OPERAND_REG || out->kind == HW_OPERAND_IMM || out->kind == HW_OPERAND_SINK;
    if (is_simple && !out->is_pair) return true;
    return hw_ptx_fail(p, HW_MALFORMED, line, "an element of a vector must be a register or number");
}

static bool parse_vector(parser *p, const mnemonic *m, hw_ptx_operand *out) {
    hw_ptx_operand elements[MAX_VECTOR];
    uint8_t n = 0;
    if (!hw_ptx_next(p)) return false;
    for (bool more = true; more;) {
        if (n == MAX_VECTOR) return hw_ptx_unexpected(p, "at most 8 elements");
        if (!parse_element(p, m, &elements[n++]) || !hw_ptx_accept(p, ',', &more)) return false;
    }
    out->kind = HW_OPERAND_VECTOR;
    out->n_elements = n;
    out->elements = hw_ptx_take(p, n * sizeof *elements);
    if (!out->elements) return false;
    memcpy(out->elements, elements, n * sizeof *elements);
    return hw_ptx_expect(p, '}');
}

// Behind a texture's handle: ", {%f1, %f2}", or ", %f1" of one dimension.
static bool parse_coordinates(parser *p, const mnemonic *m, hw_ptx_operand *out) {
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at(p, '{')) {
        hw_ptx_operand list;
        if (!parse_vector(p, m, &list)) return false;
        out->elements = list.elements;
        out->n_elements = list.n_elements;
        return true;
    }
    out->elements = hw_ptx_take(p, sizeof *out->elements);
    out->n_elements = 1;
    return out->elements && parse_element(p, m, out->elements);
}

// [reg], [reg+4], [symbol], [symbol+4], [4], [reg, {coordinates}]
static bool parse_address(parser *p, const mnemonic *m, hw_ptx_operand *out) {
    binding *b = NULL;
    if (!hw_ptx_next(p)) return false;
    token name = p->tok;
    out->kind = HW_OPERAND_ADDRESS;
    if (name.kind != TOKEN_NAME || hw_ptx_at_name(p, "WARP_SZ")) {
        return hw_ptx_parse_int(p, &out->offset) && hw_ptx_expect(p, ']');
    }
    if (!hw_ptx_look_up(p, name.name, &b)) return false;
    if (!b) return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s is not declared", name.name->text);
    if (b->kind == BIND_FUNCTION) {
        return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s is a function, not memory", name.name->text);
    }
    out->reg = b->reg;
    out->symbol = b->symbol;
    if (!hw_ptx_next(p)) return false;
    if ((hw_ptx_at(p, '+') || hw_ptx_at(p, '-')) && !hw_ptx_parse_int(p, &out->offset)) return false;
    bool has_coordinates = m->op == HW_OP_TEX || m->op == HW_OP_SULD || m->op == HW_OP_SUST;
    if (has_coordinates && hw_ptx_at(p, ',') && !parse_coordinates(p, m, out)) return false;
    return hw_ptx_expect(p, ']');
}

// !%p, and -%r1 of vmad; before anything else '!' and '-' belong to a constant expression.
static bool parse_negated(parser *p, const mnemonic *m, hw_ptx_operand *out) {
    lexer before = p->lex;
    token mark = p->tok;
    if (!hw_ptx_next(p)) return false;
    if (p->tok.kind == TOKEN_NAME && !hw_ptx_at_name(p, "WARP_SZ")) {
        out->negated = true;
        return parse_name(p, m, out);
    }
    p->lex = before;
    p->tok = mark;
    return parse_number(p, out);
}

bool hw_ptx_parse_operand(parser *p, const mnemonic *m, hw_ptx_operand *out) {
    *out = (hw_ptx_operand){.reg = -1, .reg2 = -1};
    if (hw_ptx_at(p, '[')) return parse_address(p, m, out);
    if (hw_ptx_at(p, '{')) return parse_vector(p, m, out);
    if (hw_ptx_at(p, '!') || (m->op == HW_OP_VMAD && hw_ptx_at(p, '-'))) return parse_negated(p, m, out);
    if (p->tok.kind == TOKEN_NAME) return parse_name(p, m, out);
    return parse_number(p, out);
}
