// A tile of C from a strip of A and a strip of B: what a block of 90_tiles.cu does. That file says what the names in
// capitals mean.
#pragma once

#include "common/word.cuh"
#include "matmul/shape.cuh"

#if INDEX_BITS == 64
typedef long long offset_t;
#else
typedef int offset_t;
#endif

// ---- Copies --------------------------------------------------------------------------------------------------------

__device__ __forceinline__ unsigned shared_address(const void *pointer) {
    unsigned long long wide;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(wide) : "l"(pointer));
    return (unsigned)wide;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

template <int bytes> __device__ __forceinline__ void copy_async(unsigned to, const element *from) {
    if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
    else if (bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from));
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void close_copies() { asm volatile("cp.async.commit_group;"); }

// Until all but the newest `open` groups of this thread's copies have arrived.
template <int open> __device__ __forceinline__ void await_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(open));
}

#else   // GPUs without them: the copy is done at once

template <int bytes> __device__ __forceinline__ void copy_async(unsigned to, const element *from) {
    const word_of<bytes> value = *(const word_of<bytes> *)from;
    const unsigned *words = (const unsigned *)&value;
#pragma unroll
    for (int i = 0; i < bytes / 4; i++) asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + i * 4), "r"(words[i]));
}

__device__ __forceinline__ void close_copies() {}
template <int open> __device__ __forceinline__ void await_copies() {}

#endif

// The compiler would otherwise work it out again wherever it is used.
__device__ __forceinline__ void keep(int &value) { asm volatile("" : "+r"(value)); }
__device__ __forceinline__ void keep(unsigned &value) { asm volatile("" : "+r"(value)); }
__device__ __forceinline__ void keep(long long &value) { asm volatile("" : "+l"(value)); }

// ---- Operands ------------------------------------------------------------------------------------------------------

constexpr int CHUNK = 16 / ELEMENT_BYTES;   // elements that a lane reads from shared memory at a time
typedef parts_of<element, CHUNK> chunk;

// A strip of A, turned, or of B: `length` rows of A or columns of B, TILE_DEPTH steps of k at a time. In shared
// memory the neighbours along `length` are neighbours. k is not the array's fast axis: words of `vector` elements are
// copied as they lie. A warp's lanes, or some of them, are next to each other in one step of k; what a thread copies
// of one step differs by constants.
template <int length, int vector> struct operand {
    static constexpr int PITCH = length;
    static constexpr int WORDS = length / vector;   // of one step of k
    static constexpr int LANES = WORDS < 32 ? WORDS : 32;
    static constexpr int COLS = WORDS / LANES;      // of a thread, in one step
    static constexpr int STEPS = THREADS / LANES;   // of k at a time
    static constexpr int PASSES = (TILE_DEPTH + STEPS - 1) / STEPS;
    static constexpr int COPIES = PASSES * COLS;
    static_assert(WORDS % LANES == 0 && THREADS % LANES == 0, "lanes share a step of k evenly");

    const element *base;   // of the strip; the same in all threads
    const long long ld;
    const long long first, extent;   // of the strip; of the array
    const element *next;             // what this thread copies next
    const long long stride;          // to what it copies after that, in elements
    unsigned shared;
    int inside;   // elements from this thread's first to the array's edge

    __device__ __forceinline__ operand(const element *array, long long ld, long long first, long long extent,
                                       long long k)
        : base(array + k * ld + first), ld(ld), first(first), extent(extent),
          stride((STEPS < TILE_DEPTH ? STEPS : TILE_DEPTH) * ld), shared((step() * PITCH + col()) * ELEMENT_BYTES),
          inside((int)(extent - first < length ? extent - first : length) - col()) {
        // With one word of each step, a thread past the edge copies the last word: a condition for each would cost
        // more.
        next = base + step() * ld + (COLS == 1 && inside <= 0 ? col() + inside - vector : col());
        keep(shared);
        keep(inside);
    }
    static __device__ __forceinline__ int step() { return threadIdx.x / LANES; }
    static __device__ __forceinline__ int col() { return threadIdx.x % LANES * vector; }

    // The i-th of COPIES of the next tile, in this order, to shared memory that begins at `to`. What lies past the
    // edge is multiplied into what is never stored.
    template <int i> __device__ __forceinline__ void copy(unsigned to) {
        constexpr int pass = i / COLS, col = i % COLS * LANES * vector;
        bool mine = COLS == 1 || inside > col;
        if ((pass + 1) * STEPS > TILE_DEPTH) mine = mine && pass * STEPS + step() < TILE_DEPTH;
        if (mine)
            copy_async<vector * ELEMENT_BYTES>(to + shared + (pass * STEPS * PITCH + col) * ELEMENT_BYTES, next + col);
        if (i % COLS == COLS - 1) next += stride;
    }
    __device__ __forceinline__ void advance() {}
    static_assert(STEPS >= TILE_DEPTH || TILE_DEPTH % STEPS == 0, "all passes are alike");

    // The last tile, of `depth` steps at `k` from the base: what is missing becomes zero.
    __device__ __forceinline__ void copy_ragged(element *to, long long k, int depth) const {
#pragma unroll 4
        for (int i = threadIdx.x; i < length * TILE_DEPTH; i += THREADS) {
            const int step = i / length, col = i % length;
            const bool inside = step < depth && col < extent - first;
            to[step * PITCH + col] = inside ? base[(k + step) * ld + col] : 0;
        }
    }
};

// k is the array's fast axis: elements are copied one by one, so that they are turned on the way. 8 lanes follow k, a
// sector of floats, and 4 the strip: with rows of shared memory 16 bytes longer than a multiple of 128 they meet in
// no bank.
template <int length> struct operand<length, 0> {
    static constexpr int PITCH = length + CHUNK;
    static constexpr int K_LANES = 8;
    static constexpr int ROWS = THREADS / K_LANES;   // of the strip at a time
    static constexpr int ROW_PASSES = (length + ROWS - 1) / ROWS;
    static constexpr int K_PASSES = TILE_DEPTH / K_LANES;
    static constexpr int COPIES = ROW_PASSES * K_PASSES;
    static_assert(TILE_DEPTH % K_LANES == 0, "a tile is whole groups of lanes deep");

    const element *base;
    const long long ld;
    const long long first, extent;
    offset_t offset[ROW_PASSES];
    unsigned shared;

    __device__ __forceinline__ operand(const element *array, long long ld, long long first, long long extent,
                                       long long k)
        : base(array + first * ld + k), ld(ld), first(first), extent(extent),
          shared((threadIdx.x % K_LANES * PITCH + threadIdx.x / K_LANES) * ELEMENT_BYTES) {
#pragma unroll
        for (int i = 0; i < ROW_PASSES; i++) {
            long long row = threadIdx.x / K_LANES + i * ROWS;
            if (row > extent - first - 1) row = extent - first - 1;
            offset[i] = (offset_t)(row * ld + threadIdx.x % K_LANES);
            keep(offset[i]);
        }
        keep(shared);
    }

    template <int i> __device__ __forceinline__ void copy(unsigned to) const {
        constexpr int row = i / K_PASSES, k = i % K_PASSES * K_LANES;
        if ((row + 1) * ROWS <= length || threadIdx.x / K_LANES + row * ROWS < length)
            copy_async<ELEMENT_BYTES>(to + shared + (k * PITCH + row * ROWS) * ELEMENT_BYTES, base + offset[row] + k);
    }
    __device__ __forceinline__ void advance() { base += TILE_DEPTH; }

    __device__ __forceinline__ void copy_ragged(element *to, long long k, int depth) const {
#pragma unroll 4
        for (int i = threadIdx.x; i < length * TILE_DEPTH; i += THREADS) {
            const int step = i % TILE_DEPTH, row = i / TILE_DEPTH;
            const bool inside = step < depth && row < extent - first;
            to[step * PITCH + row] = inside ? base[row * ld + k + step] : 0;
        }
    }
};

typedef operand<TILE_ROWS, A_VECTOR> a_operand;
typedef operand<TILE_COLS, B_VECTOR> b_operand;

constexpr int A_ELEMENTS = a_operand::PITCH * TILE_DEPTH, B_ELEMENTS = b_operand::PITCH * TILE_DEPTH;
constexpr int STAGE_BYTES = (A_ELEMENTS + B_ELEMENTS) * ELEMENT_BYTES;
#ifndef COPY_STEPS
#define COPY_STEPS 4
#endif

// Copies number i to end - 1 of the next tile: of A first, then of B.
template <int i, int end, bool more = (i < end)> struct copies {
    static __device__ __forceinline__ void start(a_operand &a, b_operand &b, unsigned to) {
        if constexpr (i < a_operand::COPIES) a.template copy<i>(to);
        else b.template copy<i - a_operand::COPIES>(to + A_ELEMENTS * ELEMENT_BYTES);
        copies<i + 1, end>::start(a, b, to);
    }
};
template <int i, int end> struct copies<i, end, false> {
    static __device__ __forceinline__ void start(a_operand &, b_operand &, unsigned) {}
};
constexpr int COPIES = a_operand::COPIES + b_operand::COPIES;

// ---- Registers -----------------------------------------------------------------------------------------------------

constexpr int LANE_COLS = 32 / LANE_ROWS;
constexpr int WARP_ROWS = LANE_ROWS * THREAD_ROWS, WARP_COLS = LANE_COLS * THREAD_COLS;
constexpr int WARPS_DOWN = TILE_ROWS / WARP_ROWS;
constexpr int ROW_CHUNKS = THREAD_ROWS / CHUNK, COL_CHUNKS = THREAD_COLS / CHUNK;
static_assert(TILE_ROWS % WARP_ROWS == 0 && TILE_COLS % WARP_COLS == 0, "a tile is a multiple of a warp's");
static_assert(TILE_ROWS / WARP_ROWS * (TILE_COLS / WARP_COLS) * 32 == THREADS, "every warp has its part of the tile");

// Where a thread's elements of the tile are: chunks of CHUNK x CHUNK, LANE_ROWS * CHUNK rows and LANE_COLS * CHUNK
// columns apart. Lanes with the same rows are neighbours, those with the same columns two apart: a read of 16 bytes a
// lane then takes two passes over the banks instead of four.
struct thread_place {
    int row, col;
    __device__ __forceinline__ thread_place() {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        int lane_row = 0, lane_col = lane;
        if (LANE_ROWS == 2) lane_row = lane >> 1 & 1, lane_col = (lane & 1) | (lane >> 2) * 2;
        if (LANE_ROWS == 4)
            lane_row = (lane >> 1 & 1) | (lane >> 3 & 1) * 2,
            lane_col = (lane & 1) | (lane >> 2 & 1) * 2 | (lane >> 4) * 4;
        if (LANE_ROWS == 16) lane_row = lane >> 1, lane_col = lane & 1;
        if (LANE_ROWS == 32) lane_row = lane, lane_col = 0;
        if (LANE_ROWS == 8) lane_row = (lane >> 1 & 1) | (lane >> 3) * 2, lane_col = (lane & 1) | (lane >> 2 & 1) * 2;
        row = warp % WARPS_DOWN * WARP_ROWS + lane_row * CHUNK;
        col = warp / WARPS_DOWN * WARP_COLS + lane_col * CHUNK;
    }
    static __device__ __forceinline__ constexpr int row_of(int i) {
        return i / CHUNK * (LANE_ROWS * CHUNK) + i % CHUNK;
    }
    static __device__ __forceinline__ constexpr int col_of(int j) {
        return j / CHUNK * (LANE_COLS * CHUNK) + j % CHUNK;
    }
};

typedef element accumulators[THREAD_ROWS][THREAD_COLS];

// What a thread multiplies in one step of k.
struct fragments {
    chunk a[ROW_CHUNKS], b[COL_CHUNKS];
    __device__ __forceinline__ void load(const unsigned char *a_from, const unsigned char *b_from, int step) {
#pragma unroll
        for (int i = 0; i < ROW_CHUNKS; i++)
            a[i].whole = *(const decltype(chunk::whole) *)(a_from + (step * a_operand::PITCH + i * LANE_ROWS * CHUNK) *
                                                                        ELEMENT_BYTES);
#pragma unroll
        for (int j = 0; j < COL_CHUNKS; j++)
            b[j].whole = *(const decltype(chunk::whole) *)(b_from + (step * b_operand::PITCH + j * LANE_COLS * CHUNK) *
                                                                        ELEMENT_BYTES);
    }
    // Along the shorter side and back, so that each product shares a factor with the one before it: a register that
    // is still at hand leaves the others' banks free.
    __device__ __forceinline__ void multiply(accumulators &sums) const {
        constexpr bool down = THREAD_ROWS < THREAD_COLS;
        constexpr int lines = down ? THREAD_COLS : THREAD_ROWS, length = down ? THREAD_ROWS : THREAD_COLS;
#pragma unroll
        for (int line = 0; line < lines; line++)
#pragma unroll
            for (int at = 0; at < length; at++) {
                const int turned = line % 2 ? length - 1 - at : at, i = down ? turned : line, j = down ? line : turned;
                sums[i][j] += a[i / CHUNK].parts[i % CHUNK] * b[j / CHUNK].parts[j % CHUNK];
            }
    }
};

// ---- The pipeline --------------------------------------------------------------------------------------------------

struct pipeline {
    const unsigned address;   // of the first stage
    a_operand from_a;
    b_operand from_b;
    int read;                               // the stage that is multiplied now, in bytes from the first
    const unsigned char *a_from, *b_from;   // where this thread reads it
    unsigned write;                         // the address of the stage that is filled
    int left;                               // tiles
    fragments now[2];

    static __device__ __forceinline__ constexpr int copies_before(int step) {
        return step >= COPY_STEPS ? COPIES : step * COPIES / COPY_STEPS;
    }

    // Begins to copy `depth` steps of the strips.
    __device__ __forceinline__ pipeline(const thread_place &at, const a_operand &a, const b_operand &b, element *shared,
                                        long long depth)
        : address(shared_address(shared)), from_a(a), from_b(b), read(0),
          a_from((const unsigned char *)(shared + at.row)),
          b_from((const unsigned char *)(shared + A_ELEMENTS + at.col)), write(address + (STAGES - 1) * STAGE_BYTES) {
        const int rest = (int)(depth % TILE_DEPTH);
        left = (int)((depth + TILE_DEPTH - 1) / TILE_DEPTH);
        // The short tile at the end of k comes first: what follows has no conditions.
        if (rest) {
            from_a.copy_ragged(shared, depth - rest, rest);
            from_b.copy_ragged(shared + A_ELEMENTS, depth - rest, rest);
        }
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            if ((s > 0 || !rest) && s < left) {
                copies<0, COPIES>::start(from_a, from_b, address + s * STAGE_BYTES);
                from_a.advance();
                from_b.advance();
            }
            close_copies();
        }
        await_copies<STAGES - 2>();
        __syncthreads();
    }

    // One step of k: the next step's fragments are read, some of the copies of a later tile are started, and this
    // step's products are added. The step before the last has begun all copies; in the last, the next tile has
    // arrived.
    template <int step> __device__ __forceinline__ void run(accumulators &sums, bool more) {
        if constexpr (step == TILE_DEPTH - 1) {
            await_copies<STAGES - 2>();
            __syncthreads();
            constexpr int last = (STAGES - 1) * STAGE_BYTES;
            const int forward = read == last ? -last : STAGE_BYTES;
            read += forward;
            a_from += forward;
            b_from += forward;
            write = write == address + last ? address : write + STAGE_BYTES;
        }
        now[(step + 1) % 2].load(a_from, b_from, (step + 1) % TILE_DEPTH);
        if constexpr (step < TILE_DEPTH - 1) {
            constexpr int begin = copies_before(step), end = copies_before(step + 1);
            if (more) copies<begin, end>::start(from_a, from_b, write);
        }
        if constexpr (step == TILE_DEPTH - 2) close_copies();
        now[step % 2].multiply(sums);
        if constexpr (step < TILE_DEPTH - 1) run<step + 1>(sums, more);
    }

    // sums = the products of the next `section` tiles. False: there are none left.
    __device__ __forceinline__ bool multiply(accumulators &sums, int section) {
        if (left == 0) return false;
        const int stop = left > section ? left - section : 0;
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; i++)
#pragma unroll
            for (int j = 0; j < THREAD_COLS; j++) sums[i][j] = 0;
        now[0].load(a_from, b_from, 0);
#pragma unroll 1
        for (; left > stop; left--) {
            run<0>(sums, left > STAGES - 1);
            from_a.advance();
            from_b.advance();
        }
        return true;
    }
};

// ---- Results -------------------------------------------------------------------------------------------------------

// C = alpha sums + beta C where a thread's elements are inside: `rows` and `cols` are left of C from the tile's
// corner on, which is at `corner`. beta 0: C is only written. A few rows at a time, so that several loads are on
// their way.
__device__ __forceinline__ void store_tile(const accumulators &sums, const thread_place &at, element *corner,
                                           long long ld, long long rows, long long cols, element alpha, element beta) {
    typedef parts_of<element, C_VECTOR> word;
    constexpr int TOGETHER = THREAD_COLS >= 16 ? 2 : 4, WORDS = THREAD_COLS / C_VECTOR;
#pragma unroll
    for (int first = 0; first < THREAD_ROWS; first += TOGETHER) {
        word values[TOGETHER][WORDS];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
#pragma unroll
            for (int j = 0; j < THREAD_COLS; j++) values[i][j / C_VECTOR].parts[j % C_VECTOR] = 0;
        if (beta != 0) {
#pragma unroll
            for (int i = 0; i < TOGETHER; i++)
#pragma unroll
                for (int j = 0; j < WORDS; j++) {
                    const int row = at.row + at.row_of(first + i), col = at.col + at.col_of(j * C_VECTOR);
                    if (row < rows && col < cols) values[i][j].whole = ((const word *)(corner + row * ld + col))->whole;
                }
        }
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
#pragma unroll
            for (int j = 0; j < WORDS; j++) {
                const int row = at.row + at.row_of(first + i), col = at.col + at.col_of(j * C_VECTOR);
#pragma unroll
                for (int v = 0; v < C_VECTOR; v++)
                    values[i][j].parts[v] = alpha * sums[first + i][j * C_VECTOR + v] + beta * values[i][j].parts[v];
                if (row < rows && col < cols) ((word *)(corner + row * ld + col))->whole = values[i][j].whole;
            }
    }
}
