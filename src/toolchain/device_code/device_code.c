// Device code: the cache, the choice of compiler, and what compilers say.
#define _GNU_SOURCE
#include "toolchain/device_code/device_code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/binary/producer.h"
#include "toolchain/cache/cache.h"
#include "toolchain/device_code/device_code_internal.h"
#include "toolchain/process.h"

// To be changed with the options that compilers are given: code that was compiled otherwise is not used again.
enum { RECIPE = 2 };

// code: with NVRTC, the architecture that is compiled for, which several GPUs share.
static hw_hash key_of(const hw_code_request *request, const hw_nvrtc *nvrtc, const hw_compiler *compiler,
                      const hw_code *code) {
    hw_hash key = hw_hash_start();
    hw_hash_number(&key, RECIPE);
    hw_hash_string(&key, request->source.path);
    hw_hash_string(&key, request->source.text);
    hw_hash_number(&key, request->n_headers);
    for (size_t i = 0; i < request->n_headers; i++) {
        hw_hash_string(&key, request->headers[i].path);
        hw_hash_string(&key, request->headers[i].text);
    }
    hw_hash_number(&key, request->n_defines);
    for (size_t i = 0; i < request->n_defines; i++) hw_hash_string(&key, request->defines[i]);
    if (nvrtc) {
        hw_hash_number(&key, (uint64_t)code->arch);
        hw_hash_number(&key, code->is_ptx);
        hw_hash_number(&key, (uint64_t)nvrtc->major);
        hw_hash_number(&key, (uint64_t)nvrtc->minor);
        hw_compiler_identify(nvrtc->path, &key);
        return key;
    }
    hw_hash_number(&key, (uint64_t)request->cc);
    hw_hash_number(&key, (uint64_t)compiler->kind);
    if (compiler->kind == HW_COMPILER_CLANG) hw_hash_string(&key, HW_PRODUCER_LINE);
    hw_compiler_identify(compiler->path, &key);
    if (compiler->kind == HW_COMPILER_CLANG) hw_compiler_identify_headers(request->include_dir, &key);
    hw_process_hash_environment(&key);
    return key;
}

static hw_status choose_process(const hw_code_request *request, hw_arena *arena, hw_compiler *compiler, hw_diag *diag) {
    const hw_toolchain_options options = {.compiler = request->compiler, .search_path = request->search_path,
                                          .cache_dir = request->cache_dir};
    hw_diag own = {0};
    hw_status status = hw_compiler_choose(&options, arena, compiler, &own);
    if (status == HW_OK && compiler->kind == HW_COMPILER_CLANG && !request->include_dir)
        return hw_diag_set(diag, HW_NOT_FOUND, "%s cannot be used: the CUDA headers that belong to Halfwarp "
                           "(share/halfwarp/include/cuda) are not where the library is", compiler->path);
    if (status == HW_NOT_FOUND && request->compiler == HW_COMPILER_AUTO)
        return hw_diag_set(diag, HW_NOT_FOUND,
                           "kernels cannot be compiled: there is no NVRTC, and no nvcc or clang %d or "
                           "newer in %s; install one of them (apt-get install clang)",
                           HW_CLANG_OLDEST, request->search_path ? request->search_path : "an empty search path");
    if (status != HW_OK) hw_diag_set(diag, status, "%s", own.text);
    return status;
}

// PTX says it itself; machine code is NVRTC's.
static void tell_maker(const hw_nvrtc *nvrtc, hw_code *code) {
    if (code->is_ptx) hw_producer_of_ptx(code->bytes, code->length, code->made_by, sizeof code->made_by);
    else if (nvrtc) snprintf(code->made_by, sizeof code->made_by, "NVRTC %d.%d", nvrtc->major, nvrtc->minor);
}

hw_status hw_toolchain_device_code(const hw_code_request *request, hw_arena *arena, hw_code *code, hw_diag *diag) {
    const hw_nvrtc *nvrtc = NULL;
    hw_compiler compiler = {0};
    hw_status status = HW_OK;
    bool must_be_nvrtc = request->wants_machine_code || request->compiler == HW_COMPILER_NVRTC;
    *code = (hw_code){0};
    if (must_be_nvrtc || request->compiler == HW_COMPILER_AUTO)
        nvrtc = hw_nvrtc_open(request->newest_nvrtc, must_be_nvrtc ? diag : NULL);
    if (nvrtc) status = hw_nvrtc_choose_arch(nvrtc, request, arena, code, diag);
    else status = must_be_nvrtc ? HW_NOT_FOUND : choose_process(request, arena, &compiler, diag);
    if (status != HW_OK) return status;

    hw_hash key = key_of(request, nvrtc, &compiler, code);
    bool has_cache = request->cache_dir && *request->cache_dir;
    bool is_kept = has_cache && hw_code_cache_find(request->cache_dir, &key, arena, code);
    if (!is_kept) status = nvrtc ? hw_nvrtc_compile(nvrtc, request, arena, code, diag)
                                 : hw_code_by_process(request, &compiler, arena, code, diag);
    if (status == HW_OK && has_cache && !is_kept) hw_code_cache_keep(request->cache_dir, &key, arena, code);
    if (status == HW_OK) tell_maker(nvrtc, code);
    return status;
}

static bool ends_with_path(const char *name, size_t length, const char *path) {
    const size_t own = strlen(path);
    return own <= length && !memcmp(name + length - own, path, own) && (own == length || name[length - own - 1] == '/');
}

// The source whose path a compiler's name for it ends with; NULL.
static const hw_source_file *source_of(const hw_code_request *request, const char *name, size_t length) {
    for (size_t i = 0; i <= request->n_headers; i++) {
        const hw_source_file *source = i ? &request->headers[i - 1] : &request->source;
        if (ends_with_path(name, length, source->path)) return source;
    }
    return NULL;
}

// What a file is called wherever it is compiled: a source's path, and the name of the header that is inside NVRTC,
// which gives it the current folder. NULL: it is another.
static const char *path_of(const hw_code_request *request, const char *name, size_t length) {
    static const char inside[] = "__nv_nvrtc_builtin_header.h";
    const hw_source_file *source = source_of(request, name, length);
    return source ? source->path : ends_with_path(name, length, inside) ? inside : NULL;
}

char *hw_code_name_files(const hw_code_request *request, const char *ptx, hw_arena *arena) {
    char *out = hw_arena_string(arena, ptx, strlen(ptx)), *to = out;
    for (const char *at = ptx; out && *at;) {
        // Lines of the form  .file 1 "/folder/transpose/30_tile.cu", ...
        size_t line = strcspn(at, "\n"), blanks = strspn(at, " \t");
        const char *name = !strncmp(at + blanks, ".file", 5) ? memchr(at, '"', line) : NULL;
        const char *end = name ? memchr(name + 1, '"', line - (size_t)(name + 1 - at)) : NULL;
        const char *path = end ? path_of(request, name + 1, (size_t)(end - name - 1)) : NULL;
        if (path) {
            to = mempcpy(to, at, (size_t)(name + 1 - at));
            to = stpcpy(to, path);
            line -= (size_t)(end - at);
            at = end;
        }
        line += at[line] == '\n';
        to = mempcpy(to, at, line);
        at += line;
    }
    if (out) *to = '\0';
    return out;
}

// The place in front of ": error" in a line: "FILE(12)" or "FILE:12:5". Returns the length of FILE.
static size_t parse_place(const char *line, const char *end, int *number) {
    const char *at = end;
    *number = 0;
    if (at > line && at[-1] == ')') {
        while (at > line && at[-1] != '(') at--;
        if (at == line || !isdigit((unsigned char)*at)) return 0;
        *number = atoi(at);
        return (size_t)(at - 1 - line);
    }
    for (int colons = 0; at > line && colons < 2; at--) {
        if (at[-1] == ':') {
            colons++;
            *number = atoi(at);
        } else if (!isdigit((unsigned char)at[-1])) {
            break;
        }
    }
    return *number > 0 ? (size_t)(at - line) : 0;
}

hw_status hw_code_complain(const hw_code_request *request, const char *output, const char *folder, hw_diag *diag) {
    const char *error = strstr(output, ": error");
    const char *fatal = strstr(output, ": fatal error"), *catastrophic = strstr(output, ": catastrophic error");
    if (fatal && (!error || fatal < error)) error = fatal;
    if (catastrophic && (!error || catastrophic < error)) error = catastrophic;
    if (!error)
        return hw_diag_set_at(diag, HW_COMPILE, request->source.path, 0, "does not compile: %.*s",
                              (int)strcspn(output, "\n"), output);
    const char *line = error;
    while (line > output && line[-1] != '\n') line--;
    int number = 0;
    size_t path_length = parse_place(line, error, &number), skip = strlen(folder);
    if (skip && !strncmp(line, folder, skip) && line[skip] == '/' && path_length > skip) {
        line += skip + 1;
        path_length -= skip + 1;
    }
    char path[256];
    size_t kept = path_length < sizeof path ? path_length : sizeof path - 1;
    memcpy(path, line, kept);
    path[kept] = '\0';
    const char *words = error + 2;
    return hw_diag_set_at(diag, HW_COMPILE, kept ? path : request->source.path, number, "%.*s",
                          (int)strcspn(words, "\n"), words);
}
