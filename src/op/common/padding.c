// Padding, by counting the passes of every padding that could be best.
#include "op/common/padding.h"

#include <stdbool.h>

#include "model/banks.h"

enum { WARP = 32 };

// One access by all threads of the block; is_load: down the columns.
static uint32_t count_access(const hw_padded_tile *tile, uint32_t pitch, bool is_load) {
    const uint32_t threads = tile->block_cols * tile->block_rows;
    uint32_t passes = 0;
    for (uint32_t first = 0; first < threads; first += WARP) {
        int64_t address[WARP];
        uint32_t mask = 0;
        for (uint32_t lane = 0; lane < WARP && first + lane < threads; lane++) {
            const uint32_t thread = first + lane;
            const uint32_t row = is_load ? thread % tile->tile_rows : thread / tile->block_cols;
            const uint32_t col = is_load ? thread / tile->tile_rows : thread % tile->block_cols;
            address[lane] = (int64_t)(row * pitch + col) * tile->elem_bytes;
            mask |= 1u << lane;
        }
        passes += hw_banks_wavefronts(tile->arch, is_load ? HW_NOTE_LOAD : HW_NOTE_STORE, tile->mode_bytes, mask, 0,
                                      address, tile->elem_bytes);
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
    const uint32_t end = tile->arch->smem_banks * tile->arch->smem_bank_bytes / tile->elem_bytes;
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t pad = 0; pad < end; pad++) {
        hw_padding_passes passes = hw_padding_count(tile, pad);
        if (passes.stores + passes.loads >= least) continue;
        least = passes.stores + passes.loads;
        best = pad;
    }
    return best;
}
