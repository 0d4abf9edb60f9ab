// Where variables lie: .shared over the whole module, .local and .param per function. Who may call whom.
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "lower/lowering.h"

static bool is_dynamic(const hw_ptx_symbol *symbol) { return symbol->size_bytes == 0; }

// ---- who refers to what ----

// What instruction operands name. Calls visit for each symbol and each function whose address is taken.
typedef struct references {
    void *context;
    void (*symbol)(void *context, hw_ptx_symbol *symbol);
    void (*function)(void *context, const hw_ptx_function *function);
} references;

static void visit_reference(const hw_ptx_operand *operand, const references *visit) {
    if (operand->symbol) visit->symbol(visit->context, operand->symbol);
    if (operand->function) visit->function(visit->context, operand->function);
    for (unsigned e = 0; e < operand->n_elements; e++) visit_reference(&operand->elements[e], visit);
}

static void visit_references(const hw_ptx_inst *inst, const references *visit) {
    for (unsigned k = 0; k < inst->n_operands; k++) visit_reference(&inst->operands[k], visit);
    if (!inst->call) return;
    for (uint32_t k = 0; k < inst->call->n_args; k++) visit_reference(&inst->call->args[k], visit);
    for (uint32_t k = 0; k < inst->call->n_rets; k++) visit_reference(&inst->call->rets[k], visit);
}

// ---- the call graph ----
//
// Nodes are functions, and one more: "some function whose address is taken", which indirect calls go to.

typedef struct graph {
    hw_arena *scratch;
    hw_ptx_module *module;
    uint32_t n;                    // nodes
    uint32_t *first, *edges;       // of node v: edges[first[v] .. first[v + 1])
    uint32_t n_edges, edges_capacity;
    uint8_t *address_taken;
    // .shared variables: module-scope ones by index, then each function's own
    uint32_t *own_base;            // by function: number of its variable 0
    uint32_t n_symbols;
    hw_ptx_symbol **symbols;       // NULL: not static .shared
    uint32_t *use_first, *uses;    // by function
    uint32_t n_uses, uses_capacity;
    uint8_t *uses_dynamic;         // by function
    uint32_t *seen_symbol;         // stamps while one function is scanned
    uint32_t current;
    bool failed;
} graph;

static void note_symbol(void *context, hw_ptx_symbol *symbol) {
    graph *g = context;
    if (symbol->space != HW_SPACE_SHARED) return;
    if (is_dynamic(symbol)) {
        g->uses_dynamic[g->current] = 1;
        return;
    }
    const hw_ptx_module *module = g->module;
    const hw_ptx_function *f = module->functions[g->current];
    uint32_t index = (uint32_t)symbol->index, number;
    if (index < module->n_globals && module->globals[index] == symbol) number = index;
    else if (index < f->n_variables && f->variables[index] == symbol) number = g->own_base[g->current] + index;
    else return;
    if (g->seen_symbol[number] == g->current + 1) return;
    g->seen_symbol[number] = g->current + 1;
    g->symbols[number] = symbol;
    if (!hw_lower_grow(g->scratch, (void **)&g->uses, g->n_uses, &g->uses_capacity, sizeof *g->uses)) g->failed = true;
    else g->uses[g->n_uses++] = number;
}

static void note_function(void *context, const hw_ptx_function *function) {
    graph *g = context;
    g->address_taken[function->index] = 1;
}

static void add_edge(graph *g, uint32_t to) {
    if (!hw_lower_grow(g->scratch, (void **)&g->edges, g->n_edges, &g->edges_capacity, sizeof *g->edges))
        g->failed = true;
    else g->edges[g->n_edges++] = to;
}

static void note_relocations(graph *g, const hw_ptx_symbol *symbol) {
    for (uint32_t r = 0; r < symbol->n_relocs; r++)
        if (symbol->relocs[r].target_function) note_function(g, symbol->relocs[r].target_function);
}

static hw_status build_graph(graph *g, hw_diag *diag) {
    hw_ptx_module *module = g->module;
    uint32_t n = module->n_functions;
    g->n = n + 1;
    g->first = hw_arena_take(g->scratch, ((size_t)n + 2) * sizeof *g->first);
    g->use_first = hw_arena_take(g->scratch, ((size_t)n + 2) * sizeof *g->use_first);
    g->own_base = hw_arena_take(g->scratch, ((size_t)n + 1) * sizeof *g->own_base);
    g->address_taken = hw_arena_take(g->scratch, (size_t)n + 1);
    g->uses_dynamic = hw_arena_take(g->scratch, (size_t)n + 1);
    g->n_symbols = module->n_globals;
    for (uint32_t v = 0; g->own_base && v < n; v++) {
        g->own_base[v] = g->n_symbols;
        g->n_symbols += module->functions[v]->n_variables;
    }
    g->symbols = hw_arena_take(g->scratch, ((size_t)g->n_symbols + 1) * sizeof *g->symbols);
    g->seen_symbol = hw_arena_take(g->scratch, ((size_t)g->n_symbols + 1) * sizeof *g->seen_symbol);
    if (!g->first || !g->use_first || !g->own_base || !g->address_taken || !g->uses_dynamic || !g->symbols ||
        !g->seen_symbol)
        return hw_diag_no_memory(diag);
    references visit = {g, note_symbol, note_function};
    for (uint32_t v = 0; v < n; v++) {
        const hw_ptx_function *f = module->functions[v];
        g->current = v;
        g->first[v] = g->n_edges;
        g->use_first[v] = g->n_uses;
        for (uint32_t i = 0; i < f->n_insts; i++) {
            visit_references(&f->insts[i], &visit);
            const hw_ptx_call *call = f->insts[i].call;
            if (call) add_edge(g, call->callee ? (uint32_t)call->callee->index : n);
        }
    }
    g->first[n] = g->n_edges;
    g->use_first[n] = g->use_first[n + 1] = g->n_uses;
    for (uint32_t k = 0; k < module->n_globals; k++) note_relocations(g, module->globals[k]);
    for (uint32_t v = 0; v < n; v++)
        if (g->address_taken[v]) add_edge(g, v);
    g->first[n + 1] = g->n_edges;
    return g->failed ? hw_diag_no_memory(diag) : HW_OK;
}

// Tarjan's strongly connected components, with a stack of our own.
static hw_status find_recursion(graph *g, hw_program_set *set, hw_diag *diag) {
    size_t bytes = g->n * sizeof(uint32_t);
    uint32_t *number = hw_arena_take(g->scratch, bytes), *low = hw_arena_take(g->scratch, bytes);
    uint32_t *path = hw_arena_take(g->scratch, bytes), *next = hw_arena_take(g->scratch, bytes);
    uint32_t *open = hw_arena_take(g->scratch, bytes);
    uint8_t *is_open = hw_arena_take(g->scratch, g->n), *recurses = hw_arena_take(g->scratch, g->n);
    if (!number || !low || !path || !next || !open || !is_open || !recurses) return hw_diag_no_memory(diag);
    uint32_t counter = 0, depth = 0, n_open = 0;
    for (uint32_t root = 0; root < g->n; root++) {
        if (number[root]) continue;
        path[depth++] = root;
        while (depth) {
            uint32_t v = path[depth - 1];
            if (!number[v]) {
                number[v] = low[v] = ++counter;
                next[v] = g->first[v];
                open[n_open++] = v;
                is_open[v] = 1;
            }
            if (next[v] < g->first[v + 1]) {
                uint32_t w = g->edges[next[v]++];
                if (w == v) recurses[v] = 1;
                if (!number[w]) path[depth++] = w;
                else if (is_open[w] && number[w] < low[v]) low[v] = number[w];
                continue;
            }
            depth--;
            if (depth && low[v] < low[path[depth - 1]]) low[path[depth - 1]] = low[v];
            if (low[v] != number[v]) continue;
            bool alone = open[n_open - 1] == v;
            for (uint32_t w = HW_NO_BLOCK; w != v;) {
                w = open[--n_open];
                is_open[w] = 0;
                if (!alone) recurses[w] = 1;
            }
        }
    }
    for (uint32_t v = 0; v + 1 < g->n; v++)
        if (set->programs[v]) set->programs[v]->may_recurse = recurses[v];
    return HW_OK;
}

// ---- shared memory ----
//
// A variable that only one kernel reaches lies in that kernel's own part. One that several reach has one address in
// all of them: those come first, from 0 on, and the own part of a kernel that reaches any of them begins behind.

enum { REACHED_BY_NONE = 0, REACHED_BY_SEVERAL = 0xffffffffu };

typedef struct reach {
    uint32_t *stack, *stamp;       // by node
    uint32_t *found;               // numbers of the .shared variables
    uint32_t *symbol_stamp, n_found;
    bool dynamic;
} reach;

static void reach_from(const graph *g, reach *r, uint32_t entry) {
    uint32_t depth = 0, mark = entry + 1;
    r->n_found = 0;
    r->dynamic = false;
    r->stack[depth++] = entry;
    r->stamp[entry] = mark;
    while (depth) {
        uint32_t v = r->stack[--depth];
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            uint32_t w = g->edges[e];
            if (r->stamp[w] == mark) continue;
            r->stamp[w] = mark;
            r->stack[depth++] = w;
        }
        if (v + 1 == g->n) continue;
        r->dynamic |= g->uses_dynamic[v];
        for (uint32_t u = g->use_first[v]; u < g->use_first[v + 1]; u++) {
            uint32_t symbol = g->uses[u];
            if (r->symbol_stamp[symbol] == mark) continue;
            r->symbol_stamp[symbol] = mark;
            r->found[r->n_found++] = symbol;
        }
    }
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Gives the symbol the next free offset; returns the end. Sizes that no memory has are cut, so that sums do not wrap.
static uint64_t place_symbol(hw_ptx_symbol *symbol, uint64_t top) {
    uint64_t limit = (uint64_t)1 << 40;
    symbol->offset = hw_align_up(top, symbol->align);
    return symbol->offset + (symbol->size_bytes < limit ? symbol->size_bytes : limit);
}

static hw_status lay_out_entry(const graph *g, reach *r, hw_program_set *set, hw_program *program,
                               const uint32_t *owner, hw_diag *diag) {
    uint32_t entry = (uint32_t)program->index;
    uint64_t top = 0;
    reach_from(g, r, entry);
    qsort(r->found, r->n_found, sizeof *r->found, by_number);
    for (uint32_t k = 0; k < r->n_found; k++) {
        const hw_ptx_symbol *symbol = g->symbols[r->found[k]];
        if (owner[r->found[k]] != REACHED_BY_SEVERAL) continue;
        uint64_t end = symbol->offset + symbol->size_bytes;
        if (end > top) top = end;
    }
    for (uint32_t k = 0; k < r->n_found; k++)
        if (owner[r->found[k]] == entry + 1) top = place_symbol(g->symbols[r->found[k]], top);
    if (top > UINT32_MAX / 2)
        return hw_diag_set_at(diag, HW_UNSUPPORTED, g->module->name, program->function->line,
                              "%s has more shared memory than any GPU", program->name);
    program->shared_bytes = (uint32_t)top;
    program->shared = hw_arena_take(set->arena, (r->n_found + 1) * sizeof *program->shared);
    if (!program->shared) return hw_diag_no_memory(diag);
    for (uint32_t k = 0; k < r->n_found; k++) program->shared[program->n_shared++] = g->symbols[r->found[k]];
    return HW_OK;
}

uint32_t hw_layout_dynamic_alignment(const hw_ptx_module *module) {
    uint32_t align = 16;
    for (uint32_t k = 0; k < module->n_globals; k++) {
        const hw_ptx_symbol *symbol = module->globals[k];
        if (symbol->space == HW_SPACE_SHARED && is_dynamic(symbol) && symbol->align > align) align = symbol->align;
    }
    return align;
}

static hw_status lay_out_shared(const graph *g, hw_program_set *set, hw_diag *diag) {
    uint32_t n = set->n_programs;
    size_t nodes = g->n * sizeof(uint32_t), symbols = ((size_t)g->n_symbols + 1) * sizeof(uint32_t);
    uint32_t *owner = hw_arena_take(g->scratch, symbols);
    reach r = {.stack = hw_arena_take(g->scratch, nodes), .stamp = hw_arena_take(g->scratch, nodes),
               .found = hw_arena_take(g->scratch, symbols), .symbol_stamp = hw_arena_take(g->scratch, symbols)};
    if (!owner || !r.stack || !r.stamp || !r.found || !r.symbol_stamp) return hw_diag_no_memory(diag);
    for (uint32_t v = 0; v < n; v++) {
        hw_program *program = set->programs[v];
        if (!program) continue;
        for (uint32_t u = g->use_first[v]; u < g->use_first[v + 1]; u++) {
            const hw_ptx_symbol *symbol = g->symbols[g->uses[u]];
            uint64_t end = hw_align_up(program->shared_bytes, symbol->align) + symbol->size_bytes;
            program->shared_bytes = end < UINT32_MAX / 2 ? (uint32_t)end : UINT32_MAX / 2;
        }
        if (!program->function->is_entry) continue;
        reach_from(g, &r, v);
        if (r.dynamic) program->dynamic_shared_align = hw_layout_dynamic_alignment(g->module);
        for (uint32_t k = 0; k < r.n_found; k++) {
            uint32_t *of = &owner[r.found[k]];
            *of = *of == REACHED_BY_NONE ? v + 1 : REACHED_BY_SEVERAL;
        }
    }
    uint64_t top = 0;
    for (uint32_t k = 0; k < g->n_symbols; k++)
        if (g->symbols[k] && (owner[k] == REACHED_BY_SEVERAL || owner[k] == REACHED_BY_NONE))
            top = place_symbol(g->symbols[k], top);
    memset(r.stamp, 0, nodes);
    memset(r.symbol_stamp, 0, symbols);
    for (uint32_t v = 0; v < n; v++) {
        if (!set->programs[v] || !set->programs[v]->function->is_entry) continue;
        hw_status status = lay_out_entry(g, &r, set, set->programs[v], owner, diag);
        if (status != HW_OK) return status;
    }
    return HW_OK;
}

hw_status hw_layout_module(hw_program_set *set, hw_ptx_module *module, hw_diag *diag) {
    graph g = {.scratch = hw_arena_create(), .module = module};
    hw_status status = g.scratch ? build_graph(&g, diag) : hw_diag_no_memory(diag);
    if (status == HW_OK) status = find_recursion(&g, set, diag);
    if (status == HW_OK) status = lay_out_shared(&g, set, diag);
    hw_arena_destroy(g.scratch);
    return status;
}

// ---- one function ----

hw_status hw_layout_local(const hw_ptx_module *module, hw_program *program, hw_diag *diag) {
    const hw_ptx_function *f = program->function;
    uint64_t top = 0, align = 1;
    for (uint32_t k = 0; k < f->n_variables; k++) {
        hw_ptx_symbol *symbol = f->variables[k];
        if (symbol->space != HW_SPACE_LOCAL) continue;
        top = place_symbol(symbol, top);
        if (symbol->align > align) align = symbol->align;
    }
    top = hw_align_up(top, align);
    if (top > UINT32_MAX / 2)
        return hw_diag_set_at(diag, HW_UNSUPPORTED, module->name, f->line, "%s has more local memory than any GPU",
                              f->name);
    program->local_bytes = (uint32_t)top;
    return HW_OK;
}

// A .param variable of the caller's, for a call.
typedef struct param_use {
    hw_ptx_symbol *symbol;
    uint32_t first, last;          // instructions that name it
    bool stays;                    // the variable shares no memory with other calls' variables
} param_use;

typedef struct param_uses {
    const hw_ptx_function *f;
    uint32_t *number;              // by variable: index + 1 into uses
    param_use *uses;
    uint32_t n;
    uint32_t at;
    bool address_is_taken;
} param_uses;

static void note_param(void *context, hw_ptx_symbol *symbol) {
    param_uses *p = context;
    uint32_t index = (uint32_t)symbol->index;
    if (symbol->space != HW_SPACE_PARAM || index >= p->f->n_variables || p->f->variables[index] != symbol) return;
    if (!p->number[index]) {
        p->uses[p->n] = (param_use){.symbol = symbol, .first = p->at};
        p->number[index] = ++p->n;
    }
    param_use *use = &p->uses[p->number[index] - 1];
    use->last = p->at;
    use->stays |= p->address_is_taken;
}

static void ignore_function(void *context, const hw_ptx_function *function) {
    (void)context;
    (void)function;
}

// Does every way into the blocks from first to last come through the first, and none lead back?
static bool is_straight(const hw_cfg *cfg, uint32_t first, uint32_t last) {
    if (last - first > 4096) return false;
    uint32_t b = cfg->n_blocks - 1, low = 0;
    while (low < b) {              // the last block that begins at or before first
        uint32_t middle = (low + b + 1) / 2;
        if (cfg->blocks[middle].first <= first) low = middle;
        else b = middle - 1;
    }
    for (uint32_t k = low + 1; k < cfg->n_blocks && cfg->blocks[k].first <= last; k++) {
        const hw_cfg_block *block = &cfg->blocks[k];
        for (uint32_t e = 0; e < block->n_preds; e++) {
            uint32_t p = cfg->pred_edges[block->pred + e];
            if (p < low || p >= k) return false;
        }
    }
    return true;
}

static uint64_t lay_out_formals(const hw_ptx_function *f) {
    uint64_t top = 0;
    if (f->is_entry) return 0;
    for (uint32_t k = 0; k < f->n_params; k++) top = place_symbol(f->params[k], top);
    for (uint32_t k = 0; k < f->n_rets; k++) top = place_symbol(f->rets[k], top);
    return hw_align_up(top, 16);
}

hw_status hw_layout_function(hw_lowering *lo) {
    const hw_ptx_function *f = lo->f;
    uint64_t base = lay_out_formals(f);
    lo->program->formal_param_bytes = base > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)base;
    param_uses p = {.f = f, .number = hw_arena_take(lo->scratch, ((size_t)f->n_variables + 1) * sizeof *p.number),
                    .uses = hw_arena_take(lo->scratch, ((size_t)f->n_variables + 1) * sizeof *p.uses)};
    if (!p.number || !p.uses) return hw_diag_no_memory(lo->diag);
    references visit = {&p, note_param, ignore_function};
    for (uint32_t i = 0; i < f->n_insts; i++) {
        p.at = i;
        p.address_is_taken = f->insts[i].op == HW_OP_MOV || f->insts[i].op == HW_OP_CVTA;
        visit_references(&f->insts[i], &visit);
    }
    for (uint32_t k = 0; k < p.n; k++) {
        param_use *use = &p.uses[k];
        use->stays |= !is_straight(&lo->cfg, use->first, use->last);
        if (use->stays) base = place_symbol(use->symbol, base);
    }
    // Calls follow each other: their variables take turns in the same bytes. uses[] is in order of `first`.
    uint64_t top = base, end = base;
    uint32_t group_last = 0;
    for (uint32_t k = 0; k < p.n; k++) {
        const param_use *use = &p.uses[k];
        if (use->stays) continue;
        if (use->first > group_last) top = base;
        if (use->last > group_last) group_last = use->last;
        top = place_symbol(use->symbol, top);
        if (top > end) end = top;
    }
    end = hw_align_up(end, 16);
    if (end > 1 << 20)
        return hw_diag_set_at(lo->diag, HW_UNSUPPORTED, lo->module->name, f->line,
                              "%s passes more than a megabyte of parameters", f->name);
    lo->program->param_bytes = lo->spill_base = (uint32_t)end;
    return HW_OK;
}
