// Tensor cores: a warp multiplies small matrices in one instruction (mma.sync), fed as before.
//
// Idea       A block's strips of A and B come into shared memory by asynchronous copies, several phases ahead; each
//            warp reads fragments of them, eight rows of 16 bytes an instruction (ldmatrix), and adds their products to
//            the sums in its registers. Floats are rounded to tf32 or bf16 on the way into the fragments, to nearest.
//            Rows that begin at odd multiples of 2 bytes cannot be copied asynchronously, and are loaded one element at
//            a time.
// Predicted  H200, tf32 1024x1024x1024: 256 tiles of 64x64, each a block of 4 warps; A and B are read once for each of
//            16 tiles, in 262144 copies of 16 sectors. No bank conflicts: lines in shared memory are swizzled, or 32
//            bytes longer than a multiple of 128 where ldmatrix cannot read them.
// Measured   H200, 4096x4096x4096, of random numbers, for which the GPU's power limit allows less than for simple ones:
//            bf16 456 TFLOP/s (cuBLAS 780), f16 457 (741), tf32 190 (392), f32 rounded to bf16 247 (385), f64 58.1
//            (62.2). With padding instead of the swizzle, and 32 steps of k a stage, bf16 426.
// Held back  mma.sync: alone, with neither copies nor ldmatrix, the same loop reaches 560 TFLOP/s in bf16 and 290 in
//            tf32; the rest is shared memory, which is written and read for 1400 of every 1800 clocks. cuBLAS has
//            instructions that read it themselves (wgmma). f64 is at the rate of the tensor cores.
//
// The host (src/op/matmul/tensor_plan.c) chooses these; extents, strides, alpha and beta are parameters:
//
//   INPUT, OUTPUT, MMA           types; what is multiplied (matmul/fragments.cuh)
//   TILE_ROWS, TILE_COLS         of C, for each block
//   TILE_DEPTH                   steps of k of a stage
//   WARP_ROWS, WARP_COLS         of C, for each warp
//   STAGES                       of the pipeline
//   A_TURNED, B_TURNED           1: element (i, j) of the operand is at i + j * ld
//   A_BYTES, B_BYTES             of a copy: 2, 4, 8 or 16
//   A_PARTIAL, B_PARTIAL         1: a line may end within a copy
//   C_PAIRS                      1: two neighbours in C are stored at a time
#include "common/async.cuh"
#include "matmul/fragments.cuh"

constexpr unsigned GROUP_ROWS = 8;   // tiles below each other before the next column
constexpr bool A_ALONG_K = !A_TURNED, B_ALONG_K = B_TURNED;
constexpr int WARPS_DOWN = TILE_ROWS / WARP_ROWS, WARPS_ACROSS = TILE_COLS / WARP_COLS;
constexpr int THREADS = WARPS_DOWN * WARPS_ACROSS * 32;
constexpr int ROW_FRAGMENTS = WARP_ROWS / MMA_ROWS, COL_FRAGMENTS = WARP_COLS / MMA_COLS;

// A strip's way into shared memory: lines along its contiguous axis, in words of `bytes`. partial: lines may end within
// one.
template <bool along_k, int length, int bytes, bool partial> struct strip {
    static constexpr int PITCH = pitch_of(along_k, length, TILE_DEPTH), ELEMENT = sizeof(input_t);
    static constexpr int LINES = along_k ? length : TILE_DEPTH, LINE = along_k ? TILE_DEPTH : length;
    static constexpr int BYTES = LINES * PITCH * ELEMENT;
    static constexpr int WORD = bytes / ELEMENT;                         // elements of a copy
    static constexpr int WORDS = LINE / WORD;                            // of a line
    static constexpr int APART = THREADS / WORDS;                        // lines that all threads copy at a time
    static constexpr int COPIES = (LINES + APART - 1) / APART;
    static_assert(THREADS % WORDS == 0 && LINE % WORD == 0, "a line is copied by a whole number of threads");
    static_assert((APART & (APART - 1)) == 0, "lines of one thread are swizzled apart by XOR");

    const input_t *from;         // of the thread's next word
    const long long line_step;   // elements, APART lines on
    const long long stage_step;  // from the last line of a stage to the first of the next
    int lines;                   // from the thread's first to the array's end
    int words;                   // elements, from the thread's word to the line's end
    const unsigned to;           // of the thread's first word; bytes in a stage

    __device__ __forceinline__ strip(const input_t *array, long long ld, long long first, long long extent, long long k)
        : from(array + (along_k ? (first + threadIdx.x / WORDS) * ld + threadIdx.x % WORDS * WORD
                                : threadIdx.x / WORDS * ld + first + threadIdx.x % WORDS * WORD)),
          line_step(APART * ld), stage_step((along_k ? TILE_DEPTH : TILE_DEPTH * ld) - COPIES * line_step),
          lines((int)(along_k ? extent - first : k) - (int)threadIdx.x / WORDS),
          words((int)(along_k ? k : extent - first) - (int)threadIdx.x % WORDS * WORD),
          to((threadIdx.x / WORDS * PITCH + threadIdx.x % WORDS * WORD) * ELEMENT ^
             swizzle_of<along_k, PITCH>(threadIdx.x / WORDS)) {}

    // Part `part` of `parts` of the next stage; what lies outside of the array is zero.
    template <int parts> __device__ __forceinline__ void copy(unsigned stage, const input_t *array, int part) {
#pragma unroll
        for (int i = part * COPIES / parts; i < (part + 1) * COPIES / parts; i++) {
            if (LINES % APART == 0 || threadIdx.x / WORDS + i * APART < LINES) {
                const bool inside = i * APART < lines && words > 0;
                const unsigned at = stage + (to ^ swizzle_of<along_k, PITCH>(i * APART)) + i * APART * PITCH * ELEMENT;
                if constexpr (bytes == 2) store_half(at, inside ? *from : (input_t)0);
                else if constexpr (!partial) copy_if<bytes>(at, from, inside);
                else copy_or_zero<bytes>(at, inside ? from : array,
                                         !inside ? 0 : words < WORD ? words * ELEMENT : bytes);
            }
            from += line_step;
        }
    }
    __device__ __forceinline__ void advance() {
        from += stage_step;
        (along_k ? words : lines) -= TILE_DEPTH;
    }
};

typedef strip<A_ALONG_K, TILE_ROWS, A_BYTES, A_PARTIAL> a_strip;
typedef strip<B_ALONG_K, TILE_COLS, B_BYTES, B_PARTIAL> b_strip;
constexpr int STAGE = a_strip::BYTES + b_strip::BYTES;

typedef sums_fragment warp_sums[ROW_FRAGMENTS][COL_FRAGMENTS];

struct fragments {
    a_fragment a[ROW_FRAGMENTS];
    b_fragment b[COL_FRAGMENTS / 2][2];
    // a_from, b_from: addresses of the strips in the first stage, with the warp's and the lane's bytes.
    __device__ __forceinline__ void load(unsigned a_from, unsigned b_from, unsigned stage, int step) {
#pragma unroll
        for (int i = 0; i < ROW_FRAGMENTS; i++)
            load_a<A_ALONG_K, a_strip::PITCH>(a[i], a_from, stage, i * MMA_ROWS, step);
#pragma unroll
        for (int j = 0; j < COL_FRAGMENTS / 2; j++)
            load_b<B_ALONG_K, b_strip::PITCH>(b[j], b_from, stage, j * 2 * MMA_COLS, step);
    }
    __device__ __forceinline__ void multiply_all(warp_sums &sums) {
#pragma unroll
        for (int j = 0; j < COL_FRAGMENTS; j++) round_b(b[j / 2][j % 2]);
#pragma unroll
        for (int i = 0; i < ROW_FRAGMENTS; i++) {
            round_a(a[i]);
#pragma unroll
            for (int j = 0; j < COL_FRAGMENTS; j++) multiply(sums[i][j], a[i], b[j / 2][j % 2]);
        }
    }
};

__device__ __forceinline__ void store_sums(const product_arguments &p, output_t *c, const warp_sums &sums,
                                           long long row, long long col) {
#pragma unroll
    for (int i = 0; i < ROW_FRAGMENTS; i++)
#pragma unroll
        for (int j = 0; j < COL_FRAGMENTS; j++)
#pragma unroll
            for (int e = 0; e < MMA_ROWS * MMA_COLS / 32; e += 2) {
                const long long r = row + i * MMA_ROWS + sum_row(e), s = col + j * MMA_COLS + sum_col(e);
                output_t *at = c + r * p.c_ld + s;
                if (r >= p.m || s >= p.n) continue;
                if (C_PAIRS && s + 1 < p.n) {
                    parts_of<output_t, 2> pair;
                    if (p.beta != 0) pair.whole = *(const word_of<2 * sizeof(output_t)> *)at;
#pragma unroll
                    for (int h = 0; h < 2; h++) {
                        sum_t sum = p.alpha * sums[i][j].at[e + h];
                        if (p.beta != 0) sum += p.beta * wide<OUTPUT>(pair.parts[h]);
                        pair.parts[h] = narrow<OUTPUT>(sum);
                    }
                    *(word_of<2 * sizeof(output_t)> *)at = pair.whole;
                } else {
                    store_sum(p, at, sums[i][j].at[e]);
                    if (s + 1 < p.n) store_sum(p, at + 1, sums[i][j].at[e + 1]);
                }
            }
}

// Tiles are counted down a group of rows first, then along it, so that blocks that run at the same time share strips in
// L2.
__device__ __forceinline__ void find_tile(const product_arguments &p, long long &row, long long &col) {
    const unsigned tiles_m = (unsigned)((p.m + TILE_ROWS - 1) / TILE_ROWS);
    const unsigned tiles_n = (unsigned)((p.n + TILE_COLS - 1) / TILE_COLS);
    const unsigned per_group = GROUP_ROWS * tiles_n, group = blockIdx.x / per_group;
    const unsigned left = tiles_m - group * GROUP_ROWS;
    const unsigned rows = left < GROUP_ROWS ? left : GROUP_ROWS, index = blockIdx.x - group * per_group;
    row = (long long)(group * GROUP_ROWS + index % rows) * TILE_ROWS;
    col = (long long)(index / rows) * TILE_COLS;
}

extern "C" __global__ __launch_bounds__(THREADS) void product_tensor(const input_t *a, const input_t *b, output_t *c,
                                                                     const product_arguments p) {
    extern __shared__ __align__(128) unsigned char shared_bytes[];
    const unsigned stages = shared_address(shared_bytes);
    const int warp = threadIdx.x / 32;
    const int warp_row = warp % WARPS_DOWN * WARP_ROWS, warp_col = warp / WARPS_DOWN * WARP_COLS;
    const long long batch = (long long)blockIdx.z * gridDim.y + blockIdx.y;
    long long row, col;
    if (batch >= p.batches) return;   // the grid's last row of batches may be too long
    go_to_batch(p, batch, a, b, c);
    find_tile(p, row, col);
    a_strip from_a(a, p.a_ld, row, p.m, p.k);
    b_strip from_b(b, p.b_ld, col, p.n, p.k);
    const long long phases = (p.k + TILE_DEPTH - 1) / TILE_DEPTH;
    warp_sums sums = {};
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < phases) {
            from_a.copy<1>(stages + i * STAGE, a, 0);
            from_b.copy<1>(stages + i * STAGE + a_strip::BYTES, b, 0);
            from_a.advance();
            from_b.advance();
        }
        close_group();
    }
    // In each step the fragments of the next one are read while this one's are multiplied; in the last step of a phase
    // those of the next phase, whose stage is waited for before. The copies of a later stage go between the steps.
    constexpr int STEPS = TILE_DEPTH / MMA_STEPS, PARTS = STEPS - 1;
    static_assert(STEPS % 2 == 0, "fragments are held by turns");
    fragments held[2];
    await_groups<STAGES - 2>();
    __syncthreads();
    const unsigned a_from = stages + lane_bytes<A_ALONG_K, a_strip::PITCH>(warp_row, false);
    const unsigned b_from = stages + a_strip::BYTES + lane_bytes<B_ALONG_K, b_strip::PITCH>(warp_col, true);
    held[0].load(a_from, b_from, 0, 0);
    unsigned now = 0, later = (STAGES - 1) * STAGE;   // bytes
    for (long long phase = 0; phase < phases; phase++) {
        const unsigned next = now + STAGE < STAGES * STAGE ? now + STAGE : 0;
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            if (step == STEPS - 1) {
                close_group();       // an empty one too: groups are counted
                await_groups<STAGES - 2>();
                __syncthreads();     // all threads' copies are there, and nobody reads the stage that is filled next
            }
            const unsigned stage = step == STEPS - 1 ? next : now;
            held[(step + 1) % 2].load(a_from, b_from, stage, (step + 1) % STEPS * MMA_STEPS);
            if (step < PARTS && phase + STAGES - 1 < phases) {
                from_a.copy<PARTS>(stages + later, a, step);
                from_b.copy<PARTS>(stages + later + a_strip::BYTES, b, step);
            }
            held[step % 2].multiply_all(sums);
        }
        from_a.advance();
        from_b.advance();
        now = next;
        later = later + STAGE < STAGES * STAGE ? later + STAGE : 0;
    }
    store_sums(p, c, sums, row + warp_row, col + warp_col);
}
