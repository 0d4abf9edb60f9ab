// What stands in a function's body: declarations, labels, instructions, nested scopes.
#include <string.h>

#include "ptx/parser.h"

static bool add_inst(parser *p, const mnemonic *m, int line, hw_ptx_inst **out) {
    if (!hw_ptx_room(p, &p->insts, p->n_insts, &p->cap_insts, sizeof *p->insts)) return false;
    hw_ptx_inst *inst = &p->insts[p->n_insts++];
    memset(inst, 0, sizeof *inst);
    inst->op = m->op;
    memcpy(inst->types, m->types, sizeof inst->types);
    inst->n_types = m->n_types;
    inst->vector = m->vector;
    inst->space = m->space;
    inst->mods = m->mods;
    inst->guard = -1;
    inst->text = m->text;
    inst->line = line;
    inst->loc_file = p->loc_file;
    inst->loc_line = p->loc_line;
    inst->loc_inlined = p->loc_inlined;
    if (p->loc_line) p->first_unplaced = p->n_insts;
    *out = inst;
    return true;
}

// @%p or @!%p
static bool parse_guard(parser *p, int32_t *reg, bool *negated) {
    binding *b;
    if (!hw_ptx_next(p) || !hw_ptx_accept(p, '!', negated)) return false;
    token name = p->tok;
    if (name.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a predicate");
    if (!hw_ptx_look_up(p, name.name, &b)) return false;
    if (!b || b->kind != BIND_REG || p->regs[b->reg].type != HW_T_PRED) {
        return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s is no predicate", name.name->text);
    }
    *reg = b->reg;
    return hw_ptx_next(p);
}

// "add .f32" and "ld.const[3].f32" are one mnemonic in several tokens.
static bool join_mnemonic(parser *p, atom **name) {
    char text[256];
    size_t length = (*name)->length;
    if (length >= sizeof text) return true;   // hw_ptx_decode says so
    memcpy(text, (*name)->text, length);
    while (p->tok.kind == TOKEN_WORD || hw_ptx_at(p, '[')) {
        if (p->tok.kind == TOKEN_WORD) {
            if (length + p->tok.length + 1 >= sizeof text) return hw_ptx_unexpected(p, "an operand");
            text[length++] = '.';
            memcpy(text + length, p->tok.text, p->tok.length);
            length += p->tok.length;
            if (!hw_ptx_next(p)) return false;
        } else {
            int64_t bank;
            if (length < 6 || memcmp(text + length - 6, ".const", 6) != 0) break;
            if (!hw_ptx_next(p) || !hw_ptx_parse_int(p, &bank) || !hw_ptx_expect(p, ']')) return false;
        }
    }
    *name = hw_ptx_intern(p, text, length);
    return *name != NULL;
}

static bool parse_label_operand(parser *p, hw_ptx_operand *operand, label_kind kind) {
    if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a label");
    operand->kind = HW_OPERAND_LABEL;
    operand->reg = operand->reg2 = -1;
    label_use use = {.name = p->tok.name, .kind = kind, .line = p->tok.line, .inst = (uint32_t)p->n_insts - 1};
    return hw_ptx_use_label(p, use) && hw_ptx_next(p);
}

// Operands up to the ';'. Which are there, and what they are, is for the checker.
static bool parse_operands(parser *p, const mnemonic *m, hw_ptx_inst *inst) {
    if (m->op == HW_OP_BRA) {
        inst->n_operands = 1;
        return parse_label_operand(p, &inst->operands[0], LABEL_PLACE);
    }
    for (bool more = !hw_ptx_at(p, ';'); more;) {
        if (m->op == HW_OP_BRX && inst->n_operands == 1) {
            hw_ptx_operand table;   // goes into inst->targets
            return parse_label_operand(p, &table, LABEL_TARGETS);
        }
        if (inst->n_operands == HW_PTX_MAX_OPERANDS) {
            return hw_ptx_fail(p, HW_MALFORMED, inst->line, "%s has too many operands", m->text);
        }
        if (!hw_ptx_parse_operand(p, m, &inst->operands[inst->n_operands++])) return false;
        if (!hw_ptx_accept(p, ',', &more)) return false;
    }
    if (m->op == HW_OP_BRX) return hw_ptx_unexpected(p, "a branch table");
    return true;
}

static bool parse_inst(parser *p, atom *name, int line, int32_t guard, bool negated) {
    const mnemonic *m;
    hw_ptx_inst *inst;
    if (p->tok.kind == TOKEN_WORD || (hw_ptx_at(p, '[') && strstr(name->text, ".const")))
        if (!join_mnemonic(p, &name)) return false;
    if (!hw_ptx_decode(p, name, line, &m) || !add_inst(p, m, line, &inst)) return false;
    inst->guard = guard;
    inst->guard_negated = negated;
    if (m->op == HW_OP_CALL) return hw_ptx_parse_call(p, inst) && hw_ptx_expect(p, ';');
    return parse_operands(p, m, inst) && hw_ptx_check_inst(p, m, inst) && hw_ptx_expect(p, ';');
}

// name: before an instruction, or before .branchtargets, .calltargets, .callprototype.
static bool parse_label(parser *p, atom *name, int line) {
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at_word(p, "branchtargets")) return hw_ptx_parse_branch_targets(p, name, line);
    if (hw_ptx_at_word(p, "calltargets")) return hw_ptx_parse_call_targets(p, name, line);
    if (hw_ptx_at_word(p, "callprototype")) return hw_ptx_parse_prototype(p, name, line);
    hw_ptx_end_of_block(p);
    return hw_ptx_declare_label(p, name, LABEL_PLACE, line, NULL);
}

static bool parse_directive(parser *p) {
    bool is_extern = hw_ptx_at_word(p, "extern");
    if (hw_ptx_at_word(p, "loc")) return hw_ptx_parse_loc(p);
    if (hw_ptx_at_word(p, "reg")) return hw_ptx_parse_regs(p);
    if (hw_ptx_at_word(p, "pragma")) return hw_ptx_parse_pragma(p);
    if (hw_ptx_at_word(p, "file")) return hw_ptx_parse_file(p);
    if (hw_ptx_at_word(p, "section")) return hw_ptx_parse_section(p);
    while (hw_ptx_at_word(p, "extern") || hw_ptx_at_word(p, "weak") || hw_ptx_at_word(p, "visible"))
        if (!hw_ptx_next(p)) return false;
    hw_space space = hw_ptx_at_word(p, "param")    ? HW_SPACE_PARAM
                     : hw_ptx_at_word(p, "local")  ? HW_SPACE_LOCAL
                     : hw_ptx_at_word(p, "shared") ? HW_SPACE_SHARED
                     : hw_ptx_at_word(p, "global") ? HW_SPACE_GLOBAL
                     : hw_ptx_at_word(p, "const")  ? HW_SPACE_CONST
                                                   : HW_SPACE_GENERIC;
    if (space == HW_SPACE_GENERIC) return hw_ptx_unexpected(p, "an instruction or a declaration");
    return hw_ptx_next(p) && hw_ptx_parse_variable(p, space, is_extern);
}

bool hw_ptx_parse_statement(parser *p) {
    token first = p->tok;
    if (hw_ptx_at(p, '{')) return hw_ptx_scope_open(p) && hw_ptx_next(p);
    if (hw_ptx_at(p, '}')) return hw_ptx_scope_close(p) && hw_ptx_next(p);
    if (hw_ptx_at(p, ';')) return hw_ptx_next(p);
    if (first.kind == TOKEN_WORD) return parse_directive(p);
    int32_t guard = -1;
    bool negated = false;
    if (hw_ptx_at(p, '@')) {
        if (!parse_guard(p, &guard, &negated)) return false;
        first = p->tok;
    }
    if (first.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "an instruction");
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at(p, ':') && guard < 0) return parse_label(p, first.name, first.line);
    return parse_inst(p, first.name, first.line, guard, negated);
}
