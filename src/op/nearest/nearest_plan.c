// The choice between every pair and the search, and the launches of both.
#include "op/nearest/nearest_plan.h"

#include <math.h>
#include <string.h>

#include "base/integers.h"
#include "op/tune/tune.h"

static uint32_t real_bytes(const hw_neighbours *p) { return p->is_f64 ? 8 : 4; }
static uint32_t point_bytes(const hw_neighbours *p) { return p->dims * real_bytes(p); }

// ---- Every pair -----------------------------------------------------------------------------------------------------

static uint64_t blocks_of_queries(const hw_neighbours *p, const hw_nearest_plan *plan) {
    return hw_divide_up(p->queries.count, (uint64_t)plan->threads / (plan->selects ? 32 : 1) * plan->queries);
}

// Points are cut into parts until the threads fill the device a few times over; a part is at least a few tiles, or one
// where there are not enough blocks otherwise.
static void cut_points(const hw_neighbours *p, const hw_device_properties *device, const hw_tune_nearest *tune,
                       hw_nearest_plan *plan) {
    enum { MOST_PARTS = 1024 };
    const uint64_t tiles = hw_divide_up(p->points.count, plan->tile), blocks = blocks_of_queries(p, plan);
    const uint64_t per_multiprocessor = tune->blocks * (plan->threads < 128 ? 128 / plan->threads : 1);
    uint64_t parts = device->multiprocessors * per_multiprocessor / blocks;
    if (parts > tiles / 4 && tiles / 4 * blocks >= device->multiprocessors) parts = tiles / 4;
    if (parts > tiles) parts = tiles;
    if (parts > MOST_PARTS) parts = MOST_PARTS;
    if (parts <= 1) {
        plan->parts = 1;
        plan->part_points = (uint32_t)p->points.count;
        return;
    }
    plan->part_points = (uint32_t)hw_divide_up(tiles, parts) * plan->tile;
    plan->parts = (uint32_t)hw_divide_up(p->points.count, plan->part_points);
}

// Coordinates between points in shared and scratch memory: PITCH in kernels/nearest/point.cuh.
static uint32_t pitch_bytes(const hw_neighbours *p) {
    const uint32_t bytes = point_bytes(p);
    return bytes <= 4 ? 4 : bytes <= 8 ? 8 : (uint32_t)hw_align_up(bytes, 16);
}

// The place of such points in the lists of hw_tune_nearest.
static uint32_t size_class(const hw_neighbours *p) {
    const uint32_t bytes = point_bytes(p);
    return bytes <= 16 ? 0 : bytes <= 32 ? 1 : bytes <= 64 ? 2 : 3;
}

// The points that a block has in shared memory at a time: as many as wanted, or fewer.
static uint32_t fit_tile(const hw_neighbours *p, const hw_device_properties *device, uint32_t tile) {
    enum { PARAM_BYTES = 128, LEAST = 32 };   // of 80_brute.cu and 82_select.cu, at most
    const uint32_t most = hw_plan_static_shared_most(device, PARAM_BYTES);
    while (tile > LEAST && tile * pitch_bytes(p) > most) tile /= 2;
    return tile;
}

// Fewer queries for each thread or warp, and fewer warps, where blocks would be missing.
static void spread_queries(const hw_neighbours *p, const hw_device_properties *device, hw_nearest_plan *plan) {
    const uint64_t tiles = hw_divide_up(p->points.count, plan->tile) + 1;
    const uint64_t wanted = 2 * (uint64_t)device->multiprocessors;
    while (plan->queries > 1 && blocks_of_queries(p, plan) * tiles < wanted) plan->queries /= 2;
    if (!plan->selects) return;
    while (plan->queries > 1 && p->queries.count <= 8) plan->queries /= 2;
    while (plan->threads > 32 && p->queries.count <= plan->threads / 64 * plan->queries) plan->threads /= 2;
}

static void plan_brute(const hw_neighbours *p, const hw_device_properties *device, const hw_tune_nearest *tune,
                       hw_nearest_plan *plan) {
    const uint32_t size = size_class(p), warp_size = size == 0 && p->k > tune->many_neighbours ? 1 : size;
    const bool has_few = p->queries.count < tune->few_queries, is_short = has_few || p->points.count < tune->few_points;
    plan->selects = p->k > 1 || has_few;
    plan->tile = fit_tile(p, device, is_short ? tune->short_tile : tune->tile[size]);
    plan->threads = plan->selects ? tune->warp_block : tune->thread_block;
    plan->queries = plan->selects ? tune->warp_queries[warp_size] : tune->thread_queries[size];
    spread_queries(p, device, plan);
    cut_points(p, device, tune, plan);
    plan->scratch_bytes = HW_NEAREST_FINDINGS_BYTES;
    if (plan->parts > 1) plan->scratch_bytes += (uint64_t)plan->parts * p->queries.count * p->k * 2 * real_bytes(p);
}

// ---- The search -----------------------------------------------------------------------------------------------------

// As THREADS and SORT_TILE in kernels/nearest/together.cuh.
enum { BUILD_THREADS = 512, SORT_TILE = 8 * BUILD_THREADS, DIGITS = 256 };

static uint32_t bits_of(uint64_t n) {
    uint32_t bits = 0;
    for (; n; n >>= 1) bits++;
    return bits;
}

// Takes bytes of the scratch memory; returns where.
static uint64_t take_scratch(hw_nearest_plan *plan, uint64_t bytes) {
    const uint64_t at = plan->scratch_bytes;
    plan->scratch_bytes += hw_align_up(bytes, 256);
    return at;
}

static void lay_levels(uint64_t n, hw_nearest_plan *plan) {
    uint64_t first = 0, count = n;
    do {
        count = hw_divide_up(count, HW_NEAREST_LEAF);
        plan->index.level_first[plan->n_levels] = (uint32_t)first;
        plan->index.level_count[plan->n_levels++] = (uint32_t)count;
        first += count;
    } while (count > HW_NEAREST_LEAF);
}

static void plan_search(const hw_neighbours *p, const hw_device_properties *device, const hw_tune_nearest *tune,
                        hw_nearest_plan *plan) {
    const uint64_t n = p->points.count;
    hw_nearest_index *at = &plan->index;
    plan->method = HW_NEAREST_SEARCH;
    plan->threads = tune->search_threads;
    plan->sorts_queries = !p->self && p->queries.count > tune->sorted_queries;
    const uint64_t rows = plan->sorts_queries && p->queries.count > n ? p->queries.count : n;
    plan->build_blocks =
        (uint32_t)hw_least(hw_divide_up(rows, SORT_TILE), device->multiprocessors * tune->build_blocks);
    at->first_bits = hw_least(hw_align_up(bits_of(n) + tune->cell_bits, 8), 64);
    lay_levels(n, plan);
    const uint64_t boxes = at->level_first[plan->n_levels - 1] + at->level_count[plan->n_levels - 1];

    plan->scratch_bytes = HW_NEAREST_FINDINGS_BYTES;
    at->bounds = take_scratch(plan, 2 * HW_NEIGHBOURS_DIMS * sizeof(uint64_t));
    at->counts = take_scratch(plan, 2 * (plan->build_blocks + 1) * DIGITS * sizeof(uint32_t));
    at->order = at->slots = take_scratch(plan, n * sizeof(uint32_t));
    if (plan->sorts_queries) at->query_order = take_scratch(plan, p->queries.count * sizeof(uint32_t));
    at->boxes = take_scratch(plan, 2 * boxes * pitch_bytes(p));
    at->box_index = take_scratch(plan, boxes * sizeof(uint32_t));
    for (int i = 0; i < 2; i++) at->values[i] = take_scratch(plan, rows * sizeof(uint32_t));
    at->points = plan->scratch_bytes;
    for (int i = 0; i < 2; i++) at->keys[i] = take_scratch(plan, rows * sizeof(uint64_t));
    if (plan->scratch_bytes - at->points < n * pitch_bytes(p)) plan->scratch_bytes = at->points + n * pitch_bytes(p);
}

// ---- The choice -----------------------------------------------------------------------------------------------------

// Grids whose blocks wait for each other, and lanes that vote.
static bool can_search(const hw_neighbours *p, const hw_device_properties *device) {
    return p->points.count > 0 && device->cc >= 60;
}

// Does the search cost less than brute force? Costs are counted in pairs that brute force compares in the same time.
static bool is_worth_searching(const hw_neighbours *p, const hw_device_properties *device,
                               const hw_tune_nearest *costs) {
    const double n = (double)p->points.count, q = (double)p->queries.count, k = p->k;
    const double brute = k <= 1 ? n * q : costs->brute_pair * n * q + costs->brute_result * q * k;
    const double search = costs->search_multiprocessor * device->multiprocessors + costs->search_point * n +
                          q * (costs->search_query + costs->search_result * k);
    return brute > search;
}

void hw_nearest_plan_make(const hw_neighbours *problem, const hw_device_properties *device, hw_nearest_plan *plan) {
    const hw_tune_nearest *tune = &hw_tune_for(device)->nearest;
    *plan = (hw_nearest_plan){.method = HW_NEAREST_BRUTE, .parts = 1};
    const bool wanted = problem->method == HW_NEAREST_SEARCH ||
                        (problem->method == HW_NEAREST_AUTO && is_worth_searching(problem, device, tune));
    if (wanted && can_search(problem, device)) plan_search(problem, device, tune, plan);
    else plan_brute(problem, device, tune, plan);
}

// ---- Launches -------------------------------------------------------------------------------------------------------

// As rows_shape in kernels/nearest/point.cuh.
typedef struct rows_shape {
    int64_t row_stride, axis_stride;
    uint32_t count;
} rows_shape;

static hw_plan_launch *begin_nearest_launch(const hw_neighbours *p, const char *file, const char *function,
                                            uint32_t threads, uint64_t blocks, hw_plan *plan) {
    hw_plan_launch *launch = &plan->launches[plan->n_launches++];
    *launch = (hw_plan_launch){.file = file, .function = function, .grid = {(uint32_t)blocks, 1, 1},
                               .block = {threads, 1, 1}};
    hw_plan_define(plan, launch, "REAL_BYTES", real_bytes(p));
    hw_plan_define(plan, launch, "DIMS", p->dims);
    hw_plan_define(plan, launch, "THREADS", threads);
    return launch;
}

static void give_array(hw_plan_launch *launch, int array) {
    launch->params[launch->n_params++] = (hw_plan_param){.array = array};
}

static void give_value(hw_plan *plan, hw_plan_launch *launch, const void *value, size_t bytes) {
    launch->params[launch->n_params++] = (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, value, bytes)};
}

static void give_u32(hw_plan *plan, hw_plan_launch *launch, uint32_t value) {
    give_value(plan, launch, &value, sizeof value);
}

static void give_real(const hw_neighbours *p, hw_plan *plan, hw_plan_launch *launch, double value) {
    const float narrow = (float)value;
    if (p->is_f64) give_value(plan, launch, &value, sizeof value);
    else give_value(plan, launch, &narrow, sizeof narrow);
}

static void give_rows(hw_plan *plan, hw_plan_launch *launch, int array, const hw_point_rows *rows) {
    const rows_shape shape = {rows->row_stride, rows->axis_stride, (uint32_t)rows->count};
    give_array(launch, array);
    give_value(plan, launch, &shape, sizeof shape);
}

static void launch_check(const hw_neighbours *p, bool of_queries, hw_plan *plan) {
    enum { THREADS = 256, MOST_BLOCKS = 4096 };
    const hw_point_rows *rows = of_queries ? &p->queries : &p->points;
    hw_plan_launch *launch = begin_nearest_launch(p, "nearest/75_check.cu", "nearest_check", THREADS,
                                                  hw_least(hw_divide_up(rows->count, THREADS), MOST_BLOCKS), plan);
    give_array(launch, HW_NEAREST_SCRATCH);
    give_rows(plan, launch, of_queries ? HW_NEAREST_QUERIES : HW_NEAREST_POINTS, rows);
    give_u32(plan, launch, of_queries);
}

// The least value that a distance within the radius is below: what a search that begins with it accepts.
static double bound_above_radius(const hw_neighbours *p) {
    return p->is_f64 ? nextafter(p->radius_squared, INFINITY) : nextafterf((float)p->radius_squared, INFINITY);
}

static void launch_pairs(const hw_neighbours *p, const hw_nearest_plan *plan, hw_plan *launches) {
    hw_plan_launch *launch = begin_nearest_launch(p, plan->selects ? "nearest/82_select.cu" : "nearest/80_brute.cu",
                                                  plan->selects ? "nearest_select" : "nearest_brute", plan->threads,
                                                  blocks_of_queries(p, plan), launches);
    launch->grid[1] = plan->parts;
    hw_plan_define(launches, launch, "K", p->k);
    hw_plan_define(launches, launch, "QUERIES", plan->queries);
    hw_plan_define(launches, launch, "TILE", plan->tile);
    hw_plan_define(launches, launch, "FINISH", plan->parts == 1);
    give_array(launch, HW_NEAREST_INDICES);
    give_array(launch, HW_NEAREST_DISTANCES);
    give_rows(launches, launch, HW_NEAREST_POINTS, &p->points);
    give_rows(launches, launch, HW_NEAREST_QUERIES, &p->queries);
    give_u32(launches, launch, p->self);
    give_real(p, launches, launch, plan->selects ? p->radius_squared : bound_above_radius(p));
    if (!plan->selects) give_u32(launches, launch, isinf(p->radius_squared) != 0);
    give_u32(launches, launch, plan->part_points);
    give_array(launch, HW_NEAREST_SCRATCH);
}

static void launch_merge(const hw_neighbours *p, const hw_nearest_plan *plan, hw_plan *launches) {
    enum { THREADS = 128 };
    hw_plan_launch *launch = begin_nearest_launch(p, "nearest/85_merge.cu", "nearest_merge", THREADS,
                                                  hw_divide_up(p->queries.count, THREADS / 32), launches);
    hw_plan_define(launches, launch, "K", p->k);
    give_array(launch, HW_NEAREST_INDICES);
    give_array(launch, HW_NEAREST_DISTANCES);
    give_u32(launches, launch, (uint32_t)p->points.count);
    give_u32(launches, launch, (uint32_t)p->queries.count);
    give_u32(launches, launch, p->self);
    give_real(p, launches, launch, p->radius_squared);
    give_u32(launches, launch, plan->parts);
    give_array(launch, HW_NEAREST_SCRATCH);
}

static void launch_index(const hw_neighbours *p, const hw_nearest_plan *plan, hw_plan *launches) {
    hw_plan_launch *launch =
        begin_nearest_launch(p, "nearest/90_index.cu", "nearest_index", BUILD_THREADS, plan->build_blocks, launches);
    launch->cooperative = true;
    give_rows(launches, launch, HW_NEAREST_POINTS, &p->points);
    give_rows(launches, launch, HW_NEAREST_QUERIES, &p->queries);
    give_u32(launches, launch, !p->self);
    give_u32(launches, launch, plan->sorts_queries);
    give_array(launch, HW_NEAREST_SCRATCH);
    give_value(launches, launch, &plan->index, sizeof plan->index);
    give_u32(launches, launch, plan->n_levels);
}

static void launch_search(const hw_neighbours *p, const hw_nearest_plan *plan, hw_plan *launches) {
    const uint64_t query_order = p->self ? plan->index.order : plan->sorts_queries ? plan->index.query_order : 0;
    hw_plan_launch *launch = begin_nearest_launch(p, "nearest/92_search.cu", "nearest_search", plan->threads,
                                                  hw_divide_up(p->queries.count, plan->threads / 32), launches);
    hw_plan_define(launches, launch, "K", p->k);
    hw_plan_define(launches, launch, "LEVELS", plan->n_levels);
    give_array(launch, HW_NEAREST_INDICES);
    give_array(launch, HW_NEAREST_DISTANCES);
    give_rows(launches, launch, HW_NEAREST_QUERIES, &p->queries);
    give_u32(launches, launch, p->self);
    give_real(p, launches, launch, p->radius_squared);
    give_u32(launches, launch, (uint32_t)p->points.count);
    give_array(launch, HW_NEAREST_SCRATCH);
    give_value(launches, launch, &plan->index, sizeof plan->index);
    give_value(launches, launch, &query_order, sizeof query_order);
}

void hw_nearest_plan_launch(const hw_neighbours *problem, const hw_nearest_plan *plan, hw_plan *launches) {
    *launches = (hw_plan){0};
    if (plan->method == HW_NEAREST_SEARCH) {
        launch_index(problem, plan, launches);
        launch_search(problem, plan, launches);
        return;
    }
    launch_check(problem, false, launches);
    if (!problem->self) launch_check(problem, true, launches);
    launch_pairs(problem, plan, launches);
    if (plan->parts > 1) launch_merge(problem, plan, launches);
}
