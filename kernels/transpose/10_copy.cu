// The bound: the same bytes read once and written once, with nothing turned.
//
// Idea       No transpose is faster than a copy. This one has it easy: both arrays are taken as rows of 16-byte words,
//            whatever their shape; each thread asks for four of them before it waits for the first.
// Predicted  H200, f32 1024x1024: 8192 loads and 8192 stores of 16 sectors each (131072 sectors in, 131072 out); no
//            shared memory; occupancy 100%.
// Measured   H200, f32 8192x8192: 134.9 us, 3980 GB/s; 10007x9973: 198.8 us, 4016 GB/s. That is 83% of the datasheet's
//            4800. The driver's own copy, which `halfwarp bench` compares with, makes 4180. Counters as predicted.
//            NVIDIA's MatrixTranspose.pdf, f32 2048x2048: GTX 280 96.9, M2090 125.2, K20X 147.6 GB/s.
// Held back  By the memory. A multiprocessor full of its threads has asked for up to 128 KiB at a time, twice as much
//            as the best transpose; a copy of one element per thread, 8 KiB, is slower than several transposes below
//            (2161 GB/s, copyRow of tests/truth/ladder.cu).
#include "common/element.cuh"

#ifndef BLOCK_COLS
#define BLOCK_COLS 256
#endif
#ifndef WORDS_PER_THREAD
#define WORDS_PER_THREAD 4
#endif

typedef word_of<16> word;

extern "C" __global__ void copy(element *__restrict__ out, const element *__restrict__ in, index_t rows, index_t cols) {
    const long long elements = (long long)rows * cols;
    const long long words = elements * ELEMENT_BYTES / (long long)sizeof(word);
    const long long block = (long long)blockIdx.y * gridDim.x + blockIdx.x;
    const long long first = block * (BLOCK_COLS * WORDS_PER_THREAD) + threadIdx.x;
    const word *__restrict__ from = (const word *)in;
    word *__restrict__ to = (word *)out;

    word kept[WORDS_PER_THREAD];
#pragma unroll
    for (int i = 0; i < WORDS_PER_THREAD; i++)
        if (first + i * BLOCK_COLS < words) kept[i] = from[first + i * BLOCK_COLS];
#pragma unroll
    for (int i = 0; i < WORDS_PER_THREAD; i++)
        if (first + i * BLOCK_COLS < words) to[first + i * BLOCK_COLS] = kept[i];

    // The elements behind the last whole word.
    const long long rest = words * (long long)sizeof(word) / ELEMENT_BYTES + threadIdx.x;
    if (block == 0 && rest < elements) out[rest] = in[rest];
}
