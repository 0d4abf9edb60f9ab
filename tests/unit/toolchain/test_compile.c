// Compiling for real, with clang and with nvcc where they are: what the cache keeps, what it makes again, and that our
// headers have every name.
#include "toolchain_folder.h"

#include <sys/wait.h>

#include "base/alloc.h"
#include "toolchain/compilers/compilers.h"

// HW_OK when the compiler is here; otherwise the test is skipped with a message.
static void need(hw_toolchain_compiler which) {
    hw_arena *arena = hw_arena_create();
    hw_toolchain_options options = options_for("");
    hw_compiler chosen;
    options.compiler = which;
    options.hide_nvcc = which == HW_COMPILER_CLANG;
    hw_status status = hw_compiler_choose(&options, arena, &chosen, NULL);
    hw_arena_destroy(arena);
    if (status == HW_OK) return;
    print_message("skipped: no %s on this machine\n", which == HW_COMPILER_NVCC ? "nvcc" : "clang");
    skip();
}

static hw_toolchain_result compile(const hw_toolchain_options *options, hw_status expected) {
    hw_toolchain_result result;
    hw_diag diag = {0};
    hw_status status = hw_toolchain_compile(options, &result, &diag);
    if (status != expected) print_message("%s\n", diag.text);
    assert_int_equal(status, expected);
    return result;
}

// What takes the time where this is asked is the compilers' own work.
#ifdef HW_SANITIZED
static const bool is_sanitized = true;
#else
static const bool is_sanitized = false;
#endif

// The factor can be seen in the executable.
static const char program[] = "#include \"factor.h\"\n"
                              "#ifdef __CUDA_ARCH__\n"
                              "#include \"device only.h\"\n"
                              "#else\n"
                              "#define OFFSET 0\n"
                              "#endif\n"
                              "__global__ void scale(float *p) { p[threadIdx.x] = p[threadIdx.x] * FACTOR + OFFSET; }\n"
                              "#define TEXT(x) #x\n#define VALUE(x) TEXT(x)\n"
                              "extern const char mark[] = \"the factor is \" VALUE(FACTOR);\n"
                              "int main() { scale<<<1, 32>>>(nullptr); return mark[0]; }\n";

static bool has_factor(const char *executable, int factor) {
    return shell("grep -q 'the factor is %d' '%s'", factor, executable) == 0;
}

static void compile_and_change(hw_toolchain_compiler which) {
    need(which);
    shell("mkdir -p '%s'", in_folder("my sources"));
    write_text(in_folder("my sources/factor.h"), "#define FACTOR 2\n");
    write_text(in_folder("my sources/device only.h"), "#define OFFSET 1\n");
    write_text(in_folder("my sources/scale it.cu"), program);
    hw_toolchain_options options = options_for(in_folder("my sources/scale it.cu"));
    options.compiler = which;
    options.hide_nvcc = which == HW_COMPILER_CLANG;
    const int usual = options.cc;

    hw_toolchain_result first = compile(&options, HW_OK);
    assert_int_equal(first.compiler, which);
    assert_false(first.from_cache);
    assert_string_equal(strrchr(first.executable, '/'), "/scale it");
    assert_true(has_factor(first.executable, 2));
    assert_int_equal(hw_toolchain_check_executable(first.executable, NULL), HW_OK);
    hw_toolchain_result again = compile(&options, HW_OK);
    assert_true(again.from_cache);
    assert_string_equal(again.executable, first.executable);
    assert_int_equal(again.arch, first.arch);

    // The same content at another time is the same program; another content is another.
    write_text(in_folder("my sources/factor.h"), "#define FACTOR 2\n");
    assert_true(compile(&options, HW_OK).from_cache);
    write_text(in_folder("my sources/factor.h"), "#define FACTOR 3\n");
    hw_toolchain_result changed = compile(&options, HW_OK);
    assert_false(changed.from_cache);
    assert_true(has_factor(changed.executable, 3));
    write_text(in_folder("my sources/device only.h"), "#define OFFSET 7\n");
    assert_false(compile(&options, HW_OK).from_cache);
    assert_true(compile(&options, HW_OK).from_cache);

    if (which == HW_COMPILER_NVCC) return;    // it takes its time, and what follows is the same

    // Other options, another program; the first's stays.
    const char *const more[] = {"-DMORE", "-O1"};
    options.arguments = more;
    options.argument_count = 2;
    assert_false(compile(&options, HW_OK).from_cache);
    options.argument_count = 0;
    assert_true(compile(&options, HW_OK).from_cache);

    // What clang is not told makes no difference, nor does a GPU that it compiles the same for.
    const char *const untold[] = {"-maxrregcount=40", "-Xptxas", "-v"};
    options.arguments = untold;
    options.argument_count = 3;
    assert_true(compile(&options, HW_OK).from_cache);
    options.argument_count = 0;
    options.cc = 13;
    assert_string_not_equal(compile(&options, HW_OK).executable, first.executable);
    options.cc = 20;
    assert_true(compile(&options, HW_OK).from_cache);
    options.cc = usual;

    // A program that someone removed is made again.
    unlink(compile(&options, HW_OK).executable);
    assert_false(compile(&options, HW_OK).from_cache);
    assert_int_equal(shell("test \"$(ls '%s' | wc -l)\" = 3", in_folder("my sources")), 0);
    assert_int_not_equal(shell("ls '%s/cache/deep' | grep -q work", folder), 0);
}

static void test_clang_compiles_once(void **state) {
    (void)state;
    compile_and_change(HW_COMPILER_CLANG);
}

// What clang has read of our headers is kept when it is wanted for the second time. It changes no byte of a program,
// and is made anew when a header has changed.
static void test_headers_are_kept(void **state) {
    static const char text[] = "#ifndef FACTOR\n#define FACTOR 2\n#endif\n"
                               "__global__ void scale(float *p) { *p = sinf(*p) * FACTOR; }\n"
                               "#define TEXT(x) #x\n#define VALUE(x) TEXT(x)\n"
                               "extern const char mark[] = \"the factor is \" VALUE(FACTOR);\n"
                               "int main() { scale<<<1, 32>>>(nullptr); return mark[0]; }\n";
    char source[4096], headers[4096], cache[4096];   // in_folder's texts do not last
    (void)state;
    need(HW_COMPILER_CLANG);
    snprintf(source, sizeof source, "%s", in_folder("kept.cu"));
    snprintf(headers, sizeof headers, "%s", in_folder("headers"));
    snprintf(cache, sizeof cache, "%s", in_folder("kept"));
    write_text(source, text);
    hw_toolchain_options options = options_for(source);
    assert_int_equal(shell("cp -rL '%s' '%s'", options.include_dir, headers), 0);
    options.hide_nvcc = true;
    options.include_dir = headers;
    options.cache_dir = cache;
    for (int i = 0; i < 3; i++) {
        hw_toolchain_result result = compile(&options, HW_OK);
        assert_false(result.from_cache);
        assert_int_equal(shell("test $(ls '%s' | grep -c 'pch$') = %d", cache, i ? 2 : 0), 0);
        assert_int_equal(shell("mv '%s' '%s.%d'", result.executable, in_folder("program"), i), 0);
    }
    assert_int_equal(shell("cmp '%s.0' '%s.2'", in_folder("program"), in_folder("program")), 0);
    assert_int_equal(shell("echo '#define FACTOR 3' >> '%s/halfwarp/atomics.h'", headers), 0);
    hw_toolchain_result changed = compile(&options, HW_OK);
    assert_false(changed.from_cache);
    assert_true(has_factor(changed.executable, 3));
}

static void test_nvcc_compiles_once(void **state) {
    (void)state;
    if (is_sanitized) skip();   // cli/sanitized.bash has programs that nvcc compiles
    compile_and_change(HW_COMPILER_NVCC);
}

// nvcc takes folders for lists.
static void test_nvcc_finds_headers_behind_commas(void **state) {
    char source[4096], headers[4096], cache[4096];
    (void)state;
    if (is_sanitized) skip();
    need(HW_COMPILER_NVCC);
    snprintf(source, sizeof source, "%s", in_folder("old.cu"));
    snprintf(headers, sizeof headers, "%s", in_folder("one, two"));
    snprintf(cache, sizeof cache, "%s", in_folder("old"));    // what is as new as the headers stays there
    write_text(source, "#include <cutil.h>\nint main() { return cudaThreadSynchronize(); }\n");
    hw_toolchain_options options = options_for(source);
    options.compiler = HW_COMPILER_NVCC;
    assert_int_equal(shell("cp -rL '%s' '%s'", options.include_dir, headers), 0);
    options.include_dir = headers;
    options.cache_dir = cache;
    compile(&options, HW_OK);
}

static void test_what_does_not_compile(void **state) {
    (void)state;
    need(HW_COMPILER_CLANG);
    write_text(in_folder("bad.cu"), "__global__ void k() { nonsense }\nint main() {}\n");
    hw_toolchain_options options = options_for(in_folder("bad.cu"));
    options.hide_nvcc = true;
    // The compiler's own words go to standard error.
    int saved = dup(2);
    assert_non_null(freopen(in_folder("messages"), "w", stderr));
    hw_toolchain_result result;
    hw_diag diag = {0};
    hw_status status = hw_toolchain_compile(&options, &result, &diag);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    assert_int_equal(status, HW_COMPILE);
    assert_string_equal(diag.file, in_folder("bad.cu"));
    assert_int_equal(shell("grep -q nonsense '%s'", in_folder("messages")), 0);
    assert_int_not_equal(shell("ls '%s/cache/deep' | grep -q work", folder), 0);
}

static void test_many_at_once(void **state) {
    (void)state;
    need(HW_COMPILER_CLANG);
    write_text(in_folder("together.cu"), "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
    hw_toolchain_options options = options_for(in_folder("together.cu"));
    options.hide_nvcc = true;
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            hw_toolchain_result result;
            hw_status status = hw_toolchain_compile(&options, &result, NULL);
            _exit(status == HW_OK && access(result.executable, X_OK) == 0 ? 0 : 1);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_true(compile(&options, HW_OK).from_cache);
    assert_int_not_equal(shell("ls '%s/cache/deep' | grep -q work", folder), 0);
}

static void test_a_cache_that_cannot_be_written(void **state) {
    (void)state;
    need(HW_COMPILER_CLANG);
    write_text(in_folder("plain"), "");
    hw_toolchain_options options = options_for(in_folder("together.cu"));
    options.cache_dir = in_folder("plain/cache");
    write_text(in_folder("together.cu"), "int main() {}\n");
    hw_toolchain_result result;
    hw_diag diag = {0};
    assert_int_equal(hw_toolchain_compile(&options, &result, &diag), HW_IO);
    assert_non_null(strstr(diag.text, "plain"));
    options.cache_dir = "";
    assert_int_equal(hw_toolchain_compile(&options, &result, NULL), HW_USAGE);
}

static void test_out_of_memory(void **state) {
    (void)state;
    need(HW_COMPILER_CLANG);
    write_text(in_folder("memory.cu"), "int main() {}\n");
    hw_toolchain_options options = options_for(in_folder("memory.cu"));
    options.hide_nvcc = true;
    compile(&options, HW_OK);
    long n = 0;
    for (bool done = false; !done; n++) {
        hw_toolchain_result result;
        hw_alloc_fail_after(n);
        hw_status status = hw_toolchain_compile(&options, &result, NULL);
        hw_alloc_fail_after(-1);
        assert_true(status == HW_OK || status == HW_NO_MEMORY);
        done = status == HW_OK && result.from_cache;
        assert_true(n < 200);
    }
}

// Our headers: every name is there for every clang, and for nvcc's own headers too.
static void compile_sample(const char *name, hw_toolchain_compiler which, const char *const *arguments, size_t count,
                           int cc) {
    char source[4096];
    snprintf(source, sizeof source, "%s/tests/cuda/%s", HW_SOURCE_DIR, name);
    hw_toolchain_options options = options_for(source);
    options.compiler = which;
    options.hide_nvcc = which == HW_COMPILER_CLANG;
    options.cc = cc;
    options.arguments = arguments;
    options.argument_count = count;
    compile(&options, HW_OK);
}

static void test_headers_with_clang(void **state) {
    (void)state;
    if (is_sanitized) skip();
    need(HW_COMPILER_CLANG);
    // The runtime's functions stay open: the library of this test has few of them.
    static const char *const newest[] = {"-Wl,--unresolved-symbols=ignore-all", "-std=c++20", "-Wall", "-Werror"};
    static const char *const oldest[] = {"-Wl,--unresolved-symbols=ignore-all", "-std=c++14", "-O0"};
    compile_sample("intrinsics.cu", HW_COMPILER_CLANG, newest, 4, 90);
    compile_sample("half_and_groups.cu", HW_COMPILER_CLANG, newest, 4, 90);
    compile_sample("intrinsics.cu", HW_COMPILER_CLANG, oldest, 3, 60);
}

static void test_samples_with_nvcc(void **state) {
    (void)state;
    if (is_sanitized) skip();
    need(HW_COMPILER_NVCC);
    static const char *const arguments[] = {"--extended-lambda", "--expt-relaxed-constexpr", "-std=c++17"};
    compile_sample("half_and_groups.cu", HW_COMPILER_NVCC, arguments, 3, 90);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clang_compiles_once),
        cmocka_unit_test(test_headers_are_kept),
        cmocka_unit_test(test_nvcc_compiles_once),
        cmocka_unit_test(test_nvcc_finds_headers_behind_commas),
        cmocka_unit_test(test_what_does_not_compile),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_a_cache_that_cannot_be_written),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_headers_with_clang),
        cmocka_unit_test(test_samples_with_nvcc),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
