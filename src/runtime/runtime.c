// The runtime and its context.
#include "runtime/runtime.h"

#include <string.h>

#include "base/alloc.h"
#include "runtime/device.h"
#include "runtime/internal.h"

// NULL stays NULL; false when out of memory.
static bool keep_text(const char *text, char **out) {
    if (!text) return true;
    size_t bytes = strlen(text) + 1;
    *out = hw_malloc(bytes);
    if (*out) memcpy(*out, text, bytes);
    return *out != NULL;
}

static double expected_begin(void *timeline, uint64_t stream) { return hw_timeline_expect(timeline, stream); }

static hw_status make_timeline(hw_runtime *runtime, hw_diag *diag) {
    const hw_rt_options *options = &runtime->options;
    if (!options->has_gpu_time) return HW_OK;
    const hw_timeline_options timeline = {.gpu = options->device.gpu, .host = &runtime->machine->host,
                                          .copy_engines = hw_timeline_copy_engines(options->device.gpu),
                                          .number = runtime->number,
                                          .launched = options->launched, .done = options->done,
                                          .context = options->context};
    const hw_status status = hw_timeline_create(&timeline, &runtime->timeline, diag);
    runtime->options.device.has_gpu_clock = !status;
    runtime->options.device.begin_us = expected_begin;
    runtime->options.device.attribute = hw_rt_attribute;
    runtime->options.device.limit = hw_rt_find_limit;
    runtime->options.device.limit_context = runtime;
    runtime->options.device.begin_context = runtime->timeline;
    return status;
}

static void init_locks(hw_runtime *runtime) {
    pthread_mutex_init(&runtime->lock, NULL);
    pthread_mutex_init(&runtime->load_lock, NULL);
    pthread_mutex_init(&runtime->graph_lock, NULL);
    pthread_mutex_init(&runtime->pool_lock, NULL);
    pthread_mutex_init(&runtime->virtual_lock, NULL);
}

static hw_status add_gpu(hw_rt_machine *machine, const hw_rt_options *options, hw_diag *diag) {
    hw_runtime *runtime = hw_calloc(1, sizeof *runtime);
    if (!runtime) return hw_diag_no_memory(diag);
    *runtime = (hw_runtime){.machine = machine, .number = machine->n, .options = *options};
    runtime->options.device.place = hw_rt_place_variable;
    runtime->options.device.place_context = runtime;
    runtime->options.device.common = &machine->common;
    init_locks(runtime);
    hw_rt_handles_init(&runtime->handles);
    hw_rt_init_device(runtime);
    hw_rt_pool_init(machine, &runtime->default_pool);
    runtime->pools = &runtime->default_pool;
    machine->gpus[machine->n++] = runtime;
    if (!make_timeline(runtime, diag) && keep_text(options->ptxas_path, &runtime->ptxas_path) &&
        keep_text(options->cache_dir, &runtime->cache_dir) &&
        hw_rt_handles_add(&runtime->handles, HW_RT_POOL, &runtime->default_pool))
        return HW_OK;
    return hw_diag_no_memory(diag);
}

hw_status hw_rt_create(const hw_rt_options *options, hw_runtime **out, hw_diag *diag) {
    const uint32_t gpus = options->gpus ? options->gpus : 1;
    hw_status status = HW_OK;
    *out = NULL;
    if (!options->device.gpu) return hw_diag_set(diag, HW_USAGE, "no GPU was named");
    if (gpus > HW_MEM_GPUS)
        return hw_diag_set(diag, HW_USAGE, "%u GPUs are more than the %d that a process can have", gpus,
                           (int)HW_MEM_GPUS);
    hw_rt_machine *machine = hw_rt_machine_create();
    if (!machine) return hw_diag_no_memory(diag);
    for (uint32_t i = 0; i < gpus && !status; i++) status = add_gpu(machine, options, diag);
    if (status) hw_rt_machine_destroy(machine);
    else *out = machine->gpus[0];
    return status;
}

static void destroy_sim(hw_runtime *runtime, hw_sim *sim) {
    pthread_mutex_lock(&runtime->machine->contexts_lock);
    runtime->memory = NULL;
    hw_sim_destroy(sim);
    pthread_mutex_unlock(&runtime->machine->contexts_lock);
}

// With the lock held.
static void close_context(hw_runtime *runtime) {
    hw_sim *sim = hw_rt_sim(runtime);
    atomic_store(&runtime->is_ready, false);
    atomic_store(&runtime->epoch, 0);
    if (sim && runtime->options.closing) runtime->options.closing(runtime->options.context, sim);
    atomic_store(&runtime->sim, NULL);
    destroy_sim(runtime, sim);
    hw_rt_sharing_free(runtime);
    hw_rt_pools_forget(runtime);
    hw_rt_forget_modules(runtime);   // whose texts the simulator has used until now
}

static void free_handle(void *runtime, hw_rt_handle_kind kind, void *handle) {
    switch (kind) {
    case HW_RT_LIBRARY: hw_rt_free_library(handle); break;   // with its kernels
    case HW_RT_GRAPH: hw_rt_free_graph(handle); break;       // with its nodes
    case HW_RT_EXEC: hw_rt_free_exec(handle); break;
    case HW_RT_KERNEL: case HW_RT_NODE: case HW_RT_PHYSICAL: break;
    default:
        if (handle != &((hw_runtime *)runtime)->default_pool) hw_free(handle);
    }
}

void hw_rt_destroy(hw_runtime *runtime) {
    if (runtime) hw_rt_machine_destroy(runtime->machine);
}

void hw_rt_free_gpu(hw_runtime *runtime) {
    if (!runtime) return;
    close_context(runtime);
    hw_rt_virtual_free(runtime);   // buries handles
    hw_rt_handles_clear(&runtime->handles, free_handle, runtime);
    hw_rt_graph_blocks_free(runtime);
    hw_timeline_destroy(runtime->timeline);
    pthread_mutex_destroy(&runtime->lock);
    pthread_mutex_destroy(&runtime->load_lock);
    pthread_mutex_destroy(&runtime->graph_lock);
    pthread_mutex_destroy(&runtime->pool_lock);
    pthread_mutex_destroy(&runtime->virtual_lock);
    hw_free(runtime->ptxas_path);
    hw_free(runtime->cache_dir);
    hw_free(runtime);
}

void *hw_rt_context(const hw_runtime *runtime) { return runtime->options.context; }
const hw_gpu *hw_rt_gpu(const hw_runtime *runtime) { return runtime->options.device.gpu; }
hw_timeline *hw_rt_timeline(const hw_runtime *runtime) { return runtime->timeline; }
hw_sim *hw_rt_simulation(const hw_runtime *runtime) { return hw_rt_sim(runtime); }
uint64_t hw_rt_epoch(const hw_runtime *runtime) { return atomic_load_explicit(&runtime->epoch, memory_order_acquire); }

bool hw_rt_had_context(const hw_runtime *runtime) { return atomic_load(&runtime->n_contexts) > 0; }

hw_rt_status hw_rt_sticky(const hw_runtime *runtime) { return (hw_rt_status)atomic_load(&runtime->sticky); }

void hw_rt_set_sticky(hw_runtime *runtime, hw_rt_status status) {
    pthread_mutex_lock(&runtime->lock);
    atomic_store(&runtime->sticky, (int)status);
    atomic_store(&runtime->is_ready, !status && hw_rt_sim(runtime));
    pthread_mutex_unlock(&runtime->lock);
}

// In the address space of the machine's other GPUs, where there is one.
static hw_status create_sim(hw_runtime *runtime, hw_sim **out, hw_diag *diag) {
    hw_rt_machine *machine = runtime->machine;
    hw_sim_options options = runtime->options.device;
    pthread_mutex_lock(&machine->contexts_lock);
    options.memory = (hw_mem_place){.beside = hw_rt_machine_memory(machine), .number = runtime->number,
                                    .gpus = machine->n};
    hw_status status = hw_sim_create(&options, out, diag);
    if (!status) runtime->memory = hw_sim_mem(*out);
    pthread_mutex_unlock(&machine->contexts_lock);
    return status;
}

// With the lock held.
static void open_context(hw_runtime *runtime) {
    const hw_rt_options *options = &runtime->options;
    hw_diag diag = {0};
    hw_sim *sim = NULL;
    hw_status status = create_sim(runtime, &sim, &diag);
    if (!status && options->opened) status = options->opened(options->context, sim, &diag);
    // Behind the sinks that count launches, whom it asks.
    if (!status && runtime->timeline) status = hw_sim_add_sink(sim, hw_timeline_sink(runtime->timeline), &diag);
    if (status) {
        runtime->has_failed = true;
        destroy_sim(runtime, sim);
        if (options->failed) options->failed(options->context, &diag);
        return;
    }
    hw_rt_virtual_reopen(runtime, hw_sim_mem(sim));
    atomic_store(&runtime->sim, sim);
    atomic_store(&runtime->epoch, atomic_fetch_add(&runtime->n_contexts, 1) + 1);
    atomic_store(&runtime->is_ready, !hw_rt_sticky(runtime));
}

hw_rt_status hw_rt_open(hw_runtime *runtime) {
    if (hw_rt_sim(runtime)) return HW_RT_SUCCESS;
    if (runtime->options.hides_gpus) return HW_RT_NO_DEVICE;
    pthread_mutex_lock(&runtime->lock);
    if (!hw_rt_sim(runtime) && !runtime->has_failed) open_context(runtime);
    hw_rt_status status = hw_rt_sim(runtime) ? HW_RT_SUCCESS : HW_RT_NOT_INITIALIZED;
    pthread_mutex_unlock(&runtime->lock);
    return status;
}

hw_rt_status hw_rt_enter(hw_runtime *runtime) {
    if (atomic_load_explicit(&runtime->is_ready, memory_order_acquire)) return HW_RT_SUCCESS;
    hw_rt_status sticky = hw_rt_sticky(runtime);
    return sticky ? sticky : hw_rt_open(runtime);
}

void hw_rt_reset(hw_runtime *runtime) {
    if (runtime->is_orphan) return;
    pthread_mutex_lock(&runtime->lock);
    if (runtime->timeline) hw_timeline_finish(runtime->timeline);
    close_context(runtime);
    atomic_store(&runtime->sticky, HW_RT_SUCCESS);
    pthread_mutex_unlock(&runtime->lock);
}

static void leave_to_parent(hw_runtime *runtime) {
    // Another thread of the parent may have held these when it forked.
    init_locks(runtime);
    pthread_mutex_init(&runtime->handles.lock, NULL);
    runtime->is_orphan = hw_rt_sim(runtime) != NULL;
    if (runtime->is_orphan) hw_rt_set_sticky(runtime, HW_RT_NOT_INITIALIZED);
}

void hw_rt_become_orphan(hw_runtime *runtime) {
    hw_rt_machine *machine = runtime->machine;
    hw_rt_machine_init_locks(machine);
    for (uint32_t i = 0; i < machine->n; i++) leave_to_parent(machine->gpus[i]);
}
