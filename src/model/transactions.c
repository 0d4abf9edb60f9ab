#include "model/transactions.h"

#include "model/coalesce.h"
#include "model/lanes.h"

enum { HALF = 16, HALF_MASK = 0xffff, ALL_LANES = 32, LINE_BYTES = 128, MAX_WIDTH = 16 };

// ---- 1.0 and 1.1: all or nothing ------------------------------------------------------------------------------------

static bool is_in_order(const hw_lanes *l) {
    if (l->width != 4 && l->width != 8 && l->width != 16) return false;
    int lowest = __builtin_ctz(l->mask);
    uint64_t segment = hw_lane_address(l, lowest) - (uint64_t)(lowest % HALF) * l->width;
    if (segment % (HALF * l->width)) return false;
    for (uint32_t left = l->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (hw_lane_address(l, lane) != segment + (uint64_t)(lane % HALF) * l->width) return false;
    }
    return true;
}

// What a half-warp asks for.
typedef struct asked {
    hw_transaction list[HW_TRANSACTIONS];
    uint32_t n;
    bool in_order;
} asked;

static void ask_for(asked *asked, uint64_t address, uint32_t bytes) {
    asked->list[asked->n++] = (hw_transaction){address, bytes};
}

static void ask_strictly(const hw_lanes *l, asked *asked) {
    asked->in_order = is_in_order(l);
    if (asked->in_order) {
        int lowest = __builtin_ctz(l->mask);
        uint64_t segment = hw_lane_address(l, lowest) - (uint64_t)(lowest % HALF) * l->width;
        uint32_t bytes = l->width == 4 ? 64 : 128;
        for (uint32_t at = 0; at < HALF * l->width; at += bytes) ask_for(asked, segment + at, bytes);
        return;
    }
    for (uint32_t left = l->mask; left; left &= left - 1) {
        uint64_t address = hw_lane_address(l, __builtin_ctz(left));
        ask_for(asked, address - address % 32, 32);
    }
}

// ---- 1.2 and 1.3: segments ------------------------------------------------------------------------------------------

static uint32_t segment_bytes(uint32_t width) { return width == 1 ? 32 : width == 2 ? 64 : 128; }

// The lanes inside the aligned segment at `first`, and the bytes that they span in it.
static uint32_t lanes_inside(const hw_lanes *l, uint32_t waiting, uint64_t first, uint32_t bytes, uint64_t span[2]) {
    uint32_t inside = 0;
    span[0] = UINT64_MAX;
    span[1] = 0;
    for (uint32_t left = waiting; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t offset = hw_lane_address(l, lane) - first;
        if (offset >= bytes) continue;
        inside |= 1u << lane;
        uint64_t last = offset + l->width - 1;
        if (offset < span[0]) span[0] = offset;
        if (last > span[1]) span[1] = last < bytes ? last : bytes - 1;
    }
    return inside;
}

static void ask_by_segments(const hw_lanes *l, asked *asked) {
    for (uint32_t waiting = l->mask; waiting;) {
        uint32_t bytes = segment_bytes(l->width);
        uint64_t span[2], first = hw_lane_address(l, __builtin_ctz(waiting));
        first -= first % bytes;
        waiting &= ~lanes_inside(l, waiting, first, bytes, span);
        while (bytes > 32 && span[0] / (bytes / 2) == span[1] / (bytes / 2)) {
            bytes /= 2;
            first += span[0] / bytes * bytes;
            span[0] %= bytes;
            span[1] %= bytes;
        }
        ask_for(asked, first, bytes);
    }
}

static void ask_half(const hw_arch *arch, const hw_lanes *l, asked *asked) {
    if (arch->cc < 12) ask_strictly(l, asked);
    else ask_by_segments(l, asked);
}

static void count_half(const hw_arch *arch, const hw_lanes *l, hw_transactions *t) {
    asked asked = {.n = 0};
    ask_half(arch, l, &asked);
    for (uint32_t i = 0; i < asked.n; i++)
        *(asked.list[i].bytes == 32 ? &t->of_32 : asked.list[i].bytes == 64 ? &t->of_64 : &t->of_128) += 1;
    if (arch->cc < 12) *(asked.in_order ? &t->coalesced : &t->uncoalesced) += 1;
}

// ---- 2.0 and newer: lines and sectors -------------------------------------------------------------------------------

// Words are aligned, so none lies in two lines.
static uint32_t count_lines(const hw_lanes *l) {
    uint32_t count = 0;
    for (uint32_t waiting = l->mask; waiting;) {
        uint64_t address = hw_lane_address(l, __builtin_ctz(waiting)), first = address - address % LINE_BYTES;
        uint32_t inside = 0;
        for (uint32_t left = waiting; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            if (hw_lane_address(l, lane) - first < LINE_BYTES) inside |= 1u << lane;
        }
        waiting &= ~inside;
        count++;
    }
    return count;
}

static void count_cached(const hw_arch *arch, const hw_lanes *l, bool by_lines, hw_transactions *t) {
    if (by_lines) t->of_128 += count_lines(l);
    else t->of_32 += hw_coalesce_sectors(arch, l->mask, l->base, l->delta, l->width);
}

// ---- Requests -------------------------------------------------------------------------------------------------------

static uint32_t lanes_of_request(const hw_arch *arch, uint32_t width) {
    if (arch->cc < 20) return HALF;
    if (arch->cc >= 50) return ALL_LANES;
    return width <= 4 ? ALL_LANES : width <= 8 ? ALL_LANES / 2 : ALL_LANES / 4;
}

// The transactions of 32 bytes that lie beside no other transaction of the warp.
static uint32_t count_lone(const hw_arch *arch, uint32_t mask, const hw_lanes *l) {
    hw_transaction list[HW_TRANSACTIONS];
    uint32_t n = hw_transactions_list(arch, mask, l->base, l->delta, l->width, list), lone = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool is_lone = list[i].bytes == 32;
        for (uint32_t k = 0; k < n && is_lone; k++)
            is_lone = k == i || list[k].address > list[i].address + 32 ||
                      list[k].address + list[k].bytes < list[i].address;
        lone += is_lone;
    }
    return lone;
}

hw_transactions hw_transactions_count(const hw_arch *arch, hw_note_kind kind, bool cached, uint32_t mask, uint64_t base,
                                      const int64_t delta[32], uint32_t width) {
    hw_transactions t = {0};
    hw_lanes l = {.base = base, .delta = delta, .width = width > MAX_WIDTH ? MAX_WIDTH : width};
    if (!width) return t;
    uint32_t group = lanes_of_request(arch, l.width);
    for (uint32_t first = 0; first < ALL_LANES; first += group) {
        l.mask = mask & (uint32_t)(((uint64_t)1 << group) - 1) << first;
        if (!l.mask) continue;
        t.requests++;
        if (arch->cc < 20) count_half(arch, &l, &t);
        else count_cached(arch, &l, hw_loads_lines(arch) && cached && kind == HW_NOTE_LOAD, &t);
    }
    if (t.of_32 && (arch->cc == 12 || arch->cc == 13)) t.lone_32 = count_lone(arch, mask, &l);
    return t;
}

uint32_t hw_transactions_list(const hw_arch *arch, uint32_t mask, uint64_t base, const int64_t delta[32],
                              uint32_t width, hw_transaction list[HW_TRANSACTIONS]) {
    hw_lanes l = {.base = base, .delta = delta, .width = width > MAX_WIDTH ? MAX_WIDTH : width};
    asked asked = {.n = 0};
    for (uint32_t half = HALF_MASK; width && half; half <<= HALF) {
        l.mask = mask & half;
        if (l.mask) ask_half(arch, &l, &asked);
    }
    for (uint32_t i = 0; i < asked.n; i++) list[i] = asked.list[i];
    return asked.n;
}
