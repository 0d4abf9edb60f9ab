// What both interfaces of CUDA have in common of graphs.
#include "shim/graph.h"

#include <string.h>

#include "shim/shim.h"

// ---- lists ----

// Of those that were written, and of those that are.
static void end_list(hw_rt_node **out, size_t *count, size_t there) {
    for (size_t i = there; out && i < *count; i++) out[i] = NULL;
    if (!out || there < *count) *count = there;
}

static bool is_graph(const hw_rt_graph *graph) { return hw_rt_is_graph(hw_shim_runtime(), graph); }
static bool is_node(const hw_rt_node *node) { return hw_rt_is_node(hw_shim_runtime(), node); }

hw_rt_status hw_graph_list_nodes(hw_rt_graph *graph, hw_rt_node **out, size_t *count) {
    if (!is_graph(graph) || !count) return HW_RT_INVALID_VALUE;
    end_list(out, count, hw_rt_graph_nodes(graph, out, *count));
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_list_roots(hw_rt_graph *graph, hw_rt_node **out, size_t *count) {
    if (!is_graph(graph) || !count) return HW_RT_INVALID_VALUE;
    end_list(out, count, hw_rt_graph_roots(graph, out, *count));
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_list_before(hw_rt_node *node, hw_rt_node **out, size_t *count) {
    if (!is_node(node) || !count) return HW_RT_INVALID_VALUE;
    end_list(out, count, hw_rt_node_before(node, out, *count));
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_list_behind(hw_rt_node *node, hw_rt_node **out, size_t *count) {
    if (!is_node(node) || !count) return HW_RT_INVALID_VALUE;
    end_list(out, count, hw_rt_node_behind(node, out, *count));
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_list_edges(hw_rt_graph *graph, hw_rt_node **from, hw_rt_node **to, size_t *count) {
    if (!is_graph(graph) || !count || !from != !to) return HW_RT_INVALID_VALUE;
    const size_t there = hw_rt_graph_edges(graph, from, to, from ? *count : 0);
    size_t room = *count;
    end_list(from, &room, there);
    end_list(to, count, there);
    return HW_RT_SUCCESS;
}

void hw_graph_clear_edges(void *out, size_t count, size_t bytes) {
    if (out) memset(out, 0, count * bytes);
}

// ---- work ----

hw_rt_work hw_graph_copy_work(const void *to, const void *from, size_t bytes, unsigned direction) {
    return (hw_rt_work){.kind = HW_RT_NODE_COPY,
                        .copy = {.to = {.start = (char *)to, .pitch = bytes},
                                 .from = {.start = (char *)from, .pitch = bytes},
                                 .shape = {bytes, 1, 1}, .direction = direction}};
}

hw_rt_status hw_graph_set_work(uint64_t to, size_t pitch, unsigned value, unsigned word_bytes, size_t width,
                               size_t height, hw_rt_work *out) {
    size_t bytes;
    const bool is_word = word_bytes == 1 || word_bytes == 2 || word_bytes == 4;
    if (!is_word || __builtin_mul_overflow(width, word_bytes, &bytes)) return HW_RT_INVALID_VALUE;
    *out = (hw_rt_work){.kind = HW_RT_NODE_SET,
                        .set = {.to = {.start = (char *)(uintptr_t)to, .pitch = pitch}, .word = value,
                                .word_bytes = word_bytes, .shape = {bytes, height, 1}}};
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_memory_work(int device, size_t bytes, hw_rt_work *out) {
    hw_runtime *gpu = hw_rt_gpu_at(hw_shim_runtime(), device);
    if (!gpu) return HW_RT_INVALID_VALUE;
    *out = (hw_rt_work){.kind = HW_RT_NODE_ALLOC, .memory = {.bytes = bytes, .gpu = gpu}};
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_add(hw_rt_graph *graph, hw_rt_node *const *behind, size_t n, const hw_rt_work *work,
                          hw_rt_node **out) {
    return out ? hw_rt_graph_add(hw_shim_runtime(), graph, behind, n, work, out) : HW_RT_INVALID_VALUE;
}

hw_rt_status hw_graph_change(hw_rt_node *node, const hw_rt_work *work) {
    return hw_rt_node_set_work(hw_shim_runtime(), node, work);
}

hw_rt_status hw_graph_change_exec(hw_rt_exec *exec, hw_rt_node *node, const hw_rt_work *work) {
    hw_rt_node *own = hw_rt_exec_node(hw_shim_runtime(), exec, node);
    return own ? hw_rt_node_set_work(hw_shim_runtime(), own, work) : HW_RT_INVALID_VALUE;
}

const hw_rt_work *hw_graph_work(hw_rt_node *node, hw_rt_node_kind kind) {
    return is_node(node) && hw_rt_node_work(node)->kind == kind ? hw_rt_node_work(node) : NULL;
}

// ---- questions and settings ----

hw_rt_status hw_graph_get_kind(hw_rt_node *node, int *kind) {
    if (!is_node(node) || !kind) return HW_RT_INVALID_VALUE;
    *kind = (int)hw_rt_node_work(node)->kind;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_set_enabled(hw_rt_exec *exec, hw_rt_node *node, unsigned is_enabled) {
    hw_rt_node *own = hw_rt_exec_node(hw_shim_runtime(), exec, node);
    if (!own || hw_rt_node_work(own)->kind > HW_RT_NODE_SET) return HW_RT_INVALID_VALUE;
    hw_rt_node_set_enabled(own, is_enabled);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_get_enabled(hw_rt_exec *exec, hw_rt_node *node, unsigned *is_enabled) {
    const hw_rt_node *own = hw_rt_exec_node(hw_shim_runtime(), exec, node);
    if (!own || !is_enabled) return HW_RT_INVALID_VALUE;
    *is_enabled = hw_rt_node_is_enabled(own);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_find_in_clone(hw_rt_node **out, hw_rt_node *original, hw_rt_graph *clone) {
    if (!out) return HW_RT_INVALID_VALUE;
    *out = hw_rt_node_in_clone(hw_shim_runtime(), original, clone);
    return *out ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
}

hw_rt_status hw_graph_get_inner(hw_rt_node *node, hw_rt_graph **out) {
    const hw_rt_work *work = hw_graph_work(node, HW_RT_NODE_GRAPH);
    if (!work || !out) return HW_RT_INVALID_VALUE;
    *out = work->graph;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_get_event(hw_rt_node *node, hw_rt_node_kind kind, hw_rt_event **out) {
    const hw_rt_work *work = hw_graph_work(node, kind);
    if (!work || !out) return HW_RT_INVALID_VALUE;
    *out = work->event;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_graph_instantiate(hw_rt_graph *graph, uint64_t flags, hw_rt_exec **out) {
    if (!out) return HW_RT_INVALID_VALUE;
    if (flags & HW_RT_EXEC_ON_DEVICE) return hw_shim_unsupported("an executable graph that kernels launch");
    return hw_rt_exec_create(hw_shim_runtime(), graph, flags, out);
}

hw_rt_status hw_graph_upload(hw_rt_exec *exec, hw_rt_stream *stream) {
    if (!hw_rt_is_exec(hw_shim_runtime(), exec)) return HW_RT_INVALID_VALUE;
    return hw_rt_is_stream(hw_shim_runtime(), stream) ? HW_RT_SUCCESS : HW_RT_INVALID_HANDLE;
}

hw_rt_status hw_graph_get_memory(unsigned attribute, uint64_t *value) {
    if (!value || attribute >= HW_RT_GRAPH_MEMORY_ATTRIBUTES) return HW_RT_INVALID_VALUE;
    *value = hw_rt_graph_memory(hw_shim_runtime(), attribute);
    return HW_RT_SUCCESS;
}

// The most can be set to zero, which means what is now.
hw_rt_status hw_graph_set_memory(unsigned attribute, const uint64_t *value) {
    if (!value || *value || attribute >= HW_RT_GRAPH_MEMORY_ATTRIBUTES || attribute % 2 == 0)
        return HW_RT_INVALID_VALUE;
    hw_rt_graph_memory_reset(hw_shim_runtime(), attribute);
    return HW_RT_SUCCESS;
}
