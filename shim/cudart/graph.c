// Graphs as a whole: made, copied, asked, drawn.
#include "shim/cudart/graph.h"

HW_EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
    HW_ENTER();
    if (!graph || flags) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_graph_create(hw_shim_runtime(), (hw_rt_graph **)graph));
}

HW_EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_graph_destroy(hw_shim_runtime(), hw_graph_of(graph)));
}

HW_EXPORT cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_node_destroy(hw_shim_runtime(), hw_node_of(node)));
}

HW_EXPORT cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    HW_ENTER();
    if (!clone) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_graph_clone(hw_shim_runtime(), hw_graph_of(graph), (hw_rt_graph **)clone));
}

HW_EXPORT cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_find_in_clone(hw_nodes_of(node), hw_node_of(original), hw_graph_of(clone)));
}

HW_EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_get_kind(hw_node_of(node), (int *)type));
}

HW_EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_list_nodes(hw_graph_of(graph), hw_nodes_of(nodes), count));
}

HW_EXPORT cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_list_roots(hw_graph_of(graph), hw_nodes_of(nodes), count));
}

cudaError_t hw_cudart_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                  cudaGraphEdgeData *edges, size_t *count) {
    HW_ENTER();
    const hw_rt_status status = hw_graph_list_edges(hw_graph_of(graph), hw_nodes_of(from), hw_nodes_of(to), count);
    if (!status && from) hw_graph_clear_edges(edges, *count, sizeof *edges);
    return hw_cudart_return(status);
}

cudaError_t hw_cudart_nodes_before(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edges,
                                   size_t *count) {
    HW_ENTER();
    const hw_rt_status status = hw_graph_list_before(hw_node_of(node), hw_nodes_of(out), count);
    if (!status && out) hw_graph_clear_edges(edges, *count, sizeof *edges);
    return hw_cudart_return(status);
}

cudaError_t hw_cudart_nodes_behind(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edges,
                                   size_t *count) {
    HW_ENTER();
    const hw_rt_status status = hw_graph_list_behind(hw_node_of(node), hw_nodes_of(out), count);
    if (!status && out) hw_graph_clear_edges(edges, *count, sizeof *edges);
    return hw_cudart_return(status);
}

cudaError_t hw_cudart_join(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_graph_join(hw_shim_runtime(), hw_graph_of(graph), hw_these_of(from), hw_these_of(to),
                                             count));
}

cudaError_t hw_cudart_part(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_graph_part(hw_shim_runtime(), hw_graph_of(graph), hw_these_of(from), hw_these_of(to),
                                             count));
}

HW_EXPORT cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
    HW_ENTER();
    (void)flags;
    return hw_cudart_return(hw_rt_graph_draw(hw_shim_runtime(), hw_graph_of(graph), path));
}

HW_EXPORT cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                                       unsigned int value, unsigned int flags) {
    HW_ENTER();
    if (!handle || flags & ~(unsigned)cudaGraphCondAssignDefault) return hw_cudart_return(HW_RT_INVALID_VALUE);
    uint64_t made;
    const hw_rt_status status = hw_rt_graph_condition(hw_shim_runtime(), hw_graph_of(graph), value, flags, &made);
    if (!status) *handle = made;
    return hw_cudart_return(status);
}

// ---- memory of graphs ----

static hw_rt_status check_device(int device) { return hw_rt_check_device(hw_shim_runtime(), device); }

HW_EXPORT cudaError_t cudaDeviceGraphMemTrim(int device) {
    HW_ENTER();
    const hw_rt_status status = check_device(device);
    if (!status) hw_rt_graph_memory_trim(hw_shim_runtime());
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    HW_ENTER();
    const hw_rt_status status = check_device(device);
    return hw_cudart_return(status ? status : hw_graph_get_memory(attr, value));
}

HW_EXPORT cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    HW_ENTER();
    const hw_rt_status status = check_device(device);
    return hw_cudart_return(status ? status : hw_graph_set_memory(attr, value));
}

// ---- objects of the program's ----

static hw_rt_user_object *object_of(cudaUserObject_t object) { return (hw_rt_user_object *)object; }

HW_EXPORT cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *user, cudaHostFn_t destroy,
                                           unsigned int count, unsigned int flags) {
    HW_ENTER();
    if (!object || flags != cudaUserObjectNoDestructorSync) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_user_object_create(hw_shim_runtime(), user, destroy, count,
                                                     (hw_rt_user_object **)object));
}

HW_EXPORT cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_user_object_retain(hw_shim_runtime(), object_of(object), count));
}

HW_EXPORT cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_user_object_release(hw_shim_runtime(), object_of(object), count));
}

HW_EXPORT cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                                unsigned int flags) {
    HW_ENTER();
    if (flags & ~(unsigned)cudaGraphUserObjectMove) return hw_cudart_return(HW_RT_INVALID_VALUE);
    return hw_cudart_return(hw_rt_graph_retain(hw_shim_runtime(), hw_graph_of(graph), object_of(object), count,
                                               flags & cudaGraphUserObjectMove));
}

HW_EXPORT cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_graph_release(hw_shim_runtime(), hw_graph_of(graph), object_of(object), count));
}
