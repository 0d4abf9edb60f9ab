// What is launched for a problem, as data: kernels, how they are specialised, grids and parameters. Operations and the
// rungs of ladders make plans, which are pure functions of the problem and the device; hw_plan_run carries one out.
#ifndef HW_OP_PLAN_H
#define HW_OP_PLAN_H

#include "device/device.h"

enum {
    HW_PLAN_LAUNCHES = 12,
    HW_PLAN_PARAMS = 16,
    HW_PLAN_DEFINES = 16,
    HW_PLAN_STREAMS = 4,
    HW_PLAN_COPIES = 2 * HW_PLAN_STREAMS,
};

// One parameter of a launch: an array, or bytes of the plan.
typedef struct hw_plan_param {
    int array;                // index in the arrays that the plan is run with (a ladder: hw_work.arrays), or -1
    uint32_t offset;          // into hw_plan.bytes, where the value lies
} hw_plan_param;

typedef struct hw_plan_launch {
    const char *file, *function;
    uint32_t defines[HW_PLAN_DEFINES], n_defines;   // offsets into hw_plan.bytes of "NAME=VALUE"
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    hw_plan_param params[HW_PLAN_PARAMS];
    uint32_t n_params;
    bool cooperative;   // blocks wait for each other: all of them must fit at a time
    uint32_t stream;    // of the plan's; 0: the caller's
} hw_plan_launch;

// A piece of an array, copied to the same place of another one.
typedef struct hw_plan_copy {
    uint32_t to, from;              // arrays
    uint64_t offset, bytes;
    uint32_t before;                // the launch that it is asked for before; n_launches: behind all
    uint32_t stream;                // as of launches
} hw_plan_copy;

// Launches in order.
typedef struct hw_plan {
    hw_plan_launch launches[HW_PLAN_LAUNCHES];
    uint32_t n_launches;
    hw_plan_copy copies[HW_PLAN_COPIES];   // in the order of `before`
    uint32_t n_copies, n_streams;          // streams 0: one
    uint32_t used;
    _Alignas(16) char bytes[8192];   // values and texts that the launches point into
} hw_plan;

// Building a plan: each returns the offset in plan->bytes; a plan that is full is a bug and asserts.
uint32_t hw_plan_text(hw_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t hw_plan_value(hw_plan *plan, const void *value, size_t bytes);

// Adds "NAME=VALUE", "NAME=V,V,V" to the launch's defines.
void hw_plan_define(hw_plan *plan, hw_plan_launch *launch, const char *name, long long value);
void hw_plan_define_list(hw_plan *plan, hw_plan_launch *launch, const char *name, const int32_t *values, uint32_t n);

// For kernels that divide x below 2^31 by d: (umulhi(x, multiplier) + x) >> shift (Granlund and Montgomery, "Division
// by invariant integers using multiplication", 1994, figure 4.1).
void hw_plan_divisor(uint32_t d, uint32_t *multiplier, uint32_t *shift);

// The bytes of shared memory that a block of a kernel with param_bytes of parameters may have, and how many of these
// bytes the kernel itself may declare. Before compute capability 2.0 parameters lie in shared memory too, with 16 bytes
// that say what is launched (src/model/occupancy.h has the sources).
uint32_t hw_plan_shared_most(const hw_device_properties *device, uint32_t param_bytes);
uint32_t hw_plan_static_shared_most(const hw_device_properties *device, uint32_t param_bytes);

// Blocks along the first axis of a grid, at most (CUDA C++ Programming Guide, "Technical Specifications").
uint32_t hw_plan_grid_most(const hw_device_properties *device);

// Gets the kernels of a plan, n_launches of them, and compiles those that the device does not have. Errors: as
// hw_device_kernel.
hw_status hw_plan_kernels(hw_device *device, const hw_plan *plan, hw_kernel *kernels[HW_PLAN_LAUNCHES], hw_diag *diag);

// Streams for plans that have several. The first is the caller's: the others begin with it, and it goes on when they
// are done. Opened and closed by whoever runs such plans.
typedef struct hw_plan_streams {
    hw_stream *streams[HW_PLAN_STREAMS];
    hw_event *begun, *done[HW_PLAN_STREAMS];
    uint32_t n;
} hw_plan_streams;
hw_status hw_plan_streams_open(hw_stream *stream, hw_plan_streams *out, hw_diag *diag);
void hw_plan_streams_close(hw_plan_streams *streams);   // also where opening has failed
hw_status hw_plan_launch_apart(const hw_plan_streams *streams, const hw_plan *plan,
                               hw_kernel *const kernels[HW_PLAN_LAUNCHES], void *const *arrays, hw_diag *diag);

// Queues all copies and launches, in one stream. arrays: what they name. As hw_copy and hw_stream_launch.
hw_status hw_plan_launch_all(hw_stream *stream, const hw_plan *plan, hw_kernel *const kernels[HW_PLAN_LAUNCHES],
                             void *const *arrays, hw_diag *diag);

// hw_plan_kernels and hw_plan_launch_all together.
hw_status hw_plan_run(hw_stream *stream, const hw_plan *plan, void *const *arrays, hw_diag *diag);

#endif
