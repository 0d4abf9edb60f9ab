// NVRTC as programs find it by its name: NVIDIA's, which is asked for PTX where the program asks for machine code, and
// whose PTX is given out in its place. So a program that compiles for sm_90 runs unchanged, as the driver's door takes
// either. Where NVIDIA's is not there, ours takes its place (own.c).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "shim/nvrtc/nvrtc.h"
#include "shim/shim.h"

#define HW_TEXT(x) #x
#define HW_TEXT_OF(x) HW_TEXT(x)
#define HW_NVRTC_NAME "libnvrtc.so." HW_TEXT_OF(HW_NVRTC)

// ---- NVIDIA's ----

static void *real;

// Behind this library's own folder there may be others of the path that have one.
static bool open_in(const char *folder, size_t length, const char *own_folder) {
    char path[PATH_MAX], resolved[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/" HW_NVRTC_NAME, (int)length, folder);
    if (!length || !realpath(path, resolved)) return false;
    const size_t own = strlen(own_folder);
    if (strncmp(resolved, own_folder, own) == 0 && !strchr(resolved + own, '/')) return false;
    real = dlopen(resolved, RTLD_NOW | RTLD_LOCAL);
    return real != NULL;
}

// As on a machine without the toolkit, for tests of that.
static bool is_hidden(void) {
    const char *hide = getenv("HALFWARP_HIDE_NVCC");
    return hide && *hide;
}

static void open_real(void) {
    static const char usual[] = "/usr/local/cuda/lib64:/opt/cuda/lib64:/usr/lib/x86_64-linux-gnu:/usr/lib64:/usr/lib";
    Dl_info info;
    char own[PATH_MAX] = "";
    if (dladdr((void *)open_real, &info) && info.dli_fname && realpath(info.dli_fname, own)) {
        char *slash = strrchr(own, '/');
        if (slash) slash[1] = '\0';
    }
    const char *given = getenv("LD_LIBRARY_PATH");
    const char *const lists[] = {given ? given : "", usual};
    for (size_t i = 0; !real && !is_hidden() && i < sizeof lists / sizeof *lists; i++) {
        for (const char *at = lists[i]; *at && !real; at += strspn(at, ":")) {
            const size_t length = strcspn(at, ":");
            open_in(at, length, own);
            at += length;
        }
    }
}

// NULL: NVIDIA's is not there, or older than the call.
static void *find_call(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_real);
    return real ? dlsym(real, name) : NULL;
}

// A call that NVIDIA's does not have may not be given its programs.
#define HW_CALL(name, ours, parameters, arguments)                                  \
    HW_EXPORT int name parameters;                                                  \
    HW_EXPORT int name parameters {                                                 \
        int (*call) parameters = find_call(#name);                                  \
        if (!call && real) return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;            \
        return call ? call arguments : ours arguments;                              \
    }
#include "shim/nvrtc/calls.def"
#undef HW_CALL

HW_EXPORT const char *nvrtcGetErrorString(int result);
HW_EXPORT const char *nvrtcGetErrorString(int result) {
    const char *(*call)(int) = find_call("nvrtcGetErrorString");
    return call ? call(result) : hw_own_error_string(result);
}

// ---- machine code ----

// "--gpu-architecture=sm_90a" -> "--gpu-architecture=compute_90a", in memory of its own; NULL: it is no such option.
static char *for_ptx(const char *option) {
    static const char *const beginnings[] = {"--gpu-architecture=sm_", "--gpu-architecture sm_", "-arch=sm_",
                                             "-arch sm_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const size_t length = strlen(beginnings[i]);
        if (strncmp(option, beginnings[i], length) != 0) continue;
        char *made = hw_malloc(strlen(option) + sizeof "compute");
        if (made) sprintf(made, "%.*scompute_%s", (int)(length - strlen("sm_")), option, option + length);
        return made;
    }
    return NULL;
}

HW_EXPORT int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
HW_EXPORT int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
    int (*call)(nvrtcProgram, int, const char *const *) = find_call("nvrtcCompileProgram");
    if (!call) return hw_own_compile(program, count, options);
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options)) return NVRTC_ERROR_INVALID_INPUT;
    const size_t n = (size_t)count;
    const char **taken = hw_calloc(n + 1, sizeof *taken);
    char **made = hw_calloc(n + 1, sizeof *made);
    for (size_t i = 0; taken && made && i < n; i++) {
        made[i] = options[i] ? for_ptx(options[i]) : NULL;
        taken[i] = made[i] ? made[i] : options[i];
    }
    const int result = taken && made ? call(program, count, taken) : NVRTC_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; made && i < n; i++) hw_free(made[i]);
    hw_free(made);
    hw_free(taken);
    return result;
}

HW_EXPORT int nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
HW_EXPORT int nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) { return nvrtcGetPTXSize(program, bytes); }

HW_EXPORT int nvrtcGetCUBIN(nvrtcProgram program, char *code);
HW_EXPORT int nvrtcGetCUBIN(nvrtcProgram program, char *code) { return nvrtcGetPTX(program, code); }
