// NVRTC's work by clang, in a folder that goes when the compiler is done.
#define _GNU_SOURCE
#include "toolchain/rtc/rtc.h"

#include <errno.h>
#include <string.h>

#include "toolchain/binary/producer.h"
#include "toolchain/cache/cache.h"
#include "toolchain/compilers/clang_headers.h"
#include "toolchain/compilers/clang_route.h"
#include "toolchain/compilers/own_headers.h"
#include "toolchain/device_code/device_code_internal.h"
#include "toolchain/process.h"
#include "toolchain/rtc/rtc_options.h"
#include "toolchain/work_dir.h"

// Variables behind the source, each of which points to what an expression names: its value in the PTX is the name.
#define HW_NAME_VARIABLE "__halfwarp_name_"

typedef struct work {
    const hw_rtc_request *request;
    hw_arena *arena;
    hw_compiler clang;
    hw_rtc_options options;
    const char *include_dir, *source, *output;
    hw_work_dir dir;
    hw_rtc_result *result;
} work;

// ---- What clang reads -----------------------------------------------------------------------------------------------

// text as a #line has it between quotes.
static const char *quoted(const char *text, hw_arena *arena) {
    char *out = hw_arena_take(arena, 2 * strlen(text) + 1), *to = out;
    for (; out && *text; text++) {
        if (*text == '"' || *text == '\\') *to++ = '\\';
        *to++ = *text;
    }
    if (out) *to = '\0';
    return out;
}

// One line for each expression, which messages call by its own name.
static const char *write_expressions(const work *w) {
    const char *text = "";
    for (size_t i = 0; text && i < w->request->n_expressions; i++) {
        const char *expression = w->request->expressions[i], *name = quoted(expression, w->arena);
        text = name ? hw_arena_printf(w->arena, "%s#line 1 \"name expression %s\"\nextern \"C\" __device__ const void *"
                                      HW_NAME_VARIABLE "%zu = (const void *)(%s);\n", text, name, i, expression) : NULL;
    }
    return text;
}

static hw_status write_source(work *w, hw_diag *diag) {
    static const char begin[] = "#pragma clang force_cuda_host_device begin\n";
    static const char end[] = "\n#pragma clang force_cuda_host_device end";
    const bool marks = w->options.is_default_device;
    const char *name = quoted(w->request->name, w->arena), *expressions = write_expressions(w);
    if (!name || !expressions) return hw_diag_no_memory(diag);
    // NVRTC knows assert without being told of it, unless there is an NDEBUG.
    const char *text = hw_arena_printf(w->arena, "#line 1 \"command line\"\n%s#include <assert.h>\n%s%s"
                                       "#line 1 \"%s\"\n%s%s\n%s", w->options.macros, marks ? begin : "",
                                       w->options.includes, name, w->request->text, marks ? end : "", expressions);
    w->source = hw_arena_printf(w->arena, "%s/program.cu", w->dir.path);
    w->output = hw_arena_printf(w->arena, "%s/program.ptx", w->dir.path);
    if (!text || !w->source || !w->output) return hw_diag_no_memory(diag);
    const int failure = hw_cache_write_file(w->source, text, strlen(text), w->arena);
    return failure ? hw_diag_errno(diag, failure, "cannot write %s", w->source) : HW_OK;
}

static bool leaves_folder(const char *path) {
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/')) return true;
    return path[0] == '/';
}

static hw_status write_headers(const work *w, hw_diag *diag) {
    const char *folder = hw_arena_printf(w->arena, "%s/headers", w->dir.path);
    if (!folder) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < w->request->n_headers; i++) {
        const hw_source_file *header = &w->request->headers[i];
        if (leaves_folder(header->path))
            return hw_diag_set(diag, HW_UNSUPPORTED, "the header '%s' cannot be given in memory without NVIDIA's "
                               "NVRTC: its name leads out of the folder that it is put into", header->path);
        const char *path = hw_arena_printf(w->arena, "headers/%s", header->path);
        const hw_source_file placed = {.path = path, .text = header->text, .bytes = header->bytes};
        const hw_status status = path ? hw_code_write_source(w->dir.path, &placed, w->arena, diag)
                                      : hw_diag_no_memory(diag);
        if (status) return status;
    }
    return HW_OK;
}

// ---- Running it -----------------------------------------------------------------------------------------------------

// The words that decide what clang makes of a source, whatever it is. Of debugging, -O0 stands behind -O3.
static void add_user_words(const work *w, hw_args *args) {
    const char *slash = strrchr(w->request->name, '/');
    if (w->request->n_headers) {   // which come first
        hw_args_add(args, "-I");
        hw_args_addf(args, "%s/headers", w->dir.path);
    }
    hw_args_add_words(args, "-D __CUDACC_RTC__", ' ');
    hw_args_add_all(args, &w->options.words);
    if (w->options.no_source_folder) return;
    hw_args_add(args, "-I");
    if (slash) hw_args_addf(args, "%.*s", slash == w->request->name ? 1 : (int)(slash - w->request->name),
                            w->request->name);
    else hw_args_add(args, ".");
}

static void add_pass(const work *w, int arch, hw_args *args) {
    hw_clang_add_common(&w->clang, arch, w->include_dir, w->dir.path, args);
    hw_args_add_words(args, "-fno-verbose-asm -O3 -std=c++17 -fdiagnostics-format=msvc -fno-show-column", ' ');
    hw_clang_add_ptx(&w->clang, args);
    add_user_words(w, args);
}

static hw_status run_clang(const work *w, int arch, const char **said, int *exit_status, hw_diag *diag) {
    hw_args own = {.arena = w->arena}, pass = {.arena = w->arena}, args = {.arena = w->arena};
    add_user_words(w, &own);
    add_pass(w, arch, &pass);
    const hw_clang_headers wanted = {.cache_dir = w->request->cache_dir, .include_dir = w->include_dir,
                                     .clang = &w->clang, .pass = &pass, .own = &own};
    hw_args_add_all(&args, &pass);
    hw_args_add_words(&args, "-x cuda", ' ');
    hw_clang_headers_add(hw_clang_headers_find(&wanted, w->arena), w->include_dir, &args);
    hw_args_add(&args, "-o");
    hw_args_add(&args, w->output);
    hw_args_add(&args, w->source);
    if (args.failed || own.failed) return hw_diag_no_memory(diag);
    return hw_process_run(args.items, w->dir.path, w->arena, said, exit_status, diag);
}

// What clang says, without our folder, and of headers that are not there what NVRTC says, by which programs find them.
static const char *write_log(const work *w, const char *said) {
    static const char before[] = ": fatal error: '", behind[] = "' file not found";
    const char *folder = w->dir.path;
    char *out = hw_arena_take(w->arena, 2 * strlen(said) + 1), *to = out;
    while (out && *said) {
        const char *name = said + sizeof before - 1, *end;
        if (!strncmp(said, folder, strlen(folder)) && said[strlen(folder)] == '/') {
            said += strlen(folder) + 1;
            if (!strncmp(said, "headers/", 8)) said += 8;
        } else if (!strncmp(said, before, sizeof before - 1) && (end = strstr(name, behind)) &&
                   !memchr(name, '\n', (size_t)(end - name))) {
            to = stpcpy(to, ": catastrophic error: cannot open source file \"");
            to = mempcpy(to, name, (size_t)(end - name));
            *to++ = '"';
            said = end + sizeof behind - 1;
        } else {
            *to++ = *said++;
        }
    }
    if (out) *to = '\0';
    return out;
}

// ---- What clang wrote -----------------------------------------------------------------------------------------------

// Takes the variables out of the text, and their values for names: `.visible .global .align 8 .u64 __halfwarp_name_0 =
// generic(counter);`.
static hw_status take_names(const work *w, char *ptx, hw_diag *diag) {
    const size_t count = w->request->n_expressions;
    const char **lowered = hw_arena_take(w->arena, (count + 1) * sizeof *lowered);
    if (!lowered) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        const char *variable = hw_arena_printf(w->arena, HW_NAME_VARIABLE "%zu = ", i);
        char *value = variable ? strstr(ptx, variable) : NULL, *line = value;
        if (!variable) return hw_diag_no_memory(diag);
        if (!value)
            return hw_diag_set(diag, HW_COMPILE, "name expression %s: names no kernel and no variable of the GPU's",
                               w->request->expressions[i]);
        value += strlen(variable);
        if (!strncmp(value, "generic(", 8)) value += 8;
        lowered[i] = hw_arena_string(w->arena, value, strcspn(value, ");+"));
        if (!lowered[i]) return hw_diag_no_memory(diag);
        while (line > ptx && line[-1] != '\n') line--;
        memset(line, ' ', strcspn(line, "\n"));
    }
    w->result->lowered = lowered;
    return HW_OK;
}

static hw_status read_ptx(const work *w, hw_diag *diag) {
    size_t length = 0;
    char *text = hw_cache_read_file(w->output, w->arena, &length);
    if (!text && errno == ENOENT) text = hw_arena_string(w->arena, "", 0);   // -fsyntax-only
    if (!text) return hw_diag_errno(diag, errno, "cannot read %s", w->output);
    const hw_code_request named = {.source.path = w->request->name, .headers = w->request->headers,
                                   .n_headers = w->request->n_headers};
    text = hw_code_name_files(&named, text, w->arena);
    if (!text) return hw_diag_no_memory(diag);
    const hw_status status = *text ? take_names(w, text, diag) : HW_OK;
    const char *name = hw_compiler_name(&w->clang, w->request->cache_dir, w->arena);
    if (!status) w->result->ptx = name ? hw_arena_printf(w->arena, "%s" HW_PRODUCER_LINE, text, name) : NULL;
    return status || w->result->ptx ? status : hw_diag_no_memory(diag);
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static hw_status find_clang(const char *search_path, const char *cache_dir, hw_arena *arena, hw_compiler *clang,
                            hw_diag *diag) {
    const hw_toolchain_options options = {.compiler = HW_COMPILER_CLANG, .search_path = search_path,
                                          .cache_dir = cache_dir};
    return hw_compiler_choose(&options, arena, clang, diag);
}

static hw_status compile(work *w, hw_diag *diag) {
    int arch, exit_status = 0;
    const char *said = "";
    hw_status status = hw_compiler_arch(&w->clang, w->options.cc, w->arena, &arch, diag);
    if (!status) status = write_headers(w, diag);
    if (!status) status = write_source(w, diag);
    if (!status) status = run_clang(w, arch, &said, &exit_status, diag);
    if (status) return status;
    w->result->log = write_log(w, said);
    if (!w->result->log) return hw_diag_no_memory(diag);
    if (exit_status > 128)
        return hw_diag_set(diag, HW_COMPILE, "%s ended by signal %d", w->clang.path, exit_status - 128);
    return exit_status ? HW_COMPILE : read_ptx(w, diag);
}

hw_status hw_rtc_compile(const hw_rtc_request *request, hw_arena *arena, hw_rtc_result *result) {
    char headers[PATH_MAX];
    hw_diag diag = {0};
    work w = {.request = request, .arena = arena, .dir.lock = -1, .result = result};
    *result = (hw_rtc_result){.log = ""};
    hw_status status = hw_rtc_options_read(request->options, request->n_options, arena, &w.options, &diag);
    if (!status) status = find_clang(request->search_path, request->cache_dir, arena, &w.clang, &diag);
    if (!status && !(w.include_dir = hw_compiler_own_headers(headers)))
        status = hw_diag_set(&diag, HW_NOT_FOUND, "the CUDA headers that belong to Halfwarp "
                             "(share/halfwarp/include/cuda) are not where the library is");
    if (!status) status = hw_work_dir_begin("/tmp", "halfwarp", arena, &w.dir, &diag);
    if (!status) status = compile(&w, &diag);
    hw_work_dir_discard(&w.dir);
    if (status && diag.text[0]) {
        const char *log = hw_arena_printf(arena, "%serror: %s\n", result->log, diag.text);
        result->log = log ? log : "";
        result->refused = status == HW_UNSUPPORTED ? hw_arena_string(arena, diag.text, strlen(diag.text)) : NULL;
    }
    return status;
}

size_t hw_rtc_archs(const char *search_path, const char *cache_dir, int *archs, size_t max) {
    hw_arena *arena = hw_arena_create();
    hw_compiler clang = {0};
    size_t count = 0;
    if (arena && find_clang(search_path, cache_dir, arena, &clang, NULL) == HW_OK)
        for (int arch = 0; count < max && (arch = hw_compiler_clang_arch_after(&clang, arch)); count++)
            archs[count] = arch;
    hw_arena_destroy(arena);
    return count;
}
