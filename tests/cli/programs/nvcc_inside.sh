# Programs that call nvcc while they run, as PyCUDA does: it is Halfwarp's, and what they take for machine code has PTX.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
headers=$(cd "$(dirname "$0")/../../../include/cuda" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77
nvcc=$(command -v nvcc)

cat > "$work/inside.c" <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
#include "cuda.h"
int main(void) {
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr p;
    int got = 5;
    void *params[] = {&p};
    // PyCUDA's words, in the folder of its source.
    if (system("nvcc --cubin -arch sm_90 -I. kernel.cu")) return 1;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return 2;
    if (cuModuleLoad(&module, "kernel.cubin") || cuModuleGetFunction(&kernel, module, "twice")) return 3;
    if (cuMemAlloc(&p, 4) || cuMemcpyHtoD(p, &got, 4)) return 4;
    if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, params, 0) || cuMemcpyDtoH(&got, p, 4)) return 5;
    printf("%d toolkit=%s\n", got, getenv("CUDA_PATH") ? getenv("CUDA_PATH") : "");
    return 0;
}
PROGRAM
cat > "$work/kernel.cu" <<'CUDA'
__device__ constexpr float logarithm() { return 1 / logf(10.0f); }   // PyCUDA's header; no error of nvcc's
extern "C" __global__ void twice(int *p) { *p *= 2 + (logarithm() > 1); }
CUDA
"$cc" -I "$headers" -o "$work/inside" "$work/inside.c" "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
cd "$work" || exit 1
unset CUDA_PATH CUDA_HOME NVCC

HALFWARP_HIDE_NVCC=1 expect 0 "$halfwarp" run ./inside
says out "10 "
rm kernel.cubin
if [ -n "$nvcc" ]; then
    expect 0 "$halfwarp" run ./inside
    # Who looks for the toolkit beside nvcc finds the one that is there.
    says out "10 toolkit=$(dirname "$(dirname "$nvcc")")"
    rm kernel.cubin
fi
CUDA_PATH=/own expect 0 "$halfwarp" profile ./inside
says out "toolkit=/own"
# Another halfwarp inside is none that waits for itself.
expect 0 "$halfwarp" run "$halfwarp" run ./inside
finish
