// What the files of graphs share. Handles are the runtime's objects.
#ifndef HW_SHIM_CUDA_GRAPH_H
#define HW_SHIM_CUDA_GRAPH_H

#include "shim/cuda/driver.h"
#include "shim/graph.h"

static inline hw_rt_graph *hw_graph_of(CUgraph graph) { return (hw_rt_graph *)graph; }
static inline hw_rt_node *hw_node_of(CUgraphNode node) { return (hw_rt_node *)node; }
static inline hw_rt_exec *hw_exec_of(CUgraphExec exec) { return (hw_rt_exec *)exec; }
static inline hw_rt_node **hw_nodes_of(CUgraphNode *nodes) { return (hw_rt_node **)nodes; }
static inline hw_rt_node *const *hw_these_of(const CUgraphNode *nodes) { return (hw_rt_node *const *)nodes; }

// A node's work, and what of it was made for the description; freed with hw_free.
typedef struct hw_cuda_kernel_work {
    hw_rt_work work;
    void **pointers;                   // to parameters that came as a buffer; or NULL
} hw_cuda_kernel_work;

// launch.c: one pointer for each parameter, into the buffer of `extra`, freed with hw_free.
hw_rt_status hw_cuda_point_into_buffer(hw_rt_function *function, void **extra, void ***params);

// What nodes do, as programs describe it. graph_work.c; copy_array.c: a copy.
hw_rt_status hw_cuda_kernel_work_of(const CUDA_KERNEL_NODE_PARAMS *params, hw_cuda_kernel_work *out);
CUDA_KERNEL_NODE_PARAMS hw_cuda_newer_params(const CUDA_KERNEL_NODE_PARAMS_v1 *params);   // NULL is allowed
hw_rt_status hw_cuda_copy_work(const CUDA_MEMCPY3D *params, hw_rt_work *out);
hw_rt_status hw_cuda_set_work(const CUDA_MEMSET_NODE_PARAMS *params, hw_rt_work *out);
hw_rt_status hw_cuda_host_work(const CUDA_HOST_NODE_PARAMS *params, hw_rt_work *out);
hw_rt_status hw_cuda_node_work_of(const CUgraphNodeParams *params, hw_cuda_kernel_work *out);
// Of memory and bodies that a node of these parameters has made.
void hw_cuda_give_answers(const hw_rt_node *node, CUgraphNodeParams *params);

#endif
