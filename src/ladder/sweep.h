// Rungs over one of their family's sizes, on several devices: bandwidth against offset and stride. Times are measured
// on a GPU; on a simulated GPU they are what the rungs would take if they waited for memory alone
// (hw_model_memory_gbs).
#ifndef HW_LADDER_SWEEP_H
#define HW_LADDER_SWEEP_H

#include "ladder/ladder.h"

enum { HW_SWEEP_DEVICES = 7, HW_SWEEP_POINTS = 64, HW_SWEEP_RUNGS = 4 };

typedef struct hw_sweep_point {
    uint64_t step;                     // the size that is varied
    double gbs;                        // useful bytes, read and written, over the time; 10^9 bytes/s
    double moved;                      // simulated: bytes that the memory moves for each useful one; measured: 0
} hw_sweep_point;

typedef struct hw_sweep_curve {
    const hw_rung *rung;
    const hw_device_properties *device;
    const hw_gpu *gpu;                 // NULL: measured on the device
    hw_sweep_point points[HW_SWEEP_POINTS];
    size_t n_points;
} hw_sweep_curve;

// By rung, then by device.
typedef struct hw_sweep {
    const hw_family *family;
    hw_sweep_curve curves[HW_SWEEP_RUNGS * HW_SWEEP_DEVICES];
    size_t n_curves, n_rungs, n_devices;
} hw_sweep;

typedef struct hw_sweep_options {
    const hw_family *family;           // with a swept_size
    double seconds;                    // for timing each point
    void (*progress)(void *context, size_t index, size_t count, const char *rung);
    void *progress_context;
} hw_sweep_options;

// GPUs and simulated ones, HW_SWEEP_DEVICES at most. HW_USAGE: a device that is neither, or a family that has nothing
// to sweep; what a point fails with; HW_FAULT: a result was wrong. What out points to lives as long as the devices.
hw_status hw_sweep_run(hw_device *const *devices, size_t n_devices, const hw_sweep_options *options, hw_sweep *out,
                       hw_diag *diag);

#endif
