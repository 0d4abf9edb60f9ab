// atom and red: read, combine, write, one lane after the other in lane order.
//
// Blocks run on several host threads, so what they share is combined with the host's own atomics; shared memory belongs
// to one thread, and is treated the same for simplicity. PTX ISA, atom and red.
#include <string.h>

#include "exec/ops/half.h"
#include "exec/warp/warp.h"

// Threads talk by atomics. An atomic that changed nothing (a lock that is taken, a count that has not been reached) has
// probably found that its warp must wait: a loop of such atomics must let others run.
static void poll_unless_changed(hw_state *s, bool changed) {
    if (!changed) hw_turn_poll(&s->turn);
}

// Combines with an operation that has a host atomic or not: expression in `old`, `b`, `c`, all of type T.
#define ATOM(name, T, U, result)                                                                       \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        hw_state *s = hw_state_of(w);                                                                  \
        void *at[32];                                                                                  \
        if (!hw_access_pointers(s, in, true, at)) return NULL;                                         \
        const T *bs = hw_at(w, in->b), *cs = in->c == HW_NO_SLOT ? bs : hw_at(w, in->c);               \
        T *d = in->d == HW_NO_SLOT ? NULL : hw_at(w, in->d);                                           \
        bool changed = !d;                                                                             \
        for (uint32_t left = w->mask; left; left &= left - 1) {                                        \
            int i = __builtin_ctz(left);                                                               \
            T b = bs[i], c = cs[i], old, new;                                                          \
            U seen = __atomic_load_n((U *)at[i], __ATOMIC_SEQ_CST), wanted;                            \
            (void)c;                                                                                   \
            do {                                                                                       \
                memcpy(&old, &seen, sizeof old);                                                       \
                new = (result);                                                                        \
                memcpy(&wanted, &new, sizeof new);                                                     \
            } while (!__atomic_compare_exchange_n((U *)at[i], &seen, wanted, 0, __ATOMIC_SEQ_CST,      \
                                                  __ATOMIC_SEQ_CST));                                  \
            changed |= wanted != seen;                                                                 \
            if (d) d[i] = old;                                                                         \
        }                                                                                              \
        poll_unless_changed(s, changed);                                                                              \
        return in + 1;                                                                                 \
    }

// Combines with one instruction of the host. same: `old` and `b` leave memory as it was.
#define ATOM_HOST(name, T, function, same)                                                             \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        hw_state *s = hw_state_of(w);                                                                  \
        void *at[32];                                                                                  \
        if (!hw_access_pointers(s, in, true, at)) return NULL;                                         \
        const T *b = hw_at(w, in->b);                                                                  \
        if (in->d == HW_NO_SLOT) {                                                                     \
            HW_EACH_ACTIVE_LANE(function((T *)at[i], b[i], __ATOMIC_SEQ_CST));                         \
        } else {                                                                                       \
            T *d = hw_at(w, in->d);                                                                    \
            bool changed = false;                                                                      \
            HW_EACH_ACTIVE_LANE(T operand = b[i]; T old = function((T *)at[i], operand, __ATOMIC_SEQ_CST); \
                                changed |= !(same); d[i] = old);                                       \
            poll_unless_changed(s, changed);                                                                          \
        }                                                                                              \
        return in + 1;                                                                                 \
    }

static float canonical_f32(float x) {
    uint32_t nan = 0x7fffffff;
    if (x != x) memcpy(&x, &nan, sizeof x);
    return x;
}

static uint16_t add_half(uint16_t a, uint16_t b) {
    return hw_float_to_half(hw_half_to_float(a) + hw_half_to_float(b), HW_RN);
}

static uint16_t add_bfloat(uint16_t a, uint16_t b) {
    return hw_float_to_bfloat(hw_bfloat_to_float(a) + hw_bfloat_to_float(b), HW_RN);
}

static uint32_t add_half_pair(uint32_t a, uint32_t b) {
    return add_half((uint16_t)a, (uint16_t)b) | (uint32_t)add_half((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

static uint32_t add_bfloat_pair(uint32_t a, uint32_t b) {
    return add_bfloat((uint16_t)a, (uint16_t)b) | (uint32_t)add_bfloat((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

// Vectors of floats: each element by itself. value: an expression in `old` and `b`.
#define ATOM_VECTOR(name, T, U, value)                                                                 \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        hw_state *s = hw_state_of(w);                                                                  \
        const hw_slot *sources = w->slots + in->list, *to = sources + in->vector;                      \
        void *at[32];                                                                                  \
        if (!hw_access_pointers(s, in, true, at)) return NULL;                                         \
        for (uint32_t left = w->mask; left; left &= left - 1) {                                        \
            int i = __builtin_ctz(left);                                                               \
            T all[8], old, new;                                                                        \
            for (uint32_t e = 0; e < in->vector; e++) all[e] = ((const T *)hw_at(w, sources[e]))[i];   \
            for (uint32_t e = 0; e < in->vector; e++) {                                                \
                U *word = (U *)at[i] + e, seen = __atomic_load_n(word, __ATOMIC_SEQ_CST), wanted;      \
                T b = all[e];                                                                          \
                do {                                                                                   \
                    memcpy(&old, &seen, sizeof old);                                                   \
                    new = (value);                                                                     \
                    memcpy(&wanted, &new, sizeof new);                                                 \
                } while (!__atomic_compare_exchange_n(word, &seen, wanted, 0, __ATOMIC_SEQ_CST,        \
                                                      __ATOMIC_SEQ_CST));                              \
                if (to[e] != HW_NO_SLOT) ((T *)hw_at(w, to[e]))[i] = old;                              \
            }                                                                                          \
        }                                                                                              \
        return in + 1;                                                                                 \
    }

// 16 bytes: one at a time among all threads, as not every host has such an atomic.
typedef struct word_128 {
    uint64_t low, high;
} word_128;
static char lock_128;

static const hw_inst *atom_128(hw_warp *w, const hw_inst *in, bool compares) {
    hw_state *s = hw_state_of(w);
    void *at[32];
    if (!hw_access_pointers(s, in, true, at)) return NULL;
    const word_128 *b = hw_at(w, in->b), *c = compares ? hw_at(w, in->c) : b;
    word_128 *d = in->d == HW_NO_SLOT ? NULL : hw_at(w, in->d);
    bool changed = !d;
    while (__atomic_test_and_set(&lock_128, __ATOMIC_ACQUIRE)) continue;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        word_128 *word = at[i], old = *word, wanted = b[i], new = compares ? c[i] : wanted;
        if (!compares || (old.low == wanted.low && old.high == wanted.high)) {
            changed |= old.low != new.low || old.high != new.high;
            *word = new;
        }
        if (d) d[i] = old;
    }
    __atomic_clear(&lock_128, __ATOMIC_RELEASE);
    poll_unless_changed(s, changed);
    return in + 1;
}
static const hw_inst *atom_exch_128(hw_warp *w, const hw_inst *in) { return atom_128(w, in, false); }
static const hw_inst *atom_cas_128(hw_warp *w, const hw_inst *in) { return atom_128(w, in, true); }

// min and max of halves: NaN loses, -0 is less than +0.
static uint16_t choose_half(uint16_t a, uint16_t b, bool wants_less, uint32_t infinity) {
    bool a_nan = (a & 0x7fffu) > infinity, b_nan = (b & 0x7fffu) > infinity;
    int32_t a_rank = a & 0x8000 ? -1 - (a & 0x7fff) : a, b_rank = b & 0x8000 ? -1 - (b & 0x7fff) : b;
    if (a_nan && b_nan) return HW_HALF_NAN;
    if (a_nan || b_nan) return a_nan ? b : a;
    return (a_rank < b_rank) == wants_less ? a : b;
}

static uint32_t choose_pair(uint32_t a, uint32_t b, bool wants_less, uint32_t infinity) {
    return choose_half((uint16_t)a, (uint16_t)b, wants_less, infinity) |
           (uint32_t)choose_half((uint16_t)(a >> 16), (uint16_t)(b >> 16), wants_less, infinity) << 16;
}

ATOM_HOST(atom_add_32, uint32_t, __atomic_fetch_add, operand == 0)
ATOM_HOST(atom_add_64, uint64_t, __atomic_fetch_add, operand == 0)
ATOM_HOST(atom_and_32, uint32_t, __atomic_fetch_and, (old & operand) == old)
ATOM_HOST(atom_and_64, uint64_t, __atomic_fetch_and, (old & operand) == old)
ATOM_HOST(atom_or_32, uint32_t, __atomic_fetch_or, (old | operand) == old)
ATOM_HOST(atom_or_64, uint64_t, __atomic_fetch_or, (old | operand) == old)
ATOM_HOST(atom_xor_32, uint32_t, __atomic_fetch_xor, operand == 0)
ATOM_HOST(atom_xor_64, uint64_t, __atomic_fetch_xor, operand == 0)
ATOM_HOST(atom_exch_32, uint32_t, __atomic_exchange_n, old == operand)
ATOM_HOST(atom_exch_64, uint64_t, __atomic_exchange_n, old == operand)
ATOM(atom_min_u32, uint32_t, uint32_t, b < old ? b : old)
ATOM(atom_min_s32, int32_t, uint32_t, b < old ? b : old)
ATOM(atom_min_u64, uint64_t, uint64_t, b < old ? b : old)
ATOM(atom_min_s64, int64_t, uint64_t, b < old ? b : old)
ATOM(atom_max_u32, uint32_t, uint32_t, b > old ? b : old)
ATOM(atom_max_s32, int32_t, uint32_t, b > old ? b : old)
ATOM(atom_max_u64, uint64_t, uint64_t, b > old ? b : old)
ATOM(atom_max_s64, int64_t, uint64_t, b > old ? b : old)
ATOM(atom_inc_u32, uint32_t, uint32_t, old >= b ? 0 : old + 1)
ATOM(atom_dec_u32, uint32_t, uint32_t, old == 0 || old > b ? b : old - 1)
ATOM(atom_cas_16, uint16_t, uint16_t, old == b ? c : old)
ATOM(atom_cas_32, uint32_t, uint32_t, old == b ? c : old)
ATOM(atom_cas_64, uint64_t, uint64_t, old == b ? c : old)
ATOM(atom_exch_16, uint16_t, uint16_t, b)
ATOM(atom_add_f32, float, uint32_t, canonical_f32(old + b))
ATOM(atom_add_f64, double, uint64_t, old + b)
ATOM(atom_add_f16, uint16_t, uint16_t, add_half(old, b))
ATOM(atom_add_f16x2, uint32_t, uint32_t, add_half_pair(old, b))
ATOM(atom_add_bf16, uint16_t, uint16_t, add_bfloat(old, b))
ATOM(atom_add_bf16x2, uint32_t, uint32_t, add_bfloat_pair(old, b))

ATOM_VECTOR(vector_add_f32, float, uint32_t, canonical_f32(old + b))
ATOM_VECTOR(vector_add_f16, uint16_t, uint16_t, add_half(old, b))
ATOM_VECTOR(vector_add_f16x2, uint32_t, uint32_t, add_half_pair(old, b))
ATOM_VECTOR(vector_add_bf16, uint16_t, uint16_t, add_bfloat(old, b))
ATOM_VECTOR(vector_add_bf16x2, uint32_t, uint32_t, add_bfloat_pair(old, b))
ATOM_VECTOR(vector_min_f16, uint16_t, uint16_t, choose_half(old, b, true, 0x7c00))
ATOM_VECTOR(vector_max_f16, uint16_t, uint16_t, choose_half(old, b, false, 0x7c00))
ATOM_VECTOR(vector_min_f16x2, uint32_t, uint32_t, choose_pair(old, b, true, 0x7c00))
ATOM_VECTOR(vector_max_f16x2, uint32_t, uint32_t, choose_pair(old, b, false, 0x7c00))
ATOM_VECTOR(vector_min_bf16, uint16_t, uint16_t, choose_half(old, b, true, 0x7f80))
ATOM_VECTOR(vector_max_bf16, uint16_t, uint16_t, choose_half(old, b, false, 0x7f80))
ATOM_VECTOR(vector_min_bf16x2, uint32_t, uint32_t, choose_pair(old, b, true, 0x7f80))
ATOM_VECTOR(vector_max_bf16x2, uint32_t, uint32_t, choose_pair(old, b, false, 0x7f80))

// Rows serve atom and red.
#undef ATOM
#define ATOM(name, function) {function, NULL}, {function, NULL},
#define ATOM_ONLY(name, function) {function, NULL},
const hw_body_forms hw_atomic_bodies[] = {
#include "isa/bodies/atomic.def"
};
