// Where a launch's accesses have to stay: what the roots of their addresses (lower/root.h) are in this launch, with
// these arguments. Where one of them may be anything, nothing is known.
#include <string.h>

#include "exec/warp/warp.h"
#include "lower/root.h"

typedef enum meaning { NUMBER, HOME, UNKNOWN } meaning;

// A pointer may be the end of an allocation as well, which programs count back from.
static bool find_allocation(const hw_mem *mem, uint64_t address, hw_allocation *out) {
    return hw_mem_find(mem, address, 1, out) || hw_mem_find(mem, address, 0, out) ||
           (address && hw_mem_find(mem, address - 1, 1, out));
}

// Registered and mapped memory may go on in what lies beside it.
static meaning home_of_address(const hw_run *run, uint64_t address, hw_home *home) {
    const uint64_t least_pointer = (uint64_t)1 << 32;
    hw_allocation a;
    if (!find_allocation(run->launch->mem, address, &a)) return address < least_pointer ? NUMBER : UNKNOWN;
    if (a.kind == HW_ALLOC_REGISTERED || a.kind == HW_ALLOC_MAPPED) return UNKNOWN;
    *home = (hw_home){.begin = a.address, .bytes = a.bytes, .space = HW_SPACE_GLOBAL, .site = a.site,
                      .name = a.kind == HW_ALLOC_GLOBAL ? a.name : NULL};
    return HOME;
}

static meaning home_of_shared(const hw_run *run, const hw_ptx_symbol *symbol, hw_home *home) {
    *home = (hw_home){.begin = symbol->offset, .bytes = symbol->size_bytes, .space = HW_SPACE_SHARED,
                      .name = symbol->name};
    if (symbol->size_bytes) return HOME;
    home->begin = hw_program_dynamic_shared(run->entry);
    home->bytes = run->launch->dynamic_shared_bytes;
    return HOME;
}

// Of a function, where its variables lie depends on who calls it.
static meaning home_of_local(const hw_run *run, const hw_ptx_symbol *symbol, hw_home *home) {
    const hw_ptx_function *f = run->entry->function;
    const uint32_t index = (uint32_t)symbol->index;
    *home = (hw_home){.begin = symbol->offset, .bytes = symbol->size_bytes, .space = HW_SPACE_LOCAL};
    return index < f->n_variables && f->variables[index] == symbol && symbol->size_bytes ? HOME : UNKNOWN;
}

// from: where the root is, or points to.
static meaning whole_of_root(const hw_run *run, const hw_root *root, hw_home *home, uint64_t *from) {
    uint64_t value = 0;
    if (!root->symbol) {
        if (root->offset + sizeof value > run->entry->function->param_bytes) return UNKNOWN;
        memcpy(&value, run->params + root->offset, sizeof value);
        *from = value;
        return home_of_address(run, value, home);
    }
    *from = root->symbol->offset;
    switch (root->symbol->space) {
    case HW_SPACE_SHARED: return home_of_shared(run, root->symbol, home);
    case HW_SPACE_LOCAL: return home_of_local(run, root->symbol, home);
    default: return home_of_address(run, root->symbol->offset, home) == HOME ? HOME : UNKNOWN;
    }
}

// A part that does not lie in the whole is none: the pointer points to something else than its type says.
static void narrow(const hw_part *part, uint64_t from, hw_home *home) {
    const uint64_t begin = from + part->offset, end = home->begin + home->bytes;
    uint64_t bytes = part->bytes;
    if (begin < home->begin || begin >= end) return;
    if (bytes > end - begin) bytes = end - begin;
    *home = (hw_home){.begin = begin, .bytes = bytes, .stride = part->stride, .space = home->space,
                      .whole_begin = home->begin, .whole_bytes = home->bytes, .part = part->name,
                      .name = home->name, .site = home->site};
}

// Parts are for who is told of strays: other uses of homes want all that accesses may reach.
static meaning home_of_root(const hw_run *run, const hw_root *root, hw_home *home) {
    uint64_t from = 0;
    const meaning is = whole_of_root(run, root, home, &from);
    if (is == HOME && root->part && run->events & HW_WANTS(STRAY)) narrow(root->part, from, home);
    return is;
}

// Roots that are numbers are left out.
static hw_home_set homes_of_set(const hw_roots *roots, const hw_root_set *set, const meaning *meanings,
                                const hw_home *of_root, hw_home *items, uint32_t *n) {
    hw_home_set homes = {.first = *n, .is_written = set->is_written, .least_read_bytes = set->least_read_bytes};
    for (uint32_t i = 0; i < set->n; i++) {
        const uint32_t root = roots->members[set->first + i];
        if (meanings[root] == UNKNOWN) {
            homes.n = 0;
            return homes;
        }
        if (meanings[root] == HOME) items[homes.first + homes.n++] = of_root[root];
    }
    *n += homes.n;
    return homes;
}

static uint32_t count_members(const hw_roots *roots) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < roots->n_sets; k++) n += roots->sets[k].n;
    return n;
}

static bool fill_homes(hw_run *run, const hw_roots *roots) {
    hw_arena *arena = run->homes_arena;
    meaning *meanings = hw_arena_take(arena, (roots->n_items + 1) * sizeof *meanings);
    hw_home *of_root = hw_arena_take(arena, (roots->n_items + 1) * sizeof *of_root);
    hw_home *items = hw_arena_take(arena, (count_members(roots) + 1) * sizeof *items);
    hw_home_set *sets = hw_arena_take(arena, roots->n_sets * sizeof *sets);
    uint32_t n = 0;
    if (!meanings || !of_root || !items || !sets) return false;
    for (uint32_t i = 0; i < roots->n_items; i++) meanings[i] = home_of_root(run, &roots->items[i], &of_root[i]);
    for (uint32_t k = 0; k < roots->n_sets; k++)
        sets[k] = homes_of_set(roots, &roots->sets[k], meanings, of_root, items, &n);
    run->homes = (hw_homes){.first_access = roots->first_access, .n_accesses = roots->n_accesses,
                            .set_of = roots->set_of, .n_sets = roots->n_sets, .sets = sets, .items = items};
    return true;
}

hw_status hw_homes_find(hw_run *run, hw_diag *diag) {
    const bool wants_strays = run->events & HW_WANTS(STRAY), may_sum = hw_sums_are_possible(run);
    if (!wants_strays && !may_sum) return HW_OK;
    const hw_roots *roots = hw_roots_of(run->set, run->entry);
    run->homes_arena = roots ? hw_arena_create() : NULL;
    if (!run->homes_arena || !fill_homes(run, roots)) return hw_diag_no_memory(diag);
    if (wants_strays) run->info.homes = &run->homes;
    run->keeps_sums = may_sum && !wants_strays && hw_sums_are_kept(run);
    return HW_OK;
}

void hw_homes_forget(hw_run *run) { hw_arena_destroy(run->homes_arena); }
