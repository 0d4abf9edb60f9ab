// What execution tells its sinks: each type of event with what it holds, from small kernels.
#include "keeping_sink.h"

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
        {"atom.global.add.u32 %r5, [%rd2], 1",
         HW_TOUCHED_READ | HW_TOUCHED_WRITTEN | HW_TOUCHED_ATOMIC},
        {"red.global.add.u32 [%rd2], 1", HW_TOUCHED_READ | HW_TOUCHED_WRITTEN | HW_TOUCHED_ATOMIC},
        {"ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2+4], %r5", HW_TOUCHED_READ | HW_TOUCHED_WRITTEN},
        {"ld.const.u32 %r5, [c]", HW_TOUCHED_CONSTANT},
        {"mul.wide.u32 %rd4, %r1, 4; mov.u64 %rd5, c; add.u64 %rd5, %rd5, %rd4; ld.const.u32 %r5, [%rd5]",
         HW_TOUCHED_CONSTANT},
        {"setp.lt.u32 %p1, %r1, 3; @%p1 ld.global.u32 %r5, [%rd2]", HW_TOUCHED_READ},
        {".shared .align 16 .b8 s[512]; mov.u32 %r5, s; cp.async.ca.shared.global [%r5], [%rd2], 4", HW_TOUCHED_READ},
        {"st.volatile.global.u32 [%rd2], %r1", HW_TOUCHED_WRITTEN},
        // Of rows the sources are only read, and where they go only written.
        {".shared .align 16 .b8 s[512]; .shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 1;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd2], 16, [bar]", HW_TOUCHED_READ},
        {".shared .align 16 .b8 s[512]; cp.async.bulk.global.shared::cta.bulk_group [%rd2], [s], 16",
         HW_TOUCHED_WRITTEN},
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
        uint32_t here = 0, n_complete = 0;
        for (uint32_t n = 0; n < k->n; n++) {
            const hw_barrier_step *step = &k->list[n].barrier;
            uint32_t left = blocks[i] - 32 * step->where.warp;
            assert_int_equal(step->barrier, 3);
            assert_int_equal(step->expected, 0);
            if (step->action == HW_BARRIER_COMPLETE) {
                assert_int_equal(here, (1u << warps) - 1);    // all came, in whatever order
                here = 0;
                n_complete++;
                assert_int_equal(step->note, HW_NO_NOTE);
                assert_int_equal(step->mask, 0);
            } else {
                assert_int_equal(step->action, HW_BARRIER_SYNC);
                for (uint32_t more = 0; more <= step->more_warps; more++) here |= 1u << (step->where.warp + more);
                assert_true(!step->more_warps || step->mask == 0xffffffff);
                assert_int_equal(step->mask, left >= 32 ? 0xffffffff : (1u << left) - 1);
                assert_int_equal(k->notes[step->note].kind, HW_NOTE_BARRIER);
            }
        }
        assert_int_equal(n_complete, 2);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses_one_by_one),
        cmocka_unit_test(test_ways_of_touching),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_orders_and_scopes),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_barriers_of_some),
        cmocka_unit_test(test_barrier_of_a_cluster),
        cmocka_unit_test(test_warp_synchronisation),
        cmocka_unit_test(test_asynchronous_copies),
        cmocka_unit_test(test_copies_that_nobody_waits_for),
        cmocka_unit_test(test_copies_to_many_places),
        cmocka_unit_test(test_copies_of_less),
        cmocka_unit_test(test_barriers_in_memory),
        cmocka_unit_test(test_spaces_in_one_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
