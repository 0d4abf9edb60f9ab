// The choice of the kernels for a product, and what those that take any layout are given.
#include "op/matmul/matmul_plan.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "op/matmul/tensor_plan.h"
#include "op/tune/tune.h"

uint64_t hw_product_batches(const hw_product *p) {
    uint64_t batches = 1;
    for (uint32_t k = 0; k < p->n_batch_axes; k++) batches *= p->batch[k];
    return batches;
}

// ---- Any layout -----------------------------------------------------------------------------------------------------

// product_arguments of kernels/matmul/types.cuh: 8 bytes each, but for alpha and beta where they are floats.
typedef struct arguments {
    int64_t m, n, k, a_ld, b_ld, c_ld, batches;
    int64_t batch[HW_PRODUCT_BATCH_AXES], a_batch[HW_PRODUCT_BATCH_AXES], b_batch[HW_PRODUCT_BATCH_AXES],
        c_batch[HW_PRODUCT_BATCH_AXES];
    union {
        double doubles[2];
        float floats[2];
        uint64_t wide[2];
        uint32_t narrow[2];
    } scale;
} arguments;

static bool is_f64(const hw_product *p) { return p->input.bits == 64 && p->input.code == kDLFloat; }

// alpha and beta in the type of the sums; the bytes of both.
static size_t set_scale(const hw_product *p, arguments *args) {
    const bool is_wide = p->input.bits == 64;
    const uint64_t alpha = (uint64_t)(int64_t)p->alpha, beta = (uint64_t)(int64_t)p->beta;
    if (!hw_product_is_integer(p)) {
        if (is_wide) args->scale.doubles[0] = p->alpha, args->scale.doubles[1] = p->beta;
        else args->scale.floats[0] = (float)p->alpha, args->scale.floats[1] = (float)p->beta;
    } else if (is_wide) {
        args->scale.wide[0] = alpha, args->scale.wide[1] = beta;
    } else {
        args->scale.narrow[0] = (uint32_t)alpha, args->scale.narrow[1] = (uint32_t)beta;
    }
    return is_wide ? sizeof args->scale.doubles : sizeof args->scale.floats;
}

uint32_t hw_product_arguments(const hw_product *p, hw_plan *plan) {
    arguments args = {.m = (int64_t)p->m, .n = (int64_t)p->n, .k = (int64_t)p->k, .a_ld = p->a.ld, .b_ld = p->b.ld,
                      .c_ld = p->c.ld, .batches = (int64_t)hw_product_batches(p)};
    const uint32_t unused = HW_PRODUCT_BATCH_AXES - p->n_batch_axes;
    for (uint32_t k = 0; k < HW_PRODUCT_BATCH_AXES; k++) {
        args.batch[k] = k < unused ? 1 : (int64_t)p->batch[k - unused];
        args.a_batch[k] = k < unused ? 0 : p->a.batch_stride[k - unused];
        args.b_batch[k] = k < unused ? 0 : p->b.batch_stride[k - unused];
        args.c_batch[k] = k < unused ? 0 : p->c.batch_stride[k - unused];
    }
    const size_t scale_bytes = set_scale(p, &args);
    return hw_plan_value(plan, &args, offsetof(arguments, scale) + scale_bytes);
}

static int type_number(DLDataType type) {   // TYPE_F32 and the like
    const int size = type.bits == 64 ? 3 : type.bits == 32 ? 2 : type.bits == 16 ? 1 : 0;
    if (type.code == kDLInt || type.code == kDLUInt) return (type.code == kDLInt ? 4 : 8) + size;
    return type.code == kDLBfloat ? 3 : type.bits == 16 ? 2 : type.bits == 64 ? 1 : 0;
}

hw_plan_launch *hw_product_begin(const hw_product *p, const char *file, const char *function, hw_plan *plan) {
    memset(plan, 0, sizeof *plan);
    plan->n_launches = 1;
    hw_plan_launch *launch = &plan->launches[0];
    launch->file = file;
    launch->function = function;
    launch->params[launch->n_params++] = (hw_plan_param){.array = HW_PRODUCT_A};
    launch->params[launch->n_params++] = (hw_plan_param){.array = HW_PRODUCT_B};
    launch->params[launch->n_params++] = (hw_plan_param){.array = HW_PRODUCT_C};
    launch->params[launch->n_params++] = (hw_plan_param){.array = -1, .offset = hw_product_arguments(p, plan)};
    hw_plan_define(plan, launch, "INPUT", type_number(p->input));
    hw_plan_define(plan, launch, "OUTPUT", type_number(p->output));
    hw_plan_define(plan, launch, "A_TURNED", p->a.transposed);
    hw_plan_define(plan, launch, "B_TURNED", p->b.transposed);
    return launch;
}

enum { PLAIN_TILE = 64, DP4A_TILE = 128, PLAIN_THREADS = 256, MOST_GRID = 65535 };

// Blocks walk on where there are more tiles or batches than a grid has.
static void lay_plain_grid(const hw_product *p, uint32_t tile, hw_plan_launch *launch) {
    const uint64_t rows = hw_divide_up(p->m, tile), batches = hw_product_batches(p);
    launch->grid[0] = (uint32_t)hw_divide_up(p->n, tile);
    launch->grid[1] = (uint32_t)(rows < MOST_GRID ? rows : MOST_GRID);
    launch->grid[2] = (uint32_t)(batches < MOST_GRID ? batches : MOST_GRID);
    launch->block[0] = PLAIN_THREADS;
    launch->block[1] = launch->block[2] = 1;
}

void hw_product_plan_plain(const hw_product *p, hw_plan *plan) {
    lay_plain_grid(p, PLAIN_TILE, hw_product_begin(p, "matmul/96_plain.cu", "product_plain", plan));
}

bool hw_product_dp4a_takes(const hw_product *p, const hw_device_properties *device) {
    enum { DP4A_CC = 61 };
    return hw_product_is_integer(p) && p->input.bits == 8 && device->cc >= DP4A_CC && p->k;
}

void hw_product_plan_dp4a(const hw_product *p, hw_plan *plan) {
    hw_plan_launch *launch = hw_product_begin(p, "matmul/98_dp4a.cu", "product_dp4a", plan);
    hw_plan_define(plan, launch, "A_WORDS", p->a.align_bytes >= 4);
    hw_plan_define(plan, launch, "B_WORDS", p->b.align_bytes >= 4);
    lay_plain_grid(p, DP4A_TILE, launch);
}

// ---- The choice -----------------------------------------------------------------------------------------------------

typedef enum way { BY_TILES, ON_TENSOR_CORES, BY_DP4A, PLAINLY } way;

static bool prefers_tensors(const hw_product *p, const hw_device_properties *device) {
    hw_tensor_core_choice choice;
    if (!hw_tensor_core_takes(p, device)) return false;
    if (!is_f64(p)) return true;
    hw_tensor_core_choose(p, device, &choice);
    const double blocks = (double)(choice.tiles_m * choice.tiles_n * choice.batches);
    return blocks >= hw_tune_for(device)->product.f64_tensor_blocks * device->multiprocessors;
}

static hw_status choose_kernel(const hw_product *p, const hw_device_properties *device, way *out, hw_diag *diag) {
    const bool asks_tensors = p->precision == HW_PRECISION_TF32 || p->precision == HW_PRECISION_BF16;
    const bool is_plain = hw_product_is_integer(p) || p->input.bits == 16;
    *out = hw_product_dp4a_takes(p, device) ? BY_DP4A
         : prefers_tensors(p, device) ? ON_TENSOR_CORES : is_plain ? PLAINLY : BY_TILES;
    if (*out != BY_TILES || !asks_tensors) return HW_OK;
    return hw_diag_set(diag, HW_UNSUPPORTED, "products in %s are for tensor cores from compute capability 8.0; %s has "
                       "%d.%d", p->precision == HW_PRECISION_TF32 ? "tf32" : "bf16", device->name, device->cc / 10,
                       device->cc % 10);
}

hw_status hw_matmul_plan_make(const hw_product *p, const hw_device_properties *device, hw_matmul_plan *out,
                              hw_diag *diag) {
    way chosen;
    hw_tensor_core_choice tensor;
    hw_product_choice tiles;
    hw_status status = choose_kernel(p, device, &chosen, diag);
    if (status) return status;
    out->scratch_bytes = 0;
    if (chosen == ON_TENSOR_CORES) {
        hw_tensor_core_choose(p, device, &tensor);
        hw_tensor_core_plan_launch(p, &tensor, &out->plan);
    } else if (chosen == PLAINLY) {
        hw_product_plan_plain(p, &out->plan);
    } else if (chosen == BY_DP4A) {
        hw_product_plan_dp4a(p, &out->plan);
    } else {
        hw_product_choose(p, device, &tiles);
        hw_product_plan_launch(p, &tiles, &out->plan);
        out->scratch_bytes = tiles.scratch_bytes;
    }
    return HW_OK;
}

hw_status hw_matmul_plan_explain(const hw_product *p, const hw_device_properties *device, char *text, size_t text_bytes,
                                 hw_diag *diag) {
    way chosen;
    hw_tensor_core_choice tensor;
    hw_product_choice tiles;
    hw_status status = choose_kernel(p, device, &chosen, diag);
    if (status) return status;
    if (chosen == ON_TENSOR_CORES) {
        hw_tensor_core_choose(p, device, &tensor);
        hw_tensor_core_explain(p, &tensor, text, text_bytes);
    } else if (chosen == PLAINLY) {
        snprintf(text, text_bytes, "kernel: matmul/96_plain.cu, tiles of %d x %d, one element at a time\n", PLAIN_TILE,
                 PLAIN_TILE);
    } else if (chosen == BY_DP4A) {
        snprintf(text, text_bytes, "kernel: matmul/98_dp4a.cu, tiles of %d x %d, four steps of k an instruction; A is "
                 "read by %s, B by %s\n", DP4A_TILE, DP4A_TILE, p->a.align_bytes >= 4 ? "words" : "bytes",
                 p->b.align_bytes >= 4 ? "words" : "bytes");
    } else {
        const int used = snprintf(text, text_bytes, "kernel: matmul/90_tiles.cu, CUDA cores\n");
        hw_product_choose(p, device, &tiles);
        if ((size_t)used < text_bytes) hw_product_choice_explain(p, &tiles, text + used, text_bytes - (size_t)used);
    }
    return HW_OK;
}
