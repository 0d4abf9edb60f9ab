// What generated text begins with, behind the functions of values (exec/ops/value_*.h): how segments reach registers.
// Text for the compiler of kernels, not included by anything; LEVEL and offsets are defined before it.
#ifndef HW_COMPILE_PROLOGUE_H
#define HW_COMPILE_PROLOGUE_H

typedef struct at {
    char *const *at;
    long long apart;
} at;

#define ALIGNED _Alignas(64)
#define TRUE 1
#define LANE (16 * h + i)
#define BASE(k) (((char *const *)w)[k])
#define REGISTER(base, slot) (b##base + (slot))
#define MASK (*(const u32 *)(w + MASK_OFFSET))
#define ON ((const int *)(w + LANES_OFFSET))
#define AS(to, x)                                                                                                      \
    ({                                                                                                                 \
        __typeof__(x) x_ = (x);                                                                                        \
        to y_;                                                                                                         \
        __builtin_memcpy(&y_, &x_, sizeof y_);                                                                         \
        y_;                                                                                                            \
    })

// A half of a warp's lanes, which do not depend on each other. Compilers must not unroll it before they make vectors.
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (int i = 0; i < 16; i++)
#else
#define LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (int i = 0; i < 16; i++)
#endif

// Into a register: of all lanes, or of those that are on.
#define PUT_ALL(to, x) (to) = (x)
#define PUT_SOME(to, x) (to) = ON[LANE] ? (x) : (to)
#define PUT_PREDICATE_ALL(to, x) (to) = (x)
#define PUT_PREDICATE_SOME(to, x) (to) = ((to) & ~MASK) | ((x) & MASK)

// From memory, and into it. Late: what lanes have kept until all have loaded, `size` elements of each.
#define LOADED_ALL(x) (x)
#define LOADED_SOME(x) (ON[LANE] ? (x) : 0)
#define STORE_ALL(to, x) (to) = (x)
#define STORE_SOME(to, x)                                                                                              \
    if (ON[LANE]) (to) = (x)
#define STORE_LATE_ALL(to, late, size) __builtin_memcpy(to, late, sizeof late)
#define STORE_LATE_SOME(to, late, size)                                                                                \
    do {                                                                                                               \
        __typeof__(&late[0]) to_ = (void *)(to);                                                                       \
        for (int i = 0; i < 16 * size; i++)                                                                            \
            if (ON[16 * h + i / size]) to_[i] = late[i];                                                               \
    } while (0)

// ---- regions ----

// As exec/region.h has them.
typedef struct count {
    u64 warps, lanes, divergent;
} count;
typedef struct open {
    u32 reconverge, lanes, others, others_at;
} open;
typedef struct run {
    count *counts;
    u64 *guarded_off, *issued;
    int *fuel;
    const char *steps;
    u32 at, depth;
    open open[REGION_DEPTH];
} run;

#define PREDICATE(base, slot) (*(const u32 *)(BASE(base) + (slot)))

static inline void set_mask(char *w, u32 m) {
    *(u32 *)(w + MASK_OFFSET) = m;
    int *on = (int *)(w + LANES_OFFSET);
    for (int i = 0; i < 32; i++) on[i] = -(int)(m >> i & 1);
}

// The lanes of m have come to the end of a basic block of n instructions; parted: 1 where they part.
static inline void ended(const run *r, u32 block, u32 m, u32 n, u32 parted) {
    r->counts[block].warps++;
    r->counts[block].lanes += (u32)__builtin_popcount(m);
    r->counts[block].divergent += parted;
    *r->issued += n;
}

// A body executes step k. 0: it has found a fault.
static inline int step(char *w, const run *r, u32 k) {
    const char *in = r->steps + k * (2 * INST_BYTES);
    return (*(const void *(*const *)(char *, const void *))in)(w, in) != 0;
}

static inline u64 hidden(u64 x) {
    __asm__("" : "+r"(x));
    return x;
}

// One bit for each of 16 lanes of 0 or -1.
static inline u32 packed(const int *lanes) {
#if defined(__AVX512DQ__)
    typedef int v16 __attribute__((vector_size(64)));
    return (u16)__builtin_ia32_cvtd2mask512(*(const v16 *)lanes);
#elif defined(__AVX2__)
    typedef float v8 __attribute__((vector_size(32)));
    return (u32)__builtin_ia32_movmskps256(*(const v8 *)lanes) |
           (u32)__builtin_ia32_movmskps256(*(const v8 *)(lanes + 8)) << 8;
#elif defined(__SSE2__)
    typedef float v4 __attribute__((vector_size(16)));
    u32 bits = 0;
    for (int k = 0; k < 4; k++) bits |= (u32)__builtin_ia32_movmskps(*(const v4 *)(lanes + 4 * k)) << 4 * k;
    return bits;
#else
    u32 bits = 0;
    for (int i = 0; i < 16; i++) bits |= (u32)(lanes[i] & 1) << i;
    return bits;
#endif
}

#endif
