// What execution tells its sinks: each type of event with what it holds, from small kernels.
#include "exec_bench.h"

#include "event/sinks.h"

// ---- a sink that keeps all of it ----

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

static kept *keep(hw_sink *sink, hw_event_type type) {
    keeping_sink *k = (keeping_sink *)sink;
    assert_true(k->n < MOST_KEPT);
    k->list[k->n].type = type;
    return &k->list[k->n++];
}
#define HW_EVENT(id, function, record, ...)                                                    \
    static void keep_##function(hw_sink *sink, uint32_t worker, const record *event) {         \
        assert_int_equal(worker, 0);                                                           \
        keep(sink, HW_EVENT_##id)->function = *event;                                          \
    }
#include "event/event.def"
#undef HW_EVENT

static void keep_pattern(hw_sink *sink) {
    kept *last = &((keeping_sink *)sink)->list[((keeping_sink *)sink)->n - 1];
    last->pattern = *last->access.pattern;
}
static void keep_access_whole(hw_sink *sink, uint32_t worker, const hw_access *access) {
    keep_access(sink, worker, access);
    keep_pattern(sink);
}
static void keep_atomic_whole(hw_sink *sink, uint32_t worker, const hw_access *access) {
    keep_atomic(sink, worker, access);
    keep_pattern(sink);
}
static void keep_landed_whole(hw_sink *sink, uint32_t worker, const hw_copy_landed *landed) {
    keep_copy_landed(sink, worker, landed);
    keeping_sink *k = (keeping_sink *)sink;
    memcpy(k->list[k->n - 1].to, landed->to, sizeof k->list[0].to);
}

static hw_status keep_begin(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    keeping_sink *k = (keeping_sink *)sink;
    (void)diag;
    k->info = *info;
    assert_true(info->n_notes <= 256);
    memcpy(k->notes, info->notes, info->n_notes * sizeof *info->notes);
    k->begun++;
    return HW_OK;
}
static void keep_end(hw_sink *sink, const hw_launch_info *info, uint64_t ns, hw_status status) {
    keeping_sink *k = (keeping_sink *)sink;
    (void)info, (void)ns;
    k->status = status;
    k->ended++;
}

static keeping_sink *new_keeping_sink(uint32_t events, bool ordered) {
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

static const kept *find(const keeping_sink *k, hw_event_type type, uint32_t nth) {
    for (uint32_t i = 0; i < k->n; i++)
        if (k->list[i].type == type && nth-- == 0) return &k->list[i];
    fail_msg("no event %u of type %u among %u", nth, type, k->n);
    return NULL;
}

static uint32_t count(const keeping_sink *k, hw_event_type type) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n; i++) n += k->list[i].type == type;
    return n;
}

// ---- watching a launch ----

static void attach(const bench *b, keeping_sink *k) {
    assert_int_equal(hw_sim_add_sink(b->sim, &k->sink, NULL), HW_OK);
}

// All that an ordered sink that wants such events keeps of one launch. The caller frees it.
static keeping_sink *watch(const char *ptx, uint32_t events, uint32_t grid, uint32_t block) {
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

static void assert_sequence(const keeping_sink *k, const hw_where *where, uint64_t *last) {
    (void)k;
    assert_true(where->sequence > *last);
    *last = where->sequence;
}

// ---- tests ----

#define COPY_WORDS KERNEL("", "mul.wide.u32 %rd5, %r4, 4; add.u64 %rd4, %rd2, %rd5;\n" \
                              "ld.global.u32 %r5, [%rd4];\n" STORE_RET("%r5"))

static void test_accesses_one_by_one(void **state) {
    (void)state;
    bench b = open_bench(COPY_WORDS);
    keeping_sink *k = new_keeping_sink(HW_WANTS(ACCESS) | HW_WANTS(BLOCK) | HW_WANTS(TOUCHED), true);
    attach(&b, k);
    assert_int_equal(launch(&b, 2, 64), HW_OK);
    assert_int_equal(count(k, HW_EVENT_ACCESS), 8);
    assert_int_equal(count(k, HW_EVENT_BLOCK), 4);
    assert_true(count(k, HW_EVENT_TOUCHED) >= 2);
    assert_false(k->list[0].block.has_ended);
    assert_true(k->list[k->n - 1].block.has_ended);
    uint32_t loads[2][2] = {{0}}, stores[2][2] = {{0}};
    uint64_t last = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        if (k->list[i].type != HW_EVENT_ACCESS) continue;
        const hw_access *a = &k->list[i].access;
        uint32_t thread = a->where.block[0] * 64 + a->where.warp * 32;
        bool is_load = a->kind == HW_NOTE_LOAD;
        assert_sequence(k, &a->where, &last);
        assert_int_equal(a->space, HW_SPACE_GLOBAL);
        assert_int_equal(a->width_bytes, 4);
        assert_int_equal(a->repeat, 1);
        assert_int_equal(a->base, (is_load ? b.in : b.out) + 4 * thread);
        assert_int_equal(k->list[i].pattern.mask, 0xffffffff);
        for (int t = 0; t < 32; t++) assert_int_equal(k->list[i].pattern.delta[t], 4 * t);
        assert_true(k->list[i].pattern.index < k->info.n_patterns && k->list[i].pattern.serial);
        (is_load ? loads : stores)[a->where.block[0]][a->where.warp]++;
    }
    for (int n = 0; n < 4; n++) assert_true(loads[n / 2][n % 2] == 1 && stores[n / 2][n % 2] == 1);
    assert_int_equal(k->info.number, 1);
    assert_int_equal(k->info.stream, 77);
    hw_sim_destroy(b.sim);
    free(k);
}

// A kernel whose text has '@' where its body is to be.
static void put_body(char ptx[4096], const char *kernel, const char *body) {
    size_t before = strcspn(kernel, "@");
    snprintf(ptx, 4096, "%.*s%s;\nret;%s", (int)before, kernel, body, kernel + before + 1);
}

// In which ways a kernel touches the allocation of `in` (%rd3), as one event for each or together.
static void test_ways_of_touching(void **state) {
    (void)state;
    static const struct { const char *ptx; uint8_t ways; } rows[] = {
        {"ld.global.u32 %r5, [%rd2]", HW_TOUCHED_READ},
        {"ld.global.nc.v2.u32 {%r5, %r6}, [%rd2]", HW_TOUCHED_READ},
        {"ld.u32 %r5, [%rd2]", HW_TOUCHED_READ},
        {"st.global.u32 [%rd2], %r1", HW_TOUCHED_WRITTEN},
        {"atom.global.add.u32 %r5, [%rd2], 1", HW_TOUCHED_READ | HW_TOUCHED_WRITTEN},
        {"red.global.add.u32 [%rd2], 1", HW_TOUCHED_READ | HW_TOUCHED_WRITTEN},
        {"ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2+4], %r5", HW_TOUCHED_READ | HW_TOUCHED_WRITTEN},
        {"ld.const.u32 %r5, [c]", HW_TOUCHED_CONSTANT},
        {"mul.wide.u32 %rd4, %r1, 4; mov.u64 %rd5, c; add.u64 %rd5, %rd5, %rd4; ld.const.u32 %r5, [%rd5]",
         HW_TOUCHED_CONSTANT},
        {"setp.lt.u32 %p1, %r1, 3; @%p1 ld.global.u32 %r5, [%rd2]", HW_TOUCHED_READ},
        {".shared .align 16 .b8 s[512]; mov.u32 %r5, s; cp.async.ca.shared.global [%r5], [%rd2], 4", HW_TOUCHED_READ},
        {"st.volatile.global.u32 [%rd2], %r1", HW_TOUCHED_WRITTEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t block = 32; block <= 96; block += 64) {
            char ptx[4096];
            put_body(ptx, KERNEL(".const .align 4 .b8 c[512];\n", "@"), rows[i].ptx);
            keeping_sink *k = watch(ptx, HW_WANTS(TOUCHED), 2, block);
            uint8_t ways = 0;
            assert_true(k->n >= 1 && k->n <= 2);
            for (uint32_t e = 0; e < k->n; e++) {
                ways |= k->list[e].touched.ways;
                assert_int_equal(k->list[e].touched.address, k->list[0].touched.address);
            }
            if (ways != rows[i].ways) fail_msg("ways %u: %s", ways, rows[i].ptx);
            free(k);
        }
    }
}

// What launches depend on or do beside memory: told once by a worker, and not of what only looks like it.
static void test_outside(void **state) {
    (void)state;
    enum { NOTHING = -1 };
    static const struct { const char *ptx; int kind; } rows[] = {
        {"mov.u64 %rd4, %clock64", HW_OUTSIDE_CLOCK},
        {"mov.u32 %r5, %clock; mov.u32 %r6, %clock", HW_OUTSIDE_CLOCK},
        {"mov.u64 %rd4, %globaltimer", HW_OUTSIDE_CLOCK},
        {"mov.u64 %rd4, %gridid; st.global.u64 [%rd1], %rd4", HW_OUTSIDE_NUMBER},
        {"{ .param .b64 n; .param .b64 r; st.param.b64 [n], 8;\ncall.uni (r), malloc, (n);\n}", HW_OUTSIDE_CALL},
        {"mov.u32 %r5, 0; WAIT: ld.volatile.global.u32 %r6, [%rd2]; add.u32 %r5, %r5, 1;\n"
         "setp.lt.u32 %p1, %r5, 1000; @%p1 bra WAIT", HW_OUTSIDE_WAIT},
        {"mov.u32 %r5, 0; WAIT: ld.global.u32 %r6, [%rd2]; add.u32 %r5, %r5, 1;\n"
         "setp.lt.u32 %p1, %r5, 1000; @%p1 bra WAIT", NOTHING},
        {"mov.u32 %r5, %smid; mov.u32 %r6, %nsmid; ld.volatile.global.u32 %r6, [%rd2]", NOTHING},
        {"{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1;\ncall.uni (r), __nv_sinf, (x);\n}", NOTHING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char ptx[4096];
        put_body(ptx, KERNEL(".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
                             ".extern .func (.param .b32 r) __nv_sinf (.param .b32 x);\n", "@"), rows[i].ptx);
        keeping_sink *k = watch(ptx, HW_WANTS(OUTSIDE), 2, 64);
        if (k->n != (rows[i].kind != NOTHING)) fail_msg("%u events: %s", k->n, rows[i].ptx);
        if (k->n) assert_int_equal(k->list[0].outside.kind, rows[i].kind);
        free(k);
    }
}

static void test_orders_and_scopes(void **state) {
    (void)state;
    static const struct {
        const char *ptx;
        hw_event_type type;
        hw_order order;
        hw_scope scope;
        hw_atomic_op atomic;
        hw_proxy proxy;
    } rows[] = {
        {"ld.global.u32 %r5, [%rd3]", HW_EVENT_ACCESS, HW_ORDER_WEAK, HW_SCOPE_NONE, 0, 0},
        {"ld.volatile.global.u32 %r5, [%rd3]", HW_EVENT_ACCESS, HW_ORDER_VOLATILE, HW_SCOPE_SYS, 0, 0},
        {"ld.relaxed.gpu.global.u32 %r5, [%rd3]", HW_EVENT_ACCESS, HW_ORDER_RELAXED, HW_SCOPE_GPU, 0, 0},
        {"ld.acquire.sys.global.u32 %r5, [%rd3]", HW_EVENT_ACCESS, HW_ORDER_ACQUIRE, HW_SCOPE_SYS, 0, 0},
        {"st.release.cta.global.u32 [%rd3], %r1", HW_EVENT_ACCESS, HW_ORDER_RELEASE, HW_SCOPE_CTA, 0, 0},
        {"st.relaxed.cluster.global.u32 [%rd3], %r1", HW_EVENT_ACCESS, HW_ORDER_RELAXED, HW_SCOPE_CLUSTER, 0, 0},
        {"atom.global.add.u32 %r5, [%rd3], 1", HW_EVENT_ATOMIC, HW_ORDER_RELAXED, HW_SCOPE_GPU, HW_ATOMIC_ADD, 0},
        {"atom.acq_rel.sys.global.cas.b32 %r5, [%rd3], 0, 1", HW_EVENT_ATOMIC, HW_ORDER_ACQ_REL, HW_SCOPE_SYS,
         HW_ATOMIC_CAS, 0},
        {"atom.acquire.cta.global.exch.b32 %r5, [%rd3], 1", HW_EVENT_ATOMIC, HW_ORDER_ACQUIRE, HW_SCOPE_CTA,
         HW_ATOMIC_EXCH, 0},
        {"red.release.gpu.global.max.u32 [%rd3], 1", HW_EVENT_ATOMIC, HW_ORDER_RELEASE, HW_SCOPE_GPU, HW_ATOMIC_MAX, 0},
        {"red.relaxed.cta.global.or.b32 [%rd3], 1", HW_EVENT_ATOMIC, HW_ORDER_RELAXED, HW_SCOPE_CTA, HW_ATOMIC_OR, 0},
        {"fence.sc.gpu", HW_EVENT_FENCE, HW_ORDER_SC, HW_SCOPE_GPU, 0, 0},
        {"fence.acq_rel.cta", HW_EVENT_FENCE, HW_ORDER_ACQ_REL, HW_SCOPE_CTA, 0, 0},
        {"membar.gl", HW_EVENT_FENCE, HW_ORDER_SC, HW_SCOPE_GPU, 0, 0},
        {"membar.cta", HW_EVENT_FENCE, HW_ORDER_SC, HW_SCOPE_CTA, 0, 0},
        {"membar.sys", HW_EVENT_FENCE, HW_ORDER_SC, HW_SCOPE_SYS, 0, 0},
        {"fence.proxy.alias", HW_EVENT_FENCE, HW_ORDER_ACQ_REL, HW_SCOPE_NONE, 0, HW_PROXY_ALIAS},
        {"fence.proxy.async", HW_EVENT_FENCE, HW_ORDER_ACQ_REL, HW_SCOPE_NONE, 0, HW_PROXY_ASYNC},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t block = 32; block <= 96; block += 64) {    // alone, and three warps in a convoy
            char ptx[2048];
            snprintf(ptx, sizeof ptx, "%s%s%s", KERNEL("", "@"), "", "");
            char *at = strchr(ptx, '@');
            snprintf(at, sizeof ptx - (size_t)(at - ptx), "%s;\nret;\n}\n", rows[i].ptx);
            keeping_sink *k = watch(ptx, HW_WANTS(ACCESS) | HW_WANTS(ATOMIC) | HW_WANTS(FENCE), 1, block);
            if (k->n != block / 32) fail_msg("%s: %u events", rows[i].ptx, k->n);
            for (uint32_t warp = 0; warp < k->n; warp++) {
                const kept *e = find(k, rows[i].type, warp);
                const hw_note *note = &k->notes[e->type == HW_EVENT_FENCE ? e->fence.note : e->access.note];
                if (note->order != rows[i].order || note->scope != rows[i].scope ||
                    note->atomic != (uint8_t)rows[i].atomic || note->proxy != (uint8_t)rows[i].proxy)
                    fail_msg("%s: order %u, scope %u, atomic %u, proxy %u", rows[i].ptx, note->order, note->scope,
                             note->atomic, note->proxy);
                if (e->type != HW_EVENT_FENCE) continue;
                assert_int_equal(e->fence.mask, 0xffffffff);
                assert_int_equal(e->fence.where.warp, warp);
                assert_int_equal(e->fence.order, note->order);
                assert_int_equal(e->fence.scope, note->scope);
                assert_int_equal(e->fence.proxy, note->proxy);
            }
            free(k);
        }
    }
}

// A barrier that all pass together, as a convoy and where the last warp is not whole.
static void test_barriers(void **state) {
    (void)state;
    static const uint32_t blocks[] = {32, 256, 70};
    for (int i = 0; i < 3; i++) {
        uint32_t warps = (blocks[i] + 31) / 32;
        keeping_sink *k = watch(KERNEL("", "bar.sync 3;\nst.global.u32 [%rd3], %r1;\nbar.sync 3;\nret;\n"),
                                HW_WANTS(BARRIER), 1, blocks[i]);
        assert_int_equal(k->n, 2 * (warps + 1));
        uint32_t here = 0;
        for (uint32_t n = 0; n < k->n; n++) {
            const hw_barrier_step *step = &k->list[n].barrier;
            uint32_t left = blocks[i] - 32 * step->where.warp;
            assert_int_equal(step->barrier, 3);
            assert_int_equal(step->expected, 0);
            if (n % (warps + 1) == warps) {
                assert_int_equal(here, (1u << warps) - 1);    // all came, in whatever order
                here = 0;
                assert_int_equal(step->action, HW_BARRIER_COMPLETE);
                assert_int_equal(step->note, HW_NO_NOTE);
                assert_int_equal(step->mask, 0);
            } else {
                assert_int_equal(step->action, HW_BARRIER_SYNC);
                here |= 1u << step->where.warp;
                assert_int_equal(step->mask, left >= 32 ? 0xffffffff : (1u << left) - 1);
                assert_int_equal(k->notes[step->note].kind, HW_NOTE_BARRIER);
            }
        }
        free(k);
    }
}

// One warp arrives and goes on, another waits for both; then a reduction; one lane leaves.
static void test_barriers_of_some(void **state) {
    (void)state;
    keeping_sink *k = watch(KERNEL("",
        "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra FIRST;\nbar.sync 2, 64;\nbra REST;\n"
        "FIRST: bar.arrive 2, 64;\nREST: bar.red.popc.u32 %r6, 1, %p1;\n"
        "setp.eq.u32 %p2, %r1, 5;\n@%p2 ret;\nbar.sync 0;\n" STORE_RET("%r6")), HW_WANTS(BARRIER), 1, 64);
    const hw_barrier_step *arrive = &find(k, HW_EVENT_BARRIER, 0)->barrier;
    assert_int_equal(arrive->action, HW_BARRIER_ARRIVE);
    assert_int_equal(arrive->barrier, 2);
    assert_int_equal(arrive->expected, 64);
    uint32_t of_action[HW_BARRIER_COMPLETE + 1] = {0};
    uint32_t last_mask[2] = {0};
    for (uint32_t n = 0; n < k->n; n++) {
        const hw_barrier_step *step = &k->list[n].barrier;
        of_action[step->action]++;
        if (step->action == HW_BARRIER_SYNC && step->barrier == 0) last_mask[step->where.warp] |= step->mask;
        if (step->action == HW_BARRIER_REDUCE) assert_int_equal(step->barrier, 1);
        if (step->action == HW_BARRIER_COMPLETE && step->barrier == 2) assert_int_equal(step->expected, 64);
    }
    assert_int_equal(of_action[HW_BARRIER_ARRIVE], 1);
    assert_int_equal(of_action[HW_BARRIER_REDUCE], 2);
    assert_int_equal(of_action[HW_BARRIER_COMPLETE], 3);
    assert_int_equal(last_mask[0], ~(1u << 5));
    assert_int_equal(last_mask[1], 0xffffffff);
    free(k);
}

static void test_barrier_of_a_cluster(void **state) {
    (void)state;
    keeping_sink *k = watch(KERNEL("", "barrier.cluster.arrive.release.aligned;\n"
                                       "barrier.cluster.wait.acquire.aligned;\nret;\n"), HW_WANTS(BARRIER), 1, 32);
    assert_int_equal(k->n, 3);
    assert_int_equal(k->list[0].barrier.action, HW_BARRIER_ARRIVE);
    assert_int_equal(k->list[1].barrier.action, HW_BARRIER_WAIT);
    assert_int_equal(k->list[2].barrier.action, HW_BARRIER_COMPLETE);
    for (int i = 0; i < 3; i++) assert_int_equal(k->list[i].barrier.barrier, HW_CLUSTER_BARRIER);
    free(k);
}

static void test_warp_synchronisation(void **state) {
    (void)state;
    static const struct {
        const char *body;
        uint32_t n;
        struct { uint32_t members, mask; } each[2];
    } rows[] = {
        {"bar.warp.sync 0xffffffff;\n", 1, {{0xffffffff, 0xffffffff}}},
        {"shfl.sync.idx.b32 %r5, %r1, 3, 0x1f, 0xffffffff;\n", 1, {{0xffffffff, 0xffffffff}}},
        {"vote.sync.ballot.b32 %r5, %p1, 0xffffffff;\n", 1, {{0xffffffff, 0xffffffff}}},
        // Halves that name their own members.
        {"setp.lt.u32 %p1, %r1, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p1;\nbar.warp.sync %r5;\n", 2,
         {{0xffff, 0xffff}, {0xffff0000, 0xffff0000}}},
        // Lanes that come one half after the other.
        {"setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nbar.warp.sync 0xffffffff;\nbra END;\n"
         "LOW: bar.warp.sync 0xffffffff;\nEND:\n", 1, {{0xffffffff, 0xffffffff}}},
        // A part of the warp by itself.
        {"setp.lt.u32 %p1, %r1, 8;\n@!%p1 bra END;\nshfl.sync.idx.b32 %r5, %r1, 3, 0x1f, 0xff;\nEND:\n", 1,
         {{0xff, 0xff}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t block = 32; block <= 64; block += 32) {
            if (block == 64 && strstr(rows[i].body, "setp")) continue;
            char ptx[2048];
            snprintf(ptx, sizeof ptx, "%s", KERNEL("", "@"));
            char *at = strchr(ptx, '@');
            snprintf(at, sizeof ptx - (size_t)(at - ptx), "%sret;\n}\n", rows[i].body);
            keeping_sink *k = watch(ptx, HW_WANTS(WARP_SYNC), 1, block);
            if (k->n != rows[i].n * block / 32) fail_msg("%s: %u events", rows[i].body, k->n);
            for (uint32_t n = 0; n < k->n; n++) {
                const hw_warp_sync *sync = &k->list[n].warp_sync;
                assert_int_equal(sync->where.warp, block == 64 ? n : 0);
                assert_int_equal(sync->members, rows[i].each[n % rows[i].n].members);
                assert_int_equal(sync->mask, rows[i].each[n % rows[i].n].mask);
            }
            free(k);
        }
    }
}

#define TILE ".shared .align 16 .b8 tile[4096];\n.shared .align 8 .b64 bar[4];\n"
#define PLACES "mov.u32 %r5, tile; shl.b32 %r6, %r1, 4; add.u32 %r5, %r5, %r6; cvt.u64.u32 %rd4, %r6;" \
    " add.u64 %rd5, %rd2, %rd4;\n"
#define COPIES (HW_WANTS(COPY) | HW_WANTS(COPY_GROUP) | HW_WANTS(COPY_LANDED) | HW_WANTS(MBARRIER))

static void test_asynchronous_copies(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(TILE, PLACES
        "cp.async.cg.shared.global [%r5], [%rd5], 16;\ncp.async.commit_group;\n"
        "cp.async.ca.shared.global [%r5+512], [%rd5+4], 4;\ncp.async.commit_group;\n"
        "cp.async.wait_group 1;\ncp.async.wait_all;\nret;\n"));
    keeping_sink *k = new_keeping_sink(COPIES, true);
    attach(&b, k);
    assert_int_equal(launch(&b, 1, 32), HW_OK);
    static const hw_event_type types[] = {HW_EVENT_COPY, HW_EVENT_COPY_GROUP, HW_EVENT_COPY, HW_EVENT_COPY_GROUP,
        HW_EVENT_COPY_GROUP, HW_EVENT_COPY_LANDED, HW_EVENT_COPY_GROUP, HW_EVENT_COPY_LANDED};
    assert_int_equal(k->n, 8);
    for (int i = 0; i < 8; i++) assert_int_equal(k->list[i].type, types[i]);
    const hw_copy_begun *one = &k->list[0].copy, *other = &k->list[2].copy;
    assert_int_equal(one->from, b.in);
    assert_int_equal(one->to % 16, 0);
    assert_int_equal(one->mask, 0xffffffff);
    assert_int_equal(one->reading, 0xffffffff);
    assert_int_equal(one->width_bytes, 16);
    assert_null(one->read_bytes);
    assert_int_equal(k->notes[one->note].kind, HW_NOTE_COPY_BYPASS);
    assert_int_equal(other->from, b.in + 4);
    assert_int_equal(other->to, one->to + 512);
    assert_int_equal(other->width_bytes, 4);
    assert_int_equal(other->number, one->number + 1);
    assert_int_equal(k->notes[other->note].kind, HW_NOTE_COPY);
    assert_int_equal(k->list[1].copy_group.action, HW_COPY_COMMIT);
    assert_int_equal(k->list[4].copy_group.action, HW_COPY_WAIT);
    assert_int_equal(k->list[4].copy_group.spared, 1);
    assert_int_equal(k->list[6].copy_group.spared, -1);
    const kept *landed = &k->list[5];
    assert_int_equal(landed->copy_landed.number, one->number);
    assert_int_equal(landed->copy_landed.note, one->note);
    assert_int_equal(landed->copy_landed.mask, 0xffffffff);
    assert_true(landed->copy_landed.is_waited_for);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(landed->to[t], one->to + 16 * t);
    assert_int_equal(k->list[7].copy_landed.number, other->number);
    hw_sim_destroy(b.sim);
    free(k);
}

static void test_copies_that_nobody_waits_for(void **state) {
    (void)state;
    keeping_sink *k = watch(KERNEL(TILE, PLACES "cp.async.cg.shared.global [%r5], [%rd5], 16;\nret;\n"), COPIES, 1, 32);
    assert_int_equal(k->n, 1);
    assert_int_equal(k->list[0].type, HW_EVENT_COPY);
    free(k);
}

static uint32_t sides_told;
static void check_sides(hw_sink *sink, uint32_t worker, const hw_copy_begun *copy) {
    (void)sink, (void)worker;
    assert_int_equal(copy->from_pattern->space, HW_SPACE_GLOBAL);
    assert_int_equal(copy->to_pattern->space, HW_SPACE_SHARED);
    for (int t = 0; t < 32; t++) assert_int_equal(copy->from_pattern->delta[t], 16 * t);
    assert_int_equal(copy->to_pattern->delta[1], sides_told & 1 ? -16 : 16);
    sides_told++;
}

// Both sides of a copy share the patterns that are kept for its instruction: more of one side, as of a tile whose rows
// are swizzled, do not take the other's place while it is told.
static void test_copies_to_many_places(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(TILE, PLACES "mov.u32 %r7, 0;\n"
                                "LOOP: xor.b32 %r6, %r5, %r7;\ncp.async.cg.shared.global [%r6], [%rd5], 16;\n"
                                "add.u32 %r7, %r7, 16;\nsetp.lt.u32 %p1, %r7, 128;\n@%p1 bra LOOP;\nret;\n"));
    hw_sink sink = {.events = HW_WANTS(COPY), .ordered = true, .copy = check_sides};
    assert_int_equal(hw_sim_add_sink(b.sim, &sink, NULL), HW_OK);
    assert_int_equal(launch(&b, 1, 32), HW_OK);
    assert_int_equal(sides_told, 8);
    hw_sim_destroy(b.sim);
}

static const uint32_t *sizes_told;
static uint32_t sizes[32];
static void keep_sizes(hw_sink *sink, uint32_t worker, const hw_copy_begun *copy) {
    (void)sink, (void)worker;
    sizes_told = copy->read_bytes;
    memcpy(sizes, copy->read_bytes, sizeof sizes);
    assert_int_equal(copy->mask, 0xffffffff);
    assert_int_equal(copy->reading, 0xfffffffe);
}

static void test_copies_of_less(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(TILE, PLACES "min.u32 %r7, %r1, 16;\n"
                                "cp.async.cg.shared.global [%r5], [%rd5], 16, %r7;\nret;\n"));
    hw_sink sink = {.events = HW_WANTS(COPY), .copy = keep_sizes};
    assert_int_equal(hw_sim_add_sink(b.sim, &sink, NULL), HW_OK);
    assert_int_equal(launch(&b, 1, 32), HW_OK);
    assert_non_null(sizes_told);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(sizes[t], t < 16 ? t : 16);
    hw_sim_destroy(b.sim);
}

static void test_barriers_in_memory(void **state) {
    (void)state;
    keeping_sink *k = watch(KERNEL(TILE, PLACES "mov.u32 %r7, bar;\nsetp.eq.u32 %p1, %r1, 0;\n"
        "@!%p1 bra END;\nmbarrier.init.shared.b64 [%r7+8], 2;\nmbarrier.arrive.shared.b64 %rd6, [%r7+8];\n"
        "mbarrier.arrive.expect_tx.shared.b64 %rd7, [%r7+8], 48;\n"
        "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r7+8], 48;\n"
        "mbarrier.test_wait.parity.shared.b64 %p2, [%r7+8], 0;\n"
        "cp.async.cg.shared.global [%r5], [%rd5], 16;\n"
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7+8];\nEND: ret;\n"),
        COPIES, 1, 32);
    static const struct { hw_mbarrier_action action; uint32_t operand, ended; hw_order order; } rows[] = {
        {HW_MBARRIER_INIT, 2, 0, HW_ORDER_WEAK}, {HW_MBARRIER_ARRIVE, 1, 0, HW_ORDER_RELEASE},
        {HW_MBARRIER_ARRIVE, 48, 0, HW_ORDER_RELEASE}, {HW_MBARRIER_COMPLETE, 48, 1, HW_ORDER_RELAXED},
        {HW_MBARRIER_TEST, 0, 1, HW_ORDER_ACQUIRE}, {HW_MBARRIER_ARRIVE_COPIES, 1, 0, HW_ORDER_WEAK}};
    for (uint32_t i = 0; i < 6; i++) {
        const hw_mbarrier_step *step = &find(k, HW_EVENT_MBARRIER, i)->mbarrier;
        assert_int_equal(step->action, rows[i].action);
        assert_int_equal(step->mask, 1);
        assert_int_equal(step->operand[0], rows[i].operand);
        assert_int_equal(step->ended, rows[i].ended);
        assert_int_equal(step->at[0], find(k, HW_EVENT_MBARRIER, 0)->mbarrier.at[0]);
        assert_int_equal(k->notes[step->note].order, rows[i].order);
    }
    assert_int_equal(count(k, HW_EVENT_MBARRIER), 6);
    // The copy lands where its arrival is asked for.
    assert_int_equal(find(k, HW_EVENT_COPY_GROUP, 0)->copy_group.action, HW_COPY_ARRIVE);
    assert_int_equal(find(k, HW_EVENT_COPY_LANDED, 0)->copy_landed.mask, 1);
    free(k);
}

// Lanes of one instruction in two spaces: a record for each.
static void test_spaces_in_one_instruction(void **state) {
    (void)state;
    keeping_sink *k = watch(KERNEL(TILE,
        "cvta.to.global.u64 %rd6, %rd3; mov.u64 %rd7, tile; cvta.shared.u64 %rd7, %rd7;\n"
        "mul.wide.u32 %rd8, %r1, 4; add.u64 %rd7, %rd7, %rd8;\n"
        "setp.lt.u32 %p1, %r1, 12; selp.b64 %rd9, %rd7, %rd6, %p1;\nst.u32 [%rd9], %r1;\nret;\n"),
        HW_WANTS(ACCESS), 1, 32);
    assert_int_equal(k->n, 2);
    assert_int_equal(k->list[0].access.space, HW_SPACE_SHARED);
    assert_int_equal(k->list[0].pattern.mask, 0xfff);
    assert_int_equal(k->list[1].access.space, HW_SPACE_GLOBAL);
    assert_int_equal(k->list[1].pattern.mask, 0xfffff000);
    assert_int_equal(k->list[1].pattern.delta[13], 4);
    free(k);
}

// Six kinds of relative addresses at one instruction: an index with one serial is one pattern, and no index is beyond
// those that were announced.
static void test_identity_of_patterns(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        bench b = open_bench(KERNEL("", "mov.u32 %r5, 0;\nLOOP: rem.u32 %r6, %r5, 6; add.u32 %r6, %r6, 1;\n"
            "mul.lo.u32 %r7, %r6, %r1; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd6, %rd2, %rd5;\n"
            "ld.global.u32 %r8, [%rd6];\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 60;\n@%p1 bra LOOP;\n"
            STORE_RET("%r8")));
        keeping_sink *k = new_keeping_sink(HW_WANTS(ACCESS), ordered);
        attach(&b, k);
        assert_int_equal(launch(&b, 1, 32), HW_OK);
        assert_int_equal(launch(&b, 1, 32), HW_OK);
        uint32_t way_of[2] = {0};
        for (uint32_t i = 0; i < k->n; i++) {
            const hw_access_pattern *one = &k->list[i].pattern;
            if (one->index == HW_NO_PATTERN) {
                assert_int_equal(k->list[i].access.repeat, 1);
                continue;
            }
            assert_true(one->index < k->info.n_patterns);
            way_of[k->list[i].access.kind == HW_NOTE_STORE] |= 1u << one->index % HW_PATTERN_WAYS;
            for (uint32_t j = 0; j < i; j++) {
                const hw_access_pattern *other = &k->list[j].pattern;
                if (one->serial == other->serial) assert_memory_equal(one, other, sizeof *one);
                if (one->index / HW_PATTERN_WAYS == other->index / HW_PATTERN_WAYS)
                    assert_int_equal(k->list[i].access.kind, k->list[j].access.kind);
            }
        }
        assert_int_equal(way_of[0], 15);
        assert_int_equal(way_of[1], 1);
        hw_sim_destroy(b.sim);
        free(k);
    }
}

// An ordered sink beside two that add up, and one that wants other events: each gets its own, as if it were alone.
static void expect_side_by_side(const char *ptx) {
    bench b = open_bench(ptx);
    adding_sink alone = {.sink = an_adding_sink}, beside = alone;
    attach(&b, (keeping_sink *)&alone);
    assert_int_equal(launch(&b, 8, 128), HW_OK);
    keeping_sink *each = new_keeping_sink(HW_WANTS(ACCESS) | HW_WANTS(ATOMIC), true);
    keeping_sink *fences = new_keeping_sink(HW_WANTS(FENCE), true);
    sums before = alone.sums;
    uint64_t accesses = before.loads + before.stores + before.atomics;
    memset(&alone.sums, 0, sizeof alone.sums);
    attach(&b, (keeping_sink *)&beside);
    attach(&b, each);
    attach(&b, fences);
    assert_int_equal(launch(&b, 8, 128), HW_OK);
    assert_memory_equal(&alone.sums, &before, sizeof before);
    assert_memory_equal(&beside.sums, &before, sizeof before);
    assert_true(accesses >= 64);
    assert_int_equal(each->n, accesses);
    assert_int_equal(fences->n, 0);
    assert_int_equal(fences->begun, 1);
    // Removed between launches: the others go on, without order.
    hw_sim_remove_sink(b.sim, &each->sink);
    hw_sim_remove_sink(b.sim, &alone.sink);
    hw_sim_remove_sink(b.sim, &alone.sink);
    assert_int_equal(launch(&b, 8, 128), HW_OK);
    assert_int_equal(each->n, accesses);
    assert_memory_equal(&alone.sums, &before, sizeof before);
    assert_int_equal(beside.sums.inst, 2 * before.inst);
    assert_int_equal(beside.sums.loads, 2 * before.loads);
    assert_int_equal(beside.sums.stores, 2 * before.stores);
    assert_int_equal(beside.sums.atomics, 2 * before.atomics);
    hw_sim_destroy(b.sim);
    free(each);
    free(fences);
}

static void test_sinks_side_by_side(void **state) {
    (void)state;
    expect_side_by_side(COPY_WORDS);
    // Where accesses are not located the quick way: atomics, local memory, lanes in two spaces.
    expect_side_by_side(KERNEL("", ".local .align 4 .b8 mine[64];\nmov.u64 %rd5, mine; st.local.u32 [%rd5], %r1;\n"
        "ld.local.u32 %r5, [%rd5]; red.global.add.u32 [%rd1], %r5; atom.global.max.u32 %r6, [%rd3], %r1;\n"
        "cvta.local.u64 %rd6, %rd5; setp.lt.u32 %p1, %r1, 40; selp.b64 %rd7, %rd6, %rd3, %p1;\n"
        "st.u32 [%rd7], %r1;\nret;\n"));
}

// Hears of several warps at once, and keeps each as if it had heard of it alone.
static uint32_t most_at_once;
static void keep_accesses(hw_sink *sink, uint32_t worker, const hw_access *first, uint32_t n, const uint64_t *bases) {
    hw_access one = *first;
    most_at_once = n > most_at_once ? n : most_at_once;
    for (uint32_t i = 0; i < n; i++, one.where.warp++, one.where.sequence++) {
        one.base = bases[i];
        sink->access(sink, worker, &one);
    }
}

// Addresses of each block's own, of each thread's and the same for all; with barriers, and warps that part. Twice: what
// was known of addresses holds for one launch.
static void test_accesses_of_many_warps(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(".shared .align 4 .b8 s[4096];",
        "mul.wide.u32 %rd5, %r4, 4; add.u64 %rd4, %rd2, %rd5;\n"
        "mov.u32 %r9, s; mad.lo.u32 %r10, %r1, 4, %r9; mov.u32 %r5, 0; mov.u32 %r11, 0;\n"
        "LOOP: ld.global.u32 %r8, [%rd4]; st.shared.u32 [%r10], %r8; bar.sync 0;\n"
        "ld.shared.u32 %r7, [%r9]; add.u32 %r11, %r11, %r7; setp.gt.u32 %p2, %r1, 70;\n"
        "@%p2 ld.shared.u32 %r6, [%r10+-8]; add.u64 %rd4, %rd4, 64; bar.sync 0;\n"
        "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5;\n@%p1 bra LOOP;\n" STORE_RET("%r11")));
    keeping_sink *each = new_keeping_sink(HW_WANTS(ACCESS), true), *many = new_keeping_sink(HW_WANTS(ACCESS), true);
    many->sink.accesses = keep_accesses;
    attach(&b, each);
    attach(&b, many);
    most_at_once = 0;
    for (uint32_t turn = 1; turn <= 2; turn++) {
        assert_int_equal(launch(&b, 3, 128), HW_OK);
        assert_int_equal(each->n, turn * 3 * 4 * (5 * 3 + 1) + turn * 3 * 5 * 2);
        assert_int_equal(many->n, each->n);
    }
    uint64_t last = 0;
    for (uint32_t i = 0; i < each->n; i++) {
        const hw_access *one = &each->list[i].access, *other = &many->list[i].access;
        if (i == each->n / 2) last = 0;
        assert_sequence(each, &one->where, &last);
        assert_memory_equal(&one->where, &other->where, sizeof one->where);
        assert_int_equal(one->note, other->note);
        assert_int_equal(one->base, other->base);
        assert_int_equal(one->repeat, 1);
        assert_memory_equal(&each->list[i].pattern, &many->list[i].pattern, sizeof each->list[i].pattern);
        if (one->space == HW_SPACE_SHARED && one->kind == HW_NOTE_STORE)
            assert_int_equal(one->base, 128 * one->where.warp);
    }
    assert_int_equal(most_at_once, 4);
    hw_sim_destroy(b.sim);
    free(each);
    free(many);
}

// What it is asked with is what it would be begun with: a load and a store.
static bool declines(hw_sink *sink, const hw_launch_info *info) {
    (void)sink;
    assert_int_equal(info->n_patterns, 2 * HW_PATTERN_WAYS);
    return info->number != 2;
}
static hw_status refuses(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    (void)sink, (void)info;
    return hw_diag_set(diag, HW_IO, "no");
}

static void test_sinks_that_decline_or_refuse(void **state) {
    (void)state;
    bench b = open_bench(COPY_WORDS);
    keeping_sink *some = new_keeping_sink(HW_WANTS(ACCESS), true);
    adding_sink sums = {.sink = an_adding_sink};
    some->sink.wants = declines;
    attach(&b, some);
    attach(&b, (keeping_sink *)&sums);
    for (uint32_t n = 1; n <= 3; n++) {
        assert_int_equal(launch(&b, 1, 32), HW_OK);
        assert_int_equal(some->n, n == 3 ? 4 : 2);
        assert_int_equal(sums.sums.loads, n);
    }
    assert_int_equal(some->info.n_patterns, 2 * HW_PATTERN_WAYS);
    hw_sink no = {.launch_begin = refuses};
    assert_int_equal(hw_sim_add_sink(b.sim, &no, NULL), HW_OK);
    assert_int_equal(launch(&b, 1, 32), HW_IO);
    assert_int_equal(some->begun, 3);
    assert_int_equal(some->ended, 3);
    assert_int_equal(some->status, HW_IO);
    assert_int_equal(sums.sums.loads, 3);
    hw_sim_remove_sink(b.sim, &no);
    assert_int_equal(launch(&b, 1, 32), HW_OK);
    hw_sim_destroy(b.sim);
    free(some);
}

static void test_sinks_that_cannot_be(void **state) {
    (void)state;
    bench b = open_bench(COPY_WORDS);
    hw_diag diag = {0};
    hw_sink empty = {.events = 0}, lacks = {.events = HW_WANTS(FENCE)}, host = {.events = HW_WANTS(HOST)};
    assert_int_equal(hw_sim_add_sink(b.sim, &empty, &diag), HW_OK);
    assert_int_equal(hw_sim_add_sink(b.sim, &empty, &diag), HW_USAGE);
    diag = (hw_diag){0};
    assert_int_equal(hw_sim_add_sink(b.sim, &lacks, &diag), HW_USAGE);
    assert_non_null(strstr(diag.text, "fence"));
    assert_int_equal(hw_sim_add_sink(b.sim, &host, &diag), HW_USAGE);
    hw_sink many[40];
    for (int i = 0; i < 40; i++) {
        many[i] = (hw_sink){.events = 0};
        assert_int_equal(hw_sim_add_sink(b.sim, &many[i], &diag), HW_OK);
    }
    assert_int_equal(launch(&b, 1, 32), HW_OK);
    hw_sim_destroy(b.sim);
}

// ---- the host ----

typedef struct host_sink {
    hw_sink sink;
    hw_host_event list[64];
    uint32_t n;
} host_sink;

static void keep_host(hw_sink *sink, const hw_host_event *event) {
    host_sink *h = (host_sink *)sink;
    assert_true(h->n < 64);
    h->list[h->n++] = *event;
}

static void test_host(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
                                ".extern .func free (.param .b64 p);\n",
        "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 24;\ncall.uni (r), malloc, (n);\nld.param.b64 %rd4, [r]; }\n"
        "{ .param .b64 p; st.param.b64 [p], %rd4;\ncall.uni free, (p); }\nret;\n"));
    host_sink h = {.sink = {.events = HW_WANTS(HOST), .host = keep_host}};
    hw_mem *mem = hw_sim_mem(b.sim);
    uint64_t address;
    static char registered[8192];
    assert_int_equal(hw_sim_add_sink(b.sim, &h.sink, NULL), HW_OK);
    assert_int_equal(hw_mem_alloc(mem, 1000, 256, HW_ALLOC_PINNED, registered, "x", &address, NULL), HW_OK);
    assert_int_equal(hw_mem_register(mem, (uint64_t)(uintptr_t)registered, 8192, NULL, NULL), HW_OK);
    assert_int_not_equal(hw_mem_free(mem, address + 8, NULL), HW_OK);      // not told: nothing has happened
    assert_int_equal(hw_mem_free(mem, (uint64_t)(uintptr_t)registered, NULL), HW_OK);
    assert_int_equal(hw_mem_free_for(mem, &(hw_mem_caller){&h, 6, true}, address, NULL), HW_OK);
    assert_int_equal(launch(&b, 1, 1), HW_OK);
    hw_host_event order = {.action = HW_HOST_STREAM_WAIT, .stream = 3, .event = 9};
    hw_sim_tell_host(b.sim, &order);
    hw_sim_remove_sink(b.sim, &h.sink);
    assert_int_equal(hw_mem_alloc(mem, 1000, 256, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL), HW_OK);
    hw_sim_tell_host(b.sim, &order);
    static const struct { hw_host_action action; uint8_t kind; uint64_t bytes; } rows[] = {
        {HW_HOST_ALLOCATE, HW_ALLOC_PINNED, 1000}, {HW_HOST_ALLOCATE, HW_ALLOC_REGISTERED, 8192},
        {HW_HOST_FREE, HW_ALLOC_REGISTERED, 8192}, {HW_HOST_FREE, HW_ALLOC_PINNED, 1000},
        {HW_HOST_ALLOCATE, HW_ALLOC_HEAP, 24}, {HW_HOST_FREE, HW_ALLOC_HEAP, 24}};
    assert_int_equal(h.n, 7);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(h.list[i].action, rows[i].action);
        assert_int_equal(h.list[i].memory.kind, rows[i].kind);
        assert_int_equal(h.list[i].memory.bytes, rows[i].bytes);
    }
    assert_ptr_equal(h.list[0].site, registered);
    assert_string_equal(h.list[0].memory.name, "x");
    assert_ptr_equal(h.list[3].site, &h);
    assert_true(h.list[3].stream == 6 && h.list[3].memory.is_in_order);
    assert_true(h.list[0].stream == 0 && !h.list[0].memory.is_in_order);
    assert_int_equal(h.list[3].memory.address, h.list[0].memory.address);
    assert_int_equal(h.list[6].action, HW_HOST_STREAM_WAIT);
    assert_int_equal(h.list[6].event, 9);
    hw_sim_destroy(b.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses_one_by_one),
        cmocka_unit_test(test_ways_of_touching), cmocka_unit_test(test_outside),
        cmocka_unit_test(test_orders_and_scopes),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_barriers_of_some),
        cmocka_unit_test(test_barrier_of_a_cluster),
        cmocka_unit_test(test_warp_synchronisation),
        cmocka_unit_test(test_asynchronous_copies),
        cmocka_unit_test(test_copies_that_nobody_waits_for),
        cmocka_unit_test(test_copies_to_many_places), cmocka_unit_test(test_copies_of_less),
        cmocka_unit_test(test_barriers_in_memory),
        cmocka_unit_test(test_spaces_in_one_instruction),
        cmocka_unit_test(test_identity_of_patterns),
        cmocka_unit_test(test_sinks_side_by_side),
        cmocka_unit_test(test_accesses_of_many_warps),
        cmocka_unit_test(test_sinks_that_decline_or_refuse),
        cmocka_unit_test(test_sinks_that_cannot_be),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
