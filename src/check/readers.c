#include "check/readers.h"

#include "base/alloc.h"
#include "check/pairs.h"

enum { LINE = HW_CHECK_LINE_BYTES, WORD = HW_CHECK_WORD_BYTES };

typedef hw_check_present present;

// Lanes of one instruction that read the same bytes are all their readers.
static hw_check_ref refer_to_many(const present *now) {
    hw_check_entry many = now->entry;
    many.is_many = true;
    return hw_check_entries_refer(&now->check->entries, &many);
}

// Does whatever comes after the present access, come after this one of its block as well?
static bool is_behind(const present *now, hw_check_ref old, hw_check_ref ref) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, old), *e = &author;
    if (!hw_check_is_of_block(now, e)) return false;
    if (e->time < now->block->barrier_time) return true;
    if (e->warp != now->entry.warp) return false;
    return e->time < now->block->warps[now->warp].met ||
           (!e->is_many && hw_check_lane_of(old) == hw_check_lane_of(ref));
}

// Is the reader before the last one to be kept, and not the last one, beside the present one? It is when it is of
// another block than both, or of another lane of the warp.
static bool is_to_keep(const present *now, hw_check_ref last, hw_check_ref kept, hw_check_ref ref) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, last), *e = &author;
    const hw_check_entry before = hw_check_entry_of(&now->check->entries, kept), *other = &before;
    const bool is_ours = !e->is_host && e->work == now->entry.work;
    if (is_ours && e->warp == now->entry.warp)
        return kept && (other->is_host || other->work != now->entry.work || !is_behind(now, kept, ref));
    if (!is_ours || now->entry.is_host || !hw_check_is_of_block(now, e)) return false;
    return kept && !other->is_host && other->work == now->entry.work && !hw_check_is_of_block(now, other);
}

// Is it of another block of this launch?
static bool is_of_other_block(const present *now, hw_check_ref ref) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, ref), *e = &author;
    return now->block && ref >= now->floor && !e->is_host && e->work == now->entry.work &&
           !hw_check_is_of_block(now, e);
}

// ---- lists ----------------------------------------------------------------------------------------------------------

// What is known of a list, or of one reader.
typedef struct extent {
    uint32_t n, left;                // readers; how many were left when all had been asked about
} extent;

static extent extent_of(const hw_check_entries *entries, hw_check_ref list) {
    const hw_check_entry *e = &entries->items[list >> HW_CHECK_REF_BITS];
    return list && e->is_list ? (extent){e->note, e->mask} : (extent){list != 0, list != 0};
}

static bool is_long(const hw_check_entries *entries, hw_check_ref list) {
    return extent_of(entries, list).n > HW_CHECK_FEW_READERS;
}

// For who wants a list: is there room for one? What it would have kept is left out where there is none.
static bool may_list(hw_check_entries *entries) {
    const bool may = !hw_check_entries_have_all_lists(entries);
    entries->has_left_out |= !may;
    return may;
}

// Two readers, or one and a list. 0: no memory.
static hw_check_ref put_before(hw_check_entries *entries, hw_check_ref one, hw_check_ref rest, uint32_t left) {
    const uint32_t lanes = (1u << HW_CHECK_LANE_BITS) - 1;
    const hw_check_entry list = {.work = one & ~lanes, .warp = rest & ~lanes, .time = (rest - one) & lanes,
                                 .note = extent_of(entries, rest).n + 1, .mask = left,
                                 .act = HW_CHECK_READS, .width_bytes = WORD, .is_many = true, .is_list = true};
    const hw_check_ref ref = hw_check_entries_refer(entries, &list);
    return ref ? ref | (one & lanes) : 0;
}

// Has a lane read it that does not now? A part of the warp may meet without that one.
static bool has_other_lanes(const present *now, const hw_check_entry *e, hw_check_ref old, hw_check_ref ref,
                            uint32_t cell_bytes) {
    const uint32_t lanes = hw_check_lanes_of_cell(&now->entry, (int)hw_check_lane_of(ref), cell_bytes);
    return hw_check_lanes_of_cell(e, (int)hw_check_lane_of(old), cell_bytes) & ~lanes;
}

// May a write that comes after the present access, and after the reader that is kept beside it, not come after this
// one? Of another work's one reader stands for all.
static bool may_be_missed(const present *now, hw_check_ref old, hw_check_ref beside, hw_check_ref ref,
                          uint32_t cell_bytes) {
    const hw_check_entry author = hw_check_entry_of(&now->check->entries, old), *e = &author;
    if (old < now->floor) return false;
    if (e->work != now->entry.work)
        return e->work != hw_check_entry_of(&now->check->entries, beside).work &&
               !hw_check_is_before(now->check->streams, e->work);
    if (e->is_host || !now->block) return false;
    const bool may_part = !hw_check_is_of_block(now, e)      ? now->check->blocks.tells_blocks
                          : e->warp != now->entry.warp       ? now->check->blocks.tells_warps
                                                             : has_other_lanes(now, e, old, ref, cell_bytes);
    return may_part && !hw_check_is_ordered(now, e, (int)hw_check_lane_of(old), (int)hw_check_lane_of(ref), cell_bytes);
}

// What the two planes of readers of a cell become.
typedef struct readers {
    hw_check_ref last, before;
} readers;

static bool any_may_be_missed(const present *now, hw_check_ref old, hw_check_ref beside, hw_check_ref ref,
                              uint32_t cell_bytes) {
    bool may = false;
    while (old && !may)
        may = may_be_missed(now, hw_check_next_reader(&now->check->entries, &old), beside, ref, cell_bytes);
    return may;
}

// All that a write may miss, the newest first; and the one that is kept anyway. NULL: no memory.
static const hw_check_ref *find_missed(present *now, readers old, hw_check_ref beside, hw_check_ref ref,
                                       uint32_t cell_bytes, size_t *n) {
    hw_check *c = now->check;
    hw_check_ref left = old.before, one = old.last;
    *n = 0;
    for (bool more = true; more;) {
        const hw_check_ref next_to = *n ? c->missed[*n - 1] : beside;
        if (one == beside || may_be_missed(now, one, next_to, ref, cell_bytes)) {
            if (!hw_grow((void **)&c->missed, *n, &c->missed_capacity, sizeof *c->missed)) return NULL;
            c->missed[(*n)++] = one;
        }
        more = left != 0;
        one = hw_check_next_reader(&c->entries, &left);
    }
    return c->missed;
}

static hw_check_ref list_missed(present *now, readers old, hw_check_ref beside, hw_check_ref ref,
                                uint32_t cell_bytes) {
    size_t n, left = 1;
    const hw_check_ref *missed = find_missed(now, old, beside, ref, cell_bytes, &n);
    if (n > HW_CHECK_FEW_READERS && hw_check_entries_have_many_lists(&now->check->entries)) {
        now->check->entries.has_left_out = true;
        n = HW_CHECK_FEW_READERS;
    }
    hw_check_ref list = missed && n ? missed[--n] : beside;
    while (missed && n && list)
        list = put_before(&now->check->entries, missed[--n], list, (uint32_t)++left);
    return list ? list : beside;
}

// What stands before the present access. beside: the newest of these, or the last one, which stays anyway.
static hw_check_ref list_readers(present *now, readers old, hw_check_ref beside, hw_check_ref ref,
                                 uint32_t cell_bytes) {
    hw_check_entries *entries = &now->check->entries;
    const extent before = extent_of(entries, old.before);
    const bool are_many = hw_check_entries_have_many_lists(entries);
    const uint32_t few = are_many ? 1 : HW_CHECK_FEW_READERS, most = are_many ? 2 * HW_CHECK_FEW_READERS : UINT32_MAX;
    if (before.n <= few || before.n >= 2 * before.left || before.n >= most)
        return list_missed(now, old, beside, ref, cell_bytes);
    if (beside != old.last && !may_be_missed(now, old.last, beside, ref, cell_bytes)) return old.before;
    const hw_check_ref list = put_before(entries, old.last, old.before, before.left);
    return list ? list : old.before;
}

// The same for cells beside each other, as long as their lanes go on together.
static hw_check_ref list_of(present *now, readers old, hw_check_ref ref, uint32_t cell_bytes) {
    const uint32_t lanes = (1u << HW_CHECK_LANE_BITS) - 1, apart = (old.before - old.last) & lanes;
    if (now->list && now->list_apart == apart) return (now->list & ~lanes) | ((now->list + old.last) & lanes);
    hw_check_ref others = old.before;
    const hw_check_ref newest = hw_check_next_reader(&now->check->entries, &others);
    const hw_check_ref list = list_readers(now, old, now->keeps ? newest : old.last, ref, cell_bytes);
    now->list = (list & ~lanes) | ((list - old.last) & lanes);
    now->list_apart = apart;
    return list;
}

// ---- two readers ----------------------------------------------------------------------------------------------------

// Is there a list, or would a write miss one of those that are not kept? newest, others: of old.before.
static bool wants_list(const present *now, readers old, hw_check_ref newest, hw_check_ref others, hw_check_ref ref,
                       uint32_t cell_bytes) {
    if (is_long(&now->check->entries, old.before)) return true;
    if (!now->keeps) return any_may_be_missed(now, old.before, old.last, ref, cell_bytes);
    return any_may_be_missed(now, old.last, newest, ref, cell_bytes) ||
           any_may_be_missed(now, others, newest, ref, cell_bytes);
}

static void decide(present *now, readers old, hw_check_ref ref, uint32_t cell_bytes) {
    hw_check_ref others = old.before;
    const hw_check_ref newest = hw_check_next_reader(&now->check->entries, &others);
    now->last = hw_check_warp_of(old.last);
    now->kept = hw_check_warp_of(old.before);
    now->keeps = is_to_keep(now, old.last, newest, ref);
    now->settles = is_of_other_block(now, now->keeps ? newest : old.last);
    now->lists = wants_list(now, old, newest, others, ref, cell_bytes) && may_list(&now->check->entries);
    now->list = 0;
}

static inline readers readers_with(present *now, readers old, hw_check_ref ref, uint32_t cell_bytes) {
    if (old.last == ref) return old;
    if (hw_check_warp_of(old.last) == hw_check_warp_of(ref)) return (readers){refer_to_many(now), old.before};
    if (old.last < now->floor) return (readers){ref, old.before};
    if (hw_check_warp_of(old.last) != now->last || hw_check_warp_of(old.before) != now->kept)
        decide(now, old, ref, cell_bytes);
    if (now->lists) return (readers){ref, list_of(now, old, ref, cell_bytes)};
    if (!now->keeps) return (readers){ref, old.last};
    return (readers){ref, hw_check_next_reader(&now->check->entries, &old.before)};
}

// Are the two that readers_with has kept of two blocks? As far as it has asked.
static inline bool are_two_blocks(const present *now, readers old, readers new, hw_check_ref ref) {
    return old.last >= now->floor && old.last != ref && new.last == ref && now->settles;
}

static void settle(const present *now, hw_check_line *line, uint32_t words) {
    if (now->check->blocks.tells_blocks) return;
    if (line->settled_since != now->floor) line->settled = 0;
    line->settled_since = now->floor;
    line->settled |= words;
}

// False: the line has to have cells, since they have lists.
static bool record_read_whole(present *now, hw_check_line *line, hw_check_ref ref) {
    const readers old = {line->planes[HW_CHECK_READ].whole, line->planes[HW_CHECK_READ_BEFORE].whole};
    const bool is_new = old.last >= now->floor && hw_check_warp_of(old.last) != hw_check_warp_of(ref);
    if (is_new) decide(now, old, ref, LINE);
    if (is_new && now->lists) return false;
    const readers new = readers_with(now, old, ref, LINE);
    line->planes[HW_CHECK_READ].whole = new.last;
    line->planes[HW_CHECK_READ_BEFORE].whole = new.before;
    if (are_two_blocks(now, old, new, ref)) settle(now, line, 0xffffffffu);
    return true;
}

// One cell's, which has been read since the floor. True: it has readers of two blocks now.
static bool record_again(present *now, hw_check_ref *last, hw_check_ref *before, hw_check_ref ref,
                         uint32_t cell_bytes) {
    const readers old = {*last, *before}, new = readers_with(now, old, ref, cell_bytes);
    *last = new.last;
    *before = new.before;
    return are_two_blocks(now, old, new, ref);
}

// Cells of which some have been read since the floor. Neighbours mostly have the same readers, about whom the answer is
// known.
static void record_cells_again(present *now, hw_check_line *line, uint32_t from, uint32_t to, hw_check_ref ref,
                               int width_bits) {
    const uint32_t cell_bytes = line->cell_bytes[HW_CHECK_READ];
    const int bits = hw_check_bits_of(cell_bytes);
    const uint32_t first = from >> bits, n = (to - from) >> bits;
    hw_check_ref rooms[2][LINE];
    if (!hw_check_line_split(line, hw_check_cells_for(now), &now->check->entries, HW_CHECK_READ_BEFORE, cell_bytes))
        return;
    hw_check_ref *last = hw_check_lend(line, HW_CHECK_READ, first, n, rooms[0]);
    hw_check_ref *before = hw_check_lend(line, HW_CHECK_READ_BEFORE, first, n, rooms[1]);
    uint32_t two_blocks = 0;
    for (uint32_t i = 0; i < n; i++) {
        const hw_check_ref own = ref + ((i << bits) >> width_bits);
        if (last[i] < now->floor) {
            last[i] = own;
        } else if (hw_check_warp_of(last[i]) == now->last && hw_check_warp_of(before[i]) == now->kept &&
                   now->last != hw_check_warp_of(ref) && !now->lists) {
            if (!now->keeps) before[i] = last[i];
            last[i] = own;
            two_blocks |= (uint32_t)now->settles << (i & 31);
        } else {
            two_blocks |= (uint32_t)record_again(now, &last[i], &before[i], own, cell_bytes) << (i & 31);
        }
    }
    hw_check_put_back(line, hw_check_cells_for(now), HW_CHECK_READ, first, n, last);
    hw_check_put_back(line, hw_check_cells_for(now), HW_CHECK_READ_BEFORE, first, n, before);
    if (two_blocks && cell_bytes == WORD) settle(now, line, two_blocks << from / WORD);
}

static void record_read_cells(present *now, hw_check_line *line, uint32_t from, uint32_t to, hw_check_ref ref,
                              int width_bits) {
    const uint32_t cell_bytes = (from | to) % WORD || line->cell_bytes[HW_CHECK_READ_BEFORE] == 1 ? 1 : WORD;
    if (!hw_check_line_split(line, hw_check_cells_for(now), &now->check->entries, HW_CHECK_READ, cell_bytes)) return;
    if (line->newest_read >= now->floor && hw_check_has_newer(line, HW_CHECK_READ, from, to, now->floor))
        record_cells_again(now, line, from, to, ref, width_bits);
    else hw_check_put_refs(line, hw_check_cells_for(now), HW_CHECK_READ, from, to, ref, width_bits);
}

void hw_check_record_read(present *now, hw_check_line *line, uint32_t from, uint32_t to, bool is_whole,
                          hw_check_ref ref, int width_bits) {
    const bool may_be_whole = is_whole && !line->cell_bytes[HW_CHECK_READ] && !line->cell_bytes[HW_CHECK_READ_BEFORE];
    if (!may_be_whole || !record_read_whole(now, line, ref)) record_read_cells(now, line, from, to, ref, width_bits);
    line->newest_read = hw_check_newest_now(now);
}

void hw_check_push_reader(present *now, hw_check_line *line, uint32_t at, hw_check_ref ref) {
    const hw_check_entries *entries = &now->check->entries;
    const uint32_t cell_bytes = line->cell_bytes[HW_CHECK_READ];
    const readers old = {hw_check_line_ref(line, entries, HW_CHECK_READ, at),
                         hw_check_line_ref(line, entries, HW_CHECK_READ_BEFORE, at)};
    hw_check_ref before = old.last;
    if (cell_bytes && line->cell_bytes[HW_CHECK_READ_BEFORE] == cell_bytes && old.last >= now->floor &&
        (is_long(entries, old.before) || any_may_be_missed(now, old.before, old.last, now->ref, cell_bytes)))
        before = may_list(&now->check->entries) ? list_readers(now, old, old.last, now->ref, cell_bytes) : old.last;
    hw_check_put_ref(line, hw_check_cells_for(now), HW_CHECK_READ_BEFORE, at, before);
    hw_check_put_ref(line, hw_check_cells_for(now), HW_CHECK_READ, at, ref);
}
