// Columns: the densest axis stays. Every lane has VECTOR neighbouring outputs. What hw_reduce launches for columns, and
// for any axes of which the densest stays.
//
// Idea       A block has LANES words of a row of `in` side by side, and THREADS / LANES rows; a thread goes down its
//            columns with UNROLL rows in flight. The rows of the block are put together in shared memory; where columns
//            are few, the rows are dealt to several blocks (`parts`), and the last of them puts their states together.
// Predicted  H200, f32 sum of 16384 x 16384 over axis 0: every sector is read once, four full ones by eight lanes.
// Measured   H200, launches in a row, f32 sums: 16384 x 16384 235 us, 4564 GB/s; 4096 x 4096 20.1 us; 65536 x 64 11.2
//            us; 2^20 x 8 9.4 us; 8 x 2^20 6.6 us; 4097 x 4097, in single elements, 21 us. i8 8192 x 8192 36 us, 1900
//            GB/s: sums of 64 bits for every element.
// Held back  By DRAM. Rows whose length is no multiple of a word are read in single elements.
#ifndef THREADS
#define THREADS 256
#endif
#ifndef LANES
#define LANES 32         // a power of two
#endif
#ifndef VECTOR
#define VECTOR 4
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
#ifndef PARTS
#define PARTS 1          // 0: one block for each tile of columns
#endif
#ifndef KEPT_AXES
#define KEPT_AXES 0      // without that of the columns
#endif
#ifndef REDUCED_AXES
#define REDUCED_AXES 1
#endif
#ifndef INDEX_BITS
#define INDEX_BITS 32
#endif
#ifndef IN
#define IN f32
#endif
#ifndef OUT
#define OUT f32
#endif
#ifndef FOLD
#define FOLD sum_fold
#endif

#include "reduce/axes.cuh"
#include "reduce/combine.cuh"

#define ROWS (THREADS / LANES)

typedef FOLD<IN> fold;
typedef fold::state state;
typedef parts_of<IN, VECTOR> word;

struct columns_shape {
    unsigned long long terms, columns;
    long long stride, out_stride;           // from column to column; 1 of in where VECTOR is more
    unsigned tiles, parts;                  // tiles of columns beside each other; parts of the rows
    axis kept[KEPT_AXES ? KEPT_AXES : 1], reduced[REDUCED_AXES];
};

// A row's word, and its index.
__device__ __forceinline__ word load(const IN *from, const columns_shape &shape, index_t row, index_t &index) {
    long long offset = 0, place = 0;
    word loaded;
    walk<REDUCED_AXES>(shape.reduced, row, offset, place);
    index = ORDERED ? row : (index_t)place;
    load_word(loaded, (const word_of<sizeof(word)> *)(from + offset));
    return loaded;
}

__device__ __forceinline__ void take(state *s, const word &loaded, index_t index) {
#pragma unroll
    for (int v = 0; v < VECTOR; v++) fold::take(s[v], loaded.parts[v], index);
}

// Rows row, row + ROWS, ... before end.
__device__ __forceinline__ void take_rows(state *s, const IN *from, const columns_shape &shape, index_t row,
                                          index_t end) {
    word loaded[UNROLL];
    index_t index[UNROLL];
    for (; row + (UNROLL - 1) * ROWS < end; row += UNROLL * ROWS) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) loaded[u] = load(from, shape, row + u * ROWS, index[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) take(s, loaded[u], index[u]);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (row + u * ROWS < end) loaded[u] = load(from, shape, row + u * ROWS, index[u]);
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (row + u * ROWS < end) take(s, loaded[u], index[u]);
}

// Over the rows of the block: the threads of its first row get the result. Begins with a barrier.
__device__ __forceinline__ void over_rows(state *s) {
    __shared__ __align__(16) char memory[THREADS * VECTOR * sizeof(state)];
    state *of_threads = (state *)memory;   // VECTOR states apart: [v][thread], so that lanes lie side by side
    const int thread = threadIdx.x, row = thread / LANES;
    if (ROWS == 1) return;
    __syncthreads();
#pragma unroll
    for (int v = 0; v < VECTOR; v++) of_threads[v * THREADS + thread] = s[v];
#pragma unroll
    for (int step = ROWS / 2; step; step /= 2) {
        __syncthreads();
        if (row < step) {
#pragma unroll
            for (int v = 0; v < VECTOR; v++) {
                s[v] = fold::both(s[v], of_threads[v * THREADS + thread + step * LANES]);
                if (step > 1) of_threads[v * THREADS + thread] = s[v];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_columns(OUT *__restrict__ out, const IN *__restrict__ in, const columns_shape shape, char *scratch,
               unsigned scratch_zeros) {
    const int lane = threadIdx.x % LANES, row = threadIdx.x / LANES;
    const unsigned parts = PARTS ? shape.parts : 1, part = PARTS ? blockIdx.x / (gridDim.x / parts) : 0;
    const unsigned tile = PARTS ? blockIdx.x % (gridDim.x / parts) : blockIdx.x;
    const index_t column = ((index_t)(tile % shape.tiles) * LANES + lane) * VECTOR, rows = (index_t)shape.terms;
    const bool is_inside = column < shape.columns;
    const index_t each = rows / parts, more = rows % parts, first = part * each + (part < more ? part : more);
    long long in_offset = (long long)column * shape.stride, out_offset = (long long)column * shape.out_stride;
    state s[VECTOR];
#pragma unroll
    for (int v = 0; v < VECTOR; v++) s[v] = fold::none();
    walk<KEPT_AXES>(shape.kept, (index_t)(tile / shape.tiles), in_offset, out_offset);
    if (is_inside) take_rows(s, in + in_offset, shape, first + row, first + each + (part < more));
    over_rows(s);
    if (PARTS && parts > 1) {
        const unsigned long long states_before = (unsigned long long)tile * parts * (LANES * VECTOR);
        state *of_parts = (state *)(scratch + scratch_zeros) + states_before + lane;
#pragma unroll
        for (int v = 0; v < VECTOR; v++)
            if (row == 0) of_parts[(part * VECTOR + v) * LANES] = s[v];
        if (!is_last_block((unsigned *)scratch + tile, parts)) return;
#pragma unroll
        for (int v = 0; v < VECTOR; v++) {
            s[v] = fold::none();
            for (unsigned p = row; p < parts; p += ROWS) s[v] = fold::both(s[v], of_parts[(p * VECTOR + v) * LANES]);
        }
        over_rows(s);
    }
    if (row || !is_inside) return;
#pragma unroll
    for (int v = 0; v < VECTOR; v++) fold::result(out[out_offset + v * shape.out_stride], s[v], (f64)shape.terms);
}
