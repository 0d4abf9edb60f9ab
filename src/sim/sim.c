// The public simulator: halfwarp/sim.h on the simulated GPU of device/sim.h and the profiler of prof/. This file opens
// and closes it.
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/gpu_file.h"
#include "sim/internal.h"

static hw_status keep_compiler(hw_simulator *sim, const char *compiler, hw_diag *diag) {
    if (!compiler) return HW_OK;
    sim->compiler = hw_malloc(strlen(compiler) + 1);
    if (!sim->compiler) return hw_diag_no_memory(diag);
    strcpy(sim->compiler, compiler);
    return HW_OK;
}

static hw_status set_up(hw_simulator *sim, const char *gpu, const hw_simulator_options *given, hw_diag *diag) {
    hw_simulator_options options = {0};
    hw_status status = given ? hw_struct_take(&options, given, sizeof options, "hw_simulator_options", diag) : HW_OK;
    if (!status && !gpu) status = hw_diag_set(diag, HW_USAGE, "no GPU was named");
    if (!status) status = hw_gpu_open(gpu, &sim->gpu, diag);
    if (!status) status = keep_compiler(sim, options.compiler, diag);
    if (status) return status;
    const hw_sim_options of_device = {
        .gpu = sim->gpu, .threads = options.threads, .seed = options.seed, .print = options.print,
        .print_context = options.print_context, .notice = options.notice, .notice_context = options.notice_context,
        .poisons = options.poisons, .poison = options.poison, .producer = sim->compiler,
        .max_regs = options.max_registers, .max_instructions = options.max_instructions};
    sim->wants_lines = options.lines;
    status = hw_sim_create(&of_device, &sim->sim, diag);
    return status || options.no_counters ? status : hw_simulator_begin_rows(sim, diag);
}

hw_status hw_simulator_open(const char *gpu, const hw_simulator_options *options, hw_simulator **out, hw_diag *diag) {
    hw_diag own;
    hw_diag_begin(&own);
    *out = NULL;
    hw_simulator *sim = hw_calloc(1, sizeof *sim);
    if (!sim) return hw_diag_tell(diag, &own, hw_diag_no_memory(&own));
    pthread_mutex_init(&sim->lock, NULL);
    hw_status status = set_up(sim, gpu, options, &own);
    if (status) hw_simulator_close(sim);
    else *out = sim;
    return hw_diag_tell(diag, &own, status);
}

void hw_simulator_close(hw_simulator *sim) {
    if (!sim) return;
    hw_simulator_free_modules(sim);
    hw_sim_destroy(sim->sim);
    hw_prof_destroy(sim->prof);
    hw_gpu_close(sim->gpu);
    hw_free(sim->compiler);
    pthread_mutex_destroy(&sim->lock);
    hw_free(sim);
}

hw_status hw_simulator_get_gpu(const hw_simulator *sim, hw_simulator_gpu *gpu, hw_diag *diag) {
    hw_diag own;
    const hw_gpu *g = sim->gpu;
    const hw_arch *arch = g->arch;
    const hw_simulator_gpu known = {
        .id = g->id,
        .name = g->name,
        .compute_capability = (uint32_t)arch->cc,
        .multiprocessors = g->sms,
        .clock_mhz = g->clock_mhz,
        .l2_kib = g->l2_kib,
        .memory_bytes = g->memory_bytes,
        .memory_gbs = g->memory_gbs,
        .max_threads_per_block = arch->max_threads_per_block,
        .threads_per_multiprocessor = arch->threads_per_sm,
        .warps_per_multiprocessor = arch->warps_per_sm,
        .blocks_per_multiprocessor = arch->blocks_per_sm,
        .registers_per_multiprocessor = arch->regs_per_sm,
        .max_registers_per_thread = arch->max_regs_per_thread,
        .min_registers_per_thread = arch->min_regs_per_thread,
        .shared_bytes_per_multiprocessor = arch->smem_per_sm_bytes,
        .max_shared_bytes_per_block = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes,
        .banks = arch->smem_banks,
        .bank_bytes = arch->smem_bank_bytes,
    };
    return hw_diag_tell(diag, &own,
                        hw_struct_give(gpu, &known, sizeof known, "hw_simulator_gpu", hw_diag_begin(&own)));
}
