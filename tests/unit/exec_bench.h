// A GPU with a kernel and two pieces of memory, for tests that attach sinks of their own.
#ifndef HW_TESTS_EXEC_BENCH_H
#define HW_TESTS_EXEC_BENCH_H

#include "exec_run.h"

typedef struct bench {
    hw_sim *sim;
    hw_sim_function *function;
    uint64_t out, in;
} bench;

static inline bench open_bench(const char *ptx) {
    bench b;
    hw_diag diag = {0};
    hw_sim_module *module;
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1};
    assert_int_equal(hw_sim_create(&options, &b.sim, &diag), HW_OK);
    if (hw_sim_load(b.sim, ptx, strlen(ptx), "test.ptx", &module, &diag)) fail_msg("%s\n%s", diag.text, ptx);
    assert_int_equal(hw_sim_find_function(module, "k", &b.function, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(b.sim), 65536, 256, HW_ALLOC_DEVICE, NULL, NULL, &b.out, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(b.sim), 65536, 256, HW_ALLOC_DEVICE, NULL, NULL, &b.in, &diag), HW_OK);
    return b;
}

static inline hw_status launch(const bench *b, uint32_t grid, uint32_t block) {
    hw_diag diag = {0};
    hw_sim_refusal refusal;
    hw_fault fault;
    void *params[] = {(void *)&b->out, (void *)&b->in};
    const hw_sim_launch_args args = {.function = b->function, .grid = {grid, 1, 1}, .block = {block, 1, 1},
                                     .params = params, .stream = 77};
    return hw_sim_launch(b->sim, &args, &refusal, &fault, &diag);
}

#endif
