// One step of a chain for each instruction: x is the chain's value, y its neighbour's, a and b the launch's, whose
// values no compiler knows. Where C++ has no word for an instruction, PTX says it. Sums of whole numbers take the
// neighbour, since three of them in a row would be joined. A reciprocal of a reciprocal would be left out, and a
// division by the same number become a product: they and logarithms have a sum behind them, exponentials a product
// before them, so that chains go to a number and stay there. src/op/instructions/steps.h says what is right.
#pragma once

typedef unsigned int word;

#define PTX_1(type, letter, instruction)                                   \
    type result;                                                           \
    asm(instruction " %0, %1;" : "=" letter(result) : letter(x));          \
    return result
#define PTX_2(type, letter, instruction, other)                                            \
    type result;                                                                           \
    asm(instruction " %0, %1, %2;" : "=" letter(result) : letter(x), letter(other));       \
    return result
#define PTX_3(type, letter, instruction, other, third)                                                      \
    type result;                                                                                            \
    asm(instruction " %0, %1, %2, %3;" : "=" letter(result) : letter(x), letter(other), letter(third));     \
    return result

#define STEP(name, type) static __device__ __forceinline__ type name(type x, type y, type a, type b)

// ---- f32 ----
STEP(f32_add, float) { (void)y, (void)b; return x + a; }
STEP(f32_mul, float) { (void)y, (void)b; return x * a; }
STEP(f32_mad, float) { (void)y; PTX_3(float, "f", "fma.rn.f32", a, b); }
STEP(f32_rcp, float) {
    (void)y, (void)b;
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result + a;
}
STEP(f32_fdividef, float) {
    (void)y;
    float result;
    asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(x));
    return result + b;
}
STEP(f32_div, float) { (void)y, (void)b; PTX_2(float, "f", "div.rn.f32", a); }
STEP(f32_rsqrt, float) { (void)y, (void)a, (void)b; PTX_1(float, "f", "rsqrt.approx.ftz.f32"); }
STEP(f32_sqrt, float) { (void)y, (void)a, (void)b; PTX_1(float, "f", "sqrt.approx.ftz.f32"); }
STEP(f32_sqrt_rn, float) { (void)y, (void)a, (void)b; PTX_1(float, "f", "sqrt.rn.f32"); }
STEP(f32_lg2, float) {
    (void)y, (void)b;
    float result;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result + a;
}
STEP(f32_sin, float) { (void)y, (void)a, (void)b; PTX_1(float, "f", "sin.approx.ftz.f32"); }
STEP(f32_ex2, float) {
    (void)y, (void)b;
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * a));
    return result;
}
STEP(f32_max, float) { (void)a, (void)b; PTX_2(float, "f", "max.f32", y); }

// ---- f64; pairs of f16 as a word ----
STEP(f64_add, double) { (void)y, (void)b; return x + a; }
STEP(f64_mad, double) { (void)y; PTX_3(double, "d", "fma.rn.f64", a, b); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 530
STEP(f16x2_mad, word) { (void)y; PTX_3(word, "r", "fma.rn.f16x2", a, b); }
#endif

// ---- whole numbers ----
STEP(s32_add, word) { (void)a, (void)b; return x + y; }
STEP(s32_mul, word) { (void)a, (void)b; return x * y; }
STEP(s32_mul24, word) { (void)a, (void)b; PTX_2(word, "r", "mul24.lo.u32", y); }
STEP(s32_mad, word) { (void)b; return x * y + a; }
STEP(s32_div, word) { (void)b; return y / a + x; }
STEP(s32_max, word) { (void)a, (void)b; PTX_2(word, "r", "max.s32", y); }
STEP(s32_xor, word) { (void)a, (void)b; PTX_2(word, "r", "xor.b32", y); }
STEP(s32_shl, word) { (void)y, (void)a; PTX_2(word, "r", "shl.b32", b); }
STEP(s32_popc, word) { (void)y, (void)a, (void)b; PTX_1(word, "r", "popc.b32"); }
STEP(s32_cvt, word) { (void)y, (void)a, (void)b; PTX_1(word, "r", "cvt.rn.f32.u32"); }   // its bits
