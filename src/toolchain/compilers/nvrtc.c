// Loading NVRTC, and compiling with it.
#define _GNU_SOURCE
#include "toolchain/compilers/nvrtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "toolchain/args.h"
#include "toolchain/device_code/device_code_internal.h"

// Libraries are named after the version since which their interface holds.
static const struct {
    const char *name;
    int major;
} versions[] = {{"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12}, {"libnvrtc.so.11.2", 11}};
enum { N_VERSIONS = sizeof versions / sizeof versions[0] };

// "" is wherever the loader looks.
static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/opt/cuda/lib64/"};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static hw_nvrtc loaded[N_VERSIONS];

static bool find_functions(hw_nvrtc *nvrtc) {
#define HW_NVRTC(result, name, parameters) \
    if (!(nvrtc->name = (result (*) parameters)dlsym(nvrtc->library, #name))) return false;
#include "toolchain/compilers/nvrtc.def"
#undef HW_NVRTC
    return nvrtc->nvrtcVersion(&nvrtc->major, &nvrtc->minor) == 0;
}

// Under the lock.
static const hw_nvrtc *load_nvrtc(int index) {
    hw_nvrtc *nvrtc = &loaded[index];
    for (size_t i = 0; !nvrtc->library && i < sizeof folders / sizeof folders[0]; i++) {
        char path[256];
        Dl_info info;
        snprintf(path, sizeof path, "%s%s", folders[i], versions[index].name);
        hw_nvrtc found = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
        if (!found.library) continue;
        if (find_functions(&found)) {
            bool is_known = dladdr((void *)found.nvrtcVersion, &info) != 0 && info.dli_fname;
            snprintf(found.path, sizeof found.path, "%s", is_known ? info.dli_fname : path);
            *nvrtc = found;
        } else {
            dlclose(found.library);
        }
    }
    return nvrtc->library ? nvrtc : NULL;
}

const hw_nvrtc *hw_nvrtc_open(int newest_major, hw_diag *diag) {
    const hw_nvrtc *nvrtc = NULL;
    pthread_mutex_lock(&open_lock);
    for (int i = 0; i < N_VERSIONS && !nvrtc; i++)
        if (!newest_major || versions[i].major <= newest_major) nvrtc = load_nvrtc(i);
    for (int i = N_VERSIONS - 1; i >= 0 && !nvrtc; i--) nvrtc = load_nvrtc(i);
    pthread_mutex_unlock(&open_lock);
    if (!nvrtc)
        hw_diag_set(diag, HW_NOT_FOUND, "there is no NVRTC (libnvrtc.so.13, .12 or .11.2), which compiles the kernels: "
                    "install it with the CUDA toolkit, or put its folder on the loader's path");
    return nvrtc;
}

// NVRTC brings no C headers. These are what kernels want of them.
static const char stdint_text[] =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n"
    "typedef unsigned long uint64_t; typedef long intptr_t; typedef unsigned long uintptr_t;\n";
static const char stddef_text[] = "#pragma once\n";   // size_t is built in
static const struct {
    const char *name, *text;
} own_headers[] = {
    {"stdint.h", stdint_text}, {"cstdint", stdint_text}, {"stddef.h", stddef_text}, {"cstddef", stddef_text}};
enum { N_OWN_HEADERS = sizeof own_headers / sizeof own_headers[0] };

static hw_status create_program(const hw_nvrtc *nvrtc, const hw_code_request *request, hw_arena *arena,
                                hw_nvrtc_program *program, hw_diag *diag) {
    size_t count = request->n_headers + N_OWN_HEADERS;
    const char **texts = hw_arena_take(arena, count * sizeof *texts),
               **names = hw_arena_take(arena, count * sizeof *names);
    if (!texts || !names) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < request->n_headers; i++) {
        names[i] = request->headers[i].path;
        texts[i] = request->headers[i].text;
    }
    for (size_t i = 0; i < N_OWN_HEADERS; i++) {
        names[request->n_headers + i] = own_headers[i].name;
        texts[request->n_headers + i] = own_headers[i].text;
    }
    int result =
        nvrtc->nvrtcCreateProgram(program, request->source.text, request->source.path, (int)count, texts, names);
    if (result)
        return hw_diag_set_at(diag, HW_COMPILE, request->source.path, 0, "NVRTC takes no such program: %s",
                              nvrtc->nvrtcGetErrorString(result));
    return HW_OK;
}

hw_status hw_nvrtc_choose_arch(const hw_nvrtc *nvrtc, const hw_code_request *request, hw_arena *arena, hw_code *code,
                               hw_diag *diag) {
    int count = 0, *archs = NULL, best = 0;
    if (nvrtc->nvrtcGetNumSupportedArchs(&count) == 0 && count > 0)
        archs = hw_arena_take(arena, (size_t)count * sizeof *archs);
    if (count > 0 && !archs) return hw_diag_no_memory(diag);
    if (!archs || nvrtc->nvrtcGetSupportedArchs(archs) != 0)
        return hw_diag_set(diag, HW_NOT_FOUND, "%s names no architecture", nvrtc->path);
    code->is_ptx = true;
    for (int i = 0; i < count; i++) {
        hw_compiler_prefer_arch(&best, archs[i], request->cc);
        if (request->wants_machine_code && archs[i] == request->cc) code->is_ptx = false;
    }
    if (request->wants_machine_code && best > request->cc)
        return hw_diag_set(diag, HW_UNSUPPORTED,
                           "NVRTC %d.%d compiles for compute capability %d.%d and newer, not for %d.%d", nvrtc->major,
                           nvrtc->minor, best / 10, best % 10, request->cc / 10, request->cc % 10);
    code->arch = best;
    return HW_OK;
}

static hw_status fetch_code(const hw_nvrtc *nvrtc, hw_nvrtc_program program, const hw_code_request *request,
                            hw_arena *arena, hw_code *code, hw_diag *diag) {
    size_t bytes = 0;
    char *text = NULL;
    int result = code->is_ptx ? nvrtc->nvrtcGetPTXSize(program, &bytes) : nvrtc->nvrtcGetCUBINSize(program, &bytes);
    if (!result) {
        if (!(text = hw_arena_take(arena, bytes + 1))) return hw_diag_no_memory(diag);
        result = code->is_ptx ? nvrtc->nvrtcGetPTX(program, text) : nvrtc->nvrtcGetCUBIN(program, text);
    }
    if (result) return hw_diag_set(diag, HW_COMPILE, "NVRTC gives no code: %s", nvrtc->nvrtcGetErrorString(result));
    // Relative names get the current folder in front.
    code->bytes = code->is_ptx ? hw_code_name_files(request, text, arena) : text;
    if (!code->bytes) return hw_diag_no_memory(diag);
    code->length = code->is_ptx ? strlen(code->bytes) : bytes;
    return HW_OK;
}

static hw_status complain(const hw_nvrtc *nvrtc, hw_nvrtc_program program, int result, const hw_code_request *request,
                          hw_arena *arena, hw_diag *diag) {
    size_t bytes = 0;
    char *log = NULL;
    if (nvrtc->nvrtcGetProgramLogSize(program, &bytes) == 0 && bytes && (log = hw_arena_take(arena, bytes + 1)) &&
        nvrtc->nvrtcGetProgramLog(program, log) == 0 && strlen(log) > 1)
        return hw_code_complain(request, log, "", diag);
    return hw_diag_set_at(diag, HW_COMPILE, request->source.path, 0, "does not compile: %s",
                          nvrtc->nvrtcGetErrorString(result));
}

hw_status hw_nvrtc_compile(const hw_nvrtc *nvrtc, const hw_code_request *request, hw_arena *arena, hw_code *code,
                           hw_diag *diag) {
    hw_args options = {.arena = arena};
    hw_nvrtc_program program = NULL;
    hw_status status = create_program(nvrtc, request, arena, &program, diag);
    if (status != HW_OK) return status;
    hw_args_addf(&options, "--gpu-architecture=%s_%d", code->is_ptx ? "compute" : "sm", code->arch);
    hw_args_add_words(&options, "-std=c++17 -lineinfo", ' ');
    for (size_t i = 0; i < request->n_defines; i++) hw_args_addf(&options, "-D%s", request->defines[i]);
    if (options.failed) {
        status = hw_diag_no_memory(diag);
    } else {
        int result = nvrtc->nvrtcCompileProgram(program, (int)options.count, options.items);
        status = result ? complain(nvrtc, program, result, request, arena, diag)
                        : fetch_code(nvrtc, program, request, arena, code, diag);
    }
    nvrtc->nvrtcDestroyProgram(&program);
    return status;
}
