// The spatial index: points in the order of a Hilbert curve, and boxes around them.
//
// Idea       Neighbours on the curve are neighbours in space, so 32 of them make a small box, and 32 neighbouring boxes
//            again. The curve's cells are cut from the box around all points. Where more than a leaf lie in one cell,
//            because a few points are far away or because all are in clusters, these points get a box and cells of
//            their own, and are sorted once more, as often as that is needed; points that are equal stay in the order
//            of their rows. All of it is one cooperative launch: the host is not asked in between.
// Predicted  H200, f32 in space, a million uniform points: 4 passes of the sort, 8 bits and 32 MB each; 4 barriers of
//            all blocks, 3 more for each pass and 1 for each level of boxes above the leaves are 18, of 2 us: 0.1 ms.
// Measured   H200, f32 in space: 100,000 uniform points 0.13 ms, a million 0.26 ms, ten million 3.4 ms; a million in
//            1000 clusters 0.60 ms, with ten points far outside 0.97 ms.
// Held back  By barriers at a million points, by memory at ten million.
#ifndef THREADS
#define THREADS 512
#endif
#include "nearest/index.cuh"
#include "nearest/together.cuh"

// ---- Numbers in the order of the coordinates, for atomics -----------------------------------------------------------

#if REAL_BYTES == 4
typedef unsigned ordered;
__device__ __forceinline__ ordered to_ordered(real x) {
    const unsigned bits = __float_as_uint(x);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ real from_ordered(ordered o) { return __uint_as_float(o >> 31 ? o & 0x7fffffffu : ~o); }
#else
typedef unsigned long long ordered;
__device__ __forceinline__ ordered to_ordered(real x) {
    const unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}
__device__ __forceinline__ real from_ordered(ordered o) {
    return __longlong_as_double((long long)(o >> 63 ? o & 0x7fffffffffffffffull : ~o));
}
#endif

struct bounds {
    ordered low[DIMS], high[DIMS];   // of the finite coordinates
};

__device__ __forceinline__ void clear_bounds(bounds *b) {
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
        b->low[a] = ~(ordered)0;
        b->high[a] = 0;
    }
}

__device__ __forceinline__ bool is_finite(real x) { return (x < 0 ? -x : x) < infinity(); }

__device__ __forceinline__ void extend(bounds &b, const point &p) {
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
        if (!is_finite(p.at[a])) continue;
        b.low[a] = min(b.low[a], to_ordered(p.at[a]));
        b.high[a] = max(b.high[a], to_ordered(p.at[a]));
    }
}

__device__ __forceinline__ void extend_shared(bounds *to, const bounds &b) {
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
        if (b.low[a] > b.high[a]) continue;
        atomicMin(&to->low[a], b.low[a]);
        atomicMax(&to->high[a], b.high[a]);
    }
}

__device__ __forceinline__ void join_warp(bounds &b) {
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
#pragma unroll
        for (int step = 16; step; step /= 2) {
            b.low[a] = min(b.low[a], __shfl_xor_sync(ALL_LANES, b.low[a], step));
            b.high[a] = max(b.high[a], __shfl_xor_sync(ALL_LANES, b.high[a], step));
        }
    }
}

// ---- Cells ----------------------------------------------------------------------------------------------------------

// The cube that is cut into 2^bits cells along each axis. Halves, so that no difference overflows.
struct cells {
    double low[DIMS], per_half;
    int bits;
};

// False when the points are all in one place.
__device__ __forceinline__ bool lay_cells(const bounds &b, unsigned key_bits, cells &c) {
    double widest = 0;
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
        const bool is_empty = b.low[a] > b.high[a];
        const double low = is_empty ? 0 : 0.5 * (double)from_ordered(b.low[a]);
        const double high = is_empty ? 0 : 0.5 * (double)from_ordered(b.high[a]);
        c.low[a] = low;
        widest = high - low > widest ? high - low : widest;
    }
    c.bits = min((int)key_bits / DIMS, 31);
    c.per_half = widest > 0 ? (double)(1u << c.bits) / widest : 0;
    return widest > 0;
}

// The place of a cell on the Hilbert curve: J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings
// 707, 2004.
__device__ __forceinline__ unsigned long long along_curve(unsigned (&x)[DIMS], int bits) {
    if (DIMS > 1) {
        for (unsigned bit = 1u << (bits - 1); bit > 1; bit >>= 1) {
            const unsigned below = bit - 1;
#pragma unroll
            for (int a = 0; a < DIMS; a++) {
                const unsigned swapped = (x[0] ^ x[a]) & below;
                if (x[a] & bit) {
                    x[0] ^= below;
                } else {
                    x[0] ^= swapped;
                    x[a] ^= swapped;
                }
            }
        }
#pragma unroll
        for (int a = 1; a < DIMS; a++) x[a] ^= x[a - 1];
        unsigned turned = 0;
        for (unsigned bit = 1u << (bits - 1); bit > 1; bit >>= 1)
            if (x[DIMS - 1] & bit) turned ^= bit - 1;
#pragma unroll
        for (int a = 0; a < DIMS; a++) x[a] ^= turned;
    }
    unsigned long long place = 0;
    for (int bit = bits - 1; bit >= 0; bit--) {
#pragma unroll
        for (int a = 0; a < DIMS; a++) place = place << 1 | (x[a] >> bit & 1);
    }
    return place;
}

__device__ __forceinline__ unsigned long long cell_of(const cells &c, const point &p) {
    const double most = (double)((1u << c.bits) - 1);
    unsigned x[DIMS];
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
        const double at = (0.5 * (double)p.at[a] - c.low[a]) * c.per_half;
        x[a] = at > 0 ? (unsigned)(at < most ? at : most) : 0;
    }
    return along_curve(x, c.bits);
}

// ---- The steps ------------------------------------------------------------------------------------------------------

__device__ __forceinline__ void measure(findings *found, bounds *all, const real *rows, const rows_shape &shape,
                                        bool is_query, bounds &shared) {
    bounds own;
    clear_bounds(&own);
    if (threadIdx.x == 0) clear_bounds(&shared);
    __syncthreads();
    for (unsigned row = blockIdx.x * THREADS + threadIdx.x; row < shape.count; row += gridDim.x * THREADS) {
        const point p = load_row(rows, shape, row);
        bool is_nan = false;
#pragma unroll
        for (int a = 0; a < DIMS; a++) is_nan |= p.at[a] != p.at[a];
        if (is_nan) atomicMax(is_query ? &found->nan_query : &found->nan_point, NONE - row);
        extend(own, p);
    }
    if (is_query) return;
    join_warp(own);
    if (threadIdx.x % 32 == 0) extend_shared(&shared, own);
    __syncthreads();
    if (threadIdx.x == 0) extend_shared(all, shared);
}

__device__ __forceinline__ void number_rows(const sort_buffers &sort, const real *rows, const rows_shape &shape,
                                            const cells &c) {
    for (unsigned row = blockIdx.x * THREADS + threadIdx.x; row < shape.count; row += gridDim.x * THREADS) {
        sort.keys[0][row] = cell_of(c, load_row(rows, shape, row));
        sort.values[0][row] = row;
    }
}

// The first of the run of equal keys at `place`, if the run is longer than a leaf; else NONE.
__device__ unsigned long_run(const unsigned long long *keys, unsigned count, unsigned place) {
    const unsigned long long key = keys[place];
    const bool goes_back = place >= LEAF / 2 && keys[place - LEAF / 2] == key;
    const bool goes_on = count - place > LEAF / 2 && keys[place + LEAF / 2] == key;
    if (!goes_back && !goes_on) return NONE;
    unsigned low = 0, high = place;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return count - low > LEAF && keys[low + LEAF] == key ? low : NONE;
}

// Each long run gets a number, in the place of its first point, and empty bounds.
__device__ __forceinline__ void number_runs(findings *found, const unsigned long long *keys, unsigned count,
                                            unsigned *slots, bounds *of_runs) {
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        if (i && keys[i - 1] == keys[i]) continue;
        if (count - i <= LEAF || keys[i + LEAF] != keys[i]) continue;
        slots[i] = atomicAdd(&found->runs, 1u);
        clear_bounds(&of_runs[slots[i]]);
    }
}

__device__ __forceinline__ void measure_runs(const sort_buffers &sort, unsigned from, unsigned count, const real *rows,
                                             const rows_shape &shape, const unsigned *slots, bounds *of_runs) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i - lane < count; i += gridDim.x * THREADS) {
        const unsigned run = i < count ? long_run(sort.keys[from], count, i) : NONE;
        bounds own;
        clear_bounds(&own);
        if (run != NONE) extend(own, load_row(rows, shape, sort.values[from][i]));
        // Neighbours are mostly of one run: one lane is enough then.
        const bool is_one = __all_sync(ALL_LANES, run == __shfl_sync(ALL_LANES, run, 0));
        if (is_one) join_warp(own);
        if (run != NONE && (!is_one || lane == 0)) extend_shared(&of_runs[slots[run]], own);
    }
}

// New keys: the place of the run, or of the point itself where it is in none, above the cell in the run's own cells.
__device__ __forceinline__ void number_again(findings *found, const sort_buffers &sort, unsigned from, unsigned count,
                                             const real *rows, const rows_shape &shape, const unsigned *slots,
                                             const bounds *of_runs) {
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        const unsigned run = long_run(sort.keys[from], count, i), row = sort.values[from][i];
        unsigned long long key = (unsigned long long)(run == NONE ? i : run) << 32;
        cells c;
        if (run != NONE && lay_cells(of_runs[slots[run]], 32, c)) {
            key |= cell_of(c, load_row(rows, shape, row));
            if (run == i) atomicAdd(&found->unresolved, 1u);
        }
        sort.keys[from ^ 1][i] = key;
        sort.values[from ^ 1][i] = row;
    }
}

// Sorts long runs by cells of their own until none is left but those of equal points. Returns where the order is.
__device__ unsigned refine(findings *found, const sort_buffers &sort, unsigned from, const real *rows,
                           const rows_shape &shape, unsigned *slots, bounds *of_runs, sort_shared &shared) {
    constexpr int MOST_ROUNDS = 16;   // more would only cost time: the result does not depend on the order
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        number_runs(found, sort.keys[from], shape.count, slots, of_runs);
        wait_for_all(found);
        if (*(volatile unsigned *)&found->runs == 0) break;
        measure_runs(sort, from, shape.count, rows, shape, slots, of_runs);
        wait_for_all(found);
        if (is_first) found->runs = 0;
        number_again(found, sort, from, shape.count, rows, shape, slots, of_runs);
        wait_for_all(found);
        if (*(volatile unsigned *)&found->unresolved == 0) break;
        from = sort_together(found, sort, from ^ 1, shape.count, 64, shared);
        if (is_first) found->unresolved = 0;
    }
    return from;
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

__device__ __forceinline__ void join_and_store(char *scratch, const index_layout &at, unsigned number, box b,
                                               unsigned index) {
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
#pragma unroll
        for (int step = 16; step; step /= 2) {
            b.low.at[a] = smaller(b.low.at[a], __shfl_xor_sync(ALL_LANES, b.low.at[a], step));
            b.high.at[a] = larger(b.high.at[a], __shfl_xor_sync(ALL_LANES, b.high.at[a], step));
        }
    }
#pragma unroll
    for (int step = 16; step; step /= 2) index = min(index, __shfl_xor_sync(ALL_LANES, index, step));
    if (threadIdx.x % 32) return;
    store_box(scratch, at, number, b);
    ((unsigned *)(scratch + at.box_index))[number] = index;
}

__device__ __forceinline__ box empty_box() {
    box b;
#pragma unroll
    for (int a = 0; a < DIMS; a++) {
        b.low.at[a] = infinity();
        b.high.at[a] = -infinity();
    }
    return b;
}

// Points and rows in the order of the curve, and the boxes of level 0. A warp has a leaf.
__device__ __forceinline__ void gather(char *scratch, const index_layout &at, const unsigned *order, const real *rows,
                                       const rows_shape &shape) {
    for (unsigned leaf = blockIdx.x * WARPS + threadIdx.x / 32; leaf < at.level_count[0]; leaf += gridDim.x * WARPS) {
        const unsigned place = leaf * LEAF + threadIdx.x % 32;
        box b = empty_box();
        unsigned row = NONE;
        if (place < shape.count) {
            row = order[place];
            b.low = b.high = load_row(rows, shape, row);
            store_packed((real *)(scratch + at.points), place, b.low);
            ((unsigned *)(scratch + at.order))[place] = row;
        }
        join_and_store(scratch, at, at.level_first[0] + leaf, b, row);
    }
}

__device__ __forceinline__ void join_boxes(char *scratch, const index_layout &at, unsigned level) {
    const unsigned *box_index = (const unsigned *)(scratch + at.box_index);
    for (unsigned i = blockIdx.x * WARPS + threadIdx.x / 32; i < at.level_count[level]; i += gridDim.x * WARPS) {
        const unsigned child = i * LEAF + threadIdx.x % 32;
        const bool is_there = child < at.level_count[level - 1];
        const unsigned number = at.level_first[level - 1] + child;
        const box b = is_there ? load_box(scratch, at, number) : empty_box();
        join_and_store(scratch, at, at.level_first[level] + i, b, is_there ? box_index[number] : NONE);
    }
}

// levels: how many there are. sorts_queries: the queries' order along the same curve is wanted as well.
extern "C" __global__ __launch_bounds__(THREADS, 2) void nearest_index(
    const real *__restrict__ points, rows_shape shape, const real *__restrict__ queries, rows_shape query_shape,
    int has_queries, int sorts_queries, char *scratch, index_layout at, unsigned levels) {
    __shared__ sort_shared shared;
    __shared__ bounds block_bounds;
    findings *found = (findings *)scratch;
    bounds *all = (bounds *)(scratch + at.bounds);
    typedef unsigned long long key_type;
    const sort_buffers sort = {{(key_type *)(scratch + at.keys[0]), (key_type *)(scratch + at.keys[1])},
                               {(unsigned *)(scratch + at.values[0]), (unsigned *)(scratch + at.values[1])},
                               (unsigned *)(scratch + at.counts)};
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        clear_bounds(all);
        found->runs = found->unresolved = 0;
    }
    wait_for_all(found);
    measure(found, all, points, shape, false, block_bounds);
    if (has_queries) measure(found, all, queries, query_shape, true, block_bounds);
    wait_for_all(found);
    if (refused(found)) return;

    cells c;
    lay_cells(*all, at.first_bits, c);
    const unsigned used_bits = c.bits * DIMS;
    if (sorts_queries) {
        number_rows(sort, queries, query_shape, c);
        wait_for_all(found);
        const unsigned in = sort_together(found, sort, 0, query_shape.count, used_bits, shared);
        for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < query_shape.count; i += gridDim.x * THREADS)
            ((unsigned *)(scratch + at.query_order))[i] = sort.values[in][i];
        wait_for_all(found);
    }
    number_rows(sort, points, shape, c);
    wait_for_all(found);
    unsigned in = sort_together(found, sort, 0, shape.count, used_bits, shared);
    in = refine(found, sort, in, points, shape, (unsigned *)(scratch + at.slots), (bounds *)(scratch + at.boxes),
                shared);
    gather(scratch, at, sort.values[in], points, shape);
    for (unsigned level = 1; level < levels; level++) {
        wait_for_all(found);
        join_boxes(scratch, at, level);
    }
}
