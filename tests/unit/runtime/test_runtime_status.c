// status.def: each way in which a call fails once, with numbers that CUDA gives those names, and every error that the
// door of libcudart names.
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/status.h"

// A whole file, for as long as the test that reads it goes on.
static const char *read_text(const char *path) {
    static char text[1 << 18];
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    assert_true(length < sizeof text - 1);
    text[length] = '\0';
    fclose(file);
    return text;
}

// By the door's own table of all of CUDA's errors.
static int number_of(const char *name) {
    char row[80];
    int number = -1;
    snprintf(row, sizeof row, "HW_ERROR(%s, ", name);
    const char *found = strstr(read_text(HW_SOURCE_DIR "/shim/cudart/error.def"), row);
    if (!found || sscanf(found + strlen(row), "%d", &number) != 1) fail_msg("%s is no row of error.def", name);
    return number;
}

static void test_rows(void **state) {
    (void)state;
    for (int i = 0; i < HW_RT_STATUSES; i++) {
        const hw_rt_status_row *row = &hw_rt_status_rows[i];
        assert_int_equal(row->cudart_11_number, number_of(row->cudart_11));
        assert_int_equal(row->cudart_13_number, number_of(row->cudart_13));
        assert_int_equal(strncmp(row->driver, "CUDA_", 5), 0);
        assert_true(row->meaning[0] && row->meaning[strlen(row->meaning) - 1] != '.');
        for (int k = 0; k < i; k++) {
            const hw_rt_status_row *other = &hw_rt_status_rows[k];
            assert_string_not_equal(row->id, other->id);
            assert_string_not_equal(row->meaning, other->meaning);
            // A name has one number, and a number one name.
            assert_int_equal(strcmp(row->driver, other->driver) == 0, row->driver_number == other->driver_number);
        }
    }
    assert_string_equal(hw_rt_status_rows[HW_RT_SUCCESS].id, "SUCCESS");
    assert_int_equal(HW_RT_SUCCESS, 0);
}

// Two failures that are one error by every interface would be one failure: but for those that CUDA's runtime tells
// apart in some version.
static void test_rows_differ(void **state) {
    (void)state;
    for (int i = 0; i < HW_RT_STATUSES; i++)
        for (int k = 0; k < i; k++) {
            const hw_rt_status_row *a = &hw_rt_status_rows[i], *b = &hw_rt_status_rows[k];
            if (a->cudart_11_number == b->cudart_11_number && a->cudart_13_number == b->cudart_13_number &&
                a->driver_number == b->driver_number)
                fail_msg("%s and %s are one", a->id, b->id);
        }
}

static bool is_in_table(const char *name) {
    for (int i = 0; i < HW_RT_STATUSES; i++)
        if (!strcmp(name, hw_rt_status_rows[i].cudart_11) || !strcmp(name, hw_rt_status_rows[i].cudart_13)) return true;
    return false;
}

// Every cudaErrorX in a text; how many there were.
static int check_names(const char *path, const char *text) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, "cudaError")); n++) {
        char name[64];
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        if (strcmp(name, "cudaError_t") != 0 && !is_in_table(name)) fail_msg("%s: %s is in no row", path, name);
    }
    return n;
}

static void test_door(void **state) {
    (void)state;
    glob_t found;
    int n = 0;
    assert_int_equal(glob(HW_SOURCE_DIR "/shim/cudart/*.[ch]", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        n += check_names(found.gl_pathv[i], read_text(found.gl_pathv[i]));
    assert_true(n > 100);
    globfree(&found);
}

static void test_status_of(void **state) {
    (void)state;
    assert_int_equal(hw_rt_status_of(HW_OK), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_status_of(HW_NO_MEMORY), HW_RT_NO_MEMORY);
    assert_int_equal(hw_rt_status_of(HW_MALFORMED), HW_RT_INVALID_PTX);
    for (int status = HW_NO_MEMORY; status <= HW_NOT_FOUND; status++)
        assert_int_not_equal(hw_rt_status_of((hw_status)status), HW_RT_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_rows_differ), cmocka_unit_test(test_door),
        cmocka_unit_test(test_status_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
