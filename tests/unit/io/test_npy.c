// .npy files: what NumPy wrote (tests/data/npy) is understood, what we write is NumPy's to the byte, and nothing broken
// gets through. Files that are made are whole or not there.
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "io/npy.h"

#ifndef HW_SOURCE_DIR
#define HW_SOURCE_DIR "."
#endif

static char folder[] = "/tmp/test_npy.XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);   // fails when a test has left something behind
}

static const char *in_folder(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *numpys(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/npy/%s.npy", HW_SOURCE_DIR, name);
    return path;
}

typedef struct file {
    uint8_t bytes[2048];
    size_t length;
} file;

static file load(const char *path) {
    file loaded;
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    loaded.length = fread(loaded.bytes, 1, sizeof loaded.bytes, stream);
    fclose(stream);
    assert_true(loaded.length < sizeof loaded.bytes);
    return loaded;
}

static void store(const char *path, const void *bytes, size_t length) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

// A file of version major.0 around a dictionary.
static file around(int major, const char *dictionary, size_t data_bytes) {
    file made = {.length = 0};
    size_t length = strlen(dictionary), prefix = major == 1 ? 10 : 12;
    assert_true(prefix + length + data_bytes < sizeof made.bytes);
    memcpy(made.bytes, "\x93NUMPY", 6);
    made.bytes[6] = (uint8_t)major;
    made.bytes[8] = (uint8_t)length;
    made.bytes[9] = (uint8_t)(length >> 8);
    memcpy(made.bytes + prefix, dictionary, length);
    for (size_t i = 0; i < data_bytes; i++) made.bytes[prefix + length + i] = (uint8_t)i;
    made.length = prefix + length + data_bytes;
    return made;
}

// ---- Headers --------------------------------------------------------------------------------------------------------

static void test_headers_of_numpy(void **state) {
    (void)state;
    static const struct {
        const char *name, *descr;
        uint32_t elem_bytes, swap_bytes;
        int code, rank;
        int64_t shape[16];
        bool fortran;
    } rows[] = {
        {"f4", "<f4", 4, 0, kDLFloat, 2, {3, 4}, false},
        {"f8_fortran", "<f8", 8, 0, kDLFloat, 3, {2, 3, 4}, true},
        {"f8_fortran_transposed", "<f8", 8, 0, kDLFloat, 3, {4, 3, 2}, false},
        {"i2_big", ">i2", 2, 2, kDLInt, 2, {5, 2}, false},
        {"c16_big", ">c16", 16, 8, kDLComplex, 2, {2, 2}, false},
        {"u1", "|u1", 1, 0, kDLUInt, 1, {7}, false},
        {"bool_scalar", "|b1", 1, 0, kDLUInt, 0, {0}, false},
        {"f2_empty", "<f2", 2, 0, kDLFloat, 2, {0, 3}, false},
        {"text", "<U2", 8, 0, kDLUInt, 2, {1, 3}, false},
        {"bytes", "|S8", 8, 0, kDLUInt, 1, {2}, false},
        {"void", "|V4", 4, 0, kDLUInt, 1, {2}, false},
        {"times", "<M8[ns]", 8, 0, kDLInt, 1, {2}, false},
        {"rank5", "<i8", 8, 0, kDLInt, 5, {2, 1, 3, 2, 2}, false},
        {"rank16", "|u1", 1, 0, kDLUInt, 16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, false},
        {"version2", "<u2", 2, 0, kDLUInt, 2, {3, 4}, false},
        {"version3", "<u2", 2, 0, kDLUInt, 2, {3, 4}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        file numpy = load(numpys(rows[i].name));
        hw_npy_header header;
        char text[HW_NPY_HEADER_BYTES];
        assert_int_equal(hw_npy_header_parse(numpy.bytes, numpy.length, "f", &header, NULL), HW_OK);
        assert_string_equal(header.descr, rows[i].descr);
        assert_int_equal(header.elem_bytes, rows[i].elem_bytes);
        assert_int_equal(header.swap_bytes, rows[i].swap_bytes);
        assert_int_equal(header.dtype.code, rows[i].code);
        assert_int_equal(header.dtype.bits, rows[i].elem_bytes * 8);
        assert_int_equal(header.rank, rows[i].rank);
        for (int k = 0; k < header.rank; k++) assert_int_equal(header.shape[k], rows[i].shape[k]);
        assert_int_equal(header.fortran_order, rows[i].fortran);
        assert_int_equal(header.data_offset + header.data_bytes, numpy.length);
        // What we write for the same array is what NumPy wrote.
        if (rows[i].fortran || strncmp(rows[i].name, "version", 7) == 0) continue;
        assert_int_equal(hw_npy_header_format(&header, text), header.data_offset);
        assert_memory_equal(text, numpy.bytes, header.data_offset);
    }
}

static void test_headers_that_are_written_differently(void **state) {
    (void)state;
    static const struct {
        const char *dictionary, *descr;
    } rows[] = {
        {"{'shape': (3, 4), 'fortran_order': False, 'descr': '<f4'}", "<f4"},
        {"  {\"descr\" :\"f4\" , \"fortran_order\":True,\"shape\":( 3,4 ,)} \n", "<f4"},
        {"{'descr': '=f4', 'fortran_order': False, 'shape': (3L, 4L), }\n", "<f4"},
        {"{'descr': '|f4', 'fortran_order': False, 'shape': (3, 4), }", "<f4"},
        {"{'descr': '<i1', 'fortran_order': False, 'shape': (3, 4, 4), }", "|i1"},
        {"{'descr': '<V2', 'fortran_order': False, 'shape': (6, 4), }", "|V2"},
        {"{'descr': '>m8', 'fortran_order': False, 'shape': (6, 1), }", ">m8"},
        {"{'descr': '>M8[25us/3]', 'fortran_order': False, 'shape': (6, 1), }", ">M8[25us/3]"},
        {"{'descr': '>U4', 'fortran_order': False, 'shape': (3,), }", ">U4"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }", "<f16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        file made = around(1, rows[i].dictionary, 48);
        hw_npy_header header;
        hw_diag diag = {0};
        assert_int_equal(hw_npy_header_parse(made.bytes, made.length, "f", &header, &diag), HW_OK);
        assert_string_equal(header.descr, rows[i].descr);
        assert_int_equal(header.data_bytes, 48);
    }
}

#define NPY(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static void test_headers_that_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *dictionary;
        hw_status status;
        const char *says;
    } rows[] = {
        {NPY("'|O'", "False", "(2,)"), HW_UNSUPPORTED, "dtype '|O' holds Python objects"},
        {NPY("[('x', '<f4'), ('n', '<i4')]", "False", "(2,)"), HW_UNSUPPORTED, "has fields"},
        {NPY("('<f4', (2,))", "False", "(2,)"), HW_UNSUPPORTED, "has fields, and plain elements are needed: ('<f4', "},
        {NPY("'<f12'", "False", "(2,)"), HW_UNSUPPORTED, "'<f12' has elements of 12 bytes"},
        {NPY("'|S3'", "False", "(2,)"), HW_UNSUPPORTED, "elements of 3 bytes"},
        {NPY("'|S0'", "False", "(2,)"), HW_UNSUPPORTED, "elements of 0 bytes"},
        {NPY("'<U1000000000'", "False", "(2,)"), HW_UNSUPPORTED, "dtype"},
        {NPY("'<U536870912'", "False", "(2,)"), HW_UNSUPPORTED, "elements of 2147483648 bytes"},
        {NPY("'<c32'", "False", "(2,)"), HW_UNSUPPORTED, "elements of 32 bytes"},
        {NPY("'<i16'", "False", "(2,)"), HW_UNSUPPORTED, "not one that NumPy has"},
        {NPY("'<f1'", "False", "(2,)"), HW_UNSUPPORTED, "not one that NumPy has"},
        {NPY("'float32'", "False", "(2,)"), HW_UNSUPPORTED, "'float32' is not one that Halfwarp knows"},
        {NPY("'<f4x'", "False", "(2,)"), HW_UNSUPPORTED, "is not one that Halfwarp knows"},
        {NPY("'<M8[\\x1b]'", "False", "(2,)"), HW_MALFORMED, "dtype is no string"},
        {NPY("'<M8[n s]'", "False", "(2,)"), HW_UNSUPPORTED, "is not one that Halfwarp knows"},
        {NPY("''", "False", "(2,)"), HW_UNSUPPORTED, "is not one that Halfwarp knows"},
        {NPY("'<'", "False", "(2,)"), HW_UNSUPPORTED, "is not one that Halfwarp knows"},
        {NPY("'<f4", "False", "(2,)"), HW_UNSUPPORTED, "'<f4, ' is not one that Halfwarp knows"},
        {NPY("'<f44444444444444444444444444444444444444444444'", "False", "(2,)"), HW_MALFORMED, "dtype is no string"},
        {NPY("3", "False", "(2,)"), HW_MALFORMED, "dtype is no string"},
        {NPY("'<f4'", "0", "(2,)"), HW_MALFORMED, "neither True nor False"},
        {NPY("'<f4'", "False", "(2)"), HW_MALFORMED, "no tuple"},
        {NPY("'<f4'", "False", "[2]"), HW_MALFORMED, "no tuple"},
        {NPY("'<f4'", "False", "2"), HW_MALFORMED, "no tuple"},
        {NPY("'<f4'", "False", "(,)"), HW_MALFORMED, "no tuple"},
        {NPY("'<f4'", "False", "(2,,3)"), HW_MALFORMED, "no tuple"},
        {NPY("'<f4'", "False", "(2 3)"), HW_MALFORMED, "no tuple"},
        {NPY("'<f4'", "False", "(2.5,)"), HW_MALFORMED, "no tuple"},
        {NPY("'<f4'", "False", "(-2,)"), HW_MALFORMED, "negative"},
        {NPY("'<f4'", "False", "(9223372036854775808,)"), HW_MALFORMED, "overflows"},
        {NPY("'<f4'", "False", "(9223372036854775807,)"), HW_MALFORMED, "overflows"},
        {NPY("'<f4'", "False", "(4294967296, 4294967296)"), HW_MALFORMED, "overflows"},
        {NPY("'<f4'", "False", "(4294967296, 0, 4294967296)"), HW_MALFORMED, "overflows"},
        {NPY("'|u1'", "False", "(9223372036854775807,)"), HW_MALFORMED, "overflows"},
        {NPY("'<f4'", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), HW_UNSUPPORTED,
         "more than 32 axes"},
        {NPY("'<f4'", "False", "(2,)") " x", HW_MALFORMED, "something follows its dictionary"},
        {"{'descr': '<f4', 'fortran_order': False}", HW_MALFORMED, "its keys are not"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", HW_MALFORMED, "its keys are not"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", HW_MALFORMED, "its keys are not"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", HW_MALFORMED, "no dictionary"},
        {"{'descr' '<f4'}", HW_MALFORMED, "no dictionary"},
        {"{descr: '<f4'}", HW_MALFORMED, "no dictionary"},
        {"{}", HW_MALFORMED, "its keys are not"},
        {"{", HW_MALFORMED, "no dictionary"},
        {"", HW_MALFORMED, "no dictionary"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int major = 1; major <= 3; major++) {
            file made = around(major, rows[i].dictionary, 8);
            hw_npy_header header;
            hw_diag diag = {0};
            hw_status status = hw_npy_header_parse(made.bytes, made.length, "some.npy", &header, &diag);
            if (status != rows[i].status || !strstr(diag.text, rows[i].says))
                fail_msg("%s: status %d, '%s'", rows[i].dictionary, status, diag.text);
            assert_string_equal(diag.file, "some.npy");
        }
    file python3 = around(3, NPY("'<f4'", "False", "(2L,)"), 8);
    hw_npy_header header;
    assert_int_equal(hw_npy_header_parse(python3.bytes, python3.length, "f", &header, NULL), HW_MALFORMED);
}

// Of a dtype with fields the message has it and no more, or its beginning.
static void test_fields_are_shown(void **state) {
    (void)state;
    static const char *const dtypes[][2] = {
        {"[('x', '<f4'), ('n', '<i4', (2,))]", "[('x', '<f4'), ('n', '<i4', (2,))]"},
        {"('<f4', (2,))", "('<f4', (2,))"},
        {"[('a long name', '<f4'), ('another long name', '<f4'), ('and one more', '<f4'), ('n', '<f4')]",
         "[('a long name', '<f4'), ('another long name', '<f4'), ('and one more', '<f4'),..."},
        {"[('x'", "[('x', 'fortran_order': False, 'shape': (2,), }"},
    };
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        char dictionary[200];
        hw_npy_header ignored;
        hw_diag diag = {0};
        snprintf(dictionary, sizeof dictionary, "{'descr': %s, 'fortran_order': False, 'shape': (2,), }", dtypes[i][0]);
        file made = around(1, dictionary, 8);
        assert_int_equal(hw_npy_header_parse(made.bytes, made.length, "some.npy", &ignored, &diag), HW_UNSUPPORTED);
        const char *shown = strstr(diag.text, "needed: ");
        assert_non_null(shown);
        const size_t length = strlen(dtypes[i][1]);
        if (strncmp(shown + 8, dtypes[i][1], length) || (i < 3 && strlen(shown + 8) != length))
            fail_msg("'%s'", diag.text);
    }
}

static void test_files_that_are_something_else(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        hw_status status;
        const char *says;
    } rows[] = {
        {"PK\3\4 an archive", 15, HW_MALFORMED, ".npz archive"},
        {"P6 16 16 255 ", 13, HW_MALFORMED, "not a .npy file"},
        {"\x93NUMPX\1\0\0\0\0\0", 12, HW_MALFORMED, "not a .npy file"},
        {"\x93NUM", 4, HW_MALFORMED, "cut short"},
        {"\x93NUMPY\1\0\4\0{", 11, HW_MALFORMED, "cut short"},
        {"\x93NUMPY\1\0\xff\xff{}", 12, HW_MALFORMED, "cut short"},
        {"\x93NUMPY\2\0\xff\xff\xff\xff", 12, HW_MALFORMED, "cut short"},
        {"\x93NUMPY\1\0\0\0\n\n", 12, HW_MALFORMED, "no dictionary"},
        {"\x93NUMPY\4\0\4\0\0\0", 12, HW_UNSUPPORTED, "format 4.0"},
        {"\x93NUMPY\1\1\4\0\0\0", 12, HW_UNSUPPORTED, "format 1.1"},
        {"\x93NUMPY\0\0\4\0\0\0", 12, HW_UNSUPPORTED, "format 0.0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hw_npy_header header;
        hw_diag diag = {0};
        assert_int_equal(hw_npy_header_parse(rows[i].bytes, rows[i].length, "f", &header, &diag), rows[i].status);
        assert_non_null(strstr(diag.text, rows[i].says));
    }
}

// ---- In -------------------------------------------------------------------------------------------------------------

static void test_a_file_is_mapped(void **state) {
    (void)state;
    hw_npy npy;
    hw_diag diag = {0};
    assert_int_equal(hw_npy_open(numpys("f4"), &npy, &diag), HW_OK);
    assert_non_null(npy.map);
    assert_int_equal(npy.tensor.ndim, 2);
    assert_null(npy.tensor.strides);
    assert_int_equal(npy.tensor.device.device_type, kDLCPU);
    const float *f4 = npy.tensor.data;
    for (int i = 0; i < 12; i++) assert_true(f4[i] == (float)i);
    hw_npy_close(&npy);

    assert_int_equal(hw_npy_open(numpys("f8_fortran"), &npy, &diag), HW_OK);
    const double *f8 = npy.tensor.data;
    assert_non_null(npy.tensor.strides);
    for (int64_t i = 0; i < 2; i++)
        for (int64_t j = 0; j < 3; j++)
            for (int64_t k = 0; k < 4; k++) {
                const int64_t *s = npy.tensor.strides;
                assert_true(f8[i * s[0] + j * s[1] + k * s[2]] == (double)((i * 3 + j) * 4 + k));
            }
    hw_npy_close(&npy);
    hw_npy_close(&npy);
}

static void test_wrong_lengths(void **state) {
    (void)state;
    file whole = load(numpys("f4"));
    const char *path = in_folder("cut.npy");
    for (size_t length = 0; length < whole.length; length++) {
        hw_npy npy;
        hw_diag diag = {0};
        store(path, whole.bytes, length);
        assert_int_equal(hw_npy_open(path, &npy, &diag), HW_MALFORMED);
        assert_non_null(strstr(diag.text, length ? "cut short" : "empty"));
        assert_string_equal(diag.file, path);
        assert_null(npy.map);
    }
    hw_npy npy;
    hw_diag diag = {0};
    store(path, whole.bytes, whole.length + 3);
    assert_int_equal(hw_npy_open(path, &npy, &diag), HW_MALFORMED);
    assert_string_equal(diag.text, "3 bytes follow its array");
    store(path, whole.bytes, whole.length + 1);
    diag = (hw_diag){0};
    assert_int_equal(hw_npy_open(path, &npy, &diag), HW_MALFORMED);
    assert_string_equal(diag.text, "1 byte follows its array");
    unlink(path);
}

static void test_data_at_an_odd_place_is_copied(void **state) {
    (void)state;
    static const char *const dictionaries[] = {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), } ",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }      "};
    const char *path = in_folder("odd.npy");
    for (int i = 0; i < 3; i++) {
        file made = around(1, dictionaries[i], 48);
        hw_npy npy;
        hw_diag diag = {0};
        store(path, made.bytes, made.length);
        assert_int_equal(hw_npy_open(path, &npy, &diag), HW_OK);
        assert_int_equal((uintptr_t)npy.tensor.data % 8, 0);
        for (int k = 0; k < 48; k++) assert_int_equal(((uint8_t *)npy.tensor.data)[k], k);
        hw_npy_close(&npy);
    }
    unlink(path);
}

// Opens bytes through a pipe.
static hw_status open_piped(const file *bytes, hw_npy *npy, hw_diag *diag) {
    int ends[2];
    char name[64];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes->bytes, bytes->length), (ssize_t)bytes->length);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
    int end = open(name, O_RDONLY);
    snprintf(name, sizeof name, "/proc/self/fd/%d", end);
    close(ends[1]);
    hw_status status = hw_npy_open(name, npy, diag);
    close(ends[0]);
    close(end);
    return status;
}

static void test_a_pipe_is_read(void **state) {
    (void)state;
    hw_npy npy;
    hw_diag diag = {0};
    file whole = load(numpys("f4"));
    assert_int_equal(open_piped(&whole, &npy, &diag), HW_OK);
    assert_null(npy.map);
    for (int i = 0; i < 12; i++) assert_true(((float *)npy.tensor.data)[i] == (float)i);
    hw_npy_close(&npy);

    file empty = load(numpys("f2_empty"));
    assert_int_equal(open_piped(&empty, &npy, &diag), HW_OK);
    assert_int_equal(npy.tensor.shape[1], 3);
    hw_npy_close(&npy);

    for (size_t length = 0; length < whole.length; length++) {
        file cut = whole;
        diag = (hw_diag){0};
        cut.length = length;
        assert_int_equal(open_piped(&cut, &npy, &diag), HW_MALFORMED);
        assert_non_null(strstr(diag.text, length ? "cut short" : "empty"));
        assert_null(npy.memory);
    }
    whole.length++;
    diag = (hw_diag){0};
    assert_int_equal(open_piped(&whole, &npy, &diag), HW_MALFORMED);
    assert_non_null(strstr(diag.text, "follows its array"));

    // Terabytes promised, some bytes sent.
    file liar = around(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", 64);
    diag = (hw_diag){0};
    assert_int_equal(open_piped(&liar, &npy, &diag), HW_MALFORMED);
    file long_header = {.bytes = "\x93NUMPY\2\0\xff\xff\xff\xff", .length = 12};
    diag = (hw_diag){0};
    assert_int_equal(open_piped(&long_header, &npy, &diag), HW_MALFORMED);
    assert_non_null(strstr(diag.text, "its length is"));
}

static void test_what_cannot_be_opened(void **state) {
    (void)state;
    hw_npy npy;
    hw_diag diag = {0};
    assert_int_equal(hw_npy_open(in_folder("absent.npy"), &npy, &diag), HW_IO);
    assert_string_equal(diag.text, "cannot be read: No such file or directory");
    diag = (hw_diag){0};
    assert_int_equal(hw_npy_open(folder, &npy, &diag), HW_IO);
    assert_string_equal(diag.text, "is a folder");
}

// ---- Out ------------------------------------------------------------------------------------------------------------

static hw_npy_header header_of(const char *name) {
    file numpy = load(numpys(name));
    hw_npy_header header;
    assert_int_equal(hw_npy_header_parse(numpy.bytes, numpy.length, name, &header, NULL), HW_OK);
    return header;
}

// Makes what NumPy made, at path.
static hw_status copy_numpys(const char *name, const char *path, const hw_npy *input, hw_diag *diag) {
    file numpy = load(numpys(name));
    hw_npy_header header = header_of(name);
    hw_npy_output output;
    hw_status status = hw_npy_create(path, &header, input, &output, diag);
    if (status) return status;
    assert_int_equal((uintptr_t)output.tensor.data % 16, 0);
    memcpy(output.tensor.data, numpy.bytes + header.data_offset, header.data_bytes);
    return hw_npy_commit(&output, diag);
}

static void test_what_is_written_is_numpys(void **state) {
    (void)state;
    static const char *const names[] = {"f4",       "i2_big", "c16_big", "u1",   "bool_scalar",
                                        "f2_empty", "text",   "times",   "rank5"};
    const char *path = in_folder("out.npy");
    mode_t mask = umask(027);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hw_diag diag = {0};
        assert_int_equal(copy_numpys(names[i], path, NULL, &diag), HW_OK);
        file made = load(path), numpy = load(numpys(names[i]));
        assert_int_equal(made.length, numpy.length);
        assert_memory_equal(made.bytes, numpy.bytes, numpy.length);
    }
    umask(mask);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    unlink(path);
}

static void test_an_older_file_stays_until_the_new_one_is_whole(void **state) {
    (void)state;
    const char *path = in_folder("old.npy");
    hw_npy_header header = header_of("f4");
    hw_npy_output output;
    hw_diag diag = {0};
    struct stat info;
    store(path, "old", 3);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(hw_npy_create(path, &header, NULL, &output, &diag), HW_OK);
    assert_int_equal(access(output.temporary, F_OK), output.is_nameless ? -1 : 0);
    assert_int_equal(load(path).length, 3);
    hw_npy_discard(&output);
    hw_npy_discard(&output);
    assert_int_equal(load(path).length, 3);

    assert_int_equal(copy_numpys("f4", path, NULL, &diag), HW_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0604);
    assert_int_equal(info.st_size, 176);
    unlink(path);
}

static void test_links(void **state) {
    (void)state;
    const char *path = in_folder("in.npy"), *link_path = in_folder("link.npy"), *hard = in_folder("hard.npy");
    hw_npy npy;
    hw_diag diag = {0};
    assert_int_equal(copy_numpys("f4", path, NULL, &diag), HW_OK);
    assert_int_equal(symlink("in.npy", link_path), 0);
    assert_int_equal(link(path, hard), 0);
    assert_int_equal(hw_npy_open(path, &npy, &diag), HW_OK);
    const char *const aliases[] = {path, link_path, hard};
    for (int i = 0; i < 3; i++) {
        diag = (hw_diag){0};
        assert_int_equal(copy_numpys("u1", aliases[i], &npy, &diag), HW_USAGE);
        assert_non_null(strstr(diag.text, "is the input"));
    }
    hw_npy_close(&npy);
    // A link stays a link, and its file is the new one.
    struct stat info;
    diag = (hw_diag){0};
    assert_int_equal(copy_numpys("u1", link_path, NULL, &diag), HW_OK);
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(load(path).length, 135);
    assert_int_equal(load(hard).length, 176);
    unlink(path);
    assert_int_equal(copy_numpys("u1", link_path, NULL, &diag), HW_OK);
    assert_int_equal(load(link_path).length, 135);
    unlink(link_path);
    unlink(hard);
}

static void test_what_cannot_be_made(void **state) {
    (void)state;
    hw_diag diag = {0};
    assert_int_equal(copy_numpys("f4", in_folder("no/such.npy"), NULL, &diag), HW_IO);
    assert_non_null(strstr(diag.text, "No such file"));
    diag = (hw_diag){0};
    assert_int_equal(copy_numpys("f4", folder, NULL, &diag), HW_IO);
    assert_non_null(strstr(diag.text, "is a folder"));
    diag = (hw_diag){0};
    assert_int_equal(copy_numpys("f4", "", NULL, &diag), HW_USAGE);
    diag = (hw_diag){0};
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(copy_numpys("f4", "/dev/full", NULL, &diag), HW_IO);
        assert_non_null(strstr(diag.text, "No space left"));
    }
    assert_int_equal(copy_numpys("f4", "/dev/null", NULL, NULL), HW_OK);
    assert_int_equal(access("/dev/null", F_OK), 0);

    hw_npy_header huge = header_of("f4");
    hw_npy_output output;
    huge.shape[0] = INT64_MAX;
    diag = (hw_diag){0};
    assert_int_equal(hw_npy_create(in_folder("huge.npy"), &huge, NULL, &output, &diag), HW_USAGE);
    assert_non_null(strstr(diag.text, "overflows"));
    huge.shape[0] = (int64_t)1 << 54;   // more than a file system has
    diag = (hw_diag){0};
    assert_int_equal(hw_npy_create(in_folder("huge.npy"), &huge, NULL, &output, &diag), HW_IO);
}

static void test_too_little_space_is_found_first(void **state) {
    (void)state;
    struct rlimit old, small;
    hw_npy_header header = header_of("f4");
    hw_npy_output output;
    hw_diag diag = {0};
    header.shape[0] = 1 << 20;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    hw_status status = hw_npy_create(in_folder("big.npy"), &header, NULL, &output, &diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, HW_IO);
    assert_non_null(strstr(diag.text, "16777344 bytes are more than a file may have here"));
    assert_int_equal(access(in_folder("big.npy"), F_OK), -1);
}

static void test_a_pipe_is_written(void **state) {
    (void)state;
    int ends[2];
    char name[64];
    file numpy = load(numpys("rank5")), got;
    hw_diag diag = {0};
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    assert_int_equal(copy_numpys("rank5", name, NULL, &diag), HW_OK);
    close(ends[1]);
    got.length = (size_t)read(ends[0], got.bytes, sizeof got.bytes);
    close(ends[0]);
    assert_int_equal(got.length, numpy.length);
    assert_memory_equal(got.bytes, numpy.bytes, numpy.length);
}

static void test_memory_running_out(void **state) {
    (void)state;
    const char *path = in_folder("memory.npy");
    file whole = load(numpys("f4")), odd = around(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", 48);
    assert_true((odd.length - 48) % 8 != 0);
    int succeeded = 0;
    for (long n = 0; !succeeded && n < 20; n++) {
        hw_npy npy;
        hw_diag diag = {0};
        store(path, odd.bytes, odd.length);
        hw_alloc_fail_after(n);
        hw_status piped = open_piped(&whole, &npy, &diag);
        if (!piped) hw_npy_close(&npy);
        hw_alloc_fail_after(n);
        hw_status mapped = hw_npy_open(path, &npy, &diag);
        if (!mapped) hw_npy_close(&npy);
        hw_alloc_fail_after(-1);
        unlink(path);
        hw_alloc_fail_after(n);
        hw_status written = copy_numpys("f4", path, NULL, &diag);
        hw_alloc_fail_after(n);
        hw_status streamed = copy_numpys("f4", "/dev/null", NULL, &diag);
        hw_alloc_fail_after(-1);
        assert_int_equal(access(path, F_OK), written ? -1 : 0);
        assert_true(!piped || piped == HW_NO_MEMORY);
        assert_true(!mapped || mapped == HW_NO_MEMORY);
        assert_true(!written || written == HW_NO_MEMORY);
        assert_true(!streamed || streamed == HW_NO_MEMORY);
        succeeded = !piped && !mapped && !written && !streamed;
        assert_true(n > 0 || (piped && mapped && written && streamed));
    }
    assert_true(succeeded);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_of_numpy),
        cmocka_unit_test(test_headers_that_are_written_differently),
        cmocka_unit_test(test_headers_that_are_refused),
        cmocka_unit_test(test_fields_are_shown),
        cmocka_unit_test(test_files_that_are_something_else),
        cmocka_unit_test(test_a_file_is_mapped),
        cmocka_unit_test(test_wrong_lengths),
        cmocka_unit_test(test_data_at_an_odd_place_is_copied),
        cmocka_unit_test(test_a_pipe_is_read),
        cmocka_unit_test(test_what_cannot_be_opened),
        cmocka_unit_test(test_what_is_written_is_numpys),
        cmocka_unit_test(test_an_older_file_stays_until_the_new_one_is_whole),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_what_cannot_be_made),
        cmocka_unit_test(test_too_little_space_is_found_first),
        cmocka_unit_test(test_a_pipe_is_written),
        cmocka_unit_test(test_memory_running_out),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
