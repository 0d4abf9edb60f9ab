# Headers of the first CUDA programs, by both compilers: cutil, and what CUDA 13 has no longer.
about_nvcc=1
. "$(dirname "$0")/../check.bash"

source=tests/cuda/old_headers.cu
arguments=(-flag --n=12 -x=0.5 -name=a=b word)
mkdir "$work/own"
echo 'static const char *own = "the own cutil";' > "$work/own/cutil.h"
cat > "$work/own.cu" << 'CUDA'
#include <cstdio>
#include <cutil.h>
int main() {
    puts(own);
    return cudaThreadSynchronize();
}
CUDA
cat > "$work/renamed.cu" << 'CUDA'
#define cudaThreadSynchronize cudaDeviceSynchronize
int main() { return cudaThreadSynchronize(); }
CUDA
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    expect 0 "$halfwarp" run --compiler $compiler $source "${arguments[@]}"
    says out "all hold"
    silent err
    expect 1 "$halfwarp" run --compiler $compiler $source "${arguments[@]}" -refused
    says err "old_headers.cu:69: cudaFree(host): invalid argument"
    expect 1 "$halfwarp" run --compiler $compiler $source "${arguments[@]}" -false
    says err "old_headers.cu:70: CUTFalse is not true"
    # A header of the same name in a folder of the user's goes before.
    expect 0 "$halfwarp" run --compiler $compiler -I "$work/own" "$work/own.cu"
    says out "the own cutil"
    expect 0 "$halfwarp" run --compiler $compiler "$work/renamed.cu"
    silent err
    # As does the program's: nvcc's own headers have this function no longer.
    [ $compiler = nvcc ] || continue
    echo '#include <cstdio>
static cudaError_t cudaThreadSynchronize(void) { puts("the own function"); return cudaSuccess; }
int main() { return cudaThreadSynchronize(); }' > "$work/function.cu"
    expect 0 "$halfwarp" run --compiler nvcc "$work/function.cu"
    says out "the own function"
done

# Files of a program have the same clocks, and files of C++ alone find the headers as well.
if command -v clang >/dev/null; then
    printf '#include <cutil.h>\nunsigned create() { unsigned t; cutCreateTimer(&t); cutStartTimer(t); return t; }\n' \
        > "$work/first.cpp"
    printf '#include <cutil.h>\nunsigned create();\nint main() { return cutStopTimer(create()) != CUTTrue; }\n' \
        > "$work/second.cu"
    expect 0 "$halfwarp" nvcc --halfwarp-compiler clang -o "$work/clocks" "$work/first.cpp" "$work/second.cu"
    expect 0 "$halfwarp" run "$work/clocks"
fi
finish
