// Launches of the public simulator, and how they end.
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "sim/internal.h"

#define SAME(a, b) _Static_assert((int)HW_SIMULATOR_FAULT_##a == (int)HW_FAULT_##b, "what is public keeps its number")
SAME(NONE, NONE);
SAME(ADDRESS, ADDRESS);
SAME(MISALIGNED, MISALIGNED);
SAME(STACK, STACK);
SAME(TRAP, TRAP);
SAME(ASSERT, ASSERT);
SAME(INVALID_CALL, INVALID_CALL);
SAME(LANES_MISSING, LANES_MISSING);
SAME(DEADLOCK, DEADLOCK);
SAME(NO_MEMORY, NO_MEMORY);
#undef SAME

static void cut(char *out, size_t out_bytes, const char *text) { snprintf(out, out_bytes, "%s", text ? text : ""); }

static hw_simulator_fault public_fault(const hw_fault *fault) {
    hw_simulator_fault out = {.kind = (int32_t)fault->kind, .line = fault->line, .is_write = fault->is_write,
                              .width_bytes = fault->width_bytes, .address = fault->address};
    cut(out.kernel, sizeof out.kernel, fault->kernel);
    cut(out.file, sizeof out.file, fault->file);
    cut(out.text, sizeof out.text, fault->text);
    memcpy(out.block, fault->block, sizeof out.block);
    memcpy(out.thread, fault->thread, sizeof out.thread);
    return out;
}

static hw_status check_params(const hw_simulator_kernel *kernel, void *const *params, hw_diag *diag) {
    hw_sim_function_info info;
    hw_sim_get_function_info(kernel->function, &info);
    for (uint32_t i = 0; i < info.n_params; i++)
        if (!params || !params[i])
            return hw_diag_set(diag, HW_USAGE, "%s has %u parameters, and parameter %u was not given", info.name,
                               info.n_params, i);
    return HW_OK;
}

static hw_status launch_kernel(hw_simulator_kernel *kernel, const hw_simulator_shape *given, void *const *params,
                               hw_fault *fault, hw_diag *diag) {
    hw_simulator *sim = kernel->module->sim;
    hw_simulator_shape shape;
    hw_status status = hw_struct_take(&shape, given, sizeof shape, "hw_simulator_shape", diag);
    if (!status) status = check_params(kernel, params, diag);
    if (status) return status;
    hw_sim_launch_args args = {.function = kernel->function, .dynamic_shared_bytes = shape.dynamic_shared_bytes,
                               .params = params, .cooperative = shape.is_cooperative};
    hw_sim_refusal refusal;
    memcpy(args.grid, shape.grid, sizeof args.grid);
    memcpy(args.block, shape.block, sizeof args.block);
    pthread_mutex_lock(&sim->lock);
    status = hw_sim_launch(sim->sim, &args, &refusal, fault, diag);
    pthread_mutex_unlock(&sim->lock);
    return status;
}

hw_status hw_simulator_launch(hw_simulator_kernel *kernel, const hw_simulator_shape *shape, void *const *params,
                              hw_simulator_fault *fault, hw_diag *diag) {
    hw_diag own;
    hw_fault stopped = {.kind = HW_FAULT_NONE};
    hw_diag_begin(&own);
    hw_status status = fault ? hw_struct_check(fault, "hw_simulator_fault", &own) : HW_OK;
    if (!status) {
        status = launch_kernel(kernel, shape, params, &stopped, &own);
        const hw_simulator_fault known = public_fault(&stopped);
        if (fault) hw_struct_give(fault, &known, sizeof known, "hw_simulator_fault", NULL);
    }
    return hw_diag_tell(diag, &own, status);
}

uint32_t hw_simulator_blocks_per_multiprocessor(const hw_simulator_kernel *kernel, uint32_t block_threads,
                                                uint32_t dynamic_shared_bytes) {
    return hw_sim_blocks_per_sm(kernel->module->sim->sim, kernel->function, block_threads, dynamic_shared_bytes);
}
