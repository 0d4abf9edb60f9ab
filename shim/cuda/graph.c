// Graphs as a whole: made, copied, asked, drawn.
#include "shim/cuda/graph.h"

HW_EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
    HW_ENTER();
    if (!graph || flags) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_graph_create(hw_shim_runtime(), (hw_rt_graph **)graph));
}

HW_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_graph_destroy(hw_shim_runtime(), hw_graph_of(graph)));
}

HW_EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_node_destroy(hw_shim_runtime(), hw_node_of(node)));
}

HW_EXPORT CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
    HW_ENTER();
    if (!clone) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_graph_clone(hw_shim_runtime(), hw_graph_of(graph), (hw_rt_graph **)clone));
}

HW_EXPORT CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_find_in_clone(hw_nodes_of(node), hw_node_of(original), hw_graph_of(clone)));
}

HW_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_get_kind(hw_node_of(node), (int *)type));
}

HW_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_list_nodes(hw_graph_of(graph), hw_nodes_of(nodes), count));
}

HW_EXPORT CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_list_roots(hw_graph_of(graph), hw_nodes_of(nodes), count));
}

// ---- dependencies, with what is known of each and without ----

HW_EXPORT CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                                      size_t *count) {
    HW_ENTER();
    const hw_rt_status status = hw_graph_list_edges(hw_graph_of(graph), hw_nodes_of(from), hw_nodes_of(to), count);
    if (!status && from) hw_graph_clear_edges(edges, *count, sizeof *edges);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
    return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

HW_EXPORT CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *edges,
                                                 size_t *count) {
    HW_ENTER();
    const hw_rt_status status = hw_graph_list_before(hw_node_of(node), hw_nodes_of(out), count);
    if (!status && out) hw_graph_clear_edges(edges, *count, sizeof *edges);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *out, size_t *count) {
    return cuGraphNodeGetDependencies_v2(node, out, NULL, count);
}

HW_EXPORT CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *edges,
                                                   size_t *count) {
    HW_ENTER();
    const hw_rt_status status = hw_graph_list_behind(hw_node_of(node), hw_nodes_of(out), count);
    if (!status && out) hw_graph_clear_edges(edges, *count, sizeof *edges);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *out, size_t *count) {
    return cuGraphNodeGetDependentNodes_v2(node, out, NULL, count);
}

HW_EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                          size_t count) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_graph_join(hw_shim_runtime(), hw_graph_of(graph), hw_these_of(from), hw_these_of(to),
                                           count));
}

HW_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                             const CUgraphEdgeData *edges, size_t count) {
    (void)edges;
    return cuGraphAddDependencies(graph, from, to, count);
}

HW_EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                             size_t count) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_graph_part(hw_shim_runtime(), hw_graph_of(graph), hw_these_of(from), hw_these_of(to),
                                           count));
}

HW_EXPORT CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                                const CUgraphEdgeData *edges, size_t count) {
    (void)edges;
    return cuGraphRemoveDependencies(graph, from, to, count);
}

// ---- pictures, conditions ----

HW_EXPORT CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
    HW_ENTER();
    (void)flags;
    return hw_cuda_return(hw_rt_graph_draw(hw_shim_runtime(), hw_graph_of(graph), path));
}

HW_EXPORT CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                                  unsigned value, unsigned flags) {
    HW_ENTER();
    (void)context;
    if (!handle || flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT) return hw_cuda_return(HW_RT_INVALID_VALUE);
    uint64_t made;
    const hw_rt_status status = hw_rt_graph_condition(hw_shim_runtime(), hw_graph_of(graph), value, flags, &made);
    if (!status) *handle = made;
    return hw_cuda_return(status);
}

// ---- memory of graphs ----

static hw_rt_status check_device(CUdevice device) { return hw_rt_check_device(hw_shim_runtime(), device); }

HW_EXPORT CUresult cuDeviceGraphMemTrim(CUdevice device) {
    HW_ENTER();
    const hw_rt_status status = check_device(device);
    if (!status) hw_rt_graph_memory_trim(hw_shim_runtime());
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
    HW_ENTER();
    const hw_rt_status status = check_device(device);
    return hw_cuda_return(status ? status : hw_graph_get_memory(attr, value));
}

HW_EXPORT CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
    HW_ENTER();
    const hw_rt_status status = check_device(device);
    return hw_cuda_return(status ? status : hw_graph_set_memory(attr, value));
}

// ---- objects of the program's ----

static hw_rt_user_object *object_of(CUuserObject object) { return (hw_rt_user_object *)object; }

HW_EXPORT CUresult cuUserObjectCreate(CUuserObject *object, void *user, CUhostFn destroy,
                                           unsigned count, unsigned flags) {
    HW_ENTER();
    if (!object || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_user_object_create(hw_shim_runtime(), user, destroy, count,
                                                     (hw_rt_user_object **)object));
}

HW_EXPORT CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_user_object_retain(hw_shim_runtime(), object_of(object), count));
}

HW_EXPORT CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_user_object_release(hw_shim_runtime(), object_of(object), count));
}

HW_EXPORT CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                                unsigned flags) {
    HW_ENTER();
    if (flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE) return hw_cuda_return(HW_RT_INVALID_VALUE);
    return hw_cuda_return(hw_rt_graph_retain(hw_shim_runtime(), hw_graph_of(graph), object_of(object), count,
                                               flags & CU_GRAPH_USER_OBJECT_MOVE));
}

HW_EXPORT CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_graph_release(hw_shim_runtime(), hw_graph_of(graph), object_of(object), count));
}
