// What the tests of lowering share: a module from text, its programs, and what is in them.
#ifndef LOWER_TEST_H
#define LOWER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "lower/program.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define REGS ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .f32 %f<9>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS body "\n}\n"

static hw_ptx_module *module;
static hw_program_set *set;

static inline hw_ptx_module *parse(const char *text) {
    hw_diag diag = {0};
    hw_ptx_module *m = NULL;
    if (hw_ptx_parse(text, strlen(text), "test.ptx", &m, &diag) != HW_OK)
        fail_msg("%d: %s\n%s", diag.line, diag.text, text);
    for (uint32_t k = 0; k < m->n_globals; k++)
        if (m->globals[k]->space != HW_SPACE_SHARED) m->globals[k]->offset = 0x10000 + 0x1000 * k;
    return m;
}

static inline void lower(const char *text) {
    hw_diag diag = {0};
    module = parse(text);
    if (hw_lower_module(module, &set, &diag) != HW_OK) fail_msg("%d: %s", diag.line, diag.text);
}

static inline void done(void) {
    hw_program_set_free(set);
    hw_ptx_free(module);
    set = NULL;
    module = NULL;
}

static inline hw_program *program(const char *name) {
    for (uint32_t k = 0; k < set->n_programs; k++)
        if (set->programs[k] && !strcmp(set->programs[k]->name, name)) return set->programs[k];
    fail_msg("no program %s", name);
    return NULL;
}

// The whole listing, without its first line.
static inline void expect_listing(const char *name, const char *expected) {
    char *text = hw_program_print(program(name));
    const char *body = strchr(text, '\n') + 1;
    if (strcmp(body, expected)) fail_msg("got\n%s\nexpected\n%s", body, expected);
    hw_free(text);
}

static inline uint32_t find(const hw_program *p, const char *name, uint32_t nth) {
    for (uint32_t i = 0; i < p->n_insts; i++)
        if (!strcmp(hw_body_name(p->bodies[i]), name) && nth-- == 0) return i;
    fail_msg("no %s in %s", name, p->name);
    return 0;
}

// The only body or lifted instruction of that name.
static inline const hw_inst *inst_of(const hw_program *p, const char *name) { return &p->insts[find(p, name, 0)]; }

static inline uint32_t counted(const hw_program *p) {
    uint32_t sum = 0;
    for (uint32_t b = 0; b < p->n_blocks; b++) sum += p->blocks[b].count;
    return sum;
}

#endif
