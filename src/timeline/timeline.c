// What the host asks for, as tasks of streams and waits. The host's time and the schedule's are one: a call begins at
// it, and what the call takes, or waits for, lets both go on.
#include "timeline/timeline.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/cost.h"
#include "timeline/schedule.h"

enum {
    LEGACY = 0,                      // name of the legacy default stream
    MOST_PENDING = 1024,             // then launches wait: the depth of a current GPU's queue, as is widely measured
};

typedef struct stream {
    uint64_t name;
    uint32_t number;                 // hw_span.stream_number
    uint32_t place;                  // of the schedule
    bool is_apart, is_gone;          // does not wait for the legacy default stream; was destroyed
} stream;

typedef struct event {
    uint64_t name;
    bool is_recorded, is_reached;
    hw_place place;
    double us;
} event;

typedef struct range {
    uint32_t thread;
    uint64_t number;                 // 0: nested in others of its thread and domain
    double begin_us;
    char domain[64], name[128];      // domain "": the default one
} range;

// Work that the schedule has: an event, or what a span is to be of.
typedef struct work {
    struct work *next;               // of those that are not in use
    uint64_t event;                  // 0: none
    bool is_waited_for;              // by the call that has asked for it
    hw_span span;
} work;

struct hw_timeline {
    hw_sink sink;                    // first: the sink is the object
    hw_timeline_options options;
    hw_schedule *schedule;
    hw_timeline_host own_host, *host;
    atomic_bool is_asked;
    stream *streams;
    size_t n_streams, streams_capacity;
    event *events;                   // by name
    size_t n_events, events_capacity;
    range *ranges;                   // that have not ended
    size_t n_ranges, ranges_capacity;
    uint64_t started;                // ranges with a number so far
    work *spare;
    uint32_t polls;                  // in a row that were answered with "not yet"
};

// ---- one call at a time ----

// What other GPUs' calls have taken has passed here as well.
static void enter(hw_timeline *t) {
    pthread_mutex_lock(&t->host->lock);
    if (t->host->us > hw_schedule_now(t->schedule)) hw_schedule_advance(t->schedule, t->host->us);
}

static void leave(hw_timeline *t) {
    t->host->us = hw_schedule_now(t->schedule);
    pthread_mutex_unlock(&t->host->lock);
}

// ---- streams and events ----

static bool add_stream(hw_timeline *t, uint64_t name, bool is_apart, int priority) {
    for (size_t i = 0; i < t->n_streams; i++) {
        stream *old = &t->streams[i];
        if (!old->is_gone || !hw_schedule_is_done(t->schedule, hw_schedule_end(t->schedule, old->place))) continue;
        hw_schedule_set_priority(t->schedule, old->place, priority);
        *old = (stream){name, t->host->streams++, old->place, is_apart, false};
        return true;
    }
    const int64_t place = hw_schedule_add_stream(t->schedule, priority);
    if (place < 0 || !hw_grow((void **)&t->streams, t->n_streams, &t->streams_capacity, sizeof *t->streams))
        return false;
    t->streams[t->n_streams++] = (stream){name, t->host->streams++, (uint32_t)place, is_apart, false};
    return true;
}

// A thread's default stream comes to be known when it is first named. NULL: no memory.
static stream *find_stream(hw_timeline *t, uint64_t name) {
    for (size_t i = 0; i < t->n_streams; i++)
        if (t->streams[i].name == name && !t->streams[i].is_gone) return &t->streams[i];
    if (!add_stream(t, name, false, 0)) return NULL;
    for (size_t i = 0; i < t->n_streams; i++)
        if (t->streams[i].name == name && !t->streams[i].is_gone) return &t->streams[i];
    return NULL;
}

static size_t place_of_event(const hw_timeline *t, uint64_t name) {
    size_t low = 0, high = t->n_events;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->events[middle].name < name) low = middle + 1;
        else high = middle;
    }
    return low;
}

static event *find_event(const hw_timeline *t, uint64_t name) {
    const size_t at = place_of_event(t, name);
    return at < t->n_events && t->events[at].name == name ? &t->events[at] : NULL;
}

static event *make_event(hw_timeline *t, uint64_t name) {
    const size_t at = place_of_event(t, name);
    if (at < t->n_events && t->events[at].name == name) return &t->events[at];
    if (!hw_grow((void **)&t->events, t->n_events, &t->events_capacity, sizeof *t->events)) return NULL;
    memmove(&t->events[at + 1], &t->events[at], (t->n_events++ - at) * sizeof *t->events);
    t->events[at] = (event){.name = name};
    return &t->events[at];
}

static void forget_event(hw_timeline *t, uint64_t name) {
    const size_t at = place_of_event(t, name);
    if (at == t->n_events || t->events[at].name != name) return;
    memmove(&t->events[at], &t->events[at + 1], (--t->n_events - at) * sizeof *t->events);
}

// ---- what is done ----

static void tell(hw_timeline *t, const hw_span *span) {
    if (t->options.done) t->options.done(t->options.context, span);
}

static void task_done(void *context, const hw_task_done *done) {
    hw_timeline *t = context;
    work *w = done->owner;
    if (!w) return;
    event *e = w->event ? find_event(t, w->event) : NULL;
    if (e && e->place.stream == done->place.stream && e->place.n == done->place.n) {
        e->is_reached = true;
        e->us = done->end_us;
    }
    if (!w->event) {
        w->span.begin_us = done->begin_us;
        w->span.end_us = done->end_us;
        w->span.busy_us = done->busy_us;
        w->span.engine = done->engine < 0 ? HW_SPAN_COMPUTES : done->engine;
        if (w->is_waited_for) w->span.call_us = done->end_us - w->span.asked_us;
        tell(t, &w->span);
    }
    w->next = t->spare;
    t->spare = w;
}

// ---- the host ----

static uint32_t this_thread(void) {
    static atomic_uint threads;
    static _Thread_local uint32_t number;
    if (!number) number = atomic_fetch_add(&threads, 1) + 1;
    return number;
}

static double now_of(const hw_timeline *t) { return hw_schedule_now(t->schedule); }

// What this thread tells now is a graph's work: the GPU's doing. The host takes no time for it and waits for nothing.
static _Thread_local bool is_in_graph;

static void pass_time(hw_timeline *t, double us) {
    if (!is_in_graph) hw_schedule_advance(t->schedule, now_of(t) + us);
}

static void await(hw_timeline *t, hw_place place) { hw_schedule_await(t->schedule, place); }

static void await_stream(hw_timeline *t, const stream *of) { await(t, hw_schedule_end(t->schedule, of->place)); }

static void await_all(hw_timeline *t) {
    for (size_t i = 0; i < t->n_streams; i++) await_stream(t, &t->streams[i]);
}

static void tell_call(hw_timeline *t, const hw_host_event *told, double begin_us) {
    if (is_in_graph) return;
    const hw_span span = {.kind = HW_SPAN_CALL, .engine = HW_SPAN_COMPUTES, .stream = told->stream,
                          .launch = HW_SPAN_NO_LAUNCH, .asked_us = begin_us, .begin_us = begin_us,
                          .end_us = now_of(t), .thread = this_thread(), .action = told->action,
                          .name = hw_call_name(told->action)};
    tell(t, &span);
}

// ---- work ----

static bool add_task(hw_timeline *t, const stream *to, hw_task task, work *owner) {
    task.from_us = now_of(t);
    task.owner = owner;
    return hw_schedule_add(t->schedule, to->place, &task);
}

static void wait_for_place(hw_timeline *t, const stream *who, hw_place place) {
    if (hw_schedule_is_done(t->schedule, place)) return;
    add_task(t, who, (hw_task){.kind = HW_TASK_MARK, .after = place}, NULL);
}

// CUDA programming guide, "Default Stream": the legacy one waits for all others, and they for it, unless they were made
// not to block.
static void join_default_stream(hw_timeline *t, const stream *of) {
    for (size_t i = 0; i < t->n_streams && !of->is_apart; i++) {
        const stream *other = &t->streams[i];
        if (other == of || other->is_apart || (of->name != LEGACY && other->name != LEGACY)) continue;
        wait_for_place(t, of, hw_schedule_end(t->schedule, other->place));
    }
}

static work *take_work(hw_timeline *t) {
    work *w = t->spare;
    if (w) t->spare = w->next;
    else w = hw_malloc(sizeof *w);
    if (w) *w = (work){.span = {.engine = HW_SPAN_COMPUTES, .launch = HW_SPAN_NO_LAUNCH}};
    return w;
}

static void await_room(hw_timeline *t) {
    while (hw_schedule_pending(t->schedule) >= MOST_PENDING && hw_schedule_step(t->schedule)) continue;
}

// Work that a call asks for. What there is no memory for is not on the timeline.
static void add_work(hw_timeline *t, stream *to, const hw_task *task, const hw_span *span, double call_us, bool waits) {
    const double begin_us = now_of(t);
    await_room(t);
    join_default_stream(t, to);
    work *w = take_work(t);
    if (!w) return;
    w->span = *span;
    w->span.gpu = t->options.number;
    w->span.stream = to->name;
    w->span.stream_number = to->number;
    w->span.asked_us = begin_us;
    if (!add_task(t, to, *task, w)) return;
    w->is_waited_for = waits;
    w->span.call_us = now_of(t) + call_us - begin_us;
    pass_time(t, call_us);
    if (waits) await_stream(t, to);
}

static void add_copy(hw_timeline *t, const hw_host_event *told) {
    stream *to = find_stream(t, told->stream);
    const double call_us = hw_cost_call_us(HW_HOST_COPY);
    const uint64_t bytes = hw_cost_bytes(told);
    if (!to) return;
    if (hw_cost_direction(told) == HW_WITHIN_HOST) {
        await_stream(t, to);
        pass_time(t, call_us + hw_cost_host_copy_us(bytes));
        return;
    }
    const hw_task task = hw_cost_copy(t->options.gpu, told);
    const hw_span span = {.kind = HW_SPAN_COPY, .launch = HW_SPAN_NO_LAUNCH, .bytes = bytes,
                          .to = told->copy.to.memory, .from = told->copy.from.memory, .action = told->action};
    add_work(t, to, &task, &span, call_us, hw_cost_call_waits(told) && !is_in_graph);
}

static void add_set(hw_timeline *t, const hw_host_event *told) {
    stream *to = find_stream(t, told->stream);
    const hw_task task = hw_cost_set(t->options.gpu, told);
    const hw_span span = {.kind = HW_SPAN_SET, .launch = HW_SPAN_NO_LAUNCH, .bytes = hw_cost_bytes(told),
                          .to = told->set.to.memory, .action = told->action};
    if (to) add_work(t, to, &task, &span, hw_cost_call_us(HW_HOST_SET), false);
}

static void record_event(hw_timeline *t, const hw_host_event *told) {
    stream *of = find_stream(t, told->stream);
    event *e = make_event(t, told->event);
    if (!of || !e) return;
    join_default_stream(t, of);
    work *w = take_work(t);
    if (!w) return;
    w->event = told->event;
    e->place = (hw_place){of->place, hw_schedule_end(t->schedule, of->place).n + 1};
    e->is_recorded = true;
    e->is_reached = false;
    if (!add_task(t, of, (hw_task){.kind = HW_TASK_MARK}, w)) e->is_recorded = false;
}

// ---- the sink ----

static void do_call(hw_timeline *t, const hw_host_event *told) {
    event *e = told->event ? find_event(t, told->event) : NULL;
    stream *of = NULL;
    switch (told->action) {
    case HW_HOST_STREAM_CREATE: add_stream(t, told->stream, told->is_apart, told->priority); break;
    case HW_HOST_STREAM_DESTROY: if ((of = find_stream(t, told->stream))) of->is_gone = of->name != LEGACY; break;
    case HW_HOST_STREAM_SYNCHRONIZE: if ((of = find_stream(t, told->stream))) await_stream(t, of); break;
    case HW_HOST_STREAM_WAIT:
        of = find_stream(t, told->stream);
        if (of && e && e->is_recorded) wait_for_place(t, of, e->place);
        break;
    case HW_HOST_EVENT_DESTROY: forget_event(t, told->event); break;
    case HW_HOST_EVENT_RECORD: record_event(t, told); break;
    case HW_HOST_EVENT_SYNCHRONIZE: if (e && e->is_recorded) await(t, e->place); break;
    case HW_HOST_DEVICE_SYNCHRONIZE: await_all(t); break;
    case HW_HOST_FREE: if (!told->memory.is_in_order) await_all(t); break;
    default: break;
    }
}

// Variables come with their module, and kernels' own allocations are no calls of the host.
static bool is_call(const hw_host_event *told) {
    const bool is_memory = told->action == HW_HOST_ALLOCATE || told->action == HW_HOST_FREE;
    return *hw_call_name(told->action) && !(is_memory && (told->memory.name || !told->site));
}

static void hear_host(hw_sink *sink, const hw_host_event *told) {
    hw_timeline *t = (hw_timeline *)sink;
    if (told->action == HW_HOST_GRAPH_END) is_in_graph = false;
    if (!is_call(told)) return;
    enter(t);
    const double begin_us = now_of(t);
    t->polls = 0;
    if (told->action == HW_HOST_COPY) add_copy(t, told);
    else if (told->action == HW_HOST_SET) add_set(t, told);
    else {
        do_call(t, told);
        pass_time(t, hw_cost_call_us(told->action));
    }
    tell_call(t, told, begin_us);
    leave(t);
    is_in_graph = is_in_graph || told->action == HW_HOST_GRAPH_BEGIN;
}

static void add_launch(hw_timeline *t, const hw_launch_info *info) {
    hw_timeline_launch launch;
    const bool is_known = t->options.launched && t->options.launched(t->options.context, &launch);
    hw_task task = hw_cost_launch(t->options.gpu, is_known ? &launch : NULL);
    if (is_in_graph && task.start_us > HW_GRAPH_START_US) task.start_us = HW_GRAPH_START_US;
    const hw_span span = {.kind = HW_SPAN_KERNEL, .launch = is_known ? launch.number : HW_SPAN_NO_LAUNCH};
    enter(t);
    const double begin_us = now_of(t);
    stream *to = find_stream(t, info->stream);
    t->polls = 0;
    if (to) add_work(t, to, &task, &span, HW_LAUNCH_CALL_US, false);
    tell_call(t, &(hw_host_event){.action = HW_SPAN_LAUNCHES, .stream = info->stream}, begin_us);
    leave(t);
}

static void launch_end(hw_sink *sink, const hw_launch_info *info, uint64_t host_ns, hw_status status) {
    (void)host_ns, (void)status;
    add_launch((hw_timeline *)sink, info);
}

static bool keeps_launch(hw_sink *sink, uint64_t number) {
    (void)sink, (void)number;
    return true;
}

static void repeat_launch(hw_sink *sink, const hw_launch_info *info, uint64_t number, uint64_t host_ns) {
    (void)number, (void)host_ns;
    add_launch((hw_timeline *)sink, info);
}

hw_sink *hw_timeline_sink(hw_timeline *t) { return &t->sink; }

// ---- questions ----

// The nth question in a row takes longer than those before, so that who polls for seconds of the GPU's does not ask for
// millions of times.
static bool answer(hw_timeline *t, hw_place place) {
    const double question_us = 0.5, slower = 1.0 / 64;
    atomic_store(&t->is_asked, true);
    pass_time(t, question_us * (1 + slower * t->polls));
    const bool is_done = hw_schedule_is_done(t->schedule, place);
    t->polls = is_done ? 0 : t->polls + 1;
    return is_done;
}

bool hw_timeline_is_stream_done(hw_timeline *t, uint64_t name) {
    enter(t);
    const stream *of = find_stream(t, name);
    const bool is_done = !of || answer(t, hw_schedule_end(t->schedule, of->place));
    leave(t);
    return is_done;
}

bool hw_timeline_is_event_done(hw_timeline *t, uint64_t name) {
    enter(t);
    const event *e = find_event(t, name);
    const bool is_done = !e || !e->is_recorded || answer(t, e->place);
    leave(t);
    return is_done;
}

bool hw_timeline_event_us(hw_timeline *t, uint64_t name, double *us) {
    enter(t);
    const event *e = find_event(t, name);
    const bool is_reached = e && e->is_reached;
    *us = is_reached ? e->us : 0;
    leave(t);
    return is_reached;
}

double hw_timeline_expect(hw_timeline *t, uint64_t name) {
    enter(t);
    const stream *of = find_stream(t, name);
    double us = now_of(t);
    for (size_t i = 0; of && i < t->n_streams; i++) {
        const stream *other = &t->streams[i];
        const bool is_joined = !of->is_apart && !other->is_apart && (of->name == LEGACY || other->name == LEGACY);
        if (other != of && !is_joined) continue;
        const double done = hw_schedule_expect(t->schedule, hw_schedule_end(t->schedule, other->place));
        if (done > us) us = done;
    }
    leave(t);
    return us;
}

bool hw_timeline_expect_event(hw_timeline *t, uint64_t name, double *us) {
    enter(t);
    const event *e = find_event(t, name);
    const bool is_recorded = e && e->is_recorded;
    if (is_recorded) *us = e->is_reached ? e->us : hw_schedule_expect(t->schedule, e->place);
    leave(t);
    return is_recorded;
}

void hw_timeline_hold(hw_timeline *t, uint64_t name, double us) {
    enter(t);
    const stream *of = find_stream(t, name);
    const hw_task task = {.kind = HW_TASK_MARK, .from_us = us};
    if (of && us > now_of(t)) hw_schedule_add(t->schedule, of->place, &task);
    leave(t);
}

void hw_timeline_ask(hw_timeline *t) { atomic_store(&t->is_asked, true); }
bool hw_timeline_is_asked(const hw_timeline *t) { return atomic_load(&t->is_asked); }

double hw_timeline_now(hw_timeline *t) {
    enter(t);
    const double now = now_of(t);
    leave(t);
    return now;
}

void hw_timeline_finish(hw_timeline *t) {
    enter(t);
    await_all(t);
    leave(t);
}

// ---- ranges ----

static bool is_nested(const range *r, const char *domain) {
    return !r->number && r->thread == this_thread() && !strcmp(r->domain, domain);
}

// Ranges of the domain that the thread is in.
static int depth_of_thread(const hw_timeline *t, const char *domain) {
    int depth = 0;
    for (size_t i = 0; i < t->n_ranges; i++) depth += is_nested(&t->ranges[i], domain);
    return depth;
}

static void add_range(hw_timeline *t, const char *domain, const char *name, uint64_t number) {
    if (!hw_grow((void **)&t->ranges, t->n_ranges, &t->ranges_capacity, sizeof *t->ranges)) return;
    range *r = &t->ranges[t->n_ranges++];
    *r = (range){.thread = this_thread(), .number = number, .begin_us = now_of(t)};
    strncpy(r->domain, domain, sizeof r->domain - 1);
    strncpy(r->name, name ? name : "", sizeof r->name - 1);
}

// Ranges of other domains than the default one, and those with a number, may overlap what else the thread is in.
static void end_at(hw_timeline *t, size_t at, int depth) {
    const range *r = &t->ranges[at];
    char name[sizeof r->domain + sizeof r->name + 2];
    snprintf(name, sizeof name, "%s%s%s", r->domain, *r->domain ? ": " : "", r->name);
    const hw_span span = {.kind = HW_SPAN_RANGE, .engine = HW_SPAN_COMPUTES, .launch = HW_SPAN_NO_LAUNCH,
                          .asked_us = r->begin_us, .begin_us = r->begin_us, .end_us = now_of(t), .thread = r->thread,
                          .overlaps = r->number || *r->domain, .depth = (uint32_t)depth, .name = name};
    tell(t, &span);
    memmove(&t->ranges[at], &t->ranges[at + 1], (--t->n_ranges - at) * sizeof *t->ranges);
}

int hw_timeline_begin_range(hw_timeline *t, const char *domain, const char *name) {
    enter(t);
    add_range(t, domain ? domain : "", name, 0);
    const int depth = depth_of_thread(t, domain ? domain : "");
    leave(t);
    return depth;
}

int hw_timeline_end_range(hw_timeline *t, const char *domain) {
    const char *of = domain ? domain : "";
    enter(t);
    size_t at = t->n_ranges;
    while (at > 0 && !is_nested(&t->ranges[at - 1], of)) at--;
    if (at > 0) end_at(t, at - 1, depth_of_thread(t, of) - 1);
    const int depth = depth_of_thread(t, of);
    leave(t);
    return depth;
}

uint64_t hw_timeline_start_range(hw_timeline *t, const char *domain, const char *name) {
    enter(t);
    const uint64_t number = ++t->started;
    add_range(t, domain ? domain : "", name, number);
    leave(t);
    return number;
}

void hw_timeline_stop_range(hw_timeline *t, uint64_t number) {
    enter(t);
    size_t at = 0;
    while (at < t->n_ranges && t->ranges[at].number != number) at++;
    if (number && at < t->n_ranges) end_at(t, at, 0);
    leave(t);
}

void hw_timeline_mark(hw_timeline *t, const char *domain, const char *name) {
    hw_timeline_stop_range(t, hw_timeline_start_range(t, domain, name));
}

// ---- the object ----

hw_status hw_timeline_create(const hw_timeline_options *options, hw_timeline **out, hw_diag *diag) {
    hw_timeline *t = hw_calloc(1, sizeof *t);
    const hw_schedule_gpu gpu = hw_cost_gpu(options->gpu, options->copy_engines);
    *out = NULL;
    if (!t) return hw_diag_no_memory(diag);
    t->options = *options;
    t->schedule = hw_schedule_create(&gpu, task_done, t);
    pthread_mutex_init(&t->own_host.lock, NULL);
    t->host = options->host ? options->host : &t->own_host;
    if (!t->schedule || !add_stream(t, LEGACY, false, 0)) {
        hw_timeline_destroy(t);
        return hw_diag_no_memory(diag);
    }
    t->sink = (hw_sink){.events = HW_WANTS(HOST), .ignores_sites = true, .launch_end = launch_end,
                        .keeps = keeps_launch, .repeats = repeat_launch, .host = hear_host};
    *out = t;
    return HW_OK;
}

void hw_timeline_destroy(hw_timeline *t) {
    if (!t) return;
    if (t->schedule) {
        t->options.done = NULL;
        await_all(t);                // so that all that it owns is back
    }
    hw_schedule_destroy(t->schedule);
    while (t->spare) {
        work *next = t->spare->next;
        hw_free(t->spare);
        t->spare = next;
    }
    pthread_mutex_destroy(&t->own_host.lock);
    hw_free(t->streams);
    hw_free(t->events);
    hw_free(t->ranges);
    hw_free(t);
}
