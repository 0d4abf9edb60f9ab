# halfwarp ptx; .ptx and .cpp files as PROG; -arch and -gencode before PROG; an nvcc that does not work.
. "$(dirname "$0")/../check.bash"

compilers=clang
command -v nvcc > "$work/where" && compilers="clang nvcc"
example=examples/transpose.cu

cat > "$work/kernels.cu" <<'CUDA'
__global__ void first(int *p) { *p = VALUE; }
CUDA
echo 'int main() {}' > "$work/none.cu"
cat > "$work/host.cpp" <<'CUDA'
#include <cuda_runtime.h>
#include <cstdio>
int main(int argc, char **argv) {
    cudaDeviceProp properties;
    int error = cudaGetDeviceProperties(&properties, 0);
    printf("%s %d.%d %d %s\n", argv[0], properties.major, properties.minor, error, argc > 1 ? argv[1] : "");
    return 7;
}
CUDA

for compiler in $compilers; do
    # Kernels without a program around them will do.
    expect 0 "$halfwarp" ptx --compiler $compiler --gpu t4 -DVALUE=77 "$work/kernels.cu"
    grep -q '^\.target sm_75' "$work/out" || fail "$compiler: $(head -20 "$work/out")"
    says out "first"
    says out "77"
    silent err
    expect 0 "$halfwarp" ptx --compiler $compiler -DVALUE=1 "$work/kernels.cu" -o "$work/kernels.ptx"
    silent out
    expect 0 "$halfwarp" occupancy "$work/kernels.ptx"
    says out "first"
    expect 0 "$halfwarp" occupancy --compiler $compiler -DVALUE=1 "$work/kernels.cu"
    says out "first"
    expect 2 "$halfwarp" occupancy --compiler $compiler "$work/none.cu"
    refuses "$work/none.cu has no kernels"
    # The program's name is its source's, as with .cu files.
    expect 7 "$halfwarp" run --compiler $compiler --gpu t4 "$work/host.cpp" argument
    says out "$work/host 7.5 0 argument"
    # Halfwarp knows the GPU, and says that what is before PROG does not change it; once, and not where it is the same.
    expect 0 "$halfwarp" run --compiler $compiler -arch=sm_80 -gencode arch=compute_70,code=sm_70 $example 33
    refuses_once=$(grep -c 'is ignored' "$work/err")
    [ "$refuses_once" = 1 ] || fail "$compiler: -arch: $(cat "$work/err")"
    says err "-arch=sm_80 is ignored"
    says out "all right"
    expect 0 "$halfwarp" profile --compiler $compiler --gpu t4 --gpu-architecture sm_75 \
        --generate-code=arch=compute_75,code=[compute_75,sm_75] $example 33
    silent err
done

# One kernel, by the name that profile shows or the one in the text, and what it needs; the rest is nobody's loss.
for compiler in $compilers; do
    expect 0 "$halfwarp" ptx --compiler $compiler --kernel padded $example -o "$work/padded.ptx"
    [ "$(grep -c '\.entry' "$work/padded.ptx")" = 1 ] || fail "$compiler: kernels: $(grep entry "$work/padded.ptx")"
    grep -q '4tile\[4224\]' "$work/padded.ptx" && ! grep -q '4tile\[4096\]' "$work/padded.ptx" ||
        fail "$compiler: its shared memory: $(grep tile "$work/padded.ptx")"
    expect 0 "$halfwarp" occupancy "$work/padded.ptx"
    says out transpose_padded
    expect 0 "$halfwarp" ptx --compiler $compiler --kernel '^_Z15transpose_(naive|tiled)P' $example
    [ "$(grep -c '\.entry' "$work/out")" = 2 ] || fail "$compiler: two kernels: $(grep entry "$work/out")"
done
if command -v ptxas > "$work/where"; then
    ptxas -arch=sm_90 "$work/padded.ptx" -o "$work/padded.cubin" 2> "$work/err" || fail "ptxas: $(cat "$work/err")"
fi
expect 2 "$halfwarp" ptx --kernel nothing $example
refuses "no kernel of $example has a name that 'nothing' matches; it has transpose_"
expect 2 "$halfwarp" ptx --kernel '(' $example
refuses "--kernel takes an extended regular expression"
# A GPU of a file, of a name that is on no list.
echo '{"id": "mine", "based_on": "t4", "multiprocessors": 20}' > "$work/mine.json"
expect 0 "$halfwarp" ptx --gpu "$work/mine.json" $example
says out ".target sm_75"

expect 2 "$halfwarp" ptx --compiler clang "$work/none.cu"
refuses "$work/none.cu has no device code"
expect 2 "$halfwarp" run "$work/kernels.ptx"
refuses "device code, which a program must launch"
expect 2 "$halfwarp" profile -o "$work/p.csv" "$work/kernels.ptx"
says err "device code"
expect 2 "$halfwarp" occupancy -DVALUE=1 "$work/kernels.ptx"
expect 2 "$halfwarp" ptx "$work/absent.ptx"
refuses "$work/absent.ptx"
expect 2 "$halfwarp" ptx
refuses "which program?"
expect 2 "$halfwarp" ptx -o "$work/no/such/folder/x.ptx" "$work/kernels.ptx"
says err "no/such/folder"
expect 2 "$halfwarp" run -arch
refuses "takes a value"

# An nvcc that cannot be executed, one that needs what is not there, and one that finds no C++ compiler: clang takes its
# place and that is said; asked for by name, it is an error of its own, and none of the source.
mkdir "$work/interpreter" "$work/missing" "$work/empty"
printf '#!/no/such/interpreter\n' > "$work/interpreter/nvcc"
printf '#!/bin/sh\necho "nvcc: error while loading shared libraries: libnothing.so" >&2\nexit 127\n' \
    > "$work/missing/nvcc"
printf '#!/bin/sh
case "$*" in
*--version*) echo release 13.0 ;;
*--list-gpu-arch*) echo compute_75 ;;
*) echo "nvcc fatal   : Failed to preprocess host compiler properties." >&2; exit 1 ;;
esac\n' > "$work/empty/nvcc"
chmod +x "$work"/*/nvcc
for kind in interpreter missing empty; do
    PATH=$work/$kind:$PATH expect 0 "$halfwarp" run $example 34
    says out "all right"
    says err "clang compiles it"
    case $kind in
        interpreter) says err "does not start" ;;
        missing) says err "libnothing.so" ;;
        empty) says err "cannot compile even an empty file" ;;
    esac
    PATH=$work/$kind:$PATH expect 2 "$halfwarp" run --compiler nvcc $example 34
    ! grep -q "does not compile" "$work/err" || fail "$kind: $(cat "$work/err")"
done
PATH=$work/missing:$PATH expect 0 "$(dirname "$halfwarp")/halfwarp-nvcc" -c $example -o "$work/example.o"
says err "clang does its work"
PATH=$work/missing:$PATH expect 2 "$(dirname "$halfwarp")/halfwarp-nvcc" --halfwarp-compiler=nvcc -c $example
says err "does not start"
finish
