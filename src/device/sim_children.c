// Launches that kernels make: when their parent has ended; and, in CUDA 11's device runtime, while it waits for them,
// by an executor of their own, unseen by those who observe but for sinks that nest: for others launches come one after
// the other.
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

// The launch but for its parameters.
static hw_sim_launch_args args_of(const hw_sim_parent *parent, hw_sim_function *function, const hw_child *child) {
    return (hw_sim_launch_args){.function = function,
                                .grid = {child->grid[0], child->grid[1], child->grid[2]},
                                .block = {child->block[0], child->block[1], child->block[2]},
                                .dynamic_shared_bytes = child->shared_bytes, .bank_bytes = parent->args->bank_bytes,
                                .stream = parent->args->stream};
}

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
    hw_sim_launch_args args = args_of(parent, function, child);
    args.params = params;
    hw_sim_refusal refusal;
    const hw_status status = depth ? hw_sim_launch_nested(parent, &args, child->number, depth, fault, diag)
                                   : hw_sim_launch_from(sim, &args, (hw_sim_origin){parent->number, child->number},
                                                        &refusal, fault, diag);
    hw_free(params);
    return status;
}

hw_status hw_sim_launch_children(const hw_sim_parent *parent, hw_children *children, hw_fault *fault, hw_diag *diag) {
    hw_status status = HW_OK;
    // Those of a launch that nobody waits for are all seen.
    const uint32_t depth = children->depth ? children->depth + 1 : 0;
    if (children->n) hw_children_sort(children, parent->sim->mem);
    for (size_t i = 0; !status && i < children->n; i++)
        status = launch_child(parent, &children->items[i], depth, fault, diag);
    return status;
}

// ---- what kernels ask ----

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
    tell_unseen(parent);
    for (size_t i = 0; !status && i < children->n; i++)
        status = launch_child(parent, &children->items[i], children->depth + 1, fault, &diag);
    // Nobody has heard what they have written, and launches to come may not take it for what it was (reuse.h).
    hw_mem_set_all_changed(parent->sim->mem);
    if (status && !fault->text[0]) snprintf(fault->text, sizeof fault->text, "%.1000s", diag.text);
    return status;
}

static uint32_t error_of(hw_sim_refusal refusal) {
    static const uint32_t errors[] = {[HW_REFUSED_CONFIGURATION] = 9 /* cudaErrorInvalidConfiguration */,
                                      [HW_REFUSED_RESOURCES] = 701 /* cudaErrorLaunchOutOfResources */,
                                      [HW_REFUSED_CLUSTER] = 912 /* cudaErrorInvalidClusterSize */,
                                      [HW_REFUSED_SHARED] = HW_CHILD_INVALID_VALUE,
                                      [HW_REFUSED_BOUNDS] = HW_CHILD_INVALID_VALUE};
    return errors[refusal];
}

// Programs seldom ask for errors within kernels: the first is told whether they do or not.
static uint32_t refuse(hw_sim *sim, uint32_t error, const char *why) {
    char text[1200];
    if (!sim->options.notice || atomic_exchange(&sim->has_told_refused, true)) return error;
    snprintf(text, sizeof text, "a kernel's launch of another is refused with error %u (cudaGetLastError in device "
             "code), as others may be after it: %.1000s", error, why);
    sim->options.notice(sim->options.notice_context, text);
    return error;
}

// What cannot be executed at all is found out when it is to be.
static uint32_t refuse_child(void *context, uint32_t depth, const hw_child *child) {
    enum { INVALID_FUNCTION = 98 };
    const hw_sim_parent *parent = context;
    hw_sim *sim = parent->sim;
    hw_sim_function *function = function_of(parent->args->function->module, child->function);
    if (!function) return refuse(sim, INVALID_FUNCTION, "what it launches is no kernel of its module");
    if (depth >= HW_CHILD_DEPTHS) return refuse(sim, HW_CHILD_TOO_DEEP, "launches within launches are 24 at most");
    hw_diag diag = {0};
    hw_sim_refusal refusal = HW_REFUSED_NOT;
    const hw_sim_launch_args args = args_of(parent, function, child);
    const hw_status status = hw_sim_check_launch(sim, &args, &refusal, &diag);
    return status == HW_USAGE ? refuse(sim, error_of(refusal), diag.text) : 0;
}

static bool find_attribute(void *context, int attribute, int *value) {
    const hw_sim_options *options = &((const hw_sim_parent *)context)->sim->options;
    return options->attribute && options->attribute(options->gpu, attribute, value);
}

static bool find_limit(void *context, uint32_t limit, size_t *value) {
    const hw_sim_options *options = &((const hw_sim_parent *)context)->sim->options;
    return options->limit && options->limit(options->limit_context, limit, value);
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
                           .sync_depth = atomic_load(&sim->sync_depth), .execute = execute_children,
                           .refuses = refuse_child, .attribute = find_attribute, .limit = find_limit,
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

hw_status hw_sim_lock_nested(hw_sim *sim, uint32_t depth, hw_exec **out, hw_diag *diag) {
    hw_sim_nested *nested = &sim->nested[depth];
    pthread_mutex_lock(&nested->lock);
    hw_status status = HW_OK;
    if (!nested->exec) status = hw_exec_create_nested(sim->exec, &nested->exec, diag);
    if (status) pthread_mutex_unlock(&nested->lock);
    *out = nested->exec;
    return status;
}

void hw_sim_unlock_nested(hw_sim *sim, uint32_t depth) { pthread_mutex_unlock(&sim->nested[depth].lock); }

void hw_sim_init_nested(hw_sim *sim) {
    for (int i = 0; i < HW_CHILD_DEPTHS; i++) pthread_mutex_init(&sim->nested[i].lock, NULL);
}

void hw_sim_destroy_nested(hw_sim *sim) {
    for (int i = HW_CHILD_DEPTHS - 1; i >= 0; i--) {
        hw_exec_destroy(sim->nested[i].exec);
        pthread_mutex_destroy(&sim->nested[i].lock);
    }
}
