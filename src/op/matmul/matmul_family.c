// The family of matrix products: C = A B of row-major matrices, the problem that the rungs of kernels/matmul solve.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/matmul/cpu/matmul_blas.h"
#include "op/matmul/cpu/matmul_integers.h"
#include "op/matmul/matmul_family.h"

// ---- The problem ----------------------------------------------------------------------------------------------------

uint64_t hw_matmul_scratch_bytes(const hw_problem *problem) {
    enum { LARGEST_TILE = 256, STEPS = 32 };
    const double most = 64 << 20, rows = (double)problem->size[M] + LARGEST_TILE;
    const double cols = (double)problem->size[N] + LARGEST_TILE;
    if (hw_matmul_is_integer(problem->dtype)) return 0;   // whose k is not cut
    const double bytes = rows * cols * hw_matmul_elem_bytes(problem) * ((double)problem->size[K] / STEPS + 1);
    return (uint64_t)(bytes < most ? bytes : most);
}

static hw_status describe_matmul(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t most = INT32_MAX, m = problem->size[M], n = problem->size[N], k = problem->size[K];
    const uint64_t most_elems = (uint64_t)1 << 40;
    if (m > most || n > most || k > most || m * k > most_elems || k * n > most_elems || m * n > most_elems)
        return hw_diag_set(diag, HW_USAGE, "%" PRIu64 "x%" PRIu64 "x%" PRIu64 " is more than 2^31 rows or columns, "
                           "or 2^40 elements", m, n, k);
    const uint64_t a = m * k * hw_matmul_elem_bytes(problem), b = k * n * hw_matmul_elem_bytes(problem);
    const uint64_t c = m * n * hw_matmul_out_bytes(problem);
    *work = (hw_work){.arrays = {[A] = {"A", .bytes = a}, [B] = {"B", .bytes = b},
                                 [C] = {"C", .bytes = c, .is_output = true},
                                 [SCRATCH] = {"scratch", hw_matmul_scratch_bytes(problem), .is_scratch = true}},
                      .n_arrays = HW_PRODUCT_ARRAYS, .bytes_moved = (double)(a + b + c),
                      .operations = 2.0 * (double)m * (double)n * (double)k,
                      .operation = hw_matmul_is_integer(problem->dtype) ? "op" : "flop"};
    return HW_OK;
}

// Whole numbers up to so much, whose sums of k products 31 bits hold: no element wraps, and doubles are exact.
static int64_t most_integer(uint64_t k) { return k <= 1 << 17 ? 100 : 1; }

static void fill_integers(const hw_problem *problem, void *array, uint64_t elems, uint64_t seed) {
    const uint64_t most = (uint64_t)most_integer(problem->size[K]);
    const bool is_signed = problem->dtype.code == kDLInt;
    for (uint64_t i = 0; i < elems; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int64_t value = (int64_t)((seed >> 33) % (is_signed ? 2 * most + 1 : most + 1));
        hw_dtype_set(problem->dtype, array, i, (double)(is_signed ? value - (int64_t)most : value));
    }
}

// Numbers between -1 and 1, of both signs and without pattern, that the type holds exactly.
static void fill_one(DLDataType dtype, void *array, uint64_t elems, uint64_t seed) {
    const double steps = dtype.bits >= 32 ? 1 << 23 : dtype.code == kDLBfloat ? 1 << 7 : 1 << 10;
    uint64_t state = seed;
    for (uint64_t i = 0; i < elems; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double whole = (double)(state >> 33) / (double)(1u << 31) * 2 * steps;   // 0 to 2 steps
        hw_dtype_set(dtype, array, i, (floor(whole) - steps) / steps);
    }
}

static void fill_matmul(const hw_problem *problem, void *const *arrays) {
    const uint64_t elems[] = {problem->size[M] * problem->size[K], problem->size[K] * problem->size[N]};
    for (uint32_t x = 0; x < 2; x++) {
        if (hw_matmul_is_integer(problem->dtype)) fill_integers(problem, arrays[x ? B : A], elems[x], 1 + x);
        else fill_one(problem->dtype, arrays[x ? B : A], elems[x], 1 + x);
    }
}

hw_product hw_matmul_product_of(const hw_problem *problem) {
    const uint64_t m = problem->size[M], n = problem->size[N], k = problem->size[K];
    hw_product p;
    memset(&p, 0, sizeof p);   // padding too: it may be part of a key
    p.m = m;
    p.n = n;
    p.k = k;
    p.a.ld = (int64_t)k;
    p.b.ld = p.c.ld = (int64_t)n;
    const uint64_t a_bytes = 16 | k * hw_matmul_elem_bytes(problem), b_bytes = 16 | n * hw_matmul_elem_bytes(problem);
    const uint64_t c_bytes = 16 | n * hw_matmul_out_bytes(problem);
    p.a.align_bytes = (uint32_t)(a_bytes & -a_bytes);
    p.b.align_bytes = (uint32_t)(b_bytes & -b_bytes);
    p.c.align_bytes = (uint32_t)(c_bytes & -c_bytes);
    p.input = problem->dtype;
    p.output = hw_matmul_out_type(problem);
    p.precision = hw_matmul_is_integer(problem->dtype) ? HW_PRECISION_OF_TYPE
                : problem->dtype.bits == 64 ? HW_PRECISION_FP64
                : problem->dtype.bits == 32 ? HW_PRECISION_FP32 : HW_PRECISION_OF_TYPE;
    p.alpha = 1;
    return p;
}

// ---- What the rungs are, in numbers ---------------------------------------------------------------------------------

enum { LOADS, OPERATIONS, INTENSITY, SHARED_BYTES, BLOCKS, ROOF };

// A number that the first launch is specialised by; 0: it has none of that name.
static double number_of(const hw_plan *plan, const char *name) {
    const hw_plan_launch *launch = &plan->launches[0];
    const size_t length = strlen(name);
    for (uint32_t d = 0; d < launch->n_defines; d++) {
        const char *text = plan->bytes + launch->defines[d];
        if (!strncmp(text, name, length) && text[length] == '=') return atof(text + length + 1);
    }
    return 0;
}

// Seed 001's analysis: what a block loads and computes in a phase, and the rate that memory then allows. Without phases
// every multiply-add loads its two factors, in one step of k.
static void tell_intensity(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const hw_plan *plan, uint32_t resident_blocks, double numbers[HW_FAMILY_FACTS]) {
    if (!plan->n_launches) return;
    const double rows = number_of(plan, "TILE_ROWS"), cols = number_of(plan, "TILE_COLS");
    const double bytes = hw_matmul_elem_bytes(problem);
    const double phase = number_of(plan, "TILE_DEPTH"), depth = phase ? phase : 1;
    if (!rows || !cols) return;
    numbers[LOADS] = phase ? (rows + cols) * depth : 2 * rows * cols;
    numbers[OPERATIONS] = 2 * rows * cols * depth;
    numbers[INTENSITY] = numbers[OPERATIONS] / (numbers[LOADS] * bytes);
    // Square tiles that the device has smaller have less of it.
    const bool is_square = rung->tile[0] && rung->tile[0] == rung->tile[1];
    const double less = is_square ? rows * cols / ((double)rung->tile[0] * rung->tile[1]) : 1;
    const double elems = hw_matmul_rung_shape(rung)->shared_elems * less;
    numbers[SHARED_BYTES] = plan->launches[0].dynamic_shared_bytes + elems * bytes;
    if (resident_blocks) numbers[BLOCKS] = resident_blocks;
    // The peak of tensor cores and of integers is not known, and 16-bit floats have no other kernel with tiles.
    const bool on_tensor_cores = !strcmp(plan->launches[0].function, "product_tensor");
    const double memory = numbers[INTENSITY] * device->memory_gbs / 1e3;
    const double peak = problem->dtype.bits == 64 ? device->fp64_tflops : device->fp32_tflops;
    const bool has_peak = !on_tensor_cores && !hw_matmul_is_integer(problem->dtype) && peak > 0;
    if (has_peak && memory > 0) numbers[ROOF] = memory < peak ? memory : peak;
}

// ---- The processor --------------------------------------------------------------------------------------------------

typedef struct row_job {
    const hw_problem *problem;
    void *const *arrays;
    uint32_t n_threads;
} row_job;

static void take_product_rows(void *context, uint32_t index) {
    const row_job *j = context;
    for (uint64_t i = index; i < j->problem->size[M]; i += j->n_threads)
        hw_matmul_reference_row(j->problem, j->arrays, i);
}

static hw_status by_rows(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                         hw_diag *diag) {
    row_job job = {problem, arrays, n_threads};
    (void)diag;
    hw_pool_run(pool, n_threads, take_product_rows, &job);
    return HW_OK;
}

static hw_status by_blas(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                         hw_diag *diag) {
    const hw_product p = hw_matmul_product_of(problem);
    (void)pool;
    if (hw_matmul_is_integer(problem->dtype))
        return hw_diag_set(diag, HW_USAGE, "OpenBLAS has no products of integers");
    if (!p.m || !p.n) return HW_OK;
    return hw_cpu_matmul(&p, arrays[A], arrays[B], arrays[C], n_threads, diag);
}

static hw_status by_blocks(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                           hw_diag *diag) {
    const hw_product p = hw_matmul_product_of(problem);
    if (!hw_matmul_is_integer(problem->dtype)) return hw_diag_set(diag, HW_USAGE, "blocks are for integers");
    if (!p.m || !p.n) return HW_OK;
    return hw_cpu_matmul_integers(&p, arrays[A], arrays[B], arrays[C], pool, n_threads, diag);
}

static const hw_rung cpu_rungs[] = {
    {.number = 10, .name = "rows", .idea = "rows of sums in double", .native = by_rows},
    {.number = 90, .name = "blas", .builds_on = "rows", .idea = "OpenBLAS", .native = by_blas, .limit = "floats"},
    {.number = 95, .name = "blocks", .builds_on = "rows", .idea = "integers in blocks", .native = by_blocks,
     .limit = "integers"},
};

// ---- The family -----------------------------------------------------------------------------------------------------

const hw_family hw_family_matmul = {
    .name = "matmul",
    .does = "C = A B",
    .rungs = hw_matmul_rungs,
    .n_rungs = HW_MATMUL_RUNGS,
    .cpu_rungs = cpu_rungs,
    .n_cpu_rungs = sizeof cpu_rungs / sizeof cpu_rungs[0],
    .size_names = {"m", "n", "k"},
    .default_size = {4096, 4096, 4096},
    .default_sim_size = {512, 512, 512},
    .large_sim_size = {1024, 1024, 1024},
    .default_cpu_size = {768, 768, 768},
    .dtypes = "f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64",
    .describe = describe_matmul,
    .fill = fill_matmul,
    .reference = hw_matmul_reference,
    .fact_names = {[LOADS] = "loads per tile", [OPERATIONS] = "flop per tile", [INTENSITY] = "flop per byte",
                   [SHARED_BYTES] = "shared bytes", [BLOCKS] = "resident blocks", [ROOF] = "roof TFLOP/s"},
    .facts = tell_intensity,
    .compare = hw_matmul_compare,
};
