// hw_nearest on a simulated GPU, on the processor, and on a GPU where there is one: to the bit what a plain loop finds,
// for point sets of every kind; what is refused, and what is left untouched then.
#include "base/alloc.h"
#include "points_test.h"

enum { GUARD = 256, GUARD_BYTE = 0xa5, MOST_DEVICES = 3 };
static hw_device *devices[MOST_DEVICES];   // the simulated one first
static const char *device_names[MOST_DEVICES];
static int n_devices;

static int setup(void **state) {
    static const char *const names[] = {"sim:h200", "cpu", "cuda:0"};
    (void)state;
    for (int i = 0; i < MOST_DEVICES; i++) {
        hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
        hw_diag diag = {0};
        hw_status status = hw_device_open(names[i], &options, &devices[n_devices], &diag);
        if (status && strcmp(names[i], "cuda:0")) fail_msg("%s: %s", names[i], diag.text);
        if (status == HW_OK) device_names[n_devices++] = names[i];
    }
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (int i = 0; i < n_devices; i++) hw_device_close(devices[i]);
    return 0;
}

// ---- Point sets -----------------------------------------------------------------------------------------------------

typedef struct problem {
    kind what;
    uint64_t n, q;
    uint32_t dims, k;
    bool is_f64, separate;
    double radius;
    hw_nearest_method method;
    int strides;   // 0: rows; 1: columns; 2: every third row, axes backwards
} problem;

static void plain(const problem *p, const double *points, const double *queries, int64_t *index, double *best) {
    const double limit = p->radius > 0 ? p->radius * p->radius : INFINITY;
    const plain_problem plain = {points, queries, p->n, p->q, p->dims, p->k, p->is_f64, !p->separate,
                                 p->is_f64 ? limit : (float)limit};
    find_plainly(&plain, index, best);
}

// ---- Arrays on a device ---------------------------------------------------------------------------------------------

static void check(hw_status status, const hw_diag *diag) {
    if (status != HW_OK) fail_msg("%s", diag->text);
}

typedef struct rows {
    DLTensor tensor;
    int64_t shape[2], strides[2];
    void *memory;
} rows;

// A device array of the points in one of the layouts.
static void put_rows(hw_device *device, const double *from, uint64_t n, const problem *p, rows *to) {
    const uint64_t step = p->strides == 2 ? 3 : 1, elems = (n * step + 1) * p->dims, bytes = p->is_f64 ? 8 : 4;
    char *host = calloc(elems, bytes);
    hw_diag diag = {0};
    assert_non_null(host);
    to->shape[0] = (int64_t)n;
    to->shape[1] = p->dims;
    to->strides[0] = p->strides == 1 ? 1 : (int64_t)(step * p->dims);
    to->strides[1] = p->strides == 1 ? (int64_t)n : p->strides == 2 ? -1 : 1;
    const uint64_t first = p->strides == 2 ? p->dims - 1 : 0;
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t a = 0; a < p->dims; a++) {
            const double x = from[i * p->dims + a];
            const int64_t offset = (int64_t)first + (int64_t)i * to->strides[0] + (int64_t)a * to->strides[1];
            char *at = host + (int64_t)bytes * offset;
            if (p->is_f64) memcpy(at, &x, 8);
            else memcpy(at, &(float){(float)x}, 4);
        }
    check(hw_device_alloc(device, elems * bytes, &to->memory, &diag), &diag);
    check(hw_copy(hw_device_stream(device), to->memory, host, elems * bytes, &diag), &diag);
    check(hw_stream_synchronize(hw_device_stream(device), &diag), &diag);
    free(host);
    to->tensor = (DLTensor){.data = to->memory, .device = hw_device_get_properties(device)->dl, .ndim = 2,
                            .dtype = {kDLFloat, (uint8_t)(8 * bytes), 1}, .shape = to->shape, .strides = to->strides,
                            .byte_offset = first * bytes};
}

// A contiguous result between guards.
static void put_result(hw_device *device, uint64_t n, const problem *p, DLDataType type, rows *to) {
    const size_t bytes = n * p->k * type.bits / 8 + 2 * GUARD;
    hw_diag diag = {0};
    check(hw_device_alloc(device, bytes, &to->memory, &diag), &diag);
    check(hw_fill(hw_device_stream(device), to->memory, GUARD_BYTE, bytes, &diag), &diag);
    to->shape[0] = (int64_t)n;
    to->shape[1] = p->k;
    to->tensor = (DLTensor){.data = to->memory, .device = hw_device_get_properties(device)->dl,
                            .ndim = p->k == 1 ? 1 : 2, .dtype = type, .shape = to->shape, .byte_offset = GUARD};
}

// The result without its guards, which are checked.
static void *get_result(hw_device *device, const rows *from, const char *what) {
    const size_t bytes = (size_t)(from->shape[0] * from->shape[1]) * from->tensor.dtype.bits / 8 + 2 * GUARD;
    unsigned char *host = malloc(bytes);
    hw_diag diag = {0};
    assert_non_null(host);
    check(hw_copy(hw_device_stream(device), host, from->memory, bytes, &diag), &diag);
    check(hw_stream_synchronize(hw_device_stream(device), &diag), &diag);
    for (size_t i = 0; i < GUARD; i++)
        if (host[i] != GUARD_BYTE || host[bytes - 1 - i] != GUARD_BYTE) fail_msg("%s: written outside", what);
    memmove(host, host + GUARD, bytes - 2 * GUARD);
    return host;
}

typedef struct arrays {
    rows points, queries, indices, distances;
} arrays;

static void put_all(hw_device *device, const problem *p, const double *points, const double *queries, arrays *a) {
    put_rows(device, points, p->n, p, &a->points);
    if (p->separate) put_rows(device, queries, p->q, p, &a->queries);
    else a->queries = (rows){.memory = NULL};
    put_result(device, p->q, p, (DLDataType){kDLInt, 64, 1}, &a->indices);
    put_result(device, p->q, p, (DLDataType){kDLFloat, p->is_f64 ? 64 : 32, 1}, &a->distances);
}

static void free_all(hw_device *device, arrays *a) {
    hw_device_free(device, a->points.memory);
    hw_device_free(device, a->queries.memory);
    hw_device_free(device, a->indices.memory);
    hw_device_free(device, a->distances.memory);
}

static hw_status find(hw_device *device, const problem *p, arrays *a, hw_diag *diag) {
    const hw_nearest_options options = {.k = (int)p->k, .radius = p->radius, .method = p->method};
    return hw_nearest(hw_device_stream(device), &a->points.tensor, p->separate ? &a->queries.tensor : NULL, &options,
                      &a->indices.tensor, &a->distances.tensor, diag);
}

// ---- Comparing ------------------------------------------------------------------------------------------------------

static const char *describe(const problem *p, const char *device) {
    static char text[256];
    snprintf(text, sizeof text, "%s, %s, %s n %d q %d%s d %d k %d radius %g method %d strides %d", device,
             kind_names[p->what], p->is_f64 ? "f64" : "f32", (int)p->n, (int)p->q, p->separate ? " separate" : "",
             (int)p->dims, (int)p->k, p->radius, (int)p->method, p->strides);
    return text;
}

static void compare(const problem *p, const char *name, const int64_t *index, const double *best,
                    const int64_t *got_index,
                    const void *got) {
    for (uint64_t i = 0; i < p->q * p->k; i++) {
        const double d = p->is_f64 ? ((const double *)got)[i] : (double)((const float *)got)[i];
        if (got_index[i] != index[i] || !(d == best[i]))
            fail_msg("%s: neighbour %d of query %d is %lld at %.17g, not %lld at %.17g", name, (int)(i % p->k),
                     (int)(i / p->k), (long long)got_index[i], d, (long long)index[i], best[i]);
    }
}

static void expect_on(hw_device *device, const char *name, const problem *p, const double *points,
                      const double *queries,
                      const int64_t *index, const double *best) {
    arrays a;
    hw_diag diag = {0};
    const char *text = describe(p, name);
    put_all(device, p, points, queries, &a);
    if (find(device, p, &a, &diag)) fail_msg("%s: %s", text, diag.text);
    int64_t *got_index = get_result(device, &a.indices, text);
    void *got = get_result(device, &a.distances, text);
    compare(p, text, index, best, got_index, got);
    free(got_index);
    free(got);
    free_all(device, &a);
}

// q 0: the points themselves.
static void expect(problem p) {
    seed = p.n * 1000 + p.dims * 10 + p.k;
    p.separate = p.q != 0;
    double *points = make_rows(p.what, p.n, p.dims, p.is_f64), *queries = points;
    if (p.separate) queries = make_rows(p.what, p.q, p.dims, p.is_f64);
    else p.q = p.n;
    int64_t *index = malloc((p.q * p.k + 1) * sizeof *index);
    double *best = malloc((p.q * p.k + 1) * sizeof *best);
    assert_true(index && best);
    plain(&p, points, queries, index, best);
    for (int i = 0; i < n_devices; i++) expect_on(devices[i], device_names[i], &p, points, queries, index, best);
    free(index);
    free(best);
    if (p.separate) free(queries);
    free(points);
}

// By both methods; under sanitizers, where simulating is slow, by one of them in turn.
static void expect_both(problem p) {
    static unsigned calls;
    calls++;
    p.method = HW_NEAREST_BRUTE;
    if (!is_sanitized() || calls % 2) expect(p);
    p.method = HW_NEAREST_SEARCH;
    if (!is_sanitized() || calls % 2 == 0) expect(p);
}

// ---- Tests ----------------------------------------------------------------------------------------------------------

// Nothing, one, two, primes, and around a leaf, a node and a tile.
static void counts(void **state) {
    static const uint64_t all[] = {0, 1, 2, 3, 31, 32, 33, 127, 511, 512, 513, 1024, 1025};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && (!is_sanitized() || all[i] < 512); i++) {
        expect_both((problem){UNIFORM, .n = all[i], .dims = 3, .k = 1});
        expect_both((problem){UNIFORM, .n = all[i], .dims = 2, .k = 5});
    }
}

// Each row is a set of kernels to compile, so the other tests keep to these.
static void dimensions_and_neighbours(void **state) {
    static const struct { uint32_t dims, k; bool is_f64; } all[] = {
        {1, 2, true}, {2, 5, false}, {2, 33, false}, {3, 1, false}, {3, 8, false}, {3, 8, true}, {3, 128, false},
        {4, 30, true}, {7, 1, true}, {16, 5, false}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        expect_both((problem){UNIFORM, .n = 163, .dims = all[i].dims, .k = all[i].k, .is_f64 = all[i].is_f64});
}

static void more_neighbours_than_points(void **state) {
    (void)state;
    expect_both((problem){UNIFORM, .n = 7, .dims = 3, .k = 8});
    expect_both((problem){UNIFORM, .n = 7, .dims = 3, .k = 128});
    expect_both((problem){INFINITIES, .n = 40, .dims = 3, .k = 128});
    expect_both((problem){INFINITIES, .n = 40, .dims = 2, .k = 33});
    expect_both((problem){UNIFORM, .n = 0, .q = 3, .dims = 3, .k = 8});
    expect_both((problem){UNIFORM, .n = 0, .q = 300, .dims = 3, .k = 1});
}

static void every_kind(void **state) {
    (void)state;
    for (int what = 0; what < DEVICE_KINDS; what++) {
        const problem all[] = {{(kind)what, .n = 701, .dims = 3, .k = 1},
                               {(kind)what, .n = 401, .dims = 3, .k = 8, .is_f64 = true},
                               {(kind)what, .n = 301, .dims = 2, .k = 33},
                               {(kind)what, .n = 301, .q = 150, .dims = 3, .k = 8}};
        for (int i = 0; i < 4; i++)
            if (!is_sanitized() || i == what % 4) expect_both(all[i]);
    }
}

static void separate_queries(void **state) {
    static const uint64_t q[] = {1, 2, 33, 200, 1500};
    (void)state;
    for (size_t i = 0; i < sizeof q / sizeof q[0] && (!is_sanitized() || q[i] < 100); i++) {
        expect_both((problem){UNIFORM, .n = 500, .q = q[i], .dims = 3, .k = 1});
        expect_both((problem){CLUSTERS, .n = 500, .q = q[i], .dims = 3, .k = 8});
    }
    expect_both((problem){UNIFORM, .n = 9000, .q = 2, .dims = 3, .k = 1});   // in parts
    if (is_sanitized()) return;
    expect_both((problem){GRID, .n = 9000, .q = 2, .dims = 3, .k = 8});
    expect_both((problem){FAR, .n = 9000, .q = 2, .dims = 3, .k = 8});
    expect((problem){UNIFORM, .n = 3000, .q = 40, .dims = 3, .k = 1});
    expect_both((problem){CLUSTERS, .n = 300, .q = 2500, .dims = 3, .k = 1});   // queries in the order of the curve
}

static void radius(void **state) {
    static const double radii[] = {1e-30, 1e-3, 0.1, 0.5, 1, 2, 1e30};
    (void)state;
    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i += is_sanitized() ? 3 : 1) {
        expect_both((problem){UNIFORM, .n = 300, .dims = 3, .k = 1, .radius = radii[i]});
        expect_both((problem){GRID, .n = 300, .dims = 3, .k = 1, .radius = radii[i]});   // at exactly 1
        expect_both((problem){GRID, .n = 300, .dims = 3, .k = 8, .radius = radii[i], .is_f64 = true});
        expect_both((problem){HUGE_DISTANCES, .n = 100, .dims = 3, .k = 1, .radius = radii[i]});
    }
}

static void strides(void **state) {
    (void)state;
    for (int s = 1; s <= 2; s++) {
        expect_both((problem){UNIFORM, .n = 333, .dims = 3, .k = 1, .strides = s});
        expect_both((problem){UNIFORM, .n = 333, .q = 100, .dims = 4, .k = 30, .is_f64 = true, .strides = s});
    }
}

static void infinite_coordinates_of_queries(void **state) {
    (void)state;
    expect_both((problem){INFINITIES, .n = 3, .q = 200, .dims = 1, .k = 2, .is_f64 = true});
    expect_both((problem){INFINITIES, .n = 200, .q = 3, .dims = 2, .k = 5});
}

// GPUs whose lanes have no common minimum, and one without launches whose blocks may wait for each other.
static void other_gpus(void **state) {
    static const char *const names[] = {"sim:v100", "sim:gtx280"};
    hw_device *const before = devices[0];
    const int count = n_devices;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
        hw_diag diag = {0};
        check(hw_device_open(names[i], &options, &devices[0], &diag), &diag);
        n_devices = 1;
        expect_both((problem){UNIFORM, .n = 300, .dims = 3, .k = 1});
        expect_both((problem){GRID, .n = 300, .dims = 3, .k = 8});
        hw_device_close(devices[0]);
    }
    devices[0] = before;
    n_devices = count;
}

// ---- Refused --------------------------------------------------------------------------------------------------------

// The row is named, and no result is written.
static void nan_is_named(void **state) {
    (void)state;
    for (int d = 0; d < n_devices; d++)
        for (int k = 1; k <= 8; k += 7)
            for (int method = HW_NEAREST_BRUTE; method <= HW_NEAREST_SEARCH; method++)
                for (int in_queries = 0; in_queries < 2; in_queries++) {
                    problem p = {UNIFORM, .n = 300, .q = 200, .dims = 3, .k = (uint32_t)k, .separate = in_queries,
                                 .method = (hw_nearest_method)method};
                    double *points = make_rows(UNIFORM, 300, 3, false);
                    double *queries = make_rows(UNIFORM, 200, 3, false);
                    arrays a;
                    hw_diag diag = {0};
                    if (!p.separate) p.q = p.n;
                    (in_queries ? queries : points)[3 * 77 + 2] = (in_queries ? queries : points)[3 * 150] = NAN;
                    put_all(devices[d], &p, points, queries, &a);
                    assert_int_equal(find(devices[d], &p, &a, &diag), HW_USAGE);
                    assert_non_null(strstr(diag.text, in_queries ? "row 77 of queries" : "row 77 of points"));
                    unsigned char *result = get_result(devices[d], &a.indices, "NaN");
                    for (size_t i = 0; i < p.q * p.k * 8; i++) assert_int_equal(result[i], GUARD_BYTE);
                    free(result);
                    free_all(devices[d], &a);
                    free(points);
                    free(queries);
                }
}

static void expect_refused(hw_status expected, const char *words, hw_status status, const hw_diag *diag) {
    if (status != expected || !strstr(diag->text, words)) fail_msg("%d, \"%s\", not %d, \"%s\"", status, diag->text,
                                                                   expected, words);
}

static void refused(void **state) {
    (void)state;
    for (int d = 0; d < n_devices; d++) {
        hw_stream *stream = hw_device_stream(devices[d]);
        const DLDevice dl = hw_device_get_properties(devices[d])->dl;
        int64_t shape[3] = {4, 3, 1}, flat[1] = {4}, wide[2] = {4, 17}, many[2] = {(int64_t)1 << 31, 1};
        int64_t turned[2] = {1, 4};
        int64_t overlapping[2] = {4, 2};
        void *memory;
        hw_diag none = {0};
        check(hw_device_alloc(devices[d], 4096, &memory, &none), &none);
        const DLTensor good = {.data = memory, .device = dl, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
        DLTensor to = {.data = (char *)memory + 1024, .device = dl, .ndim = 1, .dtype = {kDLInt, 64, 1}, .shape = flat};
        DLTensor points = good, result = to;
        const hw_nearest_options one = {.k = 1};
#define REFUSED(status, words, ...)                                                  \
    do {                                                                             \
        hw_diag diag = {0};                                                          \
        expect_refused(status, words, hw_nearest(stream, __VA_ARGS__, &diag), &diag); \
    } while (0)
        REFUSED(HW_USAGE, "points are NULL", NULL, NULL, &one, &to, NULL);
        REFUSED(HW_USAGE, "options are NULL", &good, NULL, NULL, &to, NULL);
        REFUSED(HW_USAGE, "indices are NULL", &good, NULL, &one, NULL, NULL);
        REFUSED(HW_USAGE, "k is 0", &good, NULL, &((hw_nearest_options){.k = 0}), &to, NULL);
        REFUSED(HW_USAGE, "k is 129", &good, NULL, &((hw_nearest_options){.k = 129}), &to, NULL);
        REFUSED(HW_USAGE, "the radius is -1", &good, NULL, &((hw_nearest_options){.k = 1, .radius = -1}), &to, NULL);
        REFUSED(HW_USAGE, "the radius is", &good, NULL, &((hw_nearest_options){.k = 1, .radius = NAN}), &to, NULL);
        REFUSED(HW_USAGE, "the shape of indices", &good, NULL, &((hw_nearest_options){.k = 2}), &to, NULL);
        points.ndim = 1;
        REFUSED(HW_USAGE, "rank 1", &points, NULL, &one, &to, NULL);
        points = good;
        points.dtype.bits = 16;
        REFUSED(HW_UNSUPPORTED, "f16", &points, NULL, &one, &to, NULL);
        points = good;
        points.shape = wide;
        REFUSED(HW_UNSUPPORTED, "17 coordinates", &points, NULL, &one, &to, NULL);
        points.shape = many;
        REFUSED(HW_UNSUPPORTED, "2^31", &points, NULL, &one, &to, NULL);
        points.shape = overlapping;
        REFUSED(HW_USAGE, "queries 2", &good, &points, &one, &to, NULL);
        points = good;
        points.dtype.bits = 64;
        REFUSED(HW_USAGE, "points are f32 and queries f64", &good, &points, &one, &to, NULL);
        points = good;
        points.device.device_type = kDLVulkan;
        REFUSED(HW_USAGE, "points is on a device", &points, NULL, &one, &to, NULL);
        result.dtype.bits = 32;
        REFUSED(HW_UNSUPPORTED, "indices are of i32", &good, NULL, &one, &result, NULL);
        result = to;
        result.data = memory;
        REFUSED(HW_USAGE, "indices and points share memory", &good, NULL, &one, &result, NULL);
        result = to;
        result.shape = shape;
        result.ndim = 3;
        REFUSED(HW_USAGE, "the shape of indices", &good, NULL, &one, &result, NULL);
        result = to;
        result.dtype = good.dtype;
        REFUSED(HW_USAGE, "indices and squared_distances share memory", &good, NULL, &one, &to, &result);
        to.strides = turned;
        to.shape = shape;
        to.ndim = 2;
        REFUSED(HW_USAGE, "not contiguous", &good, NULL, &((hw_nearest_options){.k = 3}), &to, NULL);
#undef REFUSED
        hw_device_free(devices[d], memory);
    }
}

static void explained(void **state) {
    int64_t shape[2] = {100000, 3};
    (void)state;
    for (int d = 0; d < n_devices; d++)
        for (int method = HW_NEAREST_AUTO; method <= HW_NEAREST_SEARCH; method++) {
            const DLTensor points = {.device = hw_device_get_properties(devices[d])->dl, .ndim = 2,
                                     .dtype = {kDLFloat, 32, 1}, .shape = shape};
            char text[2048], little[20];
            hw_diag diag = {0};
            const hw_nearest_options options = {.k = 3, .method = (hw_nearest_method)method};
            check(hw_nearest_explain(devices[d], &points, NULL, &options, text, sizeof text, &diag), &diag);
            const char *problem = strstr(text, "100000 points of 3 coordinates (f32), 3 neighbours, none its own\n");
            assert_non_null(problem);
            assert_null(strstr(strchr(problem, '\n'), " points of "));   // not said twice
            expect_grammar(text);
            check(hw_nearest_explain(devices[d], &points, NULL, &options, little, sizeof little, &diag), &diag);
            assert_int_equal(strlen(little), sizeof little - 1);
        }
}

// Of one and of many of everything.
static void explained_in_right_grammar(void **state) {
    (void)state;
    for (int d = 0; d < n_devices; d++)
        for (int i = 0; i < 32; i++) {
            int64_t shape[2] = {i & 1 ? 1 : 5000, i & 2 ? 1 : 3}, query_shape[2] = {i & 4 ? 1 : 700, shape[1]};
            const DLTensor points = {.device = hw_device_get_properties(devices[d])->dl, .ndim = 2,
                                     .dtype = {kDLFloat, 32, 1}, .shape = shape};
            DLTensor queries = points;
            queries.shape = query_shape;
            char text[2048];
            const hw_nearest_options options = {.k = i & 8 ? 1 : 2,
                                                .method = i & 16 ? HW_NEAREST_BRUTE : HW_NEAREST_SEARCH};
            assert_int_equal(hw_nearest_explain(devices[d], &points, &queries, &options, text, sizeof text, NULL),
                             HW_OK);
            expect_grammar(text);
        }
}

// Allocations fail from the nth on: a status and no leak.
static void without_memory(void **state) {
    (void)state;
    for (int method = HW_NEAREST_BRUTE; method <= HW_NEAREST_SEARCH; method++) {
        const problem p = {UNIFORM, .n = 100, .q = 100, .dims = 3, .k = 8, .method = (hw_nearest_method)method};
        double *points = make_rows(UNIFORM, 100, 3, false);
        arrays a;
        hw_diag diag = {0};
        put_all(devices[0], &p, points, points, &a);
        check(find(devices[0], &p, &a, &diag), &diag);   // compiles
        hw_status status = HW_NO_MEMORY;
        for (long successes = 0; status != HW_OK && successes < 1000; successes++) {
            diag.text[0] = 0;
            hw_alloc_fail_after(successes);
            status = find(devices[0], &p, &a, &diag);
            hw_alloc_fail_after(-1);
            if (status != HW_OK) assert_int_equal(status, HW_NO_MEMORY);
        }
        assert_int_equal(status, HW_OK);
        free_all(devices[0], &a);
        free(points);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(dimensions_and_neighbours),
        cmocka_unit_test(more_neighbours_than_points),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(separate_queries),
        cmocka_unit_test(radius),
        cmocka_unit_test(strides),
        cmocka_unit_test(infinite_coordinates_of_queries),
        cmocka_unit_test(other_gpus),
        cmocka_unit_test(nan_is_named),
        cmocka_unit_test(refused),
        cmocka_unit_test(explained),
        cmocka_unit_test(explained_in_right_grammar),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
