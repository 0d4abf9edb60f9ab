// The public simulator, through its installed header alone, but for what makes allocations fail.
#define _GNU_SOURCE   // mkstemps
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "halfwarp/sim.h"

// out[i * stride] = in[i * stride] for each thread, with lines as a compiler would name them; and what else a kernel
// may do: read a variable, share memory, write to nowhere, go round for ever, print.
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".file 1 \"copy.cu\"\n"
    ".global .align 4 .u32 scale[2] = {3, 5};\n"
    ".const .align 4 .b8 text[8] = {118, 97, 108, 32, 37, 100, 10, 0};\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 arguments);\n"
    ".visible .entry copy(.param .u64 in, .param .u64 out, .param .u32 stride)\n{\n"
    "    .reg .u32 %r<8>;\n    .reg .u64 %d<8>;\n"
    "    .loc 1 7 5\n"
    "    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n    ld.param.u32 %r5, [stride];\n    mul.lo.u32 %r4, %r4, %r5;\n"
    "    ld.param.u64 %d1, [in];\n    ld.param.u64 %d2, [out];\n"
    "    mul.wide.u32 %d3, %r4, 4;\n    add.u64 %d4, %d1, %d3;\n    add.u64 %d5, %d2, %d3;\n"
    "    .loc 1 8 5\n"
    "    ld.global.u32 %r6, [%d4];\n"
    "    .loc 1 9 5\n"
    "    st.global.u32 [%d5], %r6;\n"
    "    ret;\n}\n"
    ".visible .entry banks(.param .u32 step)\n{\n"
    "    .reg .u32 %r<8>;\n    .reg .u64 %d<4>;\n"
    "    mov.u32 %r1, %tid.x;\n    ld.param.u32 %r2, [step];\n    mul.lo.u32 %r3, %r1, %r2;\n    shl.b32 %r3, %r3, 2;\n"
    "    mov.u32 %r4, dynamic;\n    add.u32 %r4, %r4, %r3;\n    st.shared.u32 [%r4], %r1;\n    ret;\n}\n"
    ".visible .entry stray(.param .u64 to)\n{\n"
    "    .reg .u32 %r<2>;\n    .reg .u64 %d<2>;\n"
    "    .loc 1 20 3\n"
    "    ld.param.u64 %d1, [to];\n    mov.u32 %r1, %tid.x;\n    st.global.u32 [%d1], %r1;\n    ret;\n}\n"
    ".visible .entry forever()\n{\n"
    "    .reg .u32 %r<2>;\n    mov.u32 %r1, 0;\n"
    "LOOP:\n    add.u32 %r1, %r1, 1;\n    bra.uni LOOP;\n}\n"
    ".visible .entry scaled(.param .u64 out)\n{\n"
    "    .reg .u32 %r<2>;\n    .reg .u64 %d<2>;\n"
    "    ld.param.u64 %d1, [out];\n    ld.global.u32 %r1, [scale+4];\n    st.global.u32 [%d1], %r1;\n    ret;\n}\n"
    ".visible .entry prints()\n{\n"
    "    .local .align 8 .b8 values[8];\n    .reg .u32 %r<2>;\n    .reg .u64 %d<4>;\n"
    "    mov.u32 %r1, 42;\n    st.local.u32 [values], %r1;\n"
    "    mov.u64 %d1, text;\n    cvta.const.u64 %d1, %d1;\n    mov.u64 %d2, values;\n    cvta.local.u64 %d2, %d2;\n"
    "    {\n    .param .b64 p0;\n    .param .b64 p1;\n    .param .b32 r;\n"
    "    st.param.b64 [p0], %d1;\n    st.param.b64 [p1], %d2;\n"
    "    call.uni (r), vprintf, (p0, p1);\n    }\n    ret;\n}\n";

enum { THREADS = 1024, BLOCK = 128 };

typedef struct bench {
    hw_simulator *sim;
    hw_simulator_module *module;
    hw_diag diag;
} bench;

static bench open_gpu(const char *gpu, hw_simulator_options options) {
    bench b = {.sim = NULL};
    options.struct_bytes = sizeof options;
    if (hw_simulator_open(gpu, &options, &b.sim, &b.diag)) fail_msg("%s", b.diag.text);
    if (hw_simulator_load(b.sim, ptx, strlen(ptx), "test.ptx", &b.module, &b.diag))
        fail_msg("%s:%d: %s", b.diag.file, b.diag.line, b.diag.text);
    return b;
}

static hw_simulator_kernel *kernel_of(bench *b, const char *name) {
    hw_simulator_kernel *kernel = NULL;
    if (hw_simulator_find_kernel(b->module, name, &kernel, &b->diag)) fail_msg("%s", b->diag.text);
    return kernel;
}

static hw_simulator_shape shape_of(uint32_t blocks, uint32_t threads) {
    return (hw_simulator_shape){.struct_bytes = sizeof(hw_simulator_shape), .grid = {blocks, 1, 1},
                                .block = {threads, 1, 1}};
}

static hw_status launch(bench *b, const char *name, hw_simulator_shape shape, void *const *params,
                        hw_simulator_fault *fault) {
    return hw_simulator_launch(kernel_of(b, name), &shape, params, fault, &b->diag);
}

static void succeeds(bench *b, hw_status status) {
    if (status) fail_msg("%d: %s", status, b->diag.text);
}

// Copies with a stride, and checks what arrived.
static void copy(bench *b, uint32_t stride) {
    const size_t bytes = (size_t)THREADS * stride * 4;
    uint64_t in, out;
    uint32_t *numbers = malloc(bytes), *result = malloc(bytes);
    assert_true(numbers && result);
    for (uint32_t i = 0; i < THREADS * stride; i++) numbers[i] = i * 7 + 1;
    succeeds(b, hw_simulator_alloc(b->sim, bytes, &in, &b->diag));
    succeeds(b, hw_simulator_alloc(b->sim, bytes, &out, &b->diag));
    assert_true(in % 256 == 0 && out % 256 == 0 && in != out);
    succeeds(b, hw_simulator_copy_to(b->sim, in, numbers, bytes, &b->diag));
    succeeds(b, hw_simulator_set(b->sim, out, 0xee, bytes, &b->diag));
    succeeds(b, launch(b, "copy", shape_of(THREADS / BLOCK, BLOCK), (void *[]){&in, &out, &stride}, NULL));
    succeeds(b, hw_simulator_copy_from(b->sim, result, out, bytes, &b->diag));
    for (uint32_t i = 0; i < THREADS * stride; i++)
        assert_int_equal(result[i], i % stride ? 0xeeeeeeee : numbers[i]);
    succeeds(b, hw_simulator_free(b->sim, in, &b->diag));
    succeeds(b, hw_simulator_free(b->sim, out, &b->diag));
    free(numbers);
    free(result);
}

static void get_launch(bench *b, uint64_t row, hw_simulator_launch_row *launched, hw_simulator_counters *counters) {
    *launched = (hw_simulator_launch_row){.struct_bytes = sizeof *launched};
    *counters = (hw_simulator_counters){.struct_bytes = sizeof *counters};
    succeeds(b, hw_simulator_get_launch(b->sim, row, launched, counters, &b->diag));
}

static void launches_are_counted(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){.threads = 2});
    hw_simulator_launch_row row;
    hw_simulator_counters n;
    assert_int_equal(hw_simulator_count_launches(b.sim), 0);
    copy(&b, 1);
    copy(&b, 2);
    assert_int_equal(hw_simulator_count_launches(b.sim), 2);
    get_launch(&b, 0, &row, &n);
    assert_string_equal(row.kernel, "copy");
    assert_true(row.grid[0] == 8 && row.grid[1] == 1 && row.block[0] == BLOCK && row.status == HW_OK);
    assert_true(row.registers >= 16 && row.is_estimated && row.occupancy_percent == 100);
    assert_int_equal(n.gld_requests, THREADS / 32);
    assert_int_equal(n.gld_sectors, THREADS / 8);
    assert_int_equal(n.l2_sectors, THREADS / 4);
    assert_int_equal(n.inst * 32, n.thread_inst);
    assert_int_equal(n.gld_transactions, 0);   // an H200's profiler counts none
    // The estimate is of what it consists of.
    assert_int_equal(row.est_bound, HW_SIMULATOR_BOUND_LAUNCH);
    assert_true(row.est_us > row.est_us_launch && row.est_us < row.est_us_launch + row.est_us_latency +
                row.est_us_memory + row.est_us_issue && row.est_us_shared == 0 && row.host_ms > 0);
    get_launch(&b, 1, &row, &n);
    assert_int_equal(n.gld_sectors, THREADS / 4);
    assert_int_equal(n.l2_sectors, THREADS / 2);
    assert_int_equal(n.gst_sectors_ideal, THREADS / 8);
    assert_int_equal(hw_simulator_get_launch(b.sim, 2, &row, &n, &b.diag), HW_NOT_FOUND);
    assert_non_null(strstr(b.diag.text, "no row 2"));
    assert_int_equal(hw_simulator_count_lines(b.sim), 0);
    succeeds(&b, hw_simulator_clear_rows(b.sim, &b.diag));
    assert_int_equal(hw_simulator_count_launches(b.sim), 0);
    copy(&b, 1);
    assert_int_equal(hw_simulator_count_launches(b.sim), 1);
    hw_simulator_close(b.sim);
}

static void counters_have_names(void **state) {
    (void)state;
    hw_simulator_counters n = {.struct_bytes = sizeof n, .inst = 11, .gld_sectors = 77, .gst_sectors_ideal = 5};
    assert_int_equal(hw_simulator_counter_value(&n, hw_simulator_counter("inst")), 11);
    assert_int_equal(hw_simulator_counter_value(&n, hw_simulator_counter("gld_sectors")), 77);
    assert_int_equal(hw_simulator_counter_value(&n, hw_simulator_counter("gst_sectors_ideal")), 5);
    assert_int_equal(hw_simulator_counter("gld_sector"), -1);
    assert_int_equal(hw_simulator_counter_value(&n, -1), 0);
    assert_int_equal(hw_simulator_counter_value(&n, 1000), 0);
    // Each name has its own member, and no member is without a name.
    uint64_t *members = &n.inst;
    int count = 0;
    for (; hw_simulator_counter_name(count); count++) {
        assert_int_equal(hw_simulator_counter(hw_simulator_counter_name(count)), count);
        assert_true(strlen(hw_simulator_counter_definition(count)) > 5);
        int found = 0;
        for (size_t m = 0; m < sizeof n / 8 - 1; m++) {
            memset(members, 0, sizeof n - sizeof(size_t));
            members[m] = 1;
            found += hw_simulator_counter_value(&n, count) == 1;
        }
        assert_int_equal(found, 1);
    }
    assert_int_equal(count, sizeof n / 8 - 1);
    assert_null(hw_simulator_counter_definition(count));
    // A program of a time with fewer counters.
    n.struct_bytes = offsetof(hw_simulator_counters, gld_sectors);
    n.gld_sectors = 77;
    assert_int_equal(hw_simulator_counter_value(&n, hw_simulator_counter("gld_sectors")), 0);
}

static void lines_are_counted(void **state) {
    (void)state;
    bench b = open_gpu("v100", (hw_simulator_options){.lines = true});
    hw_simulator_line_row line = {.struct_bytes = sizeof line};
    hw_simulator_counters n = {.struct_bytes = sizeof n};
    copy(&b, 1);
    copy(&b, 1);
    assert_int_equal(hw_simulator_count_lines(b.sim), 3);
    succeeds(&b, hw_simulator_get_line(b.sim, 1, &line, &n, &b.diag));
    assert_string_equal(line.file, "copy.cu");
    assert_string_equal(line.kernel, "copy");
    assert_true(line.line == 8 && line.launches == 2 && n.gld_sectors == 2 * THREADS / 8 && n.gst_sectors == 0);
    succeeds(&b, hw_simulator_get_line(b.sim, 2, &line, &n, &b.diag));
    assert_true(line.line == 9 && n.gst_sectors == 2 * THREADS / 8 && n.gld_sectors == 0);
    uint32_t step = 1;
    hw_simulator_shape shape = shape_of(1, 32);
    shape.dynamic_shared_bytes = 4096;
    succeeds(&b, launch(&b, "banks", shape, (void *[]){&step}, NULL));
    assert_int_equal(hw_simulator_count_lines(b.sim), 4);
    succeeds(&b, hw_simulator_get_line(b.sim, 3, &line, &n, &b.diag));
    assert_string_equal(line.kernel, "banks");
    assert_int_equal(hw_simulator_get_line(b.sim, 4, &line, &n, &b.diag), HW_NOT_FOUND);
    hw_simulator_close(b.sim);
}

static void shared_memory_needs_no_opt_in(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){0});
    hw_simulator_launch_row row;
    hw_simulator_counters n;
    uint32_t step = 32;
    hw_simulator_shape shape = shape_of(1, 32);
    shape.dynamic_shared_bytes = 200 << 10;
    succeeds(&b, launch(&b, "banks", shape, (void *[]){&step}, NULL));
    get_launch(&b, 0, &row, &n);
    assert_true(n.sts_wavefronts == 32 && n.smem_wavefronts_ideal == 1 && row.dynamic_shared_bytes == 200 << 10);
    shape.dynamic_shared_bytes = 300 << 10;
    assert_int_equal(launch(&b, "banks", shape, (void *[]){&step}, NULL), HW_USAGE);
    assert_non_null(strstr(b.diag.text, "shared memory"));
    assert_int_equal(hw_simulator_count_launches(b.sim), 1);
    assert_int_equal(hw_simulator_blocks_per_multiprocessor(kernel_of(&b, "banks"), 1024, 0), 2);
    hw_simulator_close(b.sim);
}

static void kernels_are_described(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){.compiler = "my compiler 1.0"});
    static const char *const names[] = {"copy", "banks", "stray", "forever", "scaled", "prints"};
    hw_simulator_kernel_info info = {.struct_bytes = sizeof info};
    for (uint32_t i = 0; i < 6; i++) {
        succeeds(&b, hw_simulator_get_kernel(hw_simulator_kernel_at(b.module, i), &info, &b.diag));
        assert_string_equal(info.name, names[i]);
    }
    assert_null(hw_simulator_kernel_at(b.module, 6));
    hw_simulator_kernel *copies = kernel_of(&b, "copy");
    succeeds(&b, hw_simulator_get_kernel(copies, &info, &b.diag));
    assert_true(info.parameters == 3 && info.is_estimated && info.registers > 0 && !info.uses_dynamic_shared);
    assert_true(info.max_threads_per_block == 1024 && info.max_dynamic_shared_bytes == 227 << 10);
    assert_string_equal(info.compiler, "my compiler 1.0");
    uint32_t offset, bytes;
    succeeds(&b, hw_simulator_get_parameter(copies, 2, &offset, &bytes, &b.diag));
    assert_true(offset == 16 && bytes == 4);
    assert_int_equal(hw_simulator_get_parameter(copies, 3, &offset, &bytes, &b.diag), HW_NOT_FOUND);
    hw_simulator_set_registers(copies, 128, 24);
    succeeds(&b, hw_simulator_get_kernel(copies, &info, &b.diag));
    assert_true(info.registers == 128 && info.spill_bytes == 24 && !info.is_estimated);
    assert_int_equal(info.max_threads_per_block, 512);
    hw_simulator_set_registers(copies, 0, 0);
    succeeds(&b, hw_simulator_get_kernel(copies, &info, &b.diag));
    assert_true(info.is_estimated && info.spill_bytes == 0);
    hw_simulator_kernel *missing;
    assert_int_equal(hw_simulator_find_kernel(b.module, "nothing", &missing, &b.diag), HW_NOT_FOUND);
    assert_null(missing);
    assert_non_null(strstr(b.diag.text, "nothing"));
    hw_simulator_close(b.sim);
}

static void variables_are_memory(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){0});
    uint64_t address, bytes, out;
    uint32_t value = 0;
    succeeds(&b, hw_simulator_find_variable(b.module, "scale", &address, &bytes, &b.diag));
    assert_int_equal(bytes, 8);
    succeeds(&b, hw_simulator_copy_from(b.sim, &value, address, 4, &b.diag));
    assert_int_equal(value, 3);
    value = 9;
    succeeds(&b, hw_simulator_copy_to(b.sim, address + 4, &value, 4, &b.diag));
    succeeds(&b, hw_simulator_alloc(b.sim, 4, &out, &b.diag));
    succeeds(&b, launch(&b, "scaled", shape_of(1, 1), (void *[]){&out}, NULL));
    value = 0;
    succeeds(&b, hw_simulator_copy_from(b.sim, &value, out, 4, &b.diag));
    assert_int_equal(value, 9);
    assert_int_equal(hw_simulator_find_variable(b.module, "none", &address, &bytes, &b.diag), HW_NOT_FOUND);
    assert_true(address == 0 && bytes == 0);
    // Of another simulator the same module has a variable of its own.
    bench other = open_gpu("h200", (hw_simulator_options){0});
    succeeds(&other, hw_simulator_find_variable(other.module, "scale", &address, &bytes, &other.diag));
    succeeds(&other, hw_simulator_copy_from(other.sim, &value, address + 4, 4, &other.diag));
    assert_int_equal(value, 5);
    hw_simulator_close(b.sim);
    hw_simulator_close(other.sim);
}

static void ranges_are_checked(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){.poisons = true, .poison = 0xab});
    uint64_t address;
    unsigned char bytes[300] = {0};
    succeeds(&b, hw_simulator_alloc(b.sim, 300, &address, &b.diag));
    succeeds(&b, hw_simulator_copy_from(b.sim, bytes, address, 300, &b.diag));
    assert_true(bytes[0] == 0xab && bytes[299] == 0xab);
    assert_int_equal(hw_simulator_copy_from(b.sim, bytes, address + 1, 300, &b.diag), HW_USAGE);
    assert_non_null(strstr(b.diag.text, "300 bytes"));
    assert_int_equal(hw_simulator_copy_to(b.sim, 64, bytes, 1, &b.diag), HW_USAGE);
    assert_int_equal(hw_simulator_set(b.sim, address + 299, 0, 2, &b.diag), HW_USAGE);
    succeeds(&b, hw_simulator_copy_to(b.sim, 64, bytes, 0, &b.diag));
    assert_int_equal(hw_simulator_free(b.sim, address + 256, &b.diag), HW_USAGE);
    succeeds(&b, hw_simulator_free(b.sim, address, &b.diag));
    assert_int_equal(hw_simulator_free(b.sim, address, &b.diag), HW_USAGE);
    assert_int_equal(hw_simulator_copy_from(b.sim, bytes, address, 1, &b.diag), HW_USAGE);
    succeeds(&b, hw_simulator_free(b.sim, 0, &b.diag));
    assert_int_equal(hw_simulator_alloc(b.sim, (uint64_t)1 << 50, &address, &b.diag), HW_NO_MEMORY);
    hw_simulator_close(b.sim);
}

static void faults_are_told(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){.max_instructions = 100000});
    hw_simulator_fault fault = {.struct_bytes = sizeof fault};
    hw_simulator_launch_row row;
    hw_simulator_counters n;
    uint64_t nowhere = 16;
    assert_int_equal(launch(&b, "stray", shape_of(1, 1), (void *[]){&nowhere}, &fault), HW_FAULT);
    assert_int_equal(fault.kind, HW_SIMULATOR_FAULT_ADDRESS);
    assert_true(fault.address == 16 && fault.is_write && fault.width_bytes == 4 && fault.line == 20);
    assert_string_equal(fault.kernel, "stray");
    assert_string_equal(fault.file, "copy.cu");
    assert_non_null(strstr(fault.text, "stray"));
    assert_string_equal(b.diag.text, fault.text);
    get_launch(&b, 0, &row, &n);
    assert_true(row.status == HW_FAULT && row.est_bound == HW_SIMULATOR_BOUND_NONE && row.est_us == 0);
    assert_int_equal(launch(&b, "forever", shape_of(1, 32), NULL, &fault), HW_DEADLOCK);
    assert_int_equal(fault.kind, HW_SIMULATOR_FAULT_DEADLOCK);
    // The simulator goes on, and a fault's struct says so.
    uint64_t out;
    succeeds(&b, hw_simulator_alloc(b.sim, 4, &out, &b.diag));
    succeeds(&b, launch(&b, "scaled", shape_of(1, 1), (void *[]){&out}, &fault));
    assert_true(fault.kind == HW_SIMULATOR_FAULT_NONE && !fault.text[0] && !fault.kernel[0]);
    hw_simulator_close(b.sim);
}

static void launches_are_checked(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){0});
    uint64_t out = 0;
    hw_simulator_shape shape = shape_of(0, 32);
    assert_int_equal(launch(&b, "scaled", shape, (void *[]){&out}, NULL), HW_USAGE);
    assert_non_null(strstr(b.diag.text, "grid dimension x is 0"));
    assert_int_equal(launch(&b, "scaled", shape_of(1, 2048), (void *[]){&out}, NULL), HW_USAGE);
    assert_int_equal(launch(&b, "scaled", shape_of(1, 32), NULL, NULL), HW_USAGE);
    assert_non_null(strstr(b.diag.text, "parameter 0 was not given"));
    assert_int_equal(launch(&b, "scaled", shape_of(1, 32), (void *[]){NULL}, NULL), HW_USAGE);
    shape = shape_of(100000, 32);
    shape.is_cooperative = true;
    assert_int_equal(launch(&b, "scaled", shape, (void *[]){&out}, NULL), HW_USAGE);
    assert_int_equal(hw_simulator_count_launches(b.sim), 0);
    hw_simulator_close(b.sim);
}

static void collect(void *context, const char *text, size_t length) {
    char *out = context;
    strncat(out, text, length);
}

static void kernels_print(void **state) {
    (void)state;
    char printed[64] = "";
    bench b = open_gpu("h200", (hw_simulator_options){.print = collect, .print_context = printed});
    succeeds(&b, launch(&b, "prints", shape_of(1, 1), NULL, NULL));
    assert_string_equal(printed, "val 42\n");
    hw_simulator_close(b.sim);
}

static void gpus_are_described(void **state) {
    (void)state;
    bench b = open_gpu("GeForce GTX 280", (hw_simulator_options){.no_counters = true});
    hw_simulator_gpu gpu = {.struct_bytes = sizeof gpu};
    succeeds(&b, hw_simulator_get_gpu(b.sim, &gpu, &b.diag));
    assert_string_equal(gpu.id, "gtx280");
    assert_true(gpu.compute_capability == 13 && gpu.multiprocessors == 30 && gpu.banks == 16);
    assert_true(gpu.max_shared_bytes_per_block == 16384 && gpu.max_threads_per_block == 512);
    copy(&b, 1);
    assert_int_equal(hw_simulator_count_launches(b.sim), 0);
    hw_simulator_close(b.sim);
    hw_simulator *none;
    hw_diag diag = {0};
    assert_int_equal(hw_simulator_open("h2000", NULL, &none, &diag), HW_USAGE);
    assert_null(none);
    assert_non_null(strstr(diag.text, "h2000"));
    assert_int_equal(hw_simulator_open("/nowhere/gpu.json", NULL, &none, &diag), HW_IO);
    assert_int_equal(hw_simulator_open(NULL, NULL, &none, &diag), HW_USAGE);
    hw_simulator_close(NULL);
}

// A GPU of a file, which is read once.
static void gpus_come_from_files(void **state) {
    (void)state;
    char path[] = "/tmp/halfwarp_test_XXXXXX.json";
    FILE *out = fdopen(mkstemps(path, 5), "w");
    assert_non_null(out);
    fputs("{\"based_on\": \"gtx280\", \"id\": \"half\", \"multiprocessors\": 15}\n", out);
    fclose(out);
    bench b = open_gpu(path, (hw_simulator_options){0});
    remove(path);
    hw_simulator_gpu gpu = {.struct_bytes = sizeof gpu};
    succeeds(&b, hw_simulator_get_gpu(b.sim, &gpu, &b.diag));
    assert_string_equal(gpu.id, "half");
    assert_int_equal(gpu.multiprocessors, 15);
    copy(&b, 1);
    assert_int_equal(hw_simulator_count_launches(b.sim), 1);
    hw_simulator_close(b.sim);
}

// GPUs of each time count what their profilers did.
static void old_gpus_count_what_they_did(void **state) {
    (void)state;
    bench b = open_gpu("gtx280", (hw_simulator_options){0});
    hw_simulator_launch_row row;
    hw_simulator_counters n;
    copy(&b, 1);
    get_launch(&b, 0, &row, &n);
    assert_true(n.gld_64b == THREADS / 16 && n.gld_32b == 0 && n.cta_launched == THREADS / BLOCK);
    assert_true(row.load_partition_percent > 0 && n.gld_sectors == THREADS / 8);
    hw_simulator_close(b.sim);
}

// ---- What is loaded -------------------------------------------------------------------------------------------------

static void put(unsigned char **at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *(*at)++ = (unsigned char)(value >> (8 * i));
}

// A fat binary with the text, or machine code, of one compute capability (toolchain/binary/fatbin.h has the layout).
static size_t pack(unsigned char *out, unsigned kind, uint32_t cc, const char *payload, size_t bytes) {
    enum { ENTRY = 64 };
    unsigned char *at = out;
    const size_t padded = (bytes + 7) / 8 * 8;
    put(&at, 0xBA55ED50u, 4), put(&at, 1, 2), put(&at, 16, 2), put(&at, ENTRY + padded, 8);
    put(&at, kind, 2), put(&at, 0x101, 2), put(&at, ENTRY, 4), put(&at, padded, 8), put(&at, 0, 4), put(&at, 0, 4);
    put(&at, 0, 2), put(&at, 7, 2), put(&at, cc, 4), put(&at, 0, 4), put(&at, 0, 4), put(&at, 0x11, 8), put(&at, 0, 8);
    put(&at, 0, 8);
    memset(at, 0, padded);
    memcpy(at, payload, bytes);
    return (size_t)(at - out) + padded;
}

static void images_of_all_kinds(void **state) {
    (void)state;
    static unsigned char image[sizeof ptx + 1024];
    bench b = open_gpu("h200", (hw_simulator_options){0});
    hw_simulator_module *module;
    hw_simulator_kernel *kernel;
    size_t bytes = pack(image, 1, 70, ptx, strlen(ptx));
    succeeds(&b, hw_simulator_load(b.sim, image, bytes, "fat", &module, &b.diag));
    memset(image, 0, sizeof image);   // nobody reads it any more
    succeeds(&b, hw_simulator_find_kernel(module, "copy", &kernel, &b.diag));
    hw_simulator_unload(module);
    bytes = pack(image, 2, 90, "cubin", 5);
    assert_int_equal(hw_simulator_load(b.sim, image, bytes, "fat", &module, &b.diag), HW_NOT_FOUND);
    assert_null(module);
    assert_int_equal(hw_simulator_load(b.sim, image, 40, "fat", &module, &b.diag), HW_MALFORMED);
    assert_int_equal(hw_simulator_load(b.sim, "\177ELF and so on", 14, "a.cubin", &module, &b.diag), HW_UNSUPPORTED);
    assert_string_equal(b.diag.file, "a.cubin");
    static const char wrong[] = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { frobnicate.u32; }\n";
    assert_int_equal(hw_simulator_load(b.sim, wrong, strlen(wrong), "w.ptx", &module, &b.diag), HW_MALFORMED);
    assert_true(b.diag.line == 4 && strstr(b.diag.text, "frobnicate"));
    assert_int_equal(hw_simulator_load(b.sim, "", 0, NULL, &module, &b.diag), HW_MALFORMED);
    assert_int_equal(hw_simulator_load(b.sim, NULL, 0, NULL, &module, &b.diag), HW_USAGE);
    hw_simulator_unload(NULL);
    hw_simulator_close(b.sim);
}

// ---- Programs of other times ----------------------------------------------------------------------------------------

// The structs of an older header, which end sooner.
typedef struct older_options {
    size_t struct_bytes;
    uint32_t threads;
} older_options;
typedef struct older_row {
    size_t struct_bytes;
    const char *kernel;
    unsigned char behind[64];
} older_row;
typedef struct older_counters {
    size_t struct_bytes;
    uint64_t inst;
    unsigned char behind[64];
} older_counters;
// That of a newer one.
typedef struct newer_counters {
    hw_simulator_counters known;
    uint64_t more[3];
} newer_counters;
typedef struct newer_options {
    hw_simulator_options known;
    uint64_t more;
} newer_options;

static void older_programs_work(void **state) {
    (void)state;
    const older_options options = {.struct_bytes = sizeof options, .threads = 1};
    bench b = {.sim = NULL};
    succeeds(&b, hw_simulator_open("h200", (const hw_simulator_options *)(const void *)&options, &b.sim, &b.diag));
    succeeds(&b, hw_simulator_load(b.sim, ptx, strlen(ptx), "test.ptx", &b.module, &b.diag));
    copy(&b, 1);
    older_row row = {.struct_bytes = offsetof(older_row, behind)};
    older_counters n = {.struct_bytes = offsetof(older_counters, behind)};
    memset(row.behind, 0x5a, sizeof row.behind);
    memset(n.behind, 0x5a, sizeof n.behind);
    succeeds(&b, hw_simulator_get_launch(b.sim, 0, (hw_simulator_launch_row *)(void *)&row,
                                         (hw_simulator_counters *)(void *)&n, &b.diag));
    assert_string_equal(row.kernel, "copy");
    assert_true(n.inst > 0 && row.struct_bytes == offsetof(older_row, behind));
    for (size_t i = 0; i < sizeof row.behind; i++) assert_true(row.behind[i] == 0x5a && n.behind[i] == 0x5a);
    hw_simulator_close(b.sim);
}

static void newer_programs_are_told(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){0});
    copy(&b, 1);
    newer_counters n = {.known.struct_bytes = sizeof n, .more = {1, 2, 3}};
    succeeds(&b, hw_simulator_get_launch(b.sim, 0, NULL, &n.known, &b.diag));
    assert_true(n.known.inst > 0 && !n.more[0] && !n.more[1] && !n.more[2]);
    hw_simulator_close(b.sim);
    newer_options options = {.known.struct_bytes = sizeof options};
    succeeds(&b, hw_simulator_open("h200", &options.known, &b.sim, &b.diag));
    hw_simulator_close(b.sim);
    options.more = 1;
    assert_int_equal(hw_simulator_open("h200", &options.known, &b.sim, &b.diag), HW_UNSUPPORTED);
    assert_non_null(strstr(b.diag.text, "does not know"));
}

static void sizes_are_asked_for(void **state) {
    (void)state;
    bench b = open_gpu("h200", (hw_simulator_options){0});
    hw_simulator_options options = {.threads = 1};
    hw_simulator_gpu gpu = {.struct_bytes = 4};
    hw_simulator_fault fault = {.struct_bytes = 0};
    hw_simulator_shape shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    hw_simulator *none;
    uint64_t out = 0;
    assert_int_equal(hw_simulator_open("h200", &options, &none, &b.diag), HW_USAGE);
    assert_non_null(strstr(b.diag.text, "sizeof(hw_simulator_options)"));
    assert_int_equal(hw_simulator_get_gpu(b.sim, &gpu, &b.diag), HW_USAGE);
    assert_int_equal(hw_simulator_launch(kernel_of(&b, "scaled"), &shape, (void *[]){&out}, NULL, &b.diag), HW_USAGE);
    assert_int_equal(launch(&b, "scaled", shape_of(1, 1), (void *[]){&out}, &fault), HW_USAGE);
    assert_int_equal(hw_simulator_count_launches(b.sim), 0);
    hw_simulator_close(b.sim);
}

// ---- No memory ------------------------------------------------------------------------------------------------------

// Opens, loads, launches and reads rows with the allocation after `successes` more failing, and those behind it.
static hw_status try_all(long successes) {
    const hw_simulator_options options = {.struct_bytes = sizeof options, .threads = 1, .lines = true,
                                          .compiler = "me"};
    hw_simulator *sim = NULL;
    hw_simulator_module *module = NULL;
    hw_simulator_kernel *kernel = NULL;
    hw_diag diag = {0};
    uint64_t out = 0;
    const hw_simulator_shape shape = shape_of(1, 32);
    hw_alloc_fail_after(successes);
    hw_status status = hw_simulator_open("v100", &options, &sim, &diag);
    if (!status) status = hw_simulator_load(sim, ptx, strlen(ptx), "test.ptx", &module, &diag);
    if (!status) status = hw_simulator_find_kernel(module, "scaled", &kernel, &diag);
    if (!status) status = hw_simulator_alloc(sim, 4, &out, &diag);
    if (!status) status = hw_simulator_launch(kernel, &shape, (void *[]){&out}, NULL, &diag);
    if (!status) status = hw_simulator_clear_rows(sim, &diag);
    hw_alloc_fail_after(-1);
    if (status) assert_true(diag.text[0]);
    hw_simulator_close(sim);
    return status;
}

static void memory_that_ends_is_told(void **state) {
    (void)state;
    long n = 0;
    for (hw_status status; (status = try_all(n)) != HW_OK; n++) {
        assert_int_equal(status, HW_NO_MEMORY);
        assert_true(n < 10000);
    }
    assert_true(n > 20);
}

// ---- Threads --------------------------------------------------------------------------------------------------------

static void *use(void *context) {
    bench *b = context;
    for (int i = 0; i < 8; i++) copy(b, 1 + (uint32_t)i % 3);
    return NULL;
}

// A simulator of its own for each thread, and one for all of them.
static void threads_may_call(void **state) {
    (void)state;
    enum { N = 4 };
    pthread_t threads[N];
    bench all[N], shared = open_gpu("h200", (hw_simulator_options){.threads = 1});
    for (int i = 0; i < N; i++) {
        all[i] = i % 2 ? shared : open_gpu("v100", (hw_simulator_options){.threads = 1});
        assert_int_equal(pthread_create(&threads[i], NULL, use, &all[i]), 0);
    }
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    assert_int_equal(hw_simulator_count_launches(shared.sim), 16);
    for (int i = 0; i < N; i += 2) {
        assert_int_equal(hw_simulator_count_launches(all[i].sim), 8);
        hw_simulator_close(all[i].sim);
    }
    hw_simulator_close(shared.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_counted),
        cmocka_unit_test(counters_have_names),
        cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(shared_memory_needs_no_opt_in),
        cmocka_unit_test(kernels_are_described),
        cmocka_unit_test(variables_are_memory),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(launches_are_checked),
        cmocka_unit_test(kernels_print),
        cmocka_unit_test(gpus_are_described),
        cmocka_unit_test(gpus_come_from_files),
        cmocka_unit_test(old_gpus_count_what_they_did),
        cmocka_unit_test(images_of_all_kinds),
        cmocka_unit_test(older_programs_work),
        cmocka_unit_test(newer_programs_are_told),
        cmocka_unit_test(sizes_are_asked_for),
        cmocka_unit_test(memory_that_ends_is_told),
        cmocka_unit_test(threads_may_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
