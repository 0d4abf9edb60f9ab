// Nodes of graphs: made, and given other work.
#include "base/alloc.h"
#include "shim/cuda/graph.h"

// The status of describing the work comes first.
static CUresult add(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                       hw_rt_status status, const hw_rt_work *work) {
    if (!status) status = hw_graph_add(hw_graph_of(graph), hw_these_of(behind), count, work, hw_nodes_of(node));
    return hw_cuda_return(status);
}

static CUresult change(CUgraphNode node, hw_rt_status status, const hw_rt_work *work) {
    return hw_cuda_return(status ? status : hw_graph_change(hw_node_of(node), work));
}

// ---- kernels ----

HW_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
    HW_ENTER();
    hw_cuda_kernel_work kernel;
    const CUresult result = add(node, graph, behind, count, hw_cuda_kernel_work_of(params, &kernel), &kernel.work);
    hw_free(kernel.pointers);
    return result;
}

HW_EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
    const CUDA_KERNEL_NODE_PARAMS newer = hw_cuda_newer_params(params);
    return cuGraphAddKernelNode_v2(node, graph, behind, count, params ? &newer : NULL);
}

HW_EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
    HW_ENTER();
    hw_cuda_kernel_work kernel;
    const CUresult result = change(node, hw_cuda_kernel_work_of(params, &kernel), &kernel.work);
    hw_free(kernel.pointers);
    return result;
}

HW_EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
    const CUDA_KERNEL_NODE_PARAMS newer = hw_cuda_newer_params(params);
    return cuGraphKernelNodeSetParams_v2(node, params ? &newer : NULL);
}

// ---- copies ----

HW_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                             size_t count, const CUDA_MEMCPY3D *params,
                                        CUcontext context) {
    HW_ENTER();
    hw_rt_work work;
    (void)context;
    return add(node, graph, behind, count, hw_cuda_copy_work(params, &work), &work);
}

HW_EXPORT CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cuda_copy_work(params, &work), &work);
}

// ---- sets, functions of the host ----

HW_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                             size_t count, const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext context) {
    HW_ENTER();
    hw_rt_work work;
    if (!context) return hw_cuda_return(HW_RT_INVALID_VALUE);   // an H200's answer
    return add(node, graph, behind, count, hw_cuda_set_work(params, &work), &work);
}

HW_EXPORT CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cuda_set_work(params, &work), &work);
}

HW_EXPORT CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                           size_t count, const CUDA_HOST_NODE_PARAMS *params) {
    HW_ENTER();
    hw_rt_work work;
    return add(node, graph, behind, count, hw_cuda_host_work(params, &work), &work);
}

HW_EXPORT CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(node, hw_cuda_host_work(params, &work), &work);
}

// ---- graphs, events, nothing ----

HW_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                                 const CUgraphNode *behind, size_t count, CUgraph child) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_child_work(hw_graph_of(child));
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                            size_t count) {
    HW_ENTER();
    const hw_rt_work work = {.kind = HW_RT_NODE_EMPTY};
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                                  const CUgraphNode *behind, size_t count, CUevent event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_RECORD, hw_event_of(event));
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_RECORD, hw_event_of(event));
    return change(node, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                                size_t count, CUevent event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_WAIT, hw_event_of(event));
    return add(node, graph, behind, count, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_WAIT, hw_event_of(event));
    return change(node, HW_RT_SUCCESS, &work);
}

// ---- memory ----

HW_EXPORT CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                               size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
    HW_ENTER();
    if (!params) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_work work = {.kind = HW_RT_NODE_ALLOC, .memory = {.bytes = params->bytesize}};
    const CUresult result = add(node, graph, behind, count, HW_RT_SUCCESS, &work);
    if (!result) params->dptr = hw_rt_node_work(hw_node_of(*node))->memory.address;
    return result;
}

HW_EXPORT CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                              size_t count, CUdeviceptr address) {
    HW_ENTER();
    const hw_rt_work work = {.kind = HW_RT_NODE_FREE, .memory = {.address = address}};
    return add(node, graph, behind, count, address ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE, &work);
}

// ---- any ----

HW_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                                     const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params) {
    HW_ENTER();
    (void)edges;
    hw_cuda_kernel_work kernel;
    const CUresult result = add(node, graph, behind, count, hw_cuda_node_work_of(params, &kernel), &kernel.work);
    if (!result) hw_cuda_give_answers(hw_node_of(*node), params);
    hw_free(kernel.pointers);
    return result;
}

HW_EXPORT CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                  CUgraphNodeParams *params) {
    return cuGraphAddNode_v2(node, graph, behind, NULL, count, params);
}

HW_EXPORT CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
    HW_ENTER();
    hw_cuda_kernel_work kernel;
    const CUresult result = change(node, hw_cuda_node_work_of(params, &kernel), &kernel.work);
    hw_free(kernel.pointers);
    return result;
}
