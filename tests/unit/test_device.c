// Devices by their interface: the same tests on cpu, sim:h200 and, where there is a GPU, cuda:0. HW_TEST_DEVICE names
// the only one to be tested, and then it must be there.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "device/device.h"
#include "device/kernels.h"

// ---- Kernels of the tests -------------------------------------------------------------------------------------------

static const char scale_text[] =
    "#include \"common/test_index.cuh\"\n"
    "#include <stdint.h>\n"
    "#ifndef FACTOR\n"
    "#error FACTOR is missing\n"
    "#endif\n"
    "__device__ unsigned calls;\n"
    "extern \"C\" __global__ void scale(uint32_t *out, const uint32_t *in, unsigned n) {\n"
    "    unsigned i = thread_index();\n"
    "    if (i < n) out[i] = in[i] * FACTOR;\n"
    "    if (i == 0) calls++;\n"
    "}\n"
    "extern \"C\" __global__ void count_calls(unsigned *out) { *out = calls; }\n";
static const char index_text[] =
    "#pragma once\n"
    "#include \"common/test_deeper.cuh\"\n"
    "__device__ unsigned thread_index() { return blockIdx.x * blockDim.x + threadIdx.x + NOTHING; }\n";
static const char deeper_text[] = "#pragma once\nenum { NOTHING = 0 };\n";
// Turns a block's words round by way of n words of dynamic shared memory, of which it touches the last.
static const char shared_text[] =
    "extern __shared__ unsigned words[];\n"
    "extern \"C\" __global__ void turn(unsigned *data, unsigned n) {\n"
    "    words[n - 1 - threadIdx.x] = data[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    data[threadIdx.x] = words[n - blockDim.x + threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ __launch_bounds__(64) void small(unsigned *data) { data[threadIdx.x] = 1; }\n";
static const char wild_text[] =
    "extern \"C\" __global__ void wild(unsigned *data, unsigned long long at) {\n"
    "    data[at + threadIdx.x] = 1;\n"
    "}\n"
    "extern \"C\" __global__ void trapped(unsigned *data) { if (*data == 0) __trap(); }\n"
    "extern \"C\" __global__ void crooked(char *data) { *(unsigned *)(data + 1) = 1; }\n";
static const char broken_text[] =
    "#include \"common/test_index.cuh\"\n\nextern \"C\" __global__ void broken() {\n    undeclared = 1;\n}\n";
static const char broken_header_text[] = "#include \"common/test_broken.cuh\"\n";
static const char broken_in_header_text[] = "\n\n__device__ int f() { return nothing_such; }\n";

#define SOURCE(path, text) {path, text, sizeof text - 1}
static const hw_source_file sources[] = {
    SOURCE("test/scale.cu", scale_text),
    SOURCE("common/test_index.cuh", index_text),
    SOURCE("common/test_deeper.cuh", deeper_text),
    SOURCE("test/shared.cu", shared_text),
    SOURCE("test/wild.cu", wild_text),
    SOURCE("test/broken.cu", broken_text),
    SOURCE("test/broken_header.cu", broken_header_text),
    SOURCE("common/test_broken.cuh", broken_in_header_text),
};
enum { N_SOURCES = sizeof sources / sizeof sources[0] };

// ---- Which devices there are ----------------------------------------------------------------------------------------

static const char *devices[4];
static size_t n_devices;
static bool has_cuda;
static hw_device *kept_open;    // so that a GPU's context, which takes long to make, outlives the devices of the tests
static char cache[] = "/tmp/halfwarp-test-device.XXXXXX";

static hw_device *open_device(const char *name) {
    const hw_device_options options = {.cache_dir = cache, .threads = 2};
    hw_device *device = NULL;
    hw_diag diag = {0};
    hw_status status = hw_device_open(name, &options, &device, &diag);
    if (status) fail_msg("%s: %d %s", name, status, diag.text);
    return device;
}

static bool is_cpu(hw_device *device) { return hw_device_get_properties(device)->kind == HW_DEVICE_CPU; }
static bool is_sim(hw_device *device) { return hw_device_get_properties(device)->kind == HW_DEVICE_SIM; }

#define FOR_EACH_DEVICE(device) \
    for (size_t device_number = 0; device_number < n_devices; device_number++) \
        for (hw_device *device = open_device(devices[device_number]); device; hw_device_close(device), device = NULL)

static hw_diag told;
#define OK(call) \
    do { \
        told = (hw_diag){0}; \
        hw_status status_ = (call); \
        if (status_) fail_msg("%s: %d %s", #call, status_, told.text); \
    } while (0)
#define REFUSED(expected, call) \
    do { \
        told = (hw_diag){0}; \
        assert_int_equal(call, expected); \
        assert_string_not_equal(told.text, ""); \
    } while (0)

static void *alloc(hw_device *device, size_t bytes) {
    void *memory = NULL;
    OK(hw_device_alloc(device, bytes, &memory, &told));
    return memory;
}

// Waits, so that the caller may look at what was copied.
static void copy(hw_device *device, void *to, const void *from, size_t bytes) {
    OK(hw_copy(hw_device_stream(device), to, from, bytes, &told));
    OK(hw_stream_synchronize(hw_device_stream(device), &told));
}

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

// ---- Setting up -----------------------------------------------------------------------------------------------------

static int find_devices(void **state) {
    (void)state;
    const char *only = getenv("HW_TEST_DEVICE");
    hw_diag diag = {0};
    if (!mkdtemp(cache)) return -1;
    hw_kernel_sources_add(sources, N_SOURCES);
    has_cuda = hw_device_open("cuda:0", NULL, &kept_open, &diag) == HW_OK;
    if (only && *only) {
        devices[n_devices++] = only;
        return 0;
    }
    devices[n_devices++] = "cpu";
    devices[n_devices++] = "sim:h200";
    if (has_cuda) devices[n_devices++] = "cuda:0";
    else printf("    cuda:0 is not tested: %s\n", diag.text);
    return 0;
}

static int remove_cache(void **state) {
    (void)state;
    char command[128];
    hw_device_close(kept_open);
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    return system(command);
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
