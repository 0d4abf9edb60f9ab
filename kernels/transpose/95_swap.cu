// In place: a square matrix is transposed by pairs of tiles that change places.
//
// Idea       A block loads the tile at (r, c) and the one at (c, r), and when both are in shared memory stores each of
//            them, transposed, where the other was. Every byte is read once and written once, as in a transpose to
//            another place, and no memory is needed. Blocks count the pairs, that is the tiles on and below the
//            diagonal.
// Predicted  H200, f32 2048x2048, tiles of 64x64, 256 threads, 16 bytes a lane: 32768 loads and 32768 stores of 16
//            sectors each (524288 in, 524288 out). 131072 shared stores of 4 passes (524288), 131072 shared loads of 2
//            (262144). Occupancy 50%: 64 registers for each thread.
// Measured   H200, f32 8192x8192: 136.5 us, 3932 GB/s, 94% of the driver's copy; to another place 98%. 64 matrices of
//            1024x1024: 4017 GB/s, 96%. 8192x6000, which goes through scratch memory and back by 90_permute.cu: 1990
//            GB/s, 48%, as two passes must.
// Held back  By two tiles in registers at once, which halve the warps that a multiprocessor holds; they load as much as
//            twice as many would with one tile each, but there are fewer left to work while others wait.
//
//   ELEMENT_BYTES   1, 2, 4, 8, 16
//   THREADS         per block
//   BOX             rows and columns of a tile
//   VECTOR          elements that a lane moves at a time; divides BOX, the matrix and its pitch
//   INDEX_BITS      32, or 64 where an offset needs it
//   GRID_AXES       axes that count matrices
#include "common/boxes.cuh"
#include "common/word.cuh"

typedef word_of<ELEMENT_BYTES> element;
typedef parts_of<element, VECTOR> word;

// As in 92_ragged.cu: units of a bank, and a pad behind the rows that one lane reads.
constexpr int UNIT = ELEMENT_BYTES > 4 ? 1 : 4 / ELEMENT_BYTES < VECTOR ? 4 / ELEMENT_BYTES : VECTOR;
constexpr int PITCH = BOX / UNIT;
__device__ constexpr int row_begin(int row) { return (row * PITCH + row / VECTOR) * UNIT; }

constexpr int WORDS = BOX / VECTOR;
constexpr int MOVES = (BOX * WORDS + THREADS - 1) / THREADS;   // per thread and tile

struct swap_shape {
    unsigned n;                        // rows and columns
    unsigned pairs, multiplier, shift; // of tiles, in one matrix; divide by pairs
    offset_t pitch;                    // elements from row to row
    grid_axis grid[GRID_AXES > 0 ? GRID_AXES : 1];
};

__device__ void load_tile(const element *data, const swap_shape &shape, int row0, int col0, word (&loaded)[MOVES]) {
#pragma unroll
    for (int i = 0; i < MOVES; i++) {
        const int item = threadIdx.x + i * THREADS, row = row0 + item / WORDS, col = col0 + item % WORDS * VECTOR;
        if (item < BOX * WORDS && row < shape.n && col < shape.n)
            loaded[i].whole = *(const decltype(word::whole) *)(data + row * shape.pitch + col);
    }
}

__device__ void share_tile(element *tile, const word (&loaded)[MOVES]) {
#pragma unroll
    for (int i = 0; i < MOVES; i++) {
        const int item = threadIdx.x + i * THREADS;
        if (item >= BOX * WORDS) continue;
#pragma unroll
        for (int u = 0; u < VECTOR; u += UNIT) {
            parts_of<element, UNIT> unit;
#pragma unroll
            for (int j = 0; j < UNIT; j++) unit.parts[j] = loaded[i].parts[u + j];
            *(decltype(unit.whole) *)(tile + row_begin(item / WORDS) + item % WORDS * VECTOR + u) = unit.whole;
        }
    }
}

// Stores the tile transposed: its column `item / WORDS` becomes a row.
__device__ void store_tile(element *data, const swap_shape &shape, int row0, int col0, const element *tile) {
#pragma unroll
    for (int i = 0; i < MOVES; i++) {
        const int item = threadIdx.x + i * THREADS, line = item / WORDS, first = item % WORDS * VECTOR;
        if (item >= BOX * WORDS || row0 + line >= shape.n || col0 + first >= shape.n) continue;
        word gathered;
#pragma unroll
        for (int j = 0; j < VECTOR; j++) gathered.parts[j] = tile[row_begin(first + j) + line];
        *(decltype(word::whole) *)(data + (row0 + line) * shape.pitch + col0 + first) = gathered.whole;
    }
}

extern "C" __global__ __launch_bounds__(THREADS) void swap(element *data, const swap_shape shape) {
    __shared__ __align__(16) element below[row_begin(BOX)], above[row_begin(BOX)];
    const unsigned matrix = quotient(blockIdx.x, shape.multiplier, shape.shift);
    const unsigned pair = blockIdx.x - matrix * shape.pairs;
    unsigned numbers[GRID_AXES > 0 ? GRID_AXES : 1];
    const element *begin = data;
    number_along_grid<GRID_AXES>(matrix, shape.grid, numbers);
    step_along_grid<0, GRID_AXES>(shape.grid, numbers, begin, data);

    // Pair number r (r + 1) / 2 + c is tile (r, c), c <= r; the square root may be one off.
    unsigned r = (unsigned)((sqrt(8.0 * pair + 1) - 1) / 2);
    if (r * (r + 1ull) / 2 > pair) r--;
    if ((r + 1ull) * (r + 2) / 2 <= pair) r++;
    const int row0 = r * BOX, col0 = (pair - r * (r + 1) / 2) * BOX;

    word lower[MOVES], upper[MOVES];
    load_tile(data, shape, row0, col0, lower);
    if (row0 != col0) load_tile(data, shape, col0, row0, upper);
    share_tile(below, lower);
    if (row0 != col0) share_tile(above, upper);
    __syncthreads();
    store_tile(data, shape, col0, row0, below);
    if (row0 != col0) store_tile(data, shape, row0, col0, above);
}
