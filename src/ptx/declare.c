// Registers, variables and parameter lists. PTX ISA sections 5.1 to 5.4 and 7.1.
#include <string.h>

#include "base/integers.h"
#include "ptx/parser.h"

enum { MAX_ALIGN = 1 << 16, MAX_PARAM_BYTES = 1 << 20 };
#define MAX_VARIABLE_BYTES (UINT64_C(1) << 40)

// What stands before a variable's name, and the dimensions behind it.
typedef struct declarator {
    hw_type type;
    uint32_t align, vector;
    bool is_managed, is_open_ended;   // open-ended: the first dimension is []
    uint64_t dims[MAX_DIMENSIONS];
    uint32_t n_dims;
    uint64_t bytes;
} declarator;

static bool parse_type(parser *p, hw_type *out) {
    if (p->tok.kind != TOKEN_WORD) return hw_ptx_unexpected(p, "a type");
    *out = hw_type_find(p->tok.text, p->tok.length);
    if (*out == HW_T_NONE && (hw_ptx_at_word(p, "texref") || hw_ptx_at_word(p, "samplerref") ||
                              hw_ptx_at_word(p, "surfref"))) {
        return hw_ptx_refuse(p, p->tok.line, "variables of type .%.*s are", (int)p->tok.length, p->tok.text);
    }
    if (*out == HW_T_NONE) return hw_ptx_unexpected(p, "a type");
    return hw_ptx_next(p);
}

static bool add_regs(parser *p, hw_type type) {
    token name = p->tok;
    bool is_range;
    if (name.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a register's name");
    if (!hw_ptx_next(p) || !hw_ptx_accept(p, '<', &is_range)) return false;
    if (!is_range) return hw_ptx_declare_reg(p, name.name, type, name.line);
    uint64_t count = p->tok.value;
    if (p->tok.kind != TOKEN_INT || count > UINT32_MAX) return hw_ptx_unexpected(p, "a number of registers");
    return hw_ptx_next(p) && hw_ptx_expect(p, '>') && hw_ptx_declare_range(p, name.name, type, count, name.line);
}

// .reg .b32 %r<12>, a, b;
bool hw_ptx_parse_regs(parser *p) {
    hw_type type;
    int line = p->tok.line;
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at_word(p, "v2") || hw_ptx_at_word(p, "v4")) return hw_ptx_refuse(p, line, "vector registers are");
    if (!parse_type(p, &type)) return false;
    for (bool more = true; more;)
        if (!add_regs(p, type) || !hw_ptx_accept(p, ',', &more)) return false;
    return hw_ptx_expect(p, ';');
}

static bool parse_align(parser *p, uint32_t *out) {
    if (!hw_ptx_next(p)) return false;
    uint64_t align = p->tok.value;
    if (p->tok.kind != TOKEN_INT || !align || align & (align - 1) || align > MAX_ALIGN) {
        return hw_ptx_unexpected(p, "an alignment");
    }
    *out = (uint32_t)align;
    return hw_ptx_next(p);
}

// .attribute(.managed), .attribute(.unified(a, b))
static bool parse_attribute(parser *p, declarator *d) {
    if (!hw_ptx_next(p) || !hw_ptx_expect(p, '(')) return false;
    for (int open = 1; open;) {
        if (p->tok.kind == TOKEN_END) return hw_ptx_unexpected(p, "')'");
        d->is_managed |= hw_ptx_at_word(p, "managed");
        open += hw_ptx_at(p, '(') - hw_ptx_at(p, ')');
        if (!hw_ptx_next(p)) return false;
    }
    return true;
}

// The words before a name. Of .ptr, only that it is there is read: what a parameter points to is not checked.
static bool parse_declarator(parser *p, declarator *d) {
    *d = (declarator){.vector = 1};
    uint32_t pointee_align;
    bool is_pointer = false;
    while (p->tok.kind == TOKEN_WORD) {
        uint32_t *align = is_pointer ? &pointee_align : &d->align;
        bool good;
        if (hw_ptx_at_word(p, "align")) good = parse_align(p, align);
        else if (hw_ptx_at_word(p, "attribute")) good = parse_attribute(p, d);
        else if (hw_ptx_at_word(p, "v2")) d->vector = 2, good = hw_ptx_next(p);
        else if (hw_ptx_at_word(p, "v4")) d->vector = 4, good = hw_ptx_next(p);
        else if (hw_ptx_at_word(p, "ptr")) is_pointer = true, good = hw_ptx_next(p);
        else if (is_pointer && (hw_ptx_at_word(p, "global") || hw_ptx_at_word(p, "shared") ||
                                hw_ptx_at_word(p, "const") || hw_ptx_at_word(p, "local"))) good = hw_ptx_next(p);
        else if (d->type != HW_T_NONE) return hw_ptx_unexpected(p, "a name");
        else good = parse_type(p, &d->type);
        if (!good) return false;
    }
    if (d->type == HW_T_NONE) return hw_ptx_unexpected(p, "a type");
    if (d->type == HW_T_PRED) return hw_ptx_fail(p, HW_MALFORMED, p->tok.line, "predicates are registers only");
    if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a name");
    return true;
}

// [2][3], or [] for the first. Sets the size; elements of a vector are its last dimension.
static bool parse_dimensions(parser *p, declarator *d) {
    int line = p->tok.line;
    uint64_t bytes = hw_type_bits(d->type) / 8;
    uint32_t natural = (uint32_t)bytes * d->vector;
    d->n_dims = 0;
    d->is_open_ended = false;
    while (hw_ptx_at(p, '[')) {
        int64_t extent = 0;
        if (!hw_ptx_next(p)) return false;
        bool is_open = hw_ptx_at(p, ']');
        if (is_open && d->n_dims) return hw_ptx_unexpected(p, "an array's size");
        d->is_open_ended |= is_open;
        if (!is_open && !hw_ptx_parse_int(p, &extent)) return false;
        if (extent < 0 || d->n_dims >= MAX_DIMENSIONS - 1) {
            return hw_ptx_fail(p, HW_MALFORMED, line, "the array's dimensions make no sense");
        }
        d->dims[d->n_dims++] = (uint64_t)extent;
        if (!hw_ptx_expect(p, ']')) return false;
    }
    if (d->vector > 1 || !d->n_dims) d->dims[d->n_dims++] = d->vector;
    for (uint32_t i = 0; i < d->n_dims; i++)
        if (__builtin_mul_overflow(bytes, d->dims[i], &bytes) || bytes > MAX_VARIABLE_BYTES) {
            return hw_ptx_fail(p, HW_MALFORMED, line, "the variable is too large");
        }
    d->bytes = bytes;
    if (!d->align) d->align = natural;
    return true;
}

static void describe_symbol(hw_ptx_symbol *s, const declarator *d, hw_space space, int line) {
    s->space = space;
    s->type = d->type;
    s->align = d->align;
    s->size_bytes = d->bytes;
    s->is_managed = d->is_managed;
    s->line = line;
}

static bool list_variable(parser *p, atom *name, bool is_static, hw_ptx_symbol *s) {
    if (!hw_ptx_unique_name(p, name, is_static, &s->name)) return false;
    if (is_static) {
        if (!hw_ptx_room(p, &p->globals, p->n_globals, &p->cap_globals, sizeof *p->globals)) return false;
        s->index = (int)p->n_globals;
        p->globals[p->n_globals++] = s;
        return true;
    }
    if (!hw_ptx_room(p, &p->variables, p->n_variables, &p->cap_variables, sizeof *p->variables)) return false;
    s->index = (int)p->n_variables;
    p->variables[p->n_variables++] = s;
    return true;
}

// A declaration of a name that may be declared already: extern, and then in full. One of the two may define it.
static bool enter_variable(parser *p, const token *name, const declarator *d, hw_space space, bool is_extern,
                           hw_ptx_symbol **out) {
    binding *known = name->name->bound;
    if (p->depth == 0 && known && known->kind == BIND_SYMBOL && (is_extern || known->symbol->is_extern)) {
        hw_ptx_symbol *s = known->symbol;
        if (s->space != space) {
            return hw_ptx_fail(p, HW_MALFORMED, name->line, "%s is declared in two state spaces", s->name);
        }
        if (s->is_extern) {
            s->is_extern = is_extern;
            describe_symbol(s, d, space, name->line);
        }
        *out = s;
        return true;
    }
    binding *b;
    hw_ptx_symbol *s = hw_ptx_take(p, sizeof *s);
    if (!s || !hw_ptx_bind(p, name->name, BIND_SYMBOL, name->line, &b)) return false;
    b->symbol = *out = s;
    describe_symbol(s, d, space, name->line);
    s->is_extern = is_extern;
    bool is_static = p->depth == 0 || space == HW_SPACE_GLOBAL || space == HW_SPACE_CONST;
    return list_variable(p, name->name, is_static, s);
}

// From the first word after the state space. One declaration may name several variables.
bool hw_ptx_parse_variable(parser *p, hw_space space, bool is_extern) {
    declarator d;
    if (!parse_declarator(p, &d)) return false;
    uint32_t stated_align = d.align;
    for (bool more = true; more;) {
        token name = p->tok;
        hw_ptx_symbol *s = NULL;
        bool has_init;
        d.align = stated_align;
        if (name.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a name");
        if (!hw_ptx_next(p) || !parse_dimensions(p, &d)) return false;
        if (!enter_variable(p, &name, &d, space, is_extern, &s) || !hw_ptx_accept(p, '=', &has_init)) return false;
        if (has_init && (is_extern || (space != HW_SPACE_GLOBAL && space != HW_SPACE_CONST))) {
            return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s cannot have initial values", s->name);
        }
        if (has_init && !hw_ptx_init_variable(p, s, d.dims, d.n_dims, d.type, d.is_open_ended)) return false;
        if (!has_init && d.is_open_ended && !is_extern && space != HW_SPACE_SHARED) {
            return hw_ptx_fail(p, HW_MALFORMED, name.line, "the size of %s is not known", s->name);
        }
        if (!hw_ptx_accept(p, ',', &more)) return false;
    }
    return hw_ptx_expect(p, ';');
}

static bool parse_param(parser *p, bool bind, hw_ptx_symbol **out) {
    declarator d;
    if (hw_ptx_at_word(p, "reg")) return hw_ptx_refuse(p, p->tok.line, "parameters in registers (.reg) are");
    if (!hw_ptx_at_word(p, "param")) return hw_ptx_unexpected(p, "'.param'");
    if (!hw_ptx_next(p) || !parse_declarator(p, &d)) return false;
    token name = p->tok;
    if (!hw_ptx_next(p) || !parse_dimensions(p, &d)) return false;
    if (d.bytes > MAX_PARAM_BYTES) return hw_ptx_fail(p, HW_MALFORMED, name.line, "%s is too large", name.name->text);
    hw_ptx_symbol *s = *out = hw_ptx_take(p, sizeof *s);
    if (!s) return false;
    describe_symbol(s, &d, HW_SPACE_PARAM, name.line);
    s->name = name.name->text;
    binding *b;
    if (!bind || strcmp(s->name, "_") == 0) return true;
    if (!hw_ptx_bind(p, name.name, BIND_SYMBOL, name.line, &b)) return false;
    b->symbol = s;
    return hw_ptx_unique_name(p, name.name, false, &s->name);
}

// (.param .b32 a, .param .b64 b). The list is kept in the arena of the module.
bool hw_ptx_parse_params(parser *p, hw_ptx_symbol ***out, uint32_t *n_out, uint32_t *bytes, bool bind) {
    hw_ptx_symbol **list = NULL;
    size_t n = 0, capacity = 0;
    uint64_t offset = 0;
    bool more;
    if (!hw_ptx_expect(p, '(')) return false;
    for (more = !hw_ptx_at(p, ')'); more;) {
        if (n == capacity) {   // grown in the arena: lists are short, and a failure needs no clean-up
            capacity = capacity ? capacity * 2 : 8;
            hw_ptx_symbol **bigger = hw_ptx_take(p, capacity * sizeof *bigger);
            if (!bigger) return false;
            if (n) memcpy(bigger, list, n * sizeof *list);
            list = bigger;
        }
        hw_ptx_symbol *s = NULL;
        if (!parse_param(p, bind, &s)) return false;
        offset = hw_align_up(offset, s->align);
        s->offset = offset;
        s->index = (int)n;
        offset += s->size_bytes;
        if (offset > MAX_PARAM_BYTES) {
            return hw_ptx_fail(p, HW_MALFORMED, s->line, "the parameters are larger than %d bytes", MAX_PARAM_BYTES);
        }
        list[n++] = s;
        if (!hw_ptx_accept(p, ',', &more)) return false;
    }
    *out = list;
    *n_out = (uint32_t)n;
    if (bytes) *bytes = (uint32_t)offset;
    return hw_ptx_expect(p, ')');
}
