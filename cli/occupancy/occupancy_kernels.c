// Compile, load on a simulated GPU, ask ptxas: what profile knows of a kernel before it is launched.
#include "occupancy/occupancy_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/status.h"
#include "halfwarp/sim.h"
#include "toolchain/binary/file_kind.h"
#include "toolchain/toolchain.h"

typedef struct loading {
    hw_simulator *sim;
    hw_occupancy_list *list;
    char *cache;
    const char *program;
    bool asks_ptxas;
    uint32_t max_regs;
} loading;

static void take_usage(void *user, const hw_ptxas_usage *usage) {
    hw_simulator_kernel *kernel;
    if (usage->regs <= 0 || hw_simulator_find_kernel(user, usage->kernel, &kernel, NULL)) return;
    hw_simulator_set_registers(kernel, (uint32_t)usage->regs, (uint32_t)usage->spill_bytes);
}

// What its launch bounds allow, whatever registers do: nothing is launched here, so that their number can be put away.
static hw_status bounds_of(hw_simulator_kernel *kernel, uint32_t *most_threads, hw_diag *diag) {
    hw_simulator_kernel_info info = {.struct_bytes = sizeof info};
    hw_simulator_set_registers(kernel, 1, 0);
    hw_status status = hw_simulator_get_kernel(kernel, &info, diag);
    *most_threads = info.max_threads_per_block;
    return status;
}

static hw_status add_kernel(hw_occupancy_list *list, hw_simulator_kernel *kernel, hw_diag *diag) {
    const hw_arch *arch = list->gpu->arch;
    hw_simulator_kernel_info info = {.struct_bytes = sizeof info};
    uint32_t most_threads = 0;
    char name[2048];
    hw_status status = hw_simulator_get_kernel(kernel, &info, diag);
    if (!status) status = bounds_of(kernel, &most_threads, diag);
    if (status) return status;
    snprintf(list->ptx_by, sizeof list->ptx_by, "%s", info.compiler);
    hw_occupancy_row *rows = realloc(list->rows, (list->n_rows + 1) * sizeof *rows);
    if (!rows) return hw_diag_no_memory(diag);
    list->rows = rows;
    // As a launch gets them, which profile shows.
    uint32_t regs = info.registers < arch->min_regs_per_thread ? arch->min_regs_per_thread : info.registers;
    rows[list->n_rows] = (hw_occupancy_row){.kernel = strdup(hw_demangle(info.name, name, sizeof name)),
                                            .regs = regs,
                                            .spill_bytes = info.spill_bytes,
                                            .local_bytes = info.local_bytes,
                                            .regs_estimated = info.is_estimated,
                                            .wants_smem = info.uses_dynamic_shared,
                                            .smem_static = info.static_shared_bytes,
                                            .most_threads = most_threads};
    return rows[list->n_rows++].kernel ? HW_OK : hw_diag_no_memory(diag);
}

// Without ptxas, of the machine code that the program carries.
static void take_carried(void *user, const hw_ptxas_usage *usage) {
    hw_simulator_kernel *kernel;
    hw_simulator_kernel_info info = {.struct_bytes = sizeof info};
    if (hw_simulator_find_kernel(user, usage->kernel, &kernel, NULL) || hw_simulator_get_kernel(kernel, &info, NULL))
        return;
    const int spill_bytes = hw_carried_spill_bytes(usage, info.local_bytes);
    hw_simulator_set_registers(kernel, (uint32_t)usage->regs, (uint32_t)spill_bytes);
}

static void ask_registers(const loading *l, const hw_ptx_piece *piece, hw_simulator_module *module) {
    const hw_toolchain_options options = {.search_path = getenv("PATH"), .cache_dir = l->cache,
                                          .max_regs = l->max_regs};
    const int cc = l->list->gpu->arch->cc;
    if (!hw_toolchain_ptxas_regs(&options, piece->ptx, piece->length, cc, take_usage, module, NULL)) return;
    if (piece->container && !l->max_regs)
        hw_toolchain_carried_regs(piece->container, piece->container_bytes, cc, take_carried, module, NULL);
}

static hw_status load_ptx(void *user, const hw_ptx_piece *piece, hw_diag *diag) {
    loading *l = user;
    hw_simulator_module *module = NULL;
    hw_status status = hw_simulator_load(l->sim, piece->ptx, piece->length, l->program, &module, diag);
    if (status) return status;
    if (l->asks_ptxas) ask_registers(l, piece, module);
    hw_simulator_kernel *kernel;
    for (uint32_t i = 0; !status && (kernel = hw_simulator_kernel_at(module, i)); i++)
        status = add_kernel(l->list, kernel, diag);
    return status;
}

int hw_occupancy_find_kernels(const hw_cli_launch *launch, hw_occupancy_list *list) {
    hw_diag diag = {0};
    char *executable = NULL;
    loading l = {.list = list, .program = launch->program[0], .asks_ptxas = !hw_cli_hides_nvcc(),
                 .max_regs = launch->max_regs};
    char compiler[HW_CLI_COMPILER_NAME] = "";
    const hw_simulator_options options = {.struct_bytes = sizeof options, .threads = 1,
                                          .max_registers = launch->max_regs, .no_counters = true,
                                          .compiler = compiler};
    int result = hw_cli_launch_find(launch, &executable, compiler);
    if (result) goto done;
    l.cache = hw_cli_cache_folder();
    hw_status status = l.cache ? hw_simulator_open(launch->gpu, &options, &l.sim, &diag) : hw_diag_no_memory(&diag);
    if (!status) status = hw_toolchain_each_ptx(executable, l.program, list->gpu->arch->cc, load_ptx, &l, &diag);
    const bool is_source = hw_file_kind_of(launch->program[0], NULL) == HW_FILE_CUDA;
    if ((status == HW_NOT_FOUND && is_source) || (!status && !list->n_rows)) {
        diag = (hw_diag){0};
        status = hw_diag_set(&diag, HW_NOT_FOUND, "%s has no kernels", launch->program[0]);
    }
    if (status) result = hw_cli_fail(status, &diag);
done:
    hw_simulator_close(l.sim);
    free(l.cache);
    free(executable);
    return result;
}

void hw_occupancy_free_rows(hw_occupancy_list *list) {
    for (size_t i = 0; i < list->n_rows; i++) free(list->rows[i].kernel);
    free(list->rows);
    list->rows = NULL;
    list->n_rows = 0;
}
