#include "ptx/layouts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/dwarf.h"

enum { MAX_DEPTH = 16 };

static const uint64_t MOST_BYTES = (uint64_t)1 << 40;    // of a struct: more than any memory

typedef struct reader {
    hw_arena *arena;
    hw_dwarf dwarf;
    hw_layout *layouts;
    hw_layout_member *members;
    hw_layout_variable *variables;
    hw_layout_register *registers;
    size_t n_layouts, layouts_capacity, n_members, members_capacity, n_variables, variables_capacity, n_registers;
    bool ran_out;
} reader;

// ---- layouts --------------------------------------------------------------------------------------------------------

// NULL: there is no entry at this byte. Entries are in order.
static hw_dwarf_entry *entry_at(reader *r, size_t at) {
    size_t low = 0, high = r->dwarf.n;
    while (at && low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->dwarf.items[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return at && low < r->dwarf.n && r->dwarf.items[low].at == at ? &r->dwarf.items[low] : NULL;
}

static uint32_t add_layout(reader *r, hw_layout layout) {
    if (!hw_grow((void **)&r->layouts, r->n_layouts, &r->layouts_capacity, sizeof *r->layouts)) {
        r->ran_out = true;
        return 0;
    }
    r->layouts[r->n_layouts] = layout;
    return (uint32_t)r->n_layouts++;
}

static bool is_kind_of(const hw_dwarf_entry *e) {
    return e->tag == HW_TAG_TYPEDEF || e->tag == HW_TAG_CONST || e->tag == HW_TAG_VOLATILE ||
           e->tag == HW_TAG_RESTRICT;
}

static uint32_t layout_at(reader *r, size_t at, unsigned depth);

// The first entry behind it that does not stand in it.
static size_t end_of(const reader *r, size_t self) {
    size_t end = self + 1;
    while (end < r->dwarf.n && r->dwarf.items[end].parent > self) end++;
    return end;
}

// Rows first: the last subrange's elements are those of the type.
static uint32_t layout_of_array(reader *r, const hw_dwarf_entry *e, unsigned depth) {
    const size_t self = (size_t)(e - r->dwarf.items);
    uint32_t layout = layout_at(r, e->type, depth + 1);
    for (size_t i = end_of(r, self); i-- > self + 1;) {
        const hw_dwarf_entry *range = &r->dwarf.items[i];
        if (range->parent != self + 1 || range->tag != HW_TAG_SUBRANGE) continue;
        const uint64_t bytes = layout ? r->layouts[layout].bytes : 0;
        uint64_t all;
        if (__builtin_mul_overflow(bytes, range->count, &all)) all = 0;
        layout = add_layout(r, (hw_layout){.kind = HW_LAYOUT_ARRAY, .bytes = all, .of = layout});
    }
    return layout;
}

// Those of one struct, behind those that it is made of.
static uint32_t keep_members(reader *r, const hw_layout_member *members, size_t n) {
    for (size_t i = 0; i < n && !r->ran_out; i++) {
        if (!hw_grow((void **)&r->members, r->n_members, &r->members_capacity, sizeof *r->members)) r->ran_out = true;
        else r->members[r->n_members++] = members[i];
    }
    return (uint32_t)n;
}

// Members that lie somewhere; a struct with one of which this is not known is a piece, as are bit fields' whole struct.
static uint32_t layout_of_struct(reader *r, size_t self, unsigned depth) {
    const uint64_t bytes = r->dwarf.items[self].bytes;
    const size_t end = end_of(r, self);
    size_t n = 0, capacity = 0;
    hw_layout_member *members = NULL;
    bool is_known = bytes && bytes <= MOST_BYTES;
    for (size_t i = self + 1; i < end && is_known; i++) {
        const hw_dwarf_entry *m = &r->dwarf.items[i];
        const bool is_base = m->tag == HW_TAG_INHERITANCE;
        if (m->parent != self + 1 || (m->tag != HW_TAG_MEMBER && !is_base)) continue;
        if (!m->has_offset && !is_base) continue;    // static
        const hw_layout_member member = {.name = m->name ? m->name : "", .offset = m->offset,
                                         .layout = layout_at(r, m->type, depth + 1)};
        const uint64_t its = r->layouts[member.layout].bytes;
        is_known = m->has_offset && !m->has_bits && member.offset <= bytes && its <= bytes - member.offset;
        if (!is_known || !its) continue;
        r->ran_out |= !hw_grow((void **)&members, n, &capacity, sizeof *members);
        if (!r->ran_out) members[n++] = member;
        is_known = !r->ran_out;
    }
    hw_layout layout = {.bytes = bytes};
    if (is_known) {
        layout.kind = HW_LAYOUT_STRUCT;
        layout.first_member = (uint32_t)r->n_members;
        layout.n_members = keep_members(r, members, n);
    }
    hw_free(members);
    return add_layout(r, layout);
}

// What a type reference leads to, which is made once. What goes round in a circle, or too deep, is a piece.
static uint32_t layout_at(reader *r, size_t at, unsigned depth) {
    hw_dwarf_entry *e = entry_at(r, at);
    for (unsigned i = 0; e && is_kind_of(e) && i < MAX_DEPTH; i++) e = entry_at(r, e->type);
    if (!e || is_kind_of(e) || depth == MAX_DEPTH || r->ran_out) return 0;
    if (e->layout) return e->layout;
    const size_t self = (size_t)(e - r->dwarf.items);
    uint32_t layout = 0;
    if (e->tag == HW_TAG_ARRAY) {
        layout = layout_of_array(r, e, depth);
    } else if (e->tag == HW_TAG_STRUCTURE || e->tag == HW_TAG_CLASS) {
        layout = layout_of_struct(r, self, depth);
    } else if (e->tag == HW_TAG_POINTER || e->tag == HW_TAG_REFERENCE) {
        // A list's element points to its like: the pointer is there before what it points to.
        layout = r->dwarf.items[self].layout = add_layout(r, (hw_layout){.kind = HW_LAYOUT_POINTER, .bytes = 8});
        const uint32_t of = layout_at(r, e->type, depth + 1);
        if (layout) r->layouts[layout].of = of;
    } else {
        layout = add_layout(r, (hw_layout){.bytes = e->bytes});
    }
    r->dwarf.items[self].layout = layout;
    return layout;
}

static void add_variables(reader *r) {
    for (size_t i = 0; i < r->dwarf.n && !r->ran_out; i++) {
        const hw_dwarf_entry *e = &r->dwarf.items[i];
        if ((e->tag != HW_TAG_VARIABLE && e->tag != HW_TAG_PARAMETER) || !e->symbol) continue;
        const hw_layout_variable variable = {.symbol = e->symbol, .name = e->name ? e->name : "", .offset = e->offset,
                                             .layout = layout_at(r, e->type, 0)};
        r->ran_out |= !hw_grow((void **)&r->variables, r->n_variables, &r->variables_capacity, sizeof variable);
        if (!r->ran_out) r->variables[r->n_variables++] = variable;
    }
}

// ---- registers ------------------------------------------------------------------------------------------------------

// The function that the entry stands in, or is inlined in; NULL: none.
static hw_dwarf_entry *function_of(const reader *r, uint32_t number) {
    while (number && r->dwarf.items[number - 1].tag != HW_TAG_SUBPROGRAM) number = r->dwarf.items[number - 1].parent;
    return number ? &r->dwarf.items[number - 1] : NULL;
}

static const char *name_of_function(const hw_dwarf_entry *e) {
    return e && e->linkage ? e->linkage : e ? e->name : NULL;
}

// nvcc's number of a register is its name: "%rd16" is 0x2572643136. Of long names it has the end.
static const char *name_of_register(reader *r, uint64_t code) {
    char name[sizeof code + 1] = "";
    unsigned n = 0;
    for (unsigned i = sizeof code; i-- > 0;)
        if (n || code >> 8 * i & 255) name[n++] = (char)(code >> 8 * i & 255);
    return hw_arena_string(r->arena, name, n);
}

static int compare_registers(const void *a, const void *b) {
    const hw_layout_register *x = a, *y = b;
    const int by_function = strcmp(x->function, y->function);
    return by_function ? by_function : strcmp(x->name, y->name);
}

static void add_register(reader *r, const char *function, const char *name) {
    hw_layout_register *to = &r->registers[r->n_registers];
    *to = (hw_layout_register){.function = hw_arena_string(r->arena, function, strlen(function)), .name = name};
    r->n_registers += to->function && to->name;
}

// Of a function with a variable of which nobody knows where it is, nothing is known.
static void mark_functions(reader *r) {
    for (size_t i = 0; i < r->dwarf.n; i++) {
        hw_dwarf_entry *function = r->dwarf.items[i].is_elsewhere ? function_of(r, (uint32_t)i + 1) : NULL;
        if (function) function->is_elsewhere = true;
    }
}

// Each function that is known has one without a name.
static void add_registers(reader *r) {
    const size_t n = r->dwarf.n_registers + r->dwarf.n;
    r->registers = hw_arena_take(r->arena, (n + 1) * sizeof *r->registers);
    mark_functions(r);
    for (size_t i = 0; r->registers && i < r->dwarf.n; i++) {
        const hw_dwarf_entry *e = &r->dwarf.items[i];
        const char *function = e->tag == HW_TAG_SUBPROGRAM && !e->is_elsewhere ? name_of_function(e) : NULL;
        if (function) add_register(r, function, "");
    }
    for (size_t i = 0; r->registers && i < r->dwarf.n_registers; i++) {
        const hw_dwarf_register *from = &r->dwarf.registers[i];
        const char *function = from->entry < r->dwarf.n ? name_of_function(function_of(r, from->entry + 1)) : NULL;
        if (function) add_register(r, function, name_of_register(r, from->code));
    }
    if (r->n_registers) qsort(r->registers, r->n_registers, sizeof *r->registers, compare_registers);
}

// ---- what is kept ---------------------------------------------------------------------------------------------------

static const char *keep_text(reader *r, const char *text) { return hw_arena_string(r->arena, text, strlen(text)); }

static const void *keep_items(reader *r, const void *items, size_t n, size_t bytes) {
    void *kept = hw_arena_take(r->arena, (n + 1) * bytes);
    if (kept && n) memcpy(kept, items, n * bytes);
    return kept;
}

static int compare_variables(const void *a, const void *b) {
    const hw_layout_variable *x = a, *y = b;
    const int by_symbol = strcmp(x->symbol, y->symbol);
    return by_symbol ? by_symbol : (x->offset > y->offset) - (x->offset < y->offset);
}

static const hw_layouts *keep(reader *r) {
    hw_layouts *kept = hw_arena_take(r->arena, sizeof *kept);
    for (size_t i = 0; i < r->n_members; i++) r->members[i].name = keep_text(r, r->members[i].name);
    for (size_t i = 0; i < r->n_variables; i++) {
        r->variables[i].symbol = keep_text(r, r->variables[i].symbol);
        r->variables[i].name = keep_text(r, r->variables[i].name);
    }
    if (r->ran_out || r->dwarf.ran_out || !kept || hw_arena_ran_out(r->arena)) return NULL;
    if (r->n_variables) qsort(r->variables, r->n_variables, sizeof *r->variables, compare_variables);
    *kept = (hw_layouts){.items = keep_items(r, r->layouts, r->n_layouts, sizeof *r->layouts),
                         .members = keep_items(r, r->members, r->n_members, sizeof *r->members),
                         .variables = keep_items(r, r->variables, r->n_variables, sizeof *r->variables),
                         .registers = r->registers, .n_registers = (uint32_t)r->n_registers,
                         .n_items = (uint32_t)r->n_layouts, .n_members = (uint32_t)r->n_members,
                         .n_variables = (uint32_t)r->n_variables};
    return hw_arena_ran_out(r->arena) ? NULL : kept;
}

const hw_layouts *hw_layouts_read(hw_arena *arena, hw_arena *scratch, const hw_debug_sections *sections) {
    reader r = {.arena = arena};
    hw_dwarf_read(&r.dwarf, scratch, sections);
    add_layout(&r, (hw_layout){.bytes = 0});
    add_variables(&r);
    add_registers(&r);
    const hw_layouts *kept = keep(&r);
    hw_dwarf_free(&r.dwarf);
    hw_free(r.layouts);
    hw_free(r.members);
    hw_free(r.variables);
    return kept;
}

const hw_layout_variable *hw_layouts_find(const hw_layouts *layouts, const char *symbol, uint64_t offset) {
    const hw_layout_variable wanted = {.symbol = symbol, .offset = offset};
    uint32_t low = 0, high = layouts->n_variables;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_variables(&layouts->variables[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    const hw_layout_variable *found = &layouts->variables[low];
    if (low == layouts->n_variables || compare_variables(found, &wanted)) return NULL;
    return low + 1 < layouts->n_variables && !compare_variables(found + 1, &wanted) ? NULL : found;
}

bool hw_layouts_know(const hw_layouts *layouts, const char *function) {
    return hw_layouts_is_variable(layouts, function, "");
}

bool hw_layouts_is_variable(const hw_layouts *layouts, const char *function, const char *name) {
    const size_t length = strlen(name), most = sizeof(uint64_t);
    const hw_layout_register wanted = {.function = function, .name = name + (length > most ? length - most : 0)};
    return layouts->n_registers && bsearch(&wanted, layouts->registers, layouts->n_registers,
                                           sizeof *layouts->registers, compare_registers);
}
