// Nodes of graphs: made, and given other work.
#include "shim/cudart/graph.h"

// The status of describing the work comes first.
static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind, size_t count,
                       hw_rt_status status, const hw_rt_work *work) {
    if (!status) status = hw_graph_add(hw_graph_of(graph), hw_these_of(behind), count, work, hw_nodes_of(node));
    return hw_cudart_return(status);
}

static cudaError_t change(cudaGraphNode_t node, hw_rt_status status, const hw_rt_work *work) {
    return hw_cudart_return(status ? status : hw_graph_change(hw_node_of(node), work));
}

// ---- kernels ----

HW_EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                             size_t count, const struct cudaKernelNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return add(node, graph, behind, count, hw_cudart_kernel_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cudart_kernel_work(params, &work), &work);
}

// ---- copies ----

HW_EXPORT cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                             size_t count, const struct cudaMemcpy3DParms *params) {
    HW_ENTER();
    hw_rt_work work;
    return add(node, graph, behind, count, hw_cudart_copy_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cudart_copy_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                               size_t count, void *to, const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_copy_work(to, from, bytes, kind);
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                                     enum cudaMemcpyKind kind) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_copy_work(to, from, bytes, kind);
    return change(node, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                     const cudaGraphNode_t *behind, size_t count, const void *symbol,
                                                     const void *from, size_t bytes, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    HW_ENTER();
    hw_rt_work work;
    return add(node, graph, behind, count, hw_cudart_symbol_work(symbol, from, bytes, offset, kind, true, &work),
               &work);
}

HW_EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                           size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cudart_symbol_work(symbol, from, bytes, offset, kind, true, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                       const cudaGraphNode_t *behind, size_t count, void *to,
                                                       const void *symbol, size_t bytes, size_t offset,
                                                       enum cudaMemcpyKind kind) {
    HW_ENTER();
    hw_rt_work work;
    return add(node, graph, behind, count, hw_cudart_symbol_work(symbol, to, bytes, offset, kind, false, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol,
                                                             size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cudart_symbol_work(symbol, to, bytes, offset, kind, false, &work), &work);
}

// ---- sets, functions of the host ----

HW_EXPORT cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                             size_t count, const struct cudaMemsetParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return add(node, graph, behind, count, hw_cudart_set_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cudart_set_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                           size_t count, const struct cudaHostNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return add(node, graph, behind, count, hw_cudart_host_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cudart_host_work(params, &work), &work);
}

// ---- graphs, events, nothing ----

HW_EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *behind, size_t count, cudaGraph_t child) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_child_work(hw_graph_of(child));
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                            size_t count) {
    HW_ENTER();
    const hw_rt_work work = {.kind = HW_RT_NODE_EMPTY};
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *behind, size_t count, cudaEvent_t event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_RECORD, hw_event_of(event));
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_RECORD, hw_event_of(event));
    return change(node, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                                size_t count, cudaEvent_t event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_WAIT, hw_event_of(event));
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_WAIT, hw_event_of(event));
    return change(node, HW_RT_SUCCESS, &work);
}

// ---- memory ----

HW_EXPORT cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                               size_t count, struct cudaMemAllocNodeParams *params) {
    HW_ENTER();
    if (!params) return hw_cudart_return(HW_RT_INVALID_VALUE);
    const hw_rt_work work = {.kind = HW_RT_NODE_ALLOC, .memory = {.bytes = params->bytesize}};
    const cudaError_t error = add(node, graph, behind, count, HW_RT_SUCCESS, &work);
    if (!error) params->dptr = (void *)(uintptr_t)hw_rt_node_work(hw_node_of(*node))->memory.address;
    return error;
}

HW_EXPORT cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind,
                                              size_t count, void *address) {
    HW_ENTER();
    const hw_rt_work work = {.kind = HW_RT_NODE_FREE, .memory = {.address = hw_address(address)}};
    return add(node, graph, behind, count, address ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE, &work);
}

// ---- any ----

cudaError_t hw_cudart_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind, size_t count,
                               struct cudaGraphNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    const cudaError_t error = add(node, graph, behind, count, hw_cudart_node_work(params, &work), &work);
    if (!error) hw_cudart_give_answers(hw_node_of(*node), params);
    return error;
}

HW_EXPORT cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cudart_node_work(params, &work), &work);
}
