# run: both compilers, executables, the program's own input, output, arguments and status, and statuses 3, 4, 5.
about_nvcc=1
. "$(dirname "$0")/../check.bash"

compilers=clang
command -v nvcc > "$work/where" && compilers="clang nvcc"
example=examples/transpose.cu

cat > "$work/echo.cu" <<'CUDA'
#include <cstdio>
#include <cstdlib>
__global__ void twice(int *p) { p[threadIdx.x] *= FACTOR; }
int main(int argc, char **argv) {
    int word = 0, *p;
    cudaMalloc(&p, 32 * sizeof(int));
    while (scanf("%d", &word) == 1) {
        cudaMemcpy(p, &word, sizeof word, cudaMemcpyHostToDevice);
        twice<<<1, 1>>>(p);
        cudaMemcpy(&word, p, sizeof word, cudaMemcpyDeviceToHost);
        printf("%d\n", word);
    }
    for (int i = 0; i < argc; i++) fprintf(stderr, "[%s]", argv[i]);
    return argc > 1 ? atoi(argv[1]) : 0;
}
CUDA
cat > "$work/fault.cu" <<'CUDA'
#include <cstdio>
__global__ void write_far(int *p) {
    p[threadIdx.x + (1 << 28)] = 1;
}
int main() {
    int *p;
    cudaMalloc(&p, 4096);
    write_far<<<1, 32>>>(p);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    return 1;
}
CUDA
cat > "$work/trap.cu" <<'CUDA'
__global__ void refused() { asm volatile("fence.proxy.tensormap::generic.release.gpu;"); }
int main() {
    refused<<<1, 32>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
echo '__global__ void k() { undeclared = 1; } int main() {}' > "$work/wrong.cu"

for compiler in $compilers; do
    for gpu in h200 t4; do
        expect 0 "$halfwarp" run --compiler $compiler --gpu $gpu $example 100 37
        says out "100 x 37 transposed three ways, all right"
        silent err
    done
    # Each by itself: tests/unit/toolchain/test_toolchain.c. -O0 and -O3: places.sh.
    for options in -G "-lineinfo -O1 -std=c++14 -use_fast_math"; do
        expect 0 "$halfwarp" run --compiler $compiler $options $example 65
        says out "all right"
    done
    # Options before PROG are the compiler's; behind it, the program's.
    printf '7 -3' > "$work/in"
    "$halfwarp" run --compiler $compiler -DFACTOR=2 "$work/echo.cu" 42 --help -o \
        < "$work/in" > "$work/out" 2> "$work/err"
    [ $? = 42 ] || fail "$compiler: the program's own exit status is lost"
    [ "$(cat "$work/out")" = $'14\n-6' ] || fail "$compiler: the program's output: $(cat "$work/out")"
    says err "echo][42][--help][-o]"

    expect 5 "$halfwarp" run --compiler $compiler "$work/fault.cu"
    says out "cudaErrorIllegalAddress"
    says err "fault.cu:3"
    says err "4096 bytes"
    expect 4 "$halfwarp" run --compiler $compiler "$work/trap.cu"
    says err "fence.proxy.tensormap::generic.release.gpu"
    expect 3 "$halfwarp" run --compiler $compiler "$work/wrong.cu"
    says err "undeclared"
done

# As on a machine without the CUDA toolkit.
export HALFWARP_HIDE_NVCC=1
expect 0 "$halfwarp" run $example 64
says out "all right"
# What is no program is said to be none, whether it may be executed or not.
echo text > "$work/text.c"
refuses_rows "$halfwarp" run <<ROWS
$work/text.c|text.c is neither a program nor a .cu file
README.md|README.md is neither a program nor a .cu file
ROWS
cp /bin/true "$work/unset"
chmod -x "$work/unset"
expect 2 "$halfwarp" run "$work/unset"
says err 'without the right to be run (chmod +x)'
expect 2 "$halfwarp" run --compiler nvcc $example 64
says err "nvcc"
unset HALFWARP_HIDE_NVCC

# Executables built elsewhere.
if [ "$compilers" != clang ]; then
    nvcc -o "$work/shared" -cudart shared -gencode arch=compute_75,code=compute_75 $example
    nvcc -o "$work/linked" -rdc=true -cudart shared -gencode arch=compute_75,code=compute_75 $example
    expect 0 "$halfwarp" run "$work/linked" 33
    says out "all right"
    nvcc -o "$work/linked" -rdc=true -cudart shared -gencode arch=compute_75,code=sm_75 $example
    expect 4 "$halfwarp" run "$work/linked" 33
    says err "machine code only"
    nvcc -o "$work/static" -cudart static -gencode arch=compute_75,code=compute_75 $example
    nvcc -o "$work/machine" -cudart shared -gencode arch=compute_90,code=sm_90 $example
    nvcc -o "$work/rpath" -cudart shared -gencode arch=compute_75,code=compute_75 $example \
        -Xlinker --disable-new-dtags -Xlinker -rpath -Xlinker "$(dirname "$(command -v nvcc)")/../lib64"
    expect 0 "$halfwarp" run "$work/shared" 33
    says out "all right"
    expect 0 "$halfwarp" run "$work/rpath" 33
    says out "all right"
    expect 0 "$halfwarp" run "$work/static" 33
    says out "all right"
    expect 4 "$halfwarp" run "$work/machine"
    says err "compute_75"
    # A name without a slash: the current folder, then PATH.
    (cd "$work" && "$OLDPWD/$halfwarp" run shared 33 > out 2>&1) || "$halfwarp" run "$work/shared" > "$work/out"
    says out "all right"
fi

# Signals: a program that one ends, and one that is sent to halfwarp.
expect 137 "$halfwarp" run sh -c 'kill -9 $$'
"$halfwarp" run sh -c 'trap "exit 9" TERM; echo ready; while :; do sleep 0.05; done' > "$work/out" 2>&1 &
waiting=$!
until grep -q ready "$work/out"; do sleep 0.05; done
kill -TERM $waiting
wait $waiting
[ $? = 9 ] || fail "SIGTERM did not reach the program"
finish
