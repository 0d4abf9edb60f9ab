// The best: any permutation of axes, by tiles that are long runs of memory on both sides.
//
// Idea       A tile is a box of the array: a few axes, those that vary fastest in `in` and those that vary fastest in
//            `out`, each with a length. Loading walks the box in the order of `in`, storing walks it in the order of
//            `out`, so that both touch long runs of neighbouring bytes however small a single axis is; shared memory
//            turns the one order into the other. For a matrix the box is a square of rows and columns; for 1000000x3 it
//            is three whole rows of 1024 columns. A block has many loads in flight (all of a thread's loads are issued
//            before the first is stored), moves up to 16 bytes a lane, and turns small elements round in registers
//            (MICRO), so that shared memory sees 4-byte words only.
// Predicted  H200, f32 1024x1024, boxes of 64x64, 512 threads, 16 bytes a lane: 8192 loads and 8192 stores of 16
//            sectors each (131072 in, 131072 out). Shared memory is touched by words of 4 bytes, so 32768 stores and
//            32768 loads; their lanes lie four words apart, so that 16 of them meet in 8 banks: 2 passes each (65536).
//            Occupancy 100%, in 4 blocks per multiprocessor.
// Measured   H200, f32 8192x8192: 131.4 us, 4085 GB/s, 103% of the copy that is rung 10 and 98% of the driver's
//            (docs/performance.md), 1.14 times as fast as the four rows per thread of 60. Counters as predicted. Of the
//            driver's copy: u8, f16, f64, c128 8192x8192 96, 97, 98, 93%; 64x100x120x80, all axes reversed, 89%; of the
//            TTC benchmark's 57 permutations 94% in the middle, the worst 72%, 352x28x28x4x48, all axes reversed.
// Held back  Square matrices by the memory: a full multiprocessor has asked for 64 KiB, eight times as much as with one
//            element per thread, and the second pass is hidden. The worst permutations by their axes: one of 48 leaves
//            boxes of 48x48, runs of 192 bytes, and 576 loads for 512 threads, most of which then have one in flight
//            and not two.
//
// The host (src/op/transpose/transpose_plan.c) chooses the box and gives it at compile time; the array's extents
// and strides are parameters, so that one compiled kernel serves all arrays with this box.
//
//   ELEMENT_BYTES    1, 2, 4, 8, 16
//   THREADS          per block
//   AXES             of the box; axis 0 varies fastest in `in`
//   BOX              its lengths, in elements, in the order of `in`
//   OUT_ORDER        the box's axes in the order of `out`, the fastest first
//   SHARED_STRIDE    where the neighbour along each axis lies in shared memory, in cells
//   SHARED_CELLS     in all; a cell is an element, or with MICRO a word of MICRO elements. 0: both arrays have the same
//                    rows, and what was loaded is stored as it is
//   LOAD_VECTOR, STORE_VECTOR   cells that one lane loads, stores at a time
//   MICRO            4 / ELEMENT_BYTES, or 1: elements are not turned round in registers
//   GRID_AXES        how many axes count the boxes
//   CUT              for each axis of the box the grid axis that cuts it in pieces of which the last is shorter, or -1
//   INDEX_BITS       32, or 64 where an offset needs it
#include "common/boxes.cuh"
#include "common/word.cuh"

typedef word_of<ELEMENT_BYTES> element;
typedef word_of<ELEMENT_BYTES * MICRO> cell;
typedef parts_of<cell, LOAD_VECTOR> load_word;
typedef parts_of<cell, STORE_VECTOR> store_word;

struct permute_shape {
    grid_axis grid[GRID_AXES > 0 ? GRID_AXES : 1];
    offset_t in_stride[AXES], out_stride[AXES];
};

// The lists that the host gave. Called with constants only, so that nothing of them is left in the kernel; `__host__`
// because clang computes constants of a file on the host's side.
__host__ __device__ constexpr int box(int axis) { const int list[] = {BOX}; return list[axis]; }
__host__ __device__ constexpr int out_order(int place) { const int list[] = {OUT_ORDER}; return list[place]; }
__host__ __device__ constexpr int shared_stride(int axis) { const int list[] = {SHARED_STRIDE}; return list[axis]; }
__host__ __device__ constexpr int cut(int axis) { const int list[] = {CUT}; return list[axis]; }

// Elements that one step along an axis passes: a lane loads vectors along axis 0 and MICRO rows of the axis that is
// fastest in `out`; it stores vectors along the latter.
__host__ __device__ constexpr int load_step(int axis) {
    return axis == 0 ? LOAD_VECTOR * MICRO : axis == out_order(0) ? MICRO : 1;
}
__host__ __device__ constexpr int store_step(int axis) { return axis == out_order(0) ? STORE_VECTOR * MICRO : 1; }

__host__ __device__ constexpr int load_items(int axis = 0) {
    return axis == AXES ? 1 : box(axis) / load_step(axis) * load_items(axis + 1);
}
__host__ __device__ constexpr int store_items(int axis = 0) {
    return axis == AXES ? 1 : box(axis) / store_step(axis) * store_items(axis + 1);
}
constexpr int LOADS = (load_items() + THREADS - 1) / THREADS;      // per thread
constexpr int STORES = (store_items() + THREADS - 1) / THREADS;

// Elements along the axis that make one cell's neighbour in shared memory.
__host__ __device__ constexpr int cell_elems(int axis) { return axis == out_order(0) ? MICRO : 1; }

// Where one item of the box lies: first coordinate along each axis, offsets from the box's beginning.
struct place {
    offset_t in, out;
    int shared;
    bool inside;
};

template <bool loading>
__device__ place find(int item, const permute_shape &shape, const unsigned (&room)[AXES]) {
    place at = {0, 0, 0, item < (loading ? load_items() : store_items())};
#pragma unroll
    for (int i = 0; i < AXES; i++) {
        const int axis = loading ? i : out_order(i), step = loading ? load_step(axis) : store_step(axis);
        const int items = box(axis) / step;
        const int first = i < AXES - 1 ? item % items * step : item * step;
        item /= items;
        at.in += first * shape.in_stride[axis];
        at.out += first * shape.out_stride[axis];
        at.shared += first / cell_elems(axis) * shared_stride(axis);
        if (cut(axis) >= 0) at.inside &= first < (int)room[axis];
    }
    return at;
}

// Turns MICRO words of MICRO elements round: word r of the result holds element r of every word.
__device__ void turn_round(cell (&words)[MICRO]) {
#if MICRO == 4
    const unsigned a = __byte_perm(words[0], words[1], 0x5140), b = __byte_perm(words[2], words[3], 0x5140);
    const unsigned c = __byte_perm(words[0], words[1], 0x7362), d = __byte_perm(words[2], words[3], 0x7362);
    words[0] = __byte_perm(a, b, 0x5410);
    words[1] = __byte_perm(a, b, 0x7632);
    words[2] = __byte_perm(c, d, 0x5410);
    words[3] = __byte_perm(c, d, 0x7632);
#elif MICRO == 2
    const unsigned low = __byte_perm(words[0], words[1], 0x5410), high = __byte_perm(words[0], words[1], 0x7632);
    words[0] = low;
    words[1] = high;
#endif
}

extern "C" __global__ __launch_bounds__(THREADS) void permute(const element *in, element *out,
                                                              const permute_shape shape) {
    unsigned numbers[GRID_AXES > 0 ? GRID_AXES : 1];
    number_along_grid<GRID_AXES>(blockIdx.x, shape.grid, numbers);
    step_along_grid<0, GRID_AXES>(shape.grid, numbers, in, out);
    unsigned room[AXES];               // elements of a cut axis from this box's beginning to its end
#pragma unroll
    for (int a = 0; a < AXES; a++)
        if (cut(a) >= 0) room[a] = shape.grid[cut(a)].extent - numbers[cut(a)] * shape.grid[cut(a)].box;

    const offset_t row_stride = shape.in_stride[out_order(0)];
    load_word loaded[LOADS][MICRO];
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const place at = find<true>(threadIdx.x + i * THREADS, shape, room);
#pragma unroll
        for (int r = 0; r < MICRO; r++)
            if (at.inside) loaded[i][r].whole = *(const decltype(load_word::whole) *)(in + at.in + r * row_stride);
    }
#if SHARED_CELLS == 0
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const place at = find<true>(threadIdx.x + i * THREADS, shape, room);
        if (at.inside) *(decltype(load_word::whole) *)(out + at.out) = loaded[i][0].whole;
    }
#else
    __shared__ cell tile[SHARED_CELLS];
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const place at = find<true>(threadIdx.x + i * THREADS, shape, room);
#pragma unroll
        for (int v = 0; v < LOAD_VECTOR; v++) {
            cell words[MICRO];
#pragma unroll
            for (int r = 0; r < MICRO; r++) words[r] = loaded[i][r].parts[v];
            turn_round(words);
#pragma unroll
            for (int r = 0; r < MICRO; r++)
                if (at.inside) tile[at.shared + (v * MICRO + r) * shared_stride(0)] = words[r];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STORES; i++) {
        const place at = find<false>(threadIdx.x + i * THREADS, shape, room);
        store_word word;
#pragma unroll
        for (int v = 0; v < STORE_VECTOR; v++)
            if (at.inside) word.parts[v] = tile[at.shared + v * shared_stride(out_order(0))];
        if (at.inside) *(decltype(store_word::whole) *)(out + at.out) = word.whole;
    }
#endif
}
