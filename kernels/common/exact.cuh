// A sum that forgets nothing: a fixed-point number wide enough for every float, and its one rounding at the end. In C
// and in CUDA, so that the processor and a GPU give the same bits: src/op/reduce/exact_sum.c includes it as well.
//
// The number is an array of limbs, each a signed 64-bit word that counts 32 bits of it: limb i stands for limb * 2^(low
// + 32 i). Additions leave the upper half of each word for carries, which are passed on once at the end, or after 2^30
// additions to a limb (carry-save). Integers add up to the same bits in any order, so the order of the terms, threads
// and devices does not matter.
// Sources: Kulisch, "Arithmetic in Action" (1976 and later), for the long accumulator; Neal, "Fast exact summation
// using small and large superaccumulators" (2015), for limbs that overlap; Collange, Defour, Graillat and Iakymchuk,
// "Numerical reproducibility for the parallel reduction on multi- and many-core architectures" (ExBLAS, 2015), for
// GPUs.
#ifndef HALFWARP_EXACT_CUH
#define HALFWARP_EXACT_CUH

#ifdef __CUDACC__   // NVRTC and nvcc; clang says it too
#define EXACT_FUNCTION __device__ inline
#else
#define EXACT_FUNCTION static inline
#endif

typedef long long exact_limb;
typedef unsigned long long exact_bits;

// The limbs of f32 and of f64: from below half of the smallest number divided by a count to 2^64 times the largest.
enum {
    EXACT_LOW_F32 = -192, EXACT_LIMBS_F32 = 12,     // 2^-192 to 2^192; the smallest number is 2^-149, the largest 2^128
    EXACT_LOW_F64 = -1120, EXACT_LIMBS_F64 = 69,    // 2^-1120 to 2^1088; 2^-1074, 2^1024
};

// What the limbs cannot hold.
enum {
    EXACT_PLUS_INFINITY = 1,
    EXACT_MINUS_INFINITY = 2,
    EXACT_NAN = 4,
    EXACT_NOT_MINUS_ZERO = 8,   // a term was something else than -0
};

// The three limbs, from `index` on, that value * 2^place touches, place counted from the lowest bit of limb 0; what
// each gets is below 2^33 in magnitude. |value| < 2^63.
typedef struct exact_pieces {
    int index;
    exact_limb piece[3];
} exact_pieces;

EXACT_FUNCTION exact_pieces exact_split(exact_limb value, int place) {
    const int shift = place & 31;
    const exact_bits low = ((exact_bits)value & 0xffffffffu) << shift;
    const exact_limb high = (exact_limb)((exact_bits)(value >> 32) << shift);
    exact_pieces p;
    p.index = place >> 5;
    p.piece[0] = (exact_limb)(low & 0xffffffffu);
    p.piece[1] = (exact_limb)(low >> 32) + (exact_limb)((exact_bits)high & 0xffffffffu);
    p.piece[2] = high >> 32;
    return p;
}

// The significand of a finite f64, with its sign, and the place of its lowest bit in EXACT_LIMBS_F64 limbs.
EXACT_FUNCTION exact_limb exact_significand(exact_bits bits, int *place) {
    const int exponent = (int)(bits >> 52 & 2047);
    const exact_limb fraction = (exact_limb)(bits & 0xfffffffffffffu);
    const exact_limb size = exponent ? fraction | (exact_limb)1 << 52 : fraction;
    *place = (exponent ? exponent : 1) - 1075 - EXACT_LOW_F64;
    return bits >> 63 ? -size : size;
}

// The EXACT_ flags of an f64, finite or not.
EXACT_FUNCTION unsigned exact_flags(exact_bits bits) {
    const exact_bits infinity = (exact_bits)2047 << 52, size = bits & ~((exact_bits)1 << 63);
    if (size > infinity) return EXACT_NAN | EXACT_NOT_MINUS_ZERO;
    if (size == infinity) return (bits >> 63 ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY) | EXACT_NOT_MINUS_ZERO;
    return size || bits == 0 ? EXACT_NOT_MINUS_ZERO : 0;
}

// Passes the carries on: each limb becomes a digit of 32 bits, but the last one, which keeps the sign.
EXACT_FUNCTION void exact_carry(exact_limb *limbs, int n) {
    exact_limb carry = 0;
    for (int i = 0; i < n - 1; i++) {
        const exact_limb sum = limbs[i] + carry;
        limbs[i] = sum & 0xffffffff;
        carry = sum >> 32;
    }
    limbs[n - 1] += carry;
}

// Digits of 32 bits become those of minus the number.
EXACT_FUNCTION void exact_negate(exact_limb *limbs, int n) {
    exact_limb carry = 1;
    for (int i = 0; i < n; i++) {
        const exact_limb sum = (~limbs[i] & 0xffffffff) + carry;
        limbs[i] = sum & 0xffffffff;
        carry = sum >> 32;
    }
}

// Divides the highest digits, below limb `n`, by a count below 2^48, and leaves the quotient in their place: as many
// digits as any rounding looks at. Digits below become 0. Returns whether anything is left over.
EXACT_FUNCTION bool exact_divide(exact_limb *limbs, int n, exact_bits count) {
    const int end = n > 6 ? n - 6 : 0;
    exact_bits rest = 0;
    for (int i = n - 1; i >= end; i--) {
        const exact_bits digit = (exact_bits)limbs[i];
        const exact_bits upper = rest << 16 | digit >> 16;
        const exact_bits lower = upper % count << 16 | (digit & 0xffff);
        limbs[i] = (exact_limb)(upper / count << 16 | lower / count);
        rest = lower % count;
    }
    for (int i = end - 1; i >= 0; i--) {
        rest |= (exact_bits)limbs[i];
        limbs[i] = 0;
    }
    return rest != 0;
}

// The digits rounded to the nearest number of `precision` bits whose lowest bit is 2^lowest or more, ties to even: as
// bits of IEEE 754, without a sign. `rest`: something not 0 lies below the digits. Not 0 itself; too large: more than
// infinity's.
EXACT_FUNCTION exact_bits exact_round(const exact_limb *limbs, int n, int low, bool rest, int precision, int lowest) {
    int top = n - 1;
    while (top > 0 && !limbs[top]) top--;
    if (!limbs[top]) return 0;   // a quotient below every digit
    // The highest 64 bits, the first of them a 1.
    int zeros = 0;
    while (!(limbs[top] >> (31 - zeros) & 1)) zeros++;
    const exact_bits d0 = (exact_bits)limbs[top], d1 = top > 0 ? (exact_bits)limbs[top - 1] : 0,
                     d2 = top > 1 ? (exact_bits)limbs[top - 2] : 0;
    const exact_bits significand = (d0 << 32 | d1) << zeros | (zeros ? d2 >> (32 - zeros) : 0);
    if (zeros ? d2 << zeros & 0xffffffffu : d2) rest = true;
    for (int i = top - 3; i >= 0; i--)
        if (limbs[i]) rest = true;

    const int exponent = low + 32 * top + 31 - zeros;   // of the first bit
    int last = exponent - (precision - 1);              // of the last bit that stays
    if (last < lowest) last = lowest;
    const int drop = last - (exponent - 63);            // bits that go: 11 or more
    if (drop > 64) return 0;
    exact_bits kept = drop < 64 ? significand >> drop : 0;
    const exact_bits half = (exact_bits)1 << (drop - 1), dropped = significand & (half | (half - 1));
    if (dropped > half || (dropped == half && (rest || (kept & 1)))) kept++;
    // The exponent's field counts from `lowest`; the first bit of a normal number adds one to it, as does one that
    // rounding made of ones.
    return ((exact_bits)(last - lowest) << (precision - 1)) + kept;
}

// The sum, divided by count (below 2^48; 1: the sum itself) and rounded once, as bits of f32 or f64. Changes the limbs.
EXACT_FUNCTION exact_bits exact_result(exact_limb *limbs, bool f64, unsigned flags, exact_bits count) {
    const int n = f64 ? EXACT_LIMBS_F64 : EXACT_LIMBS_F32, low = f64 ? EXACT_LOW_F64 : EXACT_LOW_F32;
    const int precision = f64 ? 53 : 24, lowest = f64 ? -1074 : -149;
    const exact_bits sign = (exact_bits)1 << (f64 ? 63 : 31);
    const exact_bits infinity = (exact_bits)(f64 ? 2047 : 255) << (precision - 1);
    if (flags & EXACT_NAN || (flags & EXACT_PLUS_INFINITY && flags & EXACT_MINUS_INFINITY))
        return infinity | (exact_bits)1 << (precision - 2);
    if (flags & EXACT_PLUS_INFINITY) return infinity;
    if (flags & EXACT_MINUS_INFINITY) return sign | infinity;

    exact_carry(limbs, n);
    const bool negative = limbs[n - 1] < 0;
    limbs[n - 1] &= 0xffffffff;
    if (negative) exact_negate(limbs, n);
    int used = n;
    while (used > 0 && !limbs[used - 1]) used--;
    if (!used) return flags & EXACT_NOT_MINUS_ZERO ? 0 : sign;
    const bool rest = count > 1 ? exact_divide(limbs, used, count) : false;
    const exact_bits size = exact_round(limbs, used, low, rest, precision, lowest);
    return (negative ? sign : 0) | (size < infinity ? size : infinity);
}

#endif
