// Are 32 addresses as far apart as they were the last time? For files that are compiled once per instruction-set level.
// Private to exec.
#ifndef HW_EXEC_DELTAS_H
#define HW_EXEC_DELTAS_H

#include "exec/ops/lanes.h"

#if defined(HW_HAS_AVX512)
static inline __mmask8 hw_differ_64(const uint64_t *a, __m512i first, const int64_t *delta) {
    return _mm512_cmpneq_epi64_mask(_mm512_sub_epi64(_mm512_loadu_si512(a), first), _mm512_load_si512(delta));
}

static inline bool hw_same_deltas(const uint64_t *a, uint64_t first, const int64_t *delta) {
    __m512i f = _mm512_set1_epi64((long long)first);
    __mmask8 low = _kor_mask8(hw_differ_64(a, f, delta), hw_differ_64(a + 8, f, delta + 8));
    __mmask8 high = _kor_mask8(hw_differ_64(a + 16, f, delta + 16), hw_differ_64(a + 24, f, delta + 24));
    return _kortestz_mask8_u8(low, high);
}

static inline bool hw_same_deltas_32(const uint32_t *a, uint32_t first, const int32_t *delta) {
    __m512i f = _mm512_set1_epi32((int)first);
    __m512i low_is = _mm512_sub_epi32(_mm512_loadu_si512(a), f);
    __m512i high_is = _mm512_sub_epi32(_mm512_loadu_si512(a + 16), f);
    __mmask16 low = _mm512_cmpneq_epi32_mask(low_is, _mm512_load_si512(delta));
    __mmask16 high = _mm512_cmpneq_epi32_mask(high_is, _mm512_load_si512(delta + 16));
    return _mm512_kortestz(low, high);
}

// The same of the lanes in mask, `first` being the first one's.
static inline bool hw_same_deltas_of(uint32_t mask, const uint64_t *a, uint64_t first, const int64_t *delta) {
    const __m512i f = _mm512_set1_epi64((long long)first);
    const uint32_t low = hw_differ_64(a, f, delta) | (uint32_t)hw_differ_64(a + 8, f, delta + 8) << 8;
    const uint32_t high = hw_differ_64(a + 16, f, delta + 16) | (uint32_t)hw_differ_64(a + 24, f, delta + 24) << 8;
    return !((low | high << 16) & mask);
}

static inline bool hw_same_deltas_32_of(uint32_t mask, const uint32_t *a, uint32_t first, const int32_t *delta) {
    const __m512i f = _mm512_set1_epi32((int)first);
    const __m512i low = _mm512_sub_epi32(hw_get(a, 0), f), high = _mm512_sub_epi32(hw_get(a, 1), f);
    return !(_mm512_mask_cmpneq_epi32_mask((__mmask16)mask, low, hw_get(delta, 0)) |
             _mm512_mask_cmpneq_epi32_mask((__mmask16)(mask >> 16), high, hw_get(delta, 1)));
}
#else
static inline bool hw_same_deltas(const uint64_t *a, uint64_t first, const int64_t *delta) {
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (a[i] - first) ^ (uint64_t)delta[i];
    return !differ;
}

static inline bool hw_same_deltas_32(const uint32_t *a, uint32_t first, const int32_t *delta) {
    uint32_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= (a[i] - first) ^ (uint32_t)delta[i];
    return !differ;
}

static inline bool hw_same_deltas_of(uint32_t mask, const uint64_t *a, uint64_t first, const int64_t *delta) {
    uint64_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= ((a[i] - first) ^ (uint64_t)delta[i]) & -(uint64_t)(mask >> i & 1);
    return !differ;
}

static inline bool hw_same_deltas_32_of(uint32_t mask, const uint32_t *a, uint32_t first, const int32_t *delta) {
    uint32_t differ = 0;
    for (int i = 0; i < 32; i++) differ |= ((a[i] - first) ^ (uint32_t)delta[i]) & -(mask >> i & 1);
    return !differ;
}
#endif

#endif
