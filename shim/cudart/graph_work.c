// What nodes of graphs do, as programs describe it, and described to programs.
#include "shim/cudart/graph.h"
#include "shim/cudart/registry.h"

_Static_assert((int)cudaGraphNodeTypeConditional == HW_RT_NODE_CONDITIONAL &&
               (int)cudaGraphNodeTypeMemFree == HW_RT_NODE_FREE &&
               (int)cudaGraphNodeTypeEventRecord == HW_RT_NODE_RECORD, "the runtime numbers kinds as CUDA does");

static hw_rt_status kernel_work(const void *host, dim3 grid, dim3 block, size_t shared_bytes, void **params,
                                void **extra, hw_rt_work *out) {
    hw_rt_status status;
    if (extra) return hw_shim_unsupported("cudaGraphAddKernelNode with extra");
    *out = (hw_rt_work){.kind = HW_RT_NODE_KERNEL,
                        .kernel = {.args = {.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z},
                                            .dynamic_shared_bytes = shared_bytes, .params = params},
                                   .name = host}};
    out->kernel.args.function = (hw_rt_function *)host;   // a captured node's, which has no other name
    if (hw_rt_is_function(hw_shim_runtime(), (const hw_rt_function *)host)) return HW_RT_SUCCESS;
    out->kernel.args.function = hw_cudart_function(host, &status);
    return status;
}

hw_rt_status hw_cudart_kernel_work(const struct cudaKernelNodeParams *p, hw_rt_work *out) {
    if (!p) return HW_RT_INVALID_VALUE;
    return kernel_work(p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, p->extra, out);
}

hw_rt_status hw_cudart_set_work(const struct cudaMemsetParams *p, hw_rt_work *out) {
    if (!p) return HW_RT_INVALID_VALUE;
    return hw_graph_set_work(hw_address(p->dst), p->pitch, p->value, p->elementSize, p->width, p->height, out);
}

hw_rt_status hw_cudart_host_work(const struct cudaHostNodeParams *p, hw_rt_work *out) {
    if (!p) return HW_RT_INVALID_VALUE;
    *out = (hw_rt_work){.kind = HW_RT_NODE_HOST, .host = {p->fn, p->userData}};
    return HW_RT_SUCCESS;
}

hw_rt_status hw_cudart_symbol_work(const void *symbol, const void *other, size_t bytes, size_t offset, unsigned kind,
                                   bool to_symbol, hw_rt_work *out) {
    const hw_registered_variable *variable = hw_registry_variable(symbol);
    const uint64_t address = variable ? variable->addresses[hw_registry_gpu()] : 0;
    if (!address) return HW_RT_INVALID_SYMBOL;
    if (offset > variable->bytes || bytes > variable->bytes - offset) return HW_RT_INVALID_VALUE;
    const char *place = (const char *)(uintptr_t)address + offset;
    *out = to_symbol ? hw_graph_copy_work(place, other, bytes, kind) : hw_graph_copy_work(other, place, bytes, kind);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_cudart_node_work(const struct cudaGraphNodeParams *p, hw_rt_work *out) {
    if (!p) return HW_RT_INVALID_VALUE;
    *out = (hw_rt_work){.kind = (hw_rt_node_kind)p->type};
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return kernel_work(p->kernel.func, p->kernel.gridDim, p->kernel.blockDim, p->kernel.sharedMemBytes,
                           p->kernel.kernelParams, p->kernel.extra, out);
    case cudaGraphNodeTypeMemcpy: return hw_cudart_copy_work(&p->memcpy.copyParams, out);
    case cudaGraphNodeTypeMemset:
        return hw_graph_set_work(hw_address(p->memset.dst), p->memset.pitch, p->memset.value, p->memset.elementSize,
                                 p->memset.width, p->memset.height, out);
    case cudaGraphNodeTypeHost:
        out->host.call = p->host.fn;
        out->host.user = p->host.userData;
        return HW_RT_SUCCESS;
    case cudaGraphNodeTypeGraph: out->graph = hw_graph_of(p->graph.graph); return HW_RT_SUCCESS;
    case cudaGraphNodeTypeWaitEvent: out->event = hw_event_of(p->eventWait.event); return HW_RT_SUCCESS;
    case cudaGraphNodeTypeEventRecord: out->event = hw_event_of(p->eventRecord.event); return HW_RT_SUCCESS;
    case cudaGraphNodeTypeMemAlloc:
        return hw_graph_memory_work(p->alloc.poolProps.location.id, p->alloc.bytesize, out);
    case cudaGraphNodeTypeMemFree: out->memory.address = hw_address(p->free.dptr); return HW_RT_SUCCESS;
    case cudaGraphNodeTypeConditional:
        out->conditional.handle = p->conditional.handle;
        out->conditional.type = p->conditional.type;
        out->conditional.n_bodies = p->conditional.size;
        return HW_RT_SUCCESS;
    case cudaGraphNodeTypeEmpty: return HW_RT_SUCCESS;
    default: return hw_shim_unsupported("cudaGraphAddNode of external semaphores");
    }
}

void hw_cudart_give_answers(const hw_rt_node *node, struct cudaGraphNodeParams *p) {
    const hw_rt_work *work = hw_rt_node_work(node);
    if (work->kind == HW_RT_NODE_ALLOC) p->alloc.dptr = (void *)(uintptr_t)work->memory.address;
    if (work->kind == HW_RT_NODE_CONDITIONAL) p->conditional.phGraph_out = (cudaGraph_t *)work->conditional.bodies;
}

// ---- described ----

static dim3 dim3_of(const uint32_t size[3]) { return (dim3){size[0], size[1], size[2]}; }

HW_EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_KERNEL);
    if (!work || !p) return hw_cudart_return(HW_RT_INVALID_VALUE);
    const hw_rt_launch_args *args = &work->kernel.args;
    *p = (struct cudaKernelNodeParams){.func = (void *)work->kernel.name, .gridDim = dim3_of(args->grid),
                                       .blockDim = dim3_of(args->block),
                                       .sharedMemBytes = (unsigned)args->dynamic_shared_bytes,
                                       .kernelParams = (void **)args->params};
    return cudaSuccess;
}

static struct cudaPitchedPtr pitched(const hw_rt_region *region) {
    return (struct cudaPitchedPtr){.ptr = region->start, .pitch = region->pitch, .xsize = region->pitch,
                                   .ysize = region->pitch ? region->slice / region->pitch : 0};
}

// An array is told as the memory that it is.
HW_EXPORT cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_COPY);
    if (!work || !p) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *p = (struct cudaMemcpy3DParms){
        .srcPtr = pitched(&work->copy.from), .dstPtr = pitched(&work->copy.to),
        .extent = {work->copy.shape.width, work->copy.shape.height, work->copy.shape.depth},
        .kind = (enum cudaMemcpyKind)work->copy.direction};
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_SET);
    if (!work || !p) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *p = (struct cudaMemsetParams){.dst = work->set.to.start, .pitch = work->set.to.pitch, .value = work->set.word,
                                   .elementSize = (unsigned)work->set.word_bytes,
                                   .width = work->set.shape.width / work->set.word_bytes,
                                   .height = work->set.shape.height};
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_HOST);
    if (!work || !p) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *p = (struct cudaHostNodeParams){work->host.call, work->host.user};
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_ALLOC);
    if (!work || !p) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *p = (struct cudaMemAllocNodeParams){.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                       .location = {cudaMemLocationTypeDevice,
                                                                    (int)hw_rt_number(work->memory.gpu)}},
                                         .bytesize = work->memory.bytes,
                                         .dptr = (void *)(uintptr_t)work->memory.address};
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *address) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_FREE);
    if (!work || !address) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *(void **)address = (void *)(uintptr_t)work->memory.address;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_get_inner(hw_node_of(node), (hw_rt_graph **)graph));
}

HW_EXPORT cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_get_event(hw_node_of(node), HW_RT_NODE_RECORD, (hw_rt_event **)event));
}

HW_EXPORT cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    HW_ENTER();
    return hw_cudart_return(hw_graph_get_event(hw_node_of(node), HW_RT_NODE_WAIT, (hw_rt_event **)event));
}

// ---- attributes, of which one changes what a launch does ----

HW_EXPORT cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                                      cudaLaunchAttributeValue *value) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_KERNEL);
    if (!work || !value) return hw_cudart_return(HW_RT_INVALID_VALUE);
    *value = (cudaLaunchAttributeValue){.pad = {0}};
    if (attr == cudaLaunchAttributeCooperative) value->cooperative = work->kernel.args.cooperative;
    return cudaSuccess;
}

HW_EXPORT cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                                      const cudaLaunchAttributeValue *value) {
    HW_ENTER();
    const hw_rt_work *work = hw_graph_work(hw_node_of(node), HW_RT_NODE_KERNEL);
    if (!work || !value) return hw_cudart_return(HW_RT_INVALID_VALUE);
    if (attr != cudaLaunchAttributeCooperative) return cudaSuccess;
    hw_rt_work changed = *work;
    changed.kernel.args.cooperative = value->cooperative;
    return hw_cudart_return(hw_graph_change(hw_node_of(node), &changed));
}

HW_EXPORT cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    cudaLaunchAttributeValue value;
    const cudaError_t error = cudaGraphKernelNodeGetAttribute(from, cudaLaunchAttributeCooperative, &value);
    return error ? error : cudaGraphKernelNodeSetAttribute(to, cudaLaunchAttributeCooperative, &value);
}
