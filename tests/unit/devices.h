// What the tests of devices share: the devices that there are, kernels for them, and the words in which tests call
// them. The same tests run on cpu, sim:h200 and, where there is a GPU, cuda:0; HW_TEST_DEVICE names the only one to be
// tested, and then it must be there.
#ifndef HW_TEST_DEVICES_H
#define HW_TEST_DEVICES_H

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
#include "isa/gpu.h"

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

static inline hw_device *open_device(const char *name) {
    const hw_device_options options = {.cache_dir = cache, .threads = 2};
    hw_device *device = NULL;
    hw_diag diag = {0};
    hw_status status = hw_device_open(name, &options, &device, &diag);
    if (status) fail_msg("%s: %d %s", name, status, diag.text);
    return device;
}

static inline bool is_cpu(hw_device *device) { return hw_device_get_properties(device)->kind == HW_DEVICE_CPU; }
static inline bool is_sim(hw_device *device) { return hw_device_get_properties(device)->kind == HW_DEVICE_SIM; }

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

static inline void *alloc(hw_device *device, size_t bytes) {
    void *memory = NULL;
    OK(hw_device_alloc(device, bytes, &memory, &told));
    return memory;
}

// Waits, so that the caller may look at what was copied.
static inline void copy(hw_device *device, void *to, const void *from, size_t bytes) {
    OK(hw_copy(hw_device_stream(device), to, from, bytes, &told));
    OK(hw_stream_synchronize(hw_device_stream(device), &told));
}

// ---- Setting up -----------------------------------------------------------------------------------------------------

static inline int find_devices(void **state) {
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

static inline int remove_cache(void **state) {
    (void)state;
    char command[128];
    hw_device_close(kept_open);
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    return system(command);
}

#endif
