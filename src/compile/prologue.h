// What generated text begins with, behind the functions of values (exec/ops/value_*.h): how segments reach registers.
// Text for the compiler of kernels, not included by anything; LEVEL and offsets are defined before it.
#ifndef HW_COMPILE_PROLOGUE_H
#define HW_COMPILE_PROLOGUE_H

typedef struct at {
    char *const *at;
    long long apart;
} at;

#define ALIGNED _Alignas(64)
#define TRUE 1
#define LANE (16 * h + i)
#define BASE(k) (((char *const *)w)[k])
#define REGISTER(base, slot) (b##base + (slot))
#define MASK (*(const u32 *)(w + MASK_OFFSET))
#define ON ((const int *)(w + LANES_OFFSET))
#define AS(to, x)                                                                                                      \
    ({                                                                                                                 \
        __typeof__(x) x_ = (x);                                                                                        \
        to y_;                                                                                                         \
        __builtin_memcpy(&y_, &x_, sizeof y_);                                                                         \
        y_;                                                                                                            \
    })

// A half of a warp's lanes, which do not depend on each other. Compilers must not unroll it before they make vectors.
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (int i = 0; i < 16; i++)
#else
#define LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (int i = 0; i < 16; i++)
#endif

// Halves that have lanes on: of packed lanes, and behind some turns of a loop, often one.
#define HALVES_ON for (u32 h = 0; h < 2; h++) if (m >> 16 * h & 0xffff)

// Into a register: of all lanes, or of those that are on.
#define PUT_ALL(to, x) (to) = (x)
#define PUT_SOME(to, x) (to) = ON[LANE] ? (x) : (to)
#define PUT_PREDICATE_ALL(to, x) (to) = (x)
#define PUT_PREDICATE_SOME(to, x) (to) = ((to) & ~MASK) | ((x) & MASK)

// From memory, and into it. Late: what lanes have kept until all have loaded, `size` elements of each.
#define LOADED_ALL(x) (x)
#define LOADED_SOME(x) (ON[LANE] ? (x) : 0)
#define STORE_ALL(to, x) (to) = (x)
#define STORE_SOME(to, x)                                                                                              \
    if (ON[LANE]) (to) = (x)
#define STORE_LATE_ALL(to, late, size) __builtin_memcpy(to, late, sizeof late)
#define STORE_LATE_SOME(to, late, size)                                                                                \
    do {                                                                                                               \
        __typeof__(&late[0]) to_ = (void *)(to);                                                                       \
        for (int i = 0; i < 16 * size; i++)                                                                            \
            if (ON[16 * h + i / size]) to_[i] = late[i];                                                               \
    } while (0)

// ---- regions ----

// As exec/region.h has them.
typedef struct count {
    u64 warps, lanes, divergent;
} count;
typedef struct open {
    u32 reconverge, lanes, others, others_at;
} open;
struct region_pack;
typedef struct run {
    count *counts;
    u64 *guarded_off, *issued;
    int *fuel;
    const char *steps;
    const char *patterns;
    struct lone_list *lone;
    void (*tell)(void *worker);
    void *worker;
    const char *shared, *local;
    int is_quick;
    u32 ends;
    struct region_pack *pack;
    u32 at, depth;
    open open[REGION_DEPTH];
} run;

// As event/event.h and exec/warp/warp.h have them: an access that does not repeat, and those that are to be told.
typedef struct lone {
    u32 note, mask;
    u8 kind, space, width, lanes;
    u32 ends;
    u64 serial;
    ALIGNED u32 place[32];
} lone;
typedef struct lone_list {
    u32 n;
    lone list[LONE_KEPT];
} lone_list;

typedef struct region_pack {
    u32 n;
    u32 lanes[CONVOY_MAX], first[CONVOY_MAX];
    void *members[CONVOY_MAX];
    u32 ends[CONVOY_MAX], issued[CONVOY_MAX], in, fresh;
    const void *region;
    lone_list *lone;
    lone last;
    u32 room[32];
    u8 is_told_as_one;
    ALIGNED u32 member[32];
    ALIGNED u32 order[CONVOY_MAX][32];
} region_pack;

// Of a pattern (exec/memory/pattern.h): the memory that an instruction's lanes lay in.
typedef struct room {
    u64 begin, size, origin, shift;
} room;

#define PREDICATE(base, slot) (*(const u32 *)(BASE(base) + (slot)))

static inline void set_mask(char *w, u32 m) {
    *(u32 *)(w + MASK_OFFSET) = m;
    int *on = (int *)(w + LANES_OFFSET);
    for (int i = 0; i < 32; i++) on[i] = -(int)(m >> i & 1);
}

// Of each warp that has lanes in m one bit: adding ones to the lanes before its last one carries where one is on.
static inline u32 warps_in(u32 ends, u32 m) { return (((m & ~ends) + ~ends) | m) & ends; }

// Warps that have lanes on, a bit of each, issue n instructions, and others did before.
static __attribute__((noinline)) void part_pack(region_pack *p, u32 in, u32 n) {
    for (int k = 0; k < CONVOY_MAX; k++) p->issued[k] += p->fresh & -(p->in >> p->ends[k] & 1);
    p->in = in;
    p->fresh = n;
}

// The lanes of m have come to the end of a basic block of n instructions; those of `taken` part from the others. ends:
// of packed lanes the last of each warp, else 0.
static inline void ended(region_pack *pack, count *block, u64 *issued, u32 ends, u32 m, u32 n, u32 taken) {
    const u32 in = ends ? warps_in(ends, m) : 0, warps = ends ? (u32)__builtin_popcount(in) : 1;
    block->warps += warps;
    block->lanes += (u32)__builtin_popcount(m);
    if (!ends) block->divergent += taken && taken != m;
    else if (taken) block->divergent += (u32)__builtin_popcount(warps_in(ends, taken) & warps_in(ends, m & ~taken));
    if (!ends) *issued += n;
    else if (in == pack->in) pack->fresh += n;
    else part_pack(pack, in, n);
}

// A body executes step k. 0: it has found a fault.
static inline int step(char *w, const run *r, u32 k) {
    const char *in = r->steps + k * (2 * INST_BYTES);
    return (*(const void *(*const *)(char *, const void *))in)(w, in) != 0;
}

// ---- accesses that regions make themselves ----

#if defined(__AVX2__)

// The lanes' words, as many at a time as a register has. EACH_PART is no loop, k being a constant: of arrays that loops
// go through GCC keeps some in memory.
#define WITH(number, ...) { enum { k = number }; __VA_ARGS__ }
#if defined(__AVX512F__)
enum { PARTS = 2, PART_LANES = 16 };
#define EACH_PART(...) WITH(0, __VA_ARGS__) WITH(1, __VA_ARGS__)
#define EACH_OF_PART 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define EVEN_OF_TWO 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_OF_TWO 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#else
enum { PARTS = 4, PART_LANES = 8 };
#define EACH_PART(...) WITH(0, __VA_ARGS__) WITH(1, __VA_ARGS__) WITH(2, __VA_ARGS__) WITH(3, __VA_ARGS__)
#define EACH_OF_PART 0, 1, 2, 3, 4, 5, 6, 7
#define EVEN_OF_TWO 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_OF_TWO 1, 3, 5, 7, 9, 11, 13, 15
#endif
typedef u32 part __attribute__((vector_size(4 * PART_LANES)));
typedef u64 wide_part __attribute__((vector_size(4 * PART_LANES)));
typedef int int_part __attribute__((vector_size(4 * PART_LANES)));
typedef long long wide_int_part __attribute__((vector_size(4 * PART_LANES)));

// Of all lanes. By value: what a function is given the address of stays in memory.
typedef struct parts {
    part of[PARTS];
} parts;

// The greater of each two.
static inline part most_of(part x, part y) {
#if defined(__clang__)
    return __builtin_elementwise_max(x, y);
#elif defined(__AVX512F__)
    return (part)__builtin_ia32_pmaxud512_mask((int_part)x, (int_part)y, (int_part)x, (u16)-1);
#else
    return (part)__builtin_ia32_pmaxud256((int_part)x, (int_part)y);
#endif
}

// Is the sign of any lane set?
static inline int has_sign(part x) {
#if defined(__AVX512F__)
    return __builtin_ia32_cvtd2mask512((int_part)x) != 0;
#else
    typedef float float_part __attribute__((vector_size(4 * PART_LANES)));
    return __builtin_ia32_movmskps256((float_part)x) != 0;
#endif
}

static inline const char *step_inst(const run *r, u32 k) { return r->steps + k * (2 * INST_BYTES); }
static inline const char *pattern_of(const run *r, const char *in) {
    return r->patterns + (u64)*(const u32 *)(in + INST_PATTERN) * PATTERN_BYTES;
}
static inline const room *room_of(const char *pattern) { return (const room *)(pattern + PATTERN_ROOM); }

static inline lone *next_lone(lone_list *l, const char *in, const char *pattern, u32 m, u32 log_width) {
    lone *a = &l->list[l->n++];
    a->note = *(const u32 *)(in + INST_NOTE);
    a->mask = m;
    a->ends = 0;
    a->space = *(const u8 *)(pattern + PATTERN_ROOM_SPACE);
    a->width = (u8)(1u << log_width);
    a->lanes = (u8)__builtin_popcount(m);
    return a;
}

// A member's places, at its lanes' own numbers.
static inline void unpack(const region_pack *p, u32 member, u32 *places) {
    const u32 *from = p->last.place + p->first[member];
    const u32 lanes = p->lanes[member];
    typedef int any_part __attribute__((vector_size(4 * PART_LANES), aligned(4)));
#if defined(__AVX512F__)
    const u32 *behind = from + __builtin_popcount(lanes & 0xffff);
    const int_part low = *(const any_part *)from, high = *(const any_part *)behind;
    *(int_part *)places = __builtin_ia32_expandsi512_mask(low, (int_part){}, (u16)lanes);
    *(int_part *)(places + 16) = __builtin_ia32_expandsi512_mask(high, (int_part){}, (u16)(lanes >> 16));
#else
    EACH_PART(
        const int_part order = ((const int_part *)p->order[member])[k];
        const u32 before = lanes & ((1u << PART_LANES * k) - 1);
        const int_part own = *(const any_part *)(from + __builtin_popcount(before));
        ((int_part *)places)[k] = __builtin_ia32_permvarsi256(own, order);)
#endif
}

// For all of them as one, if their places have room for the member's number.
static inline int count_as_one(const run *r, const char *in, const char *pattern, u32 m, u32 log_width, parts places) {
    const region_pack *p = r->pack;
    const u64 size = room_of(pattern)->size;
    if (!p->is_told_as_one | (*(const u8 *)(pattern + PATTERN_ROOM_SPACE) != SPACE_GLOBAL)) return 0;
    if ((size + 128) >> (PACK_SHIFT + log_width)) return 0;
    if (p->lone->n == LONE_KEPT) r->tell(r->worker);
    lone *a = next_lone(p->lone, in, pattern, m, log_width);
    a->ends = r->ends;
    EACH_PART(((part *)a->place)[k] = places.of[k] | ((const part *)p->member)[k];)
    return 1;
}

// For each warp that has lanes on, at its own lanes' numbers.
static __attribute__((noinline)) const lone *count_packed(const run *r, const char *in, const char *pattern, u32 m,
                                                          u32 log_width, parts places) {
    region_pack *p = r->pack;
    EACH_PART(((part *)p->last.place)[k] = places.of[k];)
    if (count_as_one(r, in, pattern, m, log_width, places)) return &p->last;
    for (u32 k = 0; k < p->n; k++) {
        const u32 on = (u32)__builtin_ia32_pdep_si(m >> p->first[k], p->lanes[k]);
        if (!on) continue;
        if (p->lone->n == LONE_KEPT) r->tell(r->worker);
        unpack(p, k, next_lone(p->lone, in, pattern, on, log_width)->place);
    }
    return &p->last;
}

// Tells of the access, as room_lanes.c does. The list of packed lanes is always full.
static inline const lone *count_lone(const run *r, const char *in, const char *pattern, u32 m, u32 log_width,
                                     parts places) {
    lone_list *l = r->lone;
    if (!l) return 0;
    if (__builtin_expect(l->n == LONE_KEPT, 0)) {
        if (r->pack) return count_packed(r, in, pattern, m, log_width, places);
        r->tell(r->worker);
    }
    lone *a = next_lone(l, in, pattern, m, log_width);
    EACH_PART(((part *)a->place)[k] = places.of[k];)
    return a;
}

// The host's address of offset 0 of the pattern's space; 0: not for this code. is_local: only local memory is.
static inline u64 space_begin(const run *r, const char *pattern, int is_local, u64 *begin) {
    const room *o = room_of(pattern);
    const u8 space = *(const u8 *)(pattern + PATTERN_ROOM_SPACE);
    *begin = o->begin;
    if (is_local) return space == SPACE_LOCAL ? (u64)r->local : 0;
    if (space == SPACE_LOCAL) return 0;
    return space == SPACE_SHARED ? (u64)r->shared - o->origin : o->shift;
}

// Do all lanes lie in the room, by sum + (index << log_scale), aligned? Then *host is the first element that may be
// meant, and the places are in units of the lesser of scale and width from there on, of local memory in words of its
// rows; and the access has been counted.
static inline int find_scaled(char *w, const run *r, u32 step, u32 m, const u32 *index, u64 sum, u32 log_scale,
                              u32 log_width, int is_signed, int is_local, u32 *places, const char **host,
                              const lone **told) {
    const char *in = step_inst(r, step), *pattern = pattern_of(r, in);
    const room *o = room_of(pattern);
    if (!(r->is_quick & (*(const u8 *)(pattern + PATTERN_APART) != 0)) || o->size >> (30 + log_width)) return 0;
    u64 begin;
    const u64 memory = space_begin(r, pattern, is_local, &begin);
    const s64 behind = (s64)(sum - begin), last = (s64)(o->size - 1 - (u64)behind);
    const s64 least = is_signed ? -(1ll << 31) : 0, most = is_signed ? (1ll << 31) - 1 : (1ll << 32) - 1;
    s64 low = -(behind >> log_scale), high = last >> log_scale;
    low = low < least ? least : low;
    high = high > most ? most : high;
    const u64 count = (u64)high - (u64)low;
    const u32 more = log_scale > log_width ? log_scale - log_width : 0;
    if (log_width < 2 && o->size >> 31) return 0;    // their places become bytes
    if (!memory | (high < low) | (count >> (31 - more) != 0)) return 0;
    if (sum & ((1u << (log_scale < log_width ? log_scale : log_width)) - 1)) return 0;
    const part *on = (const part *)(w + LANES_OFFSET), *x = (const part *)index;
    parts a, near, told_at;    // near: of lanes that are off 0
    part most_near = {}, off = {};
    EACH_PART(
        a.of[k] = x[k] - (u32)low;
        near.of[k] = a.of[k] & on[k];
        most_near = most_of(most_near, near.of[k]);
        if (log_scale < log_width)
            for (u32 bit = 0; bit < log_width - log_scale; bit++)
                off |= ((x[k] + (u32)(sum >> log_scale)) << (31 - bit)) & on[k];)
    off |= (part)(most_near > (part){} + (u32)count);
    if (__builtin_expect(has_sign(off), 0)) return 0;
    const u64 at = sum + ((u64)low << log_scale), from = at - (begin & ~127ull);
    const u32 first = (u32)(from >> (log_scale < log_width ? 0 : log_width));
    EACH_PART(told_at.of[k] = log_scale < log_width ? (first + (a.of[k] << log_scale)) >> log_width
                                                    : first + (a.of[k] << more);)
    *told = count_lone(r, in, pattern, m, log_width, told_at);
    EACH_PART(
        const part lanes = (part){EACH_OF_PART} + (u32)(PART_LANES * k);
        ((part *)places)[k] = is_local ? (near.of[k] << (5 + more)) + lanes : near.of[k] << more;)
    *host = (const char *)(is_local ? memory + (at - o->origin) * 32 : memory + at);
    return 1;
}

// The same by addresses of 64 bits; places are bytes.
static inline int find_wide(char *w, const run *r, u32 step, u32 m, const u64 *address, u64 more, u32 log_width,
                            int is_local, u32 *places, const char **host, const lone **told) {
    const char *in = step_inst(r, step), *pattern = pattern_of(r, in);
    const room *o = room_of(pattern);
    if (!(r->is_quick & (*(const u8 *)(pattern + PATTERN_APART) != 0)) || o->size >> 31 || !o->size) return 0;
    u64 begin;
    const u64 memory = space_begin(r, pattern, is_local, &begin);
    if (!memory) return 0;
    const wide_part *x = (const wide_part *)address;
    const part *on = (const part *)(w + LANES_OFFSET);
    parts a, told_at;
    part off = {};
    EACH_PART(
        const part first = (part)(x[2 * k] + (more - begin)), second = (part)(x[2 * k + 1] + (more - begin));
        const part far = __builtin_shufflevector(first, second, ODD_OF_TWO);
        a.of[k] = __builtin_shufflevector(first, second, EVEN_OF_TWO);
        off |= ((part)(far != (part){}) | (part)(a.of[k] > (part){} + (u32)(o->size - 1))) & on[k];
        for (u32 bit = 0; bit < log_width; bit++) off |= (a.of[k] << (31 - bit)) & on[k];)
    if (__builtin_expect(has_sign(off), 0)) return 0;
    EACH_PART(told_at.of[k] = (a.of[k] + (u32)(begin & 127)) >> log_width;)
    *told = count_lone(r, in, pattern, m, log_width, told_at);
    EACH_PART(
        const part lanes = (part){EACH_OF_PART} + (u32)(PART_LANES * k), near = a.of[k] & on[k];
        ((part *)places)[k] = is_local ? ((near >> 2) << 5) + lanes : near;)
    *host = (const char *)(memory + (is_local ? 0 : begin));
    return 1;
}

// The access of a step by the addresses of the one before it, whose places and record these are.
static inline int find_again(const run *r, u32 before, u32 step, u32 m, u32 log_width, const lone *told_before,
                             const u32 *from, u32 *places, const lone **told) {
    const char *in = step_inst(r, step), *pattern = pattern_of(r, in), *last = pattern_of(r, step_inst(r, before));
    const room *a = room_of(last), *b = room_of(pattern);
    if (!*(const u8 *)(pattern + PATTERN_APART) | (a->begin != b->begin) | (a->size != b->size)) return 0;
    if (*(const u8 *)(pattern + PATTERN_ROOM_SPACE) != *(const u8 *)(last + PATTERN_ROOM_SPACE)) return 0;
    EACH_PART(((part *)places)[k] = ((const part *)from)[k];)
    if (told_before) {
        parts told_at;
        EACH_PART(told_at.of[k] = ((const part *)told_before->place)[k];)
        *told = count_lone(r, in, pattern, m, log_width, told_at);
    }
    return 1;
}

// The memory that accesses may lie in, of a loop whose lanes go through it one after the other: so many addresses from
// begin on, which is at `host`. pattern: of the access that the room was found for, by which all that lie in it are
// told.
typedef struct lane_room {
    u64 begin, size;
    char *host;
    const char *pattern;
} lane_room;

// Why a loop's lanes have not gone through it so: something is not known yet, or may not be; or one of them has left
// its room, or is not aligned.
enum { NOT_NOW = -1, LANES_PARTED = -2 };

// After such an attempt a loop's lanes go side by side for so many turns, the more the more have failed: an attempt may
// take as long as the 16 turns that it is to make.
typedef struct lane_wait {
    u32 turns, failed;
} lane_wait;
enum { LANE_WAIT_TURNS = 64, LANE_WAIT_MOST = 10 };

static inline int is_waiting(lane_wait *wait) { return wait->turns && wait->turns--; }

static inline void note_attempt(lane_wait *wait, s64 lanes) {
    if (lanes >= 0) {
        wait->failed -= wait->failed != 0;
    } else if (lanes == LANES_PARTED) {
        wait->turns = LANE_WAIT_TURNS << wait->failed;
        wait->failed += wait->failed < LANE_WAIT_MOST;
    }
}

// 0: they are looked at otherwise.
static inline int find_lane_room(const run *r, u32 step, lane_room *q) {
    const char *pattern = pattern_of(r, step_inst(r, step));
    const room *o = room_of(pattern);
    if (!(r->is_quick & (*(const u8 *)(pattern + PATTERN_APART) != 0)) | (o->size - 1 >> 31 != 0)) return 0;
    const u64 memory = space_begin(r, pattern, 0, &q->begin);
    q->size = o->size;
    q->host = (char *)(memory + q->begin);
    q->pattern = pattern;
    return memory != 0;
}

// An element may go on behind the last address. What programs can map twice has the host's own addresses, and no room.
static inline int rooms_meet(const lane_room *x, const lane_room *y) {
    return x->host < y->host + y->size + 8 && y->host < x->host + x->size + 8;
}

// Tells of an access that lies `behind` the room's begin.
static inline void count_behind(const run *r, u32 step, u32 m, u32 log_width, const lane_room *q, const u32 *behind) {
    const char *in = step_inst(r, step);
    parts told_at;
    EACH_PART(told_at.of[k] = (((const part *)behind)[k] + (u32)(q->begin & 127)) >> log_width;)
    count_lone(r, in, q->pattern, m, log_width, told_at);
}

// What lanes that are on, m, have stored `behind` the room's begin.
#define STORE_BEHIND(T, q, behind, value)                                                                              \
    for (u32 on = m; on; on &= on - 1) *(T *)((q)->host + (behind)[__builtin_ctz(on)]) = (T)(value)

// The elements at `from`, of lanes that are on; unit: the logarithm of a place's bytes.
#if defined(__AVX512F__)
typedef int half_part __attribute__((vector_size(32)));
#define LOAD_APART_u32(from, places, unit, to)                                                                         \
    EACH_PART(((int_part *)(to))[k] = __builtin_ia32_gathersiv16si(                                                    \
                  (int_part){}, from, ((const int_part *)(places))[k], (u16)(m >> PART_LANES * k), 1 << (unit));)
#define LOAD_APART_u64(from, places, unit, to)                                                                         \
    for (int k = 0; k < 2 * PARTS; k++)                                                                                \
    ((wide_int_part *)(to))[k] = __builtin_ia32_gathersiv8di(                                                          \
        (wide_int_part){}, from, ((const half_part *)(places))[k], (u8)(m >> PART_LANES / 2 * k), 1 << (unit))
#else
// One by one where few lanes are on. Of more all are loaded, since those that are off have places in the room too:
// without branches, and from registers into vectors, for which readers would have to wait if they came from memory.
#define FEW_LANES 8
#define LOAD_AT(T, from, places, unit, i) (*(const T *)((const char *)(from) + ((s64)(places)[i] << (unit))))
#define LOAD_4(T, from, places, unit, i)                                                                               \
    LOAD_AT(T, from, places, unit, i), LOAD_AT(T, from, places, unit, (i) + 1),                                        \
        LOAD_AT(T, from, places, unit, (i) + 2), LOAD_AT(T, from, places, unit, (i) + 3)
// Functions of their own: text that is executed once a turn is to fit into the processor's cache of instructions.
// usual: the unit that most have, in a loop of its own: a shift that the compiler knows is part of a load's address.
#define LOAD_APART(function, T, usual, LOAD_PART)                                                                      \
    static __attribute__((noinline)) void function(const char *from, const int *places, u32 unit, u32 m, T *to) {      \
        if (__builtin_popcount(m) <= FEW_LANES) {                                                                      \
            for (u32 left = m; left; left &= left - 1) {                                                               \
                const int i = __builtin_ctz(left);                                                                     \
                to[i] = LOAD_AT(T, from, places, unit, i);                                                             \
            }                                                                                                          \
        } else if (unit == usual) {                                                                                    \
            EACH_PART(LOAD_PART(usual))                                                                                \
        } else {                                                                                                       \
            EACH_PART(LOAD_PART(unit))                                                                                 \
        }                                                                                                              \
    }
#define LOAD_PART_u32(unit)                                                                                            \
    ((part *)to)[k] = ((part){LOAD_4(u32, from, places, unit, PART_LANES * k),                                         \
                              LOAD_4(u32, from, places, unit, PART_LANES * k + 4)});
#define LOAD_PART_u64(unit)                                                                                            \
    ((wide_part *)to)[2 * k] = ((wide_part){LOAD_4(u64, from, places, unit, PART_LANES * k)});                         \
    ((wide_part *)to)[2 * k + 1] = ((wide_part){LOAD_4(u64, from, places, unit, PART_LANES * k + 4)});
LOAD_APART(load_apart_u32, u32, 2, LOAD_PART_u32)
LOAD_APART(load_apart_u64, u64, 3, LOAD_PART_u64)
#define LOAD_APART_u32(from, places, unit, to) load_apart_u32(from, (const int *)(places), unit, m, to)
#define LOAD_APART_u64(from, places, unit, to) load_apart_u64(from, (const int *)(places), unit, m, to)
#endif

// Elements of 1 or 2 bytes out of the aligned words that they lie in, which memory has as a whole.
static inline void load_narrow(const char *from, const u32 *places, u32 unit, u32 m, u32 *to) {
    const u32 skipped = (u32)(u64)from & 3;
    part word[PARTS], loaded[PARTS], bit[PARTS];
    EACH_PART(
        const part byte = (((const part *)places)[k] << unit) + skipped;
        word[k] = byte >> 2;
        bit[k] = (byte & 3) * 8;)
    LOAD_APART_u32(from - skipped, (const u32 *)word, 2, (u32 *)loaded);
    EACH_PART(((part *)to)[k] = loaded[k] >> bit[k];)
}

// In the order of lanes, so that the last one wins.
#define STORE_APART(T, to, places, unit, values)                                                                      \
    do {                                                                                                               \
        if (m == 0xffffffff) {                                                                                         \
            _Pragma("GCC unroll 8") for (int i = 0; i < 32; i++)                                                       \
                *(T *)((char *)(to) + ((s64)(int)(places)[i] << (unit))) = (T)(values)[i];                            \
        } else {                                                                                                       \
            for (u32 left = m; left; left &= left - 1) {                                                               \
                const int i = __builtin_ctz(left);                                                                     \
                *(T *)((char *)(to) + ((s64)(int)(places)[i] << (unit))) = (T)(values)[i];                            \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
#endif

static inline u64 hidden(u64 x) {
    __asm__("" : "+r"(x));
    return x;
}

// One bit for each of 16 lanes of 0 or -1.
static inline u32 packed(const int *lanes) {
#if defined(__AVX512DQ__)
    typedef int v16 __attribute__((vector_size(64)));
    return (u16)__builtin_ia32_cvtd2mask512(*(const v16 *)lanes);
#elif defined(__AVX2__)
    typedef float v8 __attribute__((vector_size(32)));
    return (u32)__builtin_ia32_movmskps256(*(const v8 *)lanes) |
           (u32)__builtin_ia32_movmskps256(*(const v8 *)(lanes + 8)) << 8;
#elif defined(__SSE2__)
    typedef float v4 __attribute__((vector_size(16)));
    u32 bits = 0;
    for (int k = 0; k < 4; k++) bits |= (u32)__builtin_ia32_movmskps(*(const v4 *)(lanes + 4 * k)) << 4 * k;
    return bits;
#else
    u32 bits = 0;
    for (int i = 0; i < 16; i++) bits |= (u32)(lanes[i] & 1) << i;
    return bits;
#endif
}

#endif
