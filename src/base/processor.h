// The instruction sets that some code is compiled for besides the one of the whole build, and which of them this
// processor runs. cmake/core.cmake has each one's flags.
#ifndef HW_BASE_PROCESSOR_H
#define HW_BASE_PROCESSOR_H

// Ascending: what runs one runs all before it. Other architectures than x86-64 have the first alone.
typedef enum hw_simd_level {
    HW_SIMD_BASE,      // the build's own
    HW_SIMD_AVX2,      // AVX2, FMA, BMI2 and F16C
    HW_SIMD_AVX512,    // AVX-512 F, BW, DQ and VL
    HW_SIMD_LEVELS
} hw_simd_level;

// The best that this processor and its system run. It is asked once. Threads: any.
hw_simd_level hw_processor_level(void);

#endif
