// The choice between every pair and the search, and the launches of both.
#include "op/nearest_plan.h"

#include <math.h>
#include <string.h>

static uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

static uint32_t real_bytes(const hw_neighbours *p) { return p->is_f64 ? 8 : 4; }
static uint32_t point_bytes(const hw_neighbours *p) { return p->dims * real_bytes(p); }

// ---- Every pair -----------------------------------------------------------------------------------------------------

// Points are cut into parts until the blocks fill the device a few times over, as long as a part stays worth a block.
static void cut_points(const hw_neighbours *p, const hw_device_properties *device, uint64_t query_blocks,
                       hw_nearest_plan *plan) {
    enum { BLOCKS_PER_MULTIPROCESSOR = 6, LEAST_TILES = 4, MOST_PARTS = 1024 };
    const uint64_t wanted = (uint64_t)device->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    const uint64_t tiles = divide_up(p->points.count, plan->tile);
    uint64_t parts = wanted / query_blocks;
    if (parts > tiles / LEAST_TILES) parts = tiles / LEAST_TILES;
    if (parts > MOST_PARTS) parts = MOST_PARTS;
    if (parts <= 1) {
        plan->parts = 1;
        plan->part_points = (uint32_t)p->points.count;
        return;
    }
    plan->part_points = (uint32_t)divide_up(tiles, parts) * plan->tile;
    plan->parts = (uint32_t)divide_up(p->points.count, plan->part_points);
}

static uint32_t halved_to_fit(uint32_t queries, uint64_t asked) {
    while (queries > 1 && queries / 2 >= asked) queries /= 2;
    return queries;
}

static void plan_brute(const hw_neighbours *p, const hw_device_properties *device, hw_nearest_plan *plan) {
    const uint32_t bytes = point_bytes(p);
    uint64_t per_block;
    plan->tile = bytes <= 16 ? 512 : bytes <= 32 ? 256 : 128;
    if (p->k == 1) {
        plan->threads = 128;
        plan->queries = halved_to_fit(bytes <= 16 ? 8 : bytes <= 32 ? 4 : bytes <= 64 ? 2 : 1,
                                      divide_up(p->queries.count, plan->threads));
        per_block = (uint64_t)plan->threads * plan->queries;
    } else {
        plan->threads = 256;
        plan->queries = halved_to_fit(bytes <= 16 && p->k <= 32 ? 4 : bytes <= 32 ? 2 : 1,
                                      divide_up(p->queries.count, plan->threads / 32));
        per_block = (uint64_t)plan->threads / 32 * plan->queries;
    }
    cut_points(p, device, divide_up(p->queries.count, per_block), plan);
    plan->scratch_bytes = HW_NEAREST_FINDINGS_BYTES;
    if (plan->parts > 1) plan->scratch_bytes += (uint64_t)plan->parts * p->queries.count * p->k * 2 * real_bytes(p);
}

void hw_nearest_plan_make(const hw_neighbours *problem, const hw_device_properties *device, hw_nearest_plan *plan) {
    *plan = (hw_nearest_plan){.method = HW_NEAREST_BRUTE};
    plan_brute(problem, device, plan);
}

// ---- Launches -------------------------------------------------------------------------------------------------------

// As rows_shape in kernels/nearest/point.cuh.
typedef struct rows_shape {
    int64_t row_stride, axis_stride;
    uint32_t count;
} rows_shape;

static hw_plan_launch *begin(const hw_neighbours *p, const char *file, const char *function, uint32_t threads,
                             uint64_t blocks, hw_plan *plan) {
    hw_plan_launch *launch = &plan->launches[plan->n_launches++];
    *launch = (hw_plan_launch){.file = file, .function = function, .grid = {(uint32_t)blocks, 1, 1},
                               .block = {threads, 1, 1}};
    hw_plan_define(plan, launch, "REAL_BYTES", real_bytes(p));
    hw_plan_define(plan, launch, "DIMS", p->dims);
    hw_plan_define(plan, launch, "K", p->k);
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
    hw_plan_launch *launch = begin(p, "nearest/75_check.cu", "nearest_check", THREADS,
                                   least(divide_up(rows->count, THREADS), MOST_BLOCKS), plan);
    give_array(launch, HW_NEAREST_SCRATCH);
    give_rows(plan, launch, of_queries ? HW_NEAREST_QUERIES : HW_NEAREST_POINTS, rows);
    give_u32(plan, launch, of_queries);
}

// The least value that a distance within the radius is below: what a search that begins with it accepts.
static double above(const hw_neighbours *p) {
    return p->is_f64 ? nextafter(p->radius_squared, INFINITY) : nextafterf((float)p->radius_squared, INFINITY);
}

static void launch_pairs(const hw_neighbours *p, const hw_nearest_plan *plan, hw_plan *launches) {
    const bool is_one = p->k == 1;
    const uint64_t per_block = (uint64_t)plan->queries * (is_one ? plan->threads : plan->threads / 32);
    hw_plan_launch *launch = begin(p, is_one ? "nearest/80_brute.cu" : "nearest/82_select.cu",
                                   is_one ? "nearest_brute" : "nearest_select", plan->threads,
                                   divide_up(p->queries.count, per_block), launches);
    launch->grid[1] = plan->parts;
    hw_plan_define(launches, launch, "QUERIES", plan->queries);
    hw_plan_define(launches, launch, "TILE", plan->tile);
    hw_plan_define(launches, launch, "FINISH", plan->parts == 1);
    give_array(launch, HW_NEAREST_INDICES);
    give_array(launch, HW_NEAREST_DISTANCES);
    give_rows(launches, launch, HW_NEAREST_POINTS, &p->points);
    give_rows(launches, launch, HW_NEAREST_QUERIES, &p->queries);
    give_u32(launches, launch, p->self);
    give_real(p, launches, launch, is_one ? above(p) : p->radius_squared);
    if (is_one) give_u32(launches, launch, isinf(p->radius_squared) != 0);
    give_u32(launches, launch, plan->part_points);
    give_array(launch, HW_NEAREST_SCRATCH);
}

static void launch_merge(const hw_neighbours *p, const hw_nearest_plan *plan, hw_plan *launches) {
    enum { THREADS = 128 };
    hw_plan_launch *launch = begin(p, "nearest/85_merge.cu", "nearest_merge", THREADS,
                                   divide_up(p->queries.count, THREADS / 32), launches);
    give_array(launch, HW_NEAREST_INDICES);
    give_array(launch, HW_NEAREST_DISTANCES);
    give_u32(launches, launch, (uint32_t)p->points.count);
    give_u32(launches, launch, (uint32_t)p->queries.count);
    give_u32(launches, launch, p->self);
    give_real(p, launches, launch, p->radius_squared);
    give_u32(launches, launch, plan->parts);
    give_array(launch, HW_NEAREST_SCRATCH);
}

void hw_nearest_plan_launch(const hw_neighbours *problem, const hw_nearest_plan *plan, hw_plan *launches) {
    *launches = (hw_plan){0};
    launch_check(problem, false, launches);
    if (!problem->self) launch_check(problem, true, launches);
    launch_pairs(problem, plan, launches);
    if (plan->parts > 1) launch_merge(problem, plan, launches);
}
