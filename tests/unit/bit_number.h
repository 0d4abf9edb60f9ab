// An independent exact sum: a number of one byte for each bit, from 2^-1200 on, with positive and negative terms apart.
#ifndef HW_TESTS_BIT_NUMBER_H
#define HW_TESTS_BIT_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITS = 2600, ZERO = 1200 };

typedef struct bit_number {
    unsigned char bit[BITS];
} bit_number;

static void add_bits(bit_number *to, double size) {
    int exponent;
    if (size == 0) return;
    const uint64_t significand = (uint64_t)ldexp(frexp(size, &exponent), 53);
    unsigned carry = 0;
    for (int i = 0, at = exponent - 53 + ZERO; at + i < BITS && (i < 53 || carry); i++) {
        const unsigned sum = to->bit[at + i] + (i < 53 ? significand >> i & 1 : 0) + carry;
        to->bit[at + i] = sum & 1;
        carry = sum >> 1;
    }
}

static int compare_bits(const bit_number *a, const bit_number *b) {
    for (int i = BITS - 1; i >= 0; i--)
        if (a->bit[i] != b->bit[i]) return a->bit[i] > b->bit[i] ? 1 : -1;
    return 0;
}

static void subtract_bits(bit_number *from, const bit_number *b) {
    int borrow = 0;
    for (int i = 0; i < BITS; i++) {
        const int difference = from->bit[i] - b->bit[i] - borrow;
        borrow = difference < 0;
        from->bit[i] = (unsigned char)(difference & 1);
    }
}

// Long division; what is left over below 2^-1200 becomes the lowest bit.
static void divide_bits(bit_number *a, uint64_t count) {
    uint64_t rest = 0;
    for (int i = BITS - 1; i >= 0; i--) {
        rest = rest << 1 | a->bit[i];
        a->bit[i] = rest >= count;
        if (rest >= count) rest -= count;
    }
    if (rest) a->bit[0] = 1;
}

static double round_bits(const bit_number *a, bool f64) {
    int top = BITS - 1;
    while (top >= 0 && !a->bit[top]) top--;
    if (top < 0) return 0;
    int last = top - (f64 ? 52 : 23);
    const int lowest = ZERO + (f64 ? -1074 : -149);
    if (last < lowest) last = lowest;
    uint64_t kept = 0;
    for (int i = top; i >= last; i--) kept = kept << 1 | a->bit[i];
    bool below_half = false;
    for (int i = last - 2; i >= 0; i--) below_half |= a->bit[i];
    if (a->bit[last - 1] && (below_half || (kept & 1))) kept++;
    const double value = ldexp((double)kept, last - ZERO);
    return f64 || value < 0x1p128 ? value : INFINITY;
}

// The exact sum of n finite terms, divided by count and rounded once, to f64 or f32. No sign of a zero.
static double bit_number_sum(const double *terms, size_t n, uint64_t count, bool f64) {
    static bit_number positive, negative;
    memset(&positive, 0, sizeof positive);
    memset(&negative, 0, sizeof negative);
    for (size_t k = 0; k < n; k++) add_bits(terms[k] < 0 ? &negative : &positive, fabs(terms[k]));
    const bool is_negative = compare_bits(&positive, &negative) < 0;
    bit_number *larger = is_negative ? &negative : &positive;
    subtract_bits(larger, is_negative ? &positive : &negative);
    if (count > 1) divide_bits(larger, count);
    const double value = round_bits(larger, f64);
    return is_negative ? -value : value;
}

#endif
