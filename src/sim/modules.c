// Device code of the public simulator: what it is packed in, its kernels and variables.
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "sim/internal.h"
#include "toolchain/binary/fatbin.h"

// ---- Loading --------------------------------------------------------------------------------------------------------

static bool begins_with(const void *image, size_t bytes, const void *magic, size_t magic_bytes) {
    return bytes >= magic_bytes && !memcmp(image, magic, magic_bytes);
}

static hw_status load_fat_binary(hw_simulator *sim, const void *image, size_t bytes, const char *name,
                                 hw_sim_module **out, hw_diag *diag) {
    hw_fatbin fatbin;
    char *ptx = NULL;
    size_t length = 0;
    hw_status status = hw_fatbin_open(image, bytes, &fatbin, diag);
    if (!status) status = hw_fatbin_ptx(&fatbin, sim->gpu->arch->cc, &ptx, &length, NULL, diag);
    if (!status) status = hw_sim_load(sim->sim, ptx, length, name, out, diag);
    hw_free(ptx);
    return status;
}

static hw_status load_image(hw_simulator *sim, const void *image, size_t bytes, const char *name, hw_sim_module **out,
                            hw_diag *diag) {
    static const char elf[4] = "\177ELF";
    static const uint32_t fat = HW_FATBIN_MAGIC;
    if (begins_with(image, bytes, &fat, sizeof fat)) return load_fat_binary(sim, image, bytes, name, out, diag);
    if (begins_with(image, bytes, elf, sizeof elf))
        return hw_diag_set_at(diag, HW_UNSUPPORTED, name, 0,
                              "this is machine code or a program (ELF): PTX text or a fat binary can be loaded");
    return hw_sim_load(sim->sim, image, bytes, name, out, diag);
}

// A launch may have all of the shared memory that a block of the GPU can have: there is no opt-in here.
static void allow_shared(hw_simulator *sim, hw_sim_function *function) {
    const hw_arch *arch = sim->gpu->arch;
    const uint32_t most = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
    hw_sim_function_info info;
    hw_sim_get_function_info(function, &info);
    if (info.static_shared_bytes < most)
        hw_sim_set_max_dynamic_shared(sim->sim, function, most - info.static_shared_bytes, NULL);
}

static hw_status list_kernels(hw_simulator_module *module, hw_diag *diag) {
    uint32_t count = 0;
    while (hw_sim_function_at(module->loaded, count)) count++;
    module->kernels = hw_calloc((size_t)count + 1, sizeof *module->kernels);
    if (!module->kernels) return hw_diag_no_memory(diag);
    module->n_kernels = count;
    for (uint32_t i = 0; i < count; i++) {
        module->kernels[i] = (hw_simulator_kernel){module, hw_sim_function_at(module->loaded, i)};
        allow_shared(module->sim, module->kernels[i].function);
    }
    return HW_OK;
}

static void free_module(hw_simulator_module *module) {
    if (module->loaded) hw_sim_unload(module->sim->sim, module->loaded);
    hw_free(module->kernels);
    hw_free(module);
}

static hw_status load_module(hw_simulator *sim, const void *image, size_t bytes, const char *name,
                             hw_simulator_module **out, hw_diag *diag) {
    if (!image) return hw_diag_set(diag, HW_USAGE, "no image is to be loaded");
    hw_simulator_module *module = hw_calloc(1, sizeof *module);
    if (!module) return hw_diag_no_memory(diag);
    module->sim = sim;
    hw_status status = load_image(sim, image, bytes, name ? name : "(image)", &module->loaded, diag);
    if (!status) status = hw_sim_prepare_all(module->loaded, diag);
    if (!status) status = list_kernels(module, diag);
    if (status) {
        free_module(module);
        return status;
    }
    pthread_mutex_lock(&sim->lock);
    module->next = sim->modules;
    sim->modules = module;
    pthread_mutex_unlock(&sim->lock);
    *out = module;
    return HW_OK;
}

hw_status hw_simulator_load(hw_simulator *sim, const void *image, size_t bytes, const char *name,
                            hw_simulator_module **out, hw_diag *diag) {
    hw_diag own;
    *out = NULL;
    return hw_diag_tell(diag, &own, load_module(sim, image, bytes, name, out, hw_diag_begin(&own)));
}

void hw_simulator_unload(hw_simulator_module *module) {
    if (!module) return;
    hw_simulator *sim = module->sim;
    pthread_mutex_lock(&sim->lock);
    hw_simulator_module **link = &sim->modules;
    while (*link && *link != module) link = &(*link)->next;
    if (*link) *link = module->next;
    pthread_mutex_unlock(&sim->lock);
    free_module(module);
}

void hw_simulator_free_modules(hw_simulator *sim) {
    while (sim->modules) hw_simulator_unload(sim->modules);
}

// ---- Kernels and variables ------------------------------------------------------------------------------------------

hw_status hw_simulator_find_kernel(hw_simulator_module *module, const char *name, hw_simulator_kernel **out,
                                   hw_diag *diag) {
    hw_diag own;
    hw_sim_function *function;
    *out = NULL;
    hw_status status = hw_sim_find_function(module->loaded, name, &function, hw_diag_begin(&own));
    for (uint32_t i = 0; !status && i < module->n_kernels; i++)
        if (module->kernels[i].function == function) *out = &module->kernels[i];
    return hw_diag_tell(diag, &own, status);
}

hw_simulator_kernel *hw_simulator_kernel_at(hw_simulator_module *module, uint32_t index) {
    return index < module->n_kernels ? &module->kernels[index] : NULL;
}

hw_status hw_simulator_get_kernel(const hw_simulator_kernel *kernel, hw_simulator_kernel_info *info, hw_diag *diag) {
    hw_diag own;
    hw_sim_function_info known;
    hw_sim_get_function_info(kernel->function, &known);
    const hw_simulator_kernel_info all = {
        .name = known.name,
        .registers = known.regs,
        .spill_bytes = known.spill_bytes,
        .is_estimated = known.regs_estimated,
        .uses_dynamic_shared = known.has_dynamic_shared,
        .static_shared_bytes = known.static_shared_bytes,
        .constant_bytes = known.const_bytes,
        .local_bytes = known.local_bytes,
        .max_threads_per_block = known.max_threads_per_block,
        .max_dynamic_shared_bytes = known.max_dynamic_shared_bytes,
        .parameters = known.n_params,
        .compiler = known.producer,
    };
    return hw_diag_tell(diag, &own,
                        hw_struct_give(info, &all, sizeof all, "hw_simulator_kernel_info", hw_diag_begin(&own)));
}

hw_status hw_simulator_get_parameter(const hw_simulator_kernel *kernel, uint32_t index, uint32_t *offset,
                                     uint32_t *bytes, hw_diag *diag) {
    hw_diag own;
    hw_sim_function_info info;
    hw_status status = HW_OK;
    hw_diag_begin(&own);
    hw_sim_get_function_info(kernel->function, &info);
    if (index >= info.n_params)
        status = hw_diag_set(&own, HW_NOT_FOUND, "%s has %u parameters, and no parameter %u", info.name, info.n_params,
                             index);
    hw_sim_get_param(kernel->function, index, offset, bytes);
    return hw_diag_tell(diag, &own, status);
}

void hw_simulator_set_registers(hw_simulator_kernel *kernel, uint32_t registers, uint32_t spill_bytes) {
    hw_simulator *sim = kernel->module->sim;
    pthread_mutex_lock(&sim->lock);
    hw_sim_set_regs(kernel->function, registers);
    hw_sim_set_spills(kernel->function, registers ? spill_bytes : 0);
    pthread_mutex_unlock(&sim->lock);
}

hw_status hw_simulator_find_variable(hw_simulator_module *module, const char *name, uint64_t *address, uint64_t *bytes,
                                     hw_diag *diag) {
    hw_diag own;
    *address = *bytes = 0;
    return hw_diag_tell(diag, &own, hw_sim_find_global(module->loaded, name, address, bytes, hw_diag_begin(&own)));
}
