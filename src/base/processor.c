// Asks the processor itself.
#include "base/processor.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <stdatomic.h>
#include <stdbool.h>

// clang before 15 refuses "f16c" in __builtin_cpu_supports. That the system keeps the wide registers, which the
// conversions of 16-bit floats need, is what "avx2" asks for as well.
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static hw_simd_level ask_processor(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !has_f16c())
        return HW_SIMD_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return HW_SIMD_AVX2;
    return HW_SIMD_AVX512;
}

hw_simd_level hw_processor_level(void) {
    static _Atomic int known = -1;   // __get_cpuid takes microseconds on a virtual machine
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (level >= 0) return (hw_simd_level)level;
    level = (int)ask_processor();
    atomic_store_explicit(&known, level, memory_order_relaxed);
    return (hw_simd_level)level;
}
#else
hw_simd_level hw_processor_level(void) { return HW_SIMD_BASE; }
#endif
