// The loops of lanes.h at one instruction-set level. The includer defines
//   LEVEL         the table's name
//   LEVEL_NAME    what it is called
// There is no guard.
#include "check/lanes.h"

enum { ALL_LANES = HW_WARP_LANES };

static void span(const int64_t delta[HW_WARP_LANES], int64_t *least, int64_t *most) {
    int64_t low = 0, high = 0;
    for (int i = 0; i < ALL_LANES; i++) low = delta[i] < low ? delta[i] : low;
    for (int i = 0; i < ALL_LANES; i++) high = delta[i] > high ? delta[i] : high;
    *least = low;
    *most = high;
}

// The lanes' words; the last one for lanes that are off, without a branch. Returns the greatest of them.
static inline uint32_t find_words(const hw_check_touch *t, uint32_t last, uint32_t words[ALL_LANES]) {
    const int32_t *delta = t->delta;
    const uint32_t mask = t->mask, base = t->base;
    uint32_t most = 0;
    for (uint32_t i = 0; i < ALL_LANES; i++) {
        const uint32_t word = (base + (uint32_t)delta[i]) >> 2, on = -(mask >> i & 1);
        words[i] = (word & on) | (last & ~on);
    }
    for (int i = 0; i < ALL_LANES; i++) most = words[i] > most ? words[i] : most;
    return most;
}

static inline uint32_t id_of(const hw_check_owners *owners, const hw_check_touch *t) {
    return owners->stamp << HW_CHECK_THREAD_BITS | t->thread;
}

static bool claim(hw_check_owners *owners, const hw_check_touch *t) {
    uint32_t words[ALL_LANES], *const of = owners->of;
    const uint32_t id = id_of(owners, t);
    if (find_words(t, owners->n_words, words) > owners->n_words) return false;
    for (uint32_t i = 0; i < ALL_LANES; i++) of[words[i]] = id + i;
    return true;
}

static bool has(hw_check_owners *owners, const hw_check_touch *t) {
    uint32_t words[ALL_LANES], differ = 0;
    const uint32_t id = id_of(owners, t), mask = t->mask, *const of = owners->of;
    find_words(t, owners->n_words, words);
    for (uint32_t i = 0; i < ALL_LANES; i++) differ |= (of[words[i]] ^ (id + i)) & -(mask >> i & 1);
    return !differ;
}

static bool is_alone(hw_check_owners *owners, const hw_check_touch *t) {
    uint32_t words[ALL_LANES], others = 0;
    const uint32_t id = id_of(owners, t), mask = t->mask, *const of = owners->of;
    if (find_words(t, owners->n_words, words) > owners->n_words) return false;
    for (uint32_t i = 0; i < ALL_LANES; i++) {
        const uint32_t owner = of[words[i]], is_now = (owner ^ id) >> HW_CHECK_THREAD_BITS == 0;
        others |= is_now & (owner != id + i) & mask >> i;
    }
    return !(others & 1);
}

static bool is_part(const hw_check_touch *part, const hw_check_touch *whole) {
    const int32_t *a = part->delta, *b = whole->delta;
    const uint32_t further = part->base - whole->base, mask = part->mask;
    uint32_t differ = mask & ~whole->mask;
    for (uint32_t i = 0; i < ALL_LANES; i++)
        differ |= ((uint32_t)a[i] + further - (uint32_t)b[i]) & -(mask >> i & 1);
    return !differ;
}

// Mostly as many warps as convoys have, for which each column is one vector.
enum { MANY = HW_CHECK_WARPS_AT_ONCE };

static bool are_older(hw_check_ref *const *columns, uint32_t n_columns, uint32_t n, hw_check_ref floor) {
    hw_check_ref newest[MANY] = {0}, all = 0;
    for (uint32_t i = 0; n == MANY && i < n_columns; i++)
        for (int k = 0; k < MANY; k++) newest[k] = columns[i][k] > newest[k] ? columns[i][k] : newest[k];
    for (uint32_t i = 0; n != MANY && i < n_columns; i++)
        for (uint32_t k = 0; k < n; k++) all = columns[i][k] > all ? columns[i][k] : all;
    for (int k = 0; k < MANY; k++) all = newest[k] > all ? newest[k] : all;
    return all < floor;
}

static void put_columns(hw_check_ref *const *columns, uint32_t n_columns, uint32_t n, const hw_check_ref *refs) {
    for (uint32_t i = 0; n == MANY && i < n_columns; i++) {
        hw_check_ref *const column = columns[i], ref = refs[i];
        for (uint32_t k = 0; k < MANY; k++) column[k] = ref + (k << HW_CHECK_LANE_BITS);
    }
    for (uint32_t i = 0; n != MANY && i < n_columns; i++)
        for (uint32_t k = 0; k < n; k++) columns[i][k] = refs[i] + (k << HW_CHECK_LANE_BITS);
}

static void put_row(hw_check_ref *cells, uint32_t n, hw_check_ref ref) {
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (uint32_t k = 0; k < 16; k++) cells[i + k] = ref + i + k;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++) cells[i + k] = ref + i + k;
    for (; i < n; i++) cells[i] = ref + i;
}

static void find_cells(const int64_t delta[ALL_LANES], uint64_t at, uint32_t bits, uint32_t cells[ALL_LANES]) {
    for (int i = 0; i < ALL_LANES; i++) cells[i] = (uint32_t)((at + (uint64_t)delta[i]) >> bits);
}

// The delta of lanes that are off is 0.
static uint32_t unseen(const uint32_t *seen, const uint32_t cells[ALL_LANES], uint32_t mask) {
    uint32_t rows[ALL_LANES], lanes = 0;
    for (int i = 0; i < ALL_LANES; i++) rows[i] = seen[cells[i] / 32];
    for (int i = 0; i < ALL_LANES; i++) lanes |= (~rows[i] >> cells[i] % 32 & 1) << i;
    return lanes & mask;
}

const hw_check_level LEVEL = {LEVEL_NAME, span,        claim,   has,        is_alone, is_part,
                              are_older,  put_columns, put_row, find_cells, unseen};
