// Loading a module: PTX text -> module -> variables placed and filled -> programs, lowered and bound when they are
// used first: a program has hundreds of kernels of templates, and launches some.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/demangle.h"
#include "device/lacks.h"
#include "device/sim_internal.h"
#include "exec/child.h"
#include "toolchain/binary/producer.h"

static bool lives_in_device_memory(const hw_ptx_symbol *symbol) {
    return symbol->space == HW_SPACE_GLOBAL || symbol->space == HW_SPACE_CONST;
}

// A variable that this module declares and another, loaded before, defines.
static uint64_t find_elsewhere(const hw_sim *sim, const hw_ptx_symbol *symbol) {
    for (const hw_sim_module *m = sim->modules; m; m = m->next) {
        const hw_ptx_symbol *other = hw_ptx_find_global(m->ptx, symbol->name);
        if (other && !other->is_extern && lives_in_device_memory(other)) return m->globals[other->index];
    }
    return 0;
}

// A managed variable is one for all GPUs of a machine: whichever loads it first has placed it and filled it.
static uint64_t place_of_managed(const hw_sim *sim, const hw_ptx_symbol *symbol, uint64_t own) {
    if (own || !symbol->is_managed || sim->options.memory.gpus < 2) return own;
    return hw_mem_find_managed(sim->mem, symbol->name);
}

static bool is_anothers(const hw_sim *sim, uint64_t address) {
    hw_allocation found;
    return address && hw_mem_find_any(sim->mem, address, 1, &found) && found.gpu != hw_mem_number(sim->mem);
}

static hw_status place_variable(hw_sim *sim, hw_sim_module *module, uint32_t index, hw_diag *diag) {
    hw_ptx_symbol *symbol = module->ptx->globals[index];
    if (symbol->is_extern) {
        symbol->offset = find_elsewhere(sim, symbol);
        if (symbol->offset) return HW_OK;
        char variable[256];
        return hw_diag_set_at(diag, HW_UNSUPPORTED, module->ptx->name, symbol->line,
                              "variable %s is declared extern and no loaded module defines it",
                              hw_demangle(symbol->name, variable, sizeof variable));
    }
    const hw_sim_options *options = &sim->options;
    uint64_t own = options->place ? options->place(options->place_context, symbol->name, symbol->size_bytes) : 0;
    own = place_of_managed(sim, symbol, own);
    if (is_anothers(sim, own)) {
        symbol->offset = module->globals[index] = own;
        return HW_OK;
    }
    if (own) {
        hw_status status = hw_mem_register(sim->mem, own, symbol->size_bytes, NULL, diag);
        if (!status) symbol->offset = module->globals[index] = own;
        return status;
    }
    char *name = hw_arena_string(sim->names, symbol->name, strlen(symbol->name));
    if (!name) return hw_diag_no_memory(diag);
    hw_status status = hw_mem_alloc(sim->mem, symbol->size_bytes, symbol->align,
                                    symbol->is_managed ? HW_ALLOC_MANAGED : HW_ALLOC_GLOBAL, NULL, name,
                                    &module->globals[index], diag);
    symbol->offset = module->globals[index];
    return status;
}

static hw_status relocation_value(const hw_sim_module *module, const hw_ptx_symbol *symbol, const hw_ptx_reloc *reloc,
                                  uint64_t *value, hw_diag *diag) {
    if (reloc->target_function) {
        *value = HW_FUNCTION_HANDLE + 16 * ((uint64_t)reloc->target_function->index + 1);
    } else if (reloc->target && lives_in_device_memory(reloc->target)) {
        *value = reloc->target->offset;   // device addresses are the same in .global, .const and generic space
    } else {
        return hw_diag_set_at(diag, HW_UNSUPPORTED, module->ptx->name, symbol->line,
                              "the initialiser of %s takes the address of %s, which has none in device memory",
                              symbol->name, reloc->target_name ? reloc->target_name : "something");
    }
    *value = (*value + (uint64_t)reloc->addend) >> (reloc->shift & 63);
    return HW_OK;
}

static hw_status fill_variable(const hw_sim_module *module, const hw_ptx_symbol *symbol, hw_diag *diag) {
    unsigned char *bytes = hw_mem_host(module->sim->mem, symbol->offset);
    if (symbol->init) memcpy(bytes, symbol->init, symbol->size_bytes);
    else memset(bytes, 0, symbol->size_bytes);
    for (uint32_t i = 0; i < symbol->n_relocs; i++) {
        const hw_ptx_reloc *reloc = &symbol->relocs[i];
        uint64_t value;
        hw_status status = relocation_value(module, symbol, reloc, &value, diag);
        if (status) return status;
        if (reloc->width_bytes > 8 || reloc->offset > symbol->size_bytes ||
            reloc->width_bytes > symbol->size_bytes - reloc->offset)
            return hw_diag_set_at(diag, HW_MALFORMED, module->ptx->name, symbol->line,
                                  "an address in the initialiser of %s lies past its end", symbol->name);
        memcpy(bytes + reloc->offset, &value, reloc->width_bytes);
    }
    return HW_OK;
}

static hw_status place_variables(hw_sim *sim, hw_sim_module *module, hw_diag *diag) {
    const hw_ptx_module *ptx = module->ptx;
    module->globals = hw_calloc(ptx->n_globals, sizeof *module->globals);
    if (!module->globals) return hw_diag_no_memory(diag);
    hw_status status = HW_OK;
    for (uint32_t i = 0; i < ptx->n_globals && !status; i++) {
        if (!lives_in_device_memory(ptx->globals[i])) continue;
        status = place_variable(sim, module, i, diag);
        if (ptx->globals[i]->space == HW_SPACE_CONST) module->const_bytes += (uint32_t)ptx->globals[i]->size_bytes;
    }
    // All have addresses now, so that initialisers can name each other.
    for (uint32_t i = 0; i < ptx->n_globals && !status; i++)
        if (module->globals[i] && !is_anothers(sim, module->globals[i]))
            status = fill_variable(module, ptx->globals[i], diag);
    return status;
}

_Static_assert((int)HW_SIM_WATCH_FLOATS == HW_WATCH_FLOATS && (int)HW_SIM_WATCH_INTEGERS == HW_WATCH_INTEGERS,
               "callers of the device do not see lower");

static hw_status list_entries(hw_sim_module *module, hw_diag *diag) {
    const hw_ptx_module *ptx = module->ptx;
    uint32_t most = module->sim->options.gpu->arch->smem_per_block_bytes;
    if (most > HW_SIM_DEFAULT_SHARED_BYTES) most = HW_SIM_DEFAULT_SHARED_BYTES;
    module->functions = hw_calloc(ptx->n_functions, sizeof *module->functions);
    if (!module->functions) return hw_diag_no_memory(diag);
    for (uint32_t i = 0; i < ptx->n_functions; i++) {
        const hw_ptx_function *function = ptx->functions[i];
        hw_program *program = module->set->programs[i];
        module->may_launch |= !function->has_body && hw_child_is_launched_by(function->name);
        if (!function->is_entry || !program) continue;
        hw_sim_function *entry = &module->functions[module->n_functions++];
        entry->module = module;
        entry->ptx = function;
        entry->program = program;
        entry->most_regs = hw_sim_most_regs(entry);
        uint32_t fixed = hw_sim_static_shared(entry);
        entry->max_dynamic_shared_bytes = fixed < most ? most - fixed : 0;
    }
    return HW_OK;
}

static void free_module(hw_sim *sim, hw_sim_module *module) {
    if (module->globals)
        for (uint32_t i = 0; i < module->ptx->n_globals; i++)
            if (module->globals[i] && !is_anothers(sim, module->globals[i]))
                hw_mem_free(sim->mem, module->globals[i], NULL);
    if (module->set) hw_compile_forget(sim->compile, module->set);
    if (module->set) hw_program_set_free(module->set);
    if (module->ptx) hw_ptx_free(module->ptx);
    hw_arena_destroy(module->machine_arena);
    hw_free(module->cycles);
    hw_free(module->globals);
    hw_free(module->functions);
    hw_free(module);
}

hw_status hw_sim_load(hw_sim *sim, const char *ptx, size_t length, const char *name, hw_sim_module **out,
                      hw_diag *diag) {
    *out = NULL;
    hw_sim_module *module = hw_calloc(1, sizeof *module);
    if (!module) return hw_diag_no_memory(diag);
    module->sim = sim;
    const char *producer = sim->options.producer;
    if (!hw_producer_of_ptx(ptx, length, module->producer, sizeof module->producer) && producer && *producer)
        snprintf(module->producer, sizeof module->producer, "%s", producer);
    pthread_mutex_lock(&sim->load_lock);
    hw_status status = hw_ptx_parse(ptx, length, name, &module->ptx, diag);
    if (!status) status = place_variables(sim, module, diag);
    if (!status) status = hw_lower_open(module->ptx, &module->set, diag);
    if (!status) module->set->watched_arithmetic = sim->options.watched;
    if (!status) module->set->has_narrow_addresses = hw_sim_gpu(sim)->arch->cc < 20;
    if (!status) status = list_entries(module, diag);
    if (status) {
        free_module(sim, module);
    } else {
        module->number = ++sim->n_loaded;
        module->next = sim->modules;
        sim->modules = module;
        *out = module;
    }
    pthread_mutex_unlock(&sim->load_lock);
    return status;
}

// What the GPU has not, each once.
static void tell_lacking(hw_sim *sim, const hw_sim_function *function, hw_program *const *reached, uint32_t n) {
    const hw_arch *arch = hw_sim_gpu(sim)->arch;
    char text[1024];
    uint32_t found = 0;
    for (uint32_t i = 0; sim->options.notice && i < n; i++) found |= hw_lacks_of(reached[i], arch);
    for (int k = 0; k < HW_LACKS; k++) {
        if (!((found & ~sim->told_lacks) >> k & 1)) continue;
        hw_lack_write((hw_lack)k, arch, function->ptx->name, text, sizeof text);
        sim->options.notice(sim->options.notice_context, text);
    }
    sim->told_lacks |= found;
}

// Under load_lock.
static hw_status lower_and_bind(hw_sim_function *function, hw_diag *diag) {
    hw_program_set *set = function->module->set;
    uint32_t n;
    hw_program **reached = hw_calloc(set->n_programs, sizeof *reached);
    hw_status status = reached ? hw_lower_reach(set, set->programs[function->ptx->index], reached, &n, diag)
                               : hw_diag_no_memory(diag);
    if (!status) status = hw_exec_bind(set, reached, n, diag);
    if (!status) tell_lacking(function->module->sim, function, reached, n);
    hw_free(reached);
    return status;
}

hw_status hw_sim_prepare(const hw_sim_function *function, hw_diag *diag) {
    hw_sim_module *module = function->module;
    hw_sim_function *own = &module->functions[function - module->functions];
    if (atomic_load_explicit(&own->is_prepared, memory_order_acquire)) return HW_OK;
    pthread_mutex_lock(&module->sim->load_lock);
    hw_status status = HW_OK;
    if (!atomic_load(&own->is_prepared)) status = lower_and_bind(own, diag);
    if (!status) atomic_store_explicit(&own->is_prepared, true, memory_order_release);
    pthread_mutex_unlock(&module->sim->load_lock);
    return status;
}

hw_status hw_sim_prepare_all(hw_sim_module *module, hw_diag *diag) {
    hw_status status = HW_OK;
    for (uint32_t i = 0; i < module->n_functions && !status; i++) status = hw_sim_prepare(&module->functions[i], diag);
    return status;
}

void hw_sim_unload(hw_sim *sim, hw_sim_module *module) {
    pthread_mutex_lock(&sim->load_lock);
    hw_sim_module **link = &sim->modules;
    while (*link && *link != module) link = &(*link)->next;
    if (*link) *link = module->next;
    pthread_mutex_unlock(&sim->load_lock);
    free_module(sim, module);
}

hw_status hw_sim_find_function(hw_sim_module *module, const char *name, hw_sim_function **out, hw_diag *diag) {
    *out = NULL;
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (strcmp(module->functions[i].ptx->name, name) == 0) *out = &module->functions[i];
    return *out ? HW_OK : hw_diag_set(diag, HW_NOT_FOUND, "there is no kernel %s in %s", name, module->ptx->name);
}

hw_sim_function *hw_sim_function_at(hw_sim_module *module, uint32_t index) {
    return index < module->n_functions ? &module->functions[index] : NULL;
}

hw_status hw_sim_find_global(hw_sim_module *module, const char *name, uint64_t *address, uint64_t *bytes,
                             hw_diag *diag) {
    const hw_ptx_symbol *symbol = hw_ptx_find_global(module->ptx, name);
    if (!symbol || !lives_in_device_memory(symbol))
        return hw_diag_set(diag, HW_NOT_FOUND, "there is no variable %s in %s", name, module->ptx->name);
    *address = symbol->offset;
    *bytes = symbol->size_bytes;
    return HW_OK;
}
