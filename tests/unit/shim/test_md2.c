// MD2 by the test suite of RFC 1319, appendix A.5, and HMAC by its definition.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shim/cuda/md2.c"   // part of a library that exports nothing of it

static void as_text(const uint8_t digest[HW_MD2_BYTES], char text[2 * HW_MD2_BYTES + 1]) {
    for (int i = 0; i < HW_MD2_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

static void test_digests(void **state) {
    (void)state;
    static const struct { const char *text, *digest; } cases[] = {
        {"", "8350e5a3e24c153df2275c9f80692773"},
        {"a", "32ec01ec4a6dac72c0ab96fb34c0b5d1"},
        {"abc", "da853b0d3f88d99b30283a69e6ded6bb"},
        {"abcdefghijklmnopqrstuvwxyz", "4e8ddff3650292ab5a4108c3aa47940b"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "d5976f79d83d3a0dc9806c3c66f3efd8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hw_md2 md2 = {.n = 0};
        uint8_t digest[HW_MD2_BYTES];
        char text[2 * HW_MD2_BYTES + 1];
        const size_t length = strlen(cases[i].text);
        hw_md2_add(&md2, cases[i].text, length / 3);   // in two parts
        hw_md2_add(&md2, cases[i].text + length / 3, length - length / 3);
        hw_md2_end(&md2, digest);
        as_text(digest, text);
        assert_string_equal(text, cases[i].digest);
    }
}

// H((K ^ 5c) || H((K ^ 36) || text)), RFC 2104.
static void test_hmac(void **state) {
    (void)state;
    static const char word[] = "what is said";
    uint8_t key[HW_MD2_BYTES], inner[HW_MD2_BYTES], expected[HW_MD2_BYTES], got[HW_MD2_BYTES];
    hw_md2 first = {.n = 0}, second = {.n = 0};
    for (uint8_t mask, i = 0; i < HW_MD2_BYTES; i++) {
        key[i] = (uint8_t)(i * 11);
        mask = key[i] ^ 0x36;
        hw_md2_add(&first, &mask, 1);
        mask = key[i] ^ 0x5c;
        hw_md2_add(&second, &mask, 1);
    }
    hw_md2_add(&first, word, sizeof word);
    hw_md2_end(&first, inner);
    hw_md2_add(&second, inner, sizeof inner);
    hw_md2_end(&second, expected);
    hw_md2_hmac(key, word, sizeof word, got);
    assert_memory_equal(got, expected, sizeof got);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_digests), cmocka_unit_test(test_hmac)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
