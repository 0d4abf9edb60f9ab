// Executable graphs: made, launched, given other work.
#include "base/alloc.h"
#include "shim/cuda/graph.h"

HW_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_instantiate(hw_graph_of(graph), flags, (hw_rt_exec **)exec));
}

HW_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *where, char *log,
                                         size_t bytes) {
    if (where) *where = NULL;
    if (log && bytes) *log = '\0';
    return cuGraphInstantiateWithFlags(exec, graph, 0);
}
HW_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);

HW_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                                     CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
    HW_ENTER();
    if (!params) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const CUresult result = cuGraphInstantiateWithFlags(exec, graph, params->flags);
    params->result_out = result ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
    params->hErrNode_out = NULL;
    return result;
}
HW_ALIAS(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams);

HW_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_exec_destroy(hw_shim_runtime(), hw_exec_of(exec)));
}

HW_EXPORT CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags) {
    HW_ENTER();
    if (!flags || !hw_rt_is_exec(hw_shim_runtime(), hw_exec_of(exec))) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *flags = hw_rt_exec_flags(hw_exec_of(exec));
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
    HW_ENTER();
    return hw_cuda_return(hw_rt_exec_launch(hw_shim_runtime(), hw_exec_of(exec), hw_stream_of(stream)));
}

HW_EXPORT CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream) {
    return cuGraphLaunch(exec, hw_of_thread(stream));
}

HW_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_upload(hw_exec_of(exec), hw_stream_of(stream)));
}
HW_ALIAS(cuGraphUpload_ptsz, cuGraphUpload);

HW_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
    HW_ENTER();
    hw_rt_update why;
    hw_rt_node *where;
    const hw_rt_status status =
        hw_rt_exec_update(hw_shim_runtime(), hw_exec_of(exec), hw_graph_of(graph), &why, &where);
    if (info)
        *info = (CUgraphExecUpdateResultInfo){.result = (CUgraphExecUpdateResult)why,
                                                .errorNode = (CUgraphNode)where};
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *where,
                                     CUgraphExecUpdateResult *why) {
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    const CUresult result = cuGraphExecUpdate_v2(exec, graph, &info);
    if (where) *where = info.errorNode;
    if (why) *why = info.result;
    return result;
}

HW_EXPORT CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned isEnabled) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_set_enabled(hw_exec_of(exec), hw_node_of(node), isEnabled));
}

HW_EXPORT CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *isEnabled) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_get_enabled(hw_exec_of(exec), hw_node_of(node), isEnabled));
}

// ---- other work ----

static CUresult change(CUgraphExec exec, CUgraphNode node, hw_rt_status status, const hw_rt_work *work) {
    return hw_cuda_return(status ? status : hw_graph_change_exec(hw_exec_of(exec), hw_node_of(node), work));
}

HW_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                     const CUDA_KERNEL_NODE_PARAMS *params) {
    HW_ENTER();
    hw_cuda_kernel_work kernel;
    const CUresult result = change(exec, node, hw_cuda_kernel_work_of(params, &kernel), &kernel.work);
    hw_free(kernel.pointers);
    return result;
}

HW_EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
    const CUDA_KERNEL_NODE_PARAMS newer = hw_cuda_newer_params(params);
    return cuGraphExecKernelNodeSetParams_v2(exec, node, params ? &newer : NULL);
}

HW_EXPORT CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_MEMCPY3D *params, CUcontext context) {
    HW_ENTER();
    hw_rt_work work;
    (void)context;
    return change(exec, node, hw_cuda_copy_work(params, &work), &work);
}

HW_EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
    HW_ENTER();
    hw_rt_work work;
    (void)context;
    return change(exec, node, hw_cuda_set_work(params, &work), &work);
}

HW_EXPORT CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                     const CUDA_HOST_NODE_PARAMS *params) {
    HW_ENTER();
    hw_rt_work work;
    return change(exec, node, hw_cuda_host_work(params, &work), &work);
}

HW_EXPORT CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                           CUgraph child) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_child_work(hw_graph_of(child));
    return change(exec, node, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                           CUevent event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_RECORD, hw_event_of(event));
    return change(exec, node, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                         CUevent event) {
    HW_ENTER();
    const hw_rt_work work = hw_graph_event_work(HW_RT_NODE_WAIT, hw_event_of(event));
    return change(exec, node, HW_RT_SUCCESS, &work);
}

HW_EXPORT CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params) {
    HW_ENTER();
    hw_cuda_kernel_work kernel;
    const CUresult result = change(exec, node, hw_cuda_node_work_of(params, &kernel), &kernel.work);
    hw_free(kernel.pointers);
    return result;
}
