// Padding, by counting the passes of every padding that could be best.
#include "op/common/padding.h"

#include <stdbool.h>

enum { WARP = 32, MAX_BANKS = 32, MAX_WORDS = 4 /* of an element, four bytes each */ };

typedef struct group {
    uint32_t address[WARP];   // bytes
    uint32_t n;
} group;

// The passes of lanes that are served together: the most rows that one bank is asked for.
static uint32_t count_group(const hw_padded_tile *tile, const group *g) {
    uint32_t rows[MAX_BANKS][WARP * MAX_WORDS], n_rows[MAX_BANKS] = {0}, most = 0;
    uint32_t row_bytes = tile->banks * tile->bank_bytes;
    uint32_t step = tile->elem_bytes < tile->word_bytes ? tile->elem_bytes : tile->word_bytes;
    for (uint32_t lane = 0; lane < g->n; lane++) {
        for (uint32_t byte = 0; byte < tile->elem_bytes; byte += step) {
            uint32_t address = g->address[lane] + byte, bank = address / tile->word_bytes % tile->banks;
            uint32_t row = address / row_bytes, seen = 0;
            while (seen < n_rows[bank] && rows[bank][seen] != row) seen++;
            if (seen < n_rows[bank]) continue;
            rows[bank][n_rows[bank]++] = row;
            if (n_rows[bank] > most) most = n_rows[bank];
        }
    }
    return most;
}

// One access by all threads of the block; is_load: down the columns.
static uint32_t count_access(const hw_padded_tile *tile, uint32_t pitch, bool is_load) {
    uint32_t threads = tile->block_cols * tile->block_rows, passes = 0;
    uint32_t lanes = tile->banks * tile->bank_bytes / (tile->elem_bytes > 4 ? tile->elem_bytes : 4);
    if (lanes > tile->banks) lanes = tile->banks;
    group g = {.n = 0};
    for (uint32_t thread = 0; thread < threads; thread++) {
        uint32_t row = is_load ? thread % tile->tile_rows : thread / tile->block_cols;
        uint32_t col = is_load ? thread / tile->tile_rows : thread % tile->block_cols;
        g.address[g.n++] = (row * pitch + col) * tile->elem_bytes;
        if (g.n < lanes && thread % WARP != WARP - 1 && thread + 1 < threads) continue;
        passes += count_group(tile, &g);
        g.n = 0;
    }
    return passes;
}

hw_padding_passes hw_padding_count(const hw_padded_tile *tile, uint32_t pad_elems) {
    uint32_t per_thread = tile->tile_cols / tile->block_cols * (tile->tile_rows / tile->block_rows);
    uint32_t pitch = tile->tile_cols + pad_elems;
    // What a thread accesses next lies a constant further for all threads, which changes no pass worth counting.
    return (hw_padding_passes){per_thread * count_access(tile, pitch, false),
                               per_thread * count_access(tile, pitch, true)};
}

uint32_t hw_padding_choose(const hw_padded_tile *tile) {
    // A row of banks more brings every element back to its bank.
    uint32_t best = 0, least = UINT32_MAX, end = tile->banks * tile->bank_bytes / tile->elem_bytes;
    for (uint32_t pad = 0; pad < end; pad++) {
        hw_padding_passes passes = hw_padding_count(tile, pad);
        if (passes.stores + passes.loads >= least) continue;
        least = passes.stores + passes.loads;
        best = pad;
    }
    return best;
}
