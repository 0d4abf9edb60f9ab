// Objects of the program's that live for as long as somebody has a reference: the program, or a graph.
#include "base/alloc.h"
#include "runtime/graph_node.h"

struct hw_rt_user_object {
    void *user;
    void (*destroy)(void *user);
    atomic_size_t refs;
};

// References of one graph.
typedef struct hw_rt_kept_object {
    struct hw_rt_kept_object *next;
    hw_rt_user_object *object;
    size_t refs;
} hw_rt_kept_object;

static bool is_object(hw_runtime *runtime, const hw_rt_user_object *object) {
    return hw_rt_handles_have(hw_rt_graph_handles(runtime), HW_RT_USER_OBJECT, object);
}

hw_rt_status hw_rt_user_object_create(hw_runtime *runtime, void *user, void (*destroy)(void *user), unsigned count,
                                      hw_rt_user_object **out) {
    if (!destroy || !count) return HW_RT_INVALID_VALUE;
    hw_rt_user_object *made = hw_rt_handles_make(hw_rt_graph_handles(runtime), HW_RT_USER_OBJECT, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    made->user = user;
    made->destroy = destroy;
    atomic_init(&made->refs, count);
    *out = made;
    return HW_RT_SUCCESS;
}

static void release(hw_runtime *runtime, hw_rt_user_object *object, size_t count) {
    if (atomic_fetch_sub(&object->refs, count) != count) return;
    hw_rt_handles_remove(hw_rt_graph_handles(runtime), HW_RT_USER_OBJECT, object);
    object->destroy(object->user);
    hw_free(object);
}

hw_rt_status hw_rt_user_object_retain(hw_runtime *runtime, hw_rt_user_object *object, unsigned count) {
    if (!is_object(runtime, object) || !count) return HW_RT_INVALID_VALUE;
    atomic_fetch_add(&object->refs, count);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_user_object_release(hw_runtime *runtime, hw_rt_user_object *object, unsigned count) {
    if (!is_object(runtime, object) || !count || atomic_load(&object->refs) < count) return HW_RT_INVALID_VALUE;
    release(runtime, object, count);
    return HW_RT_SUCCESS;
}

static hw_rt_kept_object **find_kept(hw_rt_graph *graph, const hw_rt_user_object *object) {
    hw_rt_kept_object **link = &graph->kept;
    while (*link && (*link)->object != object) link = &(*link)->next;
    return link;
}

static bool keep(hw_rt_graph *graph, hw_rt_user_object *object, size_t count) {
    hw_rt_kept_object **link = find_kept(graph, object);
    if (!*link) *link = hw_calloc(1, sizeof **link);
    if (!*link) return false;
    (*link)->object = object;
    (*link)->refs += count;
    return true;
}

hw_rt_status hw_rt_graph_retain(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_user_object *object, unsigned count,
                                bool is_moved) {
    if (!hw_rt_is_graph(runtime, graph) || !is_object(runtime, object) || !count) return HW_RT_INVALID_VALUE;
    if (!keep(graph, object, count)) return HW_RT_NO_MEMORY;
    if (!is_moved) atomic_fetch_add(&object->refs, count);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_graph_release(hw_runtime *runtime, hw_rt_graph *graph, hw_rt_user_object *object, unsigned count) {
    if (!hw_rt_is_graph(runtime, graph) || !is_object(runtime, object)) return HW_RT_INVALID_VALUE;
    hw_rt_kept_object **link = find_kept(graph, object), *found = *link;
    if (!found || found->refs < count) return HW_RT_INVALID_VALUE;
    found->refs -= count;
    if (!found->refs) {
        *link = found->next;
        hw_free(found);
    }
    release(runtime, object, count);
    return HW_RT_SUCCESS;
}

bool hw_rt_kept_copy(const hw_rt_graph *from, hw_rt_graph *to) {
    for (const hw_rt_kept_object *at = from->kept; at; at = at->next) {
        if (!keep(to, at->object, at->refs)) return false;
        atomic_fetch_add(&at->object->refs, at->refs);
    }
    return true;
}

void hw_rt_kept_free(hw_rt_graph *graph) {
    while (graph->kept) {
        hw_rt_kept_object *first = graph->kept;
        graph->kept = first->next;
        hw_free(first);
    }
}

void hw_rt_kept_release(hw_runtime *runtime, hw_rt_graph *graph) {
    while (graph->kept) {
        hw_rt_kept_object *first = graph->kept;
        graph->kept = first->next;
        release(runtime, first->object, first->refs);
        hw_free(first);
    }
}
