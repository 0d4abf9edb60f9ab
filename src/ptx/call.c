// Calls, and what describes the targets of indirect branches and calls. PTX ISA sections 9.7.12.4, 9.7.12.5, 11.3.
#include <string.h>

#include "base/alloc.h"
#include "ptx/parser.h"

// (a, b, 5): registers, numbers, .param variables. In the arena of the module.
static bool parse_list(parser *p, const mnemonic *m, hw_ptx_operand **out, uint32_t *n_out) {
    hw_ptx_operand *list = NULL;
    size_t n = 0, capacity = 0;
    bool good = hw_ptx_expect(p, '(');
    for (bool more = good && !hw_ptx_at(p, ')'); good && more;) {
        int line = p->tok.line;
        good = hw_ptx_room(p, &list, n, &capacity, sizeof *list) && hw_ptx_parse_operand(p, m, &list[n]);
        if (!good) break;
        const hw_ptx_operand *o = &list[n++];
        bool is_param = o->kind == HW_OPERAND_SYMBOL && o->symbol && o->symbol->space == HW_SPACE_PARAM && !o->offset;
        bool is_value = (o->kind == HW_OPERAND_REG && !o->is_pair && !o->negated) || o->kind == HW_OPERAND_IMM ||
                        (o->kind == HW_OPERAND_SINK && !o->is_pair);
        if (!is_param && !is_value) {
            good = hw_ptx_fail(p, HW_MALFORMED, line, "an argument must be a .param variable, a register or a number");
        }
        good = good && hw_ptx_accept(p, ',', &more);
    }
    if (good && n) {
        *out = hw_ptx_take(p, n * sizeof *list);
        good = *out != NULL;
        if (good) memcpy(*out, list, n * sizeof *list);
    }
    *n_out = (uint32_t)n;
    hw_free(list);
    return good && hw_ptx_expect(p, ')');
}

static bool parse_target(parser *p, hw_ptx_call *call) {
    token name = p->tok;
    binding *b;
    if (name.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a function");
    if (!hw_ptx_look_up(p, name.name, &b)) return false;
    call->callee_name = name.name->text;
    call->target_reg = -1;
    if (b && b->kind == BIND_REG) {
        call->target_reg = b->reg;
        if (hw_type_bits(p->regs[b->reg].type) != 64 || hw_type_kind_of(p->regs[b->reg].type) == HW_KIND_F) {
            return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s cannot hold a function's address", name.name->text);
        }
    } else if (b && b->kind != BIND_FUNCTION) {
        return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s is no function", name.name->text);
    }
    return hw_ptx_next(p);
}

// call (rets), target, (args), prototype: all but the target may be missing.
bool hw_ptx_parse_call(parser *p, hw_ptx_inst *inst) {
    static const mnemonic call_mnemonic = {.text = "call", .op = HW_OP_CALL};
    uint32_t index = (uint32_t)(inst - p->insts);
    bool more;
    hw_ptx_call *call = inst->call = hw_ptx_take(p, sizeof *call);
    if (!call) return false;
    if (hw_ptx_at(p, '(') &&
        (!parse_list(p, &call_mnemonic, &call->rets, &call->n_rets) || !hw_ptx_expect(p, ',')))
        return false;
    if (!parse_target(p, call) || !hw_ptx_accept(p, ',', &more)) return false;
    if (more && hw_ptx_at(p, '(')) {
        if (!parse_list(p, &call_mnemonic, &call->args, &call->n_args)) return false;
        if (!hw_ptx_accept(p, ',', &more)) return false;
    }
    if (call->target_reg < 0) return more ? hw_ptx_unexpected(p, "';'") : true;
    if (!more) return hw_ptx_unexpected(p, "the call's prototype");
    if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "the call's prototype");
    label_use use = {.name = p->tok.name, .kind = LABEL_PROTOTYPE, .line = p->tok.line, .inst = index};
    return hw_ptx_use_label(p, use) && hw_ptx_next(p);
}

// name: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;
bool hw_ptx_parse_prototype(parser *p, atom *name, int line) {
    label *l;
    hw_ptx_function *f = hw_ptx_take(p, sizeof *f);
    if (!f || !hw_ptx_declare_label(p, name, LABEL_PROTOTYPE, line, &l) || !hw_ptx_next(p)) return false;
    l->prototype = f;
    f->name = name->text;
    f->line = line;
    f->index = -1;
    if (hw_ptx_at(p, '(') && !hw_ptx_parse_params(p, &f->rets, &f->n_rets, NULL, false)) return false;
    if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "'_'");
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at(p, '(') && !hw_ptx_parse_params(p, &f->params, &f->n_params, &f->param_bytes, false)) return false;
    while (p->tok.kind == TOKEN_WORD) {   // .noreturn, .abi_preserve 8
        f->noreturn |= hw_ptx_at_word(p, "noreturn");
        if (!hw_ptx_next(p)) return false;
        if (p->tok.kind == TOKEN_INT && !hw_ptx_next(p)) return false;
    }
    return hw_ptx_expect(p, ';');
}

// name: .calltargets f, g; all of one signature, so the first one's says it for all.
bool hw_ptx_parse_call_targets(parser *p, atom *name, int line) {
    label *l;
    bool more = true;
    if (!hw_ptx_declare_label(p, name, LABEL_PROTOTYPE, line, &l) || !hw_ptx_next(p)) return false;
    while (more) {
        binding *b;
        if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a function");
        if (!hw_ptx_look_up(p, p->tok.name, &b)) return false;
        if (!b || b->kind != BIND_FUNCTION) {
            return hw_ptx_fail(p, HW_MALFORMED, p->tok.line, "%s is no function declared before",
                               p->tok.name->text);
        }
        if (!l->prototype) l->prototype = b->function;
        if (!hw_ptx_next(p) || !hw_ptx_accept(p, ',', &more)) return false;
    }
    return hw_ptx_expect(p, ';');
}

static bool add_target(parser *p, label *l, size_t *capacity) {
    if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a label");
    if (l->n_targets == *capacity) {
        size_t wanted = *capacity ? *capacity * 2 : 16;
        atom **bigger = hw_ptx_take_scratch(p, wanted * sizeof *bigger);
        if (!bigger) return false;
        if (l->n_targets) memcpy(bigger, l->names, l->n_targets * sizeof *bigger);
        l->names = bigger;
        *capacity = wanted;
    }
    l->names[l->n_targets++] = p->tok.name;
    return hw_ptx_next(p);
}

// name: .branchtargets a, b, c;
bool hw_ptx_parse_branch_targets(parser *p, atom *name, int line) {
    label *l;
    size_t capacity = 0;
    bool more = true;
    if (!hw_ptx_declare_label(p, name, LABEL_TARGETS, line, &l) || !hw_ptx_next(p)) return false;
    while (more)
        if (!add_target(p, l, &capacity) || !hw_ptx_accept(p, ',', &more)) return false;
    l->targets = hw_ptx_take(p, l->n_targets * sizeof *l->targets);
    if (!l->targets) return false;
    for (uint32_t i = 0; i < l->n_targets; i++) {
        label_use use = {.name = l->names[i], .kind = LABEL_PLACE, .line = line, .slot = &l->targets[i]};
        if (!hw_ptx_use_label(p, use)) return false;
    }
    return hw_ptx_expect(p, ';');
}
