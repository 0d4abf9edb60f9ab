#include "shim/sharing.h"

#include <string.h>

#include "shim/shim.h"

hw_rt_status hw_shim_share(uint64_t address, hw_rt_shared_kind kind, void *name) {
    hw_rt_shared_name made;
    if (!name) return HW_RT_INVALID_VALUE;
    const hw_rt_status status = hw_rt_share(hw_shim_runtime(), address, kind, &made);
    if (!status) memcpy(name, &made, sizeof made);
    return status;
}

hw_rt_status hw_shim_open_shared(const void *name, hw_rt_shared_kind kind, uint64_t *address) {
    hw_rt_shared_name wanted;
    uint64_t made;
    if (!name || !address) return HW_RT_INVALID_VALUE;
    memcpy(&wanted, name, sizeof wanted);
    const hw_rt_status status = hw_rt_shared_open(hw_shim_runtime(), &wanted, kind, hw_shim_site(), &made);
    if (!status) *address = made;
    return status;
}

hw_rt_status hw_shim_share_event(hw_rt_event *event, void *name) {
    hw_rt_shared_name made;
    if (!name) return HW_RT_INVALID_VALUE;
    const hw_rt_status status = hw_rt_event_share(hw_shim_runtime(), event, &made);
    if (!status) memcpy(name, &made, sizeof made);
    return status;
}

hw_rt_status hw_shim_open_event(const void *name, hw_rt_event **event) {
    hw_rt_shared_name wanted;
    if (!name || !event) return HW_RT_INVALID_VALUE;
    memcpy(&wanted, name, sizeof wanted);
    return hw_rt_event_open(hw_shim_runtime(), &wanted, event);
}
