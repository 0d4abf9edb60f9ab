// Shared-memory banks: which lanes go together, and how often the busiest bank is asked.
#include "model/banks.h"

#include "model/distinct.h"

enum { MAX_BANKS = 32 /* a power of two on every GPU */, WORD_BYTES = 4, ALL_LANES = 32 };

// Words that a lane's bytes lie in, less one.
static uint32_t more_words(const hw_lanes *l, uint64_t address) {
    return (uint32_t)((address % WORD_BYTES + l->width - 1) / WORD_BYTES);
}

static uint32_t largest_count(const uint8_t *counts, uint32_t n) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) most = counts[i] > most ? counts[i] : most;
    return most;
}

// What the banks deliver at once, numbered: words; on 3.x, whose banks hold 8 bytes, rows of all banks. A bank that is
// asked for two of them needs two passes.
typedef struct layout {
    uint32_t bank_shift, row_shift;   // of an address: to number the bank, and what it delivers
} layout;

static layout layout_of(const hw_arch *arch, uint32_t mode_bytes) {
    if (arch->smem_bank_bytes == WORD_BYTES) return (layout){2, 2};
    return (layout){mode_bytes == 8 ? 3 : 2, 8};
}

// Distinct words (rows) asked of the busiest bank by the lanes in mask: equal ones are read once for all.
static uint32_t distinct_words(const hw_arch *arch, layout at_once, const hw_lanes *l, uint32_t mask) {
    enum { MAX_WORDS = ALL_LANES * 5 };   // four words per lane, five where they are not aligned
    uint64_t words[MAX_WORDS];
    uint8_t next[MAX_WORDS], head[MAX_BANKS], counts[MAX_BANKS] = {0};
    uint32_t n = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = hw_lane_address(l, __builtin_ctz(left));
        for (uint32_t i = 0; i <= more_words(l, address) && n < MAX_WORDS; i++) {
            uint64_t place = address / WORD_BYTES * WORD_BYTES + i * WORD_BYTES, word = place >> at_once.row_shift;
            uint32_t bank = (uint32_t)(place >> at_once.bank_shift) & (arch->smem_banks - 1);
            uint32_t seen = counts[bank], at = seen ? head[bank] : 0;
            while (seen && words[at] != word) {
                at = next[at];
                seen--;
            }
            if (seen) continue;
            words[n] = word;
            next[n] = head[bank];
            head[bank] = (uint8_t)n++;
            counts[bank]++;
        }
    }
    return largest_count(counts, arch->smem_banks);
}

// The lanes that access the busiest bank: atomics are served one by one, also those of one word.
static uint32_t lanes_per_bank(const hw_arch *arch, const hw_lanes *l, uint32_t mask) {
    uint8_t counts[MAX_BANKS] = {0};
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = hw_lane_address(l, __builtin_ctz(left));
        for (uint32_t i = 0; i <= more_words(l, address); i++)
            counts[(address / WORD_BYTES + i) & (arch->smem_banks - 1)]++;
    }
    return largest_count(counts, arch->smem_banks);
}

// Do all lanes i and i ^ step that are both active read the same address?
static bool pairs_agree(const hw_lanes *l, int step) {
    for (uint32_t left = l->mask & l->mask >> step; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (!(lane & step) && hw_lane_address(l, lane) != hw_lane_address(l, lane + step)) return false;
    }
    return true;
}

// 1.x: the steps in which the banks serve one 4-byte part of the words that a half-warp accesses.
static uint32_t steps_of_part(const hw_arch *arch, const hw_lanes *l, uint32_t mask, uint32_t part) {
    uint32_t steps = 0;
    for (uint32_t waiting = mask; waiting; steps++) {
        uint64_t broadcast = hw_lane_address(l, __builtin_ctz(waiting)) / WORD_BYTES + part;
        uint32_t busy = 1u << (broadcast & (arch->smem_banks - 1));
        for (uint32_t left = waiting; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            uint64_t word = hw_lane_address(l, lane) / WORD_BYTES + part;
            uint32_t bank = 1u << (word & (arch->smem_banks - 1));
            if (word != broadcast && busy & bank) continue;
            busy |= bank;
            waiting &= ~(1u << lane);
        }
    }
    return steps;
}

static uint32_t count_steps(const hw_arch *arch, const hw_lanes *l, uint32_t mask) {
    uint32_t total = 0;
    for (uint32_t part = 0; part < (l->width + WORD_BYTES - 1) / WORD_BYTES; part++)
        total += steps_of_part(arch, l, mask, part);
    return total;
}

// 2.x, 16-byte words: "add 1 to the maximum number of threads in a quarter-warp that access different addresses
// belonging to the same bank" (programming guide 4.2, F.4.3.3), for each half-warp.
static uint32_t fermi_wide(const hw_arch *arch, const hw_lanes *l, uint32_t mask) {
    uint32_t most = 0;
    for (uint32_t quarter = 0xff; quarter; quarter <<= 8) {
        uint32_t words = mask & quarter ? distinct_words(arch, layout_of(arch, 4), l, mask & quarter) : 0;
        most = words > most ? words : most;
    }
    return 1 + most;
}

// Lanes that are served together. The banks deliver one row at a time, so 8-byte accesses go by halves of the warp and
// 16-byte ones by quarters; on 3.x, where a row has 256 bytes, by the whole warp and by halves. From 7.0 on a load goes
// by groups twice as large where neighbouring lanes share addresses (NVIDIA forum 77228; measured on 8.0 and 9.0);
// stores and atomics are never put together.
static uint32_t lanes_at_once(const hw_arch *arch, hw_note_kind kind, const hw_lanes *l) {
    if (l->width <= WORD_BYTES && arch->cc >= 20) return ALL_LANES;    // the usual case, without a division
    uint32_t lane_bytes = l->width <= 4 ? 4 : l->width <= 8 ? 8 : 16;
    uint32_t group = arch->smem_banks * arch->smem_bank_bytes / lane_bytes;
    if (arch->cc < 30 && lane_bytes > 8) group = ALL_LANES / 2;
    if (arch->cc < 20) group = ALL_LANES / 2;
    bool joins = arch->cc >= 70 && kind == HW_NOTE_LOAD && lane_bytes > 4 && (pairs_agree(l, 1) || pairs_agree(l, 2));
    if (group > ALL_LANES) group = ALL_LANES;
    return joins ? 2 * group : group;
}

static uint32_t passes_of_group(const hw_arch *arch, hw_note_kind kind, uint32_t mode_bytes, const hw_lanes *l,
                                uint32_t members) {
    if (kind == HW_NOTE_ATOMIC || kind == HW_NOTE_REDUCTION) return lanes_per_bank(arch, l, members);
    if (arch->cc < 20) return count_steps(arch, l, members);
    if (arch->cc < 30 && l->width > 8) return fermi_wide(arch, l, members);
    return distinct_words(arch, layout_of(arch, mode_bytes), l, members);
}

// GPUs whose banks deliver 128 bytes at a time, to lanes that are served by rules alike for all widths.
static bool is_plain(const hw_arch *arch) {
    return arch->cc >= 30 && arch->smem_banks == MAX_BANKS && arch->smem_bank_bytes == WORD_BYTES;
}

uint32_t hw_banks_wavefronts_of_places(const hw_arch *arch, hw_note_kind kind, uint32_t mode_bytes, const hw_lanes *l) {
    uint32_t group = lanes_at_once(arch, kind, l), total = 0;
    bool shares = kind != HW_NOTE_ATOMIC && kind != HW_NOTE_REDUCTION;
    if (is_plain(arch)) {
        total = hw_distinct_level_best()->busiest_banks(l, group, shares);
        if (total != HW_DISTINCT_UNKNOWN) return total;
        total = 0;
    }
    for (uint32_t first = 0; first < ALL_LANES; first += group) {
        uint32_t members = l->mask & (uint32_t)(((uint64_t)1 << group) - 1) << first;
        if (members) total += passes_of_group(arch, kind, mode_bytes, l, members);
    }
    return total;
}

uint32_t hw_banks_wavefronts(const hw_arch *arch, hw_note_kind kind, uint32_t mode_bytes, uint32_t mask, uint64_t base,
                             const int64_t delta[32], uint32_t width) {
    const hw_lanes l = {.mask = mask, .base = base, .delta = delta, .width = width > 16 ? 16 : width};
    return mask && width ? hw_banks_wavefronts_of_places(arch, kind, mode_bytes, &l) : 0;
}

uint32_t hw_banks_ideal(const hw_arch *arch, uint32_t mask, uint32_t width, uint32_t wavefronts) {
    const uint32_t packed = hw_banks_packed(arch, hw_lanes_on(mask), width);
    return packed < wavefronts ? packed : wavefronts;
}
