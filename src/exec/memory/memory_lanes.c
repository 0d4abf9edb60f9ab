// Loads and stores, the quick way: an access with the relative addresses of the last time costs one comparison of
// lane vectors, one check of bounds, and a copy of the shape that was recognised then.
#include <string.h>

#include "exec/memory/deltas.h"
#include "exec/memory/locate.h"
#include "exec/memory/vectors.h"
#include "exec/memory/whole.h"

// The distance in elements from the pattern's first possible base to `base`; huge when base is below that, or not a
// whole number of elements away. One comparison with known_limit therefore checks bounds and alignment.
static inline uint64_t elements_behind(uint64_t base, uint64_t begin, uint32_t bytes) {
    uint64_t offset = base - begin;
    int shift = __builtin_ctz(bytes);
    return shift ? offset >> shift | offset << (64 - shift) : offset;
}

// The usual way of the same, for all lanes on and a known pattern in known memory. type: of one lane's address, 32 bits
// for shared memory only; bytes: of the access.
#define LOCATE_KNOWN(type, same, delta_field, bytes)                                                   \
    hw_state *s = hw_state_of(w);                                                                      \
    hw_pattern *p = &s->patterns[in->pattern];                                                         \
    const type *a = hw_at(w, in->a);                                                                   \
    uint64_t base = (type)(a[0] + (type)in->imm);                                                      \
    bool known = HW_ALL_ON(w) && elements_behind(base, p->begin, bytes) < p->known_limit &&            \
                 same(a, a[0], p->delta_field);                                                        \
    /* A number until it is known: the address may be anything. */                                     \
    uintptr_t behind_ = sizeof(type) == 4 ? base : base - p->window, shared_ = (uintptr_t)s->shared;   \
    char *m = (char *)((sizeof(type) == 4 || p->space == HW_SPACE_SHARED ? shared_ : 0) + behind_);

// The next access is likely as far from this one as this one is from the last: the next warp's row of a matrix. No
// processor guesses that across the thousands of instructions between. A wrong guess costs little, and cannot fault.
static inline void guess_next(hw_pattern *p, const char *m, uint64_t bytes) {
    uint64_t at = (uint64_t)(uintptr_t)m, next = 2 * at - p->last;
    p->last = at;
    __builtin_prefetch((const void *)(uintptr_t)next);
    if (bytes > 64) __builtin_prefetch((const void *)(uintptr_t)(next + 64));
}

// ---- convoys ----

// LOCATE for a convoy: fills p->at; false when a warp's access does not have the known pattern. Addresses that are
// computed once per launch do not change: such accesses are not located again.
#define LOCATE_ALL(name, type, same, delta_field)                                                      \
    static __attribute__((noinline)) bool name##_anew(hw_warp *w, const hw_inst *in, hw_pattern *p) {  \
        uint32_t n = w->convoy, k = 0;                                                                 \
        if (p->told_for == w && p->told_n == n) {                                                      \
            hw_access_tell_convoy(w, p);                                                               \
            return true;                                                                               \
        }                                                                                              \
        bool is_shared = sizeof(type) == 4 || p->space == HW_SPACE_SHARED, is_known = true;            \
        uint64_t begin = p->begin, offsets = 0, phases = 0;                                             \
        uint64_t limit = p->known_limit ? p->limit : p->told_limit;                                    \
        uint64_t first = (type)(*(const type *)hw_at(w, in->a) + (type)in->imm);                       \
        uint64_t memory = is_shared ? (uintptr_t)hw_state_of(w)->shared : 0;                           \
        if (sizeof(type) == 8) memory -= p->window;                                                    \
        HW_EACH_WARP(const type *a = hw_at(w, in->a);                                                  \
                     uint64_t base = (type)(a[0] + (type)in->imm);                                     \
                     is_known &= (base - begin < limit) & same(a, a[0], p->delta_field);               \
                     offsets |= base - begin;                                                          \
                     phases |= base ^ first;                                                           \
                     p->phase[k] = (uint8_t)(base & 127);                                              \
                     p->at[k++] = (char *)(uintptr_t)(memory + base););                                \
        if (__builtin_expect(!is_known || offsets & (in->width - 1u), 0)) return false;                \
        bool is_fixed = (in->a & 3) == HW_BASE_WARP || (in->a & 3) == HW_BASE_LAUNCH;                  \
        if (p->told_limit) {                                                                           \
            p->told_for = is_fixed ? w : NULL;                                                         \
            p->told_n = n;                                                                             \
            hw_access_tell_convoy(w, p);                                                               \
        } else if (is_fixed) {                                                                         \
            p->fixed_for = w;                                                                          \
            p->n_at = n;                                                                               \
            p->repeats = 1;                                                                            \
        } else if (!(phases & 127)) {                                                                  \
            p->hits[first & 127] += n;                                                                 \
        } else {                                                                                       \
            for (k = 0; k < n; k++) p->hits[p->phase[k]]++;                                            \
        }                                                                                              \
        return true;                                                                                   \
    }                                                                                                  \
    static inline bool name(hw_warp *w, const hw_inst *in, hw_pattern *p) {                            \
        if (p->fixed_for == w && p->n_at == w->convoy) {                                               \
            p->repeats++;                                                                              \
            return true;                                                                               \
        }                                                                                              \
        if (p->fixed_for) hw_access_settle(p);                                                         \
        return name##_anew(w, in, p);                                                                  \
    }
LOCATE_ALL(locate_all, uint64_t, hw_same_deltas, delta)
LOCATE_ALL(locate_all_32, uint32_t, hw_same_deltas_32, delta_32)

static __attribute__((noinline)) bool each_alone(hw_warp *w, const hw_inst *in, hw_body body) {
    hw_warp *member = w;
    for (uint32_t left = w->convoy; left; left--, member = hw_next_warp(member))
        if (!body(member, in)) return false;    // a fault
    return true;
}

// guess_next for the next convoy, where each warp has memory of its own.
static inline void guess_next_all(hw_pattern *p, uint32_t n, uint64_t bytes) {
    uint64_t base = (uint64_t)(uintptr_t)p->at[0], step = base - p->last;
    p->last = base;
    if (p->at[n - 1] == p->at[0]) return;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t next = (uint64_t)(uintptr_t)p->at[k] + step;
        __builtin_prefetch((const void *)(uintptr_t)next);
        if (bytes > 64) __builtin_prefetch((const void *)(uintptr_t)(next + 64));
    }
}

// Where a convoy's lanes lie apart in more memory than the caches hold, the processor is told of all warps' addresses
// before the first warp's are used: it would not look that far ahead by itself. They need not be addresses of anything.
// Inlined by force: GCC takes a function that only prefetches to be without effect, and drops calls of it.
static inline __attribute__((always_inline)) void prefetch_apart(hw_warp *w, const hw_inst *in, const hw_pattern *p) {
    enum { LARGE_BYTES = 1 << 22 };
    if (p->room < LARGE_BYTES || p->room_space != HW_SPACE_GLOBAL) return;
    const uint64_t shift = p->room_shift + (uint64_t)in->imm;
    HW_EACH_WARP(const uint64_t *a = hw_at(w, in->a);
                 for (int i = 0; i < 32; i++) __builtin_prefetch((const void *)(uintptr_t)(a[i] + shift)););
}

// Runs statement for each warp, m being where its access begins and r the lanes of its register.
#define EACH_LOCATED(REG, slot, ...)                                                                   \
    do {                                                                                               \
        char *const *at_ = p->at;                                                                      \
        HW_EACH_WARP(char *m = *at_++; REG *r = hw_at(w, in->slot); __VA_ARGS__);                      \
    } while (0)

// Where a convoy's lanes lie apart, the loops take four lanes of each warp at a time: the warps of a block mostly lie
// side by side, and so use the same cache lines again while these are in the cache. With more lanes at a time than a
// set of the first-level cache has ways, lines would be lost where lanes are a power of two apart. (The processor's
// gather is slower, since it has to be safe.)
#define FOUR_DELTAS(i) int64_t at0 = p->delta[i], at1 = p->delta[i + 1], at2 = p->delta[i + 2], at3 = p->delta[i + 3];

// Four rows of 8 as the elements of all four of them at one place, then those at the next: two rows zipped, then pairs.
#define FOURS_OF_ROWS(rows, to)                                                                        \
    do {                                                                                               \
        for (int k = 0; k < 4; k += 2) {                                                               \
            to[k] = __builtin_shufflevector(rows[k], rows[k + 1], 0, 8, 1, 9, 2, 10, 3, 11);           \
            to[k + 1] = __builtin_shufflevector(rows[k], rows[k + 1], 4, 12, 5, 13, 6, 14, 7, 15);     \
        }                                                                                              \
        for (int k = 0; k < 2; k++) {                                                                  \
            rows[2 * k] = __builtin_shufflevector(to[k], to[k + 2], 0, 1, 8, 9, 2, 3, 10, 11);         \
            rows[2 * k + 1] = __builtin_shufflevector(to[k], to[k + 2], 4, 5, 12, 13, 6, 7, 14, 15);   \
        }                                                                                              \
        for (int k = 0; k < 4; k++) to[k] = rows[k];                                                   \
    } while (0)

// Eight warps whose words lie side by side in each lane, as where each has a column of a tile: a lane's words of all
// warps are one vector, and of eight lanes' vectors one turn makes eight warps'. False: they do not lie so.
#if defined(__AVX2__)
typedef uint32_t eight_words __attribute__((vector_size(32)));

#define EACH_PAIR(to, from, distance, low, high)                                                       \
    for (int k = 0; k < 8; k++)                                                                        \
        if (!(k & (distance))) {                                                                       \
            to[k] = __builtin_shufflevector(from[k], from[k + (distance)], low);                       \
            to[k + (distance)] = __builtin_shufflevector(from[k], from[k + (distance)], high);         \
        }
#define PAIRS_LOW 0, 8, 2, 10, 4, 12, 6, 14
#define PAIRS_HIGH 1, 9, 3, 11, 5, 13, 7, 15
#define FOURS_LOW 0, 1, 8, 9, 4, 5, 12, 13
#define FOURS_HIGH 2, 3, 10, 11, 6, 7, 14, 15
#define HALVES_LOW 0, 1, 2, 3, 8, 9, 10, 11
#define HALVES_HIGH 4, 5, 6, 7, 12, 13, 14, 15
static inline void turn_eight(eight_words rows[8]) {
    eight_words pairs[8], fours[8];
    EACH_PAIR(pairs, rows, 1, PAIRS_LOW, PAIRS_HIGH)
    EACH_PAIR(fours, pairs, 2, FOURS_LOW, FOURS_HIGH)
    EACH_PAIR(rows, fours, 4, HALVES_LOW, HALVES_HIGH)
}

static inline bool are_columns(const hw_warp *w, const hw_pattern *p) {
    uint64_t differ = 0;
    if (w->convoy != 8) return false;
    for (uint64_t k = 0; k < 8; k++) differ |= (uint64_t)(p->at[k] - p->at[0]) ^ 4 * k;
    return !differ;
}

static __attribute__((noinline)) bool load_columns(hw_warp *w, const hw_inst *in, const hw_pattern *p) {
    eight_words rows[8];
    if (!are_columns(w, p)) return false;
    for (int i = 0; i < 32; i += 8) {
        for (int k = 0; k < 8; k++) memcpy(&rows[k], p->at[0] + p->delta[i + k], sizeof rows[k]);
        turn_eight(rows);
        const eight_words *row = rows;
        HW_EACH_WARP(memcpy((uint32_t *)hw_at(w, in->d) + i, row++, sizeof *row););
    }
    return true;
}

static __attribute__((noinline)) bool store_columns(hw_warp *w, const hw_inst *in, const hw_pattern *p) {
    eight_words rows[8];
    if (!are_columns(w, p)) return false;
    for (int i = 0; i < 32; i += 8) {
        eight_words *row = rows;
        HW_EACH_WARP(memcpy(row++, (const uint32_t *)hw_at(w, in->b) + i, sizeof *row););
        turn_eight(rows);
        for (int k = 0; k < 8; k++) memcpy(p->at[0] + p->delta[i + k], &rows[k], sizeof rows[k]);
    }
    return true;
}
#else
#define load_columns(w, in, p) false
#define store_columns(w, in, p) false
#endif

#define LOAD_KNOWN(name, slow, MEM, REG, type, same, delta_field, locate)                              \
    static inline void name##_copy(REG *restrict d, const MEM *restrict from, int n) {                 \
        _Pragma("GCC ivdep") for (int i = 0; i < n; i++) d[i] = (REG)from[i];                          \
    }                                                                                                  \
    static inline void name##_spread(REG *restrict d, MEM value, int n) {                              \
        _Pragma("GCC ivdep") for (int i = 0; i < n; i++) d[i] = (REG)value;                            \
    }                                                                                                  \
    static inline void name##_fours(REG *restrict d, const char *m, const int64_t *delta) {            \
        for (int i = 0; i < 32; i += 4) name##_copy(d + i, (const MEM *)(m + delta[i]), 4);            \
    }                                                                                                  \
    static inline void name##_four_rows(REG *restrict d, const char *m, const int64_t *delta) {        \
        typedef MEM row __attribute__((vector_size(8 * sizeof(MEM))));                                 \
        typedef REG lanes __attribute__((vector_size(8 * sizeof(REG))));                               \
        row rows[4], fours[4];                                                                         \
        for (int k = 0; k < 4; k++) memcpy(&rows[k], m + delta[k], sizeof rows[k]);                    \
        FOURS_OF_ROWS(rows, fours);                                                                    \
        for (int k = 0; k < 4; k++) {                                                                  \
            lanes eight = __builtin_convertvector(fours[k], lanes);                                    \
            memcpy(d + 8 * k, &eight, sizeof eight);                                                   \
        }                                                                                              \
    }                                                                                                  \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        LOCATE_KNOWN(type, same, delta_field, sizeof(MEM))                                             \
        if (__builtin_expect(!known, 0)) return slow(w, in);                                           \
        if (sizeof(type) == 8) guess_next(p, m, 32 * sizeof(MEM));                                     \
        hw_access_count(p, base);                                                                      \
        REG *d = hw_at(w, in->d);                                                                      \
        const MEM *from = (const MEM *)m, *half = (const MEM *)(m + p->delta[16]);                     \
        MEM value, other;                                                                              \
        switch (p->shape) {                                                                            \
        case HW_SHAPE_UNIT: name##_copy(d, from, 32); break;                                           \
        case HW_SHAPE_SAME: name##_spread(d, *from, 32); break;                                        \
        case HW_SHAPE_UNIT_HALVES:                                                                     \
            name##_copy(d, from, 16);                                                                  \
            name##_copy(d + 16, half, 16);                                                             \
            break;                                                                                     \
        case HW_SHAPE_SAME_HALVES:                                                                     \
            value = *from, other = *half;                                                              \
            name##_spread(d, value, 16);                                                               \
            name##_spread(d + 16, other, 16);                                                          \
            break;                                                                                     \
        case HW_SHAPE_FOURS: name##_fours(d, m, p->delta); break;                                      \
        case HW_SHAPE_FOUR_ROWS: name##_four_rows(d, m, p->delta); break;                              \
        default:                                                                                       \
            _Pragma("GCC unroll 8") for (int i = 0; i < 32; i++) d[i] = (REG)*(const MEM *)(m + p->delta[i]); \
        }                                                                                              \
        HW_NEXT(w, in);                                                                                \
    }                                                                                                  \
    static const hw_inst *name##_convoy(hw_warp *w, const hw_inst *in) {                               \
        hw_pattern *p = &hw_state_of(w)->patterns[in->pattern];                                        \
        if (__builtin_expect(p->apart || !locate(w, in, p), 0)) {                                      \
            if (sizeof(type) == 8 && p->apart) prefetch_apart(w, in, p);                               \
            if (!each_alone(w, in, slow)) return NULL;                                                 \
            HW_NEXT(w, in);                                                                            \
        }                                                                                              \
        int64_t apart = p->delta[16];                                                                  \
        switch (p->shape) {                                                                            \
        case HW_SHAPE_UNIT:                                                                            \
            if (sizeof(type) == 8) guess_next_all(p, w->convoy, 32 * sizeof(MEM));                     \
            EACH_LOCATED(REG, d, name##_copy(r, (const MEM *)m, 32););                                 \
            break;                                                                                     \
        case HW_SHAPE_SAME: EACH_LOCATED(REG, d, name##_spread(r, *(const MEM *)m, 32);); break;       \
        case HW_SHAPE_UNIT_HALVES:                                                                     \
            EACH_LOCATED(REG, d, name##_copy(r, (const MEM *)m, 16);                                   \
                         name##_copy(r + 16, (const MEM *)(m + apart), 16););                          \
            break;                                                                                     \
        case HW_SHAPE_SAME_HALVES:                                                                     \
            EACH_LOCATED(REG, d, MEM value = *(const MEM *)m; MEM other = *(const MEM *)(m + apart);   \
                         name##_spread(r, value, 16); name##_spread(r + 16, other, 16););              \
            break;                                                                                     \
        case HW_SHAPE_FOURS: EACH_LOCATED(REG, d, name##_fours(r, m, p->delta);); break;               \
        case HW_SHAPE_FOUR_ROWS: EACH_LOCATED(REG, d, name##_four_rows(r, m, p->delta);); break;       \
        default:                                                                                       \
            if (sizeof(MEM) == 4 && sizeof(REG) == 4 && load_columns(w, in, p)) break;                 \
            for (int i = 0; i < 32; i += 4) {                                                          \
                FOUR_DELTAS(i)                                                                         \
                EACH_LOCATED(REG, d, MEM v0 = *(const MEM *)(m + at0); MEM v1 = *(const MEM *)(m + at1); \
                             MEM v2 = *(const MEM *)(m + at2); MEM v3 = *(const MEM *)(m + at3);       \
                             r[i] = (REG)v0; r[i + 1] = (REG)v1; r[i + 2] = (REG)v2; r[i + 3] = (REG)v3;); \
            }                                                                                          \
        }                                                                                              \
        HW_NEXT(w, in);                                                                                \
    }

// ---- any access ----

// The distance of a lane's element e from its first one, in this space.
static inline uint64_t element_offset(hw_space space, uint32_t e, uint32_t width) {
    return space == HW_SPACE_LOCAL ? hw_local_offset((uint64_t)e * width) : (uint64_t)e * width;
}

// Elements of 8 bytes are two words of local memory.
static inline uint64_t split_word(uint64_t at) {
    const uint32_t *word = (const uint32_t *)(uintptr_t)at;
    return word[0] | (uint64_t)word[32] << 32;
}

static inline void put_split_word(uint64_t at, uint64_t value) {
    uint32_t *word = (uint32_t *)(uintptr_t)at;
    word[0] = (uint32_t)value;
    word[32] = (uint32_t)(value >> 32);
}

// Do the active lanes' words lie side by side, as the lanes do?
static inline bool are_in_line(const hw_warp *w, const uint64_t at[32], uint32_t bytes) {
    const uint32_t first = (uint32_t)__builtin_ctz(w->mask), last = 31 - (uint32_t)__builtin_clz(w->mask);
    const uint64_t begin = at[first] - (uint64_t)first * bytes;
    uint64_t differ = 0;
    if (at[last] - begin != (uint64_t)last * bytes) return false;    // the usual way of those that do not
    for (int i = 0; i < 32; i++) differ |= (at[i] - begin - (uint64_t)i * bytes) & (uint64_t)(int64_t)w->lanes[i];
    return !differ;
}

// Where lane 0's element lies, when the lanes' elements lie side by side and can be copied by vectors; else 0. Lanes of
// local memory do when all have one offset, and all of such a row may be touched.
static inline uint64_t find_line(const hw_warp *w, const hw_inst *in, const uint64_t at[32], hw_space space) {
    const uint32_t bytes = in->width, first = (uint32_t)__builtin_ctz(w->mask);
    const bool is_local = space == HW_SPACE_LOCAL;
    if (bytes != in->reg_bytes || bytes < 4 || (is_local ? bytes > 4 : in->vector > 1)) return 0;
#ifndef HW_HAS_AVX512
    if (!HW_ALL_ON(w) && !is_local) return 0;
#endif
    return are_in_line(w, at, bytes) ? at[first] - (uint64_t)first * bytes : 0;
}

// Copies the active lanes' elements between a line and a register. With AVX-512 nothing but these is touched, nor read.
// A register is written as a whole: a load behind a masked store would have to wait for the cache.
#ifdef HW_HAS_AVX512
#define COPY_LINE(T, is_store)                                                              \
    for (uint32_t lane = 0; lane < 32; lane += 64 / sizeof(T)) {                                       \
        T *m = (T *)(uintptr_t)line + lane, *r = (T *)registers + lane;                                \
        const uint32_t on = w->mask >> lane;                                                           \
        const __m512i old = _mm512_loadu_si512(r);                                                     \
        if (sizeof(T) == 4 && is_store) _mm512_mask_storeu_epi32(m, (__mmask16)on, old);               \
        else if (is_store) _mm512_mask_storeu_epi64(m, (__mmask8)on, old);                             \
        else if (sizeof(T) == 4) _mm512_storeu_si512(r, _mm512_mask_loadu_epi32(old, (__mmask16)on, m)); \
        else _mm512_storeu_si512(r, _mm512_mask_loadu_epi64(old, (__mmask8)on, m));                    \
    }
#else
#define COPY_LINE(T, is_store)                                                              \
    T *m = (T *)(uintptr_t)line, *r = registers;                                                       \
    if (is_store) HW_LANES(m, r[i]);                                                                   \
    else HW_LANES(r, m[i]);
#endif
static inline void load_line(const hw_warp *w, uint64_t line, void *registers, uint32_t bytes) {
    if (bytes == 4) {
        COPY_LINE(uint32_t, false)
    } else {
        COPY_LINE(uint64_t, false)
    }
}
static inline void store_line(const hw_warp *w, uint64_t line, void *registers, uint32_t bytes) {
    if (bytes == 4) {
        COPY_LINE(uint32_t, true)
    } else {
        COPY_LINE(uint64_t, true)
    }
}

// One element per lane, or in->vector of them, from memory type MEM to register lanes of type REG.
#define LOAD(name, MEM, REG)                                                                           \
    static __attribute__((noinline)) const hw_inst *name##_vector(hw_warp *w, const hw_inst *in) {     \
        hw_state *s = hw_state_of(w);                                                                  \
        uint64_t at[32];                                                                               \
        const hw_space space = HW_LEVEL_NAME(hw_lanes_at)(s, in, at);                                  \
        if (__builtin_expect(space == HW_SPACE_GENERIC, 0)) return hw_access_general(s, in, false);    \
        const hw_slot *registers = in->vector > 1 ? w->slots + in->list : &in->d;                      \
        if (sizeof(MEM) == sizeof(REG) && space != HW_SPACE_LOCAL && hw_is_quick_vector(in)) {         \
            hw_load_vectors(w, in, registers, at);                                                     \
            return in + 1;                                                                             \
        }                                                                                              \
        const uint64_t line = sizeof(MEM) == sizeof(REG) ? find_line(w, in, at, space) : 0;            \
        for (uint32_t e = 0; e < in->vector; e++) {                                                    \
            const uint64_t offset = element_offset(space, e, sizeof(MEM));                             \
            if (registers[e] == HW_NO_SLOT) continue;                                                  \
            REG *d = hw_at(w, registers[e]);                                                           \
            if (line) load_line(w, line + offset, d, sizeof(MEM));                                     \
            else if (sizeof(MEM) == 8 && space == HW_SPACE_LOCAL)                                           \
                HW_EACH_ACTIVE_LANE(d[i] = (REG)split_word(at[i] + offset));                           \
            else if (HW_ALL_ON(w))                                                                     \
                for (int i = 0; i < 32; i++) d[i] = (REG)*(const MEM *)(uintptr_t)(at[i] + offset);    \
            else                                                                                       \
                HW_EACH_ACTIVE_LANE(d[i] = (REG)*(const MEM *)(uintptr_t)(at[i] + offset));            \
        }                                                                                              \
        if (in->flags & HW_INST_VOLATILE) hw_turn_poll(&s->turn);                                      \
        return in + 1;                                                                                 \
    }                                                                                                  \
    LOAD_KNOWN(name, name##_vector, MEM, REG, uint64_t, hw_same_deltas, delta, locate_all)                \
    LOAD_KNOWN(name##_narrow, name##_vector, MEM, REG, uint32_t, hw_same_deltas_32, delta_32, locate_all_32)

#define STORE_KNOWN(name, slow, MEM, REG, type, same, delta_field, locate)                             \
    static inline void name##_copy(MEM *restrict to, const REG *restrict b, int n) {                   \
        _Pragma("GCC ivdep") for (int i = 0; i < n; i++) to[i] = (MEM)b[i];                            \
    }                                                                                                  \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        LOCATE_KNOWN(type, same, delta_field, sizeof(MEM))                                             \
        if (__builtin_expect(!known, 0)) return slow(w, in);                                           \
        hw_access_count(p, base);                                                                      \
        const REG *b = hw_at(w, in->b);                                                                \
        MEM *to = (MEM *)m, *half = (MEM *)(m + p->delta[16]);                                         \
        const int64_t *delta = p->delta;                                                               \
        switch (p->shape) {                                                                            \
        case HW_SHAPE_UNIT: name##_copy(to, b, 32); break;                                             \
        case HW_SHAPE_UNIT_HALVES:                                                                     \
            name##_copy(to, b, 16);                                                                    \
            name##_copy(half, b + 16, 16);                                                             \
            break;                                                                                     \
        default:                                                                                       \
            _Pragma("GCC unroll 8") for (int i = 0; i < 32; i++) *(MEM *)(m + delta[i]) = (MEM)b[i];   \
        }                                                                                              \
        HW_NEXT(w, in);                                                                                \
    }                                                                                                  \
    static const hw_inst *name##_convoy(hw_warp *w, const hw_inst *in) {                               \
        hw_pattern *p = &hw_state_of(w)->patterns[in->pattern];                                        \
        if (__builtin_expect(p->apart || !locate(w, in, p), 0)) {                                      \
            if (sizeof(type) == 8 && p->apart) prefetch_apart(w, in, p);                               \
            if (!each_alone(w, in, slow)) return NULL;                                                 \
            HW_NEXT(w, in);                                                                            \
        }                                                                                              \
        int64_t apart = p->delta[16];                                                                  \
        switch (p->shape) {                                                                            \
        case HW_SHAPE_UNIT: EACH_LOCATED(const REG, b, name##_copy((MEM *)m, r, 32);); break;          \
        case HW_SHAPE_UNIT_HALVES:                                                                     \
            EACH_LOCATED(const REG, b, name##_copy((MEM *)m, r, 16);                                   \
                         name##_copy((MEM *)(m + apart), r + 16, 16););                                \
            break;                                                                                     \
        default:                                                                                       \
            if (sizeof(MEM) == 4 && sizeof(REG) == 4 && store_columns(w, in, p)) break;                \
            for (int i = 0; i < 32; i += 4) {                                                          \
                FOUR_DELTAS(i)                                                                         \
                EACH_LOCATED(const REG, b, REG v0 = r[i]; REG v1 = r[i + 1]; REG v2 = r[i + 2]; REG v3 = r[i + 3]; \
                             *(MEM *)(m + at0) = (MEM)v0; *(MEM *)(m + at1) = (MEM)v1;                 \
                             *(MEM *)(m + at2) = (MEM)v2; *(MEM *)(m + at3) = (MEM)v3;);               \
            }                                                                                          \
        }                                                                                              \
        HW_NEXT(w, in);                                                                                \
    }

#define STORE(name, MEM, REG)                                                                          \
    static __attribute__((noinline)) const hw_inst *name##_vector(hw_warp *w, const hw_inst *in) {     \
        hw_state *s = hw_state_of(w);                                                                  \
        uint64_t at[32];                                                                               \
        const hw_space space = HW_LEVEL_NAME(hw_lanes_at)(s, in, at);                                  \
        if (__builtin_expect(space == HW_SPACE_GENERIC, 0)) return hw_access_general(s, in, true);     \
        const hw_slot *registers = in->vector > 1 ? w->slots + in->list : &in->b;                      \
        if (sizeof(MEM) == sizeof(REG) && space != HW_SPACE_LOCAL && hw_is_quick_vector(in)) {         \
            hw_store_vectors(w, in, registers, at);                                                    \
            return in + 1;                                                                             \
        }                                                                                              \
        const uint64_t line = sizeof(MEM) == sizeof(REG) ? find_line(w, in, at, space) : 0;            \
        for (uint32_t e = 0; e < in->vector; e++) {                                                    \
            const uint64_t offset = element_offset(space, e, sizeof(MEM));                             \
            REG *b = hw_at(w, registers[e]);                                                           \
            if (line) store_line(w, line + offset, b, sizeof(MEM));                                    \
            else if (sizeof(MEM) == 8 && space == HW_SPACE_LOCAL)                                           \
                HW_EACH_ACTIVE_LANE(put_split_word(at[i] + offset, (uint64_t)b[i]));                   \
            else if (HW_ALL_ON(w))                                                                     \
                for (int i = 0; i < 32; i++) *(MEM *)(uintptr_t)(at[i] + offset) = (MEM)b[i];          \
            else                                                                                       \
                HW_EACH_ACTIVE_LANE(*(MEM *)(uintptr_t)(at[i] + offset) = (MEM)b[i]);                  \
        }                                                                                              \
        return in + 1;                                                                                 \
    }                                                                                                  \
    STORE_KNOWN(name, name##_vector, MEM, REG, uint64_t, hw_same_deltas, delta, locate_all)               \
    STORE_KNOWN(name##_narrow, name##_vector, MEM, REG, uint32_t, hw_same_deltas_32, delta_32, locate_all_32)

LOAD(load_u8_to_16, uint8_t, uint16_t)
LOAD(load_u8_to_32, uint8_t, uint32_t)
LOAD(load_u8_to_64, uint8_t, uint64_t)
LOAD(load_s8_to_16, int8_t, int16_t)
LOAD(load_s8_to_32, int8_t, int32_t)
LOAD(load_s8_to_64, int8_t, int64_t)
LOAD(load_u16_to_16, uint16_t, uint16_t)
LOAD(load_u16_to_32, uint16_t, uint32_t)
LOAD(load_u16_to_64, uint16_t, uint64_t)
LOAD(load_s16_to_32, int16_t, int32_t)
LOAD(load_s16_to_64, int16_t, int64_t)
LOAD(load_u32_to_32, uint32_t, uint32_t)
LOAD(load_u32_to_64, uint32_t, uint64_t)
LOAD(load_s32_to_64, int32_t, int64_t)
LOAD(load_u64_to_64, uint64_t, uint64_t)
STORE(store_8_from_16, uint8_t, uint16_t)
STORE(store_8_from_32, uint8_t, uint32_t)
STORE(store_8_from_64, uint8_t, uint64_t)
STORE(store_16_from_16, uint16_t, uint16_t)
STORE(store_16_from_32, uint16_t, uint32_t)
STORE(store_16_from_64, uint16_t, uint64_t)
STORE(store_32_from_32, uint32_t, uint32_t)
STORE(store_32_from_64, uint32_t, uint64_t)
STORE(store_64_from_64, uint64_t, uint64_t)

// ---- vectors that are there as a whole ----

// Local memory has the lanes' words side by side, and nobody else sees it.
static inline void move_local(uint64_t at, hw_whole_vector *v, const hw_inst *in, bool is_write) {
    for (uint32_t k = 0; k < (uint32_t)in->width * in->vector; k++) {
        char *byte = (char *)(uintptr_t)(at + hw_local_offset(k));
        if (is_write) *byte = v->bytes[k];
        else v->bytes[k] = *byte;
    }
}

// A vector that another block may be waiting for (HW_INST_WHOLE).
static const hw_inst *access_whole(hw_warp *w, const hw_inst *in, bool is_write) {
    hw_state *s = hw_state_of(w);
    uint64_t at[32];
    const hw_space space = HW_LEVEL_NAME(hw_lanes_at)(s, in, at);
    if (__builtin_expect(space == HW_SPACE_GENERIC, 0)) return hw_access_general(s, in, is_write);
    const hw_slot *registers = w->slots + in->list;
    if (space != HW_SPACE_LOCAL && hw_is_quick_vector(in)) {
        if (is_write) hw_store_vectors(w, in, registers, at);
        else hw_load_vectors(w, in, registers, at);
        return in + 1;
    }
    hw_whole_vector vector;
    HW_EACH_ACTIVE_LANE(
        if (is_write) hw_take_elements(w, in, registers, i, &vector);
        if (space == HW_SPACE_LOCAL) move_local(at[i], &vector, in, is_write);
        else hw_move_whole((void *)(uintptr_t)at[i], &vector, (uint32_t)in->width * in->vector, is_write);
        if (!is_write) hw_give_elements(w, in, registers, i, &vector));
    return in + 1;
}

// Mixes the lanes of a register into `looks_like`, those that are off as well.
#define MIX_LANES(type, fold)                                                                          \
    do {                                                                                               \
        const type *lanes = hw_at(w, slot);                                                            \
        for (int i = 0; i < 32; i++) looks_like[i] = (looks_like[i] ^ (uint32_t)(fold)) * 0x9e3779b1u; \
    } while (0)
static void mix(const hw_warp *w, hw_slot slot, uint32_t bytes, uint32_t looks_like[32]) {
    if (slot == HW_NO_SLOT) return;
    if (bytes == 8) MIX_LANES(uint64_t, lanes[i] ^ lanes[i] >> 32);
    else if (bytes == 4) MIX_LANES(uint32_t, lanes[i]);
    else MIX_LANES(uint16_t, lanes[i]);
}

// Has a lane that is on got the same as by the warp's last such load? Notes what each got.
static bool is_seen_again(const hw_warp *w, const hw_inst *in, const uint32_t looks_like[32], hw_turn *turn) {
    const uint32_t all = turn->seen_by == in ? 0xffffffffu : 0;
    uint32_t again = 0;
    for (int i = 0; i < 32; i++) {
        const uint32_t on = (w->mask >> i & 1) ? 0xffffffffu : 0;
        again |= on & all & (turn->seen[i] == looks_like[i] ? 1 : 0);
        turn->seen[i] = (looks_like[i] & on) | (turn->seen[i] & ~on);
    }
    turn->seen_by = in;
    return again;
}

// A load that is not volatile and brings a lane what it brought it before, from the same place, looks like waiting by
// ld.cg. The registers do not say so: what they held since may have been something else. One lane is enough: the others
// of its warp may wait for nothing, and see new data each time.
static const hw_inst *load_whole(hw_warp *w, const hw_inst *in) {
    hw_turn *turn = &hw_state_of(w)->turn;
    uint32_t looks_like[32] = {0};
    const bool is_volatile = in->flags & HW_INST_VOLATILE;
    if (!is_volatile) mix(w, in->a, in->flags & HW_INST_ADDRESS_32 ? 4 : 8, looks_like);
    const hw_inst *next = access_whole(w, in, false);
    for (uint32_t e = 0; e < in->vector && !is_volatile; e++)
        mix(w, w->slots[in->list + e], in->reg_bytes, looks_like);
    if (is_volatile || is_seen_again(w, in, looks_like, turn)) hw_turn_poll(turn);
    return next;
}

static const hw_inst *store_whole(hw_warp *w, const hw_inst *in) { return access_whole(w, in, true); }

static const hw_inst *load_general(hw_warp *w, const hw_inst *in) {
    const hw_inst *next = hw_access_general(hw_state_of(w), in, false);
    if (in->flags & HW_INST_VOLATILE) hw_turn_poll(&hw_state_of(w)->turn);
    return next;
}

static const hw_inst *store_general(hw_warp *w, const hw_inst *in) {
    return hw_access_general(hw_state_of(w), in, true);
}

typedef struct access_row {
    uint8_t width, reg_bytes, is_signed, is_store;
    hw_body_forms wide, narrow, any;    // 64-bit addresses, 32-bit ones, and every form
} access_row;

#define ROW(width, reg, is_signed, is_store, name)                                                     \
    {width, reg, is_signed, is_store,                                                                  \
     {name, name##_convoy}, {name##_narrow, name##_narrow_convoy}, {name##_vector, NULL}},
static const access_row rows[] = {
    ROW(1, 2, 0, 0, load_u8_to_16) ROW(1, 4, 0, 0, load_u8_to_32) ROW(1, 8, 0, 0, load_u8_to_64)
    ROW(1, 2, 1, 0, load_s8_to_16) ROW(1, 4, 1, 0, load_s8_to_32) ROW(1, 8, 1, 0, load_s8_to_64)
    ROW(2, 2, 0, 0, load_u16_to_16) ROW(2, 4, 0, 0, load_u16_to_32) ROW(2, 8, 0, 0, load_u16_to_64)
    ROW(2, 2, 1, 0, load_u16_to_16) ROW(2, 4, 1, 0, load_s16_to_32) ROW(2, 8, 1, 0, load_s16_to_64)
    ROW(4, 4, 0, 0, load_u32_to_32) ROW(4, 8, 0, 0, load_u32_to_64)
    ROW(4, 4, 1, 0, load_u32_to_32) ROW(4, 8, 1, 0, load_s32_to_64)
    ROW(8, 8, 0, 0, load_u64_to_64) ROW(8, 8, 1, 0, load_u64_to_64)
    ROW(1, 2, 0, 1, store_8_from_16) ROW(1, 4, 0, 1, store_8_from_32) ROW(1, 8, 0, 1, store_8_from_64)
    ROW(2, 2, 0, 1, store_16_from_16) ROW(2, 4, 0, 1, store_16_from_32) ROW(2, 8, 0, 1, store_16_from_64)
    ROW(4, 4, 0, 1, store_32_from_32) ROW(4, 8, 0, 1, store_32_from_64) ROW(8, 8, 0, 1, store_64_from_64)
};

// The body for a load or store; NULL when there is none for its widths.
hw_body_forms HW_LEVEL_NAME(hw_memory_select)(const hw_inst *in, bool is_store) {
    if (in->width > 8) return (hw_body_forms){is_store ? store_general : load_general, NULL};
    if (in->flags & HW_INST_WHOLE)
        return (hw_body_forms){is_store ? store_whole : load_whole, NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const access_row *row = &rows[i];
        if (row->width != in->width || row->reg_bytes != in->reg_bytes || row->is_store != is_store) continue;
        if (!is_store && row->is_signed != !!(in->flags & HW_INST_SIGNED)) continue;
        bool is_quick = in->vector == 1 && in->a != HW_NO_SLOT && in->space != HW_SPACE_LOCAL;
        if (!is_quick || in->flags & HW_INST_VOLATILE) return row->any;
        if (!(in->flags & HW_INST_ADDRESS_32)) return row->wide;
        return in->space == HW_SPACE_SHARED ? row->narrow : row->any;
    }
    return (hw_body_forms){NULL, NULL};
}
