// Tells observers of the simulation (event/host.h) what the program asks of the GPU. Each costs a test where nobody
// wants to know. Internal to runtime/.
#ifndef HW_RUNTIME_TELL_H
#define HW_RUNTIME_TELL_H

#include "runtime/internal.h"
#include "runtime/memory.h"

static inline uint64_t hw_rt_address(const void *p) { return (uint64_t)(uintptr_t)p; }

// Also that the program has waited for the stream, where the call returned when the copy was done: between two places
// of the device it need not.
void hw_rt_tell_copy(hw_runtime *runtime, const hw_rt_region *to, const hw_rt_region *from, hw_rt_shape shape,
                     unsigned direction, hw_rt_order order);
void hw_rt_tell_set(hw_runtime *runtime, const hw_rt_region *to, int value, hw_rt_shape shape, hw_rt_order order);
// What a stream or an event, NULL where there is none, has been asked for.
void hw_rt_tell_order(hw_runtime *runtime, hw_host_action action, const hw_rt_stream *stream,
                      const hw_rt_event *event);
// Can the program's own byte there be read? (copy.c)
bool hw_rt_can_read(const char *p);
// HW_HOST_OBJECT_CREATE, HW_HOST_OBJECT_DESTROY.
void hw_rt_tell_object(hw_runtime *runtime, hw_host_action action, const hw_host_object *object);

// ---- what the program has asked for in vain (HW_HOST_REFUSE) ----

// A call by a handle that stands for no object. NO_OBJECT, NO_OBJECT_TO_DESTROY.
void hw_rt_tell_no_object(hw_runtime *runtime, hw_host_reason reason, hw_host_object_kind kind, const void *handle);
// A free of what is no allocation that begins at address, or one of another kind.
void hw_rt_tell_bad_free(hw_runtime *runtime, uint64_t address, const void *site);
// hw_rt_tell_bad_bytes where the reason is yet to be found: of a side that must be device memory, or may be the
// program's own.
void hw_rt_tell_bad_side(hw_runtime *runtime, hw_host_action action, const hw_rt_region *side, uint64_t bytes,
                         bool must_be_device);

// What a kernel read through, which is no texture object, or has no memory.
void hw_rt_tell_no_texture(hw_runtime *runtime, const hw_fault *fault);
// A launch, by its kernel's name, for what the diag says.
void hw_rt_tell_refused_launch(hw_runtime *runtime, const char *kernel, const hw_diag *diag);

#endif
