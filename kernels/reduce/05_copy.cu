// As many bytes as a sum reads, copied: half of them read, half of them written. The bound.
//
// Idea       None: 16 bytes per lane, four loads in flight.
// Predicted  H200, f32 2^20: 131072 words of 16 bytes in 4096 loads of 16 sectors, and as many stores; occupancy 100%.
// Measured   H200, 2^28 f32: 264 us, 4069 GB/s read and written.
// Held back  By DRAM, which turns between reading and writing: a sum, that only reads, can be faster.
#include "common/word.cuh"
#include "reduce/types.cuh"

#ifndef THREADS
#define THREADS 256
#endif
#define WORDS 4   // of a thread

// `bytes` of them; what is no whole word is copied by the first threads.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_copy(char *__restrict__ out, const char *__restrict__ in, long long bytes) {
    const word_of<16> *from = (const word_of<16> *)in;
    word_of<16> *to = (word_of<16> *)out, loaded[WORDS];
    const long long words = bytes / 16, first = (long long)blockIdx.x * (THREADS * WORDS) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        if (first + k * THREADS < words) loaded[k] = from[first + k * THREADS];
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        if (first + k * THREADS < words) to[first + k * THREADS] = loaded[k];
    if (first < bytes % 16) out[words * 16 + first] = in[words * 16 + first];
}
