#include "runtime/own_work.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static bool is_watched;
static atomic_ullong own_ns;

// Of the calling thread: calls that it is in, and the processor's time that it had when it left the last.
static _Thread_local uint32_t depth;
static _Thread_local uint64_t left_ns;

static uint64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void hw_rt_watch_own_work(void) {
    is_watched = true;
    left_ns = thread_ns();
}

bool hw_rt_enter_call(void) {
    if (is_watched && !depth++) atomic_fetch_add(&own_ns, thread_ns() - left_ns);
    return is_watched;
}

void hw_rt_leave_call(const bool *entered) {
    if (*entered && !--depth) left_ns = thread_ns();
}

double hw_rt_take_own_work(void) {
    const bool entered = hw_rt_enter_call();
    const double us = (double)atomic_exchange(&own_ns, 0) / 1e3;
    hw_rt_leave_call(&entered);
    return us;
}
