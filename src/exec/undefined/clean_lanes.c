// Are all bytes that a warp accesses defined? The usual answer is yes, for all lanes at once. Compiled for each
// instruction-set level.
#include <string.h>

#include "exec/memory/locate.h"
#include "exec/undefined/undefined.h"

enum { RANGE_BYTES = 1024, WORD = 4 };

// The addresses of the active lanes, and the first one's for the others. Returns which bits differ from the first's.
static inline uint64_t find_addresses(const hw_warp *w, const hw_inst *in, uint64_t at[32]) {
    const int first = __builtin_ctz(w->mask);
    const int32_t *on = w->lanes;
    uint64_t differ = 0;
    if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(w, in->a), imm = (uint32_t)in->imm, base = a[first];
        for (int i = 0; i < 32; i++) at[i] = (uint32_t)((on[i] ? a[i] : base) + imm);
    } else {
        const uint64_t *a = hw_at(w, in->a), imm = (uint64_t)in->imm, base = a[first];
        for (int i = 0; i < 32; i++) at[i] = (on[i] ? a[i] : base) + imm;
    }
    for (int i = 0; i < 32; i++) differ |= at[i] ^ at[0];
    return differ;
}

static bool is_zero(const uint8_t *at, uint64_t bytes) {
    uint64_t any = 0, word;
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        any |= word;
    }
    for (; bytes; bytes--) any |= *at++;
    return !any;
}

// Lanes that are near each other: all bytes between them.
static bool is_range_clean(const hw_shadow_memory *memory, const uint64_t at[32], uint32_t bytes) {
    uint64_t least = at[0], most = at[0];
    for (int i = 1; i < 32; i++) {
        least = at[i] < least ? at[i] : least;
        most = at[i] > most ? at[i] : most;
    }
    most += bytes;
    return most - least <= RANGE_BYTES && most <= memory->bytes && is_zero(memory->bits + least, most - least);
}

// Lanes that are apart: the bytes of each.
static bool are_bytes_clean(const hw_shadow_memory *memory, const uint64_t at[32], uint32_t bytes) {
    uint64_t most = 0, any = 0;
    for (int i = 0; i < 32; i++) most = at[i] > most ? at[i] : most;
    if (most > memory->bytes || memory->bytes - most < bytes) return false;
#define LOOK_AT(type)                                        \
    for (int i = 0; i < 32; i++) {                           \
        type part;                                           \
        memcpy(&part, memory->bits + at[i], sizeof part);    \
        any |= part;                                         \
    }
    if (bytes == 4) LOOK_AT(uint32_t)
    else if (bytes == 8) LOOK_AT(uint64_t)
    else for (int i = 0; i < 32 && !any; i++) any = !is_zero(memory->bits + at[i], bytes);
#undef LOOK_AT
    return !any;
}

// Lanes in device memory, in several pages or one that is defined in part.
static bool is_device_clean(const hw_defined *defined, const uint64_t at[32], uint32_t bytes, bool is_generic) {
    const uint32_t page_bytes = 1u << HW_DEFINED_PAGE_BITS;
    for (int i = 0; i < 32; i++) {
        if (is_generic && hw_undefined_place_at(at[i]).space != HW_SPACE_GLOBAL) return false;
        const hw_defined_page *page = hw_defined_page_of(defined, at[i]);
        const uint32_t offset = (uint32_t)at[i] & (page_bytes - 1);
        if (!page) continue;
        if (!page->shadow || offset > page_bytes - bytes || !is_zero(page->shadow + offset, bytes)) return false;
    }
    return true;
}

// All lanes at one offset: their words lie side by side.
static bool is_row_clean(const hw_shadow_memory *local, uint64_t offset, uint32_t bytes) {
    if (offset > local->bytes || local->bytes - offset < bytes) return false;
    const uint64_t begin = offset / WORD * WORD, end = offset + bytes;
    return is_zero(local->bits + hw_local_offset(begin), (end - begin + WORD - 1) / WORD * 32 * WORD);
}

bool HW_LEVEL_NAME(hw_undefined_all_clean)(const hw_state *s, const hw_inst *in, uint32_t bytes) {
    const hw_undefined *u = s->undefined;
    uint64_t at[32];
    if (in->a == HW_NO_SLOT || in->space == HW_SPACE_PARAM) return false;
    if (in->space == HW_SPACE_CONST || (in->space == HW_SPACE_SHARED && !u->shared->n_undefined)) return true;
    const uint64_t differ = find_addresses(&s->warp, in, at);
    hw_undefined_place first = {in->space, at[0]};
    if (in->space == HW_SPACE_GENERIC) first = hw_undefined_place_at(at[0]);
    if (first.space == HW_SPACE_GLOBAL) {
        if (!(differ >> HW_DEFINED_PAGE_BITS) && !hw_defined_page_of(u->defined, at[0])) return true;
        return is_device_clean(u->defined, at, bytes, in->space == HW_SPACE_GENERIC);
    }
    // Lanes in several windows are told apart one by one.
    if (differ >> 32) return false;
    const uint64_t window = at[0] - first.offset;
    for (int i = 0; i < 32; i++) at[i] -= window;
    if (first.space == HW_SPACE_LOCAL) return !differ && is_row_clean(&u->local, first.offset, bytes);
    return is_range_clean(u->shared, at, bytes) || are_bytes_clean(u->shared, at, bytes);
}
