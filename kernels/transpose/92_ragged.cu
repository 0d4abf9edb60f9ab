// Matrices whose rows begin anywhere: 10007 x 9973 floats, where no two rows are aligned alike.
//
// Idea       90_permute.cu moves 16 bytes a lane only when all rows begin at multiples of 16 bytes; with 4 bytes a lane
//            an H200 is busy with instructions and not with memory. Here each row of a tile is loaded in aligned words
//            from the word in which it begins. Elements of 4 bytes and more are put where they belong one by one;
//            smaller ones are stored four bytes at a time, so that the row lies in shared memory shifted by its own few
//            elements, and whoever reads it adds the shift. Stores are aligned as well: along each row of `out` a tile
//            does not take the elements of a straight rectangle but those of whole 32-byte sectors, up to a sector less
//            one element before it; the tile loads as many rows more. So no sector is written by two blocks, which
//            memory would have to merge.
// Predicted  H200, f32 1009x1013, boxes of 56 rows and 60 columns, 512 threads: 12690 loads of 165736 sectors, a third
//            more than the matrix has (127766), and 10681 stores of 130929; 41344 shared stores in 82688 passes, 34656
//            shared loads in 68020.
// Measured   H200, f32 10007x9973: 210.7 us, 3788 GB/s, 94% of the copy that is rung 10 and 91% of the driver's, 1.69
//            times as fast as 60_more_rows.cu, which this size costs a third of its bandwidth. cuBLAS 83% of the
//            driver's copy. 4 bytes a lane, before there was this kernel: 65%.
// Held back  By what it reads twice: eight rows more than it writes in each tile of 56, and the words in which a row of
//            the tile begins and ends. That most of these are in L2 keeps it to 9%.
//
//   ELEMENT_BYTES        1, 2, 4, 8
//   THREADS              per block
//   BOX_ROWS, BOX_COLS   of a tile, in elements of `in`; multiples of a sector
//   INDEX_BITS           32, or 64 where an offset needs it
//   GRID_AXES            2, for the boxes of a matrix, and one for each axis that counts matrices
#include "common/boxes.cuh"
#include "common/word.cuh"

constexpr int WORD = 16 / ELEMENT_BYTES;            // elements that a lane moves at a time
constexpr int SECTOR = 32 / ELEMENT_BYTES;          // elements of a sector
constexpr int TILE_ROWS = BOX_ROWS + SECTOR;        // rows that are loaded: one is spare
constexpr int WORDS = BOX_COLS / WORD + 1;          // that a row of the tile touches
constexpr int LOADS = (TILE_ROWS * WORDS + THREADS - 1) / THREADS;              // per thread
constexpr int STORES = (BOX_COLS * (BOX_ROWS / WORD) + THREADS - 1) / THREADS;

typedef word_of<ELEMENT_BYTES> element;
typedef parts_of<element, WORD> word;

// Shared memory in units of what a bank serves, or an element that is larger. A lane reads WORD neighbouring rows: a
// pad behind each WORD rows puts the lanes' rows into different banks.
constexpr int UNIT = ELEMENT_BYTES > 4 ? 1 : 4 / ELEMENT_BYTES;                 // elements
constexpr bool SHIFTED = UNIT > 1;                                              // rows keep their misalignment
constexpr int PITCH = ((SHIFTED ? WORDS * WORD : BOX_COLS + 2 * WORD) / UNIT + 7) / 8 * 8;
__device__ constexpr int row_begin(int row) { return (row * PITCH + row / WORD) * UNIT; }

struct ragged_shape {
    unsigned rows, cols;                // of `in`
    offset_t in_pitch, out_pitch;       // elements from row to row
    grid_axis grid[GRID_AXES];          // boxes down, boxes across, then matrices
};

// The elements from `first` on that lie in [0, count): loaded one by one where the word is not all inside.
__device__ word load_word(const element *row, int first, int count) {
    word result;
    if (first >= 0 && first + WORD <= count) {
        result.whole = *(const decltype(word::whole) *)(row + first);
    } else {
#pragma unroll
        for (int i = 0; i < WORD; i++)
            if (first + i >= 0 && first + i < count) result.parts[i] = row[first + i];
    }
    return result;
}

__device__ void store_word(element *row, int first, int count, const word &value) {
    if (first >= 0 && first + WORD <= count) {
        *(decltype(word::whole) *)(row + first) = value.whole;
    } else {
#pragma unroll
        for (int i = 0; i < WORD; i++)
            if (first + i >= 0 && first + i < count) row[first + i] = value.parts[i];
    }
}

// Elements by which an address lies behind a multiple of `unit` elements.
__device__ int misaligned(const element *address, int unit) {
    return (int)((unsigned long long)address / ELEMENT_BYTES) & (unit - 1);
}

extern "C" __global__ __launch_bounds__(THREADS) void ragged(const element *in, element *out,
                                                             const ragged_shape shape) {
    __shared__ __align__(16) element tile[row_begin(TILE_ROWS)];
    unsigned numbers[GRID_AXES];
    number_along_grid<GRID_AXES>(blockIdx.x, shape.grid, numbers);
    const int row0 = numbers[0] * BOX_ROWS, col0 = numbers[1] * BOX_COLS;
    step_along_grid<2, GRID_AXES>(shape.grid, numbers, in, out);
    const int rows = shape.rows, cols = shape.cols, top = row0 - SECTOR;

    word loaded[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const int item = threadIdx.x + i * THREADS, row = top + item / WORDS;
        const element *from = in + row * shape.in_pitch;
        const int first = col0 - misaligned(from + col0, WORD) + item % WORDS * WORD;
        if (item < TILE_ROWS * WORDS && row >= 0 && row < rows && first < min(cols, col0 + BOX_COLS))
            loaded[i] = load_word(from, first, cols);
    }
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const int item = threadIdx.x + i * THREADS, row = item / WORDS;
        if (item >= TILE_ROWS * WORDS) continue;
        const int behind = SHIFTED ? 0 : misaligned(in + (top + row) * shape.in_pitch + col0, WORD);
        element *to = tile + row_begin(row) + item % WORDS * WORD + (SHIFTED ? 0 : WORD - behind);
#pragma unroll
        for (int u = 0; u < WORD; u += UNIT) {
            parts_of<element, UNIT> unit;
#pragma unroll
            for (int j = 0; j < UNIT; j++) unit.parts[j] = loaded[i].parts[u + j];
            *(decltype(unit.whole) *)(to + u) = unit.whole;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STORES; i++) {
        const int item = threadIdx.x + i * THREADS, col = col0 + item / (BOX_ROWS / WORD);
        if (item >= BOX_COLS * (BOX_ROWS / WORD) || col >= cols) continue;
        element *to = out + col * shape.out_pitch;
        const int first = row0 - misaligned(to + row0, SECTOR) + item % (BOX_ROWS / WORD) * WORD;
        const element *from = in + first * shape.in_pitch + col0;
        word gathered;
#pragma unroll
        for (int j = 0; j < WORD; j++) {
            const int behind = SHIFTED ? misaligned(from + j * shape.in_pitch, WORD) : WORD;
            gathered.parts[j] = tile[row_begin(first - top + j) + col - col0 + behind];
        }
        if (first < rows) store_word(to, first, rows, gathered);
    }
}
