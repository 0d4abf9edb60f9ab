// The module: directives between functions, functions and their bodies; and how a parse fails. PTX ISA section 11.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/parser.h"

// ---- failures

bool hw_ptx_fail(parser *p, hw_status status, int line, const char *format, ...) {
    if (p->status != HW_OK) return false;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->status = hw_diag_set_at(p->diag, status, p->module->name, line, "%s", text);
    return false;
}

bool hw_ptx_out_of_memory(parser *p) {
    if (p->status == HW_OK) p->status = hw_diag_no_memory(p->diag);
    return false;
}

bool hw_ptx_unexpected(parser *p, const char *wanted) {
    const token *t = &p->tok;
    if (t->kind == TOKEN_END) {
        return hw_ptx_fail(p, HW_MALFORMED, t->line, "the text ends where %s is expected", wanted);
    }
    int length = t->length > 80 ? 80 : (int)t->length;
    return hw_ptx_fail(p, HW_MALFORMED, t->line, "%s is expected, found '%s%.*s'", wanted,
                       t->kind == TOKEN_WORD ? "." : "", length, t->text);
}

// format begins the sentence that "not supported" ends.
bool hw_ptx_refuse(parser *p, int line, const char *format, ...) {
    if (p->status != HW_OK) return false;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *source = p->loc_line ? hw_ptx_source_file(p, p->loc_file) : NULL;
    if (source) {
        p->status = hw_diag_set_at(p->diag, HW_UNSUPPORTED, source, (int)p->loc_line,
                                   "%s not supported (line %d of the PTX)", text, line);
    } else {
        p->status = hw_diag_set_at(p->diag, HW_UNSUPPORTED, p->module->name, line, "%s not supported", text);
    }
    return false;
}

bool hw_ptx_room(parser *p, void *items_pointer, size_t count, size_t *capacity, size_t elem_bytes) {
    void *items;
    memcpy(&items, items_pointer, sizeof items);   // of whatever type: a list of anything
    if (count >= UINT32_MAX / 2 || !hw_grow(&items, count, capacity, elem_bytes)) return hw_ptx_out_of_memory(p);
    memcpy(items_pointer, &items, sizeof items);
    return true;
}

void *hw_ptx_take(parser *p, size_t bytes) {
    void *taken = hw_arena_take(p->module->arena, bytes);
    if (!taken) hw_ptx_out_of_memory(p);
    return taken;
}

void *hw_ptx_take_scratch(parser *p, size_t bytes) {
    void *taken = hw_arena_take(p->scratch, bytes);
    if (!taken) hw_ptx_out_of_memory(p);
    return taken;
}

// ---- functions

static bool read_up_to_three(parser *p, uint32_t values[3]) {
    bool more;
    for (int i = 0; i < 3; i++) {
        int64_t value;
        int line = p->tok.line;
        if (!hw_ptx_parse_int(p, &value)) return false;
        if (value < 0 || value > UINT32_MAX) return hw_ptx_fail(p, HW_MALFORMED, line, "the number is out of range");
        values[i] = (uint32_t)value;
        if (!hw_ptx_accept(p, ',', &more)) return false;
        if (!more) return true;
    }
    return hw_ptx_unexpected(p, "at most three numbers");
}

// What stands between a function's parameters and its body. PTX ISA section 11.4.
static bool parse_tuning(parser *p, hw_ptx_function *f) {
    while (p->tok.kind == TOKEN_WORD) {
        token word = p->tok;
        uint32_t values[3] = {1, 1, 1};
        if (hw_ptx_at_word(p, "pragma")) {
            if (!hw_ptx_parse_pragma(p)) return false;
            continue;
        }
        if (!hw_ptx_next(p)) return false;
        if (p->tok.kind == TOKEN_INT && !read_up_to_three(p, values)) return false;
#define IS(name) (word.length == sizeof(name) - 1 && memcmp(word.text, name, sizeof(name) - 1) == 0)
        if (IS("maxntid")) memcpy(f->max_ntid, values, sizeof values);
        else if (IS("reqntid")) memcpy(f->req_ntid, values, sizeof values);
        else if (IS("minnctapersm")) f->min_ncta_per_sm = values[0];
        else if (IS("maxnreg")) f->max_nreg = values[0];
        else if (IS("noreturn")) f->noreturn = true;
        else if (IS("reqnctapercluster")) memcpy(f->req_cluster, values, sizeof values);
        else if (!IS("maxnctapersm") && !IS("explicitcluster") && !IS("maxclusterrank") && !IS("abi_preserve") &&
                   !IS("abi_preserve_control") && !IS("blocksareclusters") && !IS("unified")) {
            return hw_ptx_fail(p, HW_MALFORMED, word.line, ".%.*s is no directive of a function",
                               word.length > 80 ? 80 : (int)word.length, word.text);
        }
#undef IS
    }
    return true;
}

void *hw_ptx_keep_items(parser *p, const void *items, size_t count, size_t elem_bytes) {
    if (!count) return NULL;
    void *kept = hw_ptx_take(p, count * elem_bytes);
    if (kept) memcpy(kept, items, count * elem_bytes);
    return kept;
}

// The lists that grew while the body was read become the function's own.
static bool keep_body(parser *p, hw_ptx_function *f) {
    f->regs = hw_ptx_keep_items(p, p->regs, p->n_regs, sizeof *p->regs);
    f->insts = hw_ptx_keep_items(p, p->insts, p->n_insts, sizeof *p->insts);
    f->variables = hw_ptx_keep_items(p, p->variables, p->n_variables, sizeof *p->variables);
    f->n_regs = (uint32_t)p->n_regs;
    f->n_insts = (uint32_t)p->n_insts;
    f->n_variables = (uint32_t)p->n_variables;
    f->has_body = true;
    return p->status == HW_OK;
}

static bool parse_body(parser *p, hw_ptx_function *f) {
    p->function = f;
    p->n_regs = p->n_insts = p->n_variables = p->n_label_uses = 0;
    p->loc_line = p->known_line = p->loc_inlined = 0;
    p->first_unplaced = 0;
    int line = p->tok.line;
    if (!hw_ptx_scope_open(p) || !hw_ptx_next(p)) return false;
    while (p->depth > 1) {
        if (p->tok.kind == TOKEN_END) {
            return hw_ptx_fail(p, HW_MALFORMED, line, "the body of %s has no closing brace", f->name);
        }
        if (!hw_ptx_parse_statement(p)) return false;
    }
    hw_ptx_end_of_block(p);
    p->function = NULL;
    p->loc_line = p->loc_inlined = 0;
    return keep_body(p, f);
}

static bool same_params(hw_ptx_symbol *const *a, uint32_t n_a, hw_ptx_symbol *const *b, uint32_t n_b) {
    if (n_a != n_b) return false;
    for (uint32_t i = 0; i < n_a; i++)
        if (a[i]->size_bytes != b[i]->size_bytes) return false;
    return true;
}

// A function may be declared often and defined once; all of it is one object.
static bool enter_function(parser *p, const token *name, const hw_ptx_function *read, bool has_body,
                           hw_ptx_function **out) {
    binding *b = name->name->bound;
    if (b && (b->kind != BIND_FUNCTION || (b->function->has_body && has_body))) {
        return hw_ptx_fail(p, HW_MALFORMED, name->line, "%s is declared twice", name->name->text);
    }
    if (!b) {
        if (!hw_ptx_room(p, &p->functions, p->n_functions, &p->cap_functions, sizeof *p->functions)) return false;
        hw_ptx_function *f = hw_ptx_take(p, sizeof *f);
        if (!f) return false;
        uint32_t depth = p->depth;
        p->depth = 0;   // functions belong to the module; the parameters' scope is open already
        bool good = hw_ptx_bind(p, name->name, BIND_FUNCTION, name->line, &b);
        p->depth = depth;
        if (!good) return false;
        *f = *read;
        f->index = (int)p->n_functions;
        b->function = p->functions[p->n_functions++] = f;
    } else if (!same_params(b->function->params, b->function->n_params, read->params, read->n_params) ||
               !same_params(b->function->rets, b->function->n_rets, read->rets, read->n_rets)) {
        return hw_ptx_fail(p, HW_MALFORMED, name->line, "%s is declared before with other parameters",
                           name->name->text);
    } else if (!b->function->has_body) {
        int index = b->function->index;
        bool noreturn = b->function->noreturn || read->noreturn;
        *b->function = *read;
        b->function->index = index;
        b->function->noreturn = noreturn;
    }
    *out = b->function;
    return true;
}

static bool parse_function(parser *p, bool is_entry) {
    hw_ptx_function read = {.is_entry = is_entry, .line = p->tok.line}, *f = NULL;
    p->function_serial++;
    if (!hw_ptx_next(p)) return false;
    while (hw_ptx_at_word(p, "attribute")) {
        if (!hw_ptx_next(p) || !hw_ptx_expect(p, '(')) return false;
        while (!hw_ptx_at(p, ')') || p->tok.kind == TOKEN_END) {
            if (p->tok.kind == TOKEN_END) return hw_ptx_unexpected(p, "')'");
            if (!hw_ptx_next(p)) return false;
        }
        if (!hw_ptx_next(p)) return false;
    }
    if (!hw_ptx_scope_open(p)) return false;
    if (!is_entry && hw_ptx_at(p, '(') && !hw_ptx_parse_params(p, &read.rets, &read.n_rets, NULL, true)) return false;
    token name = p->tok;
    if (name.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a function's name");
    read.name = name.name->text;
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at(p, '(') && !hw_ptx_parse_params(p, &read.params, &read.n_params, &read.param_bytes, true))
        return false;
    if (!parse_tuning(p, &read)) return false;
    bool has_body = hw_ptx_at(p, '{');
    if (!has_body && !hw_ptx_expect(p, ';')) return false;
    if (!enter_function(p, &name, &read, has_body, &f)) return false;
    return (!has_body || parse_body(p, f)) && hw_ptx_scope_close(p);
}

// ---- the module

// .alias other, function;
static bool parse_alias(parser *p) {
    bool done;
    token other, function;
    if (!hw_ptx_next(p)) return false;
    other = p->tok;
    if (other.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a function's name");
    if (!hw_ptx_next(p) || !hw_ptx_expect(p, ',')) return false;
    function = p->tok;
    if (function.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a function's name");
    if (!hw_ptx_next(p) || !hw_ptx_accept(p, ';', &done)) return false;
    binding *b = other.name->bound;
    if (!b || b->kind != BIND_FUNCTION || b->function->has_body) {
        return hw_ptx_fail(p, HW_MALFORMED, other.line, "%s is not declared as a function without body",
                           other.name->text);
    }
    if (!hw_ptx_room(p, &p->late_uses, p->n_late_uses, &p->cap_late_uses, sizeof *p->late_uses)) return false;
    p->late_uses[p->n_late_uses++] =
        (late_use){.name = function.name, .line = other.line, .function = b->function, .is_alias = true};
    return true;
}

static bool parse_version(parser *p) {
    if (!hw_ptx_next(p)) return false;
    int major = 0, minor = 0;
    char text[16] = "";
    if (p->tok.length < sizeof text) memcpy(text, p->tok.text, p->tok.length);
    if (p->tok.kind != TOKEN_DOUBLE || sscanf(text, "%d.%d", &major, &minor) != 2) {
        return hw_ptx_unexpected(p, "a version");
    }
    p->module->version_major = major;
    p->module->version_minor = minor;
    return hw_ptx_next(p);
}

// .target sm_90a, debug
static bool parse_target(parser *p) {
    bool more;
    if (!hw_ptx_next(p)) return false;
    do {
        int number;
        char text[16] = "";
        if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a target");
        if (p->tok.length < sizeof text) memcpy(text, p->tok.text, p->tok.length);
        if (sscanf(text, "sm_%d", &number) == 1) p->module->target = number;
        if (!hw_ptx_next(p) || !hw_ptx_accept(p, ',', &more)) return false;
    } while (more);
    return true;
}

static bool parse_address_size(parser *p) {
    if (!hw_ptx_next(p)) return false;
    if (p->tok.kind != TOKEN_INT || (p->tok.value != 32 && p->tok.value != 64)) {
        return hw_ptx_unexpected(p, "an address size");
    }
    if (p->tok.value == 32) return hw_ptx_refuse(p, p->tok.line, "32-bit addresses are");
    p->module->address_bits = 64;
    return hw_ptx_next(p);
}

// .const[3]: banks are long gone; all of constant memory is one.
static bool skip_bank(parser *p) {
    if (!hw_ptx_at(p, '[')) return true;
    int64_t bank;
    return hw_ptx_next(p) && hw_ptx_parse_int(p, &bank) && hw_ptx_expect(p, ']');
}

// A variable or function, from its linkage words on.
static bool parse_declaration(parser *p) {
    bool is_extern = false;
    for (;; ) {
        if (hw_ptx_at_word(p, "extern")) is_extern = true;
        else if (!hw_ptx_at_word(p, "visible") && !hw_ptx_at_word(p, "weak") && !hw_ptx_at_word(p, "common")) break;
        if (!hw_ptx_next(p)) return false;
    }
    if (hw_ptx_at_word(p, "entry")) return parse_function(p, true);
    if (hw_ptx_at_word(p, "func")) return parse_function(p, false);
    if (hw_ptx_at_word(p, "global")) return hw_ptx_next(p) && hw_ptx_parse_variable(p, HW_SPACE_GLOBAL, is_extern);
    if (hw_ptx_at_word(p, "shared")) return hw_ptx_next(p) && hw_ptx_parse_variable(p, HW_SPACE_SHARED, is_extern);
    if (hw_ptx_at_word(p, "const")) {
        return hw_ptx_next(p) && skip_bank(p) && hw_ptx_parse_variable(p, HW_SPACE_CONST, is_extern);
    }
    if (hw_ptx_at_word(p, "tex") || hw_ptx_at_word(p, "surf") || hw_ptx_at_word(p, "sampler")) {
        return hw_ptx_refuse(p, p->tok.line, "textures and surfaces (.%.*s) are", (int)p->tok.length, p->tok.text);
    }
    return hw_ptx_unexpected(p, "a directive");
}

static bool parse_top(parser *p) {
    bool taken;
    if (hw_ptx_at_word(p, "version")) return parse_version(p);
    if (!p->module->version_major) return hw_ptx_unexpected(p, "'.version'");
    if (hw_ptx_at_word(p, "target")) return parse_target(p);
    if (hw_ptx_at_word(p, "address_size")) return parse_address_size(p);
    if (hw_ptx_at_word(p, "file")) return hw_ptx_parse_file(p);
    if (hw_ptx_at_word(p, "loc")) return hw_ptx_parse_loc(p);
    if (hw_ptx_at_word(p, "section")) return hw_ptx_parse_section(p);
    if (hw_ptx_at_word(p, "pragma")) return hw_ptx_parse_pragma(p);
    if (hw_ptx_at_word(p, "alias")) return parse_alias(p);
    if (p->tok.kind == TOKEN_WORD) return parse_declaration(p);
    return hw_ptx_accept(p, ';', &taken) && (taken || hw_ptx_unexpected(p, "a directive"));
}

static bool parse_module(parser *p, const char *text, size_t length) {
    if (!hw_ptx_lexer_open(p, text, length)) return false;
    while (p->tok.kind != TOKEN_END)
        if (!parse_top(p)) return false;
    if (!p->module->version_major) return hw_ptx_unexpected(p, "'.version'");
    hw_ptx_module *m = p->module;
    m->globals = hw_ptx_keep_items(p, p->globals, p->n_globals, sizeof *p->globals);
    m->functions = hw_ptx_keep_items(p, p->functions, p->n_functions, sizeof *p->functions);
    m->files = hw_ptx_keep_items(p, p->files, p->n_files, sizeof *p->files);
    m->n_globals = (uint32_t)p->n_globals;
    m->n_functions = (uint32_t)p->n_functions;
    m->n_files = (uint32_t)p->n_files;
    return p->status == HW_OK && hw_ptx_keep_inlinings(p) && hw_ptx_keep_layouts(p) &&
           hw_ptx_resolve_module(p) && hw_ptx_place_calls(p);
}

hw_status hw_ptx_parse(const char *text, size_t length, const char *name, hw_ptx_module **out, hw_diag *diag) {
    *out = NULL;
    hw_arena *arena = hw_arena_create(), *scratch = hw_arena_create();
    hw_ptx_module *module = arena ? hw_arena_take(arena, sizeof *module) : NULL;
    parser *p = scratch ? hw_arena_take(scratch, sizeof *p) : NULL;
    hw_status status = HW_NO_MEMORY;
    if (module) {
        module->arena = arena;
        module->name = hw_arena_string(arena, name, strlen(name));
        module->address_bits = 64;
    }
    if (!module || !module->name || !p) {
        hw_diag_no_memory(diag);
        goto done;
    }
    p->module = module;
    p->diag = diag;
    p->scratch = scratch;
    if (length > (size_t)1 << 30) hw_ptx_fail(p, HW_MALFORMED, 0, "the text is larger than 1 GiB");
    else parse_module(p, text, length);
    status = p->status;
    hw_free(p->lex.text);
    hw_free(p->atoms);
    hw_free(p->regs);
    hw_free(p->insts);
    hw_free(p->variables);
    hw_free(p->label_uses);
    hw_free(p->globals);
    hw_free(p->functions);
    hw_free(p->files);
    hw_free(p->file_kinds);
    hw_free(p->inlinings);
    hw_free(p->late_uses);
done:
    hw_arena_destroy(scratch);
    if (status == HW_OK) *out = module;
    else hw_arena_destroy(arena);
    return status;
}

void hw_ptx_free(hw_ptx_module *module) {
    if (module) hw_arena_destroy(module->arena);
}

hw_ptx_function *hw_ptx_find_function(const hw_ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (strcmp(module->functions[i]->name, name) == 0) return module->functions[i];
    return NULL;
}

hw_ptx_symbol *hw_ptx_find_global(const hw_ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->n_globals; i++)
        if (strcmp(module->globals[i]->name, name) == 0) return module->globals[i];
    return NULL;
}
