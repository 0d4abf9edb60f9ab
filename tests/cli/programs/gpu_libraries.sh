# Libraries that hold machine code only: when a call of theirs needs it the library is named, and the exit status is 4,
# though the program goes on and ends with 0. Stand-ins for cuBLAS and its like, and cuBLAS where it is installed.
. "$(dirname "$0")/../check.bash"
folder=$(cd "$(dirname "$0")/../../shim" && pwd)
source=$folder/uses_library.cu
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77
code='-DMACHINE_CODE="'$folder/../fuzz/corpus/fatbin/machine_code.fatbin'"'
mkdir "$work/own" "$work/shared"
"$cc" -shared -fPIC "$code" -o "$work/own/libgpu.so" "$folder/gpu_library.c" -ldl || exit 1
"$cc" -shared -fPIC -DSHARED_RUNTIME "$code" -o "$work/shared/libgpu.so" "$folder/gpu_library.c" || exit 1
loaded='halfwarp: the program has loaded libgpu.so, machine code for GPUs '
lines() { [ "$(wc -l < "$work/err")" = $1 ] || fail "not $1 lines: $(cat "$work/err")"; }

# uses LIBRARY STATUS OPTIONS -- HOW: with that folder's library
uses() {
    local library=$1 status=$2
    shift 2
    LD_LIBRARY_PATH=$work/$library expect "$status" "$halfwarp" run --compiler $compiler "$@"
}

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    linked="-DLINKED -L$work/own -lgpu"
    # Linked or loaded, not called: nothing is said.
    uses own 0 $linked "$source" load
    says out '7, failed 0'
    lines 0
    uses own 4 $linked "$source" call
    says out '7, failed 209'
    says err 'libgpu.so: the program holds machine code only'
    says err 'what is not simulated'
    lines 2
    uses own 4 "$source" call
    lines 2
    # With the shared runtime, its kernels are known to ours.
    uses shared 0 "$source" load
    says err "$loaded"'only: its kernels will fail'
    lines 1
    uses shared 4 "$source" call
    says out '7, failed 209'
    says err 'libgpu.so: '
    # The program itself and the driver: the same GPU.
    uses own 0 "$source" driver
    says out '7, failed 0'
done
[ $routes -gt 0 ] || exit 77

# The real one.
toolkit=$(dirname "$(readlink -f "$(command -v nvcc)")")/../lib64
if command -v nvcc > "$work/where" && [ -e "$toolkit/libcublas.so" ]; then
    cat > "$work/blas.cu" << 'PROGRAM'
#include <cublas_v2.h>
#include <cstdio>
int main(int argc, char **) {
    cublasHandle_t handle;
    cudaFree(0);
    if (argc > 1) printf("created %d\n", cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    else printf("%p\n", (void *)cublasCreate);
}
PROGRAM
    export LD_LIBRARY_PATH=$toolkit
    # It finds the driver, and is content with it until it is asked to compute.
    expect 0 "$halfwarp" run --compiler nvcc -lcublas "$work/blas.cu" call
    says out 'created 1'
fi
finish
