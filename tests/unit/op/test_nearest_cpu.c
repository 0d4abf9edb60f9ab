// Nearest neighbours on the processor: every level, both ways and any number of threads give what the plainest loop
// gives, to the bit, on points of all manners.
#define _GNU_SOURCE
#include "base/alloc.h"
#include "op/nearest/cpu/nearest.h"
#include "points_test.h"

enum { THREADS = 7 };
static hw_pool *pool;

static int make_pool(void **state) {
    (void)state;
    pool = hw_pool_create(THREADS);
    return pool ? 0 : -1;
}

static int free_pool(void **state) {
    (void)state;
    hw_pool_destroy(pool);
    return 0;
}

// ---- Points ---------------------------------------------------------------------------------------------------------

typedef struct points {
    bool is_f64;
    double *as_f64;
    float *as_f32;
    hw_point_rows rows;
} points;

// axis_major: the rows lie across; is_reversed: the last row comes first.
static points make_points(kind what, uint64_t n, unsigned d, bool is_f64, bool axis_major, bool is_reversed) {
    points p = {.is_f64 = is_f64, .as_f64 = malloc(n * d * 8 + 8), .as_f32 = malloc(n * d * 4 + 4)};
    const int64_t row = axis_major ? 1 : d, axis = axis_major ? (int64_t)n : 1;
    double *rows = make_rows(what, n, d, is_f64);
    p.rows = (hw_point_rows){.count = n, .row_stride = is_reversed ? -row : row, .axis_stride = axis};
    for (uint64_t i = 0; i < n; i++)
        for (unsigned a = 0; a < d; a++) {
            p.as_f64[(int64_t)i * row + a * axis] = rows[i * d + a];
            p.as_f32[(int64_t)i * row + a * axis] = (float)rows[i * d + a];
        }
    const int64_t first = is_reversed && n ? (int64_t)(n - 1) * row : 0;
    p.rows.data = is_f64 ? (const void *)(p.as_f64 + first) : (const void *)(p.as_f32 + first);
    free(rows);
    return p;
}

static void free_points(points *p) {
    free(p->as_f64);
    free(p->as_f32);
}

// ---- The plainest loop ----------------------------------------------------------------------------------------------

static double coordinate_of(const hw_point_rows *rows, bool is_f64, uint64_t i, unsigned a) {
    const int64_t at = (int64_t)i * rows->row_stride + a * rows->axis_stride;
    return is_f64 ? ((const double *)rows->data)[at] : ((const float *)rows->data)[at];
}

// Row by row, as the plain loop takes them.
static double *gather(const hw_point_rows *rows, uint32_t dims, bool is_f64) {
    double *gathered = malloc((rows->count * dims + 1) * sizeof *gathered);
    assert_non_null(gathered);
    for (uint64_t i = 0; i < rows->count; i++)
        for (unsigned a = 0; a < dims; a++) gathered[i * dims + a] = coordinate_of(rows, is_f64, i, a);
    return gathered;
}

static void reference(const hw_neighbours *p, int64_t *indices, double *distances) {
    double *points = gather(&p->points, p->dims, p->is_f64), *queries = gather(&p->queries, p->dims, p->is_f64);
    const plain_problem plain = {points, queries, p->points.count, p->queries.count, p->dims, p->k, p->is_f64, p->self,
                                 p->radius_squared};
    find_plainly(&plain, indices, distances);
    free(points);
    free(queries);
}

// ---- Comparison -----------------------------------------------------------------------------------------------------

typedef struct result {
    int64_t *indices;
    double *distances;
    void *typed;
} result;

static result make_result(const hw_neighbours *p) {
    const size_t n = p->queries.count * p->k + 1;
    return (result){malloc(n * 8), malloc(n * 8), malloc(n * 8)};
}

static void free_result(result *r) {
    free(r->indices);
    free(r->distances);
    free(r->typed);
}

static void compare(const hw_neighbours *p, const result *wanted, const result *got, const char *how,
                    uint32_t threads) {
    for (uint64_t i = 0; i < p->queries.count * p->k; i++) {
        const double d = p->is_f64 ? ((const double *)got->typed)[i] : ((const float *)got->typed)[i];
        if (got->indices[i] == wanted->indices[i] && d == wanted->distances[i]) continue;
        fail_msg("%s, %u threads: %u dims, k %u, %s, n %u, q %u%s: query %u, neighbour %u is %d (%a), not %d (%a)", how,
                 threads, p->dims, p->k, p->is_f64 ? "f64" : "f32", (unsigned)p->points.count,
                 (unsigned)p->queries.count, p->self ? " (self)" : "", (unsigned)(i / p->k), (unsigned)(i % p->k),
                 (int)got->indices[i], d, (int)wanted->indices[i], wanted->distances[i]);
    }
}

static void check(hw_neighbours *p) {
    static const uint32_t threads[] = {1, 2, THREADS};
    result wanted = make_result(p), got = make_result(p);
    reference(p, wanted.indices, wanted.distances);
    p->indices = got.indices;
    p->squared_distances = got.typed;
    for (unsigned level = 0; hw_nearest_level_at(level, p->is_f64); level++)
        for (int method = HW_NEAREST_BRUTE; method <= HW_NEAREST_SEARCH; method++) {
            const uint32_t n_threads = threads[below(3)];
            char how[64];
            hw_diag diag = {0};
            p->method = (hw_nearest_method)method;
            memset(got.indices, 0x55, p->queries.count * p->k * 8);
            memset(got.typed, 0x55, p->queries.count * p->k * 8);
            assert_int_equal(hw_cpu_nearest_at(p, level, pool, n_threads, &diag), HW_OK);
            snprintf(how, sizeof how, "%s %s", hw_nearest_level_at(level, p->is_f64)->name,
                     method == HW_NEAREST_BRUTE ? "brute" : "search");
            compare(p, &wanted, &got, how, n_threads);
        }
    // Without distances.
    p->method = HW_NEAREST_AUTO;
    p->squared_distances = NULL;
    memset(got.indices, 0x55, p->queries.count * p->k * 8);
    assert_int_equal(hw_cpu_nearest(p, pool, 2, NULL), HW_OK);
    assert_memory_equal(got.indices, wanted.indices, p->queries.count * p->k * 8);
    free_result(&wanted);
    free_result(&got);
}

static const unsigned dims[] = {1, 2, 3, 5, 16};
static const uint32_t ks[] = {1, 2, 7, 30, 128};
static const uint64_t counts[] = {1, 2, 13, 101, 331};

static void test_self(void **state) {
    (void)state;
    for (int what = 0; what < KINDS; what++)
        for (int n = 0; n < 5; n++)
            for (int is_f64 = 0; is_f64 < 2; is_f64++) {
                const unsigned d = dims[below(5)];
                points p = make_points((kind)what, counts[n], d, is_f64, below(2), below(2));
                hw_neighbours problem = {.dims = d, .k = ks[below(5)], .is_f64 = is_f64, .self = true,
                                         .radius_squared = INFINITY, .points = p.rows, .queries = p.rows};
                check(&problem);
                free_points(&p);
            }
}

static void test_every_k(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int d = 0; d < 5; d++)
            for (int is_f64 = 0; is_f64 < 2; is_f64++) {
                points p = make_points(d % 2 ? UNIFORM : GRID, 179, dims[d], is_f64, false, false);
                hw_neighbours problem = {.dims = dims[d], .k = ks[k], .is_f64 = is_f64, .self = true,
                                         .radius_squared = INFINITY, .points = p.rows, .queries = p.rows};
                check(&problem);
                free_points(&p);
            }
}

static void test_queries(void **state) {
    (void)state;
    for (int what = 0; what < KINDS; what++)
        for (int is_f64 = 0; is_f64 < 2; is_f64++) {
            const unsigned d = dims[below(5)];
            points p = make_points((kind)what, counts[below(5)], d, is_f64, below(2), false);
            const kind other = (kind)(below(2) ? what : (int)below(KINDS));
            points q = make_points(other, 1 + below(100), d, is_f64, below(2), true);
            hw_neighbours problem = {.dims = d, .k = ks[below(5)], .is_f64 = is_f64, .radius_squared = INFINITY,
                                     .points = p.rows, .queries = q.rows};
            check(&problem);
            problem.points.count = 0;
            check(&problem);
            free_points(&p);
            free_points(&q);
        }
}

static void test_radius(void **state) {
    (void)state;
    static const double radii[] = {0, 0x1p-149, 0.0625, 1, 4, 1e30};   // squares: those of the lattice are hit exactly
    for (int r = 0; r < 6; r++)
        for (int what = r % 2; what < KINDS; what += 2)
            for (int is_f64 = 0; is_f64 < 2; is_f64++) {
                points p = make_points((kind)what, 151, 3, is_f64, false, false);
                hw_neighbours problem = {.dims = 3, .k = ks[below(5)], .is_f64 = is_f64, .self = below(2),
                                         .radius_squared = is_f64 ? radii[r] : (float)radii[r], .points = p.rows,
                                         .queries = p.rows};
                check(&problem);
                free_points(&p);
            }
}

// Every pair agrees with another way, and the sizes of the pieces leave no trace.
static void compare_large(uint64_t n, uint32_t d, hw_nearest_method method) {
    static const kind kinds[] = {UNIFORM, HALF_EQUAL, CLUSTERS, MAGNITUDES, INFINITIES, EQUAL, ALL_INFINITE};
#ifdef HW_SANITIZED
    enum { NEXT_KIND = 3 };   // finite ones of both types, and infinite ones
#else
    enum { NEXT_KIND = 1 };
#endif
    for (int what = 0; what < 7; what += NEXT_KIND) {
        const bool is_f64 = what % 2;
        points p = make_points(kinds[what], n, d, is_f64, false, false);
        hw_neighbours problem = {.dims = d, .k = what % 3 ? 1 : 9, .is_f64 = is_f64, .self = what != 3,
                                 .radius_squared = INFINITY, .points = p.rows, .queries = p.rows};
        result first = make_result(&problem), got = make_result(&problem);
        problem.indices = first.indices;
        problem.squared_distances = first.typed;
        problem.method = HW_NEAREST_BRUTE;
        assert_int_equal(hw_cpu_nearest(&problem, pool, 2, NULL), HW_OK);
        for (uint64_t i = 0; i < problem.queries.count * problem.k; i++)
            first.distances[i] = is_f64 ? ((double *)first.typed)[i] : ((float *)first.typed)[i];
        problem.indices = got.indices;
        problem.squared_distances = got.typed;
        problem.method = method;
#ifdef HW_SANITIZED
        enum { FIRST_THREADS = 4, MORE_THREADS = THREADS };
#else
        enum { FIRST_THREADS = 1, MORE_THREADS = 3 };
#endif
        for (uint32_t threads = FIRST_THREADS; threads <= THREADS; threads += MORE_THREADS) {
            memset(got.indices, 0x55, problem.queries.count * problem.k * 8);
            assert_int_equal(hw_cpu_nearest(&problem, pool, threads, NULL), HW_OK);
            compare(&problem, &first, &got, method == HW_NEAREST_SEARCH ? "search" : "auto", threads);
        }
        free_result(&first);
        free_result(&got);
        free_points(&p);
    }
}

// Enough rows for buckets and for all threads.
static void test_large(void **state) {
    (void)state;
    compare_large(5003, 3, HW_NEAREST_SEARCH);
}

// So many dimensions and rows that both ways are tried.
static void test_tried(void **state) {
    (void)state;
    char text[512];
    const hw_neighbours problem = {.dims = 16, .k = 1, .self = true, .points.count = 6101, .queries.count = 6101};
    assert_non_null(strstr(hw_cpu_nearest_explain(&problem, text, sizeof text), "a few of the queries"));
    compare_large(6101, 16, HW_NEAREST_AUTO);
}

// The lowest row, of the points first, and nothing is written.
static void test_nan(void **state) {
    (void)state;
    points p = make_points(UNIFORM, 9001, 3, false, false, false), q = make_points(UNIFORM, 50, 3, false, false, false);
    int64_t indices[50] = {42};
    hw_neighbours problem = {.dims = 3, .k = 1, .radius_squared = INFINITY, .points = p.rows, .queries = q.rows,
                             .indices = indices};
    for (int method = HW_NEAREST_BRUTE; method <= HW_NEAREST_SEARCH; method++) {
        hw_diag diag = {0};
        problem.method = (hw_nearest_method)method;
        q.as_f32[3 * 17 + 1] = NAN;
        assert_int_equal(hw_cpu_nearest(&problem, pool, 2, &diag), HW_USAGE);
        assert_non_null(strstr(diag.text, "17"));
        p.as_f32[3 * 8000 + 2] = p.as_f32[3 * 4003] = NAN;
        diag = (hw_diag){0};
        assert_int_equal(hw_cpu_nearest(&problem, pool, THREADS, &diag), HW_USAGE);
        assert_non_null(strstr(diag.text, "4003"));
        p.as_f32[3 * 8000 + 2] = p.as_f32[3 * 4003] = 0;
    }
    assert_int_equal(indices[0], 42);
    free_points(&p);
    free_points(&q);
}

static void test_no_memory(void **state) {
    (void)state;
    points p = make_points(UNIFORM, 5000, 2, true, false, false), q = make_points(UNIFORM, 50, 2, true, false, false);
    int64_t indices[100];
    hw_pool *alone = hw_pool_create(1);
    for (int method = HW_NEAREST_BRUTE; method <= HW_NEAREST_SEARCH; method++)
        for (long n = 0;; n++) {
            hw_neighbours problem = {.dims = 2, .k = 2, .is_f64 = true, .radius_squared = INFINITY, .points = p.rows,
                                     .queries = q.rows, .indices = indices, .method = (hw_nearest_method)method};
            hw_diag diag = {0};
            hw_alloc_fail_after(n);
            const hw_status status = hw_cpu_nearest(&problem, alone, 1, &diag);
            hw_alloc_fail_after(-1);
            if (!status) break;
            assert_int_equal(status, HW_NO_MEMORY);
            assert_true(n < 100);
        }
    hw_pool_destroy(alone);
    free_points(&p);
    free_points(&q);
}

static void test_choice(void **state) {
    (void)state;
    char text[512];
    hw_neighbours problem = {.dims = 3, .k = 1, .self = true, .radius_squared = INFINITY, .points.count = 1000000,
                             .queries.count = 1000000};
    assert_true(hw_nearest_searches(&problem));
    assert_non_null(strstr(hw_cpu_nearest_explain(&problem, text, sizeof text), "kd-tree"));
    problem.points.count = problem.queries.count = 100;
    assert_false(hw_nearest_searches(&problem));
    assert_non_null(strstr(hw_cpu_nearest_explain(&problem, text, sizeof text), "every pair"));
    problem.method = HW_NEAREST_SEARCH;
    assert_true(hw_nearest_searches(&problem));
    // The more dimensions, the more points it takes; few queries of many points are not worth a tree.
    problem.method = HW_NEAREST_AUTO;
    problem.points.count = problem.queries.count = 20000;
    assert_true(hw_nearest_searches(&problem));
    problem.dims = 16;
    assert_false(hw_nearest_searches(&problem));
    problem.dims = 3;
    problem.self = false;
    problem.queries.count = 100;
    assert_false(hw_nearest_searches(&problem));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_self),  cmocka_unit_test(test_every_k), cmocka_unit_test(test_queries),
        cmocka_unit_test(test_radius), cmocka_unit_test(test_large),
        cmocka_unit_test(test_tried), cmocka_unit_test(test_nan),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, make_pool, free_pool);
}
