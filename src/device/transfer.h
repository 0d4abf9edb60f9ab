// Copies between this machine and a device, timed; and copies that overlap with kernels.
#ifndef HW_DEVICE_TRANSFER_H
#define HW_DEVICE_TRANSFER_H

#include "device/device.h"
#include "model/transfer.h"

// Median microseconds of one transfer of so many bytes (16 at least, taken down to a multiple of 16), to the device
// or from it. On sim what the model says (model/transfer.h). HW_USAGE on cpu; HW_UNSUPPORTED: the GPU's kernels do
// not reach pinned memory; HW_NO_MEMORY, HW_FAULT. Waits; allocates and frees all that it needs.
hw_status hw_transfer_time(hw_device *device, hw_host_kind kind, bool to_device, size_t bytes, double *us,
                           hw_diag *diag);

typedef struct hw_overlap {
    uint32_t streams;
    double execution_us, transfer_us;   // alone, in one stream
    double us;                          // together, in `streams` chunks in as many streams
    double formula_us;                  // hw_model_overlap_us, of the two alone
} hw_overlap;

// bytes are copied to the device and then worked on for about 1.5 times as long, in 1, 2, ... chunks. As above; on
// sim the model's, chunk by chunk (hw_model_chunks_us), of an execution 1.5 times as long as its transfer. streams: 1
// to HW_OVERLAP_STREAMS.
enum { HW_OVERLAP_STREAMS = 32 };
hw_status hw_transfer_overlap(hw_device *device, size_t bytes, uint32_t streams, hw_overlap *out, hw_diag *diag);

#endif
