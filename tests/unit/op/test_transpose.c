// hw_transpose on devices with kernels: every way that a plan can take, against the plainest loop; misuse. On a machine
// with a GPU, HW_TEST_DEVICE=cuda:0 runs the same on it.
#include "group_device.h"
#include "op/transpose/transpose_plan.h"
#include "transpose_test.h"

// For plans that nobody carries out.
static const hw_device_properties h200 = {.cc = 90, .multiprocessors = 132, .shared_bytes = 227 << 10};

// ---- One transpose against a loop -----------------------------------------------------------------------------------

enum { RANK = 8 };

typedef struct example {
    int rank, axes[RANK];
    int64_t shape[RANK];
    uint32_t elem_bytes, offset_elems;   // of both arrays from a multiple of 256 bytes
    bool in_place;
} example;

static void check(const example *e) {
    if (is_left_out()) return;
    const uint64_t seed_of_next = seed;
    const uint64_t bytes = count_elems(e->rank, e->shape) * e->elem_bytes;
    const uint64_t begin = GUARD + (uint64_t)e->offset_elems * e->elem_bytes, all = begin + bytes + GUARD;
    unsigned char *source = malloc(all), *wanted = malloc(all), *got = malloc(all);
    for (uint64_t i = 0; i < all; i++) source[i] = (unsigned char)below(256);
    if (e->in_place) memcpy(wanted, source, all);
    else memset(wanted, GUARD_BYTE, all);
    transpose_dense(e->rank, e->axes, e->shape, e->elem_bytes, source + begin, wanted + begin);

    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    void *in = NULL, *out = NULL;
    int64_t out_shape[RANK];
    int axes[RANK];   // every second one counted from the last
    for (int i = 0; i < e->rank; i++) out_shape[i] = e->shape[e->axes[i]];
    for (int i = 0; i < e->rank; i++) axes[i] = e->axes[i] - (i % 2 ? e->rank : 0);
    hw_status status = hw_device_alloc(device, all, &in, &diag);
    if (!status) status = hw_device_alloc(device, all, &out, &diag);
    if (!status) status = hw_copy(stream, in, source, all, &diag);
    if (!status) status = hw_fill(stream, out, GUARD_BYTE, all, &diag);
    DLTensor a = {.data = (char *)in + begin, .device = properties->dl, .ndim = e->rank,
                  .dtype = type_of(e->elem_bytes), .shape = (int64_t *)e->shape};
    DLTensor b = a;
    b.shape = out_shape;
    if (!e->in_place) b.data = (char *)out + begin;
    if (!status) status = hw_transpose(stream, &a, axes, &b, &diag);
    if (!status) status = hw_copy(stream, got, e->in_place ? in : out, all, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    char text[4096] = "";
    hw_transpose_explain(device, &a, axes, &b, text, sizeof text, NULL);
    if (status) fail_msg("%s\n%s", diag.text, text);
    expect_bytes(got, wanted, all, begin, text);
    expect_grammar(text);
    hw_device_free(device, in);
    hw_device_free(device, out);
    free(source);
    free(wanted);
    free(got);
    seed = seed_of_next;
}

// ---- Every kind of plan ---------------------------------------------------------------------------------------------

// What each of them is there for stands behind it; test_plan_kinds makes sure that it is so.
static const example chosen[] = {
    {2, {1, 0}, {0, 5}, 4, 0, false},
    {0, {0}, {0}, 4, 0, false},
    {1, {0}, {1}, 1, 0, false},
    {2, {1, 0}, {1, 37}, 2, 0, false},                    // a copy
    {2, {1, 0}, {63, 64}, 4, 0, false},
    {2, {1, 0}, {64, 64}, 4, 0, false},
    {2, {1, 0}, {65, 65}, 4, 0, false},
    {2, {1, 0}, {128, 192}, 4, 0, false},                 // words of 16 bytes
    {2, {1, 0}, {128, 192}, 4, 1, false},                 // the same from an odd address: ragged
    {2, {1, 0}, {131, 257}, 4, 0, false},                 // ragged
    {2, {1, 0}, {131, 257}, 2, 3, false},
    {2, {1, 0}, {131, 257}, 1, 5, false},
    {2, {1, 0}, {131, 257}, 8, 1, false},
    {2, {1, 0}, {57, 61}, 16, 0, false},
    {3, {0, 2, 1}, {3, 97, 101}, 4, 0, false},            // ragged, several matrices
    {3, {2, 1, 0}, {97, 3, 101}, 4, 2, false},
    {2, {1, 0}, {256, 384}, 1, 0, false},                 // small elements turned round in registers
    {2, {1, 0}, {252, 260}, 1, 0, false},
    {2, {1, 0}, {192, 160}, 2, 0, false},
    {2, {1, 0}, {128, 96}, 8, 0, false},
    {2, {1, 0}, {1000, 3}, 4, 0, false},                  // a run of several axes
    {2, {1, 0}, {3, 1000}, 4, 0, false},
    {2, {1, 0}, {3, 1000}, 1, 0, false},
    {3, {2, 0, 1}, {24, 36, 3}, 1, 0, false},
    {3, {1, 0, 2}, {20, 30, 64}, 4, 0, false},            // rows of the same bytes
    {3, {1, 0, 2}, {20, 30, 3}, 4, 0, false},
    {4, {3, 2, 1, 0}, {9, 10, 12, 8}, 4, 0, false},
    {6, {5, 3, 1, 4, 2, 0}, {3, 4, 5, 6, 7, 8}, 4, 0, false},
    {8, {7, 6, 5, 4, 3, 2, 1, 0}, {3, 3, 3, 3, 3, 3, 3, 3}, 2, 0, false},
    {2, {1, 0}, {96, 96}, 4, 0, true},                    // pairs of tiles
    {2, {1, 0}, {97, 97}, 4, 1, true},
    {3, {0, 2, 1}, {3, 65, 65}, 8, 0, true},
    {2, {1, 0}, {160, 160}, 1, 0, true},
    {2, {1, 0}, {33, 33}, 2, 1, true},
    {2, {1, 0}, {40, 40}, 16, 0, true},
    {3, {1, 0, 2}, {24, 24, 8}, 2, 0, true},              // pairs of wider elements
    {2, {1, 0}, {60, 84}, 4, 0, true},                    // through scratch memory
    {3, {1, 0, 2}, {24, 24, 3}, 4, 0, true},
    {3, {0, 1, 2}, {5, 6, 7}, 4, 0, true},                // nothing moves
};
enum { N_CHOSEN = sizeof chosen / sizeof chosen[0] };

static void test_chosen(void **state) {
    (void)state;
    for (size_t i = 0; i < N_CHOSEN; i++) check(&chosen[i]);
}

static void test_random(void **state) {
    (void)state;
    const int rounds = getenv("HW_TEST_DEVICE") ? 400 : 20;   // most of them have a kernel of their own to compile
    for (int i = 0; i < rounds; i++) {
        example e = {.rank = 1 + (int)below(6), .elem_bytes = 1u << below(5), .offset_elems = below(3) ? 0 : below(7),
                     .in_place = below(4) == 0};
        shuffle(e.axes, e.rank);
        do
            for (int k = 0; k < e.rank; k++) e.shape[k] = 1 + below(below(3) ? 20 : 300);
        while (count_elems(e.rank, e.shape) > 60000);
        check(&e);
    }
}

static hw_permutation permutation_of(const example *e) {
    int64_t out_shape[RANK];
    hw_permutation p;
    for (int i = 0; i < e->rank; i++) out_shape[i] = e->shape[e->axes[i]];
    uintptr_t at = 4096 + (uintptr_t)e->offset_elems * e->elem_bytes;
    DLTensor a = {.data = (void *)at, .ndim = e->rank, .dtype = type_of(e->elem_bytes), .shape = (int64_t *)e->shape};
    DLTensor b = a;
    b.shape = out_shape;
    if (!e->in_place) b.data = (void *)(at + (1u << 30));
    assert_int_equal(hw_permutation_make(&a, e->axes, &b, true, &p, NULL), HW_OK);
    hw_permutation_merge(&p);
    hw_permutation_widen(&p, 16);
    return p;
}

static void test_plan_kinds(void **state) {
    (void)state;
    int kinds[HW_TILE_RAGGED + 1] = {0}, micro = 0, words = 0, cut = 0, swaps = 0;
    for (size_t i = 0; i < N_CHOSEN; i++) {
        hw_permutation p = permutation_of(&chosen[i]);
        hw_tile_goals goals = hw_tile_goals_for(&p, &h200);
        hw_tile_plan plan;
        hw_swap_plan swap;
        if (p.in_place) {
            swaps += hw_swap_plan_make(&p, &h200, &swap);
            continue;
        }
        hw_tile_plan_make(&p, &goals, &plan);
        kinds[plan.kind]++;
        micro += plan.micro > 1;
        words += plan.kind == HW_TILE_SHARED && plan.load_vector * plan.micro * plan.elem_bytes == 16;
        for (uint32_t a = 0; a < plan.n_axes; a++) cut += plan.cut[a] >= 0;
    }
    for (int kind = 0; kind <= HW_TILE_RAGGED; kind++) assert_true(kinds[kind] > 0);
    assert_true(micro > 0 && words > 0 && cut > 0 && swaps > 0);
}

// Offsets beyond 2^31 elements, in memory of which only the ends are touched.
static void test_index64(void **state) {
    (void)state;
    enum { ROWS = 40, COLS = 36 };
    const int64_t far = ((int64_t)1 << 31) + 64;
    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    unsigned char ends[2][ROWS * COLS], got[2 * ROWS * COLS], wanted[2 * ROWS * COLS];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ROWS * COLS; i++) ends[k][i] = (unsigned char)below(256);
    for (int k = 0; k < 2; k++)
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLS; c++) wanted[(c * ROWS + r) * 2 + k] = ends[k][r * COLS + c];
    void *in = NULL, *out = NULL;
    hw_status status = hw_device_alloc(device, (size_t)far + ROWS * COLS, &in, &diag);
    if (!status) status = hw_device_alloc(device, sizeof got, &out, &diag);
    for (int k = 0; k < 2 && !status; k++) status = hw_copy(stream, (char *)in + k * far, ends[k], ROWS * COLS, &diag);
    int64_t shape[] = {2, ROWS, COLS}, stride[] = {far, COLS, 1}, out_shape[] = {COLS, ROWS, 2};
    DLTensor a = {.data = in, .device = properties->dl, .ndim = 3, .dtype = type_of(1), .shape = shape,
                  .strides = stride};
    DLTensor b = {.data = out, .device = properties->dl, .ndim = 3, .dtype = type_of(1), .shape = out_shape};
    if (!status) status = hw_transpose(stream, &a, NULL, &b, &diag);
    if (!status) status = hw_copy(stream, got, out, sizeof got, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status) fail_msg("%s", diag.text);
    assert_memory_equal(got, wanted, sizeof got);
    hw_device_free(device, in);
    hw_device_free(device, out);
}

// More than 2^31 elements, for devices with memory and speed for it: rows are checked here and there.
static void test_large(void **state) {
    (void)state;
    enum { ROWS = 65521, COLS = 40009 };
    if (properties->kind != HW_DEVICE_CUDA) skip();
    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    const size_t bytes = (size_t)ROWS * COLS;
    unsigned char *host = malloc(bytes);
    void *in = NULL, *out = NULL;
    for (size_t i = 0; i < bytes; i++) host[i] = (unsigned char)((i * 2654435761u) >> 13);
    hw_status status = hw_device_alloc(device, bytes, &in, &diag);
    if (!status) status = hw_device_alloc(device, bytes, &out, &diag);
    if (!status) status = hw_copy(stream, in, host, bytes, &diag);
    int64_t shape[] = {ROWS, COLS}, turned[] = {COLS, ROWS};
    DLTensor a = {.data = in, .device = properties->dl, .ndim = 2, .dtype = type_of(1), .shape = shape};
    DLTensor b = {.data = out, .device = properties->dl, .ndim = 2, .dtype = type_of(1), .shape = turned};
    if (!status) status = hw_transpose(stream, &a, NULL, &b, &diag);
    if (!status) status = hw_copy(stream, host, out, bytes, &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status) fail_msg("%s", diag.text);
    for (size_t col = 0; col < COLS; col += 97)
        for (size_t row = 0; row < ROWS; row++)
            if (host[col * ROWS + row] != (unsigned char)(((row * COLS + col) * 2654435761u) >> 13))
                fail_msg("element (%zu, %zu) is wrong", row, col);
    hw_device_free(device, in);
    hw_device_free(device, out);
    free(host);
}

// quotient() of kernels/common/boxes.cuh, with the numbers that a plan gives it.
static void test_divisors(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        uint64_t count = i < 500 ? 2 + (uint64_t)i : 2 + below(1u << (1 + below(29)));
        hw_permutation p = {.rank = 2, .elem_bytes = 16, .elems = count * 4, .n = {count, 4}, .in_stride = {8, 1},
                            .out_stride = {16, 1}};
        hw_tile_goals goals = {.arch = hw_arch_find(90), .in_run_bytes = 64, .out_run_bytes = 64,
                               .box_bytes_min = 1, .box_bytes_max = 64,
                               .max_vector_bytes = 16, .threads = 32, .direct_bytes = 16, .shared_bytes = 1024};
        hw_tile_plan plan;
        hw_tile_plan_make(&p, &goals, &plan);
        assert_int_equal(plan.n_grid, 1);
        for (int k = 0; k < 50; k++) {
            uint32_t d = plan.grid[0].count, x = k < 4 ? (uint32_t[]){0, d - 1, d, INT32_MAX}[k] : below(INT32_MAX);
            uint32_t q = ((uint32_t)(((uint64_t)x * plan.grid[0].multiplier) >> 32) + x) >> plan.grid[0].shift;
            if (q != x / d) fail_msg("%u / %u gives %u", x, d, q);
        }
    }
}

static void test_wavefronts(void **state) {
    (void)state;
    const example matrix = {2, {1, 0}, {8192, 8192}, 8, 0, false};
    hw_permutation p = permutation_of(&matrix);
    hw_tile_goals goals = hw_tile_goals_for(&p, &h200);
    hw_tile_plan plan;
    uint64_t stores, loads, ideal;
    hw_tile_plan_make(&p, &goals, &plan);
    assert_int_equal(plan.box[0], 32);
    assert_int_equal(plan.box[1], 32);
    hw_tile_plan_wavefronts(&plan, &stores, &loads, &ideal);
    assert_int_equal(ideal, 2 * 32 * 32 * 8 / 128);
    assert_true(stores + loads <= 2 * ideal);
}

// ---- GPUs with 16 KiB of shared memory ------------------------------------------------------------------------------

// All sizes of elements, to another place and in place, in whole tiles and not; what 48 KiB were once taken for.
static const example tight[] = {
    {2, {1, 0}, {192, 128}, 1, 0, false},
    {2, {1, 0}, {192, 128}, 2, 0, false},
    {2, {1, 0}, {256, 256}, 4, 0, false},
    {2, {1, 0}, {96, 128}, 8, 0, false},
    {2, {1, 0}, {96, 128}, 16, 0, false},
    {2, {1, 0}, {67, 130}, 1, 1, false},
    {2, {1, 0}, {67, 130}, 2, 1, false},
    {2, {1, 0}, {67, 130}, 4, 0, false},
    {2, {1, 0}, {67, 130}, 8, 0, false},
    {2, {1, 0}, {67, 130}, 16, 0, false},
    {3, {2, 1, 0}, {9, 40, 50}, 4, 0, false},
    {2, {1, 0}, {160, 160}, 1, 0, true},
    {2, {1, 0}, {160, 160}, 2, 0, true},
    {2, {1, 0}, {160, 160}, 4, 0, true},
    {2, {1, 0}, {80, 80}, 8, 0, true},
    {2, {1, 0}, {80, 80}, 16, 0, true},
    {2, {1, 0}, {2048, 2048}, 2, 0, true},
};

// A grid has 65535 blocks there: what has more is done in parts, and not in place.
static void expect_parts(bool in_place, const char *expected) {
    int64_t shape[] = {1 << 15, 1 << 15};
    char text[1024];
    DLTensor a = {.data = (void *)4096, .device = properties->dl, .ndim = 2, .dtype = type_of(4), .shape = shape};
    DLTensor b = a;
    if (!in_place) b.data = (void *)((uintptr_t)1 << 40);
    assert_int_equal(hw_transpose_explain(device, &a, NULL, &b, text, sizeof text, NULL), HW_OK);
    if (!strstr(text, expected)) fail_msg("no \"%s\" in:\n%s", expected, text);
}

static void test_shared_memory_of_16k(void **state) {
    (void)state;
    static const char *const names[] = {"sim:8800gtx", "sim:gtx280"};
    if (properties->kind == HW_DEVICE_CUDA) skip();
    hw_device *usual = device;
    for (int i = 0; i < 2; i++) {
        device = open_device(names[i]);
        properties = hw_device_get_properties(device);
        for (size_t k = 0; k < sizeof tight / sizeof tight[0]; k++) check(&tight[k]);
        expect_parts(false, "in 16 parts, each");
        expect_parts(true, "through 4294967296 bytes of scratch memory");
        hw_device_close(device);
    }
    device = usual;
    properties = hw_device_get_properties(device);
    expect_parts(true, "in place, pairs of 64 x 64 tiles");
}

// ---- Misuse ---------------------------------------------------------------------------------------------------------

static void test_misuse(void **state) {
    (void)state;
    hw_diag diag = {0};
    hw_stream *stream = hw_device_stream(device);
    void *memory = NULL;
    assert_int_equal(hw_device_alloc(device, 4096, &memory, &diag), HW_OK);
    static char here[4096];
    int64_t shape[] = {8, 16}, turned[] = {16, 8};
    const DLTensor in = {.data = memory, .device = properties->dl, .ndim = 2, .dtype = type_of(4), .shape = shape};
    DLTensor good = {.data = (char *)memory + 2048, .device = properties->dl, .ndim = 2, .dtype = type_of(4),
                     .shape = turned};
    assert_int_equal(hw_transpose(stream, &in, NULL, &good, &diag), HW_OK);

    assert_int_equal(hw_transpose(NULL, &in, NULL, &good, NULL), HW_USAGE);
    assert_int_equal(hw_transpose(stream, NULL, NULL, &good, NULL), HW_USAGE);
    assert_int_equal(hw_transpose(stream, &in, NULL, NULL, NULL), HW_USAGE);
    assert_int_equal(hw_transpose(stream, &in, (int[]){0, 0}, &good, NULL), HW_USAGE);
    DLTensor bad = good;
    bad.shape = shape;
    assert_int_equal(hw_transpose(stream, &in, NULL, &bad, NULL), HW_USAGE);
    bad = good;
    bad.data = (char *)memory + 256;
    assert_int_equal(hw_transpose(stream, &in, NULL, &bad, NULL), HW_USAGE);
    bad = good;
    bad.device = (DLDevice){kDLROCM, 0};
    assert_int_equal(hw_transpose(stream, &in, NULL, &bad, &diag), HW_USAGE);
    assert_non_null(strstr(diag.text, "out is on a device"));
    bad = good;
    bad.device = (DLDevice){kDLCPU, 0};
    bad.data = here;
    memset(&diag, 0, sizeof diag);
    assert_int_equal(hw_transpose(stream, &in, NULL, &bad, &diag), HW_USAGE);
    assert_non_null(strstr(diag.text, "copy one of them"));
    bad = good;
    bad.dtype = type_of(2);
    assert_int_equal(hw_transpose(stream, &in, NULL, &bad, NULL), HW_USAGE);
    assert_int_equal(hw_transpose_explain(NULL, &in, NULL, &good, here, sizeof here, NULL), HW_USAGE);
    assert_int_equal(hw_transpose_explain(device, &in, NULL, &good, NULL, 0, NULL), HW_USAGE);
    char tiny[8];
    assert_int_equal(hw_transpose_explain(device, &in, NULL, &good, tiny, sizeof tiny, NULL), HW_OK);
    assert_int_equal(strlen(tiny), 7);
    hw_device_free(device, memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_kinds), cmocka_unit_test(test_divisors),      cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_chosen),     cmocka_unit_test(test_random),        cmocka_unit_test(test_index64),
        cmocka_unit_test(test_shared_memory_of_16k),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, open_group_device, close_group_device);
}
