// Functions and launches: what the simulated GPU allows, and the way into execution.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/demangle.h"
#include "base/integers.h"
#include "device/sim_internal.h"
#include "exec/child.h"
#include "model/clock.h"
#include "model/occupancy.h"

static const hw_arch *arch_of(const hw_sim_function *function) { return function->module->sim->options.gpu->arch; }

// For messages. The buffer is the caller's.
static const char *name_of(const hw_sim_function *function, char name[256]) {
    return hw_demangle(function->ptx->name, name, 256);
}

static uint64_t product(const uint32_t d[3]) { return (uint64_t)d[0] * d[1] * d[2]; }

uint32_t hw_sim_regs(const hw_sim_function *function) {
    uint32_t regs = function->regs ? function->regs : function->program->regs_estimate;
    uint32_t most = function->regs ? arch_of(function)->max_regs_per_thread : function->most_regs;
    if (most && regs > most) regs = most;
    return regs ? regs : 1;
}

uint32_t hw_sim_spill_bytes(const hw_sim_function *function) {
    enum { THERE_AND_BACK = 2 * 4 };
    if (function->regs) return function->spill_bytes;
    return (function->program->regs_estimate - hw_sim_regs(function)) * THERE_AND_BACK;
}

static uint32_t launch_shared(const hw_sim_function *function) {
    return hw_model_launch_smem_bytes(arch_of(function), function->ptx->param_bytes);
}

uint32_t hw_sim_static_shared(const hw_sim_function *function) {
    return function->program->shared_bytes + launch_shared(function);
}

static uint32_t most_shared(const hw_arch *arch) {
    return arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
}

// For messages, why more is used than the program says; "" from 2.0 on. The buffer is the caller's.
static const char *launch_shared_text(const hw_sim_function *function, char text[160]) {
    text[0] = 0;
    if (launch_shared(function))
        snprintf(text, 160, "; %u of them hold its arguments and the launch's configuration, which lie there before "
                 "compute capability 2.0", launch_shared(function));
    return text;
}

// Threads that .maxntid or .reqntid allow in a block; 0: not stated.
static uint64_t stated_threads(const hw_ptx_function *ptx) {
    const uint32_t *stated = ptx->req_ntid[0] ? ptx->req_ntid : ptx->max_ntid;
    if (!stated[0]) return 0;
    return (uint64_t)stated[0] * (stated[1] ? stated[1] : 1) * (stated[2] ? stated[2] : 1);
}

// Source: ptxas 13.0 for sm_75 to sm_100, "adjusting per thread register count of 8 to lower bound of 24".
uint32_t hw_sim_least_limit(const hw_arch *arch) { return arch->cc >= 70 ? 24 : 1; }

// As many registers as let the stated blocks of the stated threads be resident; a number of blocks that no kernel could
// reach is ignored, as ptxas does.
static uint32_t most_by_bounds(const hw_sim_function *function, uint32_t threads, uint32_t most) {
    const hw_arch *arch = arch_of(function);
    uint32_t blocks = function->ptx->min_ncta_per_sm ? function->ptx->min_ncta_per_sm : 1;
    if (hw_model_occupancy(arch, threads, 1, 0).blocks < blocks) blocks = 1;
    while (most > 1 && hw_model_occupancy(arch, threads, most, 0).blocks < blocks) most--;
    return most;
}

uint32_t hw_sim_most_regs(const hw_sim_function *function) {
    const hw_arch *arch = arch_of(function);
    enum { ENCODABLE = 255 };
    uint32_t most = arch->max_regs_per_thread ? arch->max_regs_per_thread : ENCODABLE;
    uint32_t limit = function->module->sim->options.max_regs;
    uint64_t stated = stated_threads(function->ptx);
    if (stated && stated <= arch->max_threads_per_block) most = most_by_bounds(function, (uint32_t)stated, most);
    // nvcc's manual: the limit is ignored for kernels with launch bounds.
    if (limit && limit < hw_sim_least_limit(arch)) limit = hw_sim_least_limit(arch);
    if (!stated && limit && limit < most) most = limit;
    if (function->ptx->max_nreg && function->ptx->max_nreg < most) most = function->ptx->max_nreg;
    return most;
}

// Registers as they are handed out: whole units per warp, warps in the groups that share a register file.
static uint32_t threads_by(const hw_sim_function *function, uint32_t regs_per_thread) {
    const hw_arch *arch = arch_of(function);
    uint32_t unit = arch->reg_unit ? arch->reg_unit : 1;
    uint32_t per_warp = (uint32_t)hw_align_up(regs_per_thread * HW_WARP_LANES, unit);
    uint32_t regs = arch->regs_per_block ? arch->regs_per_block : arch->regs_per_sm;
    uint32_t group = arch->warp_granularity ? arch->warp_granularity : 1;
    uint32_t threads = regs / per_warp / group * group * HW_WARP_LANES;
    return threads < arch->max_threads_per_block ? threads : arch->max_threads_per_block;
}

static uint32_t threads_by_registers(const hw_sim_function *function) {
    return threads_by(function, hw_sim_regs(function));
}

void hw_sim_get_function_info(const hw_sim_function *function, hw_sim_function_info *info) {
    hw_sim_prepare(function, NULL);
    const hw_ptx_module *ptx = function->module->ptx;
    uint64_t stated = stated_threads(function->ptx), threads = threads_by_registers(function);
    *info = (hw_sim_function_info){
        .name = function->ptx->name,
        .regs = hw_sim_regs(function),
        .regs_estimated = !function->regs,
        .spill_bytes = hw_sim_spill_bytes(function),
        .has_dynamic_shared = function->program->dynamic_shared_align != 0,
        .static_shared_bytes = hw_sim_static_shared(function),
        .const_bytes = function->module->const_bytes,
        .local_bytes = function->program->local_bytes,
        .max_threads_per_block = (uint32_t)(stated && stated < threads ? stated : threads),
        .max_dynamic_shared_bytes = function->max_dynamic_shared_bytes,
        .n_params = function->ptx->n_params,
        .ptx_version = ptx->target,
        .binary_version = arch_of(function)->cc,
        .producer = function->module->producer,
    };
}

void hw_sim_get_param(const hw_sim_function *function, uint32_t index, uint32_t *offset, uint32_t *bytes) {
    *offset = *bytes = 0;
    if (index >= function->ptx->n_params) return;
    *offset = (uint32_t)function->ptx->params[index]->offset;
    *bytes = (uint32_t)function->ptx->params[index]->size_bytes;
}

void hw_sim_set_regs(hw_sim_function *function, uint32_t regs) { function->regs = regs; }
void hw_sim_set_machine(hw_sim_module *module, const hw_machine_module *machine, hw_arena *arena) {
    hw_arena_destroy(module->machine_arena);
    module->machine_arena = arena;
    module->machine = *machine;
}
void hw_sim_set_spills(hw_sim_function *function, uint32_t bytes) { function->spill_bytes = bytes; }

hw_status hw_sim_set_max_dynamic_shared(hw_sim *sim, hw_sim_function *function, uint32_t bytes, hw_diag *diag) {
    const hw_arch *arch = sim->options.gpu->arch;
    uint32_t most = most_shared(arch), fixed = hw_sim_static_shared(function);
    char name[256], why[160];
    if (fixed > most || bytes > most - fixed)
        return hw_diag_set(diag, HW_USAGE, "%s: %u bytes of dynamic and %u of static shared memory are more than "
                           "the %u that a block of %s can have%s", name_of(function, name), bytes, fixed, most,
                           sim->options.gpu->name, launch_shared_text(function, why));
    function->max_dynamic_shared_bytes = bytes;
    return HW_OK;
}

uint32_t hw_sim_blocks_per_sm(const hw_sim *sim, const hw_sim_function *function, uint32_t block_threads,
                              uint32_t dynamic_shared_bytes) {
    uint32_t shared = hw_sim_static_shared(function) + dynamic_shared_bytes;
    const hw_arch *arch = sim->options.gpu->arch;
    hw_sim_prepare(function, NULL);
    uint32_t regs = hw_sim_regs(function);
    // ptxas would have made the kernel fit; an estimate that does not is too high.
    if (!function->regs && block_threads)
        while (regs > 1 && block_threads <= arch->max_threads_per_block && block_threads > threads_by(function, regs))
            regs--;
    return hw_model_occupancy(arch, block_threads, regs, shared).blocks;
}

static hw_status refuse(hw_sim_refusal *refusal, hw_sim_refusal why) {
    *refusal = why;
    return HW_USAGE;
}

static hw_status check_dimensions(const hw_arch *arch, const hw_sim_launch_args *args, hw_sim_refusal *refusal,
                                  hw_diag *diag) {
    static const char axis[] = "xyz";
    for (int i = 0; i < 3; i++) {
        if (!args->grid[i] || args->grid[i] > arch->max_grid[i]) {
            hw_diag_set(diag, HW_USAGE, "grid dimension %c is %u, not 1 to %u", axis[i], args->grid[i],
                        arch->max_grid[i]);
            return refuse(refusal, HW_REFUSED_CONFIGURATION);
        }
        if (!args->block[i] || args->block[i] > arch->max_block[i]) {
            hw_diag_set(diag, HW_USAGE, "block dimension %c is %u, not 1 to %u", axis[i], args->block[i],
                        arch->max_block[i]);
            return refuse(refusal, HW_REFUSED_CONFIGURATION);
        }
    }
    if (product(args->block) > arch->max_threads_per_block) {
        hw_diag_set(diag, HW_USAGE, "a block of %llu threads: the most is %u",
                    (unsigned long long)product(args->block), arch->max_threads_per_block);
        return refuse(refusal, HW_REFUSED_CONFIGURATION);
    }
    return HW_OK;
}

// Blocks of a cluster along each axis.
static void find_cluster(const hw_sim_launch_args *args, uint32_t cluster[3]) {
    const uint32_t *said = args->cluster[0] ? args->cluster : args->function->ptx->req_cluster;
    for (int i = 0; i < 3; i++) cluster[i] = said[i] ? said[i] : 1;
}

// CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks everywhere, 16 where a GPU has room for as many.
static hw_status check_cluster(const hw_sim *sim, const hw_sim_launch_args *args, hw_sim_refusal *refusal,
                               hw_diag *diag) {
    enum { MOST = 16, FIRST_CAPABILITY = 90 };
    uint32_t cluster[3];
    find_cluster(args, cluster);
    const uint64_t blocks = product(cluster);
    const hw_arch *arch = sim->options.gpu->arch;
    bool is_whole = true;
    for (int i = 0; i < 3; i++) is_whole &= args->grid[i] % cluster[i] == 0;
    if (blocks == 1 || (arch->cc >= FIRST_CAPABILITY && blocks <= MOST && is_whole)) return HW_OK;
    if (arch->cc < FIRST_CAPABILITY)
        hw_diag_set(diag, HW_USAGE, "clusters of blocks need compute capability 9.0, and %s has %u.%u",
                    sim->options.gpu->name, arch->cc / 10, arch->cc % 10);
    else if (blocks > MOST)
        hw_diag_set(diag, HW_USAGE, "a cluster of %llu blocks: the most is %d", (unsigned long long)blocks, MOST);
    else
        hw_diag_set(diag, HW_USAGE, "a grid of %ux%ux%u blocks is no whole number of clusters of %ux%ux%u",
                    args->grid[0], args->grid[1], args->grid[2], cluster[0], cluster[1], cluster[2]);
    return refuse(refusal, HW_REFUSED_CLUSTER);
}

static hw_status check_function(const hw_sim *sim, const hw_sim_launch_args *args, hw_sim_refusal *refusal,
                                hw_diag *diag) {
    const hw_sim_function *function = args->function;
    uint64_t threads = product(args->block), stated = stated_threads(function->ptx);
    char name[256];
    if (stated && threads > stated) {
        hw_diag_set(diag, HW_USAGE, "%s is compiled for at most %llu threads in a block, not %llu",
                    name_of(function, name), (unsigned long long)stated, (unsigned long long)threads);
        return refuse(refusal, HW_REFUSED_BOUNDS);
    }
    // An estimate of registers is no reason to refuse: ptxas may well do with fewer.
    if (function->regs && threads > threads_by_registers(function)) {
        hw_diag_set(diag, HW_USAGE, "%s takes %u registers, too many for blocks of %llu threads",
                    name_of(function, name), function->regs, (unsigned long long)threads);
        return refuse(refusal, HW_REFUSED_RESOURCES);
    }
    uint64_t shared = (uint64_t)hw_sim_static_shared(function) + args->dynamic_shared_bytes;
    if (shared > most_shared(arch_of(function))) {
        char why[160];
        hw_diag_set(diag, HW_USAGE, "%s uses %llu bytes of shared memory, and a block may have %u%s",
                    name_of(function, name), (unsigned long long)shared, most_shared(arch_of(function)),
                    launch_shared_text(function, why));
        return refuse(refusal, HW_REFUSED_SHARED);
    }
    if (args->dynamic_shared_bytes > function->max_dynamic_shared_bytes) {
        hw_diag_set(diag, HW_USAGE, "%s is launched with %u bytes of dynamic shared memory and may have %u",
                    name_of(function, name), args->dynamic_shared_bytes, function->max_dynamic_shared_bytes);
        return refuse(refusal, HW_REFUSED_SHARED);
    }
    uint64_t resident = (uint64_t)sim->options.gpu->sms *
                        hw_sim_blocks_per_sm(sim, function, (uint32_t)threads, args->dynamic_shared_bytes);
    if (args->cooperative && product(args->grid) > resident) {
        hw_diag_set(diag, HW_USAGE, "a cooperative launch of %llu blocks: %llu are resident at one time",
                    (unsigned long long)product(args->grid), (unsigned long long)resident);
        return refuse(refusal, HW_REFUSED_COOPERATIVE);
    }
    return HW_OK;
}

// Local memory per thread: the compiler's part, calls included, and what cudaLimitStackSize leaves for recursion.
static uint32_t stack_bytes(const hw_sim *sim, const hw_program_set *set) {
    enum { MOST = 512 << 10 };
    uint64_t bytes = sim->stack_bytes;
    for (uint32_t i = 0; i < set->n_programs; i++)
        if (set->programs[i]) bytes += set->programs[i]->local_bytes;
    return bytes < MOST ? (uint32_t)bytes : MOST;
}

static void pack_params(const hw_ptx_function *ptx, void *const *params, unsigned char *out) {
    for (uint32_t i = 0; i < ptx->n_params; i++)
        memcpy(out + ptx->params[i]->offset, params[i], ptx->params[i]->size_bytes);
}

static hw_launch_info describe(const hw_sim *sim, const hw_sim_launch_args *args, hw_sim_origin from) {
    const hw_sim_function *function = args->function;
    const hw_program_set *set = function->module->set;
    hw_launch_info info = {
        .kernel = function->ptx->name,
        .regs = hw_sim_regs(function),
        .regs_estimated = !function->regs,
        .spill_bytes = hw_sim_spill_bytes(function),
        .producer = function->module->producer,
        .smem_static_bytes = hw_sim_static_shared(function),
        .smem_dynamic_bytes = args->dynamic_shared_bytes,
        .local_bytes = function->program->local_bytes,
        .bank_bytes = args->bank_bytes,
        .notes = set->notes,
        .n_notes = set->n_notes,
        .files = (const char *const *)function->module->ptx->files,
        .n_files = function->module->ptx->n_files,
        .inlinings = function->module->ptx->inlinings,
        .n_inlinings = function->module->ptx->n_inlinings,
        .n_workers = hw_exec_workers(sim->exec),
        .number = sim->common->launches,
        .gpu = hw_mem_number(sim->mem),
        .stream = args->stream,
        .is_cooperative = args->cooperative,
        .may_launch = from.parent ? function->module->may_launch : hw_sim_may_launch(function),
        .parent = from.parent,
        .child = from.child,
        .n_patterns = set->n_accesses * HW_PATTERN_WAYS,
        .mem = sim->mem,
        .machine = function->module->machine.n_functions ? &function->module->machine : NULL,
    };
    memcpy(info.grid, args->grid, sizeof info.grid);
    memcpy(info.block, args->block, sizeof info.block);
    find_cluster(args, info.cluster);
    return info;
}

static bool reads_clock(const hw_program_set *set) {
    for (uint32_t i = 0; i < set->n_programs; i++)
        if (set->programs[i] && set->programs[i]->reads_clock) return true;
    return false;
}

// Notes are added as kernels are lowered. NULL: no kernel reads a clock, or there is no memory, and clocks count
// instructions.
static const hw_cycles *cycles_of(const hw_sim *sim, hw_sim_module *module) {
    const hw_program_set *set = module->set;
    if (!sim->options.has_gpu_clock || module->n_cycles == set->n_notes) return module->cycles;
    hw_free(module->cycles);
    module->cycles = reads_clock(set) ? hw_calloc((size_t)set->n_notes + 1, sizeof *module->cycles) : NULL;
    module->n_cycles = set->n_notes;
    if (module->cycles) hw_model_clock_sums(sim->options.gpu, set->notes, set->n_notes, module->cycles);
    return module->cycles;
}

// From the end of a block until another in its place begins; asked for where a clock shows it.
static double block_start_cycles(const hw_sim *sim, const hw_sim_launch_args *args) {
    return hw_model_block_start_cycles(sim->options.gpu, (double)hw_divide_up(product(args->block), HW_WARP_LANES));
}

static uint64_t begin_ns(const hw_sim *sim, const hw_sim_launch_args *args) {
    const hw_sim_options *options = &sim->options;
    return options->begin_us ? (uint64_t)(options->begin_us(options->begin_context, args->stream) * 1e3) : 0;
}

static hw_exec_gpu describe_gpu(const hw_sim *sim, const hw_sim_launch_args *args) {
    const hw_gpu *gpu = sim->options.gpu;
    uint32_t per_sm = hw_sim_blocks_per_sm(sim, args->function, (uint32_t)product(args->block),
                                           args->dynamic_shared_bytes);
    const hw_cycles *cycles = cycles_of(sim, args->function->module);
    return (hw_exec_gpu){
        .compute_capability = (uint32_t)gpu->arch->cc,
        .sms = gpu->sms,
        .resident_blocks = gpu->sms * (per_sm ? per_sm : 1),
        .clock_khz = gpu->clock_mhz * 1000,
        .cycles = cycles,
        .block_start_cycles = cycles ? block_start_cycles(sim, args) : 0,
        .block_turn_cycles = cycles ? hw_model_block_turn_cycles(gpu) : 0,
        .begin_ns = cycles ? begin_ns(sim, args) : 0,
        .max_shared_bytes = most_shared(gpu->arch),
    };
}

// What the driver gives a cooperative launch, and nvcc's grid.sync() uses: a word for the size, and the barrier, zero
// at first. Launches come one after the other, so one will do.
static hw_status place_grid_barrier(hw_sim *sim, hw_diag *diag) {
    static const uint32_t fresh[2] = {sizeof fresh, 0};
    hw_status status = HW_OK;
    if (!sim->grid_barrier)
        status = hw_mem_alloc(sim->mem, sizeof fresh, 256, HW_ALLOC_GLOBAL, NULL, "grid barrier", &sim->grid_barrier,
                              diag);
    if (status == HW_OK) {
        memcpy(hw_mem_host(sim->mem, sim->grid_barrier), fresh, sizeof fresh);
        hw_mem_set_changed(sim->mem, sim->grid_barrier);
    }
    return status;
}

// What a launch does beside the memory that it finds, in front of its arguments. No byte of it is left out.
typedef struct launch_key {
    uint64_t module, heap_bytes;
    uint32_t function, grid[3], block[3], dynamic_shared_bytes, bank_bytes, stack_bytes;
    uint32_t regs, regs_estimated, spill_bytes, cluster;
} launch_key;
_Static_assert(sizeof(launch_key) == 2 * 8 + 14 * 4, "equal launches have equal bytes");

static launch_key key_of(const hw_sim *sim, const hw_sim_function *function, const hw_launch_info *info) {
    const uint32_t *g = info->grid, *b = info->block;
    return (launch_key){.module = function->module->number,
                        .heap_bytes = sim->heap_bytes,
                        .function = (uint32_t)function->ptx->index,
                        .grid = {g[0], g[1], g[2]},
                        .block = {b[0], b[1], b[2]},
                        .dynamic_shared_bytes = info->smem_dynamic_bytes,
                        .bank_bytes = info->bank_bytes,
                        .stack_bytes = sim->stack_bytes,
                        .regs = info->regs,
                        .regs_estimated = info->regs_estimated,
                        .spill_bytes = info->spill_bytes,
                        .cluster = info->cluster[0] | info->cluster[1] << 8 | info->cluster[2] << 16};
}

// Is the launch one that was executed already, as far as its results and its observers go? Then they have been told.
// key: with room for a launch_key in front of the arguments.
static bool repeat_launch(hw_sim *sim, const hw_sim_function *function, const hw_launch_info *info,
                          const hw_observers *observers, unsigned char *key) {
    const launch_key head = key_of(sim, function, info);
    memcpy(key, &head, sizeof head);
    uint64_t number = hw_reuse_find(sim->reuse, key, sizeof head + function->ptx->param_bytes), begin = 0;
    if (number) begin = hw_now_ns();
    if (!number || !hw_observers_keep(observers, number)) return false;
    hw_observers_repeat(observers, info, number, hw_now_ns() - begin);
    return true;
}

// Of a launch that a kernel waits for the compiler does not hear; and to those who look at the monitor the kernel's own
// goes on, of which it is a part: it answers their questions, and is stopped with it.
static hw_status execute(const hw_sim_parent *own, hw_exec *exec, const void *params, const hw_launch_info *info,
                         hw_children *children, hw_fault *fault, hw_diag *diag) {
    hw_sim *sim = own->sim;
    const hw_sim_launch_args *args = own->args;
    const hw_sim_function *function = args->function;
    hw_monitor *begun = children->depth ? NULL : sim->monitor;
    hw_compile *compile = children->depth ? NULL : sim->compile;
    hw_launch launch = {
        .set = function->module->set,
        .entry = function->program,
        .dynamic_shared_bytes = args->dynamic_shared_bytes,
        .params = params,
        .stack_bytes = stack_bytes(sim, function->module->set),
        .heap_bytes = sim->heap_bytes,
        .grid_id = info->number,
        .grid_barrier = args->cooperative ? sim->grid_barrier : 0,
        .seed = sim->options.seed,
        .gpu = describe_gpu(sim, args),
        .mem = sim->mem,
        .observers = own->observers,
        .info = info,
        .print = sim->options.print,
        .print_context = sim->options.print_context,
        .notice = sim->options.notice,
        .notice_context = sim->options.notice_context,
        .keeps_others_out = sim->options.memory.gpus > 1,
        .monitor = sim->monitor,
        .is_nested = children->depth != 0,
        .children = children,
        .lenient = sim->options.lenient ? &sim->has_been_lenient : NULL,
        .max_instructions = sim->options.max_instructions,
    };
    memcpy(launch.grid, args->grid, sizeof launch.grid);
    memcpy(launch.block, args->block, sizeof launch.block);
    memcpy(launch.cluster, info->cluster, sizeof launch.cluster);
    if (begun) hw_monitor_begin(begun, info->kernel, info->number, args->grid, args->block);
    hw_compile_launch_begins(compile, function->module->set, function->program);
    hw_status status = hw_exec_launch(exec, &launch, fault, diag);
    hw_compile_launch_ends(compile);
    if (begun) hw_monitor_end(begun);
    return status;
}

static hw_status watch_undefined(hw_sim *sim, hw_program_set *set, hw_diag *diag) {
    pthread_mutex_lock(&sim->load_lock);
    const hw_status status = hw_exec_watch(set, diag);
    pthread_mutex_unlock(&sim->load_lock);
    return status;
}

static bool is_to_execute(const hw_sim *sim, const hw_sim_function *function) {
    const hw_sim_options *options = &sim->options;
    return !options->executes || options->executes(options->launch_context, function->ptx->name);
}

hw_status hw_sim_check_launch(hw_sim *sim, const hw_sim_launch_args *args, hw_sim_refusal *refusal, hw_diag *diag) {
    hw_status status = check_dimensions(sim->options.gpu->arch, args, refusal, diag);
    if (!status) status = hw_sim_prepare(args->function, diag);
    if (!status) status = check_function(sim, args, refusal, diag);
    if (!status) status = check_cluster(sim, args, refusal, diag);
    return status;
}

// The arguments as PTX lays them out, behind room for the rest of the key (a launch_key).
static unsigned char *pack_key(const hw_sim_launch_args *args, hw_diag *diag) {
    unsigned char *key = hw_calloc(1, sizeof(launch_key) + args->function->ptx->param_bytes);
    if (key) pack_params(args->function->ptx, args->params, key + sizeof(launch_key));
    else hw_diag_no_memory(diag);
    return key;
}

hw_status hw_sim_launch_from(hw_sim *sim, const hw_sim_launch_args *args, hw_sim_origin from, hw_sim_refusal *refusal,
                             hw_fault *fault, hw_diag *diag) {
    *refusal = HW_REFUSED_NOT;
    memset(fault, 0, sizeof *fault);
    const hw_sim_function *function = args->function;
    hw_status status = hw_sim_check_launch(sim, args, refusal, diag);
    if (status) return status;
    unsigned char *key = pack_key(args, diag);
    if (!key) return HW_NO_MEMORY;

    hw_observers observers = {.all = {.n = 0}};
    hw_sim_parent parent = {sim, args, &observers, 0};
    const hw_child_host host = hw_sim_child_host(&parent);
    hw_children children;
    hw_children_init(&children, 0, &host);
    pthread_mutex_lock(&sim->common->launch_lock);
    if (args->cooperative) status = place_grid_barrier(sim, diag);
    sim->common->launches++;
    const hw_launch_info info = describe(sim, args, from);
    parent.number = info.number;
    const bool executes = !status && is_to_execute(sim, function);
    if (executes && sim->sinks.n) hw_sinks_choose(&sim->sinks, &info, &observers);
    if (observers.all.events & HW_WANTS(UNDEFINED)) status = watch_undefined(sim, function->module->set, diag);
    if (executes && !status && !(sim->reuse && repeat_launch(sim, function, &info, &observers, key)))
        status = execute(&parent, sim->exec, key + sizeof(launch_key), &info, &children, fault, diag);
    pthread_mutex_unlock(&sim->common->launch_lock);
    if (executes && !status && sim->options.executed) sim->options.executed(sim->options.launch_context);
    if (!status) status = hw_sim_launch_children(&parent, &children, fault, diag);
    hw_children_free(&children, sim->mem);
    hw_free(key);
    return status;
}

hw_status hw_sim_launch(hw_sim *sim, const hw_sim_launch_args *args, hw_sim_refusal *refusal, hw_fault *fault,
                        hw_diag *diag) {
    return hw_sim_launch_from(sim, args, (hw_sim_origin){0}, refusal, fault, diag);
}

// Numbers are for those who hear of launches. Where there are such, one thread of the host executes all.
hw_status hw_sim_launch_nested(const hw_sim_parent *outer, const hw_sim_launch_args *args, uint32_t child,
                               uint32_t depth, hw_fault *fault, hw_diag *diag) {
    hw_sim *sim = outer->sim;
    hw_sim_refusal refusal;
    hw_status status = hw_sim_check_launch(sim, args, &refusal, diag);
    if (status) return status;
    unsigned char *key = pack_key(args, diag);
    if (!key) return HW_NO_MEMORY;
    hw_launch_info info = describe(sim, args, (hw_sim_origin){outer->number, child});
    info.is_nested = true;
    hw_observers observers;
    if (!hw_observers_choose_nested(outer->observers, &info, &observers)) status = hw_diag_no_memory(diag);
    if (observers.all.n) info.number = ++sim->common->launches;
    if (!status && observers.all.events & HW_WANTS(UNDEFINED))
        status = watch_undefined(sim, args->function->module->set, diag);
    hw_sim_parent parent = {sim, args, &observers, info.number};
    const hw_child_host host = hw_sim_child_host(&parent);
    hw_children children;
    hw_children_init(&children, depth, &host);
    hw_exec *exec;
    if (!status) status = hw_sim_lock_nested(sim, depth, &exec, diag);
    if (!status) {
        status = execute(&parent, exec, key + sizeof(launch_key), &info, &children, fault, diag);
        hw_sim_unlock_nested(sim, depth);
    }
    if (!status) status = hw_sim_launch_children(&parent, &children, fault, diag);
    hw_children_free(&children, sim->mem);
    hw_observers_free_nested(&observers);
    hw_free(key);
    return status;
}
