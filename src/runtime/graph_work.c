// What nodes do: kept with them, and done.
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "runtime/function.h"
#include "runtime/graph_node.h"
#include "runtime/tell.h"

// ---- a kernel's parameters ----

// One block: the pointers, and behind them what they point to.
static hw_rt_status copy_params(hw_runtime *runtime, hw_rt_function *function, void *const *params, void **out) {
    enum { ALIGNMENT = 16 };
    hw_sim_function_info info;
    const hw_rt_status status = hw_rt_function_prepare(runtime, function);
    if (status) return status;
    hw_sim_get_function_info(function->sim, &info);
    uint32_t offset, bytes;
    size_t total = hw_align_up(info.n_params * sizeof(void *), ALIGNMENT);
    for (uint32_t i = 0; i < info.n_params; i++) {
        if (!params || !params[i]) return HW_RT_INVALID_VALUE;
        hw_sim_get_param(function->sim, i, &offset, &bytes);
        total += hw_align_up(bytes, ALIGNMENT);
    }
    void **made = hw_malloc(total ? total : 1);
    if (!made) return HW_RT_NO_MEMORY;
    char *at = (char *)made + hw_align_up(info.n_params * sizeof(void *), ALIGNMENT);
    for (uint32_t i = 0; i < info.n_params; i++) {
        hw_sim_get_param(function->sim, i, &offset, &bytes);
        memcpy(at, params[i], bytes);
        made[i] = at;
        at += hw_align_up(bytes, ALIGNMENT);
    }
    *out = made;
    return HW_RT_SUCCESS;
}

static hw_rt_status keep_kernel(hw_rt_node *node, hw_rt_work *work) {
    void *params;
    if (!hw_rt_is_function(node->gpu, work->kernel.args.function)) return HW_RT_INVALID_HANDLE;
    const hw_rt_status status = copy_params(node->gpu, work->kernel.args.function, work->kernel.args.params, &params);
    if (status) return status;
    hw_free(node->params);
    node->params = params;
    work->kernel.args.params = params;
    return HW_RT_SUCCESS;
}

// ---- graphs within graphs ----

static bool holds(const hw_rt_graph *graph, const hw_rt_graph *other);

static bool node_holds(const hw_rt_node *node, const hw_rt_graph *other) {
    if (node->work.kind == HW_RT_NODE_GRAPH) return node->work.graph && holds(node->work.graph, other);
    if (node->work.kind != HW_RT_NODE_CONDITIONAL) return false;
    for (unsigned i = 0; i < node->work.conditional.n_bodies; i++)
        if (node->work.conditional.bodies[i] && holds(node->work.conditional.bodies[i], other)) return true;
    return false;
}

// The other is the graph, or within it.
static bool holds(const hw_rt_graph *graph, const hw_rt_graph *other) {
    if (graph == other) return true;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (node_holds(graph->nodes[i], other)) return true;
    return false;
}

static hw_rt_status keep_graph(hw_rt_node *node, hw_rt_work *work) {
    if (!hw_rt_is_graph(node->gpu, work->graph) || holds(work->graph, node->graph)) return HW_RT_INVALID_VALUE;
    hw_rt_graph *copy = hw_rt_graph_copy(node->gpu, work->graph, true);
    if (!copy) return HW_RT_NO_MEMORY;
    hw_rt_node_drop(node);
    work->graph = copy;
    return HW_RT_SUCCESS;
}

static bool is_condition_of(const hw_rt_graph *graph, uint64_t handle) {
    for (size_t i = 0; i < graph->n_conditions; i++)
        if (graph->conditions[i].handle == handle) return true;
    return false;
}

static bool has_possible_size(unsigned type, unsigned n) {
    return type == HW_RT_CONDITION_WHILE ? n == 1 : type == HW_RT_CONDITION_IF ? n == 1 || n == 2
                                                                                : type == HW_RT_CONDITION_SWITCH && n;
}

// Bodies are empty at first, or copies of those of the node that this one is a copy of.
static hw_rt_status keep_condition(hw_rt_node *node, hw_rt_work *work) {
    const bool is_copy = node->copy_of != NULL;
    const unsigned n = work->conditional.n_bodies;
    if (!has_possible_size(work->conditional.type, n)) return HW_RT_INVALID_VALUE;
    // A body's condition may be one of the graph around it, whose handle the body does not know.
    if (!is_copy && !node->graph->is_inner && !is_condition_of(node->graph, work->conditional.handle))
        return HW_RT_INVALID_VALUE;
    hw_rt_graph **bodies = hw_calloc(n, sizeof *bodies), *const *from = work->conditional.bodies;
    bool good = bodies != NULL;
    for (unsigned i = 0; good && i < n; i++) {
        bodies[i] = is_copy ? hw_rt_graph_copy(node->gpu, from[i], true) : NULL;
        if (!is_copy && !hw_rt_graph_create(node->gpu, &bodies[i])) bodies[i]->is_inner = true;
        good = bodies[i] != NULL;
    }
    work->conditional.bodies = bodies;
    if (good) return HW_RT_SUCCESS;
    for (unsigned i = 0; bodies && i < n; i++)
        if (bodies[i]) hw_rt_graph_forget(node->gpu, bodies[i]);
    hw_free(bodies);
    return HW_RT_NO_MEMORY;
}

// ---- all of them ----

static hw_rt_status keep_memory(hw_rt_node *node, hw_rt_work *work) {
    hw_rt_status status = HW_RT_SUCCESS;
    if (work->memory.gpu) node->gpu = work->memory.gpu;
    work->memory.gpu = node->gpu;
    if (!node->block) status = hw_rt_graph_block_make(node->gpu, work->memory.bytes, &node->block);
    if (!status) work->memory.address = node->block->address;
    return status;
}

// An event is recorded by its own GPU, which another event may change.
static hw_rt_status keep_event(hw_rt_node *node, hw_rt_work *work) {
    hw_runtime *owner = hw_rt_of_event(node->gpu, work->event);
    if (!hw_rt_handles_have(&owner->handles, HW_RT_EVENT, work->event)) return HW_RT_INVALID_HANDLE;
    if (work->kind == HW_RT_NODE_RECORD) node->gpu = owner;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_node_keep(hw_rt_node *node, const hw_rt_work *work) {
    hw_rt_work kept = *work;
    hw_rt_status status = HW_RT_SUCCESS;
    switch (kept.kind) {
    case HW_RT_NODE_KERNEL: status = keep_kernel(node, &kept); break;
    case HW_RT_NODE_GRAPH: status = keep_graph(node, &kept); break;
    case HW_RT_NODE_CONDITIONAL: status = keep_condition(node, &kept); break;
    case HW_RT_NODE_ALLOC: status = keep_memory(node, &kept); break;
    case HW_RT_NODE_HOST: status = kept.host.call ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE; break;
    case HW_RT_NODE_WAIT: case HW_RT_NODE_RECORD: status = keep_event(node, &kept); break;
    default: break;
    }
    if (!status) node->work = kept;
    return status;
}

void hw_rt_node_drop(hw_rt_node *node) {
    if (node->work.kind == HW_RT_NODE_GRAPH && node->work.graph) {
        hw_rt_graph_forget(node->gpu, node->work.graph);
        node->work.graph = NULL;
    }
    if (node->work.kind == HW_RT_NODE_CONDITIONAL) {
        for (unsigned i = 0; i < node->work.conditional.n_bodies; i++)
            hw_rt_graph_forget(node->gpu, node->work.conditional.bodies[i]);
        node->work.conditional.n_bodies = 0;
    }
    if (node->block) hw_rt_graph_block_release(node->gpu, node->block);
    node->block = NULL;
}

hw_rt_status hw_rt_graph_condition(hw_runtime *runtime, hw_rt_graph *graph, uint32_t value, bool is_set,
                                   uint64_t *handle) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_graph(runtime, graph)) return HW_RT_INVALID_VALUE;
    if (!hw_grow((void **)&graph->conditions, graph->n_conditions, &graph->conditions_capacity,
                 sizeof *graph->conditions))
        return HW_RT_NO_MEMORY;
    const hw_rt_status status = hw_rt_word_make(runtime, sizeof value, handle);
    if (!status) graph->conditions[graph->n_conditions++] = (hw_rt_condition){*handle, value, is_set};
    return status;
}

// ---- done ----

static hw_rt_status run_condition(const hw_rt_node *node, hw_rt_stream *stream) {
    const hw_rt_work *work = &node->work;
    hw_runtime *runtime = hw_rt_of_address(node->gpu, work->conditional.handle);
    const unsigned type = work->conditional.type, n = work->conditional.n_bodies;
    const uint32_t *word = hw_mem_host(hw_rt_mem(runtime), work->conditional.handle);
    hw_rt_status status = HW_RT_SUCCESS;
    if (type == HW_RT_CONDITION_WHILE) {
        while (!status && *(const volatile uint32_t *)word)
            status = hw_rt_graph_run(runtime, work->conditional.bodies[0], stream);
        return status;
    }
    const uint32_t which = type == HW_RT_CONDITION_SWITCH ? *word : *word == 0;
    return which < n ? hw_rt_graph_run(runtime, work->conditional.bodies[which], stream) : HW_RT_SUCCESS;
}

static hw_rt_status run_kernel(const hw_rt_node *node, hw_rt_stream *stream) {
    hw_rt_launch_args args = node->work.kernel.args;
    hw_diag diag = {0};
    args.stream = stream;
    return hw_rt_launch(node->gpu, &args, &diag);
}

static hw_rt_status run_host(const hw_rt_node *node, hw_rt_stream *stream) {
    const hw_rt_status status = hw_rt_stream_calls(node->gpu, stream);
    if (!status) node->work.host.call(node->work.host.user);
    return status;
}

static hw_rt_status run_free(hw_runtime *runtime, uint64_t address, hw_rt_order order) {
    hw_rt_status status;
    if (hw_rt_graph_free(hw_rt_of_address(runtime, address), address, &status)) return status;
    return hw_rt_free(runtime, address, 1u << HW_ALLOC_DEVICE, order, NULL);
}

hw_rt_status hw_rt_node_run(hw_rt_node *node, hw_rt_stream *stream) {
    hw_runtime *runtime = node->gpu;
    const hw_rt_work *w = &node->work;
    const hw_rt_order order = {stream, true};
    switch (w->kind) {
    case HW_RT_NODE_KERNEL: return run_kernel(node, stream);
    case HW_RT_NODE_COPY: return hw_rt_copy(runtime, w->copy.to, w->copy.from, w->copy.shape, w->copy.direction, order);
    case HW_RT_NODE_SET:
        return hw_rt_set_words(runtime, w->set.to, w->set.word, w->set.word_bytes, w->set.shape, order);
    case HW_RT_NODE_HOST: return run_host(node, stream);
    case HW_RT_NODE_GRAPH: return hw_rt_graph_run(runtime, w->graph, stream);
    case HW_RT_NODE_WAIT: return hw_rt_stream_wait(runtime, stream, w->event);
    case HW_RT_NODE_RECORD: return hw_rt_event_record(runtime, w->event, stream);
    case HW_RT_NODE_ALLOC: return hw_rt_graph_block_give(runtime, node->block);
    case HW_RT_NODE_FREE: return run_free(runtime, w->memory.address, order);
    case HW_RT_NODE_CONDITIONAL: return run_condition(node, stream);
    default: return HW_RT_SUCCESS;
    }
}
