// What a kind of device implements, and what the files of the device layer share. Internal to device/.
//
// device.c opens, and forwards to the kind's table; device_memory.c knows every allocation and checks copies against
// them; device_kernel.c knows every kernel and compiles missing ones; device_host.c has what cpu and sim do alike. The
// arguments that a table's functions get have been checked.
#ifndef HW_DEVICE_DEVICE_INTERNAL_H
#define HW_DEVICE_DEVICE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/device.h"
#include "toolchain/cache/hash.h"
#include "toolchain/device_code/device_code.h"

// One allocation.
typedef struct hw_device_block {
    uintptr_t address;
    size_t bytes;
    bool is_host;                 // by hw_host_alloc
    bool is_combined;             // of those, write-combined, where the kind has such memory
    bool is_ordered;              // by hw_stream_alloc, of a kind that has such memory
    void *raw;                    // the kind's own
} hw_device_block;

// One file, compiled with one set of defines, and loaded.
typedef struct hw_kernel_module {
    struct hw_kernel_module *next;
    hw_hash key;
    void *handle;                 // the kind's own
} hw_kernel_module;

struct hw_kernel {
    hw_device *device;
    hw_kernel *next;              // in its bucket
    hw_hash key;
    void *handle;                 // the kind's own
    hw_kernel_info info;
    uint32_t dynamic_shared_bytes;    // the most that was asked for so far, under the device's lock
    char name[128];               // for messages
};

struct hw_image {
    hw_device *device;
    hw_image_request request;
    uint64_t texture;             // 0: none yet
    void *memory;                 // of the device; NULL where the kind has it elsewhere
    void *array;                  // the kind's own
};

struct hw_stream {
    hw_device *device;
    hw_stream *next, **link;      // all streams of the device
    void *handle;                 // the kind's own
    hw_stream_watcher *watcher;   // NULL: none
    void *watcher_user;
    void *scratch;                // see hw_stream_scratch; NULL: none
    size_t scratch_bytes;
};

// One thing remembered: key_bytes of key, then value_bytes. key NULL: none.
typedef struct hw_memo {
    uint64_t hash;
    char *key;
    size_t key_bytes, value_bytes;
} hw_memo;
enum { HW_DEVICE_MEMOS = 256 };

struct hw_event {
    hw_device *device;
    hw_event *next, **link;       // all events of the device
    void *handle;                 // the kind's own
    _Atomic bool is_recorded;
    double ns;                    // when, of kinds that work at once
};

// rows of row_bytes each, at least one byte in all.
typedef struct hw_copy_args {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, row_bytes, rows;
} hw_copy_args;

// What code a kind of device takes.
typedef struct hw_code_wish {
    bool is_machine_code;
    int newest_nvrtc;
} hw_code_wish;

typedef struct hw_device_table {
    // place: what follows "cuda:" or "sim:". Fills properties and own; what it made before it failed, close frees.
    hw_status (*open)(hw_device *device, const char *place, hw_diag *diag);
    void (*close)(hw_device *device);
    // Waits for all work of the device.
    void (*wait)(hw_device *device);

    // Fills address and raw.
    hw_status (*alloc)(hw_device *device, hw_device_block *block, hw_diag *diag);
    void (*free)(hw_device *device, const hw_device_block *block);
    // In the order of the stream, and is_ordered is set where it is; NULL where that is at once.
    hw_status (*stream_alloc)(hw_stream *stream, hw_device_block *block, hw_diag *diag);
    void (*stream_free)(hw_stream *stream, const hw_device_block *block);
    hw_status (*free_bytes)(hw_device *device, uint64_t *bytes, hw_diag *diag);
    bool (*reaches)(hw_device *device, const void *memory);   // NULL: kernels never reach this machine's memory

    hw_status (*stream_create)(hw_stream *stream, hw_diag *diag);
    void (*stream_destroy)(hw_stream *stream);
    hw_status (*stream_synchronize)(hw_stream *stream, hw_diag *diag);
    hw_status (*event_create)(hw_event *event, hw_diag *diag);
    void (*event_destroy)(hw_event *event);
    hw_status (*event_record)(hw_event *event, hw_stream *stream, hw_diag *diag);
    hw_status (*stream_wait)(hw_stream *stream, hw_event *event, hw_diag *diag);
    hw_status (*event_elapsed)(hw_event *start, hw_event *stop, double *ns, hw_diag *diag);

    hw_status (*copy)(hw_stream *stream, const hw_copy_args *args, hw_diag *diag);
    hw_status (*fill)(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag);

    // Kernels; NULL where there are none.
    hw_code_wish (*code_wish)(hw_device *device);
    hw_status (*module_load)(hw_device *device, const hw_code *code, const char *name, void **handle, hw_diag *diag);
    void (*module_unload)(hw_device *device, void *handle);
    hw_status (*kernel_find)(hw_device *device, void *module, const char *function, hw_kernel *kernel, hw_diag *diag);
    uint32_t (*blocks_per_multiprocessor)(hw_kernel *kernel, uint32_t block_threads, uint32_t dynamic_shared_bytes);
    // Lets the kernel have that much dynamic shared memory; under the device's lock.
    hw_status (*allow_dynamic_shared)(hw_kernel *kernel, uint32_t bytes, hw_diag *diag);
    hw_status (*launch)(hw_stream *stream, const hw_kernel_launch *launch, hw_diag *diag);

    // Textures; NULL where there are none. An image with words, of which destroy frees all but the memory.
    hw_status (*image_create)(hw_image *image, const void *words, hw_diag *diag);
    void (*image_destroy)(hw_image *image);
} hw_device_table;

extern const hw_device_table hw_cpu_table, hw_cuda_table, hw_sim_table;

enum { HW_KERNEL_BUCKETS = 256 };

struct hw_device {
    const hw_device_table *table;
    hw_device_properties properties;
    char name[256];                   // "cuda:0", for messages
    char *cache_dir, *search_path;    // cache_dir NULL: nothing is kept
    uint64_t memory_limit_bytes;      // 0: none was set
    uint32_t threads;
    hw_pool *pool;
    hw_stream *own_stream;
    void *own;                        // the kind's own

    pthread_mutex_t lock;             // everything below
    hw_device_block *blocks;          // by address
    size_t n_blocks, blocks_capacity;
    uint64_t used_bytes;              // on the device, pinned memory not counted
    hw_stream *streams;
    hw_event *events;
    hw_kernel *kernels[HW_KERNEL_BUCKETS];
    hw_memo memos[HW_DEVICE_MEMOS];   // by their hash
    char kernels_by[64];              // compiler of the kernel that was compiled last; "": none was

    pthread_mutex_t compile_lock;     // one kernel is compiled at a time; taken before lock
    hw_kernel_module *modules;
};

// device_memory.c. All for device.c.
// stream: that in whose order it is; or NULL.
hw_status hw_device_memory_alloc(hw_device *device, hw_stream *stream, size_t bytes, bool is_host, void **out,
                                 hw_diag *diag);
hw_status hw_device_memory_alloc_combined(hw_device *device, size_t bytes, void **out, hw_diag *diag);
void hw_device_memory_free(hw_device *device, void *memory, bool is_host);
void hw_device_memory_free_all(hw_device *device);

// device_kernel.c: for device.c.
void hw_device_kernels_free(hw_device *device);

// device_memo.c: for device.c.
void hw_device_forget(hw_device *device);

// device_host.c: streams, events, copies and memory of kinds that work at once.
hw_status hw_host_stream_create(hw_stream *stream, hw_diag *diag);
void hw_host_stream_destroy(hw_stream *stream);
hw_status hw_host_stream_synchronize(hw_stream *stream, hw_diag *diag);
hw_status hw_host_event_create(hw_event *event, hw_diag *diag);
void hw_host_event_destroy(hw_event *event);
hw_status hw_host_event_record(hw_event *event, hw_stream *stream, hw_diag *diag);
hw_status hw_host_stream_wait(hw_stream *stream, hw_event *event, hw_diag *diag);
hw_status hw_host_event_elapsed(hw_event *start, hw_event *stop, double *ns, hw_diag *diag);
hw_status hw_host_copy(hw_stream *stream, const hw_copy_args *args, hw_diag *diag);
hw_status hw_host_fill(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag);
void hw_host_wait(hw_device *device);
// Memory that this machine could still give, in bytes.
uint64_t hw_host_available_bytes(void);
uint32_t hw_host_processors(void);

#endif
