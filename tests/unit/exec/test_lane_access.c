// What observers hear of texels, and of what functions of the device runtime read and write.
#include "exec_bench.h"

#include "mem/texture.h"

typedef struct lane_sink {
    hw_sink sink;
    struct {
        hw_lane_access access;
        hw_lane_bytes list[256];
        hw_note_kind kind;
    } told[64];
    uint32_t n, accesses;
    const hw_note *notes;
} lane_sink;

static hw_status keep_notes(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    (void)diag;
    ((lane_sink *)sink)->notes = info->notes;
    return HW_OK;
}

static void keep_lanes(hw_sink *sink, uint32_t worker, const hw_lane_access *access) {
    lane_sink *k = (lane_sink *)sink;
    assert_int_equal(worker, 0);
    assert_true(k->n < 64 && access->n <= 256);
    assert_true(!k->n || access->where.sequence > k->told[k->n - 1].access.where.sequence);
    k->told[k->n].access = *access;
    k->told[k->n].kind = (hw_note_kind)k->notes[access->note].kind;
    memcpy(k->told[k->n++].list, access->list, access->n * sizeof *access->list);
}

// All that is told of one launch of a block. The caller frees it.
static lane_sink *watch_lanes(const bench *b, uint32_t threads) {
    lane_sink *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->sink = (hw_sink){.events = HW_WANTS(LANE_ACCESS), .launch_begin = keep_notes, .lane_access = keep_lanes};
    assert_int_equal(hw_sim_add_sink(b->sim, &k->sink, NULL), HW_OK);
    assert_int_equal(launch(b, 1, threads), HW_OK);
    hw_sim_remove_sink(b->sim, &k->sink);
    return k;
}

// ---- textures ----

// 8 texels of a float in each of 8 rows, 64 bytes from one to the next, at the beginning of `in`; handle: for a kernel
// that gets it in place of the address.
static uint64_t add_texture(bench *b, bool is_filtered, hw_texture_edge edge) {
    const hw_texture texture = {.address = b->in, .bytes = 8 * 64, .pitch_bytes = 64, .size = {8, 8, 1}, .channels = 1,
                                .channel_bits = 32, .kind = HW_TEXEL_FLOAT, .edge = {edge, edge, edge},
                                .is_filtered = is_filtered};
    uint64_t texels = b->in;
    assert_int_equal(hw_textures_add(hw_mem_textures(hw_sim_mem(b->sim)), &texture, &b->in, NULL), HW_OK);
    return texels;
}

// Lane t fetches at (t % 8, t / 8), a quarter of a texel further for floats.
#define FETCH(COORDINATES, TYPE) KERNEL("", \
    "and.b32 %r5, %r1, 7; shr.u32 %r6, %r1, 3;\n" \
    "cvt.rn.f32.u32 %f1, %r5; cvt.rn.f32.u32 %f2, %r6; add.f32 %f1, %f1, 0f3E800000; add.f32 %f2, %f2, 0f3E800000;\n" \
    "tex.2d.v4.f32." TYPE " {%f3, %f4, %f5, %f6}, [%rd2, {" COORDINATES "}];\n" \
    "mov.b32 %r7, %f3;\n" STORE_RET("%r7"))

static void test_texels_of_integers(void **state) {
    (void)state;
    bench b = open_bench(FETCH("%r5, %r6", "s32"));
    uint64_t texels = add_texture(&b, false, HW_TEXTURE_CLAMP);
    lane_sink *k = watch_lanes(&b, 64);
    assert_int_equal(k->n, 2);
    for (uint32_t warp = 0; warp < 2; warp++) {
        assert_int_equal(k->told[warp].access.where.warp, warp);
        assert_int_equal(k->told[warp].access.n, 32);
        assert_false(k->told[warp].access.is_write);
        for (uint32_t t = 0; t < 32; t++) {
            const hw_lane_bytes *one = &k->told[warp].list[t];
            assert_int_equal(one->lane, t);
            assert_int_equal(one->space, HW_SPACE_GLOBAL);
            assert_int_equal(one->bytes, 4);
            assert_int_equal(one->address, texels + 64 * (4 * warp + t / 8) + 4 * (t % 8));
        }
    }
    hw_sim_destroy(b.sim);
    free(k);
}

// A quarter right of and below a texel's corner lie half of it and parts of its neighbours above and to the left, which
// at the edge are itself, or border.
static void expect_filtered(hw_texture_edge edge, const uint32_t first_lanes[2]) {
    bench b = open_bench(FETCH("%f1, %f2", "f32"));
    uint64_t texels = add_texture(&b, true, edge);
    lane_sink *k = watch_lanes(&b, 32);
    uint32_t of_lane[32] = {0};
    assert_int_equal(k->n, 1);
    for (uint32_t i = 0; i < k->told[0].access.n; i++) {
        const hw_lane_bytes *one = &k->told[0].list[i];
        uint32_t x = one->lane % 8, y = one->lane / 8;
        uint64_t at = one->address - texels, column = at % 64 / 4, row = at / 64;
        assert_true((column == x || column + 1 == x) && (row == y || row + 1 == y));
        for (uint32_t j = 0; j < i; j++)
            assert_false(k->told[0].list[j].lane == one->lane && k->told[0].list[j].address == one->address);
        of_lane[one->lane]++;
    }
    assert_int_equal(of_lane[0], first_lanes[0]);
    assert_int_equal(of_lane[1], first_lanes[1]);
    assert_int_equal(of_lane[9], 4);
    hw_sim_destroy(b.sim);
    free(k);
}

static void test_texels_that_are_filtered(void **state) {
    (void)state;
    expect_filtered(HW_TEXTURE_CLAMP, (const uint32_t[]){1, 2});
    expect_filtered(HW_TEXTURE_BORDER, (const uint32_t[]){1, 2});
}

// A handle that is none is a fault, and nothing is told of it.
static void test_no_texture(void **state) {
    (void)state;
    bench b = open_bench(FETCH("%r5, %r6", "s32"));
    lane_sink k = {.sink = {.events = HW_WANTS(LANE_ACCESS), .launch_begin = keep_notes, .lane_access = keep_lanes}};
    b.in = 999;
    assert_int_equal(hw_sim_add_sink(b.sim, &k.sink, NULL), HW_OK);
    assert_int_equal(launch(&b, 1, 32), HW_FAULT);
    assert_int_equal(k.n, 0);
    hw_sim_destroy(b.sim);
}

// ---- functions ----

static void expect_one(const lane_sink *k, uint32_t at, uint32_t lane, hw_space space, uint32_t bytes, bool is_write) {
    assert_true(at < k->n);
    assert_int_equal(k->told[at].access.n, 1);
    assert_int_equal(k->told[at].access.is_write, is_write);
    assert_int_equal(k->told[at].kind, HW_NOTE_PLAIN);
    assert_int_equal(k->told[at].list[0].lane, lane);
    assert_int_equal(k->told[at].list[0].space, space);
    assert_int_equal(k->told[at].list[0].bytes, bytes);
}

// A format, a number and a string: the lanes one after the other, strings at once with their end.
static void test_printf(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 format[7] = {37, 117, 32, 37, 115, 10, 0};\n"
        ".global .align 1 .b8 word[4] = {97, 98, 99, 0};\n",
        ".local .align 8 .b8 depot[16];\nmov.u64 %rd5, depot; cvta.local.u64 %rd6, %rd5;\n"
        "st.local.u32 [%rd5], %r1; mov.u64 %rd7, word; cvta.global.u64 %rd7, %rd7; st.local.u64 [%rd5+8], %rd7;\n"
        "mov.u64 %rd8, format; cvta.global.u64 %rd8, %rd8;\n"
        "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd8; st.param.b64 [a], %rd6;\n"
        "call.uni (r), vprintf, (f, a); }\nret;\n"));
    lane_sink *k = watch_lanes(&b, 2);
    assert_int_equal(k->n, 8);
    for (uint32_t lane = 0; lane < 2; lane++) {
        expect_one(k, 4 * lane, lane, HW_SPACE_GLOBAL, 7, false);
        expect_one(k, 4 * lane + 1, lane, HW_SPACE_LOCAL, 4, false);
        expect_one(k, 4 * lane + 2, lane, HW_SPACE_LOCAL, 8, false);
        expect_one(k, 4 * lane + 3, lane, HW_SPACE_GLOBAL, 4, false);
        assert_int_equal(k->told[4 * lane + 2].list[0].address, k->told[4 * lane + 1].list[0].address + 8);
    }
    hw_sim_destroy(b.sim);
    free(k);
}

// What math writes through a pointer, into shared memory here.
static void test_results_by_pointer(void **state) {
    (void)state;
    bench b = open_bench(KERNEL(
        ".extern .func (.param .b32 r) __nv_frexpf (.param .b32 x, .param .b64 e);\n.shared .align 4 .b8 e[64];\n",
        "mov.u64 %rd5, e; cvta.shared.u64 %rd5, %rd5; mov.f32 %f1, 0f41000000;\n"
        "{ .param .b32 x; .param .b64 p; .param .b32 r; st.param.f32 [x], %f1; st.param.b64 [p], %rd5;\n"
        "call.uni (r), __nv_frexpf, (x, p); }\nret;\n"));
    lane_sink *k = watch_lanes(&b, 1);
    assert_int_equal(k->n, 1);
    expect_one(k, 0, 0, HW_SPACE_SHARED, 4, true);
    assert_int_equal(k->told[0].list[0].address, 0);
    hw_sim_destroy(b.sim);
    free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texels_of_integers), cmocka_unit_test(test_texels_that_are_filtered),
        cmocka_unit_test(test_no_texture), cmocka_unit_test(test_printf), cmocka_unit_test(test_results_by_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
