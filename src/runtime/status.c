// The table of status.def, and which of its rows failures of the simulator are.
#include "runtime/status.h"

const hw_rt_status_row hw_rt_status_rows[HW_RT_STATUSES] = {
#define HW_RT_STATUS(id, cudart, number, driver, driver_number, meaning) \
    {#id, #cudart, #cudart, number, number, #driver, driver_number, meaning},
#define HW_RT_STATUS_BY_VERSION(id, cudart_11, number_11, cudart_13, number_13, driver, driver_number, meaning) \
    {#id, #cudart_11, #cudart_13, number_11, number_13, #driver, driver_number, meaning},
#include "runtime/status.def"
#undef HW_RT_STATUS
#undef HW_RT_STATUS_BY_VERSION
};

hw_rt_status hw_rt_status_of(hw_status status) {
    switch (status) {
    case HW_OK: return HW_RT_SUCCESS;
    case HW_NO_MEMORY: return HW_RT_NO_MEMORY;
    case HW_USAGE: return HW_RT_INVALID_VALUE;
    case HW_NOT_FOUND: return HW_RT_NOT_FOUND;
    case HW_MALFORMED: return HW_RT_INVALID_PTX;
    case HW_UNSUPPORTED: return HW_RT_NOT_SUPPORTED;
    default: return HW_RT_UNKNOWN;
    }
}
