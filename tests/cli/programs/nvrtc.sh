# Programs that have NVRTC compile to machine code get PTX, which the driver takes in its place.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77

cat >"$work/sm.c" <<'PROGRAM'
#include <stdio.h>
#include "cuda.h"
typedef struct program *nvrtcProgram;
int nvrtcCreateProgram(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
int nvrtcCompileProgram(nvrtcProgram, int, const char *const *);
int nvrtcGetCUBINSize(nvrtcProgram, size_t *);
int nvrtcGetCUBIN(nvrtcProgram, char *);
int main(void) {
    const char *const options[] = {"--gpu-architecture=sm_90", "-lineinfo"};
    static char code[1 << 16];
    size_t bytes = 0;
    nvrtcProgram program;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    CUdeviceptr p;
    int five = 5, got = 1;
    void *params[] = {&p, &five};
    if (nvrtcCreateProgram(&program, "extern \"C\" __global__ void add(int *p, int n) { *p += n; }", "add.cu", 0, 0, 0))
        return 7;
    if (nvrtcCompileProgram(program, 2, options) || nvrtcGetCUBINSize(program, &bytes) || bytes > sizeof code ||
        nvrtcGetCUBIN(program, code))
        return 8;
    if (cuInit(0) || cuCtxCreate(&context, 0, 0, 0) || cuModuleLoadData(&module, code) ||
        cuModuleGetFunction(&add, module, "add") || cuMemAlloc(&p, 4) || cuMemcpyHtoD(p, &got, 4) ||
        cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, params, 0) || cuMemcpyDtoH(&got, p, 4))
        return 9;
    printf("%d\n", got);
    return 0;
}
PROGRAM
"$cc" -g -I "$tests/../include/cuda" -o "$work/sm" "$work/sm.c" \
    "$lib/driver/libnvrtc.so.13" "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
# Where there is none this is said, and what brings it.
if [ ! -e /usr/local/cuda/lib64/libnvrtc.so.13 ]; then
    expect 4 "$halfwarp" run "$work/sm"
    says err 'pip install nvidia-cuda-nvrtc'
    finish
fi
expect 0 "$halfwarp" run "$work/sm"
says out '6'
finish
