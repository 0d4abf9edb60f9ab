// Permutations of axes: every check of hw_transpose's arguments, and merging and widening against the plain walk over
// all elements: the set of (in byte, out byte) pairs must stay what it was.
#include <limits.h>
#include "op/common/overlap.h"
#include "op/transpose/permutation.h"
#include "op_test.h"

static const DLDataType f32 = {kDLFloat, 32, 1}, u8 = {kDLUInt, 8, 1};

typedef struct array {
    DLTensor t;
    int64_t shape[40], strides[40];
} array;

// Points the tensor at the arrays beside it. strides NULL: contiguous.
static DLTensor *tensor(array *a, void *data, DLDataType type, int rank, const int64_t *shape, const int64_t *strides) {
    *a = (array){.t = {.data = data, .ndim = rank, .dtype = type, .device = {kDLCPU, 0}}};
    for (int k = 0; k < rank && k < 40; k++) {
        a->shape[k] = shape[k];
        if (strides) a->strides[k] = strides[k];
    }
    a->t.shape = a->shape;
    if (strides) a->t.strides = a->strides;
    return &a->t;
}

// ---- the mapping of bytes ----

enum { MEMORY = 1 << 16, MOST_PAIRS = 1 << 14 };

static _Alignas(64) uint8_t in_memory[MEMORY], out_memory[MEMORY];

typedef struct pairs {
    uint64_t pair[MOST_PAIRS];
    uint32_t n;
} pairs;

static int compare_pairs(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void list_bytes(const hw_permutation *p, pairs *list) {
    list->n = 0;
    for (uint64_t i = 0; i < p->elems; i++) {
        uint64_t rest = i;
        int64_t in = 0, out = 0;
        for (uint32_t k = p->rank; k-- > 0; rest /= p->n[k]) {
            in += (int64_t)(rest % p->n[k]) * p->in_stride[k];
            out += (int64_t)(rest % p->n[k]) * p->out_stride[k];
        }
        for (uint32_t byte = 0; byte < p->elem_bytes; byte++) {
            uint64_t from = (uint64_t)((const uint8_t *)p->in - in_memory + in * p->elem_bytes + byte);
            uint64_t to = (uint64_t)((uint8_t *)p->out - out_memory + out * p->elem_bytes + byte);
            assert_true(from < MEMORY && to < MEMORY && list->n < MOST_PAIRS);
            list->pair[list->n++] = from << 32 | to;
        }
    }
    qsort(list->pair, list->n, sizeof list->pair[0], compare_pairs);
}

// Axes laid out one after the other in a random order, with gaps and some turned round.
static int64_t random_layout(int rank, const int64_t *n, bool plain, bool may_broadcast, int64_t *stride) {
    int order[8];
    for (int k = 0; k < rank; k++) order[k] = k;
    for (int k = rank; k-- > 1;) {
        int other = (int)below((uint32_t)k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    int64_t size = plain || below(3) ? 1 : 1 + below(3), lowest = 0;
    for (int k = 0; k < rank; k++) {
        int axis = order[k];
        stride[axis] = size;
        size *= n[axis];
        if (!plain && !below(4)) size += below(4);
        if (!plain && !below(4)) stride[axis] = -stride[axis];
        if (may_broadcast && !below(8)) stride[axis] = 0;
        if (stride[axis] < 0) lowest += (n[axis] - 1) * stride[axis];
    }
    return -lowest;
}

static void check_case(pairs *before, pairs *after) {
    int rank = (int)below(7), axes[8];
    int64_t shape[8], in_strides[8], out_shape[8], out_strides[8];
    bool plain = below(2);
    int64_t elems = 1;
    for (int k = 0; k < rank; k++) {
        shape[k] = below(4) ? 1 + below(5) : 1;
        if (elems * shape[k] > 600) shape[k] = 1;
        elems *= shape[k];
        axes[k] = k;
    }
    for (int k = rank; k-- > 1;) {
        int other = (int)below((uint32_t)k + 1), kept = axes[k];
        axes[k] = axes[other];
        axes[other] = kept;
    }
    for (int k = 0; k < rank; k++) out_shape[k] = shape[axes[k]];
    uint32_t bytes = 1u << below(5);
    DLDataType type = {kDLUInt, (uint8_t)(bytes == 16 ? 64 : 8 * bytes), (uint16_t)(bytes == 16 ? 2 : 1)};
    array in, out;
    int64_t in_first = random_layout(rank, shape, plain, true, in_strides);
    int64_t out_first = random_layout(rank, out_shape, plain, false, out_strides);
    tensor(&in, in_memory + below(2) * below(33), type, rank, shape, in_strides);
    tensor(&out, out_memory + below(2) * below(33), type, rank, out_shape, out_strides);
    in.t.byte_offset = (uint64_t)in_first * bytes;
    out.t.byte_offset = (uint64_t)out_first * bytes;
    hw_permutation p;
    hw_diag diag = {0};
    assert_int_equal(hw_permutation_make(&in.t, axes, &out.t, true, &p, &diag), HW_OK);
    list_bytes(&p, before);
    assert_int_equal(p.elems, elems);

    uint32_t rank_before = p.rank;
    hw_permutation_merge(&p);
    list_bytes(&p, after);
    assert_int_equal(before->n, after->n);
    assert_memory_equal(before->pair, after->pair, before->n * sizeof before->pair[0]);
    assert_true(p.rank <= rank_before);
    for (uint32_t k = 0; k < p.rank; k++) {
        assert_true(p.n[k] > 1 && p.out_stride[k] > 0);
        assert_true(!k || p.out_stride[k - 1] > p.out_stride[k]);
        for (uint32_t i = 0; i < k; i++)
            assert_false(p.in_stride[i] == (int64_t)p.n[k] * p.in_stride[k] &&
                         p.out_stride[i] == (int64_t)p.n[k] * p.out_stride[k]);
    }

    uint32_t most = 1u << below(5);
    uint64_t total = p.elems * p.elem_bytes;
    hw_permutation_widen(&p, most);
    list_bytes(&p, after);
    assert_int_equal(p.elems * p.elem_bytes, total);
    assert_true(p.elem_bytes <= most || p.elem_bytes == bytes);
    assert_int_equal(before->n, after->n);
    assert_memory_equal(before->pair, after->pair, before->n * sizeof before->pair[0]);
}

static void merging_and_widening_keep_the_mapping(void **state) {
    (void)state;
    pairs *before = malloc(sizeof *before), *after = malloc(sizeof *after);
    assert_true(before && after);
    for (int i = 0; i < 4000; i++) check_case(before, after);
    free(before);
    free(after);
}

static void expect_merged(int rank, const int64_t *shape, const int *axes, DLDataType type, uint32_t most,
                          const char *text) {
    array in, out;
    int64_t out_shape[40];
    for (int k = 0; k < rank; k++) out_shape[k] = shape[axes ? axes[k] : rank - 1 - k];
    tensor(&in, NULL, type, rank, shape, NULL);
    tensor(&out, NULL, type, rank, out_shape, NULL);
    hw_permutation p;
    hw_diag diag = {0};
    char got[512];
    assert_int_equal(hw_permutation_make(&in.t, axes, &out.t, false, &p, &diag), HW_OK);
    hw_permutation_merge(&p);
    hw_permutation_widen(&p, most);
    assert_string_equal(hw_permutation_format(&p, got, sizeof got), text);
}

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}
#define AXES(...) (const int[]){__VA_ARGS__}

// As NumPy counts them: the same as the axis from the front.
static void negative_axes(void **state) {
    (void)state;
    const int64_t shape[] = {3, 4, 5}, out_shape[] = {5, 3, 4};
    array in, out;
    hw_permutation wanted, p;
    tensor(&in, NULL, f32, 3, shape, NULL);
    tensor(&out, NULL, f32, 3, out_shape, NULL);
    assert_int_equal(hw_permutation_make(&in.t, AXES(2, 0, 1), &out.t, false, &wanted, NULL), HW_OK);
    for (int negative = 1; negative < 8; negative++) {
        int axes[] = {2, 0, 1};
        for (int k = 0; k < 3; k++) axes[k] -= negative >> k & 1 ? 3 : 0;
        assert_int_equal(hw_permutation_make(&in.t, axes, &out.t, false, &p, NULL), HW_OK);
        assert_memory_equal(&p, &wanted, sizeof p);
    }
}

static void known_shapes(void **state) {
    (void)state;
    expect_merged(2, SHAPE(5, 7), NULL, f32, 4, "(7, 5) strides (1, 7)");
    expect_merged(2, SHAPE(5, 7), AXES(0, 1), f32, 4, "(35) strides (1)");
    expect_merged(2, SHAPE(6, 8), AXES(0, 1), f32, 16, "(12) strides (1)");
    expect_merged(2, SHAPE(1, 4), AXES(1, 0), f32, 16, "() strides ()");
    expect_merged(4, SHAPE(2, 3, 4, 5), AXES(2, 3, 0, 1), f32, 4, "(20, 6) strides (1, 20)");
    expect_merged(3, SHAPE(512, 512, 512), AXES(1, 0, 2), f32, 16, "(512, 512, 128) strides (128, 65536, 1)");
    expect_merged(3, SHAPE(6, 5, 4), AXES(1, 0, 2), u8, 16, "(5, 6) strides (1, 5)");
    expect_merged(3, SHAPE(6, 5, 6), AXES(1, 0, 2), u8, 16, "(5, 6, 3) strides (3, 15, 1)");
    expect_merged(6, SHAPE(8, 24, 16, 32, 20, 18), AXES(5, 3, 1, 4, 2, 0), f32, 16,
                  "(18, 32, 24, 20, 16, 8) strides (1, 360, 184320, 18, 11520, 4423680)");
    expect_merged(0, SHAPE(0), NULL, f32, 16, "() strides ()");
    expect_merged(3, SHAPE(4, 0, INT64_MAX), NULL, f32, 16, "no elements");
    int64_t ones[32];
    for (int k = 0; k < 32; k++) ones[k] = k % 4 ? 1 : 2;
    expect_merged(32, ones, NULL, f32, 4,
                  "(2, 2, 2, 2, 2, 2, 2, 2) strides (1, 2, 4, 8, 16, 32, 64, 128)");
}

static void format_fits_its_room(void **state) {
    (void)state;
    hw_permutation p = {.rank = 2, .elem_bytes = 4, .elems = 35, .n = {7, 5}, .in_stride = {1, 7},
                        .out_stride = {8, 1}};
    char text[64];
    assert_string_equal(hw_permutation_format(&p, text, sizeof text), "(7, 5) strides (1, 7) to (8, 1)");
    for (size_t room = 1; room < 20; room++) {
        memset(text, '#', sizeof text);
        assert_true(strlen(hw_permutation_format(&p, text, room)) < room);
        assert_int_equal(text[room], '#');
    }
}

// ---- overlap ----

static bool brute_self(uint32_t rank, const uint64_t *n, const int64_t *stride) {
    uint8_t seen[1024] = {0};
    uint64_t elems = 1;
    for (uint32_t k = 0; k < rank; k++) elems *= n[k];
    for (uint64_t i = 0; i < elems; i++) {
        uint64_t rest = i;
        int64_t at = 512;
        for (uint32_t k = 0; k < rank; k++, rest /= n[k - 1]) at += (int64_t)(rest % n[k]) * stride[k];
        if (seen[at]++) return true;
    }
    return false;
}

static void self_overlap_is_exact(void **state) {
    (void)state;
    int yes = 0, rounds = 20000;
    for (int i = 0; i < rounds; i++) {
        uint64_t n[4];
        int64_t stride[4];
        uint32_t rank = 1 + below(4);
        for (uint32_t k = 0; k < rank; k++) {
            n[k] = 1 + below(5);
            stride[k] = (int64_t)below(50) - 25;
        }
        bool expected = brute_self(rank, n, stride);
        yes += expected;
        assert_int_equal(hw_overlap_self(rank, n, stride), expected ? HW_OVERLAP_YES : HW_OVERLAP_NO);
    }
    assert_true(yes > rounds / 10 && yes < rounds * 9 / 10);
}

static void mark_bytes(const hw_permutation *p, uint8_t *map, const uint8_t *first, const int64_t *stride) {
    for (uint64_t i = 0; i < p->elems; i++) {
        uint64_t rest = i;
        int64_t at = first - in_memory;
        for (uint32_t k = 0; k < p->rank; k++, rest /= p->n[k - 1])
            at += (int64_t)(rest % p->n[k]) * stride[k] * p->elem_bytes;
        memset(map + at, 1, p->elem_bytes);
    }
}

// Two random arrays in one piece of memory: refused exactly when a byte is in both.
static void overlap_is_exact(void **state) {
    (void)state;
    static uint8_t in_map[4096], out_map[4096];
    int counts[3] = {0};
    for (int i = 0; i < 20000; i++) {
        int64_t shape[2] = {1 + below(5), 1 + below(5)}, out_shape[2] = {shape[1], shape[0]};
        int64_t in_strides[2] = {(int64_t)below(24) - 12, (int64_t)below(12) - 6};
        int64_t out_strides[2] = {(int64_t)below(24) - 12, (int64_t)below(12) - 6};
        if (!below(4)) in_strides[0] = shape[1], in_strides[1] = 1, out_strides[0] = shape[0], out_strides[1] = 1;
        DLDataType type = {kDLUInt, (uint8_t)(8 << below(4)), 1};
        array in, out;
        uint8_t *in_at = in_memory + 2048, *out_at = in_at + (below(4) ? (int)below(100) - 50 : 0);
        tensor(&in, in_at, type, 2, shape, in_strides);
        tensor(&out, out_at, type, 2, out_shape, out_strides);
        uint64_t n[2] = {(uint64_t)out_shape[0], (uint64_t)out_shape[1]};
        if (brute_self(2, n, out_strides)) continue;
        hw_permutation p;
        hw_diag diag = {0};
        hw_status status = hw_permutation_make(&in.t, NULL, &out.t, true, &p, &diag);
        hw_permutation plain = {.rank = 2, .elem_bytes = type.bits / 8, .elems = n[0] * n[1], .n = {n[0], n[1]}};
        memset(in_map, 0, sizeof in_map);
        memset(out_map, 0, sizeof out_map);
        mark_bytes(&plain, in_map, in_at, (int64_t[]){in_strides[1], in_strides[0]});
        mark_bytes(&plain, out_map, out_at, out_strides);
        bool shares = false, same = true, gap = false, begun = false, over = false;
        uint64_t used = 0;
        for (size_t k = 0; k < sizeof in_map; k++) {
            shares |= in_map[k] && out_map[k];
            same &= in_map[k] == out_map[k];
            used += in_map[k];
            gap |= over && in_map[k];
            begun |= in_map[k];
            over |= begun && !in_map[k];
        }
        bool in_place = same && !gap && used == plain.elems * plain.elem_bytes;
        counts[in_place ? 2 : shares]++;
        assert_int_equal(status, shares && !in_place ? HW_USAGE : HW_OK);
        if (!status) assert_int_equal(p.in_place, in_place);
    }
    for (int k = 0; k < 3; k++) assert_true(counts[k] > 100);
}

// The search gives up, and says so, where an exact answer would take for ever.
static void tangled_strides_are_refused(void **state) {
    (void)state;
    uint64_t n[12];
    int64_t stride[12];
    for (int k = 0; k < 12; k++) {
        n[k] = 8;
        stride[k] = ((int64_t)1 << 45) + ((int64_t)k * k * k * 7919 << 20) + k * k * 104729 + 1;
    }
    assert_int_not_equal(hw_overlap_self(12, n, stride), HW_OVERLAP_NO);
    uint64_t two[2] = {1000000, 1000000};
    assert_int_equal(hw_overlap_self(2, two, (int64_t[]){1000003, 1000002}), HW_OVERLAP_NO);
    assert_int_equal(hw_overlap_self(2, two, (int64_t[]){999983, 999979}), HW_OVERLAP_YES);
}

// ---- refused arguments ----

typedef struct fixture {
    array in, out;
    hw_permutation p;
    hw_diag diag;
} fixture;

static void reset(fixture *f) {
    *f = (fixture){0};
    tensor(&f->in, in_memory, f32, 2, SHAPE(3, 4), NULL);
    tensor(&f->out, out_memory, f32, 2, SHAPE(4, 3), NULL);
}

static void expect(fixture *f, const int *axes, hw_status status, const char *text) {
    hw_status got = hw_permutation_make(&f->in.t, axes, &f->out.t, true, &f->p, &f->diag);
    if (got != status || !strstr(f->diag.text, text)) print_error("%d: %s\n", got, f->diag.text);
    assert_int_equal(got, status);
    assert_non_null(strstr(f->diag.text, text));
    // The same without anyone to tell.
    assert_int_equal(hw_permutation_make(&f->in.t, axes, &f->out.t, true, &f->p, NULL), status);
    reset(f);
}

static void wrong_tensors(void **state) {
    (void)state;
    fixture f;
    reset(&f);
    expect(&f, NULL, HW_OK, "");
    assert_int_equal(hw_permutation_make(NULL, NULL, &f.out.t, true, &f.p, &f.diag), HW_USAGE);
    assert_string_equal(f.diag.text, "in is NULL");
    f.diag = (hw_diag){0};
    assert_int_equal(hw_permutation_make(&f.in.t, NULL, NULL, true, &f.p, &f.diag), HW_USAGE);
    assert_string_equal(f.diag.text, "out is NULL");
    reset(&f);
    f.in.t.data = NULL;
    expect(&f, NULL, HW_USAGE, "the data of in are NULL");
    f.out.t.data = NULL;
    expect(&f, NULL, HW_USAGE, "the data of out are NULL");
    f.in.t.shape = NULL;
    expect(&f, NULL, HW_USAGE, "no shape");
    f.in.t.ndim = 33;
    expect(&f, NULL, HW_USAGE, "in has rank 33; the most is 32");
    f.out.t.ndim = -1;
    expect(&f, NULL, HW_USAGE, "out has rank -1");
    f.out.t.ndim = 1;
    expect(&f, NULL, HW_USAGE, "in has rank 2 and out rank 1");
    f.in.shape[1] = -4;
    expect(&f, NULL, HW_USAGE, "extent -4");
    f.out.shape[0] = 5;
    expect(&f, NULL, HW_USAGE, "axis 0 of out has the extent 5");
    expect(&f, AXES(0, 1), HW_USAGE, "axis 0 of out has the extent 4");
    expect(&f, AXES(0, 2), HW_USAGE, "2 is no axis");
    expect(&f, AXES(-3, 0), HW_USAGE, "-3 is no axis");
    expect(&f, AXES(0, INT_MIN), HW_USAGE, "-2147483648 is no axis");
    expect(&f, AXES(1, 1), HW_USAGE, "axis 1 comes twice");
    expect(&f, AXES(1, -1), HW_USAGE, "axis 1 comes twice");
}

static void wrong_types(void **state) {
    (void)state;
    fixture f;
    reset(&f);
    f.out.t.dtype = u8;
    expect(&f, NULL, HW_USAGE, "elements of 4 bytes and out of 1");
    static const DLDataType refused[] = {{kDLFloat, 0, 1}, {kDLFloat, 32, 0}, {kDLInt, 4, 1}, {kDLFloat, 32, 3},
                                         {kDLFloat, 80, 1}, {kDLFloat, 64, 4}, {kDLInt, 1, 1}, {kDLFloat, 255, 65535}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        f.in.t.dtype = f.out.t.dtype = refused[i];
        expect(&f, NULL, HW_UNSUPPORTED, "1, 2, 4, 8 and 16 bytes");
    }
    static const DLDataType taken[] = {{kDLInt, 4, 2}, {kDLComplex, 128, 1}, {kDLFloat, 32, 4}, {kDLInt, 1, 8}};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        f.in.t.dtype = f.out.t.dtype = taken[i];
        expect(&f, NULL, HW_OK, "");
    }
}

static void wrong_sizes(void **state) {
    (void)state;
    fixture f;
    reset(&f);
    int64_t large = (int64_t)1 << 20;
    tensor(&f.in, NULL, f32, 2, SHAPE(large, large), NULL);
    tensor(&f.out, NULL, f32, 2, SHAPE(large, large), NULL);
    assert_int_equal(hw_permutation_make(&f.in.t, NULL, &f.out.t, false, &f.p, NULL), HW_OK);
    assert_int_equal(f.p.elems, (uint64_t)1 << 40);
    assert_false(f.p.in_place);
    f.in.shape[0] = f.out.shape[1] = large + 1;
    expect(&f, NULL, HW_UNSUPPORTED, "more than 2^40 elements");
    f.in.shape[0] = f.out.shape[1] = INT64_MAX;
    expect(&f, NULL, HW_UNSUPPORTED, "more than 2^40 elements");
    tensor(&f.in, NULL, f32, 3, SHAPE(INT64_MAX, 0, INT64_MAX), NULL);
    tensor(&f.out, NULL, f32, 3, SHAPE(INT64_MAX, 0, INT64_MAX), NULL);
    expect(&f, NULL, HW_OK, "");
    tensor(&f.in, in_memory, f32, 2, SHAPE(3, 4), SHAPE(INT64_MIN, 1));
    expect(&f, NULL, HW_USAGE, "strides of in span more");
    tensor(&f.in, in_memory, f32, 2, SHAPE(3, 4), SHAPE(INT64_MAX / 2, INT64_MAX / 2));
    expect(&f, NULL, HW_USAGE, "strides of in span more");
    tensor(&f.out, out_memory, f32, 2, SHAPE(4, 3), SHAPE(INT64_MAX / 20, 1));
    expect(&f, NULL, HW_USAGE, "strides of out span more");
    tensor(&f.out, (void *)64, f32, 2, SHAPE(4, 3), SHAPE(-1000, 1));
    expect(&f, NULL, HW_USAGE, "out does not fit into the address space");
    f.in.t.byte_offset = UINT64_MAX - 8;
    expect(&f, NULL, HW_USAGE, "in does not fit into the address space");
    // A stride that is never used may be anything.
    tensor(&f.in, in_memory, f32, 2, SHAPE(1, 4), SHAPE(INT64_MIN, 1));
    tensor(&f.out, out_memory, f32, 2, SHAPE(4, 1), SHAPE(1, INT64_MAX));
    expect(&f, NULL, HW_OK, "");
}

static void wrong_memory(void **state) {
    (void)state;
    fixture f;
    reset(&f);
    tensor(&f.out, out_memory, f32, 2, SHAPE(4, 3), SHAPE(0, 1));
    expect(&f, NULL, HW_USAGE, "two of its elements share memory");
    tensor(&f.out, out_memory, f32, 2, SHAPE(4, 3), SHAPE(2, 1));
    expect(&f, NULL, HW_USAGE, "two of its elements share memory");
    tensor(&f.in, in_memory, f32, 2, SHAPE(3, 4), SHAPE(0, 0));
    expect(&f, NULL, HW_OK, "");
    f.out.t.data = in_memory + 44;
    expect(&f, NULL, HW_USAGE, "in and out share memory");
    f.out.t.data = in_memory + 48;
    expect(&f, NULL, HW_OK, "");
    f.out.t.data = in_memory;
    expect(&f, NULL, HW_OK, "");
    // In place with gaps.
    tensor(&f.in, in_memory, f32, 2, SHAPE(3, 3), SHAPE(4, 1));
    tensor(&f.out, in_memory, f32, 2, SHAPE(3, 3), SHAPE(4, 1));
    expect(&f, NULL, HW_USAGE, "in and out share memory");
    // The left half of a matrix into its right half.
    tensor(&f.in, in_memory, f32, 2, SHAPE(64, 64), SHAPE(128, 1));
    tensor(&f.out, in_memory + 256, f32, 2, SHAPE(64, 64), SHAPE(128, 1));
    expect(&f, NULL, HW_OK, "");
    f.in.t.data = NULL;
    f.out.t.data = NULL;
    assert_int_equal(hw_permutation_make(&f.in.t, NULL, &f.out.t, false, &f.p, NULL), HW_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_and_widening_keep_the_mapping),
        cmocka_unit_test(known_shapes),
        cmocka_unit_test(negative_axes),
        cmocka_unit_test(format_fits_its_room),
        cmocka_unit_test(self_overlap_is_exact),
        cmocka_unit_test(overlap_is_exact),
        cmocka_unit_test(tangled_strides_are_refused),
        cmocka_unit_test(wrong_tensors),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(wrong_sizes),
        cmocka_unit_test(wrong_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
