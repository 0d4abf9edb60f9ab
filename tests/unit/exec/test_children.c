// Launches that kernels make, as they are kept: what is waited for, what is refused, and what is left without memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exec/child.h"

enum { MIB = 1 << 20 };

// What the host has made, as digits of the children's functions; and the deepest that was asked of it.
typedef struct made {
    uint64_t functions;
    uint32_t depth;
} made;

static hw_status make(void *context, hw_children *children, hw_fault *fault) {
    (void)fault;
    made *m = context;
    for (size_t i = 0; i < children->n; i++) m->functions = 10 * m->functions + children->items[i].function;
    return HW_OK;
}

static uint32_t refuse_nine(void *context, uint32_t depth, const hw_child *child) {
    ((made *)context)->depth = depth;
    return child->function == 9 ? 98 : 0;
}

static uint32_t launch(hw_children *children, hw_mem *mem, uint64_t function, uint64_t block) {
    const hw_child child = {.function = function, .parent_block = block};
    uint32_t number;
    const uint64_t params = hw_children_begin(children, mem, &child);
    assert_true(params != 0);
    return hw_children_launch(children, params, false, NULL, &number);
}

// Blocks 0 and 1 launch by turns, and something refused between.
static void test_waiting(void **state) {
    (void)state;
    hw_mem *mem;
    made m = {0};
    const hw_child_host host = {.context = &m, .execute = make, .refuses = refuse_nine};
    hw_children children;
    hw_fault fault = {.kind = HW_FAULT_NONE};
    assert_int_equal(hw_mem_create(MIB, &mem, NULL), HW_OK);
    hw_children_init(&children, 4, &host);
    for (uint64_t i = 1; i <= 6; i++) assert_int_equal(launch(&children, mem, i, i % 2), 0);
    assert_int_equal(launch(&children, mem, 9, 1), 98);
    assert_int_equal(m.depth, 5);

    hw_alloc_fail_after(0);
    const hw_status status = hw_children_wait(&children, mem, 1, &fault);
    hw_alloc_fail_after(-1);
    assert_int_equal(status, HW_NO_MEMORY);
    assert_int_equal(fault.kind, HW_FAULT_NO_MEMORY);
    assert_true(fault.text[0] != 0);
    assert_int_equal(m.functions, 0);

    assert_int_equal(hw_children_wait(&children, mem, 1, &fault), HW_OK);
    assert_int_equal(m.functions, 135);
    assert_int_equal(hw_children_wait(&children, mem, 1, &fault), HW_OK);
    assert_int_equal(hw_children_wait(&children, mem, 0, &fault), HW_OK);
    assert_int_equal(m.functions, 135246);
    assert_int_equal(children.n, 1);
    hw_children_free(&children, mem);
    hw_mem_destroy(mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waiting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
