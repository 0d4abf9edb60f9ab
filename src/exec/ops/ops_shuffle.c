// Instructions of a warp's lanes together: shfl, vote, match, redux, activemask, elect. Rows in isa/bodies/shuffle.def.
#include <string.h>

#include "exec/ops/row_bodies.h"
#include "exec/warp/warp.h"

static void write_lanes(hw_warp *w, hw_slot slot, u32 value) {
    if (slot == HW_NO_SLOT) return;
    u32 *d = hw_at(w, slot);
    HW_LANES(d, value);
}
static u32 predicate_p(const hw_warp *w, const hw_inst *in) {
    return (hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0)) & w->mask;
}

// Where a shuffle's results come from: the lane, where that is in range, else the lane itself.
typedef struct route {
    _Alignas(64) s32 lane[32], in_range[32];    // in_range: -1, or 0
} route;

static inline void move_lanes(const u32 *a, const s32 *lane, u32 *results) {
#ifdef HW_HAS_AVX512
    __m512i low = hw_get(a, 0), high = hw_get(a, 1);
    _mm512_store_si512(results, _mm512_permutex2var_epi32(low, hw_get(lane, 0), high));
    _mm512_store_si512(results + 16, _mm512_permutex2var_epi32(low, hw_get(lane, 1), high));
#elif defined(__AVX2__)
    // Of each eight lanes the one at that place; bits 3 and 4 of a lane's number, as signs, choose among these four.
    const __m256i *from = (const __m256i *)a, *lanes = (const __m256i *)lane;
    for (int k = 0; k < 4; k++) {
        const __m256i at = _mm256_loadu_si256(lanes + k);
        const __m256 is_odd = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28));
        const __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(at, 27));
#define PLACE(part) _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(_mm256_loadu_si256(from + (part)), at))
        const __m256 low = _mm256_blendv_ps(PLACE(0), PLACE(1), is_odd);
        const __m256 high = _mm256_blendv_ps(PLACE(2), PLACE(3), is_odd);
#undef PLACE
        _mm256_storeu_ps((float *)results + 8 * k, _mm256_blendv_ps(low, high, is_high));
    }
#else
    HW_LANE_LOOP for (int i = 0; i < 32; i++) results[i] = a[lane[i]];
#endif
}

// Routes that are the same for all warps of a convoy, and short: of each eight lanes all come from two eights.
#if defined(__AVX2__) && !defined(HW_HAS_AVX512)
typedef struct short_route {
    __m256i at[4];           // the places in eights
    __m256 is_second[4];     // signs: of the second eight
    u8 first[4], second[4];
} short_route;

static inline bool shorten(const route *r, short_route *s) {
    for (int k = 0; k < 4; k++) {
        const s32 *lane = r->lane + 8 * k;
        const __m256i at = _mm256_load_si256((const __m256i *)lane), eights = _mm256_srli_epi32(at, 3);
        const __m256i is_first = _mm256_cmpeq_epi32(eights, _mm256_set1_epi32(lane[0] >> 3));
        const u32 others = ~(u32)_mm256_movemask_ps(_mm256_castsi256_ps(is_first)) & 0xff;
        const s32 second = lane[others ? __builtin_ctz(others) : 0] >> 3;
        const __m256i is_second = _mm256_cmpeq_epi32(eights, _mm256_set1_epi32(second));
        if (_mm256_movemask_epi8(_mm256_or_si256(is_first, is_second)) != -1) return false;
        s->at[k] = at, s->is_second[k] = _mm256_castsi256_ps(is_second);
        s->first[k] = (u8)(lane[0] >> 3), s->second[k] = (u8)second;
    }
    return true;
}

// To and from may be one register.
static inline void move_shortly(const u32 *a, const short_route *s, u32 *d) {
    const __m256i *from = (const __m256i *)a;
    __m256 results[4];
    for (int k = 0; k < 4; k++) {
        const __m256i first = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from + s->first[k]), s->at[k]);
        const __m256i second = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from + s->second[k]), s->at[k]);
        results[k] = _mm256_blendv_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), s->is_second[k]);
    }
    for (int k = 0; k < 4; k++) _mm256_storeu_ps((float *)d + 8 * k, results[k]);
}
#else
typedef int short_route;
static inline bool shorten(const route *r, short_route *s) {
    (void)r, (void)s;
    return false;
}
static inline void move_shortly(const u32 *a, const short_route *s, u32 *d) { (void)a, (void)s, (void)d; }
#endif

// e: whether the lane that a result comes from was in range and takes part in the shuffle. From a lane that takes no
// part PTX promises nothing, and an H200 gives 0, which programs count on without knowing: sums over the last warp of a
// block that is no whole one.
static inline void follow_route(hw_warp *w, const hw_inst *in, const route *r) {
    _Alignas(64) u32 results[32];
    _Alignas(64) s32 found[32];
    u32 mask = w->mask;
    move_lanes(hw_at(w, in->a), r->lane, results);
    HW_LANE_LOOP for (int i = 0; i < 32; i++) found[i] = r->in_range[i] & -(s32)(mask >> r->lane[i] & 1);
    if (mask != 0xffffffffu) HW_LANE_LOOP for (int i = 0; i < 32; i++) results[i] &= (u32)(found[i] | ~r->in_range[i]);
    if (in->e != HW_NO_SLOT) hw_set_pred(w, in->e, hw_pack_lanes(found));
    if (in->d != HW_NO_SLOT) {
        u32 *d = hw_at(w, in->d);
        HW_LANES(d, results[i]);
    }
}

// The same for all warps of a convoy.
static void follow_route_together(hw_warp *w, const hw_inst *in, const route *r) {
    const u32 in_range = hw_pack_lanes(r->in_range);
    short_route s;
    if (shorten(r, &s)) {
        HW_EACH_WARP(if (in->e != HW_NO_SLOT) *(u32 *)hw_at(w, in->e) = in_range;
                     if (in->d != HW_NO_SLOT) move_shortly(hw_at(w, in->a), &s, hw_at(w, in->d)););
        return;
    }
    HW_EACH_WARP(_Alignas(64) u32 results[32];
                 move_lanes(hw_at(w, in->a), r->lane, results);
                 if (in->e != HW_NO_SLOT) *(u32 *)hw_at(w, in->e) = in_range;
                 if (in->d != HW_NO_SLOT) memcpy(hw_at(w, in->d), results, sizeof results););
}

// Are all lanes of all warps constants of the launch?
static bool is_constant(hw_slot slot) { return (slot & 3) == HW_BASE_LAUNCH; }

// What a convoy does before a shuffle: false: its warps, whose members are not known to be all, have left it.
static bool begin_together(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (!is_constant(in->p) || hw_pred(w, in->p) != 0xffffffffu) return false;
    for (u32 k = 0; HW_IS_TOLD(s, WARP_SYNC) && k < w->convoy; k++) hw_sync_tell(s + k, in, 0xffffffffu, 0xffffffffu);
    return true;
}

// c: the clamp value in bits 0 to 4, the segment mask in bits 8 to 12.
#define SEGMENT (C >> 8 & 31)
#define LOWEST (i & SEGMENT)
#define HIGHEST ((i & SEGMENT) | (C & 31 & ~SEGMENT))
#define AMOUNT (B & 31)
#define SHFL(function, from_lane, range)                                    \
    static inline void function##_route(const hw_warp *w, const hw_inst *in, route *r) { \
        const s32 *b = hw_at(w, in->b), *c = hw_at(w, in->c);               \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) {                         \
            const s32 from = (from_lane), is = -(s32)(range);               \
            r->in_range[i] = is;                                            \
            r->lane[i] = is ? from & 31 : i;                                \
        }                                                                   \
    }                                                                       \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        route r;                                                            \
        function##_route(w, in, &r);                                        \
        follow_route(w, in, &r);                                            \
        return in + 1;                                                      \
    }                                                                       \
    static const hw_inst *function##_convoy(hw_warp *w, const hw_inst *in) { \
        route r;                                                            \
        if (!begin_together(w, in)) return hw_convoy_leave(w, in);          \
        function##_route(w, in, &r);                                        \
        if (is_constant(in->b) && is_constant(in->c)) {                     \
            follow_route_together(w, in, &r);                               \
        } else {                                                            \
            HW_EACH_WARP(function##_route(w, in, &r); follow_route(w, in, &r);); \
        }                                                                   \
        HW_NEXT(w, in);                                                     \
    }
SHFL(shfl_up_b32, i - AMOUNT, from >= HIGHEST)
SHFL(shfl_down_b32, i + AMOUNT, from <= HIGHEST)
SHFL(shfl_bfly_b32, i ^ AMOUNT, from <= HIGHEST)
SHFL(shfl_idx_b32, LOWEST | (AMOUNT & ~SEGMENT), from <= HIGHEST)

static const hw_inst *vote_all_pred(hw_warp *w, const hw_inst *in) {
    hw_set_pred(w, in->d, predicate_p(w, in) == w->mask ? ~0u : 0);
    return in + 1;
}
static const hw_inst *vote_any_pred(hw_warp *w, const hw_inst *in) {
    hw_set_pred(w, in->d, predicate_p(w, in) ? ~0u : 0);
    return in + 1;
}
static const hw_inst *vote_uni_pred(hw_warp *w, const hw_inst *in) {
    u32 p = predicate_p(w, in);
    hw_set_pred(w, in->d, p == 0 || p == w->mask ? ~0u : 0);
    return in + 1;
}
static const hw_inst *vote_ballot_b32(hw_warp *w, const hw_inst *in) {
    write_lanes(w, in->d, predicate_p(w, in));
    return in + 1;
}

// Lanes, among those that take part, whose a is like lane k's.
#define LIKE_LANE(function, type)                                           \
    static inline u32 function(const hw_warp *w, const type *a, int k) {    \
        _Alignas(64) s32 same[32];                                          \
        type value = a[k];                                                  \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) same[i] = -(s32)(A == value);          \
        return hw_pack_lanes(same) & w->mask;                               \
    }
LIKE_LANE(like_lane_b32, u32)
LIKE_LANE(like_lane_b64, u64)

#define MATCH(any, all, type, like_lane)                                    \
    static const hw_inst *any(hw_warp *w, const hw_inst *in) {              \
        const type *a = hw_at(w, in->a);                                    \
        u32 *d = hw_at(w, in->d);                                           \
        _Alignas(64) u32 groups[32] = {0};                                  \
        for (u32 left = w->mask; left;) {                                   \
            u32 group = like_lane(w, a, __builtin_ctz(left));               \
            left &= ~group;                                                 \
            HW_LANE_LOOP for (int i = 0; i < 32; i++) groups[i] |= group >> i & 1 ? group : 0; \
        }                                                                   \
        HW_LANES(d, groups[i]);                                             \
        return in + 1;                                                      \
    }                                                                       \
    static const hw_inst *all(hw_warp *w, const hw_inst *in) {              \
        const type *a = hw_at(w, in->a);                                    \
        u32 same = like_lane(w, a, __builtin_ctz(w->mask)) == w->mask;      \
        write_lanes(w, in->d, same ? w->mask : 0);                          \
        if (in->e != HW_NO_SLOT) hw_set_pred(w, in->e, same ? ~0u : 0);     \
        return in + 1;                                                      \
    }
MATCH(match_any_b32, match_all_b32, u32, like_lane_b32)
MATCH(match_any_b64, match_all_b64, u64, like_lane_b64)

// Without a type in the name, in->lane_bytes says how many bytes a lane of a has.
static const hw_inst *match_any(hw_warp *w, const hw_inst *in) {
    return in->lane_bytes == 8 ? match_any_b64(w, in) : match_any_b32(w, in);
}
static const hw_inst *match_all(hw_warp *w, const hw_inst *in) {
    return in->lane_bytes == 8 ? match_all_b64(w, in) : match_all_b32(w, in);
}

#define REDUX(name, function, type, neutral, step)                          \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        const type *a = hw_at(w, in->a);                                    \
        type sum = neutral;                                                 \
        HW_EACH_ACTIVE_LANE(sum = step);                                    \
        write_lanes(w, in->d, (u32)sum);                                    \
        return in + 1;                                                      \
    }

static const hw_inst *activemask_b32(hw_warp *w, const hw_inst *in) {
    write_lanes(w, in->d, w->mask);
    return in + 1;
}

// The lowest lane of the members is elected.
static const hw_inst *elect(hw_warp *w, const hw_inst *in) {
    u32 leader = (u32)__builtin_ctz(w->mask);
    write_lanes(w, in->d, leader);
    if (in->e != HW_NO_SLOT) hw_set_pred(w, in->e, 1u << leader);
    return in + 1;
}

#include "isa/bodies/shuffle.def"

#undef REDUX
#define REDUX(name, function, ...) {function, NULL},
#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_shuffle)[] = {
#include "isa/bodies/shuffle.def"
};
