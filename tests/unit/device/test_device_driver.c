// cuda devices without a GPU: the driver and NVRTC are stand-ins (cuda_driver_stand_in.c), compiled here. Every part of
// the test is a process of its own, because a driver is loaded once: the first starts the others with STAND_IN set.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "device/device.h"
#include "device/kernels.h"
#include "device/transfer.h"

#define SOURCE(path, text) {path, text, sizeof text - 1}
static const hw_source_file sources[] = {
    SOURCE("test/good.cu", "kernels good and better"),
    SOURCE("test/refused.cu", "refused by the driver"),
    SOURCE("test/wrong.cu", "wrong"),
};

static hw_diag told;

static void expect_open(const char *name, hw_status expected, const char *words) {
    hw_device *device = NULL;
    told = (hw_diag){0};
    assert_int_equal(hw_device_open(name, NULL, &device, &told), expected);
    if (words && !strstr(told.text, words)) fail_msg("\"%s\" is not in \"%s\"", words, told.text);
    assert_null(strchr(told.text, '\n'));
    hw_device_close(device);
}

static void default_is_cpu(void) {
    hw_device *device = NULL;
    assert_int_equal(hw_device_open(NULL, NULL, &device, NULL), HW_OK);
    assert_int_equal(hw_device_get_properties(device)->kind, HW_DEVICE_CPU);
    hw_device_close(device);
}

static hw_status kernel(hw_device *device, const char *file, const char *function, hw_kernel **out) {
    const hw_kernel_request request = {file, function, NULL, 0};
    told = (hw_diag){0};
    return hw_device_kernel(device, &request, out, &told);
}

// Every kind of transfer, and the overlap: their times are the stand-in's, and what they took is given back.
static void transfer(hw_device *device) {
    double us;
    for (int kind = 0; kind < HW_HOST_KINDS; kind++)
        for (int to = 0; to < 2; to++) {
            us = -1;
            told = (hw_diag){0};
            if (hw_transfer_time(device, (hw_host_kind)kind, to, 4096, &us, &told)) fail_msg("%d: %s", kind, told.text);
            assert_true(us >= 0);
        }
    assert_int_equal(hw_transfer_time(device, HW_HOST_PINNED, true, 15, &us, NULL), HW_USAGE);
    assert_int_equal(hw_transfer_time(device, HW_HOST_KINDS, true, 64, &us, NULL), HW_USAGE);
    assert_int_equal(hw_transfer_time(device, HW_HOST_COMBINED, true, (size_t)9 << 30, &us, NULL), HW_NO_MEMORY);
    for (uint32_t n = 1; n <= 8; n *= 2) {
        hw_overlap o;
        if (hw_transfer_overlap(device, 4096 + 16, n, &o, &told)) fail_msg("%u streams: %s", n, told.text);
        assert_int_equal(o.streams, n);
        assert_true(o.us >= 0 && o.formula_us == hw_model_overlap_us(o.execution_us, o.transfer_us, n));
    }
    hw_overlap o;
    assert_int_equal(hw_transfer_overlap(device, 4096, 0, &o, NULL), HW_USAGE);
    assert_int_equal(hw_transfer_overlap(device, 4096, HW_OVERLAP_STREAMS + 1, &o, NULL), HW_USAGE);
    assert_int_equal(hw_transfer_overlap(device, 16, 2, &o, NULL), HW_USAGE);
    // Out of memory at each place: what was taken by then is given back (the stand-in looks when the device closes).
    hw_status status = HW_NO_MEMORY;
    for (long n = 0; status && n < 100; n++) {
        hw_alloc_fail_after(n);
        status = hw_transfer_time(device, HW_HOST_PAGEABLE, true, 64, &us, NULL);
        if (!status) status = hw_transfer_overlap(device, 64, 4, &o, NULL);
        hw_alloc_fail_after(-1);
        if (status) assert_int_equal(status, HW_NO_MEMORY);
    }
    assert_int_equal(status, HW_OK);
}

// What is not freed goes with the device: the stand-in counts.
static void use_memory(hw_device *device) {
    hw_stream *stream = hw_device_stream(device), *other = NULL;
    hw_event *start = NULL, *stop = NULL;
    char in[600], out[600];
    void *memory = NULL, *ordered = NULL, *pinned = NULL;
    uint64_t bytes = 0;
    double ns = -1;
    for (int i = 0; i < 600; i++) in[i] = (char)i;
    assert_int_equal(hw_device_alloc(device, 1000, &memory, NULL), HW_OK);
    assert_int_equal(hw_stream_alloc(stream, 1000, &ordered, NULL), HW_OK);
    assert_int_equal(hw_host_alloc(device, 1000, &pinned, NULL), HW_OK);
    assert_int_equal(hw_device_alloc(device, (size_t)9 << 30, &memory, &told), HW_NO_MEMORY);
    assert_int_equal(hw_device_alloc(device, 1000, &memory, NULL), HW_OK);
    assert_int_equal(hw_device_free_bytes(device, &bytes, NULL), HW_OK);
    assert_true(bytes >= 1 << 30);
    assert_int_equal(hw_stream_create(device, &other, NULL), HW_OK);
    assert_int_equal(hw_event_create(device, &start, NULL), HW_OK);
    assert_int_equal(hw_event_create(device, &stop, NULL), HW_OK);
    assert_int_equal(hw_event_record(start, stream, NULL), HW_OK);
    assert_int_equal(hw_fill(stream, memory, 3, 1000, NULL), HW_OK);
    assert_int_equal(hw_copy(stream, memory, in, 600, NULL), HW_OK);
    assert_int_equal(hw_copy_2d(stream, ordered, 30, memory, 20, 20, 30, NULL), HW_OK);
    assert_int_equal(hw_copy_2d(stream, out, 20, ordered, 30, 20, 30, NULL), HW_OK);
    assert_memory_equal(out, in, 600);
    assert_int_equal(hw_event_record(stop, stream, NULL), HW_OK);
    assert_int_equal(hw_stream_wait(other, stop, NULL), HW_OK);
    assert_int_equal(hw_event_elapsed_ns(start, stop, &ns, NULL), HW_OK);
    assert_true(ns >= 0);
    hw_stream_free(other, ordered);
    hw_event_destroy(start);
    hw_stream_destroy(other);
}

// Words as plain memory and as an array; the stand-in's texture is the place of its words.
static void use_images(hw_device *device) {
    const uint32_t words[6] = {1, 2, 3, 4, 5, 6};
    for (int is_in_blocks = 0; is_in_blocks < 2; is_in_blocks++) {
        const hw_image_request request = {3, 2, is_in_blocks}, none = {3, 0, is_in_blocks};
        const hw_image_request huge = {1 << 16, 1 << 15, is_in_blocks};
        hw_image *image;
        assert_int_equal(hw_image_create(device, &request, words, &image, NULL), HW_OK);
        assert_memory_equal((const void *)(uintptr_t)hw_image_texture(image), words, sizeof words);
        hw_image_destroy(image);
        assert_int_equal(hw_image_create(device, &none, words, &image, NULL), HW_OK);
        assert_int_equal(hw_image_texture(image), 0);
        hw_image_destroy(image);
        if (!is_in_blocks) continue;
        told = (hw_diag){0};
        assert_int_equal(hw_image_create(device, &huge, words, &image, &told), HW_NO_MEMORY);
        assert_null(image);
        assert_non_null(strstr(told.text, "an image of 65536 x 32768 words cannot be had"));
    }
}

static void expect_info(hw_kernel *good) {
    hw_kernel_info info;
    hw_kernel_get_info(good, &info);
    assert_int_equal(info.regs, 40);
    assert_int_equal(info.static_shared_bytes, 1000);
    assert_int_equal(info.local_bytes, 8);
    assert_int_equal(info.max_threads_per_block, 512);
    assert_int_equal(hw_kernel_blocks_per_multiprocessor(good, 512, 100), 3);
    assert_int_equal(hw_kernel_blocks_per_multiprocessor(good, 513, 100), 0);
}

static void use_kernel(hw_device *device) {
    hw_stream *stream = hw_device_stream(device);
    hw_kernel *good = NULL;
    void *memory = NULL;
    assert_int_equal(hw_device_alloc(device, 1000, &memory, NULL), HW_OK);
    assert_int_equal(kernel(device, "test/good.cu", "good", &good), HW_OK);
    expect_info(good);
    void *params[] = {&memory};
    hw_kernel_launch launch = {good, {7, 6, 5}, {4, 3, 2}, 0, params, false};
    const uint32_t amounts[] = {0, (48 << 10) - 1000, (48 << 10) - 999, 231448};
    for (int i = 0; i < 4; i++) {
        launch.dynamic_shared_bytes = amounts[i];
        launch.cooperative = i % 2;
        assert_int_equal(hw_stream_launch(stream, &launch, NULL), HW_OK);
        const uint32_t expected[] = {7, 6, 5, 4, 3, 2, amounts[i]};
        assert_memory_equal(memory, expected, sizeof expected);
    }
    launch.dynamic_shared_bytes = 231449;
    assert_int_equal(hw_stream_launch(stream, &launch, NULL), HW_USAGE);
    launch.dynamic_shared_bytes = 0;
    launch.grid[0] = 301;
    assert_int_equal(hw_stream_launch(stream, &launch, NULL), HW_USAGE);
    launch.grid[1] = 65536;
    assert_int_equal(hw_stream_launch(stream, &launch, NULL), HW_USAGE);
    launch = (hw_kernel_launch){good, {1, 1, 1}, {1, 1, 65}, 0, params, false};
    assert_int_equal(hw_stream_launch(stream, &launch, NULL), HW_USAGE);
    launch.block[0] = 513;
    launch.block[2] = 1;
    assert_int_equal(hw_stream_launch(stream, &launch, NULL), HW_USAGE);
}

static void miss_kernels(hw_device *device) {
    hw_kernel *none = NULL;
    assert_int_equal(kernel(device, "test/good.cu", "missing", &none), HW_NOT_FOUND);
    assert_int_equal(kernel(device, "test/wrong.cu", "wrong", &none), HW_COMPILE);
    assert_string_equal(told.file, "test/wrong.cu");
    assert_int_equal(told.line, 7);
    assert_int_equal(kernel(device, "test/refused.cu", "refused", &none), HW_COMPILE);
    assert_non_null(strstr(told.text, "ptxas says no"));
    assert_null(strchr(told.text, '\n'));
}

static void test_in_this_mode(void **state) {
    (void)state;
    const char *mode = getenv("STAND_IN");
    const hw_device_options options = {.cache_dir = "", .threads = 1};
    hw_device *device = NULL;
    hw_kernel_sources_add(sources, sizeof sources / sizeof sources[0]);
    if (!strcmp(mode, "none")) {
        expect_open("cuda:0", HW_NOT_FOUND, "there is no cuda:0: the NVIDIA driver finds no GPU");
        default_is_cpu();
    } else if (!strcmp(mode, "broken")) {
        expect_open("cuda:0", HW_NOT_FOUND, "the NVIDIA driver does not start: words (CUDA_ERROR_UNKNOWN, 999)");
        default_is_cpu();
    } else if (!strcmp(mode, "fault")) {
        assert_int_equal(hw_device_open("cuda:0", &options, &device, NULL), HW_OK);
        assert_int_equal(hw_stream_synchronize(hw_device_stream(device), &told), HW_FAULT);
        assert_non_null(strstr(told.text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
        hw_device_close(device);
    } else if (!strcmp(mode, "new")) {
        hw_kernel *good = NULL;
        assert_int_equal(hw_device_open("cuda:0", &options, &device, NULL), HW_OK);
        assert_int_equal(kernel(device, "test/good.cu", "good", &good), HW_UNSUPPORTED);
        hw_device_close(device);
    } else {
        expect_open("cuda:2", HW_NOT_FOUND, "this machine has 2 GPUs, cuda:0 to cuda:1");
        for (int i = 0; i < 2; i++) {
            told = (hw_diag){0};
            hw_status status = hw_device_open(i ? "cuda:1" : NULL, &options, &device, &told);
            if (status) fail_msg("%s", told.text);
            assert_int_equal(hw_device_get_properties(device)->dl.device_type, kDLCUDA);
            assert_int_equal(hw_device_get_properties(device)->dl.device_id, i);
            assert_string_equal(hw_device_get_properties(device)->name, i ? "Stand-in 1" : "Stand-in 0");
            assert_true(hw_device_get_properties(device)->memory_gbs == 128);
            use_memory(device);
            use_images(device);
            use_kernel(device);
            miss_kernels(device);
            transfer(device);
            hw_device_close(device);
        }
        bool is_done = false;
        for (long n = 0; !is_done && n < 500; n++) {
            hw_kernel *good = NULL;
            void *memory = NULL;
            hw_alloc_fail_after(n);
            told = (hw_diag){0};
            hw_status status = hw_device_open("cuda:0", &options, &device, &told);
            if (!status) status = hw_device_alloc(device, 100, &memory, &told);
            if (!status) status = kernel(device, "test/good.cu", "better", &good);
            hw_alloc_fail_after(-1);
            hw_device_close(device);
            if (status && status != HW_NO_MEMORY) fail_msg("%d %s", status, told.text);
            is_done = !status;
        }
        assert_true(is_done);
    }
}

// ---- Starting the others --------------------------------------------------------------------------------------------

static char folder[] = "/tmp/halfwarp-test-driver.XXXXXX";

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...) {
    char command[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void compile_stand_in(const char *name, const char *options) {
    assert_int_equal(shell("mkdir -p %s/%s && cd %s/%s && cc -w -shared -fPIC %s -I%s/src -I%s/include "
                           "%s/tests/unit/cuda_driver_stand_in.c -o libcuda.so.1 && cp libcuda.so.1 libnvrtc.so.13",
                           folder, name, folder, name, options, HW_SOURCE_DIR, HW_SOURCE_DIR, HW_SOURCE_DIR), 0);
}

static void test_all_modes(void **state) {
    (void)state;
    static const struct {
        const char *mode, *driver;
    } runs[] = {{"works", "new"},  {"works", "old"}, {"ptx", "new"}, {"none", "new"},
                {"broken", "new"}, {"fault", "new"}, {"new", "new"}};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    if (shell("command -v cc > %s/cc", folder) != 0 ||
        access(HW_SOURCE_DIR "/tests/unit/cuda_driver_stand_in.c", R_OK) != 0)
        skip();
    compile_stand_in("new", "");
    compile_stand_in("old", "-DOLD");
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        if (shell("STAND_IN=%s LD_LIBRARY_PATH=%s/%s '%s' > %s/log 2>&1", runs[i].mode, folder, runs[i].driver, self,
                  folder) != 0) {
            shell("cat %s/log", folder);
            fail_msg("mode %s with the %s driver", runs[i].mode, runs[i].driver);
        }
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return shell("rm -rf '%s'", folder);
}

int main(void) {
    const struct CMUnitTest part[] = {cmocka_unit_test(test_in_this_mode)}, all[] = {cmocka_unit_test(test_all_modes)};
    if (getenv("STAND_IN")) return cmocka_run_group_tests(part, NULL, NULL);
    return cmocka_run_group_tests(all, make_folder, remove_folder);
}
