// Memory accesses, the careful way: patterns, bounds, mixtures of spaces, local memory, faults.
//
// The quick way (memory_lanes.c) covers the access whose relative addresses are those of the last time, and
// room_lanes.c the one whose lanes lie in one piece of memory. Here is what both ask when something is new to them, and
// the general way, for all other accesses and when something is wrong.
#include <string.h>

#include "exec/memory/stray.h"
#include "exec/memory/whole.h"
#include "exec/segment.h"
#include "exec/warp/warp.h"

// ---- patterns ----

static bool is_atomic(hw_note_kind kind) { return kind == HW_NOTE_ATOMIC || kind == HW_NOTE_REDUCTION; }

// Does any of them want to hear of this instruction's accesses?
static bool is_wanted(const hw_listeners *listeners, hw_note_kind kind) {
    if (kind == HW_NOTE_PLAIN) return false;
    return listeners->events & (is_atomic(kind) ? HW_WANTS(ATOMIC) : HW_WANTS(ACCESS));
}

// The lanes of a half warp that are on, as a shape sees them: side by side, at one place.
typedef struct half_shape {
    bool is_unit, is_same;
    int64_t unit_begin, same_begin;      // the delta of the half's first lane, on or off
} half_shape;

static half_shape shape_of_half(const hw_pattern *p, int begin, uint32_t bytes) {
    const uint32_t mask = p->mask >> begin & 0xffff;
    const int first = begin + __builtin_ctz(mask);
    const int64_t *delta = p->delta + begin, unit_begin = p->delta[first] - (int64_t)(first - begin) * bytes;
    uint64_t off_unit = 0, off_same = 0;
    for (int i = 0; i < 16; i++) {
        const uint64_t on = -(uint64_t)(mask >> i & 1);
        off_unit |= (uint64_t)(delta[i] - unit_begin - (int64_t)i * bytes) & on;
        off_same |= (uint64_t)(delta[i] - p->delta[first]) & on;
    }
    return (half_shape){!off_unit, !off_same, unit_begin, p->delta[first]};
}

// Lanes of a half in which none is on lie as they would beside the other half's.
static half_shape shape_beside(half_shape other, int64_t distance) {
    other.unit_begin += distance;
    return other;
}

// Lanes of a whole warp that lie in no simpler way. Most others are told by lanes 1 and 4.
static hw_shape shape_of_fours(const hw_pattern *p, uint32_t bytes) {
    const int64_t *delta = p->delta;
    uint64_t off_fours = (uint64_t)(delta[1] - bytes), off_rows = (uint64_t)(delta[4] - bytes);
    if (p->mask != 0xffffffffu || (off_fours && off_rows)) return HW_SHAPE_GENERAL;
    for (int i = 0; i < 32; i++) {
        off_fours |= (uint64_t)(delta[i] - delta[i & ~3] - (i & 3) * (int64_t)bytes);
        off_rows |= (uint64_t)(delta[i] - delta[i & 3] - (i >> 2) * (int64_t)bytes);
    }
    return !off_fours ? HW_SHAPE_FOURS : !off_rows ? HW_SHAPE_FOUR_ROWS : HW_SHAPE_GENERAL;
}

static void find_shape(hw_pattern *p, uint32_t bytes) {
    const int64_t unit = 16 * (int64_t)bytes;
    const bool in_low = p->mask & 0xffff, in_high = p->mask >> 16;
    half_shape low = shape_of_half(p, in_low ? 0 : 16, bytes), high = low;
    if (!in_low) low = shape_beside(high, -unit);
    else high = in_high ? shape_of_half(p, 16, bytes) : shape_beside(low, unit);
    const bool is_unit = low.is_unit && high.is_unit, is_same = low.is_same && high.is_same;
    p->shape = is_unit && high.unit_begin - low.unit_begin == unit ? HW_SHAPE_UNIT
               : is_same && high.same_begin == low.same_begin      ? HW_SHAPE_SAME
               : is_unit                                           ? HW_SHAPE_UNIT_HALVES
               : is_same                                           ? HW_SHAPE_SAME_HALVES
                                                                   : shape_of_fours(p, bytes);
    const bool by_unit = p->shape == HW_SHAPE_UNIT || p->shape == HW_SHAPE_UNIT_HALVES;
    p->lane_0 = by_unit ? low.unit_begin : low.same_begin;
    p->lane_16 = by_unit ? high.unit_begin : high.same_begin;
}

// What compiled code may be made for: the shapes of the last access of all lanes, and of some.
static void note_shape(const hw_program_set *set, const hw_inst *in, const hw_pattern *p) {
    static const uint8_t shapes[] = {
        [HW_SHAPE_GENERAL] = HW_SEEN_OTHER, [HW_SHAPE_UNIT] = HW_SEEN_UNIT, [HW_SHAPE_SAME] = HW_SEEN_SAME,
        [HW_SHAPE_UNIT_HALVES] = HW_SEEN_UNIT, [HW_SHAPE_SAME_HALVES] = HW_SEEN_SAME,
        [HW_SHAPE_FOURS] = HW_SEEN_OTHER, [HW_SHAPE_FOUR_ROWS] = HW_SEEN_OTHER,
    };
    const uint8_t seen = __atomic_load_n(&set->seen[in->pattern], __ATOMIC_RELAXED);
    const uint8_t both = p->mask == 0xffffffffu ? HW_SEEN_BOTH(shapes[p->shape], HW_SEEN_SOME(seen))
                                                : HW_SEEN_BOTH(HW_SEEN_ALL(seen), shapes[p->shape]);
    const uint8_t fresh = both | (seen & HW_SEEN_APART) | (p->apart ? HW_SEEN_APART : 0);
    if (fresh != seen) __atomic_store_n(&set->seen[in->pattern], fresh, __ATOMIC_RELAXED);
}

// A pattern goes that was met so many times. To learn one takes as long as to count dozens of accesses as they are.
// Addresses are taken not to repeat when sinks have been told of as many patterns as they tell apart: for them, one
// more is none that they know.
static void note_history(hw_worker *worker, hw_pattern *p, uint64_t hits) {
    const hw_run *run = worker->run;
    p->lone = hits > HW_PATTERN_FEW ? 0 : p->lone < HW_PATTERN_LONE_MOST ? p->lone + 1 : p->lone;
    if (p->lone < HW_PATTERN_LONE) return;
    if (!is_wanted(&run->observers->counting, (hw_note_kind)run->set->notes[p->inst->note].kind) ||
        hw_names_are_full(worker, p->inst->note))
        p->apart = (uint8_t)(HW_PATTERN_APART << (p->lone - HW_PATTERN_LONE));
}

static void forget_limits(hw_pattern *p) { p->limit = p->known_limit = p->told_limit = 0; }

// The base may be so far from p->begin as `bytes` at a time fit into `size` bytes. With an ordered sink only convoys go
// on without a look: they tell it.
static void set_limits(const hw_worker *worker, hw_pattern *p, uint64_t size, uint64_t span, uint32_t bytes) {
    const bool is_even = p->mask == 0xffffffffu && !(p->begin & (bytes - 1));
    forget_limits(p);
    if (worker->ordered) {
        p->told_limit = is_even ? size - span + 1 : 0;
        p->told_kind = worker->run->set->notes[p->inst->note].kind;
    } else {
        p->limit = size - span + 1;
        p->known_limit = is_even ? (size - span) / bytes + 1 : 0;
    }
}

void hw_access_learn(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t *addresses) {
    hw_worker *worker = s->worker;
    uint32_t bytes = (uint32_t)in->width * in->vector;
    uint64_t base = addresses[__builtin_ctz(s->warp.mask)];
    if (!p->mask) worker->used_patterns[worker->n_used++] = in->pattern;
    else note_history(worker, p, hw_access_flush(worker, p));
    p->mask = s->warp.mask;
    p->low = p->high = 0;
    p->bits = 0;
    for (int i = 0; i < 32; i++) {
        int64_t delta = s->warp.lanes[i] ? (int64_t)(addresses[i] - base) : 0;
        p->delta[i] = delta;
        p->delta_32[i] = (int32_t)delta;
        p->low = delta < p->low ? delta : p->low;
        p->high = delta > p->high ? delta : p->high;
        p->bits |= (uint64_t)delta;
    }
    p->high = (int64_t)((uint64_t)p->high + bytes);    // lanes may be as far apart as addresses go
    find_shape(p, bytes);
    forget_limits(p);
    p->inst = in;
    p->name = NULL;
    p->root_scale = 0;
    p->root_for = NULL;
    note_shape(worker->run->set, in, p);
}

// The space an address is in, and its offset there.
static hw_space resolve_address(const hw_inst *in, uint64_t address, uint64_t *offset) {
    *offset = address;
    // A kernel's parameters are in device memory; a function's are on its stack.
    if (in->space == HW_SPACE_PARAM) return in->is_own_param ? HW_SPACE_LOCAL : HW_SPACE_GLOBAL;
    if (in->space != HW_SPACE_GENERIC) return (hw_space)in->space;
    if (address - HW_SHARED_WINDOW < HW_WINDOW_BYTES) {
        *offset = address - HW_SHARED_WINDOW;
        return HW_SPACE_SHARED;
    }
    if (address - HW_LOCAL_WINDOW < HW_WINDOW_BYTES) {
        *offset = address - HW_LOCAL_WINDOW;
        return HW_SPACE_LOCAL;
    }
    return HW_SPACE_GLOBAL;
}

static void tell_each(hw_state *s, hw_pattern *p, uint64_t base);

// What an instruction of that kind does where it accesses memory; of those whose kind does not say, all.
static uint8_t ways_of(hw_note_kind kind, hw_space space) {
    if (space == HW_SPACE_CONST) return HW_TOUCHED_CONSTANT;
    switch (kind) {
    case HW_NOTE_LOAD: case HW_NOTE_LOAD_MATRIX: case HW_NOTE_COPY: case HW_NOTE_COPY_BYPASS: return HW_TOUCHED_READ;
    case HW_NOTE_STORE: return HW_TOUCHED_WRITTEN;
    case HW_NOTE_ATOMIC: case HW_NOTE_REDUCTION: return HW_TOUCHED_READ | HW_TOUCHED_WRITTEN | HW_TOUCHED_ATOMIC;
    default: return HW_TOUCHED_READ | HW_TOUCHED_WRITTEN;
    }
}

// Allocations begin at multiples of 512 bytes, large ones of 2 MiB.
static hw_touched *touch_kept(hw_worker *worker, uint64_t address) {
    return &worker->touched[(address >> 9 ^ address >> 21) % HW_TOUCHES_KEPT];
}

void hw_access_tell_touched(hw_state *s, const hw_allocation *found, uint8_t ways) {
    hw_touched *told = touch_kept(s->worker, found->address);
    if (told->address == found->address && !(ways & ~told->ways)) return;
    const bool is_hosts = found->kind == HW_ALLOC_PINNED || found->kind == HW_ALLOC_REGISTERED;
    if (told->address != found->address) *told = (hw_touched){.address = found->address, .bytes = found->bytes};
    told->ways |= ways;
    hw_tell_touched(&s->run->observers->all, s->worker->index,
                    &(hw_touched){found->address, found->bytes, ways, is_hosts});
}

static hw_note_kind kind_of(const hw_state *s, const hw_inst *in) {
    return (hw_note_kind)s->run->set->notes[in->note].kind;
}

// The allocation that an access of that kind may touch; sinks are told so, unless they have been lately.
static bool find_memory(hw_state *s, hw_note_kind kind, hw_space space, uint64_t address, uint64_t bytes,
                        hw_allocation *out) {
    if (!hw_mem_find(s->run->launch->mem, address, bytes, out)) return false;
    if (out->is_read_only && (kind == HW_NOTE_STORE || is_atomic(kind))) return false;
    if (HW_IS_TOLD(s, TOUCHED)) hw_access_tell_touched(s, out, ways_of(kind, space));
    return true;
}

// What was counted of another space is reported first: it has another name. Its limits are not this one's.
static void set_space(hw_state *s, hw_pattern *p, hw_space space) {
    if (p->space == (uint8_t)space) return;
    hw_access_flush(s->worker, p);
    p->space = (uint8_t)space;
    forget_limits(p);
    p->name = NULL;
}

bool hw_access_check(hw_state *s, const hw_inst *in, hw_pattern *p, uint64_t base) {
    uint32_t bytes = (uint32_t)in->width * in->vector;
    uint64_t span = (uint64_t)p->high - (uint64_t)p->low, lowest = base + (uint64_t)p->low, begin, room, offset;
    forget_limits(p);
    if ((int64_t)span < 0 || (base | p->bits) & (bytes - 1)) return false;
    hw_space space = resolve_address(in, base, &offset);
    if (space == HW_SPACE_SHARED) {
        begin = p->window = base - offset;
        room = s->run->shared_bytes;
    } else if (space == HW_SPACE_GLOBAL || space == HW_SPACE_CONST) {
        hw_allocation found;
        if (!find_memory(s, kind_of(s, in), space, lowest, span, &found)) return false;
        p->window = base - (uint64_t)(uintptr_t)hw_mem_apart_host(s->run->apart, base);
        begin = found.address;
        room = found.bytes;
    } else {
        return false;
    }
    if (span > room || lowest - begin > room - span) return false;
    set_space(s, p, space);
    p->begin = begin - (uint64_t)p->low;
    set_limits(s->worker, p, room, span, bytes);
    if (s->worker->ordered) tell_each(s, p, space == HW_SPACE_SHARED ? offset : base);
    return true;
}

// ---- one piece of memory for all lanes ----

bool hw_access_find_room(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t addresses[32]) {
    const uint64_t bytes = (uint64_t)in->width * in->vector, base = addresses[__builtin_ctz(s->warp.mask)];
    uint64_t offset, size;
    hw_space space = resolve_address(in, base, &offset);
    p->room = 0;
    if (in->space == HW_SPACE_PARAM) return false;
    p->room_begin = p->room_origin = base - offset;
    if (space == HW_SPACE_GLOBAL || space == HW_SPACE_CONST) {
        hw_allocation found;
        if (!find_memory(s, kind_of(s, in), space, base, bytes, &found)) return false;
        p->room_begin = found.address;
        p->room_shift = (uint64_t)(uintptr_t)hw_mem_apart_host(s->run->apart, base) - base;
        size = found.bytes;
    } else {
        size = space == HW_SPACE_SHARED ? s->run->shared_bytes : s->run->local_bytes;
    }
    if (size < bytes) return false;
    uint64_t room = size - bytes + 1, bits = 0;
    for (int i = 0; i < 32; i++) {
        if (addresses[i] - p->room_begin >= room) return false;
        bits |= addresses[i];
    }
    if (bits & (bytes - 1)) return false;
    p->room_space = (uint8_t)space;
    p->room = room;
    return true;
}

// Lets the quick bodies and segments make accesses of this pattern by themselves, wherever they fit into the room. They
// know nothing of local memory, whose bytes do not lie together.
static void allow_in_room(const hw_worker *worker, const hw_inst *in, hw_pattern *p) {
    const uint32_t bytes = (uint32_t)in->width * in->vector;
    const uint64_t size = p->room + bytes - 1, span = (uint64_t)p->high - (uint64_t)p->low;
    if (p->space == HW_SPACE_LOCAL) return;
    p->begin = p->room_begin - (uint64_t)p->low;
    p->window = p->space == HW_SPACE_GLOBAL || p->space == HW_SPACE_CONST ? -p->room_shift : p->room_origin;
    set_limits(worker, p, size, span, bytes);
}

void hw_access_count_in_room(hw_state *s, const hw_inst *in, hw_pattern *p, const uint64_t addresses[32],
                             bool is_known) {
    const uint64_t base = addresses[__builtin_ctz(s->warp.mask)];
    if (!is_known) hw_access_learn(s, in, p, addresses);
    set_space(s, p, (hw_space)p->room_space);
    if (base - p->begin >= (s->worker->ordered ? p->told_limit : p->limit)) allow_in_room(s->worker, in, p);
    if (s->worker->ordered) tell_each(s, p, base - p->room_origin);
    hw_access_count(p, base);
}

void hw_access_forget(hw_worker *worker) {
    for (uint32_t i = 0; i < worker->n_used; i++) {
        hw_pattern *p = &worker->patterns[worker->used_patterns[i]];
        forget_limits(p);
        p->begin = UINT64_MAX;
        p->room = 0;
        hw_access_settle(p);
    }
}

void hw_access_refresh(hw_worker *worker) {
    uint64_t epoch = hw_mem_epoch(worker->run->launch->mem);
    if (epoch == worker->epoch) return;
    worker->epoch = epoch;
    hw_access_forget(worker);
}

bool hw_access_met_hosts_memory(const hw_worker *worker) {
    enum { HOSTS_TOO = 1 << HW_ALLOC_MANAGED | 1 << HW_ALLOC_PINNED | 1 << HW_ALLOC_REGISTERED | 1 << HW_ALLOC_MAPPED };
    for (uint32_t i = 0; i < worker->n_used; i++) {
        const hw_pattern *p = &worker->patterns[worker->used_patterns[i]];
        hw_allocation found;
        if (p->begin == UINT64_MAX && !p->room) continue;
        const uint64_t begin = p->room ? p->room_begin : p->begin + (uint64_t)p->low;
        if ((p->room ? p->room_space : p->space) == HW_SPACE_GLOBAL &&
            hw_mem_find(worker->run->launch->mem, begin, 1, &found) && HOSTS_TOO >> found.kind & 1) return true;
    }
    return false;
}

// ---- reporting ----

hw_where hw_where_of(const hw_state *s) {
    const uint32_t *block = s->block->index;
    return (hw_where){.block = {block[0], block[1], block[2]}, .warp = s->index, .sequence = ++s->worker->sequence};
}

static void tell_access(const hw_listeners *listeners, uint32_t worker, const hw_access *access) {
    if (is_atomic((hw_note_kind)access->kind)) hw_tell_atomic(listeners, worker, access);
    else hw_tell_access(listeners, worker, access);
}

static hw_access describe_access(const hw_run *run, const hw_inst *in, const hw_access_pattern *pattern) {
    return (hw_access){.note = in->note, .kind = run->set->notes[in->note].kind, .space = pattern->space,
                       .width_bytes = (uint8_t)(in->width * in->vector), .pattern = pattern, .repeat = 1};
}

void hw_access_settle(hw_pattern *p) {
    for (uint32_t k = 0; p->fixed_for && k < p->n_at; k++) p->hits[p->phase[k]] += p->repeats;
    p->fixed_for = p->told_for = NULL;
}

static inline bool any_hits(const uint64_t hits[8]) {
    uint64_t any = 0;
    for (int i = 0; i < 8; i++) any |= hits[i];
    return any;
}

// Ordered sinks have heard of each access already.
uint64_t hw_access_flush(hw_worker *worker, hw_pattern *p) {
    hw_access_settle(p);
    const hw_run *run = worker->run;
    const hw_listeners *counting = &run->observers->counting;
    bool is_told = is_wanted(counting, (hw_note_kind)run->set->notes[p->inst->note].kind);
    uint64_t all = 0;
    for (uint32_t phase = 0; phase < 128; phase++) {
        if (phase % 8 == 0 && !any_hits(p->hits + phase)) {    // mostly all but one, so by vectors
            phase += 7;
            continue;
        }
        if (!p->hits[phase]) continue;
        all += p->hits[phase];
        if (is_told) {
            hw_access access = describe_access(run, p->inst, hw_pattern_name(worker, p));
            access.base = phase;
            access.repeat = p->hits[phase];
            tell_access(counting, worker->index, &access);
        }
        p->hits[phase] = 0;
    }
    return all;
}

static void tell_each(hw_state *s, hw_pattern *p, uint64_t base) {
    const hw_listeners *ordered = &s->run->observers->ordered;
    if (!is_wanted(ordered, (hw_note_kind)s->run->set->notes[p->inst->note].kind)) return;
    hw_access access = describe_access(s->run, p->inst, hw_pattern_name(s->worker, p));
    access.base = base;
    access.where = hw_where_of(s);
    tell_access(ordered, s->worker->index, &access);
}

void hw_access_tell_convoy(hw_warp *w, hw_pattern *p) {
    hw_state *s = hw_state_of(w);
    const hw_observers *to = s->run->observers;
    const hw_note_kind kind = (hw_note_kind)p->told_kind;
    const uint32_t n = w->convoy;
    // What nobody adds up is counted for the pattern's history alone.
    if (!is_wanted(&to->counting, kind)) p->hits[0] += n;
    else for (uint32_t k = 0; k < n; k++) p->hits[p->phase[k]]++;
    if (!is_wanted(&to->ordered, kind)) return;
    const uint64_t origin = p->space == HW_SPACE_SHARED ? (uint64_t)(uintptr_t)s->shared : -p->window;
    uint64_t bases[HW_CONVOY_MAX];
    for (uint32_t k = 0; k < HW_CONVOY_MAX; k++) bases[k] = (uint64_t)(uintptr_t)p->at[k] - origin;    // by vectors
    const hw_access first = {.note = p->inst->note, .kind = p->told_kind, .space = p->space,
                             .width_bytes = (uint8_t)(p->inst->width * p->inst->vector),
                             .pattern = hw_pattern_name(s->worker, p), .base = bases[0], .repeat = 1,
                             .where = hw_where_of(s)};
    s->worker->sequence += n - 1;
    hw_tell_accesses(&to->ordered, s->worker->index, &first, n, bases);
}

void hw_access_tell_once(hw_state *s, const hw_inst *in, hw_access_pattern *pattern, uint64_t base) {
    const hw_listeners *ordered = &s->run->observers->ordered;
    if (!is_wanted(ordered, kind_of(s, in))) return;
    // What is known of accesses to shared memory saves more than to look for their name takes.
    const hw_access_pattern *known = NULL;
    if (pattern->space == HW_SPACE_SHARED)
        known = hw_name_of_few(s->worker, in->note, pattern->space, pattern->mask, pattern->delta);
    if (!known) {
        pattern->index = HW_NO_PATTERN;
        pattern->serial = ++s->worker->serial;
    }
    hw_access access = describe_access(s->run, in, known ? known : pattern);
    access.base = base - s->patterns[in->pattern].room_origin;
    access.where = hw_where_of(s);
    tell_access(ordered, s->worker->index, &access);
}

void hw_access_tell_lone(hw_worker *worker) {
    const hw_listeners *counting = &worker->run->observers->counting;
    const hw_note *notes = worker->run->set->notes;
    hw_lone_access *list = worker->lone.list;
    uint32_t n = worker->lone.n;
    uint64_t serial = worker->serial;
    for (uint32_t k = 0; k < n;) {
        list[k].kind = notes[list[k].note].kind;
        list[k].serial = serial + 1;
        serial += list[k].ends ? hw_bits_set(list[k].ends) : 1;
        if (list[k].kind == HW_NOTE_PLAIN) list[k] = list[--n];    // nobody counts it
        else k++;
    }
    worker->serial = serial;
    worker->lone.n = 0;
    if (n) hw_tell_lone(counting, worker->index, list, n);
}

// An access whose lanes are in different spaces: one record for each.
static void tell_mixture(hw_state *s, const hw_inst *in, uint32_t all, const uint8_t *spaces, const uint64_t *offsets) {
    const hw_listeners *to = &s->run->observers->all;
    if (!is_wanted(to, kind_of(s, in))) return;
    for (uint32_t left = all; left;) {
        int first = __builtin_ctz(left);
        int64_t delta[32] = {0};
        uint32_t mask = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            if (spaces[i] != spaces[first]) continue;
            mask |= 1u << i;
            delta[i] = (int64_t)(offsets[i] - offsets[first]);
        }
        hw_access access =
            describe_access(s->run, in, hw_name_addresses(s->worker, in->note, spaces[first], mask, delta));
        access.base = offsets[first];
        access.where = hw_where_of(s);
        tell_access(to, s->worker->index, &access);
        left &= ~mask;
    }
}

// ---- one lane ----

// Where a lane's word lies: the lanes' words side by side, as on hardware.
static char *local_word(const hw_state *s, int lane, uint64_t offset) {
    return s->local + (offset >> 2) * 128 + (uint64_t)lane * 4 + (offset & 3);
}

static void copy_local(hw_state *s, int lane, uint64_t offset, void *bytes, uint32_t count, bool is_write) {
    char *b = bytes;
    while (count) {
        uint32_t chunk = 4 - (uint32_t)(offset & 3);
        if (chunk > count) chunk = count;
        char *word = local_word(s, lane, offset);
        if (is_write) memcpy(word, b, chunk);
        else memcpy(b, word, chunk);
        b += chunk, offset += chunk, count -= chunk;
    }
}

// Is [offset, offset + bytes) in the shared memory of a block of the cluster?
static bool is_in_cluster(const hw_state *s, uint64_t offset, uint32_t bytes) {
    const hw_block *home = hw_cluster_home(s->block, offset, &offset);
    return home && offset <= s->run->shared_bytes && s->run->shared_bytes - offset >= bytes;
}

// What is wrong with [offset, offset + bytes) of a space, for any lane; sinks hear that an access of that kind is made.
static hw_fault_kind find_fault(hw_state *s, hw_note_kind access, hw_space space, uint64_t offset, uint32_t bytes,
                                uint32_t alignment) {
    hw_fault_kind kind = HW_FAULT_NONE;
    if (space == HW_SPACE_SHARED) {
        if (!is_in_cluster(s, offset, bytes)) kind = HW_FAULT_ADDRESS;
    } else if (space == HW_SPACE_LOCAL) {
        if (offset > s->run->local_bytes || s->run->local_bytes - offset < bytes) kind = HW_FAULT_ADDRESS;
    } else {
        hw_allocation found;
        if (!find_memory(s, access, space, offset, bytes, &found)) kind = HW_FAULT_ADDRESS;
    }
    return offset & (alignment - 1) ? HW_FAULT_MISALIGNED : kind;
}

// The host address of a byte in any space except local memory, whose bytes do not lie together.
static inline char *host_byte(const hw_mem_apart *apart, const hw_state *s, uint8_t space, uint64_t offset) {
    if (space != HW_SPACE_SHARED) return (char *)hw_mem_apart_host(apart, offset);
    if (!hw_has_rank(offset)) return s->shared + offset;
    const hw_block *home = hw_cluster_home(s->block, offset, &offset);
    return home ? home->shared + offset : NULL;    // strays
}

static hw_space resolve_generic(uint64_t address, uint64_t *offset) {
    const hw_inst generic = {.space = HW_SPACE_GENERIC};
    return resolve_address(&generic, address, offset);
}

// What became of one lane's copy.
typedef enum outcome { FAULTED, STRAYED, COPIED } outcome;

static outcome copy_generic(hw_state *s, const hw_inst *in, int lane, uint64_t address, void *bytes, uint32_t count,
                            bool is_write) {
    uint64_t offset;
    hw_space space = resolve_generic(address, &offset);
    hw_fault_kind kind = find_fault(s, kind_of(s, in), space, offset, count, 1);
    if (kind && !hw_access_stray(s, in, kind, lane, space, offset, count, is_write)) return FAULTED;
    if (kind && !is_write) memset(bytes, 0, count);
    if (kind) return STRAYED;
    if (space == HW_SPACE_LOCAL) {
        copy_local(s, lane, offset, bytes, count, is_write);
        return COPIED;
    }
    char *host = host_byte(s->run->apart, s, (uint8_t)space, offset);
    if (is_write) memcpy(host, bytes, count);
    else memcpy(bytes, host, count);
    return COPIED;
}

static void tell_generic(hw_state *s, const hw_inst *in, int lane, uint64_t address, uint32_t bytes, bool is_write) {
    if (!HW_IS_TOLD(s, LANE_ACCESS)) return;
    hw_lane_bytes one = {.bytes = bytes, .lane = (uint8_t)lane};
    one.space = (uint8_t)resolve_generic(address, &one.address);
    hw_access_tell_lanes(s, in, is_write, &one, 1);
}

void hw_access_tell_lanes(hw_state *s, const hw_inst *in, bool is_write, const hw_lane_bytes *list, uint32_t n) {
    const hw_lane_access access = {.where = hw_where_of(s), .note = in->note, .is_write = is_write, .n = n,
                                   .list = list};
    hw_tell_lane_access(&s->run->observers->all, s->worker->index, &access);
}

bool hw_access_read(hw_state *s, const hw_inst *in, int lane, uint64_t address, void *to, uint32_t bytes) {
    const outcome came = copy_generic(s, in, lane, address, to, bytes, false);
    if (came == COPIED) tell_generic(s, in, lane, address, bytes, false);
    return came != FAULTED;
}

bool hw_access_write(hw_state *s, const hw_inst *in, int lane, uint64_t address, const void *from, uint32_t bytes) {
    const outcome came = copy_generic(s, in, lane, address, (void *)(uintptr_t)from, bytes, true);
    if (came == COPIED) tell_generic(s, in, lane, address, bytes, true);
    return came != FAULTED;
}

bool hw_access_find_row(hw_state *s, const hw_inst *in, int lane, hw_space space, uint64_t offset, uint32_t bytes,
                        bool is_write, char **at) {
    // Its instruction does both, here the one and there the other.
    const hw_note_kind access = is_write ? HW_NOTE_STORE : HW_NOTE_LOAD;
    hw_fault_kind kind = find_fault(s, access, space, offset, bytes, in->width);
    if (bytes & (in->width - 1u)) kind = HW_FAULT_MISALIGNED;
    *at = kind ? NULL : host_byte(s->run->apart, s, (uint8_t)space, offset);
    return !kind || hw_access_stray(s, in, kind, lane, space, offset, bytes, is_write);
}

bool hw_access_read_string(hw_state *s, const hw_inst *in, int lane, uint64_t address, char *to, size_t size) {
    outcome came = COPIED;
    size_t n = 0;
    while (n + 1 < size && (came = copy_generic(s, in, lane, address + n, &to[n], 1, false)) == COPIED)
        if (!to[n++]) break;
    to[n] = 0;
    if (n) tell_generic(s, in, lane, address, (uint32_t)n, false);
    return came != FAULTED;
}

// ---- one warp ----

typedef struct lanes_at {
    uint64_t offset[32];
    uint8_t space[32];
    bool one_space;
    hw_space first_space;
    uint32_t stray;               // lanes whose access cannot be made, and has been told
} lanes_at;

// Tells of the lanes that stray; false after a fault.
static bool find_stray(hw_state *s, const hw_inst *in, bool is_write, lanes_at *at) {
    hw_warp *w = &s->warp;
    const uint32_t bytes = (uint32_t)in->width * in->vector;
    const hw_note_kind access = kind_of(s, in);
    const bool is_access = access != HW_NOTE_PLAIN;
    hw_stray stray = {.is_write = is_write, .bytes = bytes};
    HW_EACH_ACTIVE_LANE(
        const hw_space space = (hw_space)at->space[i];
        const hw_fault_kind kind = find_fault(s, access, space, at->offset[i], bytes, bytes);
        if (kind && !is_access) hw_fault_access(s, in, kind, i, space, at->offset[i], bytes, is_write);
        if (kind && (!is_access || !hw_stray_may_pass(s, in, kind, i, space, at->offset[i], &stray))) return false);
    at->stray = stray.mask;
    if (stray.mask) hw_stray_tell_lanes(s, in, &stray);
    return true;
}

// Makes the access of the active lanes, which is as it should be, one of the pattern's, and tells of it.
static void count_lanes(hw_state *s, const hw_inst *in, const uint64_t addresses[32], const lanes_at *at) {
    const hw_warp *w = &s->warp;
    const int first = __builtin_ctz(w->mask);
    hw_pattern *p = &s->worker->patterns[in->pattern];
    uint32_t differ = p->mask ^ w->mask;
    HW_EACH_ACTIVE_LANE(differ |= p->delta[i] != (int64_t)(addresses[i] - addresses[first]));
    if (differ) hw_access_learn(s, in, p, addresses);
    if (!at->one_space) {
        tell_mixture(s, in, p->mask, at->space, at->offset);
    } else {
        set_space(s, p, at->first_space);
        if (s->worker->ordered) tell_each(s, p, at->offset[first]);
        hw_access_count(p, at->offset[first]);
    }
}

// Addresses of all active lanes, checked; false after a fault.
static bool find_lanes(hw_state *s, const hw_inst *in, bool is_write, lanes_at *at) {
    hw_warp *w = &s->warp;
    uint64_t addresses[32];
    if (in->a == HW_NO_SLOT) {
        for (int i = 0; i < 32; i++) addresses[i] = (uint64_t)in->imm;
    } else if (in->flags & HW_INST_ADDRESS_32) {
        const uint32_t *a = hw_at(w, in->a);
        for (int i = 0; i < 32; i++) addresses[i] = (uint32_t)(a[i] + (uint32_t)in->imm);
    } else {
        const uint64_t *a = hw_at(w, in->a);
        for (int i = 0; i < 32; i++) addresses[i] = a[i] + (uint64_t)in->imm;
    }
    int first = __builtin_ctz(w->mask);
    at->one_space = true;
    HW_EACH_ACTIVE_LANE(at->space[i] = (uint8_t)resolve_address(in, addresses[i], &at->offset[i]);
                        at->one_space &= at->space[i] == at->space[first]);
    at->first_space = (hw_space)at->space[first];
    if (!find_stray(s, in, is_write, at)) return false;
    if (in->space == HW_SPACE_PARAM) return true;    // parameter memory has no patterns, and nobody counts its accesses
    const uint32_t all = w->mask;
    if (!at->stray) {
        count_lanes(s, in, addresses, at);
    } else if (all & ~at->stray) {
        hw_set_mask(w, all & ~at->stray);
        count_lanes(s, in, addresses, at);
        hw_set_mask(w, all);
    }
    return true;
}

const hw_inst *hw_access_general(hw_state *s, const hw_inst *in, bool is_write) {
    hw_warp *w = &s->warp;
    lanes_at at;
    if (!find_lanes(s, in, is_write, &at)) return NULL;
    const hw_slot *registers = in->vector > 1 ? w->slots + in->list : is_write ? &in->b : &in->d;
    const hw_mem_apart apart = *s->run->apart;
    const uint32_t bytes = (uint32_t)in->width * in->vector;
    HW_EACH_ACTIVE_LANE(
        const bool strays = at.stray >> i & 1;
        hw_whole_vector vector = {{0}};    // what a lane that strays loads
        if (is_write) hw_take_elements(w, in, registers, i, &vector);
        if (!strays && at.space[i] == HW_SPACE_LOCAL)
            copy_local(s, i, at.offset[i], vector.bytes, bytes, is_write);
        else if (!strays)
            hw_move_whole(host_byte(&apart, s, at.space[i], at.offset[i]), &vector, bytes, is_write);
        if (!is_write) hw_give_elements(w, in, registers, i, &vector));
    return in + 1;
}

bool hw_access_pointers(hw_state *s, const hw_inst *in, bool is_write, void *pointers[32]) {
    lanes_at at;
    if (!find_lanes(s, in, is_write, &at)) return false;
    hw_warp *w = &s->warp;
    HW_EACH_ACTIVE_LANE(if (at.space[i] == HW_SPACE_LOCAL && !(at.stray >> i & 1)) {
        hw_fault_access(s, in, HW_FAULT_ADDRESS, i, HW_SPACE_LOCAL, at.offset[i], in->width, is_write);
        return false;
    });
    const hw_mem_apart apart = *s->run->apart;
    HW_EACH_ACTIVE_LANE(pointers[i] = host_byte(&apart, s, at.space[i], at.offset[i]));
    if (at.stray) memset(s->worker->nowhere, 0, sizeof s->worker->nowhere);
    for (uint32_t left = at.stray; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        pointers[i] = s->worker->nowhere[i];
    }
    return true;
}
