// What nodes of graphs do, as programs describe it, and described to programs.
#include "shim/cuda/graph.h"

_Static_assert((int)CU_GRAPH_NODE_TYPE_CONDITIONAL == HW_RT_NODE_CONDITIONAL &&
               (int)CU_GRAPH_NODE_TYPE_MEM_FREE == HW_RT_NODE_FREE &&
               (int)CU_GRAPH_NODE_TYPE_EVENT_RECORD == HW_RT_NODE_RECORD, "the runtime numbers kinds as CUDA does");

CUDA_KERNEL_NODE_PARAMS hw_cuda_newer_params(const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    if (!p) return (CUDA_KERNEL_NODE_PARAMS){0};
    return (CUDA_KERNEL_NODE_PARAMS){.func = p->func, .gridDimX = p->gridDimX, .gridDimY = p->gridDimY,
                                     .gridDimZ = p->gridDimZ, .blockDimX = p->blockDimX, .blockDimY = p->blockDimY,
                                     .blockDimZ = p->blockDimZ, .sharedMemBytes = p->sharedMemBytes,
                                     .kernelParams = p->kernelParams, .extra = p->extra};
}

hw_rt_status hw_cuda_kernel_work_of(const CUDA_KERNEL_NODE_PARAMS *p, hw_cuda_kernel_work *out) {
    hw_rt_status status;
    out->pointers = NULL;
    if (!p) return HW_RT_INVALID_VALUE;
    const CUfunction named = p->func ? p->func : (CUfunction)p->kern;
    out->work = (hw_rt_work){.kind = HW_RT_NODE_KERNEL,
                             .kernel = {.args = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                                 .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                                 .dynamic_shared_bytes = p->sharedMemBytes,
                                                 .params = p->kernelParams},
                                        .name = named}};
    hw_rt_launch_args *args = &out->work.kernel.args;
    args->function = hw_cuda_function(named, &status);
    if (!status && p->extra && !p->kernelParams) {
        status = hw_cuda_point_into_buffer(args->function, p->extra, &out->pointers);
        args->params = out->pointers;
    }
    return status;
}

hw_rt_status hw_cuda_set_work(const CUDA_MEMSET_NODE_PARAMS *p, hw_rt_work *out) {
    if (!p) return HW_RT_INVALID_VALUE;
    return hw_graph_set_work(p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, out);
}

hw_rt_status hw_cuda_host_work(const CUDA_HOST_NODE_PARAMS *p, hw_rt_work *out) {
    if (!p) return HW_RT_INVALID_VALUE;
    *out = (hw_rt_work){.kind = HW_RT_NODE_HOST, .host = {p->fn, p->userData}};
    return HW_RT_SUCCESS;
}

hw_rt_status hw_cuda_node_work_of(const CUgraphNodeParams *p, hw_cuda_kernel_work *out) {
    hw_rt_work *work = &out->work;
    out->pointers = NULL;
    if (!p) return HW_RT_INVALID_VALUE;
    *work = (hw_rt_work){.kind = (hw_rt_node_kind)p->type};
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return hw_cuda_kernel_work_of(&p->kernel, out);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return hw_cuda_copy_work(&p->memcpy.copyParams, work);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return hw_graph_set_work(p->memset.dst, p->memset.pitch, p->memset.value, p->memset.elementSize,
                                 p->memset.width, p->memset.height, work);
    case CU_GRAPH_NODE_TYPE_HOST: return hw_cuda_host_work(&p->host, work);
    case CU_GRAPH_NODE_TYPE_GRAPH: work->graph = hw_graph_of(p->graph.graph); return HW_RT_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: work->event = hw_event_of(p->eventWait.event); return HW_RT_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: work->event = hw_event_of(p->eventRecord.event); return HW_RT_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return hw_graph_memory_work(p->alloc.poolProps.location.id, p->alloc.bytesize, work);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: work->memory.address = p->free.dptr; return HW_RT_SUCCESS;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        work->conditional.handle = p->conditional.handle;
        work->conditional.type = p->conditional.type;
        work->conditional.n_bodies = p->conditional.size;
        return HW_RT_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EMPTY: return HW_RT_SUCCESS;
    default: return hw_shim_unsupported("cuGraphAddNode of external semaphores or batches of memory operations");
    }
}

void hw_cuda_give_answers(const hw_rt_node *node, CUgraphNodeParams *p) {
    const hw_rt_work *work = hw_rt_node_work(node);
    if (work->kind == HW_RT_NODE_ALLOC) p->alloc.dptr = work->memory.address;
    if (work->kind == HW_RT_NODE_CONDITIONAL) p->conditional.phGraph_out = (CUgraph *)work->conditional.bodies;
}

// ---- described ----

HW_EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_KERNEL);
    if (!work || !p) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_launch_args *args = &work->kernel.args;
    *p = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)args->function, .gridDimX = args->grid[0],
                                   .gridDimY = args->grid[1], .gridDimZ = args->grid[2], .blockDimX = args->block[0],
                                   .blockDimY = args->block[1], .blockDimZ = args->block[2],
                                   .sharedMemBytes = (unsigned)args->dynamic_shared_bytes,
                                   .kernelParams = (void **)args->params, .ctx = hw_cuda_current()};
    if (work->kernel.name != args->function) p->kern = (CUkernel)work->kernel.name;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    CUDA_KERNEL_NODE_PARAMS newer;
    const CUresult result = cuGraphKernelNodeGetParams_v2(node, p ? &newer : NULL);
    if (result) return result;
    *p = (CUDA_KERNEL_NODE_PARAMS_v1){.func = newer.func, .gridDimX = newer.gridDimX, .gridDimY = newer.gridDimY,
                                      .gridDimZ = newer.gridDimZ, .blockDimX = newer.blockDimX,
                                      .blockDimY = newer.blockDimY, .blockDimZ = newer.blockDimZ,
                                      .sharedMemBytes = newer.sharedMemBytes, .kernelParams = newer.kernelParams};
    return CUDA_SUCCESS;
}

// An array is told as the memory that it is.
HW_EXPORT CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_COPY);
    if (!work || !p) return hw_cuda_return(HW_RT_INVALID_VALUE);
    const hw_rt_region *to = &work->copy.to, *from = &work->copy.from;
    *p = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = hw_address(from->start),
                         .srcPitch = from->pitch, .srcHeight = from->pitch ? from->slice / from->pitch : 0,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = hw_address(to->start),
                         .dstPitch = to->pitch, .dstHeight = to->pitch ? to->slice / to->pitch : 0,
                         .WidthInBytes = work->copy.shape.width, .Height = work->copy.shape.height,
                         .Depth = work->copy.shape.depth};
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_SET);
    if (!work || !p) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *p = (CUDA_MEMSET_NODE_PARAMS){.dst = hw_address(work->set.to.start), .pitch = work->set.to.pitch,
                                   .value = work->set.word, .elementSize = (unsigned)work->set.word_bytes,
                                   .width = work->set.shape.width / work->set.word_bytes,
                                   .height = work->set.shape.height};
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_HOST);
    if (!work || !p) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *p = (CUDA_HOST_NODE_PARAMS){work->host.call, work->host.user};
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_ALLOC);
    if (!work || !p) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *p = (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                    .location = {CU_MEM_LOCATION_TYPE_DEVICE,
                                                                 (int)hw_rt_number(work->memory.gpu)}},
                                      .bytesize = work->memory.bytes, .dptr = work->memory.address};
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_FREE);
    if (!work || !address) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *address = work->memory.address;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_get_inner(hw_node_of(node), (hw_rt_graph **)graph));
}

HW_EXPORT CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_get_event(hw_node_of(node), HW_RT_NODE_RECORD, (hw_rt_event **)event));
}

HW_EXPORT CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
    HW_ENTER();
    return hw_cuda_return(hw_graph_get_event(hw_node_of(node), HW_RT_NODE_WAIT, (hw_rt_event **)event));
}

// ---- attributes, of which one changes what a launch does ----

HW_EXPORT CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attr,
                                                      CUkernelNodeAttrValue *value) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_KERNEL);
    if (!work || !value) return hw_cuda_return(HW_RT_INVALID_VALUE);
    *value = (CUkernelNodeAttrValue){.pad = {0}};
    if (attr == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) value->cooperative = work->kernel.args.cooperative;
    return CUDA_SUCCESS;
}

HW_EXPORT CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attr,
                                                      const CUkernelNodeAttrValue *value) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_KERNEL);
    if (!work || !value) return hw_cuda_return(HW_RT_INVALID_VALUE);
    if (attr != CU_LAUNCH_ATTRIBUTE_COOPERATIVE) return CUDA_SUCCESS;
    hw_rt_work changed = *work;
    changed.kernel.args.cooperative = value->cooperative;
    return hw_cuda_return(hw_graph_change(hw_node_of(node), &changed));
}

HW_EXPORT CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    CUkernelNodeAttrValue value;
    const CUresult result = cuGraphKernelNodeGetAttribute(from, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value);
    return result ? result : cuGraphKernelNodeSetAttribute(to, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value);
}
