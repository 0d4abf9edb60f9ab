// The device runtime: printf, malloc, free, assert; and the way to the math library.
#include "exec/warp/builtin.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exec/ops/builtin_math.h"
#include "exec/undefined/undefined.h"
#include "exec/warp/builtin_call.h"
#include "exec/warp/format.h"

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
    uint64_t at = hw_builtin_argument(s, site, 0, lane);
    if (!at) {
        hw_builtin_return(s, site, lane, (uint32_t)-1);
        return true;
    }
    if (!hw_access_read_string(s, in, lane, at, format, sizeof format)) return false;
    hw_format_source source = {read_format_string, read_format_bytes, &reader};
    int n_arguments = hw_format(format, hw_builtin_argument(s, site, 1, lane), &source, text, sizeof text);
    if (s->stop == HW_STOP_FAULT) return false;
    print_text(s, text, strlen(text));
    hw_builtin_return(s, site, lane, (uint32_t)n_arguments);
    return true;
}

// The heap is that of cudaLimitMallocHeapSize.
uint64_t hw_builtin_take_memory(hw_state *s, uint64_t bytes, uint64_t alignment) {
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
    return address;
}

// void *malloc(size_t bytes)
static bool run_malloc(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    hw_builtin_return(s, site, lane, hw_builtin_take_memory(s, hw_builtin_argument(s, site, 0, lane), 16));
    return true;
}

// void *__cuda_syscall_aligned_malloc(size_t bytes, size_t alignment): behind cuda::std::aligned_alloc. An alignment
// that is no power of two, or beyond a page, gives NULL.
static bool run_aligned_malloc(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    (void)in;
    uint64_t alignment = hw_builtin_argument(s, site, 1, lane);
    bool is_possible = alignment && !(alignment & (alignment - 1)) && alignment <= 4096;
    const uint64_t bytes = is_possible ? hw_builtin_argument(s, site, 0, lane) : 0;
    hw_builtin_return(s, site, lane, hw_builtin_take_memory(s, bytes, alignment < 16 ? 16 : alignment));
    return true;
}

bool hw_builtin_free_memory(hw_state *s, const hw_inst *in, int lane, uint64_t address) {
    if (!address) return true;
    hw_mem *mem = s->run->launch->mem;
    hw_allocation block;
    if (hw_mem_find(mem, address, 1, &block) && block.kind == HW_ALLOC_HEAP && hw_mem_free(mem, address, NULL) == HW_OK)
        return true;
    return hw_access_stray(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, address, 1, true);
}

static bool run_free(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    return hw_builtin_free_memory(s, in, lane, hw_builtin_argument(s, site, 0, lane));
}

// void cudaGraphSetConditional(unsigned long long handle, unsigned value): the handle is the address of a word that the
// runtime has made for it (runtime/graph.h).
static bool run_set_condition(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    const uint64_t handle = hw_builtin_argument(s, site, 0, lane);
    const uint32_t value = (uint32_t)hw_builtin_argument(s, site, 1, lane);
    hw_mem *mem = s->run->launch->mem;
    hw_allocation word;
    if (!hw_mem_find(mem, handle, sizeof value, &word))
        return hw_access_stray(s, in, HW_FAULT_ADDRESS, lane, HW_SPACE_GLOBAL, handle, sizeof value, true);
    __atomic_store_n((uint32_t *)hw_mem_host(mem, handle), value, __ATOMIC_RELAXED);
    hw_mem_set_changed(mem, handle);
    return true;
}

// void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charsize):
// the sentence that the CUDA driver prints, for every lane that failed.
static bool run_assertfail(hw_state *s, const hw_inst *in, const hw_call_site *site, int lane) {
    char message[256], file[200], function[200];
    uint32_t line = (uint32_t)hw_builtin_argument(s, site, 2, lane);
    if (!hw_access_read_string(s, in, lane, hw_builtin_argument(s, site, 0, lane), message, sizeof message) ||
        !hw_access_read_string(s, in, lane, hw_builtin_argument(s, site, 1, lane), file, sizeof file) ||
        !hw_access_read_string(s, in, lane, hw_builtin_argument(s, site, 3, lane), function, sizeof function))
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

static const hw_builtin_row builtins[] = {
    {"vprintf", run_vprintf}, {"malloc", run_malloc}, {"free", run_free}, {"__assertfail", run_assertfail},
    {"__cuda_syscall_aligned_malloc", run_aligned_malloc}, {"cudaGraphSetConditional", run_set_condition},
    // operator new and delete, with and without [] and size, which clang leaves to a library that it does not have
    {"_Znwm", run_malloc}, {"_Znam", run_malloc}, {"_ZdlPv", run_free}, {"_ZdlPvm", run_free}, {"_ZdaPv", run_free},
    {"_ZdaPvm", run_free},
};

enum { BUILTINS = sizeof builtins / sizeof *builtins };

enum { FIRST_MATH = BUILTINS + HW_DEVICE_RUNTIME_CALLS };

// Numbers begin at 1: the rows above, the device runtime's, the math library's.
uint32_t hw_builtin_find(const char *name) {
    for (uint32_t i = 0; i < BUILTINS; i++)
        if (!strcmp(builtins[i].name, name)) return 1 + i;
    const uint32_t call = hw_device_runtime_find(name), math = call ? 0 : hw_math_find(name);
    return call ? BUILTINS + call : math ? FIRST_MATH + math : 0;
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
        args[k] = hw_builtin_argument(s, site, k, lane);
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
    hw_builtin_return(s, site, lane, rets[0]);
    return true;
}

const hw_inst *hw_builtin_call(hw_state *s, const hw_inst *in, const hw_call_site *site) {
    const uint32_t number = in->builtin;
    const hw_math_row *math = number > FIRST_MATH ? hw_math_at(number - FIRST_MATH) : NULL;
    hw_builtin_body *body = math ? NULL : number <= BUILTINS ? builtins[number - 1].run
                                                             : hw_device_runtime_at(number - BUILTINS);
    if (body) hw_outside_tell(s, in->note, HW_OUTSIDE_CALL);
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (!(body ? body(s, in, site, lane) : run_math(s, in, site, math, lane))) return NULL;
    }
    hw_access_refresh(s->worker);
    return in;
}
