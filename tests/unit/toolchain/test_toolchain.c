// The toolchain without a compiler: arguments, dependency files, the choice of compiler and architecture, executables,
// ptxas (played by a script, so that no CUDA toolkit is needed). test_compile.c has the rest.
#include "toolchain_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include "toolchain/binary/producer.h"
#include "toolchain/cache/depend.h"
#include "toolchain/compilers/arguments.h"
#include "toolchain/compilers/clang_headers.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/process.h"

// --- arguments

static const char *joined(const hw_args *args) {
    static char texts[4][1024];
    static int turn;
    char *text = texts[turn++ % 4];
    text[0] = '\0';
    for (size_t i = 0; i < args->count; i++) {
        if (i) strcat(text, " ");
        strcat(text, args->items[i]);
    }
    return text;
}

static void test_arguments_go_where_they_belong(void **state) {
    (void)state;
    static const struct {
        const char *given[4];
        const char *device, *host, *link, *nvcc;
    } cases[] = {
        {{"-Ifoo"}, "-I foo", "-I foo", "", "-I foo"},
        {{"-I", "a b"}, "-I a b", "-I a b", "", "-I a b"},
        {{"-DX=1", "-UY"}, "-D X=1 -U Y", "-D X=1 -U Y", "", "-D X=1 -U Y"},
        {{"-O1"}, "-O1", "-O1", "", "-O1"},
        {{"-std=c++14"}, "-std=c++14", "-std=c++14", "", "-std=c++14"},
        {{"--std", "c++20"}, "-std=c++20", "-std=c++20", "", "-std=c++20"},
        {{"-lineinfo"}, "", "", "", ""},
        {{"-lfoo", "-L", "dir"}, "", "", "-l foo -L dir", "-l foo -L dir"},
        {{"x.o"}, "", "", "x.o", "x.o"},
        {{"-arch=sm_70", "-gencode", "arch=compute_70,code=sm_70"}, "", "", "", ""},
        {{"-use_fast_math"}, "-ffast-math -fcuda-flush-denormals-to-zero", "", "", "-use_fast_math"},
        {{"-Wall", "-fno-exceptions"}, "-Wall -fno-exceptions", "-Wall -fno-exceptions", "",
         "-Xcompiler -Wall -Xcompiler -fno-exceptions"},
        {{"-Xcompiler", "-Wall,-Wextra"}, "", "-Wall -Wextra", "", "-Xcompiler -Wall,-Wextra"},
        {{"-Xcompiler=-fopenmp"}, "", "-fopenmp", "", "-Xcompiler -fopenmp"},
        {{"-maxrregcount=32"}, "", "", "", "-maxrregcount=32 -Xptxas -w"},
        {{"-maxrregcount", "32"}, "", "", "", "-maxrregcount=32 -Xptxas -w"},
        {{"--extended-lambda"}, "", "", "", "--extended-lambda"},
        {{"-prec-div=false"}, "", "", "", "-prec-div=false"},
        {{"-G", "-g"}, "-O0", "-g", "", "-G -g"},
        {{"-rdc=true", "-cudart", "static"}, "", "", "", ""},
        {{"-Wl,-rpath,x"}, "", "", "-Wl,-rpath,x", "-Xlinker -Wl,-rpath,x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_arena *arena = hw_arena_create();
        hw_arguments sorted;
        size_t count = 0;
        while (count < 4 && cases[i].given[count]) count++;
        assert_int_equal(hw_arguments_sort(cases[i].given, count, arena, &sorted, NULL), HW_OK);
        assert_string_equal(joined(&sorted.device), cases[i].device);
        assert_string_equal(joined(&sorted.host), cases[i].host);
        assert_string_equal(joined(&sorted.link), cases[i].link);
        assert_string_equal(joined(&sorted.nvcc), cases[i].nvcc);
        hw_arena_destroy(arena);
    }
}

static void test_argument_without_its_value(void **state) {
    (void)state;
    static const char *const lonely[] = {"-I", "-Xcompiler", "-std", "-arch"};
    for (int i = 0; i < 4; i++) {
        hw_arena *arena = hw_arena_create();
        hw_arguments sorted;
        hw_diag diag = {0};
        assert_int_equal(hw_arguments_sort(&lonely[i], 1, arena, &sorted, &diag), HW_USAGE);
        assert_non_null(strstr(diag.text, lonely[i]));
        hw_arena_destroy(arena);
    }
}

// --- dependency files, hashes, processes

static void test_dependency_files(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *files;    // joined by |
    } cases[] = {
        {"a.o: b.cu c.h\n", "b.cu|c.h"},
        {"a.o : b.cu \\\n  c.h \\\n  c.h\n", "b.cu|c.h"},
        {"a.o: dir\\ with\\ space/b.cu \\\r\n c$$d.h e\\#f.h\r\n", "dir with space/b.cu|c$d.h|e#f.h"},
        {"a.o:\\\n b.cu", "b.cu"},
        {"c:/x.o: b.cu", "b.cu"},
        {"a.o: ", NULL},
        {"no target", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256], found[256] = "";
        hw_depend files = {.arena = hw_arena_create()};
        strcpy(text, cases[i].text);
        assert_int_equal(hw_depend_parse(&files, text), cases[i].files != NULL);
        for (size_t f = 0; f < files.count; f++) sprintf(found + strlen(found), "%s%s", f ? "|" : "", files.paths[f]);
        if (cases[i].files) assert_string_equal(found, cases[i].files);
        hw_arena_destroy(files.arena);
    }
}

static void test_a_second_list_of_the_same_files_is_a_list(void **state) {
    (void)state;
    char first[] = "a.o: b.cu", second[] = "c.o: b.cu";
    hw_depend files = {.arena = hw_arena_create()};
    assert_true(hw_depend_parse(&files, first));
    assert_true(hw_depend_parse(&files, second));
    assert_int_equal(files.count, 1);
    hw_arena_destroy(files.arena);
}

static void test_hashes_are_fnv(void **state) {
    (void)state;
    // Test vectors of RFC 9923.
    static const char *const vectors[][2] = {
        {"", "6c62272e07bb014262b821756295c58d"},
        {"a", "d228cb696f1a8caf78912b704e4a8964"},
        {"foobar", "343e1662793c64bf6f0d3597ba446f18"},
    };
    for (int i = 0; i < 3; i++) {
        hw_hash hash = hw_hash_start();
        char text[HW_HASH_TEXT];
        hw_hash_bytes(&hash, vectors[i][0], strlen(vectors[i][0]));
        hw_hash_text(&hash, text);
        assert_string_equal(text, vectors[i][1]);
    }
}

static void test_processes(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    const char *text;
    int exit_status;
    const char *const both[] = {"/bin/sh", "-c", "echo out; echo err >&2; cat; exit 3", NULL};
    assert_int_equal(hw_process_run(both, NULL, arena, &text, &exit_status, NULL), HW_OK);
    assert_int_equal(exit_status, 3);
    assert_string_equal(text, "out\nerr\n");
    const char *const killed[] = {"/bin/sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(hw_process_run(killed, NULL, arena, &text, &exit_status, NULL), HW_OK);
    assert_int_equal(exit_status, 128 + 9);
    const char *const much[] = {"/bin/sh", "-c", "i=0; while [ $i -lt 5000 ]; do echo 0123456789; i=$((i+1)); done",
                                NULL};
    assert_int_equal(hw_process_run(much, NULL, arena, &text, &exit_status, NULL), HW_OK);
    assert_int_equal(strlen(text), 55000);
    const char *const missing[] = {"/nonexistent/program", NULL};
    hw_diag diag = {0};
    assert_int_equal(hw_process_run(missing, NULL, arena, &text, &exit_status, &diag), HW_IO);
    assert_non_null(strstr(diag.text, "/nonexistent/program"));
    assert_null(hw_process_find("/nonexistent:::", "sh", arena));
    assert_null(hw_process_find(NULL, "sh", arena));
    assert_string_equal(hw_process_find("/nonexistent::/bin:", "sh", arena), "/bin/sh");
    hw_arena_destroy(arena);
}

// --- compilers

static void test_the_nearest_architecture(void **state) {
    (void)state;
    static const int cases[][3] = {    // clang, wanted, chosen
        {14, 90, 86}, {14, 86, 86}, {14, 85, 80}, {14, 75, 75}, {14, 13, 50},
        {16, 90, 90}, {16, 89, 89}, {19, 120, 90}, {20, 120, 120}, {99, 121, 120},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_compiler clang = {HW_COMPILER_CLANG, "clang", cases[i][0]};
        int arch;
        assert_int_equal(hw_compiler_arch(&clang, cases[i][1], NULL, &arch, NULL), HW_OK);
        assert_int_equal(arch, cases[i][2]);
    }
    assert_int_equal(hw_compiler_clang_ptx(14), 75);
    assert_int_equal(hw_compiler_clang_ptx(15), 75);
    assert_int_equal(hw_compiler_clang_ptx(99), 85);
}

static void test_nvcc_says_what_it_knows(void **state) {
    (void)state;
    static const int cases[][2] = {{90, 90}, {89, 86}, {13, 75}, {121, 103}};
    write_text(in_folder("nvcc"), "#!/bin/sh\n[ \"$1\" = --list-gpu-arch ] || exit 9\n"
                                  "printf 'compute_75\\ncompute_86\\ncompute_90\\ncompute_90a\\ncompute_103\\n'\n");
    chmod(in_folder("nvcc"), 0755);
    hw_arena *arena = hw_arena_create();
    hw_compiler nvcc = {HW_COMPILER_NVCC, in_folder("nvcc"), 0};
    for (int i = 0; i < 4; i++) {
        int arch;
        assert_int_equal(hw_compiler_arch(&nvcc, cases[i][0], arena, &arch, NULL), HW_OK);
        assert_int_equal(arch, cases[i][1]);
    }
    write_text(in_folder("nvcc"), "#!/bin/sh\nexit 1\n");
    int arch;
    assert_int_equal(hw_compiler_arch(&nvcc, 90, arena, &arch, NULL), HW_NOT_FOUND);
    unlink(in_folder("nvcc"));
    hw_arena_destroy(arena);
}

static void test_clang_is_chosen_by_its_version(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_compiler chosen;
    char path[4096];
    mkdir(in_folder("bin"), 0755);
    snprintf(path, sizeof path, "%s", in_folder("bin"));
    hw_toolchain_options options = {.search_path = path};
    static const char *const names[] = {"clang-13", "clang-15", "clang-9x", "clang-format-19", "clang-17"};
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "bin/%s", names[i]);
        write_text(in_folder(name), "#!/bin/sh\nexit 9\n");
        chmod(in_folder(name), 0755);
        hw_status status = hw_compiler_choose(&options, arena, &chosen, NULL);
        static const int expected[] = {0, 15, 15, 15, 17};
        assert_int_equal(status, expected[i] ? HW_OK : HW_NOT_FOUND);
        assert_int_equal(chosen.clang_major, expected[i]);
    }
    // Which is asked once, as for each kernel a compiler is chosen.
    char text[4200];
    struct stat info;
    snprintf(text, sizeof text, "#!/bin/sh\nprintf x >> '%s/asked'\necho Debian clang version 21.1.0\n", path);
    write_text(in_folder("bin/clang"), text);
    chmod(in_folder("bin/clang"), 0755);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hw_compiler_choose(&options, arena, &chosen, NULL), HW_OK);
        assert_int_equal(chosen.clang_major, 21);
    }
    assert_int_equal(stat(in_folder("bin/asked"), &info), 0);
    assert_int_equal(info.st_size, 1);
    hw_arena_destroy(arena);
}

// A compiler is asked for its name once; after it has changed, again.
static void test_names_of_compilers_are_remembered(void **state) {
    (void)state;
    static const char *const versions[] = {"19.1.7", "20.1"};
    hw_arena *arena = hw_arena_create();
    const hw_compiler clang = {HW_COMPILER_CLANG, in_folder("named-clang"), 19};
    for (int i = 0; i < 2; i++) {
        char text[512], expected[64];
        const char *asked = in_folder("asked");
        struct stat info;
        snprintf(text, sizeof text, "#!/bin/sh\nprintf x >> '%s'\necho clang version %s\n", asked, versions[i]);
        write_text(clang.path, text);
        chmod(clang.path, 0755);
        snprintf(expected, sizeof expected, "clang %s", versions[i]);
        for (int k = 0; k < 3; k++) assert_string_equal(hw_compiler_name(&clang, NULL, arena), expected);
        assert_int_equal(stat(asked, &info), 0);
        assert_int_equal(info.st_size, 1);
        unlink(asked);
    }
    hw_arena_destroy(arena);
}

static int times_asked(const char *file) {
    struct stat info;
    return stat(file, &info) == 0 ? (int)info.st_size : 0;
}

// On disk its answer is kept for other processes, which is shown by asking another compiler meanwhile; that of a script
// is not, since the compiler that it starts may change.
static void test_names_of_compilers_are_kept(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    char asked[2][4096];
    const hw_compiler compilers[] = {{HW_COMPILER_CLANG, hw_arena_printf(arena, "%s", in_folder("clang-kept")), 19},
                                     {HW_COMPILER_CLANG, hw_arena_printf(arena, "%s", in_folder("clang-script")), 19}};
    for (int i = 0; i < 2; i++) snprintf(asked[i], sizeof asked[i], "%s.asked", compilers[i].path);
    FILE *source = fopen(in_folder("clang-kept.c"), "w");
    assert_non_null(source);
    fprintf(source, "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"%s\", \"a\"); fputc('x', f); fclose(f);\n"
            "puts(\"clang version 19.1.7\"); return 0; }\n", asked[0]);
    assert_int_equal(fclose(source), 0);
    assert_int_equal(shell("cd %s && cc clang-kept.c -o clang-kept", folder), 0);
    assert_int_equal(shell("cd %s && printf '#!/bin/sh\nprintf x >> %s\necho clang version 18\n' > clang-script && "
                           "chmod +x clang-script", folder, asked[1]), 0);
    const char *cache = hw_arena_printf(arena, "%s", in_folder("names"));
    for (int i = 0; i < 6; i++)
        assert_string_equal(hw_compiler_name(&compilers[i % 2], cache, arena), i % 2 ? "clang 18" : "clang 19.1.7");
    assert_int_equal(times_asked(asked[0]), 1);
    assert_int_equal(times_asked(asked[1]), 3);
    // What is no name counts as none.
    assert_int_equal(shell("for f in %s/*.name; do printf clang > $f; done", cache), 0);
    assert_string_equal(hw_compiler_name(&compilers[0], cache, arena), "clang 19.1.7");
    assert_int_equal(times_asked(asked[0]), 2);
    hw_arena_destroy(arena);
}

// --- kept headers, made by a script that stands for clang

static void write_headers_and_clang(void) {
    assert_int_equal(shell("cd %s && mkdir -p headers/bits shadows/bits nothing", folder), 0);
    write_text(in_folder("shadows/bits/part.h"), "");
    write_text(in_folder("headers/cuda_runtime.h"), "#include \"bits/part.h\"\n");
    write_text(in_folder("headers/bits/part.h"), "/* SAID\n   MORE */ int x = KNOWN + KNOWN_2; // SAID \"\n"
                                                 "char y[] = \"// QUOTED\", *z = LAST;\n");
    assert_int_equal(shell("cd %s && cat > headers-clang << 'END' && chmod +x headers-clang && sleep .03\n"
                           "#!/bin/sh\n"
                           "while [ $# -gt 0 ]; do\n"
                           "    case $1 in -o) out=$2 ;; -MF) list=$2 ;; -D | -I) exit 1 ;; esac\n"
                           "    shift\n"
                           "done\n"
                           "echo made > \"$out\"\n"
                           "here=$(dirname \"$0\")/headers\n"
                           "echo \"x: $here/cuda_runtime.h $here/bits/part.h\" > \"$list\"\n"
                           "END\n", folder), 0);
}

static const char *find_headers(const char *const *own, size_t count, const char *cache, hw_arena *arena) {
    const hw_compiler clang = {HW_COMPILER_CLANG, hw_arena_printf(arena, "%s", in_folder("headers-clang")), 19};
    hw_args words = {.arena = arena}, pass = {.arena = arena};
    for (size_t i = 0; i < count; i++) hw_args_add(&words, own[i]);
    hw_args_add(&pass, clang.path);
    hw_args_add_all(&pass, &words);
    const hw_clang_headers wanted = {.cache_dir = cache, .include_dir = hw_arena_printf(arena, "%s/headers", folder),
                                     .clang = &clang, .pass = &pass, .own = &words};
    return hw_clang_headers_find(&wanted, arena);
}

// What was kept serves whatever macros and folders the user has, as long as our headers say the same with them.
static void test_kept_headers_and_the_users_words(void **state) {
    (void)state;
    static const struct {
        const char *own[4];
        bool is_found;
    } cases[] = {
        {{NULL}, true},
        {{"-D", "N=3"}, true},
        {{"-U", "KNOW"}, true},
        {{"-D", "NOWN"}, true},
        {{"-D", "SAID", "-D", "MORE"}, true},
        {{"-D", "LAST"}, false},
        {{"-D", "KNOWN"}, false},
        {{"-D", "KNOWN_2=1"}, false},
        {{"-D", "KNOWN(x)=x"}, false},
        {{"-D", "N", "-U", "KNOWN"}, false},
        {{"-D", ""}, false},
        {{"-I", "nothing"}, true},
        {{"-I", "none"}, true},
        {{"-I", "shadows"}, false},
        {{"-I", "nothing", "-isystem", "shadows"}, false},
        {{"-include", "x.h"}, false},
        {{"-Werror"}, false},
        {{"-Wp,-DKNOWN"}, false},
        {{"-fopenmp"}, false},   // another header, which is asked for once
    };
    hw_arena *arena = hw_arena_create();
    const char *cache = hw_arena_printf(arena, "%s", in_folder("kept headers"));
    char back[4096];
    write_headers_and_clang();
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(folder), 0);
    assert_null(find_headers(cases[0].own, 0, cache, arena));
    const char *first = find_headers(cases[0].own, 0, cache, arena);
    assert_non_null(first);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count = 0;
        while (count < 4 && cases[i].own[count]) count++;
        const char *found = find_headers(cases[i].own, count, cache, arena);
        if (cases[i].is_found ? !found || strcmp(found, first) != 0 : found != NULL)
            fail_msg("case %zu: %s", i, found ? found : "nothing");
    }
    // Where another makes it, nobody waits.
    unlink(first);
    const int mark = open(hw_arena_printf(arena, "%s.seen", first), O_WRONLY);
    assert_int_equal(flock(mark, LOCK_EX), 0);
    assert_null(find_headers(cases[0].own, 0, cache, arena));
    close(mark);
    assert_non_null(find_headers(cases[0].own, 0, cache, arena));
    assert_int_equal(chdir(back), 0);
    hw_arena_destroy(arena);
}

static void test_no_compiler_is_told_what_to_install(void **state) {
    (void)state;
    write_text(in_folder("any.cu"), "int main() {}\n");
    for (int which = HW_COMPILER_AUTO; which <= HW_COMPILER_CLANG; which++) {
        hw_toolchain_options options = options_for(in_folder("any.cu"));
        hw_toolchain_result result;
        hw_diag diag = {0};
        options.search_path = "/nonexistent";
        options.compiler = (hw_toolchain_compiler)which;
        assert_int_equal(hw_toolchain_compile(&options, &result, &diag), HW_NOT_FOUND);
        assert_non_null(strstr(diag.text, "install"));
    }
    hw_toolchain_options options = options_for(in_folder("none.cu"));
    hw_toolchain_result result;
    hw_diag diag = {0};
    assert_int_equal(hw_toolchain_compile(&options, &result, &diag), HW_IO);
    assert_non_null(strstr(diag.text, "none.cu"));
}

// --- executables

// An ELF file with the given bytes as its device code, linked with or without the runtime library.
static const char *executable_with(const char *fatbin, const char *link) {
    char source[8192];
    snprintf(source, sizeof source,
             "asm(\".section .nv_fatbin, \\\"a\\\"\\n\"\n"
             "    \".incbin \\\"%s/tests/fuzz/corpus/fatbin/%s.fatbin\\\"\\n.text\\n\");\n"
             "int cudaMalloc(void); int main(void) { return %s; }\n",
             HW_SOURCE_DIR, fatbin, *link ? "cudaMalloc()" : "0");
    write_text(in_folder("holder.c"), source);
    assert_int_equal(shell("cd %s && cc -w holder.c -o holder %s", folder, link), 0);
    return in_folder("holder");
}

static void test_executables(void **state) {
    (void)state;
    static const struct {
        const char *fatbin, *link;
        hw_status status;
        const char *says;
    } cases[] = {
        {"zstd", "-L. -lcudart", HW_OK, ""},
        {"several", "-L. -lcudart", HW_OK, ""},
        {"machine_code", "-L. -lcudart", HW_UNSUPPORTED, "machine code only"},
        {"zstd", "", HW_OK, ""},
        {"machine_code", "", HW_UNSUPPORTED, "-gencode arch=compute_75,code=compute_75"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_diag diag = {0};
        const char *path = executable_with(cases[i].fatbin, cases[i].link);
        assert_int_equal(hw_toolchain_check_executable(path, &diag), cases[i].status);
        assert_non_null(strstr(diag.text, cases[i].says));
        assert_int_equal(shell("strip '%s'", path), 0);
        assert_int_equal(hw_toolchain_check_executable(path, NULL), cases[i].status);
    }
}

// Counts the pieces; the third is one too many.
static hw_status count_piece(void *user, const hw_ptx_piece *piece, hw_diag *diag) {
    int *pieces = user;
    assert_int_equal(strlen(piece->ptx), piece->length);
    assert_non_null(strstr(piece->ptx, ".version"));
    assert_memory_equal(piece->container, "\x50\xed\x55\xba", 4);
    return ++*pieces < 3 ? HW_OK : hw_diag_set(diag, HW_FAULT, "enough");
}

static void test_ptx_of_executables(void **state) {
    (void)state;
    int pieces = 0;
    hw_diag diag = {0};
    // The choice between the entries of one piece is that of hw_fatbin_ptx.
    const char *path = executable_with("several", "-L. -lcudart");
    assert_int_equal(hw_toolchain_each_ptx(path, "it", 90, count_piece, &pieces, &diag), HW_OK);
    assert_int_equal(pieces, 1);
    pieces = 2;   // what the sink says is what the caller gets
    assert_int_equal(hw_toolchain_each_ptx(path, "it", 90, count_piece, &pieces, &diag), HW_FAULT);
    assert_string_equal(diag.text, "enough");
    path = executable_with("machine_code", "-L. -lcudart");
    assert_int_equal(hw_toolchain_each_ptx(path, "it", 90, count_piece, &pieces, NULL), HW_NOT_FOUND);
    assert_int_equal(hw_toolchain_each_ptx("/bin/sh", "it", 90, count_piece, &pieces, NULL), HW_NOT_FOUND);
    assert_int_equal(hw_toolchain_each_ptx(in_folder("nowhere"), "it", 90, count_piece, &pieces, NULL), HW_IO);
    assert_int_equal(hw_toolchain_each_ptx(in_folder("holder.c"), "it", 90, count_piece, &pieces, NULL), HW_USAGE);
    assert_int_equal(pieces, 3);
}

static void ignore_usage(void *user, const hw_ptxas_usage *usage) { (void)user, (void)usage; }

static hw_status ignore_piece(void *user, const hw_ptx_piece *piece, hw_diag *diag) {
    (void)user, (void)diag;
    if (piece->container)
        hw_toolchain_carried_regs(piece->container, piece->container_bytes, 90, ignore_usage, NULL, NULL);
    return HW_OK;
}

// What `nvcc -rdc=true` leaves beside the machine code that it linked.
static void test_relocatable_device_code(void **state) {
    (void)state;
    hw_diag diag = {0};
    const char *path = executable_with("machine_code", "-L. -lcudart");
    assert_int_equal(shell("cd %s && objcopy --add-section __nv_relfatbin=holder.c holder", folder), 0);
    assert_int_equal(hw_toolchain_check_executable(path, &diag), HW_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "machine code only"));
}

static void test_files_that_are_no_programs(void **state) {
    (void)state;
    static const struct {
        const char *name, *content;
        hw_status status;
    } cases[] = {
        {"script", "#!/bin/sh\n", HW_OK}, {"text", "hello, world\n", HW_USAGE},  {"empty", "", HW_USAGE},
        {"short", "\177EL", HW_USAGE},    {"stub", "\177ELF\2\1", HW_USAGE},   {"e", "\177", HW_USAGE},
        {"no class", "\177ELF not really, but of sixty-four bytes and of some more besides", HW_USAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_diag diag = {0};
        write_text(in_folder(cases[i].name), cases[i].content);
        assert_int_equal(hw_toolchain_check_executable(in_folder(cases[i].name), &diag), cases[i].status);
        assert_int_equal(diag.text[0] != '\0', cases[i].status != HW_OK);
    }
    assert_int_equal(hw_toolchain_check_executable(folder, NULL), HW_USAGE);
    assert_int_equal(hw_toolchain_check_executable(in_folder("nowhere"), NULL), HW_IO);
    assert_int_equal(hw_toolchain_check_executable("/bin/sh", NULL), HW_OK);
    assert_int_equal(shell("cd %s && cp /bin/sh foreign && chmod u+w foreign && "   // for a RISC-V
                           "printf '\\363' | dd of=foreign bs=1 seek=18 conv=notrunc 2> /dev/null", folder), 0);
    assert_int_equal(hw_toolchain_check_executable(in_folder("foreign"), NULL), HW_UNSUPPORTED);
    assert_int_equal(shell("cd %s && cc -w -c runtime.c", folder), 0);
    assert_int_equal(hw_toolchain_check_executable(in_folder("runtime.o"), NULL), HW_USAGE);
}

static void test_damaged_executables(void **state) {
    (void)state;
    const char *path = executable_with("several", "-L. -lcudart");
    static uint8_t whole[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t length = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_true(length > 4096 && length < sizeof whole);
    uint64_t sections;
    memcpy(&sections, whole + 40, 8);
    // Every byte of the ELF header, and of the table of sections; then truncations.
    for (size_t at = 4; at < length; at = at == 64 ? (size_t)sections : at + 1) {
        uint8_t kept = whole[at];
        whole[at] ^= at & 1 ? 0xff : 0x40;
        // A file that is cut to nothing and written again may have to wait for the disk.
        unlink(in_folder("damaged"));
        file = fopen(in_folder("damaged"), "wb");
        fwrite(whole, 1, length, file);
        fclose(file);
        whole[at] = kept;
        hw_toolchain_check_executable(in_folder("damaged"), NULL);
        hw_toolchain_each_ptx(in_folder("damaged"), "it", 90, ignore_piece, NULL, NULL);
    }
    for (size_t cut = length; cut; cut = cut * 7 / 8) {
        assert_int_equal(truncate(in_folder("damaged"), (off_t)cut), 0);
        hw_toolchain_check_executable(in_folder("damaged"), NULL);
        hw_toolchain_each_ptx(in_folder("damaged"), "it", 90, ignore_piece, NULL, NULL);
    }
}

// --- ptxas

typedef struct answers {
    hw_ptxas_usage got[4];
    char names[4][64];
    int count;
} answers;

static void take(void *user, const hw_ptxas_usage *usage) {
    answers *all = user;
    assert_true(all->count < 4);
    snprintf(all->names[all->count], sizeof all->names[0], "%s", usage->kernel);
    all->got[all->count++] = *usage;
}

static void test_producers(void **state) {
    (void)state;
    static const struct {
        const char *ptx, *name;
        bool is_named;
    } rows[] = {
        {"//\n// Generated by NVIDIA NVVM Compiler\n//\n// Compiler Build ID: CL-36424714\n"
         "// Cuda compilation tools, release 13.0, V13.0.88\n// Based on NVVM 7.0.1\n//\n\n.version 9.0\n",
         "nvcc 13.0.88", true},
        {"// Cuda compilation tools, release 10.2\n.version 6.5\n", "nvcc 10.2", true},
        {"//\n// Generated by LLVM NVPTX Back-End\n//\n\n.version 7.1\n.target sm_75\n", "LLVM NVPTX", true},
        {"//\n// Generated by LLVM NVPTX Back-End\n//\n\n.version 7.1\n.target sm_75\n\n// Compiled by clang 19.1.7\n",
         "clang 19.1.7", true},
        {"\n\n.version 8.4\n.target sm_75\n", "unnamed compiler (PTX ISA 8.4)", false},
        {".version 7.0\n// Cuda compilation tools, release 13.0, V13.0.88\n", "unnamed compiler (PTX ISA 7.0)", false},
        {"", "unnamed compiler (PTX ISA ?)", false},
        {".version 9.0\n\n// Likely compiled by nvcc of CUDA 13.0 (by PTX ISA 9.0)\n",
         "nvcc of CUDA 13.0 (by PTX ISA 9.0)", false},
        {"// Cuda compilation tools, release ", "nvcc ", true},
    };
    char name[64], tiny[6];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_named = hw_producer_of_ptx(rows[i].ptx, strlen(rows[i].ptx), name, sizeof name);
        assert_string_equal(name, rows[i].name);
        assert_int_equal(is_named, rows[i].is_named);
        hw_producer_of_ptx(rows[i].ptx, strlen(rows[i].ptx), tiny, sizeof tiny);
        assert_memory_equal(tiny, name, strlen(tiny));
    }
}

static void test_inferred_producers(void **state) {
    (void)state;
    static const char code[] = "\177ELF NVIDIA Corp\0ptxas\0Cuda compilation tools, release 12.4, V12.4.131\0Build\0";
    static const struct {
        const char *ptx, *code;
        size_t code_bytes;
        const char *name;   // NULL: nothing is inferred
    } rows[] = {
        {".version 8.4\n", code, sizeof code, "nvcc 12.4.131 (by the machine code beside it)"},
        {".version 8.4\n", code, 60, "nvcc 12.4 (by the machine code beside it)"},   // cut off behind "12.4"
        {".version 8.4\n", "\177ELF", 4, "nvcc of CUDA 12.4 (by PTX ISA 8.4)"},
        {"\n\n.version 9.0\n.target sm_75\n", NULL, 0, "nvcc of CUDA 13.0 (by PTX ISA 9.0)"},
        {".version 8.5\n", NULL, 0, "nvcc of CUDA 12.5 or 12.6 (by PTX ISA 8.5)"},
        {".version 1.9\n", NULL, 0, NULL},
        {".version 8.5\n\tret;\n", NULL, 0, NULL},     // not as nvcc packs it
        {"//\n.version 8.5\n", NULL, 0, NULL},
        {".version 8.5\n//\n", NULL, 0, NULL},
        {".version 8.5\nret;\n ", NULL, 0, NULL},
        {".version 8.5\n/", NULL, 0, "nvcc of CUDA 12.5 or 12.6 (by PTX ISA 8.5)"},
        {"", NULL, 0, NULL},
    };
    char name[64], tiny[6];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_inferred = hw_producer_infer(rows[i].ptx, strlen(rows[i].ptx), rows[i].code, rows[i].code_bytes, name,
                                             sizeof name);
        assert_int_equal(is_inferred, rows[i].name != NULL);
        if (!is_inferred) continue;
        assert_string_equal(name, rows[i].name);
        hw_producer_infer(rows[i].ptx, strlen(rows[i].ptx), rows[i].code, rows[i].code_bytes, tiny, sizeof tiny);
        assert_memory_equal(tiny, name, strlen(tiny));
    }
}

static void test_ptxas_reports(void **state) {
    (void)state;
    // Real reports of ptxas 13.0 and 11.5, behind a script that counts its calls.
    write_text(in_folder("bin/ptxas"),
               "#!/bin/sh\n"
               "echo called >>\"$(dirname \"$0\")/calls\"\n"
               "echo \"$*\" >\"$(dirname \"$0\")/words\"\n"
               "case \"$*\" in *sm_13*) echo \"ptxas fatal   : Value 'sm_13' is not defined\" >&2; exit 1;; esac\n"
               "cat >&2 <<'END'\n"
               "ptxas info    : 0 bytes gmem\n"
               "ptxas info    : Compiling entry function '_Z5otherPf' for 'sm_90'\n"
               "ptxas info    : Function properties for _Z5otherPf\n"
               "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
               "ptxas info    : Used 255 registers, used 1 barriers, 8 bytes cumulative stack size, 4096 bytes smem\n"
               "ptxas info    : Compile time = 2.681 ms\n"
               "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_75'\n"
               "ptxas info    : Function properties for _Z1kPf\n"
               "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
               "ptxas info    : Used 8 registers, 360 bytes cmem[0]\n"
               "ptxas info    : Function properties for _Z6helperf\n"
               "    64 bytes stack frame, 64 bytes spill stores, 64 bytes spill loads\n"
               "END\n");
    chmod(in_folder("bin/ptxas"), 0755);
    char path[8192];
    snprintf(path, sizeof path, "%s:%s", in_folder("bin"), getenv("PATH"));
    hw_toolchain_options options = options_for("");
    options.search_path = path;
    static const char ptx[] = ".version 8.0\n";
    for (int round = 0; round < 2; round++) {
        answers all = {.count = 0};
        assert_int_equal(hw_toolchain_ptxas_regs(&options, ptx, sizeof ptx - 1, 90, take, &all, NULL), HW_OK);
        assert_int_equal(all.count, 2);
        assert_string_equal(all.names[0], "_Z5otherPf");
        assert_int_equal(all.got[0].regs, 255);
        assert_int_equal(all.got[0].spill_bytes, 16);
        assert_int_equal(all.got[0].stack_bytes, 8);
        assert_int_equal(all.got[0].smem_bytes, 4096);
        assert_string_equal(all.names[1], "_Z1kPf");
        assert_int_equal(all.got[1].regs, 8);
        assert_int_equal(all.got[1].spill_bytes + all.got[1].stack_bytes + all.got[1].smem_bytes, 0);
        hw_diag diag = {0};
        assert_int_equal(hw_toolchain_ptxas_regs(&options, ptx, sizeof ptx - 1, 13, take, &all, &diag), HW_NOT_FOUND);
        assert_non_null(strstr(diag.text, "sm_13"));
    }
    // A limit is another question, and reaches ptxas.
    answers limited = {.count = 0};
    options.max_regs = 32;
    assert_int_equal(hw_toolchain_ptxas_regs(&options, ptx, sizeof ptx - 1, 90, take, &limited, NULL), HW_OK);
    assert_int_equal(shell("grep -q -- -maxrregcount=32 '%s'", in_folder("bin/words")), 0);
    options.max_regs = 0;
    // Each question was asked once.
    assert_int_equal(shell("test $(wc -l <'%s') = 3", in_folder("bin/calls")), 0);
    answers none = {.count = 0};
    options.hide_nvcc = true;
    assert_int_equal(hw_toolchain_ptxas_regs(&options, ptx, sizeof ptx - 1, 90, take, &none, NULL), HW_NOT_FOUND);
    options.hide_nvcc = false;
    options.search_path = "/nonexistent";
    assert_int_equal(hw_toolchain_ptxas_regs(&options, ptx, sizeof ptx - 1, 90, take, &none, NULL), HW_NOT_FOUND);
    assert_int_equal(none.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments_go_where_they_belong),
        cmocka_unit_test(test_argument_without_its_value),
        cmocka_unit_test(test_dependency_files),
        cmocka_unit_test(test_a_second_list_of_the_same_files_is_a_list),
        cmocka_unit_test(test_hashes_are_fnv),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_the_nearest_architecture),
        cmocka_unit_test(test_nvcc_says_what_it_knows),
        cmocka_unit_test(test_clang_is_chosen_by_its_version),
        cmocka_unit_test(test_names_of_compilers_are_remembered),
        cmocka_unit_test(test_names_of_compilers_are_kept),
        cmocka_unit_test(test_kept_headers_and_the_users_words),
        cmocka_unit_test(test_no_compiler_is_told_what_to_install),
        cmocka_unit_test(test_executables),
        cmocka_unit_test(test_relocatable_device_code),
        cmocka_unit_test(test_ptx_of_executables),
        cmocka_unit_test(test_files_that_are_no_programs),
        cmocka_unit_test(test_damaged_executables),
        cmocka_unit_test(test_producers),
        cmocka_unit_test(test_inferred_producers),
        cmocka_unit_test(test_ptxas_reports),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
