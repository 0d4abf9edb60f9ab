// Executable graphs: made, launched, given other work.
#include "shim/cudart/graph.h"

cudaError_t hw_cudart_instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_instantiate(hw_graph_of(graph), flags, (hw_rt_exec **)exec));
}

HW_EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                    unsigned long long flags) {
    return hw_cudart_instantiate(exec, graph, flags);
}

HW_EXPORT cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams *params) {
    HW_ENTER();
    if (!params) return hw_cudart_return(HW_RT_INVALID_VALUE);
    const cudaError_t error = hw_cudart_instantiate(exec, graph, params->flags);
    params->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    params->errNode_out = NULL;
    return error;
}
HW_ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

HW_EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_exec_destroy(hw_shim_runtime(), hw_exec_of(exec)));
}

HW_EXPORT cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    HW_ENTER();
    if (!flags || !hw_rt_is_exec(hw_shim_runtime(), hw_exec_of(exec))) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *flags = hw_rt_exec_flags(hw_exec_of(exec));
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    HW_ENTER();
    return hw_cudart_return(hw_rt_exec_launch(hw_shim_runtime(), hw_exec_of(exec), hw_stream_of(stream)));
}

HW_EXPORT cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
    return cudaGraphLaunch(exec, hw_of_thread(stream));
}

HW_EXPORT cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_upload(hw_exec_of(exec), hw_stream_of(stream)));
}
HW_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);

cudaError_t hw_cudart_update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    HW_ENTER();
    hw_rt_update why;
    hw_rt_node *where;
    const hw_rt_status status =
        hw_rt_exec_update(hw_shim_runtime(), hw_exec_of(exec), hw_graph_of(graph), &why, &where);
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){.result = (enum cudaGraphExecUpdateResult)why,
                                                .errorNode = (cudaGraphNode_t)where};
    return hw_cudart_return(status);
}

HW_EXPORT cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int isEnabled) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_set_enabled(hw_exec_of(exec), hw_node_of(node), isEnabled));
}

HW_EXPORT cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *isEnabled) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_get_enabled(hw_exec_of(exec), hw_node_of(node), isEnabled));
}

// ---- other work ----

static cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, hw_rt_status status, const hw_rt_work *work) {
    return hw_cudart_return(status ? status : hw_graph_change_exec(hw_exec_of(exec), hw_node_of(node), work));
}

HW_EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       const struct cudaKernelNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cudart_kernel_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       const struct cudaMemcpy3DParms *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cudart_copy_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                         const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_copy_work(to, from, bytes, kind);
    return change(exec, node, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                               const void *symbol, const void *from, size_t bytes,
                                                               size_t offset, enum cudaMemcpyKind kind) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cudart_symbol_work(symbol, from, bytes, offset, kind, true, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                                 const void *symbol, size_t bytes, size_t offset,
                                                                 enum cudaMemcpyKind kind) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cudart_symbol_work(symbol, to, bytes, offset, kind, false, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       const struct cudaMemsetParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cudart_set_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const struct cudaHostNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cudart_host_work(params, &work), &work);
}

HW_EXPORT cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                           cudaGraph_t child) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_child_work(hw_graph_of(child));
    return change(exec, node, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                           cudaEvent_t event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_RECORD, hw_event_of(event));
    return change(exec, node, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                         cudaEvent_t event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_WAIT, hw_event_of(event));
    return change(exec, node, HW_RT_SUCCESS, &work);
}

HW_EXPORT cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 struct cudaGraphNodeParams *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cudart_node_work(params, &work), &work);
}
