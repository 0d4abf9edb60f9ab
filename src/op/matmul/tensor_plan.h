// A matrix product on tensor cores: kernels/matmul/97_tensor.cu, which says what the numbers of a tile mean. Pure
// functions of the product and the device.
#ifndef HW_OP_TENSOR_PLAN_H
#define HW_OP_TENSOR_PLAN_H

#include "op/common/plan.h"
#include "op/matmul/product.h"

enum { HW_TENSOR_CORE_CC = 80 };      // the first compute capability whose tensor cores are used

// How elements are multiplied; numbered as in kernels/matmul/fragments.cuh.
typedef enum hw_mma {
    HW_MMA_F16, HW_MMA_BF16, HW_MMA_TF32, HW_MMA_ROUNDED_BF16, HW_MMA_F64, HW_MMAS,
} hw_mma;

typedef struct hw_tensor_core_tile {
    uint32_t rows, cols, depth;            // of C that a block makes; steps of k of a stage
    uint32_t warp_rows, warp_cols;         // of C that a warp makes
    uint32_t stages;
    double rate;                           // of the multiplications of such a tile, of the best of the type
} hw_tensor_core_tile;

typedef struct hw_tensor_core_choice {
    hw_tensor_core_tile tile;
    uint64_t tiles_m, tiles_n, batches;
    uint32_t a_bytes, b_bytes;             // copied at a time
    uint32_t threads, shared_bytes;
    bool c_pairs;                          // stored at a time
} hw_tensor_core_choice;

// Does the device have tensor cores for the product's type and precision that are faster than its CUDA cores?
bool hw_tensor_core_takes(const hw_product *p, const hw_device_properties *device);

// For a product that hw_tensor_core_takes accepts.
void hw_tensor_core_choose(const hw_product *p, const hw_device_properties *device, hw_tensor_core_choice *choice);
// Chooses the tile with this index in the table; for tuning and tests. False past the last, or where the device has too
// little shared memory.
bool hw_tensor_core_choose_tile(const hw_product *p, const hw_device_properties *device, size_t index,
                                hw_tensor_core_choice *choice);

void hw_tensor_core_plan_launch(const hw_product *p, const hw_tensor_core_choice *choice, hw_plan *plan);

// In words; returns text.
char *hw_tensor_core_explain(const hw_product *p, const hw_tensor_core_choice *choice, char *text, size_t text_bytes);

#endif
