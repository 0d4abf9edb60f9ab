#include "check/intervals.h"

#include <string.h>

#include "base/alloc.h"
#include "check/internal.h"
#include "isa/order.h"

enum { MOST_BYTES = 1 << 16, MOST_COPIES = 1 << 10 };
#define SERIAL (((uint64_t)1 << 48) - 1)

// What a record says: something is done, or a copy begins; it was under way when the log began; its lanes have waited.
enum { IS_DONE, IS_UNDER_WAY, HAS_LANDED };

// By n warps whose bases lie `step` apart. Where runs are NULL its lanes follow. No shared memory, no block and no
// number of patterns is larger than this has room for.
typedef struct record {
    const hw_check_runs *runs;
    uint32_t base, step;
    uint64_t serial : 48, warp : 6, what : 2, n : 8;
} record;
_Static_assert(sizeof(record) == 24, "logs are compared as bytes, and hashed as three words a record");

typedef struct lanes {
    int32_t delta[HW_WARP_LANES];
    uint32_t note, mask;
    uint8_t kind, width_bytes, unused[6];
} lanes;
_Static_assert(sizeof(lanes) % _Alignof(record) == 0, "records follow");

// What one record says.
typedef struct logged {
    const record *record;
    const hw_check_runs *runs;       // or NULL
    const int32_t *delta;
    uint32_t note, mask, bytes;      // bytes: of the log
    uint8_t kind, width_bytes;
    bool is_copy;                    // an asynchronous one
} logged;

static inline bool is_copy(uint8_t kind) { return kind == HW_NOTE_COPY || kind == HW_NOTE_COPY_BYPASS; }

static inline logged logged_at(const hw_check_interval *in, uint32_t at) {
    const record *r = (const record *)(const void *)(in->log + at);
    const hw_check_runs *runs = r->runs;
    if (runs) return (logged){r, runs, runs->delta, runs->note, runs->mask, sizeof *r, runs->kind, runs->width_bytes,
                              is_copy(runs->kind)};
    const lanes *l = (const lanes *)(const void *)(r + 1);
    return (logged){r, NULL, l->delta, l->note, l->mask, sizeof *r + sizeof *l, l->kind, l->width_bytes,
                    is_copy(l->kind)};
}

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
    if (!in->bytes) {
        if (!s->n_waiting++) s->turn++;
        in->kinds = 0;
        in->is_named = true;
        in->hash = 0;
    }
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

static void put_lanes(lanes *l, const hw_access *a) {
    for (int i = 0; i < HW_WARP_LANES; i++) l->delta[i] = (int32_t)a->pattern->delta[i];
    l->note = a->note;
    l->mask = a->pattern->mask;
    l->kind = a->kind;
    l->width_bytes = a->width_bytes;
    memset(l->unused, 0, sizeof l->unused);
}

// As the record is put together, so that nobody has to read it again.
static inline uint64_t hash_with(uint64_t hash, const record *r) {
    const uint64_t what = (uint64_t)(uintptr_t)r->runs ^ (uint64_t)r->serial << 16;
    const uint64_t where = (uint64_t)r->base << 32 | r->step, who = (uint64_t)r->what << 16 | r->warp << 8 | r->n;
    hash = (hash ^ what * 0xff51afd7ed558ccdu ^ where * 0xc4ceb9fe1a85ec53u ^ who) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline void put_record(hw_check_interval *in, char *at, const record *r) {
    memcpy(at, r, sizeof *r);
    in->hash = hash_with(in->hash, r);
}

// A record of all n warps, or one of each.
static __attribute__((noinline)) bool add_any(hw_check *c, hw_check_block *block, const hw_access *first,
                                              const hw_check_bases *bases, uint8_t kind, hw_check_runs *runs) {
    hw_check_interval *in = &block->interval;
    const uint32_t n_records = bases->are_even ? 1 : bases->n, each = sizeof(record) + (runs ? 0 : sizeof(lanes));
    char *at = in->is_known ? NULL : take_room(&c->intervals, in, n_records * each);
    if (!at) {
        hw_check_interval_look(c, block);
        in->is_known = true;
        return false;
    }
    for (uint32_t k = 0; k < n_records; k++, at += each) {
        const record r = {.runs = runs, .base = (uint32_t)bases->at[k], .warp = (first->where.warp + k) & 0x3f,
                          .step = (uint32_t)bases->step, .n = (bases->are_even ? bases->n : 1) & 0xff,
                          .serial = runs ? runs->serial & SERIAL : 0};
        put_record(in, at, &r);
        if (!runs) put_lanes((lanes *)(void *)(at + sizeof r), first);
    }
    in->kinds |= kind;
    in->is_named &= runs != NULL;
    if (runs) runs->logged = c->intervals.turn;
    return true;
}

// Mostly a log has begun, has room for one more record, and one is enough.
bool hw_check_interval_add(hw_check *c, hw_check_block *block, const hw_access *first,
                           const hw_check_bases *bases, uint8_t kind, hw_check_runs *runs) {
    hw_check_interval *in = &block->interval;
    const bool is_usual = runs && bases->are_even && in->bytes && !in->is_known;
    if (!is_usual || in->bytes + sizeof(record) > in->capacity) return add_any(c, block, first, bases, kind, runs);
    const record r = {.runs = runs, .base = (uint32_t)bases->at[0], .step = (uint32_t)bases->step,
                      .serial = runs->serial & SERIAL, .warp = first->where.warp & 0x3f, .n = bases->n & 0xff};
    put_record(in, in->log + in->bytes, &r);
    in->bytes += sizeof r;
    in->kinds |= kind;
    runs->logged = c->intervals.turn;
    return true;
}

// ---- copies under way -----------------------------------------------------------------------------------------------

// Those that are over make room.
static void drop_landed(hw_check_lane_copies *copies) {
    size_t n = 0;
    for (size_t i = 0; i < copies->n; i++)
        if (copies->items[i].mask && n++ != i) copies->items[n - 1] = copies->items[i];
    copies->n = n;
}

// Lanes of both that go to the same place.
static uint32_t common_lanes(const hw_check_lane_copy *a, const hw_check_lane_copy *b) {
    uint32_t lanes = 0;
    if (a->warp != b->warp || a->note != b->note) return 0;
    for (uint32_t i = 0; i < HW_WARP_LANES; i++)
        lanes |= (uint32_t)(a->base + (uint32_t)a->delta[i] == b->base + (uint32_t)b->delta[i]) << i;
    return lanes & a->mask & b->mask;
}

// One that is under way to the same places, by the same lanes; NULL: none is.
static hw_check_lane_copy *find_same(hw_check_lane_copies *copies, const hw_check_lane_copy *copy) {
    for (size_t i = copies->n; i-- > 0;) {
        hw_check_lane_copy *other = &copies->items[i];
        if (other->base == copy->base && other->mask == copy->mask && common_lanes(other, copy) == copy->mask)
            return other;
    }
    return NULL;
}

// NULL: too many are under way, or no memory.
static hw_check_lane_copy *make_copy(hw_check *c, hw_check_lane_copies *copies) {
    if (copies->n == copies->capacity || copies->n == MOST_COPIES) drop_landed(copies);
    if (copies->n == MOST_COPIES) return NULL;
    if (hw_grow((void **)&copies->items, copies->n, &copies->capacity, sizeof *copies->items))
        return &copies->items[copies->n++];
    c->blocks.ran_out = true;
    return NULL;
}

// Each barrier logs all copies under way. Who never waits for them would have ever more: beyond some the block does
// without.
static void stop_waiting(hw_check *c, hw_check_block *block) {
    hw_check_interval_look(c, block);
    block->interval.is_known = true;
    block->has_late = true;
}

void hw_check_lane_copies_begin(hw_check *c, hw_check_block *block, const hw_access *first,
                                const hw_check_bases *bases, const hw_check_runs *runs) {
    hw_check_lane_copy copy = {.runs = runs, .serial = runs ? runs->serial : 0, .note = first->note,
                               .mask = first->pattern->mask, .kind = first->kind, .width_bytes = first->width_bytes};
    for (int i = 0; i < HW_WARP_LANES; i++) copy.delta[i] = (int32_t)first->pattern->delta[i];
    for (uint32_t k = 0; k < bases->n && !block->has_late; k++) {
        copy.base = (uint32_t)bases->at[k];
        copy.warp = (uint8_t)(first->where.warp + k);
        hw_check_lane_copy *same = find_same(&block->copies, &copy), *new = same ? NULL : make_copy(c, &block->copies);
        if (new) *new = copy;
        for (int i = 0; same && i < HW_WARP_LANES; i++) same->more[i] += copy.mask >> i & 1;
        if (!same && !new) stop_waiting(c, block);
    }
    if (block->has_late) block->copies.n = 0;
}

// Lanes for which no other one is under way there.
static uint32_t lanes_without_more(hw_check_lane_copy *copy, uint32_t lanes) {
    uint32_t over = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t *more = &copy->more[__builtin_ctz(left)];
        over |= *more ? 0 : left & -left;
        *more -= *more != 0;
    }
    return over;
}

void hw_check_lane_copies_land(hw_check_block *block, hw_check_lane_copy *landed) {
    uint32_t left = landed->mask;
    for (size_t i = 0; left && i < block->copies.n; i++) {
        hw_check_lane_copy *copy = &block->copies.items[i];
        const uint32_t lanes = copy->mask ? common_lanes(copy, landed) & left : 0;
        if (!lanes) continue;
        left &= ~lanes;
        if (lanes == copy->mask && lanes == landed->mask) *landed = *copy;
        const uint32_t rest = copy->mask & ~lanes_without_more(copy, lanes);
        if (rest && rest != copy->mask) copy->runs = NULL;      // the pattern is that of more lanes
        copy->mask = rest;
    }
}

// False: no room.
static bool put_copy(hw_check *c, hw_check_interval *in, const hw_check_lane_copy *copy, unsigned what) {
    const hw_check_runs *runs = copy->runs && copy->runs->serial == copy->serial ? copy->runs : NULL;
    char *at = take_room(&c->intervals, in, sizeof(record) + (runs ? 0 : sizeof(lanes)));
    if (!at) return false;
    const record r = {.runs = runs, .base = copy->base, .warp = copy->warp & 0x3f, .what = what & 3, .n = 1,
                      .serial = runs ? runs->serial & SERIAL : 0};
    put_record(in, at, &r);
    lanes of = {.note = copy->note, .mask = copy->mask, .kind = copy->kind, .width_bytes = copy->width_bytes};
    memcpy(of.delta, copy->delta, sizeof of.delta);
    if (!runs) memcpy(at + sizeof r, &of, sizeof of);
    else ((hw_check_runs *)runs)->logged = c->intervals.turn;
    in->kinds |= HW_CHECK_ASYNC_WRITE;
    in->is_named &= runs != NULL;
    return true;
}

bool hw_check_interval_land(hw_check *c, hw_check_block *block, const hw_check_lane_copy *landed) {
    return !block->interval.is_known && put_copy(c, &block->interval, landed, HAS_LANDED);
}

// A log begins with what is under way.
static void begin_log(hw_check *c, hw_check_block *block) {
    hw_check_interval *in = &block->interval;
    drop_landed(&block->copies);
    in->is_known = block->has_late;
    size_t n = 0;
    while (!in->is_known && n < block->copies.n && put_copy(c, in, &block->copies.items[n], IS_UNDER_WAY)) n++;
    if (n < block->copies.n) stop_waiting(c, block);
    for (; n < block->copies.n; n++) hw_check_record_copy(c, block, &block->copies.items[n], true);
    if (block->has_late) block->copies.n = 0;
}

// ---- looking --------------------------------------------------------------------------------------------------------

static void look_at_copy(hw_check *c, hw_check_block *block, const logged *l) {
    hw_check_lane_copy copy = {.note = l->note, .mask = l->mask, .base = l->record->base, .warp = l->record->warp,
                               .width_bytes = l->width_bytes};
    memcpy(copy.delta, l->delta, sizeof copy.delta);
    hw_check_record_copy(c, block, &copy, l->record->what == IS_UNDER_WAY);
}

static void look_at_record(hw_check *c, hw_check_block *block, const logged *l, const hw_check_runs *runs) {
    const record *r = l->record;
    hw_check_present now;
    if (r->what != IS_DONE) {
        look_at_copy(c, block, l);
        return;
    }
    hw_check_begin_present(c, &now, block, r->warp, HW_SPACE_SHARED, l->note, l->kind, l->width_bytes, l->mask);
    now.is_alone = r->n == 1;
    for (uint32_t k = 0; k < r->n; k++) hw_check_access_runs(&now, runs, r->base + k * r->step, k);
}

static void find_runs_of(const logged *l, hw_check_runs *runs) {
    int64_t delta[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) delta[i] = l->delta[i];
    hw_check_find_cells(l->mask, delta, l->width_bytes, runs);
}

void hw_check_interval_look(hw_check *c, hw_check_block *block) {
    hw_check_interval *in = &block->interval;
    if (!in->bytes) return;
    for (uint32_t at = 0; at < in->bytes;) {
        const logged l = logged_at(in, at);
        hw_check_runs own;
        if (!l.runs && l.record->what == IS_DONE) find_runs_of(&l, &own);
        look_at_record(c, block, &l, l.runs ? l.runs : &own);
        at += l.bytes;
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

// What has been logged can be no race: nobody writes, or all are strong.
static bool is_harmless(const hw_check_interval *in) {
    if (in->kinds & HW_CHECK_ASYNC_WRITE) return false;
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

static bool is_read(const logged *l) { return hw_check_act_of(l->kind, HW_SPACE_SHARED) == HW_CHECK_READS; }

// For each word of each lane of all accesses that write, or of those that read. False: one has said no.
static bool ask_all(hw_check *c, const hw_check_interval *in, bool of_writes,
                    bool (*ask)(hw_check_owners *owners, const hw_check_touch *touch)) {
    for (uint32_t at = 0; at < in->bytes;) {
        const logged l = logged_at(in, at);
        const record *r = l.record;
        hw_check_touch touch = {.delta = l.delta, .mask = l.mask};
        at += l.bytes;
        if (is_read(&l) == of_writes) continue;
        for (uint32_t k = 0; k < r->n; k++) {
            touch.thread = ((uint32_t)r->warp + k) * HW_WARP_LANES;
            for (uint32_t byte = 0; byte < l.width_bytes; byte += HW_CHECK_WORD_BYTES) {
                touch.base = r->base + k * r->step + byte;
                if (!ask(&c->intervals.owners, &touch)) return false;
            }
        }
    }
    return true;
}

// The words of a lane's access, as bits: are they as they should be, and what do they become?
static bool turn_words(uint8_t *words, uint32_t from, uint32_t to, bool are_set, bool become) {
    bool good = true;
    for (uint32_t word = from; word < to; word++) {
        good &= (words[word / 8] >> word % 8 & 1) == are_set;
        words[word / 8] = (uint8_t)((words[word / 8] & ~(1u << word % 8)) | (uint32_t)become << word % 8);
    }
    return good;
}

// Does it leave words alone that are under way, if it is no copy's end?
static bool is_beside_copies(uint8_t *under_way, uint32_t n_words, const logged *l) {
    const record *r = l->record;
    const bool has_landed = r->what == HAS_LANDED, begins = !has_landed && l->is_copy;
    for (uint32_t k = 0; k < r->n; k++)
        for (uint32_t left = l->mask; left; left &= left - 1) {
            const uint32_t at = r->base + k * r->step + (uint32_t)l->delta[__builtin_ctz(left)];
            const uint32_t from = at / HW_CHECK_WORD_BYTES, end = at + l->width_bytes - 1;
            if (end / HW_CHECK_WORD_BYTES >= n_words) return false;
            if (!turn_words(under_way, from, end / HW_CHECK_WORD_BYTES + 1, has_landed, begins)) return false;
        }
    return true;
}

// Does nobody touch a word between the beginning of a copy to it and its end, the thread that copies neither?
static bool are_beside_copies(const hw_check *c, const hw_check_interval *in) {
    const uint32_t n_words = c->blocks.n_lines * HW_CHECK_LINE_WORDS;
    uint8_t *under_way = in->kinds & HW_CHECK_ASYNC_WRITE ? hw_calloc(n_words / 8 + 1, 1) : NULL;
    bool are = true;
    for (uint32_t at = 0; under_way && are && at < in->bytes;) {
        const logged l = logged_at(in, at);
        at += l.bytes;
        are = is_beside_copies(under_way, n_words, &l);
    }
    const bool is_good = are && (under_way || !(in->kinds & HW_CHECK_ASYNC_WRITE));
    hw_free(under_way);
    return is_good;
}

// Does no thread touch a word that another one writes?
static bool are_apart(hw_check *c, const hw_check_interval *in) {
    if (in->kinds & HW_CHECK_FOR_OTHERS || !begin_owning(c)) return false;
    return ask_all(c, in, true, c->level->claim) && ask_all(c, in, true, c->level->has) &&
           ask_all(c, in, false, c->level->is_alone) && are_beside_copies(c, in);
}

// ---- what is known --------------------------------------------------------------------------------------------------

// Logs of one hash have so many places, which they take in turns: with one, two logs of a kernel's blocks that share it
// would drive each other out for a whole launch.
enum { PLACES_OF_HASH = 4 };

static hw_check_kept *places_of(hw_check_intervals *s, uint64_t hash) {
    return &s->kept[hash % (HW_CHECK_INTERVALS_KEPT / PLACES_OF_HASH) * PLACES_OF_HASH];
}

// A log without a race, if all in it has a name.
static void keep_log(hw_check *c, const hw_check_interval *in, uint32_t bytes, uint64_t hash) {
    hw_check_kept *kept = places_of(&c->intervals, hash) + c->intervals.n_kept++ % PLACES_OF_HASH;
    if (!in->is_named) return;
    if (kept->capacity < bytes) {
        char *log = hw_realloc_array(kept->log, bytes, 1);
        if (!log) return;
        kept->log = log;
        kept->capacity = bytes;
    }
    memcpy(kept->log, in->log, bytes);
    kept->bytes = bytes;
}

static bool is_kept(hw_check *c, const hw_check_interval *in, uint64_t hash) {
    const hw_check_kept *kept = places_of(&c->intervals, hash);
    for (uint32_t i = 0; in->is_named && i < PLACES_OF_HASH; i++)
        if (kept[i].bytes == in->bytes && !memcmp(kept[i].log, in->log, in->bytes)) return true;
    return false;
}

// ---- threads that write what they have read -------------------------------------------------------------------------

// Where each write of a thread goes to a word that the same one has read, it is enough that the reads are apart. These
// mostly are the same in many blocks, while it depends on the data who writes: a sort, a relaxation. Logs of reads
// alone are kept for nothing else.
enum { MOST_READS = 16 };

static hw_check_touch touch_of(const logged *l, uint32_t warp) {
    const uint32_t behind = warp - l->record->warp;
    return (hw_check_touch){.delta = l->delta, .mask = l->mask, .base = l->record->base + behind * l->record->step};
}

// Has the warp read there before it writes?
static bool has_read(const hw_check *c, const hw_check_interval *reads, const logged *write, uint32_t warp) {
    const hw_check_touch part = touch_of(write, warp);
    for (uint32_t at = 0; at < reads->bytes;) {
        const logged read = logged_at(reads, at);
        at += read.bytes;
        if (warp - read.record->warp >= read.record->n || read.width_bytes != write->width_bytes) continue;
        const hw_check_touch whole = touch_of(&read, warp);
        if (c->level->is_part(&part, &whole)) return true;
    }
    return false;
}

static void add_read(hw_check_interval *reads, const logged *l) {
    memcpy(reads->log + reads->bytes, l->record, l->bytes);
    reads->bytes += l->bytes;
    reads->hash = hash_with(reads->hash, l->record);
    reads->is_named &= l->runs != NULL;
}

// False: some write of the log goes elsewhere, or it has too many reads.
static bool find_own_reads(const hw_check *c, const hw_check_interval *in, hw_check_interval *reads) {
    for (uint32_t at = 0, n = 0; at < in->bytes;) {
        const logged l = logged_at(in, at);
        at += l.bytes;
        if (is_read(&l) && n++ == MOST_READS) return false;
        if (is_read(&l)) add_read(reads, &l);
        for (uint32_t k = 0; !is_read(&l) && k < l.record->n; k++)
            if (!has_read(c, reads, &l, (uint32_t)l.record->warp + k)) return false;
    }
    return true;
}

static bool are_own(hw_check *c, const hw_check_interval *in) {
    const uint8_t plain = HW_CHECK_WEAK_READ | HW_CHECK_WEAK_WRITE;
    _Alignas(record) char log[MOST_READS * (sizeof(record) + sizeof(lanes))];
    hw_check_interval reads = {.log = log, .is_named = true};
    if (in->kinds != plain || !find_own_reads(c, in, &reads)) return false;
    if (is_kept(c, &reads, reads.hash)) return true;
    const bool are = begin_owning(c) && ask_all(c, &reads, false, c->level->claim) &&
                     ask_all(c, &reads, false, c->level->has);
    if (are) keep_log(c, &reads, reads.bytes, reads.hash);
    return are;
}

// ---- what is done ---------------------------------------------------------------------------------------------------

void hw_check_interval_end(hw_check *c, hw_check_block *block) {
    hw_check_interval *in = &block->interval;
    const uint64_t hash = in->bytes && in->is_named && !is_harmless(in) ? in->hash : 0, races = c->n_races;
    const uint32_t bytes = in->bytes;
    if (in->bytes && (is_harmless(in) || is_kept(c, in, hash))) {
        drop_log(c, in);
    } else if (in->bytes && (are_own(c, in) || are_apart(c, in))) {
        keep_log(c, in, bytes, hash);
        drop_log(c, in);
    } else if (in->bytes) {
        hw_check_interval_look(c, block);
        // The log is as it was, but taken to be empty.
        if (c->n_races == races) keep_log(c, in, bytes, hash);
    }
    begin_log(c, block);
}
