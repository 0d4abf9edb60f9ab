// Executable graphs: an order for their nodes, streams for branches that GPUs may run side by side, and launches.
#include <string.h>

#include "base/alloc.h"
#include "runtime/capture.h"
#include "runtime/graph_node.h"
#include "runtime/tell.h"

enum { MOST_LANES = 128 };   // as many kernels as current GPUs run at a time; branches beyond share streams

bool hw_rt_is_exec(hw_runtime *runtime, const hw_rt_exec *exec) {
    return hw_rt_handles_have(hw_rt_graph_handles(runtime), HW_RT_EXEC, exec);
}

uint64_t hw_rt_exec_flags(const hw_rt_exec *exec) { return exec->flags; }

// ---- an order ----

typedef struct followers {
    size_t *first;                         // by node: where its own begin in `nodes`; one more at the end
    hw_rt_node **nodes;
} followers;

static bool list_followers(const hw_rt_graph *graph, followers *f) {
    size_t n_edges = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) n_edges += graph->nodes[i]->n_before;
    f->first = hw_calloc(graph->n_nodes + 2, sizeof *f->first);
    f->nodes = hw_calloc(n_edges + 1, sizeof *f->nodes);
    if (!f->first || !f->nodes) return false;
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->nodes[i]->n_before; k++) f->first[graph->nodes[i]->before[k]->index + 2]++;
    for (size_t i = 2; i < graph->n_nodes + 2; i++) f->first[i] += f->first[i - 1];
    // What begins at i stands at i + 1 until all of its nodes have been put there.
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->nodes[i]->n_before; k++)
            f->nodes[f->first[graph->nodes[i]->before[k]->index + 1]++] = graph->nodes[i];
    return true;
}

// Nodes in the order in which they are found to depend on nothing that is left. False: some depend on themselves.
static bool find_order(hw_rt_graph *graph, const followers *f) {
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        graph->nodes[i]->n_left = graph->nodes[i]->n_before;
        if (!graph->nodes[i]->n_left) graph->order[n++] = graph->nodes[i];
    }
    for (size_t done = 0; done < n; done++) {
        const size_t index = graph->order[done]->index;
        for (size_t k = f->first[index]; k < f->first[index + 1]; k++)
            if (!--f->nodes[k]->n_left) graph->order[n++] = f->nodes[k];
    }
    return n == graph->n_nodes;
}

// ---- lanes ----

// While lanes are chosen.
typedef struct lanes {
    hw_runtime **gpus;                     // by lane
    bool *is_left;                         // by node: another one goes on in its lane
    uint32_t n, next;
} lanes;

// One of the GPU's that others have as well, where there are many.
static uint32_t begin_lane(lanes *l, hw_runtime *gpu) {
    for (uint32_t i = 0; l->n >= MOST_LANES && i < l->n; i++) {
        const uint32_t lane = l->next++ % l->n;
        if (l->gpus[lane] == gpu) return lane;
    }
    l->gpus[l->n] = gpu;
    return l->n++;
}

// A node goes on in the lane of the first node of its GPU before it whose lane nobody has gone on in.
static void choose_lanes(hw_runtime *runtime, hw_rt_graph *graph, lanes *l) {
    for (size_t i = 0; i < graph->n_nodes; i++) {
        hw_rt_node *node = graph->order[i];
        const hw_rt_node *goes_on = NULL;
        for (size_t k = 0; !goes_on && k < node->n_before; k++)
            if (!l->is_left[node->before[k]->index] && node->before[k]->gpu == node->gpu) goes_on = node->before[k];
        if (goes_on) l->is_left[goes_on->index] = true;
        node->lane = goes_on ? goes_on->lane : begin_lane(l, node->gpu);
    }
    graph->gpu = l->n ? l->gpus[0] : runtime;
    graph->n_lanes = l->n ? l->n : 1;
}

static bool is_waited_for(const hw_rt_node *node, const followers *f) {
    for (size_t k = f->first[node->index]; k < f->first[node->index + 1]; k++)
        if (f->nodes[k]->lane != node->lane) return true;
    return false;
}

static hw_rt_status make_event(hw_runtime *runtime, hw_rt_event **out) {
    return hw_rt_event_create(runtime, HW_RT_EVENT_NO_TIMING, out);
}

// The first lane is the launch's own stream. Each other one ends with an event, so that the launch's can wait for it.
static hw_rt_status make_lanes(hw_rt_graph *graph, hw_runtime *const *gpus, const followers *f) {
    hw_rt_status status = HW_RT_SUCCESS;
    if (graph->n_lanes == 1) return status;
    graph->lanes = hw_calloc(graph->n_lanes, sizeof *graph->lanes);
    if (!graph->lanes) return HW_RT_NO_MEMORY;
    status = make_event(graph->gpu, &graph->begun);
    for (size_t i = 1; !status && i < graph->n_lanes; i++)
        status = hw_rt_stream_create(gpus[i], HW_RT_STREAM_NON_BLOCKING, 0, &graph->lanes[i]);
    for (size_t i = 0; !status && i < graph->n_nodes; i++) {
        hw_rt_node *node = graph->nodes[i];
        const bool is_last = f->first[node->index] == f->first[node->index + 1];
        if ((node->lane && is_last) || is_waited_for(node, f)) status = make_event(node->gpu, &node->done);
    }
    return status;
}

// ---- both ----

void hw_rt_graph_unplan(hw_runtime *runtime, hw_rt_graph *graph) {
    for (size_t i = 0; i < graph->n_nodes; i++) {
        if (graph->nodes[i]->done) hw_rt_event_destroy(runtime, graph->nodes[i]->done);
        graph->nodes[i]->done = NULL;
    }
    for (size_t i = 1; graph->lanes && i < graph->n_lanes; i++)
        if (graph->lanes[i]) hw_rt_stream_destroy(runtime, graph->lanes[i]);
    if (graph->begun) hw_rt_event_destroy(runtime, graph->begun);
    hw_free(graph->lanes);
    hw_free(graph->order);
    if (graph->own_lane) hw_rt_stream_destroy(runtime, graph->own_lane);
    if (graph->asked) hw_rt_event_destroy(runtime, graph->asked);
    if (graph->ended) hw_rt_event_destroy(runtime, graph->ended);
    graph->lanes = NULL;
    graph->order = NULL;
    graph->own_lane = NULL;
    graph->begun = graph->asked = graph->ended = NULL;
}

static hw_rt_status plan_inner(hw_runtime *runtime, const hw_rt_node *node) {
    hw_rt_status status = HW_RT_SUCCESS;
    if (node->work.kind == HW_RT_NODE_GRAPH) return hw_rt_graph_plan(runtime, node->work.graph);
    if (node->work.kind != HW_RT_NODE_CONDITIONAL) return status;
    for (unsigned i = 0; !status && i < node->work.conditional.n_bodies; i++)
        status = hw_rt_graph_plan(runtime, node->work.conditional.bodies[i]);
    return status;
}

hw_rt_status hw_rt_graph_plan(hw_runtime *runtime, hw_rt_graph *graph) {
    followers f = {0};
    hw_rt_status status = HW_RT_NO_MEMORY;
    hw_rt_graph_unplan(runtime, graph);
    lanes l = {.gpus = hw_calloc(graph->n_nodes + 1, sizeof *l.gpus),
               .is_left = hw_calloc(graph->n_nodes + 1, sizeof *l.is_left)};
    graph->order = hw_calloc(graph->n_nodes + 1, sizeof *graph->order);
    if (graph->order && l.gpus && l.is_left && list_followers(graph, &f))
        status = find_order(graph, &f) ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
    if (!status) {
        choose_lanes(runtime, graph, &l);
        status = make_lanes(graph, l.gpus, &f);
    }
    for (size_t i = 0; !status && i < graph->n_nodes; i++) status = plan_inner(runtime, graph->nodes[i]);
    hw_free(f.first);
    hw_free(f.nodes);
    hw_free(l.gpus);
    hw_free(l.is_left);
    return status;
}

hw_rt_status hw_rt_exec_create(hw_runtime *runtime, hw_rt_graph *graph, uint64_t flags, hw_rt_exec **out) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_graph(runtime, graph)) return HW_RT_INVALID_VALUE;
    if (atomic_load(&graph->origin->n_holders) > 1 && hw_rt_graph_has_memory(graph)) return HW_RT_NOT_SUPPORTED;
    hw_rt_exec *made = hw_rt_handles_make(hw_rt_graph_handles(runtime), HW_RT_EXEC, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    made->flags = flags;
    made->origin = graph->origin;
    atomic_fetch_add(&graph->origin->n_holders, 1);
    made->graph = hw_rt_graph_copy(runtime, graph, true);
    const hw_rt_status status = made->graph ? hw_rt_graph_plan(runtime, made->graph) : HW_RT_NO_MEMORY;
    if (status) hw_rt_exec_destroy(runtime, made);
    else *out = made;
    return status;
}

void hw_rt_free_exec(hw_rt_exec *exec) {
    hw_rt_origin_release(exec->origin);
    hw_free(exec);
}

hw_rt_status hw_rt_exec_destroy(hw_runtime *runtime, hw_rt_exec *exec) {
    if (!hw_rt_handles_remove(hw_rt_graph_handles(runtime), HW_RT_EXEC, exec)) return HW_RT_INVALID_VALUE;
    hw_rt_origin_release(exec->origin);
    if (exec->graph) hw_rt_graph_forget(runtime, exec->graph);
    hw_rt_handles_bury(hw_rt_graph_handles(runtime), exec);
    return HW_RT_SUCCESS;
}

// ---- launches ----

static hw_rt_stream *lane_of(const hw_rt_graph *graph, uint32_t lane, hw_rt_stream *stream) {
    return lane ? graph->lanes[lane] : stream;
}

// In its lane, behind what is in others.
static hw_rt_status run_node(hw_rt_graph *graph, hw_rt_node *node, hw_rt_stream *stream) {
    hw_runtime *runtime = node->gpu;
    hw_rt_stream *lane = lane_of(graph, node->lane, stream);
    hw_rt_status status = HW_RT_SUCCESS;
    if (node->lane && !node->n_before) status = hw_rt_stream_wait(runtime, lane, graph->begun);
    for (size_t i = 0; !status && i < node->n_before; i++)
        if (node->before[i]->lane != node->lane) status = hw_rt_stream_wait(runtime, lane, node->before[i]->done);
    if (!status && !node->is_off) status = hw_rt_node_run(node, lane);
    if (!status && node->done) status = hw_rt_event_record(runtime, node->done, lane);
    return status;
}

static void set_conditions(hw_runtime *runtime, const hw_rt_graph *graph) {
    for (size_t i = 0; i < graph->n_conditions; i++) {
        const hw_rt_condition *c = &graph->conditions[i];
        hw_mem *mem = hw_rt_mem(hw_rt_of_address(runtime, c->handle));
        if (c->is_set) *(uint32_t *)hw_mem_host(mem, c->handle) = c->value;
        if (c->is_set) hw_mem_set_changed(mem, c->handle);
    }
}

// In a stream of the first lane's GPU.
static hw_rt_status run_nodes(hw_rt_graph *graph, hw_rt_stream *stream) {
    hw_rt_status status = HW_RT_SUCCESS;
    if (graph->begun) status = hw_rt_event_record(graph->gpu, graph->begun, stream);
    for (size_t i = 0; !status && i < graph->n_nodes; i++) status = run_node(graph, graph->order[i], stream);
    for (size_t i = 0; !status && i < graph->n_nodes; i++)
        if (graph->nodes[i]->done) status = hw_rt_stream_wait(graph->gpu, stream, graph->nodes[i]->done);
    return status;
}

// One stream goes on where the other is now; the event is the other's GPU's.
static hw_rt_status follow(hw_runtime *gpu, hw_rt_stream *stream, hw_runtime *other_gpu, hw_rt_stream *other,
                           hw_rt_event *event) {
    const hw_rt_status status = hw_rt_event_record(other_gpu, event, other);
    return status ? status : hw_rt_stream_wait(gpu, stream, event);
}

// What launches in streams of other GPUs take, made by the first of them.
static hw_rt_status prepare_elsewhere(hw_runtime *runtime, hw_rt_graph *graph) {
    hw_rt_status status = HW_RT_SUCCESS;
    if (graph->asked && hw_rt_of_event(runtime, graph->asked) != runtime) {
        hw_rt_event_destroy(runtime, graph->asked);
        graph->asked = NULL;
    }
    if (!graph->own_lane)
        status = hw_rt_stream_create(graph->gpu, HW_RT_STREAM_NON_BLOCKING, 0, &graph->own_lane);
    if (!status && !graph->ended) status = make_event(graph->gpu, &graph->ended);
    if (!status && !graph->asked) status = make_event(runtime, &graph->asked);
    return status;
}

// The launch's stream is another GPU's than the first lane's, which is one of its own then.
static hw_rt_status run_elsewhere(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_stream *stream) {
    hw_rt_status status = prepare_elsewhere(runtime, graph);
    if (!status) status = follow(graph->gpu, graph->own_lane, runtime, stream, graph->asked);
    if (!status) status = run_nodes(graph, graph->own_lane);
    if (!status) status = follow(runtime, stream, graph->gpu, graph->own_lane, graph->ended);
    return status;
}

hw_rt_status hw_rt_graph_run(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    set_conditions(runtime, graph);
    return runtime == graph->gpu ? run_nodes(graph, stream) : run_elsewhere(runtime, graph, stream);
}

static void free_blocks(const hw_rt_graph *graph) {
    hw_rt_status unused;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const hw_rt_node *node = graph->nodes[i];
        if (node->block) hw_rt_graph_free(node->gpu, node->work.memory.address, &unused);
    }
}

hw_rt_status hw_rt_exec_launch(hw_runtime *runtime, hw_rt_exec *exec, hw_rt_stream *stream) {
    runtime = hw_rt_of_stream(runtime, stream);
    HW_RT_ENTER(runtime);
    hw_rt_status status;
    if (!hw_rt_is_exec(runtime, exec)) return HW_RT_INVALID_VALUE;
    if (!hw_rt_is_stream(runtime, stream)) return HW_RT_INVALID_HANDLE;
    const hw_rt_work work = {.kind = HW_RT_NODE_GRAPH, .graph = exec->graph};
    if (hw_rt_capture_work(runtime, stream, &work, NULL, &status)) return status;
    if (exec->flags & HW_RT_EXEC_FREES_AT_LAUNCH) free_blocks(exec->graph);
    hw_rt_tell_order(runtime, HW_HOST_GRAPH_BEGIN, stream, NULL);
    status = hw_rt_graph_run(runtime, exec->graph, stream);
    hw_rt_tell_order(runtime, HW_HOST_GRAPH_END, stream, NULL);
    return status;
}

// ---- other work for one that is there ----

static hw_rt_node *find_copy(const hw_rt_graph *graph, const hw_rt_node *node) {
    if (node->index < graph->n_nodes && graph->nodes[node->index]->copy_of == node) return graph->nodes[node->index];
    for (size_t i = 0; i < graph->n_nodes; i++) {
        hw_rt_node *at = graph->nodes[i];
        hw_rt_node *inner = at->work.kind == HW_RT_NODE_GRAPH ? find_copy(at->work.graph, node) : NULL;
        if (at->copy_of == node || inner) return inner ? inner : at;
    }
    return NULL;
}

hw_rt_node *hw_rt_exec_node(hw_runtime *runtime, hw_rt_exec *exec, const hw_rt_node *node) {
    return hw_rt_is_exec(runtime, exec) && hw_rt_is_node(runtime, node) ? find_copy(exec->graph, node) : NULL;
}

static hw_rt_update compare_nodes(const hw_rt_node *own, const hw_rt_node *other) {
    if (own->work.kind != other->work.kind) return HW_RT_UPDATE_KIND;
    if (own->gpu != other->gpu) return HW_RT_UPDATE_PARAMETERS;
    if (own->n_before != other->n_before) return HW_RT_UPDATE_TOPOLOGY;
    for (size_t i = 0; i < own->n_before; i++)
        if (own->before[i]->index != other->before[i]->index) return HW_RT_UPDATE_TOPOLOGY;
    return HW_RT_UPDATED;
}

static hw_rt_update compare_graphs(const hw_rt_graph *own, const hw_rt_graph *other, hw_rt_node **where);

static hw_rt_update compare_inner(const hw_rt_node *own, const hw_rt_node *other, hw_rt_node **where) {
    if (own->work.kind == HW_RT_NODE_GRAPH) return compare_graphs(own->work.graph, other->work.graph, where);
    if (own->work.kind != HW_RT_NODE_CONDITIONAL) return HW_RT_UPDATED;
    if (own->work.conditional.n_bodies != other->work.conditional.n_bodies) return HW_RT_UPDATE_PARAMETERS;
    hw_rt_update found = HW_RT_UPDATED;
    for (unsigned i = 0; !found && i < own->work.conditional.n_bodies; i++)
        found = compare_graphs(own->work.conditional.bodies[i], other->work.conditional.bodies[i], where);
    return found;
}

static hw_rt_update compare_graphs(const hw_rt_graph *own, const hw_rt_graph *other, hw_rt_node **where) {
    if (own->n_nodes != other->n_nodes) return HW_RT_UPDATE_TOPOLOGY;
    for (size_t i = 0; i < own->n_nodes; i++) {
        hw_rt_update found = compare_nodes(own->nodes[i], other->nodes[i]);
        if (found) *where = other->nodes[i];
        if (!found) found = compare_inner(own->nodes[i], other->nodes[i], where);
        if (found) return found;
    }
    return HW_RT_UPDATED;
}

static hw_rt_status take_work(hw_rt_graph *own, const hw_rt_graph *other);

static hw_rt_status take_inner(hw_rt_node *own, const hw_rt_node *other) {
    hw_rt_status status = HW_RT_SUCCESS;
    if (own->work.kind == HW_RT_NODE_GRAPH) return take_work(own->work.graph, other->work.graph);
    for (unsigned i = 0; !status && i < own->work.conditional.n_bodies; i++)
        status = take_work(own->work.conditional.bodies[i], other->work.conditional.bodies[i]);
    return status;
}

// Memory stays where it is; a condition's handle is the graph's own.
static hw_rt_status take_work(hw_rt_graph *own, const hw_rt_graph *other) {
    hw_rt_status status = HW_RT_SUCCESS;
    for (size_t i = 0; !status && i < own->n_nodes; i++) {
        const hw_rt_node_kind kind = own->nodes[i]->work.kind;
        if (kind == HW_RT_NODE_GRAPH || kind == HW_RT_NODE_CONDITIONAL)
            status = take_inner(own->nodes[i], other->nodes[i]);
        else if (kind != HW_RT_NODE_ALLOC)
            status = hw_rt_node_keep(own->nodes[i], &other->nodes[i]->work);
    }
    return status;
}

hw_rt_status hw_rt_exec_update(hw_runtime *runtime, hw_rt_exec *exec, hw_rt_graph *graph, hw_rt_update *why,
                               hw_rt_node **where) {
    HW_RT_ENTER(runtime);
    *where = NULL;
    *why = HW_RT_UPDATE_ERROR;
    if (!hw_rt_is_exec(runtime, exec) || !hw_rt_is_graph(runtime, graph)) return HW_RT_INVALID_VALUE;
    *why = compare_graphs(exec->graph, graph, where);
    if (*why) return HW_RT_UPDATE_FAILED;
    const hw_rt_status status = take_work(exec->graph, graph);
    if (status) *why = HW_RT_UPDATE_ERROR;
    return status;
}
