// Launches that kernels make: when their parent has ended; and, in CUDA 11's device runtime, while it waits for them,
// by an executor of their own, unseen by those who observe, for whom launches come one after the other.
#include <stdio.h>

#include "base/alloc.h"
#include "device/sim_internal.h"

// The kernel of the module that a handle stands for; NULL: none.
static hw_sim_function *function_of(hw_sim_module *module, uint64_t handle) {
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (HW_FUNCTION_HANDLE + 16 * ((uint64_t)module->functions[i].ptx->index + 1) == handle)
            return &module->functions[i];
    return NULL;
}

// One that no GPU would take is not made, and is no fault of the parent's.
static hw_status launch_child(const hw_sim_parent *parent, const hw_child *child, uint32_t depth, hw_fault *fault,
                              hw_diag *diag) {
    hw_sim *sim = parent->sim;
    hw_sim_function *function = function_of(parent->args->function->module, child->function);
    if (!function) return HW_OK;
    const hw_ptx_function *ptx = function->ptx;
    void **params = hw_calloc(ptx->n_params + 1, sizeof *params);
    if (!params) return hw_diag_no_memory(diag);
    char *from = hw_mem_host(sim->mem, child->params);
    for (uint32_t i = 0; i < ptx->n_params; i++) params[i] = from + ptx->params[i]->offset;
    const hw_sim_launch_args args = {.function = function,
                                     .grid = {child->grid[0], child->grid[1], child->grid[2]},
                                     .block = {child->block[0], child->block[1], child->block[2]},
                                     .dynamic_shared_bytes = child->shared_bytes, .params = params,
                                     .bank_bytes = parent->args->bank_bytes, .stream = parent->args->stream};
    hw_sim_refusal refusal;
    const hw_status status = depth ? hw_sim_launch_inner(sim, &args, depth, fault, diag)
                                   : hw_sim_launch_from(sim, &args, (hw_sim_origin){parent->number, child->number},
                                                        &refusal, fault, diag);
    hw_free(params);
    return status == HW_USAGE ? HW_OK : status;
}

hw_status hw_sim_launch_children(const hw_sim_parent *parent, hw_children *children, hw_fault *fault, hw_diag *diag) {
    hw_status status = HW_OK;
    // Those of a launch that nobody waits for are all seen.
    const uint32_t depth = children->depth ? children->depth + 1 : 0;
    if (children->n) hw_children_sort(children, parent->sim->mem);
    for (size_t i = 0; !status && i < children->n && children->depth + 1 < HW_CHILD_DEPTHS; i++)
        status = launch_child(parent, &children->items[i], depth, fault, diag);
    return status;
}

// ---- what kernels ask ----

// Whoever follows what memory holds would take what the children have written for never written.
static bool is_followed(const hw_sim_parent *parent) {
    return parent->observers->all.events & (HW_WANTS(UNDEFINED) | HW_WANTS(LANE_ACCESS));
}

static void tell_unseen(const hw_sim_parent *parent) {
    hw_sim *sim = parent->sim;
    if (!(parent->observers->all.events & HW_WANTS(EXECUTED)) || atomic_exchange(&sim->has_told_unseen, true)) return;
    if (sim->options.notice)
        sim->options.notice(sim->options.notice_context, "kernels that a kernel has launched and waits for "
                            "(cudaDeviceSynchronize in device code) are executed and not counted");
}

static hw_status execute_children(void *context, hw_children *children, hw_fault *fault) {
    const hw_sim_parent *parent = context;
    hw_diag diag = {0};
    hw_status status = HW_OK;
    if (is_followed(parent)) {
        snprintf(fault->text, sizeof fault->text, "a kernel waits for kernels that it has launched "
                 "(cudaDeviceSynchronize in device code), which cannot be checked");
        return HW_UNSUPPORTED;
    }
    tell_unseen(parent);
    for (size_t i = 0; !status && i < children->n; i++)
        status = launch_child(parent, &children->items[i], children->depth + 1, fault, &diag);
    if (status && !fault->text[0]) snprintf(fault->text, sizeof fault->text, "%.1000s", diag.text);
    return status;
}

static bool find_attribute(void *context, int attribute, int *value) {
    const hw_sim_options *options = &((const hw_sim_parent *)context)->sim->options;
    return options->attribute && options->attribute(options->gpu, attribute, value);
}

static bool describe_function(void *context, uint64_t handle, hw_child_attributes *out) {
    const hw_sim_function *function = function_of(((hw_sim_parent *)context)->args->function->module, handle);
    if (!function || hw_sim_prepare(function, NULL)) return false;
    hw_sim_function_info info;
    hw_sim_get_function_info(function, &info);
    *out = (hw_child_attributes){.shared_bytes = info.static_shared_bytes, .const_bytes = info.const_bytes,
                                 .local_bytes = info.local_bytes, .most_threads = (int32_t)info.max_threads_per_block,
                                 .regs = (int32_t)info.regs, .ptx_version = info.ptx_version,
                                 .binary_version = info.binary_version,
                                 .most_dynamic_shared_bytes = (int32_t)info.max_dynamic_shared_bytes, .carveout = -1};
    return true;
}

static bool find_occupancy(void *context, uint64_t handle, uint32_t threads, uint32_t shared_bytes, uint32_t *blocks) {
    const hw_sim_parent *parent = context;
    const hw_sim_function *function = function_of(parent->args->function->module, handle);
    if (!function || hw_sim_prepare(function, NULL)) return false;
    *blocks = hw_sim_blocks_per_sm(parent->sim, function, threads, shared_bytes);
    return true;
}

hw_child_host hw_sim_child_host(hw_sim_parent *parent) {
    const hw_sim *sim = parent->sim;
    return (hw_child_host){.context = parent, .gpus = sim->options.memory.gpus ? sim->options.memory.gpus : 1,
                           .sync_depth = sim->sync_depth, .execute = execute_children, .attribute = find_attribute,
                           .describe = describe_function, .occupancy = find_occupancy};
}

// ---- who launches ----

// Programs that are reached, each once, and how many of them have been looked at.
typedef struct reached {
    const hw_program **items;
    bool *has;                   // by index of the program
    uint32_t n, n_seen;
} reached;

static void reach(reached *r, const hw_program *program) {
    if (r->has[program->index]) return;
    r->has[program->index] = true;
    r->items[r->n++] = program;
}

// Of an indirect call nobody knows: it may.
static bool is_launched_from(reached *r, const hw_program *entry) {
    bool may = false;
    reach(r, entry);
    while (r->n_seen < r->n && !may) {
        const hw_program *program = r->items[r->n_seen++];
        for (uint32_t i = 0; i < program->n_calls; i++) {
            const hw_call_site *site = &program->calls[i];
            if (site->callee) reach(r, site->callee);
            else may |= !site->builtin || hw_child_is_launched_by(site->builtin);
        }
    }
    return may;
}

bool hw_sim_may_launch(const hw_sim_function *function) {
    const uint32_t n = function->module->set->n_programs;
    if (!function->module->may_launch) return false;
    reached r = {.items = hw_calloc(n, sizeof *r.items), .has = hw_calloc(n, sizeof *r.has)};
    const bool may = !r.items || !r.has || is_launched_from(&r, function->program);
    hw_free(r.items);
    hw_free(r.has);
    return may;
}

// ---- executors ----

hw_status hw_sim_lock_inner(hw_sim *sim, uint32_t depth, hw_exec **out, hw_diag *diag) {
    hw_sim_inner *inner = &sim->inner[depth];
    pthread_mutex_lock(&inner->lock);
    hw_status status = HW_OK;
    if (!inner->exec) status = hw_exec_create_inner(sim->exec, &inner->exec, diag);
    if (status) pthread_mutex_unlock(&inner->lock);
    *out = inner->exec;
    return status;
}

void hw_sim_unlock_inner(hw_sim *sim, uint32_t depth) { pthread_mutex_unlock(&sim->inner[depth].lock); }

void hw_sim_init_inner(hw_sim *sim) {
    for (int i = 0; i < HW_CHILD_DEPTHS; i++) pthread_mutex_init(&sim->inner[i].lock, NULL);
}

void hw_sim_destroy_inner(hw_sim *sim) {
    for (int i = HW_CHILD_DEPTHS - 1; i >= 0; i--) {
        hw_exec_destroy(sim->inner[i].exec);
        pthread_mutex_destroy(&sim->inner[i].lock);
    }
}
