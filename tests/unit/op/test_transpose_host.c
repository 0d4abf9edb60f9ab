// hw_transpose of arrays of this machine, in pieces through a device that has little memory; and the kernel that writes
// runs into this machine's memory. With HW_TEST_DEVICE=cuda:0 the same on a GPU.
#include "device/device.h"
#include "op/transpose/transpose_gpu.h"
#include "op/transpose/transpose_pieces.h"
#include "op/transpose/transpose_send.h"
#include "transpose_test.h"

enum { RANK = 6 };

static hw_device *open_limited(uint64_t memory_limit) { return open_device_with(usual_device(), memory_limit, 0); }

typedef struct example {
    uint64_t memory_limit;
    uint32_t elem_bytes;
    bool is_pinned;
    uint32_t shift;              // bytes from a word of 16 to the beginning of out
    int rank, axes[RANK];
    int64_t shape[RANK];
} example;

static void fill(unsigned char *bytes, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) bytes[i] = (unsigned char)((i * 2654435761u) >> 13);
}

static uint32_t random_below(uint64_t *seed, uint32_t n) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % n);
}

static void *allocate(hw_device *device, const example *e, uint64_t bytes) {
    void *memory = NULL;
    if (!e->is_pinned) memory = malloc(bytes);
    else assert_int_equal(hw_host_alloc(device, bytes, &memory, NULL), HW_OK);
    assert_non_null(memory);
    return memory;
}

static void check(const example *e) {
    if (is_left_out()) return;
    hw_device *device = open_limited(e->memory_limit);
    hw_diag diag = {0};
    const uint64_t bytes = count_elems(e->rank, e->shape) * e->elem_bytes, all = bytes + 2 * GUARD;
    const uint64_t begin = GUARD + e->shift;
    unsigned char *in = allocate(device, e, all), *out = allocate(device, e, all), *wanted = malloc(all);
    fill(in, all);
    memset(out, GUARD_BYTE, all);
    memset(wanted, GUARD_BYTE, all);
    transpose_dense(e->rank, e->axes, e->shape, e->elem_bytes, in + GUARD, wanted + begin);
    int64_t out_shape[RANK];
    for (int i = 0; i < e->rank; i++) out_shape[i] = e->shape[e->axes[i]];
    DLTensor a = {.data = in + GUARD, .device = {e->is_pinned ? kDLCUDAHost : kDLCPU, 0}, .ndim = e->rank,
                  .dtype = type_of(e->elem_bytes), .shape = (int64_t *)e->shape};
    DLTensor b = a;
    b.data = out + begin;
    b.shape = out_shape;
    char text[4096];
    assert_int_equal(hw_transpose_explain(device, &a, e->axes, &b, text, sizeof text, &diag), HW_OK);
    assert_non_null(strstr(text, " piece"));
    assert_true(!strstr(text, "97_send.cu") == !e->is_pinned);
    expect_grammar(text);
    if (hw_transpose(hw_device_stream(device), &a, e->axes, &b, &diag)) fail_msg("%s\n%s", diag.text, text);
    expect_bytes(out, wanted, all, begin, text);
    if (e->is_pinned) {
        hw_host_free(device, in);
        hw_host_free(device, out);
    } else {
        free(in);
        free(out);
    }
    free(wanted);
    hw_device_close(device);
}

static void pieces(void **state) {
    (void)state;
    static const example examples[] = {
        {0, 4, false, 0, 2, {1, 0}, {300, 500}},
        {256 << 10, 4, false, 0, 2, {1, 0}, {300, 500}},     // 600,000 bytes each
        {256 << 10, 4, true, 0, 2, {1, 0}, {701, 211}},
        {256 << 10, 4, true, 12, 2, {1, 0}, {701, 211}},
        {100000, 1, true, 7, 2, {1, 0}, {509, 601}},
        {100000, 2, true, 5, 3, {2, 0, 1}, {31, 90, 70}},   // at no multiple of an element
        {100000, 16, true, 8, 2, {1, 0}, {60, 70}},
        {64 << 10, 4, false, 0, 2, {1, 0}, {3, 50000}},      // in's slowest axis is out's fastest, and short
        {64 << 10, 4, true, 0, 2, {1, 0}, {50000, 3}},
        {4096, 4, false, 0, 2, {1, 0}, {64, 256}},           // not even a row at a time
        {4096, 1, false, 0, 3, {2, 1, 0}, {2, 4096, 2}},
        {100000, 2, true, 0, 2, {1, 0}, {900, 1100}},
        {30000, 8, false, 0, 3, {2, 0, 1}, {17, 40, 33}},
        {9000, 4, false, 0, 4, {2, 0, 3, 1}, {7, 11, 13, 9}},
        {9000, 4, true, 0, 4, {3, 1, 2, 0}, {5, 12, 10, 16}},
        {100000, 1, true, 2, 3, {1, 0, 2}, {900, 700, 3}},   // pixels
        {40000, 1, false, 0, 3, {1, 0, 2}, {400, 300, 3}},
        {100000, 2, true, 0, 4, {1, 2, 0, 3}, {50, 40, 30, 2}},
        {100000, 4, true, 0, 4, {2, 1, 0, 3}, {3, 50, 400, 2}},
        {20000, 16, false, 0, 3, {1, 2, 0}, {31, 8, 24}},
        {4000, 1, false, 0, 5, {4, 3, 2, 1, 0}, {3, 5, 7, 4, 6}},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) check(&examples[i]);
}

// Ranks, extents, orders, elements, places and memory of all kinds.
static void random_arrays(void **state) {
    (void)state;
    uint64_t seed = 0x9e3779b97f4a7c15u;
    const int rounds = getenv("HW_TEST_DEVICE") ? 60 : 20;   // each has kernels of its own to compile
    for (int i = 0; i < rounds; i++) {
        example e = {.memory_limit = 4096 + random_below(&seed, 60000), .elem_bytes = 1u << random_below(&seed, 5),
                     .is_pinned = random_below(&seed, 3) > 0, .rank = 2 + (int)random_below(&seed, RANK - 1)};
        e.shift = random_below(&seed, 2) ? random_below(&seed, 16) : 0;
        uint64_t room = 40000 / e.elem_bytes;
        for (int k = 0; k < e.rank; k++) {
            const uint64_t most = random_below(&seed, 3) ? room : 4;
            e.shape[k] = 1 + (int64_t)random_below(&seed, (uint32_t)(most < room ? most : room));
            room /= (uint64_t)e.shape[k];
            const int at = (int)random_below(&seed, (uint32_t)k + 1);   // a random order, one more axis each time
            e.axes[k] = e.axes[at];
            e.axes[at] = k;
        }
        check(&e);
    }
}

static void too_large(void **state) {
    (void)state;
    hw_device *small = open_limited(100);   // a piece is at least one element
    hw_diag diag = {0};
    static char in[1 << 12], out[1 << 12];
    int64_t shape[] = {16, 16};
    DLTensor a = {.data = in, .device = {kDLCPU, 0}, .ndim = 2, .dtype = type_of(16), .shape = shape};
    DLTensor b = a;
    b.data = out;
    assert_int_equal(hw_transpose(hw_device_stream(small), &a, NULL, &b, &diag), HW_NO_MEMORY);
    assert_non_null(strstr(diag.text, "too few"));
    hw_device_close(small);
}

// Runs of out are long enough, those of in are whole rows where they may be.
static void pieces_of_large_arrays(void **state) {
    (void)state;
    static const struct {
        uint32_t elem_bytes, wanted_mib;
        uint64_t n[2];               // of in
        uint64_t rows, cols, pieces;
    } examples[] = {
        {4, 64, {32768, 32768}, 512, 32768, 64},
        {4, 64, {40007, 30011}, 544, 30011, 74},
        {1, 32, {65536, 32768}, 2048, 32768, 32},
        {4, 60, {1000000, 1000}, 15648, 1000, 64},
        {4, 32, {1000, 1 << 26}, 512, 16384, 8192},   // not even a row at a time
        {8, 64, {3, 1 << 26}, 3, 2684384, 25},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const uint64_t *n = examples[i].n;
        const hw_permutation p = {.rank = 2, .elem_bytes = examples[i].elem_bytes, .elems = n[0] * n[1],
                                  .n = {n[1], n[0]}, .in_stride = {1, (int64_t)n[1]},
                                  .out_stride = {(int64_t)n[0], 1}};
        hw_cut cut;
        assert_true(hw_cut_choose(&p, (uint64_t)examples[i].wanted_mib << 20, 128 << 20, &cut));
        const hw_part first = hw_part_of(&p, &cut, 0), last = hw_part_of(&p, &cut, cut.pieces - 1);
        assert_int_equal(first.n[1], examples[i].rows);
        assert_int_equal(first.n[0], examples[i].cols);
        assert_int_equal(cut.pieces, examples[i].pieces);
        assert_int_equal(last.in_first + (last.n[1] - 1) * n[1] + last.n[0], p.elems);
        assert_int_equal(last.out_first + (last.n[0] - 1) * n[0] + last.n[1], p.elems);
    }
}

// Rows and columns of an image change places, its three colours stay: runs of whole pixels.
static void pieces_of_an_image(void **state) {
    (void)state;
    const uint64_t rows = 20000, cols = 1 << 20;
    const hw_permutation p = {.rank = 3, .elem_bytes = 1, .elems = rows * cols * 3, .n = {cols, rows, 3},
                              .in_stride = {3, 3 * (int64_t)cols, 1}, .out_stride = {3 * (int64_t)rows, 3, 1}};
    hw_cut cut;
    assert_true(hw_cut_choose(&p, 64 << 20, 128 << 20, &cut));
    const hw_part first = hw_part_of(&p, &cut, 0), last = hw_part_of(&p, &cut, cut.pieces - 1);
    assert_true(first.n[2] == 3 && first.n[1] == 672 && first.n[0] == 32768 && first.runs == 672);
    assert_true(first.run == 3 * 32768 && first.pitch == 3 * cols && cut.pieces == 30 * 32);
    assert_int_equal(last.in_first + (last.runs - 1) * last.pitch + last.run, p.elems);
}

// ---- What a kernel sends --------------------------------------------------------------------------------------------

// An array out that begins `shift` bytes behind a word of 16, in pieces of up to `piece_bytes`. It lies on the device,
// so that a simulation can run the kernel too.
typedef struct send_example {
    uint32_t elem_bytes, shift, piece_bytes, blocks;
    int rank, axes[RANK];
    int64_t shape[RANK];
} send_example;

static void *device_memory(hw_device *device, uint64_t bytes) {
    void *memory = NULL;
    assert_int_equal(hw_device_alloc(device, bytes, &memory, NULL), HW_OK);
    return memory;
}

// As transpose_host.c does it, one piece at a time.
static void send_piece(hw_stream *stream, const hw_permutation *p, const hw_part *part, uint32_t blocks, void *in,
                       void *turned) {
    hw_diag diag = {0};
    const uint64_t e = p->elem_bytes;
    char *to = (char *)p->out + part->out_first * e;
    const char *from = (const char *)p->in + part->in_first * e;
    assert_int_equal(hw_copy_2d(stream, in, part->run * e, from, part->pitch * e, part->run * e, part->runs, &diag), 0);
    turned = hw_part_in_words(p, part, turned);
    const hw_permutation turn = hw_part_move(p, part, in, HW_LIKE_IN, turned, HW_LIKE_WORDS_OF_OUT);
    if (hw_gpu_transpose(stream, &turn, &diag)) fail_msg("%s", diag.text);
    const hw_permutation runs = hw_part_move(p, part, turned, HW_LIKE_WORDS_OF_OUT, to, HW_IN_OUT);
    hw_event *begin;
    assert_int_equal(hw_event_create(hw_stream_device(stream), &begin, NULL), HW_OK);
    if (hw_send(stream, &runs, blocks, begin, &diag)) fail_msg("%s", diag.text);
    hw_event_destroy(begin);
}

static void check_send(hw_device *device, const send_example *e) {
    enum { GAP_BYTE = 0x5b };
    hw_stream *stream = hw_device_stream(device);
    const uint64_t bytes = count_elems(e->rank, e->shape) * e->elem_bytes, all = bytes + 2 * GUARD;
    const uint64_t begin = GUARD + e->shift;
    unsigned char *source = malloc(all), *got = malloc(all), *wanted = malloc(all);
    char *in = device_memory(device, all), *out = device_memory(device, all);
    fill(source, all);
    memset(wanted, GUARD_BYTE, all);
    transpose_dense(e->rank, e->axes, e->shape, e->elem_bytes, source + GUARD, wanted + begin);
    assert_int_equal(hw_copy(stream, in, source, all, NULL), HW_OK);
    assert_int_equal(hw_fill(stream, out, GUARD_BYTE, all, NULL), HW_OK);
    int64_t out_shape[RANK];
    for (int i = 0; i < e->rank; i++) out_shape[i] = e->shape[e->axes[i]];
    DLTensor a = {.data = in + GUARD, .device = hw_device_get_properties(device)->dl, .ndim = e->rank,
                  .dtype = type_of(e->elem_bytes), .shape = (int64_t *)e->shape};
    DLTensor b = a;
    b.data = out + begin;
    b.shape = out_shape;
    hw_permutation p;
    hw_cut cut;
    assert_int_equal(hw_permutation_make(&a, e->axes, &b, true, &p, NULL), HW_OK);
    hw_permutation_merge(&p);
    assert_true(hw_cut_choose(&p, e->piece_bytes, e->piece_bytes, &cut));
    const hw_part first = hw_part_of(&p, &cut, 0);
    const uint64_t turned_bytes = hw_part_words_bytes(&p, &first);
    void *piece = device_memory(device, first.elems * e->elem_bytes), *turned = device_memory(device, turned_bytes);
    assert_int_equal(hw_fill(stream, turned, GAP_BYTE, turned_bytes, NULL), HW_OK);
    for (uint64_t i = 0; i < cut.pieces; i++) {   // the last first, over which no later one would write
        const hw_part part = hw_part_of(&p, &cut, cut.pieces - 1 - i);
        send_piece(stream, &p, &part, e->blocks, piece, turned);
    }
    hw_diag diag = {0};
    assert_int_equal(hw_copy(stream, got, out, all, &diag), HW_OK);
    if (hw_stream_synchronize(stream, &diag)) fail_msg("%s", diag.text);
    expect_bytes(got, wanted, all, begin, "sent");
    void *const on_device[] = {in, out, piece, turned};
    for (int i = 0; i < 4; i++) hw_device_free(device, on_device[i]);
    free(source);
    free(got);
    free(wanted);
}

static void kernels_send_runs(void **state) {
    (void)state;
    static const send_example examples[] = {
        {4, 0, 1 << 20, 22, 2, {1, 0}, {600, 400}},      // one piece: one run
        {4, 0, 64 << 10, 22, 2, {1, 0}, {600, 400}},     // whole words
        {4, 4, 64 << 10, 3, 2, {1, 0}, {517, 331}},      // rows of out begin anywhere
        {1, 0, 40000, 5, 2, {1, 0}, {701, 499}},
        {1, 3, 9000, 1, 2, {1, 0}, {701, 499}},
        {2, 1, 30000, 7, 2, {1, 0}, {333, 777}},         // not even at a multiple of an element
        {8, 8, 50000, 22, 2, {1, 0}, {257, 259}},
        {16, 0, 9000, 22, 2, {1, 0}, {100, 70}},
        {16, 8, 9000, 22, 2, {1, 0}, {31, 70}},
        {4, 0, 20000, 22, 3, {0, 2, 1}, {9, 65, 130}},
        {4, 0, 20000, 22, 3, {1, 0, 2}, {40, 50, 7}},    // runs of seven elements and more
        {1, 5, 600, 22, 3, {2, 1, 0}, {11, 13, 17}},     // runs of few bytes
        {2, 2, 6000, 22, 4, {3, 1, 2, 0}, {20, 6, 10, 30}},
    };
    hw_device *device = open_limited(0);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) check_send(device, &examples[i]);
    hw_device_close(device);
}

static void blocks_keep_pace(void **state) {
    (void)state;
    static const struct {
        uint32_t blocks;
        double come, go;
        uint32_t wanted;
    } all[] = {
        {22, 1.00, 1.02, 22}, {22, 1.00, 0.98, 22},   // chance
        {22, 1.00, 1.10, 23}, {22, 1.10, 1.00, 21},
        {22, 1.00, 1.50, 28}, {20, 1.00, 0.50, 14},   // half the way, and a little more
        {22, 1.00, 900.0, 34}, {20, 900, 1.00, 9},    // one sample may be chance
        {1, 1.00, 0.50, 1},   {1, 1.00, 2.00, 2},     {130, 1.00, 3.00, 132}, {132, 1.00, 1.10, 132},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(hw_send_pace(all[i].blocks, all[i].come, all[i].go, 132), all[i].wanted);
    // A bus that takes 2 of each block, up to 48 for both ways together, settles from either side.
    for (uint32_t first = 1; first <= 132; first += 131) {
        uint32_t blocks = first;
        for (int i = 0; i < 12; i++) blocks = hw_send_pace(blocks, blocks > 24 ? blocks / 24. : 1, 24. / blocks, 132);
        assert_in_range(blocks, 23, 25);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),
        cmocka_unit_test(random_arrays),
        cmocka_unit_test(too_large),
        cmocka_unit_test(pieces_of_large_arrays),
        cmocka_unit_test(pieces_of_an_image),
        cmocka_unit_test(kernels_send_runs),
        cmocka_unit_test(blocks_keep_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
