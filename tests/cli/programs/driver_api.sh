# Programs of C alone that call the driver, by themselves and beside the runtime: one GPU, whose launches are counted.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77
headers=$tests/../include/cuda

"$cc" -g -I "$headers" -o "$work/driver" "$tests/shim/driver.c" "$lib/driver/libcuda.so.1" \
    -Wl,-rpath-link,"$lib" || exit 1
# A fault of a kernel is the run's, whatever the program makes of it.
expect 5 "$halfwarp" run "$work/driver"
says out '0 failures'
says err 'kernel wild accessed memory'
says err 'wrong.u32 is no PTX instruction'

# As a program's makefile has it that links with a toolkit: the driver there finds what it is made of.
"$cc" -I "$headers" -o "$work/driver" "$tests/shim/driver.c" "-L$(dirname "$lib")/cuda/lib64" -lcuda ||
    fail "a program does not link by -lcuda"

"$cc" -g -I "$headers" -o "$work/mixed" "$tests/shim/driver_mixed.c" "$lib/libcudart.so.13" "$lib/driver/libcuda.so.1" \
    -lpthread -Wl,-rpath-link,"$lib" || exit 1
expect 0 "$halfwarp" profile --launches --format csv -o "$work/rows" "$work/mixed"
says out '0 failures'
[ "$(grep -c ',add,' "$work/rows")" = 401 ] || fail "launches: $(head -3 "$work/rows")"

# Packages link by nvJitLink where there is one.
"$cc" -g -I "$headers" -o "$work/linker" "$tests/shim/linker.c" "$lib/driver/libcuda.so.1" -ldl \
    -Wl,-rpath-link,"$lib" || exit 1
expect 0 "$halfwarp" run "$work/linker"
says out '0 failures'

# An entry that is not supported names itself, and decides the exit status of a program that goes on.
cat >"$work/refused.c" <<'PROGRAM'
#include "cuda.h"
CUresult cuGraphicsUnregisterResource(void *resource);
int main(void) {
    cuInit(0);
    return cuGraphicsUnregisterResource(0) != CUDA_ERROR_NOT_SUPPORTED;
}
PROGRAM
"$cc" -g -I "$headers" -o "$work/refused" "$work/refused.c" "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
expect 4 "$halfwarp" run "$work/refused"
says err 'refused.c:5: cuGraphicsUnregisterResource is not supported'
says err 'its results are not to be trusted'

# NVIDIA's own libraries call into tables that are not documented: told, where it would be a call of nothing.
cat >"$work/table.c" <<'PROGRAM'
#include "cuda.h"
int main(void) {
    static const unsigned char number[16] = {0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47,
                                             0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc};
    const struct { size_t bytes; CUresult (*calls[3])(void *out); } *table;
    void *out;
    if (cuInit(0) || cuGetExportTable((const void **)&table, (const CUuuid *)number)) return 1;
    return table->calls[1](&out) != CUDA_ERROR_NOT_SUPPORTED;
}
PROGRAM
"$cc" -g -I "$headers" -o "$work/table" "$work/table.c" "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
expect 4 "$halfwarp" run "$work/table"
says err "a table of the driver's that NVIDIA's libraries use is not supported"

# For a default stream of each thread programs call other entries, by the same header.
cat >"$work/thread.c" <<'PROGRAM'
#include "cuda.h"
int main(void) {
    CUcontext context;
    CUdeviceptr p;
    int seven = 7, got = 0;
    return cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuMemAlloc(&p, 4) ||
           cuMemcpyHtoD(p, &seven, 4) || cuStreamSynchronize(0) || cuMemcpyDtoHAsync(&got, p, 4, 0) || got != 7;
}
PROGRAM
"$cc" -DCUDA_API_PER_THREAD_DEFAULT_STREAM -I "$headers" -o "$work/thread" "$work/thread.c" "$lib/driver/libcuda.so.1" \
    -Wl,-rpath-link,"$lib" || exit 1
command -v nm >/dev/null && { nm "$work/thread" | grep -q 'cuMemcpyHtoD_v2_ptds' || fail "entries of the header"; }
expect 0 "$halfwarp" run "$work/thread"
finish
