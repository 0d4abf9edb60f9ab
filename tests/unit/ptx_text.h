// What the tests of the PTX parser share: a module around a kernel's body, and parsing that must succeed or fail.
#ifndef HW_TESTS_PTX_TEXT_H
#define HW_TESTS_PTX_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "ptx/module.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

// Every kind of variable and register, and a function to call. The body begins in line 10.
#define KERNEL_HEAD \
    HEAD ".global .align 16 .b8 gv[64]; .const .align 4 .b8 cv[16]; .global .align 4 .u32 gw;\n" \
    ".func (.param .b32 r) fn (.param .b32 a);\n" \
    ".visible .entry k (.param .u64 pp)\n" \
    "{\n" \
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %rq<3>; .reg .f32 %f<9>;\n" \
    ".reg .f64 %fd<9>; .reg .u32 %u<3>; .reg .s16 %ss<3>; .shared .align 16 .b8 sv[64]; .local .align 16 .b8 lv[64];" \
    " .param .b32 q0; .param .b32 q1;\n"

static inline hw_ptx_module *parse_ok(const char *text) {
    hw_ptx_module *module = NULL;
    hw_diag diag = {0};
    if (hw_ptx_parse(text, strlen(text), "test.ptx", &module, &diag) != HW_OK)
        fail_msg("line %d: %s\n%s", diag.line, diag.text, text);
    return module;
}

static inline void wrap_body(char *out, size_t size, const char *body) {
    snprintf(out, size, "%s%s\nret;\n}\n", KERNEL_HEAD, body);
}

static inline hw_ptx_module *parse_body_ok(const char *body) {
    char text[8192];
    wrap_body(text, sizeof text, body);
    return parse_ok(text);
}

// Instruction `index` of the kernel that parse_body_ok wraps.
static inline const hw_ptx_inst *inst_at(const hw_ptx_module *module, uint32_t index) {
    const hw_ptx_function *f = hw_ptx_find_function(module, "k");
    assert_non_null(f);
    assert_true(index < f->n_insts);
    return &f->insts[index];
}

static inline hw_status parse_status(const char *text, hw_diag *diag) {
    hw_ptx_module *module = (hw_ptx_module *)1;
    memset(diag, 0, sizeof *diag);
    hw_status status = hw_ptx_parse(text, strlen(text), "test.ptx", &module, diag);
    if (status == HW_OK) hw_ptx_free(module);
    else assert_null(module);
    return status;
}

#endif
