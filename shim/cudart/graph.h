// What the files of graphs share. Handles are the runtime's objects.
#ifndef HW_SHIM_CUDART_GRAPH_H
#define HW_SHIM_CUDART_GRAPH_H

#include "shim/cudart/cudart.h"
#include "shim/graph.h"

static inline hw_rt_graph *hw_graph_of(cudaGraph_t graph) { return (hw_rt_graph *)graph; }
static inline hw_rt_node *hw_node_of(cudaGraphNode_t node) { return (hw_rt_node *)node; }
static inline hw_rt_exec *hw_exec_of(cudaGraphExec_t exec) { return (hw_rt_exec *)exec; }
static inline hw_rt_node **hw_nodes_of(cudaGraphNode_t *nodes) { return (hw_rt_node **)nodes; }
static inline hw_rt_node *const *hw_these_of(const cudaGraphNode_t *nodes) { return (hw_rt_node *const *)nodes; }

// What nodes do, as programs describe it. graph_work.c; array.c: a copy.
hw_rt_status hw_cudart_kernel_work(const struct cudaKernelNodeParams *params, hw_rt_work *out);
hw_rt_status hw_cudart_copy_work(const struct cudaMemcpy3DParms *params, hw_rt_work *out);
hw_rt_status hw_cudart_set_work(const struct cudaMemsetParams *params, hw_rt_work *out);
hw_rt_status hw_cudart_host_work(const struct cudaHostNodeParams *params, hw_rt_work *out);
hw_rt_status hw_cudart_symbol_work(const void *symbol, const void *other, size_t bytes, size_t offset, unsigned kind,
                                   bool to_symbol, hw_rt_work *out);
hw_rt_status hw_cudart_node_work(const struct cudaGraphNodeParams *params, hw_rt_work *out);
// Of memory and bodies that a node of these parameters has made.
void hw_cudart_give_answers(const hw_rt_node *node, struct cudaGraphNodeParams *params);

// ---- of the calls that every version of the library has in its own way (graph_version.c) ----

cudaError_t hw_cudart_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                  cudaGraphEdgeData *edges, size_t *count);
cudaError_t hw_cudart_nodes_before(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edges,
                                   size_t *count);
cudaError_t hw_cudart_nodes_behind(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edges,
                                   size_t *count);
cudaError_t hw_cudart_join(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
cudaError_t hw_cudart_part(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
cudaError_t hw_cudart_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind, size_t count,
                               struct cudaGraphNodeParams *params);
cudaError_t hw_cudart_instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t hw_cudart_update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
// What of a capture a program asks for; places of answers may be NULL, but for the status.
cudaError_t hw_cudart_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                   cudaGraph_t *graph, const cudaGraphNode_t **last, const cudaGraphEdgeData **edges,
                                   size_t *count);
cudaError_t hw_cudart_capture_depend(cudaStream_t stream, const cudaGraphNode_t *on, size_t count, unsigned flags);

#endif
