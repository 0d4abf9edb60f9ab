// A sink that keeps all that execution tells of a launch, for tests of events and of sinks.
#ifndef HW_TESTS_KEEPING_SINK_H
#define HW_TESTS_KEEPING_SINK_H

#include "exec_bench.h"

#include "event/sinks.h"

typedef struct kept {
    hw_event_type type;
    union {
#define HW_EVENT(id, function, record, ...) record function;
#include "event/event.def"
#undef HW_EVENT
    };
    hw_access_pattern pattern;          // of accesses
    uint32_t to[32];                    // of copies that landed
} kept;
enum { MOST_KEPT = 4096 };

typedef struct keeping_sink {
    hw_sink sink;
    kept list[MOST_KEPT];
    uint32_t n;
    hw_launch_info info;
    uint32_t begun, ended;
    hw_status status;
    hw_note notes[256];
} keeping_sink;

static inline kept *keep(hw_sink *sink, hw_event_type type) {
    keeping_sink *k = (keeping_sink *)sink;
    assert_true(k->n < MOST_KEPT);
    k->list[k->n].type = type;
    return &k->list[k->n++];
}
#define HW_EVENT(id, function, record, ...)                                                    \
    static inline void keep_##function(hw_sink *sink, uint32_t worker, const record *event) {         \
        assert_int_equal(worker, 0);                                                           \
        keep(sink, HW_EVENT_##id)->function = *event;                                          \
    }
#include "event/event.def"
#undef HW_EVENT

static inline void keep_pattern(hw_sink *sink) {
    kept *last = &((keeping_sink *)sink)->list[((keeping_sink *)sink)->n - 1];
    last->pattern = *last->access.pattern;
}
static inline void keep_access_whole(hw_sink *sink, uint32_t worker, const hw_access *access) {
    keep_access(sink, worker, access);
    keep_pattern(sink);
}
static inline void keep_atomic_whole(hw_sink *sink, uint32_t worker, const hw_access *access) {
    keep_atomic(sink, worker, access);
    keep_pattern(sink);
}
static inline void keep_landed_whole(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed) {
    keep_copy_landed(sink, worker, landed);
    keeping_sink *k = (keeping_sink *)sink;
    memcpy(k->list[k->n - 1].to, landed->to, sizeof k->list[0].to);
}

static inline hw_status keep_begin(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    keeping_sink *k = (keeping_sink *)sink;
    (void)diag;
    k->info = *info;
    assert_true(info->n_notes <= 256);
    memcpy(k->notes, info->notes, info->n_notes * sizeof *info->notes);
    k->begun++;
    return HW_OK;
}
static inline void keep_end(hw_sink *sink, const hw_launch_info *info, uint64_t ns, hw_status status) {
    keeping_sink *k = (keeping_sink *)sink;
    (void)info, (void)ns;
    k->status = status;
    k->ended++;
}

static inline keeping_sink *new_keeping_sink(uint32_t events, bool ordered) {
    keeping_sink *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->sink = (hw_sink){.events = events, .ordered = ordered, .launch_begin = keep_begin, .launch_end = keep_end};
    // Only what it wants has a function: another event would end the test.
#define HW_EVENT(id, function, ...) if (events & HW_WANTS(id)) k->sink.function = keep_##function;
#include "event/event.def"
#undef HW_EVENT
    if (events & HW_WANTS(ACCESS)) k->sink.access = keep_access_whole;
    if (events & HW_WANTS(ATOMIC)) k->sink.atomic = keep_atomic_whole;
    if (events & HW_WANTS(COPY_LANDED)) k->sink.copy_landed = keep_landed_whole;
    return k;
}

static inline const kept *find(const keeping_sink *k, hw_event_type type, uint32_t nth) {
    for (uint32_t i = 0; i < k->n; i++)
        if (k->list[i].type == type && nth-- == 0) return &k->list[i];
    fail_msg("no event %u of type %u among %u", nth, type, k->n);
    return NULL;
}

static inline uint32_t count(const keeping_sink *k, hw_event_type type) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n; i++) n += k->list[i].type == type;
    return n;
}

// ---- watching a launch ----

static inline void attach(const bench *b, keeping_sink *k) {
    assert_int_equal(hw_sim_add_sink(b->sim, &k->sink, NULL), HW_OK);
}

// All that an ordered sink that wants such events keeps of one launch. The caller frees it.
static inline keeping_sink *watch(const char *ptx, uint32_t events, uint32_t grid, uint32_t block) {
    bench b = open_bench(ptx);
    keeping_sink *k = new_keeping_sink(events, true);
    attach(&b, k);
    hw_status status = launch(&b, grid, block);
    if (status) fail_msg("status %d\n%s", status, ptx);
    assert_int_equal(k->begun, 1);
    assert_int_equal(k->ended, 1);
    hw_sim_destroy(b.sim);
    return k;
}

static inline void assert_sequence(const keeping_sink *k, const hw_where *where, uint64_t *last) {
    (void)k;
    assert_true(where->sequence > *last);
    *last = where->sequence;
}

#define COPY_WORDS KERNEL("", "mul.wide.u32 %rd5, %r4, 4; add.u64 %rd4, %rd2, %rd5;\n" \
                              "ld.global.u32 %r5, [%rd4];\n" STORE_RET("%r5"))

#endif
