// The permutation of arrays in this machine's memory on a device with memory of its own: in pieces, with copies to the
// device, kernels and copies back at the same time.
#ifndef HW_OP_TRANSPOSE_HOST_H
#define HW_OP_TRANSPOSE_HOST_H

#include "device/device.h"
#include "op/transpose/permutation.h"

// Only arrays without gaps or broadcast axes go this way; the processor does the others where they are.
bool hw_host_transpose_fits(const hw_permutation *p);

// p is merged and fits, its pointers are this machine's. is_pinned: both arrays are memory that the device copies from
// and to at full speed; others are copied through such memory by the device's threads. Done on return. What pieces take
// of a GPU's memory, 1 GiB at most, stays in its pool for later calls until the device is closed or an allocation needs
// it. HW_NO_MEMORY when not even one element for each piece under way fits the device.
hw_status hw_host_transpose(hw_stream *stream, const hw_permutation *p, bool is_pinned, hw_diag *diag);

const char *hw_host_transpose_explain(hw_device *device, const hw_permutation *p, bool is_pinned, char *text,
                                      size_t text_bytes);

#endif
