// Memory and events between processes, as both doors have them: names of 64 bytes, of a type of each door's own.
#ifndef HW_SHIM_SHARING_H
#define HW_SHIM_SHARING_H

#include "runtime/sharing.h"
#include "runtime/stream.h"

// All: HW_RT_INVALID_VALUE where there is no place for the answer; else as runtime/sharing.h has it. name: has
// sizeof(hw_rt_shared_name) bytes, at any address.
hw_rt_status hw_shim_share(uint64_t address, hw_rt_shared_kind kind, void *name);
hw_rt_status hw_shim_open_shared(const void *name, hw_rt_shared_kind kind, uint64_t *address);
hw_rt_status hw_shim_share_event(hw_rt_event *event, void *name);
hw_rt_status hw_shim_open_event(const void *name, hw_rt_event **event);

#endif
