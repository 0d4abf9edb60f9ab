// Names and what they mean: nested scopes of registers, variables, functions and labels. PTX ISA sections 4.4, 5.4.
#include <string.h>

#include "ptx/parser.h"

bool hw_ptx_scope_open(parser *p) {
    if (p->depth + 1 >= MAX_SCOPES) return hw_ptx_fail(p, HW_MALFORMED, p->tok.line, "braces are nested too deeply");
    p->depth++;
    p->scopes[p->depth] = (scope){.first_use = p->n_label_uses};
    return true;
}

static bool settle_label(parser *p, const label_use *use, const label *found) {
    if (found->kind != use->kind) {
        return hw_ptx_fail(p, HW_MALFORMED, use->line, "%s is not the kind of label that is needed here",
                           use->name->text);
    }
    hw_ptx_inst *inst = use->slot ? NULL : &p->insts[use->inst];
    if (use->slot) *use->slot = found->place;
    else if (found->kind == LABEL_PLACE) inst->operands[0].label = found->place;
    else if (found->kind == LABEL_PROTOTYPE) inst->call->prototype = found->prototype;
    else inst->targets = found->targets, inst->n_targets = found->n_targets;
    return true;
}

// Uses whose label stands in this scope are settled; the others wait for the scope around it.
static bool settle_labels(parser *p) {
    size_t kept = p->scopes[p->depth].first_use;
    bool outermost = p->depth <= 2;   // 2: a function's body
    for (size_t i = kept; i < p->n_label_uses; i++) {
        const label_use *use = &p->label_uses[i];
        const label *found = use->name->labelled;
        if (found && found->depth == p->depth) {
            if (!settle_label(p, use, found)) return false;
        } else if (outermost) {
            return hw_ptx_fail(p, HW_MALFORMED, use->line, "label %s is not declared", use->name->text);
        } else {
            p->label_uses[kept++] = *use;
        }
    }
    p->n_label_uses = kept;
    return true;
}

bool hw_ptx_scope_close(parser *p) {
    if (!settle_labels(p)) return false;
    scope *s = &p->scopes[p->depth];
    for (binding *b = s->bindings; b; b = b->next_in_scope) b->name->bound = b->outer;
    for (label *l = s->labels; l; l = l->next_in_scope) l->name->labelled = l->outer;
    for (reg_range *r = s->ranges; r; r = r->next_in_scope) r->prefix->ranges = r->outer;
    p->depth--;
    while (p->deepest_range > p->depth || (p->deepest_range && !p->scopes[p->deepest_range].ranges)) p->deepest_range--;
    return true;
}

static bool bind_at(parser *p, atom *name, binding_kind kind, uint32_t depth, binding **out) {
    binding *b = hw_ptx_take_scratch(p, sizeof *b);
    if (!b) return false;
    *b = (binding){.outer = name->bound, .next_in_scope = p->scopes[depth].bindings, .name = name, .depth = depth,
                   .kind = kind, .reg = -1};
    name->bound = p->scopes[depth].bindings = b;
    *out = b;
    return true;
}

bool hw_ptx_bind(parser *p, atom *name, binding_kind kind, int line, binding **out) {
    if (name->bound && name->bound->depth == p->depth) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "%s is declared twice", name->text);
    }
    return bind_at(p, name, kind, p->depth, out);
}

// Names may repeat in the scopes of a function; the lists of a function have no scopes, so repeated names get a number.
bool hw_ptx_unique_name(parser *p, atom *name, bool in_module, const char **out) {
    atom *unique = name;
    uint32_t serial = in_module ? 1 : p->function_serial;
    while ((in_module ? unique->taken_in_module : unique->taken_in_function) == serial) {
        const char *text = hw_arena_printf(p->scratch, "%s$%u", name->text, ++p->rename_serial);
        unique = text ? hw_ptx_intern(p, text, strlen(text)) : NULL;
        if (!unique) return hw_ptx_out_of_memory(p);
    }
    *(in_module ? &unique->taken_in_module : &unique->taken_in_function) = serial;
    *out = unique->text;
    return true;
}

static bool add_reg(parser *p, atom *name, hw_type type, int32_t *out) {
    if (!hw_ptx_room(p, &p->regs, p->n_regs, &p->cap_regs, sizeof *p->regs)) return false;
    hw_ptx_reg *reg = &p->regs[p->n_regs];
    *reg = (hw_ptx_reg){.type = type};
    if (!hw_ptx_unique_name(p, name, false, &reg->name)) return false;
    *out = (int32_t)p->n_regs++;
    return true;
}

// The innermost range deeper than `outside` that holds the name: %r12 is of %r<13>, or of %r1<3>.
static reg_range *find_range(parser *p, const atom *name, uint32_t outside) {
    if (p->deepest_range <= outside) return NULL;
    reg_range *best = NULL;
    uint64_t number = 0, scale = 1;
    size_t length = name->length;
    for (unsigned digits = 1; digits <= 10 && length > 1; digits++) {
        char c = name->text[--length];
        if (c < '0' || c > '9') break;
        number += scale * (uint64_t)(c - '0');
        scale *= 10;
        if (c == '0' && digits > 1) continue;   // no leading zeros
        atom *prefix = hw_ptx_find_atom(p, name->text, length);
        reg_range *r = prefix ? prefix->ranges : NULL;
        while (r && r->depth > outside && number >= r->count) r = r->outer;   // a smaller one hides a part of it
        if (r && r->depth > outside && (!best || r->depth > best->depth)) best = r;
    }
    return best;
}

bool hw_ptx_declare_reg(parser *p, atom *name, hw_type type, int line) {
    binding *b;
    reg_range *range = find_range(p, name, p->depth - 1);
    if (range) return hw_ptx_fail(p, HW_MALFORMED, line, "%s is declared twice", name->text);
    if (!hw_ptx_bind(p, name, BIND_REG, line, &b)) return false;
    return add_reg(p, name, type, &b->reg);
}

bool hw_ptx_declare_range(parser *p, atom *prefix, hw_type type, uint64_t count, int line) {
    if (prefix->ranges && prefix->ranges->depth == p->depth) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "%s<%llu> is declared twice", prefix->text,
                           (unsigned long long)count);
    }
    reg_range *r = hw_ptx_take_scratch(p, sizeof *r);
    if (!r) return false;
    *r = (reg_range){.outer = prefix->ranges, .next_in_scope = p->scopes[p->depth].ranges, .prefix = prefix,
                     .depth = p->depth, .type = type, .count = count};
    prefix->ranges = p->scopes[p->depth].ranges = r;
    p->deepest_range = p->depth;
    return true;
}

bool hw_ptx_look_up(parser *p, atom *name, binding **out) {
    *out = name->bound;
    uint32_t depth = name->bound ? name->bound->depth : 0;
    if (depth >= p->deepest_range) return true;
    reg_range *range = find_range(p, name, depth);
    if (!range) return true;
    binding *b;
    if (!bind_at(p, name, BIND_REG, range->depth, &b) || !add_reg(p, name, range->type, &b->reg)) return false;
    *out = b;
    return true;
}

bool hw_ptx_declare_label(parser *p, atom *name, label_kind kind, int line, label **out) {
    if (name->labelled && name->labelled->depth == p->depth) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "label %s is declared twice", name->text);
    }
    label *l = hw_ptx_take_scratch(p, sizeof *l);
    if (!l) return false;
    *l = (label){.outer = name->labelled, .next_in_scope = p->scopes[p->depth].labels, .name = name,
                 .depth = p->depth, .kind = kind, .place = (uint32_t)p->n_insts};
    name->labelled = p->scopes[p->depth].labels = l;
    if (out) *out = l;
    return true;
}

bool hw_ptx_use_label(parser *p, label_use use) {
    if (!hw_ptx_room(p, &p->label_uses, p->n_label_uses, &p->cap_label_uses, sizeof *p->label_uses)) return false;
    p->label_uses[p->n_label_uses++] = use;
    return true;
}
