#include "check/bounds.h"

#include <string.h>

#include "check/readers.h"

// An access that is wrong, of one kind: by whom, and in the first of its lanes, where.
typedef struct wrong {
    hw_check_kind kind;
    uint32_t warp;                   // as entries number them
    uint32_t note, lanes;
    hw_check_act act;
    uint32_t bytes;
    uint8_t space;
    uint64_t address;
    hw_check_object object;
} wrong;

// How far the address is behind the begin of the part before it, of those that lie there once in each stride.
static uint64_t offset_in_part(const hw_home *home, uint64_t address) {
    const uint64_t first = home->whole_begin + (home->begin - home->whole_begin) % home->stride;
    return address >= first ? (address - first) % home->stride : home->stride - (first - address);
}

// ---- findings -------------------------------------------------------------------------------------------------------

// The finding outlives the module whose variable it is.
static const char *keep_name(hw_check *c, const char *name) {
    return name ? hw_arena_string(c->works.arena, name, strlen(name)) : NULL;
}

// The first byte of an access that is not in the object.
static uint64_t first_outside(const hw_check_object *object, uint64_t address) {
    const uint64_t end = object->address + object->bytes;
    const bool is_inside = object->is_known && address >= object->address && address < end;
    return is_inside && !object->is_out_of_reach ? end : address;
}

static hw_check_object object_of(const hw_allocation *a) {
    return (hw_check_object){.is_known = true, .address = a->address, .bytes = a->bytes,
                             .name = a->kind == HW_ALLOC_GLOBAL ? a->name : NULL, .site = a->site};
}

// The variable that a part is of, or the variable itself.
static hw_check_object whole_of_home(const hw_home *home) {
    return (hw_check_object){.is_known = true, .address = home->part ? home->whole_begin : home->begin,
                             .bytes = home->part ? home->whole_bytes : home->bytes, .name = home->name,
                             .site = home->site};
}

// Of parts that lie there several times, the one that the address is in or behind, or if it is nearer the next one.
// Where there is no such one, it is all of their memory that the address is not in.
static hw_check_object object_of_home(const hw_home *home, uint64_t address) {
    hw_check_object object = {.is_known = true, .address = home->begin, .bytes = home->bytes, .name = home->name,
                              .part = home->part, .site = home->site};
    if (!home->stride) return object;
    if (address - home->whole_begin >= home->whole_bytes) return whole_of_home(home);
    const uint64_t behind = offset_in_part(home, address);
    object.address = address - behind;
    if (behind >= home->bytes && home->stride - behind < behind - home->bytes + 1) object.address += home->stride;
    const uint64_t from = object.address - home->whole_begin;
    if (from >= home->whole_bytes || home->bytes > home->whole_bytes - from) object.address = home->begin;
    return object;
}

hw_check_object hw_check_object_at(hw_check *c, uint8_t space, uint64_t address) {
    const hw_homes *homes = c->homes;
    hw_check_object there = {.is_known = false};
    hw_allocation a;
    if (space == HW_SPACE_SHARED) {
        for (uint32_t k = 1; homes && k < homes->n_sets && !there.is_known; k++)
            for (uint32_t i = 0; i < homes->sets[k].n; i++) {
                const hw_home *home = &homes->items[homes->sets[k].first + i];
                const hw_check_object whole = whole_of_home(home);
                if (home->space == space && address - whole.address < whole.bytes) there = whole;
            }
    } else if (space != HW_SPACE_LOCAL && c->memory && hw_mem_find(c->memory, address, 1, &a)) {
        there = object_of(&a);
    }
    there.name = keep_name(c, there.name);
    return there;
}

static hw_check_finding describe(hw_check *c, const wrong *w, const hw_check_side *side) {
    hw_check_finding finding = {.kind = w->kind, .space = w->space, .address = w->address, .object = w->object,
                                .n_sides = 1, .sides = {*side}};
    finding.sides[0].bytes = w->bytes;
    finding.object.name = keep_name(c, w->object.name);
    finding.object.part = keep_name(c, w->object.part);
    if (w->kind != HW_CHECK_BOUNDS) return finding;
    finding.address = first_outside(&w->object, w->address);
    if (w->object.is_nearest || w->object.is_out_of_reach) return finding;
    finding.there = hw_check_object_at(c, w->space, finding.address);
    return finding;
}

// Who freed the memory comes before who uses it.
static void add_free(hw_check_finding *finding, const void *site) {
    if (!site) return;
    finding->sides[finding->n_sides++] = finding->sides[0];
    finding->sides[0] = (hw_check_side){.act = HW_CHECK_FREES, .site = site, .file = ""};
}

// What lies nearest to an access of device memory, where nobody knows where its pointer came from.
static hw_check_object find_nearest(const hw_check *c, uint64_t address) {
    enum { FAR_BYTES = 1 << 30, NULL_BYTES = 1 << 12 };
    hw_check_object nothing = {.is_known = false};
    hw_allocation a;
    if (address < NULL_BYTES || !c->memory || !hw_mem_nearest(c->memory, address, &a)) return nothing;
    const bool is_before = address < a.address;
    const uint64_t distance = is_before ? a.address - address : address - a.address;
    if (distance > FAR_BYTES + (is_before ? 0 : a.bytes)) return nothing;
    hw_check_object nearest = object_of(&a);
    nearest.is_nearest = distance >= a.bytes || is_before;
    nearest.is_out_of_reach = hw_mem_is_out_of_reach(c->memory, address);
    return nearest;
}

static void add_wrong(hw_check *c, wrong *w) {
    const bool is_device = w->space != HW_SPACE_SHARED && w->space != HW_SPACE_LOCAL;
    hw_allocation freed = {.site = NULL};
    if (w->note >= c->n_notes) return;
    if (is_device && !w->object.is_known && c->memory && hw_mem_find_freed(c->memory, w->address, &freed)) {
        w->kind = HW_CHECK_FREED;
        w->object = object_of(&freed);
    }
    const hw_check_entry entry = {.work = c->work, .warp = w->warp, .note = w->note, .mask = w->lanes,
                                  .act = (uint8_t)w->act};
    const uint64_t n = (uint64_t)__builtin_popcount(w->lanes);
    const uint64_t which = (uint64_t)(uintptr_t)(w->object.site ? w->object.site : (const void *)w->object.name);
    const uint64_t places[2] = {hw_check_works_place(&c->works, &entry), which};
    if (hw_check_count_again(c, w->kind, places, n)) return;
    if (is_device && !w->object.is_known) w->object = find_nearest(c, w->address);
    const hw_check_side side = hw_check_works_side(&c->works, &entry, __builtin_ctz(w->lanes));
    hw_check_finding finding = describe(c, w, &side);
    if (w->kind == HW_CHECK_FREED) add_free(&finding, freed.freed_at);
    hw_check_keep(c, &finding, places, n);
}

// ---- accesses elsewhere ---------------------------------------------------------------------------------------------

static uint64_t distance_to(const hw_home *home, uint64_t address) {
    if (home->stride) return 0;
    if (address < home->begin) return home->begin - address;
    return address - home->begin < home->bytes ? 0 : address - home->begin - home->bytes;
}

// The nearest home in the space of the access; NULL: there is none, so that nobody knows where it should be.
static const hw_home *nearest_home(const hw_check *c, const hw_home_set *homes, uint8_t space, uint64_t address) {
    const hw_home *nearest = NULL;
    for (uint32_t i = 0; i < homes->n; i++) {
        const hw_home *home = &c->homes->items[homes->first + i];
        if (home->space != (space == HW_SPACE_CONST ? HW_SPACE_GLOBAL : space)) continue;
        if (!nearest || distance_to(home, address) < distance_to(nearest, address)) nearest = home;
    }
    return nearest;
}

// In any of several equal parts of the home?
static bool is_in_parts(const hw_home *home, uint64_t address, uint64_t bytes) {
    const uint64_t behind = offset_in_part(home, address);
    return address - home->whole_begin < home->whole_bytes && behind < home->bytes && bytes <= home->bytes - behind;
}

static bool is_at_home(const hw_check *c, const hw_home_set *homes, uint8_t space, uint64_t address, uint64_t bytes) {
    for (uint32_t i = 0; i < homes->n; i++) {
        const hw_home *home = &c->homes->items[homes->first + i];
        if (hw_check_is_in(home, space, address, bytes) || (home->stride && is_in_parts(home, address, bytes)))
            return true;
    }
    return false;
}

static hw_check_act act_of(const hw_note *note, bool is_write) {
    if (note->kind == HW_NOTE_ATOMIC || note->kind == HW_NOTE_REDUCTION) return HW_CHECK_CHANGES;
    return is_write ? HW_CHECK_WRITES : HW_CHECK_READS;
}

static bool does_write(const hw_access *a) {
    return a->kind == HW_NOTE_STORE || (a->kind != HW_NOTE_LOAD && a->kind != HW_NOTE_LOAD_MATRIX &&
                                        a->space == HW_SPACE_SHARED);
}

static uint32_t warp_of(const hw_check *c, const hw_check_block *block, const hw_where *where) {
    return block->number * c->blocks.n_warps + where->warp;
}

// One that is not in its first home as a whole, low and high bytes about its base.
static void leave(hw_check *c, const hw_access *a, const hw_home_set *homes, int64_t low, int64_t high) {
    uint32_t lanes = 0;
    if (is_at_home(c, homes, a->space, a->base + (uint64_t)low, (uint64_t)(high - low))) return;
    for (uint32_t left = a->pattern->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint64_t address = a->base + (uint64_t)a->pattern->delta[i];
        lanes |= (uint32_t)!is_at_home(c, homes, a->space, address, a->width_bytes) << i;
    }
    if (!lanes) return;
    if (a->space == HW_SPACE_GLOBAL && hw_check_act_of(a->kind, a->space) != HW_CHECK_READS) hw_check_reads_stray(c);
    const uint64_t address = a->base + (uint64_t)a->pattern->delta[__builtin_ctz(lanes)];
    const hw_home *home = nearest_home(c, homes, a->space, address);
    const hw_check_block *block = hw_check_block_of(&c->blocks, &a->where);
    if (!home || !block) return;
    wrong w = {.kind = HW_CHECK_BOUNDS, .warp = warp_of(c, block, &a->where), .note = a->note, .lanes = lanes,
               .bytes = a->width_bytes, .space = a->space, .address = address,
               .act = act_of(&c->notes[a->note], does_write(a)),
               .object = object_of_home(home, address)};
    add_wrong(c, &w);
}

void hw_check_bounds_accesses(hw_check *c, const hw_access *a, uint32_t n, const uint64_t *bases) {
    if (a->note >= c->n_notes || !a->pattern->mask) return;
    const hw_home_set homes = hw_check_homes_of(c, a->note);
    if (!homes.n) return;
    const hw_home *home = &c->homes->items[homes.first];
    int64_t low = a->pattern->low, high = a->pattern->high;
    if (a->pattern->index == HW_NO_PATTERN) c->level->span(a->pattern->delta, &low, &high);
    high += a->width_bytes;
    const uint64_t bytes = (uint64_t)(high - low);
    uint64_t least = bases[0], most = bases[0];
    for (uint32_t k = 1; k < n; k++) {
        least = bases[k] < least ? bases[k] : least;
        most = bases[k] > most ? bases[k] : most;
    }
    if (hw_check_is_in(home, a->space, least + (uint64_t)low, most - least + bytes)) return;
    hw_access one = *a;
    for (uint32_t k = 0; k < n; k++, one.where.warp++) {
        one.base = bases[k];
        if (!hw_check_is_in(home, a->space, one.base + (uint64_t)low, bytes)) leave(c, &one, &homes, low, high);
    }
}

void hw_check_bounds_room(const hw_check *c, const hw_access *a, hw_check_runs *runs) {
    const hw_home_set homes = hw_check_homes_of(c, a->note);
    const hw_home *home = homes.n ? &c->homes->items[homes.first] : NULL;
    const uint64_t low = (uint64_t)a->pattern->low, bytes = (uint64_t)a->pattern->high - low + a->width_bytes;
    runs->has_room = !home || hw_check_is_in(home, a->space, home->begin, bytes);
    runs->from = home ? home->begin - low : 0;
    runs->room = home ? home->bytes - bytes : UINT64_MAX;
}

// ---- accesses that cannot be made -----------------------------------------------------------------------------------

// The lanes of a kind and a space: their first one stands for all.
static void add_stray(hw_check *c, const hw_stray *stray, hw_check_kind kind, uint32_t lanes, uint8_t space) {
    const hw_check_block *block = hw_check_block_of(&c->blocks, &stray->where);
    if (!block) return;
    wrong w = {.kind = kind, .warp = warp_of(c, block, &stray->where), .note = stray->note, .lanes = lanes,
               .bytes = stray->bytes, .space = space, .address = stray->address[__builtin_ctz(lanes)],
               .act = act_of(&c->notes[stray->note], stray->is_write)};
    const hw_home_set homes = hw_check_homes_of(c, stray->note);
    const hw_home *home = nearest_home(c, &homes, space, w.address);
    if (home) w.object = object_of_home(home, w.address);
    else if (space == HW_SPACE_SHARED) w.object = (hw_check_object){.is_known = true, .bytes = c->shared_bytes};
    add_wrong(c, &w);
}

void hw_check_tell_stray(hw_sink *sink, uint32_t worker, const hw_stray *stray) {
    hw_check *c = (hw_check *)sink;
    (void)worker;
    if (stray->note >= c->n_notes) return;
    for (uint32_t left = stray->mask; left;) {
        const uint8_t space = stray->space[__builtin_ctz(left)];
        uint32_t alike = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            const int i = __builtin_ctz(rest);
            alike |= (uint32_t)(stray->space[i] == space) << i;
        }
        const uint32_t misaligned = alike & stray->misaligned, outside = alike & ~misaligned;
        if (misaligned) add_stray(c, stray, HW_CHECK_MISALIGNED, misaligned, space);
        if (outside) add_stray(c, stray, HW_CHECK_BOUNDS, outside, space);
        left &= ~alike;
    }
}

// ---- blocks of a cluster that end -----------------------------------------------------------------------------------

// Does some thread of the block come after the access, whatever way this run went?
static bool is_before_end(hw_check *c, hw_check_block *block, const hw_check_entry *e, int of) {
    hw_check_blocks *b = &c->blocks;
    bool is_before = false;
    for (uint32_t warp = 0; warp < b->n_warps && !is_before; warp++)
        is_before = hw_check_blocks_order_warps(b, block, warp, e);
    for (uint32_t warp = 0; warp < b->n_warps && !is_before; warp++)
        for (int lane = 0; lane < HW_WARP_LANES && !is_before; lane++)
            is_before = hw_check_blocks_order(b, block, warp, lane, e, of);
    return is_before;
}

// The address of a byte of its shared memory, as the others name it.
static uint64_t address_in(const hw_check_blocks *b, const hw_check_block *block, uint64_t offset) {
    const uint32_t *of = b->cluster, *index = block->index;
    const uint64_t rank = ((uint64_t)index[2] % of[2] * of[1] + index[1] % of[1]) * of[0] + index[0] % of[0];
    return (rank + 1) << HW_RANK_BITS | offset;
}

static void look_at_byte(hw_check *c, hw_check_block *block, hw_check_ref ref, uint64_t offset) {
    const hw_check_entry e = hw_check_entry_of(&c->entries, ref);
    const int lane = (int)hw_check_lane_of(ref);
    if (e.warp - block->number * c->blocks.n_warps < c->blocks.n_warps || is_before_end(c, block, &e, lane)) return;
    wrong w = {.kind = HW_CHECK_BOUNDS, .warp = e.warp, .note = e.note, .lanes = e.is_many ? e.mask : 1u << lane,
               .act = (hw_check_act)e.act, .bytes = e.width_bytes, .space = HW_SPACE_SHARED,
               .address = address_in(&c->blocks, block, offset),
               .object = {.is_known = true, .bytes = c->shared_bytes}};
    add_wrong(c, &w);
}

static void look_at_readers(hw_check *c, hw_check_block *block, hw_check_ref left, uint64_t offset) {
    while (left) look_at_byte(c, block, hw_check_next_reader(&c->entries, &left), offset);
}

void hw_check_bounds_block_ends(hw_check *c, hw_check_block *block) {
    for (uint32_t i = 0; c->blocks.cluster_blocks > 1 && i < c->blocks.n_lines; i++) {
        const hw_check_line *line = &block->shared[i];
        const bool is_touched = line->newest_write >= block->floor || line->newest_read >= block->floor;
        for (int p = 0; is_touched && p < HW_CHECK_PLANES; p++) {
            hw_check_ref last = 0;
            for (uint32_t at = 0; at < HW_CHECK_LINE_BYTES; at++) {
                const hw_check_ref ref = hw_check_line_ref(line, &c->entries, (hw_check_plane)p, at);
                if (ref >= block->floor && ref != last)
                    look_at_readers(c, block, ref, i * (uint64_t)HW_CHECK_LINE_BYTES + at);
                last = ref;
            }
        }
    }
}
