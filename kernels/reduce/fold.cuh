// What a reduction does with its elements, one structure for each of the reductions:
//
//   state        what a thread keeps; several become one by both()
//   none()       the state of nothing
//   take()       adds one element; `index` is looked at by argmin and argmax alone
//   take_word()  adds the elements of a word, one state for each of them in turn
//   result()     of `count` elements, as out wants it
//
// Sums of floats depend on who adds what: kernels say which elements a thread has and in which order states are put
// together, and neither depends on the time that anything takes.
#pragma once

#include "common/word.cuh"
#include "reduce/types.cuh"

#if INDEX_BITS == 64
typedef unsigned long long index_t;
#else
typedef unsigned index_t;
#endif

// States that a thread keeps side by side: additions that wait for each other are that much rarer, and so are their
// rounding errors.
enum { STATES = 4 };

template <typename fold, typename element, int n>
__device__ __forceinline__ void take_each(typename fold::state *states, const parts_of<element, n> &word,
                                          index_t index) {
#pragma unroll
    for (int i = 0; i < n; i++) fold::take(states[i % STATES], word.parts[i], index + i);
}

// ---- Sums -----------------------------------------------------------------------------------------------------------

// The bytes of a register, added up by one instruction (compute capability 6.1).
__device__ __forceinline__ int sum_of_bytes(unsigned four, i8) {
#if __CUDA_ARCH__ >= 610
    int d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(four), "r"(0x01010101), "r"(0));
    return d;
#else
    return (signed char)four + (signed char)(four >> 8) + (signed char)(four >> 16) + ((int)four >> 24);
#endif
}
__device__ __forceinline__ unsigned sum_of_bytes(unsigned four, u8) {
#if __CUDA_ARCH__ >= 610
    unsigned d;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(four), "r"(0x01010101), "r"(0));
    return d;
#else
    const unsigned pairs = (four & 0x00ff00ff) + (four >> 8 & 0x00ff00ff);
    return (pairs & 0xffff) + (pairs >> 16);
#endif
}
__device__ __forceinline__ int sum_of_shorts(unsigned two, i16) { return (short)two + ((int)two >> 16); }
__device__ __forceinline__ unsigned sum_of_shorts(unsigned two, u16) { return (two & 0xffff) + (two >> 16); }

template <typename element> struct sum_fold {
    typedef typename traits<element>::sum state;
    static __device__ state none() { return 0; }
    static __device__ __forceinline__ void take(state &s, element e, index_t) { s += number(e); }
    template <int n>
    static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t i) {
        take_each<sum_fold>(s, word, i);
    }
    static __device__ __forceinline__ state both(state a, state b) { return a + b; }
    template <typename out> static __device__ void result(out &e, state s, f64) { round_to(e, s); }
};

// Words of 16 bytes of small integers: summed in 32 bits, which cannot overflow, then added.
#define SMALL_SUM(element, partial, sum_of, per_register)                                                              \
    template <> template <>                                                                                            \
    __device__ __forceinline__ void sum_fold<element>::take_word<16 / sizeof(element)>(                                \
        state *s, const parts_of<element, 16 / sizeof(element)> &word, index_t) {                                      \
        const unsigned *registers = (const unsigned *)&word.whole;                                                     \
        s[0] += (partial)(sum_of(registers[0], element()) + sum_of(registers[1], element()) +                          \
                          sum_of(registers[2], element()) + sum_of(registers[3], element()));                          \
    }
SMALL_SUM(i8, int, sum_of_bytes, 4)
SMALL_SUM(u8, unsigned, sum_of_bytes, 4)
SMALL_SUM(i16, int, sum_of_shorts, 2)
SMALL_SUM(u16, unsigned, sum_of_shorts, 2)

// ---- Means ---------------------------------------------------------------------------------------------------------

// Of floats, and of integers whose sum 64 bits hold. One division, in the type of the sum; of integers in f64.
template <typename out> __device__ void divide(out &e, float sum, f64 count) { round_to(e, sum / (float)count); }
template <typename out> __device__ void divide(out &e, double sum, f64 count) { round_to(e, sum / count); }
__device__ inline void divide(f64 &e, i64 sum, f64 count) { e = (f64)sum / count; }
__device__ inline void divide(f64 &e, u64 sum, f64 count) { e = (f64)sum / count; }

template <typename element> struct mean_fold : sum_fold<element> {
    typedef typename traits<element>::sum state;
    template <typename out> static __device__ void result(out &e, state s, f64 count) { divide(e, s, count); }
};

// Of integers whose sum is wider: 128 bits, rounded once to f64.
struct wide_integer {
    u64 low;
    i64 high;
};

template <typename element> struct wide_mean_fold {
    typedef wide_integer state;
    static __device__ state none() { return {0, 0}; }
    static __device__ __forceinline__ void add(state &s, u64 low, i64 high) {
        s.low += low;
        s.high += high + (s.low < low);
    }
    static __device__ __forceinline__ void take(state &s, element e, index_t) {
        add(s, (u64)(typename traits<element>::sum)e, e < 0 ? -1 : 0);
    }
    template <int n>
    static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t i) {
        take_each<wide_mean_fold>(s, word, i);
    }
    static __device__ __forceinline__ state both(state a, state b) {
        add(a, b.low, b.high);
        return a;
    }
    // The top 64 bits, the last of them set when anything below is: rounding them to 53 rounds the whole.
    static __device__ void result(f64 &e, state s, f64 count) {
        const bool is_negative = s.high < 0;
        if (is_negative) {
            s.low = 0 - s.low;
            s.high = ~s.high + (s.low == 0);
        }
        f64 sum;
        if (s.high == 0) {
            sum = (f64)s.low;
        } else {
            const int shift = 64 - __clzll(s.high);   // 1 to 63: the sum of 2^40 numbers has 104 bits
            const u64 top = (u64)s.high << (64 - shift) | s.low >> shift;
            const u64 below = s.low << (64 - shift);
            sum = (f64)(top | (below != 0)) * (f64)(1ull << shift);
        }
        e = (is_negative ? -sum : sum) / count;
    }
};

// ---- Products ------------------------------------------------------------------------------------------------------

template <typename element> struct product_fold {
    typedef typename traits<element>::sum state;
    static __device__ state none() { return 1; }
    static __device__ __forceinline__ void take(state &s, element e, index_t) { s *= number(e); }
    template <int n>
    static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t i) {
        take_each<product_fold>(s, word, i);
    }
    static __device__ __forceinline__ state both(state a, state b) { return a * b; }
    template <typename out> static __device__ void result(out &e, state s, f64) { round_to(e, s); }
};

// ---- Norms ---------------------------------------------------------------------------------------------------------

// The sum of squares: of floats in their type of sums, of integers in f64.
template <typename element, bool is_float> struct squares;
template <typename element> struct squares<element, true> { typedef typename traits<element>::sum type; };
template <typename element> struct squares<element, false> { typedef f64 type; };

__device__ __forceinline__ float root(float x) { return __fsqrt_rn(x); }
__device__ __forceinline__ double root(double x) { return __dsqrt_rn(x); }

template <typename element> struct norm_fold {
    typedef typename squares<element, traits<element>::is_float>::type state;
    static __device__ state none() { return 0; }
    static __device__ __forceinline__ void take(state &s, element e, index_t) {
        const state v = number(e);
        s += v * v;
    }
    template <int n>
    static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t i) {
        take_each<norm_fold>(s, word, i);
    }
    static __device__ __forceinline__ state both(state a, state b) { return a + b; }
    template <typename out> static __device__ void result(out &e, state s, f64) { round_to(e, root(s)); }
};

// Words of 16 bytes of small integers: their squares are added as integers first, exactly.
#define SMALL_NORM(element)                                                                                            \
    template <> template <>                                                                                            \
    __device__ __forceinline__ void norm_fold<element>::take_word<16 / sizeof(element)>(                               \
        state *s, const parts_of<element, 16 / sizeof(element)> &word, index_t) {                                      \
        u64 sum = 0;                                                                                                   \
        _Pragma("unroll") for (int i = 0; i < (int)(16 / sizeof(element)); i += 2) {                                   \
            const unsigned a = (int)word.parts[i], b = (int)word.parts[i + 1];                                         \
            sum += (u64)(a * a) + b * b;                                                                               \
        }                                                                                                              \
        s[0] += (f64)sum;                                                                                              \
    }
SMALL_NORM(i8)
SMALL_NORM(u8)
SMALL_NORM(i16)
SMALL_NORM(u16)

// ---- Variances ------------------------------------------------------------------------------------------------------

#ifndef DDOF
#define DDOF 0   // what is taken off the number of elements before it divides
#endif

// In f64 whatever the elements: how many, their mean, and the sum of their squared distances from it. Two of these make
// one as in Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983). f64 counts are exact, and
// spare conversions.
struct spread_state {
    f64 n, mean, squares;
};

// A part that weighs nothing beside the other adds nothing, however far apart their means: apart * weight comes first.
__device__ __forceinline__ spread_state join_spreads(const spread_state &a, const spread_state &b) {
    const f64 n = a.n + b.n, share = n > 0 ? b.n / n : 0, apart = b.mean - a.mean;
    return {n, a.mean + apart * share, a.squares + b.squares + apart * (apart * (a.n * share))};
}

template <typename element> struct var_fold {
    typedef spread_state state;
    static __device__ state none() { return {0, 0, 0}; }
    static __device__ __forceinline__ void take(state &s, element e, index_t) {
        const f64 x = (f64)number(e), apart = x - s.mean;
        s.n += 1;
        s.mean += apart / s.n;
        s.squares += apart * (x - s.mean);
    }
    // Of a word its mean first, then the distances from it: one division for all of its elements.
    template <int n>
    static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t) {
        f64 x[n], sum = 0;
#pragma unroll
        for (int i = 0; i < n; i++) sum += x[i] = (f64)number(word.parts[i]);
        spread_state all = {n, sum / n, 0};
#pragma unroll
        for (int i = 0; i < n; i++) all.squares += (x[i] - all.mean) * (x[i] - all.mean);
        s[0] = join_spreads(s[0], all);
    }
    static __device__ __forceinline__ state both(const state &a, const state &b) { return join_spreads(a, b); }
    static __device__ __forceinline__ f64 variance(const state &s, f64 count) {
        const f64 n = count - DDOF;
        return s.squares / (n > 0 ? n : 0);
    }
    template <typename out> static __device__ void result(out &e, const state &s, f64 count) {
        round_to(e, (typename traits<out>::value)variance(s, count));
    }
};

template <typename element> struct std_fold : var_fold<element> {
    template <typename out> static __device__ void result(out &e, const spread_state &s, f64 count) {
        round_to(e, (typename traits<out>::value)root(var_fold<element>::variance(s, count)));
    }
};

// ---- Elements that are not 0 ----------------------------------------------------------------------------------------

// Counted; what is asked of the count is told at the end. `out` is a byte for any and all.
template <typename element> struct count_fold {
    typedef u64 state;
    static __device__ state none() { return 0; }
    static __device__ __forceinline__ void take(state &s, element e, index_t) { s += number(e) != 0; }
    template <int n>
    static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t) {
        unsigned count = 0;
#pragma unroll
        for (int i = 0; i < n; i++) count += number(word.parts[i]) != 0;
        s[0] += count;
    }
    static __device__ __forceinline__ state both(state a, state b) { return a + b; }
    template <typename out> static __device__ void result(out &e, state s, f64) { e = (out)s; }
};

template <typename element> struct any_fold : count_fold<element> {
    static __device__ void result(u8 &e, u64 s, f64) { e = s != 0; }
};

template <typename element> struct all_fold : count_fold<element> {
    static __device__ void result(u8 &e, u64 s, f64 count) { e = (f64)s == count; }
};

// ---- Least and greatest --------------------------------------------------------------------------------------------

// NaN when either is, -0.0 below 0.0.
template <typename value> __device__ __forceinline__ value least(value a, value b) { return b < a ? b : a; }
template <typename value> __device__ __forceinline__ value greatest(value a, value b) { return b > a ? b : a; }
#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ float least<float>(float a, float b) {
    asm("min.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}
template <> __device__ __forceinline__ float greatest<float>(float a, float b) {
    asm("max.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}
#else
template <> __device__ __forceinline__ float least<float>(float a, float b) {
    return a != a ? a : b != b ? b : fminf(a, b);
}
template <> __device__ __forceinline__ float greatest<float>(float a, float b) {
    return a != a ? a : b != b ? b : fmaxf(a, b);
}
#endif
template <> __device__ __forceinline__ double least<double>(double a, double b) {
    return a != a ? a : b != b ? b : fmin(a, b);
}
template <> __device__ __forceinline__ double greatest<double>(double a, double b) {
    return a != a ? a : b != b ? b : fmax(a, b);
}

#define EXTREME_FOLD(name, choose, start)                                                                              \
    template <typename element> struct name {                                                                          \
        typedef typename traits<element>::value state;                                                                 \
        static __device__ state none() { return traits<element>::start(); }                                            \
        static __device__ __forceinline__ void take(state &s, element e, index_t) { s = choose(s, number(e)); }        \
        template <int n>                                                                                               \
        static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t i) {      \
            take_each<name>(s, word, i);                                                                               \
        }                                                                                                              \
        static __device__ __forceinline__ state both(state a, state b) { return choose(a, b); }                        \
        static __device__ void result(element &e, state s, f64) { round_to(e, s); }                                    \
    };
EXTREME_FOLD(min_fold, least, highest)
EXTREME_FOLD(max_fold, greatest, lowest)

// ---- And where they are --------------------------------------------------------------------------------------------

// Whether v replaces the best so far, which has a lower index: a NaN does unless the best is one.
template <typename value> __device__ __forceinline__ bool is_less(value v, value best) { return v < best; }
template <> __device__ __forceinline__ bool is_less<float>(float v, float best) {
    return !(v >= best) && best == best;
}
template <> __device__ __forceinline__ bool is_less<double>(double v, double best) {
    return !(v >= best) && best == best;
}
template <typename value> __device__ __forceinline__ bool is_more(value v, value best) { return v > best; }
template <> __device__ __forceinline__ bool is_more<float>(float v, float best) {
    return !(v <= best) && best == best;
}
template <> __device__ __forceinline__ bool is_more<double>(double v, double best) {
    return !(v <= best) && best == best;
}

// The index of a state that has taken nothing better than the start value is the largest there is; of several such the
// elements are all equal, and the first of them is 0.
//
// ORDERED 1: every thread takes its elements in the order of their indices, and keeps the first of equal ones without
// looking at indices.
#ifndef ORDERED
#define ORDERED 1
#endif

template <typename value> struct place_state {
    value best;
    index_t index;
};

#define PLACE_FOLD(name, is_better, start)                                                                             \
    template <typename element> struct name {                                                                          \
        typedef typename traits<element>::value value;                                                                 \
        typedef place_state<value> state;                                                                              \
        static __device__ state none() { return {traits<element>::start(), (index_t)-1}; }                             \
        static __device__ __forceinline__ void take(state &s, element e, index_t i) {                                  \
            const value v = number(e);                                                                                 \
            if (ORDERED ? is_better(v, s.best) : is_better(v, s.best) || (!is_better(s.best, v) && i < s.index)) {     \
                s.best = v;                                                                                            \
                s.index = i;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        template <int n>                                                                                               \
        static __device__ __forceinline__ void take_word(state *s, const parts_of<element, n> &word, index_t i) {      \
            take_each<name>(s, word, i);                                                                               \
        }                                                                                                              \
        static __device__ __forceinline__ state both(state a, state b) {                                               \
            return is_better(b.best, a.best) || (!is_better(a.best, b.best) && b.index < a.index) ? b : a;             \
        }                                                                                                              \
        static __device__ void result(i64 &e, state s, f64) { e = s.index == (index_t)-1 ? 0 : (i64)s.index; }         \
    };
PLACE_FOLD(argmin_fold, is_less, highest)
PLACE_FOLD(argmax_fold, is_more, lowest)
