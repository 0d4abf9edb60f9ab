// What can only be settled when the whole module is read: functions named before they are declared, addresses in
// initialisers, aliases, and whether calls fit what they call.
#include <string.h>

#include "ptx/parser.h"

static const binding *find_in_module(parser *p, const char *name) {
    atom *a = hw_ptx_find_atom(p, name, strlen(name));
    return a && a->bound && a->bound->depth == 0 ? a->bound : NULL;
}

static bool resolve_late_use(parser *p, const late_use *use) {
    const binding *b = find_in_module(p, use->name->text);
    if (!b) return hw_ptx_fail(p, HW_MALFORMED, use->line, "%s is not declared", use->name->text);
    if (!use->is_alias) {
        hw_ptx_operand *o = &use->function->insts[use->inst].operands[use->operand];
        o->symbol = b->symbol;
        o->function = b->function;
        return true;
    }
    const hw_ptx_function *f = b->function;
    if (!f || !f->has_body) {
        return hw_ptx_fail(p, HW_MALFORMED, use->line, "%s is no function with a body", use->name->text);
    }
    const char *name = use->function->name;
    int index = use->function->index;
    *use->function = *f;   // one body under two names; neither is changed after this
    use->function->name = name;
    use->function->index = index;
    return true;
}

static bool resolve_relocs(parser *p, hw_ptx_symbol *symbol) {
    for (uint32_t i = 0; i < symbol->n_relocs; i++) {
        hw_ptx_reloc *reloc = &symbol->relocs[i];
        const binding *b = find_in_module(p, reloc->target_name);
        if (!b) {
            return hw_ptx_fail(p, HW_MALFORMED, symbol->line, "%s, whose address is in %s, is not declared",
                               reloc->target_name, symbol->name);
        }
        reloc->target = b->symbol;
        reloc->target_function = b->function;
    }
    return true;
}

// An argument against the formal parameter it is passed as; numbers get its type.
static bool argument_fits(parser *p, const hw_ptx_function *caller, hw_ptx_operand *arg, const hw_ptx_symbol *formal,
                          int line, const char *callee) {
    bool fits = true;
    if (arg->kind == HW_OPERAND_SYMBOL) {
        bool is_open = formal->size_bytes == 0;   // .b8 name[]: the arguments behind an ellipsis
        fits = is_open || arg->symbol->size_bytes == formal->size_bytes;
    } else if (arg->kind == HW_OPERAND_REG) {
        hw_type type = caller->regs[arg->reg].type;
        fits = type != HW_T_PRED && hw_type_bits(type) / 8 == formal->size_bytes;
    } else if (arg->kind == HW_OPERAND_IMM) {
        constant v = {.kind = (token_kind)arg->offset, .bits = arg->imm};
        arg->offset = 0;
        bool is_scalar = formal->size_bytes == hw_type_bits(formal->type) / 8;
        fits = is_scalar && hw_ptx_constant_bits(&v, formal->type, &arg->imm);
    }
    return fits || hw_ptx_fail(p, HW_MALFORMED, line, "an argument does not fit parameter %s of %s", formal->name,
                               callee);
}

static bool resolve_call(parser *p, const hw_ptx_function *caller, hw_ptx_inst *inst) {
    hw_ptx_call *call = inst->call;
    const hw_ptx_function *f = call->prototype;
    if (call->target_reg < 0) {
        const binding *b = find_in_module(p, call->callee_name);
        if (!b || !b->function) {
            return hw_ptx_fail(p, HW_MALFORMED, inst->line, "function %s is not declared", call->callee_name);
        }
        f = call->callee = b->function;
        if (f->is_entry) return hw_ptx_fail(p, HW_MALFORMED, inst->line, "%s is a kernel, not a function", f->name);
    }
    if (call->n_rets != f->n_rets || call->n_args != f->n_params) {
        return hw_ptx_fail(p, HW_MALFORMED, inst->line, "%s takes %u arguments and returns %u values, not %u and %u",
                           call->callee_name, f->n_params, f->n_rets, call->n_args, call->n_rets);
    }
    for (uint32_t i = 0; i < call->n_rets; i++) {
        if (call->rets[i].kind == HW_OPERAND_IMM) {
            return hw_ptx_fail(p, HW_MALFORMED, inst->line, "a call cannot return into a number");
        }
        if (!argument_fits(p, caller, &call->rets[i], f->rets[i], inst->line, call->callee_name)) return false;
    }
    for (uint32_t i = 0; i < call->n_args; i++) {
        if (call->args[i].kind == HW_OPERAND_SINK) {
            return hw_ptx_fail(p, HW_MALFORMED, inst->line, "'_' is no argument");
        }
        if (!argument_fits(p, caller, &call->args[i], f->params[i], inst->line, call->callee_name)) return false;
    }
    return true;
}

bool hw_ptx_resolve_module(parser *p) {
    hw_ptx_module *m = p->module;
    for (uint32_t i = 0; i < m->n_functions; i++)
        for (uint32_t k = 0; k < m->functions[i]->n_insts; k++) {
            hw_ptx_inst *inst = &m->functions[i]->insts[k];
            if (inst->call && !resolve_call(p, m->functions[i], inst)) return false;
        }
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (!resolve_relocs(p, m->globals[i])) return false;
    for (size_t i = 0; i < p->n_late_uses; i++)
        if (!resolve_late_use(p, &p->late_uses[i])) return false;
    return true;
}
