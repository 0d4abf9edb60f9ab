// Tells observers of the simulation (event/host.h) what the program asks of the GPU. Each costs a test where nobody
// wants to know. Internal to runtime/.
#ifndef HW_RUNTIME_TELL_H
#define HW_RUNTIME_TELL_H

#include "runtime/internal.h"
#include "runtime/memory.h"

// Also that the program has waited for the stream, where the call returned when the copy was done: between two places
// of the device it need not.
void hw_rt_tell_copy(hw_runtime *runtime, const hw_rt_region *to, const hw_rt_region *from, hw_rt_shape shape,
                     unsigned direction, hw_rt_order order);
void hw_rt_tell_set(hw_runtime *runtime, const hw_rt_region *to, int value, hw_rt_shape shape, hw_rt_order order);
// What a stream or an event, NULL where there is none, has been asked for.
void hw_rt_tell_order(hw_runtime *runtime, hw_host_action action, const hw_rt_stream *stream,
                      const hw_rt_event *event);

#endif
