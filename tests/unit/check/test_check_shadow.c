// Shadow memory: lines and how they split, entries and their sweeping.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/shadow.h"

enum { PAGE = HW_CHECK_PAGE_BYTES, PAGES = 600 };

static hw_check_entry entry_of(uint32_t note, uint8_t width, bool is_many) {
    return (hw_check_entry){.work = 1, .note = note, .mask = 0xffffffff, .width_bytes = width, .is_many = is_many};
}

// ---- lines ---------------------------------------------------------------------------------------------------------

static hw_check_ref refer(hw_check_entries *entries, const hw_check_entry *e) {
    return hw_check_entries_refer(entries, e);
}

// The plane's words. NULL: no memory.
static hw_check_ref *words_of(hw_check_line *line, hw_check_cells *cells, const hw_check_entries *entries,
                              hw_check_plane plane) {
    return hw_check_line_split(line, cells, entries, plane, 4) ? line->planes[plane].cells : NULL;
}

// A line that lanes have written side by side knows of each of its words and bytes which lane that was.
static void test_split_into_words_and_bytes(void **state) {
    (void)state;
    static const uint8_t widths[] = {4, 8, 16};
    for (int k = 0; k < 3; k++) {
        hw_check_entries entries = {0};
        hw_check_cells cells = {0};
        hw_check_line line = {0};
        const hw_check_entry each = entry_of(1, widths[k], false), many = entry_of(2, 4, true);
        const hw_check_ref write = refer(&entries, &each) + 3, read = refer(&entries, &many);
        hw_check_line_join(&line, &cells, HW_CHECK_WRITE, write);
        hw_check_line_join(&line, &cells, HW_CHECK_READ, read);
        for (int bytes = 0; bytes < 3; bytes++) {
            if (bytes == 1) assert_true(hw_check_line_split(&line, &cells, &entries, HW_CHECK_WRITE, 4));
            if (bytes == 2) assert_true(hw_check_line_split(&line, &cells, &entries, HW_CHECK_WRITE, 1));
            assert_int_equal(line.cell_bytes[HW_CHECK_WRITE], bytes == 0 ? 0 : bytes == 1 ? 4 : 1);
            for (uint32_t at = 0; at < 128; at += bytes == 1 ? 4 : 1) {
                assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_WRITE, at), write + at / widths[k]);
                assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_READ, at), read);
                assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_READ_BEFORE, at), 0);
            }
        }
        // Larger cells are not made of smaller ones; the other planes stay whole.
        assert_true(hw_check_line_split(&line, &cells, &entries, HW_CHECK_WRITE, 4));
        assert_int_equal(line.cell_bytes[HW_CHECK_WRITE], 1);
        assert_int_equal(line.cell_bytes[HW_CHECK_READ], 0);
        hw_check_line_join(&line, &cells, HW_CHECK_WRITE, read);
        assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_WRITE, 77), read);
        hw_check_line_forget(&line, &cells);
        assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_READ, 5), 0);
        hw_check_cells_free(&cells);
        hw_check_entries_free(&entries);
    }
}

// A word whose bytes four lanes have written, side by side, has the first one's reference; its bytes have their own.
static void test_split_word_of_bytes(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_cells cells = {0};
    hw_check_line line = {0};
    const hw_check_entry each = entry_of(1, 1, false);
    const hw_check_ref lane0 = refer(&entries, &each);
    hw_check_ref *words = words_of(&line, &cells, &entries, HW_CHECK_WRITE);
    for (uint32_t i = 0; i < 8; i++) words[i] = lane0 + 4 * i;
    for (uint32_t at = 0; at < 32; at++)
        assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_WRITE, at), lane0 + at);
    assert_true(hw_check_line_split(&line, &cells, &entries, HW_CHECK_WRITE, 1));
    for (uint32_t at = 0; at < 128; at++)
        assert_int_equal(hw_check_line_byte(&line, HW_CHECK_WRITE, at), at < 32 ? lane0 + at : 0);
    hw_check_cells_free(&cells);
    hw_check_entries_free(&entries);
}

// Cells that a line has given back are given again, and no two lines have the same.
static void test_cells_are_given_again(void **state) {
    (void)state;
    enum { N = 2000 };
    static hw_check_line lines[N];
    hw_check_entries entries = {0};
    hw_check_cells cells = {0};
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < N; i++) {
            assert_true(hw_check_line_split(&lines[i], &cells, &entries, HW_CHECK_READ, i % 3 ? 4 : 1));
            hw_check_put_ref(&lines[i], &cells, HW_CHECK_READ, 0, i + 1);
        }
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(hw_check_line_ref(&lines[i], &entries, HW_CHECK_READ, 0), i + 1);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(hw_check_line_ref(&lines[i], &entries, HW_CHECK_READ, 31 * 4), 0);
        const void *chunks = cells.chunks;
        for (uint32_t i = 0; i < N; i++) hw_check_line_forget(&lines[i], &cells);
        assert_true(hw_check_line_split(&lines[0], &cells, &entries, HW_CHECK_WRITE, 1));
        assert_ptr_equal(cells.chunks, chunks);
        hw_check_line_forget(&lines[0], &cells);
    }
    hw_check_cells_free(&cells);
}

// Bytes that nobody is known of any more do not keep cells.
static void test_cleared_bytes(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_cells cells = {0};
    hw_check_line line = {0};
    const hw_check_entry e = entry_of(1, 1, true);
    const hw_check_ref ref = refer(&entries, &e);
    assert_true(hw_check_line_split(&line, &cells, &entries, HW_CHECK_READ, 1));
    const hw_check_packed *packed = line.planes[HW_CHECK_READ].packed;
    hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 7, ref);
    hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 127, ref);
    hw_check_line_clear(&line, &cells, &entries, HW_CHECK_READ, 5, 8);
    assert_int_equal(line.cell_bytes[HW_CHECK_READ], 1);
    assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_READ, 7), 0);
    assert_int_equal(hw_check_line_ref(&line, &entries, HW_CHECK_READ, 127), ref);
    hw_check_line_clear(&line, &cells, &entries, HW_CHECK_READ, 127, 128);
    assert_int_equal(line.cell_bytes[HW_CHECK_READ], 0);
    assert_int_equal(line.planes[HW_CHECK_READ].whole, 0);
    assert_true(hw_check_line_split(&line, &cells, &entries, HW_CHECK_WRITE, 1));
    assert_ptr_equal(line.planes[HW_CHECK_WRITE].packed, packed);
    hw_check_cells_free(&cells);
    hw_check_entries_free(&entries);
}

// References of a plane of bytes, beside what it has of them.
static void expect_bytes(const hw_check_line *line, const hw_check_ref refs[128]) {
    for (uint32_t at = 0; at < 128; at++)
        assert_int_equal(hw_check_line_byte(line, HW_CHECK_READ, at), refs[at]);
}

// Bytes whose references are close together take 26 bits each, wherever they begin; others 32, until the near ones are
// all that is left.
static void test_bytes_of_near_and_far_references(void **state) {
    (void)state;
    static const hw_check_ref begins[] = {1 << 8, 1 << 20, 1 << 26, 0xe0000000u};
    const hw_check_ref near = (1 << 26) - (1 << 22);
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
        hw_check_cells cells = {0};
        hw_check_line line = {0};
        hw_check_ref refs[128] = {0};
        assert_true(hw_check_line_split(&line, &cells, NULL, HW_CHECK_READ, 1));
        expect_bytes(&line, refs);
        for (uint32_t i = 0; i < 128; i += 3)
            hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, i, refs[i] = begins[k] + i * (near / 128));
        expect_bytes(&line, refs);
        assert_false(line.is_wide[HW_CHECK_READ]);
        // One that is further above moves the base; one that is too far makes cells wide.
        hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 5, refs[5] = begins[k] + (1 << 26) - 16);
        expect_bytes(&line, refs);
        assert_false(line.is_wide[HW_CHECK_READ]);
        hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 7, refs[7] = begins[k] + (1 << 27));
        hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 8, refs[8] = 1);
        expect_bytes(&line, refs);
        assert_true(line.is_wide[HW_CHECK_READ]);
        assert_int_equal(cells.n_of_bytes, 1);
        // Of those that everything comes after, nothing is kept when cells are made.
        hw_check_line_join(&line, &cells, HW_CHECK_READ, 0);
        assert_true(hw_check_line_split(&line, &cells, NULL, HW_CHECK_READ, 1));
        hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 3, begins[k]);
        cells.dead = begins[k] + 1;
        hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 4, begins[k] + (1 << 27));
        assert_int_equal(hw_check_line_byte(&line, HW_CHECK_READ, 3), 0);
        assert_int_equal(hw_check_line_byte(&line, HW_CHECK_READ, 4), begins[k] + (1 << 27));
        assert_false(line.is_wide[HW_CHECK_READ]);
        hw_check_line_join(&line, &cells, HW_CHECK_READ, 9);
        assert_int_equal(line.planes[HW_CHECK_READ].whole, 9);
        assert_int_equal(cells.n_of_bytes, 0);
        hw_check_cells_free(&cells);
    }
}

// A base that cannot be left for lack of memory: nobody is known of that byte.
static void test_far_reference_without_memory(void **state) {
    (void)state;
    hw_check_cells cells = {0};
    hw_check_line line = {0};
    assert_true(hw_check_line_split(&line, &cells, NULL, HW_CHECK_READ, 1));
    hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 1, 1 << 8);
    cells.next = cells.end;
    hw_alloc_fail_after(0);
    hw_check_line_put_byte(&line, &cells, HW_CHECK_READ, 2, 1u << 31);
    hw_alloc_fail_after(-1);
    assert_int_equal(hw_check_line_byte(&line, HW_CHECK_READ, 1), 1 << 8);
    assert_int_equal(hw_check_line_byte(&line, HW_CHECK_READ, 2), 0);
    hw_check_cells_free(&cells);
}

static void test_line_without_memory(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_cells cells = {0};
    hw_check_line line = {0};
    line.planes[HW_CHECK_READ].whole = 0;
    hw_alloc_fail_after(0);
    assert_false(hw_check_line_split(&line, &cells, &entries, HW_CHECK_READ, 4));
    hw_alloc_fail_after(-1);
    assert_int_equal(line.cell_bytes[HW_CHECK_READ], 0);
    assert_true(hw_check_line_split(&line, &cells, &entries, HW_CHECK_READ, 4));
    hw_check_cells_free(&cells);
}

// Who cannot be noted down is missed; that is kept in mind.
static void test_missed_entries(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    const hw_check_entry entry = {.work = 1, .mask = 1};
    hw_alloc_fail_after(0);
    assert_int_equal(hw_check_entries_refer(&entries, &entry), 0);
    hw_alloc_fail_after(-1);
    assert_true(entries.ran_out);
    assert_int_not_equal(hw_check_entries_refer(&entries, &entry), 0);
    hw_check_entries_free(&entries);
}

// ---- device memory -------------------------------------------------------------------------------------------------

// Of the plane of writers.
static hw_check_ref *whole_at(hw_check_shadow *shadow, uint64_t address) {
    return &hw_check_shadow_line(shadow, address)->planes[HW_CHECK_WRITE].whole;
}

static void test_lines_of_device_memory(void **state) {
    (void)state;
    hw_check_shadow shadow = {0};
    hw_check_entries entries = {0};
    const uint64_t base = 0x7f0000000000;
    // Pages far apart, more than one bucket's and more than the recent ones.
    for (uint64_t i = 0; i < PAGES; i++) {
        hw_check_line *line = hw_check_shadow_line(&shadow, base + i * PAGE * 3);
        assert_non_null(line);
        line->planes[HW_CHECK_WRITE].whole = (hw_check_ref)i + 1;
    }
    for (uint64_t i = 0; i < PAGES; i++)
        assert_int_equal(whole_at(&shadow, base + i * PAGE * 3 + 127)[0], i + 1);
    assert_int_equal(whole_at(&shadow, base + 128)[0], 0);
    // Over the end of a page; lines on either side stay.
    hw_check_line *split = hw_check_shadow_line(&shadow, base + PAGE - 128);
    *words_of(split, &shadow.cells, &entries, HW_CHECK_WRITE) = 7;
    whole_at(&shadow, base + PAGE)[0] = 8;
    whole_at(&shadow, base + PAGE + 128)[0] = 9;
    whole_at(&shadow, base + PAGE - 256)[0] = 6;
    hw_check_shadow_forget(&shadow, base + PAGE - 128, 256);
    assert_int_equal(hw_check_shadow_line(&shadow, base + PAGE - 128)->cell_bytes[HW_CHECK_WRITE], 0);
    assert_int_equal(whole_at(&shadow, base + PAGE - 128)[0], 0);
    assert_int_equal(whole_at(&shadow, base + PAGE)[0], 0);
    assert_int_equal(whole_at(&shadow, base + PAGE + 128)[0], 9);
    assert_int_equal(whole_at(&shadow, base + PAGE - 256)[0], 6);
    hw_check_shadow_free(&shadow);
    assert_int_equal(whole_at(&shadow, base)[0], 0);
    hw_check_shadow_free(&shadow);
    hw_check_entries_free(&entries);
}

static void test_shadow_without_memory(void **state) {
    (void)state;
    hw_check_shadow shadow = {0};
    for (long successes = 0; successes < 2; successes++) {
        hw_alloc_fail_after(successes);
        assert_null(hw_check_shadow_line(&shadow, 1 << 20));
        hw_alloc_fail_after(-1);
    }
    assert_non_null(hw_check_shadow_line(&shadow, 1 << 20));
    hw_check_shadow_free(&shadow);
}

// ---- entries -------------------------------------------------------------------------------------------------------

static void test_equal_entries_are_one(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_entry e = entry_of(5, 4, false);
    assert_true(hw_check_entries_next(&entries) > 0);
    const hw_check_ref ref = refer(&entries, &e);
    assert_int_not_equal(ref, 0);
    assert_int_equal(hw_check_lane_of(ref), 0);
    assert_int_equal(refer(&entries, &e), ref);
    e.time = 2;
    const hw_check_ref next = hw_check_entries_next(&entries), later = refer(&entries, &e);
    assert_true(next > ref + 31 && later >= next);
    assert_int_equal(hw_check_entry_of(&entries, later + 31).time, 2);
    assert_int_equal(hw_check_lane_of(later + 31), 31);
    hw_check_entries_free(&entries);
}

// An entry stands for several warps.
static void test_entry_of_many_warps(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_entry e = entry_of(5, 4, false);
    e.warp = 40;
    const hw_check_ref first = refer(&entries, &e);
    for (uint32_t k = 0; k < HW_CHECK_WARPS_AT_ONCE; k++) {
        const hw_check_ref ref = first + (k << HW_CHECK_LANE_BITS) + 7;
        assert_int_equal(hw_check_entry_of(&entries, ref).warp, 40 + k);
        assert_int_equal(hw_check_lane_of(ref), 7);
        assert_int_equal(hw_check_warp_of(ref), hw_check_warp_of(ref - 7));
        assert_true(ref < hw_check_entries_next(&entries));
    }
    e.warp = 41;
    assert_true(refer(&entries, &e) > first + 255);
    hw_check_entries_free(&entries);
}

// What is referred to stays, in the order in which it was made, and is referred to by other numbers.
static void test_sweep(void **state) {
    (void)state;
    enum { N = 5000 };
    static hw_check_ref refs[N];
    hw_check_entries entries = {0};
    hw_check_shadow shadow = {0};
    for (uint32_t i = 0; i < N; i++) {
        const hw_check_entry e = entry_of(i, 4, false);
        refs[i] = refer(&entries, &e);
    }
    // Each fifth is in a plane, of writers or of readers: whole, of words, or of bytes.
    for (uint32_t i = 0; i < N; i += 5) {
        const hw_check_plane p = i % 2 ? HW_CHECK_READ_BEFORE : HW_CHECK_WRITE;
        hw_check_line *line = hw_check_shadow_line(&shadow, 1 << 20 | i * 128);
        if (i % 3) assert_true(hw_check_line_split(line, &shadow.cells, &entries, p, i % 3 == 1 ? 4 : 1));
        hw_check_put_ref(line, &shadow.cells, p, 64, refs[i] + 9);
        *(i % 2 ? &line->newest_read : &line->newest_write) = refs[i] + 255;
    }
    hw_check_shadow_mark(&shadow, &entries);
    assert_true(hw_check_entries_sweep(&entries));
    assert_int_equal(entries.n, 1 + N / 5);
    hw_check_shadow_move(&shadow, &entries);
    hw_check_ref last = 0;
    for (uint32_t i = 0; i < N; i += 5) {
        const hw_check_plane p = i % 2 ? HW_CHECK_READ_BEFORE : HW_CHECK_WRITE;
        const hw_check_line *line = hw_check_shadow_line(&shadow, 1 << 20 | i * 128);
        const hw_check_ref ref = i % 3 ? hw_check_line_ref(line, &entries, p, 64) : line->planes[p].whole;
        assert_int_equal(hw_check_entry_of(&entries, ref).note, i);
        assert_int_equal(hw_check_lane_of(ref), 9);
        assert_true(ref > last);
        assert_true((i % 2 ? line->newest_read : line->newest_write) >= ref);
        last = ref;
        // Of those that went, the next one that stayed has the number: times are compared by it.
        if (i) assert_int_equal(hw_check_entries_moved(&entries, refs[i - 2]), ref & ~255u);
    }
    // Nothing is marked any more: none stays.
    assert_true(hw_check_entries_sweep(&entries));
    assert_int_equal(entries.n, 1);
    const hw_check_entry again = entry_of(0, 4, false);
    assert_int_equal(refer(&entries, &again), 256);
    hw_check_shadow_free(&shadow);
    hw_check_entries_free(&entries);
}

// A sweep that would free little is none.
static void test_sweep_of_few(void **state) {
    (void)state;
    enum { N = 1000 };
    hw_check_entries entries = {0};
    for (uint32_t i = 0; i < N; i++) {
        const hw_check_entry e = entry_of(i, 4, false);
        const hw_check_ref ref = refer(&entries, &e);
        if (i % 10) hw_check_entries_mark(&entries, ref);
    }
    assert_false(hw_check_entries_sweep(&entries));
    assert_int_equal(entries.n, N + 1);
    for (uint32_t i = 1; i <= N; i++) assert_false(entries.items[i].is_live);
    hw_check_entries_free(&entries);
}

static void test_entries_without_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 2; successes++) {
        hw_check_entries entries = {0};
        const hw_check_entry e = entry_of(1, 4, false);
        hw_alloc_fail_after(successes);
        assert_int_equal(refer(&entries, &e), 0);
        hw_alloc_fail_after(-1);
        assert_int_not_equal(refer(&entries, &e), 0);
        hw_check_entries_free(&entries);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_into_words_and_bytes), cmocka_unit_test(test_split_word_of_bytes),
        cmocka_unit_test(test_cells_are_given_again), cmocka_unit_test(test_cleared_bytes),
        cmocka_unit_test(test_bytes_of_near_and_far_references),
        cmocka_unit_test(test_far_reference_without_memory),
        cmocka_unit_test(test_line_without_memory),
        cmocka_unit_test(test_lines_of_device_memory), cmocka_unit_test(test_shadow_without_memory),
        cmocka_unit_test(test_equal_entries_are_one), cmocka_unit_test(test_entry_of_many_warps),
        cmocka_unit_test(test_sweep), cmocka_unit_test(test_sweep_of_few),
        cmocka_unit_test(test_entries_without_memory), cmocka_unit_test(test_missed_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
