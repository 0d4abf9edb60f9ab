// Launches of one kernel after another: each is counted whole, whatever the last one has left behind.
#include "exec_run.h"

static const char copy_kernel[] = KERNEL("", "add.u64 %rd4, %rd2, 0;\nmul.wide.u32 %rd5, %r4, 4;\n"
                                             "add.u64 %rd4, %rd4, %rd5;\n"
                                             "ld.global.u32 %r5, [%rd4];\n" STORE_RET("%r5"));

typedef struct device {
    hw_sim *sim;
    hw_sim_function *function;
    adding_sink sink;
    uint64_t from, to;
} device;

static void create(device *d, uint32_t threads) {
    hw_diag diag = {0};
    hw_sim_module *module;
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = threads};
    *d = (device){.sink = {.sink = an_adding_sink}};
    assert_int_equal(hw_sim_create(&options, &d->sim, &diag), HW_OK);
    assert_int_equal(hw_sim_load(d->sim, copy_kernel, sizeof copy_kernel - 1, "copy", &module, &diag), HW_OK);
    assert_int_equal(hw_sim_find_function(module, "k", &d->function, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(d->sim), 65536, 256, HW_ALLOC_DEVICE, NULL, NULL, &d->from, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(d->sim), 65536, 256, HW_ALLOC_DEVICE, NULL, NULL, &d->to, &diag), HW_OK);
    assert_int_equal(hw_sim_add_sink(d->sim, &d->sink.sink, &diag), HW_OK);
}

static sums launch(device *d, uint32_t grid, uint32_t block) {
    hw_diag diag = {0};
    hw_sim_refusal refusal;
    hw_fault fault;
    void *params[] = {&d->to, &d->from};
    const hw_sim_launch_args args = {
        .function = d->function, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = params};
    memset(&d->sink.sums, 0, sizeof d->sink.sums);
    assert_int_equal(hw_sim_launch(d->sim, &args, &refusal, &fault, &diag), HW_OK);
    return d->sink.sums;
}

// The access patterns that a worker remembers are of one launch: a later one counts its own.
static void test_every_launch_counts(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        device d;
        create(&d, threads);
        for (int round = 0; round < 4; round++) {
            sums s = launch(&d, 8, 128);
            assert_int_equal(s.loads, 32);
            assert_int_equal(s.stores, 32);
            assert_int_equal(s.thread_inst, s.inst * 32);
            // Another shape in between: the last warp has 8 lanes.
            s = launch(&d, 3, 40);
            assert_int_equal(s.loads, 6);
            assert_int_equal(s.stores, 6);
        }
        hw_sim_destroy(d.sim);
    }
}

// Memory that has been freed is not remembered either.
static void test_freed_memory_is_looked_up_again(void **state) {
    (void)state;
    device d;
    hw_diag diag = {0};
    hw_sim_refusal refusal;
    hw_fault fault;
    create(&d, 1);
    launch(&d, 8, 128);
    assert_int_equal(hw_mem_free(hw_sim_mem(d.sim), d.from, &diag), HW_OK);
    void *params[] = {&d.to, &d.from};
    const hw_sim_launch_args args = {.function = d.function, .grid = {8, 1, 1}, .block = {128, 1, 1}, .params = params};
    assert_int_equal(hw_sim_launch(d.sim, &args, &refusal, &fault, &diag), HW_FAULT);
    assert_int_equal(fault.kind, HW_FAULT_ADDRESS);
    assert_true(fault.has_allocation && fault.allocation.is_freed);
    hw_sim_destroy(d.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_launch_counts),
        cmocka_unit_test(test_freed_memory_is_looked_up_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
