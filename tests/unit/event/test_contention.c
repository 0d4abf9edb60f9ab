// The sink of docs/how-to-add-a-sink.md: what it counts of a small kernel, alone and beside the profiler.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contention.c"
#include "device/sim.h"
#include "prof/prof.h"

// Line 5: each lane has a word of its own; 6: pairs share one; 7: all of a warp; 8: pairs share one, at another
// distance from the next each time.
static const char ptx[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 1;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\nmul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;\n"
    ".loc 1 5 1\nred.global.add.u32 [%rd2], 1;\n.loc 1 6 1\nred.global.add.u32 [%rd3], 1;\n"
    ".loc 1 7 1\natom.global.add.u32 %r3, [%rd1], 1;\nmov.u32 %r4, 1;\n"
    "LOOP: mul.lo.u32 %r5, %r2, %r4; mul.wide.u32 %rd4, %r5, 4; add.u64 %rd4, %rd1, %rd4;\n"
    ".loc 1 8 1\nred.global.add.u32 [%rd4], 1;\n"
    ".loc 1 9 1\nadd.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, 50; @%p1 bra LOOP;\nret;\n}\n";

enum { BLOCKS = 6, THREADS = 64, WARPS = BLOCKS * THREADS / 32, ROUNDS = 50 };

static void launch(hw_sim *sim, uint64_t *out) {
    hw_sim_module *module;
    hw_sim_function *function;
    hw_sim_refusal refusal;
    hw_fault fault;
    hw_diag diag = {0};
    assert_int_equal(hw_sim_load(sim, ptx, sizeof ptx - 1, "k.ptx", &module, &diag), HW_OK);
    assert_int_equal(hw_sim_find_function(module, "k", &function, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(sim), 8192, 256, HW_ALLOC_DEVICE, NULL, NULL, out, &diag), HW_OK);
    void *params[] = {out};
    const hw_sim_launch_args args = {.function = function, .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1},
                                     .params = params};
    assert_int_equal(hw_sim_launch(sim, &args, &refusal, &fault, &diag), HW_OK);
}

static void lanes_that_meet(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        hw_sim *sim;
        hw_prof *prof;
        uint64_t out;
        uint32_t n;
        const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = threads};
        contention *c = contention_create();
        assert_non_null(c);
        assert_int_equal(hw_sim_create(&options, &sim, NULL), HW_OK);
        assert_int_equal(hw_prof_create(hw_sim_gpu(sim), NULL, &prof, NULL), HW_OK);
        assert_int_equal(hw_sim_add_sink(sim, contention_sink(c), NULL), HW_OK);
        assert_int_equal(hw_sim_add_sink(sim, hw_prof_sink(prof), NULL), HW_OK);
        launch(sim, &out);
        const contention_line *lines = contention_lines(c, &n);
        assert_int_equal(n, 4);
        for (uint32_t i = 0; i < n; i++) {
            static const uint32_t meet[] = {1, 2, 32, 2}, rounds[] = {1, 1, 1, ROUNDS};
            assert_int_equal(lines[i].line, 5 + i);
            assert_int_equal(lines[i].atomics, WARPS * rounds[i]);
            assert_int_equal(lines[i].passes, WARPS * rounds[i] * meet[i]);
        }
        assert_int_equal(hw_prof_report(prof)->launches[0].counts[HW_COUNT_ATOMICS], (3 + ROUNDS) * WARPS);
        hw_sim_remove_sink(sim, contention_sink(c));
        hw_sim_destroy(sim);
        hw_prof_destroy(prof);
        contention_destroy(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_that_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
