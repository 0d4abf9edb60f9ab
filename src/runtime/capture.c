// Captures: what streams are given becomes the nodes of a graph.
//
// A capture begins in one stream and comes to others where they wait for an event that was recorded in one of its
// streams, also of another GPU. For each it knows the nodes that the stream's next work depends on. As CUDA's
// programming guide has it ("Creating a Graph Using Stream Capture"), a call that a capture cannot hold spoils it.
#include "runtime/capture.h"

#include <string.h>

#include "base/alloc.h"
#include "runtime/graph_node.h"

// One stream of a capture.
typedef struct branch {
    hw_runtime *gpu;
    uint64_t stream;                       // hw_rt_stream_name
    bool is_apart;                         // hw_rt_stream_is_apart
    hw_rt_node **last;
    size_t n_last, capacity;
} branch;

struct hw_rt_capture {
    struct hw_rt_capture *next;
    hw_rt_graph *graph;
    uint64_t id;
    unsigned mode;
    pthread_t thread;
    bool is_broken, is_of_program;         // is_of_program: the graph was there before
    branch *branches;                      // the first is that of the stream in which it was begun
    size_t n_branches, capacity;
};

typedef struct hw_rt_capture capture;

static _Thread_local unsigned mode_of_thread;

unsigned hw_rt_capture_exchange_mode(unsigned mode) {
    const unsigned before = mode_of_thread;
    mode_of_thread = mode;
    return before;
}

// ---- with the lock held ----

static branch *find_branch(const capture *c, const hw_runtime *gpu, uint64_t stream) {
    for (size_t i = 0; i < c->n_branches; i++)
        if (c->branches[i].gpu == gpu && c->branches[i].stream == stream) return &c->branches[i];
    return NULL;
}

// runtime: the stream's GPU.
static capture *capture_of(hw_runtime *runtime, uint64_t stream, branch **out) {
    for (capture *c = runtime->machine->captures; c; c = c->next)
        if ((*out = find_branch(c, runtime, stream))) return c;
    return NULL;
}

static capture *capture_by_id(hw_runtime *runtime, uint64_t id) {
    capture *c = runtime->machine->captures;
    while (c && c->id != id) c = c->next;
    return c;
}

static bool depend_on(branch *b, hw_rt_node *node) {
    for (size_t i = 0; i < b->n_last; i++)
        if (b->last[i] == node) return true;
    if (!hw_grow((void **)&b->last, b->n_last, &b->capacity, sizeof *b->last)) return false;
    b->last[b->n_last++] = node;
    return true;
}

static branch *add_branch(capture *c, hw_runtime *gpu, const hw_rt_stream *stream) {
    if (!hw_grow((void **)&c->branches, c->n_branches, &c->capacity, sizeof *c->branches)) return NULL;
    c->branches[c->n_branches] = (branch){.gpu = gpu, .stream = hw_rt_stream_name(stream),
                                          .is_apart = hw_rt_stream_is_apart(stream)};
    return &c->branches[c->n_branches++];
}

static hw_rt_status break_capture(capture *c, hw_rt_status status) {
    if (c->is_broken) return HW_RT_CAPTURE_INVALIDATED;
    c->is_broken = true;
    return status;
}

static void free_capture(capture *c) {
    for (size_t i = 0; i < c->n_branches; i++) hw_free(c->branches[i].last);
    hw_free(c->branches);
    hw_free(c);
}

static hw_rt_status add_node(hw_runtime *runtime, capture *c, branch *b, const hw_rt_work *work, hw_rt_node **out) {
    hw_rt_node *made;
    if (c->is_broken) return HW_RT_CAPTURE_INVALIDATED;
    const hw_rt_status status = hw_rt_graph_add(runtime, c->graph, b->last, b->n_last, work, &made);
    if (status) return break_capture(c, status);
    b->n_last = 0;
    if (!depend_on(b, made)) return break_capture(c, HW_RT_NO_MEMORY);
    if (out) *out = made;
    return HW_RT_SUCCESS;
}

// The legacy default stream waits for others of its GPU, unless they were made not to block.
static capture *blocking_capture(hw_runtime *runtime, const hw_rt_stream *stream) {
    if (hw_rt_stream_name(stream)) return NULL;
    for (capture *c = runtime->machine->captures; c; c = c->next)
        for (size_t i = 0; i < c->n_branches; i++)
            if (c->branches[i].gpu == runtime && !c->branches[i].is_apart) return c;
    return NULL;
}

// ---- what the runtime's calls ask ----

bool hw_rt_capture_work_slowly(hw_runtime *runtime, hw_rt_stream *stream, const hw_rt_work *work, hw_rt_node **out,
                               hw_rt_status *status) {
    branch *b;
    pthread_mutex_lock(&runtime->machine->capture_lock);
    capture *c = capture_of(runtime, hw_rt_stream_name(stream), &b), *blocking = NULL;
    if (c) *status = add_node(runtime, c, b, work, out);
    else if ((blocking = blocking_capture(runtime, stream))) *status = break_capture(blocking, HW_RT_CAPTURE_IMPLICIT);
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return c || blocking;
}

bool hw_rt_capture_refuses_slowly(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_status *status) {
    branch *b;
    pthread_mutex_lock(&runtime->machine->capture_lock);
    capture *c = capture_of(runtime, hw_rt_stream_name(stream), &b), *blocking = NULL;
    if (c) *status = break_capture(c, HW_RT_CAPTURE_UNSUPPORTED);
    else if ((blocking = blocking_capture(runtime, stream))) *status = break_capture(blocking, HW_RT_CAPTURE_IMPLICIT);
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return c || blocking;
}

// cudaThreadExchangeStreamCaptureMode's table.
static bool is_forbidden(const capture *c) {
    const bool is_own = pthread_equal(c->thread, pthread_self());
    if (mode_of_thread == HW_RT_CAPTURE_RELAXED) return false;
    if (is_own && c->mode != HW_RT_CAPTURE_RELAXED) return true;
    return mode_of_thread == HW_RT_CAPTURE_GLOBAL && c->mode == HW_RT_CAPTURE_GLOBAL;
}

bool hw_rt_capture_forbids_slowly(hw_runtime *runtime, hw_rt_status *status) {
    pthread_mutex_lock(&runtime->machine->capture_lock);
    capture *c = runtime->machine->captures;
    while (c && !is_forbidden(c)) c = c->next;
    if (c) {
        c->is_broken = true;
        *status = HW_RT_CAPTURE_UNSUPPORTED;
    }
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return c != NULL;
}

bool hw_rt_capture_refuses_all_slowly(hw_runtime *runtime, hw_rt_status *status) {
    pthread_mutex_lock(&runtime->machine->capture_lock);
    bool is_any = false;
    for (capture *c = runtime->machine->captures; c; c = c->next) {
        bool is_its = false;
        for (size_t i = 0; i < c->n_branches; i++) is_its = is_its || c->branches[i].gpu == runtime;
        if (is_its) *status = break_capture(c, HW_RT_CAPTURE_UNSUPPORTED);
        is_any = is_any || is_its;
    }
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return is_any;
}

// ---- events ----

void hw_rt_capture_point_clear(hw_rt_capture_point *point) {
    hw_free(point->last);
    *point = (hw_rt_capture_point){0};
}

static hw_rt_status set_point(const capture *c, const branch *b, hw_rt_capture_point *point) {
    if (c->is_broken) return HW_RT_CAPTURE_INVALIDATED;
    point->last = hw_calloc(b->n_last + 1, sizeof *point->last);
    if (!point->last) return HW_RT_NO_MEMORY;
    if (b->n_last) memcpy(point->last, b->last, b->n_last * sizeof *point->last);
    point->n_last = b->n_last;
    point->capture = c->id;
    return HW_RT_SUCCESS;
}

bool hw_rt_capture_record(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_capture_point *point, hw_rt_status *status) {
    branch *b;
    if (point->capture) hw_rt_capture_point_clear(point);
    if (!atomic_load_explicit(&runtime->machine->n_captures, memory_order_relaxed)) return false;
    pthread_mutex_lock(&runtime->machine->capture_lock);
    const capture *c = capture_of(runtime, hw_rt_stream_name(stream), &b);
    if (c) *status = set_point(c, b, point);
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return c != NULL;
}

// With the lock held: the stream, which may belong to no capture yet, waits for a point of this one.
static hw_rt_status join_point(hw_runtime *runtime, capture *c, capture *of_stream, branch *b,
                               const hw_rt_stream *stream, const hw_rt_capture_point *point) {
    if (c->is_broken) return HW_RT_CAPTURE_INVALIDATED;
    if (of_stream && of_stream != c) {
        of_stream->is_broken = true;
        return break_capture(c, HW_RT_CAPTURE_MERGE);
    }
    if (!hw_rt_stream_name(stream)) return break_capture(c, HW_RT_CAPTURE_IMPLICIT);
    if (!b) b = add_branch(c, runtime, stream);
    for (size_t i = 0; b && i < point->n_last; i++) {
        if (!hw_rt_is_node(runtime, point->last[i])) continue;
        if (!depend_on(b, point->last[i])) b = NULL;
    }
    return b ? HW_RT_SUCCESS : break_capture(c, HW_RT_NO_MEMORY);
}

bool hw_rt_capture_asks(hw_runtime *runtime, const hw_rt_capture_point *point, hw_rt_status *status) {
    if (!point->capture) return hw_rt_capture_forbids(runtime, status);
    pthread_mutex_lock(&runtime->machine->capture_lock);
    capture *c = capture_by_id(runtime, point->capture);
    *status = c ? break_capture(c, HW_RT_CAPTURED_EVENT) : HW_RT_INVALID_VALUE;
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return true;
}

bool hw_rt_capture_wait(hw_runtime *runtime, hw_rt_stream *stream, const hw_rt_capture_point *point, bool is_recorded,
                        hw_rt_status *status) {
    branch *b = NULL;
    if (!point->capture && !atomic_load_explicit(&runtime->machine->n_captures, memory_order_relaxed)) return false;
    pthread_mutex_lock(&runtime->machine->capture_lock);
    capture *of_stream = capture_of(runtime, hw_rt_stream_name(stream), &b);
    capture *of_event = point->capture ? capture_by_id(runtime, point->capture) : NULL;
    if (of_event) *status = join_point(runtime, of_event, of_stream, b, stream, point);
    else if (point->capture) *status = of_stream ? break_capture(of_stream, HW_RT_INVALID_VALUE) : HW_RT_INVALID_VALUE;
    else if (of_stream) *status = is_recorded ? break_capture(of_stream, HW_RT_CAPTURE_ISOLATION) : HW_RT_SUCCESS;
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return point->capture || of_stream;
}

bool hw_rt_capture_event(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_event *event, hw_rt_node_kind kind,
                         hw_rt_status *status) {
    const hw_rt_work work = {.kind = kind, .event = event};
    runtime = hw_rt_of_stream(runtime, stream);
    return hw_rt_capture_work(runtime, stream, &work, NULL, status);
}

// ---- begin and end ----

static hw_rt_status prepare_capture(hw_runtime *runtime, capture *c, hw_rt_node *const *behind, size_t n,
                                    const hw_rt_stream *stream) {
    hw_rt_status status = HW_RT_SUCCESS;
    if (!c->graph) status = hw_rt_graph_create(runtime, &c->graph);
    branch *b = status ? NULL : add_branch(c, runtime, stream);
    if (!status && !b) status = HW_RT_NO_MEMORY;
    for (size_t i = 0; !status && i < n; i++) {
        if (!hw_rt_is_node(runtime, behind[i]) || behind[i]->graph != c->graph) status = HW_RT_INVALID_VALUE;
        else if (!depend_on(b, behind[i])) status = HW_RT_NO_MEMORY;
    }
    return status;
}

hw_rt_status hw_rt_capture_begin(hw_runtime *runtime, hw_rt_stream *stream, unsigned mode, hw_rt_graph *graph,
                                 hw_rt_node *const *behind, size_t n) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    branch *b;
    const uint64_t name = hw_rt_stream_name(stream);
    if (!hw_rt_is_stream(runtime, stream)) return HW_RT_INVALID_HANDLE;
    if (!name) return HW_RT_CAPTURE_UNSUPPORTED;
    if (mode > HW_RT_CAPTURE_RELAXED || (graph && !hw_rt_is_graph(runtime, graph)) || (n && !behind))
        return HW_RT_INVALID_VALUE;
    capture *made = hw_calloc(1, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    *made = (capture){.graph = graph, .mode = mode, .thread = pthread_self(), .is_of_program = graph != NULL};
    hw_rt_status status = prepare_capture(runtime, made, behind, n, stream);
    pthread_mutex_lock(&runtime->machine->capture_lock);
    if (!status && capture_of(runtime, name, &b)) status = HW_RT_ILLEGAL_STATE;
    if (!status) {
        made->id = ++runtime->machine->last_capture;
        made->next = runtime->machine->captures;
        runtime->machine->captures = made;
        atomic_fetch_add(&runtime->machine->n_captures, 1);
    }
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    if (!status) return status;
    if (made->graph && !made->is_of_program) hw_rt_graph_destroy(runtime, made->graph);
    free_capture(made);
    return status;
}

// Whether all that its streams were given comes before what the first one ends with.
static bool is_joined(const capture *c) {
    const branch *first = &c->branches[0];
    for (size_t i = 1; i < c->n_branches; i++)
        for (size_t k = 0; k < c->branches[i].n_last; k++)
            if (!hw_rt_node_comes_before(c->branches[i].last[k], first->last, first->n_last)) return false;
    return true;
}

// With the lock held.
static capture *take_capture(hw_runtime *runtime, uint64_t stream, hw_rt_status *status) {
    branch *b;
    capture *c = capture_of(runtime, stream, &b);
    *status = HW_RT_SUCCESS;
    if (!c) *status = HW_RT_ILLEGAL_STATE;
    else if (b != &c->branches[0]) *status = break_capture(c, HW_RT_CAPTURE_UNMATCHED);
    else if (c->mode != HW_RT_CAPTURE_RELAXED && !pthread_equal(c->thread, pthread_self()))
        *status = HW_RT_CAPTURE_WRONG_THREAD;
    if (*status) return NULL;
    capture **link = &runtime->machine->captures;
    while (*link != c) link = &(*link)->next;
    *link = c->next;
    atomic_fetch_sub(&runtime->machine->n_captures, 1);
    return c;
}

hw_rt_status hw_rt_capture_end(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_graph **graph) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    hw_rt_status status;
    if (graph) *graph = NULL;
    if (!hw_rt_is_stream(runtime, stream)) return HW_RT_INVALID_HANDLE;
    pthread_mutex_lock(&runtime->machine->capture_lock);
    capture *c = take_capture(runtime, hw_rt_stream_name(stream), &status);
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    if (!c) return status;
    if (c->is_broken) status = HW_RT_CAPTURE_INVALIDATED;
    else if (!is_joined(c)) status = HW_RT_CAPTURE_UNJOINED;
    if (!status && graph) *graph = c->graph;
    if ((status || !graph) && !c->is_of_program) hw_rt_graph_destroy(runtime, c->graph);
    free_capture(c);
    return status;
}

void hw_rt_captures_free(hw_rt_machine *machine) {
    while (machine->captures) {
        capture *first = machine->captures;
        machine->captures = first->next;
        free_capture(first);
    }
}

// ---- questions ----

hw_rt_status hw_rt_capture_get(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_capture_info *out) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    branch *b;
    hw_rt_status status = HW_RT_SUCCESS;
    *out = (hw_rt_capture_info){.state = HW_RT_NOT_CAPTURED};
    if (!hw_rt_is_stream(runtime, stream)) return HW_RT_INVALID_HANDLE;
    if (!atomic_load_explicit(&runtime->machine->n_captures, memory_order_relaxed)) return status;
    pthread_mutex_lock(&runtime->machine->capture_lock);
    const capture *c = capture_of(runtime, hw_rt_stream_name(stream), &b);
    if (c) {
        *out = (hw_rt_capture_info){.state = c->is_broken ? HW_RT_CAPTURE_BROKEN : HW_RT_CAPTURED, .id = c->id,
                                    .graph = c->graph, .last = b->last, .n_last = b->n_last};
    } else if (blocking_capture(runtime, stream)) {
        status = HW_RT_CAPTURE_IMPLICIT;
    }
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return status;
}

hw_rt_status hw_rt_capture_depend(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_node *const *on, size_t n,
                                  bool instead) {
    branch *b;
    hw_rt_status status = HW_RT_SUCCESS;
    if (n && !on) return HW_RT_INVALID_VALUE;
    runtime = hw_rt_of_stream(runtime, stream);
    pthread_mutex_lock(&runtime->machine->capture_lock);
    const capture *c = capture_of(runtime, hw_rt_stream_name(stream), &b);
    if (!c) status = HW_RT_INVALID_VALUE;
    for (size_t i = 0; !status && i < n; i++)
        if (!hw_rt_is_node(runtime, on[i]) || on[i]->graph != c->graph) status = HW_RT_INVALID_VALUE;
    if (!status && instead) b->n_last = 0;
    for (size_t i = 0; !status && i < n; i++)
        if (!depend_on(b, on[i])) status = HW_RT_NO_MEMORY;
    pthread_mutex_unlock(&runtime->machine->capture_lock);
    return status;
}

hw_rt_status hw_rt_call_host(hw_runtime *runtime, hw_rt_stream *stream, void (*call)(void *user), void *user) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    hw_rt_status status;
    const hw_rt_work work = {.kind = HW_RT_NODE_HOST, .host = {call, user}};
    if (hw_rt_capture_work(runtime, stream, &work, NULL, &status)) return status;
    status = hw_rt_stream_calls(runtime, stream);
    if (!status) call(user);
    return status;
}
