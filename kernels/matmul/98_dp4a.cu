// Products of 8-bit integers, four steps of k in one instruction: what hw_matmul takes for i8 and u8 from compute
// capability 6.1.
//
// Idea       dp4a multiplies the four bytes of two registers and adds all of it to a third, so words of four steps of k
//            are what shared memory holds. Where k is contiguous they are read as they lie; where it is not, 4 x 4
//            bytes are turned by byte permutations on their way. A block has 128 x 128 of C, a thread 8 x 8 sums of 32
//            bits, in two halves 64 apart so that lanes read neighbouring words of 16 bytes.
// Predicted  For each 4 steps of k a thread has 4 loads of 16 bytes from shared memory for 64 dp4a, which are 256
//            multiply-adds: no conflicts but where bytes are stored that were turned, two passes each.
// Measured   On simulated GPUs alone.
// Held back  By loads that nothing overlaps: a strip is waited for before it is multiplied. Tensor cores multiply bytes
//            several times as fast from compute capability 7.2 on.
//
//   A_TURNED, B_TURNED   1: element (i, j) of the operand is at i + j * ld
//   A_WORDS, B_WORDS     1: each of its rows (columns, when turned) begins at a multiple of 4 bytes
#include "matmul/types.cuh"

#ifndef A_TURNED
#define A_TURNED 0
#endif
#ifndef B_TURNED
#define B_TURNED 0
#endif
#ifndef A_WORDS
#define A_WORDS 0
#endif
#ifndef B_WORDS
#define B_WORDS 0
#endif

typedef unsigned char byte;

constexpr int TILE = 128, DEPTH = 32, WORDS = DEPTH / 4, THREADS = 256, EACH = 8, HALF = EACH / 2;
constexpr int PITCH = TILE + 4;   // words; rows begin at multiples of 16 bytes

// Of one operand: to[w][i] = bytes k + 4 w to k + 4 w + 3 of line first + i.
typedef unsigned strip[WORDS][PITCH];

// n bytes `step` apart, the first in the lowest 8 bits; zeros above.
__device__ __forceinline__ unsigned gather(const byte *from, long long step, long long n) {
    unsigned word = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < n) word |= (unsigned)from[i * step] << 8 * i;
    return word;
}

__device__ __forceinline__ unsigned permute(unsigned a, unsigned b, unsigned which) {
    unsigned word;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(a), "r"(b), "r"(which));
    return word;
}

// Rows of four bytes become columns.
__device__ __forceinline__ void turn(unsigned (&w)[4]) {
    const unsigned low01 = permute(w[0], w[1], 0x5140), low23 = permute(w[2], w[3], 0x5140);
    const unsigned high01 = permute(w[0], w[1], 0x7362), high23 = permute(w[2], w[3], 0x7362);
    w[0] = permute(low01, low23, 0x5410);
    w[1] = permute(low01, low23, 0x7632);
    w[2] = permute(high01, high23, 0x5410);
    w[3] = permute(high01, high23, 0x7632);
}

// Lines along k: a word at a time, neighbouring lanes along k.
template <bool words>
__device__ __forceinline__ void load_along_k(strip &to, const byte *from, long long ld, long long first,
                                             long long extent, long long k, long long depth) {
#pragma unroll
    for (int i = threadIdx.x; i < TILE * WORDS; i += THREADS) {
        const int w = i % WORDS, at = i / WORDS;
        const long long left = first + at < extent ? depth - k - 4 * w : 0;
        const byte *place = from + (first + at) * ld + k + 4 * w;
        if (words && left >= 4) to[w][at] = *(const unsigned *)place;
        else to[w][at] = gather(place, 1, left);
    }
}

// Lines along the strip: 4 x 4 bytes for each thread, turned.
template <bool words>
__device__ __forceinline__ void load_across_k(strip &to, const byte *from, long long ld, long long first,
                                              long long extent, long long k, long long depth) {
    const int w = threadIdx.x / (TILE / 4), at = threadIdx.x % (TILE / 4) * 4;
    const byte *place = from + (k + 4 * w) * ld + first + at;
    const long long steps = depth - k - 4 * w, lines = extent - first - at;
    unsigned turned[4];
    if (words && steps >= 4 && lines >= 4) {
#pragma unroll
        for (int p = 0; p < 4; p++) turned[p] = *(const unsigned *)(place + p * ld);
        turn(turned);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) turned[i] = gather(place + i, ld, i < lines ? steps : 0);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) to[w][at + i] = turned[i];
}
static_assert(TILE / 4 * WORDS == THREADS, "a thread has one square of bytes");

__device__ __forceinline__ void multiply_bytes(unsigned &sum, unsigned a, unsigned b) {
#if INPUT == TYPE_I8
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
#else
    asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
#endif
}

// Words at, at + 1, ... and as many from at + TILE / 2 on.
__device__ __forceinline__ void read_words(unsigned (&to)[EACH], const unsigned (&from)[PITCH], int at) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const uint4 four = *(const uint4 *)&from[half * (TILE / 2) + at];
        to[half * HALF] = four.x;
        to[half * HALF + 1] = four.y;
        to[half * HALF + 2] = four.z;
        to[half * HALF + 3] = four.w;
    }
}

__device__ __forceinline__ void multiply_strips(unsigned (&sums)[EACH][EACH], const strip &a, const strip &b, int y,
                                                int x) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        unsigned left[EACH], right[EACH];
        read_words(left, a[w], y * HALF);
        read_words(right, b[w], x * HALF);
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) multiply_bytes(sums[i][j], left[i], right[j]);
    }
}

extern "C" __global__ __launch_bounds__(THREADS) void product_dp4a(const input_t *all_a, const input_t *all_b,
                                                                   output_t *all_c, const product_arguments p) {
    __shared__ __align__(16) strip a_strip, b_strip;
    const int x = threadIdx.x % (TILE / EACH), y = threadIdx.x / (TILE / EACH);
    const long long col = (long long)blockIdx.x * TILE;
    for (long long batch = blockIdx.z; batch < p.batches; batch += gridDim.z) {
        const input_t *a = all_a, *b = all_b;
        output_t *c = all_c;
        go_to_batch(p, batch, a, b, c);
        for (long long row = (long long)blockIdx.y * TILE; row < p.m; row += (long long)gridDim.y * TILE) {
            unsigned sums[EACH][EACH] = {};
            for (long long k = 0; k < p.k; k += DEPTH) {
                if (A_TURNED) load_across_k<A_WORDS>(a_strip, (const byte *)a, p.a_ld, row, p.m, k, p.k);
                else load_along_k<A_WORDS>(a_strip, (const byte *)a, p.a_ld, row, p.m, k, p.k);
                if (B_TURNED) load_along_k<B_WORDS>(b_strip, (const byte *)b, p.b_ld, col, p.n, k, p.k);
                else load_across_k<B_WORDS>(b_strip, (const byte *)b, p.b_ld, col, p.n, k, p.k);
                __syncthreads();
                multiply_strips(sums, a_strip, b_strip, y, x);
                __syncthreads();
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    const long long r = row + y * HALF + i % HALF + i / HALF * (TILE / 2);
                    const long long s = col + x * HALF + j % HALF + j / HALF * (TILE / 2);
                    if (r < p.m && s < p.n) store_sum(p, &c[r * p.c_ld + s], sums[i][j]);
                }
        }
    }
}
