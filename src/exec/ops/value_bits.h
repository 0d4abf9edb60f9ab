// Functions of bits that rows of isa/bodies/bits.def and logic.def name.
#ifndef HW_EXEC_VALUE_BITS_H
#define HW_EXEC_VALUE_BITS_H

#include "exec/ops/value_types.h"

// Counts by halves, then quarters, ...: plain arithmetic, so that loops over lanes vectorise at every level. (With a
// multiplication at the end, compilers know it for popcount, of which there is no vector before AVX-512 VPOPCNTDQ.)
static inline u32 count_bits_32(u32 x) {
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8;
    return (x + (x >> 16)) & 0x3f;
}
static inline u32 count_bits_64(u64 x) { return count_bits_32((u32)x) + count_bits_32((u32)(x >> 32)); }

// Position of the highest bit that is set; 0xffffffff when none is.
static inline u32 highest_bit_32(u32 x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return count_bits_32(x) - 1;
}
static inline u32 highest_bit_64(u64 x) {
    u32 high = (u32)(x >> 32);
    return high ? 32 + highest_bit_32(high) : highest_bit_32((u32)x);
}
static inline u32 shift_amount(u32 position, u32 top) { return position == 0xffffffffu ? position : top - position; }

static inline u32 reversed_32(u32 x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return x >> 24 | (x >> 8 & 0xff00u) | (x & 0xff00u) << 8 | x << 24;
}

// The lowest n bits set, all for 32 (64) and more.
static inline u32 ones(u32 n) { return n > 31 ? ~0u : (1u << n) - 1; }
static inline u64 ones_64(u64 n) { return n > 63 ? ~0ull : ((u64)1 << n) - 1; }

// length bits from position on. Signed: above them the field's highest bit, or the value's where the field reaches
// beyond it; of an empty field 0.
static inline u32 field_u32(u32 x, u32 position, u32 length) {
    return position > 31 ? 0 : x >> position & ones(length);
}
static inline u64 field_u64(u64 x, u64 position, u64 length) {
    return position > 63 ? 0 : x >> position & ones_64(length);
}
static inline u32 field_s32(u32 x, u32 position, u32 length) {
    u32 kept = (u32)((s32)x >> (position > 31 ? 31 : position));
    u32 unused = length > 31 ? 0 : 32 - length;
    return length ? (u32)((s32)(kept << (unused & 31)) >> (unused & 31)) : 0;
}
static inline u64 field_s64(u64 x, u64 position, u64 length) {
    u64 kept = (u64)((s64)x >> (position > 63 ? 63 : position));
    u64 unused = length > 63 ? 0 : 64 - length;
    return length ? (u64)((s64)(kept << (unused & 63)) >> (unused & 63)) : 0;
}

// bfi.
static inline u32 inserted_u32(u32 bits, u32 into, u32 position, u32 length) {
    u32 field = (position & 255) > 31 ? 0 : ones(length & 255) << (position & 31);
    return (into & ~field) | (bits << (position & 31) & field);
}
static inline u64 inserted_u64(u64 bits, u64 into, u32 position, u32 length) {
    u64 field = position > 63 ? 0 : ones_64(length) << (position & 63);
    return (into & ~field) | (bits << (position & 63) & field);
}

#define UNSIGNED_BYTE(x, k) ((x) >> 8 * (k) & 0xffu)
#define SIGNED_BYTE(x, k) ((u32)((s32)((x) << (24 - 8 * (k))) >> 24))
#define UNSIGNED_HALF(x, k) ((x) >> 16 * (k) & 0xffffu)
#define SIGNED_HALF(x, k) ((u32)((s32)((x) << (16 - 16 * (k))) >> 16))
#define DOT4(of_a, of_b) \
    (of_a(A, 0) * of_b(B, 0) + of_a(A, 1) * of_b(B, 1) + of_a(A, 2) * of_b(B, 2) + of_a(A, 3) * of_b(B, 3))
#define DOT2(of_a, of_b, k) (of_a(A, 0) * of_b(B, k) + of_a(A, 1) * of_b(B, (k) + 1))

// One byte of the result of prmt: nibble 0-7 picks a byte of b:a, 8 added to it the sign of that byte.
static inline u32 permuted_byte(u32 a, u32 b, u32 nibble) {
    u32 byte = (nibble & 4 ? b : a) >> (nibble & 3) * 8 & 0xff;
    u32 sign = (byte >> 7) * 0xff;
    return nibble & 8 ? sign : byte;
}
static inline u32 permute(u32 a, u32 b, u32 selector) {
    return permuted_byte(a, b, selector & 15) | permuted_byte(a, b, selector >> 4 & 15) << 8 |
           permuted_byte(a, b, selector >> 8 & 15) << 16 | permuted_byte(a, b, selector >> 12 & 15) << 24;
}
// The selectors of ecl and ecr for c = 0 to 3.
static inline u32 edge_left(u32 c) { return (u32)(0x3333322232113210u >> 16 * c) & 0xffff; }
static inline u32 edge_right(u32 c) { return (u32)(0x3210221011100000u >> 16 * c) & 0xffff; }

#endif
