// The device runtime: printf, malloc, free, assert; and the way to the math library.
#include "exec/warp/builtin.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exec/child.h"
#include "exec/ops/builtin_math.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/format.h"

static char *argument_at(const hw_state *s, const hw_call_site *site, uint32_t k, int lane) {
    return s->frame->params + (size_t)lane * s->frame->param_stride + site->arg_offsets[k];
}

static uint64_t argument_of_call(const hw_state *s, const hw_call_site *site, uint32_t k, int lane) {
    uint64_t value = 0;
    uint64_t bytes = site->signature && k < site->signature->n_params ? site->signature->params[k]->size_bytes : 8;
    memcpy(&value, argument_at(s, site, k, lane), bytes > 8 ? 8 : bytes);
    return value;
}

static void set_result(const hw_state *s, const hw_call_site *site, int lane, uint64_t value) {
    if (!site->n_rets) return;
    uint64_t bytes = site->signature && site->signature->n_rets ? site->signature->rets[0]->size_bytes : 8;
    char *to = s->frame->params + (size_t)lane * s->frame->param_stride + site->ret_offsets[0];
    memcpy(to, &value, bytes > 8 ? 8 : bytes);
}

static void print_text(hw_state *s, const char *text, size_t length) {
    const hw_launch *launch = s->run->launch;
    if (!launch->print || !length) return;
    pthread_mutex_lock(s->run->print_lock);
    launch->print(launch->print_context, text, length);
    pthread_mutex_unlock(s->run->print_lock);
}

typedef struct string_reader {
    hw_state *s;
    const hw_inst *in;
    int lane;
} string_reader;

static bool read_format_string(void *context, uint64_t address, char *out, size_t size) {
    string_reader *r = context;
    return hw_access_read_string(r->s, r->in, r->lane, address, out, size);
}

static bool read_format_bytes(void *context, uint64_t address, void *out, uint32_t bytes) {
    string_reader *r = context;
    if (r->s->undefined) hw_undefined_builtin_reads(r->s, r->in, r->lane, address, bytes);
    return hw_access_read(r->s, r->in, r->lane, address, out, bytes);
}

// int vprintf(const char *format, void *arguments)
static bool run_vprintf(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    char format[1024], text[4096];
    string_reader reader = {s, in, lane};
    uint64_t at = argument_of_call(s, site, 0, lane);
    if (!at) {
        set_result(s, site, lane, (uint32_t)-1);
        return true;
    }
    if (!hw_access_read_string(s, in, lane, at, format, sizeof format)) return false;
    hw_format_source source = {read_format_string, read_format_bytes, &reader};
    int n_arguments = hw_format(format, argument_of_call(s, site, 1, lane), &source, text, sizeof text);
    if (s->stop == HW_STOP_FAULT) return false;
    print_text(s, text, strlen(text));
    set_result(s, site, lane, (uint32_t)n_arguments);
    return true;
}

// void *malloc(size_t bytes): NULL when the heap of cudaLimitMallocHeapSize is exhausted.
static bool take_memory(hw_state *s, const hw_call_site *site, int lane, uint64_t bytes, uint64_t alignment) {
    hw_run *run = s->run;
    uint64_t address = 0, used;
    uint64_t charged = bytes > UINT64_MAX - 64 ? bytes : bytes + 16;
    hw_mem *mem = run->launch->mem;
    // One at a time: two threads must not both get what is left for one.
    pthread_mutex_lock(run->print_lock);
    used = hw_mem_heap_used(mem);
    if (!bytes || charged > run->launch->heap_bytes || used > run->launch->heap_bytes - charged ||
        hw_mem_alloc(mem, bytes, alignment, HW_ALLOC_HEAP, NULL, "device-side malloc", &address, NULL) != HW_OK)
        address = 0;
    pthread_mutex_unlock(run->print_lock);
    set_result(s, site, lane, address);
    return true;
}

static bool run_malloc(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    return take_memory(s, site, lane, argument_of_call(s, site, 0, lane), 16);
}

// void *__cuda_syscall_aligned_malloc(size_t bytes, size_t alignment): behind cuda::std::aligned_alloc. An alignment
// that is no power of two, or beyond a page, gives NULL.
static bool run_aligned_malloc(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    uint64_t alignment = argument_of_call(s, site, 1, lane);
    bool is_possible = alignment && !(alignment & (alignment - 1)) && alignment <= 4096;
    return take_memory(s, site, lane, is_possible ? argument_of_call(s, site, 0, lane) : 0,
                       alignment < 16 ? 16 : alignment);
}

static bool run_free(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    uint64_t address = argument_of_call(s, site, 0, lane);
    if (!address) return true;
    hw_mem *mem = s->run->launch->mem;
    hw_allocation block;
    if (hw_mem_find(mem, address, 1, &block) && block.kind == HW_ALLOC_HEAP && hw_mem_free(mem, address, NULL) == HW_OK)
        return true;
    return hw_access_stray(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, address, 1, true);
}

// void cudaGraphSetConditional(unsigned long long handle, unsigned value): the handle is the address of a word that the
// runtime has made for it (runtime/graph.h).
static bool run_set_condition(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const uint64_t handle = argument_of_call(s, site, 0, lane);
    const uint32_t value = (uint32_t)argument_of_call(s, site, 1, lane);
    hw_mem *mem = s->run->launch->mem;
    hw_allocation word;
    if (!hw_mem_find(mem, handle, sizeof value, &word))
        return hw_access_stray(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, handle, sizeof value, true);
    __atomic_store_n((uint32_t *)hw_mem_host(mem, handle), value, __ATOMIC_RELAXED);
    hw_mem_set_changed(mem, handle);
    return true;
}

// ---- launches of kernels' own, as cudadevrt asks for them ----

// void *cnpv2GetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned shared_bytes): where the parameters
// are to go; NULL when there is no memory.
static bool run_begin_child(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    const hw_launch *launch = s->run->launch;
    const uint32_t *b = s->block->index, *grid = launch->grid;
    hw_child child = {.function = argument_of_call(s, site, 0, lane),
                      .shared_bytes = (uint32_t)argument_of_call(s, site, 3, lane),
                      .parent_block = ((uint64_t)b[2] * grid[1] + b[1]) * grid[0] + b[0]};
    memcpy(child.grid, argument_at(s, site, 1, lane), sizeof child.grid);
    memcpy(child.block, argument_at(s, site, 2, lane), sizeof child.block);
    set_result(s, site, lane, launch->children ? hw_children_begin(launch->children, launch->mem, &child) : 0);
    return true;
}

// Streams that have a name of CUDA's.
enum { TAIL_STREAM = 3, FIRE_AND_FORGET = 4 };

static void tell_child(hw_state *s, const hw_inst *in, int lane, uint32_t number, uint64_t stream) {
    const hw_child_step step = {.where = hw_where_of(s), .note = in->note, .lane = (uint8_t)lane, .stream = stream,
                                .number = number,
                                .order = stream == TAIL_STREAM       ? HW_CHILD_TAIL
                                         : stream == FIRE_AND_FORGET ? HW_CHILD_ALONE
                                                                     : HW_CHILD_IN_STREAM};
    hw_tell_child(&s->run->observers->all, s->worker->index, &step);
}

// cudaError_t cnpv2LaunchDeviceV2(void *parameters, cudaStream_t stream)
static bool run_launch_child(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    enum { INVALID_VALUE = 1 };
    uint32_t number;
    hw_children *children = s->run->launch->children;
    const uint64_t params = argument_of_call(s, site, 0, lane), stream = argument_of_call(s, site, 1, lane);
    const bool good = children && params && hw_children_launch(children, params, stream == TAIL_STREAM, &number);
    if (good && HW_IS_TOLD(s, CHILD)) tell_child(s, in, lane, number, stream);
    set_result(s, site, lane, good ? 0 : INVALID_VALUE);
    return true;
}

// cudaError_t cnpv2StreamCreate(cudaStream_t *stream, unsigned flags) and the like: children are made one by one, and
// streams are names for observers.
static bool run_make_stream(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    hw_children *children = s->run->launch->children;
    const uint64_t address = argument_of_call(s, site, 0, lane);
    const uint64_t stream = children ? hw_children_make_stream(children) : 0;
    set_result(s, site, lane, 0);
    if (s->undefined) hw_undefined_builtin_writes(s, lane, address, sizeof stream);
    return hw_access_write(s, in, lane, address, &stream, sizeof stream);
}

static bool run_nothing(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    set_result(s, site, lane, 0);
    return true;
}

// void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charsize):
// the sentence that the CUDA driver prints, for every lane that failed.
static bool run_assertfail(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    char message[256], file[200], function[200];
    uint32_t line = (uint32_t)argument_of_call(s, site, 2, lane);
    if (!hw_access_read_string(s, in, lane, argument_of_call(s, site, 0, lane), message, sizeof message) ||
        !hw_access_read_string(s, in, lane, argument_of_call(s, site, 1, lane), file, sizeof file) ||
        !hw_access_read_string(s, in, lane, argument_of_call(s, site, 3, lane), function, sizeof function))
        return false;
    hw_fault_stop(s, in, HW_FAULT_ASSERT, lane);
    hw_fault *fault = s->run->fault;
    const uint32_t *b = s->block->index, *t = fault->thread;
    if (fault->kind == HW_FAULT_ASSERT && !fault->has_assertion) {
        fault->has_assertion = true;
        snprintf(fault->text, sizeof fault->text,
                 "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file, line, function, b[0],
                 b[1], b[2], t[0], t[1], t[2], message);
    }
    return false;
}

typedef struct builtin_row {
    const char *name;
    bool (*run)(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane);
} builtin_row;

static const builtin_row builtins[] = {
    {"vprintf", run_vprintf}, {"malloc", run_malloc}, {"free", run_free}, {"__assertfail", run_assertfail},
    {"__cuda_syscall_aligned_malloc", run_aligned_malloc}, {"cudaGraphSetConditional", run_set_condition},
    {"__cuda_syscall_cnpv2GetParameterBufferV2", run_begin_child},
    {"__cuda_syscall_cnpv2LaunchDeviceV2", run_launch_child},
    {"__cuda_syscall_cnpv2StreamCreate", run_make_stream}, {"__cuda_syscall_cnpv2StreamDestroy", run_nothing},
    {"__cuda_syscall_cnpv2SetLastError", run_nothing}, {"__cuda_syscall_cnpv2GetLastError", run_nothing},
    // The same as kernels call it that are not linked with cudadevrt: Halfwarp takes its place.
    {"__cudaCDP2GetParameterBufferV2", run_begin_child}, {"__cudaCDP2LaunchDeviceV2", run_launch_child},
    {"__cudaCDP2StreamCreateWithFlags", run_make_stream}, {"__cudaCDP2StreamDestroy", run_nothing},
    {"__cudaCDP2GetLastError", run_nothing}, {"__cudaCDP2PeekAtLastError", run_nothing},
    // operator new and delete, with and without [] and size, which clang leaves to a library that it does not have
    {"_Znwm", run_malloc}, {"_Znam", run_malloc}, {"_ZdlPv", run_free}, {"_ZdlPvm", run_free}, {"_ZdaPv", run_free},
    {"_ZdaPvm", run_free},
};

enum { BUILTINS = sizeof builtins / sizeof *builtins };

bool hw_child_is_launched_by(const char *function) {
    bool is = false;
    for (uint32_t i = 0; i < BUILTINS; i++)
        is |= builtins[i].run == run_launch_child && !strcmp(builtins[i].name, function);
    return is;
}

// Numbers begin at 1: the rows above, then the math library's.
uint32_t hw_builtin_find(const char *name) {
    for (uint32_t i = 0; i < BUILTINS; i++)
        if (!strcmp(builtins[i].name, name)) return 1 + i;
    uint32_t math = hw_math_find(name);
    return math ? BUILTINS + math : 0;
}

// ---- math ----

// Elements that '@' parameters name; the longest such list is norm's.
enum { MAX_GATHERED = 4096 };

static uint32_t pointee_bytes(char letter) { return letter == 'd' ? 8 : 4; }

// Calls a math function for one lane: values in, results and what it writes through pointers out.
static bool run_math(hw_state *s, const hw_inst *in, const hw_call_site *site, const hw_math_row *row, int lane) {
    uint64_t args[HW_MATH_MAX_ARGS] = {0}, rets[HW_MATH_MAX_RETS] = {0}, pointers[HW_MATH_MAX_ARGS] = {0};
    double gathered[MAX_GATHERED];
    const char *letter = row->signature + 2;
    uint32_t k = 0;
    for (; *letter && k < HW_MATH_MAX_ARGS; letter++, k++) {
        args[k] = argument_of_call(s, site, k, lane);
        if (*letter != '*' && *letter != '@') continue;
        bool gathers = *letter++ == '@';
        pointers[k] = args[k];
        if (!gathers) continue;
        uint32_t bytes = pointee_bytes(*letter);
        int32_t n = k ? (int32_t)args[k - 1] : 0;
        if (n < 0) n = 0;
        if (n > MAX_GATHERED) n = MAX_GATHERED;
        if (k) args[k - 1] = (uint32_t)n;
        for (int32_t e = 0; e < n; e++) {
            uint64_t offset = (uint64_t)e * bytes;
            if (!hw_access_read(s, in, lane, args[k] + offset, (char *)gathered + offset, bytes)) return false;
        }
        args[k] = (uint64_t)(uintptr_t)gathered;
    }
    row->call(args, rets);
    uint32_t out = 1;
    k = 0;
    for (letter = row->signature + 2; *letter; letter++, k++) {
        if (*letter == '@') letter++;
        if (*letter != '*') continue;
        letter++;
        if (s->undefined) hw_undefined_builtin_writes(s, lane, pointers[k], pointee_bytes(*letter));
        if (!hw_access_write(s, in, lane, pointers[k], &rets[out++], pointee_bytes(*letter))) return false;
    }
    set_result(s, site, lane, rets[0]);
    return true;
}

const hw_inst *hw_builtin_call(hw_state *s, const hw_inst *in, const hw_call_site *site) {
    uint32_t number = in->builtin;
    const builtin_row *row = number <= BUILTINS ? &builtins[number - 1] : NULL;
    const hw_math_row *math = row ? NULL : hw_math_at(number - BUILTINS);
    if (row) hw_outside_tell(s, in->note, HW_OUTSIDE_CALL);
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (!(row ? row->run(s, in, site, lane) : run_math(s, in, site, math, lane))) return NULL;
    }
    hw_access_refresh(s->worker);
    return in;
}
