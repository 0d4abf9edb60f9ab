// When a GPU does what its streams hold: the tasks of a stream one after the other, those of several as far as the GPU
// has room. The GPU is some copy engines and one thing that computes, of which a kernel takes the share that its blocks
// fill; kernels that are there first, or whose stream's priority is greater, take what they need, and others the rest.
//
// A schedule is gone through in time, never back: hw_schedule_advance settles all that happens up to then, and later
// tasks cannot change it. Microseconds, from 0. Deterministic. Internal to timeline/; calls are one at a time.
#ifndef HW_TIMELINE_SCHEDULE_H
#define HW_TIMELINE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hw_schedule hw_schedule;

typedef struct hw_schedule_gpu {
    uint32_t copy_engines;           // 0: copies are made by what computes, alone; 2 or more: one for each direction
    uint32_t most_kernels;           // that run at a time
    bool is_one_queue;               // kernels begin in the order in which they were asked for, and so do an engine's
                                     // copies: GPUs before compute capability 3.5
    double both_ways;                // how fast a copy goes on while the other engine copies as well, of 1; 0: 1
    double switch_us;                // until a stream goes on with a kernel behind a copy, with a copy behind a kernel,
                                     // or with a copy by the other engine
} hw_schedule_gpu;

typedef enum hw_task_kind {
    HW_TASK_MARK,                    // takes no time: an event, a stream that waits for another
    HW_TASK_KERNEL,
    HW_TASK_COPY_IN, HW_TASK_COPY_OUT,   // to the device, from it
} hw_task_kind;

// A place in a stream: its first n tasks. {0}: nothing, which is always done.
typedef struct hw_place { uint32_t stream; uint64_t n; } hw_place;

typedef struct hw_task {
    hw_task_kind kind;
    double from_us;                  // not before that: when the host asked for it
    hw_place after;                  // nor before that much of another stream is done
    double start_us;                 // until a kernel takes room; of copies all of their time
    double full_us, tail_us;         // of kernels, alone on the GPU: while their blocks fill it, and the last ones,
    double tail_share;               // which fill this share of it, above 0 to 1
    double memory_share;             // of the memory's bandwidth that the kernel uses meanwhile, 0 to 1
    void *owner;                     // whatever the caller wants to know it by
} hw_task;

// A task that is done, or what a kernel was given of the GPU from one moment to the next.
typedef struct hw_task_done {
    hw_place place;                  // its number in its stream
    double begin_us, end_us;
    double ready_us;                 // from when it could have begun, had there been room
    double busy_us;                  // of a kernel: the share of the GPU's room that it took, summed over time
    int engine;                      // of a copy; -1: what computes
    void *owner;
} hw_task_done;

// done: called for each task, in the order of their ends.
hw_schedule *hw_schedule_create(const hw_schedule_gpu *gpu, void (*done)(void *context, const hw_task_done *task),
                                void *context);      // NULL: no memory
void hw_schedule_destroy(hw_schedule *schedule);

// The number of a new stream; those of a greater priority (a smaller number, as CUDA has it) come first. -1: no memory.
int64_t hw_schedule_add_stream(hw_schedule *schedule, int priority);
// One that has nothing left to do becomes another.
void hw_schedule_set_priority(hw_schedule *schedule, uint32_t stream, int priority);
// A task behind those of the stream. from_us must not lie before the time that was settled. False: no memory.
bool hw_schedule_add(hw_schedule *schedule, uint32_t stream, const hw_task *task);
// All that the stream has been given so far.
hw_place hw_schedule_end(const hw_schedule *schedule, uint32_t stream);
bool hw_schedule_is_done(const hw_schedule *schedule, hw_place place);
size_t hw_schedule_pending(const hw_schedule *schedule);   // tasks that are not done

// Settles everything up to that time.
void hw_schedule_advance(hw_schedule *schedule, double us);
// Until this is done: returns when, or the time that is settled where that is later. Everything after it stays open.
double hw_schedule_await(hw_schedule *schedule, hw_place place);
// When this would be done if no more tasks came; nothing is settled. What is settled, where there is no memory for it.
double hw_schedule_expect(const hw_schedule *schedule, hw_place place);
// Until anything happens. False: nothing will.
bool hw_schedule_step(hw_schedule *schedule);
// What is settled.
double hw_schedule_now(const hw_schedule *schedule);

#endif
