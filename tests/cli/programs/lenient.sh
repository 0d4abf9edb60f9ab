# --lenient: a read past the end of a __device__ variable passes and is told once; writes, and reads elsewhere, do not.
. "$(dirname "$0")/../check.bash"

cat >"$work/past.cu" <<'CUDA'
#include <cstdio>
#include <cstring>
__device__ int first[100];
__global__ void reads(int *out, int from) { out[threadIdx.x] = first[threadIdx.x + from]; }
__global__ void writes(int from) { first[threadIdx.x + from] = 1; }
int main(int, char **argv) {
    int *out, got = -1;
    cudaMalloc(&out, 4096);
    if (!strcmp(argv[1], "reads"))
        for (int i = 0; i < 3; i++) reads<<<1, 64>>>(out, 80);
    if (!strcmp(argv[1], "writes")) writes<<<1, 64>>>(80);
    if (!strcmp(argv[1], "far")) reads<<<1, 64>>>(out, 1 << 24);
    cudaMemcpy(&got, out + 63, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", got);
}
CUDA
command -v nvcc >/dev/null || command -v clang >/dev/null || exit 77
expect 5 "$halfwarp" run "$work/past.cu" reads
expect 0 "$halfwarp" run --lenient "$work/past.cu" reads
says out '0'
says err 'past.cu:4: kernel reads(int*, int) reads 4 bytes at byte 400 of first, which has 400; such reads pass'
[ "$(grep -c 'such reads pass' "$work/err")" = 1 ] || fail "told more than once: $(cat "$work/err")"
expect 5 "$halfwarp" run --lenient "$work/past.cu" writes
expect 5 "$halfwarp" run --lenient "$work/past.cu" far
finish
