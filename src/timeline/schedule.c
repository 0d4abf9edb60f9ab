// A simulation by events: at each moment tasks begin that can, kernels share the GPU, and time goes on to whatever ends
// first. Only the first task of a stream can begin or run, so the streams are all that is looked at.
#include "timeline/schedule.h"

#include <math.h>

#include "base/alloc.h"

enum { IN, OUT, ENGINES };           // by direction; a GPU with one copy engine has IN alone
enum { NOBODY = -1, COMPUTES = -1, NOTHING = -2 };

typedef enum task_state { IS_WAITING, IS_STARTING, IS_FULL, IS_IN_TAIL } task_state;

typedef struct entry {
    struct entry *next;
    hw_task task;
    uint64_t order;                  // in which tasks were given
} entry;

typedef struct stream {
    int priority;
    uint64_t given, done;            // tasks
    entry *first, *last;             // that are not done
    task_state state;                // of the first one, and what follows too:
    bool is_ready;
    int last_engine;                 // that was at its work: an engine, COMPUTES, or NOTHING yet
    double last_us;                  // until when
    double ready_us, begin_us, busy_us;
    double left_us;                  // of the state, alone on the GPU
    double rate, share;              // at which it goes on now; of the GPU
    uint64_t began;                  // in which order kernels have begun
} stream;

struct hw_schedule {
    hw_schedule_gpu gpu;
    void (*done)(void *context, const hw_task_done *task);
    void *context;
    stream *streams;
    size_t n_streams, capacity;
    double now;
    uint64_t orders, begun;
    size_t n_pending;
    int64_t engine[ENGINES];         // the stream whose copy it makes, or NOBODY
    uint32_t n_kernels;              // that run
    bool is_copying;                 // what computes is: no engine does
    entry *spare;
};

static bool runs(const stream *s) { return s->first && s->state != IS_WAITING; }
static bool is_copy(const hw_task *task) { return task->kind == HW_TASK_COPY_IN || task->kind == HW_TASK_COPY_OUT; }

// ---- what begins ----

static int engine_of(const hw_schedule *s, const hw_task *task) {
    if (!s->gpu.copy_engines) return COMPUTES;
    return s->gpu.copy_engines > 1 && task->kind == HW_TASK_COPY_OUT ? OUT : IN;
}

static int worker_of(const hw_schedule *s, const hw_task *task) {
    return is_copy(task) ? engine_of(s, task) : COMPUTES;
}

static bool is_free(const hw_schedule *s, const hw_task *task) {
    if (task->kind == HW_TASK_MARK) return true;
    const int engine = worker_of(s, task);
    if (engine != COMPUTES) return s->engine[engine] == NOBODY;
    if (is_copy(task)) return !s->n_kernels && !s->is_copying;
    return s->n_kernels < s->gpu.most_kernels && !s->is_copying;
}

// When its first task may begin at the earliest, whatever it waits for: who goes on with a stream's work has to be told
// that another is done with it.
static double from_us(const hw_schedule *s, const stream *of) {
    const hw_task *task = &of->first->task;
    const bool goes_on = task->kind != HW_TASK_MARK && of->last_engine != NOTHING;
    if (!goes_on || of->last_engine == worker_of(s, task)) return task->from_us;
    return fmax(task->from_us, of->last_us + s->gpu.switch_us);
}

static void see_whether_ready(hw_schedule *s, stream *of) {
    const entry *e = of->first;
    if (!e || of->is_ready || from_us(s, of) > s->now || !hw_schedule_is_done(s, e->task.after)) return;
    of->is_ready = true;
    of->ready_us = s->now;
}

static bool use_one_queue(const hw_schedule *s, const hw_task *a, const hw_task *b) {
    if (a->kind == HW_TASK_MARK || b->kind == HW_TASK_MARK || is_copy(a) != is_copy(b)) return false;
    return !is_copy(a) || engine_of(s, a) == engine_of(s, b);
}

// In a single queue a task waits for those before it to begin, whatever stream they are of.
static bool is_behind_another(const hw_schedule *s, const stream *of) {
    const entry *own = of->first;
    for (size_t i = 0; s->gpu.is_one_queue && i < s->n_streams; i++) {
        const entry *e = runs(&s->streams[i]) ? s->streams[i].first->next : s->streams[i].first;
        for (; e && e->order < own->order; e = e->next)
            if (use_one_queue(s, &e->task, &own->task)) return true;
    }
    return false;
}

static bool comes_before(const stream *a, const stream *b) {
    if (a->priority != b->priority) return a->priority < b->priority;
    if (a->ready_us != b->ready_us) return a->ready_us < b->ready_us;
    return a->first->order < b->first->order;
}

// The stream whose first task begins next, at this moment; NULL: none can.
static stream *next_to_begin(hw_schedule *s) {
    stream *best = NULL;
    for (size_t i = 0; i < s->n_streams; i++) {
        stream *of = &s->streams[i];
        see_whether_ready(s, of);
        if (!of->first || !of->is_ready || runs(of) || !is_free(s, &of->first->task)) continue;
        if ((best && !comes_before(of, best)) || is_behind_another(s, of)) continue;
        best = of;
    }
    return best;
}

static void begin_task(hw_schedule *s, stream *of) {
    const hw_task *task = &of->first->task;
    of->state = IS_STARTING;
    of->begin_us = s->now;
    of->busy_us = 0;
    of->left_us = task->start_us;
    of->rate = 1;
    of->share = 0;
    of->began = ++s->begun;
    if (task->kind == HW_TASK_KERNEL) s->n_kernels++;
    if (!is_copy(task)) return;
    const int engine = engine_of(s, task);
    if (engine == COMPUTES) s->is_copying = true;
    else s->engine[engine] = of - s->streams;
}

// ---- what ends ----

static void end_task(hw_schedule *s, stream *of) {
    entry *e = of->first;
    const int engine = worker_of(s, &e->task);
    if (e->task.kind != HW_TASK_MARK) {
        of->last_engine = engine;
        of->last_us = s->now;
    }
    if (e->task.kind == HW_TASK_KERNEL) s->n_kernels--;
    if (is_copy(&e->task) && engine == COMPUTES) s->is_copying = false;
    if (engine != COMPUTES) s->engine[engine] = NOBODY;
    of->done++;
    of->first = e->next;
    if (!of->first) of->last = NULL;
    of->state = IS_WAITING;
    of->is_ready = false;
    s->n_pending--;
    const hw_task_done done = {{(uint32_t)(of - s->streams), of->done}, of->begin_us, s->now, of->ready_us,
                               of->busy_us, engine, e->task.owner};
    e->next = s->spare;
    s->spare = e;
    s->done(s->context, &done);
}

// On to the next state that takes time; false: there is none.
static bool go_on(stream *of) {
    const hw_task *task = &of->first->task;
    if (task->kind != HW_TASK_KERNEL) return false;
    if (of->state == IS_STARTING) of->state = IS_FULL, of->left_us = task->full_us;
    else if (of->state == IS_FULL) of->state = IS_IN_TAIL, of->left_us = task->tail_us;
    else return false;
    return of->left_us > 0 || go_on(of);
}

// ---- how fast kernels go ----

static double wanted_share(const stream *of) {
    if (of->state == IS_FULL) return 1;
    return of->state == IS_IN_TAIL ? of->first->task.tail_share : 0;
}

// Kernels in the order in which they are served: NULL behind the last.
static stream *served_after(const hw_schedule *s, const stream *before) {
    stream *best = NULL;
    for (size_t i = 0; i < s->n_streams; i++) {
        stream *of = &s->streams[i];
        if (!runs(of) || wanted_share(of) <= 0) continue;
        if (before && (of->priority < before->priority ||
                       (of->priority == before->priority && of->began <= before->began)))
            continue;
        if (!best || of->priority < best->priority || (of->priority == best->priority && of->began < best->began))
            best = of;
    }
    return best;
}

// Who is served first has the room that it wants. The memory's bandwidth holds all of them up alike.
static void share_gpu(hw_schedule *s) {
    const double least = 1e-9;       // of the GPU: less is what rounding leaves
    double room = 1, memory = 0;
    for (stream *of = served_after(s, NULL); of; of = served_after(s, of)) {
        const double wanted = wanted_share(of);
        of->share = wanted < room ? wanted : room;
        if (of->share < least) of->share = 0;
        room -= of->share;
        of->rate = of->share / wanted;
        memory += of->rate * of->first->task.memory_share;
    }
    for (stream *of = memory > 1 ? served_after(s, NULL) : NULL; of; of = served_after(s, of)) of->rate /= memory;
}

static void share_link(hw_schedule *s) {
    const bool are_both = s->engine[IN] != NOBODY && s->engine[OUT] != NOBODY && s->gpu.both_ways > 0;
    for (int i = 0; i < ENGINES; i++)
        if (s->engine[i] != NOBODY) s->streams[s->engine[i]].rate = are_both ? s->gpu.both_ways : 1;
}

// ---- time ----

static bool end_tasks(hw_schedule *s) {
    bool has_ended = false;
    for (size_t i = 0; i < s->n_streams; i++) {
        stream *of = &s->streams[i];
        if (!runs(of) || of->left_us > 0 || go_on(of)) continue;
        end_task(s, of);
        has_ended = true;
    }
    return has_ended;
}

// All that happens at this moment. Whatever ends makes its room, and its successors ready, before anything begins.
static void settle_moment(hw_schedule *s) {
    stream *next;
    do {
        while (end_tasks(s)) continue;
        next = next_to_begin(s);
        if (next) begin_task(s, next);
    } while (next);
    share_gpu(s);
    share_link(s);
}

// The next moment at which anything happens; INFINITY: nothing will.
static double next_moment(const hw_schedule *s) {
    double next = INFINITY;
    for (size_t i = 0; i < s->n_streams; i++) {
        const stream *of = &s->streams[i];
        if (runs(of) && of->rate > 0) next = fmin(next, s->now + of->left_us / of->rate);
        else if (of->first && !runs(of) && from_us(s, of) > s->now) next = fmin(next, from_us(s, of));
    }
    return next;
}

// What is left of a task after rounding is done: times of microseconds have no thousandth of a picosecond.
static void pass_time(hw_schedule *s, double until) {
    const double passed = until - s->now, nothing = 1e-9;
    for (size_t i = 0; i < s->n_streams; i++) {
        stream *of = &s->streams[i];
        if (!runs(of)) continue;
        of->left_us -= passed * of->rate;
        of->busy_us += passed * of->share;
        if (of->left_us < nothing || s->now + of->left_us / of->rate <= s->now) of->left_us = 0;
    }
    s->now = until;
}

void hw_schedule_advance(hw_schedule *s, double us) {
    for (settle_moment(s); s->now < us; settle_moment(s)) pass_time(s, fmin(us, next_moment(s)));
}

double hw_schedule_await(hw_schedule *s, hw_place place) {
    settle_moment(s);
    while (!hw_schedule_is_done(s, place) && hw_schedule_step(s)) continue;
    return s->now;
}

bool hw_schedule_step(hw_schedule *s) {
    settle_moment(s);
    const double next = next_moment(s);
    if (isinf(next)) return false;
    hw_schedule_advance(s, next);
    return true;
}

double hw_schedule_now(const hw_schedule *s) { return s->now; }

// ---- the object ----

hw_schedule *hw_schedule_create(const hw_schedule_gpu *gpu, void (*done)(void *context, const hw_task_done *task),
                                void *context) {
    hw_schedule *s = hw_calloc(1, sizeof *s);
    if (!s) return NULL;
    s->gpu = *gpu;
    s->done = done;
    s->context = context;
    for (int i = 0; i < ENGINES; i++) s->engine[i] = NOBODY;
    return s;
}

static void free_entries(entry *first) {
    while (first) {
        entry *next = first->next;
        hw_free(first);
        first = next;
    }
}

void hw_schedule_destroy(hw_schedule *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n_streams; i++) free_entries(s->streams[i].first);
    free_entries(s->spare);
    hw_free(s->streams);
    hw_free(s);
}

static void hear_nothing(void *context, const hw_task_done *task) { (void)context, (void)task; }

static bool copy_entries(stream *to) {
    const entry *from = to->first;
    to->first = to->last = NULL;
    for (; from; from = from->next) {
        entry *e = hw_malloc(sizeof *e);
        if (!e) return false;
        *e = *from;
        e->next = NULL;
        if (to->last) to->last->next = e;
        else to->first = e;
        to->last = e;
    }
    return true;
}

double hw_schedule_expect(const hw_schedule *s, hw_place place) {
    hw_schedule copy = *s;
    if (hw_schedule_is_done(s, place)) return s->now;
    copy.spare = NULL;
    copy.done = hear_nothing;
    copy.streams = hw_calloc(s->n_streams, sizeof *copy.streams);
    bool good = copy.streams;
    for (size_t i = 0; i < s->n_streams && copy.streams; i++) {
        copy.streams[i] = s->streams[i];
        if (good) good = copy_entries(&copy.streams[i]);
        else copy.streams[i].first = NULL;
    }
    const double us = good ? hw_schedule_await(&copy, place) : s->now;
    for (size_t i = 0; i < s->n_streams && copy.streams; i++) free_entries(copy.streams[i].first);
    free_entries(copy.spare);
    hw_free(copy.streams);
    return us;
}

int64_t hw_schedule_add_stream(hw_schedule *s, int priority) {
    if (!hw_grow((void **)&s->streams, s->n_streams, &s->capacity, sizeof *s->streams)) return -1;
    s->streams[s->n_streams] = (stream){.priority = priority, .last_engine = NOTHING};
    return (int64_t)s->n_streams++;
}

void hw_schedule_set_priority(hw_schedule *s, uint32_t name, int priority) { s->streams[name].priority = priority; }

bool hw_schedule_add(hw_schedule *s, uint32_t name, const hw_task *task) {
    entry *e = s->spare;
    if (e) s->spare = e->next;
    else e = hw_malloc(sizeof *e);
    if (!e) return false;
    *e = (entry){.task = *task, .order = ++s->orders};
    stream *of = &s->streams[name];
    if (of->last) of->last->next = e;
    else of->first = e;
    of->last = e;
    of->given++;
    s->n_pending++;
    return true;
}

hw_place hw_schedule_end(const hw_schedule *s, uint32_t name) { return (hw_place){name, s->streams[name].given}; }

bool hw_schedule_is_done(const hw_schedule *s, hw_place place) {
    return !place.n || s->streams[place.stream].done >= place.n;
}

size_t hw_schedule_pending(const hw_schedule *s) { return s->n_pending; }
