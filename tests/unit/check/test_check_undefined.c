// What is a finding of values that nobody has given: uses that are told, and copies to the host.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checked_launch.h"
#include "mem/defined.h"
#include "mem/mem.h"

enum { BYTES = 4096 };
#define DEVICE ((uint64_t)0x700000000000)
#define OTHER (DEVICE + (1 << 20))
#define HOST ((uint64_t)0x7f0000000000)

static const char allocated[] = "allocated", copied[] = "copied";

static void allocate(checked *c, uint64_t address, uint8_t kind) {
    checked_host(c, (hw_host_event){.action = HW_HOST_ALLOCATE, .site = allocated,
                                    .memory = {.address = address, .bytes = BYTES, .kind = kind}});
}

static void copy(checked *c, uint64_t to, uint64_t from, uint64_t bytes, uint64_t rows, uint64_t pitch) {
    const hw_host_side a = {.address = to, .pitch = pitch}, b = {.address = from, .pitch = pitch};
    checked_host(c, (hw_host_event){.action = HW_HOST_COPY, .site = copied,
                                    .copy = {.to = a, .from = b, .width = bytes, .height = rows, .depth = 1,
                                             .kind = HW_HOST_COPY_ANY}});
}

static void set(checked *c, uint64_t to, uint64_t bytes) {
    checked_host(c, (hw_host_event){.action = HW_HOST_SET,
                                    .set = {.to = {.address = to}, .width = bytes, .height = 1, .depth = 1}});
}

static void begin(checked *c) {
    assert_int_equal(checked_create(c), HW_OK);
    allocate(c, DEVICE, HW_ALLOC_DEVICE);
}

static void tell(checked *c, hw_undefined_use use, uint32_t note, uint32_t origin, uint8_t space) {
    const hw_undefined_told told = {.where = checked_where(1, 0), .note = note, .mask = 4, .use = use,
                                    .origin = origin, .space = space, .bytes = 4, .address = 12};
    c->sink->undefined(c->sink, 0, &told);
}

static void test_copies_of_nothing(void **state) {
    checked c;
    (void)state;
    begin(&c);
    copy(&c, HOST, DEVICE, BYTES, 1, 0);
    copy(&c, HOST, DEVICE, BYTES, 1, 0);
    assert_int_equal(checked_count(&c), 1);
    const hw_check_finding *f = hw_check_finding_at(c.check, 0);
    assert_int_equal(f->kind, HW_CHECK_UNDEFINED);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->sides[0].act, HW_CHECK_ALLOCATES);
    assert_ptr_equal(f->sides[0].site, allocated);
    assert_ptr_equal(f->sides[1].site, copied);
    hw_check_destroy(c.check);
}

// A part that has been written, by whomever, is no reason to tell of the rest.
static void test_copies_of_something(void **state) {
    checked c;
    (void)state;
    begin(&c);
    allocate(&c, OTHER, HW_ALLOC_DEVICE);
    set(&c, DEVICE + 64, 4);
    copy(&c, HOST, DEVICE, 128, 1, 0);
    copy(&c, OTHER, DEVICE + 32, 64, 1, 0);     // within the device: bits go with bytes
    copy(&c, HOST, OTHER, 64, 1, 0);
    copy(&c, OTHER + 1024, HOST, 4, 4, 64);     // rows from the host
    copy(&c, HOST, OTHER + 1024, 8, 4, 64);
    assert_int_equal(checked_count(&c), 0);
    assert_false(hw_defined_is(c.sink->defined, OTHER, 4));
    assert_true(hw_defined_is(c.sink->defined, OTHER + 32, 4));
    copy(&c, HOST, OTHER + 1028, 8, 4, 64);
    assert_int_equal(checked_count(&c), 1);
    hw_check_destroy(c.check);
}

static void test_other_memory(void **state) {
    static const uint8_t kinds[] = {HW_ALLOC_MANAGED, HW_ALLOC_PINNED, HW_ALLOC_GLOBAL};
    checked c;
    (void)state;
    for (unsigned k = 0; k < sizeof kinds; k++) {
        assert_int_equal(checked_create(&c), HW_OK);
        allocate(&c, DEVICE, kinds[k]);
        copy(&c, HOST, DEVICE, BYTES, 1, 0);
        assert_int_equal(checked_count(&c), 0);
        assert_int_equal(hw_defined_is_followed(c.sink->defined, DEVICE), kinds[k] == HW_ALLOC_GLOBAL);
        hw_check_destroy(c.check);
    }
}

static void test_uses(void **state) {
    checked c;
    (void)state;
    begin(&c);
    assert_int_equal(checked_begin(&c, 0, 2, 64), HW_OK);
    tell(&c, HW_UNDEFINED_IS_BORN, 5, 1, HW_SPACE_SHARED);
    tell(&c, HW_UNDEFINED_IS_BORN, HW_NO_NOTE, 2, 0);
    assert_int_equal(checked_count(&c), 0);
    tell(&c, HW_UNDEFINED_DECIDES, 7, 1, 0);
    tell(&c, HW_UNDEFINED_DECIDES, 7, 1, 0);
    tell(&c, HW_UNDEFINED_ADDRESS, 8, 2, 0);
    tell(&c, HW_UNDEFINED_CHANGES, 5, 1, 0);    // of what the same instruction has read
    const hw_check_finding *f = checked_between(&c, 5, 7);
    assert_non_null(f);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->space, HW_SPACE_SHARED);
    assert_int_equal(f->address, 12);
    assert_int_equal(f->sides[0].block[0], 1);
    assert_int_equal(f->sides[0].thread[0], 2);
    assert_int_equal(f->sides[1].act, HW_CHECK_DECIDES);
    f = hw_check_finding_at(c.check, 1);
    assert_int_equal(f->n_sides, 1);
    assert_int_equal(f->space, HW_SPACE_REG);
    assert_int_equal(f->sides[0].act, HW_CHECK_ADDRESSES);
    f = hw_check_finding_at(c.check, 2);
    assert_int_equal(f->n_sides, 1);
    assert_int_equal(f->sides[0].act, HW_CHECK_CHANGES);
    checked_end(&c);
    // What was computed from it comes to the host later.
    const uint8_t shadow[4] = {0xff};
    set(&c, DEVICE, BYTES);
    hw_defined_put(c.sink->defined, DEVICE + 40, 4, shadow, 1);
    copy(&c, HOST, DEVICE, BYTES, 1, 0);
    assert_int_equal(checked_count(&c), 3);     // moved
    hw_defined_put(c.sink->defined, DEVICE + 40, 4, shadow, 1 | HW_ORIGIN_COUNTS);
    copy(&c, HOST, DEVICE, BYTES, 1, 0);
    assert_int_equal(checked_count(&c), 4);
    f = hw_check_finding_at(c.check, 3);
    assert_int_equal(f->sides[0].line, 5);
    assert_ptr_equal(f->sides[1].site, copied);
    hw_check_destroy(c.check);
}

// Memory that is freed, or of another GPU, is nobody's.
static void test_forgets(void **state) {
    checked c;
    (void)state;
    begin(&c);
    checked_host(&c, (hw_host_event){.action = HW_HOST_FREE, .memory = {.address = DEVICE, .bytes = BYTES}});
    assert_false(hw_defined_find(c.sink->defined, DEVICE, BYTES, false, &(uint64_t){0}, &(hw_origin){0}));
    allocate(&c, DEVICE, HW_ALLOC_DEVICE);
    assert_true(hw_defined_is_untouched(c.sink->defined, DEVICE, BYTES));
    hw_check_forget_memory(c.check);
    assert_true(hw_defined_is(c.sink->defined, DEVICE, BYTES));
    hw_check_destroy(c.check);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies_of_nothing),
                                       cmocka_unit_test(test_copies_of_something), cmocka_unit_test(test_other_memory),
                                       cmocka_unit_test(test_uses), cmocka_unit_test(test_forgets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
