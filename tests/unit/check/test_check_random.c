// Random programs of accesses and what orders them, judged by check and by a plain model: of each thread a vector
// clock, of each byte every access, compared with all before it.
//
// check keeps of each byte the last write and all reads since that nothing orders. So a race has to be found where it
// is with one of these; and what is found has to be a race in any case.
// Left out by rule: words that are both messages and data, fences narrower than the GPU, a release by an old fence, and
// barriers of some warps that are not always the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/checked_launch.h"

enum {
    BLOCKS = 2, THREADS = 72, WARPS = 3, T = BLOCKS * THREADS,
    OBJECTS = 3, OBJECT_BYTES = 256,      // two in global memory, the last one in each block's shared memory
    PLACES = OBJECTS + BLOCKS - 1,        // with shared memory of each block
    FLAGS = 2, MOST_OPS = 60, LINES = 2 * MOST_OPS,    // an op may be two warps'
    MOST_ACCESSES = 1024
};
static const uint64_t GLOBAL = 1 << 20, FLAG = 1 << 24;

typedef struct access {
    int thread, op, launch;
    bool is_write;
} access;

typedef struct history {
    access list[MOST_ACCESSES];
    int n;
} history;

// known[t][u]: t comes after what u did before this op.
typedef struct model {
    int known[T][T], seen[T][T], flags[FLAGS][T], arrived[BLOCKS][T];
    bool is_fenced[T], has_arrived[BLOCKS];
    history bytes[PLACES][OBJECT_BYTES];
    bool may[PLACES], must[PLACES];
    bool is_after;                        // the second launch comes after the first
    int op, launch;
} model;

// Where accesses stay, by kernels that say so: each object, the flags, and what is not said (shared memory).
enum { UNKNOWN, FIRST_OBJECT, OF_FLAGS = FIRST_OBJECT + OBJECTS - 1, SETS };

typedef struct program {
    checked c;
    model m;
    uint64_t state;
    bool is_only_read[OBJECTS];           // by the running launch, which says so
    bool has_bytes;                       // such objects are read in bytes too
    hw_homes homes;
} program;

static uint32_t draw(program *p, uint32_t below) {
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((p->state >> 33) % below);
}

static uint32_t lanes_of(uint32_t warp) { return warp + 1 < WARPS ? 0xffffffffu : (1u << (THREADS - 32 * warp)) - 1; }
static int thread_of(uint32_t block, uint32_t warp, int lane) {
    return (int)(block * THREADS + warp * 32) + lane;
}

// Random lanes of a warp: all, one, some.
static uint32_t draw_lanes(program *p, uint32_t warp) {
    const uint32_t all = lanes_of(warp), one = 1u << draw(p, warp + 1 < WARPS ? 32 : THREADS % 32);
    switch (draw(p, 4)) {
    case 0: return one;
    case 1: return (draw(p, 1u << 31) << 1 | draw(p, 2) | one) & all;
    default: return all;
    }
}

// ---- the model -----------------------------------------------------------------------------------------------------

static void learn(int *to, const int *from) {
    for (int u = 0; u < T; u++) to[u] = to[u] > from[u] ? to[u] : from[u];
}

static void take_seen(model *m, int t) {
    learn(m->known[t], m->seen[t]);
    memset(m->seen[t], 0, sizeof m->seen[t]);
}

// What these lanes have done and know, all of it.
static void gather(model *m, int *all, uint32_t block, uint32_t warp, uint32_t mask) {
    for (uint32_t left = mask; left; left &= left - 1) {
        const int t = thread_of(block, warp, __builtin_ctz(left));
        learn(all, m->known[t]);
        all[t] = m->op;
    }
}
static void spread(model *m, const int *all, uint32_t block, uint32_t warp, uint32_t mask) {
    for (uint32_t left = mask; left; left &= left - 1)
        learn(m->known[thread_of(block, warp, __builtin_ctz(left))], all);
}

static bool comes_after(const model *m, const access *a, int thread) {
    if (a->launch != m->launch) return m->is_after;
    return a->thread == thread || a->op < m->known[thread][a->thread];
}

static void judge(model *m, int place, const history *h, const access *now) {
    int last = h->n;
    while (last > 0 && !h->list[last - 1].is_write) last--;
    for (int i = 0; i < h->n; i++) {
        const access *a = &h->list[i];
        const bool is_same = a->op == now->op && a->launch == now->launch;
        if (is_same || !(a->is_write || now->is_write) || comes_after(m, a, now->thread)) continue;
        m->may[place] = true;
        if (i + 1 >= last) m->must[place] = true;
    }
}

static void access_bytes(model *m, int place, int64_t from, uint32_t width, const access *now) {
    for (int64_t at = from; at < from + width; at++) {
        history *h = &m->bytes[place][at];
        judge(m, place, h, now);
        assert_true(h->n < MOST_ACCESSES);
        h->list[h->n++] = *now;
    }
}

// ---- operations, told to both --------------------------------------------------------------------------------------

// Lanes side by side, in reverse, in steps of two, all at one place.
static void draw_offsets(program *p, uint32_t width, uint32_t mask, int64_t *offset) {
    const uint32_t shape = draw(p, 4), slots = OBJECT_BYTES / width, start = draw(p, 2) ? 0 : draw(p, slots);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t slot = shape == 0 ? lane : shape == 1 ? 31 - lane : shape == 2 ? 2 * lane : 0;
        offset[lane] = mask >> lane & 1 ? (start + slot) % slots * width : 0;
    }
}

static void judge_access(program *p, uint32_t block, uint32_t warp, uint32_t mask, int place, const int64_t *offset,
                         const hw_note *note) {
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const access now = {thread_of(block, warp, lane), p->m.op, p->m.launch, note->kind == HW_NOTE_STORE};
        access_bytes(&p->m, place, offset[lane], note->width_bytes, &now);
    }
}

// A second warp's columns beside the first one's, where there is room; else the same.
static uint64_t shift_of(const int64_t offset[32], uint32_t width) {
    int64_t most = 0;
    for (int lane = 0; lane < 32; lane++) most = offset[lane] > most ? offset[lane] : most;
    return most + 2 * (int64_t)width <= OBJECT_BYTES ? width : 0;
}

// Launches have numbers of accesses of their own.
static uint32_t access_of(const program *p, uint32_t set) { return (uint32_t)p->m.launch * SETS + set; }

// By one warp, or by the first two, whose lanes all take part, one after the other.
static void do_access(program *p, uint32_t block, uint32_t warp) {
    static const uint8_t widths[] = {1, 4, 4, 8};
    const bool are_two = draw(p, 4) == 0;
    if (are_two) warp = 0;
    const uint32_t drawn = widths[draw(p, 4)], mask = are_two ? 0xffffffff : draw_lanes(p, warp);
    const uint32_t object = draw(p, OBJECTS), width = p->is_only_read[object] && !p->has_bytes && drawn < 4 ? 4 : drawn;
    const bool is_shared = object + 1 == OBJECTS, is_write = draw(p, 3) == 0 && !p->is_only_read[object];
    const int place = (int)(object + (is_shared ? block : 0)), lowest = __builtin_ctz(mask);
    int64_t offset[32], delta[32];
    draw_offsets(p, width, mask, offset);
    for (int lane = 0; lane < 32; lane++) delta[lane] = mask >> lane & 1 ? offset[lane] - offset[lowest] : 0;
    const hw_note note = {.kind = is_write ? HW_NOTE_STORE : HW_NOTE_LOAD, .width_bytes = (uint8_t)width,
                          .space = is_shared ? HW_SPACE_SHARED : HW_SPACE_GLOBAL,
                          .access = access_of(p, is_shared ? UNKNOWN : FIRST_OBJECT + object)};
    const uint64_t base = (is_shared ? 0 : GLOBAL + object * OBJECT_BYTES) + (uint64_t)offset[lowest];
    const uint32_t line = (uint32_t)(p->m.launch * LINES + p->m.op);
    const uint64_t shift = are_two && draw(p, 2) ? shift_of(offset, width) : 0, bases[] = {base, base + shift};
    if (are_two) checked_accesses(&p->c, checked_where(block, 0), line, &note, mask, 2, bases, delta);
    else checked_access(&p->c, checked_where(block, warp), line, &note, mask, base, delta);
    judge_access(p, block, warp, mask, place, offset, &note);
    if (!are_two) return;
    p->m.op++;
    for (int lane = 0; lane < 32; lane++) offset[lane] += (int64_t)shift;
    judge_access(p, block, 1, mask, place, offset, &note);
}

static void do_meet(program *p, uint32_t block, uint32_t warp) {
    const uint32_t mask = draw_lanes(p, warp);
    int all[T] = {0};
    checked_meet(&p->c, block, warp, mask);
    for (uint32_t left = mask; left; left &= left - 1)
        take_seen(&p->m, thread_of(block, warp, __builtin_ctz(left)));
    gather(&p->m, all, block, warp, mask);
    spread(&p->m, all, block, warp, mask);
}

static void do_barrier(program *p, uint32_t block) {
    int all[T] = {0};
    for (uint32_t warp = 0; warp < WARPS; warp++) {
        checked_arrive(&p->c, block, warp, 0, HW_BARRIER_SYNC, 0, lanes_of(warp), 0);
        for (int lane = 0; lanes_of(warp) >> lane; lane++) {
            take_seen(&p->m, thread_of(block, warp, lane));
            if (lane == 31) break;
        }
        gather(&p->m, all, block, warp, lanes_of(warp));
    }
    checked_complete(&p->c, block, 0);
    for (uint32_t warp = 0; warp < WARPS; warp++) spread(&p->m, all, block, warp, lanes_of(warp));
}

// Warps 0 and 1 wait for each other.
static void do_pair(program *p, uint32_t block) {
    int all[T] = {0};
    for (uint32_t warp = 0; warp < 2; warp++) {
        checked_arrive(&p->c, block, warp, 0, HW_BARRIER_SYNC, 1, lanes_of(warp), 64);
        gather(&p->m, all, block, warp, lanes_of(warp));
    }
    checked_complete(&p->c, block, 1);
    for (uint32_t warp = 0; warp < 2; warp++) spread(&p->m, all, block, warp, lanes_of(warp));
}

// Warp 1 arrives and goes on; some time later warp 0 waits for it.
static void do_producer(program *p, uint32_t block) {
    model *m = &p->m;
    const uint32_t warp = m->has_arrived[block] ? 0 : 1;
    int all[T] = {0};
    checked_arrive(&p->c, block, warp, 0, warp ? HW_BARRIER_ARRIVE : HW_BARRIER_SYNC, 2, lanes_of(warp), 64);
    gather(m, all, block, warp, lanes_of(warp));
    m->has_arrived[block] = warp == 1;
    if (warp == 1) {
        memcpy(m->arrived[block], all, sizeof all);
        return;
    }
    checked_complete(&p->c, block, 2);
    learn(all, m->arrived[block]);
    spread(m, all, block, 0, lanes_of(0));
}

// Fence, atomic, fence, by some lanes; or without the last fence, and without the first where none has been yet.
static void do_message(program *p, uint32_t block, uint32_t warp) {
    model *m = &p->m;
    const uint32_t mask = draw(p, 3) ? 1u << draw(p, 8) : draw_lanes(p, warp), flag = draw(p, FLAGS);
    bool has_release = draw(p, 4) > 0;
    const bool has_acquire = draw(p, 4) > 0;
    for (uint32_t left = mask; left; left &= left - 1)
        has_release |= m->is_fenced[thread_of(block, warp, __builtin_ctz(left))];
    if (has_release) checked_fence(&p->c, block, warp, mask, HW_SCOPE_GPU);
    const hw_note note = {.kind = HW_NOTE_ATOMIC, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .scope = HW_SCOPE_GPU,
                          .order = HW_ORDER_RELAXED, .access = access_of(p, OF_FLAGS)};
    checked_access(&p->c, checked_where(block, warp), (uint32_t)(m->launch * LINES + m->op), &note, mask,
                   FLAG + 8 * flag, NULL);
    if (has_acquire) checked_fence(&p->c, block, warp, mask, HW_SCOPE_GPU);
    for (uint32_t left = mask; left; left &= left - 1) {
        const int t = thread_of(block, warp, __builtin_ctz(left));
        if (has_release) take_seen(m, t);
        learn(m->seen[t], m->flags[flag]);
        if (has_release) {
            learn(m->flags[flag], m->known[t]);
            m->flags[flag][t] = m->op;
        }
        m->is_fenced[t] |= has_release || has_acquire;
        if (has_acquire) take_seen(m, t);
    }
}

static void do_something(program *p) {
    const uint32_t block = draw(p, BLOCKS), warp = draw(p, WARPS);
    p->m.op++;
    switch (draw(p, 14)) {
    case 0: do_barrier(p, block); break;
    case 1: do_pair(p, block); break;
    case 2: do_producer(p, block); break;
    case 3: case 4: do_meet(p, block, warp); break;
    case 5: case 6: case 7: do_message(p, block, warp); break;
    default: do_access(p, block, warp);
    }
}

static void forget_bytes(model *m, int first_place) {
    for (int place = first_place; place < PLACES; place++)
        for (int at = 0; at < OBJECT_BYTES; at++) m->bytes[place][at].n = 0;
}

// Some objects are not written by the launch, and it is known.
static void declare_homes(program *p) {
    static const uint32_t set_of[SETS] = {UNKNOWN, FIRST_OBJECT, FIRST_OBJECT + 1, OF_FLAGS};
    static const hw_home items[SETS] = {
        [FIRST_OBJECT] = {.begin = GLOBAL, .bytes = OBJECT_BYTES, .space = HW_SPACE_GLOBAL},
        [FIRST_OBJECT + 1] = {.begin = GLOBAL + OBJECT_BYTES, .bytes = OBJECT_BYTES, .space = HW_SPACE_GLOBAL},
        [OF_FLAGS] = {.begin = FLAG, .bytes = 8 * FLAGS, .space = HW_SPACE_GLOBAL}};
    static hw_home_set sets[SETS] = {
        [FIRST_OBJECT] = {.first = FIRST_OBJECT, .n = 1}, {.first = FIRST_OBJECT + 1, .n = 1},
        {.first = OF_FLAGS, .n = 1, .is_written = true}};
    p->homes = (hw_homes){.first_access = access_of(p, 0), .n_accesses = SETS, .set_of = set_of, .n_sets = SETS,
                          .sets = sets, .items = items};
    p->c.homes = &p->homes;
    p->has_bytes = draw(p, 2);
    for (uint32_t object = 0; object + 1 < OBJECTS; object++) {
        p->is_only_read[object] = draw(p, 3) == 0;
        sets[FIRST_OBJECT + object].is_written = !p->is_only_read[object];
        sets[FIRST_OBJECT + object].least_read_bytes = p->has_bytes ? 1 : 4;
    }
}

static void run_launch(program *p, uint64_t stream) {
    model *m = &p->m;
    m->op = 0;
    memset(m->known, 0, sizeof m->known);
    memset(m->seen, 0, sizeof m->seen);
    memset(m->flags, 0, sizeof m->flags);
    memset(m->is_fenced, 0, sizeof m->is_fenced);
    memset(m->has_arrived, 0, sizeof m->has_arrived);
    memset(m->arrived, 0, sizeof m->arrived);
    forget_bytes(m, OBJECTS - 1);         // shared memory is fresh
    declare_homes(p);
    assert_int_equal(checked_begin(&p->c, stream, BLOCKS, THREADS), HW_OK);
    for (uint32_t n = 5 + draw(p, MOST_OPS - 10); n > 0; n--) do_something(p);
    checked_end(&p->c);
    m->launch++;
}

// ---- verdicts ------------------------------------------------------------------------------------------------------

static int place_of(const hw_check_finding *f) {
    if (f->space == HW_SPACE_SHARED) return OBJECTS - 1 + (int)f->sides[1].block[0];
    return (int)((f->address - GLOBAL) / OBJECT_BYTES);
}

static void compare(const program *p, uint64_t seed, int *races) {
    const hw_check_finding *f;
    bool found[PLACES] = {false};
    for (size_t i = 0; (f = hw_check_finding_at(p->c.check, i)); i++) {
        const int place = place_of(f);
        found[place] = true;
        if (!p->m.may[place])
            fail_msg("seed %llu: line %u and line %u of place %d are told, and are no race", (unsigned long long)seed,
                     f->sides[0].line, f->sides[1].line, place);
    }
    for (int place = 0; place < PLACES; place++) {
        if (p->m.must[place] && !found[place])
            fail_msg("seed %llu: a race at place %d is not told", (unsigned long long)seed, place);
        *races += found[place];
    }
}

static void test_random_programs(void **state) {
    (void)state;
    int races = 0, programs = 0;
    static program p;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        forget_bytes(&p.m, 0);
        memset(p.m.may, 0, sizeof p.m.may);
        memset(p.m.must, 0, sizeof p.m.must);
        p.m.launch = 0;
        p.state = seed * 0x9e3779b97f4a7c15u;
        assert_int_equal(checked_create(&p.c), HW_OK);
        // As the program's fences and barriers say, which have no lines here.
        p.c.notes[CHECKED_LINES - 1] = (hw_note){.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU};
        run_launch(&p, 1);
        p.m.is_after = draw(&p, 2);
        run_launch(&p, p.m.is_after ? 1 : 2);
        compare(&p, seed, &races);
        hw_check_destroy(p.c.check);
        programs++;
    }
    // Both verdicts are common enough to mean something.
    assert_in_range(races, programs / 2, programs * PLACES - programs / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
