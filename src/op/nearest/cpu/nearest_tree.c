// Rows into blocks, with a tree over them or without: memory, threads and errors. The steps are in nearest_tree_body.h.
#include "op/nearest/cpu/nearest_tree.h"
#include "op/tune/cpu.h"

#include "base/alloc.h"
#include "base/integers.h"
#include "base/status.h"
#include "op/common/tasks.h"

static const hw_tree_steps *steps_of(bool is_f64) { return is_f64 ? &hw_tree_steps_f64 : &hw_tree_steps_f32; }

// The memory is not cleared: the threads that write a page first get it in their own node's memory.
static bool cloud_alloc(hw_cloud *cloud, const hw_neighbours *problem, uint64_t n_blocks) {
    const size_t real_bytes = problem->is_f64 ? sizeof(double) : sizeof(float);
    *cloud = (hw_cloud){.dims = problem->dims, .is_f64 = problem->is_f64, .n_blocks = n_blocks};
    cloud->coords_memory = hw_malloc(n_blocks * HW_BLOCK * problem->dims * real_bytes + 64);
    cloud->index = hw_malloc(n_blocks * HW_BLOCK * sizeof *cloud->index);
    cloud->coords = (void *)(uintptr_t)hw_align_up((uintptr_t)cloud->coords_memory, 64);
    return cloud->coords_memory && cloud->index;
}

void hw_cloud_release(hw_cloud *cloud) {
    hw_free(cloud->coords_memory);
    hw_free(cloud->index);
    *cloud = (hw_cloud){0};
}

static bool tree_alloc(hw_tree *tree, const hw_cloud *cloud, uint64_t n_nodes) {
    const size_t real_bytes = cloud->is_f64 ? sizeof(double) : sizeof(float);
    *tree = (hw_tree){.n_nodes = n_nodes};
    tree->child = hw_malloc(n_nodes * sizeof *tree->child);
    tree->parent = hw_malloc((n_nodes / 2 + 1) * sizeof *tree->parent);
    tree->min_index = hw_malloc(n_nodes * sizeof *tree->min_index);
    tree->leaf = hw_malloc(cloud->n_blocks * sizeof *tree->leaf);
    tree->boxes = hw_malloc(n_nodes * 2 * cloud->dims * real_bytes);
    return tree->child && tree->parent && tree->min_index && tree->leaf && tree->boxes;
}

void hw_tree_release(hw_tree *tree) {
    hw_free(tree->child);
    hw_free(tree->parent);
    hw_free(tree->min_index);
    hw_free(tree->leaf);
    hw_free(tree->boxes);
    *tree = (hw_tree){0};
}

static hw_status lowest_nan(const uint64_t *rows, uint64_t count, bool of_queries, hw_diag *diag) {
    for (uint64_t i = 0; i < count; i++)
        if (rows[i] != UINT64_MAX) return hw_neighbours_refuse(of_queries, rows[i], diag);
    return HW_OK;
}

// ---- Without a tree -------------------------------------------------------------------------------------------------

typedef struct gathering {
    const hw_point_rows *rows;
    const hw_tree_steps *steps;
    hw_cloud *cloud;
    uint64_t *nan_row;
} gathering;

static void gather_task(void *context, uint64_t task, uint32_t worker) {
    (void)worker;
    const gathering *g = context;
    const uint64_t first = task * HW_CPU_GATHER_BLOCKS, rest = g->cloud->n_blocks - first;
    const uint64_t end = first + (rest < HW_CPU_GATHER_BLOCKS ? rest : HW_CPU_GATHER_BLOCKS);
    g->nan_row[task] = g->steps->gather(g->rows, g->cloud->dims, g->cloud, first, end);
}

hw_status hw_cloud_gather(const hw_neighbours *problem, bool of_queries, hw_pool *pool, uint32_t n_threads,
                          hw_cloud *cloud, hw_diag *diag) {
    const hw_point_rows *rows = of_queries ? &problem->queries : &problem->points;
    const uint64_t n_blocks = hw_divide_up(rows->count, HW_BLOCK),
                   n_tasks = hw_divide_up(n_blocks, HW_CPU_GATHER_BLOCKS);
    uint64_t *nan_row = hw_malloc(n_tasks * sizeof *nan_row);
    hw_status status = HW_OK;
    if (!cloud_alloc(cloud, problem, n_blocks) || !nan_row) status = hw_diag_no_memory(diag);
    if (!status) {
        gathering g = {rows, steps_of(problem->is_f64), cloud, nan_row};
        hw_cpu_tasks_run(pool, n_threads, n_tasks, gather_task, &g);
        status = lowest_nan(nan_row, n_tasks, of_queries, diag);
    }
    hw_free(nan_row);
    if (status) hw_cloud_release(cloud);
    return status;
}

// ---- With a tree ----------------------------------------------------------------------------------------------------

typedef struct building {
    hw_tree_plan plan;
    const hw_tree_steps *steps;
} building;

static void classify_task(void *context, uint64_t task, uint32_t worker) {
    (void)worker;
    const building *b = context;
    b->steps->classify(&b->plan, task);
}

static void scatter_task(void *context, uint64_t task, uint32_t worker) {
    (void)worker;
    const building *b = context;
    b->steps->scatter(&b->plan, task);
}

static void grow_task(void *context, uint64_t task, uint32_t worker) {
    (void)worker;
    const building *b = context;
    b->steps->grow(&b->plan, task);
}

static uint32_t choose_depth(uint64_t n) {
    uint32_t depth = 0;
    while (depth < HW_TREE_MAX_DEPTH && n >> depth > HW_CPU_BUCKET_ROWS) depth++;
    return depth;
}

static bool plan_alloc(hw_tree_plan *plan) {
    const uint64_t n_buckets = (uint64_t)1 << plan->depth;
    plan->cut_axis = hw_malloc(n_buckets);
    plan->cut_value = hw_malloc(n_buckets * sizeof(double));
    plan->bucket = hw_malloc(plan->rows->count * sizeof *plan->bucket);
    plan->count = hw_malloc(plan->n_chunks * n_buckets * sizeof *plan->count);
    plan->nan_row = hw_malloc(plan->n_chunks * sizeof *plan->nan_row);
    plan->first_row = hw_malloc(3 * (n_buckets + 1) * sizeof *plan->first_row);
    plan->first_block = plan->first_row + (n_buckets + 1);
    plan->first_pair = plan->first_block + (n_buckets + 1);
    return plan->cut_axis && plan->cut_value && plan->bucket && plan->count && plan->nan_row && plan->first_row;
}

static void plan_release(hw_tree_plan *plan) {
    hw_free(plan->cut_axis);
    hw_free(plan->cut_value);
    hw_free(plan->bucket);
    hw_free(plan->count);
    hw_free(plan->nan_row);
    hw_free(plan->first_row);
    hw_free(plan->records);
}

static hw_status cut_top(building *b, hw_diag *diag) {
    const uint64_t n = b->plan.rows->count;
    uint64_t n_samples = (uint64_t)HW_CPU_SAMPLES_PER_BUCKET << b->plan.depth;
    if (b->plan.depth == 0) return HW_OK;
    if (n_samples > n) n_samples = n;
    void *sample = hw_malloc(n_samples * b->steps->record_bytes(b->plan.dims));
    if (!sample) return hw_diag_no_memory(diag);
    b->steps->cut(&b->plan, sample, n_samples);
    hw_free(sample);
    return HW_OK;
}

// Turns the counts into places: buckets one after the other, within a bucket the chunks in their order.
static void set_places(hw_tree_plan *plan) {
    const uint64_t n_buckets = (uint64_t)1 << plan->depth;
    uint64_t row = 0, block = 0, pair = 2 * n_buckets;
    for (uint64_t bucket = 0; bucket < n_buckets; bucket++) {
        plan->first_row[bucket] = row;
        plan->first_block[bucket] = block;
        plan->first_pair[bucket] = pair;
        for (uint64_t chunk = 0; chunk < plan->n_chunks; chunk++) {
            uint32_t *count = &plan->count[chunk * n_buckets + bucket], here = *count;
            *count = (uint32_t)row;
            row += here;
        }
        const uint64_t blocks = hw_divide_up(row - plan->first_row[bucket], HW_BLOCK);
        block += blocks;
        if (blocks) pair += 2 * (blocks - 1);
    }
    plan->first_row[n_buckets] = row;
    plan->first_block[n_buckets] = block;
    plan->first_pair[n_buckets] = pair;
}

static hw_status build_tree(building *b, const hw_neighbours *problem, bool of_queries, hw_pool *pool,
                            uint32_t n_threads, hw_diag *diag) {
    hw_tree_plan *plan = &b->plan;
    const uint64_t n_buckets = (uint64_t)1 << plan->depth;
    if (!plan_alloc(plan)) return hw_diag_no_memory(diag);
    hw_status status = cut_top(b, diag);
    if (status) return status;
    hw_cpu_tasks_run(pool, n_threads, plan->n_chunks, classify_task, b);
    status = lowest_nan(plan->nan_row, plan->n_chunks, of_queries, diag);
    if (status) return status;
    set_places(plan);
    plan->records = hw_malloc(plan->first_row[n_buckets] * b->steps->record_bytes(plan->dims));
    if (!plan->records || !cloud_alloc(plan->cloud, problem, plan->first_block[n_buckets]) ||
        (plan->tree && !tree_alloc(plan->tree, plan->cloud, plan->first_pair[n_buckets])))
        return hw_diag_no_memory(diag);
    plan->cloud->n_infinite = plan->rows->count - plan->first_row[n_buckets];
    hw_cpu_tasks_run(pool, n_threads, plan->n_chunks, scatter_task, b);
    hw_cpu_tasks_run(pool, n_threads, n_buckets, grow_task, b);
    if (plan->tree) b->steps->join(plan);
    return HW_OK;
}

hw_status hw_tree_build(const hw_neighbours *problem, bool of_queries, hw_pool *pool, uint32_t n_threads,
                        hw_cloud *cloud, hw_tree *tree, hw_diag *diag) {
    const hw_point_rows *rows = of_queries ? &problem->queries : &problem->points;
    *cloud = (hw_cloud){0};
    if (tree) *tree = (hw_tree){0};
    building b = {.steps = steps_of(problem->is_f64)};
    b.plan = (hw_tree_plan){.rows = rows, .dims = problem->dims, .depth = choose_depth(rows->count), .cloud = cloud,
                            .tree = tree};
    b.plan.chunk_rows = hw_divide_up(rows->count, (uint64_t)n_threads * HW_CPU_CHUNKS_PER_THREAD);
    if (b.plan.chunk_rows < HW_CPU_LEAST_CHUNK_ROWS) b.plan.chunk_rows = HW_CPU_LEAST_CHUNK_ROWS;
    b.plan.n_chunks = hw_divide_up(rows->count, b.plan.chunk_rows);
    hw_status status = build_tree(&b, problem, of_queries, pool, n_threads, diag);
    plan_release(&b.plan);
    if (status) hw_cloud_release(cloud);
    if (status && tree) hw_tree_release(tree);
    return status;
}
