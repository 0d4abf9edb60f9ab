// Graphs: work that is described first and asked for later, as a whole and as often as the program likes; made by hand,
// node by node, or out of what streams are given while they are captured.
//
// A graph's nodes come one behind the other where one depends on the other. An executable graph has a copy of its own;
// a launch does its nodes' work in an order that the dependencies allow, branches in streams of their own, so that
// observers and the GPU's clock see what a GPU may do at the same time. As everything here, a launch returns when its
// work is done.
//
// Threads: any, but one at a time for one graph, as CUDA asks.
#ifndef HW_RUNTIME_GRAPH_H
#define HW_RUNTIME_GRAPH_H

#include "runtime/memory.h"
#include "runtime/module.h"

typedef struct hw_rt_graph hw_rt_graph;
typedef struct hw_rt_node hw_rt_node;
typedef struct hw_rt_exec hw_rt_exec;

// As CUDA numbers them.
typedef enum hw_rt_node_kind {
    HW_RT_NODE_KERNEL, HW_RT_NODE_COPY, HW_RT_NODE_SET, HW_RT_NODE_HOST, HW_RT_NODE_GRAPH, HW_RT_NODE_EMPTY,
    HW_RT_NODE_WAIT, HW_RT_NODE_RECORD, HW_RT_NODE_ALLOC = 10, HW_RT_NODE_FREE = 11, HW_RT_NODE_CONDITIONAL = 13
} hw_rt_node_kind;

enum { HW_RT_CONDITION_IF, HW_RT_CONDITION_WHILE, HW_RT_CONDITION_SWITCH };   // likewise

// What a node does.
typedef struct hw_rt_work {
    hw_rt_node_kind kind;
    union {
        struct {
            hw_rt_launch_args args;        // stream is not read
            const void *name;              // what the program knows the function by
        } kernel;
        struct {
            hw_rt_region to, from;
            hw_rt_shape shape;
            unsigned direction;            // hw_host_copy_kind
        } copy;
        struct {
            hw_rt_region to;
            uint32_t word;
            size_t word_bytes;
            hw_rt_shape shape;
        } set;
        struct {
            void (*call)(void *user);
            void *user;
        } host;
        hw_rt_graph *graph;
        hw_rt_event *event;                // of WAIT, RECORD
        struct {
            uint64_t address, bytes;       // of ALLOC: the address is an answer
            hw_runtime *gpu;               // whose memory; NULL: the node's
        } memory;
        struct {
            uint64_t handle;
            unsigned type, n_bodies;
            hw_rt_graph **bodies;          // an answer; the node's
        } conditional;
    };
} hw_rt_work;

// ---- graphs and their nodes ----

hw_rt_status hw_rt_graph_create(hw_runtime *runtime, hw_rt_graph **out);           // HW_RT_NO_MEMORY
hw_rt_status hw_rt_graph_destroy(hw_runtime *runtime, hw_rt_graph *graph);         // HW_RT_INVALID_VALUE
// HW_RT_NOT_SUPPORTED: it has memory.
hw_rt_status hw_rt_graph_clone(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_graph **out);
bool hw_rt_is_graph(hw_runtime *runtime, const hw_rt_graph *graph);

// A node behind n others of the graph. Of the work what it points to is copied: parameters of kernels, child graphs.
// HW_RT_INVALID_VALUE, HW_RT_INVALID_HANDLE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_graph_add(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_node *const *behind, size_t n,
                             const hw_rt_work *work, hw_rt_node **out);
// With all that depends on it, and that it depends on, no longer joined. HW_RT_INVALID_VALUE; HW_RT_NOT_SUPPORTED: it
// is of memory.
hw_rt_status hw_rt_node_destroy(hw_runtime *runtime, hw_rt_node *node);
bool hw_rt_is_node(hw_runtime *runtime, const hw_rt_node *node);
hw_rt_node *hw_rt_node_in_clone(hw_runtime *runtime, hw_rt_node *original, hw_rt_graph *clone);   // NULL: none

// Other work of the same kind. HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_node_set_work(hw_runtime *runtime, hw_rt_node *node, const hw_rt_work *work);
const hw_rt_work *hw_rt_node_work(const hw_rt_node *node);

// ---- what depends on what ----

// n pairs. HW_RT_INVALID_VALUE, also for a pair that there is already, or is not.
hw_rt_status hw_rt_graph_join(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_node *const *from, hw_rt_node *const *to,
                              size_t n);
hw_rt_status hw_rt_graph_part(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_node *const *from, hw_rt_node *const *to,
                              size_t n);
// Each writes the first n of its answers, if out is not NULL, and returns how many there are.
size_t hw_rt_graph_nodes(const hw_rt_graph *graph, hw_rt_node **out, size_t n);
size_t hw_rt_graph_roots(const hw_rt_graph *graph, hw_rt_node **out, size_t n);
size_t hw_rt_graph_edges(const hw_rt_graph *graph, hw_rt_node **from, hw_rt_node **to, size_t n);
size_t hw_rt_node_before(const hw_rt_node *node, hw_rt_node **out, size_t n);
size_t hw_rt_node_behind(const hw_rt_node *node, hw_rt_node **out, size_t n);

// A picture of it in Graphviz's language. HW_RT_NO_FILE: it cannot be written.
hw_rt_status hw_rt_graph_draw(hw_runtime *runtime, const hw_rt_graph *graph, const char *path);

// ---- conditions ----

// A word of the device's memory that kernels of the graph set (cudaGraphSetConditional); its address is the handle. It
// gets the value at the begin of each launch if is_set. HW_RT_INVALID_VALUE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_graph_condition(hw_runtime *runtime, hw_rt_graph *graph, uint32_t value, bool is_set,
                                   uint64_t *handle);

// ---- memory of graphs ----

// An address that an ALLOC node has given out: frees it as the program does outside of its graph. False: it is none.
bool hw_rt_graph_free(hw_runtime *runtime, uint64_t address, hw_rt_status *status);
// Does it lie in memory of an ALLOC node that no launch has given out? The host's calls may not touch that.
bool hw_rt_graph_withholds(hw_runtime *runtime, uint64_t address);
// In units that a GPU reserves. As CUDA numbers them: used now, most used, reserved now, most reserved.
enum { HW_RT_GRAPH_MEMORY_ATTRIBUTES = 4 };
uint64_t hw_rt_graph_memory(hw_runtime *runtime, unsigned attribute);
void hw_rt_graph_memory_reset(hw_runtime *runtime, unsigned attribute);    // of a most, to what it is now
void hw_rt_graph_memory_trim(hw_runtime *runtime);

// ---- objects of the program's that graphs keep ----

typedef struct hw_rt_user_object hw_rt_user_object;
hw_rt_status hw_rt_user_object_create(hw_runtime *runtime, void *user, void (*destroy)(void *user), unsigned count,
                                      hw_rt_user_object **out);
// HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_user_object_retain(hw_runtime *runtime, hw_rt_user_object *object, unsigned count);
hw_rt_status hw_rt_user_object_release(hw_runtime *runtime, hw_rt_user_object *object, unsigned count);
// is_moved: the caller's references become the graph's.
hw_rt_status hw_rt_graph_retain(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_user_object *object, unsigned count,
                                bool is_moved);
hw_rt_status hw_rt_graph_release(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_user_object *object, unsigned count);

// ---- executable graphs ----

enum { HW_RT_EXEC_FREES_AT_LAUNCH = 1, HW_RT_EXEC_ON_DEVICE = 4 };   // flags, as CUDA's; the others change nothing

// HW_RT_INVALID_VALUE: no graph, or one that depends on itself; HW_RT_NOT_SUPPORTED: it has memory, and another
// executable one already; HW_RT_NO_MEMORY.
hw_rt_status hw_rt_exec_create(hw_runtime *runtime, hw_rt_graph *graph, uint64_t flags, hw_rt_exec **out);
hw_rt_status hw_rt_exec_destroy(hw_runtime *runtime, hw_rt_exec *exec);
bool hw_rt_is_exec(hw_runtime *runtime, const hw_rt_exec *exec);
uint64_t hw_rt_exec_flags(const hw_rt_exec *exec);
// Does all its work. HW_RT_INVALID_VALUE, HW_RT_INVALID_HANDLE, and what its nodes' work gives, which ends it.
hw_rt_status hw_rt_exec_launch(hw_runtime *runtime, hw_rt_exec *exec, hw_rt_stream *stream);

// The executable's own node that was made of a node of its graph; NULL: none.
hw_rt_node *hw_rt_exec_node(hw_runtime *runtime, hw_rt_exec *exec, const hw_rt_node *node);
void hw_rt_node_set_enabled(hw_rt_node *node, bool is_enabled);
bool hw_rt_node_is_enabled(const hw_rt_node *node);

// As CUDA numbers them.
typedef enum hw_rt_update {
    HW_RT_UPDATED, HW_RT_UPDATE_ERROR, HW_RT_UPDATE_TOPOLOGY, HW_RT_UPDATE_KIND, HW_RT_UPDATE_FUNCTION,
    HW_RT_UPDATE_PARAMETERS
} hw_rt_update;

// Takes the work of another graph of the same shape, node by node in the order in which they were made.
// HW_RT_UPDATE_FAILED, with the node of that graph where they differ, or NULL.
hw_rt_status hw_rt_exec_update(hw_runtime *runtime, hw_rt_exec *exec, hw_rt_graph *graph, hw_rt_update *why,
                               hw_rt_node **where);

// ---- capture: what streams are given becomes nodes ----

// As CUDA numbers them: which calls that are no work of a stream are refused while there is a capture.
enum { HW_RT_CAPTURE_GLOBAL, HW_RT_CAPTURE_THREAD, HW_RT_CAPTURE_RELAXED };
enum { HW_RT_NOT_CAPTURED, HW_RT_CAPTURED, HW_RT_CAPTURE_BROKEN };

typedef struct hw_rt_capture_info {
    unsigned state;                    // of the three above
    uint64_t id;
    hw_rt_graph *graph;
    hw_rt_node *const *last;           // what the stream's next work will depend on; good until then
    size_t n_last;
} hw_rt_capture_info;

// graph NULL: a new one; else what comes is added to it, behind n of its nodes. HW_RT_CAPTURE_UNSUPPORTED: the legacy
// default stream; HW_RT_ILLEGAL_STATE (captured already), HW_RT_INVALID_HANDLE, HW_RT_INVALID_VALUE.
hw_rt_status hw_rt_capture_begin(hw_runtime *runtime, hw_rt_stream *stream, unsigned mode, hw_rt_graph *graph,
                                 hw_rt_node *const *behind, size_t n);
// graph NULL: where it was the program's own. *graph is NULL where it fails: HW_RT_ILLEGAL_STATE,
// HW_RT_CAPTURE_UNMATCHED, HW_RT_CAPTURE_WRONG_THREAD, HW_RT_CAPTURE_INVALIDATED, HW_RT_CAPTURE_UNJOINED.
hw_rt_status hw_rt_capture_end(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_graph **graph);
hw_rt_status hw_rt_capture_get(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_capture_info *out);
// What the stream's next work depends on: as well as before, or instead.
hw_rt_status hw_rt_capture_depend(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_node *const *on, size_t n,
                                  bool instead);
// An event that is to be recorded, or waited for, by each launch: a node, and no order within the graph. False: the
// stream is not captured.
bool hw_rt_capture_event(hw_runtime *runtime, hw_rt_stream *stream, hw_rt_event *event, hw_rt_node_kind kind,
                         hw_rt_status *status);
unsigned hw_rt_capture_exchange_mode(unsigned mode);     // of this thread; the one before

// A function of the program's as work of the stream: called, or captured. HW_RT_INVALID_HANDLE.
hw_rt_status hw_rt_call_host(hw_runtime *runtime, hw_rt_stream *stream, void (*call)(void *user), void *user);

#endif
