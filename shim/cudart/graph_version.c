// Calls of graphs that differ between versions of the runtime library: CUDA 13 has given the names of those that knew
// nothing of edges to those that do, which 12 calls cudaX_v2. Compiled once per version, as version.c.
#if HW_CUDART < 13
// Declared by our headers as CUDA 13 has them; defined below as this version does.
#define cudaGraphAddDependencies cudaGraphAddDependencies_of_13
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_of_13
#define cudaGraphGetEdges cudaGraphGetEdges_of_13
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_of_13
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_of_13
#define cudaGraphAddNode cudaGraphAddNode_of_13
#define cudaGraphInstantiate cudaGraphInstantiate_of_13
#define cudaGraphExecUpdate cudaGraphExecUpdate_of_13
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_of_13
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_of_13
#endif
#include "shim/cudart/graph.h"
#if HW_CUDART < 13
#undef cudaGraphAddDependencies
#undef cudaGraphRemoveDependencies
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphAddNode
#undef cudaGraphInstantiate
#undef cudaGraphExecUpdate
#undef cudaStreamGetCaptureInfo
#undef cudaStreamUpdateCaptureDependencies
#endif

// ---- with what is known of edges: the names of 12, and of 13 as well ----

HW_EXPORT cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                                  size_t count) {
    (void)edges;
    return hw_cudart_join(graph, from, to, count);
}

HW_EXPORT cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                                     size_t count) {
    (void)edges;
    return hw_cudart_part(graph, from, to, count);
}

HW_EXPORT cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                           cudaGraphEdgeData *edges, size_t *count) {
    return hw_cudart_graph_edges(graph, from, to, edges, count);
}

HW_EXPORT cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *out,
                                                      cudaGraphEdgeData *edges, size_t *count) {
    return hw_cudart_nodes_before(node, out, edges, count);
}

HW_EXPORT cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *out,
                                                        cudaGraphEdgeData *edges, size_t *count) {
    return hw_cudart_nodes_behind(node, out, edges, count);
}

HW_EXPORT cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          struct cudaGraphNodeParams *params) {
    (void)edges;
    return hw_cudart_add_node(node, graph, behind, count, params);
}

HW_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *on,
                                                             const cudaGraphEdgeData *edges, size_t count,
                                                             unsigned int flags) {
    (void)edges;
    return hw_cudart_capture_depend(stream, on, count, flags);
}

HW_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t stream, cudaGraphNode_t *on,
                                                                  const cudaGraphEdgeData *edges, size_t count,
                                                                  unsigned int flags) {
    return cudaStreamUpdateCaptureDependencies_v2(hw_of_thread(stream), on, edges, count, flags);
}

#if HW_CUDART == 13
HW_ALIAS(cudaGraphAddDependencies, cudaGraphAddDependencies_v2);
HW_ALIAS(cudaGraphRemoveDependencies, cudaGraphRemoveDependencies_v2);
HW_ALIAS(cudaGraphGetEdges, cudaGraphGetEdges_v2);
HW_ALIAS(cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2);
HW_ALIAS(cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2);
HW_ALIAS(cudaGraphAddNode, cudaGraphAddNode_v2);
HW_ALIAS(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_v2);
HW_ALIAS(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies_v2_ptsz);

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *graph,
                                               const cudaGraphNode_t **last, const cudaGraphEdgeData **edges,
                                               size_t *count) {
    return hw_cudart_capture_info(stream, status, id, graph, last, edges, count);
}

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                    unsigned long long *id, cudaGraph_t *graph,
                                                    const cudaGraphNode_t **last, const cudaGraphEdgeData **edges,
                                                    size_t *count) {
    return cudaStreamGetCaptureInfo(hw_of_thread(stream), status, id, graph, last, edges, count);
}

#else

// ---- without ----

HW_EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count) {
    return hw_cudart_join(graph, from, to, count);
}

HW_EXPORT cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, size_t count) {
    return hw_cudart_part(graph, from, to, count);
}

HW_EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                        size_t *count) {
    return hw_cudart_graph_edges(graph, from, to, NULL, count);
}

HW_EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *out, size_t *count) {
    return hw_cudart_nodes_before(node, out, NULL, count);
}

HW_EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *out, size_t *count) {
    return hw_cudart_nodes_behind(node, out, NULL, count);
}

HW_EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                       size_t count, struct cudaGraphNodeParams *params) {
    return hw_cudart_add_node(node, graph, behind, count, params);
}

HW_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *on, size_t count,
                                                          unsigned int flags) {
    return hw_cudart_capture_depend(stream, on, count, flags);
}

HW_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *on, size_t count,
                                                               unsigned int flags) {
    return cudaStreamUpdateCaptureDependencies(hw_of_thread(stream), on, count, flags);
}

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id) {
    return hw_cudart_capture_info(stream, status, id, NULL, NULL, NULL, NULL);
}

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                    unsigned long long *id) {
    return cudaStreamGetCaptureInfo(hw_of_thread(stream), status, id);
}

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                  unsigned long long *id, cudaGraph_t *graph,
                                                  const cudaGraphNode_t **last, size_t *count) {
    return hw_cudart_capture_info(stream, status, id, graph, last, NULL, count);
}

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                       unsigned long long *id, cudaGraph_t *graph,
                                                       const cudaGraphNode_t **last, size_t *count) {
    return cudaStreamGetCaptureInfo_v2(hw_of_thread(stream), status, id, graph, last, count);
}

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                  unsigned long long *id, cudaGraph_t *graph,
                                                  const cudaGraphNode_t **last, const cudaGraphEdgeData **edges,
                                                  size_t *count) {
    return hw_cudart_capture_info(stream, status, id, graph, last, edges, count);
}

HW_EXPORT cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                       unsigned long long *id, cudaGraph_t *graph,
                                                       const cudaGraphNode_t **last, const cudaGraphEdgeData **edges,
                                                       size_t *count) {
    return cudaStreamGetCaptureInfo_v3(hw_of_thread(stream), status, id, graph, last, edges, count);
}
#endif

// ---- as of 12 ----

#if HW_CUDART == 11
HW_EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *where, char *log,
                                           size_t bytes) {
    if (where) *where = NULL;
    if (log && bytes) *log = '\0';
    return hw_cudart_instantiate(exec, graph, 0);
}

HW_EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *where,
                                          enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateError};
    const cudaError_t error = hw_cudart_update(exec, graph, &info);
    if (where) *where = info.errorNode;
    if (result) *result = info.result;
    return error;
}
#else
HW_EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    return hw_cudart_instantiate(exec, graph, flags);
}

HW_EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                          cudaGraphExecUpdateResultInfo *info) {
    return hw_cudart_update(exec, graph, info);
}
#endif
