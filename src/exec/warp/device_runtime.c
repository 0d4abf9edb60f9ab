// CUDA's runtime as kernels call it: launches (dynamic parallelism), streams and events, the heap, what the GPU is.
// Both device runtimes: that of CUDA 11, in which a kernel can wait for what it has launched, and that of 12.0 on.
#include <string.h>

#include "exec/child.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/builtin_call.h"
#include "exec/warp/last_error.h"

// cudaError_t
enum { INVALID_VALUE = HW_CHILD_INVALID_VALUE, NO_MEMORY = 2, INVALID_DEVICE = 101, INVALID_FUNCTION = 98,
       WAITS_TOO_DEEP = 68, UNSUPPORTED_LIMIT = 215 };

static hw_children *children_of(const hw_state *s) { return s->run->launch->children; }
static const hw_child_host *host_of(const hw_state *s) { return children_of(s) ? children_of(s)->host : NULL; }

static uint64_t block_of(const hw_state *s) {
    const uint32_t *b = s->block->index, *grid = s->run->launch->grid;
    return ((uint64_t)b[2] * grid[1] + b[1]) * grid[0] + b[0];
}

static bool give(const hw_state *s, const hw_call_site *site, int lane, uint64_t value) {
    hw_builtin_return(s, site, lane, value);
    return true;
}

// NVIDIA's cudadevrt calls functions of the system, and translates the errors that they return by a table of these, the
// other way round; what it does not find there is unknown to it.
static uint32_t system_error(uint32_t error) {
    static const struct { uint32_t runtime, system; } errors[] = {
        {1, 1}, {2, 4}, {9, 7}, {65, 5}, {66, 10}, {67, 9}, {68, 11}, {69, 12}, {101, 3}, {127, 2}, {215, 13}, {701, 6},
        {912, 14},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].runtime == error) return errors[i].system;
    return INVALID_VALUE;
}

static bool is_of_system(const char *name) {
    static const char syscall[] = "__cuda_syscall_", own[] = "cnp";
    return !strncmp(name, syscall, sizeof syscall - 1) || !strncmp(name, own, sizeof own - 1);
}

// What a call that is the runtime's own fails with is the thread's last error.
static bool fail(const hw_state *s, const hw_call_site *site, int lane, uint32_t error) {
    if (is_of_system(site->builtin)) return give(s, site, lane, system_error(error));
    hw_last_error_set(s, lane, error);
    return give(s, site, lane, error);
}

// Writes what a call gives through its first argument, and returns success.
static bool give_bytes(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane, const void *value,
                       uint32_t bytes) {
    const uint64_t address = hw_builtin_argument(s, site, 0, lane);
    hw_builtin_return(s, site, lane, 0);
    if (s->undefined) hw_undefined_builtin_writes(s, lane, address, bytes);
    return hw_access_write(s, in, lane, address, value, bytes);
}

static bool run_nothing(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    return give(s, site, lane, 0);
}

// ---- launches ----

static hw_child child_at(const hw_state *s, const hw_call_site *site, uint32_t first, int lane) {
    hw_child child = {.shared_bytes = (uint32_t)hw_builtin_argument(s, site, first + 2, lane)};
    memcpy(child.grid, hw_builtin_argument_at(s, site, first, lane), sizeof child.grid);
    memcpy(child.block, hw_builtin_argument_at(s, site, first + 1, lane), sizeof child.block);
    return child;
}

static bool begin_child(const hw_state *s, const hw_call_site *site, int lane, hw_child *child) {
    const hw_launch *launch = s->run->launch;
    child->parent_block = block_of(s);
    return give(s, site, lane, launch->children ? hw_children_begin(launch->children, launch->mem, child) : 0);
}

// void *cudaGetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned shared_bytes): where the parameters
// are to go; NULL when there is no memory.
static bool run_begin_child(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    hw_child child = child_at(s, site, 1, lane);
    child.function = hw_builtin_argument(s, site, 0, lane);
    return begin_child(s, site, lane, &child);
}

// void *cudaGetParameterBuffer(size_t alignment, size_t bytes): likewise, and of what is said when it is launched.
static bool run_begin_unknown(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    hw_child child = {.function = 0};
    if (hw_builtin_argument(s, site, 1, lane) > HW_CHILD_PARAM_BYTES) return give(s, site, lane, 0);
    return begin_child(s, site, lane, &child);
}

// Streams that have a name of CUDA's. LEGACY: the block's.
enum { LEGACY_STREAM = 1, TAIL_STREAM = 3, FIRE_AND_FORGET = 4 };

// The stream that a call names by its argument: in code with a default stream for each thread, 0 is the thread's.
static uint64_t stream_named(const hw_state *s, const hw_call_site *site, uint32_t argument, int lane) {
    const uint64_t stream = hw_builtin_argument(s, site, argument, lane);
    const char *suffix = strrchr(site->builtin, '_');
    const bool is_threads = suffix && (!strcmp(suffix, "_ptsz") || !strcmp(suffix, "_ptds"));
    return stream || !is_threads ? stream : HW_CHILD_THREADS_STREAM;
}

// step: what it does, with its number or event.
static void tell_child(hw_state *s, const hw_inst *in, int lane, uint64_t stream, hw_child_step step) {
    if (!HW_IS_TOLD(s, CHILD)) return;
    step.where = hw_where_of(s);
    step.note = in->note;
    step.lane = (uint8_t)lane;
    step.stream = stream == LEGACY_STREAM ? HW_CHILD_BLOCKS_STREAM : stream;
    step.order = stream == TAIL_STREAM       ? HW_CHILD_TAIL
                 : stream == FIRE_AND_FORGET ? HW_CHILD_ALONE
                                             : HW_CHILD_IN_STREAM;
    hw_tell_child(&s->run->observers->all, s->worker->index, &step);
}

static bool launch_child(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane, uint64_t params,
                         uint64_t stream, const hw_child *how) {
    uint32_t number;
    hw_children *children = children_of(s);
    if (!children || !params) return fail(s, site, lane, INVALID_VALUE);
    const uint32_t error = hw_children_launch(children, params, stream == TAIL_STREAM, how, &number);
    if (error) return fail(s, site, lane, error);
    const bool is_behind_later = hw_children_follow(children, block_of(s), stream);
    hw_children_use(children, block_of(s), stream);
    tell_child(s, in, lane, stream, (hw_child_step){.action = HW_CHILD_LAUNCHES, .number = number,
                                                    .is_behind_later_block = is_behind_later});
    return give(s, site, lane, 0);
}

// cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream)
static bool run_launch_child(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    return launch_child(s, in, site, lane, hw_builtin_argument(s, site, 0, lane), stream_named(s, site, 1, lane), NULL);
}

// cudaError_t cudaLaunchDevice(void *function, void *parameters, dim3 grid, dim3 block, unsigned shared_bytes,
//                              cudaStream_t stream)
static bool run_launch_unknown(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    hw_child child = child_at(s, site, 2, lane);
    child.function = hw_builtin_argument(s, site, 0, lane);
    return launch_child(s, in, site, lane, hw_builtin_argument(s, site, 1, lane), stream_named(s, site, 5, lane),
                        &child);
}

// cudaError_t cudaDeviceSynchronize(void), of CUDA 11: the thread goes on when all that its block has launched so far
// has ended, which this thread of the host executes meanwhile. What warps have written lies in memory at once, where
// the children find it.
static bool run_wait(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    hw_children *children = children_of(s);
    if (!children || children->depth >= host_of(s)->sync_depth) return fail(s, site, lane, WAITS_TOO_DEEP);
    hw_fault fault = {.kind = HW_FAULT_NONE};
    const hw_status status = hw_children_wait(children, s->run->launch->mem, block_of(s), &fault);
    if (!status) {
        tell_child(s, in, lane, 0, (hw_child_step){.action = HW_CHILD_SYNCHRONIZES});
        return give(s, site, lane, 0);
    }
    hw_fault_of_child(s, status, &fault);
    return false;
}

// ---- the last error ----

// cudaError_t cudaPeekAtLastError(void)
static bool run_peek_error(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    return give(s, site, lane, hw_last_error(s, lane));
}

// cudaError_t cudaGetLastError(void), and the system's, which leaves it there: cudadevrt sets it to 0 behind it
static bool run_take_error(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    give(s, site, lane, hw_last_error(s, lane));
    if (!is_of_system(site->builtin)) hw_last_error_set(s, lane, 0);
    return true;
}

// cudaError_t cnpSetLastError(cudaError_t error): the error itself
static bool run_set_error(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    const uint32_t error = (uint32_t)hw_builtin_argument(s, site, 0, lane);
    hw_last_error_set(s, lane, error);
    return give(s, site, lane, error);
}

// ---- streams and events: children are made one by one, so that streams are names for observers, and all events have
// happened, where children are made in the order that those give ----

// cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags), cudaEventCreateWithFlags
static bool run_make(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    hw_children *children = children_of(s);
    const uint64_t handle = children ? hw_children_make_stream(children) : 0;
    return give_bytes(s, in, site, lane, &handle, sizeof handle);
}

// cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream), and with flags
static bool run_record(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const hw_child_step step = {.action = HW_CHILD_RECORDS, .event = hw_builtin_argument(s, site, 0, lane)};
    if (children_of(s)) hw_children_use(children_of(s), block_of(s), step.event);
    tell_child(s, in, lane, stream_named(s, site, 1, lane), step);
    return give(s, site, lane, 0);
}

// cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
static bool run_wait_event(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    hw_child_step step = {.action = HW_CHILD_WAITS, .event = hw_builtin_argument(s, site, 1, lane)};
    step.is_behind_later_block = children_of(s) && hw_children_follow(children_of(s), block_of(s), step.event);
    tell_child(s, in, lane, stream_named(s, site, 0, lane), step);
    return give(s, site, lane, 0);
}

// ---- memory ----

// cudaError_t cudaMalloc(void **address, size_t bytes), of the device heap
static bool run_malloc(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const uint64_t address = hw_builtin_take_memory(s, hw_builtin_argument(s, site, 1, lane), 256);
    return address ? give_bytes(s, in, site, lane, &address, sizeof address) : fail(s, site, lane, NO_MEMORY);
}

static bool run_free(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    hw_builtin_return(s, site, lane, 0);
    return hw_builtin_free_memory(s, in, lane, hw_builtin_argument(s, site, 0, lane));
}

// ---- what the GPU is ----

static bool run_device(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const uint32_t number = hw_mem_number(s->run->launch->mem);
    return give_bytes(s, in, site, lane, &number, sizeof number);
}

static bool run_device_count(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const hw_child_host *host = host_of(s);
    return host ? give_bytes(s, in, site, lane, &host->gpus, sizeof host->gpus) : fail(s, site, lane, INVALID_VALUE);
}

// cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
static bool run_attribute(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const hw_child_host *host = host_of(s);
    int value;
    if (host && hw_builtin_argument(s, site, 2, lane) >= host->gpus) return fail(s, site, lane, INVALID_DEVICE);
    const bool good = host && host->attribute(host->context, (int)hw_builtin_argument(s, site, 1, lane), &value);
    return good ? give_bytes(s, in, site, lane, &value, sizeof value) : fail(s, site, lane, INVALID_VALUE);
}

// cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit)
static bool run_limit(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const hw_child_host *host = host_of(s);
    size_t value;
    const bool good = host && host->limit(host->context, (uint32_t)hw_builtin_argument(s, site, 1, lane), &value);
    return good ? give_bytes(s, in, site, lane, &value, sizeof value) : fail(s, site, lane, UNSUPPORTED_LIMIT);
}

// cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function)
static bool run_describe(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const hw_child_host *host = host_of(s);
    hw_child_attributes found;
    const bool good = host && host->describe(host->context, hw_builtin_argument(s, site, 1, lane), &found);
    enum { BYTES = 3 * 8 + 7 * 4 };
    return good ? give_bytes(s, in, site, lane, &found, BYTES) : fail(s, site, lane, INVALID_FUNCTION);
}

// cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
//                                                           size_t dynamic_bytes)
static bool run_occupancy(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    enum { NO_BLOCK_HAS = 1 << 30 };
    const hw_child_host *host = host_of(s);
    const uint64_t bytes = hw_builtin_argument(s, site, 3, lane);
    uint32_t blocks;
    const bool good = host && host->occupancy(host->context, hw_builtin_argument(s, site, 1, lane),
                                              (uint32_t)hw_builtin_argument(s, site, 2, lane),
                                              bytes < NO_BLOCK_HAS ? (uint32_t)bytes : NO_BLOCK_HAS, &blocks);
    return good ? give_bytes(s, in, site, lane, &blocks, sizeof blocks) : fail(s, site, lane, INVALID_FUNCTION);
}

// CNPerror cnpFuncGetAttribute(int *value, int attribute, const void *function), of CUfunction_attribute
static bool run_function_attribute(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const hw_child_host *host = host_of(s);
    hw_child_attributes f;
    if (!host || !host->describe(host->context, hw_builtin_argument(s, site, 2, lane), &f))
        return fail(s, site, lane, INVALID_VALUE);
    const int32_t values[] = {f.most_threads, (int32_t)f.shared_bytes, (int32_t)f.const_bytes, (int32_t)f.local_bytes,
                              f.regs, f.ptx_version, f.binary_version, f.caches_all, f.most_dynamic_shared_bytes,
                              f.carveout};
    const uint64_t attribute = hw_builtin_argument(s, site, 1, lane);
    if (attribute >= sizeof values / sizeof *values) return fail(s, site, lane, INVALID_VALUE);
    return give_bytes(s, in, site, lane, &values[attribute], sizeof *values);
}

// cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config), and of shared memory: no preference
static bool run_config(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const uint32_t none = 0;
    return give_bytes(s, in, site, lane, &none, sizeof none);
}

// ---- by name ----

// Behind "cuda" (CUDA 11) or "__cudaCDP2" (12.0) and before "_ptsz" or "_ptds", with which each thread has a default
// stream: as kernels call them that are not linked with NVIDIA's cudadevrt. Behind "cnp" or "__cuda_syscall_cnpv2": as
// that does, whose own functions (copies, which are kernels of its) are executed where it is linked.
static const hw_builtin_row calls[] = {
    {"GetParameterBufferV2", run_begin_child}, {"GetParameterBuffer", run_begin_unknown},
    {"LaunchDeviceV2", run_launch_child}, {"LaunchDevice", run_launch_unknown},
    {"DeviceSynchronize", run_wait}, {"DeviceSynchronizeDeprecationAvoidance", run_wait},
    {"StreamCreateWithFlags", run_make}, {"StreamCreate", run_make}, {"StreamDestroy", run_nothing},
    {"StreamWaitEvent", run_wait_event}, {"EventCreateWithFlags", run_make}, {"EventCreate", run_make},
    {"EventRecord", run_record}, {"EventRecordWithFlags", run_record}, {"EventDestroy", run_nothing},
    {"GetLastError", run_take_error}, {"PeekAtLastError", run_peek_error}, {"SetLastError", run_set_error},
    {"Malloc", run_malloc}, {"Free", run_free}, {"GetDevice", run_device}, {"GetDeviceCount", run_device_count},
    {"DeviceGetAttribute", run_attribute}, {"DeviceGetLimit", run_limit}, {"GetLimit", run_limit},
    {"FuncGetAttributes", run_describe},
    {"FuncGetAttribute", run_function_attribute},
    {"DeviceGetCacheConfig", run_config}, {"DeviceGetSharedMemConfig", run_config}, {"GetCacheConfig", run_config},
    {"GetSharedMemConfig", run_config},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", run_occupancy},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", run_occupancy},
    {"MaxActiveBlocksPerMultiprocessor", run_occupancy}, {"MaxActiveBlocksPerMultiprocessorWithFlags", run_occupancy},
};

enum { CALLS = sizeof calls / sizeof *calls };
_Static_assert((int)CALLS <= (int)HW_DEVICE_RUNTIME_CALLS, "each has a number");

uint32_t hw_device_runtime_find(const char *name) {
    static const char *const prefixes[] = {"__cudaCDP2", "__cuda_syscall_cnpv2", "__cuda_syscall_cnp", "__cuda", "cuda",
                                           "cnp"};
    size_t behind = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !behind; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) behind = strlen(prefixes[i]);
    for (uint32_t i = 0; behind && i < CALLS; i++) {
        const size_t length = strlen(calls[i].name);
        const char *end = name + behind + length;
        if (!strncmp(name + behind, calls[i].name, length) &&
            (!*end || !strcmp(end, "_ptsz") || !strcmp(end, "_ptds")))
            return 1 + i;
    }
    return 0;
}

hw_builtin_body *hw_device_runtime_at(uint32_t number) { return calls[number - 1].run; }

bool hw_child_is_launched_by(const char *function) {
    const uint32_t number = hw_device_runtime_find(function);
    hw_builtin_body *body = number ? hw_device_runtime_at(number) : NULL;
    return body == run_launch_child || body == run_launch_unknown;
}
