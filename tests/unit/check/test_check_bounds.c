// Accesses outside of their homes, and those that cannot be made, as launches made by hand tell them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checked_launch.h"

enum { LINE = 10, OTHER_LINE = 11, BEGIN = 0x10000, BYTES = 400, OTHER_BEGIN = 0x20000 };

static const char site[2];
static const hw_home homes[] = {
    {.begin = BEGIN, .bytes = BYTES, .space = HW_SPACE_GLOBAL, .site = &site[0]},
    {.begin = OTHER_BEGIN, .bytes = BYTES, .space = HW_SPACE_GLOBAL, .site = &site[1]},
    {.begin = 64, .bytes = 128, .space = HW_SPACE_SHARED, .name = "tile"},
};
// 0 is not known, 1 and 2 are one of the allocations, 3 is either, 4 the variable.
static const hw_home_set sets[] = {{.n = 0}, {.n = 1}, {.first = 1, .n = 1}, {.n = 2}, {.first = 2, .n = 1}};

// A launch of a warp in which the access of LINE and OTHER_LINE is of that set.
typedef struct homed {
    checked c;
    uint32_t set_of[4];
    hw_homes homes;
} homed;

static void begin_homed(homed *h, uint32_t set) {
    hw_diag diag = {0};
    assert_int_equal(checked_create(&h->c), HW_OK);
    for (int i = 0; i < 4; i++) h->set_of[i] = set;
    h->homes = (hw_homes){.first_access = 100, .n_accesses = 4, .set_of = h->set_of, .n_sets = 5, .sets = sets,
                          .items = homes};
    assert_int_equal(checked_begin(&h->c, 0, 1, 32), HW_OK);
    checked_end(&h->c);
    h->c.info.homes = &h->homes;
    assert_int_equal(h->c.sink->launch_begin(h->c.sink, &h->c.info, &diag), HW_OK);
    checked_block(&h->c, 0, false);
}

static void end_homed(homed *h) {
    checked_end(&h->c);
    hw_check_destroy(h->c.check);
}

// 32 lanes side by side.
static void access_words(homed *h, uint32_t line, uint8_t kind, uint8_t space, uint64_t base) {
    const hw_note note = {.kind = kind, .space = space, .width_bytes = 4, .access = 101,
                          .order = kind == HW_NOTE_ATOMIC ? HW_ORDER_RELAXED : HW_ORDER_WEAK,
                          .scope = kind == HW_NOTE_ATOMIC ? HW_SCOPE_GPU : HW_SCOPE_NONE};
    int64_t delta[32];
    for (int i = 0; i < 32; i++) delta[i] = 4 * i;
    checked_access(&h->c, checked_where(0, 0), line, &note, 0xffffffffu, base, delta);
}

static const hw_check_finding *only_finding(const homed *h) {
    assert_int_equal(checked_count(&h->c), 1);
    return hw_check_finding_at(h->c.check, 0);
}

static void test_inside(void **state) {
    (void)state;
    static const struct {
        uint32_t set;
        uint8_t space;
        uint64_t base;
    } rows[] = {
        {1, HW_SPACE_GLOBAL, BEGIN}, {1, HW_SPACE_GLOBAL, BEGIN + BYTES - 128}, {1, HW_SPACE_CONST, BEGIN},
        {3, HW_SPACE_GLOBAL, BEGIN}, {3, HW_SPACE_GLOBAL, OTHER_BEGIN + 16}, {4, HW_SPACE_SHARED, 64},
        // Not known, or nothing is known of that space.
        {0, HW_SPACE_GLOBAL, 16}, {4, HW_SPACE_GLOBAL, BEGIN}, {1, HW_SPACE_SHARED, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        homed h;
        begin_homed(&h, rows[i].set);
        access_words(&h, LINE, HW_NOTE_LOAD, rows[i].space, rows[i].base);
        assert_int_equal(checked_count(&h.c), 0);
        end_homed(&h);
    }
}

static void test_outside(void **state) {
    (void)state;
    static const struct {
        uint32_t set;
        uint8_t kind, space;
        hw_check_act act;
        uint64_t base, address;
        uint32_t lanes, thread, home;
    } rows[] = {
        {1, HW_NOTE_LOAD, HW_SPACE_GLOBAL, HW_CHECK_READS, BEGIN + BYTES - 124, BEGIN + BYTES, 1, 31, 0},
        {1, HW_NOTE_STORE, HW_SPACE_GLOBAL, HW_CHECK_WRITES, BEGIN - 8, BEGIN - 8, 2, 0, 0},
        {1, HW_NOTE_ATOMIC, HW_SPACE_GLOBAL, HW_CHECK_CHANGES, OTHER_BEGIN, OTHER_BEGIN, 32, 0, 0},
        {3, HW_NOTE_LOAD, HW_SPACE_GLOBAL, HW_CHECK_READS, OTHER_BEGIN - 4, OTHER_BEGIN - 4, 1, 0, 1},
        {4, HW_NOTE_STORE, HW_SPACE_SHARED, HW_CHECK_WRITES, 0, 0, 16, 0, 2},
        {4, HW_NOTE_LOAD, HW_SPACE_SHARED, HW_CHECK_READS, 68, 192, 1, 31, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        homed h;
        begin_homed(&h, rows[i].set);
        access_words(&h, LINE, rows[i].kind, rows[i].space, rows[i].base);
        const hw_check_finding *f = only_finding(&h);
        const hw_home *home = &homes[rows[i].home];
        assert_int_equal(f->kind, HW_CHECK_BOUNDS);
        assert_int_equal(f->address, rows[i].address);
        assert_int_equal(f->count, rows[i].lanes);
        assert_int_equal(f->n_sides, 1);
        assert_int_equal(f->sides[0].act, rows[i].act);
        assert_int_equal(f->sides[0].thread[0], rows[i].thread);
        assert_int_equal(f->sides[0].line, LINE);
        assert_true(f->object.is_known && !f->object.is_nearest && f->object.address == home->begin);
        assert_ptr_equal(f->object.site, home->site);
        // The same once more, and of another place.
        access_words(&h, LINE, rows[i].kind, rows[i].space, rows[i].base);
        assert_int_equal(only_finding(&h)->count, 2 * rows[i].lanes);
        access_words(&h, OTHER_LINE, rows[i].kind, rows[i].space, rows[i].base);
        assert_true(checked_count(&h.c) >= 2);
        end_homed(&h);
    }
}

// An access of 16 bytes of which the last 8 are outside.
static void test_partly(void **state) {
    (void)state;
    homed h;
    begin_homed(&h, 1);
    const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .width_bytes = 16, .access = 101,
                          .order = HW_ORDER_WEAK};
    checked_access(&h.c, checked_where(0, 0), LINE, &note, 1u << 5, BEGIN + BYTES - 8, NULL);
    const hw_check_finding *f = only_finding(&h);
    assert_int_equal(f->address, BEGIN + BYTES);
    assert_int_equal(f->sides[0].bytes, 16);
    assert_int_equal(f->sides[0].thread[0], 5);
    end_homed(&h);
}

static void tell_stray(homed *h, uint32_t mask, uint32_t misaligned, uint8_t space, uint64_t address) {
    hw_stray stray = {.where = checked_where(0, 0), .note = LINE, .bytes = 4, .mask = mask, .misaligned = misaligned};
    for (int i = 0; i < 32; i++) {
        stray.space[i] = space;
        stray.address[i] = address + (uint64_t)i;
    }
    h->c.notes[LINE] = (hw_note){.line = LINE, .kind = HW_NOTE_LOAD, .access = 101};
    h->c.sink->stray(h->c.sink, 0, &stray);
}

static void test_stray(void **state) {
    (void)state;
    homed h;
    begin_homed(&h, 1);
    tell_stray(&h, 0x30, 0x20, HW_SPACE_GLOBAL, BEGIN + 4000);
    assert_int_equal(checked_count(&h.c), 2);
    const hw_check_finding *first = hw_check_finding_at(h.c.check, 0), *second = hw_check_finding_at(h.c.check, 1);
    assert_int_equal(first->kind, HW_CHECK_MISALIGNED);
    assert_int_equal(first->address, BEGIN + 4005);
    assert_int_equal(first->count, 1);
    assert_int_equal(second->kind, HW_CHECK_BOUNDS);
    assert_int_equal(second->sides[0].thread[0], 4);
    assert_ptr_equal(second->object.site, &site[0]);
    end_homed(&h);
}

// Freed memory, and what lies nearest to an access of which nobody knows where its pointer came from.
static void test_freed(void **state) {
    (void)state;
    homed h;
    hw_mem *mem;
    uint64_t freed, kept;
    hw_diag diag = {0};
    assert_int_equal(hw_mem_create(1 << 24, &mem, &diag), HW_OK);
    const hw_mem_caller maker = {.site = &site[0]}, freer = {.site = &site[1]};
    assert_int_equal(hw_mem_alloc_for(mem, &maker, 100, 256, HW_ALLOC_DEVICE, &freed, &diag), HW_OK);
    assert_int_equal(hw_mem_alloc_for(mem, &maker, 100, 256, HW_ALLOC_DEVICE, &kept, &diag), HW_OK);
    assert_int_equal(hw_mem_free_for(mem, &freer, freed, &diag), HW_OK);
    begin_homed(&h, 0);
    checked_end(&h.c);
    h.c.info.mem = mem;
    assert_int_equal(h.c.sink->launch_begin(h.c.sink, &h.c.info, &diag), HW_OK);
    checked_block(&h.c, 0, false);
    tell_stray(&h, 1, 0, HW_SPACE_GLOBAL, freed + 4);
    const hw_check_finding *f = only_finding(&h);
    assert_int_equal(f->kind, HW_CHECK_FREED);
    assert_int_equal(f->n_sides, 2);
    assert_int_equal(f->sides[0].act, HW_CHECK_FREES);
    assert_ptr_equal(f->sides[0].site, &site[1]);
    assert_int_equal(f->sides[1].line, LINE);
    assert_ptr_equal(f->object.site, &site[0]);
    tell_stray(&h, 1, 0, HW_SPACE_GLOBAL, kept + 200);
    f = hw_check_finding_at(h.c.check, 1);
    assert_int_equal(f->kind, HW_CHECK_BOUNDS);
    assert_true(f->object.is_nearest && f->object.address == kept);
    tell_stray(&h, 1, 0, HW_SPACE_GLOBAL, 8);
    assert_int_equal(checked_count(&h.c), 2);    // the same place
    end_homed(&h);
    hw_mem_destroy(mem);
}

// A block of a cluster has read another's shared memory before that ends, by chance, or since they have met.
static void read_in_cluster(bool have_met, bool reader_ends_first) {
    const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_SHARED, .width_bytes = 4};
    const uint64_t word = ((uint64_t)1 << HW_RANK_BITS) + 260;
    checked c;
    assert_int_equal(checked_create(&c), HW_OK);
    assert_int_equal(checked_begin(&c, 0, 2, 64), HW_OK);
    checked_end(&c);
    c.info.cluster[0] = 2;
    c.info.cluster[1] = c.info.cluster[2] = 1;
    assert_int_equal(c.sink->launch_begin(c.sink, &c.info, NULL), HW_OK);
    for (uint32_t block = 0; block < 2; block++) checked_block(&c, block, false);
    checked_access(&c, checked_where(1, 1), LINE, &note, 1 << 5, word, NULL);
    static const hw_barrier_action steps[] = {HW_BARRIER_ARRIVE, HW_BARRIER_WAIT};
    for (uint32_t i = 0; have_met && i < 8; i++)
        checked_arrive(&c, i / 2 % 2, i % 2, OTHER_LINE, steps[i / 4], HW_CLUSTER_BARRIER, 0xffffffffu, 0);
    for (uint32_t block = 0; have_met && block < 2; block++) checked_complete(&c, block, HW_CLUSTER_BARRIER);
    checked_block(&c, reader_ends_first, true);
    checked_block(&c, !reader_ends_first, true);
    checked_end(&c);
    const hw_check_finding *f = hw_check_finding_at(c.check, 0);
    assert_int_equal(checked_count(&c), !have_met);
    if (f) {
        assert_int_equal(f->kind, HW_CHECK_BOUNDS);
        assert_int_equal(f->address, word);
        assert_int_equal(f->sides[0].line, LINE);
        assert_int_equal(f->sides[0].block[0], 1);
        assert_int_equal(f->sides[0].thread[0], 32 + 5);
        assert_int_equal(f->count, 1);
    }
    hw_check_destroy(c.check);
}

static void test_end_of_a_block(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) read_in_cluster(way & 1, way & 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inside), cmocka_unit_test(test_outside), cmocka_unit_test(test_partly),
        cmocka_unit_test(test_stray), cmocka_unit_test(test_freed), cmocka_unit_test(test_end_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
