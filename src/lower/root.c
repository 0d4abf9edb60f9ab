#include "lower/root.h"

#include <string.h>

#include "lower/lowering.h"
#include "lower/part.h"
#include "lower/root_cells.h"

enum { ADDRESS_BYTES = 8 };

// A register that is always the same byte of a local variable; symbol NULL: it is not, or nobody knows.
typedef struct place {
    const hw_ptx_symbol *symbol;
    int64_t offset;
} place;

// A function at work.
typedef struct function {
    const hw_program *program;
    const hw_ptx_function *f;
    hw_origin *origins;              // by register
    place *places;
    uint8_t *n_defs;                 // 0, 1, 2 meaning several
    uint32_t *defs;                  // of hw_part_find; NULL: the compiler tells nothing of parts
} function;

typedef struct analysis {
    const hw_program_set *set;
    const hw_program *entry;
    hw_arena *scratch;
    function *functions;             // that the entry can call, itself first
    uint32_t n_functions;
    int32_t *function_of;            // by index of the program; -1: not reached
    bool has_indirect_calls;
    hw_cells cells;
    hw_root *roots;
    uint32_t n_roots, roots_capacity;
    bool ran_out, has_changed;
    bool is_complete;                // what has not been written to cells until now never is
} analysis;

// ---- roots ----

static uint32_t number_of_root(analysis *a, const hw_ptx_symbol *symbol, uint32_t offset) {
    for (uint32_t i = 0; i < a->n_roots; i++)
        if (a->roots[i].symbol == symbol && a->roots[i].offset == offset && !a->roots[i].part) return i;
    if (!hw_lower_grow(a->scratch, (void **)&a->roots, a->n_roots, &a->roots_capacity, sizeof *a->roots)) {
        a->ran_out = true;
        return 0;
    }
    a->roots[a->n_roots] = (hw_root){.symbol = symbol, .offset = offset};
    return a->n_roots++;
}

// The same of a part of what the root is.
static uint32_t number_of_part(analysis *a, uint32_t of, const hw_part *part) {
    const hw_root *whole = &a->roots[of];
    for (uint32_t i = 0; i < a->n_roots; i++) {
        const hw_root *root = &a->roots[i];
        if (root->symbol == whole->symbol && root->offset == whole->offset && root->part &&
            root->part->offset == part->offset && root->part->bytes == part->bytes &&
            root->part->stride == part->stride) return i;
    }
    const hw_root narrow = {.symbol = whole->symbol, .offset = whole->offset, .part = part};
    if (!hw_lower_grow(a->scratch, (void **)&a->roots, a->n_roots, &a->roots_capacity, sizeof *a->roots)) {
        a->ran_out = true;
        return of;
    }
    a->roots[a->n_roots] = narrow;
    return a->n_roots++;
}

static const hw_origin unknown = {.is_unknown = true};

static hw_origin origin_of_symbol(analysis *a, const hw_ptx_symbol *symbol) {
    hw_origin origin = {.n = 0};
    if (symbol->space == HW_SPACE_PARAM) return unknown;
    hw_origin_add_root(&origin, number_of_root(a, symbol, 0));
    return origin;
}

// ---- operands ----

static hw_origin origin_of_operand(analysis *a, const function *f, const hw_ptx_operand *o) {
    hw_origin origin = {.n = 0};
    switch (o->kind) {
    case HW_OPERAND_REG:
        if (o->reg >= 0) origin = f->origins[o->reg];
        break;
    case HW_OPERAND_ADDRESS:
        if (o->reg >= 0) return f->origins[o->reg];
        if (o->symbol && !o->function) return origin_of_symbol(a, o->symbol);
        break;
    case HW_OPERAND_SYMBOL:
        if (o->symbol && !o->function) return origin_of_symbol(a, o->symbol);
        break;
    case HW_OPERAND_VECTOR:
        for (unsigned e = 0; e < o->n_elements; e++) {
            const hw_origin element = origin_of_operand(a, f, &o->elements[e]);
            hw_origin_add(&origin, &element);
        }
        break;
    default: break;
    }
    return origin;
}

static void add_to_register(analysis *a, const function *f, int32_t reg, const hw_origin *origin) {
    if (reg >= 0 && hw_origin_add(&f->origins[reg], origin)) a->has_changed = true;
}

static void add_to_destination(analysis *a, const function *f, const hw_ptx_inst *inst, const hw_origin *origin) {
    const hw_ptx_operand *to = &inst->operands[0];
    if (!hw_defs_has_destination(inst)) return;
    if (to->kind == HW_OPERAND_REG) add_to_register(a, f, to->reg, origin);
    for (unsigned e = 0; to->kind == HW_OPERAND_VECTOR && e < to->n_elements; e++)
        if (to->elements[e].kind == HW_OPERAND_REG) add_to_register(a, f, to->elements[e].reg, origin);
}

// The register that a load or store moves as its element e; -1: none.
static int32_t moved_register(const hw_ptx_operand *o, unsigned e) {
    if (o->kind == HW_OPERAND_VECTOR) o = &o->elements[e];
    else if (e) return -1;
    return o->kind == HW_OPERAND_REG ? o->reg : -1;
}

static unsigned count_elements(const hw_ptx_inst *inst) { return inst->vector ? inst->vector : 1; }
static unsigned element_bytes(const hw_ptx_inst *inst) { return hw_type_bits(inst->types[0]) / 8; }

// May an element be an address of global memory, or a generic one?
static bool moves_addresses(const hw_ptx_inst *inst) {
    return element_bytes(inst) >= ADDRESS_BYTES && hw_type_kind_of(inst->types[0]) != HW_KIND_F;
}

// ---- places in local variables ----

static void count_definition(void *context, int32_t reg, bool is_def) {
    uint8_t *n_defs = context;
    if (is_def && n_defs[reg] < 2) n_defs[reg]++;
}

static place place_of_operand(const function *f, const hw_ptx_operand *o) {
    const bool is_variable = o->symbol && !o->function && o->symbol->space == HW_SPACE_LOCAL;
    place at = {.symbol = NULL};
    if ((o->kind == HW_OPERAND_ADDRESS || o->kind == HW_OPERAND_REG) && o->reg >= 0) at = f->places[o->reg];
    else if ((o->kind == HW_OPERAND_ADDRESS || o->kind == HW_OPERAND_SYMBOL) && is_variable) at.symbol = o->symbol;
    if (o->kind != HW_OPERAND_REG) at.offset += o->offset;
    return at;
}

static place place_of_result(const function *f, const hw_ptx_inst *inst) {
    const place nowhere = {.symbol = NULL};
    if (inst->guard >= 0 || inst->n_operands < 2) return nowhere;
    place at = place_of_operand(f, &inst->operands[1]);
    if (inst->op == HW_OP_MOV || inst->op == HW_OP_CVTA) return at;
    if (inst->op == HW_OP_CVT && hw_type_kind_of(inst->types[0]) != HW_KIND_F) return at;
    if (inst->op != HW_OP_ADD || inst->operands[2].kind != HW_OPERAND_IMM) return nowhere;
    at.offset += hw_type_bits(inst->types[0]) == 32 ? (int32_t)inst->operands[2].imm : (int64_t)inst->operands[2].imm;
    return at;
}

static void find_places(function *f) {
    for (uint32_t i = 0; i < f->f->n_insts; i++) hw_defs_visit(&f->f->insts[i], count_definition, f->n_defs);
    for (uint32_t i = 0; i < f->f->n_insts; i++) {
        const hw_ptx_inst *inst = &f->f->insts[i];
        if (!inst->n_operands || inst->operands[0].kind != HW_OPERAND_REG || !hw_defs_has_destination(inst)) continue;
        const int32_t reg = inst->operands[0].reg;
        if (reg >= 0 && f->n_defs[reg] == 1) f->places[reg] = place_of_result(f, inst);
    }
}

// ---- cells ----

// Where the instruction's memory operand lies when it is a place of a local variable, a parameter of a call or of the
// function itself, but no kernel's parameter.
static place place_of_access(const function *f, const hw_ptx_inst *inst, const hw_ptx_operand *o) {
    if (inst->space != HW_SPACE_PARAM) return place_of_operand(f, o);
    return (place){.symbol = o->reg < 0 ? o->symbol : NULL, .offset = o->offset};
}

static bool is_kernels_param(const function *f, const hw_ptx_symbol *symbol) {
    const uint32_t index = (uint32_t)symbol->index;
    return f->f->is_entry && index < f->f->n_params && f->f->params[index] == symbol;
}

static void make_unknown(analysis *a, const hw_ptx_symbol *symbol, int64_t offset) {
    hw_cell *cell = hw_cells_at(&a->cells, symbol, offset);
    if (cell && hw_origin_add(&cell->origin, &unknown)) a->has_changed = true;
}

static void add_to_cell(analysis *a, const hw_ptx_symbol *symbol, int64_t offset, const hw_origin *origin) {
    hw_cell *cell = hw_cells_at(&a->cells, symbol, offset);
    if (!cell) return;
    cell->is_written = true;
    if (hw_origin_add(&cell->origin, origin)) a->has_changed = true;
}

// A narrow store to a known place: nobody follows what the cell around it holds.
static void spoil_cell(analysis *a, place at, unsigned bytes) {
    for (int64_t cell = at.offset & -ADDRESS_BYTES; cell < at.offset + (int64_t)bytes; cell += ADDRESS_BYTES)
        make_unknown(a, at.symbol, cell);
}

static bool is_local(const analysis *a, uint32_t root) {
    return a->roots[root].symbol && a->roots[root].symbol->space == HW_SPACE_LOCAL;
}

// Addresses of local variables that are put where nobody follows them: anything may be written to these from now on.
static void let_escape(analysis *a, const hw_origin *origin) {
    for (uint32_t i = 0; i < origin->n; i++)
        if (is_local(a, origin->roots[i])) make_unknown(a, a->roots[origin->roots[i]].symbol, HW_CELL_ANYWHERE);
}

// What is written somewhere in the local variables that the address may mean. Who writes byte by byte copies pointers,
// perhaps; of other narrow stores it is not expected.
static void store_anywhere(analysis *a, const hw_origin *address, const hw_origin *value, unsigned bytes) {
    bool is_elsewhere = address->is_unknown || !address->n;
    for (uint32_t i = 0; i < address->n; i++) {
        const hw_ptx_symbol *symbol = a->roots[address->roots[i]].symbol;
        if (!is_local(a, address->roots[i])) is_elsewhere = true;
        else if (bytes == 1) make_unknown(a, symbol, HW_CELL_ANYWHERE);
        else if (bytes >= ADDRESS_BYTES) add_to_cell(a, symbol, HW_CELL_ANYWHERE, value);
    }
    if (is_elsewhere) let_escape(a, value);
}

static void store(analysis *a, const function *f, const hw_ptx_inst *inst) {
    const hw_ptx_operand *to = &inst->operands[0], *from = &inst->operands[1];
    const unsigned bytes = element_bytes(inst);
    const place at = place_of_access(f, inst, to);
    for (unsigned e = 0; e < count_elements(inst); e++) {
        const int32_t reg = moved_register(from, e);
        const hw_origin value = reg >= 0 ? f->origins[reg] : (hw_origin){.n = 0};
        const place element = {.symbol = at.symbol, .offset = at.offset + (int64_t)e * bytes};
        const bool is_cell = bytes == ADDRESS_BYTES && element.offset % ADDRESS_BYTES == 0;
        const hw_origin address = origin_of_operand(a, f, to);
        if (!at.symbol) store_anywhere(a, &address, &value, bytes);
        else if (is_cell) add_to_cell(a, element.symbol, element.offset, &value);
        else spoil_cell(a, element, bytes);
    }
}

static hw_origin load_cell(analysis *a, place at) {
    const hw_cell *cell = hw_cells_at(&a->cells, at.symbol, at.offset);
    const hw_cell *anywhere = hw_cells_find(&a->cells, at.symbol, HW_CELL_ANYWHERE);
    if (!cell || at.offset % ADDRESS_BYTES || (!cell->is_written && a->is_complete)) return unknown;
    hw_origin origin = cell->origin;
    if (anywhere) hw_origin_add(&origin, &anywhere->origin);
    return origin;
}

static void load(analysis *a, const function *f, const hw_ptx_inst *inst) {
    const hw_ptx_operand *to = &inst->operands[0], *from = &inst->operands[1];
    const unsigned bytes = element_bytes(inst);
    const place at = place_of_access(f, inst, from);
    if (!moves_addresses(inst)) return;
    for (unsigned e = 0; e < count_elements(inst); e++) {
        const place element = {.symbol = at.symbol, .offset = at.offset + (int64_t)e * bytes};
        const int32_t reg = moved_register(to, e);
        hw_origin origin = {.n = 0};
        if (reg < 0) continue;
        if (!at.symbol || bytes > ADDRESS_BYTES) origin = unknown;
        else if (inst->space == HW_SPACE_PARAM && is_kernels_param(f, at.symbol))
            hw_origin_add_root(&origin, number_of_root(a, NULL, (uint32_t)(at.symbol->offset +
                                                                           (uint64_t)element.offset)));
        else origin = load_cell(a, element);
        add_to_register(a, f, reg, &origin);
    }
}

// ---- calls ----

// All that is in the cells of one parameter goes into those of the other.
static void pass_cells(analysis *a, const hw_ptx_symbol *from, const hw_ptx_symbol *to) {
    for (uint32_t at = 0; (at = hw_cells_next(&a->cells, to, at));) {
        hw_cell *cell = &a->cells.items[at];
        const hw_cell *source = hw_cells_find(&a->cells, from, cell->offset);
        const bool is_written = source && source->is_written;
        if (!is_written && !a->is_complete) continue;
        a->has_changed |= !cell->is_written;
        cell->is_written = true;
        if (hw_origin_add(&cell->origin, is_written ? &source->origin : &unknown)) a->has_changed = true;
    }
}

static void pass_argument(analysis *a, const function *f, const hw_ptx_operand *argument, const hw_ptx_symbol *formal) {
    const hw_origin value = origin_of_operand(a, f, argument);
    if (argument->kind == HW_OPERAND_SYMBOL && argument->symbol) pass_cells(a, argument->symbol, formal);
    else add_to_cell(a, formal, 0, &value);
}

static void take_result(analysis *a, const function *f, const hw_ptx_operand *result, const hw_ptx_symbol *returned) {
    if (result->kind == HW_OPERAND_SYMBOL && result->symbol) {
        pass_cells(a, returned, result->symbol);
    } else if (result->kind == HW_OPERAND_REG) {
        const hw_origin value = load_cell(a, (place){.symbol = returned});
        add_to_register(a, f, result->reg, &value);
    }
}

// What functions get and give that nobody has read.
static void pass_unknown(analysis *a, const function *f, const hw_ptx_call *call) {
    for (uint32_t k = 0; k < call->n_args; k++) {
        const hw_ptx_symbol *symbol = call->args[k].kind == HW_OPERAND_SYMBOL ? call->args[k].symbol : NULL;
        const hw_origin value = origin_of_operand(a, f, &call->args[k]);
        for (uint32_t at = 0; symbol && (at = hw_cells_next(&a->cells, symbol, at));) {
            const hw_origin passed = a->cells.items[at].origin;
            let_escape(a, &passed);
        }
        if (!symbol) let_escape(a, &value);
    }
    for (uint32_t k = 0; k < call->n_rets; k++) {
        const hw_ptx_operand *result = &call->rets[k];
        if (result->kind == HW_OPERAND_REG) add_to_register(a, f, result->reg, &unknown);
        for (uint32_t at = 0; result->kind == HW_OPERAND_SYMBOL &&
                              (at = hw_cells_next(&a->cells, result->symbol, at));)
            make_unknown(a, result->symbol, a->cells.items[at].offset);
    }
}

static void call(analysis *a, const function *f, const hw_ptx_inst *inst) {
    const hw_ptx_call *c = inst->call;
    const hw_ptx_function *callee = c->callee;
    const bool is_known = callee && callee->has_body && a->function_of[callee->index] >= 0;
    if (!is_known) {
        pass_unknown(a, f, c);
        return;
    }
    for (uint32_t k = 0; k < c->n_args && k < callee->n_params; k++)
        pass_argument(a, f, &c->args[k], callee->params[k]);
    for (uint32_t k = 0; k < c->n_rets && k < callee->n_rets; k++) take_result(a, f, &c->rets[k], callee->rets[k]);
}

// Functions that may be called through a pointer, of whose arguments nothing is known.
static void let_anybody_call(analysis *a) {
    for (uint32_t i = 1; i < a->n_functions; i++) {
        const hw_ptx_function *f = a->functions[i].f;
        for (uint32_t k = 0; k < f->n_params; k++)
            for (uint32_t at = 0; (at = hw_cells_next(&a->cells, f->params[k], at));)
                make_unknown(a, f->params[k], a->cells.items[at].offset);
    }
}

// ---- instructions ----

static hw_origin origin_of_sources(analysis *a, const function *f, const hw_ptx_inst *inst, unsigned first) {
    hw_origin origin = {.n = 0};
    for (unsigned k = first; k < inst->n_operands; k++) {
        const hw_origin source = origin_of_operand(a, f, &inst->operands[k]);
        hw_origin_add(&origin, &source);
    }
    return origin;
}

static bool is_of_floats(const hw_ptx_inst *inst) {
    for (unsigned k = 0; k < inst->n_types; k++)
        if (hw_type_kind_of(inst->types[k]) == HW_KIND_F) return true;
    return false;
}

static void run(analysis *a, const function *f, const hw_ptx_inst *inst) {
    hw_origin origin = {.n = 0};
    switch (inst->op) {
    case HW_OP_LD: case HW_OP_LDU: load(a, f, inst); return;
    case HW_OP_ST: store(a, f, inst); return;
    case HW_OP_CALL: call(a, f, inst); return;
    case HW_OP_ATOM: case HW_OP_RED:
        origin = origin_of_sources(a, f, inst, 1);
        let_escape(a, &origin);
        origin = moves_addresses(inst) ? unknown : (hw_origin){.n = 0};
        break;
    case HW_OP_MOV: case HW_OP_CVTA: case HW_OP_CVT: case HW_OP_ADD: case HW_OP_SUB: case HW_OP_ADDC: case HW_OP_SUBC:
    case HW_OP_AND: case HW_OP_OR: case HW_OP_XOR: case HW_OP_NOT: case HW_OP_NEG: case HW_OP_LOP3: case HW_OP_MIN:
    case HW_OP_MAX: case HW_OP_SELP: case HW_OP_SLCT: case HW_OP_SHFL: case HW_OP_BFI: case HW_OP_PRMT:
        if (!is_of_floats(inst)) origin = origin_of_sources(a, f, inst, 1);
        break;
    case HW_OP_MAD: case HW_OP_MADC: case HW_OP_MAD24:
        origin = origin_of_sources(a, f, inst, 3);
        break;
    case HW_OP_MAPA: case HW_OP_ALLOCA: case HW_OP_STACKSAVE: origin = unknown; break;
    default: return;
    }
    add_to_destination(a, f, inst, &origin);
}

static void run_until_it_holds(analysis *a) {
    do {
        a->has_changed = false;
        for (uint32_t k = 0; k < a->n_functions; k++)
            for (uint32_t i = 0; i < a->functions[k].f->n_insts; i++)
                run(a, &a->functions[k], &a->functions[k].f->insts[i]);
        if (a->has_indirect_calls) let_anybody_call(a);
    } while (a->has_changed && !a->ran_out && !a->cells.ran_out);
}

// First with what is written to cells, then with what is read and nobody has written.
static void run_all(analysis *a) {
    run_until_it_holds(a);
    a->is_complete = true;
    run_until_it_holds(a);
}

// ---- functions ----

typedef struct definition {
    function *f;
    uint32_t inst;
} definition;

static void note_definition(void *context, int32_t reg, bool is_def) {
    const definition *at = context;
    if (is_def) at->f->defs[reg] = at->f->n_defs[reg] == 1 ? at->inst : HW_PART_NONE;
}

// For what is known of parts. False: no memory.
static bool find_definitions(analysis *a, function *f) {
    if (!a->set->module->layouts) return true;
    f->defs = hw_arena_take(a->scratch, (f->f->n_regs + 1) * sizeof *f->defs);
    for (uint32_t reg = 0; f->defs && reg <= f->f->n_regs; reg++) f->defs[reg] = HW_PART_NONE;
    for (uint32_t i = 0; f->defs && i < f->f->n_insts; i++)
        hw_defs_visit(&f->f->insts[i], note_definition, &(definition){.f = f, .inst = i});
    return f->defs != NULL;
}

static bool add_function(analysis *a, const hw_program *program) {
    const uint32_t n_regs = program->function->n_regs + 1;
    if (a->function_of[program->index] >= 0) return true;
    function *f = &a->functions[a->n_functions];
    *f = (function){.program = program, .f = program->function,
                    .origins = hw_arena_take(a->scratch, n_regs * sizeof *f->origins),
                    .places = hw_arena_take(a->scratch, n_regs * sizeof *f->places),
                    .n_defs = hw_arena_take(a->scratch, n_regs)};
    if (!f->origins || !f->places || !f->n_defs) return false;
    find_places(f);
    if (!find_definitions(a, f)) return false;
    a->function_of[program->index] = (int32_t)a->n_functions++;
    return true;
}

static bool add_all_functions(analysis *a) {
    for (uint32_t k = 0; k < a->set->n_programs; k++) {
        const hw_program *program = a->set->programs[k];
        if (program && hw_ptx_has_address(program->function) && !add_function(a, program)) return false;
    }
    return true;
}

// The entry and all that it calls: with one indirect call, every function.
static bool find_functions(analysis *a) {
    const uint32_t n = a->set->n_programs + 1;
    a->functions = hw_arena_take(a->scratch, n * sizeof *a->functions);
    a->function_of = hw_arena_take(a->scratch, n * sizeof *a->function_of);
    if (!a->functions || !a->function_of) return false;
    for (uint32_t k = 0; k < n; k++) a->function_of[k] = -1;
    if (!add_function(a, a->entry)) return false;
    for (uint32_t k = 0; k < a->n_functions; k++) {
        const hw_program *program = a->functions[k].program;
        for (uint32_t i = 0; i < program->n_calls; i++) {
            const hw_call_site *site = &program->calls[i];
            if (site->callee && !add_function(a, site->callee)) return false;
            if (site->callee || site->builtin || a->has_indirect_calls) continue;
            a->has_indirect_calls = true;
            if (!add_all_functions(a)) return false;
        }
    }
    return true;
}

// ---- what is found ----

// Sets as they are made: equal ones once.
typedef struct sets {
    hw_roots *roots;
    hw_root_set *items;
    uint32_t *members;
    uint32_t n, capacity, n_members, members_capacity;
} sets;

static uint32_t number_of_set(sets *s, const hw_origin *origin) {
    if (origin->is_unknown || !origin->n) return 0;
    for (uint32_t k = 1; k < s->n; k++)
        if (s->items[k].n == origin->n && !memcmp(s->members + s->items[k].first, origin->roots,
                                                  origin->n * sizeof *origin->roots)) return k;
    hw_arena *arena = s->roots->arena;
    const uint32_t first = s->n_members;
    if (!hw_lower_grow(arena, (void **)&s->items, s->n, &s->capacity, sizeof *s->items)) return 0;
    for (uint32_t i = 0; i < origin->n; i++) {
        if (!hw_lower_grow(arena, (void **)&s->members, s->n_members, &s->members_capacity, sizeof *s->members))
            return 0;
        s->members[s->n_members++] = origin->roots[i];
    }
    s->items[s->n] = (hw_root_set){.first = first, .n = origin->n};
    return s->n++;
}

static hw_origin origin_of_access(analysis *a, const function *f, const hw_ptx_inst *inst) {
    hw_origin origin = {.n = 0};
    for (unsigned k = 0; k < inst->n_operands; k++) {
        if (inst->operands[k].kind != HW_OPERAND_ADDRESS) continue;
        const hw_origin address = origin_of_operand(a, f, &inst->operands[k]);
        // A number that is an address.
        if (!address.n) return unknown;
        hw_origin_add(&origin, &address);
    }
    return origin;
}

// Has the access to stay in a part of what it comes from? Then that is its root.
static void narrow(analysis *a, const function *f, const hw_ptx_inst *inst, hw_arena *arena, hw_origin *origin) {
    hw_part found;
    if (origin->n != 1 || origin->is_unknown || !f->defs) return;
    if (!hw_part_find(a->set->module->layouts, arena, f->f, f->defs, inst, &found)) return;
    hw_part *part = hw_arena_take(arena, sizeof *part);
    if (!part) return;
    *part = found;
    origin->roots[0] = number_of_part(a, origin->roots[0], part);
}

// What the access does with device memory, as far as its note says.
static void add_access(hw_root_set *set, const hw_note *note) {
    const bool is_copy = note->kind == HW_NOTE_COPY || note->kind == HW_NOTE_COPY_BYPASS;
    const bool is_device = note->space == HW_SPACE_GLOBAL || note->space == HW_SPACE_GENERIC;
    if (!is_device && !is_copy) return;
    const bool reads = is_copy || note->kind == HW_NOTE_LOAD;
    set->is_written |= !reads;
    if (reads && (!set->least_read_bytes || note->width_bytes < set->least_read_bytes))
        set->least_read_bytes = note->width_bytes;
}

static void find_accesses(const analysis *a, uint32_t *first, uint32_t *end) {
    *first = UINT32_MAX;
    *end = 0;
    for (uint32_t k = 0; k < a->n_functions; k++) {
        const hw_program *program = a->functions[k].program;
        for (uint32_t i = 0; i < a->functions[k].f->n_insts; i++) {
            const hw_note *note = &program->notes[i];
            if (!hw_note_is_access(note)) continue;
            if (note->access < *first) *first = note->access;
            if (note->access >= *end) *end = note->access + 1;
        }
    }
    if (*first > *end) *first = *end;
}

static bool write_down(analysis *a, hw_roots *roots) {
    uint32_t end;
    find_accesses(a, &roots->first_access, &end);
    roots->n_accesses = end - roots->first_access;
    uint32_t *set_of = hw_arena_take(roots->arena, (roots->n_accesses + 1) * sizeof *set_of);
    sets s = {.roots = roots};
    if (!set_of || !hw_lower_grow(roots->arena, (void **)&s.items, 0, &s.capacity, sizeof *s.items)) return false;
    s.items[s.n++] = (hw_root_set){.n = 0};
    for (uint32_t k = 0; k < a->n_functions; k++) {
        const function *f = &a->functions[k];
        for (uint32_t i = 0; i < f->f->n_insts; i++) {
            if (!hw_note_is_access(&f->program->notes[i])) continue;
            hw_origin origin = origin_of_access(a, f, &f->f->insts[i]);
            narrow(a, f, &f->f->insts[i], roots->arena, &origin);
            const uint32_t set = number_of_set(&s, &origin);
            set_of[f->program->notes[i].access - roots->first_access] = set;
            add_access(&s.items[set], &f->program->notes[i]);
        }
    }
    hw_root *items = hw_arena_take(roots->arena, (a->n_roots + 1) * sizeof *items);
    if (!items) return false;
    if (a->n_roots) memcpy(items, a->roots, a->n_roots * sizeof *items);
    roots->items = items;
    roots->n_items = a->n_roots;
    roots->sets = s.items;
    roots->n_sets = s.n;
    roots->members = s.members;
    roots->set_of = set_of;
    return !a->ran_out && !hw_arena_ran_out(roots->arena);
}

hw_roots *hw_roots_find(const hw_program_set *set, const hw_program *entry) {
    analysis a = {.set = set, .entry = entry, .scratch = hw_arena_create()};
    hw_arena *arena = hw_arena_create();
    hw_roots *roots = arena ? hw_arena_take(arena, sizeof *roots) : NULL;
    bool good = a.scratch && roots;
    a.cells.arena = a.scratch;
    if (roots) roots->arena = arena;
    good = good && find_functions(&a);
    if (good) run_all(&a);
    good = good && !a.ran_out && !a.cells.ran_out && write_down(&a, roots);
    hw_arena_destroy(a.scratch);
    if (good) return roots;
    hw_arena_destroy(arena);
    return NULL;
}

void hw_roots_free(hw_roots *roots) {
    if (roots) hw_arena_destroy(roots->arena);
}

const hw_roots *hw_roots_of(const hw_program_set *set, const hw_program *entry) {
    hw_program *keeper = set->programs[entry->index];
    if (!keeper->roots) keeper->roots = hw_roots_find(set, entry);
    return keeper->roots;
}
