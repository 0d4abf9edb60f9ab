// Accesses that cannot be made, where a sink wants to hear of them: they are told by lane, read zeros and write
// nothing, and the launch goes on; and where such a sink learns that accesses have to stay. That they are faults
// without such a sink is test_exec_fault.c's.
#include "exec_bench.h"

typedef struct stray_sink {
    hw_sink sink;
    hw_stray told[8];
    uint32_t n, lanes;               // lanes: of accesses that were made
} stray_sink;

static void keep_stray(hw_sink *sink, uint32_t worker, const hw_stray *stray) {
    stray_sink *k = (stray_sink *)sink;
    (void)worker;
    if (k->n < sizeof k->told / sizeof *k->told) k->told[k->n] = *stray;
    k->n++;
}

static void keep_stray_nowhere(hw_sink *sink, uint32_t worker, const hw_stray *stray) {
    (void)sink, (void)worker, (void)stray;
}

static void count_made(hw_sink *sink, uint32_t worker, const hw_access *access) {
    (void)worker;
    ((stray_sink *)sink)->lanes += (uint32_t)__builtin_popcount(access->pattern->mask);
}

// One launch of a warp. Its first 32 words of out are 7 before.
static stray_sink watch(const char *ptx, uint32_t out[32]) {
    bench b = open_bench(ptx);
    stray_sink k = {.sink = {.events = HW_WANTS(STRAY) | HW_WANTS(ACCESS) | HW_WANTS(ATOMIC), .ordered = true,
                             .stray = keep_stray, .access = count_made, .atomic = count_made}};
    uint32_t *memory = hw_mem_host(hw_sim_mem(b.sim), b.out);
    for (int i = 0; i < 32; i++) memory[i] = 7;
    assert_int_equal(hw_sim_add_sink(b.sim, &k.sink, NULL), HW_OK);
    assert_int_equal(launch(&b, 1, 32), HW_OK);
    memcpy(out, memory, 32 * sizeof *out);
    for (uint32_t i = 0; i < k.n && i < 8; i++)
        for (int lane = 0; lane < 32; lane++) k.told[i].address[lane] -= b.in;
    hw_sim_destroy(b.sim);
    return k;
}

// The address of a lane's word of `in`, of which lanes 16 to 31 are behind its end: %rd4.
#define HALF_BEHIND "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd2; add.u64 %rd4, %rd4, 65472;\n"

static void test_lanes_behind(void **state) {
    (void)state;
    uint32_t out[32];
    const stray_sink k = watch(KERNEL("", HALF_BEHIND
        "st.global.u32 [%rd4], %r1;\nld.global.u32 %r6, [%rd4];\n" STORE_RET("%r6")), out);
    assert_int_equal(k.n, 2);
    assert_true(k.told[0].is_write && !k.told[1].is_write);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(k.told[n].mask, 0xffff0000u);
        assert_int_equal(k.told[n].misaligned, 0);
        assert_int_equal(k.told[n].bytes, 4);
        assert_int_equal(k.told[n].space[16], HW_SPACE_GLOBAL);
        assert_int_equal(k.told[n].address[16], 65536);
        assert_int_equal(k.told[n].address[31], 65536 + 60);
    }
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i < 16 ? i : 0);
    assert_int_equal(k.lanes, 16 + 16 + 32);
}

static void test_all_lanes(void **state) {
    (void)state;
    uint32_t out[32];
    const stray_sink k = watch(KERNEL("", "mov.u64 %rd4, 16;\nld.v4.u32 {%r6, %r7, %r8, %r9}, [%rd4];\n"
                                          "add.u32 %r6, %r6, %r9;\n" STORE_RET("%r6")), out);
    assert_int_equal(k.n, 1);
    assert_int_equal(k.told[0].mask, 0xffffffffu);
    assert_int_equal(k.told[0].bytes, 16);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0);
    assert_int_equal(k.lanes, 32);
}

static void test_misaligned(void **state) {
    (void)state;
    uint32_t out[32];
    const stray_sink k = watch(KERNEL("", "mul.wide.u32 %rd4, %r1, 6; add.u64 %rd4, %rd4, %rd2;\n"
                                          "st.global.u32 [%rd4], 9;\nld.global.u32 %r6, [%rd4];\n"
                                          STORE_RET("%r6")), out);
    assert_int_equal(k.n, 2);
    assert_int_equal(k.told[0].mask, 0xaaaaaaaau);
    assert_int_equal(k.told[0].misaligned, 0xaaaaaaaau);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i % 2 ? 0 : 9);
}

static void test_atomics(void **state) {
    (void)state;
    uint32_t out[32];
    const stray_sink k = watch(KERNEL("", HALF_BEHIND
        "atom.global.add.u32 %r5, [%rd4], 5;\natom.global.add.u32 %r6, [%rd4], 1;\nred.global.add.u32 [%rd4], 1;\n"
        STORE_RET("%r6")), out);
    assert_int_equal(k.n, 3);
    assert_int_equal(k.told[2].mask, 0xffff0000u);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i < 16 ? 5 : 0);
}

static void test_shared(void **state) {
    (void)state;
    uint32_t out[32];
    const stray_sink k = watch(KERNEL(".shared .align 4 .b8 tile[64];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 4, %r5;\nst.shared.u32 [%r5], %r1;\nld.shared.u32 %r6, [%r5];\n"
        STORE_RET("%r6")), out);
    assert_int_equal(k.n, 2);
    assert_int_equal(k.told[0].space[16], HW_SPACE_SHARED);
    assert_int_equal(k.told[0].mask, 0xffff0000u);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i < 16 ? i : 0);
}

// Copies from where nothing is bring zeros, and copies to where nothing is go nowhere.
static void test_copies(void **state) {
    (void)state;
    uint32_t out[32];
    stray_sink k = watch(KERNEL(".shared .align 4 .b8 tile[128];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 4, %r5;\nst.shared.u32 [%r5], 3;\n" HALF_BEHIND
        "cp.async.ca.shared.global [%r5], [%rd4], 4;\ncp.async.wait_all;\nld.shared.u32 %r6, [%r5];\n"
        STORE_RET("%r6")), out);
    assert_int_equal(k.n, 1);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0);
    k = watch(KERNEL(".shared .align 4 .b8 tile[64];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 4, %r5;\nst.shared.u32 [%r5], 3;\n"
        "cp.async.ca.shared.global [%r5], [%rd2], 4;\ncp.async.wait_all;\nld.shared.u32 %r6, [%r5];\n"
        STORE_RET("%r6")), out);
    assert_int_equal(k.n, 3);
    assert_true(k.told[1].is_write);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0);
}

// Parts of words at addresses where no copy may begin.
static void test_misaligned_parts(void **state) {
    (void)state;
    uint32_t out[32];
    const stray_sink k = watch(KERNEL(".shared .align 8 .b8 tile[256];\n",
        "mov.u32 %r5, tile; mad.lo.u32 %r5, %r1, 8, %r5;\nst.shared.u64 [%r5], 3;\nadd.u64 %rd4, %rd2, 65532;\n"
        "mov.u32 %r7, 2; cp.async.ca.shared.global [%r5], [%rd4], 8, %r7;\ncp.async.wait_all;\n"
        "ld.shared.u32 %r6, [%r5];\n" STORE_RET("%r6")), out);
    assert_true(k.n > 0);
    assert_true(k.told[0].misaligned == k.told[0].mask && !k.told[0].is_write);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0);
}

// A format string that is not there.
static void test_functions(void **state) {
    (void)state;
    uint32_t out[32];
    const stray_sink k = watch(HEAD ".extern .func (.param .b32 ret) vprintf (.param .b64 f, .param .b64 a);\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 3; @%p1 ret;\nmov.u64 %rd2, 64;\n"
        "{ .param .b64 f; .param .b64 a; .param .b32 ret;\nst.param.b64 [f], %rd2; st.param.b64 [a], 0;\n"
        "call.uni (ret), vprintf, (f, a);\nld.param.b32 %r2, [ret]; }\nst.global.u32 [%rd1], %r2;\nret;\n}\n", out);
    assert_int_equal(k.n, 1);
    assert_int_equal(k.told[0].mask, 1u << 3);
    assert_int_equal(out[0], 0);
}

// ---- where accesses have to stay ----

typedef struct homes_sink {
    hw_sink sink;
    uint32_t n;                      // homes of the kernel's second access
    hw_home home;
} homes_sink;

static hw_status keep_homes(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    homes_sink *k = (homes_sink *)sink;
    const hw_homes *h = info->homes;
    uint32_t access = 0;
    (void)diag;
    assert_non_null(h);
    for (uint32_t i = 0; i < info->n_notes; i++)
        if (info->notes[i].kind == HW_NOTE_LOAD) access = info->notes[i].access;
    assert_true(access - h->first_access < h->n_accesses);
    const hw_home_set *set = &h->sets[h->set_of[access - h->first_access]];
    k->n = set->n;
    if (set->n) k->home = h->items[set->first];
    return HW_OK;
}

// A launch with this for the second parameter.
static homes_sink homes_with(bench *b, uint64_t argument) {
    homes_sink k = {.sink = {.events = HW_WANTS(STRAY), .launch_begin = keep_homes, .stray = keep_stray_nowhere}};
    const uint64_t in = b->in;
    b->in = argument;
    assert_int_equal(hw_sim_add_sink(b->sim, &k.sink, NULL), HW_OK);
    assert_int_equal(launch(b, 1, 1), HW_OK);
    hw_sim_remove_sink(b->sim, &k.sink);
    b->in = in;
    return k;
}

static void test_homes_of_arguments(void **state) {
    (void)state;
    bench b = open_bench(KERNEL("", "ld.global.u32 %r6, [%rd2+-4];\n" STORE_RET("%r6")));
    const uint64_t in = b.in, inside[] = {in, in + 4, in + 65535, in + 65536};
    for (int i = 0; i < 4; i++) {
        const homes_sink k = homes_with(&b, inside[i]);
        assert_int_equal(k.n, 1);
        assert_int_equal(k.home.begin, in);
        assert_int_equal(k.home.bytes, 65536);
        assert_int_equal(k.home.space, HW_SPACE_GLOBAL);
    }
    // Numbers, and pointers that point nowhere: nothing is known.
    const uint64_t nowhere[] = {0, 77, in - 4, in + 65537, (uint64_t)(uintptr_t)&b};
    for (int i = 0; i < 5; i++) assert_int_equal(homes_with(&b, nowhere[i]).n, 0);
    assert_int_equal(hw_mem_free(hw_sim_mem(b.sim), in, NULL), HW_OK);
    assert_int_equal(homes_with(&b, in).n, 0);
    static uint32_t own[64];
    hw_mem *mem = hw_sim_mem(b.sim);
    assert_int_equal(hw_mem_register(mem, (uint64_t)(uintptr_t)own, sizeof own, NULL, NULL), HW_OK);
    assert_int_equal(homes_with(&b, (uint64_t)(uintptr_t)&own[1]).n, 0);
    hw_sim_destroy(b.sim);
}

static void test_homes_of_variables(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(".shared .align 4 .b8 other[12]; .shared .align 4 .b8 tile[64];\n",
                                "st.shared.u32 [other], 1;\nld.shared.u32 %r6, [tile+4];\n" STORE_RET("%r6")));
    const homes_sink k = homes_with(&b, b.in);
    assert_int_equal(k.n, 1);
    assert_int_equal(k.home.space, HW_SPACE_SHARED);
    assert_int_equal(k.home.bytes, 64);
    assert_string_equal(k.home.name, "tile");
    hw_sim_destroy(b.sim);
    b = open_bench(KERNEL(".global .align 4 .b8 table[48];\n", "ld.global.u32 %r6, [table+4];\n" STORE_RET("%r6")));
    const homes_sink g = homes_with(&b, b.in);
    assert_int_equal(g.n, 1);
    assert_int_equal(g.home.bytes, 48);
    assert_string_equal(g.home.name, "table");
    hw_sim_destroy(b.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_behind), cmocka_unit_test(test_all_lanes), cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_atomics), cmocka_unit_test(test_shared), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_misaligned_parts), cmocka_unit_test(test_functions),
        cmocka_unit_test(test_homes_of_arguments), cmocka_unit_test(test_homes_of_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
