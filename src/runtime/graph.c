// Graphs, their nodes, and what depends on what.
#include "runtime/graph.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/graph_node.h"

bool hw_rt_is_graph(hw_runtime *runtime, const hw_rt_graph *graph) {
    return hw_rt_handles_have(hw_rt_graph_handles(runtime), HW_RT_GRAPH, graph);
}

bool hw_rt_is_node(hw_runtime *runtime, const hw_rt_node *node) {
    return hw_rt_handles_have(hw_rt_graph_handles(runtime), HW_RT_NODE, node);
}

const hw_rt_work *hw_rt_node_work(const hw_rt_node *node) { return &node->work; }
void hw_rt_node_set_enabled(hw_rt_node *node, bool is_enabled) { node->is_off = !is_enabled; }
bool hw_rt_node_is_enabled(const hw_rt_node *node) { return !node->is_off; }

void hw_rt_origin_release(hw_rt_origin *origin) {
    if (origin && atomic_fetch_sub(&origin->n_holders, 1) == 1) hw_free(origin);
}

static hw_rt_graph *make_graph(hw_runtime *runtime, bool is_inner) {
    hw_rt_origin *origin = hw_calloc(1, sizeof *origin);
    hw_rt_graph *made =
        origin ? hw_rt_handles_make(hw_rt_graph_handles(runtime), HW_RT_GRAPH, sizeof *made) : NULL;
    if (!made) {
        hw_free(origin);
        return NULL;
    }
    atomic_store(&origin->n_holders, 1);
    made->origin = origin;
    made->is_inner = is_inner;
    return made;
}

hw_rt_status hw_rt_graph_create(hw_runtime *runtime, hw_rt_graph **out) {
    HW_RT_ENTER(runtime);
    *out = make_graph(runtime, false);
    return *out ? HW_RT_SUCCESS : HW_RT_NO_MEMORY;
}

static void free_node(hw_rt_node *node) {
    if (node->work.kind == HW_RT_NODE_CONDITIONAL) hw_free(node->work.conditional.bodies);
    hw_free(node->params);
    hw_free(node->before);
    hw_free(node);
}

void hw_rt_free_graph(hw_rt_graph *graph) {
    for (size_t i = 0; i < graph->n_nodes; i++) free_node(graph->nodes[i]);
    hw_rt_kept_free(graph);
    hw_rt_origin_release(graph->origin);
    hw_free(graph->nodes);
    hw_free(graph->conditions);
    hw_free(graph->order);
    hw_free(graph->lanes);
    hw_free(graph);
}

void hw_rt_graph_forget(hw_runtime *runtime, hw_rt_graph *graph) {
    hw_rt_handles_remove(hw_rt_graph_handles(runtime), HW_RT_GRAPH, graph);
    hw_rt_graph_unplan(runtime, graph);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        hw_rt_handles_remove(hw_rt_graph_handles(runtime), HW_RT_NODE, graph->nodes[i]);
        hw_rt_node_drop(graph->nodes[i]);
    }
    hw_rt_kept_release(runtime, graph);
    hw_rt_free_graph(graph);
}

hw_rt_status hw_rt_graph_destroy(hw_runtime *runtime, hw_rt_graph *graph) {
    if (!hw_rt_is_graph(runtime, graph) || graph->is_inner) return HW_RT_INVALID_VALUE;
    hw_rt_graph_forget(runtime, graph);
    return HW_RT_SUCCESS;
}

// ---- nodes ----

static bool add_before(hw_rt_node *node, hw_rt_node *before) {
    if (!hw_grow((void **)&node->before, node->n_before, &node->before_capacity, sizeof *node->before)) return false;
    node->before[node->n_before++] = before;
    return true;
}

static hw_rt_node **find_before(const hw_rt_node *node, const hw_rt_node *before) {
    for (size_t i = 0; i < node->n_before; i++)
        if (node->before[i] == before) return &node->before[i];
    return NULL;
}

// Without its work.
static hw_rt_node *make_node(hw_runtime *runtime, hw_rt_graph *graph) {
    if (!hw_grow((void **)&graph->nodes, graph->n_nodes, &graph->capacity, sizeof *graph->nodes)) return NULL;
    hw_rt_node *made = hw_rt_handles_make(hw_rt_graph_handles(runtime), HW_RT_NODE, sizeof *made);
    if (!made) return NULL;
    made->graph = graph;
    made->gpu = runtime;
    made->index = graph->n_nodes;
    made->work.kind = HW_RT_NODE_EMPTY;
    graph->nodes[graph->n_nodes++] = made;
    return made;
}

// What depended on it does no longer.
static void take_out(hw_rt_node *node) {
    hw_rt_graph *graph = node->graph;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        hw_rt_node *other = graph->nodes[i], **place = find_before(other, node);
        if (place) *place = other->before[--other->n_before];
    }
    memmove(&graph->nodes[node->index], &graph->nodes[node->index + 1],
            (--graph->n_nodes - node->index) * sizeof node);
    for (size_t i = node->index; i < graph->n_nodes; i++) graph->nodes[i]->index = i;
}

static void destroy_node(hw_runtime *runtime, hw_rt_node *node) {
    hw_rt_handles_remove(hw_rt_graph_handles(runtime), HW_RT_NODE, node);
    hw_rt_node_drop(node);
    take_out(node);
    free_node(node);
}

hw_rt_status hw_rt_graph_add(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_node *const *behind, size_t n,
                             const hw_rt_work *work, hw_rt_node **out) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_graph(runtime, graph) || (n && !behind)) return HW_RT_INVALID_VALUE;
    for (size_t i = 0; i < n; i++)
        if (!hw_rt_is_node(runtime, behind[i]) || behind[i]->graph != graph) return HW_RT_INVALID_VALUE;
    hw_rt_node *made = make_node(runtime, graph);
    if (!made) return HW_RT_NO_MEMORY;
    hw_rt_status status = hw_rt_node_keep(made, work);
    for (size_t i = 0; !status && i < n; i++)
        if (!find_before(made, behind[i]) && !add_before(made, behind[i])) status = HW_RT_NO_MEMORY;
    if (status) destroy_node(runtime, made);
    else *out = made;
    return status;
}

// What CUDA's programming guide keeps graphs from that have memory ("Graph Memory Nodes"): being copied, being
// instantiated twice at a time, losing such a node.
static bool is_of_memory(const hw_rt_node *node) {
    return node->work.kind == HW_RT_NODE_ALLOC || node->work.kind == HW_RT_NODE_FREE;
}

bool hw_rt_graph_has_memory(const hw_rt_graph *graph) {
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (is_of_memory(graph->nodes[i])) return true;
    return false;
}

hw_rt_status hw_rt_node_destroy(hw_runtime *runtime, hw_rt_node *node) {
    if (!hw_rt_is_node(runtime, node)) return HW_RT_INVALID_VALUE;
    if (is_of_memory(node)) return HW_RT_NOT_SUPPORTED;
    destroy_node(runtime, node);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_node_set_work(hw_runtime *runtime, hw_rt_node *node, const hw_rt_work *work) {
    HW_RT_ENTER(runtime);
    const bool is_fixed = work->kind == HW_RT_NODE_CONDITIONAL || work->kind == HW_RT_NODE_ALLOC;
    if (!hw_rt_is_node(runtime, node) || node->work.kind != work->kind || is_fixed) return HW_RT_INVALID_VALUE;
    const hw_runtime *gpu = node->gpu;
    const hw_rt_status status = hw_rt_node_keep(node, work);
    const bool is_planned = node->graph->order != NULL;
    return !status && is_planned && node->gpu != gpu ? hw_rt_graph_plan(runtime, node->graph) : status;
}

// ---- copies ----

// The nodes of both graphs are in the same order.
static bool copy_dependencies(const hw_rt_graph *from, hw_rt_graph *to) {
    for (size_t i = 0; i < from->n_nodes; i++)
        for (size_t k = 0; k < from->nodes[i]->n_before; k++)
            if (!add_before(to->nodes[i], to->nodes[from->nodes[i]->before[k]->index])) return false;
    return true;
}

static bool copy_node(const hw_rt_node *from, hw_rt_graph *to) {
    hw_rt_node *made = make_node(from->gpu, to);
    if (!made) return false;
    made->copy_of = from;
    made->is_off = from->is_off;
    if (from->block) {                     // the copy's work takes the same address
        made->block = from->block;
        made->block->refs++;
    }
    return !hw_rt_node_keep(made, &from->work);
}

static bool copy_conditions(const hw_rt_graph *from, hw_rt_graph *to) {
    if (!from->n_conditions) return true;
    to->conditions = hw_calloc(from->n_conditions, sizeof *to->conditions);
    if (!to->conditions) return false;
    memcpy(to->conditions, from->conditions, from->n_conditions * sizeof *to->conditions);
    to->n_conditions = to->conditions_capacity = from->n_conditions;
    return true;
}

hw_rt_graph *hw_rt_graph_copy(hw_runtime *runtime, const hw_rt_graph *graph, bool is_inner) {
    hw_rt_graph *made = make_graph(runtime, is_inner);
    bool good = made && copy_conditions(graph, made);
    for (size_t i = 0; good && i < graph->n_nodes; i++) good = copy_node(graph->nodes[i], made);
    good = good && copy_dependencies(graph, made) && hw_rt_kept_copy(graph, made);
    if (!good && made) hw_rt_graph_forget(runtime, made);
    return good ? made : NULL;
}

hw_rt_status hw_rt_graph_clone(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_graph **out) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_graph(runtime, graph)) return HW_RT_INVALID_VALUE;
    if (hw_rt_graph_has_memory(graph)) return HW_RT_NOT_SUPPORTED;
    *out = hw_rt_graph_copy(runtime, graph, false);
    return *out ? HW_RT_SUCCESS : HW_RT_NO_MEMORY;
}

hw_rt_node *hw_rt_node_in_clone(hw_runtime *runtime, hw_rt_node *original, hw_rt_graph *clone) {
    if (!hw_rt_is_graph(runtime, clone) || !hw_rt_is_node(runtime, original)) return NULL;
    for (size_t i = 0; i < clone->n_nodes; i++)
        if (clone->nodes[i]->copy_of == original) return clone->nodes[i];
    return NULL;
}

// ---- dependencies ----

static bool are_nodes_of(hw_runtime *runtime, const hw_rt_graph *graph, const hw_rt_node *one,
                         const hw_rt_node *other) {
    return hw_rt_is_node(runtime, one) && hw_rt_is_node(runtime, other) && one->graph == graph &&
           other->graph == graph && one != other;
}

hw_rt_status hw_rt_graph_join(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_node *const *from, hw_rt_node *const *to,
                              size_t n) {
    if (!hw_rt_is_graph(runtime, graph) || (n && (!from || !to))) return HW_RT_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) {
        if (!are_nodes_of(runtime, graph, from[i], to[i]) || find_before(to[i], from[i])) return HW_RT_INVALID_VALUE;
        if (!add_before(to[i], from[i])) return HW_RT_NO_MEMORY;
    }
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_graph_part(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_node *const *from, hw_rt_node *const *to,
                              size_t n) {
    if (!hw_rt_is_graph(runtime, graph) || (n && (!from || !to))) return HW_RT_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) {
        if (!are_nodes_of(runtime, graph, from[i], to[i])) return HW_RT_INVALID_VALUE;
        hw_rt_node **place = find_before(to[i], from[i]);
        if (!place) return HW_RT_INVALID_VALUE;
        *place = to[i]->before[--to[i]->n_before];
    }
    return HW_RT_SUCCESS;
}

static size_t list(hw_rt_node *const *nodes, size_t count, hw_rt_node **out, size_t n) {
    for (size_t i = 0; out && i < count && i < n; i++) out[i] = nodes[i];
    return count;
}

size_t hw_rt_graph_nodes(const hw_rt_graph *graph, hw_rt_node **out, size_t n) {
    return list(graph->nodes, graph->n_nodes, out, n);
}

size_t hw_rt_node_before(const hw_rt_node *node, hw_rt_node **out, size_t n) {
    return list(node->before, node->n_before, out, n);
}

size_t hw_rt_graph_roots(const hw_rt_graph *graph, hw_rt_node **out, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        if (graph->nodes[i]->n_before) continue;
        if (out && count < n) out[count] = graph->nodes[i];
        count++;
    }
    return count;
}

size_t hw_rt_node_behind(const hw_rt_node *node, hw_rt_node **out, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < node->graph->n_nodes; i++) {
        if (!find_before(node->graph->nodes[i], node)) continue;
        if (out && count < n) out[count] = node->graph->nodes[i];
        count++;
    }
    return count;
}

size_t hw_rt_graph_edges(const hw_rt_graph *graph, hw_rt_node **from, hw_rt_node **to, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        for (size_t k = 0; k < graph->nodes[i]->n_before; k++, count++) {
            if (count >= n) continue;
            if (from) from[count] = graph->nodes[i]->before[k];
            if (to) to[count] = graph->nodes[i];
        }
    }
    return count;
}

// The nodes that are reached, each once.
bool hw_rt_node_comes_before(const hw_rt_node *node, hw_rt_node *const *last, size_t n) {
    const hw_rt_graph *graph = node->graph;
    const hw_rt_node **open = hw_calloc(graph->n_nodes + 1, sizeof *open);
    bool *is_seen = hw_calloc(graph->n_nodes + 1, sizeof *is_seen), found = false;
    size_t n_open = 0;
    for (size_t i = 0; open && is_seen && i < n; i++) {
        if (!is_seen[last[i]->index]) open[n_open++] = last[i];
        is_seen[last[i]->index] = true;
    }
    while (n_open && !found) {
        const hw_rt_node *at = open[--n_open];
        found = at == node;
        for (size_t i = 0; i < at->n_before; i++) {
            const hw_rt_node *next = at->before[i];
            if (!is_seen[next->index]) open[n_open++] = next;
            is_seen[next->index] = true;
        }
    }
    hw_free(open);
    hw_free(is_seen);
    return found;
}

// ---- pictures ----

static const char *const kind_names[] = {
    [HW_RT_NODE_KERNEL] = "kernel", [HW_RT_NODE_COPY] = "copy", [HW_RT_NODE_SET] = "set", [HW_RT_NODE_HOST] = "host",
    [HW_RT_NODE_GRAPH] = "graph", [HW_RT_NODE_EMPTY] = "empty", [HW_RT_NODE_WAIT] = "wait for event",
    [HW_RT_NODE_RECORD] = "record event", [HW_RT_NODE_ALLOC] = "allocate", [HW_RT_NODE_FREE] = "free",
    [HW_RT_NODE_CONDITIONAL] = "conditional",
};

hw_rt_status hw_rt_graph_draw(hw_runtime *runtime, const hw_rt_graph *graph, const char *path) {
    if (!hw_rt_is_graph(runtime, graph) || !path) return HW_RT_INVALID_VALUE;
    FILE *file = fopen(path, "w");
    if (!file) return HW_RT_NO_FILE;
    fprintf(file, "digraph graph_ {\n");
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const hw_rt_work *work = &graph->nodes[i]->work;
        const char *name = NULL;
        if (work->kind == HW_RT_NODE_KERNEL) hw_rt_function_get_name(runtime, work->kernel.args.function, &name);
        fprintf(file, "    n%zu [label=\"%zu %s%s%s\"];\n", i, i, kind_names[work->kind], name ? " " : "",
                name ? name : "");
        for (size_t k = 0; k < graph->nodes[i]->n_before; k++)
            fprintf(file, "    n%zu -> n%zu;\n", graph->nodes[i]->before[k]->index, i);
    }
    fprintf(file, "}\n");
    const bool is_written = !ferror(file);
    return fclose(file) == 0 && is_written ? HW_RT_SUCCESS : HW_RT_NO_FILE;
}
