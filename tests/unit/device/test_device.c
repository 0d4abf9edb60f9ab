// Devices: opening them, memory, copies, streams and events, on every device that there is.
#include "devices.h"

// ---- Opening --------------------------------------------------------------------------------------------------------

static void test_names(void **state) {
    (void)state;
    static const char *const none[] = {
        "gpu", "cpu:0", "CPU",         "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", "cuda: 0", "cuda:99999999999",
        "sim", "sim:",  "sim:nothing", " cpu", ":"};
    hw_device *device;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        device = (hw_device *)1;
        REFUSED(HW_USAGE, hw_device_open(none[i], NULL, &device, &told));
        assert_null(device);
    }
    REFUSED(HW_USAGE, hw_device_open("cpu", NULL, NULL, &told));
    REFUSED(HW_NOT_FOUND, hw_device_open("cuda:4096", NULL, &device, &told));
    assert_null(device);
    const hw_device_options too_many = {.threads = 1000000};
    REFUSED(HW_USAGE, hw_device_open("cpu", &too_many, &device, &told));
    hw_device_close(NULL);
    assert_null(hw_device_get_properties(NULL));
    assert_null(hw_device_stream(NULL));
    assert_null(hw_stream_device(NULL));
}

static void test_no_gpu_is_said_in_one_sentence(void **state) {
    (void)state;
    hw_device *device = NULL;
    if (has_cuda) skip();
    told = (hw_diag){0};
    assert_int_equal(hw_device_open("cuda:0", NULL, &device, &told), HW_NOT_FOUND);
    assert_null(strchr(told.text, '\n'));
    assert_non_null(strstr(told.text, "cuda:0"));
}

static void test_default_device(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        hw_device *device = NULL;
        OK(hw_device_open(i ? "" : NULL, NULL, &device, &told));
        if (!getenv("HW_TEST_DEVICE") || has_cuda)
            assert_int_equal(hw_device_get_properties(device)->kind, has_cuda ? HW_DEVICE_CUDA : HW_DEVICE_CPU);
        hw_device_close(device);
    }
}

static void test_properties(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        const hw_device_properties *p = hw_device_get_properties(device);
        uint32_t threads = 0;
        uint64_t free_bytes = 0;
        printf("    %s: %s, cc %d, %u multiprocessors, %llu MiB, L2 %u KiB, %u shared bytes, %.0f GB/s\n",
               devices[device_number], p->name, p->cc, p->multiprocessors, (unsigned long long)(p->memory_bytes >> 20),
               p->l2_bytes >> 10, p->shared_bytes, p->memory_gbs);
        assert_string_not_equal(p->name, "");
        assert_true(p->multiprocessors > 0);
        assert_true(p->memory_bytes > 64 << 20);
        assert_non_null(hw_device_pool(device, &threads));
        assert_int_equal(threads, 2);
        OK(hw_device_free_bytes(device, &free_bytes, &told));
        assert_true(free_bytes > 0 && free_bytes <= p->memory_bytes);
        assert_true((hw_device_sim(device) != NULL) == is_sim(device));
        assert_ptr_equal(hw_stream_device(hw_device_stream(device)), device);
        if (is_cpu(device)) {
            assert_int_equal(p->dl.device_type, kDLCPU);
            assert_int_equal(p->cc, 0);
            assert_int_equal(p->shared_bytes, 0);
        } else {
            assert_int_equal(p->dl.device_type, is_sim(device) ? kDLExtDev : kDLCUDA);
            assert_true(p->cc >= 50);
            assert_true(p->shared_bytes >= 48 << 10 && p->shared_bytes <= p->shared_bytes_per_multiprocessor);
            assert_true(p->threads_per_multiprocessor >= 1024);
            assert_int_equal(p->banks, 32);
            assert_int_equal(p->bank_bytes, 4);
            assert_true(p->memory_gbs > 0);
        }
    }
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

static void test_memory(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        static const size_t sizes[] = {1, 255, 256, 4097, 1 << 20, (5 << 20) + 3};
        void *memory[6], *host = NULL;
        for (int i = 0; i < 6; i++) {
            memory[i] = alloc(device, sizes[i]);
            assert_non_null(memory[i]);
            assert_int_equal((uintptr_t)memory[i] % 256, 0);
            OK(hw_fill(hw_device_stream(device), memory[i], i + 1, sizes[i], &told));
        }
        for (int i = 0; i < 6; i++) {
            unsigned char *back = malloc(sizes[i]);
            copy(device, back, memory[i], sizes[i]);
            for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(back[k], i + 1);
            free(back);
        }
        OK(hw_host_alloc(device, 1000, &host, &told));
        memset(host, 7, 1000);
        copy(device, memory[4], host, 1000);
        hw_device_free(device, host);           // of the other kind: nothing happens
        memset(host, 8, 1000);
        hw_host_free(device, host);
        host = (void *)1;
        OK(hw_host_alloc(device, 0, &host, &told));
        assert_null(host);
        assert_null(alloc(device, 0));
        hw_device_free(device, NULL);
        hw_host_free(device, NULL);
        hw_device_free(NULL, memory[0]);
        hw_device_free(device, memory[1]);
        hw_device_free(device, memory[1]);      // a second time: nothing happens
        hw_device_free(device, &host);          // no memory of the device
        // The others go with the device.
    }
}

static void test_memory_that_there_is_not(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        void *memory = (void *)1;
        REFUSED(HW_NO_MEMORY, hw_device_alloc(device, (size_t)1 << 50, &memory, &told));
        assert_null(memory);
        REFUSED(HW_NO_MEMORY, hw_device_alloc(device, SIZE_MAX, &memory, &told));
        REFUSED(HW_NO_MEMORY, hw_host_alloc(device, SIZE_MAX - 100, &memory, &told));
        REFUSED(HW_USAGE, hw_device_alloc(NULL, 1, &memory, &told));
        REFUSED(HW_USAGE, hw_device_alloc(device, 1, NULL, &told));
        hw_device_free(device, alloc(device, 100));
    }
}

static void test_memory_limit(void **state) {
    (void)state;
    for (size_t i = 0; i < n_devices; i++) {
        const hw_device_options options = {.memory_limit_bytes = 1 << 20, .cache_dir = "", .threads = 2};
        hw_device *device = NULL;
        void *a = NULL, *b = NULL, *host = NULL;
        uint64_t bytes = 0;
        OK(hw_device_open(devices[i], &options, &device, &told));
        assert_int_equal(hw_device_get_properties(device)->memory_bytes, 1 << 20);
        OK(hw_device_alloc(device, 1 << 19, &a, &told));
        OK(hw_device_free_bytes(device, &bytes, &told));
        assert_int_equal(bytes, 1 << 19);
        REFUSED(HW_NO_MEMORY, hw_device_alloc(device, (1 << 19) + 1, &b, &told));
        assert_non_null(strstr(told.text, "limit"));
        OK(hw_device_alloc(device, 1 << 19, &b, &told));
        REFUSED(HW_NO_MEMORY, hw_device_alloc(device, 1, &b, &told));
        OK(hw_host_alloc(device, 2 << 20, &host, &told));    // of this machine: it does not count
        hw_device_free(device, a);
        OK(hw_device_alloc(device, 1 << 19, &a, &told));
        hw_stream_free(hw_device_stream(device), a);
        REFUSED(HW_NO_MEMORY, hw_stream_alloc(hw_device_stream(device), (1 << 19) + 1, &a, &told));
        OK(hw_stream_alloc(hw_device_stream(device), 1 << 19, &a, &told));
        REFUSED(HW_NO_MEMORY, hw_device_alloc(device, 1, &a, &told));
        hw_device_close(device);
    }
}

// Memory in the order of a stream: what one piece is freed for, the next may have.
static void test_memory_in_the_order_of_a_stream(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        hw_stream *stream = hw_device_stream(device);
        enum { BYTES = 3 << 20 };
        char *kept = alloc(device, BYTES), *out = malloc(BYTES);
        void *memory = NULL;
        for (int i = 0; i < 20; i++) {
            OK(hw_stream_alloc(stream, BYTES, &memory, &told));
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 256, 0);
            OK(hw_fill(stream, memory, i, BYTES, &told));
            OK(hw_copy(stream, kept, memory, BYTES, &told));
            REFUSED(HW_USAGE, hw_copy(stream, memory, kept, BYTES + 1, &told));
            hw_stream_free(stream, memory);
        }
        copy(device, out, kept, BYTES);
        for (int i = 0; i < BYTES; i++)
            if (out[i] != 19) fail_msg("byte %d is %d, not 19", i, out[i]);
        free(out);
        OK(hw_stream_alloc(stream, 0, &memory, &told));
        assert_null(memory);
        REFUSED(HW_NO_MEMORY, hw_stream_alloc(stream, (size_t)1 << 50, &memory, &told));
        REFUSED(HW_USAGE, hw_stream_alloc(NULL, 1, &memory, &told));
        REFUSED(HW_USAGE, hw_stream_alloc(stream, 1, NULL, &told));
        hw_stream_free(stream, NULL);
        hw_stream_free(NULL, kept);
        hw_stream_free(stream, kept);         // either kind of memory is freed by either function
        OK(hw_stream_alloc(stream, 100, &memory, &told));
        hw_device_free(device, memory);
        hw_device_free(device, memory);
        OK(hw_stream_alloc(stream, 100, &memory, &told));
        // It goes with the device.
    }
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

static void test_copies(void **state) {
    (void)state;
    enum { BYTES = (24 << 20) + 77 };       // large enough for several threads
    unsigned char *in = malloc(BYTES), *out = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++) in[i] = (unsigned char)(i * 2654435761u >> 13);
    FOR_EACH_DEVICE(device) {
        char *a = alloc(device, BYTES), *b = alloc(device, BYTES);
        hw_stream *stream = hw_device_stream(device);
        memset(out, 0, BYTES);
        OK(hw_copy(stream, a, in, BYTES, &told));
        OK(hw_copy(stream, b + 1, a, BYTES - 1, &told));
        OK(hw_copy(stream, out, b + 1, BYTES - 1, &told));
        OK(hw_stream_synchronize(stream, &told));
        assert_memory_equal(out, in, BYTES - 1);
        assert_int_equal(out[BYTES - 1], 0);
        OK(hw_copy(stream, NULL, NULL, 0, &told));
    }
    free(in);
    free(out);
}

enum { ROWS = 37, PITCH = 64, WIDTH = 29, OTHER_PITCH = 41 };

// Row by row by way of the device, with a guard between the rows that must stay.
static void copy_2d_round(hw_device *device, bool is_host_pinned) {
    unsigned char stack_in[ROWS * PITCH], stack_out[ROWS * PITCH], *in = stack_in, *out = stack_out;
    hw_stream *stream = hw_device_stream(device);
    unsigned char *a = alloc(device, ROWS * OTHER_PITCH), *b = alloc(device, ROWS * PITCH);
    if (is_host_pinned) {
        OK(hw_host_alloc(device, ROWS * PITCH, (void **)&in, &told));
        OK(hw_host_alloc(device, ROWS * PITCH, (void **)&out, &told));
    }
    for (int i = 0; i < ROWS * PITCH; i++) in[i] = (unsigned char)(i * 7 + i / 251);
    memset(out, 0xee, ROWS * PITCH);
    OK(hw_fill(stream, a, 0xaa, ROWS * OTHER_PITCH, &told));
    OK(hw_fill(stream, b, 0xbb, ROWS * PITCH, &told));
    OK(hw_copy_2d(stream, a, OTHER_PITCH, in, PITCH, WIDTH, ROWS, &told));
    OK(hw_copy_2d(stream, b, PITCH, a, OTHER_PITCH, WIDTH, ROWS, &told));
    OK(hw_copy_2d(stream, out, PITCH, b, PITCH, WIDTH + 1, ROWS, &told));
    OK(hw_stream_synchronize(stream, &told));
    for (int row = 0; row < ROWS; row++) {
        assert_memory_equal(out + row * PITCH, in + row * PITCH, WIDTH);
        assert_int_equal(out[row * PITCH + WIDTH], 0xbb);
        for (int i = WIDTH + 1; i < PITCH; i++) assert_int_equal(out[row * PITCH + i], 0xee);
    }
    unsigned char guards[ROWS * OTHER_PITCH];
    copy(device, guards, a, sizeof guards);
    for (int row = 0; row < ROWS; row++)
        for (int i = WIDTH; i < OTHER_PITCH; i++) assert_int_equal(guards[row * OTHER_PITCH + i], 0xaa);
    if (is_host_pinned) {
        hw_host_free(device, in);
        hw_host_free(device, out);
    }
    hw_device_free(device, a);
    hw_device_free(device, b);
}

static void test_copies_of_rows(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        copy_2d_round(device, false);
        copy_2d_round(device, true);
        hw_stream *stream = hw_device_stream(device);
        char *a = alloc(device, 1000), word[4] = "abc";
        // The last row needs no whole pitch; a single row none at all.
        OK(hw_copy_2d(stream, a + 996, 0, word, 0, 4, 1, &told));
        OK(hw_copy_2d(stream, a, 998, word, 2, 2, 2, &told));
        OK(hw_copy_2d(stream, a, 0, word, 0, 0, 5, &told));
        OK(hw_copy_2d(stream, a, 10, word, 10, 4, 0, &told));
        copy(device, word, a + 996, 4);
        assert_memory_equal(word, "ab", 2);
        assert_memory_equal(word + 2, "c", 2);
    }
}

static void test_copies_with_a_wide_pitch(void **state) {
    (void)state;
    // Wider than the 2^31 - 1 bytes that GPUs copy in one go; address space alone is needed on sim.
    for (size_t i = 0; i < n_devices; i++) {
        if (!strcmp(devices[i], "cpu")) continue;
        hw_device *device = open_device(devices[i]);
        const size_t pitch = (size_t)3 << 30;
        char *a = alloc(device, 2 * pitch), words[8] = "abcdefg", back[8] = "";
        hw_stream *stream = hw_device_stream(device);
        OK(hw_copy_2d(stream, a, pitch, words, 4, 4, 2, &told));
        OK(hw_copy_2d(stream, back, 4, a, pitch, 4, 2, &told));
        OK(hw_stream_synchronize(stream, &told));
        assert_memory_equal(back, words, 8);
        copy(device, back, a + pitch, 4);
        assert_memory_equal(back, "efg", 4);
        hw_device_close(device);
    }
}

static void test_copies_that_are_refused(void **state) {
    (void)state;
    FOR_EACH_DEVICE(device) {
        hw_stream *stream = hw_device_stream(device);
        char *a = alloc(device, 1000), host[2000];
        REFUSED(HW_USAGE, hw_copy(NULL, a, host, 10, &told));
        REFUSED(HW_USAGE, hw_copy(stream, NULL, host, 10, &told));
        REFUSED(HW_USAGE, hw_copy(stream, a, NULL, 10, &told));
        REFUSED(HW_USAGE, hw_copy(stream, a, host, 1001, &told));
        assert_non_null(strstr(told.text, "1 bytes past the end"));
        REFUSED(HW_USAGE, hw_copy(stream, host, a + 1, 1000, &told));
        REFUSED(HW_USAGE, hw_copy(stream, a, a + 5, 10, &told));
        REFUSED(HW_USAGE, hw_copy(stream, a, a, 10, &told));
        REFUSED(HW_USAGE, hw_copy_2d(stream, a, 10, host, 11, 11, 2, &told));
        REFUSED(HW_USAGE, hw_copy_2d(stream, a, 11, host, 10, 11, 2, &told));
        REFUSED(HW_USAGE, hw_copy_2d(stream, a, 500, host, 500, 500, 3, &told));
        REFUSED(HW_USAGE, hw_copy_2d(stream, a, SIZE_MAX / 2, host, 10, 10, 4, &told));
        REFUSED(HW_USAGE, hw_copy_2d(stream, a, 10, host, 10, 10, SIZE_MAX, &told));
        REFUSED(HW_USAGE, hw_fill(stream, a, 0, 1001, &told));
        REFUSED(HW_USAGE, hw_fill(stream, NULL, 0, 1, &told));
        REFUSED(HW_USAGE, hw_fill(NULL, a, 0, 1, &told));
        OK(hw_fill(stream, NULL, 0, 0, &told));
        if (is_sim(device)) {
            hw_device_free(device, a);
            REFUSED(HW_USAGE, hw_copy(stream, a, host, 10, &told));
            REFUSED(HW_USAGE, hw_fill(stream, a, 0, 10, &told));
        }
    }
}

// ---- Streams and events ---------------------------------------------------------------------------------------------

static void test_streams_and_events(void **state) {
    (void)state;
    enum { BYTES = 4 << 20 };
    char *out = malloc(BYTES);
    FOR_EACH_DEVICE(device) {
        hw_stream *first = NULL, *second = NULL;
        hw_event *start = NULL, *stop = NULL, *unrecorded = NULL;
        double ns = -1;
        char *a = alloc(device, BYTES), *b = alloc(device, BYTES);
        OK(hw_stream_create(device, &first, &told));
        OK(hw_stream_create(device, &second, &told));
        OK(hw_event_create(device, &start, &told));
        OK(hw_event_create(device, &stop, &told));
        OK(hw_event_create(device, &unrecorded, &told));
        OK(hw_event_record(start, first, &told));
        for (int i = 0; i < 50; i++) OK(hw_fill(first, a, i, BYTES, &told));
        OK(hw_event_record(stop, first, &told));
        OK(hw_stream_wait(second, stop, &told));
        OK(hw_copy(second, b, a, BYTES, &told));
        OK(hw_copy(second, out, b, BYTES, &told));
        OK(hw_stream_synchronize(second, &told));
        for (int i = 0; i < BYTES; i++)
            if (out[i] != 49) fail_msg("byte %d is %d, not 49", i, out[i]);
        OK(hw_event_elapsed_ns(start, stop, &ns, &told));
        assert_true(ns > 0 && ns < 60e9);
        OK(hw_event_elapsed_ns(stop, stop, &ns, &told));
        assert_true(ns >= 0 && ns < 1e3);
        OK(hw_stream_wait(second, unrecorded, &told));
        REFUSED(HW_USAGE, hw_event_elapsed_ns(start, unrecorded, &ns, &told));
        REFUSED(HW_USAGE, hw_event_elapsed_ns(unrecorded, stop, &ns, &told));
        REFUSED(HW_USAGE, hw_event_elapsed_ns(NULL, stop, &ns, &told));
        REFUSED(HW_USAGE, hw_event_elapsed_ns(start, stop, NULL, &told));
        REFUSED(HW_USAGE, hw_event_record(NULL, first, &told));
        REFUSED(HW_USAGE, hw_event_record(start, NULL, &told));
        REFUSED(HW_USAGE, hw_stream_wait(NULL, start, &told));
        REFUSED(HW_USAGE, hw_stream_synchronize(NULL, &told));
        REFUSED(HW_USAGE, hw_stream_create(NULL, &second, &told));
        REFUSED(HW_USAGE, hw_event_create(device, NULL, &told));
        hw_device *other = open_device("cpu");
        REFUSED(HW_USAGE, hw_event_record(start, hw_device_stream(other), &told));
        hw_device_close(other);
        hw_stream_destroy(NULL);
        hw_stream_destroy(hw_device_stream(device));    // lives on
        OK(hw_stream_synchronize(hw_device_stream(device), &told));
        hw_stream_destroy(first);
        hw_event_destroy(start);
        hw_event_destroy(NULL);
        // The others go with the device.
    }
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_no_gpu_is_said_in_one_sentence),
        cmocka_unit_test(test_default_device),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_that_there_is_not),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_memory_in_the_order_of_a_stream),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_copies_of_rows),
        cmocka_unit_test(test_copies_with_a_wide_pitch),
        cmocka_unit_test(test_copies_that_are_refused),
        cmocka_unit_test(test_streams_and_events),
    };
    return cmocka_run_group_tests(tests, find_devices, remove_cache);
}
