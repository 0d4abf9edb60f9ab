// Virtual memory and memory between processes: what is given, where, and in which order it goes.
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/sharing.h"
#include "runtime/virtual.h"
#include "runtime_test.h"

#define G HW_RT_GRANULARITY_BYTES

static hw_rt_physical *make(hw_runtime *runtime, bool is_shared) {
    hw_rt_physical *made = NULL;
    const hw_rt_physical_wishes wishes = {.is_shared = is_shared};
    assert_int_equal(hw_rt_physical_create(runtime, G, wishes, &made), HW_RT_SUCCESS);
    return made;
}

static uint64_t reserve(hw_runtime *runtime, uint64_t bytes) {
    uint64_t address = 0;
    assert_int_equal(hw_rt_reserve(runtime, bytes, 0, 0, &address), HW_RT_SUCCESS);
    return address;
}

static void set(hw_runtime *runtime, uint64_t address, int value, size_t bytes, hw_rt_status expected) {
    const hw_rt_region to = {(char *)(uintptr_t)address, bytes, bytes};
    assert_int_equal(hw_rt_set(runtime, to, value, (hw_rt_shape){bytes, 1, 1}, (hw_rt_order){0}), expected);
}

static uint8_t get(hw_runtime *runtime, uint64_t address) {
    uint8_t byte = 0;
    const hw_rt_region to = {(char *)&byte, 1, 1}, from = {(char *)(uintptr_t)address, 1, 1};
    assert_int_equal(hw_rt_copy(runtime, to, from, (hw_rt_shape){1, 1, 1}, HW_HOST_COPY_DEVICE_TO_HOST,
                                (hw_rt_order){0}), HW_RT_SUCCESS);
    return byte;
}

static uint64_t used(hw_runtime *runtime) {
    uint64_t total, unused;
    assert_int_equal(hw_rt_memory_info(runtime, &total, &unused), HW_RT_SUCCESS);
    return total - unused;
}

// One memory at two places, two memories without a gap between them, and all of it gone again.
static void test_mappings(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    const uint64_t before = used(runtime), va = reserve(runtime, 4 * G);
    hw_rt_physical *a = make(runtime, false), *b = make(runtime, false), *again;
    hw_rt_access access;
    assert_int_equal(used(runtime) - before, 2 * G);
    assert_int_equal(hw_rt_map(runtime, va, G, a), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_map(runtime, va, G, b), HW_RT_NOT_SUPPORTED);               // something is there
    assert_int_equal(hw_rt_map(runtime, va + 1, G, b), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_map(runtime, va + 4 * G, G, b), HW_RT_INVALID_VALUE);       // not reserved
    assert_int_equal(hw_rt_map(runtime, va + G, 2 * G, b), HW_RT_NOT_SUPPORTED);       // more than there is
    set(runtime, va, 7, 1, HW_RT_INVALID_VALUE);                                       // no access yet
    assert_int_equal(hw_rt_map(runtime, va + G, G, b), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_map(runtime, va + 2 * G, G, a), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_set_access(runtime, va, 4 * G, HW_RT_ACCESS_READ_WRITE, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_set_access(runtime, va, 3 * G, HW_RT_ACCESS_READ_WRITE, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_get_access(runtime, va + 5, &access), HW_RT_SUCCESS);
    assert_int_equal(access, HW_RT_ACCESS_READ_WRITE);
    set(runtime, va + G - 8, 9, 16, HW_RT_SUCCESS);
    assert_int_equal(get(runtime, va + 3 * G - 1), 9);
    assert_int_equal(get(runtime, va + G + 7), 9);
    set(runtime, va + 3 * G - 1, 9, 2, HW_RT_INVALID_VALUE);
    // Its handle is gone, the memory is not; and it can have one again.
    assert_int_equal(hw_rt_physical_release(runtime, a), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_physical_release(runtime, a), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_physical_at(runtime, va + 5, &again), HW_RT_SUCCESS);
    assert_ptr_equal(again, a);
    assert_int_equal(hw_rt_physical_release(runtime, again), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_unreserve(runtime, va, 4 * G), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_unmap(runtime, va, G / 2), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_unmap(runtime, va, 3 * G), HW_RT_SUCCESS);
    assert_int_equal(used(runtime) - before, G);
    assert_int_equal(hw_rt_physical_release(runtime, b), HW_RT_SUCCESS);
    assert_int_equal(used(runtime), before);
    assert_int_equal(hw_rt_unreserve(runtime, va, 4 * G), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_unreserve(runtime, va, 4 * G), HW_RT_INVALID_VALUE);
    hw_rt_destroy(runtime);
}

// What a program has mapped outlives its context, and is freed with the runtime.
static void test_contexts(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    const uint64_t va = reserve(runtime, G);
    assert_int_equal(hw_rt_map(runtime, va, G, make(runtime, false)), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_set_access(runtime, va, G, HW_RT_ACCESS_READ_WRITE, NULL), HW_RT_SUCCESS);
    set(runtime, va, 3, 8, HW_RT_SUCCESS);
    hw_rt_reset(runtime);
    assert_int_equal(get(runtime, va + 7), 3);
    assert_int_equal(used(runtime), G);
    hw_rt_destroy(runtime);
}

static void test_export(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime(), *other = make_runtime();
    const uint64_t va = reserve(runtime, G), there = reserve(other, G);
    hw_rt_physical *kept = make(runtime, false), *shared = make(runtime, true), *imported;
    int fd;
    assert_int_equal(hw_rt_physical_export(runtime, kept, &fd), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_physical_export(runtime, shared, &fd), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_physical_import(other, 0, &imported), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_physical_import(other, fd, &imported), HW_RT_SUCCESS);
    close(fd);
    assert_int_equal(hw_rt_map(runtime, va, G, shared), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_map(other, there, G, imported), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_set_access(runtime, va, G, HW_RT_ACCESS_READ_WRITE, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_set_access(other, there, G, HW_RT_ACCESS_READ_WRITE, NULL), HW_RT_SUCCESS);
    set(runtime, va, 42, 8, HW_RT_SUCCESS);
    assert_int_equal(get(other, there + 7), 42);
    hw_rt_destroy(runtime);
    assert_int_equal(get(other, there + 7), 42);
    hw_rt_destroy(other);
}

// What a child sees of its parent's memory, and writes there.
static int child_of(const hw_rt_shared_name *name) {
    hw_runtime *runtime = make_runtime();
    uint64_t at = 0, again = 1;
    if (hw_rt_shared_open(runtime, name, HW_RT_SHARED_OF_POOL, NULL, &at) != HW_RT_INVALID_VALUE) return 1;
    if (hw_rt_shared_open(runtime, name, HW_RT_SHARED_MEMORY, NULL, &at) ||
        hw_rt_shared_open(runtime, name, HW_RT_SHARED_MEMORY, NULL, &again) || at != again) return 2;
    if (get(runtime, at) != 5 || get(runtime, at + 999) != 5) return 3;
    set(runtime, at + 10, 6, 1, HW_RT_SUCCESS);
    if (hw_rt_shared_close(runtime, at, HW_RT_SHARED_MEMORY) || hw_rt_shared_close(runtime, at, HW_RT_SHARED_MEMORY) ||
        hw_rt_shared_close(runtime, at, HW_RT_SHARED_MEMORY) != HW_RT_INVALID_VALUE) return 4;
    hw_rt_destroy(runtime);
    return 0;
}

static void test_processes(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    uint64_t before, a;
    hw_rt_shared_name name;
    int status = -1;
    assert_int_equal(hw_rt_alloc(runtime, 100, HW_ALLOC_DEVICE, 0, (hw_rt_order){0}, NULL, &before), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_alloc(runtime, 1000, HW_ALLOC_DEVICE, 0, (hw_rt_order){0}, NULL, &a), HW_RT_SUCCESS);
    set(runtime, before, 4, 100, HW_RT_SUCCESS);
    set(runtime, a, 5, 1000, HW_RT_SUCCESS);
    assert_int_equal(hw_rt_share(runtime, 0x1234, HW_RT_SHARED_MEMORY, &name), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_share(runtime, a + 5, HW_RT_SHARED_MEMORY, &name), HW_RT_SUCCESS);
    uint64_t own;
    assert_int_equal(hw_rt_shared_open(runtime, &name, HW_RT_SHARED_MEMORY, NULL, &own), HW_RT_INVALID_CONTEXT);
    const pid_t child = fork();
    if (!child) _exit(child_of(&name));
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(get(runtime, a + 10), 6);
    assert_int_equal(get(runtime, a + 11), 5);
    assert_int_equal(get(runtime, before + 99), 4);    // moved with it, and as it was
    memset(&name, 1, sizeof name);
    assert_int_equal(hw_rt_shared_open(runtime, &name, HW_RT_SHARED_MEMORY, NULL, &own), HW_RT_INVALID_VALUE);
    hw_rt_destroy(runtime);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mappings), cmocka_unit_test(test_contexts),
                                       cmocka_unit_test(test_export), cmocka_unit_test(test_processes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
