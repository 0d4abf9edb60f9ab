// The shadow of memory, as accesses see it: device memory (mem/defined.h), a block's shared, a thread's local memory.
#include <string.h>

#include "exec/memory/locate.h"
#include "exec/undefined/undefined.h"

enum { WORD = 4 };

typedef hw_undefined_place place;

// ---- places ---------------------------------------------------------------------------------------------------------

place hw_undefined_place_at(uint64_t address) {
    if (address - HW_SHARED_WINDOW < HW_WINDOW_BYTES) return (place){HW_SPACE_SHARED, address - HW_SHARED_WINDOW};
    if (address - HW_LOCAL_WINDOW < HW_WINDOW_BYTES) return (place){HW_SPACE_LOCAL, address - HW_LOCAL_WINDOW};
    return (place){HW_SPACE_GLOBAL, address};
}

place hw_undefined_place_of(const hw_state *s, const hw_inst *in, int lane) {
    const uint64_t address = in->a == HW_NO_SLOT ? (uint64_t)in->imm : hw_address_of(&s->warp, in, lane);
    if (in->space == HW_SPACE_GENERIC) return hw_undefined_place_at(address);
    if (in->space == HW_SPACE_PARAM) return (place){in->is_own_param ? HW_SPACE_LOCAL : HW_SPACE_GLOBAL, address};
    return (place){in->space, address};
}

// Where a byte of the lane's local memory has its shadow; the bytes of a word lie together.
static uint64_t local_at(int lane, uint64_t offset) { return hw_local_offset(offset) + WORD * (uint64_t)lane; }

static bool is_inside(const hw_shadow_memory *memory, uint64_t offset, uint32_t bytes) {
    return offset <= memory->bytes && memory->bytes - offset >= bytes;
}

// Of the block that an offset is in, which is one there from then on. NULL: that block has ended.
static hw_shadow_memory *shared_at(const hw_state *s, uint64_t *offset) {
    if (!hw_has_rank(*offset)) return hw_undefined_shared_of(s);
    const hw_block *home = hw_cluster_home(s->block, *offset, offset);
    return home ? home->shadow : NULL;
}

// ---- are they defined? ----------------------------------------------------------------------------------------------

static bool is_zero(const uint8_t *at, uint32_t bytes) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < bytes; i += 8) {
        uint64_t part = 0;
        memcpy(&part, at + i, bytes - i < 8 ? bytes - i : 8);
        any |= part;
    }
    return !any;
}

static bool is_local_clean(const hw_shadow_memory *local, int lane, uint64_t offset, uint32_t bytes) {
    uint32_t any = 0;
    for (uint64_t end = offset + bytes; offset < end;) {
        const uint32_t n = (uint32_t)(WORD - offset % WORD < end - offset ? WORD - offset % WORD : end - offset);
        uint32_t part = 0;
        memcpy(&part, local->bits + local_at(lane, offset), n);
        any |= part;
        offset += n;
    }
    return !any;
}

static bool is_global_clean(const hw_defined *defined, uint64_t address, uint32_t bytes) {
    const hw_defined_page *page = hw_defined_page_of(defined, address);
    const uint32_t offset = (uint32_t)address & ((1u << HW_DEFINED_PAGE_BITS) - 1);
    if (!page) return true;
    if (offset + bytes > 1u << HW_DEFINED_PAGE_BITS) return hw_defined_is(defined, address, bytes);
    return page->shadow && is_zero(page->shadow + offset, bytes);
}

static bool is_shared_clean(const hw_state *s, uint64_t offset, uint32_t bytes) {
    if (!hw_has_rank(offset) && !s->undefined->shared->n_undefined) return true;
    const hw_shadow_memory *shared = shared_at(s, &offset);
    return !shared || !is_inside(shared, offset, bytes) || is_zero(shared->bits + offset, bytes);
}

bool hw_undefined_is_clean(const hw_state *s, int lane, place at, uint32_t bytes) {
    const hw_undefined *u = s->undefined;
    switch (at.space) {
    case HW_SPACE_SHARED: return is_shared_clean(s, at.offset, bytes);
    case HW_SPACE_LOCAL:
        return !is_inside(&u->local, at.offset, bytes) || is_local_clean(&u->local, lane, at.offset, bytes);
    case HW_SPACE_GLOBAL: return is_global_clean(u->defined, at.offset, bytes);
    default: return true;
    }
}

bool hw_undefined_access_is_clean(const hw_state *s, const hw_inst *in, uint32_t bytes) {
    bool is_clean = true;
    if (hw_undefined_all_clean(s, in, bytes, 1)) return true;
    for (uint32_t left = s->warp.mask; left && is_clean; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        is_clean = hw_undefined_is_clean(s, lane, hw_undefined_place_of(s, in, lane), bytes);
    }
    return is_clean;
}

// ---- reading --------------------------------------------------------------------------------------------------------

hw_origin hw_undefined_read(const hw_state *s, int lane, place at, uint32_t bytes, uint8_t *shadow) {
    const hw_undefined *u = s->undefined;
    const bool is_shared = at.space == HW_SPACE_SHARED;
    const hw_shadow_memory *memory = is_shared ? shared_at(s, &at.offset) : &u->local;
    hw_origin origin = 0;
    if (at.space == HW_SPACE_GLOBAL) return hw_defined_get(u->defined, at.offset, bytes, shadow);
    memset(shadow, 0, bytes);
    if ((!is_shared && at.space != HW_SPACE_LOCAL) || !memory || !is_inside(memory, at.offset, bytes)) return 0;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint64_t from = is_shared ? at.offset + i : local_at(lane, at.offset + i);
        shadow[i] = memory->bits[from];
        if (shadow[i] && !origin) origin = memory->origins[from / WORD];
    }
    return origin;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void write_bytes(hw_shadow_memory *memory, bool is_shared, int lane, uint64_t offset, uint32_t bytes,
                        const uint8_t *shadow, hw_origin origin) {
    if (!memory || !is_inside(memory, offset, bytes)) return;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint64_t to = is_shared ? offset + i : local_at(lane, offset + i);
        memory->n_undefined += (uint32_t)(shadow[i] != 0) - (uint32_t)(memory->bits[to] != 0);
        memory->bits[to] = shadow[i];
        if (shadow[i]) memory->origins[to / WORD] = origin;
    }
    memory->state = 0;
    memory->has_origins = true;
}

void hw_undefined_write(hw_state *s, int lane, place at, uint32_t bytes, const uint8_t *shadow, hw_origin origin) {
    hw_undefined *u = s->undefined;
    hw_shadow_memory *memory;
    switch (at.space) {
    case HW_SPACE_GLOBAL: hw_defined_put(u->defined, at.offset, bytes, shadow, origin); break;
    case HW_SPACE_SHARED:
        memory = shared_at(s, &at.offset);
        write_bytes(memory, true, lane, at.offset, bytes, shadow, origin);
        break;
    case HW_SPACE_LOCAL: write_bytes(&u->local, false, lane, at.offset, bytes, shadow, origin); break;
    default: break;
    }
}

static void define_shared(hw_shadow_memory *shared, uint64_t offset, uint32_t bytes) {
    uint32_t n = 0;
    if (!shared || !is_inside(shared, offset, bytes)) return;
    for (uint32_t i = 0; i < bytes; i++) n += shared->bits[offset + i] != 0;
    if (!n) return;
    memset(shared->bits + offset, 0, bytes);
    shared->n_undefined -= n;
    shared->state = 0;
}

static void define_local(hw_shadow_memory *local, int lane, uint64_t offset, uint32_t bytes) {
    if (!is_inside(local, offset, bytes)) return;
    for (uint64_t end = offset + bytes, n; offset < end; offset += n) {
        n = WORD - offset % WORD < end - offset ? WORD - offset % WORD : end - offset;
        memset(local->bits + local_at(lane, offset), 0, n);
    }
}

void hw_undefined_define(hw_state *s, int lane, place at, uint32_t bytes) {
    hw_undefined *u = s->undefined;
    hw_shadow_memory *memory;
    switch (at.space) {
    case HW_SPACE_GLOBAL: hw_defined_set(u->defined, at.offset, bytes); break;
    case HW_SPACE_SHARED:
        memory = shared_at(s, &at.offset);
        define_shared(memory, at.offset, bytes);
        break;
    case HW_SPACE_LOCAL: define_local(&u->local, lane, at.offset, bytes); break;
    default: break;
    }
}

// All lanes side by side?
static bool is_unit_stride(const hw_warp *w, const hw_inst *in, uint32_t bytes) {
    uint64_t differ = 0;
    if (w->mask != 0xffffffffu || in->a == HW_NO_SLOT) return false;
    if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(w, in->a), first = a[0];
        for (uint32_t i = 0; i < 32; i++) differ |= a[i] ^ (first + i * bytes);
    } else {
        const uint64_t *a = hw_at(w, in->a), first = a[0];
        for (uint64_t i = 0; i < 32; i++) differ |= a[i] ^ (first + i * bytes);
    }
    return !differ;
}

void hw_undefined_define_access(hw_state *s, const hw_inst *in, uint32_t bytes) {
    if (hw_undefined_all_clean(s, in, bytes, 1)) return;
    const place first = hw_undefined_place_of(s, in, __builtin_ctz(s->warp.mask));
    if (first.space != HW_SPACE_LOCAL && is_unit_stride(&s->warp, in, bytes)) {
        hw_undefined_define(s, 0, first, 32 * bytes);
        return;
    }
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        hw_undefined_define(s, lane, hw_undefined_place_of(s, in, lane), bytes);
    }
}

void hw_undefined_forget_local(hw_state *s, uint64_t offset, uint64_t bytes) {
    hw_shadow_memory *local = &s->undefined->local;
    const uint64_t end = offset + bytes < local->bytes ? offset + bytes : local->bytes;
    for (; offset < end; offset++) {
        for (uint32_t left = s->warp.mask; left; left &= left - 1) {
            const uint64_t to = local_at(__builtin_ctz(left), offset);
            local->bits[to] = 0xff;
            local->origins[to / WORD] = 0;
        }
    }
}
