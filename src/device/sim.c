// A simulated GPU: what it owns, and its settings.
#include "device/sim.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "device/sim_internal.h"

// CUDA 11: two, until cudaLimitDevRuntimeSyncDepth says another. GPUs from 9.0 on let no kernel wait; here all do.
enum { DEFAULT_SYNC_DEPTH = 2, WITHOUT_WAITING = 90 };
enum { DEFAULT_STACK_BYTES = 1024, DEFAULT_HEAP_BYTES = 8 << 20, DEFAULT_MEMORY_MIB = 4096 };

void hw_sim_common_init(hw_sim_common *common) {
    *common = (hw_sim_common){.launches = 0};
    pthread_mutex_init(&common->launch_lock, NULL);
    pthread_mutex_init(&common->sinks_lock, NULL);
}

void hw_sim_common_destroy(hw_sim_common *common) {
    pthread_mutex_destroy(&common->launch_lock);
    pthread_mutex_destroy(&common->sinks_lock);
}

static hw_status open_reuse(hw_sim *sim, hw_diag *diag) {
    if (!sim->options.reuses || sim->options.seed) return HW_OK;
    hw_status status = hw_reuse_create(sim->mem, &sim->reuse, diag);
    return status ? status : hw_sinks_add(&sim->sinks, hw_reuse_sink(sim->reuse), diag);
}

hw_status hw_sim_create(const hw_sim_options *options, hw_sim **out, hw_diag *diag) {
    *out = NULL;
    if (!options->gpu) return hw_diag_set(diag, HW_USAGE, "no GPU was named");
    hw_sim *sim = hw_calloc(1, sizeof *sim);
    if (!sim) return hw_diag_no_memory(diag);
    sim->options = *options;
    sim->stack_bytes = DEFAULT_STACK_BYTES;
    sim->heap_bytes = DEFAULT_HEAP_BYTES;
    pthread_mutex_init(&sim->load_lock, NULL);
    hw_sim_init_nested(sim);
    atomic_init(&sim->sync_depth, options->gpu->arch->cc < WITHOUT_WAITING ? DEFAULT_SYNC_DEPTH : HW_CHILD_DEPTHS);
    hw_sim_common_init(&sim->own);
    sim->common = options->common ? options->common : &sim->own;
    uint64_t memory_bytes = options->gpu->memory_bytes;
    if (!memory_bytes) memory_bytes = (uint64_t)DEFAULT_MEMORY_MIB << 20;
    hw_status status = HW_OK;
    sim->names = hw_arena_create();
    if (!sim->names) status = hw_diag_no_memory(diag);
    hw_mem_place place = options->memory;
    if (!place.gpus) place.gpus = 1;
    if (!status) status = hw_mem_create_beside(memory_bytes, &place, &sim->mem, diag);
    if (!status && options->poisons) hw_mem_set_poison(sim->mem, options->poison);
    if (!status) status = hw_exec_create(options->threads, &sim->exec, diag);
    if (!status) sim->bulk = hw_bulk_create(hw_exec_workers(sim->exec));
    if (!status && !sim->bulk) status = hw_diag_no_memory(diag);
    const hw_compile_options compile = {.search_path = options->compiler_path, .cache_dir = options->code_cache,
                                        .waits = options->awaits_compiler};
    if (!status && compile.search_path) status = hw_compile_create(&compile, &sim->compile, diag);
    if (!status) status = open_reuse(sim, diag);
    if (status) hw_sim_destroy(sim);
    else *out = sim;
    return status;
}

void hw_sim_destroy(hw_sim *sim) {
    if (!sim) return;
    if (sim->mem) hw_mem_watch(sim->mem, NULL, NULL);
    while (sim->modules) hw_sim_unload(sim, sim->modules);
    hw_compile_destroy(sim->compile);
    hw_reuse_destroy(sim->reuse);
    hw_bulk_destroy(sim->bulk);
    hw_sim_destroy_nested(sim);
    if (sim->exec) hw_exec_destroy(sim->exec);
    if (sim->mem) hw_mem_destroy(sim->mem);
    hw_arena_destroy(sim->names);
    pthread_mutex_destroy(&sim->load_lock);
    hw_sim_common_destroy(&sim->own);
    hw_sinks_free(&sim->sinks);
    hw_free(sim);
}

const hw_gpu *hw_sim_gpu(const hw_sim *sim) { return sim->options.gpu; }
hw_mem *hw_sim_mem(hw_sim *sim) { return sim->mem; }
hw_bulk *hw_sim_bulk(hw_sim *sim) { return sim->bulk; }
void hw_sim_set_stack_bytes(hw_sim *sim, uint32_t bytes) { sim->stack_bytes = bytes; }
uint32_t hw_sim_stack_bytes(const hw_sim *sim) { return sim->stack_bytes; }
void hw_sim_set_heap_bytes(hw_sim *sim, uint64_t bytes) { sim->heap_bytes = bytes; }
uint64_t hw_sim_heap_bytes(const hw_sim *sim) { return sim->heap_bytes; }

void hw_sim_set_sync_depth(hw_sim *sim, uint32_t depth) { atomic_store(&sim->sync_depth, depth); }
uint32_t hw_sim_sync_depth(const hw_sim *sim) { return atomic_load(&sim->sync_depth); }

void hw_sim_set_monitor(hw_sim *sim, hw_monitor *monitor) {
    pthread_mutex_lock(&sim->common->launch_lock);
    sim->monitor = monitor;
    pthread_mutex_unlock(&sim->common->launch_lock);
}

// ---- observers ----

bool hw_sim_tells_host(hw_sim *sim) { return atomic_load_explicit(&sim->tells_host, memory_order_relaxed); }
bool hw_sim_tells_sites(hw_sim *sim) { return atomic_load_explicit(&sim->tells_sites, memory_order_relaxed); }

void hw_sim_tell_host(hw_sim *sim, const hw_host_event *event) {
    if (!hw_sim_tells_host(sim)) return;
    pthread_mutex_lock(&sim->common->sinks_lock);
    hw_tell_host(&sim->sinks, event);
    pthread_mutex_unlock(&sim->common->sinks_lock);
}

static void tell_allocation(void *context, const hw_allocation *a, const hw_mem_caller *caller) {
    hw_host_event event = {.action = a->is_freed ? HW_HOST_FREE : HW_HOST_ALLOCATE, .stream = caller->stream,
                           .site = caller->site};
    event.memory.is_in_order = caller->is_in_order;
    event.memory.address = a->address;
    event.memory.bytes = a->bytes;
    event.memory.kind = (uint8_t)a->kind;
    event.memory.name = a->name;
    hw_sim_tell_host(context, &event);
}

// The memory tells nobody unless a sink asks.
static void watch_host(hw_sim *sim) {
    bool is_wanted = sim->sinks.events & HW_WANTS(HOST), with_sites = false;
    for (uint32_t i = 0; i < sim->sinks.n; i++)
        with_sites |= sim->sinks.items[i]->events & HW_WANTS(HOST) && !sim->sinks.items[i]->ignores_sites;
    atomic_store(&sim->tells_host, is_wanted);
    atomic_store(&sim->tells_sites, with_sites);
    hw_mem_watch(sim->mem, is_wanted ? tell_allocation : NULL, sim);
}

hw_status hw_sim_add_sink(hw_sim *sim, hw_sink *sink, hw_diag *diag) {
    pthread_mutex_lock(&sim->common->launch_lock);
    pthread_mutex_lock(&sim->common->sinks_lock);
    hw_status status = hw_sinks_add(&sim->sinks, sink, diag);
    pthread_mutex_unlock(&sim->common->sinks_lock);
    watch_host(sim);
    pthread_mutex_unlock(&sim->common->launch_lock);
    return status;
}

void hw_sim_remove_sink(hw_sim *sim, hw_sink *sink) {
    pthread_mutex_lock(&sim->common->launch_lock);
    pthread_mutex_lock(&sim->common->sinks_lock);
    hw_sinks_remove(&sim->sinks, sink);
    pthread_mutex_unlock(&sim->common->sinks_lock);
    watch_host(sim);
    pthread_mutex_unlock(&sim->common->launch_lock);
}
