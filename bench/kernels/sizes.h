// Sizes that a kernel has in each language: CUDA (this folder), OpenCL C and C (bench/peers/kinds). Read by all three.
#pragma once

enum {
    BLOCK = 256,       // threads
    TILE = 16,         // side of a block of two dimensions
    BINS = 256,        // of a histogram
    PER_THREAD = 16,   // elements that a thread of a histogram counts
    SORTED = 512,      // words that a block sorts
    PLANES = 64,       // that a thread of a stencil goes through
    LOCAL = 32,        // elements of a thread's own array
    STEPS = 64,        // that each element is taken through
    FACTORS = 64,      // of a polynomial
    TAPS = 4,          // texels read for one, in each direction
};
