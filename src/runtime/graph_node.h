// What the files of graphs know of them. Internal to runtime/.
#ifndef HW_RUNTIME_GRAPH_NODE_H
#define HW_RUNTIME_GRAPH_NODE_H

#include "runtime/graph.h"
#include "runtime/internal.h"

// Memory that an ALLOC node gives out: its address is the same in every launch, in the graph and all its copies.
typedef struct hw_rt_graph_block {
    struct hw_rt_graph_block *next;        // of all that there are
    uint64_t address, bytes, epoch;
    unsigned refs;                         // nodes
    bool is_given;                         // between the work of an ALLOC and that of a FREE
} hw_rt_graph_block;

typedef struct hw_rt_condition {
    uint64_t handle;
    uint32_t value;
    bool is_set;
} hw_rt_condition;

// Held by a graph and by the executable graphs that were made of it, of which any may go first, in any thread.
typedef struct hw_rt_origin {
    atomic_uint n_holders;
} hw_rt_origin;

struct hw_rt_node {
    hw_rt_graph *graph;
    hw_runtime *gpu;                       // whose work it is
    hw_rt_work work;
    void *params;                          // what a kernel's parameters point to
    hw_rt_graph_block *block;              // of ALLOC
    const hw_rt_node *copy_of;             // the node of the graph that this one's was copied from
    hw_rt_node **before;                   // it depends on these
    size_t n_before, before_capacity;
    size_t index;                          // in the graph
    bool is_off;                           // of executable graphs: it does nothing
    uint32_t lane;                         // likewise: which of the graph's streams it is done in
    hw_rt_event *done;                     // likewise: for those in other lanes that depend on it; or NULL
    size_t n_left;                         // while an order is looked for
};

struct hw_rt_graph {
    hw_rt_node **nodes;                    // in the order in which they were made
    size_t n_nodes, capacity;
    bool is_inner;                         // of a node: the program does not destroy it
    hw_rt_origin *origin;                  // of what is made of it
    hw_rt_condition *conditions;
    size_t n_conditions, conditions_capacity;
    struct hw_rt_kept_object *kept;
    // Of executable graphs: an order that the dependencies allow; the streams, of which the first is the launch's own.
    hw_rt_node **order;
    hw_rt_stream **lanes;
    hw_runtime *gpu;                       // of the first lane
    hw_rt_event *begun;                    // or NULL where there is one lane
    hw_rt_stream *own_lane;                // the first one of launches in another GPU's stream; NULL before these
    hw_rt_event *asked, *ended;            // of that GPU, and of the first lane's
    size_t n_lanes;
};

// Graphs, nodes and what is made of them may have work of several GPUs: they are handles of the machine's first.
static inline hw_rt_handles *hw_rt_graph_handles(const hw_runtime *runtime) {
    return &runtime->machine->gpus[0]->handles;
}

struct hw_rt_exec {
    hw_rt_graph *graph;
    hw_rt_origin *origin;                  // that of the graph that it was made of
    uint64_t flags;
};

// graph.c
void hw_rt_origin_release(hw_rt_origin *origin);                    // NULL is allowed
hw_rt_graph *hw_rt_graph_copy(hw_runtime *runtime, const hw_rt_graph *graph, bool is_inner);
void hw_rt_graph_forget(hw_runtime *runtime, hw_rt_graph *graph);   // with its handles and those of inner graphs
bool hw_rt_graph_has_memory(const hw_rt_graph *graph);              // ALLOC or FREE among its nodes
// Nodes from which the other can be reached. False: it cannot, or there is no memory.
bool hw_rt_node_comes_before(const hw_rt_node *node, hw_rt_node *const *last, size_t n);

// graph_work.c: takes over what the work points to; what is there already is given back. The stream is of the node's
// GPU.
hw_rt_status hw_rt_node_keep(hw_rt_node *node, const hw_rt_work *work);
void hw_rt_node_drop(hw_rt_node *node);
hw_rt_status hw_rt_node_run(hw_rt_node *node, hw_rt_stream *stream);

// graph_exec.c: order and lanes, of inner graphs as well, in place of those that were there; and one launch of them, in
// a stream of any GPU.
hw_rt_status hw_rt_graph_plan(hw_runtime *runtime, hw_rt_graph *graph);
void hw_rt_graph_unplan(hw_runtime *runtime, hw_rt_graph *graph);
hw_rt_status hw_rt_graph_run(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_stream *stream);

// graph_memory.c
hw_rt_status hw_rt_graph_block_make(hw_runtime *runtime, uint64_t bytes, hw_rt_graph_block **out);
hw_rt_status hw_rt_graph_block_give(hw_runtime *runtime, hw_rt_graph_block *block);
void hw_rt_graph_block_release(hw_runtime *runtime, hw_rt_graph_block *block);
hw_rt_status hw_rt_word_make(hw_runtime *runtime, uint64_t bytes, uint64_t *address);   // memory, at once

// user_object.c: a reference more for each that the graph has; all of the graph's are released.
bool hw_rt_kept_copy(const hw_rt_graph *from, hw_rt_graph *to);
void hw_rt_kept_release(hw_runtime *runtime, hw_rt_graph *graph);
void hw_rt_kept_free(hw_rt_graph *graph);             // their memory alone

#endif
