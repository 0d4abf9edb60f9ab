// atom and red: read, combine, write, one lane after the other in lane order.
//
// Blocks run on several host threads, so what they share is combined with the host's own atomics; shared memory belongs
// to one thread, and is treated the same for simplicity. PTX ISA, atom and red.
#include <string.h>

#include "exec/half.h"
#include "exec/warp.h"

// An atomic is how threads talk. One that changed nothing (a lock that is taken, a count that has not been reached) has
// probably found that it must wait: a loop of them must let others run.
static void poll(hw_state *s, bool changed) {
    if (changed) return;
    s->polls++;
    s->fuel -= HW_POLL_FUEL;
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
        poll(s, changed);                                                                              \
        return in + 1;                                                                                 \
    }

// The same with one instruction of the host. same: `old` and `b` leave memory as it was.
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
            poll(s, changed);                                                                          \
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

// Rows serve atom and red: bind.c takes "red" for "atom" when it looks up.
const hw_body_row hw_atomic_bodies[] = {
    {"atom.add.u32", atom_add_32}, {"atom.add.s32", atom_add_32}, {"atom.add.u64", atom_add_64},
    {"atom.add.s64", atom_add_64}, {"atom.and.b32", atom_and_32}, {"atom.and.b64", atom_and_64},
    {"atom.or.b32", atom_or_32}, {"atom.or.b64", atom_or_64}, {"atom.xor.b32", atom_xor_32},
    {"atom.xor.b64", atom_xor_64}, {"atom.exch.b32", atom_exch_32}, {"atom.exch.b64", atom_exch_64},
    {"atom.exch.b16", atom_exch_16}, {"atom.min.u32", atom_min_u32}, {"atom.min.s32", atom_min_s32},
    {"atom.min.u64", atom_min_u64}, {"atom.min.s64", atom_min_s64}, {"atom.max.u32", atom_max_u32},
    {"atom.max.s32", atom_max_s32}, {"atom.max.u64", atom_max_u64}, {"atom.max.s64", atom_max_s64},
    {"atom.inc.u32", atom_inc_u32}, {"atom.dec.u32", atom_dec_u32}, {"atom.cas.b16", atom_cas_16},
    {"atom.cas.b32", atom_cas_32}, {"atom.cas.b64", atom_cas_64}, {"atom.add.f32", atom_add_f32},
    {"atom.add.f64", atom_add_f64}, {"atom.add.noftz.f16", atom_add_f16}, {"atom.add.noftz.f16x2", atom_add_f16x2},
    {"atom.add.noftz.bf16", atom_add_bf16}, {"atom.add.noftz.bf16x2", atom_add_bf16x2},
    {"atom.add.f16", atom_add_f16}, {"atom.add.f16x2", atom_add_f16x2}, {"atom.add.bf16", atom_add_bf16},
    {"atom.add.bf16x2", atom_add_bf16x2}, {NULL, NULL},
};
