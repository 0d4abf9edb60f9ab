// Are all bytes that a warp accesses defined? The usual answer is yes, for all lanes at once. Compiled for each
// instruction-set level.
#include <string.h>

#include "exec/memory/addresses.h"
#include "exec/undefined/undefined.h"

enum { RANGE_BYTES = 1024, WORD = 4 };

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
static bool is_range_clean(const hw_shadow_memory *memory, uint64_t least, uint64_t end) {
    return end - least <= RANGE_BYTES && end <= memory->bytes && is_zero(memory->bits + least, end - least);
}

// Lanes that are apart: the bytes of each.
static bool are_bytes_clean(const hw_shadow_memory *memory, const uint64_t at[32], uint32_t bytes) {
    uint64_t any = 0;
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

// The lanes of some warps, all of them: their least and their greatest address.
typedef struct span {
    uint64_t least, most;
} span;

static inline span span_of(const hw_warp *w, const hw_inst *in, uint32_t n) {
    uint64_t base;
    hw_addresses least = hw_addresses_of(w, in, &base), most = least;
    for (uint32_t k = 1; k < n; k++) {
        w = hw_next_warp((hw_warp *)(uintptr_t)w);
        const hw_addresses at = hw_addresses_of(w, in, &base);
        least = hw_addresses_least(least, at);
        most = hw_addresses_most(most, at);
    }
    return (span){hw_addresses_low(least), hw_addresses_high(most)};
}

// Of a generic access: do all lanes mean device memory? Windows are larger than the distance that is allowed.
static inline bool is_of_device(const span *s, bool is_generic) {
    return !is_generic || (s->most - s->least < HW_WINDOW_BYTES &&
                           hw_undefined_place_at(s->least).space == HW_SPACE_GLOBAL &&
                           hw_undefined_place_at(s->most).space == HW_SPACE_GLOBAL);
}

// Lanes near each other in a page that is defined in part.
static inline bool is_piece_clean(const hw_defined *defined, const span *s, uint32_t bytes) {
    const uint32_t page_bytes = 1u << HW_DEFINED_PAGE_BITS, offset = (uint32_t)s->least & (page_bytes - 1);
    const uint64_t length = s->most - s->least + bytes;
    const hw_defined_page *page = hw_defined_page_of(defined, s->least);
    return page && page->shadow && length <= RANGE_BYTES && offset + length <= page_bytes &&
           is_zero(page->shadow + offset, length);
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

static bool is_block_clean(const hw_state *state, const hw_inst *in, hw_addresses addresses, uint32_t bytes) {
    const hw_shadow_memory *local = &state->undefined->local;
    const span s = {hw_addresses_low(addresses), hw_addresses_high(addresses)};
    hw_undefined_place first = {in->space, s.least};
    uint64_t at[32];
    if (in->space == HW_SPACE_GENERIC) first = hw_undefined_place_at(s.least);
    // Lanes in several windows are told apart one by one.
    const uint64_t end = first.offset + (s.most - s.least) + bytes;
    if (first.space == HW_SPACE_GLOBAL || end > HW_WINDOW_BYTES) return false;
    if (first.space == HW_SPACE_LOCAL) return s.least == s.most && is_row_clean(local, first.offset, bytes);
    const hw_shadow_memory *shared = hw_undefined_shared_of(state);
    if (is_range_clean(shared, first.offset, end)) return true;
    hw_addresses_put(hw_addresses_plus(addresses, first.offset - s.least), at);
    return end <= shared->bytes && are_bytes_clean(shared, at, bytes);
}

bool HW_LEVEL_NAME(hw_undefined_all_clean)(const hw_state *s, const hw_inst *in, uint32_t bytes, uint32_t n) {
    const hw_undefined *u = s->undefined;
    const bool is_generic = in->space == HW_SPACE_GENERIC;
    uint64_t base, at[32];
    if (in->a == HW_NO_SLOT || in->space == HW_SPACE_PARAM) return false;
    if (hw_undefined_is_none(u, in)) return true;
    if (in->space == HW_SPACE_GLOBAL || is_generic) {
        const span all = span_of(&s->warp, in, n);
        const bool is_device = is_of_device(&all, is_generic);
        if (is_device && hw_defined_are_pages(u->defined, all.least, all.most + bytes - 1)) return true;
        if (n > 1) return false;
        if (is_device && is_piece_clean(u->defined, &all, bytes)) return true;
        if (is_device || !is_generic) {
            hw_addresses_put(hw_addresses_of(&s->warp, in, &base), at);
            return is_device_clean(u->defined, at, bytes, is_generic);
        }
    }
    return n == 1 && is_block_clean(s, in, hw_addresses_of(&s->warp, in, &base), bytes);
}
