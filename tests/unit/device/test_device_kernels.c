// Kernels on every device that there is: finding, launching, several threads, memory that runs out, faults.
#include "devices.h"

// ---- Kernels --------------------------------------------------------------------------------------------------------

static hw_kernel *kernel_of(hw_device *device, const char *file, const char *function, const char *define) {
    const hw_kernel_request request = {file, function, &define, define != NULL};
    hw_kernel *kernel = NULL;
    OK(hw_device_kernel(device, &request, &kernel, &told));
    assert_non_null(kernel);
    return kernel;
}

static void run_scale(hw_device *device, hw_kernel *kernel, unsigned factor) {
    enum { N = 1000 };
    uint32_t in[N], out[N];
    unsigned n = N;
    for (unsigned i = 0; i < N; i++) in[i] = i + 1;
    void *d_in = alloc(device, sizeof in), *d_out = alloc(device, sizeof out);
    void *params[] = {&d_out, &d_in, &n};
    const hw_kernel_launch launch = {kernel, {4, 1, 1}, {256, 1, 1}, 0, params, false};
    copy(device, d_in, in, sizeof in);
    OK(hw_stream_launch(hw_device_stream(device), &launch, &told));
    copy(device, out, d_out, sizeof out);
    for (unsigned i = 0; i < N; i++) assert_int_equal(out[i], (i + 1) * factor);
    hw_device_free(device, d_in);
    hw_device_free(device, d_out);
}

static void test_kernels(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        const char *three = "FACTOR=3";
        const hw_kernel_request request = {"test/scale.cu", "scale", &three, 1};
        hw_kernel *kernel = (hw_kernel *)1;
        if (is_cpu(device)) {
            REFUSED(HW_USAGE, hw_device_kernel(device, &request, &kernel, &told));
            assert_null(kernel);
            continue;
        }
        kernel = kernel_of(device, "test/scale.cu", "scale", "FACTOR=3");
        assert_ptr_equal(kernel_of(device, "test/scale.cu", "scale", "FACTOR=3"), kernel);
        run_scale(device, kernel, 3);
        hw_kernel *other = kernel_of(device, "test/scale.cu", "scale", "FACTOR=5");
        assert_ptr_not_equal(other, kernel);
        run_scale(device, other, 5);
        run_scale(device, kernel, 3);

        // Functions of one file with the same defines share its variables.
        hw_kernel *count = kernel_of(device, "test/scale.cu", "count_calls", "FACTOR=3");
        unsigned calls = 0;
        void *d_calls = alloc(device, 4), *params[] = {&d_calls};
        const hw_kernel_launch launch = {count, {1, 1, 1}, {1, 1, 1}, 0, params, true};
        OK(hw_stream_launch(hw_device_stream(device), &launch, &told));
        copy(device, &calls, d_calls, 4);
        assert_int_equal(calls, 2);

        hw_kernel_info info;
        hw_kernel_get_info(kernel, &info);
        assert_true(info.regs > 0 && info.regs < 64);
        assert_int_equal(info.static_shared_bytes, 0);
        assert_int_equal(info.max_threads_per_block, 1024);
        assert_int_equal(hw_kernel_blocks_per_multiprocessor(kernel, 1024, 0),
                         hw_device_get_properties(device)->threads_per_multiprocessor / 1024);
        assert_int_equal(hw_kernel_blocks_per_multiprocessor(kernel, 32, 1 << 20), 0);
        uint32_t shared = hw_device_get_properties(device)->shared_bytes_per_multiprocessor;
        uint32_t by_shared = hw_kernel_blocks_per_multiprocessor(kernel, 32, 20000);
        assert_true(by_shared > 0 && by_shared <= shared / 20000);
    }
}

static void test_kernels_that_there_are_not(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        if (is_cpu(device)) continue;
        const char *define = "FACTOR=3";
        hw_kernel *kernel;
        REFUSED(HW_USAGE, hw_device_kernel(device, &(hw_kernel_request){"test/none.cu", "f", NULL, 0}, &kernel, &told));
        assert_null(kernel);
        REFUSED(HW_USAGE,
                hw_device_kernel(device, &(hw_kernel_request){"../test/scale.cu", "f", NULL, 0}, &kernel, &told));
        REFUSED(HW_NOT_FOUND,
                hw_device_kernel(device, &(hw_kernel_request){"test/scale.cu", "none", &define, 1}, &kernel, &told));
        assert_non_null(strstr(told.text, "none"));
        // The compiler's words, and where.
        REFUSED(HW_COMPILE,
                hw_device_kernel(device, &(hw_kernel_request){"test/broken.cu", "broken", NULL, 0}, &kernel, &told));
        assert_string_equal(told.file, "test/broken.cu");
        assert_int_equal(told.line, 4);
        assert_non_null(strstr(told.text, "undeclared"));
        assert_null(strchr(told.text, '\n'));
        REFUSED(HW_COMPILE,
                hw_device_kernel(device, &(hw_kernel_request){"test/broken_header.cu", "f", NULL, 0}, &kernel, &told));
        assert_string_equal(told.file, "common/test_broken.cuh");
        assert_int_equal(told.line, 3);
        REFUSED(HW_COMPILE,
                hw_device_kernel(device, &(hw_kernel_request){"test/scale.cu", "scale", NULL, 0}, &kernel, &told));
        assert_non_null(strstr(told.text, "FACTOR is missing"));
        assert_int_equal(told.line, 4);
    }
}

static void test_launches_that_are_refused(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        if (is_cpu(device)) continue;
        hw_stream *stream = hw_device_stream(device);
        hw_kernel *kernel = kernel_of(device, "test/shared.cu", "turn", NULL);
        hw_kernel *small = kernel_of(device, "test/shared.cu", "small", NULL);
        void *data = alloc(device, 4096);
        unsigned n = 64;
        void *params[] = {&data, &n};
        hw_kernel_launch launch = {kernel, {0, 1, 1}, {64, 1, 1}, 0, params, false};
        OK(hw_stream_launch(stream, &launch, &told));     // an empty grid
        launch.grid[0] = 1;
        launch.block[0] = 0;
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        launch.block[0] = 1025;
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        memcpy(launch.block, (uint32_t[3]){UINT32_MAX, UINT32_MAX, 2}, sizeof launch.block);
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        memcpy(launch.block, (uint32_t[3]){64, 1, 1}, sizeof launch.block);
        launch.grid[1] = 70000;
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        launch.grid[1] = 1;
        launch.dynamic_shared_bytes = hw_device_get_properties(device)->shared_bytes + 1;
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        launch.dynamic_shared_bytes = 0;
        launch.grid[0] = 1000000;
        launch.cooperative = true;
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        launch = (hw_kernel_launch){small, {1, 1, 1}, {65, 1, 1}, 0, params, false};
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        assert_non_null(strstr(told.text, "small"));
        launch.kernel = NULL;
        REFUSED(HW_USAGE, hw_stream_launch(stream, &launch, &told));
        REFUSED(HW_USAGE, hw_stream_launch(NULL, &launch, &told));
        hw_device *other = open_device("sim:v100");
        launch = (hw_kernel_launch){small, {1, 1, 1}, {64, 1, 1}, 0, params, false};
        REFUSED(HW_USAGE, hw_stream_launch(hw_device_stream(other), &launch, &told));
        hw_device_close(other);
        // The device works on.
        OK(hw_stream_launch(stream, &launch, &told));
        OK(hw_stream_synchronize(stream, &told));
    }
}

static void test_much_shared_memory(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        if (is_cpu(device)) continue;
        hw_kernel *kernel = kernel_of(device, "test/shared.cu", "turn", NULL);
        uint32_t words[64], back[64];
        for (uint32_t i = 0; i < 64; i++) words[i] = i * i;
        void *data = alloc(device, sizeof words);
        const uint32_t most = hw_device_get_properties(device)->shared_bytes;
        const uint32_t sizes[] = {256, 48 << 10, (48 << 10) + 4, most, 1024};
        for (int i = 0; i < 5; i++) {
            unsigned n = sizes[i] / 4;
            void *params[] = {&data, &n};
            const hw_kernel_launch launch = {kernel, {1, 1, 1}, {64, 1, 1}, sizes[i], params, false};
            copy(device, data, words, sizeof words);
            OK(hw_stream_launch(hw_device_stream(device), &launch, &told));
            copy(device, back, data, sizeof back);
            for (uint32_t k = 0; k < 64; k++) assert_int_equal(back[k], words[63 - k]);
        }
        assert_int_equal(hw_kernel_blocks_per_multiprocessor(kernel, 64, most), 1);
    }
}

// All kernels of the library compile for every architecture that may be met: here for one.
static void test_sources_of_the_library(void **state) {
    (void)state;
    size_t count = 0;
    for (const hw_source_file *source; (source = hw_kernel_source_at(count)); count++) {
        assert_int_equal(strlen(source->text), source->bytes);
        assert_ptr_equal(hw_kernel_source_find(source->path), source);
        char path[512];
        if (count < N_SOURCES) continue;
        snprintf(path, sizeof path, "%s/kernels/%s", HW_SOURCE_DIR, source->path);
        FILE *file = fopen(path, "r");
        if (!file) continue;                    // the test runs elsewhere
        char *text = calloc(source->bytes + 2, 1);
        size_t got = fread(text, 1, source->bytes + 1, file);
        fclose(file);
        assert_int_equal(got, source->bytes);
        assert_memory_equal(text, source->text, got);
        free(text);
    }
    assert_true(count > N_SOURCES);
    assert_null(hw_kernel_source_find("none.cu"));
}

// ---- Several threads ------------------------------------------------------------------------------------------------

typedef struct worker {
    hw_device *device;
    unsigned number;
    char complaint[256];
} worker;

// Assertions of cmocka must stay on the first thread.
static void *work(void *argument) {
    worker *w = argument;
    enum { N = 300 };
    hw_diag diag = {0};
    hw_stream *stream = NULL;
    hw_kernel *kernel = NULL;
    uint32_t in[N], out[N];
    unsigned n = N;
    void *d_in = NULL, *d_out = NULL;
    const char *define = w->number % 2 ? "FACTOR=11" : "FACTOR=13";
    const hw_kernel_request request = {"test/scale.cu", "scale", &define, 1};
    for (unsigned i = 0; i < N; i++) in[i] = i + w->number * 1000;
    bool ok = hw_stream_create(w->device, &stream, &diag) == HW_OK;
    for (int round = 0; ok && round < 5; round++) {
        ok = hw_device_kernel(w->device, &request, &kernel, &diag) == HW_OK &&
             hw_device_alloc(w->device, sizeof in, &d_in, &diag) == HW_OK &&
             hw_device_alloc(w->device, sizeof out, &d_out, &diag) == HW_OK &&
             hw_copy(stream, d_in, in, sizeof in, &diag) == HW_OK;
        if (!ok) break;
        void *params[] = {&d_out, &d_in, &n};
        const hw_kernel_launch launch = {kernel, {3, 1, 1}, {128, 1, 1}, 0, params, false};
        ok = hw_stream_launch(stream, &launch, &diag) == HW_OK &&
             hw_copy(stream, out, d_out, sizeof out, &diag) == HW_OK && hw_stream_synchronize(stream, &diag) == HW_OK;
        for (unsigned i = 0; ok && i < N; i++)
            if (out[i] != in[i] * (w->number % 2 ? 11 : 13)) {
                snprintf(w->complaint, sizeof w->complaint, "element %u is %u", i, out[i]);
                return NULL;
            }
        hw_device_free(w->device, d_in);
        hw_device_free(w->device, d_out);
    }
    if (!ok) snprintf(w->complaint, sizeof w->complaint, "%.200s", diag.text);
    hw_stream_destroy(stream);
    return NULL;
}

static void test_several_threads(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        if (is_cpu(device)) continue;
        enum { N = 6 };
        pthread_t threads[N];
        worker workers[N];
        for (unsigned i = 0; i < N; i++) {
            workers[i] = (worker){.device = device, .number = i};
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (unsigned i = 0; i < N; i++) pthread_join(threads[i], NULL);
        for (unsigned i = 0; i < N; i++) assert_string_equal(workers[i].complaint, "");
    }
}

static void *copy_much(void *argument) {
    worker *w = argument;
    enum { BYTES = 10 << 20 };
    unsigned char *in = malloc(BYTES), *out = malloc(BYTES);
    memset(in, (int)w->number + 1, BYTES);
    for (int i = 0; i < 5; i++)
        if (hw_copy(hw_device_stream(w->device), out, in, BYTES, NULL) != HW_OK || memcmp(in, out, BYTES) != 0)
            snprintf(w->complaint, sizeof w->complaint, "copy %d is wrong", i);
    free(in);
    free(out);
    return NULL;
}

// Large copies share the device's threads.
static void test_copies_of_several_threads(void **state) {
    (void)state;
    hw_device *device = open_device("cpu");
    pthread_t threads[3];
    worker workers[3];
    for (unsigned i = 0; i < 3; i++) {
        workers[i] = (worker){.device = device, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, copy_much, &workers[i]), 0);
    }
    for (unsigned i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < 3; i++) assert_string_equal(workers[i].complaint, "");
    hw_device_close(device);
}

// ---- Memory that runs out -------------------------------------------------------------------------------------------

// One round; false when memory ran out, which must be what was said.
static bool try_everything(const char *name) {
    const hw_device_options options = {.cache_dir = cache, .threads = 1};
    hw_device *device = NULL;
    hw_stream *stream = NULL;
    hw_event *event = NULL;
    hw_kernel *kernel = NULL;
    void *memory = NULL;
    hw_diag diag = {0};
    const char *define = "FACTOR=3";
    const hw_kernel_request request = {"test/scale.cu", "scale", &define, 1};
    hw_status status = hw_device_open(name, &options, &device, &diag);
    if (!status) status = hw_device_alloc(device, 1000, &memory, &diag);
    if (!status) status = hw_stream_create(device, &stream, &diag);
    if (!status) status = hw_event_create(device, &event, &diag);
    if (!status && strcmp(name, "cpu") != 0) status = hw_device_kernel(device, &request, &kernel, &diag);
    if (!status && kernel) {
        unsigned n = 0;
        void *params[] = {&memory, &memory, &n};
        const hw_kernel_launch launch = {kernel, {1, 1, 1}, {32, 1, 1}, 0, params, false};
        status = hw_stream_launch(stream, &launch, &diag);
    }
    if (status && status != HW_NO_MEMORY) fail_msg("%s: %d %s", name, status, diag.text);
    if (status) assert_string_not_equal(diag.text, "");
    hw_device_close(device);
    return !status;
}

static void test_failing_allocations(void **state) {
    (void)state;
    for (size_t i = 0; i < n_devices; i++) {
        bool is_done = false;
        assert_true(try_everything(devices[i]));     // the cache is filled
        long n = 0;
        for (; !is_done && n < 5000; n++) {
            hw_alloc_fail_after(n);
            is_done = try_everything(devices[i]);
            hw_alloc_fail_after(-1);
        }
        assert_true(is_done);
        assert_true(n > 5);
    }
}

// ---- Faults, last: a GPU takes no work of this process afterwards ---------------------------------------------------

static void check_fault(const char *device_name, const char *function, const char *words) {
    hw_device *device = open_device(device_name);
    hw_stream *stream = hw_device_stream(device);
    hw_kernel *kernel = kernel_of(device, "test/wild.cu", function, NULL);
    unsigned long long far = (unsigned long long)1 << 40;
    void *data = alloc(device, 1024), *params[] = {&data, &far};
    OK(hw_fill(stream, data, 0, 1024, &told));
    const hw_kernel_launch launch = {kernel, {1, 1, 1}, {32, 1, 1}, 0, params, false};
    told = (hw_diag){0};
    hw_status status = hw_stream_launch(stream, &launch, &told);
    if (status == HW_OK) status = hw_stream_synchronize(stream, &told);
    printf("    %s: %s\n", device_name, told.text);
    assert_int_equal(status, HW_FAULT);
    assert_non_null(strstr(told.text, is_sim(device) ? words : "CUDA_ERROR_"));
    assert_null(strchr(told.text, '\n'));
    if (is_sim(device)) {
        assert_int_equal(strncmp(told.text, "test/wild.cu:", 13), 0);
        // It was told; the device works on.
        OK(hw_stream_synchronize(stream, &told));
        OK(hw_fill(stream, data, 1, 1024, &told));
    } else {
        void *more = NULL;
        REFUSED(HW_FAULT, hw_stream_synchronize(stream, &told));
        assert_int_not_equal(hw_device_alloc(device, 1024, &more, &told), HW_OK);
    }
    hw_device_close(device);
}

// HW_TEST_NO_FAULT: for runs under a tool that reports them.
static void test_faults(void **state) {
    (void)state;
    if (getenv("HW_TEST_NO_FAULT")) skip();
    for (size_t i = 0; i < n_devices; i++) {
        if (!strcmp(devices[i], "cpu")) continue;
        if (!strncmp(devices[i], "sim:", 4)) {
            check_fault(devices[i], "trapped", "test/wild.cu:4");
            check_fault(devices[i], "crooked", "no multiple of 4");
        }
        check_fault(devices[i], "wild", "no allocation is anywhere near");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_kernels_that_there_are_not),
        cmocka_unit_test(test_launches_that_are_refused),
        cmocka_unit_test(test_much_shared_memory),
        cmocka_unit_test(test_sources_of_the_library),
        cmocka_unit_test(test_several_threads),
        cmocka_unit_test(test_copies_of_several_threads),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, find_devices, remove_cache);
}
