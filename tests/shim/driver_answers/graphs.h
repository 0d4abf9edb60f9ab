// Questions on graphs.
static void graph_in_itself(void) {
    CUgraph graph;
    CUgraphNode node;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddChildGraphNode(&node, graph, NULL, 0, graph));
}

static void graph_destroyed_twice(void) {
    CUgraph graph;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphDestroy(graph));
    ASK(cuGraphDestroy(graph));
}

static void node_destroyed_twice(void) {
    CUgraph graph;
    CUgraphNode node;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    ASK(cuGraphDestroyNode(node));
    ASK(cuGraphDestroyNode(node));
}

static void circle(void) {
    CUgraph graph;
    CUgraphNode a, b;
    CUgraphExec exec;
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddEmptyNode(&a, graph, NULL, 0));
    ASK(cuGraphAddEmptyNode(&b, graph, &a, 1));
    ASK(cuGraphAddDependencies(graph, &a, &b, NULL, 1));
    ASK(cuGraphAddDependencies(graph, &a, &a, NULL, 1));
    ASK(cuGraphAddDependencies(graph, &b, &a, NULL, 1));
    ASK(cuGraphInstantiate(&exec, graph, 0));
    ASK(cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    ASK(cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
    ASK(cuGraphInstantiate(&exec, graph, 0));
}

static void allocation_nodes(void) {
    CUgraph graph, clone;
    CUgraphNode node, set;
    CUgraphExec exec, twice;
    cuuint64_t used = 1, reserved = 1;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
                                        .bytesize = 1 << 20};
    ASK(cuGraphCreate(&graph, 0));
    ASK(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc));
    const CUDA_MEMSET_NODE_PARAMS nine = {.dst = alloc.dptr, .value = 9, .elementSize = 4, .width = 8, .height = 1};
    ASK(cuGraphAddMemsetNode(&set, graph, &node, 1, &nine, NULL));
    ASK(cuGraphClone(&clone, graph));
    ASK(cuGraphDestroyNode(node));
    ASK(cuMemsetD8(alloc.dptr, 1, 4));
    ASK(cuGraphInstantiate(&exec, graph, 0));
    ASK(cuGraphInstantiate(&twice, graph, 0));
    ASK(cuGraphLaunch(exec, stream));
    ASK(cuStreamSynchronize(stream));
    ASK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    ASK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    SAY(used);
    SAY(reserved);
    ASK(cuGraphLaunch(exec, stream));
    ASK(cuMemFreeAsync(alloc.dptr, stream));
    ASK(cuGraphLaunch(exec, stream));
    ASK(cuMemFree(alloc.dptr));
    ASK(cuMemFree(alloc.dptr));
    ASK(cuGraphExecDestroy(exec));
    ASK(cuDeviceGraphMemTrim(0));
    ASK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    SAY(reserved);
}
