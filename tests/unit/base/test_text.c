// Text that is put together piece by piece: cut to the character where the caller's memory ends, whole where it grows,
// and NULL, without a leak, where memory runs out on the way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"

static void test_fixed(void **state) {
    (void)state;
    char bytes[9] = "xxxxxxxx";
    hw_text text = hw_text_in(bytes, 8);
    assert_string_equal(bytes, "");
    hw_text_put(&text, "%s", "four");
    hw_text_put(&text, "%d", 123);
    assert_string_equal(bytes, "four123");   // full to the NUL
    assert_int_equal(text.used, 7);
    hw_text_put(&text, "more");
    assert_string_equal(bytes, "four123");
    text = hw_text_in(bytes, 8);
    hw_text_put(&text, "%s", "longer than the memory");
    assert_string_equal(bytes, "longer ");
    assert_int_equal(text.used, 7);
    assert_int_equal(bytes[8], 0);           // the array's own last byte, which no text was given
}

static void test_no_bytes(void **state) {
    (void)state;
    char byte = 'x';
    hw_text text = hw_text_in(&byte, 0);
    hw_text_put(&text, "anything");
    assert_int_equal(text.used, 0);
    assert_int_equal(byte, 'x');
}

static void test_appended(void **state) {
    (void)state;
    char bytes[8] = "ab";
    hw_text_append(bytes, sizeof bytes, "%s", "cd");
    assert_string_equal(bytes, "abcd");
    hw_text_append(bytes, sizeof bytes, "%d", 12345);
    assert_string_equal(bytes, "abcd123");
    hw_text_append(bytes, sizeof bytes, "x");
    assert_string_equal(bytes, "abcd123");
}

// Pieces of many lengths, so that some end just before, at and behind the end of what is allocated.
static void test_growing(void **state) {
    (void)state;
    enum { PIECES = 300 };
    static char piece[PIECES + 1], expected[PIECES * PIECES];
    hw_text text = hw_text_growing();
    size_t length = 0;
    for (int i = 0; i < PIECES; i++) {
        memset(piece, 'a' + i % 26, (size_t)i);
        piece[i] = 0;
        hw_text_put(&text, "%s", piece);
        memcpy(expected + length, piece, (size_t)i + 1);
        length += (size_t)i;
    }
    assert_int_equal(text.used, length);
    char *made = hw_text_finish(&text);
    assert_string_equal(made, expected);
    hw_free(made);
    text = hw_text_growing();
    made = hw_text_finish(&text);
    assert_string_equal(made, "");
    hw_free(made);
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 3; successes++) {
        hw_text text = hw_text_growing();
        hw_alloc_fail_after(successes);
        for (int i = 0; i < 100; i++) hw_text_put(&text, "%01000d", i);
        hw_alloc_fail_after(-1);
        hw_text_put(&text, "%s", "too late");
        assert_true(text.ran_out);
        assert_null(hw_text_finish(&text));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed),   cmocka_unit_test(test_no_bytes),      cmocka_unit_test(test_appended),
        cmocka_unit_test(test_growing), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
