// Recorded PTX (device/recorded.h) is of the kernels as they are, and of the compiler that it names: where that one is
// installed, it makes the same text again.
#include <glob.h>

#include "op_test.h"
#include "recorded_kernels.h"
#include "device/kernels.h"
#include "toolchain/cache/cache.h"
#include "toolchain/compilers/nvrtc.h"

enum { MOST_DEFINES = 32, MOST_HEADERS = 64 };

// What a file's first line says, and the rest of the file.
typedef struct recording {
    const char *path;
    char *text, *ptx;
    char key[HW_HASH_TEXT];
    const char *defines[MOST_DEFINES];
    hw_code_request request;
} recording;

static hw_source_file headers[MOST_HEADERS];
static size_t n_headers;
static glob_t files;

static int find_files(void **state) {
    const hw_source_file *source;
    (void)state;
    for (size_t i = 0; (source = hw_kernel_source_at(i)); i++)
        if (strstr(source->path, ".cuh")) headers[n_headers++] = *source;
    return glob(HW_SOURCE_DIR "/kernels/recorded/*/*.ptx", 0, NULL, &files) == 0 ? 0 : -1;
}

static int forget_files(void **state) {
    (void)state;
    globfree(&files);
    return 0;
}

static void read_recording(const char *path, recording *out) {
    static const char begin[] = "// halfwarp recorded ";
    size_t length;
    *out = (recording){.path = path};
    hw_arena *arena = hw_arena_create();
    char *text = hw_cache_read_file(path, arena, &length);
    assert_non_null(text);
    out->text = strdup(text);
    hw_arena_destroy(arena);
    if (strncmp(out->text, begin, sizeof begin - 1) != 0) fail_msg("%s is no recording", path);
    out->ptx = strchr(out->text, '\n');
    assert_non_null(out->ptx);
    *out->ptx++ = '\0';
    char *rest = NULL, *word = strtok_r(out->text + sizeof begin - 1, " ", &rest);
    snprintf(out->key, sizeof out->key, "%s", word);
    word = strtok_r(NULL, "\t", &rest);
    out->request = (hw_code_request){.cc = atoi(word), .headers = headers, .n_headers = n_headers};
    const hw_source_file *source = hw_kernel_source_find(strtok_r(NULL, "\t", &rest));
    if (!source) fail_msg("%s: there is no such kernel any more", path);
    out->request.source = *source;
    out->request.defines = out->defines;
    while ((word = strtok_r(NULL, "\t", &rest))) {
        assert_true(out->request.n_defines < MOST_DEFINES);
        out->defines[out->request.n_defines++] = word;
    }
}

static void sources_are_the_same(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    for (size_t i = 0; i < files.gl_pathc; i++) {
        recording r;
        char key[HW_HASH_TEXT];
        hw_code code;
        read_recording(files.gl_pathv[i], &r);
        hw_hash hash = hw_recorded_key(&r.request);
        hw_hash_text(&hash, key);
        if (strcmp(key, r.key) != 0)
            fail_msg("%s: the kernel has changed since; with NVRTC 13.0, run tools/record_kernels.sh, and look at what "
                     "it changes", r.path);
        if (hw_recorded_find(&r.request, arena, &code, NULL)) fail_msg("%s is not part of the library", r.path);
        const char *line = strchr(code.bytes, '\n');
        assert_non_null(line);
        assert_string_equal(line + 1, r.ptx);
        free(r.text);
    }
    hw_arena_destroy(arena);
}

// Where a recording was made is in none of its names of files.
static void names_have_no_folder(void **state) {
    (void)state;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        recording r;
        read_recording(files.gl_pathv[i], &r);
        for (const char *at = r.ptx; (at = strstr(at, "\t.file\t")); at++) {
            const char *name = strchr(at, '"');
            assert_non_null(name);
            if (name[1] == '/') fail_msg("%s has the path of a machine: %.*s", r.path, (int)strcspn(at, "\n"), at);
        }
        free(r.text);
    }
}

// The version that NVRTC gives itself in what it makes.
static bool is_made_by(const char *ptx, const hw_nvrtc *nvrtc) {
    char words[64];
    snprintf(words, sizeof words, "Cuda compilation tools, release %d.%d,", nvrtc->major, nvrtc->minor);
    return strstr(ptx, words) != NULL;
}

// NVRTC makes other texts of a few long kernels from time to time (of nearest/80_brute.cu once in four): one of several
// must be the recorded one.
static bool makes_the_same(const recording *r) {
    enum { MOST_TRIES = 10 };
    bool is_same = false;
    for (int i = 0; i < MOST_TRIES && !is_same; i++) {
        hw_code code;
        hw_diag diag = {0};
        hw_arena *arena = hw_arena_create();
        if (hw_toolchain_device_code(&r->request, arena, &code, &diag)) fail_msg("%s: %s", r->path, diag.text);
        is_same = !strcmp(code.bytes, r->ptx);
        hw_arena_destroy(arena);
    }
    return is_same;
}

static void compiler_makes_the_same(void **state) {
    (void)state;
#ifdef HW_SANITIZED
    skip();   // NVRTC is no code of ours
#endif
    const hw_nvrtc *nvrtc = hw_nvrtc_open(0, NULL);
    if (!nvrtc) skip();
    for (size_t i = 0; i < files.gl_pathc; i++) {
        recording r;
        read_recording(files.gl_pathv[i], &r);
        r.request.compiler = HW_COMPILER_NVRTC;
        if (is_made_by(r.ptx, nvrtc) && !makes_the_same(&r)) fail_msg("%s: NVRTC makes another text of it", r.path);
        free(r.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sources_are_the_same), cmocka_unit_test(names_have_no_folder),
                                       cmocka_unit_test(compiler_makes_the_same)};
    return cmocka_run_group_tests(tests, find_files, forget_files);
}
