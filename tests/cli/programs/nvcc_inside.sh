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

if command -v clang > /dev/null; then
    HALFWARP_HIDE_NVCC=1 expect 0 "$halfwarp" run ./inside
    says out "10 "
    rm kernel.cubin
fi
if [ -n "$nvcc" ]; then
    expect 0 "$halfwarp" run ./inside
    # Who looks for the toolkit beside nvcc finds the one that is there.
    says out "10 toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")"
    rm kernel.cubin
fi

# What is set, and when it is not. The folder of an nvcc that is no toolkit is none to look for headers in.
cat > told.c <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    const char *names[] = {"PATH", "NVCC", "CUDA_PATH"};
    for (int i = 0; i < 3; i++) printf("%s=%s\n", names[i], getenv(names[i]) ? getenv(names[i]) : "unset");
    return 0;
}
PROGRAM
"$cc" -o told told.c || exit 1
ours=$(cd "$(dirname "$halfwarp")/cuda/bin" && pwd)
mkdir -p debian/bin 'with blank' full/bin full/nvvm full/targets/x/include linked
printf '#!/bin/sh\n' > debian/bin/nvcc
chmod +x debian/bin/nvcc
cp debian/bin/nvcc full/bin
touch full/targets/x/include/cuda.h
ln -s ../full/bin/nvcc linked/nvcc
told() {
    printf 'PATH=%s\nNVCC=%s\nCUDA_PATH=%s\n' "$@" | diff - out > diff || fail "the program is told: $(cat diff)"
}
CUDA_PATH=/own expect 0 "$halfwarp" run ./told
says out "CUDA_PATH=/own"
PATH=$work/debian/bin:$PATH expect 0 "$halfwarp" run ./told
says out "CUDA_PATH=unset"
PATH=debian/bin:$PATH expect 0 "$halfwarp" run ./told
says out "CUDA_PATH=unset"
PATH=linked:$PATH expect 0 "$halfwarp" run ./told
told "$ours:linked:$PATH" "$ours/nvcc" "$(readlink -f full)"
PATH=linked:$PATH HALFWARP_PUT_NVCC=0 expect 0 "$halfwarp" run ./told
told "linked:$PATH" unset unset
expect 0 env -i HOME="$work" "$halfwarp" run ./told
says out "PATH=$ours:$(getconf PATH)"
expect 0 env -i HOME="$work" PATH= "$halfwarp" run ./told
says out "PATH=$ours:$(getconf PATH)"
# A folder that cannot be a word of these lists, and one that is not there.
cp "$halfwarp" 'with blank/halfwarp'
ln -s "$(cd "$(dirname "$halfwarp")" && pwd)"/{lib,include,cuda} 'with blank'
PATH=linked:$PATH expect 0 'with blank/halfwarp' run ./told
told "linked:$PATH" unset unset
mv 'with blank' without
rm without/cuda
PATH=linked:$PATH expect 0 without/halfwarp run ./told
told "linked:$PATH" unset unset
silent err
# Another halfwarp inside is none that waits for itself.
expect 0 "$halfwarp" run "$halfwarp" run ./inside
finish
