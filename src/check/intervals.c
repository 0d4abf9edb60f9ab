#include "check/intervals.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mix.h"
#include "check/internal.h"
#include "isa/order.h"

enum { MOST_BYTES = 1 << 16 };

// By warps whose bases lie `step` apart. Lanes follow where runs are NULL.
typedef struct record {
    const hw_check_runs *runs;
    uint64_t serial, base, step;
    uint32_t note, warp, mask;
    uint16_t n;
    uint8_t kind, width_bytes;
} record;
_Static_assert(sizeof(record) == 48, "logs are compared as bytes, and hold records at multiples of 16");

typedef struct lanes {
    int32_t delta[HW_WARP_LANES];
} lanes;

void hw_check_intervals_free(hw_check_intervals *s) {
    for (int i = 0; i < HW_CHECK_INTERVALS_KEPT; i++) hw_free(s->kept[i].log);
    hw_free(s->owners.of);
    memset(s, 0, sizeof *s);
}

// ---- waiting --------------------------------------------------------------------------------------------------------

// Room for so many bytes more; NULL: too many have been written, or no memory.
static char *take_room(hw_check_intervals *s, hw_check_interval *in, uint32_t bytes) {
    if (in->bytes + bytes > in->capacity) {
        const uint32_t capacity = in->capacity ? 2 * in->capacity : 1 << 12;
        char *log = capacity > MOST_BYTES ? NULL : hw_realloc_array(in->log, capacity, 1);
        if (!log) return NULL;
        in->log = log;
        in->capacity = capacity;
    }
    if (!in->bytes && !s->n_waiting++) s->turn++;
    char *at = in->log + in->bytes;
    in->bytes += bytes;
    return at;
}

uint8_t hw_check_interval_kind(const hw_note *note, uint8_t kind) {
    const hw_check_act act = hw_check_act_of(kind, HW_SPACE_SHARED);
    const bool is_strong = hw_check_strong_scope(note, act) != HW_SCOPE_NONE;
    if (act == HW_CHECK_COPIES) return HW_CHECK_ASYNC_WRITE;
    if (kind == HW_NOTE_LOAD_MATRIX) return HW_CHECK_WEAK_READ | HW_CHECK_FOR_OTHERS;
    if (act == HW_CHECK_READS) return is_strong ? HW_CHECK_STRONG_READ : HW_CHECK_WEAK_READ;
    return is_strong ? HW_CHECK_STRONG_WRITE : HW_CHECK_WEAK_WRITE;
}

static bool have_one_step(uint32_t n, const uint64_t *bases) {
    if (n == 1) return true;
    const uint64_t step = bases[1] - bases[0];
    uint64_t differ = 0;
    for (uint32_t k = 2; k < n; k++) differ |= (bases[k] - bases[k - 1]) ^ step;
    return !differ;
}

static void put_lanes(char *at, const int64_t *delta) {
    lanes *l = (lanes *)(void *)at;
    for (int i = 0; i < HW_WARP_LANES; i++) l->delta[i] = (int32_t)delta[i];
}

bool hw_check_interval_add(hw_check *c, hw_check_block *block, const hw_access *first, uint32_t n,
                           const uint64_t *bases, uint8_t kind, hw_check_runs *runs) {
    hw_check_interval *in = &block->interval;
    const bool is_one = have_one_step(n, bases), is_first = !in->bytes;
    const uint32_t n_records = is_one ? 1 : n, each = sizeof(record) + (runs ? 0 : sizeof(lanes));
    char *at = in->is_known ? NULL : take_room(&c->intervals, in, n_records * each);
    if (!at) {
        hw_check_interval_look(c, block);
        in->is_known = true;
        return false;
    }
    // Written where it stays: a copy would wait until the processor has put its parts together.
    for (uint32_t k = 0; k < n_records; k++, at += each) {
        record *r = (record *)(void *)at;
        r->runs = runs;
        r->serial = runs ? runs->serial : 0;
        r->base = bases[k];
        r->step = is_one && n > 1 ? bases[1] - bases[0] : 0;
        r->note = first->note;
        r->warp = first->where.warp + k;
        r->mask = first->pattern->mask;
        r->n = (uint16_t)(is_one ? n : 1);
        r->kind = first->kind;
        r->width_bytes = first->width_bytes;
        if (!runs) put_lanes(at + sizeof *r, first->pattern->delta);
    }
    if (is_first) {
        in->kinds = 0;
        in->is_named = true;
    }
    in->kinds |= kind;
    in->is_named &= runs != NULL;
    if (runs) runs->logged = c->intervals.turn;
    return true;
}

// ---- looking --------------------------------------------------------------------------------------------------------

static void look_at_record(hw_check *c, hw_check_block *block, const record *r, const hw_check_runs *runs) {
    hw_check_present now;
    hw_check_begin_present(c, &now, block, r->warp, HW_SPACE_SHARED, r->note, r->kind, r->width_bytes, r->mask);
    for (uint32_t k = 0; k < r->n; k++) hw_check_access_runs(&now, runs, r->base + k * r->step, k);
}

static void find_runs_of(const record *r, hw_check_runs *runs) {
    const lanes *l = (const lanes *)(const void *)(r + 1);
    int64_t delta[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) delta[i] = l->delta[i];
    hw_check_find_cells(r->mask, delta, r->width_bytes, runs);
}

void hw_check_interval_look(hw_check *c, hw_check_block *block) {
    hw_check_interval *in = &block->interval;
    if (!in->bytes) return;
    for (uint32_t at = 0; at < in->bytes;) {
        const record *r = (const record *)(const void *)(in->log + at);
        hw_check_runs own;
        if (!r->runs) find_runs_of(r, &own);
        look_at_record(c, block, r, r->runs ? r->runs : &own);
        at += sizeof *r + (r->runs ? 0 : sizeof(lanes));
    }
    in->bytes = 0;
    in->is_known = true;
    c->intervals.n_waiting--;
}

void hw_check_intervals_look(hw_check *c) {
    for (size_t i = 0; c->intervals.n_waiting && i < sizeof c->blocks.buckets / sizeof *c->blocks.buckets; i++)
        for (hw_check_block *block = c->blocks.buckets[i]; block; block = block->next)
            hw_check_interval_look(c, block);
}

// ---- intervals without a race ---------------------------------------------------------------------------------------

static uint64_t hash_of(const hw_check_interval *in) {
    uint64_t hash = in->bytes, word;
    for (uint32_t at = 0; at < in->bytes; at += sizeof word) {
        memcpy(&word, in->log + at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// What has been logged can be no race: nobody writes, or all are strong.
static bool is_harmless(const hw_check_interval *in) {
    return !(in->kinds & (HW_CHECK_WEAK_WRITE | HW_CHECK_STRONG_WRITE)) ||
           !(in->kinds & (HW_CHECK_WEAK_READ | HW_CHECK_WEAK_WRITE));
}

static void drop_log(hw_check *c, hw_check_interval *in) {
    in->bytes = 0;
    c->intervals.n_waiting--;
}

// ---- threads apart --------------------------------------------------------------------------------------------------

enum { STAMPS = 1 << (32 - HW_CHECK_THREAD_BITS) };

// Nobody has any word. False: no memory.
static bool begin_owning(hw_check *c) {
    hw_check_owners *o = &c->intervals.owners;
    if (!o->of) {
        o->n_words = c->blocks.n_lines * HW_CHECK_LINE_WORDS;
        o->of = hw_calloc((size_t)o->n_words + 1, sizeof *o->of);
        if (!o->of) return false;
    }
    if (++o->stamp == STAMPS) {
        memset(o->of, 0, (size_t)o->n_words * sizeof *o->of);
        o->stamp = 1;
    }
    return true;
}

// For each word of each lane of all accesses that write, or of those that read. False: one has said no.
static bool ask_all(hw_check *c, const hw_check_interval *in, bool of_writes,
                    bool (*ask)(hw_check_owners *owners, const hw_check_touch *touch)) {
    for (uint32_t at = 0; at < in->bytes;) {
        const record *r = (const record *)(const void *)(in->log + at);
        const lanes *own = (const lanes *)(const void *)(r + 1);
        hw_check_touch touch = {.delta = r->runs ? r->runs->delta : own->delta, .mask = r->mask};
        at += sizeof *r + (r->runs ? 0 : sizeof(lanes));
        if ((hw_check_act_of(r->kind, HW_SPACE_SHARED) != HW_CHECK_READS) != of_writes) continue;
        for (uint32_t k = 0; k < r->n; k++) {
            touch.thread = (r->warp + k) * HW_WARP_LANES;
            for (uint32_t byte = 0; byte < r->width_bytes; byte += HW_CHECK_WORD_BYTES) {
                touch.base = (uint32_t)(r->base + k * r->step) + byte;
                if (!ask(&c->intervals.owners, &touch)) return false;
            }
        }
    }
    return true;
}

// Does no thread touch a word that another one writes?
static bool are_apart(hw_check *c, const hw_check_interval *in) {
    if (in->kinds & HW_CHECK_FOR_OTHERS || !begin_owning(c)) return false;
    return ask_all(c, in, true, c->level->claim) && ask_all(c, in, true, c->level->has) &&
           ask_all(c, in, false, c->level->is_alone);
}

// ---- what is done ---------------------------------------------------------------------------------------------------

// A log without a race, if all in it has a name.
static void keep_log(hw_check *c, const hw_check_interval *in, uint32_t bytes, uint64_t hash) {
    const uint32_t place = hash % HW_CHECK_INTERVALS_KEPT;
    if (!in->is_named) return;
    if (c->intervals.kept[place].capacity < bytes) {
        char *log = hw_realloc_array(c->intervals.kept[place].log, bytes, 1);
        if (!log) return;
        c->intervals.kept[place].log = log;
        c->intervals.kept[place].capacity = bytes;
    }
    memcpy(c->intervals.kept[place].log, in->log, bytes);
    c->intervals.kept[place].bytes = bytes;
}

static bool is_kept(const hw_check *c, const hw_check_interval *in, uint64_t hash) {
    const uint32_t place = hash % HW_CHECK_INTERVALS_KEPT;
    return in->is_named && c->intervals.kept[place].bytes == in->bytes &&
           !memcmp(c->intervals.kept[place].log, in->log, in->bytes);
}

void hw_check_interval_end(hw_check *c, hw_check_block *block) {
    hw_check_interval *in = &block->interval;
    const uint64_t hash = in->bytes && in->is_named && !is_harmless(in) ? hash_of(in) : 0, races = c->n_races;
    const uint32_t bytes = in->bytes;
    if (in->bytes && (is_harmless(in) || is_kept(c, in, hash))) {
        drop_log(c, in);
    } else if (in->bytes && are_apart(c, in)) {
        keep_log(c, in, bytes, hash);
        drop_log(c, in);
    } else if (in->bytes) {
        hw_check_interval_look(c, block);
        // The log is as it was, but taken to be empty.
        if (c->n_races == races) keep_log(c, in, bytes, hash);
    }
    in->is_known = block->has_copies;
}
