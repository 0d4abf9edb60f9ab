// One simulated GPU's clock, in its own time: what its streams hold, its copy engines, the events between, and the host
// that asks for it all. A sink that hears what the host asks for: a launch takes what the time model says (whoever has
// counted it is asked), a copy what the transfer model says, a call of the host what calls.def says; what the program
// computes between two calls takes no time. So times follow from what the program asks for, and repeat exactly; where
// several of its threads ask, from the order in which they do.
//
// Microseconds since the clock began. Calls may come from any thread.
#ifndef HW_TIMELINE_TIMELINE_H
#define HW_TIMELINE_TIMELINE_H

#include <pthread.h>

#include "event/span.h"
#include "isa/gpu.h"

typedef struct hw_timeline hw_timeline;

// A launch that has ended, as it would run alone on the GPU.
typedef struct hw_timeline_launch {
    double us;                       // from its begin to its end
    double start_us;                 // of these: until its blocks begin, which others need not wait for
    double memory_share;             // of the rest: how far the memory is busy, 0 to 1
    uint64_t blocks, blocks_at_once; // of the launch; that the GPU holds
    uint32_t number;                 // hw_span.launch
} hw_timeline_launch;

// Copy engines of the GPU, asyncEngineCount.
uint32_t hw_timeline_copy_engines(const hw_gpu *gpu);

// The host that several GPUs have in common: its time is theirs.
typedef struct hw_timeline_host {
    pthread_mutex_t lock;            // whoever makes it initialises it
    double us;                       // now
    uint32_t streams;                // numbered so far, of all GPUs
} hw_timeline_host;

typedef struct hw_timeline_options {
    const hw_gpu *gpu;
    hw_timeline_host *host;          // NULL: the GPU's alone
    uint32_t copy_engines;           // asyncEngineCount
    uint32_t number;                 // hw_span.gpu
    // What is known of the launch that this thread has made. False, or NULL: nothing, it takes what starting one takes.
    bool (*launched)(void *context, hw_timeline_launch *out);
    // Everything that is done, in no order. May be NULL.
    void (*done)(void *context, const hw_span *span);
    void *context;
} hw_timeline_options;

hw_status hw_timeline_create(const hw_timeline_options *options, hw_timeline **out, hw_diag *diag);   // HW_NO_MEMORY
void hw_timeline_destroy(hw_timeline *timeline);

// To be attached behind the sink that counts launches.
hw_sink *hw_timeline_sink(hw_timeline *timeline);

// Has all work of the stream been done, or what an event stands for? Asking takes time, so that who asks again and
// again comes to an end. Names are those of hw_host_event.
bool hw_timeline_is_stream_done(hw_timeline *timeline, uint64_t stream);
bool hw_timeline_is_event_done(hw_timeline *timeline, uint64_t event);
// When the GPU came to the event. False: it has not, or the event has not been recorded.
bool hw_timeline_event_us(hw_timeline *timeline, uint64_t event, double *us);

// When the GPU will have come to the event, if no more work is given to it; and the stream, of this GPU or of another,
// goes on then at the earliest: what an event means to streams of other GPUs. False: the event has not been recorded.
bool hw_timeline_expect_event(hw_timeline *timeline, uint64_t event, double *us);
void hw_timeline_hold(hw_timeline *timeline, uint64_t stream, double us);

// When work that the stream is given now would begin: behind all that it has been given, if others are given nothing.
double hw_timeline_expect(hw_timeline *timeline, uint64_t stream);

// The program asks for times, as questions do by themselves; and whether it has: launches before that need not be
// counted.
void hw_timeline_ask(hw_timeline *timeline);
bool hw_timeline_is_asked(const hw_timeline *timeline);

// The host has named a range, nested in those of the domain (NULL: the default one) that the thread has begun before;
// and ends its last one. Texts are copied. The number of ranges of the domain that the thread is in afterwards.
int hw_timeline_begin_range(hw_timeline *timeline, const char *domain, const char *name);
int hw_timeline_end_range(hw_timeline *timeline, const char *domain);
// A range that may overlap any other, and that any thread may end by its number, which is not 0.
uint64_t hw_timeline_start_range(hw_timeline *timeline, const char *domain, const char *name);
void hw_timeline_stop_range(hw_timeline *timeline, uint64_t number);
// A moment: a range that takes no time.
void hw_timeline_mark(hw_timeline *timeline, const char *domain, const char *name);

// The host waits for all that it has asked for.
void hw_timeline_finish(hw_timeline *timeline);

// The host's time.
double hw_timeline_now(hw_timeline *timeline);

#endif
