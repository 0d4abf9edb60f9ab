// Fat binaries: those that nvcc made (tests/fuzz/corpus/fatbin), our own, and every way to break one.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "toolchain/binary/fatbin.h"

#ifndef HW_SOURCE_DIR
#define HW_SOURCE_DIR "."
#endif

typedef struct file {
    uint8_t bytes[16384];
    size_t length;
} file;

static file load(const char *name) {
    char path[1024];
    file loaded;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/fatbin/%s.fatbin", HW_SOURCE_DIR, name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    loaded.length = fread(loaded.bytes, 1, sizeof loaded.bytes, stream);
    fclose(stream);
    assert_true(loaded.length > 64 && loaded.length < sizeof loaded.bytes);
    return loaded;
}

// The PTX for cc, or the status that was expected instead.
static char *ptx_of(const file *from, int cc, hw_status expected, hw_fatbin_entry *entry) {
    hw_fatbin fatbin;
    hw_diag diag = {0};
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(hw_fatbin_open(from->bytes, from->length, &fatbin, &diag), HW_OK);
    assert_int_equal(hw_fatbin_ptx(&fatbin, cc, &text, &length, entry, &diag), expected);
    assert_int_equal(expected == HW_OK, diag.text[0] == '\0');
    if (expected == HW_OK) assert_int_equal(strlen(text), length);
    return text;
}

static void test_every_compression_gives_the_same_text(void **state) {
    (void)state;
    static const char *const names[] = {"plain", "lz4", "zstd"};
    static const hw_fatbin_packing packings[] = {HW_FATBIN_PLAIN, HW_FATBIN_LZ4, HW_FATBIN_ZSTD};
    file plain = load("plain");
    char *expected = ptx_of(&plain, 75, HW_OK, NULL);
    assert_non_null(strstr(expected, ".visible .entry _Z5scalePf("));
    // nvcc packed it without its comments: by what it is said to be is inferred, and says so.
    assert_non_null(strstr(expected, "\n// Likely compiled by nvcc of CUDA 13.0 (by PTX ISA 9.0)\n"));
    for (int i = 0; i < 3; i++) {
        file packed = load(names[i]);
        hw_fatbin_entry entry;
        char *text = ptx_of(&packed, 90, HW_OK, &entry);
        assert_string_equal(text, expected);
        assert_int_equal(entry.packing, packings[i]);
        assert_int_equal(entry.cc, 75);
        assert_int_equal(entry.isa_major, 9);
        assert_int_equal(entry.isa_minor, 0);
        assert_int_equal(entry.name_bytes, strlen("scale.cu"));
        assert_memory_equal(entry.name, "scale.cu", entry.name_bytes);
        assert_true(entry.options_bytes >= 20);
        assert_non_null(memmem(entry.options, entry.options_bytes, "--generate-line-info", 20));
        hw_free(text);
    }
    hw_free(expected);
}

static void test_the_best_entry_for_a_gpu(void **state) {
    (void)state;
    static const struct {
        int gpu, chosen;
        const char *target;
    } cases[] = {
        {90, 90, ".target sm_90"}, {89, 80, ".target sm_80"}, {80, 80, ".target sm_80"}, {75, 75, ".target sm_75"},
        {120, 90, ".target sm_90"}, {70, 75, ".target sm_75"}, {13, 75, ".target sm_75"},
    };
    file several = load("several");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_fatbin_entry entry;
        char *text = ptx_of(&several, cases[i].gpu, HW_OK, &entry);
        assert_int_equal(entry.cc, cases[i].chosen);
        const char *target = strstr(text, ".target");
        assert_non_null(target);
        assert_memory_equal(target, cases[i].target, strlen(cases[i].target));
        if (cases[i].gpu != 90) assert_false(entry.cc_only);
        hw_free(text);
    }
}

static void test_machine_code_only_is_told_what_to_do(void **state) {
    (void)state;
    file cubin = load("machine_code");
    hw_fatbin fatbin;
    hw_fatbin_entry entry;
    hw_diag diag = {0};
    char *text;
    size_t length, cursor = 0;
    assert_int_equal(hw_fatbin_open(cubin.bytes, cubin.length, &fatbin, &diag), HW_OK);
    assert_int_equal(hw_fatbin_ptx(&fatbin, 90, &text, &length, NULL, &diag), HW_NOT_FOUND);
    assert_non_null(strstr(diag.text, "-gencode arch=compute_75,code=compute_75"));

    diag = (hw_diag){0};
    assert_int_equal(hw_fatbin_next(&fatbin, &cursor, &entry, &diag), HW_OK);
    assert_int_equal(entry.kind, HW_FATBIN_CUBIN);
    assert_int_equal(hw_fatbin_unpack(&entry, &text, &length, &diag), HW_OK);
    assert_memory_equal(text, "\177ELF", 4);
    assert_int_equal(length, entry.unpacked_bytes);
    hw_free(text);
    assert_int_equal(hw_fatbin_next(&fatbin, &cursor, &entry, &diag), HW_NOT_FOUND);

    // GPUs of the same generation that are not older take it, others do not.
    const int cc = entry.cc;
    for (int gpu = cc - 10; gpu <= cc + 10; gpu++) {
        const bool runs = gpu >= cc && gpu / 10 == cc / 10;
        assert_int_equal(hw_fatbin_machine_code(&fatbin, gpu, &text, &length, &entry, NULL),
                         runs ? HW_OK : HW_NOT_FOUND);
        if (!runs) continue;
        assert_int_equal(entry.cc, cc);
        hw_free(text);
    }
}

static void test_what_is_written_can_be_read(void **state) {
    (void)state;
    static const char ptx[] = "//\n.version 8.5\n.target sm_89\n.address_size 64\n.visible .entry k() { ret; }\n";
    for (size_t cut = 0; cut < 9; cut++) {
        file made = {.length = 0};
        uint8_t *bytes;
        size_t length = sizeof ptx - 1 - cut;
        hw_fatbin_entry entry;
        assert_int_equal(hw_fatbin_write(ptx, length, 89, cut & 1 ? "k.cu" : NULL, &bytes, &made.length, NULL), HW_OK);
        assert_true(made.length <= sizeof made.bytes);
        memcpy(made.bytes, bytes, made.length);
        hw_free(bytes);
        char *text = ptx_of(&made, 90, HW_OK, &entry);
        assert_int_equal(strlen(text), length);
        assert_memory_equal(text, ptx, length);
        assert_int_equal(entry.isa_major, 8);
        assert_int_equal(entry.isa_minor, 5);
        assert_int_equal(entry.cc, 89);
        assert_int_equal(entry.name_bytes, cut & 1 ? 4 : 0);
        assert_int_equal(made.length % 8, 0);
        hw_free(text);
    }
}

static void test_text_without_a_version_has_none(void **state) {
    (void)state;
    static const char *const texts[] = {"", ".version", ".version ", ".version 99999999999.7", "x"};
    for (int i = 0; i < 5; i++) {
        uint8_t *bytes;
        size_t length;
        assert_int_equal(hw_fatbin_write(texts[i], strlen(texts[i]), 75, NULL, &bytes, &length, NULL), HW_OK);
        hw_free(bytes);
    }
}

// Reads everything there is; the result does not matter, staying inside does (AddressSanitizer watches).
static void read_all(const uint8_t *bytes, size_t length) {
    uint8_t *copy = malloc(length ? length : 1);    // exactly as large, so that one byte too far is seen
    hw_fatbin fatbin;
    hw_fatbin_entry entry;
    size_t cursor = 0, text_length;
    char *text;
    memcpy(copy, bytes, length);
    if (hw_fatbin_open(copy, length, &fatbin, NULL) == HW_OK) {
        while (hw_fatbin_next(&fatbin, &cursor, &entry, NULL) == HW_OK) {
            for (size_t i = 0; i < entry.name_bytes; i++) assert_true(entry.name[i] || 1);
            for (size_t i = 0; i < entry.options_bytes; i++) assert_true(entry.options[i] || 1);
            if (hw_fatbin_unpack(&entry, &text, &text_length, NULL) == HW_OK) hw_free(text);
        }
        if (hw_fatbin_ptx(&fatbin, 90, &text, &text_length, NULL, NULL) == HW_OK) hw_free(text);
    }
    free(copy);
}

static void test_truncated_anywhere(void **state) {
    (void)state;
    static const char *const names[] = {"plain", "lz4", "zstd", "several"};
    for (int i = 0; i < 4; i++) {
        file whole = load(names[i]);
        for (size_t length = 0; length < whole.length; length++) {
            hw_fatbin fatbin;
            hw_diag diag = {0};
            assert_int_equal(hw_fatbin_open(whole.bytes, length, &fatbin, &diag), HW_MALFORMED);
            assert_true(diag.text[0]);
        }
    }
}

static void test_every_header_byte_damaged(void **state) {
    (void)state;
    static const char *const names[] = {"plain", "lz4", "zstd", "several"};
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (int i = 0; i < 4; i++) {
        file whole = load(names[i]);
        size_t most = whole.length < 400 ? whole.length : 400;
        for (size_t at = 0; at < most; at++)
            for (size_t v = 0; v < sizeof values; v++) {
                file damaged = whole;
                damaged.bytes[at] = values[v];
                read_all(damaged.bytes, damaged.length);
            }
    }
}

static void test_damaged_sizes_are_malformed(void **state) {
    (void)state;
    // Where in zstd.fatbin, and what: sizes that lie about the payload.
    static const struct {
        size_t at;
        uint32_t value;
        hw_status status;
    } cases[] = {
        {0, 0xBA55ED51u, HW_MALFORMED},            // magic
        {4, 0x00100002u, HW_MALFORMED},            // version
        {16 + 4, 63, HW_MALFORMED},                // entry header too small
        {16 + 4, 0xffffffffu, HW_MALFORMED},       // and too large
        {16 + 8, 0xffffffffu, HW_MALFORMED},       // payload
        {16 + 16, 0x7fffffffu, HW_MALFORMED},      // compressed bytes
        {16 + 56, 0xffffffffu, HW_MALFORMED},      // unpacked bytes: refused before they are allocated
        {16 + 56, 10, HW_MALFORMED},               // too few
        {16 + 40, 0x1011u, HW_UNSUPPORTED},        // an old compression
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        file damaged = load("zstd");
        memcpy(damaged.bytes + cases[i].at, &cases[i].value, 4);
        hw_fatbin fatbin;
        hw_diag diag = {0};
        char *text;
        size_t length;
        hw_status status = hw_fatbin_open(damaged.bytes, damaged.length, &fatbin, &diag);
        if (status == HW_OK) status = hw_fatbin_ptx(&fatbin, 75, &text, &length, NULL, &diag);
        assert_int_equal(status, cases[i].status);
        assert_true(diag.text[0]);
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    file zstd = load("zstd");
    hw_fatbin fatbin;
    hw_diag diag = {0};
    char *text;
    uint8_t *bytes;
    size_t length;
    assert_int_equal(hw_fatbin_open(zstd.bytes, zstd.length, &fatbin, &diag), HW_OK);
    hw_alloc_fail_after(0);
    hw_status read = hw_fatbin_ptx(&fatbin, 75, &text, &length, NULL, &diag);
    hw_status written = hw_fatbin_write("x", 1, 75, NULL, &bytes, &length, NULL);
    hw_alloc_fail_after(-1);
    assert_int_equal(read, HW_NO_MEMORY);
    assert_int_equal(written, HW_NO_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_compression_gives_the_same_text),
        cmocka_unit_test(test_the_best_entry_for_a_gpu),
        cmocka_unit_test(test_machine_code_only_is_told_what_to_do),
        cmocka_unit_test(test_what_is_written_can_be_read),
        cmocka_unit_test(test_text_without_a_version_has_none),
        cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_every_header_byte_damaged),
        cmocka_unit_test(test_damaged_sizes_are_malformed),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
