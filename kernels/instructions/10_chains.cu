// How many results of an instruction a multiprocessor has in each clock: seed 004, 4.5.1.
//
// Idea       Each thread has CHAINS values, each of which goes through the same instruction again and again: so many
//            are independent of each other that the pipe, and not the wait for a result, is what takes time. A round
//            is unrolled, so that what counts rounds is a hundredth of the instructions.
// Predicted  The rates of src/isa/rates.def: on 1.x 8 sums, products and multiply-adds of f32, 2 reciprocals and
//            logarithms, 1 root, sine and exponential, 8 of whole numbers but 2 products.
// Measured   docs/seeds.md has an H200's.
// Held back  By the one pipe that it is about.
#include "instructions/steps.cuh"

#ifndef STEP_NAME
#define STEP_NAME f32_mad
#define VALUE float
#endif

constexpr int CHAINS = 8, UNROLLED = 16;

// Threads whose numbers agree modulo 32 begin with the same values, so that few have to be computed again to compare.
extern "C" __global__ void instruction_chains(VALUE *__restrict__ out, long long n, VALUE first, VALUE apart, VALUE a,
                                              VALUE b, int rounds) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    VALUE x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++) x[c] = first + (VALUE)(8 * (threadIdx.x % 32) + c) * apart;
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < UNROLLED; step++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) x[c] = STEP_NAME(x[c], x[(c + 1) % CHAINS], a, b);
    }
    VALUE last = x[0];
#pragma unroll
    for (int c = 1; c < CHAINS; c++) last = last + x[c];
    if (i < n) out[i] = last;
}
