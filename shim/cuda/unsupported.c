// Entries that are there so that programs which hold them start, and that say by name that they do nothing. Their
// arguments are not looked at, so one signature serves all.
#include "halfwarp/driver_codes.h"
#include "shim/shim.h"

CUresult hw_cuda_unsupported(const char *call);
CUresult hw_cuda_unsupported(const char *call) {
    return (CUresult)hw_rt_status_rows[hw_shim_unsupported(call)].driver_number;
}

#define HW_CALL(...)
#define HW_CALL_ALSO(...)
#define HW_REFUSED(name, since)    \
    HW_EXPORT CUresult name(void); \
    HW_EXPORT CUresult name(void) { return hw_cuda_unsupported(#name); }
#include "shim/cuda/entries.def"
