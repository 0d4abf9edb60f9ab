// atom and red: read, combine, write, one lane after the other in lane order.
//
// Blocks run on several host threads, so what they share is combined with the host's own atomics; shared memory belongs
// to one thread, and needs none. PTX ISA, atom and red.
#include <string.h>

#include "exec/ops/half.h"
#include "exec/region.h"
#include "exec/warp/warp.h"

// Threads talk by atomics. An atomic that changed nothing (a lock that is taken, a count that has not been reached) has
// probably found that its warp must wait: a loop of such atomics must let others run.
static void poll_unless_changed(hw_state *s, bool changed) {
    if (!changed) hw_turn_poll(&s->turn);
}

// Where the active lanes' words are.
typedef struct words_at {
    union {
        uint64_t address[32];
        void *at[32];
    };
    bool is_shared;               // known to be shared memory, which no other thread touches
    bool is_device;               // known to be device memory
} words_at;

static const hw_inst *refuse_local(hw_state *s, const hw_inst *in, const words_at *words) {
    const int first = __builtin_ctz(s->warp.mask);
    const uint64_t row = words->address[first] - (uint64_t)(uintptr_t)s->local - 4 * (uint64_t)first;
    return hw_fault_access(s, in, HW_FAULT_ADDRESS, first, HW_SPACE_LOCAL, row / 128 * 4 + row % 128, in->width, true);
}

// False after a fault.
static bool find_words(hw_state *s, const hw_inst *in, words_at *words) {
    const hw_space space = hw_lanes_at(s, in, words->address);
    words->is_shared = space == HW_SPACE_SHARED;
    words->is_device = space == HW_SPACE_GLOBAL;
    if (space == HW_SPACE_GENERIC) return hw_access_pointers(s, in, true, words->at);
    return space != HW_SPACE_LOCAL || refuse_local(s, in, words);
}

// Do all active lanes mean one word? Lanes that are off have the address of one that is on, or none.
static bool is_one_word(const hw_warp *w, const words_at *words) {
    const uint64_t first = words->address[__builtin_ctz(w->mask)];
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (words->address[i] ^ first) & (uint64_t)(int64_t)w->lanes[i];
    return !differ;
}

// One word becomes `result`, an expression in `old` and what the caller has declared, in one step that no thread sees a
// part of; `seen` is left as the bits that were there, `wanted` as those that are there now.
#define CHANGE_WORD(T, U, address, is_shared, ...)                                                     \
    U seen, wanted;                                                                                    \
    do {                                                                                               \
        U *word_ = (address);                                                                          \
        T old, new;                                                                                    \
        seen = (is_shared) ? *word_ : __atomic_load_n(word_, __ATOMIC_SEQ_CST);                        \
        do {                                                                                           \
            memcpy(&old, &seen, sizeof old);                                                           \
            __VA_ARGS__                                                                                \
            memcpy(&wanted, &new, sizeof new);                                                         \
            if (is_shared) *word_ = wanted;                                                            \
        } while (!(is_shared) && !__atomic_compare_exchange_n(word_, &seen, wanted, 0, __ATOMIC_SEQ_CST, \
                                                              __ATOMIC_SEQ_CST));                      \
    } while (0)

// Combines with an operation that has a host atomic or not: expression in `old`, `b`, `c`, all of type T.
#define ATOM(name, T, U, result)                                                                       \
    static inline bool name##_each(hw_warp *w, words_at *words, const T *bs, const T *cs, T *d, bool is_shared) { \
        bool changed = !d;                                                                             \
        for (uint32_t left = w->mask; left; left &= left - 1) {                                        \
            int i = __builtin_ctz(left);                                                               \
            const T b = bs[i], c = cs[i];                                                              \
            (void)c;                                                                                   \
            CHANGE_WORD(T, U, words->at[i], is_shared, new = (result););                               \
            changed |= wanted != seen;                                                                 \
            if (d) memcpy(&d[i], &seen, sizeof seen);                                                  \
        }                                                                                              \
        return changed;                                                                                \
    }                                                                                                  \
    /* Of all lanes that mean one word: one after the other beside memory, which sees the last. */     \
    static bool name##_one_word(hw_warp *w, words_at *words, const T *bs, const T *cs) {               \
        CHANGE_WORD(T, U, words->at[__builtin_ctz(w->mask)], false,                                    \
                    new = old;                                                                         \
                    for (uint32_t left = w->mask; left; left &= left - 1) {                            \
                        const T b = bs[__builtin_ctz(left)], c = cs[__builtin_ctz(left)];              \
                        (void)c;                                                                       \
                        new = (result);                                                                \
                        old = new;                                                                     \
                    });                                                                                \
        return true;                                                                                   \
    }                                                                                                  \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        hw_state *s = hw_state_of(w);                                                                  \
        words_at words;                                                                                \
        if (!find_words(s, in, &words)) return NULL;                                                   \
        const T *bs = hw_at(w, in->b), *cs = in->c == HW_NO_SLOT ? bs : hw_at(w, in->c);               \
        T *d = in->d == HW_NO_SLOT ? NULL : hw_at(w, in->d);                                           \
        bool changed;                                                                                  \
        if (words.is_shared) changed = name##_each(w, &words, bs, cs, d, true);                        \
        else if (!d && is_one_word(w, &words)) changed = name##_one_word(w, &words, bs, cs);           \
        else changed = name##_each(w, &words, bs, cs, d, false);                                       \
        poll_unless_changed(s, changed);                                                               \
        return in + 1;                                                                                 \
    }

// Combines with one instruction of the host. operation: what it does, of `old` and `operand`; lanes that mean one word
// do it once, with what their operands combine to. same: `old` and `operand` leave memory as it was.
#define ATOM_HOST_WAYS(name, T, function, operation, same)                                                  \
    static void name##_only(hw_warp *w, const words_at *words, const T *b) {                           \
        const int first = __builtin_ctz(w->mask);                                                      \
        if (words->is_shared) {                                                                        \
            HW_EACH_ACTIVE_LANE(T *word = words->at[i]; T operand = b[i]; T old = *word;               \
                                (void)old; *word = (operation));                                       \
        } else if (is_one_word(w, words)) {                                                            \
            T old = b[first];                                                                          \
            for (uint32_t left = w->mask & (w->mask - 1); left; left &= left - 1) {                    \
                T operand = b[__builtin_ctz(left)];                                                    \
                old = (operation);                                                                     \
            }                                                                                          \
            function((T *)words->at[first], old, __ATOMIC_SEQ_CST);                                    \
        } else {                                                                                       \
            HW_EACH_ACTIVE_LANE(function((T *)words->at[i], b[i], __ATOMIC_SEQ_CST));                  \
        }                                                                                              \
    }                                                                                                  \
    static bool name##_and_return(hw_warp *w, const words_at *words, const T *b, T *d) {               \
        bool changed = false;                                                                          \
        if (words->is_shared)                                                                          \
            HW_EACH_ACTIVE_LANE(T *word = words->at[i]; T operand = b[i]; T old = *word;               \
                                *word = (operation); changed |= !(same); d[i] = old);                  \
        else                                                                                           \
            HW_EACH_ACTIVE_LANE(T operand = b[i]; T old = function((T *)words->at[i], operand, __ATOMIC_SEQ_CST); \
                                changed |= !(same); d[i] = old);                                       \
        return changed;                                                                                \
    }

// only: what is done where nobody wants the result.
#define ATOM_HOST_BODY(name, T, only)                                                                  \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        hw_state *s = hw_state_of(w);                                                                  \
        words_at words;                                                                                \
        if (!find_words(s, in, &words)) return NULL;                                                   \
        const T *b = hw_at(w, in->b);                                                                  \
        if (in->d == HW_NO_SLOT) only(w, &words, b);                                                   \
        else poll_unless_changed(s, name##_and_return(w, &words, b, hw_at(w, in->d)));                 \
        return in + 1;                                                                                 \
    }

#define ATOM_HOST(name, T, function, operation, same)                                                  \
    ATOM_HOST_WAYS(name, T, function, operation, same)                                                 \
    ATOM_HOST_BODY(name, T, name##_only)

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
        words_at words;                                                                                \
        if (!find_words(s, in, &words)) return NULL;                                                   \
        for (uint32_t left = w->mask; left; left &= left - 1) {                                        \
            int i = __builtin_ctz(left);                                                               \
            T all[8], old, new;                                                                        \
            for (uint32_t e = 0; e < in->vector; e++) all[e] = ((const T *)hw_at(w, sources[e]))[i];   \
            for (uint32_t e = 0; e < in->vector; e++) {                                                \
                U *word = (U *)words.at[i] + e, seen = __atomic_load_n(word, __ATOMIC_SEQ_CST), wanted; \
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
    words_at words;
    if (!find_words(s, in, &words)) return NULL;
    const word_128 *b = hw_at(w, in->b), *c = compares ? hw_at(w, in->c) : b;
    word_128 *d = in->d == HW_NO_SLOT ? NULL : hw_at(w, in->d);
    bool changed = !d;
    while (__atomic_test_and_set(&lock_128, __ATOMIC_ACQUIRE)) continue;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        word_128 *word = words.at[i], old = *word, wanted = b[i], new = compares ? c[i] : wanted;
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

ATOM_HOST_WAYS(atom_add_32, uint32_t, __atomic_fetch_add, old + operand, operand == 0)

// Into the worker's own sums, where the launch keeps them.
static void sum_32(hw_warp *w, const words_at *words, const uint32_t *b) {
    hw_worker *worker = hw_state_of(w)->worker;
    hw_sums *sums = worker->sums;
    if (!sums || !words->is_device) {
        atom_add_32_only(w, words, b);
        return;
    }
    if (is_one_word(w, words)) {
        uint32_t sum = 0;
        HW_EACH_ACTIVE_LANE(sum += b[i]);
        hw_sums_add(sums, words->address[__builtin_ctz(w->mask)], sum);
        return;
    }
    HW_EACH_ACTIVE_LANE(hw_sums_add(sums, words->address[i], b[i]));
    sums->n_added += HW_WARP_LANES;
    if (!hw_sums_are_vain(sums)) return;
    hw_sums_flush(sums);
    worker->sums = NULL;
}
ATOM_HOST_BODY(atom_add_32, uint32_t, sum_32)
ATOM_HOST(atom_add_64, uint64_t, __atomic_fetch_add, old + operand, operand == 0)
ATOM_HOST(atom_and_32, uint32_t, __atomic_fetch_and, old & operand, (old & operand) == old)
ATOM_HOST(atom_and_64, uint64_t, __atomic_fetch_and, old & operand, (old & operand) == old)
ATOM_HOST(atom_or_32, uint32_t, __atomic_fetch_or, old | operand, (old | operand) == old)
ATOM_HOST(atom_or_64, uint64_t, __atomic_fetch_or, old | operand, (old | operand) == old)
ATOM_HOST(atom_xor_32, uint32_t, __atomic_fetch_xor, old ^ operand, operand == 0)
ATOM_HOST(atom_xor_64, uint64_t, __atomic_fetch_xor, old ^ operand, operand == 0)
ATOM_HOST(atom_exch_32, uint32_t, __atomic_exchange_n, operand, old == operand)
ATOM_HOST(atom_exch_64, uint64_t, __atomic_exchange_n, operand, old == operand)
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

bool hw_atomic_is_sum(const hw_program *program, uint32_t index) {
    return hw_region_own_body(program, index) == atom_add_32 && program->insts[index].d == HW_NO_SLOT;
}

// Rows serve atom and red.
#undef ATOM
#define ATOM(name, function) {function, NULL}, {function, NULL},
#define ATOM_ONLY(name, function) {function, NULL},
const hw_body_forms hw_atomic_bodies[] = {
#include "isa/bodies/atomic.def"
};
