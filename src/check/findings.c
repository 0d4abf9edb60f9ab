// What has been found: a pair of places once, with a count.
#include <string.h>

#include "base/alloc.h"
#include "base/mix.h"
#include "check/internal.h"

static hw_check_found **recent_of(hw_check *c, hw_check_kind kind, const uint64_t places[2]) {
    const uint64_t hash = hw_mix_word(hw_mix_word((uint64_t)kind, places[0]), places[1]);
    return &c->recent[hash >> 32 & 255];
}

static bool is_of(const hw_check_found *f, hw_check_kind kind, const uint64_t places[2]) {
    return f && f->finding.kind == kind && f->places[0] == places[0] && f->places[1] == places[1];
}

// The finding of these places, with n more; NULL: there is none. With the lock held.
static hw_check_found *add_to_known(hw_check *c, hw_check_kind kind, const uint64_t places[2], uint64_t n) {
    hw_check_found **recent = recent_of(c, kind, places);
    if (!is_of(*recent, kind, places)) {
        size_t i = 0;
        while (i < c->n_found && !is_of(c->found[i], kind, places)) i++;
        if (i == c->n_found) return NULL;
        *recent = c->found[i];
    }
    (*recent)->finding.count += n;
    return *recent;
}

bool hw_check_count_again(hw_check *c, hw_check_kind kind, const uint64_t places[2], uint64_t n) {
    pthread_mutex_lock(&c->lock);
    const bool is_known = add_to_known(c, kind, places, n) != NULL;
    pthread_mutex_unlock(&c->lock);
    return is_known;
}

void hw_check_keep(hw_check *c, const hw_check_finding *finding, const uint64_t places[2], uint64_t n) {
    hw_check_found *found = hw_malloc(sizeof *found);
    pthread_mutex_lock(&c->lock);
    if (!found || !hw_grow((void **)&c->found, c->n_found, &c->found_capacity, sizeof *c->found)) {
        pthread_mutex_unlock(&c->lock);
        hw_free(found);
        c->ran_out = true;
        return;
    }
    *found = (hw_check_found){.finding = *finding, .places = {places[0], places[1]}};
    found->finding.number = (uint32_t)c->n_found;
    found->finding.count = n;
    c->found[c->n_found++] = found;
    *recent_of(c, finding->kind, places) = found;
    pthread_mutex_unlock(&c->lock);
    if (c->options.found) c->options.found(c->options.context, &found->finding);
}

static hw_check_missing missing_between(const hw_check *c, const hw_check_entry *a, const hw_check_entry *b) {
    if (a->work != b->work && hw_check_works_are_of_one_root(&c->works, a, b)) {
        if (hw_check_children_awaited(&c->children, b->work, a->work)) return HW_CHECK_MISSING_CHILD;
        if (hw_check_children_parent(&c->children, a->work)) return HW_CHECK_MISSING_LAUNCH;
        return HW_CHECK_MISSING_SIBLINGS;
    }
    if (a->work != b->work)
        return hw_check_works_is_of_host(&c->works, b) ? HW_CHECK_MISSING_HOST : HW_CHECK_MISSING_STREAMS;
    if (c->blocks.of_row) return (hw_check_missing)c->blocks.of_row;
    if (a->is_pending) return c->notes[a->note].copies_rows ? HW_CHECK_MISSING_ROW : HW_CHECK_MISSING_WAIT;
    if (a->warp == b->warp) return HW_CHECK_MISSING_WARP;
    return a->warp / c->blocks.n_warps == b->warp / c->blocks.n_warps ? HW_CHECK_MISSING_BLOCK
                                                                      : HW_CHECK_MISSING_GRID;
}

static hw_check_found *count_race_again(hw_check *c, hw_check_kind kind, const uint64_t places[2]) {
    pthread_mutex_lock(&c->lock);
    hw_check_found *known = add_to_known(c, kind, places, 1);
    pthread_mutex_unlock(&c->lock);
    return known;
}

// Two places that lanes of a warp were found at lack an order between warps as well, or between blocks: what is told
// is the widest, which gives the narrower ones too.
static void widen(hw_check *c, hw_check_found *known, const hw_check_finding *other) {
    pthread_mutex_lock(&c->lock);
    hw_check_finding *f = &known->finding;
    const uint32_t lacks = f->lacks | other->lacks, number = f->number;
    const uint64_t count = f->count;
    if (other->missing > f->missing) *f = *other;
    f->lacks = lacks;
    f->number = number;
    f->count = count;
    pthread_mutex_unlock(&c->lock);
    if (c->options.found) c->options.found(c->options.context, f);
}

void hw_check_add_race(hw_check *c, hw_check_ref earlier, const hw_check_entry *later, int later_lane, uint8_t space,
                       uint64_t address) {
    const hw_check_entry author = hw_check_entry_of(&c->entries, earlier), *e = &author;
    const uint64_t places[2] = {hw_check_works_place(&c->works, e), hw_check_works_place(&c->works, later)};
    const hw_check_kind kind = c->blocks.by_step ? HW_CHECK_STEP : HW_CHECK_RACE;
    const hw_check_missing missing = missing_between(c, e, later);
    c->n_races++;
    hw_check_found *known = count_race_again(c, kind, places);
    if (known && known->finding.lacks >> missing & 1) return;
    hw_check_finding finding = {
        .kind = kind,
        .missing = missing,
        .lacks = 1u << missing,
        .space = space,
        .address = address,
        .n_sides = 2,
        .sides = {hw_check_works_side(&c->works, e, (int)hw_check_lane_of(earlier)),
                  hw_check_works_side(&c->works, later, later_lane)},
    };
    if (space == HW_SPACE_SHARED) finding.object = hw_check_object_at(c, space, address);
    if (known) widen(c, known, &finding);
    else hw_check_keep(c, &finding, places, 1);
}

void hw_check_add_barrier(hw_check *c, const hw_check_entry *first, const hw_check_entry *other) {
    const uint64_t places[2] = {hw_check_works_place(&c->works, first), hw_check_works_place(&c->works, other)};
    if (hw_check_count_again(c, HW_CHECK_BARRIER, places, 1)) return;
    const hw_check_finding finding = {.kind = HW_CHECK_BARRIER, .n_sides = 2,
                                      .sides = {hw_check_works_side(&c->works, first, __builtin_ctz(first->mask)),
                                                hw_check_works_side(&c->works, other, __builtin_ctz(other->mask))}};
    hw_check_keep(c, &finding, places, 1);
}

void hw_check_add_stranger(hw_check *c, const hw_check_entry *stranger) {
    const uint64_t places[2] = {hw_check_works_place(&c->works, stranger), 0};
    if (hw_check_count_again(c, HW_CHECK_BARRIER, places, 1)) return;
    const hw_check_finding finding = {.kind = HW_CHECK_BARRIER, .missing = HW_CHECK_MISSING_WARP, .n_sides = 1,
                                      .sides = {hw_check_works_side(&c->works, stranger,
                                                                    __builtin_ctz(stranger->mask))}};
    hw_check_keep(c, &finding, places, 1);
}

void hw_check_add_stuck(hw_check *c, hw_check_kind kind, const hw_check_entry *waiting, uint32_t n,
                        hw_check_missing missing) {
    hw_check_finding finding = {.kind = kind, .missing = missing, .n_sides = n};
    uint64_t places[2] = {0};
    for (uint32_t i = 0; i < n; i++) {
        places[i] = hw_check_works_place(&c->works, &waiting[i]);
        finding.sides[i] = hw_check_works_side(&c->works, &waiting[i], __builtin_ctz(waiting[i].mask));
    }
    if (!hw_check_count_again(c, kind, places, 1)) hw_check_keep(c, &finding, places, 1);
}

void hw_check_add_arithmetic(hw_check *c, const hw_check_entry *entry, uint8_t what) {
    const uint64_t places[2] = {hw_check_works_place(&c->works, entry), what};
    if (hw_check_count_again(c, HW_CHECK_ARITHMETIC, places, 1)) return;
    const hw_check_finding finding = {.kind = HW_CHECK_ARITHMETIC, .n_sides = 1, .subject = {.reason = what},
                                      .sides = {hw_check_works_side(&c->works, entry, __builtin_ctz(entry->mask))}};
    hw_check_keep(c, &finding, places, 1);
}

void hw_check_add(hw_check *c, const hw_check_finding *finding, const uint64_t places[2]) {
    pthread_mutex_lock(&c->lock);
    hw_check_found *known = add_to_known(c, finding->kind, places, 1);
    if (known && finding->kind == HW_CHECK_LEAK) known->finding.bytes += finding->bytes;
    pthread_mutex_unlock(&c->lock);
    if (!known) hw_check_keep(c, finding, places, 1);
}

void hw_check_add_undefined(hw_check *c, const hw_check_entry *read, const hw_check_entry *use, int lane, uint8_t space,
                            uint64_t address) {
    const uint64_t places[2] = {read ? hw_check_works_place(&c->works, read) : 0,
                                hw_check_works_place(&c->works, use)};
    if (hw_check_count_again(c, HW_CHECK_UNDEFINED, places, 1)) return;
    hw_check_finding finding = {.kind = HW_CHECK_UNDEFINED, .space = space, .address = address};
    if (space == HW_SPACE_SHARED) finding.object = hw_check_object_at(c, space, address);
    // An atomic reads itself what it changes.
    const bool is_one = read && read->work == use->work && read->note == use->note && !use->is_host;
    if (read && !is_one)
        finding.sides[finding.n_sides++] = hw_check_works_side(&c->works, read, __builtin_ctz(read->mask));
    finding.sides[finding.n_sides++] = hw_check_works_side(&c->works, use, lane);
    hw_check_keep(c, &finding, places, 1);
}

void hw_check_add_untouched(hw_check *c, const hw_check_allocation *of, const hw_check_entry *copy, uint64_t address) {
    const uint64_t places[2] = {(uint64_t)(uintptr_t)of->site, hw_check_works_place(&c->works, copy)};
    if (hw_check_count_again(c, HW_CHECK_UNDEFINED, places, 1)) return;
    const hw_check_finding finding = {.kind = HW_CHECK_UNDEFINED, .space = HW_SPACE_GLOBAL, .address = address,
                                      .n_sides = 2,
                                      .sides = {{.act = HW_CHECK_ALLOCATES, .site = of->site, .file = ""},
                                                hw_check_works_side(&c->works, copy, 0)}};
    hw_check_keep(c, &finding, places, 1);
}
