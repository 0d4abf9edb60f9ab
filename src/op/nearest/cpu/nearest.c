// Nearest neighbours on this machine's processors: the way, the threads, the order of the work.
#include "op/nearest/cpu/nearest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/integers.h"
#include "base/status.h"
#include "op/common/tasks.h"
#include "op/tune/cpu.h"

static const hw_nearest_level *const levels[HW_SIMD_LEVELS][2] = {   // f32, f64
    [HW_SIMD_BASE] = {&hw_nearest_base_f32, &hw_nearest_base_f64},
#ifdef __x86_64__
    [HW_SIMD_AVX2] = {&hw_nearest_avx2_f32, &hw_nearest_avx2_f64},
    [HW_SIMD_AVX512] = {&hw_nearest_avx512_f32, &hw_nearest_avx512_f64},
#endif
};

const hw_nearest_level *hw_nearest_level_at(hw_simd_level level, bool is_f64) {
    return level <= hw_processor_level() ? levels[level][is_f64] : NULL;
}

#define HW_TUNE_LIST(name, ...) static const int worth_a_tree[HW_NEIGHBOURS_DIMS + 1] = {__VA_ARGS__};
#include "op/tune/cpu.def"

bool hw_nearest_searches(const hw_neighbours *problem) {
    if (problem->method != HW_NEAREST_AUTO) return problem->method == HW_NEAREST_SEARCH;
    const double pairs = (double)problem->points.count * (double)problem->queries.count;
    const double rows = (double)problem->points.count + (problem->self ? 0 : (double)problem->queries.count);
    return pairs > rows * worth_a_tree[problem->dims];
}

// Are both ways tried? They are where the sizes call for comparing every pair, and the pairs for each row are so many
// that building a tree and trying both ways are a few percent of the work. For points that are clustered, on a line or
// equal, a tree is a hundred times as fast in any number of dimensions.
static bool is_tried(const hw_neighbours *problem) {
    const double pairs = (double)problem->points.count * (double)problem->queries.count;
    const double rows = (double)problem->points.count + (problem->self ? 0 : (double)problem->queries.count);
    return problem->method == HW_NEAREST_AUTO && !hw_nearest_searches(problem) && pairs > rows * HW_CPU_WORTH_TRYING;
}

static uint32_t worth_waking(const hw_neighbours *problem, uint32_t n_threads) {
    const double rows = (double)problem->points.count + (double)problem->queries.count;
    const double most = hw_nearest_searches(problem)
                            ? rows / HW_CPU_SERIAL_ROWS
                            : (double)problem->points.count * (double)problem->queries.count / HW_CPU_SERIAL_PAIRS;
    return most < 1 ? 1 : most < n_threads ? (uint32_t)most : n_threads;
}

// ---- Results --------------------------------------------------------------------------------------------------------

// The next row from `row` on that is not among the count neighbours in `found`, or the number of points. Among points
// at an infinite distance the lowest rows count as the nearest.
static uint64_t next_unfound(const hw_nearest_job *job, uint32_t query, const int64_t *found, uint32_t count,
                             uint64_t row) {
    for (; row < job->problem->points.count; row++) {
        bool is_new = !(job->problem->self && row == query);
        for (uint32_t i = 0; i < count && is_new; i++) is_new = found[i] != (int64_t)row;
        if (is_new) break;
    }
    return row;
}

// The places from `count` on.
static void write_rest(const hw_nearest_job *job, uint32_t query, uint32_t count) {
    const hw_neighbours *p = job->problem;
    const size_t at = (size_t)query * p->k;
    uint64_t row = isinf(p->radius_squared) ? 0 : p->points.count;
    for (uint32_t i = count; i < p->k; i++) {
        row = next_unfound(job, query, p->indices + at, count, row);
        p->indices[at + i] = row < p->points.count ? (int64_t)row++ : -1;
        if (p->squared_distances && p->is_f64) ((double *)p->squared_distances)[at + i] = INFINITY;
        if (p->squared_distances && !p->is_f64) ((float *)p->squared_distances)[at + i] = INFINITY;
    }
}

void hw_nearest_write_f32(const hw_nearest_job *job, uint32_t query, const uint64_t *list) {
    const hw_neighbours *p = job->problem;
    int64_t *indices = p->indices + (size_t)query * p->k;
    float *distances = p->squared_distances ? (float *)p->squared_distances + (size_t)query * p->k : NULL;
    uint32_t count = 0;
    for (; count < p->k && (uint32_t)list[count] != HW_NO_POINT; count++) {
        const uint32_t bits = (uint32_t)(list[count] >> 32);
        indices[count] = (uint32_t)list[count];
        if (distances) memcpy(&distances[count], &bits, sizeof bits);
    }
    if (count < p->k) write_rest(job, query, count);
}

void hw_nearest_write_f64(const hw_nearest_job *job, uint32_t query, const double *distance, const uint64_t *index) {
    const hw_neighbours *p = job->problem;
    int64_t *indices = p->indices + (size_t)query * p->k;
    double *distances = p->squared_distances ? (double *)p->squared_distances + (size_t)query * p->k : NULL;
    uint32_t count = 0;
    for (; count < p->k && index[count] != HW_NO_POINT; count++) {
        indices[count] = (int64_t)index[count];
        if (distances) distances[count] = distance[count];
    }
    if (count < p->k) write_rest(job, query, count);
}

static bool is_infinite(const hw_neighbours *p, uint64_t query) {
    bool infinite = false;
    for (uint32_t a = 0; a < p->dims; a++) {
        const int64_t at = (int64_t)query * p->queries.row_stride + a * p->queries.axis_stride;
        const double x = p->is_f64 ? ((const double *)p->queries.data)[at] : ((const float *)p->queries.data)[at];
        infinite |= isinf(x);
    }
    return infinite;
}

// Queries that no block has: everything is infinitely far from them.
static void write_infinite(const hw_nearest_job *job) {
    if (!job->queries.n_infinite) return;
    for (uint64_t query = 0; query < job->problem->queries.count; query++)
        if (is_infinite(job->problem, query)) write_rest(job, (uint32_t)query, 0);
}

// ---- The work -------------------------------------------------------------------------------------------------------

typedef struct finding {
    hw_nearest_job job;
    const hw_nearest_level *level;
    bool searches;
    uint64_t task_blocks;
    char *lists;
    size_t list_pitch;
} finding;

size_t hw_nearest_lists_bytes(const hw_nearest_job *job) {
    const size_t words = job->problem->k == 1 ? 0 : job->problem->is_f64 ? 2 : 1;
    return (size_t)HW_BRUTE_BLOCKS * HW_BLOCK * job->list_elems * words * sizeof(uint64_t);
}

static void find_task(void *context, uint64_t task, uint32_t worker) {
    const finding *f = context;
    const uint64_t first = task * f->task_blocks, rest = f->job.queries.n_blocks - first;
    const uint64_t end = first + (rest < f->task_blocks ? rest : f->task_blocks);
    void *lists = f->lists + worker * f->list_pitch;
    if (f->searches) f->level->search(&f->job, first, end, lists);
    else f->level->brute(&f->job, first, end, lists);
}

// Nanoseconds that the queries of some blocks take by the tree (`searches`) or by every pair; both find the same.
static uint64_t try_way(const finding *f, bool searches) {
    const uint64_t n = f->job.queries.n_blocks, wide = f->level->brute_blocks;
    const uint64_t wanted = n / HW_CPU_BLOCKS_FOR_A_TRY, tries = wanted < 1 ? 1 : hw_least(wanted, HW_CPU_MOST_TRIES);
    const uint64_t start = hw_now_ns();
    for (uint64_t i = 0; i < tries; i++) {
        const uint64_t first = i * n / tries, end = first + wide < n ? first + wide : n;
        (searches ? f->level->search : f->level->brute)(&f->job, first, end, f->lists);
    }
    return hw_now_ns() - start;
}

static hw_status prepare_finding(finding *f, hw_pool *pool, uint32_t n_threads, hw_diag *diag) {
    hw_nearest_job *job = &f->job;
    const hw_neighbours *p = job->problem;
    const bool is_open = is_tried(p), searches = is_open || hw_nearest_searches(p);
    hw_status status = searches ? hw_tree_build(p, false, pool, n_threads, &job->points, &job->tree, diag)
                                : hw_cloud_gather(p, false, pool, n_threads, &job->points, diag);
    if (!status && p->self) job->queries = job->points;
    else if (!status)
        status = searches ? hw_tree_build(p, true, pool, n_threads, &job->queries, NULL, diag)
                          : hw_cloud_gather(p, true, pool, n_threads, &job->queries, diag);
    if (status) return status;
    f->list_pitch = hw_cpu_room_pitch(hw_nearest_lists_bytes(job));
    f->lists = hw_alloc_lanes(f->list_pitch * n_threads);
    if (!f->lists) return hw_diag_no_memory(diag);
    f->searches = is_open ? try_way(f, true) < try_way(f, false) : searches;
    f->task_blocks = f->searches ? HW_CPU_SEARCH_BLOCKS : f->level->brute_blocks;
    return HW_OK;
}

hw_status hw_cpu_nearest_at(const hw_neighbours *problem, unsigned level, hw_pool *pool, uint32_t n_threads,
                            hw_diag *diag) {
    finding f = {.job = {.problem = problem, .list_elems = (uint32_t)hw_align_up(problem->k, 8)},
                 .level = hw_nearest_level_at(level, problem->is_f64)};
    const double most = problem->is_f64 ? DBL_MAX : (double)FLT_MAX;
    f.job.limit = problem->radius_squared < most ? problem->radius_squared : most;
    n_threads = worth_waking(problem, n_threads);
    hw_status status = prepare_finding(&f, pool, n_threads, diag);
    if (!status) {
        const uint64_t n_tasks = hw_divide_up(f.job.queries.n_blocks, f.task_blocks);
        hw_cpu_tasks_run(pool, n_threads, n_tasks, find_task, &f);
        write_infinite(&f.job);
    }
    hw_free_aligned(f.lists);
    if (!problem->self) hw_cloud_release(&f.job.queries);
    hw_cloud_release(&f.job.points);
    hw_tree_release(&f.job.tree);
    return status;
}

hw_status hw_cpu_nearest(const hw_neighbours *problem, hw_pool *pool, uint32_t n_threads, hw_diag *diag) {
    return hw_cpu_nearest_at(problem, hw_processor_level(), pool, n_threads, diag);
}

const char *hw_cpu_nearest_explain(const hw_neighbours *problem, char *text, size_t text_bytes) {
    const hw_nearest_level *level = hw_nearest_level_at(hw_processor_level(), problem->is_f64);
    const char *way = hw_nearest_searches(problem)
                          ? "a kd-tree of blocks of 16 points, searched by blocks of 16 queries"
                          : "every pair, blocks of 16 points at a time";
    const char *unless = is_tried(problem) ? "; or a kd-tree, if that is faster for a few of the queries" : "";
    snprintf(text, text_bytes, "%s, in vector registers (%s)%s\n", way, level->name, unless);
    return text;
}
