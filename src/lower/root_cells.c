#include "lower/root_cells.h"

#include <string.h>

#include "lower/lowering.h"

bool hw_origin_add_root(hw_origin *to, uint32_t root) {
    uint32_t at = 0;
    while (at < to->n && to->roots[at] < root) at++;
    if (at < to->n && to->roots[at] == root) return false;
    if (to->n == HW_ORIGIN_ROOTS) {
        const bool was_unknown = to->is_unknown;
        to->is_unknown = true;
        return !was_unknown;
    }
    memmove(&to->roots[at + 1], &to->roots[at], (to->n - at) * sizeof *to->roots);
    to->roots[at] = root;
    to->n++;
    return true;
}

// What is unknown keeps its roots, which say whose address may be in it.
bool hw_origin_add(hw_origin *to, const hw_origin *from) {
    bool has_changed = false;
    for (uint32_t i = 0; i < from->n; i++) has_changed |= hw_origin_add_root(to, from->roots[i]);
    has_changed |= from->is_unknown && !to->is_unknown;
    to->is_unknown |= from->is_unknown;
    return has_changed;
}

static uint32_t bucket_of(const hw_ptx_symbol *symbol) {
    return (uint32_t)((uintptr_t)symbol >> 4 ^ (uintptr_t)symbol >> 16) % (1 << 12);
}

uint32_t hw_cells_next(const hw_cells *cells, const hw_ptx_symbol *symbol, uint32_t after) {
    uint32_t at = after ? cells->items[after].next : cells->buckets[bucket_of(symbol)];
    while (at && cells->items[at].symbol != symbol) at = cells->items[at].next;
    return at;
}

hw_cell *hw_cells_find(const hw_cells *cells, const hw_ptx_symbol *symbol, int64_t offset) {
    uint32_t at = 0;
    while ((at = hw_cells_next(cells, symbol, at)) && cells->items[at].offset != offset) {}
    return at ? &cells->items[at] : NULL;
}

hw_cell *hw_cells_at(hw_cells *cells, const hw_ptx_symbol *symbol, int64_t offset) {
    hw_cell *known = hw_cells_find(cells, symbol, offset);
    if (known) return known;
    if (!hw_lower_grow(cells->arena, (void **)&cells->items, cells->n, &cells->capacity, sizeof *cells->items)) {
        cells->ran_out = true;
        return NULL;
    }
    if (!cells->n) cells->n = 1;
    uint32_t *bucket = &cells->buckets[bucket_of(symbol)];
    cells->items[cells->n] = (hw_cell){.symbol = symbol, .offset = offset, .next = *bucket};
    *bucket = cells->n;
    return &cells->items[cells->n++];
}
