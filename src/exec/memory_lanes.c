// Loads and stores, the quick way: an access with the relative addresses of the last time costs one comparison of
// lane vectors, one check of bounds, and a copy of the shape that was recognised then.
#include <string.h>

#include "exec/warp.h"

#if defined(__AVX512F__)
static inline bool same_deltas(const uint64_t *a, uint64_t first, const int64_t *delta) {
    __m512i f = _mm512_set1_epi64((long long)first);
    __mmask8 differ = 0;
    for (int k = 0; k < 4; k++)
        differ |= _mm512_cmpneq_epi64_mask(_mm512_sub_epi64(_mm512_loadu_si512(a + 8 * k), f),
                                           _mm512_load_si512(delta + 8 * k));
    return !differ;
}

static inline bool same_deltas_32(const uint32_t *a, uint32_t first, const int32_t *delta) {
    __m512i f = _mm512_set1_epi32((int)first);
    __mmask16 differ = 0;
    for (int k = 0; k < 2; k++)
        differ |= _mm512_cmpneq_epi32_mask(_mm512_sub_epi32(_mm512_loadu_si512(a + 16 * k), f),
                                           _mm512_load_si512(delta + 16 * k));
    return !differ;
}
#else
static inline bool same_deltas(const uint64_t *a, uint64_t first, const int64_t *delta) {
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (a[i] - first) ^ (uint64_t)delta[i];
    return !differ;
}

static inline bool same_deltas_32(const uint32_t *a, uint32_t first, const int32_t *delta) {
    uint32_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (a[i] - first) ^ (uint32_t)delta[i];
    return !differ;
}
#endif

// Some lanes are off: only the others' addresses mean anything.
static __attribute__((noinline)) bool same_active_deltas(const hw_warp *w, const uint64_t *a, uint64_t first, const int64_t *delta) {
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= ((a[i] - first) ^ (uint64_t)delta[i]) & (uint64_t)(int64_t)w->lanes[i];
    return !differ;
}

static __attribute__((noinline)) bool same_active_deltas_32(const hw_warp *w, const uint32_t *a, uint32_t first, const int32_t *delta) {
    uint32_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= ((a[i] - first) ^ (uint32_t)delta[i]) & (uint32_t)w->lanes[i];
    return !differ;
}

static __attribute__((noinline)) void learn_64(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t *a) {
    uint64_t addresses[32];
    for (int i = 0; i < 32; i++) addresses[i] = a[i] + (uint64_t)in->imm;
    hw_access_learn(s, in, p, addresses);
}

static __attribute__((noinline)) void learn_32(hw_state *s, const hw_inst *in, hw_pattern *p, const uint32_t *a) {
    uint64_t addresses[32];
    for (int i = 0; i < 32; i++) addresses[i] = (uint32_t)(a[i] + (uint32_t)in->imm);
    hw_access_learn(s, in, p, addresses);
}

// The host address that belongs to the lowest active lane, with the access counted; NULL: take the general way.
static inline __attribute__((always_inline)) char *locate(hw_state *s, const hw_inst *in, uint32_t bytes,
                                                          hw_pattern **pattern) {
    const hw_warp *w = &s->warp;
    hw_pattern *p = &s->worker->patterns[in->memo];
    int lowest = __builtin_ctz(w->mask);
    uint64_t base;
    *pattern = p;
    if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(w, in->a);
        base = (uint32_t)(a[lowest] + (uint32_t)in->imm);
        bool same = p->mask == w->mask && (w->mask == 0xffffffffu ? same_deltas_32(a, a[0], p->delta_32)
                                                                  : same_active_deltas_32(w, a, a[lowest], p->delta_32));
        // Addresses that wrap around at 2^32 have other 64-bit differences than these: learning tells them apart.
        if (__builtin_expect(!same, 0)) learn_32(s, in, p, a);
        if (__builtin_expect(base + (uint64_t)p->high > 0xffffffffu, 0)) return NULL;
    } else {
        const uint64_t *a = hw_at(w, in->a);
        base = a[lowest] + (uint64_t)in->imm;
        bool same = p->mask == w->mask && (w->mask == 0xffffffffu ? same_deltas(a, a[0], p->delta)
                                                                  : same_active_deltas(w, a, a[lowest], p->delta));
        if (__builtin_expect(!same, 0)) learn_64(s, in, p, a);
    }
    bool outside = base + (uint64_t)p->low - p->begin > p->room;
    bool crooked = (base | p->bits) & (bytes - 1);
    if (__builtin_expect(outside | crooked | (p->epoch != s->worker->epoch), 0))
        if (!hw_access_check(s, in, p, base)) return NULL;
    if (p->space == HW_SPACE_SHARED) {
        base -= p->window;
        hw_access_count(s, in, p, base);
        return s->block->shared + base;
    }
    hw_access_count(s, in, p, base);
    return (char *)(uintptr_t)base;
}

// One element per lane, from memory type MEM to register lanes of type REG.
#define LOAD(name, MEM, REG)                                                                           \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        hw_state *s = hw_state_of(w);                                                                  \
        hw_pattern *p;                                                                                 \
        const char *m = locate(s, in, sizeof(MEM), &p);                                                \
        if (__builtin_expect(!m, 0)) return hw_access_general(s, in, false);                           \
        REG *d = hw_at(w, in->d);                                                                      \
        const MEM *from = (const MEM *)m, *half = (const MEM *)(m + p->delta[16]);                     \
        const int64_t *delta = p->delta;                                                               \
        switch (p->shape) {                                                                            \
        case HW_SHAPE_UNIT:                                                                            \
            _Pragma("GCC ivdep") for (int i = 0; i < 32; i++) d[i] = (REG)from[i];                     \
            break;                                                                                     \
        case HW_SHAPE_SAME: {                                                                          \
            MEM value = *from;                                                                         \
            _Pragma("GCC ivdep") for (int i = 0; i < 32; i++) d[i] = (REG)value;                       \
            break;                                                                                     \
        }                                                                                              \
        case HW_SHAPE_UNIT_HALVES:                                                                     \
            _Pragma("GCC ivdep") for (int i = 0; i < 16; i++) d[i] = (REG)from[i];                     \
            _Pragma("GCC ivdep") for (int i = 0; i < 16; i++) d[16 + i] = (REG)half[i];                \
            break;                                                                                     \
        case HW_SHAPE_SAME_HALVES: {                                                                   \
            MEM value = *from, other = *half;                                                          \
            _Pragma("GCC ivdep") for (int i = 0; i < 16; i++) d[i] = (REG)value;                       \
            _Pragma("GCC ivdep") for (int i = 0; i < 16; i++) d[16 + i] = (REG)other;                  \
            break;                                                                                     \
        }                                                                                              \
        default:                                                                                       \
            if (w->mask == 0xffffffffu) {                                                              \
                _Pragma("GCC ivdep") for (int i = 0; i < 32; i++) d[i] = (REG)*(const MEM *)(m + delta[i]); \
            } else {                                                                                   \
                HW_EACH_ACTIVE_LANE(d[i] = (REG)*(const MEM *)(m + delta[i]));                         \
            }                                                                                          \
        }                                                                                              \
        if (in->flags & HW_INST_VOLATILE) poll(s);                                                     \
        HW_NEXT(w, in);                                                                                \
    }                                                                                                  \
    static const hw_inst *name##_vector(hw_warp *w, const hw_inst *in) {                               \
        hw_state *s = hw_state_of(w);                                                                  \
        hw_pattern *p;                                                                                 \
        const char *m = locate(s, in, sizeof(MEM) * in->vector, &p);                                   \
        if (__builtin_expect(!m, 0)) return hw_access_general(s, in, false);                           \
        const hw_slot *registers = w->slots + in->list;                                                \
        for (uint32_t e = 0; e < in->vector; e++, m += sizeof(MEM)) {                                  \
            if (registers[e] == HW_NO_SLOT) continue;                                                  \
            REG *d = hw_at(w, registers[e]);                                                           \
            const int64_t *delta = p->delta;                                                           \
            if (w->mask == 0xffffffffu) {                                                              \
                _Pragma("GCC ivdep") for (int i = 0; i < 32; i++) d[i] = (REG)*(const MEM *)(m + delta[i]); \
            } else {                                                                                   \
                HW_EACH_ACTIVE_LANE(d[i] = (REG)*(const MEM *)(m + delta[i]));                         \
            }                                                                                          \
        }                                                                                              \
        if (in->flags & HW_INST_VOLATILE) poll(s);                                                     \
        HW_NEXT(w, in);                                                                                \
    }

#define STORE(name, MEM, REG)                                                                          \
    static const hw_inst *name(hw_warp *w, const hw_inst *in) {                                        \
        hw_state *s = hw_state_of(w);                                                                  \
        hw_pattern *p;                                                                                 \
        char *m = locate(s, in, sizeof(MEM), &p);                                                      \
        if (__builtin_expect(!m, 0)) return hw_access_general(s, in, true);                            \
        const REG *b = hw_at(w, in->b);                                                                \
        const int64_t *delta = p->delta;                                                               \
        if (p->shape == HW_SHAPE_UNIT) {                                                               \
            MEM *to = (MEM *)m;                                                                        \
            _Pragma("GCC ivdep") for (int i = 0; i < 32; i++) to[i] = (MEM)b[i];                       \
        } else if (p->shape == HW_SHAPE_UNIT_HALVES) {                                                 \
            MEM *to = (MEM *)m, *half = (MEM *)(m + delta[16]);                                        \
            _Pragma("GCC ivdep") for (int i = 0; i < 16; i++) to[i] = (MEM)b[i];                       \
            _Pragma("GCC ivdep") for (int i = 0; i < 16; i++) half[i] = (MEM)b[16 + i];                \
        } else if (w->mask == 0xffffffffu) {                                                           \
            for (int i = 0; i < 32; i++) *(MEM *)(m + delta[i]) = (MEM)b[i];                           \
        } else {                                                                                       \
            HW_EACH_ACTIVE_LANE(*(MEM *)(m + delta[i]) = (MEM)b[i]);                                   \
        }                                                                                              \
        HW_NEXT(w, in);                                                                                \
    }                                                                                                  \
    static const hw_inst *name##_vector(hw_warp *w, const hw_inst *in) {                               \
        hw_state *s = hw_state_of(w);                                                                  \
        hw_pattern *p;                                                                                 \
        char *m = locate(s, in, sizeof(MEM) * in->vector, &p);                                         \
        if (__builtin_expect(!m, 0)) return hw_access_general(s, in, true);                            \
        const hw_slot *registers = w->slots + in->list;                                                \
        for (uint32_t e = 0; e < in->vector; e++, m += sizeof(MEM)) {                                  \
            const REG *b = hw_at(w, registers[e]);                                                     \
            const int64_t *delta = p->delta;                                                           \
            HW_EACH_ACTIVE_LANE(*(MEM *)(m + delta[i]) = (MEM)b[i]);                                   \
        }                                                                                              \
        HW_NEXT(w, in);                                                                                \
    }

// Another block may be about to change what was read: a loop that only looks must let others run.
static inline void poll(hw_state *s) {
    s->polls++;
    s->fuel -= HW_POLL_FUEL;
}

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

static const hw_inst *load_general(hw_warp *w, const hw_inst *in) {
    const hw_inst *next = hw_access_general(hw_state_of(w), in, false);
    if (in->flags & HW_INST_VOLATILE) poll(hw_state_of(w));
    return next;
}

static const hw_inst *store_general(hw_warp *w, const hw_inst *in) {
    return hw_access_general(hw_state_of(w), in, true);
}

typedef struct access_row {
    uint8_t width, reg_bytes, is_signed, is_store;
    hw_body scalar, vector;
} access_row;

static const access_row rows[] = {
    {1, 2, 0, 0, load_u8_to_16, load_u8_to_16_vector},       {1, 4, 0, 0, load_u8_to_32, load_u8_to_32_vector},
    {1, 8, 0, 0, load_u8_to_64, load_u8_to_64_vector},       {1, 2, 1, 0, load_s8_to_16, load_s8_to_16_vector},
    {1, 4, 1, 0, load_s8_to_32, load_s8_to_32_vector},       {1, 8, 1, 0, load_s8_to_64, load_s8_to_64_vector},
    {2, 2, 0, 0, load_u16_to_16, load_u16_to_16_vector},     {2, 2, 1, 0, load_u16_to_16, load_u16_to_16_vector},
    {2, 4, 0, 0, load_u16_to_32, load_u16_to_32_vector},     {2, 8, 0, 0, load_u16_to_64, load_u16_to_64_vector},
    {2, 4, 1, 0, load_s16_to_32, load_s16_to_32_vector},     {2, 8, 1, 0, load_s16_to_64, load_s16_to_64_vector},
    {4, 4, 0, 0, load_u32_to_32, load_u32_to_32_vector},     {4, 4, 1, 0, load_u32_to_32, load_u32_to_32_vector},
    {4, 8, 0, 0, load_u32_to_64, load_u32_to_64_vector},     {4, 8, 1, 0, load_s32_to_64, load_s32_to_64_vector},
    {8, 8, 0, 0, load_u64_to_64, load_u64_to_64_vector},     {8, 8, 1, 0, load_u64_to_64, load_u64_to_64_vector},
    {1, 2, 0, 1, store_8_from_16, store_8_from_16_vector},   {1, 4, 0, 1, store_8_from_32, store_8_from_32_vector},
    {1, 8, 0, 1, store_8_from_64, store_8_from_64_vector},   {2, 2, 0, 1, store_16_from_16, store_16_from_16_vector},
    {2, 4, 0, 1, store_16_from_32, store_16_from_32_vector}, {2, 8, 0, 1, store_16_from_64, store_16_from_64_vector},
    {4, 4, 0, 1, store_32_from_32, store_32_from_32_vector}, {4, 8, 0, 1, store_32_from_64, store_32_from_64_vector},
    {8, 8, 0, 1, store_64_from_64, store_64_from_64_vector},
};

// The body for a load or store; NULL when there is none for its widths.
hw_body HW_LEVEL_NAME(hw_memory_select)(const hw_inst *in, bool is_store) {
    if (in->a == HW_NO_SLOT || in->space == HW_SPACE_LOCAL) return is_store ? store_general : load_general;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const access_row *row = &rows[i];
        if (row->width != in->width || row->reg_bytes != in->reg_bytes || row->is_store != is_store) continue;
        if (!is_store && row->is_signed != !!(in->flags & HW_INST_SIGNED)) continue;
        return in->vector > 1 ? row->vector : row->scalar;
    }
    return NULL;
}
