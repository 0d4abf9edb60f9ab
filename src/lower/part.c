#include "lower/part.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STEPS = 8, MAX_NAME = 128 };

// ---- how an address is computed -------------------------------------------------------------------------------------

// A constant, or an index times `scale`.
typedef struct step {
    bool is_index;
    int64_t constant, scale;
} step;

typedef struct chain {
    const hw_ptx_symbol *symbol;     // a variable, or a kernel's parameter, a pointer
    step steps[MAX_STEPS];           // in the order in which they were added
    unsigned n;
} chain;

typedef struct finder {
    const hw_layouts *layouts;
    const hw_ptx_function *f;
    const uint32_t *defs;
} finder;

// The one instruction that gives the register its value; NULL: there are others, or it does not always.
static const hw_ptx_inst *def_of(const finder *p, const hw_ptx_operand *o) {
    if (o->kind != HW_OPERAND_REG || o->reg < 0 || p->defs[o->reg] == HW_PART_NONE) return NULL;
    const hw_ptx_inst *inst = &p->f->insts[p->defs[o->reg]];
    return inst->guard < 0 ? inst : NULL;
}

static int64_t constant_of(const hw_ptx_inst *inst, const hw_ptx_operand *o) {
    return hw_type_bits(inst->types[0]) == 32 ? (int32_t)o->imm : (int64_t)o->imm;
}

static bool is_zero(const finder *p, const hw_ptx_operand *o) {
    const hw_ptx_inst *def = def_of(p, o);
    if (def && def->op == HW_OP_MOV) o = &def->operands[1];
    return o->kind == HW_OPERAND_IMM && !o->imm;
}

// Pointers from which something is subtracted have it added with another sign.
static bool is_negated(const finder *p, const hw_ptx_operand *o) {
    const hw_ptx_inst *def = def_of(p, o);
    while (def && def->op == HW_OP_CVT) def = def_of(p, &def->operands[1]);
    return def && (def->op == HW_OP_NEG || (def->op == HW_OP_SUB && is_zero(p, &def->operands[1])));
}

static bool find_index(const finder *p, const hw_ptx_operand *o, step *out) {
    const hw_ptx_inst *def = def_of(p, o);
    *out = (step){.is_index = true, .scale = 1};
    const bool has_constant = def && def->n_operands == 3 && def->operands[2].kind == HW_OPERAND_IMM;
    if (has_constant && def->op == HW_OP_SHL && def->operands[2].imm < 32) out->scale = 1ll << def->operands[2].imm;
    else if (has_constant && def->op == HW_OP_MUL) out->scale = constant_of(def, &def->operands[2]);
    return out->scale > 0 && !is_negated(p, o) && (out->scale == 1 || !is_negated(p, &def->operands[1]));
}

static bool add_step(chain *c, step s) {
    if (c->n == MAX_STEPS) return false;
    c->steps[c->n++] = s;
    return true;
}

static bool is_variable(const finder *p, const hw_ptx_operand *o) {
    return hw_layouts_is_variable(p->layouts, p->f->name, p->f->regs[o->reg].name);
}

static bool follow(const finder *p, const hw_ptx_operand *o, unsigned depth, chain *out);

// Which of the two is the address?
static bool follow_sum(const finder *p, const hw_ptx_inst *sum, unsigned depth, chain *out) {
    const hw_ptx_operand *a = &sum->operands[1], *b = &sum->operands[2];
    chain of_a = {.symbol = NULL}, of_b = {.symbol = NULL};
    step index;
    if (b->kind == HW_OPERAND_IMM)
        return follow(p, a, depth, out) && add_step(out, (step){.constant = constant_of(sum, b)});
    const bool is_a = follow(p, a, depth, &of_a), is_b = follow(p, b, depth, &of_b);
    if (is_a == is_b) return false;
    *out = is_a ? of_a : of_b;
    return find_index(p, is_a ? b : a, &index) && add_step(out, index);
}

static bool is_pointer_parameter(const finder *p, const hw_ptx_inst *load) {
    const hw_ptx_operand *from = &load->operands[1];
    return p->f->is_entry && load->space == HW_SPACE_PARAM && hw_type_bits(load->types[0]) == 64 && load->vector <= 1 &&
           from->kind == HW_OPERAND_ADDRESS && from->reg < 0 && from->symbol && !from->offset;
}

// A value that is moved from register to register, or is in the register of a variable, is somebody's pointer.
static bool follow(const finder *p, const hw_ptx_operand *o, unsigned depth, chain *out) {
    const bool is_symbol = o->kind == HW_OPERAND_SYMBOL && o->symbol && !o->function && !o->offset;
    const hw_ptx_inst *def = def_of(p, o);
    if (is_symbol) out->symbol = o->symbol;
    if (is_symbol || !def || depth == MAX_STEPS) return is_symbol;
    const hw_ptx_operand *from = &def->operands[1];
    switch (def->op) {
    case HW_OP_CVTA: return follow(p, from, depth + 1, out);
    case HW_OP_CVT: return hw_type_kind_of(def->types[0]) == HW_KIND_U && follow(p, from, depth + 1, out);
    case HW_OP_MOV: return from->kind == HW_OPERAND_SYMBOL && follow(p, from, depth + 1, out);
    case HW_OP_ADD: return !is_variable(p, o) && follow_sum(p, def, depth + 1, out);
    case HW_OP_LD:
        if (is_pointer_parameter(p, def)) out->symbol = from->symbol;
        return out->symbol != NULL;
    default: return false;
    }
}

// ---- what lies there ------------------------------------------------------------------------------------------------

// Where a chain has come to.
typedef struct position {
    const hw_layouts *layouts;
    uint32_t in;                     // the innermost struct, array or piece that it is known to be in,
    uint64_t begin;                  // from where the chain begins
    uint64_t at;                     // what its constants sum up to
    uint64_t stride;                 // `in` lies there once in each; 0: once
    uint32_t element;                // of `in`, of which an index has chosen one; 0: none
    const hw_layout_member *before;  // the member that ends where `in` begins; NULL: none
    bool is_rough;                   // an index that is not one of elements
    bool may_go_on;                  // at the end of what a pointer points to, there may be more of it
    char name[MAX_NAME];
    size_t n_outer;                  // of the name, what both it and the member before have
} position;

static const hw_layout *layout_of(const position *at, uint32_t layout) { return &at->layouts->items[layout]; }

static void add_name(position *at, const char *before, const char *name) {
    const size_t n = strlen(at->name);
    snprintf(at->name + n, sizeof at->name - n, "%s%s", n ? before : "", name);
}

// The member that has the byte; NULL: none has.
static const hw_layout_member *member_at(const position *at, const hw_layout *in, uint64_t offset) {
    for (uint32_t i = 0; i < in->n_members; i++) {
        const hw_layout_member *m = &at->layouts->members[in->first_member + i];
        if (offset >= m->offset && offset - m->offset < at->layouts->items[m->layout].bytes) return m;
    }
    return NULL;
}

// The member that ends where another one begins, of more than one number; NULL: none does.
static const hw_layout_member *member_before(const position *at, const hw_layout *in, const hw_layout_member *of) {
    for (uint32_t i = 0; i < in->n_members; i++) {
        const hw_layout_member *m = &at->layouts->members[in->first_member + i];
        const hw_layout *its = layout_of(at, m->layout);
        const bool is_number = its->kind == HW_LAYOUT_POINTER || (its->kind == HW_LAYOUT_PIECE && its->bytes <= 8);
        if (m->offset + its->bytes == of->offset && !is_number) return m;
    }
    return NULL;
}

// The address may be the end of the member before as well, from which programs count back: then it is both.
static void enter_member(position *at, const hw_layout *in, const hw_layout_member *m) {
    const hw_layout_member *before = at->at == at->begin + m->offset ? member_before(at, in, m) : NULL;
    at->may_go_on &= m->offset + layout_of(at, m->layout)->bytes == in->bytes;
    at->begin += m->offset;
    at->in = m->layout;
    at->before = before;
    at->n_outer = strlen(at->name);
    if (*m->name) add_name(at, ".", m->name);
}

// Of elements of so many bytes, it may be in any. False: these do not lie there evenly.
static bool may_be_any(position *at, uint64_t bytes) {
    if (at->stride && at->stride % bytes) return false;
    at->stride = bytes;
    return true;
}

// Into the outermost thing that begins at its bytes' sum, or that has this in the midst of one of its pieces. An
// array's elements all count as its begin. False: nothing lies there.
static bool descend(position *at) {
    while (at->at != at->begin) {
        const hw_layout *in = layout_of(at, at->in);
        const uint64_t offset = at->at - at->begin;
        if (offset >= in->bytes) return false;
        if (in->kind == HW_LAYOUT_ARRAY) {
            const uint64_t bytes = layout_of(at, in->of)->bytes;
            if (!bytes) return false;
            if (offset % bytes == 0) return true;
            if (!may_be_any(at, bytes)) return false;
            at->begin += offset / bytes * bytes;
            at->in = in->of;
            at->may_go_on = false;
            add_name(at, "", "[]");
            continue;
        }
        const hw_layout_member *m = in->kind == HW_LAYOUT_STRUCT ? member_at(at, in, offset) : NULL;
        if (!m) return in->kind == HW_LAYOUT_PIECE;
        enter_member(at, in, m);
    }
    return true;
}

// Into an element that an index has chosen, which may be any.
static bool enter_element(position *at) {
    const uint64_t bytes = layout_of(at, at->element)->bytes;
    if (!may_be_any(at, bytes)) return false;
    at->at = at->begin;
    at->in = at->element;
    at->element = 0;
    at->before = NULL;
    at->may_go_on = false;
    add_name(at, "", "[]");
    return true;
}

static bool add_constant(position *at, int64_t constant) {
    if (!constant) return true;
    if (at->is_rough || (at->element && !enter_element(at))) return false;
    return !__builtin_add_overflow(at->at, constant, &at->at) && at->at >= at->begin && descend(at);
}

// Which array's elements are so far apart? Of a matrix it may be one of rows, or of a row's elements.
static void add_index(position *at, uint64_t scale) {
    uint32_t array = at->element ? at->element : at->in;
    while (!at->is_rough && layout_of(at, array)->kind == HW_LAYOUT_ARRAY) {
        array = layout_of(at, array)->of;
        if (layout_of(at, array)->bytes != scale) continue;
        at->element = array;
        return;
    }
    at->is_rough = true;
}

// An array, of which the index counts the elements: who goes on from a number, or by other steps, may mean what lies
// beside it. Arrays of one element at the end of a struct are as long as their memory.
static bool is_telling(const position *at) {
    const hw_layout *in = layout_of(at, at->in);
    return !at->is_rough && in->kind == HW_LAYOUT_ARRAY && layout_of(at, in->of)->bytes < in->bytes;
}

static bool is_local(const chain *c) { return c->symbol->space == HW_SPACE_LOCAL; }

// What the chain begins in. A pointer may point to the first of several.
static bool begin(position *at, const chain *c) {
    const bool has_place = is_local(c) && c->n && !c->steps[0].is_index && c->steps[0].constant >= 0;
    const uint64_t place = has_place ? (uint64_t)c->steps[0].constant : 0;
    const hw_layout_variable *variable = hw_layouts_find(at->layouts, c->symbol->name, place);
    if (!variable || (is_local(c) && !has_place)) return false;
    at->in = variable->layout;
    at->begin = at->at = place;
    if (is_local(c)) add_name(at, "", variable->name);
    if (c->symbol->space != HW_SPACE_PARAM) return layout_of(at, at->in)->bytes != 0;
    if (layout_of(at, at->in)->kind != HW_LAYOUT_POINTER) return false;
    at->in = layout_of(at, at->in)->of;
    at->may_go_on = true;
    return layout_of(at, at->in)->kind == HW_LAYOUT_STRUCT;
}

// Elements before the one of which a member is meant: those of the pointer's own.
static void skip_elements(position *at, step *s) {
    const int64_t bytes = (int64_t)layout_of(at, at->in)->bytes;
    if (s->is_index && s->scale == bytes) at->stride = (uint64_t)bytes;
    else if (s->is_index || s->constant % bytes) return;
    else if (!at->stride) at->begin = at->at = at->at + (uint64_t)s->constant;
    *s = (step){.constant = 0};
}

// Of a local variable, the whole of it if there is nothing better. What a pointer points to may be one of several.
static bool walk(position *at, chain *c) {
    const bool is_pointer = c->symbol->space == HW_SPACE_PARAM;
    if (!c->n || !c->steps[c->n - 1].is_index || !begin(at, c)) return false;
    const position whole = *at;
    for (unsigned i = is_local(c); i < c->n; i++) {
        step *s = &c->steps[i];
        if (is_pointer && at->in == whole.in) skip_elements(at, s);
        if (s->is_index) add_index(at, (uint64_t)s->scale);
        else if (!add_constant(at, s->constant)) return false;
    }
    if (is_local(c) && !is_telling(at)) *at = whole;
    else if (!is_telling(at) || (at->in == whole.in && !is_local(c))) return false;
    if (is_pointer && !at->stride && !at->may_go_on) at->stride = layout_of(at, whole.in)->bytes;
    return true;
}

// "s.a and s.b" of an address that may be the end of s.a, too.
static const char *name_of_both(const position *at, hw_arena *arena) {
    char name[2 * MAX_NAME];
    const int n = (int)at->n_outer;
    snprintf(name, sizeof name, "%.*s%s%s and %s", n, at->name, n ? "." : "", at->before->name, at->name);
    return hw_arena_string(arena, name, strlen(name));
}

bool hw_part_find(const hw_layouts *layouts, hw_arena *arena, const hw_ptx_function *f, const uint32_t *defs,
                  const hw_ptx_inst *access, hw_part *out) {
    const finder p = {.layouts = layouts, .f = f, .defs = defs};
    position at = {.layouts = layouts};
    chain c = {.symbol = NULL};
    if (!hw_layouts_know(layouts, f->name)) return false;
    for (unsigned k = 0; k < access->n_operands; k++) {
        hw_ptx_operand address = access->operands[k];
        if (address.kind != HW_OPERAND_ADDRESS) continue;
        address.kind = HW_OPERAND_REG;
        if (c.symbol || address.reg < 0 || !follow(&p, &address, 0, &c)) return false;
    }
    if (!c.symbol || !walk(&at, &c)) return false;
    const uint64_t before = at.before ? layout_of(&at, at.before->layout)->bytes : 0;
    const uint64_t bytes = before + layout_of(&at, at.in)->bytes;
    *out = (hw_part){.offset = at.begin - before, .bytes = at.may_go_on && !at.stride ? UINT64_MAX : bytes,
                     .stride = at.stride,
                     .name = at.before ? name_of_both(&at, arena) : hw_arena_string(arena, at.name, strlen(at.name))};
    return out->name != NULL;
}
