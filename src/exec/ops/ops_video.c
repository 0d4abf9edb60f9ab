// Video instructions: arithmetic of bytes and half-words chosen from the operands. The rows are in
// isa/bodies/video.def. Only three forms of vabsdiff2 and vabsdiff4 are what compilers print today; those are vector
// code. The others live in hand-written PTX: one body for each operation reads its choices at run time, a lane at a
// time.
#include "exec/ops/row_bodies.h"

typedef __int128 wide;

static inline wide clamp(wide x, unsigned bits, bool is_signed) {
    wide low = is_signed ? -((wide)1 << (bits - 1)) : 0, high = is_signed ? -low - 1 : ((wide)1 << bits) - 1;
    return x < low ? low : x > high ? high : x;
}

static inline s64 bits_of(u64 x, unsigned at, unsigned bits, bool is_signed) {
    u64 top = x << (64 - bits - at);
    return is_signed ? (s64)top >> (64 - bits) : (s64)(top >> (64 - bits));
}

// PTX's partSelectSignExtend.
static inline s64 scalar_part(u32 x, unsigned part, bool is_signed) {
    return part == 7 ? bits_of(x, 0, 32, is_signed)
         : part >= 4 ? bits_of(x, 16 * (part - 4), 16, is_signed) : bits_of(x, 8 * part, 8, is_signed);
}

static inline unsigned shift_by(s64 b, s64 imm) {
    return imm & HW_VIDEO_WRAP ? (unsigned)b & 31 : b > 32 ? 32 : (unsigned)b;
}

static inline s64 holds(s64 a, s64 b, s64 imm) {
    return (imm & (a < b ? HW_VIDEO_LT : a == b ? HW_VIDEO_EQ : HW_VIDEO_GT)) != 0;
}

// What becomes of a scalar's result: saturated to the part that it goes to, combined with c, or put into c.
static inline u32 scalar_end(wide t, u32 c, s64 imm) {
    unsigned mask = imm >> 24 & 15, at = 8 * (unsigned)__builtin_ctz(mask);
    unsigned bits = 8 * (unsigned)__builtin_popcount(mask);
    bool is_signed = imm & HW_VIDEO_D_SIGNED;
    wide other = bits_of(c, 0, 32, is_signed);
    if (imm & HW_VIDEO_SAT) t = clamp(t, bits, is_signed);
    if (imm & HW_VIDEO_ADD) return (u32)(t + other);
    if (imm & HW_VIDEO_MIN) return (u32)(t < other ? t : other);
    if (imm & HW_VIDEO_MAX) return (u32)(t > other ? t : other);
    u32 covers = (u32)(((u64)1 << bits) - 1) << at;
    return ((u32)t << at & covers) | (c & ~covers);
}

// One place of a SIMD result.
static inline u32 simd_end(s64 t, u32 r, s64 imm, unsigned at, unsigned bits) {
    if (!(imm >> (24 + at / bits) & 1)) return r;
    if (imm & HW_VIDEO_ADD) return r + (u32)t;
    if (imm & HW_VIDEO_SAT) t = (s64)clamp(t, bits, imm & HW_VIDEO_D_SIGNED);
    u32 covers = ((1u << bits) - 1) << at;
    return ((u32)t << at & covers) | (r & ~covers);
}

#undef A
#undef B
#define OPERANDS                                                                          \
    u32 *d = hw_at(w, in->d);                                                             \
    const u32 *a = hw_at(w, in->a), *b = hw_at(w, in->b), *c = hw_at(w, in->c);           \
    bool a_signed = in->imm & HW_VIDEO_A_SIGNED, b_signed = in->imm & HW_VIDEO_B_SIGNED;
#define SCALAR(name, function, value)                                                     \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                       \
        OPERANDS                                                                          \
        HW_EACH_ACTIVE_LANE(                                                              \
            wide A = scalar_part(a[i], in->imm & 7, a_signed);                            \
            s64 B = scalar_part(b[i], in->imm >> 12 & 7, b_signed);                       \
            d[i] = scalar_end((value), c[i], in->imm));                                   \
        HW_NEXT(w, in);                                                                   \
    }
#define SIMD(function, bits, value)                                                       \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                       \
        OPERANDS                                                                          \
        for (u32 left = w->mask; left; left &= left - 1) {                                \
            int i = __builtin_ctz(left);                                                  \
            u64 both = (u64)b[i] << 32 | a[i];                                            \
            u32 r = c[i];                                                                 \
            for (unsigned at = 0, k = 0; at < 32; at += bits, k += 3) {                   \
                s64 A = bits_of(both, bits * (in->imm >> k & 7), bits, a_signed);         \
                s64 B = bits_of(both, bits * (in->imm >> (12 + k) & 7), bits, b_signed);  \
                r = simd_end((value), r, in->imm, at, bits);                              \
            }                                                                             \
            d[i] = r;                                                                     \
        }                                                                                 \
        HW_NEXT(w, in);                                                                   \
    }
#define PAIRS(name, function, value) SIMD(function, 16, value)
#define QUADS(name, function, value) SIMD(function, 8, value)
#include "isa/bodies/video.def"
#undef SCALAR
#undef PAIRS
#undef QUADS

// (a*b) + c, exactly; the product and c have a sign when a, b or the negated product has one.
static const hw_inst *vmad(hw_warp *w, const hw_inst *in) {
    s64 imm = in->imm;
    OPERANDS
    bool is_signed = imm & (HW_VIDEO_A_SIGNED | HW_VIDEO_B_SIGNED | HW_VIDEO_NEGATE_AB);
    unsigned scale = imm & HW_VIDEO_SHR7 ? 7 : imm & HW_VIDEO_SHR15 ? 15 : 0;
    for (u32 left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        wide product = (wide)scalar_part(a[i], imm & 7, a_signed) * scalar_part(b[i], imm >> 12 & 7, b_signed);
        wide third = bits_of(c[i], 0, 32, is_signed);
        wide sum = (imm & HW_VIDEO_NEGATE_AB ? -product : product) + (imm & HW_VIDEO_NEGATE_C ? -third : third);
        sum = (sum + !!(imm & HW_VIDEO_PLUS_ONE)) >> scale;
        d[i] = (u32)(imm & HW_VIDEO_SAT ? clamp(sum, 32, is_signed || imm & HW_VIDEO_NEGATE_C) : sum);
    }
    HW_NEXT(w, in);
}

static inline u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
#define BYTE_DISTANCE(at) distance(a[i] >> (at) & 0xff, b[i] >> (at) & 0xff)

#define A a[i]
#define B b[i]
#include "isa/bodies/video_ordered.def"

#include "exec/ops/row_table.h"
#define SCALAR(name, function, value) {function, NULL},
#define PAIRS(name, function, value) {function, NULL},
#define QUADS(name, function, value) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_video)[] = {
#include "isa/bodies/video.def"
#include "isa/bodies/video_ordered.def"
};
