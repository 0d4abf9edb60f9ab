// What the tests of the runtime share: a runtime with a module of a few kernels.
#ifndef HW_TESTS_RUNTIME_TEST_H
#define HW_TESTS_RUNTIME_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/device.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/stream.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

static const char KERNELS[] = HEAD
    ".global .align 4 .u32 counter = 5;\n"
    // out[tid] = value + tid
    ".visible .entry fill(.param .u64 out, .param .u32 value)\n{\n"
    "    .reg .u32 %r<4>;\n    .reg .u64 %rd<5>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [value];\n    mov.u32 %r2, %tid.x;\n"
    "    add.u32 %r3, %r1, %r2;\n    mul.wide.u32 %rd3, %r2, 4;\n    add.u64 %rd4, %rd1, %rd3;\n"
    "    st.global.u32 [%rd4], %r3;\n    ret;\n}\n"
    ".visible .entry count()\n{\n    .reg .u32 %r<3>;\n"
    "    ld.global.u32 %r1, [counter];\n    add.u32 %r2, %r1, 1;\n    st.global.u32 [counter], %r2;\n    ret;\n}\n"
    ".visible .entry stops()\n{\n    trap;\n}\n"
    ".visible .entry bounded() .maxntid 64, 1, 1\n{\n    ret;\n}\n";

static inline hw_runtime *make_runtime_with(hw_rt_options options) {
    hw_runtime *runtime = NULL;
    hw_diag diag = {0};
    options.device.gpu = hw_gpu_find("h200");
    options.device.threads = 1;
    assert_int_equal(hw_rt_create(&options, &runtime, &diag), HW_OK);
    return runtime;
}

static inline hw_runtime *make_runtime(void) { return make_runtime_with((hw_rt_options){0}); }

static const hw_rt_order at_once;

static inline hw_rt_status allocate(hw_runtime *runtime, uint64_t bytes, uint64_t *address) {
    return hw_rt_alloc(runtime, bytes, HW_ALLOC_DEVICE, 0, at_once, NULL, address);
}

static inline hw_rt_module *load_kernels(hw_runtime *runtime) {
    const hw_rt_text text = {.ptx = KERNELS, .ptx_bytes = strlen(KERNELS), .name = "test.ptx"};
    hw_rt_module *module = NULL;
    hw_diag diag = {0};
    hw_rt_status status = hw_rt_module_load(runtime, &text, &module, &diag);
    if (status) fail_msg("%s: %s", hw_rt_status_rows[status].id, diag.text);
    return module;
}

static inline hw_rt_function *find_function(hw_runtime *runtime, hw_rt_module *module, const char *name) {
    hw_rt_function *function = NULL;
    assert_int_equal(hw_rt_module_function(runtime, module, name, &function), HW_RT_SUCCESS);
    return function;
}

static inline hw_rt_status launch_with(hw_runtime *runtime, hw_rt_function *function, uint32_t threads,
                                       void *const *params) {
    const hw_rt_launch_args args = {.function = function, .grid = {1, 1, 1}, .block = {threads, 1, 1},
                                    .params = params};
    hw_diag diag = {0};
    return hw_rt_launch(runtime, &args, &diag);
}

static inline hw_rt_region at(const void *start) { return (hw_rt_region){.start = (char *)start}; }
static inline hw_rt_region on_device(uint64_t address) { return at((void *)(uintptr_t)address); }

static inline hw_rt_status copy_row(hw_runtime *runtime, hw_rt_region to, hw_rt_region from, size_t bytes,
                                    unsigned direction, hw_rt_stream *stream) {
    return hw_rt_copy(runtime, to, from, (hw_rt_shape){bytes, 1, 1}, direction, (hw_rt_order){.stream = stream});
}

#endif
