// Relocatable device code: the declarations of a text, several texts as one, and nvcc's options.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "toolchain/binary/ptx_link.h"
#include "toolchain/nvcc/nvcc_options.h"
#include "toolchain/nvcc/nvcc_route.h"

static const char first[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    "// .visible .global .u32 comment;\n"
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
    ".extern .global .align 4 .u32 counter;\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".global .align 1 .b8 text[4] = {97, 98, 99, 0};\n"
    ".visible .const .align 4 .b8 _ZL3own[8];\n"
    ".weak .func shared_one()\n{\n.loc 1 7 0\nret;\n}\n"
    ".visible .entry kernel(.param .u64 p)\n.maxntid 32, 1, 1\n{\n"
    ".loc 1 3 0, function_name $x, inlined_at 1 9 5\nld.global.u8 %r1, [text];\nret;\n}\n"
    ".section .debug_str { .b8 text, 0 }\n"
    ".file 1 \"first.cu\"\n.file 2 \"text\"\n";

static const char second[] =
    ".version 8.1\n.target sm_80\n.address_size 64\n"
    ".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.loc 1 2 0\nret;\n}\n"
    ".visible .global .align 4 .u32 counter;\n"
    ".visible .const .align 4 .b8 _ZL3own[8];\n"
    ".global .align 1 .b8 text[4] = {100, 0, 0, 0};\n"
    ".weak .func shared_one()\n{\n.loc 1 8 0\nret;\n}\n"
    ".file 1 \"second.cu\"\n";

static const char library[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".extern .func missing();\n"
    ".visible .func unwanted()\n{\ncall missing;\nret;\n}\n";

static const hw_ptx_link_symbol *find(const hw_ptx_link_symbol *symbols, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(symbols[i].name, name)) return &symbols[i];
    return NULL;
}

static void test_symbols(void **state) {
    (void)state;
    static const struct { const char *name; hw_ptx_link_scope scope; bool is_variable, is_defined; } expected[] = {
        {"twice", HW_PTX_LINK_EXTERN, false, false},    {"counter", HW_PTX_LINK_EXTERN, true, false},
        {"text", HW_PTX_LINK_LOCAL, true, true},        {"_ZL3own", HW_PTX_LINK_LOCAL, true, true},
        {"shared_one", HW_PTX_LINK_WEAK, false, true},  {"kernel", HW_PTX_LINK_VISIBLE, false, true},
    };
    hw_arena *arena = hw_arena_create();
    hw_ptx_link_symbol *symbols;
    size_t count;
    assert_int_equal(hw_ptx_link_list(first, arena, &symbols, &count, NULL), HW_OK);
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < count; i++) {
        const hw_ptx_link_symbol *found = find(symbols, count, expected[i].name);
        assert_non_null(found);
        assert_int_equal(found->scope, expected[i].scope);
        assert_int_equal(found->is_variable, expected[i].is_variable);
        assert_int_equal(found->is_defined, expected[i].is_defined);
    }
    hw_arena_destroy(arena);
}

static size_t times(const char *text, const char *part) {
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) found++;
    return found;
}

static bool is_named(void *user, const char *kernel) { return !strcmp(user, kernel); }

// What a kernel names, and what that names, in both directions; nothing else.
static void test_select(void **state) {
    (void)state;
    static const char text[] =
        "// Made by hand\n.version 7.5\n.target sm_75\n.address_size 64\n"
        ".func inner();\n"
        ".global .align 4 .u32 value = 5;\n"
        ".global .align 8 .u64 pointer = value;\n"
        ".global .align 4 .u32 other;\n"
        ".shared .align 4 .b8 tile[64];\n"
        ".shared .align 4 .b8 elsewhere[64];\n"
        ".func outer()\n{\ncall inner;\nret;\n}\n"
        ".visible .entry first()\n{\nmov.u32 %r1, tile;\ncall outer;\nret;\n}\n"
        ".visible .entry second()\n{\nmov.u32 %r1, elsewhere;\nld.global.u32 %r2, [other];\nret;\n}\n"
        ".func inner()\n{\nld.global.u64 %rd1, [pointer];\nret;\n}\n"
        ".file 1 \"a.cu\"\n.section .debug_info\n{\n.b64 second\n}\n.section .debug_str\n{\n$x:\n.b8 65, 0\n}\n"
        "// Compiled by hand 1.0\n";
    static const struct {
        const char *kernel, *has[10], *has_not[8];
    } rows[] = {
        {"first",
         {"// Made by hand", ".version 7.5", ".entry first", "tile[64]", ".func outer", ".func inner()\n{",
          "u64 pointer", "u32 value = 5", ".debug_str", "// Compiled by hand 1.0\n"},
         {".entry second", "elsewhere[64]", "u32 other", ".debug_info"}},
        {"second",
         {".version 7.5", ".entry second", "elsewhere[64]", "u32 other", ".file 1", ".debug_str"},
         {".entry first", "tile[64]", ".func", "u64 pointer", "u32 value", ".debug_info"}},
    };
    hw_arena *arena = hw_arena_create();
    char *part;
    size_t length, kernels;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hw_status status = hw_ptx_link_select(text, is_named, (void *)rows[i].kernel, arena, &part, &length, &kernels,
                                              NULL);
        assert_int_equal(status, HW_OK);
        assert_int_equal(kernels, 1);
        assert_int_equal(strlen(part), length);
        for (size_t k = 0; k < 10 && rows[i].has[k]; k++)
            if (!strstr(part, rows[i].has[k])) fail_msg("%s: no '%s' in %s", rows[i].kernel, rows[i].has[k], part);
        for (size_t k = 0; k < 8 && rows[i].has_not[k]; k++)
            if (strstr(part, rows[i].has_not[k])) fail_msg("%s: '%s' in %s", rows[i].kernel, rows[i].has_not[k], part);
    }
    assert_int_equal(hw_ptx_link_select(text, is_named, "third", arena, &part, &length, &kernels, NULL), HW_OK);
    assert_int_equal(kernels, 0);
    assert_int_equal(hw_ptx_link_select("", is_named, "third", arena, &part, &length, &kernels, NULL), HW_OK);
    assert_int_equal(kernels, 0);
    hw_arena_destroy(arena);
}

static void test_link(void **state) {
    (void)state;
    const char *const texts[] = {first, library, second};
    hw_arena *arena = hw_arena_create();
    char *linked, renamed[64];
    size_t length;
    assert_int_equal(hw_ptx_link(texts, 3, arena, &linked, &length, NULL), HW_OK);
    assert_int_equal(strlen(linked), length);
    assert_int_equal(strncmp(linked, ".version 8.1\n.target sm_80\n", 27), 0);
    assert_int_equal(times(linked, ".version"), 1);
    assert_int_equal(times(linked, ".address_size"), 1);
    assert_int_equal(times(linked, "debug_str"), 0);
    // Each file's own, by its own name, also where it is used; strings stay what they are.
    hw_ptx_link_name("_ZL3own", 2, renamed, sizeof renamed);
    assert_string_equal(renamed, "_ZL3own$f2");
    assert_int_equal(times(linked, "_ZL3own$f0[8]"), 1);
    assert_int_equal(times(linked, "_ZL3own$f2[8]"), 1);
    assert_int_equal(times(linked, "ld.global.u8 %r1, [text$f0];"), 1);
    assert_int_equal(times(linked, ".file 2 \"text\""), 1);
    // One weak definition; what only the library wants is not missed, for nothing of the library is wanted.
    assert_int_equal(times(linked, ".weak .func shared_one()"), 1);
    assert_int_equal(times(linked, "missing"), 0);
    // The second file is the third.
    assert_non_null(strstr(linked, ".file 3 \"second.cu\""));
    assert_non_null(strstr(linked, ".loc 3 2 0"));
    assert_non_null(strstr(linked, ".loc 1 3 0, function_name $x, inlined_at 1 9 5"));
    // Text that is no PTX: the parser refuses it later.
    for (size_t cut = 0; cut < sizeof first; cut++) {
        char *part = hw_arena_string(arena, first, cut);
        const char *const both[] = {part, second};
        assert_int_equal(hw_ptx_link(both, 2, arena, &linked, &length, NULL), HW_OK);
    }
    hw_arena_destroy(arena);
}

// What one part declares as another's is not that one's own, though its name is that of a static function.
static void test_link_of_static_names(void **state) {
    (void)state;
    const char *const texts[] = {".version 9.0\n.target sm_90\n.extern .func _ZL3mul();\n"
                                 ".visible .entry k() { call _ZL3mul; }\n",
                                 ".version 9.0\n.target sm_90\n.visible .func _ZL3mul() { ret; }\n"};
    hw_arena *arena = hw_arena_create();
    char *linked;
    size_t length;
    assert_int_equal(hw_ptx_link(texts, 2, arena, &linked, &length, NULL), HW_OK);
    assert_int_equal(times(linked, "_ZL3mul"), 3);
    assert_int_equal(times(linked, "$f"), 0);
    hw_arena_destroy(arena);
}

static hw_status parse(const char *text, hw_arena *arena, hw_nvcc_command *command, hw_diag *diag) {
    hw_args words = {.arena = arena};
    hw_nvcc_add_text(&words, text);
    return hw_nvcc_parse(&words, arena, command, diag);
}

static const char *joined(hw_arena *arena, const hw_args *list) {
    hw_args all = {.arena = arena};
    for (size_t i = 0; i < list->count; i++) hw_args_addf(&all, "%s%s", i ? " " : "", list->items[i]);
    return hw_args_join(&all);
}

static void test_options(void **state) {
    (void)state;
    hw_arena *arena = hw_arena_create();
    hw_nvcc_command command;
    hw_diag diag = {0};
    assert_int_equal(parse("-x cu -dc 'a b.cu' -o\"x y.o\" --generate-code=arch=compute_80,code=[compute_80,sm_80] "
                           "-gencode arch=compute_90a,code=sm_90a -arch=sm_80 -I inc -DA=1 --define-macro B -O2 "
                           "-Xcompiler -Wall,-g -MD -MF d -MT t -MP -Werror all-warnings,reorder -ccbin=g++ -lfoo",
                           arena, &command, &diag), HW_OK);
    assert_int_equal(command.goal, HW_NVCC_OBJECT);
    assert_true(command.relocatable && command.has_runtime && !command.shared);
    assert_string_equal(command.output, "x y.o");
    assert_string_equal(command.language, "cu");
    assert_string_equal(command.host_compiler, "g++");
    assert_string_equal(joined(arena, &command.inputs), "a b.cu");
    assert_string_equal(joined(arena, &command.passed), "-I inc -DA=1 --define-macro B -O2 -Xcompiler -Wall,-g -Werror "
                                                        "-Werror=reorder -lfoo");
    assert_string_equal(joined(arena, &command.depends_words), "-MT t -MP");
    assert_int_equal(command.n_archs, 2);
    assert_int_equal(command.archs[0], 80);
    assert_int_equal(command.archs[1], 90);
    assert_int_equal(parse("--zork a.cu", arena, &command, &diag), HW_USAGE);
    assert_non_null(strstr(diag.text, "--zork"));
    assert_int_equal(parse("-zork -forward-unknown-to-host-compiler a.cu", arena, &command, NULL), HW_OK);
    assert_string_equal(joined(arena, &command.forwarded), "-zork");
    static const struct { const char *text; int cc; } archs[] = {
        {"sm_80", 80}, {"compute_90a", 90}, {"compute_100f", 100}, {"lto_75", 75}, {"sm_", 0}, {"sm_8", 0},
        {"sm_80x", 0}, {"80", 0}, {"sm_99999", 0}, {"native", 0},
    };
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++)
        assert_int_equal(hw_nvcc_read_arch(archs[i].text), archs[i].cc);
    hw_arena_destroy(arena);
}

// What the real nvcc is given.
static void test_real(void **state) {
    (void)state;
    static const struct { const char *user, *real; } cases[] = {
        {"a.cu -o a", "nvcc a.cu -o a -cudart shared"},
        {"-cudart static a.cu", "nvcc a.cu -cudart shared"},
        {"--cudart=none a.cu", "nvcc --cudart=none a.cu"},
        {"--halfwarp-compiler=nvcc -arch=sm_80 a.cu", "nvcc -arch=sm_80 a.cu -cudart shared"},
        {"-gencode arch=compute_80,code=sm_80 a.cu",
         "nvcc -gencode arch=compute_80,code=sm_80 a.cu -cudart shared -gencode=arch=compute_80,code=compute_80"},
        {"-gencode arch=compute_80,code=sm_80 -gencode=arch=compute_80,code=compute_80 a.cu",
         "nvcc -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_80,code=compute_80 a.cu -cudart shared"},
        {"-arch=compute_80 -code=sm_80 a.cu",
         "nvcc -arch=compute_80 -code=sm_80 a.cu -cudart shared -gencode=arch=compute_80,code=compute_80"},
        {"-cubin -gencode arch=compute_80,code=sm_80 a.cu",
         "nvcc -gencode arch=compute_80,code=sm_80 a.cu -fatbin -o a.cubin -cudart shared "
         "-gencode=arch=compute_80,code=compute_80"},
        {"-cubin -odir there in/a.cu", "nvcc -odir there in/a.cu -fatbin -o there/a.cubin -cudart shared"},
        {"-cubin -o b a.cu", "nvcc -o b a.cu -fatbin -cudart shared"},
        // What NVIDIA's knows and we don't, in its own hands.
        {"-cubin -astoolspatch --of-tomorrow=2 -arch=sm_1x -e kernel a.cu",
         "nvcc -astoolspatch --of-tomorrow=2 -arch=sm_1x -e kernel a.cu -fatbin -o a.cubin -cudart shared"},
    };
    hw_arena *arena = hw_arena_create();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_args words = {.arena = arena}, real = {.arena = arena};
        hw_nvcc_add_text(&words, cases[i].user);
        assert_int_equal(hw_nvcc_add_real("nvcc", &words, &real, NULL), HW_OK);
        assert_string_equal(joined(arena, &real), cases[i].real);
    }
    hw_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_link_of_static_names),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
