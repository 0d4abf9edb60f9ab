// How a call of the runtime ends, and what CUDA's two interfaces call that.
//
// Doors answer in the numbers of their interface; the runtime and its callers know these alone, without a header of
// CUDA. Other than hw_status, which says what went wrong for a message, a hw_rt_status says which of the answers that
// programs look for it is.
#ifndef HW_RUNTIME_STATUS_H
#define HW_RUNTIME_STATUS_H

#include "base/status.h"

typedef enum hw_rt_status {
#define HW_RT_STATUS(id, ...) HW_RT_##id,
#define HW_RT_STATUS_BY_VERSION HW_RT_STATUS
#include "runtime/status.def"
#undef HW_RT_STATUS
#undef HW_RT_STATUS_BY_VERSION
    HW_RT_STATUSES
} hw_rt_status;

// One row of status.def.
typedef struct hw_rt_status_row {
    const char *id;                     // "INVALID_VALUE"
    const char *cudart_11, *cudart_13;  // cudaError_t, until CUDA 12 and since 13
    int cudart_11_number, cudart_13_number;
    const char *driver;                 // CUresult
    int driver_number;
    const char *meaning;                // a sentence without its full stop
} hw_rt_status_row;
extern const hw_rt_status_row hw_rt_status_rows[HW_RT_STATUSES];

// Of a call into the simulator (device/sim.h) that failed for what its caller gave it.
hw_rt_status hw_rt_status_of(hw_status status);

#endif
