// Device code by every compiler that is here, and its cache: damaged files, places that cannot be written, many
// processes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "toolchain/cache/cache.h"
#include "toolchain/device_code/device_code_internal.h"
#include "toolchain/process.h"

static char folder[] = "/tmp/halfwarp-test-code.XXXXXX";
static char include_dir[] = HW_SOURCE_DIR "/include/cuda";

static const char source_text[] =
    "#include \"common/part.cuh\"\n"
    "__device__ inline int sum(int a, int b = 0) { return a + b; }\n"
    "extern \"C\" __global__ void add(int *data) {\n"
    "    data[threadIdx.x] += part() + sum(N);\n"
    "}\n";
static const char header_text[] = "#pragma once\n\n__device__ inline int part() { return threadIdx.x == 3 ? 1 : 0; }\n";
static const hw_source_file header = {"common/part.cuh", header_text, sizeof header_text - 1};
static const char *const n_is_5 = "N=5";
static const char *const n_is_a_list = "N=2,3";    // a comma ends a definition for nvcc

static const char *path_in(const char *name) {
    static char paths[4][4096];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

// What clang has read of our headers takes 0.4 s to make and is the same for every folder: the first test's serves the
// others.
static void share_headers(const char *cache_dir) {
    const char *made = path_in("compilers");
    char pattern[4200], own[2 * 4096];
    glob_t found;
    if (!cache_dir || strncmp(cache_dir, folder, strlen(folder)) != 0 || !strcmp(cache_dir, made)) return;
    snprintf(pattern, sizeof pattern, "%s/*.pch", made);
    if (glob(pattern, 0, NULL, &found) != 0) return;
    mkdir(cache_dir, 0755);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snprintf(own, sizeof own, "%s%s", cache_dir, strrchr(found.gl_pathv[i], '/'));
        if (link(found.gl_pathv[i], own) != 0) assert_true(errno == EEXIST || errno == ENOTDIR);
    }
    globfree(&found);
}

static hw_code_request request_for(const char *cache_dir) {
    share_headers(cache_dir);
    return (hw_code_request){
        .source = {"family/add.cu", source_text, sizeof source_text - 1},
        .headers = &header,
        .n_headers = 1,
        .defines = &n_is_5,
        .n_defines = 1,
        .cc = 75,
        .include_dir = access(include_dir, R_OK) == 0 ? include_dir : NULL,
        .search_path = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin",
        .cache_dir = cache_dir,
    };
}

static const hw_toolchain_compiler compilers[] = {HW_COMPILER_NVRTC, HW_COMPILER_NVCC, HW_COMPILER_CLANG};
static const char *const compiler_names[] = {"NVRTC", "nvcc", "clang"};

static hw_status compile(const hw_code_request *request, hw_arena *arena, hw_code *code, hw_diag *diag) {
    *diag = (hw_diag){0};
    return hw_toolchain_device_code(request, arena, code, diag);
}

// How many files of a folder match; the first of them in *first unless NULL.
static size_t count_files(const char *cache, const char *pattern, char first[4096]) {
    char whole[4096];
    glob_t found;
    snprintf(whole, sizeof whole, "%s/%s", cache, pattern);
    if (glob(whole, 0, NULL, &found) != 0) return 0;
    size_t count = found.gl_pathc;
    if (first) snprintf(first, 4096, "%s", found.gl_pathv[0]);
    globfree(&found);
    return count;
}

static void write_bytes(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

// ---- Compilers ------------------------------------------------------------------------------------------------------

static void test_every_compiler(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        hw_arena *arena = hw_arena_create();
        hw_code_request request = request_for(path_in("compilers"));
        hw_code code, again;
        hw_diag diag;
        request.compiler = compilers[i];
        request.defines = &n_is_a_list;
        hw_status status = compile(&request, arena, &code, &diag);
        if (status == HW_NOT_FOUND) {
            printf("    %s: %s\n", compiler_names[i], diag.text);
            hw_arena_destroy(arena);
            continue;
        }
        if (status) fail_msg("%s: %s:%d %s", compiler_names[i], diag.file, diag.line, diag.text);
        assert_true(code.is_ptx);
        assert_false(code.from_cache);
        assert_int_equal(code.arch, 75);
        assert_int_equal(code.length, strlen(code.bytes));
        assert_non_null(strstr(code.bytes, ".target sm_75"));
        assert_non_null(strstr(code.bytes, ".entry add"));
        // Lines, with the files as they are named here.
        assert_non_null(strstr(code.bytes, "\"family/add.cu\""));
        if (strstr(code.bytes, "/tmp/")) fail_msg("%s", strstr(code.bytes, "/tmp/"));
        assert_non_null(strstr(code.bytes, "\t.loc\t"));
        assert_int_equal(compile(&request, arena, &again, &diag), HW_OK);
        assert_true(again.from_cache);
        assert_int_equal(again.arch, 75);
        assert_string_equal(again.bytes, code.bytes);
        // NVRTC's text is nvcc's.
        const char *maker = compilers[i] == HW_COMPILER_CLANG ? "clang " : "nvcc ";
        int major = 0, minor = 0;
        if (strncmp(code.made_by, maker, strlen(maker)) ||
            sscanf(code.made_by + strlen(maker), "%d.%d", &major, &minor) != 2 || major < 11)
            fail_msg("%s: made by '%s'", compiler_names[i], code.made_by);
        assert_string_equal(again.made_by, code.made_by);
        hw_arena_destroy(arena);
    }
}

static void test_what_compilers_refuse(void **state) {
    (void)state;
    static const struct {
        const char *source, *header, *file;
        int line;
        const char *words;
    } cases[] = {
        {"__device__ int a;\n\n__global__ void f() { undeclared = 1; }\n", "", "family/add.cu", 3, "undeclared"},
        {"#include \"common/part.cuh\"\n", "\n__device__ int f() { return nothing; }\n", "common/part.cuh", 2,
         "nothing"},
        {"#include \"common/none.cuh\"\n", "", "family/add.cu", 1, "none.cuh"},
        {"\n#error stop here\n", "", "family/add.cu", 2, "stop here"},
        {"__global__ void f(", "", "family/add.cu", 1, "error"},
    };
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            hw_arena *arena = hw_arena_create();
            hw_code_request request = request_for(path_in("refused"));
            hw_source_file own = {"common/part.cuh", cases[k].header, strlen(cases[k].header)};
            hw_code code;
            hw_diag diag;
            request.compiler = compilers[i];
            request.source.text = cases[k].source;
            request.source.bytes = strlen(cases[k].source);
            request.headers = &own;
            hw_status status = compile(&request, arena, &code, &diag);
            if (status != HW_NOT_FOUND) {
                if (status != HW_COMPILE || strcmp(diag.file, cases[k].file) != 0 || diag.line != cases[k].line ||
                    !strstr(diag.text, cases[k].words) || strchr(diag.text, '\n'))
                    fail_msg("%s, case %zu: %d %s:%d: %s", compiler_names[i], k, status, diag.file, diag.line,
                             diag.text);
            }
            hw_arena_destroy(arena);
        }
    }
    // What did not compile is not kept; the headers that clang has read are, and its name.
    assert_int_equal(count_files(path_in("refused"), "*.code", NULL), 0);
    assert_int_equal(count_files(path_in("refused"), "*", NULL),
                     count_files(path_in("refused"), "*.pch", NULL) + count_files(path_in("refused"), "*.name", NULL));
}

// clang's headers are read once for all kernels of an architecture, and what was kept of them changes no result,
// whatever has become of it.
static void test_headers_are_kept(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_code_request request = request_for(NULL);
    hw_code without, with;
    hw_diag diag;
    char kept[4096];
    request.compiler = HW_COMPILER_CLANG;
    hw_status status = compile(&request, arena, &without, &diag);
    if (status == HW_NOT_FOUND) {
        hw_arena_destroy(arena);
        skip();
    }
    assert_int_equal(status, HW_OK);
    request.cache_dir = path_in("headers");
    static const char *const sizes[] = {"N=5", "N=6", "N=7"};
    for (size_t i = 0; i < 3; i++) {
        request.defines = &sizes[i];
        assert_int_equal(compile(&request, arena, &with, &diag), HW_OK);
        assert_false(with.from_cache);
        if (i == 0) assert_string_equal(with.bytes, without.bytes);
        assert_int_equal(count_files(request.cache_dir, "*.pch*", kept), i < 2 ? 1 : 0);
        if (i == 1) write_bytes(kept, "no headers", 10);
    }
    hw_arena_destroy(arena);
}

static void test_no_compiler(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_code_request request = request_for("");
    hw_code code;
    hw_diag diag;
    request.compiler = HW_COMPILER_NVCC;
    request.search_path = "";
    assert_int_equal(compile(&request, arena, &code, &diag), HW_NOT_FOUND);
    assert_string_not_equal(diag.text, "");
    request.compiler = HW_COMPILER_CLANG;
    assert_int_equal(compile(&request, arena, &code, &diag), HW_NOT_FOUND);
    request.search_path = "/usr/local/bin:/usr/bin";
    request.include_dir = NULL;
    assert_int_equal(compile(&request, arena, &code, &diag), HW_NOT_FOUND);
    hw_arena_destroy(arena);
}

static void test_machine_code(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_code_request request = request_for(path_in("machine"));
    hw_code code;
    hw_diag diag;
    request.wants_machine_code = true;
    request.cc = 90;
    hw_status status = compile(&request, arena, &code, &diag);
    if (status == HW_NOT_FOUND) {
        hw_arena_destroy(arena);
        skip();
    }
    assert_int_equal(status, HW_OK);
    assert_false(code.is_ptx);
    assert_memory_equal(code.made_by, "NVRTC 1", 7);
    assert_memory_equal(code.bytes, "\177ELF", 4);
    request.cc = 9999;                    // a GPU of the future: PTX, which its driver compiles
    assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
    assert_true(code.is_ptx);
    assert_true(code.arch >= 90 && code.arch < 9999);
    request.cc = 20;
    assert_int_equal(compile(&request, arena, &code, &diag), HW_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "2.0"));
    hw_arena_destroy(arena);
}

static void test_everything_that_matters_is_in_the_key(void **state) {
    (void)state;
    static const char *const n_is_6 = "N=6", *const two[] = {"N=5", "M=1"};
    static const hw_source_file other_header = {"common/part.cuh", "__device__ int part() { return 2; }\n", 36};
    hw_arena *arena = hw_arena_create();
    hw_code code;
    hw_diag diag;
    hw_code_request request = request_for(path_in("key")), changed[6];
    if (compile(&request, arena, &code, &diag) == HW_NOT_FOUND) {
        hw_arena_destroy(arena);
        skip();
    }
    assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
    assert_true(code.from_cache);
    for (int i = 0; i < 6; i++) changed[i] = request;
    changed[0].defines = &n_is_6;
    changed[1].defines = two;
    changed[1].n_defines = 2;
    changed[2].headers = &other_header;
    changed[3].cc = 80;
    changed[4].source.path = "family/other.cu";
    changed[5].source.text = "extern \"C\" __global__ void other() {}\n";
    for (int i = 0; i < 6; i++) {
        assert_int_equal(compile(&changed[i], arena, &code, &diag), HW_OK);
        assert_false(code.from_cache);
        assert_int_equal(compile(&changed[i], arena, &code, &diag), HW_OK);
        assert_true(code.from_cache);
    }
    hw_arena_destroy(arena);
}

// GPUs for which NVRTC compiles the same have one piece of code between them.
// Code that was compiled with other CUDA headers is compiled again: an installation may be replaced by another.
static void test_headers_are_in_the_key(void **state) {
    (void)state;
    char own[4096], command[3 * 4096];
    hw_arena *arena = hw_arena_create();
    hw_code_request request = request_for(path_in("headers key"));
    hw_code code;
    hw_diag diag;
    snprintf(own, sizeof own, "%s", path_in("include"));
    snprintf(command, sizeof command, "cp -rL '%s' '%s'", include_dir, own);
    assert_int_equal(system(command), 0);
    request.include_dir = own;
    request.compiler = HW_COMPILER_CLANG;
    if (compile(&request, arena, &code, &diag) == HW_NOT_FOUND) {
        hw_arena_destroy(arena);
        skip();
    }
    assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
    assert_true(code.from_cache);
    snprintf(command, sizeof command, "echo '// changed' >> '%s/halfwarp/atomics.h'", own);
    assert_int_equal(system(command), 0);
    assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
    assert_false(code.from_cache);
    hw_arena_destroy(arena);
}

static void test_key_is_of_the_architecture(void **state) {
    hw_arena *arena = hw_arena_create();
    hw_code code;
    hw_diag diag;
    hw_code_request request = request_for(path_in("arch"));
    (void)state;
    request.compiler = HW_COMPILER_NVRTC;
    request.cc = 10;
    if (compile(&request, arena, &code, &diag) == HW_NOT_FOUND) {
        hw_arena_destroy(arena);
        skip();
    }
    const int oldest = code.arch;
    assert_false(code.from_cache);
    request.cc = 13;
    assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
    assert_true(code.from_cache && code.arch == oldest);
    request.cc = 90;
    assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
    assert_true(!code.from_cache && code.arch == 90);
    hw_arena_destroy(arena);
}

// ---- The cache ------------------------------------------------------------------------------------------------------


// Every truncation, every byte changed, bytes added: none of it is taken for the code.
static void test_damaged_files_are_ignored(void **state) {
    (void)state;
    static const char bytes[] = "code\nwith\0any bytes \377 in it";
    hw_arena *arena = hw_arena_create();
    const hw_code kept = {.bytes = bytes, .length = sizeof bytes - 1, .is_ptx = true, .arch = 90};
    hw_hash key = hw_hash_start();
    hw_hash_string(&key, "a key");
    const char *cache = path_in("damaged");
    char text[HW_HASH_TEXT], path[4096];
    hw_hash_text(&key, text);
    snprintf(path, sizeof path, "%s/%s.code", cache, text);
    hw_code found;
    assert_false(hw_code_cache_find(cache, &key, arena, &found));
    hw_code_cache_keep(cache, &key, arena, &kept);
    assert_true(hw_code_cache_find(cache, &key, arena, &found));
    assert_true(found.is_ptx && found.from_cache && found.arch == 90 && found.length == kept.length);
    assert_memory_equal(found.bytes, bytes, sizeof bytes);
    size_t length;
    char *file = hw_cache_read_file(path, arena, &length), *wrong = malloc(length + 8);
    assert_non_null(file);
    for (size_t cut = 0; cut < length; cut++) {
        write_bytes(path, file, cut);
        if (hw_code_cache_find(cache, &key, arena, &found)) fail_msg("cut to %zu bytes", cut);
    }
    for (size_t at = 0; at < length; at++) {
        static const unsigned char flips[] = {1, 0x20, 0x80, 0xff};
        for (int f = 0; f < 4; f++) {
            memcpy(wrong, file, length);
            wrong[at] = (char)(wrong[at] ^ flips[f]);
            write_bytes(path, wrong, length);
            if (hw_code_cache_find(cache, &key, arena, &found)) fail_msg("byte %zu changed", at);
        }
    }
    memcpy(wrong, file, length);
    memset(wrong + length, 0, 8);
    write_bytes(path, wrong, length + 8);
    assert_false(hw_code_cache_find(cache, &key, arena, &found));
    // A file of another key, whole in itself.
    hw_hash other = key;
    other.low ^= 1;
    hw_code_cache_keep(cache, &other, arena, &kept);
    hw_hash_text(&other, text);
    char other_path[4096];
    snprintf(other_path, sizeof other_path, "%s/%s.code", cache, text);
    assert_int_equal(rename(other_path, path), 0);
    assert_false(hw_code_cache_find(cache, &key, arena, &found));
    // A folder, a link to nothing.
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(hw_code_cache_find(cache, &key, arena, &found));
    hw_code_cache_keep(cache, &key, arena, &kept);
    rmdir(path);
    assert_int_equal(symlink("/nonexistent/file", path), 0);
    assert_false(hw_code_cache_find(cache, &key, arena, &found));
    // And is written anew.
    hw_code_cache_keep(cache, &key, arena, &kept);
    assert_true(hw_code_cache_find(cache, &key, arena, &found));
    free(wrong);
    hw_arena_destroy(arena);
}

// The only file of the folder that ends in .code.
static bool find_code(const char *cache, char path[4096]) {
    char command[4200];
    snprintf(command, sizeof command, "ls '%s'/*.code", cache);
    FILE *pipe = popen(command, "r");
    bool is_there = pipe && fgets(path, 4096, pipe);
    if (pipe) pclose(pipe);
    if (is_there) path[strcspn(path, "\n")] = '\0';
    return is_there;
}

static void test_damaged_files_are_written_again(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_code code;
    hw_diag diag;
    const char *cache = path_in("again");
    hw_code_request request = request_for(cache);
    char path[4096];
    if (compile(&request, arena, &code, &diag) == HW_NOT_FOUND) {
        hw_arena_destroy(arena);
        skip();
    }
    assert_true(find_code(cache, path));
    for (int i = 0; i < 3; i++) {
        write_bytes(path, "halfwarp code 1 junk\n", i * 10);
        assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
        assert_false(code.from_cache);
        assert_int_equal(compile(&request, arena, &code, &diag), HW_OK);
        assert_true(code.from_cache);
    }
    hw_arena_destroy(arena);
}

static void test_a_cache_that_cannot_be_written(void **state) {
    (void)state;
    write_bytes(path_in("file"), "x", 1);
    const char *const places[] = {path_in("file/below"), "/proc/halfwarp", "/dev/full", "", NULL,
                                  "/dev/null/deep/deeper"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        hw_arena *arena = hw_arena_create();
        hw_code code;
        hw_diag diag;
        hw_code_request request = request_for(places[i]);
        hw_status status = compile(&request, arena, &code, &diag);
        if (status != HW_NOT_FOUND) {
            assert_int_equal(status, HW_OK);
            assert_false(code.from_cache);
            assert_string_equal(diag.text, "");
        }
        hw_arena_destroy(arena);
    }
}

// Each round all processes want the same new code; whoever is last, what is there is whole.
static void test_many_processes(void **state) {
    (void)state;
    enum { PROCESSES = 4, ROUNDS = 2 };
    hw_code_request probe = request_for("");
    hw_arena *arena = hw_arena_create();
    hw_code code;
    hw_diag diag;
    if (compile(&probe, arena, &code, &diag) == HW_NOT_FOUND) {
        hw_arena_destroy(arena);
        skip();
    }
    pid_t children[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p]) continue;
        for (int round = 0; round < ROUNDS; round++) {
            char define[16];
            const char *defines = define;
            hw_code_request request = request_for(path_in("shared"));
            snprintf(define, sizeof define, "N=%d", 100 + round);
            request.defines = &defines;
            if (compile(&request, arena, &code, &diag) != HW_OK || !strstr(code.bytes, ".entry add")) _exit(1);
        }
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status = 1;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    // The code, clang's headers and name, and no temporary file.
    const size_t n_headers = count_files(path_in("shared"), "*.pch", NULL);
    const size_t n_names = count_files(path_in("shared"), "*.name", NULL);
    assert_int_equal(count_files(path_in("shared"), "*.code", NULL), ROUNDS);
    assert_int_equal(count_files(path_in("shared"), "*", NULL), ROUNDS + n_headers + n_names);
    assert_true(n_headers <= 1 && n_names <= 1);
    hw_arena_destroy(arena);
}

static void test_failing_allocations(void **state) {
    (void)state;
    hw_code_request request = request_for(path_in("memory"));
    bool is_done = false;
    long n = 0;
    hw_code code;
    hw_diag diag;
    hw_arena *arena = hw_arena_create();
    hw_status status = compile(&request, arena, &code, &diag);
    hw_arena_destroy(arena);
    if (status == HW_NOT_FOUND) skip();
    for (; !is_done && n < 200; n++) {
        hw_alloc_fail_after(n);
        if ((arena = hw_arena_create())) {
            status = compile(&request, arena, &code, &diag);
            if (status && status != HW_NO_MEMORY) fail_msg("%d %s", status, diag.text);
            is_done = !status && code.from_cache;
        }
        hw_alloc_fail_after(-1);
        hw_arena_destroy(arena);
    }
    assert_true(is_done);
}

// A whole compilation by clang, of which every allocation fails in turn: that is told as what it is, whatever errno
// calls before left behind. The PTX is larger than what arenas take at a time, so that reading it allocates.
static void test_failing_allocations_by_clang(void **state) {
    enum { LINES = 1000 };   // of a comment in the PTX, which the compiler only copies
    static char source[100 * LINES] = "extern \"C\" __global__ void add(float *p) {\n";
    hw_code_request request = request_for(path_in("memory by clang"));
    hw_status status = HW_NO_MEMORY;
    long n = 0;
    (void)state;
    char *end = source + strlen(source);
    end += sprintf(end, "    asm volatile(");
    for (int i = 0; i < LINES; i++)
        end += sprintf(end, "\"// %d: a line that is here for its length, as are all of its neighbours\\n\"\n", i);
    sprintf(end, "    );\n}\n");
    request.source.text = source;
    request.source.bytes = strlen(source);
    request.compiler = HW_COMPILER_CLANG;
    for (; status == HW_NO_MEMORY && n < 200; n++) {
        hw_code code;
        hw_diag diag = {0};
        hw_alloc_fail_after(n);
        hw_arena *arena = hw_arena_create();
        errno = EEXIST;
        if (arena) status = compile(&request, arena, &code, &diag);
        hw_alloc_fail_after(-1);
        if (status == HW_NOT_FOUND) skip();
        if (status && status != HW_NO_MEMORY) fail_msg("allocation %ld: %d %s", n, status, diag.text);
        if (arena && status && !strstr(diag.text, "out of memory")) fail_msg("allocation %ld: %s", n, diag.text);
        if (!status) assert_true(code.length > 64 << 10);
        hw_arena_destroy(arena);
    }
    assert_int_equal(status, HW_OK);
    assert_true(n > 4);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_compiler),
        cmocka_unit_test(test_what_compilers_refuse),
        cmocka_unit_test(test_headers_are_kept),
        cmocka_unit_test(test_no_compiler),
        cmocka_unit_test(test_machine_code),
        cmocka_unit_test(test_everything_that_matters_is_in_the_key),
        cmocka_unit_test(test_headers_are_in_the_key),
        cmocka_unit_test(test_key_is_of_the_architecture),
        cmocka_unit_test(test_damaged_files_are_ignored),
        cmocka_unit_test(test_damaged_files_are_written_again),
        cmocka_unit_test(test_a_cache_that_cannot_be_written),
        cmocka_unit_test(test_many_processes),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_failing_allocations_by_clang),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
