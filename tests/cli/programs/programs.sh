# Self-checking device programs, by each compiler in sight.
. "$(dirname "$0")/../check.bash"

cat > "$work/flood.cu" <<'CUDA'
#include <cstdio>
__global__ void flood() {
    printf("block %d, thread %d: %s %.2f %c%%\n", blockIdx.x, threadIdx.x, "text", 0.5, 'z');
}
int main() {
    flood<<<300, 256>>>();
    return cudaDeviceSynchronize();
}
CUDA
# The same refusal in a loop is told once, another one from the same place as well.
cat > "$work/again.cu" <<'CUDA'
__global__ void nothing() {}
int main() {
    for (int i = 0; i < 100; i++) nothing<<<1, i % 2 ? 2000 : 3000>>>();
    return cudaGetLastError() != cudaErrorInvalidConfiguration && cudaGetLastError() != cudaSuccess;
}
CUDA

compilers=clang
command -v nvcc > "$work/where" && compilers="clang nvcc"
for compiler in $compilers; do
    for program in intrinsics barriers shuffles half_and_groups grid_sync streams_and_threads pools_and_copies \
        forked; do
        expect 0 "$halfwarp" run --compiler $compiler tests/cuda/$program.cu
        says out "ok"
    done
    expect 0 "$halfwarp" run --compiler $compiler "$work/flood.cu"
    [ "$(sort -u "$work/out" | wc -l)" = 76800 ] || fail "$compiler: $(sort -u "$work/out" | wc -l) lines of 76800"
    [ "$(grep -cx 'block [0-9]*, thread [0-9]*: text 0.50 z%' "$work/out")" = 76800 ] || fail "$compiler: torn lines"
    expect 0 "$halfwarp" run --compiler $compiler "$work/again.cu"
    [ "$(wc -l < "$work/err")" = 2 ] ||
        fail "$compiler: a refused launch is told of again and again: $(cat "$work/err")"
done
finish
