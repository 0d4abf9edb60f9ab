// What both interfaces of CUDA have in common of graphs: the same calls under two names, whose types have the same
// layout where they are not the same.
#ifndef HW_SHIM_GRAPH_H
#define HW_SHIM_GRAPH_H

#include "runtime/graph.h"

// Lists, as CUDA gives them: where the list's place is NULL, *count is how many there are; else how many it has room
// for, and then how many were written; what is left of the room is NULL. HW_RT_INVALID_VALUE.
hw_rt_status hw_graph_list_nodes(hw_rt_graph *graph, hw_rt_node **out, size_t *count);
hw_rt_status hw_graph_list_roots(hw_rt_graph *graph, hw_rt_node **out, size_t *count);
hw_rt_status hw_graph_list_before(hw_rt_node *node, hw_rt_node **out, size_t *count);
hw_rt_status hw_graph_list_behind(hw_rt_node *node, hw_rt_node **out, size_t *count);
hw_rt_status hw_graph_list_edges(hw_rt_graph *graph, hw_rt_node **from, hw_rt_node **to, size_t *count);
// What is known of each of these edges: nothing but that it is one. out may be NULL.
void hw_graph_clear_edges(void *out, size_t count, size_t bytes);

// A copy of bytes, and a set of a region; HW_RT_INVALID_VALUE.
hw_rt_work hw_graph_copy_work(const void *to, const void *from, size_t bytes, unsigned direction);
hw_rt_status hw_graph_set_work(uint64_t to, size_t pitch, unsigned value, unsigned word_bytes, size_t width,
                               size_t height, hw_rt_work *out);

// Memory of that GPU; HW_RT_INVALID_VALUE.
hw_rt_status hw_graph_memory_work(int device, size_t bytes, hw_rt_work *out);

// What nodes do that have a graph inside, and those that record an event or wait for it.
static inline hw_rt_work hw_graph_child_work(hw_rt_graph *child) {
    return (hw_rt_work){.kind = HW_RT_NODE_GRAPH, .graph = child};
}
static inline hw_rt_work hw_graph_event_work(hw_rt_node_kind kind, hw_rt_event *event) {
    return (hw_rt_work){.kind = kind, .event = event};
}

hw_rt_status hw_graph_add(hw_rt_graph *graph, hw_rt_node *const *behind, size_t n, const hw_rt_work *work,
                          hw_rt_node **out);
hw_rt_status hw_graph_change(hw_rt_node *node, const hw_rt_work *work);
hw_rt_status hw_graph_change_exec(hw_rt_exec *exec, hw_rt_node *node, const hw_rt_work *work);
// The work of a node of that kind; NULL: it is none.
const hw_rt_work *hw_graph_work(hw_rt_node *node, hw_rt_node_kind kind);

hw_rt_status hw_graph_get_kind(hw_rt_node *node, int *kind);
hw_rt_status hw_graph_set_enabled(hw_rt_exec *exec, hw_rt_node *node, unsigned is_enabled);
hw_rt_status hw_graph_get_enabled(hw_rt_exec *exec, hw_rt_node *node, unsigned *is_enabled);
hw_rt_status hw_graph_find_in_clone(hw_rt_node **out, hw_rt_node *original, hw_rt_graph *clone);
hw_rt_status hw_graph_get_inner(hw_rt_node *node, hw_rt_graph **out);
hw_rt_status hw_graph_get_event(hw_rt_node *node, hw_rt_node_kind kind, hw_rt_event **out);
hw_rt_status hw_graph_instantiate(hw_rt_graph *graph, uint64_t flags, hw_rt_exec **out);
// Whether the executable graph could be launched; the memory it needs is there already.
hw_rt_status hw_graph_upload(hw_rt_exec *exec, hw_rt_stream *stream);
hw_rt_status hw_graph_get_memory(unsigned attribute, uint64_t *value);
hw_rt_status hw_graph_set_memory(unsigned attribute, const uint64_t *value);

#endif
