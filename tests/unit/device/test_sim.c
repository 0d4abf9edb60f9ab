// The simulated device: modules, variables with initialisers, functions, launches, what is refused and why.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "device/sim.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

static const char PTX[] = HEAD
    ".global .align 4 .b8 numbers[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};\n"
    ".global .align 8 .u64 pointer = generic(numbers);\n"
    ".const .align 4 .u32 factor = 7;\n"
    ".global .align 4 .u32 zeros[100];\n"
    // out[tid] = in * factor + numbers[tid]
    ".visible .entry scale(.param .u64 out, .param .u32 in)\n"
    "{\n"
    "    .reg .u32 %r<6>;\n    .reg .u64 %rd<8>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [in];\n"
    "    mov.u32 %r2, %tid.x;\n    ld.const.u32 %r3, [factor];\n"
    "    ld.global.u64 %rd2, [pointer];\n    mul.wide.u32 %rd3, %r2, 4;\n"
    "    add.u64 %rd4, %rd2, %rd3;\n    ld.u32 %r4, [%rd4];\n"
    "    mad.lo.u32 %r5, %r1, %r3, %r4;\n    cvta.to.global.u64 %rd5, %rd1;\n"
    "    add.u64 %rd6, %rd5, %rd3;\n    st.global.u32 [%rd6], %r5;\n    ret;\n"
    "}\n"
    ".visible .entry bounded() .maxntid 64, 2, 1\n{\n    ret;\n}\n"
    ".visible .entry paired() .reqnctapercluster 2, 1, 1\n{\n    ret;\n}\n"
    ".visible .entry fixed()\n{\n    .shared .align 4 .b8 tile[4096];\n    .reg .u32 %r<2>;\n"
    "    mov.u32 %r1, 0;\n    st.shared.u32 [tile], %r1;\n    ret;\n}\n"
    ".visible .entry spins(.param .u32 n)\n{\n    .reg .u32 %r<2>;\n    .reg .pred %p<2>;\n"
    "    ld.param.u32 %r1, [n];\n$again:\n    sub.u32 %r1, %r1, 1;\n    setp.ne.u32 %p1, %r1, 0;\n"
    "    @%p1 bra $again;\n    ret;\n}\n"
    ".visible .entry stops()\n{\n    trap;\n}\n";

typedef struct fixture {
    hw_sim *sim;
    hw_sim_module *module;
} fixture;

static fixture open_sim(const char *gpu) {
    fixture f = {0};
    hw_diag diag = {0};
    const hw_sim_options options = {.gpu = hw_gpu_find(gpu), .threads = 2};
    assert_non_null(options.gpu);
    assert_int_equal(hw_sim_create(&options, &f.sim, &diag), HW_OK);
    hw_status status = hw_sim_load(f.sim, PTX, strlen(PTX), "test.ptx", &f.module, &diag);
    if (status) fail_msg("%s", diag.text);
    return f;
}

static hw_sim_function *find(const fixture *f, const char *name) {
    hw_sim_function *function = NULL;
    assert_int_equal(hw_sim_find_function(f->module, name, &function, NULL), HW_OK);
    return function;
}

static hw_status launch(const fixture *f, hw_sim_launch_args args, hw_sim_refusal *refusal) {
    static hw_fault fault;
    hw_diag diag = {0};
    return hw_sim_launch(f->sim, &args, refusal, &fault, &diag);
}

static void test_variables(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    uint64_t numbers, pointer, factor, zeros, bytes, value;
    uint32_t word;
    assert_int_equal(hw_sim_find_global(f.module, "numbers", &numbers, &bytes, NULL), HW_OK);
    assert_int_equal(bytes, 16);
    assert_int_equal(hw_sim_find_global(f.module, "pointer", &pointer, &bytes, NULL), HW_OK);
    const hw_mem *mem = hw_sim_mem(f.sim);
    memcpy(&value, hw_mem_host(mem, pointer), 8);
    assert_int_equal(value, numbers);
    assert_int_equal(hw_sim_find_global(f.module, "factor", &factor, &bytes, NULL), HW_OK);
    memcpy(&word, hw_mem_host(mem, factor), 4);
    assert_int_equal(word, 7);
    assert_int_equal(hw_sim_find_global(f.module, "zeros", &zeros, &bytes, NULL), HW_OK);
    for (int i = 0; i < 100; i++) assert_int_equal(((uint32_t *)hw_mem_host(mem, zeros))[i], 0);
    hw_allocation a;
    assert_true(hw_mem_find(hw_sim_mem(f.sim), numbers, 16, &a));
    assert_int_equal(a.kind, HW_ALLOC_GLOBAL);
    assert_string_equal(a.name, "numbers");
    assert_int_equal(hw_sim_find_global(f.module, "nothing", &numbers, &bytes, NULL), HW_NOT_FOUND);
    hw_sim_unload(f.sim, f.module);
    assert_false(hw_mem_find(hw_sim_mem(f.sim), numbers, 1, &a));
    assert_true(hw_mem_nearest(hw_sim_mem(f.sim), numbers, &a) && a.is_freed);
    assert_string_equal(a.name, "numbers");
    hw_sim_destroy(f.sim);
}

static void test_launch(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    uint64_t out;
    uint32_t in = 5, offset, bytes;
    assert_int_equal(hw_mem_alloc(hw_sim_mem(f.sim), 16, 256, HW_ALLOC_DEVICE, NULL, NULL, &out, NULL), HW_OK);
    void *params[] = {&out, &in};
    hw_sim_function *scale = find(&f, "scale");
    hw_sim_get_param(scale, 1, &offset, &bytes);
    assert_true(offset == 8 && bytes == 4);
    hw_sim_refusal refusal;
    const hw_sim_launch_args args = {.function = scale, .grid = {1, 1, 1}, .block = {4, 1, 1}, .params = params};
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    const uint32_t *got = hw_mem_host(hw_sim_mem(f.sim), out);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(got[i], 5 * 7 + i + 1);
    hw_sim_destroy(f.sim);
}

typedef struct refused_row {
    const char *function;
    uint32_t grid[3], block[3], shared;
    bool cooperative;
    hw_sim_refusal why;
} refused_row;

static void test_refusals(void **state) {
    (void)state;
    static const refused_row rows[] = {
        {"fixed", {0, 1, 1}, {1, 1, 1}, 0, false, HW_REFUSED_CONFIGURATION},
        {"fixed", {1, 1, 1}, {1, 0, 1}, 0, false, HW_REFUSED_CONFIGURATION},
        {"fixed", {1, 65536, 1}, {1, 1, 1}, 0, false, HW_REFUSED_CONFIGURATION},
        {"fixed", {1, 1, 1}, {1025, 1, 1}, 0, false, HW_REFUSED_CONFIGURATION},
        {"fixed", {1, 1, 1}, {1, 1, 65}, 0, false, HW_REFUSED_CONFIGURATION},
        {"fixed", {1, 1, 1}, {32, 33, 1}, 0, false, HW_REFUSED_CONFIGURATION},
        {"fixed", {1, 1, 1}, {0x10000, 0x10000, 1}, 0, false, HW_REFUSED_CONFIGURATION},
        {"fixed", {1, 1, 1}, {1, 1, 1}, 45 << 10, false, HW_REFUSED_SHARED},
        {"fixed", {1, 1, 1}, {1, 1, 1}, UINT32_MAX, false, HW_REFUSED_SHARED},
        {"bounded", {1, 1, 1}, {129, 1, 1}, 0, false, HW_REFUSED_BOUNDS},
        {"fixed", {132 * 2 + 1, 1, 1}, {1024, 1, 1}, 0, true, HW_REFUSED_COOPERATIVE},
        {"paired", {3, 1, 1}, {32, 1, 1}, 0, false, HW_REFUSED_CLUSTER},
    };
    fixture f = open_sim("h200");
    hw_sim_refusal refusal;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const refused_row *r = &rows[i];
        hw_sim_launch_args args = {find(&f, r->function), {r->grid[0], r->grid[1], r->grid[2]},
                                   {r->block[0], r->block[1], r->block[2]}, r->shared, NULL, r->cooperative, 0, 0,
                                   {0}};
        assert_int_equal(launch(&f, args, &refusal), HW_USAGE);
        assert_int_equal(refusal, r->why);
    }
    hw_sim_function *fixed = find(&f, "fixed");
    hw_sim_launch_args good = {fixed, {132 * 2, 1, 1}, {1024, 1, 1}, 44 << 10, NULL, true, 0, 0, {0}};
    assert_int_equal(launch(&f, good, &refusal), HW_OK);
    assert_int_equal(refusal, HW_REFUSED_NOT);
    hw_sim_set_regs(fixed, 100);
    assert_int_equal(launch(&f, good, &refusal), HW_USAGE);
    assert_int_equal(refusal, HW_REFUSED_RESOURCES);
    hw_sim_destroy(f.sim);
}

static void test_shared_opt_in(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    hw_sim_function *fixed = find(&f, "fixed");
    hw_sim_function_info info;
    hw_sim_get_function_info(fixed, &info);
    assert_int_equal(info.static_shared_bytes, 4096);
    assert_int_equal(info.max_dynamic_shared_bytes, 44 << 10);
    assert_int_equal(hw_sim_set_max_dynamic_shared(f.sim, fixed, 224 << 10, NULL), HW_USAGE);
    assert_int_equal(hw_sim_set_max_dynamic_shared(f.sim, fixed, UINT32_MAX, NULL), HW_USAGE);
    assert_int_equal(hw_sim_set_max_dynamic_shared(f.sim, fixed, 223 << 10, NULL), HW_OK);
    hw_sim_refusal refusal;
    hw_sim_launch_args args = {fixed, {1, 1, 1}, {32, 1, 1}, 223 << 10, NULL, false, 0, 0, {0}};
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    hw_sim_destroy(f.sim);
}

// Before 2.0 arguments and 16 bytes of configuration lie in a block's 16 KiB and are counted as the cubin counts them.
static void test_shared_of_a_launch(void **state) {
    (void)state;
    enum { FULL = 16 << 10, ARGUMENTS = 12, LAUNCH = 16 };
    fixture f = open_sim("gtx280");
    hw_sim_function *fixed = find(&f, "fixed");
    hw_sim_function_info info;
    hw_sim_refusal refusal;
    hw_diag diag = {0};
    hw_fault fault;
    hw_sim_get_function_info(find(&f, "scale"), &info);
    assert_int_equal(info.static_shared_bytes, ARGUMENTS + LAUNCH);
    assert_int_equal(info.max_dynamic_shared_bytes, FULL - ARGUMENTS - LAUNCH);
    hw_sim_get_function_info(fixed, &info);
    assert_int_equal(info.static_shared_bytes, 4096 + LAUNCH);
    assert_int_equal(hw_sim_blocks_per_sm(f.sim, fixed, 256, 0), 3);        // 4112 bytes as 4608; of 4096 4 blocks
    assert_int_equal(hw_sim_blocks_per_sm(f.sim, fixed, 256, 1008), 3);     // 5120
    assert_int_equal(hw_sim_blocks_per_sm(f.sim, fixed, 256, 1009), 2);     // 5121 as 5632; 5105 would be 3 blocks
    hw_sim_launch_args args = {fixed, {1, 1, 1}, {32, 1, 1}, FULL - 4096 - LAUNCH, NULL, false, 0, 0, {0}};
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    args.dynamic_shared_bytes++;
    assert_int_equal(hw_sim_launch(f.sim, &args, &refusal, &fault, &diag), HW_USAGE);
    assert_int_equal(refusal, HW_REFUSED_SHARED);
    assert_non_null(
        strstr(diag.text, "fixed uses 16385 bytes of shared memory, and a block may have 16384; 16 of them"));
    assert_non_null(strstr(diag.text, "arguments"));
    assert_int_equal(hw_sim_set_max_dynamic_shared(f.sim, fixed, FULL - 4096, NULL), HW_USAGE);
    assert_int_equal(hw_sim_set_max_dynamic_shared(f.sim, fixed, FULL - 4096 - LAUNCH, NULL), HW_OK);
    hw_sim_destroy(f.sim);
    // From 2.0 on they are in constant memory.
    f = open_sim("m2090");
    hw_sim_get_function_info(find(&f, "scale"), &info);
    assert_int_equal(info.static_shared_bytes, 0);
    assert_int_equal(info.max_dynamic_shared_bytes, 48 << 10);
    hw_sim_destroy(f.sim);
}

// maxThreadsPerBlock of a kernel with 96 registers is 640 on an H200: warps go in fours.
static void test_threads_by_registers(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    hw_sim_function_info info;
    hw_sim_set_regs(find(&f, "fixed"), 96);
    hw_sim_get_function_info(find(&f, "fixed"), &info);
    assert_int_equal(info.max_threads_per_block, 640);
    hw_sim_get_function_info(find(&f, "bounded"), &info);
    assert_int_equal(info.max_threads_per_block, 128);
    assert_true(info.regs_estimated && info.regs >= 1);
    hw_sim_destroy(f.sim);
}

// 80 values that live at the same time.
#define EACH_OF_10(DO, tens) DO(tens "0") DO(tens "1") DO(tens "2") DO(tens "3") DO(tens "4") DO(tens "5") \
    DO(tens "6") DO(tens "7") DO(tens "8") DO(tens "9")
#define EACH_OF_80(DO) EACH_OF_10(DO, "1") EACH_OF_10(DO, "2") EACH_OF_10(DO, "3") EACH_OF_10(DO, "4") \
    EACH_OF_10(DO, "5") EACH_OF_10(DO, "6") EACH_OF_10(DO, "7") EACH_OF_10(DO, "8")
#define LOAD(n) "    ld.volatile.global.u32 %r" n ", [%rd1+4*" n "];\n"
#define STORE(n) "    st.volatile.global.u32 [%rd1+4*" n "], %r" n ";\n"
#define CROWD "{\n    .reg .u32 %r<90>;\n    .reg .u64 %rd<2>;\n    ld.param.u64 %rd1, [p];\n" EACH_OF_80(LOAD)        \
    EACH_OF_80(STORE) "    ret;\n}\n"

// Kernels that keep 80 values at a time, with and without bounds.
static const char CROWDED[] = HEAD "// Generated by LLVM NVPTX Back-End\n"
    ".extern .shared .align 4 .b8 more[];\n"
    ".visible .entry free_(.param .u64 p)\n" CROWD
    ".visible .entry bounded(.param .u64 p) .maxntid 256, 1, 1 .minnctapersm 4\n" CROWD
    ".visible .entry wide(.param .u64 p) .maxntid 1024, 1, 1\n" CROWD
    ".visible .entry unreachable(.param .u64 p) .maxntid 256, 1, 1 .minnctapersm 99\n" CROWD
    ".visible .entry stated(.param .u64 p) .maxnreg 40\n" CROWD
    ".visible .entry dynamic()\n{\n    .reg .u32 %r<2>;\n    mov.u32 %r1, 0;\n    st.shared.u32 [more], %r1;\n"
    "    ret;\n}\n";

// Registers and spills that are estimated of them; 0 spills stand for none.
static void check_crowded(uint32_t max_regs, const char *name, uint32_t most_regs, bool spills) {
    hw_sim *sim = NULL;
    hw_sim_module *module = NULL;
    hw_sim_function *function = NULL;
    hw_sim_function_info info;
    hw_diag diag = {0};
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1, .max_regs = max_regs,
                                    .producer = "nvcc 9.9"};
    assert_int_equal(hw_sim_create(&options, &sim, &diag), HW_OK);
    if (hw_sim_load(sim, CROWDED, strlen(CROWDED), "crowded.ptx", &module, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(hw_sim_find_function(module, name, &function, NULL), HW_OK);
    hw_sim_get_function_info(function, &info);
    assert_true(info.regs_estimated);
    if (spills ? info.regs != most_regs : info.regs > most_regs)
        fail_msg("%s, limit %u: %u registers, not %u", name, max_regs, info.regs, most_regs);
    if ((info.spill_bytes > 0) != spills)
        fail_msg("%s, limit %u: %u bytes of spills", name, max_regs, info.spill_bytes);
    assert_int_equal(info.has_dynamic_shared, !strcmp(name, "dynamic"));
    hw_sim_set_regs(function, 30);
    hw_sim_set_spills(function, 8);
    hw_sim_get_function_info(function, &info);
    assert_true(!info.regs_estimated && info.regs == 30 && info.spill_bytes == 8);
    hw_sim_destroy(sim);
}

// A multiprocessor's 65536 registers go to the blocks that the bounds ask for: 64 each for 4 of 256 threads.
static void test_estimates_keep_to_limits(void **state) {
    (void)state;
    check_crowded(0, "free_", 255, false);
    check_crowded(0, "bounded", 64, true);
    check_crowded(0, "wide", 64, true);
    check_crowded(0, "unreachable", 255, false);
    check_crowded(0, "stated", 40, true);
    check_crowded(32, "free_", 32, true);
    check_crowded(8, "free_", 24, true);         // ptxas gives no fewer
    check_crowded(32, "bounded", 64, true);      // by its bounds
    check_crowded(32, "stated", 32, true);
    check_crowded(0, "dynamic", 24, false);
}

static void test_compiler_of_ptx(void **state) {
    (void)state;
    hw_sim_function_info info;
    fixture f = open_sim("h200");
    hw_sim_get_function_info(find(&f, "fixed"), &info);
    assert_string_equal(info.producer, "unnamed compiler (PTX ISA 7.5)");
    hw_sim_destroy(f.sim);
    hw_sim *sim = NULL;
    hw_sim_module *module = NULL;
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1, .producer = "nvcc 9.9"};
    assert_int_equal(hw_sim_create(&options, &sim, NULL), HW_OK);
    assert_int_equal(hw_sim_load(sim, PTX, strlen(PTX), "a.ptx", &module, NULL), HW_OK);
    hw_sim_get_function_info(hw_sim_function_at(module, 0), &info);
    assert_string_equal(info.producer, "nvcc 9.9");
    assert_int_equal(hw_sim_load(sim, CROWDED, strlen(CROWDED), "b.ptx", &module, NULL), HW_OK);
    hw_sim_get_function_info(hw_sim_function_at(module, 0), &info);
    assert_string_equal(info.producer, "nvcc 9.9");   // the comment stands behind .version
    hw_sim_destroy(sim);
}

static bool wants_scale(hw_sink *sink, const hw_launch_info *info) {
    (void)sink;
    return strcmp(info->kernel, "bounded") != 0;
}

static int n_begun;
static hw_status begun(hw_sink *sink, const hw_launch_info *info, hw_diag *diag) {
    (void)sink, (void)info, (void)diag;
    n_begun++;
    return HW_OK;
}
static void ended(hw_sink *sink, const hw_launch_info *info, uint64_t ns, hw_status status) {
    (void)sink, (void)info, (void)ns, (void)status;
}
static void nothing_executed(hw_sink *sink, uint32_t worker, const hw_executed *executed) {
    (void)sink, (void)worker, (void)executed;
}
static void nothing_accessed(hw_sink *sink, uint32_t worker, const hw_access *access) {
    (void)sink, (void)worker, (void)access;
}
static void no_branch(hw_sink *sink, uint32_t worker, const hw_branched *branch) {
    (void)sink, (void)worker, (void)branch;
}
static void none_off(hw_sink *sink, uint32_t worker, const hw_guarded_off *off) {
    (void)sink, (void)worker, (void)off;
}

static void test_sinks_choose_launches(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    hw_sink sink = {.events = HW_WANTS(ACCESS) | HW_WANTS(EXECUTED) | HW_WANTS(BRANCH) | HW_WANTS(GUARDED_OFF),
                    .wants = wants_scale, .launch_begin = begun, .launch_end = ended, .executed = nothing_executed,
                    .access = nothing_accessed, .branch = no_branch, .guarded_off = none_off};
    hw_sim_refusal refusal;
    hw_sim_launch_args args = {find(&f, "bounded"), {1, 1, 1}, {32, 1, 1}, 0, NULL, false, 0, 0, {0}};
    assert_int_equal(hw_sim_add_sink(f.sim, &sink, NULL), HW_OK);
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    assert_int_equal(n_begun, 0);
    args.function = find(&f, "fixed");
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    assert_int_equal(n_begun, 1);
    hw_sim_destroy(f.sim);
}

// Of kernels of one module those may launch others that reach a call which does, however deep.
static const char PARENTS[] = HEAD
    ".extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 p, .param .b64 s);\n"
    ".func launches()\n{\n    .reg .pred %p<2>;\n    .reg .u64 %d<2>;\n    .reg .u32 %r<2>;\n"
    "    mov.u32 %r1, %ntid.x;\n    setp.eq.u32 %p1, %r1, 0;\n    @!%p1 bra DONE;\n    mov.u64 %d1, 0;\n    {\n"
    "    .param .b64 a;\n    .param .b64 b;\n    .param .b32 c;\n"
    "    st.param.b64 [a], %d1;\n    st.param.b64 [b], %d1;\n"
    "    call.uni (c), cudaLaunchDeviceV2, (a, b);\n    }\nDONE:\n    ret;\n}\n"
    ".func between()\n{\n    call.uni launches;\n    ret;\n}\n"
    ".func harmless()\n{\n    ret;\n}\n"
    ".visible .entry parent()\n{\n    call.uni between;\n    ret;\n}\n"
    ".visible .entry beside()\n{\n    call.uni harmless;\n    ret;\n}\n";

static bool may_launch;
static bool wants_none(hw_sink *sink, const hw_launch_info *info) {
    (void)sink;
    may_launch = info->may_launch;
    return false;
}

static void test_kernels_that_may_launch(void **state) {
    (void)state;
    static const char *const names[] = {"parent", "beside"};
    fixture f = open_sim("h200");
    hw_sink sink = {.events = HW_WANTS(EXECUTED), .wants = wants_none, .executed = nothing_executed};
    hw_sim_refusal refusal;
    hw_diag diag = {0};
    if (hw_sim_load(f.sim, PARENTS, strlen(PARENTS), "parents.ptx", &f.module, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(hw_sim_add_sink(f.sim, &sink, NULL), HW_OK);
    for (int i = 0; i < 2; i++) {
        hw_sim_launch_args args = {find(&f, names[i]), {1, 1, 1}, {32, 1, 1}, 0, NULL, false, 0, 0, {0}};
        assert_int_equal(launch(&f, args, &refusal), HW_OK);
        assert_int_equal(may_launch, i == 0);
    }
    hw_sim_destroy(f.sim);
}

static pthread_t launching;
static int n_strange;
static void tell_at_home(uint32_t worker) {
    const bool is_launching = pthread_equal(pthread_self(), launching);
    if (is_launching != (worker == 0)) __atomic_fetch_add(&n_strange, 1, __ATOMIC_RELAXED);
}
static void executed_at_home(hw_sink *sink, uint32_t worker, const hw_executed *executed) {
    (void)sink, (void)executed;
    tell_at_home(worker);
}
static void accessed_at_home(hw_sink *sink, uint32_t worker, const hw_access *access) {
    (void)sink, (void)access;
    tell_at_home(worker);
}

// What workers have kept until the launch's end, too, they tell at the same time.
static void test_records_come_on_the_workers_threads(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    hw_sink sink = {.events = HW_WANTS(ACCESS) | HW_WANTS(EXECUTED), .launch_begin = begun, .launch_end = ended,
                    .executed = executed_at_home, .access = accessed_at_home};
    hw_sim_refusal refusal;
    const hw_sim_launch_args args = {find(&f, "fixed"), {1 << 16, 1, 1}, {32, 1, 1}, 0, NULL, false, 0, 0, {0}};
    launching = pthread_self();
    assert_int_equal(hw_sim_add_sink(f.sim, &sink, NULL), HW_OK);
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    assert_int_equal(n_strange, 0);
    hw_sim_destroy(f.sim);
}

static atomic_uint n_told[2];
static void count_told(hw_sink *sink, uint32_t worker, const hw_executed *executed) {
    (void)sink, (void)executed;
    atomic_fetch_add(&n_told[worker], 1);
}

// A launch of a kernel whose blocks were short is one worker's; where they are long this time the other one comes.
static void test_workers_join_late(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    hw_sink sink = {.events = HW_WANTS(EXECUTED), .launch_begin = begun, .launch_end = ended, .executed = count_told};
    hw_sim_refusal refusal;
    uint32_t n = 1;
    void *params[] = {&n};
    hw_sim_launch_args args = {find(&f, "spins"), {64, 1, 1}, {32, 1, 1}, 0, params, false, 0, 0, {0}};
    assert_int_equal(hw_sim_add_sink(f.sim, &sink, NULL), HW_OK);
    // The first one has both, and so have those behind one that the system held up.
    for (int k = 0; k < 50 && !(n_told[0] && !n_told[1]); k++) {
        n_told[0] = n_told[1] = 0;
        assert_int_equal(launch(&f, args, &refusal), HW_OK);
    }
    assert_true(n_told[0] && !n_told[1]);
    n = 100000;
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    assert_true(n_told[1] > 0);
    // Also while the first one has a block that is long.
    args.grid[0] = 2;
    for (n = 1, n_told[1] = 1; n < 50 && n_told[1]; n++) {
        n_told[1] = 0;
        assert_int_equal(launch(&f, args, &refusal), HW_OK);
    }
    n = 2000000;
    assert_int_equal(launch(&f, args, &refusal), HW_OK);
    assert_true(n_told[1] > 0);
    hw_sim_destroy(f.sim);
}

static void test_fault(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    hw_fault fault;
    hw_sim_refusal refusal;
    const hw_sim_launch_args args = {find(&f, "stops"), {1, 1, 1}, {1, 1, 1}, 0, NULL, false, 0, 0, {0}};
    assert_int_equal(hw_sim_launch(f.sim, &args, &refusal, &fault, NULL), HW_FAULT);
    assert_int_equal(fault.kind, HW_FAULT_TRAP);
    hw_sim_destroy(f.sim);
}

static void test_bad_modules(void **state) {
    (void)state;
    static const struct { const char *ptx; hw_status status; } rows[] = {
        {"", HW_MALFORMED},
        {HEAD ".global .u32", HW_MALFORMED},
        {HEAD ".visible .entry k() { frobnicate.u32 %r1, 1; }", HW_UNSUPPORTED},
        {HEAD ".extern .global .u32 elsewhere;\n.visible .entry k() { ret; }", HW_UNSUPPORTED},
    };
    fixture f = open_sim("h200");
    uint64_t limit, before, after;
    hw_mem_usage(hw_sim_mem(f.sim), &limit, &before);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hw_sim_module *module = NULL;
        hw_diag diag = {0};
        hw_status status = hw_sim_load(f.sim, rows[i].ptx, strlen(rows[i].ptx), "bad.ptx", &module, &diag);
        assert_true(status == rows[i].status || (rows[i].status == HW_UNSUPPORTED && status == HW_MALFORMED));
        assert_null(module);
        assert_true(diag.text[0] != '\0');
    }
    hw_mem_usage(hw_sim_mem(f.sim), &limit, &after);
    assert_int_equal(before, after);
    hw_sim_destroy(f.sim);
}

// `wrong` calls what nobody defines, `asks` any function, `works` one that the others need not know.
#define PARTLY_WRONG HEAD ".file 1 \"wrong.cu\"\n.extern .func nobody();\n"                                       \
    ".func writes(.param .b64 at)\n{\n    .reg .b64 %rd<2>;\n    ld.param.b64 %rd1, [at];\n"                       \
    "    st.u32 [%rd1], 17;\n    ret;\n}\n"                                                                         \
    ".visible .entry wrong()\n{\n    .loc 1 9 5\n    call.uni nobody, ();\n    ret;\n}\n"                         \
    ".visible .entry works(.param .u64 out)\n{\n    .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [out];\n"            \
    "    { .param .b64 at; st.param.b64 [at], %rd1; call.uni writes, (at); }\n    ret;\n}\n"

// What is wrong with a kernel is told when it is used, each time, and harms no other kernel of its module.
static void test_kernels_that_are_prepared(void **state) {
    (void)state;
    fixture f = open_sim("h200");
    assert_int_equal(hw_sim_load(f.sim, PARTLY_WRONG, strlen(PARTLY_WRONG), "wrong.ptx", &f.module, NULL), HW_OK);
    hw_sim_function *works = find(&f, "works"), *wrong = find(&f, "wrong");
    uint64_t out;
    assert_int_equal(hw_mem_alloc(hw_sim_mem(f.sim), 4, 256, HW_ALLOC_DEVICE, NULL, NULL, &out, NULL), HW_OK);
    void *params[] = {&out};
    hw_sim_refusal refusal;
    hw_fault fault;
    for (int turn = 0; turn < 2; turn++) {
        hw_diag diag = {0};
        const hw_sim_launch_args bad = {wrong, {1, 1, 1}, {1, 1, 1}, 0, NULL, false, 0, 0, {0}};
        assert_int_equal(hw_sim_launch(f.sim, &bad, &refusal, &fault, &diag), HW_UNSUPPORTED);
        assert_non_null(strstr(diag.text, "wrong calls nobody"));
        assert_string_equal(diag.file, "wrong.cu");
        assert_int_equal(diag.line, 9);
        const hw_sim_launch_args good = {works, {1, 1, 1}, {1, 1, 1}, 0, params, false, 0, 0, {0}};
        assert_int_equal(hw_sim_launch(f.sim, &good, &refusal, &fault, &diag), HW_OK);
        assert_int_equal(*(uint32_t *)hw_mem_host(hw_sim_mem(f.sim), out), 17);
    }
    assert_int_equal(hw_sim_prepare_all(f.module, NULL), HW_UNSUPPORTED);
    hw_sim_function_info info;
    hw_sim_get_function_info(wrong, &info);
    assert_string_equal(info.name, "wrong");
    assert_int_equal(info.spill_bytes, 0);
    hw_sim_destroy(f.sim);
}

// Whatever allocation fails, the kernel can be prepared when there is memory again.
static void test_preparing_without_memory(void **state) {
    (void)state;
    hw_status status = HW_NO_MEMORY;
    for (long n = 0; status == HW_NO_MEMORY; n++) {
        fixture f = open_sim("h200");
        const hw_sim_function *function = find(&f, "scale");
        hw_alloc_fail_after(n);
        status = hw_sim_prepare(function, NULL);
        hw_alloc_fail_after(-1);
        assert_true(status == HW_OK || status == HW_NO_MEMORY);
        uint64_t out;
        uint32_t in = 3;
        void *params[] = {&out, &in};
        assert_int_equal(hw_mem_alloc(hw_sim_mem(f.sim), 4, 256, HW_ALLOC_DEVICE, NULL, NULL, &out, NULL), HW_OK);
        const hw_sim_launch_args args = {find(&f, "scale"), {1, 1, 1}, {1, 1, 1}, 0, params, false, 0, 0, {0}};
        hw_sim_refusal refusal;
        hw_fault fault;
        assert_int_equal(hw_sim_launch(f.sim, &args, &refusal, &fault, NULL), HW_OK);
        assert_int_equal(*(uint32_t *)hw_mem_host(hw_sim_mem(f.sim), out), 3 * 7 + 1);
        hw_sim_destroy(f.sim);
    }
}

static uint64_t place(void *context, const char *name, uint64_t bytes) {
    return strcmp(name, "zeros") == 0 && bytes == 400 ? (uint64_t)(uintptr_t)context : 0;
}

static void test_placed_variable(void **state) {
    (void)state;
    static uint32_t own[100];
    memset(own, 0xff, sizeof own);
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1, .place = place, .place_context = own};
    hw_sim *sim;
    hw_sim_module *module;
    uint64_t address, bytes;
    assert_int_equal(hw_sim_create(&options, &sim, NULL), HW_OK);
    assert_int_equal(hw_sim_load(sim, PTX, strlen(PTX), "test.ptx", &module, NULL), HW_OK);
    assert_int_equal(hw_sim_find_global(module, "zeros", &address, &bytes, NULL), HW_OK);
    assert_int_equal(address, (uint64_t)(uintptr_t)own);
    for (int i = 0; i < 100; i++) assert_int_equal(own[i], 0);
    hw_sim_destroy(sim);
}

// The nth allocation fails, for every n until all succeed.
static void test_no_memory(void **state) {
    (void)state;
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1};
    long n = 0;
    for (hw_status status = HW_NO_MEMORY; status != HW_OK; n++) {
        hw_sim *sim = NULL;
        hw_sim_module *module = NULL;
        hw_diag diag = {0};
        hw_alloc_fail_after(n);
        status = hw_sim_create(&options, &sim, &diag);
        if (!status) status = hw_sim_load(sim, PTX, strlen(PTX), "test.ptx", &module, &diag);
        hw_alloc_fail_after(-1);
        assert_true(status == HW_OK || status == HW_NO_MEMORY);
        assert_true((status == HW_OK) == (module != NULL));
        hw_sim_destroy(sim);
        assert_true(n < 100000);
    }
    assert_true(n > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables), cmocka_unit_test(test_launch), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_shared_opt_in), cmocka_unit_test(test_shared_of_a_launch),
        cmocka_unit_test(test_threads_by_registers), cmocka_unit_test(test_estimates_keep_to_limits),
        cmocka_unit_test(test_compiler_of_ptx),
        cmocka_unit_test(test_sinks_choose_launches),
        cmocka_unit_test(test_kernels_that_may_launch),
        cmocka_unit_test(test_records_come_on_the_workers_threads),
        cmocka_unit_test(test_workers_join_late),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_bad_modules),
        cmocka_unit_test(test_kernels_that_are_prepared), cmocka_unit_test(test_preparing_without_memory),
        cmocka_unit_test(test_placed_variable), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
