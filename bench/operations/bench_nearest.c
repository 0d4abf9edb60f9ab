// hw_nearest, its index built each time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "device/device.h"
#include "op/common/family.h"

enum { DTYPE = 1, DATA, SHAPE, NEIGHBOURS, QUERIES, METHOD, WORDS };   // of a line
enum { N, D, Q, K };                                                   // of shape; Q 0: the points themselves
enum { BRUTE = 1 };
enum { SAMPLES = 100, MOST_NEIGHBOURS = 128 };
static const double MOST_CHECKED = 3e8;   // distances times dimensions

typedef struct bench {
    const hw_bench_case *what;
    hw_device *device;
    int64_t n_queries;
    size_t bytes[4];
    void *array[4];            // points, queries, indices, squared distances
    void *points, *queries;    // on this machine
    int64_t *indices;
    void *distances;
} bench;

// ---- Cases ----------------------------------------------------------------------------------------------------------

static const char *const kinds[] = {"uniform", "clustered", "duplicates", "line", "outlier"};
enum { UNIFORM, CLUSTERED, DUPLICATES, LINE, OUTLIER, N_KINDS };

static int find_kind(const char *name) {
    for (int i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i], name) == 0) return i;
    return -1;
}

static bool read_nearest_case(hw_bench_case *what) {
    int64_t more[HW_BENCH_RANK];
    bool is_own;
    if (what->n_words != WORDS || !hw_bench_read_dtype(what->words[DTYPE], &what->dtype)) return false;
    if (what->dtype.code != kDLFloat || what->dtype.bits < 32 || find_kind(what->words[DATA]) < 0) return false;
    if (hw_bench_read_numbers(what->words[SHAPE], INT32_MAX, what->shape) != 2 || what->shape[N] < 1 ||
        what->shape[D] < 1 || what->shape[D] > 16)
        return false;
    if (hw_bench_read_numbers(what->words[NEIGHBOURS], MOST_NEIGHBOURS, more) != 1 || more[0] < 1) return false;
    what->shape[K] = more[0];
    is_own = strcmp(what->words[QUERIES], "own") == 0;
    if (!is_own && (hw_bench_read_numbers(what->words[QUERIES], INT32_MAX, more) != 1 || more[0] < 1)) return false;
    what->shape[Q] = is_own ? 0 : more[0];
    what->rank = 4;
    what->flags = strcmp(what->words[METHOD], "brute") == 0 ? BRUTE : 0;
    if (!what->flags && strcmp(what->words[METHOD], "auto") != 0 && strcmp(what->words[METHOD], "search") != 0)
        return false;
    double queries = (double)(is_own ? what->shape[N] : what->shape[Q]);
    what->amount = what->flags ? queries * (double)what->shape[N] : queries;
    what->unit = what->flags ? "Gpairs/s" : "Mquery/s";
    what->rate_key = what->flags ? "gpairs" : "mqueries";
    what->unit_per_ns = what->flags ? 1 : 1e-3;
    snprintf(what->name, sizeof what->name, "%.4s %.12s (%.20s) k %.3s %.10s%s%.7s", what->words[DTYPE],
             what->words[DATA], what->words[SHAPE], what->words[NEIGHBOURS], is_own ? "" : what->words[QUERIES],
             is_own ? "" : " ", what->words[METHOD]);
    return true;
}

static json_t *nearest_question(const hw_bench_case *what) {
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:s}", "dtype", what->words[DTYPE], "data", what->words[DATA], "n",
                     (json_int_t)what->shape[N], "d", (json_int_t)what->shape[D], "k", (json_int_t)what->shape[K],
                     "queries", (json_int_t)what->shape[Q], "method", what->words[METHOD]);
}

static json_t *nearest_record(const hw_bench_case *what) {
    json_t *object = nearest_question(what);
    json_object_set_new(object, "group", json_string(what->group));
    return object;
}

// ---- The points -----------------------------------------------------------------------------------------------------

// bench/peers/nearest.py makes the same ones.
enum { CLUSTERS = 100, CENTRES = 0x10000000, SEPARATE = 0x40000000, SIDE = 40 };

static double uniform_coordinate(uint32_t index) { return (hw_bench_hash(index) >> 8) * 0x1p-24; }

// Coordinate `axis` of point i. Queries of their own are the points of other indices.
static double coordinate_of(int kind, uint32_t i, uint32_t axis, uint32_t d) {
    uint32_t index = i * d + axis;
    switch (kind) {
    case CLUSTERED: {
        double centre = uniform_coordinate(CENTRES + hw_bench_hash(~i) % CLUSTERS * d + axis), offset = 0;
        for (uint32_t part = 0; part < 4; part++) offset += uniform_coordinate(CENTRES + 4 * index + part);
        return centre + (offset - 2) * 0.01;
    }
    case DUPLICATES: return floor(uniform_coordinate(index) * SIDE) / SIDE;
    case LINE: return uniform_coordinate(i);
    case OUTLIER: return i == 0 ? 1e6 : uniform_coordinate(index);
    default: return uniform_coordinate(index);
    }
}

static void *make_points(const bench *b, int64_t count, uint32_t first) {
    uint32_t d = (uint32_t)b->what->shape[D];
    int kind = find_kind(b->what->words[DATA]);
    void *points = malloc((size_t)count * d * b->what->dtype.bits / 8);
    for (uint32_t i = 0; points && i < (uint32_t)count; i++)
        for (uint32_t axis = 0; axis < d; axis++)
            hw_dtype_set(b->what->dtype, points, (uint64_t)i * d + axis, coordinate_of(kind, first + i, axis, d));
    return points;
}

static hw_status open_nearest_bench(void *context, hw_diag *diag) {
    bench *b = context;
    const int64_t *n = b->what->shape;
    size_t each = b->what->dtype.bits / 8u;
    hw_stream *stream = hw_device_stream(b->device);
    b->n_queries = n[Q] ? n[Q] : n[N];
    b->bytes[0] = (size_t)(n[N] * n[D]) * each;
    b->bytes[1] = (size_t)(n[Q] * n[D]) * each;
    b->bytes[2] = (size_t)(b->n_queries * n[K]) * sizeof(int64_t);
    b->bytes[3] = (size_t)(b->n_queries * n[K]) * each;
    b->points = make_points(b, n[N], 0);
    b->queries = n[Q] ? make_points(b, n[Q], SEPARATE) : b->points;
    b->indices = malloc(b->bytes[2]);
    b->distances = malloc(b->bytes[3]);
    if (!b->points || !b->queries || !b->indices || !b->distances) return hw_diag_no_memory(diag);
    hw_status status = HW_OK;
    for (int i = 0; i < 4 && !status; i++) status = hw_device_alloc(b->device, b->bytes[i], &b->array[i], diag);
    if (!status) status = hw_copy(stream, b->array[0], b->points, b->bytes[0], diag);
    if (!status && n[Q]) status = hw_copy(stream, b->array[1], b->queries, b->bytes[1], diag);
    if (!status) status = hw_fill(stream, b->array[2], 0xa5, b->bytes[2], diag);
    return status ? status : hw_stream_synchronize(stream, diag);
}

// ---- The operation --------------------------------------------------------------------------------------------------

static hw_status run_nearest(void *context, hw_diag *diag) {
    bench *b = context;
    const int64_t *n = b->what->shape;
    DLDevice here = hw_device_get_properties(b->device)->dl;
    int64_t point_shape[2] = {n[N], n[D]}, query_shape[2] = {n[Q], n[D]}, shape[2] = {b->n_queries, n[K]};
    int rank = n[K] == 1 ? 1 : 2;
    DLTensor points = {b->array[0], here, 2, b->what->dtype, point_shape, NULL, 0};
    DLTensor queries = {b->array[1], here, 2, b->what->dtype, query_shape, NULL, 0};
    DLTensor indices = {b->array[2], here, rank, {kDLInt, 64, 1}, shape, NULL, 0};
    DLTensor distances = {b->array[3], here, rank, b->what->dtype, shape, NULL, 0};
    const char *method = b->what->words[METHOD];
    const hw_nearest_options options = {.k = (int)n[K], .method = b->what->flags & BRUTE ? HW_NEAREST_BRUTE
                                        : *method == 's' ? HW_NEAREST_SEARCH : HW_NEAREST_AUTO};
    return hw_nearest(hw_device_stream(b->device), &points, n[Q] ? &queries : NULL, &options, &indices, &distances,
                      diag);
}

// ---- Some queries against every point -------------------------------------------------------------------------------

typedef struct check {
    const bench *b;
    int64_t step;
    bool wrong[SAMPLES];
} check;

// As hw_nearest promises: axis 0 first, each further axis by one fused multiply-add, in the points' type.
static double squared_distance(const bench *b, int64_t query, int64_t point) {
    int64_t d = b->what->shape[D];
    if (b->what->dtype.bits == 32) {
        const float *q = (const float *)b->queries + query * d, *p = (const float *)b->points + point * d;
        float sum = (p[0] - q[0]) * (p[0] - q[0]);
        for (int64_t axis = 1; axis < d; axis++) sum = fmaf(p[axis] - q[axis], p[axis] - q[axis], sum);
        return sum;
    }
    const double *q = (const double *)b->queries + query * d, *p = (const double *)b->points + point * d;
    double sum = (p[0] - q[0]) * (p[0] - q[0]);
    for (int64_t axis = 1; axis < d; axis++) sum = fma(p[axis] - q[axis], p[axis] - q[axis], sum);
    return sum;
}

// The k nearest, by distance, then by index, as indices[] and distances[].
static void find_nearest_plainly(const bench *b, int64_t query, int64_t *indices, double *distances) {
    const int64_t *n = b->what->shape;
    int64_t have = 0;
    for (int64_t point = 0; point < n[N]; point++) {
        if (!n[Q] && point == query) continue;
        double distance = squared_distance(b, query, point);
        if (have == n[K] && !(distance < distances[have - 1])) continue;
        int64_t at = have < n[K] ? have++ : have - 1;
        for (; at > 0 && distances[at - 1] > distance; at--) {
            distances[at] = distances[at - 1];
            indices[at] = indices[at - 1];
        }
        distances[at] = distance;
        indices[at] = point;
    }
    for (; have < n[K]; have++) {
        distances[have] = INFINITY;
        indices[have] = -1;
    }
}

static void check_sample(void *context, uint32_t index) {
    check *c = context;
    const bench *b = c->b;
    int64_t k = b->what->shape[K], query = index * c->step, indices[MOST_NEIGHBOURS];
    double distances[MOST_NEIGHBOURS];
    if (query >= b->n_queries) return;
    find_nearest_plainly(b, query, indices, distances);
    for (int64_t i = 0; i < k; i++)
        if (b->indices[query * k + i] != indices[i] ||
            hw_dtype_get(b->what->dtype, b->distances, (uint64_t)(query * k + i)) != distances[i])
            c->wrong[index] = true;
}

static hw_status verify_nearest(void *context, hw_bench_result *result, hw_diag *diag) {
    bench *b = context;
    const int64_t *n = b->what->shape;
    double each = (double)n[N] * (double)n[D];
    uint32_t samples = MOST_CHECKED / each < SAMPLES ? (uint32_t)(MOST_CHECKED / each) + 1 : SAMPLES, n_threads;
    check c = {.b = b, .step = b->n_queries / samples ? b->n_queries / samples : 1};
    hw_stream *stream = hw_device_stream(b->device);
    hw_status status = hw_copy(stream, b->indices, b->array[2], b->bytes[2], diag);
    if (!status) status = hw_copy(stream, b->distances, b->array[3], b->bytes[3], diag);
    if (!status) status = hw_stream_synchronize(stream, diag);
    if (status) return status;
    hw_pool_run(hw_device_pool(b->device, &n_threads), samples, check_sample, &c);
    uint32_t first = 0;
    while (first < samples && !c.wrong[first]) first++;
    result->wrong = first < samples;
    if (!result->wrong) return HW_OK;
    return hw_diag_set(diag, HW_FAULT, "wrong: neighbours of query %lld", (long long)(first * c.step));
}

// ---- One case -------------------------------------------------------------------------------------------------------

static void measure_nearest(hw_device *device, double seconds, hw_bench_row *row) {
    bench b = {.what = &row->what, .device = device};
    const hw_bench_job job = {.device = device, .context = &b, .open = open_nearest_bench, .run = run_nearest,
                              .verify = verify_nearest};
    hw_bench_measure(&job, seconds, row);
    for (int i = 0; i < 4; i++) hw_device_free(device, b.array[i]);
    if (b.queries != b.points) free(b.queries);
    free(b.points);
    free(b.indices);
    free(b.distances);
}

const hw_bench_family hw_bench_nearest = {
    .name = "nearest",
    .form = "a group, a dtype, data, n,d, k, queries (a number, or own) and a method, such as "
            "`search f32 uniform 1000000,3 1 own auto`",
    .legend = "ms, Gpairs/s (10^9 distances a second) and Mquery/s (10^6 queries a second): median, the index built "
              "each time; times: as fast as this peer",
    .read = read_nearest_case,
    .question = nearest_question,
    .record = nearest_record,
    .measure = measure_nearest,
};
