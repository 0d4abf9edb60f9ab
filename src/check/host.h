// The host program's own hazards: what it frees, copies, destroys and overlooks; memory of asynchronous copies that it
// frees or writes before it has waited for them; what it leaves behind. Internal to check/.
//
// Calls are compared by their places, and by the order that streams.h knows. Functions are called one at a time.
#ifndef HW_CHECK_HOST_H
#define HW_CHECK_HOST_H

#include <stdatomic.h>

#include "check/finding.h"
#include "event/host.h"

typedef struct hw_check hw_check;

// In use; by address.
typedef struct hw_check_allocation {
    uint64_t address, bytes, number;     // number: allocations and objects in the order in which they were made
    const void *site;
    uint8_t kind;                        // hw_alloc_kind
    bool is_array;
    bool is_in_order;                    // by cudaMallocAsync: cudaFree does not wait for its stream
} hw_check_allocation;

// Alive, or destroyed and not made again; by handle and kind.
typedef struct hw_check_handle {
    uint64_t key, number;
    hw_host_object_kind kind;
    const void *made_at, *destroyed_at;  // destroyed_at NULL: alive, or nobody knows who
    bool is_alive;
} hw_check_handle;

// A thread of the host program, and its last error that it has not asked for.
typedef struct hw_check_thread {
    uint64_t number;
    const char *error;                   // its name; NULL: none
    const void *site, *explained_at;     // of the call that failed; of the last one that another finding is about
    bool is_explained;                   // the two are one
    hw_check_subject refused;            // it is a launch's that was refused; kernel NULL: no
    bool is_launch, has_launched;        // it was <<<>>>; something was launched since
    uint64_t n_works;                    // asked of the GPU since
} hw_check_thread;

// One side of an asynchronous copy that the host has not waited for: pinned or registered memory.
typedef struct hw_check_copy {
    hw_host_side side;
    uint64_t width, height, depth, stream;
    uint32_t work;
    bool is_read;                        // the copy reads it
    bool is_known;                       // nobody but the host program can have written there since:
    uint64_t hash;                       // what it held when the call returned
    const void *site;
} hw_check_copy;

typedef struct hw_check_host {
    hw_check_allocation *allocations;
    size_t n_allocations, allocations_capacity;
    hw_check_handle *objects;
    size_t n_objects, objects_capacity;
    hw_check_thread *threads;
    size_t n_threads, threads_capacity;
    hw_check_copy *copies;
    size_t n_copies, copies_capacity;
    atomic_size_t n_comparable;          // copies that a kernel's write may make unknown
    uint64_t n_made;
} hw_check_host;

void hw_check_host_free(hw_check_host *host);
// The context has gone, and all that was in it.
void hw_check_host_forget(hw_check_host *host);
// Of the calling thread; never 0.
uint64_t hw_check_host_this_thread(void);

// ---- host.c: what a thread does ----

void hw_check_host_launches(hw_check *check, uint64_t thread);
void hw_check_host_works(hw_check *check, uint64_t thread);     // a copy, a set, an allocation
void hw_check_host_refused(hw_check *check, const hw_host_event *event, uint64_t thread);
void hw_check_host_failed(hw_check *check, const hw_host_event *event, uint64_t thread);
void hw_check_host_asks(hw_check *check, const hw_host_event *event, uint64_t thread);
// Nobody asks any more.
void hw_check_host_ends(hw_check *check);
// A copy whose addresses are not what its kind says has been made nevertheless.
void hw_check_host_direction(hw_check *check, const hw_host_event *copy);

// ---- host_objects.c: what there is ----

void hw_check_host_allocate(hw_check *check, const hw_host_event *event);
// Copied to *out where it was there.
bool hw_check_host_release(hw_check *check, uint64_t address, hw_check_allocation *out);
void hw_check_host_create(hw_check *check, const hw_host_object *object, const void *site);
void hw_check_host_destroy(hw_check *check, const hw_host_object *object, const void *site);
// Who destroyed it last; NULL: nobody.
const void *hw_check_host_destroyed_at(const hw_check *check, const hw_host_object *object);
void hw_check_host_leaks(hw_check *check);

// ---- host_copies.c: asynchronous copies ----

// Of a copy, as its work. is_late: it was told a while ago.
void hw_check_host_copies(hw_check *check, const hw_host_event *event, uint32_t work, bool is_late);
// Work of a stream, or a kernel, has written there.
void hw_check_host_overwritten(hw_check *check, uint64_t address, uint64_t bytes);
// The program may write everywhere without being wrong: a function of its own is work of a stream; time has passed.
void hw_check_host_unknown(hw_check *check);
// The host has waited for something: what has ended is compared.
void hw_check_host_waited(hw_check *check, const hw_host_event *event);
// Memory is no longer there, or the copies' no longer.
void hw_check_host_freed(hw_check *check, const hw_host_event *event);

#endif
