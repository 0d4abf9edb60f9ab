// Which of a machine's GPUs a program sees, by CUDA_VISIBLE_DEVICES.
#ifndef HW_SHIM_VISIBLE_H
#define HW_SHIM_VISIBLE_H

#include <stdint.h>

#include "mem/mem.h"

enum { HW_UUID_BYTES = 16 };

typedef struct hw_visible {
    uint8_t places[HW_MEM_GPUS];   // on the bus, in the order in which the program sees them
    uint32_t n;
} hw_visible;

// list: the variable's value; NULL: all of the n GPUs of this kind (hw_gpu.id), HW_MEM_GPUS at most.
// "1,0" names them by place, "GPU-73696d2d" by the beginning of a unique number as far as it is one GPU's. What names
// none ends the list ("0,9,1" is the first alone, "-1" and "" none); with a GPU twice none is seen. Source: the CUDA
// programming guide, "CUDA Environment Variables"; for repetitions and numbers PyTorch's torch/cuda/__init__.py.
void hw_visible_read(const char *list, const char *kind, uint32_t n, hw_visible *out);

// The unique number of the GPU in this place.
void hw_visible_make_uuid(const char *kind, uint32_t place, char out[HW_UUID_BYTES]);

#endif
