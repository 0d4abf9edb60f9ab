// Modules: loading, unloading, what is in them.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/capture.h"
#include "runtime/function.h"
#include "toolchain/binary/fatbin.h"
#include "toolchain/toolchain.h"

// Called back while a text is loaded, by the thread that holds the lock.
uint64_t hw_rt_place_variable(void *context, const char *name, uint64_t bytes) {
    const hw_rt_text *loading = ((hw_runtime *)context)->loading;
    return loading && loading->place ? loading->place(loading->place_context, name, bytes) : 0;
}

static bool is_module(hw_runtime *runtime, const hw_rt_module *module) {
    return hw_rt_handles_have(&runtime->handles, HW_RT_MODULE, module);
}

// The handles of a module and its functions, and its memory; its hw_sim_module goes by itself.
static void forget_module(hw_runtime *runtime, hw_rt_module *module) {
    hw_rt_handles_remove(&runtime->handles, HW_RT_MODULE, module);
    for (size_t i = 0; i < module->n_functions; i++)
        hw_rt_handles_remove(&runtime->handles, HW_RT_FUNCTION, &module->functions[i]);
    hw_free(module->functions);
    hw_free(module->own_ptx);
    hw_free(module);
}

static int by_address(const void *a, const void *b) {
    uintptr_t one = (uintptr_t)((const hw_rt_function *)a)->sim, other = (uintptr_t)((const hw_rt_function *)b)->sim;
    return (one > other) - (one < other);
}

static bool list_functions(hw_runtime *runtime, hw_rt_module *module) {
    size_t count = 0;
    while (hw_sim_function_at(module->sim, (uint32_t)count)) count++;
    module->functions = hw_calloc(count, sizeof *module->functions);
    if (!module->functions) return false;
    for (size_t i = 0; i < count; i++)
        module->functions[i] = (hw_rt_function){.sim = hw_sim_function_at(module->sim, (uint32_t)i), .module = module,
                                                .carveout = -1};
    qsort(module->functions, count, sizeof *module->functions, by_address);
    while (module->n_functions < count)
        if (!hw_rt_handles_add(&runtime->handles, HW_RT_FUNCTION, &module->functions[module->n_functions++]))
            return false;
    return true;
}

// With the lock of loading held. own_ptx is the module's from now on, also where it fails.
static hw_rt_status load_text(hw_runtime *runtime, const hw_rt_text *text, char *own_ptx, hw_rt_module **out,
                              hw_diag *diag) {
    hw_rt_module *module = hw_calloc(1, sizeof *module);
    if (!module) {
        hw_free(own_ptx);
        return hw_rt_status_of(hw_diag_no_memory(diag));
    }
    *module = (hw_rt_module){.ptx = text->ptx, .ptx_bytes = text->ptx_bytes, .own_ptx = own_ptx,
                             .container = text->container, .container_bytes = text->container_bytes};
    runtime->loading = text;
    hw_status status = hw_sim_load(hw_rt_sim(runtime), text->ptx, text->ptx_bytes, text->name, &module->sim, diag);
    runtime->loading = NULL;
    if (!status && (!list_functions(runtime, module) ||
                    !hw_rt_handles_add(&runtime->handles, HW_RT_MODULE, module))) {
        hw_sim_unload(hw_rt_sim(runtime), module->sim);
        status = hw_diag_no_memory(diag);
    }
    if (status) {
        forget_module(runtime, module);
        return hw_rt_status_of(status);
    }
    module->next = runtime->modules;
    runtime->modules = *out = module;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_module_load(hw_runtime *runtime, const hw_rt_text *text, hw_rt_module **out, hw_diag *diag) {
    HW_RT_ENTER(runtime);
    pthread_mutex_lock(&runtime->load_lock);
    hw_rt_status status = load_text(runtime, text, NULL, out, diag);
    pthread_mutex_unlock(&runtime->load_lock);
    return status;
}

// A copy of text that ends with a NUL.
static hw_rt_status copy_text(const char *data, size_t readable_bytes, const char *name, hw_rt_code *out,
                              hw_diag *diag) {
    const char *end = memchr(data, '\0', readable_bytes);
    if (!end || end == data) {
        hw_diag_set(diag, HW_MALFORMED, "the device code of %s is no PTX", name);
        return HW_RT_INVALID_IMAGE;
    }
    out->ptx_bytes = (size_t)(end - data);
    out->ptx = hw_malloc(out->ptx_bytes + 1);
    if (!out->ptx) return hw_rt_status_of(hw_diag_no_memory(diag));
    memcpy(out->ptx, data, out->ptx_bytes + 1);
    return HW_RT_SUCCESS;
}

// Text may be shorter than the four bytes of a file's magic number.
static bool begins_with(const char *data, size_t readable_bytes, const char *magic) {
    size_t i = 0;
    while (i < 4 && i < readable_bytes && data[i] == magic[i]) i++;
    return i == 4;
}

hw_rt_status hw_rt_read_code(hw_runtime *runtime, const void *data, size_t readable_bytes, const char *name,
                             hw_rt_code *out, hw_diag *diag) {
    if (begins_with(data, readable_bytes, "\x50\xed\x55\xba"))   // HW_FATBIN_MAGIC
        return hw_rt_unpack(data, readable_bytes, hw_rt_gpu(runtime)->arch->cc, out, diag);
    *out = (hw_rt_code){0};
    if (begins_with(data, readable_bytes, "\177ELF")) {
        hw_diag_set(diag, HW_NOT_FOUND,
                    "%s loads machine code for GPUs, which cannot be simulated; have it compile to PTX, for compute_XX "
                    "and not sm_XX", name);
        return HW_RT_NO_IMAGE;
    }
    return copy_text(data, readable_bytes, name, out, diag);
}

hw_rt_status hw_rt_module_load_data(hw_runtime *runtime, const void *data, size_t readable_bytes, const char *name,
                                    hw_rt_module **out, hw_diag *diag) {
    HW_RT_ENTER(runtime);
    hw_rt_code code;
    hw_rt_status status = hw_rt_read_code(runtime, data, readable_bytes, name, &code, diag);
    if (status) return status;
    const hw_rt_text text = {.ptx = code.ptx, .ptx_bytes = code.ptx_bytes, .name = code.name[0] ? code.name : name};
    pthread_mutex_lock(&runtime->load_lock);
    status = load_text(runtime, &text, code.ptx, out, diag);
    pthread_mutex_unlock(&runtime->load_lock);
    return status;
}

hw_rt_status hw_rt_module_unload(hw_runtime *runtime, hw_rt_module *module) {
    HW_RT_ENTER(runtime);
    hw_rt_status status;
    if (hw_rt_capture_forbids(runtime, &status)) return status;
    pthread_mutex_lock(&runtime->load_lock);
    bool found = is_module(runtime, module);
    if (found) {
        hw_rt_module **link = &runtime->modules;
        while (*link != module) link = &(*link)->next;
        *link = module->next;
        hw_sim_unload(hw_rt_sim(runtime), module->sim);
        forget_module(runtime, module);
    }
    pthread_mutex_unlock(&runtime->load_lock);
    return found ? HW_RT_SUCCESS : HW_RT_INVALID_HANDLE;
}

void hw_rt_forget_modules(hw_runtime *runtime) {
    pthread_mutex_lock(&runtime->load_lock);
    while (runtime->modules) {
        hw_rt_module *first = runtime->modules;
        runtime->modules = first->next;
        forget_module(runtime, first);
    }
    pthread_mutex_unlock(&runtime->load_lock);
}

hw_rt_status hw_rt_module_function(hw_runtime *runtime, hw_rt_module *module, const char *name, hw_rt_function **out) {
    HW_RT_ENTER(runtime);
    if (!is_module(runtime, module)) return HW_RT_INVALID_HANDLE;
    hw_rt_function wanted = {0};
    if (hw_sim_find_function(module->sim, name, &wanted.sim, NULL)) return HW_RT_NOT_FOUND;
    *out = bsearch(&wanted, module->functions, module->n_functions, sizeof wanted, by_address);
    return *out ? HW_RT_SUCCESS : HW_RT_NOT_FOUND;
}

hw_rt_status hw_rt_module_variable(hw_runtime *runtime, hw_rt_module *module, const char *name, uint64_t *address,
                                   uint64_t *bytes) {
    HW_RT_ENTER(runtime);
    if (!is_module(runtime, module)) return HW_RT_INVALID_HANDLE;
    return hw_sim_find_global(module->sim, name, address, bytes, NULL) ? HW_RT_NOT_FOUND : HW_RT_SUCCESS;
}

size_t hw_rt_module_functions(hw_runtime *runtime, hw_rt_module *module, hw_rt_function **out, size_t n) {
    if (!is_module(runtime, module)) return 0;
    for (size_t i = 0; i < n && i < module->n_functions; i++) out[i] = &module->functions[i];
    return module->n_functions;
}

static void take_answer(void *user, const hw_ptxas_usage *usage) {
    hw_sim_function *function;
    if (usage->regs <= 0 || hw_sim_find_function(user, usage->kernel, &function, NULL)) return;
    hw_sim_set_regs(function, (uint32_t)usage->regs);
    hw_sim_set_spills(function, (uint32_t)usage->spill_bytes);
}

static void take_carried(void *user, const hw_ptxas_usage *usage) {
    hw_sim_function *function;
    hw_sim_function_info info;
    hw_ptxas_usage answer = *usage;
    if (hw_sim_find_function(user, usage->kernel, &function, NULL)) return;
    hw_sim_get_function_info(function, &info);
    answer.spill_bytes = hw_carried_spill_bytes(usage, info.local_bytes);
    take_answer(user, &answer);
}

// Where there is no ptxas, the program's own machine code is asked, which was made without a limit on registers.
static void ask_carried(hw_runtime *runtime, hw_rt_module *module) {
    const int cc = hw_rt_gpu(runtime)->arch->cc;
    hw_arena *arena = hw_arena_create();
    hw_machine_module machine;
    hw_toolchain_carried_regs(module->container, module->container_bytes, cc, take_carried, module->sim, NULL);
    if (arena && !hw_toolchain_carried_counts(module->container, module->container_bytes, cc, module->ptx,
                                              module->ptx_bytes, arena, &machine, NULL))
        hw_sim_set_machine(module->sim, &machine, arena);
    else hw_arena_destroy(arena);
}

// False: it has no answer.
static bool ask_ptxas(hw_runtime *runtime, hw_rt_module *module) {
    const hw_toolchain_options options = {.search_path = runtime->ptxas_path, .cache_dir = runtime->cache_dir,
                                          .max_regs = runtime->options.device.max_regs};
    const int cc = hw_rt_gpu(runtime)->arch->cc;
    hw_arena *arena = hw_arena_create();
    hw_machine_module machine;
    const bool has_answer = !hw_toolchain_ptxas_regs(&options, module->ptx, module->ptx_bytes, cc, take_answer,
                                                     module->sim, NULL);
    if (arena && !hw_toolchain_machine_counts(&options, module->ptx, module->ptx_bytes, cc, arena, &machine, NULL))
        hw_sim_set_machine(module->sim, &machine, arena);
    else hw_arena_destroy(arena);
    return has_answer;
}

// A second thread waits until the first has its answer.
void hw_rt_module_ask_registers(hw_runtime *runtime, hw_rt_module *module) {
    if (!runtime->ptxas_path) return;
    pthread_mutex_lock(&runtime->load_lock);
    const bool was_asked = module->regs_are_asked;
    module->regs_are_asked = true;
    if (!was_asked && !ask_ptxas(runtime, module) && module->container && !runtime->options.device.max_regs)
        ask_carried(runtime, module);
    pthread_mutex_unlock(&runtime->load_lock);
}

const char *hw_rt_module_ptx(const hw_rt_module *module, size_t *bytes) {
    *bytes = module->ptx_bytes;
    return module->ptx;
}
