// For tests whose numbers are of one compiler's PTX: every kernel that a simulated GPU asks for while they run must be
// recorded (device/recorded.h). With HW_RECORD_KERNELS=FOLDER, as tools/record_kernels.sh runs them, they record
// what they ask for.
#ifndef HW_TEST_RECORDED_KERNELS_H
#define HW_TEST_RECORDED_KERNELS_H

#include "base/arena.h"
#include "device/recorded.h"

// "ARCH SOURCE", and the defines, in which there may be blanks, behind tabs.
static inline void describe_kernel(const hw_code_request *request, char *out, size_t room) {
    int length = snprintf(out, room, "%d\t%s", hw_recorded_arch(request->cc), request->source.path);
    for (size_t i = 0; i < request->n_defines && length < (int)room; i++)
        length += snprintf(out + length, room - (size_t)length, "\t%s", request->defines[i]);
}

static inline void record_kernel(const hw_code_request *request, const char *folder) {
    char key[HW_HASH_TEXT], name[64] = "", path[4096], what[2048];
    hw_code_request own = *request;
    hw_arena *arena = hw_arena_create();
    hw_code code;
    hw_diag diag = {0};
    own.compiler = HW_COMPILER_NVRTC;
    own.cache_dir = NULL;
    if (hw_toolchain_device_code(&own, arena, &code, &diag)) fail_msg("%s: %s", request->source.path, diag.text);
    assert_int_equal(code.arch, hw_recorded_arch(request->cc));
    hw_hash hash = hw_recorded_key(request);
    hw_hash_text(&hash, key);
    snprintf(name, sizeof name, "%s", request->source.path);
    for (char *c = name; *c; c++) *c = *c == '/' ? '.' : *c;
    snprintf(path, sizeof path, "%s/sm_%d/%.*s.%.12s.ptx", folder, code.arch, (int)strlen(name) - 3, name, key);
    FILE *file = fopen(path, "w");
    if (!file) fail_msg("cannot write %s", path);
    describe_kernel(request, what, sizeof what);
    fprintf(file, "// halfwarp recorded %s %s\n%s", key, what, code.bytes);
    assert_int_equal(fclose(file), 0);
    hw_arena_destroy(arena);
}

static char missing_kernel[2048];

static inline void watch_kernel(const hw_code_request *request, bool is_recorded) {
    const char *folder = getenv("HW_RECORD_KERNELS");
    if (folder) record_kernel(request, folder);
    else if (!is_recorded && !*missing_kernel) describe_kernel(request, missing_kernel, sizeof missing_kernel);
}

// As a test's setup and teardown.
static inline int watch_kernels(void **state) {
    (void)state;
    *missing_kernel = '\0';
    hw_recorded_watch(watch_kernel);
    return 0;
}

static inline int expect_recorded(void **state) {
    (void)state;
    hw_recorded_watch(NULL);
    if (*missing_kernel) {
        print_error("not recorded: %s; its sources have changed, or the test asks for it anew: with NVRTC 13.0, run "
                    "tools/record_kernels.sh, and look at what it changes\n", missing_kernel);
        return getenv("HW_RECORD_KERNELS") ? 0 : -1;
    }
    return 0;
}

#define RECORDED_TEST(test) cmocka_unit_test_setup_teardown(test, watch_kernels, expect_recorded)

#endif
