# Programs that have NVRTC compile, by NVIDIA's where it is there, and by clang, which takes its place: what was
# compiled to machine code is PTX, which the driver takes as such.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77

# asks KIND: compiles in one way, and prints what came of it.
cat >"$work/asks.c" <<'PROGRAM'
#include <stdio.h>
#include <string.h>
#include "cuda.h"
typedef struct program *nvrtcProgram;
int nvrtcVersion(int *, int *);
int nvrtcGetNumSupportedArchs(int *);
int nvrtcGetSupportedArchs(int *);
const char *nvrtcGetErrorString(int);
int nvrtcCreateProgram(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
int nvrtcDestroyProgram(nvrtcProgram *);
int nvrtcCompileProgram(nvrtcProgram, int, const char *const *);
int nvrtcGetCUBINSize(nvrtcProgram, size_t *);
int nvrtcGetCUBIN(nvrtcProgram, char *);
int nvrtcGetPTXSize(nvrtcProgram, size_t *);
int nvrtcGetPTX(nvrtcProgram, char *);
int nvrtcGetProgramLogSize(nvrtcProgram, size_t *);
int nvrtcGetProgramLog(nvrtcProgram, char *);
int nvrtcAddNameExpression(nvrtcProgram, const char *);
int nvrtcGetLoweredName(nvrtcProgram, const char *, const char **);

#define MUST(call) do { int e = (call); if (e) { printf("%s: %d\n", #call, e); return 7; } } while (0)
static char code[1 << 16], said[1 << 16];
static nvrtcProgram program;

static int launch(const char *name, int start, int n) {
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr p;
    int got = start;
    void *params[] = {&p, &n};
    MUST(cuInit(0));
    MUST(cuCtxCreate(&context, 0, 0, 0));
    MUST(cuModuleLoadData(&module, code));
    MUST(cuModuleGetFunction(&kernel, module, name));
    MUST(cuMemAlloc(&p, 4));
    MUST(cuMemcpyHtoD(p, &got, 4));
    MUST(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, params, 0));
    MUST(cuMemcpyDtoH(&got, p, 4));
    printf("%d\n", got);
    return 0;
}
static int compile(int count, const char *const *options) {
    size_t bytes = 0;
    int status = nvrtcCompileProgram(program, count, options);
    MUST(nvrtcGetProgramLogSize(program, &bytes));
    if (bytes > sizeof said) return 6;
    MUST(nvrtcGetProgramLog(program, said));
    if (strlen(said) + 1 != bytes) return 6;
    return status;
}
// Compiled for machine code.
static int machine_code(void) {
    const char *const options[] = {"--gpu-architecture=sm_80", "-lineinfo"};
    const char *const source = "extern \"C\" __global__ void add(int *p, int n) { assert(n == 5); *p += n; }";
    size_t bytes = 0;
    MUST(nvrtcCreateProgram(&program, source, "add.cu", 0, 0, 0));
    MUST(compile(2, options));
    MUST(nvrtcGetCUBINSize(program, &bytes));
    if (bytes > sizeof code) return 8;
    MUST(nvrtcGetCUBIN(program, code));
    return launch("add", 1, 5);
}
// Headers in memory, in folders and on disk; macros in each spelling; expressions; functions that are not marked.
static int names(void) {
    static const char *const headers[] = {"#include \"deep/b.h\"\n", "int twice(int x) { return 2 * x; }\n"};
    static const char *const header_names[] = {"a.h", "deep/b.h"};
    static const char *const options[] = {"-arch", "compute_80", "-DONE=1", "-D", "TEN=10",
                                          "--define-macro=HUNDRED=100", "-I=disk", "--std=c++14", "-default-device",
                                          "-DSIZE=3", "-DN_OF(x)=x", "-DGONE", "-UGONE", "--pre-include=disk/before.h",
                                          "--fmad=false ", "--ftz", " true ", "-w ", "-rdc=true", "--use_fast_math"};
    static const char source[] =
        "#include \"a.h\"\n#include <on_disk.h>\n#ifndef __CUDACC_RTC__\n#error no NVRTC\n#endif\n"
        "#if SIZE != 3 || N_OF(4) != 4 || defined GONE || BEFORE != 3\n#error other macros\n#endif\n"
        "namespace N {\n__device__ int counter = ON_DISK;\ntemplate <int K> __global__ void times(int *p, int n) {\n"
        "    *p = twice(*p) * K + n * (ONE + TEN + HUNDRED) + counter;\n}\n}\n";
    const char *kernel, *variable, *other;
    size_t bytes = 0;
    MUST(nvrtcCreateProgram(&program, source, 0, 2, headers, header_names));
    MUST(nvrtcAddNameExpression(program, "N::times<7>"));
    MUST(nvrtcAddNameExpression(program, "&N::counter"));
    if (nvrtcGetLoweredName(program, "N::times<7>", &kernel) != 9) return 8;
    if (compile(sizeof options / sizeof *options, options)) return printf("%s", said), 8;
    MUST(nvrtcGetLoweredName(program, "N::times<7>", &kernel));
    MUST(nvrtcGetLoweredName(program, "&N::counter", &variable));
    if (nvrtcGetLoweredName(program, "N::times<8>", &other) != 10 || other) return 9;
    if (nvrtcAddNameExpression(program, "x") != 8) return 9;
    printf("%s %s\n", kernel, variable);
    MUST(nvrtcGetPTXSize(program, &bytes));
    if (bytes > sizeof code) return 8;
    MUST(nvrtcGetPTX(program, code));
    if (strlen(code) + 1 != bytes || strstr(code, "halfwarp_name")) return 9;
    return launch(kernel, 3, 2);
}
// Macros of names that our headers have, and NVIDIA's as well.
static int macros(void) {
    static const char *const options[] = {"-Dw=3", "-DT=4", "-DNDEBUG"};
    static const char source[] = "extern \"C\" __global__ void add(int *p, int n) { assert(n == 0); *p += n * w * T; }";
    size_t bytes = 0;
    MUST(nvrtcCreateProgram(&program, source, "add.cu", 0, 0, 0));
    if (compile(3, options)) return printf("%s", said), 8;
    MUST(nvrtcGetPTXSize(program, &bytes));
    if (bytes > sizeof code) return 8;
    MUST(nvrtcGetPTX(program, code));
    return launch("add", 1, 2);
}
static int refused(void) {
    static const char *const option = "-dlto";
    MUST(nvrtcCreateProgram(&program, "", "empty.cu", 0, 0, 0));
    printf("%s\n%s", nvrtcGetErrorString(compile(1, &option)), said);
    return 0;
}
// What is wrong, with the names that the program gave.
static int wrong(void) {
    static const char *const headers[] = {"#pragma once\n\nint bad(\n"}, *const header_names[] = {"bad.h"};
    static const char *const sources[] = {"__global__ void k(int *p) {\n    *p = missing;\n}\n", "#include \"bad.h\"\n",
                                          "\n#include \"nowhere.h\"\n"};
    for (int i = 0; i < 3; i++) {
        MUST(nvrtcCreateProgram(&program, sources[i], "folder/wrong.cu", 1, headers, header_names));
        printf("%s\n%s", nvrtcGetErrorString(compile(0, 0)), said);
        MUST(nvrtcDestroyProgram(&program));
    }
    static const char *const options[] = {"--no-such-option", "-Gfoo", "-wrong"};
    MUST(nvrtcCreateProgram(&program, "", "empty.cu", 0, 0, 0));
    for (int i = 0; i < 3; i++) printf("%s\n%s", nvrtcGetErrorString(compile(1, &options[i])), said);
    if (nvrtcCompileProgram(program, 1, 0) != 3 || nvrtcCompileProgram(0, 0, 0) != 4) return 9;
    return 0;
}
int main(int argc, char **argv) {
    int major = 0, minor, count = 0, archs[64];
    MUST(nvrtcVersion(&major, &minor));
    MUST(nvrtcGetNumSupportedArchs(&count));
    if (major != 13 || count < 1 || count > 64) return 9;
    MUST(nvrtcGetSupportedArchs(archs));
    for (int i = 1; i < count; i++) if (archs[i] <= archs[i - 1]) return 9;
    return argc < 2 ? 2 : *argv[1] == 'm' ? machine_code() : *argv[1] == 'n' ? names() :
           *argv[1] == 'd' ? macros() : *argv[1] == 'r' ? refused() : wrong();
}
PROGRAM
"$cc" -g -I "$tests/../include/cuda" -o "$work/asks" "$work/asks.c" \
    "$lib/driver/libnvrtc.so.13" "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
mkdir "$work/disk"
echo '#define ON_DISK 1000' > "$work/disk/on_disk.h"
printf '#if SIZE == 3\n#define BEFORE SIZE\n#endif\n' > "$work/disk/before.h"
cd "$work" || exit 1

tried() {
    expect 0 "$halfwarp" run ./asks machine
    says out '6'
    expect 0 "$halfwarp" run ./asks names
    says out '_ZN1N5timesILi7EEEvPii _ZN1N7counterE'
    says out '1264'
    expect 0 "$halfwarp" run ./asks wrong
    says out 'NVRTC_ERROR_COMPILATION'
    says out 'folder/wrong.cu(2): error: '
    says out 'bad.h('
    says out 'folder/wrong.cu(2): catastrophic error: cannot open source file "nowhere.h"'
    says out 'NVRTC_ERROR_INVALID_OPTION'
    for option in no-such-option Gfoo wrong; do says out "$option"; done
}
[ ! -e /usr/local/cuda/lib64/libnvrtc.so.13 ] || tried

# As on a machine without NVIDIA's.
export HALFWARP_HIDE_NVCC=1
if command -v clang > /dev/null; then
    tried
    # NVIDIA's headers break by such macros. Ours are read before them, also where clang has kept what it read.
    for time in first second third; do
        expect 0 "$halfwarp" run ./asks defines
        says out '25'
        silent err
    done
    # What only NVIDIA's can do is no mistake of the program's, and its status is not to be trusted.
    expect 4 "$halfwarp" run ./asks refused
    says out 'NVRTC_ERROR_INVALID_OPTION'
    says out "error: the option -dlto is not supported without NVIDIA's NVRTC"
    says err 'the option -dlto is not supported'
    expect 0 "$halfwarp" run ./asks wrong
    grep -q "$work\|/tmp/" "$work/out" && fail "the log names a folder of ours: $(cat "$work/out")"
fi
# Nor a clang: what brings one is said.
mkdir "$work/empty"
expect 4 env PATH="$work/empty" "$halfwarp" run ./asks machine
says err 'pip install nvidia-cuda-nvrtc'
finish
