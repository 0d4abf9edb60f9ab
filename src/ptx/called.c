// The lines of functions that are called and have none of the program's own: with nvcc's -G what the toolkit's headers
// hold is called, and intrinsics such as __iAtomicAdd have no lines at all. What they do is put down to the line that
// calls them, as where they are inlined (location.c): each such line gets a copy of the function, with its place.
#include <string.h>

#include "ptx/parser.h"

// Copies have as many instructions in all as the module, or so many. A function that has no room for one of its copies
// keeps the lines it has, wherever it is called: one race is not to have two places.
enum { LEAST_ROOM = 1 << 12 };

typedef enum lines_of { NO_LINES, TOOLKITS_LINES, OWN_LINES } lines_of;

typedef struct copy {
    struct copy *next;               // of the same function
    hw_ptx_function *function;
} copy;

typedef struct copies {
    parser *p;
    lines_of *lines;                 // by function, as written
    copy **of;                       // likewise
    bool *keeps;                     // likewise: its lines, since there was no room
    uint32_t n_written;
    uint64_t room;                   // instructions
} copies;

static lines_of find_lines(parser *p, const hw_ptx_function *f) {
    lines_of found = NO_LINES;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        if (!f->insts[i].loc_line) continue;
        if (!hw_ptx_is_toolkit_file(p, f->insts[i].loc_file)) return OWN_LINES;
        found = TOOLKITS_LINES;
    }
    return found;
}

// Variables in shared memory are there once, whoever calls, and are laid out by function. Others of a function's own
// (.local, .param) are each call's, and copies of a function lay them out alike.
static bool can_be_copied(const hw_ptx_function *f) {
    bool can = f->has_body && !f->is_entry;
    for (uint32_t i = 0; i < f->n_variables; i++) can &= f->variables[i]->space != HW_SPACE_SHARED;
    return can;
}

static hw_ptx_function *find_copy(const copies *c, const hw_ptx_function *f, const hw_ptx_inst *at) {
    for (const copy *k = c->of[f->index]; k; k = k->next) {
        const hw_ptx_inst *its = k->function->insts;
        if (its->loc_line == at->loc_line && its->loc_file == at->loc_file && its->loc_inlined == at->loc_inlined)
            return k->function;
    }
    return NULL;
}

static bool copy_insts(parser *p, hw_ptx_function *f, const hw_ptx_inst *at) {
    const hw_ptx_inst *from = f->insts;
    f->insts = hw_ptx_take(p, f->n_insts * sizeof *f->insts);
    if (!f->insts) return false;
    for (uint32_t i = 0; i < f->n_insts; i++) {
        f->insts[i] = from[i];
        f->insts[i].loc_file = at->loc_file;
        f->insts[i].loc_line = at->loc_line;
        f->insts[i].loc_inlined = at->loc_inlined;
        if (!from[i].call) continue;
        f->insts[i].call = hw_ptx_take(p, sizeof *f->insts[i].call);
        if (!f->insts[i].call) return false;
        *f->insts[i].call = *from[i].call;
    }
    return true;
}

// Its calls still go to functions as written: it is among p->functions, whose calls are looked at one after the other.
static hw_ptx_function *add_copy(copies *c, const hw_ptx_function *f, const hw_ptx_inst *at) {
    parser *p = c->p;
    if (!hw_ptx_room(p, &p->functions, p->n_functions, &p->cap_functions, sizeof *p->functions)) return NULL;
    hw_ptx_function *made = hw_ptx_take(p, sizeof *made);
    copy *kept = made ? hw_ptx_take_scratch(p, sizeof *kept) : NULL;
    if (!kept) return NULL;
    *made = *f;
    made->copy_of = f;
    made->index = (int)p->n_functions;
    if (!copy_insts(p, made, at)) return NULL;
    *kept = (copy){.next = c->of[f->index], .function = made};
    c->of[f->index] = kept;
    c->room -= f->n_insts;
    return p->functions[p->n_functions++] = made;
}

// As written; NULL: none is known.
static const hw_ptx_function *callee_of(const hw_ptx_inst *at) {
    const hw_ptx_function *callee = at->call ? at->call->callee : NULL;
    return callee && callee->copy_of ? callee->copy_of : callee;
}

// Does what it calls get the call's line? The toolkit's calls of what has lines of the toolkit's stay as they are.
static bool gives_line(const copies *c, const hw_ptx_function *caller, const hw_ptx_inst *at) {
    const hw_ptx_function *callee = callee_of(at);
    if (!callee || !at->loc_line || !callee->n_insts || !can_be_copied(callee)) return false;
    if (c->keeps[callee->index]) return false;
    if (c->lines[callee->index] != TOOLKITS_LINES) return c->lines[callee->index] == NO_LINES;
    return caller->copy_of || c->lines[caller->index] == OWN_LINES;
}

static bool place_call(copies *c, const hw_ptx_function *caller, hw_ptx_inst *at) {
    if (!gives_line(c, caller, at)) return true;
    const hw_ptx_function *callee = callee_of(at);
    hw_ptx_function *found = find_copy(c, callee, at);
    if (!found && callee->n_insts <= c->room) found = add_copy(c, callee, at);
    if (found) at->call->callee = found;
    else c->keeps[callee->index] = true;
    return c->p->status == HW_OK;
}

// Calls of functions that keep their lines go to these, and no longer to the copies before there was no room.
static void take_back(const copies *c) {
    for (size_t i = 0; i < c->p->n_functions; i++) {
        const hw_ptx_function *f = c->p->functions[i];
        for (uint32_t k = 0; k < f->n_insts; k++) {
            const hw_ptx_function *callee = callee_of(&f->insts[k]);
            if (callee && callee->n_insts && c->keeps[callee->index])
                f->insts[k].call->callee = c->p->functions[callee->index];
        }
    }
}

bool hw_ptx_place_calls(parser *p) {
    hw_ptx_module *m = p->module;
    copies c = {.p = p, .n_written = m->n_functions};
    if (!m->n_files) return true;
    c.lines = hw_ptx_take_scratch(p, (m->n_functions + 1) * sizeof *c.lines);
    c.of = hw_ptx_take_scratch(p, (m->n_functions + 1) * sizeof(copy *));
    c.keeps = hw_ptx_take_scratch(p, (m->n_functions + 1) * sizeof *c.keeps);
    if (!c.lines || !c.of || !c.keeps) return false;
    for (uint32_t i = 0; i < c.n_written; i++) {
        c.lines[i] = find_lines(p, m->functions[i]);
        c.room += m->functions[i]->n_insts;
    }
    if (c.room < LEAST_ROOM) c.room = LEAST_ROOM;
    for (size_t i = 0; i < p->n_functions; i++) {    // copies are added behind
        hw_ptx_function *f = p->functions[i];
        for (uint32_t k = 0; k < f->n_insts; k++)
            if (!place_call(&c, f, &f->insts[k])) return false;
    }
    take_back(&c);
    if (p->n_functions == c.n_written) return true;
    m->functions = hw_ptx_keep_items(p, p->functions, p->n_functions, sizeof *p->functions);
    m->n_functions = (uint32_t)p->n_functions;
    return p->status == HW_OK;
}
