// Libraries of device code, which outlive contexts, and sets of words.
#include "runtime_test.h"

#include "base/alloc.h"
#include "runtime/library.h"

static hw_rt_library *load_library(hw_runtime *runtime) {
    hw_rt_code code;
    hw_rt_library *library = NULL;
    hw_diag diag = {0};
    assert_int_equal(hw_rt_read_code(runtime, KERNELS, sizeof KERNELS, "it", &code, &diag), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_library_load(runtime, &code, "it", &library, &diag), HW_RT_SUCCESS);
    return library;
}

static void test_kernels(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_library *library = load_library(runtime);
    hw_rt_kernel *kernels[4] = {NULL}, *fill, *none;
    assert_int_equal(hw_rt_library_kernels(runtime, library, kernels, 4), 4);
    assert_string_equal(hw_rt_kernel_name(kernels[0]), "bounded");   // by name
    assert_string_equal(hw_rt_kernel_name(kernels[3]), "stops");
    assert_int_equal(hw_rt_library_kernel(runtime, library, "fill", &fill), HW_RT_SUCCESS);
    assert_ptr_equal(fill, kernels[2]);
    assert_ptr_equal(hw_rt_kernel_library(fill), library);
    assert_int_equal(hw_rt_library_kernel(runtime, library, "no such", &none), HW_RT_NOT_FOUND);
    assert_int_equal(hw_rt_library_kernel(runtime, (hw_rt_library *)fill, "fill", &none), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_library_kernels(runtime, (hw_rt_library *)fill, NULL, 0), 0);
    assert_int_equal(hw_rt_library_unload(runtime, library), HW_RT_SUCCESS);
    assert_false(hw_rt_is_kernel(runtime, fill));
    assert_int_equal(hw_rt_library_unload(runtime, library), HW_RT_INVALID_HANDLE);
    load_library(runtime);   // goes with the runtime
    hw_rt_destroy(runtime);
}

// A fault, and the reset behind it, end the context: the kernel has another function in the next.
static void test_contexts(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_library *library = load_library(runtime);
    hw_rt_kernel *fill, *stops;
    hw_rt_function *before, *again, *after, *bad;
    hw_rt_module *module;
    uint64_t device;
    uint32_t value = 3, out[32];
    void *params[] = {&device, &value};
    assert_int_equal(hw_rt_library_kernel(runtime, library, "fill", &fill), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_library_kernel(runtime, library, "stops", &stops), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_kernel_function(runtime, fill, &before), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_kernel_function(runtime, fill, &again), HW_RT_SUCCESS);
    assert_ptr_equal(before, again);
    assert_int_equal(hw_rt_library_module(runtime, library, &module), HW_RT_SUCCESS);
    assert_ptr_equal(hw_rt_function_module(runtime, before), module);
    assert_int_equal(hw_rt_kernel_function(runtime, stops, &bad), HW_RT_SUCCESS);
    assert_int_equal(launch_with(runtime, bad, 1, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_kernel_function(runtime, fill, &after), HW_RT_LAUNCH_FAILED);
    hw_rt_reset(runtime);
    assert_true(hw_rt_is_kernel(runtime, fill));
    assert_int_equal(hw_rt_kernel_function(runtime, fill, &after), HW_RT_SUCCESS);
    assert_int_equal(allocate(runtime, sizeof out, &device), HW_RT_SUCCESS);
    assert_int_equal(launch_with(runtime, after, 32, params), HW_RT_SUCCESS);
    assert_int_equal(copy_row(runtime, at(out), on_device(device), sizeof out, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    assert_int_equal(out[31], 34);
    hw_rt_reset(runtime);
    assert_int_equal(hw_rt_library_unload(runtime, library), HW_RT_SUCCESS);   // which has no module now
    hw_rt_destroy(runtime);
}

static void test_bad_code(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    static const char wrong[] = HEAD ".entry k() { wrong; }";
    hw_rt_code code;
    hw_rt_library *library;
    hw_diag diag = {0};
    assert_int_equal(hw_rt_read_code(runtime, wrong, sizeof wrong, "it", &code, &diag), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_library_load(runtime, &code, "it", &library, &diag), HW_RT_INVALID_PTX);
    hw_free(code.ptx);   // still the caller's
    assert_int_equal(hw_rt_read_code(runtime, "", 1, "it", &code, &diag), HW_RT_INVALID_IMAGE);
    hw_rt_destroy(runtime);
}

static void test_words(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    uint64_t device;
    uint8_t out[64];
    const hw_rt_order order = {0};
    assert_int_equal(allocate(runtime, sizeof out, &device), HW_RT_SUCCESS);
    const hw_rt_region to = {.start = (char *)(uintptr_t)device, .pitch = 16};
    assert_int_equal(hw_rt_set_words(runtime, to, 0xabab, 2, (hw_rt_shape){64, 1, 1}, order), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_set_words(runtime, to, 0x01020304, 4, (hw_rt_shape){8, 3, 1}, order), HW_RT_SUCCESS);
    assert_int_equal(copy_row(runtime, at(out), on_device(device), sizeof out, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], i < 48 && i % 16 < 8 ? 4 - i % 4 : 0xab);
    const hw_rt_region odd = {.start = to.start + 1, .pitch = 16}, narrow = {.start = to.start, .pitch = 6};
    assert_int_equal(hw_rt_set_words(runtime, odd, 1, 2, (hw_rt_shape){4, 1, 1}, order), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_set_words(runtime, narrow, 1, 4, (hw_rt_shape){4, 2, 1}, order), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_set_words(runtime, to, 1, 4, (hw_rt_shape){68, 1, 1}, order), HW_RT_INVALID_VALUE);
    hw_rt_destroy(runtime);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_contexts),
                                       cmocka_unit_test(test_bad_code), cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
