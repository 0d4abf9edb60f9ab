// How long the GPU takes for what it is asked for, and the host for asking. Pure functions of a GPU. Internal to
// timeline/.
#ifndef HW_TIMELINE_COST_H
#define HW_TIMELINE_COST_H

#include "isa/gpu.h"
#include "timeline/schedule.h"
#include "timeline/timeline.h"

#define HW_LAUNCH_CALL_US 3.2
// From the end of a kernel to the begin of the next within a graph, where the host takes no part: a chain of 1000 empty
// kernels takes an H200 680 us (tests/truth/h200_graphs.csv), of which the estimate gives each kernel 0.16.
#define HW_GRAPH_START_US 0.52

hw_schedule_gpu hw_cost_gpu(const hw_gpu *gpu, uint32_t copy_engines);

// A launch by its estimate; NULL: nothing but starting it.
hw_task hw_cost_launch(const hw_gpu *gpu, const hw_timeline_launch *launch);

// Where a copy goes. Copies within the host's memory are the host's own work and no task.
typedef enum hw_direction { HW_WITHIN_HOST, HW_TO_DEVICE, HW_FROM_DEVICE, HW_WITHIN_DEVICE } hw_direction;
hw_direction hw_cost_direction(const hw_host_event *copy);
uint64_t hw_cost_bytes(const hw_host_event *copy_or_set);
// Does the call wait for its copy, as the driver brings the bytes of pageable memory to pinned memory itself?
bool hw_cost_call_waits(const hw_host_event *copy);
hw_task hw_cost_copy(const hw_gpu *gpu, const hw_host_event *copy);
double hw_cost_host_copy_us(uint64_t bytes);
hw_task hw_cost_set(const hw_gpu *gpu, const hw_host_event *set);

// Of the host's own time; 0 of what is no call.
double hw_cost_call_us(hw_host_action action);
const char *hw_call_name(hw_host_action action);   // "copy"; "" of what is no call

#endif
