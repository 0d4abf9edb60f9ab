// What the bodies of floating-point instructions share: the functions of one value, and rounding modes.
//
// Rules of the PTX ISA that all of them follow (section 9.7.3, floating-point instructions):
// - f32 results that are NaN are 0x7fffffff (CUDA C Programming Guide, "Floating-Point Standard"); f16 and bf16 ones
//   0x7fff. f64 keeps the payload of an input NaN and makes 0xfff8000000000000 itself, which is what x86 does too.
// - ftz turns subnormal inputs and results into zeros of their sign.
// - sat clamps to [0, 1]; NaN becomes +0.
#ifndef HW_EXEC_FLOAT_LANES_H
#define HW_EXEC_FLOAT_LANES_H

#include <fenv.h>
#include <stdint.h>

#include "exec/ops/lanes.h"
#include "exec/ops/value_float.h"

// Rounding modes other than to nearest. Loads and stores between hw_round_enter and hw_round_leave stay there (both
// clobber memory), and with them the arithmetic on what was loaded, as long as its result is stored.
#if defined(__SSE2__)
typedef uint32_t hw_round_state;
enum { HW_ROUND_RZ = 0x6000, HW_ROUND_RM = 0x2000, HW_ROUND_RP = 0x4000 };    // MXCSR.RC
static inline hw_round_state hw_round_enter(uint32_t mode) {
    uint32_t old, mine;
    __asm__ volatile("stmxcsr %0" : "=m"(old) : : "memory");
    mine = (old & ~0x6000u) | mode;
    __asm__ volatile("ldmxcsr %0" : : "m"(mine) : "memory");
    return old;
}
static inline void hw_round_leave(hw_round_state old) { __asm__ volatile("ldmxcsr %0" : : "m"(old) : "memory"); }
#else
typedef int hw_round_state;
enum { HW_ROUND_RZ = FE_TOWARDZERO, HW_ROUND_RM = FE_DOWNWARD, HW_ROUND_RP = FE_UPWARD };
static inline hw_round_state hw_round_enter(int mode) {
    int old = fegetround();
    fesetround(mode);
    __asm__ volatile("" : : : "memory");
    return old;
}
static inline void hw_round_leave(hw_round_state old) {
    __asm__ volatile("" : : : "memory");
    fesetround(old);
}
#endif

#endif
