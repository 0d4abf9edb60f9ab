// How many unused elements follow each row of a tile in shared memory, so that its columns lie in different banks.
#ifndef HW_OP_PADDING_H
#define HW_OP_PADDING_H

#include <stdint.h>

#include "isa/gpu.h"

// A tile that is filled along its rows and emptied along its columns. Thread (x, y) of the block writes elements
// (y + i block_rows, x + j block_cols); the threads, counted with x first, read down the columns, tile_rows to each.
// The tile's sides are multiples of the block's, and tile_rows divides the number of threads.
typedef struct hw_padded_tile {
    uint32_t block_cols, block_rows, tile_cols, tile_rows, elem_bytes;
    const hw_arch *arch;   // whose banks it lies in
    uint32_t mode_bytes;   // as hw_banks_wavefronts: 4, or 8 in the 8-byte mode of 3.x
} hw_padded_tile;

// Passes through the banks that one block takes to fill and to empty the tile.
typedef struct hw_padding_passes {
    uint32_t stores, loads;
} hw_padding_passes;

// Counts passes as model/banks.h does. Pure.
hw_padding_passes hw_padding_count(const hw_padded_tile *tile, uint32_t pad_elems);

// The least padding, in elements, with the fewest passes in all.
uint32_t hw_padding_choose(const hw_padded_tile *tile);

#endif
