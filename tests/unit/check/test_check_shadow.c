// Shadow memory: lines and how they split, entries and their sweeping.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/shadow.h"

static hw_check_entry entry_of(uint32_t note, uint8_t width, bool is_many) {
    return (hw_check_entry){.work = 1, .note = note, .mask = 0xffffffff, .width_bytes = width, .is_many = is_many};
}

// ---- lines ---------------------------------------------------------------------------------------------------------

static void test_whole_line(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_line line = {0};
    const hw_check_piece piece = hw_check_line_piece(&line, &entries, 0, 128, 128);
    assert_int_equal(piece.n, 1);
    assert_int_equal(piece.cell_bytes, 128);
    assert_null(line.cells);
    hw_check_line_forget(&line);
    hw_check_entries_free(&entries);
}

// A line that lanes have written side by side knows of each of its words which lane that was.
static void test_split_into_words_and_bytes(void **state) {
    (void)state;
    static const uint8_t widths[] = {4, 8, 16};
    for (int k = 0; k < 3; k++) {
        hw_check_entries entries = {0};
        hw_check_line line = {0};
        const hw_check_entry each = entry_of(1, widths[k], false), many = entry_of(2, 4, true);
        const hw_check_ref write = hw_check_entries_refer(&entries, &each) + 3;
        const hw_check_ref read = hw_check_entries_refer(&entries, &many);
        *hw_check_line_piece(&line, &entries, 0, 128, 128).cells = (hw_check_cell){write, {read, 0}};
        hw_check_piece piece = hw_check_line_piece(&line, &entries, 8, 24, 4);
        assert_int_equal(piece.n, 4);
        assert_int_equal(piece.cell_bytes, 4);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(piece.cells[i].write, write + (8 + 4 * i) / widths[k]);
            assert_int_equal(piece.cells[i].reads[0], read);
            assert_int_equal(piece.cells[i].reads[1], 0);
        }
        // What is whole now goes through the words; a byte alone makes them bytes.
        assert_int_equal(hw_check_line_piece(&line, &entries, 0, 128, 128).n, 32);
        piece = hw_check_line_piece(&line, &entries, 9, 10, 1);
        assert_int_equal(piece.n, 1);
        assert_int_equal(piece.cells->write, write + 9 / widths[k]);
        assert_int_equal(hw_check_line_piece(&line, &entries, 0, 128, 128).n, 128);
        hw_check_line_forget(&line);
        assert_null(line.cells);
        assert_int_equal(hw_check_line_piece(&line, &entries, 0, 128, 128).n, 1);
        hw_check_entries_free(&entries);
    }
}

// A word whose bytes four lanes have written, side by side, has the first one's reference; its bytes have their own.
static void test_split_word_of_bytes(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_line line = {0};
    const hw_check_entry each = entry_of(1, 1, false);
    const hw_check_ref lane0 = hw_check_entries_refer(&entries, &each);
    hw_check_piece piece = hw_check_line_piece(&line, &entries, 0, 32, 4);
    for (uint32_t i = 0; i < piece.n; i++) piece.cells[i].write = lane0 + 4 * i;
    piece = hw_check_line_piece(&line, &entries, 5, 8, 1);
    assert_int_equal(piece.n, 3);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(piece.cells[i].write, lane0 + 5 + i);
    hw_check_line_forget(&line);
    hw_check_entries_free(&entries);
}

static void test_line_without_memory(void **state) {
    (void)state;
    hw_check_entries entries = {0};
    hw_check_line line = {0};
    hw_alloc_fail_after(0);
    assert_int_equal(hw_check_line_piece(&line, &entries, 0, 4, 4).n, 0);
    hw_alloc_fail_after(-1);
    assert_int_equal(hw_check_line_piece(&line, &entries, 0, 4, 4).n, 1);
    hw_check_line_forget(&line);
}

// ---- device memory -------------------------------------------------------------------------------------------------

static void test_lines_of_device_memory(void **state) {
    (void)state;
    hw_check_shadow shadow = {0};
    hw_check_entries entries = {0};
    const uint64_t base = 0x7f0000000000;
    // Pages far apart, more than one bucket's and more than the recent ones.
    for (uint64_t i = 0; i < 2000; i++) {
        hw_check_line *line = hw_check_shadow_line(&shadow, base + i * 65536 * 3);
        assert_non_null(line);
        line->whole.write = (hw_check_ref)i + 1;
    }
    for (uint64_t i = 0; i < 2000; i++)
        assert_int_equal(hw_check_shadow_line(&shadow, base + i * 65536 * 3 + 127)->whole.write, i + 1);
    assert_int_equal(hw_check_shadow_line(&shadow, base + 128)->whole.write, 0);
    // Over the end of a page; lines on either side stay.
    hw_check_line_piece(hw_check_shadow_line(&shadow, base + 65536 - 128), &entries, 0, 4, 4).cells->write = 7;
    hw_check_shadow_line(&shadow, base + 65536)->whole.write = 8;
    hw_check_shadow_line(&shadow, base + 65536 + 128)->whole.write = 9;
    hw_check_shadow_line(&shadow, base + 65536 - 256)->whole.write = 6;
    hw_check_shadow_forget(&shadow, base + 65536 - 128, 256);
    assert_null(hw_check_shadow_line(&shadow, base + 65536 - 128)->cells);
    assert_int_equal(hw_check_shadow_line(&shadow, base + 65536)->whole.write, 0);
    assert_int_equal(hw_check_shadow_line(&shadow, base + 65536 + 128)->whole.write, 9);
    assert_int_equal(hw_check_shadow_line(&shadow, base + 65536 - 256)->whole.write, 6);
    hw_check_shadow_free(&shadow);
    assert_int_equal(hw_check_shadow_line(&shadow, base)->whole.write, 0);
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
    const hw_check_ref ref = hw_check_entries_refer(&entries, &e);
    assert_int_not_equal(ref, 0);
    assert_int_equal(hw_check_lane_of(ref), 0);
    assert_int_equal(hw_check_entries_refer(&entries, &e), ref);
    e.time = 2;
    const hw_check_ref later = hw_check_entries_refer(&entries, &e);
    assert_int_not_equal(later, ref);
    assert_int_equal(hw_check_entry_of(&entries, later + 31)->time, 2);
    assert_int_equal(hw_check_lane_of(later + 31), 31);
    hw_check_entries_free(&entries);
}

// Those that are referred to stay as they are; the others' places are given again.
static void test_sweep(void **state) {
    (void)state;
    enum { N = 5000 };
    static hw_check_ref refs[N];
    hw_check_entries entries = {0};
    hw_check_shadow shadow = {0};
    for (uint32_t i = 0; i < N; i++) {
        const hw_check_entry e = entry_of(i, 4, false);
        refs[i] = hw_check_entries_refer(&entries, &e);
    }
    const uint32_t made = entries.n;
    // Each fifth is in a cell: of whole lines, of words, as reader.
    for (uint32_t i = 0; i < N; i += 5) {
        hw_check_line *line = hw_check_shadow_line(&shadow, 1 << 20 | i * 128);
        if (i % 2) line->whole.reads[1] = refs[i] + 3;
        else hw_check_line_piece(line, &entries, 64, 68, 4).cells->write = refs[i] + 9;
    }
    hw_check_shadow_mark(&shadow, &entries);
    hw_check_entries_sweep(&entries);
    assert_int_equal(entries.n_freed, N - N / 5);
    for (uint32_t i = 0; i < N - N / 5; i++) {
        const hw_check_entry e = entry_of(N + i, 4, false);
        const hw_check_ref ref = hw_check_entries_refer(&entries, &e);
        assert_true(ref >> HW_CHECK_LANE_BITS < made);
        assert_true((ref >> HW_CHECK_LANE_BITS) - (refs[0] >> HW_CHECK_LANE_BITS) < N);
    }
    assert_int_equal(entries.n, made);
    for (uint32_t i = 0; i < N; i += 5) assert_int_equal(hw_check_entry_of(&entries, refs[i])->note, i);
    // Nothing is marked any more: all are free.
    hw_check_entries_sweep(&entries);
    assert_int_equal(entries.n_freed, N);
    // One equal to what was freed is made anew: nobody else is given its place.
    const hw_check_entry last = entry_of(N + (N - N / 5) - 1, 4, false);
    const hw_check_ref again = hw_check_entries_refer(&entries, &last);
    for (uint32_t i = 0; i < N; i++) {
        const hw_check_entry e = entry_of(3 * N + i, 4, false);
        assert_int_not_equal(hw_check_entries_refer(&entries, &e), again);
    }
    assert_int_equal(hw_check_entry_of(&entries, again)->note, last.note);
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
        const hw_check_ref ref = hw_check_entries_refer(&entries, &e);
        if (i % 10) hw_check_entries_mark(&entries, ref);
    }
    hw_check_entries_sweep(&entries);
    assert_int_equal(entries.n_freed, 0);
    hw_check_entries_free(&entries);
}

static void test_entries_without_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 2; successes++) {
        hw_check_entries entries = {0};
        const hw_check_entry e = entry_of(1, 4, false);
        hw_alloc_fail_after(successes);
        assert_int_equal(hw_check_entries_refer(&entries, &e), 0);
        hw_alloc_fail_after(-1);
        assert_int_not_equal(hw_check_entries_refer(&entries, &e), 0);
        hw_check_entries_free(&entries);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_line), cmocka_unit_test(test_split_into_words_and_bytes),
        cmocka_unit_test(test_split_word_of_bytes), cmocka_unit_test(test_line_without_memory),
        cmocka_unit_test(test_lines_of_device_memory), cmocka_unit_test(test_shadow_without_memory),
        cmocka_unit_test(test_equal_entries_are_one), cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_sweep_of_few), cmocka_unit_test(test_entries_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
