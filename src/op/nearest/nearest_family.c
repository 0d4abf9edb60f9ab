// The family of nearest neighbours: the k nearest of a set's own points, which the rungs of kernels/nearest find.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/common/family.h"
#include "op/nearest/nearest_plan.h"

enum { POINTS, INDICES, DISTANCES, SCRATCH };             // the arrays
enum { COUNT, DIMS, NEIGHBOURS };                         // the sizes

static bool is_f64(const hw_problem *problem) { return problem->dtype.bits == 64; }

// The problem as hw_nearest sees it.
static hw_neighbours neighbours_of(const hw_problem *problem, void *const *arrays, hw_nearest_method method) {
    const hw_point_rows rows = {arrays ? arrays[POINTS] : NULL, problem->size[COUNT], (int64_t)problem->size[DIMS], 1};
    return (hw_neighbours){.dims = (uint32_t)problem->size[DIMS], .k = (uint32_t)problem->size[NEIGHBOURS],
                           .is_f64 = is_f64(problem), .self = true, .radius_squared = INFINITY, .method = method,
                           .points = rows, .queries = rows, .indices = arrays ? arrays[INDICES] : NULL,
                           .squared_distances = arrays ? arrays[DISTANCES] : NULL};
}

// ---- The problem ----------------------------------------------------------------------------------------------------

// What the rungs that plan for themselves need, on the largest device there is.
static uint64_t scratch_bytes(const hw_problem *problem) {
    static const hw_device_properties large = {.kind = HW_DEVICE_CUDA, .cc = 90, .multiprocessors = 256,
                                               .shared_bytes = 227 << 10};
    uint64_t most = HW_NEAREST_FINDINGS_BYTES;
    for (int method = HW_NEAREST_BRUTE; method <= HW_NEAREST_SEARCH && problem->size[COUNT]; method++) {
        const hw_neighbours p = neighbours_of(problem, NULL, (hw_nearest_method)method);
        hw_nearest_plan plan;
        hw_nearest_plan_make(&p, &large, &plan);
        if (plan.scratch_bytes > most) most = plan.scratch_bytes;
    }
    return most;
}

static hw_status describe_nearest(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t n = problem->size[COUNT], dims = problem->size[DIMS], k = problem->size[NEIGHBOURS];
    const uint64_t bytes = problem->dtype.bits / 8;
    if (problem->dtype.code != kDLFloat || (bytes != 4 && bytes != 8))
        return hw_diag_set(diag, HW_UNSUPPORTED, "coordinates are f32 or f64");
    if (dims < 1 || dims > HW_NEIGHBOURS_DIMS)
        return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " coordinates; points have 1 to %d", dims, HW_NEIGHBOURS_DIMS);
    if (k < 1 || k > HW_NEIGHBOURS_K)
        return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " neighbours; 1 to %d can be asked for", k, HW_NEIGHBOURS_K);
    if (n > INT32_MAX) return hw_diag_set(diag, HW_USAGE, "%" PRIu64 " is more than 2^31 - 1 points", n);
    *work = (hw_work){.arrays = {[POINTS] = {.name = "points", .bytes = n * dims * bytes},
                                 [INDICES] = {.name = "indices", .bytes = n * k * 8, .is_output = true},
                                 [DISTANCES] = {.name = "distances", .bytes = n * k * bytes, .is_output = true},
                                 [SCRATCH] = {.name = "scratch", .bytes = scratch_bytes(problem), .is_scratch = true}},
                      .n_arrays = 4, .bytes_moved = (double)n * (double)(dims * bytes + k * (8 + bytes)),
                      .operations = n ? (double)n * (double)(n - 1) : 0, .operation = "pair"};
    return HW_OK;
}

// Uniform in [0, 1), by the finishing step of SplitMix64 (Steele, Lea and Flood 2014).
static double uniform_coordinate(uint64_t i) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 40) * 0x1p-24;
}

static void fill_points(const hw_problem *problem, void *const *arrays) {
    for (uint64_t i = 0; i < problem->size[COUNT] * problem->size[DIMS]; i++)
        hw_dtype_set(problem->dtype, arrays[POINTS], i, uniform_coordinate(i));
}

// A fused multiply-add is one instruction where the processor has it, and a slow function where the compiler may not
// assume that.
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define WITH_FMA __attribute__((target_clones("default", "fma")))
#else
#define WITH_FMA
#endif

// Inserts neighbour i at `sum` into a sorted list of k neighbours; the farthest one leaves the list.
#define DEFINE_INSERT(real)                                                                                           \
    static void insert_##real(uint64_t k, int64_t *index, real *best, uint64_t i, real sum) {                         \
        uint64_t j = k - 1;                                                                                           \
        for (; j > 0 && sum < best[j - 1]; j--) {                                                                     \
            best[j] = best[j - 1];                                                                                    \
            index[j] = index[j - 1];                                                                                  \
        }                                                                                                             \
        best[j] = sum;                                                                                                \
        index[j] = (int64_t)i;                                                                                        \
    }
DEFINE_INSERT(float)
DEFINE_INSERT(double)

static void clear_scratch(const hw_problem *problem, void *const *arrays) {
    for (uint64_t i = 0; i < problem->size[COUNT] * problem->size[NEIGHBOURS]; i++) {
        ((int64_t *)arrays[INDICES])[i] = -1;
        hw_dtype_set(problem->dtype, arrays[DISTANCES], i, INFINITY);
    }
}

// 256 points at a time, axis by axis, so that the compiler can use vectors: 10^10 pairs are to take seconds. What lies
// behind the last point is NaN, which is below nothing.
enum { BLOCK = 256 };
#define DEFINE_REFERENCE(real, fused)                                                                                 \
    WITH_FMA static bool measure_##real(const real (*restrict columns)[BLOCK], uint64_t dims,                          \
                                        const real *restrict query, real worst, real *restrict sums) {                \
        int below = 0;                                                                                                \
        for (int i = 0; i < BLOCK; i++) {                                                                             \
            const real difference = columns[0][i] - query[0];                                                         \
            sums[i] = difference * difference;                                                                        \
        }                                                                                                             \
        for (uint64_t a = 1; a < dims; a++)                                                                           \
            for (int i = 0; i < BLOCK; i++) {                                                                         \
                const real difference = columns[a][i] - query[a];                                                     \
                sums[i] = fused(difference, difference, sums[i]);                                                     \
            }                                                                                                         \
        for (int i = 0; i < BLOCK; i++) below |= sums[i] < worst;                                                     \
        return below;                                                                                                 \
    }                                                                                                                 \
    static void reference_##real(const real *points, uint64_t n, uint64_t dims, uint64_t k, int64_t *indices,          \
                                 real *distances) {                                                                   \
        real columns[HW_NEIGHBOURS_DIMS][BLOCK], sums[BLOCK];                                                         \
        for (uint64_t first = 0; first < n; first += BLOCK) {                                                         \
            for (uint64_t a = 0; a < dims; a++)                                                                       \
                for (uint64_t i = 0; i < BLOCK; i++)                                                                  \
                    columns[a][i] = first + i < n ? points[(first + i) * dims + a] : (real)NAN;                       \
            for (uint64_t q = 0; q < n; q++) {                                                                        \
                real *best = distances + q * k;                                                                       \
                const bool may_be_near = measure_##real((const real (*)[BLOCK])columns, dims, points + q * dims,       \
                                                        best[k - 1], sums);                                           \
                for (uint64_t i = 0; may_be_near && i < BLOCK; i++)                                                   \
                    if (sums[i] < best[k - 1] && first + i != q)                                                      \
                        insert_##real(k, indices + q * k, best, first + i, sums[i]);                                  \
            }                                                                                                         \
        }                                                                                                             \
    }
DEFINE_REFERENCE(float, __builtin_fmaf)
DEFINE_REFERENCE(double, __builtin_fma)

static void reference_nearest(const hw_problem *problem, void *const *arrays) {
    const uint64_t n = problem->size[COUNT], dims = problem->size[DIMS], k = problem->size[NEIGHBOURS];
    clear_scratch(problem, arrays);
    if (is_f64(problem)) reference_double(arrays[POINTS], n, dims, k, arrays[INDICES], arrays[DISTANCES]);
    else reference_float(arrays[POINTS], n, dims, k, arrays[INDICES], arrays[DISTANCES]);
}

// Compares indices and distances to the bit.
static void compare_nearest(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                            const void *got, hw_verdict *verdict) {
    const uint64_t k = problem->size[NEIGHBOURS], count = problem->size[COUNT] * k;
    const uint32_t bytes = array == INDICES ? 8 : problem->dtype.bits / 8;
    const DLDataType type = array == INDICES ? (DLDataType){kDLInt, 64, 1} : problem->dtype;
    (void)rung;
    *verdict = (hw_verdict){.right = true};
    for (uint64_t i = 0; i < count; i++) {
        if (!memcmp((const char *)arrays[array] + i * bytes, (const char *)got + i * bytes, bytes)) continue;
        const double is = hw_dtype_get(type, got, i), wanted = hw_dtype_get(type, arrays[array], i);
        if (verdict->right || !(fabs(is - wanted) <= verdict->worst_error)) {
            verdict->worst_error = fabs(is - wanted);
            verdict->worst_index = i;
            snprintf(verdict->text, sizeof verdict->text, "%s %" PRIu64 " of point %" PRIu64 " is %.9g, not %.9g",
                     array == INDICES ? "neighbour" : "distance", i % k, i / k, is, wanted);
        }
        verdict->right = false;
        verdict->n_wrong++;
    }
}

// ---- The processor --------------------------------------------------------------------------------------------------

// The plain loop, which the seeds compare with: one thread, one pair after the other. In space the number of
// coordinates is known to the compiler, as it is in the seeds.
#define DEFINE_LOOP(real, fused)                                                                                      \
    static inline __attribute__((always_inline)) void pairs_##real(const real *points, uint64_t n, uint64_t dims,      \
                                                                   uint64_t k, int64_t *indices, real *distances) {   \
        for (uint64_t q = 0; q < n; q++) {                                                                            \
            real *best = distances + q * k;                                                                           \
            for (uint64_t i = 0; i < n; i++) {                                                                        \
                real sum = 0;                                                                                         \
                for (uint64_t a = 0; a < dims; a++) {                                                                 \
                    const real difference = points[i * dims + a] - points[q * dims + a];                              \
                    sum = fused(difference, difference, sum);                                                         \
                }                                                                                                     \
                if (sum < best[k - 1] && i != q) insert_##real(k, indices + q * k, best, i, sum);                     \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    WITH_FMA static void loop_##real(const real *points, uint64_t n, uint64_t dims, uint64_t k, int64_t *indices,      \
                                     real *distances) {                                                               \
        if (dims == 3) pairs_##real(points, n, 3, k, indices, distances);                                             \
        else pairs_##real(points, n, dims, k, indices, distances);                                                    \
    }
DEFINE_LOOP(float, __builtin_fmaf)
DEFINE_LOOP(double, __builtin_fma)

static hw_status search_in_loop(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                hw_diag *diag) {
    const uint64_t n = problem->size[COUNT], dims = problem->size[DIMS], k = problem->size[NEIGHBOURS];
    (void)pool, (void)n_threads, (void)diag;
    clear_scratch(problem, arrays);
    if (is_f64(problem)) loop_double(arrays[POINTS], n, dims, k, arrays[INDICES], arrays[DISTANCES]);
    else loop_float(arrays[POINTS], n, dims, k, arrays[INDICES], arrays[DISTANCES]);
    return HW_OK;
}

static hw_status run_method(const hw_problem *problem, void *const *arrays, hw_nearest_method method, hw_pool *pool,
                            uint32_t n_threads, hw_diag *diag) {
    const hw_neighbours p = neighbours_of(problem, arrays, method);
    return p.queries.count ? hw_cpu_nearest(&p, pool, n_threads, diag) : HW_OK;
}

static hw_status run_pairs(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                           hw_diag *diag) {
    return run_method(problem, arrays, HW_NEAREST_BRUTE, pool, n_threads, diag);
}

static hw_status run_search(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                            hw_diag *diag) {
    return run_method(problem, arrays, HW_NEAREST_SEARCH, pool, n_threads, diag);
}

static const hw_rung cpu_rungs[] = {
    {.number = 10, .name = "loop", .native = search_in_loop, .idea = "one thread, every pair"},
    {.number = 80, .name = "brute", .builds_on = "loop", .native = run_pairs,
     .idea = "vectors, all threads, every pair"},
    {.number = 90, .name = "search", .builds_on = "brute", .native = run_search, .idea = "a tree of boxes"},
};

// ---- Plans ----------------------------------------------------------------------------------------------------------

static hw_status refuse_block(const hw_rung *rung, const uint32_t asked[2], hw_diag *diag) {
    bool is_own = (!asked[0] && !asked[1]) || (asked[0] == rung->block[0] && asked[1] <= 1);
    if (is_own) return HW_OK;
    if (!rung->block[0]) return hw_diag_set(diag, HW_USAGE, "%s chooses its block by the size", rung->name);
    return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %u", rung->name, rung->block[0]);
}

// The kernels that take the points as they are: (indices, distances, points, n).
static hw_status plan_own(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                          const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const uint32_t per_block = rung->block[0] * rung->tile[0], n = (uint32_t)problem->size[COUNT];
    (void)device;
    hw_status status = refuse_block(rung, asked, diag);
    if (status != HW_OK) return status;
    if (problem->size[NEIGHBOURS] != 1)
        return hw_diag_set(diag, HW_USAGE, "%s finds one neighbour (k = 1)", rung->name);
    *plan = (hw_plan){.n_launches = 1};
    hw_plan_launch *launch = &plan->launches[0];
    *launch = (hw_plan_launch){.file = rung->file, .function = rung->kernel,
                               .grid = {n / per_block + (n % per_block != 0), 1, 1}, .block = {rung->block[0], 1, 1},
                               .n_params = 4,
                               .params = {{.array = INDICES}, {.array = DISTANCES}, {.array = POINTS},
                                          {.array = -1, .offset = hw_plan_value(plan, &n, sizeof n)}}};
    hw_plan_define(plan, launch, "REAL_BYTES", is_f64(problem) ? 8 : 4);
    hw_plan_define(plan, launch, "DIMS", (long long)problem->size[DIMS]);
    hw_plan_define(plan, launch, "THREADS", rung->block[0]);
    hw_plan_define(plan, launch, "QUERIES", rung->tile[0]);
    return HW_OK;
}

// What hw_nearest does by this method, its arrays under their numbers here.
static hw_status plan_method(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_nearest_method method, hw_plan *plan, hw_diag *diag) {
    static const int here[HW_NEAREST_ARRAYS] = {
        [HW_NEAREST_POINTS] = POINTS, [HW_NEAREST_QUERIES] = POINTS, [HW_NEAREST_INDICES] = INDICES,
        [HW_NEAREST_DISTANCES] = DISTANCES, [HW_NEAREST_SCRATCH] = SCRATCH};
    const hw_neighbours p = neighbours_of(problem, NULL, method);
    hw_nearest_plan nearest;
    hw_status status = refuse_block(rung, asked, diag);
    if (status != HW_OK) return status;
    *plan = (hw_plan){0};
    if (p.queries.count == 0) return HW_OK;
    hw_nearest_plan_make(&p, device, &nearest);
    hw_nearest_plan_launch(&p, &nearest, plan);
    for (uint32_t l = 0; l < plan->n_launches; l++)
        for (uint32_t i = 0; i < plan->launches[l].n_params; i++) {
            hw_plan_param *param = &plan->launches[l].params[i];
            if (param->array >= 0) param->array = here[param->array];
        }
    return HW_OK;
}

static hw_status plan_brute(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    return plan_method(rung, problem, device, block, HW_NEAREST_BRUTE, plan, diag);
}

static hw_status plan_search(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    return plan_method(rung, problem, device, block, HW_NEAREST_SEARCH, plan, diag);
}

// ---- The family -----------------------------------------------------------------------------------------------------

#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, threads, queries, rung_plan, rung_idea, \
                rung_limit)                                                                                   \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,   \
     .block = {threads, 1}, .tile = {queries, 1}, .plan = rung_plan, .idea = rung_idea, .limit = rung_limit},
static const hw_rung rungs[] = {
#include "kernels/nearest/ladder.def"
};
#undef HW_RUNG

const hw_family hw_family_nearest = {
    .name = "nearest",
    .does = "the k nearest neighbours of each point",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .cpu_rungs = cpu_rungs,
    .n_cpu_rungs = sizeof cpu_rungs / sizeof cpu_rungs[0],
    .size_names = {"points", "dims", "k"},
    .default_size = {100000, 3, 1},
    .default_sim_size = {4096, 3, 1},
    .large_sim_size = {16384, 3, 1},
    .default_cpu_size = {10000, 3, 1},
    .dtypes = "f32 f64",
    .describe = describe_nearest,
    .fill = fill_points,
    .reference = reference_nearest,
    .compare = compare_nearest,
};
