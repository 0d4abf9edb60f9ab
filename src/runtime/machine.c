// The GPUs of one process.
#include "base/alloc.h"
#include "runtime/internal.h"
#include "runtime/memory.h"

void hw_rt_machine_init_locks(hw_rt_machine *machine) {
    hw_sim_common_init(&machine->common);
    pthread_mutex_init(&machine->host.lock, NULL);
    pthread_mutex_init(&machine->contexts_lock, NULL);
    pthread_mutex_init(&machine->capture_lock, NULL);
}

hw_rt_machine *hw_rt_machine_create(void) {
    hw_rt_machine *machine = hw_calloc(1, sizeof *machine);
    if (machine) hw_rt_machine_init_locks(machine);
    return machine;
}

void hw_rt_machine_destroy(hw_rt_machine *machine) {
    if (!machine) return;
    hw_rt_captures_free(machine);
    for (uint32_t i = machine->n; i-- > 0;) hw_rt_free_gpu(machine->gpus[i]);
    hw_sim_common_destroy(&machine->common);
    pthread_mutex_destroy(&machine->host.lock);
    pthread_mutex_destroy(&machine->contexts_lock);
    pthread_mutex_destroy(&machine->capture_lock);
    hw_free(machine);
}

hw_mem *hw_rt_machine_memory(const hw_rt_machine *machine) {
    for (uint32_t i = 0; i < machine->n; i++)
        if (machine->gpus[i]->memory) return machine->gpus[i]->memory;
    return NULL;
}

uint32_t hw_rt_gpus(const hw_runtime *runtime) { return runtime->options.hides_gpus ? 0 : runtime->machine->n; }
uint32_t hw_rt_number(const hw_runtime *runtime) { return runtime->number; }
uint32_t hw_rt_place(const hw_runtime *runtime) { return runtime->options.places[runtime->number]; }

hw_runtime *hw_rt_gpu_at(const hw_runtime *runtime, int number) {
    return number >= 0 && (uint32_t)number < hw_rt_gpus(runtime) ? runtime->machine->gpus[number] : NULL;
}

// ---- whose it is ----

hw_runtime *hw_rt_owner(hw_runtime *runtime, hw_rt_handle_kind kind, const void *handle) {
    const hw_rt_machine *machine = runtime->machine;
    if (machine->n == 1 || !handle || hw_rt_handles_have(&runtime->handles, kind, handle)) return runtime;
    for (uint32_t i = 0; i < machine->n; i++)
        if (hw_rt_handles_have(&machine->gpus[i]->handles, kind, handle)) return machine->gpus[i];
    return runtime;
}

hw_runtime *hw_rt_of_stream(hw_runtime *runtime, const hw_rt_stream *stream) {
    return hw_rt_owner(runtime, HW_RT_STREAM, stream);
}

hw_runtime *hw_rt_of_event(hw_runtime *runtime, const hw_rt_event *event) {
    return hw_rt_owner(runtime, HW_RT_EVENT, event);
}

hw_runtime *hw_rt_of_address(hw_runtime *runtime, uint64_t address) {
    hw_allocation found;
    if (runtime->machine->n == 1 || !hw_rt_find(runtime, address, 0, &found)) return runtime;
    return runtime->machine->gpus[found.gpu];
}
