// The register tiles fed by asynchronous copies: three phases of k in shared memory, two of them on their way.
//
// Idea       cp.async brings a word from global to shared memory past the registers, and no instruction waits for it: a
//            thread starts the copies of a later phase, multiplies, and waits at the end of a phase for the copies of
//            the next. What lies past an edge is filled with zeros by the copy itself. Copies cannot turn a tile, so A
//            stays as it is, and a thread reads the elements of its rows a word of k at a time.
// Predicted  H200, f32 1024x1024x1024: 64 blocks of 55296 bytes; 131072 copies, of B 16 sectors each, of A 20, whose
//            rows of 80 bytes in shared memory begin amid 32 every second time. Of a warp's two rows of threads a read
//            of A is 2 addresses: no conflicts there, and as many passes as in 40_register_tile.cu.
// Measured   H200, 4096x4096x4096: f32 3.47 ms, 39.6 TFLOP/s, 7% less than with loads through registers; f64 21.2, 1.31
//            times as fast. 4097x4099x4111, copies of 4 bytes: f32 25.7.
// Held back  f32 by registers: two blocks leave 128 for each thread, and 64 sums and 8 words of A are 96. By copies of
//            4 bytes where rows are not aligned, four times as many. And by the shape: 128 x 128 for every size, so
//            that few tiles leave multiprocessors idle.
#include "common/async.cuh"
#include "matmul/rung.cuh"

constexpr int ROWS = 128, COLS = 128, DEPTH = 4 * VECTOR, EACH = 8, ACROSS = 16, THREADS = 256, STAGES = 3;
constexpr int CHUNKS = EACH / VECTOR, APART = COLS / CHUNKS;
constexpr int A_PITCH = DEPTH + VECTOR;
constexpr int WORD = WORDS ? VECTOR : 1;                              // elements of a copy
constexpr int COPIES = ROWS * DEPTH / WORD / THREADS;                 // of a thread and phase, of A and as many of B

struct stage {
    real a[ROWS][A_PITCH], b[DEPTH][COLS];
};

__device__ __forceinline__ void copy_word(const real &to, const real *__restrict__ matrix, index_t rows, index_t cols,
                                          index_t row, index_t col) {
    const bool inside = row < rows && col < cols;
    copy_if<WORD * ELEMENT_BYTES>(shared_address(&to), matrix + row * cols + col, inside);
}

__device__ __forceinline__ void start_phase(const stage &to, const real *__restrict__ a, const real *__restrict__ b,
                                            index_t m, index_t n, index_t k, index_t row, index_t col, index_t phase) {
#pragma unroll
    for (int i = 0; i < COPIES; i++) {
        const int number = threadIdx.x + i * THREADS;
        const int a_row = number / (DEPTH / WORD), a_col = number % (DEPTH / WORD) * WORD;
        const int b_row = number / (COLS / WORD), b_col = number % (COLS / WORD) * WORD;
        copy_word(to.a[a_row][a_col], a, m, k, row + a_row, phase + a_col);
        copy_word(to.b[b_row][b_col], b, k, n, phase + b_row, col + b_col);
    }
}

__device__ __forceinline__ void multiply_phase(real (&sums)[EACH][EACH], const stage &from, int x, int y) {
#pragma unroll
    for (int word = 0; word < DEPTH; word += VECTOR) {
        chunk a_chunk[EACH], b_chunk[CHUNKS];
#pragma unroll
        for (int i = 0; i < EACH; i++) a_chunk[i].whole = *(const word_of<16> *)&from.a[y + i * (ROWS / EACH)][word];
#pragma unroll
        for (int step = 0; step < VECTOR; step++) {
#pragma unroll
            for (int j = 0; j < CHUNKS; j++)
                b_chunk[j].whole = *(const word_of<16> *)&from.b[word + step][x + j * APART];
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    sums[i][j] += a_chunk[i].parts[step] * b_chunk[j / VECTOR].parts[j % VECTOR];
        }
    }
}

constexpr int RESIDENT = ELEMENT_BYTES == 4 ? 2 : 1;   // sums of doubles fill the registers

extern "C" __global__ __launch_bounds__(THREADS, RESIDENT) void matmul_async(
    real *__restrict__ c, const real *__restrict__ a, const real *__restrict__ b, index_t m, index_t n, index_t k) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    stage *stages = (stage *)shared_bytes;
    const int x = threadIdx.x % ACROSS * VECTOR, y = threadIdx.x / ACROSS;
    const index_t row = tile_row() * ROWS, col = tile_col() * COLS;
    real sums[EACH][EACH] = {};
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i * DEPTH < k) start_phase(stages[i], a, b, m, n, k, row, col, i * DEPTH);
        close_group();
    }
    int now = 0, later = STAGES - 1;
    for (index_t phase = 0; phase < k; phase += DEPTH) {
        await_groups<STAGES - 2>();
        __syncthreads();   // all threads' copies are there, and nobody reads the stage that is filled next
        const index_t start = phase + (STAGES - 1) * DEPTH;
        if (start < k) start_phase(stages[later], a, b, m, n, k, row, col, start);
        close_group();     // an empty one too: groups are counted
        multiply_phase(sums, stages[now], x, y);
        now = now + 1 < STAGES ? now + 1 : 0;
        later = later + 1 < STAGES ? later + 1 : 0;
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < CHUNKS; j++) {
            chunk out;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) out.parts[e] = sums[i][j * VECTOR + e];
            store_chunk(c, m, n, row + y + i * (ROWS / EACH), col + x + j * APART, out);
        }
}
