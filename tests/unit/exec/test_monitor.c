// A launch that is looked at from outside: how far it is, why it takes long, where its blocks are, and its end.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/sim.h"
#include "exec/monitor.h"

// 64 threads: lane i of a warp adds to word i / share of out, and reads a word whose place follows no pattern; warp 0
// waits at a barrier while warp 1 goes round for several turns.
static const char ptx[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n"
    ".visible .entry k(.param .u64 out, .param .u32 share)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
    ".loc 1 5 1\nld.param.u64 %rd1, [out]; ld.param.u32 %r4, [share]; mov.u32 %r1, %tid.x;\n"
    "rem.u32 %r2, %r1, 32; div.u32 %r2, %r2, %r4; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;\n"
    ".loc 1 6 1\nred.global.add.u32 [%rd2], 1;\n"
    "mul.lo.u32 %r5, %r1, 40503; and.b32 %r5, %r5, 255; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd1, %rd3;\n"
    ".loc 1 7 1\nld.global.u32 %r6, [%rd3];\n"
    "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra MEET;\nmov.u32 %r7, 0;\n"
    ".loc 1 8 1\nROUND: add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 100000; @%p2 bra ROUND;\n"
    ".loc 1 9 1\nMEET: bar.sync 0;\nret;\n}\n";
enum { BLOCKS = 3, THREADS = 64, STRAIGHT = 13, ROUNDS = 100000 };

typedef struct bench {
    hw_sink sink;
    hw_monitor *monitor;
    void (*at_block)(struct bench *b, const hw_block_step *step);
    char text[4096];                         // what was noticed
    uint32_t threads;
    uint64_t executed, max_executed;
    hw_monitored seen;
} bench;

static void on_block(hw_sink *sink, uint32_t worker, const hw_block_step *step) {
    (void)worker;
    bench *b = (bench *)sink;
    b->at_block(b, step);
}

static void notice(void *context, const char *text) {
    bench *b = context;
    strncat(b->text, text, sizeof b->text - strlen(b->text) - 1);
}

static bool executes(void *context, const char *kernel) {
    const bench *b = context;
    assert_string_equal(kernel, "k");
    return b->executed < b->max_executed;
}

static void executed(void *context) { ((bench *)context)->executed++; }

// One launch on one host thread; *first: what word 0 of out holds then.
static hw_status launch(bench *b, uint32_t share, hw_fault *fault, uint32_t *first) {
    hw_sim *sim;
    hw_sim_module *module;
    hw_sim_function *function;
    hw_sim_refusal refusal;
    hw_diag diag = {0};
    uint64_t out;
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1, .notice = notice, .notice_context = b,
                                    .executes = executes, .executed = executed, .launch_context = b};
    b->sink = (hw_sink){.events = HW_WANTS(BLOCK), .block = on_block};
    assert_int_equal(hw_sim_create(&options, &sim, &diag), HW_OK);
    assert_int_equal(hw_sim_load(sim, ptx, sizeof ptx - 1, "k.ptx", &module, &diag), HW_OK);
    assert_int_equal(hw_sim_find_function(module, "k", &function, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc(hw_sim_mem(sim), 4096, 256, HW_ALLOC_DEVICE, NULL, NULL, &out, &diag), HW_OK);
    assert_int_equal(hw_sim_add_sink(sim, &b->sink, &diag), HW_OK);
    hw_sim_set_monitor(sim, b->monitor);
    void *params[] = {&out, &share};
    const hw_sim_launch_args args = {.function = function, .grid = {BLOCKS, 1, 1}, .block = {b->threads, 1, 1},
                                     .params = params};
    hw_status status = hw_sim_launch(sim, &args, &refusal, fault, &diag);
    memcpy(first, hw_mem_host(hw_sim_mem(sim), out), sizeof *first);
    hw_sim_destroy(sim);
    return status;
}

static hw_monitor monitor;

static bench fresh(void (*at_block)(bench *b, const hw_block_step *step)) {
    memset(&monitor, 0, sizeof monitor);
    return (bench){.monitor = &monitor, .at_block = at_block, .threads = THREADS, .max_executed = 1};
}

// ---- how far, and why ----

// Block 1 is asked when it begins. What is seen when it ends was told after the last of its turns that was asked about.
static void ask_in_block_1(bench *b, const hw_block_step *step) {
    if (step->where.block[0] != 1) return;
    if (step->has_ended) assert_true(hw_monitor_look(b->monitor, &b->seen));
    hw_monitor_ask(b->monitor);
}

static void how_far(void **state) {
    (void)state;
    hw_fault fault;
    uint32_t first;
    bench b = fresh(ask_in_block_1);
    assert_int_equal(launch(&b, 1, &fault, &first), HW_OK);
    assert_true(b.seen.is_running);
    assert_string_equal(b.seen.kernel, "k");
    assert_int_equal(b.seen.number, 1);
    assert_int_equal(b.seen.n_blocks, BLOCKS);
    assert_int_equal(b.seen.block_threads, THREADS);
    assert_int_equal(b.seen.did[HW_DID_BLOCKS], 1);
    // Of block 0 all, of block 1 at least the straight part of a warp, and not yet all.
    const uint64_t of_block = (uint64_t)32 * 3 * ROUNDS;
    assert_in_range(b.seen.did[HW_DID_THREAD_INST], of_block + THREADS * STRAIGHT, 2 * of_block);
    assert_int_equal(b.seen.did[HW_DID_LANES], b.seen.did[HW_DID_THREAD_INST]);
    assert_int_equal(b.seen.did[HW_DID_ATOMICS], 0);    // nobody wants to know why
    assert_true(hw_monitor_look(&monitor, &b.seen));
    assert_false(b.seen.is_running);
    assert_int_equal(b.executed, 1);
}

static void ask_why_in_block_1(bench *b, const hw_block_step *step) {
    atomic_store(&b->monitor->why, true);
    ask_in_block_1(b, step);
}

static void why(void **state) {
    (void)state;
    static const struct { uint32_t share; bool do_meet; } rows[] = {{1, false}, {2, true}, {32, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hw_fault fault;
        uint32_t first;
        bench b = fresh(ask_why_in_block_1);
        assert_int_equal(launch(&b, rows[i].share, &fault, &first), HW_OK);
        assert_int_equal(first, rows[i].share * BLOCKS * THREADS / 32);
        const uint64_t *did = b.seen.did;
        assert_in_range(did[HW_DID_ATOMICS], 3, 4);     // warps of blocks 0 and 1 that have come there
        assert_int_equal(did[HW_DID_MEETING_ATOMICS], rows[i].do_meet ? did[HW_DID_ATOMICS] : 0);
        assert_int_equal(did[HW_DID_ACCESSES], did[HW_DID_ATOMICS]);
        assert_int_equal(did[HW_DID_SCATTERED_ACCESSES], did[HW_DID_ACCESSES]);
        assert_int_equal(did[HW_DID_WARPS], 2);
        assert_int_equal(did[HW_DID_POLLING_WARPS], 0);
    }
}

// ---- where ----

static void ask_where_in_block_1(bench *b, const hw_block_step *step) {
    if (step->where.block[0] == 0 || step->has_ended) return;
    if (step->where.block[0] == 1) atomic_fetch_add(&b->monitor->where, 1);
    hw_monitor_ask(b->monitor);              // in block 2 how far it is, and no more
}

static void where(void **state) {
    (void)state;
    hw_fault fault;
    uint32_t first;
    bench b = fresh(ask_where_in_block_1);
    assert_int_equal(launch(&b, 1, &fault, &first), HW_OK);
    assert_non_null(strstr(b.text, "kernel k, launch 1, thread 1 of 1; 2 of 3 blocks have begun\n  block (1,0,0): "));
    assert_non_null(strstr(b.text, "32 threads of 1 warp at k.cu:9, waiting at barrier 0 (32 of 64 threads have come"));
    assert_null(strstr(b.text + 1, "kernel k"));        // told once

    b = fresh(ask_where_in_block_1);
    b.threads = THREADS / 2;                            // warp 0 alone, which ends within a turn
    assert_int_equal(launch(&b, 1, &fault, &first), HW_OK);
    assert_non_null(strstr(b.text, "\n  block (1,0,0): has just ended"));
}

// ---- its end ----

static void stop_in_block_1(bench *b, const hw_block_step *step) {
    if (step->where.block[0] != 1) return;
    assert_false(step->has_ended);
    atomic_store(&b->monitor->stop, true);
    hw_monitor_ask(b->monitor);
}

static void stop(void **state) {
    (void)state;
    hw_fault fault;
    uint32_t first;
    bench b = fresh(stop_in_block_1);
    assert_int_equal(launch(&b, 1, &fault, &first), HW_DEADLOCK);
    assert_int_equal(fault.kind, HW_FAULT_STOPPED);
    assert_non_null(strstr(fault.text, "kernel k was stopped in block (1,0,0)"));
    assert_int_equal(b.executed, 0);
    assert_false(atomic_load(&monitor.is_running));
}

static void ignore_block(bench *b, const hw_block_step *step) { (void)b, (void)step; }

static void not_executed(void **state) {
    (void)state;
    hw_fault fault;
    uint32_t first;
    bench b = fresh(ignore_block);
    b.max_executed = 0;
    assert_int_equal(launch(&b, 1, &fault, &first), HW_OK);
    assert_int_equal(first, 0);
    assert_int_equal(b.executed, 0);
    assert_int_equal(atomic_load(&monitor.version), 0);
}

// ---- the file ----

static void while_it_changes(void **state) {
    (void)state;
    hw_monitored seen;
    memset(&monitor, 0, sizeof monitor);
    hw_monitor_begin(&monitor, "a_kernel", 7, (uint32_t[]){2, 3, 4}, (uint32_t[]){5, 6, 7});
    assert_true(hw_monitor_look(&monitor, &seen));
    assert_int_equal(seen.n_blocks, 24);
    assert_int_equal(seen.block_threads, 210);
    atomic_fetch_add(&monitor.version, 1);
    assert_false(hw_monitor_look(&monitor, &seen));
}

static void one_for_each_process(void **state) {
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_null(hw_monitors_map(fileno(file), false));    // nobody has made it
    hw_monitors *monitors = hw_monitors_map(fileno(file), true), *same = hw_monitors_map(fileno(file), false);
    assert_non_null(monitors);
    assert_non_null(same);
    assert_ptr_equal(hw_monitors_claim(monitors), &monitors->of[0]);
    assert_ptr_equal(hw_monitors_claim(same), &same->of[0]);
    const pid_t child = fork();
    if (!child) _exit(hw_monitors_claim(monitors) == &monitors->of[1] ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    // All taken: by this process's parent but for the child's, which has gone, and is free again.
    atomic_store(&monitors->process[0], (int)getppid());
    for (int i = 2; i < HW_MONITORS; i++) atomic_store(&monitors->process[i], (int)getppid());
    atomic_store(&monitors->of[1].is_running, true);
    assert_ptr_equal(hw_monitors_claim(monitors), &monitors->of[1]);
    assert_false(atomic_load(&monitors->of[1].is_running));
    atomic_store(&monitors->process[1], (int)getppid());
    assert_null(hw_monitors_claim(monitors));
    hw_monitors_unmap(monitors);
    hw_monitors_unmap(same);
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_far),      cmocka_unit_test(why),
        cmocka_unit_test(where),        cmocka_unit_test(stop),
        cmocka_unit_test(not_executed), cmocka_unit_test(while_it_changes),
        cmocka_unit_test(one_for_each_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
