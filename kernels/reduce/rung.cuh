// What the rungs of the sums have in common: the types of a pass, and the sums of a block in shared memory.
//
// A rung before the last adds up blocks of elements in passes: the first reads the array and writes a sum for each
// block, the next reads these sums, until one is left. IN, SUM and OUT are a pass's types: i64, u64, f32 or f64 for
// sums; IN is the elements' in the first pass, OUT the result's in the last.
#pragma once

#include "reduce/types.cuh"

#ifndef IN
#define IN f32
#endif
#ifndef SUM
#define SUM f32
#endif
#ifndef OUT
#define OUT f32
#endif
#ifndef THREADS
#define THREADS 512
#endif
#if THREADS < 64 || THREADS & (THREADS - 1)
#error blocks have a power of two of threads, two warps or more
#endif

typedef long long index_t;

// An element as a sum of one; 0 past the end.
__device__ __forceinline__ SUM element_at(const IN *in, index_t i,
                                          index_t n) { return i < n ? (SUM)number(in[i]) : (SUM)0; }

__device__ __forceinline__ void store_sum(OUT *out, SUM sum) { round_to(*out, sum); }
