// The permutation on the processor, against the plainest loop: all element sizes, levels, layouts; with guard bytes
// around what is written, and input arrays that end where their memory ends.
#include "base/alloc.h"
#include "op/transpose/cpu/box.h"
#include "op/transpose/cpu/in_place.h"
#include "op/transpose/cpu/transpose.h"
#include "op/transpose/cpu/transpose_rungs.h"
#include "op_test.h"

static void fill(void *memory, size_t bytes) {
    uint8_t *at = memory;
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(below(1 << 16) >> 5);
}

enum { THREADS = 3 };

static hw_pool *pool;

static int set_up(void **state) {
    (void)state;
    pool = hw_pool_create(THREADS);
    return !pool;
}

static int tear_down(void **state) {
    (void)state;
    hw_pool_destroy(pool);
    return 0;
}

// A case: out is base + first, of `bytes` in all, gaps and guards included. in likewise.
typedef struct layout {
    int64_t stride[8];
    size_t first, bytes;
} layout;

// Axes one after the other in this order, the fastest first; with gaps, turned round, broadcast, as `looseness` says.
static void lay_out(layout *l, int rank, const int64_t *n, const int *order, int looseness, bool is_in, uint32_t elem) {
    int64_t size = looseness && !below(3) ? 1 + below(3) : 1, lowest = 0, highest = 0;
    for (int i = 0; i < rank; i++) {
        int k = order[i];
        l->stride[k] = size;
        size *= n[k] ? n[k] : 1;
        if (looseness && !below(3)) size += below(4);
        if (looseness && !below(6)) l->stride[k] = -l->stride[k];
        if (looseness && is_in && !below(8)) l->stride[k] = 0;
        int64_t reach = (n[k] ? n[k] - 1 : 0) * l->stride[k];
        *(reach < 0 ? &lowest : &highest) += reach;
    }
    l->first = (size_t)-lowest * elem;
    l->bytes = (size_t)(highest - lowest + 1) * elem;
}

typedef struct problem {
    int rank, axes[8];
    int64_t shape[8], out_shape[8];
    uint32_t elem;
} problem;

static DLTensor tensor(void *data, int rank, int64_t *shape, int64_t *strides, uint32_t elem) {
    return (DLTensor){.data = data, .ndim = rank, .shape = shape, .strides = strides,
                      .dtype = {kDLUInt, (uint8_t)(elem == 16 ? 64 : 8 * elem), (uint16_t)(elem == 16 ? 2 : 1)}};
}

// By the axes as they were given: knows nothing of merging.
static void naive(const hw_permutation *p) {
    for (uint64_t i = 0; i < p->elems; i++) {
        uint64_t rest = i;
        int64_t in = 0, out = 0;
        for (uint32_t k = p->rank; k-- > 0; rest /= p->n[k]) {
            in += (int64_t)(rest % p->n[k]) * p->in_stride[k];
            out += (int64_t)(rest % p->n[k]) * p->out_stride[k];
        }
        memcpy((char *)p->out + out * p->elem_bytes, (const char *)p->in + in * p->elem_bytes, p->elem_bytes);
    }
}

static void run_level(const hw_permutation *p, const hw_tile_level *level, uint64_t cache_bytes, uint32_t n_threads) {
    hw_cpu_plan plan;
    hw_cpu_plan_make(p, cache_bytes, &plan);
    char *room = hw_alloc_lanes(hw_cpu_plan_room(&plan, n_threads));
    assert_non_null(room);
    hw_cpu_plan_run(&plan, level, pool, n_threads, room);
    hw_free_aligned(room);
}

enum { GUARD = 80 };

// How often each way was taken: a test that never meets one tests nothing.
static uint32_t ways[3], buffered[2];

static void check(problem *t, layout *in, layout *out, size_t shift, bool every_level) {
    for (int k = 0; k < t->rank; k++) t->out_shape[k] = t->shape[t->axes[k]];
    uint8_t *source = malloc(in->bytes + shift), *expected = malloc(out->bytes + 2 * GUARD);
    uint8_t *got = malloc(out->bytes + 2 * GUARD);
    assert_true(source && expected && got);
    fill(source, in->bytes + shift);
    fill(expected, out->bytes + 2 * GUARD);
    memcpy(got, expected, out->bytes + 2 * GUARD);
    uint8_t *blank = malloc(out->bytes + 2 * GUARD);
    assert_non_null(blank);
    memcpy(blank, expected, out->bytes + 2 * GUARD);
    DLTensor from = tensor(source + shift + in->first, t->rank, t->shape, in->stride, t->elem);
    DLTensor to = tensor(expected + GUARD + out->first, t->rank, t->out_shape, out->stride, t->elem);
    hw_permutation p;
    hw_diag diag = {0};
    assert_int_equal(hw_permutation_make(&from, t->axes, &to, true, &p, &diag), HW_OK);
    naive(&p);
    to.data = got + GUARD + out->first;
    assert_int_equal(hw_permutation_make(&from, t->axes, &to, true, &p, &diag), HW_OK);
    hw_permutation_merge(&p);
    hw_cpu_plan plan;
    hw_cpu_plan_make(&p, 0, &plan);
    ways[plan.way]++;
    buffered[plan.buffered]++;

    assert_int_equal(hw_cpu_transpose(&p, pool, THREADS, &diag), HW_OK);
    assert_memory_equal(got, expected, out->bytes + 2 * GUARD);
    const hw_tile_level *level;
    for (unsigned i = 0; every_level && (level = hw_tile_level_at(i)); i++) {
        for (int way = 0; way < 4; way++) {
            memcpy(got, blank, out->bytes + 2 * GUARD);
            run_level(&p, level, way & 1 ? 0 : UINT64_MAX, way & 2 ? THREADS : 1);
            if (memcmp(got, expected, out->bytes + 2 * GUARD)) print_error("level %s, way %d\n", level->name, way);
            assert_memory_equal(got, expected, out->bytes + 2 * GUARD);
        }
    }
    free(source);
    free(expected);
    free(got);
    free(blank);
}

static void contiguous(problem *t, size_t shift, bool every_level) {
    layout in, out;
    int order[8];
    for (int k = 0; k < t->rank; k++) {
        order[k] = t->rank - 1 - k;
        t->out_shape[k] = t->shape[t->axes[k]];
    }
    lay_out(&in, t->rank, t->shape, order, 0, true, t->elem);
    lay_out(&out, t->rank, t->out_shape, order, 0, false, t->elem);
    check(t, &in, &out, shift, every_level);
}

static void matrices_of_every_size(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 64, 65, 131};
    enum { N = sizeof sizes / sizeof sizes[0] };
    for (uint32_t elem = 1; elem <= 16; elem *= 2)
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                problem t = {.rank = 2, .axes = {1, 0}, .shape = {sizes[i], sizes[k]}, .elem = elem};
                contiguous(&t, (i + k) % 3 * elem, true);
            }
}

static void large_matrices(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1031, 517}, {3, 40000}, {40000, 3}, {512, 1024}, {9001, 64}, {1, 300000}};
    for (uint32_t elem = 1; elem <= 16; elem *= 4)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            problem t = {.rank = 2, .axes = {1, 0}, .shape = {shapes[i][0], shapes[i][1]}, .elem = elem};
            contiguous(&t, i % 2, false);
        }
    // Larger than what stays in the cache: streamed by hw_cpu_transpose itself.
    problem t = {.rank = 3, .axes = {1, 2, 0}, .shape = {57, 211, 103}, .elem = 4};
    contiguous(&t, 1, false);
}

static void random_permutations(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 33, 64, 70, 300};
    memset(ways, 0, sizeof ways);
    memset(buffered, 0, sizeof buffered);
    for (int round = 0; round < 600; round++) {
        problem t = {.rank = (int)below(7), .elem = 1u << below(5)};
        layout in, out;
        int in_order[8], out_order[8];
        int64_t elems = 1;
        for (int k = 0; k < t.rank; k++) {
            t.shape[k] = sizes[below(sizeof sizes / sizeof sizes[0])];
            if (elems * t.shape[k] > 6000) t.shape[k] = 1 + below(2);
            elems *= t.shape[k];
        }
        if (t.rank && !below(20)) t.shape[below((uint32_t)t.rank)] = 0;
        shuffle(t.axes, t.rank);
        for (int k = 0; k < t.rank; k++) t.out_shape[k] = t.shape[t.axes[k]];
        shuffle(in_order, t.rank);
        shuffle(out_order, t.rank);
        int looseness = (int)below(2);
        lay_out(&in, t.rank, t.shape, in_order, looseness, true, t.elem);
        lay_out(&out, t.rank, t.out_shape, out_order, looseness & (int)below(2), false, t.elem);
        check(&t, &in, &out, below(2) * below(17), true);
    }
    for (int k = 0; k < 3; k++) assert_true(ways[k] > 20);
    assert_true(buffered[0] > 20 && buffered[1] > 20);
}

// Rows of 2 KiB are streamed without a buffer.
static void long_runs(void **state) {
    (void)state;
    for (uint32_t elem = 1; elem <= 16; elem *= 4) {
        problem t = {.rank = 3, .axes = {1, 0, 2}, .shape = {9, 11, 2048 / elem + 1}, .elem = elem};
        contiguous(&t, 1, true);
    }
}

// ---- in place ----

static hw_in_place_way check_in_place(int rank, const int64_t *shape, const int *axes, uint32_t elem, uint32_t flip) {
    problem t = {.rank = rank, .elem = elem};
    layout in, out;
    int order[8];
    for (int k = 0; k < rank; k++) {
        t.shape[k] = shape[k];
        order[k] = rank - 1 - k;
    }
    for (int k = 0; k < rank; k++) t.out_shape[k] = shape[axes[k]];
    lay_out(&in, rank, t.shape, order, 0, true, elem);
    lay_out(&out, rank, t.out_shape, order, 0, false, elem);
    size_t bytes = in.bytes + 2 * GUARD;
    uint8_t *original = malloc(bytes), *expected = malloc(bytes), *got = malloc(bytes);
    assert_true(original && expected && got);
    fill(original, bytes);
    memcpy(expected, original, bytes);
    int64_t first = 0;
    for (int k = 0; k < rank; k++) {
        if (!(flip >> k & 1)) continue;
        first += in.stride[k] * (shape[k] - 1);
        in.stride[k] = -in.stride[k];
    }
    DLTensor from = tensor(original + GUARD + first * elem, rank, t.shape, in.stride, elem);
    DLTensor to = tensor(expected + GUARD, rank, t.out_shape, out.stride, elem);
    hw_permutation p;
    hw_diag diag = {0};
    assert_int_equal(hw_permutation_make(&from, axes, &to, true, &p, &diag), HW_OK);
    naive(&p);
    from.data = got + GUARD + first * elem;
    to.data = got + GUARD;
    assert_int_equal(hw_permutation_make(&from, axes, &to, true, &p, &diag), HW_OK);
    assert_true(p.in_place);
    hw_permutation_merge(&p);
    hw_in_place plan;
    hw_in_place_make(&p, &plan);
    for (uint32_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
        memcpy(got, original, bytes);
        // Whatever cannot be allocated, the array is as it was or done.
        for (long allowed = 0;; allowed++) {
            hw_alloc_fail_after(allowed);
            hw_status status = hw_cpu_transpose_in_place(&p, pool, threads, &diag);
            hw_alloc_fail_after(-1);
            if (!status) break;
            assert_int_equal(status, HW_NO_MEMORY);
            assert_memory_equal(got, original, bytes);
            assert_true(allowed < 20);
        }
        assert_memory_equal(got, expected, bytes);
    }
    free(original);
    free(expected);
    free(got);
    return plan.way;
}

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}
#define AXES(...) (const int[]){__VA_ARGS__}

static void squares_in_place(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 3, 16, 31, 64, 65, 129, 200};
    for (uint32_t elem = 1; elem <= 16; elem *= 2) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            int64_t n = sizes[i];
            assert_int_equal(check_in_place(2, SHAPE(n, n), AXES(1, 0), elem, 0), HW_IN_PLACE_SWAP);
            assert_int_equal(check_in_place(3, SHAPE(3, n, n), AXES(0, 2, 1), elem, 0), HW_IN_PLACE_SWAP);
            if (n > 65) continue;
            assert_int_equal(check_in_place(3, SHAPE(n, n, 3), AXES(1, 0, 2), elem, 0), HW_IN_PLACE_SWAP);
            assert_int_equal(check_in_place(3, SHAPE(n, 3, n), AXES(2, 1, 0), elem, 0), HW_IN_PLACE_SWAP);
            assert_int_equal(check_in_place(5, SHAPE(2, n, 3, n, 5), AXES(0, 3, 2, 1, 4), elem, 0), HW_IN_PLACE_SWAP);
        }
        assert_int_equal(check_in_place(3, SHAPE(5, 5, 1200), AXES(1, 0, 2), elem, 0), HW_IN_PLACE_SWAP);
    }
}

static void rectangles_in_place(void **state) {
    (void)state;
    for (uint32_t elem = 1; elem <= 16; elem *= 2) {
        assert_int_equal(check_in_place(2, SHAPE(512, 75), AXES(1, 0), elem, 0), HW_IN_PLACE_PANELS);
        assert_int_equal(check_in_place(2, SHAPE(75, 1024), AXES(1, 0), elem, 0), HW_IN_PLACE_PANELS);
        assert_int_equal(check_in_place(2, SHAPE(2, 640), AXES(1, 0), elem, 0), HW_IN_PLACE_PANELS);
        assert_int_equal(check_in_place(2, SHAPE(101, 103), AXES(1, 0), elem, 0), HW_IN_PLACE_SCRATCH);
        assert_int_equal(check_in_place(3, SHAPE(9, 30, 41), AXES(0, 2, 1), elem, 0), HW_IN_PLACE_SMALL);
        assert_int_equal(check_in_place(3, SHAPE(9, 30, 41), AXES(2, 1, 0), elem, 0), HW_IN_PLACE_SCRATCH);
        assert_int_equal(check_in_place(4, SHAPE(4, 5, 6, 7), AXES(0, 3, 1, 2), elem, 0), HW_IN_PLACE_SMALL);
        assert_int_equal(check_in_place(2, SHAPE(20, 20), AXES(0, 1), elem, 0), HW_IN_PLACE_NOTHING);
        assert_int_equal(check_in_place(1, SHAPE(1000), AXES(0), elem, 1), HW_IN_PLACE_SCRATCH);
        assert_int_equal(check_in_place(2, SHAPE(20, 30), AXES(1, 0), elem, 2), HW_IN_PLACE_SCRATCH);
        assert_int_equal(check_in_place(3, SHAPE(4, 20, 20), AXES(0, 2, 1), elem, 4), HW_IN_PLACE_SMALL);
    }
    // Blocks too large for a thread of their own.
    assert_int_equal(check_in_place(3, SHAPE(2, 512, 301), AXES(0, 2, 1), 8, 0), HW_IN_PLACE_PANELS);
    assert_int_equal(check_in_place(3, SHAPE(2, 501, 307), AXES(0, 2, 1), 8, 0), HW_IN_PLACE_SCRATCH);
}

static void random_in_place(void **state) {
    (void)state;
    uint32_t met[5] = {0};
    for (int round = 0; round < 300; round++) {
        int rank = 1 + (int)below(5), axes[8];
        int64_t shape[8], elems = 1;
        for (int k = 0; k < rank; k++) {
            shape[k] = 1 + below(9);
            if (k && !below(3)) shape[k] = shape[k - 1];
            if (!below(6)) shape[k] *= 32;
            if (elems * shape[k] > 5000) shape[k] = 2;
            elems *= shape[k];
        }
        shuffle(axes, rank);
        met[check_in_place(rank, shape, axes, 1u << below(5), below(4) ? 0 : below(1u << rank))]++;
    }
    for (int k = 0; k < 5; k++) assert_true(met[k] > 0);
}

// ---- rungs ----

static void every_rung_takes_any_matrix(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 77}, {77, 1}, {31, 33}, {32, 32}, {67, 131},
                                        {600, 300}};
    for (int r = 0; r < HW_CPU_TRANSPOSE_RUNGS; r++) {
        const hw_rung *rung = &hw_cpu_transpose_rungs[r];
        assert_true(!r || rung->number > rung[-1].number);
        for (uint32_t elem = 1; elem <= 16; elem *= 2) {
            for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
                uint64_t rows = (uint64_t)shapes[i][0], cols = (uint64_t)shapes[i][1];
                size_t bytes = rows * cols * elem;
                uint8_t *in = malloc(bytes + 1), *expected = malloc(bytes + 1), *got = malloc(bytes + 1);
                assert_true(in && expected && got);
                fill(in, bytes);
                hw_permutation p = {.rank = 2, .elem_bytes = elem, .elems = rows * cols, .n = {cols, rows}, .in = in,
                                    .in_stride = {1, shapes[i][1]}, .out_stride = {shapes[i][0], 1}, .out = expected};
                naive(&p);
                if (rung->is_copy) memcpy(expected, in, bytes);
                expected[bytes] = got[bytes] = 99;
                hw_problem problem = {.size = {rows, cols},
                                      .dtype = {kDLUInt, elem == 16 ? 64 : (uint8_t)(8 * elem), elem == 16 ? 2 : 1}};
                assert_int_equal(rung->native(&problem, (void *[]){in, got}, pool, THREADS, NULL), HW_OK);
                assert_memory_equal(got, expected, bytes + 1);
                free(in);
                free(expected);
                free(got);
            }
        }
    }
}

// ---- the rest ----

static void failed_allocation_writes_nothing(void **state) {
    (void)state;
    uint8_t in[60] = {1}, out[60] = {0}, zero[60] = {0};
    hw_permutation p = {.rank = 2, .elem_bytes = 2, .elems = 30, .n = {5, 6}, .in_stride = {1, 5},
                        .out_stride = {6, 1}, .in = in, .out = out};
    hw_diag diag = {0};
    hw_alloc_fail_after(0);
    hw_status status = hw_cpu_transpose(&p, pool, 1, &diag);
    hw_alloc_fail_after(-1);
    assert_int_equal(status, HW_NO_MEMORY);
    assert_true(diag.text[0]);
    assert_memory_equal(out, zero, sizeof out);
}

static void expect_words(int rank, const int64_t *shape, const int *axes, bool in_place, const char *words) {
    problem t = {.rank = rank};
    char text[2048];
    for (int k = 0; k < rank; k++) {
        t.shape[k] = shape[k];
        t.out_shape[k] = shape[axes[k]];
    }
    DLTensor from = tensor(NULL, rank, t.shape, NULL, 4), to = tensor(NULL, rank, t.out_shape, NULL, 4);
    hw_permutation p;
    assert_int_equal(hw_permutation_make(&from, axes, &to, false, &p, NULL), HW_OK);
    hw_permutation_merge(&p);
    p.in_place = in_place;
    hw_cpu_transpose_explain(&p, text, sizeof text);
    if (!strstr(text, words)) print_error("%s", text);
    assert_non_null(strstr(text, words));
    for (size_t room = 1; room < 40; room++) {
        memset(text, '#', sizeof text);
        hw_cpu_transpose_explain(&p, text, room);
        assert_true(strlen(text) < room && text[room] == '#');
    }
}

static void explanations_name_the_way(void **state) {
    (void)state;
    expect_words(2, SHAPE(8192, 8192), AXES(1, 0), false, "(8192, 8192) strides (1, 8192) of 4 bytes");
    expect_words(2, SHAPE(8192, 8192), AXES(1, 0), false, "transposed in vector registers");
    expect_words(2, SHAPE(8192, 8192), AXES(1, 0), false, "past the cache");
    expect_words(2, SHAPE(8192, 8192), AXES(1, 0), true, "without scratch memory");
    expect_words(2, SHAPE(8192, 6000), AXES(1, 0), true, "panels of 512 rows through 12.288 MB");
    expect_words(2, SHAPE(6000, 8192), AXES(1, 0), true, "panels of 512 columns through 12.288 MB");
    expect_words(2, SHAPE(10007, 9973), AXES(1, 0), true, "through 399.199 MB of scratch memory");
    expect_words(3, SHAPE(100, 20, 30), AXES(0, 2, 1), true, "100 blocks");
    expect_words(3, SHAPE(100, 20, 30), AXES(1, 0, 2), false, "contiguous runs");
    expect_words(1, SHAPE(5), AXES(0), true, "nothing to do");
    expect_words(1, SHAPE(0), AXES(0), false, "nothing to do");
    expect_words(2, SHAPE(1, 1), AXES(0, 1), false, "one element");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_every_size),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(random_permutations),
        cmocka_unit_test(long_runs),
        cmocka_unit_test(squares_in_place),
        cmocka_unit_test(rectangles_in_place),
        cmocka_unit_test(random_in_place),
        cmocka_unit_test(every_rung_takes_any_matrix),
        cmocka_unit_test(failed_allocation_writes_nothing),
        cmocka_unit_test(explanations_name_the_way),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
