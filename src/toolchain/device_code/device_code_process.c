// PTX by nvcc or clang: the sources are written to a temporary folder that goes when the compiler is done.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolchain/args.h"
#include "toolchain/binary/producer.h"
#include "toolchain/cache/cache.h"
#include "toolchain/compilers/clang_headers.h"
#include "toolchain/compilers/clang_route.h"
#include "toolchain/device_code/device_code_internal.h"
#include "toolchain/process.h"
#include "toolchain/work_dir.h"

hw_status hw_code_write_source(const char *folder, const hw_source_file *file, hw_arena *arena, hw_diag *diag) {
    char *path = hw_arena_printf(arena, "%s/%s", folder, file->path);
    if (!path) return hw_diag_no_memory(diag);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return hw_diag_errno(diag, errno, "cannot make the folder %s", path);
    }
    int failure = hw_cache_write_file(path, file->text, strlen(file->text), arena);
    return failure ? hw_diag_errno(diag, failure, "cannot write %s", path) : HW_OK;
}

static void add_nvcc(hw_args *args, const hw_compiler *compiler, int arch) {
    hw_args_add(args, compiler->path);
    hw_args_addf(args, "-arch=compute_%d", arch);
    hw_args_add_words(args, "-ptx -lineinfo -O3 -std=c++17 -Wno-deprecated-gpu-targets", ' ');
}

// nvcc takes a definition for a list, in which a comma separates unless a backslash stands before it.
static void add_define(hw_args *args, const hw_compiler *compiler, const char *define) {
    char *word = hw_arena_take(args->arena, 2 * strlen(define) + 1), *end = word;
    if (!word) {
        args->failed = true;
        return;
    }
    for (const char *c = define; *c; c++) {
        if (*c == ',' && compiler->kind == HW_COMPILER_NVCC) *end++ = '\\';
        *end++ = *c;
    }
    *end = '\0';
    hw_args_addf(args, "-D%s", word);
}

static void add_clang(hw_args *args, const hw_compiler *compiler, int arch, const char *folder,
                      const char *include_dir) {
    hw_clang_add_common(compiler, arch, include_dir, folder, args);
    hw_args_add_words(args, "-fno-verbose-asm -O3 -std=c++17", ' ');
    hw_clang_add_ptx(compiler, args);
}

static const char *find_headers(const hw_code_request *request, const hw_compiler *compiler, const char *folder,
                                int arch, hw_arena *arena) {
    hw_args pass = {.arena = arena};
    const hw_clang_headers wanted = {.cache_dir = request->cache_dir, .include_dir = request->include_dir,
                                     .clang = compiler, .pass = &pass};
    add_clang(&pass, compiler, arch, folder, request->include_dir);
    return hw_clang_headers_find(&wanted, arena);
}

// Runs the compiler once. headers: what find_headers has, or NULL.
static hw_status run_compiler(const char *folder, const hw_code_request *request, const hw_compiler *compiler,
                              const char *headers, const char *output, hw_arena *arena, const hw_code *code,
                              const char **words, int *exit_status, hw_diag *diag) {
    hw_args args = {.arena = arena};
    if (compiler->kind == HW_COMPILER_NVCC) {
        add_nvcc(&args, compiler, code->arch);
    } else {
        add_clang(&args, compiler, code->arch, folder, request->include_dir);
        hw_args_add_words(&args, "-x cuda", ' ');
        hw_clang_headers_add(headers, request->include_dir, &args);
    }
    hw_args_addf(&args, "-I%s", folder);
    for (size_t i = 0; i < request->n_defines; i++) add_define(&args, compiler, request->defines[i]);
    hw_args_add(&args, "-o");
    hw_args_add(&args, output);
    hw_args_addf(&args, "%s/%s", folder, request->source.path);
    if (args.failed) return hw_diag_no_memory(diag);
    return hw_process_run(args.items, folder, arena, words, exit_status, diag);
}

static hw_status compile_in(const char *folder, const hw_code_request *request, const hw_compiler *compiler,
                            hw_arena *arena, hw_code *code, hw_diag *diag) {
    const char *output = hw_arena_printf(arena, "%s/out.ptx", folder), *words = NULL, *headers = NULL;
    int exit_status = 0;
    if (!output) return hw_diag_no_memory(diag);
    if (compiler->kind == HW_COMPILER_CLANG) headers = find_headers(request, compiler, folder, code->arch, arena);
    hw_status status = run_compiler(folder, request, compiler, headers, output, arena, code, &words, &exit_status,
                                    diag);
    if (status == HW_OK && exit_status != 0 && headers) {
        // What was kept may be older than the headers that are there now, which clang refuses.
        status = run_compiler(folder, request, compiler, NULL, output, arena, code, &words, &exit_status, diag);
        if (status == HW_OK && exit_status == 0) unlink(headers);
    }
    if (status != HW_OK) return status;
    if (exit_status > 128)
        return hw_diag_set_at(diag, HW_COMPILE, request->source.path, 0, "does not compile: %s ended by signal %d",
                              compiler->path, exit_status - 128);
    if (exit_status != 0) return hw_code_complain(request, words, folder, diag);
    const char *ptx = hw_cache_read_file(output, arena, &code->length);
    if (!ptx) return hw_diag_errno(diag, errno, "cannot read %s", output);
    const char *name = NULL;
    if (compiler->kind == HW_COMPILER_CLANG) name = hw_compiler_name(compiler, request->cache_dir, arena);
    if (name) ptx = hw_arena_printf(arena, "%s" HW_PRODUCER_LINE, ptx, name);
    code->bytes = ptx ? hw_code_name_files(request, ptx, arena) : NULL;
    code->length = code->bytes ? strlen(code->bytes) : 0;
    return code->bytes ? HW_OK : hw_diag_no_memory(diag);
}

hw_status hw_code_by_process(const hw_code_request *request, const hw_compiler *compiler, hw_arena *arena,
                             hw_code *code, hw_diag *diag) {
    hw_work_dir work_dir;
    code->is_ptx = true;
    hw_status status = hw_compiler_arch(compiler, request->cc, arena, &code->arch, diag);
    if (status == HW_OK) status = hw_work_dir_begin("/tmp", "halfwarp", arena, &work_dir, diag);
    if (status != HW_OK) return status;
    for (size_t i = 0; i < request->n_headers && status == HW_OK; i++)
        status = hw_code_write_source(work_dir.path, &request->headers[i], arena, diag);
    if (status == HW_OK) status = hw_code_write_source(work_dir.path, &request->source, arena, diag);
    if (status == HW_OK) status = compile_in(work_dir.path, request, compiler, arena, code, diag);
    hw_work_dir_discard(&work_dir);
    return status;
}
