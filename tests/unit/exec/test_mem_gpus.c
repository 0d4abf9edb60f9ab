// Memory of several GPUs in one range of addresses: whose it is, who may touch it, what goes with a GPU.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/mem.h"

enum { MIB = 1 << 20, GPUS = 3 };

typedef struct fixture {
    hw_mem *gpus[GPUS];
} fixture;

static fixture open_gpus(void) {
    fixture f = {0};
    for (uint32_t i = 0; i < GPUS; i++) {
        const hw_mem_place place = {.beside = i ? f.gpus[0] : NULL, .number = i, .gpus = GPUS};
        assert_int_equal(hw_mem_create_beside(8 * MIB, &place, &f.gpus[i], NULL), HW_OK);
    }
    return f;
}

static void close_gpus(fixture *f) {
    for (uint32_t i = 0; i < GPUS; i++) hw_mem_destroy(f->gpus[i]);
}

static uint64_t take(hw_mem *mem, uint64_t bytes, hw_alloc_kind kind) {
    uint64_t address;
    assert_int_equal(hw_mem_alloc(mem, bytes, 256, kind, NULL, kind == HW_ALLOC_GLOBAL ? "word" : NULL, &address, NULL),
                     HW_OK);
    return address;
}

static uint64_t used_of(const hw_mem *mem) {
    uint64_t limit, used;
    hw_mem_usage(mem, &limit, &used);
    assert_int_equal(limit, 8 * MIB);
    return used;
}

static void test_addresses_are_everyones_and_bytes_are_the_owners(void **state) {
    (void)state;
    fixture f = open_gpus();
    uint64_t at[GPUS];
    hw_allocation a;
    for (uint32_t i = 0; i < GPUS; i++) at[i] = take(f.gpus[i], 1000, HW_ALLOC_DEVICE);
    for (uint32_t i = 0; i < GPUS; i++) {
        memset(hw_mem_host(f.gpus[(i + 1) % GPUS], at[i]), (int)i, 1000);
        assert_int_equal(used_of(f.gpus[i]), 1024);
        for (uint32_t k = 0; k < GPUS; k++) {
            assert_int_equal(hw_mem_find(f.gpus[k], at[i], 1000, &a), i == k);
            assert_true(hw_mem_find_any(f.gpus[k], at[i], 1000, &a));
            assert_int_equal(a.gpu, i);
            assert_true(hw_mem_owns(f.gpus[k], at[i]));
        }
    }
    for (uint32_t i = 0; i < GPUS; i++) assert_int_equal(*(uint8_t *)hw_mem_host(f.gpus[i], at[i] + 999), i);
    // Any of them frees it, and its owner has it back.
    assert_int_equal(hw_mem_free(f.gpus[0], at[2], NULL), HW_OK);
    assert_int_equal(used_of(f.gpus[2]), 0);
    assert_int_equal(used_of(f.gpus[0]), 1024);
    assert_true(hw_mem_find_freed(f.gpus[1], at[2], &a) && a.gpu == 2);
    close_gpus(&f);
}

static void test_limits_are_each_gpus_own(void **state) {
    (void)state;
    fixture f = open_gpus();
    uint64_t address;
    for (uint32_t i = 0; i < GPUS; i++) {
        take(f.gpus[i], 6 * MIB, HW_ALLOC_DEVICE);
        assert_int_equal(hw_mem_alloc(f.gpus[i], 3 * MIB, 256, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL),
                         HW_NO_MEMORY);
    }
    close_gpus(&f);
}

static void test_reach_is_given_and_taken(void **state) {
    (void)state;
    fixture f = open_gpus();
    hw_allocation a;
    const uint64_t theirs = take(f.gpus[1], 100, HW_ALLOC_DEVICE), pinned = take(f.gpus[1], 100, HW_ALLOC_PINNED),
                   managed = take(f.gpus[1], 100, HW_ALLOC_MANAGED);
    char own[64];
    assert_int_equal(hw_mem_register(f.gpus[1], (uint64_t)(uintptr_t)own, sizeof own, NULL, NULL), HW_OK);
    assert_true(hw_mem_find(f.gpus[0], pinned, 100, &a) && hw_mem_find(f.gpus[0], managed, 100, &a));
    assert_true(hw_mem_find(f.gpus[0], (uint64_t)(uintptr_t)own, sizeof own, &a) && a.gpu == 1);
    assert_false(hw_mem_find(f.gpus[0], theirs, 100, &a));
    const uint64_t epoch = hw_mem_epoch(f.gpus[0]);
    hw_mem_set_reach(f.gpus[0], 1, true);
    assert_true(hw_mem_epoch(f.gpus[0]) != epoch);
    assert_true(hw_mem_find(f.gpus[0], theirs, 100, &a));
    assert_false(hw_mem_find(f.gpus[2], theirs, 100, &a));
    assert_true(hw_mem_reaches(f.gpus[0], 1) && !hw_mem_reaches(f.gpus[1], 0));
    hw_mem_set_reach(f.gpus[0], 1, false);
    assert_false(hw_mem_find(f.gpus[0], theirs, 100, &a));
    close_gpus(&f);
}

static void test_allocations_are_opened(void **state) {
    (void)state;
    fixture f = open_gpus();
    hw_allocation a;
    const uint64_t one = take(f.gpus[1], 100, HW_ALLOC_DEVICE), other = take(f.gpus[1], 100, HW_ALLOC_DEVICE),
                   of_pool = take(f.gpus[1], 100, HW_ALLOC_DEVICE), foreign = take(f.gpus[2], 100, HW_ALLOC_DEVICE);
    hw_mem_set_flags(f.gpus[1], of_pool, 7);
    hw_mem_set_flags(f.gpus[2], foreign, 7);
    const uint64_t epoch = hw_mem_epoch(f.gpus[0]);
    hw_mem_open(f.gpus[1], one, 1 << 0);
    assert_true(hw_mem_epoch(f.gpus[0]) != epoch);
    assert_true(hw_mem_find(f.gpus[0], one, 100, &a) && !hw_mem_find(f.gpus[2], one, 100, &a));
    assert_true(hw_mem_is_out_of_reach(f.gpus[0], other) && !hw_mem_is_out_of_reach(f.gpus[0], one));
    assert_false(hw_mem_is_out_of_reach(f.gpus[0], 16));
    hw_mem_open_all(f.gpus[1], 7, 1 << 0 | 1 << 2);
    assert_true(hw_mem_find(f.gpus[0], of_pool, 100, &a) && a.flags == 7 && hw_mem_find(f.gpus[2], of_pool, 100, &a));
    assert_false(hw_mem_find(f.gpus[0], other, 100, &a) || hw_mem_find(f.gpus[0], foreign, 100, &a));
    hw_mem_open_all(f.gpus[1], 7, 0);
    assert_false(hw_mem_find(f.gpus[0], of_pool, 100, &a));
    assert_true(hw_mem_find(f.gpus[0], one, 100, &a));
    close_gpus(&f);
}

static void test_a_managed_variable_is_found_by_any(void **state) {
    (void)state;
    fixture f = open_gpus();
    uint64_t address;
    take(f.gpus[1], 4, HW_ALLOC_GLOBAL);               // of that name, and not managed
    assert_int_equal(hw_mem_find_managed(f.gpus[0], "word"), 0);
    assert_int_equal(hw_mem_alloc(f.gpus[1], 4, 256, HW_ALLOC_MANAGED, NULL, "word", &address, NULL), HW_OK);
    assert_int_equal(hw_mem_find_managed(f.gpus[0], "word"), address);
    assert_int_equal(hw_mem_find_managed(f.gpus[0], "other"), 0);
    hw_mem_destroy(f.gpus[1]);
    f.gpus[1] = NULL;
    assert_int_equal(hw_mem_find_managed(f.gpus[0], "word"), 0);
    close_gpus(&f);
}

static void test_what_a_gpu_has_goes_with_it(void **state) {
    (void)state;
    fixture f = open_gpus();
    hw_allocation a;
    char own[64];
    const uint64_t kept = take(f.gpus[0], 100, HW_ALLOC_DEVICE), gone = take(f.gpus[1], 100, HW_ALLOC_DEVICE),
                   variable = take(f.gpus[1], 4, HW_ALLOC_GLOBAL), freed = take(f.gpus[1], 4, HW_ALLOC_GLOBAL);
    assert_int_equal(hw_mem_free(f.gpus[1], freed, NULL), HW_OK);
    assert_int_equal(hw_mem_register(f.gpus[1], (uint64_t)(uintptr_t)own, sizeof own, NULL, NULL), HW_OK);
    hw_mem_set_reach(f.gpus[0], 1, true);
    hw_mem_destroy(f.gpus[1]);
    assert_true(hw_mem_find(f.gpus[0], kept, 100, &a));
    assert_false(hw_mem_find_any(f.gpus[0], gone, 100, &a) || hw_mem_find_any(f.gpus[0], variable, 4, &a));
    assert_false(hw_mem_find_any(f.gpus[0], (uint64_t)(uintptr_t)own, sizeof own, &a));
    assert_true(hw_mem_find_freed(f.gpus[0], variable, &a) && !a.name);   // names belong to who has gone
    assert_true(hw_mem_find_freed(f.gpus[0], freed, &a) && !a.name);
    // Another one comes in its place, empty and out of reach.
    const hw_mem_place place = {.beside = f.gpus[0], .number = 1, .gpus = GPUS};
    assert_int_equal(hw_mem_create_beside(8 * MIB, &place, &f.gpus[1], NULL), HW_OK);
    assert_int_equal(used_of(f.gpus[1]), 0);
    assert_false(hw_mem_reaches(f.gpus[0], 1));
    assert_true(take(f.gpus[1], 100, HW_ALLOC_DEVICE) != gone);
    close_gpus(&f);
}

static void count_told(void *context, const hw_allocation *a, const hw_mem_caller *caller) {
    (void)caller;
    ((int *)context)[a->is_freed]++;
}

static void test_who_watches_a_gpu_is_told_of_its_memory(void **state) {
    (void)state;
    fixture f = open_gpus();
    int of_first[2] = {0}, of_second[2] = {0};
    hw_mem_watch(f.gpus[0], count_told, of_first);
    hw_mem_watch(f.gpus[1], count_told, of_second);
    const uint64_t first = take(f.gpus[0], 1, HW_ALLOC_DEVICE), second = take(f.gpus[1], 1, HW_ALLOC_DEVICE);
    take(f.gpus[2], 1, HW_ALLOC_DEVICE);
    assert_int_equal(hw_mem_free(f.gpus[2], second, NULL), HW_OK);
    hw_mem_watch(f.gpus[0], NULL, NULL);
    assert_int_equal(hw_mem_free(f.gpus[1], first, NULL), HW_OK);
    assert_int_equal(of_first[0], 1);
    assert_int_equal(of_first[1], 0);
    assert_int_equal(of_second[0], 1);
    assert_int_equal(of_second[1], 1);
    close_gpus(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses_are_everyones_and_bytes_are_the_owners),
        cmocka_unit_test(test_limits_are_each_gpus_own),
        cmocka_unit_test(test_reach_is_given_and_taken),
        cmocka_unit_test(test_allocations_are_opened),
        cmocka_unit_test(test_a_managed_variable_is_found_by_any),
        cmocka_unit_test(test_what_a_gpu_has_goes_with_it),
        cmocka_unit_test(test_who_watches_a_gpu_is_told_of_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
