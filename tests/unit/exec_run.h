// What the tests of execution share: a kernel around a body, one launch of it on a simulated GPU of its own, and a sink
// that adds up. What the kernels of test_exec_flow, _barrier, _memory and _progress must give, an H200 gives.
#ifndef HW_TESTS_EXEC_RUN_H
#define HW_TESTS_EXEC_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "device/sim_internal.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"

// Kernel k(out, in). Before the body: %rd1 out, %rd2 in, %r1 tid.x, %r2 ctaid.x, %r3 ntid.x, %r4 the thread's number in
// the grid, %rd3 = &((u32 *)out)[%r4]. The body begins in line 13 when DECLARATIONS has no line of its own.
#define KERNEL(DECLARATIONS, BODY) HEAD DECLARATIONS \
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n" \
    ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<16>; .reg .f64 %fd<16>;\n" \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n" \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r2, %r3, %r1;\n" \
    "mul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd1, %rd3;\n" BODY "\n}\n"
#define STORE_RET(R) "st.global.u32 [%rd3], " R ";\nret;\n"

enum { OUT_WORDS = 16384, IN_BYTES = 4096 };

typedef struct sums {
    uint64_t inst, thread_inst, loads, stores, atomics, branches, divergent;
    uint64_t issued, longest;           // hw_issued: of blocks that have ended
} sums;

typedef struct adding_sink {
    hw_sink sink;
    sums sums;
} adding_sink;

typedef struct run_args {
    const char *ptx;
    uint32_t grid, block;               // 0: 1
    uint32_t grid_yz[2], block_yz[2];   // 0: 1
    uint32_t threads, shared;
    uint64_t seed, heap_bytes, max_instructions;
    uint32_t stack_bytes;
    const char *gpu;                    // NULL: h200
    const void *in;                     // copied to the beginning of in
    size_t in_bytes;
    uint64_t in_address;                // instead of in's
} run_args;

typedef struct run_result {
    hw_status status;
    hw_sim_refusal refusal;
    hw_fault fault;
    hw_diag diag;
    uint64_t out_address, in_address;
    uint8_t keeps_sums;                 // hw_sums_possible, as the launch has found
    uint32_t out[OUT_WORDS];
    uint8_t in[IN_BYTES];
    sums sums;
    char printed[8192];
    size_t n_printed;
} run_result;

static hw_status add_begin(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    (void)sink, (void)info, (void)diag;
    return HW_OK;
}
static void add_end(hw_sink *sink, const hw_launch_info *info, uint64_t ns, hw_status status) {
    (void)sink, (void)info, (void)ns, (void)status;
}
static void add_access(hw_sink *sink, uint32_t worker, const hw_access *access) {
    sums *s = &((adding_sink *)sink)->sums;
    (void)worker;
    if (access->kind == HW_NOTE_LOAD) __atomic_fetch_add(&s->loads, access->repeat, __ATOMIC_RELAXED);
    else if (access->kind == HW_NOTE_STORE) __atomic_fetch_add(&s->stores, access->repeat, __ATOMIC_RELAXED);
    else __atomic_fetch_add(&s->atomics, access->repeat, __ATOMIC_RELAXED);
}
static void add_executed(hw_sink *sink, uint32_t worker, const hw_executed *executed) {
    sums *s = &((adding_sink *)sink)->sums;
    (void)worker;
    __atomic_fetch_add(&s->inst, executed->warps * executed->count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->thread_inst, executed->lanes * executed->count, __ATOMIC_RELAXED);
}
static void add_branch(hw_sink *sink, uint32_t worker, const hw_branched *branch) {
    sums *s = &((adding_sink *)sink)->sums;
    (void)worker;
    __atomic_fetch_add(&s->branches, branch->warps, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->divergent, branch->divergent, __ATOMIC_RELAXED);
}
static void add_guarded_off(hw_sink *sink, uint32_t worker, const hw_guarded_off *off) {
    (void)worker;
    __atomic_fetch_sub(&((adding_sink *)sink)->sums.thread_inst, off->lanes, __ATOMIC_RELAXED);
}
static void add_issued(hw_sink *sink, uint32_t worker, const hw_issued *issued) {
    sums *s = &((adding_sink *)sink)->sums;
    (void)worker;
    __atomic_fetch_add(&s->issued, issued->all, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->longest, issued->longest, __ATOMIC_RELAXED);
}
static const hw_sink an_adding_sink = {
    .events = HW_WANTS(ACCESS) | HW_WANTS(ATOMIC) | HW_WANTS(EXECUTED) | HW_WANTS(BRANCH) | HW_WANTS(GUARDED_OFF) |
              HW_WANTS(ISSUED),
    .launch_begin = add_begin, .launch_end = add_end, .access = add_access, .atomic = add_access,
    .executed = add_executed, .branch = add_branch, .guarded_off = add_guarded_off, .issued = add_issued};

static void keep_print(void *context, const char *text, size_t length) {
    run_result *r = context;
    if (length > sizeof r->printed - 1 - r->n_printed) length = sizeof r->printed - 1 - r->n_printed;
    memcpy(r->printed + r->n_printed, text, length);
    r->n_printed += length;
}

static uint32_t at_least_1(uint32_t n) { return n ? n : 1; }

// With HALFWARP_TEST_COMPILED set each kernel is launched once more before the launch that counts, and compiled between
// the two: what is asserted of the interpreter is asserted of machine code then.
static inline const char *compiler_if_asked(void) {
    return getenv("HALFWARP_TEST_COMPILED") ? getenv("PATH") : NULL;
}

static inline void fill_memory(const run_args *a, const run_result *r, hw_mem *mem) {
    memset(hw_mem_host(mem, r->out_address), 0, sizeof r->out);
    memset(hw_mem_host(mem, r->in_address), 0, IN_BYTES);
    if (a->in_bytes) memcpy(hw_mem_host(mem, r->in_address), a->in, a->in_bytes);
}

// Loads, launches, copies the results out. Nothing is asserted.
static inline void run_kernel(const run_args *a, run_result *r) {
    hw_sim *sim = NULL;
    hw_sim_module *module = NULL;
    hw_sim_function *function = NULL;
    memset(r, 0, sizeof *r);
    adding_sink sink = {.sink = an_adding_sink};
    const hw_sim_options options = {.gpu = hw_gpu_find(a->gpu ? a->gpu : "h200"), .threads = at_least_1(a->threads),
                                    .seed = a->seed, .print = keep_print, .print_context = r,
                                    .max_instructions = a->max_instructions,
                                    .compiler_path = compiler_if_asked(), .code_cache = HW_TEST_CACHE,
                                    .awaits_compiler = true};
    r->status = hw_sim_create(&options, &sim, &r->diag);
    if (r->status) return;
    hw_mem *mem = hw_sim_mem(sim);
    if (a->stack_bytes) hw_sim_set_stack_bytes(sim, a->stack_bytes);
    if (a->heap_bytes) hw_sim_set_heap_bytes(sim, a->heap_bytes);
    r->status = hw_sim_add_sink(sim, &sink.sink, &r->diag);
    if (!r->status) r->status = hw_sim_load(sim, a->ptx, strlen(a->ptx), "test.ptx", &module, &r->diag);
    if (!r->status) r->status = hw_sim_find_function(module, "k", &function, &r->diag);
    if (!r->status)
        r->status = hw_mem_alloc(mem, sizeof r->out, 256, HW_ALLOC_DEVICE, NULL, NULL, &r->out_address, &r->diag);
    if (!r->status)
        r->status = hw_mem_alloc(mem, IN_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &r->in_address, &r->diag);
    if (!r->status) {
        fill_memory(a, r, mem);
        const uint64_t second = a->in_address ? a->in_address : r->in_address;
        void *params[] = {&r->out_address, (void *)&second};
        hw_sim_launch_args args = {function,
                                   {at_least_1(a->grid), at_least_1(a->grid_yz[0]), at_least_1(a->grid_yz[1])},
                                   {at_least_1(a->block), at_least_1(a->block_yz[0]), at_least_1(a->block_yz[1])},
                                   a->shared, params, false, 0, 0, {0}};
        if (options.compiler_path) {
            hw_sim_launch(sim, &args, &r->refusal, &r->fault, &r->diag);
            fill_memory(a, r, mem);
            sink.sums = (sums){0};
            r->n_printed = 0;
        }
        r->status = hw_sim_launch(sim, &args, &r->refusal, &r->fault, &r->diag);
        memcpy(r->out, hw_mem_host(mem, r->out_address), sizeof r->out);
        memcpy(r->in, hw_mem_host(mem, r->in_address), IN_BYTES);
        r->keeps_sums = function->program->keeps_sums;
        // The names belong to the module.
        r->fault.kernel = r->fault.file = NULL;
    }
    r->sums = sink.sums;
    hw_sim_destroy(sim);
}

static inline run_result *run_ok(run_args a) {
    static run_result r;
    run_kernel(&a, &r);
    if (r.status != HW_OK) fail_msg("status %d, line %d: %s\n%s", r.status, r.diag.line, r.diag.text, a.ptx);
    return &r;
}

// With 1, 2 and 5 host threads and several orders of warps: n results as expected each time; and the same sums each
// time, when they are promised (not where threads wait for each other).
static inline void run_always(run_args a, uint32_t n, uint32_t (*expected)(uint32_t thread), bool same_sums) {
    static const uint32_t threads[] = {1, 2, 5};
    static const uint64_t seeds[] = {0, 1, 77};
    sums first = {0};
#ifdef HW_SANITIZED
    enum { STEP = 4 };   // each number of threads and each order once
#else
    enum { STEP = 1 };
#endif
    for (int k = 0; k < 9; k += STEP) {
        a.threads = threads[k % 3];
        a.seed = seeds[k / 3];
        run_result *r = run_ok(a);
        for (uint32_t t = 0; t < n; t++)
            if (r->out[t] != expected(t))
                fail_msg("%u host threads, seed %u: out[%u] is %u, not %u\n%s", a.threads, (unsigned)a.seed, t,
                    r->out[t],
                         expected(t), a.ptx);
        if (k == 0) first = r->sums;
        if (same_sums) assert_memory_equal(&first, &r->sums, sizeof first);
    }
}

static inline run_result *run_fault(run_args a, hw_status status, hw_fault_kind kind) {
    static run_result r;
    run_kernel(&a, &r);
    if (r.status != status || r.fault.kind != kind)
        fail_msg("status %d, kind %d: %s; wanted status %d, kind %d\n%s", r.status, r.fault.kind, r.diag.text, status,
            kind,
                 a.ptx);
    return &r;
}

static inline void assert_says(const run_result *r, const char *words) {
    if (!strstr(r->fault.text, words)) fail_msg("'%s' is not in: %s", words, r->fault.text);
}

#endif
