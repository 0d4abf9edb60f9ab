// What the files of a cuda device share. Internal to device/.
#ifndef HW_DEVICE_DEVICE_CUDA_H
#define HW_DEVICE_DEVICE_CUDA_H

#include "device/cuda_driver.h"
#include "device/device_internal.h"

// hw_device.own of a cuda device.
typedef struct hw_cuda {
    const hw_cuda_driver *driver;
    CUdevice device;
    CUcontext context;              // the primary one, which PyTorch and the CUDA runtime use as well
    CUmemoryPool pool;              // of memory in the order of streams; NULL: the driver has no pools
    size_t max_pitch;
    uint32_t max_grid[3], max_block[3], max_block_threads;
} hw_cuda;

static inline hw_cuda *hw_cuda_of(const hw_device *device) { return device->own; }

// Makes the device's context the thread's, for the calls between the two.
CUresult hw_cuda_enter(const hw_cuda *cuda);
void hw_cuda_leave(const hw_cuda *cuda);

// CALL of the driver in the device's context; its result.
#define HW_CUDA_CALL(cuda, result, call) \
    do { \
        (result) = hw_cuda_enter(cuda); \
        if (!(result)) { \
            (result) = (cuda)->driver->call; \
            hw_cuda_leave(cuda); \
        } \
    } while (0)

// HW_OK for 0; else the status that fits, and a sentence: what was tried, then the driver's words.
hw_status hw_cuda_status(hw_device *device, CUresult result, hw_diag *diag, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// device_cuda_kernel.c, for the table.
hw_code_wish hw_cuda_code_wish(hw_device *device);
hw_status hw_cuda_module_load(hw_device *device, const hw_code *code, const char *name, void **handle, hw_diag *diag);
void hw_cuda_module_unload(hw_device *device, void *handle);
hw_status hw_cuda_kernel_find(hw_device *device, void *module, const char *function, hw_kernel *kernel, hw_diag *diag);
uint32_t hw_cuda_blocks(hw_kernel *kernel, uint32_t block_threads, uint32_t dynamic_shared_bytes);
hw_status hw_cuda_allow_dynamic_shared(hw_kernel *kernel, uint32_t bytes, hw_diag *diag);
hw_status hw_cuda_launch(hw_stream *stream, const hw_kernel_launch *launch, hw_diag *diag);

// device_cuda_image.c, for the table.
hw_status hw_cuda_image_create(hw_image *image, const void *words, hw_diag *diag);
void hw_cuda_image_destroy(hw_image *image);

#endif
