// What sinks may rely on: names of patterns, any number of sinks beside each other, those that are told of a convoy at
// once, those that decline or refuse; and what the host asks for.
#include "keeping_sink.h"

#define SIX_PATTERNS(LOAD) KERNEL(".shared .align 4 .b8 s[1024];\n", \
    "mov.u32 %r5, 0;\nLOOP: rem.u32 %r6, %r5, 6; add.u32 %r6, %r6, 1;\nmul.lo.u32 %r7, %r6, %r1;\n" LOAD \
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 60;\n@%p1 bra LOOP;\n" STORE_RET("%r8"))
#define OF_GLOBAL "mul.wide.u32 %rd5, %r7, 4; add.u64 %rd6, %rd2, %rd5;\nld.global.u32 %r8, [%rd6];\n"
#define OF_SHARED "mov.u32 %r9, s; mad.lo.u32 %r10, %r7, 4, %r9;\nld.shared.u32 %r8, [%r10];\n"

// Six kinds of relative addresses at one instruction: an index with one serial is one pattern, and no index is beyond
// those that were announced. Of shared memory a sink that is told of each access sees all six come back.
static void test_identity_of_patterns(void **state) {
    static const struct {
        const char *kernel;
        bool is_ordered;
        uint32_t ways;
    } cases[] = {{SIX_PATTERNS(OF_GLOBAL), false, 15}, {SIX_PATTERNS(OF_GLOBAL), true, 31},
                 {SIX_PATTERNS(OF_SHARED), false, 15}, {SIX_PATTERNS(OF_SHARED), true, 63}};
    (void)state;
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        bench b = open_bench(cases[at].kernel);
        keeping_sink *k = new_keeping_sink(HW_WANTS(ACCESS), cases[at].is_ordered);
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
        assert_int_equal(way_of[0], cases[at].ways);
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
        cmocka_unit_test(test_identity_of_patterns),
        cmocka_unit_test(test_sinks_side_by_side),
        cmocka_unit_test(test_accesses_of_many_warps),
        cmocka_unit_test(test_sinks_that_decline_or_refuse),
        cmocka_unit_test(test_sinks_that_cannot_be),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
